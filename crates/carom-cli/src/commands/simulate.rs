//! `carom simulate`: runs a simulation, prints a summary and writes files.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use carom::ProblemError;
use carom::document::Edit;
use carom::report::figure;
use carom::report::{ErrorRecord, EventLog, RunText, run_csv, run_events_csv, run_html, run_json, run_summary_json};
use carom::sim::{Ending, Event, Record, Recorder, Sample, Settings, Setup, Simulation, Sink};
use indicatif::{ProgressBar, ProgressStyle};

use crate::args::{EventCount, Format, RunFormat, Simulate};
use crate::console::{is_quiet, progress, tell_ignored, timed};
use crate::exhibits::Gallery;
use crate::failure::Failure;
#[cfg(feature = "png")]
use crate::kind::PIXELS;
use crate::kind::{Kind, STDOUT};
use crate::output::{self, Output, check_place, complain};
use crate::source::Source;

/// Largest number of samples of a run: several gigabytes for a robot with many contacts.
const MOST_SAMPLES: f64 = 1e6;
/// Steps of the progress bar.
const TICKS: u64 = 1000;

pub fn run(arguments: &Simulate) -> Result<ExitCode, Failure> {
    // Outputs that cannot be written are detected before the run.
    let format = summary_format(arguments)?;
    let files = Files::of(arguments)?;
    let edits = edits(arguments)?;
    let source = Source::open_as(&arguments.scene, Gallery::Simulations, &arguments.robot)?;
    let begun = Instant::now();
    let (setup, title) = match read(&source, &edits, arguments) {
        Ok(read) => read,
        Err(error) => {
            let error = source.locate(error, &edits);
            if format == Some(Format::Json) {
                output::print(&(ErrorRecord::new(&error, None).line() + "\n"), Format::Json)?;
            }
            return Err(source.failure(error, &edits));
        }
    };
    check_count(&source, &setup)?;
    timed("reading", begun);
    let until = setup.settings.until;
    let begun = Instant::now();
    let simulation = Simulation::new(setup);
    let mut simulation =
        simulation.map_err(|error| Failure::Simulation { source: source.name(), error: Box::new(error) })?;
    let mut watcher = Watcher::new(until)?;
    let ended = simulation.run_until(until, &mut watcher);
    watcher.bar.finish_and_clear();
    timed("simulating", begun);
    let mut record = watcher.recorder.finish(&simulation);
    if let Err(error) = &ended {
        record.summary.ending = Ending::Failed;
        record.summary.failure = Some(error.to_string());
        complain(&format!("error: {}: {error}", source.name()));
    }
    // The run is complete: write everything that can be written, whatever else fails.
    let begun = Instant::now();
    let failures = files.write(&record, &without_folders(&source.name(), &title));
    timed("writing files", begun);
    for failure in &failures {
        complain(&format!("error: {failure}"));
    }
    if is_quiet() && format == Some(Format::Text) {
        record.header.warnings.clear();
        record.summary.warnings.clear();
    }
    let is_printed = match format.map_or(Ok(()), |format| print(arguments, format, &source, &record, &title)) {
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

/// All samples are held in memory until the files are written.
fn check_count(source: &Source, setup: &Setup) -> Result<(), Failure> {
    let Settings { until, interval, .. } = setup.settings;
    match interval {
        // The simulation itself rejects an invalid interval.
        Some(interval) if interval > 0.0 && until.is_finite() && until / interval > MOST_SAMPLES => {
            Err(Failure::TooManySamples { source: source.name(), until, interval, most: MOST_SAMPLES })
        }
        _ => Ok(()),
    }
}

/// The format of the summary; none if the run itself is written to standard output.
fn summary_format(arguments: &Simulate) -> Result<Option<Format>, Failure> {
    if arguments.output.as_deref() == Some(Path::new(STDOUT)) {
        return Ok(None);
    }
    let run_only = |format| Failure::RunFormat { format, output: arguments.output.clone() };
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
    if let Some(guard) = arguments.guard {
        edits.extend(format!("guard={}", guard.name()).parse::<Edit>().map(|edit| edit.by_option("--guard")));
    }
    Ok(edits)
}

fn read(source: &Source, edits: &[Edit], arguments: &Simulate) -> Result<(Setup, String), ProblemError> {
    let problem = source.read(edits)?.problem;
    tell_ignored(&problem);
    let mut setup = problem.setup()?;
    let settings = &mut setup.settings;
    settings.until = arguments.until.unwrap_or(settings.until);
    settings.tolerance = arguments.tolerance.unwrap_or(settings.tolerance);
    settings.interval = arguments.interval.or(settings.interval);
    settings.max_events = arguments.max_events.unwrap_or(settings.max_events);
    settings.max_time = arguments.max_time;
    Ok((setup, source.title(&problem)))
}

fn print(arguments: &Simulate, format: Format, source: &Source, record: &Record, title: &str) -> Result<(), Failure> {
    let text = match format {
        Format::Json => {
            let mut json = Vec::new();
            run_summary_json(record, &mut json).map_err(Failure::stdout)?;
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

/// A title without the folders of the file that it names: figures and pages are passed on.
fn without_folders(name: &str, title: &str) -> String {
    match Path::new(name).file_name() {
        Some(file) if title.starts_with(name) => title.replacen(name, &file.to_string_lossy(), 1),
        _ => title.to_owned(),
    }
}

/// Records everything, updates the progress bar, and handles the signals that end a run: interrupt, hangup, terminate.
struct Watcher {
    recorder: Recorder,
    bar: ProgressBar,
    until: f64,
    events: usize,
    interrupted: Arc<AtomicBool>,
}

impl Watcher {
    fn new(until: f64) -> Result<Self, Failure> {
        let bar = progress(ProgressBar::new(TICKS));
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {msg}, {elapsed} ({eta} left)") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        let interrupted = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&interrupted);
        // A second signal ends the process at once.
        ctrlc::set_handler(move || {
            if flag.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        })
        .map_err(|error| Failure::Signal { error: error.to_string() })?;
        Ok(Self { recorder: Recorder::new(), bar, until, events: 0, interrupted })
    }

    fn tell(&self, time: f64) {
        self.bar.set_position((time / self.until * TICKS as f64) as u64);
        self.bar.set_message(format!("{time:.3} s of {} s, {} events", self.until, self.events));
    }
}

impl Sink for Watcher {
    fn sample(&mut self, sample: Sample) {
        self.tell(sample.time);
        self.recorder.sample(sample);
    }

    fn event(&mut self, event: Event) {
        self.events += 1;
        self.recorder.event(event);
    }

    fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }
}

/// The requested files.
struct Files {
    table: Option<(PathBuf, Kind)>,
    plot: Option<(PathBuf, Kind)>,
    page: Option<PathBuf>,
}

const TABLES: &[Kind] = &[
    #[cfg(feature = "parquet")]
    Kind::Parquet,
    Kind::Csv,
    Kind::Json,
];

const PICTURES: &[Kind] = &[
    Kind::Svg,
    #[cfg(feature = "png")]
    Kind::Png,
];

/// The table on standard output, if it is asked for there: its format is given by `--format`. CSV and Parquet have the
/// samples only, without their second file.
fn table_on_stdout(arguments: &Simulate) -> Result<Option<(PathBuf, Kind)>, Failure> {
    let Some(path) = arguments.output.as_ref().filter(|path| path.as_path() == Path::new(STDOUT)) else {
        return Ok(None);
    };
    let kind = match arguments.format {
        Some(RunFormat::Json) => Kind::Json,
        Some(RunFormat::Csv) => Kind::Csv,
        #[cfg(feature = "parquet")]
        Some(RunFormat::Parquet) => Kind::Parquet.for_stdout()?,
        None | Some(RunFormat::Text) => Kind::of(path, TABLES)?,
    };
    Ok(Some((path.clone(), kind)))
}

impl Files {
    fn of(arguments: &Simulate) -> Result<Self, Failure> {
        let kind = |path: &Option<PathBuf>, offered| {
            path.as_ref().map(|path| Kind::of(path, offered).map(|kind| (path.clone(), kind))).transpose()
        };
        let files = Self {
            table: table_on_stdout(arguments)?
                .map_or_else(|| kind(&arguments.output, TABLES), |table| Ok(Some(table)))?,
            plot: kind(&arguments.plot, PICTURES)?,
            page: kind(&arguments.render, &[Kind::Html])?.map(|(path, _)| path),
        };
        for path in [&arguments.output, &arguments.plot, &arguments.render].into_iter().flatten() {
            check_place(path)?;
        }
        if let Some((path, kind)) = &files.table
            && *kind != Kind::Json
            && path != Path::new(STDOUT)
        {
            check_place(&beside(path))?;
        }
        Ok(files)
    }

    /// Writes all files, and returns the errors.
    fn write(&self, record: &Record, title: &str) -> Vec<Failure> {
        let mut written = Vec::new();
        if let Some((path, kind)) = &self.table {
            match kind {
                Kind::Json => written.push(write_file(path, |output| run_json(record, output))),
                #[cfg(feature = "parquet")]
                Kind::Parquet => {
                    let samples = |bytes: &mut Vec<u8>| carom::report::run_parquet(record, bytes);
                    let events = |bytes: &mut Vec<u8>| carom::report::run_events_parquet(record, bytes);
                    written.push(write_file(path, |output| write_all(output, samples)));
                    if path != Path::new(STDOUT) {
                        written.push(write_file(&beside(path), |output| write_all(output, events)));
                    }
                }
                _ => {
                    written.push(write_file(path, |output| run_csv(record, output)));
                    if path != Path::new(STDOUT) {
                        written.push(write_file(&beside(path), |output| run_events_csv(record, output)));
                    }
                }
            }
        }
        if let Some((path, kind)) = &self.plot {
            let bytes = match kind {
                #[cfg(feature = "png")]
                Kind::Png => figure::run_png(record, title, PIXELS),
                _ => figure::run_svg(record, title).map(String::into_bytes),
            };
            let bytes = bytes.map_err(Failure::Figure);
            written.push(bytes.and_then(|bytes| write_file(path, |output| output.write_all(&bytes))));
        }
        if let Some(path) = &self.page {
            let mut page = Vec::new();
            let made = run_html(record, title, &mut page).map_err(Failure::Page);
            written.push(made.and_then(|()| write_file(path, |output| output.write_all(&page))));
        }
        written.into_iter().filter_map(Result::err).collect()
    }
}

/// Writes a file that appears when it is complete.
fn write_file(path: &Path, write: impl FnOnce(&mut Output) -> std::io::Result<()>) -> Result<(), Failure> {
    let mut output = Output::open(Some(path))?;
    write(&mut output).map_err(|error| output.failure(error))?;
    output.finish()
}

/// Writes content that has to be generated in memory first.
#[cfg(feature = "parquet")]
fn write_all(output: &mut Output, make: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    make(&mut bytes)?;
    output.write_all(&bytes)
}

/// The file for the events of a table: `run.events.csv` for `run.csv`.
fn beside(path: &Path) -> PathBuf {
    let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
    path.with_extension(format!("events.{ending}"))
}
