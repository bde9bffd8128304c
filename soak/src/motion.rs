//! The problem and its answer in units of order one, in double-double arithmetic: velocities, energies and what each may be off by.
//!
//! The bounds are relative to the input, with a term for rounding: `1e-9 |A||q̇⁻| + 32 n ε |A||q̇⁺|` for velocities and
//! `1e-9 K⁻ + 32 n ε |q̇⁺|ᵀ|M||q̇⁺|` for energies. `|A||q̇|` is a product of norms, each coordinate in units of its own inertia
//! `sqrt(M_jj)`: the units of coordinates drop out, and rows or coordinates that are zero leave room for rounding. In contact space, where neither `A` nor `q̇` is known, the speed of a row
//! is `sqrt(W_rr)` times the largest `|v_k⁻| / sqrt(W_kk)`, and `K⁻` is at least the largest `v_k² / (2 W_kk)`.

use crate::condition::delassus_condition;
use crate::precise::{Cholesky, Double, abs_dot, abs_quadratic, dot, exponent, norm, quadratic, shift};
use crate::problem::{Problem, Rows};
use crate::reported::Reported;
use crate::verdict::{Condition, Verdict, ratio};

/// What is allowed of the input's own size.
pub(crate) const RELATIVE: f64 = 1e-9;

/// Roundings allowed a coordinate.
pub(crate) const ROUNDINGS: f64 = 32.0;

/// Roundings of M allowed to impulses, times its condition number and the root of that of W: half a unit in the last place of M
/// moves them by that much.
const IMPULSE_ROUNDINGS: f64 = 10.0;

/// The problem and its answer in units of order one, with what follows from them in double-double arithmetic.
pub(crate) struct Motion {
    /// Each row's velocity before and after, anew.
    pub(crate) before: Vec<Double>,
    pub(crate) after: Vec<Double>,
    /// What each row's velocity may be off by, of the velocity before alone and of both.
    pub(crate) slack_before: Vec<f64>,
    pub(crate) slack: Vec<f64>,
    /// The impulses, row by row.
    pub(crate) impulse: Vec<f64>,
    /// The diagonal of W.
    pub(crate) delassus: Vec<f64>,
    /// Coordinates, or rows where there are none.
    pub(crate) n: f64,
    pub(crate) energy: Energies,
    /// Units of velocity, by rows, and of energy, as powers of two.
    pub(crate) velocity_unit: Vec<i32>,
    pub(crate) energy_unit: i32,
}

pub(crate) struct Energies {
    pub(crate) before: Option<Double>,
    pub(crate) after: Option<Double>,
    pub(crate) change: Double,
    pub(crate) slack_before: f64,
    pub(crate) slack: f64,
}

impl Motion {
    /// The work of all impulses, row by row without sign.
    pub(crate) fn exchanged(&self) -> f64 {
        let speeds =
            self.before.iter().zip(&self.after).map(|(before, after)| 0.5 * (before.abs().hi() + after.abs().hi()));
        speeds.zip(&self.impulse).map(|(speed, i)| speed * i.abs()).sum()
    }
}

/// The exponent of the largest of some numbers.
fn largest_exponent(numbers: impl Iterator<Item = f64>) -> i32 {
    exponent(numbers.fold(0.0_f64, |largest, x| largest.max(x.abs())))
}

/// The tangents of a contact turn into each other, and share the largest of their sizes.
fn with_tangents_together(problem: &Problem, mut sizes: Vec<f64>) -> Vec<f64> {
    let offsets = problem.offsets();
    for k in 0..problem.contacts.len() {
        let tangents = &mut sizes[offsets[k] + 1..offsets[k + 1]];
        let largest = tangents.iter().copied().fold(0.0, f64::max);
        tangents.fill(largest);
    }
    sizes
}

fn impulses(problem: &Problem, reported: &Reported, unit: impl Fn(usize) -> i32) -> Vec<f64> {
    let shares = reported.contacts.iter().enumerate();
    let impulse: Vec<f64> =
        shares.flat_map(|(k, c)| c.impulse.iter().map(|x| shift(*x, unit(k))).collect::<Vec<_>>()).collect();
    debug_assert_eq!(impulse.len(), problem.offsets()[problem.contacts.len()]);
    impulse
}

