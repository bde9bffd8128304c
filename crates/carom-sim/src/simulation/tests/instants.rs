//! Resolution of an instant.

use std::sync::Arc;

use carom_multibody::{ContactPoint, HalfSpace};

use crate::simulation::instant::Resolution;
use crate::simulation::motion::contact::{Mode, WEDGE};
use crate::simulation::motion::margin::{JAM_APPROACH, Reason};
use crate::{Actuator, Event, EventKind, Setup, Simulation, Surface};

use super::{G, assert_near, contact, mass, model, run, setup};

/// A lever of 1 m that stands on the floor 1 mm from its axis: the contact moves a thousand times slower than the mass.
/// A bounce of 4 mm/s was once ended because the contact left the floor at 4e-6 m/s.
#[test]
fn a_slow_contact_does_not_end_a_bounce_that_is_large() {
    let model = model(
        r#"<body name="lever"><joint name="turn" type="hinge" axis="0 -1 0"/>
        <inertial pos="1 0 0" mass="1" diaginertia="1e-6 1e-6 1e-6"/></body>"#,
    );
    let mut setup = setup(Arc::clone(&model));
    setup.contacts.push(contact(&model, "lever", [1e-3, 0.0, 0.0], 0.5, None));
    setup.velocity[0] = 4e-3;
    setup.settings.until = 1e-3;
    let (_, recorder) = run(setup);
    let first = &recorder.events()[0];
    assert_eq!(first.kind(), EventKind::Impact);
    assert_near(first.time(), 2.0 * 4e-3 / G, 1e-8);
}

/// A mass on the floor with this velocity, with its contact closed.
fn closed(setup: Setup) -> Simulation {
    let mut simulation = Simulation::new(setup).unwrap();
    simulation.audit().unwrap();
    simulation.system.contacts.iter_mut().for_each(|contact| contact.mode = Mode::Stick);
    simulation.system.adopt_modes();
    simulation
}

/// Where W is nearly singular, no impulse removes all of a normal velocity: all rounds would be spent on one far too
/// small to follow. A velocity that decreases, or one that can be followed, is struck again.
#[test]
fn a_small_velocity_that_impulses_leave_is_not_struck_at_for_ever() {
    let mut setup = mass("", 0.5);
    setup.velocity[1] = -1e-9;
    let mut simulation = closed(setup.clone());
    let left = 1e-9 / simulation.system.scales.of(0).speed;
    for (before, raised) in [(left, true), (1.9 * left, true), (2.1 * left, false)] {
        let mut floor = 1e-13;
        simulation.raise_floor(&mut floor, before, &[0], -1.0).unwrap();
        assert_near(floor, if raised { 2.0 * left } else { 1e-13 }, 1e-24);
    }
    setup.velocity[1] = -1e-3;
    let mut simulation = closed(setup);
    let mut floor = 1e-13;
    simulation.raise_floor(&mut floor, 1e-3, &[0], -1.0).unwrap();
    assert_eq!(floor, 1e-13);
}

/// Two feet of a beam that is far too heavy to be turned: no impulse can change the 1e-9 m/s at which one of them comes
/// down, and the rest of the velocity is rounding. Impulses computed from it were once rejected by the check against
/// the robot, and each instant was left to a window.
#[test]
fn no_impulse_is_made_of_the_rounding_of_a_velocity_out_of_reach() {
    let model = model(
        r#"<body name="beam"><joint name="z" type="slide" axis="0 0 1"/><joint name="turn" type="hinge" axis="0 -1 0"/>
        <inertial pos="0 0 0" mass="1" diaginertia="1e17 1e17 1e17"/></body>"#,
    );
    let mut setup = setup(Arc::clone(&model));
    setup.contacts = [-1.0, 1.0].map(|x| contact(&model, "beam", [x, 0.0, 0.0], 0.5, None)).to_vec();
    setup.velocity = vec![-1e-16, 1e-9];
    let mut simulation = closed(setup);
    let before = simulation.velocity().to_vec();
    simulation.system.place(0.0, &simulation.state).unwrap();
    simulation.measure().unwrap();
    simulation.strike(&[0, 1]).unwrap();
    assert_eq!((simulation.velocity(), simulation.journal.counts.impacts), (&before[..], 0));
    // The instant ends.
    assert_eq!(simulation.resolve_instant(None).unwrap(), Resolution::Clear);
}

