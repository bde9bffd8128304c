//! One instant: the contacts that approach or rest strike together; if that makes a separating one approach, another
//! impact follows, and so on.
//!
//! A separating contact is left out of an impact. (To let it take part, with a lower bound on its velocity, would create
//! energy: two frictionless contacts suffice.) Contacts that no entry of `W` couples, directly or through others that
//! strike, are separate impacts; one alone is the one-contact law's.

use super::ContactSet;
use super::descent::Work as Effort;
use super::descent::{Answer, CERTIFIED, Request, Strike};
use super::outcome::{ContactEnergy, SimultaneousEffort};
use crate::collision::Impact;
use crate::contact::Contact;
use crate::error::{Error, Result};
use crate::guard::Guard;
use crate::mode::Mode;
use crate::plane::Vec2;
use crate::scaling::scale;
use crate::solve::Coefficients;

/// A normal velocity within this, over the largest speed, is at rest.
const AT_REST: f64 = 1e-12;

/// The same after an impact, whose velocities are known to the precision promised; over the largest speed before the
/// first.
const AT_REST_AGAIN: f64 = 0.2 * CERTIFIED;

/// Impacts of one instant that obey the restitution. Contacts that make each other approach again and again, ever slower,
/// have no last impact; the rest of such a rattle is one without restitution, in which they stay closed.
const MOST_ELASTIC: u32 = 16;

/// Impacts of one instant, at most.
const MOST_IMPACTS: u32 = 200;

/// What has happened so far, in the set's units.
#[derive(Debug)]
pub(crate) struct Ledger {
    pub(crate) impulse: Vec<f64>,
    pub(crate) velocity: Vec<f64>,
    pub(crate) contacts: Vec<Entry>,
    pub(crate) residual: f64,
    pub(crate) strong: bool,
    pub(crate) creates_energy: bool,
    pub(crate) acted: bool,
    pub(crate) blended: bool,
    pub(crate) factor: f64,
    pub(crate) sequence: u32,
    pub(crate) effort: SimultaneousEffort,
}

/// A contact's part of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) mode: Mode,
    pub(crate) direction: Option<Vec2>,
    pub(crate) work: ContactEnergy,
    pub(crate) restitution: f64,
    pub(crate) restitution_used: f64,
}

impl Ledger {
    /// Whether impacts without restitution ended the sequence.
    pub(crate) fn is_settled(&self) -> bool {
        self.sequence > MOST_ELASTIC
    }

    /// The impact, or what was found of it.
    pub(crate) fn of(set: &ContactSet, coefficients: &[Coefficients], guard: Guard) -> Result<Self> {
        let velocity: Vec<f64> = set.velocity.iter().map(|v| scale(*v, -set.gamma)).collect();
        let entry = |(block, coefficients): (&super::coulomb::Block, &Coefficients)| {
            let speed = (-set.velocity[block.start]).max(0.0);
            let restitution = coefficients.restitution.normal_at(speed);
            Entry {
                mode: Mode::Separating,
                direction: None,
                work: ContactEnergy::default(),
                restitution,
                restitution_used: restitution,
            }
        };
        let mut ledger = Self {
            impulse: vec![0.0; velocity.len()],
            contacts: set.system.blocks.iter().zip(coefficients).map(entry).collect(),
            velocity,
            residual: 0.0,
            strong: true,
            creates_energy: false,
            acted: false,
            blended: false,
            factor: 1.0,
            sequence: 0,
            effort: SimultaneousEffort::default(),
        };
        // One contact alone is the law's business, however slowly it approaches.
        let speed = ledger.velocity.iter().fold(0.0_f64, |speed, v| speed.max(v.abs()));
        let mut rest = if set.system.blocks.len() == 1 { 0.0 } else { AT_REST };
        loop {
            let states = states(set, &ledger.velocity, rest * speed);
            if !states.contains(&State::Approaching) {
                return Ok(ledger);
            }
            if ledger.sequence == MOST_IMPACTS {
                let approach = set.system.blocks.iter().map(|b| -ledger.velocity[b.start]).fold(0.0, f64::max);
                let best = ledger.impulse.iter().map(|i| set.impulse_out(*i)).collect();
                let field = "contact_velocity.after".into();
                return Err(Error::NotConverged { field, residual: approach / speed, bound: rest, best });
            }
            ledger.sequence += 1;
            let earlier = if ledger.sequence > 1 { speed } else { 0.0 };
            ledger.strike(set, coefficients, guard, &states, earlier)?;
            rest = AT_REST_AGAIN;
            let is_struck = |(block, state): (&super::coulomb::Block, &State)| {
                *state == State::Separating && ledger.velocity[block.start] < -rest * speed
            };
            if !set.system.blocks.iter().zip(&states).any(is_struck) {
                return Ok(ledger);
            }
        }
    }

