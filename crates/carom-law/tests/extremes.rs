//! Any finite input has an answer of finite numbers or a typed error: no panic, no NaN, no endless loop.

mod common;

use carom_law::{
    Coefficients, Contact, Delassus, Error, ErrorKind, Friction, GeneralizedContact, Guard, Mode, Outcome, Restitution,
};
use common::random::{self, FAMILIES, Problem};
use fastrand::Rng;
use nalgebra::{DMatrix, DVector};

/// An outcome has finite numbers only, an error names its field.
fn assert_tidy(input: &dyn std::fmt::Debug, result: &carom_law::Result<Outcome>) {
    match result {
        Ok(o) => assert_finite(input, o),
        Err(error) => assert_typed(input, error),
    }
}

fn assert_typed(input: &dyn std::fmt::Debug, error: &Error) {
    assert!(!error.field().is_empty(), "{input:?}: {error}");
    assert!(error.to_string().contains(error.field()), "{input:?}: {error}");
}

fn assert_finite(input: &dyn std::fmt::Debug, o: &Outcome) {
    let finite = |x: &f64| x.is_finite();
    let vectors = [&o.impulse, &o.contact_velocity.before, &o.contact_velocity.after];
    let energies = [o.energy.change, o.energy.normal, o.energy.tangential, o.guard.restitution];
    let options = [
        o.energy.before,
        o.energy.after,
        o.discriminator,
        o.critical_friction,
        o.critical_reversal,
        o.printed.map(|p| p.discriminator),
        o.printed.and_then(|p| p.critical_friction),
        o.restitution_limit.state,
        o.restitution_limit.configuration,
        o.friction_limit,
        o.guard.unguarded.map(|u| u.energy_change),
    ];
    assert!(vectors.iter().all(|v| v.iter().all(finite)), "{input:?}\n{o:?}");
    assert!(energies.iter().all(finite), "{input:?}\n{o:?}");
    assert!(options.iter().flatten().all(finite), "{input:?}\n{o:?}");
    assert!(o.direction.is_none_or(|u| u.iter().all(finite)), "{input:?}\n{o:?}");
    assert!(o.velocity.as_ref().is_none_or(|v| v.iter().all(finite)), "{input:?}\n{o:?}");
    assert!(o.violations.iter().all(|v| v.value.is_finite() && v.bound.is_finite()), "{input:?}\n{o:?}");
    assert!(o.impulse[0] >= 0.0, "{input:?}\n{o:?}");
    assert!((0.0..=o.restitution.normal).contains(&o.guard.restitution), "{input:?}\n{o:?}");
    if o.mode == Mode::Slip || o.mode == Mode::Reversal {
        assert!(o.energy.change <= 0.0 && o.solutions.is_some_and(|n| n > 0), "{input:?}\n{o:?}");
    }
}

/// Every finite double is as likely as any other, with the odd zero and limit between them.
fn any_number(rng: &mut Rng) -> f64 {
    const CORNERS: [f64; 8] = [0.0, -0.0, 1.0, -1.0, f64::MAX, f64::MIN, f64::MIN_POSITIVE, 5e-324];
    if rng.u8(0..10) == 0 {
        return CORNERS[rng.usize(0..CORNERS.len())];
    }
    loop {
        let x = f64::from_bits(rng.u64(..));
        if x.is_finite() {
            return x;
        }
    }
}

/// A coefficient up to `most`: anywhere, near the ends, or tiny.
fn coefficient(rng: &mut Rng, most: f64) -> f64 {
    match rng.u8(0..6) {
        0 => 0.0,
        1 => most,
        2 => (most * rng.f64().powi(40)).min(most),
        3 => 5e-324,
        4 => most.next_down(),
        _ => most * rng.f64(),
    }
}

/// A friction coefficient up to 1e300; less than the least normal number is refused.
fn friction(rng: &mut Rng) -> f64 {
    match rng.u8(0..6) {
        0 => 0.0,
        1 => rng.f64(),
        2 => 1e300,
        3 => f64::MIN_POSITIVE,
        _ => random::decades(rng, -300.0, 300.0),
    }
}

