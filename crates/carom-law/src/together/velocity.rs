//! The velocity of the mechanism after the impact, to the digits that an ill-conditioned `M` leaves.

use super::ledger::Ledger;
use super::whitened::WhitenedRows;
use super::{ContactSet, Struck};
use crate::numeric::basis::length;
use crate::numeric::least_squares::LeastSquares;
use crate::numeric::scaling::scale;
use crate::numeric::tolerance::{ACCURACY, ROUNDING};

/// Steps of the refinement of an answer in whitened coordinates, each of which takes back what the rounding of `M` left.
const REFINEMENTS: usize = 3;

/// The part of the whitened velocity that rounding in an ill-conditioned `M` may take: with a condition number of 1e14 its factor loses
/// seven digits, and the velocity a few more.
const SMALL_CHANGE: f64 = 1e-4;

/// Error of a contact velocity above which it is refined, relative to the velocities before the impact.
const NOTICED: f64 = 0.1 * ACCURACY;

impl ContactSet {
    /// One step of iterative refinement with `W`, which removes the error of the contact velocities by rounding in an ill-conditioned
    /// `M`. `None` if the error is within the rounding of `A q̇⁺` and a tenth of the tolerance of the check, or if the step needs an
    /// impulse larger than the uncertainty due to `M`.
    fn refined(&self, after: &[f64], ledger: &Ledger) -> Option<Vec<f64>> {
        let struck = self.mechanism.as_ref()?;
        let Struck { mechanism, condition, .. } = struck;
        let rounding = ROUNDING * after.len() as f64;
        let (left, most) = self.missing(struck, ledger, after);
        if left.iter().zip(most).all(|(left, most)| left.abs() <= most) {
            return None;
        }
        let mut system = LeastSquares::new(self.system.rows);
        system.matrix.clone_from(&self.system.matrix);
        system.rhs.copy_from_slice(&left);
        let mut step = vec![0.0; self.system.rows];
        system.solve(&mut step);
        let largest = |x: &[f64]| x.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
        if !(largest(&step) <= (ACCURACY + rounding * condition) * largest(&ledger.impulse)) {
            return None;
        }
        let change = mechanism.velocity_change(&self.impulses_out(&step));
        let refined: Vec<f64> = after.iter().zip(change).map(|(v, change)| v + change).collect();
        (largest(&self.missing(struck, ledger, &refined).0) < largest(&left)).then_some(refined)
    }

    /// What `A q̇⁺` misses of the contact velocities, and how much of that is no more than the rounding of `A q̇⁺` itself and a tenth
    /// of what the check lets pass; in the set's units.
    fn missing(&self, struck: &Struck, ledger: &Ledger, after: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let Struck { mechanism, jacobian, velocity, .. } = struck;
        let rounding = ROUNDING * after.len() as f64;
        let in_units = |(r, v): (usize, f64)| scale(v, -self.gamma - self.rows[r]);
        let anew = jacobian.times(after).into_iter().enumerate().map(in_units);
        let left = ledger.velocity.iter().zip(anew).map(|(told, anew)| told - anew).collect();
        let sizes = mechanism.sizes(jacobian, after).into_iter().zip(mechanism.sizes(jacobian, velocity));
        let most = sizes.map(|(after, before)| rounding * after + NOTICED * before).enumerate().map(in_units);
        (left, most.collect())
    }

    /// `q̇⁺`, by the impulses or by the change of the whitened velocity.
    pub(super) fn velocity_after(&self, impulse: &[f64], ledger: &Ledger) -> Option<Vec<f64>> {
        let struck = self.mechanism.as_ref()?;
        let added = |change: Vec<f64>| -> Vec<f64> { struck.velocity.iter().zip(change).map(|(v, x)| v + x).collect() };
        match self.whitened.as_ref().filter(|_| ledger.is_precise) {
            Some(whitened) => {
                let after = added(whitened.generalized(&struck.mechanism, &ledger.change));
                Some(self.refined_precisely(struck, whitened, ledger, after))
            }
            None => {
                let after = added(struck.mechanism.velocity_change(impulse));
                Some(self.refined(&after, ledger).unwrap_or(after))
            }
        }
    }

    /// The same as [`refined`](Self::refined) by the shortest change of the whitened velocity that gives the rows back what they miss.
    fn refined_precisely(
        &self,
        struck: &Struck,
        whitened: &WhitenedRows,
        ledger: &Ledger,
        mut after: Vec<f64>,
    ) -> Vec<f64> {
        let worst = |left: &[f64], most: &[f64]| left.iter().zip(most).fold(0.0_f64, |w, (l, m)| w.max(l.abs() / m));
        for _ in 0..REFINEMENTS {
            let (left, most) = self.missing(struck, ledger, &after);
            let is_missing: Vec<bool> = left.iter().zip(&most).map(|(left, most)| left.abs() > *most).collect();
            if !is_missing.contains(&true) {
                break;
            }
            let change = whitened.change_for(&left, &is_missing);
            if !(length(&change) <= SMALL_CHANGE * length(&whitened.velocity)) {
                break;
            }
            let change = whitened.generalized(&struck.mechanism, &change);
            let refined: Vec<f64> = after.iter().zip(change).map(|(v, change)| v + change).collect();
            let (left_then, most_then) = self.missing(struck, ledger, &refined);
            if !(worst(&left_then, &most_then) < worst(&left, &most)) {
                break;
            }
            after = refined;
        }
        after
    }

    /// `v⁺` in the set's units: that of the law, or where `q̇⁺` was found by the whitened velocity and misses it, `A q̇⁺`.
    pub(super) fn contact_velocity_after(&self, ledger: &Ledger, after: Option<&[f64]>) -> Vec<f64> {
        let mut velocity = ledger.velocity.clone();
        if let Some((struck, after)) = self.mechanism.as_ref().zip(after).filter(|_| ledger.is_precise) {
            let (left, most) = self.missing(struck, ledger, after);
            for ((v, left), most) in velocity.iter_mut().zip(left).zip(most) {
                if left.abs() > most {
                    *v -= left;
                }
            }
        }
        velocity
    }
}
