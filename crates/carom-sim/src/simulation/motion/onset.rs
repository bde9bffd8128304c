//! Onset of sliding in space. The sliding is still too slow to determine its direction, which follows from its
//! acceleration.
//!
//! Friction turns slow sliding into the direction of its acceleration much faster than any other time scale. In the
//! limit the tangential acceleration is always along the sliding direction. This condition is solved for the direction,
//! because resolving the turn in time would need steps proportional to the sliding speed.

use carom_law::{Grip, PhaseReport};

use crate::error::Result;
use crate::simulation::motion::contact::Mode;
use crate::simulation::motion::system::System;

/// Largest number of Newton iterations.
const ROUNDS: usize = 12;
/// Transverse acceleration, relative to that by friction, at which the iteration ends.
const ALONG: f64 = 1e-13;
/// Transverse acceleration below which a direction is accepted.
const FOUND: f64 = 1e-7;
/// Levenberg damping: for coupled contacts a common turn may be undetermined, and is then zero.
const DAMPING: f64 = 1e-9;
/// Largest total turn: beyond it the solution is a different direction, not the continuation of this one.
const MOST_TURN: f64 = 0.3;
/// Turn for finite differences.
const SMALL_TURN: f64 = 1e-5;

/// A contact that starts to slide.
#[derive(Debug, Clone, Copy)]
struct Onset {
    /// Index among the closed contacts.
    place: usize,
    contact: usize,
    row: usize,
    friction: f64,
    start: [f64; 2],
    /// Total turn so far.
    turn: f64,
}

impl System {
    /// Makes the directions found last the initial guess of the next search.
    pub(crate) fn follow_onsets(&mut self) {
        for contact in &mut self.contacts {
            if let Mode::Onset(direction) = &mut contact.mode {
                *direction = contact.heading;
            }
        }
    }

    /// Turns the sliding directions of contacts that start to slide until each accelerates along its own, and solves
    /// for the forces. Returns whether there are such directions near those of the modes.
    pub(crate) fn turn_onsets(&mut self, time: f64, closed: &[usize], report: &mut PhaseReport) -> Result<bool> {
        let mut onsets = self.onsets(closed);
        let n = onsets.len();
        if n == 0 {
            return Ok(true);
        }
        let mut left = vec![0.0; n];
        let mut slopes = vec![0.0; n * n];
        let mut before = f64::INFINITY;
        for _ in 0..ROUNDS {
            let worst = self.across(&onsets, &mut left);
            if worst <= ALONG || (worst <= FOUND && worst >= 0.5 * before) {
                return Ok(true);
            }
            before = worst;
            let mut trial = vec![0.0; n];
            for j in 0..n {
                self.turn(&mut onsets[j], SMALL_TURN);
                self.solve_phase(time)?;
                self.across(&onsets, &mut trial);
                self.turn(&mut onsets[j], -SMALL_TURN);
                (0..n).for_each(|i| slopes[i * n + j] = (trial[i] - left[i]) / SMALL_TURN);
            }
            let Some(turns) = damped_least_squares(&slopes, &left) else { return Ok(false) };
            for (onset, turn) in onsets.iter_mut().zip(&turns) {
                self.turn(onset, -turn);
            }
            *report = self.solve_phase(time)?;
            if onsets.iter().any(|onset| !(onset.turn.abs() <= MOST_TURN)) {
                return Ok(false);
            }
        }
        Ok(before <= FOUND)
    }

    fn onsets(&self, closed: &[usize]) -> Vec<Onset> {
        let mut onsets = Vec::new();
        for (place, (contact, rows)) in self.watch.rows_of(closed).enumerate() {
            if let (Mode::Onset(start), Grip::Slip { friction, .. }) =
                (self.contacts[contact].mode, self.grips[place].grip)
                && friction > 0.0
            {
                onsets.push(Onset { place, contact, row: rows.start, friction, start, turn: 0.0 });
            }
        }
        onsets
    }

    /// Turns the direction of one contact further.
    fn turn(&mut self, onset: &mut Onset, by: f64) {
        onset.turn += by;
        let (sin, cos) = onset.turn.sin_cos();
        let [x, y] = onset.start;
        let direction = [x * cos - y * sin, x * sin + y * cos];
        self.contacts[onset.contact].heading = direction;
        self.grips[onset.place].grip = Grip::Slip { direction, friction: onset.friction };
    }

