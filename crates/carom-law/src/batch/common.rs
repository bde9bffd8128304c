//! The common path of the law without a branch, for blocks of problems.
//!
//! Most problems of a batch have moderate magnitudes, a regular matrix and a unique solution. These follow the same
//! steps for all problems of a block: both modes are computed and the right one is selected, which lets the compiler
//! vectorise over four problems. Other problems are marked and left to the general law. The operations are those of the
//! law in the same order, so the results are identical to the bit.
#![allow(clippy::manual_range_contains, reason = "comparisons joined without a branch")]

use crate::contact::delassus::tangent::Tangent;
use crate::impact::direction::DirectionEquation;
use crate::impact::guard::Guard;
use crate::impact::mode::Mode;
use crate::numeric::plane::{LARGEST_SQUARE, SMALLEST_SQUARE, Sym2, Vec2, dot, scaled};
use crate::numeric::scaling::{is_tame, larger};
use crate::numeric::tolerance::{ACCURACY, ROUNDING};

/// Problems per block: all arrays of a block fit into the first-level cache.
pub(super) const BLOCK: usize = 64;

/// Iterations for the direction of slip in a block; problems that need more are left to the law.
const STEPS: usize = 3;

/// The numbers of a block, `COLUMNS` per problem.
pub(super) type Columns<const COLUMNS: usize> = [[f64; BLOCK]; COLUMNS];

/// `W` (6), `v_c⁻` (3), `e`, `e_t`, `μ_s`, `μ_d`.
pub(super) const INPUTS: usize = 13;
/// `i` (3), `v_c⁺` (3), energy change, mode.
pub(super) const OUTPUTS: usize = 8;

/// The mode's column: 0 for a problem that is left to the law.
pub(super) fn mode_of(code: f64) -> Option<Mode> {
    match code as u8 {
        1 => Some(Mode::Stick),
        2 => Some(Mode::Slip),
        3 => Some(Mode::Reversal),
        _ => None,
    }
}

