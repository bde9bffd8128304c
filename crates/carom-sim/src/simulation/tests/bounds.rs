//! The scales of a simulation and the bounds derived from them.

use std::sync::Arc;

use carom_law::Restitution;

use crate::EventKind;
use crate::record::book::Device;
use crate::simulation::motion::system::System;
use crate::{Setup, Simulation};

use super::{G, assert_near, contact, mass, model, setup};

/// Lumps that touch this far below their centres of mass.
fn lumps(sizes: &[f64]) -> Setup {
    let lump = |(k, size): (usize, &f64)| {
        format!(
            r#"<body name="lump{k}"><joint name="z{k}" type="slide" axis="0 0 1"/>
            <inertial pos="0 0 0" mass="{mass}" diaginertia="1 1 1"/></body>"#,
            mass = 2.0 * size
        )
    };
    let model = model(&sizes.iter().enumerate().map(lump).collect::<String>());
    let mut setup = setup(Arc::clone(&model));
    for (k, size) in sizes.iter().enumerate() {
        setup.contacts.push(contact(&model, &format!("lump{k}"), [0.0, 0.0, -size], 0.5, None));
        setup.configuration[k] = *size;
    }
    setup
}

/// As the book states them.
#[test]
fn a_contact_has_the_bounds_of_its_own_tree_and_no_other() {
    let sizes = [1e-3, 10.0, 0.1];
    let scales = System::new(lumps(&sizes)).unwrap().scales;
    for (k, size) in sizes.into_iter().enumerate() {
        let of = scales.of(k);
        let speed = (G * size).sqrt();
        assert_eq!(of.tree, Some(k));
        for (found, wanted) in [
            (of.length, size),
            (of.mass, 2.0 * size),
            (of.speed, speed),
            (of.acceleration, G),
            (of.near, 1e-9 * size),
            (of.penetration, 1e-7 * size),
            (of.settled, (2.0 * G * 1e-12 * size).sqrt()),
            (of.slow, 1e-6 * speed),
            (of.tiny, 1e-13 * speed),
        ] {
            assert_near(found / wanted, 1.0, 1e-12);
        }
    }
    assert_eq!(scales.length, 10.0);
    // The time scale is set by the smallest.
    assert_near(scales.time, (1e-3 / G).sqrt(), 1e-15);
    let weight = G * 2.0 * sizes.iter().sum::<f64>();
    assert_near(scales.force, weight, 1e-12 * weight);
    let energy: f64 = sizes.iter().map(|size| 2.0 * size * G * size).sum();
    assert_near(scales.energy_floor, 1e-3 * energy, 1e-15 * energy);
}

/// The direction of sliding slower than the tolerance resolves is noise: ten times the tolerance, and at most 1e-3.
#[test]
fn a_slide_is_slow_where_the_tolerance_does_not_resolve_its_direction() {
    for (tolerance, part) in [(1e-10, 1e-6), (1e-6, 1e-5), (1e-2, 1e-3)] {
        let mut setup = lumps(&[1.0]);
        setup.settings.tolerance = tolerance;
        let scales = System::new(setup).unwrap().scales;
        assert_near(scales.of(0).slow / scales.of(0).speed, part, 1e-12 * part);
    }
}

#[test]
fn what_starts_fast_is_not_measured_by_gravity_alone() {
    let mut setup = lumps(&[1.0]);
    setup.velocity[0] = 100.0;
    assert_eq!(System::new(setup).unwrap().scales.of(0).speed, 100.0);
}

/// A distant marker has no mass, and does not enlarge the robot.
#[test]
fn a_link_without_mass_makes_no_robot_large() {
    let model = model(
        r#"<body name="lump"><joint name="z" type="slide" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
        <body name="marker" pos="100 0 0"/></body>"#,
    );
    let mut setup = setup(Arc::clone(&model));
    setup.contacts.push(contact(&model, "lump", [0.0, 0.0, -1.0], 0.5, None));
    assert_eq!(System::new(setup).unwrap().scales.length, 1.0);
}

/// The scale of an angle is one radian, also for a robot of a kilometre.
#[test]
fn a_limit_that_turns_has_the_bounds_of_a_radian() {
    let model = model(
        r#"<body name="arm"><joint name="turn" type="hinge" axis="0 1 0" limited="true" range="-1 1"/>
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>"#,
    );
    let mut setup = setup(Arc::clone(&model));
    setup.contacts.push(contact(&model, "arm", [1000.0, 0.0, 0.0], 0.5, None));
    setup.limits = Some(Restitution::ZERO);
    let scales = System::new(setup).unwrap().scales;
    assert_eq!((scales.of(0).length, scales.of(1).length, scales.of(2).length), (1000.0, 1.0, 1.0));
    assert_near(scales.of(1).penetration, 1e-7, 1e-20);
}

/// With e = 1 a contact rests only at the precision of impacts; otherwise when its bounces are too low to follow.
#[test]
fn an_elastic_contact_is_not_put_to_rest_by_the_end_of_bounces() {
    for (e, part) in [(1.0, 1e-8), (0.999, 1.0)] {
        let simulation = Simulation::new(mass("", e)).unwrap();
        let scales = simulation.system.scales.of(0);
        let expected = if e == 1.0 { part * scales.speed } else { scales.settled };
        assert_eq!(simulation.is_elastic(0), e == 1.0);
        assert_near(simulation.resting_speed(0, scales.settled), expected, 1e-12 * expected);
    }
}

#[test]
fn a_projection_is_told_where_it_does_more_than_a_step_may_err_by() {
    for (tolerance, part, told) in [(1e-10, 2e-9, 1), (1e-10, 5e-10, 0), (1e-6, 5e-7, 0), (1e-6, 2e-6, 1)] {
        let mut setup = mass("", 0.5);
        setup.settings.tolerance = tolerance;
        let mut simulation = Simulation::new(setup).unwrap();
        simulation.audit().unwrap();
        let joules = -part * simulation.book.scale();
        simulation.book_projection(joules, &[]).unwrap();
        assert_eq!(simulation.journal.counts.projections, told, "{part} at {tolerance}");
        let events = simulation.journal.events.iter().filter(|event| event.kind() == EventKind::Projection);
        assert_eq!(events.count() as u64, told);
        assert_eq!(simulation.book.columns.projection, joules);
        assert_eq!(simulation.book.lowest[Device::Projection as usize], joules);
    }
}
