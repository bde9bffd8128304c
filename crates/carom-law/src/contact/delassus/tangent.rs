//! The tangential inertia with the normal motion prescribed, `S = W_tt - w wᵀ / W_nn`.
//!
//! The paper works with `G = W⁻¹`, which need not exist: a one-joint arm, or a planar chain seen
//! as a spatial one, has a singular `W`. With the restitution \[9\] fixing the normal motion, the
//! tangential problem is `S i_t = b` for stick and for reversal alike; it has answers whenever the
//! part of `b` in the null space of `S` vanishes.
//!
//! A rare case that is worked out in a function of its own hands its result over field by field
//! (`rebuilt`): returned whole, the result would live in memory on the common path too, and its copies
//! would cost that path a third of its time.

use crate::contact::delassus::{Delassus, Dimension};
use crate::numeric::plane::{Sym2, Vec2, add_scaled, dot, norm, scaled};
use crate::numeric::tolerance::{FEASIBILITY, TANGENT_RANK};

/// `S⁻¹ = diag(q) + m mᵀ / d₂`: what elimination gives that starts with the larger diagonal entry.
/// `q` holds that entry's inverse and a zero.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tangent {
    q: Vec2,
    m: Vec2,
    inv_d2: f64,
    rank: Rank,
}

/// How many of the contact's tangents `S` can move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
enum Rank {
    /// All of them.
    Full,
    /// One of two; [`Line`] tells which.
    One,
    /// None: `S = 0`, or a contact without tangents.
    Zero,
    /// `S` has an eigenvalue that is negative beyond rounding.
    Indefinite,
}

/// A spatial `S = eigenvalue · range rangeᵀ` of rank one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    inv_eigenvalue: f64,
    pub(crate) range: Vec2,
    /// Unit null vector of `S`, turned so that `c >= 0`.
    pub(crate) null: Vec2,
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

impl Tangent {
    /// No tangent that could move.
    pub(crate) const ZERO: Self = Self { q: [0.0; 2], m: [0.0; 2], inv_d2: 0.0, rank: Rank::Zero };

    /// Factors the `S` of a spatial contact.
    #[inline(always)]
    pub(crate) fn spatial(s: Sym2, trace_w_tt: f64) -> Self {
        let swapped = s.yy > s.xx;
        let (d1, other) = if swapped { (s.yy, s.xx) } else { (s.xx, s.yy) };
        let determinant = d1 * other - s.xy * s.xy;
        let (rank, determinant) = if is_full(d1, other, determinant, trace_w_tt) {
            (Rank::Full, determinant)
        } else {
            rank_and_determinant(s, trace_w_tt)
        };
        Self::eliminated(swapped, d1, s.xy, determinant, rank)
    }

    #[inline(always)]
    fn eliminated(swapped: bool, d1: f64, xy: f64, determinant: f64, rank: Rank) -> Self {
        let inv_d1 = 1.0 / d1;
        let l = xy * inv_d1;
        let (q, m) = if swapped { ([0.0, inv_d1], [1.0, -l]) } else { ([inv_d1, 0.0], [-l, 1.0]) };
        Self { q, m, inv_d2: d1 / determinant, rank }
    }

    /// [`Tangent::spatial`] without a branch, for matrices of full rank, and whether this is one.
    #[inline(always)]
    pub(crate) fn spatial_branchless(s: Sym2, trace_w_tt: f64) -> (Self, bool) {
        let swapped = s.yy > s.xx;
        let d1 = if swapped { s.yy } else { s.xx };
        let other = if swapped { s.xx } else { s.yy };
        let determinant = d1 * other - s.xy * s.xy;
        let is_full = is_full(d1, other, determinant, trace_w_tt);
        (Self::eliminated(swapped, d1, s.xy, determinant, Rank::Full), is_full)
    }

    /// The numbers of a regular one, for arrays.
    #[inline(always)]
    pub(crate) fn packed(&self) -> [f64; 5] {
        [self.q[0], self.q[1], self.m[0], self.m[1], self.inv_d2]
    }

