//! Impacts between two bodies, against closed forms in `reference/pairs`.

use carom_law::{Coefficients, Contact, Delassus, Friction, Guard, Law, Mode, Restitution, SimultaneousOutcome};
use carom_multibody::{
    Contacts, Dynamics, Geometry, Inertia, Joint, JointKind, LinkId, LinkSpec, Meeting, Model, ModelBuilder, Placement,
    Rotation, Shape, Symmetric, Vector,
};
use carom_sim::strike_together;
use serde_json::Value;

fn reference() -> Value {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../reference/pairs/expected.json");
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_str().map_or_else(|| value.as_f64().unwrap(), |text| text.parse().unwrap())
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

#[track_caller]
fn agree(found: &[f64], expected: &[f64], bound: f64) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= bound, "{found:?} is not {expected:?}");
    }
}

fn shape(geometry: Geometry) -> Shape {
    Shape { name: None, placement: Placement::IDENTITY, geometry, contact: None }
}

/// Equal solid balls that move freely.
fn balls(count: usize, mass: f64, radius: f64) -> (Model, Vec<LinkId>) {
    let mut builder = ModelBuilder::new("balls");
    let links = (0..count).map(|k| {
        let joint = Joint::new(format!("free {k}"), JointKind::Floating);
        let link = LinkSpec::new(format!("ball {k}")).joint(joint).inertia(Inertia::ball(mass, radius));
        builder.link(LinkId::WORLD, link.shape(shape(Geometry::Sphere { radius }))).unwrap()
    });
    let links = links.collect();
    (builder.build().unwrap(), links)
}

/// Balls with positions, velocities and spins, not rotated: link axes are world axes.
fn placed(model: Model, places: &[Vector], velocities: &[[f64; 6]]) -> Dynamics {
    let mut dynamics = Dynamics::new(model);
    let q: Vec<f64> = places.iter().flat_map(|p| [p.x(), p.y(), p.z(), 1.0, 0.0, 0.0, 0.0]).collect();
    dynamics.set_state(&q, &velocities.concat()).unwrap();
    dynamics
}

fn meeting(dynamics: &Dynamics, one: LinkId, other: LinkId) -> Meeting {
    let found = dynamics.closest_shapes((one, 0), (other, 0)).unwrap();
    assert!(found.gap.abs() < 1e-15, "{}", found.gap);
    dynamics.meeting(one, other, &found).unwrap()
}

fn strike(
    dynamics: &mut Dynamics,
    meetings: &[Meeting],
    restitution: f64,
    friction: f64,
) -> (SimultaneousOutcome, Vec<f64>, Contacts) {
    let mut contacts = Contacts::with_meetings(dynamics.model(), &[], &[], meetings);
    let coefficients = Coefficients::new(Restitution::new(restitution).unwrap(), Friction::new(friction).unwrap());
    let mut after = vec![0.0; dynamics.velocity().len()];
    let each = vec![coefficients; meetings.len()];
    let outcome = strike_together(dynamics, &mut contacts, &each, Guard::Slip, &mut after).unwrap();
    (outcome, after, contacts)
}

