//! What can be typed.

use std::path::PathBuf;

use carom::law::Law;
use carom::problem::Edit;
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
    /// Solve many impacts, one JSON problem a line
    Batch(Batch),
    /// Read a robot file and print its tree, freedoms, masses, frames and warnings
    Check(Check),
    /// List the built-in scenes, or print one as a problem file
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
