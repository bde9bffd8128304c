//! Contacts: W, responses to impulses, axes, one by one and several.
//!
//! Errors are judged relative to a norm that each test states. Velocities are compared after multiplication with
//! √Mᵢᵢ and forces after division by it, so that metres and radians, light and heavy links count alike. Where M⁻¹ acts,
//! rounding errors of n ε, 1e-14 for the largest trees here, grow by the condition of M with unit diagonal, and so does
//! the bound.

mod common;

use std::sync::Arc;

use carom_multibody::{
    ContactPoint, ContactTerms, Contacts, Dynamics, DynamicsError, EnergyChange, LinkId, Vector, WhitenedTerms,
    contact_basis, joint_limits,
};
use common::*;

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
        if sample.nv() > 0 {
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
fn whitened_terms_are_a_factor_of_w_and_of_its_velocity() {
    // Relative to the largest entry of W, of the velocity's terms |R||s| and of √J, over the condition of M.
    let mut delassus = Gauge::new("Rᵀ R = W, over condition", 3e-14);
    let mut velocity = Gauge::new("Rᵀ s = A v, over condition", 1e-14);
    let mut energy = Gauge::new("s s is at most twice the kinetic energy, over condition", 1e-14);
    let mut effect = Gauge::new("what R i does is what i does, over condition", 3e-14);
    let mut reach = Gauge::new("A F⁻¹ Q x = Rᵀ x, over condition", 3e-14);
    for_cases(300, |rng| {
        let mut sample = Sample::random(rng, Options::ALL);
        let full = contacts(&sample.model, rng, 3);
        for contact in &reduced(&full, rng) {
            let d = contact.dimension();
            let terms = sample.dynamics.single_contact(contact).unwrap();
            let WhitenedTerms { factor: r, velocity: speed, whitened_velocity: s } =
                sample.dynamics.whitened_contact(contact).unwrap();
            assert_eq!(speed, terms.velocity);
            let largest_w = (0..3).map(|i| terms.delassus[i][i]).fold(0.0, f64::max);
            let size = largest_w.sqrt();
            for i in 0..3 {
                for j in 0..3 {
                    assert!(r[i][j] == 0.0 || i <= j && j < d, "{r:?}");
                    let product: f64 = (0..3).map(|k| r[k][i] * r[k][j]).sum();
                    delassus.see((product - terms.delassus[i][j]).abs(), sample.condition * largest_w);
                }
                let (own, terms): (f64, f64) =
                    (0..3).map(|k| r[k][i] * s[k]).fold((0.0, 0.0), |(sum, size), x| (sum + x, size + x.abs()));
                velocity
                    .see((own - speed[i]).abs(), sample.condition * (terms + size * sample.velocity_size(&sample.v)));
            }
            let kinetic = sample.dynamics.kinetic_energy();
            energy.see((dot(&s, &s) - 2.0 * kinetic).max(0.0), sample.condition * kinetic);

            let impulse = numbers(rng, 3, 1.0);
            let turned = [0, 1, 2].map(|i| (0..d).map(|j| r[i][j] * impulse[j]).sum::<f64>());
            let mut expected = vec![0.0; sample.nv()];
            sample.dynamics.impulse_response(contact, &impulse[..d], &mut expected).unwrap();
            // Added to what is there; asked after another contact, it finds its own again.
            let start = numbers(rng, sample.nv(), 1.0);
            let mut after = start.clone();
            sample.dynamics.whitened_contact(&full[0]).unwrap();
            sample.dynamics.add_whitened_change(contact, &turned, &mut after).unwrap();
            let added: Vec<f64> = after.iter().zip(&start).map(|(after, start)| after - start).collect();
            let whole = sample.velocity_size(&start) + 3.0 * size;
            effect.compare(&added, &expected, |i| sample.condition * whole / sample.scale[i]);

            let change = [0, 1, 2].map(|_| spread(rng, 1.0));
            let mut moved = vec![0.0; sample.nv()];
            sample.dynamics.add_whitened_change(contact, &change, &mut moved).unwrap();
            let motion = sample.dynamics.contact_velocity_of(contact, &moved).unwrap();
            for i in 0..d {
                let expected: f64 = (0..d).map(|k| r[k][i] * change[k]).sum();
                reach.see((motion.velocity[i] - expected).abs(), sample.condition * (motion.size + size));
            }
        }
        // Hager's estimate is a lower bound, but for rounding, of a norm that is at most n times the largest eigenvalue.
        let (estimate, n) = (sample.dynamics.mass_condition(), sample.nv() as f64);
        if n > 0.0 {
            assert!(estimate <= n * sample.condition * (1.0 + 1e-9), "{estimate} {}", sample.condition);
            assert!(3.0 * n * estimate >= sample.condition, "{estimate} {}", sample.condition);
        }
    });
    let mut sample = Sample::random(&mut fastrand::Rng::with_seed(5), Options::ALL);
    let contact = contacts(&sample.model, &mut fastrand::Rng::with_seed(5), 1)[0];
    let mut after = vec![0.0; sample.nv()];
    let not_finite = sample.dynamics.add_whitened_change(&contact, &[0.0, f64::NAN, 0.0], &mut after);
    assert!(matches!(not_finite, Err(DynamicsError::NotFinite { field: "change", index: 1, .. })));
    let short = sample.dynamics.add_whitened_change(&contact, &[0.0; 3], &mut after[1..]);
    assert!(matches!(short, Err(DynamicsError::Length { field: "velocity", .. })));
}

#[test]
fn velocities_along_the_chains_are_a_v_and_energies_of_the_links_half_v_m_v() {
    // Of any velocity, not that of the state alone; relative to |A||v|, which the size stated is no less than, and to K.
    let mut of_contacts = Gauge::new("A v along the chains", 1e-14);
    let mut energy = Gauge::new("K of another velocity", 1e-14);
    for_cases(300, |rng| {
        let mut sample = Sample::random(rng, Options::ALL);
        let full = contacts(&sample.model, rng, 4);
        let mut terms = Contacts::with_limits(&sample.model, &reduced(&full, rng), &joint_limits(&sample.model));
        let selected: Vec<usize> = terms.selected().iter().copied().filter(|_| rng.u8(..4) > 0).collect();
        terms.select(&selected).unwrap();
        sample.dynamics.contact_kinematics(&mut terms).unwrap();
        let v = numbers(rng, sample.nv(), 2.0);
        let count = terms.velocity().len();
        let (mut moving, mut sizes) = (vec![f64::NAN; count], vec![f64::NAN; count]);
        sample.dynamics.contacts_velocity_of(&terms, &v, &mut moving, &mut sizes).unwrap();
        for (r, row) in rows(terms.jacobian()).iter().enumerate() {
            let size: f64 = row.iter().zip(&v).map(|(a, v)| (a * v).abs()).sum();
            assert!(sizes[r] >= size * (1.0 - 1e-14), "row {r}: {} < {size}", sizes[r]);
            of_contacts.see((moving[r] - dot(row, &v)).abs(), sizes[r]);
        }
        let expected = 0.5 * dot(&v, &apply(&sample.mass, &v));
        let EnergyChange { before, after, after_size } = sample.dynamics.kinetic_energy_change(&v).unwrap();
        energy.see((after - expected).abs(), sample.condition * expected);
        assert!(after_size >= 2.0 * expected * (1.0 - 1e-14 * sample.condition));
        // The state is as it was.
        let own = 0.5 * dot(&sample.v, &apply(&sample.mass, &sample.v));
        energy.see((before - own).abs(), sample.condition * own);
        energy.see((sample.dynamics.kinetic_energy() - own).abs(), sample.condition * own);
        for point in terms.points() {
            let [now, then] = sample.dynamics.contact_velocity_change(point, &v).unwrap();
            assert_eq!(now, sample.dynamics.contact_velocity_of(point, &sample.v).unwrap());
            assert_eq!(then, sample.dynamics.contact_velocity_of(point, &v).unwrap());
        }
        if count > 0 {
            let short = sample.dynamics.contacts_velocity_of(&terms, &v, &mut moving[1..], &mut sizes);
            assert!(matches!(short, Err(DynamicsError::Length { field: "moving", .. })));
        }
    });
}

#[test]
fn one_pass_gives_the_velocity_after_an_impulse_and_what_it_is_checked_by() {
    // A from the terms and M from its own algorithm, relative to |A||v| and to K.
    let mut motion = Gauge::new("A v in the pass of the response", 1e-14);
    let mut energy = Gauge::new("K in the pass of the response", 1e-14);
    for_cases(300, |rng| {
        let mut sample = Sample::random(rng, Options::ALL);
        let n = sample.nv();
        let full = contacts(&sample.model, rng, 3);
        for contact in reduced(&full, rng) {
            let mut terms = Contacts::new(&sample.model, &[contact]);
            sample.dynamics.contact_kinematics(&mut terms).unwrap();
            let impulse = numbers(rng, contact.dimension(), 1.0);
            let [mut change, mut after] = [(); 2].map(|()| vec![f64::NAN; n]);
            sample.dynamics.impulse_response(&contact, &impulse, &mut change).unwrap();
            let expected: Vec<f64> = sample.v.iter().zip(&change).map(|(before, change)| before + change).collect();
            sample.dynamics.velocity_after(&contact, &impulse, &mut after).unwrap();
            assert_eq!(after, expected);
            for with_energies in [false, true] {
                after.fill(f64::NAN);
                let struck = sample.dynamics.strike(&contact, &impulse, with_energies, &mut after).unwrap();
                assert_eq!(after, expected);
                let jacobian = rows(terms.jacobian());
                for row in 0..3 {
                    let Some(a) = jacobian.get(row) else {
                        assert_eq!(struck.after.velocity[row], 0.0);
                        continue;
                    };
                    let size = |v: &[f64]| a.iter().zip(v).map(|(a, v)| (a * v).abs()).sum::<f64>() * (1.0 - 1e-14);
                    assert!(struck.after.size >= size(&after) && struck.before_size >= size(&sample.v));
                    motion.see((struck.after.velocity[row] - dot(a, &after)).abs(), struck.after.size);
                }
                // As tight as the sizes of the way along the chain alone.
                let [before, alone] = sample.dynamics.contact_velocity_change(&contact, &after).unwrap();
                motion.see((struck.after.size - alone.size).abs(), alone.size);
                motion.see((struck.before_size - before.size).abs(), before.size);
                assert_eq!(struck.energy.is_some(), with_energies);
                if let Some(EnergyChange { before, after: then, after_size }) = struck.energy {
                    let expected = 0.5 * dot(&after, &apply(&sample.mass, &after));
                    energy.see((then - expected).abs(), sample.condition * expected);
                    let own = 0.5 * dot(&sample.v, &apply(&sample.mass, &sample.v));
                    energy.see((before - own).abs(), sample.condition * own);
                    let alone = sample.dynamics.kinetic_energy_change(&after).unwrap();
                    energy.see((after_size - alone.after_size).abs(), alone.after_size);
                }
            }
            let mut short = vec![0.0; n + 1];
            let error = sample.dynamics.strike(&contact, &impulse, true, &mut short).unwrap_err();
            assert!(matches!(error, DynamicsError::Length { .. }), "{error}");
        }
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
        let n = sample.nv();
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
fn answers_do_not_depend_on_what_was_asked_before() {
    for_cases(100, |rng| {
        let sample = Sample::random(rng, Options::ALL);
        let n = sample.nv();
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
        let sketch = Sketch::planar(rng, normal);
        let model = sketch.build();
        let plane = model.plane().expect("all axes agree");
        assert!((plane.dot(normal).abs() - 1.0).abs() < 1e-14);
        let q = configuration(&model, rng);
        let v = numbers(rng, model.nv(), 1.0);
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
