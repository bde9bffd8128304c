//! The check of outcomes: every outcome is returned only after its conditions were recomputed from the data.
//!
//! Intermediate results of a solver prove nothing about its solution. Here velocities after the impact are computed
//! from `q̇⁺` and `A` (or from `W i` if only `W` is given) and energies from `M`. Every bound is relative to the input:
//! 1e-9, plus a term for the rounding of the sums. An outcome beyond a bound is an error that names the condition.

use std::f64::consts::SQRT_2;

use crate::error::{Condition, Error, Result};
use crate::impact::guard::Guard;
use crate::impact::mode::Mode;
use crate::impact::outcome::{Law, Outcome};
use crate::numeric::plane::{Vec2, cross, dot, norm};
use crate::numeric::tolerance::{ACCURACY, LARGEST_GROWTH, ROUNDING, UNDERFLOW};

/// How an outcome of a robot is checked before it is returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Check {
    /// Recomputes `A q̇⁺` and checks the cone, the sign of the normal impulse, restitution and `v̄·i`.
    Contact,
    /// All that, and recomputes `K⁺ - K⁻`.
    #[default]
    Full,
}

/// Evidence that an outcome is checked against: numbers that the caller computes from `q̇⁺` and the data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// `A q̇⁺`; zero beyond the contact's dimension.
    pub after: [f64; 3],
    /// `|A||q̇⁻|`
    pub before_size: [f64; 3],
    /// `|A||q̇⁺|`
    pub after_size: [f64; 3],
    /// The degrees of freedom `n`.
    pub freedoms: usize,
    /// Bound on the relative error of the impulse if `M` or `A` is ill-conditioned; 0 if unknown.
    pub impulse_error: f64,
    /// The kinetic energies.
    pub energy: Option<EnergyEvidence>,
}

/// Kinetic energies computed from `M`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnergyEvidence {
    /// `K⁻`
    pub before: f64,
    /// `K⁺`
    pub after: f64,
    /// `|q̇⁺|ᵀ|M||q̇⁺|`, or another bound on the terms of the sum `K⁺`.
    pub after_size: f64,
}

/// Evidence that an outcome of several contacts is checked against; rows are stacked as in the set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimultaneousEvidence<'a> {
    /// `A q̇⁺`
    pub after: &'a [f64],
    /// `|A||q̇⁻|`
    pub before_size: &'a [f64],
    /// `|A||q̇⁺|`
    pub after_size: &'a [f64],
    /// The degrees of freedom `n`.
    pub freedoms: usize,
    /// The kinetic energies; if `None`, the work of the impulses is checked.
    pub energy: Option<EnergyEvidence>,
}

impl Outcome {
    /// Checks the outcome against evidence and sets its `residual` to the largest violation.
    ///
    /// # Errors
    /// [`Error::CheckFailed`] if a condition is violated by more than its bound.
    pub fn verify(&mut self, evidence: &Evidence) -> Result<()> {
        let mut answer = self.claimed();
        (answer.after, answer.bound) = (evidence.after, evidence.bound());
        answer.impulse_error = evidence.impulse_error;
        answer.energy_error = evidence.energy.map_or(0.0, |energy| energy.bound(evidence.freedoms));
        let residual = answer.check()?.residual;
        // The claim that no energy is created is always checked.
        let is_admissible = self.law == Law::Aghili && self.admissible;
        let dissipates = self.guard.name != Guard::Report || self.law.claims().dissipates || is_admissible;
        let energy = evidence.check_energy(self.energy.change, dissipates)?;
        self.residual = self.residual.max(residual).max(energy);
        Ok(())
    }

    /// The numbers of the outcome, in the caller's units.
    #[inline(always)]
    fn claimed(&self) -> Claimed {
        let direction = self.direction.as_ref().map(|u| {
            let [x, y, _] = u.padded();
            [x, y]
        });
        Claimed {
            law: self.law,
            mode: self.mode,
            impulse: self.impulse.padded(),
            before: self.contact_velocity.before.padded(),
            reported: self.contact_velocity.after.padded(),
            after: self.contact_velocity.after.padded(),
            direction,
            e: self.guard.restitution,
            e_t: self.restitution.tangential,
            mu_s: self.friction.map_or(0.0, |friction| friction.mu_s()),
            mu_d: self.friction.map_or(0.0, |friction| friction.mu_d()),
            energy_change: self.energy.change,
            bound: [0.0; 3],
            impulse_bound: 0.0,
            impulse_error: 0.0,
            energy_error: 0.0,
        }
    }
}

