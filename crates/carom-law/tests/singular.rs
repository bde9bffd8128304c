//! Contacts whose Delassus matrix has no inverse.

mod common;

use carom_law::{Coefficients, Delassus, ErrorKind, Friction, GeneralizedContact, Guard, Mode, Outcome, Restitution};
use common::random::{self, FAMILIES, Problem};
use common::{oracle, published};
use fastrand::Rng;

const EPS: f64 = f64::EPSILON;

/// Agreement with what the formulas say, where a matrix of rank `r` is told from its rounding: the null
/// vector is known to about `EPS` over the smallest eigenvalue that is not zero, here 1e-3 of the largest.
const AGREEMENT: f64 = 1e-10;

fn norm(a: &[f64]) -> f64 {
    a.iter().fold(0.0_f64, |length, x| length.hypot(*x))
}

/// `W = Σ b bᵀ` of as many columns as `b` has, and a velocity in its range that approaches.
fn of_columns(rng: &mut Rng, d: usize, b: &[[f64; 3]]) -> Problem {
    let mut w = [[0.0; 3]; 3];
    for (i, j) in [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)] {
        if i < d && j < d {
            w[i][j] = b.iter().map(|b| b[i] * b[j]).sum();
            w[j][i] = w[i][j];
        }
    }
    let mut v = [0.0; 3];
    for b in b {
        let q = random::normal(rng);
        (0..d).for_each(|i| v[i] += q * b[i]);
    }
    if v[0] > 0.0 {
        v = v.map(|x| -x);
    }
    let mu = random::between(rng, 0.0, 1.5);
    let mu_s = mu * random::between(rng, 1.0, 1.3);
    let e = [0.0, 1.0, rng.f64(), rng.f64()][rng.usize(0..4)];
    Problem { d, w, v, e, e_t: 0.0, mu_s, mu_d: mu }
}

/// A one-joint arm: `W = a aᵀ / m`.
fn arm(rng: &mut Rng, d: usize) -> Problem {
    let mut a = [(); 3].map(|()| random::normal(rng));
    a[0] += 0.3_f64.copysign(a[0]);
    of_columns(rng, d, &[a])
}

/// A spatial contact of rank two: `W z = 0` for the returned unit `z`.
fn rank_two(rng: &mut Rng) -> (Problem, [f64; 3]) {
    loop {
        let [a, b] = [(); 2].map(|()| [(); 3].map(|()| random::normal(rng)));
        let z = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
        let length = norm(&z);
        // Two columns that are far from parallel, a normal part, and an approach.
        if length > 0.3 && a[0].hypot(b[0]) > 0.3 && z[0].abs() > 0.05 * length && z[0].abs() < 0.95 * length {
            let p = of_columns(rng, 3, &[a, b]);
            if p.v[0] < -0.05 {
                return (p, z.map(|x| x / length * z[0].signum()));
            }
        }
    }
}

fn solve(p: &Problem, guard: Guard) -> Outcome {
    p.solve(guard).unwrap_or_else(|error| panic!("{p:?}: {error}"))
}

/// With one joint the velocity has one direction: it is turned back by `e`, and friction opposes it.
#[test]
fn a_one_joint_arm_slips_along_its_only_direction() {
    let mut rng = random::generator("a_one_joint_arm_slips_along_its_only_direction");
    for _ in 0..random::cases(5000) {
        let d = rng.usize(2..=3);
        let p = arm(&mut rng, d);
        let speed = norm(&p.v[1..]);
        if p.e == 1.0 || p.e == p.e_t || speed < 1e-3 * p.v[0].abs() {
            continue;
        }
        for guard in Guard::ALL {
            let o = solve(&p, guard);
            p.assert_lawful(&o);
            assert_eq!((o.mode, o.solutions), (Mode::Slip, Some(1)), "{p:?}\n{o:?}");
            assert!(o.discriminator.is_none() && o.critical_friction.is_none(), "{p:?}\n{o:?}");
            assert!(o.printed.is_none() && o.critical_reversal.is_none(), "{p:?}\n{o:?}");
            // v̄_t = (1-e)/2 v_t⁻.
            let u = o.direction.unwrap();
            assert!((1..d).all(|k| (u[k - 1] - p.v[k] / speed).abs() <= AGREEMENT), "{p:?}\n{o:?}");
            let coupling: f64 = (1..d).map(|k| p.w[0][k] * p.v[k] / speed).sum();
            let i_n = -(1.0 + p.e) * p.v[0] / (p.w[0][0] - p.mu_d * coupling);
            assert!((o.impulse[0] - i_n).abs() <= AGREEMENT * i_n, "{i_n}: {p:?}\n{o:?}");
            assert!((0..d).all(|k| (o.contact_velocity.after[k] + p.e * p.v[k]).abs() <= AGREEMENT * norm(&p.v)));
        }
    }
}

