//! Parts of a setup that do not act on each other: each is a setup of its own.

use carom_multibody::{Model, ModelJoint, joint_frictions, joint_limits};

use crate::error::Result;
use crate::setup::pair::parts as contacts_of;
use crate::setup::{Actuator, CoordinateRange, Settings, Setup, WatchedContact};

/// A setup of some trees of a robot, and the indices of its entries in the whole setup.
#[derive(Debug, Clone)]
pub(crate) struct SetupPart {
    pub(crate) setup: Setup,
    pub(crate) coordinates: Vec<usize>,
    pub(crate) velocities: Vec<usize>,
    /// The index in the whole of each contact: those with surfaces, then the joint limits, the dry frictions and the pairs.
    pub(crate) contacts: Vec<usize>,
}

impl Setup {
    /// The parts of a valid setup that do not act on each other; none if it has fewer than two. Trees act on each other if
    /// their joints follow each other, if a body of one can touch a body of another, if a contact of one depends on a
    /// coordinate of another, or if an actuator moves one by the position of another. A surface does not move, so it connects
    /// nothing. A force law may use everything, so it connects all; so do closed loops, whose events are numbered in the whole.
    ///
    /// # Errors
    /// A pair of bodies that cannot be watched.
    pub(crate) fn parts(&self) -> Result<Vec<SetupPart>> {
        // A new field of a setup, or a new kind of actuator, must be handled here and in `part`.
        let Setup {
            title: _,
            model,
            configuration: _,
            velocity: _,
            surfaces: _,
            contacts,
            pairs,
            limits: _,
            joint_friction: _,
            actuators,
            law: _,
            guard: _,
            settings: _,
            notes: _,
        } = self;
        if !model.loops().is_empty() {
            return Ok(Vec::new());
        }
        let mut groups = model.groups();
        for contact in contacts {
            let WatchedContact { name: _, point, surface: _, coefficients: _, enabled } = contact;
            if let (Some(own), Some(range)) = (groups[point.link().index()], enabled) {
                let other = owner(model, &groups, range.coordinate, |joint| joint.coordinates.clone());
                connect(&mut groups, own, other.unwrap_or(own));
            }
        }
        for pair in pairs {
            if let [Some(one), Some(other)] = pair.bodies.sides.each_ref().map(|side| groups[side.link.index()]) {
                connect(&mut groups, one, other);
            }
        }
        for actuator in actuators {
            match actuator {
                Actuator::Force { .. } => {}
                Actuator::Posture { coordinate, freedom, .. } => {
                    let seen = owner(model, &groups, *coordinate, |joint| joint.coordinates.clone());
                    let moved = owner(model, &groups, *freedom, |joint| joint.velocities.clone());
                    if let (Some(seen), Some(moved)) = (seen, moved) {
                        connect(&mut groups, seen, moved);
                    }
                }
                Actuator::Law(_) => return Ok(Vec::new()),
            }
        }
        let mut labels: Vec<usize> = groups.iter().flatten().copied().collect();
        labels.sort_unstable();
        labels.dedup();
        if labels.len() < 2 {
            return Ok(Vec::new());
        }
        labels.iter().map(|&label| self.part(&groups, label, label == labels[0])).collect()
    }

    /// One part; the first one also gets the contacts of links that cannot move.
    fn part(&self, groups: &[Option<usize>], label: usize, is_first: bool) -> Result<SetupPart> {
        let part = self.model.part(groups, label);
        let is_in = |link: usize| groups[link].map_or(is_first, |group| group == label);
        let place = |all: &[usize], index: usize| all.binary_search(&index).ok();
        let coordinate = |index: usize| place(&part.coordinates, index);
        let mut contacts = Vec::new();
        let mut watched = Vec::new();
        for (k, contact) in self.contacts.iter().enumerate().filter(|(_, one)| is_in(one.point.link().index())) {
            let enabled = contact
                .enabled
                .and_then(|range| Some(CoordinateRange { coordinate: coordinate(range.coordinate)?, ..range }));
            contacts.push(k);
            watched.push(WatchedContact { point: contact.point.in_part(&part.model), enabled, ..contact.clone() });
        }
        let mut first = self.contacts.len();
        let own = |joint: usize| is_in(self.model.joints()[joint].link.index());
        if self.limits.is_some() {
            let limits = joint_limits(&self.model);
            contacts.extend(limits.iter().enumerate().filter(|(_, limit)| own(limit.joint)).map(|(k, _)| first + k));
            first += limits.len();
        }
        if self.joint_friction {
            let frictions = joint_frictions(&self.model);
            contacts.extend(frictions.iter().enumerate().filter(|(_, one)| own(one.joint)).map(|(k, _)| first + k));
            first += frictions.len();
        }
        let mut pairs = Vec::new();
        for pair in &self.pairs {
            let count = contacts_of(pair)?.len();
            let moving = pair.bodies.sides.iter().find_map(|side| groups[side.link.index()]);
            if moving.map_or(is_first, |group| group == label) {
                contacts.extend(first..first + count);
                pairs.push(pair.clone());
            }
            first += count;
        }
        let actuators = self.actuators.iter().filter_map(|actuator| match actuator {
            Actuator::Force { freedom, force, rate } => {
                let freedom = place(&part.velocities, *freedom)?;
                Some(Actuator::Force { freedom, force: *force, rate: *rate })
            }
            Actuator::Posture { coordinate: seen, freedom, target, stiffness, damping } => Some(Actuator::Posture {
                coordinate: coordinate(*seen)?,
                freedom: place(&part.velocities, *freedom)?,
                target: *target,
                stiffness: *stiffness,
                damping: *damping,
            }),
            Actuator::Law(_) => None,
        });
        let setup = Setup {
            title: None,
            configuration: part.coordinates.iter().map(|&i| self.configuration[i]).collect(),
            velocity: part.velocities.iter().map(|&i| self.velocity[i]).collect(),
            surfaces: self.surfaces.clone(),
            contacts: watched,
            pairs,
            limits: self.limits,
            joint_friction: self.joint_friction,
            actuators: actuators.collect(),
            law: self.law,
            guard: self.guard,
            // The whole takes samples, counts events and watches the clock.
            settings: Settings { interval: None, max_events: u64::MAX, max_time: None, ..self.settings },
            notes: Vec::new(),
            model: part.model.into(),
        };
        Ok(SetupPart { setup, coordinates: part.coordinates, velocities: part.velocities, contacts })
    }
}

/// The group of a coordinate or velocity.
fn owner(
    model: &Model,
    groups: &[Option<usize>],
    index: usize,
    range: impl Fn(&ModelJoint) -> std::ops::Range<usize>,
) -> Option<usize> {
    let joint = model.joints().iter().find(|joint| range(joint).contains(&index))?;
    groups[joint.link.index()]
}

/// Joins two groups.
fn connect(groups: &mut [Option<usize>], one: usize, other: usize) {
    let (low, high) = (one.min(other), one.max(other));
    for group in groups.iter_mut().filter(|group| **group == Some(high)) {
        *group = Some(low);
    }
}
