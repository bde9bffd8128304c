//! The rows of a meeting: the motion of one link relative to another, along both chains down to where they part.

use super::terms::ContactMotion;
use super::{Dynamics, strand::by_component};
use crate::error::DynamicsError;
use crate::model::NO_NODE;
use crate::rows::Meeting;
use crate::spatial::Twist;
use crate::{Rotation, Vector};

impl Dynamics {
    /// Rejects a meeting that cannot belong to this model, or has a number that is not finite.
    pub(super) fn check_meeting(&self, meeting: &Meeting) -> Result<(), DynamicsError> {
        let count = self.nodes.len();
        for node in meeting.nodes {
            if !(node < count || node == NO_NODE) {
                return Err(DynamicsError::OtherModel { node, count });
            }
        }
        let fields = [
            ("point", [meeting.arm, meeting.point_rate, Vector::ZERO]),
            ("direction", meeting.directions),
            ("direction", meeting.direction_rates),
        ];
        for (field, vectors) in fields {
            let numbers = vectors.into_iter().flat_map(Vector::to_array);
            if let Some(value) = numbers.into_iter().find(|number| !number.is_finite()) {
                return Err(DynamicsError::ContactNotFinite { field, value });
            }
        }
        Ok(())
    }

    /// The columns of A, one for each velocity.
    pub(super) fn meeting_columns(&self, meeting: &Meeting, columns: &mut [Vector]) {
        columns.fill(Vector::ZERO);
        let rows = Rotation { columns: by_component(&meeting.directions) };
        self.part(meeting, |i, sign, arm| {
            let node = &self.model.tree.nodes[i];
            for k in 0..node.motion.nv() {
                let twist = &self.axes[node.axis + k].twist;
                let moved = if meeting.is_angular { twist.angular } else { twist.at(arm) };
                columns[node.v + k] = columns[node.v + k].plus(sign * node.multiplier, rows.apply(moved));
            }
        });
    }

    /// A v and (dA/dt) v of the present state. Requires the accelerations without forces.
    pub(super) fn meeting_motion(&self, meeting: &Meeting, velocity: &mut [f64], drift: &mut [f64]) {
        let relative = self.relative_velocity(meeting, &self.velocity).0;
        let arms = self.arms(meeting);
        let rate = |side: usize| match meeting.nodes[side] {
            NO_NODE => Vector::ZERO,
            i => {
                let (acceleration, angular) = (&self.nodes[i].acceleration, self.nodes[i].twist.angular);
                match meeting.is_angular {
                    true => acceleration.angular,
                    false => acceleration.at(arms[side]) + angular.cross(meeting.point_rate),
                }
            }
        };
        let rate = rate(0) - rate(1);
        for k in 0..meeting.dimension {
            velocity[k] = meeting.directions[k].dot(relative);
            drift[k] = meeting.directions[k].dot(rate) + meeting.direction_rates[k].dot(relative);
        }
    }

    /// A v for any velocity v of the robot, summed along the chains, without A.
    pub(super) fn meeting_velocity_of(&self, meeting: &Meeting, velocity: &[f64]) -> ContactMotion {
        let (relative, size) = self.relative_velocity(meeting, velocity);
        let mut motion = ContactMotion { velocity: [0.0; 3], size: 0.0 };
        for k in 0..meeting.dimension {
            motion.velocity[k] = meeting.directions[k].dot(relative);
            motion.size = motion.size.max(meeting.directions[k].norm() * size);
        }
        motion
    }

    /// The velocity of the first link relative to the second, at the point or of rotation, and the sum of the sizes of
    /// its terms.
    fn relative_velocity(&self, meeting: &Meeting, velocity: &[f64]) -> (Vector, f64) {
        let (mut sum, mut size) = (Vector::ZERO, 0.0);
        self.part(meeting, |i, sign, arm| {
            let (node, columns) = (&self.model.tree.nodes[i], &self.nodes[i].rotation.columns);
            for k in 0..node.motion.nv() {
                let axis = columns[node.motion.column(k)];
                let twist = if node.motion.slides(k) { Twist::sliding(axis) } else { Twist::turning(axis) };
                let moved = if meeting.is_angular { twist.angular } else { twist.at(arm) };
                let rate = sign * node.multiplier * velocity[node.v + k];
                sum = sum.plus(rate, moved);
                size += rate.abs() * moved.norm_l1();
            }
        });
        (sum, size)
    }

    /// Vectors from the origins of both nodes to the point; the world's origin is that of no node.
    fn arms(&self, meeting: &Meeting) -> [Vector; 2] {
        let [first, second] = meeting.nodes;
        let own = match first {
            NO_NODE => meeting.origin,
            i => self.nodes[i].rotation.apply(meeting.origin),
        };
        let own = own + meeting.arm;
        let root = |node: usize| if node == NO_NODE { NO_NODE } else { self.model.tree.nodes[node].root };
        let within = |node: usize| if node == NO_NODE { Vector::ZERO } else { self.nodes[node].position };
        let of_root = |root: usize| if root == NO_NODE { Vector::ZERO } else { self.nodes[root].offset };
        let mut between = within(first) - within(second);
        if root(first) != root(second) {
            between += of_root(root(first)) - of_root(root(second));
        }
        [own, own + between]
    }

    /// Visits the nodes that carry one of the links and not the other, with the sign of the side and the vector from the
    /// node's origin to the point.
    fn part(&self, meeting: &Meeting, mut visit: impl FnMut(usize, f64, Vector)) {
        let nodes = &self.model.tree.nodes;
        let ([mut a, mut b], [mut arm_a, mut arm_b]) = (meeting.nodes, self.arms(meeting));
        while a != b {
            // Parents come first: of two different nodes the later one carries not both.
            if b == NO_NODE || (a != NO_NODE && a > b) {
                visit(a, 1.0, arm_a);
                arm_a += self.nodes[a].offset;
                a = nodes[a].parent;
            } else {
                visit(b, -1.0, arm_b);
                arm_b += self.nodes[b].offset;
                b = nodes[b].parent;
            }
        }
    }
}