fn random_coefficients(rng: &mut Rng, p: &mut Problem) {
    p.e = coefficient(rng, 1.0);
    p.e_t = coefficient(rng, 1.0) * if rng.bool() { -1.0 } else { 1.0 };
    (p.mu_d, p.mu_s) = (friction(rng), friction(rng));
    if p.mu_d > p.mu_s {
        (p.mu_d, p.mu_s) = (p.mu_s, p.mu_d);
    }
}

/// `B Bᵀ` of `columns` columns, of numbers with random exponents within `decades`, one of each axis on top.
fn factored(rng: &mut Rng, d: usize, columns: usize, entry: f64, axis: f64) -> [[f64; 3]; 3] {
    let axes = [(); 3].map(|()| random::decades(rng, -axis, axis));
    let b = [0, 1, 2].map(|i| {
        [0; 4].map(|_| {
            if rng.u8(0..8) == 0 { 0.0 } else { random::normal(rng) * axes[i] * random::decades(rng, -entry, entry) }
        })
    });
    let mut w = [[0.0; 3]; 3];
    for i in 0..d {
        for j in 0..=i {
            w[i][j] = (0..columns).map(|k| b[i][k] * b[j][k]).sum();
            w[j][i] = w[i][j];
        }
    }
    w
}

fn solve_all(p: &Problem) -> usize {
    Guard::ALL
        .iter()
        .map(|&guard| {
            let result = p.solve(guard);
            assert_tidy(p, &result);
            usize::from(result.is_ok())
        })
        .sum()
}

#[test]
fn random_bits_never_panic() {
    let mut rng = random::generator("random_bits_never_panic");
    let mut answers = 0;
    for _ in 0..random::cases(100_000) {
        let d = rng.usize(1..=3);
        let mut p = Problem { d, w: [[0.0; 3]; 3], v: [0.0; 3], e: 0.0, e_t: 0.0, mu_s: 0.0, mu_d: 0.0 };
        for i in 0..d {
            p.v[i] = any_number(&mut rng);
            for j in 0..=i {
                let x = any_number(&mut rng);
                p.w[i][j] = if i == j && rng.u8(0..8) > 0 { x.abs() } else { x };
                p.w[j][i] = p.w[i][j];
            }
            if rng.bool() {
                // Otherwise hardly a matrix is semidefinite.
                (0..i).for_each(|j| (p.w[i][j], p.w[j][i]) = (0.0, 0.0));
            }
        }
        random_coefficients(&mut rng, &mut p);
        if rng.u8(0..8) == 0 {
            (p.e, p.e_t, p.mu_s, p.mu_d) =
                (any_number(&mut rng), any_number(&mut rng), any_number(&mut rng), any_number(&mut rng));
        }
        answers += solve_all(&p);
    }
    println!("{answers} answers");
    assert!(answers > 1000);
}

#[test]
fn semidefinite_matrices_of_any_exponents_never_panic() {
    let mut rng = random::generator("semidefinite_matrices_of_any_exponents_never_panic");
    let mut answers = 0;
    for _ in 0..random::cases(100_000) {
        let d = rng.usize(1..=3);
        let (entry, axis) = [(0.0, 150.0), (150.0, 0.0), (20.0, 130.0), (3.0, 3.0), (8.0, 0.0)][rng.usize(0..5)];
        let columns = rng.usize(1..=4);
        let w = factored(&mut rng, d, columns, entry, axis);
        let mut p = Problem { d, w, v: [0.0; 3], e: 0.0, e_t: 0.0, mu_s: 0.0, mu_d: 0.0 };
        let size = [0, 1, 2].map(|i| w[i][i].sqrt());
        p.v = match rng.u8(0..4) {
            // In the range even of a singular matrix.
            0 => {
                let i = [(); 3].map(|()| random::normal(&mut rng) / size[0].max(size[1]).max(size[2]));
                [0, 1, 2].map(|r| (0..3).map(|c| w[r][c] * i[c]).sum())
            }
            1 => [0, 1, 2].map(|_| any_number(&mut rng)),
            _ => [0, 1, 2].map(|i| random::normal(&mut rng) * size[i]),
        };
        p.v[0] = -p.v[0].abs();
        random_coefficients(&mut rng, &mut p);
        answers += solve_all(&p);
    }
    println!("{answers} answers");
    assert!(answers > 10_000);
}

