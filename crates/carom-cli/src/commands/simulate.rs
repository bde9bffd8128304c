//! `carom simulate`: a robot moves, and what happened goes into files.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use carom::ProblemError;
use carom::problem::Edit;
use carom::report::figure;
use carom::report::{ErrorRecord, EventLog, RunText, run_csv, run_events_csv, run_html, run_json, run_summary_json};
use carom::sim::{Ending, Event, Record, Recorder, Sample, Settings, Setup, Simulation, Sink};
use indicatif::{ProgressBar, ProgressStyle};

use crate::args::{EventCount, Format, Simulate};
use crate::failure::Failure;
use crate::kind::Kind;
#[cfg(feature = "png")]
use crate::kind::PIXELS;
use crate::output::{Output, complain, no_folder};
use crate::source::{Gallery, Source};

/// Samples that a run may be asked for: some gigabytes for a robot with many contacts.
const MOST_SAMPLES: f64 = 1e6;
/// Steps of the progress bar.
const TICKS: u64 = 1000;

pub fn run(arguments: &Simulate) -> Result<ExitCode, Failure> {
    // What cannot be written is found before anything is simulated.
    let files = Files::of(arguments)?;
    let source = Source::open_as(&arguments.scene, Gallery::Simulations)?;
    let (setup, title) = match read(&source, arguments) {
        Ok(read) => read,
        Err(error) => {
            let error = source.locate(error, &arguments.edits);
            if arguments.format == Format::Json {
                let mut output = Output::open(None)?;
                let written = writeln!(output, "{}", ErrorRecord { error: &error, id: None }.line());
                written.map_err(|error| output.failure(error))?;
                output.finish()?;
            }
            return Err(source.failure(error, &arguments.edits));
        }
    };
    check_count(&source, &setup)?;
    let until = setup.settings.until;
    let begun = Simulation::new(setup);
    let mut simulation =
        begun.map_err(|error| Failure::Simulation { source: source.name(), error: Box::new(error) })?;
    let mut watcher = Watcher::new(until)?;
    let ended = simulation.run_until(until, &mut watcher);
    watcher.bar.finish_and_clear();
    let mut record = watcher.recorder.finish(&simulation);
    if let Err(error) = &ended {
        record.summary.ending = Ending::Failed;
        record.summary.failure = Some(error.to_string());
        complain(&format!("error: {}: {error}", source.name()));
    }
    files.write(&record, &title)?;
    print(arguments, &record, &title)?;
    Ok(if record.summary.ending == Ending::Complete { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// All samples are kept until the files are written.
fn check_count(source: &Source, setup: &Setup) -> Result<(), Failure> {
    let Settings { until, interval, .. } = setup.settings;
    match interval {
        // What is no interval is told by the simulation.
        Some(interval) if interval > 0.0 && until.is_finite() && until / interval > MOST_SAMPLES => {
            Err(Failure::TooManySamples { source: source.name(), until, interval, most: MOST_SAMPLES })
        }
        _ => Ok(()),
    }
}

fn read(source: &Source, arguments: &Simulate) -> Result<(Setup, String), ProblemError> {
    let mut edits = arguments.edits.clone();
    if let Some(guard) = arguments.guard {
        edits.extend(format!("guard={}", guard.name()).parse::<Edit>());
    }
    let problem = source.read(&edits)?.problem;
    let mut setup = problem.setup()?;
    let settings = &mut setup.settings;
    settings.until = arguments.until.unwrap_or(settings.until);
    settings.tolerance = arguments.tolerance.unwrap_or(settings.tolerance);
    settings.interval = arguments.interval.or(settings.interval);
    Ok((setup, source.title(&problem)))
}

fn print(arguments: &Simulate, record: &Record, title: &str) -> Result<(), Failure> {
    let mut output = Output::open(None)?;
    let written = match arguments.format {
        Format::Json => run_summary_json(record, &mut output),
        Format::Text => {
            let most = match arguments.events {
                EventCount::All => None,
                EventCount::AtMost(most) => Some(most),
            };
            let log = EventLog { record, most };
            let log = if most == Some(0) { String::new() } else { format!("\n{log}") };
            write!(output, "{}{log}", RunText { title, record })
        }
    };
    written.map_err(|error| output.failure(error))?;
    output.finish()
}

/// Keeps everything, moves the bar, and listens for an interrupt.
struct Watcher {
    recorder: Recorder,
    bar: ProgressBar,
    until: f64,
    events: usize,
    interrupted: Arc<AtomicBool>,
}

impl Watcher {
    fn new(until: f64) -> Result<Self, Failure> {
        let bar = ProgressBar::new(TICKS);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {msg}, {elapsed} (left {eta})") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        let interrupted = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&interrupted);
        // A second interrupt ends the process at once.
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

/// The files asked for.
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

impl Files {
    fn of(arguments: &Simulate) -> Result<Self, Failure> {
        let kind = |path: &Option<PathBuf>, offered| {
            path.as_ref().map(|path| Kind::of(path, offered).map(|kind| (path.clone(), kind))).transpose()
        };
        let files = Self {
            table: kind(&arguments.output, TABLES)?,
            plot: kind(&arguments.plot, PICTURES)?,
            page: kind(&arguments.render, &[Kind::Html])?.map(|(path, _)| path),
        };
        for path in [&arguments.output, &arguments.plot, &arguments.render].into_iter().flatten() {
            check_place(path)?;
        }
        Ok(files)
    }

    fn write(&self, record: &Record, title: &str) -> Result<(), Failure> {
        if let Some((path, kind)) = &self.table {
            match kind {
                Kind::Json => write_file(path, |output| run_json(record, output))?,
                #[cfg(feature = "parquet")]
                Kind::Parquet => {
                    write_file(path, |output| write_all(output, |bytes| carom::report::run_parquet(record, bytes)))?;
                    let events = beside(path);
                    write_file(&events, |output| {
                        write_all(output, |bytes| carom::report::run_events_parquet(record, bytes))
                    })?;
                }
                _ => {
                    write_file(path, |output| run_csv(record, output))?;
                    write_file(&beside(path), |output| run_events_csv(record, output))?;
                }
            }
        }
        if let Some((path, kind)) = &self.plot {
            let bytes = match kind {
                #[cfg(feature = "png")]
                Kind::Png => figure::run_png(record, title, PIXELS),
                _ => figure::run_svg(record, title).map(String::into_bytes),
            };
            let bytes = bytes.map_err(Failure::Figure)?;
            write_file(path, |output| output.write_all(&bytes))?;
        }
        if let Some(path) = &self.page {
            let mut page = Vec::new();
            run_html(record, title, &mut page).map_err(Failure::Page)?;
            write_file(path, |output| output.write_all(&page))?;
        }
        Ok(())
    }
}

/// Whether a file can stand there: in a folder, and no folder itself.
fn check_place(path: &Path) -> Result<(), Failure> {
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let error = match path.is_dir() {
        true => ErrorKind::IsADirectory.into(),
        false if !folder.is_dir() => no_folder(folder),
        false => return Ok(()),
    };
    Err(Failure::file(path, "write", error))
}

/// Writes a file that appears when it is complete.
fn write_file(path: &Path, write: impl FnOnce(&mut Output) -> std::io::Result<()>) -> Result<(), Failure> {
    let mut output = Output::open(Some(path))?;
    write(&mut output).map_err(|error| output.failure(error))?;
    output.finish()
}

/// Writes what has to be made in memory first.
#[cfg(feature = "parquet")]
fn write_all(output: &mut Output, make: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    make(&mut bytes)?;
    output.write_all(&bytes)
}

/// Where the events of a table go: `run.csv` has them in `run.events.csv`.
fn beside(path: &Path) -> PathBuf {
    let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
    path.with_extension(format!("events.{ending}"))
}
