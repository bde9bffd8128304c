//! The statement of a simulation: a robot in a state, its contacts and its actuators.
//!
//! | file | contents |
//! |---|---|
//! | `builder` | builds a setup from names |
//! | `scale` | length, time, speed and force scales of a robot, and the bounds derived from them |
//! | `part` | parts of a setup that do not act on each other |
//! | `watch` | all contacts: with surfaces, at joint limits, in joints with dry friction, and of two bodies |
//! | `pair` | a contact of two bodies: where they touch, and the parts and axes that are kept meanwhile |
//! | `stiffest` | the joint that makes a robot stiff |

pub(crate) mod builder;
pub(crate) mod pair;
pub(crate) mod part;
pub(crate) mod scale;
mod stiffest;
pub(crate) mod watch;

use std::fmt;
use std::sync::Arc;

use carom_law::{Coefficients, Guard, Law, Restitution};
use carom_multibody::{BodyPair, ContactPoint, HalfSpace, Model, Warning, WarningKind};

use crate::error::{Result, SimulationError};

/// Default relative tolerance of the integration.
pub const TOLERANCE: f64 = 1e-10;

/// Default number of events after which a run ends with an error.
pub const MOST_EVENTS: u64 = 1_000_000;

/// A robot in a state, its contacts and its actuators.
#[derive(Debug, Clone)]
pub struct Setup {
    /// A title for reports.
    pub title: Option<String>,
    /// The robot.
    pub model: Arc<Model>,
    /// Initial q.
    pub configuration: Vec<f64>,
    /// Initial v.
    pub velocity: Vec<f64>,
    /// Surfaces that contacts can touch.
    pub surfaces: Vec<Surface>,
    /// Contacts with surfaces.
    pub contacts: Vec<WatchedContact>,
    /// Pairs of bodies that can touch each other, or something fixed to the world that ends or curves.
    pub pairs: Vec<WatchedPair>,
    /// Restitution at the joint limits; `None` ignores the limits.
    pub limits: Option<Restitution>,
    /// Whether the dry friction of the robot's joints acts.
    pub joint_friction: bool,
    /// Actuators of the joints.
    pub actuators: Vec<Actuator>,
    /// The law of impacts. All answer one contact; [`Law::answers_several`] tells which answer several.
    pub law: Law,
    /// What an impact does if sticking would create energy; of [`Law::Aghili`] only.
    pub guard: Guard,
    /// Settings of the integration.
    pub settings: Settings,
    /// Warnings about what was changed to make the setup valid, such as coordinates clamped to their limits.
    pub notes: Vec<Warning>,
}

/// A half-space with a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Surface {
    /// Its name.
    pub name: String,
    /// The half-space.
    pub half_space: HalfSpace,
}

/// A point, ball or rim of the robot that can touch a surface.
#[derive(Debug, Clone)]
pub struct WatchedContact {
    /// Its name.
    pub name: String,
    /// The feature of the robot that touches.
    pub point: ContactPoint,
    /// Index of the surface.
    pub surface: usize,
    /// Restitution and friction of the pair.
    pub coefficients: Coefficients,
    /// Where it can close; `None` means everywhere. Once closed, it stays closed until it lifts off.
    pub enabled: Option<CoordinateRange>,
}

/// Two bodies that can touch each other.
#[derive(Debug, Clone)]
pub struct WatchedPair {
    /// Its name.
    pub name: String,
    /// The bodies; the second may be fixed to the world.
    pub bodies: BodyPair,
    /// Restitution and friction of the pair.
    pub coefficients: Coefficients,
}

/// An open range of a coordinate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CoordinateRange {
    /// Index of the coordinate in q.
    pub coordinate: usize,
    /// Lower bound.
    pub above: f64,
    /// Upper bound.
    pub below: f64,
}

impl Setup {
    /// A robot at home and at rest with nothing to touch, the law `aghili` with guard `slip` and default settings, to be completed.
    pub fn new(model: Arc<Model>) -> Self {
        Self {
            title: None,
            configuration: model.home().to_vec(),
            velocity: vec![0.0; model.nv()],
            surfaces: Vec::new(),
            contacts: Vec::new(),
            pairs: Vec::new(),
            limits: None,
            joint_friction: true,
            actuators: Vec::new(),
            law: Law::Aghili,
            guard: Guard::Slip,
            settings: Settings::default(),
            notes: Vec::new(),
            model,
        }
    }

