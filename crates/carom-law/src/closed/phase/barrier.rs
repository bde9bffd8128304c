//! A barrier method for the margin. `z` and `s` are iterated together and every iterate is feasible, so that the result
//! is a distribution of forces and not only a bound.

use std::convert::Infallible;

use super::{Grip, PhaseContact};
use crate::numeric::cholesky;
use crate::numeric::linear::LinearSystem;
use crate::numeric::matrix::Dense;
use crate::numeric::plane::norm;
use crate::numeric::tolerance::HESSIAN_PIVOT;

/// Largest self-stress considered, relative to the largest force. Contacts that would need more do not stick.
pub(super) const MOST_STRESS: f64 = 1e3;

/// The weight of `s` against the barrier: initial value, growth factor and final value. The margin is below the optimum
/// by at most the number of constraints over the final weight.
const FIRST_WEIGHT: f64 = 1.0;
const GROWTH: f64 = 20.0;
const LAST_WEIGHT: f64 = 1e13;

/// Largest number of Newton steps per weight; a few suffice.
const MOST_STEPS: usize = 40;

/// Half the squared Newton decrement below which the next weight is taken.
const CENTRED: f64 = 1e-2;

/// Fraction of the predicted decrease that a step must achieve (Armijo), and an allowance for rounding.
const ENOUGH: f64 = 0.1;
const GAIN_ROUNDING: f64 = 1e-3;

/// Largest number of halvings of a step.
const MOST_HALVINGS: usize = 40;

/// Workspace, reused between calls.
#[derive(Debug, Clone, Default)]
pub(crate) struct Barrier {
    /// The number of self-stresses; `s` is one more variable.
    k: usize,
    /// Rows of `(x₀ | N)`, one for each unknown force, over the largest force.
    rows: Dense,
    cones: Vec<Cone>,
    /// `z` and then `s`.
    pub(super) point: Vec<f64>,
    step: Vec<f64>,
    gradient: Vec<f64>,
    hessian: Dense,
    trial: Vec<f64>,
    vector: Vec<f64>,
}

/// The constraints of a contact.
#[derive(Debug, Clone, Copy)]
struct Cone {
    /// The row of its normal force.
    normal: usize,
    /// Tangents of a sticking contact.
    tangents: usize,
    mu: f64,
}

/// Slacks of a contact's constraints.
#[derive(Debug, Clone, Copy)]
struct Slack {
    /// `λ_n - s`
    normal: f64,
    /// `u_0 = μ λ_n - s` and `λ_t`
    cone: [f64; 3],
    /// `u_0² - |λ_t|²`
    determinant: f64,
}

impl Barrier {
    pub(super) fn prepare(
        &mut self,
        system: &mut LinearSystem,
        rank: usize,
        size: f64,
        contacts: &[PhaseContact],
        mu_s: &[f64],
    ) {
        let n = system.answer().len();
        let k = n - rank;
        self.k = k;
        self.rows.reset(n, k + 1);
        for (i, x) in system.answer().iter().enumerate() {
            self.rows[(i, 0)] = x / size;
        }
        self.vector.clear();
        self.vector.resize(n, 0.0);
        for index in 0..k {
            system.null_vector(rank, index, &mut self.vector);
            for i in 0..n {
                self.rows[(i, 1 + index)] = self.vector[i];
            }
        }
        self.cones.clear();
        let mut normal = 0;
        for (contact, &mu) in contacts.iter().zip(mu_s) {
            let tangents = if contact.grip == Grip::Stick { contact.dimension.rows() - 1 } else { 0 };
            self.cones.push(Cone { normal, tangents, mu });
            normal += 1 + tangents;
        }
    }

    /// Unknown force `i` at a point.
    pub(super) fn force(&self, point: &[f64], i: usize) -> f64 {
        let row = self.rows.row(i);
        row[0] + row[1..].iter().zip(point).map(|(a, z)| a * z).sum::<f64>()
    }