impl Evidence {
    /// The largest violation allowed in each row.
    #[inline(always)]
    pub(crate) fn bound(&self) -> [f64; 3] {
        let rounding = ROUNDING * self.freedoms as f64;
        let bound = |row: usize| ACCURACY * self.before_size[row] + rounding * self.after_size[row];
        // One bound for both tangents, whose orientation in the plane is arbitrary.
        let tangential = bound(1).max(bound(2));
        [bound(0), tangential, tangential]
    }

    /// Checks that the velocity after the impact is the one reported.
    pub(crate) fn check_velocity(&self, reported: &[f64]) -> Result<f64> {
        let bound = self.bound();
        reported.iter().enumerate().try_fold(0.0_f64, |worst, (row, v)| {
            Ok(worst.max(within(Condition::Velocity(row), (self.after[row] - v).abs(), bound[row])?))
        })
    }

    /// Checks `K⁺ - K⁻` against the reported change, if it is known.
    #[inline(always)]
    pub(crate) fn check_energy(&self, reported: f64, is_guarded: bool) -> Result<f64> {
        match &self.energy {
            Some(energy) => check_energy(energy, reported, energy.bound(self.freedoms), is_guarded),
            None => Ok(0.0),
        }
    }
}

impl EnergyEvidence {
    /// The largest error allowed for an energy change.
    pub(crate) fn bound(&self, freedoms: usize) -> f64 {
        ACCURACY * self.before + ROUNDING * freedoms as f64 * self.after_size
    }
}

/// Checks the recomputed `K⁺ - K⁻` against the reported change, and that it does not increase if the law dissipates.
pub(crate) fn check_energy(energy: &EnergyEvidence, reported: f64, bound: f64, dissipates: bool) -> Result<f64> {
    let change = energy.after - energy.before;
    let difference = within(Condition::Energy, (change - reported).abs(), bound)?;
    if dissipates {
        return Ok(difference.max(within(Condition::Gain, change.max(0.0), bound)?));
    }
    check_growth(change, energy.before, bound)?;
    Ok(difference)
}

/// Without a guard: checks that the energy grows at most by a documented factor.
pub(crate) fn check_growth(change: f64, before: f64, bound: f64) -> Result<()> {
    let most = LARGEST_GROWTH * before + bound;
    if change <= most {
        return Ok(());
    }
    Err(Error::CheckFailed { field: "energy.change".into(), condition: Condition::Growth, value: change, bound: most })
}

/// A solution for one contact with the recomputed velocity after the impact, in any units.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Claimed {
    pub(crate) law: Law,
    pub(crate) mode: Mode,
    pub(crate) impulse: [f64; 3],
    pub(crate) before: [f64; 3],
    /// `v_c⁺` as reported ...
    pub(crate) reported: [f64; 3],
    /// ... and recomputed.
    pub(crate) after: [f64; 3],
    pub(crate) direction: Option<Vec2>,
    /// The restitutions of the solution.
    pub(crate) e: f64,
    pub(crate) e_t: f64,
    pub(crate) mu_s: f64,
    pub(crate) mu_d: f64,
    pub(crate) energy_change: f64,
    /// The largest violation allowed in each row.
    pub(crate) bound: [f64; 3],
    /// The largest error allowed for the direction of friction: `bound` as an impulse, if friction is not solved
    /// exactly.
    pub(crate) impulse_bound: f64,
    /// Bound on the relative error of the impulse.
    pub(crate) impulse_error: f64,
    /// Bound on the error of `energy_change`, if it comes from kinetic energies.
    pub(crate) energy_error: f64,
}

/// The result of a check.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Checked {
    /// The largest residual; [`ACCURACY`] is the largest that passes.
    pub(crate) residual: f64,
    /// `v̄·i` recomputed, and its rounding.
    pub(crate) work: f64,
    pub(crate) work_bound: f64,
}

