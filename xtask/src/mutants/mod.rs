//! A seeded sample of mutants, listed by cargo-mutants: which changes of the code no test notices.
//!
//! | file | contents |
//! |---|---|
//! | `binary` | a test binary: which mutants its tests reach, and which they notice |
//! | `ends` | how the tests of each mutant ended, in a file that outlives the run |
//! | `switches` | sources in which every mutant is behind a switch |
//! | `tree` | the copy of the project with them, and its build |
//!
//! A build for each mutant would take a minute or more; one build with all of them behind switches takes a few, and each mutant then
//! the seconds of the tests that come to its place, up to the first that fails. Mutants that no switch can stand for have a build
//! each, by cargo-mutants.

mod binary;
mod ends;
mod switches;
mod tree;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{cargo_program, output, root, run};
use binary::{Binary, End, parallel};
use ends::{ENDS, Ends};
use switches::Mutant;
use tree::Tree;

/// Mutants of a crate, by default.
const SAMPLE: usize = 300;
/// The sample without `--seed`.
const SEED: u64 = 1;
/// Seconds after which the tests of a mutant that has a build of its own are ended.
const TIMEOUT: &str = "900";

/// What of a crate is mutated, and by which tests.
struct Target {
    name: &'static str,
    files: &'static [&'static str],
    /// Tests that take seconds, for every mutant.
    quick: &'static [Tests],
    /// Tests that take longer, for the mutants that the quick ones miss.
    slow: &'static [Tests],
}

/// A test binary of a package: its library's tests if the name is that of the package.
struct Tests {
    package: &'static str,
    name: &'static str,
    arguments: &'static [&'static str],
}

const fn tests(package: &'static str, name: &'static str) -> Tests {
    Tests { package, name, arguments: &[] }
}

const TARGETS: [Target; 2] = [
    Target {
        name: "carom-sim",
        files: &["crates/carom-sim/src/simulation/event/**/*.rs", "crates/carom-sim/src/simulation/instant/**/*.rs"],
        quick: &[
            tests("carom-sim", "carom-sim"),
            // Ten drops beside those with names; the ones that are left out take half a minute.
            Tests {
                package: "carom-sim",
                name: "drops",
                arguments: &[
                    "--skip",
                    "what_once_failed_passes",
                    "--skip",
                    "continuation_answers",
                    "--skip",
                    "a_creep_that_comes_back",
                    "--skip",
                    "directions_as_accurate",
                ],
            },
        ],
        slow: &[
            tests("carom-sim", "drops"),
            tests("carom-sim", "metamorphic"),
            tests("carom-sim", "touching"),
            tests("carom-sim", "islands"),
            tests("carom-sim", "laws"),
            tests("carom", "simulation"),
            tests("carom", "onsets"),
            tests("carom", "jams"),
            tests("carom", "heuristics"),
            tests("carom", "scales"),
        ],
    },
    Target {
        name: "carom-law",
        files: &["crates/carom-law/src/closed/**/*.rs", "crates/carom-law/src/together/**/*.rs"],
        quick: &[
            tests("carom-law", "carom-law"),
            tests("carom-law", "simultaneous"),
            tests("carom-law", "simultaneous_properties"),
            tests("carom-law", "simultaneous_chord"),
            tests("carom-law", "persistent_jam"),
            tests("carom-law", "persistent_margin"),
            tests("carom-law", "persistent_phase"),
        ],
        slow: &[
            tests("carom-law", "persistent_decide"),
            tests("carom-law", "simultaneous_families"),
            tests("carom-law", "simultaneous_oracle"),
            tests("carom-law", "persistent_bounded"),
            tests("carom-law", "few_digits"),
            tests("carom-law", "metamorphic"),
            tests("carom-law", "nearly_singular"),
            tests("carom-law", "extremes"),
            tests("carom-law", "errors"),
        ],
    },
];

/// What of a sample is run.
struct Plan {
    sample: usize,
    seed: u64,
    /// The part I of N.
    part: (usize, usize),
    /// Whether mutants that no switch can stand for are left out.
    switched_only: bool,
    /// Whether mutants that an earlier run noticed are left out.
    resume: bool,
    /// Whether mutants meet the quick tests alone.
    quick_only: bool,
}

