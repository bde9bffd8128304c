//! Closed loops of random trees: rows against differences, W and accelerations against the dense system of M and C, assembly.

mod common;

use std::sync::Arc;

use carom_multibody::{Contacts, Dynamics, DynamicsError, LinkId, Loop, LoopKind, Model};
use common::*;
use fastrand::Rng;

fn two_links(model: &Model, rng: &mut Rng) -> [LinkId; 2] {
    let count = model.links().len();
    loop {
        let pair = [rng.usize(..count), rng.usize(..count)];
        if pair[0] != pair[1] {
            return pair.map(LinkId::from_index);
        }
    }
}

/// A loop that the present state closes, or one that it need not close.
fn random_loop(dynamics: &Dynamics, rng: &mut Rng, name: &str, is_closed: bool) -> Loop {
    let model = dynamics.model();
    let links = two_links(model, rng);
    let (one, two) = (dynamics.placement(links[0]), dynamics.placement(links[1]));
    let between = two.inverse() * one;
    let frame = placement(rng, 0.5);
    let other = if is_closed { between * frame } else { placement(rng, 0.5) };
    let points = [frame.translation, other.translation];
    let singles: Vec<usize> = (0..model.joints().len())
        .filter(|&j| model.joints()[j].joint.mimic.is_none() && model.joints()[j].joint.kind.is_single())
        .collect();
    let kind = match rng.u8(..4) {
        0 => LoopKind::Hinge { links, points, axes: [frame.rotation.columns[2], other.rotation.columns[2]] },
        1 => LoopKind::Weld { links, frames: [frame, other] },
        2 if singles.len() >= 2 => {
            let one = singles[rng.usize(..singles.len())];
            let two = singles[rng.usize(..singles.len())];
            let two = (one != two).then_some(two);
            let at = |joint: usize| dynamics.configuration()[model.joints()[joint].coordinates.start];
            let mut coefficients = [(); 5].map(|()| spread(rng, 1.0));
            let references = [spread(rng, 1.0), spread(rng, 1.0)];
            if is_closed {
                let x = two.map_or(0.0, |two| at(two) - references[1]);
                let rest: f64 =
                    if two.is_some() { (1..5).map(|k| coefficients[k] * x.powi(k as i32)).sum() } else { 0.0 };
                coefficients[0] = at(one) - references[0] - rest;
            }
            LoopKind::Joint { joints: [Some(one), two], references, coefficients }
        }
        _ => LoopKind::Connect { links, points },
    };
    Loop { name: name.to_owned(), kind }
}

fn with_loops(model: &Model, loops: Vec<Loop>) -> Arc<Model> {
    Arc::new(model.clone().with_loops(loops).unwrap())
}

#[test]
fn rows_of_loops_are_derivatives_of_what_they_leave_open() {
    let mut velocities = Gauge::new("C v by differences", 1e-11);
    let mut drifts = Gauge::new("drift by differences", 1e-11);
    for_cases(200, |rng| {
        let mut sample = Sample::random(rng, Options { links: 8, ..Options::ALL });
        let one = random_loop(&sample.dynamics, rng, "one", false);
        sample.model = with_loops(&sample.model, vec![one]);
        sample.dynamics = Dynamics::new(Arc::clone(&sample.model));
        sample.reset();
        let zero = vec![0.0; sample.nv()];
        let (rows_of, drift) = sample.dynamics.loop_rows();
        let rates = apply(&rows(&rows_of), &sample.v);
        // Polynomials of fourth degree have large derivatives far from their reference.
        let size = 100.0 * (1.0 + largest(&sample.dynamics.loop_residuals()));
        let (h, frequency) = (0.3 * sample.step(), 0.1 / sample.step());
        let differences = derivative(h, |t| {
            sample.set_along(&zero, t);
            sample.dynamics.loop_residuals()
        });
        velocities.compare(&rates, &differences, |_| size * frequency);
        let differences = derivative(h, |t| {
            sample.set_along(&zero, t);
            let (rows_of, _) = sample.dynamics.loop_rows();
            apply(&rows(&rows_of), &sample.v)
        });
        drifts.compare(&drift, &differences, |_| size * frequency * frequency);
    });
}

