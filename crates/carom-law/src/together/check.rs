//! Whether a matrix of several contacts is a Delassus matrix, and whether velocities can occur with it.

use crate::contact::delassus::Dimension;
use crate::error::{Error, Result, finite};
use crate::numeric::linear::LinearSystem;
use crate::numeric::matrix::{Dense, MatrixView};
use crate::numeric::scaling::{exponent, scale};
use crate::numeric::tolerance::{RANGE, SET_RANK, SYMMETRY};

/// Rounding in `W`, with the diagonal brought to order one.
const DELASSUS_ROUNDING: f64 = 1e-15;

/// What may be left of the matrix beyond its rank, with the diagonal brought to order one.
const REST: f64 = 1e-9;

/// The number of rows of the contacts together.
pub(crate) fn rows(dimensions: &[Dimension]) -> Result<usize> {
    if dimensions.is_empty() {
        return Err(Error::Shape {
            field: "dimensions".into(),
            found: "empty".into(),
            expected: "at least one contact".into(),
        });
    }
    Ok(dimensions.iter().map(|d| d.rows()).sum())
}

/// Sizes, and that all numbers are finite.
pub(crate) fn shapes(dimensions: &[Dimension], w: &MatrixView<'_>, velocity: &[f64]) -> Result<()> {
    let n = rows(dimensions)?;
    let reason = format!("as the contacts have {n} rows");
    let shape =
        |field: &'static str, found: String, expected: String| Error::Shape { field: field.into(), found, expected };
    if (w.rows, w.columns) != (n, n) {
        return Err(shape("delassus", format!("{} x {}", w.rows, w.columns), format!("{n} x {n}, {reason}")));
    }
    if !w.is_complete() {
        return Err(shape("delassus", format!("{} numbers", w.len()), w.expected()));
    }
    if velocity.len() != n {
        return Err(shape("contact_velocity", format!("{} numbers", velocity.len()), format!("{n} numbers, {reason}")));
    }
    for i in 0..n {
        for j in 0..n {
            finite(w.at(i, j), || format!("delassus[{i}][{j}]").into())?;
        }
    }
    for (i, &v) in velocity.iter().enumerate() {
        finite(v, || format!("contact_velocity[{i}]").into())?;
    }
    Ok(())
}

/// A common exponent of two, and one for each row, that bring all normal entries of `W` and the larger tangential entry of
/// each contact into [1/2, 2); `diagonal` has the exponents of the diagonal, `None` where it is zero. A factor common to all
/// contacts goes to the first alone.
pub(crate) fn units(dimensions: &[Dimension], diagonal: impl Fn(usize) -> Option<i32>) -> (i32, Vec<i32>) {
    let mut sizes = Vec::new();
    for dimension in dimensions {
        let first = sizes.len();
        let normal = diagonal(first).unwrap_or(0);
        let tangents = first + 1..first + dimension.rows();
        let tangential = tangents.clone().filter_map(&diagonal).max().unwrap_or(normal);
        sizes.push(normal);
        sizes.extend(tangents.map(|_| tangential));
    }
    let starts = dimensions.iter().scan(0, |row, dimension| {
        *row += dimension.rows();
        Some(*row - dimension.rows())
    });
    let omega = starts.map(|start| sizes[start]).max().unwrap_or(0);
    (omega, sizes.iter().map(|size| (size - omega).div_euclid(2)).collect())
}

