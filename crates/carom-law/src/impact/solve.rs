//! From a contact and its coefficients to the outcome: the law's answer brought back to the
//! caller's units, with the limits it is to be judged by.

use arrayvec::ArrayVec;

use crate::contact::Contact;
use crate::contact::coefficients::{Coefficients, Friction};
use crate::contact::delassus::{Delassus, Dimension, Entries};
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
use crate::impact::verify::{Checked, Claimed, Evidence};
use crate::numeric::plane::norm;
#[cfg(test)]
use crate::numeric::scaling::scale;
use crate::numeric::tolerance::{ACCURACY, ROUNDING};

/// The impulse and what follows from it, in the caller's units: all that a batch wants.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Solution {
    pub(crate) mode: Mode,
    pub(crate) impulse: [f64; 3],
    pub(crate) after: [f64; 3],
    pub(crate) normal_work: f64,
    pub(crate) tangential_work: f64,
    pub(crate) energy_change: f64,
}

/// One spatial impact from the Delassus matrix and the contact velocity: the quickest way to an
/// [`Outcome`] where neither is used again.
///
/// # Errors
/// As [`Delassus::spatial`], [`Contact::new`] and [`Contact::impact`].
pub fn impact(
    delassus: &[[f64; 3]; 3],
    velocity: &[f64; 3],
    coefficients: &Coefficients,
    guard: Guard,
) -> Result<Outcome> {
    impact_by(delassus, velocity, coefficients, guard, ByMatrix)
}

/// [`impact`], held against evidence that the caller computes of the impulse, and not against `v_c⁻ + W i`: a robot's own
/// velocity after the impact.
///
/// # Errors
/// As [`impact`], and those of the caller.
pub fn impact_verified_by<E: From<Error>>(
    delassus: &[[f64; 3]; 3],
    velocity: &[f64; 3],
    coefficients: &Coefficients,
    guard: Guard,
    evidence: impl FnOnce(&[f64; 3]) -> std::result::Result<Evidence, E>,
) -> std::result::Result<Outcome, E> {
    impact_by(delassus, velocity, coefficients, guard, ByEvidence(evidence))
}

/// [`impact`] without a check: what benchmarks hold the price of the check against.
///
/// # Errors
/// As [`impact`].
#[doc(hidden)]
pub fn impact_unchecked(
    delassus: &[[f64; 3]; 3],
    velocity: &[f64; 3],
    coefficients: &Coefficients,
    guard: Guard,
) -> Result<Outcome> {
    impact_by(delassus, velocity, coefficients, guard, Unchecked)
}

/// What an answer is held against before it is reported.
trait Judge {
    type Fault: From<Error>;

    /// The residual of an answer.
    fn judge<const NATURAL: bool>(
        self,
        impact: &Impact<'_>,
        answer: &Answer,
        guard: Guard,
    ) -> std::result::Result<f64, Self::Fault>;

    /// The same where the contact separates.
    fn judge_separating(self, contact: &Contact, guard: Guard) -> std::result::Result<f64, Self::Fault>;
}

/// `v_c⁻ + W i`.
struct ByMatrix;

/// What the caller makes of the impulse.
struct ByEvidence<F>(F);

/// Nothing.
struct Unchecked;

impl Judge for ByMatrix {
    type Fault = Error;

    #[inline(always)]
    fn judge<const NATURAL: bool>(self, impact: &Impact<'_>, answer: &Answer, guard: Guard) -> Result<f64> {
        impact.contact.verified(impact, answer, Law::Aghili, guard)
    }

    fn judge_separating(self, _: &Contact, _: Guard) -> Result<f64> {
        Ok(0.0)
    }
}

impl<E: From<Error>, F: FnOnce(&[f64; 3]) -> std::result::Result<Evidence, E>> Judge for ByEvidence<F> {
    type Fault = E;

