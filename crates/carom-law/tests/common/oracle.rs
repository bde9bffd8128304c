//! A slow, literal second opinion on the frictional-impact law, for tests.
//!
//! Bracketed numbers are the equations of F. Aghili, "Frictional Impacts in
//! Multibody Systems", counted in order of appearance.
//!
//! Sliding directions are found by walking once around the circle of directions
//! and forming the impulse, the velocity after impact and its average one after
//! the other from their definitions. `W` has to be positive definite, and its
//! entries of a size for which products with velocities stay within `f64`.

use std::f64::consts::{PI, SQRT_2};
use std::sync::OnceLock;

/// One impact seen from the contact: normal component first, tangents after it.
#[derive(Debug, Clone)]
pub struct Problem {
    /// Contact dimension, 2 (planar) or 3 (spatial); entries beyond it are zero.
    pub d: usize,
    /// The matrix that turns an impulse into a change of contact velocity,
    /// `A M^-1 A^T` of [7] and [10].
    pub w: [[f64; 3]; 3],
    /// Contact velocity before the impact; a negative first entry approaches.
    pub v: [f64; 3],
    /// Normal coefficient of restitution, of [9] and [17].
    pub e: f64,
    /// Tangential coefficient of restitution of [9]; only stick knows it.
    pub e_t: f64,
    /// Static coefficient of friction, the cone of [1] and [12].
    pub mu_s: f64,
    /// Dynamic coefficient of friction, of [5] and [18].
    pub mu_d: f64,
}

/// What happens at the contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The contact does not approach, so there is no impulse.
    Separating,
    /// Restitution [9] holds in every direction and the impulse [11] obeys [12].
    Stick,
    /// The friction impulse is `mu_d` times the normal one and opposes the
    /// average tangential velocity [18].
    Slip,
    /// The average tangential velocity is zero and the impulse lies in the
    /// cone of `mu_d`: the set-valued end of the same friction law.
    Reversal,
}

/// One sliding answer, consistent with the law by itself.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// [`Kind::Slip`] or [`Kind::Reversal`].
    pub kind: Kind,
    /// Contact impulse.
    pub impulse: [f64; 3],
    /// Contact velocity after the impact, from the momentum balance [10].
    pub velocity: [f64; 3],
    /// Unit direction of the average tangential velocity; zero for reversal.
    pub direction: [f64; 2],
    /// Work of the impulse on the average velocity [26], which is `K+ - K-` [34].
    pub energy_change: f64,
}

/// The oracle's verdict on a [`Problem`].
#[derive(Debug, Clone)]
pub struct Answer {
    /// The mode that the law chooses.
    pub kind: Kind,
    /// Contact impulse; NaN if an impact had neither stick nor a sliding
    /// answer, which only rounding at a boundary could bring about.
    pub impulse: [f64; 3],
    /// Contact velocity after the impact.
    pub velocity: [f64; 3],
    /// Work of the impulse on the average velocity, [26] and [34].
    pub energy_change: f64,
    /// Every sliding answer, the most dissipative first, even if stick holds.
    pub sliding: Vec<Candidate>,
    /// How far the nearest decision was from tipping over, between 0 and 1: the
    /// minimum of what [`sliding_answers`] describes and the distance of the
    /// stick impulse from the surface of its cone. It covers the choice and the
    /// list `sliding` alike. Skip problems below a threshold such as 1e-7, for
    /// there the mode or the count is up to rounding. Above it, directions are
    /// good to about `5e-16 / sqrt(margin)`. The sign of the normal velocity is
    /// given, not computed, and does not count. Nor does the condition of `W`:
    /// rounding of the impulse alone moves `energy_change` by `1e-16 |i| |W| |i|`.
    pub margin: f64,
}

