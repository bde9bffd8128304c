//! One instant: the contacts that approach or rest strike together; if that makes a separating one approach, another
//! impact follows, and so on.
//!
//! A separating contact is left out of an impact. (To let it take part, with a lower bound on its velocity, would create
//! energy: two frictionless contacts suffice.) Contacts that no entry of `W` couples, directly or through others that
//! strike, are separate impacts; one alone is the one-contact law's.

use super::ContactSet;
use super::check;
use super::group::check_several;
use super::ledger::Ledger;
use super::strike::{CERTIFIED, Request, Strike};
use crate::contact::coefficients::Coefficients;
use crate::coulomb::Block;
use crate::error::{Condition, Error, Result};
use crate::impact::guard::Guard;
use crate::impact::outcome::Law;
use crate::numeric::scaling::scale;
use crate::numeric::tolerance::SEQUENCE_GROWTH;

/// A normal velocity within this, over the largest speed, is at rest; speeds of rows are compared over the roots of their own
/// entries of `W`, as roots of energies.
const AT_REST: f64 = 1e-12;

/// The bound on rest after an impact, whose velocities have the precision of an answer; relative to the largest speed before
/// the first impact.
const AT_REST_AGAIN: f64 = 0.2 * CERTIFIED;

/// Contacts that make each other approach again and again, ever slower, have no last impact. After this many, and when the
/// approach has become this much slower than at first, the rest of such a rattle is one impact without restitution, in which
/// they stay closed; only where every contact that takes part has `e < 1`.
const LEAST_RATTLE: u32 = 16;
const RATTLE_SLOWED: f64 = 1e-3;

/// Largest number of impacts in one instant.
const MOST_IMPACTS: u32 = 1000;

/// Largest number of Coulomb problems solved in one instant: an impact takes about ten, and up to some hundreds where a guard acts.
const MOST_SOLVES: u32 = 10_000;

impl Ledger {
    /// The impact, or what was found of it; `ties` has for each contact the first one that is alike.
    pub(crate) fn of(
        set: &ContactSet,
        law: Law,
        coefficients: &[Coefficients],
        ties: &[usize],
        guard: Guard,
    ) -> Result<Self> {
        let mut ledger = Self { law, ..Self::new(set, coefficients) };
        ledger.run(set, coefficients, ties, guard)?;
        Ok(ledger)
    }

    /// One impact after the other, until nothing approaches.
    fn run(&mut self, set: &ContactSet, coefficients: &[Coefficients], ties: &[usize], guard: Guard) -> Result<()> {
        // A single contact is left to the one-contact law, however slowly it approaches.
        let speed = set.system.fastest(&self.velocity);
        let mut rest = if set.system.blocks.len() == 1 { 0.0 } else { AT_REST };
        let first_approach = self.approach(set);
        loop {
            let states = states(set, &self.velocity, rest, speed);
            if !states.contains(&State::Approaching) {
                return Ok(());
            }
            let is_too_much = self.effort.solves > MOST_SOLVES || self.steps >= self.most_steps;
            if self.sequence == MOST_IMPACTS || is_too_much {
                let best = set.impulses_out(&self.impulse);
                let (field, residual) = ("contact_velocity.after".into(), self.approach(set) / speed);
                return Err(Error::NotConverged { field, residual, bound: rest, best });
            }
            self.sequence += 1;
            let earlier = if self.sequence > 1 { speed } else { 0.0 };
            self.settled = self.settled
                || (self.sequence > LEAST_RATTLE
                    && self.approach(set) <= RATTLE_SLOWED * first_approach
                    && self.is_damped(set, coefficients, &states));
            self.strike(set, coefficients, ties, guard, &states, earlier)?;
            if self.sequence > 1 {
                self.check_growth(set)?;
            }
            rest = AT_REST_AGAIN;
            let is_struck = |(block, state): (&Block, &State)| {
                *state == State::Separating && self.velocity[block.start] < -rest * set.speed_of(block, speed)
            };
            if !set.system.blocks.iter().zip(&states).any(is_struck) {
                return Ok(());
            }
        }
    }

    /// The fastest approach, each contact in units in which `W_nn` is one.
    fn approach(&self, set: &ContactSet) -> f64 {
        set.system.blocks.iter().map(|block| -self.velocity[block.start] / block.w_nn.sqrt()).fold(0.0, f64::max)
    }

