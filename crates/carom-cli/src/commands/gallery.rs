//! `carom gallery`: the built-in scenes.

use std::io::Write;
use std::process::ExitCode;

use crate::args::{Gallery, SceneFormat};
use crate::failure::Failure;
use crate::output::Output;

pub fn run(arguments: &Gallery) -> Result<ExitCode, Failure> {
    let mut output = Output::open(None)?;
    let text = match &arguments.scene {
        None => carom::gallery::SCENES.iter().map(|scene| format!("{:<11}{}\n", scene.name, scene.summary())).collect(),
        Some(name) => {
            let scene = carom::gallery::find(name)
                .ok_or_else(|| Failure::NoSuchScene { name: name.clone(), or_file: false })?;
            match arguments.format {
                SceneFormat::Toml => scene.text.to_owned(),
                SceneFormat::Json => {
                    let fail = |error| Failure::Problem {
                        source: name.clone(),
                        error: Box::new(error),
                        text: None,
                        edit: false,
                    };
                    format!("{}\n", scene.tree().map_err(fail)?)
                }
            }
        }
    };
    output.write_all(text.as_bytes()).map_err(|error| output.failure(error))?;
    output.finish()?;
    Ok(ExitCode::SUCCESS)
}
