//! `cargo xtask soak [N]`: N random impacts, each outcome judged in double-double arithmetic.
//!
//! `CAROM_SEED` is the first seed; a finding names its own, and `CAROM_SEED=... cargo xtask soak 1` replays it.
//! `CAROM_THREADS` is the number of threads; by default all cores.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use carom_soak::random;
use carom_soak::run::{Finding, examine, soak};
use carom_soak::shrink::shrink;
use carom_soak::verdict::Condition;

/// Number of problems of a short run.
const DEFAULT_COUNT: u64 = 20_000;

const DEFAULT_SEED: u64 = 20_200_617;

fn main() -> ExitCode {
    let count = match env::args().nth(1).map(|text| text.parse::<u64>()) {
        None => DEFAULT_COUNT,
        Some(Ok(count)) => count,
        Some(Err(error)) => {
            eprintln!("soak: the number of problems: {error}");
            return ExitCode::from(2);
        }
    };
    let from_environment = |name: &str| env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let first = from_environment("CAROM_SEED").unwrap_or(DEFAULT_SEED);
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let threads = from_environment("CAROM_THREADS").map_or(cores, |threads| threads as usize);
    println!(
        "{count} impacts from CAROM_SEED={first} on; residuals are relative to their bounds, up to 1 a condition holds"
    );
    // A panic is a finding, and is reported with its problem.
    std::panic::set_hook(Box::new(|_| {}));
    let start = Instant::now();
    let mut told = Instant::now();
    let tally = soak(first, count, threads, |done| {
        if told.elapsed() > Duration::from_secs(10) {
            eprintln!("{done} of {count}");
            told = Instant::now();
        }
    });
    let seconds = start.elapsed().as_secs_f64();
    print!("{tally}");
    println!("{} problems in {seconds:.1} s", tally.problems());
    let findings = tally.findings();
    let folder = PathBuf::from(env::var("CARGO_TARGET_DIR").unwrap_or_else(|_| "target".into())).join("soak");
    for finding in &findings {
        tell(finding, &folder);
    }
    if count == 1 {
        let (_, problem) = random::problem(first);
        println!("{}\n{:?}", problem.to_json(), problem.answer());
    }
    if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints a finding and writes the smallest problem that shows it.
fn tell(finding: &Finding, folder: &PathBuf) {
    let Finding { kind, condition, count, ratio, seed } = finding;
    println!("\n{kind}: {} fails in {count}, worst {ratio:.2e} with CAROM_SEED={seed}", condition.name());
    let (kind_of_seed, problem) = random::problem(*seed);
    let small = if *condition == Condition::Time { problem } else { shrink(&kind_of_seed, &problem, *condition) };
    if *condition != Condition::Time {
        let examined = examine(&kind_of_seed, &small);
        let refusal = examined.refusal.map_or(String::new(), |refusal| format!(": {}", refusal.message));
        println!("    {:.2e}{refusal}", examined.verdict.of(*condition));
    }
    println!("    {}", small.to_json());
    let name = format!("{}-{}.json", kind.replace(' ', "-"), condition.name());
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(folder.join(&name), small.to_json().to_string()));
    match written {
        Ok(()) => println!("    carom impact {}", folder.join(name).display()),
        Err(error) => println!("    not written: {error}"),
    }
}
