//! From a contact and its coefficients to the outcome: the request in the units of the contact, the law's solution, the
//! check, the report.

use crate::contact::Contact;
use crate::contact::coefficients::{self, Coefficients, Friction};
use crate::contact::delassus::{Delassus, Dimension, Entries};
use crate::error::{Error, Result};
use crate::impact::collision::Impact;
use crate::impact::guard::Guard;
use crate::impact::judge::{ByEvidence, ByMatrix, Judge, ROUNDED, Unchecked};
use crate::impact::outcome::{Outcome, RestitutionValues};
use crate::impact::verify::Evidence;

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

/// [`impact`], checked against evidence that the caller computes from the impulse, the robot's velocity after the
/// impact, instead of `v_c⁻ + W i`.
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

/// [`impact`] without a check, for benchmarks of its cost.
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

#[inline(always)]
fn impact_by<J: Judge>(
    delassus: &[[f64; 3]; 3],
    velocity: &[f64; 3],
    coefficients: &Coefficients,
    guard: Guard,
    judge: J,
) -> std::result::Result<Outcome, J::Fault> {
    #[cfg(target_arch = "x86_64")]
    if crate::kernel::has_avx2() {
        #[allow(unsafe_code, reason = "a function compiled for AVX2 may run only where that is available")]
        // SAFETY: just detected.
        return unsafe { impact_avx2(delassus, velocity, coefficients, guard, judge) };
    }
    impact_portable(delassus, velocity, coefficients, guard, judge)
}

/// [`impact`] compiled with three-operand instructions, which saves a tenth of the time.
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
    /// The outcome of the impact.
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
    /// Friction is missing, or the solution is beyond the range of `f64`.
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
        coefficients.restitution.check_no_kind("aghili")?;
        let restitution = RestitutionValues {
            normal: coefficients.restitution.normal_at(self.approach_speed()),
            tangential: coefficients.restitution.tangential(),
        };
        if !self.approaches() {
            // Friction is checked nevertheless.
            self.request::<false>(&restitution, coefficients.friction)?;
            let residual = judge.judge_separating(self, guard)?;
            Ok(Outcome { residual, ..self.separating(&restitution, coefficients.friction, guard) })
        } else if self.is_natural {
            self.assess::<true, J>(&restitution, coefficients.friction, guard, judge)
        } else {
            self.assess_scaled(&restitution, coefficients.friction, guard, judge)
        }
    }

    /// [`Contact::impact`] for callers that check the outcome against more than `W`.
    pub(crate) fn impact_unchecked(&self, coefficients: &Coefficients, guard: Guard) -> Result<Outcome> {
        self.impact_inlined(coefficients, guard, Unchecked)
    }

    /// The outcome for an approaching contact, with restitutions as numbers.
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
        let has_tangents = self.delassus.dimension != Dimension::Normal;
        let [mu_s, mu_d] = coefficients::required(friction, has_tangents, || "friction".into())?;
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
        if NATURAL { Ok(mu) } else { coefficients::in_units(mu, self.delassus.beta, || field.into()) }
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
        let mut outcome =
            Outcome { residual, ..self.report::<NATURAL>(restitution, friction, guard, impact, &decision)? };
        if residual > ROUNDED {
            J::correct(self, &mut outcome)?;
        }
        Ok(outcome)
    }
}
