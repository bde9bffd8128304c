//! Errors in building a model and in states by joint name.

use super::lookup::JointNameError;

/// A model that cannot be built.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A name is used twice.
    #[error("{what} name {name:?} is used twice: names of {what}s must be unique")]
    DuplicateName {
        /// link, joint or frame.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A number is not finite.
    #[error("{what} {name:?}: {field} = {value} is not finite")]
    NotFinite {
        /// link, joint or frame.
        what: &'static str,
        /// Its name.
        name: String,
        /// The name of the number.
        field: &'static str,
        /// Its value.
        value: f64,
    },
    /// The axis of a joint is zero.
    #[error("joint {joint:?}: axis = (0, 0, 0) has no direction")]
    ZeroAxis {
        /// The joint.
        joint: String,
    },
    /// A number is outside its bounds.
    #[error("{what} {name:?}: {field} = {value} must be {bound}")]
    OutOfRange {
        /// link, joint or frame.
        what: &'static str,
        /// Its name.
        name: String,
        /// The name of the number.
        field: &'static str,
        /// Its value.
        value: f64,
        /// The bound.
        bound: &'static str,
    },
    /// The home configuration has the wrong length.
    #[error("joint {joint:?}: home has {given} numbers, but a {kind} joint needs {expected}")]
    HomeLength {
        /// The joint.
        joint: String,
        /// Its kind.
        kind: &'static str,
        /// The given length.
        given: usize,
        /// The required length.
        expected: usize,
    },
    /// A joint mimics a joint that does not exist.
    #[error("joint {joint:?} mimics {leader:?}, which is not a joint of the model")]
    UnknownLeader {
        /// The joint.
        joint: String,
        /// The name of the missing joint.
        leader: String,
    },
    /// A joint mimics itself, directly or through other joints.
    #[error("joint {joint:?} mimics itself, directly or through other joints")]
    MimicCycle {
        /// The joint.
        joint: String,
    },
    /// A mimic between joints that do not have a single coordinate.
    #[error("joint {joint:?} mimics {leader:?}: both must be revolute, continuous or prismatic")]
    MimicKind {
        /// The joint.
        joint: String,
        /// The joint that it mimics.
        leader: String,
    },
    /// The model is too large.
    #[error("the model has more than {bound} {what}, the largest supported number")]
    TooLarge {
        /// links or degrees of freedom.
        what: &'static str,
        /// The largest supported number.
        bound: usize,
    },
    /// The axis of a loop is zero.
    #[error("loop {name:?}: axis = (0, 0, 0) has no direction")]
    LoopAxis {
        /// The loop.
        name: String,
    },
    /// A loop of joints that cannot be coupled.
    #[error(
        "loop {name:?}: it must couple one joint, or two different ones, each revolute, continuous or prismatic and none that mimics another"
    )]
    LoopJoint {
        /// The loop.
        name: String,
    },
    /// The parent link does not exist.
    #[error("link {index} does not exist: the model has {count} links so far, including the world")]
    UnknownLink {
        /// Its index.
        index: usize,
        /// The number of links so far.
        count: usize,
    },
}

impl BuildError {
    /// Whether the error concerns the joint with this name.
    pub(crate) fn is_about(&self, name: &str) -> bool {
        match self {
            BuildError::UnknownLeader { joint, .. }
            | BuildError::MimicCycle { joint }
            | BuildError::MimicKind { joint, .. }
            | BuildError::ZeroAxis { joint }
            | BuildError::HomeLength { joint, .. } => joint == name,
            BuildError::DuplicateName { .. }
            | BuildError::NotFinite { .. }
            | BuildError::OutOfRange { .. }
            | BuildError::TooLarge { .. }
            | BuildError::LoopAxis { .. }
            | BuildError::LoopJoint { .. }
            | BuildError::UnknownLink { .. } => false,
        }
    }
}

/// A state by joint names that does not fit the model.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// A name that does not denote a joint with its own state.
    #[error(transparent)]
    Joint(#[from] JointNameError),
    /// The wrong number of values for a joint.
    #[error("the {part} of joint {joint:?} has {given} numbers; the joint has {expected}")]
    JointLength {
        /// The joint.
        joint: String,
        /// position or velocity.
        part: &'static str,
        /// The number of values given.
        given: usize,
        /// The number of values of the joint.
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
    /// A joint of another engine's model that does not fit the model.
    #[error("joint {joint:?}: {reason}")]
    OtherJoint {
        /// The joint.
        joint: String,
        /// Why.
        reason: String,
    },
    /// The wrong number of values.
    #[error("{field} has {given} numbers; the model needs {expected}")]
    Length {
        /// configuration or velocity.
        field: &'static str,
        /// The number of values given.
        given: usize,
        /// The number of values of the model.
        expected: usize,
    },
}
