//! A robot that moves, strikes, slides, sticks and comes to rest.
//!
//! A step goes `event/advance` (integrate, look for the first event) → `motion/project` (back onto the contacts) → `instant`
//! (impacts, settling, modes) if something happened → `fallback/watchdog` → the sink (`observe`). `motion` never decides modes,
//! `instant` never integrates, and impulses are the law's alone.
//!
//! | folder | question |
//! |---|---|
//! | `motion` | how it moves while modes stay as they are |
//! | `event` | when that ends |
//! | `instant` | what happens then |
//! | `fallback` | what is done where events cannot be told apart |
//! | `device` | what stands in for physics, and that it adds no energy |
//! | `observe`, `journal`, `unwatched` | what is told |

mod device;
mod event;
mod fallback;
mod instant;
mod journal;
mod motion;
mod observe;
#[cfg(test)]
mod tests;
mod unwatched;

use std::sync::Arc;
use std::time::Instant;

use carom_multibody::Model;

use crate::error::{Result, SimulationError};
use crate::record::book::EnergyBook;
use crate::record::event::ContactMode;
use crate::record::sink::Sink;
use crate::setup::Setup;
use crate::setup::builder::SimulationBuilder;
use crate::stiffness::Stiffness;

use event::advance::{FIRST_STEP, Halt};
use event::phase_end::FORCE_ACCURACY;
use fallback::Fallback;
use fallback::watchdog::Remedy;
use instant::{Instants, Resolution};
use journal::Journal;
use motion::contact::Mode;
use motion::margin::{Margin, Reason};
use motion::stepping::Stepping;
use motion::system::{System, dynamics};
use unwatched::UnwatchedLinks;

/// Why a simulation stopped stepping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It made one step, and nothing happened.
    Step,
    /// Something happened; the sink has the events.
    Event,
    /// It is at the time asked for.
    Time,
    /// The sink asked for it.
    Interrupted,
    /// It took as long, by the clock, as it was allowed to.
    OutOfTime,
}

/// A robot in motion.
///
/// ```
/// use carom_law::{Coefficients, Friction, Restitution};
/// use carom_multibody::{HalfSpace, Inertia, Joint, JointKind, LinkId, LinkSpec, ModelBuilder};
/// use carom_sim::{ContactMode, ContactSpec, Event, Recorder, Simulation};
///
/// // A ball falls from 1 m and bounces to rest; its frame is at its lowest point.
/// let mut builder = ModelBuilder::new("ball");
/// let ball = LinkSpec::new("ball").joint(Joint::new("free", JointKind::Floating)).inertia(Inertia::ball(1.0, 0.1));
/// builder.link(LinkId::WORLD, ball)?;
/// let mut simulation = Simulation::builder(builder.build()?)
///     .joint_position("free", [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0])
///     .surface("floor", HalfSpace::new([0.0; 3], [0.0, 0.0, 1.0])?)
///     .contact(ContactSpec::new("ball", Coefficients::new(Restitution::new(0.8)?, Friction::new(0.3)?)))
///     .until(5.0)
///     .build()?;
/// let mut recorder = Recorder::new();
/// simulation.run(&mut recorder)?;
///
/// let gravity = 9.81_f64;
/// let rest = (2.0 / gravity).sqrt() * (1.0 + 0.8) / (1.0 - 0.8);
/// assert!((simulation.summary().at_rest.expect("at rest") - rest).abs() < 1e-11);
/// let Event::Impact(first) = recorder.events()[0] else { panic!("it strikes first") };
/// assert!((first.impulse[0] - 1.8 * (2.0 * gravity).sqrt()).abs() < 1e-11);
/// let ball = simulation.contact("ball")?;
/// assert_eq!(ball.mode, ContactMode::Stick);
/// assert!((ball.force[0] - gravity).abs() < 1e-11);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Between two calls the state is on its closed contacts, to the precision of the projection, the sink has had every event, and the
/// modes are those of the state unless `modes_are_stale`. What each part keeps is stated at the part.
#[derive(Debug, Clone)]
pub struct Simulation {
    /// The robot, its contacts, and its equations of motion.
    system: System,
    time: f64,
    /// q, v, and the works of friction, damping and motors.
    state: Vec<f64>,
    stepping: Stepping,
    book: EnergyBook,
    instants: Instants,
    fallback: Fallback,
    journal: Journal,
    unwatched: UnwatchedLinks,
    clock: Clock,
    /// Whether what touches has to be found out before the next step.
    modes_are_stale: bool,
}

