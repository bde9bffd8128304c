//! The direction of slip: every unit vector `u` along which friction opposes the average velocity.
//!
//! Slip \[15\]-\[18\] puts `i_t = -μ u i_n`, with `u` the direction of the average tangential velocity
//! `v̄_t = (v_t⁻ + v_t⁺)/2`, which itself depends on `u`; the paper leaves this implicit. Multiplied by
//! the denominator `D(u) = W_nn - μ w·u`, the average velocity is affine in `u`:
//!
//! `g(u) = D(u) v̄_t = D(u) v_t⁻ + k (w - μ W_tt u) = a - μ N u`,  `k = -(1+e) v_n⁻ / 2`,
//! `a = W_nn v_t⁻ + k w`,  `N = v_t⁻ wᵀ + k W_tt`,
//!
//! so `u` is a direction of slip iff `g(u) = λ u` with `λ > 0` and `D(u) > 0`.
//!
//! **When it is unique.** Solving `g(u) = λu` for `u` and asking for `|u| = 1` gives the quartic `P(λ) = (λ² + μ tr(N)
//! λ + μ² det N)² - |λ a + μ adj(N) a|²`, the secular equation of a trust-region step. There is one positive root at
//! most if the symmetric part of `N` is positive definite, for then `|(μN + λ)⁻¹ a|` falls with `λ`; and exactly one if
//! the coefficients of `P` change sign once (Descartes). All but one or two in ten thousand random problems satisfy one
//! of these conditions, and an iteration on the angle of `u` finds the root in two or three steps.
//!
//! **When it may not be**, all zeros of `u × g(u)` on the circle are isolated first. With the half angle measured from
//! a direction opposite to which `|u × g|` is large, they are the real roots of a quartic with bounded coefficients.
//! (The quartic in `λ` has double roots if two solutions with different directions share a `λ`; this one only if two
//! solutions coincide.)

use arrayvec::ArrayVec;
use polycool::Quartic;

use crate::impact::secular::Secular;
use crate::numeric::plane::{Sym2, Vec2, add_scaled, cross, dot, scaled};
use crate::numeric::scaling::larger;

/// Largest number of iterations from one start; two nearly always suffice.
const MOST_STEPS: usize = 10;

/// Largest number of final Newton steps after the first.
const MOST_ENDS: usize = 2;

/// Below this fraction of `W_nn` a denominator is computed in another way. Newton's last step corrects the rounding of
/// `u` in it, which leaves the rounding of that correction: 1e-32 of its terms.
const SMALL_DENOMINATOR: f64 = 1e-18;

/// `W_nn` over a denominator that has lost few digits by cancellation.
const LARGE_DENOMINATOR: f64 = 64.0;

/// Rounding of the difference `W_nn - μ w·u`, of the size of its terms.
const DIFFERENCE_ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Bound on the error of the angle, from the last step, at which one Newton step remains: it squares the error, which
/// is at least ten times smaller than the bound.
const NEARLY_THERE: f64 = 3e-8;

/// Length of a Newton step, as an angle, below which convergence is quadratic.
const SHORT_STEP: f64 = 1e-3;

/// Length of a Newton step up to which one step of [`renormalise`] leaves a unit vector: its error is 3/8 of the fourth
/// power, a quarter of a rounding.
const UNIT_STEP: f64 = 1e-4;

/// Accuracy of the roots of the quartic, as the tangent of half the angle.
const ROOT_ACCURACY: f64 = 1e-14;

/// Angle by which Newton's method may change a root of the quartic that stays the same root; nearly double roots, known
/// only to the square root of rounding, 1e-8, may change by more.
const SAME_ROOT: f64 = 1e-6;

/// The equation `g(u) = λ u`, divided by a power of two near `μ` if that is so large that it might overflow.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DirectionEquation {
    v_t: Vec2,
    w: Vec2,
    w_tt: Sym2,
    k: f64,
    w_nn: f64,
    unit: f64,
    mu: f64,
    a: Vec2,
    /// `μN`, row by row.
    n: [Vec2; 2],
    mu_w: Vec2,
    k_w: Vec2,
    mu_k_w_tt: Sym2,
}

