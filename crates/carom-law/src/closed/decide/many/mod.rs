//! Several closed contacts.
//!
//! If no contact would penetrate, all detach. The present modes are kept if forces for them exist: the minimum-norm
//! forces or, if these leave a cone, the best distribution. Otherwise the Coulomb problem decides. A contact at rest
//! first has friction `μ_s`; if it still accelerates tangentially it slips with `μ_d`: one contact at a time, the one
//! with the largest acceleration first.
//!
//! | file | contents |
//! |---|---|
//! | `resting` | contacts at rest: the meaning of their types, and forces on the boundaries of cones |

mod resting;

use crate::coulomb::System;
use crate::coulomb::descent::{ABOVE_RESIDUAL, Descent, Work};
use crate::error::Result;
use crate::numeric::matrix::{Dense, MatrixView};
use crate::numeric::plane::{Vec2, norm};
use crate::numeric::scaling::{exponent, scale};

use crate::closed::decide::{CONE_TOLERANCE, ClosedMode, Found, Problem};
use crate::closed::phase::{Grip, PhaseContact, PhaseForces};
use resting::Resting;

/// Addition to the diagonal of `W` for the initial solution, relative to the mean diagonal entry of each contact: with
/// it, redundant contacts share their forces whatever their order.
const SOFTENING: f64 = 1e-3;

/// Residual at which the Coulomb solver has converged, relative to the largest `|α|`.
const TOLERANCE: f64 = 1e-10;

/// Residual that Newton's method then aims at: full accuracy.
const POLISHED: f64 = 1e-14;

/// Residual above which a solution is rejected.
const ACCEPTED: f64 = 1e-9;

/// Tangential acceleration, relative to the largest `|α|`, above which a contact slips: with the softened matrix, and
/// with the true one. The latter is mostly below the acceleration after an event triggered 1e-10 outside the cone.
const SOFT_SLIP: f64 = 1e-8;
const SLIP: f64 = 1e-12;

/// The problem with `W` and `α` near one.
pub(crate) struct Several<'a> {
    pub(super) problem: &'a Problem<'a>,
    w: Dense,
    alpha: Vec<f64>,
    pub(super) size: f64,
    /// Forces are the caller's over `2^exponent`.
    exponent: i32,
    /// Contacts that are left out because they do not press.
    is_out: Vec<bool>,
}

/// Whether all contacts can keep their modes.
enum Unchanged {
    Holds(Answer),
    /// Forces exist, but are outside a cone.
    OutsideCones,
    /// No forces satisfy the constraints.
    Infeasible,
}

/// Forces of the contacts that take part, and which of them slip.
struct Answer {
    forces: Vec<f64>,
    modes: Vec<ClosedMode>,
    residual: f64,
}

impl<'a> Several<'a> {
    pub(crate) fn new(problem: &'a Problem<'a>) -> Result<Self> {
        let n = problem.alpha.len();
        let largest = (0..n).fold(0.0_f64, |size, i| size.max(problem.delassus.at(i, i)));
        let (omega, size) = (exponent(largest), problem.alpha.iter().fold(0.0_f64, |size, x| size.max(x.abs())));
        let gamma = exponent(size);
        // Mirror entries may differ by rounding.
        let entry = |i: usize, j: usize| {
            let (a, b) = (scale(problem.delassus.at(i, j), -omega), scale(problem.delassus.at(j, i), -omega));
            0.5 * a + 0.5 * b
        };
        let mut w = Dense::zeros(n, n);
        for i in 0..n {
            w.row_mut(i).iter_mut().enumerate().for_each(|(j, x)| *x = entry(i, j));
        }
        let alpha = problem.alpha.iter().map(|x| scale(*x, -gamma)).collect();
        let is_out = vec![false; problem.contacts.len()];
        let several = Self { problem, w, alpha, size: scale(size, -gamma), exponent: gamma - omega, is_out };
        // Every block must be a Delassus matrix, even if it is not used.
        several.system(0.0)?;
        Ok(several)
    }

