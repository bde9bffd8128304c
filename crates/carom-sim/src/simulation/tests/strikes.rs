//! Which contacts strike at an instant, by which rule, and how the strike is reported and booked.

use std::sync::Arc;

use carom_law::{Friction, Restitution, Tangential};
use carom_multibody::ContactPoint;

use crate::simulation::motion::contact::Mode;
use crate::simulation::motion::margin::Reason;
use crate::{ContactMode, Event, EventKind, ModeEvent, Setup, Simulation};

use super::{G, assert_near, contact, mass, model, setup, sphere};

/// A simulation at the start, measured, with this mode for all contacts.
pub(super) fn measured(setup: Setup, mode: Mode) -> Simulation {
    let mut simulation = Simulation::new(setup).unwrap();
    simulation.audit().unwrap();
    simulation.system.contacts.iter_mut().for_each(|contact| contact.mode = mode);
    simulation.system.adopt_modes();
    simulation.system.place(0.0, &simulation.state).unwrap();
    simulation.measure().unwrap();
    simulation
}

/// A mass that comes down at v loses ½ m v² (1 - e²), booked in the column of its cause.
#[test]
fn a_strike_is_booked_where_it_belongs() {
    let (v, e) = (1e-4, 0.5);
    for (until, kind) in [(1.0, EventKind::Rattle), (0.0, EventKind::Impact)] {
        let mut setup = mass("", e);
        setup.velocity[1] = -v;
        let mut simulation = measured(setup, Mode::Flight);
        simulation.system.contacts[0].episode.strike(0.0, 1.0, simulation.system.scales.time);
        simulation.fallback.plastic_until = until;
        simulation.strike(&[0]).unwrap();
        let (counts, columns) = (&simulation.journal.counts, &simulation.book.columns);
        let drops = kind == EventKind::Rattle;
        assert_eq!((counts.impacts, counts.rattles, counts.sequences), (1, u64::from(drops), 0));
        let left = if drops { 0.0 } else { e };
        assert_near(simulation.velocity()[1], left * v, 1e-18);
        let taken = -0.5 * v * v * (1.0 - left * left);
        assert_near(if drops { columns.rattle } else { columns.impacts }, taken, 1e-12 * v * v);
        assert_eq!(if drops { columns.impacts } else { columns.rattle }, 0.0);
        let event = simulation.journal.events.back().unwrap();
        assert_eq!(event.kind(), kind);
        assert_near(event.impulse()[0], (1.0 + left) * v, 1e-16);
    }
}

/// Restitution may be dropped for impacts a thousand times slower than the fastest, and never if e = 1.
#[test]
fn restitution_is_dropped_a_thousand_times_below_the_fastest_and_not_above() {
    for (e, speed, may) in [(0.5, 0.99e-3, true), (0.5, 1.01e-3, false), (1.0, 0.99e-3, false), (1.0, 1e-9, false)] {
        let mut simulation = measured(mass("", e), Mode::Flight);
        simulation.system.contacts[0].episode.strike(0.0, 1.0, simulation.system.scales.time);
        assert_eq!(simulation.may_drop_restitution(0, speed), may, "{e} {speed}");
    }
}

/// A strike belongs to its episode whether or not it is the fastest.
#[test]
fn an_episode_keeps_its_fastest_strike() {
    let mut setup = mass("", 0.5);
    setup.velocity[1] = -2.0;
    let mut simulation = measured(setup, Mode::Flight);
    let unit = simulation.system.scales.time;
    for (before, wanted) in [(1.0, 2.0), (3.0, 3.0)] {
        simulation.system.contacts[0].episode = crate::simulation::motion::contact::Episode::NONE;
        simulation.system.contacts[0].episode.strike(0.0, before, unit);
        simulation.begin_or_follow_episode(0);
        assert_near(simulation.system.contacts[0].episode.fastest(0.0, unit), wanted, 1e-12);
    }
}

