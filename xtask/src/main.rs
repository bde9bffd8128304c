//! What a contributor runs: `cargo xtask test`, `lint`, `oracle`, `reference`, `bench`.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const USAGE: &str = "\
cargo xtask TASK

  test        every test, a few minutes from a cold cache
  lint        formatting, clippy and documentation, warnings refused
  oracle      the law against its oracle on 100 times as many random problems (CAROM_CASES, CAROM_SEED)
  reference   recompute reference/precise with 80 digits and compare (Python 3)
  bench       time the law; arguments are passed on, for example: bench slip";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let rest: Vec<&str> = arguments.iter().skip(1).map(String::as_str).collect();
    let done = match arguments.first().map(String::as_str) {
        Some("test") => cargo(&["test", "--workspace"], &rest, &[]),
        Some("lint") => lint(),
        Some("oracle") => oracle(),
        Some("reference") => reference(),
        Some("bench") => bench(&rest),
        Some("help" | "--help" | "-h") => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("xtask: {what} failed");
            ExitCode::FAILURE
        }
    }
}

fn lint() -> Result<(), String> {
    cargo(&["fmt", "--all", "--check"], &[], &[])?;
    cargo(&["clippy", "--workspace", "--all-targets"], &["--", "-D", "warnings"], &[])?;
    cargo(&["doc", "--workspace", "--no-deps", "--lib"], &[], &[("RUSTDOCFLAGS", "-D warnings")])
}

/// 600,000 problems and more; `CAROM_CASES` of the environment wins.
fn oracle() -> Result<(), String> {
    let cases = env::var("CAROM_CASES").unwrap_or_else(|_| "100".into());
    let tests = ["--test", "oracle", "--test", "properties"];
    let environment = [("CAROM_CASES", cases.as_str())];
    cargo(&[&["test", "--release", "-p", "carom-law"][..], &tests[..]].concat(), &["--", "--nocapture"], &environment)
}

fn reference() -> Result<(), String> {
    let script = root().join("reference/precise/make.py");
    run(Command::new("python3").arg(script).arg("--check"), "reference/precise/make.py --check")
}

fn bench(filters: &[&str]) -> Result<(), String> {
    let rest: Vec<&str> = std::iter::once("--").chain(filters.iter().copied()).collect();
    cargo(&["bench", "-p", "carom-law", "--bench", "impact"], &rest, &[])
}

fn cargo(arguments: &[&str], rest: &[&str], environment: &[(&str, &str)]) -> Result<(), String> {
    let mut command = Command::new(env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
    command.args(arguments).args(rest).envs(environment.iter().copied());
    run(&mut command, &format!("cargo {}", arguments.join(" ")))
}

fn run(command: &mut Command, name: &str) -> Result<(), String> {
    match command.current_dir(root()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(name.to_owned()),
        Err(error) => Err(format!("{name} ({error})")),
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
