//! Forces inside a phase of known modes: analytic cases, and an independent pseudo-inverse.

mod common;

use carom_law::{Dimension, Grip, MatrixView, PhaseContact, PhaseForces, PhaseReport, Rows};
use common::bodies::{Body, gravity};
use common::random;
use fastrand::Rng;
use nalgebra::{DMatrix, DVector};

/// What rounding leaves of forces, relative to the largest, with the condition numbers of the families here.
const ROUNDING: f64 = 1e-9;

fn dimension(d: usize) -> Dimension {
    Dimension::from_rows(d, "d").unwrap()
}

fn solve(w: &DMatrix<f64>, alpha: &DVector<f64>, contacts: &[PhaseContact]) -> (Vec<f64>, PhaseReport) {
    let mut forces = vec![f64::NAN; alpha.len()];
    let report = PhaseForces::new().solve(w.into(), alpha.as_slice(), contacts, &mut forces).unwrap();
    (forces, report)
}

fn sticking(d: usize, m: usize) -> Vec<PhaseContact> {
    vec![PhaseContact { dimension: dimension(d), grip: Grip::Stick }; m]
}

fn sliding(d: usize, m: usize, direction: [f64; 2], friction: f64) -> Vec<PhaseContact> {
    vec![PhaseContact { dimension: dimension(d), grip: Grip::Slip { direction, friction } }; m]
}

/// `K`, its rows, and the map from its unknowns to the forces: written down from the definition.
fn system(w: &DMatrix<f64>, contacts: &[PhaseContact]) -> (DMatrix<f64>, Vec<usize>, DMatrix<f64>) {
    let n = w.nrows();
    let (mut rows, mut columns, mut row) = (Vec::new(), Vec::new(), 0);
    for c in contacts {
        let d = c.dimension.rows();
        match c.grip {
            Grip::Stick => {
                for i in row..row + d {
                    rows.push(i);
                    columns.push(DVector::from_fn(n, |j, _| f64::from(u8::from(i == j))));
                }
            }
            Grip::Slip { direction, friction } => {
                rows.push(row);
                columns.push(DVector::from_fn(n, |j, _| match j.checked_sub(row) {
                    Some(0) => 1.0,
                    Some(t) if t < d => -friction * direction[t - 1],
                    _ => 0.0,
                }));
            }
        }
        row += d;
    }
    let spread = DMatrix::from_columns(&columns);
    let k = (w * &spread).select_rows(&rows);
    (k, rows, spread)
}

fn random_grips(rng: &mut Rng, d: usize, m: usize, mu: f64) -> Vec<PhaseContact> {
    (0..m)
        .map(|_| {
            let angle = random::between(rng, 0.0, std::f64::consts::TAU);
            let direction = if d == 3 { [angle.cos(), angle.sin()] } else { [angle.cos().signum(), 0.0] };
            let friction = random::between(rng, 0.0, mu);
            let grip = if rng.bool() { Grip::Stick } else { Grip::Slip { direction, friction } };
            PhaseContact { dimension: dimension(d), grip }
        })
        .collect()
}

#[test]
fn a_brick_slides_down_an_incline() {
    // (28°, 30°): a = g (sin - 0.5 cos).
    for (degrees, expected) in [(28.0_f64, 0.2746580879565519), (30.0, 0.6571453944373284)] {
        for d in [2, 3] {
            let body = Body::on_corners(2.5, [0.1, 0.07, 0.05], d);
            let alpha = body.at_contacts(gravity(9.81, degrees.to_radians(), 0.0));
            let (forces, report) = solve(&body.delassus(), &alpha, &sliding(d, body.points.len(), [1.0, 0.0], 0.5));
            let (linear, angular) = body.response(&forces);
            let free = gravity(9.81, degrees.to_radians(), 0.0).0;
            assert!((free.x + linear.x - expected).abs() < 1e-13, "{}", free.x + linear.x);
            assert!((free.z + linear.z).abs() < 1e-13 && angular.norm() < 1e-12);
            assert_eq!((report.rank, report.unknowns), if d == 3 { (3, 4) } else { (2, 2) });
        }
    }
}