    #[inline(always)]
    pub(crate) fn unpacked([q1, q2, m1, m2, inv_d2]: [f64; 5]) -> Self {
        Self { q: [q1, q2], m: [m1, m2], inv_d2, rank: Rank::Full }
    }

    /// The `S = R_tᵀ R_t` of a contact whose factor is known: `det S = (r11 r22)²` without the difference that
    /// [`Tangent::spatial`] has to form. `zero` is the eigenvalue that counts as none.
    pub(crate) fn from_factor(dimension: Dimension, [r11, r12, r22]: [f64; 3], zero: f64) -> Self {
        match dimension {
            Dimension::Normal => Self::ZERO,
            Dimension::Planar => {
                let s = r11 * r11;
                let rank = if s <= zero { Rank::Zero } else { Rank::Full };
                Self { q: [1.0 / s, 0.0], m: [0.0; 2], inv_d2: 0.0, rank }
            }
            Dimension::Spatial => {
                let s = Sym2 { xx: r11 * r11, xy: r11 * r12, yy: r12 * r12 + r22 * r22 };
                let (large, diagonal) = (s.eigen().1, r11 * r22);
                let rank = if large <= zero {
                    Rank::Zero
                } else if diagonal * diagonal <= zero * large {
                    Rank::One
                } else {
                    Rank::Full
                };
                let swapped = s.yy > s.xx;
                Self::eliminated(swapped, if swapped { s.yy } else { s.xx }, s.xy, diagonal * diagonal, rank)
            }
        }
    }

    /// The planar contact's scalar `s`.
    #[inline(always)]
    pub(crate) fn planar(s: f64, w_tt: f64) -> Self {
        let zero = TANGENT_RANK * w_tt;
        let rank = if !(s >= -zero) {
            Rank::Indefinite
        } else if s <= zero {
            Rank::Zero
        } else {
            Rank::Full
        };
        Self { q: [1.0 / s, 0.0], m: [0.0; 2], inv_d2: 0.0, rank }
    }

    #[inline(always)]
    pub(crate) fn is_regular(&self) -> bool {
        self.rank == Rank::Full
    }

    /// Whether `S` moves one of two tangents.
    pub(crate) fn is_line(&self) -> bool {
        self.rank == Rank::One
    }

    #[inline(always)]
    pub(crate) fn is_indefinite(&self) -> bool {
        self.rank == Rank::Indefinite
    }

    #[inline(always)]
    pub(crate) fn solve(&self, b: Vec2) -> Vec2 {
        let x2 = dot(self.m, b) * self.inv_d2;
        [self.q[0] * b[0] + self.m[0] * x2, self.q[1] * b[1] + self.m[1] * x2]
    }
}

/// Whether both eigenvalues are clearly positive: `det S / tr S` is a lower bound of the smaller one.
/// Without the first condition a matrix of rounding noise, with a negative trace, would pass.
#[inline(always)]
fn is_full(d1: f64, other: f64, determinant: f64, trace_w_tt: f64) -> bool {
    let zero = TANGENT_RANK * trace_w_tt;
    (d1 > zero) & (determinant > zero * (d1 + other))
}

/// The rank by the eigenvalues, and their product.
#[cold]
fn rank_and_determinant(s: Sym2, trace_w_tt: f64) -> (Rank, f64) {
    let zero = TANGENT_RANK * trace_w_tt;
    let (small, large, _) = s.eigen();
    // NaN, of entries far beyond what the diagonal allows, is indefinite too.
    let rank = if !(small >= -zero) {
        Rank::Indefinite
    } else if large <= zero {
        Rank::Zero
    } else if small <= zero {
        Rank::One
    } else {
        Rank::Full
    };
    (rank, small * large)
}

impl Delassus {
    /// `S⁺ b`: the least-norm answer of the nearest feasible condition.
    #[inline(always)]
    pub(crate) fn pseudo_solve(&self, b: Vec2) -> Vec2 {
        if self.tangent.is_regular() { self.tangent.solve(b) } else { self.pseudo_solve_singular(b) }
    }

    #[cold]
    fn pseudo_solve_singular(&self, b: Vec2) -> Vec2 {
        if self.tangent.rank == Rank::One { self.line().solve(b) } else { [0.0, 0.0] }
    }

