//! The guards: how an answer that creates energy is replaced.
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

/// Gain that a guard accepts, relative to the least kinetic energy of a system whose fastest row moves as it does: half of the
/// tolerance of the check.
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

    /// Whether an answer gains more energy than the check of guarded answers allows.
    fn exceeds(&self, answer: &Answer) -> bool {
        if let Some(rows) = self.rows.as_ref().filter(|_| answer.change.is_some()) {
            return self.energy_change(answer) > LARGEST_GAIN * rows.energy();
        }
        let exchanged = self.speed * answer.impulse.iter().map(|i| i.abs()).sum::<f64>();
        let fastest = self.system.fastest(&self.before);
        self.energy_change(answer) > (ROUNDING * exchanged).max(LARGEST_GAIN * 0.5 * fastest * fastest)
    }

    /// Turns sticking contacts into sliding ones until no energy is gained: in each round the one that adds the most energy, and those
    /// that add as much.
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

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use crate::contact::delassus::Dimension;
    use fastrand::Rng;

    /// Changes the velocity after of the row with the largest impulse so that the answer changes the energy by this much.
    fn with_gain(strike: &Strike, answer: &mut Answer, gain: f64) {
        let largest = |r: &usize, s: &usize| answer.impulse[*r].abs().total_cmp(&answer.impulse[*s].abs());
        let row = (0..answer.impulse.len()).max_by(largest).unwrap_or_default();
        answer.after[row] += 2.0 * (gain - strike.energy_change(answer)) / answer.impulse[row];
    }

    fn exchanged(strike: &Strike, answer: &Answer) -> f64 {
        strike.speed * answer.impulse.iter().map(|i| i.abs()).sum::<f64>()
    }

    #[test]
    fn an_answer_gains_beyond_rounding_rest_and_residual() {
        let mut rng = Rng::with_seed(1);
        for _ in 0..200 {
            let mut strike = samples::strike(&mut rng, &[Dimension::Spatial; 2], 7);
            strike.rest = 1e-4 * rng.f64();
            let mut answer = samples::answer(&mut rng, &strike);
            answer.residual = 1e-4 * rng.f64();
            let bound = (ENERGY_ROUNDING + strike.rest + 2.0 * answer.residual) * exchanged(&strike, &answer);
            for (share, gains) in [(0.9, false), (1.1, true), (-1.0, false)] {
                with_gain(&strike, &mut answer, share * bound);
                assert_eq!(strike.gains(&answer), gains, "{share}");
            }
        }
    }

    #[test]
    fn an_answer_exceeds_what_the_check_lets_pass() {
        let mut rng = Rng::with_seed(2);
        for _ in 0..200 {
            let strike = samples::strike(&mut rng, &[Dimension::Spatial; 2], 7);
            let mut answer = samples::answer(&mut rng, &strike);
            // By impulses: of the energy that goes with the fastest row, as the root of its own entry of W ...
            let rate = |r: usize| strike.before[r].powi(2) / strike.system.matrix[(r, r)];
            let bound = LARGEST_GAIN * 0.5 * (0..6).map(rate).fold(0.0, f64::max);
            for (share, exceeds) in [(0.9, false), (1.1, true)] {
                with_gain(&strike, &mut answer, share * bound);
                assert_eq!(strike.exceeds(&answer), exceeds, "{share}");
            }
            // ... or of rounding, where impulses are huge ...
            let mut huge = answer.clone();
            huge.impulse.iter_mut().for_each(|i| *i *= 1e8);
            let bound = ROUNDING * exchanged(&strike, &huge);
            for (share, exceeds) in [(0.9, false), (1.1, true)] {
                with_gain(&strike, &mut huge, share * bound);
                assert_eq!(strike.exceeds(&huge), exceeds, "{share}");
            }
            // ... and by the whitened velocity of its energy.
            let rows = strike.rows.as_ref().unwrap();
            for (share, exceeds) in [(0.9, false), (1.1, true)] {
                // (1 + x)² - 1 of the energy before.
                let growth = 0.5 * share * LARGEST_GAIN;
                let change: Vec<f64> = rows.velocity.iter().map(|s| growth * s).collect();
                let precise = Answer { change: Some(change.into()), ..answer.clone() };
                assert_eq!((strike.exceeds(&precise), strike.gains(&precise)), (exceeds, exceeds), "{share}");
            }
        }
    }

    /// `K(λ)` of the blend is `K⁻`, unless the answer needs none of the plastic one.
    #[test]
    fn a_blend_neither_gains_nor_gives_more_than_it_has_to() {
        let mut rng = Rng::with_seed(3);
        let mut blended = 0;
        for case in 0..400 {
            let mut strike = samples::strike(&mut rng, &[Dimension::Spatial; 2], 7);
            let all = |share: f64, strike: &Strike| -> Answer {
                // i = -share W⁻¹ v⁻: at 1 all velocities are zero, at 2 they are reversed, and beyond energy is created.
                let w = nalgebra::DMatrix::from_fn(6, 6, |i, j| strike.system.matrix[(i, j)]);
                let v = nalgebra::DVector::from_row_slice(&strike.before);
                let impulse = w.lu().solve(&v).unwrap() * -share;
                let mut after = vec![0.0; 6];
                strike.system.velocity(&strike.before, impulse.as_slice(), &mut after);
                let mut answer = samples::answer(&mut Rng::with_seed(1), strike);
                (answer.impulse, answer.after) = (impulse.as_slice().to_vec(), after);
                answer
            };
            let (plastic, gaining) = (all(0.5, &strike), all(2.5, &strike));
            let before = -strike.energy_change(&all(1.0, &strike));
            if before < 1e-3 {
                continue;
            }
            assert!(strike.energy_change(&gaining) > 0.0 && strike.energy_change(&plastic) < 0.0);
            if case % 2 == 1 {
                // By the whitened velocity.
                if let Some(rows) = &mut strike.rows {
                    rows.is_ill = true;
                }
            }
            let answer = strike.blended(&gaining, &plastic);
            // The blend is λ = 3/4 of the way: i = -2 W⁻¹ v⁻.
            let size = strike.before.iter().map(|v| v.abs()).fold(0.0, f64::max);
            for (v, after) in strike.before.iter().zip(&answer.after) {
                assert!((v + after).abs() < 1e-7 * size, "{v} {after}");
            }
            assert!(strike.energy_change(&answer).abs() < 1e-7 * before);
            assert_eq!(answer.change.is_some(), case % 2 == 1);
            blended += 1;
        }
        assert!(blended > 300, "{blended}");
    }

    /// A sum of impulses that gains nothing along the way is taken whole.
    #[test]
    fn a_blend_with_an_answer_that_does_not_gain_is_that_answer() {
        let mut rng = Rng::with_seed(4);
        let strike = samples::strike(&mut rng, &[Dimension::Planar], 5);
        let zero = Answer { impulse: vec![0.0; 2], after: strike.before.clone(), ..samples::answer(&mut rng, &strike) };
        let answer = strike.blended(&zero, &zero);
        assert_eq!((answer.impulse, answer.after), (vec![0.0; 2], strike.before.clone()));
    }
}