/// A mass on the floor, 10 pm from a wall that it leaves at 100 nm/s: as slow as bounces that are ended. But the end of
/// a phase on the floor ends no bounce. The mass was once pulled back to the wall each time.
#[test]
fn what_leaves_a_surface_is_not_pulled_back_where_a_phase_ends_elsewhere() {
    let mut setup = mass("", 0.0);
    let mut wall = setup.contacts[0].clone();
    wall.point = ContactPoint::new(&setup.model, wall.point.link(), [0.0; 3], [1.0, 0.0, 0.0]).unwrap();
    wall.surface = 1;
    setup.contacts.push(wall);
    let half_space = HalfSpace::new([0.0; 3], [1.0, 0.0, 0.0]).unwrap();
    setup.surfaces.push(Surface { name: "wall".into(), half_space });
    (setup.configuration[0], setup.velocity[0]) = (1e-11, 1e-7);
    // When it touches the floor, all near contacts come to rest with it.
    for (by, left) in [(Some((0, Reason::Release)), 1e-7), (None, 0.0)] {
        let mut simulation = Simulation::new(setup.clone()).unwrap();
        simulation.audit().unwrap();
        simulation.system.contacts[0].mode = Mode::Stick;
        simulation.system.adopt_modes();
        assert_eq!(simulation.resolve_instant(by).unwrap(), Resolution::Clear);
        assert_near(simulation.velocity()[0], left, 1e-20);
    }
}

/// A closed contact that drifted off its surface is brought back. This is no settling, and no bounces ended.
#[test]
fn a_closed_contact_that_is_brought_back_is_not_told_to_settle_again() {
    let mut setup = mass("", 0.5);
    setup.velocity[1] = 1e-7;
    let mut simulation = closed(setup);
    simulation.settle(&[0]).unwrap();
    assert_eq!(simulation.velocity()[1], 0.0);
    assert_eq!((simulation.journal.counts.settlings, simulation.book.columns.settling), (0, 0.0));
    assert!(simulation.journal.events.iter().all(|event| event.kind() != EventKind::Settle));
    assert_near(simulation.book.columns.projection, -0.5e-14, 1e-24);
}

/// A plate on two feet turns about one of them, which creeps. With the creep included, the other would seem to slide
/// along the bisector.
#[test]
fn what_slides_beside_a_foot_at_rest_is_not_led_astray_by_its_creep() {
    let model = model(
        r#"<body name="plate"><joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/>
        <joint name="z" type="slide" axis="0 0 1"/><joint name="yaw" type="hinge" axis="0 0 1"/>
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>"#,
    );
    let mut setup = setup(Arc::clone(&model));
    setup.contacts = [0.0, 1.0].map(|x| contact(&model, "plate", [x, 0.0, 0.0], 0.0, Some(0.5))).to_vec();
    let mut simulation = closed(setup.clone());
    // Slower than the bound for rest.
    let creep = 5.0 * simulation.system.scales.of(0).slow;
    setup.velocity = vec![creep, 0.0, 0.0, 10.0 * creep];
    simulation = closed(setup);
    assert!(simulation.come_to_rest(&[0, 1]).unwrap());
    assert_eq!([0, 1].map(|k| simulation.system.contacts[k].slid), [false, true]);
    let v = simulation.velocity().to_vec();
    assert!(v[0].abs() < 1e-9 * creep && v[1].abs() < 1e-9 * creep && v[3] > 9.0 * creep, "{v:?}");
}

