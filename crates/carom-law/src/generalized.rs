//! From `(M, A, q̇⁻)` to the contact space and back, by factorisation.
//!
//! `M` is brought to a diagonal of order one by powers of two, `D M D = L Lᵀ`, which makes the
//! factorisation indifferent to the units of each coordinate. With `Y = L⁻¹ (A D)ᵀ`, the Delassus matrix
//! is `W = Yᵀ Y`, symmetric and positive semidefinite by construction, and an impulse changes the
//! velocity by `D L⁻ᵀ Y i` [7]. `M` is never inverted.

use nalgebra::{DMatrix, DVector};

use crate::contact::Contact;
use crate::delassus::{Delassus, Dimension, Entries, SYMMETRY_TOLERANCE};
use crate::error::{Error, Result, finite};
use crate::guard::Guard;
use crate::mode::Mode;
use crate::outcome::Outcome;
use crate::scaling::{exponent, scale};
use crate::solve::{Coefficients, representable};

/// A pivot of the equilibrated `M` at most this is not positive: `n` roundings of entries below 4.
const PIVOT_TOLERANCE: f64 = 1e-15;

/// A mechanism about to be struck at one point: `M`, `A`, `q̇⁻`, and the contact they make.
#[derive(Debug, Clone)]
pub struct GeneralizedContact {
    contact: Contact,
    velocity: DVector<f64>,
    /// `L`, lower triangle.
    factor: DMatrix<f64>,
    /// `Y`, one column a direction of the contact.
    y: DMatrix<f64>,
    /// `D = diag(2^-delta)`.
    delta: Vec<i32>,
    /// Powers of two taken out of the normal and the tangential rows of `A D`.
    rows: [i32; 2],
}

impl GeneralizedContact {
    /// `mass_matrix` is `n x n`, symmetric and positive definite; `contact_jacobian` is `d x n`,
    /// normal row first, `d` = 1, 2 or 3; `velocity` has `n` entries.
    ///
    /// # Errors
    /// Wrong shapes, entries that are not finite, a mass matrix that is not symmetric or not positive
    /// definite, a zero normal row.
    pub fn new(mass_matrix: &DMatrix<f64>, contact_jacobian: &DMatrix<f64>, velocity: &DVector<f64>) -> Result<Self> {
        let dimension = check_shapes(mass_matrix, contact_jacobian, velocity)?;
        let delta = equilibration(mass_matrix)?;
        let factor = cholesky(symmetrised(mass_matrix, &delta)?)?;
        let (jacobian, rows) = scaled_jacobian(contact_jacobian, &delta)?;
        let y = forward(&factor, &jacobian);
        let delassus = Delassus::from_entries(Entries {
            dimension,
            matrix: gram(&y),
            normal_row: rows[0],
            tangential_row: rows[1],
        })?;
        let contact = Contact::new(delassus, &contact_velocity(contact_jacobian, velocity)?)?;
        Ok(Self { contact, velocity: velocity.clone(), factor, y, delta, rows })
    }

    /// The contact that the mechanism makes.
    pub fn contact(&self) -> &Contact {
        &self.contact
    }

    /// What the impact does, in the contact and to the whole mechanism.
    ///
    /// # Errors
    /// As [`Contact::impact`]; also a velocity or kinetic energy beyond the range of `f64`.
    pub fn impact(&self, coefficients: &Coefficients, guard: Guard) -> Result<Outcome> {
        let mut outcome = self.contact.impact(coefficients, guard)?;
        let after = match outcome.mode {
            Mode::Separating => self.velocity.clone(),
            Mode::Stick | Mode::Slip | Mode::Reversal => &self.velocity + self.velocity_change(&outcome.impulse),
        };
        if let Some(i) = after.iter().position(|x| !x.is_finite()) {
            return Err(Error::Overflow { field: format!("velocity[{i}]").into() });
        }
        outcome.energy.before = Some(representable(self.kinetic_energy(&self.velocity), "energy.before")?);
        outcome.energy.after = Some(representable(self.kinetic_energy(&after), "energy.after")?);
        outcome.velocity = Some(after.as_slice().to_vec());
        Ok(outcome)
    }

