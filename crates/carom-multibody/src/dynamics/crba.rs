//! The mass matrix by the composite-rigid-body algorithm.

use super::{Dynamics, Matrix};
use crate::model::NO_NODE;

impl Dynamics {
    /// M, symmetric, with armature.
    pub fn mass_matrix(&mut self) -> &Matrix {
        if !self.ready.mass_matrix {
            self.compose();
            self.ready.mass_matrix = true;
        }
        &self.mass_matrix
    }

    fn compose(&mut self) {
        let model = &*self.model;
        let nodes = &model.tree.nodes[..];
        for (i, node) in nodes.iter().enumerate() {
            self.nodes[i].body = node.body.rotated(&self.nodes[i].rotation);
        }
        self.mass_matrix.fill_zero();
        let m = &mut self.mass_matrix;
        for (i, node) in nodes.iter().enumerate().rev() {
            let composite = self.nodes[i].body;
            if node.parent != NO_NODE {
                let moved = composite.moved(self.nodes[i].offset);
                self.nodes[node.parent].body.add(&moved);
            }
            for k in 0..node.motion.freedoms() {
                let (axis, v) = (node.axis + k, node.v + k);
                // The momentum of all that hangs here when this axis moves at unit rate.
                let mut momentum = composite.apply(&self.axes[axis].twist);
                let square = node.multiplier * node.multiplier;
                m[(v, v)] += square * (self.axes[axis].twist.dot(&momentum) + node.armature);
                for other in 0..k {
                    let entry = self.axes[node.axis + other].twist.dot(&momentum);
                    m[(v, node.v + other)] += entry;
                    m[(node.v + other, v)] += entry;
                }
                let (mut below, mut above) = (i, node.parent);
                while above != NO_NODE {
                    momentum = momentum.moved(self.nodes[below].offset);
                    let ancestor = &nodes[above];
                    let factor = node.multiplier * ancestor.multiplier;
                    for other in 0..ancestor.motion.freedoms() {
                        let entry = factor * self.axes[ancestor.axis + other].twist.dot(&momentum);
                        // A follower may share its leader's velocity: then both land on the diagonal.
                        m[(v, ancestor.v + other)] += entry;
                        m[(ancestor.v + other, v)] += entry;
                    }
                    (below, above) = (above, ancestor.parent);
                }
            }
        }
    }
}
