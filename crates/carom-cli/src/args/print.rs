//! Commands that print or show: `check`, `explore`, `gallery`, `schema`, `completions` and `man`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use clap_complete::Shell;

use super::choice::Format;
use crate::examples;

#[derive(Debug, Args)]
#[command(after_help = examples::CHECK)]
pub struct Check {
    /// A URDF, MJCF or SDF file, or a built-in model
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
#[command(after_help = examples::EXPLORE)]
pub struct Explore {
    /// A built-in scene, a JSON or TOML problem or scene file, a robot file (URDF, MJCF or SDF), or the file of a run [default: kane]
    #[arg(value_name = "SCENE|FILE|ROBOT", value_hint = ValueHint::FilePath)]
    pub subject: Option<PathBuf>,

    /// The port of the page [default: a free one]
    #[arg(long, value_name = "PORT")]
    pub port: Option<u16>,

    /// Print the address only: do not start a browser
    #[arg(long)]
    pub no_open: bool,
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SceneFormat {
    /// The original text, with comments; a list as text
    Toml,
    /// On one line: a scene for a batch, or a list with names, kinds and titles
    Json,
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
