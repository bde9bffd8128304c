//! Which contacts stick: the descent over types.
//!
//! Every contact has a type. One that may stick has `q_t = (1+e_t) v_t⁻` and `μ_s`; one that slides, `q_t = 2 v_t⁻` and
//! `μ_d`. The normal rows are `q_n = v_n⁻ - target` in both. Then stick, slip and reversal of all contacts are one standard
//! Coulomb problem ([`crate::coulomb`]). A contact that may stick but slides in its answer has the wrong type. The
//! descent starts with contacts that may all stick and turns the one that slides fastest into a sliding one, until none is
//! wrong. (To let each contact stick whenever it could is not an alternative: in a tenth of the planar problems with two
//! contacts there is no such answer.)

use std::cell::OnceCell;

use super::outcome::SimultaneousEffort;
use crate::coulomb::{Block, Coulomb, Effort, Rule, System, Workspace};
use crate::numeric::plane::norm;
use crate::numeric::tolerance::ACCURACY;

/// What counts as an answer: the certificate, over the largest speed. Half of what the check lets pass, which measures speeds
/// of the whole mechanism.
pub(crate) const CERTIFIED: f64 = 0.5 * ACCURACY;

/// What the Coulomb problems are solved to, over the largest speed.
pub(crate) const SOLVED: f64 = 1e-11;

/// What an answer is refined to where that is possible, over the largest speed.
const REFINED: f64 = 1e-15;

/// A contact that slides by more than this, over the largest speed, does not stick.
const SLIDING: f64 = 1e-9;

/// Average sliding faster than this, over the largest speed, has a direction.
const CLEARLY: f64 = 1e-6;

/// Contacts that slide within this fraction of the fastest turn with it: in a mirror image of an impact that is its own
/// mirror image, only rounding tells them apart, and must not.
pub(crate) const TIE: f64 = 1e-6;

/// A normal impulse that changes the contact's own velocity by less than this, over the largest speed, counts as zero.
const NO_IMPULSE: f64 = 1e-12;

/// The share of the mean diagonal that `W` is relaxed by at first. Where contacts outnumber the degrees of freedom, it
/// chooses among the answers, and nearly always the same whatever the order of the contacts.
const RELAXATION: f64 = 1e-3;

/// Contacts that strike together.
#[derive(Debug)]
pub(crate) struct Strike {
    pub(crate) system: System,
    /// What velocities were multiplied by, and impulses divided by, to make the system what it is.
    pub(crate) factors: Vec<f64>,
    relaxed: OnceCell<System>,
    pub(crate) contacts: Vec<Request>,
    /// `v⁻`
    pub(crate) before: Vec<f64>,
    /// `V`: the largest of its entries, or of those before an earlier impact of the instant.
    pub(crate) speed: f64,
    /// Normal velocities that counted as rest, over `V`.
    pub(crate) rest: f64,
    /// For each contact the first one that is alike.
    pub(crate) ties: Vec<usize>,
}

/// A contact's coefficients, and whether it is at rest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request {
    pub(crate) e: f64,
    pub(crate) e_t: f64,
    pub(crate) mu_s: f64,
    pub(crate) mu_d: f64,
    pub(crate) is_at_rest: bool,
}

/// Impulses with what they do.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) impulse: Vec<f64>,
    /// `v⁺`
    pub(crate) after: Vec<f64>,
    /// The types.
    pub(crate) may_stick: Vec<bool>,
    /// The factor of the restitutions.
    pub(crate) factor: f64,
    /// The certificate.
    pub(crate) residual: f64,
}

/// Room, and the effort so far.
#[derive(Debug)]
pub(crate) struct Work {
    room: Workspace,
    pub(crate) effort: SimultaneousEffort,
    pub(crate) spent: Spent,
    /// What may be spent at most; what is asked for beyond that fails.
    most: Spent,
}

/// Work by count, so that the same problem takes the same on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Spent {
    /// Sweeps, steps of Newton's method, exchanges of Lemke's, and combinations of modes tried: each about a microsecond for a few
    /// contacts.
    pub(crate) steps: u32,
    /// Those of them that went into continuations.
    pub(crate) continued: u32,
}

