//! Equivalent descriptions of a fall give the same fall: other units, a mirror image, another order of contacts, a
//! rotated world, surfaces and contacts that are never reached, a body welded together from two.
//!
//! The tests do not depend on how a simulation is computed. Two runs are compared by the times of their impacts and by
//! their final states.

use std::sync::Arc;

use carom_law::{Coefficients, Friction, Law, Restitution};
use carom_multibody::load::{self, Options};
use carom_multibody::{ContactPoint, HalfSpace, Model, Quaternion, Vector, candidates};
use carom_sim::{Event, EventKind, Recorder, Settings, Setup, Simulation, Surface, WatchedContact};

const G: f64 = 9.81;

/// A homogeneous box of 2 kg that moves freely. The sides are unequal, so that it tumbles.
const SIDES: [f64; 3] = [0.4, 0.3, 0.2];
const MASS: f64 = 2.0;

/// Bound on differences of event times relative to the duration of the run, and of coordinates relative to the size of
/// the motion. Errors of the tolerance 1e-10 grow from impact to impact; the runs are short.
const SAME: f64 = 1e-6;

fn box_model([a, b, c]: [f64; 3], mass: f64) -> Model {
    let moment = |x: f64, y: f64| mass / 12.0 * (x * x + y * y);
    let text = format!(
        r#"<mujoco model="body"><worldbody><body name="body"><freejoint/>
        <inertial pos="0 0 0" mass="{mass}" diaginertia="{} {} {}"/>
        <geom type="box" size="{} {} {}" mass="0"/></body></worldbody></mujoco>"#,
        moment(b, c),
        moment(a, c),
        moment(a, b),
        a / 2.0,
        b / 2.0,
        c / 2.0
    );
    load::text(&text, "body.xml".as_ref(), &Options::default()).unwrap()
}

fn coefficients(restitution: f64, friction: f64) -> Coefficients {
    Coefficients::new(Restitution::new(restitution).unwrap(), Friction::new(friction).unwrap())
}

fn surface(name: &str, point: [f64; 3], normal: [f64; 3]) -> Surface {
    Surface { name: name.to_owned(), half_space: HalfSpace::new(point, normal).unwrap() }
}

/// The corners of a box against a surface.
fn corners(model: &Model, surface: &Surface, place: usize, coefficients: Coefficients) -> Vec<WatchedContact> {
    let link = model.find_link("body").unwrap();
    let found = candidates(model, link, 0, &surface.half_space, &Default::default()).unwrap();
    let watched = |candidate: carom_multibody::Candidate| WatchedContact {
        name: format!("{} on {}", candidate.name, surface.name),
        point: candidate.contact,
        surface: place,
        coefficients,
        enabled: None,
    };
    found.into_iter().map(watched).collect()
}

/// A box released above a floor with a velocity and a spin: position, orientation, velocities in its own axes.
fn thrown_box(
    law: Law,
    sides: [f64; 3],
    mass: f64,
    gravity: [f64; 3],
    normal: [f64; 3],
    state: ([f64; 7], [f64; 6]),
) -> Setup {
    let model = box_model(sides, mass).with_gravity(gravity);
    let floor = surface("floor", [0.0; 3], normal);
    let contacts = corners(&model, &floor, 0, coefficients(0.4, 0.35));
    Setup {
        configuration: state.0.to_vec(),
        velocity: state.1.to_vec(),
        surfaces: vec![floor],
        contacts,
        law,
        settings: Settings { until: 0.75, interval: None, ..Settings::default() },
        ..Setup::new(Arc::new(model))
    }
}

/// The throws that the tests share: the first lands almost flat on its face, the others on edges and corners.
fn throws() -> [([f64; 7], [f64; 6]); 3] {
    let turned = |axis: [f64; 3], angle: f64| Quaternion::about(Vector::from(axis), angle).to_array();
    let state = |height: f64, [w, x, y, z]: [f64; 4], v: [f64; 6]| ([0.1, -0.2, height, w, x, y, z], v);
    [
        state(0.5, turned([0.6, 0.8, 0.0], 0.3), [1.0, 0.4, -0.5, 0.5, -0.3, 0.2]),
        state(0.6, turned([0.0, 0.6, 0.8], 1.1), [-0.6, 0.9, 0.2, 2.0, 1.0, -1.5]),
        state(0.4, turned([0.48, 0.64, 0.6], 2.0), [0.3, -1.2, -1.0, -1.0, 3.0, 0.5]),
    ]
}

