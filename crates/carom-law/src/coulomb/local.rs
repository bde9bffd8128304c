//! The exact answer of one contact with all others held: the law's own slip and reversal.
//!
//! `y = q + W i`, `0 <= i_n ⊥ y_n >= 0`, `i_t ∈ -μ i_n Sgn(y_t)` is an impact without restitution at the velocity
//! `(q_n, q_t/2)`: its average tangential velocity is `y_t/2`.

use crate::contact::Contact;
use crate::contact::delassus::Delassus;
use crate::impact::collision::Impact;
use crate::numeric::plane::Vec2;

/// The impulse of a contact with Coulomb's friction. Where several are consistent, the one that comes to rest
/// if `prefers_rest`, else the one that the law would choose.
pub(crate) fn coulomb(delassus: &Delassus, q: [f64; 3], mu: f64, prefers_rest: bool) -> [f64; 3] {
    if !(q[0] < 0.0) {
        return [0.0; 3];
    }
    let contact = Contact::assemble(*delassus, [q[0], 0.5 * q[1], 0.5 * q[2]]);
    let mu = contact.rescaled::<false>(mu, |units| units.beta);
    let impact = Impact { contact: &contact, e: 0.0, e_t: 1.0, mu_s: mu, mu_d: mu };
    let rest = impact.reversal_at(0.0);
    let answer = match rest {
        Some(impulse) if prefers_rest && impact.in_static_cone(&impulse) => impact.stuck(0.0, &impulse),
        _ => impact.slide(0.0, rest),
    };
    contact.in_callers_units::<false>(&answer).impulse
}

/// Whether the contact alone could come to rest, `y = 0`, inside the cone of `mu`.
pub(crate) fn can_rest(delassus: &Delassus, q: [f64; 3], mu: f64) -> bool {
    let contact = Contact::assemble(*delassus, [q[0], 0.5 * q[1], 0.5 * q[2]]);
    let mu = contact.rescaled::<false>(mu, |units| units.beta);
    let impact = Impact { contact: &contact, e: 0.0, e_t: 1.0, mu_s: mu, mu_d: mu };
    impact.reversal_at(0.0).is_some_and(|impulse| impact.in_static_cone(&impulse))
}

/// The impulse of a contact whose friction has the direction `-u`, whatever the velocity. `None` where pushing
/// does not open the contact, `W_nn <= μ w·u`.
pub(crate) fn driven(w_nn: f64, w: Vec2, q_n: f64, mu: f64, u: Vec2) -> Option<[f64; 3]> {
    if !(q_n < 0.0) {
        return Some([0.0; 3]);
    }
    let denominator = w_nn - mu * (w[0] * u[0] + w[1] * u[1]);
    if !(denominator > 0.0) {
        return None;
    }
    let normal = -q_n / denominator;
    Some([normal, -mu * normal * u[0], -mu * normal * u[1]])
}
