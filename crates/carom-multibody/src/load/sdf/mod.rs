//! Robots from SDF, versions 1.4 to 1.12: one model of a file, with its nested and included models.
//!
//! | file | contents |
//! |---|---|
//! | `gather` | the links, joints and frames of a file, by their scoped names |
//! | `frames` | where frames are: poses relative to each other |
//! | `shape` | inertia and shapes of a link |
//! | `text` | numbers and poses from the text of elements |

mod frames;
mod gather;
mod shape;
mod text;

use std::path::Path;

use roxmltree::Document;

use super::schema::Remarks;
use super::urdf::Meshes;
use super::xml::{Element, Lines};
use super::{Files, LoadError, LoadErrorKind, Mimics, Options};
use crate::{
    Joint, JointKind, LinkId, LinkSpec, Loop, LoopKind, Mimic, Model, ModelBuilder, Placement, Vector, WarningKind,
};
use gather::{Gathered, JointElement};

type Result<T> = std::result::Result<T, LoadError>;

/// The name of the world as the parent of a joint.
const WORLD: &str = "world";

pub(super) fn from_document(
    document: &Document<'_>,
    lines: &Lines,
    path: &Path,
    options: &Options,
    files: &dyn Files,
) -> Result<Model> {
    let root = Element { node: document.root_element(), path, lines };
    let mut remarks = Remarks::default();
    let mut meshes = Meshes::new(path, files, options.hulls);
    let found = gather::gather(root, &mut meshes, &mut remarks)?;
    let Gathered { name, links, joints, frames, is_static, .. } = &found;
    let fault = |line: usize, message: String| LoadError {
        kind: LoadErrorKind::Value,
        file: path.to_owned(),
        line: Some(line),
        message,
    };
    if links.is_empty() {
        return Err(fault(root.line(), format!("the model {name:?} has no links")));
    }
    let places = found.places();
    let index = |link: &str| places.get(link).copied();
    let mut placements = Vec::with_capacity(links.len());
    for link in links {
        placements.push(frames.resolve(&link.name).map_err(|message| fault(link.line, message))?);
    }
    for joint in joints {
        if joint.parent != WORLD && index(&joint.parent).is_none() || index(&joint.child).is_none() {
            let (parent, child) = (&joint.parent, &joint.child);
            let message =
                format!("joint {:?} names the links {parent:?} and {child:?}, of which one does not exist", joint.name);
            return Err(fault(joint.line, message));
        }
    }
    if let Some(joint) = joints.iter().find(|joint| *is_static && joint.kind != "fixed") {
        return Err(fault(joint.line, format!("joint {:?} moves, but the model is static", joint.name)));
    }
    let tree = tree(&found, &fault)?;

    let mut builder = ModelBuilder::new(name);
    if links.iter().any(|link| link.name == WORLD) {
        builder.rename_world("universe");
    }
    let mut ids: Vec<Option<LinkId>> = vec![None; links.len()];
    for step in &tree.order {
        let link = &links[step.link];
        let mut spec = LinkSpec::new(&link.name);
        spec.inertia = link.inertia;
        spec.shapes.clone_from(&link.shapes);
        let own = placements[step.link];
        let parent = match step.joint.map(|k| &joints[k]) {
            Some(joint) => {
                let (parent, above) = match index(&joint.parent) {
                    Some(place) => (ids[place].unwrap_or(LinkId::WORLD), placements[place]),
                    None => (LinkId::WORLD, Placement::IDENTITY),
                };
                spec.placement = above.inverse() * own;
                spec.joints.push(stated(joint, &found, own, options, &mut remarks, &fault)?);
                parent
            }
            None if *is_static => {
                spec.placement = own;
                LinkId::WORLD
            }
            None => {
                let mut free = "root_joint".to_owned();
                while joints.iter().any(|joint| joint.name == free) {
                    free.push('_');
                }
                let mut joint = Joint::new(free, JointKind::Floating);
                let ([x, y, z], [w, a, b, c]) = (own.translation.to_array(), own.rotation.to_quaternion().to_array());
                joint.home = Some(vec![x, y, z, w, a, b, c]);
                spec.joints.push(joint);
                LinkId::WORLD
            }
        };
        let built = builder.link(parent, spec);
        ids[step.link] = Some(built.map_err(|error| LoadError::structure(path, Some(link.line), &error))?);
    }
    for joint in tree.loops.iter().map(|&k| &joints[k]) {
        if joint.damping != 0.0 || joint.friction != 0.0 || joint.limits.is_some() || joint.spring.is_some() {
            let message = format!(
                "joint {:?} closes a loop: its limits, damping, friction and spring are not modelled",
                joint.name
            );
            remarks.note(WarningKind::NotModelled, &joint.name, message, joint.line);
        }
    }
    for line in &found.ignored {
        remarks.note(WarningKind::Ignored, &line.0, format!("{} is ignored", line.0), line.1);
    }
    remarks.hand_over(&mut builder);
    let opened = meshes.into_opened().into_iter().chain(found.included.iter().cloned());
    let model = builder.build().map(|model| model.with_files(opened.collect()));
    let model = model.map_err(|error| {
        let joint = joints.iter().find(|joint| error.is_about(&joint.name));
        LoadError::structure(path, joint.map(|joint| joint.line), &error)
    })?;
    let mut loops = Vec::new();
    for &k in &tree.loops {
        let joint = &joints[k];
        let ends = [index(&joint.parent), index(&joint.child)];
        let links = ends.map(|end| end.and_then(|end| ids[end]).unwrap_or(LinkId::WORLD));
        let of = ends.map(|end| end.map_or(Placement::IDENTITY, |end| placements[end]));
        let place = frames.resolve(&joint.name).map_err(|message| fault(joint.line, message))?;
        let frames = of.map(|link| link.inverse() * place);
        let points = frames.map(|frame| frame.translation);
        let kind = match joint.kind.as_str() {
            "ball" => LoopKind::Connect { links, points },
            "revolute" | "continuous" => {
                let axis = found.axis(joint, Placement::IDENTITY).map_err(|message| fault(joint.line, message))?;
                LoopKind::Hinge { links, points, axes: of.map(|link| link.rotation.apply_inverse(axis)) }
            }
            "fixed" => LoopKind::Weld { links, frames },
            other => {
                let message =
                    format!("joint {:?} closes a loop and is {other:?}: only ball, revolute and fixed do", joint.name);
                return Err(LoadError { kind: LoadErrorKind::Unsupported, ..fault(joint.line, message) });
            }
        };
        loops.push(Loop { name: joint.name.clone(), kind });
    }
    if loops.is_empty() {
        return Ok(model);
    }
    model.with_loops(loops).map_err(|error| LoadError::structure(path, None, &error))
}

