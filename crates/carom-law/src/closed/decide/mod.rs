//! Decides the modes of closed contacts from their accelerations.
//!
//! The Coulomb problem of an impact with `α` in place of the velocity: `a = α + W λ`, `0 <= λ_n ⊥ a_n >= 0`, and `λ_t`
//! in the static cone if a contact stays at rest, `-μ_d λ_n u` if it slips. A contact that already slides has a given
//! `u`; one that starts to slip has `a_t` along `u`.
//!
//! | file | contents |
//! |---|---|
//! | `single` | one contact |
//! | `many` | several contacts |

mod many;
mod single;

use crate::contact::coefficients::{Friction, required};
use crate::contact::delassus::Dimension;
use crate::error::{Error, Result, finite};
use crate::numeric::matrix::MatrixView;
use crate::numeric::plane::{Vec2, add_scaled, dot, norm};

use crate::closed::phase::{Grip, check_entries, check_matrix, drag};
use many::Several;

/// Excess of a force over its cone, relative to the largest force, up to which the contact still sticks. Callers should
/// trigger events well outside, at 1e-10, or the events repeat.
pub(crate) const CONE_TOLERANCE: f64 = 1e-12;

/// Residual above which a decision is rejected.
const MOST_RESIDUAL: f64 = 1e-8;

/// Tangential motion of a closed contact at the instant of the decision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Tangential {
    /// `v_t = 0`.
    AtRest,
    /// `v_t ≠ 0`.
    Sliding {
        /// `u = v_t/|v_t|`; `[±1, 0]` for a planar contact.
        direction: [f64; 2],
    },
}

/// A contact with neither gap nor normal velocity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClosedContact {
    /// Number of rows, the normal first.
    pub dimension: Dimension,
    /// Friction; optional for a contact of dimension 1, which ignores it, and required otherwise.
    pub friction: Option<Friction>,
    /// Whether it slides.
    pub tangential: Tangential,
}

/// The next mode of a closed contact.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum ClosedMode {
    /// `λ = 0`, `a_n >= 0`: it lifts off.
    Detach,
    /// `a = 0`, `|λ_t| <= μ_s λ_n`. A contact without tangents that stays closed counts as sticking.
    Stick,
    /// `a_n = 0`, `λ_t = -μ_d λ_n u`.
    Slip {
        /// `u`
        direction: [f64; 2],
        /// Whether it starts now, with `a_t` along `u`.
        onset: bool,
    },
}

impl ClosedMode {
    /// The grip of the phase that follows; `None` for a contact that lifts off.
    pub fn grip(self, friction: Option<Friction>) -> Option<Grip> {
        match self {
            Self::Detach => None,
            Self::Stick => Some(Grip::Stick),
            Self::Slip { direction, .. } => {
                Some(Grip::Slip { direction, friction: friction.map_or(0.0, |friction| friction.mu_d()) })
            }
        }
    }
}

/// The modes of all contacts with their forces and accelerations.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Modes {
    /// One for each contact.
    pub modes: Vec<ClosedMode>,
    /// `λ`, one for each row.
    pub forces: Vec<f64>,
    /// `a = α + W λ`.
    pub accelerations: Vec<f64>,
    /// The largest violation of a condition, as an acceleration, over the largest `|α|`.
    pub residual: f64,
    /// Whether a contact that slides with `D <= 0` lifts off or presses with the help of others, although it could also
    /// have jammed.
    pub ambiguous: bool,
}

/// The decision about closed contacts.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Decision {
    /// The contacts continue with these modes.
    Decided(Modes),
    /// A contact slides with `D <= 0`, and no finite force prevents penetration: see [`crate::jam`].
    Jammed {
        /// Index of the contact.
        contact: usize,
        /// Its `D / W_nn`.
        reduced: f64,
    },
    /// No modes satisfy all conditions: the best forces found, with their residual.
    NotConverged(Modes),
}

