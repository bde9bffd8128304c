//! A scene for a robot file alone: the choices that a user would make first. Each is stated in the text of the scene, which can
//! be saved and changed.

use std::fmt::Write;
use std::path::Path;

use carom_multibody::load::{self, LoadError, Options, RobotFormat};
use carom_multibody::{
    CandidateOptions, Dynamics, HalfSpace, HullOptions, Keyframe, LinkId, Model, Vector, all_candidates, half_spaces,
    planes,
};
use wildmatch::WildMatch;

use crate::scene::floating_root;

/// The restitution of a scene that states none: the impact without a rebound.
const RESTITUTION: f64 = 0.0;
/// The friction of a scene that states none.
const FRICTION: f64 = 0.5;
/// The velocity of a floating base that strikes and states none, m/s.
const FALLING: [f64; 3] = [0.0, 0.0, -1.0];

/// What is to be different from the usual assumptions.
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
    /// The keyframe of the robot's file that it starts from; by default its home.
    pub keyframe: Option<String>,
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
    let options = Options::new().hulls(HullOptions::default());
    let format = load::format_of(robot)?;
    let mut model = load::file(robot, &options)?;
    let base = match (format, wishes.floating_base) {
        (RobotFormat::Mjcf, _) => None,
        (RobotFormat::Urdf, Some(floats)) => Some((floats, "as asked for".to_owned())),
        (RobotFormat::Urdf, None) => Some(usual_base(&model)),
    };
    if base.as_ref().is_some_and(|(floats, _)| *floats) {
        model = load::file(robot, &options.floating_base(true))?;
    }
    Ok(Assumed { robot, format, model: &model, base, wishes }.text())
}

/// Whether the base of a URDF floats if nothing is said, and why.
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
        match self.file_friction() {
            Some(said) => writeln!(text, "# friction is that of the file, by MuJoCo's rule for pairs: {said}")?,
            None => writeln!(text, "friction = {FRICTION:?}")?,
        }
        writeln!(text, "guard = \"slip\"  # a contact that would create energy by sticking slips")?;
        writeln!(text, "\n[model]")?;
        let key = match self.format {
            RobotFormat::Urdf => "urdf",
            RobotFormat::Mjcf => "mjcf",
        };
        writeln!(text, "{key} = {}", quoted(file))?;
        if let Some(keyframe) = &self.wishes.keyframe {
            writeln!(text, "\n[state]\nkeyframe = {}", quoted(keyframe))?;
        }
        self.write_base(text)?;
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
        if self.base.is_none() && !floats {
            return Ok(());
        }
        writeln!(text, "\n[base]")?;
        if let Some((floats, why)) = &self.base {
            writeln!(text, "floating = {floats}  # {why}")?;
        }
        if !floats {
            return Ok(());
        }
        match self.height_of_keyframe() {
            Some(height) => writeln!(text, "# Placed by the keyframe, {height:.3e} m above the surface.")?,
            None => {
                let touch = self.wishes.link.as_deref().filter(|link| self.model.find_link(link).is_some());
                writeln!(text, "touch = {}  # placed on the surface", quoted(touch.unwrap_or("lowest")))?;
            }
        }
        if let Some(height) = self.wishes.height {
            writeln!(text, "height = {height:?}  # above it, m")?;
        }
        let moves = self.keyframe().is_some_and(|keyframe| keyframe.velocity.iter().any(|v| *v != 0.0));
        let falls = self.wishes.is_impact && !moves;
        let velocity = self.wishes.velocity.or(falls.then_some(FALLING));
        if let Some([x, y, z]) = velocity {
            writeln!(text, "velocity = [{x:?}, {y:?}, {z:?}]  # m/s, in world axes")?;
        }
        Ok(())
    }

    /// Planes of the file are surfaces by themselves.
    fn write_surface(&self, text: &mut String) -> std::fmt::Result {
        match half_spaces(self.model).len() {
            0 => {}
            1 => return writeln!(text, "\n# The surface is the plane of the file."),
            count => return writeln!(text, "\n# The surfaces are the {count} planes of the file."),
        }
        writeln!(text, "\n[surface]  # a floor, as the file has no plane")?;
        // A robot that cannot be moved has the floor moved to it.
        if floating_root(self.model).is_none()
            && let Some(lowest) = self.lowest(&[floor()]).or_else(|| self.lowest_origin())
        {
            let height = lowest - self.wishes.height.unwrap_or(0.0);
            let pose = if self.keyframe().is_some() { "of the keyframe" } else { "at home" };
            writeln!(text, "point = [0.0, 0.0, {height:?}]  # the lowest point {pose}")?;
        }
        writeln!(text, "normal = [0.0, 0.0, 1.0]")
    }

    /// The keyframe that was asked for; a name that the file does not have is an error of the scene.
    fn keyframe(&self) -> Option<&Keyframe> {
        self.wishes.keyframe.as_ref().and_then(|name| self.model.find_keyframe(name))
    }

    /// The height of a simulation's keyframe above the surface, if it is above it and no other height was asked for. Keyframes of robots
    /// that stand are often inside the floor by what soft contacts yield.
    fn height_of_keyframe(&self) -> Option<f64> {
        self.keyframe()?;
        let mut surfaces = half_spaces(self.model);
        if surfaces.is_empty() {
            surfaces.push(floor());
        }
        let is_free = self.wishes.height.is_none() && !self.wishes.is_impact;
        self.lowest(&surfaces).filter(|height| is_free && *height > 0.0)
    }

    /// Height of the lowest point that can touch, in the keyframe or the home configuration.
    fn lowest(&self, surfaces: &[HalfSpace]) -> Option<f64> {
        let mut dynamics = Dynamics::new(self.model.clone());
        if let Some(keyframe) = self.keyframe() {
            dynamics.set_state(&keyframe.configuration, &keyframe.velocity).ok()?;
        }
        let gaps = surfaces.iter().flat_map(|ground| {
            let found = all_candidates(self.model, ground, &CandidateOptions::default());
            let found = found.map_or(Vec::new(), |(found, _)| found);
            found.iter().map(|candidate| dynamics.gap(&candidate.contact, ground)).collect::<Vec<_>>()
        });
        gaps.min_by(f64::total_cmp)
    }

    /// What the file says of the friction of the contacts: one number for most of the shapes, and which have others. `None` if it says
    /// nothing of one of them.
    fn file_friction(&self) -> Option<String> {
        let name = self.wishes.link.as_deref().unwrap_or("all");
        let pattern = WildMatch::new(if name == "all" { "*" } else { name });
        let mut said: Vec<(f64, Vec<String>)> = Vec::new();
        for (index, link) in self.model.links().iter().enumerate() {
            let id = LinkId::from_index(index);
            if !self.model.is_moving(id) || !(link.name == name || pattern.matches(&link.name)) {
                continue;
            }
            for (place, shape) in link.shapes.iter().enumerate().filter(|(_, shape)| shape.can_touch()) {
                let label = match &shape.name {
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
        }
        // Of equally many the first of the file.
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

    /// Whether a link has a shape that can touch. A pattern means shapes, unless no moving link of the robot has any.
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
