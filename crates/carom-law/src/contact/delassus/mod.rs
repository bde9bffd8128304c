//! The Delassus matrix `W = A M⁻¹ Aᵀ`, which maps an impulse to the change of the contact velocity.
//!
//! | file | contents |
//! |---|---|
//! | `tangent` | S = W_tt - w wᵀ/W_nn, its rank, and the impulses of linear conditions |

pub(crate) mod tangent;

use crate::error::{Error, Field, Result, finite};
use crate::numeric::matrix::MatrixView;
use crate::numeric::plane::{Sym2, Vec2};
use crate::numeric::scaling::{exponent, is_tame, larger, scale};
use crate::numeric::tolerance::{FACTOR_RANK, SYMMETRY, TANGENT_RANK};
use tangent::Tangent;

/// The number of directions of a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
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
    /// `field` does not have 1, 2 or 3 rows.
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

/// A checked Delassus matrix, scaled to order one and factored.
///
/// Unless the entries are already near one, units of mass and length are changed by powers of two so that `W_nn` is in
/// [1, 2) and the larger diagonal entry of `W_tt` in [1, 4). Tangents have a separate unit of length, `2^beta`.
#[derive(Debug, Clone, Copy)]
pub struct Delassus {
    pub(crate) dimension: Dimension,
    pub(crate) w_nn: f64,
    pub(crate) inv_w_nn: f64,
    pub(crate) w: Vec2,
    pub(crate) w_tt: Sym2,
    /// `S = W_tt - w wᵀ / W_nn` ...
    pub(crate) s: Sym2,
    /// ... and its factor.
    pub(crate) tangent: Tangent,
    /// `W` was divided by `2^omega` ...
    pub(crate) omega: i32,
    /// ... and its tangential rows and columns by `2^beta`.
    pub(crate) beta: i32,
    /// An eigenvalue of `S` at most this fraction of `tr W_tt` counts as zero.
    pub(crate) rank_tolerance: f64,
}

/// Entries of `W` with powers of two taken out: `W_ij = entry_ij 2^(row_i + row_j)`.
pub(crate) struct Entries {
    pub(crate) dimension: Dimension,
    pub(crate) matrix: [[f64; 3]; 3],
    pub(crate) normal_row: i32,
    pub(crate) tangential_row: i32,
}

/// An upper triangular `R` with `W = Rᵀ R`, `R_nn > 0`, from an orthogonal factorisation of `L⁻¹ Aᵀ` with the rows `A`
/// and a mechanism's `M = L Lᵀ`. Its trailing block is a factor of `S`. If `W`, formed from the same data, has lost all
/// digits of its smallest eigenvalue, `R` still has half of them.
pub(crate) struct Factor {
    pub(crate) dimension: Dimension,
    /// `R` with powers of two taken out of its columns.
    pub(crate) r: [[f64; 3]; 3],
    pub(crate) normal_row: i32,
    pub(crate) tangential_row: i32,
    /// Number of rows that were factored: the degrees of freedom.
    pub(crate) rows: usize,
}

impl Delassus {
    /// A spatial contact, normal row first.
    ///
    /// # Errors
    /// An entry is not finite, `W_nn <= 0`, `W` is not symmetric or not positive semidefinite.
    pub fn spatial(matrix: [[f64; 3]; 3]) -> Result<Self> {
        Self::from_entries(Entries::spatial(matrix))
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
    /// Any other shape, or as [`Delassus::spatial`].
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

    /// A matrix in the caller's memory, 1 x 1, 2 x 2 or 3 x 3: slices with or without strides, or, with the feature
    /// `nalgebra`, a reference to a `Matrix3<f64>` or similar.
    ///
    /// # Errors
    /// Any other shape, or as [`Delassus::spatial`].
    pub fn new<'m>(matrix: impl Into<MatrixView<'m>>) -> Result<Self> {
        let view: MatrixView<'m> = matrix.into();
        let dimension = Dimension::from_rows(view.rows, "delassus")?;
        let d = dimension.rows();
        if view.columns != d || !view.is_complete() {
            let (found, expected) = match view.columns == d {
                true => (format!("{} numbers", view.len()), view.expected()),
                false => (format!("{d} x {}", view.columns), format!("{d} x {d}")),
            };
            return Err(Error::Shape { field: "delassus".into(), found, expected });
        }
        let mut entries = [[0.0; 3]; 3];
        for (i, row) in entries.iter_mut().enumerate().take(d) {
            for (j, entry) in row.iter_mut().enumerate().take(d) {
                *entry = view.at(i, j);
            }
        }
        Self::checked(dimension, entries)
    }