    fn slack(&self, point: &[f64], cone: &Cone) -> Slack {
        let s = point[self.k];
        let normal = self.force(point, cone.normal);
        let mut u = [cone.mu * normal - s, 0.0, 0.0];
        for t in 0..cone.tangents {
            u[1 + t] = self.force(point, cone.normal + 1 + t);
        }
        let length = norm([u[1], u[2]]);
        Slack { normal: normal - s, cone: u, determinant: (u[0] - length) * (u[0] + length) }
    }

    /// The largest `s` at the `z` of a point.
    fn margin_at(&self, point: &[f64]) -> f64 {
        let of = |cone: &Cone| {
            let normal = self.force(point, cone.normal);
            if cone.tangents == 0 {
                return normal;
            }
            let mut t = [0.0; 2];
            (0..cone.tangents).for_each(|k| t[k] = self.force(point, cone.normal + 1 + k));
            normal.min(cone.mu * normal - norm(t))
        };
        self.cones.iter().map(of).fold(1.0, f64::min)
    }

    /// The margin, and the number of Newton steps.
    pub(super) fn maximise(&mut self) -> (f64, usize) {
        let q = self.k + 1;
        for list in [&mut self.point, &mut self.step, &mut self.gradient, &mut self.trial] {
            list.clear();
            list.resize(q, 0.0);
        }
        self.hessian.reset(q, q);
        let first = self.margin_at(&self.point);
        if self.k == 0 {
            return (first, 0);
        }
        self.point[self.k] = first - 1.0;
        let (mut weight, mut steps) = (FIRST_WEIGHT, 0);
        while weight <= LAST_WEIGHT {
            for _ in 0..MOST_STEPS {
                self.differentiate(weight);
                let decrement = self.newton();
                steps += 1;
                let length = self.descend(weight, decrement);
                for (x, d) in self.point.iter_mut().zip(&self.step) {
                    *x += length * d;
                }
                if decrement <= CENTRED && length == 1.0 {
                    break;
                }
            }
            weight *= GROWTH;
        }
        (self.margin_at(&self.point), steps)
    }

    /// Gradient and Hessian of `-weight s - Σ log(slack)`.
    fn differentiate(&mut self, weight: f64) {
        let k = self.k;
        self.gradient.fill(0.0);
        self.hessian.reset(k + 1, k + 1);
        self.gradient[k] = -weight;
        let mut row = std::mem::take(&mut self.trial);
        let mut square = 0.0;
        for z in &self.point[..k] {
            square += z * z;
        }
        // The ball of self-stresses, and s <= 1.
        let room = MOST_STRESS * MOST_STRESS - square;
        for i in 0..k {
            self.gradient[i] += 2.0 * self.point[i] / room;
            self.hessian[(i, i)] += 2.0 / room;
        }
        row[..k].copy_from_slice(&self.point[..k]);
        row[k] = 0.0;
        add_square(&mut self.hessian, 4.0 / (room * room), &row);
        let cap = 1.0 - self.point[k];
        self.gradient[k] += 1.0 / cap;
        self.hessian[(k, k)] += 1.0 / (cap * cap);
        for c in 0..self.cones.len() {
            let cone = self.cones[c];
            let slack = self.slack(&self.point, &cone);
            self.row_of(&mut row, cone.normal, 1.0, -1.0);
            add_scaled(&mut self.gradient, -1.0 / slack.normal, &row);
            add_square(&mut self.hessian, 1.0 / (slack.normal * slack.normal), &row);
            if cone.tangents > 0 {
                self.add_cone(&cone, &slack, &mut row);
            }
        }
        self.trial = row;
    }

    /// Adds `-log(u_0² - |λ_t|²)`.
    fn add_cone(&mut self, cone: &Cone, slack: &Slack, row: &mut [f64]) {
        let d = slack.determinant;
        let u = slack.cone;
        // (J u) of the map from the point to u, J = diag(1, -1, -1).
        let mut normal = std::mem::take(&mut self.vector);
        normal.clear();
        normal.resize(self.k + 1, 0.0);
        for (i, (u, sign)) in u.iter().zip([1.0, -1.0, -1.0]).take(1 + cone.tangents).enumerate() {
            let (factor, of_s) = if i == 0 { (cone.mu, -1.0) } else { (1.0, 0.0) };
            self.row_of(row, cone.normal + i, factor, of_s);
            add_square(&mut self.hessian, -2.0 * sign / d, row);
            add_scaled(&mut normal, sign * u, row);
        }
        add_scaled(&mut self.gradient, -2.0 / d, &normal);
        add_square(&mut self.hessian, 4.0 / (d * d), &normal);
        self.vector = normal;
    }

