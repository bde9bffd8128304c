//! Placements and velocities of the links, and their accelerations at zero joint accelerations.

use super::Dynamics;
use crate::model::{Motion, NO_NODE};
use crate::spatial::Twist;
use crate::{LinkId, Quaternion, Rotation, Vector};

impl Dynamics {
    /// Rotation, position and axes of every node, in one outward pass.
    #[inline(always)]
    pub(super) fn place(&mut self) {
        let model = &*self.model;
        let q = &self.configuration[..];
        for (i, node) in model.tree.nodes.iter().enumerate() {
            let (rotation, mut offset) = if node.parent == NO_NODE {
                (node.placement.rotation, node.placement.translation)
            } else {
                let outer = &self.nodes[node.parent].rotation;
                (*outer * node.placement.rotation, outer.apply(node.placement.translation))
            };
            let axis = node.axis;
            self.nodes[i].rotation = match node.motion {
                Motion::Turn => {
                    let angle = node.multiplier * q[node.q] + node.offset;
                    let rotation = rotation.about_own_z(angle.sin_cos());
                    self.axes[axis].twist = Twist::turning(rotation.columns[2]);
                    self.axes[axis].rate = node.multiplier * self.velocity[node.v];
                    rotation
                }
                Motion::Slide => {
                    let direction = rotation.columns[2];
                    let shift = node.multiplier * q[node.q] + node.offset;
                    offset = offset.plus(shift, direction);
                    self.axes[axis].twist = Twist::sliding(direction);
                    self.axes[axis].rate = node.multiplier * self.velocity[node.v];
                    rotation
                }
                Motion::Ball => {
                    let rotation = rotation * quaternion(&q[node.q..node.q + 4]);
                    for (k, column) in rotation.columns.into_iter().enumerate() {
                        self.axes[axis + k].twist = Twist::turning(column);
                        self.axes[axis + k].rate = self.velocity[node.v + k];
                    }
                    rotation
                }
                Motion::Free => {
                    offset += rotation.apply(Vector::new(q[node.q], q[node.q + 1], q[node.q + 2]));
                    let rotation = rotation * quaternion(&q[node.q + 3..node.q + 7]);
                    for (k, column) in rotation.columns.into_iter().enumerate() {
                        self.axes[axis + k].twist = Twist::sliding(column);
                        self.axes[axis + 3 + k].twist = Twist::turning(column);
                    }
                    for k in 0..6 {
                        self.axes[axis + k].rate = self.velocity[node.v + k];
                    }
                    rotation
                }
            };
            self.nodes[i].offset = offset;
            self.nodes[i].position =
                if node.parent == NO_NODE { Vector::ZERO } else { self.nodes[node.parent].position + offset };
        }
    }

    /// Inertias of all nodes in world axes, once per state.
    #[inline(always)]
    pub(super) fn turn_bodies(&mut self) {
        if self.ready.bodies {
            return;
        }
        for (i, node) in self.model.tree.nodes.iter().enumerate() {
            self.nodes[i].own = node.body.rotated(&self.nodes[i].rotation);
        }
        self.ready.bodies = true;
    }

    /// Velocities of all nodes, once per state.
    #[inline(always)]
    pub(super) fn move_nodes(&mut self) {
        if self.ready.twists {
            return;
        }
        for (i, node) in self.model.tree.nodes.iter().enumerate() {
            let mut twist = if node.parent == NO_NODE {
                Twist::ZERO
            } else {
                self.nodes[node.parent].twist.from(self.nodes[i].offset)
            };
            for axis in node.axis..node.axis + node.motion.nv() {
                twist = twist.plus(self.axes[axis].rate, &self.axes[axis].twist);
            }
            self.nodes[i].twist = twist;
        }
        self.ready.twists = true;
    }

    /// Accelerations of all nodes for given accelerations of the axes.
    #[inline(always)]
    pub(super) fn accelerate(&mut self, of_axis: impl Fn(usize, f64) -> f64) {
        self.move_nodes();
        self.ready.drifts = false;
        for (i, node) in self.model.tree.nodes.iter().enumerate() {
            let outer = if node.parent == NO_NODE { Twist::ZERO } else { self.nodes[node.parent].acceleration };
            let mut acceleration = outer.from(self.nodes[i].offset).plus(1.0, &self.velocity_product(i));
            for k in 0..node.motion.nv() {
                acceleration = acceleration.plus(of_axis(node.v + k, node.multiplier), &self.axes[node.axis + k].twist);
            }
            self.nodes[i].acceleration = acceleration;
        }
    }

    /// Accelerations of all nodes at zero joint accelerations and without gravity, once per state.
    #[inline(always)]
    pub(super) fn accelerate_without_forces(&mut self) {
        if self.ready.drifts {
            return;
        }
        self.accelerate(|_, _| 0.0);
        self.ready.drifts = true;
    }

    /// v × S q̇ of a node: the part of its acceleration due to its own motion. Axes are fixed to the node that they
    /// move: dS/dt = v × S.
    #[inline(always)]
    pub(super) fn velocity_product(&self, i: usize) -> Twist {
        let node = &self.model.tree.nodes[i];
        let axes = &self.axes[node.axis..node.axis + node.motion.nv()];
        let own = axes.iter().fold(Twist::ZERO, |sum, axis| sum.plus(axis.rate, &axis.twist));
        self.nodes[i].twist.cross(&own)
    }

    /// World velocity of a point given in a link's frame, and the link's angular velocity.
    pub fn point_velocity(&mut self, link: LinkId, point: Vector) -> (Vector, Vector) {
        self.move_nodes();
        let link = self.model.link(link);
        if link.node == NO_NODE {
            return (Vector::ZERO, Vector::ZERO);
        }
        let twist = self.nodes[link.node].twist;
        (twist.at(self.nodes[link.node].rotation.apply(link.on_node.apply(point))), twist.angular)
    }
}

#[inline(always)]
fn quaternion(parts: &[f64]) -> Rotation {
    Quaternion::from_array([parts[0], parts[1], parts[2], parts[3]]).to_rotation()
}