/// Whether the run has begun, and how long it took so far.
///
/// Invariant: `began` is set at the first step of a run that is bounded by the clock, and never moves.
#[derive(Debug, Clone, Copy)]
struct Clock {
    has_begun: bool,
    /// When it began, by the wall clock, if it may not take for ever.
    began: Option<Instant>,
    is_out_of_time: bool,
}

impl SimulationBuilder {
    /// The simulation, at its start.
    ///
    /// # Errors
    /// As [`SimulationBuilder::setup`] and [`Simulation::new`].
    pub fn build(self) -> Result<Simulation> {
        Simulation::new(self.setup()?)
    }
}

impl Simulation {
    /// States a simulation of a robot by names.
    pub fn builder(model: impl Into<Arc<Model>>) -> SimulationBuilder {
        SimulationBuilder::new(model.into())
    }

    /// A simulation at its start.
    ///
    /// # Errors
    /// Settings out of range, a state that the robot cannot have, a contact that starts inside its surface.
    pub fn new(setup: Setup) -> Result<Self> {
        setup.check()?;
        Self::start(setup)
    }

    /// A simulation of a setup whose settings and places are in range.
    fn start(setup: Setup) -> Result<Self> {
        let mut system = System::new(setup)?;
        let Setup { configuration, velocity, .. } = &system.setup;
        system.dynamics.set_state(configuration, velocity).map_err(|source| dynamics(0.0, source))?;
        let mut state = vec![0.0; system.size()];
        {
            let (q, v, _) = system.parts_mut(&mut state);
            q.copy_from_slice(&system.setup.configuration);
            v.copy_from_slice(&system.setup.velocity);
        }
        system.place(0.0, &state)?;
        system.measure(0.0)?;
        // A robot without a mass matrix is told now.
        system.accelerate_freely(0.0)?;
        system.stiffest = system.setup.stiffest_joint(&mut system.dynamics);
        for k in 0..system.contacts.len() {
            system.contacts[k].is_armed = system.contacts[k].gap >= 0.0 || system.is_enabled(k);
        }
        let simulation = Self {
            time: 0.0,
            stepping: Stepping::new(&state, system.scales.state.clone(), FIRST_STEP * system.scales.time),
            book: EnergyBook::new(system.energy(), system.potential(), system.scales.energy_floor),
            instants: Instants::default(),
            fallback: Fallback::new(system.scales.time),
            journal: Journal::default(),
            unwatched: UnwatchedLinks::new(&system.setup),
            clock: Clock { has_begun: false, began: None, is_out_of_time: false },
            modes_are_stale: true,
            state,
            system,
        };
        simulation.check_start()?;
        Ok(simulation)
    }

    /// Back to the start; the end time stays where it is.
    ///
    /// # Errors
    /// None: what could be started once can be started again.
    pub fn reset(&mut self) -> Result<()> {
        *self = Self::start(self.system.setup.clone())?;
        Ok(())
    }

    /// Puts the robot into another state at the present time. Modes are found anew, and the energy book, the counts and the
    /// scales begin anew with this state.
    ///
    /// # Errors
    /// As [`Simulation::new`]; the simulation is then as it was.
    pub fn set_state(&mut self, configuration: &[f64], velocity: &[f64]) -> Result<()> {
        let mut setup = self.system.setup.clone();
        (setup.configuration, setup.velocity) = (configuration.to_vec(), velocity.to_vec());
        let mut fresh = Self::start(setup)?;
        fresh.time = self.time;
        // The start of a run is told once; samples go on in step with the interval.
        fresh.clock = self.clock;
        fresh.journal.samples = self.journal.samples;
        fresh.system.setup.configuration.clone_from(&self.system.setup.configuration);
        fresh.system.setup.velocity.clone_from(&self.system.setup.velocity);
        fresh.audit()?;
        *self = fresh;
        Ok(())
    }

