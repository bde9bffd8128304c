//! Robots as data: links, joints, frames, and the tree that the algorithms run on.
//!
//! | file | what it has |
//! |---|---|
//! | `joint` | joints as stated |
//! | `shape` | shapes as stated |
//! | `builder` | links and joints to a checked model |
//! | `tree` | the nodes that the algorithms run on |
//! | `state` | states by the names of joints |
//! | `sparsity` | chains: which entries M and its factor have |
//! | `warning` | what is doubtful |
//! | `error` | what is wrong |

mod builder;
mod error;
mod joint;
mod shape;
mod sparsity;
mod state;
mod tree;
mod warning;

use std::ops::Range;

pub use builder::{LinkSpec, ModelBuilder};
pub use error::{BuildError, StateError};
pub use joint::{Joint, JointKind, Mimic, Spring};
pub use shape::{Geometry, Shape};
pub use state::{JointNumbers, State};
pub use warning::{Warning, WarningKind};

pub(crate) use sparsity::Sparsity;
pub(crate) use tree::{Motion, NO_NODE, Node, PARALLEL, Tree};

use crate::{Inertia, Placement, Vector};

/// A link of a model. The first is the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LinkId(pub(crate) usize);

impl LinkId {
    /// The world, which does not move.
    pub const WORLD: Self = Self(0);

    /// Its place in [`Model::links`].
    pub fn index(self) -> usize {
        self.0
    }

    /// The link at a place in [`Model::links`].
    pub fn from_index(index: usize) -> Self {
        Self(index)
    }
}

/// A link of a built model.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Link {
    /// Unique among the links.
    pub name: String,
    /// The link it hangs on; `None` for the world.
    pub parent: Option<LinkId>,
    /// Where it is on its parent, with all coordinates at their references.
    pub placement: Placement,
    /// Its joints, as places in [`Model::joints`]; they act in this order.
    pub joints: Range<usize>,
    /// Its inertia, in its own frame.
    pub inertia: Inertia,
    /// Its shapes.
    pub shapes: Vec<Shape>,
    /// The node of the tree that carries it, and where it sits there.
    pub(crate) node: usize,
    pub(crate) on_node: Placement,
}

/// A joint of a built model: what was stated, and where its numbers are.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ModelJoint {
    /// As stated; the axis has length one.
    pub joint: Joint,
    /// The link it moves.
    pub link: LinkId,
    /// Its place in the configuration; of a mimic that of its leader.
    pub coordinates: Range<usize>,
    /// Its place in the velocity; of a mimic that of its leader.
    pub freedoms: Range<usize>,
}

impl ModelJoint {
    /// Names of its velocities: the joint's own, or with a suffix for each.
    pub fn velocity_names(&self) -> Vec<String> {
        let suffixes: &[&str] = match self.joint.kind {
            JointKind::Fixed => &[],
            JointKind::Revolute | JointKind::Continuous | JointKind::Prismatic => return vec![self.joint.name.clone()],
            JointKind::Planar => &["x", "y", "angle"],
            JointKind::Ball => &["wx", "wy", "wz"],
            JointKind::Floating => &["vx", "vy", "vz", "wx", "wy", "wz"],
        };
        suffixes.iter().map(|suffix| format!("{}.{suffix}", self.joint.name)).collect()
    }

    /// Names of its coordinates: the joint's own, or with a suffix for each.
    pub fn coordinate_names(&self) -> Vec<String> {
        let suffixes: &[&str] = match self.joint.kind {
            JointKind::Ball => &["qw", "qx", "qy", "qz"],
            JointKind::Floating => &["x", "y", "z", "qw", "qx", "qy", "qz"],
            _ => return self.velocity_names(),
        };
        suffixes.iter().map(|suffix| format!("{}.{suffix}", self.joint.name)).collect()
    }
}

/// A named place on a link.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Frame {
    /// Unique among the frames.
    pub name: String,
    /// The link that carries it.
    pub link: LinkId,
    /// Where it sits there.
    pub placement: Placement,
}

/// A robot or mechanism: immutable, shared by any number of [`Dynamics`](crate::Dynamics).
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    name: String,
    links: Vec<Link>,
    joints: Vec<ModelJoint>,
    frames: Vec<Frame>,
    warnings: Vec<Warning>,
    gravity: Vector,
    home: Vec<f64>,
    pub(crate) tree: Tree,
    pub(crate) sparsity: Sparsity,
}

impl Model {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All links; the world comes first, a link after its parent.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// One link.
    ///
    /// # Panics
    /// A link of another model that has more of them.
    pub fn link(&self, id: LinkId) -> &Link {
        &self.links[id.0]
    }

    /// Whether a link can move against the world.
    pub fn is_moving(&self, id: LinkId) -> bool {
        self.links.get(id.0).is_some_and(|link| link.node != NO_NODE)
    }

    /// All joints, fixed ones included, in the order of their links.
    pub fn joints(&self) -> &[ModelJoint] {
        &self.joints
    }

