//! Models from code: links and joints in, a checked and compiled model out.

use std::collections::{HashMap, HashSet};

use super::tree::motions;
use super::{
    BuildError, Frame, Joint, JointKind, Link, LinkId, Model, ModelJoint, NO_NODE, Node, NodeMotion, Pairs, Shape,
    Sparsity, Tree, Warning, WarningKind,
};
use crate::spatial::BodyInertia;
use crate::{Inertia, Placement, Quaternion, Rotation, UNIT_TOLERANCE, Vector};

/// Tolerance of moments of inertia, relative to the largest, since files have few digits.
const FILE_DIGITS: f64 = 1e-6;

/// Gravity at the Earth's surface, along -z.
const GRAVITY: Vector = Vector::new(0.0, 0.0, -9.81);

/// The most velocities of a model: above that of any robot, and M alone takes 200 MB.
const MAX_VELOCITIES: usize = 5000;

/// The most links of a model, fixed ones included: above that of any robot, against files made to exhaust memory.
const MAX_LINKS: usize = 20_000;

/// A link as given to the builder.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LinkSpec {
    /// Unique among the links.
    pub name: String,
    /// Its placement on its parent, with all joint coordinates at their references.
    pub placement: Placement,
    /// Its joints: each acts in the link's frame as moved by those before it. A link without joints is welded to its
    /// parent.
    pub joints: Vec<Joint>,
    /// Its inertia in its own frame.
    pub inertia: Inertia,
    /// Its shapes.
    pub shapes: Vec<Shape>,
}

impl LinkSpec {
    /// A link without mass, welded at its parent's origin.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            placement: Placement::IDENTITY,
            joints: Vec::new(),
            inertia: Inertia::ZERO,
            shapes: Vec::new(),
        }
    }

    /// Sets the placement on the parent.
    pub fn placed(mut self, placement: Placement) -> Self {
        self.placement = placement;
        self
    }

    /// Adds a joint.
    pub fn joint(mut self, joint: Joint) -> Self {
        self.joints.push(joint);
        self
    }

    /// Sets the inertia.
    pub fn inertia(mut self, inertia: Inertia) -> Self {
        self.inertia = inertia;
        self
    }

    /// Adds a shape.
    pub fn shape(mut self, shape: Shape) -> Self {
        self.shapes.push(shape);
        self
    }
}

/// Builds a model link by link, parents first.
///
/// ```
/// use carom_multibody::{Inertia, Joint, JointKind, LinkId, LinkSpec, ModelBuilder, Placement};
///
/// let mut builder = ModelBuilder::new("pendulum");
/// let hinge = Joint::new("hinge", JointKind::Revolute).along([0.0, 1.0, 0.0]);
/// let rod = Inertia::cuboid(1.0, [0.01, 0.01, 0.5]).placed(&Placement::at([0.0, 0.0, -0.5]));
/// let link = builder.link(LinkId::WORLD, LinkSpec::new("rod").joint(hinge).inertia(rod))?;
/// builder.frame("tip", link, Placement::at([0.0, 0.0, -1.0]))?;
/// let model = builder.build()?;
/// assert_eq!(model.nv(), 1);
/// # Ok::<(), carom_multibody::BuildError>(())
/// ```
#[derive(Debug, Clone)]
pub struct ModelBuilder {
    name: String,
    links: Vec<Link>,
    joints: Vec<ModelJoint>,
    frames: Vec<Frame>,
    warnings: Vec<Warning>,
    gravity: Vector,
    names: HashSet<(&'static str, String)>,
}

impl ModelBuilder {
    /// An empty world with gravity along -z.
    pub fn new(name: impl Into<String>) -> Self {
        let world = Link {
            name: "world".to_owned(),
            parent: None,
            placement: Placement::IDENTITY,
            joints: 0..0,
            inertia: Inertia::ZERO,
            shapes: Vec::new(),
            node: NO_NODE,
            on_node: Placement::IDENTITY,
        };
        Self {
            name: name.into(),
            links: vec![world],
            joints: Vec::new(),
            frames: Vec::new(),
            warnings: Vec::new(),
            gravity: GRAVITY,
            names: HashSet::from([("link", "world".to_owned())]),
        }
    }