    fn check_start(&self) -> Result<()> {
        for (k, gap) in self.system.contacts.iter().map(|contact| contact.gap).enumerate() {
            let contact = self.system.watch.contact(k);
            let bound = self.system.scales.of(k).penetration;
            if gap < -bound && self.system.is_enabled(k) {
                let name = contact.name.clone();
                return Err(match contact.surface {
                    Some(place) => SimulationError::StartsInside {
                        contact: name,
                        surface: self.system.setup.surfaces[place].name.clone(),
                        depth: -gap,
                        bound,
                    },
                    None => SimulationError::StartsBeyond { limit: name, by: -gap, bound },
                });
            }
        }
        Ok(())
    }

    /// What is simulated.
    pub fn setup(&self) -> &Setup {
        &self.system.setup
    }

    /// The time.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// When the run ends: no step and no window goes beyond it, and a run that is there is complete.
    pub fn until(&self) -> f64 {
        self.system.setup.settings.until
    }

    /// Moves the end time. At or before the present time nothing more happens.
    ///
    /// # Errors
    /// A time that is negative or not finite.
    pub fn set_until(&mut self, until: f64) -> Result<()> {
        if !(until >= 0.0 && until.is_finite()) {
            return Err(SimulationError::OutOfRange { field: "until", value: until, bound: "zero or more and finite" });
        }
        self.system.setup.settings.until = until;
        Ok(())
    }

    /// q.
    pub fn configuration(&self) -> &[f64] {
        self.system.parts(&self.state).0
    }

    /// v.
    pub fn velocity(&self) -> &[f64] {
        self.system.parts(&self.state).1
    }

