//! Forward dynamics by the articulated-body algorithm: v̇ = M⁻¹ (τ - h).

use super::{Dynamics, check, simd};
use crate::Vector;
use crate::error::DynamicsError;
use crate::model::NO_NODE;
use crate::spatial::Twist;

impl Dynamics {
    /// The acceleration under joint forces and gravity: M⁻¹ (τ - h), or with loops the acceleration that keeps them
    /// closed.
    ///
    /// # Errors
    /// A force of the wrong length or not finite, a singular mass matrix, or a loop that is open.
    pub fn forward_dynamics(&mut self, force: &[f64]) -> Result<&[f64], DynamicsError> {
        check("force", force, self.velocity.len())?;
        if self.is_coupled() {
            self.hold_loops()?;
            // Mimics and loops couple branches, which the recursion along the tree cannot represent, but M does.
            self.bias();
            let mut acceleration = std::mem::take(&mut self.vector);
            for (a, tau) in acceleration.iter_mut().zip(force) {
                *a = tau - *a;
            }
            let solved = self.accelerate_held(&mut acceleration);
            self.vector = acceleration;
            return solved.map(|()| &self.vector[..]);
        }
        simd::fall(self, force)?;
        Ok(&self.vector)
    }

    /// The recursion along the tree.
    #[inline(always)]
    pub(super) fn fall_inlined(&mut self, force: &[f64]) -> Result<(), DynamicsError> {
        self.articulate()?;
        self.gather(force);
        self.release();
        Ok(())
    }

    /// Inward pass: the force on each axis that accelerates its articulated inertia.
    #[inline(always)]
    fn gather(&mut self, force: &[f64]) {
        // The velocity-product accelerations, without joint accelerations and gravity.
        self.move_nodes();
        self.turn_bodies();
        let nodes = &self.model.tree.nodes[..];
        for node in &mut self.nodes {
            node.wrench = node.twist.cross_wrench(&node.own.apply(&node.twist));
        }
        for (i, node) in nodes.iter().enumerate().rev() {
            let mut wrench =
                self.nodes[i].wrench.plus(1.0, &self.nodes[i].articulated.apply(&self.velocity_product(i)));
            for k in (0..node.motion.nv()).rev() {
                let axis = node.axis + k;
                let load = force[node.v + k] - self.axes[axis].twist.dot(&wrench);
                let given = self.axes[axis].compliance * load;
                self.axes[axis].load = given;
                wrench = wrench.plus(given, &self.axes[axis].force);
            }
            if node.parent != NO_NODE {
                self.nodes[node.parent].wrench =
                    self.nodes[node.parent].wrench.plus(1.0, &wrench.moved(self.nodes[i].offset));
            }
        }
    }

    /// Outward pass: joint accelerations, given those of the parents.
    #[inline(always)]
    fn release(&mut self) {
        self.ready.drifts = false;
        let world = Twist { linear: -self.model.gravity(), angular: Vector::ZERO };
        for (i, node) in self.model.tree.nodes.iter().enumerate() {
            let outer = if node.parent == NO_NODE { world } else { self.nodes[node.parent].acceleration };
            let mut relative = outer.from(self.nodes[i].offset);
            for k in 0..node.motion.nv() {
                let axis = node.axis + k;
                let acceleration =
                    self.axes[axis].load - self.axes[axis].compliance * relative.dot(&self.axes[axis].force);
                self.vector[node.v + k] = acceleration;
                relative = relative.plus(acceleration, &self.axes[axis].twist);
            }
            self.nodes[i].acceleration = relative.plus(1.0, &self.velocity_product(i));
        }
    }
}
