//! Identities that hold for every mechanism in every state.
//!
//! Errors are judged relative to a norm that each test states. Velocities are compared after multiplication with
//! √Mᵢᵢ and forces after division by it, so that metres and radians, light and heavy links count alike. Where M⁻¹ acts,
//! rounding errors of n ε, 1e-14 for the largest trees here, grow by the condition of M with unit diagonal, and so does
//! the bound.

mod common;

use carom_multibody::{Contacts, Dynamics, LinkId, Vector};
use common::scales::*;
use common::*;

#[test]
fn kinetic_energy_is_that_of_the_links_and_half_v_m_v() {
    // Relative to Σ |vᵢ Mᵢⱼ vⱼ|: sums of some hundred terms of that size, each with a few roundings.
    let mut by_matrix = Gauge::new("K = v M v / 2", 1e-14);
    let mut by_links = Gauge::new("K = sum over links", 1e-14);
    let mut potential = Gauge::new("P = sum over links", 1e-14);
    for_cases(400, |rng| {
        let mut sample = Sample::random(rng, Options::ALL);
        let kinetic = sample.dynamics.kinetic_energy();
        let scale = absolute(&sample.v, &sample.mass, &sample.v);
        by_matrix.see((kinetic - 0.5 * dot(&sample.v, &apply(&sample.mass, &sample.v))).abs(), scale);

        let (mut sum, mut heights, mut heights_scale) = (0.0, 0.0, 0.0);
        for link in moving_links(&sample.model) {
            if is_moving(&sample.model, link) {
                let motion = motion(&mut sample.dynamics, link);
                sum += motion.kinetic;
                heights += motion.potential;
                let inertia = sample.model.link(link).inertia;
                let place = sample.dynamics.placement(link);
                heights_scale += inertia.mass
                    * sample.model.gravity().norm()
                    * (place.translation.norm() + inertia.center.norm() + 1.0);
            }
        }
        for joint in sample.model.joints() {
            let (_, multiplier, _) = sample.sketch.follows(&joint.joint);
            let rates = &sample.v[joint.freedoms.clone()];
            sum += 0.5 * joint.joint.armature * multiplier * multiplier * dot(rates, rates);
        }
        by_links.see((kinetic - sum).abs(), scale);
        potential.see((sample.dynamics.potential_energy() - heights).abs(), heights_scale);
    });
}

#[test]
fn mass_matrix_is_symmetric_positive_definite_and_has_inverse_dynamics_for_columns() {
    // Without motion and gravity a column of inverse dynamics is one of M, both computed by sums along the tree:
    // relative to √(Mᵢᵢ Mⱼⱼ). With them h is added and taken away: relative to its parts too.
    let mut at_rest = Gauge::new("M by columns at rest", 3e-13);
    let mut moving = Gauge::new("M by columns in motion", 1e-14);
    for_cases(400, |rng| {
        let mut sample = Sample::random(rng, Options::ALL);
        let n = sample.nv();
        let m = sample.mass.clone();
        for i in 0..n {
            for j in 0..n {
                assert_eq!(m[i][j], m[j][i], "symmetric to the last bit");
            }
        }
        if n > 0 {
            assert!(eigenvalues(&equilibrated(&m))[0] > 0.0);
        }

        let weightless = sample.sketch.build().with_gravity([0.0; 3]);
        let mut still = Dynamics::new(weightless);
        still.set_state(&sample.q, &vec![0.0; n]).unwrap();
        let bias = sample.dynamics.bias().to_vec();
        let h = inverse_scale(&mut sample, &vec![0.0; n]);
        assert_eq!(still.bias(), vec![0.0; n], "nothing moves and nothing falls");
        for j in 0..n {
            let mut unit = vec![0.0; n];
            unit[j] = 1.0;
            let column = still.inverse_dynamics(&unit).unwrap().to_vec();
            let s = sample.scale.clone();
            at_rest.compare(&column, &m[j], |i| s[i] * s[j]);
            let column = sample.dynamics.inverse_dynamics(&unit).unwrap();
            let column: Vec<f64> = column.iter().zip(&bias).map(|(force, h)| force - h).collect();
            moving.compare(&column, &m[j], |i| s[i] * (s[j] + h));
        }
        // Inverse dynamics without acceleration is the bias, bit by bit.
        assert_eq!(sample.dynamics.inverse_dynamics(&vec![0.0; n]).unwrap(), bias);
    });
}

