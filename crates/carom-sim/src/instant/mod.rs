//! What happens at an instant: impacts, the end of bounces, and which contacts stay closed.

pub(crate) mod episode;
pub(crate) mod jam;
pub(crate) mod kick;

use carom_law::{
    ClosedContact, Coefficients, ContactMode, ContactSet, Decision, Dimension, Error as LawError, ErrorKind, Modes,
    Restitution, Rows, Tangential, decide,
};

use crate::error::{Result, SimulationError};
use crate::event::margin::{Margin, Reason, WEDGE};
use crate::fallback::device::Device;
use crate::motion::system::{Mode, direction, tangential, view};
use crate::record::event::{Event, EventKind};
use crate::setup::scale::TINY;
use crate::simulation::Simulation;

/// Impacts, settlings and jams that may follow each other at one instant.
const ROUNDS: usize = 40;
/// An impulse that leaves more than this part of a normal velocity cannot take it away...
const LEFT: f64 = 0.5;
/// ... and velocities up to this many times what it left are left alone.
const RAISE: f64 = 2.0;
/// Sliding slower than this many times the slow speed is none, in space, where modes are decided.
const REST: f64 = 20.0;
/// The same in the plane, over the speed scale.
const PLANAR_REST: f64 = 1e-9;

/// A contact whose W_nn is below this, over the inverse of its tree's mass, cannot move along its normal.
const IMMOBILE: f64 = 1e-20;

/// Where the direction in which sliding begins is lost twice within this part of the time scale, it is kept as it is.
const LOST: f64 = 1e-3;

/// How an instant ended.
enum Settled {
    /// Modes are decided.
    Decided,
    /// Something moves on at the same instant.
    Again,
    /// No modes were found that satisfy all conditions.
    Unclear,
}

impl Simulation {
    /// Everything that happens now: because a contact touches, or a phase ends, or at the start.
    pub(crate) fn happen(&mut self, by: Option<(usize, Reason)>) -> Result<()> {
        self.follows = false;
        let before: Vec<Mode> = self.system.modes.clone();
        let ahead = std::mem::take(&mut self.ahead_of_event);
        self.look_ahead(if by.is_some_and(|(_, reason)| reason.is_force()) { ahead } else { 0.0 })?;
        let first_event = self.events.len();
        if let Some((contact, Reason::Wedge)) = by
            && self.system.wedge[contact] > WEDGE
        {
            let is_near = self.approaches_jam(contact)?;
            self.system.place(self.time, &self.state)?;
            if !(is_near && self.jam_ahead(contact)?) {
                self.system.look_farther_down(contact);
                return Ok(());
            }
        }
        let mut rounds = 0;
        let mut floor = TINY;
        let mut by = by;
        self.keeps_onsets = false;
        let outcome = loop {
            rounds += 1;
            if let Some((_, Reason::Lost)) = by {
                self.keeps_onsets = self.time - self.last_lost <= LOST * self.system.scales.time;
                self.last_lost = self.time;
            }
            if rounds > ROUNDS {
                break Err(());
            }
            let round = match by {
                Some((contact, Reason::Direction)) => self.redirect(contact).map(|()| Settled::Decided),
                _ => self.round(&mut floor),
            };
            self.decides_at = None;
            match round {
                Ok(Settled::Again) => {}
                Ok(Settled::Decided) => {
                    self.system.adopt_modes();
                    if !matches!(by, Some((_, Reason::Direction))) {
                        self.project_decided()?;
                        // What sticks may have stopped what slid.
                        if self.has_stopped()? {
                            continue;
                        }
                    }
                    self.system.allow_decided(self.time, &self.state)?;
                    // A decision counts if the forces bear it out.
                    match self.present_margin()? {
                        Margin { value, .. } if value >= 0.0 => break Ok(()),
                        Margin { by: reason, .. } => by = reason,
                    }
                }
                Ok(Settled::Unclear) => {
                    self.counts.not_converged += 1;
                    break Err(());
                }
                // No answer, or contacts that depend on each other so closely that their matrix is none.
                Err(SimulationError::Law { source, .. }) if is_numerical(&source) => {
                    self.counts.not_converged += 1;
                    break Err(());
                }
                Err(error) => return Err(error),
            }
        };
        if outcome.is_err() {
            return self.open_window();
        }
        self.audit()?;
        self.announce(&before, first_event);
        self.rest()
    }

