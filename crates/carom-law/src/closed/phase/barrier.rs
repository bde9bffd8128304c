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

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    /// A barrier over cones without tangents, in the plane and in space, and a point inside of all constraints. The self-stress is
    /// large, so that the ball of self-stresses takes part in every derivative.
    fn random(rng: &mut Rng) -> Barrier {
        let k = rng.usize(1..=3);
        let mut uniform = || 2.0 * rng.f64() - 1.0;
        let cones = [(0, 0.4), (1, 0.7), (2, 1.3)];
        let mut barrier = Barrier { k, rows: Dense::zeros(6, k + 1), ..Barrier::default() };
        let mut normal = 0;
        for (tangents, mu) in cones {
            barrier.cones.push(Cone { normal, tangents, mu });
            for i in normal..=normal + tangents {
                let row = barrier.rows.row_mut(i);
                row[0] = if i == normal { 2.0 + uniform() } else { 0.2 * uniform() };
                row[1..].iter_mut().for_each(|x| *x = 5e-4 * uniform());
            }
            normal += 1 + tangents;
        }
        let z = MOST_STRESS / (2.0 * (k as f64).sqrt());
        barrier.point = (0..k).map(|_| z * (1.0 + 0.5 * uniform())).collect();
        barrier.point.push(0.0);
        barrier.point[k] = barrier.margin_at(&barrier.point) - 0.3 - uniform().abs();
        for list in [&mut barrier.gradient, &mut barrier.step, &mut barrier.trial] {
            list.resize(k + 1, 0.0);
        }
        barrier
    }

    /// `λ` by its definition.
    fn forces(barrier: &Barrier, point: &[f64]) -> Vec<f64> {
        let row = |i: usize| barrier.rows.row(i);
        (0..6).map(|i| row(i)[0] + (0..barrier.k).map(|j| row(i)[1 + j] * point[j]).sum::<f64>()).collect()
    }

    /// What is positive inside: the ball, the cap, and of each contact `λ_n - s` and `(μ λ_n - s)² - |λ_t|²`.
    fn slacks(barrier: &Barrier, point: &[f64]) -> Vec<f64> {
        let (k, f) = (barrier.k, forces(barrier, point));
        let s = point[k];
        let mut all = vec![MOST_STRESS.powi(2) - point[..k].iter().map(|z| z * z).sum::<f64>(), 1.0 - s];
        for cone in &barrier.cones {
            all.push(f[cone.normal] - s);
            if cone.tangents > 0 {
                let friction = f[cone.normal + 1..=cone.normal + cone.tangents].iter().map(|t| t * t).sum::<f64>();
                all.push((cone.mu * f[cone.normal] - s).powi(2) - friction);
            }
        }
        all
    }

    fn value(barrier: &Barrier, weight: f64, point: &[f64]) -> f64 {
        -weight * point[barrier.k] - slacks(barrier, point).iter().map(|slack| slack.ln()).sum::<f64>()
    }

    fn moved(point: &[f64], i: usize, by: f64) -> Vec<f64> {
        let mut moved = point.to_vec();
        moved[i] += by;
        moved
    }

    /// The step of a difference: of self-stresses, which are of size 1e3, and of `s`.
    fn difference(barrier: &Barrier, i: usize) -> f64 {
        if i < barrier.k { 1e-2 } else { 1e-5 }
    }

    #[test]
    fn the_margin_is_the_least_room_of_any_contact_and_at_most_one() {
        let mut rng = Rng::with_seed(1);
        for _ in 0..300 {
            let barrier = random(&mut rng);
            let f = forces(&barrier, &barrier.point);
            let of = |cone: &Cone| match cone.tangents {
                0 => f[cone.normal],
                1 => f[cone.normal].min(cone.mu * f[cone.normal] - f[cone.normal + 1].abs()),
                _ => f[cone.normal].min(cone.mu * f[cone.normal] - f[cone.normal + 1].hypot(f[cone.normal + 2])),
            };
            let least = barrier.cones.iter().map(of).fold(1.0, f64::min);
            assert!((barrier.margin_at(&barrier.point) - least).abs() < 1e-13 * (1.0 + least.abs()));
        }
    }

    #[test]
    fn the_gradient_is_that_of_the_barrier() {
        let mut rng = Rng::with_seed(2);
        for _ in 0..300 {
            let mut barrier = random(&mut rng);
            let weight = 10.0 * rng.f64();
            barrier.differentiate(weight);
            for i in 0..=barrier.k {
                let h = difference(&barrier, i);
                let [up, down] = [h, -h].map(|by| value(&barrier, weight, &moved(&barrier.point, i, by)));
                let (found, expected) = (barrier.gradient[i], (up - down) / (2.0 * h));
                let size = expected.abs().max(1e-3 / h * 1e-2);
                assert!((found - expected).abs() < 1e-5 * size, "{i}: {found} and {expected}");
            }
        }
    }

    #[test]
    fn the_hessian_is_the_slope_of_the_gradient() {
        let mut rng = Rng::with_seed(3);
        for _ in 0..300 {
            let mut barrier = random(&mut rng);
            barrier.differentiate(1.0);
            let (hessian, k) = (barrier.hessian.clone(), barrier.k);
            for j in 0..=k {
                let h = difference(&barrier, j);
                let slope = [h, -h].map(|by| {
                    let mut at = barrier.clone();
                    at.point = moved(&barrier.point, j, by);
                    at.differentiate(1.0);
                    at.gradient
                });
                for i in j..=k {
                    let expected = (slope[0][i] - slope[1][i]) / (2.0 * h);
                    let size = (hessian[(i, i)] * hessian[(j, j)]).sqrt();
                    assert!(
                        (hessian[(i, j)] - expected).abs() < 1e-5 * size,
                        "{i} {j}: {} {expected}",
                        hessian[(i, j)]
                    );
                }
            }
        }
    }

    #[test]
    fn the_change_is_the_difference_of_two_values() {
        let mut rng = Rng::with_seed(4);
        for _ in 0..300 {
            let barrier = random(&mut rng);
            let mut to = barrier.point.clone();
            to[..barrier.k].iter_mut().for_each(|z| *z *= 0.9 + 0.2 * rng.f64());
            to[barrier.k] = barrier.margin_at(&to) - 0.1 - rng.f64();
            let weight = 3.0;
            let expected = value(&barrier, weight, &to) - value(&barrier, weight, &barrier.point);
            assert!((barrier.change(weight, &to) - expected).abs() < 1e-9 * (1.0 + expected.abs()));
        }
    }

    #[test]
    fn a_point_that_leaves_one_constraint_is_outside() {
        let mut rng = Rng::with_seed(5);
        for _ in 0..300 {
            let barrier = random(&mut rng);
            let (k, margin) = (barrier.k, barrier.margin_at(&barrier.point));
            assert!(barrier.is_inside(&barrier.point));
            let at = |s: f64| barrier.is_inside(&[&barrier.point[..k], &[s]].concat());
            // One contact alone ends the room for s, or the cap does.
            assert!(at(margin - 1e-9) && !at(margin + 1e-9));
            let mut far = barrier.point.clone();
            far[..k].iter_mut().for_each(|z| *z *= 4.0);
            far[k] = -1e4;
            assert!(!barrier.is_inside(&far));
        }
        // A frictionless contact has no cone, and a force that is exactly at the bound is not inside.
        let cone = Cone { normal: 0, tangents: 0, mu: 0.0 };
        let mut free = Barrier { k: 1, rows: Dense::zeros(1, 2), cones: vec![cone], ..Barrier::default() };
        free.rows[(0, 0)] = 0.5;
        assert!(free.is_inside(&[0.0, 0.25]) && !free.is_inside(&[0.0, 0.5]));
        assert!(!free.is_inside(&[MOST_STRESS, 0.25]));
        free.rows[(0, 0)] = 2.0;
        assert!(!free.is_inside(&[0.0, 1.0]));
    }

    #[test]
    fn a_step_of_newton_solves_its_equations_and_tells_half_its_decrement() {
        let mut rng = Rng::with_seed(6);
        for _ in 0..300 {
            let mut barrier = random(&mut rng);
            barrier.differentiate(2.0);
            let hessian = barrier.hessian.clone();
            let decrement = barrier.newton();
            let at = |i: usize, j: usize| if i >= j { hessian[(i, j)] } else { hessian[(j, i)] };
            for i in 0..=barrier.k {
                let left: f64 = (0..=barrier.k).map(|j| at(i, j) * barrier.step[j]).sum::<f64>() + barrier.gradient[i];
                let size: f64 = (0..=barrier.k).map(|j| (at(i, j) * barrier.step[j]).abs()).sum();
                assert!(left.abs() < 1e-9 * size, "{left}");
            }
            let expected: f64 = -0.5 * barrier.gradient.iter().zip(&barrier.step).map(|(g, s)| g * s).sum::<f64>();
            assert!((decrement - expected).abs() < 1e-12 * expected && decrement > 0.0);
        }
    }

    /// Of steps that are too long, the first half, quarter, ... is taken that stays inside and gains what Armijo asks for.
    #[test]
    fn a_step_that_leaves_or_does_not_gain_is_halved() {
        let mut rng = Rng::with_seed(7);
        let mut halved = 0;
        for _ in 0..300 {
            let mut barrier = random(&mut rng);
            let weight = 20.0 * rng.f64();
            barrier.differentiate(weight);
            let decrement = barrier.newton();
            let stretched = [1.0, 3.0, 10.0][rng.usize(0..3)];
            barrier.step.iter_mut().for_each(|step| *step *= stretched);
            let length = barrier.descend(weight, decrement);
            let at = |length: f64| -> Vec<f64> {
                barrier.point.iter().zip(&barrier.step).map(|(x, d)| x + length * d).collect()
            };
            let does = |length: f64| {
                let to = at(length);
                let gain = || value(&barrier, weight, &barrier.point) - value(&barrier, weight, &to);
                let is_inside = slacks(&barrier, &to).iter().all(|slack| *slack > 0.0) && {
                    let f = forces(&barrier, &to);
                    barrier.cones.iter().all(|cone| cone.tangents == 0 || cone.mu * f[cone.normal] > to[barrier.k])
                };
                is_inside && gain() >= ENOUGH * length * decrement - GAIN_ROUNDING
            };
            assert!(does(length), "{length}");
            assert!(length == 1.0 || !does(2.0 * length), "{length}");
            halved += usize::from(length < 1.0);
        }
        assert!((50..250).contains(&halved), "{halved}");
    }
}