/// A link in tree order, with the joint that connects it to its parent.
struct Step {
    link: usize,
    joint: Option<usize>,
}

struct Tree {
    order: Vec<Step>,
    /// The joints that close loops.
    loops: Vec<usize>,
}

/// The spanning tree. In each step a joint is added whose parent is in the tree and whose child is not: the one with the fewest
/// degrees of freedom, then the one nearest to the root, then the first in the file.
fn tree(found: &Gathered, fault: &dyn Fn(usize, String) -> LoadError) -> Result<Tree> {
    let Gathered { links, joints, .. } = found;
    let places = found.places();
    let ends: Vec<[Option<usize>; 2]> =
        joints.iter().map(|joint| [&joint.parent, &joint.child].map(|end| places.get(end.as_str()).copied())).collect();
    let mut depth: Vec<Option<usize>> = vec![None; links.len()];
    let mut order = Vec::with_capacity(links.len());
    let mut in_tree = vec![false; joints.len()];
    let is_fixed = found.is_static || ends.iter().any(|[parent, _]| parent.is_none());
    if !is_fixed || found.is_static {
        let mut is_child = vec![false; links.len()];
        ends.iter().filter_map(|[_, child]| *child).for_each(|child| is_child[child] = true);
        let root = (0..links.len()).find(|&k| !is_child[k]).unwrap_or(0);
        depth[root] = Some(0);
        order.push(Step { link: root, joint: None });
    }
    loop {
        let next = (0..joints.len()).filter(|&k| !in_tree[k]).filter_map(|k| {
            let [parent, child] = ends[k];
            let child = child?;
            let above = match parent {
                Some(parent) => depth[parent]?,
                None => 0,
            };
            depth[child].is_none().then_some((freedoms(&joints[k].kind), above, k, child))
        });
        let Some((_, above, k, child)) = next.min() else { break };
        in_tree[k] = true;
        depth[child] = Some(above + 1);
        order.push(Step { link: child, joint: Some(k) });
    }
    if let Some(left) = (0..links.len()).find(|&k| depth[k].is_none()) {
        let message = format!(
            "link {:?} hangs on no joint of the robot: several bodies in a file are not read",
            links[left].name
        );
        return Err(LoadError { kind: LoadErrorKind::Unsupported, ..fault(links[left].line, message) });
    }
    let loops = (0..joints.len()).filter(|&k| !in_tree[k]).collect();
    Ok(Tree { order, loops })
}

fn freedoms(kind: &str) -> usize {
    match kind {
        "fixed" => 0,
        "ball" => 3,
        _ => 1,
    }
}

/// A joint of the tree, in the axes of its child link.
fn stated(
    joint: &JointElement,
    found: &Gathered,
    child: Placement,
    options: &Options,
    remarks: &mut Remarks,
    fault: &dyn Fn(usize, String) -> LoadError,
) -> Result<Joint> {
    let kind = match joint.kind.as_str() {
        "fixed" => JointKind::Fixed,
        "revolute" if joint.limits.is_some() => JointKind::Revolute,
        "revolute" | "continuous" => JointKind::Continuous,
        "prismatic" => JointKind::Prismatic,
        "ball" => JointKind::Ball,
        other => {
            let known = "fixed, revolute, continuous, prismatic, ball";
            let message = format!("joint {:?} has type {other:?}, which is not one of {known}", joint.name);
            return Err(LoadError { kind: LoadErrorKind::Unsupported, ..fault(joint.line, message) });
        }
    };
    let mut own = Joint::new(&joint.name, kind);
    let place = found.frames.resolve(&joint.name).map_err(|message| fault(joint.line, message))?;
    own.anchor = (child.inverse() * place).translation;
    if kind.is_single() {
        own.axis = found.axis(joint, child).map_err(|message| fault(joint.line, message))?;
        own.limits = joint.limits;
        own.spring = joint.spring;
    } else {
        own.axis = Vector::new(0.0, 0.0, 1.0);
    }
    (own.damping, own.dry_friction) = (joint.damping, joint.friction);
    if let Some((leader, multiplier, offset)) = &joint.mimic {
        match options.mimics {
            Mimics::Follow if found.joints.iter().any(|other| other.name == *leader) => {
                own.mimic = Some(Mimic { leader: leader.clone(), multiplier: *multiplier, offset: *offset });
            }
            _ => {
                let message = format!("joint {:?} mimics {leader:?}, but is treated as independent", joint.name);
                remarks.note(WarningKind::NotModelled, &joint.name, message, joint.line);
            }
        }
    }
    Ok(own)
}