    pub(crate) fn decide(mut self) -> Result<Found> {
        let contacts = self.problem.contacts.len();
        let reduced: Vec<f64> = (0..contacts).map(|k| self.problem.reduced(k)).collect();
        let paradox: Vec<usize> = (0..contacts).filter(|&k| !(reduced[k] > 0.0)).collect();
        if paradox.is_empty() {
            let answer = self.answer()?;
            return Ok(self.found(&answer, false));
        }
        // Painlevé: solve without them, if they lift off.
        paradox.iter().for_each(|&k| self.is_out[k] = true);
        let without = self.answer()?;
        let entering = paradox.iter().copied().filter(|&k| self.acceleration(&without.forces, k) < -SLIP * self.size);
        let jam = entering.min_by(|&a, &b| reduced[a].total_cmp(&reduced[b]));
        let is_answer = without.residual <= ACCEPTED * self.size;
        if let (None, true) = (jam, is_answer) {
            return Ok(self.found(&without, true));
        }
        self.is_out.fill(false);
        let with = self.answer()?;
        if with.residual <= ACCEPTED * self.size {
            return Ok(self.found(&with, true));
        }
        let worst = paradox.into_iter().min_by(|&a, &b| reduced[a].total_cmp(&reduced[b]));
        Ok(match jam.or(worst) {
            Some(contact) => Found { jam: Some((contact, reduced[contact])), ..Found::default() },
            None => self.found(&with, false),
        })
    }

    fn answer(&self) -> Result<Answer> {
        // As for one contact: those that would lift off without forces do.
        let lifts_off = |(k, &is_out): (usize, &bool)| is_out || self.alpha[self.problem.starts[k]] >= 0.0;
        if self.is_out.iter().enumerate().all(lifts_off) {
            let modes = vec![ClosedMode::Detach; self.is_out.len()];
            return Ok(Answer { forces: vec![0.0; self.alpha.len()], modes, residual: 0.0 });
        }
        match self.unchanged()? {
            Unchanged::Holds(answer) => Ok(answer),
            Unchanged::OutsideCones => self.coulomb(true),
            Unchanged::Infeasible => self.coulomb(false),
        }
    }

    /// The normal acceleration of a contact.
    fn acceleration(&self, forces: &[f64], k: usize) -> f64 {
        let row = self.problem.starts[k];
        self.alpha[row] + self.w.row(row).iter().zip(forces).map(|(w, x)| w * x).sum::<f64>()
    }

    /// Indices of the contacts that take part, and of their rows.
    fn inside(&self) -> (Vec<usize>, Vec<usize>) {
        let contacts: Vec<usize> = (0..self.is_out.len()).filter(|&k| !self.is_out[k]).collect();
        let range = |&k: &usize| {
            let start = self.problem.starts[k];
            start..start + self.problem.contacts[k].dimension.rows()
        };
        let rows = contacts.iter().flat_map(range).collect();
        (contacts, rows)
    }

    /// Tries the present modes, with rest as stick.
    fn unchanged(&self) -> Result<Unchanged> {
        let (inside, rows) = self.inside();
        let contacts: Vec<PhaseContact> = inside
            .iter()
            .map(|&k| {
                let contact = &self.problem.contacts[k];
                let friction = contact.coefficients().1;
                let grip = contact.direction().map_or(Grip::Stick, |direction| Grip::Slip { direction, friction });
                PhaseContact { dimension: contact.dimension, grip }
            })
            .collect();
        let mu_s: Vec<f64> = inside.iter().map(|&k| self.problem.contacts[k].coefficients().0).collect();
        let w = self.w.part(&rows);
        let alpha: Vec<f64> = rows.iter().map(|&i| self.alpha[i]).collect();
        let view = MatrixView::row_major(rows.len(), rows.len(), w.as_slice());
        let mut part = vec![0.0; rows.len()];
        let mut phase = PhaseForces::new();
        let report = phase.solve(view, &alpha, &contacts, &mut part)?;
        // No forces can remove these accelerations.
        if report.residual > ACCEPTED {
            return Ok(Unchanged::Infeasible);
        }
        if !are_inside(&part, &contacts, &mu_s) {
            if report.rank == report.unknowns {
                return Ok(Unchanged::OutsideCones);
            }
            let found = phase.stick_margin(view, &alpha, &contacts, &mu_s, &mut part)?;
            if !(found.margin >= -CONE_TOLERANCE) {
                return Ok(Unchanged::OutsideCones);
            }
        }
        let mut forces = vec![0.0; self.alpha.len()];
        rows.iter().zip(&part).for_each(|(&row, x)| forces[row] = *x);
        let mode = |k: usize| match self.problem.contacts[k].direction() {
            _ if self.is_out[k] => ClosedMode::Detach,
            Some(direction) => ClosedMode::Slip { direction, onset: false },
            None => ClosedMode::Stick,
        };
        let modes = (0..self.is_out.len()).map(mode).collect();
        Ok(Unchanged::Holds(Answer { forces, modes, residual: report.residual * self.size }))
    }

