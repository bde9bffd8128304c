//! Windows of time stepping.

use std::sync::Arc;

use carom_multibody::HalfSpace;

use crate::record::book::Device;
use crate::simulation::motion::contact::Mode;
use crate::{CoordinateRange, Discard, Setup, Simulation, SimulationError};

use super::{G, assert_near, contact, mass, model, setup, weightless};

/// Steps of a window, and the shortest and longest of them relative to the time scale.
const STEPS: f64 = 10.0;
const SHORTEST: f64 = 1e-6;
const LONGEST: f64 = 1e-4;

/// A simulation up to t = 1 that is about to open a window.
fn begun(setup: Setup) -> Simulation {
    let mut simulation = Simulation::new(setup).unwrap();
    simulation.set_until(1.0).unwrap();
    simulation.audit().unwrap();
    simulation
}

/// Opens the next window and returns its length in time.
fn window(simulation: &mut Simulation) -> f64 {
    let before = simulation.time;
    simulation.open_window().unwrap();
    simulation.time - before
}

/// Lifting it out takes 5e-11 J here: less than a device may add.
#[test]
fn what_a_window_finds_inside_a_surface_does_not_stay_inside() {
    let mut setup = mass("", 0.0);
    setup.configuration[1] = -5e-12;
    let mut simulation = begun(setup);
    window(&mut simulation);
    assert!(simulation.configuration()[1] >= -1e-15, "{:e}", simulation.configuration()[1]);
}

#[test]
fn windows_that_follow_each_other_do_not_take_for_ever() {
    let mut simulation = begun(mass("", 0.0));
    let time = simulation.system.scales.time;
    let first = window(&mut simulation);
    assert_near(first, STEPS * SHORTEST * time, 1e-15);
    assert_near(window(&mut simulation), 2.0 * first, 1e-15);
    let tenth = (0..8).map(|_| window(&mut simulation)).last().unwrap();
    assert_near(tenth, STEPS * LONGEST * time, 1e-14);
    // After a pause it is another cluster; before, the same one.
    simulation.time += 1.9 * tenth;
    assert_near(window(&mut simulation), tenth, 1e-14);
    simulation.time += 2.1 * tenth;
    assert_near(window(&mut simulation), first, 1e-14);
}

#[test]
fn a_window_steps_over_no_more_than_a_ten_thousandth_of_the_length() {
    let mut setup = mass("", 0.0);
    setup.velocity[0] = 10.0;
    let mut simulation = begun(setup);
    let longest = (0..20).map(|_| window(&mut simulation)).fold(0.0, f64::max);
    assert_near(longest, STEPS * 1e-4 / 10.0, 1e-12);
}

#[test]
fn a_window_does_not_go_beyond_the_end_asked_for() {
    let mut simulation = begun(mass("", 0.0));
    simulation.set_until(1e-7).unwrap();
    window(&mut simulation);
    assert_near(simulation.time, 1e-7, 1e-20);
}

