//! Commands that solve impacts: `impact`, `map`, `compare` and `batch`.

use std::path::PathBuf;

use carom::law::Law;
use carom::study::Range;
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum, ValueHint};

use super::choice::{Format, Guard};
use super::subject::{Changes, Robot, Subject};
use crate::examples;

#[derive(Debug, Args)]
#[command(after_help = examples::IMPACT)]
pub struct Impact {
    #[command(flatten)]
    pub subject: Subject,

    /// How to print the outcome
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// What to do with a stick that creates energy [default: the problem's, or report]
    #[arg(long, value_enum)]
    pub guard: Option<Guard>,

    /// The impact law: aghili, or one of its rivals [default: the problem's, or aghili]
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(Law::ALL.map(Law::name)))]
    pub law: Option<String>,

    #[command(flatten)]
    pub changes: Changes,

    #[command(flatten)]
    pub robot: Robot,
}

#[derive(Debug, Args)]
#[command(after_help = examples::MAP)]
pub struct Map {
    #[command(flatten)]
    pub subject: Subject,

    /// Where to write it: .svg or .png for a figure, .json or .csv for its data; - for standard output
    #[arg(short, long, value_name = "FILE|-", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,

    /// The format of the output [default: by the extension of the file; needed for -]
    #[arg(long, value_enum)]
    pub format: Option<MapFormat>,

    /// What varies
    #[arg(long, value_enum, default_value_t = MapOver::Coefficients)]
    pub over: MapOver,

    /// Number of cells along each axis, 2 to 4000
    #[arg(long, value_name = "N", default_value_t = 400)]
    pub resolution: usize,

    /// Range of the vertical axis, or of both axes, horizontal first: 2, 0.1:2 or 0:0.5,0:2 [default: from the curves]
    #[arg(long, value_name = "MAX|MIN:MAX|MIN:MAX,MIN:MAX", allow_hyphen_values = true)]
    pub range: Option<Range>,

    /// Hatch the paper's set [41]: pairs that create energy in no state of this configuration
    #[arg(long)]
    pub admissible_set: bool,

    /// Width of a .png in pixels, 100 to 4000 [default: 1200, which is 380 dpi at 8 cm]
    #[arg(long, value_name = "PIXELS")]
    pub width: Option<u32>,

    #[command(flatten)]
    pub changes: Changes,

    #[command(flatten)]
    pub robot: Robot,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MapOver {
    /// Restitution and friction, for this state
    Coefficients,
    /// The tangential velocity, for these coefficients; in the plane with friction as the other axis
    State,
}

/// The formats of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MapFormat {
    Svg,
    #[cfg(feature = "png")]
    Png,
    Json,
    Csv,
}

#[derive(Debug, Args)]
#[command(after_help = examples::COMPARE)]
pub struct Compare {
    #[command(flatten)]
    pub subject: Subject,

    /// Simulate the scene by every law: where each run ends, and a figure of the paths
    #[arg(long, conflicts_with = "event")]
    pub simulate: bool,

    /// With --simulate, the end time, in seconds [default: the scene's, or 10]
    #[arg(long, value_name = "SECONDS", requires = "simulate", allow_hyphen_values = true)]
    pub until: Option<f64>,

    /// The laws' answers as text or json, or a figure of their impulses in the friction cone [default: by the
    /// extension of the file, and text for standard output]
    #[arg(long, value_enum)]
    pub format: Option<CompareFormat>,

    /// Where to write it: .svg or .png for the figure, .json for the answers; - for standard output, the default
    #[arg(short, long, value_name = "FILE|-", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,

    /// Width of a .png in pixels, 100 to 4000 [default: 1200, which is 380 dpi at 8 cm]
    #[arg(long, value_name = "PIXELS")]
    pub width: Option<u32>,

    #[command(flatten)]
    pub changes: Changes,

    #[command(flatten)]
    pub robot: Robot,
}

/// The formats of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CompareFormat {
    Text,
    Json,
    Svg,
    #[cfg(feature = "png")]
    Png,
}

#[derive(Debug, Args)]
#[command(after_help = examples::BATCH)]
pub struct Batch {
    /// A file with one JSON problem per line, or - for standard input
    #[arg(value_name = "IN.jsonl|-", value_hint = ValueHint::FilePath)]
    pub input: PathBuf,

    /// Where to write the outcomes; the file appears when it is complete; - for standard output, the default
    #[arg(short, long, value_name = "OUT.jsonl|-", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,

    /// Write only these fields of outcomes, such as mode,impulse; errors are written as a whole [default: all]
    #[arg(long, value_name = "NAME,...")]
    pub fields: Option<carom::report::Fields>,
}
