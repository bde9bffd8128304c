//! The links, joints and frames of a file's model, and of its nested and included models, by their scoped names.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::frames::Frames;
use super::text::{base, number, numbers, pose, words};
use super::{Result, WORLD, shape};
use crate::load::address;
use crate::load::schema::Remarks;
use crate::load::urdf::Meshes;
use crate::load::xml::{self, Element, Lines};
use crate::{Inertia, Placement, Shape, Spring, Vector, WarningKind};

/// A joint limit of this size or larger means that the joint has no limit.
const UNBOUNDED: f64 = 1e16;
/// The deepest nesting of models and includes.
const DEEPEST: usize = 50;
/// Largest number of included models, including those that included models include.
const MOST_INCLUDES: usize = 1000;
/// Child elements of `<model>` that are read elsewhere or do not affect the motion.
const APART: &[&str] = &["pose", "static", "self_collide", "allow_auto_disable", "enable_wind"];
/// Child elements of `<link>` that are read elsewhere or do not affect the motion.
const APART_IN_LINK: &[&str] = &["pose", "inertial", "collision", "visual", "gravity", "self_collide", "kinematic"];

/// A link of the file.
pub(super) struct LinkElement {
    pub(super) name: String,
    pub(super) inertia: Inertia,
    pub(super) shapes: Vec<Shape>,
    pub(super) line: usize,
}

/// A joint of the file.
pub(super) struct JointElement {
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) parent: String,
    pub(super) child: String,
    axis: Vector,
    /// The frame of the axis, if it is not the joint's.
    axis_in: Option<String>,
    pub(super) limits: Option<[f64; 2]>,
    pub(super) damping: f64,
    pub(super) friction: f64,
    pub(super) spring: Option<Spring>,
    /// The joint that it follows, the multiplier and the offset.
    pub(super) mimic: Option<(String, f64, f64)>,
    pub(super) line: usize,
}

/// Everything gathered from a file and from the files that it includes.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) name: String,
    pub(super) links: Vec<LinkElement>,
    pub(super) joints: Vec<JointElement>,
    pub(super) frames: Frames,
    pub(super) is_static: bool,
    /// Ignored elements: name and line.
    pub(super) ignored: Vec<(String, usize)>,
    pub(super) included: Vec<PathBuf>,
    /// Number of models included so far.
    includes: usize,
    /// The minor version of the file that is being read: 1.minor.
    minor: u32,
}

impl Gathered {
    /// The index of each link by its name.
    pub(super) fn places(&self) -> HashMap<&str, usize> {
        self.links.iter().enumerate().map(|(k, link)| (link.name.as_str(), k)).collect()
    }

    /// The axis of a joint in the axes of a frame.
    pub(super) fn axis(&self, joint: &JointElement, frame: Placement) -> std::result::Result<Vector, String> {
        let of = self.frames.resolve(joint.axis_in.as_deref().unwrap_or(&joint.name))?;
        Ok(frame.rotation.apply_inverse(of.rotation.apply(joint.axis)))
    }
}

pub(super) fn gather(root: Element<'_, '_, '_>, meshes: &mut Meshes<'_>, remarks: &mut Remarks) -> Result<Gathered> {
    let mut found = Gathered { minor: version(root)?, ..Gathered::default() };
    let model = model_of(root, &mut found)?;
    found.name = model.required("name")?.to_owned();
    found.is_static = model.child("static").is_some_and(is_true);
    let place = pose(model)?;
    found.frames.add(String::new(), base(model).unwrap_or(WORLD).to_owned(), place);
    gather_model(model, "", 0, &mut found, meshes, remarks)?;
    place_shapes(root, &mut found)?;
    Ok(found)
}

/// 4 of `version="1.4"`.
fn version(root: Element<'_, '_, '_>) -> Result<u32> {
    let text = root.required("version")?;
    let minor = text.trim().strip_prefix("1.").and_then(|minor| minor.parse().ok());
    minor
        .filter(|minor| (4..=12).contains(minor))
        .ok_or_else(|| root.unsupported(format!("the version {text:?} of SDF is not read; those from 1.4 to 1.12 are")))
}

