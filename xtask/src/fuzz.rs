//! The fuzz targets under libFuzzer: `cargo fuzz` on a nightly toolchain.

use std::path::Path;
use std::process::Command;

use crate::run::{root, run};

/// The targets, in the order in which all of them run.
const TARGETS: [&str; 5] = ["law", "contact_set", "problem", "robot", "scene"];

/// Default minutes per target.
const MINUTES: u64 = 2;

/// Seconds and megabytes beyond which an input is a finding.
const LIMITS: [&str; 2] = ["-timeout=25", "-rss_limit_mb=4096"];

/// `[TARGET] [--minutes N] [--minimise]`
pub fn fuzz(arguments: &[&str]) -> Result<(), String> {
    let mut targets = TARGETS.to_vec();
    let (mut minutes, mut is_minimised) = (MINUTES, false);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match *argument {
            "--minutes" => {
                let number = rest.next().and_then(|text| text.parse().ok());
                minutes = number.ok_or("fuzz --minutes N: N must be an integer")?;
            }
            "--minimise" => is_minimised = true,
            name if TARGETS.contains(&name) => targets = vec![name],
            other => return Err(format!("fuzz {other}: the targets are {},", TARGETS.join(", "))),
        }
    }
    install()?;
    for target in targets {
        fuzz_one(target, minutes)?;
        if is_minimised {
            run(nightly().args(["cmin", "-s", "none", target, "--"]).args(LIMITS), "cargo fuzz cmin")?;
        }
    }
    Ok(())
}

/// Inputs that reach something new are kept in the corpus; a finding is in `fuzz/artifacts`. The address sanitizer has
/// little to find in a project without unsafe code, and takes half of the time.
fn fuzz_one(target: &str, minutes: u64) -> Result<(), String> {
    let seconds = format!("-max_total_time={}", 60 * minutes);
    let dictionary = root().join("fuzz/dictionaries").join(format!("{target}.txt"));
    let mut command = nightly();
    command.args(["run", "-s", "none", target, "--", &seconds]).args(LIMITS);
    if dictionary.exists() {
        command.arg(format!("-dict={}", absolute(&dictionary)));
    }
    run(&mut command, &format!("cargo fuzz run {target}"))
}

fn absolute(path: &Path) -> String {
    path.canonicalize().unwrap_or_else(|_| path.to_owned()).display().to_string()
}

fn nightly() -> Command {
    let mut command = Command::new("rustup");
    command.args(["run", "nightly", "cargo", "fuzz"]);
    command
}

/// Installs `cargo-fuzz` if it is missing.
fn install() -> Result<(), String> {
    let found = nightly().arg("--version").output().is_ok_and(|output| output.status.success());
    if found {
        return Ok(());
    }
    let mut command = Command::new("rustup");
    command.args(["run", "nightly", "cargo", "install", "cargo-fuzz", "--locked"]);
    run(&mut command, "cargo install cargo-fuzz (is there a nightly toolchain?)")
}
