//! The command line: subcommands and options.

use std::path::PathBuf;

use carom::document::Edit;
use carom::law::Law;
use carom::study::Range;
use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};

#[derive(Debug, Parser)]
#[command(name = "carom", version, max_term_width = 100)]
#[command(
    about = "Frictional impacts in multibody systems: velocities after, impulse, mode, and where the energy went"
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Solve one impact
    Impact(Impact),
    /// Simulate a robot: flight, impacts, sticking and sliding, with every joule accounted for
    Simulate(Simulate),
    /// Draw a map of where an impact sticks, slips, reverses or creates energy, over coefficients or states
    Map(Map),
    /// Compare all laws on one impact
    Compare(Compare),
    /// Solve many impacts, one JSON problem per line
    Batch(Batch),
    /// Read a robot file and print its tree, degrees of freedom, masses, frames and warnings
    Check(Check),
    /// List the built-in impacts and simulations, or print one as a file
    Gallery(Gallery),
}

#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 solved, 2 bad input or usage.")]
pub struct Impact {
    /// A built-in scene, a JSON or TOML problem or scene file, a robot file (URDF or MJCF), or - for standard input
    #[arg(value_name = "SCENE|FILE|ROBOT|-")]
    pub problem: PathBuf,

    /// How to print the outcome
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// What to do with a stick that creates energy [default: the problem's, or report]
    #[arg(long, value_enum)]
    pub guard: Option<Guard>,

    /// The impact law: aghili, or one of its rivals [default: the problem's, or aghili]
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(Law::ALL.map(Law::name)))]
    pub law: Option<String>,

    /// Change a value of the problem: restitution=0.7, friction.dynamic=0.3, state.velocity.elbow=-2
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub edits: Vec<Edit>,

    #[command(flatten)]
    pub robot: Robot,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 complete, 1 interrupted, out of time or failed during the run (results so far are written and marked), 2 bad input or usage."
)]
pub struct Simulate {
    /// A built-in simulation, a JSON or TOML scene file, a robot file (URDF or MJCF), or - for standard input
    #[arg(value_name = "SCENE|FILE|ROBOT|-")]
    pub scene: PathBuf,

    /// Where to write samples and events, as .parquet, .csv or .json; the first two write the events to a second file,
    /// NAME.events.parquet or NAME.events.csv
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Draw gaps, modes and energy over time: .svg or .png
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,

    /// Write a page that plays the motion
    #[arg(long, value_name = "FILE.html")]
    pub render: Option<PathBuf>,

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

    /// What to do with a stick that creates energy [default: the scene's, or slip]
    #[arg(long, value_enum)]
    pub guard: Option<Guard>,

    /// How to print the summary
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// Largest number of events to print, or all
    #[arg(long, value_name = "N|all", default_value = "12", value_parser = event_count)]
    pub events: EventCount,

    /// Change a value of the scene: restitution=0.7, friction.dynamic=0.3, state.velocity.elbow=-2
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub edits: Vec<Edit>,

    #[command(flatten)]
    pub robot: Robot,
}

/// What to assume of a robot file that is given in place of a scene.
#[derive(Debug, Args)]
#[command(next_help_heading = "Robot files in place of scenes")]
pub struct Robot {
    /// Let the root link move freely [default: unless it is called world or has no mass]
    #[arg(long, conflicts_with = "fixed_base")]
    pub floating_base: bool,

    /// Fix the root link to the world
    #[arg(long)]
    pub fixed_base: bool,

    /// The link that touches, or a pattern such as *_foot [default: every link with a collision shape]
    #[arg(long, value_name = "NAME")]
    pub link: Option<String>,

    /// Height of the lowest point above the surface, in metres [default: 0]
    #[arg(long, value_name = "METRES", allow_hyphen_values = true)]
    pub height: Option<f64>,

    /// Velocity of the floating base in world axes, in m/s [default: 0,0,-1 for an impact, zero for a simulation]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = triple)]
    pub velocity: Option<[f64; 3]>,