    fn checked(dimension: Dimension, matrix: [[f64; 3]; 3]) -> Result<Self> {
        Self::from_entries(Entries { dimension, matrix, normal_row: 0, tangential_row: 0 })
    }

    pub(crate) fn from_entries(entries: Entries) -> Result<Self> {
        let (delassus, is_sound) = Self::assemble(&entries);
        if is_sound { Ok(delassus) } else { Err(entries.fault()) }
    }

    /// The matrix, and whether it is valid; if not, [`Entries::fault`] gives the reason. (A `Result` would keep the
    /// matrix in memory; see [`crate::contact::delassus::tangent`].)
    #[inline(always)]
    pub(crate) fn assemble(entries: &Entries) -> (Self, bool) {
        let &Entries { dimension, matrix: ref m, normal_row, tangential_row } = entries;
        let (omega, beta) = units(m[0][0], larger(m[1][1], m[2][2]));
        let (nn, nt, tt) = (-omega, -omega - beta, -omega - 2 * beta);
        let w_nn = scale(m[0][0], nn);
        let [d1, d2] = [scale(m[1][1], tt), scale(m[2][2], tt)];
        let lower = [scale(m[1][0], nt), scale(m[2][0], nt), scale(m[2][1], tt)];
        let is_mirrored = (m[1][0] == m[0][1]) & (m[2][0] == m[0][2]) & (m[2][1] == m[1][2]);
        let ([n1, n2, off], is_symmetric) = if is_mirrored {
            (lower, true)
        } else {
            let upper = [scale(m[0][1], nt), scale(m[0][2], nt), scale(m[1][2], tt)];
            let ([n1, n2, off], is_rounding) = means(lower, upper, [w_nn * d1, w_nn * d2, d1 * d2]);
            ([n1, n2, off], is_rounding)
        };
        let mut delassus = Self {
            dimension,
            w_nn,
            inv_w_nn: 1.0 / w_nn,
            w: [n1, n2],
            w_tt: Sym2 { xx: d1, xy: off, yy: d2 },
            s: Sym2 { xx: 0.0, xy: 0.0, yy: 0.0 },
            tangent: Tangent::ZERO,
            omega: omega + 2 * normal_row,
            beta: beta + tangential_row - normal_row,
            rank_tolerance: TANGENT_RANK,
        };
        let trace = delassus.w_tt.trace();
        delassus.s = delassus.complement();
        delassus.tangent = match dimension {
            Dimension::Spatial => Tangent::spatial(delassus.s, trace),
            Dimension::Planar => Tangent::planar(delassus.s.xx, trace),
            Dimension::Normal => Tangent::ZERO,
        };
        let is_positive = (w_nn > 0.0) & (d1 >= 0.0) & (d2 >= 0.0) & !delassus.tangent.is_indefinite();
        // Zero times anything that is not finite is NaN. (Finite entries whose sum overflows are far outside the bounds
        // by the diagonal.)
        let is_finite = (w_nn + trace + n1 + n2 + off) * 0.0 == 0.0;
        (delassus, is_positive & is_symmetric & is_finite)
    }

    /// The matrix `W = Rᵀ R` of a contact with a known orthogonal factor; see [`Factor`].
    pub(crate) fn from_factor(factor: &Factor) -> Self {
        let &Factor { dimension, r: [[r_nn, c1, c2], [_, r11, r12], [_, _, r22]], normal_row, tangential_row, rows } =
            factor;
        let w_nn = r_nn * r_nn;
        let w_tt = Sym2 { xx: c1 * c1 + r11 * r11, xy: c1 * c2 + r11 * r12, yy: c2 * c2 + r12 * r12 + r22 * r22 };
        let rank = FACTOR_RANK * rows as f64;
        let rank_tolerance = rank * rank;
        Self {
            dimension,
            w_nn,
            inv_w_nn: 1.0 / w_nn,
            w: [r_nn * c1, r_nn * c2],
            w_tt,
            s: Sym2 { xx: r11 * r11, xy: r11 * r12, yy: r12 * r12 + r22 * r22 },
            tangent: Tangent::from_factor(dimension, [r11, r12, r22], rank_tolerance * w_tt.trace()),
            omega: 2 * normal_row,
            beta: tangential_row - normal_row,
            rank_tolerance,
        }
    }

