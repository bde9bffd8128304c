//! Inverse dynamics by the recursive Newton-Euler algorithm: M q̈ + h.

use super::{Dynamics, DynamicsError, check};
use crate::Vector;
use crate::model::NO_NODE;

impl Dynamics {
    /// The forces that give an acceleration against inertia and gravity: M v̇ + h.
    ///
    /// # Errors
    /// An acceleration of the wrong length, or one that is not finite.
    pub fn inverse_dynamics(&mut self, acceleration: &[f64]) -> Result<&[f64], DynamicsError> {
        check("acceleration", acceleration, self.velocity.len())?;
        let gravity = self.model.gravity();
        self.accelerate(-gravity, |v, multiplier| multiplier * acceleration[v]);
        self.newton_euler();
        for node in &self.model.tree.nodes {
            for k in 0..node.motion.freedoms() {
                let drive = node.armature * node.multiplier * node.multiplier;
                self.vector[node.v + k] += drive * acceleration[node.v + k];
            }
        }
        Ok(&self.vector)
    }

    /// h: Coriolis, centrifugal and gravity forces, those that hold the velocity constant.
    pub fn bias(&mut self) -> &[f64] {
        let gravity = self.model.gravity();
        self.accelerate(-gravity, |_, _| 0.0);
        self.newton_euler();
        &self.vector
    }

    /// Forces on the links from their accelerations, gathered inward and projected on the axes.
    fn newton_euler(&mut self) {
        let model = &*self.model;
        for (i, node) in model.tree.nodes.iter().enumerate() {
            let body = node.body.rotated(&self.nodes[i].rotation);
            let twist = self.nodes[i].twist;
            // d(I v)/dt = I a + v × I v
            self.nodes[i].wrench =
                body.apply(&self.nodes[i].acceleration).plus(1.0, &twist.cross_wrench(&body.apply(&twist)));
        }
        self.vector.fill(0.0);
        for (i, node) in model.tree.nodes.iter().enumerate().rev() {
            let wrench = self.nodes[i].wrench;
            for k in 0..node.motion.freedoms() {
                self.vector[node.v + k] += node.multiplier * self.axes[node.axis + k].twist.dot(&wrench);
            }
            if node.parent != NO_NODE {
                self.nodes[node.parent].wrench =
                    self.nodes[node.parent].wrench.plus(1.0, &wrench.moved(self.nodes[i].offset));
            }
        }
    }

    /// Accelerations of all nodes where no joint accelerates and nothing falls.
    pub(super) fn accelerate_without_forces(&mut self) {
        self.accelerate(Vector::ZERO, |_, _| 0.0);
    }
}