/// `S = 0`: with `e = e_t` the normal impulse alone does what stick asks for.
#[test]
fn a_one_joint_arm_sticks_if_both_restitutions_agree() {
    let mut rng = random::generator("a_one_joint_arm_sticks_if_both_restitutions_agree");
    for _ in 0..random::cases(3000) {
        let d = rng.usize(2..=3);
        let p = arm(&mut rng, d);
        let p = Problem { e_t: p.e, mu_s: p.mu_s * f64::from(rng.u8(0..2)), mu_d: 0.0, ..p };
        let o = solve(&p, Guard::Report);
        assert_eq!((o.mode, o.critical_friction), (Mode::Stick, Some(0.0)), "{p:?}\n{o:?}");
        assert!(o.impulse[1..].iter().all(|x| *x == 0.0) && o.admissible, "{p:?}\n{o:?}");
        let i_n = -(1.0 + p.e) * p.v[0] / p.w[0][0];
        assert!((o.impulse[0] - i_n).abs() <= 4.0 * EPS * i_n);
        // A full restitution leaves no average velocity: with no stick, the contact reverses by itself.
        let o = solve(&Problem { e: 1.0, e_t: 0.0, mu_s: 1.0, mu_d: 1.0, ..p }, Guard::Report);
        assert_eq!((o.mode, o.critical_reversal), (Mode::Reversal, Some(0.0)), "{p:?}\n{o:?}");
    }
}

/// A planar chain in space, its plane at any angle to the tangents: no entry of `W` need be zero.
#[test]
fn a_planar_chain_seen_as_spatial_answers_the_same_at_every_angle() {
    /// Turning `W` rounds it, which a nearly singular planar one answers with its condition.
    const TURNED: f64 = 1e-9;
    let mut rng = random::generator("a_planar_chain_seen_as_spatial_answers_the_same_at_every_angle");
    let mut tried = 0;
    for _ in 0..random::cases(5000) {
        let family = FAMILIES[rng.usize(0..3)];
        let plane = random::problem(&mut rng, 2, family);
        let angle = random::between(&mut rng, 0.0, std::f64::consts::TAU);
        let space = Problem { d: 3, ..plane }.rotated(angle);
        let s = plane.w[1][1] - plane.w[0][1] * plane.w[0][1] / plane.w[0][0];
        let determined = s / plane.w[1][1];
        if oracle::solve(&plane.oracle()).margin < 1e-5 || determined < 1e-5 {
            continue;
        }
        for guard in Guard::ALL {
            let (p, o) = (solve(&plane, guard), solve(&space, guard));
            if p.guard.acted != o.guard.acted {
                continue;
            }
            assert_eq!(p.mode, o.mode, "{plane:?}\n{space:?}\n{p:?}\n{o:?}");
            assert!(o.printed.is_none());
            let expected = [p.impulse[0], p.impulse[1] * angle.cos(), p.impulse[1] * angle.sin()];
            for k in 0..3 {
                let scale = plane.momentum_scale(&p.impulse, k.min(1)) / plane.w[k.min(1)][k.min(1)];
                let bound = TURNED * scale / determined;
                assert!((o.impulse[k] - expected[k]).abs() <= bound, "{plane:?}\n{space:?}\n{p:?}\n{o:?}");
            }
        }
        tried += 1;
    }
    println!("{tried} chains");
    assert!(tried > 1000);
}

/// `W_nn i_n + w·i_t`, `W_tt i_t + w i_n` prescribed: the answers are `i_0 + β z`. The least friction, and the
/// impulse in the cone of `mu` with the least `|i_t|`, by search over `β`.
fn search(i_0: [f64; 3], z: [f64; 3], mu: f64) -> (f64, Option<f64>) {
    let at = |beta: f64| [0, 1, 2].map(|k| i_0[k] + beta * z[k]);
    let ratio = |i: [f64; 3]| if i[0] > 0.0 { norm(&i[1..]) / i[0] } else { f64::INFINITY };
    let size = norm(&i_0);
    // The whole line, β = size tan θ.
    let angle = |k: i32| (f64::from(k) / 4000.0 - 1.0) * std::f64::consts::FRAC_PI_2;
    let beta = |theta: f64| size * theta.tan();
    let best = (1..8000).min_by(|&a, &b| ratio(at(beta(angle(a)))).total_cmp(&ratio(at(beta(angle(b)))))).unwrap();
    let golden = |low: f64, high: f64, f: &dyn Fn(f64) -> f64| {
        let (mut low, mut high) = (low, high);
        for _ in 0..200 {
            let (a, b) = (low + 0.4 * (high - low), low + 0.6 * (high - low));
            if f(a) < f(b) { high = b } else { low = a }
        }
        0.5 * (low + high)
    };
    let theta = golden(angle(best - 1), angle(best + 1), &|theta| ratio(at(beta(theta))));
    let critical = ratio(at(beta(theta)));
    if critical >= mu {
        return (critical, None);
    }
    // |i_t| is least at β_0 over the line; in the cone, at the point of the cone's interval nearest to it.
    let along: f64 = i_0[1] * z[1] + i_0[2] * z[2];
    let free = -along / (z[1] * z[1] + z[2] * z[2]);
    if ratio(at(free)) <= mu {
        return (critical, Some(norm(&at(free)[1..])));
    }
    let (mut outside, mut inside) = (free, beta(theta));
    for _ in 0..200 {
        let middle = 0.5 * (outside + inside);
        if ratio(at(middle)) <= mu { inside = middle } else { outside = middle }
    }
    (critical, Some(norm(&at(inside)[1..])))
}