    /// Whether `S` is regular with each tangent in a unit of its own, in which its entry of `W_tt` is one. Where tangents differ by
    /// many powers of ten, the smaller one is rounding beside the larger and yet known to all its digits: what moves along it has an
    /// energy of its own.
    #[cold]
    pub(crate) fn is_regular_by_rows(&self) -> bool {
        let Sym2 { xx, yy, .. } = self.w_tt;
        self.dimension == Dimension::Spatial
            && xx > 0.0
            && yy > 0.0
            && self.complement_by_rows().eigen().0 > self.rank_tolerance * 2.0
    }

    /// `S` with each tangent in a unit of its own.
    fn complement_by_rows(&self) -> Sym2 {
        let [x, y] = [self.w_tt.xx.sqrt(), self.w_tt.yy.sqrt()];
        let Sym2 { xx, xy, yy } = self.s;
        Sym2 { xx: xx / x / x, xy: xy / x / y, yy: yy / y / y }
    }

    /// `S⁻¹ b` of an `S` that is regular by its rows.
    #[cold]
    pub(crate) fn solve_by_rows(&self, b: Vec2) -> Vec2 {
        let [x, y] = [self.w_tt.xx.sqrt(), self.w_tt.yy.sqrt()];
        let Sym2 { xx, xy, yy } = self.complement_by_rows();
        let (determinant, b) = (xx * yy - xy * xy, [b[0] / x, b[1] / y]);
        [(yy * b[0] - xy * b[1]) / determinant / x, (xx * b[1] - xy * b[0]) / determinant / y]
    }

    /// The part of `y` in the null space of `S`, as a length.
    #[cold]
    pub(crate) fn null_part(&self, y: Vec2) -> f64 {
        match self.tangent.rank {
            Rank::Full => 0.0,
            Rank::One => dot(self.line().null, y).abs(),
            Rank::Zero | Rank::Indefinite => norm(y),
        }
    }

    /// The same as a vector.
    #[cold]
    pub(crate) fn null_vector(&self, y: Vec2) -> Vec2 {
        match self.tangent.rank {
            Rank::Full => [0.0, 0.0],
            Rank::One => {
                let null = self.line().null;
                scaled(dot(null, y), null)
            }
            Rank::Zero | Rank::Indefinite => y,
        }
    }

    /// The impulse with `S i_t = b` and `W_nn i_n + w·i_t = push` that asks for the least friction or,
    /// where `S` leaves a choice, the one inside the cone of `mu` with the least `|i_t|`. `None` if no
    /// impulse satisfies the condition; `velocities` is the size of the velocities that `b` was made from.
    #[inline(always)]
    pub(crate) fn impulse(
        &self,
        b: Vec2,
        push: f64,
        velocities: impl FnOnce() -> f64,
        mu: f64,
    ) -> Option<LinearImpulse> {
        if self.tangent.is_regular() {
            let tangential = self.tangent.solve(b);
            let normal = self.normal_impulse(push, tangential);
            let critical = if normal > 0.0 { norm(tangential) / normal } else { f64::INFINITY };
            return Some(LinearImpulse { normal, tangential, critical });
        }
        let LinearImpulse { normal, tangential, critical } = self.impulse_singular(b, push, velocities(), mu)?;
        Some(LinearImpulse { normal, tangential, critical })
    }

    #[cold]
    fn impulse_singular(&self, b: Vec2, push: f64, velocities: f64, mu: f64) -> Option<LinearImpulse> {
        if self.null_part(b) > FEASIBILITY * velocities {
            return None;
        }
        if self.tangent.rank == Rank::One {
            let line = self.line();
            let shortest = line.solve(b);
            Some(line.impulse(shortest, self.normal_impulse(push, shortest), mu))
        } else {
            let tangential = [0.0, 0.0];
            Some(LinearImpulse { normal: self.normal_impulse(push, tangential), tangential, critical: 0.0 })
        }
    }

    #[inline(always)]
    pub(crate) fn normal_impulse(&self, push: f64, tangential: Vec2) -> f64 {
        (push - dot(self.w, tangential)) * self.inv_w_nn
    }

