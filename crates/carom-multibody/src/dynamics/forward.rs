//! Forward dynamics by the articulated-body algorithm: v̇ = M⁻¹ (τ - h).

use super::{Dynamics, DynamicsError, check};
use crate::Vector;
use crate::model::NO_NODE;
use crate::spatial::Twist;

impl Dynamics {
    /// The acceleration under joint forces and gravity: M⁻¹ (τ - h).
    ///
    /// # Errors
    /// A force of the wrong length or not finite, or a mass matrix that is singular.
    pub fn forward_dynamics(&mut self, force: &[f64]) -> Result<&[f64], DynamicsError> {
        check("force", force, self.velocity.len())?;
        if self.model.tree.has_mimics() {
            // Followers couple branches: the recursion along the tree does not see that, M does.
            self.bias();
            let mut acceleration = std::mem::take(&mut self.vector);
            for (a, tau) in acceleration.iter_mut().zip(force) {
                *a = tau - *a;
            }
            let solved = self.solve_mass(&mut acceleration);
            self.vector = acceleration;
            return solved.map(|()| &self.vector[..]);
        }
        self.articulate()?;
        self.gather(force);
        self.release();
        Ok(&self.vector)
    }

    /// Inward: the force on each axis that its articulated inertia has to answer.
    fn gather(&mut self, force: &[f64]) {
        // Motion without joint acceleration, without gravity: what is common to all accelerations.
        self.move_nodes();
        let nodes = &self.model.tree.nodes[..];
        for (i, node) in nodes.iter().enumerate() {
            let body = node.body.rotated(&self.rotations[i]);
            self.wrenches[i] = self.twists[i].cross_wrench(&body.apply(&self.twists[i]));
        }
        for (i, node) in nodes.iter().enumerate().rev() {
            let mut wrench = self.wrenches[i].plus(1.0, &self.articulated[i].apply(&self.velocity_product(i)));
            for k in (0..node.motion.freedoms()).rev() {
                let axis = node.axis + k;
                let load = force[node.v + k] - self.axes[axis].dot(&wrench);
                let given = self.compliances[axis] * load;
                self.loads[axis] = given;
                wrench = wrench.plus(given, &self.forces[axis]);
            }
            if node.parent != NO_NODE {
                self.wrenches[node.parent] = self.wrenches[node.parent].plus(1.0, &wrench.moved(self.offsets[i]));
            }
        }
    }

    /// Outward: accelerations, those of the parent taken into account.
    fn release(&mut self) {
        let world = Twist { linear: -self.model.gravity(), angular: Vector::ZERO };
        for (i, node) in self.model.tree.nodes.iter().enumerate() {
            let outer = if node.parent == NO_NODE { world } else { self.accelerations[node.parent] };
            let mut relative = outer.from(self.offsets[i]);
            for k in 0..node.motion.freedoms() {
                let axis = node.axis + k;
                let acceleration = self.loads[axis] - self.compliances[axis] * relative.dot(&self.forces[axis]);
                self.vector[node.v + k] = acceleration;
                relative = relative.plus(acceleration, &self.axes[axis]);
            }
            self.accelerations[i] = relative.plus(1.0, &self.velocity_product(i));
        }
    }

    /// v × S q̇ of a node: the part of its acceleration that its own motion causes.
    fn velocity_product(&self, i: usize) -> Twist {
        let node = &self.model.tree.nodes[i];
        let twist = self.twists[i];
        (node.axis..node.axis + node.motion.freedoms())
            .fold(Twist::ZERO, |sum, axis| sum.plus(self.rates[axis], &twist.cross(&self.axes[axis])))
    }
}
