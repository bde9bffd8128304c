//! Bounds on the energy changes of numerical devices. A device is an approximation used where the exact motion cannot
//! be followed: it ends bounces, projects the state onto its contacts, steps over clustered events, or drops
//! restitution. Each has a column of the energy book, and none may add energy.

use crate::error::{Result, SimulationError};
use crate::record::book::{Device, Gain};
use crate::record::event::{DeviceEvent, Event};
use crate::simulation::Simulation;

/// Energy change of a projection, relative to the largest energy, above which it is reported as an event. The tolerance
/// of the integration is used if it is larger: below that, a projection corrects the error allowed for a step.
const TOLD: f64 = 1e-9;

/// The effect of a device on one contact.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Share {
    pub(crate) impulse: [f64; 3],
    pub(crate) energy: f64,
}

impl Simulation {
    /// Books the energy change of a device.
    ///
    /// # Errors
    /// The device added energy.
    pub(crate) fn book_device(&mut self, device: Device, joules: f64) -> Result<()> {
        let tolerance = self.system.setup.settings.tolerance;
        self.book.add(device, joules, tolerance).map_err(|Gain { joules, bound }| SimulationError::DeviceGain {
            time: self.time,
            device: device.name(),
            joules,
            bound,
        })
    }

    /// The energy change of a projection above which it is reported.
    pub(crate) fn told_energy(&self) -> f64 {
        TOLD.max(self.system.setup.settings.tolerance) * self.book.scale()
    }

    /// Books a projection, and reports it if its energy change exceeds the error allowed for a step.
    pub(crate) fn book_projection(&mut self, joules: f64, shares: &[(usize, Share)]) -> Result<()> {
        if joules.abs() > self.told_energy() {
            self.journal.counts.projections += 1;
            self.push_device_events(Event::Projection, self.time, shares, joules);
        }
        self.book_device(Device::Projection, joules)
    }

    /// One event for each contact that took an impulse, and one without a contact for the rest of the energy change.
    pub(crate) fn push_device_events(
        &mut self,
        event: fn(DeviceEvent) -> Event,
        time: f64,
        shares: &[(usize, Share)],
        joules: f64,
    ) {
        let mut left = joules;
        for &(k, Share { impulse, energy }) in shares {
            if impulse.iter().any(|i| *i != 0.0) {
                left -= energy;
                let share = DeviceEvent { time, contact: Some(k), mode: None, impulse, energy_change: energy };
                self.journal.events.push_back(event(share));
            }
        }
        let rest = DeviceEvent { time, contact: None, mode: None, impulse: [0.0; 3], energy_change: left };
        self.journal.events.push_back(event(rest));
    }

    /// Checks that a device left no contact inside its surface, by the gaps last measured.
    pub(crate) fn check_depth(&self, device: Device) -> Result<()> {
        for (k, gap) in self.system.contacts.iter().map(|contact| contact.gap).enumerate() {
            let bound = self.system.scales.of(k).penetration;
            if gap < -bound && self.system.contacts[k].is_armed && self.system.is_enabled(k) {
                let contact = self.system.watch.contact(k).name.clone();
                let (time, device) = (self.time, device.name());
                return Err(SimulationError::DevicePenetration { time, device, contact, depth: -gap, bound });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Discard;

    fn ball() -> Simulation {
        let mut simulation = Simulation::new(crate::simulation::tests::ball()).unwrap();
        simulation.run_until(0.4, &mut Discard).unwrap();
        simulation
    }

    #[test]
    fn a_device_that_adds_energy_fails() {
        for device in [Device::Settling, Device::Projection, Device::Windows, Device::Rattle, Device::Sequences] {
            let mut simulation = ball();
            let scale = simulation.book.scale();
            simulation.book_device(device, 0.9e-8 * scale).unwrap();
            let error = simulation.book_device(device, 1.1e-8 * scale).unwrap_err();
            assert!(matches!(error, SimulationError::DeviceGain { time: 0.4, .. }), "{error}");
            assert!(error.to_string().contains(device.name()), "{error}");
            assert!(simulation.book_device(device, f64::NAN).is_err());
        }
    }

    #[test]
    fn what_a_device_took_gives_it_no_credit_and_many_small_gains_add_up() {
        let mut simulation = ball();
        let scale = simulation.book.scale();
        simulation.book_device(Device::Windows, -scale).unwrap();
        for _ in 0..3 {
            simulation.book_device(Device::Windows, 0.3e-8 * scale).unwrap();
        }
        assert!(simulation.book_device(Device::Windows, 0.3e-8 * scale).is_err());
        assert!(simulation.book.largest_energy <= scale);
    }

    #[test]
    fn a_device_that_lets_a_contact_sink_in_fails() {
        let mut simulation = ball();
        simulation.check_depth(Device::Windows).unwrap();
        simulation.system.contacts[0].gap = -2.0 * simulation.system.scales.of(0).penetration;
        let error = simulation.check_depth(Device::Windows).unwrap_err();
        assert!(error.to_string().contains("left contact \"mass\""), "{error}");
    }
}
