//! The check of a simultaneous outcome at the door: from `q̇⁺` and `A`, or from `W i`, never from what the solvers carried
//! along.

use super::check;
use super::outcome::{ContactOutcome, SimultaneousOutcome};
use super::{ContactSet, Struck};
use crate::error::{Condition, Error, Result};
use crate::guard::Guard;
use crate::mode::Mode;
use crate::outcome::Law;
use crate::plane::norm;
use crate::scaling::scale;
use crate::verify::{ACCURACY, Claimed, EnergyEvidence, ROUNDING, check_energy, check_growth, within};

/// Velocities after the impact, anew, and by how much each row may miss a condition; in the set's units.
struct Anew {
    after: Vec<f64>,
    bound: Vec<f64>,
}

impl ContactSet {
    /// Holds the outcome against the data; its `residual` is then that of the worst condition.
    pub(super) fn verify(&self, outcome: &mut SimultaneousOutcome) -> Result<()> {
        let impulse: Vec<f64> = outcome.contacts.iter().flat_map(|contact| contact.impulse.to_vec()).collect();
        let impulse: Vec<f64> =
            impulse.iter().zip(&self.rows).map(|(i, row)| scale(*i, self.omega + row - self.gamma)).collect();
        let before = self.scaled_velocity();
        let anew = match (&self.mechanism, &outcome.velocity) {
            (Some(struck), Some(after)) => self.velocity_of(struck, after),
            _ => self.velocity_by(&impulse, &before),
        };
        let is_single = outcome.sequence <= 1 && !outcome.guard.blended;
        let mut worst = outcome.residual;
        for (k, (block, contact)) in self.system.blocks.iter().zip(&outcome.contacts).enumerate() {
            let mut reported = [0.0; 3];
            for (v, (r, out)) in contact.contact_velocity.after.iter().zip(block.range().zip(&mut reported)) {
                *out = scale(*v, -self.gamma - self.rows[r]);
            }
            let friction = contact.friction.map_or([0.0; 2], |friction| [friction.mu_s(), friction.mu_d()]);
            let tangential = self.rows[block.range().end - 1] - self.rows[block.start];
            let [mu_s, mu_d] = friction.map(|mu| scale(mu, tangential));
            let claimed = Claimed {
                law: Law::Aghili,
                mode: contact.mode,
                impulse: block.of(&impulse),
                before: block.of(&before),
                reported,
                after: block.of(&anew.after),
                direction: contact.direction.map(|u| [u[0], u.get(1).copied().unwrap_or(0.0)]),
                e: contact.restitution_used,
                e_t: contact.restitution.tangential,
                mu_s,
                mu_d,
                energy_change: 0.0,
                bound: block.of(&anew.bound),
                impulse_bound: block.of(&anew.bound)[1] / block.w_t,
                impulse_error: 0.0,
            };
            let residual = if is_single { claimed.check_struck(contact) } else { claimed.check_sequence() };
            worst = worst.max(residual.map_err(|error| at_contact(error, k))?);
        }
        outcome.residual = worst.max(match (&self.mechanism, &outcome.velocity) {
            (Some(struck), Some(_)) => self.verify_kinetic_energy(struck, outcome)?,
            _ => self.verify_work(outcome, &impulse, &before, &anew)?,
        });
        Ok(())
    }

    /// `A q̇⁺`.
    fn velocity_of(&self, struck: &Struck, after: &[f64]) -> Anew {
        let velocity = struck.jacobian.times(after);
        let size = struck.mechanism.sizes(&struck.jacobian, after);
        let size_before = struck.mechanism.sizes(&struck.jacobian, &struck.velocity);
        let to_units = |r: usize, v: f64| scale(v, -self.gamma - self.rows[r]);
        let rounding = ROUNDING * after.len() as f64;
        let bound = |r: usize| ACCURACY * to_units(r, size_before[r]) + rounding * to_units(r, size[r]);
        Anew {
            after: velocity.iter().enumerate().map(|(r, v)| to_units(r, *v)).collect(),
            bound: (0..velocity.len()).map(bound).collect(),
        }
    }

