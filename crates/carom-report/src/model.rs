//! A model as text: its tree, its numbers, its warnings.

use std::fmt::{self, Display, Formatter};

use carom_multibody::{DynamicsError, JointKind, LinkId, Model, ModelJoint, Vector};

use super::printable;
use carom_sim::number::significant;

/// Depth to which the tree is drawn.
const DEEPEST: usize = 40;
/// Number of digits of masses and limits.
const DIGITS: usize = 4;

/// A model with its title.
#[derive(Debug, Clone)]
pub struct ModelText<'a> {
    /// The file, or the name of a built-in model.
    pub title: &'a str,
    /// The model.
    pub model: &'a Model,
    /// The error in factoring its mass matrix in the home configuration, if there is one.
    pub at_home: Option<DynamicsError>,
}

impl Display for ModelText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let model = self.model;
        let moving = model.joints().iter().filter(|joint| !joint.freedoms.is_empty()).count();
        writeln!(f, "{}: {}", printable(self.title), printable(model.name()))?;
        writeln!(
            f,
            "  {}, {}, {} of them moving",
            count(model.links().len() - 1, "link"),
            count(model.joints().len(), "joint"),
            moving
        )?;
        writeln!(f, "  {}: nq = {}, nv = {}", count(model.nv(), "degree of freedom"), model.nq(), model.nv())?;
        writeln!(
            f,
            "  {} kg in motion, gravity {}",
            significant(model.moving_mass(), DIGITS),
            vector(model.gravity())
        )?;
        match model.plane() {
            Some(normal) => writeln!(f, "  moves in the plane normal to {}", vector(normal))?,
            None => writeln!(f, "  moves in space")?,
        }
        writeln!(f)?;
        self.tree(f)?;
        self.frames(f)?;
        self.warnings(f)
    }
}

impl ModelText<'_> {
    fn tree(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut children: Vec<Vec<LinkId>> = vec![Vec::new(); self.model.links().len()];
        for (index, link) in self.model.links().iter().enumerate() {
            if let Some(parent) = link.parent {
                children[parent.index()].push(LinkId::from_index(index));
            }
        }
        let lines = self.lines(&children);
        let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        for (name, about) in lines {
            writeln!(f, "{}", printable(format!("  {name:<width$}  {about}").trim_end()))?;
        }
        Ok(())
    }

    /// One line per link: its branch and name, and its properties.
    fn lines(&self, children: &[Vec<LinkId>]) -> Vec<(String, String)> {
        let mut lines = Vec::new();
        // Link, prefix of its own line, and prefix of its children.
        let mut waiting = vec![(LinkId::WORLD, String::new(), String::new(), 0)];
        while let Some((id, lead, below, depth)) = waiting.pop() {
            let link = self.model.link(id);
            let mut about: Vec<String> = self.model.joints()[link.joints.clone()].iter().map(joint).collect();
            if link.inertia.mass != 0.0 {
                about.push(format!("{} kg", significant(link.inertia.mass, DIGITS)));
            }
            lines.push((format!("{lead}{}", link.name), about.join(", ")));
            let count = children[id.index()].len();
            for (i, &child) in children[id.index()].iter().enumerate().rev() {
                let (turn, on) = if i + 1 == count { ("└─ ", "   ") } else { ("├─ ", "│  ") };
                // Beyond this depth branches are not indented further.
                let (turn, on) = if depth < DEEPEST { (turn, on) } else { ("… ", "") };
                waiting.push((child, format!("{below}{turn}"), format!("{below}{on}"), depth + 1));
            }
        }
        lines
    }

    fn frames(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let frames = self.model.frames();
        if frames.is_empty() {
            return Ok(());
        }
        writeln!(f, "\n  frames")?;
        let width = frames.iter().map(|frame| frame.name.chars().count()).max().unwrap_or(0);
        for frame in frames {
            let link = &self.model.link(frame.link).name;
            let place = vector(frame.placement.translation);
            writeln!(f, "{}", printable(&format!("    {:<width$}  on {link} at {place}", frame.name)))?;
        }
        Ok(())
    }

    fn warnings(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let warnings = self.model.warnings();
        if let Some(fault) = &self.at_home {
            writeln!(f, "\n  no impact can be computed at home: {}", printable(&fault.to_string()))?;
        } else if warnings.is_empty() {
            return writeln!(f, "\n  no warnings");
        }
        if warnings.is_empty() {
            return Ok(());
        }
        writeln!(f, "\n  {}", count(warnings.len(), "warning"))?;
        for warning in warnings {
            writeln!(f, "    {}", printable(&warning.to_string()))?;
        }
        Ok(())
    }
}

fn joint(joint: &ModelJoint) -> String {
    let kind = joint.joint.kind;
    let mut text = format!("{} {}", kind.name(), joint.joint.name);
    if let Some(mimic) = &joint.joint.mimic {
        let (factor, offset) = (significant(mimic.multiplier, DIGITS), significant(mimic.offset, DIGITS));
        text += &format!(" = {factor} {} + {offset}", mimic.leader);
    } else if kind != JointKind::Fixed {
        text += &format!(" (v {})", span(joint.freedoms.start, joint.freedoms.end));
    }
    if let Some([lower, upper]) = joint.joint.limits {
        text += &format!(" in [{}, {}]", significant(lower, DIGITS), significant(upper, DIGITS));
    }
    text
}

fn span(start: usize, end: usize) -> String {
    if end == start + 1 { start.to_string() } else { format!("{start}-{}", end - 1) }
}

fn vector(v: Vector) -> String {
    format!("({})", v.to_array().map(|x| significant(if x == 0.0 { 0.0 } else { x }, DIGITS)).join(", "))
}

fn count(n: usize, what: &str) -> String {
    match n {
        1 => format!("1 {what}"),
        _ if what == "degree of freedom" => format!("{n} degrees of freedom"),
        _ => format!("{n} {what}s"),
    }
}