    /// Whether every contact that takes part loses speed by itself.
    fn is_damped(&self, set: &ContactSet, coefficients: &[Coefficients], states: &[State]) -> bool {
        (0..states.len()).all(|k| states[k] == State::Separating || self.request(set, coefficients, states, k).e < 1.0)
    }

    fn check_growth(&self, set: &ContactSet) -> Result<()> {
        let change: f64 = self.contacts.iter().map(|contact| contact.work.change).sum();
        if change <= 0.0 {
            return Ok(());
        }
        let most = SEQUENCE_GROWTH * check::contact_energy(&set.system.matrix, &set.scaled_velocity());
        if change <= most {
            return Ok(());
        }
        Err(Error::CheckFailed {
            field: "energy.change".into(),
            condition: Condition::Growth,
            value: set.energy_out(change),
            bound: set.energy_out(most),
        })
    }

    /// One impact of all contacts that do not separate.
    fn strike(
        &mut self,
        set: &ContactSet,
        coefficients: &[Coefficients],
        ties: &[usize],
        guard: Guard,
        states: &[State],
        speed: f64,
    ) -> Result<()> {
        let mut impulse = vec![0.0; self.impulse.len()];
        let mut known: Vec<(usize, f64)> = Vec::new();
        let mut change = vec![0.0; self.whitened.len()];
        for contacts in coupled(set, states) {
            if !contacts.iter().any(|&k| states[k] == State::Approaching) {
                continue;
            }
            check_several(self.law, &contacts, coefficients)?;
            let system = set.system.part(&contacts);
            let before: Vec<f64> =
                contacts.iter().flat_map(|&k| &self.velocity[set.system.blocks[k].range()]).copied().collect();
            let requests: Vec<Request> = contacts.iter().map(|&k| self.request(set, coefficients, states, k)).collect();
            if !self.settled {
                for (&k, request) in contacts.iter().zip(&requests) {
                    self.contacts[k].restitution = request.e;
                }
            }
            // Of contacts that are alike, the first that takes part.
            let alike = |&k: &usize| contacts.iter().position(|&j| ties[j] == ties[k]).unwrap_or_default();
            let alike = contacts.iter().map(alike).collect();
            let rest = if self.sequence > 1 { AT_REST_AGAIN } else { AT_REST };
            let mut strike = Strike::new(system, requests, before, speed, rest, alike);
            let rows: Vec<usize> = contacts.iter().flat_map(|&k| set.system.blocks[k].range()).collect();
            let own = set.whitened.as_ref().map(|whitened| whitened.part(&rows));
            if let Some(own) = &own {
                strike = strike.of_mechanism(own, &self.whitened);
            }
            let answer = match contacts[..] {
                [k] if self.law == Law::Aghili => self.alone(k, &strike, guard)?,
                [k] => self.alone_by_rival(k, &strike, &coefficients[k])?,
                _ if self.law == Law::Chord => self.together_by_chord(set, &contacts, &strike)?,
                _ => self.together(set, &contacts, &strike, guard)?,
            };
            self.residual = self.residual.max(answer.residual);
            self.is_precise |= answer.change.is_some();
            if let Some(own) = &own {
                let pushed = answer.change.as_deref().map_or_else(|| own.pushed(&answer.impulse), <[f64]>::to_vec);
                change.iter_mut().zip(pushed).for_each(|(x, pushed)| *x += pushed);
            }
            for (block, &k) in strike.system.blocks.iter().zip(&contacts) {
                let rows = set.system.blocks[k].range();
                known.extend(rows.clone().zip(answer.after[block.range()].iter().copied()));
                impulse[rows].copy_from_slice(&answer.impulse[block.range()]);
            }
        }
        let before = std::mem::take(&mut self.velocity);
        self.velocity = vec![0.0; before.len()];
        set.system.velocity(&before, &impulse, &mut self.velocity);
        if let Some(whitened) = set.whitened.as_ref().filter(|_| self.is_precise) {
            let changes = whitened.velocities(&change);
            self.velocity = before.iter().zip(changes).map(|(v, change)| v + change).collect();
        }
        for (total, x) in self.change.iter_mut().zip(&change) {
            *total += x;
        }
        for (s, x) in self.whitened.iter_mut().zip(&change) {
            *s += x;
        }
        for (row, after) in known {
            self.velocity[row] = after;
        }
        for (total, i) in self.impulse.iter_mut().zip(&impulse) {
            *total += i;
        }
        Ok(())
    }

