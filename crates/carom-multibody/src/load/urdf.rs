//! Robots from URDF.
//!
//! Meshes are kept as names, and opened only where hulls are asked for: the dynamics do not need them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use roxmltree::Document;

use super::schema::Remarks;
use super::xml::{Element, Lines};
use super::{Files, LoadError, Mimics, Options, address, mesh_file};
use crate::mesh::{Format, Objects};
use crate::{
    Geometry, Hull, HullOptions, Inertia, Joint, JointKind, LinkId, LinkSpec, Mimic, Model, ModelBuilder, Placement,
    Quaternion, Rotation, Shape, Symmetric, Vector, WarningKind,
};

type Result<T> = std::result::Result<T, LoadError>;

/// What a joint of the file connects.
struct Connection<'a> {
    element: Element<'a, 'a, 'a>,
    child: &'a str,
}

pub(super) fn from_document(
    document: &Document<'_>,
    lines: &Lines,
    path: &Path,
    options: &Options,
    files: &dyn Files,
) -> Result<Model> {
    let robot = Element { node: document.root_element(), path, lines };
    let mut remarks = Remarks::default();
    remarks.check(robot);
    let mut links: Vec<(&str, Element<'_, '_, '_>)> = Vec::new();
    let mut joints: Vec<Element<'_, '_, '_>> = Vec::new();
    for element in robot.children() {
        match element.name() {
            "link" => links.push((element.required("name")?, element)),
            "joint" => joints.push(element),
            // The schema warns about other elements.
            _ => {}
        }
    }
    let mut by_name: HashMap<&str, Element<'_, '_, '_>> = HashMap::new();
    for &(name, element) in &links {
        if let Some(first) = by_name.insert(name, element) {
            let message = format!("link {name:?} is defined twice: here and in line {}", first.line());
            return Err(element.value(message));
        }
    }
    let mut below: HashMap<&str, Vec<Connection<'_>>> = HashMap::new();
    let mut parents: HashMap<&str, &str> = HashMap::new();
    for &element in &joints {
        let name = element.required("name")?;
        let end = |tag: &str| -> Result<&str> {
            let end = element.child(tag).ok_or_else(|| element.value(format!("joint {name:?} has no <{tag}>")))?;
            let link = end.required("link")?;
            match by_name.contains_key(link) {
                true => Ok(link),
                false => Err(end.value(format!("joint {name:?} names the {tag} link {link:?}, which does not exist"))),
            }
        };
        let (parent, child) = (end("parent")?, end("child")?);
        if let Some(other) = parents.insert(child, parent) {
            let message = format!("link {child:?} has two parents, {other:?} and {parent:?}; a URDF must be a tree");
            return Err(element.value(message));
        }
        below.entry(parent).or_default().push(Connection { element, child });
    }

    let mut roots = links.iter().filter(|(name, _)| !parents.contains_key(name));
    let (root, root_element) = match (roots.next(), roots.next()) {
        (Some(&root), None) => root,
        (None, _) => return Err(robot.value("there is no root link: every link has a parent, or there are no links")),
        (Some((one, _)), Some((other, element))) => {
            return Err(
                element.value(format!("links {one:?} and {other:?} both have no parent; a URDF must have one root"))
            );
        }
    };

    let mut builder = ModelBuilder::new(robot.text("name").unwrap_or("robot"));
    let is_world = root == WORLD && !options.floating_base;
    if !is_world && by_name.contains_key(WORLD) {
        let mut name = "universe".to_owned();
        while by_name.contains_key(name.as_str()) {
            name.push('_');
        }
        builder.rename_world(&name);
    }
    let mut meshes = Meshes::new(path, files, options.hulls);
    let root_id = if is_world {
        for shape in shapes(root_element, &mut meshes, &mut remarks)? {
            builder.world_shape(shape);
        }
        LinkId::WORLD
    } else {
        let mut spec = link_spec(root, root_element, &mut meshes, &mut remarks)?;
        if options.floating_base {
            spec.joints.push(Joint::new(free_name(&joints), JointKind::Floating));
        }
        add(&mut builder, LinkId::WORLD, spec, root_element)?
    };

    // Depth first, in file order: the last entry of the list is next.
    let mut waiting = Vec::new();
    let (mut id, mut name, mut count) = (root_id, root, 1);
    loop {
        let children = below.remove(name).unwrap_or_default().into_iter().rev();
        waiting.extend(children.map(|connection| (id, connection)));
        let Some((parent, Connection { element, child })) = waiting.pop() else { break };
        let mut spec = link_spec(child, by_name[child], &mut meshes, &mut remarks)?;
        spec.placement = origin(element)?;
        spec.joints.push(joint(element, options, &mut remarks)?);
        (id, name) = (add(&mut builder, parent, spec, element)?, child);
        count += 1;
    }
    if count < links.len() {
        return Err(robot.value(format!(
            "{} of {} links cannot be reached from the root {root:?}: some joints form a cycle",
            links.len() - count,
            links.len()
        )));
    }
    remarks.hand_over(&mut builder);
    let built = builder.build().map(|model| model.with_files(meshes.opened));
    built.map_err(|error| {
        // Errors found when building concern mimics, and name the joint.
        let joint = joints.iter().find(|joint| joint.text("name").is_some_and(|name| error.is_about(name)));
        LoadError::structure(path, joint.map(Element::line), &error)
    })
}

/// The conventional name of a root link that represents the world.
const WORLD: &str = "world";

fn add(builder: &mut ModelBuilder, parent: LinkId, spec: LinkSpec, at: Element<'_, '_, '_>) -> Result<LinkId> {
    builder.link(parent, spec).map_err(|error| LoadError::structure(at.path, Some(at.line()), &error))
}

/// A name for the joint of a floating base that the file does not use.
fn free_name(joints: &[Element<'_, '_, '_>]) -> String {
    let mut name = "root_joint".to_owned();
    while joints.iter().any(|joint| joint.text("name") == Some(&name)) {
        name.push('_');
    }
    name
}

fn link_spec(
    name: &str,
    element: Element<'_, '_, '_>,
    meshes: &mut Meshes<'_>,
    remarks: &mut Remarks,
) -> Result<LinkSpec> {
    let mut spec = LinkSpec::new(name);
    if let Some(own) = element.child("inertial") {
        spec.inertia = inertial(own)?;
    }
    spec.shapes = shapes(element, meshes, remarks)?;
    Ok(spec)
}

fn inertial(element: Element<'_, '_, '_>) -> Result<Inertia> {
    let mass = element.child("mass").ok_or_else(|| element.value("<inertial> has no <mass>"))?;
    let mass = mass.number("value")?.ok_or_else(|| mass.value("<mass> needs the attribute value"))?;
    let tensor = element.child("inertia").ok_or_else(|| element.value("<inertial> has no <inertia>"))?;
    let mut entries = [0.0; 6];
    for (entry, name) in entries.iter_mut().zip(["ixx", "iyy", "izz", "ixy", "ixz", "iyz"]) {
        *entry = tensor.number(name)?.ok_or_else(|| tensor.value(format!("<inertia> needs the attribute {name}")))?;
    }
    let own = Inertia { mass, center: Vector::ZERO, rotational: Symmetric::new(entries) };
    Ok(own.placed(&origin(element)?))
}

fn origin(element: Element<'_, '_, '_>) -> Result<Placement> {
    let Some(origin) = element.child("origin") else { return Ok(Placement::IDENTITY) };
    let xyz = origin.numbers::<3>("xyz")?.unwrap_or_default();
    let rotation = match (origin.numbers::<3>("rpy")?, origin.numbers::<4>("quat_xyzw")?) {
        (Some(_), Some(_)) => return Err(origin.value("<origin> has both rpy and quat_xyzw; give only one")),
        (rpy, None) => Rotation::from_rpy(rpy.unwrap_or_default()),
        (None, Some([x, y, z, w])) => {
            let flat = || origin.value("<origin> quat_xyzw has no direction");
            Quaternion { w, x, y, z }.normalized().ok_or_else(flat)?.to_rotation()
        }
    };
    Ok(Placement::new(rotation, xyz))
}

fn joint(element: Element<'_, '_, '_>, options: &Options, remarks: &mut Remarks) -> Result<Joint> {
    let (name, kind) = (element.required("name")?, element.required("type")?);
    let kind = match kind {
        "fixed" => JointKind::Fixed,
        "revolute" => JointKind::Revolute,
        "continuous" => JointKind::Continuous,
        "prismatic" => JointKind::Prismatic,
        "planar" => JointKind::Planar,
        "floating" => JointKind::Floating,
        // Not in the standard, but written by some tools.
        "ball" | "spherical" => JointKind::Ball,
        other => {
            let known = "fixed, revolute, continuous, prismatic, planar, floating, ball";
            return Err(element.value(format!("joint {name:?} has type {other:?}, which is not one of {known}")));
        }
    };
    let mut joint = Joint::new(name, kind).along([1.0, 0.0, 0.0]);
    if let Some(axis) = element.child("axis").map(|axis| axis.numbers::<3>("xyz")).transpose()?.flatten() {
        joint.axis = axis.into();
    }
    if matches!(kind, JointKind::Revolute | JointKind::Prismatic) {
        joint.limits = limits(element, name, remarks)?;
    }
    if let Some(dynamics) = element.child("dynamics") {
        joint.damping = dynamics.number("damping")?.unwrap_or(0.0);
        joint.dry_friction = dynamics.number("friction")?.unwrap_or(0.0);
    }
    if let Some(stated) = element.child("mimic").filter(|_| kind != JointKind::Fixed) {
        joint.mimic = mimic(element, stated, name, options, remarks)?;
    }
    Ok(joint)
}

fn limits(element: Element<'_, '_, '_>, name: &str, remarks: &mut Remarks) -> Result<Option<[f64; 2]>> {
    let Some(limit) = element.child("limit") else {
        let message = format!("joint {name:?} has no <limit>, which its type requires; it is treated as unlimited");
        remarks.note(WarningKind::Ignored, name, message, element.line());
        return Ok(None);
    };
    let (lower, upper) = (limit.number("lower")?, limit.number("upper")?);
    if lower.is_none() && upper.is_none() {
        // By the schema both are zero, but no one means to lock a joint by leaving them out: wheels are written so.
        let message = format!("joint {name:?} has a <limit> without lower and upper; it is treated as unlimited");
        remarks.note(WarningKind::Ignored, name, message, limit.line());
        return Ok(None);
    }
    let limits = [lower.unwrap_or(0.0), upper.unwrap_or(0.0)];
    if limits[0] > limits[1] {
        let message = format!("joint {name:?} has limits {limits:?} in the wrong order; it is treated as unlimited");
        remarks.note(WarningKind::Ignored, name, message, limit.line());
        return Ok(None);
    }
    Ok(Some(limits))
}

fn mimic(
    element: Element<'_, '_, '_>,
    stated: Element<'_, '_, '_>,
    name: &str,
    options: &Options,
    remarks: &mut Remarks,
) -> Result<Option<Mimic>> {
    let leader = stated.required("joint")?;
    let why_not = match options.mimics {
        Mimics::Follow if is_joint(element, leader) => {
            let multiplier = stated.number("multiplier")?.unwrap_or(1.0);
            let offset = stated.number("offset")?.unwrap_or(0.0);
            return Ok(Some(Mimic { leader: leader.to_owned(), multiplier, offset }));
        }
        Mimics::Follow => "which does not exist; it is treated as independent",
        Mimics::Free => "but is treated as independent, as requested",
    };
    let message = format!("joint {name:?} mimics {leader:?}, {why_not}");
    remarks.note(WarningKind::NotModelled, name, message, stated.line());
    Ok(None)
}

/// Whether the robot of an element has a joint with a name.
fn is_joint(element: Element<'_, '_, '_>, name: &str) -> bool {
    let mut siblings = element.node.parent_element().into_iter().flat_map(|robot| robot.children());
    siblings.any(|other| other.has_tag_name("joint") && other.attribute("name") == Some(name))
}

/// Meshes of shapes, each read once.
pub(super) struct Meshes<'a> {
    robot: PathBuf,
    files: &'a dyn Files,
    options: Option<HullOptions>,
    /// By file and scale.
    hulls: HashMap<(String, [u64; 3]), std::result::Result<Arc<Hull>, String>>,
    /// The files that were opened.
    opened: Vec<PathBuf>,
}

impl<'a> Meshes<'a> {
    /// None so far, of a robot of this file.
    pub(super) fn new(robot: &Path, files: &'a dyn Files, options: Option<HullOptions>) -> Self {
        Self { robot: robot.to_owned(), files, options, hulls: HashMap::new(), opened: Vec::new() }
    }

    /// Where files are read from.
    pub(super) fn files(&self) -> &'a dyn Files {
        self.files
    }

    /// Looks for meshes from another file; that before.
    pub(super) fn look_from(&mut self, robot: &Path) -> PathBuf {
        std::mem::replace(&mut self.robot, robot.to_owned())
    }

    /// The files that were opened.
    pub(super) fn into_opened(self) -> Vec<PathBuf> {
        self.opened
    }

    /// The hull of a mesh in the frame of its shape; `None` where no hull is asked for.
    pub(super) fn hull(&mut self, file: &str, scale: [f64; 3]) -> Option<std::result::Result<Arc<Hull>, String>> {
        let options = self.options?;
        let key = (format!("{}\n{file}", self.robot.display()), scale.map(f64::to_bits));
        let (robot, files, opened) = (&*self.robot, self.files, &mut self.opened);
        Some(self.hulls.entry(key).or_insert_with(|| read_hull(file, scale, (robot, files), &options, opened)).clone())
    }
}

