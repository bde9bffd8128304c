//! What stops a model from being built, and a state from being read.

/// A model that cannot be built.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Two of one name.
    #[error("{what} {name:?} stands twice: names of {what}s must differ")]
    DuplicateName {
        /// link, joint or frame.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A number that is not finite.
    #[error("{what} {name:?}: {field} = {value} is not finite")]
    NotFinite {
        /// link, joint or frame.
        what: &'static str,
        /// Its name.
        name: String,
        /// Which number.
        field: &'static str,
        /// The number.
        value: f64,
    },
    /// A joint whose axis has no direction.
    #[error("joint {joint:?}: axis = (0, 0, 0) has no direction")]
    ZeroAxis {
        /// The joint.
        joint: String,
    },
    /// A number outside its bounds.
    #[error("{what} {name:?}: {field} = {value} must be {bound}")]
    OutOfRange {
        /// link, joint or frame.
        what: &'static str,
        /// Its name.
        name: String,
        /// Which number.
        field: &'static str,
        /// The number.
        value: f64,
        /// What it must be.
        bound: &'static str,
    },
    /// A home of the wrong length.
    #[error("joint {joint:?}: home has {given} numbers, a {kind} joint has {expected}")]
    HomeLength {
        /// The joint.
        joint: String,
        /// Its kind.
        kind: &'static str,
        /// How many were given.
        given: usize,
        /// How many it has.
        expected: usize,
    },
    /// A joint that follows one that does not exist.
    #[error("joint {joint:?} mimics {leader:?}, which is not a joint of the model")]
    UnknownLeader {
        /// The joint.
        joint: String,
        /// The name it gives.
        leader: String,
    },
    /// A joint that follows itself, perhaps over others.
    #[error("joint {joint:?} mimics itself, perhaps over other joints")]
    MimicCycle {
        /// The joint.
        joint: String,
    },
    /// A mimic between joints that are not single coordinates.
    #[error("joint {joint:?} mimics {leader:?}: both must be revolute, continuous or prismatic")]
    MimicKind {
        /// The joint.
        joint: String,
        /// The joint it follows.
        leader: String,
    },
    /// More than there is room for.
    #[error("the model has more than {bound} {what}, and no more are supported")]
    TooLarge {
        /// links or degrees of freedom.
        what: &'static str,
        /// How many it may have.
        bound: usize,
    },
    /// A link that does not exist.
    #[error("link {index} does not exist yet: the model has {count}, the world included")]
    UnknownLink {
        /// Its index.
        index: usize,
        /// How many links there are.
        count: usize,
    },
}

impl BuildError {
    /// Whether it is about the joint of a name.
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
            | BuildError::UnknownLink { .. } => false,
        }
    }
}

/// A state by joint names that does not fit the model.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// A joint that the model does not have.
    #[error("{joint:?} is not a joint of {model}; those that move are {}", known.join(", "))]
    UnknownJoint {
        /// The name.
        joint: String,
        /// The model.
        model: String,
        /// The joints that can be named.
        known: Vec<String>,
    },
    /// A joint that follows another, and has no state of its own.
    #[error("joint {joint:?} follows {leader:?}: set that one")]
    Follower {
        /// The joint.
        joint: String,
        /// The joint it follows.
        leader: String,
    },
    /// A joint that does not move.
    #[error("joint {joint:?} is fixed: it has no state")]
    FixedJoint {
        /// The joint.
        joint: String,
    },
    /// Too few or too many numbers for a joint.
    #[error("the {part} of joint {joint:?} has {given} numbers, the joint has {expected}")]
    JointLength {
        /// The joint.
        joint: String,
        /// position or velocity.
        part: &'static str,
        /// How many were given.
        given: usize,
        /// How many it has.
        expected: usize,
    },
    /// A vector of another length.
    #[error("{field} has {given} numbers, the model needs {expected}")]
    Length {
        /// configuration or velocity.
        field: &'static str,
        /// How many were given.
        given: usize,
        /// How many it needs.
        expected: usize,
    },
}
