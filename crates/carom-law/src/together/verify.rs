//! The check of a simultaneous outcome at the door: velocities are recomputed from `q̇⁺` and `A`, or from `W i`, never taken from
//! the solvers.

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

/// Friction that changes velocities by less than this fraction of the tolerance, 1e-12 of the largest velocity, counts as zero, as
/// normal impulses of that size do.
const NO_FRICTION: f64 = 1e-3;

/// Recomputed velocities after the impact and the tolerance of each row, in the set's units.
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
        // The tolerance of a row that is at rest before the impact follows from the speeds of the others.
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

    /// Uncertainty of the work of the impulses if velocities violate their conditions by `residual`, relative to the fastest; in the
    /// caller's units.
    fn uncertain_work(&self, residual: f64, impulse: &[f64], before: &[f64]) -> f64 {
        let roots = (0..before.len()).map(|r| self.system.matrix[(r, r)].sqrt());
        let exchanged: f64 = roots.zip(impulse).map(|(root, i)| root * i.abs()).sum();
        self.energy_out(residual * self.system.fastest(before) * exchanged)
    }

    /// The largest violation of the contacts' conditions with recomputed velocities. Friction that counts as zero is cut to its cone:
    /// this changes no velocity by more than the tolerance, and no impulse in an outcome is outside its cone.
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
            let residual = if is_single { claimed.check_struck() } else { claimed.check_sequence() };
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

    /// Compares the recomputed `v̄·i` with the reported energy change if no kinetic energies are known, and reports the former.
    /// (Impacts in sequence have each added their work, with velocities accurate to their certificates.)
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
        // Energies that underflow are reported as zero.
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

