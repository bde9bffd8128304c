//! The check at the door: no outcome leaves before its conditions were computed anew from the data it came from.
//!
//! What a solver carried along proves nothing about its answer. Here velocities after the impact come from `q̇⁺` and `A`
//! (or from `W i` where only `W` is given), energies from `M`, and every bound is on the scale of the input: 1e-9 of it, and
//! a term for the rounding of the sums themselves. An outcome beyond a bound is an error that names the condition.

use std::f64::consts::SQRT_2;

use crate::error::{Condition, Error, Result};
use crate::impact::guard::Guard;
use crate::impact::mode::Mode;
use crate::impact::outcome::{Law, Outcome};
use crate::numeric::plane::{Vec2, cross, dot, norm};
use crate::numeric::tolerance::{ACCURACY, LARGEST_GROWTH, ROUNDING, UNDERFLOW};

/// How an outcome of a whole robot is checked before it is handed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Check {
    /// `A q̇⁺` anew, the cone, the sign of the normal impulse, restitution and `v̄·i`.
    Contact,
    /// All that, and `K⁺ - K⁻` anew.
    #[default]
    Full,
}

/// What an outcome is held against: numbers computed from `q̇⁺` and the data, by the caller.
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
    /// What the impulse may be off by, relative to its size, where `M` or `A` is ill-conditioned; 0 if that is not known.
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
    /// `|q̇⁺|ᵀ|M||q̇⁺|`, or any bound of the terms that `K⁺` is a sum of.
    pub after_size: f64,
}

/// What an outcome of several contacts is held against; rows are stacked as those of the set.
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
    /// The kinetic energies; without them, the work of the impulses is checked.
    pub energy: Option<EnergyEvidence>,
}

impl Outcome {
    /// Holds the outcome against evidence; its `residual` is then that of the worst condition.
    ///
    /// # Errors
    /// [`Error::CheckFailed`] if a condition is missed by more than its bound.
    pub fn verify(&mut self, evidence: &Evidence) -> Result<()> {
        let mut answer = self.claimed();
        (answer.after, answer.bound) = (evidence.after, evidence.bound());
        answer.impulse_error = evidence.impulse_error;
        answer.energy_error = evidence.energy.map_or(0.0, |energy| energy.bound(evidence.freedoms));
        let residual = answer.check()?.residual;
        // An outcome that says that no energy is created has to be borne out, whoever says so.
        let is_admissible = self.law == Law::Aghili && self.admissible;
        let dissipates = self.guard.name != Guard::Report || self.law.claims().dissipates || is_admissible;
        let energy = evidence.check_energy(self.energy.change, dissipates)?;
        self.residual = self.residual.max(residual).max(energy);
        Ok(())
    }

    /// The outcome's own numbers, in the caller's units.
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
    /// By how much each row may miss its condition.
    #[inline(always)]
    pub(crate) fn bound(&self) -> [f64; 3] {
        let rounding = ROUNDING * self.freedoms as f64;
        let bound = |row: usize| ACCURACY * self.before_size[row] + rounding * self.after_size[row];
        // Both tangents lie in one plane, wherever in it they point.
        let tangential = bound(1).max(bound(2));
        [bound(0), tangential, tangential]
    }

    /// That the velocity after is the one reported.
    pub(crate) fn check_velocity(&self, reported: &[f64]) -> Result<f64> {
        let bound = self.bound();
        reported.iter().enumerate().try_fold(0.0_f64, |worst, (row, v)| {
            Ok(worst.max(within(Condition::Velocity(row), (self.after[row] - v).abs(), bound[row])?))
        })
    }

    /// `K⁺ - K⁻` against what was reported, where it is known.
    #[inline(always)]
    pub(crate) fn check_energy(&self, reported: f64, is_guarded: bool) -> Result<f64> {
        match &self.energy {
            Some(energy) => check_energy(energy, reported, energy.bound(self.freedoms), is_guarded),
            None => Ok(0.0),
        }
    }
}

impl EnergyEvidence {
    /// By how much a change of the energy may miss what it should be.
    pub(crate) fn bound(&self, freedoms: usize) -> f64 {
        ACCURACY * self.before + ROUNDING * freedoms as f64 * self.after_size
    }
}