#[test]
fn contacts_of_closed_loops_are_those_of_the_dense_system() {
    // [M Cᵀ; C 0] solved densely: accelerations under forces, and W = A times the answers to Aᵀ.
    let mut delassus = Gauge::new("W = dense system, over condition", 1e-12);
    let mut accelerations = Gauge::new("accelerations = dense system, over condition", 1e-12);
    let mut single = Gauge::new("W of one contact, over condition", 1e-13);
    let (mut seen, mut redundant) = (0, 0);
    for_cases(400, |rng| {
        let sample = Sample::random(rng, Options { links: 10, ..Options::ALL });
        if sample.nv() < 3 {
            return;
        }
        let loops: Vec<Loop> =
            (0..1 + rng.usize(..2)).map(|k| random_loop(&sample.dynamics, rng, &format!("l{k}"), true)).collect();
        let model = with_loops(&sample.model, loops.clone());
        let mut dynamics = Dynamics::new(Arc::clone(&model));
        dynamics.set_state(&sample.q, &sample.v).unwrap();
        let (c, drift) = dynamics.loop_rows();
        let c = rows(&c);
        let (n, m) = (sample.nv(), c.len());
        // Only conditions that are independent by far: the dense system has to be solved.
        let whitened: Rows = c.iter().map(|row| row.iter().zip(&sample.scale).map(|(c, s)| c / s).collect()).collect();
        let gram = product(&whitened, &transposed(&whitened));
        let size = (0..m).map(|i| gram[i][i]).fold(0.0, f64::max);
        let values = eigenvalues(&gram);
        if !(size > 0.0 && values[0] > 1e-5 * size) || m >= n {
            return;
        }
        seen += 1;
        let points = reduced(&contacts(&model, rng, 2), rng);
        let mut terms = Contacts::new(&model, &points);
        dynamics.contact_terms(&mut terms).unwrap();
        assert_eq!(dynamics.loop_rank().unwrap(), m);
        let mut system = vec![vec![0.0; n + m]; n + m];
        for i in 0..n {
            system[i][..n].copy_from_slice(&sample.mass[i]);
            for k in 0..m {
                (system[i][n + k], system[n + k][i]) = (c[k][i], c[k][i]);
            }
        }
        let answer = |top: &[f64], bottom: &[f64]| -> Vec<f64> {
            let right: Vec<f64> = top.iter().chain(bottom).copied().collect();
            solve(&system, &right)[..n].to_vec()
        };
        let jacobian = rows(terms.jacobian());
        let none = vec![0.0; m];
        let columns: Rows = jacobian.iter().map(|row| answer(row, &none)).collect();
        let expected = product(&jacobian, &transposed(&columns));
        let w = rows(terms.delassus());
        let free: Rows = jacobian.iter().map(|row| solve(&sample.mass, row)).collect();
        let free = product(&jacobian, &transposed(&free));
        let reach = (0..w.len()).map(|i| free[i][i]).fold(1e-9, f64::max);
        let condition = sample.condition * (size / values[0]).sqrt();
        for i in 0..w.len() {
            delassus.compare(&w[i], &expected[i], |_| condition * reach);
        }
        let mut row = 0;
        for contact in &points {
            let one = dynamics.single_contact(contact).unwrap();
            for i in 0..contact.dimension() {
                for j in 0..contact.dimension() {
                    single.see((one.delassus[i][j] - w[row + i][row + j]).abs(), condition * reach);
                }
            }
            row += contact.dimension();
        }

        // Forces with and without contacts.
        let force = numbers(rng, n, 1.0);
        let bias = dynamics.bias().to_vec();
        let net: Vec<f64> = force.iter().zip(&bias).map(|(f, h)| f - h).collect();
        let opposite: Vec<f64> = drift.iter().map(|g| -g).collect();
        let wanted = answer(&net, &opposite);
        let scale = condition * (largest(&wanted) + 1e-3) * 10.0;
        let moved = dynamics.forward_dynamics(&force).unwrap().to_vec();
        accelerations.compare(&moved, &wanted, |_| scale);
        let (mut work, mut contact_rates) = (net.clone(), vec![0.0; w.len()]);
        dynamics.contact_free_acceleration(&terms, &mut work, &mut contact_rates).unwrap();
        let along = apply(&jacobian, &wanted);
        let rates: Vec<f64> = along.iter().zip(terms.drift()).map(|(a, d)| a + d).collect();
        let size_of_rates = condition * (largest(&rates) + largest(&along) + largest(&wanted) + 1e-3) * 10.0;
        accelerations.compare(&contact_rates, &rates, |_| size_of_rates);
        let pushes = numbers(rng, w.len(), 1.0);
        dynamics.contact_acceleration(&terms, &pushes, &mut work).unwrap();
        let mut pushed = net.clone();
        for (push, row) in pushes.iter().zip(&jacobian) {
            pushed.iter_mut().zip(row).for_each(|(f, a)| *f += push * a);
        }
        let wanted = answer(&pushed, &opposite);
        accelerations.compare(&work, &wanted, |_| condition * (largest(&wanted) + 1e-3) * 10.0);

        // Every loop twice: the same motion, a basis of the same rank.
        let twice =
            loops.iter().cloned().chain(loops.iter().map(|one| Loop { name: format!("{}'", one.name), ..one.clone() }));
        let model = with_loops(&sample.model, twice.collect());
        let mut dynamics = Dynamics::new(model);
        dynamics.set_state(&sample.q, &sample.v).unwrap();
        let mut again = terms.clone();
        dynamics.contact_terms(&mut again).unwrap();
        assert_eq!(dynamics.loop_rank().unwrap(), m);
        for i in 0..w.len() {
            delassus.compare(again.delassus().row(i), &w[i], |_| condition * reach);
        }
        let impulses = numbers(rng, w.len(), 1.0);
        assert!(dynamics.loop_impulses(&again, &impulses).unwrap().iter().all(|one| !one.is_unique));
        redundant += 1;
    });
    assert!(seen > 100 && redundant > 100, "only {seen} mechanisms were informative");
}

