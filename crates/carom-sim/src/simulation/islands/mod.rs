//! Islands: trees of a robot that do not act on each other, each simulated by itself.
//!
//! An island is a separate simulation: its steps, decisions, impacts, factors and energy book are equal to the bit to
//! those it has alone. The whole selects the earliest island, integrates it up to its next event, and completes that
//! step once all others have reached its end. Thus samples and events are in the order of time, and an event of one
//! island neither ends a step of another nor changes its modes.
//!
//! | file | contents |
//! |---|---|
//! | `merge` | samples, counts and states of the whole from those of its islands |

mod merge;

use crate::error::{Result, SimulationError};
use crate::record::event::Event;
use crate::record::recorder::Recorder;
use crate::record::run::Sample;
use crate::record::sink::Sink;
use crate::setup::Setup;
use crate::setup::part::SetupPart;
use crate::simulation::event::advance::Halt;
use crate::simulation::{Simulation, Stop};

/// An island, and the indices of its numbers in those of the whole.
///
/// Invariant: if a step is `pending`, the state is that at its end and the modes are those within it; no other island is
/// earlier than the start of the step.
#[derive(Debug, Clone)]
pub(crate) struct Island {
    pub(super) simulation: Simulation,
    coordinates: Vec<usize>,
    velocities: Vec<usize>,
    contacts: Vec<usize>,
    /// How the last step ended, until it is completed.
    pending: Option<Halt>,
}

/// A record of an island, kept until all others have reached its time.
#[derive(Debug, Clone)]
pub(crate) enum Told {
    Event(Event),
    /// A sample of one island.
    Sample(usize, Box<Sample>),
}

impl Told {
    fn time(&self) -> f64 {
        match self {
            Self::Event(event) => event.time(),
            Self::Sample(_, sample) => sample.time,
        }
    }
}

/// The islands of a setup; none if it has fewer than two.
pub(super) fn islands(setup: &Setup) -> Result<Vec<Island>> {
    let island = |part: SetupPart| {
        let SetupPart { setup, coordinates, velocities, contacts } = part;
        let simulation = Simulation::start(setup)?;
        Ok(Island { simulation, coordinates, velocities, contacts, pending: None })
    };
    setup.parts()?.into_iter().map(island).collect()
}

impl Island {
    fn time(&self) -> f64 {
        self.simulation.time
    }

    /// Whether it has work left: up to the end, or its modes at the start.
    fn is_under_way(&self, end: f64) -> bool {
        self.time() < end || self.simulation.modes_are_stale && self.time() == 0.0
    }

    /// Goes back to the start of a pending step.
    fn go_back(&mut self) {
        if self.pending.take().is_some() {
            let simulation = &mut self.simulation;
            simulation.time = simulation.stepping.stepper.start_time();
            simulation.state.copy_from_slice(simulation.stepping.stepper.start());
            simulation.stepping.reuses_last_stage = false;
            simulation.journal.counts.steps -= 1;
        }
    }

    /// Ends a pending step at a time within it.
    fn end_step_at(&mut self, time: f64, sink: &mut dyn Sink) -> Result<()> {
        if self.pending.is_none() || time >= self.time() {
            return Ok(());
        }
        if time <= self.simulation.stepping.stepper.start_time() {
            self.go_back();
            return Ok(());
        }
        self.pending = None;
        self.simulation.restep(time - self.simulation.stepping.stepper.start_time())?;
        self.simulation.time = time;
        self.simulation.conclude(Halt::Step, time, sink)?;
        Ok(())
    }

    /// The held forces on its velocities.
    fn share(&self, forces: &[f64]) -> Vec<f64> {
        self.velocities.iter().map(|&i| forces[i]).collect()
    }
}

impl Simulation {
    /// Sets the islands to the present time of a simulation whose state has just been set, with its held forces.
    pub(super) fn start_islands(&mut self) -> Result<()> {
        for island in &mut self.islands {
            island.simulation.time = self.time;
            island.simulation.clock.has_begun = self.clock.has_begun;
            let forces = island.share(&self.system.held);
            island.simulation.hold_forces(&forces)?;
            island.simulation.audit()?;
        }
        Ok(())
    }

    /// Passes held forces on to the islands. Those whose forces change are first brought to the present time.
    pub(super) fn hold_forces_of_islands(&mut self) -> Result<()> {
        for index in 0..self.islands.len() {
            let island = &mut self.islands[index];
            let forces = island.share(&self.system.held);
            if island.simulation.held_forces() != forces {
                let mut told = Recorder::new();
                island.end_step_at(self.time, &mut told)?;
                island.simulation.hold_forces(&forces)?;
                let told = told_by(island, index, told);
                self.keep(told);
            }
        }
        Ok(())
    }