#[test]
fn forward_and_inverse_dynamics_undo_each_other_and_agree_with_a_dense_solve() {
    // Relative to the largest parts of M v̇ + h, in √J/s. An acceleration is recovered to rounding of forces times the
    // condition of M. A force comes back from an acceleration that is itself too large by up to that condition, in
    // directions in which M is small: the root of it is left.
    let mut forces = Gauge::new("inverse of forward = 1, over root of condition", 3e-15);
    let mut accelerations = Gauge::new("forward of inverse = 1, over condition", 3e-15);
    let mut dense = Gauge::new("forward = dense solve, over condition", 3e-15);
    let mut solved = Gauge::new("solve_mass = dense solve, over condition", 3e-15);
    let mut residual = Gauge::new("M x - b of solve_mass", 1e-14);
    for_cases(400, |rng| {
        let mut sample = Sample::random(rng, Options::ALL);
        let n = sample.nv();
        let s = sample.scale.clone();
        let a: Vec<f64> = numbers(rng, n, 10.0).iter().zip(&s).map(|(a, s)| a / s).collect();
        let scale = inverse_scale(&mut sample, &a);

        let force = sample.dynamics.inverse_dynamics(&a).unwrap().to_vec();
        let back = sample.dynamics.forward_dynamics(&force).unwrap().to_vec();
        accelerations.compare(&back, &a, |i| sample.condition * scale / s[i]);

        let tau: Vec<f64> = numbers(rng, n, 10.0).iter().zip(&s).map(|(f, s)| f * s).collect();
        let acceleration = sample.dynamics.forward_dynamics(&tau).unwrap().to_vec();
        let scale = inverse_scale(&mut sample, &acceleration) + sample.force_size(&tau);
        let back = sample.dynamics.inverse_dynamics(&acceleration).unwrap().to_vec();
        forces.compare(&back, &tau, |i| s[i] * sample.condition.sqrt() * scale);

        let bias = sample.dynamics.bias().to_vec();
        let rest: Vec<f64> = tau.iter().zip(&bias).map(|(tau, h)| tau - h).collect();
        let expected = solve(&sample.mass, &rest);
        dense.compare(&acceleration, &expected, |i| sample.condition * scale / s[i]);

        let mut x = tau.clone();
        sample.dynamics.solve_mass(&mut x).unwrap();
        let expected = solve(&sample.mass, &tau);
        let size = sample.velocity_size(&expected);
        solved.compare(&x, &expected, |i| sample.condition * size / s[i]);
        let product = apply(&sample.mass, &x);
        residual.compare(&product, &tau, |i| s[i] * (n as f64 * size + 10.0));
    });
}

#[test]
fn energy_grows_by_the_power_of_the_forces() {
    // d(K + P)/dt by differences of eighth order along the motion: truncation and rounding are some 1e-14 of
    // energy times frequency.
    let mut gauge = Gauge::new("dE/dt = v tau", 1e-12);
    for_cases(300, |rng| {
        let mut sample = Sample::random(rng, Options::ALL);
        let a = numbers(rng, sample.nv(), 3.0);
        let h = sample.step();
        let tau = sample.dynamics.inverse_dynamics(&a).unwrap().to_vec();
        let power = dot(&tau, &sample.v);
        let mut energy = 0.0_f64;
        let rate = derivative(h, |t| {
            sample.set_along(&a, t);
            let (kinetic, potential) = (sample.dynamics.kinetic_energy(), sample.dynamics.potential_energy());
            energy = energy.max(kinetic + potential.abs());
            vec![kinetic + potential]
        });
        sample.reset();
        let weights: f64 = sample.model.moving_mass() * sample.model.gravity().norm();
        let scale = (energy + weights) * 0.03 / h + tau.iter().zip(&sample.v).map(|(f, v)| (f * v).abs()).sum::<f64>();
        gauge.see((rate.first().copied().unwrap_or(0.0) - power).abs(), scale);
    });
}

#[test]
fn inverse_dynamics_balances_the_rate_of_each_links_momenta() {
    // τⱼ = Σ (dp/dt - m g) · ∂ċ/∂vⱼ + dL/dt · ∂ω/∂vⱼ over the links, with p, L about the centre, and their
    // derivatives by differences: this sees every component of h, and uses neither spatial algebra nor M.
    let mut gauge = Gauge::new("tau = rates of momenta", 1e-12);
    for_cases(150, |rng| {
        let mut sample = Sample::random(rng, Options::ALL);
        let n = sample.nv();
        let a = numbers(rng, n, 3.0);
        let tau = sample.dynamics.inverse_dynamics(&a).unwrap().to_vec();
        let links: Vec<LinkId> = moving_links(&sample.model);
        let h = sample.step();
        let mut sizes = vec![0.0_f64; 2 * links.len()];
        let rates = derivative(h, |t| {
            sample.set_along(&a, t);
            let mut momenta = Vec::new();
            for (i, &link) in links.iter().enumerate() {
                let motion = motion(&mut sample.dynamics, link);
                sizes[2 * i] = sizes[2 * i].max(motion.momentum.norm());
                sizes[2 * i + 1] = sizes[2 * i + 1].max(motion.spin.norm());
                momenta.extend(motion.momentum.to_array());
                momenta.extend(motion.spin.to_array());
            }
            momenta
        });
        let gravity = sample.model.gravity();
        for j in 0..n {
            let mut unit = vec![0.0; n];
            unit[j] = 1.0;
            sample.dynamics.set_state(&sample.q, &unit).unwrap();
            let (mut expected, mut scale) = (0.0, 0.0);
            for (i, &link) in links.iter().enumerate() {
                let part = |k: usize| Vector::new(rates[6 * i + k], rates[6 * i + k + 1], rates[6 * i + k + 2]);
                let mass = sample.model.link(link).inertia.mass;
                let unit = motion(&mut sample.dynamics, link);
                let force = part(0) - mass * gravity;
                expected += force.dot(unit.velocity) + part(3).dot(unit.omega);
                scale += (force.norm() + sizes[2 * i] * 0.03 / h) * unit.velocity.norm()
                    + (part(3).norm() + sizes[2 * i + 1] * 0.03 / h) * unit.omega.norm();
            }
            for joint in sample.model.joints().iter().filter(|joint| joint.freedoms.contains(&j)) {
                let (_, multiplier, _) = sample.sketch.follows(&joint.joint);
                expected += joint.joint.armature * multiplier * multiplier * a[j];
                scale += (joint.joint.armature * multiplier * multiplier * a[j]).abs();
            }
            gauge.see((tau[j] - expected).abs(), scale);
        }
    });
}

