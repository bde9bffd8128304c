//! Slip that turns: J. B. Keller's equations (*Journal of Applied Mechanics* 53:1-4, 1986) in space.
//!
//! `dv_t/dp = h(u)` is singular where the slip stops. With `v_t = r u` and a variable `s` such that `dp = r ds / H`, it is not:
//!
//! `du/ds = T u⟂`,  `dr/ds = r R`,  `T = u⟂·h(u)/H`,  `R = u·h(u)/H`,
//!
//! where `H` bounds `|h|`. The slip stops at `s = ∞`, with `r` falling exponentially: once it is lost in rounding, it has
//! stopped. The series are those of `r` over its value at the point, so that no size of `r` or `H` leaves the range of
//! `f64`. All right-hand sides are polynomials, so the Taylor series of the whole state at a point follow from
//! Cauchy products, and a series of order 24 used over a fifth of its radius of convergence leaves `0.2²⁴`, less than a
//! rounding. The series is also what the goals are found with inside a step.

use super::{Goal, State, TangentialMotion, friction_unit, slipping};
use crate::contact::delassus::Delassus;
use crate::numeric::plane::{Sym2, Vec2, add_scaled, cross, dot, norm, scaled};
use crate::rivals::work;

/// Terms of the series beyond the first.
const ORDER: usize = 24;

/// The part of the radius of convergence that a step takes: `0.2²⁴ = 2e-17`.
const STRIDE: f64 = 0.2;

/// No step is longer: where the last terms underflow, rates are less than 1e-13, and so long a step is still short.
const LONGEST: f64 = 1e9;

/// Angle to the constant direction, of which no more than this is turned at once (2^-26): its square is rounding.
const SETTLED: f64 = 1.5e-8;

/// Largest number of steps; a few tens suffice.
pub(in crate::rivals) const MOST_STEPS: usize = 2_000;

/// Slip that would turn by at most this angle (2^-60) before the goal counts as straight.
const NO_TURN: f64 = 8.7e-19;

/// A direction counts as constant if `|T|` is at most this.
const STRAIGHT: f64 = 4.0 * f64::EPSILON;

/// Largest number of steps to a goal inside the last step of the path; about ten suffice, and bisection alone needs sixty.
const MOST_HALVINGS: usize = 100;

type Series = [f64; ORDER + 1];

/// `h(u) = w - μ W_tt u` over `H`, and the coefficients of the other rates.
pub(super) struct Turning<'a> {
    delassus: &'a Delassus,
    /// [`friction_unit`]
    unit: f64,
    /// `H` times the unit.
    unit_h: f64,
    /// `μ` times the unit.
    unit_mu: f64,
    /// `μ/H`
    mu: f64,
    w: Vec2,
    mu_w_tt: Sym2,
}

/// How a stretch of turning slip ended.
pub(super) enum End {
    /// At the goal.
    Goal,
    /// It has stopped, or keeps its direction from here.
    Straight,
    /// Without reaching either: velocities hardly change with the impulse.
    Nowhere,
}

/// The state around a point, in powers of `s`.
struct Expansion {
    /// `r` at the point.
    speed: f64,
    u: [Series; 2],
    /// `r` over that.
    r: Series,
    p: Series,
    v_n: Series,
    work: Series,
    i_t: [Series; 2],
}

impl<'a> Turning<'a> {
    pub(super) fn new(delassus: &'a Delassus, mu: f64) -> Self {
        let Delassus { w, w_tt, .. } = delassus;
        let unit = friction_unit(mu);
        let unit_mu = unit * mu;
        let unit_h = unit * norm(*w) + unit_mu * w_tt.trace();
        // Without coupling and friction nothing changes.
        let over_h = |x: f64| if unit_h > 0.0 { unit * x / unit_h } else { 0.0 };
        let mu = over_h(mu);
        Self {
            delassus,
            unit,
            unit_h,
            unit_mu,
            mu,
            w: w.map(over_h),
            mu_w_tt: Sym2 { xx: mu * w_tt.xx, xy: mu * w_tt.xy, yy: mu * w_tt.yy },
        }
    }

    /// Whether slip of this speed could turn at all while the normal impulse grows by `p`.
    pub(super) fn turns_within(&self, p: f64, speed: f64) -> bool {
        p / self.unit * self.unit_h > NO_TURN * speed
    }