    /// Named places on links.
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// What is doubtful about it.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Gravity's acceleration, m/s².
    pub fn gravity(&self) -> Vector {
        self.gravity
    }

    /// The same robot elsewhere.
    pub fn with_gravity(mut self, gravity: impl Into<Vector>) -> Self {
        self.gravity = gravity.into();
        self
    }

    /// The same robot with everything that is fixed or hinged to the world moved along. A link that moves freely
    /// against the world says itself where it is.
    pub fn placed(mut self, base: &Placement) -> Self {
        for link in &mut self.links[1..] {
            let moves_freely =
                self.joints[link.joints.clone()].iter().any(|joint| joint.joint.kind == JointKind::Floating);
            if link.parent == Some(LinkId::WORLD) && !moves_freely {
                link.placement = *base * link.placement;
            }
            if link.node == NO_NODE {
                link.on_node = *base * link.on_node;
            }
        }
        let nodes = self.tree.nodes.iter_mut();
        for node in nodes.filter(|node| node.parent == NO_NODE && node.motion != Motion::Free) {
            node.placement = *base * node.placement;
        }
        self
    }

    /// The same robot with more armature, a number for each velocity. A joint that turns freely in space has one armature
    /// for all of its velocities: the largest that is given for them is added.
    ///
    /// # Panics
    /// Fewer numbers than velocities.
    pub fn with_more_armature(mut self, added: &[f64]) -> Self {
        for node in &mut self.tree.nodes {
            let joint = &mut self.joints[node.joint].joint;
            // A follower moves with its leader: what is added to that is all.
            if joint.mimic.is_none() {
                let added = added[node.v..node.v + node.motion.nv()].iter().fold(0.0_f64, |most, x| most.max(*x));
                node.armature += added;
                joint.armature = node.armature;
            }
        }
        self
    }

    /// Viscous damping and stiffness of the joints' springs, for each velocity: -∂f/∂v and -∂f/∂q of
    /// [`Dynamics::passive_forces`](crate::Dynamics::passive_forces), which have no other entries.
    pub fn passive_coefficients(&self) -> (Vec<f64>, Vec<f64>) {
        let (mut damping, mut stiffness) = (vec![0.0; self.nv()], vec![0.0; self.nv()]);
        for node in &self.tree.nodes {
            let joint = &self.joints[node.joint].joint;
            let square = node.multiplier * node.multiplier;
            for entry in &mut damping[node.v..node.v + node.motion.nv()] {
                *entry += square * joint.damping;
            }
            if let Some(spring) = joint.spring.filter(|_| joint.kind.is_single()) {
                stiffness[node.v] += square * spring.stiffness;
            }
        }
        (damping, stiffness)
    }

    /// The home configuration.
    pub fn home(&self) -> &[f64] {
        &self.home
    }

    /// Length of a configuration, nq.
    pub fn nq(&self) -> usize {
        self.home.len()
    }

    /// Length of a velocity, nv: the degrees of freedom.
    pub fn nv(&self) -> usize {
        self.tree.freedoms
    }

    /// Mass of all links that move, kg.
    pub fn moving_mass(&self) -> f64 {
        self.tree.nodes.iter().map(|node| node.inertia.mass).sum()
    }

    /// The link of a name.
    pub fn find_link(&self, name: &str) -> Option<LinkId> {
        self.links.iter().position(|link| link.name == name).map(LinkId)
    }

    /// The joint of a name.
    pub fn find_joint(&self, name: &str) -> Option<&ModelJoint> {
        self.joints.iter().find(|joint| joint.joint.name == name)
    }

    /// The frame of a name.
    pub fn find_frame(&self, name: &str) -> Option<&Frame> {
        self.frames.iter().find(|frame| frame.name == name)
    }

    /// The place of a name: a link's, else a frame's.
    pub fn find_place(&self, name: &str) -> Option<(LinkId, Placement)> {
        match self.find_link(name) {
            Some(link) => Some((link, Placement::IDENTITY)),
            None => self.find_frame(name).map(|frame| (frame.link, frame.placement)),
        }
    }

    /// Names of the velocities, in their order.
    pub fn velocity_names(&self) -> Vec<String> {
        self.joints.iter().filter(|joint| joint.joint.mimic.is_none()).flat_map(ModelJoint::velocity_names).collect()
    }

    /// Names of the coordinates, in their order.
    pub fn coordinate_names(&self) -> Vec<String> {
        self.joints.iter().filter(|joint| joint.joint.mimic.is_none()).flat_map(ModelJoint::coordinate_names).collect()
    }

    /// The unit normal of the plane in which everything moves; `None` if the motion is spatial.
    ///
    /// Turning joints must have parallel axes, sliding ones must move at right angles to them. A model that
    /// only slides is planar where its directions span a plane.
    pub fn plane(&self) -> Option<Vector> {
        self.tree.plane()
    }
}
