//! States that close the loops: some joints stay as stated, the others move as little as possible in the metric of M.

use super::factor::product;
use super::loops::OPEN;
use super::orthogonal::{Orthogonal, RANK};
use super::{Dynamics, check_length};
use crate::error::DynamicsError;

/// Newton's method needs a handful of steps from any sensible start.
const STEPS: usize = 50;

/// The most halvings of a step that does not reduce the residual of the loops.
const HALVINGS: usize = 30;

/// Rounding of positions, relative to the loops' length: loops with a smaller residual are closed.
const CLOSED: f64 = 1e-15;

/// The most iterations of Newton's method that project a state near the loops onto them: usually two, of which the last
/// finds nothing to correct.
const ROUNDS: usize = 6;

/// An iteration that leaves more than this fraction of the residual has reached rounding.
const QUICK: f64 = 0.1;

/// The result of closing loops.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Closing {
    /// The index of the loop with the largest residual.
    pub index: usize,
    /// Its residual, relative to the length scale of the loops, or in rad: the digits of a file leave some 1e-8.
    pub gap: f64,
    /// The largest change of a coordinate, in the units of velocities.
    pub change: f64,
}

impl Dynamics {
    /// Moves the joints that are not held, given by velocity, until all loops are closed, and changes their velocities
    /// so that they stay closed. The change is the least one, in the metric of M. If several configurations close the
    /// loops, a near one is chosen. `None` for a model without loops.
    ///
    /// # Errors
    /// `held` of the wrong length, a singular mass matrix, loops that cannot be closed, or a held velocity that opens them.
    /// The state is then unspecified.
    pub fn close_loops(&mut self, held: &[bool], held_rates: &[bool]) -> Result<Option<Closing>, DynamicsError> {
        check_length("held", held.len(), self.velocity.len())?;
        check_length("held_rates", held_rates.len(), self.velocity.len())?;
        if !self.has_loops() {
            return Ok(None);
        }
        self.factorize()?;
        let (start, velocity) = (self.configuration.clone(), self.velocity.clone());
        self.close_positions(held)?;
        self.lay_loops();
        if self.check_open(OPEN).is_err() {
            return Err(self.cannot_close(held));
        }
        // No more than the residual that the stated digits leave.
        self.close_positions(&vec![false; held.len()])?;
        let configuration = self.configuration.clone();
        self.set_state(&configuration, &velocity)?;
        self.close_velocity(held_rates)?;
        self.settle_velocity()?;
        let mut moved = vec![0.0; held.len()];
        self.model.difference(&start, &self.configuration, &mut moved)?;
        let change = moved.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        Ok(self.loop_miss().map(|(index, gap)| Closing { index, gap, change }))
    }

    /// Projects a state near the loops onto them, by the least change of positions and velocities in the metric of M,
    /// to rounding: integration drifts from them. Does nothing for a model without loops.
    ///
    /// # Errors
    /// A loop that is open farther than [`Dynamics::set_loop_bound`] allows, or a singular mass matrix.
    pub fn restore_loops(&mut self) -> Result<(), DynamicsError> {
        if !self.has_loops() {
            return Ok(());
        }
        self.restore_positions()?;
        self.restore_velocity()
    }

    fn restore_positions(&mut self) -> Result<(), DynamicsError> {
        let velocity = self.velocity.clone();
        let mut last = f64::INFINITY;
        for _ in 0..ROUNDS {
            self.hold_loops()?;
            let rows = self.loops.residual.iter().zip(&self.loops.unit);
            let open: Vec<f64> = rows.map(|(residual, unit)| residual * unit).collect();
            let (parts, reached) = self.loops.basis.reachable(&open);
            // Quadratic convergence, or rounding.
            if reached <= CLOSED || !(reached < QUICK * last) {
                return Ok(());
            }
            last = reached;
            let mut change = vec![0.0; velocity.len()];
            for (k, part) in parts.iter().enumerate() {
                change.iter_mut().zip(self.loops.basis.vector(k)).for_each(|(z, q)| *z -= part * q);
            }
            self.unwhiten_row(&mut change);
            let mut moved = self.configuration.clone();
            self.model.integrate(&self.configuration, &change, 1.0, &mut moved)?;
            self.model.normalize(&mut moved);
            self.set_state(&moved, &velocity)?;
        }
        Ok(())
    }

    fn restore_velocity(&mut self) -> Result<(), DynamicsError> {
        // The second removes the rounding of the first.
        for _ in 0..2 {
            self.hold_loops()?;
            let mut velocity = self.velocity.clone();
            let mut z = vec![0.0; velocity.len()];
            self.whiten_row(&velocity, &mut z);
            let mut change = vec![0.0; velocity.len()];
            for k in 0..self.loops.basis.rank() {
                let q = self.loops.basis.vector(k);
                let part = product(q, &z);
                change.iter_mut().zip(q).for_each(|(change, q)| *change -= part * q);
            }
            self.unwhiten_row(&mut change);
            velocity.iter_mut().zip(&change).for_each(|(v, dv)| *v += dv);
            let configuration = self.configuration.clone();
            self.set_state(&configuration, &velocity)?;
        }
        Ok(())
    }

