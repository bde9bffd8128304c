//! What a model has that a user should know.

use std::fmt;

/// A remark about a model: it loads, but not everything in it is right or used.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Warning {
    /// Its name.
    pub kind: WarningKind,
    /// The link, joint or element it is about.
    pub subject: String,
    /// What is wrong and what carom does about it.
    pub message: String,
    /// The line of the file, from 1, where known.
    pub line: Option<usize>,
}

/// The closed list of remarks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum WarningKind {
    /// A mass below zero.
    NegativeMass,
    /// A principal moment of inertia below zero.
    NegativeInertia,
    /// A principal moment of inertia larger than the sum of the other two.
    TriangleInequality,
    /// Rotational inertia without mass.
    InertiaWithoutMass,
    /// A joint moves links of which none has mass: the mass matrix is singular.
    MasslessLink,
    /// An element of the file that carom reads over.
    Ignored,
    /// An element of the file that acts on the motion, not on M, h or A, and that carom leaves out.
    NotModelled,
    /// A file named in the file that is not there, or not needed.
    Missing,
    /// A coordinate beyond the limits of its joint.
    OutsideLimits,
}

impl WarningKind {
    /// Every kind.
    pub const ALL: [WarningKind; 9] = [
        WarningKind::NegativeMass,
        WarningKind::NegativeInertia,
        WarningKind::TriangleInequality,
        WarningKind::InertiaWithoutMass,
        WarningKind::MasslessLink,
        WarningKind::Ignored,
        WarningKind::NotModelled,
        WarningKind::Missing,
        WarningKind::OutsideLimits,
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