    /// [7]: `M⁻¹ Aᵀ i`; `impulse` has one number a direction, the normal first.
    pub fn velocity_change(&self, impulse: &[f64]) -> DVector<f64> {
        let row = |k: usize| self.rows[usize::from(k > 0)];
        let size = |k: usize| exponent(impulse[k]) + row(k);
        let nonzero = (0..impulse.len()).filter(|&k| impulse[k] != 0.0);
        let common = nonzero.map(size).max().unwrap_or(0);
        let mut z = DVector::zeros(self.velocity.len());
        for (k, &i_k) in impulse.iter().enumerate() {
            z.axpy(scale(i_k, row(k) - common), &self.y.column(k), 1.0);
        }
        backward(&self.factor, &mut z);
        for (x, &delta) in z.iter_mut().zip(&self.delta) {
            *x = scale(*x, common - delta);
        }
        z
    }

    /// `½ q̇ᵀ M q̇ = ½ |Lᵀ D⁻¹ q̇|²`; infinite beyond `f64`.
    fn kinetic_energy(&self, velocity: &DVector<f64>) -> f64 {
        let nonzero = velocity.iter().zip(&self.delta).filter(|(x, _)| **x != 0.0);
        let common = nonzero.map(|(x, delta)| exponent(*x) + delta).max().unwrap_or(0);
        let unscaled: Vec<f64> = velocity.iter().zip(&self.delta).map(|(x, delta)| scale(*x, delta - common)).collect();
        let n = unscaled.len();
        let sum: f64 = (0..n)
            .map(|j| {
                let momentum: f64 = (j..n).map(|i| self.factor[(i, j)] * unscaled[i]).sum();
                momentum * momentum
            })
            .sum();
        scale(0.5 * sum, 2 * common)
    }
}

fn check_shapes(m: &DMatrix<f64>, a: &DMatrix<f64>, v: &DVector<f64>) -> Result<Dimension> {
    let shape =
        |field: &'static str, found: String, expected: String| Error::Shape { field: field.into(), found, expected };
    let n = m.nrows();
    if n == 0 || m.ncols() != n {
        return Err(shape("mass_matrix", format!("{n} x {}", m.ncols()), "square, at least 1 x 1".into()));
    }
    let dimension = Dimension::from_rows(a.nrows(), "contact_jacobian")?;
    if a.ncols() != n {
        let found = format!("{} x {}", a.nrows(), a.ncols());
        let expected = format!("{} x {n}, as mass_matrix is {n} x {n}", a.nrows());
        return Err(shape("contact_jacobian", found, expected));
    }
    if v.len() != n {
        let expected = format!("{n} numbers, as mass_matrix is {n} x {n}");
        return Err(shape("velocity", format!("{} numbers", v.len()), expected));
    }
    check_entries(m, "mass_matrix")?;
    check_entries(a, "contact_jacobian")?;
    for (i, &x) in v.iter().enumerate() {
        finite(x, || format!("velocity[{i}]").into())?;
    }
    Ok(dimension)
}

fn check_entries(matrix: &DMatrix<f64>, name: &'static str) -> Result<()> {
    for i in 0..matrix.nrows() {
        for j in 0..matrix.ncols() {
            finite(matrix[(i, j)], || format!("{name}[{i}][{j}]").into())?;
        }
    }
    Ok(())
}