    /// Write the scene that is assumed to a file, to be changed and used in place of the robot
    #[arg(long, value_name = "SCENE.toml")]
    pub save_scene: Option<PathBuf>,
}

fn triple(text: &str) -> Result<[f64; 3], String> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|word| word.trim().parse().ok()).collect();
    let wrong = || format!("{text:?} must be three numbers with commas between them, such as 0.5,0,-1");
    <[f64; 3]>::try_from(numbers.ok_or_else(wrong)?).map_err(|_| wrong())
}

/// The number of events to print.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventCount {
    All,
    AtMost(usize),
}

fn event_count(text: &str) -> Result<EventCount, String> {
    match text {
        "all" => Ok(EventCount::All),
        _ => text.parse().map(EventCount::AtMost).map_err(|_| format!("{text:?} must be a number or all")),
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 drawn, 2 bad input or usage.")]
pub struct Map {
    /// A built-in scene, a JSON or TOML problem or scene file, a robot file (URDF or MJCF), or - for standard input
    #[arg(value_name = "SCENE|FILE|ROBOT|-")]
    pub problem: PathBuf,

    /// Where to write it: .svg or .png for a figure, .json or .csv for its data
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,

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

    /// Change a value of the problem: restitution=0.7, friction.dynamic=0.3, state.velocity.elbow=-2
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub edits: Vec<Edit>,

    #[command(flatten)]
    pub robot: Robot,
}

#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 solved or drawn, 2 bad input or usage.")]
pub struct Compare {
    /// A built-in scene, a JSON or TOML problem or scene file, a robot file (URDF or MJCF), or - for standard input
    #[arg(value_name = "SCENE|FILE|ROBOT|-")]
    pub problem: PathBuf,

    /// How to print the laws' answers
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// Write a file instead: .svg or .png for a figure of the laws' impulses in the friction cone, .json for the
    /// answers
    #[arg(short, long, value_name = "FILE", conflicts_with = "format")]
    pub output: Option<PathBuf>,

    /// Width of a .png in pixels, 100 to 4000 [default: 1200, which is 380 dpi at 8 cm]
    #[arg(long, value_name = "PIXELS", requires = "output")]
    pub width: Option<u32>,

    /// Change a value of the problem: restitution=0.7, friction.dynamic=0.3, state.velocity.elbow=-2
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub edits: Vec<Edit>,

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

#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 all lines solved, 1 some line failed, 2 bad input or usage.")]
pub struct Batch {
    /// A file with one JSON problem per line, or - for standard input
    #[arg(value_name = "IN.jsonl|-")]
    pub input: PathBuf,

    /// Where to write the outcomes; the file appears when it is complete [default: standard output]
    #[arg(short, long, value_name = "OUT.jsonl")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 the robot can be used, 2 it cannot be read.")]
pub struct Check {
    /// A URDF or MJCF file, or a built-in model
    #[arg(value_name = "FILE|MODEL")]
    pub robot: PathBuf,

    /// Let the root link of a URDF move freely
    #[arg(long)]
    pub floating_base: bool,

    /// Let joints that mimic others move independently
    #[arg(long)]
    pub free_mimics: bool,
}

#[derive(Debug, Args)]
pub struct Gallery {
    /// The scene to print
    pub scene: Option<String>,

    /// Print the simulation with this name, not the impact
    #[arg(long)]
    pub simulation: bool,

    /// How to print it
    #[arg(long, value_enum, default_value_t = SceneFormat::Toml)]
    pub format: SceneFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SceneFormat {
    /// The original text, with comments
    Toml,
    /// On one line, for a batch
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text for people
    Text,
    /// One JSON object, for programs
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Guard {
    /// Return the law's answer, marked inadmissible
    Report,
    /// Lower the restitution to its limit
    Limit,
    /// Keep the restitution and slip
    Slip,
}

impl Guard {
    /// The name used in problems.
    pub fn name(self) -> &'static str {
        match self {
            Guard::Report => "report",
            Guard::Limit => "limit",
            Guard::Slip => "slip",
        }
    }
}
