//! The outcome of an impact as data, with the same fields in Rust, JSON and all other formats.

use arrayvec::ArrayVec;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

use crate::contact::coefficients::{Friction, RestitutionKind};
use crate::contact::vector::ContactVector;
use crate::impact::guard::Guard;
use crate::impact::mode::Mode;
use crate::numeric::tolerance::ROUNDING;

/// The outcome of an impact. `discriminator`, the critical coefficients, `printed`, the limits, `admissible` and
/// `violations` describe the problem; `mode`, `impulse`, the velocities and `energy` describe the solution after the
/// guard. The problem is assessed by Aghili's criterion, whatever the law.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[non_exhaustive]
pub struct Outcome {
    /// Mode of the contact.
    pub mode: Mode,
    /// `i`, normal first.
    pub impulse: ContactVector,
    /// `q̇⁺`; only for problems given by `(M, A, v)`.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub velocity: Option<Vec<f64>>,
    /// The contact velocity before and after.
    pub contact_velocity: BeforeAfter,
    /// The unit direction `u` of slip that friction opposes, at the end of the impact for laws that follow it; `None`
    /// in the other modes.
    pub direction: Option<ContactVector>,
    /// The energy balance.
    pub energy: Energy,
    /// Exact `σ = μ_s² i_n² - |i_t|²` of the stick impulse; `None` if no impulse sticks or the contact separates.
    pub discriminator: Option<f64>,
    /// Exact `μ_cr`: the smallest static coefficient that sticks; `None` if infinite.
    pub critical_friction: Option<f64>,
    /// `μ_rev`: the smallest dynamic coefficient at which the contact can reverse; `None` if there is none.
    pub critical_reversal: Option<f64>,
    /// The discriminator and critical coefficient as the paper prints them; `None` for singular `W`.
    pub printed: Option<Printed>,
    /// `e*`.
    pub restitution_limit: RestitutionLimit,
    /// `μ*` \[38\]; `None` when infinite.
    pub friction_limit: Option<f64>,
    /// False iff the contact sticks by Aghili's law and this creates energy, `e > e*(v)`.
    pub admissible: bool,
    /// Whether the pair is in the paper's admissible set \[41\], with the configuration's `e*`:
    /// sufficient, not necessary.
    pub admissible_any_state: bool,
    /// The limits that the given coefficients violate.
    pub violations: ArrayVec<Violation, 2>,
    /// The effect of the guard.
    pub guard: GuardReport,
    /// The number of slip and reversal solutions; `None` if they were not counted.
    pub solutions: Option<u32>,
    /// The given coefficients of restitution, as numbers; the value used by a guard is in `guard`.
    pub restitution: RestitutionValues,
    /// The given coefficients of friction; `None` for a frictionless contact without coefficients.
    pub friction: Option<Friction>,
    /// 1, 2 or 3.
    pub contact_dimension: u8,
    /// The law of the solution.
    pub law: Law,
    /// The largest violation of the outcome's conditions, recomputed from the data, relative to the input: at most
    /// 1e-9, otherwise an error is returned.
    #[cfg_attr(feature = "serde", serde(default))]
    pub residual: f64,
    /// How sensitive the problem is to its data; only for problems given by `(M, A, v)` or by a factor of `W`.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub condition: Option<Conditioning>,
    /// The modes during compression and restitution, such as `slip- | slip- stick`; only for laws that follow the
    /// contact through the impact. Signs are those of a planar contact's slip.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub phases: Option<Box<str>>,
    /// The restitution that was reached; only for the law `chord`.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub chord: Option<ChordReport>,
}

/// The restitution of an impact by the law `chord`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[non_exhaustive]
pub struct ChordReport {
    /// Whose restitution `e` is.
    pub kind: RestitutionKind,
    /// The normal impulse of restitution over that of compression, `p_r / p_c`: `e` for Poisson's restitution, unless the
    /// contact would then still approach.
    pub ratio: f64,
    /// Whether Newton's restitution required `p_r > p_c` and was limited to `p_r = p_c`: then `v_n⁺ < -e v_n⁻`.
    pub cut: bool,
}

/// Condition numbers: the relative change of the solution is about this many times that of the data. Half an ulp of an
/// entry of `M` moves the impulse by up to `1e-16 mass_matrix sqrt(delassus)`, and the velocity after a stick by up to
/// `1e-16 sqrt(delassus)`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[non_exhaustive]
pub struct Conditioning {
    /// Estimated condition number of `M`, with its diagonal scaled to order one.
    pub mass_matrix: f64,
    /// Condition number of `W`: the ratio of its largest and smallest nonzero eigenvalues, with the normal and the
    /// tangents scaled to order one.
    pub delassus: f64,
}

impl Conditioning {
    /// Bound on the relative error of an impulse in a mechanism with `freedoms` degrees of freedom. With `M = L Lᵀ`,
    /// `L⁻¹ Aᵀ = Q R` and the change `R i` of the whitened velocity, `δi = R⁻¹ Qᵀ (L⁻¹ δM L⁻ᵀ) Q R i`: at most the
    /// rounding of `M` times the condition numbers of `M` and `R`.
    pub(crate) fn impulse_error(&self, freedoms: usize) -> f64 {
        ROUNDING * freedoms as f64 * self.mass_matrix * self.delassus.sqrt()
    }
}

