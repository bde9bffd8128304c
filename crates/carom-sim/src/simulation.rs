//! A robot that moves, strikes, slides, sticks and comes to rest.

use std::collections::VecDeque;
use std::time::Instant;

use crate::error::{Result, SimulationError};
use crate::event::margin::{Margin, Reason};
use crate::event::phase_end::FORCE_ACCURACY;
use crate::fallback::device::Device;
use crate::fallback::watchdog::{Bite, Watchdog};
use crate::fallback::window::LastWindow;
use crate::instant::episode::Episode;
use crate::motion::advance::{FIRST_STEP, Halt};
use crate::motion::integrate::Stepper;
use crate::motion::system::{Mode, System, dynamics};
use crate::record::energy::Ledger;
use crate::record::event::{ContactMode, Event};
use crate::record::run::Sample;
use crate::record::unwatched::Unwatched;
use crate::setup::stiffness::Stiffness;
use crate::setup::{Actuator, Setup};

/// Takes what a simulation tells.
pub trait Sink {
    /// A state at a time; at an event two, before and after it.
    fn sample(&mut self, sample: Sample);

    /// Something that happened.
    fn event(&mut self, event: Event);

    /// Whether to stop as soon as possible.
    fn is_interrupted(&self) -> bool {
        false
    }
}

/// A sink that keeps nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Sink for Silent {
    fn sample(&mut self, _: Sample) {}

    fn event(&mut self, _: Event) {}
}

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

/// Counts of a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counts {
    pub(crate) steps: u64,
    pub(crate) rejected: u64,
    pub(crate) impacts: u64,
    pub(crate) events: u64,
    pub(crate) settlings: u64,
    pub(crate) windows: u64,
    pub(crate) rattles: u64,
    pub(crate) sequences: u64,
    pub(crate) projections: u64,
    pub(crate) not_converged: u64,
    pub(crate) penetration: f64,
    pub(crate) largest_energy: f64,
    pub(crate) largest_residual: f64,
    pub(crate) last_residual: f64,
}

