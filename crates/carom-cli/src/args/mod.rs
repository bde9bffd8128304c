//! The command line: subcommands and their options.
//!
//! | file | options of |
//! |---|---|
//! | `subject` | every command about a problem or a robot |
//! | `impact` | `impact`, `map`, `compare`, `batch` |
//! | `run` | `simulate`, `rerun` |
//! | `sweep` | `sweep`, `plot` |
//! | `print` | `check`, `explore`, `gallery`, `schema`, `completions`, `man` |
//! | `choice` | several commands: the values of `--format` and `--guard` |

mod choice;
mod impact;
mod print;
mod run;
mod subject;
mod sweep;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use self::choice::Format;
pub use self::impact::{Batch, Compare, CompareFormat, Impact, Map, MapFormat, MapOver};
pub use self::print::{Check, Completions, Described, Explore, Gallery, Man, SceneFormat, Schema};
pub use self::run::{EventCount, Rerun, RunFormat, RunOutputs, Simulate};
pub use self::subject::{Changes, Friction, Robot, RunEvent, Subject};
pub use self::sweep::{Plot, Sweep, SweepFormat};
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
    /// Explore an impact on a page: drag the robot and the coefficients, see what happens and why
    Explore(Explore),
    /// List the built-in impacts and simulations, or print one as a file
    Gallery(Gallery),
    /// Print the JSON Schema of scenes, problems, outcomes or runs, for editors and programs
    Schema(Schema),
    /// Print the completions of a shell
    Completions(Completions),
    /// Print the manual page, or write one page per command
    Man(Man),
}
