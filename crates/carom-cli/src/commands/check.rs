//! `carom check`: reads a robot file and prints its content.

use std::path::Path;
use std::process::ExitCode;

use carom::Problem;
use carom::assumed::{self, Wishes};
use carom::document::Format as DocumentFormat;
use carom::models;
use carom::multibody::HullOptions;
use carom::multibody::load::{self, Mimics, Options};
use carom::report::ModelText;
use carom::sim::Simulation;

use crate::args::{Check, Format};
use crate::console::is_verbose;
use crate::failure::Failure;
use crate::output::print;

pub fn run(arguments: &Check) -> Result<ExitCode, Failure> {
    let mimics = if arguments.free_mimics { Mimics::Free } else { Mimics::Follow };
    let hulls = HullOptions::default();
    let options = Options::new().floating_base(arguments.floating_base).mimics(mimics).hulls(hulls);
    let built_in = arguments.robot.to_str().and_then(models::find);
    let model = match built_in {
        Some(model) => model.load(&options),
        None if !arguments.robot.exists() && arguments.robot.components().count() == 1 => {
            return Err(Failure::NoSuchModel { name: arguments.robot.display().to_string() });
        }
        None if ends_like_a_scene(&arguments.robot) => {
            return Err(Failure::SceneNotRobot { name: arguments.robot.display().to_string() });
        }
        None => load::file(&arguments.robot, &options),
    };
    let model = model.map_err(|error| Failure::Robot { error })?;
    let title = arguments.robot.display().to_string();
    let simulated = match built_in {
        Some(_) => Ok(models::warnings_at_home(&model)),
        None => warnings_of_simulation(arguments),
    };
    let at_home = models::fault_at_home(&model);
    let text = ModelText { title: &title, model: &model, at_home, simulated: &simulated, all: is_verbose() };
    match arguments.format {
        Format::Text => print(&text.to_string(), Format::Text)?,
        Format::Json => print(&(text.json() + "\n"), Format::Json)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The warnings of `carom simulate` for the robot alone, or its error.
fn warnings_of_simulation(arguments: &Check) -> Result<Vec<String>, String> {
    let floating_base = arguments.floating_base.then_some(true);
    // The scene names the robot by its absolute path, since it has no folder of its own.
    let file = arguments.robot.canonicalize().ok().map(|path| path.to_string_lossy().into_owned());
    let wishes = Wishes { floating_base, file, ..Wishes::default() };
    let scene = assumed::scene_of_robot(&arguments.robot, &wishes).map_err(|error| error.to_string())?;
    let problem = Problem::from_text_in(&scene, DocumentFormat::Toml, Path::new("")).map_err(|error| error.message)?;
    let setup = problem.setup().map_err(|error| error.message)?;
    Ok(Simulation::new(setup).map_err(|error| error.to_string())?.header().warnings)
}

fn ends_like_a_scene(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| ["toml", "json", "jsonl"].contains(&ending.to_ascii_lowercase().as_str()))
}