/// The model of a file: the first with joints, or the first.
fn model_of<'e, 'i, 'p>(root: Element<'e, 'i, 'p>, found: &mut Gathered) -> Result<Element<'e, 'i, 'p>> {
    let in_world = root.child("world").into_iter().flat_map(Element::children);
    let models: Vec<_> = root.children().chain(in_world).filter(|child| child.name() == "model").collect();
    let has_joints = |model: &&Element<'e, 'i, 'p>| model.child("joint").is_some();
    let chosen = models.iter().find(has_joints).or(models.first()).copied();
    let chosen = chosen.ok_or_else(|| root.value("there is no <model>"))?;
    for other in models.iter().filter(|other| other.node != chosen.node) {
        found.ignored.push((format!("the model {:?}", other.text("name").unwrap_or("")), other.line()));
    }
    for other in root.child("world").into_iter().flat_map(Element::children).filter(|child| child.name() == "include") {
        found.ignored.push(("<include> in <world>".to_owned(), other.line()));
    }
    Ok(chosen)
}

fn is_true(element: Element<'_, '_, '_>) -> bool {
    matches!(words(element), "true" | "1")
}

/// Resolves a name used within a model to the scoped name of a frame.
fn scoped(prefix: &str, name: &str) -> String {
    match name {
        "__model__" => prefix.strip_suffix("::").unwrap_or("").to_owned(),
        WORLD if prefix.is_empty() => WORLD.to_owned(),
        name => format!("{prefix}{name}"),
    }
}

fn gather_model(
    model: Element<'_, '_, '_>,
    prefix: &str,
    depth: usize,
    found: &mut Gathered,
    meshes: &mut Meshes<'_>,
    remarks: &mut Remarks,
) -> Result<()> {
    if let Some(frame) = model.text("placement_frame").filter(|frame| !frame.is_empty()) {
        return Err(model.unsupported(format!("placement_frame = {frame:?} of a model is not read")));
    }
    if depth > DEEPEST {
        return Err(model.value(format!("models are nested more than {DEEPEST} deep")));
    }
    let own = scoped(prefix, "__model__");
    let add = |found: &mut Gathered, element: Element<'_, '_, '_>, name: &str, standard: String| {
        let place = pose(element)?;
        let base = base(element).map_or(standard, |name| scoped(prefix, name));
        match found.frames.add(format!("{prefix}{name}"), base, place) {
            true => Ok(()),
            false => Err(element.value(format!("the name {name:?} is given twice in a model"))),
        }
    };
    for element in model.children() {
        match element.name() {
            "link" => {
                let name = element.required("name")?;
                add(found, element, name, own.clone())?;
                let link = gather_link(element, prefix, format!("{prefix}{name}"), found, meshes, remarks)?;
                found.links.push(link);
            }
            "joint" => {
                let joint = gather_joint(element, prefix, found.minor, remarks)?;
                add(found, element, element.required("name")?, joint.child.clone())?;
                found.joints.push(joint);
            }
            "frame" => {
                let attached = element.text("attached_to").filter(|name| !name.is_empty());
                let standard = attached.map_or(own.clone(), |name| scoped(prefix, name));
                add(found, element, element.required("name")?, standard)?;
            }
            "model" => {
                let name = element.required("name")?;
                add(found, element, name, own.clone())?;
                gather_model(element, &format!("{prefix}{name}::"), depth + 1, found, meshes, remarks)?;
            }
            "include" => include(element, prefix, depth, found, meshes, remarks)?,
            other if APART.contains(&other) => {}
            other => found.ignored.push((format!("<{other}> in <model>"), element.line())),
        }
    }
    Ok(())
}

