//! Passive joint forces: springs and viscous damping.

use super::Dynamics;
use crate::Spring;
use crate::error::DynamicsError;
use crate::model::Node;

impl Dynamics {
    /// Forces of the joints' springs and viscous damping, for each velocity: -d ẋ - k (x - x₀); those of a mimic act
    /// at its leader's velocity. `force` is overwritten.
    ///
    /// Damping acts on each velocity of a joint with several. Dry friction is not included, since it is not a function
    /// of the state: it has rows, see [`joint_frictions`](crate::joint_frictions).
    ///
    /// # Errors
    /// `force` of the wrong length.
    pub fn passive_forces(&self, force: &mut [f64]) -> Result<(), DynamicsError> {
        let expected = self.velocity.len();
        if force.len() != expected {
            return Err(DynamicsError::Length { field: "force", given: force.len(), expected });
        }
        force.fill(0.0);
        for node in &self.model.tree.nodes {
            let damping = self.model.joints()[node.joint].joint.damping;
            for k in 0..node.motion.nv() {
                force[node.v + k] -= node.multiplier * damping * self.axes[node.axis + k].rate;
            }
            if let Some((spring, stretch)) = self.stretched(node) {
                force[node.v] -= node.multiplier * spring.stiffness * stretch;
            }
        }
        Ok(())
    }

    /// Energy stored in the joints' springs: Σ ½ k (x - x₀)².
    pub fn spring_energy(&self) -> f64 {
        let springs = self.model.tree.nodes.iter().filter_map(|node| self.stretched(node));
        springs.map(|(spring, stretch)| 0.5 * spring.stiffness * stretch * stretch).sum()
    }

    /// Power dissipated by viscous damping: Σ d ẋ², not negative.
    pub fn damping_power(&self) -> f64 {
        let power = |node: &Node| {
            let axes = &self.axes[node.axis..node.axis + node.motion.nv()];
            let squares = axes.iter().map(|axis| axis.rate * axis.rate).sum::<f64>();
            self.model.joints()[node.joint].joint.damping * squares
        };
        self.model.tree.nodes.iter().map(power).sum()
    }

    /// The spring of a node and its extension. Only single coordinates have springs.
    fn stretched(&self, node: &Node) -> Option<(Spring, f64)> {
        let joint = &self.model.joints()[node.joint].joint;
        let spring = joint.spring.filter(|_| joint.kind.is_single())?;
        let coordinate = node.multiplier * self.configuration[node.q] + node.coordinate_offset;
        Some((spring, coordinate - spring.rest))
    }
}
