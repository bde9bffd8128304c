//! Contacts that strike together: their types as standard Coulomb problems, and the answers found by descent over them.
//!
//! A contact that may stick has `q_t = (1+e_t) v_t⁻` and `μ_s`; one that slides, `q_t = 2 v_t⁻` and `μ_d`. The normal rows are
//! `q_n = v_n⁻ - target` in both. Then stick, slip and reversal of all contacts are one standard Coulomb problem
//! ([`crate::coulomb`]). The descent over types starts with contacts that may all stick. (To let each contact stick whenever it
//! could is not an alternative: in a tenth of the planar problems with two contacts there is no such answer.)

use std::cell::OnceCell;

use super::whitened::{StrikingRows, WhitenedRows};
use crate::coulomb::descent::{Answered, Descent, Typed, Work};
use crate::coulomb::{Block, Coulomb, Rule, System};
use crate::impact::mode::Mode;
use crate::numeric::plane::{Vec2, norm};
use crate::numeric::tolerance::ACCURACY;

/// Largest certificate of an answer, relative to the largest speed. Half of what the check lets pass, which measures speeds
/// of the whole mechanism.
pub(crate) const CERTIFIED: f64 = 0.5 * ACCURACY;

/// Residual to which the Coulomb problems are solved, relative to the largest speed.
pub(crate) const SOLVED: f64 = 1e-11;

/// Residual to which an answer is refined where possible, relative to the largest speed.
const REFINED: f64 = 1e-15;

/// A contact that slides by more than this, over the largest speed, does not stick.
const SLIDING: f64 = 1e-9;

/// Average sliding faster than this, over the largest speed, has a direction.
const CLEARLY: f64 = 1e-6;

/// A normal impulse that changes the contact's own velocity by less than this, over the largest speed, counts as zero.
pub(crate) const NO_IMPULSE: f64 = 1e-12;

/// The share of the mean diagonal that `W` is relaxed by at first. Where contacts outnumber the degrees of freedom, it
/// chooses among the answers, and nearly always the same whatever the order of the contacts.
const RELAXATION: f64 = 1e-3;

