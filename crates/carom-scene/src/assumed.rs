//! A scene for a robot file alone: the choices that a user would make first. Each is stated in the text of the scene, which can
//! be saved and changed.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use carom_multibody::load::{self, Disk, Files, LoadError, Options, RobotFormat};
use carom_multibody::{
    CandidateOptions, Dynamics, HalfSpace, HullOptions, Keyframe, LinkId, Model, ShapeId, Vector, candidates, planes,
};
use wildmatch::WildMatch;

use crate::robots::{ModelSource, Robots};
use crate::scene::{floating_root, moves_with};

/// The restitution of a scene that states none: the impact without a rebound.
const RESTITUTION: f64 = 0.0;
/// The friction of a scene that states none.
const FRICTION: f64 = 0.5;
/// How far inside a plane of the file, over the distance from its lowest to its highest point, a robot may start without being
/// moved: the rounding of its configuration.
const INSIDE: f64 = 1e-9;
/// The velocity of a floating base in an impact that states none, m/s.
const FALLING: [f64; 3] = [0.0, 0.0, -1.0];

/// Changes to the usual assumptions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Wishes {
    /// Whether the base of a URDF floats; by default it does, unless the root link is called `world` or has no mass.
    pub floating_base: Option<bool>,
    /// Height of the lowest point above the surface, m; zero by default.
    pub height: Option<f64>,
    /// The link that touches, or a pattern of names; by default all.
    pub link: Option<String>,
    /// Velocity of a floating base, m/s, in world axes; by default 1 m/s downwards for an impact and zero for a simulation.
    pub velocity: Option<[f64; 3]>,
    /// The keyframe of the robot's file from which it starts; by default its home configuration.
    pub keyframe: Option<String>,
    /// Whether joints move through the limits of the file; by default they stop there in a simulation.
    pub no_limits: bool,
    /// Whether the scene is one of an impact, not of a simulation.
    pub is_impact: bool,
    /// The robot's file as the scene gives it; by default its name, for a scene in the same folder.
    pub file: Option<String>,
}

/// Whether a text is XML, as robot files are: neither JSON nor TOML begins like it.
pub fn is_robot(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with('<')
}

/// A scene for a robot file, as the text of a TOML file.
///
/// # Errors
/// The robot cannot be read.
pub fn scene_of_robot(robot: &Path, wishes: &Wishes) -> Result<String, LoadError> {
    scene_of_robot_from(robot, wishes, &Disk)
}

/// A scene for a robot among the given files.
///
/// # Errors
/// Those of [`scene_of_robot`].
pub fn scene_of_robot_from(robot: &Path, wishes: &Wishes, files: &dyn Files) -> Result<String, LoadError> {
    let format = load::format_from(robot, files)?;
    scene(robot, format, wishes, |options| load::file_from(robot, options, files).map(Arc::new))
}

/// A scene for a robot that is read into a cache: who reads the scene with it reads the robot's meshes no second time.
///
/// # Errors
/// Those of [`scene_of_robot`].
pub fn scene_of_robot_in(robot: &Path, wishes: &Wishes, robots: &Robots) -> Result<String, LoadError> {
    let format = robots.format(robot)?;
    let source = ModelSource::File(robot.to_owned());
    scene(robot, format, wishes, |options| robots.load(&source, options))
}

fn scene(
    robot: &Path,
    format: RobotFormat,
    wishes: &Wishes,
    load: impl Fn(&Options) -> Result<Arc<Model>, LoadError>,
) -> Result<String, LoadError> {
    let options = Options::new().format(format);
    let base = match (format, wishes.floating_base) {
        // Their files say themselves whether the base floats: another wish is refused by who reads the scene, not passed over.
        (RobotFormat::Mjcf | RobotFormat::Sdf, Some(floats))
            if floats != floating_root(load(&options)?.as_ref()).is_some() =>
        {
            Some((floats, "as asked for".to_owned()))
        }
        (RobotFormat::Mjcf | RobotFormat::Sdf, _) => None,
        (RobotFormat::Urdf, Some(floats)) => Some((floats, "as asked for".to_owned())),
        // The links tell, without their meshes.
        (RobotFormat::Urdf, None) => Some(usual_base(load(&options)?.as_ref())),
    };
    let floats = base.as_ref().is_some_and(|(floats, _)| *floats);
    let model = load(&options.hulls(HullOptions::default()).floating_base(floats))?;
    Ok(Assumed { robot, format, model: &model, base, wishes }.text())
}

