//! Event-driven simulation of a robot that strikes, slides, sticks and comes to rest.
//!
//! The order of a step: `event/advance` (integrate, search for the first event) → `motion/project` (project onto the
//! contacts) → `instant` (impacts, settling, modes) at an event → `fallback/watchdog` → the sink (`observe`). `motion`
//! never decides modes, `instant` never integrates, and only the law computes impulses.
//!
//! | folder | question |
//! |---|---|
//! | `motion` | how does the robot move while modes do not change? |
//! | `event` | when does such a phase end? |
//! | `instant` | what happens then? |
//! | `fallback` | what if events are too frequent to be resolved? |
//! | `islands` | which trees do not act on each other, and how do they move together? |
//! | `control` | which forces does a controller hold, and until when? |
//! | `device` | how much energy does a numerical device change? |
//! | `overlap` | do boxes overlap although the gaps of their parts do not show it? |
//! | `observe`, `journal`, `unwatched` | what is reported? |

mod control;
mod device;
mod event;
mod fallback;
mod instant;
mod islands;
mod journal;
mod motion;
mod observe;
mod overlap;
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
use fallback::watchdog::{Remedy, TOO_STIFF};
use instant::{Instants, Resolution};
use islands::{Island, Told, islands};
use journal::Journal;
use motion::contact::Mode;
use motion::margin::{Margin, Reason};
use motion::stepping::Stepping;
use motion::system::{System, dynamics};
use unwatched::UnwatchedLinks;

/// Why a simulation stopped stepping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// One step was made, without an event.
    Step,
    /// An event occurred; the sink has received it.
    Event,
    /// The end time was reached.
    Time,
    /// The sink requested it.
    Interrupted,
    /// The limit on wall-clock time was reached.
    OutOfTime,
}

/// A simulation of a robot.
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
/// Between two calls the closed contacts are on their surfaces to the precision of the projection, the sink has
/// received every event, and the modes are those of the state unless `modes_are_stale`. The parts document their own
/// invariants.
#[derive(Debug, Clone)]
pub struct Simulation {
    /// The robot, its contacts, and its equations of motion.
    system: System,
    time: f64,
    /// q, v, and the works of friction, damping, motors and dry friction.
    state: Vec<f64>,
    stepping: Stepping,
    book: EnergyBook,
    instants: Instants,
    fallback: Fallback,
    journal: Journal,
    unwatched: UnwatchedLinks,
    clock: Clock,
    /// Whether the modes have to be determined before the next step.
    modes_are_stale: bool,
    /// The next instant of a controller, at which steps end; infinite without one.
    pause: f64,
    /// The parts that do not act on each other, which are simulated one by one; none if there are fewer than two. The
    /// state, modes and contacts here then are copies of theirs, and the steps, the book, the fallback and the links
    /// without contacts are those of the islands.
    islands: Vec<Island>,
    /// Records of islands at times that others have not reached yet, in the order of time.
    told: Vec<Told>,
}

/// The wall clock: whether the run has started, and when.
///
/// Invariant: `began` is set at the first step of a run with a limit on wall-clock time, and never changes.
#[derive(Debug, Clone, Copy)]
struct Clock {
    has_begun: bool,
    /// Wall-clock time of the start, if the run has a limit.
    began: Option<Instant>,
    is_out_of_time: bool,
}

impl SimulationBuilder {
    /// The simulation in its initial state.
    ///
    /// # Errors
    /// As [`SimulationBuilder::setup`] and [`Simulation::new`].
    pub fn build(self) -> Result<Simulation> {
        Simulation::new(self.setup()?)
    }
}

impl Simulation {
    /// A builder that states a simulation by names.
    pub fn builder(model: impl Into<Arc<Model>>) -> SimulationBuilder {
        SimulationBuilder::new(model.into())
    }

    /// A simulation in its initial state.
    ///
    /// # Errors
    /// Settings out of range, an invalid state, a contact that starts inside its surface.
    pub fn new(setup: Setup) -> Result<Self> {
        setup.check()?;
        Self::start(setup)
    }

