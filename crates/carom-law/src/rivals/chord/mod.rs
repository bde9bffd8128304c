//! Chord: Poisson's law in closed form.
//!
//! Along the path of a contact ([`super::path`]) the velocity descends the convex function `φ(v) = μ|v_t| - v_n`:
//! `dv/dp = W d`, `-d ∈ ∂φ(v)`, a gradient flow in the metric of `W⁻¹`. Chord follows it by at most four straight
//! pieces a phase, the chords, instead of integrating it. With `u = x_t/|x_t|`, `d = (1, -μu)` and
//! `H(x) = |x_t| / max(|(W d)_t|, μ λ_max(W_tt))`, the size of a step in which the slip changes by its own size:
//!
//! - the implicit step of size `h` from `x` ([`disk`]) has the friction of least energy at that size;
//! - `half(x, h)` is explicit along `d` for `h/2`, then implicit;
//! - `part(x, h)` is explicit for `min(h/2, H)`, then implicit.
//!
//! Compression is the least `half(x, p)` with `p <= H` that ends with `v_n = 0`; if there is none, `half(x, H)` and then the
//! least `part` that ends so ([`closing`]). Restitution adds `e` times the normal impulse of compression: `half` up to `H`, then `part`.
//! If it ends with `v_n < 0`, the last implicit piece is lengthened until `v_n = 0`.
//!
//! Claims dissipation: with `s = |v_t|` and `d_c` the direction of the last implicit piece at the end of compression,
//! `K⁻ - K⁺ >= (p_c + p_r) μ s + (p_c² - p_r²) d_c·W d_c / 2`, for every `W`, `μ` and every `p_r <= p_c` (the book has
//! the proof). Claims the cone, continuity in the plane, and a solution for every contact, singular ones included. In
//! the plane it is Poisson's law; in space it is close to it. Does not claim Newton's restitution, unless its kind is
//! [`RestitutionKind::Newton`]: then the normal impulse of restitution is the one required for `v_n⁺ = -e v_n⁻`, but
//! never more than that of compression. `e_t` is ignored.
//!
//! Friction is that of `μ_d`; a piece that starts without slip sticks if `|W_tt⁺ w| <= μ_s`. If several sizes close a
//! phase, as is possible for `μ_d > μ*`, the least is taken: the path would reach it first.
//!
//! | file | contents |
//! |---|---|
//! | `disk` | the implicit step: the friction of least energy on a disk |
//! | `closing` | the size of the step that ends with a given normal velocity |
//! | `tests` | the bound on the energy; the least of several sizes |

mod closing;
mod disk;
#[cfg(test)]
mod tests;

use super::path::{friction_unit, holding, keller::first_zero};
use super::{After, ImpactLaw, Response, not_converged, unit};
use crate::contact::Contact;
use crate::contact::coefficients::RestitutionKind;
use crate::contact::delassus::{Delassus, Dimension};
use crate::error::Result;
use crate::impact::collision::Impact;
use crate::impact::mode::Mode;
use crate::impact::outcome::{ChordReport, Law};
use crate::impact::secular::is_plain;
use crate::numeric::plane::{Sym2, Vec2, add_scaled, dot, is_accurate, norm, scaled};
use crate::numeric::scaling::larger;
use crate::numeric::tolerance::TANGENT_RANK;
pub(crate) use closing::EDGE;
use closing::Root;
use disk::Braked;

/// Slip of at most this fraction of the tangential velocities involved (2^-60) counts as zero: steps of its size are
/// lost in rounding.
pub(crate) const NO_SLIP: f64 = 8.7e-19;

/// The fraction for a singular matrix, with which rounding leaves slip along the null vector.
const NO_SLIP_SINGULAR: f64 = 64.0 * f64::EPSILON;

/// Slip at the end of a step of at most this fraction of its terms counts as rounding.
pub(crate) const STOPPED: f64 = 8.0 * f64::EPSILON;

/// Safety factor for comparisons with the trace of `W_tt`, a bound of its largest eigenvalue, so that rounding cannot
/// change the result.
const TRACE_IS_MORE: f64 = 1.0 - 1e-9;

/// A final approach velocity of at most this fraction of the terms of the normal velocity counts as rounding.
const NO_APPROACH: f64 = 64.0 * f64::EPSILON;

/// Doublings of the size of a step until it passes a root that rounding has hidden.
const MOST_DOUBLINGS: usize = 1_100;

