//! A contact about to be struck: the Delassus matrix and the velocity before the impact.

use crate::delassus::{Delassus, Dimension};
use crate::error::{Error, Result, finite};
use crate::plane::{Vec2, add_scaled, norm};
use crate::scaling::{exponent, scale};
use crate::vector::ContactVector;

/// A contact velocity may leave the range of a singular `W` by this fraction of its size.
const RANGE_TOLERANCE: f64 = 1e-9;

/// `(W, v_c⁻)`: all that the law has to know of the bodies.
#[derive(Debug, Clone, Copy)]
pub struct Contact {
    pub(crate) delassus: Delassus,
    /// Normal velocity over `2^gamma`; negative approaches.
    pub(crate) v_n: f64,
    /// Tangential velocity over `2^(gamma + beta)`.
    pub(crate) v_t: Vec2,
    pub(crate) gamma: i32,
    /// The velocity as it was given.
    pub(crate) before: ContactVector,
}

impl Contact {
    /// A contact with the velocity `(v_n, v_t)`, normal first; `v_n < 0` approaches.
    ///
    /// # Errors
    /// The velocity has another dimension than the matrix, is not finite, or cannot occur with a
    /// singular matrix.
    #[inline]
    pub fn new(delassus: Delassus, velocity: &[f64]) -> Result<Self> {
        let d = delassus.dimension.rows();
        if velocity.len() != d {
            return Err(Error::Shape {
                field: "contact_velocity".into(),
                found: format!("{} numbers", velocity.len()),
                expected: format!("{d} numbers, as the contact has dimension {d}"),
            });
        }
        let mut v = [0.0; 3];
        for (i, &x) in velocity.iter().enumerate() {
            v[i] = finite(x, || format!("contact_velocity[{i}]").into())?;
        }
        let beta = delassus.beta;
        // The unit of speed: the larger of |v_n| and the largest tangential component in its unit.
        let normal = if v[0] == 0.0 { i32::MIN } else { exponent(v[0]) };
        let largest = v[1].abs().max(v[2].abs());
        let tangential = if largest == 0.0 { i32::MIN } else { exponent(largest) - beta };
        let gamma = match normal.max(tangential) {
            i32::MIN => 0,
            gamma => gamma,
        };
        let contact = Self {
            delassus,
            v_n: scale(v[0], -gamma),
            v_t: [scale(v[1], -gamma - beta), scale(v[2], -gamma - beta)],
            gamma,
            before: ContactVector::new(delassus.dimension, v),
        };
        if !delassus.tangent.is_regular() {
            contact.check_range()?;
        }
        Ok(contact)
    }

    /// With a singular `W`, `y = v_t - w v_n / W_nn` has no part in the null space of `S`.
    #[cold]
    fn check_range(&self) -> Result<()> {
        let w = &self.delassus;
        if w.dimension == Dimension::Normal {
            return Ok(());
        }
        let outside = w.tangent.null_part(self.free_velocity());
        let size = norm(self.v_t) + norm(w.w) * self.v_n.abs() * w.inv_w_nn;
        if outside > RANGE_TOLERANCE * size {
            return Err(Error::OutsideRange {
                field: "contact_velocity".into(),
                value: outside / size,
                bound: RANGE_TOLERANCE,
            });
        }
        Ok(())
    }

    /// `y = v_t⁻ - w v_n⁻ / W_nn`: the tangential velocity that the normal motion does not explain.
    #[inline]
    pub(crate) fn free_velocity(&self) -> Vec2 {
        add_scaled(self.v_t, -self.v_n * self.delassus.inv_w_nn, self.delassus.w)
    }

    /// Whether the contact approaches, `v_n⁻ < 0`, so that there is an impact.
    #[inline]
    pub fn approaches(&self) -> bool {
        self.before[0] < 0.0
    }

    /// The Delassus matrix of the contact.
    pub fn delassus(&self) -> &Delassus {
        &self.delassus
    }

    /// The contact velocity before the impact.
    pub fn velocity(&self) -> ContactVector {
        self.before
    }

    /// The speed of approach `max(0, -v_n⁻)`.
    pub fn approach_speed(&self) -> f64 {
        if self.approaches() { -self.before[0] } else { 0.0 }
    }
}
