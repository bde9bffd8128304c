//! Limits of the coefficients: `e*` of a state and of a configuration, and `μ*`.
//!
//! With `G = W⁻¹`, a stick dissipates iff `v_c⁻ᵀ (G - E G E) v_c⁻ >= 0` \[28\], \[30\]. Written in
//! `δ = e - e_t`, the largest root is free of cancellation and always real:
//! `v_n² G_nn δ² + 2 e_t v_n ξ_n δ - (1 - e_t²) v_c⁻ᵀ G v_c⁻ = 0`, `ξ = G v_c⁻`.

use crate::contact::Contact;
use crate::contact::delassus::{Delassus, Dimension};
use crate::numeric::plane::{Vec2, dot, norm};

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

#[inline(always)]
pub(crate) fn contact_momentum(contact: &Contact) -> ContactMomentum {
    let w = &contact.delassus;
    if let Some(whitened) = contact.whitened.as_ref().filter(|_| w.tangent.is_regular()) {
        let (normal, tangential, energy) = whitened.momentum(w.dimension);
        return ContactMomentum { normal, tangential, energy };
    }
    let y = contact.free_velocity();
    let tangential = w.pseudo_solve(y);
    let normal = (contact.v_n - dot(w.w, tangential)) * w.inv_w_nn;
    let energy = 0.5 * (contact.v_n * contact.v_n * w.inv_w_nn + dot(y, tangential));
    ContactMomentum { normal, tangential, energy }
}

/// `K_c = v_c⁻ᵀ W⁺ v_c⁻ / 2`: the part of the kinetic energy that impulses at the contact can change.
#[inline(always)]
pub(crate) fn contact_energy(contact: &Contact) -> f64 {
    contact_momentum(contact).energy
}

/// `W_nn G_nn = 1 / (1 - κ)`, `κ = wᵀ W_tt⁺ w / W_nn`: the factor by which the contact's inertia along the normal grows
/// if the tangents are held. 1 without coupling, infinite if holding them locks the normal.
#[inline(always)]
pub(crate) fn locking(w: &Delassus) -> f64 {
    if w.tangent.is_regular() { locking_along(w) } else { locking_singular(w) }
}

#[inline(always)]
fn locking_along(w: &Delassus) -> f64 {
    1.0 + dot(w.w, w.pseudo_solve(w.w)) * w.inv_w_nn
}

/// A null vector of `S` with a normal part locks the normal. Without one it is also a null vector of `W_tt` and has no
/// effect.
#[cold]
fn locking_singular(w: &Delassus) -> f64 {
    let locked = w.null_part(w.w);
    if locked * locked * w.inv_w_nn > w.rank_tolerance * w.w_tt.trace() { f64::INFINITY } else { locking_along(w) }
}

/// \[30\]: `e*(v)`, the largest restitution at which this state's stick does not create energy.
#[inline(always)]
pub(crate) fn state(contact: &Contact, e_t: f64, locking: f64, momentum: &ContactMomentum) -> f64 {
    let w = &contact.delassus;
    if w.dimension == Dimension::Normal {
        return 1.0;
    }
    if locking == f64::INFINITY {
        // Only e = e_t can stick.
        return e_t;
    }
    let g_nn = locking * w.inv_w_nn;
    let speed = -contact.v_n;
    let rest = (1.0 - e_t) * (1.0 + e_t) * 2.0 * momentum.energy;
    let half = e_t * momentum.normal;
    let root = (half * half + rest * g_nn).sqrt();
    let (numerator, denominator) = if half > 0.0 { (half + root, g_nn) } else { (rest, root - half) };
    // 0/0: |e_t| = 1 and no momentum along the normal.
    e_t + if numerator == 0.0 { 0.0 } else { numerator / (denominator * speed) }
}

/// \[32\]: `e*` for all states of this configuration, the larger root of `(1-e²)(1-e_t²) = κ (1 - e e_t)²`; `sqrt(1-κ)`
/// for `e_t = 0`.
#[inline(always)]
pub(crate) fn configuration(locking: f64, e_t: f64) -> f64 {
    if e_t == 0.0 || locking == 1.0 { 1.0 / locking.sqrt() } else { configuration_tangential(locking, e_t) }
}

#[cold]
fn configuration_tangential(locking: f64, e_t: f64) -> f64 {
    let (kappa, rest) = (1.0 - 1.0 / locking, (1.0 - e_t) * (1.0 + e_t));
    (kappa * e_t + rest / locking.sqrt()) / (rest + kappa * e_t * e_t)
}

/// \[38\]: `μ* = W_nn / |w|`, in the units of the scaled contact; infinite for `w = 0`.
#[inline(always)]
pub(crate) fn friction(w: &Delassus) -> f64 {
    w.w_nn / norm(w.w)
}
