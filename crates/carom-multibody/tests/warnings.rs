//! Warnings about models, and that nothing panics.

mod common;

use std::sync::Arc;

use carom_multibody::{
    ContactPoint, Contacts, Dynamics, Inertia, Joint, JointKind, LinkId, LinkSpec, Mimic, ModelBuilder, Placement,
    Rotation, Spring, Symmetric, Vector, WarningKind,
};
use common::refusals::*;
use common::*;
use fastrand::Rng;

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
    // A fixed joint moves nothing either, which is correct.
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

/// Mostly finite, so that some cases are accepted.
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
    let kind = JOINT_KINDS[rng.usize(..7)];
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
        let length = if rng.u8(..4) == 0 { rng.usize(..9) } else { kind.nq() };
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
        let (nq, n) = (model.nq(), model.nv());
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
