//! What can be typed.

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
    /// Let a robot move: flight, impacts, sticking and sliding, with every joule accounted for
    Simulate(Simulate),
    /// Draw a map: what sticks, slips, reverses or creates energy, over coefficients or states
    Map(Map),
    /// Put one impact to every law, side by side
    Compare(Compare),
    /// Solve many impacts, one JSON problem a line
    Batch(Batch),
    /// Read a robot file and print its tree, freedoms, masses, frames and warnings
    Check(Check),
    /// List the built-in impacts and simulations, or print one as a file
    Gallery(Gallery),
}

#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 answered, 2 bad input or usage.")]
pub struct Impact {
    /// A built-in scene, a JSON or TOML problem or scene file, or - for standard input
    #[arg(value_name = "SCENE|FILE|-")]
    pub problem: PathBuf,

    /// How to print the outcome
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// What to do with a stick that creates energy [default: the problem's, else report]
    #[arg(long, value_enum)]
    pub guard: Option<Guard>,

    /// The impact law: aghili, or one of its rivals [default: the problem's, else aghili]
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(Law::ALL.map(Law::name)))]
    pub law: Option<String>,

    /// Change a value of the problem: restitution=0.7, friction.dynamic=0.3, state.velocity.elbow=-2
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub edits: Vec<Edit>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 ran to its end, 1 interrupted, out of time or failed on the way (what was simulated is written and marked), 2 bad input or usage."
)]
pub struct Simulate {
    /// A built-in simulation, a JSON or TOML scene file, or - for standard input
    #[arg(value_name = "SCENE|FILE|-")]
    pub scene: PathBuf,

    /// Where to write states and events, by the ending: .parquet, .csv or .json; the first two write the events beside,
    /// as NAME.events.parquet or NAME.events.csv
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Draw gaps, modes and energy over time: .svg or .png
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,

    /// Write a page that plays the motion
    #[arg(long, value_name = "FILE.html")]
    pub render: Option<PathBuf>,

    /// When to end, in seconds [default: the scene's, else 10]
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    pub until: Option<f64>,

    /// Relative tolerance of the integration [default: the scene's, else 1e-10]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub tolerance: Option<f64>,

    /// Time between samples, in seconds [default: the scene's, else 0.01]
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    pub interval: Option<f64>,

    /// Events after which the run ends with an error [default: the scene's, else 1000000]
    #[arg(long, value_name = "N")]
    pub max_events: Option<u64>,

    /// Seconds by the clock after which the run ends; what was simulated is written and marked [default: none]
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    pub max_time: Option<f64>,

    /// What an impact does where sticking would create energy [default: the scene's, else slip]
    #[arg(long, value_enum)]
    pub guard: Option<Guard>,

    /// How to print the summary
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// How many events to print at most; 0 prints none, all prints all
    #[arg(long, value_name = "N|all", default_value = "12", value_parser = event_count)]
    pub events: EventCount,

    /// Change a value of the scene: restitution=0.7, friction.dynamic=0.3, state.velocity.elbow=-2
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub edits: Vec<Edit>,
}

/// How many events to print.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventCount {
    All,
    AtMost(usize),
}

fn event_count(text: &str) -> Result<EventCount, String> {
    match text {
        "all" => Ok(EventCount::All),
        _ => text.parse().map(EventCount::AtMost).map_err(|_| format!("{text:?} is neither a number nor all")),
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 drawn, 2 bad input or usage.")]
pub struct Map {
    /// A built-in scene, a JSON or TOML problem or scene file, or - for standard input
    #[arg(value_name = "SCENE|FILE|-")]
    pub problem: PathBuf,

    /// Where to write it: .svg or .png for a figure, .json or .csv for its data
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,

    /// What varies
    #[arg(long, value_enum, default_value_t = MapOver::Coefficients)]
    pub over: MapOver,

    /// Cells along each axis, 2 to 4000
    #[arg(long, value_name = "N", default_value_t = 400)]
    pub resolution: usize,

    /// The ends of the vertical axis, or of both axes, horizontal first: 2, 0.1:2 or 0:0.5,0:2 [default: from the curves]
    #[arg(long, value_name = "MAX|MIN:MAX|MIN:MAX,MIN:MAX", allow_hyphen_values = true)]
    pub range: Option<Range>,

    /// Hatch the paper's set [41]: pairs that create energy in no state of this configuration
    #[arg(long)]
    pub admissible_set: bool,

    /// Pixels across a .png, 100 to 4000 [default: 1200, which are 380 dots an inch at 8 cm]
    #[arg(long, value_name = "PIXELS")]
    pub width: Option<u32>,

    /// Change a value of the problem: restitution=0.7, friction.dynamic=0.3, state.velocity.elbow=-2
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub edits: Vec<Edit>,
}

#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 answered or drawn, 2 bad input or usage.")]
pub struct Compare {
    /// A built-in scene, a JSON or TOML problem or scene file, or - for standard input
    #[arg(value_name = "SCENE|FILE|-")]
    pub problem: PathBuf,

    /// How to print the laws' answers
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// Write a file instead: .svg or .png draws the laws' impulses in the friction cone, .json has the answers
    #[arg(short, long, value_name = "FILE", conflicts_with = "format")]
    pub output: Option<PathBuf>,

    /// Pixels across a .png, 100 to 4000 [default: 1200, which are 380 dots an inch at 8 cm]
    #[arg(long, value_name = "PIXELS", requires = "output")]
    pub width: Option<u32>,

    /// Change a value of the problem: restitution=0.7, friction.dynamic=0.3, state.velocity.elbow=-2
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub edits: Vec<Edit>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MapOver {
    /// Restitution and friction, for this state
    Coefficients,
    /// The tangential velocity, for this pair; in the plane with friction as the other axis
    State,
}

#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 all answered, 1 some line failed, 2 bad input or usage.")]
pub struct Batch {
    /// A file with one JSON problem a line, or - for standard input
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

    /// Let joints that mimic others move by themselves
    #[arg(long)]
    pub free_mimics: bool,
}

#[derive(Debug, Args)]
pub struct Gallery {
    /// The scene to print
    pub scene: Option<String>,

    /// The simulation of that name, not the impact
    #[arg(long)]
    pub simulation: bool,

    /// How to print it
    #[arg(long, value_enum, default_value_t = SceneFormat::Toml)]
    pub format: SceneFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SceneFormat {
    /// As it is written, with comments
    Toml,
    /// On one line, for a batch
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// For programs: one JSON object
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Guard {
    /// Give the law's answer, marked inadmissible
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
