//! The implicit step: the friction of least energy on a disk.
//!
//! A step of size `h` from the velocity `x` has the friction `y` that makes `b·y + y·W_tt y/2` least on the disk
//! `|y| <= r`, with `b = x_t + h w` and `r = μ h`: a trust region in the tangent plane. Either the contact stops,
//! `y = -W_tt⁻¹ b`, or it slips at the end along `u` with friction against it, `y = -r u` and `b + W_tt y = λ u`.
//! Nothing here needs an inverse of `W`.

use super::{Tangents, Turn};
use crate::impact::direction;
use crate::impact::secular::Secular;
use crate::numeric::plane::{Sym2, Vec2, add_scaled, dot, norm, scaled};
use crate::numeric::scaling::larger;

/// Newton's steps on the multiplier; three nearly always suffice, and the iteration is monotone.
const MOST_STEPS: usize = 60;

/// Once `|u|` is within this of one, a last step squares the error below rounding.
const NEARLY_THERE: f64 = 1e-8;

/// `L D Lᵀ` of a positive definite matrix: the error of a solution is the rounding of its own terms, while that of
/// Cramer's rule grows with the condition number.
#[derive(Debug, Clone, Copy)]
struct Factor {
    inv_d1: f64,
    l: f64,
    inv_d2: f64,
}

impl Factor {
    #[inline(always)]
    fn new(m: &Sym2) -> Self {
        let inv_d1 = 1.0 / m.xx;
        let l = m.xy * inv_d1;
        Self { inv_d1, l, inv_d2: 1.0 / (m.yy - l * m.xy) }
    }

    #[inline(always)]
    fn solve(&self, b: Vec2) -> Vec2 {
        let y = (b[1] - self.l * b[0]) * self.inv_d2;
        [b[0] * self.inv_d1 - self.l * y, y]
    }
}

/// Friction, the remaining tangential velocity and its direction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Braked {
    pub(super) friction: Vec2,
    pub(super) v_t: Vec2,
    pub(super) u: Vec2,
}

impl Braked {
    #[inline(always)]
    fn at_rest(friction: Vec2) -> Self {
        Self { friction, v_t: [0.0, 0.0], u: [0.0, 0.0] }
    }

    #[inline(always)]
    fn slipping(radius: f64, u: Vec2, speed: f64) -> Self {
        Self { friction: scaled(-radius, u), v_t: scaled(speed, u), u }
    }
}

impl Tangents {
    /// The friction that brings `b` to rest.
    #[inline(always)]
    pub(super) fn stopping(&self, b: Vec2) -> Vec2 {
        match *self {
            Tangents::None => [0.0, 0.0],
            Tangents::Line { along, mobility } => scaled(-dot(along, b) / mobility, along),
            Tangents::Plane { ref w_tt } => scaled(-1.0, Factor::new(w_tt).solve(b)),
        }
    }

    /// The friction of least energy on the disk. `near` is a guess of the direction of slip at its end.
    #[inline(always)]
    pub(super) fn brake(&self, b: Vec2, radius: f64, near: Option<&Turn>) -> Braked {
        if let Tangents::Plane { w_tt } = self {
            let secular = Secular::of_disk(b, w_tt, radius);
            if secular.is_well_conditioned() {
                if secular.stops() {
                    return Braked::at_rest(scaled(-radius, secular.at_rest()));
                }
                let guess = match near {
                    Some(turn) => secular.guess_near::<false>(turn.u, scaled(radius, turn.w_u)),
                    None => secular.guess(),
                };
                let root = secular.root::<false>(guess);
                if root.is_root {
                    return Braked::slipping(radius, root.u, root.lambda);
                }
            }
        }
        self.brake_anyhow(b, radius)
    }

    /// The friction of least energy on the disk, for any tangents and magnitudes.
    #[cold]
    fn brake_anyhow(&self, b: Vec2, radius: f64) -> Braked {
        let friction = self.stopping(b);
        match *self {
            Tangents::None => {
                let speed = norm(b);
                let u = if speed > 0.0 { [b[0] / speed, b[1] / speed] } else { [0.0, 0.0] };
                Braked { friction, v_t: b, u }
            }
            _ if norm(friction) <= radius => Braked::at_rest(friction),
            Tangents::Line { along, mobility } => {
                let component = dot(along, b);
                let u = scaled(component.signum(), along);
                Braked::slipping(radius, u, larger(component.abs() - radius * mobility, 0.0))
            }
            Tangents::Plane { w_tt } => {
                let on_disk = Sym2 { xx: radius * w_tt.xx, xy: radius * w_tt.xy, yy: radius * w_tt.yy };
                match direction::on_disk(b, on_disk) {
                    Some((u, lambda)) => Braked::slipping(radius, u, lambda),
                    None => secular(&w_tt, b, radius),
                }
            }
        }
    }
}

