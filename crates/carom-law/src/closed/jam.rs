//! A sliding contact that jams: an impact without collision.
//!
//! Where `D = W_nn - μ_d w·u <= 0`, pushing a sliding contact does not open it (Painlevé's paradox), and there may be
//! no finite force that does. The limit of the law as `v_n⁻ → 0⁻` then gives an impulse: stick `i = -G (0, v_t⁻)` if it
//! is in the static cone, else slip along a `u` with `D(u) = 0` and the `i_n > 0` that makes `v̄_t` parallel to `u`.
//! One always exists, and none creates energy. (Reversal, `-G (0, 2 v_t⁻)`, is twice the stick impulse: in the dynamic
//! cone only where stick is in the static one.)

use arrayvec::ArrayVec;

use crate::contact::Contact;
use crate::contact::coefficients::Friction;
use crate::contact::delassus::tangent::LinearImpulse;
use crate::contact::delassus::{Delassus, Dimension};
use crate::contact::vector::ContactVector;
use crate::error::{Error, Result};
use crate::impact::collision::{Answer, Impact};
use crate::impact::mode::Mode;
use crate::impact::outcome::RestitutionValues;
use crate::impact::verify::Evidence;
use crate::numeric::plane::{Vec2, add_scaled, cross, dot, norm, scaled};

/// `D / W_nn` up to which a contact counts as jammed, and by which a solution may violate its condition: an event is
/// never located exactly at `D = 0`.
pub(crate) const JAM_TOLERANCE: f64 = 1e-6;

/// The impact of a jammed contact.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Jam {
    /// Stick or slip.
    pub mode: Mode,
    /// The impulse, normal first.
    pub impulse: ContactVector,
    /// The contact velocity after the impact; its normal part is zero.
    pub contact_velocity: ContactVector,
    /// `u` of a slip.
    pub direction: Option<ContactVector>,
    /// `v̄·i <= 0`.
    pub energy_change: f64,
    /// `D / W_nn` of the sliding before.
    pub reduced: f64,
    /// Relative violation of the condition: 0 except for rounding and for `D` slightly above zero.
    pub residual: f64,
}

/// A solution and its violation of the conditions.
struct Candidate {
    answer: Answer,
    violation: f64,
}

/// The impact without collision of a contact that slides with the tangential velocity `sliding`.
///
/// ```
/// use carom_law::{Delassus, Friction, Mode, jam};
///
/// // A rod of length and mass 1 at 60°, its lower end sliding on the floor.
/// let root = 3f64.sqrt();
/// let delassus = Delassus::planar([[1.75, -0.75 * root], [-0.75 * root, 3.25]])?;
/// let jammed = jam(delassus, &[-1.0], Friction::new(1.8)?)?;
/// assert_eq!(jammed.mode, Mode::Stick);
/// assert!((jammed.impulse[1] - 0.4375).abs() < 1e-15 && (jammed.energy_change + 0.21875).abs() < 1e-15);
/// # Ok::<(), carom_law::Error>(())
/// ```
///
/// # Errors
/// `sliding` does not have one number per tangent, is not finite, or cannot occur with a singular matrix; the contact
/// does not jam, `D > 0`; or the impulse exceeds the range of `f64`.
pub fn jam(delassus: Delassus, sliding: &[f64], friction: Friction) -> Result<Jam> {
    jam_within(delassus, sliding, friction, JAM_TOLERANCE)
}

/// The impact without collision of a contact that is about to jam: [`jam`] for `D / W_nn` up to `bound` instead of
/// zero. The impulse violates its condition by as much: in the plane it sticks outside its cone by `D / W_nn`.
///
/// ```
/// use carom_law::{Delassus, Friction, jam, jam_within};
///
/// let delassus = Delassus::planar([[1.0, -1.0], [-1.0, 2.0]])?;
/// let friction = Friction::new(0.9999)?;
/// assert!(jam(delassus, &[-1.0], friction).is_err());
/// let jammed = jam_within(delassus, &[-1.0], friction, 2e-4)?;
/// assert!((jammed.reduced - 1e-4).abs() < 1e-12 && (jammed.residual - 1e-4).abs() < 1e-12);
/// assert!((jammed.impulse[0] - 1.0).abs() < 1e-12 && (jammed.impulse[1] - 1.0).abs() < 1e-12);
/// # Ok::<(), carom_law::Error>(())
/// ```
///
/// # Errors
/// As [`jam`], with `bound` in place of zero; also a `bound` outside (0, 1).
pub fn jam_within(delassus: Delassus, sliding: &[f64], friction: Friction, bound: f64) -> Result<Jam> {
    if !(bound > 0.0 && bound < 1.0) {
        return Err(Error::OutOfRange { field: "bound".into(), value: bound, bound: "(0, 1)".into() });
    }
    let velocity: ArrayVec<f64, 4> = std::iter::once(0.0).chain(sliding.iter().copied()).take(4).collect();
    let contact = Contact::new(delassus, &velocity)?;
    let rest = RestitutionValues { normal: 0.0, tangential: 0.0 };
    let impact = contact.request::<false>(&rest, Some(friction))?;
    let reduced = reduced(&impact);
    let free = || Error::OutOfRange {
        field: "delassus".into(),
        value: reduced,
        bound: format!("(-inf, {bound:e}], where D / W_nn has to be for a contact to jam").into(),
    };
    if !(reduced <= bound) {
        return Err(free());
    }
    let Candidate { answer, violation } = impact.jammed().ok_or_else(free)?;
    // If D is above zero the stick impulse is outside the cone by about as much.
    if reduced > 0.0 && violation > 2.0 * bound {
        return Err(free());
    }
    let solution = contact.in_callers_units::<false>(&answer);
    contact.check_representable::<false>(&solution)?;
    let dimension = contact.delassus.dimension;
    Ok(Jam {
        mode: answer.mode,
        impulse: ContactVector::new(dimension, solution.impulse),
        contact_velocity: ContactVector::new(dimension, [0.0, solution.after[1], solution.after[2]]),
        direction: answer.direction.map(|u| ContactVector::tangential(dimension, u)),
        energy_change: solution.tangential_work,
        reduced,
        residual: violation,
    })
}

