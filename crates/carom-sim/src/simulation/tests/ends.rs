//! Where the end of a phase is located, independently of errors of the dense output.

use crate::Simulation;
use crate::simulation::event::advance::Halt;
use crate::simulation::event::phase_end::PhaseEnd;
use crate::simulation::motion::contact::Mode;
use crate::simulation::motion::margin::{Margin, Reason};

use super::{G, MU, assert_near, pushed, sphere};

fn end(fraction: f64, beyond: f64, reason: Reason) -> PhaseEnd {
    PhaseEnd { fraction, beyond, margin: Margin { value: -1e-9, by: Some((0, reason)) } }
}

/// A mass at 1 m/s stops after v/(μ g), however wrong the dense output is.
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
    // If it does not stop in the step, the time searched first is kept.
    let mut simulation = pushed(Mode::SlipAlong([1.0, 0.0]), 1.0, 0.5 * wanted, |_| 0.0);
    simulation.step_to_phase_end(0.5 * wanted, end(0.8, 0.0, Reason::Stop)).unwrap();
    assert_near(simulation.time, 0.4 * wanted, 1e-15);
    assert_near(simulation.velocity()[0], 1.0 - 0.4, 1e-13);
}

/// A push that grows with the square of time reaches the friction limit at 0.2 s.
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
    // Too far from there to be the event that was found.
    let mut simulation = simulation.clone();
    simulation.step_to_phase_end(step, end(0.1, 1e-5, Reason::Cone)).unwrap();
    assert_near(simulation.time, 0.1 * step, 1e-15);
}

/// An event fires where friction is outside its cone by 1e-10 of the weight: modes are decided there, at up to 32 times
/// the requested look-ahead.
#[test]
fn modes_are_decided_where_an_event_fires_and_not_before() {
    let simulation = pushed(Mode::Stick, 0.0, 0.1, |t| MU * G * (1.0 + t));
    // The push exceeds the friction limit, half of the weight, by 1e-10 of the weight after 2e-10 s.
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

/// The dense output gives the time at which a force is on its bound and the time at which the event fires, in a step
/// that continues beyond both.
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
    // 1e-10 of the weight is 2e-10 of the friction.
    assert_near(found.beyond * step, 2e-10 * wanted, 1e-13);
}

/// A step to the end of a phase records how much later the event fires: modes are decided there.
#[test]
fn a_step_to_the_end_of_a_phase_tells_how_much_later_it_fires() {
    let (step, wanted) = (0.3, 0.2);
    let mut simulation = pushed(Mode::Stick, 0.0, step, move |t| MU * G * t / wanted);
    simulation.stepping.size = step;
    let halt = simulation.advance(1.0).unwrap();
    assert!(matches!(halt, Halt::Phase(Margin { by: Some((0, Reason::Cone)), .. })), "{halt:?}");
    assert_near(simulation.time, wanted, 1e-13);
    assert_near(simulation.stepping.ahead_of_event, 2e-10 * wanted, 1e-13);
}

/// 1e-13 of the speed scale is rounding.
#[test]
fn a_slip_is_not_ended_by_the_rounding_of_a_velocity_against_it() {
    let mut simulation = pushed(Mode::SlipAlong([1.0, 0.0]), 0.0, 0.1, |_| 2.0 * MU * G);
    simulation.system.allow_decided(0.0, &simulation.state).unwrap();
    let speed = simulation.system.scales.of(0).speed;
    for (part, ends) in [(0.5e-13, false), (1.5e-13, true)] {
        simulation.state[2] = -part * speed;
        let margin = simulation.present_margin().unwrap();
        assert_eq!(margin.value < 0.0 && margin.by == Some((0, Reason::Stop)), ends, "{part:e}: {margin:?}");
    }
}

/// In space, a step of decelerating sliding covers at most seven tenths of the time until it stops; where its direction
/// is about to become undetermined, up to a tenth beyond that.
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