/// A zero of `u × g(u)`. Only the ratios of `λ`, `D` and `k` matter.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Direction {
    pub(crate) u: Vec2,
    /// `u·g(u)`, positive for a solution.
    pub(crate) lambda: f64,
    /// `D(u)`, positive for a solution.
    pub(crate) denominator: f64,
    /// `k`
    pub(crate) k: f64,
}

impl Direction {
    #[inline(always)]
    pub(crate) fn is_slip(&self) -> bool {
        (self.lambda > 0.0) & (self.denominator > 0.0)
    }
}

/// The result of a final Newton step.
struct End {
    direction: Direction,
    /// Whether the step was short, so that the zero is near.
    is_short: bool,
    /// Whether another step would change nothing.
    is_exact: bool,
}

/// Halley's method on the angle `θ` of `u` for `u × (a - μN u) = 0`, a trigonometric polynomial of
/// degree two: `u × μN u = h0 + h1 cos 2θ + h2 sin 2θ`.
struct Halley {
    a: Vec2,
    h0: f64,
    h1: f64,
    h2: f64,
    /// A bound of the derivatives.
    curvature: f64,
}

struct HalleyStep {
    angle: f64,
    /// Whether the step stays near; if not, the zeros have to be isolated first.
    is_short: bool,
    /// Whether it ends near enough for the final Newton step.
    is_last: bool,
}

impl Halley {
    #[inline(always)]
    fn step(&self, u: Vec2) -> HalleyStep {
        let (c2, s2) = (u[0] * u[0] - u[1] * u[1], 2.0 * u[0] * u[1]);
        let (linear, double) = (cross(u, self.a), self.h1 * c2 + self.h2 * s2);
        let f = linear - self.h0 - double;
        let slope = 2.0 * (self.h1 * s2 - self.h2 * c2) - dot(u, self.a);
        let bend = 4.0 * double - linear;
        let angle = -f * slope / (slope * slope - 0.5 * f * bend);
        // The error left is about |angle|³ (curvature / slope)².
        let ratio = angle * self.curvature;
        HalleyStep {
            angle,
            is_short: angle.abs() < 1.0,
            is_last: angle.abs() * ratio * ratio <= NEARLY_THERE * slope * slope,
        }
    }

    /// At most `STEPS` steps without branches: `u`, and whether it is near enough for the final Newton step.
    #[inline(always)]
    fn branchless<const STEPS: usize>(&self, mut u: Vec2) -> (Vec2, bool) {
        let (mut is_near, mut is_lost) = (false, false);
        for _ in 0..STEPS {
            let step = self.step(u);
            let turned = rotate(u, step.angle);
            u = [if is_near { u[0] } else { turned[0] }, if is_near { u[1] } else { turned[1] }];
            is_lost |= !is_near & !step.is_short;
            is_near |= step.is_last;
        }
        (u, is_near & !is_lost)
    }
}

impl DirectionEquation {
    /// `unit` is 1 over the power of two by which the equation is divided.
    #[inline(always)]
    pub(crate) fn new(w_nn: f64, w: Vec2, w_tt: Sym2, v_t: Vec2, k: f64, mu: f64, unit: f64) -> Self {
        let equation = Self::closing(w_nn * unit, scaled(unit, w), w, w_tt, v_t, k, mu * unit);
        Self { w, unit, ..equation }
    }

