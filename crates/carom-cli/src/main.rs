//! The `carom` command. It reads, calls and prints; it computes nothing.
//!
//! | file | what it has |
//! |---|---|
//! | `args` | what was typed |
//! | `commands` | one file a subcommand |
//! | `source` | where a problem comes from |
//! | `exhibits` | the two lists of built-in scenes |
//! | `kind` | what to write, by a file's ending |
//! | `output` | files that appear when complete |
//! | `snippet` | the lines an error is about |
//! | `failure` | what ends a command without an answer |
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
        // Whoever read our output has seen enough.
        Err(Failure::ClosedPipe) => ExitCode::SUCCESS,
        Err(failure) => {
            output::complain(&format!("error: {failure}"));
            ExitCode::from(2)
        }
    }
}