    #[inline(always)]
    fn judge<const NATURAL: bool>(
        self,
        impact: &Impact<'_>,
        answer: &Answer,
        guard: Guard,
    ) -> std::result::Result<f64, E> {
        let contact = impact.contact;
        let solution = contact.in_callers_units::<NATURAL>(answer);
        contact.check_representable(&solution)?;
        let evidence = (self.0)(&solution.impulse)?;
        let claimed = Claimed {
            law: Law::Aghili,
            mode: solution.mode,
            impulse: solution.impulse,
            before: contact.before.padded(),
            reported: solution.after,
            after: evidence.after,
            direction: answer.direction,
            e: answer.e,
            e_t: impact.e_t,
            mu_s: contact.coefficient_value::<NATURAL>(impact.mu_s),
            mu_d: contact.coefficient_value::<NATURAL>(impact.mu_d),
            energy_change: solution.energy_change,
            bound: evidence.bound(),
            impulse_bound: 0.0,
            impulse_error: evidence.impulse_error,
            energy_error: 0.0,
        };
        let checked = claimed.check_inlined()?;
        let mut residual = checked.residual;
        if checked.work > 0.0 {
            let energy = contact.energy::<NATURAL>(limits::contact_energy(contact));
            residual = residual.max(checked.check_gain(energy, guard != Guard::Report)?);
        }
        Ok(residual.max(evidence.check_energy(solution.energy_change, guard != Guard::Report)?))
    }

    #[cold]
    fn judge_separating(self, contact: &Contact, guard: Guard) -> std::result::Result<f64, E> {
        let evidence = (self.0)(&[0.0; 3])?;
        let residual = evidence.check_velocity(&contact.before.padded())?;
        Ok(residual.max(evidence.check_energy(0.0, guard != Guard::Report)?))
    }
}

impl Judge for Unchecked {
    type Fault = Error;

    #[inline(always)]
    fn judge<const NATURAL: bool>(self, _: &Impact<'_>, _: &Answer, _: Guard) -> Result<f64> {
        Ok(0.0)
    }

    fn judge_separating(self, _: &Contact, _: Guard) -> Result<f64> {
        Ok(0.0)
    }
}

#[inline(always)]
fn impact_by<J: Judge>(
    delassus: &[[f64; 3]; 3],
    velocity: &[f64; 3],
    coefficients: &Coefficients,
    guard: Guard,
    judge: J,
) -> std::result::Result<Outcome, J::Fault> {
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx2") {
        #[allow(unsafe_code, reason = "a function compiled for AVX2 may run only where that is available")]
        // SAFETY: just detected.
        return unsafe { impact_avx2(delassus, velocity, coefficients, guard, judge) };
    }
    impact_portable(delassus, velocity, coefficients, guard, judge)
}

/// The same instructions in their three-operand form: a tenth of the time.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn impact_avx2<J: Judge>(
    delassus: &[[f64; 3]; 3],
    velocity: &[f64; 3],
    coefficients: &Coefficients,
    guard: Guard,
    judge: J,
) -> std::result::Result<Outcome, J::Fault> {
    impact_portable(delassus, velocity, coefficients, guard, judge)
}

#[inline(always)]
fn impact_portable<J: Judge>(
    delassus: &[[f64; 3]; 3],
    velocity: &[f64; 3],
    coefficients: &Coefficients,
    guard: Guard,
    judge: J,
) -> std::result::Result<Outcome, J::Fault> {
    let entries = Entries::spatial(*delassus);
    let (delassus, is_sound) = Delassus::assemble(&entries);
    if !is_sound {
        return Err(entries.fault().into());
    }
    let contact = Contact::assemble(delassus, *velocity);
    if !contact.is_sound() {
        return Err(contact.fault().into());
    }
    contact.impact_inlined(coefficients, guard, judge)
}

impl Contact {
    /// What the impact does.
    ///
    /// ```
    /// use carom_law::{Coefficients, Contact, Delassus, Friction, Guard, Mode, Restitution};
    ///
    /// // The tip of Kane's double pendulum.
    /// let delassus = Delassus::planar([[1.00956029, 1.52130866], [1.52130866, 2.44033805]])?;
    /// let contact = Contact::new(delassus, &[-0.13420201, -0.26717434])?;
    /// let coefficients = Coefficients::new(Restitution::new(0.5)?, Friction::new(0.5)?);
    ///
    /// let outcome = contact.impact(&coefficients, Guard::Report)?;
    /// assert_eq!(outcome.mode, Mode::Stick);
    /// assert!(!outcome.admissible && outcome.energy.change > 0.0);
    ///
    /// let outcome = contact.impact(&coefficients, Guard::Slip)?;
    /// assert_eq!(outcome.mode, Mode::Slip);
    /// assert!(outcome.energy.change < 0.0);
    /// # Ok::<(), carom_law::Error>(())
    /// ```
    ///
    /// # Errors
    /// Friction is missing, or the answer is beyond the range of `f64`.
    pub fn impact(&self, coefficients: &Coefficients, guard: Guard) -> Result<Outcome> {
        self.impact_inlined(coefficients, guard, ByMatrix)
    }

