//! The law's solution in the caller's units, with its limits.

use arrayvec::ArrayVec;

use crate::contact::Contact;
use crate::contact::coefficients::Friction;
use crate::contact::delassus::{Delassus, Dimension};
use crate::contact::vector::ContactVector;
use crate::error::{Error, Result};
use crate::impact::collision::{Answer, Decision, Impact};
use crate::impact::guard::Guard;
use crate::impact::limits::{self, ContactMomentum};
use crate::impact::mode::Mode;
use crate::impact::outcome::{
    BeforeAfter, Energy, GuardReport, Law, Limit, Outcome, Printed, RestitutionLimit, RestitutionValues, Unguarded,
    Violation,
};
use crate::numeric::plane::norm;
use crate::numeric::scaling::scale;

/// A number whose rounding exceeds this fraction of its size (2^-40) has lost its digits.
const NO_DIGITS: f64 = 1.0 / (1u64 << 40) as f64;

/// The impulse, velocities and work in the caller's units: all that a batch needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Solution {
    pub(crate) mode: Mode,
    pub(crate) impulse: [f64; 3],
    pub(crate) after: [f64; 3],
    pub(crate) normal_work: f64,
    pub(crate) tangential_work: f64,
    pub(crate) energy_change: f64,
}

impl Contact {
    /// A decision with its limits, in the caller's units.
    #[inline(always)]
    pub(crate) fn report<const NATURAL: bool>(
        &self,
        restitution: &RestitutionValues,
        friction: Option<Friction>,
        guard: Guard,
        impact: &Impact<'_>,
        decision: &Decision,
    ) -> Result<Outcome> {
        let solution = self.in_callers_units::<NATURAL>(&decision.answer);
        self.check_representable::<NATURAL>(&solution)?;
        let momentum = limits::contact_momentum(self);
        let locking = limits::locking(&self.delassus);
        let state = consistent(limits::state(self, impact.e_t, locking, &momentum), impact.e, decision);
        let configuration = limits::configuration(locking, impact.e_t);
        let friction_limit = self.coefficient::<NATURAL>(limits::friction(&self.delassus));
        let dimension = self.delassus.dimension;
        let reversal = decision.reversal.filter(|_| dimension != Dimension::Normal);
        let discriminator = self.discriminator::<NATURAL>(impact, decision)?;
        let printed = self.printed::<NATURAL>(impact, &momentum)?;
        let unguarded = match decision.unguarded {
            None => None,
            Some(change) => {
                let field = "guard.unguarded.energy_change";
                let energy_change = representable(self.energy::<NATURAL>(change), field)?;
                Some(Unguarded { mode: Mode::Stick, energy_change })
            }
        };

        let admissible = !decision.creates_energy;
        let within_friction_limit =
            friction_limit.is_none_or(|bound| self.coefficient_value::<NATURAL>(impact.mu_d) < bound);
        let in_set = if decision.sticks { impact.e <= configuration } else { within_friction_limit };
        let admissible_any_state = admissible && in_set;
        let mut violations = ArrayVec::new();
        if !admissible {
            violations.push(Violation { limit: Limit::RestitutionState, value: impact.e, bound: state });
        }
        if !admissible_any_state {
            violations.push(match friction_limit {
                Some(bound) if !decision.sticks => {
                    Violation { limit: Limit::Friction, value: self.coefficient_value::<NATURAL>(impact.mu_d), bound }
                }
                _ => Violation { limit: Limit::RestitutionConfiguration, value: impact.e, bound: configuration },
            });
        }
        Ok(Outcome {
            mode: solution.mode,
            impulse: ContactVector::new(dimension, solution.impulse),
            velocity: None,
            contact_velocity: BeforeAfter { before: self.before, after: ContactVector::new(dimension, solution.after) },
            direction: decision.answer.direction.map(|u| ContactVector::tangential(dimension, u)),
            energy: Energy {
                before: None,
                after: None,
                change: solution.energy_change,
                normal: solution.normal_work,
                tangential: solution.tangential_work,
            },
            discriminator,
            critical_friction: decision.stick.and_then(|s| self.coefficient::<NATURAL>(s.critical)),
            critical_reversal: reversal.and_then(|r| self.coefficient::<NATURAL>(r.critical)),
            printed,
            restitution_limit: RestitutionLimit {
                state: state.is_finite().then_some(state),
                configuration: Some(configuration),
            },
            friction_limit,
            admissible,
            admissible_any_state,
            violations,
            guard: GuardReport {
                name: guard,
                acted: decision.unguarded.is_some(),
                restitution: decision.answer.e,
                unguarded,
            },
            solutions: decision.answer.solutions,
            restitution: *restitution,
            friction,
            contact_dimension: dimension as u8,
            law: Law::Aghili,
            residual: 0.0,
            condition: None,
            phases: None,
            chord: None,
        })
    }

