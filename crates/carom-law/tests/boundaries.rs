//! At the boundaries between the modes, to the last bit.

mod common;

use carom_law::{ErrorKind, Guard, Mode, Outcome};
use common::oracle;
use common::random::{self, FAMILIES, Family, Problem, any, ulps};

const EPS: f64 = f64::EPSILON;

fn lawful(p: &Problem) -> Outcome {
    let report = p.solve(Guard::Report).unwrap();
    for guard in [Guard::Limit, Guard::Slip] {
        p.assert_lawful(&p.solve(guard).unwrap());
    }
    p.assert_lawful(&report);
    report
}

#[test]
fn stick_ends_at_the_critical_friction() {
    let mut rng = random::generator("stick_ends_at_the_critical_friction");
    let mut boundaries = 0;
    for _ in 0..random::cases(5000) {
        let mut p = any(&mut rng);
        let contact = p.contact().unwrap();
        let Some(critical) = contact.critical_friction(&p.restitution()) else { continue };
        let mu_d = p.mu_d;
        for k in -4..=4 {
            p.mu_s = ulps(critical, k).max(0.0);
            p.mu_d = mu_d.min(p.mu_s);
            let o = lawful(&p);
            assert_eq!(o.mode == Mode::Stick, p.mu_s >= critical, "{k}: {p:?}\n{o:?}");
            assert_eq!(o.discriminator.unwrap() >= 0.0, p.mu_s >= critical, "{k}: {p:?}\n{o:?}");
        }
        boundaries += 1;
    }
    assert!(boundaries > 1000);
}

/// The stick impulse pushes on one side and pulls on the other; near it, stick would need any friction.
#[test]
fn stick_ends_where_its_impulse_stops_pushing() {
    let mut rng = random::generator("stick_ends_where_its_impulse_stops_pushing");
    let mut modes = [0; 4];
    for _ in 0..random::cases(5000) {
        let family = FAMILIES[rng.usize(0..3)];
        let mut p = random::problem(&mut rng, 2, family);
        let [[nn, nt, _], [_, tt, _], _] = p.w;
        p.e_t = 0.0;
        // i_n det W = -W_tt (1+e) v_n + W_nt v_t.
        let v_t = tt * (1.0 + p.e) * p.v[0] / nt;
        if !(v_t.is_finite() && nn > 0.0) {
            continue;
        }
        p.mu_s = [1e3, 1e9, 1e18, 1e100][rng.usize(0..4)];
        p.mu_d = p.mu_d.min(p.mu_s);
        for k in -4..=4 {
            p.v[1] = ulps(v_t, k);
            modes[lawful(&p).mode as usize] += 1;
        }
    }
    println!("stick {}, slip {}, reversal {}", modes[1], modes[2], modes[3]);
    assert!(modes[1] > 0 && modes[2] > 0);
}

#[test]
fn nothing_happens_at_the_friction_limit_to_the_last_bit() {
    let mut rng = random::generator("nothing_happens_at_the_friction_limit_to_the_last_bit");
    for _ in 0..random::cases(3000) {
        let mut p = any(&mut rng);
        let limit = p.solve(Guard::Report).unwrap().friction_limit.unwrap();
        for k in -4..=4 {
            (p.mu_s, p.mu_d) = (ulps(limit, k), ulps(limit, k));
            let o = lawful(&p);
            if o.mode != Mode::Stick {
                assert_eq!(o.admissible_any_state, p.mu_d < limit, "{p:?}\n{o:?}");
            }
        }
    }
}

#[test]
fn corners_of_the_velocity_are_answered() {
    let mut rng = random::generator("corners_of_the_velocity_are_answered");
    for _ in 0..random::cases(3000) {
        let p = any(&mut rng);
        lawful(&Problem { v: [p.v[0], 0.0, 0.0], ..p });
        lawful(&Problem { v: [p.v[0], -0.0, -0.0], ..p });
        lawful(&Problem { v: [p.v[0], p.v[1], 0.0], ..p });
        for v_n in [0.0, -0.0] {
            let o = Problem { v: [v_n, p.v[1], p.v[2]], ..p }.solve(Guard::Report).unwrap();
            assert_eq!((o.mode, o.impulse[0]), (Mode::Separating, 0.0));
        }
    }
}

