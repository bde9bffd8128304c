//! Runs other programs in the project's root.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

pub fn cargo(arguments: &[&str], rest: &[&str], environment: &[(&str, &str)]) -> Result<(), String> {
    let mut command = Command::new(cargo_program());
    command.args(arguments).args(rest).envs(environment.iter().copied());
    run(&mut command, &format!("cargo {}", arguments.join(" ")))
}

pub fn cargo_program() -> String {
    env::var("CARGO").unwrap_or_else(|_| "cargo".into())
}

pub fn run(command: &mut Command, name: &str) -> Result<(), String> {
    match command.current_dir(root()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(name.to_owned()),
        Err(error) => Err(format!("{name} ({error})")),
    }
}

/// The standard output of a program.
pub fn output(command: &mut Command, name: &str) -> Result<String, String> {
    let output = command.current_dir(root()).stderr(std::process::Stdio::inherit()).output();
    match output {
        Ok(output) if output.status.success() => {
            String::from_utf8(output.stdout).map_err(|error| format!("{name} ({error})"))
        }
        Ok(_) => Err(name.to_owned()),
        Err(error) => Err(format!("{name} ({error})")),
    }
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A program on the path.
pub fn program(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(name)).find(|path| Path::is_file(path))
}
