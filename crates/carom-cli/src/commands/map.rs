//! `carom map`: the law's answers over coefficients or states, as a figure or as data.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use carom::document::Edit;
use carom::report::{figure, map_csv, map_json};
use carom::study::{Map, MapError, MapOptions};

use crate::args::{self, MapFormat, MapOver};
use crate::console::{tell_ignored, timed};
use crate::failure::Failure;
#[cfg(feature = "png")]
use crate::kind::PIXELS;
use crate::kind::{Kind, STDOUT};
use crate::output::{Output, check_place};
use crate::source::Source;

/// The output formats of a map.
const KINDS: &[Kind] = &[
    Kind::Svg,
    #[cfg(feature = "png")]
    Kind::Png,
    Kind::Json,
    Kind::Csv,
];

pub fn run(arguments: &args::Map) -> Result<ExitCode, Failure> {
    let kind = kind(arguments)?;
    let edits = arguments.changes.edits()?;
    kind.check_width(arguments.width)?;
    check_place(&arguments.output)?;
    let source = Source::open(&arguments.subject, &arguments.robot)?;
    let begun = Instant::now();
    let map = match draw_up(&source, &edits, arguments) {
        Ok(map) => map,
        Err(MapError::Problem(error)) => {
            let error = source.locate(error, &edits);
            return Err(source.failure(error, &edits));
        }
        Err(error) => return Err(Failure::Map { source: source.name(), error }),
    };
    timed("solving", begun);
    let options = figure::FigureOptions { admissible_set: arguments.admissible_set };
    let mut output = Output::open(Some(&arguments.output))?;
    let written = match kind {
        Kind::Svg => output.write_all(figure::svg(&map, &options).map_err(Failure::Figure)?.as_bytes()),
        #[cfg(feature = "png")]
        Kind::Png => {
            output.write_all(&figure::png(&map, &options, arguments.width.unwrap_or(PIXELS)).map_err(Failure::Figure)?)
        }
        Kind::Json => map_json(&map, &mut output),
        _ => map_csv(&map, &mut output),
    };
    written.map_err(|error| output.failure(error))?;
    output.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// The requested format, or that of the file's extension.
fn kind(arguments: &args::Map) -> Result<Kind, Failure> {
    let kind = match arguments.format {
        None => Kind::of(&arguments.output, KINDS)?,
        Some(MapFormat::Svg) => Kind::Svg,
        #[cfg(feature = "png")]
        Some(MapFormat::Png) => Kind::Png,
        Some(MapFormat::Json) => Kind::Json,
        Some(MapFormat::Csv) => Kind::Csv,
    };
    if arguments.output == Path::new(STDOUT) { kind.for_stdout() } else { Ok(kind) }
}

fn draw_up(source: &Source, edits: &[Edit], arguments: &args::Map) -> Result<Map, MapError> {
    let begun = Instant::now();
    let problem = source.read(edits)?.problem;
    timed("reading", begun);
    tell_ignored(&problem);
    let title = source.title(&problem);
    let options = MapOptions { resolution: arguments.resolution, range: arguments.range.unwrap_or_default() };
    match arguments.over {
        MapOver::Coefficients => Map::over_coefficients(&problem, &title, &options),
        MapOver::State => Map::over_state(&problem, &title, &options),
    }
}