/// The slowest approach there is. (Its limit `e*(v)` may be beyond the doubles; the answer is not.) Where nothing is faster, no velocity
/// after the impact could be told, which is an error.
#[test]
fn the_slowest_approach_is_answered() {
    let mut rng = random::generator("the_slowest_approach_is_answered");
    for _ in 0..random::cases(1000) {
        let mut p = random::problem(&mut rng, 3, Family::Body);
        p.v[0] = -5e-324;
        for (guard, tangential) in
            Guard::ALL.into_iter().flat_map(|guard| [0.0, 5e-324, 1e-300, 1.0].map(|t| (guard, t)))
        {
            let p = Problem { v: [p.v[0], tangential, -tangential], ..p };
            let result = p.solve(guard);
            if tangential < 1e-320 {
                let error = result.unwrap_err();
                assert_eq!((error.kind(), error.field()), (ErrorKind::Overflow, "contact_velocity.after"), "{p:?}");
                continue;
            }
            let o = result.unwrap_or_else(|error| panic!("{p:?}: {error}"));
            assert_ne!(o.mode, Mode::Separating);
            assert!(o.impulse.iter().chain(o.contact_velocity.after.iter()).all(|x| x.is_finite()), "{p:?}\n{o:?}");
            assert!(o.impulse[0] >= 0.0);
        }
    }
}

#[test]
fn the_ends_of_the_coefficients_are_answered() {
    let mut rng = random::generator("the_ends_of_the_coefficients_are_answered");
    for _ in 0..random::cases(2000) {
        let p = any(&mut rng);
        for (e, e_t) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (0.0, -1.0), (1.0, -1.0), (5e-324, -5e-324)] {
            let o = lawful(&Problem { e, e_t, ..p });
            // A full restitution everywhere leaves all the energy.
            if e == 1.0 && e_t == 1.0 && o.mode == Mode::Stick {
                assert_eq!((o.energy.change, o.admissible), (0.0, true), "{p:?}\n{o:?}");
            }
        }
        let frictionless = lawful(&Problem { mu_s: 0.0, mu_d: 0.0, ..p });
        let slipping = lawful(&Problem { mu_d: 0.0, ..p });
        for o in [&frictionless, &slipping] {
            if o.mode == Mode::Slip {
                assert!(o.impulse[1..].iter().all(|x| *x == 0.0), "{p:?}\n{o:?}");
                let expected = -(1.0 + p.e) * p.v[0] / p.w[0][0];
                assert!((o.impulse[0] - expected).abs() <= 4.0 * EPS * expected);
                assert_eq!(o.energy.tangential, 0.0);
            }
        }
    }
}

/// Without friction, `a = W_nn v_t + k w = 0` leaves no direction: the contact reverses by itself.
#[test]
fn without_friction_a_vanishing_average_is_reversal() {
    let w = [[2.0, 0.5, -0.25], [0.5, 3.0, 0.25], [-0.25, 0.25, 4.0]];
    // k = 1 (e = 0.5) makes v_t = -w / 2.
    let v = [-4.0 / 3.0, -0.25, 0.125];
    let p = Problem { d: 3, w, v, e: 0.5, e_t: 0.0, mu_s: 0.0, mu_d: 0.0 };
    let o = lawful(&p);
    assert!(o.mode == Mode::Reversal && o.impulse[1..] == [0.0, 0.0], "{o:?}");
}