/// The impulse of least norm with `W i = b`, `W z = 0`: `(W + z zᵀ) i = b`.
fn least_norm(p: &Problem, z: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    let regular = nalgebra::DMatrix::from_fn(3, 3, |i, j| p.w[i][j] + z[i] * z[j]);
    let i = regular.full_piv_lu().solve(&nalgebra::DVector::from_column_slice(&b)).unwrap();
    [i[0], i[1], i[2]]
}

#[test]
fn the_least_friction_of_a_free_impulse_is_found() {
    /// A minimum found by comparing values is exact to the root of their rounding, its value to rounding.
    const SEARCHED: f64 = 1e-7;
    let mut rng = random::generator("the_least_friction_of_a_free_impulse_is_found");
    let (mut sticks, mut reversals, mut none) = (0, 0, 0);
    for _ in 0..random::cases(2000) {
        let (p, z) = rank_two(&mut rng);
        let p = Problem { e_t: p.e, ..p };
        let i_0 = least_norm(&p, z, p.v.map(|x| -(1.0 + p.e) * x));
        let (critical, least) = search(i_0, z, p.mu_s);
        let o = solve(&p, Guard::Report);
        let found = o.critical_friction.unwrap();
        assert!((found - critical).abs() <= SEARCHED * critical.max(1.0), "{critical}: {p:?}\n{o:?}");
        if let Some(least) = least.filter(|_| critical < p.mu_s * (1.0 - 1e-6)) {
            assert_eq!(o.mode, Mode::Stick, "{p:?}\n{o:?}");
            p.assert_lawful(&o);
            assert!((norm(&o.impulse[1..]) - least).abs() <= SEARCHED * norm(&o.impulse), "{least}: {p:?}\n{o:?}");
            sticks += 1;
        } else {
            none += 1;
        }
        // The reversal of a full restitution is the same kind of problem, in the dynamic cone.
        let p = Problem { e: 1.0, e_t: 0.0, mu_s: p.mu_d, ..p };
        let i_0 = least_norm(&p, z, p.v.map(|x| -2.0 * x));
        let (critical, least) = search(i_0, z, p.mu_d);
        let o = solve(&p, Guard::Report);
        assert!(o.critical_friction.is_none() && o.discriminator.is_none());
        let found = o.critical_reversal.unwrap();
        assert!((found - critical).abs() <= SEARCHED * critical.max(1.0), "{critical}: {p:?}\n{o:?}");
        p.assert_lawful(&o);
        if o.mode == Mode::Reversal && critical < p.mu_d * (1.0 - 1e-6) {
            let least = least.unwrap();
            assert!((norm(&o.impulse[1..]) - least).abs() <= SEARCHED * norm(&o.impulse), "{least}: {p:?}\n{o:?}");
            reversals += 1;
        }
    }
    println!("{sticks} sticks, {none} not, {reversals} reversals");
    assert!(sticks > 100 && none > 100 && reversals > 100);
}

/// A null vector with a normal part ties the restitutions together: stick needs `e = e_t`.
#[test]
fn stick_is_infeasible_unless_the_restitutions_agree() {
    let mut rng = random::generator("stick_is_infeasible_unless_the_restitutions_agree");
    let mut modes = [0; 4];
    for _ in 0..random::cases(5000) {
        let (p, _) = rank_two(&mut rng);
        let p = Problem { e_t: random::between(&mut rng, -1.0, 1.0), ..p };
        for guard in Guard::ALL {
            let o = solve(&p, guard);
            p.assert_lawful(&o);
            assert!(o.mode != Mode::Stick && o.critical_friction.is_none() && o.discriminator.is_none());
            assert!(o.printed.is_none() && o.admissible && !o.guard.acted);
            modes[o.mode as usize] += 1;
        }
    }
    println!("slip {}, reversal {}", modes[2], modes[3]);
}