/// A robot in motion.
///
/// ```
/// use carom_law::{Coefficients, Friction, Guard, Restitution};
/// use carom_multibody::{ContactPoint, HalfSpace, Inertia, Joint, JointKind, LinkId, LinkSpec, ModelBuilder};
/// use carom_sim::{Settings, Setup, Silent, Simulation, Surface, WatchedContact};
///
/// // A ball falls from 1 m and bounces to rest; its frame is at its lowest point.
/// let mut builder = ModelBuilder::new("ball");
/// let ball = LinkSpec::new("ball").joint(Joint::new("free", JointKind::Floating)).inertia(Inertia::ball(1.0, 0.1));
/// let ball = builder.link(LinkId::WORLD, ball)?;
/// let model = std::sync::Arc::new(builder.build()?);
/// let up = [0.0, 0.0, 1.0];
/// let coefficients = Coefficients::new(Restitution::new(0.8)?, Friction::new(0.3)?);
/// let point = ContactPoint::new(&model, ball, [0.0; 3], up)?;
/// let mut simulation = Simulation::new(Setup {
///     title: None,
///     configuration: vec![0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0],
///     velocity: vec![0.0; 6],
///     surfaces: vec![Surface { name: "floor".into(), half_space: HalfSpace::new([0.0; 3], up)? }],
///     contacts: vec![WatchedContact { name: "ball".into(), point, surface: 0, coefficients, enabled: None }],
///     limits: None,
///     actuators: Vec::new(),
///     guard: Guard::Slip,
///     settings: Settings { until: 5.0, ..Settings::default() },
///     model,
/// })?;
/// simulation.run_until(5.0, &mut Silent)?;
/// let gravity = 9.81_f64;
/// let rest = (2.0 / gravity).sqrt() * (1.0 + 0.8) / (1.0 - 0.8);
/// assert!((simulation.summary().at_rest.expect("at rest") - rest).abs() < 1e-11);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Simulation {
    pub(crate) system: System,
    pub(crate) stepper: Stepper,
    /// Steps to samples inside a step.
    pub(crate) sampler: Stepper,
    /// The error of the last step over its tolerance.
    pub(crate) step_error: f64,
    pub(crate) time: f64,
    pub(crate) state: Vec<f64>,
    /// Size of the next step.
    pub(crate) size: f64,
    /// The last one that no sliding made short, to start with after an event.
    pub(crate) steady: f64,
    /// Whether the next step follows from the last.
    pub(crate) follows: bool,
    pub(crate) scale: Vec<f64>,
    /// A state inside a step.
    pub(crate) point: Vec<f64>,
    /// A state a little later than the present one, along its rate.
    pub(crate) ahead: Vec<f64>,
    /// How much later than the phase ended the event fired.
    pub(crate) ahead_of_event: f64,
    /// The time of `ahead`, while modes are to be decided there.
    pub(crate) decides_at: Option<f64>,
    /// Whether the last step was ended where a force left its bound, before an event.
    pub(crate) ended_on_bound: bool,
    pub(crate) gaps: Vec<f64>,
    pub(crate) rates: Vec<f64>,
    /// The fastest turning of a link in the last step.
    pub(crate) spin: f64,
    /// Whether an open contact can close: not if it went inside while its condition did not hold.
    pub(crate) armed: Vec<bool>,
    /// Whether a contact slid where modes were last decided.
    pub(crate) slides: Vec<bool>,
    pub(crate) booked: Ledger,
    /// The lowest that each device's column was.
    pub(crate) lowest: [f64; Device::COUNT],
    pub(crate) counts: Counts,
    pub(crate) watchdog: Watchdog,
    pub(crate) last_window: LastWindow,
    /// When the direction in which a contact begins to slide was last lost, and whether directions are now kept.
    pub(crate) last_lost: f64,
    pub(crate) keeps_onsets: bool,
    /// Until when impacts go without restitution where they may, after a rattle.
    pub(crate) calm_until: f64,
    /// Of each contact: the impacts that follow on each other.
    pub(crate) episodes: Vec<Episode>,
    pub(crate) unwatched: Unwatched,
    pub(crate) settled: Vec<Option<f64>>,
    pub(crate) at_rest: Option<f64>,
    pub(crate) events: VecDeque<Event>,
    /// Whether what touches has to be found out before the next step.
    pub(crate) is_open: bool,
    /// The time asked for: no window goes beyond it.
    pub(crate) end: f64,
    has_begun: bool,
    /// When it began, by the clock, if it may not take for ever.
    began: Option<Instant>,
    pub(crate) is_out_of_time: bool,
    pub(crate) start_energy: f64,
    pub(crate) start_potential: f64,
    pub(crate) samples: u64,
    pub(crate) last_sample: Option<f64>,
}

impl Simulation {
    /// A simulation at its start.
    ///
    /// # Errors
    /// Settings out of range, a state that the robot cannot have, a contact that starts inside its surface.
    pub fn new(setup: Setup) -> Result<Self> {
        check(&setup)?;
        let mut system = System::new(setup)?;
        let Setup { configuration, velocity, .. } = &system.setup;
        system.dynamics.set_state(configuration, velocity).map_err(|source| dynamics(0.0, source))?;
        let count = system.watch.len();
        let mut state = vec![0.0; system.size()];
        {
            let (q, v, _) = system.parts_mut(&mut state);
            q.copy_from_slice(&system.setup.configuration);
            v.copy_from_slice(&system.setup.velocity);
        }
        system.place(0.0, &state)?;
        let (mut gaps, mut rates) = (vec![0.0; count], vec![0.0; count]);
        let measured = system.watch.measure(&mut system.dynamics, &mut gaps, &mut rates);
        measured.map_err(|source| dynamics(0.0, source))?;
        // A robot without a mass matrix is told now.
        system.accelerate_freely(0.0)?;
        system.stiffest = Stiffness::find(&system.setup, &mut system.dynamics);
        let (start_energy, start_potential) = (system.energy(), system.potential());
        let armed = gaps.iter().enumerate().map(|(k, gap)| *gap >= 0.0 || system.is_enabled(k)).collect();
        let simulation = Self {
            stepper: Stepper::new(state.len()),
            sampler: Stepper::new(state.len()),
            step_error: 0.0,
            time: 0.0,
            size: FIRST_STEP * system.scales.time,
            steady: 0.0,
            follows: false,
            scale: system.scales.state.clone(),
            point: state.clone(),
            ahead: state.clone(),
            ahead_of_event: 0.0,
            decides_at: None,
            ended_on_bound: false,
            gaps,
            rates,
            spin: 0.0,
            armed,
            slides: vec![false; count],
            booked: Ledger::default(),
            lowest: [0.0; Device::COUNT],
            counts: Counts::default(),
            watchdog: Watchdog::new(system.scales.time),
            last_window: LastWindow::NONE,
            last_lost: f64::NEG_INFINITY,
            keeps_onsets: false,
            calm_until: f64::NEG_INFINITY,
            episodes: vec![Episode::NONE; count],
            unwatched: Unwatched::new(&system.setup),
            settled: vec![None; count],
            at_rest: None,
            events: VecDeque::new(),
            is_open: true,
            end: 0.0,
            has_begun: false,
            began: None,
            is_out_of_time: false,
            start_energy,
            start_potential,
            samples: 0,
            last_sample: None,
            state,
            system,
        };
        simulation.check_start()?;
        Ok(simulation)
    }

