//! Sliding that jams, or is about to.

use std::sync::Arc;

use crate::simulation::instant::Resolution;
use crate::simulation::motion::contact::Mode;
use crate::simulation::motion::margin::{JAM_APPROACH, Reason};
use crate::{EventKind, Simulation};

use super::strikes::measured;
use super::{G, assert_near, contact, model, setup};

const MASS: f64 = 12.0;
/// Along x and z, from the centre of a rod of 1 m to its foot: at 60°, as in Painlevé's example, ...
const PAINLEVE: [f64; 2] = [0.25, -0.4330127018922193];
/// ... and flatter.
const FLAT: [f64; 2] = [0.4, -0.3];

/// The friction with which a rod of 1 kg m² on this foot has D = part of W_nn.
fn friction([x, z]: [f64; 2], part: f64) -> f64 {
    (1.0 - part) * (1.0 / MASS + x * x) / (-x * z)
}

/// A rod that slides at 1 m/s on its foot and turns, with D = part of W_nn.
fn rod([x, z]: [f64; 2], part: f64, spin: f64) -> Simulation {
    let model = model(
        r#"<body name="rod"><joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
        <joint name="turn" type="hinge" axis="0 1 0"/><inertial pos="0 0 0" mass="12" diaginertia="1 1 1"/></body>"#,
    );
    let mut setup = setup(Arc::clone(&model));
    let mut foot = contact(&model, "rod", [x, 0.0, z], 0.0, Some(friction([x, z], part)));
    foot.point = foot.point.with_dimension(2);
    setup.contacts.push(foot);
    setup.configuration[1] = -z;
    // The foot neither comes down nor lifts off.
    (setup.velocity[0], setup.velocity[1], setup.velocity[2]) = (1.0 - spin * z, spin * x, spin);
    measured(setup, Mode::SlipAlong([1.0, 0.0]))
}

/// Whether D / W_nn falls while a force N that presses grows. The foot (x, z) turns by (ω z, -ω x); D = 1/m + x² + μ x z,
/// N = (g + ω² z)/D, and ω changes by -N (μ z + x).
fn falls_and_grows([x, z]: [f64; 2], part: f64, spin: f64) -> bool {
    let mu = friction([x, z], part);
    let (w, d) = (1.0 / MASS + x * x, 1.0 / MASS + x * x + mu * x * z);
    let force = (G + spin * spin * z) / d;
    let [x_rate, z_rate] = [spin * z, -spin * x];
    let (w_rate, d_rate) = (2.0 * x * x_rate, 2.0 * x * x_rate + mu * (x_rate * z + x * z_rate));
    let spin_rate = -force * (mu * z + x);
    let force_rate = (2.0 * spin * spin_rate * z + spin * spin * z_rate - force * d_rate) / d;
    d_rate * w < d * w_rate && force_rate > 0.0 && force > 0.0
}

/// At 60° the force of a rod falls where D does; for a flatter rod it grows. A tensile force does not jam.
#[test]
fn a_jam_is_approached_where_d_falls_while_the_force_grows() {
    let mut counts = [0, 0];
    for foot in [PAINLEVE, FLAT] {
        for part in [0.1, 0.01] {
            for spin in [-9.0, -3.0, -1.0, 1.0, 3.0, 9.0] {
                let wanted = falls_and_grows(foot, part, spin);
                let found = rod(foot, part, spin).approaches_jam(0).unwrap();
                assert_eq!(found, wanted, "{foot:?} {part} {spin}");
                counts[usize::from(found)] += 1;
            }
        }
    }
    assert!(counts[0] > 0 && counts[1] > 0, "{counts:?}");
}

/// Where D reaches its threshold, a rod that approaches its jam is stopped by it; one that turns away is checked again
/// at half the threshold, and slides on.
#[test]
fn a_slide_is_jammed_where_it_approaches_its_jam_and_goes_on_elsewhere() {
    for (spin, jams) in [(1.0, true), (-1.0, false)] {
        assert_eq!(falls_and_grows(FLAT, 9e-5, spin), jams);
        let mut simulation = rod(FLAT, 9e-5, spin);
        simulation.system.contacts[0].wedge = JAM_APPROACH;
        let before = simulation.velocity().to_vec();
        let resolution = simulation.resolve_instant(Some((0, Reason::Wedge))).unwrap();
        let kinds: Vec<EventKind> = simulation.journal.events.iter().map(crate::Event::kind).collect();
        assert_eq!(kinds.contains(&EventKind::JamApproached), jams, "{kinds:?}");
        if !jams {
            assert_eq!((resolution, simulation.velocity(), kinds.len()), (Resolution::Clear, &before[..], 0));
            assert_near(simulation.system.contacts[0].wedge, 0.5 * JAM_APPROACH, 1e-12);
        }
    }
}