/// The residual reported for a phase that did not close.
const CLOSED: f64 = 1e-12;

pub(super) struct Chord {
    pub(super) kind: RestitutionKind,
}

/// Poisson's restitution, and Newton's.
pub(super) static POISSON: Chord = Chord { kind: RestitutionKind::Poisson };
pub(super) static NEWTON: Chord = Chord { kind: RestitutionKind::Newton };

/// How the tangents can move.
#[derive(Debug, Clone, Copy)]
enum Tangents {
    /// Not at all: no tangents, or `W_tt = 0`.
    None,
    /// Along one direction.
    Line {
        along: Vec2,
        mobility: f64,
    },
    Plane {
        w_tt: Sym2,
    },
}

/// The gradient flow of a contact. Sizes of steps are normal impulses over `unit`, a power of two that keeps friction of any
/// coefficient at order one.
struct Flow<'a> {
    delassus: &'a Delassus,
    unit: f64,
    /// `dv_n` and `dv_t` per unit of size without friction.
    w_nn: f64,
    push: Vec2,
    w: Vec2,
    w_tt: Sym2,
    /// `μ_d` times the unit.
    mu: f64,
    /// `|w|`; for plain contacts by [`length`].
    coupling: f64,
    /// The trace of `W_tt`, an upper bound of its largest eigenvalue.
    trace: f64,
    /// The largest eigenvalue; for plain contacts the trace.
    reach: f64,
    tangents: Tangents,
    /// Whether a contact at rest along its tangents is at rest altogether.
    is_singular: bool,
    /// Spatial and far from singular ([`is_plain`]): directions of slip are those at the ends of steps, and need not be
    /// computed from the slip.
    is_plain: bool,
    /// Whether `W` is singular: velocities have a part that counts as rounding.
    is_reduced: bool,
    /// Regular only if each tangent has its own unit.
    by_rows: bool,
    /// The friction that a contact at rest can have without slip.
    mu_s: f64,
    /// The slip that counts as zero.
    no_slip: f64,
}

#[derive(Debug, Clone, Copy)]
struct Velocity {
    n: f64,
    t: Vec2,
}

/// The state of the contact along the path.
#[derive(Debug, Clone, Copy)]
struct State {
    v: Velocity,
    /// The direction of slip, if there is any.
    u: Vec2,
    /// The sizes of all steps so far ...
    size: f64,
    /// ... and their friction.
    i_t: Vec2,
}

/// The slip of a contact.
#[derive(Debug, Clone, Copy)]
struct Turn {
    v_t: Vec2,
    u: Vec2,
    /// `W_tt u`
    w_u: Vec2,
    /// `dv` per unit of size along `d = (1, -μu)`.
    change: Velocity,
}

/// A step: from `start`, where its explicit piece ends, implicitly to `end`.
#[derive(Debug, Clone, Copy)]
struct Step {
    start: State,
    end: State,
}

/// A complete impact.
struct Chain {
    compression: Step,
    end: State,
    /// Whether Newton's restitution required more impulse than that of compression.
    cut: bool,
}

impl ImpactLaw for Chord {
    fn law(&self) -> Law {
        Law::Chord
    }

    #[inline(always)]
    fn respond(&self, impact: &Impact<'_>) -> Result<Response> {
        let (flow, start) = Flow::new(impact);
        let Chain { compression, end, cut } = flow.chain(start, impact.e, self.kind).map_err(|left| {
            let largest = impact.contact.v_n.abs().max(norm(impact.contact.v_t));
            not_converged(impact, left.v.n.abs() / largest, CLOSED, flow.unit * left.size, left.i_t)
        })?;
        let i_n = flow.unit * end.size;
        let rests = length(end.v.t) <= flow.no_slip;
        let v_t = if rests && !flow.is_reduced {
            end.v.t
        } else {
            // The effect of the impulses. Along the chain the slip of the pieces is carried, whose error exceeds
            // rounding for a nearly singular matrix, and which lacks the effect on the null vector of a singular one.
            let &Contact { delassus: ref d, v_t, .. } = impact.contact;
            add_scaled(add_scaled(v_t, i_n, d.w), 1.0, d.w_tt.times(end.i_t))
        };
        let (mode, u) = if rests {
            (Mode::Stick, None)
        } else {
            (Mode::Slip, if flow.is_plain { Some(end.u) } else { unit(end.v.t) })
        };
        let answer = impact.answered(mode, i_n, end.i_t, After { v_n: end.v.n, v_t }, u);
        let ratio = (end.size - compression.end.size) / compression.end.size;
        Ok(Response { answer, phases: None, chord: Some(ChordReport { kind: self.kind, ratio, cut }) })
    }
}

