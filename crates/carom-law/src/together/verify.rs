//! The check of a simultaneous outcome at the door: from `q̇⁺` and `A`, or from `W i`, never from what the solvers carried
//! along.

use std::f64::consts::SQRT_2;

use super::check;
use super::outcome::{ContactOutcome, SimultaneousOutcome};
use super::{ContactSet, Struck};
use crate::contact::vector::ContactVector;
use crate::error::{Condition, Error, Result};
use crate::impact::guard::Guard;
use crate::impact::mode::Mode;
use crate::impact::outcome::Law;
use crate::impact::verify::{Claimed, EnergyEvidence, SimultaneousEvidence, check_energy, check_growth, within};
use crate::numeric::plane::norm;
use crate::numeric::scaling::scale;
use crate::numeric::tolerance::{ACCURACY, ROUNDING, UNDERFLOW};

/// Friction that changes velocities by less than this part of what the check lets pass, 1e-12 of the largest, counts as zero, as
/// do normal impulses.
const NO_FRICTION: f64 = 1e-3;

/// Velocities after the impact, anew, and by how much each row may miss a condition; in the set's units.
struct Anew {
    after: Vec<f64>,
    bound: Vec<f64>,
}

impl ContactSet {
    /// Holds an outcome of this set against the data it was made from; its `residual` is then that of the worst condition.
    pub(super) fn verify(&self, outcome: &mut SimultaneousOutcome) -> Result<()> {
        let (Some(struck), Some(after)) = (&self.mechanism, outcome.velocity.take()) else {
            let (impulse, before) = (self.scaled_impulse(outcome), self.scaled_velocity());
            let anew = self.velocity_by(&impulse, &before);
            outcome.residual = self.check_contacts(outcome, &impulse, &before, &anew)?;
            outcome.residual = outcome.residual.max(self.check_work(outcome, &impulse, &before, &anew)?);
            return Ok(());
        };
        let evidence = SimultaneousEvidence {
            after: &struck.jacobian.times(&after),
            before_size: &struck.mechanism.sizes(&struck.jacobian, &struck.velocity),
            after_size: &struck.mechanism.sizes(&struck.jacobian, &after),
            freedoms: after.len(),
            energy: None,
        };
        let (impulse, before) = (self.scaled_impulse(outcome), self.scaled_velocity());
        outcome.residual = self.check_contacts(outcome, &impulse, &before, &self.anew(&evidence, 0.0))?;
        let uncertain = self.uncertain_work(outcome.residual, &impulse, &before);
        outcome.residual = outcome.residual.max(verify_kinetic_energy(struck, outcome, &after, uncertain)?);
        outcome.velocity = Some(after);
        Ok(())
    }

    /// Holds an outcome of this set against evidence from elsewhere, such as a robot that the impulses were applied to; its
    /// `residual` is then that of the worst condition.
    ///
    /// # Errors
    /// [`Error::CheckFailed`] if a condition is missed by more than its bound; evidence of another number of rows.
    pub fn verify_against(&self, outcome: &mut SimultaneousOutcome, evidence: &SimultaneousEvidence<'_>) -> Result<()> {
        self.check_rows("evidence.after", evidence.after)?;
        self.check_rows("evidence.before_size", evidence.before_size)?;
        self.check_rows("evidence.after_size", evidence.after_size)?;
        let (impulse, before) = (self.scaled_impulse(outcome), self.scaled_velocity());
        // A row that moves only once others are struck is held to what they moved by.
        let anew = self.anew(evidence, largest(&before));
        outcome.residual = self.check_contacts(outcome, &impulse, &before, &anew)?;
        outcome.residual = outcome.residual.max(match &evidence.energy {
            Some(energy) => {
                let is_guarded = outcome.guard.name != Guard::Report || outcome.law.claims().dissipates;
                check_energy(energy, outcome.energy.change, energy.bound(evidence.freedoms), is_guarded)?
            }
            None => self.check_work(outcome, &impulse, &before, &anew)?,
        });
        Ok(())
    }

