//! The answers that exist, and the one that is returned.
//!
//! Several contacts often have several answers: about two thirds of planar pairs, counting stick and slide of one contact
//! apart. For up to three planar contacts every combination of modes is tried. Else answers are sought from contacts that
//! all may stick, from contacts that all slide, and from those that could stick in an answer but slide. Of those found, the one returned
//! 1. lets contacts that are alike do alike, so that a mirror-symmetric impact has a mirror-symmetric answer,
//! 2. lets every contact stick that could, the others doing what they do, and then as many as possible,
//! 3. dissipates most.

use super::outcome::AnswerSearch;
use super::precise::Action;
use super::strike::{Answer, CERTIFIED, Strike};
use crate::contact::delassus::Dimension;
use crate::coulomb::descent::Work;
use crate::impact::mode::Mode;
use crate::numeric::least_squares::LeastSquares;

/// Contacts whose combinations of modes are all tried: 125 small systems.
const MOST_CONTACTS: usize = 3;

/// Answers whose changes of the velocity differ by less than this, relative to the largest speed, are the same.
const SAME: f64 = 1e-7;

/// Energies that differ by less than this fraction of `V Σ|i|` are equal.
const SAME_ENERGY: f64 = 1e-9;

/// The answer returned, and a summary of the search.
pub(super) struct Found {
    pub(super) answer: Answer,
    pub(super) solutions: u32,
    pub(super) search: AnswerSearch,
}

/// The possible modes of a planar contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attempt {
    Open,
    Stick,
    Slip { is_forward: bool },
    Reversal,
}

impl Attempt {
    fn action(self) -> Action {
        match self {
            Attempt::Open => Action::Open,
            Attempt::Stick => Action::Stick,
            Attempt::Slip { is_forward } => Action::Slip([if is_forward { 1.0 } else { -1.0 }, 0.0]),
            Attempt::Reversal => Action::Reversal,
        }
    }
}

impl Strike {
    /// The law's answer among those found; if none reaches the required precision, the best candidate.
    pub(super) fn search(&self, work: &mut Work) -> Result<Found, Answer> {
        let mut found = Vec::new();
        let search = if self.is_small() { self.enumerate(&mut found, work) } else { AnswerSearch::Sampled };
        if found.is_empty() || search == AnswerSearch::Sampled {
            let m = self.contacts.len();
            let best = self.answer(&vec![true; m], 1.0, work);
            let slid = self.answer(&vec![false; m], 1.0, work);
            match (best, slid) {
                (Ok(best), slid) => {
                    self.keep(&mut found, best);
                    if let Ok(slid) = slid {
                        self.keep(&mut found, slid);
                    }
                }
                (Err(_), Ok(slid)) => self.keep(&mut found, slid),
                (Err(best), Err(_)) if found.is_empty() => {
                    let combined = self.by_combinations(&vec![true; m], 1.0, work).ok_or(best)?;
                    self.keep(&mut found, combined);
                }
                (Err(_), Err(_)) => {}
            }
            self.let_stick(&mut found, work);
        }
        let solutions = found.len() as u32;
        let chosen = found.into_iter().reduce(|a, b| if self.is_preferred(&b, &a) { b } else { a });
        match chosen {
            Some(answer) => Ok(Found { answer, solutions, search }),
            // Not reached: an empty list has returned above.
            None => Err(self.assessed(vec![0.0; self.system.rows], vec![false; self.contacts.len()], 1.0)),
        }
    }

    /// Where a contact of every answer found slides that could stick, an answer in which it may.
    fn let_stick(&self, found: &mut Vec<Answer>, work: &mut Work) {
        for place in 0..found.len() {
            let could = self.could_stick(&found[place]);
            if !could.contains(&true) {
                return;
            }
            let may_stick: Vec<bool> = found[place].may_stick.iter().zip(could).map(|(a, b)| *a || b).collect();
            if let Ok(answer) = self.answer(&may_stick, 1.0, work) {
                self.keep(found, answer);
            }
        }
    }

    fn is_small(&self) -> bool {
        let is_planar = self.system.blocks.iter().all(|block| block.dimension != Dimension::Spatial);
        is_planar && self.contacts.len() <= MOST_CONTACTS
    }

    fn keep(&self, found: &mut Vec<Answer>, answer: Answer) {
        let is_same = |other: &Answer| {
            if let Some((x, y)) = answer.change.as_ref().zip(other.change.as_ref()) {
                return x.iter().zip(y).all(|(x, y)| (x - y).abs() <= SAME * self.speed);
            }
            self.system.blocks.iter().all(|block| {
                let unit = block.w_nn.max(block.w_t);
                block.range().all(|r| (unit * (answer.impulse[r] - other.impulse[r])).abs() <= SAME * self.speed)
            })
        };
        if !found.iter().any(is_same) {
            found.push(answer);
        }
    }

