//! Documents: problems, robots, scenes with a few steps.
//!
//! An input may have files that the document refers to, such as the robot of a scene or a mesh: a line `=== NAME` starts the file of that
//! name. Nothing is read from this machine.

use std::path::Path;
use std::sync::Arc;

use carom::Problem;
use carom::document::{Document, Format};
use carom::multibody::load::{self, FileSet, Mimics, Options};
use carom::multibody::{Dynamics, HullOptions, Model};
use carom::robots::Robots;
use carom::sim::{Recorder, Setup, Simulation, Stop};
use serde_json::Value;

/// Steps of a simulation: enough for a few events.
const MOST_STEPS: usize = 60;

/// Longer inputs reach nothing new and take longer.
const MOST_BYTES: usize = 1 << 14;

fn text(data: &[u8]) -> Option<&str> {
    std::str::from_utf8(data).ok().filter(|text| text.len() <= MOST_BYTES)
}

/// Starts the line that names a file, after the one before it.
const FILE: &str = "\n=== ";

/// The document of an input, and the files beside it.
fn parts(text: &str) -> (&str, FileSet) {
    let mut files = FileSet::new();
    let mut parts = text.split(FILE);
    let document = parts.next().unwrap_or_default();
    for part in parts {
        let (name, content) = part.split_once('\n').unwrap_or((part, ""));
        files.insert(name.trim(), content.as_bytes());
    }
    (document, files)
}

/// The problem of a document and its files.
fn read(text: &str) -> Option<Problem> {
    let (text, files) = parts(text);
    let document = Document::read(text, Format::guess("", text)).ok()?;
    match Problem::from_tree_with(document.tree(), Path::new(""), &Robots::from_files(Arc::new(files))) {
        Ok(problem) => Some(problem),
        Err(error) => {
            document.locate(error);
            None
        }
    }
}

/// Reads and solves a problem document in JSON or TOML.
///
/// # Panics
/// If carom panics, or an outcome contains a value that is not a number.
pub fn problem(data: &[u8]) {
    let Some(problem) = text(data).and_then(read) else { return };
    if let Ok(answer) = problem.answer() {
        let outcome = serde_json::to_value(&answer).expect("an outcome is data");
        let changes = [&outcome["energy"]["change"], &outcome["energy"]["normal"], &outcome["energy"]["tangential"]];
        assert!(changes.iter().all(|x| x.is_f64()), "{outcome}");
        let velocity = outcome.get("velocity").and_then(Value::as_array);
        assert!(velocity.is_none_or(|velocity| velocity.iter().all(Value::is_f64)), "{outcome}");
    }
}

/// Reads a robot in URDF, MJCF or SDF, with the hulls of its meshes, and computes its dynamics.
///
/// # Panics
/// If carom panics.
pub fn robot(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let (text, files) = parts(text);
    for (floating_base, mimics) in [(false, Mimics::Follow), (true, Mimics::Free)] {
        let options = Options::new().floating_base(floating_base).mimics(mimics).hulls(HullOptions::default());
        let Ok(model) = load::text_from(text, Path::new("robot.xml"), &options, &files) else { continue };
        assert!(!model.links().is_empty());
        shake(model);
    }
}

/// The dynamics of a state, which may be singular.
fn shake(model: Model) {
    let model = Arc::new(model);
    let configuration = model.home().to_vec();
    let velocity = vec![0.25; model.nv()];
    let mut dynamics = Dynamics::new(Arc::clone(&model));
    if dynamics.set_state(&configuration, &velocity).is_err() {
        return;
    }
    // A file may have negative masses, which give a warning: the numbers are then meaningless.
    let _ = dynamics.kinetic_energy();
    let _ = dynamics.mass_matrix();
    let mut force = vec![0.0; model.nv()];
    let _ = dynamics.passive_forces(&mut force);
    let _ = dynamics.forward_dynamics(&force);
    let _ = dynamics.loop_rank();
    let _ = dynamics.close_loops(&vec![false; model.nv()], &vec![false; model.nv()]);
    let _ = model.warnings_at(&configuration);
}

/// Simulates a scene for a few steps.
///
/// # Panics
/// If carom panics, or the state becomes invalid.
pub fn scene(data: &[u8]) {
    let Some(problem) = text(data).and_then(read) else { return };
    let Ok(setup) = problem.setup() else { return };
    // Whole robots take too long to be fuzzed.
    if setup.model.nv() > 12 {
        return;
    }
    simulate(setup);
}

fn simulate(setup: Setup) {
    let Ok(mut simulation) = Simulation::new(setup) else { return };
    let mut recorder = Recorder::new();
    for _ in 0..MOST_STEPS {
        match simulation.step(&mut recorder) {
            Ok(Stop::Step | Stop::Event) => {}
            Ok(Stop::Time | Stop::Interrupted | Stop::OutOfTime) | Err(_) => break,
        }
        let state = simulation.configuration().iter().chain(simulation.velocity());
        assert!(state.clone().all(|x| x.is_finite()), "{:?}", state.collect::<Vec<_>>());
    }
}
