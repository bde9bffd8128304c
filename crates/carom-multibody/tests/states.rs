//! Invalid states and requests, and their errors.

mod common;

use std::sync::Arc;

use carom_multibody::{
    ContactPoint, Contacts, Dynamics, DynamicsError, Inertia, Joint, JointKind, JointNameError, LinkSpec, Mimic, Model,
    Placement, State, StateError, Vector, contact_basis,
};
use common::refusals::*;
use common::*;
use fastrand::Rng;

/// A hinge with a ball joint on it, and a floating body beside.
fn sound_model() -> Model {
    let mut rng = Rng::with_seed(5);
    let links = vec![
        (0, LinkSpec::new("arm").joint(Joint::new("hinge", JointKind::Revolute)).inertia(inertia(&mut rng))),
        (1, LinkSpec::new("hand").joint(Joint::new("wrist", JointKind::Ball)).inertia(inertia(&mut rng))),
        (0, LinkSpec::new("stone").joint(Joint::new("free", JointKind::Floating)).inertia(inertia(&mut rng))),
    ];
    Sketch { gravity: Vector::new(0.0, 0.0, -9.81), links }.build()
}

#[test]
fn lengths_must_fit() {
    let model = sound_model();
    let (nq, nv) = (model.nq(), model.nv());
    assert_eq!((nq, nv), (12, 10));
    let home = model.home().to_vec();
    let hand = model.find_link("hand").unwrap();
    let contact = ContactPoint::new(&model, hand, [0.1, 0.0, 0.0], Z).unwrap();
    let mut dynamics = Dynamics::new(model.clone());
    let wrong = |field, given, expected| DynamicsError::Length { field, given, expected };
    for given in [0, 1, 9, 11, 13, 100] {
        let long = vec![1.0; given];
        let error = dynamics.set_state(&long, &vec![0.0; nv]).unwrap_err();
        assert_eq!(error, wrong("configuration", given, nq));
        says(&error, &["configuration", &given.to_string(), "12"]);
        let error = dynamics.set_state(&home, &long).unwrap_err();
        assert_eq!(error, wrong("velocity", given, nv));
        says(&error, &["velocity", &given.to_string(), "10"]);
        assert_eq!(dynamics.inverse_dynamics(&long).unwrap_err(), wrong("acceleration", given, nv));
        assert_eq!(dynamics.forward_dynamics(&long).unwrap_err(), wrong("force", given, nv));
        assert_eq!(dynamics.solve_mass(&mut long.clone()).unwrap_err(), wrong("force", given, nv));
        let error = dynamics.impulse_response(&contact, &long, &mut vec![0.0; nv]).unwrap_err();
        assert_eq!(error, wrong("impulse", given, 3));
        let error = dynamics.impulse_response(&contact, &[0.0; 3], &mut long.clone()).unwrap_err();
        assert_eq!(error, wrong("change", given, nv));

        let (still, mut room) = (vec![0.0; nv], vec![0.0; given]);
        assert_eq!(
            model.integrate(&long, &still, 1.0, &mut home.clone()).unwrap_err(),
            wrong("configuration", given, nq)
        );
        assert_eq!(model.integrate(&home, &long, 1.0, &mut home.clone()).unwrap_err(), wrong("velocity", given, nv));
        assert_eq!(model.integrate(&home, &still, 1.0, &mut room).unwrap_err(), wrong("configuration", given, nq));
        assert_eq!(model.difference(&long, &home, &mut vec![0.0; nv]).unwrap_err(), wrong("configuration", given, nq));
        assert_eq!(model.difference(&home, &long, &mut vec![0.0; nv]).unwrap_err(), wrong("configuration", given, nq));
        assert_eq!(model.difference(&home, &home, &mut room).unwrap_err(), wrong("velocity", given, nv));
        assert_eq!(
            model.configuration_rate(&home, &long, &mut home.clone()).unwrap_err(),
            wrong("velocity", given, nv)
        );
        assert_eq!(model.configuration_rate(&home, &still, &mut room).unwrap_err(), wrong("configuration", given, nq));
    }
}