/// `D / W_nn` along `v_t`; 1 at rest.
fn reduced(impact: &Impact) -> f64 {
    let &Contact { ref delassus, v_t, .. } = impact.contact;
    let speed = norm(v_t);
    if speed > 0.0 { 1.0 - impact.mu_d * dot(delassus.w, scaled(1.0 / speed, v_t)) * delassus.inv_w_nn } else { 1.0 }
}

impl Impact<'_> {
    /// Stick before slip if both are consistent; if rounding rejects all, the one with the smallest violation.
    fn jammed(&self) -> Option<Candidate> {
        let stick =
            self.stick_at(0.0).map(|i| Candidate { answer: self.stuck(0.0, &i), violation: over(&i, self.mu_s) });
        let candidates = stick.into_iter().chain(self.slips());
        // The first of equals.
        let best = candidates.min_by(|a, b| a.violation.total_cmp(&b.violation));
        best.filter(|candidate| candidate.violation.is_finite())
    }

    /// Slips along the directions with `W_nn = μ_d w·u`: two in space, mirrored in `w`. In the plane there
    /// is one at `μ_d = μ*` alone, where stick is on the edge of the cone.
    fn slips(&self) -> ArrayVec<Candidate, 2> {
        let delassus = &self.contact.delassus;
        let length = norm(delassus.w);
        if delassus.dimension != Dimension::Spatial || !(length > 0.0) {
            return ArrayVec::new();
        }
        let along = scaled(1.0 / length, delassus.w);
        let cosine = delassus.w_nn / (self.mu_d * length);
        let excess = (cosine - 1.0).max(0.0);
        let cosine = cosine.min(1.0);
        let sine = ((1.0 - cosine) * (1.0 + cosine)).sqrt();
        let across = [-along[1], along[0]];
        [sine, -sine]
            .into_iter()
            .map(|s| self.slip_along(add_scaled(scaled(cosine, along), s, across), excess))
            .collect()
    }

    /// `v̄_t = v_t + i_n h / 2 ∥ u` with `h = w - μ_d W_tt u`.
    fn slip_along(&self, u: Vec2, excess: f64) -> Candidate {
        let &Contact { ref delassus, v_t, .. } = self.contact;
        let h = add_scaled(delassus.w, -self.mu_d, delassus.w_tt.times(u));
        let normal = -2.0 * cross(u, v_t) / cross(u, h);
        let speed = dot(u, add_scaled(v_t, 0.5 * normal, h));
        let average = scaled(speed, u);
        let friction = self.mu_d * normal;
        let answer = Answer {
            mode: Mode::Slip,
            e: 0.0,
            normal,
            tangential: scaled(-friction, u),
            direction: Some(u),
            after: [2.0 * average[0] - v_t[0], 2.0 * average[1] - v_t[1]],
            normal_work: 0.0,
            tangential_work: -friction * speed,
            energy_change: -friction * speed,
            solutions: None,
        };
        let is_push = normal > 0.0 && normal.is_finite();
        let backward = (-speed / norm(v_t)).max(0.0);
        Candidate { answer, violation: if is_push { backward.max(excess) } else { f64::INFINITY } }
    }
}

/// Relative excess of an impulse over the cone of `mu`; infinite for a tensile impulse.
fn over(impulse: &LinearImpulse, mu: f64) -> f64 {
    if !(impulse.normal > 0.0) {
        f64::INFINITY
    } else if impulse.critical <= mu {
        0.0
    } else {
        1.0 - mu / impulse.critical
    }
}

impl Jam {
    /// Checks the impact without collision against evidence: the velocity after it, and that no energy is created.
    ///
    /// # Errors
    /// [`Error::CheckFailed`] if a condition is violated by more than its bound.
    pub fn verify(&self, evidence: &Evidence) -> Result<()> {
        evidence.check_velocity(&self.contact_velocity)?;
        evidence.check_energy(self.energy_change, true)?;
        Ok(())
    }
}
