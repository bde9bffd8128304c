//! When sliding begins and contacts lift off: where a force is on its bound, not where it is far enough outside for an event
//! to fire.

use std::sync::Arc;

use carom::law::{Coefficients, Friction, Restitution};
use carom::multibody::load::{self, Options};
use carom::multibody::{ContactPoint, HalfSpace, Model};
use carom::sim::{Actuator, EventKind, Recorder, Settings, Setup, Simulation, Surface, WatchedContact};

const G: f64 = 9.81;
const MU_S: f64 = 0.5;
const MU_D: f64 = 0.4;

/// A mass of 1 kg on the floor that moves along x and z, with these joint forces: velocities are x and z.
fn mass(dimension: usize, friction: Friction, actuators: Vec<Actuator>, until: f64) -> Setup {
    let text = r#"<mujoco model="mass"><worldbody><body name="body">
        <joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/>
        <joint name="z" type="slide" axis="0 0 1"/>
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody></mujoco>"#;
    let model = Arc::new(load::text(text, "mass.xml".as_ref(), &Options::default()).unwrap());
    let link = model.find_link("body").unwrap();
    let point = ContactPoint::new(&model, link, [0.0; 3], [0.0, 0.0, 1.0]).unwrap();
    let coefficients = Coefficients { restitution: Restitution::ZERO, friction: Some(friction) };
    Setup {
        configuration: vec![0.0; 3],
        velocity: vec![0.0; 3],
        surfaces: vec![Surface {
            name: "floor".into(),
            half_space: HalfSpace::new([0.0; 3], [0.0, 0.0, 1.0]).unwrap(),
        }],
        contacts: vec![WatchedContact {
            name: "foot".into(),
            point: point.with_dimension(dimension),
            surface: 0,
            coefficients,
            enabled: None,
        }],
        actuators,
        settings: Settings { until, interval: None, ..Settings::default() },
        ..Setup::new(model)
    }
}

/// The times of all events of a kind.
fn times(setup: Setup, kind: EventKind) -> Vec<f64> {
    let until = setup.settings.until;
    let mut simulation = Simulation::new(setup).unwrap();
    let mut recorder = Recorder::new();
    simulation.run_until(until, &mut recorder).unwrap();
    assert_eq!(simulation.summary().windows, 0);
    recorder.events().iter().filter(|event| event.kind() == kind).map(|event| event.time()).collect()
}

const RATES: [f64; 7] = [1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0];

#[track_caller]
fn assert_once(times: &[f64], wanted: f64, bound: f64, what: &str) {
    assert_eq!(times.len(), 1, "{what}: {times:?}");
    let error = (times[0] - wanted) / wanted;
    assert!(error.abs() <= bound, "{what}: {} is not {wanted}, off by {error:e} of it", times[0]);
}

/// A push that grows ever so slowly: sliding began 1e-10 of the force too late, whatever the tolerance.
#[test]
fn a_slow_push_slides_on_time() {
    for (dimension, mu_d) in [(2, MU_D), (2, MU_S), (3, MU_D), (3, MU_S)] {
        for rate in RATES {
            for tolerance in [1e-6, 1e-10, 1e-13] {
                let wanted = MU_S * G / rate;
                let friction = Friction::with_static(MU_S, mu_d).unwrap();
                let push = Actuator::Force { freedom: 0, force: 0.0, rate };
                let mut setup = mass(dimension, friction, vec![push], 1.001 * wanted);
                setup.settings.tolerance = tolerance;
                let what = format!("d = {dimension}, mu_d = {mu_d}, {rate} N/s at {tolerance:e}");
                assert_once(&times(setup, EventKind::Slip), wanted, 1e-14, &what);
            }
        }
    }
}

