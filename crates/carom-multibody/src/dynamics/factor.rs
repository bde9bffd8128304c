//! M = Lᵀ D L on the pattern of the tree, for solving with M.

use super::contacts::Moving;
use super::{Dynamics, DynamicsError, Matrix, check, simd};
use crate::Vector;

impl Dynamics {
    /// Solves M x = b in place.
    ///
    /// # Errors
    /// b of the wrong length or not finite, or a mass matrix that is singular.
    pub fn solve_mass(&mut self, b: &mut [f64]) -> Result<(), DynamicsError> {
        check("force", b, self.velocity.len())?;
        self.factorize()?;
        self.forward_solve(b);
        for (k, x) in b.iter_mut().enumerate() {
            *x /= self.factor[(k, k)];
        }
        self.back_solve(b);
        Ok(())
    }

    /// L x = b, in place.
    pub(super) fn back_solve(&self, b: &mut [f64]) {
        let sparsity = &self.model.sparsity;
        for k in 0..b.len() {
            let row = self.factor.row(k);
            b[k] -= sparsity.row(k).iter().map(|&j| row[j] * b[j]).sum::<f64>();
        }
    }

    /// Lᵀ y = b, in place.
    pub(super) fn forward_solve(&self, b: &mut [f64]) {
        let sparsity = &self.model.sparsity;
        for k in (0..b.len()).rev() {
            let row = self.factor.row(k);
            let y = b[k];
            // Most rows of A are zero beyond the way of their contact to its root.
            if y == 0.0 {
                continue;
            }
            for &j in sparsity.row(k) {
                b[j] -= row[j] * y;
            }
        }
    }

    /// D^-½ L⁻ᵀ b, in place: products of such rows are a M⁻¹ bᵀ.
    pub(super) fn reduce_row(&self, b: &mut [f64]) {
        self.forward_solve(b);
        for (y, root) in b.iter_mut().zip(&self.inverse_roots) {
            *y *= root;
        }
    }

    /// The same of three b, side by side, that are zero but for some velocities and all before that M couples to them.
    #[inline(always)]
    pub(super) fn reduce(&self, moving: Moving<'_>, b: &mut [Vector]) {
        for k in moving.rev() {
            let y = b[k];
            let row = self.factor.row(k);
            for &j in self.model.sparsity.row(k) {
                b[j] = b[j].plus(-row[j], y);
            }
            b[k] = self.inverse_roots[k] * y;
        }
    }

    /// The factor, once for each state: D on the diagonal, L below it.
    pub(super) fn factorize(&mut self) -> Result<(), DynamicsError> {
        if self.ready.factor {
            return Ok(());
        }
        simd::factorize(self)
    }

    #[inline(always)]
    pub(super) fn factorize_inlined(&mut self) -> Result<(), DynamicsError> {
        let mut factor = std::mem::replace(&mut self.factor, Matrix::zeros(0, 0));
        self.compose(&mut factor);
        let eliminated = self.eliminate(&mut factor);
        self.factor = factor;
        eliminated.map_err(|(velocity, pivot)| self.singular(velocity, pivot))?;
        self.ready.factor = true;
        Ok(())
    }

    /// Turns M into its factor; else the velocity where it is singular, and the pivot there.
    #[inline(always)]
    fn eliminate(&mut self, factor: &mut Matrix) -> Result<(), (usize, f64)> {
        for (k, entry) in self.diagonal.iter_mut().enumerate() {
            *entry = factor[(k, k)];
        }
        for k in (0..self.velocity.len()).rev() {
            let pivot = factor[(k, k)];
            // What rounding leaves of an entry that should vanish.
            if !(pivot > SINGULAR * self.diagonal[k]) {
                return Err((k, pivot));
            }
            self.inverse_roots[k] = 1.0 / pivot.sqrt();
            let inverse = 1.0 / pivot;
            let pattern = self.model.sparsity.row(k);
            for (place, &i) in pattern.iter().enumerate().rev() {
                let (row, earlier) = factor.row_and_earlier(k, i);
                let share = row[i] * inverse;
                // Ahead of `i` the row is still that of M.
                for &j in &pattern[..=place] {
                    earlier[j] -= share * row[j];
                }
                row[i] = share;
            }
        }
        Ok(())
    }

    /// The error that names the joint of a velocity.
    #[cold]
    pub(super) fn singular(&self, velocity: usize, pivot: f64) -> DynamicsError {
        let mut joints = self.model.joints().iter();
        let joint = joints.find(|joint| joint.joint.mimic.is_none() && joint.freedoms.contains(&velocity));
        let joint = joint.map_or_else(String::new, |joint| joint.joint.name.clone());
        DynamicsError::Singular { joint, pivot }
    }
}

/// Σ aₖ bₖ, in four sums that do not wait for each other.
pub(super) fn product(a: &[f64], b: &[f64]) -> f64 {
    let (a_parts, b_parts) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a_parts.remainder().iter().zip(b_parts.remainder()).map(|(a, b)| a * b).sum();
    let mut sums = [0.0; 4];
    for (a, b) in a_parts.zip(b_parts) {
        for k in 0..4 {
            sums[k] += a[k] * b[k];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// A pivot below this part of its diagonal entry is rounding: M is singular there.
pub(super) const SINGULAR: f64 = 1e-14;