    /// Sets the acceleration of gravity, m/s².
    pub fn gravity(&mut self, gravity: impl Into<Vector>) -> &mut Self {
        self.gravity = gravity.into();
        self
    }

    /// Renames the world, for robots that have a link of its name.
    pub(crate) fn rename_world(&mut self, name: &str) {
        self.names.remove(&("link", self.links[0].name.clone()));
        self.links[0].name = name.to_owned();
        self.names.insert(("link", name.to_owned()));
    }

    /// Adds a shape to the world.
    pub fn world_shape(&mut self, shape: Shape) -> &mut Self {
        self.links[0].shapes.push(shape);
        self
    }

    /// Adds a warning to the model.
    pub fn warn(&mut self, warning: Warning) -> &mut Self {
        self.warnings.push(warning);
        self
    }

    /// Attaches a link to its parent.
    ///
    /// # Errors
    /// The name is already used, a number is not finite or out of range, or an axis is zero.
    pub fn link(&mut self, parent: LinkId, spec: LinkSpec) -> Result<LinkId, BuildError> {
        let LinkSpec { name, placement, joints, inertia, shapes } = spec;
        self.known(parent)?;
        if self.links.len() > MAX_LINKS {
            return Err(BuildError::TooLarge { what: "links", bound: MAX_LINKS });
        }
        self.is_free("link", &name)?;
        finite_placement("link", &name, &placement)?;
        let numbers = inertia.rotational.entries().into_iter().chain(inertia.center.to_array()).chain([inertia.mass]);
        finite("link", &name, "inertia", numbers)?;
        let joints = joints.into_iter().map(checked).collect::<Result<Vec<Joint>, BuildError>>()?;
        for (i, joint) in joints.iter().enumerate() {
            self.is_free("joint", &joint.name)?;
            if joints[..i].iter().any(|other| other.name == joint.name) {
                return Err(BuildError::DuplicateName { what: "joint", name: joint.name.clone() });
            }
        }

        // No errors from here on, so that a rejected link leaves the builder unchanged.
        self.judge_inertia(&name, &inertia);
        self.names.insert(("link", name.clone()));
        let id = LinkId(self.links.len());
        let first = self.joints.len();
        for joint in joints {
            self.names.insert(("joint", joint.name.clone()));
            self.joints.push(ModelJoint { joint, link: id, coordinates: 0..0, velocities: 0..0 });
        }
        self.links.push(Link {
            name,
            parent: Some(parent),
            placement,
            joints: first..self.joints.len(),
            inertia,
            shapes,
            node: NO_NODE,
            on_node: Placement::IDENTITY,
        });
        Ok(id)
    }

    /// Adds a named frame to a link.
    ///
    /// # Errors
    /// The name is already used, or a number is not finite.
    pub fn frame(&mut self, name: impl Into<String>, link: LinkId, placement: Placement) -> Result<(), BuildError> {
        let name = name.into();
        self.known(link)?;
        self.is_free("frame", &name)?;
        finite_placement("frame", &name, &placement)?;
        self.names.insert(("frame", name.clone()));
        self.frames.push(Frame { name, link, placement });
        Ok(())
    }

    /// Builds the model.
    ///
    /// # Errors
    /// A joint mimics a joint that does not exist, is of an incompatible kind, or mimics it back.
    pub fn build(mut self) -> Result<Model, BuildError> {
        finite("model", &self.name, "gravity", self.gravity.to_array())?;
        let followed = self.follow()?;
        let home = self.number();
        let nv = self.joints.iter().map(|joint| joint.velocities.end).max().unwrap_or(0);
        if nv > MAX_VELOCITIES {
            return Err(BuildError::TooLarge { what: "degrees of freedom", bound: MAX_VELOCITIES });
        }
        let tree = self.grow(&followed);
        let sparsity = Sparsity::of(&tree);
        self.judge_masses(&tree);
        let Self { name, links, joints, frames, warnings, gravity, names: _ } = self;
        Ok(Model {
            name,
            links,
            joints,
            frames,
            warnings,
            gravity,
            home,
            keyframes: Vec::new(),
            actuators: Vec::new(),
            pairs: Pairs::default(),
            loops: Vec::new(),
            loop_length: 1.0,
            loop_directions: Vec::new(),
            loop_plane: None,
            files: Vec::new(),
            tree,
            sparsity,
        })
    }

