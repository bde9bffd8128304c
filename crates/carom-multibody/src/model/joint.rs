//! Joints as a user states them.

use crate::Vector;

/// How a joint lets its link move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JointKind {
    /// Not at all.
    Fixed,
    /// Turns about an axis.
    Revolute,
    /// Turns about an axis without limits.
    Continuous,
    /// Slides along an axis.
    Prismatic,
    /// Slides in the plane normal to an axis and turns about it: coordinates (x, y, angle), and their
    /// rates. For the axis z these are the link's x and y; for another axis see [`Joint::axis`].
    Planar,
    /// Turns about a point: coordinates a unit quaternion (w, x, y, z), velocity ω in the link's axes.
    Ball,
    /// Moves freely: coordinates a position and a unit quaternion (x, y, z, qw, qx, qy, qz), velocity
    /// that of the link's origin and ω, both in the link's axes.
    Floating,
}

impl JointKind {
    /// The name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            JointKind::Fixed => "fixed",
            JointKind::Revolute => "revolute",
            JointKind::Continuous => "continuous",
            JointKind::Prismatic => "prismatic",
            JointKind::Planar => "planar",
            JointKind::Ball => "ball",
            JointKind::Floating => "floating",
        }
    }

    /// How many numbers its configuration has.
    pub fn nq(self) -> usize {
        match self {
            JointKind::Fixed => 0,
            JointKind::Revolute | JointKind::Continuous | JointKind::Prismatic => 1,
            JointKind::Planar => 3,
            JointKind::Ball => 4,
            JointKind::Floating => 7,
        }
    }

    /// How many numbers its velocity has: its degrees of freedom.
    pub fn nv(self) -> usize {
        match self {
            JointKind::Fixed => 0,
            JointKind::Revolute | JointKind::Continuous | JointKind::Prismatic => 1,
            JointKind::Planar | JointKind::Ball => 3,
            JointKind::Floating => 6,
        }
    }

    /// Whether its motion has an axis.
    pub fn has_axis(self) -> bool {
        match self {
            JointKind::Revolute | JointKind::Continuous | JointKind::Prismatic | JointKind::Planar => true,
            JointKind::Fixed | JointKind::Ball | JointKind::Floating => false,
        }
    }

    /// Whether it is one coordinate, which may follow another joint's.
    pub fn is_single(self) -> bool {
        self.nq() == 1
    }
}

/// A coordinate that follows another: multiplier · leader + offset.
#[derive(Debug, Clone, PartialEq)]
pub struct Mimic {
    /// The joint that is followed.
    pub leader: String,
    /// Factor on the leader's coordinate.
    pub multiplier: f64,
    /// Added to it.
    pub offset: f64,
}

/// A spring of a joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spring {
    /// N/m or N m/rad.
    pub stiffness: f64,
    /// The coordinate at which it is at rest.
    pub rest: f64,
}

/// A joint of a link, as stated to the builder.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Joint {
    /// Unique among the model's joints.
    pub name: String,
    /// How it moves.
    pub kind: JointKind,
    /// Direction in the link's axes, of any length but zero; ignored by kinds without an axis.
    ///
    /// The plane of a planar joint is spanned by x', the coordinate axis least aligned with the axis (ties: x, y, z)
    /// projected into the plane, and y' = axis × x'.
    pub axis: Vector,
    /// A point of the link on the axis, or the centre of a ball joint.
    pub anchor: Vector,
    /// The coordinate at which the link is where its placement says. Single coordinates only.
    pub reference: f64,
    /// Bounds of the coordinate. Single coordinates only.
    pub limits: Option<[f64; 2]>,
    /// Inertia of the drive, added to the diagonal of the mass matrix.
    pub armature: f64,
    /// Viscous damping, N s/m or N m s/rad.
    pub damping: f64,
    /// Dry friction, N or N m.
    pub dry_friction: f64,
    /// A spring, where there is one.
    pub spring: Option<Spring>,
    /// Configuration at home; by default the reference, or zero, or no rotation.
    pub home: Option<Vec<f64>>,
    /// The joint it follows, where it does.
    pub mimic: Option<Mimic>,
}

impl Joint {
    /// A joint of a kind, about or along z through the link's origin, with nothing else to it.
    pub fn new(name: impl Into<String>, kind: JointKind) -> Self {
        Self {
            name: name.into(),
            kind,
            axis: Vector::new(0.0, 0.0, 1.0),
            anchor: Vector::ZERO,
            reference: 0.0,
            limits: None,
            armature: 0.0,
            damping: 0.0,
            dry_friction: 0.0,
            spring: None,
            home: None,
            mimic: None,
        }
    }

    /// With another axis.
    pub fn along(mut self, axis: impl Into<Vector>) -> Self {
        self.axis = axis.into();
        self
    }

    /// With another anchor.
    pub fn through(mut self, anchor: impl Into<Vector>) -> Self {
        self.anchor = anchor.into();
        self
    }
}
