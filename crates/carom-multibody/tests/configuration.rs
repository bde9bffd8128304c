//! Integration of velocities on the configuration manifold, and its inverse.

mod common;

use std::f64::consts::PI;

use carom_multibody::{Inertia, Joint, JointKind, LinkId, LinkSpec, Model, ModelBuilder, Quaternion, Vector};
use common::*;
use fastrand::Rng;

/// One link for each kind of joint, each on the world.
fn all_kinds() -> Model {
    let mut builder = ModelBuilder::new("kinds");
    for kind in JOINT_KINDS {
        let spec = LinkSpec::new(kind.name()).joint(Joint::new(kind.name(), kind)).inertia(Inertia::ball(1.0, 1.0));
        builder.link(LinkId::WORLD, spec).unwrap();
    }
    builder.build().unwrap()
}

fn integrate(model: &Model, q: &[f64], v: &[f64], dt: f64) -> Vec<f64> {
    let mut out = vec![f64::NAN; model.nq()];
    model.integrate(q, v, dt, &mut out).unwrap();
    out
}

fn difference(model: &Model, from: &[f64], to: &[f64]) -> Vec<f64> {
    let mut out = vec![f64::NAN; model.nv()];
    model.difference(from, to, &mut out).unwrap();
    out
}

/// A velocity that turns each ball and floating joint by an angle below π: tiny, small, any, and all but half a turn.
fn velocity(model: &Model, rng: &mut Rng) -> Vec<f64> {
    let mut v = numbers(rng, model.nv(), 3.0);
    for joint in model.joints().iter().filter(|joint| joint.joint.mimic.is_none()) {
        let start = match joint.joint.kind {
            JointKind::Ball => joint.velocities.start,
            JointKind::Floating => joint.velocities.start + 3,
            _ => continue,
        };
        let angle = match rng.u8(..6) {
            0 => 0.0,
            1 => magnitude(rng, 1e-300, 1e-9),
            2 => magnitude(rng, 1e-9, 0.04),
            // On both sides of the place where series take over.
            3 => 0.05 + spread(rng, 1e-3),
            4 => PI - magnitude(rng, 1e-6, 1e-1),
            _ => PI * rng.f64() * 0.99,
        };
        let turn = angle * if rng.bool() { coordinate_axis(rng) } else { direction(rng) };
        v[start..start + 3].copy_from_slice(&turn.to_array());
    }
    v
}

/// The distance of two configurations, quaternions up to their sign.
fn gap(model: &Model, a: &[f64], b: &[f64]) -> f64 {
    let mut largest = 0.0_f64;
    for joint in model.joints().iter().filter(|joint| joint.joint.mimic.is_none()) {
        let (a, b) = (&a[joint.coordinates.clone()], &b[joint.coordinates.clone()]);
        let plain = match joint.joint.kind {
            JointKind::Ball => 0,
            JointKind::Floating => 3,
            _ => a.len(),
        };
        let sign = if dot(&a[plain..], &b[plain..]) < 0.0 { -1.0 } else { 1.0 };
        for i in 0..a.len() {
            let other = if i < plain { b[i] } else { sign * b[i] };
            let error = (a[i] - other).abs();
            assert!(!error.is_nan());
            largest = largest.max(error);
        }
    }
    largest
}

#[test]
fn difference_undoes_integrate_on_all_joint_kinds() {
    // Quaternions have an error of an ulp in each component, angles and screws a few of them. Close to half a turn
    // the screw's inverse stays well posed: its factor is π/2 at most.
    let mut absolute = Gauge::new("difference of integrate", 2e-14);
    let mut small = Gauge::new("difference of a small step", 1e-14);
    for_cases(1000, |rng| {
        let model = if rng.bool() { all_kinds() } else { Sketch::random(rng, Options::ALL).build() };
        let q = configuration(&model, rng);
        let v = velocity(&model, rng);
        let to = integrate(&model, &q, &v, 1.0);
        let back = difference(&model, &q, &to);
        absolute.compare(&back, &v, |_| 10.0);

        // Coordinates up to π keep 4e-16 of a step, however small.
        let tiny = magnitude(rng, 1e-8, 1e-1);
        let to = integrate(&model, &q, &v, tiny);
        let back: Vec<f64> = difference(&model, &q, &to).iter().map(|x| x / tiny).collect();
        small.compare(&back, &v, |_| 10.0 + 1.0 / tiny);
    });
}

