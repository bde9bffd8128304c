//! What each contact does, in all combinations: where `W` is ill-conditioned and the changes of [`super::precise`] go round in a
//! circle.
//!
//! Every contact sticks, slips, reverses or opens; a spatial contact slips along a direction in which its average velocity points, found
//! by Newton's method on the angles of all that slip, from directions all around. The first combination whose certificate holds is the
//! answer; those that stick more come first.

use std::f64::consts::TAU;

use super::precise::Action;
use super::strike::{Answer, CERTIFIED, Strike};
use super::whitened::StrikingRows;
use crate::contact::delassus::Dimension;
use crate::coulomb::descent::Work;
use crate::numeric::least_squares::LeastSquares;
use crate::numeric::plane::cross;

/// Contacts whose combinations are tried: at most 64 with one direction of slip each.
const MOST_CONTACTS: usize = 3;

/// Directions from which the slip of one, of two and of three spatial contacts is sought, for each of them.
const STARTS: [usize; MOST_CONTACTS + 1] = [1, 24, 8, 5];

/// Steps of Newton's method from one start, at most. Most converge in five, or not at all.
const MOST_STEPS: usize = 12;

/// The difference of angles from which slopes are computed, and the longest step.
const DIFFERENCE: f64 = 1e-6;
const LONGEST_STEP: f64 = 0.5;

/// Systems solved in one search, at most, and what each counts for in the work of an instant.
const MOST_SYSTEMS: u32 = 30_000;
const STEPS_A_SYSTEM: u32 = 2;

/// The search of one strike.
struct Search<'a> {
    strike: &'a Strike,
    rows: &'a StrikingRows,
    factor: f64,
    /// Systems that may still be solved.
    left: u32,
}

impl Strike {
    /// The answer of the first combination of actions that satisfies the law, of up to three contacts whose `W` is ill-conditioned.
    pub(super) fn by_combinations(&self, may_stick: &[bool], factor: f64, work: &mut Work) -> Option<Answer> {
        let rows = self.ill_conditioned()?;
        if self.contacts.len() > MOST_CONTACTS {
            return None;
        }
        let choices: Vec<Vec<Action>> = (0..self.contacts.len()).map(|k| self.choices(k, may_stick[k])).collect();
        let combinations: usize = choices.iter().map(Vec::len).product();
        let mut combined: Vec<Vec<Action>> = (0..combinations)
            .map(|mut number| {
                let choice = |choices: &Vec<Action>| {
                    let choice = choices[number % choices.len()];
                    number /= choices.len();
                    choice
                };
                choices.iter().map(choice).collect()
            })
            .collect();
        let sticking = |actions: &Vec<Action>| actions.iter().filter(|action| **action == Action::Stick).count();
        combined.sort_by_key(|actions| std::cmp::Reverse(sticking(actions)));
        let most = MOST_SYSTEMS.min(work.left() / STEPS_A_SYSTEM);
        let mut search = Search { strike: self, rows, factor, left: most };
        let found = combined.into_iter().find_map(|actions| search.slipping(actions));
        work.tried = work.tried.saturating_add(STEPS_A_SYSTEM * (most - search.left));
        found
    }

    /// What a contact may do; the direction of a spatial slip is still to be found.
    fn choices(&self, k: usize, may_stick: bool) -> Vec<Action> {
        let mut choices = Vec::with_capacity(5);
        let dimension = self.system.blocks[k].dimension;
        if may_stick || dimension == Dimension::Normal {
            choices.push(Action::Stick);
        }
        if dimension != Dimension::Normal {
            choices.push(Action::Slip([1.0, 0.0]));
            if dimension == Dimension::Planar {
                choices.push(Action::Slip([-1.0, 0.0]));
            }
            choices.push(Action::Reversal);
        }
        choices.push(Action::Open);
        choices
    }
}

impl Search<'_> {
    /// The answer with these actions, the spatial slips in any direction.
    fn slipping(&mut self, mut actions: Vec<Action>) -> Option<Answer> {
        let blocks = &self.strike.system.blocks;
        let slips = |k: &usize| blocks[*k].dimension == Dimension::Spatial && matches!(actions[*k], Action::Slip(_));
        let turning: Vec<usize> = (0..actions.len()).filter(slips).collect();
        let starts = STARTS[turning.len()];
        for start in 0..starts.pow(turning.len() as u32) {
            let mut rest = start;
            let angle = |_: &usize| {
                let place = rest % starts;
                rest /= starts;
                TAU * place as f64 / starts as f64
            };
            let angles = turning.iter().map(angle).collect();
            if let Some(answer) = self.turned_from(&mut actions, &turning, angles) {
                return Some(answer);
            }
        }
        None
    }

    /// Newton's method on the velocities across the directions of slip.
    fn turned_from(&mut self, actions: &mut [Action], turning: &[usize], mut angles: Vec<f64>) -> Option<Answer> {
        let m = turning.len();
        for _ in 0..=MOST_STEPS {
            let (answer, across) = self.across(actions, turning, &angles)?;
            if answer.residual <= CERTIFIED {
                return Some(answer);
            }
            if m == 0 {
                return None;
            }
            let mut slopes = LeastSquares::new(m);
            for c in 0..m {
                let mut moved = angles.clone();
                moved[c] += DIFFERENCE;
                let (_, next) = self.across(actions, turning, &moved)?;
                for r in 0..m {
                    slopes.matrix.row_mut(r)[c] = (next[r] - across[r]) / DIFFERENCE;
                }
            }
            slopes.rhs.iter_mut().zip(&across).for_each(|(rhs, across)| *rhs = -across);
            let mut step = vec![0.0; m];
            slopes.solve(&mut step);
            let longest = step.iter().fold(0.0_f64, |longest, step| longest.max(step.abs()));
            if !longest.is_finite() {
                return None;
            }
            let share = (LONGEST_STEP / longest).min(1.0);
            angles.iter_mut().zip(step).for_each(|(angle, step)| *angle += share * step);
        }
        None
    }

    /// The answer with slips along these angles, and its velocities across them.
    fn across(&mut self, actions: &mut [Action], turning: &[usize], angles: &[f64]) -> Option<(Answer, Vec<f64>)> {
        self.left = self.left.checked_sub(1)?;
        for (&k, angle) in turning.iter().zip(angles) {
            actions[k] = Action::Slip([angle.cos(), angle.sin()]);
        }
        let (answer, _) = self.strike.act(self.rows, actions, self.factor)?;
        let across = |&k: &usize| {
            let (v, after) =
                (self.strike.system.blocks[k].of(&self.strike.before), self.strike.system.blocks[k].of(&answer.after));
            let Action::Slip(u) = actions[k] else { return 0.0 };
            cross(u, [v[1] + after[1], v[2] + after[2]])
        };
        let across = turning.iter().map(across).collect();
        Some((answer, across))
    }
}
