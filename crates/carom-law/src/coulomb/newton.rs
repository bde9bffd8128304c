//! Newton's method on the projection equations of the Coulomb problem, which are not smooth everywhere but
//! have a slope almost everywhere.
//!
//! In the units of velocity, with `w_n = W_nn` and `w_t` the contact's own: a contact presses if `w_n i_n - y_n > 0`.
//! One that does not has `F = (w_n i_n, w_t i_t)`. One that does has `F_n = y_n` and, with `p = w_t i_t - y_t` and the radius
//! `R = w_t μ (i_n - y_n/w_n)`, either `F_t = y_t` (`|p| <= R`) or `F_t = w_t i_t - R p/|p|`.
//!
//! Each step is the shortest one with the least residual, so that matrices of any rank are allowed, and each contact
//! is measured in its own mass. The residual need not decrease from step to step; the best impulse is kept.

use super::{Best, Block, Coulomb, Rule};
use crate::numeric::least_squares::LeastSquares;
use crate::numeric::matrix::Dense;
use crate::numeric::plane::norm;
use crate::numeric::scaling::{exponent, scale};

/// Largest number of steps; four suffice nearly always.
const MOST_STEPS: u32 = 40;

/// Largest number of steps without a smaller residual.
const MOST_IN_VAIN: u32 = 8;

/// A residual below this fraction of the tolerance is not improved further.
const ENOUGH: f64 = 1e-4;

#[derive(Debug, Clone)]
pub(crate) struct Newton {
    system: LeastSquares,
    step: Vec<f64>,
}

impl Newton {
    pub(crate) fn new(rows: usize) -> Self {
        Self { system: LeastSquares::new(rows), step: vec![0.0; rows] }
    }

    /// Improves an impulse; returns the number of steps.
    pub(crate) fn iterate(
        &mut self,
        problem: &Coulomb<'_>,
        impulse: &mut [f64],
        y: &mut [f64],
        best: &mut Best,
    ) -> u32 {
        let (mut steps, mut in_vain, mut own_best) = (0, 0, f64::INFINITY);
        loop {
            problem.system.velocity(problem.q, impulse, y);
            let residual = problem.residual(impulse, y);
            best.keep(residual, impulse);
            let is_answer = own_best <= problem.tolerance;
            in_vain = if residual < own_best { 0 } else { in_vain + 1 };
            own_best = own_best.min(residual);
            // One more step after the tolerance is reached: it squares the remaining error.
            let is_done = is_answer || residual <= ENOUGH * problem.tolerance;
            if is_done || steps == MOST_STEPS || in_vain > MOST_IN_VAIN || !residual.is_finite() {
                return steps;
            }
            self.linearise(problem, impulse, y);
            self.system.solve(&mut self.step);
            for block in &problem.system.blocks {
                let unit = unit(block);
                for r in block.range() {
                    impulse[r] += scale(self.step[r], unit);
                }
            }
            steps += 1;
        }
    }

    /// `F` and its slope, in the contacts' own units.
    fn linearise(&mut self, problem: &Coulomb<'_>, impulse: &[f64], y: &[f64]) {
        let w = &problem.system.matrix;
        for (block, &rule) in problem.system.blocks.iter().zip(problem.rules) {
            let LeastSquares { matrix, rhs, .. } = &mut self.system;
            linearise_contact(block, rule, w, block.of(impulse), block.of(y), matrix, rhs);
            let row_unit = unit(block);
            for r in block.range() {
                rhs[r] = -scale(rhs[r], row_unit);
                let row = matrix.row_mut(r);
                for other in &problem.system.blocks {
                    let unit = row_unit + unit(other);
                    if unit != 0 {
                        for x in &mut row[other.range()] {
                            *x = scale(*x, unit);
                        }
                    }
                }
            }
        }
    }
}

/// The exponent of the unit in which the contact's impulse is counted: `W_nn` becomes of order one.
pub(crate) fn unit(block: &Block) -> i32 {
    -exponent(block.w_nn).div_euclid(2)
}

fn linearise_contact(block: &Block, rule: Rule, w: &Dense, i: [f64; 3], y: [f64; 3], slope: &mut Dense, f: &mut [f64]) {
    let (n, d) = (block.start, block.dimension.rows());
    let (w_n, w_t) = (block.w_nn, block.w_t);
    let diagonal = |slope: &mut Dense, r: usize, value: f64| {
        let row = slope.row_mut(n + r);
        row.fill(0.0);
        row[n + r] = value;
    };
    let presses = w_n * i[0] - y[0] > 0.0;
    if presses {
        f[n] = y[0];
        slope.row_mut(n).copy_from_slice(w.row(n));
    } else {
        f[n] = w_n * i[0];
        diagonal(slope, 0, w_n);
    }
    let mu = match rule {
        Rule::Driven { mu, u } => {
            for r in 1..d {
                f[n + r] = w_t * (i[r] + mu * i[0] * u[r - 1]);
                diagonal(slope, r, w_t);
                slope[(n + r, n)] = w_t * mu * u[r - 1];
            }
            return;
        }
        Rule::Coulomb { mu, .. } => mu,
    };
    let p = [w_t * i[1] - y[1], w_t * i[2] - y[2]];
    let radius = w_t * mu * (i[0] - y[0] / w_n);
    let length = norm(p);
    if !presses || radius <= 0.0 {
        for r in 1..d {
            f[n + r] = w_t * i[r];
            diagonal(slope, r, w_t);
        }
    } else if length <= radius {
        for r in 1..d {
            f[n + r] = y[r];
            slope.row_mut(n + r).copy_from_slice(w.row(n + r));
        }
    } else {
        // dF_t = w_t di_t - p̂ dR - (R/|p|) (1 - p̂ p̂ᵀ) (w_t di_t - dy_t).
        let hat = [p[0] / length, p[1] / length];
        let share = radius / length;
        for r in 1..d {
            f[n + r] = w_t * i[r] - radius * hat[r - 1];
            let onto_normal = hat[r - 1] * w_t * mu / w_n;
            let row = slope.row_mut(n + r);
            for (s, w) in row.iter_mut().zip(w.row(n)) {
                *s = onto_normal * w;
            }
            row[n] -= hat[r - 1] * w_t * mu;
            row[n + r] += w_t;
            for c in 1..d {
                let projector = f64::from(u8::from(r == c)) - hat[r - 1] * hat[c - 1];
                let weight = share * projector;
                for (s, w) in row.iter_mut().zip(w.row(n + c)) {
                    *s += weight * w;
                }
                row[n + c] -= weight * w_t;
            }
        }
    }
}
