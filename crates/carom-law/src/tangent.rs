//! The tangential inertia with the normal motion prescribed, `S = W_tt - w wᵀ / W_nn`.
//!
//! The paper works with `G = W⁻¹`, which need not exist: a one-joint arm, or a planar chain seen
//! as a spatial one, has a singular `W`. With the restitution [9] fixing the normal motion, the
//! tangential problem is `S i_t = b` for stick and for reversal alike; it has answers whenever the
//! part of `b` in the null space of `S` vanishes.

use crate::plane::{Sym2, Vec2, add_scaled, dot, norm, scaled};

/// An eigenvalue of `S` at most this fraction of `tr W_tt` is zero. Rounding in `S` leaves 5e-16
/// of `tr W_tt`; matrices that come out of a factorisation of M leave a few tens of that.
pub(crate) const RANK_TOLERANCE: f64 = 1e-13;

/// `S i_t = b` has an answer if the null part of `b` is at most this fraction of the velocities
/// that `b` was made from.
const FEASIBILITY_TOLERANCE: f64 = 1e-9;

/// `S`, factored.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Tangent {
    /// Nonsingular.
    Regular(Factor),
    /// A spatial contact with `S` of rank one.
    Line(Line),
    /// `S = 0`, or a contact without tangents.
    Point,
}

/// `S = P L D Lᵀ Pᵀ` with the larger diagonal entry as first pivot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Factor {
    swapped: bool,
    l: f64,
    inv_d1: f64,
    inv_d2: f64,
}

/// `S = eigenvalue · range rangeᵀ`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    inv_eigenvalue: f64,
    range: Vec2,
    /// Unit null vector of `S`, turned so that `c >= 0`.
    null: Vec2,
    /// `c = -w·null / W_nn`: the normal impulse that comes with a unit of `i_t` along `null`.
    c: f64,
}

/// The impulse of a linear condition `S i_t = b` on the tangential velocity.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LinearImpulse {
    pub(crate) normal: f64,
    pub(crate) tangential: Vec2,
    /// The least friction coefficient with the impulse in its cone; infinite if there is none.
    pub(crate) critical: f64,
}

/// The normal equation `W_nn i_n + w·i_t = push`, `push = -(1+e) v_n-`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NormalRow {
    pub(crate) inv_w_nn: f64,
    pub(crate) w: Vec2,
    pub(crate) push: f64,
}

impl NormalRow {
    #[inline]
    fn normal_impulse(&self, tangential: Vec2) -> f64 {
        (self.push - dot(self.w, tangential)) * self.inv_w_nn
    }
}

impl Tangent {
    /// Factors `S`; `Err(lambda)` if its smaller eigenvalue `lambda` is negative beyond rounding.
    #[inline]
    pub(crate) fn spatial(s: Sym2, trace_w_tt: f64, w: Vec2, inv_w_nn: f64) -> Result<Self, f64> {
        let zero = RANK_TOLERANCE * trace_w_tt;
        let swapped = s.yy > s.xx;
        let (d1, other) = if swapped { (s.yy, s.xx) } else { (s.xx, s.yy) };
        let inv_d1 = 1.0 / d1;
        let l = s.xy * inv_d1;
        let d2 = other - l * s.xy;
        // d1 d2 / tr S is a lower bound of the smaller eigenvalue: most contacts end here.
        if d1 * d2 > zero * (d1 + other) {
            return Ok(Tangent::Regular(Factor { swapped, l, inv_d1, inv_d2: 1.0 / d2 }));
        }
        Self::spatial_singular(s, zero, w, inv_w_nn)
    }

    #[cold]
    fn spatial_singular(s: Sym2, zero: f64, w: Vec2, inv_w_nn: f64) -> Result<Self, f64> {
        let (small, large, range) = s.eigen();
        if small < -zero {
            return Err(small);
        }
        if large <= zero {
            return Ok(Tangent::Point);
        }
        if small > zero {
            let swapped = s.yy > s.xx;
            let d1 = if swapped { s.yy } else { s.xx };
            let l = s.xy / d1;
            return Ok(Tangent::Regular(Factor { swapped, l, inv_d1: 1.0 / d1, inv_d2: d1 / (small * large) }));
        }
        let mut null = [-range[1], range[0]];
        let mut c = -dot(w, null) * inv_w_nn;
        if c < 0.0 {
            null = scaled(-1.0, null);
            c = -c;
        }
        Ok(Tangent::Line(Line { inv_eigenvalue: 1.0 / large, range, null, c }))
    }

    /// The planar contact's scalar `s`.
    #[inline]
    pub(crate) fn planar(s: f64, w_tt: f64) -> Result<Self, f64> {
        let zero = RANK_TOLERANCE * w_tt;
        if s < -zero {
            Err(s)
        } else if s <= zero {
            Ok(Tangent::Point)
        } else {
            Ok(Tangent::Regular(Factor { swapped: false, l: 0.0, inv_d1: 1.0 / s, inv_d2: 0.0 }))
        }
    }

