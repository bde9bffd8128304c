//! The answer of one law to an impact, and the conditions that it satisfies.

use carom_law::{Claims, Law, Mode, Outcome};
use serde::Serialize;

/// Relative violation of the friction cone (over the impulse) and of Newton's restitution (over the approach) that still
/// counts as satisfied. Exact laws are within rounding; a compliant contact is integrated to this accuracy.
const OBEYED: f64 = 1e-7;

/// The answer of one law.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LawAnswer {
    /// The law.
    pub law: Law,
    /// The properties it claims for all impacts.
    #[serde(skip)]
    pub claims: Claims,
    /// Its answer, or the reason why it has none.
    #[serde(flatten)]
    pub answer: Answered,
}

/// An answer, or the reason why there is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Answered {
    /// The law has an answer.
    Yes(Box<Verdict>),
    /// The law has no answer to this impact.
    No {
        /// The reason.
        error: String,
    },
}

/// An answer, and the conditions that it satisfies.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// The mode of the contact.
    pub mode: Mode,
    /// The modes during compression and restitution, for laws that follow the impact's path.
    pub phases: Option<Box<str>>,
    /// The impulse, normal first.
    pub impulse: Vec<f64>,
    /// The contact velocity after the impact.
    pub contact_velocity: Vec<f64>,
    /// The generalized velocity after the impact; `None` in contact space.
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
