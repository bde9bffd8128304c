//! Joints by name, for those who state or ask for a robot's state.

use super::{Model, ModelJoint};

/// Why a name does not mean a joint with a state of its own.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JointNameError {
    /// No joint has this name.
    #[error("{name:?} is not a joint of {model}; those that move are {}", known.join(", "))]
    Unknown {
        /// The name.
        name: String,
        /// The robot's name.
        model: String,
        /// The joints that have a state, in order.
        known: Vec<String>,
    },
    /// The joint follows another.
    #[error("joint {name:?} follows {leader:?}: set that one")]
    Follower {
        /// The joint.
        name: String,
        /// The one it follows.
        leader: String,
    },
    /// The joint is fixed.
    #[error("joint {name:?} is fixed: it has no state")]
    Fixed {
        /// The joint.
        name: String,
    },
}

impl Model {
    /// The joint of a name, which moves and follows no other: its `coordinates` and `freedoms` are its own.
    ///
    /// # Errors
    /// Another name, with a list of those that would do; a joint that is fixed or follows another.
    pub fn moving_joint(&self, name: &str) -> Result<&ModelJoint, JointNameError> {
        let has_state = |joint: &&ModelJoint| joint.joint.mimic.is_none() && !joint.freedoms.is_empty();
        let named = || name.to_owned();
        match self.find_joint(name) {
            None => {
                let known = self.joints().iter().filter(has_state).map(|joint| joint.joint.name.clone()).collect();
                Err(JointNameError::Unknown { name: named(), model: self.name().to_owned(), known })
            }
            Some(joint) => match &joint.joint.mimic {
                Some(mimic) => Err(JointNameError::Follower { name: named(), leader: mimic.leader.clone() }),
                None if joint.freedoms.is_empty() => Err(JointNameError::Fixed { name: named() }),
                None => Ok(joint),
            },
        }
    }
}