impl<'a> Flow<'a> {
    #[inline(always)]
    fn new(impact: &Impact<'a>) -> (Self, State) {
        let &Contact { delassus: ref d, v_n, v_t, .. } = impact.contact;
        let by_rows = !d.is_regular() && d.is_regular_by_rows();
        let is_regular = d.is_regular() || by_rows;
        let tangents = tangents(d, is_regular);
        let is_singular = match tangents {
            Tangents::None => false,
            // A spatial contact that moves along one tangent is a planar one.
            Tangents::Line { along, .. } => {
                !is_regular && dot(along, d.s.times(along)) <= d.rank_tolerance * d.w_tt.trace()
            }
            Tangents::Plane { .. } => !is_regular,
        };
        // The part of a velocity outside the range counts as rounding and is left out.
        let v_t = if is_regular { v_t } else { add_scaled(v_t, -1.0, d.null_vector(impact.contact.free_velocity())) };
        let is_plain = is_regular && d.dimension == Dimension::Spatial && is_plain(&d.w_tt, &d.s);
        let trace = d.w_tt.trace();
        let (coupling, reach) = if is_plain { (length(d.w), trace) } else { (norm(d.w), mobility(&tangents, &d.w_tt)) };
        let none = if d.is_regular() { NO_SLIP } else { NO_SLIP_SINGULAR };
        let speed = norm(v_t);
        let no_slip = none * (speed + coupling * v_n.abs() * d.inv_w_nn);
        let u = if speed > 0.0 { scaled(1.0 / speed, v_t) } else { [0.0, 0.0] };
        let unit = friction_unit(impact.mu_d);
        let flow = Self {
            delassus: d,
            unit,
            w_nn: unit * d.w_nn,
            push: scaled(unit, d.w),
            w: d.w,
            w_tt: d.w_tt,
            mu: unit * impact.mu_d,
            coupling,
            trace,
            reach,
            tangents,
            is_singular,
            is_plain,
            is_reduced: !is_regular,
            by_rows,
            mu_s: impact.mu_s,
            no_slip,
        };
        (flow, State { v: Velocity { n: v_n, t: v_t }, u, size: 0.0, i_t: [0.0, 0.0] })
    }

    /// The impact; if a phase did not close, its last state.
    #[inline(always)]
    fn chain(&self, start: State, e: f64, kind: RestitutionKind) -> std::result::Result<Chain, State> {
        let compression = self.close(start, 0.0)?;
        let compressed = compression.end;
        if e == 0.0 {
            return Ok(Chain { compression, end: compressed, cut: false });
        }
        match kind {
            RestitutionKind::Poisson => {
                let end = self.restore(compressed, e * compressed.size)?;
                Ok(Chain { compression, end, cut: false })
            }
            RestitutionKind::Newton => {
                let asked = self.close(compressed, -e * start.v.n).map(|step| step.end);
                match asked.ok().filter(|end| end.size - compressed.size <= compressed.size) {
                    Some(end) => Ok(Chain { compression, end, cut: false }),
                    None => Ok(Chain { compression, end: self.restore(compressed, compressed.size)?, cut: true }),
                }
            }
        }
    }

    /// Steps until the normal velocity rises to `target`.
    #[inline(always)]
    fn close(&self, start: State, target: f64) -> std::result::Result<Step, State> {
        let mut state = start;
        if let Some(turn) = self.turn(&state) {
            let root = match self.only_root(state.v, Some(&turn), target - state.v.n) {
                Some(root) => (!self.turns_within(root.size * (1.0 - EDGE), &turn)).then_some(root),
                None => self.least_root(state.v, Some(&turn), target, 0.0, self.turning_size(&turn)),
            };
            if let Some(root) = root {
                return Ok(self.closed_half(state, &turn, &root, target));
            }
            let size = self.turning_size(&turn);
            let step = self.half(state, &turn, size);
            if step.end.v.n >= target {
                // A root hidden by rounding.
                let size = first_zero(|size| self.half(state, &turn, size).end.v.n - target, size);
                return Ok(self.half(state, &turn, size).with_normal(target));
            }
            state = step.end;
        }
        self.close_part(state, target).ok_or(state)
    }

