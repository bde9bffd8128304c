//! The direction of slip: every unit vector `u` along which friction opposes the average velocity.
//!
//! Slip [15]-[18] puts `i_t = -μ u i_n`, with `u` the direction of the average tangential velocity
//! `v̄_t = (v_t⁻ + v_t⁺)/2`, which itself depends on `u`; the paper leaves this implicit. Multiplied by
//! the denominator `D(u) = W_nn - μ w·u`, the average velocity is affine in `u`:
//!
//! `g(u) = D(u) v̄_t = D(u) v_t⁻ + k (w - μ W_tt u) = a - μ N u`,  `k = -(1+e) v_n⁻ / 2`,
//! `a = W_nn v_t⁻ + k w`,  `N = v_t⁻ wᵀ + k W_tt`,
//!
//! so `u` is a direction of slip iff `g(u) = λ u` with `λ > 0` and `D(u) > 0`.
//!
//! **When it is unique.** `|(μN + λ)⁻¹ a|` falls with `λ` wherever the symmetric part of `μN + λ` is
//! positive definite, so there is one `λ` at most beyond `ν = max(0, -λ_min(sym μN))`; and every answer
//! has `λ >= |a| - μ|N|`. If `ν = 0`, or `|a| > μ|N| + ν`, there is exactly one answer, slip or reversal,
//! and Newton's method on the angle finds it in a few steps.
//!
//! **When it may not be**, all zeros of `u × g(u)` on the circle are isolated first. With the half
//! angle measured from a direction opposite to which `|u × g|` is large, they are the real roots of a
//! quartic with bounded coefficients. (The quartic in `λ` has double roots where two answers with
//! different directions share a `λ`; this one only where two answers meet.)

use arrayvec::ArrayVec;
use polycool::Quartic;

use crate::plane::{Sym2, Vec2, add_scaled, cross, dot, norm, scaled};

/// Newton steps before a start is given up; four suffice nearly always.
const MOST_STEPS: usize = 12;

/// The equation `g(u) = λ u`, divided by a power of two near `max(1, μ)` so that nothing overflows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DirectionEquation {
    v_t: Vec2,
    w: Vec2,
    w_tt: Sym2,
    k: f64,
    w_nn: f64,
    unit: f64,
    mu: f64,
}

/// A zero of `u × g(u)`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Direction {
    pub(crate) u: Vec2,
    /// `u·g(u)`, positive for an answer.
    pub(crate) lambda: f64,
    /// `D(u)`, positive for an answer; in the same units as `lambda`.
    pub(crate) denominator: f64,
}

impl Direction {
    #[inline]
    pub(crate) fn is_slip(&self) -> bool {
        self.lambda > 0.0 && self.denominator > 0.0
    }
}

impl DirectionEquation {
    /// `unit` is 1 over the power of two that everything was divided by; `mu` is already divided.
    #[inline]
    pub(crate) fn new(w_nn: f64, w: Vec2, w_tt: Sym2, v_t: Vec2, k: f64, mu: f64, unit: f64) -> Self {
        Self { v_t, w, w_tt, k, w_nn: w_nn * unit, unit, mu: mu * unit }
    }

    /// `D(u)` and `g(u)`.
    #[inline]
    fn evaluate(&self, u: Vec2) -> (f64, Vec2) {
        let denominator = self.w_nn - self.mu * dot(self.w, u);
        let tu = self.w_tt.times(u);
        let pull = [self.unit * self.w[0] - self.mu * tu[0], self.unit * self.w[1] - self.mu * tu[1]];
        (denominator, add_scaled(scaled(denominator, self.v_t), self.k, pull))
    }

    #[inline]
    pub(crate) fn at(&self, u: Vec2) -> Direction {
        let (denominator, g) = self.evaluate(u);
        Direction { u, lambda: dot(u, g), denominator }
    }

    #[inline]
    fn a(&self) -> Vec2 {
        add_scaled(scaled(self.w_nn, self.v_t), self.k * self.unit, self.w)
    }

