//! The `carom` command. It reads, calls and prints; it computes nothing.
//!
//! | file | contents |
//! |---|---|
//! | `args` | subcommands and options |
//! | `examples` | examples and exit codes in `--help` |
//! | `console` | verbosity, colours, messages to standard error |
//! | `commands` | one file per subcommand |
//! | `running` | a simulation with a progress bar, until its end or a signal |
//! | `run_files` | the files of a run: tables, a figure, a page |
//! | `source` | the source of a problem: scene, file or standard input |
//! | `http` | a small server for a page of this machine |
//! | `exhibits` | the two lists of built-in scenes |
//! | `kind` | output formats by file extension |
//! | `output` | files that appear when complete |
//! | `similar` | the known name that a wrong one was probably meant to be |
//! | `snippet` | the lines of a document that an error concerns |
//! | `failure` | errors that end a command |
#![warn(clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod args;
mod commands;
mod console;
mod examples;
mod exhibits;
mod failure;
mod http;
mod kind;
mod output;
mod run_files;
mod running;
mod similar;
mod snippet;
mod source;

use std::process::ExitCode;
use std::time::Instant;

use clap::{ColorChoice, CommandFactory, FromArgMatches, ValueEnum};

use args::{Arguments, Color, Command};
use failure::Failure;

fn main() -> ExitCode {
    let begun = Instant::now();
    let arguments = arguments();
    console::set(&arguments.general);
    let result = match arguments.command {
        Command::Impact(arguments) => commands::impact::run(&arguments),
        Command::Simulate(arguments) => commands::simulate::run(&arguments),
        Command::Rerun(arguments) => commands::rerun::run(&arguments),
        Command::Map(arguments) => commands::map::run(&arguments),
        Command::Compare(arguments) => commands::compare::run(&arguments),
        Command::Batch(arguments) => commands::batch::run(&arguments),
        Command::Sweep(arguments) => commands::sweep::run(&arguments),
        Command::Plot(arguments) => commands::plot::run(&arguments),
        Command::Check(arguments) => commands::check::run(&arguments),
        Command::Explore(arguments) => commands::explore::run(&arguments),
        Command::Gallery(arguments) => commands::gallery::run(&arguments),
        Command::Schema(arguments) => commands::schema::run(&arguments),
        Command::Completions(arguments) => commands::completions::run(&arguments),
        Command::Man(arguments) => commands::man::run(&arguments),
    };
    console::timed("in all", begun);
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

/// Parses the command line, and prints help and errors of usage in the colours that it asks for.
fn arguments() -> Arguments {
    let given: Vec<String> = std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect();
    let after =
        given.iter().zip(given.iter().skip(1)).find(|(option, _)| *option == "--color").map(|(_, when)| when.as_str());
    let when = after.or_else(|| given.iter().find_map(|argument| argument.strip_prefix("--color=")));
    let color = match when.and_then(|when| Color::from_str(when, false).ok()).unwrap_or(Color::Auto) {
        Color::Auto => ColorChoice::Auto,
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
    };
    let matches = Arguments::command().color(color).get_matches();
    Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}
