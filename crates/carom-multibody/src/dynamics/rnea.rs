//! Inverse dynamics by the recursive Newton-Euler algorithm: M q̈ + h.

use super::{Dynamics, check, simd};
use crate::error::DynamicsError;
use crate::model::NO_NODE;
use crate::spatial::Twist;

impl Dynamics {
    /// The joint forces that produce an acceleration: M v̇ + h.
    ///
    /// # Errors
    /// An acceleration of the wrong length, or one that is not finite.
    pub fn inverse_dynamics(&mut self, acceleration: &[f64]) -> Result<&[f64], DynamicsError> {
        check("acceleration", acceleration, self.velocity.len())?;
        self.accelerate(|v, multiplier| multiplier * acceleration[v]);
        self.newton_euler();
        for node in &self.model.tree.nodes {
            for k in 0..node.motion.nv() {
                let drive = node.armature * node.multiplier * node.multiplier;
                self.vector[node.v + k] += drive * acceleration[node.v + k];
            }
        }
        Ok(&self.vector)
    }

    /// h: Coriolis, centrifugal and gravity forces; the joint forces that keep the velocity constant.
    pub fn bias(&mut self) -> &[f64] {
        simd::bias(self);
        &self.vector
    }

    #[inline(always)]
    pub(super) fn bias_inlined(&mut self) {
        self.accelerate_without_forces();
        self.newton_euler();
    }

    /// Wrenches on the links due to their accelerations and gravity, summed inward and projected onto the axes.
    #[inline(always)]
    fn newton_euler(&mut self) {
        self.turn_bodies();
        // Gravity is equivalent to an upward acceleration.
        let world = -self.model.gravity();
        let model = &*self.model;
        for node in &mut self.nodes {
            let Twist { linear, angular } = node.acceleration;
            let acceleration = Twist { linear: linear + world, angular };
            // d(I v)/dt = I a + v × I v
            node.wrench =
                (node.own.apply(&acceleration)).plus(1.0, &node.twist.cross_wrench(&node.own.apply(&node.twist)));
        }
        self.vector.fill(0.0);
        for (i, node) in model.tree.nodes.iter().enumerate().rev() {
            let wrench = self.nodes[i].wrench;
            for k in 0..node.motion.nv() {
                self.vector[node.v + k] += node.multiplier * self.axes[node.axis + k].twist.dot(&wrench);
            }
            if node.parent != NO_NODE {
                self.nodes[node.parent].wrench =
                    self.nodes[node.parent].wrench.plus(1.0, &wrench.moved(self.nodes[i].offset));
            }
        }
    }
}
