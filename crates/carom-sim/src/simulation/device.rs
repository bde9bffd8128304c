//! What the numerical devices may do to the energy. A device stands in where physics cannot be followed: it ends bounces,
//! brings the state back onto its contacts, steps over a crowd of events, or drops restitution. Each has a column of the
//! energy book, and none may add energy.

use crate::error::{Result, SimulationError};
use crate::record::book::{Device, Gain};
use crate::record::event::{DeviceEvent, Event};
use crate::simulation::Simulation;

/// A projection that changes the energy by more than this part of the largest is told, or by more than the tolerance of
/// the integration: below that it corrects what a step may err by.
const TOLD: f64 = 1e-9;

/// What a contact took from a device.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Share {
    pub(crate) impulse: [f64; 3],
    pub(crate) energy: f64,
}

impl Simulation {
    /// Books what a device did to the energy.
    ///
    /// # Errors
    /// It added some.
    pub(crate) fn book_device(&mut self, device: Device, joules: f64) -> Result<()> {
        let tolerance = self.system.setup.settings.tolerance;
        self.book.add(device, joules, tolerance).map_err(|Gain { joules, bound }| SimulationError::DeviceGain {
            time: self.time,
            device: device.name(),
            joules,
            bound,
        })
    }

    /// Books a projection, and tells of it if it did more than a step of the integration may err by.
    pub(crate) fn book_projection(&mut self, joules: f64, shares: &[(usize, Share)]) -> Result<()> {
        let told = TOLD.max(self.system.setup.settings.tolerance) * self.book.scale();
        if joules.abs() > told {
            self.journal.counts.projections += 1;
            self.push_device_events(Event::Projection, self.time, shares, joules);
        }
        self.book_device(Device::Projection, joules)
    }

    /// An event for each contact that took an impulse, and one without a contact for what is left of the energy.
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

    /// Whether a device left a contact inside its surface, in the state that the gaps were measured in.
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
