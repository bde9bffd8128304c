//! Joint limits as contacts of one row, without friction.

use crate::model::Model;

/// The side of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LimitSide {
    /// A lower bound of the coordinate.
    Lower,
    /// An upper bound of the coordinate.
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

/// One limit of a joint: its gap is the distance of the coordinate from the bound, its row of A has one entry.
///
/// The coordinate of a joint that follows another is multiplier · leader + offset; otherwise it is an entry of the
/// configuration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointLimit {
    /// The joint's index in [`Model::joints`].
    pub joint: usize,
    /// The side.
    pub side: LimitSide,
    /// The index of its coordinate, or its leader's, in the configuration.
    pub coordinate: usize,
    /// The index of its rate, or its leader's, in the velocity.
    pub velocity: usize,
    /// Factor on the leader's coordinate; 1 for a joint that follows no other.
    pub multiplier: f64,
    /// Added to the product; 0 for a joint that follows no other.
    pub offset: f64,
    /// The bound of the joint's own coordinate, m or rad.
    pub bound: f64,
}

impl JointLimit {
    /// Distance of the coordinate from the bound; negative beyond it.
    ///
    /// # Panics
    /// If the configuration is too short.
    pub fn gap(&self, configuration: &[f64]) -> f64 {
        self.side.sign() * (self.multiplier * configuration[self.coordinate] + self.offset - self.bound)
    }

    /// The only nonzero entry of its row of A, at [`JointLimit::velocity`]: 1 or -1, times the multiplier.
    pub fn entry(&self) -> f64 {
        self.side.sign() * self.multiplier
    }

    /// The gap's rate.
    ///
    /// # Panics
    /// If the velocity is too short.
    pub fn rate(&self, velocity: &[f64]) -> f64 {
        self.entry() * velocity[self.velocity]
    }
}

/// All joint limits of a model that can be reached, that is, with finite bounds and a nonzero multiplier, in the order
/// of the joints, the lower limit first.
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
