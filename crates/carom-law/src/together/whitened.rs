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

    /// What a change of `s` does to `q̇`.
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
