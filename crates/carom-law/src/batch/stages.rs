//! Chord on vectors of problems, in stages without branches.
//!
//! A block of problems goes through the stages of the law ([`crate::rivals::chord`]). Each computes both alternatives
//! of every choice and selects one, which lets the compiler vectorise over four problems. Stages that only some
//! problems need, a turning step and those after it, are run on these alone, stored contiguously. Problems that are far
//! from order one, have a singular matrix, or a phase whose root is not certified to be unique are marked and left to
//! the law. The operations are those of the law in the same order, so the results are identical to the bit.
//!
//! | stage | what it does | for |
//! |---|---|---|
//! | [`begin`] | compression in one step, half of it explicit | all |
//! | [`Turning`] | a turning step, and a step of which half is explicit; rest | problems that the first does not close |
//! | [`Closing`] | a step explicit up to `H` | those that the second does not close |
//! | [`restore`] | restitution in one step, half of it explicit | all |
//! | [`Turned`] | a turning step, and the rest of restitution | those of more than `H` |
//! | [`FromRest`] | restitution of a contact at rest that cannot stick | those |
//! | [`finish`] | velocities, work and the check | all |
#![allow(clippy::manual_range_contains, reason = "comparisons joined without a branch")]

use super::common::{BLOCK, Columns, INPUTS, OUTPUTS};
use super::flow::{CONSTANTS, Flow, STATE, State, length, norm, pick, pick_vector};
use crate::contact::delassus::tangent::Tangent;
use crate::impact::secular::is_plain;
use crate::numeric::plane::{Sym2, add_scaled, dot, scaled};
use crate::numeric::scaling::{is_tame, larger};
use crate::numeric::tolerance::{ACCURACY, ROUNDING};
use crate::rivals::chord::{EDGE, NO_SLIP};

/// The result of a stage for a problem: it is left to the law, ...
const LEFT: f64 = 0.0;
/// ... is ready for the next stage for all, ...
const READY: f64 = 1.0;
/// ... needs an additional stage, ...
const OPEN: f64 = 2.0;
/// ... or slips from rest.
const AT_REST: f64 = 3.0;

/// Bits of the exponent of a number, and of one.
const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
const ONE: u64 = 0x3ff0_0000_0000_0000;

/// Storage for the problems of a block between its stages.
struct Room {
    constants: Columns<CONSTANTS>,
    state: Columns<STATE>,
}

/// All problems of a block, and those selected for a stage.
pub(super) struct Scratch {
    all: Room,
    open: Room,
}

impl Scratch {
    #[inline(always)]
    pub(super) fn new() -> Self {
        let room = || Room { constants: [[0.0; BLOCK]; CONSTANTS], state: [[0.0; BLOCK]; STATE] };
        Self { all: room(), open: room() }
    }
}

