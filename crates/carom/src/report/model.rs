//! A model as a person wants to see it: its tree, its numbers, its doubts.

use std::fmt::{self, Display, Formatter};

use carom_multibody::{JointKind, LinkId, Model, ModelJoint, Vector};

use super::number::significant;

/// Digits of masses and limits.
const DIGITS: usize = 4;

/// A model with what it was called.
#[derive(Debug, Clone, Copy)]
pub struct ModelText<'a> {
    /// The file, or the name of a built-in model.
    pub title: &'a str,
    /// The model.
    pub model: &'a Model,
}

impl Display for ModelText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let model = self.model;
        let moving = model.joints().iter().filter(|joint| !joint.freedoms.is_empty()).count();
        writeln!(f, "{}: {}", self.title, model.name())?;
        writeln!(
            f,
            "  {}, {}, {} of them moving",
            count(model.links().len() - 1, "link"),
            count(model.joints().len(), "joint"),
            moving
        )?;
        writeln!(
            f,
            "  {}: nq = {}, nv = {}",
            count(model.freedoms(), "degree of freedom"),
            model.coordinates(),
            model.freedoms()
        )?;
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
        let mut lines = Vec::new();
        self.branch(LinkId::WORLD, "", "", &mut lines);
        let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        for (name, about) in lines {
            writeln!(f, "{}", format!("  {name:<width$}  {about}").trim_end())?;
        }
        Ok(())
    }

    /// A link and all behind it: the branch drawn to it, and what is known of it.
    fn branch(&self, link: LinkId, lead: &str, below: &str, lines: &mut Vec<(String, String)>) {
        let links = self.model.links();
        let this = &links[link.index()];
        let mut about: Vec<String> = self.model.joints()[this.joints.clone()].iter().map(joint).collect();
        if this.inertia.mass != 0.0 {
            about.push(format!("{} kg", significant(this.inertia.mass, DIGITS)));
        }
        lines.push((format!("{lead}{}", this.name), about.join(", ")));
        let children: Vec<LinkId> = self.model.children(link).collect();
        for (i, &child) in children.iter().enumerate() {
            let (turn, on) = if i + 1 == children.len() { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            self.branch(child, &format!("{below}{turn}"), &format!("{below}{on}"), lines);
        }
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
            writeln!(f, "    {:<width$}  on {link} at {}", frame.name, vector(frame.placement.translation))?;
        }
        Ok(())
    }

    fn warnings(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let warnings = self.model.warnings();
        if warnings.is_empty() {
            return writeln!(f, "\n  no warnings");
        }
        writeln!(f, "\n  {}", count(warnings.len(), "warning"))?;
        for warning in warnings {
            writeln!(f, "    {warning}")?;
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
