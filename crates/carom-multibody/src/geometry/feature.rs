//! Features of a link that touch: a point, a ball, or the rim of a disc; and how the touching point moves on them.

use crate::error::FLAT;
use crate::spatial::Twist;
use crate::{Rotation, Vector};

/// The kinds of features that touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ContactKind {
    /// A point fixed to the link.
    Point,
    /// A ball: the touching point is centre - radius · normal.
    Ball,
    /// A circle: the touching point is its lowest point along the normal.
    Rim,
}

/// The feature that touches, relative to its centre on the link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Feature {
    Point,
    Ball {
        radius: f64,
    },
    Rim {
        radius: f64,
        /// Unit vector in the axes of the node that carries it.
        axis: Vector,
    },
}

impl Feature {
    pub(crate) fn kind(&self) -> ContactKind {
        match self {
            Feature::Point => ContactKind::Point,
            Feature::Ball { .. } => ContactKind::Ball,
            Feature::Rim { .. } => ContactKind::Rim,
        }
    }

    pub(crate) fn radius(&self) -> f64 {
        match *self {
            Feature::Point => 0.0,
            Feature::Ball { radius } | Feature::Rim { radius, .. } => radius,
        }
    }

    /// Vector ρ from the centre to the touching point. For a flat rim it is zero.
    #[inline(always)]
    pub(crate) fn reach(&self, normal: Vector, rotation: &Rotation) -> Vector {
        match *self {
            Feature::Point => Vector::ZERO,
            Feature::Ball { radius } => (-radius) * normal,
            Feature::Rim { radius, axis } => {
                let lean = Lean::new(normal, rotation.apply(axis));
                if lean.sine < FLAT { Vector::ZERO } else { (-radius / lean.sine) * lean.across }
            }
        }
    }

    /// Depth of the touching point below the centre, -n·ρ; for a flat rim its limit.
    #[inline(always)]
    pub(crate) fn depth(&self, normal: Vector, rotation: &Rotation) -> f64 {
        match *self {
            Feature::Point => 0.0,
            Feature::Ball { radius } => radius,
            Feature::Rim { radius, axis } => radius * Lean::new(normal, rotation.apply(axis)).sine,
        }
    }

    /// [`reach`](Self::reach) and [`depth`](Self::depth) together.
    #[inline(always)]
    pub(crate) fn reach_and_depth(&self, normal: Vector, rotation: &Rotation) -> (Vector, f64) {
        match self {
            Feature::Point => (Vector::ZERO, 0.0),
            Feature::Ball { radius } => ((-radius) * normal, *radius),
            Feature::Rim { .. } => (self.reach(normal, rotation), self.depth(normal, rotation)),
        }
    }

    /// dρ/dt of the touching point itself, not of the material at that point.
    #[inline(always)]
    pub(crate) fn reach_rate(&self, normal: Vector, rotation: &Rotation, angular: Vector) -> Vector {
        match *self {
            Feature::Point | Feature::Ball { .. } => Vector::ZERO,
            Feature::Rim { radius, axis } => {
                let axis = rotation.apply(axis);
                let lean = Lean::new(normal, axis);
                if lean.sine < FLAT {
                    return Vector::ZERO;
                }
                // ρ = -r u, u = w/|w|, w = n - (n·a) a, da/dt = ω × a; only the part of dw/dt normal to u rotates u.
                let axis_rate = angular.cross(axis);
                let rate = (-normal.dot(axis_rate) * axis).plus(-normal.dot(axis), axis_rate);
                let u = (1.0 / lean.sine) * lean.across;
                (-radius / lean.sine) * rate.plus(-u.dot(rate), u)
            }
        }
    }

    /// Sine of the angle between a rim's axis and the normal.
    #[inline(always)]
    pub(crate) fn sine(&self, normal: Vector, rotation: &Rotation) -> Option<f64> {
        match *self {
            Feature::Point | Feature::Ball { .. } => None,
            Feature::Rim { axis, .. } => Some(Lean::new(normal, rotation.apply(axis)).sine),
        }
    }

    /// Acceleration of the contact at zero joint accelerations: d/dt of the velocity of the material at the touching
    /// point. `arm` points to the touching point.
    #[inline(always)]
    pub(crate) fn drift(
        &self,
        normal: Vector,
        rotation: &Rotation,
        arm: Vector,
        twist: &Twist,
        acceleration: &Twist,
    ) -> Vector {
        // For the centre c: the twist's rate and the motion of the centre. For ρ: α × ρ + ω × dρ/dt.
        let moving = match self {
            Feature::Point => twist.at(arm),
            Feature::Ball { .. } | Feature::Rim { .. } => {
                twist.at(arm - self.reach(normal, rotation)) + self.reach_rate(normal, rotation, twist.angular)
            }
        };
        acceleration.at(arm) + twist.angular.cross(moving)
    }
}

/// The inclination of a rim to the normal.
struct Lean {
    /// n - (n·a) a.
    across: Vector,
    /// Its length.
    sine: f64,
}

impl Lean {
    #[inline(always)]
    fn new(normal: Vector, axis: Vector) -> Self {
        let across = normal.plus(-normal.dot(axis), axis);
        Self { across, sine: across.dot(across).sqrt() }
    }
}