    /// The equation `D(u) v_t + k (push - μ W_tt u) = λ u`, `D(u) = normal - μ w·u`, of a step that changes the normal
    /// velocity by `k`: `D(u)` and `push - μ W_tt u` are the changes of the normal and the tangential velocity by a unit
    /// of its size.
    #[inline(always)]
    pub(crate) fn closing(normal: f64, push: Vec2, w: Vec2, w_tt: Sym2, v_t: Vec2, k: f64, mu: f64) -> Self {
        let (mu_w, k_w, mu_k) = (scaled(mu, w), scaled(k, push), mu * k);
        let mu_k_w_tt = Sym2 { xx: mu_k * w_tt.xx, xy: mu_k * w_tt.xy, yy: mu_k * w_tt.yy };
        let a = add_scaled(k_w, normal, v_t);
        let n = [
            [v_t[0] * mu_w[0] + mu_k_w_tt.xx, v_t[0] * mu_w[1] + mu_k_w_tt.xy],
            [v_t[1] * mu_w[0] + mu_k_w_tt.xy, v_t[1] * mu_w[1] + mu_k_w_tt.yy],
        ];
        Self { v_t, w: push, w_tt, k, w_nn: normal, unit: 1.0, mu, a, n, mu_w, k_w, mu_k_w_tt }
    }

    /// The equation in terms of `S` and `free = v_t⁻ + k w / W_nn`, the average velocity without friction: `g(u) = D(u)
    /// free - μ k S u`. If `W` is nearly singular, `S` and `free` are small differences that would be lost in terms of
    /// `W_tt` and `v_t⁻`.
    #[cold]
    pub(crate) fn reduced(w_nn: f64, w: Vec2, s: Sym2, free: Vec2, k: f64, mu: f64, unit: f64) -> Self {
        let (w_nn, mu) = (w_nn * unit, mu * unit);
        let (mu_w, mu_k) = (scaled(mu, w), mu * k);
        let mu_k_s = Sym2 { xx: mu_k * s.xx, xy: mu_k * s.xy, yy: mu_k * s.yy };
        let n = [
            [free[0] * mu_w[0] + mu_k_s.xx, free[0] * mu_w[1] + mu_k_s.xy],
            [free[1] * mu_w[0] + mu_k_s.xy, free[1] * mu_w[1] + mu_k_s.yy],
        ];
        let none = [0.0, 0.0];
        let a = scaled(w_nn, free);
        Self { v_t: free, w: none, w_tt: s, k, w_nn, unit, mu, a, n, mu_w, k_w: none, mu_k_w_tt: mu_k_s }
    }

    /// `D(u)` and `g(u)`, the latter without the cancellation of `a - μNu` if `D` is small.
    #[inline(always)]
    fn evaluate(&self, u: Vec2) -> (f64, Vec2) {
        let denominator = self.w_nn - dot(self.mu_w, u);
        let friction = self.mu_k_w_tt.times(u);
        let pull = [self.k_w[0] - friction[0], self.k_w[1] - friction[1]];
        (denominator, add_scaled(pull, denominator, self.v_t))
    }

    #[inline(always)]
    pub(crate) fn at(&self, u: Vec2) -> Direction {
        let (denominator, g) = self.evaluate(u);
        Direction { u, lambda: dot(u, g), denominator, k: self.k }
    }

    /// The two directions of a planar contact.
    pub(crate) fn signs(&self) -> ArrayVec<Direction, 4> {
        [[1.0, 0.0], [-1.0, 0.0]].into_iter().map(|u| self.at(u)).collect()
    }

    /// The unique direction of slip, if a certificate proves that there is at most one and the iteration converges to
    /// it.
    #[inline(always)]
    pub(crate) fn unique(&self) -> Option<Direction> {
        let a2 = dot(self.a, self.a);
        if a2 > 0.0 && (self.is_monotone() || self.sign_changes() == 1) {
            self.refine(self.start(a2)).filter(Direction::is_slip)
        } else {
            None
        }
    }