    /// `W` of the contacts that take part, with `softening` times each contact's mean diagonal entry added.
    fn system(&self, softening: f64) -> Result<System> {
        let (inside, rows) = self.inside();
        let mut matrix = self.w.part(&rows);
        let mut start = 0;
        for &k in &inside {
            let d = self.problem.contacts[k].dimension.rows();
            let mean = (start..start + d).map(|i| matrix[(i, i)]).sum::<f64>() / d as f64;
            (start..start + d).for_each(|i| matrix[(i, i)] += softening * mean);
            start += d;
        }
        System::new(matrix, inside.iter().map(|&k| self.problem.contacts[k].dimension))
    }

    /// Solves the Coulomb problem: first softened, then exactly; from zero if that fails; finally with `μ_d` for all.
    /// If the forces of the present modes leave a cone, some mode must change, however slowly.
    fn coulomb(&self, must_change: bool) -> Result<Answer> {
        let (inside, rows) = self.inside();
        let q: Vec<f64> = rows.iter().map(|&i| self.alpha[i]).collect();
        let (soft, system) = (self.system(SOFTENING)?, self.system(0.0)?);
        let may_rest: Vec<bool> = inside.iter().map(|&k| self.problem.contacts[k].direction().is_none()).collect();
        let none = vec![false; inside.len()];
        let mut resting =
            Resting { several: self, inside: &inside, alpha: &q, must_change: false, is_forced: none.clone() };
        let mut work = Work::with_continuation(rows.len());
        let size = self.size;
        let full = Descent {
            system: &system,
            tolerance: TOLERANCE * size,
            refined: Some(POLISHED * size),
            is_near: false,
            accepted: ACCEPTED * size,
            slip: SLIP * size,
        };
        let softened = Descent { system: &soft, refined: None, slip: SOFT_SLIP * size, ..full };
        let near = Descent { tolerance: POLISHED * size, refined: None, is_near: true, ..full };

        let (mut impulse, mut may_stick) = (vec![0.0; rows.len()], may_rest.clone());
        softened.run(&mut resting, &mut may_stick, &mut impulse, &mut work);
        resting.must_change = must_change;
        let mut residual = near.run(&mut resting, &mut may_stick, &mut impulse, &mut work);
        let mut best = (residual, impulse.clone(), resting.is_forced.clone());
        for start in [&may_rest, &none] {
            if best.0 <= ACCEPTED * size {
                break;
            }
            impulse.fill(0.0);
            may_stick.clone_from(start);
            resting.is_forced.fill(false);
            residual = full.run(&mut resting, &mut may_stick, &mut impulse, &mut work);
            if residual < best.0 {
                best = (residual, impulse.clone(), resting.is_forced.clone());
            }
        }
        Ok(self.classified(&system, &inside, &rows, &q, best))
    }

    fn classified(
        &self,
        system: &System,
        inside: &[usize],
        rows: &[usize],
        q: &[f64],
        (residual, impulse, is_forced): (f64, Vec<f64>, Vec<bool>),
    ) -> Answer {
        let mut y = vec![0.0; q.len()];
        system.velocity(q, &impulse, &mut y);
        let mut forces = vec![0.0; self.alpha.len()];
        let mut modes = vec![ClosedMode::Detach; self.is_out.len()];
        let slip = (SLIP * self.size).max(ABOVE_RESIDUAL * residual);
        for (index, (block, &k)) in system.blocks.iter().zip(inside).enumerate() {
            let (x, a) = (block.of(&impulse), block.of(&y));
            if block.w_nn * x[0] <= a[0] {
                continue;
            }
            modes[k] = match self.problem.contacts[k].direction() {
                Some(direction) => ClosedMode::Slip { direction, onset: false },
                None if norm([a[1], a[2]]) <= slip && !is_forced[index] => ClosedMode::Stick,
                None => ClosedMode::Slip { direction: direction(block.w_t, [x[1], x[2]], [a[1], a[2]]), onset: true },
            };
            // The friction of a slip satisfies its condition exactly.
            let normal = x[0].max(0.0);
            let mu_d = self.problem.contacts[k].coefficients().1;
            let exact = match modes[k] {
                ClosedMode::Slip { direction: u, .. } => [normal, -mu_d * normal * u[0], -mu_d * normal * u[1]],
                ClosedMode::Stick | ClosedMode::Detach => [normal, x[1], x[2]],
            };
            block.range().zip(exact).for_each(|(r, x)| forces[rows[r]] = x);
        }
        Answer { forces, modes, residual }
    }

    fn found(&self, answer: &Answer, ambiguous: bool) -> Found {
        let forces = answer.forces.iter().map(|x| scale(*x, self.exponent)).collect();
        Found { modes: answer.modes.clone(), forces, ambiguous, jam: None }
    }
}

