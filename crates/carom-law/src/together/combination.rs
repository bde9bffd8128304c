//! All combinations of modes, tried one after another: for an ill-conditioned `W` where the mode changes of [`super::precise`] cycle.
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

/// Contacts whose combinations are tried: at most 3125 with one direction of slip each.
const MOST_CONTACTS: usize = 5;

/// Directions from which the slip of none, of one, of two spatial contacts and so on is sought, for each of them.
const STARTS: [usize; MOST_CONTACTS + 1] = [1, 24, 8, 5, 3, 3];

/// Steps of Newton's method from one start, at most. Most converge in five, or not at all.
const MOST_STEPS: usize = 12;

/// The difference of angles from which slopes are computed, and the longest step.
const DIFFERENCE: f64 = 1e-6;
const LONGEST_STEP: f64 = 0.5;

/// Largest number of systems solved in one search, and the number of steps that each counts for in the work of an instant.
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
    /// The answer of the first combination of actions that satisfies the law, of up to five contacts whose `W` is ill-conditioned.
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

    /// The possible actions of a contact; the direction of a spatial slip is found later.
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

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use fastrand::Rng;

    fn strike(rng: &mut Rng, dimensions: &[Dimension]) -> Strike {
        let mut strike = samples::strike(rng, dimensions, 9);
        for (block, contact) in strike.system.blocks.iter().zip(&mut strike.contacts) {
            contact.is_at_rest = !(strike.before[block.start] < 0.0);
        }
        strike.rows.iter_mut().for_each(|rows| rows.is_ill = true);
        strike
    }

    #[test]
    fn contacts_may_do_what_their_dimension_and_type_allow() {
        let mut rng = Rng::with_seed(1);
        let strike = strike(&mut rng, &[Dimension::Normal, Dimension::Planar, Dimension::Spatial]);
        let (forward, backward) = (Action::Slip([1.0, 0.0]), Action::Slip([-1.0, 0.0]));
        assert_eq!(strike.choices(0, false), [Action::Stick, Action::Open]);
        assert_eq!(strike.choices(1, true), [Action::Stick, forward, backward, Action::Reversal, Action::Open]);
        assert_eq!(strike.choices(1, false), [forward, backward, Action::Reversal, Action::Open]);
        assert_eq!(strike.choices(2, true), [Action::Stick, forward, Action::Reversal, Action::Open]);
    }

    #[test]
    fn the_first_combination_that_satisfies_the_law_is_found() {
        let mut rng = Rng::with_seed(2);
        let (mut found, mut slips) = (0, 0);
        for _ in 0..200 {
            let dimensions = samples::dimensions(&mut rng, 2);
            let strike = strike(&mut rng, &dimensions);
            let mut work = Work::new(strike.system.rows, 1_000_000);
            let Some(answer) = strike.by_combinations(&[true; 2], 1.0, &mut work) else { continue };
            found += 1;
            assert!(answer.residual <= CERTIFIED && strike.certificate(&answer) <= 2.0 * CERTIFIED);
            assert!(work.steps() >= STEPS_A_SYSTEM && work.steps().is_multiple_of(STEPS_A_SYSTEM));
            // Those that slide everywhere have an answer too, which none of them sticks in.
            if let Some(slid) = strike.by_combinations(&[false; 2], 1.0, &mut work) {
                let sticks = slid.may_stick.iter().zip(&dimensions);
                assert!(sticks.into_iter().all(|(sticks, d)| !sticks || *d == Dimension::Normal));
                slips += 1;
            }
        }
        assert!(found > 150 && slips > 150, "{found} {slips}");
    }

    #[test]
    fn an_answer_that_sticks_more_comes_first() {
        let mut rng = Rng::with_seed(3);
        let mut counts = [0; 3];
        for _ in 0..200 {
            let mut strike = strike(&mut rng, &[Dimension::Planar; 2]);
            strike.contacts.iter_mut().for_each(|contact| contact.mu_s = 3.0);
            let mut work = Work::new(4, 1_000_000);
            let Some(answer) = strike.by_combinations(&[true; 2], 1.0, &mut work) else { continue };
            let sticks = answer.may_stick.iter().filter(|sticks| **sticks).count();
            // Each combination that sticks more fails.
            for (actions, count) in [([Action::Stick; 2], 2), ([Action::Stick, Action::Open], 1)] {
                let (other, _) = strike.act(strike.ill_conditioned().unwrap(), &actions, 1.0).unwrap();
                assert!(sticks >= count || other.residual > CERTIFIED);
            }
            counts[sticks] += 1;
        }
        assert!(counts[2] > 20, "{counts:?}");
    }

    #[test]
    fn the_search_ends_when_its_steps_are_spent() {
        let mut rng = Rng::with_seed(4);
        for most in [0, 4, 10] {
            let mut strike = strike(&mut rng, &[Dimension::Spatial; 3]);
            // No answer: a contact is to leave faster than anything makes it.
            strike.speed = f64::MIN_POSITIVE;
            let mut work = Work::new(9, most);
            assert!(strike.by_combinations(&[true; 3], 1.0, &mut work).is_none());
            assert_eq!(work.tried, most);
        }
    }

    #[test]
    fn the_velocity_across_a_slip_is_that_of_its_average() {
        let mut rng = Rng::with_seed(5);
        for _ in 0..100 {
            let strike = strike(&mut rng, &[Dimension::Spatial; 2]);
            let rows = strike.ill_conditioned().unwrap();
            let mut search = Search { strike: &strike, rows, factor: 1.0, left: 1 };
            let mut actions = [Action::Stick, Action::Slip([1.0, 0.0])];
            let angle = samples::between(&mut rng, 0.0, 6.0);
            let (answer, across) = search.across(&mut actions, &[1], &[angle]).unwrap();
            let u = [angle.cos(), angle.sin()];
            let sum = [3, 4, 5].map(|r| strike.before[r] + answer.after[r]);
            assert!((across[0] - (u[0] * sum[2] - u[1] * sum[1])).abs() < 1e-12);
            // The only system is spent.
            assert!(search.across(&mut actions, &[1], &[angle]).is_none());
        }
    }
}
