//! The gradient flow of a contact by the law chord, in steps without branches: both alternatives of every choice are
//! computed, and one is selected.
#![allow(clippy::manual_range_contains, reason = "comparisons joined without a branch")]

use crate::contact::delassus::tangent::Tangent;
use crate::impact::direction::DirectionEquation;
use crate::impact::secular::Secular;
use crate::numeric::plane::{Sym2, Vec2, add_scaled, dot, is_accurate, scaled};
use crate::numeric::scaling::larger;
use crate::rivals::chord::{EDGE, STOPPED};

/// Safety factor for comparisons with a bound on sizes, so that rounding cannot change the result.
const BEYOND: f64 = 1.0 - 1e-9;

/// Numbers of a contact's flow, and of its state, which end with the remaining restitution and the code.
pub(super) const CONSTANTS: usize = 22;
pub(super) const STATE: usize = 10;

/// The gradient flow of a contact with a regular matrix and friction, as in the law.
#[derive(Clone, Copy)]
pub(super) struct Flow {
    pub(super) w: Vec2,
    pub(super) w_tt: Sym2,
    pub(super) inv_w_nn: f64,
    pub(super) tangent: Tangent,
    pub(super) unit: f64,
    pub(super) w_nn: f64,
    pub(super) mu: f64,
    pub(super) coupling: f64,
    pub(super) trace: f64,
    pub(super) mobility: f64,
    pub(super) no_slip: f64,
    pub(super) held: Vec2,
    pub(super) rate: f64,
    /// Whether a contact at rest sticks.
    pub(super) sticks: bool,
}

#[derive(Clone, Copy)]
pub(super) struct State {
    pub(super) v_n: f64,
    pub(super) v_t: Vec2,
    /// The direction of slip, if there is any.
    pub(super) u: Vec2,
    pub(super) size: f64,
    pub(super) i_t: Vec2,
}

#[derive(Clone, Copy)]
pub(super) struct Turn {
    pub(super) u: Vec2,
    pub(super) w_u: Vec2,
    pub(super) change_n: f64,
    pub(super) change_t: Vec2,
    /// `|v_t|²`
    pub(super) slip: f64,
    /// `(|v_t|/H)²`
    pub(super) fastest: f64,
    /// Whether there is slip at all; otherwise the other numbers are meaningless.
    pub(super) slips: bool,
    pub(super) is_sound: bool,
}

#[derive(Clone, Copy)]
pub(super) struct Root {
    pub(super) size: f64,
    pub(super) friction: Vec2,
    pub(super) v_t: Vec2,
    pub(super) u: Vec2,
    /// Whether it is certified to be unique.
    pub(super) is_sure: bool,
    /// A lower bound of the size of any root, with all friction pushing.
    pub(super) least: f64,
}

/// A choice that becomes a selection.
#[inline(always)]
pub(super) fn pick(condition: bool, yes: f64, no: f64) -> f64 {
    if condition { yes } else { no }
}

#[inline(always)]
pub(super) fn pick_vector(condition: bool, yes: Vec2, no: Vec2) -> Vec2 {
    [pick(condition, yes[0], no[0]), pick(condition, yes[1], no[1])]
}

/// `|a|`, and whether its square is accurate.
#[inline(always)]
pub(super) fn norm(a: Vec2) -> (f64, bool) {
    let squares = dot(a, a);
    let is_zero = (a[0] == 0.0) & (a[1] == 0.0);
    (squares.sqrt(), is_zero | is_accurate(squares))
}

/// `|x| + |y|`
#[inline(always)]
pub(super) fn length(a: Vec2) -> f64 {
    a[0].abs() + a[1].abs()
}

impl Turn {
    /// Whether a size is at most `H`, and whether that is certain.
    #[inline(always)]
    pub(super) fn reaches(&self, size: f64) -> (bool, bool) {
        let changed = size * size * self.fastest;
        (!(changed > self.slip), is_accurate(changed))
    }
}

impl State {
    #[inline(always)]
    pub(super) fn packed(self, code: f64, left: f64) -> [f64; STATE] {
        [self.v_n, self.v_t[0], self.v_t[1], self.u[0], self.u[1], self.size, self.i_t[0], self.i_t[1], left, code]
    }

