//! Spatial motion and force vectors (twists and wrenches) at the origin of some frame.

use super::{Inertia, Placement, Rotation, Symmetric, Vector};

/// The velocity of a rigid body: the velocity of its point at the origin, and its angular velocity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Twist {
    pub(crate) linear: Vector,
    pub(crate) angular: Vector,
}

/// A force through the origin and a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Wrench {
    pub(crate) force: Vector,
    pub(crate) moment: Vector,
}

impl Twist {
    pub(crate) const ZERO: Self = Self { linear: Vector::ZERO, angular: Vector::ZERO };

    /// Rotation about an axis through the origin.
    #[inline(always)]
    pub(crate) fn turning(axis: Vector) -> Self {
        Self { linear: Vector::ZERO, angular: axis }
    }

    /// Translation along an axis.
    #[inline(always)]
    pub(crate) fn sliding(axis: Vector) -> Self {
        Self { linear: axis, angular: Vector::ZERO }
    }

    #[inline(always)]
    pub(crate) fn plus(&self, factor: f64, other: &Self) -> Self {
        Self { linear: self.linear.plus(factor, other.linear), angular: self.angular.plus(factor, other.angular) }
    }

    /// Power of a wrench in this motion.
    #[inline(always)]
    pub(crate) fn dot(&self, wrench: &Wrench) -> f64 {
        self.linear.dot(wrench.force) + self.angular.dot(wrench.moment)
    }

    /// Velocity of the body's point at p.
    #[inline(always)]
    pub(crate) fn at(&self, p: Vector) -> Vector {
        self.linear + self.angular.cross(p)
    }

    /// The same motion, expressed at an origin at p.
    #[inline(always)]
    pub(crate) fn from(&self, p: Vector) -> Self {
        Self { linear: self.at(p), angular: self.angular }
    }

    /// Rate of a motion fixed to a body that moves with this velocity.
    #[inline(always)]
    pub(crate) fn cross(&self, motion: &Self) -> Self {
        Self {
            linear: self.angular.cross(motion.linear) + self.linear.cross(motion.angular),
            angular: self.angular.cross(motion.angular),
        }
    }

    /// Rate of a wrench fixed to a body that moves with this velocity.
    #[inline(always)]
    pub(crate) fn cross_wrench(&self, wrench: &Wrench) -> Wrench {
        Wrench {
            force: self.angular.cross(wrench.force),
            moment: self.angular.cross(wrench.moment) + self.linear.cross(wrench.force),
        }
    }
}

impl Wrench {
    pub(crate) const ZERO: Self = Self { force: Vector::ZERO, moment: Vector::ZERO };

    /// A force that acts at a point.
    #[inline(always)]
    pub(crate) fn force_at(force: Vector, point: Vector) -> Self {
        Self { force, moment: point.cross(force) }
    }

    /// The same wrench, expressed at an origin relative to which the present one is at p.
    #[inline(always)]
    pub(crate) fn moved(&self, p: Vector) -> Self {
        Self { force: self.force, moment: self.moment + p.cross(self.force) }
    }

    #[inline(always)]
    pub(crate) fn plus(&self, factor: f64, other: &Self) -> Self {
        Self { force: self.force.plus(factor, other.force), moment: self.moment.plus(factor, other.moment) }
    }
}

/// The inertia of a rigid body about the origin of its frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BodyInertia {
    pub(crate) mass: f64,
    /// m c.
    pub(crate) first: Vector,
    /// About the origin.
    pub(crate) second: Symmetric,
}

impl BodyInertia {
    pub(crate) const ZERO: Self = Self { mass: 0.0, first: Vector::ZERO, second: Symmetric::ZERO };

    /// The inertia of a body about the origin of its own frame.
    pub(crate) fn of(inertia: &Inertia) -> Self {
        let Inertia { mass, center, rotational } = *inertia;
        Self { mass, first: mass * center, second: rotational.plus(1.0, &Symmetric::of_point(mass, center)) }
    }

    /// The inertia in rotated axes.
    #[inline(always)]
    pub(crate) fn rotated(&self, rotation: &Rotation) -> Self {
        Self { mass: self.mass, first: rotation.apply(self.first), second: self.second.rotated(rotation) }
    }

    /// The inertia about an origin relative to which the present one is at p.
    #[inline(always)]
    pub(crate) fn moved(&self, p: Vector) -> Self {
        // ∫ |r+p|² 1 - (r+p)(r+p)ᵀ adds p·(h+g) 1 - p gᵀ - h pᵀ, where h and g are the first moments about the old and the new origin.
        let (h, g) = (self.first, self.first.plus(self.mass, p));
        let (ps, gs, diagonal) = (p.to_array(), g.to_array(), p.dot(h + g));
        let (mut second, axes) = (self.second, Rotation::IDENTITY.columns);
        for k in 0..3 {
            second.columns[k] = second.columns[k].plus(diagonal, axes[k]).plus(-gs[k], p).plus(-ps[k], h);
        }
        Self { mass: self.mass, first: g, second }
    }

    /// Momentum of a motion.
    #[inline(always)]
    pub(crate) fn apply(&self, twist: &Twist) -> Wrench {
        Wrench {
            force: self.mass * twist.linear + twist.angular.cross(self.first),
            moment: self.second.apply(twist.angular) + self.first.cross(twist.linear),
        }
    }

    #[inline(always)]
    pub(crate) fn add(&mut self, other: &Self) {
        self.mass += other.mass;
        self.first += other.first;
        self.second = self.second.plus(1.0, &other.second);
    }
}

impl Placement {
    /// The displacement of a body that moves for unit time with a constant twist, given in the body's frame.
    pub fn exp(linear: Vector, angular: Vector) -> Self {
        let (a, b) = screw_coefficients(angular.norm());
        let turned = angular.cross(linear);
        let translation = linear.plus(a, turned).plus(b, angular.cross(turned));
        Self { rotation: super::Quaternion::exp(angular).to_rotation(), translation }
    }
}

/// (1 - cos θ)/θ² and (θ - sin θ)/θ³, by their series where the quotients would lose digits.
pub(crate) fn screw_coefficients(theta: f64) -> (f64, f64) {
    let square = theta * theta;
    if theta < 0.05 {
        // Next terms: θ⁸/10! and θ⁸/11! of order one, below rounding here.
        let a = 0.5 - square / 24.0 * (1.0 - square / 30.0 * (1.0 - square / 56.0));
        let b = 1.0 / 6.0 - square / 120.0 * (1.0 - square / 42.0 * (1.0 - square / 72.0));
        (a, b)
    } else {
        let half = (0.5 * theta).sin();
        (2.0 * half * half / square, (theta - theta.sin()) / (square * theta))
    }
}