    /// One impact of all contacts that do not separate.
    fn strike(
        &mut self,
        set: &ContactSet,
        coefficients: &[Coefficients],
        guard: Guard,
        states: &[State],
        speed: f64,
    ) -> Result<()> {
        let mut impulse = vec![0.0; self.impulse.len()];
        let mut known: Vec<(usize, f64)> = Vec::new();
        for contacts in coupled(set, states) {
            if !contacts.iter().any(|&k| states[k] == State::Approaching) {
                continue;
            }
            let system = set.system.part(&contacts);
            let before: Vec<f64> =
                contacts.iter().flat_map(|&k| &self.velocity[set.system.blocks[k].range()]).copied().collect();
            let requests: Vec<Request> = contacts.iter().map(|&k| self.request(set, coefficients, states, k)).collect();
            if !self.is_settled() {
                for (&k, request) in contacts.iter().zip(&requests) {
                    self.contacts[k].restitution = request.e;
                }
            }
            let strike = Strike::new(system, requests, before, speed);
            let answer = match contacts[..] {
                [k] => self.alone(k, &strike, guard)?,
                _ => self.together(set, &contacts, &strike, guard)?,
            };
            self.residual = self.residual.max(answer.residual);
            for (block, &k) in strike.system.blocks.iter().zip(&contacts) {
                let rows = set.system.blocks[k].range();
                known.extend(rows.clone().zip(answer.after[block.range()].iter().copied()));
                impulse[rows].copy_from_slice(&answer.impulse[block.range()]);
            }
        }
        let before = std::mem::take(&mut self.velocity);
        self.velocity = vec![0.0; before.len()];
        set.system.velocity(&before, &impulse, &mut self.velocity);
        for (row, after) in known {
            self.velocity[row] = after;
        }
        for (total, i) in self.impulse.iter_mut().zip(&impulse) {
            *total += i;
        }
        Ok(())
    }

    fn request(&self, set: &ContactSet, coefficients: &[Coefficients], states: &[State], k: usize) -> Request {
        let Coefficients { restitution, friction } = &coefficients[k];
        let approach = -self.velocity[set.system.blocks[k].start];
        let is_elastic = !self.is_settled();
        Request {
            e: if !is_elastic { 0.0 } else { restitution.normal_at(scale(approach.max(0.0), set.gamma)) },
            e_t: restitution.tangential(),
            mu_s: friction.map_or(0.0, |friction| friction.mu_s()),
            mu_d: friction.map_or(0.0, |friction| friction.mu_d()),
            is_at_rest: states[k] == State::AtRest,
        }
    }

    /// The one-contact law.
    fn alone(&mut self, k: usize, strike: &Strike, guard: Guard) -> Result<Answer> {
        let (block, &Request { e, e_t, mu_s, mu_d, .. }) = (&strike.system.blocks[0], &strike.contacts[0]);
        let contact = Contact::assemble(block.delassus, block.of(&strike.before));
        let [mu_s, mu_d] = [mu_s, mu_d].map(|mu| contact.rescaled::<false>(mu, |units| units.beta));
        if !(mu_s.is_finite() && mu_d.is_finite()) {
            return Err(Error::Overflow { field: format!("coefficients[{k}].friction").into() });
        }
        let decision = Impact { contact: &contact, e, e_t, mu_s, mu_d }.decide(guard);
        let solution = contact.in_callers_units::<false>(&decision.answer);
        let acted = decision.unguarded.is_some();
        let factor = if e > 0.0 { decision.answer.e / e } else { 1.0 };
        self.note(decision.creates_energy, acted, false, factor);
        self.strong &= !acted;
        self.effort.add(&SimultaneousEffort::LAW);
        let entry = &mut self.contacts[k];
        entry.mode = solution.mode;
        entry.direction = decision.answer.direction;
        entry.restitution_used = decision.answer.e;
        entry.work.book(solution.normal_work, solution.tangential_work);
        let rows = block.dimension.rows();
        let (impulse, after) = (solution.impulse[..rows].to_vec(), solution.after[..rows].to_vec());
        Ok(strike.known(impulse, after, factor))
    }

