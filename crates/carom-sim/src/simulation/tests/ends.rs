//! Where the end of a phase is put, whatever the dense output says.

use crate::simulation::event::phase_end::PhaseEnd;
use crate::simulation::motion::contact::Mode;
use crate::simulation::motion::margin::{Margin, Reason};
use crate::{Actuator, Simulation};

use super::{G, assert_near, attempt, mass, sphere};

const MU: f64 = 0.5;

/// A mass on the floor with friction in this mode, pushed along it, as far as one step of this length.
fn pushed(mode: Mode, speed: f64, step: f64, push: impl Fn(f64) -> f64 + Send + Sync + 'static) -> Simulation {
    let mut setup = mass("", 0.0);
    setup.contacts[0].coefficients.friction = Some(carom_law::Friction::new(MU).unwrap());
    setup.contacts[0].point = setup.contacts[0].point.with_dimension(2);
    setup.velocity[0] = speed;
    setup.actuators = vec![Actuator::law(move |t, _, _, forces| forces[0] += push(t))];
    let mut simulation = Simulation::new(setup).unwrap();
    simulation.audit().unwrap();
    simulation.system.contacts[0].mode = mode;
    simulation.system.adopt_modes();
    attempt(&mut simulation, step);
    simulation
}

fn end(fraction: f64, beyond: f64, reason: Reason) -> PhaseEnd {
    PhaseEnd { fraction, beyond, margin: Margin { value: -1e-9, by: Some((0, reason)) } }
}

/// A mass at 1 m/s stops after v/(μ g), however far from there the dense output has it.
#[test]
fn a_stop_is_found_by_stepping_from_wherever_it_is_looked_for_first() {
    let (step, wanted) = (0.4, 1.0 / (MU * G));
    let simulation = pushed(Mode::SlipAlong([1.0, 0.0]), 1.0, step, |_| 0.0);
    for off in [0.0, 1e-12, 1e-9, 1e-6, 1e-3, 0.03] {
        for off in [off, -off] {
            let mut simulation = simulation.clone();
            let fraction = (wanted + off) / step;
            let margin = simulation.step_to_phase_end(step, end(fraction, 0.0, Reason::Stop)).unwrap();
            assert_near(simulation.time, wanted, 1e-11);
            assert!(margin.value.abs() <= 1e-11, "{off}: {margin:?}");
            assert_eq!(margin.by, Some((0, Reason::Stop)));
        }
    }
    // What does not stop in the step is left where it was looked for.
    let mut simulation = pushed(Mode::SlipAlong([1.0, 0.0]), 1.0, 0.5 * wanted, |_| 0.0);
    simulation.step_to_phase_end(0.5 * wanted, end(0.8, 0.0, Reason::Stop)).unwrap();
    assert_near(simulation.time, 0.4 * wanted, 1e-15);
    assert_near(simulation.velocity()[0], 1.0 - 0.4, 1e-13);
}

/// A push that grows with the square of time is as large as friction at 0.2 s.
#[test]
fn a_push_is_found_on_its_bound_by_stepping_from_wherever_it_is_looked_for_first() {
    let (step, wanted) = (0.3, 0.2);
    let push = move |t: f64| MU * G * (t / wanted) * (t / wanted);
    let simulation = pushed(Mode::Stick, 0.0, step, push);
    for off in [0.0, 1e-9, 1e-7, 1e-5] {
        for off in [off, -off] {
            let mut simulation = simulation.clone();
            let found = end((wanted + off) / step, 1e-5 / step, Reason::Cone);
            simulation.step_to_phase_end(step, found).unwrap();
            assert_near(simulation.time, wanted, 1e-14);
        }
    }
    // Too far from there to be what was found.
    let mut simulation = simulation.clone();
    simulation.step_to_phase_end(step, end(0.1, 1e-5, Reason::Cone)).unwrap();
    assert_near(simulation.time, 0.1 * step, 1e-15);
}

/// An event fires where friction is outside its cone by 1e-10 of the weight: there modes are decided, up to 32 times as much later as
/// asked for.
#[test]
fn modes_are_decided_where_an_event_fires_and_not_before() {
    let simulation = pushed(Mode::Stick, 0.0, 0.1, |t| MU * G * (1.0 + t));
    // Half of the weight is 2e-10 s more than it holds.
    for (later, decided) in
        [(0.0, None), (1e-13, None), (2e-11, Some(3.2e-10)), (1.5e-10, Some(3e-10)), (1e-6, Some(1e-6))]
    {
        let mut simulation = simulation.clone();
        simulation.look_ahead(later).unwrap();
        assert_eq!(simulation.stepping.decides_at.is_some(), decided.is_some(), "{later:e}");
        if let (Some(at), Some(wanted)) = (simulation.stepping.decides_at, decided) {
            assert_near(at, wanted, 1e-14 * wanted + 1e-22);
        }
    }
}

/// Where the end of a step is put onto a bound, and where it fires, in a step that goes on: by the dense output.
#[test]
fn a_phase_ends_where_its_force_is_on_its_bound_and_fires_a_little_later() {
    let (step, wanted) = (0.3, 0.2);
    let mut simulation = pushed(Mode::Stick, 0.0, step, move |t| MU * G * t / wanted);
    let found = match simulation.phase_end().unwrap() {
        crate::simulation::event::phase_end::Phase::Ends(found) => found,
        other => panic!("{other:?}"),
    };
    assert_eq!(found.margin.by, Some((0, Reason::Cone)));
    assert_near(found.fraction * step, wanted, 1e-13);
    // 1e-10 of the weight is 2e-10 of friction.
    assert_near(found.beyond * step, 2e-10 * wanted, 1e-13);
}

/// In space a slide that slows is followed for seven tenths of what is left of it; near where its direction is no longer told, up to
/// a tenth beyond that.
#[test]
fn a_slide_that_slows_is_not_stepped_over_its_end() {
    let deceleration = 0.2 * G * (1.0 + 1.0 / 0.4);
    let room = |speed: f64| {
        let mut setup = sphere();
        (setup.velocity[0], setup.velocity[1]) = (0.6 * speed, 0.8 * speed);
        let mut simulation = Simulation::new(setup).unwrap();
        simulation.audit().unwrap();
        simulation.system.contacts[0].mode = Mode::Slip;
        simulation.system.adopt_modes();
        simulation.present_margin().unwrap();
        (simulation.room_to_slide() * deceleration / speed, simulation.system.slowest_direction(0))
    };
    let (far, slowest) = room(2.0);
    assert_near(far, 0.7, 1e-9);
    for (over, wanted) in [(10.0, 0.7), (1.5, 1.0 / 3.0 + 0.1), (1.1, 1.0 - 1.0 / 1.1 + 0.1), (0.5, 0.1)] {
        assert_near(room(over * slowest).0, wanted, 1e-6);
    }
}
