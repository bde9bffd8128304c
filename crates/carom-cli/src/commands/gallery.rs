//! `carom gallery`: the built-in scenes.

use std::io::Write;
use std::process::ExitCode;

use carom::gallery::{Exhibit, SCENES, SIMULATIONS};

use crate::args::{Gallery, SceneFormat};
use crate::exhibits;
use crate::failure::Failure;
use crate::output::Output;

pub fn run(arguments: &Gallery) -> Result<ExitCode, Failure> {
    let mut output = Output::open(None)?;
    let text = match &arguments.scene {
        None if arguments.format == SceneFormat::Json => match arguments.simulation {
            true => carom::gallery::list_json(&[], SIMULATIONS),
            false => carom::gallery::list_json(SCENES, SIMULATIONS),
        },
        None if arguments.simulation => list(SIMULATIONS),
        None => {
            format!("carom impact NAME\n{}\ncarom simulate NAME\n{}", list(SCENES), list(SIMULATIONS))
        }
        Some(name) => {
            let gallery =
                if arguments.simulation { exhibits::Gallery::Simulations } else { exhibits::Gallery::Impacts };
            // A name in only one of the lists is taken from that one.
            let found = gallery.find(name).or_else(|| exhibits::Gallery::Simulations.find(name));
            let scene = found.ok_or_else(|| Failure::NoSuchScene { name: name.clone(), gallery, or_file: false })?;
            match arguments.format {
                SceneFormat::Toml => scene.text.to_owned(),
                SceneFormat::Json => {
                    let fail = |error| Failure::Problem {
                        source: name.clone(),
                        error: Box::new(error),
                        text: None,
                        option: None,
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

fn list(scenes: &[Exhibit]) -> String {
    scenes.iter().map(|scene| format!("  {:<13}{}\n", scene.name, scene.summary())).collect()
}