    /// [`DirectionEquation::unique`] by the multiplier: the direction, and whether it is the unique one. If this is not
    /// certain, it may still be unique. With `STRAIGHT` there are no branches; the results are equal.
    #[inline(always)]
    pub(crate) fn unique_by_multiplier<const STRAIGHT: bool>(&self) -> (Direction, bool) {
        let secular = Secular::new(self.a, &self.n);
        let root = secular.root::<STRAIGHT>(secular.guess());
        let denominator = self.w_nn - dot(self.mu_w, root.u);
        let is_unique = self.is_monotone() | (self.sign_changes() == 1);
        let is_large = denominator * LARGE_DENOMINATOR >= self.w_nn;
        (Direction { u: root.u, lambda: root.lambda, denominator, k: self.k }, is_unique & root.is_root & is_large)
    }

    /// Whether `P(0) >= 0`: then the number of slips is even, and there is a reversal, or a rest, in addition.
    #[inline(always)]
    pub(crate) fn may_reverse(&self) -> bool {
        Secular::new(self.a, &self.n).stops()
    }

    /// Whether a certificate proves that no direction of slip coexists with a reversal.
    #[inline(always)]
    pub(crate) fn has_none_beside_reversal(&self) -> bool {
        self.is_monotone() | (self.sign_changes() == 0)
    }

    /// Whether the symmetric part of `μN` is positive definite, so that `|(μN + λ)⁻¹ a|` falls with `λ`.
    #[inline(always)]
    fn is_monotone(&self) -> bool {
        let n = &self.n;
        let off = 0.5 * (n[0][1] + n[1][0]);
        (n[0][0] + n[1][1] > 0.0) & (n[0][0] * n[1][1] > off * off)
    }

    /// Changes of sign in the coefficients of `P(λ)`: by Descartes' rule the number of its positive
    /// roots, or an even number more.
    #[inline(always)]
    fn sign_changes(&self) -> usize {
        let (a, n) = (self.a, &self.n);
        let trace = n[0][0] + n[1][1];
        let determinant = n[0][0] * n[1][1] - n[0][1] * n[1][0];
        let b = [n[1][1] * a[0] - n[0][1] * a[1], n[0][0] * a[1] - n[1][0] * a[0]];
        let coefficients = [
            1.0,
            trace,
            trace * trace + 2.0 * determinant - dot(a, a),
            trace * determinant - dot(a, b),
            determinant * determinant - dot(b, b),
        ];
        let [_, c3, c2, c1, c0] = coefficients.map(|c| u8::from(c < 0.0));
        usize::from(c3 + (c3 ^ c2) + (c2 ^ c1) + (c1 ^ c0))
    }

    /// `(μN + λ)⁻¹ a` with `λ` guessed by Rayleigh's quotient along `a`, normalised.
    #[inline(always)]
    fn start(&self, a2: f64) -> Vec2 {
        let (a, n) = (self.a, &self.n);
        let n_a = [dot(n[0], a), dot(n[1], a)];
        let lambda = larger(a2.sqrt() - dot(a, n_a) / a2, 0.0);
        // adj(μN) a + λ a, with adj(N) = tr(N) - N.
        let direction = add_scaled(scaled(n[0][0] + n[1][1] + lambda, a), -1.0, n_a);
        let is_forward = dot(direction, a) > 0.0;
        let forward = [if is_forward { direction[0] } else { a[0] }, if is_forward { direction[1] } else { a[1] }];
        scaled(1.0 / dot(forward, forward).sqrt(), forward)
    }

    /// Iterates to a nearby zero; `None` if it does not converge.
    #[inline(always)]
    fn refine(&self, start: Vec2) -> Option<Direction> {
        let halley = self.halley();
        let mut u = start;
        for _ in 0..MOST_STEPS {
            let step = halley.step(u);
            if !step.is_short {
                return None;
            }
            u = rotate(u, step.angle);
            if step.is_last {
                let end = self.finish_exactly(u);
                return if end.is_short { Some(end.direction) } else { None };
            }
        }
        None
    }

