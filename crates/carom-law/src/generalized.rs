//! From `(M, A, q̇⁻)` to the contact space and back, by factorisation.
//!
//! `M` is brought to a diagonal of order one by powers of two, `D M D = L Lᵀ`, which makes the
//! factorisation indifferent to the units of each coordinate. With `Y = L⁻¹ (A D)ᵀ`, the Delassus matrix
//! is `W = Yᵀ Y`, symmetric and positive semidefinite by construction, and an impulse changes the
//! velocity by `D L⁻ᵀ Y i` \[7\]. `M` is never inverted.

use crate::contact::Contact;
use crate::delassus::{Delassus, Dimension, Entries, SYMMETRY_TOLERANCE};
use crate::error::{Error, Result, finite};
use crate::guard::Guard;
use crate::matrix::{Dense, MatrixView};
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
    velocity: Vec<f64>,
    /// The lower triangle of `D M D` ...
    mass: Dense,
    /// ... and of its factor `L`.
    factor: Dense,
    /// `Yᵀ`, one row a direction of the contact.
    y: Dense,
    /// `D = diag(2^-delta)`.
    delta: Vec<i32>,
    /// Powers of two taken out of the normal and the tangential rows of `A D`.
    rows: [i32; 2],
}

impl GeneralizedContact {
    /// `mass_matrix` is `n x n`, symmetric and positive definite; `contact_jacobian` is `d x n`,
    /// normal row first, `d` = 1, 2 or 3; `velocity` has `n` entries.
    ///
    /// ```
    /// use carom_law::{Coefficients, Friction, GeneralizedContact, Guard, MatrixView, Restitution};
    ///
    /// // A rod at 45 degrees, struck at its lower end: coordinates x, y, angle.
    /// let half = 0.125_f64.sqrt();
    /// let mass_matrix = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0 / 12.0];
    /// let jacobian = [0.0, 1.0, -half, 1.0, 0.0, half];
    /// let rod = GeneralizedContact::new(
    ///     MatrixView::row_major(3, 3, &mass_matrix),
    ///     MatrixView::row_major(2, 3, &jacobian),
    ///     &[2.0, -1.0, 0.0],
    /// )?;
    /// let outcome = rod.impact(&Coefficients::new(Restitution::new(0.5)?, Friction::new(0.8)?), Guard::Report)?;
    /// assert!((outcome.velocity.unwrap()[0] - 62.0 / 37.0).abs() < 1e-15);
    /// # Ok::<(), carom_law::Error>(())
    /// ```
    ///
    /// # Errors
    /// Wrong shapes, entries that are not finite, a mass matrix that is not symmetric or not positive
    /// definite, a zero normal row.
    pub fn new<'m, 'a>(
        mass_matrix: impl Into<MatrixView<'m>>,
        contact_jacobian: impl Into<MatrixView<'a>>,
        velocity: &[f64],
    ) -> Result<Self> {
        let (m, a) = (mass_matrix.into(), contact_jacobian.into());
        let dimension = check_shapes(&m, &a, velocity)?;
        let delta = equilibration(&m)?;
        let mass = symmetrised(&m, &delta)?;
        let factor = cholesky(mass.clone(), delta.len())?;
        let (mut y, rows) = scaled_jacobian(&a, &delta)?;
        forward(&factor, &mut y, dimension.rows());
        let delassus = Delassus::from_entries(Entries {
            dimension,
            matrix: gram(&y, dimension.rows()),
            normal_row: rows[0],
            tangential_row: rows[1],
        })?;
        let contact = Contact::new(delassus, &contact_velocity(&a, velocity)?)?;
        Ok(Self { contact, velocity: velocity.to_vec(), mass, factor, y, delta, rows })
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
        self.completed(self.contact.impact(coefficients, guard)?)
    }

    /// An outcome of the contact with what it does to the whole mechanism.
    pub(crate) fn completed(&self, mut outcome: Outcome) -> Result<Outcome> {
        let after = match outcome.mode {
            Mode::Separating => self.velocity.clone(),
            Mode::Stick | Mode::Slip | Mode::Reversal => {
                let change = self.velocity_change(&outcome.impulse);
                self.velocity.iter().zip(change).map(|(v, change)| v + change).collect()
            }
        };
        if let Some(i) = after.iter().position(|x| !x.is_finite()) {
            return Err(Error::Overflow { field: format!("velocity[{i}]").into() });
        }
        outcome.energy.before = Some(representable(self.kinetic_energy(&self.velocity), "energy.before")?);
        outcome.energy.after = Some(representable(self.kinetic_energy(&after), "energy.after")?);
        outcome.velocity = Some(after);
        Ok(outcome)
    }

    /// \[7\]: `M⁻¹ Aᵀ i`; `impulse` has one number a direction, the normal first.
    pub fn velocity_change(&self, impulse: &[f64]) -> Vec<f64> {
        let row = |k: usize| self.rows[usize::from(k > 0)];
        let nonzero = (0..impulse.len()).filter(|&k| impulse[k] != 0.0);
        let common = nonzero.map(|k| exponent(impulse[k]) + row(k)).max().unwrap_or(0);
        let mut z = vec![0.0; self.velocity.len()];
        for (k, &i_k) in impulse.iter().enumerate().take(self.contact.delassus().dimension().rows()) {
            let weight = scale(i_k, row(k) - common);
            for (z, y) in z.iter_mut().zip(self.y.row(k)) {
                *z += weight * y;
            }
        }
        backward(&self.factor, &mut z);
        for (x, &delta) in z.iter_mut().zip(&self.delta) {
            *x = scale(*x, common - delta);
        }
        z
    }

