//! One contact, fast: W, the contact's velocity, and the answer to an impulse, in time linear in the links.
//!
//! Only the joints between the contact and its root carry a column of A, and articulated inertias take
//! the place of M's factor: nothing of size n² is ever formed.

use super::factor::product;
use super::strand::Strand;
use super::{ContactPoint, Dynamics, DynamicsError, check, simd};
use crate::Vector;
use crate::model::{Motion, NO_NODE};
use crate::spatial::{Twist, Wrench};

/// What the law needs of one contact; rows and columns beyond its dimension are zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactTerms {
    /// W = A M⁻¹ Aᵀ.
    pub delassus: [[f64; 3]; 3],
    /// A v.
    pub velocity: [f64; 3],
}

/// A contact's velocity for a velocity of the robot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactMotion {
    /// A v; zero beyond the contact's dimension.
    pub velocity: [f64; 3],
    /// The size of the terms that the rows of A v are sums of: |A||v|, or somewhat more.
    pub size: f64,
}

impl Dynamics {
    /// A v of one contact for any velocity v of the robot in its present configuration, along the chain alone, by sums that
    /// share nothing with those of [`Dynamics::single_contact`] and [`Dynamics::impulse_response`]: what an answer is checked
    /// with. Nothing is allocated.
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

    /// [`Dynamics::contact_velocity_of`] the state's own velocity and of another, on one way along the chain. Nothing is
    /// allocated.
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
                Motion::Turn => pass(&mut passed, rates(node.v), columns[2].cross(arm)),
                Motion::Slide => pass(&mut passed, rates(node.v), columns[2]),
                Motion::Ball => {
                    for k in 0..3 {
                        pass(&mut passed, rates(node.v + k), columns[k].cross(arm));
                    }
                }
                Motion::Free => {
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
    /// A contact of another model, or a mass matrix that is singular.
    pub fn single_contact(&mut self, contact: &ContactPoint) -> Result<ContactTerms, DynamicsError> {
        self.check_contact(contact)?;
        if self.model.tree.has_mimics() {
            return self.single_contact_by_factor(contact);
        }
        simd::single_contact(self, contact)
    }

    /// M⁻¹ Aᵀ i, what an impulse adds to the velocity: `change` is overwritten.
    ///
    /// # Errors
    /// An impulse or a `change` of the wrong length, an impulse that is not finite, or a singular mass matrix.
    pub fn impulse_response(
        &mut self,
        contact: &ContactPoint,
        impulse: &[f64],
        change: &mut [f64],
    ) -> Result<(), DynamicsError> {
        self.check_contact(contact)?;
        check("impulse", impulse, contact.dimension)?;
        let expected = self.velocity.len();
        if change.len() != expected {
            return Err(DynamicsError::Length { field: "change", given: change.len(), expected });
        }
        let mut rows = [0.0; 3];
        rows[..impulse.len()].copy_from_slice(impulse);
        if self.model.tree.has_mimics() {
            let [n, t1, t2] = contact.basis;
            self.project(contact, (rows[0] * n).plus(rows[1], t1).plus(rows[2], t2), change);
            return self.solve_mass(change);
        }
        simd::impulse_response(self, contact, rows.into(), change)
    }

    #[inline(always)]
    pub(super) fn single_contact_inlined(&mut self, contact: &ContactPoint) -> Result<ContactTerms, DynamicsError> {
        if contact.node == NO_NODE {
            return Ok(ContactTerms::ZERO);
        }
        let mut strand = Strand::new(contact, self.arm(contact));
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

    /// The strand alone, where the articulated inertias are there.
    #[inline(always)]
    fn walk(&mut self, strand: &mut Strand) {
        while let Some(i) = strand.next() {
            let node = &self.model.tree.nodes[i];
            for k in (0..node.motion.freedoms()).rev() {
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
        // What each axis on the way gives is known if this contact was the last to be asked about.
        if !(self.ready.articulated && self.strand.as_ref() == Some(contact)) {
            self.single_contact_inlined(contact)?;
        }
        self.ready.drifts = false;
        let nodes = &self.model.tree.nodes[..];
        for axis in &mut self.axes {
            axis.load = 0.0;
        }
        let (mut i, mut root) = (contact.node, contact.node);
        while i != NO_NODE {
            let node = &nodes[i];
            for axis in node.axis..node.axis + node.motion.freedoms() {
                self.axes[axis].load = self.axes[axis].given.dot(impulse);
            }
            (root, i) = (i, node.parent);
        }
        // Outward: what the motion of the parent takes back.
        for (i, node) in nodes.iter().enumerate() {
            if node.root != root {
                change[node.v..node.v + node.motion.freedoms()].fill(0.0);
                continue;
            }
            let columns = &self.nodes[i].rotation.columns;
            let outer = if node.parent == NO_NODE { Twist::ZERO } else { self.nodes[node.parent].acceleration };
            let mut twist = outer.from(self.nodes[i].offset);
            match node.motion {
                Motion::Turn | Motion::Slide => {
                    let axis = node.axis;
                    // Seen from the parent's origin, so that the shift of the twist is not waited for.
                    let jump =
                        self.axes[axis].load - self.axes[axis].compliance * outer.dot(&self.axes[axis].outer_force);
                    change[node.v] = jump;
                    if node.motion == Motion::Slide {
                        twist.linear = twist.linear.plus(jump, columns[2]);
                    } else {
                        twist.angular = twist.angular.plus(jump, columns[2]);
                    }
                }
                Motion::Ball | Motion::Free => {
                    for k in 0..node.motion.freedoms() {
                        let (axis, direction) = (node.axis + k, columns[node.motion.column(k)]);
                        let jump =
                            self.axes[axis].load - self.axes[axis].compliance * twist.dot(&self.axes[axis].force);
                        change[node.v + k] = jump;
                        if node.motion.slides(k) {
                            twist.linear = twist.linear.plus(jump, direction);
                        } else {
                            twist.angular = twist.angular.plus(jump, direction);
                        }
                    }
                }
            }
            self.nodes[i].acceleration = twist;
        }
        Ok(())
    }

    /// With M itself, for joints that follow others.
    fn single_contact_by_factor(&mut self, contact: &ContactPoint) -> Result<ContactTerms, DynamicsError> {
        self.factorize()?;
        let mut terms = ContactTerms::ZERO;
        self.whitened = None;
        let mut rows = std::mem::take(&mut self.contact_rows);
        for i in 0..contact.dimension {
            self.project(contact, contact.basis[i], &mut rows[i]);
            terms.velocity[i] = rows[i].iter().zip(&self.velocity).map(|(a, v)| a * v).sum();
            self.reduce_row(&mut rows[i]);
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
            for k in 0..node.motion.freedoms() {
                out[node.v + k] += node.multiplier * self.axes[node.axis + k].twist.dot(&wrench);
            }
            wrench = wrench.moved(self.nodes[i].offset);
        }
    }
}

/// What the axes passed so far, on the way in from a contact, move it by.
#[derive(Clone, Copy)]
struct Passed {
    velocity: [f64; 3],
    /// The sum of the sizes of all terms.
    size: f64,
}

#[inline(always)]
fn pass<const N: usize>(passed: &mut [Passed; N], rates: [f64; N], moved: Vector) {
    let (size, [x, y, z]) = (moved.sum_of_sizes(), moved.to_array());
    for of in 0..N {
        let [a, b, c] = passed[of].velocity;
        passed[of].velocity = [a + rates[of] * x, b + rates[of] * y, c + rates[of] * z];
        passed[of].size += rates[of].abs() * size;
    }
}

impl ContactTerms {
    const ZERO: Self = Self { delassus: [[0.0; 3]; 3], velocity: [0.0; 3] };

    fn cut(&mut self, dimension: usize) {
        for i in 0..3 {
            for j in 0..3 {
                if i >= dimension || j >= dimension {
                    self.delassus[i][j] = 0.0;
                }
            }
            if i >= dimension {
                self.velocity[i] = 0.0;
            }
        }
    }
}