    /// One impact, or one settling, or the decision of the modes. Normal velocities up to `floor`, over the speed
    /// scale of each contact, are none; it rises to what impulses cannot take away, where W is nearly singular.
    fn round(&mut self, floor: &mut f64) -> Result<Settled> {
        self.system.place(self.time, &self.state)?;
        self.measure()?;
        let close: Vec<usize> = (0..self.gaps.len()).filter(|&k| self.is_near(k)).collect();
        let movable = self.movable(close.clone())?;
        let near: Vec<usize> = movable.iter().map(|&(k, _)| k).collect();
        for k in close {
            if !near.contains(&k) {
                self.set_mode(k, Mode::Flight);
            }
        }
        if near.is_empty() {
            return Ok(Settled::Decided);
        }
        let approach = self.largest_rate(&near, -1.0);
        if approach > *floor {
            self.strike(&near)?;
            self.raise(floor, approach, &near, -1.0)?;
            return Ok(Settled::Again);
        }
        let slow: Vec<usize> = movable.iter().filter(|&&(k, slow)| self.rates[k] <= slow).map(|&(k, _)| k).collect();
        let bounce = self.largest_rate(&slow, 1.0);
        if bounce > *floor {
            self.settle(&slow)?;
            self.raise(floor, bounce, &slow, 1.0)?;
            return Ok(Settled::Again);
        }
        if self.come_to_rest(&slow)? && self.largest_rate(&near, -1.0) > *floor {
            return Ok(Settled::Again);
        }
        for k in near {
            if !slow.contains(&k) {
                self.set_mode(k, Mode::Flight);
            }
        }
        self.decide(&slow)
    }

    /// Of some contacts those that can move along their normals, each with the velocity below which its bounces are ended.
    /// The energy of such a bounce is at most that of its tree's mass rising by the height that counts: where a contact
    /// hardly moves along its normal, a slow bounce may be a large one.
    pub(crate) fn movable(&mut self, contacts: Vec<usize>) -> Result<Vec<(usize, f64)>> {
        self.system.terms(self.time, &contacts)?;
        let mut row = 0;
        let mut movable = Vec::with_capacity(contacts.len());
        for k in contacts {
            let contact = self.system.watch.contact(k);
            let scales = self.system.scales.of(k);
            let mobility = scales.mass * self.system.contacts.delassus()[(row, row)];
            row += contact.dimension.rows();
            // A limit moves its own joint.
            if contact.surface.is_none() {
                movable.push((k, self.resting_speed(k, scales.settled)));
            } else if mobility > IMMOBILE {
                movable.push((k, self.resting_speed(k, scales.settled * mobility.sqrt().min(1.0))));
            }
        }
        Ok(movable)
    }

    /// The largest normal velocity of contacts, away from their surfaces or with the sign -1 towards them, over their speed
    /// scales.
    fn largest_rate(&self, contacts: &[usize], sign: f64) -> f64 {
        contacts.iter().fold(0.0_f64, |m, &k| m.max(sign * self.rates[k] / self.system.scales.of(k).speed))
    }

    /// Raises the floor if impulses left most of a normal velocity that is too slow to follow.
    pub(crate) fn raise(&mut self, floor: &mut f64, before: f64, contacts: &[usize], sign: f64) -> Result<()> {
        self.system.place(self.time, &self.state)?;
        self.measure()?;
        let left = self.largest_rate(contacts, sign);
        if left > LEFT * before && left <= self.system.scales.settled_part {
            *floor = floor.max(RAISE * left);
        }
        Ok(())
    }