impl Checked {
    /// The largest energy gain allowed: zero under a guard or with a dissipative law, otherwise a documented multiple
    /// of the energy that impulses at the contact can change.
    #[cold]
    pub(crate) fn check_gain(&self, contact_energy: f64, dissipates: bool) -> Result<f64> {
        if dissipates {
            return within(Condition::Gain, self.work.max(0.0), self.work_bound + ACCURACY * contact_energy);
        }
        check_growth(self.work, contact_energy, self.work_bound).map(|()| 0.0)
    }
}

impl Claimed {
    /// Checks all conditions on the velocities and the impulse.
    pub(crate) fn check(&self) -> Result<Checked> {
        self.check_inlined()
    }

    #[inline(always)]
    pub(crate) fn check_inlined(&self) -> Result<Checked> {
        let Misses { all, work, work_bound } = self.misses();
        match worst_of(&all) {
            Some(residual) => Ok(Checked { residual, work, work_bound }),
            None => self.failed(),
        }
    }

    /// The first violated condition, recomputed: its name is not needed while all conditions are met. (By value, so
    /// that the caller need not keep the numbers in memory.)
    #[cold]
    #[inline(never)]
    fn failed(self) -> Result<Checked> {
        let Misses { all, work, work_bound } = self.misses();
        Ok(Checked { residual: first_failed(all)?, work, work_bound })
    }

    #[inline(always)]
    fn misses(&self) -> Misses {
        let &Self { impulse: [i_n, i_1, i_2], before, reported, after, bound, .. } = self;
        let velocity = |row: usize| Miss::of(Condition::Velocity(row), (after[row] - reported[row]).abs(), bound[row]);
        let tangential_bound = bound[1].max(bound[2]);
        let mut all = [Miss::NONE; 9];
        (all[0], all[1], all[2]) = (velocity(0), velocity(1), velocity(2));
        if self.mode == Mode::Separating {
            all[3] = Miss::of(Condition::Sign, i_n.abs() + i_1.abs() + i_2.abs(), 0.0);
            return Misses { all, work: 0.0, work_bound: 0.0 };
        }
        let claims = self.law.claims();
        if claims.obeys_cone {
            all[3] = Miss::of(Condition::Sign, (-i_n).max(0.0), 0.0);
            let mu = if self.mode == Mode::Stick { self.mu_s } else { self.mu_d };
            let most = mu.max(if self.law == Law::Aghili { 0.0 } else { self.mu_s }) * i_n;
            all[4] = Miss::of(Condition::Cone, (norm([i_1, i_2]) - most).max(0.0), ACCURACY * most);
        }
        all[5] = if claims.newton_restitution {
            Miss::of(Condition::Restitution, (after[0] + self.e * before[0]).abs(), bound[0])
        } else {
            Miss::of(Condition::Penetration, (-after[0]).max(0.0), bound[0])
        };
        if self.law == Law::Aghili {
            [all[6], all[7]] = self.mode_misses(tangential_bound);
        }
        let work = 0.5 * ((before[0] + after[0]) * i_n + (before[1] + after[1]) * i_1 + (before[2] + after[2]) * i_2);
        let [s_n, s_1, s_2] = [0, 1, 2].map(|row| 0.5 * (before[row].abs() + after[row].abs()));
        let work_bound = bound[0] * i_n.abs()
            + tangential_bound * (i_1.abs() + i_2.abs())
            + ACCURACY * work.abs()
            + self.impulse_error * (s_n * i_n.abs() + s_1 * i_1.abs() + s_2 * i_2.abs());
        all[8] = Miss::of(Condition::Work, (work - self.energy_change).abs(), work_bound + self.energy_error);
        Misses { all, work, work_bound }
    }

    /// Checks the conditions of the mode on the tangential velocity.
    pub(crate) fn check_mode(&self, bound: f64) -> Result<f64> {
        let misses = self.mode_misses(bound);
        worst_of(&misses).map_or_else(|| first_failed(misses), Ok)
    }

