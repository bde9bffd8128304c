//! The Delassus matrix `W = A M⁻¹ Aᵀ`: what an impulse does to the contact velocity.

use crate::error::{Error, Field, Result, finite};
use crate::plane::{Sym2, Vec2};
use crate::scaling::{exponent, scale};
use crate::tangent::{RANK_TOLERANCE, Tangent};

/// `W_ij` and `W_ji` may differ by this fraction of `sqrt(W_ii W_jj)`; they are then averaged.
pub(crate) const SYMMETRY_TOLERANCE: f64 = 1e-9;

/// How many directions the contact has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dimension {
    /// The normal alone: a frictionless contact.
    Normal = 1,
    /// A normal and one tangent: a planar mechanism.
    Planar = 2,
    /// A normal and two tangents.
    Spatial = 3,
}

impl Dimension {
    /// The dimension with `rows` rows of the contact Jacobian.
    ///
    /// # Errors
    /// `field` has not 1, 2 or 3 rows.
    pub fn from_rows(rows: usize, field: &'static str) -> Result<Self> {
        match rows {
            1 => Ok(Self::Normal),
            2 => Ok(Self::Planar),
            3 => Ok(Self::Spatial),
            _ => Err(Error::Shape {
                field: field.into(),
                found: format!("{rows} rows"),
                expected: "1, 2 or 3 rows, the normal first".into(),
            }),
        }
    }

    /// 1, 2 or 3.
    pub fn rows(self) -> usize {
        self as usize
    }
}

/// A checked Delassus matrix, brought to order one and ready to solve with.
///
/// Masses and lengths are changed by powers of two so that `W_nn` is in [1, 2) and the larger
/// diagonal entry of `W_tt` in [1, 4): tangents have a unit of length of their own, `2^beta`.
#[derive(Debug, Clone, Copy)]
pub struct Delassus {
    pub(crate) dimension: Dimension,
    pub(crate) w_nn: f64,
    pub(crate) inv_w_nn: f64,
    pub(crate) w: Vec2,
    pub(crate) w_tt: Sym2,
    pub(crate) tangent: Tangent,
    /// `W` was divided by `2^omega` ...
    pub(crate) omega: i32,
    /// ... and its tangential rows and columns by `2^beta`.
    pub(crate) beta: i32,
}

/// Entries of `W` with powers of two taken out: `W_ij = entry_ij 2^(row_i + row_j)`.
pub(crate) struct Entries {
    pub(crate) dimension: Dimension,
    pub(crate) matrix: [[f64; 3]; 3],
    pub(crate) normal_row: i32,
    pub(crate) tangential_row: i32,
}

impl Delassus {
    /// A spatial contact, normal row first.
    ///
    /// # Errors
    /// An entry is not finite, `W_nn <= 0`, `W` is not symmetric or not positive semidefinite.
    #[inline]
    pub fn spatial(matrix: [[f64; 3]; 3]) -> Result<Self> {
        Self::checked(Dimension::Spatial, matrix)
    }

    /// A planar contact, normal row first.
    ///
    /// # Errors
    /// As [`Delassus::spatial`].
    pub fn planar(m: [[f64; 2]; 2]) -> Result<Self> {
        let matrix = [[m[0][0], m[0][1], 0.0], [m[1][0], m[1][1], 0.0], [0.0; 3]];
        Self::checked(Dimension::Planar, matrix)
    }

    /// A frictionless contact.
    ///
    /// # Errors
    /// `W_nn` is not finite or not positive.
    pub fn normal(w_nn: f64) -> Result<Self> {
        Self::checked(Dimension::Normal, [[w_nn, 0.0, 0.0], [0.0; 3], [0.0; 3]])
    }

    /// A matrix given by its rows, 1 x 1, 2 x 2 or 3 x 3.
    ///
    /// # Errors
    /// Another shape, or as [`Delassus::spatial`].
    pub fn from_rows<R: AsRef<[f64]>>(rows: &[R]) -> Result<Self> {
        let dimension = Dimension::from_rows(rows.len(), "delassus")?;
        let d = dimension.rows();
        let mut matrix = [[0.0; 3]; 3];
        for (i, row) in rows.iter().enumerate() {
            let row = row.as_ref();
            if row.len() != d {
                return Err(Error::Shape {
                    field: format!("delassus[{i}]").into(),
                    found: format!("{} numbers", row.len()),
                    expected: format!("{d} numbers, as the matrix has {d} rows"),
                });
            }
            matrix[i][..d].copy_from_slice(row);
        }
        Self::checked(dimension, matrix)
    }

    #[inline]
    fn checked(dimension: Dimension, matrix: [[f64; 3]; 3]) -> Result<Self> {
        let d = dimension.rows();
        let sum: f64 = matrix.iter().flatten().map(|x| x.abs()).sum();
        if !sum.is_finite() {
            // Some entry is not finite, or (harmless) only the sum overflows.
            for (i, row) in matrix.iter().enumerate().take(d) {
                for (j, &x) in row.iter().enumerate().take(d) {
                    finite(x, || entry_name(i, j))?;
                }
            }
        }
        Self::from_entries(Entries { dimension, matrix, normal_row: 0, tangential_row: 0 })
    }