#[test]
fn a_cube_on_four_corners_has_rank_six_of_twelve() {
    let body = Body::on_corners(1.0, [0.5; 3], 3);
    let alpha = body.at_contacts(gravity(10.0, 0.3, 0.7));
    let w = body.delassus();
    let (forces, report) = solve(&w, &alpha, &sticking(3, 4));
    assert_eq!((report.rank, report.unknowns), (6, 12));
    assert!(report.residual < 1e-14, "{report:?}");
    assert_eq!(report.min_reduced, 1.0);
    let shortest = w.pseudo_inverse(1e-12).unwrap() * -&alpha;
    for (x, y) in forces.iter().zip(&shortest) {
        assert!((x - y).abs() < 1e-13);
    }
}

#[test]
fn painleve_shows_in_the_reduced_inertia() {
    // A rod of length and mass 1 at 60°, its lower end on the floor: D = -0.588269.
    let (s, c) = 60f64.to_radians().sin_cos();
    let w = DMatrix::from_row_slice(2, 2, &[1.0 + 3.0 * c * c, 3.0 * s * c, 3.0 * s * c, 1.0 + 3.0 * s * s]);
    let alpha = DVector::from_row_slice(&[-9.81, 0.0]);
    let (_, report) = solve(&w, &alpha, &sliding(2, 1, [1.0, 0.0], 1.8));
    assert!((report.min_reduced * w[(0, 0)] + 0.588269).abs() < 1e-6, "{report:?}");
}

#[test]
fn redundant_contacts_change_no_acceleration_in_stick() {
    let mut rng = random::generator("redundant_contacts_change_no_acceleration_in_stick");
    for _ in 0..random::cases(300) {
        let body = Body::random_on_a_face(&mut rng, 3, 7);
        let p = &body.points;
        if (p[1] - p[0]).cross(&(p[2] - p[0])).norm() < 0.1 {
            // Three points nearly on a line hold the body badly.
            continue;
        }
        let free = gravity(9.81, random::between(&mut rng, 0.0, 1.0), random::between(&mut rng, 0.0, 6.0));
        let mut first = None;
        for m in [3, 4, 5, 7] {
            let mut part = body.clone();
            part.points.truncate(m);
            let (forces, report) = solve(&part.delassus(), &part.at_contacts(free), &sticking(3, m));
            assert_eq!(report.rank, 6);
            assert!(report.residual < 1e-11, "{report:?}");
            let (linear, angular) = part.response(&forces);
            let (linear0, angular0) = *first.get_or_insert((linear, angular));
            assert!((linear - linear0).norm() < ROUNDING * 9.81, "{linear} {linear0}");
            assert!((angular - angular0).norm() < ROUNDING * 9.81, "{angular} {angular0}");
        }
    }
}

