//! Times of impacts of whole robots, by carom and Pinocchio in the same run.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::python;
use crate::run::{cargo_program, output, root, run};

/// Number of rounds, of which the fastest counts: other work on the machine only adds time.
const ROUNDS: usize = 3;

/// Headers that Pinocchio's wheels leave out.
const HEADERS: [&str; 2] = ["libeigen3-dev", "liburdfdom-headers-dev"];

/// Prints a table: Pinocchio's two methods, carom as built by default and for this processor, and the ratios.
pub fn bench() -> Result<(), String> {
    let folder = root().join("target/conformance");
    let python = python::environment()?;
    let list = folder.join("robots.txt");
    let robots = output(Command::new(&python).args(["-B", "conformance/peers/robots.py"]), "robots.py")?;
    fs::write(&list, &robots).map_err(|error| format!("{} ({error})", list.display()))?;

    let venv = python.parent().and_then(Path::parent).ok_or("the environment")?;
    let peers = folder.join("peers");
    let build = || run(Command::new("conformance/peers/build.sh").arg(venv).arg(&peers), "conformance/peers/build.sh");
    build().or_else(|_| {
        python::install(&HEADERS)?;
        build()
    })?;

    let mut columns = Columns::default();
    for round in 1..=ROUNDS {
        eprintln!("round {round} of {ROUNDS}");
        for variant in ["pinocchio_wheel", "pinocchio_native"] {
            columns.take(&output(Command::new(peers.join(variant)).arg(&list), variant)?, "")?;
        }
        columns.take(&carom(&list, None)?, "carom")?;
        columns.take(&carom(&list, Some(&folder.join("native")))?, "native")?;
    }
    columns.print(robots.lines().filter_map(|line| line.split_whitespace().next()));
    Ok(())
}

/// Carom's column: built by default, or for this processor into a separate folder.
fn carom(list: &Path, native: Option<&Path>) -> Result<String, String> {
    let mut command = Command::new(cargo_program());
    command.args(["bench", "--quiet", "-p", "carom", "--bench", "robots"]).env("CAROM_ROBOTS", list);
    if let Some(folder) = native {
        let flags = env::var("RUSTFLAGS").unwrap_or_default();
        command.env("RUSTFLAGS", format!("{flags} -C target-cpu=native")).env("CARGO_TARGET_DIR", folder);
    }
    output(&mut command, "cargo bench -p carom --bench robots")
}

/// Nanoseconds by robot and column, the minimum over all rounds.
#[derive(Default)]
struct Columns(BTreeMap<(String, &'static str), f64>);

impl Columns {
    fn take(&mut self, lines: &str, own: &'static str) -> Result<(), String> {
        for line in lines.lines() {
            let record: Value = serde_json::from_str(line).map_err(|error| format!("{line:?} ({error})"))?;
            let robot = record["robot"].as_str().ok_or("a line without a robot")?;
            let fields =
                [("nv", "nv"), ("hand_ns", "hand"), ("impulse_dynamics_ns", "impulse_dynamics"), ("carom_ns", own)];
            for (field, column) in fields {
                if let Some(value) = record[field].as_f64() {
                    let least = self.0.entry((robot.to_owned(), column)).or_insert(f64::INFINITY);
                    *least = least.min(value);
                }
            }
        }
        Ok(())
    }

    fn print<'r>(&self, robots: impl Iterator<Item = &'r str>) {
        println!(
            "| robot | nv | Pinocchio by hand, µs | impulseDynamics, µs | carom, µs | ratio | carom, target-cpu=native, µs | ratio |"
        );
        println!("|---|---|---|---|---|---|---|---|");
        for robot in robots {
            let get = |column| self.0.get(&(robot.to_owned(), column)).copied().unwrap_or(f64::NAN);
            let best = get("hand").min(get("impulse_dynamics"));
            let micro = |column| format!("{:.2}", 1e-3 * get(column));
            println!(
                "| {robot} | {} | {} | {} | {} | {:.2} | {} | {:.2} |",
                get("nv"),
                micro("hand"),
                micro("impulse_dynamics"),
                micro("carom"),
                best / get("carom"),
                micro("native"),
                best / get("native"),
            );
        }
        println!("\nTimes are minima; a ratio is Pinocchio's shorter time over carom's.");
    }
}