/// Contacts that strike together.
#[derive(Debug)]
pub(crate) struct Strike {
    pub(crate) system: System,
    /// Factors by which velocities were multiplied, and impulses divided, to normalise the system.
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
    /// Bounds on the violations of each contact's normal and tangential conditions, over the bound by `V` alone: less than one
    /// where the check at the door, which measures speeds by `|A||q̇⁻|`, is stricter.
    pub(crate) allowed: Vec<[f64; 2]>,
    /// The rows in whitened coordinates, of contacts of a mechanism.
    pub(super) rows: Option<StrikingRows>,
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

/// Impulses and their effect.
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
    /// The change of the whitened velocity, and what each contact does, of an answer that was found by them.
    pub(crate) change: Option<Box<[f64]>>,
    pub(crate) modes: Option<Box<[Mode]>>,
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
        let allowed = vec![[1.0; 2]; contacts.len()];
        Self { system, factors, relaxed: OnceCell::new(), contacts, before, speed, rest, ties, allowed, rows: None }
    }

    /// Contacts of a mechanism that strike together, with its whitened velocity.
    pub(super) fn of_mechanism(mut self, rows: &WhitenedRows, velocity: &[f64]) -> Self {
        let share = |r: usize| rows.sizes[r] * self.factors[r] / self.speed;
        // A row that nothing moves cannot violate a condition.
        let allowed = |size: f64| if size > 0.0 { size.min(1.0) } else { 1.0 };
        let of = |block: &Block| {
            let tangential = block.range().skip(1).map(share).fold(0.0, f64::max);
            [allowed(share(block.start)), allowed(tangential)]
        };
        self.allowed = self.system.blocks.iter().map(of).collect();
        self.rows = Some(rows.striking(&self.factors, velocity));
        self
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
    /// if none reaches the required precision, the best candidate.
    pub(crate) fn answer(&self, may_stick: &[bool], factor: f64, work: &mut Work) -> Result<Answer, Answer> {
        let zeros = || vec![0.0; self.system.rows];
        let mut striking = Striking { strike: self, factor };
        // The types by the relaxed problem, the impulses by the true one.
        let (mut types, mut impulse) = (may_stick.to_vec(), zeros());
        let relaxed = self.relaxed.get_or_init(|| self.system.relaxed(RELAXATION));
        self.descent(relaxed).run(&mut striking, &mut types, &mut impulse, work);
        let relaxed = self.precise(&impulse, &types, factor);
        striking.refine(&types, SOLVED, &mut impulse, work);
        let mut best = self.assessed(impulse, types, factor);
        if let Some(relaxed) = relaxed {
            best = better(best, relaxed);
        }
        // Then all by the true one, and without stick: there may be no answer with these types.
        let none = vec![false; may_stick.len()];
        for may_stick in [may_stick, &none] {
            if best.residual <= CERTIFIED {
                break;
            }
            let (mut types, mut impulse) = (may_stick.to_vec(), zeros());
            // Where W is ill-conditioned, from contacts that are all open.
            if let Some(precise) = self.precise(&impulse, &types, factor) {
                best = better(best, precise);
            }
            self.descent(&self.system).run(&mut striking, &mut types, &mut impulse, work);
            best = better(best, self.assessed(impulse, types, factor));
        }
        if best.residual > CERTIFIED {
            return Err(best);
        }
        // Refined to the last digits that the condition of the problem leaves, if a few more steps of Newton's method find them.
        let (types, mut impulse) = (best.may_stick.clone(), best.impulse.clone());
        striking.refine(&types, REFINED, &mut impulse, work);
        Ok(better(best, self.assessed(impulse, types, factor)))
    }

    fn descent<'a>(&self, system: &'a System) -> Descent<'a> {
        let (tolerance, slip) = (SOLVED * self.speed, SLIDING * self.speed);
        Descent { system, tolerance, refined: None, is_near: false, accepted: tolerance, slip }
    }

    /// Impulses and velocities that are known, with their certificate.
    pub(crate) fn known(&self, impulse: Vec<f64>, after: Vec<f64>, factor: f64) -> Answer {
        let may_stick = Vec::new();
        let mut answer = Answer { impulse, after, may_stick, factor, residual: 0.0, change: None, modes: None };
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
    pub(crate) fn assessed(&self, impulse: Vec<f64>, may_stick: Vec<bool>, factor: f64) -> Answer {
        let precise = self.precise(&impulse, &may_stick, factor);
        let plain = self.assessed_by_matrix(impulse, may_stick, factor);
        match precise {
            Some(precise) if precise.residual <= CERTIFIED => precise,
            Some(precise) => better(plain, precise),
            None => plain,
        }
    }

    fn assessed_by_matrix(&self, mut impulse: Vec<f64>, may_stick: Vec<bool>, factor: f64) -> Answer {
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
        let mut answer = Answer { impulse, after, may_stick, factor, residual: 0.0, change: None, modes: None };
        answer.residual = self.certificate(&answer);
        answer
    }
}

/// Contacts that strike, with restitutions scaled by a factor.
struct Striking<'a> {
    strike: &'a Strike,
    factor: f64,
}

impl Striking<'_> {
    /// Newton's method on the problem of the types, to a residual over the largest speed.
    fn refine(&mut self, may_stick: &[bool], tolerance: f64, impulse: &mut [f64], work: &mut Work) {
        let (mut q, mut rules) = (Vec::new(), Vec::new());
        self.conditions(may_stick, &mut q, &mut rules);
        let Strike { system, speed, .. } = self.strike;
        work.refine(&Coulomb { system, q: &q, rules: &rules, tolerance: tolerance * speed }, impulse);
    }
}