/// `[CRATE] [--sample N] [--seed S] [--part I/N] [--switched-only] [--quick-only] [--resume]`
pub fn mutants(arguments: &[&str]) -> Result<(), String> {
    let mut plan =
        Plan { sample: SAMPLE, seed: SEED, part: (1, 1), switched_only: false, resume: false, quick_only: false };
    let mut targets: Vec<&Target> = TARGETS.iter().collect();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value =
            |what: &str| rest.next().copied().ok_or(format!("mutants {argument} {what}: no {what} is given,"));
        match *argument {
            "--sample" => plan.sample = number(argument, value("N")?)?,
            "--seed" => plan.seed = number(argument, value("S")?)?,
            "--part" => plan.part = part_of(value("I/N")?)?,
            "--switched-only" => plan.switched_only = true,
            "--quick-only" => plan.quick_only = true,
            "--resume" => plan.resume = true,
            name => {
                let named = |target: &&Target| target.name == name;
                let known = TARGETS.map(|target| target.name).join(", ");
                targets = vec![TARGETS.iter().find(named).ok_or(format!("mutants {name}: the crates are {known},"))?];
            }
        }
    }
    install()?;
    targets.into_iter().try_for_each(|target| examine(target, &plan))
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
fn examine(target: &Target, plan: &Plan) -> Result<(), String> {
    let all = list(target)?;
    let (part, parts) = plan.part;
    let chosen: Vec<Mutant> =
        draw(all.clone(), plan.sample, plan.seed).into_iter().skip(part - 1).step_by(parts).collect();
    println!("{}: {} mutants, {} of them in this part, seed {}", target.name, all.len(), chosen.len(), plan.seed);
    let numbered: Vec<(u32, Mutant)> = (1..).zip(chosen).collect();
    let mut tree = Tree::new(target.name, &numbered)?;
    let folder = root().join(format!("target/mutants/{}-{}-{part}-of-{parts}", target.name, plan.seed));
    let ends = Ends::open(&folder, plan.resume)?;
    let mut missed: Vec<u32> = tree.switched();
    for (tests, is_run) in [(target.quick, true), (target.slow, !plan.quick_only)] {
        missed.retain(|number| !ends.is_noticed(&tree.name(*number)));
        if is_run && !missed.is_empty() {
            let binaries = tree.build(tests)?;
            missed.retain(|number| tree.switched().contains(number));
            missed = notice(&tree, &binaries, missed, &ends)?;
        }
    }
    let name = |number: &u32| numbered[*number as usize - 1].1.name.clone();
    ends.add("missed", missed.iter().map(name))?;
    ends.add("unviable", tree.unviable().iter().map(name))?;
    let left: Vec<String> = tree.left().iter().map(name).filter(|name| !ends.is_noticed(name)).collect();
    if plan.switched_only {
        left.iter().for_each(|name| println!("not run: {name}"));
    } else if !left.is_empty() {
        println!("{} with a build each", left.len());
        build_each(target, &left, &folder, &ends)?;
    }
    ends.report(target.name, &numbered.iter().map(|(_, mutant)| mutant.name.as_str()).collect::<Vec<_>>());
    Ok(())
}

/// Runs test binaries on mutants, each binary on those that the ones before it missed. Those that none notices.
fn notice(tree: &Tree, binaries: &[Binary], mut mutants: Vec<u32>, ends: &Ends) -> Result<Vec<u32>, String> {
    for binary in binaries {
        let look = |number: &u32| {
            let (end, by) = match binary.run(*number, tree.place(*number))? {
                End::Missed => return Ok(Some(*number)),
                End::Caught(by) => ("caught", by),
                End::Timeout => ("timeout", String::new()),
            };
            ends.add_with(end, &tree.name(*number), &format!("{} {by}", binary.name())).map(|()| None)
        };
        let missed = parallel(&mutants, look).into_iter().collect::<Result<Vec<Option<u32>>, String>>()?;
        let missed: Vec<u32> = missed.into_iter().flatten().collect();
        let (noticed, seconds) = (mutants.len() - missed.len(), binary.seconds());
        println!("{}: {noticed} of {} noticed; without mutants {seconds:.1} s", binary.name(), mutants.len());
        mutants = missed;
    }
    Ok(mutants)
}

/// The mutants of a crate, in the order of the code.
fn list(target: &Target) -> Result<Vec<Mutant>, String> {
    let listed = output(mutants_command(target).args(["--list", "--json"]), "cargo mutants --list --json")?;
    let listed: serde_json::Value =
        serde_json::from_str(&listed).map_err(|error| format!("cargo mutants ({error})"))?;
    let mutant = |mutant: &serde_json::Value| {
        let text = |key: &str| mutant[key].as_str().map(str::to_owned);
        let place = |key: &str| mutant["span"]["start"][key].as_u64().and_then(|at| usize::try_from(at).ok());
        Some(Mutant {
            name: text("name")?,
            file: text("file")?,
            genre: text("genre")?,
            replacement: text("replacement")?,
            start: (place("line")?, place("column")?),
        })
    };
    let mutants = listed.as_array().map(|all| all.iter().map(mutant).collect::<Option<Vec<Mutant>>>());
    mutants.flatten().ok_or("cargo mutants --list --json: a list of another form,".into())
}

/// So many of a list, in an order that the seed determines.
fn draw<T>(mut list: Vec<T>, count: usize, seed: u64) -> Vec<T> {
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

/// Runs all tests on mutants given by name, by cargo-mutants: a build each.
fn build_each(target: &Target, names: &[String], folder: &Path, ends: &Ends) -> Result<(), String> {
    let all = || target.quick.iter().chain(target.slow);
    let mut packages: Vec<&str> = all().map(|tests| tests.package).collect();
    packages.dedup();
    let mut command = mutants_command(target);
    for name in names {
        command.args(["--re", &format!("^{}$", escaped(name))]);
    }
    command.args(["--baseline", "skip", "--no-shuffle", "--timeout", TIMEOUT, "--test-package", &packages.join(",")]);
    command.arg("--output").arg(folder).env("CARGO_TARGET_DIR", build_folder()).env("CAROM_DROPS", "10").arg("--");
    command.arg("--lib");
    for tests in all().filter(|tests| tests.name != tests.package) {
        command.args(["--test", tests.name]);
    }
    // Missed mutants are no failure of this command; a failure of the code as it is leaves no list.
    let _ = run(&mut command, "cargo mutants");
    for end in ENDS {
        let path = folder.join("mutants.out").join(format!("{end}.txt"));
        let text = fs::read_to_string(&path).map_err(|error| format!("{} ({error})", path.display()))?;
        ends.add(end, text.lines().map(str::to_owned))?;
    }
    Ok(())
}

/// Registry dependencies are built once for all runs.
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

/// Installs cargo-mutants if it is missing.
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
