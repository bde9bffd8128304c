//! M = Lᵀ D L with the sparsity pattern of the tree, for solving with M.

use super::{Dynamics, check, simd};
use crate::Vector;
use crate::error::DynamicsError;
use crate::model::LinkId;

impl Dynamics {
    /// Solves M x = b in place.
    ///
    /// # Errors
    /// `b` of the wrong length or not finite, or a singular mass matrix.
    pub fn solve_mass(&mut self, b: &mut [f64]) -> Result<(), DynamicsError> {
        check("force", b, self.velocity.len())?;
        self.factorize()?;
        self.forward_solve(b);
        for (k, x) in b.iter_mut().enumerate() {
            *x /= self.factor.row(&self.model.sparsity, k)[self.model.sparsity.place(k)];
        }
        self.back_solve(b);
        Ok(())
    }

    /// The velocity change due to generalized impulses b, in place: M⁻¹ b, or with loops the part of it that keeps them
    /// closed.
    pub(super) fn respond_held(&mut self, b: &mut [f64]) -> Result<(), DynamicsError> {
        if !self.has_loops() {
            return self.solve_mass(b);
        }
        check("force", b, self.velocity.len())?;
        self.factorize()?;
        self.hold_loops()?;
        self.reduce_row(b);
        self.hold(b);
        self.unwhiten_row(b);
        Ok(())
    }

    /// The acceleration under generalized forces b, in place: M⁻¹ b, or with loops the acceleration that keeps them
    /// closed.
    pub(super) fn accelerate_held(&mut self, b: &mut [f64]) -> Result<(), DynamicsError> {
        if !self.has_loops() {
            return self.solve_mass(b);
        }
        check("force", b, self.velocity.len())?;
        self.factorize()?;
        self.hold_loops()?;
        self.reduce_row(b);
        self.hold(b);
        self.drift_loops(b);
        self.unwhiten_row(b);
        Ok(())
    }

    /// Adds the acceleration that keeps moving loops closed, -Q R⁻ᵀ γ.
    pub(super) fn drift_loops(&self, z: &mut [f64]) {
        for (k, part) in self.loops.drifting.iter().enumerate().filter(|_| self.has_loops()) {
            z.iter_mut().zip(self.loops.basis.vector(k)).for_each(|(z, q)| *z -= part * q);
        }
    }

    /// D^½ L v, with the factor of M = Lᵀ D L.
    pub(super) fn whiten_row(&self, v: &[f64], out: &mut [f64]) {
        for (k, out) in out.iter_mut().enumerate() {
            let row = self.factor.row(&self.model.sparsity, k).iter().zip(self.model.sparsity.before(k));
            let moved = v[k] + row.map(|(entry, &j)| entry * v[j]).sum::<f64>();
            *out = moved / self.inverse_roots[k];
        }
    }

    /// L⁻¹ D^-½ z, in place.
    pub(super) fn unwhiten_row(&self, z: &mut [f64]) {
        z.iter_mut().zip(&self.inverse_roots).for_each(|(z, root)| *z *= root);
        self.back_solve(z);
    }

    /// L x = b, in place.
    pub(super) fn back_solve(&self, b: &mut [f64]) {
        for k in 0..b.len() {
            let row = self.factor.row(&self.model.sparsity, k).iter().zip(self.model.sparsity.before(k));
            b[k] -= row.map(|(entry, &j)| entry * b[j]).sum::<f64>();
        }
    }

    /// Lᵀ y = b, in place.
    pub(super) fn forward_solve(&self, b: &mut [f64]) {
        for k in (0..b.len()).rev() {
            let y = b[k];
            for (entry, &j) in self.factor.row(&self.model.sparsity, k).iter().zip(self.model.sparsity.before(k)) {
                b[j] -= entry * y;
            }
        }
    }

    /// D^-½ L⁻ᵀ b, in place: scalar products of two such rows are a M⁻¹ bᵀ.
    pub(super) fn reduce_row(&self, b: &mut [f64]) {
        self.forward_solve(b);
        for (y, root) in b.iter_mut().zip(&self.inverse_roots) {
            *y *= root;
        }
    }

