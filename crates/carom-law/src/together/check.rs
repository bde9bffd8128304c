//! Whether a matrix of several contacts is a Delassus matrix, and whether velocities can occur with it.

use crate::contact::delassus::Dimension;
use crate::error::{Error, Result, finite};
use crate::numeric::linear::LinearSystem;
use crate::numeric::matrix::{Dense, MatrixView};
use crate::numeric::scaling::{exponent, scale};
use crate::numeric::tolerance::{RANGE, SET_RANK, SYMMETRY};

/// Rounding in `W`, with the diagonal brought to order one.
const DELASSUS_ROUNDING: f64 = 1e-15;

/// Largest remainder of the matrix beyond its rank, with the diagonal brought to order one.
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

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use fastrand::Rng;

    const ALL: [Dimension; 3] = [Dimension::Spatial, Dimension::Normal, Dimension::Planar];

    #[test]
    fn units_bring_normals_and_the_larger_tangents_to_order_one() {
        let mut rng = Rng::with_seed(1);
        for _ in 0..300 {
            let sizes: Vec<i32> = (0..6).map(|_| rng.i32(-300..300)).collect();
            let zero = rng.usize(0..8);
            let diagonal = |r: usize| (r != zero || [0, 3, 4].contains(&r)).then(|| sizes[r]);
            let (omega, rows) = units(&ALL, diagonal);
            let left = |r: usize| sizes[r] - omega - 2 * rows[r];
            for normal in [0, 3, 4] {
                assert!([0, 1].contains(&left(normal)), "{sizes:?}");
            }
            // The tangents of a contact share a unit, that of the larger; a single tangent that is zero has its normal's.
            assert_eq!(rows[1], rows[2]);
            let larger = [1, 2].into_iter().filter_map(diagonal).max().unwrap();
            assert!([0, 1].contains(&(larger - omega - 2 * rows[1])));
            let own = diagonal(5).unwrap_or(sizes[4]);
            assert!([0, 1].contains(&(own - omega - 2 * rows[5])));
            // The largest normal needs no unit but the common one.
            assert_eq!(omega, sizes[0].max(sizes[3]).max(sizes[4]));
        }
    }

    #[test]
    fn a_matrix_in_its_units_is_the_matrix() {
        let mut rng = Rng::with_seed(2);
        for _ in 0..100 {
            let matrix = samples::system(&mut rng, &ALL, 8).0.matrix;
            let factors: Vec<f64> = (0..6).map(|_| scale(1.0, rng.i32(-40..40))).collect();
            // Mirror entries that differ are averaged.
            let off = 1e-12;
            let entry = |i: usize, j: usize| {
                let side = if i > j { 1.0 + off } else { 1.0 };
                side * factors[i] * matrix[(i, j)] * factors[j]
            };
            let w: Vec<f64> = (0..36).map(|k| entry(k / 6, k % 6)).collect();
            let (scaled, omega, rows) = symmetrised(&ALL, &MatrixView::row_major(6, 6, &w)).unwrap();
            for i in 0..6 {
                for j in 0..6 {
                    let back = scale(scaled[(i, j)], omega + rows[i] + rows[j]);
                    let expected = 0.5 * (entry(i, j) + entry(j, i));
                    assert!((back - expected).abs() <= 1e-15 * expected.abs(), "{back} {expected}");
                    assert_eq!(scaled[(i, j)], scaled[(j, i)]);
                }
            }
        }
    }

    #[test]
    fn a_fault_of_a_matrix_names_its_entry() {
        let refused = |change: fn(&mut [f64])| {
            let mut w = [0.0; 36];
            (0..6).for_each(|k| w[7 * k] = 2.0 + k as f64);
            change(&mut w);
            symmetrised(&ALL, &MatrixView::row_major(6, 6, &w)).unwrap_err()
        };
        // Normals are rows 0, 3 and 4.
        for (error, entry, is_normal) in [
            (refused(|w| w[7 * 3] = 0.0), 3, true),
            (refused(|w| w[7 * 4] = -1.0), 4, true),
            (refused(|w| w[7 * 2] = -1.0), 2, false),
        ] {
            let Error::NotPositive { field, quantity, .. } = error else { panic!("{error}") };
            assert_eq!(field, format!("delassus[{entry}][{entry}]"));
            assert_eq!(quantity.contains("normal"), is_normal, "{quantity}");
        }
        // Relative to the diagonal: sqrt(W_44 W_11) = sqrt(18).
        let error = refused(|w| w[6 * 4 + 1] = 1.1e-9 * 18f64.sqrt());
        let Error::NotSymmetric { field, bound, .. } = error else { panic!("{error}") };
        assert_eq!(field, "delassus[4][1]");
        assert!((bound - 1e-9 * 18f64.sqrt()).abs() < 1e-20, "{bound:e}");
    }

    #[test]
    fn the_energy_that_contacts_reach_is_half_the_square_in_the_inverse() {
        let mut rng = Rng::with_seed(3);
        for _ in 0..200 {
            // With three columns W has rank three, and velocities of the mechanism the energy of those three.
            let columns = [3, 8][rng.usize(0..2)];
            let (system, rows) = samples::system(&mut rng, &ALL, columns);
            let y = nalgebra::DMatrix::from_fn(6, columns, |i, j| rows[i][j]);
            let s = nalgebra::DVector::from_vec(samples::numbers(&mut rng, columns));
            let v = &y * &s;
            let own = if columns == 3 { s } else { y.pseudo_inverse(1e-12).unwrap() * &v };
            let (found, expected) = (contact_energy(&system.matrix, v.as_slice()), 0.5 * own.norm_squared());
            assert!((found - expected).abs() < 1e-9 * (1.0 + expected), "{found} {expected}");
        }
    }

    #[test]
    fn velocities_outside_of_the_range_are_refused_and_those_inside_are_not() {
        let mut rng = Rng::with_seed(4);
        let mut refused = 0;
        for _ in 0..200 {
            let (system, rows) = samples::system(&mut rng, &ALL, 4);
            let y = nalgebra::DMatrix::from_fn(6, 4, |i, j| rows[i][j]);
            let v = &y * nalgebra::DVector::from_vec(samples::numbers(&mut rng, 4));
            assert!(elimination(&system.matrix, v.as_slice()).is_ok());
            // What is perpendicular to the range, by a millionth of the velocities.
            let any = nalgebra::DVector::from_vec(samples::numbers(&mut rng, 6));
            let out = &any - &y * (y.clone().pseudo_inverse(1e-12).unwrap() * &any);
            let off = &v + &out * (1e-6 * v.norm() / out.norm());
            match elimination(&system.matrix, off.as_slice()) {
                Err(Error::OutsideRange { field, value, bound }) => {
                    assert!(field == "contact_velocity" && value > bound && bound == RANGE);
                    refused += 1;
                }
                // A small pivot lets less be known.
                other => assert!(other.is_ok()),
            }
        }
        assert!(refused > 190, "{refused}");
        let mut indefinite = Dense::zeros(2, 2);
        indefinite.row_mut(0).copy_from_slice(&[1.0, 1.1]);
        indefinite.row_mut(1).copy_from_slice(&[1.1, 1.0]);
        assert!(matches!(elimination(&indefinite, &[0.0; 2]), Err(Error::NotPositive { .. })));
    }

    #[test]
    fn no_contact_at_all_is_refused() {
        assert!(rows(&[]).is_err());
        assert_eq!(rows(&ALL).unwrap(), 6);
    }
}
