//! Mechanisms given by their mass matrix: the ledger of their energy, and the units of their coordinates.

mod common;

use carom_law::{Coefficients, Contact, Delassus, Friction, GeneralizedContact, Guard, Mode, Restitution};
use common::random;
use fastrand::Rng;
use nalgebra::{DMatrix, DVector};

const EPS: f64 = f64::EPSILON;

/// A mechanism with `n` coordinates: `(M, A, q̇⁻)`, the mass matrix with a condition of at most a few hundred.
fn mechanism(rng: &mut Rng, n: usize, d: usize) -> (DMatrix<f64>, DMatrix<f64>, DVector<f64>) {
    let b = DMatrix::from_fn(n, n, |_, _| random::normal(rng));
    let m = &b * b.transpose() + DMatrix::identity(n, n) * 0.1 * n as f64;
    let a = DMatrix::from_fn(d, n, |_, _| random::normal(rng));
    let mut v = DVector::from_fn(n, |_, _| random::normal(rng));
    if (a.row(0) * &v)[0] > 0.0 {
        v = -v;
    }
    (m, a, v)
}

fn coefficients(rng: &mut Rng) -> Coefficients {
    let mu = random::between(rng, 0.0, 1.5);
    let friction = Friction::with_static(mu * random::between(rng, 1.0, 1.5), mu).unwrap();
    Coefficients::new(Restitution::with_tangential(rng.f64(), random::between(rng, -0.3, 0.3)).unwrap(), friction)
}

/// `K⁺` is computed from `q̇⁺`, which is relative to `K⁻ + Σ |i_r| (|W||i| + |v|)_r`: an impulse rounded in its
/// last place leaves that much work. Factorising an `M` of up to 12 rows with a condition of a few hundred
/// adds a factor of that order at most.
const LEDGER: f64 = 1000.0 * EPS;

fn assert_ledger_closes(rng: &mut Rng, n: usize, d: usize) {
    let (m, a, v) = mechanism(rng, n, d);
    let contact = GeneralizedContact::new(&m, &a, v.as_slice()).unwrap();
    let coefficients = coefficients(rng);
    let w = &a * m.clone().cholesky().unwrap().solve(&a.transpose());
    for guard in Guard::ALL {
        let o = contact.impact(&coefficients, guard).unwrap();
        let after = DVector::from_column_slice(o.velocity.as_ref().unwrap());
        let (k_before, k_after) = (o.energy.before.unwrap(), o.energy.after.unwrap());
        let direct = 0.5 * (v.transpose() * &m * &v)[0];
        assert!((k_before - direct).abs() <= LEDGER * direct);
        let row = |r: usize| (0..d).map(|c| (w[(r, c)] * o.impulse[c]).abs()).sum::<f64>();
        let work = |r: usize| o.impulse[r].abs() * (o.contact_velocity.before[r].abs() + row(r));
        let scale = k_before + (0..d).map(work).sum::<f64>();
        let residual = (k_after - k_before - o.energy.change).abs();
        assert!(residual <= LEDGER * scale, "{residual:e} of {scale:e}: {m} {a} {v} {o:?}");
        let contact_after = &a * &after;
        for r in 0..d {
            let sum = |q: &DVector<f64>| (0..n).map(|j| (a[(r, j)] * q[j]).abs()).sum::<f64>();
            let rounding = LEDGER * (sum(&v) + sum(&after) + row(r));
            assert!((contact_after[r] - o.contact_velocity.after[r]).abs() <= rounding, "{m} {a} {v} {o:?}");
        }
    }
}

#[test]
fn the_ledger_closes_for_mechanisms() {
    let mut rng = random::generator("the_ledger_closes_for_mechanisms");
    for case in 0..random::cases(6000) {
        let d = rng.usize(1..=3);
        assert_ledger_closes(&mut rng, case % 11 + 2, d);
    }
}

/// The two forms are solved by different operations: velocities after agree to the condition numbers of M and W times
/// rounding, and modes unless a boundary is that near.
#[test]
fn a_mechanism_and_its_delassus_matrix_agree_to_rounding() {
    let mut rng = random::generator("a_mechanism_and_its_delassus_matrix_agree_to_rounding");
    for _ in 0..random::cases(1000) {
        let d = rng.usize(2..=3);
        let (m, a, v) = mechanism(&mut rng, 6, d);
        let coefficients = coefficients(&mut rng);
        let w = &a * m.clone().cholesky().unwrap().solve(&a.transpose());
        let w = (&w + w.transpose()) * 0.5;
        let generalized = GeneralizedContact::new(&m, &a, v.as_slice()).unwrap();
        let plain = Contact::new(Delassus::new(&w).unwrap(), (&a * &v).as_slice()).unwrap();
        let [one, other] = [
            generalized.impact(&coefficients, Guard::Report).unwrap(),
            plain.impact(&coefficients, Guard::Report).unwrap(),
        ];
        let singular_values = w.singular_values();
        let condition = singular_values.max() / singular_values.min();
        let scale =
            v.amax() * a.amax() * 6.0 + one.impulse.iter().fold(0.0_f64, |most, i| most.max(i.abs())) * w.amax();
        for (x, y) in one.contact_velocity.after.iter().zip(other.contact_velocity.after.iter()) {
            assert!((x - y).abs() <= LEDGER * condition * scale, "{x} {y} {condition:e} {m} {a} {v} {coefficients:?}");
        }
        assert_eq!(one.mode, other.mode, "{m} {a} {v} {coefficients:?}");
    }
}

