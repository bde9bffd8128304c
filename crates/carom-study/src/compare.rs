//! All laws on the same impact, side by side.

use carom_law::{Claims, Guard, Law, Mode, Outcome};
use serde::Serialize;

use super::impulse::{DiagramError, ImpulseSpace};
use carom_scene::{Problem, ProblemError};

/// How far an impulse may leave the cone, and a velocity Newton's restitution, to count as obeying: relative to the
/// impulse and to the approach. Exact laws are within roundings; a compliant contact comes to its answer by
/// integration, to this accuracy.
const OBEYED: f64 = 1e-7;

/// What every law makes of one impact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The contact velocity before the impact.
    pub contact_velocity: Vec<f64>,
    /// `K⁻`, where the problem knows it.
    pub energy_before: Option<f64>,
    /// The coefficients asked for.
    pub restitution: f64,
    /// `μ_s` and `μ_d`; `None` for a contact without friction.
    pub friction: Option<[f64; 2]>,
    /// One entry a law, in the order of [`Law::ALL`].
    pub laws: Vec<LawAnswer>,
    /// Where the answers lie among all impulses; `None` for a contact without friction, and for one that separates.
    pub impulse_space: Option<ImpulseSpace>,
}

/// What one law makes of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
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

impl Comparison {
    /// Asks every law about a problem. The problem's own law and guard do not count.
    ///
    /// # Errors
    /// What every law would refuse: a problem that cannot be solved at all.
    pub fn new(problem: &Problem) -> Result<Self, ProblemError> {
        let problem = problem.with_guard(Guard::Report);
        let own = problem.with_law(Law::Aghili).solve()?;
        let contact = problem.contact()?;
        let answers = Law::ALL.into_iter().map(|law| {
            let answer = match problem.with_law(law).solve() {
                Ok(outcome) => Answered::Yes(Box::new(Verdict::of(&outcome))),
                Err(error) => Answered::No { error: error.message },
            };
            LawAnswer { law, claims: law.claims(), answer }
        });
        let laws: Vec<LawAnswer> = answers.collect();
        Ok(Self {
            impulse_space: ImpulseSpace::new(&contact, &own, &laws),
            contact_velocity: own.contact_velocity.before.to_vec(),
            energy_before: own.energy.before,
            restitution: own.restitution.normal,
            friction: own.friction.map(|friction| [friction.mu_s(), friction.mu_d()]),
            laws,
        })
    }

    /// The impulse space, or why there is none to draw.
    ///
    /// # Errors
    /// A contact of dimension 1, or one that separates.
    pub fn diagram(&self) -> Result<&ImpulseSpace, DiagramError> {
        self.impulse_space.as_ref().ok_or_else(|| match self.contact_velocity[..] {
            [_] => DiagramError::Frictionless,
            _ => DiagramError::Separating { normal_velocity: self.contact_velocity[0] },
        })
    }
}

impl Verdict {
    fn of(outcome: &Outcome) -> Self {
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