    /// Sets the guard as it was given, or that of the law.
    ///
    /// # Errors
    /// A guard other than `report` with a law other than `aghili`.
    pub fn set_guard(&mut self, guard: Option<Guard>) -> Result<()> {
        let own = if self.law == Law::Aghili { Guard::Slip } else { Guard::Report };
        self.guard = guard.unwrap_or(own);
        if self.law == Law::Aghili || self.guard == Guard::Report {
            return Ok(());
        }
        let reason = format!("is only available for law = \"aghili\"; leave it out with {:?}", self.law.name());
        Err(SimulationError::Unsupported { field: "guard".to_owned(), value: self.guard.name(), reason })
    }

    /// Checks that settings and indices are in range.
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
            self.check_kind(&contact.coefficients.restitution, || format!("contacts[{k}].restitution.kind"))?;
        }
        self.limits.map_or(Ok(()), |limits| self.check_kind(&limits, || "limits.restitution.kind".to_owned()))
    }

    /// Only `chord` has kinds of restitution.
    fn check_kind(&self, restitution: &Restitution, field: impl Fn() -> String) -> Result<()> {
        match restitution.kind().filter(|_| self.law != Law::Chord) {
            None => Ok(()),
            Some(kind) => Err(SimulationError::Unsupported {
                field: field(),
                value: kind.name(),
                reason: format!("is only available for law = \"chord\"; leave it out with {:?}", self.law.name()),
            }),
        }
    }

    /// Elements of the robot's file that are not simulated, and joints that start beyond limits that are not enforced.
    /// Elements that are merely ignored are left to `carom check`.
    pub fn warnings(&self) -> Vec<Warning> {
        let mut warnings = self.notes.clone();
        warnings.extend(self.model.warnings_at(&self.configuration));
        warnings.extend(self.model.motion_warnings());
        if !self.joint_friction {
            warnings.extend(self.left_out_friction());
        }
        warnings
    }

    /// The warning if the dry friction of joints is left out.
    fn left_out_friction(&self) -> Option<Warning> {
        let joints = self.model.joints().iter().map(|joint| &joint.joint);
        let names: Vec<&str> =
            joints.filter(|joint| joint.kind.nv() > 0 && joint.dry_friction > 0.0).map(|joint| &*joint.name).collect();
        let (subject, count) = (names.first()?.to_string(), names.len());
        let more = if count > 1 { format!(" and of {} more", count - 1) } else { String::new() };
        let message =
            format!("the dry friction of joint {subject:?}{more} is left out, as `simulation.joint_friction` says");
        Some(Warning::new(WarningKind::NotModelled, subject, message))
    }
}

impl CoordinateRange {
    /// Whether a configuration is inside the range.
    pub fn holds(&self, configuration: &[f64]) -> bool {
        let value = configuration[self.coordinate];
        value > self.above && value < self.below
    }
}

/// An actuator. Forces of several actuators add up.
#[derive(Clone)]
pub enum Actuator {
    /// A generalized force on one velocity: `force + rate t`.
    Force {
        /// Index of the velocity in v.
        freedom: usize,
        /// Force at t = 0.
        force: f64,
        /// Rate of change, per second.
        rate: f64,
    },
    /// A spring and damper towards a target position: `-stiffness (q - target) - damping v`.
    Posture {
        /// Index of the coordinate in q.
        coordinate: usize,
        /// Index of its velocity in v.
        freedom: usize,
        /// The target position.
        target: f64,
        /// Per radian or metre.
        stiffness: f64,
        /// Per radian or metre per second.
        damping: f64,
    },
    /// An arbitrary law that adds to the forces, given the time, q and v. It must be smooth in time and state: steps
    /// shrink at a discontinuity, and a law that is discontinuous everywhere cannot be integrated.
    Law(Arc<ForceLaw>),
}

/// Adds to the joint forces (last argument), given the time, q and v.
pub type ForceLaw = dyn Fn(f64, &[f64], &[f64], &mut [f64]) + Send + Sync;

impl Actuator {
    /// A force law that adds to its last argument, given the time, q and v. It must be smooth: see [`Actuator::Law`].
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

/// Settings of the integration and the end of the run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Relative tolerance of the integration, 1e-14 to 1e-2. Default: 1e-10.
    pub tolerance: f64,
    /// End time, s, which [`Simulation::set_until`](crate::Simulation::set_until) changes. Default: 10.
    pub until: f64,
    /// Time between samples, s; `None` samples at events only. Default: 0.01.
    pub interval: Option<f64>,
    /// The largest step, s; `None` leaves the step size to the tolerance. Default: `None`.
    pub largest_step: Option<f64>,
    /// Number of events after which the run ends with an error. Default: a million.
    pub max_events: u64,
    /// Limit on wall-clock time, s; `None` means no limit. Default: `None`.
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