#[test]
fn numbers_of_a_state_are_finite() {
    let model = sound_model();
    let (nq, nv) = (model.nq(), model.nv());
    let home = model.home().to_vec();
    let hand = model.find_link("hand").unwrap();
    let contact = ContactPoint::new(&model, hand, [0.1, 0.0, 0.0], Z).unwrap();
    let mut dynamics = Dynamics::new(model.clone());
    let is = |error: &DynamicsError, field: &str, index: usize, value: f64| {
        says(error, &[&format!("{field}[{index}] = {value}"), "finite"]);
        matches!(error, DynamicsError::NotFinite { field: f, index: i, value: v }
            if *f == field && *i == index && v.to_bits() == value.to_bits())
    };
    for bad in BAD {
        for i in 0..nq {
            let mut q = home.clone();
            q[i] = bad;
            assert!(is(&dynamics.set_state(&q, &vec![0.0; nv]).unwrap_err(), "configuration", i, bad));
            assert!(is(&model.difference(&home, &q, &mut vec![0.0; nv]).unwrap_err(), "configuration", i, bad));
        }
        for i in 0..nv {
            let mut v = vec![0.0; nv];
            v[i] = bad;
            assert!(is(&dynamics.set_state(&home, &v).unwrap_err(), "velocity", i, bad));
            assert!(is(&dynamics.inverse_dynamics(&v).unwrap_err(), "acceleration", i, bad));
            assert!(is(&dynamics.forward_dynamics(&v).unwrap_err(), "force", i, bad));
            assert!(is(&dynamics.solve_mass(&mut v.clone()).unwrap_err(), "force", i, bad));
            assert!(is(&model.integrate(&home, &v, 0.1, &mut home.clone()).unwrap_err(), "velocity", i, bad));
        }
        for i in 0..3 {
            let mut impulse = [0.0; 3];
            impulse[i] = bad;
            let error = dynamics.impulse_response(&contact, &impulse, &mut vec![0.0; nv]).unwrap_err();
            assert!(is(&error, "impulse", i, bad));
        }
    }
}

#[test]
fn integrate_never_answers_with_what_is_no_state() {
    // A time that is not finite, or a step beyond the range of numbers, is an error, and does not give NaN or some
    // rotation.
    let model = sound_model();
    let home = model.home().to_vec();
    let still = vec![0.0; model.nv()];
    let fast = vec![1e308; model.nv()];
    let slow = vec![0.3; model.nv()];
    let mut out = home.clone();
    for (v, dt) in [(&slow, f64::NAN), (&slow, f64::INFINITY), (&still, f64::NAN), (&fast, 1e10)] {
        let answer = model.integrate(&home, v, dt, &mut out);
        assert!(answer.is_err(), "v = {:e}, dt = {dt:e} leads to {out:?}", v[0]);
    }
}

#[test]
fn quaternions_are_of_length_one() {
    let model = sound_model();
    let nv = model.nv();
    let mut dynamics = Dynamics::new(model.clone());
    for (joint, offset) in [("wrist", 0), ("free", 3)] {
        let at = model.find_joint(joint).unwrap().coordinates.start + offset;
        for bad in [[0.0; 4], [2.0, 0.0, 0.0, 0.0], [1.0 + 3e-6, 0.0, 0.0, 0.0], [0.5, 0.5, 0.5, 0.499], [1e200; 4]] {
            let mut q = model.home().to_vec();
            q[at..at + 4].copy_from_slice(&bad);
            let error = dynamics.set_state(&q, &vec![0.0; nv]).unwrap_err();
            let norm = bad.iter().fold(0.0, |norm: f64, x| norm.hypot(*x));
            assert!(
                matches!(&error, DynamicsError::NotUnit { joint: name, norm: given }
                if name == joint && (given - norm).abs() <= 1e-15 * norm),
                "{error:?}"
            );
            says(&error, &[joint, "norm", "1e-6"]);
            for error in [
                model.integrate(&q, &vec![0.0; nv], 0.1, &mut model.home().to_vec()).unwrap_err(),
                model.difference(&q, model.home(), &mut vec![0.0; nv]).unwrap_err(),
                model.configuration_rate(&q, &vec![0.0; nv], &mut model.home().to_vec()).unwrap_err(),
            ] {
                assert!(matches!(error, DynamicsError::NotUnit { .. }));
            }
        }
        // Seven digits in a file are enough.
        let mut q = model.home().to_vec();
        q[at..at + 4].copy_from_slice(&[0.182_574_2, 0.365_148_4, 0.547_722_6, 0.730_296_7]);
        dynamics.set_state(&q, &vec![0.0; nv]).unwrap();
    }
}