    fn is_near(&self, k: usize) -> bool {
        self.system.modes[k].is_closed()
            || (self.armed[k] && self.gaps[k] <= self.system.scales.of(k).near && self.system.is_enabled(k))
    }

    /// An impact of all contacts that are there.
    pub(crate) fn strike(&mut self, near: &[usize]) -> Result<()> {
        let time = self.time;
        let fail = |source| SimulationError::Law { time, what: "an impact", source };
        self.system.terms(time, near)?;
        let dimensions: Vec<Dimension> = near.iter().map(|&k| self.system.watch.contact(k).dimension).collect();
        let striking: Vec<usize> =
            near.iter().copied().filter(|&k| self.rates[k] < -self.system.scales.of(k).tiny).collect();
        let drops = time < self.calm_until && self.may_rattle(&striking);
        for &k in &striking {
            self.episodes[k].strike(time, -self.rates[k], self.system.scales.time);
        }
        let is_plastic = |k: &usize| drops && striking.contains(k);
        let coefficients =
            |k: &usize| if is_plastic(k) { self.plastic(*k) } else { self.system.watch.contact(*k).coefficients };
        let coefficients: Vec<Coefficients> = near.iter().map(coefficients).collect();
        let (set, unreached) = self.contact_set(near, &dimensions, fail)?;
        let mut outcome = set.impact(&coefficients, self.system.setup.guard).map_err(fail)?;
        let (device, kind) = match (outcome.settled, drops) {
            (true, _) => (Some(Device::Sequences), EventKind::Sequence),
            (false, true) => (Some(Device::Rattle), EventKind::Rattle),
            (false, false) => (None, EventKind::Impact),
        };
        if outcome.settled {
            let took_part = near.iter().zip(&outcome.contacts).filter(|(_, one)| one.impulse.iter().any(|i| *i != 0.0));
            self.keep_elastic(Device::Sequences, took_part.map(|(&k, _)| k))?;
        }
        self.kick(&set, &mut outcome, fail)?;
        let mut impulses = Vec::with_capacity(unreached.len());
        for (&k, contact) in near.iter().zip(&outcome.contacts) {
            impulses.extend_from_slice(&contact.impulse);
            if contact.impulse.iter().any(|i| *i != 0.0) {
                self.events.push_back(Event {
                    impact: Some(contact.mode),
                    impulse: three(&contact.impulse),
                    energy_change: contact.energy.change,
                    ..Event::new(time, kind, Some(k))
                });
            }
        }
        let unreached: f64 = unreached.iter().zip(&impulses).map(|(v, i)| v * i).sum();
        let change = outcome.energy.change + unreached;
        self.counts.impacts += 1;
        self.at_rest = None;
        match device {
            None => self.booked.impacts += change,
            Some(device) => {
                match device {
                    Device::Sequences => self.counts.sequences += 1,
                    _ => self.counts.rattles += 1,
                }
                self.book(device, change)?;
            }
        }
        Ok(())
    }

    /// Whether contacts that strike may go without restitution because they rattle: all of them may, and some have any.
    pub(crate) fn may_rattle(&self, striking: &[usize]) -> bool {
        let speed = |k: usize| -self.rates[k];
        let has_restitution =
            |&k: &usize| self.system.watch.contact(k).coefficients.restitution.normal_at(speed(k)) > 0.0;
        striking.iter().all(|&k| self.may_drop_restitution(k, speed(k))) && striking.iter().any(has_restitution)
    }

    /// Contacts with e = 1 keep it.
    ///
    /// # Errors
    /// A device has taken it away.
    pub(crate) fn keep_elastic(&self, device: Device, contacts: impl IntoIterator<Item = usize>) -> Result<()> {
        match contacts.into_iter().find(|&k| self.is_elastic(k)) {
            None => Ok(()),
            Some(k) => {
                let contact = self.system.watch.contact(k).name.clone();
                Err(SimulationError::ElasticContact { time: self.time, device: device.name(), contact })
            }
        }
    }