/// A model of another file.
fn include(
    element: Element<'_, '_, '_>,
    prefix: &str,
    depth: usize,
    found: &mut Gathered,
    meshes: &mut Meshes<'_>,
    remarks: &mut Remarks,
) -> Result<()> {
    if element.text("merge").is_some_and(|merge| merge == "true" || merge == "1") {
        return Err(element.unsupported("<include merge=\"true\"> is not read"));
    }
    let uri = element.child("uri").ok_or_else(|| element.value("<include> has no <uri>"))?;
    let files = meshes.files();
    let file = address::resolve(words(uri), element.path, files).map_err(|message| uri.value(message))?;
    // The folder of a model has its file in it.
    let file = match file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("sdf")) {
        true => file,
        false => file.join("model.sdf"),
    };
    if depth > DEEPEST {
        return Err(element.value(format!("models are included more than {DEEPEST} deep")));
    }
    found.includes += 1;
    if found.includes > MOST_INCLUDES {
        return Err(element.value(format!("more than {MOST_INCLUDES} models are included")));
    }
    let text = xml::read(&file, files)?;
    let path: &Path = &file;
    let document = xml::parse(&text, path)?;
    let lines = Lines::of(&document);
    let root = Element { node: document.root_element(), path, lines: &lines };
    let outer = std::mem::replace(&mut found.minor, version(root)?);
    let model = model_of(root, found)?;
    let name = match element.child("name") {
        Some(name) => words(name),
        None => model.required("name")?,
    };
    let (place, at) =
        if element.child("pose").is_some() { (pose(element)?, base(element)) } else { (pose(model)?, None) };
    let standard = scoped(prefix, "__model__");
    let at = at.map_or(standard, |name| scoped(prefix, name));
    if !found.frames.add(format!("{prefix}{name}"), at, place) {
        return Err(element.value(format!("the name {name:?} is given twice in a model")));
    }
    let outer_meshes = meshes.look_from(&file);
    gather_model(model, &format!("{prefix}{name}::"), depth + 1, found, meshes, remarks)?;
    meshes.look_from(&outer_meshes);
    found.minor = outer;
    found.included.push(file);
    Ok(())
}

fn gather_link(
    element: Element<'_, '_, '_>,
    prefix: &str,
    name: String,
    found: &mut Gathered,
    meshes: &mut Meshes<'_>,
    remarks: &mut Remarks,
) -> Result<LinkElement> {
    for child in element.children().filter(|child| !APART_IN_LINK.contains(&child.name())) {
        found.ignored.push((format!("<{}> in <link>", child.name()), child.line()));
    }
    if let Some(gravity) = element.child("gravity").filter(|gravity| !is_true(*gravity)) {
        return Err(gravity.unsupported(format!("link {name:?} has no gravity, which is not modelled")));
    }
    let mut shapes = Vec::new();
    for collision in element.children().filter(|child| child.name() == "collision") {
        let Some((geometry, form)) = shape::geometry(collision, &name, meshes, remarks)? else { continue };
        let own = collision.text("name").map(str::to_owned);
        let place = pose(collision)?;
        // Shapes are placed by other frames when all of them are known.
        let frame = format!("{name}/{}", shapes.len());
        let base = base(collision).map_or_else(|| name.clone(), |base| scoped(prefix, base));
        found.frames.add(frame, base, place * form);
        shapes.push(Shape { name: own, placement: Placement::IDENTITY, geometry, contact: None });
    }
    Ok(LinkElement { inertia: shape::inertia(element, &name, remarks)?, name, shapes, line: element.line() })
}

/// The placements of all shapes on their links.
fn place_shapes(root: Element<'_, '_, '_>, found: &mut Gathered) -> Result<()> {
    let Gathered { links, frames, .. } = found;
    for link in links {
        let fault = |message: String| root.value(message);
        let own = frames.resolve(&link.name).map_err(fault)?;
        for (k, shape) in link.shapes.iter_mut().enumerate() {
            let place = frames.resolve(&format!("{}/{k}", link.name)).map_err(fault)?;
            shape.placement = own.inverse() * place;
        }
    }
    Ok(())
}

