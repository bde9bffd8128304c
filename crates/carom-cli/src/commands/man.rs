//! `carom man`: manual pages.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use crate::args::{self, Arguments};
use crate::failure::Failure;
use crate::output::Output;

pub fn run(arguments: &args::Man) -> Result<ExitCode, Failure> {
    let mut carom = Arguments::command();
    // Options of all commands are passed on to the subcommands.
    carom.build();
    if let Some(folder) = &arguments.output {
        std::fs::create_dir_all(folder).map_err(|error| Failure::file(folder, "create", error))?;
        write(&page(&carom, None), Some(&folder.join("carom.1")))?;
        for command in subcommands(&carom) {
            write(&page(command, Some(&carom)), Some(&folder.join(format!("carom-{}.1", command.get_name()))))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let page = match &arguments.command {
        None => page(&carom, None),
        Some(name) => match subcommands(&carom).find(|command| command.get_name() == name) {
            Some(command) => page(command, Some(&carom)),
            None => {
                let commands = subcommands(&carom).map(|command| command.get_name().to_owned()).collect();
                return Err(Failure::NoSuchCommand { name: name.clone(), commands });
            }
        },
    };
    write(&page, None)?;
    Ok(ExitCode::SUCCESS)
}

fn subcommands(carom: &Command) -> impl Iterator<Item = &Command> {
    carom.get_subcommands().filter(|command| command.get_name() != "help")
}

/// The manual page of a command, as the text of roff.
fn page(command: &Command, parent: Option<&Command>) -> io::Result<Vec<u8>> {
    let name = parent.map_or("carom".to_owned(), |_| format!("carom-{}", command.get_name()));
    let mut text = Vec::new();
    Man::new(command.clone().version(env!("CARGO_PKG_VERSION"))).title(name).manual("carom").render(&mut text)?;
    Ok(text)
}

fn write(page: &io::Result<Vec<u8>>, path: Option<&Path>) -> Result<(), Failure> {
    let mut output = Output::open(path)?;
    let written = match page {
        Ok(page) => output.write_all(page),
        Err(error) => Err(io::Error::other(error.to_string())),
    };
    written.map_err(|error| output.failure(error))?;
    output.finish()
}
