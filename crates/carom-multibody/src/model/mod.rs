//! Robots as data: links, joints, frames, and the tree that the algorithms run on.
//!
//! | file | contents |
//! |---|---|
//! | `joint` | joints as given by the user |
//! | `shape` | shapes as given by the user |
//! | `builder` | builds and checks a model from links and joints |
//! | `join` | several robots and objects in one world |
//! | `lookup` | joints by name |
//! | `loops` | closed loops |
//! | `tree` | the nodes that the algorithms run on |
//! | `state` | states by joint name |
//! | `keyframe` | states that a file names |
//! | `actuator` | actuators that a file states |
//! | `exchange` | states in the conventions of MuJoCo and Pinocchio |
//! | `pair` | the rules of a file on which shapes touch each other |
//! | `part` | trees that share no velocities, each as a model of its own |
//! | `sparsity` | chains: the nonzero entries of M and its factor |
//! | `warning` | warnings about a model |
//! | `error` | errors in building a model |

mod actuator;
mod builder;
mod error;
mod exchange;
mod join;
mod joint;
mod keyframe;
mod lookup;
mod loops;
mod pair;
mod part;
mod shape;
mod sparsity;
mod state;
mod tree;
mod warning;

use std::ops::Range;
use std::path::PathBuf;

pub use actuator::{ActuatorLaw, ModelActuator};
pub use builder::{LinkSpec, ModelBuilder};
pub use error::{BuildError, StateError};
pub use exchange::{PinocchioJoint, PinocchioLayout};
pub use joint::{Joint, JointKind, Mimic, Spring};
pub use keyframe::Keyframe;
pub use lookup::JointNameError;
pub use loops::{Loop, LoopKind};
pub use pair::{PairRule, ShapeContact, ShapeId};
pub use part::ModelPart;
pub use shape::{Geometry, Shape};
pub use state::{JointNumbers, State};
pub use warning::{Warning, WarningKind};

pub(crate) use pair::{Pairs, StatedPair};
pub(crate) use sparsity::Sparsity;
pub(crate) use tree::{NO_NODE, Node, NodeMotion, PARALLEL, Tree};

use crate::{Inertia, Placement, Vector};

/// Identifies a link of a model. The first is the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LinkId(pub(crate) usize);

impl LinkId {
    /// The world, which does not move.
    pub const WORLD: Self = Self(0);

    /// Its index in [`Model::links`].
    pub fn index(self) -> usize {
        self.0
    }

    /// The link with an index in [`Model::links`].
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
    /// Its parent; `None` for the world.
    pub parent: Option<LinkId>,
    /// Its placement on its parent, with all joint coordinates at their references.
    pub placement: Placement,
    /// Its joints, as indices into [`Model::joints`]; they act in this order.
    pub joints: Range<usize>,
    /// Its inertia, in its own frame.
    pub inertia: Inertia,
    /// Its shapes.
    pub shapes: Vec<Shape>,
    /// The node of the tree that carries it, and its placement there.
    pub(crate) node: usize,
    pub(crate) on_node: Placement,
}

/// A joint of a built model: its definition, and its indices in q and v.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ModelJoint {
    /// The joint as given, with an axis of unit length.
    pub joint: Joint,
    /// The link that it moves.
    pub link: LinkId,
    /// Its range in the configuration; for a mimic that of its leader.
    pub coordinates: Range<usize>,
    /// Its range in the velocity; for a mimic that of its leader.
    pub velocities: Range<usize>,
}

impl ModelJoint {
    /// Names of its velocities: the joint's name, with a suffix if there are several.
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

    /// Names of its coordinates: the joint's name, with a suffix if there are several.
    pub fn coordinate_names(&self) -> Vec<String> {
        let suffixes: &[&str] = match self.joint.kind {
            JointKind::Ball => &["qw", "qx", "qy", "qz"],
            JointKind::Floating => &["x", "y", "z", "qw", "qx", "qy", "qz"],
            _ => return self.velocity_names(),
        };
        suffixes.iter().map(|suffix| format!("{}.{suffix}", self.joint.name)).collect()
    }
}

/// A named frame on a link.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Frame {
    /// Unique among the frames.
    pub name: String,
    /// The link that carries it.
    pub link: LinkId,
    /// Its placement on the link.
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
    keyframes: Vec<Keyframe>,
    actuators: Vec<ModelActuator>,
    pairs: Pairs,
    loops: Vec<Loop>,
    /// The scale of lengths of the loops.
    loop_length: f64,
    /// For each loop the directions along which its points are held, in the axes of its second link.
    pub(crate) loop_directions: Vec<Vec<Vector>>,
    /// The plane of motion, if there are loops.
    pub(crate) loop_plane: Option<Vector>,
    files: Vec<PathBuf>,
    pub(crate) tree: Tree,
    pub(crate) sparsity: Sparsity,
}