    /// [`DirectionEquation::unique`] without branches, in at most `STEPS` steps: the direction, and whether it is the
    /// unique one.
    #[inline(always)]
    pub(crate) fn unique_branchless<const STEPS: usize>(&self) -> (Direction, bool) {
        let a2 = dot(self.a, self.a);
        let (u, is_near) = self.halley().branchless::<STEPS>(self.start(a2));
        let end = self.finish(u);
        let is_unique = (a2 > 0.0) & (self.is_monotone() | (self.sign_changes() == 1));
        let is_settled = is_near & end.is_short & end.is_exact & !self.is_small(end.direction.denominator);
        (end.direction, is_unique & is_settled & end.direction.is_slip())
    }

    #[inline(always)]
    fn halley(&self) -> Halley {
        let (a, n) = (self.a, &self.n);
        let (h1, h2) = (0.5 * (n[1][0] + n[0][1]), 0.5 * (n[1][1] - n[0][0]));
        let curvature = 4.0 * (a[0].abs() + a[1].abs() + h1.abs() + h2.abs());
        Halley { a, h0: 0.5 * (n[1][0] - n[0][1]), h1, h2, curvature }
    }

    /// Final Newton steps until the last has no effect: nearly always one.
    #[inline(always)]
    fn finish_exactly(&self, u: Vec2) -> End {
        let end = self.finish(u);
        if (end.is_exact | !end.is_short) & !self.is_small(end.direction.denominator) {
            return end;
        }
        let End { direction: Direction { u, lambda, denominator, k }, is_short, is_exact } = Self::go_on(*self, end);
        End { direction: Direction { u, lambda, denominator, k }, is_short, is_exact }
    }

    /// The steps after the first, if it was not enough. (By value, so that the caller need not keep the equation in
    /// memory.)
    #[cold]
    fn go_on(self, mut end: End) -> End {
        for _ in 0..MOST_ENDS {
            if end.is_exact | !end.is_short {
                break;
            }
            end = self.finish(end.direction.u);
        }
        if !end.is_exact {
            // The last step may have been too long for a length of one.
            end.direction.u = renormalise(end.direction.u);
        }
        if self.is_small(end.direction.denominator) {
            end.direction = self.with_small_denominator(end.direction);
        } else if !end.is_exact {
            // If the slope of u × g(u) is rounding, the steps do not converge, and their neglected terms of D may
            // exceed the rounding of the direct difference.
            let direct = self.at(end.direction.u);
            let terms = self.w_nn + self.mu_w[0].abs() + self.mu_w[1].abs();
            if (direct.denominator - end.direction.denominator).abs() > DIFFERENCE_ROUNDING * terms {
                end.direction = direct;
            }
        }
        end
    }

    /// Whether `D` has lost digits by cancellation.
    #[inline(always)]
    fn is_small(&self, denominator: f64) -> bool {
        denominator.abs() < SMALL_DENOMINATOR * self.w_nn
    }

    /// Slowly approaching contacts with `μ > μ*` have solutions with `D` of the order of `k`. The difference `W_nn - μ
    /// w·u` is then lost in rounding, but `u × g(u) = 0` determines `D / k` unless `u` is along `v_t`.
    fn with_small_denominator(&self, direction: Direction) -> Direction {
        let u = direction.u;
        let tu = self.w_tt.times(u);
        let pull = [self.unit * self.w[0] - self.mu * tu[0], self.unit * self.w[1] - self.mu * tu[1]];
        let (across_pull, across_v) = (cross(u, pull), cross(u, self.v_t));
        // Relative errors of the two formulas, in units of rounding.
        let size = |a: Vec2| a[0].abs() + a[1].abs();
        let of_difference = (self.w_nn + size(self.mu_w)) / direction.denominator.abs();
        let of_ratio =
            (self.unit * size(self.w) + self.mu * size(tu)) / across_pull.abs() + size(self.v_t) / across_v.abs();
        if !(of_ratio < of_difference) {
            return direction;
        }
        let ratio = -across_pull / across_v;
        Direction { u, lambda: ratio * dot(u, self.v_t) + dot(u, pull), denominator: ratio, k: 1.0 }
    }