    /// The velocities of evidence in the set's units; bounds are at least those of a row of the speed given.
    fn anew(&self, evidence: &SimultaneousEvidence<'_>, speed: f64) -> Anew {
        let in_units = |r: usize, v: f64| scale(v, -self.gamma - self.rows[r]);
        let rounding = ROUNDING * evidence.freedoms as f64;
        let bound = |r: usize| {
            let size = speed.max(in_units(r, evidence.before_size[r]));
            ACCURACY * size + rounding * in_units(r, evidence.after_size[r])
        };
        Anew {
            after: evidence.after.iter().enumerate().map(|(r, v)| in_units(r, *v)).collect(),
            bound: (0..self.velocity.len()).map(bound).collect(),
        }
    }

    fn check_rows(&self, field: &'static str, rows: &[f64]) -> Result<()> {
        if rows.len() == self.velocity.len() {
            return Ok(());
        }
        Err(Error::Shape {
            field: field.into(),
            found: format!("{} numbers", rows.len()),
            expected: format!("{} numbers, as the contacts have rows", self.velocity.len()),
        })
    }

    /// The impulses of an outcome in the set's units.
    fn scaled_impulse(&self, outcome: &SimultaneousOutcome) -> Vec<f64> {
        let impulse = outcome.contacts.iter().flat_map(|contact| contact.impulse.to_vec());
        impulse.zip(&self.rows).map(|(i, row)| scale(i, self.omega + row - self.gamma)).collect()
    }

    /// What velocities that miss their conditions by `residual`, of the fastest, leave uncertain of the work of the impulses; in
    /// the caller's units.
    fn uncertain_work(&self, residual: f64, impulse: &[f64], before: &[f64]) -> f64 {
        let roots = (0..before.len()).map(|r| self.system.matrix[(r, r)].sqrt());
        let exchanged: f64 = roots.zip(impulse).map(|(root, i)| root * i.abs()).sum();
        self.energy_out(residual * self.system.fastest(before) * exchanged)
    }

