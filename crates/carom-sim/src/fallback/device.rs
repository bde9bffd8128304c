//! What the numerical devices may do to the energy. A device stands in where physics cannot be followed: it ends bounces,
//! brings the state back onto its contacts, steps over a crowd of events, or drops restitution. Each has a column of the
//! energy book, and none may add energy.

use crate::error::{Result, SimulationError};
use crate::record::event::{Event, EventKind};
use crate::simulation::Simulation;

/// What a device may add in all, over the largest energy seen before it acted: rounding, and what its own steps err by.
const GAIN: f64 = 1e-8;
/// A projection that changes the energy by more than this part of the largest is told, or by more than the tolerance of
/// the integration: below that it corrects what a step may err by.
const TOLD: f64 = 1e-9;

/// What stands in for physics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Device {
    Settling,
    Projection,
    Windows,
    Rattle,
    Sequences,
}

impl Device {
    pub(crate) const COUNT: usize = 5;

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Settling => "the end of bounces",
            Self::Projection => "a projection",
            Self::Windows => "a window of time stepping",
            Self::Rattle => "the end of a rattle",
            Self::Sequences => "the end of a sequence of impacts",
        }
    }
}

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
    /// It added some. A column counts from its lowest: what a device took before gives it no credit. The projection is
    /// judged by each act: what it corrects, the error of a step, has either sign.
    pub(crate) fn book(&mut self, device: Device, joules: f64) -> Result<()> {
        let column = match device {
            Device::Settling => &mut self.booked.settling,
            Device::Projection => &mut self.booked.projection,
            Device::Windows => &mut self.booked.windows,
            Device::Rattle => &mut self.booked.rattle,
            Device::Sequences => &mut self.booked.sequences,
        };
        *column += joules;
        let lowest = &mut self.lowest[device as usize];
        *lowest = lowest.min(*column);
        let tolerance = self.system.setup.settings.tolerance;
        let (gain, part) = match device {
            Device::Projection => (joules, GAIN.max(tolerance)),
            _ => (*column - *lowest, GAIN),
        };
        let bound = part * self.energy_scale();
        match gain <= bound {
            true => Ok(()),
            false => Err(SimulationError::DeviceGain { time: self.time, device: device.name(), joules: gain, bound }),
        }
    }

    /// Books a projection, and tells of it if it did more than a step of the integration may err by.
    pub(crate) fn book_projection(&mut self, joules: f64, shares: &[(usize, Share)]) -> Result<()> {
        let told = TOLD.max(self.system.setup.settings.tolerance) * self.energy_scale();
        if joules.abs() > told {
            self.counts.projections += 1;
            self.tell(EventKind::Projection, self.time, shares, joules);
        }
        self.book(Device::Projection, joules)
    }

    /// An event for each contact that took an impulse, and one without a contact for what is left of the energy.
    pub(crate) fn tell(&mut self, kind: EventKind, time: f64, shares: &[(usize, Share)], joules: f64) {
        let mut left = joules;
        for &(k, Share { impulse, energy }) in shares {
            if impulse.iter().any(|i| *i != 0.0) {
                left -= energy;
                self.events.push_back(Event { impulse, energy_change: energy, ..Event::new(time, kind, Some(k)) });
            }
        }
        self.events.push_back(Event { energy_change: left, ..Event::new(time, kind, None) });
    }

    /// Whether a device left a contact inside its surface, in the state that the gaps were measured in.
    pub(crate) fn check_depth(&self, device: Device) -> Result<()> {
        for (k, &gap) in self.gaps.iter().enumerate() {
            let bound = self.system.scales.of(k).penetration;
            if gap < -bound && self.armed[k] && self.system.is_enabled(k) {
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
    use crate::Silent;

    fn ball() -> Simulation {
        let mut simulation = Simulation::new(crate::tests::ball()).unwrap();
        simulation.run_until(0.4, &mut Silent).unwrap();
        simulation
    }

    #[test]
    fn a_device_that_adds_energy_fails() {
        for device in [Device::Settling, Device::Projection, Device::Windows, Device::Rattle, Device::Sequences] {
            let mut simulation = ball();
            let scale = simulation.energy_scale();
            simulation.book(device, 0.9e-8 * scale).unwrap();
            let error = simulation.book(device, 1.1e-8 * scale).unwrap_err();
            assert!(matches!(error, SimulationError::DeviceGain { time: 0.4, .. }), "{error}");
            assert!(error.to_string().contains(device.name()), "{error}");
            assert!(simulation.book(device, f64::NAN).is_err());
        }
    }

    #[test]
    fn what_a_device_took_gives_it_no_credit_and_many_small_gains_add_up() {
        let mut simulation = ball();
        let scale = simulation.energy_scale();
        simulation.book(Device::Windows, -scale).unwrap();
        for _ in 0..3 {
            simulation.book(Device::Windows, 0.3e-8 * scale).unwrap();
        }
        assert!(simulation.book(Device::Windows, 0.3e-8 * scale).is_err());
        assert!(simulation.counts.largest_energy <= scale);
    }

    #[test]
    fn a_device_that_lets_a_contact_sink_in_fails() {
        let mut simulation = ball();
        simulation.check_depth(Device::Windows).unwrap();
        simulation.gaps[0] = -2.0 * simulation.system.scales.of(0).penetration;
        let error = simulation.check_depth(Device::Windows).unwrap_err();
        assert!(error.to_string().contains("left contact \"mass\""), "{error}");
    }
}