/// Solves a block on the widest vectors that the processor has.
pub(super) fn solve<const CHECKED: bool>(input: &Columns<INPUTS>, output: &mut Columns<OUTPUTS>, guard: Guard) {
    #[cfg(target_arch = "x86_64")]
    if crate::kernel::has_avx2() {
        #[allow(unsafe_code, reason = "a function compiled for AVX2 may run only where that is available")]
        // SAFETY: just detected.
        unsafe {
            solve_avx2::<CHECKED>(input, output, guard);
        }
        return;
    }
    solve_portable::<CHECKED>(input, output, guard);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn solve_avx2<const CHECKED: bool>(input: &Columns<INPUTS>, output: &mut Columns<OUTPUTS>, guard: Guard) {
    solve_portable::<CHECKED>(input, output, guard);
}

#[inline(always)]
fn solve_portable<const CHECKED: bool>(input: &Columns<INPUTS>, output: &mut Columns<OUTPUTS>, guard: Guard) {
    let guarded = guard != Guard::Report;
    for i in 0..BLOCK {
        let mut numbers = [0.0; INPUTS];
        for k in 0..INPUTS {
            numbers[k] = input[k][i];
        }
        let answer = solve_one::<CHECKED>(numbers, guarded);
        for k in 0..OUTPUTS {
            output[k][i] = answer[k];
        }
    }
}

/// An impulse that reverses the tangential velocity, and the least friction it needs.
struct Turned {
    normal: f64,
    tangential: Vec2,
    critical: f64,
    is_sound: bool,
}

#[inline(always)]
fn turned_back(share: f64, push: f64, inv_w_nn: f64, w: Vec2, v_t: Vec2, tangent: &Tangent) -> Turned {
    let pushed = scaled(push * inv_w_nn, w);
    let back = 1.0 + share;
    let b = [-back * v_t[0] - pushed[0], -back * v_t[1] - pushed[1]];
    let tangential = tangent.solve(b);
    let normal = (push - dot(w, tangential)) * inv_w_nn;
    let squares = dot(tangential, tangential);
    let ratio = squares.sqrt() / normal;
    let critical = if normal > 0.0 { ratio } else { f64::INFINITY };
    Turned { normal, tangential, critical, is_sound: (squares >= SMALLEST_SQUARE) & (squares <= LARGEST_SQUARE) }
}

/// The check of the outcome in its cheapest form: `v_c⁻ + W i` is the velocity after the impact. Problems that fail it
/// are left to the law.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "numbers in registers")]
fn is_velocity_of(
    w_nn: f64,
    w: Vec2,
    w_tt: &Sym2,
    v_n: f64,
    v_t: Vec2,
    e: f64,
    i_n: f64,
    i_t: Vec2,
    v_t_after: Vec2,
) -> bool {
    let moved = [
        w_nn * i_n + w[0] * i_t[0] + w[1] * i_t[1],
        w[0] * i_n + w_tt.xx * i_t[0] + w_tt.xy * i_t[1],
        w[1] * i_n + w_tt.xy * i_t[0] + w_tt.yy * i_t[1],
    ];
    // An upper bound of |W||i| in any row.
    let largest = larger(w_nn, larger(w_tt.xx, w_tt.yy));
    let rounding = 3.0 * ROUNDING * largest * (i_n + i_t[0].abs() + i_t[1].abs());
    let slip = v_t[0].abs() + v_t[1].abs();
    let scale = v_n.abs() + slip + 2.0 * v_n.abs() * (w[0].abs() + w[1].abs()) / w_nn;
    let bound = ACCURACY * scale + rounding;
    let missed_n = (v_n + moved[0] + e * v_n).abs();
    let missed = [(v_t[0] + moved[1] - v_t_after[0]).abs(), (v_t[1] + moved[2] - v_t_after[1]).abs()];
    (missed_n <= bound) & (missed[0] <= bound) & (missed[1] <= bound)
}

#[inline(always)]
fn solve_one<const CHECKED: bool>(numbers: [f64; INPUTS], guarded: bool) -> [f64; OUTPUTS] {
    let [w_nn, n1, n2, t11, t12, t22, v_n, v1, v2, e, e_t, mu_s, mu_d] = numbers;
    let (w, v_t, w_tt) = ([n1, n2], [v1, v2], Sym2 { xx: t11, xy: t12, yy: t22 });
    let largest_v = larger(v_n.abs(), larger(v1.abs(), v2.abs()));
    let is_tame = is_tame(w_nn) & is_tame(larger(t11, t22)) & is_tame(largest_v) & is_tame(mu_s);
    let is_valid = (w_nn > 0.0) & (t11 >= 0.0) & (t22 >= 0.0) & (v_n < 0.0);
    let is_in_range = (e >= 0.0) & (e <= 1.0) & (e_t.abs() <= 1.0) & (mu_d >= 0.0) & (mu_d <= mu_s);

    let inv_w_nn = 1.0 / w_nn;
    let h = [w[0] * inv_w_nn, w[1] * inv_w_nn];
    let s = Sym2 { xx: t11 - h[0] * w[0], xy: t12 - h[0] * w[1], yy: t22 - h[1] * w[1] };
    let (tangent, is_regular) = Tangent::spatial_branchless(s, w_tt.trace());
    let push = -(1.0 + e) * v_n;

    let stick = turned_back(e_t, push, inv_w_nn, w, v_t, &tangent);
    let sticks = (stick.normal > 0.0) & (stick.critical <= mu_s);
    let stick_work = [0.5 * (1.0 - e) * v_n * stick.normal, 0.5 * (1.0 - e_t) * dot(v_t, stick.tangential)];
    let needs_guard = guarded & sticks & (stick_work[0] + stick_work[1] > 0.0);

    let reversal = turned_back(1.0, push, inv_w_nn, w, v_t, &tangent);
    let reverses = (reversal.normal > 0.0) & (mu_d >= reversal.critical);

    let equation = DirectionEquation::new(w_nn, w, w_tt, v_t, 0.5 * push, mu_d, 1.0);
    let (direction, is_unique) = equation.unique_branchless::<STEPS>();
    let g = 1.0 / direction.denominator;
    let slip_push = 2.0 * direction.k;
    let slip_normal = slip_push * g;
    let friction = slip_push * mu_d * g;
    let speed = larger(direction.lambda, 0.0) * g;
    let slip_tangential = scaled(-friction, direction.u);

    let has_none_beside = equation.has_none_beside_reversal();
    let slides_soundly = (reverses & has_none_beside) | (!reverses & is_unique);
    let is_common = is_tame
        & is_valid
        & is_in_range
        & is_regular
        & stick.is_sound
        & reversal.is_sound
        & !needs_guard
        & (sticks | slides_soundly);

    let pick = |stick: f64, reversal: f64, slip: f64| {
        let slide = if reverses { reversal } else { slip };
        if sticks { stick } else { slide }
    };
    let normal = pick(stick.normal, reversal.normal, slip_normal);
    let tangential = |k: usize| pick(stick.tangential[k], reversal.tangential[k], slip_tangential[k]) + 0.0;
    let after = |k: usize| pick(0.0 - e_t * v_t[k], -v_t[k], 2.0 * (speed * direction.u[k]) - v_t[k]) + 0.0;
    let work = 0.5 * (1.0 - e) * v_n * normal + pick(stick_work[1], 0.0, -friction * speed);
    let mode = pick(1.0, 3.0, 2.0);
    let (i_t, v_t_after) = ([tangential(0), tangential(1)], [after(0), after(1)]);
    let is_borne_out = !CHECKED || is_velocity_of(w_nn, w, &w_tt, v_n, v_t, e, normal, i_t, v_t_after);
    let mode = if is_common & is_borne_out { mode } else { 0.0 };
    [normal, i_t[0], i_t[1], -e * v_n, v_t_after[0], v_t_after[1], work, mode]
}
