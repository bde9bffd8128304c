//! Dense linear algebra, independent of the crate's.

use carom_multibody::Matrix;

/// A matrix by its rows.
pub type Rows = Vec<Vec<f64>>;

/// d f/dt at 0 by the central difference of eighth order: its error is h⁸ f⁽⁹⁾/630.
pub fn derivative(h: f64, mut f: impl FnMut(f64) -> Vec<f64>) -> Vec<f64> {
    let mut sum: Vec<f64> = Vec::new();
    for (k, weight) in [(1.0, 4.0 / 5.0), (2.0, -1.0 / 5.0), (3.0, 4.0 / 105.0), (4.0, -1.0 / 280.0)] {
        let (after, before) = (f(k * h), f(-k * h));
        sum.resize(after.len(), 0.0);
        for i in 0..after.len() {
            sum[i] += weight * (after[i] - before[i]) / h;
        }
    }
    sum
}

pub fn rows(matrix: &Matrix) -> Rows {
    (0..matrix.rows()).map(|i| matrix.row(i).to_vec()).collect()
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub fn apply(a: &Rows, x: &[f64]) -> Vec<f64> {
    a.iter().map(|row| dot(row, x)).collect()
}

pub fn transposed(a: &Rows) -> Rows {
    let columns = a.first().map_or(0, Vec::len);
    (0..columns).map(|j| a.iter().map(|row| row[j]).collect()).collect()
}

pub fn product(a: &Rows, b: &Rows) -> Rows {
    let columns = transposed(b);
    a.iter().map(|row| columns.iter().map(|column| dot(row, column)).collect()).collect()
}

pub fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest, value| value.abs().max(largest))
}

/// Solves a x = b by elimination with partial pivoting, and one step of refinement.
pub fn solve(a: &Rows, b: &[f64]) -> Vec<f64> {
    let mut x = eliminate(a, b);
    let residual: Vec<f64> = apply(a, &x).iter().zip(b).map(|(ax, b)| b - ax).collect();
    for (x, correction) in x.iter_mut().zip(eliminate(a, &residual)) {
        *x += correction;
    }
    x
}

fn eliminate(a: &Rows, b: &[f64]) -> Vec<f64> {
    let n = b.len();
    let mut work: Rows = a.iter().zip(b).map(|(row, b)| row.iter().copied().chain([*b]).collect()).collect();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| work[i][k].abs().total_cmp(&work[j][k].abs())).expect("a row");
        work.swap(k, pivot);
        for i in k + 1..n {
            let factor = work[i][k] / work[k][k];
            for j in k..=n {
                work[i][j] -= factor * work[k][j];
            }
        }
    }
    for k in (0..n).rev() {
        work[k][n] /= work[k][k];
        for i in 0..k {
            work[i][n] -= work[i][k] * work[k][n];
        }
    }
    work.into_iter().map(|row| row[n]).collect()
}

/// Eigenvalues of a symmetric matrix in ascending order, by cyclic Jacobi rotations.
pub fn eigenvalues(matrix: &Rows) -> Vec<f64> {
    let mut a = matrix.clone();
    let n = a.len();
    for _ in 0..30 {
        let off: f64 = (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| a[i][j] * a[i][j]).sum();
        if off.sqrt() < 1e-17 * (0..n).map(|i| a[i][i].abs()).fold(0.0, f64::max) {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                if a[p][q] == 0.0 {
                    continue;
                }
                let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = if theta >= 0.0 { 1.0 } else { -1.0 } / (theta.abs() + (theta * theta + 1.0).sqrt());
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for k in 0..n {
                    (a[k][p], a[k][q]) = (c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]);
                }
                for k in 0..n {
                    (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]);
                }
            }
        }
    }
    let mut values: Vec<f64> = (0..n).map(|i| a[i][i]).collect();
    values.sort_by(f64::total_cmp);
    values
}

/// M scaled to a unit diagonal.
pub fn equilibrated(mass: &Rows) -> Rows {
    let n = mass.len();
    let root: Vec<f64> = (0..n).map(|i| mass[i][i].sqrt()).collect();
    (0..n).map(|i| (0..n).map(|j| mass[i][j] / (root[i] * root[j])).collect()).collect()
}

/// Condition number of M scaled to a unit diagonal; infinite if it is not positive definite.
pub fn condition(mass: &Rows) -> f64 {
    if mass.is_empty() {
        return 1.0;
    }
    if !(0..mass.len()).all(|i| mass[i][i] > 0.0) {
        return f64::INFINITY;
    }
    let values = eigenvalues(&equilibrated(mass));
    let (least, most) = (values[0], values[values.len() - 1]);
    if least > 0.0 { most / least } else { f64::INFINITY }
}