/// `Σ |ξ_r v_r|`, `ξ = W⁻¹ v_c⁻`: what the energy `K_c` is a sum of.
fn terms_of_energy(p: &Problem) -> f64 {
    let w = nalgebra::DMatrix::from_fn(p.d, p.d, |i, j| p.w[i][j]);
    let v = nalgebra::DVector::from_column_slice(&p.v[..p.d]);
    w.full_piv_lu().solve(&v).unwrap().iter().zip(&p.v).map(|(xi, v)| (xi * v).abs()).sum()
}

/// Stick at its limit of restitution neither gains nor loses.
#[test]
fn energy_is_kept_at_the_limit_of_restitution() {
    /// `e*(v)` and the impulse are each exact to their last places, and the restitution is moved by four of
    /// them: relative to `|i| (|W||i| + |v|)`, to the energy `G_nn v_n²` that is restituted and to `Σ |ξ_r v_r|`,
    /// `ξ = G v_c⁻`, of which `e*(v)` is made.
    const LEDGER: f64 = 64.0 * EPS;
    let mut rng = random::generator("energy_is_kept_at_the_limit_of_restitution");
    let mut limits = 0;
    for _ in 0..random::cases(20_000) {
        let mut p = any(&mut rng);
        let limit = p.contact().unwrap().restitution_limit(&p.restitution()).unwrap();
        if !(0.0..1.0).contains(&limit) {
            continue;
        }
        (p.mu_s, limits) = (p.mu_s.max(10.0), limits + 1);
        for k in -4..=4 {
            p.e = ulps(limit, k).max(0.0);
            let o = lawful(&p);
            if o.mode == Mode::Stick {
                let restituted = Problem { v: [p.v[0], 0.0, 0.0], ..p }.contact_energy();
                let work = |r: usize| o.impulse[r].abs() * p.momentum_scale(&o.impulse, r);
                let scale = restituted + terms_of_energy(&p) + (0..p.d).map(work).sum::<f64>();
                assert!(o.energy.change.abs() <= LEDGER * scale, "{k}: {p:?}\n{o:?}");
                let state = o.restitution_limit.state.unwrap();
                assert_eq!(o.admissible, p.e <= state);
                for guard in [Guard::Limit, Guard::Slip] {
                    let guarded = p.solve(guard).unwrap();
                    let exchanged: f64 = (0..p.d).map(|r| p.v[r] * guarded.impulse[r]).sum();
                    let rounding = 16.0 * EPS * (p.contact_energy() + exchanged.abs());
                    assert!(guarded.energy.change <= rounding, "{p:?}\n{guarded:?}");
                }
            }
        }
    }
    println!("{limits} limits");
    assert!(limits > 1000);
}

/// An impact made backwards from its answer: slip along `u` with the average speed `s`.
fn slipping_along(w: [[f64; 3]; 3], u: [f64; 2], mu: f64, e: f64, s: f64) -> (Problem, [f64; 3]) {
    let i = [1.0, -mu * u[0], -mu * u[1]];
    let change = w.map(|row| (0..3).map(|c| row[c] * i[c]).sum::<f64>());
    let v = [-change[0] / (1.0 + e), s * u[0] - change[1] / 2.0, s * u[1] - change[2] / 2.0];
    (Problem { d: 3, w, v, e, e_t: 0.0, mu_s: mu, mu_d: mu }, i)
}