/// Every throw with every law that handles several contacts.
fn cases() -> impl Iterator<Item = (Law, ([f64; 7], [f64; 6]))> {
    let laws = Law::ALL.into_iter().filter(|law| law.answers_several());
    laws.flat_map(|law| throws().map(|state| (law, state)))
}

fn fall(setup: Setup) -> (Vec<f64>, Vec<f64>, Vec<Event>) {
    let end = setup.settings.until;
    let mut simulation = Simulation::new(setup).unwrap();
    let mut recorder = Recorder::new();
    simulation.run_until(end, &mut recorder).unwrap();
    (simulation.configuration().to_vec(), simulation.velocity().to_vec(), recorder.events().to_vec())
}

fn upright(law: Law, state: ([f64; 7], [f64; 6])) -> Setup {
    thrown_box(law, SIDES, MASS, [0.0, 0.0, -G], [0.0, 0.0, 1.0], state)
}

/// The times of the large impacts: where an infinite sequence of decreasing ones is cut off is a matter of rounding.
fn impacts(events: &[Event], unit: f64) -> Vec<f64> {
    let impacts = || events.iter().filter(|event| event.kind() == EventKind::Impact);
    let largest = impacts().fold(0.0_f64, |largest, event| largest.max(event.energy_change().abs()));
    let counts = |event: &&Event| event.energy_change().abs() > 1e-6 * largest;
    impacts().filter(counts).map(|event| event.time() / unit).collect()
}

#[track_caller]
fn assert_same_story(one: &[Event], other: &[Event], unit: f64) {
    let (one, other) = (impacts(one, 1.0), impacts(other, unit));
    assert!(one.len() >= 5, "too little happens: {one:?}");
    assert_eq!(one.len(), other.len(), "{one:?}\n{other:?}");
    for (one, other) in one.iter().zip(&other) {
        assert!((one - other).abs() <= SAME, "{one} s and {other} s");
    }
}

#[track_caller]
fn assert_near(one: &[f64], other: &[f64]) {
    let size = one.iter().fold(1.0_f64, |size, x| size.max(x.abs()));
    let off = one.iter().zip(other).fold(0.0_f64, |off, (x, y)| off.max((x - y).abs()));
    assert!(off <= SAME * size, "off by {off:e}: {one:?} and {other:?}");
}

/// Feet, pounds and minutes; and small units of length and mass.
#[test]
fn units_do_not_matter() {
    for (law, state) in cases() {
        let (q, v, events) = fall(upright(law, state));
        for (length, mass, time) in [(1.0 / 0.3048, 1.0 / 0.45359237, 1.0 / 60.0), (1e-3, 1e-7, 3.0), (37.0, 1e5, 0.11)]
        {
            let mut told = state;
            told.0.iter_mut().take(3).for_each(|x| *x *= length);
            told.1.iter_mut().take(3).for_each(|v| *v *= length / time);
            told.1.iter_mut().skip(3).for_each(|v| *v /= time);
            let gravity = [0.0, 0.0, -G * length / (time * time)];
            let sides = SIDES.map(|side| side * length);
            let mut setup = thrown_box(law, sides, MASS * mass, gravity, [0.0, 0.0, 1.0], told);
            setup.settings.until *= time;
            let (mut q2, mut v2, events2) = fall(setup);
            q2.iter_mut().take(3).for_each(|x| *x /= length);
            v2.iter_mut().take(3).for_each(|v| *v /= length / time);
            v2.iter_mut().skip(3).for_each(|v| *v *= time);
            assert_same_story(&events, &events2, time);
            assert_near(&q, &q2);
            assert_near(&v, &v2);
        }
    }
}

