//! What one law makes of an impact, and what its answer obeys.

use carom_law::{Claims, Law, Mode, Outcome};
use serde::Serialize;

/// How far an impulse may leave the cone, and a velocity Newton's restitution, to count as obeying: relative to the
/// impulse and to the approach. Exact laws are within roundings; a compliant contact comes to its answer by
/// integration, to this accuracy.
const OBEYED: f64 = 1e-7;

/// What one law makes of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LawAnswer {
    /// The law.
    pub law: Law,
    /// What it claims of all impacts.
    #[serde(skip)]
    pub claims: Claims,
    /// Its answer, or why it has none.
    #[serde(flatten)]
    pub answer: Answered,
}

/// An answer, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Answered {
    /// The law answers.
    Yes(Box<Verdict>),
    /// The law has no answer to this impact.
    No {
        /// Why.
        error: String,
    },
}

/// An answer, and what it obeys.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Verdict {
    /// What the contact does.
    pub mode: Mode,
    /// What it does in compression and in restitution, of laws that follow it.
    pub phases: Option<Box<str>>,
    /// The impulse, normal first.
    pub impulse: Vec<f64>,
    /// The contact velocity after.
    pub contact_velocity: Vec<f64>,
    /// The generalized velocity after; `None` in contact space.
    pub velocity: Option<Vec<f64>>,
    /// `v̄·i`.
    pub energy_change: f64,
    /// Whether the impulse pushes and lies in the cone of `μ_s`.
    pub obeys_cone: bool,
    /// Whether `v_n⁺ = -e v_n⁻`.
    pub obeys_restitution: bool,
}

impl Verdict {
    pub(crate) fn of(outcome: &Outcome) -> Self {
        let (before, after) = (&outcome.contact_velocity.before, &outcome.contact_velocity.after);
        let tangential = outcome.impulse[1..].iter().fold(0.0, |sum: f64, part| sum.hypot(*part));
        let mu = outcome.friction.map_or(0.0, |friction| friction.mu_s());
        let slack = OBEYED * outcome.impulse[0].hypot(tangential);
        let separates = outcome.mode == Mode::Separating;
        let restored = after[0] + outcome.restitution.normal * before[0];
        Self {
            mode: outcome.mode,
            phases: outcome.phases.clone(),
            impulse: outcome.impulse.to_vec(),
            contact_velocity: after.to_vec(),
            velocity: outcome.velocity.clone(),
            energy_change: outcome.energy.change,
            obeys_cone: outcome.impulse[0] >= -slack && tangential <= mu * outcome.impulse[0] + slack,
            obeys_restitution: separates || restored.abs() <= OBEYED * before[0].abs(),
        }
    }
}