fn read_hull(
    file: &str,
    scale: [f64; 3],
    (robot, files): (&Path, &dyn Files),
    options: &HullOptions,
    opened: &mut Vec<PathBuf>,
) -> std::result::Result<Arc<Hull>, String> {
    let path = address::resolve(file, robot, files)?;
    let ending = path.extension().map_or(String::new(), |ending| ending.to_string_lossy().to_ascii_lowercase());
    let format = Format::by_name(&ending).ok_or_else(|| format!("{file:?} is not STL, OBJ, DAE or MSH"))?;
    let mesh = mesh_file::read(&path, format, Objects::All, files).map_err(|error| error.to_string())?;
    if !opened.contains(&path) {
        opened.push(path.clone());
    }
    let points = if mesh.faces.is_empty() { mesh.vertices } else { mesh.used_vertices() };
    let scaled = |point: Vector| Vector::from([0, 1, 2].map(|i| scale[i] * point.to_array()[i]));
    let points: Vec<Vector> = points.into_iter().map(scaled).collect();
    let flat = || format!("the mesh file {} is flat: it has no hull", path.display());
    Hull::of(&points, options).map(Arc::new).ok_or_else(flat)
}

/// Shapes for contacts, from the collision elements.
fn shapes(link: Element<'_, '_, '_>, meshes: &mut Meshes<'_>, remarks: &mut Remarks) -> Result<Vec<Shape>> {
    let mut shapes = Vec::new();
    for collision in link.children().filter(|child| child.name() == "collision") {
        let geometry = collision.child("geometry").and_then(|geometry| geometry.children().next());
        let geometry = geometry.ok_or_else(|| collision.value("<collision> has no geometry"))?;
        let need = |attribute: &str| -> Result<f64> {
            let missing = || geometry.value(format!("<{}> needs the attribute {attribute}", geometry.name()));
            geometry.number(attribute)?.ok_or_else(missing)
        };
        let form = match geometry.name() {
            "box" => {
                let size = geometry.numbers::<3>("size")?;
                let size = size.ok_or_else(|| geometry.value("<box> needs the attribute size"))?;
                Geometry::Box { half: size.map(|side| 0.5 * side) }
            }
            "sphere" => Geometry::Sphere { radius: need("radius")? },
            "cylinder" => Geometry::Cylinder { radius: need("radius")?, half_length: 0.5 * need("length")? },
            "capsule" => Geometry::Capsule { radius: need("radius")?, half_length: 0.5 * need("length")? },
            "mesh" => {
                let file = geometry.required("filename")?.to_owned();
                let scale = geometry.numbers::<3>("scale")?.unwrap_or([1.0; 3]);
                let hull = match meshes.hull(&file, scale) {
                    Some(Ok(hull)) => Some(hull),
                    Some(Err(message)) => {
                        let subject = link.text("name").unwrap_or("");
                        let message = format!("a mesh of link {subject:?} cannot touch: {message}");
                        remarks.note(WarningKind::Missing, subject, message, geometry.line());
                        None
                    }
                    None => None,
                };
                Geometry::Mesh { file, hull }
            }
            other => return Err(geometry.value(format!("<{other}> is not a valid geometry of URDF"))),
        };
        let name = collision.text("name").map(str::to_owned);
        shapes.push(Shape { name, placement: origin(collision)?, geometry: form, contact: None });
    }
    Ok(shapes)
}
