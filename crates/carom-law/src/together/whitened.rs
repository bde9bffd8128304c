//! Contacts of a mechanism in whitened coordinates, in which the kinetic energy is half the square of the velocity.
//!
//! With `M = L Lᵀ` and the rows `Y = A L⁻ᵀ`, the velocity `s = Lᵀ q̇` has `A q̇ = Y s`, impulses change it by `Yᵀ i`, and
//! `W = Y Yᵀ`. Where rows nearly depend on each other, impulses are large and cancel: computed from them, velocities lose
//! half of the digits that `W` has lost, and energies all of them. The change of `s` keeps both.

use std::f64::consts::SQRT_2;

use crate::contact::mechanism::{Jacobian, Mechanism};
use crate::numeric::basis::{Basis, dot};
use crate::numeric::matrix::Dense;
use crate::numeric::orthogonal::Orthogonal;
use crate::numeric::scaling::scale;

/// Beyond this condition number of `W`, energies computed from impulses may be off by more than a tenth of what the check lets
/// pass: `64 ε` times the condition.
const ILL_CONDITIONED: f64 = 1e4;

/// The rows of a set, in the units of the set.
#[derive(Debug, Clone)]
pub(super) struct WhitenedRows {
    /// `Y`, one row a direction.
    rows: Vec<Vec<f64>>,
    /// `s⁻`
    pub(super) velocity: Vec<f64>,
    /// `|A_r||q̇⁻|` of each row: what the check holds its velocity to.
    pub(super) sizes: Vec<f64>,
    /// The unit of `s` is `2^exponent`, times the root of two if the unit of `W` is an odd power of two.
    exponent: i32,
    factor: f64,
}

impl WhitenedRows {
    /// `omega`, `units` and `gamma` are the powers of two taken out of `W`, of its rows and of velocities.
    pub(super) fn new(
        mechanism: &Mechanism,
        jacobian: &Jacobian,
        velocity: &[f64],
        omega: i32,
        units: &[i32],
        gamma: i32,
    ) -> Self {
        let half = (omega + 1).div_euclid(2);
        let factor = if omega.rem_euclid(2) == 0 { 1.0 } else { SQRT_2 };
        let row = |r: usize| -> Vec<f64> {
            let exponent = mechanism.rows[r] - units[r] - half;
            mechanism.row(r).iter().map(|y| factor * scale(*y, exponent)).collect()
        };
        let (whitened, unit) = mechanism.whitened(velocity);
        let sizes = mechanism.sizes(jacobian, velocity);
        Self {
            rows: (0..units.len()).map(row).collect(),
            velocity: whitened.iter().map(|s| scale(*s, unit + half - gamma) / factor).collect(),
            sizes: sizes.iter().zip(units).map(|(size, unit)| scale(*size, -gamma - unit)).collect(),
            exponent: gamma - half,
            factor,
        }
    }

    /// Some of the rows, in the order given.
    pub(super) fn part(&self, rows: &[usize]) -> Self {
        Self {
            rows: rows.iter().map(|&r| self.rows[r].clone()).collect(),
            sizes: rows.iter().map(|&r| self.sizes[r]).collect(),
            ..self.clone()
        }
    }

    /// `Y x`
    pub(super) fn velocities(&self, change: &[f64]) -> Vec<f64> {
        self.rows.iter().map(|row| dot(row, change)).collect()
    }

    /// `Yᵀ i`
    pub(super) fn pushed(&self, impulse: &[f64]) -> Vec<f64> {
        pushed(&self.rows, impulse, self.velocity.len())
    }

    /// The shortest change of `s` that changes the velocities of the rows marked as given.
    pub(super) fn change_for(&self, velocities: &[f64], is_marked: &[bool]) -> Vec<f64> {
        let marked: Vec<usize> = (0..self.rows.len()).filter(|&r| is_marked[r]).collect();
        let rows: Vec<Vec<f64>> = marked.iter().map(|&r| self.rows[r].clone()).collect();
        let products: Vec<f64> = marked.iter().map(|&r| velocities[r]).collect();
        let basis = Basis::new(&rows, self.velocity.len());
        basis.combined(&basis.coordinates(&products))
    }

