//! Impacts of all contacts that touch at an instant, and whether restitution may be dropped.

use std::ops::Range;

use carom_law::{Coefficients, ContactSet, Dimension, Error as LawError, Guard, Law, Restitution, SimultaneousOutcome};

use crate::error::{Result, SimulationError};
use crate::record::book::Device;
use crate::record::event::{Event, ImpactEvent};
use crate::simulation::Simulation;
use crate::simulation::motion::contact::three;
use crate::simulation::motion::system::view;

/// Where impulses can change only a part of the velocity, that part counts as rounding below this fraction of the rest: the
/// rounding unit relative to the smallest pivot of W that counts.
const REACHED: f64 = 1e-5;

impl Simulation {
    /// Resolves an impact of all contacts that touch. Nothing changes if no impulse can change the velocity with which they
    /// strike.
    pub(crate) fn strike(&mut self, near: &[usize]) -> Result<()> {
        let time = self.time;
        let fail = |source| SimulationError::Law { time, what: "an impact", source };
        self.system.terms(time, near)?;
        let dimensions: Vec<Dimension> = near.iter().map(|&k| self.system.watch.contact(k).dimension).collect();
        let striking: Vec<usize> =
            near.iter().copied().filter(|&k| self.system.contacts[k].rate < -self.system.scales.of(k).tiny).collect();
        let drops = time < self.fallback.plastic_until && self.may_rattle(&striking);
        for &k in &striking {
            self.begin_or_follow_episode(k);
        }
        let is_plastic = |k: &usize| drops && striking.contains(k);
        let coefficients = |k: &usize| {
            if is_plastic(k) { self.plastic_coefficients(*k) } else { self.system.watch.contact(*k).coefficients }
        };
        let coefficients: Vec<Coefficients> = near.iter().map(coefficients).collect();
        let Some((set, unreached)) = self.contact_set(near, &dimensions, 0.0, fail)? else { return Ok(()) };
        let mut outcome = self.impact_by_law(&set, near, &coefficients, fail)?;
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

    /// The outcome for touching contacts by the law of the run. If a law other than `aghili` and `chord` has none, the
    /// run ends: no other law replaces it.
    fn impact_by_law(
        &self,
        set: &ContactSet,
        near: &[usize],
        coefficients: &[Coefficients],
        fail: impl Fn(LawError) -> SimulationError,
    ) -> Result<SimultaneousOutcome> {
        let (law, time) = (self.system.setup.law, self.time);
        let guard = if law == Law::Aghili { self.system.setup.guard } else { Guard::Report };
        let name = |k: usize| self.system.watch.contact(k).name.clone();
        set.impact_by(law, coefficients, guard).map_err(|source| match source {
            LawError::Simultaneous { field, value, contacts, instead } => {
                let contacts = contacts.into_iter().map(|place| name(near[place])).collect();
                // The user knows contacts by name, not by their index among the touching ones.
                let field = field.split_once("].").map_or(&*field, |(_, own)| own).to_owned();
                SimulationError::Simultaneous { time, field, value, contacts, instead }
            }
            source if law.answers_several() => fail(source),
            source => {
                let contacts = near.iter().map(|&k| name(k)).collect();
                SimulationError::NoAnswer { time, law: law.name(), contacts, source: Box::new(source) }
            }
        })
    }

    /// The outcome for the impulses of a device: by `aghili` with a guard, whatever the law of the run, since that
    /// handles several contacts and creates no energy.
    pub(crate) fn impact_by_device(
        &self,
        set: &ContactSet,
        coefficients: &[Coefficients],
    ) -> carom_law::Result<SimultaneousOutcome> {
        let guard = if self.system.setup.law == Law::Aghili { self.system.setup.guard } else { Guard::Slip };
        let plain = |given: &Coefficients| Coefficients { restitution: given.restitution.without_kind(), ..*given };
        let coefficients: Vec<Coefficients> = coefficients.iter().map(plain).collect();
        set.impact(&coefficients, guard)
    }

    /// Whether the restitution of striking contacts may be dropped because they rattle: each of them permits it, and at least
    /// one has restitution.
    pub(crate) fn may_rattle(&self, striking: &[usize]) -> bool {
        let speed = |k: usize| -self.system.contacts[k].rate;
        let has_restitution =
            |&k: &usize| self.system.watch.contact(k).coefficients.restitution.normal_at(speed(k)) > 0.0;
        striking.iter().all(|&k| self.may_drop_restitution(k, speed(k))) && striking.iter().any(has_restitution)
    }

    /// Checks that no device drops the restitution of contacts with e = 1.
    ///
    /// # Errors
    /// One of the contacts has e = 1.
    pub(crate) fn keep_elastic(&self, device: Device, contacts: impl IntoIterator<Item = usize>) -> Result<()> {
        match contacts.into_iter().find(|&k| self.is_elastic(k)) {
            None => Ok(()),
            Some(k) => {
                let contact = self.system.watch.contact(k).name.clone();
                Err(SimulationError::ElasticContact { time: self.time, device: device.name(), contact })
            }
        }
    }

    /// The contact set of the selected rows, and the part of their velocity that it omits: where W is nearly singular,
    /// impulses cannot change all of A v, and the law rejects such a velocity. `None` if impulses cannot change the striking
    /// velocities at all: what remains is rounding, and impulses computed from it would fail their check.
    /// The pads of joints with dry friction approach as they would if pressed for `pressed`.
    pub(crate) fn contact_set(
        &mut self,
        contacts: &[usize],
        dimensions: &[Dimension],
        pressed: f64,
        fail: impl Fn(LawError) -> SimulationError,
    ) -> Result<Option<(ContactSet, Vec<f64>)>> {
        let mut velocity = self.system.rows.velocity().to_vec();
        for (row, _) in self.system.rows.pads() {
            velocity[row] = pressed * self.system.rows.drift()[row];
        }
        match ContactSet::new(dimensions, view(&self.system.rows), &velocity) {
            Ok(set) => Ok(Some((set, vec![0.0; velocity.len()]))),
            Err(LawError::OutsideRange { .. }) => {
                let reached = self.reached_by_impulses(contacts, &velocity)?;
                let unreached: Vec<f64> = velocity.iter().zip(&reached).map(|(v, r)| v - r).collect();
                let rounding = REACHED * unreached.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
                let strikes = |(k, rows): (usize, Range<usize>)| {
                    reached[rows.start] < -rounding.max(self.system.scales.of(k).tiny)
                };
                if !self.system.watch.rows_of(contacts).any(strikes) {
                    return Ok(None);
                }
                let set = ContactSet::new(dimensions, view(&self.system.rows), &reached).map_err(fail)?;
                Ok(Some((set, unreached)))
            }
            Err(error) => Err(fail(error)),
        }
    }

    /// The coefficients of a contact, without restitution.
    pub(crate) fn plastic_coefficients(&self, k: usize) -> Coefficients {
        Coefficients { restitution: Restitution::ZERO, ..self.system.watch.contact(k).coefficients }
    }
}
