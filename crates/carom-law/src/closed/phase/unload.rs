//! Redundant sliding contacts: forces without tension.
//!
//! The forces of redundant sliding contacts are not unique, and friction makes the accelerations depend on them. The
//! minimum-norm forces are used unless one of them is tensile, whose friction would drive the sliding. Then the
//! minimum-norm forces without tension are used: `x₀ + N z` with the smallest `|z|` such that the sliding contacts have
//! `λ_n >= 0`. They depend continuously on the state, as an integrator needs.
//!
//! This least-distance problem is converted to nonnegative least squares, `min |E u - f|` with `E = (N, -x₀)ᵀ` and `f =
//! (0, 1)`, as in Lawson and Hanson, Solving Least Squares Problems (1974), chapter 23.

use super::barrier::MOST_STRESS;
use crate::numeric::linear::{LinearSystem, Pivots};
use crate::numeric::tolerance::PHASE_RANK;

/// Tension, relative to the largest force, that counts as rounding.
const PULL: f64 = 1e-14;

/// Gradient below which a column cannot improve the least squares.
const GAIN: f64 = 1e-13;

/// Workspace, reused between calls.
#[derive(Debug, Clone, Default)]
pub(super) struct Unloading {
    /// Columns of `E`, one for each sliding contact: its row of `N` and then `-x₀`, over the largest force.
    columns: Vec<f64>,
    /// `u`, and the solution for the columns in use.
    weights: Vec<f64>,
    trial: Vec<f64>,
    /// Columns in use.
    used: Vec<usize>,
    /// `f - E u`
    left: Vec<f64>,
    normal_equations: LinearSystem,
    null_vector: Vec<f64>,
}

impl Unloading {
    /// Changes the solution of a system of this rank to the minimum-norm one in which none of the unknowns `sliding` is
    /// negative. Leaves it unchanged if none is negative, or if tension is unavoidable.
    pub(super) fn relieve(
        &mut self,
        system: &mut LinearSystem,
        rank: usize,
        sliding: impl Iterator<Item = usize> + Clone,
    ) {
        let n = system.answer().len();
        let size = system.answer().iter().fold(0.0_f64, |size, x| size.max(x.abs()));
        let pulls = sliding.clone().any(|i| system.answer()[i] < -PULL * size);
        if rank == n || !pulls {
            return;
        }
        let k = n - rank;
        self.columns.clear();
        self.columns.resize(sliding.clone().count() * (k + 1), 0.0);
        for (column, i) in self.columns.chunks_exact_mut(k + 1).zip(sliding.clone()) {
            column[k] = -system.answer()[i] / size;
        }
        self.null_vector.resize(n, 0.0);
        for index in 0..k {
            system.null_vector(rank, index, &mut self.null_vector);
            for (column, i) in self.columns.chunks_exact_mut(k + 1).zip(sliding.clone()) {
                column[index] = self.null_vector[i];
            }
        }
        self.least_squares(k + 1);
        // The square of the distance, 1 / (1 + |z|²).
        let distance = self.left[k];
        if !(distance * MOST_STRESS * MOST_STRESS > 1.0) {
            return;
        }
        for index in 0..k {
            system.null_vector(rank, index, &mut self.null_vector);
            // z = -(f - E u) / its last component.
            let z = -self.left[index] / distance * size;
            for (x, direction) in system.answer_mut().iter_mut().zip(&self.null_vector) {
                *x += z * direction;
            }
        }
    }

    /// Minimises `|E u - f|` over `u >= 0`, for columns of length `m`; leaves `f - E u`.
    fn least_squares(&mut self, m: usize) {
        let count = self.columns.len() / m;
        self.weights.clear();
        self.weights.resize(count, 0.0);
        self.used.clear();
        self.take_left(m);
        // Each round lowers the distance, so that no set of columns repeats; the bound guards against rounding.
        for _ in 0..3 * count + 3 {
            let gain = |j: usize| dot(self.column(m, j), &self.left);
            let unused = (0..count).filter(|j| !self.used.contains(j));
            let best = unused.max_by(|&a, &b| gain(a).total_cmp(&gain(b)));
            let Some(best) = best.filter(|&j| gain(j) > GAIN) else { return };
            self.used.push(best);
            self.settle(m);
            self.take_left(m);
        }
    }

    /// The least-squares solution of the columns in use, after removing those with negative weights.
    fn settle(&mut self, m: usize) {
        while !self.used.is_empty() {
            self.solve_used(m);
            let mut step = 1.0_f64;
            let mut first_to_vanish = None;
            for (&j, &wanted) in self.used.iter().zip(&self.trial) {
                let share = self.weights[j] / (self.weights[j] - wanted).max(f64::MIN_POSITIVE);
                if wanted <= 0.0 && (first_to_vanish.is_none() || share < step) {
                    (step, first_to_vanish) = (share.min(1.0), Some(j));
                }
            }
            for (&j, &wanted) in self.used.iter().zip(&self.trial) {
                self.weights[j] += step * (wanted - self.weights[j]);
            }
            // One column leaves each time, whatever the rounding of its weight, so the loop ends.
            let Some(leaving) = first_to_vanish else { return };
            self.weights[leaving] = 0.0;
            self.used.retain(|&j| j != leaving);
        }
    }

    /// `E_Pᵀ E_P u = E_Pᵀ f` for the columns in use.
    fn solve_used(&mut self, m: usize) {
        let count = self.used.len();
        let mut system = std::mem::take(&mut self.normal_equations);
        system.start(count);
        for (i, &a) in self.used.iter().enumerate() {
            let (row, right) = system.row_mut(i);
            for (x, &b) in row.iter_mut().zip(&self.used) {
                *x = dot(self.column(m, a), self.column(m, b));
            }
            *right = self.column(m, a)[m - 1];
        }
        system.solve(Pivots::Diagonal, PHASE_RANK);
        self.trial.clear();
        self.trial.extend_from_slice(system.answer());
        self.normal_equations = system;
    }

    fn take_left(&mut self, m: usize) {
        self.left.clear();
        self.left.resize(m, 0.0);
        self.left[m - 1] = 1.0;
        for (column, weight) in self.columns.chunks_exact(m).zip(&self.weights) {
            for (left, x) in self.left.iter_mut().zip(column) {
                *left -= weight * x;
            }
        }
    }

    fn column(&self, m: usize, j: usize) -> &[f64] {
        &self.columns[j * m..(j + 1) * m]
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