impl Spent {
    pub(crate) fn add(&mut self, other: Self) {
        self.steps += other.steps;
        self.continued += other.continued;
    }

    /// What of this is left.
    pub(crate) fn less(self, other: Self) -> Self {
        let (steps, continued) =
            (self.steps.saturating_sub(other.steps), self.continued.saturating_sub(other.continued));
        Self { steps, continued }
    }
}

impl Work {
    pub(crate) fn new(rows: usize, most: Spent) -> Self {
        Self { room: Workspace::new(rows), effort: SimultaneousEffort::default(), spent: Spent::default(), most }
    }

    /// Solves, by Newton's method alone or by whatever it takes; returns whether there is an answer.
    fn solve(&mut self, problem: &Coulomb<'_>, impulse: &mut [f64], is_near: bool) -> bool {
        if self.spent.steps >= self.most.steps {
            return false;
        }
        let mut effort = Effort::default();
        self.room.most_continued = self.most.less(self.spent).continued;
        let residual = if is_near {
            problem.polish(impulse, &mut self.room, &mut effort)
        } else {
            problem.solve(impulse, &mut self.room, &mut effort)
        };
        self.spent.add(Spent { steps: effort.steps(), continued: effort.continued });
        self.effort.solves += 1;
        self.effort.sweeps += effort.sweeps;
        self.effort.newton_steps += effort.newton_steps;
        self.effort.stage = self.effort.stage.max(effort.stage);
        residual <= problem.tolerance
    }
}

impl Strike {
    /// One contact as it is, several with a diagonal of ones. `speed` is the largest of earlier impacts of the instant, 0 in
    /// the first.
    pub(crate) fn new(
        system: System,
        mut contacts: Vec<Request>,
        mut before: Vec<f64>,
        speed: f64,
        rest: f64,
        ties: Vec<usize>,
    ) -> Self {
        let (system, factors) = if contacts.len() > 1 {
            system.normalised()
        } else {
            let ones = vec![1.0; system.rows];
            (system, ones)
        };
        before.iter_mut().zip(&factors).for_each(|(v, factor)| *v *= factor);
        for (block, contact) in system.blocks.iter().zip(&mut contacts) {
            let ratio = factors[block.start] / factors[block.range().end - 1];
            contact.mu_s *= ratio;
            contact.mu_d *= ratio;
        }
        let speed = before.iter().fold(speed, |speed, v| speed.max(v.abs()));
        Self { system, factors, relaxed: OnceCell::new(), contacts, before, speed, rest, ties }
    }

    /// Impulses and velocities as they were before they were multiplied.
    pub(crate) fn restored(&self, answer: Answer) -> Answer {
        let impulse = answer.impulse.iter().zip(&self.factors).map(|(i, factor)| i * factor).collect();
        let after = answer.after.iter().zip(&self.factors).map(|(v, factor)| v / factor).collect();
        Answer { impulse, after, ..answer }
    }

    /// The normal velocity that contact `k` is to leave with at least.
    pub(crate) fn target(&self, k: usize, factor: f64) -> f64 {
        let contact = &self.contacts[k];
        if contact.is_at_rest { 0.0 } else { -factor * contact.e * self.before[self.system.blocks[k].start] }
    }