/// The velocity below which bounces end is that at which the whole mass would rise by the settling height: smaller by
/// √(m W_nn) for a contact that hardly moves, and not larger for one that moves more than the mass.
#[test]
fn bounces_end_by_the_energy_in_them() {
    let lever = |arm: f64, limited: &str| {
        let model = model(&format!(
            r#"<body name="lever"><joint name="turn" type="hinge" axis="0 -1 0" {limited}/>
            <inertial pos="1 0 0" mass="2" diaginertia="1e-9 1e-9 1e-9"/></body>"#
        ));
        let mut setup = setup(Arc::clone(&model));
        setup.contacts.push(contact(&model, "lever", [arm, 0.0, 0.0], 0.5, None));
        if !limited.is_empty() {
            setup.limits = Some(Restitution::new(0.5).unwrap());
        }
        measured(setup, Mode::Stick)
    };
    for (arm, part) in [(1e-3, 1e-3), (0.25, 0.25), (1.0, 1.0), (2.0, 1.0)] {
        let mut simulation = lever(arm, "");
        let settled = simulation.system.scales.of(0).settled;
        let movable = simulation.movable_contacts(vec![0]).unwrap();
        assert_eq!(movable.len(), 1);
        assert_near(movable[0].1, part * settled, 1e-8 * part * settled);
    }
    // m W_nn of 0.25e-20 and 4e-20.
    assert!(lever(0.5e-10, "").movable_contacts(vec![0]).unwrap().is_empty());
    assert_eq!(lever(2e-10, "").movable_contacts(vec![0]).unwrap().len(), 1);
    // A limit moves its own joint, in radians.
    let mut simulation = lever(0.25, r#"limited="true" range="0 1""#);
    let movable = simulation.movable_contacts(vec![1]).unwrap();
    assert_eq!(movable, [(1, simulation.system.scales.of(1).settled)]);
}

/// Relative to the speed scale of each, towards the surface or away from it.
#[test]
fn the_largest_rate_is_of_the_contacts_asked_for_and_has_a_side() {
    let mut setup = mass("", 0.5);
    setup.contacts.push(setup.contacts[0].clone());
    setup.contacts.push(setup.contacts[0].clone());
    let mut simulation = measured(setup, Mode::Flight);
    let speed = simulation.system.scales.of(0).speed;
    for (k, rate) in [-3.0, 2.0, 0.5].into_iter().enumerate() {
        simulation.system.contacts[k].rate = rate;
    }
    assert_near(simulation.largest_rate(&[0, 1, 2], 1.0), 2.0 / speed, 1e-15);
    assert_near(simulation.largest_rate(&[0, 1, 2], -1.0), 3.0 / speed, 1e-15);
    assert_near(simulation.largest_rate(&[1, 2], -1.0), 0.0, 0.0);
}

/// The contacts that touch at an instant: closed ones, and near ones that are enabled and armed.
#[test]
fn what_is_near_takes_part_in_an_instant_and_what_may_not_close_does_not() {
    for (gap, is_armed, takes_part) in [(0.9, true, true), (1.1, true, false), (0.9, false, false)] {
        let mut setup = mass("", 0.5);
        let near = Simulation::new(setup.clone()).unwrap().system.scales.of(0).near;
        (setup.configuration[1], setup.velocity[1]) = (gap * near, -1.0);
        let mut simulation = Simulation::new(setup).unwrap();
        simulation.audit().unwrap();
        simulation.system.contacts[0].is_armed = is_armed;
        simulation.resolve_instant(None).unwrap();
        assert_eq!(simulation.journal.counts.impacts, u64::from(takes_part), "{gap} {is_armed}");
        assert_near(simulation.velocity()[1], if takes_part { 0.5 } else { -1.0 }, 1e-14);
    }
}

/// Sliding slower than 20 v_z in space or 1e-9 of the speed scale in the plane is rest; faster sliding is along its
/// velocity.
#[test]
fn what_creeps_is_at_rest_where_modes_are_decided() {
    let space = measured(sphere(), Mode::Slip);
    let mut setup = mass("", 0.5);
    setup.contacts[0].coefficients.friction = Some(Friction::new(0.5).unwrap());
    setup.contacts[0].point = setup.contacts[0].point.with_dimension(2);
    let plane = measured(setup, Mode::Stick);
    let scales = |simulation: &Simulation| *simulation.system.scales.of(0);
    for (simulation, rest) in [(&space, 20.0 * scales(&space).slow), (&plane, 1e-9 * scales(&plane).speed)] {
        assert_eq!(simulation.tangential_state(0, [0.99 * rest, 0.0]), Tangential::AtRest);
        assert_eq!(simulation.tangential_state(0, [-0.5 * rest, 0.5 * rest]), Tangential::AtRest);
        let sliding = simulation.tangential_state(0, [-0.606 * rest, 0.808 * rest]);
        let Tangential::Sliding { direction: [x, y] } = sliding else { panic!("{sliding:?}") };
        assert_near(x, -0.6, 1e-12);
        assert_near(y, 0.8, 1e-12);
    }
}

#[test]
fn a_change_of_mode_is_told_and_what_goes_on_is_not() {
    let (u, back, aside) = ([0.6, 0.8], [0.8, -0.7], [1.0, -0.7]);
    let cases = [
        (Mode::Stick, Mode::Flight, Some(EventKind::LiftOff)),
        (Mode::Slip, Mode::Flight, Some(EventKind::LiftOff)),
        (Mode::Slip, Mode::Stick, Some(EventKind::Stick)),
        (Mode::SlipAlong(u), Mode::Stick, Some(EventKind::Stick)),
        (Mode::Stick, Mode::Onset(u), Some(EventKind::Slip)),
        (Mode::Stick, Mode::SlipAlong(u), Some(EventKind::Slip)),
        (Mode::SlipAlong(u), Mode::SlipAlong(back), Some(EventKind::Slip)),
        (Mode::SlipAlong(u), Mode::Onset(back), Some(EventKind::Slip)),
        (Mode::SlipAlong(u), Mode::SlipAlong(aside), None),
        (Mode::SlipAlong(u), Mode::Slip, None),
        (Mode::Slip, Mode::SlipAlong(u), None),
        (Mode::Flight, Mode::Stick, None),
        (Mode::Flight, Mode::Slip, None),
        (Mode::Stick, Mode::Stick, None),
        (Mode::Flight, Mode::Flight, None),
    ];
    for (old, new, wanted) in cases {
        let mut simulation = measured(mass("", 0.5), new);
        let mode = |simulation: &Simulation, place: usize| simulation.journal.events[place].mode();
        let event = Event::Stick(ModeEvent { time: 0.0, contact: 0 });
        simulation.journal.events.push_back(event);
        simulation.announce(&[old], 1);
        let told: Vec<EventKind> = simulation.journal.events.iter().skip(1).map(Event::kind).collect();
        assert_eq!(told, wanted.into_iter().collect::<Vec<_>>(), "{old:?} to {new:?}");
        assert_eq!(mode(&simulation, 0), Some(ContactMode::Stick));
    }
}

/// Events of an instant have the mode after it; earlier events keep theirs.
#[test]
fn an_impact_is_told_with_the_mode_that_follows() {
    let mut setup = mass("", 0.0);
    setup.velocity[1] = -1.0;
    let mut simulation = measured(setup, Mode::Flight);
    simulation.strike(&[0]).unwrap();
    simulation.strike(&[0]).unwrap();
    simulation.system.contacts[0].mode = Mode::Stick;
    let count = simulation.journal.events.len();
    simulation.announce(&[Mode::Stick], count);
    assert_eq!(simulation.journal.events[0].mode(), None);
    simulation.announce(&[Mode::Stick], 0);
    assert_eq!(simulation.journal.events[0].mode(), Some(ContactMode::Stick));
}

/// Sliding too slow to determine its direction keeps the last one; from a kept direction, and from zero velocity, it
/// follows its velocity.
#[test]
fn a_slide_takes_the_direction_of_its_velocity_when_it_is_redirected() {
    for (mode, velocity, kept) in [
        (Mode::Slip, [0.6, -0.8], true),
        (Mode::SlipAlong([1.0, 0.0]), [0.6, -0.8], false),
        (Mode::Slip, [0.0; 2], false),
    ] {
        let mut setup = sphere();
        (setup.velocity[0], setup.velocity[1]) = (velocity[0], velocity[1]);
        let mut simulation = measured(setup, mode);
        simulation.redirect(0).unwrap();
        match simulation.system.contacts[0].mode {
            Mode::SlipAlong([x, y]) if kept => {
                assert_near(x.hypot(y), 1.0, 1e-14);
                // The axes of the contact are those of the world up to a rotation.
                assert_near((x * 0.6).abs() + (y * 0.8).abs(), 1.0, 1e-12);
            }
            Mode::Slip if !kept => {}
            other => panic!("{mode:?} became {other:?}"),
        }
    }
}

/// At the end of a phase, a contact without load is released, and one with load is not.
#[test]
fn what_is_pulled_off_lifts_off_and_what_is_pressed_on_stays() {
    for (gravity, mode) in [(-G, ContactMode::Stick), (G, ContactMode::Flight)] {
        let mut setup = mass("", 0.5);
        setup.model = Arc::new(carom_multibody::Model::clone(&setup.model).with_gravity([0.0, 0.0, gravity]));
        let mut simulation = measured(setup, Mode::Stick);
        simulation.resolve_instant(Some((0, Reason::Release))).unwrap();
        assert_eq!(simulation.modes().next(), Some(mode));
        let told = simulation.journal.events.iter().filter(|event| event.kind() == EventKind::LiftOff).count();
        assert_eq!(told, usize::from(mode == ContactMode::Flight));
    }
}

/// A wall that a mass leaves does not hold it, even if a strike on the floor is resolved at the same instant.
#[test]
fn contacts_that_part_beside_a_strike_are_open_after_it() {
    let mut setup = mass("", 0.5);
    let mut wall = setup.contacts[0].clone();
    wall.point = ContactPoint::new(&setup.model, wall.point.link(), [0.0; 3], [1.0, 0.0, 0.0]).unwrap();
    wall.surface = 1;
    setup.contacts.push(wall);
    let half_space = carom_multibody::HalfSpace::new([0.0; 3], [1.0, 0.0, 0.0]).unwrap();
    setup.surfaces.push(crate::Surface { name: "wall".into(), half_space });
    setup.velocity = vec![0.3, -1.0];
    let mut simulation = measured(setup, Mode::Flight);
    simulation.resolve_instant(None).unwrap();
    assert_eq!(simulation.modes().collect::<Vec<_>>(), [ContactMode::Flight; 2]);
    assert_near(simulation.velocity()[0], 0.3, 1e-15);
    assert_near(simulation.velocity()[1], 0.5, 1e-15);
}
