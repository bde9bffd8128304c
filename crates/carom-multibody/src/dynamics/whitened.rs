//! One contact in whitened coordinates, in which the kinetic energy is half the square of the velocity.
//!
//! Articulated inertias are a factorisation of M: with D_j the articulated inertia along axis j and U_j the wrench for
//! its unit acceleration, twice the energy is Σ D_j (v_j + U_j·V_j / D_j)², where V_j is the twist of the body that
//! carries the axis. So M = Fᵀ F with (F v)_j = √D_j (v_j + U_j·V_j / D_j), one outward pass, and the rows of A F⁻¹ are
//! the rate changes of the axes of the contact's strand for unit impulses, times √D_j. An orthogonal factorisation (A
//! F⁻¹)ᵀ = Q R has the condition number of A F⁻¹; W = Rᵀ R has its square.

use super::factor::{SINGULAR, product};
use super::{Dynamics, check, check_length};
use crate::error::DynamicsError;
use crate::geometry::ContactPoint;
use crate::model::NO_NODE;
use crate::spatial::Twist;

/// Largest number of steps in estimating the condition number of M; two are usually enough.
const CONDITION_STEPS: usize = 5;

/// The terms of one contact with a factor of W; rows and columns beyond its dimension are zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WhitenedTerms {
    /// R, upper triangular: W = Rᵀ R.
    pub factor: [[f64; 3]; 3],
    /// A v.
    pub velocity: [f64; 3],
    /// s = Qᵀ F v: A v = Rᵀ s, and an impulse i changes s by R i.
    pub whitened_velocity: [f64; 3],
}

impl Dynamics {
    /// The factor of one contact's W and its whitened velocity, for contacts whose W is ill-conditioned. Does not
    /// allocate.
    ///
    /// # Errors
    /// As [`Dynamics::single_contact`].
    #[cold]
    pub fn whitened_contact(&mut self, contact: &ContactPoint) -> Result<WhitenedTerms, DynamicsError> {
        let velocity = self.single_contact(contact)?.velocity;
        let mut rows = std::mem::take(&mut self.contact_rows);
        // With mimics or loops, the rows have been reduced by the factor of M.
        if !self.is_coupled() {
            self.strand_rows(contact, &mut rows);
        }
        let mut factor = [[0.0; 3]; 3];
        // The rounding of the projection onto loops is relative to the rows before it, and to the weakest condition.
        let sizes = match self.loops.basis.weakest().filter(|_| self.has_loops()) {
            Some((_, margin)) => self.row_sizes.map(|size| size / margin),
            None => [0.0; 3],
        };
        orthogonalize(&mut rows[..contact.dimension], &sizes, &mut factor);
        let mut whitened = std::mem::take(&mut self.vector);
        self.whiten(&mut whitened);
        let mut whitened_velocity = [0.0; 3];
        // A contact that does not move has no axes.
        let rows_that_move = if contact.node == NO_NODE { 0 } else { contact.dimension };
        for (s, row) in whitened_velocity.iter_mut().zip(&rows[..rows_that_move]) {
            *s = product(row, &whitened);
        }
        (self.vector, self.contact_rows) = (whitened, rows);
        self.whitened = Some(*contact);
        Ok(WhitenedTerms { factor, velocity, whitened_velocity })
    }

    /// Adds F⁻¹ Q x to `velocity`: the change of the robot's velocity for a change x of the contact's whitened
    /// velocity. Does not allocate.
    ///
    /// # Errors
    /// As [`Dynamics::whitened_contact`]; a `change` that is not finite, a `velocity` of the wrong length.
    #[cold]
    pub fn add_whitened_change(
        &mut self,
        contact: &ContactPoint,
        change: &[f64; 3],
        velocity: &mut [f64],
    ) -> Result<(), DynamicsError> {
        check("change", change, 3)?;
        check_length("velocity", velocity.len(), self.velocity.len())?;
        if self.whitened.as_ref() != Some(contact) {
            self.whitened_contact(contact)?;
        }
        let mut z = std::mem::take(&mut self.vector);
        z.fill(0.0);
        for (row, x) in self.contact_rows[..contact.dimension].iter().zip(change) {
            z.iter_mut().zip(row).for_each(|(z, q)| *z += x * q);
        }
        if self.is_coupled() {
            z.iter_mut().zip(&self.inverse_roots).for_each(|(z, root)| *z *= root);
            self.back_solve(&mut z);
        } else {
            self.unwhiten(&mut z);
        }
        velocity.iter_mut().zip(&z).for_each(|(v, z)| *v += z);
        self.vector = z;
        Ok(())
    }

