//! The energy book of a simulation: its columns since the start, the bounds on the energy that devices may add, and the
//! energy scale.

use crate::record::energy::Ledger;

/// Total energy that a device may add, relative to the largest energy seen before: rounding and the error of its steps.
const GAIN: f64 = 1e-8;

/// A numerical device: an approximation used where the exact motion cannot be followed. Each has its own column, and
/// none may add energy.
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

/// A device added energy: the amount and the bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Gain {
    pub(crate) joules: f64,
    pub(crate) bound: f64,
}

/// The changes of energy since the start, except for the works that are integrated with the state.
///
/// Invariants: only [`EnergyBook::add`] writes a device's column, which is never below its `lowest`. The largest energy
/// and the largest residual never decrease.
#[derive(Debug, Clone, Default)]
pub(crate) struct EnergyBook {
    pub(crate) columns: Ledger,
    /// The smallest value of each device's column so far.
    pub(crate) lowest: [f64; Device::COUNT],
    pub(crate) start_energy: f64,
    pub(crate) start_potential: f64,
    /// Lower bound of the energy scale, for a robot at rest.
    floor: f64,
    /// The largest |K| + |V - V(0)| so far.
    pub(crate) largest_energy: f64,
    pub(crate) largest_residual: f64,
    pub(crate) last_residual: f64,
}

impl EnergyBook {
    pub(crate) fn new(start_energy: f64, start_potential: f64, floor: f64) -> Self {
        Self { start_energy, start_potential, floor, ..Self::default() }
    }

    /// The scale that energies are compared with.
    pub(crate) fn scale(&self) -> f64 {
        self.largest_energy.max(self.floor)
    }

    /// Books the energy change of a device.
    ///
    /// # Errors
    /// The device added energy. A column is measured from its lowest value, so that energy removed earlier gives no
    /// credit. Projections are checked one by one, against the tolerance of the integration if that is larger, because
    /// the step errors that they correct have either sign.
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

    /// Updates the largest energy and the largest residual.
    pub(crate) fn note_energies(&mut self, ledger: &Ledger) {
        let energy = ledger.kinetic.abs() + (ledger.potential - self.start_potential).abs();
        self.largest_energy = self.largest_energy.max(energy);
        self.largest_residual = self.largest_residual.max(ledger.residual.abs());
        self.last_residual = ledger.residual;
    }

    /// The ledger of a state, from its energies and the works so far: of friction, damping, motors and dry friction.
    pub(crate) fn ledger(&self, kinetic: f64, potential: f64, works: [f64; 4]) -> Ledger {
        let [friction, damping, torques, dry_friction] = works;
        let mut ledger = Ledger { kinetic, potential, friction, damping, torques, dry_friction, ..self.columns };
        ledger.residual = ledger.total() - self.start_energy - ledger.booked();
        ledger
    }
}