/// `K⁺ - K⁻` anew against what was reported, and how much it may rise.
pub(crate) fn check_energy(energy: &EnergyEvidence, reported: f64, bound: f64, dissipates: bool) -> Result<f64> {
    let change = energy.after - energy.before;
    let difference = within(Condition::Energy, (change - reported).abs(), bound)?;
    if dissipates {
        return Ok(difference.max(within(Condition::Gain, change.max(0.0), bound)?));
    }
    check_growth(change, energy.before, bound)?;
    Ok(difference)
}

/// Without a guard: that the energy grows by a stated multiple at most.
pub(crate) fn check_growth(change: f64, before: f64, bound: f64) -> Result<()> {
    let most = LARGEST_GROWTH * before + bound;
    if change <= most {
        return Ok(());
    }
    Err(Error::CheckFailed { field: "energy.change".into(), condition: Condition::Growth, value: change, bound: most })
}

/// An answer for one contact beside the velocity after it that was computed anew, in any units.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Claimed {
    pub(crate) law: Law,
    pub(crate) mode: Mode,
    pub(crate) impulse: [f64; 3],
    pub(crate) before: [f64; 3],
    /// `v_c⁺` as the law has it ...
    pub(crate) reported: [f64; 3],
    /// ... and anew.
    pub(crate) after: [f64; 3],
    pub(crate) direction: Option<Vec2>,
    /// The restitutions that the answer obeys.
    pub(crate) e: f64,
    pub(crate) e_t: f64,
    pub(crate) mu_s: f64,
    pub(crate) mu_d: f64,
    pub(crate) energy_change: f64,
    /// By how much each row may miss its condition.
    pub(crate) bound: [f64; 3],
    /// By how much friction may miss its direction: what `bound` is as an impulse, where friction is not solved for exactly.
    pub(crate) impulse_bound: f64,
    /// What the impulse may be off by, relative to its size.
    pub(crate) impulse_error: f64,
    /// What `energy_change` may be off by, where it comes from kinetic energies.
    pub(crate) energy_error: f64,
}

/// What a check found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Checked {
    /// The worst residual, of which [`ACCURACY`] is the most that passes.
    pub(crate) residual: f64,
    /// `v̄·i` anew, and its rounding.
    pub(crate) work: f64,
    pub(crate) work_bound: f64,
}

impl Checked {
    /// What a gain of energy may be: none under a guard or by a law that dissipates, else a stated multiple of the energy that
    /// the contact can reach.
    #[cold]
    pub(crate) fn check_gain(&self, contact_energy: f64, dissipates: bool) -> Result<f64> {
        if dissipates {
            return within(Condition::Gain, self.work.max(0.0), self.work_bound + ACCURACY * contact_energy);
        }
        check_growth(self.work, contact_energy, self.work_bound).map(|()| 0.0)
    }
}

impl Claimed {
    /// All conditions on the velocities and the impulse.
    pub(crate) fn check(&self) -> Result<Checked> {
        self.check_inlined()
    }

