//! Limits of joints as contacts of one row, without friction.

use crate::model::Model;

/// Which limit of a joint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LimitSide {
    /// The coordinate may not be less.
    Lower,
    /// The coordinate may not be more.
    Upper,
}

impl LimitSide {
    fn sign(self) -> f64 {
        match self {
            LimitSide::Lower => 1.0,
            LimitSide::Upper => -1.0,
        }
    }
}

/// One limit of a joint: its gap is how far the coordinate is from the bound, its row of A has one entry.
///
/// The coordinate of a joint that follows another is multiplier · leader + offset; of others it is the configuration's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointLimit {
    /// The joint's place in [`Model::joints`].
    pub joint: usize,
    /// Which of its limits.
    pub side: LimitSide,
    /// The place of its coordinate, or its leader's, in the configuration.
    pub coordinate: usize,
    /// The place of its rate, or its leader's, in the velocity.
    pub velocity: usize,
    /// Factor on the leader's coordinate; 1 for a joint that follows nobody.
    pub multiplier: f64,
    /// Added to it; 0 for a joint that follows nobody.
    pub offset: f64,
    /// The bound of the joint's own coordinate, m or rad.
    pub bound: f64,
}

impl JointLimit {
    /// How far the coordinate is from the bound; negative beyond it.
    ///
    /// # Panics
    /// A configuration that does not have the coordinate.
    pub fn gap(&self, configuration: &[f64]) -> f64 {
        self.side.sign() * (self.multiplier * configuration[self.coordinate] + self.offset - self.bound)
    }

    /// The one entry of its row of A, at [`JointLimit::velocity`]: 1 or -1, times the multiplier.
    pub fn entry(&self) -> f64 {
        self.side.sign() * self.multiplier
    }

    /// The gap's rate.
    ///
    /// # Panics
    /// A velocity that does not have the joint's.
    pub fn rate(&self, velocity: &[f64]) -> f64 {
        self.entry() * velocity[self.velocity]
    }
}

/// All limits of a model's joints that can be reached: finite bounds, and not of a joint that follows with the factor
/// zero. In the order of the joints, the lower one first.
pub fn joint_limits(model: &Model) -> Vec<JointLimit> {
    let mut limits = Vec::new();
    for node in &model.tree.nodes {
        let stated = &model.joints()[node.joint].joint;
        let Some([lower, upper]) = stated.limits.filter(|_| stated.kind.is_single() && node.multiplier != 0.0) else {
            continue;
        };
        for (side, bound) in [(LimitSide::Lower, lower), (LimitSide::Upper, upper)] {
            if bound.is_finite() {
                limits.push(JointLimit {
                    joint: node.joint,
                    side,
                    coordinate: node.q,
                    velocity: node.v,
                    multiplier: node.multiplier,
                    offset: node.coordinate_offset,
                    bound,
                });
            }
        }
    }
    limits
}