/// The direction of a slip: along the acceleration, or against the friction if that is larger and thus more accurate.
fn direction(w_t: f64, friction: Vec2, acceleration: Vec2) -> Vec2 {
    let (against, along) = (norm(friction), norm(acceleration));
    let (vector, length) = if w_t * against > along { (friction, -against) } else { (acceleration, along) };
    // Adding zero turns -0 into 0.
    vector.map(|x| x / length + 0.0)
}

/// Whether all forces are in the cones, to tolerance.
fn are_inside(forces: &[f64], contacts: &[PhaseContact], mu_s: &[f64]) -> bool {
    let outside = CONE_TOLERANCE * forces.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
    let mut row = 0;
    contacts.iter().zip(mu_s).all(|(contact, mu)| {
        let (start, d) = (row, contact.dimension.rows());
        row += d;
        let friction = forces[start + 1..start + d].iter().fold(0.0_f64, |length, x| length.hypot(*x));
        let holds = contact.grip != Grip::Stick || friction <= mu * forces[start] + outside || d == 1;
        forces[start] >= -outside && holds
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::closed::decide::{ClosedContact, Tangential};
    use crate::contact::coefficients::Friction;
    use crate::contact::delassus::Dimension;

    #[test]
    fn a_slip_points_along_the_acceleration_or_against_the_larger_friction() {
        assert_eq!(direction(2.0, [0.0, 0.0], [3.0, -4.0]), [0.6, -0.8]);
        // 2 · 5 against 9.
        assert_eq!(direction(2.0, [3.0, -4.0], [9.0, 0.0]), [-0.6, 0.8]);
        assert_eq!(direction(2.0, [3.0, -4.0], [11.0, 0.0]), [1.0, 0.0]);
        // No direction has a zero with a sign.
        assert!(direction(2.0, [1.0, 0.0], [0.0, 0.0])[1].is_sign_positive());
    }

    #[test]
    fn forces_are_inside_up_to_the_tolerance_of_the_largest() {
        let contact = |dimension, grip| PhaseContact { dimension, grip };
        let contacts = [
            contact(Dimension::Spatial, Grip::Stick),
            contact(Dimension::Planar, Grip::FRICTIONLESS),
            contact(Dimension::Normal, Grip::Stick),
        ];
        let inside = |forces: [f64; 6]| are_inside(&forces, &contacts, &[0.5, 0.0, 0.0]);
        let tolerance = 8.0 * CONE_TOLERANCE;
        // The largest force is 8; |λ_t| = 5 fills the cone of 10.
        let base = [8.0, 2.4, -3.2, 1.0, 7.0, 1.0];
        assert!(inside(base));
        let with = |row: usize, value: f64| {
            let mut forces = base;
            forces[row] = value;
            inside(forces)
        };
        // Of the one that sticks: 0.5 · 8 = 4 is its cone.
        assert!(with(1, 2.4 + tolerance) && !with(1, 2.4 + 3.0 * tolerance));
        for row in [3, 5] {
            assert!(with(row, -0.9 * tolerance) && !with(row, -1.1 * tolerance), "{row}");
        }
        assert!(!with(0, -1.0));
    }

    #[test]
    fn each_contact_takes_part_with_its_own_rows_and_softening() {
        let friction = Some(Friction::new(0.5).unwrap());
        let dimensions = [Dimension::Spatial, Dimension::Normal, Dimension::Planar];
        let contacts =
            dimensions.map(|dimension| ClosedContact { dimension, friction, tangential: Tangential::AtRest });
        let w: Vec<f64> = (0..36).map(|k| if k % 7 == 0 { 1.0 + (k / 7) as f64 } else { 0.01 }).collect();
        let problem = Problem::new(MatrixView::row_major(6, 6, &w), &[-1.0; 6], &contacts).unwrap();
        let mut several = Several::new(&problem).unwrap();
        assert_eq!(several.inside(), (vec![0, 1, 2], vec![0, 1, 2, 3, 4, 5]));
        several.is_out[1] = true;
        assert_eq!(several.inside(), (vec![0, 2], vec![0, 1, 2, 4, 5]));
        let (plain, soft) = (several.system(0.0).unwrap(), several.system(0.5).unwrap());
        for r in 0..5 {
            // Half of the mean of the contact's own diagonal: of 1, 2, 3, and of 5, 6; 8 is the unit.
            let mean = if r < 3 { 2.0 } else { 5.5 } * plain.matrix[(0, 0)];
            assert!((soft.matrix[(r, r)] - plain.matrix[(r, r)] - 0.5 * mean).abs() < 1e-15, "{r}");
            assert!(soft.matrix[(r, (r + 1) % 5)] == plain.matrix[(r, (r + 1) % 5)]);
        }
    }
}