    /// Transverse accelerations, each relative to that by its friction, into `left`; returns the largest.
    fn across(&self, onsets: &[Onset], left: &mut [f64]) -> f64 {
        let w = self.rows.delassus();
        let acceleration =
            |row: usize| self.free[row] + w.row(row).iter().zip(&self.forces).map(|(w, force)| w * force).sum::<f64>();
        for (onset, left) in onsets.iter().zip(&mut *left) {
            let [t, s] = [onset.row + 1, onset.row + 2];
            let [x, y] = self.contacts[onset.contact].heading;
            let [a, b] = [acceleration(t), acceleration(s)];
            let by_friction = onset.friction * self.forces[onset.row].abs() * 0.5 * (w[(t, t)] + w[(s, s)]);
            *left = (x * b - y * a) / (by_friction + a.hypot(b)).max(f64::MIN_POSITIVE);
        }
        left.iter().fold(0.0, |worst, x| if x.abs() <= worst { worst } else { x.abs() })
    }
}

/// Solves `(SᵀS + ε) x = Sᵀ b` for a small square matrix.
fn damped_least_squares(slopes: &[f64], right: &[f64]) -> Option<Vec<f64>> {
    let n = right.len();
    let product = |i: usize, j: usize| (0..n).map(|k| slopes[k * n + i] * slopes[k * n + j]).sum::<f64>();
    let mut square: Vec<f64> = (0..n * n).map(|at| product(at / n, at % n)).collect();
    (0..n).for_each(|i| square[i * n + i] += DAMPING);
    let mut turns: Vec<f64> = (0..n).map(|i| (0..n).map(|k| slopes[k * n + i] * right[k]).sum()).collect();
    eliminate(&mut square, &mut turns).then_some(turns)
}

/// Solves a small system in place; false if it is singular. One to three unknowns as a rule: the solvers of the law's `numeric`
/// are private to the law, and would have to become part of its interface for these few lines.
fn eliminate(matrix: &mut [f64], right: &mut [f64]) -> bool {
    let n = right.len();
    for k in 0..n {
        let pivot = (k..n).reduce(|a, b| if matrix[b * n + k].abs() > matrix[a * n + k].abs() { b } else { a });
        let Some(pivot) = pivot.filter(|&i| matrix[i * n + k] != 0.0 && matrix[i * n + k].is_finite()) else {
            return false;
        };
        (0..n).for_each(|j| matrix.swap(k * n + j, pivot * n + j));
        right.swap(k, pivot);
        for i in k + 1..n {
            let factor = matrix[i * n + k] / matrix[k * n + k];
            (k..n).for_each(|j| matrix[i * n + j] -= factor * matrix[k * n + j]);
            right[i] -= factor * right[k];
        }
    }
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|j| matrix[i * n + j] * right[j]).sum();
        right[i] = (right[i] - sum) / matrix[i * n + i];
    }
    right.iter().all(|x| x.is_finite())
}

#[cfg(test)]
mod tests {
    use super::eliminate;

    #[test]
    fn small_systems_are_solved() {
        let mut matrix = [0.0, 2.0, 1.0, 1.0, -1.0, 4.0, 3.0, 0.5, 0.0];
        let mut right = [7.0, 11.0, 4.0];
        assert!(eliminate(&mut matrix, &mut right));
        for (x, y) in right.iter().zip([1.0, 2.0, 3.0]) {
            assert!((x - y).abs() < 1e-14);
        }
        assert!(!eliminate(&mut [1.0, 2.0, 2.0, 4.0], &mut [1.0, 1.0]));
    }

    /// Two contacts for which only the difference of the turns matters: the common turn stays zero.
    #[test]
    fn a_common_turn_that_nothing_determines_is_none() {
        let turns = super::damped_least_squares(&[1.0, -1.0, -1.0, 1.0], &[1.0, -1.0]).unwrap();
        assert!((turns[0] - 0.5).abs() < 1e-8 && (turns[1] + 0.5).abs() < 1e-8, "{turns:?}");
    }
}
