//! Which joint makes a robot stiff: dampers and springs on little mass, which an explicit method follows in short steps.

use std::fmt;

use crate::number::significant;

/// Steps of the method are stable up to about this part of the time in which a damper acts.
const STABLE: f64 = 6.0;
/// Evaluations of a step.
const STAGES: f64 = 12.0;
/// A run that needs more evaluations than this for a stiff joint alone is told beforehand.
const MANY: f64 = 1e5;

/// The joint whose damper or spring acts fastest, at the start, all other joints free.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Stiffness {
    /// The joint.
    pub joint: String,
    /// The larger of d (M⁻¹)ᵢᵢ and √(k (M⁻¹)ᵢᵢ), 1/s.
    pub rate: f64,
}

impl Stiffness {
    /// About how many evaluations a run of this length takes at least, because of this joint.
    pub fn evaluations(&self, seconds: f64) -> f64 {
        STAGES / STABLE * self.rate * seconds
    }

    /// What to tell before a run of this length, if it matters.
    pub(crate) fn warning(&self, seconds: f64) -> Option<String> {
        let evaluations = self.evaluations(seconds);
        (evaluations > MANY).then(|| format!("stiff: {self}: about {} evaluations", significant(evaluations, 2)))
    }
}

impl fmt::Display for Stiffness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = significant(1.0 / self.rate, 2);
        write!(f, "the damper or spring of joint {:?} acts within {time} s, and steps are as short", self.joint)
    }
}
