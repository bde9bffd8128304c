//! The end of bounces too low to follow, and of sliding too slow to follow.

use carom_law::{Rows, Tangential};

use crate::error::Result;
use crate::record::book::Device;
use crate::record::event::{Event, SettleEvent};
use crate::simulation::Simulation;
use crate::simulation::motion::system::tangential;

/// If impulses leave more than this fraction of a normal velocity, they cannot remove it...
const LEFT: f64 = 0.5;
/// ... and velocities up to this multiple of what is left count as zero.
const RAISE: f64 = 2.0;
/// Two bodies whose relative acceleration without contacts is below this fraction of the scale fall alike.
const PRESSES: f64 = 1e-9;
/// A contact whose W_nn is below this fraction of the inverse of its tree's mass cannot move along its normal.
const IMMOBILE: f64 = 1e-20;

impl Simulation {
    /// The given contacts that can move along their normals, each with the velocity below which its bounces end. The
    /// energy of such a bounce is at most that of its tree's mass rising by the settling height: where a contact hardly
    /// moves along its normal, a slow bounce may carry much energy.
    pub(crate) fn movable_contacts(&mut self, contacts: Vec<usize>) -> Result<Vec<(usize, f64)>> {
        self.system.terms(self.time, &contacts)?;
        let mut movable = Vec::with_capacity(contacts.len());
        for (k, rows) in self.system.watch.rows_of(&contacts) {
            let scales = self.system.scales.of(k);
            let mobility = scales.mass * self.system.rows.delassus()[(rows.start, rows.start)];
            // A limit moves its own joint, and so does friction in it.
            if self.system.watch.contact(k).is_limit() || self.system.watch.friction(k).is_some() {
                movable.push((k, self.resting_speed(k, scales.settled)));
            } else if mobility > IMMOBILE {
                movable.push((k, self.resting_speed(k, scales.settled * mobility.sqrt().min(1.0))));
            }
        }
        Ok(movable)
    }

    /// The largest normal velocity of contacts, relative to their speed scales, away from their surfaces or, with the
    /// sign -1, towards them.
    pub(crate) fn largest_rate(&self, contacts: &[usize], sign: f64) -> f64 {
        contacts
            .iter()
            .fold(0.0_f64, |m, &k| m.max(sign * self.system.contacts[k].rate / self.system.scales.of(k).speed))
    }

    /// Raises the floor if impulses left most of a normal velocity that is too slow to be followed. Returns what they left.
    pub(crate) fn raise_floor(&mut self, floor: &mut f64, before: f64, contacts: &[usize], sign: f64) -> Result<f64> {
        self.system.place(self.time, &self.state)?;
        self.measure()?;
        let left = self.largest_rate(contacts, sign);
        if left > LEFT * before && left <= self.system.scales.settled_part {
            *floor = floor.max(RAISE * left);
        }
        Ok(left)
    }

    /// Ends the bounces of contacts that are too slow to follow, all at once.
    pub(crate) fn settle(&mut self, slow: &[usize]) -> Result<()> {
        let time = self.time;
        self.system.accelerate_freely(time)?;
        self.system.terms(time, slow)?;
        let free = self.system.free_accelerations().to_vec();
        let mut ends = Vec::with_capacity(slow.len());
        for (k, rows) in self.system.watch.rows_of(slow) {
            let (speed, fall) = (self.system.contacts[k].rate, -free[rows.start]);
            let e = self.system.watch.contact(k).coefficients.restitution.normal_at(speed);
            // The bounces that would follow take 2 v/a (1 + e + e² + ...).
            let scales = self.system.scales.of(k);
            // Two bodies that fall alike are pressed together only by other contacts, if at all: how long that takes is
            // unknown.
            let presses = self.system.watch.pair(k).is_none() || fall > PRESSES * scales.acceleration;
            let tail = if speed > scales.tiny && fall > 0.0 && presses && e < 1.0 {
                2.0 * speed / (fall * (1.0 - e))
            } else {
                0.0
            };
            ends.push((k, time + tail));
        }
        let shares = self.stop_normals(slow)?;
        self.system.place(time, &self.state)?;
        let taken = shares.iter().map(|(_, share)| share.energy).sum();
        if slow.iter().all(|&k| self.system.contacts[k].mode.is_closed()) {
            // Nothing bounced: the velocities of closed contacts were corrected.
            return self.book_projection(taken, &shares);
        }
        self.journal.counts.settlings += 1;
        for ((k, end), (_, share)) in ends.into_iter().zip(shares) {
            // A contact that is already closed also takes an impulse when another one settles.
            let settled = (!self.system.contacts[k].mode.is_closed()).then_some(end);
            self.system.contacts[k].settled = settled.or(self.system.contacts[k].settled);
            if settled.is_some() || share.impulse[0] != 0.0 {
                self.journal.events.push_back(Event::Settle(SettleEvent {
                    time,
                    contact: k,
                    mode: None,
                    impulse: share.impulse,
                    energy_change: share.energy,
                    settled,
                }));
            }
        }
        self.book_device(Device::Settling, taken)
    }

    /// Removes the remaining sliding velocity of contacts at rest. Contacts that still slide slowly beside them then have
    /// another direction, by which modes are decided. Returns whether anything was removed.
    pub(crate) fn come_to_rest(&mut self, slow: &[usize]) -> Result<bool> {
        let mut rested: Vec<usize> = Vec::new();
        loop {
            self.system.terms(self.time, slow)?;
            let mut creeps = false;
            let mut resting = Vec::with_capacity(slow.len());
            for (k, rows) in self.system.watch.rows_of(slow) {
                let velocity = tangential(&self.system.rows, rows);
                if rested.contains(&k) || self.tangential_state(k, velocity) == Tangential::AtRest {
                    resting.push(k);
                    creeps |= velocity[0].hypot(velocity[1]) > self.system.scales.of(k).tiny;
                }
            }
            for &k in slow {
                self.system.contacts[k].slid = !resting.contains(&k);
            }
            if !creeps || resting == rested {
                return Ok(!rested.is_empty());
            }
            let before = self.system.energy();
            let shares =
                self.project_velocities(slow, Rows::Held, |simulation, k| !simulation.system.contacts[k].slid)?;
            self.system.place(self.time, &self.state)?;
            let change = self.system.energy() - before;
            self.book_projection(change, &shares)?;
            self.measure()?;
            rested = resting;
        }
    }
}
