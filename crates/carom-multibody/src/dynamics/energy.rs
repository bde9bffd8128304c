//! Kinetic and potential energy.

use super::{Dynamics, DynamicsError, NodeState, check};
use crate::model::NO_NODE;
use crate::spatial::Twist;

impl Dynamics {
    /// K = ½ vᵀ M v, from the links' own motion.
    pub fn kinetic_energy(&mut self) -> f64 {
        self.move_nodes();
        self.turn_bodies();
        let mut twice = 0.0;
        for (i, node) in self.model.tree.nodes.iter().enumerate() {
            let NodeState { twist, own, .. } = &self.nodes[i];
            twice += twist.dot(&own.apply(twist));
            let axes = &self.axes[node.axis..node.axis + node.motion.freedoms()];
            twice += node.armature * axes.iter().map(|axis| axis.rate * axis.rate).sum::<f64>();
        }
        0.5 * twice
    }

    /// K = ½ vᵀ M v of another velocity than the state's, from the links' own motion. Nothing is allocated.
    ///
    /// # Errors
    /// A `velocity` of the wrong length.
    pub fn kinetic_energy_of(&mut self, velocity: &[f64]) -> Result<f64, DynamicsError> {
        check("velocity", velocity, self.velocity.len())?;
        self.turn_bodies();
        self.ready.drifts = false;
        let mut twice = 0.0;
        for (i, node) in self.model.tree.nodes.iter().enumerate() {
            let outer = if node.parent == NO_NODE { Twist::ZERO } else { self.nodes[node.parent].acceleration };
            let mut twist = outer.from(self.nodes[i].offset);
            for k in 0..node.motion.freedoms() {
                let rate = node.multiplier * velocity[node.v + k];
                twist = twist.plus(rate, &self.axes[node.axis + k].twist);
                twice += node.armature * rate * rate;
            }
            twice += twist.dot(&self.nodes[i].own.apply(&twist));
            self.nodes[i].acceleration = twist;
        }
        Ok(0.5 * twice)
    }

    /// Potential energy in gravity; zero where a mass is at the world's origin.
    pub fn potential_energy(&self) -> f64 {
        let gravity = self.model.gravity();
        let nodes = self.model.tree.nodes.iter().enumerate();
        let energies = nodes.map(|(i, node)| {
            let center = self.nodes[i].position
                + self.nodes[i].rotation.apply(node.inertia.center)
                + self.nodes[node.root].offset;
            -node.inertia.mass * gravity.dot(center)
        });
        energies.sum()
    }
}