    /// An impact of contacts whose terms are selected, and the part of their velocity that it leaves out: where W is
    /// nearly singular no impulse reaches all of A v, and the law refuses such a velocity.
    pub(crate) fn contact_set(
        &mut self,
        contacts: &[usize],
        dimensions: &[Dimension],
        fail: impl Fn(LawError) -> SimulationError,
    ) -> Result<(ContactSet, Vec<f64>)> {
        let velocity = self.system.contacts.velocity().to_vec();
        match ContactSet::new(dimensions, view(&self.system.contacts), &velocity) {
            Ok(set) => Ok((set, vec![0.0; velocity.len()])),
            Err(LawError::OutsideRange { .. }) => {
                let reached = self.reached_by_impulses(contacts, &velocity)?;
                let set = ContactSet::new(dimensions, view(&self.system.contacts), &reached).map_err(fail)?;
                Ok((set, velocity.iter().zip(&reached).map(|(v, r)| v - r).collect()))
            }
            Err(error) => Err(fail(error)),
        }
    }

    /// Ends the bounces of contacts that are too slow to follow, all at once.
    pub(crate) fn settle(&mut self, slow: &[usize]) -> Result<()> {
        let time = self.time;
        self.system.accelerate_freely(time)?;
        self.system.terms(time, slow)?;
        let free = self.system.free_accelerations().to_vec();
        let mut row = 0;
        let mut ends = Vec::with_capacity(slow.len());
        for &k in slow {
            let contact = self.system.watch.contact(k);
            let (speed, fall) = (self.rates[k], -free[row]);
            let e = contact.coefficients.restitution.normal_at(speed);
            // The bounces that would follow take 2 v/a (1 + e + e² + ...).
            let tail = if speed > self.system.scales.of(k).tiny && fall > 0.0 && e < 1.0 {
                2.0 * speed / (fall * (1.0 - e))
            } else {
                0.0
            };
            ends.push((k, time + tail));
            row += contact.dimension.rows();
        }
        let shares = self.stop_normals(slow)?;
        self.system.place(time, &self.state)?;
        let taken = shares.iter().map(|(_, share)| share.energy).sum();
        if slow.iter().all(|&k| self.system.modes[k].is_closed()) {
            // Nothing bounced: closed contacts were brought back.
            return self.book_projection(taken, &shares);
        }
        self.counts.settlings += 1;
        for ((k, end), (_, share)) in ends.into_iter().zip(shares) {
            // A contact that is closed already takes an impulse, too, when another one settles.
            let settled = (!self.system.modes[k].is_closed()).then_some(end);
            self.settled[k] = settled.or(self.settled[k]);
            if settled.is_some() || share.impulse[0] != 0.0 {
                self.events.push_back(Event {
                    impulse: share.impulse,
                    energy_change: share.energy,
                    settled,
                    ..Event::new(time, EventKind::Settle, Some(k))
                });
            }
        }
        self.book(Device::Settling, taken)
    }

    /// Takes away what is left of the sliding of contacts at rest. What slides on slowly beside them has another direction
    /// then, and modes are decided by that one. Whether there was anything to take.
    pub(crate) fn come_to_rest(&mut self, slow: &[usize]) -> Result<bool> {
        let mut rested: Vec<usize> = Vec::new();
        loop {
            self.system.terms(self.time, slow)?;
            let mut row = 0;
            let mut creeps = false;
            for &k in slow {
                let dimension = self.system.watch.contact(k).dimension;
                let velocity = tangential(&self.system.contacts, row, dimension);
                self.slides[k] = !rested.contains(&k) && self.tangential_state(k, velocity) != Tangential::AtRest;
                creeps |= !self.slides[k] && velocity[0].hypot(velocity[1]) > self.system.scales.of(k).tiny;
                row += dimension.rows();
            }
            let resting: Vec<usize> = slow.iter().copied().filter(|&k| !self.slides[k]).collect();
            if !creeps || resting == rested {
                return Ok(!rested.is_empty());
            }
            let before = self.system.energy();
            let shares = self.project_velocities(slow, Rows::Held, |simulation, k| !simulation.slides[k])?;
            self.system.place(self.time, &self.state)?;
            let change = self.system.energy() - before;
            self.book_projection(change, &shares)?;
            self.measure()?;
            rested = resting;
        }
    }