#[test]
fn closing_moves_what_is_not_held_and_keeps_what_moves_together() {
    let mut rates = Gauge::new("C v after closing", 1e-12);
    let mut closed = 0;
    for_cases(300, |rng| {
        let sample = Sample::random(rng, Options { links: 8, ..Options::FREE });
        let loops = vec![random_loop(&sample.dynamics, rng, "one", true)];
        let model = with_loops(&sample.model, loops);
        let mut dynamics = Dynamics::new(Arc::clone(&model));
        // Opened a little, with some joints held where they are.
        let mut opened = vec![0.0; sample.q.len()];
        let push = numbers(rng, sample.nv(), 0.02);
        model.integrate(&sample.q, &push, 1.0, &mut opened).unwrap();
        dynamics.set_state(&opened, &sample.v).unwrap();
        if dynamics.loop_miss().unwrap().1 < 1e-9 {
            return;
        }
        let mut held = vec![false; sample.nv()];
        for joint in model.joints() {
            let is_held = rng.u8(..4) == 0;
            held[joint.velocities.clone()].fill(is_held);
        }
        match dynamics.close_loops(&held, &held) {
            Ok(closing) => {
                closed += 1;
                assert!(closing.unwrap().gap <= 1e-6);
                let (c, _) = dynamics.loop_rows();
                let v = dynamics.velocity().to_vec();
                for row in rows(&c) {
                    let size: f64 = row.iter().zip(&v).map(|(a, v)| (a * v).abs()).sum();
                    rates.see(dot(&row, &v).abs(), 1e3 * (size + largest(&v)));
                }
                let mut moved = vec![0.0; sample.nv()];
                model.difference(&opened, dynamics.configuration(), &mut moved).unwrap();
                for (k, _) in held.iter().enumerate().filter(|(_, held)| **held) {
                    assert!(moved[k].abs() < 1e-5 && (v[k] - sample.v[k]).abs() < 1e-12 * (1.0 + v[k].abs()), "{k}");
                }
            }
            Err(DynamicsError::CannotClose { .. } | DynamicsError::MovingLoop { .. }) => {}
            Err(other) => panic!("{other}"),
        }
    });
    assert!(closed > 100, "only {closed} were closed");
}