    /// The least `part` that ends with the normal velocity `target`.
    fn close_part(&self, state: State, target: f64) -> Option<Step> {
        match self.turn(&state) {
            None => {
                if self.is_singular && target == 0.0 {
                    // At rest along the tangents, it is at rest altogether.
                    return Some(Step { start: state, end: state }.with_normal(0.0));
                }
                if let Some((friction, rate)) = self.stick() {
                    let size = (target - state.v.n) / rate;
                    return size.is_finite().then(|| self.stuck(state, size, friction, rate).with_normal(target));
                }
                let root = self.least_root(state.v, None, target, 0.0, f64::INFINITY);
                root.map(|root| self.closed(state, &root, target))
            }
            Some(turn) => {
                let size = self.turning_size(&turn);
                if let Some(root) = self.least_root(state.v, Some(&turn), target, 0.0, 2.0 * size) {
                    return Some(self.closed_half(state, &turn, &root, target));
                }
                let after = self.explicit(state, &turn, size);
                let root = self.least_root(after.v, None, target, size, f64::INFINITY);
                root.map(|root| self.closed(after, &root, target))
            }
        }
        .or_else(|| self.search_part(state, target))
    }

    /// The same step if rounding has hidden the root: the size is doubled until the root is passed, which is then
    /// bracketed.
    #[cold]
    fn search_part(&self, state: State, target: f64) -> Option<Step> {
        let step = |size: f64| self.part(state, size);
        let size = first_above(|size| step(size).end.v.n - target, 0.0, (target - state.v.n).abs() / self.w_nn)?;
        Some(step(size).with_normal(target))
    }

    /// Restitution of a given size.
    #[inline(always)]
    fn restore(&self, start: State, size: f64) -> std::result::Result<State, State> {
        let mut step = match self.turn(&start) {
            // A branch, which a processor can predict; taking the smaller of the two sizes would have to wait for the
            // comparison.
            Some(turn) if self.turns_within(size, &turn) => self.turned_part(start, &turn, size),
            Some(turn) => self.half(start, &turn, size),
            None => self.part(start, size),
        };
        if step.end.v.n < 0.0 {
            let friction = length(add_scaled(step.end.i_t, -1.0, start.i_t));
            let terms = (step.end.size - start.size) * self.w_nn + self.coupling * friction;
            if step.end.v.n < -NO_APPROACH * terms {
                step = self.lengthened(&step).ok_or(step.end)?;
            }
        }
        Ok(State { v: Velocity { n: larger(step.end.v.n, 0.0), ..step.end.v }, ..step.end })
    }

    /// A turning step, then the rest.
    #[inline(never)]
    fn turned_part(&self, start: State, turn: &Turn, size: f64) -> Step {
        let first = self.turning_size(turn);
        let step = self.half(start, turn, first);
        self.part(step.end, size - first)
    }

    /// A step with its implicit piece lengthened until the contact does not approach.
    #[cold]
    fn lengthened(&self, step: &Step) -> Option<Step> {
        let Step { start, end } = *step;
        let size = end.size - start.size;
        if let Some(root) = self.least_root(start.v, None, 0.0, size, f64::INFINITY) {
            return Some(self.closed(start, &root, 0.0));
        }
        let step = |size: f64| self.implicit(start, size, None);
        first_above(|size| step(size).end.v.n, size, size).map(|size| step(size).with_normal(0.0))
    }

    /// `di_t` and `dv_n` per unit of size in stick; `None` if a contact at rest slips.
    #[inline(never)]
    fn stick(&self) -> Option<(Vec2, f64)> {
        let (held, rate) = holding(self.delassus, !self.is_reduced);
        (norm(held) <= self.mu_s).then(|| (scaled(self.unit, held), self.unit * rate))
    }

    #[inline(never)]
    fn mobility(&self) -> f64 {
        mobility(&self.tangents, &self.w_tt)
    }

    /// The slip, if there is any.
    #[inline(always)]
    fn turn(&self, state: &State) -> Option<Turn> {
        let State { v: Velocity { t: v_t, .. }, mut u, .. } = *state;
        if self.is_plain {
            if length(v_t) <= self.no_slip {
                return None;
            }
        } else {
            let speed = norm(v_t);
            if speed <= self.no_slip {
                return None;
            }
            u = [v_t[0] / speed, v_t[1] / speed];
        }
        let w_u = self.w_tt.times(u);
        let change = Velocity { n: self.w_nn - self.mu * dot(self.w, u), t: add_scaled(self.push, -self.mu, w_u) };
        Some(Turn { v_t, u, w_u, change })
    }

