//! `carom completions`: what a shell needs to complete commands, options and names of scenes.

use std::io::Write;
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Command, CommandFactory};
use clap_complete::Shell;

use crate::args::{Arguments, Completions};
use crate::exhibits::Gallery;
use crate::failure::Failure;
use crate::output::Output;

pub fn run(arguments: &Completions) -> Result<ExitCode, Failure> {
    let mut command = Arguments::command();
    // Bash completes files where no name fits; other shells would offer nothing but the names.
    if arguments.shell == Shell::Bash {
        command = with_scenes(command);
    }
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "carom", &mut script);
    let mut output = Output::open(None)?;
    output.write_all(&script).map_err(|error| output.failure(error))?;
    output.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// The command with the names of scenes as the values of the arguments that accept them.
fn with_scenes(command: Command) -> Command {
    let all: Vec<&str> = [Gallery::Impacts, Gallery::Simulations].into_iter().flat_map(Gallery::names).collect();
    let arguments = [
        ("impact", "problem", Gallery::Impacts.names()),
        ("map", "problem", Gallery::Impacts.names()),
        ("compare", "problem", Gallery::Impacts.names()),
        ("simulate", "scene", Gallery::Simulations.names()),
        ("gallery", "scene", all),
    ];
    arguments.into_iter().fold(command, |command, (name, argument, names)| {
        command.mut_subcommand(name, |subcommand| {
            subcommand.mut_arg(argument, |argument| argument.value_parser(PossibleValuesParser::new(names)))
        })
    })
}
