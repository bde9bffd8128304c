//! The `carom` command. It reads, calls and prints; it computes nothing.
//!
//! | file | contents |
//! |---|---|
//! | `args` | subcommands and options |
//! | `commands` | one file per subcommand |
//! | `source` | the source of a problem: scene, file or standard input |
//! | `exhibits` | the two lists of built-in scenes |
//! | `kind` | output formats by file extension |
//! | `output` | files that appear when complete |
//! | `snippet` | the lines of a document that an error concerns |
//! | `failure` | errors that end a command |
#![warn(clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod args;
mod commands;
mod exhibits;
mod failure;
mod kind;
mod output;
mod snippet;
mod source;

use std::process::ExitCode;

use clap::Parser;

use args::{Arguments, Command};
use failure::Failure;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match arguments.command {
        Command::Impact(arguments) => commands::impact::run(&arguments),
        Command::Simulate(arguments) => commands::simulate::run(&arguments),
        Command::Map(arguments) => commands::map::run(&arguments),
        Command::Compare(arguments) => commands::compare::run(&arguments),
        Command::Batch(arguments) => commands::batch::run(&arguments),
        Command::Check(arguments) => commands::check::run(&arguments),
        Command::Gallery(arguments) => commands::gallery::run(&arguments),
    };
    match result {
        Ok(code) => code,
        // The reader of the output closed it.
        Err(Failure::ClosedPipe) => ExitCode::SUCCESS,
        Err(failure) => {
            output::complain(&format!("error: {failure}"));
            ExitCode::from(2)
        }
    }
}
