//! Warnings about a model.

use std::fmt;

/// A warning about a model that loads although not everything in it is correct or used.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Warning {
    /// Its kind.
    pub kind: WarningKind,
    /// The link, joint or element concerned.
    pub subject: String,
    /// What is wrong and how carom handles it.
    pub message: String,
    /// The line of the file, counted from 1, if known.
    pub line: Option<usize>,
}

/// The kinds of warnings, a closed list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum WarningKind {
    /// A negative mass.
    NegativeMass,
    /// A negative principal moment of inertia.
    NegativeInertia,
    /// A principal moment of inertia larger than the sum of the other two.
    TriangleInequality,
    /// Rotational inertia without mass.
    InertiaWithoutMass,
    /// A joint moves no mass: the mass matrix is singular.
    MasslessLink,
    /// An element of the file that carom ignores because it has no effect on the result.
    Ignored,
    /// An element of the file that affects the motion, but not M, h or A, and is not modelled.
    NotModelled,
    /// A referenced file that does not exist, or is not needed.
    Missing,
    /// A coordinate beyond the limits of its joint.
    OutsideLimits,
    /// A loop that the digits of the file cannot close.
    LoopGap,
    /// A contact that closed loops hardly let move along its normal.
    DeadPoint,
}

impl Warning {
    /// A warning that concerns no line of a file.
    pub fn new(kind: WarningKind, subject: impl Into<String>, message: impl Into<String>) -> Self {
        Self { kind, subject: subject.into(), message: message.into(), line: None }
    }

    /// The warning of one of several robots, with the name of the robot before subject and message.
    pub(crate) fn of(self, name: &str) -> Self {
        let (subject, message) = (format!("{name}/{}", self.subject), format!("{name}: {}", self.message));
        Self { subject, message, ..self }
    }
}

impl WarningKind {
    /// Every kind.
    pub const ALL: [WarningKind; 11] = [
        WarningKind::NegativeMass,
        WarningKind::NegativeInertia,
        WarningKind::TriangleInequality,
        WarningKind::InertiaWithoutMass,
        WarningKind::MasslessLink,
        WarningKind::Ignored,
        WarningKind::NotModelled,
        WarningKind::Missing,
        WarningKind::OutsideLimits,
        WarningKind::LoopGap,
        WarningKind::DeadPoint,
    ];

    /// The name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            WarningKind::NegativeMass => "negative_mass",
            WarningKind::NegativeInertia => "negative_inertia",
            WarningKind::TriangleInequality => "triangle_inequality",
            WarningKind::InertiaWithoutMass => "inertia_without_mass",
            WarningKind::MasslessLink => "massless_link",
            WarningKind::Ignored => "ignored",
            WarningKind::NotModelled => "not_modelled",
            WarningKind::Missing => "missing",
            WarningKind::OutsideLimits => "outside_limits",
            WarningKind::LoopGap => "loop_gap",
            WarningKind::DeadPoint => "dead_point",
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.name(), self.message)?;
        match self.line {
            Some(line) => write!(f, " (line {line})"),
            None => Ok(()),
        }
    }
}
