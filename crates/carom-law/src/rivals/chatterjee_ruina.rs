//! The algebraic law of A. Chatterjee and A. Ruina (*Journal of Applied Mechanics* 65:939-951, 1998).
//!
//! `i_I = -v_n⁻/W_nn n` ends the approach without friction, `i_II = -G v_c⁻` brings the contact to rest. The impulse is
//! `(1+e) i_I + κ (i_II - i_I)` with the largest `κ <= 1 + e_t` that keeps it in the friction cone. As the cone is convex and
//! contains the impulse of `κ = 0`, there always is one, in closed form.
//!
//! In the metric of `W` the two parts are orthogonal, so `v̄·i = -(1-e²)|i_I|²/2 - κ(2-κ)|i_II - i_I|²/2`: the law
//! claims dissipation, along with Newton's restitution, the cone and continuity. It does not claim that friction opposes
//! the slip: even with friction to spare the contact leaves with `v_t⁺ = -e v_n⁻ w / W_nn` (for `e_t = 0`), so that only
//! without coupling or with `e = 0` it sticks. `κ = 1 + e_t` is asked of the cone of `μ_s`, smaller ones of that of `μ_d`.
//! For a singular matrix `i_II` is the shortest of the impulses that bring the contact to rest.

use super::{ImpactLaw, Response, unit};
use crate::contact::Contact;
use crate::error::Result;
use crate::impact::collision::Impact;
use crate::impact::mode::Mode;
use crate::impact::outcome::Law;
use crate::numeric::plane::{add_scaled, dot, norm, scaled};

/// A tangential velocity that is at most this fraction of the one before is rounding.
const REST: f64 = 64.0 * f64::EPSILON;

pub(super) struct ChatterjeeRuina;

impl ImpactLaw for ChatterjeeRuina {
    fn law(&self) -> Law {
        Law::ChatterjeeRuina
    }

    fn respond(&self, impact: &Impact<'_>) -> Result<Response> {
        let &Contact { delassus: ref d, v_n, v_t, .. } = impact.contact;
        let &Impact { e, e_t, mu_s, mu_d, .. } = impact;
        // i_II - i_I leaves the normal velocity alone: S d_t = -y, W_nn d_n = -w·d_t.
        let y = impact.contact.free_velocity();
        let d_t = scaled(-1.0, d.pseudo_solve(y));
        let d_n = -dot(d.w, d_t) * d.inv_w_nn;
        let frictionless = impact.push() * d.inv_w_nn;
        // κ |d_t| <= μ ((1+e) i_I + κ d_n): the largest κ, over μ.
        let largest = |mu: f64| {
            let needs = norm(d_t) - mu * d_n;
            if needs > 0.0 { frictionless / needs } else { f64::INFINITY }
        };
        let whole = 1.0 + e_t;
        let is_within = |mu: f64| whole == 0.0 || norm(d_t) == 0.0 || mu > 0.0 && mu * largest(mu) >= whole;
        let is_free = is_within(mu_s);
        // κ and κ/μ: each is exact where the other underflows.
        let (kappa, share) = if is_free {
            (whole, whole / mu_s)
        } else if is_within(mu_d) {
            (whole, whole / mu_d)
        } else if mu_d > 0.0 {
            (mu_d * largest(mu_d), largest(mu_d))
        } else {
            (0.0, 0.0)
        };
        let i_t = scaled(kappa, d_t);
        // In the cone also where the sum has lost digits.
        let least = share * norm(d_t);
        let i_n = (frictionless + kappa * d_n).max(if least.is_finite() { least } else { 0.0 });
        // v_t⁺ = (1 - κ) y - e v_n⁻ w / W_nn
        let after = add_scaled(scaled(1.0 - kappa, y), -e * v_n * d.inv_w_nn, d.w);
        let sticks = is_free && norm(add_scaled(after, e_t, v_t)) <= REST * norm(v_t);
        let u = unit(scaled(-1.0, i_t)).or_else(|| unit(after));
        let mode = if sticks { Mode::Stick } else { Mode::Slip };
        Ok(impact.answered_by_newton(mode, i_n, i_t, after, u).into())
    }
}
