//! The energy book: where the energy is, and where it went.

use serde::Serialize;

/// Energies of a state, and what changed them since the start. Work is counted positive where it adds energy.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Ledger {
    /// Kinetic energy.
    pub kinetic: f64,
    /// Potential energy, of gravity and springs.
    pub potential: f64,
    /// Work of impulses: mean velocity times impulse, summed.
    pub impacts: f64,
    /// Work of sliding friction.
    pub friction: f64,
    /// Work of the joints' damping.
    pub damping: f64,
    /// Work of the motors.
    pub torques: f64,
    /// Taken where bounces too low to follow were ended.
    pub settling: f64,
    /// Taken or given where the state was brought back onto its contacts.
    pub projection: f64,
    /// Change over windows of time stepping, less what impacts, damping and motors did in them.
    pub windows: f64,
    /// Taken by impacts without restitution at contacts that rattled.
    pub rattle: f64,
    /// Taken by impacts of several contacts whose sequence was ended without restitution.
    pub sequences: f64,
    /// What the book does not explain: the energy now, less that at the start, less all of the above.
    pub residual: f64,
}

impl Ledger {
    /// Kinetic and potential energy.
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential
    }

    /// What all columns together have added.
    pub fn booked(&self) -> f64 {
        self.impacts + self.friction + self.damping + self.torques + self.by_devices()
    }

    /// What the numerical devices have added: settling, projection, windows, rattles and sequences that were ended.
    pub fn by_devices(&self) -> f64 {
        self.settling + self.projection + self.windows + self.rattle + self.sequences
    }
}