/// The matrix over `2^omega` with mirror entries averaged, normals and tangents of each contact in units of their own; `omega`, and the power of two
/// taken out of each row.
pub(crate) fn symmetrised(dimensions: &[Dimension], w: &MatrixView<'_>) -> Result<(Dense, i32, Vec<i32>)> {
    let mut first = 0;
    for dimension in dimensions {
        for k in 0..dimension.rows() {
            let (i, is_normal) = (first + k, k == 0);
            let value = w.at(i, i);
            if !(value > 0.0 || !is_normal && value == 0.0) {
                return Err(Error::NotPositive {
                    field: format!("delassus[{i}][{i}]").into(),
                    definiteness: "semidefinite",
                    quantity: if is_normal { "a normal entry".into() } else { "a diagonal entry".into() },
                    value,
                    bound: if is_normal { "> 0".into() } else { ">= 0".into() },
                });
            }
        }
        first += dimension.rows();
    }
    let (omega, rows) = units(dimensions, |r| Some(w.at(r, r)).filter(|w| *w != 0.0).map(exponent));
    let n = rows.len();
    let entry = |i: usize, j: usize| scale(w.at(i, j), -omega - rows[i] - rows[j]);
    let mut matrix = Dense::zeros(n, n);
    for i in 0..n {
        matrix[(i, i)] = entry(i, i);
        for j in 0..i {
            let (below, above) = (entry(i, j), entry(j, i));
            let bound = SYMMETRY * matrix[(i, i)].sqrt() * matrix[(j, j)].sqrt();
            if !((below - above).abs() <= bound) {
                return Err(Error::NotSymmetric {
                    field: format!("delassus[{i}][{j}]").into(),
                    value: w.at(i, j),
                    mirror: w.at(j, i),
                    bound: scale(bound, omega + rows[i] + rows[j]),
                });
            }
            let mean = 0.5 * (below + above);
            matrix[(i, j)] = mean;
            matrix[(j, i)] = mean;
        }
    }
    Ok((matrix, omega, rows))
}

/// That `W` is positive semidefinite and `v` in its range, by elimination with the largest pivot first.
pub(crate) fn elimination(w: &Dense, v: &[f64]) -> Result<()> {
    let n = v.len();
    let unit: Vec<i32> = (0..n).map(|i| -exponent(w[(i, i)]).div_euclid(2)).collect();
    let size = v.iter().zip(&unit).fold(0.0_f64, |size, (v, unit)| size.max(scale(v.abs(), *unit)));
    let mut scaled = Dense::zeros(n, n);
    for i in 0..n {
        for j in 0..n {
            scaled[(i, j)] = scale(w[(i, j)], unit[i] + unit[j]);
        }
    }
    let v: Vec<f64> = v.iter().zip(&unit).map(|(v, unit)| scale(*v, *unit)).collect();
    let mut system = LinearSystem::of(&scaled, &v);
    let reduced = system.reduce(SET_RANK);
    let largest = reduced.largest_rest();
    if let Some(value) = largest.filter(|x| !(x.abs() <= REST)) {
        return Err(Error::NotPositive {
            field: "delassus".into(),
            definiteness: "semidefinite",
            quantity: "what elimination leaves of it, with its diagonal brought to order one,".into(),
            value,
            bound: format!("within {REST:e} of zero").into(),
        });
    }
    let outside = reduced.outside();
    // The impulses behind v, about: where a pivot is small they are large. Rounding in W, and what is left of it, may have put
    // v = W i as far outside.
    let impulses: f64 = reduced.pivots().map(|(pivot, v)| v.abs() / pivot).sum();
    let uncertain = (DELASSUS_ROUNDING + largest.map_or(0.0, f64::abs)) * impulses;
    if outside > RANGE * size + uncertain {
        let (field, value) = ("contact_velocity".into(), outside / size);
        return Err(Error::OutsideRange { field, value, bound: RANGE });
    }
    Ok(())
}

/// `vᵀ W⁺ v / 2`, the energy that the contacts can reach, by elimination with the largest pivot first.
pub(crate) fn contact_energy(w: &Dense, v: &[f64]) -> f64 {
    let size = (0..v.len()).fold(0.0_f64, |size, i| size.max(w[(i, i)]));
    LinearSystem::of(w, v).reduce(SET_RANK * size).pivots().map(|(pivot, v)| 0.5 * v * v / pivot).sum()
}