    /// Hager's estimate of the condition number of M scaled to a unit diagonal, in the infinity norm;
    /// it is seldom off by more than a factor of three. Does not allocate.
    #[cold]
    pub fn mass_condition(&mut self) -> f64 {
        if self.factorize().is_err() {
            return 1.0 / SINGULAR;
        }
        self.mass_matrix();
        let n = self.velocity.len();
        let m = &self.mass_matrix;
        let root = |i: usize| m[(i, i)].sqrt();
        let row_sum = |i: usize| (0..n).map(|j| m[(i, j)].abs() / root(j)).sum::<f64>() / root(i);
        let size = (0..n).map(row_sum).fold(0.0, f64::max);
        let mut x = std::mem::take(&mut self.vector);
        x.fill(1.0 / n as f64);
        let mut inverse: f64 = 0.0;
        for _ in 0..CONDITION_STEPS {
            self.solve_scaled(&mut x);
            let sum: f64 = x.iter().map(|x| x.abs()).sum();
            if !(sum > inverse) {
                break;
            }
            inverse = sum;
            x.iter_mut().for_each(|x| *x = 1.0_f64.copysign(*x));
            self.solve_scaled(&mut x);
            let steepest = (0..n).reduce(|a, b| if x[b].abs() > x[a].abs() { b } else { a }).unwrap_or(0);
            x.fill(0.0);
            x[steepest] = 1.0;
        }
        self.vector = x;
        (size * inverse).clamp(1.0, 1.0 / SINGULAR)
    }

    /// Solves with M scaled to a unit diagonal, in place. Requires M and its factor.
    fn solve_scaled(&self, x: &mut [f64]) {
        let scale = |x: &mut [f64]| x.iter_mut().enumerate().for_each(|(i, x)| *x *= self.mass_matrix[(i, i)].sqrt());
        scale(x);
        self.forward_solve(x);
        x.iter_mut().zip(&self.inverse_roots).for_each(|(x, root)| *x *= root * root);
        self.back_solve(x);
        scale(x);
    }

    /// The rows of A F⁻¹, nonzero only along the strand of a contact.
    fn strand_rows(&self, contact: &ContactPoint, rows: &mut [Vec<f64>; 3]) {
        rows.iter_mut().for_each(|row| row.fill(0.0));
        let mut i = contact.node;
        while i != NO_NODE {
            let node = &self.model.tree.nodes[i];
            for k in 0..node.motion.nv() {
                let axis = &self.axes[node.axis + k];
                // given = loads / D
                let inverse_root = 1.0 / axis.compliance.sqrt();
                for (row, given) in rows.iter_mut().zip(axis.given.to_array()) {
                    row[node.v + k] = inverse_root * given;
                }
            }
            i = node.parent;
        }
    }

    /// F v of the state's velocity.
    fn whiten(&mut self, out: &mut [f64]) {
        if self.is_coupled() {
            return self.whiten_row(&self.velocity, out);
        }
        self.move_nodes();
        for (i, node) in self.model.tree.nodes.iter().enumerate() {
            let mut twist = self.carrier_twist(i, |state| state.twist);
            for k in 0..node.motion.nv() {
                let axis = &self.axes[node.axis + k];
                out[node.v + k] = (axis.rate + axis.compliance * twist.dot(&axis.force)) / axis.compliance.sqrt();
                twist = twist.plus(axis.rate, &axis.twist);
            }
        }
    }

    /// F⁻¹ z, in place: the outward half of the articulated-body algorithm.
    fn unwhiten(&mut self, z: &mut [f64]) {
        self.ready.drifts = false;
        for i in 0..self.nodes.len() {
            let mut twist = self.carrier_twist(i, |state| state.acceleration);
            let node = &self.model.tree.nodes[i];
            for k in 0..node.motion.nv() {
                let axis = &self.axes[node.axis + k];
                let rate = axis.compliance.sqrt() * z[node.v + k] - axis.compliance * twist.dot(&axis.force);
                z[node.v + k] = rate;
                twist = twist.plus(rate, &axis.twist);
            }
            self.nodes[i].acceleration = twist;
        }
    }

    /// The twist of a node's parent, about the node's origin.
    fn carrier_twist(&self, node: usize, of: impl Fn(&super::NodeState) -> Twist) -> Twist {
        match self.model.tree.nodes[node].parent {
            NO_NODE => Twist::ZERO,
            parent => of(&self.nodes[parent]).from(self.nodes[node].offset),
        }
    }
}

/// Orthonormalises rows in order; `factor` receives the upper triangular factor. A row that depends linearly on those
/// before it becomes zero. The Gram-Schmidt process is applied twice, because once loses orthogonality where little of
/// a row remains. `sizes` are the sizes of the terms whose differences the rows are, if these were larger.
fn orthogonalize(rows: &mut [Vec<f64>], sizes: &[f64; 3], factor: &mut [[f64; 3]; 3]) {
    // The source of a row's rounding: the row itself, and for differences the directions of the rows before it.
    let mut noise = [0.0; 3];
    for k in 0..rows.len() {
        let (done, rest) = rows.split_at_mut(k);
        let row = &mut rest[0];
        noise[k] = product(row, row).sqrt().max(sizes[k]);
        for _ in 0..2 {
            for (i, earlier) in done.iter().enumerate() {
                let part = product(earlier, row);
                factor[i][k] += part;
                row.iter_mut().zip(earlier).for_each(|(x, q)| *x -= part * q);
            }
        }
        for i in (0..k).filter(|&i| sizes[i] > 0.0 && factor[i][i] > 0.0) {
            noise[k] += (factor[i][k] / factor[i][i]).abs() * noise[i];
        }
        let left = product(row, row).sqrt();
        // A remainder of rounding errors has no meaningful direction.
        let is_rounding = left <= row.len() as f64 * f64::EPSILON * noise[k];
        let inverse = if is_rounding { 0.0 } else { 1.0 / left };
        factor[k][k] = if is_rounding { 0.0 } else { left };
        row.iter_mut().for_each(|x| *x *= inverse);
    }
}
