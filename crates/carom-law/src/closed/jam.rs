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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Condition;
    use fastrand::Rng;

    fn planar() -> Delassus {
        Delassus::planar([[1.0, -1.0], [-1.0, 2.0]]).unwrap()
    }

    #[test]
    fn a_bound_outside_of_zero_to_one_is_refused() {
        let friction = Friction::new(1.5).unwrap();
        for bound in [-1.0, 0.0, 1.0, 2.0, f64::NAN] {
            let error = jam_within(planar(), &[-1.0], friction, bound).unwrap_err();
            assert!(matches!(&error, Error::OutOfRange { field, .. } if field == "bound"), "{error}");
        }
        for bound in [1e-300, 0.5, 1.0_f64.next_down()] {
            assert!(jam_within(planar(), &[-1.0], friction, bound).is_ok(), "{bound}");
        }
    }

    /// `D / W_nn = 1 - μ` of a contact that slides against `w`, and `1 + μ` of one that slides along it; 1 at rest.
    #[test]
    fn a_contact_jams_up_to_the_bound() {
        let reduced_by = |mu: f64, v: f64, bound: f64| {
            let jammed = jam_within(planar(), &[v], Friction::new(mu).unwrap(), bound);
            jammed.map(|jammed| jammed.reduced).map_err(|error| match error {
                Error::OutOfRange { value, .. } => value,
                other => panic!("{other}"),
            })
        };
        for (mu, expected) in [(0.5, Err(0.5)), (0.9998, Err(2e-4)), (1.0, Ok(0.0)), (1.5, Ok(-0.5))] {
            let found = reduced_by(mu, -2.0, 1e-4);
            let (x, y) = (found.unwrap_or_else(|x| x), expected.unwrap_or_else(|x: f64| x));
            assert!(found.is_ok() == expected.is_ok() && (x - y).abs() < 1e-12, "{found:?} {expected:?}");
        }
        assert_eq!(reduced_by(1.5, 2.0, 0.1), Err(2.5));
        assert_eq!(reduced_by(1.5, 0.0, 0.1), Err(1.0));
        // Of a contact that is about to, the impulse misses its cone by as much.
        let jammed = jam_within(planar(), &[-1.0], Friction::new(0.999).unwrap(), 1e-2).unwrap();
        assert!((jammed.residual - 1e-3).abs() < 1e-12, "{jammed:?}");
    }

    /// Every condition of a spatial slip, by its definition.
    #[test]
    fn a_spatial_slip_opens_nothing_and_moves_along_itself() {
        let mut rng = Rng::with_seed(1);
        let mut slips = 0;
        for _ in 0..6000 {
            let rows: Vec<[f64; 5]> = (0..3).map(|_| std::array::from_fn(|_| 2.0 * rng.f64() - 1.0)).collect();
            let w: [[f64; 3]; 3] =
                std::array::from_fn(|i| std::array::from_fn(|j| (0..5).map(|k| rows[i][k] * rows[j][k]).sum()));
            let (mu, angle) = (0.5 + 3.0 * rng.f64(), 6.3 * rng.f64());
            let speed = 10f64.powi(rng.i32(-3..4));
            let v = [speed * angle.cos(), speed * angle.sin()];
            let friction = Friction::new(mu).unwrap();
            let Ok(jammed) = jam(Delassus::spatial(w).unwrap(), &v, friction) else { continue };
            let i = jammed.impulse;
            let after: Vec<f64> = (0..3)
                .map(|r| if r == 0 { 0.0 } else { v[r - 1] } + (0..3).map(|c| w[r][c] * i[c]).sum::<f64>())
                .collect();
            let size = speed * 1e-9 * (1.0 + w[0][0] * i[0] / speed);
            assert!(after[0].abs() < size, "{after:?}");
            for r in 1..3 {
                assert!((after[r] - jammed.contact_velocity[r]).abs() < size);
            }
            let sum = [v[0] + after[1], v[1] + after[2]];
            let work = 0.5 * (sum[0] * i[1] + sum[1] * i[2]);
            assert!((work - jammed.energy_change).abs() < 1e-9 * (1.0 + work.abs()) && work <= 0.0);
            if jammed.mode != Mode::Slip {
                continue;
            }
            slips += 1;
            let u = jammed.direction.unwrap();
            let u = [u[0], u[1]];
            assert!((w[0][0] - mu * (w[1][0] * u[0] + w[2][0] * u[1])).abs() < 1e-9, "D(u) = 0");
            assert!((i[1] + mu * i[0] * u[0]).abs().max((i[2] + mu * i[0] * u[1]).abs()) < 1e-12 * i[0]);
            assert!((u[0] * sum[1] - u[1] * sum[0]).abs() < size && u[0] * sum[0] + u[1] * sum[1] > -size);
        }
        assert!(slips > 100, "{slips}");
    }

    #[test]
    fn an_impact_without_collision_is_held_to_its_evidence() {
        let jammed = jam(planar(), &[-1.0], Friction::new(1.5).unwrap()).unwrap();
        let [n, t] = [jammed.contact_velocity[0], jammed.contact_velocity[1]];
        let evidence = Evidence {
            after: [n, t, 0.0],
            before_size: [1.0, 1.0, 0.0],
            after_size: [0.0; 3],
            freedoms: 2,
            impulse_error: 0.0,
            energy: None,
        };
        assert!(jammed.verify(&evidence).is_ok());
        for (off, row) in [([2e-9, 0.0], 0), ([0.0, 2e-9], 1)] {
            let after = [n + off[0], t + off[1], 0.0];
            let error = jammed.verify(&Evidence { after, ..evidence }).unwrap_err();
            assert!(matches!(error, Error::CheckFailed { condition: Condition::Velocity(r), .. } if r == row));
        }
        let energy = |after: f64| {
            let energy = crate::impact::verify::EnergyEvidence { before: 1.0, after, after_size: after };
            jammed.verify(&Evidence { energy: Some(energy), ..evidence })
        };
        assert!(energy(1.0 + jammed.energy_change).is_ok());
        assert!(energy(1.0 + jammed.energy_change + 1e-8).is_err());
    }
}