    fn check_start(&self) -> Result<()> {
        for (k, &gap) in self.gaps.iter().enumerate() {
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
        self.system.modes.iter().map(|mode| mode.public())
    }

    /// The joint whose damper or spring acts fastest, at the start; none where none has any.
    pub fn stiffest_joint(&self) -> Option<&Stiffness> {
        self.system.stiffest.as_ref()
    }

    /// Goes on until something happens, the next step ends, or the time `end` is reached.
    ///
    /// # Errors
    /// Steps that become too small, a state that has no dynamics, a device that adds energy or lets contacts sink in, too
    /// many events. The simulation is then where it last was.
    pub fn step(&mut self, end: f64, sink: &mut dyn Sink) -> Result<Stop> {
        if sink.is_interrupted() {
            return Ok(Stop::Interrupted);
        }
        if self.takes_too_long() {
            return Ok(Stop::OutOfTime);
        }
        let stopped = self.try_step(end, sink);
        if stopped.is_err() {
            // What happened before the error is told all the same.
            self.events.drain(..).for_each(|event| sink.event(event));
        }
        stopped
    }

    /// Whether the clock says that it is enough.
    fn takes_too_long(&mut self) -> bool {
        if let Some(most) = self.system.setup.settings.max_time {
            let began = *self.began.get_or_insert_with(Instant::now);
            self.is_out_of_time = self.has_begun && began.elapsed().as_secs_f64() > most;
        }
        self.is_out_of_time
    }

    fn try_step(&mut self, end: f64, sink: &mut dyn Sink) -> Result<Stop> {
        if !self.has_begun {
            self.has_begun = true;
            self.audit()?;
            self.emit(sink)?;
            self.samples = 1;
        }
        self.end = end;
        // At the end asked for nothing more happens, but at the start the modes are still to be found.
        if self.is_open && (self.time < end || self.time == 0.0) {
            self.is_open = false;
            self.happen(None)?;
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
                self.start_anew();
                self.open_window()?;
                self.flush(sink)?;
                return Ok(Stop::Event);
            }
            halt => halt?,
        };
        self.counts.steps += 1;
        self.sample_step(sink)?;
        self.project()?;
        self.audit()?;
        self.arm();
        let happens = match halt {
            Halt::Step => None,
            Halt::Touch => Some(None),
            Halt::Phase(margin) => Some(margin.by),
        };
        if let Some(by) = happens {
            if self.is_worth_a_sample(halt)? {
                self.emit(sink)?;
            }
            self.happen(by)?;
        } else {
            self.rest()?;
        }
        let crowd = self.watchdog.step(self.time, happens.is_some(), halt == Halt::Touch);
        match crowd.or(self.watchdog.look(self.time, self.system.evaluations)) {
            Some(Bite::Windows(count)) => (0..count).try_for_each(|_| self.open_window())?,
            Some(Bite::Rattle) => self.calm_down(),
            None => {}
        }
        let has_events = self.flush(sink)?;
        match has_events {
            true => Ok(Stop::Event),
            false if self.time < end => Ok(Stop::Step),
            false => self.arrive(sink),
        }
    }

