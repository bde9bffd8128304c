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

/// Largest number of impacts in one instant. A light body between a heavy one and a wall makes `π √(M/m)` of them: 6283 where the ratio of
/// the masses is 4e6, beyond which the sums of so many velocities have lost the digits that the check asks for. One impact of a single
/// contact takes a few microseconds.
const MOST_IMPACTS: u32 = 10_000;

/// Largest number of Coulomb problems solved in one instant: one for a contact that strikes alone, about ten for several, and up to some
/// hundreds where a guard acts.
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
        // What nothing moves along a row is rounding of a direction of slip.
        let is_moved = |row: usize| set.system.matrix[(row, row)] != 0.0;
        for (row, after) in known.into_iter().filter(|(row, _)| is_moved(*row)) {
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

    /// Steps of one Coulomb problem of five contacts, at most: the bound is tested before each problem and may be exceeded by these.
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

    fn planar(w: &[f64; 16], v: &[f64; 4], e: f64) -> (ContactSet, [Coefficients; 2]) {
        let set = ContactSet::new(&[Dimension::Planar; 2], MatrixView::row_major(4, 4, w), v).unwrap();
        (set, [Coefficients::new(Restitution::new(e).unwrap(), Friction::new(0.3).unwrap()); 2])
    }

    /// Two contacts without friction between them that the normal impulses alone couple.
    #[rustfmt::skip]
    const PUSHED: [f64; 16] = [
        4.0, 0.0, -2.0, 0.0,  0.0, 1.0, 0.0, 0.0,  -2.0, 0.0, 9.0, 0.0,  0.0, 0.0, 0.0, 1.0,
    ];

    /// The unit of speeds as roots of energies.
    fn unit_of(set: &ContactSet) -> f64 {
        (f64::from(set.gamma) - 0.5 * f64::from(set.omega)).exp2()
    }

    #[test]
    fn contacts_approach_rest_or_separate_by_their_speeds_as_roots_of_energies() {
        let (set, _) = planar(&PUSHED, &[-1.0, 0.0, -1.0, 0.0], 0.5);
        // Rest is a speed of 1e-3 times 5, for contacts of roots 2 and 3 in the caller's units.
        let (rest, speed) = (1e-3, 5.0 / unit_of(&set));
        let of = |share: f64| {
            let normal = |root: f64| share * rest * 5.0 * root;
            let scaled: Vec<f64> = [normal(2.0), 0.0, -normal(3.0), 0.0]
                .iter()
                .zip(&set.rows)
                .map(|(v, row)| scale(*v, -set.gamma - row))
                .collect();
            states(&set, &scaled, rest, speed)
        };
        assert_eq!(of(0.9), [State::AtRest; 2]);
        assert_eq!(of(1.1), [State::Separating, State::Approaching]);
        assert_eq!(of(-1.1), [State::Approaching, State::Separating]);
    }

    #[test]
    fn the_approach_is_that_of_the_fastest_over_the_root_of_its_mobility() {
        let (set, coefficients) = planar(&PUSHED, &[-1.0, 7.0, -2.0, 7.0], 0.5);
        let ledger = Ledger::new(&set, &coefficients);
        assert!((ledger.approach(&set) * unit_of(&set) - 2.0 / 3.0).abs() < 1e-14, "{}", ledger.approach(&set));
        let (set, coefficients) = planar(&PUSHED, &[1.0, 7.0, 2.0, 7.0], 0.5);
        assert_eq!(Ledger::new(&set, &coefficients).approach(&set), 0.0);
    }

    #[test]
    fn coupled_contacts_are_one_group_directly_or_through_others_that_strike() {
        let n = 5;
        // A chain 0 - 3 - 1, and 2 and 4 apart from it and from each other.
        let mut w = vec![0.0; n * n];
        (0..n).for_each(|k| w[(n + 1) * k] = 1.0);
        for (a, b) in [(0, 3), (3, 1)] {
            (w[n * a + b], w[n * b + a]) = (0.25, 0.25);
        }
        let set = ContactSet::new(&[Dimension::Normal; 5], MatrixView::row_major(n, n, &w), &[-1.0; 5]).unwrap();
        let mut all = [State::Approaching; 5];
        assert_eq!(coupled(&set, &all), [vec![0, 1, 3], vec![2], vec![4]]);
        all[3] = State::Separating;
        assert_eq!(coupled(&set, &all), [vec![0], vec![1], vec![2], vec![4]]);
        assert!(coupled(&set, &[State::Separating; 5]).is_empty());
    }

    #[test]
    fn energy_that_grows_from_impact_to_impact_is_an_error() {
        let (set, coefficients) = planar(&PUSHED, &[-1.0, 0.0, -2.0, 0.0], 0.5);
        let energy = check::contact_energy(&set.system.matrix, &set.scaled_velocity());
        let mut ledger = Ledger::new(&set, &coefficients);
        for (change, is_error) in [
            (-energy, false),
            (0.0, false),
            (0.9 * SEQUENCE_GROWTH * energy, false),
            (1.1 * SEQUENCE_GROWTH * energy, true),
        ] {
            ledger.contacts[1].work.change = change;
            assert_eq!(ledger.check_growth(&set).is_err(), is_error, "{change}");
        }
    }

    /// Restitution at the speed of the contact in the caller's units, whatever those of the set.
    #[test]
    fn restitution_is_that_at_the_speed_of_the_contact() {
        for power in [-40, 0, 40] {
            let unit = scale(1.0, power);
            let w = PUSHED.map(|w| w * scale(1.0, 6));
            let v = [-3.0 * unit, 0.0, -0.5 * unit, 0.0];
            let set = ContactSet::new(&[Dimension::Planar; 2], MatrixView::row_major(4, 4, &w), &v).unwrap();
            let restitution = Restitution::hunt_crossley(0.1 / unit).unwrap();
            let given = [Coefficients::new(restitution, Friction::new(0.3).unwrap()); 2];
            let ledger = Ledger::new(&set, &given);
            let states = [State::Approaching, State::AtRest];
            for k in 0..2 {
                let request = ledger.request(&set, &given, &states, k);
                assert_eq!(request.e, restitution.normal_at(-v[2 * k]), "{power}");
                assert_eq!((request.e_t, request.is_at_rest), (0.0, k == 1));
                // Friction in the set's units: its normal and tangent may have others.
                let ratio = scale(1.0, set.rows[2 * k + 1] - set.rows[2 * k]);
                assert_eq!((request.mu_s, request.mu_d), (0.3 * ratio, 0.3 * ratio));
            }
            let settled = Ledger { settled: true, ..ledger };
            assert_eq!(settled.request(&set, &given, &states, 0).e, 0.0);
        }
    }

    /// A contact alone, coupled with nothing: by the law asked for. Contacts that leave or that nothing reaches keep their velocity.
    #[test]
    fn contacts_apart_are_answered_by_the_law_of_one_contact() {
        #[rustfmt::skip]
        let w = [
            1.0, 0.4, 0.0, 0.0,  0.4, 1.0, 0.0, 0.0,  0.0, 0.0, 9.0, 0.0,  0.0, 0.0, 0.0, 1.0,
        ];
        for second in [-0.5, 0.0, 0.5] {
            let v = [-1.0, 0.3, second, 0.2];
            let (set, coefficients) = planar(&w, &v, 0.5);
            for law in [Law::Aghili, Law::Newton, Law::Poisson, Law::Chord] {
                let outcome = set.impact_by(law, &coefficients, Guard::Report).unwrap();
                for (k, contact) in outcome.contacts.iter().enumerate() {
                    let at = 10 * k;
                    let own = crate::contact::delassus::Delassus::planar([[w[at], w[at + 1]], [w[at + 4], w[at + 5]]]);
                    let alone = crate::contact::Contact::new(own.unwrap(), &v[2 * k..2 * k + 2]).unwrap();
                    let alone = alone.impact_by(law, &coefficients[k], Guard::Report).unwrap();
                    for (a, b) in contact.impulse.iter().zip(alone.impulse.iter()) {
                        assert!((a - b).abs() < 1e-14, "{law:?} {contact:?}");
                    }
                    assert_eq!(contact.mode, alone.mode, "{law:?} {second}");
                }
                assert_eq!(outcome.sequence, 1);
            }
        }
    }

    /// The second contact leaves and is pushed back by the first: another impact follows, as its bound on rest says.
    #[test]
    fn a_contact_that_is_made_to_approach_strikes_next() {
        for (leaving, sequence) in [(0.1, 2), (10.0, 1)] {
            // -2/4 of what the first changes, (1+e) 1, pushes the second by -0.75.
            let (set, coefficients) =
                planar(&PUSHED.map(|w| if w == -2.0 { 2.0 } else { w }), &[-1.0, 0.0, leaving, 0.0], 0.5);
            let outcome = set.impact(&coefficients, Guard::Report).unwrap();
            assert_eq!(outcome.sequence, 1, "pushed away");
            let (set, coefficients) = planar(&PUSHED, &[-1.0, 0.0, leaving, 0.0], 0.5);
            let outcome = set.impact(&coefficients, Guard::Report).unwrap();
            assert_eq!(outcome.sequence, sequence, "{leaving}");
            let after = outcome.contacts.iter().map(|contact| contact.contact_velocity.after[0]);
            assert!(after.into_iter().all(|v| v > -1e-12));
        }
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
            // Instants within the bound have the same answer as without one.
            if free.0 < bound {
                assert_eq!(bounded, free);
            }
        }
        println!("{most_free} steps at most");
        assert!(most_free > 2 * (bound + ONE_SOLVE), "{most_free}");
    }
}