    /// `½ q̇ᵀ M q̇`; infinite beyond `f64`.
    fn kinetic_energy(&self, velocity: &[f64]) -> f64 {
        let nonzero = velocity.iter().zip(&self.delta).filter(|(x, _)| **x != 0.0);
        let common = nonzero.map(|(x, delta)| exponent(*x) + delta).max().unwrap_or(0);
        let unscaled: Vec<f64> = velocity.iter().zip(&self.delta).map(|(x, delta)| scale(*x, delta - common)).collect();
        let halves = unscaled.iter().enumerate().map(|(i, x)| {
            let below: f64 = self.mass.row(i)[..i].iter().zip(&unscaled).map(|(m, y)| m * y).sum();
            x * (below + 0.5 * self.mass[(i, i)] * x)
        });
        scale(halves.sum::<f64>(), 2 * common)
    }
}

fn check_shapes(m: &MatrixView<'_>, a: &MatrixView<'_>, v: &[f64]) -> Result<Dimension> {
    let shape =
        |field: &'static str, found: String, expected: String| Error::Shape { field: field.into(), found, expected };
    let n = m.rows;
    if n == 0 || m.columns != n {
        return Err(shape("mass_matrix", format!("{n} x {}", m.columns), "square, at least 1 x 1".into()));
    }
    let dimension = Dimension::from_rows(a.rows, "contact_jacobian")?;
    if a.columns != n {
        let expected = format!("{} x {n}, as mass_matrix is {n} x {n}", a.rows);
        return Err(shape("contact_jacobian", format!("{} x {}", a.rows, a.columns), expected));
    }
    for (matrix, name) in [(m, "mass_matrix"), (a, "contact_jacobian")] {
        if !matrix.is_complete() {
            let expected = format!("{} x {} numbers", matrix.rows, matrix.columns);
            return Err(shape(name, format!("{} numbers", matrix.len()), expected));
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
    Ok(dimension)
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
            let bound = SYMMETRY_TOLERANCE * (lower[(i, i)] * lower[(j, j)]).sqrt();
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

/// `L` with `L Lᵀ` = the matrix of which the lower triangle is given, row by row.
fn cholesky(mut l: Dense, n: usize) -> Result<Dense> {
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = l.row(i)[..j].iter().zip(&l.row(j)[..j]).map(|(a, b)| a * b).sum();
            let rest = l[(i, j)] - sum;
            if i > j {
                l[(i, j)] = rest / l[(j, j)];
            } else if rest > PIVOT_TOLERANCE {
                l[(i, i)] = rest.sqrt();
            } else {
                return Err(not_definite(i, rest));
            }
        }
    }
    Ok(l)
}

#[cold]
fn not_definite(pivot: usize, value: f64) -> Error {
    Error::NotPositive {
        field: "mass_matrix".into(),
        definiteness: "definite",
        quantity: format!("pivot {pivot} of its factorisation, with its diagonal brought to order one,").into(),
        value,
        bound: format!("> {PIVOT_TOLERANCE:e}").into(),
    }
}

/// `A D` with a power of two taken out of the normal row and one out of the tangential rows.
fn scaled_jacobian(a: &MatrixView<'_>, delta: &[i32]) -> Result<(Dense, [i32; 2])> {
    let size = |k: usize| {
        let nonzero = (0..a.columns).filter(|&j| a.at(k, j) != 0.0);
        nonzero.map(|j| exponent(a.at(k, j)) - delta[j]).max()
    };
    let Some(normal) = size(0) else {
        return Err(Error::ZeroNormal { field: "contact_jacobian[0]".into() });
    };
    let rows = [normal, (1..a.rows).filter_map(size).max().unwrap_or(normal)];
    let mut scaled = Dense::zeros(a.rows, a.columns);
    for k in 0..a.rows {
        for j in 0..a.columns {
            scaled[(k, j)] = scale(a.at(k, j), -delta[j] - rows[usize::from(k > 0)]);
        }
    }
    Ok((scaled, rows))
}

/// `y ← L⁻¹ y` for each of the rows of `y`.
fn forward(l: &Dense, y: &mut Dense, rows: usize) {
    for k in 0..rows {
        for i in 0..y.row(k).len() {
            let sum: f64 = l.row(i)[..i].iter().zip(y.row(k)).map(|(l, y)| l * y).sum();
            y[(k, i)] = (y[(k, i)] - sum) / l[(i, i)];
        }
    }
}

/// `z ← L⁻ᵀ z`.
fn backward(l: &Dense, z: &mut [f64]) {
    for i in (0..z.len()).rev() {
        let x = z[i] / l[(i, i)];
        z[i] = x;
        for (z, l) in z.iter_mut().zip(&l.row(i)[..i]) {
            *z -= l * x;
        }
    }
}

/// `Yᵀ Y`, padded with zeros.
fn gram(y: &Dense, rows: usize) -> [[f64; 3]; 3] {
    let mut w = [[0.0; 3]; 3];
    for i in 0..rows {
        for j in 0..=i {
            w[i][j] = y.row(i).iter().zip(y.row(j)).map(|(a, b)| a * b).sum();
            w[j][i] = w[i][j];
        }
    }
    w
}

/// `A q̇⁻`.
fn contact_velocity(a: &MatrixView<'_>, v: &[f64]) -> Result<Vec<f64>> {
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