    /// `v⁻ + W i`.
    fn velocity_by(&self, impulse: &[f64], before: &[f64]) -> Anew {
        let (root, fastest) = (|r: usize| self.system.matrix[(r, r)].sqrt(), self.system.fastest(before));
        let mut after = vec![0.0; before.len()];
        self.system.velocity(before, impulse, &mut after);
        let rounding = ROUNDING * before.len() as f64;
        let size =
            |r: usize| -> f64 { self.system.matrix.row(r).iter().zip(impulse).map(|(w, i)| (w * i).abs()).sum() };
        let bound =
            (0..before.len()).map(|r| ACCURACY * root(r) * fastest + rounding * (before[r].abs() + size(r))).collect();
        Anew { after, bound }
    }

    /// `K⁺ - K⁻` from `M`, against the work of the impulses; what is reported is then the former.
    fn verify_kinetic_energy(&self, struck: &Struck, outcome: &mut SimultaneousOutcome) -> Result<f64> {
        let (mechanism, before) = (&struck.mechanism, &struck.velocity);
        let after = outcome.velocity.as_deref().unwrap_or(before);
        let (k_before, before_size) = mechanism.kinetic_energy(before);
        let (k_after, after_size) = mechanism.kinetic_energy(after);
        let rounding = ROUNDING * before.len() as f64;
        let bound = ACCURACY * k_before + rounding * after_size;
        let contact_work = |contact: &ContactOutcome| -> f64 {
            let velocity = &contact.contact_velocity;
            let speeds = velocity.before.iter().zip(velocity.after.iter()).map(|(a, b)| 0.5 * (a.abs() + b.abs()));
            speeds.zip(contact.impulse.iter()).map(|(speed, i)| speed * i.abs()).sum()
        };
        let work: f64 = outcome.contacts.iter().map(contact_work).sum();
        let is_guarded = outcome.guard.name != Guard::Report;
        let evidence = EnergyEvidence { before: k_before, after: k_after, after_size };
        let impulse_error = rounding * struck.condition * work;
        let residual = check_energy(&evidence, outcome.energy.change, bound + impulse_error, is_guarded)?;
        let rounded = rounding * after_size + (rounding * before_size).min(0.5 * ACCURACY * k_before);
        outcome.energy.correct(mechanism.energy_change(before, after), rounded);
        if is_guarded {
            return Ok(residual.max(within(Condition::Gain, outcome.energy.change.max(0.0), bound)?));
        }
        let explained = outcome.residual * work;
        outcome.admissible &= outcome.energy.change <= bound + explained;
        Ok(residual)
    }

    /// `v̄·i` with `v⁺` anew.
    fn verify_work(&self, outcome: &SimultaneousOutcome, impulse: &[f64], before: &[f64], anew: &Anew) -> Result<f64> {
        let is_guarded = outcome.guard.name != Guard::Report;
        let terms = || before.iter().zip(&anew.after).zip(impulse).map(|((v, after), i)| (0.5 * (v + after), i));
        let change: f64 = terms().map(|(mean, i)| mean * i).sum();
        let size: f64 = terms().map(|(mean, i)| (mean * i).abs()).sum();
        let slack: f64 = anew.bound.iter().zip(impulse).map(|(bound, i)| bound * i.abs()).sum();
        let energy = check::contact_energy(&self.system.matrix, before);
        let bound = ACCURACY * energy + ROUNDING * before.len() as f64 * size + slack;
        let worst =
            within(Condition::Work, (change - scale(outcome.energy.change, self.omega - 2 * self.gamma)).abs(), bound)?;
        if is_guarded {
            // The least kinetic energy that goes with the fastest row.
            let least = 0.5 * self.system.fastest(before).powi(2);
            let products = |r: usize| -> f64 {
                let pushed: f64 = self.system.matrix.row(r).iter().zip(impulse).map(|(w, i)| (w * i).abs()).sum();
                impulse[r].abs() * (before[r].abs() + 0.5 * pushed)
            };
            let rounding = ROUNDING * before.len() as f64 * (0..before.len()).map(products).sum::<f64>();
            return Ok(worst.max(within(Condition::Gain, change.max(0.0), ACCURACY * least + rounding)?));
        }
        check_growth(change, energy, bound)?;
        Ok(worst)
    }
}

