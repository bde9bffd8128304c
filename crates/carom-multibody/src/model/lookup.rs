//! Joints by name.

use super::{Model, ModelJoint};

/// A name that does not denote a joint with its own state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JointNameError {
    /// No joint has this name.
    #[error("{name:?} is not a joint of {model}; its moving joints are {}", known.join(", "))]
    Unknown {
        /// The name.
        name: String,
        /// The robot's name.
        model: String,
        /// The joints that have a state, in order.
        known: Vec<String>,
    },
    /// The joint mimics another.
    #[error("joint {name:?} mimics {leader:?}; set that joint instead")]
    Follower {
        /// The joint.
        name: String,
        /// The joint that it mimics.
        leader: String,
    },
    /// The joint is fixed.
    #[error("joint {name:?} is fixed and has no state")]
    Fixed {
        /// The joint.
        name: String,
    },
}

impl Model {
    /// The joint with this name, if it moves and mimics no other, so that its `coordinates` and `velocities` are its own.
    ///
    /// # Errors
    /// No joint has this name, or the joint is fixed or mimics another.
    pub fn moving_joint(&self, name: &str) -> Result<&ModelJoint, JointNameError> {
        let has_state = |joint: &&ModelJoint| joint.joint.mimic.is_none() && !joint.velocities.is_empty();
        let named = || name.to_owned();
        match self.find_joint(name) {
            None => {
                let known = self.joints().iter().filter(has_state).map(|joint| joint.joint.name.clone()).collect();
                Err(JointNameError::Unknown { name: named(), model: self.name().to_owned(), known })
            }
            Some(joint) => match &joint.joint.mimic {
                Some(mimic) => Err(JointNameError::Follower { name: named(), leader: mimic.leader.clone() }),
                None if joint.velocities.is_empty() => Err(JointNameError::Fixed { name: named() }),
                None => Ok(joint),
            },
        }
    }
}
