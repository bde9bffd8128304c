//! One contact: W, the contact's velocity, and the response to an impulse, in time linear in the number of links.
//!
//! Only the joints between the contact and its root have a column of A, and articulated inertias replace
//! the factor of M: no matrix of size n² is formed.

use super::energy::Energies;
use super::factor::product;
use super::strand::Strand;
use super::terms::{ContactMotion, ContactTerms, ImpulseEffect};
use super::{Dynamics, check, check_length, simd};
use crate::Vector;
use crate::error::DynamicsError;
use crate::geometry::ContactPoint;
use crate::model::{NO_NODE, NodeMotion};
use crate::spatial::{Twist, Wrench};

/// Output of an outward pass: the change of the velocity ...
const CHANGE: u8 = 0;
/// ... the velocity after ...
const AFTER: u8 = 1;
/// ... also that of the contact ...
const CONTACT: u8 = 2;
/// ... and the kinetic energies.
const FULL: u8 = 3;

impl Dynamics {
    /// A v of one contact for any velocity v of the robot in its present configuration, summed along the chain
    /// independently of [`Dynamics::single_contact`] and [`Dynamics::impulse_response`], so that their results can be
    /// checked. Does not allocate.
    ///
    /// # Errors
    /// A contact of another model, or a `velocity` of the wrong length.
    pub fn contact_velocity_of(
        &self,
        contact: &ContactPoint,
        velocity: &[f64],
    ) -> Result<ContactMotion, DynamicsError> {
        self.check_contact(contact)?;
        check("velocity", velocity, self.velocity.len())?;
        let [motion] = self.contact_motions(contact, [velocity]);
        Ok(motion)
    }

    /// [`Dynamics::contact_velocity_of`] for the state's own velocity and for another, in one pass along the chain.
    /// Does not allocate.
    ///
    /// # Errors
    /// A contact of another model, a `velocity` of the wrong length or one that is not finite.
    pub fn contact_velocity_change(
        &mut self,
        contact: &ContactPoint,
        velocity: &[f64],
    ) -> Result<[ContactMotion; 2], DynamicsError> {
        self.check_contact(contact)?;
        check("velocity", velocity, self.velocity.len())?;
        Ok(simd::contact_velocity_change(self, contact, velocity))
    }

    #[inline(always)]
    pub(super) fn contact_velocity_change_inlined(
        &mut self,
        contact: &ContactPoint,
        velocity: &[f64],
    ) -> [ContactMotion; 2] {
        self.contact_motions(contact, [&self.velocity, velocity])
    }

    #[inline(always)]
    fn contact_motions<const N: usize>(&self, contact: &ContactPoint, velocities: [&[f64]; N]) -> [ContactMotion; N] {
        let mut motions = [ContactMotion { velocity: [0.0; 3], size: 0.0 }; N];
        if contact.node == NO_NODE {
            return motions;
        }
        let mut arm = self.arm(contact);
        let mut passed = [Passed { velocity: [0.0; 3], size: 0.0 }; N];
        let mut i = contact.node;
        while i != NO_NODE {
            let node = &self.model.tree.nodes[i];
            let columns = &self.nodes[i].rotation.columns;
            let rates = |v: usize| velocities.map(|velocity| node.multiplier * velocity[v]);
            match node.motion {
                NodeMotion::Turn => pass(&mut passed, rates(node.v), columns[2].cross(arm)),
                NodeMotion::Slide => pass(&mut passed, rates(node.v), columns[2]),
                NodeMotion::Ball => {
                    for k in 0..3 {
                        pass(&mut passed, rates(node.v + k), columns[k].cross(arm));
                    }
                }
                NodeMotion::Free => {
                    for k in 0..3 {
                        pass(&mut passed, rates(node.v + k), columns[k]);
                        pass(&mut passed, rates(node.v + 3 + k), columns[k].cross(arm));
                    }
                }
            }
            arm += self.nodes[i].offset;
            i = node.parent;
        }
        let [n, t1, t2] = contact.basis;
        for (motion, Passed { velocity, size }) in motions.iter_mut().zip(passed) {
            let along = |direction: Vector| direction.dot(velocity.into());
            motion.velocity = [along(n), along(t1), along(t2)];
            for (row, along) in motion.velocity.iter_mut().enumerate() {
                *along = if row < contact.dimension { *along } else { 0.0 };
            }
            motion.size = size;
        }
        motions
    }

    /// W and the velocity of one contact.
    ///
    /// # Errors
    /// A contact of another model, or a singular mass matrix.
    pub fn single_contact(&mut self, contact: &ContactPoint) -> Result<ContactTerms, DynamicsError> {
        self.check_contact(contact)?;
        if self.is_coupled() {
            return self.single_contact_by_factor(contact);
        }
        simd::single_contact(self, contact)
    }