    /// From finite entries; `normal_row` and `tangential_row` are powers of two taken out of them.
    #[inline]
    pub(crate) fn from_entries(entries: Entries) -> Result<Self> {
        let Entries { dimension, matrix: m, normal_row, tangential_row } = entries;
        for (i, row) in m.iter().enumerate() {
            let positive = if i == 0 { row[0] > 0.0 } else { row[i] >= 0.0 };
            if !positive {
                return Err(not_positive_diagonal(
                    i,
                    scale(row[i], 2 * if i == 0 { normal_row } else { tangential_row }),
                ));
            }
        }
        let omega = exponent(m[0][0]);
        let largest = m[1][1].max(m[2][2]);
        let beta = if largest > 0.0 { (exponent(largest) - omega).div_euclid(2) } else { 0 };
        let nt = |x| scale(x, -omega - beta);
        let tt = |x| scale(x, -omega - 2 * beta);
        let w_nn = scale(m[0][0], -omega);
        let w_tt_diagonal = [tt(m[1][1]), tt(m[2][2])];
        let w = [
            mean(nt(m[1][0]), nt(m[0][1]), w_nn * w_tt_diagonal[0], (1, 0), &m)?,
            mean(nt(m[2][0]), nt(m[0][2]), w_nn * w_tt_diagonal[1], (2, 0), &m)?,
        ];
        let off = mean(tt(m[2][1]), tt(m[1][2]), w_tt_diagonal[0] * w_tt_diagonal[1], (2, 1), &m)?;
        let w_tt = Sym2 { xx: w_tt_diagonal[0], xy: off, yy: w_tt_diagonal[1] };

        let inv_w_nn = 1.0 / w_nn;
        let [h1, h2] = [w[0] * inv_w_nn, w[1] * inv_w_nn];
        let s = Sym2 { xx: w_tt.xx - h1 * w[0], xy: w_tt.xy - h1 * w[1], yy: w_tt.yy - h2 * w[1] };
        let tangent = match dimension {
            Dimension::Spatial => Tangent::spatial(s, w_tt.trace(), w, inv_w_nn),
            Dimension::Planar => Tangent::planar(s.xx, w_tt.xx),
            Dimension::Normal => Ok(Tangent::Point),
        }
        .map_err(|eigenvalue| not_semidefinite(eigenvalue, w_tt.trace()))?;
        Ok(Self {
            dimension,
            w_nn,
            inv_w_nn,
            w,
            w_tt,
            tangent,
            omega: omega + 2 * normal_row,
            beta: beta + tangential_row - normal_row,
        })
    }

    /// The number of directions of the contact.
    pub fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// Whether `W` has an inverse `G`; the paper's formulas need one, the law here does not.
    pub fn is_regular(&self) -> bool {
        self.tangent.is_regular() || self.dimension == Dimension::Normal
    }
}

/// The mean of two mirror entries, checked to be the same but for rounding.
#[inline]
fn mean(lower: f64, upper: f64, diagonal_product: f64, (i, j): (usize, usize), m: &[[f64; 3]; 3]) -> Result<f64> {
    let difference = lower - upper;
    if difference * difference <= SYMMETRY_TOLERANCE * SYMMETRY_TOLERANCE * diagonal_product {
        return Ok(0.5 * (lower + upper));
    }
    if lower == upper {
        // Beyond the diagonal's reach by so much that the squares overflow; not semidefinite, and
        // found out as such.
        return Ok(lower);
    }
    Err(not_symmetric(i, j, m))
}

#[cold]
fn not_symmetric(i: usize, j: usize, m: &[[f64; 3]; 3]) -> Error {
    Error::NotSymmetric {
        field: entry_name(i, j),
        value: m[i][j],
        mirror: m[j][i],
        bound: SYMMETRY_TOLERANCE * m[i][i].sqrt() * m[j][j].sqrt(),
    }
}

#[cold]
fn not_positive_diagonal(i: usize, value: f64) -> Error {
    Error::NotPositive {
        field: entry_name(i, i),
        definiteness: "semidefinite",
        quantity: if i == 0 { "the normal entry".into() } else { "a diagonal entry".into() },
        value,
        bound: if i == 0 { "> 0".into() } else { ">= 0".into() },
    }
}

#[cold]
fn not_semidefinite(eigenvalue: f64, trace: f64) -> Error {
    Error::NotPositive {
        field: "delassus".into(),
        definiteness: "semidefinite",
        quantity: "the smallest eigenvalue of W_tt - w wᵀ/W_nn, over tr W_tt,".into(),
        value: if trace > 0.0 { eigenvalue / trace } else { f64::NEG_INFINITY },
        bound: format!(">= -{RANK_TOLERANCE:e}").into(),
    }
}

fn entry_name(i: usize, j: usize) -> Field {
    format!("delassus[{i}][{j}]").into()
}
