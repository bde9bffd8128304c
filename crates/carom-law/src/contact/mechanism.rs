//! A mechanism's mass matrix, factored, with the rows of its contacts.
//!
//! `M` is scaled to a diagonal of order one by powers of two, `D M D = L Lᵀ`, so that the factorisation does not depend
//! on the units of the coordinates. With `Y = L⁻¹ (A D)ᵀ`, the Delassus matrix is `W = Yᵀ Y`, symmetric and positive
//! semidefinite by construction, and an impulse changes the velocity by `D L⁻ᵀ Y i` \[7\]. `M` is never inverted.

use crate::contact::delassus::Dimension;
use crate::error::{Error, Result, finite};
use crate::numeric::cholesky;
use crate::numeric::matrix::{Dense, MatrixView};
use crate::numeric::orthogonal::Orthogonal;
use crate::numeric::scaling::{exponent, loses_digits, scale};
use crate::numeric::tolerance::{MASS_PIVOT, SYMMETRY};

/// A pivot below this has lost digits by cancellation. The sums are then computed with compensation, so that an `M`
/// with a condition number of 1e14 is still accepted.
const SMALL_PIVOT: f64 = 1e-9;

/// Largest number of iterations of the condition estimate, which seldom needs more than two.
const CONDITION_STEPS: usize = 5;

/// `M` and `A` in factored form.
#[derive(Debug, Clone)]
pub(crate) struct Mechanism {
    /// The lower triangle of `D M D` ...
    mass: Dense,
    /// ... and of its factor `L`.
    factor: Dense,
    /// `Yᵀ`, one row per contact direction.
    y: Dense,
    /// `D = diag(2^-delta)`.
    delta: Vec<i32>,
    /// The power of two taken out of each row of `A D`: one for a contact's normal, one for its tangents.
    pub(crate) rows: Vec<i32>,
}

impl Mechanism {
    /// From matrices whose shapes have been checked; `contacts` groups the rows of `A`.
    pub(crate) fn new(m: &MatrixView<'_>, a: &MatrixView<'_>, contacts: &[Dimension]) -> Result<Self> {
        let delta = equilibration(m)?;
        let mass = symmetrised(m, &delta)?;
        let factor = match factored(&mass, delta.len(), cholesky::plain_product, SMALL_PIVOT) {
            Ok(factor) => factor,
            Err(_) => factored(&mass, delta.len(), cholesky::exact_product, MASS_PIVOT)?,
        };
        let (mut y, rows) = scaled_jacobian(a, &delta, contacts)?;
        (0..a.rows).for_each(|k| cholesky::forward(&factor, y.row_mut(k)));
        Ok(Self { mass, factor, y, delta, rows })
    }

    /// A row of `Yᵀ`.
    pub(crate) fn row(&self, k: usize) -> &[f64] {
        self.y.row(k)
    }

    /// An entry of `Yᵀ Y`, which is `W` up to the powers of two of row and column.
    pub(crate) fn gram(&self, i: usize, j: usize) -> f64 {
        self.y.row(i).iter().zip(self.y.row(j)).map(|(a, b)| a * b).sum()
    }

    /// \[7\]: `M⁻¹ Aᵀ i`.
    pub(crate) fn velocity_change(&self, impulse: &[f64]) -> Vec<f64> {
        let nonzero = impulse.iter().zip(&self.rows).filter(|(i, _)| **i != 0.0);
        let common = nonzero.map(|(i, row)| exponent(*i) + row).max().unwrap_or(0);
        let mut z = vec![0.0; self.delta.len()];
        for (k, (&i_k, &row)) in impulse.iter().zip(&self.rows).enumerate() {
            let weight = scale(i_k, row - common);
            for (z, y) in z.iter_mut().zip(self.y.row(k)) {
                *z += weight * y;
            }
        }
        self.generalized(z, common)
    }

    /// The orthogonal factorisation of the columns of `L⁻¹ (A D)ᵀ` of all rows, at most three.
    pub(crate) fn orthogonal(&self) -> Orthogonal {
        Orthogonal::new(&self.y, self.rows.len())
    }

