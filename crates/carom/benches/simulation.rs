//! What a simulated second costs: the quadruped's drop and the cube's toss, one thread, no samples kept.
//!
//! One line of JSON is printed for each. `cargo xtask bench simulation` prints MuJoCo beside it.

use std::time::Instant;

use carom::sim::{Discard, Settings, Simulation};

/// Simulated times: the fall and the impacts; the same and a long rest.
const SECONDS: [f64; 2] = [2.0, 10.0];
/// Runs, the fastest of which counts.
const RUNS: usize = 15;

fn main() {
    for name in ["quadruped", "cube"] {
        for seconds in SECONDS {
            run(name, seconds);
        }
    }
}

fn run(name: &str, seconds: f64) {
    let mut setup = carom::gallery::find_simulation(name).expect("built in").setup().expect("a setup");
    setup.settings = Settings { until: seconds, interval: None, ..setup.settings };
    let mut fastest = f64::INFINITY;
    let mut summary = None;
    for _ in 0..RUNS {
        let mut simulation = Simulation::new(setup.clone()).expect("a simulation");
        let start = Instant::now();
        simulation.run_until(seconds, &mut Discard).expect("a run");
        fastest = fastest.min(start.elapsed().as_secs_f64());
        summary = Some(simulation.summary());
    }
    let summary = summary.expect("a run");
    println!(
        "{{\"scene\": \"{name}\", \"seconds\": {seconds}, \"carom_us\": {:.1}, \"steps\": {}, \"evaluations\": {}, \
         \"impacts\": {}}}",
        1e6 * fastest / seconds,
        summary.steps,
        summary.evaluations,
        summary.impacts,
    );
}
