//! Orthogonal factorisations `Y = Q R` by Householder's reflections: of tall matrices, and of one contact's columns.

use crate::numeric::matrix::Dense;

/// `Y = Q R` of independent columns, no more than rows; `Q` is kept as the reflections `I - tau w wᵀ`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reflections {
    /// One row per column of `Y`: its column of `R` above the diagonal, then `tau`, then `w` after its leading one.
    columns: Dense,
    /// The diagonal of `R`.
    diagonal: Vec<f64>,
}

impl Reflections {
    /// Factors a matrix of `count` columns, one a row of what `fill` writes into.
    pub(crate) fn factor(&mut self, rows: usize, count: usize, fill: impl FnOnce(&mut Dense)) {
        self.columns.reset(count, rows);
        fill(&mut self.columns);
        self.diagonal.clear();
        for k in 0..count.min(rows) {
            let (column, rest) = self.columns.row_and_below(k);
            self.diagonal.push(make_reflection(&mut column[k..]));
            rest.for_each(|other| reflect(&column[k..], &mut other[k..]));
        }
    }

    /// An entry of `R`, above its diagonal or on it.
    fn entry(&self, i: usize, k: usize) -> f64 {
        if i == k { self.diagonal[k] } else { self.columns[(k, i)] }
    }

    /// `b ← Qᵀ b`.
    pub(crate) fn turn_back(&self, b: &mut [f64]) {
        for k in 0..self.diagonal.len() {
            reflect(&self.columns.row(k)[k..], &mut b[k..]);
        }
    }

    /// `b ← Q b`.
    pub(crate) fn turn(&self, b: &mut [f64]) {
        for k in (0..self.diagonal.len()).rev() {
            reflect(&self.columns.row(k)[k..], &mut b[k..]);
        }
    }

    /// `R z = b`, in place.
    pub(crate) fn solve(&self, b: &mut [f64]) {
        let r = self.diagonal.len();
        for i in (0..r).rev() {
            let sum: f64 = (i + 1..r).map(|j| self.columns[(j, i)] * b[j]).sum();
            b[i] = (b[i] - sum) / self.diagonal[i];
        }
    }

    /// `Rᵀ z = b`, in place.
    pub(crate) fn solve_transposed(&self, b: &mut [f64]) {
        for i in 0..self.diagonal.len() {
            let sum: f64 = self.columns.row(i)[..i].iter().zip(&*b).map(|(x, y)| x * y).sum();
            b[i] = (b[i] - sum) / self.diagonal[i];
        }
    }
}

/// `z ← (I - tau w wᵀ) z`, with `tau` in the place of the leading one of `w`.
fn reflect(w: &[f64], z: &mut [f64]) {
    let tau = w[0];
    if tau == 0.0 {
        return;
    }
    let product = w[1..].iter().zip(&z[1..]).fold(z[0], |sum, (w, z)| sum + w * z);
    let onto = tau * product;
    z[0] -= onto;
    for (z, w) in z[1..].iter_mut().zip(&w[1..]) {
        *z -= onto * w;
    }
}

/// Turns a column into the reflection that takes it to its first axis; returns the entry that is left there.
fn make_reflection(column: &mut [f64]) -> f64 {
    let first = column[0];
    let below: f64 = column[1..].iter().map(|x| x * x).sum();
    if below == 0.0 {
        column[0] = 0.0;
        return first;
    }
    let diagonal = -(first * first + below).sqrt().copysign(first);
    let lead = first - diagonal;
    for x in &mut column[1..] {
        *x /= lead;
    }
    column[0] = -lead / diagonal;
    diagonal
}

/// `Y = Q R` of a contact's one to three columns, which may be more than the rows; the diagonal of `R` is not negative.
#[derive(Debug, Clone)]
pub(crate) struct Orthogonal {
    reflections: Reflections,
    /// By which the rows of `R` were turned so that its diagonal is not negative.
    signs: [f64; 3],
    rows: usize,
    /// Upper triangular; rows beyond those of `Y` are zero.
    pub(crate) r: [[f64; 3]; 3],
}

impl Orthogonal {
    /// From the columns, which are given as the rows of `y`.
    pub(crate) fn new(y: &Dense, columns: usize) -> Self {
        let rows = y.row(0).len();
        let mut reflections = Reflections::default();
        reflections.factor(rows, columns, |own| (0..columns).for_each(|k| own.row_mut(k).copy_from_slice(y.row(k))));
        let mut factor = Self { reflections, signs: [1.0; 3], rows, r: [[0.0; 3]; 3] };
        for k in 0..columns {
            for i in 0..(k + 1).min(rows) {
                factor.r[i][k] = factor.reflections.entry(i, k);
            }
        }
        for k in 0..columns.min(rows) {
            if factor.r[k][k] < 0.0 {
                factor.signs[k] = -1.0;
                for entry in &mut factor.r[k][k..columns] {
                    *entry = -*entry;
                }
            }
        }
        factor
    }

    /// The first entries of `Qᵀ z`, as many as there are columns.
    pub(crate) fn transposed_times(&self, z: &[f64]) -> [f64; 3] {
        let mut z = z.to_vec();
        self.reflections.turn_back(&mut z);
        let mut first = [0.0; 3];
        for k in 0..self.reflections.diagonal.len() {
            first[k] = self.signs[k] * z[k];
        }
        first
    }

    /// `Q x`.
    pub(crate) fn times(&self, x: &[f64; 3]) -> Vec<f64> {
        let mut z = vec![0.0; self.rows];
        for k in 0..self.reflections.diagonal.len() {
            z[k] = self.signs[k] * x[k];
        }
        self.reflections.turn(&mut z);
        z
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_multiply_back_to_the_columns() {
        let mut rng = fastrand::Rng::with_seed(7);
        for case in 0..200 {
            let (columns, rows) = (rng.usize(1..4), rng.usize(1..8));
            let mut y = Dense::zeros(columns, rows);
            for k in 0..columns {
                for x in y.row_mut(k) {
                    *x = rng.f64() - 0.5;
                }
            }
            if case % 3 == 0 && columns > 1 {
                // Nearly dependent columns.
                let copy = y.row(0).to_vec();
                for (x, c) in y.row_mut(1).iter_mut().zip(&copy) {
                    *x = c * 2.0 + 1e-9 * *x;
                }
            }
            let factor = Orthogonal::new(&y, columns);
            for k in 0..columns {
                let column = [factor.r[0][k], factor.r[1][k], factor.r[2][k]];
                let back = factor.times(&column);
                for (a, b) in back.iter().zip(y.row(k)) {
                    assert!((a - b).abs() < 1e-15 * 4.0, "case {case}: {a} {b}");
                }
                assert!(k >= rows || factor.r[k][k] >= 0.0);
                let projected = factor.transposed_times(y.row(k));
                for i in 0..columns.min(rows) {
                    assert!((projected[i] - column[i]).abs() < 1e-15 * 4.0);
                }
            }
        }
    }
}