/// A remaining velocity against the direction of sliding would end it before it begins.
#[test]
fn a_slip_begins_without_velocity_against_it() {
    let mut setup = mass("", 0.0);
    setup.contacts[0].coefficients.friction = Some(carom_law::Friction::new(0.5).unwrap());
    setup.contacts[0].point = setup.contacts[0].point.with_dimension(2);
    setup.velocity[0] = -1e-12;
    let mut simulation = closed(setup);
    simulation.system.contacts[0].mode = Mode::SlipAlong([1.0, 0.0]);
    simulation.project().unwrap();
    assert_eq!(simulation.velocity()[0], -1e-12);
    simulation.system.contacts[0].slid = false;
    simulation.project_decided().unwrap();
    assert_eq!(simulation.velocity()[0], 0.0);
}

/// Only a contact with restitution can lose it.
#[test]
fn a_plastic_impact_is_not_told_to_rattle() {
    for (e, rattles) in [(0.0, false), (0.5, true)] {
        let mut setup = mass("", e);
        setup.velocity[1] = -1e-4;
        let mut simulation = Simulation::new(setup).unwrap();
        simulation.audit().unwrap();
        simulation.system.contacts[0].episode.strike(0.0, 1.0, simulation.system.scales.time);
        assert_eq!(simulation.may_rattle(&[0]), rattles);
    }
}

/// A body that rocks to rest brings contacts into play that never struck fast. Judged by their own impacts alone, they
/// kept their restitution, and with a restitution that increases at low speed there were a million impacts.
#[test]
fn a_contact_that_joins_a_rattle_late_may_lose_its_restitution_with_the_others() {
    let body = |name: &str| {
        format!(
            r#"<body name="{name}"><joint name="{name}" type="slide" axis="0 0 1"/>
            <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>"#
        )
    };
    let model = model(&[body("one"), body("other")].concat());
    let mut setup = setup(Arc::clone(&model));
    setup.contacts = [("one", -1.0), ("one", 1.0), ("other", 1.0)]
        .map(|(link, x)| contact(&model, link, [x, 0.0, 0.0], 0.5, None))
        .to_vec();
    setup.velocity = vec![-1e-4, -1e-4];
    let mut simulation = Simulation::new(setup).unwrap();
    simulation.audit().unwrap();
    simulation.system.contacts[0].episode.strike(0.0, 1.0, simulation.system.scales.time);
    // Another body does not matter.
    assert!(simulation.may_rattle(&[1]) && !simulation.may_rattle(&[2]));
    // This continues while any of them strikes.
    simulation.begin_or_follow_episode(1);
    simulation.time = 0.9 * simulation.system.scales.time;
    simulation.begin_or_follow_episode(1);
    simulation.time = 1.8 * simulation.system.scales.time;
    assert!(simulation.may_rattle(&[1]));
}

/// Two feet on either side of a light hinge: lifting one out of the floor would turn the other into it.
#[test]
fn lifting_one_contact_out_does_not_push_another_in() {
    let model = model(
        r#"<body name="beam"><joint name="z" type="slide" axis="0 0 1"/><joint name="turn" type="hinge" axis="0 -1 0"/>
        <inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/></body>"#,
    );
    let mut setup = setup(Arc::clone(&model));
    setup.contacts = [-1.0, 1.0].map(|x| contact(&model, "beam", [x, 0.0, 0.0], 0.0, None)).to_vec();
    setup.configuration = vec![-0.5e-8, 0.5e-8];
    let mut simulation = Simulation::new(setup).unwrap();
    simulation.audit().unwrap();
    assert_near(simulation.system.contacts[0].gap, -1e-8, 1e-15);
    simulation.project_positions(&[0]).unwrap();
    for k in 0..2 {
        assert!(
            simulation.system.contacts[k].gap >= -simulation.system.scales.of(k).near,
            "{k}: {:e}",
            simulation.system.contacts[k].gap
        );
    }
}

/// Released from rest, it does not move yet.
#[test]
fn what_is_about_to_fall_is_not_at_rest() {
    let mut setup = mass("", 0.5);
    setup.configuration[1] = 1.0;
    setup.settings.until = 1e-12;
    let (simulation, _) = run(setup);
    let summary = simulation.summary();
    assert_eq!((summary.at_rest, summary.rests_at), (None, None));
}

