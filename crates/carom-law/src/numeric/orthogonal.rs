//! The orthogonal factorisation of one contact's columns, `Y = Q R`, by Householder's reflections.

use crate::numeric::matrix::Dense;

/// `Y = Q R` of one to three columns; `Q` is kept as reflections.
#[derive(Debug, Clone)]
pub(crate) struct Orthogonal {
    /// One reflection a row: the vector `w` of `I - tau w wᵀ`, zero before its own place.
    reflections: Dense,
    tau: [f64; 3],
    /// By which the rows of `R` were turned so that its diagonal is not negative.
    signs: [f64; 3],
    columns: usize,
    rows: usize,
    /// Upper triangular; rows beyond those of `Y` are zero.
    pub(crate) r: [[f64; 3]; 3],
}

impl Orthogonal {
    /// Of the columns that the rows of `y` are.
    pub(crate) fn new(y: &Dense, columns: usize) -> Self {
        let rows = y.row(0).len();
        let mut reflections = Dense::zeros(columns, rows);
        for k in 0..columns {
            reflections.row_mut(k).copy_from_slice(y.row(k));
        }
        let mut factor = Self { reflections, tau: [0.0; 3], signs: [1.0; 3], columns, rows, r: [[0.0; 3]; 3] };
        for k in 0..columns {
            for earlier in 0..k.min(rows) {
                let tau = factor.tau[earlier];
                let (reflection, column) = factor.reflections.two_rows_mut(earlier, k);
                reflect(reflection, tau, column, earlier);
            }
            for i in 0..k.min(rows) {
                factor.r[i][k] = factor.reflections[(k, i)];
            }
            if k < rows {
                let (diagonal, tau) = reflection(factor.reflections.row_mut(k), k);
                (factor.r[k][k], factor.tau[k]) = (diagonal, tau);
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
        let mut first = [0.0; 3];
        for k in 0..self.columns.min(self.rows) {
            reflect(self.reflections.row(k), self.tau[k], &mut z, k);
            first[k] = self.signs[k] * z[k];
        }
        first
    }

    /// `Q x`.
    pub(crate) fn times(&self, x: &[f64; 3]) -> Vec<f64> {
        let mut z = vec![0.0; self.rows];
        for k in 0..self.columns.min(self.rows) {
            z[k] = self.signs[k] * x[k];
        }
        for k in (0..self.columns.min(self.rows)).rev() {
            reflect(self.reflections.row(k), self.tau[k], &mut z, k);
        }
        z
    }
}

/// `z ← (I - tau w wᵀ) z`, where `w` begins at `start`.
fn reflect(w: &[f64], tau: f64, z: &mut [f64], start: usize) {
    if tau == 0.0 {
        return;
    }
    let product: f64 = w[start..].iter().zip(&z[start..]).map(|(w, z)| w * z).sum();
    for (z, w) in z[start..].iter_mut().zip(&w[start..]) {
        *z -= tau * product * w;
    }
}

/// Turns what is left of a column, from `start` on, into the reflection that takes it to its first axis. Returns the entry
/// that is left there, and `tau`.
fn reflection(column: &mut [f64], start: usize) -> (f64, f64) {
    column[..start].fill(0.0);
    let first = column[start];
    let below: f64 = column[start + 1..].iter().map(|x| x * x).sum();
    if below == 0.0 {
        column[start] = 1.0;
        return (first, 0.0);
    }
    let diagonal = -(first * first + below).sqrt().copysign(first);
    let lead = first - diagonal;
    for x in &mut column[start + 1..] {
        *x /= lead;
    }
    column[start] = 1.0;
    (diagonal, -lead / diagonal)
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
