//! `carom check`: reads a robot file and prints its content.

use std::path::Path;
use std::process::ExitCode;

use carom::models;
use carom::multibody::HullOptions;
use carom::multibody::load::{self, Mimics, Options};
use carom::report::ModelText;

use crate::args::{Check, Format};
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
    let text = ModelText { title: &title, model: &model, at_home: models::fault_at_home(&model) }.to_string();
    print(&text, Format::Text)?;
    Ok(ExitCode::SUCCESS)
}

fn ends_like_a_scene(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| ["toml", "json", "jsonl"].contains(&ending.to_ascii_lowercase().as_str()))
}
