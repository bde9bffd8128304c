//! Impacts without collision: sliding that no finite forces allow.

use carom_law::{Coefficients, ContactSet, Delassus, Dimension, ErrorKind, Friction, Jam, Mode, jam, jam_within};

use crate::error::{Result, SimulationError};
use crate::record::event::{Event, ImpactEvent};
use crate::simulation::Simulation;
use crate::simulation::instant::is_numerical;
use crate::simulation::motion::contact::three;
use crate::simulation::motion::margin::JAM_APPROACH;
use crate::simulation::motion::system::view;

/// The largest D / W_nn with which a contact may be about to jam: events are found at [`JAM_APPROACH`] to their accuracy.
const MOST_WEDGE: f64 = 1.01 * JAM_APPROACH;
/// Time, relative to the time scale, after which forces are evaluated again to determine whether they grow: near a jam
/// they change within D / W_nn of the time scale, and they have ten digits.
const GLIMPSE: f64 = 1e-9;
/// For several contacts that may jam together, impulses are computed with the velocity after a time in which it changes
/// by this fraction of the largest one.
const MOMENT: f64 = 1e-9;
/// Impulses that change velocities by this multiple of the change due to forces in that time are a jam.
const JAM: f64 = 1e4;

impl Simulation {
    /// Whether a contact is about to jam: D falls while the force on it grows, at the present state and a moment later.
    pub(crate) fn approaches_jam(&mut self, k: usize) -> Result<bool> {
        self.system.evaluate(self.time, &self.state)?;
        let now = (self.system.wedge_of(k), self.system.force(k)[0]);
        let later = GLIMPSE * self.system.scales.time;
        self.ahead_by(later)?;
        self.system.evaluate(self.time + later, &self.stepping.ahead)?;
        let then = (self.system.wedge_of(k), self.system.force(k)[0]);
        Ok(then.0 < now.0 && then.1 > now.1 && now.1 > 0.0)
    }

    /// An impact without collision: friction that no force can balance.
    pub(crate) fn jam(&mut self, k: usize) -> Result<()> {
        let time = self.time;
        let fail = |source| SimulationError::Law { time, what: "an impact without collision", source };
        let (delassus, friction) = self.slider(k)?;
        let outcome = jam(delassus, &self.system.rows.velocity()[1..], friction).map_err(fail)?;
        self.take_jam(k, Event::Jam, &outcome)
    }

    /// Applies the impact without collision of a contact that is about to jam, if it stops the sliding, and returns whether
    /// it does: in space the growing friction turns the sliding, which may lead away from the jam.
    pub(crate) fn jam_ahead(&mut self, k: usize) -> Result<bool> {
        let (delassus, friction) = self.slider(k)?;
        match jam_within(delassus, &self.system.rows.velocity()[1..], friction, MOST_WEDGE) {
            Ok(outcome) if outcome.mode == Mode::Stick => {
                self.take_jam(k, Event::JamApproached, &outcome)?;
                Ok(true)
            }
            Ok(_) => Ok(false),
            Err(source) if source.kind() == ErrorKind::OutOfRange => Ok(false),
            Err(source) => Err(SimulationError::Law { time: self.time, what: "a jam that is near", source }),
        }
    }

    /// W and friction of a contact. Selects its rows.
    fn slider(&mut self, k: usize) -> Result<(Delassus, Friction)> {
        let time = self.time;
        let fail = |source| SimulationError::Law { time, what: "an impact without collision", source };
        self.system.terms(time, &[k])?;
        let w = self.system.rows.delassus();
        let rows: Vec<&[f64]> = (0..w.rows()).map(|i| w.row(i)).collect();
        let delassus = Delassus::from_rows(&rows).map_err(fail)?;
        let friction = self.system.watch.contact(k).coefficients.friction;
        Ok((delassus, friction.map_or_else(|| Friction::new(0.0), Ok).map_err(fail)?))
    }

    /// Applies and reports the impulse of a jam.
    fn take_jam(&mut self, k: usize, event: fn(ImpactEvent) -> Event, outcome: &Jam) -> Result<()> {
        self.kick_by_jam(outcome)?;
        self.journal.events.push_back(event(ImpactEvent {
            time: self.time,
            contact: k,
            impact: outcome.mode,
            mode: None,
            impulse: three(&outcome.impulse),
            energy_change: outcome.energy_change,
        }));
        self.book.columns.impacts += outcome.energy_change;
        self.journal.counts.impacts += 1;
        Ok(())
    }

    /// An impact without collision of several contacts, none of which jams alone: where no finite forces exist, impulses
    /// exist for any approaching velocity, however slow. They are computed for the velocity a moment later. Returns whether
    /// they do more than forces would.
    pub(crate) fn jam_together(&mut self, slow: &[usize], free: &[f64]) -> Result<bool> {
        let time = self.time;
        let fail = |source| SimulationError::Law { time, what: "an impact without collision", source };
        let now = self.system.rows.velocity().to_vec();
        let largest = |of: &[f64]| of.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let tiny = slow.iter().fold(0.0_f64, |tiny, &k| tiny.max(self.system.scales.of(k).tiny));
        if !(largest(&now) > tiny && largest(free) > 0.0) {
            return Ok(false);
        }
        let moment = MOMENT * largest(&now) / largest(free);
        let later: Vec<f64> = now.iter().zip(free).map(|(v, a)| v + moment * a).collect();
        let dimensions: Vec<Dimension> = slow.iter().map(|&k| self.system.watch.contact(k).dimension).collect();
        let coefficients: Vec<Coefficients> = slow.iter().map(|&k| self.plastic_coefficients(k)).collect();
        let set = ContactSet::new(&dimensions, view(&self.system.rows), &later);
        let outcome = set.and_then(|set| Ok((self.impact_by_device(&set, &coefficients)?, set)));
        let (mut outcome, set) = match outcome {
            Ok(answered) => answered,
            Err(source) if is_numerical(&source) => return Ok(false),
            Err(source) => return Err(fail(source)),
        };
        let change = outcome.contacts.iter().flat_map(|contact| {
            let (before, after) = (contact.contact_velocity.before, contact.contact_velocity.after);
            before.iter().zip(after.iter()).map(|(b, a)| (a - b).abs()).collect::<Vec<_>>()
        });
        if change.fold(0.0, f64::max) <= JAM * moment * largest(free) {
            return Ok(false);
        }
        self.kick(&set, &mut outcome, fail)?;
        for ((k, rows), contact) in self.system.watch.rows_of(slow).zip(&outcome.contacts) {
            // The work at the present velocity.
            let too_much: f64 = contact.impulse.iter().zip(&free[rows]).map(|(i, a)| i * moment * a).sum();
            let energy_change = contact.energy.change - too_much;
            self.book.columns.impacts += energy_change;
            if self.system.watch.friction(k).is_none() && contact.impulse.iter().any(|i| *i != 0.0) {
                self.journal.events.push_back(Event::Jam(ImpactEvent {
                    time,
                    contact: k,
                    impact: contact.mode,
                    mode: None,
                    impulse: three(&contact.impulse),
                    energy_change,
                }));
            }
        }
        self.journal.counts.impacts += 1;
        Ok(true)
    }
}