#[test]
fn mechanisms_of_any_numbers_never_panic() {
    let mut rng = random::generator("mechanisms_of_any_numbers_never_panic");
    let mut answers = 0;
    for case in 0..random::cases(60_000) {
        let (n, d) = (case % 5 + 1, rng.usize(1..=3));
        let (entry, unit) = [(0.0, 140.0), (30.0, 0.0), (0.0, 2.0), (5.0, 75.0)][rng.usize(0..4)];
        let units: Vec<f64> = (0..n).map(|_| random::decades(&mut rng, -unit, unit)).collect();
        let mut number = |size: f64| random::normal(&mut rng) * size * random::decades(&mut rng, -entry, entry);
        let b = DMatrix::from_fn(n, n, |i, j| number(units[i]) + if i == j { units[i] } else { 0.0 });
        let mut m = &b * b.transpose();
        let mut a = DMatrix::from_fn(d, n, |_, j| number(units[j]));
        let mut v = DVector::from_fn(n, |i, _| number(1.0 / units[i]));
        if rng.u8(0..6) == 0 {
            let (i, j) = (rng.usize(0..n), rng.usize(0..n));
            match rng.u8(0..3) {
                0 => {
                    (m[(i, j)], m[(j, i)]) = {
                        let x = any_number(&mut rng);
                        (x, x)
                    }
                }
                1 => a[(rng.usize(0..d), j)] = any_number(&mut rng),
                _ => v[i] = any_number(&mut rng),
            }
        }
        let mut p = Problem { d, w: [[0.0; 3]; 3], v: [0.0; 3], e: 0.0, e_t: 0.0, mu_s: 0.0, mu_d: 0.0 };
        random_coefficients(&mut rng, &mut p);
        let coefficients = p.coefficients().unwrap();
        let input = (&m, &a, &v, &coefficients);
        match GeneralizedContact::new(&m, &a, v.as_slice()) {
            Err(error) => assert_typed(&input, &error),
            Ok(contact) => {
                for guard in Guard::ALL {
                    let result = contact.impact(&coefficients, guard);
                    assert_tidy(&input, &result);
                    answers += usize::from(result.is_ok());
                }
            }
        }
    }
    println!("{answers} answers");
    assert!(answers > 10_000);
}

/// Problems of order one in units of up to 1e±150, whose answers are representable in those units.
#[test]
fn far_units_have_answers() {
    /// The units are not powers of two: every input is rounded once more.
    const ROUNDING: f64 = 1e-9;
    let mut rng = random::generator("far_units_have_answers");
    for _ in 0..random::cases(20_000) {
        let (d, family) = (rng.usize(2..=3), FAMILIES[rng.usize(0..3)]);
        let near = random::problem(&mut rng, d, family);
        // The units of W and of impulse, such that neither the energy nor the square of an impulse leaves
        // the doubles.
        let w = random::between(&mut rng, -150.0, 150.0);
        let i = random::between(&mut rng, -1.0, 1.0) * (250.0 - w.abs()) / 2.0;
        let (w, v) = (10f64.powf(w), 10f64.powf(w + i));
        let far = Problem { w: near.w.map(|row| row.map(|x| x * w)), v: near.v.map(|x| x * v), ..near };
        if !common::oracle::solve(&near.oracle()).margin.gt(&1e-5) {
            continue;
        }
        let (o, far_o) = (near.solve(Guard::Slip).unwrap(), far.solve(Guard::Slip));
        let far_o = far_o.unwrap_or_else(|error| panic!("{far:?}: {error}"));
        assert_finite(&far, &far_o);
        if o.guard.acted != far_o.guard.acted {
            continue;
        }
        assert_eq!(o.mode, far_o.mode, "{near:?}\n{far:?}");
        for r in 0..d {
            let change: f64 = (0..d).map(|c| near.w[r][c] * (o.impulse[c] - far_o.impulse[c] * (w / v))).sum();
            assert!(
                change.abs() <= ROUNDING * near.momentum_scale(&o.impulse, r),
                "{near:?}\n{far:?}\n{o:?}\n{far_o:?}"
            );
        }
    }
}

