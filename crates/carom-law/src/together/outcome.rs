//! The answer to a simultaneous impact, as data: the words are those of [`Outcome`](crate::Outcome).

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

use crate::contact::coefficients::Friction;
use crate::contact::vector::ContactVector;
use crate::coulomb::SimultaneousStage;
use crate::impact::guard::Guard;
use crate::impact::mode::Mode;
use crate::impact::outcome::{BeforeAfter, Energy, Law, RestitutionValues};

/// What an impact of several contacts does.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct SimultaneousOutcome {
    /// Each contact's share, in the order of the problem.
    pub contacts: Vec<ContactOutcome>,
    /// `q̇⁺`; only for problems given by `(M, A, v)`.
    pub velocity: Option<Vec<f64>>,
    /// The whole system's.
    pub energy: Energy,
    /// Whether the law's own answer creates no energy. (The answer of a guard never does.)
    pub admissible: bool,
    /// What the guard did.
    pub guard: SimultaneousGuard,
    /// Whether every contact sticks that could, the others doing what they do.
    pub strong: bool,
    /// How far the impulses are from satisfying the law, as a velocity over the largest speed: the certificate.
    pub residual: f64,
    /// An estimate of the condition number of `M`; only for problems given by `(M, A, v)`.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub condition: Option<f64>,
    /// How many certified answers were found for the contacts that strike first. The one given lets contacts that are alike
    /// do alike if one does, then lets every contact stick that could, then dissipates most.
    pub solutions: u32,
    /// Whether all combinations of modes were tried.
    pub search: AnswerSearch,
    /// How many impacts followed each other at the instant; more than one where a separating contact was made
    /// to approach. 0 if no contact approaches.
    pub sequence: u32,
    /// Whether they were so many and had become so slow that the last ones were taken without restitution: a rattle with no
    /// last impact of its own.
    pub settled: bool,
    /// What it took.
    pub effort: SimultaneousEffort,
    /// The law.
    pub law: Law,
}

/// How answers were looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum AnswerSearch {
    /// Every combination of modes was tried, and each has one answer at most.
    #[default]
    Exhaustive,
    /// From contacts that all stick and from contacts that all slide; or combinations of modes have answers of more than one
    /// distribution of impulses. There may be other answers.
    Sampled,
}

/// One contact's share of a simultaneous impact.
///
/// Where impacts follow each other, impulse and energy are sums, the velocities are those before the first and after
/// the last, and mode, direction and restitution those of the last one in which the contact took part.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct ContactOutcome {
    /// What it does; separating is a contact without an impulse, be it that the others drive it away.
    pub mode: Mode,
    /// `i`, normal first.
    pub impulse: ContactVector,
    /// `v_c⁻` and `v_c⁺`.
    pub contact_velocity: BeforeAfter,
    /// `u`; slip only.
    pub direction: Option<ContactVector>,
    /// The work of its impulse.
    pub energy: ContactEnergy,
    /// The coefficients of restitution asked for.
    pub restitution: RestitutionValues,
    /// The normal restitution that the answer obeys.
    pub restitution_used: f64,
    /// The coefficients of friction asked for.
    pub friction: Option<Friction>,
    /// 1, 2 or 3.
    pub contact_dimension: u8,
}

/// The work of an impulse, `v̄ · i`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct ContactEnergy {
    /// The sum.
    pub change: f64,
    /// `v̄_n i_n`.
    pub normal: f64,
    /// `v̄_t · i_t`.
    pub tangential: f64,
}

/// What the guard did.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct SimultaneousGuard {
    /// Which guard was asked for.
    pub name: Guard,
    /// Whether it replaced the law's answer.
    pub acted: bool,
    /// Whether the backstop was needed: a blend with the plastic impact without stick. A blend creates no energy, does not
    /// penetrate and respects the static cones, but it is no answer of the law; modes are those of the answer blended.
    pub blended: bool,
    /// The least factor that the restitutions were scaled by; 1 where the guard left them.
    pub restitution_factor: f64,
    /// The law's own answer, if it was replaced and exists to the end.
    pub unguarded: Option<SimultaneousUnguarded>,
}

/// The law's own answer, in short.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct SimultaneousUnguarded {
    /// Each contact's mode.
    pub modes: Vec<Mode>,
    /// Its `v̄ · i`.
    pub energy_change: f64,
}

/// What an answer took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct SimultaneousEffort {
    /// The last resort that was needed.
    pub stage: SimultaneousStage,
    /// Coulomb problems solved.
    pub solves: u32,
    /// Sweeps over the contacts.
    pub sweeps: u32,
    /// Steps of Newton's method.
    pub newton_steps: u32,
}

impl SimultaneousEffort {
    /// One contact alone: the law itself.
    pub(crate) const LAW: Self = Self { stage: SimultaneousStage::Sweeps, solves: 1, sweeps: 0, newton_steps: 0 };

    pub(crate) fn add(&mut self, other: &Self) {
        self.stage = self.stage.max(other.stage);
        self.solves += other.solves;
        self.sweeps += other.sweeps;
        self.newton_steps += other.newton_steps;
    }
}