    fn cannot_close(&self, held: &[bool]) -> DynamicsError {
        let joints = self.model.joints().iter().filter(|joint| joint.joint.mimic.is_none());
        let held = joints.filter(|joint| joint.velocities.clone().any(|v| held[v]));
        let held = held.map(|joint| format!("{:?}", joint.joint.name)).collect();
        match self.check_open(OPEN) {
            Err(DynamicsError::OpenLoop { name, miss, .. }) => DynamicsError::CannotClose { name, miss, held },
            Err(error) => error,
            Ok(()) => DynamicsError::CannotClose { name: String::new(), miss: 0.0, held },
        }
    }

    fn close_positions(&mut self, held: &[bool]) -> Result<(), DynamicsError> {
        let nv = self.velocity.len();
        let rest = vec![0.0; nv];
        for _ in 0..STEPS {
            let open = self.openness();
            if open <= CLOSED {
                return Ok(());
            }
            let residual: Vec<f64> =
                self.loops.residual.iter().zip(&self.loops.unit).map(|(residual, unit)| residual * unit).collect();
            let change = self.least_change(held, &residual)?;
            let start = self.configuration.clone();
            let mut moved = start.clone();
            let mut part = 1.0;
            let mut left = f64::INFINITY;
            for _ in 0..HALVINGS {
                self.model.integrate(&start, &change, part, &mut moved)?;
                self.set_state(&moved, &rest)?;
                left = self.openness();
                if left < open {
                    break;
                }
                part *= 0.5;
            }
            if !(left < open) {
                self.set_state(&start, &rest)?;
                return Ok(());
            }
        }
        Ok(())
    }

    /// The norm of the residual, all rows in units.
    fn openness(&mut self) -> f64 {
        self.lay_loops();
        let rows = self.loops.residual.iter().zip(&self.loops.unit);
        rows.map(|(residual, unit)| (residual * unit).powi(2)).sum::<f64>().sqrt()
    }

    fn close_velocity(&mut self, held: &[bool]) -> Result<(), DynamicsError> {
        let nv = self.velocity.len();
        // The second removes the rounding of the first.
        for _ in 0..2 {
            self.lay_loops();
            let rows = self.loops.rows.chunks_exact(nv).zip(&self.loops.unit);
            let rates: Vec<f64> = rows.map(|(row, unit)| unit * product(row, &self.velocity)).collect();
            let change = self.least_change(held, &rates)?;
            let velocity: Vec<f64> = self.velocity.iter().zip(&change).map(|(v, dv)| v + dv).collect();
            let configuration = self.configuration.clone();
            self.set_state(&configuration, &velocity)?;
        }
        Ok(())
    }

    /// Checks that the velocity keeps the loops closed. Of rows that agree to some digits only the common part is held:
    /// their differences are dropped, with the digits in which they differ.
    fn settle_velocity(&mut self) -> Result<(), DynamicsError> {
        self.hold_loops()?;
        let velocity = self.velocity.clone();
        if self.loops.basis.is_redundant() {
            self.check_loop_velocity_by(&velocity, RANK)?;
            self.restore_velocity()?;
        }
        let velocity = self.velocity.clone();
        self.check_loop_velocity(&velocity)
    }

    /// The least change d of the velocities that are not held with C d nearest to -excess, in units. Requires the rows of the loops.
    fn least_change(&mut self, held: &[bool], excess: &[f64]) -> Result<Vec<f64>, DynamicsError> {
        let nv = self.velocity.len();
        let free: Vec<usize> = (0..nv).filter(|&v| !held[v]).collect();
        let n = free.len();
        let mut change = vec![0.0; nv];
        if n == 0 {
            return Ok(change);
        }
        let root = self.free_root(&free)?;
        let mut whitened = vec![0.0; self.loops.unit.len() * n];
        for (row, unit) in self.loops.unit.iter().enumerate() {
            let own = &mut whitened[row * n..(row + 1) * n];
            for (entry, &v) in own.iter_mut().zip(&free) {
                *entry = unit * self.loops.rows[row * nv + v];
            }
            for i in 0..n {
                let done: f64 = (0..i).map(|k| root[i * n + k] * own[k]).sum();
                own[i] = (own[i] - done) / root[i * n + i];
            }
        }
        let mut basis = Orthogonal::default();
        basis.factor(&whitened, self.loops.unit.len(), n);
        let coefficients = basis.nearest(excess);
        let mut z = vec![0.0; n];
        for (k, part) in coefficients.iter().enumerate() {
            z.iter_mut().zip(basis.vector(k)).for_each(|(z, q)| *z -= part * q);
        }
        for i in (0..n).rev() {
            let done: f64 = (i + 1..n).map(|k| root[k * n + i] * z[k]).sum();
            z[i] = (z[i] - done) / root[i * n + i];
        }
        free.iter().zip(z).for_each(|(&v, z)| change[v] = z);
        Ok(change)
    }

    /// G with G Gᵀ = M of the free velocities.
    fn free_root(&mut self, free: &[usize]) -> Result<Vec<f64>, DynamicsError> {
        self.factorize()?;
        let n = free.len();
        let mass = self.mass_matrix().clone();
        let mut root = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..=i {
                let done: f64 = (0..j).map(|k| root[i * n + k] * root[j * n + k]).sum();
                let left = mass[(free[i], free[j])] - done;
                if i > j {
                    root[i * n + j] = left / root[j * n + j];
                } else if left > 0.0 {
                    root[i * n + i] = left.sqrt();
                } else {
                    return Err(self.singular(free[i], left));
                }
            }
        }
        Ok(root)
    }
}
