//! The cost and the errors of steps. The counts are those of this method to a few percent.

use std::sync::Arc;

use carom_multibody::{ContactPoint, HalfSpace, Model, load};

use crate::simulation::instant::Resolution;
use crate::stiffness::Stiffness;
use crate::{Actuator, Discard, EventKind, Simulation, Surface};

use super::{G, assert_near, contact, mass, model, run, setup, sphere, weightless};

/// The errors in time of the touches of an elastic ball add up: 5e-14 s a bounce.
#[test]
fn touches_are_not_all_early_or_all_late() {
    let mut setup = mass("", 1.0);
    setup.configuration[1] = 1.0;
    let fall = (2.0 / G).sqrt();
    setup.settings.until = 400.0 * fall;
    let (_, recorder) = run(setup);
    assert_eq!(recorder.events().len(), 200);
    for (n, event) in recorder.events().iter().enumerate() {
        assert_near(event.time(), (2 * n + 1) as f64 * fall, 1.2e-11);
    }
}

/// A ball between two plates, 1 mm apart, at 20 m/s: 2 d/(v_floor + v_ceiling) from one to the other.
#[test]
fn four_thousand_touches_of_a_rattle_are_on_time() {
    let mut setup = mass("", 1.0);
    let (height, way) = (0.0005, 0.001);
    let mut ceiling = setup.contacts[0].clone();
    let link = ceiling.point.link();
    ceiling.point = ContactPoint::new(&setup.model, link, [0.0; 3], [0.0, 0.0, -1.0]).unwrap();
    ceiling.surface = 1;
    setup.contacts.push(ceiling);
    let half_space = HalfSpace::new([0.0, 0.0, way], [0.0, 0.0, -1.0]).unwrap();
    setup.surfaces.push(Surface { name: "ceiling".into(), half_space });
    (setup.configuration[1], setup.velocity[1]) = (height, 20.0);
    setup.settings.until = 0.20003;
    let (_, recorder) = run(setup);
    let [floor, ceiling] = [1.0, -1.0].map(|sign| (400.0 + sign * 2.0 * G * height).sqrt());
    let first = 2.0 * height / (20.0 + ceiling);
    assert_eq!(recorder.events().len(), 4001);
    for (n, event) in recorder.events().iter().enumerate() {
        assert_near(event.time(), first + n as f64 * 2.0 * way / (floor + ceiling), 1e-12);
    }
}

/// An arm swings up and back within one long step, passes its lowest point, 10 nm below the floor, and swings on: the
/// tip rises, falls and rises, all within a quarter of the first step, at whose ends and in whose middle it rises. With
/// a search at a few fixed points, the touch was missed and the tip went through the floor.
#[test]
fn a_tip_that_touches_between_two_rises_of_one_step_is_not_missed() {
    let arm = model(
        r#"<body name="arm"><joint name="turn" type="hinge" axis="0 1 0"/>
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>"#,
    );
    let mut setup = weightless(setup(Arc::clone(&arm)));
    setup.contacts.push(contact(&arm, "arm", [0.0, 0.0, -1.0], 0.0, None));
    let depth = 1e-8;
    setup.surfaces[0].half_space = HalfSpace::new([0.0, 0.0, depth - 1.0], [0.0, 0.0, 1.0]).unwrap();
    let (angle, speed, pull) = (2e-4, 0.01, 100.0);
    (setup.configuration[0], setup.velocity[0]) = (angle, speed);
    setup.actuators = vec![Actuator::Force { freedom: 0, force: -pull, rate: 0.0 }];
    setup.settings.until = 0.009;
    let (simulation, recorder) = run(setup);
    assert!(simulation.summary().penetration < 1e-13, "{:e}", simulation.summary().penetration);
    let first = &recorder.events()[0];
    // The tip is on the floor where angle + speed t - pull t²/2 = touch.
    let touch = (1.0 - depth).acos();
    let wanted = (speed + (speed * speed + 2.0 * pull * (angle - touch)).sqrt()) / pull;
    assert_near(first.time(), wanted, 1e-10);
}

/// An arm turns once a second, above a floor that its tip reaches at its lowest point. At both ends and in the middle
/// of a step of two seconds the tip is at its highest, at rest along the normal: without taking the spin of the arm
/// into account, and without enough samples per turn, no touch is suspected. Gravity is so small that it has no effect
/// within a step.
#[test]
fn a_tip_that_touches_once_a_turn_is_not_missed_by_steps_of_whole_turns() {
    let arm = model(
        r#"<body name="arm"><joint name="turn" type="hinge" axis="0 1 0"/>
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>"#,
    );
    let mut setup = setup(Arc::clone(&arm));
    setup.model = Arc::new(Model::clone(&arm).with_gravity([0.0, 0.0, -1e-6]));
    setup.contacts.push(contact(&arm, "arm", [0.0, 0.0, -1.0], 0.5, None));
    let depth = 1e-3;
    setup.surfaces[0].half_space = HalfSpace::new([0.0, 0.0, depth - 1.0], [0.0, 0.0, 1.0]).unwrap();
    let pi = std::f64::consts::PI;
    (setup.configuration[0], setup.velocity[0]) = (pi, 2.0 * pi);
    setup.settings.largest_step = Some(2.0);
    setup.settings.until = 2.0;
    let (_, recorder) = run(setup);
    let wanted = (pi - (1.0_f64 - depth).acos()) / (2.0 * pi);
    assert_near(recorder.events()[0].time(), wanted, 1e-12);
}

