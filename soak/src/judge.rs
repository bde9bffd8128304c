//! Judges an outcome: every condition of the law is recomputed from the problem and the answer only.
//!
//! Written from the definitions (the book's pages on the law, on several contacts and on the interface), not from the
//! solvers. The answer is read as data. The problem is first brought to order one by powers of two, which is exact, so that
//! units of 1e±100 harm neither the double-double products nor the judgement. A residual is reported over its
//! bound: up to 1 the condition holds.

use carom::law::{Guard, Law};
use serde_json::Value;

use crate::condition::is_semidefinite_to_rounding;
use crate::motion::{Motion, RELATIVE, ROUNDINGS, contact_space, generalized};
use crate::precise::{Double, ZERO, shift};
use crate::problem::{Contact, Problem, Terms};
use crate::reported::{Mode, Reported, ReportedContact};
use crate::verdict::{Condition, Verdict, ratio};

/// Judges the outcome of a problem.
pub fn judge(problem: &Problem, outcome: &Value) -> Verdict {
    let mut verdict = Verdict::default();
    let Some(reported) = Reported::read(problem, outcome) else {
        verdict.require(Condition::Finite, false);
        return verdict;
    };
    let motion = match &problem.terms {
        Terms::Generalized { mass, jacobian, velocity } => {
            generalized(problem, mass, jacobian, velocity, &reported, &mut verdict)
        }
        Terms::ContactSpace { delassus, velocity } => Some(contact_space(problem, delassus, velocity, &reported)),
    };
    // A mass matrix that is not positive definite should have been rejected, unless it is so only by rounding.
    let Some(motion) = motion else {
        let Terms::Generalized { mass, .. } = &problem.terms else { return verdict };
        verdict.require(Condition::Finite, is_semidefinite_to_rounding(mass));
        return verdict;
    };
    velocities(problem, &reported, &motion, &mut verdict);
    request(problem, &reported, &mut verdict);
    energies(problem, &reported, &motion, &mut verdict);
    let offsets = problem.offsets();
    for (k, contact) in problem.contacts.iter().enumerate() {
        let rows = offsets[k]..offsets[k + 1];
        Share { problem, contact, reported: &reported, own: &reported.contacts[k], motion: &motion, rows }
            .judge(&mut verdict);
    }
    verdict
}

/// The contact velocities reported are those of the motion.
fn velocities(problem: &Problem, reported: &Reported, motion: &Motion, verdict: &mut Verdict) {
    let offsets = problem.offsets();
    for (k, own) in reported.contacts.iter().enumerate() {
        for (row, r) in (offsets[k]..offsets[k + 1]).enumerate() {
            let [before, after] = [own.before[row], own.after[row]].map(|v| shift(v, -motion.velocity_unit[r]));
            let off = |anew: Double, told: f64| (anew - Double::from(told)).abs().hi();
            verdict.note(Condition::Before, ratio(off(motion.before[r], before), motion.slack_before[r]));
            verdict.note(Condition::After, ratio(off(motion.after[r], after), motion.slack[r]));
        }
    }
}

/// The reported coefficients are the given ones.
fn request(problem: &Problem, reported: &Reported, verdict: &mut Verdict) {
    for (contact, own) in problem.contacts.iter().zip(&reported.contacts) {
        verdict.require(Condition::Request, own.restitution == [contact.normal, contact.tangential]);
        let used = own.restitution_used;
        // Rival laws report the ratio that they attained.
        if problem.law == Law::Aghili {
            let is_kept = problem.guard != Guard::Limit && !reported.is_mixed;
            verdict.require(Condition::Request, used <= contact.normal && (used == contact.normal || !is_kept));
        }
    }
}