/// Decides an impact: separating, else stick if its impulse lies in the static
/// cone and pushes, else the sliding answer that dissipates most.
pub fn solve(p: &Problem) -> Answer {
    let (sliding, margin) = sliding_answers(p);
    let stick = impulse_for(p, p.e, p.e_t);
    let (holds, cone) = in_cone(p.mu_s, &stick);
    let (kind, impulse, margin) = match sliding.first() {
        _ if p.v[0] >= 0.0 => (Kind::Separating, [0.0; 3], margin),
        _ if holds => (Kind::Stick, stick, margin.min(cone)),
        Some(best) => (best.kind, best.impulse, margin.min(cone)),
        None => (Kind::Reversal, [f64::NAN; 3], margin.min(cone)),
    };
    let (velocity, energy_change) = consequences(p, &impulse);
    Answer { kind, impulse, velocity, energy_change, sliding, margin }
}

/// All slip and reversal answers, the most dissipative first, whether or not
/// stick would hold, and the margin of the decisions that led to them.
///
/// The margin is the smallest of these relative distances:
/// - the reversal impulse from the surface of the cone of `mu_d`, relative to
///   `mu_d |i_n| + |i_t|`, or from `i_n = 0`, relative to `|i|`;
/// - at each root of the residual, accepted or not, `u . vbar_t` from zero
///   and the denominator [20] from zero, each relative to the magnitudes of
///   the terms that were added up to form it;
/// - over all directions that might be accepted, the residual or the *square*
///   of its slope, whichever is larger, relative to the largest tangential
///   vector on the circle. This is small for two roots at a small distance
///   (their distance squared) and for a shallow minimum without a root;
/// - that largest vector, relative to the terms it is a sum of;
/// - the difference in dissipation between the two best answers, relative to
///   the greatest dissipation.
///
/// A decision that is the conjunction of two conditions is as far from tipping
/// over as its nearest condition if it holds, and as its most violated one if
/// not. For a contact that does not approach: no answers, margin 1.
pub fn sliding_answers(p: &Problem) -> (Vec<Candidate>, f64) {
    let mut found = Vec::new();
    if p.v[0] >= 0.0 {
        return (found, 1.0);
    }
    // Reversal: v_t+ = -v_t-, so that the average vanishes.
    let impulse = impulse_for(p, p.e, 1.0);
    let (holds, mut margin) = in_cone(p.mu_d, &impulse);
    if holds {
        found.push(candidate(p, Kind::Reversal, impulse, [0.0; 2]));
    }
    let directions = match p.d {
        2 => vec![[1.0, 0.0], [-1.0, 0.0]],
        _ => circle(p, &mut margin),
    };
    let den_terms = p.w[0][0] + p.mu_d * p.w[0][1].hypot(p.w[0][2]);
    for u in directions {
        let s = Sample::at(p, u);
        let along = s.along / s.den;
        let part = |r: usize, c: usize| (p.w[r][c] * s.impulse[c]).abs();
        let terms = |r: usize| p.v[r].abs() + part(r, 0) + part(r, 1) + part(r, 2);
        let holds = along > 0.0 && s.den > 0.0;
        let signed = [relative(along, terms(1) + terms(2)), s.den / den_terms];
        margin = margin.min(distance(holds, signed));
        if holds {
            found.push(candidate(p, Kind::Slip, s.impulse, u));
        }
    }
    found.sort_by(|x, y| x.energy_change.total_cmp(&y.energy_change));
    if let [first, second, ..] = &found[..] {
        let gap = second.energy_change - first.energy_change;
        margin = margin.min(relative(gap, first.energy_change.abs()));
    }
    (found, margin)
}

/// The impulse with `W i = -(I + E) v`, `E` of the given normal and tangential
/// restitution [11]: elimination, then a correction from a residual that is
/// summed in doubled precision, starting at the unrounded right-hand side.
fn impulse_for(p: &Problem, e: f64, e_t: f64) -> [f64; 3] {
    let e = [e, e_t, e_t];
    let x = eliminate(p, [0, 1, 2].map(|r| -(1.0 + e[r]) * p.v[r]));
    let residual = [0, 1, 2].map(|r| {
        let (mut high, mut low) = (-p.v[r], 0.0);
        let [a, b, c] = p.w[r];
        for (f, g) in [(e[r], p.v[r]), (a, x[0]), (b, x[1]), (c, x[2])] {
            let product = -f * g;
            let sum = high + product;
            let back = sum - high;
            low += (-f).mul_add(g, -product) + (high - (sum - back)) + (product - back);
            high = sum;
        }
        high + low
    });
    let correction = eliminate(p, residual);
    [0, 1, 2].map(|r| x[r] + correction[r])
}