    /// Whether the slip keeps its direction: `T = 0`, and the direction is a stable equilibrium, to which rounding
    /// returns.
    pub(super) fn is_straight(&self, u: Vec2) -> bool {
        let across = [-u[1], u[0]];
        let h = add_scaled(self.w, -1.0, self.mu_w_tt.times(u));
        let steepness = -dot(u, h) - dot(across, self.mu_w_tt.times(across));
        self.unit_h == 0.0 || (cross(u, h).abs() <= STRAIGHT && steepness < -STRAIGHT)
    }

    /// The direction near a constant one in which nothing turns the slip, by a step of Newton's method with `u × h(u)` to the digits of its value;
    /// `None` if the slip does not get there while the normal impulse grows by `p`. What is left of `u × h(u)` is rounding of its terms, but
    /// where `W` is nearly singular the slip grows over an impulse of many times that in which it started.
    pub(super) fn settled(&self, u: Vec2, p: f64, speed: f64) -> Option<Vec2> {
        let across = [-u[1], u[0]];
        let (_, h) = slipping(self.delassus, self.unit, scaled(self.unit_mu, u));
        let steepness = (dot(u, h) + dot(across, self.mu_w_tt.times(across)) * self.unit_h).abs();
        let turn = dot(across, h) / steepness;
        let settles = p / self.unit * steepness > speed && turn.abs() <= SETTLED;
        settles.then(|| {
            let u = add_scaled(u, turn, across);
            scaled(1.0 / norm(u), u)
        })
    }

    /// Follows the slip to the goal, or until it stops or keeps its direction.
    pub(super) fn advance(&self, state: &mut State, goal: Goal, no_slip: f64) -> End {
        for _ in 0..MOST_STEPS {
            work::count();
            if goal.excess(state.p, state.v_n, state.work) >= 0.0 {
                return End::Goal;
            }
            let (u, speed) = match state.motion {
                TangentialMotion::Slip { u, speed } if speed > no_slip && !self.is_straight(u) => (u, speed),
                _ => return End::Straight,
            };
            let expansion = self.expand(state, u, speed);
            let step = expansion.step();
            let excess = |s: f64| goal.excess(at(&expansion.p, s), at(&expansion.v_n, s), at(&expansion.work, s));
            if excess(step) >= 0.0 {
                *state = expansion.at(first_zero(excess, step));
                return End::Goal;
            }
            *state = expansion.at(step);
        }
        End::Nowhere
    }

    fn expand(&self, state: &State, direction: Vec2, speed: f64) -> Expansion {
        let zero = || [0.0; ORDER + 1];
        let (mut u, mut i_t) = ([zero(), zero()], [zero(), zero()]);
        let (mut r, mut p, mut v_n, mut work) = (zero(), zero(), zero(), zero());
        let (mut h, mut t, mut along, mut normal) = ([zero(), zero()], zero(), zero(), zero());
        (u[0][0], u[1][0]) = (direction[0], direction[1]);
        (i_t[0][0], i_t[1][0]) = (state.i_t[0], state.i_t[1]);
        (r[0], p[0], v_n[0], work[0]) = (1.0, state.p, state.v_n, state.work);
        // dp/ds and |di_t/ds| at the point.
        let (impulse, friction) = (self.unit * speed / self.unit_h, self.mu * speed);
        for k in 0..ORDER {
            let constant = if k == 0 { 1.0 } else { 0.0 };
            let turned = self.mu_w_tt.times([u[0][k], u[1][k]]);
            h[0][k] = constant * self.w[0] - turned[0];
            h[1][k] = constant * self.w[1] - turned[1];
            normal[k] = constant * impulse * self.delassus.w_nn - friction * dot(self.delassus.w, [u[0][k], u[1][k]]);
            t[k] = product(&u[0], &h[1], k) - product(&u[1], &h[0], k);
            along[k] = product(&u[0], &h[0], k) + product(&u[1], &h[1], k);
            let next = 1.0 / (k + 1) as f64;
            u[0][k + 1] = -next * product(&t, &u[1], k);
            u[1][k + 1] = next * product(&t, &u[0], k);
            r[k + 1] = next * product(&r, &along, k);
            p[k + 1] = next * impulse * r[k];
            v_n[k + 1] = next * product(&r, &normal, k);
            work[k + 1] = next * impulse * product(&v_n, &r, k);
            i_t[0][k + 1] = -next * friction * product(&r, &u[0], k);
            i_t[1][k + 1] = -next * friction * product(&r, &u[1], k);
        }
        Expansion { speed, u, r, p, v_n, work, i_t }
    }
}

