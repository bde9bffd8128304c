//! The critical coefficients and limits as functions: the curves of a map.

use crate::contact::Contact;
use crate::contact::coefficients::Restitution;
use crate::contact::delassus::{Delassus, Dimension};
use crate::impact::collision::Impact;
use crate::impact::limits;
use crate::numeric::plane::norm;
use crate::numeric::scaling::scale;

impl Contact {
    /// `μ_cr(e)`: the smallest static coefficient that sticks; `None` if no coefficient does, or the contact separates.
    /// The outcome's `critical_friction` is its value at the given restitution.
    pub fn critical_friction(&self, restitution: &Restitution) -> Option<f64> {
        self.curve(restitution, |impact| impact.stick_at(impact.e).map(|stick| stick.critical))
    }

    /// `μ_rev(e)`: the smallest dynamic coefficient at which the contact can reverse; `None` if there is none, or the
    /// contact separates.
    pub fn critical_reversal(&self, restitution: &Restitution) -> Option<f64> {
        self.curve(restitution, |impact| match self.delassus.dimension {
            Dimension::Normal => None,
            Dimension::Planar | Dimension::Spatial => impact.reversal_at(impact.e).map(|reversal| reversal.critical),
        })
    }

    /// The paper's critical coefficient \[23\]; `None` when infinite, `W` is singular, or the contact
    /// separates.
    pub fn printed_critical_friction(&self, restitution: &Restitution) -> Option<f64> {
        self.curve(restitution, |impact| {
            let xi = limits::contact_momentum(self);
            self.delassus.is_regular().then(|| norm(xi.tangential) / (xi.normal.abs() * (1.0 + impact.e)))
        })
    }

    /// `e*(v)` \[30\], which depends only on the tangential restitution; `None` if the contact separates, or approaches
    /// so slowly that the limit exceeds the range of `f64`.
    pub fn restitution_limit(&self, restitution: &Restitution) -> Option<f64> {
        if !self.approaches() {
            return None;
        }
        let (locking, momentum) = (limits::locking(&self.delassus), limits::contact_momentum(self));
        let limit = limits::state(self, restitution.tangential(), locking, &momentum);
        limit.is_finite().then_some(limit)
    }

    fn curve(&self, restitution: &Restitution, critical: impl Fn(&Impact) -> Option<f64>) -> Option<f64> {
        let impact = Impact {
            contact: self,
            e: restitution.normal_at(self.approach_speed()),
            e_t: restitution.tangential(),
            mu_s: 0.0,
            mu_d: 0.0,
        };
        if self.approaches() { critical(&impact).and_then(|mu| self.coefficient::<false>(mu)) } else { None }
    }
}

impl Delassus {
    /// `e*` \[32\] for all states, which depends only on the tangential restitution.
    pub fn restitution_limit(&self, restitution: &Restitution) -> f64 {
        limits::configuration(limits::locking(self), restitution.tangential())
    }

    /// `μ*` \[38\]; `None` when infinite.
    pub fn friction_limit(&self) -> Option<f64> {
        let limit = scale(limits::friction(self), -self.beta);
        limit.is_finite().then_some(limit)
    }
}
