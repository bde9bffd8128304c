//! The minimum-norm least-squares solution of a square system that may be singular, by a complete orthogonal
//! decomposition with reflections and column pivoting.

use crate::numeric::matrix::Dense;
use crate::numeric::tolerance::NEWTON_RANK;

/// A squared length that has fallen to this fraction by subtraction is recomputed.
const LOST: f64 = 1e-6;

/// Workspace of the decomposition, reused between calls.
#[derive(Debug, Clone)]
pub(crate) struct LeastSquares {
    /// The matrix; overwritten.
    pub(crate) matrix: Dense,
    /// The right-hand side; overwritten.
    pub(crate) rhs: Vec<f64>,
    order: Vec<usize>,
    squares: Vec<f64>,
    original: Vec<f64>,
    row: Vec<f64>,
    scales: Vec<f64>,
}

impl LeastSquares {
    pub(crate) fn new(n: usize) -> Self {
        let zeros = || vec![0.0; n];
        Self {
            matrix: Dense::zeros(n, n),
            rhs: zeros(),
            order: (0..n).collect(),
            squares: zeros(),
            original: zeros(),
            row: zeros(),
            scales: zeros(),
        }
    }

    /// The minimum-norm `x` that minimises `|A x - b|`; returns the rank of `A`.
    pub(crate) fn solve(&mut self, x: &mut [f64]) -> usize {
        let n = x.len();
        let rank = self.triangularise(n);
        if rank < n {
            self.fold(rank, n);
        }
        for i in (0..rank).rev() {
            let row = self.matrix.row(i);
            let sum: f64 = row[i + 1..rank].iter().zip(&self.rhs[i + 1..rank]).map(|(a, b)| a * b).sum();
            self.rhs[i] = (self.rhs[i] - sum) / row[i];
        }
        self.rhs[rank..].fill(0.0);
        if rank < n {
            self.unfold(rank);
        }
        for (&column, &value) in self.order.iter().zip(&self.rhs) {
            x[column] = value;
        }
        rank
    }

    /// `A P = Q R`, applied to the right-hand side as well; returns the rank.
    fn triangularise(&mut self, n: usize) -> usize {
        let Self { matrix, rhs, order, squares, original, row, .. } = self;
        squares.fill(0.0);
        for i in 0..n {
            order[i] = i;
            for (s, a) in squares.iter_mut().zip(matrix.row(i)) {
                *s += a * a;
            }
        }
        original.copy_from_slice(squares);
        let largest = squares.iter().fold(0.0_f64, |m, &s| m.max(s));
        let negligible = NEWTON_RANK * NEWTON_RANK * largest;
        for k in 0..n {
            let mut pivot = k;
            for j in k..n {
                if squares[j] < LOST * original[j] {
                    squares[j] = (k..n).map(|i| matrix[(i, j)] * matrix[(i, j)]).sum();
                    original[j] = squares[j];
                }
                if squares[j] > squares[pivot] {
                    pivot = j;
                }
            }
            if !(squares[pivot] > negligible) {
                return k;
            }
            if pivot != k {
                for i in 0..n {
                    matrix.row_mut(i).swap(k, pivot);
                }
                order.swap(k, pivot);
                squares.swap(k, pivot);
                original.swap(k, pivot);
            }
            let length = (k..n).map(|i| matrix[(i, k)] * matrix[(i, k)]).sum::<f64>().sqrt();
            let head = matrix[(k, k)];
            let beta = if head > 0.0 { -length } else { length };
            // The reflection 1 - tau v vᵀ with v = (1, rest / (head - beta)).
            let tau = (beta - head) / beta;
            let inverse = 1.0 / (head - beta);
            for i in k + 1..n {
                matrix[(i, k)] *= inverse;
            }
            let projections = &mut row[k + 1..n];
            projections.copy_from_slice(&matrix.row(k)[k + 1..n]);
            let mut onto_rhs = rhs[k];
            for i in k + 1..n {
                let v = matrix[(i, k)];
                for (p, a) in projections.iter_mut().zip(&matrix.row(i)[k + 1..n]) {
                    *p += v * a;
                }
                onto_rhs += v * rhs[i];
            }
            matrix[(k, k)] = beta;
            rhs[k] -= tau * onto_rhs;
            for (a, p) in matrix.row_mut(k)[k + 1..n].iter_mut().zip(&*projections) {
                *a -= tau * p;
            }
            for i in k + 1..n {
                let weight = tau * matrix[(i, k)];
                rhs[i] -= weight * onto_rhs;
                for (a, p) in matrix.row_mut(i)[k + 1..n].iter_mut().zip(&*projections) {
                    *a -= weight * p;
                }
            }
            for (s, a) in squares[k + 1..n].iter_mut().zip(&matrix.row(k)[k + 1..n]) {
                *s = (*s - a * a).max(0.0);
            }
        }
        n
    }

    /// The columns beyond the rank are turned into the triangle: `R = [T 0] Z`.
    fn fold(&mut self, rank: usize, n: usize) {
        let Self { matrix, scales, .. } = self;
        for k in (0..rank).rev() {
            let head = matrix[(k, k)];
            let tail: f64 = matrix.row(k)[rank..n].iter().map(|a| a * a).sum();
            if tail == 0.0 {
                scales[k] = 0.0;
                continue;
            }
            let length = (head * head + tail).sqrt();
            let beta = if head > 0.0 { -length } else { length };
            let tau = (beta - head) / beta;
            let inverse = 1.0 / (head - beta);
            for a in &mut matrix.row_mut(k)[rank..n] {
                *a *= inverse;
            }
            matrix[(k, k)] = beta;
            scales[k] = tau;
            for i in 0..k {
                let (upper, lower) = matrix.two_rows(i, k);
                let onto: f64 = upper[k] + upper[rank..n].iter().zip(&lower[rank..n]).map(|(a, v)| a * v).sum::<f64>();
                upper[k] -= tau * onto;
                for (a, v) in upper[rank..n].iter_mut().zip(&lower[rank..n]) {
                    *a -= tau * onto * v;
                }
            }
        }
    }

    /// `x = Zᵀ (y, 0)`.
    fn unfold(&mut self, rank: usize) {
        let Self { matrix, rhs, scales, .. } = self;
        for k in 0..rank {
            let v = &matrix.row(k)[rank..];
            let onto = rhs[k] + rhs[rank..].iter().zip(v).map(|(x, v)| x * v).sum::<f64>();
            let weight = scales[k] * onto;
            rhs[k] -= weight;
            for (x, v) in rhs[rank..].iter_mut().zip(v) {
                *x -= weight * v;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the pseudo-inverse by singular values, for every rank.
    #[test]
    fn shortest_answer() {
        let mut rng = fastrand::Rng::with_seed(5);
        for n in 1..9 {
            for rank in 0..=n {
                let mut random = |r, c| nalgebra::DMatrix::from_fn(r, c, |_, _| rng.f64() - 0.5);
                let a = random(n, rank) * random(rank, n);
                let b = random(n, 1).column(0).into_owned();
                let mut system = LeastSquares::new(n);
                for i in 0..n {
                    for j in 0..n {
                        system.matrix[(i, j)] = a[(i, j)];
                    }
                }
                system.rhs.copy_from_slice(b.as_slice());
                let mut x = vec![0.0; n];
                assert_eq!(system.solve(&mut x), rank);
                let expected = a.pseudo_inverse(1e-12).unwrap() * &b;
                let error = (nalgebra::DVector::from_vec(x) - &expected).norm();
                assert!(error <= 1e-9 * (1.0 + expected.norm()), "n {n}, rank {rank}: {error:e}");
            }
        }
    }
}
