//! What must hold for every mechanism in every state, whatever it looks like.
//!
//! Errors are judged relative to a norm that each test states. Velocities are compared after multiplication with
//! √Mᵢᵢ and forces after division by it, so that metres and radians, light and heavy links count alike. Where M⁻¹ acts,
//! rounding errors of n ε, 1e-14 for the largest trees here, grow by the condition of M with unit diagonal, and so does
//! the bound.

mod common;

use std::sync::Arc;

use carom_multibody::{
    ContactPoint, ContactTerms, Contacts, Dynamics, Inertia, Joint, JointKind, LinkId, LinkSpec, Model, Placement,
    Quaternion, Symmetric, Vector, contact_basis,
};
use common::*;
use fastrand::Rng;

/// Σ |xᵢ| |Mᵢⱼ| |yⱼ|: what rounding of xᵀ M y is relative to.
fn absolute(x: &[f64], m: &Rows, y: &[f64]) -> f64 {
    let parts = m.iter().zip(x).map(|(row, x)| x.abs() * row.iter().zip(y).map(|(m, y)| (m * y).abs()).sum::<f64>());
    parts.sum()
}

/// Of a sample: M v̇ + h and what its rounding is relative to, in √J/s.
fn inverse_scale(sample: &mut Sample, a: &[f64]) -> f64 {
    let bias = sample.dynamics.bias().to_vec();
    let n = sample.freedoms() as f64;
    n * sample.velocity_size(a) + sample.force_size(&bias) + coriolis_scale(sample)
}

/// What the forces of single links are made of: their own weight and centrifugal force, which may cancel in h.
fn coriolis_scale(sample: &mut Sample) -> f64 {
    let links = moving_links(&sample.model);
    let gravity = sample.model.gravity().norm();
    let mut sum = 0.0;
    for link in links {
        if !is_moving(&sample.model, link) {
            continue;
        }
        let mass = sample.model.link(link).inertia.mass;
        let motion = motion(&mut sample.dynamics, link);
        sum += mass.sqrt() * (gravity + motion.omega.norm() * (motion.velocity.norm() + motion.omega.norm()));
    }
    sum
}

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
        let n = sample.freedoms();
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
        let n = sample.freedoms();
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
        let a = numbers(rng, sample.freedoms(), 3.0);
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
        let n = sample.freedoms();
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
        let n = sample.freedoms();
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

#[test]
fn delassus_matrix_is_a_m_inverse_a_transposed() {
    // W of the model from its factor, of single contacts from articulated inertias, and by a dense solve: relative to
    // the largest entry with all tangents, over the condition of M. A normal along which little can move leaves
    // rounding of the others.
    let mut dense = Gauge::new("W = dense solve, over condition", 3e-14);
    let mut single = Gauge::new("W of one contact, over condition", 3e-14);
    let mut velocity = Gauge::new("velocity of one contact", 1e-14);
    let mut semidefinite = Gauge::new("least eigenvalue of W", 1e-14);
    for_cases(300, |rng| {
        let mut sample = Sample::random(rng, Options::ALL);
        let count = 1 + rng.usize(..5);
        let full = contacts(&sample.model, rng, count);
        let mut whole = Contacts::new(&sample.model, &full);
        sample.dynamics.contact_terms(&mut whole).unwrap();
        let size = (0..whole.delassus().rows()).map(|i| whole.delassus()[(i, i)]).fold(0.0, f64::max);
        let mut points = reduced(&full, rng);
        // One twice, so that W is singular.
        points.push(points[0]);
        let mut terms = Contacts::new(&sample.model, &points);
        sample.dynamics.contact_terms(&mut terms).unwrap();
        let jacobian = rows(terms.jacobian());
        let w = rows(terms.delassus());
        let columns: Rows = jacobian.iter().map(|row| solve(&sample.mass, row)).collect();
        let expected = product(&jacobian, &transposed(&columns));
        if sample.freedoms() > 0 {
            for i in 0..w.len() {
                dense.compare(&w[i], &expected[i], |_| sample.condition * size);
                for j in 0..i {
                    assert_eq!(w[i][j], w[j][i]);
                }
            }
        }
        semidefinite.see((-eigenvalues(&w)[0]).max(0.0), size);

        let mut row = 0;
        for contact in &points {
            let ContactTerms { delassus, velocity: speed } = sample.dynamics.single_contact(contact).unwrap();
            for i in 0..3 {
                for j in 0..3 {
                    let inside = i < contact.dimension() && j < contact.dimension();
                    let expected = if inside { w[row + i][row + j] } else { 0.0 };
                    single.see((delassus[i][j] - expected).abs(), sample.condition * size);
                }
                let inside = i < contact.dimension();
                let expected = if inside { terms.velocity()[row + i] } else { 0.0 };
                let scale = if inside {
                    jacobian[row + i].iter().zip(&sample.v).map(|(a, v)| (a * v).abs()).sum::<f64>()
                } else {
                    0.0
                };
                velocity.see((speed[i] - expected).abs(), scale + largest(&sample.v));
            }
            if contact.link() == LinkId::WORLD {
                assert_eq!(delassus, [[0.0; 3]; 3]);
                assert_eq!(speed, [0.0; 3]);
            }
            row += contact.dimension();
        }
        assert_eq!(row, w.len());
    });
}

