//! The laws of paths against plain integration of their equations in small steps.

use carom_law::Law;

use crate::common::random::{Problem, cases, generator};
use crate::{OF_PATHS, by, distance, mild, norm};

struct Brute {
    impulse: [f64; 3],
    /// The least slip on the way.
    slowest: f64,
}

/// Keller's equations in `p`, by the classical method of Runge and Kutta; slip that would turn round in a step has stopped.
fn integrate(problem: &Problem, law: Law, steps: usize) -> Brute {
    let Problem { w, v, e, mu_s, mu_d, .. } = *problem;
    let det = w[1][1] * w[2][2] - w[1][2] * w[1][2];
    let hold = [-(w[2][2] * w[0][1] - w[1][2] * w[0][2]) / det, -(w[1][1] * w[0][2] - w[1][2] * w[0][1]) / det];
    let sticks = norm(&hold) <= mu_s;
    let away = departure(&w, mu_d);
    let friction = |v: &[f64; 3]| {
        let speed = norm(&v[1..]);
        match speed > 0.0 {
            true => [-mu_d * v[1] / speed, -mu_d * v[2] / speed],
            false if sticks => hold,
            false => [-mu_d * away[0], -mu_d * away[1]],
        }
    };
    let rate = |v: &[f64; 3]| {
        let f = friction(v);
        [0, 1, 2].map(|r| w[r][0] + w[r][1] * f[0] + w[r][2] * f[1])
    };
    let step = -v[0] / w[0][0] / steps as f64;
    let (mut v, mut i, mut work, mut taken) = (v, 0.0, 0.0, None);
    let mut slowest = f64::INFINITY;
    loop {
        let plus = |k: &[f64; 3], h: f64| [0, 1, 2].map(|r| v[r] + h * k[r]);
        let advance = |h: f64| {
            let k1 = rate(&v);
            // At rest rates are constant, and the slightest slip of a stage would mislead the others.
            if norm(&v[1..]) == 0.0 {
                return plus(&k1, h);
            }
            let k2 = rate(&plus(&k1, 0.5 * h));
            let k3 = rate(&plus(&k2, 0.5 * h));
            let k4 = rate(&plus(&k3, h));
            [0, 1, 2].map(|r| v[r] + h / 6.0 * (k1[r] + 2.0 * k2[r] + 2.0 * k3[r] + k4[r]))
        };
        let mut next = advance(step);
        let change = [next[1] - v[1], next[2] - v[2]];
        let stops =
            norm(&v[1..]) > 0.0 && norm(&next[1..]) < 2.0 * norm(&change) && v[1] * change[0] + v[2] * change[1] < 0.0;
        if stops || norm(&v[1..]) == 0.0 && sticks {
            (next[1], next[2]) = (0.0, 0.0);
        }
        let compressed: &(f64, f64) = taken.get_or_insert((0.0, 0.0));
        let is_restoring = compressed.0 > 0.0;
        let excess = |p: f64, v_n: f64, work: f64| match law {
            _ if !is_restoring => v_n,
            Law::Poisson => p - (1.0 + e) * compressed.0,
            Law::Stronge => work + e * e * compressed.1,
            _ => v_n + e * problem.v[0],
        };
        let spent = 0.5 * (v[0] + next[0]) * step;
        let (before, after) = (excess(i, v[0], work), excess(i + step, next[0], work + spent));
        let share = if after >= 0.0 { (-before / (after - before)).clamp(0.0, 1.0) } else { 1.0 };
        i += share * step;
        work += share * 0.5 * (v[0] + v[0] + share * (next[0] - v[0])) * step;
        v = [0, 1, 2].map(|r| v[r] + share * (next[r] - v[r]));
        slowest = slowest.min(norm(&v[1..]));
        if after >= 0.0 {
            if is_restoring {
                // The rest of the impulse from the momentum: W_tt i_t = v_t - v_t⁻ - w i_n.
                let [b1, b2] = [1, 2].map(|r| v[r] - problem.v[r] - w[r][0] * i);
                let i_t = [(w[2][2] * b1 - w[1][2] * b2) / det, (w[1][1] * b2 - w[1][2] * b1) / det];
                return Brute { impulse: [i, i_t[0], i_t[1]], slowest };
            }
            taken = Some((i, work));
            work = 0.0;
        }
    }
}

/// The direction that minimises `(1, -μu) W (1, -μu)ᵀ`, by looking at all of them.
fn departure(w: &[[f64; 3]; 3], mu: f64) -> [f64; 2] {
    let cost = |u: [f64; 2]| {
        let x = [1.0, -mu * u[0], -mu * u[1]];
        (0..3).map(|r| x[r] * (0..3).map(|c| w[r][c] * x[c]).sum::<f64>()).sum::<f64>()
    };
    let at = |k: usize| {
        let (s, c) = (std::f64::consts::TAU * k as f64 / 40_000.0).sin_cos();
        [c, s]
    };
    (0..40_000).map(at).min_by(|a, b| cost(*a).total_cmp(&cost(*b))).unwrap()
}

#[test]
fn paths_in_space() {
    let mut rng = generator("brute force");
    let (mut slipping, mut stopping) = (0.0_f64, 0.0_f64);
    let mut stops = 0;
    for _ in 0..cases(60) {
        let problem = mild(&mut rng, 3);
        for law in OF_PATHS {
            let exact = by(&problem, law).unwrap();
            let brute = integrate(&problem, law, 20_000);
            let off = distance(&exact.impulse, &brute.impulse) / norm(&exact.impulse);
            if brute.slowest > 0.05 * norm(&problem.v[1..]) {
                slipping = slipping.max(off);
                assert!(off < 1e-6, "{} {off:e} {problem:?}\n{exact:?}", law.name());
            } else {
                stops += 1;
                stopping = stopping.max(off);
                assert!(off < 2e-3, "{} {off:e} {problem:?}\n{exact:?}", law.name());
            }
        }
    }
    println!("slip that lasts: {slipping:.1e}; {stops} that stop: {stopping:.1e}");
    assert!(stops > 20);
}

/// Chord against the path in ten thousand small steps, which shares no code with either law: as near as to `poisson`.
#[test]
fn chord_is_near_a_path_of_small_steps() {
    let mut rng = generator("chord and steps");
    let mut off: Vec<f64> = (0..cases(200))
        .map(|_| {
            let problem = mild(&mut rng, 3);
            let chord = by(&problem, Law::Chord).unwrap();
            let steps = integrate(&problem, Law::Poisson, 10_000);
            distance(&chord.impulse, &steps.impulse) / norm(&steps.impulse)
        })
        .collect();
    off.sort_by(f64::total_cmp);
    let at = |share: f64| off[(share * off.len() as f64) as usize];
    println!("median {:.4}, p90 {:.3}, largest {:.3}", at(0.5), at(0.9), off[off.len() - 1]);
    assert!(at(0.5) < 0.002 && at(0.9) < 0.03, "{off:?}");
}