    #[inline(always)]
    fn mode_misses(&self, bound: f64) -> [Miss; 2] {
        let &Self { impulse: [i_n, i_1, i_2], before, after, .. } = self;
        let sum = [before[1] + after[1], before[2] + after[2]];
        match self.mode {
            Mode::Separating => [Miss::NONE; 2],
            Mode::Stick => {
                let left = [after[1] + self.e_t * before[1], after[2] + self.e_t * before[2]];
                [Miss::of(Condition::Stick, norm(left), SQRT_2 * bound), Miss::NONE]
            }
            Mode::Reversal => [Miss::of(Condition::Reversal, norm(sum), 2.0 * bound), Miss::NONE],
            Mode::Slip => {
                let Some(u) = self.direction else {
                    return [Miss::of(Condition::Slip, f64::INFINITY, bound), Miss::NONE];
                };
                // Friction is -μ_d i_n u, and u is the direction of the average velocity.
                let friction = self.mu_d * i_n;
                let off = norm([i_1 + friction * u[0], i_2 + friction * u[1]]);
                let across = cross(u, sum).abs().max(-dot(u, sum));
                [
                    Miss::of(Condition::Cone, off, ACCURACY * friction + self.impulse_bound),
                    Miss::of(Condition::Slip, across, 2.0 * SQRT_2 * bound),
                ]
            }
        }
    }
}

/// The violation of a condition.
#[derive(Debug, Clone, Copy)]
struct Miss {
    condition: Condition,
    by: f64,
    bound: f64,
}

impl Miss {
    /// No violation, for a condition that a law does not claim.
    const NONE: Self = Self { condition: Condition::Sign, by: 0.0, bound: 0.0 };

    #[inline(always)]
    fn of(condition: Condition, by: f64, bound: f64) -> Self {
        Self { condition, by, bound }
    }
}

/// The violations of all conditions, with `v̄·i` recomputed and its rounding.
struct Misses {
    all: [Miss; 9],
    work: f64,
    work_bound: f64,
}

/// The largest [`within`] of all conditions; `None` if one is not met. One branch for all, since nearly always all are
/// met.
#[inline(always)]
fn worst_of<const N: usize>(misses: &[Miss; N]) -> Option<f64> {
    let (mut all_met, mut worst) = (true, 0.0);
    for Miss { by, bound, .. } in misses {
        let bound = bound + UNDERFLOW;
        all_met &= *by <= bound;
        let ratio = by / bound;
        worst = if ratio > worst { ratio } else { worst };
    }
    all_met.then_some(ACCURACY * worst)
}

#[cold]
#[inline(never)]
fn first_failed<const N: usize>(misses: [Miss; N]) -> Result<f64> {
    misses.iter().try_fold(0.0_f64, |worst, miss| Ok(worst.max(within(miss.condition, miss.by, miss.bound)?)))
}

/// The violation scaled so that [`ACCURACY`] is the bound, or the error; a NaN violation fails.
#[inline]
pub(crate) fn within(condition: Condition, violation: f64, bound: f64) -> Result<f64> {
    // Zero is as common as rounding: a branch would be mispredicted half of the time.
    let bound = bound + UNDERFLOW;
    if violation <= bound { Ok(ACCURACY * (violation / bound)) } else { failed(condition, violation, bound) }
}

#[cold]
fn failed(condition: Condition, value: f64, bound: f64) -> Result<f64> {
    if value == 0.0 {
        // No violation, whatever the bound.
        return Ok(0.0);
    }
    Err(Error::CheckFailed { field: condition.field().into(), condition, value, bound })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_conditions_at_once_are_judged_as_each_alone() {
        let half = Miss::of(Condition::Restitution, 1.0, 2.0);
        let met = [Miss::of(Condition::Work, 1.0, 4.0), half, Miss::NONE];
        assert_eq!(worst_of(&met), Some(0.5 * ACCURACY));
        // The first failure is named, and NaN fails.
        for by in [2.0_f64.next_up(), f64::INFINITY, f64::NAN] {
            let misses = [half, Miss::of(Condition::Slip, by, 2.0), Miss::of(Condition::Work, 9.0, 1.0)];
            assert_eq!(worst_of(&misses), None);
            let error = first_failed(misses).unwrap_err();
            assert!(matches!(error, Error::CheckFailed { condition: Condition::Slip, .. }), "{error}");
        }
        // No violation, whatever the bound.
        assert_eq!(first_failed([half, Miss::of(Condition::Sign, 0.0, f64::NAN)]).unwrap(), 0.5 * ACCURACY);
    }
}
