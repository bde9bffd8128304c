//! Poisson's restitution with Coulomb friction inside the impact.
//!
//! Along the path of the contact ([`super::path`]) compression ends where `v_n` first vanishes, at the normal impulse
//! `p_c`; restitution adds `e p_c` (S. D. Poisson, *Traité de mécanique*, 1811; E. J. Routh, *Dynamics of a System of Rigid
//! Bodies*, 1860; J. B. Keller, *Journal of Applied Mechanics* 53:1-4, 1986).
//!
//! In space slip may turn in restitution so that friction pulls the contact back, `W_nn < μ w·u`. If it approaches again when
//! restitution is over, it is compressed again: `p_c` is then where `v_n` vanishes the next time.
//!
//! Claims dissipation: along the path `dK/dp = v_n - μ|v_t|`, whose slope `q(u) = (1, -μu) W (1, -μu)ᵀ` never
//! rises, as `u` descends it (`dq/dp = -2μ |(w - μ W_tt u)⟂|²/|v_t|`) and stick or the slip after a stop have the least `q` that
//! friction allows. So `K` gains no more in restitution than compression took. Claims the cone and continuity. Does not
//! claim Newton's restitution: `v_n⁺/v_n⁻` depends on the friction. `e_t` is ignored. Where `W_nn <= μ w·u` the contact
//! jams at first and comes to rest all the same: for a regular matrix there always is an answer.

use super::path::{Goal, Path};
use super::{ImpactLaw, Response};
use crate::error::Result;
use crate::impact::collision::Impact;
use crate::impact::outcome::Law;

pub(super) struct Poisson;

impl ImpactLaw for Poisson {
    fn law(&self) -> Law {
        Law::Poisson
    }

    fn respond(&self, impact: &Impact<'_>) -> Result<Response> {
        let mut path = Path::new(impact, self.law());
        loop {
            let compression = path.compress()?;
            path.restore(Goal::Impulse((1.0 + impact.e) * compression.normal_impulse))?;
            if !path.compresses() {
                return Ok(path.response());
            }
        }
    }
}