/// Gaussian elimination with full pivoting on the leading `d` rows of `W`.
fn eliminate(p: &Problem, mut b: [f64; 3]) -> [f64; 3] {
    let (n, mut m, mut order) = (p.d, p.w, [0, 1, 2]);
    for k in 0..n {
        let (mut r, mut c) = (k, k);
        for (i, j) in (k..n).flat_map(|i| (k..n).map(move |j| (i, j))) {
            if m[i][j].abs() > m[r][c].abs() {
                (r, c) = (i, j);
            }
        }
        m.swap(k, r);
        b.swap(k, r);
        order.swap(k, c);
        m.iter_mut().for_each(|row| row.swap(k, c));
        for i in k + 1..n {
            let factor = m[i][k] / m[k][k];
            for j in k..n {
                m[i][j] -= factor * m[k][j];
            }
            b[i] -= factor * b[k];
        }
    }
    let mut x = [0.0; 3];
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| m[k][j] * x[order[j]]).sum();
        x[order[k]] = (b[k] - known) / m[k][k];
    }
    x
}

/// Velocity after the impact [10] and work on the average velocity [26].
fn consequences(p: &Problem, i: &[f64; 3]) -> ([f64; 3], f64) {
    let after = [0, 1, 2].map(|r| p.v[r] + p.w[r][0] * i[0] + p.w[r][1] * i[1] + p.w[r][2] * i[2]);
    let work = (0..3).map(|r| 0.5 * (p.v[r] + after[r]) * i[r]).sum();
    (after, work)
}

fn candidate(p: &Problem, kind: Kind, impulse: [f64; 3], direction: [f64; 2]) -> Candidate {
    let (velocity, energy_change) = consequences(p, &impulse);
    Candidate { kind, impulse, velocity, direction, energy_change }
}

/// Does the impulse push and obey [12]? And how clear is that?
fn in_cone(mu: f64, i: &[f64; 3]) -> (bool, f64) {
    let (normal, tangential) = (i[0], i[1].hypot(i[2]));
    let inside = mu * normal - tangential;
    let holds = normal > 0.0 && inside >= 0.0;
    let push = relative(normal, normal.hypot(tangential));
    let inside = relative(inside, mu * normal.abs() + tangential);
    (holds, distance(holds, [push, inside]))
}

/// Distance of the decision "both numbers positive" from tipping over.
fn distance(holds: bool, [x, y]: [f64; 2]) -> f64 {
    let violated = (-x).max(-y).max(0.0);
    if holds { x.min(y) } else { violated }
}

fn relative(x: f64, scale: f64) -> f64 {
    if scale > 0.0 { x / scale } else { 0.0 }
}

/// Slip along an assumed direction `u`: the denominator of [18], positive if
/// [20] holds, and the impulse, with friction against `u`. Then the average
/// tangential velocity, times the denominator to keep it bounded: `u x vbar_t`,
/// zero where the assumption is right, and `u . vbar_t`.
#[derive(Clone, Copy)]
struct Sample {
    den: f64,
    impulse: [f64; 3],
    across: f64,
    along: f64,
}

impl Sample {
    fn at(p: &Problem, u: [f64; 2]) -> Self {
        let den = p.w[0][0] - p.mu_d * (p.w[0][1] * u[0] + p.w[0][2] * u[1]);
        let den = if den == 0.0 { 1e-30 * p.w[0][0] } else { den };
        let i_n = -(1.0 + p.e) * p.v[0] / den;
        let impulse = [i_n, -p.mu_d * u[0] * i_n, -p.mu_d * u[1] * i_n];
        let (after, _) = consequences(p, &impulse);
        let (x, y) = (0.5 * (p.v[1] + after[1]), 0.5 * (p.v[2] + after[2]));
        Sample { den, impulse, across: den * (u[0] * y - u[1] * x), along: den * (u[0] * x + u[1] * y) }
    }
}