#[test]
fn impulse_response_is_m_inverse_a_transposed_i() {
    // Relative to the change and to the impulse times the velocity that each joint gives the point, in √J, over the
    // condition of M: what is left of an impulse at right angles to the motion has the rounding of the whole.
    let mut dense = Gauge::new("response = dense solve, over condition", 3e-14);
    let mut balance = Gauge::new("M dv = A' i, over condition", 3e-14);
    let mut effect = Gauge::new("A dv = W i, over condition", 3e-14);
    for_cases(300, |rng| {
        let mut sample = Sample::random(rng, Options::ALL);
        let n = sample.freedoms();
        let full = contacts(&sample.model, rng, 3);
        for (full, contact) in full.iter().zip(reduced(&full, rng)) {
            let mut whole = Contacts::new(&sample.model, &[*full]);
            let mut terms = Contacts::new(&sample.model, &[contact]);
            sample.dynamics.contact_terms(&mut whole).unwrap();
            sample.dynamics.contact_terms(&mut terms).unwrap();
            let impulse = numbers(rng, contact.dimension(), 1.0);
            let mut change = vec![f64::NAN; n];
            sample.dynamics.impulse_response(&contact, &impulse, &mut change).unwrap();
            let jacobian = rows(terms.jacobian());
            let push: Vec<f64> =
                (0..n).map(|j| (0..impulse.len()).map(|i| jacobian[i][j] * impulse[i]).sum()).collect();
            if contact.link() == LinkId::WORLD || !is_moving(&sample.model, contact.link()) {
                assert_eq!(change, vec![0.0; n]);
                continue;
            }
            let total: f64 = impulse.iter().map(|x| x.abs()).sum();
            let columns = transposed(&rows(whole.jacobian()));
            let parts: Vec<f64> = columns.iter().map(|column| total * dot(column, column).sqrt()).collect();
            let expected = solve(&sample.mass, &push);
            let size = sample.condition * (sample.force_size(&parts) + sample.velocity_size(&expected));
            dense.compare(&change, &expected, |i| size / sample.scale[i]);
            let balanced = apply(&sample.mass, &change);
            balance.compare(&balanced, &push, |i| size * sample.scale[i]);
            let jump = apply(&jacobian, &change);
            let w = rows(terms.delassus());
            let largest_w = largest(whole.delassus().as_slice());
            effect.compare(&jump, &apply(&w, &impulse), |_| sample.condition * total * largest_w);
        }
    });
}

#[test]
fn mimics_are_the_projection_of_the_free_tree() {
    // Mᵣ = Gᵀ M G and hᵣ = Gᵀ h, since q = G qᵣ + offsets with a constant G: relative to the parts of the sums.
    let mut masses = Gauge::new("reduced M", 1e-13);
    let mut biases = Gauge::new("reduced h", 1e-14);
    let mut jacobians = Gauge::new("reduced A", 1e-14);
    let mut energies = Gauge::new("reduced K and P", 1e-14);
    for_cases(300, |rng| {
        let mut sample = Sample::random(rng, Options::ALL);
        let free_sketch = sample.sketch.without_mimics();
        let free = free_sketch.build();
        let n = sample.freedoms();
        let mut g = vec![vec![0.0; n]; free.freedoms()];
        let mut q = vec![0.0; free.coordinates()];
        for (own, whole) in sample.model.joints().iter().zip(free.joints()) {
            let (leader, multiplier, offset) = sample.sketch.follows(&own.joint);
            let leader = sample.model.find_joint(&leader).unwrap();
            assert_eq!(own.freedoms, leader.freedoms);
            assert_eq!(own.coordinates, leader.coordinates);
            for (i, j) in whole.freedoms.clone().zip(leader.freedoms.clone()) {
                g[i][j] = multiplier;
            }
            for (i, j) in whole.coordinates.clone().zip(leader.coordinates.clone()) {
                q[i] = multiplier * sample.q[j] + offset;
            }
        }
        let v: Vec<f64> = g.iter().map(|row| dot(row, &sample.v)).collect();
        let mut whole = Sample::new(free_sketch, q, v);
        let gt = transposed(&g);
        if n == 0 {
            return;
        }
        let projected = product(&product(&gt, &whole.mass), &g);
        let absolute_g: Rows = g.iter().map(|row| row.iter().map(|x| x.abs()).collect()).collect();
        let sizes: Vec<f64> = apply(&transposed(&absolute_g), &whole.scale);
        for i in 0..n {
            masses.compare(&sample.mass[i], &projected[i], |j| sizes[i] * sizes[j]);
        }
        let whole_bias = whole.dynamics.bias().to_vec();
        let size = whole.force_size(&whole_bias) + coriolis_scale(&mut whole);
        biases.compare(sample.dynamics.bias(), &apply(&gt, &whole_bias), |i| sizes[i] * size);

        let links = moving_links(&sample.model);
        let (link, point, normal) = (links[rng.usize(..links.len())], vector(rng, 0.5), direction(rng));
        let mut own =
            Contacts::new(&sample.model, &[ContactPoint::spatial(&sample.model, link, point, normal).unwrap()]);
        let mut other =
            Contacts::new(&whole.model, &[ContactPoint::spatial(&whole.model, link, point, normal).unwrap()]);
        sample.dynamics.contact_kinematics(&mut own).unwrap();
        whole.dynamics.contact_kinematics(&mut other).unwrap();
        let projected = product(&rows(other.jacobian()), &g);
        for (row, projected) in projected.iter().enumerate() {
            jacobians.compare(own.jacobian().row(row), projected, |j| {
                largest(other.jacobian().as_slice()) * (0..g.len()).map(|i| g[i][j].abs()).sum::<f64>()
            });
        }
        let kinetic = whole.dynamics.kinetic_energy();
        energies.see((kinetic - sample.dynamics.kinetic_energy()).abs(), absolute(&whole.v, &whole.mass, &whole.v));
        let weight = 10.0 * whole.model.moving_mass() * whole.model.gravity().norm();
        energies.see((whole.dynamics.potential_energy() - sample.dynamics.potential_energy()).abs(), weight);
    });
}

