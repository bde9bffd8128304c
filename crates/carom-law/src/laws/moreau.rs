//! Moreau's law: Newton's restitution along the normal, Coulomb's friction on the velocity after.
//!
//! `v_n⁺ = -e v_n⁻`, `|i_t| <= μ i_n`, and where `v_t⁺ ≠ 0` friction opposes it with all it has (J. J. Moreau, *Unilateral
//! contact and dry friction in finite freedom dynamics*, 1988; for one contact it is what time-stepping codes such as
//! Siconos solve). With a tangential restitution, `v_t⁺ + e_t v_t⁻` takes the place of `v_t⁺`.
//!
//! Solved exactly. `v_t⁺ + e_t v_t⁻` is twice what Aghili's average would be for the velocity `(1+e_t) v_t⁻ / 2`, so the
//! direction of slip is a zero of the same quartic ([`crate::direction`]) and stick takes the place of reversal. Hence
//! for positive definite `W` the number of answers is odd for every `μ`: there always is one. It is the only one in the
//! plane; of three in space the one with the most negative `v_n⁻ (1-e) i_n / 2 + (v_t⁺ + e_t v_t⁻)·i_t / 2` is taken.
//!
//! Claims Newton's restitution, the cone, and continuity in the plane. Does not claim dissipation (Kane's pendulum).
//! `μ_s` decides about stick, `μ_d` slips. Singular matrices are answered as by `aghili`.

use super::{ImpactLaw, Response};
use crate::collision::Impact;
use crate::contact::Contact;
use crate::error::Result;
use crate::mode::Mode;
use crate::outcome::Law;
use crate::plane::scaled;
use crate::slip::Sliding;

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
        let half = scaled(0.5 * (1.0 + e_t), v_t);
        let slid = Sliding { delassus, v_n, v_t: half, e, mu_d, reversal: impact.turned_back(e, e_t, mu_d) }.solve();
        let after = [2.0 * slid.average[0] - e_t * v_t[0], 2.0 * slid.average[1] - e_t * v_t[1]];
        let mode = if slid.direction.is_some() { Mode::Slip } else { Mode::Stick };
        Ok(impact.answered_by_newton(mode, slid.normal, slid.tangential, after, slid.direction).into())
    }
}
