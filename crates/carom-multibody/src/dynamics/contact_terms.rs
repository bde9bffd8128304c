//! A, A v, (dA/dt) v and W of several contacts, joint limits, dry friction of joints and meetings of two links.

use super::strand::by_component;
use super::{Dynamics, NodeState, check, check_length, simd};
use crate::error::DynamicsError;
use crate::geometry::ContactPoint;
use crate::model::NO_NODE;
use crate::rows::{Contacts, Item};
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
        // Taken out, so that items can be read while their rows are written.
        let mut columns = std::mem::take(&mut contacts.columns);
        let (mut velocity, mut drift) = (std::mem::take(&mut contacts.velocity), std::mem::take(&mut contacts.drift));
        for k in 0..contacts.selected.len() {
            let (chain, rows) = (self.chain(contacts, k), contacts.rows(k));
            let own = &mut columns[k * self.velocity.len()..][..chain.len()];
            match contacts.item(k) {
                Item::Contact(contact) => {
                    self.contact_columns(contact, own);
                    self.contact_motion(contact, &mut velocity[rows.clone()], &mut drift[rows.clone()]);
                }
                Item::Limit(limit) => {
                    own.fill(Vector::ZERO);
                    let place = if self.has_loops() { limit.velocity } else { chain.len() - 1 };
                    own[place] = Vector::new(limit.entry(), 0.0, 0.0);
                    velocity[rows.start] = limit.rate(&self.velocity);
                    drift[rows.start] = 0.0;
                }
                Item::Friction(friction) => {
                    own.fill(Vector::ZERO);
                    let place = if self.has_loops() { friction.velocity } else { chain.len() - 1 };
                    own[place] = Vector::new(0.0, friction.multiplier, 0.0);
                    velocity[rows.clone()].copy_from_slice(&[0.0, friction.rate(&self.velocity)]);
                    drift[rows.clone()].fill(0.0);
                }
                Item::Meeting(meeting) => {
                    self.meeting_columns(meeting, own);
                    self.meeting_motion(meeting, &mut velocity[rows.clone()], &mut drift[rows.clone()]);
                }
            }
            for (column, &v) in own.iter().zip(chain) {
                for (row, entry) in rows.clone().zip(column.to_array()) {
                    contacts.jacobian[(row, v)] = entry;
                }
            }
        }
        (contacts.columns, contacts.velocity, contacts.drift) = (columns, velocity, drift);
        Ok(())
    }

    fn check_contacts(&self, contacts: &Contacts) -> Result<(), DynamicsError> {
        let expected = self.velocity.len();
        if contacts.jacobian.columns() != expected {
            return Err(DynamicsError::Length { field: "contacts", given: contacts.jacobian.columns(), expected });
        }
        for k in 0..contacts.selected.len() {
            match contacts.item(k) {
                Item::Contact(contact) => self.check_contact(contact)?,
                Item::Limit(limit) if limit.velocity >= expected => {
                    return Err(DynamicsError::OtherModel { node: limit.velocity, count: expected });
                }
                Item::Friction(friction) if friction.velocity >= expected => {
                    return Err(DynamicsError::OtherModel { node: friction.velocity, count: expected });
                }
                Item::Limit(_) | Item::Friction(_) => {}
                Item::Meeting(meeting) => self.check_meeting(meeting)?,
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
            let place = if self.has_loops() { node.v } else { self.model.sparsity.place(node.v) };
            for (column, axis) in columns[place..].iter_mut().zip(axes) {
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
    /// Contacts of another model, a flat rim, a singular mass matrix, or a loop that is open.
    pub fn contact_terms(&mut self, contacts: &mut Contacts) -> Result<(), DynamicsError> {
        self.factorize()?;
        self.hold_loops()?;
        simd::contact_terms(self, contacts)
    }

    /// Requires the factor of M.
    #[inline(always)]
    pub(super) fn contact_terms_inlined(&mut self, contacts: &mut Contacts) -> Result<(), DynamicsError> {
        self.contact_kinematics_inlined(contacts)?;
        contacts.held_drift.copy_from_slice(&contacts.drift);
        for k in 0..contacts.selected.len() {
            self.reduce_contact(contacts, k);
            let pad = self.pad(contacts, k);
            if self.has_loops() {
                self.hold_contact(contacts, k);
            }
            for other in 0..=k {
                let block = self.product(contacts, k, other);
                for (row, entries) in contacts.rows(k).zip(block) {
                    for (column, entry) in contacts.rows(other).zip(entries.to_array()) {
                        contacts.delassus[(row, column)] = entry;
                        contacts.delassus[(column, row)] = entry;
                    }
                }
            }
            if let Some((mobility, force)) = pad {
                let row = contacts.rows(k).start;
                contacts.delassus[(row, row)] = mobility;
                contacts.drift[row] = -mobility * force;
                contacts.held_drift[row] = -mobility * force;
            }
        }
        Ok(())
    }

    /// The entry of W of a pad, which is that of its joint without loops, and the force that presses it.
    #[inline(always)]
    fn pad(&self, contacts: &Contacts, k: usize) -> Option<(f64, f64)> {
        let Item::Friction(friction) = contacts.item(k) else { return None };
        let own = &contacts.reduced[k * self.velocity.len()..][..self.chain(contacts, k).len()];
        Some((own.iter().map(|y| y.to_array()[1].powi(2)).sum(), friction.bound))
    }

    /// D^-½ L⁻ᵀ Aᵀ of the k-th selected contact.
    #[inline(always)]
    fn reduce_contact(&self, contacts: &mut Contacts, k: usize) {
        let (chain, start) = (self.chain(contacts, k), k * self.velocity.len());
        let is_dense = self.is_dense(contacts, k);
        let own = &mut contacts.reduced[start..][..chain.len()];
        own.copy_from_slice(&contacts.columns[start..][..chain.len()]);
        if is_dense { self.reduce_all(own) } else { self.reduce(chain, own) }
    }

    /// Projects the reduced rows of the k-th selected item onto the motions that the loops allow.
    fn hold_contact(&self, contacts: &mut Contacts, k: usize) {
        let (start, nv) = (k * self.velocity.len(), self.velocity.len());
        let (rows, basis) = (contacts.rows(k), &self.loops.basis);
        let own = &mut contacts.reduced[start..start + nv];
        for pass in 0..2 {
            for place in 0..basis.rank() {
                let q = basis.vector(place);
                let part = own.iter().zip(q).fold(Vector::ZERO, |sum, (y, &q)| sum.plus(q, *y));
                own.iter_mut().zip(q).for_each(|(y, &q)| *y = y.plus(-q, part));
                if pass == 0 {
                    for (row, part) in rows.clone().zip(part.to_array()) {
                        contacts.held_drift[row] -= part * self.loops.drifting[place];
                    }
                }
            }
        }
    }

    /// The block of W for two selected contacts that have been reduced.
    #[inline(always)]
    fn product(&self, contacts: &Contacts, k: usize, other: usize) -> [Vector; 3] {
        let (chain, nv) = (self.chain(contacts, k), self.velocity.len());
        let (own, theirs) = (&contacts.reduced[k * nv..], &contacts.reduced[other * nv..]);
        let mut block = [Vector::ZERO; 3];
        let mut add = |a: &Vector, b: Vector| {
            let [x, y, z] = a.to_array();
            block = [block[0].plus(x, b), block[1].plus(y, b), block[2].plus(z, b)];
        };
        match (self.is_dense(contacts, k), self.is_dense(contacts, other)) {
            (false, false) => {
                // Chains coincide up to where they part.
                let pairs = chain.iter().zip(self.chain(contacts, other));
                let common = if k == other { chain.len() } else { pairs.take_while(|(a, b)| a == b).count() };
                own[..common].iter().zip(theirs).for_each(|(a, &b)| add(a, b));
            }
            (true, true) => own[..nv].iter().zip(theirs).for_each(|(a, &b)| add(a, b)),
            (true, false) => self.chain(contacts, other).iter().zip(theirs).for_each(|(&v, &b)| add(&own[v], b)),
            (false, true) => chain.iter().zip(own).for_each(|(&v, a)| add(a, theirs[v])),
        }
        block
    }

    /// Whether the rows of the k-th selected item are stored for all velocities.
    #[inline(always)]
    fn is_dense(&self, contacts: &Contacts, k: usize) -> bool {
        self.has_loops() || contacts.selected[k] >= contacts.first_meeting()
    }

    /// The velocities that move the k-th selected contact, and those that M couples to them.
    #[inline(always)]
    fn chain(&self, contacts: &Contacts, k: usize) -> &[usize] {
        let sparsity = &self.model.sparsity;
        if self.has_loops() {
            return &self.everything;
        }
        match contacts.item(k) {
            Item::Contact(contact) if contact.node == NO_NODE => &[],
            Item::Contact(contact) => sparsity.chain(sparsity.last_of(contact.node)),
            Item::Limit(limit) => sparsity.chain(limit.velocity),
            Item::Friction(friction) => sparsity.chain(friction.velocity),
            Item::Meeting(_) => &self.everything,
        }
    }

    /// The accelerations A M⁻¹ f + (dA/dt) v of all rows under a force f; with loops those that keep them closed.
    /// `force` is overwritten by an intermediate result from which [`Dynamics::contact_acceleration`] continues. Uses
    /// the terms of the last [`Dynamics::contact_terms`], which must have been computed in the present state.
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
        let nv = self.velocity.len();
        check("force", force, nv)?;
        check_length("free", free.len(), contacts.drift.len())?;
        self.factorize()?;
        self.hold_loops()?;
        self.reduce_row(force);
        self.hold(force);
        for k in 0..contacts.selected.len() {
            let mut along = Vector::ZERO;
            for (&v, &own) in self.chain(contacts, k).iter().zip(&contacts.reduced[k * nv..]) {
                along = along.plus(force[v], own);
            }
            for (row, along) in contacts.rows(k).zip(along.to_array()) {
                free[row] = contacts.held_drift[row] + along;
            }
        }
        self.drift_loops(force);
        Ok(())
    }

    /// M⁻¹ (f + Aᵀ λ), in place of the intermediate result that [`Dynamics::contact_free_acceleration`] left for the
    /// force f.
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
        let nv = self.velocity.len();
        check("contact_forces", contact_forces, contacts.drift.len())?;
        check_length("force", force.len(), nv)?;
        self.factorize()?;
        for k in 0..contacts.selected.len() {
            let mut lanes = [0.0; 3];
            for (lane, row) in lanes.iter_mut().zip(contacts.rows(k)) {
                *lane = contact_forces[row];
            }
            let contact_force = Vector::from(lanes);
            for (&v, own) in self.chain(contacts, k).iter().zip(&contacts.reduced[k * nv..]) {
                force[v] += own.dot(contact_force);
            }
        }
        for (x, root) in force.iter_mut().zip(&self.inverse_roots) {
            *x *= root;
        }
        self.back_solve(force);
        Ok(())
    }

    /// A v of all rows for any velocity v of the robot in its present configuration, and for each row the size of the
    /// terms in its sum: [`Dynamics::contact_velocity_of`] for each selected contact. Neither A nor the terms stored in
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
        for k in 0..contacts.selected.len() {
            let rows = contacts.rows(k);
            let motion = match contacts.item(k) {
                Item::Contact(contact) => self.contact_velocity_of(contact, velocity)?,
                Item::Limit(limit) => {
                    let rate = limit.rate(velocity);
                    (moving[rows.start], sizes[rows.start]) = (rate, rate.abs());
                    continue;
                }
                Item::Friction(friction) => {
                    let rate = friction.rate(velocity);
                    moving[rows.clone()].copy_from_slice(&[0.0, rate]);
                    sizes[rows].copy_from_slice(&[0.0, rate.abs()]);
                    continue;
                }
                Item::Meeting(meeting) => self.meeting_velocity_of(meeting, velocity),
            };
            moving[rows.clone()].copy_from_slice(&motion.velocity[..rows.len()]);
            sizes[rows].fill(motion.size);
        }
        Ok(())
    }

    /// M⁻¹ Aᵀ i, the velocity change due to impulses along all rows; with loops that of the constrained mechanism:
    /// `change` is overwritten. Uses A of the last [`Dynamics::contact_kinematics`] or [`Dynamics::contact_terms`],
    /// which must have been computed in the present state.
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
        self.respond_held(change)
    }
}