    fn request(&self, set: &ContactSet, coefficients: &[Coefficients], states: &[State], k: usize) -> Request {
        let restitution = &coefficients[k].restitution;
        let [mu_s, mu_d] = set.friction(&set.system.blocks[k], &coefficients[k]);
        let approach = -self.velocity[set.system.blocks[k].start];
        let speed = scale(approach.max(0.0), set.gamma + set.rows[set.system.blocks[k].start]);
        let is_elastic = !self.settled;
        Request {
            e: if !is_elastic { 0.0 } else { restitution.normal_at(speed) },
            e_t: restitution.tangential(),
            mu_s,
            mu_d,
            is_at_rest: states[k] == State::AtRest,
        }
    }
}

/// Whether a contact takes part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Approaching,
    AtRest,
    Separating,
}

/// `rest` is relative to `speed`.
fn states(set: &ContactSet, velocity: &[f64], rest: f64, speed: f64) -> Vec<State> {
    let of = |block: &Block| {
        let (v_n, rest) = (velocity[block.start], rest * set.speed_of(block, speed));
        if v_n < -rest {
            State::Approaching
        } else if v_n > rest {
            State::Separating
        } else {
            State::AtRest
        }
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

#[cfg(test)]
mod tests {
    use super::super::ledger::MOST_STEPS;
    use super::*;
    use crate::contact::coefficients::{Friction, Restitution};
    use crate::contact::delassus::Dimension;
    use crate::numeric::matrix::MatrixView;
    use fastrand::Rng;

    /// What a single Coulomb problem may take beyond a bound that is tested before each: all sweeps, steps and exchanges of five contacts.
    const ONE_SOLVE: u32 = 4000;

    /// Elastic contacts of a mechanism whose rows nearly depend on each other.
    fn hard(rng: &mut Rng) -> (ContactSet, Vec<Coefficients>) {
        let m = rng.usize(3..=5);
        let rows = 3 * m;
        let mut a: Vec<Vec<f64>> = (0..rows).map(|_| (0..rows).map(|_| 2.0 * rng.f64() - 1.0).collect()).collect();
        for r in 1..rows {
            if rng.bool() {
                let (of, factor) = (rng.usize(0..r), 2.0 * rng.f64() - 1.0);
                a[r] = (0..rows).map(|j| factor * a[of][j] + 1e-6 * a[r][j]).collect();
            }
        }
        let mass: Vec<f64> = (0..rows * rows).map(|k| if k % (rows + 1) == 0 { 1.0 } else { 0.0 }).collect();
        let velocity: Vec<f64> = (0..rows).map(|_| 2.0 * rng.f64() - 1.0).collect();
        let jacobian = a.concat();
        let (mass, jacobian) = (MatrixView::row_major(rows, rows, &mass), MatrixView::row_major(rows, rows, &jacobian));
        let set = ContactSet::from_generalized(&vec![Dimension::Spatial; m], mass, jacobian, &velocity).unwrap();
        let coefficients = |_| {
            let restitution = Restitution::new(if rng.bool() { 1.0 } else { rng.f64() }).unwrap();
            Coefficients::new(restitution, Friction::new(2.0 * rng.f64()).unwrap())
        };
        (set, (0..m).map(coefficients).collect())
    }

    /// By count, not by the clock. Without the bound the hardest of these take far more.
    #[test]
    fn an_instant_ends_when_its_steps_are_spent() {
        let mut rng = Rng::with_seed(12);
        let mut most_free = 0;
        let bound = 1000;
        for _ in 0..200 {
            let (set, coefficients) = hard(&mut rng);
            let ties: Vec<usize> = (0..coefficients.len()).collect();
            let steps = |most_steps: u32| {
                let mut ledger = Ledger { most_steps, ..Ledger::new(&set, &coefficients) };
                let result = ledger.run(&set, &coefficients, &ties, Guard::Report);
                (ledger.steps, result.is_ok())
            };
            let free = steps(MOST_STEPS);
            most_free = most_free.max(free.0);
            let bounded = steps(bound);
            assert!(bounded.0 <= bound + ONE_SOLVE, "{bounded:?}");
            // What is within the bound is answered as without.
            if free.0 < bound {
                assert_eq!(bounded, free);
            }
        }
        println!("{most_free} steps at most");
        assert!(most_free > 2 * (bound + ONE_SOLVE), "{most_free}");
    }
}