/// Whether the base of a URDF floats by default, and why.
fn usual_base(model: &Model) -> (bool, String) {
    // A root called world is the world itself; any other is the first link.
    match model.links().get(1).filter(|link| link.parent == Some(LinkId::WORLD) && link.joints.is_empty()) {
        None => (false, "the root link is called \"world\"".to_owned()),
        Some(root) if root.inertia.mass > 0.0 => (true, format!("the root link {:?} has mass", root.name)),
        Some(root) => (false, format!("the root link {:?} has no mass", root.name)),
    }
}

struct Assumed<'a> {
    robot: &'a Path,
    format: RobotFormat,
    model: &'a Model,
    /// Of a URDF: whether it floats, and why.
    base: Option<(bool, String)>,
    wishes: &'a Wishes,
}

impl Assumed<'_> {
    fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) -> std::fmt::Result {
        let name = self.robot.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let file = self.wishes.file.as_ref().unwrap_or(&name);
        writeln!(text, "# What carom assumes of {}; change what is different.", quoted(&name))?;
        writeln!(text, "restitution = {RESTITUTION:?}  # no rebound")?;
        let touches_nothing = self.touches_nothing();
        match self.file_friction() {
            _ if touches_nothing => {
                writeln!(
                    text,
                    "contacts = []  # none: by contype, conaffinity and <exclude> of the file nothing touches a plane"
                )?;
            }
            Some(said) => writeln!(text, "# friction is that of the file, by MuJoCo's rule for pairs: {said}")?,
            None => writeln!(text, "friction = {FRICTION:?}")?,
        }
        // In a simulation it is the default, and a law without guards would refuse a stated guard.
        let stated = if self.wishes.is_impact { "" } else { "# by default: " };
        writeln!(text, "{stated}guard = \"slip\"  # a contact that would create energy by sticking slips")?;
        writeln!(text, "\n[model]")?;
        let key = match self.format {
            RobotFormat::Urdf => "urdf",
            RobotFormat::Mjcf => "mjcf",
            RobotFormat::Sdf => "sdf",
        };
        writeln!(text, "{key} = {}", quoted(file))?;
        if let Some(keyframe) = &self.wishes.keyframe {
            writeln!(text, "\n[state]\nkeyframe = {}", quoted(keyframe))?;
        }
        self.write_base(text)?;
        let has_limits = self.model.joints().iter().any(|joint| joint.joint.limits.is_some());
        if has_limits && !self.wishes.is_impact && !self.wishes.no_limits {
            writeln!(text, "\n[limits]  # joints stop at the limits of the file")?;
            writeln!(text, "restitution = {RESTITUTION:?}")?;
        }
        if touches_nothing {
            return self.write_surface(text);
        }
        let link = self.wishes.link.as_deref().unwrap_or("all");
        writeln!(text, "\n[[contacts]]")?;
        writeln!(text, "link = {}", quoted(link))?;
        if self.has_shapes(link) {
            writeln!(text, "shape = \"all\"  # every collision shape")?;
        } else if self.model.find_link(link).is_some() {
            writeln!(text, "# The origin of the link: it has no collision shape that can touch.")?;
        } else {
            writeln!(text, "# The origins of the links: none of them has a collision shape that can touch.")?;
        }
        self.write_surface(text)
    }

    fn write_base(&self, text: &mut String) -> std::fmt::Result {
        let floats = floating_root(self.model).is_some();
        let raised = if floats { None } else { self.raised() };
        if self.base.is_none() && !floats && raised.is_none() {
            return Ok(());
        }
        writeln!(text, "\n[base]")?;
        if let Some((floats, why)) = &self.base {
            writeln!(text, "floating = {floats}  # {why}")?;
        }
        if let Some((shift, why)) = raised {
            let [x, y, z] = shift.to_array();
            writeln!(text, "position = [{x:?}, {y:?}, {z:?}]  # {why}")?;
        }
        if !floats {
            return Ok(());
        }
        match self.height_of_keyframe() {
            Some(height) => writeln!(text, "# Placed by the keyframe, {height:.3e} m above the surface.")?,
            None if self.touches_nothing() => {}
            None => {
                let touch = self.wishes.link.as_deref().filter(|link| self.model.find_link(link).is_some());
                writeln!(text, "touch = {}  # placed on the surface", quoted(touch.unwrap_or("lowest")))?;
                if let Some(height) = self.wishes.height {
                    writeln!(text, "height = {height:?}  # above it, m")?;
                }
            }
        }
        let moves = self.keyframe().is_some_and(|keyframe| keyframe.velocity.iter().any(|v| *v != 0.0));
        let falls = self.wishes.is_impact && !moves;
        let velocity = self.wishes.velocity.or(falls.then_some(FALLING));
        if let Some([x, y, z]) = velocity {
            writeln!(text, "velocity = [{x:?}, {y:?}, {z:?}]  # m/s, in world axes")?;
        }
        Ok(())
    }

    /// The displacement of a fixed base, and the reason: out of the planes of the file, or to the requested height. A
    /// floating base is placed by the scene.
    fn raised(&self) -> Option<(Vector, String)> {
        let planes: Vec<(HalfSpace, Vec<f64>)> =
            planes(self.model).into_iter().map(|(plane, ground)| (ground, self.gaps(&ground, Some(plane)))).collect();
        let least = |gaps: &[f64]| gaps.iter().copied().min_by(f64::total_cmp);
        let lowest = planes.iter().filter_map(|(_, gaps)| least(gaps)).min_by(f64::total_cmp)?;
        let target = self.wishes.height.unwrap_or(0.0);
        let mut shift = Vector::ZERO;
        for (ground, gaps) in &planes {
            let Some(gap) = least(gaps) else { continue };
            let spread = gaps.iter().copied().fold(gap, f64::max) - gap;
            let left = gap + ground.normal.dot(shift);
            let is_asked_for = self.wishes.height.is_some() && gap == lowest;
            if left < target - INSIDE * spread || is_asked_for {
                shift = shift.plus(target - left, ground.normal);
            }
        }
        let why = match self.wishes.height {
            _ if shift == Vector::ZERO => return None,
            Some(height) => format!("its lowest point is {height} m above the plane of the file"),
            None => format!("raised: its lowest point is {:.3e} m inside a plane of the file", -lowest),
        };
        Some((shift, why))
    }

    /// Writes the surface; planes of the file are surfaces already.
    fn write_surface(&self, text: &mut String) -> std::fmt::Result {
        match planes(self.model).len() {
            0 => {}
            1 => return writeln!(text, "\n# The surface is the plane of the file."),
            count => return writeln!(text, "\n# The surfaces are the {count} planes of the file."),
        }
        writeln!(text, "\n[surface]  # a floor, as the file has no plane")?;
        // A robot that cannot be moved has the floor moved to it.
        if floating_root(self.model).is_none()
            && let Some(lowest) = self.lowest().or_else(|| self.lowest_origin())
        {
            let height = lowest - self.wishes.height.unwrap_or(0.0);
            let pose = if self.keyframe().is_some() { "of the keyframe" } else { "at home" };
            writeln!(text, "point = [0.0, 0.0, {height:?}]  # the lowest point {pose}")?;
        }
        writeln!(text, "normal = [0.0, 0.0, 1.0]")
    }

    /// The requested keyframe; a name that the file does not have is an error of the scene.
    fn keyframe(&self) -> Option<&Keyframe> {
        self.wishes.keyframe.as_ref().and_then(|name| self.model.find_keyframe(name))
    }

    /// The height of a simulation's keyframe above the surface, if it is above it and no other height was requested.
    /// Keyframes of robots that stand are often inside the floor, by the compression of soft contacts.
    fn height_of_keyframe(&self) -> Option<f64> {
        self.keyframe()?;
        let is_free = self.wishes.height.is_none() && !self.wishes.is_impact;
        self.lowest().filter(|height| is_free && *height > 0.0)
    }

    /// Height of the lowest point that can touch above the planes of the file, or a floor through the origin, in the keyframe or the
    /// home configuration.
    fn lowest(&self) -> Option<f64> {
        let found = planes(self.model);
        let gaps = match found.is_empty() {
            true => self.gaps(&floor(), None),
            false => found.iter().flat_map(|(plane, ground)| self.gaps(ground, Some(*plane))).collect(),
        };
        gaps.into_iter().min_by(f64::total_cmp)
    }

    /// Gaps of everything that can touch a surface, which may be a plane of the file, in the keyframe or the home
    /// configuration. For a robot that floats, only the shapes that move with its base count, not those of loose
    /// objects.
    fn gaps(&self, ground: &HalfSpace, plane: Option<ShapeId>) -> Vec<f64> {
        let mut dynamics = Dynamics::new(self.model.clone());
        if let Some(keyframe) = self.keyframe()
            && dynamics.set_state(&keyframe.configuration, &keyframe.velocity).is_err()
        {
            return Vec::new();
        }
        let base = floating_root(self.model).map(|root| self.model.joints()[root].link);
        let is_meant = |shape: &ShapeId| {
            base.is_none_or(|base| moves_with(self.model, base, shape.0)) && self.meets(*shape, plane)
        };
        let mut gaps = Vec::new();
        for (link, shape) in self.shapes().into_iter().filter(is_meant) {
            let found = candidates(self.model, link, shape, ground, &CandidateOptions::default());
            gaps.extend(found.iter().flatten().map(|candidate| dynamics.gap(&candidate.contact, ground)));
        }
        gaps
    }

    /// The shapes of the requested moving links.
    fn shapes(&self) -> Vec<ShapeId> {
        let name = self.wishes.link.as_deref().unwrap_or("all");
        let pattern = WildMatch::new(if name == "all" { "*" } else { name });
        let mut found = Vec::new();
        for (index, link) in self.model.links().iter().enumerate() {
            let id = LinkId::from_index(index);
            if self.model.is_moving(id) && (link.name == name || pattern.matches(&link.name)) {
                let shapes = (0..link.shapes.len()).filter(|&shape| link.shapes[shape].can_touch());
                found.extend(shapes.map(|shape| (id, shape)));
            }
        }
        found
    }

    /// Whether the rules of the file let a shape touch a plane of the file, or a surface of the scene.
    fn meets(&self, shape: ShapeId, plane: Option<ShapeId>) -> bool {
        match plane {
            Some(plane) => self.model.pair_rule(shape, plane).is_none_or(|rule| rule.touches),
            None => self.model.link(shape.0).shapes[shape.1].contact.is_none_or(|contact| contact.is_enabled()),
        }
    }

    /// Whether a simulation has no contact: the robot has shapes, and the rules of the file let none of them touch
    /// anything. If a link was requested, the error of the scene says that it cannot touch.
    fn touches_nothing(&self) -> bool {
        if self.wishes.is_impact || self.wishes.link.is_some() {
            return false;
        }
        let planes: Vec<Option<ShapeId>> = match planes(self.model) {
            found if found.is_empty() => vec![None],
            found => found.into_iter().map(|(plane, _)| Some(plane)).collect(),
        };
        let shapes = self.shapes();
        !shapes.is_empty() && !shapes.iter().any(|shape| planes.iter().any(|plane| self.meets(*shape, *plane)))
    }

    /// The friction of the contacts in the file: the most frequent number, and the shapes with others. `None` if the
    /// file gives none for one of them.
    fn file_friction(&self) -> Option<String> {
        let mut said: Vec<(f64, Vec<String>)> = Vec::new();
        for (id, place) in self.shapes() {
            let link = self.model.link(id);
            let label = match &link.shapes[place].name {
                Some(own) => own.clone(),
                None if link.shapes.len() > 1 => format!("{}/{place}", link.name),
                None => link.name.clone(),
            };
            for (plane, _) in planes(self.model) {
                let rule = self.model.pair_rule((id, place), plane)?;
                match said.iter_mut().find(|(friction, _)| *friction == rule.friction) {
                    _ if !rule.touches => {}
                    Some((_, labels)) => labels.push(label.clone()),
                    None => said.push((rule.friction, vec![label.clone()])),
                }
            }
        }
        // Of equally frequent numbers, the first in the file.
        said.sort_by_key(|(_, labels)| std::cmp::Reverse(labels.len()));
        let ((most, _), others) = said.split_first()?;
        let others = others.iter().map(|(friction, labels)| format!("; {friction} for {}", listed(labels)));
        Some(format!("{most}{}", others.collect::<String>()))
    }

    /// Height of the lowest origin of a moving link, in the home configuration.
    fn lowest_origin(&self) -> Option<f64> {
        let dynamics = Dynamics::new(self.model.clone());
        let moving = (0..self.model.links().len()).map(LinkId::from_index).filter(|id| self.model.is_moving(*id));
        moving.map(|id| dynamics.placement(id).translation.to_array()[2]).min_by(f64::total_cmp)
    }

    /// Whether a link has a shape that can touch. A pattern stands for shapes, unless no moving link of the robot has
    /// any.
    fn has_shapes(&self, link: &str) -> bool {
        let can_touch = |id: LinkId| self.model.link(id).shapes.iter().any(|shape| shape.can_touch());
        match self.model.find_link(link) {
            Some(id) => can_touch(id),
            None => {
                let mut links = (0..self.model.links().len()).map(LinkId::from_index);
                links.any(|id| self.model.is_moving(id) && can_touch(id))
            }
        }
    }
}

/// The floor of a robot whose file has no plane.
fn floor() -> HalfSpace {
    HalfSpace { point: Vector::ZERO, normal: Vector::new(0.0, 0.0, 1.0) }
}

/// Names printed before the others are only counted.
const NAMES: usize = 8;

fn listed(labels: &[String]) -> String {
    let mut labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    labels.dedup();
    match labels.len().saturating_sub(NAMES) {
        0 => labels.join(", "),
        more => format!("{} and {more} more", labels[..NAMES].join(", ")),
    }
}

/// A string of TOML, whose escapes include those of JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
