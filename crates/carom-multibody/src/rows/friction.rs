//! Dry friction of joints: a force of bounded size at a velocity.
//!
//! In terms of rows it is a pad that is pressed on the joint with the force f and has the coefficient one: |τ| <= f,
//! and τ = -f sign(v) where the joint moves. The first row is the pad's own. It is coupled with nothing, and its entry
//! of W is that of the joint, so that both rows are of one size; without a force on it the pad would accelerate into
//! the joint, by f times that entry. With this, joints that stick or slide are closed contacts like all others.

use crate::model::Model;

/// The dry friction of one velocity of a joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointFriction {
    /// The joint's index in [`Model::joints`].
    pub joint: usize,
    /// Its place among the joint's velocities, from 0.
    pub place: usize,
    /// The index of the velocity, or its leader's.
    pub velocity: usize,
    /// Factor on the leader's velocity; 1 for a joint that follows no other.
    pub multiplier: f64,
    /// The largest force, N or N m.
    pub bound: f64,
}

impl JointFriction {
    /// The joint's own velocity.
    ///
    /// # Panics
    /// If the velocity is too short.
    pub fn rate(&self, velocity: &[f64]) -> f64 {
        self.multiplier * velocity[self.velocity]
    }
}

/// The dry friction of all joints that have any and can move, in the order of the joints, for each of their velocities.
pub fn joint_frictions(model: &Model) -> Vec<JointFriction> {
    let mut frictions = Vec::new();
    for node in &model.tree.nodes {
        let bound = model.joints()[node.joint].joint.dry_friction;
        if bound > 0.0 && node.multiplier != 0.0 {
            frictions.extend((0..node.motion.nv()).map(|place| JointFriction {
                joint: node.joint,
                place,
                velocity: node.v + place,
                multiplier: node.multiplier,
                bound,
            }));
        }
    }
    frictions
}
