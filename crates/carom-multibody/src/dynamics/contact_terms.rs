//! A, A v, (dA/dt) v and W of several contacts and joint limits.

use super::strand::by_component;
use super::{Dynamics, NodeState, check, check_length, simd};
use crate::error::DynamicsError;
use crate::geometry::ContactPoint;
use crate::model::NO_NODE;
use crate::rows::{Contacts, JointLimit};
use crate::{Rotation, Vector};

impl Dynamics {
    /// Computes A, A v and (dA/dt) v.
    ///
    /// # Errors
    /// Contacts of another model, or a flat rim.
    pub fn contact_kinematics(&mut self, contacts: &mut Contacts) -> Result<(), DynamicsError> {
        self.contact_kinematics_inlined(contacts)
    }

    #[inline(always)]
    fn contact_kinematics_inlined(&mut self, contacts: &mut Contacts) -> Result<(), DynamicsError> {
        self.check_contacts(contacts)?;
        contacts.jacobian.fill_zero();
        self.accelerate_without_forces();
        for k in 0..contacts.selected.len() {
            let (chain, rows) = (self.chain(contacts, k), contacts.rows(k));
            let Contacts { points, limits, selected, jacobian, columns, velocity, drift, .. } = &mut *contacts;
            let columns = &mut columns[k * self.velocity.len()..][..chain.len()];
            match points.get(selected[k]) {
                Some(contact) => {
                    self.contact_columns(contact, columns);
                    self.contact_motion(contact, &mut velocity[rows.clone()], &mut drift[rows.clone()]);
                }
                None => {
                    let limit = &limits[selected[k] - points.len()];
                    columns.fill(Vector::ZERO);
                    columns[chain.len() - 1] = Vector::new(limit.entry(), 0.0, 0.0);
                    velocity[rows.start] = limit.rate(&self.velocity);
                    drift[rows.start] = 0.0;
                }
            }
            for (column, &v) in columns.iter().zip(chain) {
                for (row, entry) in rows.clone().zip(column.to_array()) {
                    jacobian[(row, v)] = entry;
                }
            }
        }
        Ok(())
    }

    fn check_contacts(&self, contacts: &Contacts) -> Result<(), DynamicsError> {
        let expected = self.velocity.len();
        if contacts.jacobian.columns() != expected {
            return Err(DynamicsError::Length { field: "contacts", given: contacts.jacobian.columns(), expected });
        }
        for &index in &contacts.selected {
            match contacts.points.get(index) {
                Some(contact) => self.check_contact(contact)?,
                None => {
                    let JointLimit { velocity: node, .. } = contacts.limits[index - contacts.points.len()];
                    if node >= expected {
                        return Err(DynamicsError::OtherModel { node, count: expected });
                    }
                }
            }
        }
        Ok(())
    }

    /// A v and (dA/dt) v of one contact.
    #[inline(always)]
    fn contact_motion(&self, contact: &ContactPoint, velocity: &mut [f64], drift: &mut [f64]) {
        if contact.node == NO_NODE {
            velocity.fill(0.0);
            drift.fill(0.0);
            return;
        }
        let arm = self.arm(contact);
        let NodeState { rotation, twist, acceleration, .. } = &self.nodes[contact.node];
        let moving = twist.at(arm);
        let drifting = contact.feature.drift(contact.basis[0], rotation, arm, twist, acceleration);
        for (k, direction) in contact.basis.into_iter().take(contact.dimension).enumerate() {
            velocity[k] = direction.dot(moving);
            drift[k] = direction.dot(drifting);
        }
    }

    /// The columns of A of one contact, along its chain.
    #[inline(always)]
    fn contact_columns(&self, contact: &ContactPoint, columns: &mut [Vector]) {
        columns.fill(Vector::ZERO);
        if contact.node == NO_NODE {
            return;
        }
        let (mut arm, rows) = (self.arm(contact), Rotation { columns: by_component(&contact.basis) });
        let mut i = contact.node;
        while i != NO_NODE {
            let node = &self.model.tree.nodes[i];
            let axes = &self.axes[node.axis..node.axis + node.motion.nv()];
            for (column, axis) in columns[self.model.sparsity.place(node.v)..].iter_mut().zip(axes) {
                // Velocity of the contact along its rows for a unit rate of the axis.
                *column = column.plus(node.multiplier, rows.apply(axis.twist.at(arm)));
            }
            arm += self.nodes[i].offset;
            i = node.parent;
        }
    }