    /// M⁻¹ Aᵀ i, the velocity change due to an impulse: `change` is overwritten.
    ///
    /// # Errors
    /// An impulse or a `change` of the wrong length, an impulse that is not finite, or a singular mass matrix.
    pub fn impulse_response(
        &mut self,
        contact: &ContactPoint,
        impulse: &[f64],
        change: &mut [f64],
    ) -> Result<(), DynamicsError> {
        let rows = self.check_impulse(contact, impulse, change.len())?;
        if self.is_coupled() {
            let [n, t1, t2] = contact.basis;
            self.project(contact, (rows.x() * n).plus(rows.y(), t1).plus(rows.z(), t2), change);
            return self.respond_held(change);
        }
        simd::impulse_response(self, contact, rows, change)
    }

    /// The velocity after an impulse, v + M⁻¹ Aᵀ i: `velocity` is overwritten.
    ///
    /// # Errors
    /// As [`Dynamics::impulse_response`].
    pub fn velocity_after(
        &mut self,
        contact: &ContactPoint,
        impulse: &[f64],
        velocity: &mut [f64],
    ) -> Result<(), DynamicsError> {
        if self.is_coupled() || contact.node == NO_NODE {
            return self.velocity_after_by_parts(contact, impulse, velocity);
        }
        let rows = self.check_impulse(contact, impulse, velocity.len())?;
        simd::velocity_after(self, contact, rows, velocity)
    }

    /// [`Dynamics::velocity_after`], together with the results of [`Dynamics::contact_velocity_change`] and, if
    /// requested, [`Dynamics::kinetic_energy_change`] for that velocity. They are computed from the velocity after, in
    /// the same pass, while each axis waits for the axes before it. Does not allocate.
    ///
    /// # Errors
    /// As [`Dynamics::impulse_response`], or a velocity after the impulse that is not finite.
    pub fn strike(
        &mut self,
        contact: &ContactPoint,
        impulse: &[f64],
        with_energies: bool,
        velocity: &mut [f64],
    ) -> Result<ImpulseEffect, DynamicsError> {
        if self.is_coupled() || contact.node == NO_NODE {
            self.velocity_after_by_parts(contact, impulse, velocity)?;
            let [before, after] = self.contact_velocity_change(contact, velocity)?;
            let energy = if with_energies { Some(self.kinetic_energy_change(velocity)?) } else { None };
            return Ok(ImpulseEffect { after, before_size: before.size, energy });
        }
        let rows = self.check_impulse(contact, impulse, velocity.len())?;
        simd::strike(self, contact, rows, with_energies, velocity)
    }

    #[cold]
    fn velocity_after_by_parts(
        &mut self,
        contact: &ContactPoint,
        impulse: &[f64],
        velocity: &mut [f64],
    ) -> Result<(), DynamicsError> {
        self.impulse_response(contact, impulse, velocity)?;
        for (after, before) in velocity.iter_mut().zip(&self.velocity) {
            *after += before;
        }
        Ok(())
    }

    /// The rows of an impulse, zero beyond the contact's dimension.
    #[inline(always)]
    fn check_impulse(&self, contact: &ContactPoint, impulse: &[f64], room: usize) -> Result<Vector, DynamicsError> {
        self.check_contact(contact)?;
        check("impulse", impulse, contact.dimension)?;
        check_length("change", room, self.velocity.len())?;
        let mut rows = [0.0; 3];
        rows[..impulse.len()].copy_from_slice(impulse);
        Ok(rows.into())
    }

    #[inline(always)]
    pub(super) fn single_contact_inlined(&mut self, contact: &ContactPoint) -> Result<ContactTerms, DynamicsError> {
        if contact.node == NO_NODE {
            return Ok(ContactTerms::ZERO);
        }
        self.strand_arm = self.arm(contact);
        let mut strand = Strand::new(contact, self.strand_arm);
        if self.ready.articulated {
            self.walk(&mut strand);
        } else {
            self.articulate_along(&mut strand)?;
        }
        self.strand = Some(*contact);
        let mut terms = strand.terms(&contact.basis);
        if contact.dimension < 3 {
            terms.cut(contact.dimension);
        }
        Ok(terms)
    }

    /// Only the strand, if the articulated inertias are already known.
    #[inline(always)]
    fn walk(&mut self, strand: &mut Strand) {
        while let Some(i) = strand.next() {
            let node = &self.model.tree.nodes[i];
            for k in (0..node.motion.nv()).rev() {
                let (axis, direction) = (node.axis + k, self.nodes[i].rotation.columns[node.motion.column(k)]);
                let (rate, compliance, u) = (self.axes[axis].rate, self.axes[axis].compliance, &self.axes[axis].force);
                self.axes[axis].given = strand.cross(direction, node.motion.slides(k), rate, compliance, u);
            }
            strand.move_on(node.parent, self.nodes[i].offset);
        }
    }