    /// One Newton step on `u × g(u)`, with `λ` and `D` at its end to first order: `u` itself is rounded, and `D` may be
    /// small compared with its terms.
    #[inline(always)]
    fn finish(&self, u: Vec2) -> End {
        let n = &self.n;
        let across = [-u[1], u[0]];
        let (d, g) = self.evaluate(u);
        let (f, lambda) = (cross(u, g), dot(u, g));
        // -dg/dθ
        let turn = [dot(n[0], across), dot(n[1], across)];
        let step = f / (lambda + cross(u, turn));
        let denominator = d - step * dot(self.mu_w, across);
        let direction = Direction {
            u: renormalise(add_scaled(u, step, across)),
            lambda: lambda + step * (f - dot(u, turn)),
            denominator,
            k: self.k,
        };
        // The second order of D.
        let neglected = step * step * (self.mu_w[0].abs() + self.mu_w[1].abs());
        let is_exact = (neglected <= f64::EPSILON * denominator.abs()) & (step.abs() <= UNIT_STEP);
        End { direction, is_short: step.abs() < SHORT_STEP, is_exact }
    }

    /// All zeros of `u × g(u)` on the circle.
    #[cold]
    pub(crate) fn all(self) -> ArrayVec<Direction, 4> {
        let (a, n) = (self.a, &self.n);
        let Some(back) = farthest_from_zero(a, n) else {
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
        for t in Quartic::new(coefficients).roots_between(-bound, bound, ROOT_ACCURACY) {
            let (c, s) = ((1.0 - t) * (1.0 + t) / (1.0 + t * t), 2.0 * t / (1.0 + t * t));
            let rough = renormalise([c * x[0] + s * y[0], c * x[1] + s * y[1]]);
            directions.push(self.polish(rough));
        }
        directions
    }

    /// Refines a root known to about 1e-12; leaves it unchanged if it is nearly double.
    fn polish(&self, rough: Vec2) -> Direction {
        let end = self.finish_exactly(rough);
        if end.is_short && cross(rough, end.direction.u).abs() < SAME_ROOT { end.direction } else { self.at(rough) }
    }
}

/// The `u` and `λ > 0` of `b - A u = λ u`, `|u| = 1`, for a positive definite `A`: the equation of slip with a constant denominator, which has
/// one root at most.
struct OnDisk {
    b: Vec2,
    m: Sym2,
    halley: Halley,
    start: Vec2,
    has_one_root: bool,
}

impl OnDisk {
    #[inline(always)]
    fn new(b: Vec2, m: Sym2) -> Self {
        let b2 = dot(b, b);
        let has_one_root = (b2 > 0.0) & (m.xx * m.yy > m.xy * m.xy);
        let m_b = m.times(b);
        let guess = larger(b2.sqrt() - dot(b, m_b) / b2, 0.0);
        let start = add_scaled(scaled(m.trace() + guess, b), -1.0, m_b);
        let start = scaled(1.0 / dot(start, start).sqrt(), start);
        let (h1, h2) = (m.xy, 0.5 * (m.yy - m.xx));
        let halley = Halley { a: b, h0: 0.0, h1, h2, curvature: 4.0 * (b[0].abs() + b[1].abs() + h1.abs() + h2.abs()) };
        Self { b, m, halley, start, has_one_root }
    }