/// M, h, K, and W and A v of one contact in the world's axes.
fn summary(model: &Model, q: &[f64], v: &[f64], contact: &ContactPoint) -> (Vec<f64>, Vec<f64>, f64, Rows, Vector) {
    let mut dynamics = Dynamics::new(model.clone());
    dynamics.set_state(q, v).unwrap();
    let terms = dynamics.single_contact(contact).unwrap();
    let basis: Rows = contact.basis().iter().map(|row| row.to_array().to_vec()).collect();
    let world = product(&transposed(&basis), &product(&terms.delassus.map(|row| row.to_vec()).to_vec(), &basis));
    let velocity = (0..3).fold(Vector::ZERO, |sum, i| sum.plus(terms.velocity[i], contact.basis()[i]));
    (dynamics.mass_matrix().as_slice().to_vec(), dynamics.bias().to_vec(), dynamics.kinetic_energy(), world, velocity)
}

#[test]
fn moving_the_roots_far_away_changes_no_bit() {
    // Everything but positions is counted from the roots: where they stand enters neither M, h, K, A nor W.
    // Only positions lose digits: 1e4 m have an ulp of 2e-12 m.
    let mut positions = Gauge::new("positions far away", 1e-15);
    for_cases(200, |rng| {
        let sample = Sample::random(rng, Options::ALL);
        let shift = 1e4 * direction(rng);
        let far = sample.sketch.moved(&Placement::at(shift)).build();
        let links = moving_links(&sample.model);
        let moving: Vec<LinkId> = links.into_iter().filter(|&link| is_moving(&sample.model, link)).collect();
        let Some(&link) = moving.get(rng.usize(..moving.len().max(1))) else { return };
        let (point, normal) = (vector(rng, 0.5), direction(rng));
        let here = ContactPoint::spatial(&sample.model, link, point, normal).unwrap();
        let there = ContactPoint::spatial(&far, link, point, normal).unwrap();
        assert_eq!(summary(&sample.model, &sample.q, &sample.v, &here), summary(&far, &sample.q, &sample.v, &there));

        let mut dynamics = Dynamics::new(far);
        dynamics.set_state(&sample.q, &sample.v).unwrap();
        let moved = dynamics.contact_position(&there) - shift;
        positions.see((moved - sample.dynamics.contact_position(&here)).norm(), 1e4);
    });
}

#[test]
fn coordinates_far_away_keep_the_digits_of_m_and_w() {
    // A floating base at q = 1e4 m changes nothing at all; a planar one moves its later axes' origins, whose moments no
    // sliding axis sees.
    for_cases(200, |rng| {
        let sample = Sample::random(rng, Options::ALL);
        let mut q = sample.q.clone();
        let mut root = None;
        for link in moving_links(&sample.model) {
            let parts = sample.model.link(link);
            let joints = &sample.model.joints()[parts.joints.clone()];
            if parts.parent == Some(LinkId::WORLD)
                && let [joint] = joints
                && matches!(joint.joint.kind, JointKind::Floating | JointKind::Planar)
            {
                let count = if joint.joint.kind == JointKind::Floating { 3 } else { 2 };
                for x in &mut q[joint.coordinates.start..joint.coordinates.start + count] {
                    *x = spread(rng, 1e4);
                }
                root = Some(link);
            }
        }
        let Some(link) = root else { return };
        let contact = ContactPoint::spatial(&sample.model, link, vector(rng, 0.5), direction(rng)).unwrap();
        let near = summary(&sample.model, &sample.q, &sample.v, &contact);
        let far = summary(&sample.model, &q, &sample.v, &contact);
        assert_eq!((near.0, near.2, near.3), (far.0, far.2, far.3));
    });
}

