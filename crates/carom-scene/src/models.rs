//! The built-in models: robots and mechanisms in the folder `models/`.

use std::path::Path;

use carom_multibody::load::{self, LoadError, Options};
use carom_multibody::{Dynamics, DynamicsError, Model};

/// A built-in model.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct BuiltIn {
    /// Its name in scenes.
    pub name: &'static str,
    /// Its description, in one line.
    pub summary: &'static str,
    /// The name of its file.
    pub file: &'static str,
    /// The text of its file.
    pub text: &'static str,
}

impl BuiltIn {
    /// The model.
    ///
    /// # Errors
    /// None with the default options; a floating base may conflict with the file.
    pub fn load(&self, options: &Options) -> Result<Model, LoadError> {
        load::text(self.text, Path::new(self.file), options)
    }
}

macro_rules! built_in {
    ($($name:literal, $file:literal, $summary:literal;)*) => {
        /// Every model.
        pub const MODELS: &[BuiltIn] =
            &[$(BuiltIn { name: $name, summary: $summary, file: $file, text: include_str!(concat!("../models/", $file)) }),*];
    };
}

built_in! {
    "double_pendulum", "double_pendulum.urdf", "two slender rods, hinged, in the plane";
    "planar_rod", "planar_rod.xml", "a slender rod in the plane";
    "sphere", "sphere.xml", "a free ball";
    "ball", "ball.xml", "a free ball with its frame at its lowest point";
    "superball", "superball.xml", "a ball in the plane";
    "cube", "cube.xml", "the cube of the ContactNets tosses";
    "rocking_block", "rocking_block.xml", "a block in the plane";
    "slab", "slab.xml", "a slender block in the plane";
    "brick", "brick.xml", "a low block in the plane";
    "rimless_wheel", "rimless_wheel.xml", "eight spokes in the plane";
    "compass_walker", "compass_walker.xml", "two legs and a hip, in the plane";
    "four_bar", "four_bar.xml", "three rods and a pin that closes their loop, in the plane";
    "slider_crank", "slider_crank.xml", "a crank, a rod and a piston, with a pin that closes their loop, in the plane";
    "arm", "arm.urdf", "an arm of six joints with a tool";
    "quadruped", "quadruped.urdf", "a trunk and four legs of three joints each";
    "gripper", "gripper.xml", "two fingers with round tips that slide towards each other";
    "humanoid", "humanoid.xml", "a humanoid-like tree with more than thirty degrees of freedom";
}

/// The model with this name.
pub fn find(name: &str) -> Option<&'static BuiltIn> {
    MODELS.iter().find(|model| model.name == name)
}

/// The warnings of a simulation of a robot that starts in its home configuration.
pub fn warnings_at_home(model: &Model) -> Vec<String> {
    let warnings = model.warnings_at(model.home()).into_iter().chain(model.motion_warnings());
    warnings.map(|warning| warning.to_string()).collect()
}

/// The error in factoring the mass matrix in the home configuration, if there is one.
pub fn fault_at_home(model: &Model) -> Option<DynamicsError> {
    let mut forces = vec![0.0; model.nv()];
    Dynamics::new(model.clone()).solve_mass(&mut forces).err()
}
