//! The command line: subcommands and options.

use std::path::PathBuf;

use carom::document::Edit;
use carom::law::Law;
use carom::report::sweep::Shard;
use carom::study::Range;
use carom::study::sweep::{Axis, Draw};
use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;

use crate::examples;

#[derive(Debug, Parser)]
#[command(name = "carom", version, max_term_width = 100, after_help = examples::CAROM)]
#[command(
    about = "Frictional impacts in multibody systems: velocities after, impulse, mode, and where the energy went"
)]
pub struct Arguments {
    #[command(flatten)]
    pub general: General,

    #[command(subcommand)]
    pub command: Command,
}

/// Options of all commands.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of all commands")]
pub struct General {
    /// Print results and errors only: no assumptions, warnings, notes or progress
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Print more to standard error: ignored elements of robot files, times, the solver's work
    #[arg(short, long, global = true)]
    pub verbose: bool,

    /// When to use colours; auto: on a terminal, unless NO_COLOR is set, or if CLICOLOR_FORCE is
    #[arg(long, value_enum, value_name = "auto|always|never", global = true, default_value_t = Color::Auto)]
    #[arg(hide_possible_values = true, hide_default_value = true)]
    pub color: Color,
}

/// When output is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Solve one impact
    Impact(Impact),
    /// Simulate a robot: flight, impacts, sticking and sliding, with every joule accounted for
    Simulate(Simulate),
    /// Repeat a run from its file, and compare the two to the bit
    Rerun(Rerun),
    /// Draw a map of where an impact sticks, slips, reverses or creates energy, over coefficients or states
    Map(Map),
    /// Compare all laws on one impact
    Compare(Compare),
    /// Solve many impacts, one JSON problem per line
    Batch(Batch),
    /// Vary keys of a scene over grids and distributions, one impact or simulation per row of a table
    Sweep(Sweep),
    /// Draw a column of a sweep over two others: a heat map, curves or points
    Plot(Plot),
    /// Read a robot file and print its tree, joints, collision shapes, frames, keyframes and warnings
    Check(Check),
    /// List the built-in impacts and simulations, or print one as a file
    Gallery(Gallery),
    /// Print the JSON Schema of scenes, problems, outcomes or runs, for editors and programs
    Schema(Schema),
    /// Print the completions of a shell
    Completions(Completions),
    /// Print the manual page, or write one page per command
    Man(Man),
}

/// Changes of a problem or scene.
#[derive(Debug, Args)]
pub struct Changes {
    /// Coefficient of restitution, in place of that of the problem
    #[arg(long, value_name = "E", allow_hyphen_values = true, value_parser = number)]
    pub restitution: Option<f64>,

    /// Coefficient of friction, or the static and the dynamic one, in place of that of the problem
    #[arg(long, value_name = "MU|STATIC,DYNAMIC", allow_hyphen_values = true, value_parser = friction)]
    pub friction: Option<Friction>,

    /// Change a value of the problem: friction.dynamic=0.3, state.velocity.elbow=-2
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub edits: Vec<Edit>,
}

/// A coefficient of friction as given; its range is checked with the problem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Friction {
    One(f64),
    StaticAndDynamic(f64, f64),
}

fn number(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| format!("{text:?} must be a finite number, such as 0.5"))
}

fn friction(text: &str) -> Result<Friction, String> {
    let wrong =
        || format!("{text:?} must be a number, or two with a comma between them, static first, such as 0.5,0.4");
    let parts: Result<Vec<f64>, _> = text.split(',').map(number).collect();
    match parts.map_err(|_| wrong())?[..] {
        [one] => Ok(Friction::One(one)),
        [of_stick, of_slip] => Ok(Friction::StaticAndDynamic(of_stick, of_slip)),
        _ => Err(wrong()),
    }
}

/// The impact that a command is about.
#[derive(Debug, Args)]
pub struct Subject {
    /// A built-in scene, a JSON or TOML problem or scene file, a robot file (URDF or MJCF), or - for standard input
    #[arg(value_name = "SCENE|FILE|ROBOT|-", value_hint = ValueHint::FilePath)]
    #[arg(required_unless_present = "event", conflicts_with = "event")]
    pub problem: Option<PathBuf>,

    /// The impact of an event of a run, counted from 0 as in its list: the state before it, and the contacts that took part
    #[arg(long, value_name = "RUN.json|csv|parquet:N", value_parser = run_event)]
    pub event: Option<RunEvent>,

    /// The robot's file, if it is not where the run of --event had it
    #[arg(id = "robot_file", long = "robot", value_name = "FILE", requires = "event", value_hint = ValueHint::FilePath)]
    pub robot_file: Option<PathBuf>,
}

/// An event of a run in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunEvent {
    pub run: PathBuf,
    pub number: usize,
}

fn run_event(text: &str) -> Result<RunEvent, String> {
    let wrong =
        || format!("{text:?} must be the file of a run, a colon and the number of an event, such as run.json:12");
    let (run, number) = text.rsplit_once(':').filter(|(run, _)| !run.is_empty()).ok_or_else(wrong)?;
    Ok(RunEvent { run: run.into(), number: number.trim().parse().map_err(|_| wrong())? })
}

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
#[command(after_help = examples::SIMULATE)]
pub struct Simulate {
    /// A built-in simulation, a JSON or TOML scene file, a robot file (URDF or MJCF), or - for standard input
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