#[test]
fn turning_the_world_turns_w_and_leaves_m_and_h() {
    // Every number is computed anew in turned axes: rounding of the sums along the tree.
    let mut masses = Gauge::new("M in a turned world", 3e-13);
    let mut biases = Gauge::new("h in a turned world", 1e-14);
    let mut delassus = Gauge::new("W in a turned world, over condition", 3e-14);
    let mut velocities = Gauge::new("A v in a turned world", 1e-14);
    for_cases(200, |rng| {
        let mut sample = Sample::random(rng, Options::ALL);
        let turn = rotation(rng);
        let turned = sample.sketch.moved(&Placement::new(turn, Vector::ZERO)).build();
        let n = sample.freedoms();
        let links = moving_links(&sample.model);
        let link = links[rng.usize(..links.len())];
        let (point, normal) = (vector(rng, 0.5), direction(rng));
        let here = ContactPoint::spatial(&sample.model, link, point, normal).unwrap();
        let there = ContactPoint::spatial(&turned, link, point, turn.apply(normal)).unwrap();
        let (m, h, _, w, u) = summary(&sample.model, &sample.q, &sample.v, &here);
        let (m2, h2, _, w2, u2) = summary(&turned, &sample.q, &sample.v, &there);
        let s = sample.scale.clone();
        if n > 0 {
            masses.compare(&m, &m2, |i| s[i / n] * s[i % n]);
        }
        let size = inverse_scale(&mut sample, &vec![0.0; n]);
        biases.compare(&h, &h2, |i| s[i] * size);
        let basis: Rows = turn.rows().map(|row| row.to_vec()).to_vec();
        let back = product(&transposed(&basis), &product(&w2, &basis));
        for i in 0..3 {
            delassus.compare(&w[i], &back[i], |_| sample.condition * largest(&w.concat()));
        }
        velocities.see((turn.apply(u) - u2).norm(), u.norm() + sample.sketch.frequency(&sample.model, &sample.v));
    });
}

/// Mass, centre and inertia about the centre of two bodies as one, from second moments about the origin.
fn joined(a: &Inertia, b: &Inertia) -> Inertia {
    let about_origin = |body: &Inertia| {
        let [x, y, z] = body.center.to_array();
        let [xx, yy, zz, xy, xz, yz] = body.rotational.entries();
        let m = body.mass;
        let (x2, y2, z2) = (m * x * x, m * y * y, m * z * z);
        [xx + y2 + z2, yy + x2 + z2, zz + x2 + y2, xy - m * x * y, xz - m * x * z, yz - m * y * z]
    };
    let mass = a.mass + b.mass;
    let center = (1.0 / mass) * (a.mass * a.center + b.mass * b.center);
    let (ia, ib) = (about_origin(a), about_origin(b));
    let point = about_origin(&Inertia::point(mass, center));
    let entries = [0, 1, 2, 3, 4, 5].map(|k| ia[k] + ib[k] - point[k]);
    Inertia { mass, center, rotational: Symmetric::new(entries) }
}

/// Compares M, h, W and A v of two models in the same state, the contact given in each.
fn assert_same(
    gauges: &mut [Gauge; 3],
    (one, a): (&Model, &ContactPoint),
    (two, b): (&Model, &ContactPoint),
    q: &[f64],
    v: &[f64],
) {
    let (m, h, k, w, u) = summary(one, q, v, a);
    let (m2, h2, k2, w2, u2) = summary(two, q, v, b);
    let n = v.len();
    let s: Vec<f64> = (0..n).map(|i| m[i * n + i].sqrt()).collect();
    let condition = condition(&m.chunks(n).map(<[f64]>::to_vec).collect());
    gauges[0].compare(&m, &m2, |i| s[i / n] * s[i % n]);
    // Weights and centrifugal forces of all links, in √J/s, as in `coriolis_scale`.
    let speed = 1.0 + v.iter().map(|v| v.abs()).sum::<f64>();
    let size = one.moving_mass().sqrt() * (one.gravity().norm() + speed * speed);
    gauges[1].compare(&h, &h2, |i| s[i] * size);
    gauges[2].compare(&w.concat(), &w2.concat(), |_| condition * largest(&w.concat()));
    gauges[0].see((k - k2).abs(), one.moving_mass() * speed * speed);
    gauges[0].see((u - u2).norm(), speed);
}

