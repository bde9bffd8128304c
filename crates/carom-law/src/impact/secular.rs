//! The direction of slip by its multiplier: `(N + λ) u = a`, `|u| = 1`, `λ > 0`.
//!
//! With `q = λ² + λ tr N + det N` and `p = λ a + adj(N) a` the direction is `u = p/q`, and `λ` is a root of the quartic
//! `P(λ) = q² - |p|²`. Householder's method of order four needs one division per step and no square root; starting from
//! Rayleigh's quotient, two steps nearly always suffice. [`super::direction`] iterates on the angle instead, which
//! loses no digits if `N + λ` is ill-conditioned; such equations are left to it.

use crate::numeric::plane::{Sym2, Vec2, add_scaled, dot, is_accurate, scaled};
use crate::numeric::scaling::larger;

/// A last step of at most this fraction of the distance to the zero of `q` leaves an error of a few times its fourth
/// power, at most 1e-14.
const SHORT: f64 = 2e-4;

/// Largest ratio of `(λ + |N|)²` to `q`, about the condition number of `N + λ`: the error of `u` in units of rounding.
const CONDITION: f64 = 256.0;

/// Ratio of the square of the trace to a determinant, about a condition number (2^24), above which a matrix does not
/// count as plain.
const SINGULAR: f64 = 16_777_216.0;

/// Largest `||u|² - 1|` of a root: its rounding is below `CONDITION` times a few ε.
const LENGTH: f64 = 1e-12;

/// Whether `W_tt` and `S` are far from singular, so that a slip due to rounding is negligible.
#[inline(always)]
pub(crate) fn is_plain(w_tt: &Sym2, s: &Sym2) -> bool {
    let determinant = |m: &Sym2| m.xx * m.yy - m.xy * m.xy;
    let trace = w_tt.trace();
    (trace * trace <= SINGULAR * determinant(w_tt)) & (trace * trace <= SINGULAR * determinant(s))
}

/// `(a, N)`
#[derive(Clone, Copy)]
pub(crate) struct Secular {
    a: Vec2,
    /// `adj(N) a`
    adjugate: Vec2,
    trace: f64,
    determinant: f64,
    a2: f64,
    /// A norm of `N`.
    size: f64,
}

/// A candidate for a root, and whether it is one.
pub(crate) struct Multiplier {
    pub(crate) u: Vec2,
    pub(crate) lambda: f64,
    pub(crate) is_root: bool,
}

impl Secular {
    #[inline(always)]
    pub(crate) fn new(a: Vec2, n: &[Vec2; 2]) -> Self {
        Self {
            a,
            adjugate: [n[1][1] * a[0] - n[0][1] * a[1], n[0][0] * a[1] - n[1][0] * a[0]],
            trace: n[0][0] + n[1][1],
            determinant: n[0][0] * n[1][1] - n[0][1] * n[1][0],
            a2: dot(a, a),
            size: n[0][0].abs() + n[1][1].abs() + (n[0][1].abs() + n[1][0].abs()),
        }
    }

    /// The equation of a disk, `N = r W_tt`.
    #[inline(always)]
    pub(crate) fn of_disk(a: Vec2, w_tt: &Sym2, radius: f64) -> Self {
        let Sym2 { xx, xy, yy } = Sym2 { xx: radius * w_tt.xx, xy: radius * w_tt.xy, yy: radius * w_tt.yy };
        Self::new(a, &[[xx, xy], [xy, yy]])
    }

    /// Whether a positive definite `N` is well enough conditioned for [`Secular::stops`] and [`Secular::root`].
    #[inline(always)]
    pub(crate) fn is_well_conditioned(&self) -> bool {
        let square = self.determinant * self.determinant;
        (self.size * self.size <= CONDITION * self.determinant) & is_accurate(square)
    }

    /// `P(0) >= 0`: for a positive definite `N`, whether `|N⁻¹ a| <= 1`, so that there is no root.
    #[inline(always)]
    pub(crate) fn stops(&self) -> bool {
        dot(self.adjugate, self.adjugate) <= self.determinant * self.determinant
    }

    /// `N⁻¹ a`
    #[inline(always)]
    pub(crate) fn at_rest(&self) -> Vec2 {
        scaled(1.0 / self.determinant, self.adjugate)
    }

    /// Rayleigh's quotient along `a`.
    #[inline(always)]
    pub(crate) fn guess(&self) -> f64 {
        // a·N a = tr(N) a² - a·adj(N) a
        larger(self.a2.sqrt() - (self.trace - dot(self.a, self.adjugate) / self.a2), 0.0)
    }