/// In space, decelerating sliding keeps its direction below 10 v_z and follows its velocity again above 20 v_z. With
/// one bound for both, it would switch back and forth when its speed stays near the bound.
#[test]
fn a_creep_along_the_slowest_speed_does_not_change_its_representation_for_ever() {
    let along = Mode::SlipAlong([1.0, 0.0]);
    for (speed, mode, goes_on) in
        [(9.0, Mode::Slip, false), (15.0, Mode::Slip, true), (15.0, along, true), (21.0, along, false)]
    {
        let mut simulation = closed(super::sphere());
        let speed = speed * simulation.system.scales.of(0).slow;
        simulation.system.contacts[0].mode = mode;
        let (_, velocity, _) = simulation.system.parts_mut(&mut simulation.state);
        velocity[0] = speed;
        let margin = simulation.present_margin().unwrap();
        assert_eq!(margin.value >= 0.0, goes_on, "{mode:?}: {margin:?}");
        assert!(goes_on || margin.by == Some((0, Reason::Direction)));
    }
}

/// D of a contact determines how its force grows only if no other contact of its tree shares the load: two feet of one
/// body are checked where D vanishes, feet of two bodies where each may be about to jam.
#[test]
fn a_foot_beside_another_is_not_taken_to_jam_by_its_own_d() {
    let rod = |name: &str| {
        format!(
            r#"<body name="{name}"><joint name="{name}x" type="slide" axis="1 0 0"/>
            <joint name="{name}z" type="slide" axis="0 0 1"/><joint name="{name}turn" type="hinge" axis="0 1 0"/>
            <inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.1"/></body>"#
        )
    };
    let model = model(&[rod("one"), rod("other")].concat());
    for (others, wanted) in [("one", WEDGE), ("other", JAM_APPROACH)] {
        let mut setup = setup(Arc::clone(&model));
        setup.contacts = [("one", -0.1), (others, 0.1)]
            .map(|(link, x)| {
                let mut foot = contact(&model, link, [x, 0.0, 0.0], 0.0, Some(0.5));
                foot.point = foot.point.with_dimension(2);
                foot
            })
            .to_vec();
        setup.velocity = [1.0, 0.0, 0.0].repeat(2);
        let mut simulation = closed(setup);
        simulation.system.contacts.iter_mut().for_each(|foot| foot.mode = Mode::SlipAlong([1.0, 0.0]));
        simulation.system.allow_decided(0.0, &simulation.state).unwrap();
        assert_eq!(simulation.system.contacts[0].wedge, wanted, "beside a foot of {others}");
    }
}

/// A pendulum with a contact point that is on its axis, to rounding, and on the floor: acting as a lever it would stop
/// the pendulum with a force of 1e17 N, computed from the rounding of W. A point a picometre from the axis penetrates
/// by at most a picometre.
#[test]
fn a_point_that_hardly_moves_along_its_normal_does_not_stop_a_pendulum() {
    let model = model(
        r#"<body name="bob"><joint name="turn" type="hinge" axis="0 1 0"/>
        <inertial pos="0 0 -1" mass="1" diaginertia="1e-3 1e-3 1e-3"/></body>"#,
    );
    let setup = setup(Arc::clone(&model));
    for offset in [0.0, 1e-17, 1e-12] {
        let mut setup = setup.clone();
        setup.contacts.push(contact(&model, "bob", [offset, 0.0, 0.0], 0.5, None));
        setup.velocity[0] = 1.0;
        setup.settings.until = 1.0;
        let (simulation, recorder) = run(setup);
        assert_eq!(recorder.events().len(), 0, "{offset}");
        assert_eq!((simulation.summary().windows, simulation.summary().not_converged), (0, 0));
    }
}

