//! Runs that are copied, reset, set to another state, or controlled.

use crate::record::book::Device;
use crate::simulation::motion::contact::Mode;
use crate::{Actuator, Discard, Event, Recorder, Simulation, SimulationError, Stop};

use super::{assert_near, ball, contact, mass, setup, sphere, weightless};

/// A copy made in flight continues like the original, to the bit.
#[test]
fn a_copy_goes_on_as_the_original() {
    let mut original = Simulation::new(ball()).unwrap();
    original.run_until(0.7, &mut Discard).unwrap();
    let mut copy = original.clone();
    for simulation in [&mut original, &mut copy] {
        simulation.run_until(3.0, &mut Discard).unwrap();
    }
    assert_eq!(original.configuration(), copy.configuration());
    assert_eq!(original.summary(), copy.summary());
    assert!(original.summary().impacts > 3);
}

#[test]
fn a_run_that_is_begun_again_is_the_same_run() {
    let mut simulation = Simulation::new(ball()).unwrap();
    let mut record = || {
        let mut recorder = Recorder::new();
        simulation.run_until(2.0, &mut recorder).unwrap();
        let record = recorder.finish(&simulation);
        simulation.reset().unwrap();
        assert_eq!(simulation.time(), 0.0);
        record
    };
    let (first, second) = (record(), record());
    assert_eq!(first.events, second.events);
    assert_eq!(first.samples, second.samples);
}

/// Lifted to 2 m at 0.3 s, at rest, it falls from there: the next impact is √(2 h/g) later, and the energy book is that
/// of this fall.
#[test]
fn another_state_is_where_it_goes_on_from() {
    let mut setup = ball();
    setup.settings.interval = Some(0.1);
    let mut simulation = Simulation::new(setup).unwrap();
    let mut recorder = Recorder::new();
    simulation.run_until(0.3, &mut recorder).unwrap();
    simulation.set_state(&[0.0, 2.0], &[0.0, 0.0]).unwrap();
    assert_eq!((simulation.time(), simulation.configuration()), (0.3, &[0.0, 2.0][..]));
    simulation.run_until(1.5, &mut recorder).unwrap();
    let fall = (2.0 * 2.0 / super::G).sqrt();
    assert_near(recorder.events()[0].time(), 0.3 + fall, 1e-12);
    assert_near(recorder.events()[0].energy_change(), -0.5 * (1.0 - 0.64) * 2.0 * super::G * 2.0, 1e-9);
    assert!(simulation.summary().residual < 1e-9);
    assert!(recorder.samples().is_sorted_by(|a, b| a.time <= b.time));
    assert_eq!(recorder.samples().iter().filter(|sample| sample.time == 0.0).count(), 1);

    let before = simulation.configuration().to_vec();
    assert!(simulation.set_state(&[0.0, f64::NAN], &[0.0, 0.0]).is_err());
    assert_eq!(simulation.configuration(), before);
}

/// The documented invariants of the parts.
#[track_caller]
fn assert_invariants(simulation: &Simulation) {
    let Simulation { system, stepping, book, fallback, journal, time, .. } = simulation;
    assert_eq!(system.contacts.len(), system.watch.len());
    let closed: Vec<usize> = (0..system.contacts.len()).filter(|&k| system.contacts[k].mode.is_closed()).collect();
    assert_eq!(system.closed(), closed);
    assert!(system.contacts.iter().all(|contact| contact.mode != Mode::Flight || contact.settled.is_none()));
    assert!(stepping.size > 0.0 && stepping.size.is_finite());
    assert!(stepping.scale.len() == system.size() && stepping.scale.iter().all(|scale| *scale > 0.0));
    for (device, column) in [
        (Device::Settling, book.columns.settling),
        (Device::Projection, book.columns.projection),
        (Device::Windows, book.columns.windows),
        (Device::Rattle, book.columns.rattle),
        (Device::Sequences, book.columns.sequences),
    ] {
        assert!(book.lowest[device as usize] <= column, "{device:?}");
    }
    assert!(journal.events.is_empty());
    assert!(fallback.last_window.end() <= *time);
}