impl Typed for Striking<'_> {
    fn conditions(&mut self, may_stick: &[bool], q: &mut Vec<f64>, rules: &mut Vec<Rule>) {
        let Strike { system, contacts, before, .. } = self.strike;
        q.clone_from(before);
        rules.clear();
        for (k, (block, contact)) in system.blocks.iter().zip(contacts).enumerate() {
            // At rest, a normal velocity is rounding; one that opens the contact does no harm.
            let v_n = before[block.start];
            let v_n = if contact.is_at_rest { v_n.max(0.0) } else { v_n };
            q[block.start] = v_n - self.strike.target(k, self.factor);
            let (share, mu) = if may_stick[k] { (1.0 + contact.e_t, contact.mu_s) } else { (2.0, contact.mu_d) };
            q[block.range()][1..].iter_mut().for_each(|q| *q *= share);
            rules.push(Rule::Coulomb { mu, prefers_rest: may_stick[k] });
        }
    }

    /// As the root of an energy, in which units drop out.
    fn slide(&self, _: usize, block: &Block, y_t: Vec2) -> f64 {
        norm(y_t) / block.w_t.sqrt()
    }

    fn reconsider(&mut self, _: &Answered<'_>, _: &mut [bool]) -> bool {
        false
    }
}

fn better(a: Answer, b: Answer) -> Answer {
    if b.residual < a.residual { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use crate::contact::delassus::Dimension;
    use crate::numeric::matrix::Dense;
    use fastrand::Rng;

    /// Two corners of a planar box.
    #[test]
    fn a_strike_without_steps_left_has_no_answer() {
        let w = [[3.4, -1.2, -1.4, -1.2], [-1.2, 1.6, 1.2, 1.6], [-1.4, 1.2, 3.4, 1.2], [-1.2, 1.6, 1.2, 1.6]];
        let mut matrix = Dense::zeros(4, 4);
        w.iter().enumerate().for_each(|(i, row)| matrix.row_mut(i).copy_from_slice(row));
        let system = System::new(matrix, [Dimension::Planar; 2].into_iter()).unwrap();
        let request = Request { e: 0.5, e_t: 0.0, mu_s: 0.3, mu_d: 0.3, is_at_rest: false };
        let strike = Strike::new(system, vec![request; 2], vec![-1.3, 0.95, -0.7, 0.95], 0.0, 1e-12, vec![0, 1]);
        let mut enough = Work::new(4, 1000);
        assert!(strike.answer(&[true; 2], 1.0, &mut enough).is_ok());
        let mut none = Work::new(4, 0);
        assert!(strike.answer(&[true; 2], 1.0, &mut none).is_err());
        assert_eq!(none.steps(), 0);
    }

    /// `v⁺ = v⁻ + W i` in the units of the strike is that in the caller's, and so is the work.
    #[test]
    fn an_answer_in_other_units_is_the_same_answer() {
        let mut rng = Rng::with_seed(1);
        for _ in 0..200 {
            let dimensions = samples::dimensions(&mut rng, 3);
            let own = samples::strike(&mut rng, &dimensions, 9);
            let (contacts, before) = (own.contacts.clone(), own.before.clone());
            let strike = Strike::new(own.system.clone(), contacts, before, 0.0, 1e-12, vec![0, 1, 2]);
            for block in &strike.system.blocks {
                assert!((block.w_nn - 1.0).abs() < 1e-14 && (block.w_t - 1.0).abs() < 1e-14, "{block:?}");
            }
            let answer = samples::answer(&mut rng, &strike);
            let work = |strike: &Strike, answer: &Answer| -> f64 { (0..3).map(|k| strike.work(k, answer).0).sum() };
            let (there, restored) = (work(&strike, &answer), strike.restored(answer));
            let mut after = vec![0.0; own.system.rows];
            own.system.velocity(&own.before, &restored.impulse, &mut after);
            after.iter().zip(&restored.after).for_each(|(a, b)| assert!((a - b).abs() < 1e-13));
            assert!((work(&own, &restored) - there).abs() < 1e-13);
            // A unit of friction is as many units of normal impulse: the cone is the same.
            for (k, (block, request)) in own.system.blocks.iter().zip(&own.contacts).enumerate() {
                let last = block.range().end - 1;
                let in_units = request.mu_s * strike.factors[block.start] / strike.factors[last];
                assert!((strike.contacts[k].mu_s - in_units).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn the_conditions_of_each_type_are_those_of_the_law() {
        let mut rng = Rng::with_seed(2);
        for _ in 0..200 {
            let dimensions = samples::dimensions(&mut rng, 3);
            let strike = samples::strike(&mut rng, &dimensions, 9);
            let (factor, may_stick) = (rng.f64(), [rng.bool(), rng.bool(), rng.bool()]);
            let (mut q, mut rules) = (Vec::new(), Vec::new());
            Striking { strike: &strike, factor }.conditions(&may_stick, &mut q, &mut rules);
            for (k, block) in strike.system.blocks.iter().enumerate() {
                let contact = &strike.contacts[k];
                let v = &strike.before[block.range()];
                let normal = if contact.is_at_rest { v[0].max(0.0) } else { v[0] + factor * contact.e * v[0] };
                assert!((q[block.start] - normal).abs() < 1e-15);
                let (share, mu) = if may_stick[k] { (1.0 + contact.e_t, contact.mu_s) } else { (2.0, contact.mu_d) };
                for (found, v) in q[block.range()].iter().zip(v).skip(1) {
                    assert!((found - share * v).abs() < 1e-15);
                }
                assert_eq!(rules[k], Rule::Coulomb { mu, prefers_rest: may_stick[k] });
                let speed = Striking { strike: &strike, factor }.slide(k, block, [3.0, -4.0]);
                assert!((speed - 5.0 / block.w_t.sqrt()).abs() < 1e-14, "the root of an energy");
            }
        }
    }

    #[test]
    fn small_impulses_are_left_out_and_friction_is_cut_to_its_cone() {
        let mut rng = Rng::with_seed(3);
        for _ in 0..200 {
            let strike = samples::strike(&mut rng, &[Dimension::Spatial; 3], 9);
            let mut impulse = samples::answer(&mut rng, &strike).impulse;
            let least = NO_IMPULSE * strike.speed;
            impulse[0] = 0.9 * least / strike.system.blocks[0].w_nn;
            impulse[3] = 1.1 * least / strike.system.blocks[1].w_nn;
            (impulse[4], impulse[5]) = (0.5 * strike.contacts[1].mu_s * impulse[3], 0.0);
            impulse[6] = 0.3;
            let types = vec![true, true, rng.bool()];
            let contact = strike.contacts[2];
            let most = 0.3 * if types[2] { contact.mu_s } else { contact.mu_d };
            // First cut to the cone of its type, ...
            let share = (most / norm([impulse[7], impulse[8]])).min(1.0);
            let mut cut = impulse.clone();
            cut[..3].fill(0.0);
            cut[7..].iter_mut().for_each(|i| *i *= share);
            let mut after = vec![0.0; 9];
            strike.system.velocity(&strike.before, &cut, &mut after);
            // ... then turned against the slip that this leaves, by dynamic friction.
            let sum = [7, 8].map(|r| strike.before[r] + after[r]);
            let answer = Strike { rows: None, ..strike }.assessed(impulse.clone(), types, 1.0);
            assert_eq!(answer.impulse[..3], [0.0; 3]);
            assert_eq!((answer.impulse[3], answer.impulse[6]), (impulse[3], 0.3));
            for (i, v) in answer.impulse[7..].iter().zip(sum) {
                assert!((i + 0.3 * contact.mu_d * v / norm(sum)).abs() < 1e-8, "{:?}", answer.impulse);
            }
        }
    }

    #[test]
    fn friction_of_a_clear_slip_is_turned_against_it() {
        let mut rng = Rng::with_seed(4);
        for _ in 0..200 {
            let strike = samples::strike(&mut rng, &[Dimension::Spatial; 2], 7);
            let answer = samples::answer(&mut rng, &strike);
            let (mut after, mut impulse) = (answer.after.clone(), vec![1.0; 6]);
            // The first slides by a little more than what counts, the second by a little less.
            for (k, share) in [1.1, 0.9].into_iter().enumerate() {
                let speed = share * CLEARLY * strike.speed;
                let angle = samples::between(&mut rng, 0.0, 6.0);
                for (r, u) in strike.system.blocks[k].range().skip(1).zip([angle.cos(), angle.sin()]) {
                    after[r] = speed * u - strike.before[r];
                }
            }
            let (given, mu) = (impulse.clone(), strike.contacts[0].mu_d);
            assert!(strike.turn_friction(&mut impulse, &after, &[false; 2]));
            let sum = [strike.before[1] + after[1], strike.before[2] + after[2]];
            for (i, u) in impulse[1..3].iter().zip(sum) {
                assert!((i + mu * u / norm(sum)).abs() < 1e-8, "{impulse:?}");
            }
            assert_eq!(impulse[3..], given[3..]);
            // What is right to the last digits of the certificate stays.
            impulse[1] *= 1.0 + 0.5 * CERTIFIED;
            let given = impulse.clone();
            assert!(!strike.turn_friction(&mut impulse, &after, &[false; 2]));
            assert_eq!(impulse, given);
        }
    }

    /// A contact that may stick and does, to what counts as nothing, keeps its friction; one that creeps faster does not.
    #[test]
    fn friction_of_a_stick_is_not_turned() {
        let mut rng = Rng::with_seed(5);
        for _ in 0..200 {
            let strike = samples::strike(&mut rng, &[Dimension::Spatial], 7);
            let mut after = strike.before.clone();
            for (share, is_turned) in [(0.9, false), (1.1, true)] {
                for r in 1..3 {
                    after[r] = -strike.contacts[0].e_t * strike.before[r];
                }
                after[1] += share * CERTIFIED * strike.speed;
                // The average velocity is clearly one.
                let sum = [strike.before[1] + after[1], strike.before[2] + after[2]];
                if norm(sum) < 1e-3 * strike.speed {
                    continue;
                }
                let mut impulse = vec![1.0, 0.1, 0.2];
                assert_eq!(strike.turn_friction(&mut impulse, &after, &[true]), is_turned);
                assert_eq!(impulse == [1.0, 0.1, 0.2], !is_turned);
            }
        }
    }

    /// Of a mechanism, each condition is held to what its own rows can move at; a row that nothing moves misses nothing.
    #[test]
    fn slow_rows_are_held_to_less_than_fast_ones() {
        let mut rng = Rng::with_seed(6);
        let own = samples::strike(&mut rng, &[Dimension::Spatial; 2], 7);
        let strike = Strike::new(own.system.clone(), own.contacts.clone(), own.before.clone(), 0.0, 1e-12, vec![0, 1]);
        let sizes = [0.5, 1e-3, 2e-3, 0.0, 0.0, 1e6].map(|share: f64| share * strike.speed);
        let factors = strike.factors.clone();
        let in_callers = sizes.iter().zip(&factors).map(|(size, factor)| size / factor).collect();
        let rows = WhitenedRows::of_sizes(own.rows.as_ref().unwrap(), in_callers);
        let strike = strike.of_mechanism(&rows, &own.rows.as_ref().unwrap().velocity);
        for (found, expected) in strike.allowed.iter().zip([[0.5, 2e-3], [1.0, 1.0]]) {
            found.iter().zip(expected).for_each(|(a, b)| assert!((a - b).abs() < 1e-12, "{:?}", strike.allowed));
        }
    }

    /// Of problems that differ in the unit of speed the same contacts slide.
    #[test]
    fn residuals_and_slips_of_a_descent_are_fractions_of_the_largest_speed() {
        let mut rng = Rng::with_seed(7);
        let mut strike = samples::strike(&mut rng, &[Dimension::Spatial; 2], 7);
        strike.speed = 64.0;
        let descent = strike.descent(&strike.system);
        assert_eq!((descent.tolerance, descent.accepted), (64.0 * SOLVED, 64.0 * SOLVED));
        assert_eq!(descent.slip, 64.0 * SLIDING);
    }
}
