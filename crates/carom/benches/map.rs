//! What a map costs: the data of 400 x 400 cells on all cores, and the figure. `cargo bench -p carom --bench map`.

use std::hint::black_box;
use std::time::{Duration, Instant};

use carom::Problem;
use carom::report::figure;
use carom::study::{Map, MapOptions};

/// Runs of each, the fastest of which counts.
const RUNS: usize = 15;

fn main() {
    println!("{:<10} {:>12} {:>12} {:>8} {:>8}", "scene", "coefficients", "state", "svg", "png");
    for name in ["kane", "foot", "humanoid"] {
        let scene = carom::gallery::find(name).expect("built in");
        let problem = Problem::from_tree(&scene.tree().expect("a scene")).expect("a problem");
        let options = MapOptions::default();
        let map = Map::over_coefficients(&problem, name, &options).expect("a map");
        let coefficients = fastest(|| Map::over_coefficients(&problem, name, &options).is_ok());
        let state = fastest(|| Map::over_state(&problem, name, &options).is_ok());
        let svg = fastest(|| figure::svg(&map, &figure::FigureOptions::default()).is_ok());
        let png = fastest(|| figure::png(&map, &figure::FigureOptions::default(), 1200).is_ok());
        let [coefficients, state, svg, png] = [coefficients, state, svg, png].map(|time| time.as_secs_f64() * 1e3);
        println!("{name:<10} {coefficients:>9.1} ms {state:>9.1} ms {svg:>5.1} ms {png:>5.1} ms");
    }
}

fn fastest(work: impl Fn() -> bool) -> Duration {
    let run = |_| {
        let start = Instant::now();
        assert!(black_box(work()));
        start.elapsed()
    };
    (0..RUNS).map(run).min().unwrap_or_default()
}