#[test]
fn integrate_undoes_difference_between_any_two_configurations() {
    let mut gauge = Gauge::new("integrate of difference", 1e-14);
    for_cases(1000, |rng| {
        let model = if rng.bool() { all_kinds() } else { Sketch::random(rng, Options::ALL).build() };
        let (from, to) = (configuration(&model, rng), configuration(&model, rng));
        let v = difference(&model, &from, &to);
        gauge.see(gap(&model, &integrate(&model, &from, &v, 1.0), &to), 4.0);
        for joint in model.joints().iter().filter(|joint| joint.joint.mimic.is_none()) {
            let turn = match joint.joint.kind {
                JointKind::Ball => joint.velocities.start,
                JointKind::Floating => joint.velocities.start + 3,
                _ => continue,
            };
            let angle = Vector::new(v[turn], v[turn + 1], v[turn + 2]).norm();
            assert!(angle <= PI * (1.0 + 1e-15), "the shorter turn, not {angle}");
        }
        // A quaternion of length one but for an ulp leads to itself by a turn of that size.
        assert!(largest(&difference(&model, &from, &from)) < 1e-15);
    });
}

#[test]
fn half_turns_and_negated_quaternions_are_found() {
    let model = all_kinds();
    let home = model.home().to_vec();
    for axis in [X, Y, Z, Vector::new(0.6, 0.0, -0.8)] {
        let place = model.find_joint("ball").unwrap();
        let (at, own) = (place.coordinates.start, place.velocities.start);
        let mut to = home.clone();
        to[at..at + 4].copy_from_slice(&[0.0, axis.x(), axis.y(), axis.z()]);
        let v = difference(&model, &home, &to);
        let turn = Vector::new(v[own], v[own + 1], v[own + 2]);
        assert!((turn.norm() - PI).abs() < 1e-15, "{turn:?}");
        assert!(turn.cross(axis).norm() < 1e-15);
        // The same rotation given by the opposite quaternion is no motion.
        let negated: Vec<f64> =
            to.iter().enumerate().map(|(i, x)| if i >= at && i < at + 4 { -x } else { *x }).collect();
        assert!(largest(&difference(&model, &to, &negated)) < 1e-15);
    }
}

#[test]
fn constant_velocity_in_substeps_is_one_step() {
    // A constant twist is a screw: its steps commute. Each step adds some ulp.
    let mut gauge = Gauge::new("substeps", 2e-16 * 4.0);
    for_cases(300, |rng| {
        let model = if rng.bool() { all_kinds() } else { Sketch::random(rng, Options::ALL).build() };
        let start = configuration(&model, rng);
        let v = velocity(&model, rng);
        let steps = 1 + rng.usize(..100);
        let dt = magnitude(rng, 1e-3, 3.0);
        let mut q = start.clone();
        for _ in 0..steps {
            q = integrate(&model, &q, &v, dt / steps as f64);
        }
        let whole = integrate(&model, &start, &v, dt);
        gauge.see(gap(&model, &q, &whole), (steps as f64 + 4.0) * (1.0 + dt) * 4.0);
        // And back.
        let back = integrate(&model, &whole, &v, -dt);
        gauge.see(gap(&model, &back, &start), (1.0 + dt) * 10.0);
    });
}

#[test]
fn floating_joint_moves_on_a_screw() {
    // Turning by ω about z and moving at v along x in the link's axes: a circle of radius v/ω.
    let model = all_kinds();
    let place = model.find_joint("floating").unwrap();
    let (at, own) = (place.coordinates.start, place.velocities.start);
    let (speed, omega, climb) = (0.7, 1.3, 0.2);
    let mut v = vec![0.0; model.nv()];
    v[own] = speed;
    v[own + 2] = climb;
    v[own + 5] = omega;
    for dt in [1e-9, 1e-3, 0.03, 0.04, 1.0, 2.0, 5.0] {
        let q = integrate(&model, model.home(), &v, dt);
        let angle = omega * dt;
        let radius = speed / omega;
        let expected = [
            radius * angle.sin(),
            // 1 - cos without the loss of digits.
            radius * 2.0 * (0.5 * angle).sin().powi(2),
            climb * dt,
            (0.5 * angle).cos(),
            0.0,
            0.0,
            (0.5 * angle).sin(),
        ];
        for (x, y) in q[at..at + 7].iter().zip(expected) {
            assert!((x - y).abs() <= 4e-16 * (1.0 + dt), "{dt}: {q:?} {expected:?}");
        }
    }
}

#[test]
fn configuration_rate_is_the_derivative_of_integrate() {
    let mut gauge = Gauge::new("configuration rate by differences", 1e-12);
    let mut length = Gauge::new("rate along the quaternion", 1e-15);
    for_cases(500, |rng| {
        let model = if rng.bool() { all_kinds() } else { Sketch::random(rng, Options::ALL).build() };
        let q = configuration(&model, rng);
        let v = numbers(rng, model.nv(), 2.0);
        let mut rate = vec![f64::NAN; model.nq()];
        model.configuration_rate(&q, &v, &mut rate).unwrap();
        let differences = derivative(0.01, |t| integrate(&model, &q, &v, t));
        gauge.compare(&rate, &differences, |_| 10.0);
        for joint in model.joints().iter().filter(|joint| joint.joint.mimic.is_none()) {
            let at = match joint.joint.kind {
                JointKind::Ball => joint.coordinates.start,
                JointKind::Floating => joint.coordinates.start + 3,
                _ => continue,
            };
            length.see(dot(&q[at..at + 4], &rate[at..at + 4]).abs(), 4.0);
        }
    });
}

