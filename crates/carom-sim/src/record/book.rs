//! The energy book of a simulation: its columns since the start, what devices may add to them, and the scales they are judged by.

use crate::record::energy::Ledger;

/// What a device may add in all, over the largest energy seen before it acted: rounding, and what its own steps err by.
const GAIN: f64 = 1e-8;

/// What stands in for physics where it cannot be followed. Each has a column of its own, and none may add energy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Device {
    Settling,
    Projection,
    Windows,
    Rattle,
    Sequences,
}

impl Device {
    const COUNT: usize = 5;

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

/// A device added energy: how much, and how much it might have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Gain {
    pub(crate) joules: f64,
    pub(crate) bound: f64,
}

/// Where the energy went since the start, but for the works that are integrated with the state.
///
/// Invariants: a device's column is written by [`EnergyBook::add`] alone, and is nowhere below its `lowest`. The largest energy and the
/// largest residual never fall.
#[derive(Debug, Clone, Default)]
pub(crate) struct EnergyBook {
    pub(crate) columns: Ledger,
    /// The lowest that each device's column was.
    pub(crate) lowest: [f64; Device::COUNT],
    pub(crate) start_energy: f64,
    pub(crate) start_potential: f64,
    /// Energies below this are rounding, where nothing moves.
    floor: f64,
    /// The largest |K| + |V - V(0)| seen.
    pub(crate) largest_energy: f64,
    pub(crate) largest_residual: f64,
    pub(crate) last_residual: f64,
}

impl EnergyBook {
    pub(crate) fn new(start_energy: f64, start_potential: f64, floor: f64) -> Self {
        Self { start_energy, start_potential, floor, ..Self::default() }
    }

    /// What energies are compared with.
    pub(crate) fn scale(&self) -> f64 {
        self.largest_energy.max(self.floor)
    }

    /// Books what a device did to the energy.
    ///
    /// # Errors
    /// It added some. A column counts from its lowest: what a device took before gives it no credit. The projection is
    /// judged by each act, and by the tolerance of the integration where that is larger: what it corrects, the error of a
    /// step, has either sign.
    pub(crate) fn add(&mut self, device: Device, joules: f64, tolerance: f64) -> Result<(), Gain> {
        let column = match device {
            Device::Settling => &mut self.columns.settling,
            Device::Projection => &mut self.columns.projection,
            Device::Windows => &mut self.columns.windows,
            Device::Rattle => &mut self.columns.rattle,
            Device::Sequences => &mut self.columns.sequences,
        };
        *column += joules;
        let lowest = &mut self.lowest[device as usize];
        *lowest = lowest.min(*column);
        let (gain, part) = match device {
            Device::Projection => (joules, GAIN.max(tolerance)),
            _ => (*column - *lowest, GAIN),
        };
        let bound = part * self.scale();
        match gain <= bound {
            true => Ok(()),
            false => Err(Gain { joules: gain, bound }),
        }
    }

    /// Takes note of a state's energies.
    pub(crate) fn note_energies(&mut self, ledger: &Ledger) {
        let energy = ledger.kinetic.abs() + (ledger.potential - self.start_potential).abs();
        self.largest_energy = self.largest_energy.max(energy);
        self.largest_residual = self.largest_residual.max(ledger.residual.abs());
        self.last_residual = ledger.residual;
    }

    /// The ledger of a state: its energies, and the works of friction, damping and motors up to it.
    pub(crate) fn ledger(&self, kinetic: f64, potential: f64, [friction, damping, torques]: [f64; 3]) -> Ledger {
        let mut ledger = Ledger { kinetic, potential, friction, damping, torques, ..self.columns };
        ledger.residual = ledger.total() - self.start_energy - ledger.booked();
        ledger
    }
}
