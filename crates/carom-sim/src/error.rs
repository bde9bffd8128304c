//! Errors of strikes and of simulations.

use carom_multibody::{DynamicsError, JointNameError, PairError};

use crate::number::significant;

use crate::stiffness::Stiffness;

/// Why a simulation cannot start or continue.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum SimulationError {
    /// A setting is out of range.
    #[error("{field} = {value} must be {bound}")]
    OutOfRange {
        /// The setting.
        field: &'static str,
        /// The given value.
        value: f64,
        /// The admissible range.
        bound: &'static str,
    },
    /// A vector that does not have one number per velocity.
    #[error("{field} has {found} numbers; the robot has {expected} velocities")]
    Length {
        /// The vector.
        field: &'static str,
        /// The number of values given.
        found: usize,
        /// The number of velocities.
        expected: usize,
    },
    /// A number that is not finite.
    #[error("{field}[{index}] = {value} is not finite")]
    NotFinite {
        /// The vector.
        field: &'static str,
        /// The index.
        index: usize,
        /// The number.
        value: f64,
    },
    /// An index is out of range.
    #[error("{field} = {index} is out of range: it must be below {count}")]
    NoSuch {
        /// The field that contains the index.
        field: String,
        /// The index.
        index: usize,
        /// The number of entries.
        count: usize,
    },
    /// The name does not belong to a joint that has coordinates.
    #[error(transparent)]
    Joint(JointNameError),
    /// The number of values does not match the joint.
    #[error("joint {joint:?} is {kind}: its {what} has {expected} numbers, not {found}")]
    JointValues {
        /// The joint.
        joint: String,
        /// Its kind.
        kind: &'static str,
        /// `position` or `velocity`.
        what: &'static str,
        /// The number of values given.
        found: usize,
        /// The number of values the joint has.
        expected: usize,
    },
    /// An unknown name.
    #[error("no {what} is called {name:?}; there {}", listed(known))]
    UnknownName {
        /// `contact`, or `link or frame`.
        what: &'static str,
        /// The name.
        name: String,
        /// The known names.
        known: Vec<String>,
    },
    /// A contact refers to an unknown surface, or there is no surface.
    #[error(
        "contact {contact:?} touches {}; there {}",
        surface.as_ref().map_or_else(|| "no surface".to_owned(), |surface| format!("surface {surface:?}, which does not exist")),
        listed(known)
    )]
    NoSurface {
        /// The contact.
        contact: String,
        /// The surface it names; `None` if it uses the first one.
        surface: Option<String>,
        /// The known surfaces.
        known: Vec<String>,
    },
    /// A name occurs twice.
    #[error("two {what}s are called {name:?}: give them different names")]
    RepeatedName {
        /// `contact` or `surface`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// An invalid contact.
    #[error("contact {contact:?}: {source}")]
    Contact {
        /// The contact.
        contact: String,
        /// Why.
        source: DynamicsError,
    },
    /// Two bodies whose contact is not one of two solids, or that overlap too deeply at the start.
    #[error("contact {contact:?}: {source}")]
    Pair {
        /// The contact.
        contact: String,
        /// Why.
        source: PairError,
    },
    /// Two bodies whose motion in touch is not simulated.
    #[error("contact {contact:?}: {one} against {other} is not simulated; give points or balls of one of them")]
    FlatPair {
        /// The contact.
        contact: String,
        /// The first body.
        one: &'static str,
        /// The second body.
        other: &'static str,
    },
    /// Two boxes overlap although their contacts are apart or on each other.
    #[error(
        "at t = {time} s contact {contact:?}: two boxes overlap by {depth} m, more than {bound} m, at parts that were not kept apart",
        depth = significant(*depth, 6),
        bound = significant(*bound, 6)
    )]
    BoxesOverlap {
        /// Time, s.
        time: f64,
        /// The contact.
        contact: String,
        /// How deep, m.
        depth: f64,
        /// What is allowed, m.
        bound: f64,
    },
    /// A sharp point rests on a sharp edge or vertex, where there is no normal.
    #[error(
        "at t = {time} s contact {contact:?} rests with a sharp point on a sharp edge, where there is no normal: give the point a radius"
    )]
    SharpPair {
        /// Time, s.
        time: f64,
        /// The contact.
        contact: String,
    },
    /// A contact starts inside its surface.
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
        /// Depth, m.
        depth: f64,
        /// The largest depth allowed, m.
        bound: f64,
    },
    /// A closed loop lost or gained a condition: at a dead point motions branch, and the motion beyond is not determined.
    #[error(
        "at t = {time} s loop {name:?} is singular: motions branch there, and mechanics does not determine which one follows"
    )]
    SingularLoop {
        /// The loop.
        name: String,
        /// Time, s.
        time: f64,
    },
    /// A joint starts beyond its limit.
    #[error(
        "{limit} is exceeded by {by} at the start, more than {bound}: move the joint inside, or omit `limits`",
        by = significant(*by, 6),
        bound = significant(*bound, 6)
    )]
    StartsBeyond {
        /// The limit.
        limit: String,
        /// The excess, rad or m.
        by: f64,
        /// The largest excess allowed, rad or m.
        bound: f64,
    },
    /// An invalid state, or a singular mass matrix.
    #[error("at t = {time} s: {source}")]
    Dynamics {
        /// Time, s.
        time: f64,
        /// The cause.
        source: DynamicsError,
    },
    /// A choice that does not go with the law.
    #[error("{field} = {value:?} {reason}")]
    Unsupported {
        /// The field.
        field: String,
        /// The choice.
        value: &'static str,
        /// Why.
        reason: String,
    },
    /// Contacts strike together, and the law has an answer to one contact only.
    #[error(
        "at t = {time} s contacts {} strike together, to which {field} = {value:?} has no answer; use {instead}",
        named(contacts)
    )]
    Simultaneous {
        /// Time, s.
        time: f64,
        /// `law` or `restitution.kind`.
        field: String,
        /// Its value.
        value: &'static str,
        /// The contacts.
        contacts: Vec<String>,
        /// What has an answer.
        instead: &'static str,
    },
    /// A law other than `aghili` and `chord` has no answer to an impact: no other law takes its place.
    #[error("at t = {time} s law = {law:?} has no answer to the impact of {}: {source}", named(contacts))]
    NoAnswer {
        /// Time, s.
        time: f64,
        /// The law.
        law: &'static str,
        /// The contacts that touch.
        contacts: Vec<String>,
        /// Why.
        source: Box<carom_law::Error>,
    },
    /// The law has no solution for an impact or for contact forces.
    #[error("at t = {time} s, {what}: {source}")]
    Law {
        /// Time, s.
        time: f64,
        /// What was being solved.
        what: &'static str,
        /// Why.
        source: carom_law::Error,
    },
    /// A numerical device added energy.
    #[error(
        "at t = {time} s {device} added {joules} J, more than {bound} J: the motion beyond it would not be that of the model",
        joules = significant(*joules, 6),
        bound = significant(*bound, 6)
    )]
    DeviceGain {
        /// Time, s.
        time: f64,
        /// The device.
        device: &'static str,
        /// The energy added, J.
        joules: f64,
        /// The largest gain allowed, J.
        bound: f64,
    },
    /// A numerical device left a contact inside its surface.
    #[error(
        "at t = {time} s {device} left contact {contact:?} {depth} m inside its surface, more than {bound} m",
        depth = significant(*depth, 6),
        bound = significant(*bound, 6)
    )]
    DevicePenetration {
        /// Time, s.
        time: f64,
        /// The device.
        device: &'static str,
        /// The contact.
        contact: String,
        /// Depth, m.
        depth: f64,
        /// The largest depth allowed, m.
        bound: f64,
    },
    /// Only a plastic impact would let the simulation continue, but the contact has e = 1.
    #[error(
        "at t = {time} s {device} would make contact {contact:?} plastic, but its restitution is 1: this is allowed only for \
         restitutions below 1"
    )]
    ElasticContact {
        /// Time, s.
        time: f64,
        /// The device.
        device: &'static str,
        /// The contact.
        contact: String,
    },
    /// More events than allowed.
    #[error("at t = {time} s the number of events reached max_events = {bound}: raise max_events to continue")]
    TooManyEvents {
        /// Time, s.
        time: f64,
        /// The limit.
        bound: u64,
    },
    /// The step size fell below its lower bound.
    #[error(
        "at t = {time} s the step fell to {step:e} s, below {bound:e} s, at the tolerance {tolerance:e}: a force law is \
         discontinuous, or forces grow without bound{}",
        stiffest.as_ref().map_or_else(String::new, |stiffest| format!("; {stiffest}"))
    )]
    Stalled {
        /// Time, s.
        time: f64,
        /// The step.
        step: f64,
        /// The lower bound.
        bound: f64,
        /// The tolerance.
        tolerance: f64,
        /// The stiffest joint, if one is stiff.
        stiffest: Option<Stiffness>,
    },
}

/// Names in quotes.
fn named(names: &[String]) -> String {
    names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
}

/// The end of a sentence that begins with "there".
fn listed(names: &[String]) -> String {
    match names {
        [] => "are none".to_owned(),
        [one] => format!("is {one}"),
        many => format!("are {}", many.join(", ")),
    }
}

/// Any error of this crate, for callers who need not distinguish them; `?` converts each into it.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A robot's impact has no solution.
    #[error(transparent)]
    Strike(Box<StrikeError>),
    /// A simulation cannot start or continue.
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

/// Why a robot's impact has no solution.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StrikeError {
    /// The state or the model is invalid.
    #[error(transparent)]
    Dynamics(#[from] DynamicsError),
    /// The law rejects the contact, or the outcome exceeds the range of `f64`.
    #[error(transparent)]
    Law(#[from] carom_law::Error),
}

/// The result of a simulation.
pub(crate) type Result<T> = std::result::Result<T, SimulationError>;