/// The impact laws.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Law {
    /// Aghili's law, corrected and completed.
    #[default]
    Aghili,
    /// Aghili's law with the mode decided as the paper prints it.
    AghiliPrinted,
    /// Newton's restitution, friction against the slip before the impact.
    Newton,
    /// Newton's restitution, friction against the slip after the impact.
    Moreau,
    /// Poisson's restitution of impulse, friction at every instant of the impact.
    Poisson,
    /// Stronge's restitution of energy, friction at every instant of the impact.
    Stronge,
    /// Newton's restitution, friction at every instant of the impact.
    NewtonRouth,
    /// The algebraic law of Chatterjee and Ruina.
    ChatterjeeRuina,
    /// Poisson's law in closed form: a few chords of the path, never a gain of energy.
    Chord,
    /// A compliant contact with the force of Hunt and Crossley.
    HuntCrossley,
}

impl Law {
    /// Every law, the default first.
    pub const ALL: [Law; 10] = [
        Law::Aghili,
        Law::AghiliPrinted,
        Law::Newton,
        Law::Moreau,
        Law::Poisson,
        Law::Stronge,
        Law::NewtonRouth,
        Law::ChatterjeeRuina,
        Law::Chord,
        Law::HuntCrossley,
    ];

    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            Law::Aghili => "aghili",
            Law::AghiliPrinted => "aghili-printed",
            Law::Newton => "newton",
            Law::Moreau => "moreau",
            Law::Poisson => "poisson",
            Law::Stronge => "stronge",
            Law::NewtonRouth => "newton-routh",
            Law::ChatterjeeRuina => "chatterjee-ruina",
            Law::Chord => "chord",
            Law::HuntCrossley => "hunt-crossley",
        }
    }
}

/// The contact velocity before and after the impact.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct BeforeAfter {
    /// `v_c⁻`
    pub before: ContactVector,
    /// `v_c⁺`
    pub after: ContactVector,
}

/// The energy balance of an impact.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[non_exhaustive]
pub struct Energy {
    /// `K⁻`; only for problems given by `(M, A, v)`.
    pub before: Option<f64>,
    /// `K⁺`, computed from `q̇⁺` and not from the change; only for problems given by `(M, A, v)`.
    pub after: Option<f64>,
    /// `v̄ · i` \[26\].
    pub change: f64,
    /// Its normal part `v̄_n i_n`.
    pub normal: f64,
    /// Its tangential part `v̄_t · i_t`.
    pub tangential: f64,
}

/// Relative difference between an energy change and the sum of its parts above which they are inconsistent.
const SPLIT_ROUNDING: f64 = 8.0 * f64::EPSILON;

impl Energy {
    /// Uses the change computed from `M` if `v̄ · i` differs by more than `rounding`: with an ill-conditioned `W`,
    /// impulses lose digits that velocities keep. Otherwise `v̄ · i` is more accurate for small changes. The difference
    /// is attributed to friction, if any.
    pub(crate) fn correct(&mut self, change: f64, rounding: f64) {
        if (change - self.change).abs() > rounding {
            self.change = change;
        }
        let size = self.normal.abs() + self.tangential.abs();
        if (self.normal + self.tangential - self.change).abs() <= SPLIT_ROUNDING * size {
            return;
        }
        if self.tangential == 0.0 {
            self.normal = self.change;
        } else {
            self.tangential = self.change - self.normal;
        }
    }
}

/// \[22\] and \[23\] as printed; exact only for `e = 0` or `G_nt = 0`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[non_exhaustive]
pub struct Printed {
    /// `μ_s² ξ_n² (1+e)² - |ξ_t|²`, `ξ = G v_c⁻`.
    pub discriminator: f64,
    /// `|ξ_t| / (|ξ_n| (1+e))`; `None` when infinite.
    pub critical_friction: Option<f64>,
}

/// The largest restitution at which a stick does not create energy. May exceed 1.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[non_exhaustive]
pub struct RestitutionLimit {
    /// `e*(v)` \[30\]; `None` if the contact separates, or approaches so slowly that the limit exceeds the range of
    /// `f64`.
    pub state: Option<f64>,
    /// `e*` \[32\].
    pub configuration: Option<f64>,
}

/// A violated limit.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[non_exhaustive]
pub struct Violation {
    /// The limit.
    pub limit: Limit,
    /// The given coefficient.
    pub value: f64,
    /// Its largest admissible value.
    pub bound: f64,
}

/// The limits that can be violated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[non_exhaustive]
pub enum Limit {
    /// `e > e*(v)` in a stick: this impact creates energy.
    #[cfg_attr(feature = "serde", serde(rename = "restitution_limit.state"))]
    RestitutionState,
    /// `e > e*` in a stick: some impact in this configuration would create energy.
    #[cfg_attr(feature = "serde", serde(rename = "restitution_limit.configuration"))]
    RestitutionConfiguration,
    /// `μ_d >= μ*` for a contact that cannot stick: outside the paper's admissible set, although it dissipates.
    #[cfg_attr(feature = "serde", serde(rename = "friction_limit"))]
    Friction,
}

impl Limit {
    /// The field of the outcome with the limit.
    pub fn name(self) -> &'static str {
        match self {
            Limit::RestitutionState => "restitution_limit.state",
            Limit::RestitutionConfiguration => "restitution_limit.configuration",
            Limit::Friction => "friction_limit",
        }
    }
}

/// The effect of the guard.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[non_exhaustive]
pub struct GuardReport {
    /// The requested guard.
    pub name: Guard,
    /// Whether it replaced the law's solution.
    pub acted: bool,
    /// The normal restitution of the solution.
    pub restitution: f64,
    /// The solution without the guard, if it was replaced.
    pub unguarded: Option<Unguarded>,
}

/// Summary of the solution without the guard.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[non_exhaustive]
pub struct Unguarded {
    /// Its mode.
    pub mode: Mode,
    /// Its `v̄ · i`.
    pub energy_change: f64,
}

/// The coefficients of restitution as numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct RestitutionValues {
    /// `e`
    pub normal: f64,
    /// `e_t`
    pub tangential: f64,
}