    #[cold]
    pub(crate) fn separating(
        &self,
        restitution: &RestitutionValues,
        friction: Option<Friction>,
        guard: Guard,
    ) -> Outcome {
        let dimension = self.delassus.dimension;
        let configuration = limits::configuration(limits::locking(&self.delassus), restitution.tangential);
        Outcome {
            mode: Mode::Separating,
            impulse: ContactVector::new(dimension, [0.0; 3]),
            velocity: None,
            contact_velocity: BeforeAfter { before: self.before, after: self.before },
            direction: None,
            energy: Energy { before: None, after: None, change: 0.0, normal: 0.0, tangential: 0.0 },
            discriminator: None,
            critical_friction: None,
            critical_reversal: None,
            printed: None,
            restitution_limit: RestitutionLimit { state: None, configuration: Some(configuration) },
            friction_limit: self.coefficient::<false>(limits::friction(&self.delassus)),
            admissible: true,
            admissible_any_state: true,
            violations: ArrayVec::new(),
            guard: GuardReport { name: guard, acted: false, restitution: restitution.normal, unguarded: None },
            solutions: None,
            restitution: *restitution,
            friction,
            contact_dimension: dimension as u8,
            law: Law::Aghili,
            residual: 0.0,
            condition: None,
            phases: None,
            chord: None,
        }
    }

    /// The solution in the caller's units; may contain infinities.
    #[inline(always)]
    pub(crate) fn in_callers_units<const NATURAL: bool>(&self, answer: &Answer) -> Solution {
        let tangential_impulse = |x: f64| self.rescaled::<NATURAL>(x, |u| u.gamma - u.omega - u.beta);
        let tangential_velocity = |x: f64| self.rescaled::<NATURAL>(x, |u| u.gamma + u.beta);
        Solution {
            mode: answer.mode,
            // Adding zero turns -0 into 0.
            impulse: [
                self.rescaled::<NATURAL>(answer.normal, |u| u.gamma - u.omega),
                tangential_impulse(answer.tangential[0]) + 0.0,
                tangential_impulse(answer.tangential[1]) + 0.0,
            ],
            after: [
                -answer.e * self.before[0],
                tangential_velocity(answer.after[0]) + 0.0,
                tangential_velocity(answer.after[1]) + 0.0,
            ],
            normal_work: self.energy::<NATURAL>(answer.normal_work),
            tangential_work: self.energy::<NATURAL>(answer.tangential_work),
            energy_change: self.energy::<NATURAL>(answer.energy_change),
        }
    }

    #[inline(always)]
    pub(crate) fn energy<const NATURAL: bool>(&self, x: f64) -> f64 {
        self.rescaled::<NATURAL>(x, |u| 2 * u.gamma - u.omega)
    }

    /// The exact `σ`, with the sign of `μ_s - μ_cr` if `i_n > 0`.
    #[inline(always)]
    fn discriminator<const NATURAL: bool>(&self, impact: &Impact, decision: &Decision) -> Result<Option<f64>> {
        let Some(stick) = decision.stick else {
            return Ok(None);
        };
        let reach = impact.mu_s * stick.normal;
        let tangential = norm(stick.tangential);
        let sigma = if stick.normal > 0.0 {
            (impact.mu_s - stick.critical) * stick.normal * (reach + tangential)
        } else {
            (reach - tangential) * (reach + tangential)
        };
        self.impulse_squared::<NATURAL>(sigma, "discriminator").map(Some)
    }

    /// \[22\], \[23\].
    #[inline(always)]
    fn printed<const NATURAL: bool>(&self, impact: &Impact, xi: &ContactMomentum) -> Result<Option<Printed>> {
        if !self.delassus.is_regular() {
            return Ok(None);
        }
        let xi_t = norm(xi.tangential);
        let reach = xi.normal.abs() * (1.0 + impact.e);
        let sigma = (impact.mu_s * reach - xi_t) * (impact.mu_s * reach + xi_t);
        let critical = if self.delassus.dimension == Dimension::Normal { 0.0 } else { xi_t / reach };
        Ok(Some(Printed {
            discriminator: self.impulse_squared::<NATURAL>(sigma, "printed.discriminator")?,
            critical_friction: self.coefficient::<NATURAL>(critical),
        }))
    }

