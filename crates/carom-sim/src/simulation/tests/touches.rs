//! When contacts come down to their surfaces.

use std::sync::Arc;

use carom_law::{Coefficients, Restitution};
use carom_multibody::{BodyPair, HalfSpace, LinkId, PairSide, Placement, Solid};

use crate::record::book::Device;
use crate::simulation::motion::contact::Mode;
use crate::{Actuator, Discard, Setup, Simulation, SimulationError, WatchedPair};

use super::{G, assert_near, attempt, mass, model, run, setup, value, weightless};

/// A mass whose height is this polynomial in time, driven by the force required: the method integrates degree seven
/// exactly, so that one step may be as long as requested.
pub(super) fn lifted(height: &'static [f64], e: f64) -> Setup {
    let mut setup = weightless(mass("", e));
    (setup.configuration[1], setup.velocity[1]) = (height[0], height[1]);
    // Sets the speed scale, and an energy for the book to compare with.
    setup.velocity[0] = 1.0;
    let push = move |t: f64| -> f64 {
        let term = |(k, c): (usize, &f64)| (k * (k - 1)) as f64 * c * t.powi(k as i32 - 2);
        height.iter().enumerate().skip(2).map(term).sum()
    };
    setup.actuators = vec![Actuator::law(move |t, _, _, forces| forces[1] += push(t))];
    setup.settings.until = 1.0;
    // The error estimates do not vanish for this degree, although the step is exact.
    setup.settings.tolerance = 1e-2;
    setup
}

/// The number of impacts in one step of a second.
fn impacts_in_one_step(setup: Setup) -> u64 {
    let mut simulation = Simulation::new(setup).unwrap();
    // The first steps of a run are short.
    simulation.stepping.size = 1.0;
    simulation.step(&mut Discard).unwrap();
    // The step may have been repeated to the touch.
    assert!(simulation.journal.counts.rejected <= 1, "{}", simulation.journal.counts.rejected);
    simulation.journal.counts.impacts
}

/// The product of polynomials, each given by its coefficients from the constant on.
fn product(factors: &[&[f64]]) -> Vec<f64> {
    factors.iter().fold(vec![1.0], |all, factor| {
        let mut next = vec![0.0; all.len() + factor.len() - 1];
        for (i, a) in all.iter().enumerate() {
            for (j, b) in factor.iter().enumerate() {
                next[i + j] += a * b;
            }
        }
        next
    })
}

/// G + s² (1 - s)² p(s).
fn height(gap: f64, p: &[f64]) -> &'static [f64] {
    let mut height = product(&[&[0.0, 0.0, 1.0], &[1.0, -2.0, 1.0], p]);
    height[0] += gap;
    height.leak()
}

/// s²(1 - s)²(s - ½)(a + b (s - ½)²) adds nothing to the gap at the ends and in the middle of the step, and to the rate
/// only in the middle: only the rate there shows that the gap falls below zero in the first half.
#[test]
fn a_dip_that_only_the_rate_in_the_middle_of_a_step_tells_is_not_missed() {
    let middle: &[f64] = &[-0.5, 1.0];
    let (gap, a, b) = (1e-4, 1e-4, 0.3);
    let square = product(&[middle, middle]);
    let height = height(gap, &product(&[middle, &[a + b * square[0], b * square[1], b * square[2]]]));
    assert!([0.0, 0.5, 1.0].into_iter().all(|s| (value(height, s) - gap).abs() < 1e-15));
    assert!(value(height, 0.2) < -1e-5, "{}", value(height, 0.2));
    assert!(impacts_in_one_step(lifted(height, 0.5)) > 0);
}

/// s²(1 - s)²(a + b (s - ½)²) adds nothing to the rates at the ends and in the middle of the step: it is three times as
/// high in the middle, below zero in each half, and level at all three places. Only the error of the cubic there shows
/// it.
#[test]
fn a_dip_that_only_the_gap_in_the_middle_of_a_step_tells_is_not_missed() {
    let (gap, b) = (1e-4, -0.16);
    let a = 32.0 * gap;
    let height = height(gap, &[a + 0.25 * b, -b, b]);
    assert_near(value(height, 0.5), 3.0 * gap, 1e-15);
    assert!(value(height, 0.2) < -1e-5, "{}", value(height, 0.2));
    assert!(impacts_in_one_step(lifted(height, 0.5)) > 0);
}

/// Without gravity, 1e-15 m/s is rounding, and so are the 1e-16 m by which it lowers a body on the floor. Taken for a
/// touch, it gave one at each step, of zero length.
#[test]
fn what_lies_on_a_floor_without_force_does_not_touch_it_again_for_ever() {
    let mut setup = weightless(mass("", 0.5));
    setup.velocity = vec![1.0, -1e-15];
    setup.settings.until = 0.1;
    let (simulation, recorder) = run(setup);
    assert!(recorder.events().is_empty(), "{:?}", recorder.events());
    let summary = simulation.summary();
    assert_eq!((summary.windows, summary.rejected), (0, 0));
}