    fn known(&self, link: LinkId) -> Result<(), BuildError> {
        let count = self.links.len();
        if link.0 < count { Ok(()) } else { Err(BuildError::UnknownLink { index: link.0, count }) }
    }

    fn is_free(&self, what: &'static str, name: &str) -> Result<(), BuildError> {
        if self.names.contains(&(what, name.to_owned())) {
            return Err(BuildError::DuplicateName { what, name: name.to_owned() });
        }
        Ok(())
    }

    /// The joint that each joint ultimately follows.
    fn follow(&self) -> Result<Vec<Option<Following>>, BuildError> {
        let places: HashMap<&str, usize> =
            self.joints.iter().enumerate().map(|(i, joint)| (joint.joint.name.as_str(), i)).collect();
        let follow = |start: usize| {
            let name = &self.joints[start].joint.name;
            let (mut joint, mut multiplier, mut offset) = (start, 1.0, 0.0);
            for _ in 0..=self.joints.len() {
                let current = &self.joints[joint].joint;
                let Some(mimic) = &current.mimic else {
                    return Ok((joint != start).then_some(Following { leader: joint, multiplier, offset }));
                };
                let unknown =
                    || BuildError::UnknownLeader { joint: current.name.clone(), leader: mimic.leader.clone() };
                let leader = *places.get(mimic.leader.as_str()).ok_or_else(unknown)?;
                if !(current.kind.is_single() && self.joints[leader].joint.kind.is_single()) {
                    return Err(BuildError::MimicKind { joint: current.name.clone(), leader: mimic.leader.clone() });
                }
                // m₁ (m₂ x + o₂) + o₁
                offset += multiplier * mimic.offset;
                multiplier *= mimic.multiplier;
                joint = leader;
            }
            Err(BuildError::MimicCycle { joint: name.clone() })
        };
        (0..self.joints.len()).map(follow).collect()
    }

    /// Assigns each joint its indices in q and v, and assembles the home configuration.
    fn number(&mut self) -> Vec<f64> {
        let mut home = Vec::new();
        let mut nv = 0;
        for ModelJoint { joint, coordinates, velocities: own, .. } in &mut self.joints {
            if joint.mimic.is_some() {
                continue;
            }
            let start = home.len();
            match &joint.home {
                Some(given) => home.extend(given),
                None => match joint.kind {
                    JointKind::Fixed => {}
                    JointKind::Revolute | JointKind::Continuous | JointKind::Prismatic => home.push(joint.reference),
                    JointKind::Planar => home.extend([0.0; 3]),
                    JointKind::Ball => home.extend(Quaternion::IDENTITY.to_array()),
                    JointKind::Floating => {
                        home.extend([0.0; 3]);
                        home.extend(Quaternion::IDENTITY.to_array());
                    }
                },
            }
            *coordinates = start..home.len();
            *own = nv..nv + joint.kind.nv();
            nv = own.end;
        }
        home
    }

