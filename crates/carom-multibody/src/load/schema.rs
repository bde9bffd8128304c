//! What URDF has: elements with their attributes and the elements within. Whatever else stands in a file is remarked.

use std::collections::{BTreeMap, HashSet};

use super::xml::Element;
use crate::{ModelBuilder, Warning, WarningKind};

/// An element: its attributes, and the elements within.
type Entry = (&'static str, &'static [&'static str], &'static [&'static str]);

const SCHEMA: &[Entry] = &[
    ("robot", &["name", "version"], &["link", "joint", "material"]),
    ("link", &["name"], &["inertial", "visual", "collision"]),
    ("inertial", &[], &["origin", "mass", "inertia"]),
    ("origin", &["xyz", "rpy", "quat_xyzw"], &[]),
    ("mass", &["value"], &[]),
    ("inertia", &["ixx", "ixy", "ixz", "iyy", "iyz", "izz"], &[]),
    ("collision", &["name"], &["origin", "geometry", "verbose"]),
    ("geometry", &[], &["box", "sphere", "cylinder", "capsule", "mesh"]),
    ("box", &["size"], &[]),
    ("sphere", &["radius"], &[]),
    ("cylinder", &["radius", "length"], &[]),
    ("capsule", &["radius", "length"], &[]),
    ("mesh", &["filename", "scale"], &[]),
    (
        "joint",
        &["name", "type"],
        &["origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "safety_controller", "calibration"],
    ),
    ("parent", &["link"], &[]),
    ("child", &["link"], &[]),
    ("axis", &["xyz"], &[]),
    ("limit", &["lower", "upper", "effort", "velocity", "acceleration", "deceleration", "jerk"], &[]),
    ("dynamics", &["damping", "friction"], &[]),
    ("mimic", &["joint", "multiplier", "offset"], &[]),
];

/// Elements that may stand several times in the same one.
const REPEATED: &[&str] = &["link", "joint", "material", "visual", "collision"];

/// Elements that have nothing to do with motion, whatever stands in them.
const APART: &[&str] = &["visual", "material", "verbose", "safety_controller", "calibration"];

/// What is read over, one remark for each kind; and remarks on single joints.
#[derive(Default)]
pub(super) struct Remarks {
    ignored: BTreeMap<String, (usize, usize)>,
    notes: Vec<Warning>,
}

impl Remarks {
    /// Remarks on all that the schema does not have, in an element and within.
    pub(super) fn check(&mut self, element: Element<'_, '_, '_>) {
        let name = element.name();
        let Some((_, attributes, children)) = SCHEMA.iter().find(|(known, ..)| *known == name) else { return };
        for attribute in element.node.attributes() {
            // Those of other vocabularies are none of ours.
            if attribute.namespace().is_none() && !attributes.contains(&attribute.name()) {
                self.ignored(format!("attribute {} of <{name}>", attribute.name()), element.line());
            }
        }
        let mut seen: HashSet<&str> = HashSet::new();
        for child in element.children() {
            let inner = child.name();
            if !children.contains(&inner) {
                self.ignored(format!("<{inner}> in <{name}>"), child.line());
            } else if seen.contains(&inner) && !REPEATED.contains(&inner) {
                self.ignored(format!("second <{inner}> in <{name}>"), child.line());
            } else if !APART.contains(&inner) {
                self.check(child);
            }
            seen.insert(inner);
        }
    }

    fn ignored(&mut self, subject: String, line: usize) {
        self.ignored.entry(subject).or_insert((0, line)).0 += 1;
    }

    pub(super) fn note(&mut self, kind: WarningKind, subject: &str, message: String, line: usize) {
        self.notes.push(Warning { kind, subject: subject.to_owned(), message, line: Some(line) });
    }

    pub(super) fn hand_over(self, builder: &mut ModelBuilder) {
        for (subject, (count, line)) in self.ignored {
            let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
            let message = format!("{subject} stands {times}; carom reads over it");
            builder.warn(Warning { kind: WarningKind::Ignored, subject, message, line: Some(line) });
        }
        for note in self.notes {
            builder.warn(note);
        }
    }
}
