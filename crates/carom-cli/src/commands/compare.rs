//! `carom compare`: one impact by every law, as a table, as data or as a figure.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use carom::ProblemError;
use carom::report::{ComparisonText, comparison_json, figure};
use carom::study::Comparison;

use crate::args::{Compare, Format};
use crate::failure::Failure;
use crate::kind::Kind;
#[cfg(feature = "png")]
use crate::kind::PIXELS;
use crate::output::{Output, check_place, print};
use crate::source::Source;

/// The output formats of a comparison.
const KINDS: &[Kind] = &[
    Kind::Svg,
    #[cfg(feature = "png")]
    Kind::Png,
    Kind::Json,
];

pub fn run(arguments: &Compare) -> Result<ExitCode, Failure> {
    let kind = match &arguments.output {
        Some(path) => {
            let kind = Kind::of(path, KINDS)?;
            check_place(path)?;
            Some(kind)
        }
        None => None,
    };
    let source = Source::open(&arguments.problem, &arguments.robot)?;
    let (title, comparison) = match compare(&source, arguments) {
        Ok(compared) => compared,
        Err(error) => {
            let error = source.locate(error, &arguments.edits);
            return Err(source.failure(error, &arguments.edits));
        }
    };
    match (kind, &arguments.output) {
        (Some(kind), Some(path)) => draw(kind, path, &source, &title, &comparison, arguments)?,
        _ => {
            let text = match arguments.format {
                Format::Text => {
                    source.assumptions() + &ComparisonText { title: &title, comparison: &comparison }.to_string()
                }
                Format::Json => comparison_json(&comparison) + "\n",
            };
            print(&text, arguments.format)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn compare(source: &Source, arguments: &Compare) -> Result<(String, Comparison), ProblemError> {
    let problem = source.read(&arguments.edits)?.problem;
    Ok((source.title(&problem), Comparison::new(&problem)?))
}

fn draw(
    kind: Kind,
    path: &Path,
    source: &Source,
    title: &str,
    comparison: &Comparison,
    arguments: &Compare,
) -> Result<(), Failure> {
    kind.check_width(arguments.width)?;
    if kind != Kind::Json {
        comparison.diagram().map_err(|error| Failure::Diagram { source: source.name(), error })?;
    }
    let bytes = match kind {
        Kind::Svg => figure::impulses_svg(title, comparison).map_err(Failure::Figure)?.into_bytes(),
        #[cfg(feature = "png")]
        Kind::Png => {
            figure::impulses_png(title, comparison, arguments.width.unwrap_or(PIXELS)).map_err(Failure::Figure)?
        }
        _ => (comparison_json(comparison) + "\n").into_bytes(),
    };
    write(path, &bytes)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let mut output = Output::open(Some(path))?;
    output.write_all(bytes).map_err(|error| output.failure(error))?;
    output.finish()
}