    /// Decides which of the contacts at rest on their surface stay, stick or slip.
    fn decide(&mut self, slow: &[usize]) -> Result<Settled> {
        if slow.is_empty() {
            return Ok(Settled::Decided);
        }
        let time = self.time;
        let fail = |source| SimulationError::Law { time, what: "the modes of contacts", source };
        if let Some(later) = self.decides_at {
            self.system.place(later, &self.ahead)?;
        }
        self.system.accelerate_freely(self.decides_at.unwrap_or(time))?;
        self.system.terms(time, slow)?;
        let free = self.system.free_accelerations().to_vec();
        let mut row = 0;
        let mut closed = Vec::with_capacity(slow.len());
        let mut speeds = Vec::with_capacity(slow.len());
        for &k in slow {
            let contact = self.system.watch.contact(k);
            let velocity = tangential(&self.system.contacts, row, contact.dimension);
            speeds.push(velocity[0].hypot(velocity[1]));
            closed.push(ClosedContact {
                dimension: contact.dimension,
                tangential: self.tangential_state(k, velocity),
                friction: contact.coefficients.friction,
            });
            row += contact.dimension.rows();
        }
        loop {
            let decision = decide(view(&self.system.contacts), &free, &closed).map_err(fail)?;
            if !matches!(decision, Decision::Decided(_)) && self.decides_at.take().is_some() {
                // Impulses are for the state as it is.
                self.system.place(time, &self.state)?;
                return self.decide(slow);
            }
            match decision {
                Decision::Decided(modes) => {
                    for (&k, contact) in slow.iter().zip(&closed) {
                        self.slides[k] = contact.tangential != Tangential::AtRest;
                    }
                    self.adopt(slow, &modes);
                    return Ok(Settled::Decided);
                }
                // Sliding as slow as the bounces that are ended is ended with them.
                Decision::Jammed { contact, .. } if speeds[contact] <= self.system.scales.of(slow[contact]).settled => {
                    closed[contact].tangential = Tangential::AtRest;
                    speeds[contact] = f64::INFINITY;
                }
                Decision::Jammed { contact, .. } => {
                    self.jam(slow[contact])?;
                    return Ok(Settled::Again);
                }
                Decision::NotConverged(_) => {
                    return Ok(if self.jam_together(slow, &free)? { Settled::Again } else { Settled::Unclear });
                }
            }
        }
    }

    /// Whether a contact that was taken to slide does so no more.
    fn has_stopped(&mut self) -> Result<bool> {
        let closed = self.system.closed().to_vec();
        if !closed.iter().any(|&k| self.slides[k]) {
            return Ok(false);
        }
        self.system.place(self.time, &self.state)?;
        self.system.terms(self.time, &closed)?;
        let mut row = 0;
        let mut has_stopped = false;
        for k in closed {
            let dimension = self.system.watch.contact(k).dimension;
            let velocity = tangential(&self.system.contacts, row, dimension);
            has_stopped |= self.slides[k] && self.tangential_state(k, velocity) == Tangential::AtRest;
            row += dimension.rows();
        }
        Ok(has_stopped)
    }

