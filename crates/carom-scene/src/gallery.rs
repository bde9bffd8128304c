//! The built-in scenes: impacts (`models/scenes/`) and simulations (`models/simulations/`).

use carom_sim::Setup;

use crate::document::{Document, Format, Kind, ProblemError, Tree, did_you_mean};
use crate::problem::Problem;

/// A built-in scene.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
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
    pub fn tree(&self) -> Result<Tree, ProblemError> {
        Document::read(self.text, Format::Toml).map(|document| document.tree().clone())
    }

    /// The scene as a problem.
    ///
    /// # Errors
    /// None: the built-in scenes are tested.
    pub fn problem(&self) -> Result<Problem, ProblemError> {
        Problem::from_tree(&self.tree()?)
    }

    /// The scene as a simulation.
    ///
    /// # Errors
    /// None: the built-in scenes are tested.
    pub fn setup(&self) -> Result<Setup, ProblemError> {
        self.problem()?.setup()
    }

    /// Its title, in one line.
    pub fn summary(&self) -> String {
        let title = self.tree().ok().and_then(|tree| tree.text("title").map(str::to_owned));
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
    "billiards" "table" "rack" "cradle" "four_bar" "slider_crank"
};

/// Every simulation, in the order of the documentation.
pub const SIMULATIONS: &[Exhibit] = exhibits! {
    "simulations":
    "ball" "superball" "rod" "block" "wheel" "walker" "cube" "arm" "quadruped" "brick" "sphere" "painleve"
    "cradle" "edge" "break" "gripper" "step" "stack" "dominoes" "four_bar" "slider_crank"
};

/// Built-in scenes as a list on one line of JSON: `[{"name", "kind", "title"}, ...]`, with the kinds `impact` and
/// `simulation`.
pub fn list_json(impacts: &[Exhibit], simulations: &[Exhibit]) -> String {
    let entry = |kind: &'static str| move |scene: &Exhibit| serde_json::json!({ "name": scene.name, "kind": kind, "title": scene.summary() });
    let entries = impacts.iter().map(entry("impact")).chain(simulations.iter().map(entry("simulation")));
    format!("{}\n", serde_json::Value::from_iter(entries))
}

/// The simulation with this name.
pub fn find_simulation(name: &str) -> Option<&'static Exhibit> {
    SIMULATIONS.iter().find(|scene| scene.name == name)
}

/// The impact with this name.
pub fn find(name: &str) -> Option<&'static Exhibit> {
    SCENES.iter().find(|scene| scene.name == name)
}

/// The problem of a built-in impact.
///
/// # Errors
/// No impact has that name.
pub fn impact(name: &str) -> Result<Problem, ProblemError> {
    exhibit(find(name), name, SCENES)?.problem()
}

/// The setup of a built-in simulation.
///
/// # Errors
/// No simulation has that name.
pub fn simulation(name: &str) -> Result<Setup, ProblemError> {
    exhibit(find_simulation(name), name, SIMULATIONS)?.setup()
}

fn exhibit(found: Option<&'static Exhibit>, name: &str, all: &[Exhibit]) -> Result<&'static Exhibit, ProblemError> {
    found.ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|exhibit| exhibit.name).collect();
        let hint = did_you_mean(name, names.iter().copied());
        ProblemError::document(Kind::UnknownName, format!("{name:?} is not one of {}{hint}", names.join(", ")), None)
    })
}