/// A window has a separate robot, with the armature that represents dampers: in the same state the two have different
/// W.
#[test]
fn a_robot_at_rest_does_not_keep_the_matrix_of_its_window() {
    let mut simulation = begun(mass(r#"damping="10""#, 0.0));
    let mut passive = simulation.passive(0.1);
    let state = simulation.state.clone();
    let mut delassus = || {
        simulation.system.place(0.0, &state).unwrap();
        simulation.system.terms(0.0, &[0]).unwrap();
        let w = simulation.system.rows.delassus()[(0, 0)];
        simulation.swap_dynamics(&mut passive);
        w
    };
    let [own, of_the_window, again, of_the_window_again] = [(); 4].map(|()| delassus());
    // An armature of 0.1 s times 10 N s/m beside the mass of 1 kg.
    assert_near(own, 1.0, 1e-15);
    assert_near(of_the_window, 0.5, 1e-15);
    assert_eq!((again, of_the_window_again), (own, of_the_window));
}

/// With the damper evaluated at the start, one step of a ten-millionth of a second would change the velocity by 3e4
/// times its value.
#[test]
fn a_stiff_joint_in_a_window_is_stopped_and_not_thrown() {
    for joint in [r#"damping="1e11""#, r#"stiffness="1e17""#] {
        let mut setup = weightless(mass(joint, 0.0));
        (setup.configuration[1], setup.velocity[1]) = (1.0, 1.0);
        if joint.contains("stiffness") {
            // The spring is relaxed in the initial position.
            setup = weightless(mass(&format!("{joint} springref=\"1\""), 0.0));
            (setup.configuration[1], setup.velocity[1]) = (1.0, 1.0);
        }
        let mut simulation = begun(setup);
        window(&mut simulation);
        let v = simulation.velocity()[1];
        assert!(v.abs() < 1e-3, "{joint}: {v}");
    }
}

/// It strikes within the third step. Detecting the penetration after a step would be late by up to one step, and
/// armature for a whole step would damp a partial one too little.
#[test]
fn an_impact_in_a_window_is_where_it_is_and_not_at_the_next_step() {
    let (damping, e) = (1e3, 0.5);
    let mut setup = weightless(mass(&format!(r#"damping="{damping}""#), e));
    let step = SHORTEST;
    (setup.configuration[1], setup.velocity[1]) = (2.5 * step, -1.0);
    let mut simulation = begun(setup);
    assert_eq!(simulation.system.scales.time, 1.0);
    let took = window(&mut simulation);
    // Nine whole steps and a partial one.
    let part = took - 9.0 * step;
    assert!(part > 0.4 * step && part < 0.6 * step, "{}", part / step);
    let over = |h: f64| 1.0 / (1.0 + h * damping);
    let before = over(step).powi(2) * over(part);
    let after = e * before * over(step).powi(7);
    assert_near(simulation.velocity()[1], after, 1e-12);
    let rise: f64 = (1..=7).map(|k| step * e * before * over(step).powi(k)).sum();
    assert_near(simulation.configuration()[1], rise, 1e-6 * step);
}

#[test]
fn a_window_drops_restitution_only_of_what_is_a_thousand_times_slower() {
    for (speed, after) in [(2e-3, 1e-3), (5e-4, 0.0)] {
        let mut setup = weightless(mass("", 0.5));
        setup.velocity[1] = -speed;
        // The unit of speeds.
        setup.velocity[0] = 1.0;
        let mut simulation = begun(setup);
        simulation.system.contacts[0].episode.strike(0.0, 1.0, simulation.system.scales.time);
        window(&mut simulation);
        assert_near(simulation.velocity()[1], after, 1e-15);
    }
}

/// In the longest steps gravity alone adds 3e-4 m/s: far more than the speed of bounces that are ended.
#[test]
fn what_rests_does_not_begin_to_bounce_in_long_windows() {
    let mut simulation = begun(mass("", 0.5));
    for _ in 0..20 {
        window(&mut simulation);
    }
    assert!(G * LONGEST * simulation.system.scales.time > 10.0 * simulation.system.scales.of(0).settled);
    assert_eq!((simulation.velocity()[1], simulation.journal.counts.impacts), (0.0, 0));
    assert!(simulation.configuration()[1].abs() < 1e-15);
}

#[test]
fn what_left_its_surface_in_a_window_is_open_and_what_cannot_close_again_stays_closed() {
    let mut setup = mass("", 0.0);
    setup.velocity[1] = 1.0;
    let mut simulation = begun(setup);
    simulation.system.contacts[0].mode = Mode::Stick;
    simulation.system.adopt_modes();
    window(&mut simulation);
    assert!(simulation.configuration()[1] > 1e-6 && simulation.system.contacts[0].mode == Mode::Flight);

    let mut setup = mass("", 0.0);
    setup.contacts[0].enabled = Some(CoordinateRange { coordinate: 0, above: 1.0, below: 2.0 });
    let mut simulation = begun(setup);
    simulation.system.contacts[0].mode = Mode::Stick;
    simulation.system.adopt_modes();
    window(&mut simulation);
    assert!(simulation.configuration()[1].abs() < 1e-15 && simulation.system.contacts[0].mode == Mode::Stick);
}

#[test]
fn a_window_that_fails_leaves_everything_as_it_was() {
    let mut setup = mass("", 0.5);
    (setup.configuration[1], setup.velocity[1]) = (1e-7, -1.0);
    let mut simulation = begun(setup);
    // As if windows had removed a joule and given it back.
    simulation.book.lowest[Device::Windows as usize] = -1.0;
    let (state, counts) = (simulation.state.clone(), format!("{:?}", simulation.journal.counts));
    let error = simulation.open_window().unwrap_err();
    assert!(matches!(error, SimulationError::DeviceGain { .. }), "{error}");
    assert_eq!((simulation.time, &simulation.state), (0.0, &state));
    assert_eq!(format!("{:?}", simulation.journal.counts), counts);
    assert!(simulation.journal.events.is_empty() && simulation.system.contacts[0].mode == Mode::Flight);
}

/// A lossless bounce slower than those that are ended, 1.4e-6 of the speed scale, continues with its own speed: when it
/// strikes, and when it has just left the floor and falls back within a step.
#[test]
fn an_elastic_bounce_is_not_lost_in_a_window_however_slow() {
    let mut setup = weightless(mass("", 1.0));
    // The unit of speeds.
    setup.velocity = vec![1.0, -1e-7];
    let mut simulation = begun(setup);
    assert!(simulation.system.scales.of(0).settled > 1e-6);
    window(&mut simulation);
    assert_near(simulation.velocity()[1], 1e-7, 1e-20);

    let mut setup = mass("", 1.0);
    setup.velocity[1] = 1e-6;
    let mut simulation = begun(setup);
    assert!(simulation.system.scales.of(0).settled > 2e-6);
    window(&mut simulation);
    let (height, speed) = (simulation.configuration()[1], simulation.velocity()[1]);
    assert_near(0.5 * speed * speed + G * height, 0.5e-12, 0.5e-13);
}

/// A bead on an arm that turns freely: in a step of the window the centrifugal force moves it outwards, and the arm
/// slows down only in the next. The energy rises with the square of the step.
fn bead() -> Setup {
    let model = model(
        r#"<body name="bead"><joint name="turn" type="hinge" axis="0 0 1"/><joint name="out" type="slide" axis="1 0 0"/>
        <inertial pos="1 0 0" mass="1" diaginertia="1e-3 1e-3 1e-3"/></body>"#,
    );
    let mut setup = weightless(setup(Arc::clone(&model)));
    setup.surfaces[0].half_space = HalfSpace::new([0.0, 0.0, -1.0], [0.0, 0.0, 1.0]).unwrap();
    setup.contacts.push(contact(&model, "bead", [0.0; 3], 0.0, None));
    setup.velocity[0] = 1.0;
    setup
}

#[test]
fn a_window_that_adds_energy_is_tried_again_with_shorter_steps() {
    let mut simulation = begun(bead());
    let lengths: Vec<f64> = (0..12).map(|_| window(&mut simulation)).collect();
    assert!(lengths.windows(2).any(|pair| pair[1] < 0.2 * pair[0]), "{lengths:?}");
}

/// For any number of consecutive windows: each gains little, but together they would gain more than a device may. In
/// closed form the bead keeps its angular momentum and its energy.
#[test]
fn steps_of_a_window_give_back_what_they_gain() {
    let mut setup = bead();
    setup.settings.until = 10.0;
    let mut simulation = Simulation::new(setup).unwrap();
    simulation.set_until(10.0).unwrap();
    simulation.audit().unwrap();
    let energy = simulation.system.energy();
    while simulation.time < 1.0 {
        window(&mut simulation);
    }
    let columns = simulation.book.columns.windows;
    assert!(columns <= 1e-8 * energy && columns > -1e-4 * energy, "{columns:e} of {energy}");
    // About the same path: r² of the bead grows by t², and by slightly less because of its own inertia.
    let out = 1.0 + simulation.configuration()[1];
    let expected = (1.0 + simulation.time * simulation.time).sqrt();
    assert!((out - expected).abs() < 2e-3, "{out} is not {expected}");
}

/// A pendulum of two links on a slide that a damper of 1e11 N s/m holds, as the bases of some robots are: windows
/// replace nearly all of its motion, and links that accelerate each other gain energy in their steps.
#[test]
fn a_stiff_robot_that_swings_fast_does_not_gain_in_its_windows() {
    let model = model(
        r#"<body name="base"><joint name="slide" type="slide" axis="1 0 0" damping="1e11"/>
        <inertial pos="0 0 0" mass="5" diaginertia="1 1 1"/>
        <body name="upper"><joint name="shoulder" type="hinge" axis="0 1 0"/>
        <inertial pos="0.3 0 0" mass="2" diaginertia="0.02 0.02 0.02"/>
        <body name="lower" pos="0.6 0 0"><joint name="elbow" type="hinge" axis="0 1 0"/>
        <inertial pos="0.2 0 0" mass="1" diaginertia="0.01 0.01 0.01"/></body></body></body>"#,
    );
    let mut setup = setup(Arc::clone(&model));
    setup.surfaces[0].half_space = HalfSpace::new([0.0, 0.0, -3.0], [0.0, 0.0, 1.0]).unwrap();
    setup.contacts.push(contact(&model, "lower", [0.0; 3], 0.0, None));
    setup.settings.until = 1.0;
    let mut simulation = Simulation::new(setup).unwrap();
    simulation.run(&mut Discard).unwrap();
    assert!(simulation.journal.counts.windows > 100, "{}", simulation.journal.counts.windows);
    let summary = simulation.summary();
    assert!(summary.residual < 1e-8, "{summary:?}");
}

#[test]
fn steps_after_a_window_are_not_as_short_as_those_that_it_stepped_over() {
    let mut simulation = begun(mass("", 0.0));
    simulation.stepping.size = 1e-15;
    window(&mut simulation);
    assert_near(simulation.stepping.size, SHORTEST * simulation.system.scales.time, 1e-15);
}

/// A slide with dry friction in a window: at rest it stays; in motion it decelerates at f/m, as between events.
#[test]
fn dry_friction_of_joints_acts_in_windows() {
    use carom_multibody::{Inertia, Joint, JointKind, LinkId, LinkSpec, ModelBuilder};
    let (mass, friction) = (2.0, 25.0);
    let mut slide = Joint::new("slide", JointKind::Prismatic);
    slide.dry_friction = friction;
    let mut builder = ModelBuilder::new("slide");
    builder.link(LinkId::WORLD, LinkSpec::new("mass").joint(slide).inertia(Inertia::ball(mass, 0.1))).unwrap();
    let model = builder.build().unwrap().with_gravity([0.0, 0.0, -9.81]);
    for start in [0.0, 1.0, -1.0] {
        let start_at = Simulation::builder(model.clone()).joint_velocity("slide", start).until(1.0);
        let mut simulation = start_at.build().unwrap();
        simulation.open_window().unwrap();
        let time = simulation.time();
        assert!(time > 0.0);
        // Upwards friction and weight decelerate it, downwards the excess of friction over weight.
        let slowing = match start {
            0.0 => 0.0,
            v => -f64::signum(v) * friction / mass - 9.81,
        };
        let expected = start + slowing * time;
        assert!(
            (simulation.velocity()[0] - expected).abs() < 1e-13,
            "{start}: {} is not {expected}",
            simulation.velocity()[0]
        );
        let change = 0.5 * mass * (expected * expected - start * start) + mass * 9.81 * simulation.configuration()[0];
        assert!((simulation.book.columns.windows - change).abs() < 1e-13 && simulation.book.columns.windows <= 1e-15);
        simulation.run_until(0.5, &mut Discard).unwrap();
        assert!(simulation.velocity()[0].abs() < 1e-12 && simulation.summary().residual < 1e-8);
    }
}