    /// D^-½ L⁻ᵀ b for three vectors b side by side that are nonzero only along a chain, given in the order of the
    /// chain.
    #[inline(always)]
    pub(super) fn reduce(&self, chain: &[usize], b: &mut [Vector]) {
        for (place, &k) in chain.iter().enumerate().rev() {
            let (before, rest) = b.split_at_mut(place);
            let y = rest[0];
            for (earlier, &entry) in before.iter_mut().zip(self.factor.row(&self.model.sparsity, k)) {
                *earlier = earlier.plus(-entry, y);
            }
            rest[0] = self.inverse_roots[k] * y;
        }
    }

    /// [`Dynamics::reduce`] for vectors with an entry for every velocity.
    pub(super) fn reduce_all(&self, b: &mut [Vector]) {
        for k in (0..b.len()).rev() {
            let y = b[k];
            for (&entry, &j) in self.factor.row(&self.model.sparsity, k).iter().zip(self.model.sparsity.before(k)) {
                b[j] = b[j].plus(-entry, y);
            }
            b[k] = self.inverse_roots[k] * y;
        }
    }

    /// Computes the factor, once per state: D on the diagonal, L below it.
    pub(super) fn factorize(&mut self) -> Result<(), DynamicsError> {
        if self.ready.factor {
            return Ok(());
        }
        simd::factorize(self)
    }

    #[inline(always)]
    pub(super) fn factorize_inlined(&mut self) -> Result<(), DynamicsError> {
        self.compose();
        self.eliminate().map_err(|(velocity, pivot)| self.singular(velocity, pivot))?;
        self.ready.factor = true;
        Ok(())
    }

    /// Replaces M by its factor; if it is singular, returns the velocity and the pivot there.
    #[inline(always)]
    fn eliminate(&mut self) -> Result<(), (usize, f64)> {
        let Self { model, composed, factor, inverse_roots, .. } = self;
        let sparsity = &model.sparsity;
        factor.copy_from(composed);
        for (k, inverse_root) in inverse_roots.iter_mut().enumerate().rev() {
            let diagonal = sparsity.place(k);
            let pivot = factor.row(sparsity, k)[diagonal];
            // The rounding error of a pivot that should be zero.
            if !(pivot > SINGULAR * composed.row(sparsity, k)[diagonal]) {
                return Err((k, pivot));
            }
            *inverse_root = 1.0 / pivot.sqrt();
            factor.eliminate(sparsity, k, pivot);
        }
        Ok(())
    }

    /// The error for a singular velocity, with the name of its joint.
    #[cold]
    pub(super) fn singular(&self, velocity: usize, pivot: f64) -> DynamicsError {
        let mut joints = self.model.joints().iter();
        let joint = joints.find(|joint| joint.joint.mimic.is_none() && joint.velocities.contains(&velocity));
        let massless = joint.and_then(|joint| self.massless_before_mass(joint.link));
        let joint = joint.map_or_else(String::new, |joint| joint.joint.name.clone());
        DynamicsError::Singular { joint, pivot, massless }
    }

    /// The name of a link without mass that carries links with mass.
    fn massless_before_mass(&self, link: LinkId) -> Option<String> {
        let links = self.model.links();
        let is_beyond = |mut at: LinkId| {
            while let Some(parent) = links[at.index()].parent.filter(|_| at != link) {
                at = parent;
            }
            at == link
        };
        let has_mass = |at: LinkId| links[at.index()].inertia.mass > 0.0;
        let carries = || (0..links.len()).map(LinkId::from_index).any(|at| has_mass(at) && is_beyond(at));
        (!has_mass(link) && carries()).then(|| links[link.index()].name.clone())
    }
}

/// Σ aₖ bₖ, in four independent sums.
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

/// A pivot below this fraction of its diagonal entry is rounding: M is singular.
pub(super) const SINGULAR: f64 = 1e-14;