    #[inline(always)]
    pub(super) fn unpacked([v_n, v1, v2, u1, u2, size, i1, i2, ..]: [f64; STATE]) -> Self {
        Self { v_n, v_t: [v1, v2], u: [u1, u2], size, i_t: [i1, i2] }
    }

    #[inline(always)]
    pub(super) fn or(self, is_self: bool, other: Self) -> Self {
        Self {
            v_n: pick(is_self, self.v_n, other.v_n),
            v_t: pick_vector(is_self, self.v_t, other.v_t),
            u: pick_vector(is_self, self.u, other.u),
            size: pick(is_self, self.size, other.size),
            i_t: pick_vector(is_self, self.i_t, other.i_t),
        }
    }
}

impl Flow {
    #[inline(always)]
    pub(super) fn packed(&self) -> [f64; CONSTANTS] {
        let [q1, q2, m1, m2, inv_d2] = self.tangent.packed();
        let (Sym2 { xx, xy, yy }, [w1, w2], [h1, h2]) = (self.w_tt, self.w, self.held);
        let sticks = pick(self.sticks, 1.0, 0.0);
        let Self { inv_w_nn, unit, w_nn, mu, coupling, trace, mobility, no_slip, rate, .. } = *self;
        [
            w1, w2, xx, xy, yy, inv_w_nn, q1, q2, m1, m2, inv_d2, unit, w_nn, mu, coupling, trace, mobility, no_slip,
            h1, h2, rate, sticks,
        ]
    }

    #[inline(always)]
    pub(super) fn unpacked(numbers: [f64; CONSTANTS]) -> Self {
        let [w1, w2, xx, xy, yy, inv_w_nn, q1, q2, m1, m2, inv_d2, unit, w_nn, mu, rest @ ..] = numbers;
        let [coupling, trace, mobility, no_slip, h1, h2, rate, sticks] = rest;
        Self {
            w: [w1, w2],
            w_tt: Sym2 { xx, xy, yy },
            inv_w_nn,
            tangent: Tangent::unpacked([q1, q2, m1, m2, inv_d2]),
            unit,
            w_nn,
            mu,
            coupling,
            trace,
            mobility,
            no_slip,
            held: [h1, h2],
            rate,
            sticks: sticks > 0.0,
        }
    }

    #[inline(always)]
    pub(super) fn push(&self) -> Vec2 {
        scaled(self.unit, self.w)
    }

    #[inline(always)]
    pub(super) fn turn(&self, state: &State) -> Turn {
        let State { v_t, u, .. } = *state;
        let w_u = self.w_tt.times(u);
        let change_n = self.w_nn - self.mu * dot(self.w, u);
        let change_t = add_scaled(self.push(), -self.mu, w_u);
        let friction = self.mu * self.mobility;
        let (slip, fastest) = (dot(v_t, v_t), larger(dot(change_t, change_t), friction * friction));
        let slips = length(v_t) > self.no_slip;
        Turn {
            u,
            w_u,
            change_n,
            change_t,
            slip,
            fastest,
            slips,
            is_sound: !slips | (is_accurate(slip) & is_accurate(fastest)),
        }
    }

    /// `H`
    #[inline(always)]
    pub(super) fn turning_size(&self, turn: &Turn) -> f64 {
        turn.slip.sqrt() / larger(dot(turn.change_t, turn.change_t).sqrt(), self.mu * self.mobility)
    }

    #[inline(always)]
    pub(super) fn explicit(&self, state: State, turn: &Turn, size: f64) -> State {
        State {
            v_n: state.v_n + size * turn.change_n,
            v_t: add_scaled(state.v_t, size, turn.change_t),
            u: turn.u,
            size: state.size + size,
            i_t: add_scaled(state.i_t, -self.mu * size, turn.u),
        }
    }

    #[inline(always)]
    pub(super) fn without_rounding(&self, v_t: Vec2, before: Vec2, size: f64) -> Vec2 {
        let terms = length(before) + size * (self.unit * self.coupling + self.mu * self.trace);
        pick_vector(length(v_t) <= STOPPED * terms, [0.0, 0.0], v_t)
    }

