//! The joint that makes a robot stiff: a damper or spring acting on little mass forces an explicit method to short
//! steps.

use std::fmt;

use crate::number::significant;

/// The method is stable up to about this multiple of a damper's time constant.
const STABLE: f64 = 6.0;
/// Evaluations per step.
const STAGES: f64 = 12.0;
/// Estimated number of evaluations above which a stiff joint is reported before the run.
const MANY: f64 = 1e5;

/// The joint whose damper or spring is fastest in the initial state, with all other joints free.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Stiffness {
    /// The joint.
    pub joint: String,
    /// The larger of d (M⁻¹)ᵢᵢ and √(k (M⁻¹)ᵢᵢ), 1/s.
    pub rate: f64,
}

impl Stiffness {
    /// Approximate lower bound on the evaluations that this joint causes in a run of this length.
    pub fn evaluations(&self, seconds: f64) -> f64 {
        STAGES / STABLE * self.rate * seconds
    }

    /// The warning before a run of this length, if the joint is stiff enough to matter.
    pub(crate) fn warning(&self, seconds: f64) -> Option<String> {
        let evaluations = self.evaluations(seconds);
        (evaluations > MANY).then(|| format!("stiff: {self}: about {} evaluations", significant(evaluations, 2)))
    }
}

impl fmt::Display for Stiffness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = significant(1.0 / self.rate, 2);
        write!(
            f,
            "the damper or spring of joint {:?} has a time constant of {time} s, which limits the step size",
            self.joint
        )
    }
}