    #[inline(always)]
    fn impact_inlined<J: Judge>(
        &self,
        coefficients: &Coefficients,
        guard: Guard,
        judge: J,
    ) -> std::result::Result<Outcome, J::Fault> {
        let restitution = RestitutionValues {
            normal: coefficients.restitution.normal_at(self.approach_speed()),
            tangential: coefficients.restitution.tangential(),
        };
        if !self.approaches() {
            // Friction is checked all the same.
            self.request::<false>(&restitution, coefficients.friction)?;
            let residual = judge.judge_separating(self, guard)?;
            Ok(Outcome { residual, ..self.separating(&restitution, coefficients.friction, guard) })
        } else if self.is_natural {
            self.assess::<true, J>(&restitution, coefficients.friction, guard, judge)
        } else {
            self.assess_scaled(&restitution, coefficients.friction, guard, judge)
        }
    }

    /// [`Contact::impact`] for whoever checks the outcome against more than `W`.
    pub(crate) fn impact_unchecked(&self, coefficients: &Coefficients, guard: Guard) -> Result<Outcome> {
        self.impact_inlined(coefficients, guard, Unchecked)
    }

    /// The same of a contact that approaches, with restitutions as numbers.
    #[cold]
    pub(crate) fn impact_at(
        &self,
        restitution: &RestitutionValues,
        friction: Option<Friction>,
        guard: Guard,
    ) -> Result<Outcome> {
        self.assess::<false, Unchecked>(restitution, friction, guard, Unchecked)
    }

    #[cold]
    fn assess_scaled<J: Judge>(
        &self,
        restitution: &RestitutionValues,
        friction: Option<Friction>,
        guard: Guard,
        judge: J,
    ) -> std::result::Result<Outcome, J::Fault> {
        self.assess::<false, J>(restitution, friction, guard, judge)
    }

