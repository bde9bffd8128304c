//! What is simulated: a robot in a state, what it can touch, and what drives it.
//!
//! | file | what it has |
//! |---|---|
//! | `builder` | a simulation stated by names |
//! | `scale` | what is large and small for this robot: the bounds that are stated |
//! | `watch` | what can touch: contacts with surfaces, joints at their limits |
//! | `stiffest` | the joint that makes a robot stiff |

pub(crate) mod builder;
pub(crate) mod scale;
mod stiffest;
pub(crate) mod watch;

use std::fmt;
use std::sync::Arc;

use carom_law::{Coefficients, Guard, Restitution};
use carom_multibody::{ContactPoint, HalfSpace, Model, Warning};

use crate::error::{Result, SimulationError};

/// Relative tolerance of the integration, unless stated.
pub const TOLERANCE: f64 = 1e-10;

/// Events after which a run is ended, unless stated.
pub const MOST_EVENTS: u64 = 1_000_000;

/// A robot in a state, what it can touch, and what drives it.
#[derive(Debug, Clone)]
pub struct Setup {
    /// What it shows.
    pub title: Option<String>,
    /// The robot.
    pub model: Arc<Model>,
    /// q at the start.
    pub configuration: Vec<f64>,
    /// v at the start.
    pub velocity: Vec<f64>,
    /// What can be touched.
    pub surfaces: Vec<Surface>,
    /// What can touch.
    pub contacts: Vec<WatchedContact>,
    /// Restitution at the joints' limits; without it the joints move through them.
    pub limits: Option<Restitution>,
    /// What drives the joints.
    pub actuators: Vec<Actuator>,
    /// What an impact does where sticking would create energy.
    pub guard: Guard,
    /// How to integrate.
    pub settings: Settings,
}

/// A half-space with a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Surface {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub half_space: HalfSpace,
}

/// A point, ball or rim of the robot that can touch a surface.
#[derive(Debug, Clone)]
pub struct WatchedContact {
    /// Its name.
    pub name: String,
    /// What of the robot touches.
    pub point: ContactPoint,
    /// Which surface, by its place.
    pub surface: usize,
    /// Restitution and friction of the pair.
    pub coefficients: Coefficients,
    /// When it can close; without one always. What is closed stays so until it lifts off.
    pub enabled: Option<CoordinateRange>,
}

/// A range of a coordinate, without its ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CoordinateRange {
    /// The coordinate, by its place in q.
    pub coordinate: usize,
    /// Above this value...
    pub above: f64,
    /// ... and below this one.
    pub below: f64,
}

impl Setup {
    /// Whether it can be simulated: settings and places in range.
    pub(crate) fn check(&self) -> Result<()> {
        let positive = |field: &'static str, value: f64| match value > 0.0 && value.is_finite() {
            true => Ok(()),
            false => Err(SimulationError::OutOfRange { field, value, bound: "positive and finite" }),
        };
        let Setup { settings, actuators, .. } = self;
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
        let (coordinates, freedoms) = (self.model.nq(), self.model.nv());
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
        for (k, contact) in self.contacts.iter().enumerate() {
            if let Some(condition) = contact.enabled {
                exists(format!("contacts[{k}].enabled.coordinate"), condition.coordinate, coordinates)?;
            }
        }
        Ok(())
    }

    /// What of the robot's file is not simulated, and joints that start beyond limits which are not simulated. What is
    /// merely read over is left to `carom check`.
    pub fn warnings(&self) -> Vec<Warning> {
        let mut warnings = self.model.warnings_at(&self.configuration);
        warnings.extend(self.model.motion_warnings());
        warnings
    }
}

impl CoordinateRange {
    /// Whether a configuration is in it.
    pub fn holds(&self, configuration: &[f64]) -> bool {
        let value = configuration[self.coordinate];
        value > self.above && value < self.below
    }
}

/// What drives a joint. Forces add up.
#[derive(Clone)]
pub enum Actuator {
    /// A force along a velocity: `force + rate t`.
    Force {
        /// The velocity, by its place in v.
        freedom: usize,
        /// At the start.
        force: f64,
        /// Its growth in a second.
        rate: f64,
    },
    /// A spring and damper towards a posture: `-stiffness (q - target) - damping v`.
    Posture {
        /// The coordinate, by its place in q.
        coordinate: usize,
        /// Its velocity, by its place in v.
        freedom: usize,
        /// The posture.
        target: f64,
        /// Per radian or metre.
        stiffness: f64,
        /// Per radian or metre a second.
        damping: f64,
    },
    /// Anything: adds to the forces, given the time, q and v. It must be smooth in time and state: a step that it
    /// jumps in becomes small, and one that it jumps in everywhere never ends.
    Law(Arc<ForceLaw>),
}

/// Adds to the joint forces (last), given the time, q and v.
pub type ForceLaw = dyn Fn(f64, &[f64], &[f64], &mut [f64]) + Send + Sync;

impl Actuator {
    /// A force law: adds to the last argument, given the time, q and v. It must be smooth, as [`Actuator::Law`] says.
    pub fn law(law: impl Fn(f64, &[f64], &[f64], &mut [f64]) + Send + Sync + 'static) -> Self {
        Self::Law(Arc::new(law))
    }
}

impl fmt::Debug for Actuator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Force { freedom, force, rate } => write!(f, "Force({freedom}: {force} + {rate} t)"),
            Self::Posture { coordinate, target, stiffness, damping, .. } => {
                write!(f, "Posture({coordinate}: {target}, {stiffness}, {damping})")
            }
            Self::Law(_) => f.write_str("Law"),
        }
    }
}

/// How to integrate, and until when.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Relative tolerance of the integration, 1e-14 to 1e-2. Default: 1e-10.
    pub tolerance: f64,
    /// When the run ends, s: the one end time of a simulation, which [`Simulation::set_until`](crate::Simulation::set_until)
    /// moves. Default: 10.
    pub until: f64,
    /// Time between samples, s; none keeps those at events alone. Default: 0.01.
    pub interval: Option<f64>,
    /// The largest step, s; none leaves it to the tolerance. Default: none.
    pub largest_step: Option<f64>,
    /// Events after which the run ends with an error. Default: a million.
    pub max_events: u64,
    /// Seconds of the clock after which the run ends; none lets it take as long as it needs. Default: none.
    pub max_time: Option<f64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tolerance: TOLERANCE,
            until: 10.0,
            interval: Some(0.01),
            largest_step: None,
            max_events: MOST_EVENTS,
            max_time: None,
        }
    }
}
