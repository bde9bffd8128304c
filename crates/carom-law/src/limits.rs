//! The limits of the coefficients: `e*` of a state and of a configuration, and `μ*`.
//!
//! With `G = W⁻¹`, a stick dissipates iff `v_c⁻ᵀ (G - E G E) v_c⁻ >= 0` [28], [30]. Written in
//! `δ = e - e_t`, the largest root is free of cancellation and always real:
//! `v_n² G_nn δ² + 2 e_t v_n ξ_n δ - (1 - e_t²) v_c⁻ᵀ G v_c⁻ = 0`, `ξ = G v_c⁻`.

use crate::contact::Contact;
use crate::delassus::{Delassus, Dimension};
use crate::plane::{Vec2, dot, norm};
use crate::tangent::{RANK_TOLERANCE, Tangent};

/// `G v_c⁻` and the energy `v_c⁻ᵀ G v_c⁻ / 2`; `G = W⁺` where `W` is singular.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ContactMomentum {
    /// `ξ_n`
    pub(crate) normal: f64,
    /// `ξ_t`
    pub(crate) tangential: Vec2,
    /// `K_c`
    pub(crate) energy: f64,
}

#[inline]
pub(crate) fn contact_momentum(contact: &Contact) -> ContactMomentum {
    let w = &contact.delassus;
    let y = contact.free_velocity();
    let tangential = w.tangent.pseudo_solve(y);
    let normal = (contact.v_n - dot(w.w, tangential)) * w.inv_w_nn;
    let energy = 0.5 * (contact.v_n * contact.v_n * w.inv_w_nn + dot(y, tangential));
    ContactMomentum { normal, tangential, energy }
}

/// `K_c = v_c⁻ᵀ W⁺ v_c⁻ / 2`: the part of the energy that the contact can reach.
#[inline]
pub(crate) fn contact_energy(contact: &Contact) -> f64 {
    contact_momentum(contact).energy
}

/// `1 - κ = 1 / (W_nn G_nn)`, `κ = wᵀ W_tt⁺ w / W_nn`: how freely the normal moves when the
/// tangents are held.
#[inline]
pub(crate) fn freedom(w: &Delassus) -> f64 {
    match &w.tangent {
        Tangent::Regular(_) => 1.0 / (1.0 + dot(w.w, w.tangent.pseudo_solve(w.w)) * w.inv_w_nn),
        Tangent::Line(_) | Tangent::Point => freedom_singular(w),
    }
}

/// A null vector of `S` with a normal part locks the normal: `κ = 1`. Without one it is a null
/// vector of `W_tt` too, and counts for nothing.
#[cold]
fn freedom_singular(w: &Delassus) -> f64 {
    let locked = w.tangent.null_part(w.w);
    if locked * locked * w.inv_w_nn > RANK_TOLERANCE * w.w_tt.trace() {
        0.0
    } else {
        1.0 / (1.0 + dot(w.w, w.tangent.pseudo_solve(w.w)) * w.inv_w_nn)
    }
}

/// [30]: `e*(v)`, the largest restitution at which this state's stick does not create energy.
#[inline]
pub(crate) fn state(contact: &Contact, e_t: f64) -> f64 {
    state_from(contact, e_t, freedom(&contact.delassus), &contact_momentum(contact))
}

#[inline]
pub(crate) fn state_from(contact: &Contact, e_t: f64, freedom: f64, momentum: &ContactMomentum) -> f64 {
    if contact.delassus.dimension == Dimension::Normal {
        return 1.0;
    }
    if freedom == 0.0 {
        // Only e = e_t can stick at all.
        return e_t;
    }
    let inv_g_nn = contact.delassus.w_nn * freedom;
    let speed = -contact.v_n;
    let rest = (1.0 - e_t) * (1.0 + e_t) * 2.0 * momentum.energy;
    let half = e_t * momentum.normal;
    let root = (half * half + rest / inv_g_nn).sqrt();
    let delta = if half > 0.0 { (half + root) * inv_g_nn / speed } else { rest / ((root - half) * speed) };
    // 0/0: |e_t| = 1 and no momentum along the normal.
    e_t + if delta.is_nan() { 0.0 } else { delta }
}

/// [32]: `e*` for every state of this configuration, the larger root of
/// `(1-e²)(1-e_t²) = κ (1 - e e_t)²`; `sqrt(1-κ)` for `e_t = 0`.
#[inline]
pub(crate) fn configuration(freedom: f64, e_t: f64) -> f64 {
    if freedom == 1.0 {
        return 1.0;
    }
    let (kappa, rest) = (1.0 - freedom, (1.0 - e_t) * (1.0 + e_t));
    (kappa * e_t + rest * freedom.sqrt()) / (rest + kappa * e_t * e_t)
}

/// [38]: `μ* = W_nn / |w|`, in the units of the scaled contact; infinite for `w = 0`.
#[inline]
pub(crate) fn friction(w: &Delassus) -> f64 {
    w.w_nn / norm(w.w)
}