    /// A step of the earliest island, with all steps of others that end at the same time.
    pub(super) fn step_islands(&mut self, sink: &mut dyn Sink) -> Result<Stop> {
        let mut islands = std::mem::take(&mut self.islands);
        let stopped = self.step_earliest(&mut islands, sink);
        if stopped.is_err() {
            // Events before the error are reported all the same.
            for island in &mut islands {
                let events = std::mem::take(&mut island.simulation.journal.events);
                self.told.extend(events.into_iter().map(|event| Told::Event(relabelled(event, island))));
            }
            self.told.sort_by(|a, b| a.time().total_cmp(&b.time()));
            let events = std::mem::take(&mut self.told);
            self.journal.events.extend(events.into_iter().filter_map(|told| match told {
                Told::Event(event) => Some(event),
                Told::Sample(..) => None,
            }));
        }
        self.islands = islands;
        stopped
    }

    fn step_earliest(&mut self, islands: &mut [Island], sink: &mut dyn Sink) -> Result<Stop> {
        let (end, until) = (self.horizon(), self.until());
        for island in islands.iter_mut() {
            island.simulation.system.setup.settings.until = until;
            island.simulation.pause = self.pause;
            if island.time() > end {
                island.go_back();
            }
        }
        if !self.clock.has_begun {
            self.clock.has_begun = true;
            for island in islands.iter_mut() {
                island.simulation.clock.has_begun = true;
                island.simulation.audit()?;
            }
            self.emit_first(islands, sink)?;
            self.journal.samples = 1;
        }
        let mut has_events = false;
        loop {
            let Some(first) = earliest(islands) else { return self.arrive_together(islands, sink) };
            let now = islands[first].time();
            let mut told = Recorder::new();
            let is_step = match islands[first].pending {
                Some(halt) => {
                    // All others have reached this time, in the modes of their present steps.
                    self.sample_whole(islands, now, sink)?;
                    islands[first].pending = None;
                    islands[first].simulation.conclude(halt, end, &mut told)?;
                    true
                }
                None if islands[first].is_under_way(end) => {
                    let simulation = &mut islands[first].simulation;
                    if !simulation.refresh_modes(end, &mut told)? && simulation.time < end {
                        islands[first].pending = simulation.integrate(end, &mut told)?;
                    }
                    false
                }
                None => return self.arrive_together(islands, sink),
            };
            self.keep(told_by(&islands[first], first, told));
            self.time = self.time.max(now.min(end));
            has_events |= self.tell(islands, now, sink)?;
            // Others may end a step at the same time.
            let is_complete = !islands.iter().any(|island| island.pending.is_some() && island.time() <= now);
            match has_events {
                true if is_complete => return Ok(Stop::Event),
                false if is_step && is_complete && now < until => return Ok(Stop::Step),
                _ => {}
            }
        }
    }

    /// Ends all islands at the end time.
    fn arrive_together(&mut self, islands: &mut [Island], sink: &mut dyn Sink) -> Result<Stop> {
        let end = self.horizon();
        self.sample_whole(islands, end, sink)?;
        self.time = self.time.max(end);
        if self.time < self.until() {
            return Ok(Stop::Step);
        }
        if self.journal.last_sample != Some(self.time) {
            self.emit_whole(islands, self.time, None, sink)?;
        }
        Ok(Stop::Time)
    }

    /// Stores the records of an island in the order of time.
    fn keep(&mut self, told: Vec<Told>) {
        self.told.extend(told);
        self.told.sort_by(|a, b| a.time().total_cmp(&b.time()));
    }

    /// Passes on the records up to a time that all islands have reached. Returns whether there were events.
    fn tell(&mut self, islands: &mut [Island], time: f64, sink: &mut dyn Sink) -> Result<bool> {
        let count = self.told.iter().take_while(|told| told.time() <= time).count();
        let told: Vec<Told> = self.told.drain(..count).collect();
        let mut has_events = false;
        for told in told {
            match told {
                Told::Event(event) => {
                    sink.event(event);
                    self.journal.counts.events += 1;
                    has_events = true;
                }
                Told::Sample(island, sample) => self.emit_whole(islands, sample.time, Some((island, *sample)), sink)?,
            }
        }
        let bound = self.system.setup.settings.max_events;
        match has_events && self.journal.counts.events >= bound && time < self.until() {
            true => Err(SimulationError::TooManyEvents { time, bound }),
            false => Ok(has_events),
        }
    }
}

/// The earliest island; among several, one that has not yet completed its step.
fn earliest(islands: &[Island]) -> Option<usize> {
    let key = |island: &Island| (island.time(), island.pending.is_none());
    (0..islands.len()).min_by(|&a, &b| {
        let ((time, idle), (other, other_idle)) = (key(&islands[a]), key(&islands[b]));
        time.total_cmp(&other).then(idle.cmp(&other_idle))
    })
}

/// The records of an island in order: the sample before the events first, the one after them last.
fn told_by(island: &Island, index: usize, told: Recorder) -> Vec<Told> {
    let Recorder { samples, events } = told;
    let has_one_before = samples.len() > 1 || events.is_empty();
    let mut samples = samples.into_iter().map(move |sample| Told::Sample(index, Box::new(sample)));
    let before = if has_one_before { samples.next() } else { None };
    let events = events.into_iter().map(|event| Told::Event(relabelled(event, island)));
    before.into_iter().chain(events).chain(samples).collect()
}

/// An event of an island with the index of its contact in the whole.
fn relabelled(mut event: Event, island: &Island) -> Event {
    event.relabel(|k| island.contacts[k]);
    event
}
