//! What is refused, what is remarked, and what each of them says. Nothing panics.

mod common;

use std::sync::Arc;

use carom_multibody::{
    BuildError, ContactPoint, Contacts, Dynamics, DynamicsError, Inertia, Joint, JointKind, LinkId, LinkSpec, Mimic,
    Model, ModelBuilder, Placement, Rotation, Spring, Symmetric, Vector, WarningKind, contact_basis,
};
use common::*;
use fastrand::Rng;

const BAD: [f64; 3] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

/// The error of a link with one joint.
fn joint_error(joint: Joint) -> BuildError {
    let spec = LinkSpec::new("link").joint(joint).inertia(Inertia::ball(1.0, 1.0));
    ModelBuilder::new("model").link(LinkId::WORLD, spec).expect_err("to be refused")
}

fn link_error(spec: LinkSpec) -> BuildError {
    ModelBuilder::new("model").link(LinkId::WORLD, spec).expect_err("to be refused")
}

#[track_caller]
fn says(error: &impl std::fmt::Display, parts: &[&str]) {
    let message = error.to_string();
    for part in parts {
        assert!(message.contains(part), "{message:?} does not say {part:?}");
    }
}

fn follower(name: &str, leader: &str) -> Joint {
    let mut joint = Joint::new(name, JointKind::Revolute);
    joint.mimic = Some(Mimic { leader: leader.to_owned(), multiplier: 1.0, offset: 0.0 });
    joint
}

/// Builds links on the world, each a ball with one joint.
fn build_with(joints: Vec<Joint>) -> Result<Model, BuildError> {
    let mut builder = ModelBuilder::new("model");
    for (i, joint) in joints.into_iter().enumerate() {
        let spec = LinkSpec::new(format!("link{i}")).joint(joint).inertia(Inertia::ball(1.0, 1.0));
        builder.link(LinkId::WORLD, spec)?;
    }
    builder.build()
}

// ---------------------------------------------------------------------------------------------------- the builder

#[test]
fn names_stand_once() {
    let mut builder = ModelBuilder::new("model");
    let arm =
        builder.link(LinkId::WORLD, LinkSpec::new("arm").joint(Joint::new("hinge", JointKind::Revolute))).unwrap();
    let error = builder.link(LinkId::WORLD, LinkSpec::new("arm")).unwrap_err();
    assert_eq!(error, BuildError::DuplicateName { what: "link", name: "arm".to_owned() });
    says(&error, &["link", "\"arm\"", "twice"]);
    let error = builder.link(LinkId::WORLD, LinkSpec::new("world")).unwrap_err();
    assert_eq!(error, BuildError::DuplicateName { what: "link", name: "world".to_owned() });
    let error = builder.link(arm, LinkSpec::new("b").joint(Joint::new("hinge", JointKind::Ball))).unwrap_err();
    assert_eq!(error, BuildError::DuplicateName { what: "joint", name: "hinge".to_owned() });
    says(&error, &["joint", "\"hinge\""]);
    builder.frame("tip", arm, Placement::IDENTITY).unwrap();
    let error = builder.frame("tip", arm, Placement::IDENTITY).unwrap_err();
    assert_eq!(error, BuildError::DuplicateName { what: "frame", name: "tip".to_owned() });
    says(&error, &["frame", "\"tip\""]);
    // Links, joints and frames do not share names.
    builder.frame("arm", arm, Placement::IDENTITY).unwrap();
    builder.frame("hinge", arm, Placement::IDENTITY).unwrap();
}