    pub(crate) fn line(&self) -> Line {
        let (_, large, range) = self.s.eigen();
        let mut null = [-range[1], range[0]];
        let mut c = -dot(self.w, null) * self.inv_w_nn;
        if c < 0.0 {
            null = scaled(-1.0, null);
            c = -c;
        }
        Line { inv_eigenvalue: 1.0 / large, range, null, c }
    }
}

impl Line {
    fn solve(&self, b: Vec2) -> Vec2 {
        scaled(dot(self.range, b) * self.inv_eigenvalue, self.range)
    }

    /// `i_t = shortest + α null`, `i_n = i_0 + c α`.
    pub(crate) fn impulse(&self, shortest: Vec2, i_0: f64, mu: f64) -> LinearImpulse {
        let r = norm(shortest);
        let c = self.c;
        // The least of |i_t| / i_n over α is at α = c r² / i_0; for i_0 <= 0 it falls to 1/c as
        // α grows without end.
        let critical = if i_0 > 0.0 { r / i_0.hypot(c * r) } else { 1.0 / c };
        // On the edge of the cone, r² + α² = μ² (i_0 + c α)²: with j = μ i_0 and k = μ c, the discriminant of that is
        // j² + (k² - 1) r², which loses no digits where μ is large.
        let (j, k) = (mu * i_0, mu * c);
        let rest = (r - j) * (r + j);
        let excess = (k - 1.0) * (k + 1.0);
        let root = if excess >= 0.0 { j.hypot(excess.sqrt() * r) } else { (j * j + excess * r * r).max(0.0).sqrt() };
        let alpha = if i_0 > 0.0 && r <= j {
            0.0
        } else if i_0 > 0.0 && mu >= critical {
            // The smaller root; it lies below the α of least ratio.
            let alpha = rest / (k * j + root);
            alpha.min(c * r * r / i_0)
        } else if i_0 <= 0.0 && mu > critical {
            // The larger root: α > -i_0 / c.
            (root - k * j) / excess
        } else if i_0 > 0.0 {
            c * r * r / i_0
        } else {
            0.0
        };
        let tangential = add_scaled(shortest, alpha, self.null);
        let is_on_edge = alpha > 0.0 && mu >= critical;
        LinearImpulse {
            // i_0 + c α, which on the edge of the cone is |i_t| / μ: at large μ the sum has lost the digits that keep it
            // inside.
            normal: if is_on_edge { norm(tangential) / mu } else { i_0 + c * alpha },
            tangential,
            critical: if critical.is_nan() { f64::INFINITY } else { critical },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_of_rounding_noise_has_rank_zero() {
        for (xx, xy, yy) in [(1e-17, 0.0, -3e-17), (-1e-17, 1e-18, -3e-17), (2e-17, 2e-17, 1e-17), (0.0, 0.0, 0.0)] {
            assert_eq!(Tangent::spatial(Sym2 { xx, xy, yy }, 1.0).rank, Rank::Zero);
            assert!(!Tangent::spatial_branchless(Sym2 { xx, xy, yy }, 1.0).1);
        }
    }

    #[test]
    fn ranks() {
        let rank = |xx, xy, yy| Tangent::spatial(Sym2 { xx, xy, yy }, 4.0).rank;
        assert_eq!(rank(2.0, 0.5, 1.0), Rank::Full);
        assert_eq!(rank(1.0, 1.0, 1.0), Rank::One);
        assert_eq!(rank(0.0, 0.0, 1.0), Rank::One);
        assert_eq!(rank(1.0, 0.0, 1e-12), Rank::Full);
        assert_eq!(rank(1.0, 0.0, -1e-12), Rank::Indefinite);
        assert_eq!(rank(1.0, 2.0, 1.0), Rank::Indefinite);
        assert_eq!(rank(-1.0, 0.0, -2.0), Rank::Indefinite);
        assert_eq!(rank(f64::NAN, 0.0, 1.0), Rank::Indefinite);
        assert_eq!(rank(f64::NEG_INFINITY, f64::NAN, f64::NEG_INFINITY), Rank::Indefinite);
    }
}
