//! Why an impact has no answer, and why a simulation cannot begin or go on.

use carom_multibody::{DynamicsError, JointNameError};

use crate::number::significant;

use crate::stiffness::Stiffness;

/// Why a simulation cannot begin, or cannot go on.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum SimulationError {
    /// A setting out of its range.
    #[error("{field} = {value} must be {bound}")]
    OutOfRange {
        /// The setting.
        field: &'static str,
        /// What was given.
        value: f64,
        /// What it must be.
        bound: &'static str,
    },
    /// A place in a list that is not there.
    #[error("{field} = {index} is out of range: it must be below {count}")]
    NoSuch {
        /// What names it.
        field: String,
        /// The place.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A name that is not that of a joint with a state of its own.
    #[error(transparent)]
    Joint(JointNameError),
    /// Another number of values than a joint has.
    #[error("joint {joint:?} is {kind}: its {what} has {expected} numbers, not {found}")]
    JointValues {
        /// The joint.
        joint: String,
        /// Its kind.
        kind: &'static str,
        /// position or velocity.
        what: &'static str,
        /// How many were given.
        found: usize,
        /// How many it has.
        expected: usize,
    },
    /// A name that nothing has.
    #[error("no {what} is called {name:?}; there {}", listed(known))]
    UnknownName {
        /// contact, or link or frame.
        what: &'static str,
        /// The name.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// A contact against a surface that is not there.
    #[error(
        "contact {contact:?} touches {}; there {}",
        surface.as_ref().map_or_else(|| "no surface".to_owned(), |surface| format!("surface {surface:?}, which is not there")),
        listed(known)
    )]
    NoSurface {
        /// The contact.
        contact: String,
        /// The surface it names; none where it takes the first.
        surface: Option<String>,
        /// The surfaces there are.
        known: Vec<String>,
    },
    /// A name that stands twice.
    #[error("two {what}s are called {name:?}: give them different names")]
    RepeatedName {
        /// contact or surface.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A contact that cannot be one.
    #[error("contact {contact:?}: {source}")]
    Contact {
        /// The contact.
        contact: String,
        /// Why.
        source: DynamicsError,
    },
    /// A contact that is inside its surface at the start.
    #[error(
        "contact {contact:?} starts {depth} m inside {surface:?}, more than {bound} m: raise the robot, or give the \
         contact a condition",
        depth = significant(*depth, 6),
        bound = significant(*bound, 6)
    )]
    StartsInside {
        /// The contact.
        contact: String,
        /// The surface.
        surface: String,
        /// How deep.
        depth: f64,
        /// How deep it may be.
        bound: f64,
    },
    /// A joint that is beyond its limit at the start.
    #[error(
        "{limit} is passed by {by} at the start, more than {bound}: move the joint inside, or leave out limits",
        by = significant(*by, 6),
        bound = significant(*bound, 6)
    )]
    StartsBeyond {
        /// The limit.
        limit: String,
        /// How far, rad or m.
        by: f64,
        /// How far it may be.
        bound: f64,
    },
    /// A state that the robot cannot have, or a singular mass matrix.
    #[error("at t = {time} s: {source}")]
    Dynamics {
        /// When.
        time: f64,
        /// What.
        source: DynamicsError,
    },
    /// An impact or a force that the law has no answer to.
    #[error("at t = {time} s, {what}: {source}")]
    Law {
        /// When.
        time: f64,
        /// At what.
        what: &'static str,
        /// Why.
        source: carom_law::Error,
    },
    /// A numerical device added energy.
    #[error(
        "at t = {time} s {device} added {joules} J, more than {bound} J: what follows would not be the motion asked for",
        joules = significant(*joules, 6),
        bound = significant(*bound, 6)
    )]
    DeviceGain {
        /// When.
        time: f64,
        /// Which.
        device: &'static str,
        /// How much.
        joules: f64,
        /// How much it may be.
        bound: f64,
    },
    /// A numerical device left a contact inside its surface.
    #[error(
        "at t = {time} s {device} left contact {contact:?} {depth} m inside its surface, more than {bound} m",
        depth = significant(*depth, 6),
        bound = significant(*bound, 6)
    )]
    DevicePenetration {
        /// When.
        time: f64,
        /// Which.
        device: &'static str,
        /// The contact.
        contact: String,
        /// How deep.
        depth: f64,
        /// How deep it may be.
        bound: f64,
    },
    /// A contact with e = 1 that only an impact without restitution could bring on.
    #[error(
        "at t = {time} s {device} would have to take the restitution of contact {contact:?}, which is 1: it may do so only \
         where it is less"
    )]
    ElasticContact {
        /// When.
        time: f64,
        /// Which device.
        device: &'static str,
        /// The contact.
        contact: String,
    },
    /// More events than allowed.
    #[error("at t = {time} s there were {bound} events, the most allowed: max_events sets how many")]
    TooManyEvents {
        /// When.
        time: f64,
        /// The most.
        bound: u64,
    },
    /// Steps became too small to move on.
    #[error(
        "at t = {time} s the step fell to {step:e} s, below {bound:e} s, at the tolerance {tolerance:e}: a force law that \
         jumps, or forces beyond all measure{}",
        stiffest.as_ref().map_or_else(String::new, |stiffest| format!("; {stiffest}"))
    )]
    Stalled {
        /// When.
        time: f64,
        /// The step.
        step: f64,
        /// The smallest allowed.
        bound: f64,
        /// The tolerance.
        tolerance: f64,
        /// The stiffest joint, if one is stiff.
        stiffest: Option<Stiffness>,
    },
}

/// The end of a sentence that begins with "there".
fn listed(names: &[String]) -> String {
    match names {
        [] => "are none".to_owned(),
        [one] => format!("is {one}"),
        many => format!("are {}", many.join(", ")),
    }
}

/// Any error of this crate, for callers who do not tell them apart: each converts into it by `?`.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A robot's impact that has no answer.
    #[error(transparent)]
    Strike(Box<StrikeError>),
    /// A simulation that cannot begin or go on.
    #[error(transparent)]
    Simulation(Box<SimulationError>),
}

impl From<StrikeError> for Error {
    fn from(error: StrikeError) -> Self {
        Self::Strike(Box::new(error))
    }
}

impl From<SimulationError> for Error {
    fn from(error: SimulationError) -> Self {
        Self::Simulation(Box::new(error))
    }
}

/// Why a robot's impact has no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StrikeError {
    /// The state or the model.
    #[error(transparent)]
    Dynamics(#[from] DynamicsError),
    /// The law refuses the contact, or the answer is beyond `f64`.
    #[error(transparent)]
    Law(#[from] carom_law::Error),
}

/// A result of simulating.
pub(crate) type Result<T> = std::result::Result<T, SimulationError>;
