//! Sliding that presses itself into the surface ever harder: the approach to a jam.

use carom::Problem;
use carom::document::{Document, Format};
use carom::sim::{EventKind, Recorder, Setup, Simulation};

/// A rod that slides on its lower end, μ = 1.6, thrown so that D falls through zero while the forces grow.
fn rod() -> Setup {
    let scene = r#"
        restitution = 0
        friction = 1.6
        gravity = [0, 0, -9.81]
        [model]
        builtin = "planar_rod"
        [state.configuration]
        x = 0.3747120002062018
        z = 0.33104518860945165
        pitch = 0.7236046479288982
        [state.velocity]
        x = -6.493226532414339
        z = 1.0649587155087417
        pitch = 2.842072618231338
        [contact]
        frame = "left"
        [surface]
        normal = [0, 0, 1]
        [simulation]
        until = 0.2
    "#;
    let tree = Document::read(scene, Format::Toml).unwrap().tree().clone();
    Problem::from_tree(&tree).unwrap().setup().unwrap()
}

fn run(mut setup: Setup, tolerance: f64) -> (Simulation, Recorder) {
    setup.settings.tolerance = tolerance;
    let until = setup.settings.until;
    let mut simulation = Simulation::new(setup).unwrap();
    let mut recorder = Recorder::new();
    simulation.run_until(until, &mut recorder).unwrap();
    (simulation, recorder)
}

/// It lifted off, was ambiguous, went to a window or jammed, as the tolerance fell.
#[test]
fn the_approach_to_a_jam_is_the_same_at_every_tolerance() {
    for exponent in 6..=12 {
        let (simulation, recorder) = run(rod(), 10f64.powi(-exponent));
        let event = &recorder.events()[0];
        assert_eq!(event.kind(), EventKind::JamApproached, "at 1e-{exponent}");
        // Where D = 1e-4 W_nn, by Runge-Kutta of order 4 on θ'' = 12 τ alone, in another program.
        assert!((event.time() - 0.026121241077202).abs() < 1e-9, "at 1e-{exponent}: {}", event.time());
        assert!(event.energy_change() < 0.0);
        let summary = simulation.summary();
        assert_eq!(summary.windows, 0);
        assert!(summary.residual < 1e2 * 10f64.powi(-exponent).max(1e-12), "{}", summary.residual);
    }
}

/// Rods thrown at random, all on the way to D = 0: what happens first, and when, is the same at every tolerance.
#[test]
fn what_ends_a_slide_towards_a_jam_does_not_hang_on_the_tolerance() {
    let mut seed = 1_u64;
    let mut random = |from: f64, to: f64| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        from + (to - from) * ((seed >> 11) as f64 / (1_u64 << 53) as f64)
    };
    let mut jams = 0;
    for k in 0..100 {
        let mut setup = rod();
        let (mu, angle, turn, slide) = (random(1.4, 2.5), random(0.3, 1.3), random(0.0, 6.0), random(-10.0, -1.0));
        let (sin, cos) = angle.sin_cos();
        setup.configuration = vec![0.0, 0.5 * sin, angle];
        setup.velocity = vec![slide - 0.5 * sin * turn, 0.5 * cos * turn, turn];
        if 1.0 + 3.0 * cos * cos - 3.0 * mu * sin * cos < 2e-4 {
            continue;
        }
        setup.contacts[0].coefficients.friction = Some(carom::law::Friction::new(mu).unwrap());
        let firsts: Vec<(EventKind, f64)> = [1e-6, 1e-8, 1e-10, 1e-12]
            .into_iter()
            .map(|tolerance| {
                let (_, recorder) = run(setup.clone(), tolerance);
                recorder.events().first().map_or((EventKind::Settle, 0.0), |event| (event.kind(), event.time()))
            })
            .collect();
        let (kind, time) = firsts[3];
        assert!(firsts.iter().all(|first| first.0 == kind), "throw {k}: {firsts:?}");
        if kind == EventKind::JamApproached {
            jams += 1;
            assert!(firsts.iter().all(|first| (first.1 - time).abs() < 1e-7), "throw {k}: {firsts:?}");
        }
    }
    assert!(jams >= 10, "{jams} jams");
}

/// A rod that is about to lift off while D falls through the same place: its force falls, and there is no jam.
#[test]
fn a_force_that_falls_is_no_approach_to_a_jam() {
    let mut setup = rod();
    let wedge = |angle: f64| 1.0 - 4.8 * angle.sin() * angle.cos() / (1.0 + 3.0 * angle.cos().powi(2));
    let angle_at = |wanted: f64| {
        // It falls on this interval.
        let (mut from, mut to) = (0.7_f64, 0.85_f64);
        for _ in 0..60 {
            let middle = 0.5 * (from + to);
            if wedge(middle) > wanted { from = middle } else { to = middle }
        }
        from
    };
    let (start, end) = (angle_at(2.2e-4), angle_at(1e-5));
    // λ_n = (g - ω² sin θ / 2) / D vanishes at `end`, and hardly turns the rod until then.
    let turn = (2.0 * 9.81 / end.sin()).sqrt();
    let (sin, cos) = start.sin_cos();
    setup.configuration = vec![0.0, 0.5 * sin, start];
    setup.velocity = vec![-5.0 - 0.5 * sin * turn, 0.5 * cos * turn, turn];
    let (_, recorder) = run(setup, 1e-10);
    let first = &recorder.events()[0];
    assert_eq!(first.kind(), EventKind::LiftOff, "{first:?}");
    let sample = recorder.samples().iter().find(|sample| sample.time == first.time()).unwrap();
    assert!(wedge(sample.configuration[2]) < 0.9e-4, "{}", wedge(sample.configuration[2]));
}
