//! The built-in scenes: impacts (`models/scenes/`) and simulations (`models/simulations/`).

use serde_json::Value;

use carom_sim::Setup;

use crate::document::{Document, Format, ProblemError};
use crate::problem::Problem;

/// A built-in scene.
#[derive(Debug, Clone, Copy)]
pub struct Exhibit {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its scene, in TOML.
    pub text: &'static str,
}

impl Exhibit {
    /// The scene as a problem document, to be solved or modified.
    ///
    /// # Errors
    /// None: the built-in scenes are tested.
    pub fn tree(&self) -> Result<Value, ProblemError> {
        Document::read(self.text, Format::Toml).map(|document| document.tree().clone())
    }

    /// The scene as a simulation.
    ///
    /// # Errors
    /// None: the built-in scenes are tested.
    pub fn setup(&self) -> Result<Setup, ProblemError> {
        Problem::from_tree(&self.tree()?)?.setup()
    }

    /// What it shows, in one line.
    pub fn summary(&self) -> String {
        let title = self.tree().ok().and_then(|tree| tree["title"].as_str().map(str::to_owned));
        title.unwrap_or_default()
    }
}

macro_rules! exhibits {
    ($folder:literal: $($name:literal)*) => {
        &[$(Exhibit { name: $name, text: include_str!(concat!("../models/", $folder, "/", $name, ".toml")) }),*]
    };
}

/// Every impact, in the order of the documentation.
pub const SCENES: &[Exhibit] = exhibits! {
    "scenes":
    "kane" "rod" "sphere" "superball" "block" "wheel" "cube" "reversal" "walker" "arm" "foot" "humanoid" "landing"
};

/// Every simulation, in the order of the documentation.
pub const SIMULATIONS: &[Exhibit] = exhibits! {
    "simulations":
    "ball" "superball" "rod" "block" "wheel" "walker" "cube" "arm" "quadruped" "brick" "sphere" "painleve"
};

/// The simulation with this name.
pub fn find_simulation(name: &str) -> Option<&'static Exhibit> {
    SIMULATIONS.iter().find(|scene| scene.name == name)
}

/// The impact with this name.
pub fn find(name: &str) -> Option<&'static Exhibit> {
    SCENES.iter().find(|scene| scene.name == name)
}
