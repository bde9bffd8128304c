//! Joints, collision shapes, frames and keyframes as text.

use std::fmt::{self, Formatter};

use carom_multibody::{LinkId, ModelJoint, Shape};
use carom_sim::number::significant;

use super::{DIGITS, ModelText, shape, vector};

/// Numbers of a list in one line.
const NUMBERS: usize = 12;

/// A column of the table of joints: its title, and the entry of a joint, which may be empty.
type JointColumn<'a> = (&'static str, Box<dyn Fn(&ModelJoint) -> String + 'a>);

impl ModelText<'_> {
    /// The joints that move by themselves: their home positions, limits, and forces.
    pub(super) fn joints(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let home = self.model.home();
        let quantity = |x: f64| if x == 0.0 { String::new() } else { digits(x) };
        let columns: [JointColumn<'_>; 6] = [
            ("home", Box::new(|joint| numbers(&home[joint.coordinates.clone()]))),
            ("limits", Box::new(|joint| joint.joint.limits.map_or(String::new(), |limits| bounds(&limits)))),
            ("damping", Box::new(|joint| quantity(joint.joint.damping))),
            ("dry friction", Box::new(|joint| quantity(joint.joint.dry_friction))),
            (
                "spring",
                Box::new(|joint| match joint.joint.spring {
                    Some(spring) if spring.stiffness != 0.0 => {
                        format!("{} at {}", digits(spring.stiffness), digits(spring.rest))
                    }
                    _ => String::new(),
                }),
            ),
            ("armature", Box::new(|joint| quantity(joint.joint.armature))),
        ];
        let joints = self.model.joints().iter().filter(|joint| !joint.velocities.is_empty());
        let joints: Vec<&ModelJoint> = joints.filter(|joint| joint.joint.mimic.is_none()).collect();
        if joints.is_empty() {
            return Ok(());
        }
        // Columns without an entry are left out.
        let cells: Vec<(&str, Vec<String>)> = columns
            .iter()
            .map(|(title, of)| (*title, joints.iter().map(|joint| of(joint)).collect::<Vec<_>>()))
            .filter(|(_, cells)| cells.iter().any(|cell| !cell.is_empty()))
            .collect();
        let names: Vec<String> = joints.iter().map(|joint| joint.joint.name.clone()).collect();
        writeln!(f)?;
        let mut rows = rows("joint (rad, m, N, s)", &names, &cells);
        writeln!(f, "{}", rows.remove(0))?;
        self.list(f, &rows)
    }

    /// The collision shapes of moving links, and the planes of the world.
    pub(super) fn shapes(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut lines = Vec::new();
        let (mut names, mut words) = (Vec::new(), Vec::new());
        for (index, link) in self.model.links().iter().enumerate() {
            let moves = self.model.is_moving(LinkId::from_index(index));
            for (place, shape) in link.shapes.iter().enumerate() {
                names.push(name_of(shape, &link.name, place, link.shapes.len()));
                let fixed = if moves { "" } else { ", fixed to the world" };
                words.push(format!("{}{fixed}", shape::in_words(&shape.geometry)));
            }
        }
        if names.is_empty() {
            return writeln!(f, "\n  no collision shapes: contacts are origins of links, or points of a scene");
        }
        writeln!(f, "\n  {}", super::count(names.len(), "collision shape"))?;
        let width = width(&names);
        lines.extend(names.iter().zip(&words).map(|(name, words)| format!("    {name:<width$}  {words}")));
        self.list(f, &lines)
    }

    pub(super) fn frames(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let frames = self.model.frames();
        if frames.is_empty() {
            return Ok(());
        }
        writeln!(f, "\n  frames")?;
        let width = frames.iter().map(|frame| frame.name.chars().count()).max().unwrap_or(0);
        let lines: Vec<String> = frames
            .iter()
            .map(|frame| {
                let link = &self.model.link(frame.link).name;
                let place = vector(frame.placement.translation);
                format!("    {:<width$}  on {link} at {place}", frame.name)
            })
            .collect();
        self.list(f, &lines)
    }

    /// The keyframes, which `--keyframe` starts from.
    pub(super) fn keyframes(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let names = self.model.keyframe_names();
        if names.is_empty() {
            return Ok(());
        }
        writeln!(f, "\n  {}, for --keyframe; home is the configuration above", super::count(names.len(), "keyframe"))?;
        let width = width(&names);
        let lines: Vec<String> = names
            .iter()
            .zip(self.model.keyframes())
            .map(|(name, keyframe)| {
                let rest = keyframe.velocity.iter().all(|v| *v == 0.0);
                let moves = if rest { "" } else { ", in motion" };
                let q = match self.all {
                    true => listed(&keyframe.configuration, usize::MAX),
                    false => listed(&keyframe.configuration, NUMBERS),
                };
                format!("    {name:<width$}  q = {q}{moves}")
            })
            .collect();
        self.list(f, &lines)
    }
}

/// A shape by its own name and its link.
fn name_of(shape: &Shape, link: &str, place: usize, count: usize) -> String {
    match &shape.name {
        Some(own) if own != link => format!("{link}/{own}"),
        None if count > 1 => format!("{link}/{place}"),
        _ => link.to_owned(),
    }
}

/// The lines of a table: titles, then a line per name.
fn rows(title: &str, names: &[String], columns: &[(&str, Vec<String>)]) -> Vec<String> {
    let first = width(names).max(title.chars().count());
    let mut lines = vec![format!("  {title:<w$}", w = first + 2)];
    lines.extend(names.iter().map(|name| format!("    {name:<first$}")));
    for (title, cells) in columns {
        let width = width(cells).max(title.chars().count());
        for (line, cell) in lines.iter_mut().zip(std::iter::once(*title).chain(cells.iter().map(String::as_str))) {
            *line += &format!("  {cell:<width$}");
        }
    }
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}

fn width(texts: &[String]) -> usize {
    texts.iter().map(|text| text.chars().count()).max().unwrap_or(0)
}

fn digits(x: f64) -> String {
    significant(if x == 0.0 { 0.0 } else { x }, DIGITS)
}

fn numbers(values: &[f64]) -> String {
    match values {
        [one] => digits(*one),
        several => listed(several, usize::MAX),
    }
}

fn bounds([lower, upper]: &[f64; 2]) -> String {
    format!("[{}, {}]", digits(*lower), digits(*upper))
}

/// `(1, 2, …)`
fn listed(values: &[f64], most: usize) -> String {
    let shown: Vec<String> = values.iter().take(most).map(|x| digits(*x)).collect();
    match values.len() - shown.len() {
        0 => format!("({})", shown.join(", ")),
        more => format!("({}, … {more} more)", shown.join(", ")),
    }
}
