//! Aghili's law to the letter of the paper (F. Aghili, *Multibody System Dynamics* 48:193-209, 2020).
//!
//! Stick where the printed discriminator \[22\] is not negative, `μ_s (1+e) |ξ_n| >= |ξ_t|`, `ξ = G v_c⁻`, that is,
//! where `μ_s` reaches the printed critical coefficient \[23\]; else slip against the average velocity \[15\]-\[18\],
//! solved exactly and completed by reversal as in `aghili`. The printed criterion is exact only for `e = 0` or
//! `G_nt = 0`, and it is a double cone: stick is answered also where its impulse leaves the friction cone or pulls.
//!
//! Claims Newton's restitution. Does not claim the cone, nor dissipation, nor continuity. `G` is needed: no answer
//! for a singular matrix. `μ_s` decides, `μ_d` slips; `e_t` is obeyed by stick and unknown to the criterion.

use super::{ImpactLaw, Response, no_answer};
use crate::error::Result;
use crate::impact::collision::Impact;
use crate::impact::limits;
use crate::impact::outcome::Law;
use crate::numeric::plane::norm;

pub(super) struct AghiliPrinted;

impl ImpactLaw for AghiliPrinted {
    fn law(&self) -> Law {
        Law::AghiliPrinted
    }

    fn respond(&self, impact: &Impact<'_>) -> Result<Response> {
        let stick = impact.stick_at(impact.e).filter(|_| impact.contact.delassus.is_regular());
        let Some(stick) = stick else {
            return Err(no_answer(self.law(), "needs the inverse of the delassus matrix, which is singular"));
        };
        let xi = limits::contact_momentum(impact.contact);
        // [22]
        let sticks = impact.mu_s * (1.0 + impact.e) * xi.normal.abs() >= norm(xi.tangential);
        let answer =
            if sticks { impact.stuck(impact.e, &stick) } else { impact.slide(impact.e, impact.reversal_at(impact.e)) };
        Ok(crate::impact::collision::Answer { solutions: None, ..answer }.into())
    }
}