/// A mass on a spring swings to 1 mm or 1 µm below the floor, in steps of a large fraction of its period, at tolerances
/// as coarse as 1e-4.
#[test]
fn what_touches_slowly_in_a_long_step_is_on_the_surface() {
    for (tolerance, depth) in [(1e-4, 1e-3), (1e-6, 1e-3), (1e-8, 1e-6), (1e-10, 1e-6)] {
        for k in 0..8 {
            let mut setup = weightless(mass(r#"stiffness="1" springref="1""#, 0.5));
            let (phase, amplitude) = (0.1 * f64::from(k), 1.0 + depth);
            (setup.configuration[1], setup.velocity[1]) = (1.0 + amplitude * phase.cos(), -amplitude * phase.sin());
            setup.settings.tolerance = tolerance;
            setup.settings.until = 4.0;
            let (_, recorder) = run(setup);
            let first = recorder.events().first().unwrap_or_else(|| panic!("nothing struck at {tolerance}, {phase}"));
            let touching = recorder.samples().iter().find(|sample| sample.time == first.time()).unwrap();
            assert_near(touching.contacts[0].gap, 0.0, 1e-13);
        }
    }
}

/// A gap above a floor at z = 1 is a number of roundings of 1: a slow fall passes zero between two of them. Touches
/// taken at the first value below zero would be late by half a rounding divided by the speed.
#[test]
fn slow_touches_are_not_late_by_half_a_rounding_of_the_gap() {
    let (mut sum, mut count) = (0.0, 0);
    for k in 0..40 {
        let mut setup = mass("", 0.5);
        setup.surfaces[0].half_space = HalfSpace::new([0.0, 0.0, 1.0], [0.0, 0.0, 1.0]).unwrap();
        let speed = 1e-4 * (1.0 + 0.0237 * f64::from(k));
        (setup.configuration[1], setup.velocity[1]) = (1.0, speed);
        setup.settings.until = 1e-3;
        let (_, recorder) = run(setup);
        let first = &recorder.events()[0];
        sum += (first.time() - 2.0 * speed / G) * speed / f64::EPSILON;
        count += 1;
    }
    let late = sum / f64::from(count);
    assert!(late.abs() < 0.2, "{late} roundings");
}

/// The gap of the whole boxes is measured again: parts that no contact holds must not overlap silently.
#[test]
fn boxes_that_are_in_each_other_end_the_run_by_the_name_of_their_contact() {
    let model = model(
        r#"<body name="box"><joint name="z" type="slide" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>"#,
    );
    let side = |link| PairSide { link, placement: Placement::IDENTITY, solid: Solid::cuboid([0.1; 3]).unwrap() };
    let mut setup = setup(Arc::clone(&model));
    setup.configuration = vec![0.5];
    setup.pairs.push(WatchedPair {
        name: "box on table".into(),
        bodies: BodyPair { sides: [side(model.find_link("box").unwrap()), side(LinkId::WORLD)] },
        coefficients: Coefficients { restitution: Restitution::ZERO, friction: None },
    });
    let mut simulation = Simulation::new(setup).unwrap();
    for (overlap, is_refused) in [(-0.1, false), (0.0, false), (1e-8, false), (1e-6, true), (1e-3, true)] {
        simulation.state[0] = 0.2 - overlap;
        match simulation.check_boxes_of_step() {
            Ok(()) => assert!(!is_refused, "{overlap}"),
            Err(SimulationError::BoxesOverlap { contact, depth, .. }) => {
                assert!(is_refused, "{overlap}");
                assert_eq!(contact, "box on table");
                assert_near(depth, overlap, 1e-15);
            }
            Err(other) => panic!("{overlap}: {other}"),
        }
        // A window that leaves them so is retried with shorter steps.
        let of_window = simulation.check_boxes_of_device(Device::Windows);
        assert_eq!(matches!(of_window, Err(SimulationError::DevicePenetration { .. })), is_refused, "{overlap}");
    }
}

/// A box whose edge lies on a table of its own width tips about it, until its face lies on the table. Its other parts
/// face the table only at that instant: before it, the other edge is not the lowest, and below it is nearer to the side
/// of the table than to its top.
#[test]
fn a_face_that_comes_down_flush_is_not_missed_where_another_edge_is_a_little_inside() {
    let model = model(
        r#"<body name="box"><joint name="z" type="slide" axis="0 0 1"/><joint name="turn" type="hinge" axis="0 1 0"/>
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>"#,
    );
    let side =
        |link, at: [f64; 3], half| PairSide { link, placement: Placement::at(at), solid: Solid::cuboid(half).unwrap() };
    let upper = side(model.find_link("box").unwrap(), [0.1, 0.0, 0.1], [0.1; 3]);
    let table = side(LinkId::WORLD, [0.0, 0.0, -0.1], [0.5, 0.1, 0.1]);
    let mut setup = weightless(setup(Arc::clone(&model)));
    (setup.configuration, setup.velocity) = (vec![0.0, -1e-3], vec![0.0, 2e-3]);
    setup.pairs.push(WatchedPair {
        name: "box on table".into(),
        bodies: BodyPair { sides: [upper, table] },
        coefficients: Coefficients { restitution: Restitution::ZERO, friction: None },
    });
    // The error that the dense output of a step may leave in a closed contact.
    for inside in [0.0, 1e-11] {
        setup.configuration[0] = -inside;
        let mut simulation = Simulation::new(setup.clone()).unwrap();
        for k in 0..simulation.system.contacts.len() {
            if simulation.system.contacts[k].gap < 1e-9 {
                simulation.set_mode(k, Mode::Stick);
            }
        }
        simulation.system.adopt_modes();
        assert_eq!(simulation.system.closed().len(), 2);
        attempt(&mut simulation, 1.0);
        assert_near(simulation.first_touch(1.0).unwrap().unwrap_or(f64::NAN), 0.5, 1e-6);
    }
}
