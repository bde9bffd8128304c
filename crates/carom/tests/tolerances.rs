//! What a tolerance costs: a loose one never more than a tight one.
//!
//! `cargo test --release -p carom --test tolerances -- --ignored --nocapture` prints the evaluations of every built-in
//! simulation at the tolerances 1e-6 to 1e-12, and holds all of them against the bound. `CAROM_SCENE` keeps one scene.

use carom::sim::{Discard, Simulation};

/// Evaluations at a tolerance, over those at a tenth of it.
const MOST_RATIO: f64 = 1.2;

fn evaluations(scene: &str, tolerance: f64) -> (u64, u64) {
    let mut setup = carom::gallery::find_simulation(scene).unwrap().setup().unwrap();
    // Joints that stick and slide have events of their own.
    setup.joint_friction = false;
    setup.settings.tolerance = tolerance;
    setup.settings.interval = None;
    let until = setup.settings.until;
    let mut simulation = Simulation::new(setup).unwrap();
    simulation.run_until(until, &mut Discard).unwrap();
    let summary = simulation.summary();
    (summary.evaluations, summary.windows)
}

/// The evaluations at each tolerance, loosest first, and where a loose one costs too much.
fn check(scene: &str, exponents: std::ops::RangeInclusive<i32>) -> (Vec<(u64, u64)>, Vec<String>) {
    let costs: Vec<(u64, u64)> = exponents.clone().map(|k| evaluations(scene, 10f64.powi(-k))).collect();
    let too_much = |(pair, k): (&[(u64, u64)], i32)| {
        let (loose, tight) = (pair[0].0, pair[1].0);
        (loose as f64 > MOST_RATIO * tight as f64)
            .then(|| format!("{scene}: {loose} evaluations at 1e-{k}, {tight} at 1e-{}", k + 1))
    };
    let faults = costs.windows(2).zip(exponents).filter_map(too_much).collect();
    (costs, faults)
}

/// A foot of the quadruped slides ever slower. Below what a step errs by its direction is noise: friction turned with the
/// noise, the foot neither stopped nor went anywhere, and 0.14 s took a hundred thousand evaluations.
#[test]
fn a_slide_slower_than_the_tolerance_resolves_does_not_hover() {
    let (costs, faults) = check("quadruped", 4..=8);
    assert!(faults.is_empty(), "{faults:#?}");
    assert!(costs.iter().all(|(cost, _)| *cost < 10_000), "{costs:?}");
}

#[test]
fn a_loose_tolerance_costs_no_more_than_a_tight_one() {
    for scene in ["rod", "walker", "cube", "sphere", "painleve"] {
        let (_, faults) = check(scene, 6..=9);
        assert!(faults.is_empty(), "{faults:#?}");
    }
}

#[test]
#[ignore = "a table of every scene and tolerance, half a minute: cargo test --release -p carom --test tolerances -- --ignored --nocapture"]
fn no_scene_costs_more_at_a_loose_tolerance() {
    let only = std::env::var("CAROM_SCENE").ok();
    println!("| scene | 1e-6 | 1e-7 | 1e-8 | 1e-9 | 1e-10 | 1e-11 | 1e-12 |");
    println!("|---|---|---|---|---|---|---|---|");
    let mut faults = Vec::new();
    for scene in carom::gallery::SIMULATIONS.iter().filter(|scene| only.as_ref().is_none_or(|only| scene.name == only))
    {
        let (costs, mut found) = check(scene.name, 6..=12);
        let cells: Vec<String> = costs
            .iter()
            .map(|(cost, windows)| if *windows > 0 { format!("{cost} ({windows} windows)") } else { format!("{cost}") })
            .collect();
        println!("| {} | {} |", scene.name, cells.join(" | "));
        faults.append(&mut found);
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
