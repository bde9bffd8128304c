//! Times of simulated seconds, by carom and MuJoCo in the same run.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

use crate::python;
use crate::run::{cargo_program, output};

/// Number of rounds, of which the fastest counts.
const ROUNDS: usize = 3;

/// Prints a table: microseconds per simulated second, carom at its default tolerance, MuJoCo at its default step.
pub fn bench() -> Result<(), String> {
    let python = python::environment()?;
    let mut least: BTreeMap<(String, u64, &str), f64> = BTreeMap::new();
    let mut remarks = String::new();
    for round in 1..=ROUNDS {
        eprintln!("round {round} of {ROUNDS}");
        let mut ours = Command::new(cargo_program());
        ours.args(["bench", "--quiet", "-p", "carom", "--bench", "simulation"]);
        let mut theirs = Command::new(&python);
        theirs.args(["-B", "conformance/peers/simulations.py"]);
        let lines = output(&mut ours, "cargo bench -p carom --bench simulation")?
            + &output(&mut theirs, "conformance/peers/simulations.py")?;
        remarks.clone_from(&lines);
        for line in lines.lines() {
            let record: Value = serde_json::from_str(line).map_err(|error| format!("{line:?} ({error})"))?;
            let scene = record["scene"].as_str().ok_or("a line without a scene")?;
            let seconds = record["seconds"].as_u64().ok_or("a line without its seconds")?;
            for column in ["carom_us", "mujoco_us"] {
                if let Some(value) = record[column].as_f64() {
                    let entry = least.entry((scene.to_owned(), seconds, column)).or_insert(f64::INFINITY);
                    *entry = entry.min(value);
                }
            }
        }
    }
    println!("| scene | seconds | carom, µs | faster than real time | MuJoCo, µs | MuJoCo over carom |");
    println!("|---|---|---|---|---|---|");
    for (scene, seconds, column) in least.keys().filter(|(_, _, column)| *column == "carom_us") {
        let get = |column| least.get(&(scene.clone(), *seconds, column)).copied().unwrap_or(f64::NAN);
        let (ours, theirs) = (get(column), get("mujoco_us"));
        println!("| {scene} | {seconds} | {ours:.0} | {:.0} times | {theirs:.0} | {:.2} |", 1e6 / ours, theirs / ours);
    }
    println!("\nMicroseconds per simulated second, minima of {ROUNDS} rounds. The last round:\n{remarks}");
    Ok(())
}