    /// The final Newton step: `u`, `λ` and whether they are the root.
    #[inline(always)]
    fn finish(&self, u: Vec2) -> (Vec2, f64, bool) {
        let across = [-u[1], u[0]];
        let g = add_scaled(self.b, -1.0, self.m.times(u));
        let (f, lambda) = (cross(u, g), dot(u, g));
        let turn = self.m.times(across);
        let step = f / (lambda + cross(u, turn));
        let lambda = lambda + step * (f - dot(u, turn));
        (renormalise(add_scaled(u, step, across)), lambda, (step.abs() <= UNIT_STEP) & (lambda > 0.0))
    }
}

/// The root for a disk if [`Secular`] is not certain of it: `None` if there is none, or if numbers are too far from
/// order one to decide.
#[cold]
pub(crate) fn on_disk(b: Vec2, m: Sym2) -> Option<(Vec2, f64)> {
    let equation = OnDisk::new(b, m);
    if !equation.has_one_root {
        return None;
    }
    let mut u = equation.start;
    for _ in 0..MOST_STEPS {
        let step = equation.halley.step(u);
        if !step.is_short {
            return None;
        }
        u = rotate(u, step.angle);
        if step.is_last {
            let (u, lambda, is_root) = equation.finish(u);
            return is_root.then_some((u, lambda));
        }
    }
    None
}

/// The one of eight directions around the circle with the largest `|u × (a - μN u)|`, which is at least 0.69 of the
/// maximum. `None` if it vanishes in all of them.
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

/// Turns `u` by about `step`: the angle needs only the accuracy of the iteration, the length full accuracy.
#[inline(always)]
fn rotate(u: Vec2, step: f64) -> Vec2 {
    let q = step * step;
    let c = 1.0 - q * (0.5 - q * (1.0 / 24.0));
    let s = step * (1.0 - q * (1.0 / 6.0 - q * (1.0 / 120.0)));
    renormalise([c * u[0] - s * u[1], s * u[0] + c * u[1]])
}

/// One step of Newton's method for `u / |u|`: enough for a length already right to 1e-8.
#[inline(always)]
fn renormalise(u: Vec2) -> Vec2 {
    scaled(1.5 - 0.5 * dot(u, u), u)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A random equation: `W = B Bᵀ + 0.3 I`, velocities and coefficients of order one.
    fn random(rng: &mut fastrand::Rng) -> DirectionEquation {
        let mut uniform = || 2.0 * rng.f64() - 1.0;
        let b: [[f64; 4]; 3] = [(); 3].map(|()| [(); 4].map(|()| uniform()));
        let w = |i: usize, j: usize| (0..4).map(|k| b[i][k] * b[j][k]).sum::<f64>() + if i == j { 0.3 } else { 0.0 };
        let w_tt = Sym2 { xx: w(1, 1), xy: w(1, 2), yy: w(2, 2) };
        let v_t = [2.0 * uniform(), 2.0 * uniform()];
        let k = 0.5 * (1.0 + uniform().abs()) * (0.1 + uniform().abs());
        DirectionEquation::new(w(0, 0), [w(0, 1), w(0, 2)], w_tt, v_t, k, 1.2 * uniform().abs(), 1.0)
    }

    /// Whenever a certificate holds, isolating all zeros finds the same direction and no other. It holds nearly always,
    /// at the rates given in the documentation.
    #[test]
    fn certificates_are_true_and_cover_nearly_all_slips() {
        let mut rng = fastrand::Rng::with_seed(7);
        let (mut slips, mut monotone, mut certified) = (0, 0, 0);
        while slips < 20_000 {
            let equation = random(&mut rng);
            let all: Vec<Direction> = equation.all().into_iter().filter(Direction::is_slip).collect();
            if all.is_empty() {
                continue;
            }
            slips += 1;
            monotone += u32::from(equation.is_monotone());
            if let Some(direction) = equation.unique() {
                certified += 1;
                assert_eq!(all.len(), 1, "{equation:?}");
                assert!(cross(direction.u, all[0].u).abs() < 1e-14, "{equation:?}");
                let (branchless, is_unique) = equation.unique_branchless::<MOST_STEPS>();
                assert!(is_unique && branchless.u == direction.u, "{equation:?}");
            }
        }
        println!("of {slips} slips {monotone} are certified by monotony, {certified} by monotony or signs");
        assert!(certified > 19_900);
    }
}