/// |q|² - 1, each square with its rounding error.
fn excess(q: &[f64]) -> f64 {
    let squares: Vec<(f64, f64)> = q.iter().map(|x| (x * x, x.mul_add(*x, -(x * x)))).collect();
    // Starting at -1 no significant digits are lost: partial sums are below 1.
    squares.iter().fold(-1.0, |sum, (square, _)| sum + square) + squares.iter().map(|(_, rest)| rest).sum::<f64>()
}

#[test]
fn quaternions_stay_of_length_one_over_many_steps() {
    let model = all_kinds();
    let mut rng = Rng::with_seed(11);
    let mut q = model.home().to_vec();
    let mut out = q.clone();
    let mut worst = 0.0_f64;
    for _ in 0..100_000 {
        let v = numbers(&mut rng, model.nv(), 5.0);
        model.integrate(&q, &v, 0.01, &mut out).unwrap();
        std::mem::swap(&mut q, &mut out);
        for (name, offset) in [("ball", 0), ("floating", 3)] {
            let at = model.find_joint(name).unwrap().coordinates.start + offset;
            // |q| - 1 is half of |q|² - 1.
            worst = worst.max(0.5 * excess(&q[at..at + 4]).abs());
        }
    }
    println!("length of quaternions: largest {worst:.1e}");
    assert!(worst <= 1e-15, "{worst:e}");
}

#[test]
fn normalize_brings_quaternions_back_and_touches_nothing_else() {
    for_cases(300, |rng| {
        let model = if rng.bool() { all_kinds() } else { Sketch::random(rng, Options::ALL).build() };
        let q = configuration(&model, rng);
        let mut stretched = q.clone();
        for joint in model.joints().iter().filter(|joint| joint.joint.mimic.is_none()) {
            let at = match joint.joint.kind {
                JointKind::Ball => joint.coordinates.start,
                JointKind::Floating => joint.coordinates.start + 3,
                _ => continue,
            };
            let factor = magnitude(rng, 1e-290, 1e290);
            stretched[at..at + 4].iter_mut().for_each(|x| *x *= factor);
        }
        let before = stretched.clone();
        assert!(model.normalize(&mut stretched));
        for (i, (a, b)) in stretched.iter().zip(&q).enumerate() {
            if before[i] == *b {
                assert!((a - b).abs() <= f64::EPSILON, "{i}: {a} {b}");
            }
            assert!((a - b).abs() < 1e-15, "{i}: {a} {b}");
        }
        // What is normalised is a state.
        integrate(&model, &stretched, &vec![0.0; model.nv()], 1.0);
    });
}

#[test]
fn normalize_says_where_there_is_no_direction() {
    let model = all_kinds();
    let at = model.find_joint("ball").unwrap().coordinates.start;
    for bad in [[0.0; 4], [f64::NAN, 0.0, 0.0, 1.0], [f64::INFINITY, 0.0, 0.0, 0.0]] {
        let mut q = model.home().to_vec();
        q[at..at + 4].copy_from_slice(&bad);
        assert!(!model.normalize(&mut q), "{bad:?}");
    }
    assert!(!model.normalize(&mut []));
    let mut long = model.home().to_vec();
    long.push(0.0);
    assert!(!model.normalize(&mut long));
}

#[test]
fn mimics_have_no_numbers_of_their_own() {
    for_cases(200, |rng| {
        let sketch = Sketch::random(rng, Options::ALL);
        let model = sketch.build();
        let own = |joint: &&carom_multibody::ModelJoint| joint.joint.mimic.is_none();
        let coordinates: usize = model.joints().iter().filter(own).map(|joint| joint.joint.kind.nq()).sum();
        let nv: usize = model.joints().iter().filter(own).map(|joint| joint.joint.kind.nv()).sum();
        assert_eq!((model.nq(), model.nv()), (coordinates, nv));
        assert_eq!(model.velocity_names().len(), nv);
        let q = configuration(&model, rng);
        let v = numbers(rng, nv, 1.0);
        // Every number is written.
        assert!(integrate(&model, &q, &v, 0.1).iter().all(|x| x.is_finite()));
        let mut rate = vec![f64::NAN; coordinates];
        model.configuration_rate(&q, &v, &mut rate).unwrap();
        assert!(rate.iter().all(|x| x.is_finite()));
    });
}

#[test]
fn exponential_and_logarithm_agree_with_turns_about_an_axis() {
    for_cases(1000, |rng| {
        let axis = direction(rng);
        let angle = spread(rng, PI * 0.999);
        let turn = Quaternion::exp(angle * axis);
        let expected = Quaternion::about(axis, angle);
        for (a, b) in turn.to_array().into_iter().zip(expected.to_array()) {
            assert!((a - b).abs() < 1e-15);
        }
        assert!((turn.log() - angle * axis).norm() < 4e-15);
    });
}
