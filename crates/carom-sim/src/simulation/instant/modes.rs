//! Which contacts stay closed, which stick and which slip, and the events that report it.

use carom_law::{ClosedContact, ClosedMode, Decision, Dimension, Modes, Tangential, decide};

use super::RoundEnd;
use crate::error::{Result, SimulationError};
use crate::record::event::{AmbiguousEvent, Event, ModeEvent};
use crate::simulation::Simulation;
use crate::simulation::motion::contact::Mode;
use crate::simulation::motion::system::{direction, tangential, view};

/// In space, sliding slower than this multiple of the slow speed counts as rest when modes are decided.
const REST: f64 = 20.0;
/// In the plane, sliding slower than this fraction of the speed scale counts as rest when modes are decided.
const PLANAR_REST: f64 = 1e-9;

impl Simulation {
    /// Decides which of the contacts at rest on their surface stay, stick or slip.
    pub(crate) fn decide(&mut self, slow: &[usize]) -> Result<RoundEnd> {
        if slow.is_empty() {
            return Ok(RoundEnd::Decided);
        }
        let time = self.time;
        let fail = |source| SimulationError::Law { time, what: "the modes of contacts", source };
        if let Some(later) = self.stepping.decides_at {
            self.system.place(later, &self.stepping.ahead)?;
        }
        self.system.accelerate_freely(self.stepping.decides_at.unwrap_or(time))?;
        self.system.terms(time, slow)?;
        let free = self.system.free_accelerations().to_vec();
        let mut closed = Vec::with_capacity(slow.len());
        let mut speeds = Vec::with_capacity(slow.len());
        for (k, rows) in self.system.watch.rows_of(slow) {
            let contact = self.system.watch.contact(k);
            let velocity = tangential(&self.system.rows, rows);
            speeds.push(velocity[0].hypot(velocity[1]));
            closed.push(ClosedContact {
                dimension: contact.dimension,
                tangential: self.tangential_state(k, velocity),
                friction: contact.coefficients.friction,
            });
        }
        loop {
            let decision = decide(view(&self.system.rows), &free, &closed).map_err(fail)?;
            if !matches!(decision, Decision::Decided(_)) && self.stepping.decides_at.take().is_some() {
                // Impulses are those of the present state.
                self.system.place(time, &self.state)?;
                return self.decide(slow);
            }
            match decision {
                Decision::Decided(modes) => {
                    for (&k, contact) in slow.iter().zip(&closed) {
                        self.system.contacts[k].slid = contact.tangential != Tangential::AtRest;
                    }
                    self.adopt(slow, &modes);
                    return Ok(RoundEnd::Decided);
                }
                // Sliding slower than the bounces that are ended is ended with them.
                Decision::Jammed { contact, .. } if speeds[contact] <= self.system.scales.of(slow[contact]).settled => {
                    closed[contact].tangential = Tangential::AtRest;
                    speeds[contact] = f64::INFINITY;
                }
                Decision::Jammed { contact, .. } => {
                    self.jam(slow[contact])?;
                    return Ok(RoundEnd::Again);
                }
                Decision::NotConverged(_) => {
                    return Ok(if self.jam_together(slow, &free)? { RoundEnd::Again } else { RoundEnd::Unclear });
                }
            }
        }
    }

    /// Whether a contact slides, and its direction.
    pub(crate) fn tangential_state(&self, k: usize, velocity: [f64; 2]) -> Tangential {
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

    pub(crate) fn adopt(&mut self, slow: &[usize], modes: &Modes) {
        for (&k, mode) in slow.iter().zip(&modes.modes) {
            let mode = match *mode {
                ClosedMode::Detach => Mode::Flight,
                ClosedMode::Stick => Mode::Stick,
                ClosedMode::Slip { direction, onset } => match self.system.watch.contact(k).dimension {
                    Dimension::Spatial if onset && !self.instants.keeps_onsets => Mode::Onset(direction),
                    Dimension::Spatial if onset => Mode::SlipAlong(direction),
                    Dimension::Spatial => Mode::Slip,
                    _ => Mode::SlipAlong(direction),
                },
            };
            if modes.ambiguous && mode == Mode::Flight && self.system.contacts[k].mode.is_closed() {
                let event = AmbiguousEvent { time: self.time, contact: k, mode: None };
                self.journal.events.push_back(Event::AmbiguousLiftOff(event));
            }
            self.set_mode(k, mode);
        }
    }

    /// Sliding in space that became too slow to determine its direction keeps the last one; once it is fast enough, it
    /// follows its velocity again.
    pub(crate) fn redirect(&mut self, k: usize) -> Result<()> {
        self.system.place(self.time, &self.state)?;
        self.system.terms(self.time, &[k])?;
        let velocity = tangential(&self.system.rows, 0..self.system.watch.contact(k).dimension.rows());
        let mode = match (self.system.contacts[k].mode, direction(velocity)) {
            (Mode::Slip, Some(direction)) => Mode::SlipAlong(direction),
            _ => Mode::Slip,
        };
        self.set_mode(k, mode);
        Ok(())
    }

    /// Reports which modes changed, and completes the events of this instant.
    pub(crate) fn announce(&mut self, before: &[Mode], first_event: usize) {
        for k in 0..before.len() {
            let (old, new) = (before[k].public(), self.system.contacts[k].mode.public());
            use crate::record::event::ContactMode::{Flight, Slip, Stick};
            let turns = matches!((before[k], self.system.contacts[k].mode),
                (Mode::SlipAlong(u), Mode::SlipAlong(w) | Mode::Onset(w)) if u[0] * w[0] + u[1] * w[1] < 0.0);
            let event = ModeEvent { time: self.time, contact: k };
            let event = match (old, new) {
                (Slip, Slip) if turns => Some(Event::Slip(event)),
                (Stick | Slip, Flight) => Some(Event::LiftOff(event)),
                (Slip, Stick) => Some(Event::Stick(event)),
                (Stick, Slip) => Some(Event::Slip(event)),
                _ => None,
            };
            self.journal.events.extend(event);
        }
        let contacts = &self.system.contacts;
        for event in self.journal.events.iter_mut().skip(first_event) {
            if let Some(k) = event.contact() {
                event.set_mode(contacts[k].mode.public());
            }
        }
    }
}