    /// Whether a contact slides, and which way.
    fn tangential_state(&self, k: usize, velocity: [f64; 2]) -> Tangential {
        let scales = self.system.scales.of(k);
        let speed = velocity[0].hypot(velocity[1]);
        let rest = match self.system.watch.contact(k).dimension {
            Dimension::Spatial => REST * scales.slow,
            _ => PLANAR_REST * scales.speed,
        };
        match direction(velocity) {
            Some(direction) if speed > rest => Tangential::Sliding { direction },
            _ => Tangential::AtRest,
        }
    }

    fn adopt(&mut self, slow: &[usize], modes: &Modes) {
        for (&k, mode) in slow.iter().zip(&modes.modes) {
            let mode = match *mode {
                ContactMode::Detach => Mode::Flight,
                ContactMode::Stick => Mode::Stick,
                ContactMode::Slip { direction, onset } => match self.system.watch.contact(k).dimension {
                    Dimension::Spatial if onset && !self.keeps_onsets => Mode::Onset(direction),
                    Dimension::Spatial if onset => Mode::SlipAlong(direction),
                    Dimension::Spatial => Mode::Slip,
                    _ => Mode::SlipAlong(direction),
                },
            };
            if modes.ambiguous && mode == Mode::Flight && self.system.modes[k].is_closed() {
                self.push(EventKind::Ambiguous, k);
            }
            self.set_mode(k, mode);
        }
    }

    /// The coefficients of a contact, without restitution.
    pub(crate) fn plastic(&self, k: usize) -> Coefficients {
        Coefficients { restitution: Restitution::ZERO, ..self.system.watch.contact(k).coefficients }
    }

    /// Sliding in space that became too slow to have a direction keeps its last one; one that is fast enough has its
    /// own again.
    fn redirect(&mut self, k: usize) -> Result<()> {
        self.system.place(self.time, &self.state)?;
        self.system.terms(self.time, &[k])?;
        let velocity = tangential(&self.system.contacts, 0, self.system.watch.contact(k).dimension);
        let mode = match (self.system.modes[k], direction(velocity)) {
            (Mode::Slip, Some(direction)) => Mode::SlipAlong(direction),
            _ => Mode::Slip,
        };
        self.set_mode(k, mode);
        Ok(())
    }

    fn push(&mut self, kind: EventKind, contact: usize) {
        self.events.push_back(Event::new(self.time, kind, Some(contact)));
    }

    /// Tells which modes changed, and completes the events of this instant.
    fn announce(&mut self, before: &[Mode], first_event: usize) {
        for k in 0..before.len() {
            let (old, new) = (before[k].public(), self.system.modes[k].public());
            use crate::record::event::ContactMode::{Flight, Slip, Stick};
            let turns = matches!((before[k], self.system.modes[k]),
                (Mode::SlipAlong(u), Mode::SlipAlong(w) | Mode::Onset(w)) if u[0] * w[0] + u[1] * w[1] < 0.0);
            let kind = match (old, new) {
                (Slip, Slip) if turns => Some(EventKind::Slip),
                (Stick | Slip, Flight) => Some(EventKind::LiftOff),
                (Slip, Stick) => Some(EventKind::Stick),
                (Stick, Slip) => Some(EventKind::Slip),
                _ => None,
            };
            if let Some(kind) = kind {
                self.push(kind, k);
            }
        }
        let modes = &self.system.modes;
        for event in self.events.iter_mut().skip(first_event) {
            event.mode = event.contact.map(|k| modes[k].public());
        }
    }
}

/// Whether the law failed for want of digits.
pub(crate) fn is_numerical(error: &LawError) -> bool {
    matches!(
        error.kind(),
        ErrorKind::NotConverged | ErrorKind::CheckFailed | ErrorKind::OutsideRange | ErrorKind::NotPositive
    )
}

pub(crate) fn three(impulse: &[f64]) -> [f64; 3] {
    let mut all = [0.0; 3];
    all[..impulse.len()].copy_from_slice(impulse);
    all
}