#[test]
fn a_refused_state_leaves_the_old_one() {
    for_cases(100, |rng| {
        let mut sample = Sample::random(rng, Options::ALL);
        let n = sample.nv();
        if n == 0 {
            return;
        }
        let answers = |dynamics: &mut Dynamics| {
            let bias = dynamics.bias().to_vec();
            (dynamics.mass_matrix().clone(), bias, dynamics.kinetic_energy(), dynamics.potential_energy())
        };
        let before = answers(&mut sample.dynamics);
        let (mut q, mut v) = (configuration(&sample.model, rng), numbers(rng, n, 1.0));
        match rng.u8(..4) {
            0 => q[rng.usize(..sample.q.len())] = BAD[rng.usize(..3)],
            1 => v[rng.usize(..n)] = BAD[rng.usize(..3)],
            2 => q.push(0.0),
            _ => v.truncate(n - 1),
        }
        sample.dynamics.set_state(&q, &v).unwrap_err();
        assert_eq!(sample.dynamics.configuration(), sample.q);
        assert_eq!(sample.dynamics.velocity(), sample.v);
        assert_eq!(answers(&mut sample.dynamics), before);
        // Also without anything kept from before.
        let mut fresh = Dynamics::new(Arc::clone(&sample.model));
        fresh.set_state(&sample.q, &sample.v).unwrap();
        fresh.set_state(&q, &v).unwrap_err();
        assert_eq!(answers(&mut fresh), before);
    });
}

/// Everything that solves with M.
fn singular_answers(dynamics: &mut Dynamics) -> Vec<(&'static str, Option<DynamicsError>)> {
    let model = Arc::clone(dynamics.model());
    let n = model.nv();
    let link = *moving_links(&model).last().unwrap();
    let contact = ContactPoint::spatial(&model, link, [0.1, 0.2, 0.3], [0.3, 0.4, 0.5]).unwrap();
    let mut contacts = Contacts::new(&model, &[contact]);
    vec![
        ("forward_dynamics", dynamics.forward_dynamics(&vec![1.0; n]).err()),
        ("solve_mass", dynamics.solve_mass(&mut vec![1.0; n]).err()),
        ("contact_terms", dynamics.contact_terms(&mut contacts).err()),
        ("single_contact", dynamics.single_contact(&contact).err()),
        ("impulse_response", dynamics.impulse_response(&contact, &[1.0; 3], &mut vec![0.0; n]).err()),
    ]
}