/// No finite force balances a rod with D below zero: impulses stop it. Their work is booked to rounding, without the
/// contribution of the short time ahead for which they are computed.
#[test]
fn a_jam_of_several_contacts_books_what_it_takes() {
    for spin in [0.0, 0.5] {
        let mut simulation = rod(PAINLEVE, -0.3, spin);
        simulation.system.accelerate_freely(0.0).unwrap();
        simulation.system.terms(0.0, &[0]).unwrap();
        let free = simulation.system.free_accelerations().to_vec();
        let before = simulation.system.energy();
        assert!(simulation.jam_together(&[0], &free).unwrap());
        simulation.system.place(0.0, &simulation.state).unwrap();
        simulation.system.terms(0.0, &[0]).unwrap();
        let change = simulation.system.energy() - before;
        assert!(change < -0.1, "{change}");
        assert_near(simulation.book.columns.impacts, change, 1e-11);
        assert_near(simulation.journal.events.back().unwrap().energy_change(), change, 1e-11);
        assert_eq!(simulation.journal.counts.impacts, 1);
        assert_near(simulation.system.rows.velocity()[1], 0.0, 1e-7);
        assert!(simulation.system.rows.velocity()[0] > 0.0 && simulation.system.rows.velocity()[0] < 1e-7);
    }
}

#[test]
fn nothing_jams_without_acceleration_or_without_velocity() {
    let mut simulation = rod(PAINLEVE, -0.3, 0.0);
    simulation.system.terms(0.0, &[0]).unwrap();
    assert!(!simulation.jam_together(&[0], &[0.0, 0.0]).unwrap());
    simulation.state[3..6].fill(0.0);
    simulation.system.place(0.0, &simulation.state).unwrap();
    simulation.system.terms(0.0, &[0]).unwrap();
    assert!(!simulation.jam_together(&[0], &[-G, 0.0]).unwrap());
    assert_eq!((simulation.journal.counts.impacts, simulation.velocity()), (0, &[0.0; 3][..]));
}

/// An approach of a micrometre per second counts as zero: it is left out of the energy that the check compares.
#[test]
fn a_jam_of_a_foot_that_still_comes_down_a_little_passes_its_check() {
    let mut simulation = rod(PAINLEVE, -0.3, 0.0);
    simulation.state[4] -= 1e-6;
    simulation.system.place(0.0, &simulation.state).unwrap();
    simulation.jam(0).unwrap();
    assert_eq!(simulation.journal.counts.impacts, 1);
}

/// A rod turning one way approaches its jam, turning the other way it recedes. Here its spin increases so much that the
/// force falls either way, and neither leads into the jam.
#[test]
fn no_jam_is_approached_where_d_falls_and_the_force_does_too() {
    let falls = [0.1, -0.1].map(|spin| {
        let mut simulation = rod(PAINLEVE, 1e-2, spin);
        simulation.system.evaluate(0.0, &simulation.state).unwrap();
        let now = simulation.system.wedge_of(0);
        assert_near(now, 1e-2, 1e-12);
        simulation.ahead_by(1e-6).unwrap();
        simulation.system.evaluate(1e-6, &simulation.stepping.ahead).unwrap();
        simulation.system.wedge_of(0) < now
    });
    assert!(falls[0] && !falls[1], "{falls:?}");
    assert!([0.1, -0.1].iter().all(|spin| !rod(PAINLEVE, 1e-2, *spin).approaches_jam(0).unwrap()));
}

/// A jam stops the sliding. Its work equals the change of kinetic energy, and is booked and reported as such.
#[test]
fn a_jam_stops_a_slide_and_books_its_work() {
    for (part, ahead) in [(4e-7, false), (5e-5, true), (-0.3, false)] {
        let mut simulation = rod(PAINLEVE, part, 0.0);
        let before = simulation.system.energy();
        let kind = if ahead {
            assert!(simulation.jam_ahead(0).unwrap());
            EventKind::JamApproached
        } else {
            simulation.jam(0).unwrap();
            EventKind::Jam
        };
        simulation.system.place(0.0, &simulation.state).unwrap();
        simulation.measure().unwrap();
        let change = simulation.system.energy() - before;
        assert_near(simulation.book.columns.impacts, change, 1e-10);
        assert!(change < 0.0 && simulation.journal.counts.impacts == 1);
        let event = simulation.journal.events.back().unwrap();
        assert_eq!(event.kind(), kind);
        assert_near(event.energy_change(), change, 1e-10);
        assert!(event.impulse()[0] > 0.0 && event.impulse()[1] < 0.0);
        simulation.system.terms(0.0, &[0]).unwrap();
        assert_near(simulation.system.rows.velocity()[1], 0.0, 1e-9);
    }
    // Far from a jam, none is ahead.
    assert!(!rod(PAINLEVE, 0.1, 0.0).jam_ahead(0).unwrap());
}