/// Compares `K⁺ - K⁻`, computed from `M`, with the work of the impulses, and reports the former.
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
    /// Without a guard: contacts that all slide create no energy beyond the explained error, and an outcome that creates more is not
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
    fn check_struck(&self) -> Result<f64> {
        let is_at_rest = !(self.before[0] < 0.0);
        let target = if is_at_rest { 0.0 } else { -self.e * self.before[0] };
        let mut worst = self.check_velocity()?;
        if self.mode == Mode::Separating {
            // A contact that was separating did not take part; the others may have slowed it to any nonnegative speed.
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

    /// The tolerance of each of two tangents, `1/sqrt(2)` of that of both together; a planar contact has one tangent.
    fn tangential_bound(&self) -> f64 {
        let [_, x, y] = self.bound;
        if y == 0.0 { x / SQRT_2 } else { x.max(y) }
    }

    /// Impacts in sequence, or a blend: the conditions that sums of impulses satisfy.
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

    /// The factor that brings friction into its cone, if friction that counts as zero has passed the check and is outside.
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
    use super::super::samples;
    use super::*;
    use crate::contact::coefficients::{Coefficients, Friction, Restitution};
    use crate::contact::delassus::Dimension;
    use crate::numeric::matrix::MatrixView;
    use nalgebra::{DMatrix, DVector};

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

    /// A slip, or what a mode makes of it, in the plane: all conditions hold exactly.
    fn sound(mode: Mode) -> Claimed {
        let after_t = match mode {
            Mode::Stick => -0.5 * 0.8,
            Mode::Reversal => -0.8,
            Mode::Slip | Mode::Separating => 0.4,
        };
        let (impulse, e) = if mode == Mode::Separating { ([0.0; 3], 0.0) } else { ([2.0, -0.6, 0.0], 0.25) };
        let after = [if mode == Mode::Separating { 0.1 } else { 0.5 }, after_t, 0.0];
        Claimed {
            mode,
            impulse,
            before: [-2.0, 0.8, 0.0],
            reported: after,
            after,
            direction: (mode == Mode::Slip).then_some([1.0, 0.0]),
            e,
            e_t: 0.5,
            mu_s: 0.5,
            mu_d: 0.3,
            bound: [1e-9, 2e-9, 0.0],
            ..creeping(0.0, [0.0; 3])
        }
    }

    fn condition<T: std::fmt::Debug>(result: Result<T>) -> Option<Condition> {
        match result {
            Ok(_) => None,
            Err(Error::CheckFailed { condition, .. }) => Some(condition),
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn each_condition_of_one_impact_is_held_to_its_bound() {
        let check = |claimed: &Claimed| condition(claimed.check_struck());
        for mode in [Mode::Stick, Mode::Reversal, Mode::Slip, Mode::Separating] {
            assert_eq!(check(&sound(mode)), None, "{mode:?}");
            for row in 0..3 {
                for (share, fails) in [(0.9, false), (1.1, true)] {
                    let mut claimed = sound(mode);
                    claimed.reported[row] += share * claimed.bound[row] + if row == 2 && fails { 1e-9 } else { 0.0 };
                    assert_eq!(check(&claimed), fails.then_some(Condition::Velocity(row)), "{mode:?} {row}");
                }
            }
        }
        // Told and anew, from here on.
        let with = |claimed: &Claimed, row: usize, by: f64| {
            let mut claimed = *claimed;
            (claimed.after[row], claimed.reported[row]) = (claimed.after[row] + by, claimed.reported[row] + by);
            claimed
        };
        for (share, fails) in [(0.9, false), (1.1, true)] {
            for sign in [1.0, -1.0] {
                let restitution = with(&sound(Mode::Slip), 0, sign * share * 1e-9);
                assert_eq!(check(&restitution), fails.then_some(Condition::Restitution));
                let stick = with(&sound(Mode::Stick), 1, sign * share * 2e-9);
                assert_eq!(check(&stick), fails.then_some(Condition::Stick));
                let reversal = with(&sound(Mode::Reversal), 1, sign * share * 2.0 * 2e-9 / SQRT_2);
                assert_eq!(check(&reversal), fails.then_some(Condition::Reversal));
            }
            // At rest before, it may not leave by restitution.
            let mut at_rest = sound(Mode::Slip);
            (at_rest.before[0], at_rest.after[0], at_rest.reported[0]) = (0.0, share * 1e-9, share * 1e-9);
            assert_eq!(check(&at_rest), fails.then_some(Condition::Restitution));
        }
        let mut pulls = sound(Mode::Slip);
        pulls.impulse = [-1e-300, 0.0, 0.0];
        assert_eq!(check(&pulls), Some(Condition::Sign));
    }

    #[test]
    fn an_open_contact_leaves_with_its_restitution_and_has_no_impulse() {
        let check = |v: f64, after: f64, impulse: [f64; 3]| {
            let mut claimed = Claimed { impulse, e: 0.5, ..sound(Mode::Separating) };
            (claimed.before[0], claimed.after[0], claimed.reported[0]) = (v, after, after);
            condition(claimed.check_struck())
        };
        // One that approached is driven away at least as fast as it would bounce, one that left or rested does not enter.
        for (v, least) in [(-2.0, 1.0), (0.0, 0.0), (3.0, 0.0)] {
            assert_eq!(check(v, least - 0.9e-9, [0.0; 3]), None);
            assert_eq!(check(v, least - 1.1e-9, [0.0; 3]), Some(Condition::Penetration), "{v}");
            assert_eq!(check(v, least + 1.0, [0.0; 3]), None);
        }
        for impulse in [[1e-300, 0.0, 0.0], [0.0, -1e-300, 0.0], [0.0, 0.0, 1e-300]] {
            assert_eq!(check(-2.0, 1.0, impulse), Some(Condition::Sign));
        }
    }

    #[test]
    fn sums_of_impulses_push_stay_in_the_static_cone_and_do_not_enter() {
        let check = |change: fn(&mut Claimed)| {
            let mut claimed = sound(Mode::Reversal);
            change(&mut claimed);
            condition(claimed.check_sequence())
        };
        assert_eq!(check(|claimed| claimed.impulse = [2.0, 0.6, 0.8 * (1.0 + 0.9e-9)]), None);
        assert_eq!(check(|claimed| claimed.impulse = [2.0, 0.6, 0.8 * (1.0 + 2e-9)]), Some(Condition::Cone));
        assert_eq!(check(|claimed| claimed.impulse = [-1.0, 0.0, 0.0]), Some(Condition::Sign));
        let moved = |by: f64| {
            let mut claimed = sound(Mode::Slip);
            (claimed.after[0], claimed.reported[0]) = (by, by);
            condition(claimed.check_sequence())
        };
        assert_eq!((moved(-0.9e-9), moved(-1.1e-9)), (None, Some(Condition::Penetration)));
    }

    #[test]
    fn friction_is_bounded_by_the_coefficient_of_its_mode_and_cut_to_its_cone() {
        let slip = Claimed { impulse: [4.0, 1.2, 1.6], ..sound(Mode::Slip) };
        assert_eq!((slip.cone(true), slip.cone(false)), (0.3, 0.5));
        let stick = Claimed { mode: Mode::Stick, ..slip };
        assert_eq!((stick.cone(true), stick.cone(false)), (0.5, 0.5));
        // |i_t| = 2 fills the cone of 0.5 and exceeds that of 0.3 by 2/5 of itself.
        assert_eq!(stick.beyond_cone(true), None);
        assert!((slip.beyond_cone(true).unwrap() - 0.6).abs() < 1e-15);
        assert!(slip.check_cone(0.5).is_ok() && slip.check_cone(0.4999).is_err());
        let beyond = |by: f64| Claimed { impulse: [2.0, 1.0 + by, 0.0], ..slip }.beyond_cone(false).is_some();
        assert!(!beyond(0.9e-9) && beyond(1.1e-9));
        // Laws that do not claim the cone are not cut to it.
        assert_eq!(Claimed { law: Law::AghiliPrinted, ..slip }.beyond_cone(true), None);
        // Friction that moves nothing may be out of it by as much: a thousandth of the impulse of what the check lets pass.
        let weak = Claimed { impulse: [0.0, 0.9e-3, 0.0], impulse_bound: 1.0, ..slip };
        assert!(weak.check_cone(0.3).is_ok());
        assert!(Claimed { impulse: [0.0, 1.1e-3, 0.0], ..weak }.check_cone(0.3).is_err());
    }

    fn two_corners() -> (ContactSet, [Coefficients; 2]) {
        let friction = Friction::new(0.3).unwrap();
        let coefficients = [0.5, 0.2].map(|e| Coefficients::new(Restitution::new(e).unwrap(), friction));
        // Not in units of its own.
        let set = ContactSet::new(&[Dimension::Planar; 2], MatrixView::row_major(4, 4, &CORNERS), &VELOCITY).unwrap();
        (set, coefficients)
    }

    /// Two corners of a box, 48 times as mobile as the largest of one would be, at a speed far from one.
    const VELOCITY: [f64; 4] = [-1300.0, 950.0, -700.0, 950.0];
    #[rustfmt::skip]
    const CORNERS: [f64; 16] = [
        163.2, -57.6, -67.2, -57.6,  -57.6, 76.8, 57.6, 76.8,  -67.2, 57.6, 163.2, 57.6,  -57.6, 76.8, 57.6, 76.8,
    ];

    /// Half the square of a velocity in the pseudo-inverse of W: the energy that the contacts reach.
    fn reachable() -> f64 {
        let w = DMatrix::from_row_slice(4, 4, &CORNERS);
        let v = DVector::from_row_slice(&VELOCITY);
        0.5 * v.dot(&(w.pseudo_inverse(1e-9).unwrap() * &v))
    }

    /// The speed of the fastest row, over the root of its own mobility.
    fn fastest() -> f64 {
        (0..4).map(|r| VELOCITY[r].abs() / CORNERS[5 * r].sqrt()).fold(0.0, f64::max)
    }

    #[test]
    fn an_outcome_is_held_to_w_by_bounds_of_its_own_size() {
        let (set, coefficients) = two_corners();
        let outcome = set.impact(&coefficients, Guard::Report).unwrap();
        assert!(outcome.residual < 1e-11);
        let check = |change: &dyn Fn(&mut SimultaneousOutcome)| {
            let mut changed = outcome.clone();
            change(&mut changed);
            condition(set.verify(&mut changed))
        };
        assert_eq!(check(&|_| ()), None);
        for (share, fails) in [(0.9, false), (1.1, true)] {
            for (k, row) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let bound = ACCURACY * CORNERS[5 * (2 * k + row)].sqrt() * fastest();
                let off = &|outcome: &mut SimultaneousOutcome| {
                    let after = &mut outcome.contacts[k].contact_velocity.after;
                    let mut numbers = after.padded();
                    numbers[row] += share * bound;
                    *after = ContactVector::new(Dimension::Planar, numbers);
                };
                assert_eq!(check(off), fails.then_some(Condition::Velocity(row)), "{k} {row} {share}");
            }
            // The work: of what the contacts reach, and of the velocities that the check lets pass.
            let slack: f64 = (0..4)
                .map(|r| {
                    let i = outcome.contacts[r / 2].impulse.padded()[r % 2];
                    ACCURACY * CORNERS[5 * r].sqrt() * fastest() * i.abs()
                })
                .sum();
            let bound = ACCURACY * reachable() + slack;
            let off = &|outcome: &mut SimultaneousOutcome| outcome.energy.change += share * bound;
            assert_eq!(check(off), fails.then_some(Condition::Work), "{share}");
        }
        // An impulse that is off moves all that it pushes.
        for k in 0..2 {
            let off = &|outcome: &mut SimultaneousOutcome| {
                let [n, t, _] = outcome.contacts[k].impulse.padded();
                outcome.contacts[k].impulse = ContactVector::new(Dimension::Planar, [n * (1.0 + 1e-6), t, 0.0]);
            };
            assert!(matches!(check(off), Some(Condition::Velocity(_))));
            assert!(check(&|outcome| outcome.contacts[k].mode = Mode::Stick).is_some());
            assert!(check(&|outcome| outcome.contacts[k].mode = Mode::Reversal).is_some());
            assert!(check(&|outcome| outcome.contacts[k].restitution_used += 1e-6) == Some(Condition::Restitution));
        }
        // Of impacts that followed each other, or a blend, neither mode nor restitution is told.
        let summed = &|outcome: &mut SimultaneousOutcome| {
            (outcome.sequence, outcome.contacts[0].mode) = (2, Mode::Stick);
        };
        assert_eq!(check(summed), None);
        assert_eq!(check(&|outcome| (outcome.guard.blended, outcome.contacts[0].mode) = (true, Mode::Stick)), None);
    }

    /// W, v and impulses that gain: at 1.1 of what may be gained under a guard it is an error, and at 0.9 it is not.
    #[test]
    fn under_a_guard_no_energy_is_created() {
        let (set, coefficients) = two_corners();
        let outcome = set.impact(&coefficients, Guard::Slip).unwrap();
        let least = 0.5 * fastest() * fastest();
        let (impulse, before) = (set.scaled_impulse(&outcome), set.scaled_velocity());
        for (share, fails) in [(0.9, false), (1.1, true)] {
            let mut changed = outcome.clone();
            // Velocities anew with so much work.
            let mut anew = set.velocity_by(&impulse, &before);
            let work: f64 = (0..4).map(|r| 0.5 * (before[r] + anew.after[r]) * impulse[r]).sum();
            let wanted = share * ACCURACY * scale(least, set.omega - 2 * set.gamma);
            anew.after[0] += 2.0 * (wanted - work) / impulse[0];
            changed.energy.change = set.energy_out(wanted);
            let found = condition(set.check_work(&mut changed, &impulse, &before, &anew));
            assert_eq!(found, fails.then_some(Condition::Gain), "{share}");
            // A law that claims to dissipate is held to it without a guard, ...
            changed.guard.name = Guard::Report;
            let found = condition(set.check_work(
                &mut SimultaneousOutcome { law: Law::Chord, ..changed.clone() },
                &impulse,
                &before,
                &anew,
            ));
            assert_eq!(found, fails.then_some(Condition::Gain), "{share}");
            // ... and aghili is only not admissible: beyond what the residual explains.
            (changed.contacts[0].mode, changed.residual, changed.admissible) = (Mode::Stick, 0.0, true);
            let speeds: f64 = (0..4).map(|r| 0.5 * (before[r].abs() + anew.after[r].abs()) * impulse[r].abs()).sum();
            let residual = set.check_work(&mut changed, &impulse, &before, &anew).unwrap();
            let explained = ACCURACY * scale(least, set.omega - 2 * set.gamma) + residual * speeds;
            assert_eq!(changed.admissible, wanted <= explained, "{share}");
        }
    }

    /// A mass matrix, the less regular the smaller the share.
    fn mass(share: f64) -> DMatrix<f64> {
        let mut m = DMatrix::from_diagonal(&DVector::from_row_slice(&[2.0, 3.0, 5.0, 7.0, 11.0]));
        (m[(3, 4)], m[(4, 3)]) = ((1.0 - share) * 77f64.sqrt(), (1.0 - share) * 77f64.sqrt());
        m
    }

    /// A mechanism with two contacts.
    fn mechanism(share: f64) -> (ContactSet, [Coefficients; 2], Vec<f64>) {
        let m = mass(share);
        #[rustfmt::skip]
        let a = [
            1.0, 0.2, 0.0, 0.1, 0.0,   0.1, 1.0, 0.3, 0.0, 0.0,
            0.2, 0.0, 1.0, 0.0, 0.0,   0.0, 0.1, 0.0, 1.0, 0.0,
        ];
        let v = vec![-3.0, 1.0, -2.0, 0.5, 0.1];
        let set = ContactSet::from_generalized(
            &[Dimension::Planar; 2],
            samples::view(&m),
            MatrixView::row_major(4, 5, &a),
            &v,
        )
        .unwrap();
        (set, two_corners().1, v)
    }

    #[test]
    fn the_energy_told_is_held_to_the_kinetic_energies() {
        for share_of_mass in [1.0, 1e-7] {
            let (set, coefficients, before) = mechanism(share_of_mass);
            let outcome = set.impact(&coefficients, Guard::Report).unwrap();
            let struck = set.mechanism.as_ref().unwrap();
            let m = mass(share_of_mass);
            let kinetic = |v: &[f64]| 0.5 * DVector::from_row_slice(v).dot(&(&m * DVector::from_row_slice(v)));
            let size = |v: &[f64]| {
                let v = DVector::from_row_slice(v).abs();
                v.dot(&(m.abs() * &v))
            };
            let after = outcome.velocity.clone().unwrap();
            let work: f64 = outcome
                .contacts
                .iter()
                .map(|contact| {
                    let (b, a, i) = (
                        contact.contact_velocity.before.padded(),
                        contact.contact_velocity.after.padded(),
                        contact.impulse.padded(),
                    );
                    (0..2).map(|r| 0.5 * (b[r].abs() + a[r].abs()) * i[r].abs()).sum::<f64>()
                })
                .sum();
            let rounding = ROUNDING * 5.0;
            let own = ACCURACY * kinetic(&before) + rounding * size(&after);
            let bound = own + rounding * struck.condition * work;
            if share_of_mass < 1.0 {
                assert!(bound > 1.5 * own, "the condition counts: {bound:e} {own:e}");
            }
            for uncertain in [0.0, 3.0 * bound] {
                for (share, fails) in [(0.9, false), (1.1, true)] {
                    let mut changed = outcome.clone();
                    let exact = struck.mechanism.energy_change(&before, &after);
                    changed.energy.change = exact + share * (bound + uncertain);
                    let found = condition(verify_kinetic_energy(struck, &mut changed, &after, uncertain));
                    assert_eq!(found, fails.then_some(Condition::Energy), "{share_of_mass} {uncertain} {share}");
                }
            }
            // The work is told where it differs by rounding alone, else the difference of the kinetic energies.
            let exact = struck.mechanism.energy_change(&before, &after);
            let rounded = rounding * size(&after) + (rounding * size(&before)).min(0.5 * ACCURACY * kinetic(&before));
            for (share, is_corrected) in [(0.9, false), (1.1, true)] {
                let mut changed = outcome.clone();
                changed.energy.change = exact + share * rounded;
                verify_kinetic_energy(struck, &mut changed, &after, 0.0).unwrap();
                assert_eq!(changed.energy.change == exact, is_corrected, "{share_of_mass} {share}");
            }
            let mut changed = outcome.clone();
            changed.energy.change += 0.5 * bound;
            verify_kinetic_energy(struck, &mut changed, &after, 0.0).unwrap();
            let exact = kinetic(&after) - kinetic(&before);
            assert!((changed.energy.change - exact).abs() < 1e-12 * kinetic(&before));
        }
    }

    #[test]
    fn contacts_that_slide_may_not_gain_and_a_stick_that_gains_is_not_admissible() {
        let (set, coefficients) = two_corners();
        let outcome = set.impact(&coefficients, Guard::Report).unwrap();
        assert!(outcome.contacts.iter().all(|contact| contact.mode == Mode::Slip));
        let hold = |share: f64, change: &dyn Fn(&mut SimultaneousOutcome)| {
            let mut held = outcome.clone();
            held.energy.change = share * 1e-3;
            change(&mut held);
            (condition(held.hold_to_claims(1e-3)), held.admissible)
        };
        assert_eq!(hold(0.9, &|_| ()), (None, true));
        assert_eq!(hold(1.1, &|_| ()).0, Some(Condition::Gain));
        // One stick, several impacts, or another law.
        assert_eq!(hold(1.1, &|held| held.contacts[1].mode = Mode::Stick), (None, false));
        assert_eq!(hold(1.1, &|held| held.sequence = 2), (None, false));
        assert_eq!(hold(1.1, &|held| held.law = Law::Chord), (None, false));
    }

    #[test]
    fn evidence_of_a_robot_is_held_row_by_row() {
        let (set, coefficients, before) = mechanism(1.0);
        let outcome = set.impact(&coefficients, Guard::Report).unwrap();
        let struck = set.mechanism.as_ref().unwrap();
        let after = outcome.velocity.clone().unwrap();
        let (rows, before_size, after_size) = (
            struck.jacobian.times(&after),
            struck.mechanism.sizes(&struck.jacobian, &before),
            struck.mechanism.sizes(&struck.jacobian, &after),
        );
        let energy = EnergyEvidence {
            before: struck.mechanism.kinetic_energy(&before).0,
            after: struck.mechanism.kinetic_energy(&after).0,
            after_size: struck.mechanism.kinetic_energy(&after).1,
        };
        let largest = (0..4).map(|r| scale(set.velocity[r].abs(), -set.rows[r])).fold(0.0, f64::max);
        let check = |rows: &[f64], energy: Option<EnergyEvidence>| {
            let (before_size, after_size) = (&before_size, &after_size);
            let evidence = SimultaneousEvidence { after: rows, before_size, after_size, freedoms: 5, energy };
            set.verify_against(&mut outcome.clone(), &evidence)
        };
        assert!(check(&rows, Some(energy)).is_ok() && check(&rows, None).is_ok());
        assert!(matches!(check(&rows[1..], None), Err(Error::Shape { .. })));
        for r in 0..4 {
            // A row that hardly moves before is held to the fastest.
            let bound = ACCURACY * before_size[r].max(scale(largest, set.rows[r]));
            for (share, fails) in [(0.9, false), (1.1, true)] {
                for sign in [1.0, -1.0] {
                    // Told and anew differ; the other conditions of the row are bounded by at least as much.
                    let mut off = rows.clone();
                    off[r] += sign * share * bound;
                    let found = condition(check(&off, Some(energy)));
                    assert!(
                        fails == found.is_some() || !fails && found != Some(Condition::Velocity(r % 2)),
                        "{found:?}"
                    );
                }
            }
        }
        let gained = EnergyEvidence { after: energy.after + 1e-6 * energy.before, ..energy };
        assert_eq!(condition(check(&rows, Some(gained))), Some(Condition::Energy));
    }

    /// What evidence of a robot lets each row miss: of the larger of its own size and the speed given, and of the rounding of its sum.
    #[test]
    fn rows_of_evidence_have_bounds_of_their_sizes() {
        let (set, ..) = mechanism(1.0);
        let (before_size, after_size) = ([1.0, 2.0, 3.0, 4.0], [1e9, 2e6, 0.0, 3e5]);
        let evidence = SimultaneousEvidence {
            after: &[4.0, 3.0, 2.0, 1.0],
            before_size: &before_size,
            after_size: &after_size,
            freedoms: 5,
            energy: None,
        };
        let in_units = |r: usize, v: f64| scale(v, -set.gamma - set.rows[r]);
        for speed in [0.0, in_units(2, 2.5)] {
            let anew = set.anew(&evidence, speed);
            for r in 0..4 {
                assert_eq!(anew.after[r], in_units(r, evidence.after[r]));
                let bound =
                    ACCURACY * in_units(r, before_size[r]).max(speed) + 5.0 * ROUNDING * in_units(r, after_size[r]);
                assert!((anew.bound[r] / bound - 1.0).abs() < 1e-14, "{r}");
            }
        }
    }

    #[test]
    fn uncertain_velocities_leave_the_work_of_their_impulses_uncertain() {
        let (set, coefficients) = two_corners();
        let outcome = set.impact(&coefficients, Guard::Report).unwrap();
        let found = set.uncertain_work(1e-3, &set.scaled_impulse(&outcome), &set.scaled_velocity());
        let exchanged: f64 =
            (0..4).map(|r| CORNERS[5 * r].sqrt() * outcome.contacts[r / 2].impulse.padded()[r % 2].abs()).sum();
        assert!((found / (1e-3 * fastest() * exchanged) - 1.0).abs() < 1e-13, "{found}");
    }
}
