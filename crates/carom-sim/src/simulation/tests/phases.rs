//! Where phases end.

use std::sync::Arc;

use crate::simulation::motion::contact::Mode;
use crate::{Actuator, ContactMode, Discard, EventKind, Setup, Simulation, Stop};

use super::{G, contact, mass, model, run, setup};

/// A mass that may slide along the floor with friction, pushed along it.
fn slider(mu: f64, push: impl Fn(f64) -> f64 + Send + Sync + 'static) -> Setup {
    let mut setup = mass("", 0.0);
    setup.contacts[0].coefficients.friction = Some(carom_law::Friction::new(mu).unwrap());
    setup.contacts[0].point = setup.contacts[0].point.with_dimension(2);
    setup.actuators = vec![Actuator::law(move |t, _, _, forces| forces[0] += push(t))];
    setup
}

/// A push that jumps to ten times the friction limit: the mass slides from the jump on, and no sample shows it sticking
/// outside its cone.
#[test]
fn no_sample_shows_a_force_that_jumped_out_of_its_bounds() {
    let (mu, jump) = (0.5, 0.1);
    let mut setup = slider(mu, move |t| if t < jump { 0.0 } else { 10.0 * mu * G });
    setup.settings.until = 0.2;
    let (simulation, recorder) = run(setup);
    assert_eq!(simulation.modes().next(), Some(ContactMode::Slip));
    for sample in recorder.samples() {
        let [normal, tangential, _] = sample.contacts[0].force;
        assert!(tangential.abs() <= mu * normal + 1e-7, "{tangential} of {normal} at {}", sample.time);
    }
}

/// A block on two feet, one of which carries an increasing share. Half of the push is more than the other foot can
/// hold; together they hold it. Whether they do is a separate problem, which is not solved at each of a dozen stages of
/// a step.
#[test]
fn forces_that_other_distributions_hold_are_not_distributed_at_every_stage() {
    let model = model(
        r#"<body name="block"><joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
        <joint name="turn" type="hinge" axis="0 1 0"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>"#,
    );
    let mut setup = setup(Arc::clone(&model));
    setup.contacts = [-1.0, 1.0]
        .map(|x| {
            let mut foot = contact(&model, "block", [x, 0.0, 0.0], 0.0, Some(0.5));
            foot.point = foot.point.with_dimension(2);
            foot
        })
        .to_vec();
    setup.actuators = vec![Actuator::law(|t, _, _, forces| {
        forces[0] += 0.3 * G;
        forces[2] += (0.8 + 0.01 * t) * G;
    })];
    setup.settings.largest_step = Some(0.01);
    setup.settings.until = 1.0;
    let (simulation, recorder) = run(setup);
    assert_eq!(recorder.events().len(), 0, "{:?}", recorder.events().first());
    assert!(simulation.modes().all(|mode| mode == ContactMode::Stick));
    let summary = simulation.summary();
    // 12 stages, the first of the next step, and two further evaluations.
    let each = summary.evaluations as f64 / summary.steps as f64;
    assert!(summary.steps >= 100 && each < 22.0, "{each} in each of {} steps", summary.steps);
}

/// A push that repeatedly exceeds the friction limit by 5e-11 of it and returns: too little for an event to fire.
#[test]
fn a_force_that_wavers_about_its_bound_does_not_shorten_every_step() {
    let mu = 0.5;
    let mut setup = slider(mu, move |t| mu * G * (1.0 + 5e-11 * (40.0 * t).sin()));
    setup.settings.largest_step = Some(0.1);
    setup.settings.until = 10.0;
    let mut simulation = Simulation::new(setup).unwrap();
    simulation.audit().unwrap();
    simulation.system.contacts[0].mode = Mode::Stick;
    simulation.system.adopt_modes();
    simulation.modes_are_stale = false;
    while simulation.step(&mut Discard).unwrap() != Stop::Time {}
    let summary = simulation.summary();
    assert_eq!(simulation.modes().next(), Some(ContactMode::Stick));
    assert!(summary.steps < 200, "{} steps", summary.steps);
}

/// A push that exceeds it by 1e-13, which is rounding for decisions.
#[test]
fn a_force_that_rounding_takes_out_of_its_bound_does_not_shorten_steps() {
    let mu = 0.5;
    let mut setup = slider(mu, move |t| mu * G * (1.0 + 1e-13 * (40.0 * t).sin()));
    setup.settings.largest_step = Some(0.1);
    setup.settings.until = 10.0;
    let (simulation, recorder) = run(setup);
    assert!(recorder.events().iter().all(|event| event.kind() != EventKind::Slip));
    let summary = simulation.summary();
    assert!(summary.steps < 110, "{} steps", summary.steps);
}

/// Sliding that slows down under an oscillating push, integrated with a tolerance of 1e-4: the dense output of its last
/// step has the stop slightly early or late. The step itself ends where the velocity vanishes, so that none is left to
/// be removed.
#[test]
fn a_stop_in_a_coarse_step_leaves_no_velocity_to_be_taken_away() {
    for shake in [20.0, 40.0, 60.0] {
        let mut setup = slider(0.5, move |t| 3.0 * (shake * t).sin());
        setup.velocity[0] = 1.0;
        setup.settings.tolerance = 1e-4;
        setup.settings.until = 0.5;
        let (simulation, recorder) = run(setup);
        let stop = recorder.events().iter().find(|event| event.kind() == EventKind::Stick);
        assert!(stop.is_some(), "{:?}", recorder.events());
        assert!(simulation.book.columns.projection.abs() < 1e-20, "{:e}", simulation.book.columns.projection);
    }
}