    /// The request in the contact's units.
    #[inline(always)]
    pub(crate) fn request<const NATURAL: bool>(
        &self,
        restitution: &RestitutionValues,
        friction: Option<Friction>,
    ) -> Result<Impact<'_>> {
        let (mu_s, mu_d) = match friction {
            // Without tangents friction is ignored.
            _ if self.delassus.dimension == Dimension::Normal => (0.0, 0.0),
            Some(friction) => (friction.mu_s(), friction.mu_d()),
            None => {
                return Err(Error::Missing {
                    field: "friction".into(),
                    reason: "only a contact of dimension 1 can do without".into(),
                });
            }
        };
        Ok(Impact {
            contact: self,
            e: restitution.normal,
            e_t: restitution.tangential,
            mu_s: self.scaled_friction::<NATURAL>(mu_s, "friction.static")?,
            mu_d: self.scaled_friction::<NATURAL>(mu_d, "friction.dynamic")?,
        })
    }

    #[inline(always)]
    fn scaled_friction<const NATURAL: bool>(&self, mu: f64, field: &'static str) -> Result<f64> {
        if NATURAL { Ok(mu) } else { representable(self.rescaled::<false>(mu, |units| units.beta), field) }
    }

    #[inline(always)]
    fn assess<const NATURAL: bool, J: Judge>(
        &self,
        restitution: &RestitutionValues,
        friction: Option<Friction>,
        guard: Guard,
        judge: J,
    ) -> std::result::Result<Outcome, J::Fault> {
        let impact = &self.request::<NATURAL>(restitution, friction)?;
        let decision = impact.decide(guard);
        let residual = judge.judge::<NATURAL>(impact, &decision.answer, guard)?;
        Ok(Outcome { residual, ..self.report::<NATURAL>(restitution, friction, guard, impact, &decision)? })
    }

    /// The check of an answer, in the units of the contact: what `W i` makes of the velocity.
    #[inline(always)]
    pub(crate) fn verified(&self, impact: &Impact<'_>, answer: &Answer, law: Law, guard: Guard) -> Result<f64> {
        let (d, v_n, v_t) = (&self.delassus, self.v_n, self.v_t);
        let (i_n, [i_1, i_2]) = (answer.normal, answer.tangential);
        let (w, tt) = (d.w, &d.w_tt);
        let pushed = (1.0 + answer.e) * v_n * d.inv_w_nn;
        let sizes = [i_n.abs(), i_1.abs(), i_2.abs()];
        let terms = [
            d.w_nn * sizes[0] + w[0].abs() * sizes[1] + w[1].abs() * sizes[2],
            w[0].abs() * sizes[0] + tt.xx * sizes[1] + tt.xy.abs() * sizes[2],
            w[1].abs() * sizes[0] + tt.xy.abs() * sizes[1] + tt.yy * sizes[2],
        ];
        // What a singular S counts as zero moves the tangents too.
        let ignored = if d.tangent.is_regular() { 0.0 } else { d.rank_tolerance * tt.trace() * (sizes[1] + sizes[2]) };
        let rounding = ROUNDING * 3.0;
        let tangential = |row: usize| {
            let scale = v_t[0].abs() + v_t[1].abs() + (pushed * w[0]).abs() + (pushed * w[1]).abs();
            ACCURACY * scale + rounding * terms[row] + 2.0 * ignored
        };
        let claimed = Claimed {
            law,
            mode: answer.mode,
            impulse: [i_n, i_1, i_2],
            before: [v_n, v_t[0], v_t[1]],
            reported: [-answer.e * v_n, answer.after[0], answer.after[1]],
            after: [
                v_n + (d.w_nn * i_n + w[0] * i_1 + w[1] * i_2),
                v_t[0] + (w[0] * i_n + tt.xx * i_1 + tt.xy * i_2),
                v_t[1] + (w[1] * i_n + tt.xy * i_1 + tt.yy * i_2),
            ],
            direction: answer.direction,
            e: answer.e,
            e_t: impact.e_t,
            mu_s: impact.mu_s,
            mu_d: impact.mu_d,
            energy_change: answer.energy_change,
            bound: [ACCURACY * v_n.abs() + rounding * terms[0], tangential(1), tangential(2)],
            impulse_bound: 0.0,
            impulse_error: 0.0,
            energy_error: 0.0,
        };
        let checked = match claimed.check() {
            Ok(checked) => checked,
            Err(_) => self.check_at_large(claimed)?,
        };
        if checked.work > 0.0 {
            let dissipates = guard != Guard::Report || law.claims().dissipates;
            let checked =
                if dissipates { Checked { work_bound: self.work_rounding(sizes, terms), ..checked } } else { checked };
            return Ok(checked.residual.max(checked.check_gain(limits::contact_energy(self), dissipates)?));
        }
        Ok(checked.residual)
    }

    /// The rounding of `v̄·i`, each row with the sizes of its own terms. Velocities may miss their conditions by more, on the scale of the
    /// faster tangent: that is no energy to be had, least of all along a tangent that is slow beside the other.
    #[cold]
    fn work_rounding(&self, impulse: [f64; 3], pushed: [f64; 3]) -> f64 {
        let before = [self.v_n, self.v_t[0], self.v_t[1]];
        let products = |row: usize| impulse[row] * (before[row].abs() + 0.5 * pushed[row]);
        ROUNDING * 3.0 * (products(0) + products(1) + products(2))
    }

    /// The check of an answer whose tangents hardly move, of themselves or by the normal impulse. Their velocities are then held
    /// to those of the whole system: of the kinetic energy that goes with `v_n⁻`, the tangents can have
    /// `sqrt(tr W_tt / W_nn) |v_n⁻|`.
    #[cold]
    fn check_at_large(&self, claimed: Claimed) -> Result<Checked> {
        let d = &self.delassus;
        let speed = (d.w_tt.trace() * d.inv_w_nn).sqrt() * self.v_n.abs();
        let [normal, x, y] = claimed.bound;
        Claimed { bound: [normal, x + ACCURACY * speed, y + ACCURACY * speed], ..claimed }.check()
    }

    /// A decision with the limits it is to be judged by, in the caller's units.
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
        self.check_representable(&solution)?;
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
        }
    }

    /// The answer in the caller's units; may hold infinities.
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
    fn energy<const NATURAL: bool>(&self, x: f64) -> f64 {
        self.rescaled::<NATURAL>(x, |u| 2 * u.gamma - u.omega)
    }

    /// The exact `σ`, of the same sign as `μ_s - μ_cr` where `i_n > 0`.
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

    /// A friction coefficient in the caller's units, `None` when there is no finite one.
    #[inline(always)]
    pub(crate) fn coefficient<const NATURAL: bool>(&self, scaled: f64) -> Option<f64> {
        let value = self.coefficient_value::<NATURAL>(scaled);
        value.is_finite().then_some(value)
    }

    #[inline(always)]
    fn coefficient_value<const NATURAL: bool>(&self, scaled: f64) -> f64 {
        self.rescaled::<NATURAL>(scaled, |u| -u.beta)
    }

    #[inline(always)]
    pub(crate) fn check_representable(&self, s: &Solution) -> Result<()> {
        let sum = s.impulse[0] + s.impulse[1].abs() + s.impulse[2].abs() + s.after[1].abs() + s.after[2].abs();
        if sum.is_finite() && (s.normal_work + s.tangential_work).is_finite() && s.energy_change.is_finite() {
            Ok(())
        } else {
            self.name_overflow(*s)
        }
    }

    /// Which field overflows, if one does and not only the sum of the check.
    #[cold]
    fn name_overflow(&self, s: Solution) -> Result<()> {
        for i in 0..self.delassus.dimension.rows() {
            representable(s.impulse[i], "impulse")?;
            representable(s.after[i], "contact_velocity.after")?;
        }
        representable(s.normal_work, "energy.normal")?;
        representable(s.tangential_work, "energy.tangential")?;
        representable(s.energy_change, "energy.change").map(|_| ())
    }
}

