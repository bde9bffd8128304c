//! Joints as given by the user.

use crate::Vector;

/// The motion that a joint allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JointKind {
    /// No motion.
    Fixed,
    /// Rotation about an axis.
    Revolute,
    /// Rotation about an axis without limits.
    Continuous,
    /// Translation along an axis.
    Prismatic,
    /// Translation in the plane normal to an axis and rotation about the axis: coordinates (x, y, angle); the velocities are their
    /// rates. For the axis z these are the link's x and y; for another axis see [`Joint::axis`].
    Planar,
    /// Rotation about a point: the coordinates are a unit quaternion (w, x, y, z), the velocity is ω in the link's axes.
    Ball,
    /// Free motion: the coordinates are a position and a unit quaternion (x, y, z, qw, qx, qy, qz), the velocity
    /// is that of the link's origin and ω, both in the link's axes.
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

    /// Number of its coordinates.
    pub fn nq(self) -> usize {
        match self {
            JointKind::Fixed => 0,
            JointKind::Revolute | JointKind::Continuous | JointKind::Prismatic => 1,
            JointKind::Planar => 3,
            JointKind::Ball => 4,
            JointKind::Floating => 7,
        }
    }

    /// Number of its velocities: its degrees of freedom.
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

    /// Whether it has a single coordinate, which may follow that of another joint.
    pub fn is_single(self) -> bool {
        self.nq() == 1
    }
}

/// A coordinate that follows another: multiplier · leader + offset.
#[derive(Debug, Clone, PartialEq)]
pub struct Mimic {
    /// The name of the joint that is followed.
    pub leader: String,
    /// Factor on the leader's coordinate.
    pub multiplier: f64,
    /// Added to the product.
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

/// A joint of a link, as given to the builder.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// Unique among the model's joints.
    pub name: String,
    /// The motion that it allows.
    pub kind: JointKind,
    /// Direction in the link's axes, of any nonzero length; ignored by kinds without an axis.
    ///
    /// The plane of a planar joint is spanned by x', the coordinate axis least aligned with the axis (ties: x, y, z)
    /// projected into the plane, and y' = axis × x'.
    pub axis: Vector,
    /// A point of the link on the axis, or the centre of a ball joint.
    pub anchor: Vector,
    /// The coordinate at which the link is at its placement. Only for joints with a single coordinate.
    pub reference: f64,
    /// Lower and upper bound of the coordinate. Only for joints with a single coordinate.
    pub limits: Option<[f64; 2]>,
    /// Inertia of the drive, added to the diagonal of the mass matrix.
    pub armature: f64,
    /// Viscous damping, N s/m or N m s/rad.
    pub damping: f64,
    /// Dry friction, N or N m.
    pub dry_friction: f64,
    /// A spring, if there is one.
    pub spring: Option<Spring>,
    /// Home configuration; by default the reference, zero, or no rotation.
    pub home: Option<Vec<f64>>,
    /// The joint that it mimics, if any.
    pub mimic: Option<Mimic>,
}

impl Joint {
    /// A joint about or along the z axis through the link's origin, with default properties.
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

    /// Sets the axis.
    pub fn along(mut self, axis: impl Into<Vector>) -> Self {
        self.axis = axis.into();
        self
    }

    /// Sets the anchor.
    pub fn through(mut self, anchor: impl Into<Vector>) -> Self {
        self.anchor = anchor.into();
        self
    }
}