fn gather_joint(element: Element<'_, '_, '_>, prefix: &str, minor: u32, remarks: &mut Remarks) -> Result<JointElement> {
    let name = format!("{prefix}{}", element.required("name")?);
    let kind = element.required("type")?.to_owned();
    let end = |tag: &str| -> Result<&str> {
        let end = element.child(tag).ok_or_else(|| element.value(format!("joint {name:?} has no <{tag}>")))?;
        Ok(words(end))
    };
    let (parent, child) = (end("parent")?, end("child")?);
    if child == WORLD {
        return Err(element.value(format!("joint {name:?} has the world as its child")));
    }
    let parent = if parent == WORLD { WORLD.to_owned() } else { scoped(prefix, parent) };
    let mut joint = JointElement {
        name,
        kind,
        parent,
        child: scoped(prefix, child),
        axis: Vector::new(0.0, 0.0, 1.0),
        axis_in: None,
        limits: None,
        damping: 0.0,
        friction: 0.0,
        spring: None,
        mimic: None,
        line: element.line(),
    };
    if let Some(axis) = element.child("axis") {
        read_axis(axis, prefix, minor, &mut joint, remarks)?;
    }
    Ok(joint)
}

fn read_axis(
    axis: Element<'_, '_, '_>,
    prefix: &str,
    minor: u32,
    joint: &mut JointElement,
    remarks: &mut Remarks,
) -> Result<()> {
    let xyz = axis.child("xyz");
    if let Some(xyz) = xyz {
        joint.axis = numbers::<3>(xyz)?.into();
    }
    let expressed = xyz.and_then(|xyz| xyz.text("expressed_in")).filter(|name| !name.is_empty());
    // Up to 1.4 axes are those of the model, later those of the joint unless the file says otherwise.
    let is_of_model = axis.child("use_parent_model_frame").map_or(minor <= 4, is_true);
    joint.axis_in = match expressed {
        Some(name) => Some(scoped(prefix, name)),
        None => is_of_model.then(|| scoped(prefix, "__model__")),
    };
    if let Some(limit) = axis.child("limit") {
        let bound = |tag: &str, none: f64| -> Result<f64> {
            let Some(child) = limit.child(tag) else { return Ok(none) };
            let [bound] = numbers(child)?;
            Ok(if bound.abs() >= UNBOUNDED { bound.signum() * f64::INFINITY } else { bound })
        };
        let limits = [bound("lower", f64::NEG_INFINITY)?, bound("upper", f64::INFINITY)?];
        if limits[0] > limits[1] {
            let message =
                format!("joint {:?} has limits {limits:?} in the wrong order; it is treated as unlimited", joint.name);
            remarks.note(WarningKind::Ignored, &joint.name, message, limit.line());
        } else if limits.iter().any(|bound| bound.is_finite()) {
            joint.limits = Some(limits);
        }
    }
    if let Some(dynamics) = axis.child("dynamics") {
        joint.damping = number(dynamics, "damping")?.unwrap_or(0.0);
        joint.friction = number(dynamics, "friction")?.unwrap_or(0.0);
        let stiffness = number(dynamics, "spring_stiffness")?.unwrap_or(0.0);
        let rest = number(dynamics, "spring_reference")?.unwrap_or(0.0);
        joint.spring = (stiffness != 0.0).then_some(Spring { stiffness, rest });
    }
    if let Some(mimic) = axis.child("mimic") {
        let leader = scoped(prefix, mimic.required("joint")?);
        let [multiplier, offset, reference] = [("multiplier", 1.0), ("offset", 0.0), ("reference", 0.0)]
            .map(|(tag, none)| number(mimic, tag).map(|x| x.unwrap_or(none)));
        let (multiplier, offset, reference) = (multiplier?, offset?, reference?);
        joint.mimic = Some((leader, multiplier, offset - multiplier * reference));
    }
    Ok(())
}
