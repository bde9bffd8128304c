//! The time of an array batch on the arrays of `python/benchmarks/speed.py`, for its comparison: `batch_rate FOLDER` reads `delassus`,
//! `velocity`, `restitution` and `friction` there, doubles one after the other, and prints nanoseconds an impact of this thread.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;
use std::{env, fs};

use carom::law::batch::{Answers, Problems, solve};

const ROUNDS: usize = 15;

fn main() -> ExitCode {
    match env::args().nth(1).ok_or_else(|| "batch_rate FOLDER".to_owned()).and_then(|folder| rate(folder.as_ref())) {
        Ok(nanoseconds) => {
            println!("{nanoseconds}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn rate(folder: &Path) -> Result<f64, String> {
    let read = |name: &str| {
        let bytes = fs::read(folder.join(name)).map_err(|error| format!("{name}: {error}"))?;
        let (numbers, _) = bytes.as_chunks::<8>();
        Ok::<_, String>(numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect::<Vec<f64>>())
    };
    let (delassus, velocity) = (read("delassus")?, read("velocity")?);
    let (restitution, friction) = (read("restitution")?, read("friction")?);
    let count = restitution.len();
    let mut least = f64::INFINITY;
    for _ in 0..ROUNDS {
        let begun = time_of_thread();
        // As for a caller who has no memory for the answers yet.
        let (mut mode, mut columns) = (vec![None; count], vec![vec![0.0; count]; 7]);
        let [i_n, i_1, i_2, v_n, v_1, v_2, change] = &mut columns[..] else { return Err("seven columns".into()) };
        let mut answers = Answers::new(&mut mode, [i_n, i_1, i_2], [v_n, v_1, v_2], change);
        let problems = Problems::from_rows(&delassus, &velocity, &restitution, &friction);
        solve(&problems, &mut answers).map_err(|error| error.to_string())?;
        least = least.min(time_of_thread() - begun);
    }
    Ok(least / count as f64)
}

/// Nanoseconds on a processor where the system counts them, which is not disturbed by other work; otherwise on the clock.
fn time_of_thread() -> f64 {
    let counted = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let counted = counted.and_then(|text| text.split_whitespace().next()?.parse().ok());
    counted.unwrap_or_else(|| {
        static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
        START.get_or_init(Instant::now).elapsed().as_nanos() as f64
    })
}