    /// The derivative of `factor x_i + of_s s`.
    fn row_of(&self, row: &mut [f64], i: usize, factor: f64, of_s: f64) {
        for (r, c) in row.iter_mut().zip(&self.rows.row(i)[1..]) {
            *r = factor * c;
        }
        row[self.k] = of_s;
    }

    /// Solves for the step; returns half the squared decrement. If a pivot is lost to rounding, nothing is left to gain
    /// along it, and its step is zero.
    fn newton(&mut self) -> f64 {
        for (s, g) in self.step.iter_mut().zip(&self.gradient) {
            *s = -g;
        }
        let pivot = |_, diagonal: f64, rest: f64| {
            Ok::<_, Infallible>(if rest > HESSIAN_PIVOT * diagonal { rest } else { f64::INFINITY })
        };
        let Ok(()) = cholesky::factor(&mut self.hessian, self.k + 1, cholesky::plain_product, pivot);
        cholesky::forward(&self.hessian, &mut self.step);
        cholesky::backward(&self.hessian, &mut self.step);
        -0.5 * self.gradient.iter().zip(&self.step).map(|(g, s)| g * s).sum::<f64>()
    }

    /// The step length: 1, or smaller to stay feasible and decrease the function.
    fn descend(&mut self, weight: f64, decrement: f64) -> f64 {
        let mut trial = std::mem::take(&mut self.trial);
        let mut length = 1.0;
        for _ in 0..MOST_HALVINGS {
            for ((t, x), d) in trial.iter_mut().zip(&self.point).zip(&self.step) {
                *t = x + length * d;
            }
            if self.is_inside(&trial) && self.change(weight, &trial) <= -ENOUGH * length * decrement + GAIN_ROUNDING {
                break;
            }
            length *= 0.5;
        }
        self.trial = trial;
        length
    }

    /// The change of `-weight s - Σ log(slack)` from the present point to another.
    fn change(&self, weight: f64, to: &[f64]) -> f64 {
        let k = self.k;
        let room = |p: &[f64]| MOST_STRESS * MOST_STRESS - p[..k].iter().map(|z| z * z).sum::<f64>();
        let ends = (1.0 - to[k]) / (1.0 - self.point[k]) * (room(to) / room(&self.point));
        let of = |cone: &Cone| {
            let (a, b) = (self.slack(&self.point, cone), self.slack(to, cone));
            let ratio = b.normal / a.normal;
            if cone.tangents > 0 { (ratio * (b.determinant / a.determinant)).ln() } else { ratio.ln() }
        };
        -weight * (to[k] - self.point[k]) - ends.ln() - self.cones.iter().map(of).sum::<f64>()
    }

    fn is_inside(&self, point: &[f64]) -> bool {
        let stress: f64 = point[..self.k].iter().map(|z| z * z).sum();
        let holds = |cone: &Cone| {
            let slack = self.slack(point, cone);
            slack.normal > 0.0 && (cone.tangents == 0 || slack.cone[0] > 0.0 && slack.determinant > 0.0)
        };
        point[self.k] < 1.0 && stress < MOST_STRESS * MOST_STRESS && self.cones.iter().all(holds)
    }
}

fn add_scaled(sum: &mut [f64], factor: f64, row: &[f64]) {
    for (s, r) in sum.iter_mut().zip(row) {
        *s += factor * r;
    }
}

/// Adds `factor row rowᵀ` to the lower triangle.
fn add_square(matrix: &mut Dense, factor: f64, row: &[f64]) {
    for i in 0..row.len() {
        add_scaled(&mut matrix.row_mut(i)[..i + 1], factor * row[i], &row[..i + 1]);
    }
}
