//! `carom compare`: one impact, or with `--simulate` one simulation, by every law, as a table, as data or as a figure.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use carom::ProblemError;
use carom::document::Edit;
use carom::report::{ComparisonText, RunComparisonText, comparison_json, figure, paths, run_comparison_json};
use carom::study::{Comparison, RunComparison, RunComparisonError};

use crate::args::{Compare, CompareFormat, Format};
use crate::console::{tell_ignored, timed};
use crate::exhibits::Gallery;
use crate::failure::Failure;
#[cfg(feature = "png")]
use crate::kind::PIXELS;
use crate::kind::{Kind, STDOUT};
use crate::output::{Output, check_place, print};
use crate::source::Source;

/// The output formats of a comparison.
const KINDS: &[Kind] = &[
    Kind::Svg,
    #[cfg(feature = "png")]
    Kind::Png,
    Kind::Json,
];

/// The requested output.
#[derive(Clone, Copy, PartialEq)]
enum Wanted {
    Text,
    File(Kind),
}

pub fn run(arguments: &Compare) -> Result<ExitCode, Failure> {
    let path = arguments.output.as_deref().unwrap_or(Path::new(STDOUT));
    let wanted = wanted(path, arguments.format)?;
    if path != Path::new(STDOUT) {
        check_place(path)?;
    }
    let edits = arguments.changes.edits()?;
    if arguments.simulate {
        return run_simulations(arguments, &edits, wanted, path);
    }
    let source = Source::open(&arguments.subject, &arguments.robot)?;
    let (title, comparison) = match compare(&source, &edits) {
        Ok(compared) => compared,
        Err(error) => {
            let error = source.locate(error, &edits);
            return Err(source.failure(error, &edits));
        }
    };
    match wanted {
        Wanted::File(Kind::Json) if path == Path::new(STDOUT) => {
            Kind::Json.check_width(arguments.width)?;
            print(&(comparison_json(&comparison) + "\n"), Format::Json)?;
        }
        Wanted::File(kind) => draw(kind, path, &source, &title, &comparison, arguments)?,
        Wanted::Text => {
            check_no_width(arguments.width)?;
            let text = ComparisonText { title: &title, comparison: &comparison }.to_string();
            match path == Path::new(STDOUT) {
                true => print(&(source.assumptions() + &text), Format::Text)?,
                false => write(path, text.as_bytes())?,
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// One simulation by every law.
fn run_simulations(arguments: &Compare, edits: &[Edit], wanted: Wanted, path: &Path) -> Result<ExitCode, Failure> {
    let source = Source::open_as(
        arguments.subject.problem.as_deref().unwrap_or(Path::new(STDOUT)),
        Gallery::Simulations,
        &arguments.robot,
    )?;
    let problem = match source.read(edits) {
        Ok(stated) => stated.problem,
        Err(error) => {
            let error = source.locate(error, edits);
            return Err(source.failure(error, edits));
        }
    };
    tell_ignored(&problem);
    let begun = Instant::now();
    let compared = RunComparison::new(&problem, arguments.until);
    timed("simulating", begun);
    let comparison = match compared {
        Ok(comparison) => comparison,
        Err(RunComparisonError::Problem(error)) => {
            let error = source.locate(error, edits);
            return Err(source.failure(error, edits));
        }
        Err(RunComparisonError::Simulation(error)) => {
            return Err(Failure::Simulation { source: source.name(), error: Box::new(error) });
        }
    };
    let title = source.title(&problem);
    let json = || run_comparison_json(&comparison) + "\n";
    let is_stdout = path == Path::new(STDOUT);
    let bytes = match wanted {
        Wanted::Text => {
            check_no_width(arguments.width)?;
            let text = RunComparisonText { title: &title, comparison: &comparison }.to_string();
            if is_stdout {
                print(&(source.assumptions() + &text), Format::Text)?;
                return Ok(ExitCode::SUCCESS);
            }
            text.into_bytes()
        }
        Wanted::File(Kind::Json) if is_stdout => {
            Kind::Json.check_width(arguments.width)?;
            print(&json(), Format::Json)?;
            return Ok(ExitCode::SUCCESS);
        }
        Wanted::File(kind) => {
            kind.check_width(arguments.width)?;
            let picture = paths(&title, &comparison);
            match kind {
                Kind::Svg => figure::sweep_svg(&picture).map_err(Failure::Figure)?.into_bytes(),
                #[cfg(feature = "png")]
                Kind::Png => figure::sweep_png(&picture, arguments.width.unwrap_or(PIXELS)).map_err(Failure::Figure)?,
                _ => json().into_bytes(),
            }
        }
    };
    write(path, &bytes)?;
    Ok(ExitCode::SUCCESS)
}

/// The requested format, or that of the file's extension, or text.
fn wanted(path: &Path, format: Option<CompareFormat>) -> Result<Wanted, Failure> {
    let kind = match format {
        Some(CompareFormat::Text) => return Ok(Wanted::Text),
        None if path == Path::new(STDOUT) => return Ok(Wanted::Text),
        None => Kind::of(path, KINDS)?,
        Some(CompareFormat::Json) => Kind::Json,
        Some(CompareFormat::Svg) => Kind::Svg,
        #[cfg(feature = "png")]
        Some(CompareFormat::Png) => Kind::Png,
    };
    let kind = if path == Path::new(STDOUT) { kind.for_stdout()? } else { kind };
    Ok(Wanted::File(kind))
}

fn check_no_width(width: Option<u32>) -> Result<(), Failure> {
    width.map_or(Ok(()), |_| Err(Failure::Width { ending: "txt" }))
}

fn compare(source: &Source, edits: &[Edit]) -> Result<(String, Comparison), ProblemError> {
    let begun = Instant::now();
    let problem = source.read(edits)?.problem;
    timed("reading", begun);
    tell_ignored(&problem);
    let begun = Instant::now();
    let comparison = Comparison::new(&problem)?;
    timed("solving", begun);
    Ok((source.title(&problem), comparison))
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