fn gauges(names: [&'static str; 3]) -> [Gauge; 3] {
    let [a, b, c] = names;
    [Gauge::new(a, 1e-13), Gauge::new(b, 1e-14), Gauge::new(c, 3e-14)]
}

#[test]
fn welded_links_are_one_body() {
    let mut gauges = gauges(["M, K, A v of a weld", "h of a weld", "W of a weld, over condition"]);
    for_cases(200, |rng| {
        let sample = Sample::random(rng, Options::ALL);
        if sample.freedoms() == 0 {
            return;
        }
        // A body more on some link, welded there directly or over a fixed joint and a link without mass.
        let host = 1 + rng.usize(..sample.sketch.links.len());
        let place = placement(rng, 0.5);
        let body = inertia(rng);
        let mut welded = sample.sketch.clone();
        let mut spec = LinkSpec::new("welded").placed(place).inertia(body);
        if rng.bool() {
            spec = spec.joint(random_joint(rng, "weld".to_owned(), JointKind::Fixed, false));
        }
        if rng.bool() {
            let between = placement(rng, 0.5);
            welded.links.push((host, LinkSpec::new("between").placed(between)));
            spec.placement = between.inverse() * place;
            welded.links.push((welded.links.len(), spec));
        } else {
            welded.links.push((host, spec));
        }
        let mut single = sample.sketch.clone();
        let own = single.links[host - 1].1.inertia;
        let moved = body.placed(&place);
        single.links[host - 1].1.inertia = if own.mass == 0.0 { moved } else { joined(&own, &moved) };

        let (one, two) = (single.build(), welded.build());
        let (point, normal) = (vector(rng, 0.5), direction(rng));
        let host_name = sample.sketch.links[host - 1].1.name.clone();
        let a = ContactPoint::spatial(&one, one.find_link(&host_name).unwrap(), place.apply(point), normal).unwrap();
        let b = ContactPoint::spatial(&two, two.find_link("welded").unwrap(), point, normal).unwrap();
        assert_same(&mut gauges, (&one, &a), (&two, &b), &sample.q, &sample.v);
    });
}

#[test]
fn planar_joint_is_two_sliders_and_a_hinge() {
    let mut gauges =
        gauges(["M, K, A v of a planar joint", "h of a planar joint", "W of a planar joint, over condition"]);
    for_cases(200, |rng| {
        let sample = Sample::random(rng, Options::FREE);
        let mut split = sample.sketch.clone();
        let mut found = false;
        for (_, spec) in &mut split.links {
            let mut joints = Vec::new();
            for joint in &spec.joints {
                if joint.kind != JointKind::Planar {
                    joints.push(joint.clone());
                    continue;
                }
                found = true;
                // As the documentation of the axis has it.
                let axis = (1.0 / joint.axis.norm()) * joint.axis;
                let parts = axis.to_array().map(f64::abs);
                let least = if parts[0] <= parts[1] && parts[0] <= parts[2] {
                    X
                } else if parts[1] <= parts[2] {
                    Y
                } else {
                    Z
                };
                let x = least - least.dot(axis) * axis;
                let x = (1.0 / x.norm()) * x;
                let y = axis.cross(x);
                for (suffix, kind, axis) in
                    [("x", JointKind::Prismatic, x), ("y", JointKind::Prismatic, y), ("a", JointKind::Revolute, axis)]
                {
                    let mut part =
                        Joint::new(format!("{}{suffix}", joint.name), kind).along(axis).through(joint.anchor);
                    part.armature = joint.armature;
                    joints.push(part);
                }
            }
            spec.joints = joints;
        }
        if !found {
            return;
        }
        let two = split.build();
        let links = moving_links(&two);
        let (link, point, normal) = (links[rng.usize(..links.len())], vector(rng, 0.5), direction(rng));
        let a = ContactPoint::spatial(&sample.model, link, point, normal).unwrap();
        let b = ContactPoint::spatial(&two, link, point, normal).unwrap();
        assert_same(&mut gauges, (&sample.model, &a), (&two, &b), &sample.q, &sample.v);
    });
}

#[test]
fn reference_only_moves_the_zero_of_a_coordinate() {
    let mut gauges = gauges(["M, K, A v with references", "h with references", "W with references, over condition"]);
    for_cases(100, |rng| {
        let sample = Sample::random(rng, Options::FREE);
        if sample.freedoms() == 0 {
            return;
        }
        let mut without = sample.sketch.clone();
        let mut q = sample.q.clone();
        for (_, spec) in &mut without.links {
            for joint in &mut spec.joints {
                let coordinates = sample.model.find_joint(&joint.name).unwrap().coordinates.clone();
                if joint.kind.is_single() {
                    q[coordinates.start] -= joint.reference;
                }
                joint.reference = 0.0;
            }
        }
        let two = without.build();
        let links = moving_links(&two);
        let (link, point, normal) = (links[rng.usize(..links.len())], vector(rng, 0.5), direction(rng));
        let contact = ContactPoint::spatial(&two, link, point, normal).unwrap();
        let mut moved = Dynamics::new(two.clone());
        moved.set_state(&q, &sample.v).unwrap();
        let gap = moved.contact_position(&contact) - sample.dynamics.contact_position(&contact);
        gauges[0].see(gap.norm(), 10.0);
        // At the references every link is where its placement says.
        let mut home = Dynamics::new(Arc::clone(&sample.model));
        let at_home = sample.model.home().to_vec();
        home.set_state(&at_home, &sample.v).unwrap();
        let mut expected = vec![Placement::IDENTITY];
        for (parent, spec) in &sample.sketch.links {
            expected.push(expected[*parent] * spec.placement);
        }
        for (link, expected) in moving_links(&sample.model).into_iter().zip(&expected[1..]) {
            let placement = home.placement(link);
            gauges[0].see((placement.translation - expected.translation).norm(), 10.0);
            for (a, b) in placement.rotation.columns.into_iter().zip(expected.rotation.columns) {
                gauges[0].see((a - b).norm(), 1.0);
            }
        }
    });
}

/// Two models that differ in the coordinates of one joint, v₁ = T v₂ with dT/dt v₂ = rate: then M₂ = Tᵀ M₁ T and
/// h₂ = Tᵀ (h₁ + M₁ rate).
fn assert_transformed(gauges: &mut [Gauge; 2], one: &mut Sample, two: &mut Sample, t: &Rows, rate: &[f64]) {
    let n = two.freedoms();
    let transpose = transposed(t);
    let expected = product(&product(&transpose, &one.mass), t);
    let absolute_t: Rows = t.iter().map(|row| row.iter().map(|x| x.abs()).collect()).collect();
    let sizes = apply(&transposed(&absolute_t), &one.scale);
    for i in 0..n {
        gauges[0].compare(&two.mass[i], &expected[i], |j| sizes[i] * sizes[j]);
    }
    let one_bias = one.dynamics.bias().to_vec();
    let inner: Vec<f64> = one_bias.iter().zip(apply(&one.mass, rate)).map(|(h, f)| h + f).collect();
    let size = one.force_size(&one_bias) + coriolis_scale(one) + n as f64 * one.velocity_size(rate);
    gauges[1].compare(two.dynamics.bias(), &apply(&transpose, &inner), |i| sizes[i] * size);
}

/// A free sketch with one link whose only joint is replaced, and the place of its numbers.
fn with_joints(rng: &mut Rng, joints: Vec<Joint>) -> (Sketch, usize) {
    let mut sketch = Sketch::random(rng, Options { links: 8, ..Options::FREE });
    let place = rng.usize(..sketch.links.len());
    sketch.links[place].1.joints = joints;
    sketch.links[place].1.inertia = inertia(rng);
    (sketch, place)
}

/// Numbers of the joints of one link: where its coordinates and velocities are.
fn span(model: &Model, place: usize) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
    let own = &model.joints()[model.links()[place + 1].joints.clone()];
    let (first, last) = (&own[0], &own[own.len() - 1]);
    (first.coordinates.start..last.coordinates.end, first.freedoms.start..last.freedoms.end)
}

