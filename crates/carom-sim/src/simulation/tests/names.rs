//! Simulations set up and queried by names.

use carom_law::{Coefficients, Friction, Restitution};
use carom_multibody::{HalfSpace, JointNameError};

use crate::{ContactMode, ContactSpec, Discard, Event, Recorder, Simulation, SimulationBuilder, SimulationError, Stop};

use super::{G, assert_near, ball, model, sphere};

/// 1 kg that moves along x and z, above a floor.
fn builder() -> SimulationBuilder {
    let model = model(
        r#"<body name="mass"><joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>"#,
    );
    Simulation::builder(model).surface("floor", HalfSpace::new([0.0; 3], [0.0, 0.0, 1.0]).unwrap())
}

fn rough(e: f64, mu: f64) -> Coefficients {
    Coefficients::new(Restitution::new(e).unwrap(), Friction::new(mu).unwrap())
}

#[track_caller]
fn fault(builder: SimulationBuilder) -> SimulationError {
    builder.build().unwrap_err()
}

/// The same run as with indices into q and v, to the bit.
#[test]
fn a_simulation_by_names_is_the_one_by_places() {
    let stated = || ContactSpec::new("mass", Coefficients::frictionless(Restitution::new(0.8).unwrap()));
    let mut by_names = builder().joint_position("z", 1.0).contact(stated()).until(2.0).build().unwrap();
    let mut by_places = Simulation::new(ball()).unwrap();
    let (mut one, mut other) = (Recorder::new(), Recorder::new());
    assert_eq!(by_names.run(&mut one).unwrap(), Stop::Time);
    by_places.run_until(2.0, &mut other).unwrap();
    assert_eq!(one.events(), other.events());
    assert_eq!(by_names.configuration(), by_places.configuration());
    assert_eq!(by_names.joint_position("z").unwrap(), &by_places.configuration()[1..]);
    assert_eq!(by_names.joint_velocity("z").unwrap(), &by_places.velocity()[1..]);
}

