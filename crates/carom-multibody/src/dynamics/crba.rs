//! The mass matrix by the composite-rigid-body algorithm.

use super::Dynamics;
use super::chain_matrix::ChainMatrix;
use crate::model::{Motion, NO_NODE, Sparsity};
use crate::rows::Matrix;
use crate::spatial::Wrench;

impl Dynamics {
    /// M, symmetric, including armature.
    pub fn mass_matrix(&mut self) -> &Matrix {
        if !self.ready.mass_matrix {
            self.compose();
            for i in 0..self.velocity.len() {
                let row = self.composed.row(&self.model.sparsity, i);
                for (&entry, &j) in row.iter().zip(self.model.sparsity.chain(i)) {
                    self.mass_matrix[(i, j)] = entry;
                    self.mass_matrix[(j, i)] = entry;
                }
            }
            self.ready.mass_matrix = true;
        }
        &self.mass_matrix
    }

    /// Computes M along the chains of the tree, once per state.
    #[inline(always)]
    pub(super) fn compose(&mut self) {
        if self.ready.composed {
            return;
        }
        self.turn_bodies();
        let (nodes, sparsity) = (&self.model.tree.nodes[..], &self.model.sparsity);
        for node in &mut self.nodes {
            node.body = node.own;
        }
        self.composed.fill_zero();
        for (i, node) in nodes.iter().enumerate().rev() {
            let composite = self.nodes[i].body;
            if node.parent != NO_NODE {
                let moved = composite.moved(self.nodes[i].offset);
                self.nodes[node.parent].body.add(&moved);
            }
            for k in 0..node.motion.nv() {
                let v = node.v + k;
                // The momentum of everything beyond this node when this axis moves at unit rate.
                let mut momentum = composite.apply(&self.axes[node.axis + k].twist);
                let row = self.composed.row_mut(sparsity, v);
                let (first, diagonal) = (sparsity.place(node.v), sparsity.place(v));
                let square = node.multiplier * node.multiplier;
                for (entry, axis) in row[first..=diagonal].iter_mut().zip(&self.axes[node.axis..]) {
                    *entry += square * axis.twist.dot(&momentum);
                }
                row[diagonal] += square * node.armature;
                let (mut below, mut above) = (i, node.parent);
                while above != NO_NODE {
                    momentum = momentum.moved(self.nodes[below].offset);
                    let (ancestor, rotation) = (&nodes[above], &self.nodes[above].rotation);
                    let Wrench { force, moment } = Wrench::ZERO.plus(node.multiplier * ancestor.multiplier, &momentum);
                    let (m, column) = (&mut self.composed, ancestor.v);
                    match ancestor.motion {
                        Motion::Turn => add(m, sparsity, (v, column), [rotation.columns[2].dot(moment)]),
                        Motion::Slide => add(m, sparsity, (v, column), [rotation.columns[2].dot(force)]),
                        Motion::Ball => add(m, sparsity, (v, column), rotation.apply_inverse(moment).to_array()),
                        Motion::Free => {
                            let [a, b, c] = rotation.apply_inverse(force).to_array();
                            let [d, e, f] = rotation.apply_inverse(moment).to_array();
                            add(m, sparsity, (v, column), [a, b, c, d, e, f]);
                        }
                    }
                    (below, above) = (above, ancestor.parent);
                }
            }
        }
        self.ready.composed = true;
    }
}

/// Adds to the entries of a velocity and of the velocities from `column` on.
#[inline(always)]
fn add<const N: usize>(m: &mut ChainMatrix, sparsity: &Sparsity, (v, column): (usize, usize), parts: [f64; N]) {
    if column < v {
        let place = sparsity.place(column);
        for (entry, part) in m.row_mut(sparsity, v)[place..place + N].iter_mut().zip(parts) {
            *entry += part;
        }
    } else {
        // A mimic may share its leader's velocity: then both entries of a pair are on the diagonal.
        let times = if column == v { 2.0 } else { 1.0 };
        for (k, part) in parts.into_iter().enumerate() {
            m.row_mut(sparsity, column + k)[sparsity.place(v)] += times * part;
        }
    }
}
