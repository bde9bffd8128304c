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
use crate::numeric::plane::{Sym2, Vec2, add_scaled, dot, norm, scaled};
use crate::numeric::tolerance::ACCURACY;

/// A slip whose velocity differs from that of its impulse by more than this fraction of the terms was not found: where the
/// contact jams and hardly approaches, `W_nn - μ w·u` is lost in rounding.
const INCONSISTENT: f64 = 1e-12;

/// The tolerance for singular matrices, whose range is known to 1e-9.
const INCONSISTENT_SINGULAR: f64 = 1e-8;

/// Rounding of the sums `w·i_t` and `W_tt i_t`, of the size of their terms.
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
        let [i, w] = [slid.tangential, delassus.w];
        let pushed = delassus.w_tt.times(i);
        let terms = [scaled(2.0, half), pushed, scaled(slid.normal, w), scaled(-2.0, slid.average)];
        let left = terms.iter().fold([0.0, 0.0], |sum, term| add_scaled(sum, 1.0, *term));
        let tangential_size = terms.iter().map(|term| norm(*term)).sum::<f64>();
        let tangential = norm(left) / tangential_size;
        // And v_n⁺ = -e v_n⁻, which is lost with the denominator.
        let (raised, turned) = (delassus.w_nn * slid.normal, dot(w, i));
        let normal_size = raised + turned.abs() + impact.push();
        let normal = (raised + turned - impact.push()).abs() / normal_size;
        let residual = tangential.max(normal);
        // What friction does to a velocity may be a small difference of its terms, whose rounding no impulse in f64 avoids: what it is of that
        // velocity is not lost yet.
        let products = |row: Vec2| (row[0] * i[0]).abs() + (row[1] * i[1]).abs();
        let Sym2 { xx, xy, yy } = delassus.w_tt;
        let exceeds = |residual: f64, products: f64, size: f64| {
            residual > INCONSISTENT.max((DIFFERENCE_ROUNDING * products / size).min(ACCURACY))
        };
        let is_lost = exceeds(tangential, products([xx, xy]) + products([xy, yy]), tangential_size)
            || exceeds(normal, products(w), normal_size);
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