    /// Rayleigh's quotient along a unit vector near `u`, which needs no square root, if that is good enough. With
    /// `STRAIGHT` there are no branches; the results are equal.
    #[inline(always)]
    pub(crate) fn guess_near<const STRAIGHT: bool>(&self, u: Vec2, n_u: Vec2) -> f64 {
        let near = dot(u, self.a) - dot(u, n_u);
        let is_good = near >= self.size;
        if STRAIGHT {
            let other = self.guess();
            if is_good { near } else { other }
        } else if is_good {
            near
        } else {
            self.guess()
        }
    }

    /// The root reached from a guess. With `STRAIGHT` the steps have no branches; the results are equal.
    #[inline(always)]
    pub(crate) fn root<const STRAIGHT: bool>(&self, guess: f64) -> Multiplier {
        let lambda = guess + self.step(guess);
        let step = self.step(lambda);
        let mut lambda = lambda + step;
        let mut is_short = self.is_short(step, lambda);
        if STRAIGHT | !is_short {
            let step = self.step(lambda);
            lambda = if is_short { lambda } else { lambda + step };
            is_short |= self.is_short(step, lambda);
        }
        let q = self.q(lambda);
        let u = scaled(1.0 / q, self.p(lambda));
        let excess = dot(u, u) - 1.0;
        let reach = lambda + self.size;
        let is_sound = (reach * reach <= CONDITION * q.abs()) & (excess.abs() <= LENGTH);
        Multiplier { u: scaled(1.0 - 0.5 * excess, u), lambda, is_root: is_short & is_sound & (lambda > 0.0) }
    }

    #[inline(always)]
    fn q(&self, lambda: f64) -> f64 {
        (lambda + self.trace) * lambda + self.determinant
    }

    #[inline(always)]
    fn p(&self, lambda: f64) -> Vec2 {
        add_scaled(self.adjugate, lambda, self.a)
    }

    /// Householder's step of order four: with the coefficients of the Taylor series `f + 2 g h + b h² + 2 c h³`,
    /// `h = -f (4g² - f b) / (8g³ - 4 f g b + 2 f² c)`.
    #[inline(always)]
    fn step(&self, lambda: f64) -> f64 {
        let (p, q, c) = (self.p(lambda), self.q(lambda), 2.0 * lambda + self.trace);
        let f = q * q - dot(p, p);
        let g = q * c - dot(p, self.a);
        let b = c * c + (2.0 * q - self.a2);
        let (square, fb) = (4.0 * (g * g), f * b);
        let below = g * (square - 2.0 * fb) + (f * f) * c;
        -f * (square - fb) / (2.0 * below)
    }

    #[inline(always)]
    fn is_short(&self, step: f64, lambda: f64) -> bool {
        step.abs() * (lambda + self.size) <= SHORT * self.q(lambda).abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::plane::norm;

    /// Every reported root solves the equation, with branches and without, and for nearly all equations a root is
    /// found.
    #[test]
    fn roots_solve_the_equation_whatever_the_guess() {
        let mut rng = fastrand::Rng::with_seed(13);
        let mut uniform = || 2.0 * rng.f64() - 1.0;
        let (mut found, mut sought) = (0, 0);
        for _ in 0..20_000 {
            let m = [[uniform(), uniform()], [uniform(), uniform()]];
            let w_tt = Sym2 { xx: dot(m[0], m[0]) + 0.1, xy: dot(m[0], m[1]), yy: dot(m[1], m[1]) + 0.1 };
            let (b, radius) = ([uniform(), uniform()], uniform().abs());
            let secular = Secular::of_disk(b, &w_tt, radius);
            let n_times = |u: Vec2| scaled(radius, w_tt.times(u));
            if secular.stops() {
                assert!(norm(secular.at_rest()) <= 1.0 + 1e-12);
                assert!(norm(add_scaled(n_times(secular.at_rest()), -1.0, b)) < 1e-13, "{w_tt:?} {b:?} {radius}");
                continue;
            }
            sought += 1;
            let near = [uniform(), uniform()];
            let near = scaled(1.0 / norm(near), near);
            let guesses =
                [secular.guess_near::<false>(near, n_times(near)), secular.guess_near::<true>(near, n_times(near))];
            assert_eq!(guesses[0], guesses[1]);
            for guess in [secular.guess(), guesses[0]] {
                let [root, straight] = [secular.root::<false>(guess), secular.root::<true>(guess)];
                assert_eq!(root.is_root, straight.is_root);
                if root.is_root {
                    assert_eq!((root.u, root.lambda), (straight.u, straight.lambda));
                    let left = add_scaled(add_scaled(b, -1.0, n_times(root.u)), -root.lambda, root.u);
                    assert!(norm(left) < 1e-13, "{w_tt:?} {b:?} {radius}: {left:?}");
                    assert!((norm(root.u) - 1.0).abs() < 1e-15);
                    found += 1;
                }
            }
        }
        println!("{found} of {} found", 2 * sought);
        assert!(found > sought, "{found} of {}", 2 * sought);
    }
}