    /// `μN`, row by row.
    #[inline]
    fn mu_n(&self) -> [Vec2; 2] {
        let (v, w, t) = (self.v_t, self.w, &self.w_tt);
        [
            [self.mu * (v[0] * w[0] + self.k * t.xx), self.mu * (v[0] * w[1] + self.k * t.xy)],
            [self.mu * (v[1] * w[0] + self.k * t.xy), self.mu * (v[1] * w[1] + self.k * t.yy)],
        ]
    }

    /// The one direction of slip, if a certificate says that there is at most one answer and
    /// Newton's method reaches it.
    #[inline]
    pub(crate) fn unique(&self) -> Option<Direction> {
        let (a, n) = (self.a(), self.mu_n());
        let size_a = norm(a);
        if !self.certifies_unique(size_a, &n) {
            return None;
        }
        let start = self.start(a, size_a, &n)?;
        self.newton(start).filter(Direction::is_slip)
    }

    /// Whether at most one answer, slip or reversal, can exist.
    #[inline]
    pub(crate) fn has_one_answer(&self) -> bool {
        self.certifies_unique(norm(self.a()), &self.mu_n())
    }

    #[inline]
    fn certifies_unique(&self, size_a: f64, n: &[Vec2; 2]) -> bool {
        let trace = n[0][0] + n[1][1];
        let off = 0.5 * (n[0][1] + n[1][0]);
        let half = 0.5 * (n[0][0] - n[1][1]);
        if trace > 0.0 && n[0][0] * n[1][1] > off * off {
            return true;
        }
        let nu = ((half * half + off * off).sqrt() - 0.5 * trace).max(0.0);
        let frobenius = (dot(n[0], n[0]) + dot(n[1], n[1])).sqrt();
        size_a > frobenius + nu
    }

    /// `(μN + λ)⁻¹ a` with `λ` guessed by Rayleigh's quotient along `a`, normalised.
    #[inline]
    fn start(&self, a: Vec2, size_a: f64, n: &[Vec2; 2]) -> Option<Vec2> {
        if size_a == 0.0 {
            return None;
        }
        let along = scaled(1.0 / size_a, a);
        let lambda = (size_a - dot(along, [dot(n[0], along), dot(n[1], along)])).max(0.0);
        // adj(μN) a + λ a
        let direction = [
            n[1][1] * along[0] - n[0][1] * along[1] + lambda * along[0],
            n[0][0] * along[1] - n[1][0] * along[0] + lambda * along[1],
        ];
        let length = norm(direction);
        if length > 0.0 && dot(direction, along) > 0.0 { Some(scaled(1.0 / length, direction)) } else { Some(along) }
    }

    /// Newton's method on the angle of `u` for `u × g(u) = 0`; `None` if it does not settle.
    #[inline]
    fn newton(&self, start: Vec2) -> Option<Direction> {
        // The second derivative of u × g(u) is at most this.
        let curvature = 16.0 * (self.v_t[0].abs() + self.v_t[1].abs() + self.k);
        let mut u = start;
        for _ in 0..MOST_STEPS {
            let (denominator, g) = self.evaluate(u);
            let f = cross(u, g);
            let lambda = dot(u, g);
            let slope = self.slope(u, lambda);
            let step = -f / slope;
            // Not finite, or leaving the neighbourhood: let the caller isolate the zeros.
            if !(step.abs() < 1.0) {
                return if f == 0.0 { Some(Direction { u, lambda, denominator }) } else { None };
            }
            u = rotate(u, step);
            // The error left is about step² curvature / slope.
            if step * step * curvature <= f64::EPSILON * slope.abs() {
                return Some(self.at(renormalise(u)));
            }
        }
        None
    }

