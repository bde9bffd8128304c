//! The errors of the builder.

mod common;

use carom_multibody::{
    BuildError, Dynamics, Inertia, Joint, JointKind, LinkId, LinkSpec, Mimic, ModelBuilder, Placement, Rotation,
    Spring, Symmetric, Vector,
};
use common::refusals::*;
use common::*;

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
    // A kind without an axis ignores it.
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
        let still = vec![0.0; model.nv()];
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
    // The corrected link.
    let mended = LinkSpec::new("arm").joint(sound()).inertia(Inertia::ball(1.0, 1.0));
    let arm = builder.link(LinkId::WORLD, mended);
    assert!(arm.is_ok(), "the name of a rejected link is still in use: {arm:?}");
    assert_eq!(builder.frame("tip", LinkId::WORLD, Placement::IDENTITY), Ok(()));
    let model = builder.build().unwrap();
    assert_eq!(model.nv(), 1);
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
