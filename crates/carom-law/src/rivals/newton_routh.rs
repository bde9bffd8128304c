//! Newton's restitution with Coulomb friction inside the impact.
//!
//! The path of the contact ([`super::path`]) is followed until `v_n = -e v_n⁻`, first reached after compression (Y. Wang and
//! M. T. Mason, *Journal of Applied Mechanics* 59:635-642, 1992, discuss it beside Poisson's).
//!
//! Claims Newton's restitution, the cone and continuity. Does not claim dissipation: where slip that reverses slows the
//! normal velocity's rise, the path has to be followed far (Kane's pendulum with `e = 0.8`). `e_t` is ignored. With a singular
//! matrix the contact may come to rest wholly and never rise again: no answer then, unless `e = 0`.

use super::path::{Goal, Path};
use super::{ImpactLaw, Response};
use crate::error::Result;
use crate::impact::collision::Impact;
use crate::impact::outcome::Law;

pub(super) struct NewtonRouth;

impl ImpactLaw for NewtonRouth {
    fn law(&self) -> Law {
        Law::NewtonRouth
    }

    fn respond(&self, impact: &Impact<'_>) -> Result<Response> {
        let mut path = Path::new(impact, self.law());
        path.compress()?;
        path.restore(Goal::Velocity(-impact.e * impact.contact.v_n))?;
        Ok(path.response())
    }
}