/// Half the exponents of the diagonal, so that `2^(-2 delta_i) M_ii` is in [1, 4).
fn equilibration(m: &DMatrix<f64>) -> Result<Vec<i32>> {
    (0..m.nrows())
        .map(|i| {
            let value = m[(i, i)];
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

/// `D M D`, mirror entries checked and averaged.
fn symmetrised(m: &DMatrix<f64>, delta: &[i32]) -> Result<DMatrix<f64>> {
    let n = m.nrows();
    let entry = |i: usize, j: usize| scale(m[(i, j)], -delta[i] - delta[j]);
    let mut lower = DMatrix::zeros(n, n);
    for i in 0..n {
        lower[(i, i)] = entry(i, i);
        for j in 0..i {
            let (below, above) = (entry(i, j), entry(j, i));
            let bound = SYMMETRY_TOLERANCE * (entry(i, i) * entry(j, j)).sqrt();
            if !((below - above).abs() <= bound) {
                return Err(Error::NotSymmetric {
                    field: format!("mass_matrix[{i}][{j}]").into(),
                    value: m[(i, j)],
                    mirror: m[(j, i)],
                    bound: scale(bound, delta[i] + delta[j]),
                });
            }
            lower[(i, j)] = 0.5 * (below + above);
        }
    }
    Ok(lower)
}

/// `L` with `L Lᵀ` = the matrix of which the lower triangle is given. Written out, not taken from
/// nalgebra, for the sake of the error: it says which pivot fails and by how much.
fn cholesky(mut l: DMatrix<f64>) -> Result<DMatrix<f64>> {
    let n = l.nrows();
    for j in 0..n {
        for k in 0..j {
            let l_jk = l[(j, k)];
            for i in j..n {
                l[(i, j)] -= l_jk * l[(i, k)];
            }
        }
        let pivot = l[(j, j)];
        if !(pivot > PIVOT_TOLERANCE) {
            return Err(Error::NotPositive {
                field: "mass_matrix".into(),
                definiteness: "definite",
                quantity: format!("pivot {j} of its factorisation, with its diagonal brought to order one,").into(),
                value: pivot,
                bound: format!("> {PIVOT_TOLERANCE:e}").into(),
            });
        }
        let root = pivot.sqrt();
        for i in j..n {
            l[(i, j)] /= root;
        }
    }
    Ok(l)
}

/// `A D` with a power of two taken out of the normal row and one out of the tangential rows.
fn scaled_jacobian(a: &DMatrix<f64>, delta: &[i32]) -> Result<(DMatrix<f64>, [i32; 2])> {
    let size = |k: usize| {
        let nonzero = (0..a.ncols()).filter(|&j| a[(k, j)] != 0.0);
        nonzero.map(|j| exponent(a[(k, j)]) - delta[j]).max()
    };
    let Some(normal) = size(0) else {
        return Err(Error::ZeroNormal { field: "contact_jacobian[0]".into() });
    };
    let tangential = (1..a.nrows()).filter_map(size).max().unwrap_or(normal);
    let rows = [normal, tangential];
    let scaled = DMatrix::from_fn(a.nrows(), a.ncols(), |k, j| scale(a[(k, j)], -delta[j] - rows[usize::from(k > 0)]));
    Ok((scaled, rows))
}

/// `L⁻¹ Aᵀ`.
fn forward(l: &DMatrix<f64>, a: &DMatrix<f64>) -> DMatrix<f64> {
    let mut y = a.transpose();
    for mut column in y.column_iter_mut() {
        for i in 0..column.len() {
            let sum: f64 = (0..i).map(|j| l[(i, j)] * column[j]).sum();
            column[i] = (column[i] - sum) / l[(i, i)];
        }
    }
    y
}

/// `z ← L⁻ᵀ z`.
fn backward(l: &DMatrix<f64>, z: &mut DVector<f64>) {
    for i in (0..z.len()).rev() {
        let sum: f64 = (i + 1..z.len()).map(|j| l[(j, i)] * z[j]).sum();
        z[i] = (z[i] - sum) / l[(i, i)];
    }
}

/// `Yᵀ Y`, padded with zeros.
fn gram(y: &DMatrix<f64>) -> [[f64; 3]; 3] {
    let mut w = [[0.0; 3]; 3];
    for i in 0..y.ncols() {
        for j in 0..=i {
            w[i][j] = y.column(i).dot(&y.column(j));
            w[j][i] = w[i][j];
        }
    }
    w
}

/// `A q̇⁻`.
fn contact_velocity(a: &DMatrix<f64>, v: &DVector<f64>) -> Result<Vec<f64>> {
    let velocity = a * v;
    for (k, x) in velocity.iter().enumerate() {
        if !x.is_finite() {
            return Err(Error::Overflow { field: format!("contact_velocity.before[{k}]").into() });
        }
    }
    Ok(velocity.as_slice().to_vec())
}