#[test]
fn jacobian_velocity_and_drift_are_derivatives_of_positions() {
    // Positions are of size 10 and rates of size 10 in a tree of twenty links: differences of eighth order reach some
    // 1e-14 of size times frequency, and the drift, which differentiates A v, the same of A v times frequency.
    let mut columns = Gauge::new("A by differences", 1e-12);
    let mut velocities = Gauge::new("A v by differences", 1e-12);
    let mut products = Gauge::new("A v by product", 1e-14);
    let mut points = Gauge::new("point velocity by differences", 1e-12);
    let mut turns = Gauge::new("angular velocity by differences", 1e-12);
    let mut drifts = Gauge::new("drift by differences", 1e-13);
    for_cases(150, |rng| {
        let mut sample = Sample::random(rng, Options::ALL);
        let n = sample.nv();
        let points_of = reduced(&contacts(&sample.model, rng, 4), rng);
        let mut terms = Contacts::new(&sample.model, &points_of);
        sample.dynamics.contact_kinematics(&mut terms).unwrap();
        let stack = |dynamics: &Dynamics| -> Vec<f64> {
            let rows = points_of.iter().flat_map(|contact| {
                let at = dynamics.contact_position(contact);
                contact.basis().into_iter().take(contact.dimension()).map(move |direction| direction.dot(at))
            });
            rows.collect()
        };
        let reach = 1.0 + largest(&stack(&sample.dynamics));
        let frequency = 0.03 / sample.step();
        let zero = vec![0.0; n];

        // Velocity and drift: v constant, q moving.
        let h = sample.step();
        let rates = derivative(h, |t| {
            sample.set_along(&zero, t);
            stack(&sample.dynamics)
        });
        velocities.compare(terms.velocity(), &rates, |_| reach * frequency);
        let product = apply(&rows(terms.jacobian()), &sample.v);
        products.compare(terms.velocity(), &product, |i| {
            let row = terms.jacobian().row(i);
            row.iter().zip(&sample.v).map(|(a, v)| (a * v).abs()).sum::<f64>() + reach * frequency * 1e-2
        });
        let mut along = terms.clone();
        let rates = derivative(h, |t| {
            sample.set_along(&zero, t);
            sample.dynamics.contact_kinematics(&mut along).unwrap();
            along.velocity().to_vec()
        });
        drifts.compare(terms.drift(), &rates, |_| reach * frequency * frequency);

        // The velocity of any point, and the turning: dR/dt Rᵀ = [ω].
        let links = moving_links(&sample.model);
        let link = links[rng.usize(..links.len())];
        let point = vector(rng, 0.5);
        sample.reset();
        let (velocity, omega) = sample.dynamics.point_velocity(link, point);
        let axes = sample.dynamics.placement(link).rotation;
        let rates = derivative(h, |t| {
            sample.set_along(&zero, t);
            let placement = sample.dynamics.placement(link);
            let all = [placement.apply(point)].into_iter().chain(placement.rotation.columns);
            all.flat_map(Vector::to_array).collect()
        });
        points.compare(&velocity.to_array(), &rates[..3], |_| reach * frequency);
        for (k, axis) in axes.columns.into_iter().enumerate() {
            turns.compare(&omega.cross(axis).to_array(), &rates[3 + 3 * k..6 + 3 * k], |_| frequency);
        }

        // Columns: one velocity at a time.
        let mut q = vec![0.0; sample.q.len()];
        for j in 0..n {
            let mut unit = vec![0.0; n];
            unit[j] = 1.0;
            // Followers may be 2ᵏ times as fast.
            let h = 0.03 / sample.sketch.frequency(&sample.model, &unit);
            let rates = derivative(h, |t| {
                sample.model.integrate(&sample.q, &unit, t, &mut q).unwrap();
                sample.dynamics.set_state(&q, &zero).unwrap();
                stack(&sample.dynamics)
            });
            let column: Vec<f64> = (0..rates.len()).map(|i| terms.jacobian()[(i, j)]).collect();
            columns.compare(&column, &rates, |_| reach * 0.03 / h);
        }
    });
}