/// `e*(v)` rounded to the side that the energy decided: the two agree but for rounding.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Condition;

    /// Tangents whose velocities are 1e-10 apart. Friction pushes the slower one on: as much energy as the impact has, and less than
    /// velocities of the faster one may miss in it.
    #[test]
    fn energy_along_a_tangent_is_not_excused_by_the_speed_of_the_other() {
        let w = [[1.0, 0.0, 0.0], [0.0, 1e20, 0.0], [0.0, 0.0, 1.0]];
        let contact = Contact::new(Delassus::spatial(w).unwrap(), &[-1.0, 1e10, 0.0]).unwrap();
        let impact = Impact { contact: &contact, e: 1.0, e_t: 0.0, mu_s: f64::MAX, mu_d: f64::MAX };
        let units = |x: f64| scale(x, contact.delassus.omega + contact.delassus.beta - contact.gamma);
        let verified = |i_2: f64| {
            let (i_n, i_t) = (scale(2.0, contact.delassus.omega - contact.gamma), [0.0, units(i_2)]);
            let d = &contact.delassus;
            let after = [contact.v_t[0] + d.w_tt.xy * i_t[1], contact.v_t[1] + d.w_tt.yy * i_t[1]];
            let (normal_work, tangential_work) = (0.0, 0.5 * (contact.v_t[1] + after[1]) * i_t[1]);
            let answer = Answer {
                mode: Mode::Slip,
                e: 1.0,
                normal: i_n,
                tangential: i_t,
                direction: None,
                after,
                normal_work,
                tangential_work,
                energy_change: normal_work + tangential_work,
                solutions: None,
            };
            contact.verified(&impact, &answer, Law::Poisson, Guard::Report)
        };
        assert!(verified(0.0).is_ok());
        let error = verified(1.0).unwrap_err();
        assert!(matches!(error, Error::CheckFailed { condition: Condition::Gain, .. }), "{error}");
    }
}