#[test]
fn two_billiard_balls_agree_with_closed_forms_under_six_laws() {
    const RADIUS: f64 = 0.028575;
    let reference = reference();
    for case in ["balls_stun_cut30", "balls_rolling_cut30", "balls_english_cut30", "balls_stun_cut2_stick"] {
        let expected = &reference[case];
        let cut = number(&expected["cut_deg"]).to_radians();
        let (model, links) = balls(2, 0.17, RADIUS);
        let spin = numbers(&expected["spin"]);
        let cue = [number(&expected["speed"]), 0.0, 0.0, spin[0], spin[1], spin[2]];
        let object = 2.0 * RADIUS * Vector::new(cut.cos(), cut.sin(), 0.0);
        let mut dynamics = placed(model, &[Vector::ZERO, object], &[cue, [0.0; 6]]);
        let meetings = [meeting(&dynamics, links[0], links[1])];
        let (e, mu) = (number(&expected["e"]), number(&expected["mu"]));
        let (outcome, after, contacts) = strike(&mut dynamics, &meetings, e, mu);
        let wanted = ["v1", "w1", "v2", "w2"].map(|key| numbers(&expected[key])).concat();
        agree(&after[..6], &wanted[..6], 2e-13);
        agree(&after[6..], &wanted[6..], 2e-13);
        let mode = if expected["mode"] == "slip" { Mode::Slip } else { Mode::Stick };
        assert_eq!(outcome.contacts[0].mode, mode, "{case}");
        let change = outcome.energy.after.unwrap() - outcome.energy.before.unwrap();
        agree(&[change], &[number(&expected["dK"])], 1e-14);
        let impulse = &outcome.contacts[0].impulse;
        agree(
            &[impulse[0], impulse[1].hypot(impulse[2])],
            &[number(&expected["i_n"]), number(&expected["i_t"])],
            1e-14,
        );
        // The normal goes through both centres: the laws agree.
        let w = contacts.delassus();
        let w = [0, 1, 2].map(|i| [0, 1, 2].map(|j| w[(i, j)]));
        let velocity = contacts.velocity().to_vec();
        let contact = Contact::new(Delassus::spatial(w).unwrap(), &velocity).unwrap();
        let coefficients = Coefficients::new(Restitution::new(e).unwrap(), Friction::new(mu).unwrap());
        for law in [Law::Aghili, Law::Newton, Law::Moreau, Law::Poisson, Law::Stronge, Law::ChatterjeeRuina] {
            let rival = contact.impact_by(law, &coefficients, Guard::Report).unwrap();
            agree(&rival.impulse, impulse, 1e-9);
        }
    }
}

#[test]
fn a_ball_on_two_that_touch_agrees_with_closed_forms() {
    let reference = reference();
    let (sin, cos) = std::f64::consts::FRAC_PI_6.sin_cos();
    let places = [Vector::ZERO, 2.0 * Vector::new(cos, sin, 0.0), 2.0 * Vector::new(cos, -sin, 0.0)];
    let cue = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    for (case, e, mu) in [("three_balls_e1", 1.0, 0.0), ("three_balls_e0.9", 0.9, 0.0), ("three_balls_stick", 0.9, 0.1)]
    {
        let expected = &reference[case];
        let (model, links) = balls(3, 1.0, 1.0);
        let mut dynamics = placed(model, &places, &[cue, [0.0; 6], [0.0; 6]]);
        let meetings = [meeting(&dynamics, links[0], links[1]), meeting(&dynamics, links[0], links[2])];
        let (outcome, after, _) = strike(&mut dynamics, &meetings, e, mu);
        agree(&after[..2], &[number(&expected["cue_after"]), 0.0], 1e-12);
        match expected.get("object") {
            Some(object) => {
                let object = numbers(object);
                agree(&after[6..8], &object, 1e-12);
                agree(&after[12..14], &[object[0], -object[1]], 1e-12);
                agree(&[after[11].abs(), after[17].abs()], &[number(&expected["object_spin"]).abs(); 2], 1e-12);
                assert!(outcome.contacts.iter().all(|contact| contact.mode == Mode::Stick));
            }
            None => {
                let speed = number(&expected["object_speed"]);
                agree(&[after[6].hypot(after[7]), after[12].hypot(after[13])], &[speed; 2], 1e-12);
            }
        }
    }
}

/// Balls that touch strike simultaneously; with gaps, one after the other. The law gives both results.
#[test]
fn a_cradle_answers_by_whether_its_balls_touch() {
    let reference = reference();
    for (case, count, e) in
        [("cradle_3_e1", 3, 1.0), ("cradle_3_e0.9", 3, 0.9), ("cradle_5_e1", 5, 1.0), ("cradle_5_e0.9", 5, 0.9)]
    {
        let expected = &reference[case];
        let places: Vec<Vector> = (0..count).map(|k| Vector::new(2.0 * k as f64, 0.0, 0.0)).collect();
        let mut velocities = vec![[0.0; 6]; count];
        velocities[0][0] = 1.0;
        let (model, links) = balls(count, 1.0, 1.0);
        let mut dynamics = placed(model.clone(), &places, &velocities);
        let meetings: Vec<Meeting> = (1..count).map(|k| meeting(&dynamics, links[k - 1], links[k])).collect();
        let (_, after, _) = strike(&mut dynamics, &meetings, e, 0.0);
        let along = |v: &[f64]| -> Vec<f64> { v.iter().step_by(6).copied().collect() };
        agree(&along(&after), &numbers(&expected["simultaneous"]), 1e-12);
        // One pair after the other, as long as any pair approaches.
        let mut dynamics = placed(model, &places, &velocities);
        let (q, mut impacts) = (dynamics.configuration().to_vec(), 0);
        let approaching = |v: &[f64]| (1..count).find(|&k| along(v)[k - 1] > along(v)[k] + 1e-12);
        while let Some(k) = approaching(dynamics.velocity()) {
            let (_, after, _) = strike(&mut dynamics, &meetings[k - 1..k], e, 0.0);
            dynamics.set_state(&q, &after).unwrap();
            impacts += 1;
            assert!(impacts < 100);
        }
        agree(&along(dynamics.velocity()), &numbers(&expected["sequential"]), 1e-12);
        assert_eq!(impacts, expected["sequential_impacts"].as_u64().unwrap());
    }
}