    #[inline(always)]
    pub(super) fn impulse_response_inlined(
        &mut self,
        contact: &ContactPoint,
        impulse: Vector,
        change: &mut [f64],
    ) -> Result<(), DynamicsError> {
        if contact.node == NO_NODE {
            change.fill(0.0);
            return Ok(());
        }
        self.respond::<CHANGE>(contact, impulse, change).map(|_| ())
    }

    #[inline(always)]
    pub(super) fn velocity_after_inlined(
        &mut self,
        contact: &ContactPoint,
        impulse: Vector,
        velocity: &mut [f64],
    ) -> Result<(), DynamicsError> {
        self.respond::<AFTER>(contact, impulse, velocity).map(|_| ())
    }

    #[inline(always)]
    pub(super) fn strike_inlined(
        &mut self,
        contact: &ContactPoint,
        impulse: Vector,
        with_energies: bool,
        velocity: &mut [f64],
    ) -> Result<ImpulseEffect, DynamicsError> {
        let struck = if with_energies {
            self.respond::<FULL>(contact, impulse, velocity)?
        } else {
            self.respond::<CONTACT>(contact, impulse, velocity)?
        };
        check("velocity", velocity, velocity.len())?;
        Ok(struck)
    }

    /// Not inlined, so that the outward passes stay small.
    #[cold]
    #[inline(never)]
    fn ask_again(&mut self, contact: &ContactPoint) -> Result<(), DynamicsError> {
        simd::single_contact(self, contact).map(|_| ())
    }

    /// The response to an impulse at a contact of a node, with the outputs selected by `LOOK`.
    #[inline(always)]
    fn respond<const LOOK: u8>(
        &mut self,
        contact: &ContactPoint,
        impulse: Vector,
        out: &mut [f64],
    ) -> Result<ImpulseEffect, DynamicsError> {
        // The rate changes of the axes on the path are known if this contact was the last one evaluated.
        if !(self.ready.articulated && self.strand.as_ref() == Some(contact)) {
            self.ask_again(contact)?;
        }
        self.ready.drifts = false;
        let nodes = &self.model.tree.nodes[..];
        for axis in &mut self.axes {
            axis.load = 0.0;
        }
        let mut arm = self.strand_arm;
        let mut passed = Passing::ZERO;
        let (mut i, mut root) = (contact.node, contact.node);
        while i != NO_NODE {
            let node = &nodes[i];
            for k in 0..node.motion.nv() {
                let axis = node.axis + k;
                self.axes[axis].load = self.axes[axis].given.dot(impulse);
                if LOOK >= CONTACT {
                    let direction = self.nodes[i].rotation.columns[node.motion.column(k)];
                    let moved = if node.motion.slides(k) { direction } else { direction.cross(arm) };
                    self.contact_columns[passed.count] = (node.v + k, moved);
                    passed.count += 1;
                    passed.before_sizes = passed.before_sizes.plus(self.velocity[node.v + k].abs(), moved.sizes());
                }
            }
            if LOOK >= CONTACT {
                arm += self.nodes[i].offset;
            }
            (root, i) = (i, node.parent);
        }
        let mut energies = Energies::ZERO;
        // Outward pass: subtract the effect of the parent's motion.
        for (i, node) in nodes.iter().enumerate() {
            if node.root == root {
                let columns = &self.nodes[i].rotation.columns;
                let outer = if node.parent == NO_NODE { Twist::ZERO } else { self.nodes[node.parent].acceleration };
                let mut twist = outer.from(self.nodes[i].offset);
                let mut put = |k: usize, jump: f64| {
                    out[node.v + k] = if LOOK == CHANGE { jump } else { jump + self.velocity[node.v + k] };
                };
                match node.motion {
                    NodeMotion::Turn | NodeMotion::Slide => {
                        let axis = node.axis;
                        // About the parent's origin, so that the shift of the twist is not on the critical path.
                        let jump =
                            self.axes[axis].load - self.axes[axis].compliance * outer.dot(&self.axes[axis].outer_force);
                        put(0, jump);
                        if node.motion == NodeMotion::Slide {
                            twist.linear = twist.linear.plus(jump, columns[2]);
                        } else {
                            twist.angular = twist.angular.plus(jump, columns[2]);
                        }
                    }
                    NodeMotion::Ball | NodeMotion::Free => {
                        for k in 0..node.motion.nv() {
                            let (axis, direction) = (node.axis + k, columns[node.motion.column(k)]);
                            let jump =
                                self.axes[axis].load - self.axes[axis].compliance * twist.dot(&self.axes[axis].force);
                            put(k, jump);
                            if node.motion.slides(k) {
                                twist.linear = twist.linear.plus(jump, direction);
                            } else {
                                twist.angular = twist.angular.plus(jump, direction);
                            }
                        }
                    }
                }
                self.nodes[i].acceleration = twist;
            } else {
                for v in node.v..node.v + node.motion.nv() {
                    out[v] = if LOOK == CHANGE { 0.0 } else { 0.0 + self.velocity[v] };
                }
            }
            if LOOK == FULL {
                let rate = |k: usize| [self.velocity[node.v + k], out[node.v + k]];
                let outer = (node.parent != NO_NODE).then(|| &self.twist_pairs[node.parent]);
                self.twist_pairs[i] = energies.add(node, &self.nodes[i], outer, rate);
            }
        }
        for &(v, moved) in &self.contact_columns[..passed.count] {
            passed.pass(out[v], moved);
        }
        Ok(ImpulseEffect {
            after: passed.motion(contact),
            before_size: passed.before_sizes.sum_of_sizes(),
            energy: (LOOK == FULL).then(|| energies.change()),
        })
    }

