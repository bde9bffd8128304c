//! Kinetic and potential energy.

use super::{Dynamics, NodeState};

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