    /// Merges links and joints into nodes.
    fn grow(&mut self, followed: &[Option<Following>]) -> Tree {
        let mut tree = Tree { nodes: Vec::new(), nv: 0, axes: 0, quaternions: Vec::new() };
        tree.nv = self.joints.iter().map(|joint| joint.velocities.end).max().unwrap_or(0);
        for (follower, leader) in followed.iter().enumerate() {
            if let Some(Following { leader, .. }) = *leader {
                self.joints[follower].coordinates = self.joints[leader].coordinates.clone();
                self.joints[follower].velocities = self.joints[leader].velocities.clone();
            }
        }
        for index in 1..self.links.len() {
            let link = &self.links[index];
            // Every link but the world has a parent.
            let parent = &self.links[link.parent.unwrap_or(LinkId::WORLD).0];
            let (mut node, mut on_node) = (parent.node, parent.on_node * link.placement);
            for place in link.joints.clone() {
                let ModelJoint { joint, coordinates, velocities, .. } = &self.joints[place];
                let (multiplier, offset) =
                    followed[place].as_ref().map_or((1.0, 0.0), |following| (following.multiplier, following.offset));
                for (count, &(motion, axis)) in motions(joint.kind).iter().enumerate() {
                    let frame = node_frame(joint, motion, axis);
                    let root = if node == NO_NODE { tree.nodes.len() } else { tree.nodes[node].root };
                    tree.nodes.push(Node {
                        placement: on_node * frame,
                        inertia: Inertia::ZERO,
                        body: BodyInertia::ZERO,
                        parent: node,
                        root,
                        motion,
                        q: coordinates.start + count,
                        v: velocities.start + count,
                        axis: tree.axes,
                        multiplier,
                        // Limits, springs and the like belong to a single coordinate, which a planar joint does not
                        // have.
                        offset: if joint.kind.is_single() { offset - joint.reference } else { 0.0 },
                        coordinate_offset: offset,
                        armature: joint.armature,
                        joint: place,
                    });
                    tree.axes += motion.nv();
                    match motion {
                        NodeMotion::Turn | NodeMotion::Slide => {}
                        NodeMotion::Ball => tree.quaternions.push((coordinates.start, place)),
                        NodeMotion::Free => tree.quaternions.push((coordinates.start + 3, place)),
                    }
                    node = tree.nodes.len() - 1;
                    on_node = frame.inverse();
                }
            }
            if node != NO_NODE {
                let whole = &mut tree.nodes[node];
                whole.inertia = whole.inertia.joined(&link.inertia.placed(&on_node));
                whole.body = BodyInertia::of(&whole.inertia);
            }
            let link = &mut self.links[index];
            (link.node, link.on_node) = (node, on_node);
        }
        tree
    }

    fn judge_inertia(&mut self, name: &str, inertia: &Inertia) {
        let [a, b, c] = inertia.rotational.eigenvalues();
        let mut warn = |kind, message: String| {
            self.warnings.push(Warning { kind, subject: name.to_owned(), message, line: None });
        };
        let slack = FILE_DIGITS * c.abs().max(a.abs());
        if inertia.mass < 0.0 {
            warn(WarningKind::NegativeMass, format!("link {name:?} has a negative mass, {} kg", inertia.mass));
        }
        if a < -slack {
            let message = format!("link {name:?} has a negative principal moment of inertia, {a:.6e} kg m²");
            warn(WarningKind::NegativeInertia, message);
        } else if a + b < c - slack {
            let message = format!(
                "link {name:?} has principal moments of inertia {a:.6e}, {b:.6e} and {c:.6e} kg m²: the last exceeds \
                 the sum of the others, which no body has"
            );
            warn(WarningKind::TriangleInequality, message);
        }
        if inertia.mass == 0.0 && c > 0.0 {
            warn(WarningKind::InertiaWithoutMass, format!("link {name:?} has rotational inertia but no mass"));
        }
    }

