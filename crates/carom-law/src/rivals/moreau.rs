//! Moreau's law: Newton's restitution along the normal, Coulomb's friction on the velocity after.
//!
//! `v_n⁺ = -e v_n⁻`, `|i_t| <= μ i_n`, and where `v_t⁺ ≠ 0` friction opposes it with all it has (J. J. Moreau, *Unilateral
//! contact and dry friction in finite freedom dynamics*, 1988; for one contact it is what time-stepping codes such as
//! Siconos solve). With a tangential restitution, `v_t⁺ + e_t v_t⁻` takes the place of `v_t⁺`.
//!
//! Solved exactly. `v_t⁺ + e_t v_t⁻` is twice what Aghili's average would be for the velocity `(1+e_t) v_t⁻ / 2`, so the
//! direction of slip is a zero of the same quartic ([`crate::impact::direction`]) and stick takes the place of reversal. Hence
//! for positive definite `W` the number of answers is odd for every `μ`: there always is one. It is the only one in the
//! plane; of three in space the one with the most negative `v_n⁻ (1-e) i_n / 2 + (v_t⁺ + e_t v_t⁻)·i_t / 2` is taken.
//!
//! Claims Newton's restitution, the cone, and continuity in the plane. Does not claim dissipation (Kane's pendulum).
//! `μ_s` decides about stick, `μ_d` slips. With a singular matrix `v_t⁺` may follow from `v_n⁺` alone, and no answer is left
//! where friction against it jams the contact, `W_nn <= μ_d w·u`.

use super::{ImpactLaw, Response, no_answer, not_converged, unit};
use crate::contact::Contact;
use crate::error::Result;
use crate::impact::collision::Impact;
use crate::impact::mode::Mode;
use crate::impact::outcome::Law;
use crate::impact::slip::Sliding;
use crate::numeric::plane::{add_scaled, dot, norm, scaled};
use crate::numeric::tolerance::ACCURACY;

/// A slip whose velocity differs from that of its impulse by more than this fraction of the terms was not found: where the
/// contact jams and hardly approaches, `W_nn - μ w·u` is lost in rounding.
const INCONSISTENT: f64 = 1e-12;

/// The same for singular matrices, whose range is known to 1e-9.
const INCONSISTENT_SINGULAR: f64 = 1e-8;

/// Rounding of the sum `w·i_t`, of the size of its terms.
const DIFFERENCE_ROUNDING: f64 = 2.0 * f64::EPSILON;

pub(super) struct Moreau;

impl ImpactLaw for Moreau {
    fn law(&self) -> Law {
        Law::Moreau
    }

    fn respond(&self, impact: &Impact<'_>) -> Result<Response> {
        let &Impact { e, e_t, mu_d, .. } = impact;
        if let Some(stick) = impact.stick_at(e).filter(|stick| impact.in_static_cone(stick)) {
            return Ok(impact.stuck(e, &stick).into());
        }
        let &Contact { ref delassus, v_n, v_t, .. } = impact.contact;
        if mu_d == 0.0 {
            let i_n = impact.push() * delassus.inv_w_nn;
            let after = add_scaled(v_t, i_n, delassus.w);
            let u = unit(add_scaled(after, e_t, v_t));
            return Ok(impact.answered_by_newton(Mode::Slip, i_n, [0.0, 0.0], after, u.or(Some([1.0, 0.0]))).into());
        }
        let half = scaled(0.5 * (1.0 + e_t), v_t);
        let slid =
            Sliding { delassus, v_n, v_t: half, e, mu_d, free: None, reversal: impact.turned_back(e, e_t, mu_d) }
                .solve();
        let after = [2.0 * slid.average[0] - e_t * v_t[0], 2.0 * slid.average[1] - e_t * v_t[1]];
        // v_t⁺ + e_t v_t⁻ anew: where no direction was found it is another.
        let pushed = delassus.w_tt.times(slid.tangential);
        let terms = [scaled(2.0, half), pushed, scaled(slid.normal, delassus.w), scaled(-2.0, slid.average)];
        let left = terms.iter().fold([0.0, 0.0], |sum, term| add_scaled(sum, 1.0, *term));
        let tangential = norm(left) / terms.iter().map(|term| norm(*term)).sum::<f64>();
        // And v_n⁺ = -e v_n⁻, which is lost with the denominator.
        let (pushed, turned) = (delassus.w_nn * slid.normal, dot(delassus.w, slid.tangential));
        let normal = (pushed + turned - impact.push()).abs() / (pushed + turned.abs() + impact.push());
        let residual = tangential.max(normal);
        // Friction along the normal may be a small difference of its terms: what their rounding is of it is not lost yet.
        let [w, i] = [delassus.w, slid.tangential];
        let rounding =
            DIFFERENCE_ROUNDING * ((w[0] * i[0]).abs() + (w[1] * i[1]).abs()) / (pushed + turned.abs() + impact.push());
        let is_lost = tangential > INCONSISTENT || normal > INCONSISTENT.max(rounding.min(ACCURACY));
        if delassus.is_regular() && is_lost {
            return Err(not_converged(impact, residual, INCONSISTENT, slid.normal, slid.tangential));
        }
        if !delassus.is_regular() && residual > INCONSISTENT_SINGULAR {
            let reason = "has no answer here: the delassus matrix is singular, and friction against the slip after the \
                          impact jams the contact";
            return Err(no_answer(self.law(), reason));
        }
        let mode = if slid.direction.is_some() { Mode::Slip } else { Mode::Stick };
        Ok(impact.answered_by_newton(mode, slid.normal, slid.tangential, after, slid.direction).into())
    }
}
