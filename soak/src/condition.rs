//! Condition numbers of the matrices of a problem.

use crate::precise::{Cholesky, exponent, shift};
use crate::problem::{Problem, Rows, Terms};

/// A mass matrix scaled to a unit diagonal with pivots above this is positive definite in spite of rounding.
const LEAST_PIVOT: f64 = 1e-15;

/// Whether a mass matrix is certainly positive definite.
pub fn is_definite(mass: &Rows) -> bool {
    Cholesky::new(&equilibrated(mass)).is_some_and(|factor| factor.least_pivot > LEAST_PIVOT)
}

/// Whether a matrix that is not positive definite could be so only because of rounding.
pub fn is_semidefinite_to_rounding(mass: &Rows) -> bool {
    let mut raised = equilibrated(mass);
    let rounding = 8.0 * raised.len() as f64 * f64::EPSILON;
    (0..raised.len()).for_each(|i| raised[i][i] += rounding);
    Cholesky::new(&raised).is_some()
}

/// Estimate of the condition number of `W` scaled to a diagonal of order one: the inverse of its smallest pivot.
pub fn delassus_condition(problem: &Problem) -> f64 {
    let delassus = match &problem.terms {
        Terms::ContactSpace { delassus, .. } => delassus.clone(),
        Terms::Generalized { mass, jacobian, .. } => match delassus(mass, jacobian) {
            Some(delassus) => delassus,
            None => return f64::INFINITY,
        },
    };
    Cholesky::new(&equilibrated(&delassus)).map_or(f64::INFINITY, |factor| 1.0 / factor.least_pivot)
}

/// The condition number of `M`; 1 in contact space.
pub fn mass_condition(problem: &Problem) -> f64 {
    match &problem.terms {
        Terms::ContactSpace { .. } => 1.0,
        Terms::Generalized { mass, .. } => {
            Cholesky::new(&equilibrated(mass)).map_or(f64::INFINITY, |factor| 1.0 / factor.least_pivot)
        }
    }
}

/// `A M⁻¹ Aᵀ`, with coordinates and rows in units of order one.
fn delassus(mass: &Rows, jacobian: &Rows) -> Option<Rows> {
    let size: Vec<i32> = (0..mass.len()).map(|i| exponent(mass[i][i]).div_euclid(2)).collect();
    let factor = Cholesky::new(&equilibrated(mass))?;
    let scaled = |row: &Vec<f64>| {
        let row: Vec<f64> = row.iter().zip(&size).map(|(a, size)| shift(*a, -size)).collect();
        let largest = exponent(row.iter().fold(0.0_f64, |largest, a| largest.max(a.abs())));
        row.iter().map(|a| shift(*a, -largest)).collect::<Vec<f64>>()
    };
    let rows: Rows = jacobian.iter().map(scaled).collect();
    let entry = |a: &Vec<f64>, b: &Vec<f64>| {
        let combined = |sign: f64| a.iter().zip(b).map(|(a, b)| 0.5 * (a + sign * b)).collect::<Vec<f64>>();
        (factor.inverse_quadratic(&combined(1.0)) - factor.inverse_quadratic(&combined(-1.0))).hi()
    };
    Some(rows.iter().map(|a| rows.iter().map(|b| entry(a, b)).collect()).collect())
}

/// The matrix scaled to a diagonal of order one.
fn equilibrated(matrix: &Rows) -> Rows {
    let size: Vec<i32> = (0..matrix.len()).map(|i| exponent(matrix[i][i]).div_euclid(2)).collect();
    let row = |i: usize| (0..matrix.len()).map(|j| shift(matrix[i][j], -size[i] - size[j])).collect();
    (0..matrix.len()).map(row).collect()
}