    #[inline(always)]
    fn impulse_squared<const NATURAL: bool>(&self, scaled: f64, field: &'static str) -> Result<f64> {
        representable(self.rescaled::<NATURAL>(scaled, |u| 2 * (u.gamma - u.omega - u.beta)), field)
    }

    /// A friction coefficient in the caller's units, `None` if there is no finite one.
    #[inline(always)]
    pub(crate) fn coefficient<const NATURAL: bool>(&self, scaled: f64) -> Option<f64> {
        let value = self.coefficient_value::<NATURAL>(scaled);
        value.is_finite().then_some(value)
    }

    #[inline(always)]
    pub(crate) fn coefficient_value<const NATURAL: bool>(&self, scaled: f64) -> f64 {
        self.rescaled::<NATURAL>(scaled, |u| -u.beta)
    }

    #[inline(always)]
    pub(crate) fn check_representable<const NATURAL: bool>(&self, s: &Solution) -> Result<()> {
        if !NATURAL {
            self.check_digits()?;
        }
        let sum = s.impulse[0] + s.impulse[1].abs() + s.impulse[2].abs() + s.after[1].abs() + s.after[2].abs();
        let is_finite =
            sum.is_finite() && (s.normal_work + s.tangential_work).is_finite() && s.energy_change.is_finite();
        if is_finite && s.impulse[0].abs() >= f64::MIN_POSITIVE { Ok(()) } else { self.name_overflow(*s) }
    }

    /// Checks that velocities and impulses of the size of this impact keep their digits in the caller's units, where
    /// the smallest number is 2^-1074: for an impact of this energy, the spacing of each must be small compared with
    /// the velocity of its row, or with the velocity change by the impulse.
    #[cold]
    fn check_digits(&self) -> Result<()> {
        let &Self { delassus: Delassus { w_nn, ref w_tt, omega, beta, .. }, v_n, v_t, gamma, .. } = self;
        let (normal, tangential) = (w_nn.sqrt(), w_tt.trace().sqrt());
        let slip = if tangential > 0.0 { norm(v_t) / tangential } else { 0.0 };
        let fastest = (v_n.abs() / normal).max(slip);
        let is_lost = |size: f64, unit: i32| scale(f64::from_bits(1), -unit) > NO_DIGITS * size;
        let velocity_is_lost = |root: f64, unit: i32| root > 0.0 && is_lost(root * fastest, unit);
        if velocity_is_lost(normal, gamma) || velocity_is_lost(tangential, gamma + beta) {
            return Err(Error::Overflow { field: "contact_velocity.after".into() });
        }
        let impulse_is_lost = |root: f64, unit: i32| root > 0.0 && is_lost(fastest / root, unit);
        if impulse_is_lost(normal, gamma - omega) || impulse_is_lost(tangential, gamma - omega - beta) {
            return Err(Error::Overflow { field: "impulse".into() });
        }
        Ok(())
    }

    /// Names the field that exceeds the range of `f64`, if it is not only the sum of the check.
    #[cold]
    fn name_overflow(&self, s: Solution) -> Result<()> {
        // Friction with a normal impulse that has lost its digits: no coefficient relates the two.
        let friction = s.impulse[1].abs().max(s.impulse[2].abs());
        if s.impulse[0].abs() < f64::MIN_POSITIVE && friction >= f64::MIN_POSITIVE {
            return Err(Error::Overflow { field: "impulse".into() });
        }
        for i in 0..self.delassus.dimension.rows() {
            representable(s.impulse[i], "impulse")?;
            representable(s.after[i], "contact_velocity.after")?;
        }
        representable(s.normal_work, "energy.normal")?;
        representable(s.tangential_work, "energy.tangential")?;
        representable(s.energy_change, "energy.change").map(|_| ())
    }
}

/// `e*(v)` rounded to the side given by the energy: the two agree up to rounding.
#[inline(always)]
fn consistent(state: f64, e: f64, decision: &Decision) -> f64 {
    match (decision.sticks, decision.creates_energy) {
        (true, true) if state >= e => e.next_down(),
        (true, false) if state < e => e,
        _ => state,
    }
}

#[inline(always)]
pub(crate) fn representable(value: f64, field: &'static str) -> Result<f64> {
    if value.is_finite() { Ok(value) } else { Err(Error::Overflow { field: field.into() }) }
}