    /// With the factor of M, for models with mimics or loops.
    fn single_contact_by_factor(&mut self, contact: &ContactPoint) -> Result<ContactTerms, DynamicsError> {
        self.factorize()?;
        self.hold_loops()?;
        let mut terms = ContactTerms::ZERO;
        self.whitened = None;
        let mut rows = std::mem::take(&mut self.contact_rows);
        for i in 0..contact.dimension {
            self.project(contact, contact.basis[i], &mut rows[i]);
            terms.velocity[i] = rows[i].iter().zip(&self.velocity).map(|(a, v)| a * v).sum();
            self.reduce_row(&mut rows[i]);
            self.row_sizes[i] = product(&rows[i], &rows[i]).sqrt();
            self.hold(&mut rows[i]);
            for j in 0..=i {
                terms.delassus[i][j] = product(&rows[i], &rows[j]);
                terms.delassus[j][i] = terms.delassus[i][j];
            }
        }
        self.contact_rows = rows;
        Ok(terms)
    }

    /// Aᵀ push, `out` overwritten.
    fn project(&self, contact: &ContactPoint, push: Vector, out: &mut [f64]) {
        out.fill(0.0);
        if contact.node == NO_NODE {
            return;
        }
        let mut wrench = Wrench::force_at(push, self.arm(contact));
        for i in self.model.tree.path(contact.node) {
            let node = &self.model.tree.nodes[i];
            for k in 0..node.motion.nv() {
                out[node.v + k] += node.multiplier * self.axes[node.axis + k].twist.dot(&wrench);
            }
            wrench = wrench.moved(self.nodes[i].offset);
        }
    }
}

/// Contact velocity due to the axes visited so far, on the inward path from a contact.
#[derive(Clone, Copy)]
struct Passed {
    velocity: [f64; 3],
    /// The sum of the absolute values of all terms.
    size: f64,
}

#[inline(always)]
fn pass<const N: usize>(passed: &mut [Passed; N], rates: [f64; N], moved: Vector) {
    let (size, [x, y, z]) = (moved.norm_l1(), moved.to_array());
    for of in 0..N {
        let [a, b, c] = passed[of].velocity;
        passed[of].velocity = [a + rates[of] * x, b + rates[of] * y, c + rates[of] * z];
        passed[of].size += rates[of].abs() * size;
    }
}

/// As [`Passed`], for one velocity while it is computed, with absolute values by component.
struct Passing {
    velocity: Vector,
    sizes: Vector,
    before_sizes: Vector,
    /// Number of axes.
    count: usize,
}

impl Passing {
    const ZERO: Self = Self { velocity: Vector::ZERO, sizes: Vector::ZERO, before_sizes: Vector::ZERO, count: 0 };

    #[inline(always)]
    fn pass(&mut self, rate: f64, moved: Vector) {
        self.velocity = self.velocity.plus(rate, moved);
        self.sizes = self.sizes.plus(rate.abs(), moved.sizes());
    }

    #[inline(always)]
    fn motion(&self, contact: &ContactPoint) -> ContactMotion {
        let along = |row: usize| {
            if row < contact.dimension { contact.basis[row].dot(self.velocity) } else { 0.0 }
        };
        ContactMotion { velocity: [along(0), along(1), along(2)], size: self.sizes.sum_of_sizes() }
    }
}