/// At 1 m/s on μ = 0.5 it stops after 1/(0.5 g); until then friction is half the weight.
#[test]
fn a_contact_is_found_by_name_with_its_mode_gap_and_force() {
    let mut simulation = builder()
        .joint_velocity("x", [1.0])
        .contact(ContactSpec::new("foot", rough(0.0, 0.5)).on("mass"))
        .build()
        .unwrap();
    simulation.run_until(0.1, &mut Discard).unwrap();
    let foot = simulation.contact("foot").unwrap();
    assert_eq!(foot.mode, ContactMode::Slip);
    assert_near(foot.force[0], G, 1e-12);
    assert_near(foot.force[1].abs(), 0.5 * G, 1e-12);
    assert!(foot.gap.abs() < 1e-12 && foot.position[0] > 0.05);
    simulation.run_until(0.3, &mut Discard).unwrap();
    assert_eq!(simulation.contact("foot").unwrap().mode, ContactMode::Stick);
    let error = simulation.contact("hand").unwrap_err();
    assert_eq!(error.to_string(), r#"no contact is called "hand"; there is foot"#);
}

/// Queried at every step, a run has the same events, samples and evaluations: a sphere that slides, then rolls, and a
/// push that starts sliding in space, whose direction is searched from the last one found.
#[test]
fn asking_for_a_sample_changes_nothing_of_what_follows() {
    let mut pushed = sphere();
    pushed.velocity[0] = 0.0;
    pushed.actuators.push(crate::Actuator::law(|time, _, _, forces| {
        forces[0] += 40.0 * time;
        forces[1] += 10.0 * time * time;
    }));
    for setup in [ball(), sphere(), pushed] {
        let record = |asks: bool| {
            let mut simulation = Simulation::new(setup.clone()).unwrap();
            simulation.set_until(0.6).unwrap();
            let mut recorder = Recorder::new();
            while simulation.step(&mut recorder).unwrap() != Stop::Time {
                if asks {
                    simulation.sample().unwrap();
                }
            }
            recorder.finish(&simulation)
        };
        let (quiet, asked) = (record(false), record(true));
        assert_eq!(quiet.events, asked.events);
        assert_eq!(quiet.samples, asked.samples);
        assert_eq!(quiet.summary, asked.summary);
    }
}

/// τ = -k q: half a period of a mass on a spring, by a closure for one joint, by one for all, and by a spring.
#[test]
fn forces_are_closures_or_springs() {
    let weightless = |builder: SimulationBuilder| {
        let setup = builder.until(std::f64::consts::PI).joint_position("x", 1.0).setup().unwrap();
        let mut simulation = Simulation::new(super::weightless(setup)).unwrap();
        simulation.run(&mut Discard).unwrap();
        simulation.joint_position("x").unwrap()[0]
    };
    assert_near(weightless(builder().joint_force("x", |_, q, _| -q)), -1.0, 1e-9);
    assert_near(weightless(builder().forces(|_, q, _, forces| forces[0] -= q[0])), -1.0, 1e-9);
    assert_near(weightless(builder().joint_spring("x", 0.0, 1.0, 0.0)), -1.0, 1e-9);
}

/// A foot that goes below the floor while its joint is out of range does not strike.
#[test]
fn a_contact_closes_in_the_range_of_a_joint_by_name() {
    let foot = || ContactSpec::new("mass", Coefficients::frictionless(Restitution::ZERO));
    let strikes = |foot: ContactSpec| {
        let mut simulation = builder().joint_position("z", 0.1).contact(foot).until(0.3).build().unwrap();
        let mut recorder = Recorder::new();
        simulation.run(&mut recorder).unwrap();
        recorder.events().iter().any(|event| matches!(event, Event::Impact(_)))
    };
    assert!(strikes(foot().enabled_while("x", -1.0, 1.0)));
    assert!(!strikes(foot().enabled_while("x", 1.0, 2.0)));
}

#[test]
fn what_is_called_by_a_wrong_name_is_told_with_the_right_ones() {
    let error = fault(builder().joint_position("y", 1.0).joint_position("w", 2.0));
    let SimulationError::Joint(JointNameError::Unknown { name, known, .. }) = &error else { panic!("{error}") };
    assert_eq!((name.as_str(), known.join(" ").as_str()), ("y", "x z"));
    assert!(error.to_string().ends_with("its moving joints are x, z"), "{error}");

    let error = fault(builder().joint_velocity("x", [1.0, 2.0]));
    assert_eq!(error.to_string(), r#"joint "x" is prismatic: its velocity has 1 numbers, not 2"#);
    let error = fault(builder().contact(ContactSpec::new("foot", rough(0.0, 0.5))));
    assert_eq!(error.to_string(), r#"no link or frame is called "foot"; there is mass"#);
    let error = fault(builder().contact(ContactSpec::new("mass", rough(0.0, 0.5)).against("wall")));
    assert_eq!(error.to_string(), r#"contact "mass" touches surface "wall", which does not exist; there is floor"#);
    let twice = || ContactSpec::new("mass", rough(0.0, 0.5));
    let error = fault(builder().contact(twice()).contact(twice()));
    assert_eq!(error.to_string(), r#"two contacts are called "mass": give them different names"#);
    let error = fault(builder().contact(twice().radius(-1.0)));
    assert!(matches!(&error, SimulationError::Contact { contact, .. } if contact == "mass"), "{error}");
    let error = fault(builder().joint_force("z ", |_, _, _| 0.0));
    assert!(matches!(error, SimulationError::Joint(_)), "{error}");
}

/// There is one end time: the header, the summary and the steps use the one the run was given.
#[test]
fn the_end_time_is_one() {
    let mut simulation = Simulation::new(ball()).unwrap();
    simulation.run_until(0.25, &mut Discard).unwrap();
    assert_eq!((simulation.until(), simulation.time(), simulation.header().until), (0.25, 0.25, 0.25));
    assert_eq!(simulation.summary().ending, crate::Ending::Complete);
    simulation.set_until(0.5).unwrap();
    assert_eq!(simulation.summary().ending, crate::Ending::Interrupted);
    assert_eq!(simulation.run(&mut Discard).unwrap(), Stop::Time);
    assert_eq!(simulation.time(), 0.5);
    for until in [-1.0, f64::NAN, f64::INFINITY] {
        let error = simulation.set_until(until).unwrap_err();
        assert!(error.to_string().starts_with("until = "), "{error}");
    }
    simulation.set_until(0.0).unwrap();
    simulation.reset().unwrap();
    assert_eq!((simulation.time(), simulation.until()), (0.0, 0.0));
}