    /// The worst residual of the contacts' conditions, with velocities anew. Friction that counts as zero is cut to its cone: it changes no
    /// velocity by more than the check lets pass, and no reader should meet an impulse outside the cone.
    fn check_contacts(
        &self,
        outcome: &mut SimultaneousOutcome,
        impulse: &[f64],
        before: &[f64],
        anew: &Anew,
    ) -> Result<f64> {
        // Modes and restitution are Aghili's.
        let is_single = outcome.sequence <= 1 && !outcome.guard.blended && outcome.law == Law::Aghili;
        let (law, mut worst) = (outcome.law, outcome.residual);
        for (k, (block, contact)) in self.system.blocks.iter().zip(&mut outcome.contacts).enumerate() {
            let mut reported = [0.0; 3];
            for (v, (r, out)) in contact.contact_velocity.after.iter().zip(block.range().zip(&mut reported)) {
                *out = scale(*v, -self.gamma - self.rows[r]);
            }
            let friction = contact.friction.map_or([0.0; 2], |friction| [friction.mu_s(), friction.mu_d()]);
            let tangential = self.rows[block.range().end - 1] - self.rows[block.start];
            let [mu_s, mu_d] = friction.map(|mu| scale(mu, tangential));
            let claimed = Claimed {
                law,
                mode: contact.mode,
                impulse: block.of(impulse),
                before: block.of(before),
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
                energy_error: 0.0,
            };
            let residual = if is_single { claimed.check_struck(contact) } else { claimed.check_sequence() };
            worst = worst.max(residual.map_err(|error| at_contact(error, k))?);
            if let Some(share) = claimed.beyond_cone(is_single) {
                let [i_n, i_1, i_2] = contact.impulse.padded();
                contact.impulse = ContactVector::new(block.dimension, [i_n, share * i_1, share * i_2]);
            }
        }
        Ok(worst)
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

    /// `v̄·i` anew against the energy change, where no kinetic energies are known; what is reported is then the former. (Impacts
    /// that followed each other have each booked their work, with velocities known to what they were certified to.)
    fn check_work(
        &self,
        outcome: &mut SimultaneousOutcome,
        impulse: &[f64],
        before: &[f64],
        anew: &Anew,
    ) -> Result<f64> {
        let is_guarded = outcome.guard.name != Guard::Report || outcome.law.claims().dissipates;
        let terms = || before.iter().zip(&anew.after).zip(impulse).map(|((v, after), i)| (0.5 * (v + after), i));
        let change: f64 = terms().map(|(mean, i)| mean * i).sum();
        let size: f64 = terms().map(|(mean, i)| (mean * i).abs()).sum();
        let slack: f64 = anew.bound.iter().zip(impulse).map(|(bound, i)| bound * i.abs()).sum();
        let energy = check::contact_energy(&self.system.matrix, before);
        let bound = ACCURACY * energy + ROUNDING * before.len() as f64 * size + slack;
        let in_units = |energy: f64| scale(energy, self.omega - 2 * self.gamma);
        // What is told of an energy below the numbers is zero.
        let told_bound = bound + in_units(UNDERFLOW);
        let worst = within(Condition::Work, (change - in_units(outcome.energy.change)).abs(), told_bound)?;
        let products = |r: usize| -> f64 {
            let pushed: f64 = self.system.matrix.row(r).iter().zip(impulse).map(|(w, i)| (w * i).abs()).sum();
            impulse[r].abs() * (before[r].abs() + 0.5 * pushed)
        };
        let rounding = ROUNDING * before.len() as f64 * (0..before.len()).map(products).sum::<f64>();
        outcome.energy.correct(self.energy_out(change), self.energy_out(rounding));
        // The least kinetic energy that goes with the fastest row.
        let least = 0.5 * self.system.fastest(before).powi(2);
        if is_guarded {
            return Ok(worst.max(within(Condition::Gain, change.max(0.0), ACCURACY * least + rounding)?));
        }
        check_growth(change, energy, bound)?;
        let speeds = before.iter().zip(&anew.after).map(|(before, after)| 0.5 * (before.abs() + after.abs()));
        let exchanged: f64 = speeds.zip(impulse).map(|(speed, i)| speed * i.abs()).sum();
        let uncertain = outcome.residual.max(worst) * exchanged;
        outcome.hold_to_claims(self.energy_out(ACCURACY * least + rounding + uncertain))?;
        Ok(worst)
    }
}

/// `K⁺ - K⁻` from `M`, against the work of the impulses; what is reported is then the former.
fn verify_kinetic_energy(
    struck: &Struck,
    outcome: &mut SimultaneousOutcome,
    after: &[f64],
    uncertain: f64,
) -> Result<f64> {
    let (mechanism, before) = (&struck.mechanism, &struck.velocity);
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
    let is_guarded = outcome.guard.name != Guard::Report || outcome.law.claims().dissipates;
    let evidence = EnergyEvidence { before: k_before, after: k_after, after_size };
    let impulse_error = rounding * struck.condition * work;
    let residual = check_energy(&evidence, outcome.energy.change, bound + impulse_error + uncertain, is_guarded)?;
    let rounded = rounding * after_size + (rounding * before_size).min(0.5 * ACCURACY * k_before);
    outcome.energy.correct(mechanism.energy_change(before, after), rounded);
    if is_guarded {
        return Ok(residual.max(within(Condition::Gain, outcome.energy.change.max(0.0), bound)?));
    }
    let explained = outcome.residual * work;
    outcome.hold_to_claims(bound + explained)?;
    Ok(residual)
}

impl SimultaneousOutcome {
    /// Without a guard: contacts that all slide create no energy beyond what its digits explain, and what creates more is not
    /// admissible.
    fn hold_to_claims(&mut self, explained: f64) -> Result<()> {
        let change = self.energy.change;
        let slides = self.sequence <= 1 && self.contacts.iter().all(|contact| contact.mode != Mode::Stick);
        if slides && self.law == Law::Aghili {
            within(Condition::Gain, change.max(0.0), explained)?;
        }
        self.admissible &= change <= explained;
        Ok(())
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0_f64, |largest, v| largest.max(v.abs()))
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
        worst = worst.max(self.check_cone(self.cone(true))?);
        worst = worst.max(within(Condition::Restitution, (self.after[0] - target).abs(), self.bound[0])?);
        Ok(worst.max(self.check_mode(self.tangential_bound())?))
    }