#[test]
fn singular_masses_are_named_by_joint() {
    let heavy = Inertia::ball(1.0, 0.5);
    let hinge = |name: &str| Joint::new(name, JointKind::Revolute);
    let base = || (0, LinkSpec::new("base").joint(hinge("base")).inertia(heavy));
    let mut gear = follower("gear", "base");
    gear.axis = X;
    let slider = Joint::new("loose", JointKind::Prismatic);
    // The joint that moves no mass, or none about one of its directions.
    let cases: Vec<(&str, Vec<(usize, LinkSpec)>)> = vec![
        ("a hinge without mass", vec![base(), (1, LinkSpec::new("tip").joint(hinge("loose")))]),
        ("a slider without mass", vec![base(), (1, LinkSpec::new("tip").joint(slider.clone()))]),
        (
            "a ball joint without mass",
            vec![base(), (1, LinkSpec::new("tip").joint(Joint::new("loose", JointKind::Ball)))],
        ),
        ("a free link without mass", vec![(0, LinkSpec::new("tip").joint(Joint::new("loose", JointKind::Floating)))]),
        (
            "a point on its hinge's axis",
            vec![base(), (1, LinkSpec::new("tip").joint(hinge("loose")).inertia(Inertia::point(1.0, [0.0, 0.0, 0.7])))],
        ),
        (
            "a point on a ball joint",
            vec![(
                0,
                LinkSpec::new("tip")
                    .joint(Joint::new("loose", JointKind::Ball))
                    .inertia(Inertia::point(1.0, [0.31, 0.42, -0.77])),
            )],
        ),
        (
            "a free point",
            vec![(
                0,
                LinkSpec::new("tip")
                    .joint(Joint::new("loose", JointKind::Floating))
                    .inertia(Inertia::point(2.0, [0.31, 0.42, -0.77])),
            )],
        ),
        (
            "with a gear",
            vec![
                base(),
                (0, LinkSpec::new("wheel").joint(gear).inertia(heavy)),
                (2, LinkSpec::new("tip").joint(hinge("loose"))),
            ],
        ),
        (
            "a free body on a hinge without mass",
            vec![
                (0, LinkSpec::new("arm").joint(hinge("loose"))),
                (1, LinkSpec::new("tip").joint(Joint::new("free", JointKind::Floating)).inertia(heavy)),
            ],
        ),
        (
            "two hinges on one slanted axis",
            vec![(
                0,
                LinkSpec::new("tip")
                    .joint(hinge("loose").along([0.6, 0.8, 0.0]))
                    .joint(hinge("same").along([0.6, 0.8, 0.0]).through([0.6, 0.8, 0.0]))
                    .inertia(Inertia { center: Vector::new(0.1, 0.2, 0.3), ..heavy }),
            )],
        ),
        (
            "two hinges on one axis",
            vec![(0, LinkSpec::new("tip").joint(hinge("loose")).joint(hinge("same")).inertia(heavy))],
        ),
    ];
    let mut wrong = Vec::new();
    for (name, links) in cases {
        let model = Sketch { gravity: Vector::new(0.0, 0.0, -9.81), links }.build();
        let mut rng = Rng::with_seed(2);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..50 {
            let mut dynamics = Dynamics::new(model.clone());
            let q = configuration(&model, &mut rng);
            dynamics.set_state(&q, &numbers(&mut rng, model.nv(), 1.0)).unwrap();
            for (method, error) in singular_answers(&mut dynamics) {
                match &error {
                    Some(DynamicsError::Singular { joint, pivot, .. }) if joint == "loose" && pivot.abs() < 1e-13 => {
                        says(error.as_ref().unwrap(), &["singular", "\"loose\"", &format!("{pivot:e}")]);
                    }
                    Some(DynamicsError::Singular { joint, .. }) => {
                        *counts.entry((method, format!("names {joint:?}"))).or_insert(0) += 1;
                    }
                    Some(other) => panic!("{name}: {method} gives {other:?}"),
                    None => *counts.entry((method, "finds nothing".to_owned())).or_insert(0) += 1,
                }
            }
        }
        wrong.extend(
            counts.into_iter().map(|((method, what), count)| format!("{name}: {method} {what}, {count} of 50")),
        );
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn light_links_are_not_singular() {
    // A millionth of a millionth of the mass of what carries it, and a tenth of a millimetre in size.
    let hinge = |name: &str, axis| Joint::new(name, JointKind::Revolute).along(axis);
    let mut links = vec![(0, LinkSpec::new("base").joint(hinge("base", X)).inertia(Inertia::ball(100.0, 1.0)))];
    links.push((
        1,
        LinkSpec::new("speck")
            .placed(Placement::at([0.3, 1.0, 0.2]))
            .joint(Joint::new("ball", JointKind::Ball))
            .inertia(Inertia::ball(1e-10, 1e-4).placed(&Placement::at([1e-4, 0.0, 0.0]))),
    ));
    let model = Sketch { gravity: Vector::ZERO, links }.build();
    let mut rng = Rng::with_seed(8);
    let mut dynamics = Dynamics::new(model.clone());
    for _ in 0..50 {
        let q = configuration(&model, &mut rng);
        dynamics.set_state(&q, &numbers(&mut rng, 4, 1.0)).unwrap();
        for (method, error) in singular_answers(&mut dynamics) {
            assert_eq!(error, None, "{method}");
        }
    }
}

/// A head on three crossed hinges with links without mass between them: where the second is at a right angle, the first and the third
/// line up. In other positions M is regular, so the file is no help to find the cause.
#[test]
fn crossed_hinges_that_line_up_name_the_link_without_mass() {
    let hinge = |name: &str, axis| Joint::new(name, JointKind::Revolute).along(axis);
    let none = Inertia::point(0.0, [0.0; 3]);
    let head = Inertia::ball(4.0, 0.1).placed(&Placement::at([0.0, 0.0, 0.2]));
    let links = vec![
        (0, LinkSpec::new("neck").joint(hinge("nod", Z)).inertia(none)),
        (1, LinkSpec::new("skull").joint(hinge("tilt", X)).inertia(none)),
        (2, LinkSpec::new("head").joint(hinge("turn", Y)).inertia(head)),
    ];
    let model = Sketch { gravity: Vector::ZERO, links }.build();
    let mut dynamics = Dynamics::new(model);
    dynamics.set_state(&[0.3, 1.0, 0.2], &[0.0; 3]).unwrap();
    assert!(singular_answers(&mut dynamics).iter().all(|(_, error)| error.is_none()));
    dynamics.set_state(&[0.3, std::f64::consts::FRAC_PI_2, 0.2], &[0.0; 3]).unwrap();
    for (method, error) in singular_answers(&mut dynamics) {
        let error = error.unwrap_or_else(|| panic!("{method} finds nothing"));
        says(&error, &["joint \"nod\"", "link \"neck\" has no mass of its own", "line up"]);
    }
}

#[test]
fn a_singular_state_does_not_spoil_the_next() {
    // A point on two hinges at right angles, on the second's axis: singular where the arm is straight up.
    let up = Joint::new("up", JointKind::Revolute).along(Z);
    let tilt = Joint::new("tilt", JointKind::Revolute).along(Y);
    let bob = Inertia::point(1.0, [0.0, 0.0, 1.0]);
    let links = vec![(0, LinkSpec::new("arm").joint(up).joint(tilt).inertia(bob))];
    let model = Sketch { gravity: Vector::ZERO, links }.build();
    let mut dynamics = Dynamics::new(model.clone());
    let mut fresh = Dynamics::new(model);
    for _ in 0..2 {
        dynamics.set_state(&[0.3, 0.0], &[0.0; 2]).unwrap();
        for (method, error) in singular_answers(&mut dynamics) {
            assert!(
                matches!(&error, Some(DynamicsError::Singular { joint, .. }) if joint == "up"),
                "{method}: {error:?}"
            );
        }
        dynamics.set_state(&[0.3, 1.0], &[0.0; 2]).unwrap();
        fresh.set_state(&[0.3, 1.0], &[0.0; 2]).unwrap();
        assert_eq!(dynamics.forward_dynamics(&[1.0, 2.0]), fresh.forward_dynamics(&[1.0, 2.0]));
        for (method, error) in singular_answers(&mut dynamics) {
            assert_eq!(error, None, "{method}");
        }
    }
}

#[test]
fn contacts_need_a_direction_and_a_place() {
    let model = sound_model();
    let hand = model.find_link("hand").unwrap();
    let error = contact_basis([0.0; 3]).unwrap_err();
    assert_eq!(error, DynamicsError::ZeroNormal { normal: [0.0; 3] });
    says(&error, &["normal", "(0, 0, 0)", "direction"]);
    for is_spatial in [false, true] {
        let make = |point: [f64; 3], normal: [f64; 3]| {
            if is_spatial {
                ContactPoint::spatial(&model, hand, point, normal)
            } else {
                ContactPoint::new(&model, hand, point, normal)
            }
        };
        assert_eq!(make([0.0; 3], [0.0; 3]).unwrap_err(), DynamicsError::ZeroNormal { normal: [0.0; 3] });
        for bad in BAD {
            for i in 0..3 {
                let mut numbers = [0.5; 3];
                numbers[i] = bad;
                let error = make([0.0; 3], numbers).unwrap_err();
                assert!(matches!(error, DynamicsError::ContactNotFinite { field: "normal", .. }), "{error:?}");
                says(&error, &["normal", &bad.to_string(), "finite"]);
                let error = make(numbers, [0.0, 0.0, 1.0]).unwrap_err();
                assert!(matches!(error, DynamicsError::ContactNotFinite { field: "point", .. }), "{error:?}");
                says(&error, &["point", &bad.to_string(), "finite"]);
            }
        }
    }
}

#[test]
fn normals_of_any_length_but_zero_give_a_basis() {
    for length in [f64::MAX, 1e300, 1e-300, f64::MIN_POSITIVE, 5e-324] {
        for normal in [[length, 0.0, 0.0], [0.0, -length, length], [length; 3]] {
            let basis = contact_basis(normal).unwrap_or_else(|error| panic!("{normal:?}: {error}"));
            for (i, a) in basis.into_iter().enumerate() {
                for (j, b) in basis.into_iter().enumerate() {
                    let expected = f64::from(u8::from(i == j));
                    assert!((a.dot(b) - expected).abs() < 1e-15, "{normal:?}: {basis:?}");
                }
            }
        }
    }
}

#[test]
fn states_by_the_names_of_joints() {
    let model = sound_model();
    let turn = [0.6, 0.0, 0.8, 0.0];
    let state = State::new().position("hinge", 0.3).position("wrist", turn).velocity("free", vec![1.0; 6]);
    let (q, v) = model.state(&state.clone().velocity("hinge", -2.0)).unwrap();
    let (mut expected_q, mut expected_v) = (model.home().to_vec(), vec![0.0; 10]);
    (expected_q[0], expected_v[0]) = (0.3, -2.0);
    expected_q[1..5].copy_from_slice(&turn);
    expected_v[4..].fill(1.0);
    assert_eq!((&q, &v), (&expected_q, &expected_v));
    Dynamics::new(model.clone()).set_state(&q, &v).unwrap();

    // What is not named stays; what is refused changes nothing.
    let (mut other_q, mut other_v) = (vec![0.5; 12], vec![0.25; 10]);
    model.apply_state(&State::new().position("hinge", 0.7), &mut other_q, &mut other_v).unwrap();
    assert_eq!((other_q[0], &other_q[1..], &other_v[..]), (0.7, &[0.5; 11][..], &[0.25; 10][..]));
    let before = (other_q.clone(), other_v.clone());
    let wrong = State::new().position("hinge", 9.0).velocity("wrist", [1.0, 2.0]);
    let error = model.apply_state(&wrong, &mut other_q, &mut other_v).unwrap_err();
    says(&error, &["velocity", "\"wrist\"", "2 numbers", "3"]);
    assert_eq!((other_q, other_v), before);
    let error = model.state(&State::new().position("elbow", 0.0)).unwrap_err();
    says(&error, &["\"elbow\"", "hinge, wrist, free"]);
    let error = model.apply_state(&state, &mut [0.0; 3], &mut [0.0; 10]).unwrap_err();
    assert_eq!(error, StateError::Length { field: "configuration", given: 3, expected: 12 });
    let error = ContactPoint::at_place(&model, "foot", Z).unwrap_err();
    says(&error, &["\"foot\"", "neither a link nor a frame"]);
    let hand = model.find_link("hand").unwrap();
    assert_eq!(ContactPoint::at_place(&model, "hand", Z), ContactPoint::new(&model, hand, [0.0; 3], Z));
}

#[test]
fn joints_without_a_state_of_their_own_say_so() {
    let mut rng = Rng::with_seed(6);
    let mut follower = Joint::new("b", JointKind::Revolute);
    follower.mimic = Some(Mimic { leader: "a".into(), multiplier: 1.0, offset: 0.0 });
    let links = vec![
        (0, LinkSpec::new("one").joint(Joint::new("a", JointKind::Revolute)).inertia(inertia(&mut rng))),
        (1, LinkSpec::new("two").joint(follower).inertia(inertia(&mut rng))),
        (2, LinkSpec::new("three").joint(Joint::new("c", JointKind::Fixed)).inertia(inertia(&mut rng))),
    ];
    let model = Sketch { gravity: Vector::ZERO, links }.build();
    let refused = |joint: &str| model.state(&State::new().velocity(joint, 1.0)).unwrap_err();
    assert_eq!(refused("b"), JointNameError::Follower { name: "b".into(), leader: "a".into() }.into());
    assert_eq!(refused("c"), JointNameError::Fixed { name: "c".into() }.into());
}