#[test]
fn numbers_are_finite() {
    for bad in BAD {
        let text = bad.to_string();
        let mut places = Vec::new();
        for i in 0..3 {
            let mut vector = [0.5; 3];
            vector[i] = bad;
            places.push((vector, "axis"));
            places.push((vector, "anchor"));
        }
        for (vector, field) in places {
            let joint = Joint::new("hinge", JointKind::Revolute);
            let error = joint_error(if field == "axis" { joint.along(vector) } else { joint.through(vector) });
            assert!(
                matches!(&error, BuildError::NotFinite { what: "joint", name, field: f, value }
                if name == "hinge" && *f == field && value.to_bits() == bad.to_bits()),
                "{error:?}"
            );
            says(&error, &["joint", "\"hinge\"", field, &text, "finite"]);
        }
        let change = |edit: &dyn Fn(&mut Joint)| {
            let mut joint = Joint::new("hinge", JointKind::Revolute);
            edit(&mut joint);
            joint_error(joint)
        };
        says(&change(&|joint| joint.reference = bad), &["joint", "\"hinge\"", "reference", &text]);
        says(&change(&|joint| joint.home = Some(vec![bad])), &["joint", "\"hinge\"", "home", &text]);
        says(
            &change(&|joint| joint.spring = Some(Spring { stiffness: 1.0, rest: bad })),
            &["joint", "\"hinge\"", "spring", &text],
        );
        says(
            &change(&|joint| joint.spring = Some(Spring { stiffness: bad, rest: 0.0 })),
            &["joint", "\"hinge\"", "spring", &text],
        );
        for (multiplier, offset) in [(bad, 0.0), (1.0, bad)] {
            let mimic = Mimic { leader: "x".to_owned(), multiplier, offset };
            says(&change(&|joint| joint.mimic = Some(mimic.clone())), &["joint", "\"hinge\"", "mimic", &text]);
        }

        let mut turned = Rotation::IDENTITY;
        turned.columns[1] = Vector::new(0.0, bad, 0.0);
        for placement in [Placement::at([0.0, bad, 0.0]), Placement::new(turned, Vector::ZERO)] {
            says(&link_error(LinkSpec::new("arm").placed(placement)), &["link", "\"arm\"", "placement", &text]);
            let error = ModelBuilder::new("model").frame("tip", LinkId::WORLD, placement).unwrap_err();
            says(&error, &["frame", "\"tip\"", "placement", &text]);
        }
        let sound = Inertia::ball(1.0, 1.0);
        let inertias = [
            Inertia { mass: bad, ..sound },
            Inertia { center: Vector::new(0.0, 0.0, bad), ..sound },
            Inertia { rotational: Symmetric::new([1.0, 1.0, 1.0, 0.0, bad, 0.0]), ..sound },
        ];
        for inertia in inertias {
            says(&link_error(LinkSpec::new("arm").inertia(inertia)), &["link", "\"arm\"", "inertia", &text]);
        }
    }
}

#[test]
fn axes_have_a_direction() {
    for kind in [JointKind::Revolute, JointKind::Continuous, JointKind::Prismatic, JointKind::Planar] {
        let error = joint_error(Joint::new("hinge", kind).along([0.0; 3]));
        assert_eq!(error, BuildError::ZeroAxis { joint: "hinge".to_owned() });
        says(&error, &["joint", "\"hinge\"", "axis", "(0, 0, 0)", "direction"]);
    }
    // Where there is no axis it does not matter.
    for kind in [JointKind::Fixed, JointKind::Ball, JointKind::Floating] {
        build_with(vec![Joint::new("joint", kind).along([0.0; 3])]).unwrap();
    }
}

#[test]
fn axes_of_any_length_but_zero_become_unit_vectors() {
    for length in [f64::MAX, 1e300, 1.0, 1e-300, f64::MIN_POSITIVE, 5e-324] {
        for axis in [[length, 0.0, 0.0], [0.0, -length, length], [length; 3]] {
            let model = build_with(vec![Joint::new("hinge", JointKind::Revolute).along(axis)])
                .unwrap_or_else(|error| panic!("{axis:?}: {error}"));
            let unit = model.joints()[0].joint.axis;
            assert!((unit.norm() - 1.0).abs() < 1e-15, "{axis:?} became {unit:?}");
        }
    }
}

