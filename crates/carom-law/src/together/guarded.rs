//! What the guards do with an answer that creates energy.
//!
//! If all contacts slide, `K⁺ - K⁻ = Σ (1-e) v_n⁻ i_n / 2 + Σ v̄_t·i_t` and no term is positive, whatever the coefficients: so
//! the guard `slip` ends. The guard `limit` scales all restitutions by one factor. Where either fails, the answer is
//! blended with the plastic impact without stick: cones and non-penetration are convex and the energy is a convex
//! quadratic along the way.

use super::outcome::AnswerSearch;
use super::search::Found;
use super::strike::{Answer, Strike};
use crate::coulomb::descent::{TIE, Work};
use crate::impact::guard::Guard;
use crate::impact::mode::Mode;
use crate::numeric::tolerance::{ACCURACY, ROUNDING};

/// An increase of energy counts above this fraction of `V Σ|i|`, and above what the residual explains.
const ENERGY_ROUNDING: f64 = 1e-12;

/// What a guard leaves of a gain, of the least kinetic energy that goes with the fastest row: half of what the check lets pass.
const LARGEST_GAIN: f64 = 0.5 * ACCURACY;

/// Halvings of the interval of the factor of restitution.
const HALVINGS: u32 = 40;

/// An answer after the guard.
#[derive(Debug, Clone)]
pub(crate) struct Guarded {
    pub(crate) answer: Answer,
    /// Whether the law's own answer creates energy.
    pub(crate) creates_energy: bool,
    pub(crate) acted: bool,
    pub(crate) blended: bool,
    pub(crate) modes: Vec<Mode>,
    pub(crate) solutions: u32,
    pub(crate) search: AnswerSearch,
}

impl Strike {
    /// The law's answer, and the guard's where that creates energy; else the best candidate.
    pub(crate) fn guarded(&self, guard: Guard, work: &mut Work) -> Result<Guarded, Answer> {
        let Found { answer, solutions, search } = self.search(work)?;
        let creates_energy = self.gains(&answer);
        if guard == Guard::Report || !(creates_energy || self.exceeds(&answer)) {
            let modes = self.modes(&answer);
            return Ok(Guarded { answer, creates_energy, acted: false, blended: false, modes, solutions, search });
        }
        let tried = match guard {
            Guard::Report | Guard::Slip => self.sliding(answer, work),
            Guard::Limit => self.limited(answer, work),
        };
        let mut modes = self.modes(&tried);
        if !self.exceeds(&tried) {
            let (acted, blended) = (true, false);
            return Ok(Guarded { answer: tried, creates_energy, acted, blended, modes, solutions, search });
        }
        let none = vec![false; self.contacts.len()];
        let plastic = match self.answer(&none, 0.0, work) {
            Ok(plastic) => plastic,
            Err(best) => self.by_combinations(&none, 0.0, work).ok_or(best)?,
        };
        for (mode, plastic) in modes.iter_mut().zip(self.modes(&plastic)) {
            if *mode == Mode::Separating {
                *mode = plastic;
            }
        }
        let answer = self.blended(&tried, &plastic);
        Ok(Guarded { answer, creates_energy, acted: true, blended: true, modes, solutions, search })
    }

    /// Whether an answer creates energy, beyond what its residual explains.
    fn gains(&self, answer: &Answer) -> bool {
        if answer.change.is_some() {
            return self.exceeds(answer);
        }
        let exchanged = self.speed * answer.impulse.iter().map(|i| i.abs()).sum::<f64>();
        // A contact at rest may have opened at up to `rest`, and gives that back.
        self.energy_change(answer) > (ENERGY_ROUNDING + self.rest + 2.0 * answer.residual) * exchanged
    }

    /// Whether an answer gains more than the check of a guarded one lets pass.
    fn exceeds(&self, answer: &Answer) -> bool {
        if let Some(rows) = self.rows.as_ref().filter(|_| answer.change.is_some()) {
            return self.energy_change(answer) > LARGEST_GAIN * rows.energy();
        }
        let exchanged = self.speed * answer.impulse.iter().map(|i| i.abs()).sum::<f64>();
        let fastest = self.system.fastest(&self.before);
        self.energy_change(answer) > (ROUNDING * exchanged).max(LARGEST_GAIN * 0.5 * fastest * fastest)
    }

