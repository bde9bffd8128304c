//! Newton's restitution with Coulomb friction against the slip before the impact: the textbook law.
//!
//! Stick if the impulse of `v_n⁺ = -e v_n⁻`, `v_t⁺ = -e_t v_t⁻` pushes and lies in the cone of `μ_s`; else
//! `i_t = -μ_d u i_n` with `u = v_t⁻/|v_t⁻|`, and `i_n = -(1+e) v_n⁻ / (W_nn - μ_d w·u)` (E. T. Whittaker, *Analytical
//! Dynamics*, 1904; T. R. Kane and D. A. Levinson, *Dynamics*, 1985, who found that it can create energy). A contact
//! without slip before, `v_t⁻ = 0`, that cannot stick slips where an impact without friction would send it: `u = w/|w|`.
//!
//! Claims Newton's restitution and the cone. Does not claim dissipation: stick may create energy, and slip too, where
//! friction goes on pushing after it has reversed the slip (Kane's pendulum shows both). Not continuous: the slip does
//! not join the stick at the boundary. No solution if `W_nn <= μ_d w·u`: friction against the slip before the impact
//! would jam the contact.

use super::path::friction_unit;
use super::{ImpactLaw, Response, no_answer, unit};
use crate::contact::Contact;
use crate::error::Result;
use crate::impact::collision::Impact;
use crate::impact::mode::Mode;
use crate::impact::outcome::Law;
use crate::numeric::plane::{add_scaled, dot, scaled};

pub(super) struct Newton;

impl ImpactLaw for Newton {
    fn law(&self) -> Law {
        Law::Newton
    }

    fn respond(&self, impact: &Impact<'_>) -> Result<Response> {
        if let Some(stick) = impact.stick_at(impact.e).filter(|stick| impact.in_static_cone(stick)) {
            return Ok(impact.stuck(impact.e, &stick).into());
        }
        let &Contact { delassus: ref d, v_t, .. } = impact.contact;
        // Without slip or coupling friction has nothing to oppose.
        let u = unit(v_t).or_else(|| unit(d.w)).unwrap_or([0.0, 0.0]);
        // Over a unit in which friction of any size is of order one.
        let scale = friction_unit(impact.mu_d);
        let mu = impact.mu_d * scale;
        let denominator = scale * d.w_nn - mu * dot(d.w, u);
        if !(denominator > 0.0) {
            let reason = "has no answer here: friction against the slip before the impact jams the contact, \
                          as the dynamic coefficient is not below W_nn / w·u";
            return Err(no_answer(self.law(), reason));
        }
        // [18] with another direction.
        let push = impact.push() / denominator;
        let i_n = scale * push;
        let i_t = scaled(-(mu * push), u);
        let turned = d.w_tt.times(i_t);
        let after = add_scaled([v_t[0] + turned[0], v_t[1] + turned[1]], i_n, d.w);
        Ok(impact.answered_by_newton(Mode::Slip, i_n, i_t, after, Some(u)).into())
    }
}