#[test]
fn drives_and_limits_are_in_range() {
    for bad in [-1e-9, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for field in ["armature", "damping", "friction"] {
            let mut joint = Joint::new("hinge", JointKind::Revolute);
            match field {
                "armature" => joint.armature = bad,
                "damping" => joint.damping = bad,
                _ => joint.dry_friction = bad,
            }
            let error = joint_error(joint);
            assert!(matches!(&error, BuildError::OutOfRange { what: "joint", field: f, .. } if *f == field));
            says(&error, &["joint", "\"hinge\"", field, &bad.to_string(), "finite and not negative"]);
        }
    }
    for (limits, complaint) in [
        ([1.5, -0.5], ["lower limit", "1.5", "not above the upper limit"]),
        ([f64::NAN, 1.0], ["limits", "NaN", "not finite"]),
        ([0.0, f64::NAN], ["limits", "NaN", "not finite"]),
    ] {
        let mut joint = Joint::new("hinge", JointKind::Revolute);
        joint.limits = Some(limits);
        let error = joint_error(joint);
        says(&error, &["joint", "\"hinge\""]);
        says(&error, &complaint);
    }
    for limits in [[-1.0, 1.0], [0.5, 0.5], [f64::NEG_INFINITY, f64::INFINITY]] {
        let mut joint = Joint::new("hinge", JointKind::Revolute);
        joint.limits = Some(limits);
        build_with(vec![joint]).unwrap();
    }
}

#[test]
fn homes_have_the_length_of_their_joint() {
    let kinds = [
        (JointKind::Fixed, 0),
        (JointKind::Revolute, 1),
        (JointKind::Continuous, 1),
        (JointKind::Prismatic, 1),
        (JointKind::Planar, 3),
        (JointKind::Ball, 4),
        (JointKind::Floating, 7),
    ];
    for (kind, expected) in kinds {
        for given in (0..9).filter(|&given| given != expected) {
            let mut joint = Joint::new("joint", kind);
            joint.home = Some(vec![0.5; given]);
            let error = joint_error(joint);
            let name = "joint".to_owned();
            assert_eq!(error, BuildError::HomeLength { joint: name, kind: kind.name(), given, expected });
            says(&error, &["\"joint\"", "home", &given.to_string(), kind.name(), &expected.to_string()]);
        }
    }
}

#[test]
fn home_is_a_state_or_is_refused() {
    let homes = [
        (JointKind::Ball, vec![0.0; 4]),
        (JointKind::Ball, vec![0.5; 4]),
        (JointKind::Ball, vec![2.0, 0.0, 0.0, 0.0]),
        (JointKind::Floating, vec![0.0; 7]),
        (JointKind::Floating, vec![1.0; 7]),
    ];
    for (kind, home) in homes {
        let mut joint = Joint::new("joint", kind);
        joint.home = Some(home.clone());
        let Ok(model) = build_with(vec![joint]) else { continue };
        let link = moving_links(&model)[0];
        let mut dynamics = Dynamics::new(model.clone());
        let placement = dynamics.placement(link);
        assert!(placement.rotation.columns.into_iter().all(Vector::is_finite), "home {home:?}: {placement:?}");
        let still = vec![0.0; model.freedoms()];
        assert_eq!(dynamics.set_state(model.home(), &still), Ok(()), "home {home:?} is not a state");
    }
}

