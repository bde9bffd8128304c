//! Commands for contributors: `cargo xtask test`, `native`, `lint`, `oracle`, `laws`, `mechanisms`, `drops`, `heaps`, `jumps`,
//! `soak`, `fingerprint`, `fuzz`, `mutants`, `python`, `wheel`, `reference`, `conformance`, `web`, `browser`, `package`, `arrows`,
//! `bench`.

mod browser;
mod fuzz;
mod mutants;
mod node;
mod package;
mod python;
mod robots;
mod run;
mod simulation;
mod web;
mod wheel;

use std::env;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use run::{cargo, root, run};

const USAGE: &str = "\
cargo xtask TASK

  test          every test, a few minutes from a cold cache; those of the Python package where Python 3.11 or later is
                found, and wherever CI=true
  native        the tests of robots, built for this processor
  lint          formatting, clippy and documentation, warnings refused
  oracle        the law against its oracle on 100 times as many random problems (CAROM_CASES, CAROM_SEED)
  laws          what every law claims, on a million random impacts each (CAROM_IMPACTS, CAROM_SEED)
  mechanisms    20,000 random mechanisms with closed loops against minimal coordinates, and 3,000 with several contacts
                (CAROM_CASES, CAROM_SEED)
  drops         10,000 random drops of boxes, rods, spheres and trees (CAROM_DROPS, CAROM_SEED, CAROM_FAMILY,
                CAROM_LAW, CAROM_GUARD)
  heaps         5,000 random heaps of 2 to 12 balls, capsules and boxes (CAROM_HEAPS, CAROM_SEED)
  jumps         how often a tiny change of the first velocity leads a drop to another end, by law (CAROM_DROPS)
  soak [N]      N random impacts of all forms (20,000), every outcome judged in double-double arithmetic; the worst of
                each kind, and findings as problems to be read by carom impact (CAROM_SEED, CAROM_THREADS)
  fingerprint [N]
                hashes of outcomes, array batches, robots' terms and simulations: a change of layout changes none
  fuzz [TARGET] law, contact_set, problem, robot, scene or all of them under libFuzzer, on a nightly toolchain;
                --minutes N of each (2), --minimise the corpus in fuzz/corpus afterwards
  mutants [CRATE]
                a seeded sample of the mutants of carom-sim's events and instants and of carom-law's closed and
                simultaneous contacts, listed by cargo-mutants: a table, and the mutants that no test notices;
                --sample N of them (300), --seed S (1), --part I/N of the sample, --switched-only without those
                that take a build each, --quick-only without the longer tests, --resume without those that
                an earlier run noticed
  python        the Python package: builds its wheel, installs it into target/python and runs pytest, mypy and stubtest;
                --engines tests it beside MuJoCo and Pinocchio, in the environment of the conformance run
  wheel         the wheel of the Python package, in target/wheels
  reference     recompute reference/precise with 80 digits and compare, and the bound on the energy of chord exactly (Python 3)
  conformance   robots and flights against Pinocchio and MuJoCo, from PyPI (3 GB), every robot of these packages through
                carom simulate, and simultaneous impacts against Siconos, from Debian; --write renews
                book/src/conformance.md, --full simulates 1 s of each robot and not 0.2 s, --only PATTERN compares some
                files, with flight/FILE some flights, with drop/FILE some drops, with run/FILE some simulations, or with
                siconos/FAMILY some impacts; --law NAME runs the simulations alone, by another law of impacts
  web           the explorer as static files in target/web, its engine as wasm: with the target wasm32-unknown-unknown if it is
                installed, otherwise with Debian's compiler, which is unpacked into target/wasm (140 MB); --test compares the
                module's answers with the command's, and times both (Node.js)
  browser       the pages of runs and the explorer in Chromium (Debian's package) with playwright-core (npm); pictures in
                target/browser
  package       packs every crate as it would be published, and builds and tests the packages away from the project
  arrows        which crate, folder and module uses which, in layers; fails on a cycle, and names the lines that make it;
                --draw renews book/src/figures/arrows.svg
  bench         time the law; arguments are passed on, for example: bench slip
  bench robots  time impacts of whole robots beside Pinocchio's (needs g++ and two Debian packages of headers)
  bench simulation
                time simulated seconds beside MuJoCo's
  bench python  time calls of the Python package, and a batch of a million beside Rust's";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let rest: Vec<&str> = arguments.iter().skip(1).map(String::as_str).collect();
    let done = match arguments.first().map(String::as_str) {
        Some("test") => test(&rest),
        Some("native") => native(),
        Some("lint") => lint(),
        Some("oracle") => oracle(),
        Some("laws") => laws(),
        Some("mechanisms") => mechanisms(),
        Some("drops") => drops(),
        Some("heaps") => heaps(),
        Some("jumps") => {
            let arguments = ["test", "--release", "-p", "carom-sim", "--test", "drops", "jumps_of_ends"];
            cargo(&arguments, &["--", "--nocapture", "--ignored"], &[])
        }
        Some("soak") => {
            cargo(&["run", "--release", "--quiet", "-p", "carom-soak", "--bin", "carom-soak", "--"], &rest, &[])
        }
        Some("fingerprint") => {
            cargo(&["run", "--release", "--quiet", "-p", "carom-soak", "--bin", "fingerprint", "--"], &rest, &[])
        }
        Some("fuzz") => fuzz::fuzz(&rest),
        Some("mutants") => mutants::mutants(&rest),
        Some("python") if rest.first() == Some(&"--engines") => wheel::test_with_engines(),
        Some("python") => wheel::test(),
        Some("wheel") => wheel::wheel().map(|path| println!("{}", path.display())),
        Some("reference") => reference(),
        Some("conformance") => conformance(&rest),
        Some("web") => web::web(&rest),
        Some("browser") => browser::browser(),
        Some("package") => package::package(),
        Some("arrows") => cargo(&["run", "--quiet", "-p", "carom-arrows", "--"], &rest, &[]),
        Some("bench") if rest.first() == Some(&"robots") => robots::bench(),
        Some("bench") if rest.first() == Some(&"simulation") => simulation::bench(),
        Some("bench") if rest.first() == Some(&"python") => wheel::bench(),
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

/// Every test; with arguments, those of Rust that they select.
fn test(rest: &[&str]) -> Result<(), String> {
    // Parquet is a feature that a clone does not build by default.
    cargo(&["test", "--workspace", "--features", "carom-cli/parquet"], rest, &[])?;
    match rest.is_empty() {
        true => wheel::test_if_possible(),
        false => Ok(()),
    }
}

fn lint() -> Result<(), String> {
    cargo(&["fmt", "--all", "--check"], &[], &[])?;
    cargo(&["clippy", "--workspace", "--all-targets"], &["--", "-D", "warnings"], &[])?;
    // What a clone builds: the workspace has more features.
    cargo(&["clippy", "-p", "carom-cli"], &["--", "-D", "warnings"], &[])?;
    cargo(&["doc", "--workspace", "--no-deps", "--lib"], &[], &[("RUSTDOCFLAGS", "-D warnings")])
}

/// Vectors are represented differently in builds that may assume wide registers.
fn native() -> Result<(), String> {
    let environment = [("RUSTFLAGS", "-C target-cpu=native"), ("CARGO_TARGET_DIR", "target/native")];
    cargo(&["test", "-p", "carom-multibody"], &[], &environment)
}

/// 600,000 problems and more, unless `CAROM_CASES` is set.
fn oracle() -> Result<(), String> {
    let cases = env::var("CAROM_CASES").unwrap_or_else(|_| "100".into());
    let tests = ["--test", "oracle", "--test", "properties"];
    let environment = [("CAROM_CASES", cases.as_str())];
    cargo(&[&["test", "--release", "-p", "carom-law"][..], &tests[..]].concat(), &["--", "--nocapture"], &environment)
}

/// A million impacts per law, unless `CAROM_IMPACTS` is set; ten times as many for the bound on the energy of `chord`.
fn laws() -> Result<(), String> {
    let impacts = env::var("CAROM_IMPACTS").unwrap_or_else(|_| "1000000".into());
    let test = ["test", "--release", "-p", "carom-law"];
    let environment = [("CAROM_IMPACTS", impacts.as_str())];
    let of_laws = ["--", "--nocapture", "claims::of::", "chord::"];
    cargo(&[&test[..], &["--test", "laws"]].concat(), &of_laws, &environment)?;
    let bound = ["--", "--nocapture", "rivals::chord::tests::the_energy_lost"];
    cargo(&[&test[..], &["--lib"]].concat(), &bound, &environment)
}

/// 20,000 mechanisms with closed loops and 3,000 with several contacts, unless `CAROM_CASES` is set.
fn mechanisms() -> Result<(), String> {
    let cases = env::var("CAROM_CASES").unwrap_or_else(|_| "40".into());
    let arguments = ["test", "--release", "-p", "carom-sim", "--test", "mechanisms"];
    cargo(&arguments, &["--", "--nocapture"], &[("CAROM_CASES", &cases)])
}

/// 10,000 drops, unless `CAROM_DROPS` is set.
fn drops() -> Result<(), String> {
    let count = env::var("CAROM_DROPS").unwrap_or_else(|_| "10000".into());
    let arguments = ["test", "--release", "-p", "carom-sim", "--test", "drops"];
    cargo(&arguments, &["--", "--nocapture"], &[("CAROM_DROPS", &count)])
}

fn heaps() -> Result<(), String> {
    let count = env::var("CAROM_HEAPS").unwrap_or_else(|_| "5000".into());
    let arguments = ["test", "--release", "-p", "carom-sim", "--test", "heaps"];
    cargo(&arguments, &["--", "--nocapture"], &[("CAROM_HEAPS", &count)])
}

fn reference() -> Result<(), String> {
    let script = root().join("reference/precise/make.py");
    run(Command::new("python3").arg(script).arg("--check"), "reference/precise/make.py --check")?;
    run(Command::new("python3").arg(root().join("reference/chord/bound.py")), "reference/chord/bound.py")
}

fn conformance(rest: &[&str]) -> Result<(), String> {
    let python = python::environment()?;
    python::robot_files()?;
    let pattern = rest.iter().skip_while(|argument| **argument != "--only").nth(1);
    let by_law = rest.contains(&"--law");
    let siconos = match pattern {
        _ if by_law => PathBuf::from("unused"),
        Some(pattern) if !pattern.contains("siconos") => PathBuf::from("unused"),
        _ => python::siconos()?,
    };
    cargo(&["build", "--release", "-p", "carom-conformance", "-p", "carom-cli"], &[], &[])?;
    let mut command = Command::new(python);
    command.env("PYTHONDONTWRITEBYTECODE", "1").arg("conformance/compare.py");
    command.args(["--binary", "target/release/carom-conformance", "--command", "target/release/carom"]);
    command.arg("--siconos").arg(siconos);
    for argument in rest {
        match *argument {
            "--write" => command.args(["--write", "book/src/conformance.md"]),
            other => command.arg(other),
        };
    }
    run(&mut command, "conformance/compare.py")?;
    // The Python package meets the same engines.
    if pattern.is_none() && !by_law { wheel::test_with_engines() } else { Ok(()) }
}

fn bench(filters: &[&str]) -> Result<(), String> {
    let rest: Vec<&str> = std::iter::once("--").chain(filters.iter().copied()).collect();
    cargo(&["bench", "-p", "carom-law", "--bench", "impact"], &rest, &[])
}
