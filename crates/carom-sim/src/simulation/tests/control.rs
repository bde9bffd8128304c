//! Runs that are copied, begun again, or put into another state.

use crate::record::book::Device;
use crate::simulation::motion::contact::Mode;
use crate::{Discard, Recorder, Simulation, Stop};

use super::{assert_near, ball, mass, sphere};

/// A copy made in flight goes on as the original does, to the bit.
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

/// Lifted to 2 m at 0.3 s, at rest, it falls from there: the next impact is √(2 h/g) later, and the book is that of this fall.
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

/// What the parts say of themselves.
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
    // The last has a damper too stiff to be followed by steps.
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