    /// A simulation of a setup that has been checked.
    fn start(setup: Setup) -> Result<Self> {
        let mut system = System::new(setup)?;
        let Setup { configuration, velocity, .. } = &system.setup;
        system.dynamics.set_state(configuration, velocity).map_err(|source| dynamics(0.0, source))?;
        system.start_loops()?;
        let mut state = vec![0.0; system.size()];
        system.copy_state(&mut state);
        system.place(0.0, &state)?;
        system.measure(0.0)?;
        // Reports a singular mass matrix now.
        system.accelerate_freely(0.0)?;
        system.stiffest = system.setup.stiffest_joint(&mut system.dynamics);
        for k in 0..system.contacts.len() {
            system.contacts[k].is_armed = system.contacts[k].gap >= 0.0 || system.is_enabled(k);
        }
        system.start_frictions();
        let islands = islands(&system.setup)?;
        let mut simulation = Self {
            time: 0.0,
            stepping: Stepping::new(&state, system.scales.state.clone(), FIRST_STEP * system.scales.time),
            book: EnergyBook::new(system.energy(), system.potential(), system.scales.energy_floor),
            instants: Instants::default(),
            fallback: Fallback::new(system.scales.time),
            journal: Journal::default(),
            unwatched: UnwatchedLinks::new(&system.setup),
            clock: Clock { has_begun: false, began: None, is_out_of_time: false },
            modes_are_stale: true,
            pause: f64::INFINITY,
            islands,
            told: Vec::new(),
            state,
            system,
        };
        simulation.check_start()?;
        Ok(simulation)
    }

    /// Returns to the initial state, without held forces; the end time is kept.
    ///
    /// # Errors
    /// None in practice: a setup that has started once starts again.
    pub fn reset(&mut self) -> Result<()> {
        *self = Self::start(self.system.setup.clone())?;
        Ok(())
    }

    /// Sets the state at the present time. Modes are determined anew, and the energy book, the counts and the scales
    /// restart from this state.
    ///
    /// # Errors
    /// As [`Simulation::new`]; the simulation is then unchanged.
    pub fn set_state(&mut self, configuration: &[f64], velocity: &[f64]) -> Result<()> {
        let mut setup = self.system.setup.clone();
        (setup.configuration, setup.velocity) = (configuration.to_vec(), velocity.to_vec());
        let mut fresh = Self::start(setup)?;
        fresh.time = self.time;
        // The start of a run is reported once; sample times stay multiples of the interval.
        fresh.clock = self.clock;
        fresh.journal.samples = self.journal.samples;
        fresh.system.held.clone_from(&self.system.held);
        fresh.system.setup.configuration.clone_from(&self.system.setup.configuration);
        fresh.system.setup.velocity.clone_from(&self.system.setup.velocity);
        fresh.audit()?;
        fresh.start_islands()?;
        *self = fresh;
        Ok(())
    }

