//! Settings of the whole model, from `<compiler>` and `<option>`.

use super::notes::{Notes, check_attributes};
use super::source::{Part, Sources};
use crate::Vector;
use crate::load::LoadError;

/// When the inertia of a body is computed from its geoms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FromGeoms {
    Never,
    Always,
    /// If the body gives none.
    Missing,
}

/// Settings of the whole model, from `<compiler>` and `<option>`.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    /// The file's unit of angle in radians.
    pub(super) angle: f64,
    /// The letters of the Euler axes.
    pub(super) sequence: [char; 3],
    pub(super) from_geoms: FromGeoms,
    /// First and last group of geoms that count for inertia.
    pub(super) groups: [f64; 2],
    pub(super) autolimits: bool,
    pub(super) least_mass: f64,
    pub(super) least_moment: f64,
    pub(super) balance: bool,
    pub(super) total_mass: Option<f64>,
    pub(super) mesh_directory: Option<String>,
    pub(super) strip_path: bool,
    pub(super) align_free: bool,
    pub(super) fuse_static: bool,
    /// Whether primitives are fitted to the bounds of meshes instead of their inertia.
    pub(super) fit_bounds: bool,
    pub(super) gravity: Vector,
}

// The last two are from older versions.
const COMPILER: &str = "\
    alignfree angle assetdir autolimits balanceinertia boundinertia boundmass conflict coordinate discardvisual \
    eulerseq fitaabb fusestatic inertiafromgeom inertiagrouprange meshdir passthrough savecanonical savecompiled \
    saveinertial settotalmass strippath texturedir usethread convexhull exactmeshinertia";

impl Settings {
    pub(super) fn read(sources: &Sources<'_>, notes: &mut Notes) -> Result<Self, LoadError> {
        let mut settings = Self {
            angle: 1f64.to_radians(),
            sequence: ['x', 'y', 'z'],
            from_geoms: FromGeoms::Missing,
            groups: [0.0, 5.0],
            autolimits: true,
            least_mass: 0.0,
            least_moment: 0.0,
            balance: false,
            total_mass: None,
            mesh_directory: None,
            strip_path: false,
            align_free: false,
            fuse_static: false,
            fit_bounds: false,
            gravity: Vector::new(0.0, 0.0, -9.81),
        };
        let mut asset_directory = None;
        for part in sources.sections("compiler") {
            check_attributes(part, COMPILER)?;
            settings.compiler(part, &mut asset_directory)?;
        }
        settings.mesh_directory = settings.mesh_directory.or(asset_directory);
        let mut weightless = false;
        for part in sources.sections("option") {
            settings.option(part, notes)?;
            for flag in sources.children(part).into_iter().filter(|child| child.name() == "flag") {
                if let Some(text) = flag.text("gravity") {
                    weightless = text == "disable";
                }
            }
        }
        if weightless {
            settings.gravity = Vector::ZERO;
        }
        Ok(settings)
    }

    fn compiler(&mut self, part: Part<'_>, asset_directory: &mut Option<String>) -> Result<(), LoadError> {
        if let Some(angle) = choice(part, "angle", &[("radian", 1.0), ("degree", 1f64.to_radians())])? {
            self.angle = angle;
        }
        if choice(part, "coordinate", &[("local", false), ("global", true)])? == Some(true) {
            return Err(
                part.unsupported("<compiler> coordinate = \"global\" is not supported: coordinates must be local")
            );
        }
        if truth(part, "exactmeshinertia")? == Some(true) {
            let message =
                "<compiler> exactmeshinertia is from older versions; use inertia = \"exact\" in <default> <mesh>";
            return Err(part.unsupported(message));
        }
        if let Some(text) = part.text("eulerseq") {
            let letters: Vec<char> = text.chars().collect();
            let known = letters.iter().all(|letter| "xyzXYZ".contains(*letter));
            self.sequence = <[char; 3]>::try_from(letters).ok().filter(|_| known).ok_or_else(|| {
                part.value(format!("<compiler> eulerseq = {text:?} must be three letters of x, y, z, X, Y, Z"))
            })?;
        }
        let from_geoms = [("false", FromGeoms::Never), ("true", FromGeoms::Always), ("auto", FromGeoms::Missing)];
        self.from_geoms = choice(part, "inertiafromgeom", &from_geoms)?.unwrap_or(self.from_geoms);
        self.groups = part.numbers("inertiagrouprange")?.unwrap_or(self.groups);
        self.autolimits = truth(part, "autolimits")?.unwrap_or(self.autolimits);
        self.least_mass = part.number("boundmass")?.unwrap_or(self.least_mass);
        self.least_moment = part.number("boundinertia")?.unwrap_or(self.least_moment);
        self.balance = truth(part, "balanceinertia")?.unwrap_or(self.balance);
        self.strip_path = truth(part, "strippath")?.unwrap_or(self.strip_path);
        self.align_free = truth(part, "alignfree")?.unwrap_or(self.align_free);
        self.fuse_static = truth(part, "fusestatic")?.unwrap_or(self.fuse_static);
        self.fit_bounds = truth(part, "fitaabb")?.unwrap_or(self.fit_bounds);
        if let Some(mass) = part.number("settotalmass")? {
            self.total_mass = Some(mass).filter(|mass| *mass > 0.0);
        }
        let directory = |attribute: &str| part.text(attribute).map(str::to_owned);
        *asset_directory = directory("assetdir").or(asset_directory.take());
        self.mesh_directory = directory("meshdir").or(self.mesh_directory.take());
        Ok(())
    }

    fn option(&mut self, part: Part<'_>, notes: &mut Notes) -> Result<(), LoadError> {
        if let Some(gravity) = part.numbers::<3>("gravity")? {
            self.gravity = gravity.into();
        }
        for attribute in ["density", "viscosity", "wind"] {
            if part.list(attribute)?.is_some_and(|list| list.iter().any(|number| *number != 0.0)) {
                notes.not_modelled(part, &format!("option {attribute}"));
            }
        }
        Ok(())
    }
}

/// One of a few words.
pub(super) fn choice<T: Copy>(part: Part<'_>, attribute: &str, words: &[(&str, T)]) -> Result<Option<T>, LoadError> {
    let Some(text) = part.text(attribute) else { return Ok(None) };
    match words.iter().find(|(word, _)| *word == text) {
        Some(&(_, value)) => Ok(Some(value)),
        None => {
            let list: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            let list = list.join(", ");
            Err(part.value(format!("<{}> {attribute} = {text:?} must be one of {list}", part.name())))
        }
    }
}

/// An attribute that is true or false.
pub(super) fn truth(part: Part<'_>, attribute: &str) -> Result<Option<bool>, LoadError> {
    choice(part, attribute, &[("false", false), ("true", true)])
}