    /// Computes A, A v, (dA/dt) v and W.
    ///
    /// # Errors
    /// Contacts of another model, a flat rim, or a singular mass matrix.
    pub fn contact_terms(&mut self, contacts: &mut Contacts) -> Result<(), DynamicsError> {
        self.factorize()?;
        simd::contact_terms(self, contacts)
    }

    /// Requires the factor of M.
    #[inline(always)]
    pub(super) fn contact_terms_inlined(&mut self, contacts: &mut Contacts) -> Result<(), DynamicsError> {
        self.contact_kinematics_inlined(contacts)?;
        for k in 0..contacts.selected.len() {
            self.reduce_contact(contacts, k);
            for other in 0..=k {
                let block = self.product(contacts, k, other);
                for (row, entries) in contacts.rows(k).zip(block) {
                    for (column, entry) in contacts.rows(other).zip(entries.to_array()) {
                        contacts.delassus[(row, column)] = entry;
                        contacts.delassus[(column, row)] = entry;
                    }
                }
            }
        }
        Ok(())
    }

    /// D^-½ L⁻ᵀ Aᵀ of the k-th selected contact.
    #[inline(always)]
    fn reduce_contact(&self, contacts: &mut Contacts, k: usize) {
        let (chain, start) = (self.chain(contacts, k), k * self.velocity.len());
        let own = &mut contacts.reduced[start..][..chain.len()];
        own.copy_from_slice(&contacts.columns[start..][..chain.len()]);
        self.reduce(chain, own);
    }

    /// The block of W for two selected contacts that have been reduced.
    #[inline(always)]
    fn product(&self, contacts: &Contacts, k: usize, other: usize) -> [Vector; 3] {
        let (chain, freedoms) = (self.chain(contacts, k), self.velocity.len());
        // Chains coincide up to where they part.
        let pairs = chain.iter().zip(self.chain(contacts, other));
        let common = if k == other { chain.len() } else { pairs.take_while(|(a, b)| a == b).count() };
        let (own, theirs) = (&contacts.reduced[k * freedoms..], &contacts.reduced[other * freedoms..]);
        let mut block = [Vector::ZERO; 3];
        for (a, &b) in own[..common].iter().zip(theirs) {
            let [x, y, z] = a.to_array();
            block = [block[0].plus(x, b), block[1].plus(y, b), block[2].plus(z, b)];
        }
        block
    }

    /// The velocities that move the k-th selected contact, and those that M couples to them.
    #[inline(always)]
    fn chain(&self, contacts: &Contacts, k: usize) -> &[usize] {
        let (sparsity, index) = (&self.model.sparsity, contacts.selected[k]);
        match contacts.points.get(index) {
            Some(contact) if contact.node == NO_NODE => &[],
            Some(contact) => sparsity.chain(sparsity.last_of(contact.node)),
            None => sparsity.chain(contacts.limits[index - contacts.points.len()].velocity),
        }
    }

    /// The accelerations A M⁻¹ f + (dA/dt) v of all rows under a force f. `force` is overwritten by an intermediate result
    /// from which [`Dynamics::contact_acceleration`] continues. Uses the terms of the last
    /// [`Dynamics::contact_terms`], which must have been computed in the present state.
    ///
    /// # Errors
    /// Contacts of another model, vectors of the wrong length, a force that is not finite, or a singular mass matrix.
    pub fn contact_free_acceleration(
        &mut self,
        contacts: &Contacts,
        force: &mut [f64],
        free: &mut [f64],
    ) -> Result<(), DynamicsError> {
        self.check_contacts(contacts)?;
        let freedoms = self.velocity.len();
        check("force", force, freedoms)?;
        check_length("free", free.len(), contacts.drift.len())?;
        self.factorize()?;
        self.reduce_row(force);
        for k in 0..contacts.selected.len() {
            let mut along = Vector::ZERO;
            for (&v, &own) in self.chain(contacts, k).iter().zip(&contacts.reduced[k * freedoms..]) {
                along = along.plus(force[v], own);
            }
            for (row, along) in contacts.rows(k).zip(along.to_array()) {
                free[row] = contacts.drift[row] + along;
            }
        }
        Ok(())
    }