/// The shortest of the best answers, by singular values and, where contacts must not pull, by trying all ways: algorithms
/// that share nothing with the one tested.
#[test]
fn forces_are_those_of_the_pseudo_inverse() {
    let mut rng = random::generator("forces_are_those_of_the_pseudo_inverse");
    let (mut deficient, mut compared, mut wrong, mut pushed, mut none_push) = (0, 0, 0, 0, 0);
    for case in 0..random::cases(2000) {
        let (d, m) = (rng.usize(2..=3), rng.usize(1..=6));
        let body = if case % 2 == 0 { Body::random(&mut rng, d, m) } else { Body::random_on_a_face(&mut rng, d, m) };
        let w = body.delassus();
        let contacts = random_grips(&mut rng, d, m, 0.4);
        let alpha = body.at_contacts(gravity(9.81, rng.f64(), 6.0 * rng.f64()));
        let (k, rows, spread) = system(&w, &contacts);
        let svd = k.clone().svd(true, true);
        let largest = svd.singular_values[0];
        // The decomposition of the library is itself wrong for one in a thousand matrices: it does not give them back.
        let product =
            svd.u.as_ref().unwrap() * DMatrix::from_diagonal(&svd.singular_values) * svd.v_t.as_ref().unwrap();
        if (product - &k).amax() > 1e-12 * largest {
            wrong += 1;
            continue;
        }
        // Between rounding and what surely counts: left out.
        if svd.singular_values.iter().any(|s| (1e-13..1e-5).contains(&(s / largest))) {
            continue;
        }
        let rank = svd.singular_values.iter().filter(|s| **s > 1e-9 * largest).count();
        let right = -alpha.select_rows(&rows);
        let mut shortest = svd.solve(&right, 1e-9 * largest).unwrap();
        let sliding = sliding_unknowns(&contacts);
        if sliding.iter().any(|&j| shortest[j] < -1e-9 * shortest.amax()) && rank < rows.len() {
            match shortest_that_push(&k, &right, &sliding) {
                Pushing::Some(pushing) => {
                    shortest = pushing;
                    pushed += 1;
                }
                Pushing::None => none_push += 1,
                Pushing::Unclear => continue,
            }
        }
        let expected = &spread * shortest;
        let (forces, report) = solve(&w, &alpha, &contacts);
        assert_eq!((report.rank, report.unknowns), (rank, rows.len()), "{body:?}");
        // The reference is as good as its product, times the condition number.
        let condition =
            largest / svd.singular_values.iter().filter(|s| **s > 1e-9 * largest).fold(largest, |a, b| a.min(*b));
        let size = expected.amax();
        for (x, y) in forces.iter().zip(&expected) {
            assert!((x - y).abs() <= 1e-11 * condition * size, "{forces:?}\n{expected}\n{body:?}\n{contacts:?}");
        }
        deficient += usize::from(rank < rows.len());
        compared += 1;
    }
    assert!(wrong * 200 < compared, "{wrong} of {compared}");
    assert!(deficient * 3 > compared && compared * 2 > random::cases(2000), "{deficient} of {compared}");
    assert!(pushed * 50 > compared && none_push * 50 > compared, "{pushed} and {none_push} of {compared}");
}

/// Joints with dry friction beside contacts: their pads are coupled with nothing, but a pad's force drags its joint, and the joint
/// everything else. All at once, by elimination of the whole system.
#[test]
fn pads_that_nothing_acts_on_act_on_everything() {
    let mut rng = random::generator("pads_that_nothing_acts_on_act_on_everything");
    for _ in 0..random::cases(300) {
        let (freedoms, pads, others) = (14, rng.usize(1..=5), rng.usize(0..=2));
        let root =
            DMatrix::from_fn(freedoms, freedoms, |i, j| f64::from(u8::from(i == j)) + 0.2 * random::normal(&mut rng));
        let compliance = &root * root.transpose();
        let mut contacts = random_grips(&mut rng, 2, pads, 1.0);
        contacts.extend(random_grips(&mut rng, 3, others, 0.1));
        let rows = 2 * pads + 3 * others;
        let jacobian = DMatrix::from_fn(rows, freedoms, |i, j| match i {
            i if i < 2 * pads => f64::from(u8::from(i % 2 == 1 && j == i / 2)),
            _ => random::normal(&mut rng),
        });
        let mut w = &jacobian * compliance * jacobian.transpose();
        let mut alpha = DVector::from_fn(rows, |_, _| random::normal(&mut rng));
        for pad in 0..pads {
            w[(2 * pad, 2 * pad)] = w[(2 * pad + 1, 2 * pad + 1)];
            alpha[2 * pad] = -rng.f64();
        }
        let (k, held, spread) = system(&w, &contacts);
        let expected = &spread * k.lu().solve(&-alpha.select_rows(&held)).unwrap();
        let (forces, report) = solve(&w, &alpha, &contacts);
        assert_eq!((report.rank, report.unknowns), (held.len(), held.len()));
        assert!(report.residual < 1e-10, "{report:?}");
        for (x, y) in forces.iter().zip(&expected) {
            assert!((x - y).abs() <= ROUNDING * expected.amax(), "{forces:?}\n{expected}\n{contacts:?}");
        }
    }
}

/// Which unknowns are normal forces of sliding contacts with friction.
fn sliding_unknowns(contacts: &[PhaseContact]) -> Vec<usize> {
    let (mut sliding, mut place) = (Vec::new(), 0);
    for contact in contacts {
        if let Grip::Slip { friction, .. } = contact.grip {
            if friction > 0.0 {
                sliding.push(place);
            }
            place += 1;
        } else {
            place += contact.dimension.rows();
        }
    }
    sliding
}