    /// The change of `q̇` that a change of `s` causes.
    pub(super) fn generalized(&self, mechanism: &Mechanism, change: &[f64]) -> Vec<f64> {
        mechanism.generalized(change.iter().map(|x| self.factor * x).collect(), self.exponent)
    }

    /// The rows of contacts that strike together, multiplied by the factors of their velocities; `velocity` is `s` before.
    pub(super) fn striking(&self, factors: &[f64], velocity: &[f64]) -> StrikingRows {
        let multiplied = |(row, factor): (&Vec<f64>, &f64)| row.iter().map(|y| factor * y).collect();
        let rows: Vec<Vec<f64>> = self.rows.iter().zip(factors).map(multiplied).collect();
        let is_finite = rows.iter().flatten().chain(velocity).all(|x| x.is_finite());
        let is_ill = is_finite && Basis::new(&rows, velocity.len()).condition() > ILL_CONDITIONED;
        StrikingRows { rows, velocity: velocity.to_vec(), is_ill }
    }
}

#[cfg(test)]
impl WhitenedRows {
    /// Rows of a strike, with the sizes of their velocities.
    pub(super) fn of_sizes(rows: &StrikingRows, sizes: Vec<f64>) -> Self {
        let StrikingRows { rows, velocity, .. } = rows.clone();
        Self { rows, velocity, sizes, exponent: 0, factor: 1.0 }
    }
}

/// The rows of contacts that strike together, in the units of the strike.
#[derive(Debug, Clone)]
pub(super) struct StrikingRows {
    /// `Y`
    pub(super) rows: Vec<Vec<f64>>,
    /// `s⁻`
    pub(super) velocity: Vec<f64>,
    /// Whether impulses lose digits that the change of `s` keeps.
    pub(super) is_ill: bool,
}

impl StrikingRows {
    /// `Yᵀ i`
    pub(super) fn pushed(&self, impulse: &[f64]) -> Vec<f64> {
        pushed(&self.rows, impulse, self.velocity.len())
    }

    /// The orthogonal factorisation of the rows of one contact.
    pub(super) fn orthogonal(&self) -> Orthogonal {
        let mut y = Dense::zeros(self.rows.len(), self.velocity.len());
        self.rows.iter().enumerate().for_each(|(r, row)| y.row_mut(r).copy_from_slice(row));
        Orthogonal::new(&y, self.rows.len())
    }

    /// `K⁻`
    pub(super) fn energy(&self) -> f64 {
        0.5 * dot(&self.velocity, &self.velocity)
    }

    /// `K⁺ - K⁻ = x·(s⁻ + x/2)`.
    pub(super) fn energy_change(&self, change: &[f64]) -> f64 {
        change.iter().zip(&self.velocity).map(|(x, s)| x * (s + 0.5 * x)).sum()
    }
}