#[test]
fn mimics_follow_something_and_not_themselves() {
    let error = build_with(vec![follower("a", "ghost")]).unwrap_err();
    assert_eq!(error, BuildError::UnknownLeader { joint: "a".to_owned(), leader: "ghost".to_owned() });
    says(&error, &["\"a\"", "\"ghost\"", "not a joint"]);

    let error = build_with(vec![follower("a", "a")]).unwrap_err();
    assert_eq!(error, BuildError::MimicCycle { joint: "a".to_owned() });
    says(&error, &["\"a\"", "itself"]);
    let circle = vec![follower("a", "b"), follower("b", "c"), follower("c", "a")];
    assert!(matches!(build_with(circle).unwrap_err(), BuildError::MimicCycle { .. }));
    // A joint that leads into a circle without being part of it.
    let circle = vec![follower("a", "b"), follower("b", "c"), follower("c", "b")];
    assert!(matches!(build_with(circle).unwrap_err(), BuildError::MimicCycle { .. }));

    for kind in [JointKind::Fixed, JointKind::Planar, JointKind::Ball, JointKind::Floating] {
        let error = build_with(vec![Joint::new("lead", kind), follower("a", "lead")]).unwrap_err();
        assert_eq!(error, BuildError::MimicKind { joint: "a".to_owned(), leader: "lead".to_owned() });
        says(&error, &["\"a\"", "\"lead\"", "revolute, continuous or prismatic"]);
        let mut joint = follower("a", "lead");
        joint.kind = kind;
        let error = build_with(vec![Joint::new("lead", JointKind::Revolute), joint]).unwrap_err();
        assert!(matches!(error, BuildError::MimicKind { .. }), "{error:?}");
    }
}

#[test]
fn links_hang_on_links_that_exist() {
    let mut large = ModelBuilder::new("large");
    large.link(LinkId::WORLD, LinkSpec::new("a")).unwrap();
    let foreign = large.link(LinkId::WORLD, LinkSpec::new("b")).unwrap();
    let mut small = ModelBuilder::new("small");
    let error = small.link(foreign, LinkSpec::new("c")).unwrap_err();
    assert_eq!(error, BuildError::UnknownLink { index: 2, count: 1 });
    says(&error, &["link 2", "has 1"]);
    assert_eq!(
        small.frame("tip", foreign, Placement::IDENTITY).unwrap_err(),
        BuildError::UnknownLink { index: 2, count: 1 }
    );
}

#[test]
fn a_refused_link_leaves_nothing_behind() {
    let mut builder = ModelBuilder::new("model");
    let sound = || Joint::new("one", JointKind::Revolute);
    let zero = Joint::new("two", JointKind::Revolute).along([0.0; 3]);
    let bad =
        LinkSpec::new("arm").joint(sound()).joint(zero).inertia(Inertia { mass: -1.0, ..Inertia::ball(1.0, 1.0) });
    builder.link(LinkId::WORLD, bad).unwrap_err();
    builder.frame("tip", LinkId::WORLD, Placement::at([f64::NAN, 0.0, 0.0])).unwrap_err();
    // The same, mended.
    let mended = LinkSpec::new("arm").joint(sound()).inertia(Inertia::ball(1.0, 1.0));
    let arm = builder.link(LinkId::WORLD, mended);
    assert!(arm.is_ok(), "the name of a refused link is still taken: {arm:?}");
    assert_eq!(builder.frame("tip", LinkId::WORLD, Placement::IDENTITY), Ok(()));
    let model = builder.build().unwrap();
    assert_eq!(model.freedoms(), 1);
    assert_eq!(model.joints().len(), 1);
    assert!(model.warnings().is_empty(), "{:?}", model.warnings());
}

#[test]
fn a_refused_link_adds_no_freedoms() {
    // As above, with other names the second time.
    let mut builder = ModelBuilder::new("model");
    let zero = Joint::new("two", JointKind::Revolute).along([0.0; 3]);
    let bad = LinkSpec::new("arm").joint(Joint::new("one", JointKind::Revolute)).joint(zero);
    builder.link(LinkId::WORLD, bad).unwrap_err();
    let good = LinkSpec::new("leg").joint(Joint::new("knee", JointKind::Revolute)).inertia(Inertia::ball(1.0, 1.0));
    builder.link(LinkId::WORLD, good).unwrap();
    let model = builder.build().unwrap();
    assert_eq!(model.velocity_names(), ["knee"]);
    assert_eq!(Dynamics::new(model).forward_dynamics(&[1.0]).unwrap(), [2.5]);
}

#[test]
fn references_are_for_single_coordinates_only() {
    // A planar, ball or floating joint is where its placement says at home, whatever its reference.
    for kind in [JointKind::Planar, JointKind::Ball, JointKind::Floating] {
        let mut joint = Joint::new("joint", kind);
        joint.reference = 0.7;
        let Ok(model) = build_with(vec![joint]) else { continue };
        let link = moving_links(&model)[0];
        assert_eq!(Dynamics::new(model).placement(link), Placement::IDENTITY, "{}", kind.name());
    }
}

