//! The check of a solution before it is reported: against `v_c⁻ + W i`, against the caller's response to the impulse,
//! or none.

use crate::contact::Contact;
use crate::contact::delassus::Delassus;
use crate::error::{Condition, Error, Result};
use crate::impact::collision::{Answer, Impact};
use crate::impact::guard::Guard;
use crate::impact::limits;
use crate::impact::outcome::{Law, Outcome};
use crate::impact::verify::{Checked, Claimed, Evidence, within};
use crate::numeric::scaling::scale;
use crate::numeric::tolerance::{ACCURACY, ROUNDING};

/// Upper bound of the residual for a matrix far from singular, a ten-thousandth of the bound of the check.
pub(crate) const ROUNDED: f64 = 1e-4 * ACCURACY;

/// The check of a solution before it is reported.
pub(crate) trait Judge {
    type Fault: From<Error>;

    /// The residual of a solution.
    fn judge<const NATURAL: bool>(
        self,
        impact: &Impact<'_>,
        answer: &Answer,
        guard: Guard,
    ) -> std::result::Result<f64, Self::Fault>;

    /// Replaces the work of the intended velocities by that of the impulse if the two differ: called if the residual is
    /// more than [`ROUNDED`].
    ///
    /// # Errors
    /// A stick that should create no energy creates some.
    fn correct(contact: &Contact, outcome: &mut Outcome) -> Result<()>;

    /// The residual if the contact separates.
    fn judge_separating(self, contact: &Contact, guard: Guard) -> std::result::Result<f64, Self::Fault>;
}

/// Checks against `v_c⁻ + W i`.
pub(crate) struct ByMatrix;

/// Checks against the caller's response to the impulse.
pub(crate) struct ByEvidence<F>(pub(crate) F);

/// No check.
pub(crate) struct Unchecked;

impl Judge for ByMatrix {
    type Fault = Error;

    #[inline(always)]
    fn judge<const NATURAL: bool>(self, impact: &Impact<'_>, answer: &Answer, guard: Guard) -> Result<f64> {
        impact.contact.verified(impact, answer, Law::Aghili, guard)
    }

    #[cold]
    fn correct(contact: &Contact, outcome: &mut Outcome) -> Result<()> {
        let rounding = contact.correct_work(outcome);
        if outcome.law == Law::Aghili && outcome.admissible {
            let bound = rounding + ACCURACY * contact.energy::<false>(limits::contact_energy(contact));
            within(Condition::Gain, outcome.energy.change.max(0.0), bound)?;
        }
        Ok(())
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
        contact.check_representable::<NATURAL>(&solution)?;
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
            residual =
                residual.max(checked.check_gain(energy, guard != Guard::Report || answer.is_told_to_dissipate())?);
        }
        Ok(residual.max(evidence.check_energy(solution.energy_change, guard != Guard::Report)?))
    }

    fn correct(_: &Contact, _: &mut Outcome) -> Result<()> {
        Ok(())
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

    fn correct(_: &Contact, _: &mut Outcome) -> Result<()> {
        Ok(())
    }

    fn judge_separating(self, _: &Contact, _: Guard) -> Result<f64> {
        Ok(0.0)
    }
}

impl Contact {
    /// The check of a solution, in the units of the contact, with the velocity change `W i`.
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
        // The part of a singular S that counts as zero also moves the tangents.
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
        let checked = match claimed.check_inlined() {
            Ok(checked) => checked,
            Err(_) => self.check_at_large(claimed)?,
        };
        if checked.work > 0.0 {
            let is_told = law == Law::Aghili && answer.is_told_to_dissipate();
            let dissipates = guard != Guard::Report || law.claims().dissipates || is_told;
            let checked =
                if dissipates { Checked { work_bound: self.work_rounding(sizes, terms), ..checked } } else { checked };
            return Ok(checked.residual.max(checked.check_gain(limits::contact_energy(self), dissipates)?));
        }
        Ok(checked.residual)
    }

    /// The rounding of `v̄·i`, each row with the sizes of its own terms. Velocities may miss their conditions by more,
    /// on the scale of the faster tangent: this is no energy that can be gained, in particular along a tangent that is
    /// slow compared with the other.
    #[cold]
    fn work_rounding(&self, impulse: [f64; 3], pushed: [f64; 3]) -> f64 {
        let before = [self.v_n, self.v_t[0], self.v_t[1]];
        let products = |row: usize| impulse[row] * (before[row].abs() + 0.5 * pushed[row]);
        ROUNDING * 3.0 * (products(0) + products(1) + products(2))
    }

    /// Corrects the energy of an outcome whose velocities have errors beyond rounding.
    #[inline(always)]
    pub(crate) fn correct_rounded_work(&self, outcome: &mut Outcome) {
        if outcome.residual > ROUNDED {
            self.correct_work(outcome);
        }
    }

    /// `v̄·i` of the reported impulse, `i·(v_c⁻ + W i/2)`. If `W` has lost the digits of its smallest eigenvalue,
    /// impulses are large, and produce the requested velocities only to the accuracy of the check: the reported energy
    /// is that of the impulse. Returns the rounding of that work.
    #[cold]
    fn correct_work(&self, outcome: &mut Outcome) -> f64 {
        let Delassus { w_nn, w, ref w_tt, omega, beta, .. } = self.delassus;
        let [i_n, i_1, i_2] = outcome.impulse.padded();
        let tangential = |x: f64| scale(x, omega + beta - self.gamma);
        let i = [scale(i_n, omega - self.gamma), tangential(i_1), tangential(i_2)];
        let before = [self.v_n, self.v_t[0], self.v_t[1]];
        let matrix = [[w_nn, w[0], w[1]], [w[0], w_tt.xx, w_tt.xy], [w[1], w_tt.xy, w_tt.yy]];
        let pushed = |row: usize| (0..3).map(|k| matrix[row][k] * i[k]).sum::<f64>();
        let size = |row: usize| (0..3).map(|k| (matrix[row][k] * i[k]).abs()).sum::<f64>();
        let change: f64 = (0..3).map(|row| i[row] * (before[row] + 0.5 * pushed(row))).sum();
        let rounding = self.energy::<false>(self.work_rounding(i.map(f64::abs), [size(0), size(1), size(2)]));
        outcome.energy.correct(self.energy::<false>(change), rounding);
        rounding
    }

    /// The check of a solution whose tangents hardly move, by themselves or by the normal impulse. Their velocities are
    /// then compared with those of the whole system: of the kinetic energy that goes with `v_n⁻`, the tangents can have
    /// `sqrt(tr W_tt / W_nn) |v_n⁻|`.
    #[cold]
    fn check_at_large(&self, claimed: Claimed) -> Result<Checked> {
        let d = &self.delassus;
        let speed = (d.w_tt.trace() * d.inv_w_nn).sqrt() * self.v_n.abs();
        let [normal, x, y] = claimed.bound;
        Claimed { bound: [normal, x + ACCURACY * speed, y + ACCURACY * speed], ..claimed }.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::impact::mode::Mode;

    /// Tangents whose velocities differ by a factor of 1e10. Friction accelerates the slower one: the energy equals
    /// that of the impact, but is less than the tolerance on velocities of the faster one.
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