/// The mirror plane contains x and z. The sense of a rotation is reversed.
#[test]
fn a_mirrored_throw_falls_mirrored() {
    let mirrored = |q: &[f64], v: &[f64]| {
        let q = [q[0], -q[1], q[2], q[3], -q[4], q[5], -q[6]];
        (q, [v[0], -v[1], v[2], -v[3], v[4], -v[5]])
    };
    for (law, state) in cases() {
        let (q, v, events) = fall(upright(law, state));
        let (q2, v2, events2) = fall(upright(law, mirrored(&state.0, &state.1)));
        let back = mirrored(&q2, &v2);
        assert_same_story(&events, &events2, 1.0);
        assert_near(&q, &back.0);
        assert_near(&v, &back.1);
    }
}

#[test]
fn the_order_of_contacts_does_not_matter() {
    for (law, state) in cases() {
        let (q, v, events) = fall(upright(law, state));
        let mut setup = upright(law, state);
        setup.contacts.reverse();
        let (q2, v2, events2) = fall(setup);
        assert_same_story(&events, &events2, 1.0);
        assert_near(&q, &q2);
        assert_near(&v, &v2);
    }
}

/// The whole world rotated, with floor and gravity: about the vertical, where only the tangents turn, and about any
/// axis.
#[test]
fn a_turned_world_is_the_same_world() {
    for (law, state) in cases() {
        let (q, v, events) = fall(upright(law, state));
        for (axis, angle) in [([0.0, 0.0, 1.0], 0.7), ([0.48, 0.64, 0.6], 1.3)] {
            let turn = Quaternion::about(Vector::from(axis), angle);
            let moved = |turn: Quaternion, q: &[f64]| {
                let position = turn.to_rotation().apply(Vector::from([q[0], q[1], q[2]])).to_array();
                let [w, x, y, z] = (turn * Quaternion::from_array([q[3], q[4], q[5], q[6]])).to_array();
                [position[0], position[1], position[2], w, x, y, z]
            };
            let world = |v: [f64; 3]| turn.to_rotation().apply(Vector::from(v)).to_array();
            let told = (moved(turn, &state.0), state.1);
            let setup = thrown_box(law, SIDES, MASS, world([0.0, 0.0, -G]), world([0.0, 0.0, 1.0]), told);
            let (q2, v2, events2) = fall(setup);
            assert_same_story(&events, &events2, 1.0);
            assert_near(&q, &moved(turn.conjugate(), &q2));
            assert_near(&v, &v2);
        }
    }
}

/// A ceiling and a wall out of reach, and contacts with them.
#[test]
fn surfaces_out_of_reach_do_nothing() {
    for (law, state) in cases() {
        let (q, v, events) = fall(upright(law, state));
        let mut setup = upright(law, state);
        setup.surfaces.push(surface("ceiling", [0.0, 0.0, 9.0], [0.0, 0.0, -1.0]));
        setup.surfaces.push(surface("wall", [-20.0, 0.0, 0.0], [1.0, 0.0, 0.0]));
        for place in [1, 2] {
            let more = corners(&setup.model, &setup.surfaces[place], place, coefficients(1.0, 2.0));
            setup.contacts.extend(more);
        }
        let (q2, v2, events2) = fall(setup);
        assert_same_story(&events, &events2, 1.0);
        assert_near(&q, &q2);
        assert_near(&v, &v2);
    }
}

/// A contact inside the body, which the corners keep off the floor.
#[test]
fn a_contact_that_is_never_lowest_does_nothing() {
    for (law, state) in cases() {
        let (q, v, events) = fall(upright(law, state));
        let mut setup = upright(law, state);
        let link = setup.model.find_link("body").unwrap();
        let centre = ContactPoint::new(&setup.model, link, Vector::from([0.01, 0.02, -0.03]), [0.0, 0.0, 1.0]).unwrap();
        let inside = WatchedContact {
            name: "inside".to_owned(),
            point: centre,
            surface: 0,
            coefficients: coefficients(0.9, 0.1),
            enabled: None,
        };
        setup.contacts.insert(0, inside);
        let (q2, v2, events2) = fall(setup);
        assert_same_story(&events, &events2, 1.0);
        assert_near(&q, &q2);
        assert_near(&v, &v2);
    }
}