/// A sphere that hits a wall, in units where its inertia, or its speed, is at either end of the doubles.
#[test]
fn the_ends_of_the_doubles_have_answers() {
    let coefficients = Coefficients::new(Restitution::new(0.5).unwrap(), Friction::new(0.1).unwrap());
    for (w, v) in [(1e150, 1e-150), (1e-150, 1e-150), (1e150, 1e150), (1e300, 1e290), (1e-300, 1e-310), (1e-100, 1e50)]
    {
        let delassus = Delassus::spatial([[w, 0.0, 0.0], [0.0, 3.5 * w, 0.0], [0.0, 0.0, 3.5 * w]]).unwrap();
        let contact = Contact::new(delassus, &[-v, v, 0.0]).unwrap();
        for guard in Guard::ALL {
            let o = contact.impact(&coefficients, guard).unwrap();
            assert_eq!(o.mode, Mode::Slip);
            assert!((o.impulse[0] / (1.5 * v / w) - 1.0).abs() <= 1e-12, "{o:?}");
            assert!((o.impulse[1] / (-0.15 * v / w) - 1.0).abs() <= 1e-12, "{o:?}");
            assert!((o.contact_velocity.after[1] / (v * 0.475) - 1.0).abs() <= 1e-12, "{o:?}");
        }
    }
}

#[test]
fn answers_beyond_the_doubles_say_so() {
    let coefficients = Coefficients::new(Restitution::new(1.0).unwrap(), Friction::new(0.5).unwrap());
    let cases = [
        // i = 2 v / W
        ("impulse", 1e-10, 1e300),
        // Half v² / W
        ("energy.normal", 1.0, 1e200),
    ];
    for (field, w, v) in cases {
        let delassus = Delassus::planar([[w, 0.0], [0.0, w]]).unwrap();
        let contact = Contact::new(delassus, &[-v, 0.0]).unwrap();
        let coefficients = match field {
            "energy.normal" => Coefficients { restitution: Restitution::new(0.0).unwrap(), ..coefficients },
            _ => coefficients,
        };
        let error = contact.impact(&coefficients, Guard::Report).unwrap_err();
        assert_eq!((error.kind(), error.field()), (ErrorKind::Overflow, field));
    }
}

/// The matrix comes back as it was given, whatever its units: those are powers of two.
#[test]
fn the_matrix_is_given_back() {
    let mut rng = random::generator("matrix");
    for _ in 0..random::cases(2000) {
        let problem = random::any(&mut rng);
        let unit = 2f64.powi(rng.i32(-300..300));
        let w = problem.w.map(|row| row.map(|entry| entry * unit));
        assert_eq!(Problem { w, ..problem }.delassus().unwrap().matrix(), w, "{problem:?}");
    }
}

/// Friction of 1e-120 with a coefficient of 3e207 belongs to a normal impulse of 4e-328, which is below the least number: an impulse
/// without its normal part would leave its cone. Found by fuzzing.
#[test]
fn friction_whose_normal_impulse_is_below_all_numbers_is_beyond_the_range() {
    let delassus = [
        [1.3749363641190986e62, -2.7472888241957767e150, -2.9314420130277805e30],
        [-2.7472888241957767e150, 5.489414696211521e238, 5.857374996644999e118],
        [-2.9314420130277805e30, 5.857374996644999e118, 13.609375],
    ];
    let velocity = [-2.9314420130277805e30, 5.857374996644999e118, -8.015625];
    let restitution = Restitution::with_tangential(0.125, -0.75).unwrap();
    let coefficients = Coefficients::new(restitution, Friction::new(2.8894787249553786e207).unwrap());
    for guard in Guard::ALL {
        let error = carom_law::impact(&delassus, &velocity, &coefficients, guard).unwrap_err();
        assert_eq!((error.kind(), error.field()), (ErrorKind::Overflow, "impulse"), "{error}");
    }
}