/// A step that ends a moment after the onset, where the force is outside but not far enough for an event to fire: the event
/// fires in the next step, which cannot go back beyond its own start.
#[test]
fn a_step_that_ends_just_after_an_onset_does_not_make_it_late() {
    let rate = 1e-4;
    let wanted = MU_S * G / rate;
    let push = Actuator::Force { freedom: 0, force: 0.0, rate };
    let mut setup = mass(2, Friction::new(MU_S).unwrap(), vec![push], 1.001 * wanted);
    // An event fires 1e-10 of the weight later: 9.8e-6 s.
    let (step, after) = (10.0, 4e-6);
    setup.settings.largest_step = Some(step);
    let mut simulation = Simulation::new(setup).unwrap();
    let mut recorder = Recorder::new();
    simulation.run_until(wanted + after - step, &mut recorder).unwrap();
    simulation.run_until(1.001 * wanted, &mut recorder).unwrap();
    let slips = recorder.events().iter().filter(|event| event.kind() == EventKind::Slip);
    let slips: Vec<f64> = slips.map(|event| event.time()).collect();
    assert_once(&slips, wanted, 1e-14, "a step that ends just after the onset");
}

/// The same of a block on two corners: forces that are redundant. At rest for long it takes short steps, so that the
/// slowest pushes are left out.
#[test]
fn a_slow_push_slides_a_block_on_time() {
    for rate in &RATES[2..] {
        let mut setup = carom::gallery::find_simulation("brick").unwrap().setup().unwrap();
        setup.model = Arc::new(Model::clone(&setup.model).with_gravity([0.0, 0.0, -G]));
        setup.actuators = vec![Actuator::Force { freedom: 0, force: 0.0, rate: *rate }];
        let friction = setup.contacts[0].coefficients.friction.unwrap();
        let wanted = friction.mu_s() * G / rate;
        setup.settings = Settings { until: 1.001 * wanted, interval: None, ..Settings::default() };
        let mut slips = times(setup, EventKind::Slip);
        slips.dedup();
        assert_once(&slips, wanted, 1e-13, &format!("a block at {rate} N/s"));
    }
}

/// A pull that takes the weight away.
#[test]
fn a_slow_pull_lifts_off_on_time() {
    for dimension in [1, 2, 3] {
        for rate in RATES {
            let wanted = G / rate;
            let friction = Friction::new(MU_S).unwrap();
            let pull = Actuator::Force { freedom: 2, force: 0.0, rate };
            let mut setup = mass(dimension, friction, vec![pull], 1.001 * wanted);
            if dimension == 1 {
                setup.contacts[0].coefficients.friction = None;
            }
            assert_once(&times(setup, EventKind::LiftOff), wanted, 1e-14, &format!("d = {dimension}, {rate} N/s"));
        }
    }
}

/// A mass on a spring whose end moves on at constant speed sticks and slips for ever. What each onset is late by adds up.
#[test]
fn stick_slip_does_not_run_late() {
    let (stiffness, speed, cycles) = (100.0, 0.1, 60);
    for dimension in [2, 3] {
        let friction = Friction::with_static(MU_S, MU_D).unwrap();
        let (delta, omega) = ((MU_S - MU_D) * G / stiffness, stiffness.sqrt());
        let slip = 2.0 / omega * (std::f64::consts::PI - (delta * omega / speed).atan());
        let period = 2.0 * delta / speed + slip;
        let first = MU_S * G / (stiffness * speed);
        let actuators = vec![
            Actuator::Force { freedom: 0, force: 0.0, rate: stiffness * speed },
            Actuator::Posture { coordinate: 0, freedom: 0, target: 0.0, stiffness, damping: 0.0 },
        ];
        let mut setup = mass(dimension, friction, actuators, first + (f64::from(cycles) - 0.05) * period);
        // A stretch that is off by 1e-13 m is 1e-12 s of the spring's end.
        setup.settings.tolerance = 1e-13;
        let (slips, sticks) = (times(setup.clone(), EventKind::Slip), times(setup, EventKind::Stick));
        assert_eq!((slips.len(), sticks.len()), (cycles as usize, cycles as usize));
        for (k, (start, end)) in slips.iter().zip(&sticks).enumerate() {
            let wanted = first + k as f64 * period;
            assert!((start - wanted).abs() < 1e-10, "slip {k}: {start} is not {wanted}: {:e}", start - wanted);
            assert!((end - wanted - slip).abs() < 1e-10, "stick {k}: {:e}", end - wanted - slip);
        }
    }
}