#[test]
fn velocities_outside_the_range_are_errors() {
    let mut rng = random::generator("velocities_outside_the_range_are_errors");
    for case in 0..random::cases(3000) {
        let (p, z) = if case % 2 == 0 {
            rank_two(&mut rng)
        } else {
            let p = arm(&mut rng, 2);
            let length = p.w[0][0].hypot(p.w[0][1]);
            (p, [-p.w[0][1] / length, p.w[0][0] / length, 0.0])
        };
        let moved = |share: f64| Problem { v: [0, 1, 2].map(|k| p.v[k] + share * norm(&p.v[1..]) * z[k]), ..p };
        // The bound is 1e-9 of the tangential velocities.
        let error = moved(1e-5).contact().unwrap_err();
        assert_eq!((error.kind(), error.field()), (ErrorKind::OutsideRange, "contact_velocity"), "{p:?}");
        assert!(moved(1e-13).contact().is_ok(), "{p:?}");
    }
}

#[test]
fn indefinite_matrices_are_errors_beyond_rounding() {
    let mut rng = random::generator("indefinite_matrices_are_errors_beyond_rounding");
    for _ in 0..random::cases(3000) {
        let w = [(); 2].map(|()| random::normal(&mut rng));
        let angle = random::between(&mut rng, 0.0, std::f64::consts::TAU);
        let (l, r) = ([angle.cos(), angle.sin()], [-angle.sin(), angle.cos()]);
        let large: f64 = [1.0, 0.1, -1.0][rng.usize(0..3)];
        // W_nn = 1, S = small l lᵀ + large r rᵀ.
        let of = |small: f64, large: f64| {
            let s = |i: usize, j: usize| small * l[i] * l[j] + large * r[i] * r[j] + w[i] * w[j];
            Delassus::spatial([[1.0, w[0], w[1]], [w[0], s(0, 0), s(0, 1)], [w[1], s(0, 1), s(1, 1)]])
        };
        let coupling = w[0] * w[0] + w[1] * w[1];
        let trace = coupling + large.abs();
        if large > 0.0 {
            assert!(of(-1e-15 * trace, large).is_ok_and(|w| !w.is_regular()));
            assert!(of(-1e-15 * coupling, -1e-15 * coupling).is_ok_and(|w| !w.is_regular()), "{w:?} {angle}");
        }
        for small in [-1e-12 * trace, -1e-3, -1.0] {
            let error = of(small, large).map(|w| w.is_regular()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::NotPositive, "{w:?}, {angle}, {small}, {large}");
        }
        let planar = |s: f64| Delassus::planar([[1.0, w[0]], [w[0], w[0] * w[0] + s]]);
        assert!(planar(-1e-15 * w[0] * w[0]).is_ok_and(|w| !w.is_regular()));
        assert_eq!(planar(-1e-12 * w[0] * w[0]).unwrap_err().kind(), ErrorKind::NotPositive);
    }
}

/// `S = -3 I`: both eigenvalues are negative, and their product is positive.
#[test]
fn a_matrix_negative_in_both_tangents_is_an_error() {
    let error = Delassus::spatial([[1.0, 2.0, 2.0], [2.0, 1.0, 4.0], [2.0, 4.0, 1.0]]).map(|_| ()).unwrap_err();
    assert_eq!((error.kind(), error.field()), (ErrorKind::NotPositive, "delassus"));
}

#[test]
fn stronges_pendulum_slips() {
    let case = published::load().into_iter().find(|case| case.name == "stronge_pendulum").unwrap();
    let contact = GeneralizedContact::new(&case.mass_matrix, &case.contact_jacobian, case.velocity.as_slice()).unwrap();
    assert!(!contact.contact().delassus().is_regular());
    let restitution = Restitution::with_tangential(case.restitution, case.restitution_tangential).unwrap();
    let friction = Friction::with_static(case.friction_static, case.friction_dynamic).unwrap();
    for guard in Guard::ALL {
        let o = contact.impact(&Coefficients::new(restitution, friction), guard).unwrap();
        let close = |found: &[f64], expected: &[f64]| found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 5e-9);
        assert_eq!((o.mode, &*o.direction.unwrap()), (Mode::Slip, &[-1.0][..]));
        assert!(close(&o.impulse, &[0.52492126, 0.15747638]), "{o:?}");
        assert!(close(&o.contact_velocity.after, &[0.51961524, 0.3]), "{o:?}");
        assert!(o.critical_friction.is_none() && o.discriminator.is_none() && o.printed.is_none());
    }
}
