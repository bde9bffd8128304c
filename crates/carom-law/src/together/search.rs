//! Which answers exist, and which of them is returned.
//!
//! Several contacts often have several answers: about two thirds of planar pairs, counting stick and slide of one contact
//! apart. For up to three planar contacts every combination of modes is tried. Else answers are sought from contacts that
//! all may stick, from contacts that all slide, and from those that could stick in an answer but slide. Of those found, the one given
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

/// The answer returned, and what else was found.
pub(super) struct Found {
    pub(super) answer: Answer,
    pub(super) solutions: u32,
    pub(super) search: AnswerSearch,
}

/// What a planar contact may do.
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
    /// The law's answer among those found; if there is none to the precision promised, the best candidate.
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

    /// Whether `a` is to be given rather than `b`.
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

    /// The impulses that do what is attempted, wherever they lead; and whether there is only one set of them.
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