#[test]
fn three_hinges_through_a_point_are_a_ball_joint() {
    // R = Rx(α) Ry(β) Rz(γ), and in the link's axes ω = (Ry Rz)ᵀ x α' + Rzᵀ y β' + z γ'. Away from β = ±π/2.
    let mut gauges = [Gauge::new("M of three hinges", 1e-13), Gauge::new("h of three hinges", 1e-14)];
    for_cases(150, |rng| {
        let anchor = vector(rng, 0.5);
        let hinge = |name: &str, axis| Joint::new(name, JointKind::Revolute).along(axis).through(anchor);
        let hinges = vec![hinge("alpha", X), hinge("beta", Y), hinge("gamma", Z)];
        let (sketch, place) = with_joints(rng, hinges);
        let mut other = sketch.clone();
        other.links[place].1.joints = vec![Joint::new("ball", JointKind::Ball).through(anchor)];
        let (model, ball_model) = (sketch.build(), other.build());
        let mut q = configuration(&model, rng);
        let v = numbers(rng, model.freedoms(), 2.0);
        let (at, own) = span(&model, place);
        let [alpha, beta, gamma] = [spread(rng, 3.0), spread(rng, 1.3), spread(rng, 3.0)];
        q[at.clone()].copy_from_slice(&[alpha, beta, gamma]);
        let rates = Vector::new(v[own.start], v[own.start + 1], v[own.start + 2]);

        let (sb, cb) = beta.sin_cos();
        let (sg, cg) = gamma.sin_cos();
        // Columns of ω, by hand: Rzᵀ (x, y) = (cγ, -sγ), (sγ, cγ); Ryᵀ x = (cβ, 0, sβ).
        let columns = [[cb * cg, -cb * sg, sb], [sg, cg, 0.0], [0.0, 0.0, 1.0]];
        let (b, g) = (rates.y(), rates.z());
        let column_rates =
            [[-sb * cg * b - cb * sg * g, sb * sg * b - cb * cg * g, cb * b], [cg * g, -sg * g, 0.0], [0.0; 3]];
        let n = model.freedoms();
        let mut t: Rows = (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
        let mut rate = vec![0.0; n];
        for i in 0..3 {
            for j in 0..3 {
                t[own.start + i][own.start + j] = columns[j][i];
                rate[own.start + i] += column_rates[j][i] * v[own.start + j];
            }
        }
        let turn = Quaternion::about(X, alpha) * Quaternion::about(Y, beta) * Quaternion::about(Z, gamma);
        let mut ball_q = q[..at.start].to_vec();
        ball_q.extend(turn.to_array());
        ball_q.extend(&q[at.end..]);
        assert_eq!(ball_q.len(), ball_model.coordinates());
        let ball_v = apply(&t, &v);
        let mut ball = Sample::new(other, ball_q, ball_v);
        let mut hinged = Sample::new(sketch, q, v);
        assert_transformed(&mut gauges, &mut ball, &mut hinged, &t, &rate);
    });
}

#[test]
fn floating_joint_is_three_sliders_and_a_ball_joint() {
    // The sliders' rates are R v with v in the link's axes: d(R v)/dt - R v̇ = R (ω × v).
    let mut gauges = [Gauge::new("M of a floating joint", 1e-13), Gauge::new("h of a floating joint", 1e-14)];
    for_cases(150, |rng| {
        let slider = |name: &str, axis| Joint::new(name, JointKind::Prismatic).along(axis);
        let joints = vec![slider("x", X), slider("y", Y), slider("z", Z), Joint::new("ball", JointKind::Ball)];
        let (sketch, place) = with_joints(rng, joints);
        let mut other = sketch.clone();
        other.links[place].1.joints = vec![Joint::new("free", JointKind::Floating)];
        let model = sketch.build();
        let q = configuration(&model, rng);
        let floating_v = numbers(rng, model.freedoms(), 2.0);
        let (at, own) = span(&model, place);
        let turn = Quaternion::from_array([3, 4, 5, 6].map(|k| q[at.start + k])).to_rotation();
        let part = |k: usize| {
            Vector::new(floating_v[own.start + k], floating_v[own.start + k + 1], floating_v[own.start + k + 2])
        };
        let (linear, omega) = (part(0), part(3));
        let n = model.freedoms();
        let mut t: Rows = (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
        let entries = turn.rows();
        for i in 0..3 {
            t[own.start + i][own.start..own.start + 3].copy_from_slice(&entries[i]);
        }
        let mut rate = vec![0.0; n];
        rate[own.start..own.start + 3].copy_from_slice(&turn.apply(omega.cross(linear)).to_array());
        let mut sliding = Sample::new(sketch, q.clone(), apply(&t, &floating_v));
        let mut floating = Sample::new(other, q, floating_v);
        assert_transformed(&mut gauges, &mut sliding, &mut floating, &t, &rate);
    });
}

#[test]
fn answers_do_not_depend_on_what_was_asked_before() {
    for_cases(100, |rng| {
        let sample = Sample::random(rng, Options::ALL);
        let n = sample.freedoms();
        let model = Arc::clone(&sample.model);
        let points = reduced(&contacts(&model, rng, 3), rng);
        let force = numbers(rng, n, 3.0);
        let states: Vec<(Vec<f64>, Vec<f64>)> =
            (0..3).map(|_| (configuration(&model, rng), numbers(rng, n, 1.0))).collect();
        let ask = |dynamics: &mut Dynamics, what: usize| -> Option<Vec<f64>> {
            let mut terms = Contacts::new(&model, &points);
            let mut change = vec![0.0; n];
            let impulse = [0.3, -0.2, 0.7];
            // A state of the three may happen to be singular: then there is no answer either time.
            match what {
                0 => Some(dynamics.mass_matrix().as_slice().to_vec()),
                1 => Some(dynamics.bias().to_vec()),
                2 => dynamics.inverse_dynamics(&force).ok().map(<[f64]>::to_vec),
                3 => dynamics.forward_dynamics(&force).ok().map(<[f64]>::to_vec),
                4 => {
                    let mut x = force.clone();
                    dynamics.solve_mass(&mut x).ok().map(|()| x)
                }
                5 => {
                    dynamics.contact_kinematics(&mut terms).unwrap();
                    Some([terms.jacobian().as_slice(), terms.velocity(), terms.drift()].concat())
                }
                6 => dynamics.contact_terms(&mut terms).ok().map(|()| terms.delassus().as_slice().to_vec()),
                7 => dynamics.single_contact(&points[0]).ok().map(|terms| terms.delassus.concat()),
                8 => {
                    let impulse = &impulse[..points[1].dimension()];
                    dynamics.impulse_response(&points[1], impulse, &mut change).ok().map(|()| change)
                }
                9 => Some(vec![dynamics.kinetic_energy(), dynamics.potential_energy()]),
                _ => {
                    let (u, omega) = dynamics.point_velocity(points[2].link(), Vector::new(0.1, 0.2, 0.3));
                    Some([u.to_array(), omega.to_array(), dynamics.contact_position(&points[2]).to_array()].concat())
                }
            }
        };
        let mut used = Dynamics::new(Arc::clone(&model));
        for _ in 0..40 {
            let (q, v) = &states[rng.usize(..states.len())];
            used.set_state(q, v).unwrap();
            for _ in 0..rng.usize(1..6) {
                let what = rng.usize(..11);
                let mut fresh = Dynamics::new(Arc::clone(&model));
                fresh.set_state(q, v).unwrap();
                assert_eq!(ask(&mut used, what), ask(&mut fresh, what), "question {what}");
            }
            assert_eq!((used.configuration(), used.velocity()), (&q[..], &v[..]));
        }
    });
}

#[test]
fn planar_models_have_planar_contacts_that_leave_nothing_out() {
    // A tree of hinges about one direction and sliders across it; the contact's normal in the plane.
    let mut out_of_plane = Gauge::new("velocity out of the plane", 1e-14);
    for_cases(200, |rng| {
        let normal = if rng.bool() { coordinate_axis(rng) } else { direction(rng) };
        let [_, one, two] = contact_basis(normal).unwrap();
        let mut sketch = Sketch { gravity: vector(rng, 10.0), links: Vec::new() };
        let count = 1 + rng.usize(..8);
        let mut turned = vec![carom_multibody::Rotation::IDENTITY];
        for i in 1..=count {
            let parent = rng.usize(..i);
            let place = placement(rng, 0.5);
            let rotation = turned[parent] * place.rotation;
            turned.push(rotation);
            let angle = spread(rng, 3.0);
            let slide = angle.cos() * one + angle.sin() * two;
            let joint = match rng.u8(..3) {
                _ if i == 1 => Joint::new("j1", JointKind::Continuous).along(rotation.apply_inverse(normal)),
                0 => Joint::new(format!("j{i}"), JointKind::Prismatic).along(rotation.apply_inverse(slide)),
                1 => Joint::new(format!("j{i}"), JointKind::Planar).along(rotation.apply_inverse(-normal)),
                _ => Joint::new(format!("j{i}"), JointKind::Revolute).along(rotation.apply_inverse(normal)),
            };
            let spec = LinkSpec::new(format!("l{i}"));
            sketch
                .links
                .push((parent, spec.placed(place).inertia(inertia(rng)).joint(joint.through(vector(rng, 0.4)))));
        }
        let model = sketch.build();
        let plane = model.plane().expect("all axes agree");
        assert!((plane.dot(normal).abs() - 1.0).abs() < 1e-14);
        let q = configuration(&model, rng);
        let v = numbers(rng, model.freedoms(), 1.0);
        let mut sample = Sample::new(sketch, q, v);
        let links = moving_links(&model);
        let link = links[rng.usize(..links.len())];
        let angle = spread(rng, 3.0);
        let surface = angle.cos() * one + angle.sin() * two;
        let point = vector(rng, 0.5);
        let contact = ContactPoint::new(&model, link, point, surface).unwrap();
        assert_eq!(contact.dimension(), 2);
        let [n, t, b] = contact.basis();
        for (x, y, expected) in [(n, n, 1.0), (t, t, 1.0), (n, t, 0.0), (t, b, 0.0), (n, b, 0.0), (n, surface, 1.0)] {
            assert!((x.dot(y) - expected).abs() < 1e-13);
        }
        assert!(t.dot(plane).abs() < 1e-13, "the tangent is in the plane");
        let [_, t1, t2] = contact_basis(surface).unwrap();
        let along = if t.dot(t1).abs() > 1e-3 { t.dot(t1) } else { t.dot(t2) };
        assert!(along > 0.0, "counted along t1, or along t2 where t1 is out of the plane");
        let (velocity, _) = sample.dynamics.point_velocity(link, point);
        out_of_plane.see(velocity.dot(plane).abs(), 1.0 + velocity.norm());
        // Out of the plane the contact is spatial.
        let leaning = ContactPoint::new(&model, link, point, surface.plus(2e-3, plane)).unwrap();
        assert_eq!(leaning.dimension(), 3);
        // Files write 1.57 for a quarter turn: that is the plane still.
        let rounded = ContactPoint::new(&model, link, point, surface.plus(8e-4, plane)).unwrap();
        assert_eq!(rounded.dimension(), 2);
        assert_eq!(ContactPoint::spatial(&model, link, point, surface).unwrap().dimension(), 3);
    });
}

#[test]
fn contact_bases_are_orthonormal_and_right_handed() {
    let mut gauge = Gauge::new("contact basis", 4e-16 * 4.0);
    for_cases(2000, |rng| {
        let normal = match rng.u8(..4) {
            0 => coordinate_axis(rng),
            1 => magnitude(rng, 1e-300, 1e300) * direction(rng),
            2 => Vector::from([1.0, 1.0, 1.0].map(|x: f64| if rng.bool() { x } else { -x })),
            _ => direction(rng),
        };
        let [n, t1, t2] = contact_basis(normal).unwrap();
        for (a, b, expected) in [(n, n, 1.0), (t1, t1, 1.0), (t2, t2, 1.0), (n, t1, 0.0), (n, t2, 0.0), (t1, t2, 0.0)] {
            gauge.see((a.dot(b) - expected).abs(), 1.0);
        }
        gauge.see((n.cross(t1) - t2).norm(), 1.0);
        gauge.see((n - (1.0 / normal.norm()) * normal).norm(), 1.0);
        // t1 lies in the plane of the normal and the axis least aligned with it, on that axis' side.
        let parts = n.to_array().map(f64::abs);
        let least = (0..3).min_by(|&i, &j| parts[i].total_cmp(&parts[j])).unwrap();
        assert!(t1.to_array()[least] > 0.8, "{n:?} {t1:?}");
    });
}