#[test]
fn the_parts_keep_their_invariants_from_step_to_step() {
    // The last one has a damper too stiff for steps to follow.
    let mut stiff = mass(r#"damping="1e9""#, 0.5);
    (stiff.configuration[1], stiff.velocity[1]) = (1e-3, -1.0);
    for (setup, until) in [(ball(), 4.5), (sphere(), 1.0), (stiff, 1e-3)] {
        let mut simulation = Simulation::new(setup).unwrap();
        simulation.set_until(until).unwrap();
        let mut largest = 0.0;
        while simulation.step(&mut Discard).unwrap() != Stop::Time {
            assert_invariants(&simulation);
            assert!(simulation.book.largest_energy >= largest);
            largest = simulation.book.largest_energy;
        }
        assert_invariants(&simulation);
    }
}

/// Without gravity, v is the sum of the held forces divided by the rate, and x the sum of the parabolas: no step
/// evaluates a force of another interval. If the last stage before a jump were reused as the first of the next step, it
/// would have the wrong force.
#[test]
fn forces_are_held_from_instant_to_instant() {
    let mut setup = weightless(mass("", 0.5));
    (setup.configuration[1], setup.settings.interval) = (1.0, Some(0.01));
    let mut simulation = Simulation::new(setup).unwrap();
    simulation.set_until(0.4).unwrap();
    let (rate, mut calls) = (50.0, Vec::new());
    let mut recorder = Recorder::new();
    let stop = simulation.run_controlled(
        rate,
        |time, q, v, forces| {
            calls.push((time, q[0], v[0]));
            forces[0] += if calls.len() % 3 == 0 { -7.0 } else { 2.0 };
            Ok::<_, SimulationError>(())
        },
        &mut recorder,
    );
    assert_eq!(stop.unwrap(), Stop::Time);
    assert_eq!(calls.len(), 20);
    let (mut x, mut v) = (0.0, 0.0);
    for (k, (time, q, speed)) in calls.iter().enumerate() {
        assert_eq!(*time, k as f64 / rate);
        assert_near(*q, x, 1e-14);
        assert_near(*speed, v, 1e-14);
        let force = if (k + 1) % 3 == 0 { -7.0 } else { 2.0 };
        x += v / rate + 0.5 * force / rate / rate;
        v += force / rate;
    }
    assert_near(simulation.velocity()[0], v, 1e-14);
    assert!(simulation.summary().residual < 1e-12);
    // Only the samples of the interval: 0, 0.01, ..., 0.4.
    assert_eq!(recorder.samples().len(), 41);
}

/// A controller with a constant force is equivalent to an actuator with that force, also through impacts.
#[test]
fn a_constant_controller_is_an_actuator() {
    let force = [0.7, -2.0];
    let mut driven = ball();
    driven.actuators.extend((0..2).map(|freedom| Actuator::Force { freedom, force: force[freedom], rate: 0.0 }));
    let mut driven = Simulation::new(driven).unwrap();
    driven.run_until(1.7, &mut Discard).unwrap();
    let mut controlled = Simulation::new(ball()).unwrap();
    controlled.set_until(1.7).unwrap();
    let control = |_: f64, _: &[f64], _: &[f64], forces: &mut [f64]| {
        forces.copy_from_slice(&force);
        Ok::<_, SimulationError>(())
    };
    controlled.run_controlled(130.0, control, &mut Discard).unwrap();
    assert_eq!(controlled.summary().impacts, driven.summary().impacts);
    for k in 0..2 {
        assert_near(controlled.configuration()[k], driven.configuration()[k], 1e-9);
        assert_near(controlled.velocity()[k], driven.velocity()[k], 1e-9);
    }
}

/// A mass at rest with mu = 0.5 is pushed with 0.4 and from 0.1 s on with 0.6 of its weight: it slides from that
/// instant on, and the acceleration is 0.1 g. If modes were kept, it would slide or stick with forces outside the cone
/// until a step detects it.
#[test]
fn modes_are_decided_anew_where_forces_jump() {
    let model = mass("", 0.0).model;
    let mut setup = setup(std::sync::Arc::clone(&model));
    setup.contacts.push(contact(&model, "mass", [0.0; 3], 0.0, Some(0.5)));
    let mut simulation = Simulation::new(setup).unwrap();
    simulation.set_until(0.3).unwrap();
    let mut recorder = Recorder::new();
    let control = |time: f64, _: &[f64], _: &[f64], forces: &mut [f64]| {
        forces[0] += super::G * if time < 0.1 { 0.4 } else { 0.6 };
        Ok::<_, SimulationError>(())
    };
    simulation.run_controlled(10.0, control, &mut recorder).unwrap();
    let slip = recorder.events().iter().find(|event| matches!(event, Event::Slip(_))).expect("it slides");
    assert_eq!(slip.time(), 0.1);
    assert_near(simulation.velocity()[0], 0.1 * super::G * 0.2, 1e-10);
}

#[test]
fn errors_of_a_controller_end_the_run() {
    #[derive(Debug)]
    enum Failure {
        Own(f64),
        Simulation(SimulationError),
    }
    impl From<SimulationError> for Failure {
        fn from(error: SimulationError) -> Self {
            Self::Simulation(error)
        }
    }
    let mut simulation = Simulation::new(ball()).unwrap();
    let broken = |time: f64, _: &[f64], _: &[f64], _: &mut [f64]| match time < 0.25 {
        true => Ok(()),
        false => Err(Failure::Own(time)),
    };
    let error = simulation.run_controlled(100.0, broken, &mut Discard).unwrap_err();
    assert!(matches!(error, Failure::Own(0.25)), "{error:?}");
    assert_eq!(simulation.time(), 0.25);
    let nan = |_: f64, _: &[f64], _: &[f64], forces: &mut [f64]| {
        forces[1] = f64::NAN;
        Ok(())
    };
    let Err(Failure::Simulation(error)) = simulation.run_controlled(100.0, nan, &mut Discard) else { panic!() };
    assert_eq!(error.to_string(), "forces[1] = NaN is not finite");
    let error = simulation.run_controlled(0.0, nan, &mut Discard).unwrap_err();
    assert!(matches!(error, Failure::Simulation(SimulationError::OutOfRange { field: "rate", .. })), "{error:?}");
    assert_eq!(
        simulation.hold_forces(&[1.0]).unwrap_err().to_string(),
        "forces has 1 numbers; the robot has 2 velocities"
    );
}