    /// The implicit step, and whether it is certified.
    #[inline(always)]
    pub(super) fn implicit(&self, state: State, size: f64, turn: &Turn) -> (State, bool) {
        let (step, is_step) = self
            .implicit_from(state, size, |secular, radius| secular.guess_near::<true>(turn.u, scaled(radius, turn.w_u)));
        let is_stuck = self.sticks & (length(state.v_t) <= self.no_slip);
        (self.stuck(state, size).or(is_stuck, step), is_stuck | (turn.slips & is_step))
    }

    /// The implicit step of a contact that does not stick, from a guess of its multiplier.
    #[inline(always)]
    pub(super) fn implicit_from(&self, state: State, size: f64, guess: impl Fn(&Secular, f64) -> f64) -> (State, bool) {
        let b = add_scaled(state.v_t, size, self.push());
        let radius = self.mu * size;
        let secular = Secular::of_disk(b, &self.w_tt, radius);
        let stops = secular.stops();
        let root = secular.root::<true>(guess(&secular, radius));
        let friction = pick_vector(stops, scaled(-radius, secular.at_rest()), scaled(-radius, root.u));
        let v_t = pick_vector(stops, [0.0, 0.0], scaled(root.lambda, root.u));
        let braked = State {
            v_n: state.v_n + (size * self.w_nn + dot(self.w, friction)),
            v_t: self.without_rounding(v_t, state.v_t, size),
            u: pick_vector(stops, [0.0, 0.0], root.u),
            size: state.size + size,
            i_t: add_scaled(state.i_t, 1.0, friction),
        };
        (braked, secular.is_well_conditioned() & (stops | root.is_root))
    }

    #[inline(always)]
    pub(super) fn stuck(&self, state: State, size: f64) -> State {
        State {
            v_n: state.v_n + size * self.rate,
            v_t: [0.0, 0.0],
            u: [0.0, 0.0],
            size: state.size + size,
            i_t: add_scaled(state.i_t, size, self.held),
        }
    }

    /// The step that ends compression, half of it explicit along a turn, or none of it.
    #[inline(always)]
    pub(super) fn closing<const HALF: bool>(&self, state: State, turn: &Turn) -> Root {
        let push = self.push();
        let (normal, push, mu) = if HALF {
            let mu = 0.5 * self.mu;
            (self.w_nn - mu * dot(self.w, turn.u), add_scaled(push, -mu, turn.w_u), mu)
        } else {
            (self.w_nn, push, self.mu)
        };
        let k = 0.0 - state.v_n;

        let solved = self.tangent.solve(add_scaled(state.v_t, k * self.inv_w_nn, self.w));
        let i_t = scaled(-1.0, solved);
        let stop_size = (k - dot(self.w, i_t)) * self.inv_w_nn / self.unit;
        let stop_friction = if HALF { add_scaled(i_t, mu * stop_size, turn.u) } else { i_t };
        let (friction_size, is_size) = norm(stop_friction);

        let equation = DirectionEquation::closing(normal, push, self.w, self.w_tt, state.v_t, k, mu);
        let stops = equation.may_reverse();
        let (direction, is_unique) = equation.unique_by_multiplier::<true>();
        let slip_size = direction.k / direction.denominator;
        let slip_friction = scaled(-mu * slip_size, direction.u);
        let slip_v_t = add_scaled(add_scaled(state.v_t, slip_size, push), 1.0, self.w_tt.times(slip_friction));

        let may_stop = (stop_size > 0.0) & (friction_size <= mu * stop_size * (1.0 + EDGE));
        let is_one = (stops & is_size & may_stop & equation.has_none_beside_reversal()) | (!stops & is_unique);
        Root {
            size: pick(stops, stop_size, slip_size),
            friction: pick_vector(stops, stop_friction, slip_friction),
            v_t: pick_vector(stops, [0.0, 0.0], slip_v_t),
            u: pick_vector(stops, [0.0, 0.0], direction.u),
            is_sure: (k > 0.0) & is_one,
            least: pick(k > 0.0, BEYOND * k / (normal + mu * self.coupling), 0.0),
        }
    }

    /// The step of a root.
    #[inline(always)]
    pub(super) fn closed(&self, start: State, size: f64, root: &Root) -> State {
        State {
            v_n: 0.0,
            v_t: self.without_rounding(root.v_t, start.v_t, size),
            u: root.u,
            size: start.size + size,
            i_t: add_scaled(start.i_t, 1.0, root.friction),
        }
    }
}