/// A slip with numbers too far from order one, or a matrix too near to singular, for [`Secular`]: `(A + κ) u = b/|b|`,
/// `|u| = 1`, with `A = r W_tt/|b|`: all of order one. `1/|u(κ)|` is concave, so that Newton's method rises
/// monotonically from below. It starts where the Rayleigh quotient of `b` puts the root, which is below it since
/// `1/(l + κ)²` is convex in `l`.
#[cold]
fn secular(w_tt: &Sym2, b: Vec2, radius: f64) -> Braked {
    let length = norm(b);
    let share = radius / length;
    let along = [b[0] / length, b[1] / length];
    let Sym2 { xx, xy, yy } = *w_tt;
    let (xx, xy, yy) = (share * xx, share * xy, share * yy);
    let a_b = [xx * along[0] + xy * along[1], xy * along[0] + yy * along[1]];
    let mut kappa = larger(1.0 - dot(along, a_b), 0.0);
    let mut u = along;
    for _ in 0..MOST_STEPS {
        let factor = Factor::new(&Sym2 { xx: xx + kappa, xy, yy: yy + kappa });
        let found = factor.solve(along);
        let size = norm(found);
        if !size.is_finite() {
            // A + κ is singular to rounding: κ = 0, the contact hardly slips.
            break;
        }
        u = [found[0] / size, found[1] / size];
        let slope = factor.solve(u);
        let step = (size - 1.0) / dot(u, slope);
        kappa = larger(kappa + step, 0.0);
        if (size - 1.0).abs() <= NEARLY_THERE {
            u = add_scaled(u, -step, slope);
            break;
        }
    }
    let size = norm(u);
    let u = [u[0] / size, u[1] / size];
    Braked::slipping(radius, u, kappa * length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::plane::cross;

    /// Compared with a grid over the disk: no point of it has less energy, and the remaining velocity is that of the
    /// friction.
    #[test]
    fn no_friction_on_the_disk_has_less_energy() {
        let mut rng = fastrand::Rng::with_seed(3);
        let mut uniform = || 2.0 * rng.f64() - 1.0;
        let (mut stops, mut slips) = (0, 0);
        for _ in 0..300 {
            let m = [[uniform(), uniform()], [uniform(), uniform()]];
            let w_tt = Sym2 { xx: dot(m[0], m[0]), xy: dot(m[0], m[1]), yy: dot(m[1], m[1]) };
            let (b, radius) = ([uniform(), uniform()], 2.0 * uniform().abs());
            let Braked { friction, v_t, .. } = Tangents::Plane { w_tt }.brake(b, radius, None);
            let left = add_scaled(b, 1.0, w_tt.times(friction));
            assert!(norm(add_scaled(left, -1.0, v_t)) < 1e-13 * (1.0 + norm(friction)), "{w_tt:?} {b:?} {radius}");
            assert!(norm(friction) <= radius * (1.0 + 1e-15));
            let energy = |y: Vec2| dot(b, y) + 0.5 * dot(y, w_tt.times(y));
            let least = energy(friction);
            for k in 0..200 {
                let (s, c) = (std::f64::consts::TAU * f64::from(k) / 200.0).sin_cos();
                for share in [0.25, 0.5, 0.75, 1.0] {
                    let y = [share * radius * c, share * radius * s];
                    assert!(energy(y) >= least - 1e-14 * (1.0 + least.abs()), "{w_tt:?} {b:?} {radius}");
                }
            }
            if v_t == [0.0, 0.0] {
                stops += 1;
            } else {
                slips += 1;
            }
        }
        assert!(stops > 30 && slips > 30, "{stops} {slips}");
    }

    /// Radii and velocities far from order one, and mobilities that differ by 1e12.
    #[test]
    fn scales_of_any_size_do_no_harm() {
        for size in [1e-250, 1e-100, 1.0, 1e100] {
            for (xx, yy) in [(1.0, 1.0), (1.0, 1e-12), (1e-12, 1.0)] {
                let w_tt = Sym2 { xx, xy: 0.0, yy };
                let tangents = Tangents::Plane { w_tt };
                let Braked { friction, v_t, .. } = tangents.brake([3.0 * size, 4.0 * size], 0.5 * size, None);
                let left = [3.0 * size + xx * friction[0], 4.0 * size + yy * friction[1]];
                assert!(norm(add_scaled(left, -1.0, v_t)) < 1e-14 * size, "{size} {xx} {yy}");
                assert!((norm(friction) / size - 0.5).abs() < 1e-15);
                assert!(cross(scaled(1.0 / size, friction), scaled(1.0 / size, v_t)).abs() < 1e-14);
            }
        }
    }
}