fn pushed(rows: &[Vec<f64>], impulse: &[f64], columns: usize) -> Vec<f64> {
    let mut sum = vec![0.0; columns];
    for (row, i) in rows.iter().zip(impulse) {
        sum.iter_mut().zip(row).for_each(|(x, y)| *x += i * y);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::super::ContactSet;
    use super::super::samples;
    use super::*;
    use crate::contact::delassus::Dimension;
    use fastrand::Rng;

    /// A set of contacts of a mechanism with a mass matrix far from one, and rows of unlike sizes.
    fn set(rng: &mut Rng) -> (ContactSet, Vec<f64>) {
        let n = 7;
        let root = nalgebra::DMatrix::from_fn(n, n, |_, _| samples::between(rng, -1.0, 1.0));
        let scale = 10f64.powf(samples::between(rng, -3.0, 3.0));
        let mass = (&root * root.transpose() + nalgebra::DMatrix::identity(n, n)) * scale;
        let dimensions = [Dimension::Spatial, Dimension::Planar];
        let jacobian: Vec<f64> =
            (0..5 * n).map(|i| samples::between(rng, -1.0, 1.0) * if i < 3 * n { 0.03 } else { 40.0 }).collect();
        let velocity = samples::numbers(rng, n);
        let view = crate::numeric::matrix::MatrixView::row_major(5, n, &jacobian);
        (ContactSet::from_generalized(&dimensions, samples::view(&mass), view, &velocity).unwrap(), velocity)
    }

    #[test]
    fn whitened_rows_are_a_factor_of_the_matrix_and_give_its_velocities() {
        let mut rng = Rng::with_seed(1);
        for _ in 0..100 {
            let (set, _) = set(&mut rng);
            let rows = set.whitened.as_ref().unwrap();
            let impulse = samples::numbers(&mut rng, 5);
            let (pushed, mut changes) = (rows.pushed(&impulse), vec![0.0; 5]);
            set.system.velocity(&[0.0; 5], &impulse, &mut changes);
            let (by_rows, before) = (rows.velocities(&pushed), rows.velocities(&rows.velocity));
            for r in 0..5 {
                assert!((by_rows[r] - changes[r]).abs() < 1e-12 * (1.0 + changes[r].abs()));
                assert!((before[r] - set.scaled_velocity()[r]).abs() < 1e-12);
            }
            let part = rows.part(&[4, 1]);
            assert_eq!(part.velocities(&pushed), [by_rows[4], by_rows[1]]);
            assert_eq!(part.sizes, [rows.sizes[4], rows.sizes[1]]);
        }
    }

    #[test]
    fn the_change_for_marked_rows_is_the_shortest_that_gives_them_their_velocities() {
        let mut rng = Rng::with_seed(2);
        for _ in 0..100 {
            let (set, _) = set(&mut rng);
            let rows = set.whitened.as_ref().unwrap();
            let (wanted, marked) = (samples::numbers(&mut rng, 5), [true, false, true, true, false]);
            let change = rows.change_for(&wanted, &marked);
            let found = rows.velocities(&change);
            for r in (0..5).filter(|&r| marked[r]) {
                assert!((found[r] - wanted[r]).abs() < 1e-10, "{found:?} {wanted:?}");
            }
            // What no marked row sees is not in it.
            let all: Vec<Vec<f64>> = (0..5).filter(|&r| marked[r]).map(|r| rows.rows[r].clone()).collect();
            let basis = Basis::new(&all, change.len());
            let products: Vec<f64> = basis.vectors().iter().map(|vector| dot(vector, &change)).collect();
            let within = basis.combined(&products);
            change.iter().zip(within).for_each(|(a, b)| assert!((a - b).abs() < 1e-10 * (1.0 + a.abs())));
        }
    }

    #[test]
    fn energies_are_those_of_the_whitened_velocity() {
        let mut rng = Rng::with_seed(3);
        for _ in 0..100 {
            let strike = samples::strike(&mut rng, &[Dimension::Spatial; 2], 7);
            let rows = strike.rows.unwrap();
            let change: Vec<f64> = samples::numbers(&mut rng, 7);
            let energy = |s: &[f64]| s.iter().map(|s| 0.5 * s * s).sum::<f64>();
            let after: Vec<f64> = rows.velocity.iter().zip(&change).map(|(s, x)| s + x).collect();
            assert!((rows.energy() - energy(&rows.velocity)).abs() < 1e-14);
            let expected = energy(&after) - energy(&rows.velocity);
            assert!((rows.energy_change(&change) - expected).abs() < 1e-13, "{expected}");
        }
    }

    #[test]
    fn rows_that_nearly_depend_on_each_other_are_ill_conditioned() {
        let rows = |off: f64| StrikingRows {
            rows: vec![vec![1.0, 0.0, 0.0], vec![1.0, off, 0.0]],
            velocity: vec![0.3, 0.2, 0.1],
            is_ill: false,
        };
        let is_ill = |off: f64| {
            let whitened = WhitenedRows::of_sizes(&rows(off), vec![1.0; 2]);
            whitened.striking(&[1.0; 2], &whitened.velocity).is_ill
        };
        assert!(!is_ill(1.0) && !is_ill(0.011) && is_ill(0.009) && is_ill(1e-6));
        // What has left the numbers has no condition.
        let whitened = WhitenedRows::of_sizes(&rows(1e-6), vec![1.0; 2]);
        assert!(!whitened.striking(&[f64::INFINITY, 1.0], &whitened.velocity).is_ill);
        let striking = whitened.striking(&[2.0, 0.5], &whitened.velocity);
        assert_eq!(striking.rows, [[2.0, 0.0, 0.0], [0.5, 0.5e-6, 0.0]]);
    }
}