/// A floating URDF from the inertias of its links; the second, if there is one, is welded on.
fn welded(links: &[(&str, String)], weld: &str) -> Model {
    let link =
        |(name, inertial): &(&str, String)| format!(r#"<link name="{name}"><inertial>{inertial}</inertial></link>"#);
    let text = format!(r#"<robot name="r">{}{weld}</robot>"#, links.iter().map(link).collect::<String>());
    let options = Options::new().floating_base(true);
    load::text(&text, "r.urdf".as_ref(), &options).unwrap()
}

/// The box cut at a quarter of its length, each part with its own axes.
#[test]
fn a_box_welded_from_two_parts_falls_like_one() {
    let [a, b, c] = SIDES;
    let inertial = |centre: [f64; 3], mass: f64, [x, y, z]: [f64; 3]| {
        let moment = |p: f64, q: f64| mass / 12.0 * (p * p + q * q);
        format!(
            r#"<origin xyz="{} {} {}"/><mass value="{mass}"/><inertia ixx="{}" iyy="{}" izz="{}" ixy="0" ixz="0" iyz="0"/>"#,
            centre[0],
            centre[1],
            centre[2],
            moment(y, z),
            moment(x, z),
            moment(x, y)
        )
    };
    let whole = welded(&[("body", inertial([0.0; 3], MASS, SIDES))], "");
    // A quarter on the left, from -a/2 to -a/4; the rest hangs on it by a weld that turns by 90 degrees about z.
    let left = inertial([-0.375 * a, 0.0, 0.0], 0.25 * MASS, [0.25 * a, b, c]);
    let right = inertial([0.0; 3], 0.75 * MASS, [b, 0.75 * a, c]);
    let weld = format!(
        r#"<joint name="w" type="fixed"><parent link="body"/><child link="rest"/>
        <origin xyz="{} 0 0" rpy="0 0 1.5707963267948966"/></joint>"#,
        0.125 * a
    );
    let parts = welded(&[("body", left), ("rest", right)], &weld);
    let floor = || surface("floor", [0.0; 3], [0.0, 0.0, 1.0]);
    let setup = |model: &Model, corner: &dyn Fn([f64; 3]) -> (&'static str, [f64; 3]), state: ([f64; 7], [f64; 6])| {
        let model = Arc::new(model.clone().with_gravity([0.0, 0.0, -G]));
        let signs = [-0.5, 0.5];
        let points = signs.iter().flat_map(|x| signs.iter().flat_map(move |y| signs.map(|z| [x * a, y * b, z * c])));
        let contacts = points.map(|point| {
            let (link, at) = corner(point);
            let link = model.find_link(link).unwrap();
            WatchedContact {
                name: format!("{point:?}"),
                point: ContactPoint::new(&model, link, Vector::from(at), [0.0, 0.0, 1.0]).unwrap(),
                surface: 0,
                coefficients: coefficients(0.4, 0.35),
                enabled: None,
            }
        });
        Setup {
            configuration: state.0.to_vec(),
            velocity: state.1.to_vec(),
            surfaces: vec![floor()],
            contacts: contacts.collect(),
            settings: Settings { until: 0.75, interval: None, ..Settings::default() },
            ..Setup::new(Arc::clone(&model))
        }
    };
    for (law, state) in cases() {
        let (q, v, events) = fall(Setup { law, ..setup(&whole, &|point| ("body", point), state) });
        let carried = |[x, y, z]: [f64; 3]| match x < 0.0 {
            true => ("body", [x, y, z]),
            // In the axes of the rest: x along y of the whole, y opposite to its x, from the centre of the rest.
            false => ("rest", [y, -(x - 0.125 * a), z]),
        };
        let (q2, v2, events2) = fall(Setup { law, ..setup(&parts, &carried, state) });
        assert_same_story(&events, &events2, 1.0);
        assert_near(&q, &q2);
        assert_near(&v, &v2);
        // The result is that of the box of the other tests.
        let (q3, v3, _) = fall(upright(law, state));
        assert_near(&q, &q3);
        assert_near(&v, &v3);
    }
}