impl Expansion {
    /// A part of the radius of convergence, as the last terms of `u` and `r` tell it; the rest are integrals of these.
    fn step(&self) -> f64 {
        let radius = |k: usize| {
            let size = self.u[0][k].abs() + self.u[1][k].abs() + self.r[k].abs();
            size.powf(-1.0 / k as f64)
        };
        (STRIDE * radius(ORDER).min(radius(ORDER - 1))).min(LONGEST)
    }

    fn at(&self, s: f64) -> State {
        let u = [at(&self.u[0], s), at(&self.u[1], s)];
        State {
            p: at(&self.p, s),
            i_t: [at(&self.i_t[0], s), at(&self.i_t[1], s)],
            v_n: at(&self.v_n, s),
            motion: TangentialMotion::Slip { u: scaled(1.0 / norm(u), u), speed: self.speed * at(&self.r, s) },
            work: at(&self.work, s),
        }
    }
}

/// Term `k` of a product.
fn product(a: &Series, b: &Series, k: usize) -> f64 {
    (0..=k).map(|j| a[j] * b[k - j]).sum()
}

fn at(series: &Series, s: f64) -> f64 {
    series.iter().rev().fold(0.0, |sum, c| sum * s + c)
}

/// The zero between 0, where the function is negative, and `end`, where it is not: the Illinois variant of regula falsi,
/// which halves the value at an end that stays.
pub(in crate::rivals) fn first_zero(f: impl Fn(f64) -> f64, end: f64) -> f64 {
    let (mut low, mut high) = (0.0, end);
    let (mut below, mut above) = (f(low), f(high));
    let (mut best, mut least) = if -below < above { (low, -below) } else { (high, above) };
    let mut side = 0;
    for _ in 0..MOST_HALVINGS {
        let secant = high - above * (high - low) / (above - below);
        let middle = if secant > low && secant < high { secant } else { 0.5 * (low + high) };
        if !(middle > low && middle < high) || least == 0.0 {
            break;
        }
        let value = f(middle);
        if value.abs() < least {
            (best, least) = (middle, value.abs());
        }
        if value >= 0.0 {
            (high, above) = (middle, value);
            below *= if side > 0 { 0.5 } else { 1.0 };
            side = 1;
        } else {
            (low, below) = (middle, value);
            above *= if side < 0 { 0.5 } else { 1.0 };
            side = -1;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_found_where_functions_are_flat_and_steep() {
        let zero = |f: fn(f64) -> f64| first_zero(f, 2.0);
        assert!((zero(|x| x * x - 2.0) - 2f64.sqrt()).abs() < 4.0 * f64::EPSILON);
        assert!((zero(|x| (x - 1.0).powi(9)) - 1.0).abs() < 1e-4);
        assert!((zero(|x| (20.0 * (x - 1.5)).tanh()) - 1.5).abs() < 4.0 * f64::EPSILON);
        assert_eq!(zero(|x| if x < 2.0 { -1.0 } else { 0.0 }), 2.0);
    }

    /// Without friction the slip is `v_t + w p`, a straight line, and nothing but its direction turns.
    #[test]
    fn the_series_follow_a_line() {
        let matrix = [[1.0, 0.3, -0.2], [0.3, 2.0, 0.1], [-0.2, 0.1, 1.5]];
        let delassus = Delassus::spatial(matrix).unwrap();
        let motion = TangentialMotion::Slip { u: [0.6, 0.8], speed: 0.5 };
        let mut state = State { p: 0.0, i_t: [0.0, 0.0], v_n: -1.0, motion, work: 0.0 };
        let end = Turning::new(&delassus, 0.0).advance(&mut state, Goal::Impulse(3.0), 0.0);
        assert!(matches!(end, End::Goal));
        let TangentialMotion::Slip { u, speed } = state.motion else { panic!() };
        let expected = [0.3 + 0.3 * 3.0, 0.4 - 0.2 * 3.0];
        assert!((speed * u[0] - expected[0]).abs() < 1e-14 && (speed * u[1] - expected[1]).abs() < 1e-14);
        assert!((state.v_n - 2.0).abs() < 1e-14 && (state.work - 1.5).abs() < 1e-14);
    }
}
