//! `carom simulate`: runs a simulation, prints a summary and writes files.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use carom::document::{Edit, Tree};
use carom::provenance::Provenance;
use carom::report::{ErrorRecord, EventLog, RunFile, RunText};
use carom::sim::{Ending, Record, Setup};
use carom::{Problem, ProblemError};

use crate::args::{EventCount, Format, RunFormat, Simulate};
use crate::console::{is_quiet, tell_ignored, timed};
use crate::exhibits::Gallery;
use crate::failure::Failure;
use crate::kind::STDOUT;
use crate::output::{self, complain};
use crate::run_files::Files;
use crate::running::simulate;
use crate::source::{Source, Stated};

/// What is simulated.
struct Job {
    setup: Setup,
    title: String,
    problem: Problem,
    /// The document with all changes, those of options included.
    document: Tree,
}

pub fn run(arguments: &Simulate) -> Result<ExitCode, Failure> {
    // Outputs that cannot be written are detected before the run.
    let format = summary_format(arguments)?;
    let files = Files::of(&arguments.outputs, arguments.format)?;
    let edits = edits(arguments)?;
    let source = Source::open_as(&arguments.scene, Gallery::Simulations, &arguments.robot)?;
    let begun = Instant::now();
    let job = match read(&source, &edits, arguments) {
        Ok(read) => read,
        Err(error) => {
            let error = source.locate(error, &edits);
            if format == Some(Format::Json) {
                output::print(&(ErrorRecord::new(&error, None).line() + "\n"), Format::Json)?;
            }
            return Err(source.failure(error, &edits));
        }
    };
    let Job { setup, title, problem, document } = job;
    let options = options(arguments, &edits);
    let provenance = Provenance::new(document, options, &problem, &setup);
    let provenance =
        provenance.map_err(|error| Failure::Provenance { source: source.name(), error: Box::new(error) })?;
    timed("reading", begun);
    let mut record = simulate(&source.name(), setup)?;
    // The run is complete: write everything that can be written, whatever else fails.
    let begun = Instant::now();
    let failures = files.write(&record, &provenance, &title);
    timed("writing files", begun);
    for failure in &failures {
        complain(&format!("error: {failure}"));
    }
    if is_quiet() && format == Some(Format::Text) {
        record.header.warnings.clear();
        record.summary.warnings.clear();
    }
    let run = RunFile { record: &record, provenance: Some(&provenance) };
    let is_printed = match format.map_or(Ok(()), |format| print(arguments, format, &source, run, &title)) {
        Ok(()) => true,
        Err(Failure::ClosedPipe) => return Err(Failure::ClosedPipe),
        Err(failure) => {
            complain(&format!("error: {failure}"));
            false
        }
    };
    let is_whole = failures.is_empty() && is_printed && record.summary.ending == Ending::Complete;
    Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// The format of the summary; none if the run itself is written to standard output.
fn summary_format(arguments: &Simulate) -> Result<Option<Format>, Failure> {
    if arguments.outputs.output.as_deref() == Some(Path::new(STDOUT)) {
        return Ok(None);
    }
    let run_only = |format| Failure::RunFormat { format, output: arguments.outputs.output.clone() };
    match arguments.format {
        None | Some(RunFormat::Text) => Ok(Some(Format::Text)),
        Some(RunFormat::Json) => Ok(Some(Format::Json)),
        Some(RunFormat::Csv) => Err(run_only("csv")),
        #[cfg(feature = "parquet")]
        Some(RunFormat::Parquet) => Err(run_only("parquet")),
    }
}

fn edits(arguments: &Simulate) -> Result<Vec<Edit>, Failure> {
    let mut edits = arguments.changes.edits()?;
    if let Some(law) = &arguments.law {
        edits.extend(format!("law={law}").parse::<Edit>().map(|edit| edit.by_option("--law")));
    }
    if let Some(guard) = arguments.guard {
        edits.extend(format!("guard={}", guard.name()).parse::<Edit>().map(|edit| edit.by_option("--guard")));
    }
    Ok(edits)
}

/// Adds the settings of options to the scene's document, so that the document alone states what is simulated.
fn read(source: &Source, edits: &[Edit], arguments: &Simulate) -> Result<Job, ProblemError> {
    let Stated { problem, tree: mut document, .. } = source.read(edits)?;
    tell_ignored(&problem);
    let mut setup = problem.setup()?;
    let settings = &mut setup.settings;
    settings.until = arguments.until.unwrap_or(settings.until);
    settings.tolerance = arguments.tolerance.unwrap_or(settings.tolerance);
    settings.interval = arguments.interval.or(settings.interval);
    settings.max_events = arguments.max_events.unwrap_or(settings.max_events);
    settings.max_time = arguments.max_time;
    for (option, key, value) in settings_given(arguments) {
        if option != "--max-time"
            && let Ok(edit) = format!("simulation.{key}={value}").parse::<Edit>()
        {
            edit.apply(&mut document)?;
        }
    }
    let title = source.title(&problem);
    Ok(Job { setup, title, problem, document })
}

/// The settings given by options: the option, the key of the scene, the value.
fn settings_given(arguments: &Simulate) -> Vec<(&'static str, &'static str, String)> {
    let number = |x: Option<f64>| x.map(|x| format!("{x:?}"));
    let settings = [
        ("--until", "until", number(arguments.until)),
        ("--tolerance", "tolerance", number(arguments.tolerance)),
        ("--interval", "interval", number(arguments.interval)),
        ("--max-events", "max_events", arguments.max_events.map(|count| count.to_string())),
        ("--max-time", "max_time", number(arguments.max_time)),
    ];
    settings.into_iter().filter_map(|(option, key, value)| Some((option, key, value?))).collect()
}

/// The options that changed what is simulated, as given.
fn options(arguments: &Simulate, edits: &[Edit]) -> Vec<String> {
    let settings = settings_given(arguments).into_iter().map(|(option, _, value)| format!("{option} {value}"));
    let edits = edits.iter().map(|edit| match edit.option() {
        "--set" => format!("--set {edit}"),
        option => format!("{option} {}", edit.value()),
    });
    arguments.robot.options().into_iter().chain(edits).chain(settings).collect()
}

fn print(arguments: &Simulate, format: Format, source: &Source, run: RunFile<'_>, title: &str) -> Result<(), Failure> {
    let record: &Record = run.record;
    let text = match format {
        Format::Json => {
            let mut json = Vec::new();
            run.summary_json(&mut json).map_err(Failure::stdout)?;
            String::from_utf8_lossy(&json).into_owned()
        }
        Format::Text => {
            let (most, is_grouped) = match arguments.events {
                EventCount::All => (None, true),
                EventCount::Every => (None, false),
                EventCount::AtMost(most) => (Some(most), true),
            };
            let log = EventLog { record, most, is_grouped };
            let log = if most == Some(0) { String::new() } else { format!("\n{log}") };
            format!("{}{}{log}", source.assumptions(), RunText { title, record })
        }
    };
    output::print(&text, format)
}
