//! Contacts with an ill-conditioned W, such as a wheel of large rotational inertia or a nearly straight leg. These are
//! solved with a factor of W, whose condition number is the square root of that of W.

use carom_law::{Coefficients, ContactFactor, Evidence, FactoredContact, Guard, Law, Outcome};
use carom_multibody::{ContactPoint, ContactTerms, Dynamics, WhitenedTerms};

use super::energies;
use crate::dimension::dimension_of;
use crate::error::StrikeError;

/// Condition number of W above which a factor of W is used. Solving with W loses as many digits as this number has: at
/// 1e6 velocities keep ten, one more than the check of an outcome needs.
const ILL_CONDITIONED: f64 = 1e6;

/// Whether the condition number of W, with the normal and the tangents scaled to order one, exceeds
/// [`ILL_CONDITIONED`].
///
/// It is about `tr W_tt` over the smaller eigenvalue of `S = W_tt - w wᵀ / W_nn`, which is between one and two times
/// `det S / tr S`. Both sides are multiplied out to avoid divisions; sums that overflow or underflow are computed again
/// with scaling.
#[inline(always)]
pub(crate) fn is_ill_conditioned(terms: &ContactTerms, dimension: usize) -> bool {
    let [[w_nn, w_1, w_2], [_, w_11, w_12], [_, _, w_22]] = terms.delassus;
    // W_nn S
    let (s_11, s_12, s_22) = (w_nn * w_11 - w_1 * w_1, w_nn * w_12 - w_1 * w_2, w_nn * w_22 - w_2 * w_2);
    let is_well = match dimension {
        3 => ILL_CONDITIONED * (s_11 * s_22 - s_12 * s_12) > w_nn * (w_11 + w_22) * (s_11 + s_22),
        2 => ILL_CONDITIONED * s_11 > w_nn * w_11,
        _ => true,
    };
    !is_well && is_ill_conditioned_in_units(terms)
}

/// [`is_ill_conditioned`] with entries scaled to order one. A tangent without mobility does not count; an invalid W is
/// left to the law to reject.
#[cold]
fn is_ill_conditioned_in_units(terms: &ContactTerms) -> bool {
    let [[w_nn, w_1, w_2], [_, w_11, w_12], [_, _, w_22]] = terms.delassus;
    let largest = w_11.max(w_22);
    if !(w_nn > 0.0 && largest > 0.0 && w_nn.is_finite() && largest.is_finite()) {
        return false;
    }
    let (n, t) = (w_nn.sqrt(), largest.sqrt());
    let (w_1, w_2) = (w_1 / n / t, w_2 / n / t);
    let (w_11, w_12, w_22) = (w_11 / largest, w_12 / largest, w_22 / largest);
    let (s_11, s_12, s_22) = (w_11 - w_1 * w_1, w_12 - w_1 * w_2, w_22 - w_2 * w_2);
    let is_well = if w_11 == 0.0 || w_22 == 0.0 {
        ILL_CONDITIONED * (s_11 + s_22) > w_11 + w_22
    } else {
        ILL_CONDITIONED * (s_11 * s_22 - s_12 * s_12) > (w_11 + w_22) * (s_11 + s_22)
    };
    !is_well
}

/// [`crate::strike_with`] with a factor of W; the outcome is checked by [`Check::Full`]. No allocation.
#[cold]
pub(crate) fn strike(
    law: Law,
    dynamics: &mut Dynamics,
    contact: &ContactPoint,
    coefficients: &Coefficients,
    guard: Guard,
    velocity: &mut [f64],
) -> Result<Outcome, StrikeError> {
    let factored = factored(dynamics, contact)?;
    if velocity.len() == dynamics.velocity().len() {
        velocity.copy_from_slice(dynamics.velocity());
    }
    factored.impact_verified_by(law, coefficients, guard, |change| {
        dynamics.add_whitened_change(contact, change, velocity)?;
        evidence(dynamics, contact, velocity)
    })
}

/// A q̇⁺ along the chain and the kinetic energies of the links, for a velocity after the impact.
fn evidence(dynamics: &mut Dynamics, contact: &ContactPoint, velocity: &[f64]) -> Result<Evidence, StrikeError> {
    let [before, after] = dynamics.contact_velocity_change(contact, velocity)?;
    Ok(Evidence {
        after: after.velocity,
        before_size: [before.size; 3],
        after_size: [after.size; 3],
        freedoms: velocity.len(),
        impulse_error: 0.0,
        energy: Some(energies(dynamics, velocity)?),
    })
}

/// The contact with a factor of its W.
#[cold]
pub(crate) fn factored(dynamics: &mut Dynamics, contact: &ContactPoint) -> Result<FactoredContact, StrikeError> {
    let WhitenedTerms { factor, velocity, whitened_velocity } = dynamics.whitened_contact(contact)?;
    Ok(FactoredContact::new(&ContactFactor {
        dimension: dimension_of(contact),
        factor,
        velocity,
        whitened_velocity,
        freedoms: dynamics.velocity().len(),
        mass_condition: dynamics.mass_condition(),
    })?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// W of a contact whose S has the eigenvalues 1 and `small`, in units of `2^unit`, with the tangents turned by an
    /// angle.
    fn terms(angle: f64, small: f64, unit: i32) -> ContactTerms {
        let (sin, cos) = angle.sin_cos();
        let (w_1, w_2, unit) = (0.3, -0.4, 2.0_f64.powi(unit));
        let s = [cos * cos + small * sin * sin, sin * cos * (1.0 - small), sin * sin + small * cos * cos];
        let (w_11, w_12, w_22) = (s[0] + w_1 * w_1, s[1] + w_1 * w_2, s[2] + w_2 * w_2);
        let matrix = [[1.0, w_1, w_2], [w_1, w_11, w_12], [w_2, w_12, w_22]];
        ContactTerms { delassus: matrix.map(|row| row.map(|entry| entry * unit)), velocity: [0.0; 3] }
    }

    #[test]
    fn the_bound_is_on_the_condition_number() {
        for angle in [0.0, 0.7, 2.0] {
            for unit in [0, 60, -60, 400, -400] {
                assert!(!is_ill_conditioned(&terms(angle, 1.0, unit), 3));
                assert!(!is_ill_conditioned(&terms(angle, 3e-6, unit), 3), "{angle} {unit}");
                assert!(is_ill_conditioned(&terms(angle, 3e-7, unit), 3), "{angle} {unit}");
                assert!(is_ill_conditioned(&terms(angle, 0.0, unit), 3), "{angle} {unit}");
            }
        }
    }

    #[test]
    fn tangents_that_do_not_move_do_not_count() {
        let of = |w: [[f64; 3]; 3], dimension| {
            is_ill_conditioned(&ContactTerms { delassus: w, velocity: [0.0; 3] }, dimension)
        };
        for dimension in [2, 3] {
            assert!(!of([[1.0, 0.5, 0.0], [0.5, 2.0, 0.0], [0.0; 3]], dimension));
            assert!(of([[1.0, 1.0, 0.0], [1.0, 1.0 + 1e-7, 0.0], [0.0; 3]], dimension));
        }
        assert!(!of([[1.0, 0.0, 0.5], [0.0; 3], [0.5, 0.0, 2.0]], 3));
        // Frictionless: nothing to solve. Without mobility along the normal: left to the law to reject.
        assert!(!of([[1e-9, 0.0, 0.0], [0.0; 3], [0.0; 3]], 1));
        assert!(!of([[0.0; 3], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], 3));
        assert!(!of([[1.0, f64::NAN, 0.0], [f64::NAN, f64::INFINITY, 0.0], [0.0; 3]], 3));
    }
}
