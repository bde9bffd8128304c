//! Commands that simulate: `simulate` and `rerun`.

use std::path::PathBuf;

use carom::law::Law;
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum, ValueHint};

use super::choice::{Format, Guard};
use super::subject::{Changes, Robot};
use crate::examples;

#[derive(Debug, Args)]
#[command(after_help = examples::SIMULATE)]
pub struct Simulate {
    /// A built-in simulation, a JSON or TOML scene file, a robot file (URDF, MJCF or SDF), or - for standard input
    #[arg(value_name = "SCENE|FILE|ROBOT|-", value_hint = ValueHint::FilePath)]
    pub scene: PathBuf,

    #[command(flatten)]
    pub outputs: RunOutputs,

    /// End time, in seconds [default: the scene's, or 10]
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    pub until: Option<f64>,

    /// Relative tolerance of the integration [default: the scene's, or 1e-10]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub tolerance: Option<f64>,

    /// Time between samples, in seconds [default: the scene's, or 0.01]
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    pub interval: Option<f64>,

    /// Number of events after which the run ends with an error [default: the scene's, or 1000000]
    #[arg(long, value_name = "N")]
    pub max_events: Option<u64>,

    /// Limit on wall-clock time, in seconds; results so far are written and marked [default: none]
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    pub max_time: Option<f64>,

    /// The law of impacts: aghili, chord, or one that answers one contact only [default: the scene's, or aghili]
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(Law::ALL.map(Law::name)))]
    pub law: Option<String>,

    /// What aghili does with a stick that creates energy [default: the scene's, or slip]
    #[arg(long, value_enum)]
    pub guard: Option<Guard>,

    /// How to print the summary, as text or json [default: text]; with -o -, how to write the run, as json, csv or
    /// parquet
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true)]
    pub format: Option<RunFormat>,

    /// Largest number of rows of events to print, or all; bounces that come faster and faster are one row, and so are sticks and
    /// slips in quick succession. `every` prints each event
    #[arg(long, value_name = "N|all|every", default_value = "12", value_parser = event_count)]
    pub events: EventCount,

    #[command(flatten)]
    pub changes: Changes,

    #[command(flatten)]
    pub robot: Robot,
}

/// The files of a run.
#[derive(Debug, Args)]
pub struct RunOutputs {
    /// Where to write samples and events, as .parquet, .csv or .json; the first two write the events to a second file,
    /// NAME.events.parquet or NAME.events.csv, and .csv the header to NAME.header.json. - is standard output, in the format of --format, without a summary
    #[arg(short, long, value_name = "FILE|-", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,

    /// Draw gaps, modes and energy over time: .svg or .png
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,

    /// Write a page that plays the motion
    #[arg(long, value_name = "FILE.html")]
    pub render: Option<PathBuf>,
}

/// The formats of a summary or, on standard output, of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RunFormat {
    Text,
    Json,
    Csv,
    #[cfg(feature = "parquet")]
    Parquet,
}

/// The number of events to print.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventCount {
    All,
    Every,
    AtMost(usize),
}

fn event_count(text: &str) -> Result<EventCount, String> {
    match text {
        "all" => Ok(EventCount::All),
        "every" => Ok(EventCount::Every),
        _ => text.parse().map(EventCount::AtMost).map_err(|_| format!("{text:?} must be a number, all or every")),
    }
}

#[derive(Debug, Args)]
#[command(after_help = examples::RERUN)]
pub struct Rerun {
    /// A run that carom simulate wrote with -o: .json, .csv with the files beside it, or .parquet
    #[arg(value_name = "RUN", value_hint = ValueHint::FilePath)]
    pub run: PathBuf,

    /// The robot's file, if it is not where the run had it
    #[arg(id = "robot_file", long = "robot", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub robot_file: Option<PathBuf>,

    /// How to print the comparison
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    #[command(flatten)]
    pub outputs: RunOutputs,
}