    /// `Lᵀ D⁻¹ q̇` over `2^unit`, and `unit`: half its square is the kinetic energy.
    pub(crate) fn whitened(&self, velocity: &[f64]) -> (Vec<f64>, i32) {
        let (x, unit) = self.unscaled(velocity);
        let n = x.len();
        let entry = |j: usize| (j..n).map(|i| self.factor[(i, j)] * x[i]).sum();
        ((0..n).map(entry).collect(), unit)
    }

    /// `D L⁻ᵀ z` times `2^unit`.
    pub(crate) fn generalized(&self, mut z: Vec<f64>, unit: i32) -> Vec<f64> {
        cholesky::backward(&self.factor, &mut z);
        for (x, &delta) in z.iter_mut().zip(&self.delta) {
            *x = scale(*x, unit - delta);
        }
        z
    }

    /// `D⁻¹ q̇` over `2^unit`, of order one, and `unit`.
    fn unscaled(&self, velocity: &[f64]) -> (Vec<f64>, i32) {
        let nonzero = velocity.iter().zip(&self.delta).filter(|(x, _)| **x != 0.0);
        let unit = nonzero.map(|(x, delta)| exponent(*x) + delta).max().unwrap_or(0);
        (velocity.iter().zip(&self.delta).map(|(x, delta)| scale(*x, delta - unit)).collect(), unit)
    }

    /// The first coordinate whose velocity after an impact would lose its digits, if there is one: beside the fastest coordinate it
    /// is told in units of less than the least number.
    pub(crate) fn without_digits(&self, velocity: &[f64]) -> Option<usize> {
        let (_, unit) = self.unscaled(velocity);
        let moves = velocity.iter().any(|v| *v != 0.0);
        self.delta.iter().position(|delta| moves && loses_digits(unit - delta))
    }

    /// Hager's estimate of the condition number of `M`, with its diagonal scaled to order one, in the maximum row-sum
    /// norm. It is seldom off by more than a factor of three.
    pub(crate) fn condition(&self) -> f64 {
        let n = self.delta.len();
        let entry = |i: usize, j: usize| if i >= j { self.mass[(i, j)] } else { self.mass[(j, i)] };
        let row_sum = |i: usize| (0..n).map(|j| entry(i, j).abs()).sum::<f64>();
        let size = (0..n).map(row_sum).fold(0.0, f64::max);
        let solve = |x: &[f64]| {
            let mut z = x.to_vec();
            cholesky::forward(&self.factor, &mut z);
            cholesky::backward(&self.factor, &mut z);
            z
        };
        let mut x = vec![1.0 / n as f64; n];
        let mut inverse: f64 = 0.0;
        for _ in 0..CONDITION_STEPS {
            let y = solve(&x);
            let sum: f64 = y.iter().map(|y| y.abs()).sum();
            if sum <= inverse {
                break;
            }
            inverse = sum;
            let signs: Vec<f64> = y.iter().map(|y| 1.0_f64.copysign(*y)).collect();
            let z = solve(&signs);
            let steepest = (0..n).reduce(|a, b| if z[b].abs() > z[a].abs() { b } else { a }).unwrap_or(0);
            x.fill(0.0);
            x[steepest] = 1.0;
        }
        size * inverse
    }

    /// `K⁺ - K⁻` as `½ (q̇⁺ - q̇⁻)ᵀ M (q̇⁺ + q̇⁻)`, which keeps the digits of a small change.
    pub(crate) fn energy_change(&self, before: &[f64], after: &[f64]) -> f64 {
        let unit_of = |v: &[f64]| self.unscaled(v).1;
        let unit = unit_of(before).max(unit_of(after));
        let scaled = |v: &[f64]| -> Vec<f64> { v.iter().zip(&self.delta).map(|(x, d)| scale(*x, d - unit)).collect() };
        let (before, after) = (scaled(before), scaled(after));
        let pairs = || before.iter().zip(&after);
        let difference: Vec<f64> = pairs().map(|(before, after)| after - before).collect();
        let mean: Vec<f64> = pairs().map(|(before, after)| 0.5 * (after + before)).collect();
        let mut change = 0.0;
        for i in 0..mean.len() {
            let row = self.mass.row(i);
            let below = |x: &[f64]| row[..i].iter().zip(x).map(|(m, x)| m * x).sum::<f64>();
            change += difference[i] * (below(&mean) + row[i] * mean[i]) + below(&difference) * mean[i];
        }
        scale(change, 2 * unit)
    }