    /// The law's answer where contacts of the types given may stick and the restitutions are scaled by `factor`;
    /// if there is none to the precision promised, the best candidate.
    pub(crate) fn answer(&self, may_stick: &[bool], factor: f64, work: &mut Work) -> Result<Answer, Answer> {
        let zeros = || vec![0.0; self.system.rows];
        // The types by the relaxed problem, the impulses by the true one.
        let mut types = may_stick.to_vec();
        let mut impulse = zeros();
        let relaxed = self.relaxed.get_or_init(|| self.system.relaxed(RELAXATION));
        self.descend(relaxed, &mut types, factor, &mut impulse, work);
        self.with_problem(&self.system, &types, factor, |problem| work.solve(problem, &mut impulse, true));
        let mut best = self.assessed(impulse, types, factor);
        // Then all by the true one, and without stick: there may be no answer with these types.
        let none = vec![false; may_stick.len()];
        for may_stick in [may_stick, &none] {
            if best.residual <= CERTIFIED {
                break;
            }
            let (mut types, mut impulse) = (may_stick.to_vec(), zeros());
            self.descend(&self.system, &mut types, factor, &mut impulse, work);
            best = better(best, self.assessed(impulse, types, factor));
        }
        if best.residual <= CERTIFIED { Ok(self.refined(best, work)) } else { Err(best) }
    }

    /// An answer to the last digits that its condition leaves, where a few more steps of Newton's method find them.
    fn refined(&self, answer: Answer, work: &mut Work) -> Answer {
        let Answer { mut impulse, may_stick, factor, .. } = answer.clone();
        self.with_problem(&self.system, &may_stick, factor, |problem| {
            let finer = Coulomb { tolerance: REFINED * self.speed, ..*problem };
            work.solve(&finer, &mut impulse, true);
        });
        better(answer, self.assessed(impulse, may_stick, factor))
    }

    /// Turns contacts that slide into sliding ones, the fastest first and with it those as fast, until the answer is right.
    fn descend(&self, system: &System, types: &mut [bool], factor: f64, impulse: &mut [f64], work: &mut Work) {
        for round in 0..=types.len() {
            let sliding = self.with_problem(system, types, factor, |problem| {
                // A contact has changed its type since the last round: the answer may be near.
                let is_solved = round > 0 && work.solve(problem, impulse, true);
                if !is_solved && !work.solve(problem, impulse, false) {
                    return Vec::new();
                }
                let mut y = vec![0.0; system.rows];
                system.velocity(problem.q, impulse, &mut y);
                let speed = |(k, block): (usize, &Block)| {
                    let y = block.of(&y);
                    // As the root of an energy, in which units drop out.
                    if types[k] && impulse[block.start] > 0.0 { norm([y[1], y[2]]) / block.w_t.sqrt() } else { 0.0 }
                };
                system.blocks.iter().enumerate().map(speed).collect()
            });
            let fastest = sliding.iter().fold(0.0_f64, |fastest, speed| fastest.max(*speed));
            if fastest <= SLIDING * self.speed {
                return;
            }
            for (k, speed) in sliding.iter().enumerate() {
                types[k] &= *speed < (1.0 - TIE) * fastest;
            }
        }
    }

