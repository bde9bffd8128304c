//! `L Lᵀ` of a symmetric positive definite matrix, in the place of its lower triangle.

use crate::numeric::matrix::Dense;

/// Factors the matrix of which the first `n` rows have the lower triangle, row by row. `rest` takes the product of two
/// rows off an entry. `pivot` is given the number of a row, its diagonal entry and what is left of that, and returns
/// the square of `L`'s diagonal entry or an error; infinity drops the row and its unknown.
pub(crate) fn factor<E>(
    l: &mut Dense,
    n: usize,
    rest: impl Fn(f64, &[f64], &[f64]) -> f64,
    pivot: impl Fn(usize, f64, f64) -> Result<f64, E>,
) -> Result<(), E> {
    for i in 0..n {
        for j in 0..=i {
            let entry = l[(i, j)];
            let rest = rest(entry, &l.row(i)[..j], &l.row(j)[..j]);
            l[(i, j)] = if i > j { rest / l[(j, j)] } else { pivot(i, entry, rest)?.sqrt() };
        }
    }
    Ok(())
}

/// `entry - a·b`.
pub(crate) fn plain_product(entry: f64, a: &[f64], b: &[f64]) -> f64 {
    entry - a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>()
}

/// `entry - a·b`, rounded once: sums and products with their rounding errors carried along (Ogita, Rump and Oishi 2005).
pub(crate) fn exact_product(entry: f64, a: &[f64], b: &[f64]) -> f64 {
    let (mut sum, mut error) = (entry, 0.0);
    for (a, b) in a.iter().zip(b) {
        let product = -a * b;
        let product_error = f64::mul_add(-a, *b, -product);
        let next = sum + product;
        let part = next - sum;
        error += (sum - (next - part)) + (product - part) + product_error;
        sum = next;
    }
    sum + error
}

/// `z ← L⁻¹ z`.
pub(crate) fn forward(l: &Dense, z: &mut [f64]) {
    for i in 0..z.len() {
        let sum: f64 = l.row(i)[..i].iter().zip(&*z).map(|(l, z)| l * z).sum();
        z[i] = (z[i] - sum) / l[(i, i)];
    }
}

/// `z ← L⁻ᵀ z`.
pub(crate) fn backward(l: &Dense, z: &mut [f64]) {
    for i in (0..z.len()).rev() {
        let x = z[i] / l[(i, i)];
        z[i] = x;
        for (z, l) in z.iter_mut().zip(&l.row(i)[..i]) {
            *z -= l * x;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MATRIX: [[f64; 3]; 3] = [[4.0, 2.0, -2.0], [2.0, 10.0, 2.0], [-2.0, 2.0, 3.0]];

    fn dense() -> Dense {
        let mut matrix = Dense::zeros(3, 3);
        MATRIX.iter().enumerate().for_each(|(i, row)| matrix.row_mut(i).copy_from_slice(row));
        matrix
    }

    #[test]
    fn definite_systems_are_solved() {
        for product in [plain_product, exact_product] {
            let mut l = dense();
            factor(&mut l, 3, product, |i, _, rest| if rest > 0.0 { Ok(rest) } else { Err(i) }).unwrap();
            let mut z = [4.0 + 4.0 - 6.0, 2.0 + 20.0 + 6.0, -2.0 + 4.0 + 9.0];
            forward(&l, &mut z);
            backward(&l, &mut z);
            z.iter().zip([1.0, 2.0, 3.0]).for_each(|(z, x)| assert!((z - x).abs() < 1e-14, "{z}"));
        }
    }

    #[test]
    fn a_pivot_that_is_refused_is_named_and_one_left_out_has_no_unknown() {
        let mut l = dense();
        l[(1, 1)] = 1.0;
        assert_eq!(factor(&mut l, 3, plain_product, |i, _, rest| if rest > 0.5 { Ok(rest) } else { Err(i) }), Err(1));
        let mut l = dense();
        let leave_out = |i: usize, _, rest: f64| Ok::<_, ()>(if i == 1 { f64::INFINITY } else { rest });
        factor(&mut l, 3, plain_product, leave_out).unwrap();
        // Of rows and columns 0 and 2 alone: [4, -2; -2, 3] (1, 3).
        let mut z = [-2.0, 100.0, 7.0];
        forward(&l, &mut z);
        backward(&l, &mut z);
        z.iter().zip([1.0, 0.0, 3.0]).for_each(|(z, x)| assert!((z - x).abs() < 1e-14, "{z}"));
    }
}