    /// Whether answer `a` is preferred to `b`.
    fn is_preferred(&self, a: &Answer, b: &Answer) -> bool {
        let sticks = |answer: &Answer| self.modes(answer).iter().filter(|mode| **mode == Mode::Stick).count();
        let rank = |answer: &Answer| (self.treats_alike(answer), self.is_strong(answer), sticks(answer));
        let (mine, yours) = (rank(a), rank(b));
        if mine != yours {
            return mine > yours;
        }
        let exchanged = |answer: &Answer| answer.impulse.iter().map(|i| i.abs()).sum::<f64>();
        let rounding = SAME_ENERGY * self.speed * exchanged(a).max(exchanged(b));
        self.energy_change(a) < self.energy_change(b) - rounding
    }

    /// Whether contacts that are alike have the same mode.
    fn treats_alike(&self, answer: &Answer) -> bool {
        let modes = self.modes(answer);
        self.ties.iter().enumerate().all(|(k, &first)| modes[k] == modes[first])
    }

    /// Tries every combination of modes.
    fn enumerate(&self, found: &mut Vec<Answer>, work: &mut Work) -> AnswerSearch {
        let choices: Vec<Vec<Attempt>> = (0..self.contacts.len()).map(|k| self.attempts(k)).collect();
        let mut search = AnswerSearch::Exhaustive;
        let mut systems = LeastSquares::new(self.system.rows);
        let combinations: usize = choices.iter().map(Vec::len).product();
        work.tried += combinations as u32;
        for number in 0..combinations {
            let mut rest = number;
            let attempt: Vec<Attempt> = choices
                .iter()
                .map(|choices| {
                    let choice = choices[rest % choices.len()];
                    rest /= choices.len();
                    choice
                })
                .collect();
            let (answer, is_regular) = match self.ill_conditioned() {
                Some(rows) => {
                    let actions: Vec<Action> = attempt.iter().map(|attempt| attempt.action()).collect();
                    let Some(acted) = self.act(rows, &actions, 1.0) else { continue };
                    acted
                }
                None => {
                    let (impulse, is_regular) = self.impulse_of(&attempt, &mut systems);
                    let may_stick = attempt.iter().map(|attempt| *attempt == Attempt::Stick).collect();
                    (self.assessed(impulse, may_stick, 1.0), is_regular)
                }
            };
            if !is_regular {
                search = AnswerSearch::Sampled;
            }
            if answer.residual <= CERTIFIED {
                self.keep(found, answer);
            }
        }
        search
    }

    fn attempts(&self, k: usize) -> Vec<Attempt> {
        let contact = &self.contacts[k];
        if self.system.blocks[k].dimension == Dimension::Normal {
            return vec![Attempt::Open, Attempt::Stick];
        }
        let forward = Attempt::Slip { is_forward: true };
        if contact.mu_d == 0.0 {
            return vec![Attempt::Open, Attempt::Stick, forward];
        }
        vec![Attempt::Open, Attempt::Stick, forward, Attempt::Slip { is_forward: false }, Attempt::Reversal]
    }