/// The problem, checked.
pub(crate) struct Problem<'a> {
    pub(crate) delassus: MatrixView<'a>,
    pub(crate) alpha: &'a [f64],
    pub(crate) contacts: &'a [ClosedContact],
    /// The first row of each contact.
    pub(crate) starts: Vec<usize>,
}

/// Decides the modes of closed contacts. If no contact would penetrate without forces, all detach. Otherwise the
/// present modes (rest counts as stick) are kept whenever forces for them exist, even if other modes would do.
///
/// ```
/// use carom_law::{ClosedContact, ClosedMode, Decision, Dimension, Friction, MatrixView, Tangential, decide};
///
/// // A particle of 1 kg at rest on an incline of slope 1, g = 10 sqrt 2.
/// let friction = Some(Friction::with_static(0.9, 0.5)?);
/// let contacts = [ClosedContact { dimension: Dimension::Planar, friction, tangential: Tangential::AtRest }];
/// let decision = decide(MatrixView::row_major(2, 2, &[1.0, 0.0, 0.0, 1.0]), &[-10.0, 10.0], &contacts)?;
/// let Decision::Decided(modes) = decision else { panic!() };
/// assert_eq!(modes.modes, [ClosedMode::Slip { direction: [1.0, 0.0], onset: true }]);
/// assert_eq!(modes.accelerations, [0.0, 5.0]);
/// # Ok::<(), carom_law::Error>(())
/// ```
///
/// # Errors
/// Inconsistent shapes, numbers that are not finite, a block of `W` that is not a Delassus matrix, missing friction, a
/// direction that is not a unit vector, or forces beyond the range of `f64`.
pub fn decide(delassus: MatrixView, free_acceleration: &[f64], contacts: &[ClosedContact]) -> Result<Decision> {
    let problem = Problem::new(delassus, free_acceleration, contacts)?;
    let found = match contacts.len() {
        0 => Found::default(),
        1 => single::decide(&problem)?,
        _ => Several::new(&problem)?.decide()?,
    };
    if let Some((contact, reduced)) = found.jam {
        return Ok(Decision::Jammed { contact, reduced });
    }
    if let Some(row) = found.forces.iter().position(|x| !x.is_finite()) {
        return Err(Error::Overflow { field: format!("forces[{row}]").into() });
    }
    Ok(problem.certify(found))
}

/// The candidate found, in the caller's units.
#[derive(Debug, Clone, Default)]
pub(crate) struct Found {
    pub(crate) modes: Vec<ClosedMode>,
    pub(crate) forces: Vec<f64>,
    pub(crate) ambiguous: bool,
    /// The contact that jams and its `D / W_nn`.
    pub(crate) jam: Option<(usize, f64)>,
}

impl ClosedContact {
    /// `(μ_s, μ_d)`, zero without tangents.
    pub(crate) fn coefficients(&self) -> (f64, f64) {
        match self.friction {
            Some(friction) if self.dimension != Dimension::Normal => (friction.mu_s(), friction.mu_d()),
            _ => (0.0, 0.0),
        }
    }

    /// `u` of a contact that slides.
    pub(crate) fn direction(&self) -> Option<Vec2> {
        match (self.tangential, self.dimension) {
            (Tangential::AtRest, _) | (_, Dimension::Normal) => None,
            (Tangential::Sliding { direction }, Dimension::Planar) => Some([direction[0], 0.0]),
            (Tangential::Sliding { direction }, Dimension::Spatial) => Some(direction),
        }
    }
}