    /// A joint that moves no mass makes M singular.
    fn judge_masses(&mut self, tree: &Tree) {
        let mut carries: Vec<bool> = tree.nodes.iter().map(|node| !node.inertia.is_zero()).collect();
        for (i, node) in tree.nodes.iter().enumerate().rev() {
            if carries[i] && node.parent != NO_NODE {
                carries[node.parent] = true;
            }
        }
        // Everything that follows one velocity moves together.
        let mut moves = vec![false; tree.nv];
        for (carries, node) in carries.iter().zip(&tree.nodes) {
            for k in 0..node.motion.nv() {
                moves[node.v + k] |= *carries || node.armature > 0.0;
            }
        }
        for node in &tree.nodes {
            if !moves[node.v] {
                let joint = &self.joints[node.joint];
                let (name, link) = (&joint.joint.name, &self.links[joint.link.0].name);
                let message = format!("joint {name:?} moves link {link:?} but no mass: M is singular");
                let kind = WarningKind::MasslessLink;
                self.warnings.push(Warning { kind, subject: name.clone(), message, line: None });
            }
        }
    }
}

/// A coordinate as multiplier · leader + offset, where the leader follows no other joint.
struct Following {
    leader: usize,
    multiplier: f64,
    offset: f64,
}

/// The frame of a node in its link: z along the axis, the origin on it.
fn node_frame(joint: &Joint, motion: NodeMotion, axis: usize) -> Placement {
    match motion {
        NodeMotion::Turn | NodeMotion::Slide => {
            let basis = match joint.kind {
                // The coordinates are defined along the axes of the plane.
                JointKind::Planar => Rotation::with_z_along(joint.axis).columns[axis],
                _ => joint.axis,
            };
            Placement::new(Rotation::with_z_along(basis), joint.anchor)
        }
        NodeMotion::Ball => Placement::at(joint.anchor),
        NodeMotion::Free => Placement::IDENTITY,
    }
}

fn checked(mut joint: Joint) -> Result<Joint, BuildError> {
    let name = joint.name.clone();
    finite("joint", &name, "axis", joint.axis.to_array())?;
    finite("joint", &name, "anchor", joint.anchor.to_array())?;
    finite("joint", &name, "reference", [joint.reference])?;
    for (field, value) in [("armature", joint.armature), ("damping", joint.damping), ("friction", joint.dry_friction)] {
        if !(value >= 0.0 && value.is_finite()) {
            return Err(BuildError::OutOfRange { what: "joint", name, field, value, bound: "finite and not negative" });
        }
    }
    if let Some(limits) = joint.limits
        && let Some(&value) = limits.iter().find(|limit| limit.is_nan())
    {
        return Err(BuildError::NotFinite { what: "joint", name, field: "limits", value });
    }
    if let Some([lower, upper]) = joint.limits
        && !(lower <= upper)
    {
        let bound = "not above the upper limit";
        return Err(BuildError::OutOfRange { what: "joint", name, field: "lower limit", value: lower, bound });
    }
    if let Some(spring) = joint.spring {
        finite("joint", &name, "spring", [spring.stiffness, spring.rest])?;
    }
    if let Some(mimic) = &joint.mimic {
        finite("joint", &name, "mimic", [mimic.multiplier, mimic.offset])?;
    }
    if let Some(home) = &joint.home {
        let expected = joint.kind.nq();
        if home.len() != expected {
            let kind = joint.kind.name();
            return Err(BuildError::HomeLength { joint: name, kind, given: home.len(), expected });
        }
        finite("joint", &name, "home", home.iter().copied())?;
        let quaternion = match joint.kind {
            JointKind::Ball => Some(&home[..4]),
            JointKind::Floating => Some(&home[3..]),
            _ => None,
        };
        if let Some(&[w, x, y, z]) = quaternion {
            let value = Quaternion { w, x, y, z }.norm();
            if !((value - 1.0).abs() <= UNIT_TOLERANCE) {
                let (field, bound) = ("the length of the home quaternion", "1 within 1e-6");
                return Err(BuildError::OutOfRange { what: "joint", name, field, value, bound });
            }
        }
    }
    if joint.kind.has_axis() {
        joint.axis = joint.axis.normalized().ok_or(BuildError::ZeroAxis { joint: name })?;
    }
    Ok(joint)
}

fn finite(
    what: &'static str,
    name: &str,
    field: &'static str,
    values: impl IntoIterator<Item = f64>,
) -> Result<(), BuildError> {
    match values.into_iter().find(|value| !value.is_finite()) {
        Some(value) => Err(BuildError::NotFinite { what, name: name.to_owned(), field, value }),
        None => Ok(()),
    }
}

fn finite_placement(what: &'static str, name: &str, placement: &Placement) -> Result<(), BuildError> {
    let numbers = placement.rotation.columns.into_iter().chain([placement.translation]).flat_map(Vector::to_array);
    finite(what, name, "placement", numbers)
}
