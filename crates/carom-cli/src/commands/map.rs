//! `carom map`: the answers over coefficients or states, as a figure or as data.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use carom::analysis::{Map, MapError, Options};
use carom::report::{figure, map_csv, map_json};

use crate::args::{self, MapOver};
use crate::failure::Failure;
use crate::output::Output;
use crate::source::Source;

/// Pixels across a PNG: 8 cm at 380 dots an inch.
#[cfg(feature = "png")]
const PIXELS: u32 = 1200;

pub fn run(arguments: &args::Map) -> Result<ExitCode, Failure> {
    let kind = Kind::of(&arguments.output)?;
    let source = Source::open(&arguments.problem)?;
    let map = match draw_up(&source, arguments) {
        Ok(map) => map,
        Err(MapError::Problem(error)) => {
            let error = source.locate(error, &arguments.edits);
            return Err(source.failure(error, &arguments.edits));
        }
        Err(error) => return Err(Failure::Map { source: source.name(), error }),
    };
    let options = figure::Options { admissible_set: arguments.admissible_set };
    let mut output = Output::open(Some(&arguments.output))?;
    let written = match kind {
        Kind::Svg => output.write_all(figure::svg(&map, &options).map_err(Failure::Figure)?.as_bytes()),
        #[cfg(feature = "png")]
        Kind::Png => output.write_all(&figure::png(&map, &options, PIXELS).map_err(Failure::Figure)?),
        Kind::Json => map_json(&map, &mut output),
        Kind::Csv => map_csv(&map, &mut output),
    };
    written.map_err(|error| output.failure(error))?;
    output.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn draw_up(source: &Source, arguments: &args::Map) -> Result<Map, MapError> {
    let problem = source.read(&arguments.edits)?.problem;
    let title = source.title(&problem);
    let options = Options { resolution: arguments.resolution, range: arguments.range.unwrap_or_default() };
    match arguments.over {
        MapOver::Coefficients => Map::over_coefficients(&problem, &title, &options),
        MapOver::State => Map::over_state(&problem, &title, &options),
    }
}

/// The endings that say what to write.
const ENDINGS: &str = if cfg!(feature = "png") { ".svg, .png, .json or .csv" } else { ".svg, .json or .csv" };

/// What to write, by the file's ending.
enum Kind {
    Svg,
    #[cfg(feature = "png")]
    Png,
    Json,
    Csv,
}

impl Kind {
    fn of(path: &Path) -> Result<Self, Failure> {
        match path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase).as_deref() {
            Some("svg") => Ok(Self::Svg),
            #[cfg(feature = "png")]
            Some("png") => Ok(Self::Png),
            Some("json") => Ok(Self::Json),
            Some("csv") => Ok(Self::Csv),
            _ => Err(Failure::Ending { path: path.to_owned(), endings: ENDINGS }),
        }
    }
}