/// Coordinates in units of their own inertia, contacts in units of their rows.
pub(crate) fn generalized(
    problem: &Problem,
    mass: &Rows,
    jacobian: &Rows,
    velocity: &[f64],
    reported: &Reported,
    verdict: &mut Verdict,
) -> Option<Motion> {
    let n = velocity.len();
    let size: Vec<i32> = (0..n).map(|j| exponent(mass[j][j]).div_euclid(2)).collect();
    let m: Rows = (0..n).map(|i| (0..n).map(|j| shift(mass[i][j], -size[i] - size[j])).collect()).collect();
    // A large part of `M` may be asymmetric by rounding: the energy and the momentum of the mean are meant.
    let m: Rows = (0..n).map(|i| (0..n).map(|j| 0.5 * m[i][j] + 0.5 * m[j][i]).collect()).collect();
    let factor = Cholesky::new(&m)?;
    let speed = largest_exponent((0..n).map(|j| shift(velocity[j], size[j])));
    let scaled = |v: &[f64]| -> Vec<f64> { (0..n).map(|j| shift(v[j], size[j] - speed)).collect() };
    let (before, after) = (scaled(velocity), scaled(reported.velocity.as_deref()?));
    let offsets = problem.offsets();
    let rows = offsets[problem.contacts.len()];
    let mut a: Rows = (0..rows).map(|r| (0..n).map(|j| shift(jacobian[r][j], -size[j])).collect()).collect();
    let mut units = Vec::new();
    for k in 0..problem.contacts.len() {
        let own = &mut a[offsets[k]..offsets[k + 1]];
        let unit = largest_exponent(own.iter().flatten().copied());
        own.iter_mut().flatten().for_each(|x| *x = shift(*x, -unit));
        units.push(unit);
    }
    let impulse = impulses(problem, reported, |k| units[k] - speed);
    let rounding = ROUNDINGS * n as f64 * f64::EPSILON;
    let [speed_before, speed_after] = [&before, &after].map(|v| norm((0..n).map(|j| v[j] * m[j][j].sqrt())));
    let reach =
        with_tangents_together(problem, a.iter().map(|row| norm((0..n).map(|j| row[j] / m[j][j].sqrt()))).collect());
    let slack_before = reach.iter().map(|reach| (RELATIVE + rounding) * reach * speed_before).collect();
    let slack = reach.iter().map(|reach| reach * (RELATIVE * speed_before + rounding * speed_after)).collect();
    // At least the condition of M over n²; each coordinate in units of its own inertia.
    let axis = |j: usize| (0..n).map(|i| if i == j { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
    let condition = (0..n).map(|j| m[j][j] * factor.inverse_quadratic(&axis(j)).hi()).fold(0.0, f64::max);
    let relative = RELATIVE + IMPULSE_ROUNDINGS * f64::EPSILON * condition * delassus_condition(problem).sqrt();
    momentum(&m, &a, [&before, &after], &impulse, [relative, rounding], verdict);
    let kinetic = |v: &[f64]| quadratic(v, &m, v) * Double::from(0.5);
    let (k_before, k_after) = (kinetic(&before), kinetic(&after));
    let energy = Energies {
        before: Some(k_before),
        after: Some(k_after),
        change: k_after - k_before,
        slack_before: RELATIVE * k_before.hi() + rounding * abs_quadratic(&before, &m, &before),
        slack: RELATIVE * k_before.hi() + rounding * abs_quadratic(&after, &m, &after),
    };
    let velocity_unit =
        (0..problem.contacts.len()).flat_map(|k| vec![units[k] + speed; problem.contacts[k].dimension]).collect();
    Some(Motion {
        before: a.iter().map(|row| dot(row, &before)).collect(),
        after: a.iter().map(|row| dot(row, &after)).collect(),
        slack_before,
        slack,
        delassus: a.iter().map(|row| factor.inverse_quadratic(row).hi()).collect(),
        impulse,
        n: n as f64,
        energy,
        velocity_unit,
        energy_unit: 2 * speed,
    })
}

/// [7]: `M (q̇⁺ - q̇⁻) = Aᵀ i`, each coordinate in units of its own inertia. A factor of M has errors of the size of
/// sqrt(M_ii M_jj), which is one here, and not of |M_ij|. What an impulse is off by is of its size, not of its direction.
fn momentum(
    m: &Rows,
    a: &Rows,
    [before, after]: [&[f64]; 2],
    impulse: &[f64],
    [relative, rounding]: [f64; 2],
    verdict: &mut Verdict,
) {
    let speeds: f64 = before.iter().chain(after).map(|x| x.abs()).sum();
    let pushed: f64 = a.iter().zip(impulse).map(|(row, i)| norm(row.iter().copied()) * i.abs()).sum();
    let slack = relative * pushed + 2.0 * rounding * speeds;
    for j in 0..m.len() {
        let column: Vec<f64> = a.iter().map(|row| row[j]).collect();
        let left = dot(&m[j], after) - dot(&m[j], before) - dot(&column, impulse);
        verdict.note(Condition::Momentum, ratio(left.hi().abs(), slack));
    }
}

/// Contacts in units of their own inertia.
pub(crate) fn contact_space(problem: &Problem, delassus: &Rows, velocity: &[f64], reported: &Reported) -> Motion {
    let offsets = problem.offsets();
    let rows = offsets[problem.contacts.len()];
    let unit_of =
        |k: usize| exponent((offsets[k]..offsets[k + 1]).fold(0.0_f64, |w, r| w.max(delassus[r][r]))).div_euclid(2);
    let units: Vec<i32> = (0..problem.contacts.len()).map(unit_of).collect();
    let row_units: Vec<i32> =
        (0..problem.contacts.len()).flat_map(|k| vec![units[k]; problem.contacts[k].dimension]).collect();
    let entry = |i: usize, j: usize| shift(delassus[i][j], -row_units[i] - row_units[j]);
    let w: Rows = (0..rows).map(|i| (0..rows).map(|j| 0.5 * entry(i, j) + 0.5 * entry(j, i)).collect()).collect();
    let speed = largest_exponent((0..rows).map(|r| shift(velocity[r], -row_units[r])));
    let v: Vec<f64> = (0..rows).map(|r| shift(velocity[r], -row_units[r] - speed)).collect();
    let impulse = impulses(problem, reported, |k| units[k] - speed);
    let rounding = ROUNDINGS * rows as f64 * f64::EPSILON;
    let speed_of = |r: usize| if w[r][r] > 0.0 { v[r].abs() / w[r][r].sqrt() } else { 0.0 };
    let fastest = (0..rows).map(speed_of).fold(0.0, f64::max);
    let slack_before: Vec<f64> = (0..rows).map(|r| rounding * v[r].abs()).collect();
    let slack = (0..rows)
        .map(|r| RELATIVE * w[r][r].max(0.0).sqrt() * fastest + rounding * (v[r].abs() + abs_dot(&w[r], &impulse)))
        .collect();
    let slack = with_tangents_together(problem, slack);
    let energy = Energies {
        before: None,
        after: None,
        change: dot(&v, &impulse) + quadratic(&impulse, &w, &impulse) * Double::from(0.5),
        slack_before: 0.0,
        slack: RELATIVE * 0.5 * fastest * fastest
            + rounding * (abs_dot(&v, &impulse) + 0.5 * abs_quadratic(&impulse, &w, &impulse)),
    };
    Motion {
        before: v.iter().map(|v| Double::from(*v)).collect(),
        after: (0..rows).map(|r| dot(&w[r], &impulse) + Double::from(v[r])).collect(),
        slack_before,
        slack,
        delassus: (0..rows).map(|r| w[r][r]).collect(),
        impulse,
        n: rows as f64,
        energy,
        velocity_unit: row_units.iter().map(|unit| unit + speed).collect(),
        energy_unit: 2 * speed,
    }
}
