//! A contact about to be struck: the Delassus matrix and the velocity before the impact.
//!
//! | file | contents |
//! |---|---|
//! | `coefficients` | restitution and friction, checked on construction |
//! | `delassus` | W, checked and scaled to order one; S, regular or singular, and the impulses of linear conditions |
//! | `mechanism` | M, factored, with the rows of its contacts |
//! | `whitened` | the contact in coordinates in which the kinetic energy is half the square of the velocity |
//! | `vector` | one to three numbers of a contact |

pub(crate) mod coefficients;
pub(crate) mod delassus;
pub(crate) mod mechanism;
pub(crate) mod vector;
pub(crate) mod whitened;

use crate::contact::delassus::{Delassus, Factor};
use crate::contact::vector::ContactVector;
use crate::contact::whitened::Whitened;
use crate::error::{Error, Result};
use crate::numeric::plane::{Vec2, add_scaled, norm};
use crate::numeric::scaling::{exponent, is_tame, larger, scale};
use crate::numeric::tolerance::RANGE;

/// `(W, v_c⁻)`: all that the law needs to know about the bodies.
#[derive(Debug, Clone, Copy)]
pub struct Contact {
    pub(crate) delassus: Delassus,
    /// Normal velocity over `2^gamma`; negative if approaching.
    pub(crate) v_n: f64,
    /// Tangential velocity over `2^(gamma + beta)`.
    pub(crate) v_t: Vec2,
    pub(crate) gamma: i32,
    /// Whether no scaling was needed: all units are those of the caller.
    pub(crate) is_natural: bool,
    /// The velocity as it was given.
    pub(crate) before: ContactVector,
    /// For a contact from `(M, A, q̇)`: the contact in whitened coordinates, which preserve accuracy if it is
    /// ill-conditioned.
    pub(crate) whitened: Option<Whitened>,
}

/// The exponents of the units of `W`, of tangential lengths and of speed.
pub(crate) struct Units {
    pub(crate) omega: i32,
    pub(crate) beta: i32,
    pub(crate) gamma: i32,
}

impl Contact {
    /// A contact with the velocity `(v_n, v_t)`, normal first; `v_n < 0` approaches.
    ///
    /// # Errors
    /// The velocity does not match the dimension of the matrix, is not finite, or cannot occur with a singular matrix.
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
        v[..d].copy_from_slice(velocity);
        let contact = Self::assemble(delassus, v);
        if contact.is_sound() { Ok(contact) } else { Err(contact.fault()) }
    }

    /// From three components, of which those beyond the dimension are zero.
    #[inline(always)]
    pub(crate) fn assemble(delassus: Delassus, v: [f64; 3]) -> Self {
        let beta = delassus.beta;
        let largest = larger(v[1].abs(), v[2].abs());
        let gamma = if beta == 0 && is_tame(larger(v[0].abs(), largest)) { 0 } else { far_unit(v[0], largest, beta) };
        Self {
            delassus,
            v_n: scale(v[0], -gamma),
            v_t: [scale(v[1], -gamma - beta), scale(v[2], -gamma - beta)],
            gamma,
            is_natural: delassus.omega | beta | gamma == 0,
            before: ContactVector::new(delassus.dimension, v),
            whitened: None,
        }
    }

    /// A mechanism's contact from its factor, the velocity `A q̇⁻` and the whitened velocity over `2^unit`. The velocity is
    /// in the range of `W` by construction.
    pub(crate) fn from_factor(factor: &Factor, velocity: [f64; 3], whitened: [f64; 3], unit: i32) -> Self {
        let mut contact = Self::assemble(Delassus::from_factor(factor), velocity);
        contact.whitened = Some(Whitened::new(factor, &contact, whitened, unit));
        contact
    }

    /// Whether the velocity can occur; if not, [`Contact::fault`] gives the reason.
    #[inline(always)]
    pub(crate) fn is_sound(&self) -> bool {
        // Zero times anything that is not finite is NaN.
        let is_finite = (self.v_n + self.v_t[0] + self.v_t[1]) * 0.0 == 0.0;
        is_finite && (self.delassus.tangent.is_regular() || self.outside_range() <= RANGE)
    }

    /// The error for a velocity that is not valid.
    #[cold]
    pub(crate) fn fault(&self) -> Error {
        let field = "contact_velocity";
        match self.before.iter().position(|x| !x.is_finite()) {
            Some(i) => Error::NotFinite { field: format!("{field}[{i}]").into(), value: self.before[i] },
            None => Error::OutsideRange { field: field.into(), value: self.outside_range(), bound: RANGE },
        }
    }

    /// With a singular `W`, `y = v_t - w v_n / W_nn` must have no component in the null space of `S`. Returns the
    /// relative size of that component.
    #[cold]
    fn outside_range(&self) -> f64 {
        let w = &self.delassus;
        let outside = w.null_part(self.free_velocity());
        let size = norm(self.v_t) + norm(w.w) * self.v_n.abs() * w.inv_w_nn;
        if outside == 0.0 { 0.0 } else { outside / size }
    }

    /// `y = v_t⁻ - w v_n⁻ / W_nn`: the tangential velocity that is not due to the normal motion.
    #[inline(always)]
    pub(crate) fn free_velocity(&self) -> Vec2 {
        add_scaled(self.v_t, -self.v_n * self.delassus.inv_w_nn, self.delassus.w)
    }

    /// Whether the contact approaches, `v_n⁻ < 0`, so that there is an impact.
    #[inline(always)]
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

    /// `x` times a power of two made of the exponents of the units. Those of a natural contact are all zero; a
    /// compile-time flag avoids a test for every number.
    #[inline(always)]
    pub(crate) fn rescaled<const NATURAL: bool>(&self, x: f64, exponent: impl FnOnce(&Units) -> i32) -> f64 {
        if NATURAL {
            x
        } else {
            scale(x, exponent(&Units { omega: self.delassus.omega, beta: self.delassus.beta, gamma: self.gamma }))
        }
    }

    /// The speed of approach `max(0, -v_n⁻)`.
    pub fn approach_speed(&self) -> f64 {
        if self.approaches() { -self.before[0] } else { 0.0 }
    }
}

/// The exponent of the unit of speed: that of the larger of `|v_n|` and the largest tangential component
/// in its own unit.
#[cold]
fn far_unit(normal: f64, tangential: f64, beta: i32) -> i32 {
    let of = |x: f64, unit: i32| if x == 0.0 { None } else { Some(exponent(x) - unit) };
    of(normal, 0).max(of(tangential, beta)).unwrap_or(0)
}
