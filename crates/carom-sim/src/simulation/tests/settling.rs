//! How bounces end, which contacts are closed after an instant, and which velocities impulses can change.

use std::sync::Arc;

use carom_law::{ClosedContact, ClosedMode, Decision, Dimension, Error as LawError, Restitution, Tangential, decide};
use carom_multibody::{BodyPair, ContactPoint, HalfSpace, PairSide, Placement, Solid};

use crate::simulation::instant::Resolution;
use crate::simulation::motion::contact::Mode;
use crate::simulation::motion::margin::Reason;
use crate::simulation::motion::system::view;
use crate::{Actuator, ContactMode, EventKind, Simulation, SimulationError, Surface, WatchedPair};

use super::strikes::measured;
use super::{G, MU, assert_near, contact, mass, model, pushed, setup, weightless};

/// 2 v/(a (1 - e)), if a force brings it back.
#[test]
fn the_end_of_bounces_is_told_where_something_brings_them_back() {
    for (speed, push, e, tail) in [
        (1e-7, -1.0, 0.5, 4e-7),
        (1e-7, -2.0, 0.75, 4e-7),
        // However small: nothing else could press the mass onto the floor.
        (1e-7, -1e-10, 0.5, 4e3),
        (1e-7, 0.0, 0.5, 0.0),
        (1e-7, 1.0, 0.5, 0.0),
        (1e-7, -1.0, 1.0, 0.0),
        // Rounding.
        (1e-14, -1.0, 0.5, 0.0),
    ] {
        let mut setup = weightless(mass("", e));
        // The unit of speeds and accelerations.
        setup.velocity = vec![1.0, speed];
        setup.actuators = vec![Actuator::Force { freedom: 1, force: push, rate: 0.0 }];
        let mut simulation = measured(setup, Mode::Flight);
        simulation.settle(&[0]).unwrap();
        let told = simulation.system.contacts[0].settled.unwrap();
        assert_near(told, tail, 1e-9 * tail);
        assert_eq!(simulation.velocity()[1], 0.0);
    }
}

/// One ball above another, both falling: they meet again only if something else pushes them.
#[test]
fn two_bodies_that_fall_alike_are_not_told_to_bounce_for_ever() {
    let body = |name: &str| {
        format!(
            r#"<body name="{name}"><joint name="{name}" type="slide" axis="0 0 1"/>
            <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>"#
        )
    };
    let model = model(&[body("lower"), body("upper")].concat());
    let ball = |name: &str| PairSide {
        link: model.find_link(name).unwrap(),
        placement: Placement::IDENTITY,
        solid: Solid::ball(0.1).unwrap(),
    };
    for (push, tail) in [(0.0, 0.0), (-1e-10, 0.0), (-1e-6, 0.4)] {
        let mut setup = setup(Arc::clone(&model));
        (setup.configuration, setup.velocity) = (vec![1.0, 1.2], vec![0.0, 1e-7]);
        setup.actuators = vec![Actuator::Force { freedom: 1, force: push, rate: 0.0 }];
        setup.pairs.push(WatchedPair {
            name: "balls".into(),
            bodies: BodyPair { sides: [ball("upper"), ball("lower")] },
            coefficients: carom_law::Coefficients { restitution: Restitution::new(0.5).unwrap(), friction: None },
        });
        let mut simulation = measured(setup, Mode::Flight);
        simulation.settle(&[0]).unwrap();
        assert_near(simulation.system.contacts[0].settled.unwrap(), tail, 1e-6);
        let velocity = simulation.velocity();
        assert_near(velocity[1] - velocity[0], 0.0, 1e-20);
    }
}

/// A mass on the floor beside a wall, held against it by a force.
fn beside_a_wall(velocity: [f64; 2], modes: [Mode; 2]) -> Simulation {
    let mut setup = mass("", 0.0);
    let mut wall = setup.contacts[0].clone();
    wall.point = ContactPoint::new(&setup.model, wall.point.link(), [0.0; 3], [1.0, 0.0, 0.0]).unwrap();
    wall.surface = 1;
    setup.contacts.push(wall);
    let half_space = HalfSpace::new([0.0; 3], [1.0, 0.0, 0.0]).unwrap();
    setup.surfaces.push(Surface { name: "wall".into(), half_space });
    setup.velocity = velocity.to_vec();
    setup.actuators = vec![Actuator::Force { freedom: 0, force: -1.0, rate: 0.0 }];
    let mut simulation = measured(setup, Mode::Flight);
    (0..2).for_each(|k| simulation.set_mode(k, modes[k]));
    simulation.system.adopt_modes();
    simulation
}

