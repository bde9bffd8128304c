//! Comparison of all laws on the same impact.

use carom_law::{Guard, Law};
use carom_scene::{Problem, ProblemError};
use serde::Serialize;

use crate::answered::{Answered, LawAnswer, Verdict};
use crate::error::DiagramError;
use crate::impulse::ImpulseSpace;

/// The answers of all laws to one impact.
///
/// ```
/// use carom_study::{Answered, Comparison};
///
/// let comparison = Comparison::new(&carom_scene::gallery::impact("kane")?)?;
/// let creates = |answer: &Answered| matches!(answer, Answered::Yes(verdict) if verdict.energy_change > 1e-9);
/// let creating: Vec<&str> =
///     comparison.laws.iter().filter(|one| creates(&one.answer)).map(|one| one.law.name()).collect();
/// assert!(creating.contains(&"newton") && !creating.contains(&"poisson"));
/// # Ok::<(), carom_scene::ProblemError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Comparison {
    /// The contact velocity before the impact.
    pub contact_velocity: Vec<f64>,
    /// `K⁻`, if the problem determines it.
    pub energy_before: Option<f64>,
    /// The given coefficient of restitution.
    pub restitution: f64,
    /// `μ_s` and `μ_d`; `None` for a contact without friction.
    pub friction: Option<[f64; 2]>,
    /// One entry per law, in the order of [`Law::ALL`].
    pub laws: Vec<LawAnswer>,
    /// The geometry of the impulses; `None` for a contact without friction, and for one that separates.
    pub impulse_space: Option<ImpulseSpace>,
}

impl Comparison {
    /// Solves a problem with every law. The problem's own law and guard are ignored; a kind of restitution applies to
    /// the law `chord` only.
    ///
    /// # Errors
    /// The problem is invalid for every law.
    pub fn new(problem: &Problem) -> Result<Self, ProblemError> {
        let problem = problem.with_guard(Guard::Report);
        let plain = problem.without_restitution_kind();
        let own = plain.with_law(Law::Aghili).solve()?;
        let contact = problem.contact()?;
        let answers = Law::ALL.into_iter().map(|law| {
            let asked = if law == Law::Chord { &problem } else { &plain };
            let answer = match asked.with_law(law).solve() {
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

    /// The impulse space, or the reason why there is none.
    ///
    /// # Errors
    /// The contact has dimension 1, or separates.
    pub fn diagram(&self) -> Result<&ImpulseSpace, DiagramError> {
        self.impulse_space.as_ref().ok_or_else(|| match self.contact_velocity[..] {
            [_] => DiagramError::Frictionless,
            _ => DiagramError::Separating { normal_velocity: self.contact_velocity[0] },
        })
    }
}
