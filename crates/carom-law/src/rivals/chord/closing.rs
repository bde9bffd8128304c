//! The closing equation: the size of the step that ends with a given normal velocity.
//!
//! A step of size `s` from `x`, of which the share `θ` is explicit along `d = (1, -μu)`, ends with the velocity
//! `x + s (α - m w·u', c - m W_tt u')`, where `m = (1-θ) μ`, `α = W_nn - θμ w·u` and `c = w - θμ W_tt u`. It slips along
//! `u'` at its end. With `v_n` given there, `k = v_n - x_n`, the size is `s = k/D(u')`, `D(u') = α - m w·u'`, and the
//! tangential velocity, times `D`, is `D(u') x_t + k (c - m W_tt u')`, which is to be along `u'`: the equation of the
//! direction of slip ([`crate::impact::direction`]) with other constants, which finds all of its roots. For `k < 0` both
//! sides change their sign. The contact may also end at rest, where its impulse follows from a linear equation.

use arrayvec::ArrayVec;

use super::{Flow, Tangents, Turn, Velocity, unit};
use crate::impact::direction::{Direction, DirectionEquation};
use crate::numeric::plane::{Vec2, add_scaled, cross, dot, norm, scaled};
use crate::numeric::scaling::larger;
use crate::numeric::tolerance::FEASIBILITY;

/// A root outside its range, or friction outside its disk, by at most this fraction counts as on the boundary.
pub(crate) const EDGE: f64 = 64.0 * f64::EPSILON;

/// A step that ends with the given normal velocity.
#[derive(Debug, Clone, Copy)]
pub(super) struct Root {
    /// Size of the whole step.
    pub(super) size: f64,
    /// Friction of the implicit piece.
    pub(super) friction: Vec2,
    pub(super) v_t: Vec2,
    /// The direction of `v_t`.
    pub(super) u: Vec2,
}

/// The constants of a step: `dv` per unit of its size without the friction of its implicit piece, and the coefficient
/// of that friction.
struct Pull {
    normal: f64,
    push: Vec2,
    mu: f64,
}