impl SimultaneousOutcome {
    /// Holds the outcome of a robot with `freedoms` velocities against its kinetic energies, computed anew.
    ///
    /// # Errors
    /// [`Error::CheckFailed`] if they do not bear the energy change out, or rise under a guard.
    pub fn verify_energy(&mut self, energy: &EnergyEvidence, freedoms: usize) -> Result<()> {
        let bound = ACCURACY * energy.before + ROUNDING * freedoms as f64 * energy.after_size;
        let residual = check_energy(energy, self.energy.change, bound, self.guard.name != Guard::Report)?;
        self.residual = self.residual.max(residual);
        Ok(())
    }
}

impl Claimed {
    /// One impact: every condition of the law.
    fn check_struck(&self, contact: &ContactOutcome) -> Result<f64> {
        let is_at_rest = !(self.before[0] < 0.0);
        let target = if is_at_rest { 0.0 } else { -contact.restitution_used * self.before[0] };
        let mut worst = self.check_velocity()?;
        if self.mode == Mode::Separating {
            // A contact that was leaving did not take part, and may leave as slowly as the others let it.
            let least = if self.before[0] > 0.0 { 0.0 } else { target };
            worst = worst.max(within(Condition::Penetration, (least - self.after[0]).max(0.0), self.bound[0])?);
            let size = self.impulse.iter().map(|i| i.abs()).sum();
            return Ok(worst.max(within(Condition::Sign, size, 0.0)?));
        }
        worst = worst.max(within(Condition::Sign, (-self.impulse[0]).max(0.0), 0.0)?);
        let mu = if self.mode == Mode::Stick { self.mu_s } else { self.mu_d };
        worst = worst.max(self.check_cone(mu)?);
        worst = worst.max(within(Condition::Restitution, (self.after[0] - target).abs(), self.bound[0])?);
        Ok(worst.max(self.check_mode(self.bound[1].max(self.bound[2]))?))
    }

    /// Impacts that followed each other, or a blend: what sums of impulses keep.
    fn check_sequence(&self) -> Result<f64> {
        let worst = self.check_velocity()?.max(within(Condition::Sign, (-self.impulse[0]).max(0.0), 0.0)?);
        let worst = worst.max(self.check_cone(self.mu_s)?);
        Ok(worst.max(within(Condition::Penetration, (-self.after[0]).max(0.0), self.bound[0])?))
    }

    fn check_velocity(&self) -> Result<f64> {
        (0..3).try_fold(0.0_f64, |worst, row| {
            let difference = (self.after[row] - self.reported[row]).abs();
            Ok(worst.max(within(Condition::Velocity(row), difference, self.bound[row])?))
        })
    }

    fn check_cone(&self, mu: f64) -> Result<f64> {
        let [i_n, i_1, i_2] = self.impulse;
        let most = mu * i_n;
        // Friction that changes velocities by less than 1e-12 of the largest counts as zero, as do normal impulses.
        let tiny = 1e-3 * self.impulse_bound;
        within(Condition::Cone, (norm([i_1, i_2]) - most).max(0.0), ACCURACY * most + tiny)
    }
}

/// The error with the contact in its field.
fn at_contact(error: Error, k: usize) -> Error {
    match error {
        Error::CheckFailed { field, condition, value, bound } => {
            Error::CheckFailed { field: format!("contacts[{k}].{field}").into(), condition, value, bound }
        }
        other => other,
    }
}