    /// The impulses that produce the attempted modes, whether or not these are consistent; and whether they are unique.
    fn impulse_of(&self, attempt: &[Attempt], systems: &mut LeastSquares) -> (Vec<f64>, bool) {
        let n = self.system.rows;
        for (k, (block, contact)) in self.system.blocks.iter().zip(&self.contacts).enumerate() {
            for r in block.range() {
                let is_normal = r == block.start;
                let v = self.before[r];
                // The velocity that the row is to have after, or None where the impulse is prescribed.
                let wanted = match (attempt[k], is_normal) {
                    (Attempt::Open, _) | (Attempt::Slip { .. }, false) => None,
                    (_, true) => Some(self.target(k, 1.0)),
                    (Attempt::Stick, false) => Some(-contact.e_t * v),
                    (Attempt::Reversal, false) => Some(-v),
                };
                let row = systems.matrix.row_mut(r);
                match wanted {
                    Some(wanted) => {
                        row.copy_from_slice(self.system.matrix.row(r));
                        systems.rhs[r] = wanted - v;
                    }
                    None => {
                        row.fill(0.0);
                        row[r] = 1.0;
                        if let (Attempt::Slip { is_forward }, false) = (attempt[k], is_normal) {
                            row[block.start] = if is_forward { contact.mu_d } else { -contact.mu_d };
                        }
                        systems.rhs[r] = 0.0;
                    }
                }
            }
        }
        let mut impulse = vec![0.0; n];
        let rank = systems.solve(&mut impulse);
        (impulse, rank == n)
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use fastrand::Rng;

    const PLANAR: [Dimension; 2] = [Dimension::Planar; 2];

    #[test]
    fn answers_count_as_one_if_no_impulse_changes_a_velocity_by_more_than_is_the_same() {
        let mut rng = Rng::with_seed(1);
        for _ in 0..200 {
            let strike = samples::strike(&mut rng, &[Dimension::Spatial, Dimension::Planar], 7);
            let answer = samples::answer(&mut rng, &strike);
            for row in 0..5 {
                for (share, count) in [(0.9, 1), (-0.9, 1), (1.1, 2), (-1.1, 2)] {
                    let block = &strike.system.blocks[usize::from(row >= 3)];
                    let mut other = answer.clone();
                    other.impulse[row] += share * SAME * strike.speed / block.w_nn.max(block.w_t);
                    let mut found = vec![answer.clone()];
                    strike.keep(&mut found, other);
                    assert_eq!(found.len(), count, "{share}");
                    // Where the change of the whitened velocity is known, by that.
                    let precise = |by: f64| {
                        let mut change = vec![0.3; 7];
                        change[row] += by;
                        Answer { change: Some(change.into()), ..answer.clone() }
                    };
                    let mut found = vec![precise(0.0)];
                    strike.keep(&mut found, precise(share * SAME * strike.speed));
                    assert_eq!(found.len(), count, "{share}");
                }
            }
        }
    }

    #[test]
    fn of_answers_as_good_the_one_that_dissipates_more_is_preferred() {
        let mut rng = Rng::with_seed(2);
        for _ in 0..200 {
            let strike = samples::strike(&mut rng, &[Dimension::Normal; 2], 3);
            let mut a = samples::answer(&mut rng, &strike);
            a.impulse = vec![0.5 + rng.f64(), 0.5 + rng.f64()];
            let mut b = a.clone();
            // Both contacts press, and a normal contact that presses sticks.
            let rounding = SAME_ENERGY * strike.speed * (a.impulse[0] + a.impulse[1]);
            for (share, is_preferred) in [(0.9, false), (1.1, true), (-1.1, false)] {
                b.after[0] = a.after[0] + 2.0 * share * rounding / a.impulse[0];
                assert_eq!(strike.is_preferred(&a, &b), is_preferred, "{share}");
            }
        }
    }

    #[test]
    fn an_answer_that_treats_contacts_alike_or_sticks_more_is_preferred() {
        let mut rng = Rng::with_seed(3);
        let mut strike = samples::strike(&mut rng, &PLANAR, 5);
        let answer = samples::answer(&mut rng, &strike);
        let with = |modes: [Mode; 2]| Answer { modes: Some(modes.into()), ..answer.clone() };
        let (both, one, none) =
            (with([Mode::Stick; 2]), with([Mode::Stick, Mode::Separating]), with([Mode::Separating; 2]));
        assert!(strike.is_preferred(&both, &one) && strike.is_preferred(&one, &none));
        assert!(!strike.is_preferred(&one, &both) && !strike.is_preferred(&none, &one));
        // Contacts that are alike do alike before more of them stick.
        strike.ties = vec![0, 0];
        assert!(strike.is_preferred(&none, &one) && !strike.is_preferred(&one, &none));
    }

    #[test]
    fn contacts_attempt_what_they_can() {
        let mut rng = Rng::with_seed(4);
        let mut strike = samples::strike(&mut rng, &[Dimension::Normal, Dimension::Planar, Dimension::Planar], 6);
        strike.contacts[2].mu_d = 0.0;
        let (forward, backward) = (Attempt::Slip { is_forward: true }, Attempt::Slip { is_forward: false });
        assert_eq!(strike.attempts(0), [Attempt::Open, Attempt::Stick]);
        assert_eq!(strike.attempts(1), [Attempt::Open, Attempt::Stick, forward, backward, Attempt::Reversal]);
        assert_eq!(strike.attempts(2), [Attempt::Open, Attempt::Stick, forward]);
        assert!(strike.is_small());
        assert!(!samples::strike(&mut rng, &[Dimension::Planar; 4], 9).is_small());
        assert!(!samples::strike(&mut rng, &[Dimension::Spatial], 9).is_small());
    }

    #[test]
    fn impulses_do_what_is_attempted() {
        let mut rng = Rng::with_seed(5);
        for _ in 0..300 {
            let dimensions = [Dimension::Planar, Dimension::Normal, Dimension::Planar];
            let strike = samples::strike(&mut rng, &dimensions, 8);
            let attempt: Vec<Attempt> =
                (0..3).map(|k| strike.attempts(k)[rng.usize(0..strike.attempts(k).len())]).collect();
            let mut systems = LeastSquares::new(5);
            let (impulse, is_regular) = strike.impulse_of(&attempt, &mut systems);
            assert!(is_regular);
            let mut after = vec![0.0; 5];
            strike.system.velocity(&strike.before, &impulse, &mut after);
            let size = 1.0 + impulse.iter().map(|i| i.abs()).fold(0.0, f64::max);
            for (k, (block, contact)) in strike.system.blocks.iter().zip(&strike.contacts).enumerate() {
                let (i, v, after) = (block.of(&impulse), block.of(&strike.before), block.of(&after));
                let normal = if attempt[k] == Attempt::Open { i[0] } else { after[0] - strike.target(k, 1.0) };
                let tangential = match attempt[k] {
                    _ if block.dimension == Dimension::Normal => 0.0,
                    Attempt::Open => i[1],
                    Attempt::Stick => after[1] + contact.e_t * v[1],
                    Attempt::Reversal => after[1] + v[1],
                    Attempt::Slip { is_forward: true } => i[1] + contact.mu_d * i[0],
                    Attempt::Slip { is_forward: false } => i[1] - contact.mu_d * i[0],
                };
                assert!(normal.abs() < 1e-8 * size && tangential.abs() < 1e-8 * size, "{normal} {tangential}");
            }
        }
    }

    /// Every answer found is one, and every combination whose impulses are one is found.
    #[test]
    fn all_combinations_of_modes_are_tried() {
        let mut rng = Rng::with_seed(6);
        let mut several = 0;
        for case in 0..200 {
            let mut strike = samples::strike(&mut rng, &PLANAR, 5);
            for (block, contact) in strike.system.blocks.iter().zip(&mut strike.contacts) {
                contact.is_at_rest = !(strike.before[block.start] < 0.0);
            }
            // Both ways: by W, and by the whitened velocity.
            let is_ill = case % 2 == 1;
            strike.rows.iter_mut().for_each(|rows| rows.is_ill = is_ill);
            let (mut found, mut work) = (Vec::new(), Work::new(4, 1000));
            assert_eq!(strike.enumerate(&mut found, &mut work), AnswerSearch::Exhaustive);
            assert_eq!(work.steps(), 25);
            let (mut systems, by_matrix) = (LeastSquares::new(4), again(&strike));
            for a in strike.attempts(0) {
                for b in strike.attempts(1) {
                    let (impulse, _) = strike.impulse_of(&[a, b], &mut systems);
                    let may_stick = vec![a == Attempt::Stick, b == Attempt::Stick];
                    let answer = by_matrix.assessed(impulse, may_stick, 1.0);
                    let has = |other: &Answer| {
                        let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-6 * strike.speed;
                        other.impulse.iter().zip(&answer.impulse).all(near)
                    };
                    assert!(answer.residual > 0.5 * CERTIFIED || found.iter().any(has), "{a:?} {b:?}");
                }
            }
            assert!(found.iter().all(|answer| answer.residual <= CERTIFIED));
            several += usize::from(found.len() > 1);
        }
        assert!(several > 20, "{several}");
    }

    /// The same contacts without a mechanism.
    fn again(strike: &Strike) -> Strike {
        let (contacts, before) = (strike.contacts.clone(), strike.before.clone());
        let mut other = Strike::new(strike.system.clone(), contacts, before, 0.0, strike.rest, strike.ties.clone());
        (other.system, other.factors) = (strike.system.clone(), strike.factors.clone());
        (other.contacts, other.before) = (strike.contacts.clone(), strike.before.clone());
        (other.speed, other.allowed) = (strike.speed, strike.allowed.clone());
        other
    }

    /// Corners of one body that share all of their rows: impulses are not unique.
    #[test]
    fn impulses_that_are_not_unique_are_no_exhaustive_search() {
        let mut rng = Rng::with_seed(7);
        for _ in 0..50 {
            let strike = samples::strike(&mut rng, &PLANAR, 3);
            let search = strike.enumerate(&mut Vec::new(), &mut Work::new(4, 1000));
            assert_eq!(search, AnswerSearch::Sampled);
        }
    }
}