impl Flow<'_> {
    #[inline(always)]
    fn pull(&self, turn: Option<&Turn>) -> Pull {
        match turn {
            None => Pull { normal: self.w_nn, push: self.push, mu: self.mu },
            Some(turn) => {
                let mu = 0.5 * self.mu;
                Pull { normal: self.w_nn - mu * dot(self.w, turn.u), push: add_scaled(self.push, -mu, turn.w_u), mu }
            }
        }
    }

    /// The step from `v` that changes the normal velocity by `k`, if it is certain to be unique; half of it is explicit
    /// along a turn, if one is given. Its size may be out of range.
    #[inline(always)]
    pub(super) fn only_root(&self, v: Velocity, turn: Option<&Turn>, k: f64) -> Option<Root> {
        if !self.is_plain || self.mu == 0.0 || !(k > 0.0) {
            return None;
        }
        let Pull { normal, push, mu } = self.pull(turn);
        let equation = DirectionEquation::closing(normal, push, self.w, self.w_tt, v.t, k, mu);
        if equation.may_reverse() {
            return self.stop(v, k, turn, mu).filter(|_| equation.has_none_beside_reversal());
        }
        let (direction, is_unique) = equation.unique_by_multiplier::<false>();
        is_unique.then(|| self.slip(v, &Pull { normal, push, mu }, &direction))
    }

    /// The least step from `v` that ends with the normal velocity `target`, of a size between `least` and `most`. Half
    /// of it is explicit along a turn, if one is given; otherwise all of it is implicit.
    #[inline(never)]
    pub(super) fn least_root(
        &self,
        v: Velocity,
        turn: Option<&Turn>,
        target: f64,
        least: f64,
        most: f64,
    ) -> Option<Root> {
        let Pull { normal, push, mu } = self.pull(turn);
        let k = target - v.n;
        if k > most * (normal + mu * self.coupling) * (1.0 + EDGE) {
            // Not reached even with all friction pushing.
            return None;
        }
        let in_range = |root: &Root| root.size >= least * (1.0 - EDGE) && root.size <= most * (1.0 + EDGE);
        if mu == 0.0 || matches!(self.tangents, Tangents::None) {
            let size = k / normal;
            let v_t = add_scaled(v.t, size, push);
            let root = Root { size, friction: [0.0, 0.0], v_t, u: unit(v_t).unwrap_or_default() };
            return Some(root).filter(|root| root.size > 0.0 && in_range(root));
        }
        if let Some(root) = self.only_root(v, turn, k) {
            return Some(root).filter(in_range);
        }
        let sign = if k < 0.0 { -1.0 } else { 1.0 };
        let equation =
            DirectionEquation::closing(sign * normal, push, scaled(sign, self.w), self.w_tt, v.t, sign * k, mu);
        let slip = |direction: &Direction| self.slip(v, &Pull { normal, push, mu }, direction);
        let stop = if self.is_singular { self.stop_singular(v, push, target, mu) } else { self.stop(v, k, turn, mu) };
        let zeros: ArrayVec<Direction, 4> = match self.tangents {
            Tangents::None => ArrayVec::new(),
            Tangents::Line { along, .. } => [along, scaled(-1.0, along)].into_iter().map(|u| equation.at(u)).collect(),
            Tangents::Plane { .. } => {
                if !self.is_singular && k > 0.0 {
                    match &stop {
                        Some(stop) if equation.has_none_beside_reversal() => return Some(*stop).filter(in_range),
                        Some(_) => {}
                        None => {
                            if let Some(direction) = equation.unique() {
                                return Some(slip(&direction)).filter(in_range);
                            }
                        }
                    }
                }
                equation.all()
            }
        };
        // With a singular matrix, directions with a zero denominator also solve the equation.
        let no_denominator = if self.is_singular { FEASIBILITY * (self.w_nn + self.mu * self.coupling) } else { 0.0 };
        zeros
            .iter()
            .filter(|zero| zero.is_slip() && zero.denominator > no_denominator)
            .map(slip)
            .chain(stop)
            .filter(in_range)
            .min_by(|a, b| a.size.total_cmp(&b.size))
    }

    /// The step that ends with slip along a direction.
    #[inline(always)]
    fn slip(&self, v: Velocity, pull: &Pull, direction: &Direction) -> Root {
        let size = direction.k / direction.denominator;
        let friction = scaled(-pull.mu * size, direction.u);
        // Equal to λ u / D, which loses more digits if the step is short.
        let v_t = add_scaled(add_scaled(v.t, size, pull.push), 1.0, self.w_tt.times(friction));
        Root { size, friction, v_t, u: direction.u }
    }

    /// The step that ends at rest: the impulse with `W i = (k, -x_t)`.
    #[inline]
    fn stop(&self, v: Velocity, k: f64, turn: Option<&Turn>, mu: f64) -> Option<Root> {
        let d = self.delassus;
        let free = add_scaled(v.t, k * d.inv_w_nn, d.w);
        let solved = if self.by_rows { d.solve_by_rows(free) } else { d.pseudo_solve(free) };
        let i_t = scaled(-1.0, solved);
        let size = d.normal_impulse(k, i_t) / self.unit;
        let friction = match turn {
            None => i_t,
            Some(turn) => add_scaled(i_t, mu * size, turn.u),
        };
        let is_within = size > 0.0 && norm(friction) <= mu * size * (1.0 + EDGE);
        is_within.then_some(Root { size, friction, v_t: [0.0, 0.0], u: [0.0, 0.0] })
    }

    /// With a singular matrix, a contact at rest along the tangents is at rest altogether, from the first size at which
    /// friction can stop it: `|W_tt⁺ (x_t + s c)| = m s`.
    #[cold]
    fn stop_singular(&self, v: Velocity, push: Vec2, target: f64, mu: f64) -> Option<Root> {
        if target != 0.0 {
            return None;
        }
        let (at_first, by_size) = (self.tangents.stopping(v.t), self.tangents.stopping(push));
        // |at_first + s by_size|² = (m s)², over |at_first|². Its discriminant m² - (u × by_size)² does not cancel if
        // at_first is along by_size.
        let length = norm(at_first);
        let u = unit(at_first)?;
        let (along, across) = (dot(u, by_size), cross(u, by_size).abs());
        let root = larger((mu - across) * (mu + across), 0.0).sqrt();
        let sizes = [length / (root - along), length / (-root - along)];
        let size = sizes.into_iter().filter(|s| *s > 0.0 && s.is_finite()).min_by(f64::total_cmp)?;
        let friction = add_scaled(at_first, size, by_size);
        let outside = larger(norm(friction) / (mu * size), 1.0);
        if outside > 1.0 + FEASIBILITY {
            // The disk never reaches the friction that would stop it.
            return None;
        }
        // Put back onto the disk after rounding.
        Some(Root { size, friction: friction.map(|x| x / outside), v_t: [0.0, 0.0], u: [0.0, 0.0] })
    }
}
