//! Springs, damping and limits of joints, including mimics.

mod common;

use carom_multibody::{Contacts, Joint, JointKind, JointLimit, LimitSide, Mimic, Spring, WarningKind, joint_limits};
use common::*;
use fastrand::Rng;

/// A sample whose joints have springs, damping and limits.
fn sample(rng: &mut Rng) -> Sample {
    let plain = Sample::random(rng, Options::ALL);
    let mut sketch = plain.sketch;
    for joint in sketch.links.iter_mut().flat_map(|(_, spec)| &mut spec.joints) {
        if rng.bool() {
            joint.damping = magnitude(rng, 0.1, 10.0);
        }
        if joint.kind.is_single() && rng.bool() {
            joint.spring = Some(Spring { stiffness: magnitude(rng, 0.1, 100.0), rest: spread(rng, 1.0) });
        }
        if joint.kind.is_single() && rng.bool() {
            let infinite = rng.u8(..4) == 0;
            joint.limits = Some([spread(rng, 1.0), if infinite { f64::INFINITY } else { 1.0 + rng.f64() }]);
        }
    }
    Sample::new(sketch, plain.q, plain.v)
}

#[test]
fn springs_push_down_their_energy_and_damping_takes_its_power() {
    // Power of the passive forces = -d/dt spring energy - damping power; each along a motion of the joints.
    let mut energy = Gauge::new("power of springs by differences", 1e-12);
    let mut power = Gauge::new("power of damping", 1e-14);
    for_cases(150, |rng| {
        let mut sample = sample(rng);
        let n = sample.nv();
        let mut force = vec![f64::NAN; n];
        sample.dynamics.passive_forces(&mut force).unwrap();
        let stored = sample.dynamics.spring_energy();
        let taken = sample.dynamics.damping_power();
        assert!(stored >= 0.0 && taken >= 0.0);
        // By the joints' own coordinates, from what was stated.
        let (mut expected_energy, mut expected_power) = (0.0, 0.0);
        for joint in sample.model.joints().iter().filter(|joint| joint.joint.kind.nv() > 0) {
            let (_, multiplier, offset) = sample.sketch.follows(&joint.joint);
            let rates = &sample.v[joint.velocities.clone()];
            expected_power += joint.joint.damping * multiplier * multiplier * dot(rates, rates);
            if let Some(Spring { stiffness, rest }) = joint.joint.spring {
                let x = multiplier * sample.q[joint.coordinates.start] + offset;
                expected_energy += 0.5 * stiffness * (x - rest) * (x - rest);
            }
        }
        power.see((taken - expected_power).abs(), 1.0 + expected_power);
        power.see((stored - expected_energy).abs(), 1.0 + expected_energy);
        let zero = vec![0.0; n];
        let h = sample.step();
        let rate = derivative(h, |t| {
            sample.set_along(&zero, t);
            vec![sample.dynamics.spring_energy()]
        });
        let scale = 1.0 + (stored + taken) * 0.03 / h;
        energy.see((dot(&force, &sample.v) + taken + rate[0]).abs(), scale);
        assert!(sample.dynamics.passive_forces(&mut vec![0.0; n + 1]).is_err());
    });
}

/// Limits are listed in the order of the joints: the names in the header of a run are in this order.
#[test]
fn limits_are_not_shuffled_but_in_the_order_of_the_joints_the_lower_one_first() {
    for_cases(150, |rng| {
        let limits = joint_limits(&sample(rng).model);
        let places: Vec<_> = limits.iter().map(|limit| (limit.joint, limit.side == LimitSide::Upper)).collect();
        assert!(places.is_sorted(), "{places:?}");
    });
}