    /// The standard Coulomb problem of the types.
    fn with_problem<T>(&self, system: &System, types: &[bool], factor: f64, then: impl FnOnce(&Coulomb<'_>) -> T) -> T {
        let mut q = self.before.clone();
        let mut rules = Vec::with_capacity(types.len());
        for (k, (block, contact)) in system.blocks.iter().zip(&self.contacts).enumerate() {
            // At rest, a normal velocity is rounding; one that opens the contact does no harm.
            let v_n = self.before[block.start];
            let v_n = if contact.is_at_rest { v_n.max(0.0) } else { v_n };
            q[block.start] = v_n - self.target(k, factor);
            let (share, mu) = if types[k] { (1.0 + contact.e_t, contact.mu_s) } else { (2.0, contact.mu_d) };
            for q in &mut q[block.start + 1..block.start + block.dimension.rows()] {
                *q *= share;
            }
            rules.push(Rule::Coulomb { mu, prefers_rest: types[k] });
        }
        then(&Coulomb { system, q: &q, rules: &rules, tolerance: SOLVED * self.speed })
    }

    /// Impulses and velocities that are known, with their certificate.
    pub(crate) fn known(&self, impulse: Vec<f64>, after: Vec<f64>, factor: f64) -> Answer {
        let mut answer = Answer { impulse, after, may_stick: Vec::new(), factor, residual: 0.0 };
        answer.residual = self.certificate(&answer);
        answer
    }

    /// Turns the friction of contacts that clearly slide against their slip: where friction is small, the certificate, a
    /// velocity, would let any direction pass. Whether any was turned.
    fn turn_friction(&self, impulse: &mut [f64], after: &[f64], may_stick: &[bool]) -> bool {
        let mut has_turned = false;
        for ((block, contact), may_stick) in self.system.blocks.iter().zip(&self.contacts).zip(may_stick) {
            let (before, after, i) = (block.of(&self.before), block.of(after), block.of(impulse));
            let left = norm([after[1] + contact.e_t * before[1], after[2] + contact.e_t * before[2]]);
            if *may_stick && left <= CERTIFIED * self.speed {
                continue;
            }
            let sum = [before[1] + after[1], before[2] + after[2]];
            let (speed, friction) = (norm(sum), contact.mu_d * i[0]);
            if speed <= CLEARLY * self.speed || friction == 0.0 {
                continue;
            }
            let wanted = [-friction * sum[0] / speed, -friction * sum[1] / speed];
            if norm([i[1] - wanted[0], i[2] - wanted[1]]) > CERTIFIED * friction {
                impulse[block.range()][1..].copy_from_slice(&wanted[..block.dimension.rows() - 1]);
                has_turned = true;
            }
        }
        has_turned
    }

    /// Impulses with their velocities and their certificate. Impulses that are rounding are left out, and friction beyond
    /// its cone is cut: where `W_tt` is small, the certificate, a velocity, would let it pass.
    pub(crate) fn assessed(&self, mut impulse: Vec<f64>, may_stick: Vec<bool>, factor: f64) -> Answer {
        for ((block, contact), &may_stick) in self.system.blocks.iter().zip(&self.contacts).zip(&may_stick) {
            let impulse = &mut impulse[block.range()];
            if block.w_nn * impulse[0] <= NO_IMPULSE * self.speed {
                impulse.fill(0.0);
            }
            let most = if may_stick { contact.mu_s } else { contact.mu_d } * impulse[0];
            let friction = impulse[1..].iter().map(|i| i * i).sum::<f64>().sqrt();
            if friction > most {
                impulse[1..].iter_mut().for_each(|i| *i *= most / friction);
            }
        }
        let mut after = vec![0.0; self.system.rows];
        self.system.velocity(&self.before, &impulse, &mut after);
        if self.turn_friction(&mut impulse, &after, &may_stick) {
            self.system.velocity(&self.before, &impulse, &mut after);
        }
        let mut answer = Answer { impulse, after, may_stick, factor, residual: 0.0 };
        answer.residual = self.certificate(&answer);
        answer
    }
}

fn better(a: Answer, b: Answer) -> Answer {
    if b.residual < a.residual { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::delassus::Dimension;
    use crate::numeric::matrix::Dense;

    /// Two corners of a planar box.
    #[test]
    fn a_strike_without_steps_left_has_no_answer() {
        let w = [[3.4, -1.2, -1.4, -1.2], [-1.2, 1.6, 1.2, 1.6], [-1.4, 1.2, 3.4, 1.2], [-1.2, 1.6, 1.2, 1.6]];
        let mut matrix = Dense::zeros(4, 4);
        w.iter().enumerate().for_each(|(i, row)| matrix.row_mut(i).copy_from_slice(row));
        let system = System::new(matrix, [Dimension::Planar; 2].into_iter()).unwrap();
        let request = Request { e: 0.5, e_t: 0.0, mu_s: 0.3, mu_d: 0.3, is_at_rest: false };
        let strike = Strike::new(system, vec![request; 2], vec![-1.3, 0.95, -0.7, 0.95], 0.0, 1e-12, vec![0, 1]);
        let mut enough = Work::new(4, Spent { steps: 1000, continued: 1000 });
        assert!(strike.answer(&[true; 2], 1.0, &mut enough).is_ok());
        let mut none = Work::new(4, Spent::default());
        assert!(strike.answer(&[true; 2], 1.0, &mut none).is_err());
        assert_eq!(none.spent, Spent::default());
    }
}
