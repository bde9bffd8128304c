//! The tree of links as text.

use std::fmt::{self, Formatter};

use carom_multibody::{JointKind, LinkId, ModelJoint};
use carom_sim::number::significant;

use super::{DIGITS, ModelText};

/// Depth to which the tree is drawn.
const DEEPEST: usize = 40;

impl ModelText<'_> {
    pub(super) fn tree(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut children: Vec<Vec<LinkId>> = vec![Vec::new(); self.model.links().len()];
        for (index, link) in self.model.links().iter().enumerate() {
            if let Some(parent) = link.parent {
                children[parent.index()].push(LinkId::from_index(index));
            }
        }
        let lines = self.lines(&children);
        let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        let lines: Vec<String> = lines.iter().map(|(name, about)| format!("  {name:<width$}  {about}")).collect();
        self.list(f, &lines)
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
}

fn joint(joint: &ModelJoint) -> String {
    let kind = joint.joint.kind;
    let mut text = format!("{} {}", kind.name(), joint.joint.name);
    if let Some(mimic) = &joint.joint.mimic {
        let (factor, offset) = (significant(mimic.multiplier, DIGITS), significant(mimic.offset, DIGITS));
        text += &format!(" = {factor} {} + {offset}", mimic.leader);
    } else if kind != JointKind::Fixed {
        text += &format!(" (v {})", span(joint.velocities.start, joint.velocities.end));
    }
    text
}

fn span(start: usize, end: usize) -> String {
    if end == start + 1 { start.to_string() } else { format!("{start}-{}", end - 1) }
}
