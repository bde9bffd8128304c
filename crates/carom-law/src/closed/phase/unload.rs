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

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    /// The conditions of Kuhn and Tucker: no weight is negative, columns in use are orthogonal to what is left, and no other column
    /// would shorten it.
    #[test]
    fn what_is_left_is_the_least_that_weights_without_sign_leave() {
        let mut rng = Rng::with_seed(1);
        let mut returned = 0;
        for _ in 0..500 {
            let (m, count) = (rng.usize(2..=4), rng.usize(1..=6));
            let columns = (0..m * count).map(|_| 2.0 * rng.f64() - 1.0).collect();
            let mut unloading = Unloading { columns, ..Unloading::default() };
            unloading.least_squares(m);
            let mut left = vec![0.0; m];
            left[m - 1] = 1.0;
            for j in 0..count {
                let (weight, column) = (unloading.weights[j], unloading.column(m, j));
                assert!(weight >= 0.0, "{weight}");
                left.iter_mut().zip(column).for_each(|(left, x)| *left -= weight * x);
            }
            for j in 0..count {
                let (gain, weight) = (dot(unloading.column(m, j), &left), unloading.weights[j]);
                assert!(gain < 1e-9 && (weight == 0.0 || gain.abs() < 1e-9 * (1.0 + weight)), "{gain} {weight}");
            }
            left.iter().zip(&unloading.left).for_each(|(a, b)| assert!((a - b).abs() < 1e-12));
            returned += usize::from(unloading.used.len() < count);
        }
        assert!(returned > 100);
    }

    /// Two contacts whose forces have the sum 2 and may be shifted by a self-stress: `x = (1, 1) + z (1, -1) / √2` solved with the
    /// minimum norm, and with a share of -1 and 3.
    fn shifted(share: f64) -> (LinearSystem, usize) {
        let mut system = LinearSystem::default();
        system.start(2);
        for i in 0..2 {
            let (row, right) = system.row_mut(i);
            row.copy_from_slice(&[1.0, 1.0]);
            *right = 2.0;
        }
        let rank = system.solve(Pivots::Any, PHASE_RANK);
        system.answer_mut().copy_from_slice(&[1.0 - share, 1.0 + share]);
        (system, rank)
    }

    #[test]
    fn a_force_that_pulls_is_brought_to_zero_by_the_least_self_stress() {
        let (mut system, rank) = shifted(2.0);
        assert_eq!(rank, 1);
        Unloading::default().relieve(&mut system, rank, 0..2);
        let answer = system.answer();
        assert!(answer[0].abs() < 1e-14 && (answer[1] - 2.0).abs() < 1e-14, "{answer:?}");
        // Of a contact that does not slide, tension is left to its constraint.
        let (mut system, rank) = shifted(2.0);
        Unloading::default().relieve(&mut system, rank, 1..2);
        assert_eq!(system.answer(), [-1.0, 3.0]);
    }

    #[test]
    fn tension_that_only_a_huge_self_stress_removes_stays() {
        // The self-stress is (-a, 1) but for its length: to remove a tension of 1 takes 1/a of it.
        for (a, is_relieved) in [(1e-2, true), (1.1e-3, true), (0.9e-3, false), (1e-5, false)] {
            let mut system = LinearSystem::default();
            system.start(2);
            for i in 0..2 {
                system.row_mut(i).0.copy_from_slice(&[1.0, a]);
            }
            let rank = system.solve(Pivots::Any, PHASE_RANK);
            system.answer_mut().copy_from_slice(&[-1.0, 0.0]);
            Unloading::default().relieve(&mut system, rank, 0..1);
            let expected = if is_relieved { [0.0, -1.0 / a] } else { [-1.0, 0.0] };
            for (x, expected) in system.answer().iter().zip(expected) {
                assert!((x - expected).abs() < 1e-9 / a, "{a}: {:?}", system.answer());
            }
        }
    }
}