    /// The derivative of `u × g(u)` by the angle of `u`.
    #[inline]
    fn slope(&self, u: Vec2, lambda: f64) -> f64 {
        let across = [-u[1], u[0]];
        let turn = self.mu * dot(self.w, across);
        let tv = self.w_tt.times(across);
        let dg = [-turn * self.v_t[0] - self.k * self.mu * tv[0], -turn * self.v_t[1] - self.k * self.mu * tv[1]];
        cross(u, dg) - lambda
    }

    /// All zeros of `u × g(u)` on the circle.
    #[cold]
    pub(crate) fn all(&self) -> ArrayVec<Direction, 4> {
        let (a, n) = (self.a(), self.mu_n());
        let Some(back) = farthest_from_zero(a, &n) else {
            return ArrayVec::new();
        };
        // In axes (x, y) with x opposite to `back`.
        let x = scaled(-1.0, back);
        let y = [-x[1], x[0]];
        let [a1, a2] = [dot(a, x), dot(a, y)];
        let nx = [dot(n[0], x), dot(n[1], x)];
        let ny = [dot(n[0], y), dot(n[1], y)];
        let [n11, n12, n21, n22] = [dot(x, nx), dot(x, ny), dot(y, nx), dot(y, ny)];
        // u = ((1-t²), 2t)/(1+t²): (1+t²)² (u × g) in powers of t.
        let lead = -a2 - n21;
        let coefficients = [
            (a2 - n21) / lead,
            2.0 * (n11 - n22 - a1) / lead,
            (2.0 * n21 + 4.0 * n12) / lead,
            2.0 * (n22 - n11 - a1) / lead,
            1.0,
        ];
        // Cauchy's bound on the roots.
        let bound = 1.0 + coefficients[..4].iter().fold(0.0_f64, |m, c| m.max(c.abs()));
        if !bound.is_finite() {
            return ArrayVec::new();
        }
        let mut directions = ArrayVec::new();
        for t in Quartic::new(coefficients).roots_between(-bound, bound, 1e-14) {
            let (c, s) = ((1.0 - t) * (1.0 + t) / (1.0 + t * t), 2.0 * t / (1.0 + t * t));
            let rough = renormalise([c * x[0] + s * y[0], c * x[1] + s * y[1]]);
            directions.push(self.polish(rough));
        }
        directions
    }

    /// Newton's method from a root already known to about 1e-12, not let go far from it.
    fn polish(&self, rough: Vec2) -> Direction {
        match self.newton(rough) {
            Some(direction) if cross(rough, direction.u).abs() < 1e-5 && dot(rough, direction.u) > 0.0 => direction,
            _ => self.at(rough),
        }
    }
}

/// Of eight directions around the circle, the one where `|u × (a - μN u)|` is largest: at least
/// 0.69 of its maximum. `None` if it vanishes in all of them.
fn farthest_from_zero(a: Vec2, n: &[Vec2; 2]) -> Option<Vec2> {
    const H: f64 = std::f64::consts::FRAC_1_SQRT_2;
    let residual = |u: Vec2| cross(u, [a[0] - dot(n[0], u), a[1] - dot(n[1], u)]).abs();
    let (mut best, mut largest) = (None, 0.0);
    for half in [[1.0, 0.0], [H, H], [0.0, 1.0], [-H, H]] {
        for u in [half, scaled(-1.0, half)] {
            let size = residual(u);
            if size > largest {
                (best, largest) = (Some(u), size);
            }
        }
    }
    best
}

/// Turns `u` by an angle close to `step`, keeping its length.
#[inline]
fn rotate(u: Vec2, step: f64) -> Vec2 {
    let q = 0.25 * step * step;
    let inv = 1.0 / (1.0 + q);
    let (c, s) = ((1.0 - q) * inv, step * inv);
    [c * u[0] - s * u[1], s * u[0] + c * u[1]]
}

/// One step of Newton's method for `u / |u|`: enough for a length already right to 1e-8.
#[inline]
fn renormalise(u: Vec2) -> Vec2 {
    scaled(1.5 - 0.5 * dot(u, u), u)
}