/// A motor that pushes only at every second evaluation, as one driven by a noisy sensor might: the decision of one
/// evaluation is contradicted by the next, round after round.
#[test]
fn forces_that_differ_from_look_to_look_do_not_hang_an_instant() {
    let mut setup = mass("", 0.0);
    setup.contacts[0].coefficients.friction = Some(carom_law::Friction::new(0.5).unwrap());
    setup.contacts[0].point = setup.contacts[0].point.with_dimension(2);
    let looks = std::sync::atomic::AtomicUsize::new(0);
    setup.actuators = vec![Actuator::law(move |_, _, _, forces| {
        let look = looks.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        assert!(look < 10_000, "it hangs");
        forces[0] += if look.is_multiple_of(2) { 0.0 } else { 10.0 * G };
    })];
    let mut simulation = closed(setup);
    let resolutions = [0, 1].map(|_| {
        // Whichever evaluation comes first.
        simulation.system.accelerate_freely(0.0).unwrap();
        simulation.resolve_instant(None).unwrap()
    });
    assert!(resolutions.contains(&Resolution::Unclear), "{resolutions:?}");
}

/// A beam too heavy to be turned, turning at 1 rad/s, comes down on two feet at 1e-7 m/s: no impulse can change the
/// rotation, and the rest of the velocity is smaller than the rounding of the rotation when W is inverted.
#[test]
fn no_impulse_is_made_of_what_a_large_velocity_out_of_reach_is_rounded_by() {
    let model = model(
        r#"<body name="beam"><joint name="z" type="slide" axis="0 0 1"/><joint name="turn" type="hinge" axis="0 -1 0"/>
        <inertial pos="0 0 0" mass="1" diaginertia="1e17 1e17 1e17"/></body>"#,
    );
    let mut setup = setup(Arc::clone(&model));
    setup.contacts = [-1.0, 1.0].map(|x| contact(&model, "beam", [x, 0.0, 0.0], 0.5, None)).to_vec();
    setup.velocity = vec![-1e-7, 1.0];
    let mut simulation = closed(setup);
    let before = simulation.velocity().to_vec();
    simulation.system.place(0.0, &simulation.state).unwrap();
    simulation.measure().unwrap();
    simulation.strike(&[0, 1]).unwrap();
    assert_eq!((simulation.velocity(), simulation.journal.counts.impacts), (&before[..], 0));
}

/// The impulse that ends the bounces of one foot also acts on the other, which came to rest before.
#[test]
fn a_foot_at_rest_keeps_the_time_at_which_it_settled_when_another_one_settles() {
    let model = model(
        r#"<body name="beam"><joint name="z" type="slide" axis="0 0 1"/><joint name="turn" type="hinge" axis="0 -1 0"/>
        <inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.1"/></body>"#,
    );
    let mut setup = setup(Arc::clone(&model));
    setup.contacts = [-1.0, 1.0].map(|x| contact(&model, "beam", [x, 0.0, 0.0], 0.5, None)).to_vec();
    setup.velocity = vec![0.5e-7, 0.5e-7];
    let mut simulation = closed(setup);
    simulation.set_mode(1, Mode::Flight);
    simulation.system.adopt_modes();
    simulation.system.contacts[0].settled = Some(-0.5);
    simulation.system.place(0.0, &simulation.state).unwrap();
    simulation.measure().unwrap();
    simulation.settle(&[0, 1]).unwrap();
    assert_eq!(simulation.journal.counts.settlings, 1);
    assert_eq!(simulation.system.contacts[0].settled, Some(-0.5));
    assert!(simulation.system.contacts[1].settled.is_some_and(|end| end > 0.0));
    // The share of each is reported.
    let told: Vec<(usize, bool)> = simulation
        .journal
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Settle(settle) => Some((settle.contact, settle.settled.is_some())),
            _ => None,
        })
        .collect();
    assert_eq!(told, [(0, false), (1, true)]);
}

/// The bounces of a mass that leaves the floor at v take 2 v/g (1 + e + e² + ...); this time is reported when they are
/// ended.
#[test]
fn bounces_that_are_ended_are_told_to_end_when_they_would_have() {
    let (v, e) = (1e-7, 0.25);
    let mut setup = mass("", e);
    setup.velocity[1] = v;
    let mut simulation = Simulation::new(setup).unwrap();
    simulation.audit().unwrap();
    simulation.system.place(0.0, &simulation.state).unwrap();
    simulation.measure().unwrap();
    simulation.settle(&[0]).unwrap();
    let end = simulation.system.contacts[0].settled.unwrap();
    assert_near(end * G / (2.0 * v), 1.0 / (1.0 - e), 1e-12);
    assert_near(simulation.book.columns.settling, -0.5 * v * v, 1e-12 * v * v);
}

