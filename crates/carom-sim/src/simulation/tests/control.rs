//! Runs that are copied, begun again, or put into another state.

use crate::{Discard, Recorder, Simulation};

use super::{assert_near, ball};

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
