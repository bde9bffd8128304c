//! The model in the form used by the algorithms: one node per joint, with fixed joints merged.
//!
//! The frame of a node that rotates or translates has its z axis along the joint's axis and its origin on it, so
//! there is one kind of rotation and one of translation, whatever the file's axes.

use super::JointKind;
use crate::spatial::BodyInertia;
use crate::{Inertia, Placement, Rotation, Vector};

/// The parent index of a node attached to the world.
pub(crate) const NO_NODE: usize = usize::MAX;

/// The motion of a node relative to its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Motion {
    /// Rotation about z.
    Turn,
    /// Translation along z.
    Slide,
    /// Rotation about the origin.
    Ball,
    /// Free motion.
    Free,
}

impl Motion {
    pub(crate) fn nv(self) -> usize {
        match self {
            Motion::Turn | Motion::Slide => 1,
            Motion::Ball => 3,
            Motion::Free => 6,
        }
    }

    /// Whether the k-th axis is a translation; the others are rotations.
    #[inline(always)]
    pub(crate) fn slides(self, k: usize) -> bool {
        match self {
            Motion::Turn | Motion::Ball => false,
            Motion::Slide => true,
            Motion::Free => k < 3,
        }
    }

    /// The axis of the node's frame that is the k-th axis of the motion.
    #[inline(always)]
    pub(crate) fn column(self, k: usize) -> usize {
        match self {
            Motion::Turn | Motion::Slide => 2,
            Motion::Ball | Motion::Free => k % 3,
        }
    }
}

/// One joint and the rigid body that it moves.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    /// Its placement on its parent at zero displacement.
    pub(crate) placement: Placement,
    /// Inertia of all links welded to it, in its frame.
    pub(crate) inertia: Inertia,
    /// That inertia about the origin of the frame.
    pub(crate) body: BodyInertia,
    pub(crate) parent: usize,
    /// The node of its branch that is attached to the world: positions are relative to it.
    pub(crate) root: usize,
    pub(crate) motion: Motion,
    /// First coordinate and first velocity.
    pub(crate) q: usize,
    pub(crate) v: usize,
    /// First column among the axes of all nodes, including mimics.
    pub(crate) axis: usize,
    /// Displacement = multiplier · q + offset, for single rotations and translations.
    pub(crate) multiplier: f64,
    pub(crate) offset: f64,
    /// The joint's own coordinate = multiplier · q + this; it does not include the reference.
    pub(crate) coordinate_offset: f64,
    pub(crate) armature: f64,
    /// The index of the joint in the model.
    pub(crate) joint: usize,
}

/// All nodes, parents first.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
    /// Number of velocities.
    pub(crate) freedoms: usize,
    /// Number of axes: the velocities, plus the axes of mimics.
    pub(crate) axes: usize,
    /// First coordinate and joint of each quaternion.
    pub(crate) quaternions: Vec<(usize, usize)>,
}

impl Tree {
    /// Whether some joints follow others.
    pub(crate) fn has_mimics(&self) -> bool {
        self.axes != self.freedoms
    }

    /// The path from a node to its root.
    pub(crate) fn path(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let next = move |&i: &usize| Some(self.nodes[i].parent).filter(|&parent| parent != NO_NODE);
        std::iter::successors(Some(node).filter(|&node| node != NO_NODE), next)
    }

    /// The normal of the plane of motion. It is the same in every configuration if all rotations are about it.
    pub(super) fn plane(&self) -> Option<Vector> {
        let mut turning: Vec<Vector> = Vec::new();
        let mut sliding: Vec<Vector> = Vec::new();
        let mut rotations: Vec<Rotation> = Vec::new();
        for node in &self.nodes {
            let parent = if node.parent == NO_NODE { Rotation::IDENTITY } else { rotations[node.parent] };
            let rotation = parent * node.placement.rotation;
            rotations.push(rotation);
            match node.motion {
                Motion::Turn => turning.push(rotation.columns[2]),
                Motion::Slide => sliding.push(rotation.columns[2]),
                Motion::Ball | Motion::Free => return None,
            }
        }
        let normal = match (turning.first(), sliding.first()) {
            (Some(&axis), _) => axis,
            (None, Some(&one)) => sliding.iter().find_map(|&other| {
                let normal = one.cross(other);
                if normal.norm() > PARALLEL { normal.normalized() } else { None }
            })?,
            (None, None) => return None,
        };
        let is_planar = turning.iter().all(|axis| axis.cross(normal).norm() <= PARALLEL)
            && sliding.iter().all(|axis| axis.dot(normal).abs() <= PARALLEL);
        is_planar.then_some(normal)
    }
}

/// Sine of the angle below which directions count as parallel: files write 1.57 for a quarter turn, which is
/// 8e-4 off. A mechanism that leaves its plane by less is stiff against forces normal to it, and a contact with a tangent
/// along which it can hardly move would give meaningless results.
pub(crate) const PARALLEL: f64 = 1e-3;

/// The nodes of one joint: each rotation or translation has its axis along z.
pub(super) fn motions(kind: JointKind) -> &'static [(Motion, usize)] {
    // The second number is the axis of the joint's own basis: (x', y', axis).
    match kind {
        JointKind::Fixed => &[],
        JointKind::Revolute | JointKind::Continuous => &[(Motion::Turn, 2)],
        JointKind::Prismatic => &[(Motion::Slide, 2)],
        JointKind::Planar => &[(Motion::Slide, 0), (Motion::Slide, 1), (Motion::Turn, 2)],
        JointKind::Ball => &[(Motion::Ball, 2)],
        JointKind::Floating => &[(Motion::Free, 2)],
    }
}
