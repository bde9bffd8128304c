//! Stronge's energetic restitution with Coulomb friction inside the impact.
//!
//! Along the path of the contact ([`super::path`]) the work of the normal force in restitution is `e²` times what it took
//! in compression (W. J. Stronge, *Proceedings of the Royal Society A* 431:169-181, 1990).
//!
//! Claims dissipation, by definition: `-(1-e²)` of the work of compression, and what friction takes. Claims the cone and
//! continuity. Does not claim Newton's restitution. `e_t` is ignored. With a singular matrix the contact may come to rest
//! wholly, so that nothing can be given back: no answer then, unless `e = 0`.

use super::path::{Goal, Path};
use super::{ImpactLaw, Response};
use crate::error::Result;
use crate::impact::collision::Impact;
use crate::impact::outcome::Law;

pub(super) struct Stronge;

impl ImpactLaw for Stronge {
    fn law(&self) -> Law {
        Law::Stronge
    }

    fn respond(&self, impact: &Impact<'_>) -> Result<Response> {
        let mut path = Path::new(impact, self.law());
        let compression = path.compress()?;
        path.restore(Goal::Work(impact.e * impact.e * -compression.normal_work))?;
        Ok(path.response())
    }
}