    #[inline(always)]
    pub(crate) fn check_inlined(&self) -> Result<Checked> {
        let &Self { impulse: [i_n, i_1, i_2], before, reported, after, bound, .. } = self;
        let velocity = |row: usize| Miss::of(Condition::Velocity(row), (after[row] - reported[row]).abs(), bound[row]);
        let tangential_bound = bound[1].max(bound[2]);
        let mut misses = [Miss::NONE; 9];
        (misses[0], misses[1], misses[2]) = (velocity(0), velocity(1), velocity(2));
        if self.mode == Mode::Separating {
            misses[3] = Miss::of(Condition::Sign, i_n.abs() + i_1.abs() + i_2.abs(), 0.0);
            return Ok(Checked { residual: worst_of(misses)?, work: 0.0, work_bound: 0.0 });
        }
        let claims = self.law.claims();
        if claims.obeys_cone {
            misses[3] = Miss::of(Condition::Sign, (-i_n).max(0.0), 0.0);
            let mu = if self.mode == Mode::Stick { self.mu_s } else { self.mu_d };
            let most = mu.max(if self.law == Law::Aghili { 0.0 } else { self.mu_s }) * i_n;
            misses[4] = Miss::of(Condition::Cone, (norm([i_1, i_2]) - most).max(0.0), ACCURACY * most);
        }
        misses[5] = if claims.newton_restitution {
            Miss::of(Condition::Restitution, (after[0] + self.e * before[0]).abs(), bound[0])
        } else {
            Miss::of(Condition::Penetration, (-after[0]).max(0.0), bound[0])
        };
        if self.law == Law::Aghili {
            [misses[6], misses[7]] = self.mode_misses(tangential_bound);
        }
        let work = 0.5 * ((before[0] + after[0]) * i_n + (before[1] + after[1]) * i_1 + (before[2] + after[2]) * i_2);
        let [s_n, s_1, s_2] = [0, 1, 2].map(|row| 0.5 * (before[row].abs() + after[row].abs()));
        let work_bound = bound[0] * i_n.abs()
            + tangential_bound * (i_1.abs() + i_2.abs())
            + ACCURACY * work.abs()
            + self.impulse_error * (s_n * i_n.abs() + s_1 * i_1.abs() + s_2 * i_2.abs());
        misses[8] = Miss::of(Condition::Work, (work - self.energy_change).abs(), work_bound + self.energy_error);
        Ok(Checked { residual: worst_of(misses)?, work, work_bound })
    }

    /// What the law's modes say of the tangential velocity.
    pub(crate) fn check_mode(&self, bound: f64) -> Result<f64> {
        worst_of(self.mode_misses(bound))
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
                // Friction opposes u with all of μ_d, and u is the direction of the average velocity.
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

/// By how much a condition is missed.
#[derive(Debug, Clone, Copy)]
struct Miss {
    condition: Condition,
    by: f64,
    bound: f64,
}

impl Miss {
    /// What a law does not claim.
    const NONE: Self = Self { condition: Condition::Sign, by: 0.0, bound: 0.0 };

    #[inline(always)]
    fn of(condition: Condition, by: f64, bound: f64) -> Self {
        Self { condition, by, bound }
    }
}

/// [`within`] of all conditions, the worst. One branch for all of them: nearly always all are met.
#[inline(always)]
fn worst_of<const N: usize>(misses: [Miss; N]) -> Result<f64> {
    let (mut all_met, mut worst) = (true, 0.0);
    for Miss { by, bound, .. } in misses {
        let bound = bound + UNDERFLOW;
        all_met &= by <= bound;
        let ratio = by / bound;
        worst = if ratio > worst { ratio } else { worst };
    }
    if all_met { Ok(ACCURACY * worst) } else { first_failed(misses) }
}

#[cold]
#[inline(never)]
fn first_failed<const N: usize>(misses: [Miss; N]) -> Result<f64> {
    misses.iter().try_fold(0.0_f64, |worst, miss| Ok(worst.max(within(miss.condition, miss.by, miss.bound)?)))
}

/// The violation on the scale where [`ACCURACY`] is the bound, or the error; a violation that is not a number fails.
#[inline]
pub(crate) fn within(condition: Condition, violation: f64, bound: f64) -> Result<f64> {
    // Zero is as common as rounding is: a branch for it would be guessed wrong every other time.
    let bound = bound + UNDERFLOW;
    if violation <= bound { Ok(ACCURACY * (violation / bound)) } else { failed(condition, violation, bound) }
}

#[cold]
fn failed(condition: Condition, value: f64, bound: f64) -> Result<f64> {
    if value == 0.0 {
        // Nothing is missed, whatever the bound.
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
        assert_eq!(worst_of(met).unwrap(), 0.5 * ACCURACY);
        // The first that fails is named, and what is not a number fails.
        for by in [2.0_f64.next_up(), f64::INFINITY, f64::NAN] {
            let misses = [half, Miss::of(Condition::Slip, by, 2.0), Miss::of(Condition::Work, 9.0, 1.0)];
            let error = worst_of(misses).unwrap_err();
            assert!(matches!(error, Error::CheckFailed { condition: Condition::Slip, .. }), "{error}");
        }
        // Nothing is missed, whatever the bound.
        assert_eq!(worst_of([half, Miss::of(Condition::Sign, 0.0, f64::NAN)]).unwrap(), 0.5 * ACCURACY);
    }
}
