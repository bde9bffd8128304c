//! An impact of all contacts that are there, and whether it may go without restitution.

use carom_law::{Coefficients, ContactSet, Dimension, Error as LawError, Restitution};

use crate::error::{Result, SimulationError};
use crate::record::book::Device;
use crate::record::event::{Event, ImpactEvent};
use crate::simulation::Simulation;
use crate::simulation::motion::contact::three;
use crate::simulation::motion::system::view;

impl Simulation {
    /// An impact of all contacts that are there.
    pub(crate) fn strike(&mut self, near: &[usize]) -> Result<()> {
        let time = self.time;
        let fail = |source| SimulationError::Law { time, what: "an impact", source };
        self.system.terms(time, near)?;
        let dimensions: Vec<Dimension> = near.iter().map(|&k| self.system.watch.contact(k).dimension).collect();
        let striking: Vec<usize> =
            near.iter().copied().filter(|&k| self.system.contacts[k].rate < -self.system.scales.of(k).tiny).collect();
        let drops = time < self.fallback.plastic_until && self.may_rattle(&striking);
        for &k in &striking {
            let contact = &mut self.system.contacts[k];
            contact.episode.strike(time, -contact.rate, self.system.scales.time);
        }
        let is_plastic = |k: &usize| drops && striking.contains(k);
        let coefficients = |k: &usize| {
            if is_plastic(k) { self.plastic_coefficients(*k) } else { self.system.watch.contact(*k).coefficients }
        };
        let coefficients: Vec<Coefficients> = near.iter().map(coefficients).collect();
        let (set, unreached) = self.contact_set(near, &dimensions, fail)?;
        let mut outcome = set.impact(&coefficients, self.system.setup.guard).map_err(fail)?;
        let (device, event): (_, fn(ImpactEvent) -> Event) = match (outcome.settled, drops) {
            (true, _) => (Some(Device::Sequences), Event::Sequence),
            (false, true) => (Some(Device::Rattle), Event::Rattle),
            (false, false) => (None, Event::Impact),
        };
        if outcome.settled {
            let took_part = near.iter().zip(&outcome.contacts).filter(|(_, one)| one.impulse.iter().any(|i| *i != 0.0));
            self.keep_elastic(Device::Sequences, took_part.map(|(&k, _)| k))?;
        }
        self.kick(&set, &mut outcome, fail)?;
        let mut impulses = Vec::with_capacity(unreached.len());
        for (&k, contact) in near.iter().zip(&outcome.contacts) {
            impulses.extend_from_slice(&contact.impulse);
            if contact.impulse.iter().any(|i| *i != 0.0) {
                self.journal.events.push_back(event(ImpactEvent {
                    time,
                    contact: k,
                    impact: contact.mode,
                    mode: None,
                    impulse: three(&contact.impulse),
                    energy_change: contact.energy.change,
                }));
            }
        }
        let unreached: f64 = unreached.iter().zip(&impulses).map(|(v, i)| v * i).sum();
        let change = outcome.energy.change + unreached;
        self.journal.counts.impacts += 1;
        self.journal.at_rest = None;
        match device {
            None => self.book.columns.impacts += change,
            Some(device) => {
                match device {
                    Device::Sequences => self.journal.counts.sequences += 1,
                    _ => self.journal.counts.rattles += 1,
                }
                self.book_device(device, change)?;
            }
        }
        Ok(())
    }

    /// Whether contacts that strike may go without restitution because they rattle: all of them may, and some have any.
    pub(crate) fn may_rattle(&self, striking: &[usize]) -> bool {
        let speed = |k: usize| -self.system.contacts[k].rate;
        let has_restitution =
            |&k: &usize| self.system.watch.contact(k).coefficients.restitution.normal_at(speed(k)) > 0.0;
        striking.iter().all(|&k| self.may_drop_restitution(k, speed(k))) && striking.iter().any(has_restitution)
    }

    /// Contacts with e = 1 keep it.
    ///
    /// # Errors
    /// A device has taken it away.
    pub(crate) fn keep_elastic(&self, device: Device, contacts: impl IntoIterator<Item = usize>) -> Result<()> {
        match contacts.into_iter().find(|&k| self.is_elastic(k)) {
            None => Ok(()),
            Some(k) => {
                let contact = self.system.watch.contact(k).name.clone();
                Err(SimulationError::ElasticContact { time: self.time, device: device.name(), contact })
            }
        }
    }

    /// An impact of contacts whose terms are selected, and the part of their velocity that it leaves out: where W is
    /// nearly singular no impulse reaches all of A v, and the law refuses such a velocity.
    pub(crate) fn contact_set(
        &mut self,
        contacts: &[usize],
        dimensions: &[Dimension],
        fail: impl Fn(LawError) -> SimulationError,
    ) -> Result<(ContactSet, Vec<f64>)> {
        let velocity = self.system.rows.velocity().to_vec();
        match ContactSet::new(dimensions, view(&self.system.rows), &velocity) {
            Ok(set) => Ok((set, vec![0.0; velocity.len()])),
            Err(LawError::OutsideRange { .. }) => {
                let reached = self.reached_by_impulses(contacts, &velocity)?;
                let set = ContactSet::new(dimensions, view(&self.system.rows), &reached).map_err(fail)?;
                Ok((set, velocity.iter().zip(&reached).map(|(v, r)| v - r).collect()))
            }
            Err(error) => Err(fail(error)),
        }
    }

    /// The coefficients of a contact, without restitution.
    pub(crate) fn plastic_coefficients(&self, k: usize) -> Coefficients {
        Coefficients { restitution: Restitution::ZERO, ..self.system.watch.contact(k).coefficients }
    }
}