fn energies(problem: &Problem, reported: &Reported, motion: &Motion, verdict: &mut Verdict) {
    let energy = &motion.energy;
    let told = |x: f64| shift(x, -motion.energy_unit);
    let off = |anew: Double, told: f64| (anew - Double::from(told)).abs().hi();
    if let (Some(anew), Some(before)) = (energy.before, reported.energy.before) {
        verdict.note(Condition::Ledger, ratio(off(anew, told(before)), energy.slack_before));
    }
    if let (Some(anew), Some(after)) = (energy.after, reported.energy.after) {
        verdict.note(Condition::Ledger, ratio(off(anew, told(after)), energy.slack));
    }
    let change = told(reported.energy.change);
    verdict.note(Condition::Ledger, ratio(off(energy.change, change), energy.slack));
    let parts = reported.energy.parts.map(told);
    let size = parts[0].abs() + parts[1].abs();
    let split = (parts[0] + parts[1] - change).abs();
    verdict.note(Condition::Ledger, ratio(split, ROUNDINGS * motion.n * f64::EPSILON * size + energy.slack));
    let is_guarded = problem.guard != Guard::Report;
    let is_admissible = problem.law == Law::Aghili && reported.admissible;
    if is_guarded || is_admissible || problem.law.claims().dissipates {
        // Without a guard, energy within the residual of several contacts does not count as created.
        let explained = if is_guarded { 0.0 } else { reported.residual * motion.exchanged() };
        verdict.note(Condition::Energy, ratio(energy.change.hi().max(0.0), energy.slack + explained));
    }
}

/// One contact of the problem and of its answer.
struct Share<'a> {
    problem: &'a Problem,
    contact: &'a Contact,
    reported: &'a Reported,
    own: &'a ReportedContact,
    motion: &'a Motion,
    rows: std::ops::Range<usize>,
}

