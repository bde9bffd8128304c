//! The velocity of the mechanism after the impact, to the digits that an ill-conditioned `M` leaves.

use super::ledger::Ledger;
use super::whitened::WhitenedRows;
use super::{ContactSet, Struck};
use crate::numeric::basis::length;
use crate::numeric::least_squares::LeastSquares;
use crate::numeric::scaling::scale;
use crate::numeric::tolerance::{ACCURACY, ROUNDING};

/// Largest number of refinement steps in whitened coordinates; each corrects the rounding of the one before.
const REFINEMENTS: usize = 3;

/// Largest correction of the whitened velocity, as a fraction of it, that rounding in an ill-conditioned `M` explains: with a condition number of 1e14 its factor loses
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

    /// The differences between the contact velocities of the law and `A q̇⁺`, and the bound below which they are not refined: the
    /// rounding of `A q̇⁺` plus a tenth of the tolerance of the check; in the set's units.
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

    /// Iterative refinement as in [`refined`](Self::refined), by the shortest change of the whitened velocity that corrects the rows.
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

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use crate::contact::coefficients::{Coefficients, Friction, Restitution};
    use crate::contact::delassus::Dimension;
    use crate::numeric::matrix::MatrixView;
    use nalgebra::{DMatrix, DVector};

    const VELOCITY: [f64; 5] = [-30.0, 10.0, -20.0, 5.0, 1.0];
    #[rustfmt::skip]
    const JACOBIAN: [f64; 20] = [
        0.01, 0.002, 0.0, 0.001, 0.0,  3.0, 20.0, 6.0, 0.0, 0.0,
        0.002, 0.0, 0.01, 0.0, 0.0,    0.0, 2.0, 0.0, 20.0, 0.0,
    ];

    /// Contacts whose normals and tangents are in units of their own, and the progress after some impulses.
    fn struck(impulse: [f64; 4]) -> (ContactSet, Ledger) {
        struck_with(1.0, impulse)
    }

    /// With a mass matrix that is the less regular the smaller the share.
    fn struck_with(share: f64, impulse: [f64; 4]) -> (ContactSet, Ledger) {
        let mut m = DMatrix::from_diagonal(&DVector::from_row_slice(&[2.0, 3.0, 5.0, 7.0, 11.0]));
        (m[(3, 4)], m[(4, 3)]) = ((1.0 - share) * 77f64.sqrt(), (1.0 - share) * 77f64.sqrt());
        let jacobian = MatrixView::row_major(4, 5, &JACOBIAN);
        let set =
            ContactSet::from_generalized(&[Dimension::Planar; 2], samples::view(&m), jacobian, &VELOCITY).unwrap();
        let coefficients = Coefficients::new(Restitution::new(0.5).unwrap(), Friction::new(0.3).unwrap());
        let mut ledger = Ledger::new(&set, &[coefficients; 2]);
        ledger.impulse = impulse.to_vec();
        let before = ledger.velocity.clone();
        set.system.velocity(&before, &impulse, &mut ledger.velocity);
        (set, ledger)
    }

    /// `|A_r||q̇|` of each row, as roots of energies.
    fn sizes(velocity: &[f64]) -> Vec<f64> {
        let masses = [2.0, 3.0, 5.0, 7.0, 11.0];
        let speed = masses.iter().zip(velocity).map(|(m, v)| m * v * v).sum::<f64>().sqrt();
        (0..4)
            .map(|r| {
                let row = &JACOBIAN[5 * r..5 * r + 5];
                speed * row.iter().zip(masses).map(|(a, m)| a * a / m).sum::<f64>().sqrt()
            })
            .collect()
    }

    #[test]
    fn rows_miss_what_the_mechanism_does_not_do_of_what_the_contacts_do() {
        let (set, ledger) = struck([0.4, -0.1, 0.3, 0.2]);
        let exact = set.velocity_after(&set.impulses_out(&ledger.impulse), &ledger).unwrap();
        let of = set.mechanism.as_ref().unwrap();
        assert!(set.missing(of, &ledger, &exact).0.iter().all(|left| left.abs() < 1e-14));
        let off = [0.1, 0.0, -0.2, 0.0, 0.3];
        let moved: Vec<f64> = exact.iter().zip(off).map(|(v, off)| v + off).collect();
        let (left, most) = set.missing(of, &ledger, &moved);
        for r in 0..4 {
            let in_units = |v: f64| scale(v, -set.gamma - set.rows[r]);
            let expected: f64 = -(0..5).map(|j| JACOBIAN[5 * r + j] * off[j]).sum::<f64>();
            assert!((left[r] - in_units(expected)).abs() < 1e-13, "{left:?}");
            let bound = ROUNDING * 5.0 * sizes(&moved)[r] + NOTICED * sizes(&VELOCITY)[r];
            assert!((most[r] / in_units(bound) - 1.0).abs() < 1e-12, "{most:?}");
        }
        // After an impact of fast contacts the rounding of A q̇ itself counts.
        let fast: Vec<f64> = moved.iter().map(|v| 1e9 * v).collect();
        let most = set.missing(of, &ledger, &fast).1;
        for r in 0..4 {
            let bound = ROUNDING * 5.0 * sizes(&fast)[r] + NOTICED * sizes(&VELOCITY)[r];
            assert!((most[r] / scale(bound, -set.gamma - set.rows[r]) - 1.0).abs() < 1e-12, "{most:?}");
        }
    }

    /// What an ill-conditioned `M` loses is given back to the rows by the impulses that change them so; what would need impulses beyond
    /// that uncertainty is left.
    #[test]
    fn a_velocity_that_misses_its_contacts_by_rounding_is_refined() {
        let (set, ledger) = struck([0.4, -0.1, 0.3, 0.2]);
        let exact = set.velocity_after(&set.impulses_out(&ledger.impulse), &ledger).unwrap();
        let of = set.mechanism.as_ref().unwrap();
        assert_eq!(set.refined(&exact, &ledger), None);
        // By impulses of a share of the largest: the accuracy is 1e-9, and M adds next to nothing.
        let moved = |share: f64| -> Vec<f64> {
            let change = of.mechanism.velocity_change(&set.impulses_out(&[0.4 * share, 0.0, 0.0, 0.0]));
            exact.iter().zip(change).map(|(v, x)| v + x).collect()
        };
        let refined = set.refined(&moved(0.9e-9), &ledger).expect("a step of refinement");
        refined.iter().zip(&exact).for_each(|(a, b)| assert!((a - b).abs() < 1e-13 * 30.0, "{a} {b}"));
        assert_eq!(set.refined(&moved(1.1e-9), &ledger), None);
        // An ill-conditioned M explains more.
        let (set, ledger) = struck_with(1e-7, [0.4, -0.1, 0.3, 0.2]);
        let of = set.mechanism.as_ref().unwrap();
        let exact = set.velocity_after(&set.impulses_out(&ledger.impulse), &ledger).unwrap();
        let most = ACCURACY + ROUNDING * 5.0 * of.condition;
        assert!(most > 3.0 * ACCURACY, "{most:e}");
        for (share, is_refined) in [(0.8, true), (1.2, false)] {
            let change = of.mechanism.velocity_change(&set.impulses_out(&[0.4 * share * most, 0.0, 0.0, 0.0]));
            let off: Vec<f64> = exact.iter().zip(change).map(|(v, x)| v + x).collect();
            assert_eq!(set.refined(&off, &ledger).is_some(), is_refined, "{share}");
        }
    }

    #[test]
    fn a_precise_velocity_is_refined_by_the_shortest_change_of_the_whitened_one() {
        let (set, mut ledger) = struck([0.4, -0.1, 0.3, 0.2]);
        ledger.change = set.whitened.as_ref().unwrap().pushed(&ledger.impulse);
        let by_impulses = set.velocity_after(&set.impulses_out(&ledger.impulse), &ledger).unwrap();
        ledger.is_precise = true;
        let exact = set.velocity_after(&set.impulses_out(&ledger.impulse), &ledger).unwrap();
        by_impulses.iter().zip(&exact).for_each(|(a, b)| assert!((a - b).abs() < 1e-12, "{a} {b}"));
        let (of, whitened) = (set.mechanism.as_ref().unwrap(), set.whitened.as_ref().unwrap());
        let moved =
            |by: f64| -> Vec<f64> { exact.iter().zip([1.0, -1.0, 0.5, 0.0, 0.0]).map(|(v, x)| v + by * x).collect() };
        let left = |after: &[f64]| -> f64 {
            let (left, most) = set.missing(of, &ledger, after);
            left.iter().zip(most).map(|(left, most)| left.abs() / most).fold(0.0, f64::max)
        };
        let off = moved(1e-6);
        let refined = set.refined_precisely(of, whitened, &ledger, off.clone());
        assert!(left(&off) > 100.0 && left(&refined) <= 1.0, "{} {}", left(&off), left(&refined));
        // A tenth of the whole velocity is no rounding.
        let far = moved(3.0);
        assert_eq!(set.refined_precisely(of, whitened, &ledger, far.clone()), far);
        // What is told of the contacts is then what the mechanism does.
        let told = set.contact_velocity_after(&ledger, Some(&off));
        for r in 0..4 {
            let anew: f64 = (0..5).map(|j| JACOBIAN[5 * r + j] * off[j]).sum();
            assert!((scale(told[r], set.gamma + set.rows[r]) - anew).abs() < 1e-9 * sizes(&VELOCITY)[r], "{r}");
        }
        assert_eq!(set.contact_velocity_after(&ledger, Some(&exact)), ledger.velocity);
        ledger.is_precise = false;
        assert_eq!(set.contact_velocity_after(&ledger, Some(&off)), ledger.velocity);
    }
}