    /// `H`. Without coupling and friction nothing changes the slip, and it is infinite.
    fn turning_size(&self, turn: &Turn) -> f64 {
        norm(turn.v_t) / larger(norm(turn.change.t), self.mu * self.mobility())
    }

    /// Whether `H` is smaller than a size: by squares unless these lose digits, and first with the trace instead of the
    /// eigenvalue.
    #[inline(always)]
    fn turns_within(&self, size: f64, turn: &Turn) -> bool {
        let slip = dot(turn.v_t, turn.v_t);
        let changed = |mobility: f64| {
            let friction = self.mu * mobility;
            size * size * larger(dot(turn.change.t, turn.change.t), friction * friction)
        };
        let most = changed(self.trace);
        if is_accurate(most) & is_accurate(slip) & (most <= TRACE_IS_MORE * slip) {
            return false;
        }
        let changed = changed(self.mobility());
        if is_accurate(changed) & is_accurate(slip) { changed > slip } else { size > self.turning_size(turn) }
    }

    #[inline(always)]
    fn half(&self, state: State, turn: &Turn, size: f64) -> Step {
        self.implicit(self.explicit(state, turn, 0.5 * size), 0.5 * size, Some(turn))
    }

    fn part(&self, state: State, size: f64) -> Step {
        match self.turn(&state) {
            None => self.implicit(state, size, None),
            Some(turn) => {
                let explicit = self.turning_size(&turn).min(0.5 * size);
                self.implicit(self.explicit(state, &turn, explicit), size - explicit, Some(&turn))
            }
        }
    }

    #[inline(always)]
    fn explicit(&self, state: State, turn: &Turn, size: f64) -> State {
        State {
            v: Velocity { n: state.v.n + size * turn.change.n, t: add_scaled(state.v.t, size, turn.change.t) },
            u: turn.u,
            size: state.size + size,
            i_t: add_scaled(state.i_t, -self.mu * size, turn.u),
        }
    }

    /// An implicit step, after a turn or from any velocity.
    #[inline(always)]
    fn implicit(&self, state: State, size: f64, turn: Option<&Turn>) -> Step {
        if length(state.v.t) <= self.no_slip
            && let Some((friction, rate)) = self.stick()
        {
            return self.stuck(state, size, friction, rate);
        }
        let b = add_scaled(state.v.t, size, self.push);
        let Braked { friction, v_t, u } = self.tangents.brake(b, self.mu * size, turn);
        let v_t = self.without_rounding(v_t, state.v.t, size);
        let n = state.v.n + (size * self.w_nn + dot(self.w, friction));
        let i_t = add_scaled(state.i_t, 1.0, friction);
        let end = State { v: Velocity { n, t: v_t }, u, size: state.size + size, i_t };
        Step { start: state, end }
    }

    /// The slip at the end of an implicit piece, or zero if it is rounding of its terms: if a turning step ends exactly
    /// where slip stops, friction holds from there on.
    #[inline(always)]
    fn without_rounding(&self, v_t: Vec2, before: Vec2, size: f64) -> Vec2 {
        let terms = length(before) + size * (self.unit * self.coupling + self.mu * self.reach);
        if length(v_t) <= STOPPED * terms { [0.0, 0.0] } else { v_t }
    }

    /// An implicit step that sticks from its start.
    #[inline(always)]
    fn stuck(&self, state: State, size: f64, friction: Vec2, rate: f64) -> Step {
        let end = State {
            v: Velocity { n: state.v.n + size * rate, t: [0.0, 0.0] },
            u: [0.0, 0.0],
            size: state.size + size,
            i_t: add_scaled(state.i_t, size, friction),
        };
        Step { start: state, end }
    }

    /// The step of a root, all of it implicit.
    #[inline(always)]
    fn closed(&self, state: State, root: &Root, target: f64) -> Step {
        self.ended(state, root.size, root, target)
    }

    /// The step of a root, half of it explicit.
    #[inline(always)]
    fn closed_half(&self, state: State, turn: &Turn, root: &Root, target: f64) -> Step {
        self.ended(self.explicit(state, turn, 0.5 * root.size), 0.5 * root.size, root, target)
    }