    /// What each of two tangents may miss its condition by, so that both together miss it by `sqrt(2)` times that; a planar
    /// contact has one.
    fn tangential_bound(&self) -> f64 {
        let [_, x, y] = self.bound;
        if y == 0.0 { x / SQRT_2 } else { x.max(y) }
    }

    /// Impacts that followed each other, or a blend: what sums of impulses keep.
    fn check_sequence(&self) -> Result<f64> {
        let mut worst = self.check_velocity()?;
        if self.law.claims().obeys_cone {
            worst = worst.max(within(Condition::Sign, (-self.impulse[0]).max(0.0), 0.0)?);
            worst = worst.max(self.check_cone(self.cone(false))?);
        }
        Ok(worst.max(within(Condition::Penetration, (-self.after[0]).max(0.0), self.bound[0])?))
    }

    fn check_velocity(&self) -> Result<f64> {
        (0..3).try_fold(0.0_f64, |worst, row| {
            let difference = (self.after[row] - self.reported[row]).abs();
            Ok(worst.max(within(Condition::Velocity(row), difference, self.bound[row])?))
        })
    }

    /// The coefficient that bounds friction: of its mode, or the static one of a sum.
    fn cone(&self, is_single: bool) -> f64 {
        if is_single && self.mode != Mode::Stick { self.mu_d } else { self.mu_s }
    }

    /// The share of friction that its cone has room for, where friction that counts as zero has passed the check and is beyond it.
    fn beyond_cone(&self, is_single: bool) -> Option<f64> {
        let [i_n, i_1, i_2] = self.impulse;
        let (most, friction) = (self.cone(is_single) * i_n, norm([i_1, i_2]));
        (self.law.claims().obeys_cone && friction > (1.0 + ACCURACY) * most).then(|| most / friction)
    }

    fn check_cone(&self, mu: f64) -> Result<f64> {
        let [i_n, i_1, i_2] = self.impulse;
        let most = mu * i_n;
        let tiny = NO_FRICTION * self.impulse_bound;
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A contact that sticks but for a tangential velocity.
    fn creeping(velocity: f64, bound: [f64; 3]) -> Claimed {
        Claimed {
            law: Law::Aghili,
            mode: Mode::Stick,
            impulse: [1.0, 0.0, 0.0],
            before: [-1.0, 0.0, 0.0],
            reported: [0.0, velocity, 0.0],
            after: [0.0, velocity, 0.0],
            direction: None,
            e: 0.0,
            e_t: 0.0,
            mu_s: 1.0,
            mu_d: 1.0,
            energy_change: 0.0,
            bound,
            impulse_bound: 0.0,
            impulse_error: 0.0,
            energy_error: 0.0,
        }
    }

    #[test]
    fn the_one_tangent_of_a_planar_contact_is_held_to_its_own_bound() {
        let check = |velocity: f64, bound: [f64; 3]| {
            let claimed = creeping(velocity, bound);
            claimed.check_mode(claimed.tangential_bound())
        };
        assert!(check(0.99e-9, [1e-9, 1e-9, 0.0]).is_ok());
        assert!(check(1.2e-9, [1e-9, 1e-9, 0.0]).is_err());
        assert!(check(1.2e-9, [1e-9; 3]).is_ok());
    }
}