impl Share<'_> {
    fn judge(&self, verdict: &mut Verdict) {
        let (law, n) = (self.problem.law, self.rows.start);
        let motion = self.motion;
        verdict.note(Condition::Penetration, ratio((-motion.after[n].hi()).max(0.0), motion.slack[n]));
        if law.claims().obeys_cone {
            self.sign(verdict);
            self.cone(verdict);
        }
        let is_one_impact = self.reported.sequence <= 1 && !self.reported.is_mixed;
        if is_one_impact && (law == Law::Aghili || law.claims().newton_restitution) {
            self.restitution(verdict);
        }
        if is_one_impact && law == Law::Aghili && self.contact.dimension > 1 {
            self.tangential(verdict);
        }
    }

    fn impulse(&self) -> &[f64] {
        &self.motion.impulse[self.rows.clone()]
    }

    fn is_alone(&self) -> bool {
        self.problem.contacts.len() == 1
    }

    /// Bound on an impulse that should be zero, where several are solved together.
    fn impulse_slack(&self) -> f64 {
        let largest = self.motion.impulse.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
        if self.is_alone() { 0.0 } else { ROUNDINGS * self.motion.n * f64::EPSILON * largest }
    }

    fn sign(&self, verdict: &mut Verdict) {
        let pull = (-self.impulse()[0]).max(0.0);
        verdict.note(Condition::Sign, if pull == 0.0 { 0.0 } else { pull / self.impulse_slack() });
        if self.own.mode == Mode::Separating {
            let largest = self.impulse().iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
            verdict.note(Condition::Sign, if largest == 0.0 { 0.0 } else { largest / self.impulse_slack() });
        }
    }

    fn cone(&self, verdict: &mut Verdict) {
        let impulse = self.impulse();
        let tangential = impulse[1..].iter().fold(0.0_f64, |length, x| length.hypot(*x));
        let is_dynamic = matches!(self.own.mode, Mode::Slip | Mode::Reversal)
            && self.problem.law == Law::Aghili
            && self.reported.sequence <= 1
            && !self.reported.is_mixed;
        let mu = if is_dynamic { self.contact.mu_d } else { self.contact.mu_s };
        let bound = mu * impulse[0].max(0.0);
        // Below the smallest normal number friction has no digits: underflow is allowed.
        let told = self.own.impulse[1..].iter().fold(0.0_f64, |length, x| length.hypot(*x));
        let told_bound = mu * self.own.impulse[0].max(0.0);
        let is_underflow = told - told_bound <= 2.0 * f64::MIN_POSITIVE;
        // One contact alone needs no common unit, in which its normal impulse might underflow.
        let (tangential, bound) = if self.is_alone() { (told, told_bound) } else { (tangential, bound) };
        let excess = if is_underflow { 0.0 } else { (tangential - bound).max(0.0) };
        let rounding = ROUNDINGS * self.motion.n * f64::EPSILON;
        let slack = (RELATIVE + rounding) * tangential.min(bound) + self.impulse_slack();
        verdict.note(Condition::Cone, ratio(excess, slack));
    }

    /// `0 <= i_n ⊥ v_n⁺ - target >= 0`; a single contact that approaches is pushed.
    fn restitution(&self, verdict: &mut Verdict) {
        let (motion, n) = (self.motion, self.rows.start);
        let (before, slack) = (motion.before[n], motion.slack[n]);
        if before.hi() > slack {
            // It was separating, so it takes part only in later impacts of the sequence.
            let largest = self.impulse().iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
            verdict.note(Condition::Restitution, if largest == 0.0 { 0.0 } else { largest / self.impulse_slack() });
            return;
        }
        let target = if before.hi() < 0.0 { before * Double::from(-self.own.restitution_used) } else { ZERO };
        let excess = (motion.after[n] - target).hi();
        let residual = if self.is_alone() || excess < 0.0 {
            excess.abs()
        } else {
            excess.min(motion.delassus[n] * self.impulse()[0].max(0.0))
        };
        verdict.note(Condition::Restitution, ratio(residual, slack));
    }

    fn tangential(&self, verdict: &mut Verdict) {
        let tangents = self.rows.start + 1..self.rows.end;
        let motion = self.motion;
        let slack = motion.slack[tangents.clone()].iter().fold(0.0_f64, |length, x| length.hypot(*x));
        let average: Vec<Double> =
            tangents.clone().map(|r| (motion.before[r] + motion.after[r]) * Double::from(0.5)).collect();
        let length = |v: &[Double]| v.iter().fold(0.0_f64, |length, x| length.hypot(x.hi()));
        let residual = match self.own.mode {
            Mode::Separating => return,
            Mode::Stick => {
                let e_t = Double::from(self.contact.tangential);
                length(&tangents.map(|r| motion.after[r] + motion.before[r] * e_t).collect::<Vec<_>>())
            }
            Mode::Reversal => length(&average),
            Mode::Slip => return self.slip(&average, slack, verdict),
        };
        verdict.note(Condition::Tangential, ratio(residual, slack));
    }

    /// [15]-[18]: `i_t = -μ_d u i_n`, and the average velocity along `u`.
    fn slip(&self, average: &[Double], slack: f64, verdict: &mut Verdict) {
        let Some(direction) = &self.own.direction else {
            return verdict.require(Condition::Tangential, false);
        };
        let rounding = ROUNDINGS * self.motion.n * f64::EPSILON;
        let length = direction.iter().fold(0.0_f64, |length, x| length.hypot(*x));
        verdict.note(Condition::Tangential, ratio((length - 1.0).abs(), rounding));
        let along = average.iter().zip(direction).fold(ZERO, |sum, (v, u)| sum + *v * Double::from(*u));
        let across = average.iter().zip(direction).map(|(v, u)| (*v - along * Double::from(*u)).hi());
        let across = across.fold(0.0_f64, |length, x| length.hypot(x));
        verdict.note(Condition::Tangential, ratio(across.max(-along.hi()), slack));
        let impulse = self.impulse();
        let friction = self.contact.mu_d * impulse[0];
        let off = impulse[1..].iter().zip(direction).fold(0.0_f64, |length, (i, u)| length.hypot(i + friction * u));
        verdict.note(Condition::Tangential, ratio(off, (RELATIVE + rounding) * friction.abs() + self.impulse_slack()));
    }
}