    /// What each contact does.
    pub fn modes(&self) -> impl Iterator<Item = ContactMode> + '_ {
        self.system.contacts.iter().map(|contact| contact.mode.public())
    }

    /// The joint whose damper or spring acts fastest, at the start; none where none has any.
    pub fn stiffest_joint(&self) -> Option<&Stiffness> {
        self.system.stiffest.as_ref()
    }

    /// Goes on until something happens, the next step ends, or the end time is reached.
    ///
    /// # Errors
    /// Steps that become too small, a state that has no dynamics, a device that adds energy or lets contacts sink in, too
    /// many events. The simulation is then where it last was.
    pub fn step(&mut self, sink: &mut dyn Sink) -> Result<Stop> {
        if sink.is_interrupted() {
            return Ok(Stop::Interrupted);
        }
        if self.takes_too_long() {
            return Ok(Stop::OutOfTime);
        }
        let stopped = self.try_step(sink);
        if stopped.is_err() {
            // What happened before the error is told all the same.
            self.journal.events.drain(..).for_each(|event| sink.event(event));
        }
        stopped
    }

    /// Whether the clock says that it is enough.
    fn takes_too_long(&mut self) -> bool {
        if let Some(most) = self.system.setup.settings.max_time {
            let began = *self.clock.began.get_or_insert_with(Instant::now);
            self.clock.is_out_of_time = self.clock.has_begun && began.elapsed().as_secs_f64() > most;
        }
        self.clock.is_out_of_time
    }

    fn try_step(&mut self, sink: &mut dyn Sink) -> Result<Stop> {
        let end = self.until();
        if !self.clock.has_begun {
            self.clock.has_begun = true;
            self.audit()?;
            self.emit(sink)?;
            self.journal.samples = 1;
        }
        // At the end asked for nothing more happens, but at the start the modes are still to be found.
        if self.modes_are_stale && (self.time < end || self.time == 0.0) {
            self.modes_are_stale = false;
            self.resolve(None)?;
            if self.flush(sink)? {
                return Ok(Stop::Event);
            }
        }
        if !(self.time < end) {
            return self.arrive(sink);
        }
        let halt = match self.advance(end) {
            // Friction that drives its own normal force beyond all measure: impulses have an answer where forces do not.
            Err(SimulationError::Stalled { .. }) if !self.system.closed().is_empty() => {
                self.stepping.start_anew();
                self.open_window()?;
                self.flush(sink)?;
                return Ok(Stop::Event);
            }
            halt => halt?,
        };
        self.journal.counts.steps += 1;
        self.sample_step(sink)?;
        self.project()?;
        self.audit()?;
        self.update_armed();
        let happens = match halt {
            Halt::Step => None,
            Halt::Touch => Some(None),
            Halt::Phase(margin) => Some(margin.by),
        };
        if let Some(by) = happens {
            if self.is_worth_a_sample(halt)? {
                self.emit(sink)?;
            }
            self.resolve(by)?;
        } else {
            self.check_rest()?;
        }
        let crowd = self.fallback.watchdog.step(self.time, happens.is_some(), halt == Halt::Touch);
        match crowd.or(self.fallback.watchdog.check_progress(self.time, self.system.evaluations)) {
            Some(Remedy::Windows(count)) => (0..count).try_for_each(|_| self.open_window())?,
            Some(Remedy::Rattle) => self.fallback.drop_restitution(self.time),
            None => {}
        }
        let has_events = self.flush(sink)?;
        match has_events {
            true => Ok(Stop::Event),
            false if self.time < end => Ok(Stop::Step),
            false => self.arrive(sink),
        }
    }

    /// Moves the end time, and goes on until then.
    ///
    /// # Errors
    /// As [`Simulation::set_until`] and [`Simulation::step`].
    pub fn run_until(&mut self, until: f64, sink: &mut dyn Sink) -> Result<Stop> {
        self.set_until(until)?;
        self.run(sink)
    }

    /// Goes on until the end time.
    ///
    /// # Errors
    /// As [`Simulation::step`].
    pub fn run(&mut self, sink: &mut dyn Sink) -> Result<Stop> {
        loop {
            match self.step(sink)? {
                Stop::Step | Stop::Event => {}
                stop @ (Stop::Time | Stop::Interrupted | Stop::OutOfTime) => return Ok(stop),
            }
        }
    }

    /// Whether the state before what happens is worth keeping: not where only the way of counting changes, and not where
    /// forces are beyond their bounds, because they jumped or because rounding is all that is left of a slow sliding.
    fn is_worth_a_sample(&mut self, halt: Halt) -> Result<bool> {
        match halt {
            Halt::Phase(Margin { by: Some((_, Reason::Direction)), .. }) => Ok(false),
            Halt::Phase(_) => Ok(self.present_margin()?.value >= -FORCE_ACCURACY),
            Halt::Step | Halt::Touch => Ok(true),
        }
    }

    /// What happens now; where it cannot be told, a window of time stepping stands in.
    fn resolve(&mut self, by: Option<(usize, Reason)>) -> Result<()> {
        match self.resolve_instant(by)? {
            Resolution::Clear => Ok(()),
            Resolution::Unclear => self.open_window(),
        }
    }

    /// Takes the end of the last step.
    pub(crate) fn accept(&mut self) {
        self.time = self.stepping.stepper.end_time();
        self.state.copy_from_slice(self.stepping.stepper.end());
        let coordinates = self.system.model().nq();
        self.system.model().normalize(&mut self.state[..coordinates]);
        self.stepping.reuses_last_stage = false;
    }

    /// Steps anew from the start of the last step, and takes the end.
    pub(crate) fn restep(&mut self, size: f64) -> Result<()> {
        let tolerance = self.system.setup.settings.tolerance;
        self.stepping.stepper.attempt(&mut self.system, size, &self.stepping.scale, tolerance)?;
        self.accept();
        Ok(())
    }

    /// Gaps and their rates, of the state that the system is placed in.
    pub(crate) fn measure(&mut self) -> Result<()> {
        self.system.measure(self.time)
    }

    /// Contacts that went inside while they could not close, and those that came out again.
    fn update_armed(&mut self) {
        for k in 0..self.system.contacts.len() {
            if self.system.contacts[k].gap > 0.0 {
                self.system.contacts[k].is_armed = true;
            } else if self.system.contacts[k].gap < -self.system.scales.of(k).near && !self.system.is_enabled(k) {
                self.system.contacts[k].is_armed = self.system.contacts[k].mode.is_closed();
            }
        }
    }

    /// Puts a contact's mode, in the middle of what happens.
    pub(crate) fn set_mode(&mut self, contact: usize, mode: Mode) {
        self.system.contacts[contact].mode = mode;
        if mode == Mode::Flight {
            self.system.contacts[contact].settled = None;
        }
    }
}