#[test]
fn limits_are_gaps_of_the_joints_own_coordinates() {
    let mut gauge = Gauge::new("gaps of limits", 1e-14);
    let mut rates = Gauge::new("rates of gaps by differences", 1e-12);
    for_cases(150, |rng| {
        let mut sample = sample(rng);
        let limits = joint_limits(&sample.model);
        let stated = sample.model.joints().iter().flat_map(|joint| joint.joint.limits.into_iter().flatten());
        assert_eq!(limits.len(), stated.filter(|bound| bound.is_finite()).count());
        for limit in &limits {
            let joint = &sample.model.joints()[limit.joint];
            let (leader, multiplier, offset) = sample.sketch.follows(&joint.joint);
            let leader = sample.model.find_joint(&leader).unwrap();
            assert_eq!((limit.coordinate, limit.velocity), (leader.coordinates.start, leader.velocities.start));
            let x = multiplier * sample.q[limit.coordinate] + offset;
            let [lower, upper] = joint.joint.limits.unwrap();
            let (bound, gap) = match limit.side {
                LimitSide::Lower => (lower, x - lower),
                LimitSide::Upper => (upper, upper - x),
            };
            assert_eq!(limit.bound, bound);
            gauge.see((limit.gap(&sample.q) - gap).abs(), 1.0 + x.abs() + bound.abs());
            assert_eq!(sample.dynamics.limit_gap(limit), (limit.gap(&sample.q), limit.rate(&sample.v)));
        }
        let mut terms = Contacts::with_limits(&sample.model, &[], &limits);
        sample.dynamics.contact_terms(&mut terms).unwrap();
        assert_eq!(terms.limits(), &limits[..]);
        assert!(terms.drift().iter().all(|drift| *drift == 0.0));
        let (h, zero) = (sample.step(), vec![0.0; sample.nv()]);
        let differences = derivative(h, |t| {
            sample.set_along(&zero, t);
            limits.iter().map(|limit| sample.dynamics.limit_gap(limit).0).collect()
        });
        for (k, limit) in limits.iter().enumerate() {
            let row = terms.jacobian().row(k);
            assert!(row.iter().enumerate().all(|(i, entry)| (*entry != 0.0) == (i == limit.velocity)));
            assert_eq!(row[limit.velocity], limit.entry());
            assert_eq!(terms.velocity()[k], limit.rate(&sample.v));
            rates.see((terms.velocity()[k] - differences[k]).abs(), 0.03 / h);
        }
    });
}

#[test]
fn what_a_motion_leaves_out_is_named() {
    let mut sketch = Sketch { gravity: Z, links: Vec::new() };
    let mut rng = Rng::with_seed(3);
    let mut sticky = Joint::new("sticky", JointKind::Revolute);
    sticky.dry_friction = 0.25;
    let mut swivel = Joint::new("swivel", JointKind::Ball);
    swivel.spring = Some(Spring { stiffness: 2.0, rest: 0.0 });
    let mut welded = Joint::new("welded", JointKind::Fixed);
    welded.dry_friction = 1.0;
    for (parent, joint) in [sticky, swivel, welded, Joint::new("plain", JointKind::Prismatic)].into_iter().enumerate() {
        let spec = carom_multibody::LinkSpec::new(joint.name.clone()).joint(joint).inertia(inertia(&mut rng));
        sketch.links.push((parent, spec));
    }
    let model = sketch.build();
    let warnings = model.motion_warnings();
    assert!(warnings.iter().all(|warning| warning.kind == WarningKind::NotModelled));
    let messages: Vec<&str> = warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert_eq!(messages, ["joint \"swivel\" has a spring, which is not modelled on a ball joint"]);
    // Dry friction is: that of a joint which cannot move has no rows.
    let frictions = carom_multibody::joint_frictions(&model);
    assert_eq!(frictions.len(), 1);
    assert_eq!((frictions[0].velocity, frictions[0].bound), (0, 0.25));
    assert_eq!(carom_multibody::Dynamics::new(model).spring_energy(), 0.0);
}

#[test]
fn a_follower_that_does_not_move_has_no_limits() {
    let mut sketch = Sketch { gravity: Z, links: Vec::new() };
    let mut rng = Rng::with_seed(3);
    let mut leader = Joint::new("leader", JointKind::Revolute);
    leader.limits = Some([-1.0, 2.0]);
    let mut follower = Joint::new("follower", JointKind::Prismatic);
    follower.limits = Some([0.0, 1.0]);
    for multiplier in [0.0, -3.0] {
        follower.mimic = Some(Mimic { leader: "leader".to_owned(), multiplier, offset: 0.5 });
        sketch.links.clear();
        for (parent, joint) in [follower.clone(), leader.clone()].into_iter().enumerate() {
            let spec = carom_multibody::LinkSpec::new(joint.name.clone()).joint(joint).inertia(inertia(&mut rng));
            sketch.links.push((parent, spec));
        }
        let limits = joint_limits(&sketch.build());
        let of_follower: Vec<&JointLimit> = limits.iter().filter(|limit| limit.joint == 0).collect();
        assert_eq!(limits.len() - of_follower.len(), 2);
        if multiplier == 0.0 {
            assert!(of_follower.is_empty());
        } else {
            assert_eq!(of_follower.iter().map(|limit| limit.entry()).collect::<Vec<_>>(), [-3.0, 3.0]);
            // x = -3 q + 0.5
            assert_eq!(of_follower.iter().map(|limit| limit.gap(&[0.125])).collect::<Vec<_>>(), [0.125, 0.875]);
        }
    }
}