    /// Sticking contacts slide, those first that give most energy and with them those that give as much, until none is gained.
    fn sliding(&self, mut answer: Answer, work: &mut Work) -> Answer {
        let m = self.contacts.len();
        for _ in 0..m {
            let work_of = |k: usize| {
                let (normal, tangential) = self.work(k, &answer);
                normal + tangential
            };
            let sticking = || (0..m).filter(|&k| answer.may_stick[k]);
            let Some(most) = sticking().map(work_of).reduce(f64::max) else { break };
            let size = sticking().map(|k| work_of(k).abs()).fold(0.0, f64::max);
            let may_stick: Vec<bool> = (0..m).map(|k| answer.may_stick[k] && work_of(k) < most - TIE * size).collect();
            match self.answer(&may_stick, 1.0, work) {
                Ok(next) => answer = next,
                Err(_) => break,
            }
            if !self.exceeds(&answer) {
                break;
            }
        }
        answer
    }

    /// A factor of the restitutions at which the energy ceases to rise. It need not be the only one.
    fn limited(&self, answer: Answer, work: &mut Work) -> Answer {
        let all = vec![true; self.contacts.len()];
        let mut lawful = match self.answer(&all, 0.0, work) {
            Ok(plastic) if !self.exceeds(&plastic) => plastic,
            _ => return answer,
        };
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let factor = 0.5 * (low + high);
            match self.answer(&all, factor, work) {
                Ok(next) if !self.exceeds(&next) => {
                    low = factor;
                    lawful = next;
                }
                _ => high = factor,
            }
        }
        lawful
    }

    /// As much of an answer that gains as the plastic one can pay for.
    pub(super) fn blended(&self, gaining: &Answer, plastic: &Answer) -> Answer {
        let change: Vec<f64> = gaining.impulse.iter().zip(&plastic.impulse).map(|(g, p)| g - p).collect();
        let velocity: Vec<f64> = gaining.after.iter().zip(&plastic.after).map(|(g, p)| g - p).collect();
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let whitened = self.ill_conditioned().map(|rows| {
            let of = |answer: &Answer| {
                answer.change.as_deref().map_or_else(|| rows.pushed(&answer.impulse), <[f64]>::to_vec)
            };
            let (gaining, plastic) = (of(gaining), of(plastic));
            let difference: Vec<f64> = gaining.iter().zip(&plastic).map(|(g, p)| g - p).collect();
            (rows, plastic, difference)
        });
        // K(λ) - K⁻ = a + b λ + c λ², with a <= 0 <= c and a + b + c > 0.
        let a = self.energy_change(plastic).min(0.0);
        let (b, c) = match &whitened {
            Some((rows, plastic, difference)) => {
                let after: Vec<f64> = rows.velocity.iter().zip(plastic).map(|(s, x)| s + x).collect();
                (product(&after, difference), 0.5 * product(difference, difference))
            }
            None => (product(&plastic.after, &change), 0.5 * product(&velocity, &change).max(0.0)),
        };
        let root = (b * b - 4.0 * a * c).sqrt();
        let share = if b > 0.0 {
            -2.0 * a / (b + root)
        } else if c > 0.0 {
            (root - b) / (2.0 * c)
        } else {
            0.0
        };
        let share = share.clamp(0.0, 1.0);
        let mix = |g: &[f64], p: &[f64]| g.iter().zip(p).map(|(g, p)| p + share * (g - p)).collect::<Vec<f64>>();
        Answer {
            impulse: mix(&gaining.impulse, &plastic.impulse),
            after: mix(&gaining.after, &plastic.after),
            may_stick: gaining.may_stick.clone(),
            factor: gaining.factor,
            residual: gaining.residual.max(plastic.residual),
            change: whitened
                .map(|(_, plastic, difference)| plastic.iter().zip(difference).map(|(p, d)| p + share * d).collect()),
            modes: None,
        }
    }
}
