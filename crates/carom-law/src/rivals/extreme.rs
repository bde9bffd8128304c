//! Random impacts at the ends of `f64`: scales of 1e±300, subnormal numbers, zeros, equal entries, singular matrices.

use fastrand::Rng;

/// A contact-space problem as plain numbers; the rows and columns beyond the dimension are zero.
#[derive(Debug, Clone, Copy)]
pub struct Extreme {
    pub d: usize,
    pub w: [[f64; 3]; 3],
    pub v: [f64; 3],
    pub e: f64,
    pub e_t: f64,
    pub mu_s: f64,
    pub mu_d: f64,
}

/// Four numbers per row: `W` is the Gram matrix of the rows.
type Rows = [[f64; 4]; 3];

fn between(rng: &mut Rng, low: f64, high: f64) -> f64 {
    low + (high - low) * rng.f64()
}

/// `10^x`, `x` anywhere between.
fn decades(rng: &mut Rng, low: f64, high: f64) -> f64 {
    10f64.powf(between(rng, low, high))
}

fn one_of<T: Copy>(rng: &mut Rng, list: &[T]) -> T {
    list[rng.usize(0..list.len())]
}

/// A factor of either sign: mostly of order one, else anything, or zero.
fn factor(rng: &mut Rng) -> f64 {
    let size = match rng.u8(0..16) {
        0 => 0.0,
        1 => decades(rng, -20.0, 0.0),
        2 => decades(rng, -160.0, 0.0),
        3 => 1.0,
        4 => 1.0 + f64::EPSILON,
        _ => between(rng, 0.0, 2.0),
    };
    if rng.bool() { size } else { -size }
}

/// A size: mostly of order one.
fn size(rng: &mut Rng, reach: f64) -> f64 {
    match rng.u8(0..4) {
        0 => decades(rng, -reach, reach),
        1 => decades(rng, -10.0, 10.0),
        _ => 1.0,
    }
}

/// A velocity beside others of size one: equal, zero, subnormal, or of any size.
fn speed(rng: &mut Rng, unit: f64) -> f64 {
    match rng.u8(0..12) {
        0 => 0.0,
        1 => decades(rng, -300.0, 300.0),
        2 => f64::from_bits(rng.u64(1..1 << 52)),
        3 => 5e-324,
        4 => unit * decades(rng, -30.0, 10.0),
        5 => unit * decades(rng, -300.0, 0.0),
        6 => unit,
        _ => unit * rng.f64(),
    }
}

fn gram(rows: &Rows, d: usize) -> [[f64; 3]; 3] {
    let mut w = [[0.0; 3]; 3];
    for i in 0..d {
        for j in 0..=i {
            w[i][j] = (0..4).map(|k| rows[i][k] * rows[j][k]).sum();
            w[j][i] = w[i][j];
        }
    }
    w
}

/// A problem of any kind. Not all of them are sound: some matrices are indefinite by rounding, some velocities lie
/// outside the range of a singular matrix, and both are rejected.
pub fn any(rng: &mut Rng) -> Extreme {
    let d = one_of(rng, &[1, 2, 2, 2, 3, 3, 3]);
    // Half the range: entries are squares.
    let normal = size(rng, 140.0);
    let tangential = if rng.bool() { normal } else { size(rng, 140.0) };
    let units = [normal, tangential, tangential];
    // A column less makes a matrix singular.
    let columns = one_of(rng, &[4, 4, 4, 2, 1]);
    let mut rows =
        [0, 1, 2].map(|i: usize| [0, 1, 2, 3].map(|k: usize| if k < columns { units[i] * factor(rng) } else { 0.0 }));
    match rng.u8(0..8) {
        // Without coupling.
        0 => rows = [0, 1, 2].map(|i| [0, 1, 2, 3].map(|k| if i == k { rows[i][k] } else { 0.0 })),
        // Tangents that are the same, or one that cannot move.
        1 => rows[2] = rows[1],
        2 => rows[2] = [0.0; 4],
        _ => {}
    }
    let mut w = gram(&rows, d);
    if rng.u8(0..8) == 0 && d > 1 {
        // Nearly vanishing coupling.
        let coupling = if rng.bool() { f64::from_bits(rng.u64(1..1 << 52)) } else { decades(rng, -320.0, -250.0) };
        (w[0][1], w[1][0]) = (coupling, coupling);
    }
    let unit = size(rng, 300.0);
    let mut v = [0.0; 3];
    if rng.bool() {
        // In the range of the matrix.
        let through = [(); 4].map(|()| factor(rng));
        for i in 0..d {
            v[i] = (0..4).map(|k| rows[i][k] * through[k]).sum::<f64>() * unit;
        }
        v[0] = -v[0].abs();
    } else {
        for i in 0..d {
            v[i] = speed(rng, unit) * if rng.bool() { 1.0 } else { w[i][i].sqrt() };
            v[i] = if i == 0 || rng.bool() { -v[i] } else { v[i] };
        }
    }
    let e = match rng.u8(0..8) {
        0 => 0.0,
        1 => decades(rng, -320.0, 0.0),
        2 => 1f64.next_down(),
        3 => 1.0,
        _ => rng.f64(),
    };
    let e_t = if rng.u8(0..4) == 0 { one_of(rng, &[-1.0, 1.0, 0.5, -1f64.next_down()]) } else { 0.0 };
    let mu_d = match rng.u8(0..10) {
        0 | 1 => 0.0,
        2 => decades(rng, -307.0, 308.0),
        3 => 1e8,
        4 => normal / tangential * rng.f64(),
        5 => decades(rng, -20.0, 20.0),
        _ => 2.0 * rng.f64(),
    };
    let mu_d = if mu_d.is_finite() { mu_d } else { 0.3 };
    let mu_s = if rng.bool() { mu_d } else { (mu_d * between(rng, 1.0, 2.0)).min(f64::MAX) };
    Extreme { d, w, v, e, e_t, mu_s, mu_d }
}
