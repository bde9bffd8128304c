//! Features of a link that touch (a point, a ball, the rim of a disc, an ellipsoid), and how the touching point moves
//! on them.

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
    /// An ellipsoid: the touching point is its lowest point along the normal.
    Ellipsoid,
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
    Ellipsoid {
        /// The half axes as vectors c₁, c₂, c₃ in the axes of the node that carries it, lengths included: S = Σ c cᵀ.
        axes: [Vector; 3],
    },
}

impl Feature {
    pub(crate) fn kind(&self) -> ContactKind {
        match self {
            Feature::Point => ContactKind::Point,
            Feature::Ball { .. } => ContactKind::Ball,
            Feature::Rim { .. } => ContactKind::Rim,
            Feature::Ellipsoid { .. } => ContactKind::Ellipsoid,
        }
    }

    pub(crate) fn radius(&self) -> f64 {
        match *self {
            Feature::Point | Feature::Ellipsoid { .. } => 0.0,
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
            Feature::Ellipsoid { axes } => Support::new(normal, rotation, axes).reach,
        }
    }

    /// Depth of the touching point below the centre, -n·ρ; for a flat rim its limit.
    #[inline(always)]
    pub(crate) fn depth(&self, normal: Vector, rotation: &Rotation) -> f64 {
        match *self {
            Feature::Point => 0.0,
            Feature::Ball { radius } => radius,
            Feature::Rim { radius, axis } => radius * Lean::new(normal, rotation.apply(axis)).sine,
            Feature::Ellipsoid { axes } => Support::new(normal, rotation, axes).depth,
        }
    }

    /// [`reach`](Self::reach) and [`depth`](Self::depth) together.
    #[inline(always)]
    pub(crate) fn reach_and_depth(&self, normal: Vector, rotation: &Rotation) -> (Vector, f64) {
        match self {
            Feature::Point => (Vector::ZERO, 0.0),
            Feature::Ball { radius } => ((-radius) * normal, *radius),
            Feature::Rim { .. } => (self.reach(normal, rotation), self.depth(normal, rotation)),
            Feature::Ellipsoid { axes } => {
                let support = Support::new(normal, rotation, *axes);
                (support.reach, support.depth)
            }
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
            Feature::Ellipsoid { axes } => Support::new(normal, rotation, axes).reach_rate(normal, angular),
        }
    }

    /// Sine of the angle between a rim's axis and the normal.
    #[inline(always)]
    pub(crate) fn sine(&self, normal: Vector, rotation: &Rotation) -> Option<f64> {
        match *self {
            Feature::Point | Feature::Ball { .. } | Feature::Ellipsoid { .. } => None,
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
            Feature::Ball { .. } | Feature::Rim { .. } | Feature::Ellipsoid { .. } => {
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

/// The lowest point of an ellipsoid, S = Σ c cᵀ, c its half axes in world axes.
struct Support {
    axes: [Vector; 3],
    /// h = sqrt(n·S n) = |(c₁·n, c₂·n, c₃·n)|: a sum of squares, so no digits of a thin ellipsoid are lost.
    depth: f64,
    /// ρ = -S n/h; zero if h is zero, for a flat ellipsoid that lies on the surface.
    reach: Vector,
}

impl Support {
    // Not inlined, so that loops over points stay small.
    #[inline(never)]
    fn new(normal: Vector, rotation: &Rotation, axes: [Vector; 3]) -> Self {
        let axes = axes.map(|axis| rotation.apply(axis));
        let heights = axes.map(|axis| axis.dot(normal));
        let largest = heights.iter().fold(0.0, |most: f64, height| most.max(height.abs()));
        if largest == 0.0 {
            return Self { axes, depth: 0.0, reach: Vector::ZERO };
        }
        // Scaled, so that no square over- or underflows.
        let [a, b, c] = heights.map(|height| height / largest);
        let norm = (a * a + b * b + c * c).sqrt();
        let sum = (a * axes[0]).plus(b, axes[1]).plus(c, axes[2]);
        Self { axes, depth: largest * norm, reach: (-1.0 / norm) * sum }
    }

    /// dρ/dt = ω × ρ + B (ω × n) with B = (S - ρ ρᵀ)/h: turned with the body, and moved over it as the normal turns in
    /// the body's axes. B n = 0, and its other eigenvalues are the radii of curvature.
    #[inline(never)]
    fn reach_rate(&self, normal: Vector, angular: Vector) -> Vector {
        let turned = angular.cross(self.reach);
        if self.depth == 0.0 {
            return turned;
        }
        let rate = angular.cross(normal);
        let [a, b, c] = self.axes.map(|axis| axis.dot(rate));
        let moved = (a * self.axes[0]).plus(b, self.axes[1]).plus(c, self.axes[2]);
        turned.plus(1.0 / self.depth, moved.plus(-self.reach.dot(rate), self.reach))
    }
}