impl<'a> Problem<'a> {
    fn new(delassus: MatrixView<'a>, alpha: &'a [f64], contacts: &'a [ClosedContact]) -> Result<Self> {
        let mut starts = Vec::with_capacity(contacts.len());
        let mut rows = 0;
        for (k, contact) in contacts.iter().enumerate() {
            starts.push(rows);
            rows += contact.dimension.rows();
            let has_tangents = contact.dimension != Dimension::Normal;
            required(contact.friction, has_tangents, || format!("contacts[{k}].friction").into())?;
            if let Tangential::Sliding { direction } = contact.tangential {
                let field = || format!("contacts[{k}].tangential").into();
                drag(field, contact.dimension, direction, contact.coefficients().1)?;
            }
        }
        check_matrix(&delassus, rows)?;
        if alpha.len() != rows {
            return Err(Error::Shape {
                field: "free_acceleration".into(),
                found: format!("{} numbers", alpha.len()),
                expected: format!("{rows} numbers, one for each row of the contacts"),
            });
        }
        for (i, &x) in alpha.iter().enumerate() {
            finite(x, || format!("free_acceleration[{i}]").into())?;
        }
        check_entries(&delassus, rows)?;
        Ok(Self { delassus, alpha, contacts, starts })
    }

    /// `Decided` if modes and forces satisfy every condition.
    fn certify(&self, found: Found) -> Decision {
        let accelerations = self.accelerations(&found.forces);
        let residual = self.residual(&found.modes, &found.forces, &accelerations);
        let Found { modes, forces, ambiguous, .. } = found;
        let modes = Modes { modes, forces, accelerations, residual, ambiguous };
        if residual <= MOST_RESIDUAL { Decision::Decided(modes) } else { Decision::NotConverged(modes) }
    }

    fn accelerations(&self, forces: &[f64]) -> Vec<f64> {
        let row = |(i, alpha): (usize, &f64)| {
            alpha + forces.iter().enumerate().map(|(j, force)| self.delassus.at(i, j) * force).sum::<f64>()
        };
        self.alpha.iter().enumerate().map(row).collect()
    }

    /// `D / W_nn` of a contact that slides; 1 for one at rest.
    pub(crate) fn reduced(&self, k: usize) -> f64 {
        let contact = &self.contacts[k];
        let (row, mu_d) = (self.starts[k], contact.coefficients().1);
        let Some(u) = contact.direction() else {
            return 1.0;
        };
        let w = self.tangential(k, |i| self.delassus.at(row + i, row));
        1.0 - mu_d * dot(w, u) / self.delassus.at(row, row)
    }

    /// The two tangential entries of a contact, whose rows are numbered from 1.
    fn tangential(&self, k: usize, of: impl Fn(usize) -> f64) -> Vec2 {
        let d = self.contacts[k].dimension.rows();
        [1, 2].map(|i| if i < d { of(i) } else { 0.0 })
    }