    /// Several coupled contacts.
    fn together(&mut self, set: &ContactSet, contacts: &[usize], strike: &Strike, guard: Guard) -> Result<Answer> {
        let mut effort = Effort::new(strike.system.rows);
        let result = strike.guarded(guard, &mut effort);
        self.effort.add(&effort.effort);
        let guarded = match result {
            Ok(guarded) => guarded,
            Err(best) => return Err(self.not_converged(set, contacts, strike, &best)),
        };
        let answer = guarded.answer;
        self.note(guarded.creates_energy, guarded.acted, guarded.blended, answer.factor);
        self.strong &= !guarded.blended && strike.is_strong(&answer);
        for (place, &k) in contacts.iter().enumerate() {
            let (normal, tangential) = strike.work(place, &answer);
            let (entry, mode) = (&mut self.contacts[k], guarded.modes[place]);
            entry.work.book(normal, tangential);
            entry.restitution_used = answer.factor * strike.contacts[place].e;
            if mode != Mode::Separating {
                entry.mode = mode;
                entry.direction = if mode == Mode::Slip { strike.direction(place, &answer) } else { None };
            }
        }
        Ok(answer)
    }

    fn note(&mut self, creates_energy: bool, acted: bool, blended: bool, factor: f64) {
        self.creates_energy |= creates_energy;
        self.acted |= acted;
        self.blended |= blended;
        self.factor = self.factor.min(factor);
    }

    fn not_converged(&self, set: &ContactSet, contacts: &[usize], strike: &Strike, best: &Answer) -> Error {
        let mut impulse = self.impulse.clone();
        for (block, &k) in strike.system.blocks.iter().zip(contacts) {
            for (total, row) in set.system.blocks[k].range().zip(block.range()) {
                impulse[total] += best.impulse[row];
            }
        }
        let best_impulse = impulse.iter().map(|i| set.impulse_out(*i)).collect();
        Error::NotConverged { field: "impulse".into(), residual: best.residual, bound: CERTIFIED, best: best_impulse }
    }
}

/// Whether a contact takes part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Approaching,
    AtRest,
    Separating,
}

fn states(set: &ContactSet, velocity: &[f64], rest: f64) -> Vec<State> {
    let of = |block: &super::coulomb::Block| match velocity[block.start] {
        v_n if v_n < -rest => State::Approaching,
        v_n if v_n > rest => State::Separating,
        _ => State::AtRest,
    };
    set.system.blocks.iter().map(of).collect()
}

/// The contacts that do not separate, in groups that nothing couples, each in order.
fn coupled(set: &ContactSet, states: &[State]) -> Vec<Vec<usize>> {
    let blocks = &set.system.blocks;
    let touches = |k: usize, j: usize| {
        blocks[k].range().any(|r| set.system.matrix.row(r)[blocks[j].range()].iter().any(|w| *w != 0.0))
    };
    let mut left: Vec<usize> = (0..blocks.len()).filter(|&k| states[k] != State::Separating).collect();
    let mut groups = Vec::new();
    while !left.is_empty() {
        let mut group = vec![left.remove(0)];
        let mut next = 0;
        while next < group.len() {
            let k = group[next];
            left.retain(|&j| {
                let joins = touches(k, j);
                if joins {
                    group.push(j);
                }
                !joins
            });
            next += 1;
        }
        group.sort_unstable();
        groups.push(group);
    }
    groups
}

impl ContactEnergy {
    fn book(&mut self, normal: f64, tangential: f64) {
        self.normal += normal;
        self.tangential += tangential;
        self.change = self.normal + self.tangential;
    }
}