    fn check_start(&mut self) -> Result<()> {
        for pair in &self.system.setup.pairs {
            let found = self.system.dynamics.body_contacts(&pair.bodies, 0.0);
            found.map_err(|source| SimulationError::Pair { contact: pair.name.clone(), source })?;
        }
        for (k, gap) in self.system.contacts.iter().map(|contact| contact.gap).enumerate() {
            let contact = self.system.watch.contact(k);
            let bound = self.system.scales.of(k).penetration;
            if gap < -bound && self.system.is_enabled(k) {
                let name = contact.name.clone();
                return Err(match contact.surface {
                    None if contact.against.is_some() => SimulationError::StartsInside {
                        contact: name,
                        surface: contact.against.clone().unwrap_or_default(),
                        depth: -gap,
                        bound,
                    },
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
        self.check_boxes()
    }

    /// The setup.
    pub fn setup(&self) -> &Setup {
        &self.system.setup
    }

    /// Time, s.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// End time, s: no step and no window goes beyond it, and a run that has reached it is complete.
    pub fn until(&self) -> f64 {
        self.system.setup.settings.until
    }

    /// Sets the end time. If it is not after the present time, the simulation stays where it is.
    ///
    /// # Errors
    /// The time is negative or not finite.
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

    /// Mode of each contact.
    pub fn modes(&self) -> impl Iterator<Item = ContactMode> + '_ {
        self.system.contacts.iter().map(|contact| contact.mode.public())
    }

    /// The joint whose damper or spring is fastest in the initial state; `None` if no joint has either.
    pub fn stiffest_joint(&self) -> Option<&Stiffness> {
        self.system.stiffest.as_ref()
    }

    /// Advances to the next event, the end of the next step, or the end time, whichever is first.
    ///
    /// # Errors
    /// A step size below its bound, a state without dynamics, a device that adds energy or lets contacts penetrate, too
    /// many events. The simulation then is in its last valid state.
    pub fn step(&mut self, sink: &mut dyn Sink) -> Result<Stop> {
        let stopped = self.step_once(sink);
        let gathered = self.gather();
        let stop = stopped?;
        gathered.map(|()| stop)
    }

    fn step_once(&mut self, sink: &mut dyn Sink) -> Result<Stop> {
        if sink.is_interrupted() {
            return Ok(Stop::Interrupted);
        }
        if self.takes_too_long() {
            return Ok(Stop::OutOfTime);
        }
        let stopped = self.try_step(sink);
        if stopped.is_err() {
            // Events before the error are reported all the same.
            self.journal.events.drain(..).for_each(|event| sink.event(event));
        }
        stopped
    }

    /// Whether the limit on wall-clock time is reached.
    fn takes_too_long(&mut self) -> bool {
        if let Some(most) = self.system.setup.settings.max_time {
            let began = *self.clock.began.get_or_insert_with(Instant::now);
            self.clock.is_out_of_time = self.clock.has_begun && began.elapsed().as_secs_f64() > most;
        }
        self.clock.is_out_of_time
    }

    fn try_step(&mut self, sink: &mut dyn Sink) -> Result<Stop> {
        if !self.islands.is_empty() {
            return self.step_islands(sink);
        }
        let end = self.horizon();
        if !self.clock.has_begun && self.begin(end, sink)? {
            return Ok(Stop::Event);
        }
        if self.refresh_modes(end, sink)? {
            return Ok(Stop::Event);
        }
        if !(self.time < end) {
            return if self.time < self.until() { Ok(Stop::Step) } else { self.arrive(sink) };
        }
        let Some(halt) = self.integrate(end, sink)? else { return Ok(Stop::Event) };
        self.sample_step(sink)?;
        match self.conclude(halt, end, sink)? {
            true => Ok(Stop::Event),
            false if self.time < self.until() => Ok(Stop::Step),
            false => self.arrive(sink),
        }
    }

    /// Makes the first sample and resolves the start. Returns whether there were events. The sample is the given state,
    /// with the modes and forces of contacts that rest in it or, if there are events, before them.
    fn begin(&mut self, end: f64, sink: &mut dyn Sink) -> Result<bool> {
        self.clock.has_begun = true;
        self.audit()?;
        let given = self.state.clone();
        let before = self.sample_for_sink(self.time, &given)?;
        self.journal.samples = 1;
        let decided = self.decide_stale(end);
        let happens = !self.journal.events.is_empty();
        let rests = if decided.is_ok() && !happens { self.sample_aside(self.time, &given).ok() } else { None };
        sink.sample(rests.unwrap_or(before));
        decided?;
        self.flush(sink)
    }

    /// Determines the modes if they are stale. Returns whether there were events.
    fn refresh_modes(&mut self, end: f64, sink: &mut dyn Sink) -> Result<bool> {
        self.decide_stale(end)?;
        self.flush(sink)
    }

    fn decide_stale(&mut self, end: f64) -> Result<()> {
        // At the end time nothing more happens, except that at t = 0 the modes have to be determined.
        if !(self.modes_are_stale && (self.time < end || self.time == 0.0)) {
            return Ok(());
        }
        self.modes_are_stale = false;
        self.resolve(None)
    }

    /// Integrates up to the first event, at most to `end`. `None` if a window of time stepping took over, which is an event.
    fn integrate(&mut self, end: f64, sink: &mut dyn Sink) -> Result<Option<Halt>> {
        let halt = match self.advance(end) {
            // Friction that drives its own normal force without bound: impulses have a solution where forces have none.
            Err(SimulationError::Stalled { .. }) if !self.system.closed().is_empty() => {
                self.stepping.start_anew();
                self.open_window()?;
                self.flush(sink)?;
                return Ok(None);
            }
            halt => halt?,
        };
        self.journal.counts.steps += 1;
        self.check_boxes_of_step()?;
        self.look_for_dead_points()?;
        Ok(Some(halt))
    }

    /// Completes a step with this end: projects the state onto its contacts, resolves the event, and takes a remedy if
    /// events or steps are too frequent. Returns whether there were events.
    fn conclude(&mut self, halt: Halt, end: f64, sink: &mut dyn Sink) -> Result<bool> {
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
        let stiffest = self.system.stiffest.as_ref();
        self.fallback.watchdog.is_too_stiff = stiffest.is_some_and(|joint| joint.evaluations(self.until()) > TOO_STIFF);
        let crowd = self.fallback.watchdog.step(self.time, happens.is_some(), halt == Halt::Touch);
        match crowd.or(self.fallback.watchdog.check_progress(self.time, self.system.evaluations)) {
            Some(Remedy::Windows(count)) => {
                for _ in 0..count {
                    // Nothing is left to step over at the end time.
                    if !(self.time < end) {
                        break;
                    }
                    self.open_window()?;
                }
            }
            Some(Remedy::Rattle) => self.fallback.drop_restitution(self.time),
            None => {}
        }
        self.flush(sink)
    }

    /// Sets the end time and advances to it.
    ///
    /// # Errors
    /// As [`Simulation::set_until`] and [`Simulation::step`].
    pub fn run_until(&mut self, until: f64, sink: &mut dyn Sink) -> Result<Stop> {
        self.set_until(until)?;
        self.run(sink)
    }

    /// Advances to the end time.
    ///
    /// # Errors
    /// As [`Simulation::step`].
    pub fn run(&mut self, sink: &mut dyn Sink) -> Result<Stop> {
        let stopped = loop {
            match self.step_once(sink) {
                Ok(Stop::Step | Stop::Event) => {}
                stopped => break stopped,
            }
        };
        let gathered = self.gather();
        let stop = stopped?;
        gathered.map(|()| stop)
    }

    /// Whether the state before the event is worth a sample: not if only the representation of sliding changes, nor if
    /// forces are outside their bounds because they jumped or because a slow sliding is down to rounding.
    fn is_worth_a_sample(&mut self, halt: Halt) -> Result<bool> {
        match halt {
            Halt::Phase(Margin { by: Some((_, Reason::Direction)), .. }) => Ok(false),
            Halt::Phase(_) => Ok(self.present_margin()?.value >= -FORCE_ACCURACY),
            Halt::Step | Halt::Touch => Ok(true),
        }
    }

    /// Resolves the present instant; if this fails, a window of time stepping replaces it.
    fn resolve(&mut self, by: Option<(usize, Reason)>) -> Result<()> {
        match self.resolve_instant(by)? {
            Resolution::Clear => Ok(()),
            Resolution::Unclear => self.open_window(),
        }
    }

    /// Accepts the end of the last step as the present state.
    pub(crate) fn accept(&mut self) {
        self.time = self.stepping.stepper.end_time();
        self.state.copy_from_slice(self.stepping.stepper.end());
        let coordinates = self.system.model().nq();
        self.system.model().normalize(&mut self.state[..coordinates]);
        self.stepping.reuses_last_stage = false;
    }

    /// Repeats the last step with another size, and accepts its end.
    pub(crate) fn restep(&mut self, size: f64) -> Result<()> {
        let tolerance = self.system.setup.settings.tolerance;
        let error = self.stepping.stepper.attempt(&mut self.system, size, &self.stepping.scale, tolerance)?;
        self.stepping.error_to_event = error;
        self.accept();
        Ok(())
    }

    /// Measures gaps and rates in the state of the system.
    pub(crate) fn measure(&mut self) -> Result<()> {
        self.system.measure(self.time)
    }

    /// Updates which contacts are armed: not those that penetrated while they could not close, until they come out
    /// again.
    fn update_armed(&mut self) {
        for k in 0..self.system.contacts.len() {
            if self.system.contacts[k].gap > 0.0 {
                self.system.contacts[k].is_armed = true;
            } else if self.system.contacts[k].gap < -self.system.scales.of(k).near && !self.system.is_enabled(k) {
                self.system.contacts[k].is_armed = self.system.contacts[k].mode.is_closed();
            }
        }
    }

    /// Sets the mode of a contact while an instant is being resolved.
    pub(crate) fn set_mode(&mut self, contact: usize, mode: Mode) {
        self.system.contacts[contact].mode = mode;
        if mode == Mode::Flight {
            self.system.contacts[contact].settled = None;
        }
    }
}