enum Pushing {
    Some(DVector<f64>),
    None,
    /// By a hair, or only with stresses beyond all measure.
    Unclear,
}

/// The shortest `x` with `K x = b` and no sliding contact that pulls: of all choices of contacts without force, the best.
fn shortest_that_push(k: &DMatrix<f64>, b: &DVector<f64>, sliding: &[usize]) -> Pushing {
    let mut best: Option<DVector<f64>> = None;
    let mut is_unclear = false;
    for choice in 0_u32..1 << sliding.len() {
        let empty: Vec<usize> =
            (0..sliding.len()).filter(|bit| choice >> bit & 1 == 1).map(|bit| sliding[bit]).collect();
        let mut rest = k.clone();
        empty.iter().for_each(|&j| rest.column_mut(j).fill(0.0));
        let Ok(inverse) = rest.clone().pseudo_inverse(1e-9 * k.amax()) else { continue };
        let mut x = inverse * b;
        empty.iter().for_each(|&j| x[j] = 0.0);
        let left = (k * &x - b).amax() / b.amax();
        let pull = sliding.iter().map(|&j| -x[j]).fold(0.0, f64::max) / x.amax();
        is_unclear |= (1e-11..1e-5).contains(&left) || (1e-11..1e-5).contains(&pull);
        if left < 1e-9 && pull < 1e-9 && best.as_ref().is_none_or(|best| x.norm() < best.norm()) {
            best = Some(x);
        }
    }
    match best {
        _ if is_unclear => Pushing::Unclear,
        Some(x) if x.amax() > 1e2 * b.amax() / k.amax() => Pushing::Unclear,
        Some(x) => Pushing::Some(x),
        None => Pushing::None,
    }
}

#[test]
fn inconsistent_parts_are_not_magnified() {
    let body = Body::on_corners(1.0, [0.5, 0.4, 0.3], 3);
    let (w, alpha) = (body.delassus(), body.at_contacts(gravity(10.0, 0.3, 0.7)));
    let (clean, _) = solve(&w, &alpha, &sticking(3, 4));
    let mut rng = random::generator("inconsistent_parts_are_not_magnified");
    for _ in 0..100 {
        let dirty = alpha.map(|x| x + 1e-9 * random::normal(&mut rng));
        let (forces, report) = solve(&w, &dirty, &sticking(3, 4));
        assert!(report.residual < 1e-9);
        for (x, y) in forces.iter().zip(&clean) {
            // The smallest singular value that is not rounding is about 0.5.
            assert!((x - y).abs() < 1e-7, "{x} {y}");
        }
    }
}

#[test]
fn a_light_and_a_heavy_body_are_solved_side_by_side() {
    let (light, heavy) = (Body::on_corners(1e-6, [0.5; 3], 3), Body::on_corners(1e9, [0.5; 3], 3));
    let (a, b) = (light.delassus(), heavy.delassus());
    let mut w = DMatrix::zeros(24, 24);
    w.view_mut((0, 0), (12, 12)).copy_from(&a);
    w.view_mut((12, 12), (12, 12)).copy_from(&b);
    let free = light.at_contacts(gravity(10.0, 0.2, 0.4));
    let alpha = DVector::from_iterator(24, free.iter().chain(free.iter()).copied());
    let (forces, report) = solve(&w, &alpha, &sticking(3, 8));
    assert_eq!((report.rank, report.unknowns), (12, 24));
    assert!(report.residual < 1e-14);
    for i in 0..12 {
        assert!((forces[12 + i] / forces[i] / 1e15 - 1.0).abs() < 1e-9, "{i}: {forces:?}");
    }
}

#[test]
fn powers_of_two_change_no_bit() {
    let mut rng = random::generator("powers_of_two_change_no_bit");
    for case in 0..random::cases(300) {
        let (d, m) = (rng.usize(2..=3), rng.usize(1..=5));
        let body = if case % 2 == 0 { Body::random(&mut rng, d, m) } else { Body::random_on_a_face(&mut rng, d, m) };
        let (w, alpha) = (body.delassus(), body.at_contacts(gravity(9.81, rng.f64(), 6.0 * rng.f64())));
        let contacts = random_grips(&mut rng, d, m, 0.5);
        let (forces, report) = solve(&w, &alpha, &contacts);
        for (of_w, of_alpha) in [(1, 0), (0, 7), (-31, 12), (450, -300), (-450, 300)] {
            let (p, q) = (2f64.powi(of_w), 2f64.powi(of_alpha));
            let (scaled, other) = solve(&(&w * p), &(&alpha * q), &contacts);
            assert_eq!(report, other);
            assert_eq!(forces, scaled.iter().map(|x| x / q * p).collect::<Vec<_>>());
        }
    }
}

