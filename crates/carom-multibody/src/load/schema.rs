//! The elements of URDF with their attributes and child elements. Anything else in a file gives a warning.

use std::collections::{BTreeMap, HashSet};

use super::xml::Element;
use crate::{ModelBuilder, Warning, WarningKind};

/// An element: its name, attributes and child elements.
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

/// Elements that may occur several times in their parent.
const REPEATED: &[&str] = &["link", "joint", "material", "visual", "collision"];

/// Elements without effect on the motion, whatever their content.
const APART: &[&str] = &["visual", "material", "verbose", "safety_controller", "calibration"];

/// Warnings about ignored elements, one per kind, and about single joints.
#[derive(Default)]
pub(super) struct Remarks {
    ignored: BTreeMap<String, (usize, usize)>,
    notes: Vec<Warning>,
}

impl Remarks {
    /// Warns about everything in an element that is not in the schema.
    pub(super) fn check(&mut self, element: Element<'_, '_, '_>) {
        let name = element.name();
        let Some((_, attributes, children)) = SCHEMA.iter().find(|(known, ..)| *known == name) else { return };
        for attribute in element.node.attributes() {
            // Attributes of other namespaces are ignored.
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
            let message = format!("{subject} occurs {times} and is ignored");
            builder.warn(Warning { kind: WarningKind::Ignored, subject, message, line: Some(line) });
        }
        for note in self.notes {
            builder.warn(note);
        }
    }
}