    /// `½ q̇ᵀ M q̇`, infinite on overflow, and `|q̇|ᵀ|M||q̇|`.
    pub(crate) fn kinetic_energy(&self, velocity: &[f64]) -> (f64, f64) {
        let (unscaled, common) = self.unscaled(velocity);
        let (mut energy, mut size) = (0.0, 0.0);
        for (i, x) in unscaled.iter().enumerate() {
            let row = self.mass.row(i);
            let below: f64 = row[..i].iter().zip(&unscaled).map(|(m, y)| m * y).sum();
            let below_size: f64 = row[..i].iter().zip(&unscaled).map(|(m, y)| (m * y).abs()).sum();
            energy += x * (below + 0.5 * row[i] * x);
            size += x.abs() * (2.0 * below_size + row[i] * x.abs());
        }
        (scale(energy, 2 * common), scale(size, 2 * common))
    }
}

/// The rows of the contacts as they were given.
#[derive(Debug, Clone)]
pub(crate) struct Jacobian {
    matrix: Dense,
    rows: usize,
}

impl Jacobian {
    pub(crate) fn new(a: &MatrixView<'_>) -> Self {
        let mut matrix = Dense::zeros(a.rows, a.columns);
        for i in 0..a.rows {
            matrix.row_mut(i).iter_mut().enumerate().for_each(|(j, x)| *x = a.at(i, j));
        }
        Self { matrix, rows: a.rows }
    }

    /// `A v`.
    pub(crate) fn times(&self, v: &[f64]) -> Vec<f64> {
        self.rows().map(|row| row.iter().zip(v).map(|(a, v)| a * v).sum()).collect()
    }

    fn rows(&self) -> impl Iterator<Item = &[f64]> {
        (0..self.rows).map(|i| self.matrix.row(i))
    }
}

impl Mechanism {
    /// `|A_r||q̇|` of each row `A_r`: the product of their norms, with each coordinate in units in which its inertia is
    /// one. A sum of `|a||v|` would vanish if every term does, and leave no allowance for rounding.
    pub(crate) fn sizes(&self, jacobian: &Jacobian, velocity: &[f64]) -> Vec<f64> {
        let (x, unit) = self.unscaled(velocity);
        let inertia = |j: usize| self.mass[(j, j)];
        let speed = x.iter().enumerate().map(|(j, x)| inertia(j) * x * x).sum::<f64>().sqrt();
        let size = |row: &[f64]| {
            let largest =
                row.iter().zip(&self.delta).filter(|(a, _)| **a != 0.0).map(|(a, delta)| exponent(*a) - delta).max();
            let Some(largest) = largest else { return 0.0 };
            let scaled = row.iter().zip(&self.delta).map(|(a, delta)| scale(*a, -delta - largest));
            let squares = scaled.enumerate().map(|(j, a)| a * a / inertia(j));
            scale(squares.sum::<f64>().sqrt() * speed, largest + unit)
        };
        jacobian.rows().map(size).collect()
    }
}

/// Checks the shapes of `(M, A, q̇⁻)`, and that all numbers are finite.
pub(crate) fn check_shapes(m: &MatrixView<'_>, a: &MatrixView<'_>, v: &[f64]) -> Result<()> {
    let shape =
        |field: &'static str, found: String, expected: String| Error::Shape { field: field.into(), found, expected };
    let n = m.rows;
    if n == 0 || m.columns != n {
        return Err(shape("mass_matrix", format!("{n} x {}", m.columns), "square, at least 1 x 1".into()));
    }
    if a.columns != n {
        let expected = format!("{} x {n}, as mass_matrix is {n} x {n}", a.rows);
        return Err(shape("contact_jacobian", format!("{} x {}", a.rows, a.columns), expected));
    }
    for (matrix, name) in [(m, "mass_matrix"), (a, "contact_jacobian")] {
        if !matrix.is_complete() {
            return Err(shape(name, format!("{} numbers", matrix.len()), matrix.expected()));
        }
        for i in 0..matrix.rows {
            for j in 0..matrix.columns {
                finite(matrix.at(i, j), || format!("{name}[{i}][{j}]").into())?;
            }
        }
    }
    if v.len() != n {
        let expected = format!("{n} numbers, as mass_matrix is {n} x {n}");
        return Err(shape("velocity", format!("{} numbers", v.len()), expected));
    }
    for (i, &x) in v.iter().enumerate() {
        finite(x, || format!("velocity[{i}]").into())?;
    }
    Ok(())
}