    /// `S⁺ b`: the least-norm answer of the nearest feasible condition.
    #[inline]
    pub(crate) fn pseudo_solve(&self, b: Vec2) -> Vec2 {
        match self {
            Tangent::Regular(factor) => factor.solve(b),
            Tangent::Line(line) => scaled(dot(line.range, b) * line.inv_eigenvalue, line.range),
            Tangent::Point => [0.0, 0.0],
        }
    }

    /// The part of `y` in the null space of `S`, as a length.
    #[inline]
    pub(crate) fn null_part(&self, y: Vec2) -> f64 {
        match self {
            Tangent::Regular(_) => 0.0,
            Tangent::Line(line) => dot(line.null, y).abs(),
            Tangent::Point => norm(y),
        }
    }

    #[inline]
    pub(crate) fn is_regular(&self) -> bool {
        matches!(self, Tangent::Regular(_))
    }

    /// The impulse with `S i_t = b` that asks for the least friction, or, where `S` leaves a choice,
    /// the one inside the cone of `mu` with the least `|i_t|`. `None` if no impulse satisfies the
    /// condition; `velocities` is the size of the velocities that `b` was made from.
    #[inline]
    pub(crate) fn impulse(
        &self,
        b: Vec2,
        velocities: impl FnOnce() -> f64,
        row: NormalRow,
        mu: f64,
    ) -> Option<LinearImpulse> {
        match self {
            Tangent::Regular(factor) => {
                let tangential = factor.solve(b);
                let normal = row.normal_impulse(tangential);
                let critical = if normal > 0.0 { norm(tangential) / normal } else { f64::INFINITY };
                Some(LinearImpulse { normal, tangential, critical })
            }
            Tangent::Line(line) => {
                let feasible = dot(line.null, b).abs() <= FEASIBILITY_TOLERANCE * velocities();
                feasible.then(|| line.impulse(b, row, mu))
            }
            Tangent::Point => {
                let feasible = norm(b) <= FEASIBILITY_TOLERANCE * velocities();
                feasible.then(|| LinearImpulse {
                    normal: row.normal_impulse([0.0, 0.0]),
                    tangential: [0.0, 0.0],
                    critical: 0.0,
                })
            }
        }
    }
}

impl Factor {
    #[inline]
    fn solve(&self, b: Vec2) -> Vec2 {
        let (b1, b2) = if self.swapped { (b[1], b[0]) } else { (b[0], b[1]) };
        let x2 = (b2 - self.l * b1) * self.inv_d2;
        let x1 = b1 * self.inv_d1 - self.l * x2;
        if self.swapped { [x2, x1] } else { [x1, x2] }
    }
}

impl Line {
    /// `i_t = S⁺ b + α null`, `i_n = i_0 + c α`.
    #[cold]
    fn impulse(&self, b: Vec2, row: NormalRow, mu: f64) -> LinearImpulse {
        let shortest = scaled(dot(self.range, b) * self.inv_eigenvalue, self.range);
        let r = norm(shortest);
        let i_0 = row.normal_impulse(shortest);
        let c = self.c;
        // The least of |i_t| / i_n over α is at α = c r² / i_0; for i_0 <= 0 it falls to 1/c as
        // α grows without end.
        let critical = if i_0 > 0.0 { r / i_0.hypot(c * r) } else { 1.0 / c };
        let alpha = if i_0 > 0.0 && r <= mu * i_0 {
            0.0
        } else if i_0 > 0.0 && mu >= critical {
            // r² + α² = μ² (i_0 + c α)², the smaller root; it lies below the α of least ratio.
            let half = mu * mu * c * i_0;
            let rest = (r - mu * i_0) * (r + mu * i_0);
            let lead = (1.0 - mu * c) * (1.0 + mu * c);
            let alpha = rest / (half + (half * half - lead * rest).max(0.0).sqrt());
            alpha.min(c * r * r / i_0)
        } else if i_0 <= 0.0 && mu > critical {
            // (μ²c² - 1) α² + 2 μ² c i_0 α - (r² - μ² i_0²) = 0, the larger root: α > -i_0 / c.
            let excess = (mu * c - 1.0) * (mu * c + 1.0);
            let half = mu * mu * c * -i_0;
            let rest = (r - mu * i_0) * (r + mu * i_0);
            (half + (half * half + excess * rest).max(0.0).sqrt()) / excess
        } else if i_0 > 0.0 {
            c * r * r / i_0
        } else {
            0.0
        };
        LinearImpulse {
            normal: i_0 + c * alpha,
            tangential: add_scaled(shortest, alpha, self.null),
            critical: if critical.is_nan() { f64::INFINITY } else { critical },
        }
    }
}