    /// Goes on until a time.
    ///
    /// # Errors
    /// As [`Simulation::step`].
    pub fn run_until(&mut self, end: f64, sink: &mut dyn Sink) -> Result<Stop> {
        loop {
            match self.step(end, sink)? {
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

    /// Takes the end of the last step.
    pub(crate) fn accept(&mut self) {
        self.time = self.stepper.end_time();
        self.state.copy_from_slice(self.stepper.end());
        let coordinates = self.system.model().coordinates();
        self.system.model().normalize(&mut self.state[..coordinates]);
        self.follows = false;
    }

    /// Steps anew from the start of the last step, and takes the end.
    pub(crate) fn restep(&mut self, size: f64) -> Result<()> {
        let tolerance = self.system.setup.settings.tolerance;
        self.stepper.attempt(&mut self.system, size, &self.scale, tolerance)?;
        self.accept();
        Ok(())
    }

    /// Gaps and their rates, of the state that the system is placed in.
    pub(crate) fn measure(&mut self) -> Result<()> {
        let measured = self.system.watch.measure(&mut self.system.dynamics, &mut self.gaps, &mut self.rates);
        measured.map_err(|source| dynamics(self.time, source))
    }

    /// Contacts that went inside while they could not close, and those that came out again.
    fn arm(&mut self) {
        for k in 0..self.armed.len() {
            if self.gaps[k] > 0.0 {
                self.armed[k] = true;
            } else if self.gaps[k] < -self.system.scales.of(k).near && !self.system.is_enabled(k) {
                self.armed[k] = self.system.modes[k].is_closed();
            }
        }
    }

    /// Puts a contact's mode, in the middle of what happens.
    pub(crate) fn set_mode(&mut self, contact: usize, mode: Mode) {
        self.system.modes[contact] = mode;
        if mode == Mode::Flight {
            self.settled[contact] = None;
        }
    }
}

fn check(setup: &Setup) -> Result<()> {
    let positive = |field: &'static str, value: f64| match value > 0.0 && value.is_finite() {
        true => Ok(()),
        false => Err(SimulationError::OutOfRange { field, value, bound: "positive and finite" }),
    };
    let Setup { settings, actuators, .. } = setup;
    positive("until", settings.until)?;
    settings.interval.map_or(Ok(()), |interval| positive("interval", interval))?;
    settings.largest_step.map_or(Ok(()), |step| positive("largest_step", step))?;
    settings.max_time.map_or(Ok(()), |time| positive("max_time", time))?;
    if settings.max_events == 0 {
        return Err(SimulationError::OutOfRange { field: "max_events", value: 0.0, bound: "1 or more" });
    }
    let tolerance = settings.tolerance;
    if !(1e-14..=1e-2).contains(&tolerance) {
        let bound = "between 1e-14 and 1e-2";
        return Err(SimulationError::OutOfRange { field: "tolerance", value: tolerance, bound });
    }
    let (coordinates, freedoms) = (setup.model.coordinates(), setup.model.freedoms());
    let exists = |field: String, index: usize, count: usize| match index < count {
        true => Ok(()),
        false => Err(SimulationError::NoSuch { field, index, count }),
    };
    for (i, actuator) in actuators.iter().enumerate() {
        match actuator {
            Actuator::Force { freedom, .. } => exists(format!("actuators[{i}].freedom"), *freedom, freedoms)?,
            Actuator::Posture { coordinate, freedom, .. } => {
                exists(format!("actuators[{i}].coordinate"), *coordinate, coordinates)?;
                exists(format!("actuators[{i}].freedom"), *freedom, freedoms)?;
            }
            Actuator::Law(_) => {}
        }
    }
    for (k, contact) in setup.contacts.iter().enumerate() {
        if let Some(condition) = contact.enabled {
            exists(format!("contacts[{k}].enabled.coordinate"), condition.coordinate, coordinates)?;
        }
    }
    Ok(())
}