/// A mass on a spring that swings to 1 nm below the floor and back within a step, at both ends of which it is above.
#[test]
fn a_dip_within_a_step_of_a_body_that_does_not_turn_is_not_missed() {
    let depth = 1e-9;
    for k in 0..8 {
        let mut setup = weightless(mass(r#"stiffness="1" springref="1""#, 0.5));
        // From its highest point, or slightly after.
        let phase = 0.1 * f64::from(k);
        let amplitude = 1.0 + depth;
        (setup.configuration[1], setup.velocity[1]) = (1.0 + amplitude * phase.cos(), -amplitude * phase.sin());
        setup.settings.until = 4.0;
        let (_, recorder) = run(setup);
        let wanted = (-1.0 / amplitude).acos() - phase;
        let first = recorder.events().first().unwrap_or_else(|| panic!("phase {phase}: nothing struck"));
        assert_near(first.time(), wanted, 1e-5);
    }
}

/// A sphere that slides at 2 m/s and is pushed by 40 N: friction takes μ m g (1/m + r²/I) of that. Over many times the
/// ratio of 2 m/s to its acceleration, the sliding direction is not close to a polynomial in time.
#[test]
fn a_step_of_a_slide_that_gains_speed_is_no_longer_than_its_error_estimate_holds() {
    let mut setup = sphere();
    setup.actuators = vec![Actuator::Force { freedom: 0, force: 40.0, rate: 0.0 }];
    let mut simulation = Simulation::new(setup).unwrap();
    simulation.audit().unwrap();
    assert_eq!(simulation.resolve_instant(None).unwrap(), Resolution::Clear);
    simulation.present_margin().unwrap();
    let acceleration = 40.0 - 0.2 * G * (1.0 + 1.0 / 0.4);
    assert_near(simulation.room_to_slide(), 6.0 * 2.0 / acceleration, 1e-12);
}

/// A mass that sticks is pushed by an oscillator, A sin t: it slides when that is μ m g. Steps are a large fraction of
/// a period and more accurate than their dense output, so the time it gives has to be corrected by stepping.
#[test]
fn sliding_does_not_begin_where_the_dense_output_of_a_long_step_says() {
    let model = model(
        r#"<body name="mass"><joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>
        <body name="oscillator"><joint name="y" type="slide" axis="0 1 0" stiffness="1"/>
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>"#,
    );
    let mu = 0.5;
    let mut worst = 0.0_f64;
    for k in 0..12 {
        let mut setup = setup(Arc::clone(&model));
        let mut slider = contact(&model, "mass", [0.0; 3], 0.0, Some(mu));
        slider.point = slider.point.with_dimension(2);
        setup.contacts.push(slider);
        // It starts at a different phase each time, and pushes harder from then on.
        let (phase, push) = (0.1 * f64::from(k), 1.01 * mu * G);
        (setup.configuration[2], setup.velocity[2]) = (-phase.sin(), phase.cos());
        setup.actuators = vec![Actuator::law(move |_, q, _, forces| forces[0] += push * q[2])];
        let wanted = phase + (mu * G / push).asin();
        setup.settings.until = wanted + 0.1;
        let (_, recorder) = run(setup);
        let first = recorder.events().iter().find(|event| event.kind() == EventKind::Slip).unwrap();
        worst = worst.max((first.time() - wanted).abs());
    }
    // 1.6e-10; 2.4e-9 by the dense output.
    assert!(worst < 4e-10, "{worst:e}");
}

/// A mass without friction, on its bound from the start, is pushed by a force that grows as another mass falls from
/// rest: at the start of the step the push does not grow, and the mass could stay. The end of its rest was once put
/// there again and again, until windows stepped over it.
#[test]
fn the_end_of_a_phase_is_not_put_at_the_start_of_a_step_for_ever() {
    let model = model(
        r#"<body name="mass"><joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>
        <body name="weight"><joint name="fall" type="slide" axis="0 0 1"/>
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>"#,
    );
    let mut setup = setup(Arc::clone(&model));
    let mut slider = contact(&model, "mass", [0.0; 3], 0.0, Some(0.0));
    slider.point = slider.point.with_dimension(2);
    setup.contacts.push(slider);
    let growth = 2e-4;
    setup.actuators = vec![Actuator::Law(Arc::new(move |_, q, _, forces| forces[0] += 5e-13 - growth * q[2]))];
    setup.settings.until = 0.01;
    let (simulation, recorder) = run(setup);
    assert_eq!(simulation.summary().windows, 0);
    assert!(recorder.events().iter().any(|event| event.kind() == EventKind::Slip));
    // growth g t²/2 / m twice integrated.
    let wanted = growth * G * 0.01_f64.powi(3) / 6.0;
    assert_near(simulation.velocity()[0], wanted, 1e-2 * wanted);
}

/// Samples inside a step are as accurate as steps; the dense output of a long step is not.
#[test]
fn samples_inside_a_step_are_as_accurate_as_its_end() {
    let pendulum = model(
        r#"<body name="bob"><joint name="turn" type="hinge" axis="0 1 0"/>
        <inertial pos="0 0 -1" mass="1" diaginertia="0.1 0.1 0.1"/></body>"#,
    );
    let mut setup = setup(pendulum);
    setup.configuration[0] = 2.0;
    setup.settings.interval = Some(0.003);
    setup.settings.until = 5.0;
    let (simulation, recorder) = run(setup);
    let scale = simulation.summary().largest_energy;
    let worst = recorder.samples().iter().map(|sample| sample.energy.residual.abs()).fold(0.0, f64::max);
    assert!(worst < 3e-11 * scale, "{:e}", worst / scale);
}

fn stiffness(model: Arc<Model>, actuators: Vec<Actuator>) -> Stiffness {
    let mut setup = setup(model);
    setup.actuators = actuators;
    Simulation::new(setup).unwrap().stiffest_joint().unwrap().clone()
}

/// Two wheels of 1 kg m² on one axis each.
fn wheels(first: &str, second: &str) -> Arc<Model> {
    let wheel = |name: &str, attributes: &str| {
        format!(
            r#"<body name="{name}"><joint name="{name}" type="hinge" axis="0 1 0" {attributes}/>
            <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>"#
        )
    };
    model(&[wheel("one", first), wheel("other", second)].concat())
}

/// The rates are d/J and √(k/J).
#[test]
fn the_joint_blamed_for_short_steps_is_the_fastest_of_all() {
    let one = stiffness(wheels(r#"damping="20""#, r#"damping="10""#), Vec::new());
    assert_eq!((one.joint.as_str(), one.rate), ("one", 20.0));
    let other = stiffness(wheels(r#"damping="20""#, r#"stiffness="900""#), Vec::new());
    assert_eq!((other.joint.as_str(), other.rate), ("other", 30.0));
    let posture = Actuator::Posture { coordinate: 1, freedom: 1, target: 0.0, stiffness: 1600.0, damping: 0.0 };
    let motor = stiffness(wheels(r#"damping="20""#, ""), vec![posture]);
    assert_eq!((motor.joint.as_str(), motor.rate), ("other", 40.0));
}

/// A follower that turns three times as fast damps its leader nine times as much, and the leader is named, not the
/// follower.
#[test]
fn a_follower_is_damped_by_the_square_of_its_multiplier() {
    let text = r#"<robot name="gear"><link name="base"/>
        <link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="leader" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/></joint>
        <joint name="follower" type="continuous"><parent link="base"/><child link="b"/><axis xyz="0 1 0"/>
        <dynamics damping="2"/><mimic joint="leader" multiplier="3"/></joint></robot>"#;
    let model = Arc::new(load::text(text, "gear.urdf".as_ref(), &load::Options::default()).unwrap());
    let stiffest = stiffness(model, Vec::new());
    assert_eq!(stiffest.joint, "leader");
    // J = 1 + 9 of both together.
    assert_near(stiffest.rate, 18.0 / 10.0, 1e-14);
}

/// This includes the last one: if slightly more than one step remains, two equal ones are taken, neither a stretched
/// nor a tiny one. After a tiny one, the next step of a damped robot had four times the error.
#[test]
fn no_step_is_longer_than_the_largest_asked_for_and_the_last_is_not_tiny() {
    for k in 0..20 {
        let mut setup = mass("", 0.5);
        setup.configuration[1] = 100.0;
        setup.settings.largest_step = Some(0.1);
        let until = 1.0 + 0.005 * f64::from(k);
        setup.settings.until = until;
        let mut simulation = Simulation::new(setup).unwrap();
        while simulation.time() < until {
            let before = simulation.time();
            simulation.step(&mut Discard).unwrap();
            let step = simulation.time() - before;
            assert!(step <= 0.1 + 1e-15 && (step > 0.01 || before < 0.5), "from {before} to {}", simulation.time());
        }
    }
}