/// A body that slides on a point beside its centre of mass, at 0.3 rad from the direction in which its friction presses
/// it most, with D a little above zero: a jam would not stop it but turn it, as friction does in the course of time. It
/// may never jam.
#[test]
fn a_slide_that_a_jam_would_turn_and_not_stop_is_not_jammed_ahead() {
    let model = model(
        r#"<body name="body"><freejoint name="free"/><inertial pos="0 0 0" quat="0.92387953 0 0 0.38268343" mass="1"
        diaginertia="0.1 0.02 0.1"/></body>"#,
    );
    let mut setup = setup(Arc::clone(&model));
    setup.configuration[2] = 1.0;
    let slider = |mu: f64| contact(&model, "body", [0.5, 0.0, -1.0], 0.0, Some(mu));
    setup.contacts.push(slider(0.0));
    let mut simulation = closed(setup.clone());
    simulation.system.place(0.0, &simulation.state).unwrap();
    simulation.system.terms(0.0, &[0]).unwrap();
    let w = simulation.system.rows.delassus();
    let heading = w[(0, 2)].atan2(w[(0, 1)]) + 0.3;
    let mu = (1.0 - 5e-5) * w[(0, 0)] / (w[(0, 1)] * heading.cos() + w[(0, 2)] * heading.sin());
    setup.contacts[0] = slider(mu);
    (setup.velocity[0], setup.velocity[1]) = (heading.cos(), heading.sin());
    let mut simulation = closed(setup);
    simulation.system.place(0.0, &simulation.state).unwrap();
    let before = simulation.velocity().to_vec();
    assert!(!simulation.jam_ahead(0).unwrap());
    assert_eq!(simulation.velocity(), before);
}

/// Where the event of D fires, the law has an impulse for it; slightly above, there is neither event nor impulse.
#[test]
fn a_slide_ends_where_the_law_has_its_jam_and_not_before() {
    let model = model(
        r#"<body name="rod"><joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
        <joint name="turn" type="hinge" axis="0 1 0"/><inertial pos="0 0 0" mass="12" diaginertia="1 1 1"/></body>"#,
    );
    let lower = [0.25, 0.0, -0.75_f64.sqrt() * 0.5];
    for (part, ends) in [(4e-7, true), (1.1e-6, false)] {
        let mut setup = setup(Arc::clone(&model));
        let mut foot = contact(&model, "rod", lower, 0.0, Some((1.0 - part) * 1.75 / (0.75 * 3_f64.sqrt())));
        foot.point = foot.point.with_dimension(2);
        setup.contacts.push(foot);
        setup.configuration[1] = -lower[2];
        setup.velocity[0] = 1.0;
        let mut simulation = closed(setup);
        simulation.system.contacts[0].mode = Mode::SlipAlong([1.0, 0.0]);
        let margin = simulation.present_margin().unwrap();
        assert_eq!(margin.by == Some((0, Reason::Wedge)) && margin.value < 0.0, ends, "{part}: {margin:?}");
        assert_eq!(simulation.jam(0).is_ok(), ends);
    }
}

/// A mass that slides without paradox: the impulses for the velocity gained in a short time are those of its weight.
#[test]
fn impulses_that_do_what_forces_would_are_no_jam() {
    let mut setup = mass("", 0.0);
    setup.contacts[0].coefficients.friction = Some(carom_law::Friction::new(0.5).unwrap());
    setup.contacts[0].point = setup.contacts[0].point.with_dimension(2);
    setup.velocity[0] = 1.0;
    let mut simulation = closed(setup);
    simulation.system.place(0.0, &simulation.state).unwrap();
    simulation.system.terms(0.0, &[0]).unwrap();
    assert!(!simulation.jam_together(&[0], &[-G, 0.0]).unwrap());
    assert_eq!((simulation.velocity()[0], simulation.journal.counts.impacts), (1.0, 0));
}