    #[inline(always)]
    fn ended(&self, start: State, size: f64, root: &Root, target: f64) -> Step {
        let end = State {
            v: Velocity { n: target, t: self.without_rounding(root.v_t, start.v.t, size) },
            u: root.u,
            size: start.size + size,
            i_t: add_scaled(start.i_t, 1.0, root.friction),
        };
        Step { start, end }
    }
}

/// `|x| + |y|`: a length for comparisons, without a square root.
#[inline(always)]
fn length(v: Vec2) -> f64 {
    v[0].abs() + v[1].abs()
}

impl Step {
    /// With the exact target of the normal velocity in place of its rounded value.
    fn with_normal(mut self, n: f64) -> Self {
        self.end.v.n = n;
        self
    }
}

/// The direction of the slip of a contact and the normal impulse over which it changes by its own size; `None` without
/// slip.
pub(crate) fn turning(delassus: &Delassus, velocity: [f64; 3], mu: f64) -> Option<(Vec2, f64)> {
    let contact = Contact::assemble(*delassus, velocity);
    let mu = contact.rescaled::<false>(mu, |units| units.beta);
    let (flow, start) = Flow::new(&Impact { contact: &contact, e: 0.0, e_t: 0.0, mu_s: mu, mu_d: mu });
    let turn = flow.turn(&start)?;
    let size = flow.unit * flow.turning_size(&turn);
    Some((turn.u, contact.rescaled::<false>(size, |units| units.gamma - units.omega)))
}

/// The impulse of an implicit step from a velocity, with the normal impulse `least` or, if the contact would then
/// approach, the next larger one for which it does not. `None` if rounding hides it.
pub(crate) fn implicit_step(delassus: &Delassus, velocity: [f64; 3], mu: f64, least: f64) -> Option<[f64; 3]> {
    let contact = Contact::assemble(*delassus, velocity);
    let mu = contact.rescaled::<false>(mu, |units| units.beta);
    let (mut flow, start) = Flow::new(&Impact { contact: &contact, e: 0.0, e_t: 0.0, mu_s: mu, mu_d: mu });
    // Nothing sticks beyond the disk.
    flow.mu_s = -1.0;
    let size = contact.rescaled::<false>(least, |units| units.omega - units.gamma) / flow.unit;
    let mut step = flow.implicit(start, size, None);
    if step.end.v.n < 0.0 {
        step = flow.lengthened(&step)?;
    }
    let tangential = |x: f64| contact.rescaled::<false>(x, |units| units.gamma - units.omega - units.beta);
    let normal = contact.rescaled::<false>(flow.unit * step.end.size, |units| units.gamma - units.omega);
    Some([normal, tangential(step.end.i_t[0]), tangential(step.end.i_t[1])])
}

/// A zero above `low`, where the function is negative: steps are doubled until it is passed, then it is bracketed by
/// the last two.
#[cold]
fn first_above(f: impl Fn(f64) -> f64, low: f64, first: f64) -> Option<f64> {
    let (mut below, mut step) = (low, first);
    for _ in 0..MOST_DOUBLINGS {
        let value = f(low + step);
        if value >= 0.0 {
            return Some(below + first_zero(|more| f(below + more), low + step - below));
        }
        if !value.is_finite() {
            break;
        }
        below = low + step;
        step *= 2.0;
    }
    None
}

/// The largest eigenvalue of `W_tt`.
fn mobility(tangents: &Tangents, w_tt: &Sym2) -> f64 {
    match *tangents {
        Tangents::None => 0.0,
        Tangents::Line { mobility, .. } => mobility,
        Tangents::Plane { .. } => 0.5 * w_tt.trace() + norm([0.5 * (w_tt.xx - w_tt.yy), w_tt.xy]),
    }
}

/// How the tangents of a contact can move.
#[inline(always)]
fn tangents(d: &Delassus, is_regular: bool) -> Tangents {
    let xx = d.w_tt.xx;
    match d.dimension {
        Dimension::Normal => Tangents::None,
        Dimension::Planar if xx > 0.0 => Tangents::Line { along: [1.0, 0.0], mobility: xx },
        Dimension::Planar => Tangents::None,
        Dimension::Spatial if is_regular => Tangents::Plane { w_tt: d.w_tt },
        Dimension::Spatial => {
            let (small, large, along) = d.w_tt.eigen();
            if small > TANGENT_RANK * d.w_tt.trace() {
                Tangents::Plane { w_tt: d.w_tt }
            } else if large > 0.0 {
                Tangents::Line { along, mobility: large }
            } else {
                Tangents::None
            }
        }
    }
}