/// Solves a block on the widest vectors that the processor has.
pub(super) fn solve(input: &Columns<INPUTS>, output: &mut Columns<OUTPUTS>, scratch: &mut Scratch) {
    #[cfg(target_arch = "x86_64")]
    if crate::kernel::has_avx2() {
        #[allow(unsafe_code, reason = "a function compiled for AVX2 may run only where that is available")]
        // SAFETY: just detected.
        unsafe {
            solve_avx2(input, output, scratch);
        }
        return;
    }
    solve_portable(input, output, scratch);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn solve_avx2(input: &Columns<INPUTS>, output: &mut Columns<OUTPUTS>, scratch: &mut Scratch) {
    solve_portable(input, output, scratch);
}

#[inline(always)]
fn solve_portable(input: &Columns<INPUTS>, output: &mut Columns<OUTPUTS>, scratch: &mut Scratch) {
    let Scratch { all: Room { constants, state }, open } = scratch;
    for i in 0..BLOCK {
        let (flow, begun) = begin(at(input, i));
        put(constants, i, flow.packed());
        put(state, i, begun);
    }
    of_those::<Turning>(OPEN, constants, state, open);
    of_those::<Closing>(OPEN, constants, state, open);
    for i in 0..BLOCK {
        let e = input[9][i];
        let restored = restore(&Flow::unpacked(at(constants, i)), at(state, i), e);
        put(state, i, restored);
    }
    of_those::<Turned>(OPEN, constants, state, open);
    of_those::<FromRest>(AT_REST, constants, state, open);
    for i in 0..BLOCK {
        let finished = finish(&Flow::unpacked(at(constants, i)), at(state, i), at(input, i));
        put(output, i, finished);
    }
}

#[inline(always)]
fn at<const N: usize>(columns: &Columns<N>, i: usize) -> [f64; N] {
    let mut numbers = [0.0; N];
    for k in 0..N {
        numbers[k] = columns[k][i];
    }
    numbers
}

#[inline(always)]
fn put<const N: usize>(columns: &mut Columns<N>, i: usize, numbers: [f64; N]) {
    for k in 0..N {
        columns[k][i] = numbers[k];
    }
}

/// A stage that only some problems need. (A trait, because functions as arguments are not compiled into their caller.)
trait Stage {
    fn go(flow: &Flow, numbers: [f64; STATE]) -> [f64; STATE];
}

/// Runs a stage on the problems with a code, stored contiguously.
#[inline(always)]
fn of_those<S: Stage>(code: f64, constants: &Columns<CONSTANTS>, state: &mut Columns<STATE>, room: &mut Room) {
    let (mut open, mut count) = ([0; BLOCK], 0);
    for i in 0..BLOCK {
        open[count] = i;
        count += usize::from(state[STATE - 1][i] == code);
    }
    if count == 0 {
        return;
    }
    // Whole vectors: the last one is padded with copies of the first problem.
    let whole = count.next_multiple_of(4);
    let first = open[0];
    open[count..whole].fill(first);
    let Room { constants: of, state: from } = room;
    for (column, source) in of.iter_mut().zip(constants).chain(from.iter_mut().zip(&*state)) {
        for (x, i) in column[..whole].iter_mut().zip(&open) {
            // Avoids a bounds check.
            *x = source[*i % BLOCK];
        }
    }
    for i in 0..whole {
        let after = S::go(&Flow::unpacked(at(of, i)), at(from, i));
        put(from, i, after);
    }
    for (column, source) in state.iter_mut().zip(&*from) {
        for (i, x) in open[..count].iter().zip(source) {
            column[*i % BLOCK] = *x;
        }
    }
}

/// Compression in one step, half of it explicit.
#[inline(always)]
fn begin(numbers: [f64; INPUTS]) -> (Flow, [f64; STATE]) {
    let [w_nn, n1, n2, t11, t12, t22, v_n, v1, v2, e, e_t, mu_s, mu_d] = numbers;
    let (w, v_t, w_tt) = ([n1, n2], [v1, v2], Sym2 { xx: t11, xy: t12, yy: t22 });
    let largest_v = larger(v_n.abs(), larger(v1.abs(), v2.abs()));
    let has_tame_matrix = is_tame(w_nn) & is_tame(larger(t11, t22));
    let is_tame = has_tame_matrix & is_tame(largest_v) & is_tame(v_n) & is_tame(mu_s) & is_tame(mu_d);
    let is_valid = (w_nn > 0.0) & (t11 > 0.0) & (t22 > 0.0) & (v_n < 0.0);
    let is_in_range = (e >= 0.0) & (e <= 1.0) & (e_t.abs() <= 1.0) & (mu_d > 0.0) & (mu_d <= mu_s);

    let inv_w_nn = 1.0 / w_nn;
    let h = [w[0] * inv_w_nn, w[1] * inv_w_nn];
    let s = Sym2 { xx: t11 - h[0] * w[0], xy: t12 - h[0] * w[1], yy: t22 - h[1] * w[1] };
    let (tangent, is_regular) = Tangent::spatial_branchless(s, w_tt.trace());
    let coupling = length(w);
    let (speed, is_speed) = norm(v_t);
    let (half, is_half) = norm([0.5 * (t11 - t22), t12]);
    // 1 over the power of two below a friction above one.
    let exponent = mu_d.to_bits() & EXPONENT;
    let unit = if mu_d > 1.0 { f64::from_bits(ONE.wrapping_mul(2).wrapping_sub(exponent)) } else { 1.0 };
    let along = tangent.solve(w);
    let locking = 1.0 + dot(w, along) * inv_w_nn;
    let held = scaled(-1.0 / locking, along);
    let (holding, is_holding) = norm(held);
    let flow = Flow {
        w,
        w_tt,
        inv_w_nn,
        tangent,
        unit,
        w_nn: unit * w_nn,
        mu: unit * mu_d,
        coupling,
        trace: w_tt.trace(),
        mobility: 0.5 * w_tt.trace() + half,
        no_slip: NO_SLIP * (speed + coupling * v_n.abs() * inv_w_nn),
        held: scaled(unit, held),
        rate: unit * (w_nn / locking),
        sticks: holding <= mu_s,
    };
    let is_sound = is_speed & is_half & is_holding;
    let is_common = is_tame & is_valid & is_in_range & is_regular & is_sound & is_plain(&w_tt, &s);

    let start = State { v_n, v_t, u: scaled(1.0 / speed, v_t), size: 0.0, i_t: [0.0, 0.0] };
    let turn = flow.turn(&start);
    let root = flow.closing::<true>(start, &turn);
    let half = 0.5 * root.size;
    let (is_found, is_range) = turn.reaches(root.size * (1.0 - EDGE));
    let (may_be_found, is_least) = turn.reaches(root.least);
    let is_closed = turn.slips & is_found & may_be_found;
    let is_known = (root.is_sure & is_range) | (is_least & !may_be_found);
    let after = flow.closed(flow.explicit(start, &turn, half), half, &root).or(is_closed, start);
    let is_sure = is_common & turn.is_sound & (!turn.slips | is_known);
    (flow, after.packed(pick(is_sure, pick(is_closed, READY, OPEN), LEFT), 0.0))
}

/// A turning step and then a step, half of it explicit; or rest.
struct Turning;

impl Stage for Turning {
    #[inline(always)]
    fn go(flow: &Flow, numbers: [f64; STATE]) -> [f64; STATE] {
        let start = State::unpacked(numbers);
        let first = flow.turn(&start);
        let half = 0.5 * flow.turning_size(&first);
        let (turned, is_step) = flow.implicit(flow.explicit(start, &first, half), half, &first);
        let state = turned.or(first.slips, start);
        let turn = flow.turn(&state);
        let rest = State { v_n: 0.0, ..flow.stuck(state, (0.0 - state.v_n) / flow.rate) };
        let root = flow.closing::<true>(state, &turn);
        let most = 2.0 * flow.turning_size(&turn);
        let is_beyond = root.least > most;
        let is_found = (root.size <= most * (1.0 + EDGE)) & !is_beyond;
        let half = 0.5 * root.size;
        let closed = flow.closed(flow.explicit(state, &turn, half), half, &root);
        let after = closed.or(turn.slips & is_found, rest.or(!turn.slips, state));
        let is_approaching = state.v_n < 0.0;
        let is_sure = is_approaching
            & first.is_sound
            & (!first.slips | is_step)
            & turn.is_sound
            & ((turn.slips & (root.is_sure | is_beyond)) | (!turn.slips & flow.sticks));
        after.packed(pick(is_sure, pick(turn.slips & !is_found, OPEN, READY), LEFT), 0.0)
    }
}

/// A step that is explicit up to `H`.
struct Closing;

impl Stage for Closing {
    #[inline(always)]
    fn go(flow: &Flow, numbers: [f64; STATE]) -> [f64; STATE] {
        let state = State::unpacked(numbers);
        let turn = flow.turn(&state);
        let size = flow.turning_size(&turn);
        let start = flow.explicit(state, &turn, size);
        let root = flow.closing::<false>(start, &turn);
        let after = flow.closed(start, root.size, &root);
        let is_found = root.size >= size * (1.0 - EDGE);
        let is_sure = turn.is_sound & turn.slips & root.is_sure & is_found;
        after.packed(pick(is_sure, READY, LEFT), 0.0)
    }
}

/// Restitution, unless it is longer than `H`.
#[inline(always)]
fn restore(flow: &Flow, numbers: [f64; STATE], e: f64) -> [f64; STATE] {
    let start = State::unpacked(numbers);
    let size = e * start.size;
    let turn = flow.turn(&start);
    let (is_within, is_range) = turn.reaches(size);
    let is_long = turn.slips & !is_within;
    let half = 0.5 * size;
    let before = flow.explicit(start, &turn, half).or(turn.slips, start);
    let (step, is_step) = flow.implicit(before, pick(turn.slips, half, size), &turn);
    let ends = e == 0.0;
    let is_at_rest = !turn.slips & !flow.sticks & !ends;
    let after = start.or(ends | is_long | is_at_rest, step);
    let is_step = turn.is_sound & (!turn.slips | is_range) & (is_long | (is_step & (step.v_n >= 0.0)));
    let is_sure = (numbers[STATE - 1] == READY) & (ends | is_at_rest | is_step);
    let code = pick(is_at_rest, AT_REST, pick(is_long & !ends, OPEN, READY));
    after.packed(pick(is_sure, code, LEFT), size)
}

/// Restitution longer than `H`: a turning step, and the rest.
struct Turned;

impl Stage for Turned {
    #[inline(always)]
    fn go(flow: &Flow, numbers: [f64; STATE]) -> [f64; STATE] {
        let start = State::unpacked(numbers);
        let first = flow.turn(&start);
        let turning = flow.turning_size(&first);
        let half = 0.5 * turning;
        let (turned, is_turned) = flow.implicit(flow.explicit(start, &first, half), half, &first);
        let size = numbers[STATE - 2] - turning;
        let turn = flow.turn(&turned);
        let (most, half) = (flow.turning_size(&turn), 0.5 * size);
        let explicit = pick(turn.slips, pick(most < half, most, half), 0.0);
        let before = flow.explicit(turned, &turn, explicit).or(turn.slips, turned);
        let (step, is_step) = flow.implicit(before, size - explicit, &turn);
        let is_sure = first.is_sound & is_turned & turn.is_sound & is_step & (step.v_n >= 0.0);
        step.packed(pick(is_sure, READY, LEFT), 0.0)
    }
}

/// Restitution that slips from rest.
struct FromRest;

impl Stage for FromRest {
    #[inline(always)]
    fn go(flow: &Flow, numbers: [f64; STATE]) -> [f64; STATE] {
        let (step, is_step) =
            flow.implicit_from(State::unpacked(numbers), numbers[STATE - 2], |secular, _| secular.guess());
        step.packed(pick(is_step & (step.v_n >= 0.0), READY, LEFT), 0.0)
    }
}

/// The impulse, the velocity after it and the work, checked: the velocity is that before plus the effect of the
/// impulse, the impulse is in the cone, and no energy is created. Problems that fail are left to the law, whose check
/// is decisive.
#[inline(always)]
fn finish(flow: &Flow, state: [f64; STATE], input: [f64; INPUTS]) -> [f64; OUTPUTS] {
    let [w_nn, n1, n2, t11, t12, t22, v_n, v1, v2, _, _, mu_s, _] = input;
    let (w, v_t, w_tt) = ([n1, n2], [v1, v2], Sym2 { xx: t11, xy: t12, yy: t22 });
    let State { v_n: after_n, v_t: slip, size, i_t, .. } = State::unpacked(state);
    let i_n = flow.unit * size;
    let rests = length(slip) <= flow.no_slip;
    let pushed = add_scaled(add_scaled(v_t, i_n, w), 1.0, w_tt.times(i_t));
    let after_t = pick_vector(rests, slip, pushed);
    let e = -after_n / v_n;
    let sum = [v_t[0] + after_t[0], v_t[1] + after_t[1]];
    let (normal_work, tangential_work) = (0.5 * (v_n + after_n) * i_n, 0.5 * dot(sum, i_t));
    let change = normal_work + tangential_work;

    let reported_n = -e * v_n;
    let missed_n = (v_n + (w_nn * i_n + w[0] * i_t[0] + w[1] * i_t[1]) - reported_n).abs();
    let missed_t = larger((pushed[0] - after_t[0]).abs(), (pushed[1] - after_t[1]).abs());
    let scale = length(v_t) + (after_n - v_n) * flow.inv_w_nn * length(w);
    let terms_n = w_nn * i_n + w[0].abs() * i_t[0].abs() + w[1].abs() * i_t[1].abs();
    let terms_1 = w[0].abs() * i_n + t11 * i_t[0].abs() + t12.abs() * i_t[1].abs();
    let terms_2 = w[1].abs() * i_n + t12.abs() * i_t[0].abs() + t22 * i_t[1].abs();
    let smaller = if terms_1 < terms_2 { terms_1 } else { terms_2 };
    let is_velocity = (missed_n <= ACCURACY * v_n.abs() + 3.0 * ROUNDING * terms_n)
        & (missed_t <= ACCURACY * scale + 3.0 * ROUNDING * smaller);
    let most = mu_s * i_n * (1.0 + ACCURACY);
    let is_borne_out = is_velocity & (i_n > 0.0) & (dot(i_t, i_t) <= most * most) & (after_n >= 0.0) & (change <= 0.0);
    let mode = pick(rests, 1.0, 2.0);
    let mode = pick((state[STATE - 1] == READY) & is_borne_out, mode, LEFT);
    [i_n, i_t[0] + 0.0, i_t[1] + 0.0, reported_n, after_t[0] + 0.0, after_t[1] + 0.0, change, mode]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The stages solve nearly all random impacts of order one: problems left to the law cost five times as much.
    #[test]
    fn few_problems_are_left_to_the_law() {
        let mut rng = fastrand::Rng::with_seed(7);
        let (mut input, mut output) = ([[0.0; BLOCK]; INPUTS], [[0.0; BLOCK]; OUTPUTS]);
        let mut scratch = Scratch::new();
        let (blocks, mut left) = (400, 0);
        for _ in 0..blocks {
            for i in 0..BLOCK {
                let mut uniform = || 2.0 * rng.f64() - 1.0;
                let b: [[f64; 4]; 3] = [(); 3].map(|()| [(); 4].map(|()| uniform()));
                let w = |i: usize, j: usize| {
                    (0..4).map(|k| b[i][k] * b[j][k]).sum::<f64>() + if i == j { 0.3 } else { 0.0 }
                };
                let v = [-0.1 - uniform().abs(), 2.0 * uniform(), 2.0 * uniform()];
                let (e, mu) = (uniform().abs(), 1.2 * uniform().abs());
                let numbers =
                    [w(0, 0), w(0, 1), w(0, 2), w(1, 1), w(1, 2), w(2, 2), v[0], v[1], v[2], e, 0.0, mu, 0.9 * mu];
                put(&mut input, i, numbers);
            }
            solve(&input, &mut output, &mut scratch);
            left += output[OUTPUTS - 1].iter().filter(|code| **code == LEFT).count();
        }
        println!("{left} of {} left to the law", blocks * BLOCK);
        assert!(left * 100 < 3 * blocks * BLOCK, "{left}");
    }
}