// ---------------------------------------------------------------------------------------------------- states

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
    let (nq, nv) = (model.coordinates(), model.freedoms());
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
    let (nq, nv) = (model.coordinates(), model.freedoms());
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
    // A time that is not finite, or a step beyond all numbers, is refused; it is not answered by NaN or by some
    // rotation.
    let model = sound_model();
    let home = model.home().to_vec();
    let still = vec![0.0; model.freedoms()];
    let fast = vec![1e308; model.freedoms()];
    let slow = vec![0.3; model.freedoms()];
    let mut out = home.clone();
    for (v, dt) in [(&slow, f64::NAN), (&slow, f64::INFINITY), (&still, f64::NAN), (&fast, 1e10)] {
        let answer = model.integrate(&home, v, dt, &mut out);
        assert!(answer.is_err(), "v = {:e}, dt = {dt:e} leads to {out:?}", v[0]);
    }
}

#[test]
fn quaternions_are_of_length_one() {
    let model = sound_model();
    let nv = model.freedoms();
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
            says(&error, &[joint, "length", "1e-6"]);
            for error in [
                model.integrate(&q, &vec![0.0; nv], 0.1, &mut model.home().to_vec()).unwrap_err(),
                model.difference(&q, model.home(), &mut vec![0.0; nv]).unwrap_err(),
                model.configuration_rate(&q, &vec![0.0; nv], &mut model.home().to_vec()).unwrap_err(),
            ] {
                assert!(matches!(error, DynamicsError::NotUnit { .. }));
            }
        }
        // Seven digits of a file are enough.
        let mut q = model.home().to_vec();
        q[at..at + 4].copy_from_slice(&[0.182_574_2, 0.365_148_4, 0.547_722_6, 0.730_296_7]);
        dynamics.set_state(&q, &vec![0.0; nv]).unwrap();
    }
}

#[test]
fn a_refused_state_leaves_the_old_one() {
    for_cases(100, |rng| {
        let mut sample = Sample::random(rng, Options::ALL);
        let n = sample.freedoms();
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
        // Not even where nothing was kept from before.
        let mut fresh = Dynamics::new(Arc::clone(&sample.model));
        fresh.set_state(&sample.q, &sample.v).unwrap();
        fresh.set_state(&q, &v).unwrap_err();
        assert_eq!(answers(&mut fresh), before);
    });
}