const ANGLES: usize = 360;
const STEP: f64 = 2.0 * PI / ANGLES as f64;
const NARROW: f64 = 1e-6;

fn angle(j: usize) -> f64 {
    (j as f64 + (SQRT_2 - 1.0)) * STEP - PI
}

fn unit(theta: f64) -> [f64; 2] {
    [theta.cos(), theta.sin()]
}

/// Directions on the circle where `u x vbar_t` vanishes, except those that are
/// clearly no slip.
///
/// Times the denominator, `vbar_t` is an affine function of `u`. Hence `across`
/// and `along` are trigonometric polynomials of degree two in the angle, and each
/// derivative is at most twice as large as what it derives from (Bernstein). So
/// values at the ends of a cell between neighbouring angles can settle for
/// certain that it holds no root, one root, or none that could be accepted. A
/// cell that stays open is halved until [`NARROW`]; close pairs are not missed.
fn circle(p: &Problem, margin: &mut f64) -> Vec<[f64; 2]> {
    static TABLE: OnceLock<Vec<[f64; 2]>> = OnceLock::new();
    let table = TABLE.get_or_init(|| (0..ANGLES).map(|j| unit(angle(j))).collect());
    let samples: Vec<Sample> = table.iter().map(|&u| Sample::at(p, u)).collect();
    let largest = |f: fn(&Sample) -> f64| samples.iter().map(f).fold(0.0, f64::max);
    let (across, along) = (largest(|s| s.across.abs()), largest(|s| s.along.abs()));
    let size = largest(|s| s.across * s.across + s.along * s.along).sqrt();
    let w_norm = p.w[0][1].hypot(p.w[0][2]);
    let den_terms = p.w[0][0] + p.mu_d * w_norm;
    let terms =
        den_terms * p.v[1].hypot(p.v[2]) + (1.0 + p.e) * p.v[0].abs() * (w_norm + p.mu_d * (p.w[1][1] + p.w[2][2]));
    *margin = margin.min(relative(size, terms));
    if size <= 1e-13 * terms {
        return Vec::new(); // nothing but rounding; the margin says so
    }
    let (mut roots, mut cells) = (Vec::new(), Vec::new());
    for j in 0..ANGLES {
        let next = samples[(j + 1) % ANGLES];
        cells.push((angle(j), samples[j], angle(j + 1), next, STEP));
        while let Some((a, at_a, b, at_b, width)) = cells.pop() {
            let crossing = (at_a.across < 0.0) != (at_b.across < 0.0);
            let nearest = at_a.across.abs().min(at_b.across.abs());
            let low = if crossing { 0.0 } else { nearest };
            let slope = (at_b.across - at_a.across).abs() / width;
            let (top, den) = (at_a.along.max(at_b.along), at_a.den.max(at_b.den));
            let refused = top < -2.0 * width * along || den < -width * p.mu_d * w_norm;
            let settled = slope > 8.0 * width * across || low > width * width * across;
            if refused || settled || width < NARROW {
                let clear = (low / size).max((slope / size).powi(2));
                *margin = margin.min(clear.max(-top / size).max(-den / den_terms));
                if crossing && !refused {
                    roots.push(unit(bisect(p, a, b, at_a.across < 0.0)));
                }
            } else {
                let (middle, half) = (0.5 * (a + b), 0.5 * width);
                let at_middle = Sample::at(p, unit(middle));
                cells.push((a, at_a, middle, at_middle, half));
                cells.push((middle, at_middle, b, at_b, half));
            }
        }
    }
    roots
}

/// The angle between `a` and `b` at which `across` changes sign, to the last bit.
fn bisect(p: &Problem, mut a: f64, mut b: f64, negative_at_a: bool) -> f64 {
    loop {
        let middle = 0.5 * (a + b);
        if middle <= a || middle >= b || b - a < 1e-18 {
            return middle;
        }
        if (Sample::at(p, unit(middle)).across < 0.0) == negative_at_a {
            a = middle;
        } else {
            b = middle;
        }
    }
}