#[test]
fn the_ledger_closes_for_one_joint() {
    let mut rng = random::generator("the_ledger_closes_for_one_joint");
    for _ in 0..random::cases(3000) {
        let d = rng.usize(1..=3);
        assert_ledger_closes(&mut rng, 1, d);
    }
}

#[test]
fn units_of_the_coordinates_do_not_matter() {
    let mut rng = random::generator("units_of_the_coordinates_do_not_matter");
    for case in 0..random::cases(3000) {
        let (n, d) = (case % 12 + 1, rng.usize(1..=3));
        let (m, a, v) = mechanism(&mut rng, n, d);
        let power: Vec<f64> = (0..n).map(|_| 2f64.powi(rng.i32(-40..=40))).collect();
        let scaled_m = DMatrix::from_fn(n, n, |i, j| m[(i, j)] * power[i] * power[j]);
        let scaled_a = DMatrix::from_fn(d, n, |i, j| a[(i, j)] * power[j]);
        let scaled_v = DVector::from_fn(n, |i, _| v[i] / power[i]);
        let coefficients = coefficients(&mut rng);
        let contact = GeneralizedContact::new(&m, &a, v.as_slice()).unwrap();
        let scaled = GeneralizedContact::new(&scaled_m, &scaled_a, scaled_v.as_slice()).unwrap();
        for guard in Guard::ALL {
            let [o, s] = [&contact, &scaled].map(|c| c.impact(&coefficients, guard));
            let (o, mut s) = (o.unwrap_or_else(|error| panic!("{error}: {m} {a} {v} {coefficients:?}")), s.unwrap());
            s.velocity.as_mut().unwrap().iter_mut().zip(&power).for_each(|(x, p)| *x *= p);
            assert_eq!(o, s, "{m} {a} {v} {power:?}");
        }
    }
}

/// `W` has a condition number of 1e9. A slip does not depend on where the tangents point: turning them rounds `A`, which moves
/// the velocity by 1e-16 times the root of that number. Solving through `W` takes the number itself.
#[test]
fn slips_of_ill_conditioned_contacts_do_not_depend_on_the_tangents() {
    let mut rng = random::generator("slips_of_ill_conditioned_contacts_do_not_depend_on_the_tangents");
    let mut slips = 0;
    while slips < 3000 {
        let mut orthogonal = || DMatrix::from_fn(3, 3, |_, _| random::normal(&mut rng)).qr().q();
        let (left, right) = (orthogonal(), orthogonal());
        let mean = 10.0_f64.powf(-4.5 * rng.f64());
        let a = left * DMatrix::from_diagonal(&DVector::from_vec(vec![1.0, mean, 10.0_f64.powf(-4.5)])) * right;
        // Velocities of the contact are of one size: those of the mechanism that hardly move it are large.
        let mut v = a.clone().lu().solve(&DVector::from_fn(3, |_, _| random::normal(&mut rng))).unwrap();
        if (a.row(0) * &v)[0] > 0.0 {
            v = -v;
        }
        let mu = random::between(&mut rng, 0.1, 1.5);
        let coefficients = Coefficients::new(Restitution::new(rng.f64()).unwrap(), Friction::new(mu).unwrap());
        let m = DMatrix::identity(3, 3);
        let strike = |a: &DMatrix<f64>| {
            let outcome = GeneralizedContact::new(&m, a, v.as_slice()).unwrap().impact(&coefficients, Guard::Slip);
            let outcome = outcome.unwrap();
            (outcome.mode, DVector::from_vec(outcome.velocity.unwrap()))
        };
        let (sin, cos) = random::between(&mut rng, 0.0, 6.0).sin_cos();
        let turn = DMatrix::from_row_slice(3, 3, &[1.0, 0.0, 0.0, 0.0, cos, sin, 0.0, -sin, cos]);
        let ((mode, after), (turned_mode, turned)) = (strike(&a), strike(&(turn * &a)));
        assert_eq!(mode, turned_mode);
        if mode == Mode::Slip {
            slips += 1;
            let error = (&after - turned).amax() / after.amax();
            assert!(error <= 1e-9, "{error:e}: {a} {v}");
        }
    }
}