impl Model {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All links; the world comes first, and each link after its parent.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// The link with this id.
    ///
    /// # Panics
    /// If the id belongs to another model with more links.
    pub fn link(&self, id: LinkId) -> &Link {
        &self.links[id.0]
    }

    /// Whether a link can move relative to the world.
    pub fn is_moving(&self, id: LinkId) -> bool {
        self.links.get(id.0).is_some_and(|link| link.node != NO_NODE)
    }

    /// All joints, fixed ones included, in the order of their links.
    pub fn joints(&self) -> &[ModelJoint] {
        &self.joints
    }

    /// All named frames on links.
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// Warnings about the model.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The files that it was read from: the robot's own first, then those that it includes and the meshes that were opened.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// The model with the files that it was read from.
    pub(crate) fn with_files(mut self, files: Vec<PathBuf>) -> Self {
        self.files = files;
        self
    }

    /// The model with more warnings.
    pub(crate) fn with_warnings(mut self, warnings: impl Iterator<Item = Warning>) -> Self {
        self.warnings.extend(warnings);
        self
    }

    /// The scale of lengths of the loops, m.
    pub fn loop_length(&self) -> f64 {
        self.loop_length
    }

    /// Acceleration of gravity, m/s².
    pub fn gravity(&self) -> Vector {
        self.gravity
    }

    /// The model with another acceleration of gravity, m/s².
    pub fn with_gravity(mut self, gravity: impl Into<Vector>) -> Self {
        self.gravity = gravity.into();
        self
    }

    /// The model with everything that is fixed or hinged to the world placed at `base`. Links with floating joints are
    /// not affected: their configuration gives their pose.
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
        for node in nodes.filter(|node| node.parent == NO_NODE && node.motion != NodeMotion::Free) {
            node.placement = *base * node.placement;
        }
        self.place_loops(base);
        self
    }

    /// The model with armature added to each velocity. A ball or floating joint has one armature
    /// for all of its velocities: the largest of those given for them is added.
    ///
    /// # Panics
    /// If `added` has fewer than nv entries.
    pub fn with_more_armature(mut self, added: &[f64]) -> Self {
        for node in &mut self.tree.nodes {
            let joint = &mut self.joints[node.joint].joint;
            // A mimic moves with its leader: the addition to the leader is enough.
            if joint.mimic.is_none() {
                let added = added[node.v..node.v + node.motion.nv()].iter().fold(0.0_f64, |most, x| most.max(*x));
                node.armature += added;
                joint.armature = node.armature;
            }
        }
        self
    }

    /// Viscous damping and spring stiffness of the joints, for each velocity: -∂f/∂v and -∂f/∂q of
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

    /// nq, the length of a configuration.
    pub fn nq(&self) -> usize {
        self.home.len()
    }

    /// nv, the length of a velocity: the number of degrees of freedom.
    pub fn nv(&self) -> usize {
        self.tree.nv
    }

    /// Mass of all links that move, kg.
    pub fn moving_mass(&self) -> f64 {
        self.tree.nodes.iter().map(|node| node.inertia.mass).sum()
    }

    /// The link with this name.
    pub fn find_link(&self, name: &str) -> Option<LinkId> {
        self.links.iter().position(|link| link.name == name).map(LinkId)
    }

    /// The joint with this name.
    pub fn find_joint(&self, name: &str) -> Option<&ModelJoint> {
        self.joints.iter().find(|joint| joint.joint.name == name)
    }

    /// The frame with this name.
    pub fn find_frame(&self, name: &str) -> Option<&Frame> {
        self.frames.iter().find(|frame| frame.name == name)
    }

    /// The link with this name, or the link and placement of the frame with this name.
    pub fn find_place(&self, name: &str) -> Option<(LinkId, Placement)> {
        match self.find_link(name) {
            Some(link) => Some((link, Placement::IDENTITY)),
            None => self.find_frame(name).map(|frame| (frame.link, frame.placement)),
        }
    }

    /// Names of the velocities, in order.
    pub fn velocity_names(&self) -> Vec<String> {
        self.joints.iter().filter(|joint| joint.joint.mimic.is_none()).flat_map(ModelJoint::velocity_names).collect()
    }

    /// Names of the coordinates, in order.
    pub fn coordinate_names(&self) -> Vec<String> {
        self.joints.iter().filter(|joint| joint.joint.mimic.is_none()).flat_map(ModelJoint::coordinate_names).collect()
    }

    /// The unit normal of the plane in which the model moves; `None` if the motion is spatial.
    ///
    /// Rotating joints must have parallel axes, and translating ones must move normal to them. A model that
    /// only translates is planar if its directions span a plane.
    pub fn plane(&self) -> Option<Vector> {
        self.tree.plane()
    }
}