/// Everything that solves with M.
fn singular_answers(dynamics: &mut Dynamics) -> Vec<(&'static str, Option<DynamicsError>)> {
    let model = Arc::clone(dynamics.model());
    let n = model.freedoms();
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
    // The joint that has nothing to move, or nothing about one of its directions.
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
            dynamics.set_state(&q, &numbers(&mut rng, model.freedoms(), 1.0)).unwrap();
            for (method, error) in singular_answers(&mut dynamics) {
                match &error {
                    Some(DynamicsError::Singular { joint, pivot }) if joint == "loose" && pivot.abs() < 1e-13 => {
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

// ---------------------------------------------------------------------------------------------------- warnings

fn warnings_of(inertia: Inertia) -> Vec<WarningKind> {
    let mut builder = ModelBuilder::new("model");
    let spec = LinkSpec::new("body").joint(Joint::new("free", JointKind::Floating)).inertia(inertia);
    builder.link(LinkId::WORLD, spec).unwrap();
    let model = builder.build().unwrap();
    for warning in model.warnings() {
        assert!(warning.message.contains("\"body\""), "{warning} does not name the link");
        says(warning, &[warning.kind.name()]);
        assert_eq!(warning.line, None);
    }
    model.warnings().iter().map(|warning| warning.kind).collect()
}

#[test]
fn doubtful_inertias_are_remarked_by_link() {
    let with = |mass: f64, moments: [f64; 3]| Inertia {
        mass,
        center: Vector::new(0.1, 0.2, 0.3),
        rotational: Symmetric::diagonal(moments),
    };
    let turned = |inertia: Inertia| {
        let turn = Rotation::about(Vector::new(0.6, 0.0, 0.8), 0.7);
        Inertia { rotational: inertia.rotational.rotated(&turn), ..inertia }
    };
    let cases = [
        (with(-1.0, [1.0, 1.0, 1.0]), vec![WarningKind::NegativeMass]),
        (with(1.0, [-0.1, 1.0, 1.0]), vec![WarningKind::NegativeInertia]),
        (with(1.0, [-0.3, -0.2, -0.1]), vec![WarningKind::NegativeInertia]),
        (with(1.0, [0.1, 0.2, 0.4]), vec![WarningKind::TriangleInequality]),
        (with(0.0, [1.0, 1.0, 1.0]), vec![WarningKind::InertiaWithoutMass]),
        (with(-1.0, [0.1, 0.2, 0.4]), vec![WarningKind::NegativeMass, WarningKind::TriangleInequality]),
        (with(1.0, [1.0, 1.0, 1.0]), vec![]),
        // A rod, a plate and a point.
        (with(1.0, [0.0, 0.5, 0.5]), vec![]),
        (with(1.0, [0.2, 0.3, 0.5]), vec![]),
        (with(1.0, [0.0; 3]), vec![]),
        // A plate to seven digits.
        (with(1.0, [0.2, 0.3, 0.500_000_1]), vec![]),
    ];
    for (inertia, expected) in cases {
        assert_eq!(warnings_of(inertia), expected, "{inertia:?}");
        assert_eq!(warnings_of(turned(inertia)), expected, "{inertia:?}, turned");
    }
    assert_eq!(warnings_of(Inertia::ZERO), [WarningKind::MasslessLink]);
}

#[test]
fn sound_models_have_no_warnings() {
    for_cases(200, |rng| {
        let sample = Sample::random(rng, Options::FREE);
        assert!(sample.model.warnings().is_empty(), "{:?}", sample.model.warnings());
    });
}

#[test]
fn joints_that_move_nothing_are_remarked() {
    for kind in [JointKind::Revolute, JointKind::Prismatic, JointKind::Planar, JointKind::Ball, JointKind::Floating] {
        let mut builder = ModelBuilder::new("model");
        let joint = Joint::new("loose", kind);
        let tip = builder.link(LinkId::WORLD, LinkSpec::new("tip").joint(joint.clone())).unwrap();
        builder.link(tip, LinkSpec::new("also nothing")).unwrap();
        let model = builder.build().unwrap();
        assert!(!model.warnings().is_empty());
        for warning in model.warnings() {
            assert_eq!(warning.kind, WarningKind::MasslessLink);
            says(warning, &["\"loose\"", "\"tip\"", "singular"]);
        }
        // With armature, or with something heavy further out, M is regular.
        let mut driven = joint.clone();
        driven.armature = 0.1;
        let mut builder = ModelBuilder::new("model");
        builder.link(LinkId::WORLD, LinkSpec::new("tip").joint(driven)).unwrap();
        assert!(builder.build().unwrap().warnings().is_empty());
        let mut builder = ModelBuilder::new("model");
        let tip = builder.link(LinkId::WORLD, LinkSpec::new("tip").joint(joint)).unwrap();
        builder.link(tip, LinkSpec::new("heavy").inertia(Inertia::ball(1.0, 1.0))).unwrap();
        assert!(builder.build().unwrap().warnings().is_empty());
    }
    // A fixed joint moves nothing either, and that is right.
    let mut builder = ModelBuilder::new("model");
    builder.link(LinkId::WORLD, LinkSpec::new("mark").joint(Joint::new("weld", JointKind::Fixed))).unwrap();
    assert!(builder.build().unwrap().warnings().is_empty());
}

#[test]
fn a_follower_without_mass_is_not_singular() {
    // Its leader carries the mass of both, or the other way round: M is one number, and positive.
    for heavy in [0, 1] {
        let mut builder = ModelBuilder::new("model");
        for (i, joint) in [Joint::new("lead", JointKind::Revolute), follower("follow", "lead")].into_iter().enumerate()
        {
            let inertia = if i == heavy { Inertia::ball(1.0, 1.0) } else { Inertia::ZERO };
            builder.link(LinkId::WORLD, LinkSpec::new(format!("link{i}")).joint(joint).inertia(inertia)).unwrap();
        }
        let model = builder.build().unwrap();
        let mut dynamics = Dynamics::new(model.clone());
        assert_eq!(dynamics.forward_dynamics(&[1.0]).unwrap(), [2.5]);
        assert!(model.warnings().is_empty(), "{:?}", model.warnings());
    }
}

// ---------------------------------------------------------------------------------------------------- garbage

fn garbage(rng: &mut Rng) -> f64 {
    match rng.u8(..16) {
        0 => f64::NAN,
        1 => BAD[rng.usize(..3)],
        2 => f64::MAX,
        3 => f64::MIN_POSITIVE,
        4 => 5e-324,
        5 => -0.0,
        6 => f64::from_bits(rng.u64(..)),
        7 => magnitude(rng, 1e-300, 1e300),
        8 => -magnitude(rng, 1e-300, 1e300),
        9..=10 => 0.0,
        _ => spread(rng, 2.0),
    }
}

/// Mostly finite, so that some of it gets through.
fn rubble(rng: &mut Rng) -> f64 {
    let value = garbage(rng);
    if value.is_finite() || rng.u8(..20) == 0 { value } else { 1.0 }
}

fn rubble_vector(rng: &mut Rng) -> Vector {
    Vector::new(rubble(rng), rubble(rng), rubble(rng))
}

fn rubble_placement(rng: &mut Rng) -> Placement {
    let rotation = if rng.bool() { rotation(rng) } else { Rotation { columns: [(); 3].map(|()| rubble_vector(rng)) } };
    Placement::new(rotation, rubble_vector(rng))
}

fn rubble_joint(rng: &mut Rng, names: usize) -> Joint {
    let kinds = [
        JointKind::Fixed,
        JointKind::Revolute,
        JointKind::Continuous,
        JointKind::Prismatic,
        JointKind::Planar,
        JointKind::Ball,
        JointKind::Floating,
    ];
    let kind = kinds[rng.usize(..7)];
    let mut joint = Joint::new(format!("j{}", rng.usize(..names)), kind).along(rubble_vector(rng));
    joint.anchor = rubble_vector(rng);
    joint.reference = rubble(rng);
    joint.armature = rubble(rng).abs();
    joint.damping = rubble(rng).abs();
    joint.dry_friction = rubble(rng).abs();
    if rng.u8(..4) == 0 {
        joint.limits = Some([rubble(rng), rubble(rng)]);
    }
    if rng.u8(..4) == 0 {
        joint.spring = Some(Spring { stiffness: rubble(rng), rest: rubble(rng) });
    }
    if rng.u8(..4) == 0 {
        let length = if rng.u8(..4) == 0 { rng.usize(..9) } else { kind.coordinates() };
        joint.home = Some((0..length).map(|_| rubble(rng)).collect());
    }
    if rng.u8(..4) == 0 {
        let leader = format!("j{}", rng.usize(..names));
        joint.mimic = Some(Mimic { leader, multiplier: rubble(rng), offset: rubble(rng) });
    }
    joint
}

#[test]
fn nothing_panics_on_garbage() {
    let (mut built, mut asked) = (0, 0);
    for_cases(3000, |rng| {
        let mut builder = ModelBuilder::new("rubble");
        builder.gravity(rubble_vector(rng));
        let mut ids = vec![LinkId::WORLD];
        for i in 0..rng.usize(1..6) {
            let mut spec = LinkSpec::new(format!("l{}", if rng.u8(..10) == 0 { 0 } else { i }));
            spec.placement = rubble_placement(rng);
            spec.inertia = Inertia {
                mass: rubble(rng),
                center: rubble_vector(rng),
                rotational: Symmetric::new([(); 6].map(|()| rubble(rng))),
            };
            for _ in 0..rng.usize(..3) {
                spec.joints.push(rubble_joint(rng, 30));
            }
            let parent = ids[rng.usize(..ids.len())];
            match builder.link(parent, spec) {
                Ok(id) => ids.push(id),
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
        let _ = builder.frame("frame", ids[rng.usize(..ids.len())], rubble_placement(rng));
        let model = match builder.build() {
            Ok(model) => Arc::new(model),
            Err(error) => {
                assert!(!error.to_string().is_empty());
                return;
            }
        };
        built += 1;
        let _ = (model.plane(), model.velocity_names(), model.moving_mass());
        for warning in model.warnings() {
            assert!(!warning.to_string().is_empty());
        }
        let mut dynamics = Dynamics::new(Arc::clone(&model));
        let (nq, n) = (model.coordinates(), model.freedoms());
        let links = moving_links(&model);
        for _ in 0..4 {
            let mut q: Vec<f64> = (0..nq).map(|_| rubble(rng)).collect();
            let _ = model.normalize(&mut q);
            let v: Vec<f64> = (0..n).map(|_| rubble(rng)).collect();
            asked += usize::from(dynamics.set_state(&q, &v).is_ok());
            let (mut q_out, mut v_out) = (vec![0.0; nq], vec![0.0; n]);
            let _ = model.integrate(&q, &v, garbage(rng), &mut q_out);
            let _ = model.difference(&q, &q_out, &mut v_out);
            let _ = model.configuration_rate(&q, &v, &mut q_out);
            let force: Vec<f64> = (0..n).map(|_| rubble(rng)).collect();
            dynamics.mass_matrix();
            dynamics.bias();
            let _ = dynamics.inverse_dynamics(&force);
            let _ = dynamics.forward_dynamics(&force);
            let _ = dynamics.solve_mass(&mut v_out);
            let _ = (dynamics.kinetic_energy(), dynamics.potential_energy());
            let link = if links.is_empty() { LinkId::WORLD } else { links[rng.usize(..links.len())] };
            let _ = (dynamics.placement(link), dynamics.point_velocity(link, rubble_vector(rng)));
            let contact = ContactPoint::new(&model, link, rubble_vector(rng), rubble_vector(rng));
            if let Ok(contact) = contact.map(|contact| contact.with_dimension(rng.usize(..5))) {
                let mut contacts = Contacts::new(&model, &[contact, contact]);
                let _ = dynamics.contact_terms(&mut contacts);
                let _ = dynamics.single_contact(&contact);
                let impulse: Vec<f64> = (0..contact.dimension()).map(|_| rubble(rng)).collect();
                let _ = dynamics.impulse_response(&contact, &impulse, &mut v_out);
                dynamics.contact_position(&contact);
            }
        }
    });
    println!("garbage: {built} models built, {asked} states taken");
    assert!(built > 0 && asked > 0);
}

#[test]
fn models_without_bounds_are_refused() {
    let mut builder = ModelBuilder::new("chain");
    let mut parent = LinkId::WORLD;
    let refused = (0..30_000).find_map(|i| match builder.link(parent, LinkSpec::new(format!("link {i}"))) {
        Ok(link) => {
            parent = link;
            None
        }
        Err(error) => Some((i, error)),
    });
    let (count, error) = refused.unwrap();
    assert_eq!(count, 20_000);
    says(&error, &["more than 20000 links"]);

    let mut builder = ModelBuilder::new("cloud");
    for i in 0..5001 {
        let joint = Joint::new(format!("joint {i}"), JointKind::Prismatic);
        builder.link(LinkId::WORLD, LinkSpec::new(format!("link {i}")).joint(joint)).unwrap();
    }
    says(&builder.build().unwrap_err(), &["more than 5000 degrees of freedom"]);
}