/// A thin rod falls on a ball fixed to the world, in a vertical plane: the state at the touch is that of the reference.
#[test]
fn a_rod_on_a_fixed_ball_agrees_with_a_closed_form() {
    let expected = &reference()["rod_on_ball"];
    let time = number(&expected["time"]);
    let (radius, length) = (0.2, 1.0);
    let mut builder = ModelBuilder::new("rod");
    builder.world_shape(shape(Geometry::Sphere { radius }));
    // The rod along its own z axis; about the plane's normal y it has m l²/12.
    let rotational = Symmetric::diagonal([1.0 / 12.0, 1.0 / 12.0, 1e-6]);
    let inertia = Inertia { mass: 1.0, center: Vector::ZERO, rotational };
    let rod = LinkSpec::new("rod").joint(Joint::new("free", JointKind::Floating)).inertia(inertia);
    let rod = builder
        .link(LinkId::WORLD, rod.shape(shape(Geometry::Capsule { radius: 0.0, half_length: length / 2.0 })))
        .unwrap();
    let model = builder.build().unwrap();
    // x, height and angle of the reference: x to x, height to z, angle about -y.
    let angle = 0.2 + 0.5 * time;
    let (x, z) = (0.15, 0.8 - 0.5 * 9.81 * time * time);
    let turned = Rotation::about_axis(1, std::f64::consts::FRAC_PI_2 - angle).to_quaternion();
    let place = [x, 0.0, z, turned.w, turned.x, turned.y, turned.z];
    let mut dynamics = Dynamics::new(model);
    dynamics.set_state(&place, &[0.0; 6]).unwrap();
    // Velocities of a floating body are in its own axes.
    let back = dynamics.placement(rod).rotation;
    let linear = back.apply_inverse(Vector::new(0.0, 0.0, -9.81 * time)).to_array();
    let angular = back.apply_inverse(Vector::new(0.0, -0.5, 0.0)).to_array();
    dynamics.set_state(&place, &[linear, angular].concat()).unwrap();
    let found = dynamics.closest_shapes((rod, 0), (LinkId::WORLD, 0)).unwrap();
    assert!(found.gap.abs() < 1e-14, "{:e}", found.gap);
    let normal = numbers(&expected["normal"]);
    agree(&[found.normal.x(), found.normal.z()], &normal, 1e-14);
    let along = back.columns[2].dot(found.points[0] - dynamics.placement(rod).translation);
    agree(&[along], &[number(&expected["place_on_rod"])], 1e-14);
    let meetings = [dynamics.meeting(rod, LinkId::WORLD, &found).unwrap()];
    let (outcome, after, contacts) = strike(&mut dynamics, &meetings, 0.5, 0.3);
    agree(&contacts.velocity()[..1], &[number(&expected["v_n"])], 1e-13);
    assert_eq!(outcome.contacts[0].mode, Mode::Slip);
    let impulse = &outcome.contacts[0].impulse;
    agree(&[impulse[0], impulse[1].hypot(impulse[2])], &numbers(&expected["impulse"]), 1e-12);
    let linear = back.apply(Vector::new(after[0], after[1], after[2]));
    let angular = back.apply(Vector::new(after[3], after[4], after[5]));
    agree(&[linear.x(), linear.z(), -angular.y()], &numbers(&expected["after"]), 1e-12);
}
