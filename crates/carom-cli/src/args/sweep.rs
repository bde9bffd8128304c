//! Commands on tables of many samples: `sweep` and `plot`.

use std::path::PathBuf;

use carom::law::Law;
use carom::report::sweep::Shard;
use carom::study::sweep::{Axis, Draw};
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum, ValueHint};

use super::choice::Guard;
use super::subject::{Changes, Robot, number};
use crate::examples;

#[derive(Debug, Args)]
#[command(after_help = examples::SWEEP)]
pub struct Sweep {
    /// A built-in scene, a JSON or TOML problem or scene file, a robot file (URDF, MJCF or SDF), or - for standard input
    #[arg(value_name = "SCENE|FILE|ROBOT|-", value_hint = ValueHint::FilePath)]
    pub problem: PathBuf,

    /// Where to write the table: a folder, for parts that an interrupted sweep continues and that shards share, or a file,
    /// .parquet or .csv; - for standard output
    #[arg(short, long, value_name = "FOLDER|FILE|-", value_hint = ValueHint::AnyPath)]
    pub output: PathBuf,

    /// Values of a key: restitution=0:1:200 for 200 from 0 to 1, friction=[0.1,0.2,0.5] for a list; several keys make a
    /// grid, whose last key varies fastest
    #[arg(long = "vary", value_name = "KEY=FROM:TO:COUNT|KEY=[...]")]
    pub vary: Vec<Axis>,

    /// Random values of a key, drawn for every sample: uniform(LOW,HIGH), normal(MEAN,DEVIATION), lognormal(MEAN,DEVIATION)
    /// of the logarithm, choice(VALUE,...)
    #[arg(long = "random", value_name = "KEY=DISTRIBUTION(...)")]
    pub random: Vec<Draw>,

    /// Number of samples at each point of the grid
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub samples: u64,

    /// Seed of the random values
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// Columns: fields of the outcome such as mode,impulse,energy.change; with --simulate fields of the summary,
    /// end.velocity, count(KIND,CONTACT), first(KIND,CONTACT).time and last(...) [default: mode, impulse and others; with
    /// --simulate ending, at_rest and others]
    #[arg(long, value_name = "NAME,...")]
    pub columns: Option<String>,

    /// Simulate each sample, in place of one impact
    #[arg(long)]
    pub simulate: bool,

    /// End time of simulations, in seconds [default: the scene's, or 10]
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true, requires = "simulate", value_parser = number)]
    pub until: Option<f64>,

    /// Compute only parts INDEX, INDEX + COUNT, INDEX + 2 COUNT and so on of a folder, INDEX counted from 0
    #[arg(long, value_name = "INDEX/COUNT")]
    pub shard: Option<Shard>,

    /// Rows of a part of a folder [default: 65536; 4096 where the scene is read for each sample; 256 with --simulate]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub part_rows: Option<u64>,

    /// The format of a folder's parts, or of standard output [default: parquet, where it is built in]
    #[arg(long, value_enum)]
    pub format: Option<SweepFormat>,

    /// Number of threads [default: all processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=4096))]
    pub threads: Option<u64>,

    /// What to do with a stick that creates energy [default: the problem's; report, or slip with --simulate]
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

/// The formats of a sweep's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SweepFormat {
    #[cfg(feature = "parquet")]
    Parquet,
    Csv,
}

#[derive(Debug, Args)]
#[command(after_help = examples::PLOT)]
pub struct Plot {
    /// What carom sweep wrote: a folder, a .parquet or a .csv file
    #[arg(value_name = "FOLDER|FILE", value_hint = ValueHint::AnyPath)]
    pub table: PathBuf,

    /// Where to write it: .svg or .png
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,

    /// The column along the horizontal axis [default: the first key that varies]
    #[arg(long, value_name = "COLUMN", requires = "y")]
    pub x: Option<String>,

    /// The column along the vertical axis: a second key, or a result [default: the second key, or the first result of one key]
    #[arg(long, value_name = "COLUMN", requires = "x")]
    pub y: Option<String>,

    /// The column that colours show; over a grid of two keys a heat map, with words one curve each [default of two keys: the first
    /// result, unless --x and --y are given]
    #[arg(long, value_name = "COLUMN")]
    pub color_by: Option<String>,

    /// Width of a .png in pixels, 100 to 4000 [default: 1200, which is 380 dpi at 8 cm]
    #[arg(long, value_name = "PIXELS")]
    pub width: Option<u32>,
}