    /// M⁻¹ (f + Aᵀ λ), in place of the intermediate result that [`Dynamics::contact_free_acceleration`] left for the force f.
    ///
    /// # Errors
    /// Contacts of another model, vectors of the wrong length, forces that are not finite, or a singular mass matrix.
    pub fn contact_acceleration(
        &mut self,
        contacts: &Contacts,
        contact_forces: &[f64],
        force: &mut [f64],
    ) -> Result<(), DynamicsError> {
        self.check_contacts(contacts)?;
        let freedoms = self.velocity.len();
        check("contact_forces", contact_forces, contacts.drift.len())?;
        check_length("force", force.len(), freedoms)?;
        self.factorize()?;
        for k in 0..contacts.selected.len() {
            let mut lanes = [0.0; 3];
            for (lane, row) in lanes.iter_mut().zip(contacts.rows(k)) {
                *lane = contact_forces[row];
            }
            let contact_force = Vector::from(lanes);
            for (&v, own) in self.chain(contacts, k).iter().zip(&contacts.reduced[k * freedoms..]) {
                force[v] += own.dot(contact_force);
            }
        }
        for (x, root) in force.iter_mut().zip(&self.inverse_roots) {
            *x *= root;
        }
        self.back_solve(force);
        Ok(())
    }

    /// A v of all rows for any velocity v of the robot in its present configuration, and for each row the size of the terms
    /// in its sum: [`Dynamics::contact_velocity_of`] for each selected contact. Neither A nor the terms stored in
    /// `contacts` are used, so that results computed from those can be checked. Does not allocate.
    ///
    /// # Errors
    /// Contacts of another model, a flat rim, vectors of the wrong length, or a `velocity` that is not finite.
    pub fn contacts_velocity_of(
        &self,
        contacts: &Contacts,
        velocity: &[f64],
        moving: &mut [f64],
        sizes: &mut [f64],
    ) -> Result<(), DynamicsError> {
        self.check_contacts(contacts)?;
        check("velocity", velocity, self.velocity.len())?;
        check_length("moving", moving.len(), contacts.velocity.len())?;
        check_length("sizes", sizes.len(), contacts.velocity.len())?;
        for (k, &index) in contacts.selected.iter().enumerate() {
            let rows = contacts.rows(k);
            match contacts.points.get(index) {
                Some(contact) => {
                    let motion = self.contact_velocity_of(contact, velocity)?;
                    moving[rows.clone()].copy_from_slice(&motion.velocity[..rows.len()]);
                    sizes[rows].fill(motion.size);
                }
                None => {
                    let rate = contacts.limits[index - contacts.points.len()].rate(velocity);
                    (moving[rows.start], sizes[rows.start]) = (rate, rate.abs());
                }
            }
        }
        Ok(())
    }

    /// M⁻¹ Aᵀ i, the velocity change due to impulses along all rows: `change` is overwritten. Uses A of the last
    /// [`Dynamics::contact_kinematics`] or [`Dynamics::contact_terms`], which must have been computed in the present state.
    ///
    /// # Errors
    /// Contacts of another model, impulses or a `change` of the wrong length, impulses that are not finite, or a
    /// singular mass matrix.
    pub fn contact_response(
        &mut self,
        contacts: &Contacts,
        impulses: &[f64],
        change: &mut [f64],
    ) -> Result<(), DynamicsError> {
        self.check_contacts(contacts)?;
        check("impulses", impulses, contacts.jacobian.rows())?;
        check_length("change", change.len(), self.velocity.len())?;
        change.fill(0.0);
        for (row, impulse) in impulses.iter().enumerate() {
            for (change, entry) in change.iter_mut().zip(contacts.jacobian.row(row)) {
                *change += impulse * entry;
            }
        }
        self.solve_mass(change)
    }
}
