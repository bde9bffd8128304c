//! A seeded sample of mutants by cargo-mutants: which changes of the code no test notices.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{cargo_program, output, root, run};

/// Mutants of a crate, by default.
const SAMPLE: usize = 300;
/// The sample without `--seed`.
const SEED: u64 = 1;
/// Seconds after which the tests of a mutant are ended: most mutants that loop for ever do so in the first test.
const QUICK_TIMEOUT: &str = "120";
const SLOW_TIMEOUT: &str = "900";

/// What of a crate is mutated, and by which tests.
struct Target {
    name: &'static str,
    files: &'static [&'static str],
    /// Tests that take seconds, for every mutant: arguments of `cargo test`.
    quick: &'static [&'static str],
    /// Tests that take longer, for the mutants that the quick ones miss, with the packages that have them.
    slow: &'static [&'static str],
    packages: &'static str,
    /// Crates that no mutant changes, and that the tests spend their time in.
    optimised: &'static [&'static str],
}

const TARGETS: [Target; 2] = [
    Target {
        name: "carom-sim",
        files: &["crates/carom-sim/src/simulation/event/**/*.rs", "crates/carom-sim/src/simulation/instant/**/*.rs"],
        // Ten drops beside those with names; the ones that are left out take half a minute.
        quick: &[
            "--lib",
            "--test",
            "drops",
            "--",
            "--skip",
            "what_once_failed_passes",
            "--skip",
            "continuation_answers",
            "--skip",
            "a_creep_that_comes_back",
        ],
        slow: &[
            "--test",
            "drops",
            "--test",
            "metamorphic",
            "--test",
            "simulation",
            "--test",
            "onsets",
            "--test",
            "jams",
            "--test",
            "heuristics",
            "--test",
            "scales",
        ],
        packages: "carom-sim,carom",
        optimised: &["carom-law", "carom-multibody"],
    },
    Target {
        name: "carom-law",
        files: &["crates/carom-law/src/closed/**/*.rs", "crates/carom-law/src/together/**/*.rs"],
        quick: &[
            "--lib",
            "--test",
            "simultaneous",
            "--test",
            "simultaneous_properties",
            "--test",
            "persistent_jam",
            "--test",
            "persistent_margin",
            "--test",
            "persistent_phase",
        ],
        slow: &["--tests"],
        packages: "carom-law",
        optimised: &[],
    },
];

/// How the tests of a mutant ended, in the words of cargo-mutants' files.
const ENDS: [&str; 4] = ["caught", "missed", "timeout", "unviable"];

/// Mutants by how their tests ended.
type Ends = BTreeMap<&'static str, Vec<String>>;

/// `[CRATE] [--sample N] [--seed S] [--part I/N]`
pub fn mutants(arguments: &[&str]) -> Result<(), String> {
    let (mut sample, mut seed, mut part) = (SAMPLE, SEED, (1, 1));
    let mut targets: Vec<&Target> = TARGETS.iter().collect();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value =
            |what: &str| rest.next().copied().ok_or(format!("mutants {argument} {what}: no {what} is given,"));
        match *argument {
            "--sample" => sample = number(argument, value("N")?)?,
            "--seed" => seed = number(argument, value("S")?)?,
            "--part" => part = part_of(value("I/N")?)?,
            name => {
                let named = |target: &&Target| target.name == name;
                let known = TARGETS.map(|target| target.name).join(", ");
                targets = vec![TARGETS.iter().find(named).ok_or(format!("mutants {name}: the crates are {known},"))?];
            }
        }
    }
    install()?;
    targets.into_iter().try_for_each(|target| examine(target, sample, seed, part))
}

fn number<T: std::str::FromStr>(option: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("mutants {option} {text}: not a natural number,"))
}

/// The part I of N, from 1 to N.
fn part_of(text: &str) -> Result<(usize, usize), String> {
    let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    let fits = |&(i, n): &(usize, usize)| (1..=n).contains(&i);
    parts.filter(fits).ok_or(format!("mutants --part {text}: not I/N with I from 1 to N,"))
}

/// Tests a sample of the mutants of a crate and prints what became of them.
fn examine(target: &Target, sample: usize, seed: u64, (part, parts): (usize, usize)) -> Result<(), String> {
    let all = list(target)?;
    let chosen: Vec<String> = draw(all.clone(), sample, seed).into_iter().skip(part - 1).step_by(parts).collect();
    println!("{}: {} mutants, {} of them in this part, seed {seed}", target.name, all.len(), chosen.len());
    let folder = root().join(format!("target/mutants/{}-{seed}-{part}-of-{parts}", target.name));
    // The first run also builds and tests the code as it is.
    let mut ends = test(target, &chosen, &folder.join("quick"), &["--timeout", QUICK_TIMEOUT], target.quick)?;
    let missed = std::mem::take(ends.entry("missed").or_default());
    if !missed.is_empty() {
        let options = ["--timeout", SLOW_TIMEOUT, "--baseline", "skip", "--test-package", target.packages];
        for (end, names) in test(target, &missed, &folder.join("slow"), &options, target.slow)? {
            ends.entry(end).or_default().extend(names);
        }
    }
    report(target, &ends);
    Ok(())
}