#[test]
fn balance_projects_and_takes_energy() {
    let mut rng = random::generator("balance_projects_and_takes_energy");
    let mut phase = PhaseForces::new();
    for _ in 0..random::cases(500) {
        let (d, m) = (rng.usize(2..=3), rng.usize(1..=5));
        let body = Body::random_on_a_face(&mut rng, d, m);
        let w = body.delassus();
        let motion = (
            nalgebra::Vector3::from_fn(|_, _| random::normal(&mut rng)),
            nalgebra::Vector3::from_fn(|_, _| random::normal(&mut rng)),
        );
        let excess = body.at_contacts(motion);
        let contacts = random_grips(&mut rng, d, m, 0.5);
        for rows in [Rows::Normals, Rows::Held] {
            let mut impulses = vec![f64::NAN; excess.len()];
            let report = phase.balance((&w).into(), &contacts, rows, excess.as_slice(), &mut impulses).unwrap();
            let impulses = DVector::from_vec(impulses);
            let after = &excess + &w * &impulses;
            for (k, contact) in contacts.iter().enumerate() {
                let held = if rows == Rows::Held && contact.grip == Grip::Stick { d } else { 1 };
                for i in 0..d {
                    if i < held {
                        assert!(after[k * d + i].abs() < 1e-9 * excess.amax(), "{after}");
                    } else {
                        assert_eq!(impulses[k * d + i], 0.0);
                    }
                }
            }
            assert!(report.residual < 1e-9);
            let change = 0.5 * (&excess + &after).dot(&impulses);
            assert!(change <= 1e-12 * excess.norm() * impulses.norm(), "{change}");
        }
    }
}

#[test]
fn errors_name_what_is_wrong() {
    let mut phase = PhaseForces::new();
    let mut forces = [0.0; 2];
    let w = [1.0, 0.2, 0.2, 1.0];
    let mut message = |w: &[f64], alpha: &[f64], grip: Grip| {
        let contacts = [PhaseContact { dimension: Dimension::Planar, grip }];
        let result = phase.solve(MatrixView::row_major(2, 2, w), alpha, &contacts, &mut forces);
        result.unwrap_err().to_string()
    };
    let slip = |direction, friction| Grip::Slip { direction, friction };
    assert_eq!(
        message(&w, &[1.0], Grip::Stick),
        "free_acceleration is 1 numbers, but must be 2 numbers, one for each row of the contacts"
    );
    assert_eq!(message(&w, &[1.0, f64::NAN], Grip::Stick), "free_acceleration[1] = NaN is not finite");
    assert_eq!(message(&[1.0, 0.2, f64::INFINITY, 1.0], &[1.0; 2], Grip::Stick), "delassus[1][0] = inf is not finite");
    assert_eq!(
        message(&[1.0, 0.2, 0.3], &[1.0; 2], Grip::Stick),
        "delassus is 2 x 2 with 3 numbers, but must be 2 x 2, as the contacts have 2 rows"
    );
    assert!(message(&[0.0, 0.0, 0.0, 1.0], &[1.0; 2], Grip::Stick).starts_with("delassus[0][0] is not positive"));
    assert_eq!(
        message(&w, &[1.0; 2], slip([0.5, 0.0], 0.1)),
        "contacts[0].grip.direction = 0.5 is outside length 1, to 1e-9"
    );
    assert_eq!(message(&w, &[1.0; 2], slip([1.0, 0.0], -0.1)), "contacts[0].grip.friction = -0.1 is outside [0, inf)");
    assert_eq!(
        message(&[1e-300, 0.0, 0.0, 1e-300], &[1e300; 2], Grip::Stick),
        "forces[0] of the answer is beyond the range of f64 (2.2e-308 to 1.8e308): change the units"
    );
}
