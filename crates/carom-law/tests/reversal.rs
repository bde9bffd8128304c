//! Where slip passes into reversal, to the last bit of `μ_d`.

mod common;

use carom_law::{Guard, Mode, Outcome};
use common::oracle;
use common::random::{self, Problem, any, ulps};
use fastrand::Rng;

const EPS: f64 = f64::EPSILON;

/// What happens four neighbours of `μ_d` either side of the least that reverses, where the contact does not
/// stick.
fn around_reversal(p: &Problem, critical: f64) -> Vec<(Problem, Outcome)> {
    let near = (-4..=4).map(|k| Problem { mu_s: ulps(critical, k), mu_d: ulps(critical, k), ..*p });
    let solved = near.map(|p| (p, p.solve(Guard::Report).unwrap()));
    solved.filter(|(_, o)| o.mode != Mode::Stick).collect()
}

/// A problem that may reverse, and the least `μ_d` at which it does.
fn reversible(rng: &mut Rng) -> (Problem, f64) {
    loop {
        let p = any(rng);
        let p = Problem { e_t: [-1.0, 0.0][rng.usize(0..2)], ..p };
        if let Some(critical) = p.contact().unwrap().critical_reversal(&p.restitution()) {
            return (p, critical);
        }
    }
}

/// On one side the contact slips with next to no average velocity, on the other it reverses: the same impulse.
#[test]
fn slip_passes_into_reversal() {
    /// The direction of slip moves by the four neighbours of `μ_d` over the slope of its equation.
    const CONTINUITY: f64 = 64.0 * EPS;
    let mut rng = random::generator("slip_passes_into_reversal");
    let (mut boundaries, mut modes) = (0, [0; 4]);
    for _ in 0..random::cases(20_000) {
        let (p, critical) = reversible(&mut rng);
        let outcomes = around_reversal(&p, critical);
        boundaries += usize::from(!outcomes.is_empty());
        for (p, o) in &outcomes {
            p.assert_lawful(o);
            modes[o.mode as usize] += 1;
        }
        // Where the reversal appears together with a slip, beside another slip, the choice may jump.
        if outcomes.iter().any(|(_, o)| o.solutions != Some(1)) {
            continue;
        }
        let slope = slope_at_reversal(&Problem { mu_d: critical, ..p });
        for pair in outcomes.windows(2) {
            let (a, b) = (&pair[0].1, &pair[1].1);
            for r in 0..p.d {
                let change: f64 = (0..p.d).map(|c| p.w[r][c] * (a.impulse[c] - b.impulse[c])).sum();
                let bound = CONTINUITY / slope * whole_scale(&p, a, r);
                assert!(change.abs() <= bound, "{change:e} > {bound:e}, slope {slope:e}: {p:?}\n{a:?}\n{b:?}");
            }
        }
    }
    println!("{boundaries} boundaries: slip {}, reversal {}", modes[2], modes[3]);
    assert!(boundaries > 500 && modes[2] > 500 && modes[3] > 500);
}

/// The reversal and the slip that it passes into are one answer, not two or none.
#[test]
fn the_count_stays_odd_where_slip_passes_into_reversal() {
    let mut rng = random::generator("the_count_stays_odd_where_slip_passes_into_reversal");
    let (mut even, mut all, mut worst) = (0, 0, None);
    for _ in 0..random::cases(20_000) {
        let (p, critical) = reversible(&mut rng);
        for (p, o) in around_reversal(&p, critical) {
            all += 1;
            if o.solutions.unwrap() % 2 == 0 {
                (even, worst) = (even + 1, Some((p, o)));
            }
        }
    }
    assert_eq!(even, 0, "of {all} counts; the last: {worst:?}");
}

/// `(|W||i| + |v|)_r`, with the tangents taken together.
fn whole_scale(p: &Problem, o: &Outcome, r: usize) -> f64 {
    let size = |r: usize| p.w[r][r].sqrt();
    let whole: f64 = (0..p.d).map(|c| size(c) * o.impulse[c].abs() + p.v[c].abs() / size(c)).sum();
    size(r) * whole
}

/// How fast `u × (a - μ N u)` turns with the direction of the reversal impulse, relative to the terms it is
/// made of: what an error of the direction equation is divided by.
fn slope_at_reversal(p: &Problem) -> f64 {
    if p.d == 2 {
        return 1.0;
    }
    let k = -(1.0 + p.e) * p.v[0] / 2.0;
    let n = |i: usize, j: usize| p.v[i] * p.w[0][j] + k * p.w[i][j];
    let reversal = oracle::sliding_answers(&oracle::Problem { mu_d: p.mu_d * (1.0 + 1e-6), ..p.oracle() }).0;
    let Some(reversal) = reversal.iter().find(|answer| answer.kind == oracle::Kind::Reversal) else { return 1.0 };
    let [_, x, y] = reversal.impulse;
    let u = [-x / x.hypot(y), -y / x.hypot(y)];
    // At λ = 0 the slope is the cross product of u and N times u turned by a right angle.
    let turned = [-u[1], u[0]];
    let along = |i: usize| n(i, 1) * turned[0] + n(i, 2) * turned[1];
    let terms: f64 =
        [1, 2].map(|i| (p.v[i] * p.w[0][1].hypot(p.w[0][2])).abs() + k * p.w[i][1].hypot(p.w[i][2])).iter().sum();
    (u[0] * along(2) - u[1] * along(1)).abs() / terms
}
