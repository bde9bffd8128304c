//! What heuristics of the simulator are for, seen on built-in scenes: without each of them one of these tests fails. Those that
//! look inside a simulation are in `carom-sim`. The counts are those of this method to a few percent.

mod simulated;

use carom::sim::{EventKind, Settings};
use simulated::{built_in, run};

fn evaluations(scene: &str, tolerance: f64) -> u64 {
    let mut setup = built_in(scene);
    setup.settings.tolerance = tolerance;
    setup.settings.interval = None;
    run(setup).0.summary().evaluations
}

/// 1852; 2988 where a step after an impact does not look when the next one comes, and is cut or too short.
#[test]
fn a_step_that_aims_at_the_next_touch_is_not_cut() {
    assert!(evaluations("block", 1e-6) < 2100, "{}", evaluations("block", 1e-6));
}

/// 1220; 1496 where steps after an event start as short as the one that the event ended.
#[test]
fn an_event_does_not_make_the_steps_after_it_short() {
    assert!(evaluations("cube", 1e-6) < 1350, "{}", evaluations("cube", 1e-6));
}

/// 285; 323 where steps go beyond the place at which the slide would turn.
#[test]
fn a_step_does_not_pass_the_end_of_a_slide_that_slows() {
    assert!(evaluations("sphere", 1e-6) < 305, "{}", evaluations("sphere", 1e-6));
}

/// 1799; 1944 where what is cut short for an event that does not come counts as a trend.
#[test]
fn a_step_that_aimed_at_nothing_does_not_shorten_the_next() {
    assert!(evaluations("walker", 1e-6) < 1870, "{}", evaluations("walker", 1e-6));
}

/// The rod of Painlevé that creeps rather than slides: it comes to rest with the bounces that are as slow.
#[test]
fn a_creep_as_slow_as_bounces_that_are_ended_is_no_jam() {
    let slide = |speed: f64| {
        let mut setup = built_in("painleve");
        setup.velocity.iter_mut().for_each(|v| *v *= speed);
        setup.settings.until = 1e-6;
        run(setup).1.events().first().map(|event| event.kind())
    };
    assert_eq!(slide(1e-3), Some(EventKind::Jam));
    assert_ne!(slide(1e-7), Some(EventKind::Jam));
}

/// A rocking block comes to rest on its face: one corner sticks, and the other, which slid, has stopped with it. Taken to
/// slide on, it was driven by its own friction.
#[test]
fn friction_does_not_drive_what_stopped_with_a_corner_that_sticks() {
    let mut setup = built_in("block");
    setup.settings = Settings { until: 10.0, interval: Some(0.05), ..setup.settings };
    let (simulation, recorder) = run(setup);
    let scale = simulation.summary().largest_energy;
    let gained = recorder.samples().iter().map(|sample| sample.energy.friction).fold(f64::NEG_INFINITY, f64::max);
    assert!(gained <= 1e-12 * scale, "{:e}", gained / scale);
}

/// Where a slide becomes too slow to have a direction only the way of counting changes.
#[test]
fn a_change_of_counting_leaves_no_sample() {
    let (_, recorder) = run(built_in("sphere"));
    let times: Vec<f64> = recorder.events().iter().map(|event| event.time()).collect();
    let interval = built_in("sphere").settings.interval.unwrap();
    for sample in recorder.samples() {
        let on_grid = (sample.time / interval).round() * interval;
        assert!(times.contains(&sample.time) || (sample.time - on_grid).abs() < 1e-12, "{}", sample.time);
    }
}
