//! Sliding that has just begun, in space: too slow to have a direction of its own, it goes where it is pushed.
//!
//! Friction turns a slow sliding into the direction in which it accelerates far faster than anything else happens. In the
//! limit the tangential acceleration is along the sliding at any time. That condition is solved for the direction, instead
//! of following it by steps that would have to be as short as the sliding is slow.

use carom_law::{Dimension, Grip, PhaseReport};

use super::error::Result;
use super::system::{Mode, System};

/// Rounds of turning.
const ROUNDS: usize = 30;
/// Acceleration across the direction that is none, over the acceleration by friction.
const ALONG: f64 = 1e-12;
/// What a direction may leave at most to count as found.
const FOUND: f64 = 1e-9;
/// The largest turn of all rounds: what needs a larger one is another direction, not this one a little later.
const TURN: f64 = 0.3;

/// How a contact was turned.
#[derive(Debug, Clone, Copy, Default)]
struct Turn {
    total: f64,
    /// The last turn, and the acceleration across before it.
    last: Option<(f64, f64)>,
}

impl System {
    /// Takes the directions that were found last as those from which to look for the next.
    pub(super) fn follow_onsets(&mut self) {
        for (mode, heading) in self.modes.iter_mut().zip(&self.headings) {
            if let Mode::Onset(direction) = mode {
                *direction = *heading;
            }
        }
    }

    /// Turns the grips of contacts that begin to slide until each accelerates along its direction, and solves for the
    /// forces; whether there is such a direction near the one of its mode.
    pub(super) fn turn_onsets(&mut self, time: f64, closed: &[usize], report: &mut PhaseReport) -> Result<bool> {
        if !closed.iter().any(|&k| matches!(self.modes[k], Mode::Onset(_))) {
            return Ok(true);
        }
        let mut turns = vec![Turn::default(); closed.len()];
        let mut across = f64::INFINITY;
        for _ in 0..ROUNDS {
            across = self.turn_once(closed, &mut turns);
            if across <= ALONG {
                break;
            }
            if turns.iter().any(|turn| turn.total.abs() > TURN) {
                return Ok(false);
            }
            *report = self.solve_phase(time)?;
        }
        Ok(across <= FOUND)
    }

    /// One round, by secants; the largest acceleration across, over that by friction, before it.
    fn turn_once(&mut self, closed: &[usize], turns: &mut [Turn]) -> f64 {
        let mut worst = 0.0_f64;
        let mut row = 0;
        for (place, &k) in closed.iter().enumerate() {
            let dimension = self.grips[place].dimension;
            if let (Mode::Onset(_), Grip::Slip { direction: [x, y], friction }) =
                (self.modes[k], self.grips[place].grip)
                && dimension == Dimension::Spatial
            {
                let [a, b] = [row + 1, row + 2].map(|i| self.row_acceleration(i));
                let w = self.contacts.delassus();
                let by_friction =
                    friction * self.forces[row].abs() * 0.5 * (w[(row + 1, row + 1)] + w[(row + 2, row + 2)]);
                let size = by_friction + a.hypot(b);
                let across = x * b - y * a;
                if across.abs() > ALONG * size {
                    worst = worst.max(across.abs() / size);
                    // Turning friction by an angle turns the acceleration the other way.
                    let slope = match turns[place].last {
                        Some((turn, before)) if turn != 0.0 && (across - before) / turn < 0.0 => {
                            (across - before) / turn
                        }
                        _ => -size,
                    };
                    let turn = (-across / slope).clamp(-TURN, TURN);
                    turns[place] = Turn { total: turns[place].total + turn, last: Some((turn, across)) };
                    let (sin, cos) = turn.sin_cos();
                    let direction = [x * cos - y * sin, x * sin + y * cos];
                    let length = direction[0].hypot(direction[1]);
                    let direction = direction.map(|x| x / length);
                    self.headings[k] = direction;
                    self.grips[place].grip = Grip::Slip { direction, friction };
                }
            }
            row += dimension.rows();
        }
        worst
    }

    /// Acceleration of a row of the closed contacts with the forces as they are.
    fn row_acceleration(&self, row: usize) -> f64 {
        let w = self.contacts.delassus();
        self.free[row] + w.row(row).iter().zip(&self.forces).map(|(w, force)| w * force).sum::<f64>()
    }
}
