//! The energy book: the energies of a state and the work done since the start.

use serde::Serialize;

/// Energies of a state, J, and the work done since the start by each cause, positive if it adds energy.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Ledger {
    /// Kinetic energy.
    pub kinetic: f64,
    /// Potential energy, of gravity and springs.
    pub potential: f64,
    /// Work of impulses: the sum of mean contact velocity times impulse.
    pub impacts: f64,
    /// Work of sliding friction.
    pub friction: f64,
    /// Work of the joints' damping.
    pub damping: f64,
    /// Work of the joints' dry friction.
    pub dry_friction: f64,
    /// Work of torques: of the torques and forces of actuators.
    pub torques: f64,
    /// Change by ending bounces too low to follow.
    pub settling: f64,
    /// Change by projecting the state onto its contacts.
    pub projection: f64,
    /// Change over windows of time stepping, less the work of impacts, damping and torques in them.
    pub windows: f64,
    /// Change by plastic impacts of contacts that rattled.
    pub rattle: f64,
    /// Change by sequences of simultaneous impacts that were ended without restitution.
    pub sequences: f64,
    /// Energy not accounted for: the present energy less the initial energy less all of the above.
    pub residual: f64,
}

impl Ledger {
    /// Kinetic plus potential energy.
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential
    }

    /// Sum of all changes since the start.
    pub fn booked(&self) -> f64 {
        self.impacts + self.friction + self.damping + self.dry_friction + self.torques + self.by_devices()
    }

    /// The ledger of two robots that do not act on each other.
    pub(crate) fn plus(&self, other: &Self) -> Self {
        Self {
            kinetic: self.kinetic + other.kinetic,
            potential: self.potential + other.potential,
            impacts: self.impacts + other.impacts,
            friction: self.friction + other.friction,
            damping: self.damping + other.damping,
            dry_friction: self.dry_friction + other.dry_friction,
            torques: self.torques + other.torques,
            settling: self.settling + other.settling,
            projection: self.projection + other.projection,
            windows: self.windows + other.windows,
            rattle: self.rattle + other.rattle,
            sequences: self.sequences + other.sequences,
            residual: self.residual + other.residual,
        }
    }

    /// Sum of the changes by numerical devices: settling, projection, windows, rattles and ended sequences.
    pub fn by_devices(&self) -> f64 {
        self.settling + self.projection + self.windows + self.rattle + self.sequences
    }
}
