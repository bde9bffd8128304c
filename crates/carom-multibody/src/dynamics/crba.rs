//! The mass matrix by the composite-rigid-body algorithm.

use super::{Dynamics, Matrix};
use crate::model::NO_NODE;
use crate::spatial::Wrench;

impl Dynamics {
    /// M, symmetric, with armature.
    pub fn mass_matrix(&mut self) -> &Matrix {
        if !self.ready.mass_matrix {
            let mut m = std::mem::replace(&mut self.mass_matrix, Matrix::zeros(0, 0));
            self.compose(&mut m);
            for i in 0..m.rows() {
                for j in 0..i {
                    m[(j, i)] = m[(i, j)];
                }
            }
            self.mass_matrix = m;
            self.ready.mass_matrix = true;
        }
        &self.mass_matrix
    }

    /// A wrench along the k-th axis of a node: half of the axis is zero.
    #[inline(always)]
    fn along(&self, i: usize, k: usize, wrench: &Wrench) -> f64 {
        let motion = self.model.tree.nodes[i].motion;
        let direction = self.nodes[i].rotation.columns[motion.column(k)];
        direction.dot(if motion.slides(k) { wrench.force } else { wrench.moment })
    }

    /// M up to its diagonal, on the pattern of the tree; what is not on it has to be zero.
    #[inline(always)]
    pub(super) fn compose(&mut self, m: &mut Matrix) {
        self.turn_bodies();
        let model = &*self.model;
        let nodes = &model.tree.nodes[..];
        for node in &mut self.nodes {
            node.body = node.own;
        }
        for v in 0..m.rows() {
            let row = m.row_mut(v);
            row[v] = 0.0;
            for &j in model.sparsity.row(v) {
                row[j] = 0.0;
            }
        }
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
                m[(v, v)] += square * (self.along(i, k, &momentum) + node.armature);
                for other in 0..k {
                    m[(v, node.v + other)] += self.along(i, other, &momentum);
                }
                let (mut below, mut above) = (i, node.parent);
                while above != NO_NODE {
                    momentum = momentum.moved(self.nodes[below].offset);
                    let ancestor = &nodes[above];
                    let factor = node.multiplier * ancestor.multiplier;
                    for other in 0..ancestor.motion.freedoms() {
                        let (entry, column) = (factor * self.along(above, other, &momentum), ancestor.v + other);
                        // A follower may share its leader's velocity: then both of a pair land on the diagonal.
                        m[(v.max(column), v.min(column))] += if column == v { 2.0 * entry } else { entry };
                    }
                    (below, above) = (above, ancestor.parent);
                }
            }
        }
    }
}