/// At the end of a phase, a closed contact that rises slightly is held, and so is an open one that rises by no more
/// than rounding: it would touch in the next step.
#[test]
fn what_is_closed_or_at_rest_is_held_where_a_phase_ends() {
    let by = Some((0, Reason::Release));
    let mut simulation = beside_a_wall([0.0, 1e-8], [Mode::Stick; 2]);
    assert_eq!(simulation.resolve_instant(by).unwrap(), Resolution::Clear);
    assert_eq!(simulation.modes().collect::<Vec<_>>(), [ContactMode::Stick; 2]);
    assert!(simulation.velocity().iter().all(|v| v.abs() < 1e-20), "{:?}", simulation.velocity());
    let speed = simulation.system.scales.of(1).speed;
    for (rate, mode) in [(0.0, ContactMode::Stick), (0.9e-13 * speed, ContactMode::Stick), (1e-12, ContactMode::Flight)]
    {
        let mut simulation = beside_a_wall([rate, 0.0], [Mode::Stick, Mode::Flight]);
        assert_eq!(simulation.resolve_instant(by).unwrap(), Resolution::Clear);
        assert_eq!(simulation.modes().collect::<Vec<_>>(), [ContactMode::Stick, mode], "{rate:e}");
    }
}

/// Backward sliding slower than rounding, which would end the slip at once.
#[test]
fn a_slip_is_decided_without_the_rounding_of_the_velocity_before() {
    let mut simulation = pushed(Mode::Stick, -2e-13, 0.1, |_| 2.0 * MU * G);
    assert!(2e-13 < simulation.system.scales.of(0).tiny);
    assert_eq!(simulation.resolve_instant(Some((0, Reason::Cone))).unwrap(), Resolution::Clear);
    assert_eq!(simulation.system.contacts[0].mode, Mode::SlipAlong([1.0, 0.0]));
    assert_near(simulation.velocity()[0], 0.0, 1e-20);
}

/// A contact that could either stay closed or lift off is reported if it was closed and is released.
#[test]
fn a_lift_off_among_several_answers_is_told_as_such() {
    for (before, ambiguous, after, told) in [
        (Mode::Stick, true, ClosedMode::Detach, 1),
        (Mode::Stick, false, ClosedMode::Detach, 0),
        (Mode::Flight, true, ClosedMode::Detach, 0),
        (Mode::Stick, true, ClosedMode::Stick, 0),
    ] {
        let mut simulation = pushed(before, 0.0, 0.1, |_| 0.0);
        simulation.system.place(0.0, &simulation.state).unwrap();
        simulation.system.accelerate_freely(0.0).unwrap();
        simulation.system.terms(0.0, &[0]).unwrap();
        let free = simulation.system.free_accelerations().to_vec();
        let given = simulation.system.watch.contact(0);
        let closed = ClosedContact {
            dimension: given.dimension,
            tangential: Tangential::AtRest,
            friction: given.coefficients.friction,
        };
        let decision = decide(view(&simulation.system.rows), &free, &[closed]).unwrap();
        let Decision::Decided(mut modes) = decision else { panic!("{decision:?}") };
        (modes.modes, modes.ambiguous) = (vec![after], ambiguous);
        simulation.adopt(&[0], &modes);
        let events = &simulation.journal.events;
        assert_eq!(events.iter().filter(|event| event.kind() == EventKind::AmbiguousLiftOff).count(), told);
        assert_eq!(simulation.system.contacts[0].mode == Mode::Flight, after == ClosedMode::Detach);
    }
}

/// Two feet of a beam that is far too heavy to be turned and comes down turning: impulses can change the common
/// velocity of both feet. The rest is split off; if it is a hundred thousand times as large, the part that impulses can
/// change is its rounding.
#[test]
fn the_part_of_a_velocity_that_no_impulse_reaches_is_told_apart() {
    let model = model(
        r#"<body name="beam"><joint name="z" type="slide" axis="0 0 1"/><joint name="turn" type="hinge" axis="0 -1 0"/>
        <inertial pos="0 0 0" mass="1" diaginertia="1e17 1e17 1e17"/></body>"#,
    );
    for (down, turn, strikes) in [(1e-5, 0.1, true), (2e-6, 0.1, true), (0.5e-6, 0.1, false), (2e-6, 1.0, false)] {
        let mut setup = setup(Arc::clone(&model));
        setup.contacts = [-1.0, 1.0].map(|x| contact(&model, "beam", [x, 0.0, 0.0], 0.5, None)).to_vec();
        setup.velocity = vec![-down, turn];
        let mut simulation = measured(setup, Mode::Stick);
        simulation.system.terms(0.0, &[0, 1]).unwrap();
        let fail = |source: LawError| SimulationError::Law { time: 0.0, what: "an impact", source };
        let found = simulation.contact_set(&[0, 1], &[Dimension::Normal; 2], 0.0, fail).unwrap();
        assert_eq!(found.is_some(), strikes, "{down:e} {turn}");
        if let Some((set, unreached)) = found {
            for (k, sign) in [-1.0, 1.0].into_iter().enumerate() {
                assert_near(set.velocity()[k], -down, 1e-12);
                assert_near(unreached[k], sign * turn, 1e-12);
            }
        }
    }
}