#[test]
fn slip_finds_every_direction() {
    /// Rounding of the velocity that was made to fit, over the slope of the direction equation, which is
    /// about one here.
    const DIRECTION: f64 = 1e-13;
    let symmetric = [[1.0, 0.0, 0.0], [0.0, 3.5, 0.0], [0.0, 0.0, 3.5]];
    let coupled = [[1.0, 0.4, -0.3], [0.4, 2.0, 0.5], [-0.3, 0.5, 3.0]];
    let mut tried = 0;
    for w in [symmetric, coupled] {
        for step in 0..48 {
            let angle = f64::from(step) * std::f64::consts::TAU / 48.0;
            let axes = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]];
            let u = if step % 12 == 0 { axes[step as usize / 12] } else { [angle.cos(), angle.sin()] };
            for (mu, e, s) in [(0.1, 0.5, 2.0), (0.5, 0.0, 3.0), (0.3, 1.0, 0.5), (0.0, 0.5, 1.0), (0.2, 0.8, 1e6)] {
                let (p, i) = slipping_along(w, u, mu, e, s);
                assert!(p.v[0] < 0.0);
                let o = lawful(&p);
                if o.mode == Mode::Stick {
                    continue;
                }
                tried += 1;
                assert_eq!((o.mode, o.solutions), (Mode::Slip, Some(1)), "{p:?}");
                let found = o.direction.unwrap();
                assert!((0..2).all(|k| (found[k] - u[k]).abs() <= DIRECTION), "{u:?}: {p:?}\n{o:?}");
                assert!((0..3).all(|k| (o.impulse[k] - i[k]).abs() <= DIRECTION), "{i:?}: {p:?}\n{o:?}");
                // Without coupling an axis stays an axis, to the bit.
                if w == symmetric && step % 12 == 0 {
                    assert_eq!(*found, u);
                }
            }
        }
    }
    assert!(tried > 300);
}

/// `N = v_t wᵀ + k W_tt` has a negative eigenvalue although `a` is nearly orthogonal to its left eigenvector,
/// which only a nearly singular `W` allows: two directions share a root `λ` of the quartic.
#[test]
fn directions_that_share_a_root_are_told_apart() {
    let mut rng = random::generator("directions_that_share_a_root_are_told_apart");
    let (mut negative, mut compared) = (0, 0);
    for _ in 0..random::cases(20_000) {
        let delta = random::decades(&mut rng, -11.0, -1.0);
        let angle = random::between(&mut rng, 0.0, std::f64::consts::TAU);
        let (l, r) = ([angle.cos(), angle.sin()], [-angle.sin(), angle.cos()]);
        let w = [random::normal(&mut rng), random::normal(&mut rng)];
        let coupling = w[0] * l[0] + w[1] * l[1];
        let (w_nn, e, v_n) = (random::between(&mut rng, 0.5, 2.0), rng.f64(), -random::between(&mut rng, 0.1, 2.0));
        let k = -(1.0 + e) * v_n / 2.0;
        let s = |i: usize, j: usize| delta * l[i] * l[j] + r[i] * r[j] + w[i] * w[j] / w_nn;
        // l·a = -ε with ε (w·l) / W_nn a little above k δ.
        let across = -k * delta * w_nn / coupling * random::decades(&mut rng, -0.5, 1.5);
        let along = random::normal(&mut rng);
        let v_t = [0, 1].map(|i| (across * l[i] + along * r[i] - k * w[i]) / w_nn);
        let off = s(0, 1);
        let matrix = [[w_nn, w[0], w[1]], [w[0], s(0, 0), off], [w[1], off, s(1, 1)]];
        let mu = random::decades(&mut rng, -1.5, 1.0) * w_nn / w[0].hypot(w[1]);
        let p = Problem { d: 3, w: matrix, v: [v_n, v_t[0], v_t[1]], e, e_t: -1.0, mu_s: mu, mu_d: mu };
        if !p.delassus().is_ok_and(|w| w.is_regular()) {
            continue;
        }
        let o = lawful(&p);
        let Some(solutions) = o.solutions else { continue };
        let n = |i: usize, j: usize| v_t[i] * w[j] + k * matrix[i + 1][j + 1];
        negative += usize::from(n(0, 0) * n(1, 1) < n(0, 1) * n(1, 0));
        let (sliding, margin) = oracle::sliding_answers(&p.oracle());
        if margin > 1e-7 {
            assert_eq!(solutions as usize, sliding.len(), "{p:?}\n{o:?}");
            compared += 1;
        }
    }
    println!("{negative} with a negative eigenvalue, {compared} compared");
    assert!(negative > 1000 && compared > 1000);
}