    /// The violation of the conditions of the modes by forces and accelerations, whatever the solver.
    fn residual(&self, modes: &[ClosedMode], forces: &[f64], accelerations: &[f64]) -> f64 {
        let size = self.alpha.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
        let of = |(k, mode): (usize, &ClosedMode)| {
            let (row, contact) = (self.starts[k], &self.contacts[k]);
            let (mu_s, mu_d) = contact.coefficients();
            let (a_n, a_t) = (accelerations[row], self.tangential(k, |i| accelerations[row + i]));
            let (force, friction) = (forces[row], self.tangential(k, |i| forces[row + i]));
            let w_n = self.delassus.at(row, row);
            let w_t = self.tangential(k, |i| self.delassus.at(row + i, row + i));
            let w_t = w_t[0].max(w_t[1]);
            match *mode {
                ClosedMode::Detach => (-a_n).max(w_n * force.abs()).max(w_t * norm(friction)),
                ClosedMode::Stick => {
                    let outside = w_t * (norm(friction) - mu_s * force);
                    a_n.abs().max(norm(a_t)).max(-w_n * force).max(outside)
                }
                ClosedMode::Slip { direction, onset } => {
                    let missing = w_t * norm(add_scaled(friction, mu_d * force, direction));
                    let along = dot(a_t, direction).max(0.0);
                    let across = if onset { norm(add_scaled(a_t, -along, direction)) } else { 0.0 };
                    a_n.abs().max(-w_n * force).max(missing).max(across)
                }
            }
        };
        let worst = modes.iter().enumerate().map(of).fold(0.0, f64::max);
        if worst > 0.0 { worst / size } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    /// 1 kg at rest on the floor, pushed with half of its largest friction: forces that violate a condition are rejected,
    /// whatever solver found them.
    #[test]
    fn forces_that_miss_a_condition_are_not_decided() {
        let friction = Some(Friction::new(0.5).unwrap());
        let contacts = [ClosedContact { dimension: Dimension::Planar, friction, tangential: Tangential::AtRest }];
        let delassus = [1.0, 0.0, 0.0, 1.0];
        let problem = Problem::new(MatrixView::row_major(2, 2, &delassus), &[-1.0, 0.25], &contacts).unwrap();
        let is_decided = |mode, forces: [f64; 2]| {
            let found = Found { modes: vec![mode], forces: forces.to_vec(), ..Found::default() };
            matches!(problem.certify(found), Decision::Decided(_))
        };
        let slip = ClosedMode::Slip { direction: [1.0, 0.0], onset: true };
        for (off, decided) in [(1e-9, true), (1e-7, false), (1e-3, false)] {
            assert_eq!(is_decided(ClosedMode::Stick, [1.0 + off, -0.25]), decided);
            assert_eq!(is_decided(ClosedMode::Stick, [1.0, -0.25 + off]), decided);
        }
        // Friction would drive the slip.
        assert!(!is_decided(slip, [1.0, -0.5]));
        assert!(!is_decided(ClosedMode::Detach, [0.0; 2]) && !is_decided(ClosedMode::Stick, [1.0, -0.6]));
    }

    const ALL: [Dimension; 3] = [Dimension::Spatial, Dimension::Normal, Dimension::Planar];

    fn hypot(a: &[f64]) -> f64 {
        a.iter().fold(0.0_f64, |length, x| length.hypot(*x))
    }

    /// What the modes leave of their conditions, by their definitions, as accelerations over the largest `|α|`.
    #[test]
    fn the_residual_is_the_worst_violation_of_any_mode() {
        let mut rng = Rng::with_seed(1);
        for _ in 0..1000 {
            let mut uniform = || 2.0 * rng.f64() - 1.0;
            let rows: [[f64; 8]; 6] = std::array::from_fn(|_| std::array::from_fn(|_| uniform()));
            let w: Vec<f64> = (0..36).map(|k| rows[k / 6].iter().zip(&rows[k % 6]).map(|(a, b)| a * b).sum()).collect();
            let alpha: [f64; 6] = std::array::from_fn(|_| 5.0 * uniform());
            let mut forces: [f64; 6] = std::array::from_fn(|_| uniform());
            let friction = Some(Friction::with_static(0.7, 0.4).unwrap());
            let tangential = Tangential::AtRest;
            let contacts = ALL.map(|dimension| ClosedContact { dimension, friction, tangential });
            let problem = Problem::new(MatrixView::row_major(6, 6, &w), &alpha, &contacts).unwrap();
            let mut modes = Vec::new();
            for k in 0..3 {
                let angle = 6.0 * rng.f64() - 3.0;
                let direction = if k == 0 { [angle.cos(), angle.sin()] } else { [angle.signum(), 0.0] };
                modes.push(match (k, rng.u8(0..3)) {
                    (_, 0) => ClosedMode::Detach,
                    (1, _) | (_, 1) => ClosedMode::Stick,
                    _ => ClosedMode::Slip { direction, onset: rng.bool() },
                });
            }
            // Of each contact one condition at a time is missed by most.
            if rng.bool() {
                forces = forces.map(|x| 1e-3 * x);
            }
            let a: Vec<f64> =
                (0..6).map(|i| alpha[i] + (0..6).map(|j| w[6 * i + j] * forces[j]).sum::<f64>()).collect();
            let mut worst = 0.0_f64;
            for (k, (start, end)) in [(0, 3), (3, 4), (4, 6)].into_iter().enumerate() {
                let (n, t, a_t) = (forces[start], &forces[start + 1..end], &a[start + 1..end]);
                let w_n = w[7 * start];
                let w_t = (start + 1..end).map(|r| w[7 * r]).fold(0.0, f64::max);
                let mu_s = if end - start == 1 { 0.0 } else { 0.7 };
                let missed = match modes[k] {
                    ClosedMode::Detach => vec![-a[start], w_n * n.abs(), w_t * hypot(t)],
                    ClosedMode::Stick => {
                        vec![a[start].abs(), hypot(a_t), -w_n * n, w_t * (hypot(t) - mu_s * n)]
                    }
                    ClosedMode::Slip { direction, onset } => {
                        let off: Vec<f64> = t.iter().zip(direction).map(|(t, u)| t + 0.4 * n * u).collect();
                        let along: f64 = a_t.iter().zip(direction).map(|(a, u)| a * u).sum::<f64>().max(0.0);
                        let across: Vec<f64> = a_t.iter().zip(direction).map(|(a, u)| a - along * u).collect();
                        vec![a[start].abs(), -w_n * n, w_t * hypot(&off), if onset { hypot(&across) } else { 0.0 }]
                    }
                };
                worst = missed.into_iter().fold(worst, f64::max);
            }
            let size = alpha.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
            let found = problem.residual(&modes, &forces, &a);
            assert!((found - worst / size).abs() < 1e-12 * worst / size, "{found} {worst}");
        }
    }

    #[test]
    fn a_sliding_contact_is_reduced_by_its_own_friction_and_direction() {
        let mut rng = Rng::with_seed(2);
        for _ in 0..200 {
            let mut uniform = || 2.0 * rng.f64() - 1.0;
            let mut w: Vec<f64> = (0..36).map(|_| uniform()).collect();
            (0..6).for_each(|r| w[7 * r] = 3.0 + uniform());
            let (angle, mu) = (3.0 * uniform(), 1.0 + uniform());
            let friction = Some(Friction::new(mu).unwrap());
            let sliding = |direction: [f64; 2]| Tangential::Sliding { direction };
            let [spatial, planar] = [[angle.cos(), angle.sin()], [angle.signum(), 0.0]];
            let tangentials = [sliding(spatial), Tangential::AtRest, sliding(planar)];
            let contacts = [0, 1, 2].map(|k| ClosedContact { dimension: ALL[k], friction, tangential: tangentials[k] });
            let problem = Problem::new(MatrixView::row_major(6, 6, &w), &[0.0; 6], &contacts).unwrap();
            let first = 1.0 - mu * (w[6] * spatial[0] + w[12] * spatial[1]) / w[0];
            let last = 1.0 - mu * w[6 * 5 + 4] * planar[0] / w[7 * 4];
            assert!((problem.reduced(0) - first).abs() < 1e-14 && (problem.reduced(2) - last).abs() < 1e-14);
            assert_eq!(problem.reduced(1), 1.0);
        }
    }

    #[test]
    fn friction_without_tangents_counts_as_zero() {
        let friction = Some(Friction::with_static(0.7, 0.4).unwrap());
        let of =
            |dimension, friction| ClosedContact { dimension, friction, tangential: Tangential::AtRest }.coefficients();
        assert_eq!(of(Dimension::Spatial, friction), (0.7, 0.4));
        assert_eq!((of(Dimension::Normal, friction), of(Dimension::Normal, None)), ((0.0, 0.0), (0.0, 0.0)));
    }

    #[test]
    fn the_next_phase_grips_as_the_mode_says() {
        let friction = Some(Friction::with_static(0.7, 0.4).unwrap());
        let direction = [0.6, -0.8];
        let slip = ClosedMode::Slip { direction, onset: true };
        assert_eq!(ClosedMode::Detach.grip(friction), None);
        assert_eq!(ClosedMode::Stick.grip(friction), Some(Grip::Stick));
        assert_eq!(slip.grip(friction), Some(Grip::Slip { direction, friction: 0.4 }));
        assert_eq!(slip.grip(None), Some(Grip::Slip { direction, friction: 0.0 }));
    }
}
