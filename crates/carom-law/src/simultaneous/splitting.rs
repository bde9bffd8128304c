//! A splitting method (alternating directions) for where neither sweeps nor Newton's method lead to an answer.
//!
//! With `s_n = μ |y_t|` added to the normal velocity, Coulomb's law says that impulse and velocity lie in a cone and in its
//! dual and are orthogonal. The method alternates between the linear problem `(W + ρ) x = ρ (z - u) - q - s` and the
//! projection of `x + u` on the cones, and renews `s` on the way. Slow but hard to mislead; Newton's method finishes.

use super::coulomb::{Coulomb, Rule};
use crate::matrix::Dense;
use crate::plane::norm;

/// `ρ` over the mean of the diagonal of `W`.
pub(crate) const WEIGHTS: [f64; 3] = [0.03, 0.3, 0.01];

const STEPS: usize = 2000;

/// Goes on from an impulse; `y` is room.
pub(crate) fn iterate(problem: &Coulomb<'_>, weight: f64, impulse: &mut [f64], y: &mut [f64]) {
    let (system, n) = (problem.system, impulse.len());
    let trace: f64 = (0..n).map(|i| system.matrix[(i, i)]).sum();
    let rho = weight * trace / n as f64;
    let mut factor = system.matrix.clone();
    for i in 0..n {
        factor[(i, i)] += rho;
    }
    cholesky(&mut factor, n);
    let (mut z, mut u, mut shift) = (impulse.to_vec(), vec![0.0; n], problem.q.to_vec());
    system.velocity(problem.q, impulse, y);
    for (u, y) in u.iter_mut().zip(&*y) {
        *u = -y / rho;
    }
    for _ in 0..STEPS {
        for (block, rule) in system.blocks.iter().zip(problem.rules) {
            if let Rule::Coulomb { mu, .. } = *rule {
                let u = block.of(&u);
                shift[block.start] = problem.q[block.start] + mu * rho * norm([u[1], u[2]]);
            }
        }
        for i in 0..n {
            impulse[i] = rho * (z[i] - u[i]) - shift[i];
        }
        solve(&factor, impulse);
        for i in 0..n {
            u[i] += impulse[i];
        }
        z.copy_from_slice(&u);
        for (block, rule) in system.blocks.iter().zip(problem.rules) {
            let part = block.of(&z);
            let projected = match *rule {
                Rule::Coulomb { mu, .. } => onto_cone(part, mu),
                // Friction as the normal impulse of the last step has it: the ray of the given direction.
                Rule::Driven { mu, u } => {
                    [part[0].max(0.0), -mu * part[0].max(0.0) * u[0], -mu * part[0].max(0.0) * u[1]]
                }
            };
            z[block.range()].copy_from_slice(&projected[..block.dimension.rows()]);
        }
        for i in 0..n {
            u[i] -= z[i];
        }
    }
    impulse.copy_from_slice(&z);
}

/// The nearest point of the cone `|t| <= μ n`.
fn onto_cone(x: [f64; 3], mu: f64) -> [f64; 3] {
    let t = norm([x[1], x[2]]);
    if t <= mu * x[0] {
        x
    } else if mu * t <= -x[0] {
        [0.0; 3]
    } else {
        let normal = (x[0] + mu * t) / (1.0 + mu * mu);
        let share = mu * normal / t;
        [normal, share * x[1], share * x[2]]
    }
}

/// The lower factor of a positive definite matrix, in place.
fn cholesky(l: &mut Dense, n: usize) {
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = l.row(i)[..j].iter().zip(&l.row(j)[..j]).map(|(a, b)| a * b).sum();
            let rest = l[(i, j)] - sum;
            l[(i, j)] = if i > j { rest / l[(j, j)] } else { rest.max(f64::MIN_POSITIVE).sqrt() };
        }
    }
}

fn solve(l: &Dense, x: &mut [f64]) {
    for i in 0..x.len() {
        let sum: f64 = l.row(i)[..i].iter().zip(&*x).map(|(l, x)| l * x).sum();
        x[i] = (x[i] - sum) / l[(i, i)];
    }
    for i in (0..x.len()).rev() {
        let value = x[i] / l[(i, i)];
        x[i] = value;
        for (x, l) in x.iter_mut().zip(&l.row(i)[..i]) {
            *x -= l * value;
        }
    }
}