/// The mutants of a crate, in the order of the code.
fn list(target: &Target) -> Result<Vec<String>, String> {
    let listed = output(mutants_command(target).arg("--list"), "cargo mutants --list")?;
    Ok(listed.lines().filter(|line| line.contains(".rs:")).map(str::to_owned).collect())
}

/// So many of a list, in an order that the seed determines.
fn draw(mut list: Vec<String>, count: usize, seed: u64) -> Vec<String> {
    let count = count.min(list.len());
    let mut state = seed;
    for place in 0..count {
        let other = place + (split_mix(&mut state) % (list.len() - place) as u64) as usize;
        list.swap(place, other);
    }
    list.truncate(count);
    list
}

/// The generator SplitMix64 (Steele, Lea and Flood 2014).
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Runs tests on mutants given by name.
fn test(target: &Target, names: &[String], folder: &Path, options: &[&str], tests: &[&str]) -> Result<Ends, String> {
    fs::create_dir_all(folder).map_err(|error| format!("{} ({error})", folder.display()))?;
    let mut command = mutants_command(target);
    for name in names {
        command.args(["--re", &format!("^{}$", escaped(name))]);
    }
    for package in target.optimised {
        command.arg(format!("--cargo-arg=--config=profile.mutants.package.{package}.opt-level=3"));
    }
    command.args(["--profile", "mutants", "--no-shuffle", "--output"]).arg(folder).args(options);
    command.env("CARGO_TARGET_DIR", build_folder()).env("CAROM_DROPS", "10").arg("--").args(tests);
    // Missed mutants are no failure of this command; a failure of the code as it is leaves no list.
    let _ = run(&mut command, "cargo mutants");
    read(&folder.join("mutants.out"))
}

/// Registry dependencies are built once for all runs: cargo-mutants copies the sources to a new folder each time.
fn build_folder() -> PathBuf {
    let root = root();
    root.canonicalize().unwrap_or(root).join("target/mutants/build")
}

fn mutants_command(target: &Target) -> Command {
    let mut command = Command::new(cargo_program());
    command.args(["mutants", "--package", target.name]);
    for files in target.files {
        command.args(["--file", files]);
    }
    command
}

/// A name as a regular expression that matches itself alone.
fn escaped(name: &str) -> String {
    let mut text = String::with_capacity(2 * name.len());
    for letter in name.chars() {
        // Escaped, < and > would be the ends of words.
        if letter.is_ascii_punctuation() && !"<>".contains(letter) {
            text.push('\\');
        }
        text.push(letter);
    }
    text
}

/// What cargo-mutants wrote of a run.
fn read(folder: &Path) -> Result<Ends, String> {
    let lines = |end: &'static str| {
        let path = folder.join(format!("{end}.txt"));
        let text = fs::read_to_string(&path).map_err(|error| format!("{} ({error})", path.display()))?;
        Ok((end, text.lines().map(str::to_owned).collect()))
    };
    ENDS.into_iter().map(lines).collect()
}

fn report(target: &Target, ends: &Ends) {
    let count = |end: &str| ends.get(end).map_or(0, Vec::len);
    let viable = count("caught") + count("missed") + count("timeout");
    // A mutant that makes a test hang is noticed.
    let share = 100.0 * (viable - count("missed")) as f64 / viable.max(1) as f64;
    println!("\n| crate | viable | caught | timeout | missed | unviable | caught or timeout, % |");
    println!("|---|---|---|---|---|---|---|");
    println!(
        "| {} | {viable} | {} | {} | {} | {} | {share:.1} |",
        target.name,
        count("caught"),
        count("timeout"),
        count("missed"),
        count("unviable")
    );
    for name in ends.get("missed").into_iter().flatten() {
        println!("missed: {name}");
    }
}

/// Installs cargo-mutants from crates.io if it is missing.
fn install() -> Result<(), String> {
    let mut version = Command::new(cargo_program());
    if version.args(["mutants", "--version"]).output().is_ok_and(|output| output.status.success()) {
        return Ok(());
    }
    run(Command::new(cargo_program()).args(["install", "cargo-mutants", "--locked"]), "cargo install cargo-mutants")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|k| k.to_string()).collect()
    }

    #[test]
    fn a_seed_draws_the_same_mutants_each_time_and_none_twice() {
        let drawn = draw(names(100), 30, 7);
        assert_eq!(drawn, draw(names(100), 30, 7));
        assert_ne!(drawn, draw(names(100), 30, 8));
        let mut sorted = drawn.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(sorted.len(), 30);
        assert_eq!(draw(names(5), 30, 7).len(), 5);
    }

    #[test]
    fn parts_are_counted_from_one() {
        assert_eq!(part_of("2/5"), Ok((2, 5)));
        for wrong in ["0/5", "6/5", "1", "a/b", "1/0"] {
            assert!(part_of(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_name_matches_itself_alone() {
        assert_eq!(escaped("a.rs:1:2: replace + with *"), r"a\.rs\:1\:2\: replace \+ with \*");
        assert_eq!(escaped("a > b"), "a > b");
    }
}
