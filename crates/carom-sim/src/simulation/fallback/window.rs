//! A short window of [time stepping](super::moreau), for events too frequent to be resolved.

use crate::error::{Result, SimulationError};
use crate::record::book::Device;
use crate::simulation::device::Share;

use crate::record::book::EnergyBook;
use crate::record::event::Event;
use crate::simulation::Simulation;
use crate::simulation::journal::Counts;
use crate::simulation::motion::contact::{ContactState, Mode};

/// Steps of a window.
const STEPS: usize = 10;
/// Length of a step, relative to the time scale.
const STEP: f64 = 1e-6;
/// A window that opens within this many lengths of the previous one has steps twice as long...
const SOON: f64 = 2.0;
/// ... as long as nothing moves farther in a step than this fraction of the length, and the step is shorter than this
/// fraction of the time scale.
const MOST_MOVE: f64 = 1e-4;
const LONGEST: f64 = 1e-4;
/// The bound on the step if a joint is too stiff to be followed and contacts bounce: windows then replace the whole
/// motion, and the speed of a bounce in them has an error of gravity times the step.
const LONGEST_OF_BOUNCES: f64 = 1e-5;
/// A window that added energy or let a contact penetrate is retried with steps shorter by this factor...
const FINER: f64 = 16.0;
/// ... at most this many attempts in all.
const TRIES: usize = 3;

/// The last window.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LastWindow {
    end: f64,
    step: f64,
}

impl LastWindow {
    pub(crate) const NONE: Self = Self { end: f64::NEG_INFINITY, step: 0.0 };

    #[cfg(test)]
    pub(crate) fn end(&self) -> f64 {
        self.end
    }
}

/// The state to restore if a window fails.
struct Snapshot {
    time: f64,
    state: Vec<f64>,
    book: EnergyBook,
    counts: Counts,
    contacts: Vec<ContactState>,
    at_rest: Option<f64>,
    events: usize,
}

impl Simulation {
    /// Advances by time stepping. Bounces shorter than a step let contacts penetrate, and lifting them out adds energy
    /// proportional to the square of the step: then shorter steps are tried.
    ///
    /// # Errors
    /// Even the shortest steps add energy or let contacts penetrate, or contacts with e = 1 would become plastic. The
    /// state is then as before.
    pub(crate) fn open_window(&mut self) -> Result<()> {
        let before = self.snapshot();
        self.system.place(self.time, &self.state)?;
        let mut step = self.window_step().min((self.horizon() - self.time).max(0.0) / STEPS as f64);
        let mut tries = 1;
        loop {
            let stepped = self.step_window(step);
            if stepped.is_err() {
                self.restore(&before);
            }
            match stepped {
                Err(SimulationError::DeviceGain { .. } | SimulationError::DevicePenetration { .. })
                    if tries < TRIES =>
                {
                    step /= FINER;
                    tries += 1;
                }
                stepped => return stepped,
            }
        }
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            time: self.time,
            state: self.state.clone(),
            book: self.book.clone(),
            counts: self.journal.counts.clone(),
            contacts: self.system.contacts.clone(),
            at_rest: self.journal.at_rest,
            events: self.journal.events.len(),
        }
    }

    fn restore(&mut self, before: &Snapshot) {
        self.time = before.time;
        self.state.copy_from_slice(&before.state);
        self.book = before.book.clone();
        self.journal.counts = before.counts.clone();
        self.system.contacts.copy_from_slice(&before.contacts);
        self.system.adopt_modes();
        self.journal.at_rest = before.at_rest;
        self.journal.events.truncate(before.events);
    }

    fn step_window(&mut self, step: f64) -> Result<()> {
        self.journal.counts.windows += 1;
        let start = self.time;
        self.system.place(start, &self.state)?;
        let before = self.unbooked_energy();
        let mut passive = self.passive(step);
        let mut shares: Vec<(usize, Share)> = (0..self.system.contacts.len()).map(|k| (k, Share::default())).collect();
        for _ in 0..STEPS {
            self.moreau_step(step, &mut passive, &mut shares)?;
        }
        // The last window ends at the end time, to the rounding of the sum of its steps.
        if (self.until() - self.time).abs() <= STEPS as f64 * f64::EPSILON * self.time {
            self.time = self.until();
        }
        self.fallback.last_window = LastWindow { end: self.time, step };
        self.fallback.watchdog.pass_over(self.time - start);
        self.lift_out()?;
        self.system.place(self.time, &self.state)?;
        self.measure()?;
        let change = self.unbooked_energy() - before;
        for (k, share) in &mut shares {
            share.impulse = self.system.watch.told(*k, share.impulse);
        }
        self.push_device_events(Event::Window, start, &shares, change);
        self.check_depth(Device::Windows)?;
        self.check_boxes_of_device(Device::Windows)?;
        self.book_device(Device::Windows, change)?;
        self.stepping.reuses_last_stage = false;
        self.modes_are_stale = true;
        self.stepping.size = self.stepping.size.max(step);
        self.resume();
        Ok(())
    }

    /// The step of the next window. It grows while windows follow each other, so that long clusters of events take
    /// finite time.
    fn window_step(&mut self) -> f64 {
        let shortest = STEP * self.system.scales.time;
        let LastWindow { end, step } = self.fallback.last_window;
        if self.time - end > SOON * STEPS as f64 * step {
            return shortest;
        }
        let (speed, spin) = self.system.watch.fastest(&mut self.system.dynamics);
        let holds_bounces = self.fallback.watchdog.is_too_stiff && self.system.can_bounce();
        let longest = if holds_bounces { LONGEST_OF_BOUNCES } else { LONGEST };
        let (length, longest) = (self.system.scales.length, longest * self.system.scales.time);
        (2.0 * step).min(longest).min(MOST_MOVE * length / (speed + spin * length)).max(shortest)
    }

    /// Lifts out contacts that penetrated during the steps.
    fn lift_out(&mut self) -> Result<()> {
        self.system.place(self.time, &self.state)?;
        self.measure()?;
        let is_inside = |k: usize| {
            self.system.contacts[k].is_armed && self.system.is_enabled(k) && self.system.contacts[k].gap < 0.0
        };
        let inside: Vec<usize> = (0..self.system.contacts.len()).filter(|&k| is_inside(k)).collect();
        if inside.is_empty() { Ok(()) } else { self.project_positions(&inside) }
    }

    /// Returns to event detection: all contacts are opened, and modes are determined anew. Contacts that could not
    /// close again stay closed.
    fn resume(&mut self) {
        for k in 0..self.system.contacts.len() {
            if self.system.watch.friction(k).is_some() {
                continue;
            }
            if self.system.contacts[k].gap > self.system.scales.of(k).near
                || (self.system.contacts[k].is_armed && self.system.is_enabled(k))
            {
                self.set_mode(k, Mode::Flight);
            }
        }
        self.system.adopt_modes();
    }
}
