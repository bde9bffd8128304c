//! The compliant contact: its limits, and what does not matter to it.

use carom_law::{Coefficients, ErrorKind, HuntCrossley, Law};

use crate::common::random::{Problem, cases, generator};
use crate::{by, distance, mild, norm};

fn coefficients(problem: &Problem) -> Coefficients {
    problem.coefficients().unwrap()
}

/// Without damping it is Stronge's law, and without restitution any law of paths, as far as friction is Coulomb's.
#[test]
fn limits_of_sharp_friction() {
    let mut rng = generator("sharp");
    for _ in 0..cases(30) {
        let d = rng.usize(2..=3);
        let problem = mild(&mut rng, d);
        for e in [0.0, 1.0] {
            let problem = Problem { e, ..problem };
            let rigid = by(&problem, Law::Stronge).unwrap();
            let off = [1e-2, 1e-4, 1e-6].map(|sharpness| {
                let settings = HuntCrossley::new(sharpness).unwrap();
                let soft = problem.contact().unwrap().compliant_impact(&settings, &coefficients(&problem)).unwrap();
                distance(&soft.impulse, &rigid.impulse) / norm(&rigid.impulse)
            });
            assert!(off[2] < 1e-4 && off[2] <= 0.1 * off[0] + 1e-9, "{off:?} {problem:?}");
        }
    }
}

/// `F = k xⁿ (1 + a ẋ)` in time: neither stiffness nor exponent matters.
#[test]
fn stiffness_and_exponent_drop_out() {
    let problem = Problem { e: 0.6, mu_s: 0.4, mu_d: 0.4, ..mild(&mut generator("stiff"), 3) };
    let settings = HuntCrossley::new(0.1).unwrap();
    let answer = problem.contact().unwrap().compliant_impact(&settings, &coefficients(&problem)).unwrap();
    let slow = -problem.v[0];
    // (1+e) A = ln((1+A)/(1-eA))
    let residual = |a: f64| 1.6 * a - ((1.0 + a) / (1.0 - 0.6 * a)).ln();
    let (mut low, mut high) = (1e-3, 1.0 / 0.6 - 1e-12);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        (low, high) = if residual(middle) > 0.0 { (middle, high) } else { (low, middle) };
    }
    for (stiffness, exponent) in [(1e3_f64, 1.0_f64), (1e9, 1.0), (1e6, 1.5)] {
        let w = &problem.w;
        let rate = |s: &[f64; 7]| {
            let [x, v0, v1, v2, ..] = *s;
            let force = stiffness * x.max(0.0).powf(exponent) * (1.0 - low / slow * v0);
            let reach = (v1 * v1 + v2 * v2 + (0.1 * slow).powi(2)).sqrt();
            let f = [force, -0.4 * force * v1 / reach, -0.4 * force * v2 / reach];
            let dv = [0, 1, 2].map(|r| (0..3).map(|c| w[r][c] * f[c]).sum::<f64>());
            [-v0, dv[0], dv[1], dv[2], f[0], f[1], f[2]]
        };
        // x^(n+1) k/(n+1) = v²/(2 W_nn)
        let depth = (slow * slow / w[0][0] * (exponent + 1.0) / (2.0 * stiffness)).powf(1.0 / (exponent + 1.0));
        let step = depth / slow / 20_000.0;
        let mut s = [0.0, problem.v[0], problem.v[1], problem.v[2], 0.0, 0.0, 0.0];
        while s[0] > 0.0 || s[1] < 0.0 {
            let plus = |k: &[f64; 7], h: f64| std::array::from_fn::<f64, 7, _>(|i| s[i] + h * k[i]);
            let k1 = rate(&s);
            let k2 = rate(&plus(&k1, 0.5 * step));
            let k3 = rate(&plus(&k2, 0.5 * step));
            let k4 = rate(&plus(&k3, step));
            s = std::array::from_fn(|i| s[i] + step / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
        }
        let off = distance(&answer.impulse, &s[4..]) / norm(&answer.impulse);
        println!("stiffness {stiffness:e}, exponent {exponent}: {off:.1e}");
        assert!(off < 1e-6, "{off:e} {answer:?}");
    }
}

/// Sliding ninety thousand times as fast as it approaches, the contact comes to its stop in very many small steps.
#[test]
fn momentum_is_balanced_over_many_steps() {
    let w = [[6.171949827971067, -6.883946519635769, 0.0], [-6.883946519635769, 48.14239828799816, 0.0], [0.0; 3]];
    let v = [-6.784843927049344e-5, -6.205053895460843, 0.0];
    let mu = 1.184098768050011;
    let problem = Problem { d: 2, w, v, e: 0.014681148754640631, e_t: 0.0, mu_s: mu, mu_d: mu };
    let outcome = by(&problem, Law::HuntCrossley).unwrap();
    for r in 0..2 {
        let residual = v[r] + (0..2).map(|c| w[r][c] * outcome.impulse[c]).sum::<f64>();
        let off = residual - outcome.contact_velocity.after[r];
        assert!(off.abs() <= 1e-14 * problem.momentum_scale(&outcome.impulse, r), "{off:e}");
    }
}

#[test]
fn settings_are_checked() {
    for bad in [0.0, -1.0, 2.0, f64::NAN, f64::INFINITY] {
        assert_eq!(HuntCrossley::new(bad).unwrap_err().kind(), ErrorKind::OutOfRange);
    }
    assert_eq!(HuntCrossley::default().regularisation(), 1e-3);
}
