//! The outcome in the caller's units.

use super::ledger::Ledger;
use super::outcome::{ContactEnergy, ContactOutcome, SimultaneousGuard, SimultaneousOutcome};
use super::{ContactSet, Struck};
use crate::contact::coefficients::Coefficients;
use crate::contact::vector::ContactVector;
use crate::error::{Error, Result};
use crate::impact::outcome::{BeforeAfter, Energy, Law, RestitutionValues};
use crate::numeric::scaling::scale;

impl ContactSet {
    /// The outcome in the caller's units.
    pub(super) fn report(
        &self,
        coefficients: &[Coefficients],
        ledger: &Ledger,
        guard: SimultaneousGuard,
    ) -> Result<SimultaneousOutcome> {
        let impulse = self.impulses_out(&ledger.impulse);
        let velocity = self.velocity_after(&impulse, ledger);
        let contact_velocity = self.contact_velocity_after(ledger, velocity.as_deref());
        let mut contacts = Vec::with_capacity(coefficients.len());
        let mut energy = Energy { before: None, after: None, change: 0.0, normal: 0.0, tangential: 0.0 };
        for (k, (block, coefficients)) in self.system.blocks.iter().zip(coefficients).enumerate() {
            let (dimension, entry) = (block.dimension, &ledger.contacts[k]);
            let finite = |value: f64, name: &str| {
                if value.is_finite() {
                    Ok(value)
                } else {
                    Err(Error::Overflow { field: format!("contacts[{k}].{name}").into() })
                }
            };
            for i in block.of(&impulse) {
                finite(i, "impulse")?;
            }
            let mut after = block.of(&contact_velocity);
            for (v, r) in after.iter_mut().zip(block.range()) {
                *v = finite(scale(*v, self.gamma + self.rows[r]) + 0.0, "contact_velocity.after")?;
            }
            let (normal, tangential) = (self.energy_out(entry.work.normal), self.energy_out(entry.work.tangential));
            energy.normal += normal;
            energy.tangential += tangential;
            contacts.push(ContactOutcome {
                mode: entry.mode,
                impulse: ContactVector::new(dimension, block.of(&impulse)),
                contact_velocity: BeforeAfter {
                    before: ContactVector::new(dimension, block.of(&self.velocity)),
                    after: ContactVector::new(dimension, after),
                },
                direction: entry.direction.map(|u| ContactVector::tangential(dimension, u)),
                energy: ContactEnergy { change: finite(normal + tangential, "energy.change")?, normal, tangential },
                restitution: RestitutionValues {
                    normal: entry.restitution,
                    tangential: coefficients.restitution.tangential(),
                },
                restitution_used: entry.restitution_used,
                friction: coefficients.friction,
                contact_dimension: dimension as u8,
            });
        }
        energy.change = energy.normal + energy.tangential;
        if let Some((Struck { mechanism, velocity: before, .. }, after)) =
            self.mechanism.as_ref().zip(velocity.as_ref())
        {
            energy.before = Some(mechanism.kinetic_energy(before).0);
            energy.after = Some(mechanism.kinetic_energy(after).0);
            if ledger.is_precise {
                // Impulses that are large and cancel lose digits of `v̄·i` that velocities keep.
                energy.correct(mechanism.energy_change(before, after), 0.0);
            }
        }
        if let Some(i) = velocity.iter().flatten().position(|v| !v.is_finite()) {
            return Err(Error::Overflow { field: format!("velocity[{i}]").into() });
        }
        for (value, name) in [(Some(energy.change), "change"), (energy.before, "before"), (energy.after, "after")] {
            if value.is_some_and(|value| !value.is_finite()) {
                return Err(Error::Overflow { field: format!("energy.{name}").into() });
            }
        }
        Ok(SimultaneousOutcome {
            contacts,
            velocity,
            energy,
            admissible: !ledger.creates_energy,
            guard,
            strong: ledger.strong,
            residual: ledger.residual,
            condition: self.mechanism.as_ref().map(|struck| struck.condition),
            solutions: ledger.solutions,
            search: ledger.search,
            sequence: ledger.sequence,
            settled: ledger.settled,
            effort: ledger.effort,
            law: Law::Aghili,
        })
    }

    /// Impulses in the caller's units; adding zero turns -0 into 0.
    pub(super) fn impulses_out(&self, impulse: &[f64]) -> Vec<f64> {
        impulse.iter().zip(&self.rows).map(|(i, row)| scale(*i, self.gamma - self.omega - row) + 0.0).collect()
    }

    pub(super) fn energy_out(&self, energy: f64) -> f64 {
        scale(energy, 2 * self.gamma - self.omega)
    }
}