/// Half the exponents of the diagonal, so that `2^(-2 delta_i) M_ii` is in [1, 4).
fn equilibration(m: &MatrixView<'_>) -> Result<Vec<i32>> {
    (0..m.rows)
        .map(|i| {
            let value = m.at(i, i);
            if value > 0.0 {
                Ok(exponent(value).div_euclid(2))
            } else {
                Err(Error::NotPositive {
                    field: format!("mass_matrix[{i}][{i}]").into(),
                    definiteness: "definite",
                    quantity: "a diagonal entry".into(),
                    value,
                    bound: "> 0".into(),
                })
            }
        })
        .collect()
}

/// The lower triangle of `D M D`, mirror entries checked and averaged.
fn symmetrised(m: &MatrixView<'_>, delta: &[i32]) -> Result<Dense> {
    let n = m.rows;
    let entry = |i: usize, j: usize| scale(m.at(i, j), -delta[i] - delta[j]);
    let mut lower = Dense::zeros(n, n);
    for i in 0..n {
        lower[(i, i)] = entry(i, i);
        for j in 0..i {
            let (below, above) = (entry(i, j), entry(j, i));
            let bound = SYMMETRY * (lower[(i, i)] * lower[(j, j)]).sqrt();
            if !((below - above).abs() <= bound) {
                return Err(Error::NotSymmetric {
                    field: format!("mass_matrix[{i}][{j}]").into(),
                    value: m.at(i, j),
                    mirror: m.at(j, i),
                    bound: scale(bound, delta[i] + delta[j]),
                });
            }
            lower[(i, j)] = 0.5 * (below + above);
        }
    }
    Ok(lower)
}

/// The Cholesky factor of a matrix given by its lower triangle; pivots must exceed `least`.
fn factored(mass: &Dense, n: usize, rest: fn(f64, &[f64], &[f64]) -> f64, least: f64) -> Result<Dense> {
    let mut l = mass.clone();
    cholesky::factor(&mut l, n, rest, |i, _, rest| if rest > least { Ok(rest) } else { Err(not_definite(i, rest)) })?;
    Ok(l)
}

#[cold]
fn not_definite(pivot: usize, value: f64) -> Error {
    Error::NotPositive {
        field: "mass_matrix".into(),
        definiteness: "definite",
        quantity: format!("pivot {pivot} of its factorisation, with its diagonal brought to order one,").into(),
        value,
        bound: format!("> {MASS_PIVOT:e}").into(),
    }
}

/// `A D` with powers of two taken out of each contact's normal row and of its tangential rows together.
fn scaled_jacobian(a: &MatrixView<'_>, delta: &[i32], contacts: &[Dimension]) -> Result<(Dense, Vec<i32>)> {
    let size = |k: usize| {
        let nonzero = (0..a.columns).filter(|&j| a.at(k, j) != 0.0);
        nonzero.map(|j| exponent(a.at(k, j)) - delta[j]).max()
    };
    let mut rows = Vec::with_capacity(a.rows);
    for dimension in contacts {
        let first = rows.len();
        let Some(normal) = size(first) else {
            return Err(Error::ZeroNormal { field: format!("contact_jacobian[{first}]").into() });
        };
        let tangents = first + 1..first + dimension.rows();
        let tangential = tangents.clone().filter_map(size).max().unwrap_or(normal);
        rows.push(normal);
        rows.extend(tangents.map(|_| tangential));
    }
    let mut scaled = Dense::zeros(a.rows, a.columns);
    for k in 0..a.rows {
        for j in 0..a.columns {
            scaled[(k, j)] = scale(a.at(k, j), -delta[j] - rows[k]);
        }
    }
    Ok((scaled, rows))
}

/// `A q̇⁻`.
pub(crate) fn contact_velocity(a: &MatrixView<'_>, v: &[f64]) -> Result<Vec<f64>> {
    (0..a.rows)
        .map(|k| {
            let velocity: f64 = v.iter().enumerate().map(|(j, v)| a.at(k, j) * v).sum();
            if velocity.is_finite() {
                Ok(velocity)
            } else {
                Err(Error::Overflow { field: format!("contact_velocity.before[{k}]").into() })
            }
        })
        .collect()
}