    /// What to do with a stick that creates energy [default: the scene's, or slip]
    #[arg(long, value_enum)]
    pub guard: Option<Guard>,

    /// How to print the summary, as text or json [default: text]; with -o -, how to write the run, as json, csv or
    /// parquet
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true)]
    pub format: Option<RunFormat>,

    /// Largest number of rows of events to print, or all; bounces that come faster and faster are one row. `every`
    /// prints each event
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

    /// Start from this keyframe of an MJCF file [default: its home configuration]
    #[arg(long, value_name = "NAME")]
    pub keyframe: Option<String>,

    /// Let joints move through the limits of the robot's file in a simulation
    #[arg(long)]
    pub no_limits: bool,

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

#[derive(Debug, Args)]
#[command(after_help = examples::COMPARE)]
pub struct Compare {
    #[command(flatten)]
    pub subject: Subject,

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

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MapOver {
    /// Restitution and friction, for this state
    Coefficients,
    /// The tangential velocity, for these coefficients; in the plane with friction as the other axis
    State,
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

#[derive(Debug, Args)]
#[command(after_help = examples::SWEEP)]
pub struct Sweep {
    /// A built-in scene, a JSON or TOML problem or scene file, a robot file (URDF or MJCF), or - for standard input
    #[arg(value_name = "SCENE|FILE|ROBOT|-", value_hint = ValueHint::FilePath)]
    pub problem: PathBuf,

    /// Where to write the table: a folder, for parts that an interrupted sweep continues and that shards share, or a file,
    /// .parquet or .csv; - for standard output
    #[arg(short, long, value_name = "FOLDER|FILE|-", value_hint = ValueHint::AnyPath)]
    pub output: PathBuf,

    /// Values of a key: restitution=0:1:200 for 200 from 0 to 1, friction=[0.1,0.2,0.5] for a list; several keys make a
    /// grid, of which the last runs fastest
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
    /// end.velocity, count(KIND,CONTACT), first(KIND,CONTACT).time and last(...) [default: the usual ones]
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

#[derive(Debug, Args)]
#[command(after_help = examples::PLOT)]
pub struct Plot {
    /// What carom sweep wrote: a folder, a .parquet or a .csv file
    #[arg(value_name = "FOLDER|FILE", value_hint = ValueHint::AnyPath)]
    pub table: PathBuf,

    /// Where to write it: .svg or .png
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,

    /// The column along the horizontal axis, usually a key that varies
    #[arg(long, value_name = "COLUMN")]
    pub x: String,

    /// The column along the vertical axis: a second key, or a result
    #[arg(long, value_name = "COLUMN")]
    pub y: String,

    /// The column that colours show; over a grid of two keys a heat map, with words one curve each
    #[arg(long, value_name = "COLUMN")]
    pub color_by: Option<String>,

    /// Width of a .png in pixels, 100 to 4000 [default: 1200, which is 380 dpi at 8 cm]
    #[arg(long, value_name = "PIXELS")]
    pub width: Option<u32>,
}

/// The formats of a sweep's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SweepFormat {
    #[cfg(feature = "parquet")]
    Parquet,
    Csv,
}

#[derive(Debug, Args)]
#[command(after_help = examples::CHECK)]
pub struct Check {
    /// A URDF or MJCF file, or a built-in model
    #[arg(value_name = "FILE|MODEL", value_hint = ValueHint::FilePath)]
    pub robot: PathBuf,

    /// Let the root link of a URDF move freely
    #[arg(long)]
    pub floating_base: bool,

    /// Let joints that mimic others move independently
    #[arg(long)]
    pub free_mimics: bool,

    /// How to print it; as text long lists are shortened, unless -v is given
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

#[derive(Debug, Args)]
#[command(after_help = examples::GALLERY)]
pub struct Gallery {
    /// The scene to print [default: a list of all]
    pub scene: Option<String>,

    /// Print the simulation with this name, not the impact; without a name, list the simulations only
    #[arg(long)]
    pub simulation: bool,

    /// How to print a scene or the list
    #[arg(long, value_enum, default_value_t = SceneFormat::Toml)]
    pub format: SceneFormat,
}

#[derive(Debug, Args)]
#[command(after_help = examples::SCHEMA)]
pub struct Schema {
    /// What it describes
    #[arg(value_enum)]
    pub of: Described,
}

/// The documents that have a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Described {
    /// A robot, its state and its contacts, for carom impact and carom simulate
    Scene,
    /// An impact by matrices or by a scene, for carom impact and carom batch
    Problem,
    /// The answer to a problem, or an error, as carom impact --format json and carom batch write it
    Outcome,
    /// A run, as carom simulate writes it with -o run.json, and without samples with --format json
    Run,
}

#[derive(Debug, Args)]
#[command(after_help = examples::COMPLETIONS)]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

#[derive(Debug, Args)]
#[command(after_help = examples::MAN)]
pub struct Man {
    /// The command whose page to print [default: carom itself]
    #[arg(conflicts_with = "output")]
    pub command: Option<String>,

    /// A folder for the pages of all commands: carom.1, carom-impact.1 and so on
    #[arg(short, long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SceneFormat {
    /// The original text, with comments; a list as text
    Toml,
    /// On one line: a scene for a batch, or a list with names, kinds and titles
    Json,
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

/// The formats of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CompareFormat {
    Text,
    Json,
    Svg,
    #[cfg(feature = "png")]
    Png,
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