    /// `S = W_tt - w wᵀ / W_nn`.
    #[inline(always)]
    fn complement(&self) -> Sym2 {
        let (w, w_tt) = (self.w, &self.w_tt);
        let h = [w[0] * self.inv_w_nn, w[1] * self.inv_w_nn];
        Sym2 { xx: w_tt.xx - h[0] * w[0], xy: w_tt.xy - h[0] * w[1], yy: w_tt.yy - h[1] * w[1] }
    }

    /// The number of directions of the contact.
    pub fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// The entries in the caller's units, normal first; zero beyond the dimension.
    pub fn matrix(&self) -> [[f64; 3]; 3] {
        let Sym2 { xx, xy, yy } = self.w_tt;
        let [nn, nt, tt] = [0, 1, 2].map(|tangents| self.omega + tangents * self.beta);
        let [w_nn, n1, n2] = [scale(self.w_nn, nn), scale(self.w[0], nt), scale(self.w[1], nt)];
        let [t11, t12, t22] = [xx, xy, yy].map(|entry| scale(entry, tt));
        [[w_nn, n1, n2], [n1, t11, t12], [n2, t12, t22]]
    }

    /// Whether `W` has an inverse `G`, which the paper's formulas need but this implementation does not.
    pub fn is_regular(&self) -> bool {
        self.tangent.is_regular() || self.dimension == Dimension::Normal
    }
}

/// The exponents `(omega, beta)` of the units.
#[inline(always)]
fn units(normal: f64, largest: f64) -> (i32, i32) {
    if is_tame(normal) && is_tame(largest) { (0, 0) } else { far_units(normal, largest) }
}

#[cold]
fn far_units(normal: f64, largest: f64) -> (i32, i32) {
    let omega = exponent(normal);
    (omega, if largest > 0.0 { (exponent(largest) - omega).div_euclid(2) } else { 0 })
}

/// The means of mirror entries, and whether these differ at most by rounding.
#[cold]
fn means(lower: [f64; 3], upper: [f64; 3], diagonal_products: [f64; 3]) -> ([f64; 3], bool) {
    let is_rounding = (0..3).all(|k| {
        let difference = lower[k] - upper[k];
        let bound = SYMMETRY * SYMMETRY * diagonal_products[k];
        lower[k] == upper[k] || difference * difference <= bound
    });
    ([0, 1, 2].map(|k| 0.5 * (lower[k] + upper[k])), is_rounding)
}

impl Entries {
    #[inline(always)]
    pub(crate) fn spatial(matrix: [[f64; 3]; 3]) -> Self {
        Self { dimension: Dimension::Spatial, matrix, normal_row: 0, tangential_row: 0 }
    }

    /// The error for a matrix that [`Delassus::assemble`] rejects.
    #[cold]
    pub(crate) fn fault(&self) -> Error {
        let (m, d) = (&self.matrix, self.dimension.rows());
        for i in 0..d {
            for j in 0..d {
                if let Err(error) = finite(m[i][j], || entry_name(i, j)) {
                    return error;
                }
            }
        }
        let row = |i: usize| if i == 0 { self.normal_row } else { self.tangential_row };
        for i in 0..d {
            if !(m[i][i] > 0.0 || i > 0 && m[i][i] == 0.0) {
                return Error::NotPositive {
                    field: entry_name(i, i),
                    definiteness: "semidefinite",
                    quantity: if i == 0 { "the normal entry".into() } else { "a diagonal entry".into() },
                    value: scale(m[i][i], 2 * row(i)),
                    bound: if i == 0 { "> 0".into() } else { ">= 0".into() },
                };
            }
        }
        for (i, j) in [(1, 0), (2, 0), (2, 1)] {
            let bound = SYMMETRY * m[i][i].sqrt() * m[j][j].sqrt();
            if !((m[i][j] - m[j][i]).abs() <= bound) && m[i][j] != m[j][i] {
                return Error::NotSymmetric { field: entry_name(i, j), value: m[i][j], mirror: m[j][i], bound };
            }
        }
        let (delassus, _) = Delassus::assemble(self);
        let (trace, (smallest, _, _)) = (delassus.w_tt.trace(), delassus.s.eigen());
        Error::NotPositive {
            field: "delassus".into(),
            definiteness: "semidefinite",
            quantity: "the smallest eigenvalue of W_tt - w wᵀ/W_nn, over tr W_tt,".into(),
            value: if trace > 0.0 { smallest / trace } else { f64::NEG_INFINITY },
            bound: format!(">= -{TANGENT_RANK:e}").into(),
        }
    }
}

fn entry_name(i: usize, j: usize) -> Field {
    format!("delassus[{i}][{j}]").into()
}
