//! The solution of a guard in place of a stick that creates energy.

use crate::impact::collision::{Answer, Impact};
use crate::impact::guard::Guard;
use crate::numeric::plane::dot;

/// Largest number of times that [`Guard::Limit`] lowers the restitution until the computed energy, not only the exact
/// one, does not increase. The step doubles, so this covers every condition number.
const MOST_LOWERINGS: usize = 60;

impl Impact<'_> {
    /// The solution of a guard in place of a stick that creates energy.
    #[cold]
    pub(crate) fn guarded(&self, guard: Guard, stick: Answer) -> Answer {
        match guard {
            Guard::Report => stick,
            Guard::Limit => self.limited(),
            Guard::Slip => self.slide_at(self.e),
        }
    }

    fn slide_at(&self, e: f64) -> Answer {
        self.slide(e, self.reversal_at(e))
    }

    fn limited(&self) -> Answer {
        // The limit is below e, except for rounding.
        let mut e = self.restitution_limit().min(self.e.next_down());
        let mut lowering = f64::EPSILON;
        for _ in 0..MOST_LOWERINGS {
            // A negative limit: no restitution makes this stick dissipate.
            if !(e >= 0.0) {
                break;
            }
            let Some(stick) = self.stick_at(e).filter(|s| self.in_static_cone(s)) else {
                break;
            };
            let answer = self.stuck(e, &stick);
            if answer.energy_change <= 0.0 {
                return answer;
            }
            e = if e > 0.0 { (e - lowering).max(0.0) } else { -1.0 };
            lowering *= 2.0;
        }
        self.slide_at(self.least_sticking_restitution())
    }

    /// The lower end of the interval around `e` of restitutions at which the stick impulse is in the cone, but at least
    /// 0. The impulse is affine in the restitution and the cone is convex, so it is an interval, and its ends are roots
    /// of `μ_s² i_n² = |i_t|²`.
    fn least_sticking_restitution(&self) -> f64 {
        let Some(stick) = self.stick_at(self.e) else {
            return self.e;
        };
        // With s = e - e' >= 0: i_n = i_n(e) - s n1, i_t = i_t(e) - s t1.
        let (n1, t1) = self.stick_impulse_rate();
        let mu = self.mu_s;
        let (i_n, i_t) = (stick.normal, stick.tangential);
        let c0 = mu * i_n * mu * i_n - dot(i_t, i_t);
        let c1 = mu * i_n * mu * n1 - dot(i_t, t1);
        let c2 = mu * n1 * mu * n1 - dot(t1, t1);
        match least_positive_root(c0.max(0.0), c1, c2) {
            Some(s) if s < self.e => self.e - s,
            _ => 0.0,
        }
    }
}

/// The least `s > 0` with `c0 - 2 c1 s + c2 s² = 0`, for `c0 >= 0`.
fn least_positive_root(c0: f64, c1: f64, c2: f64) -> Option<f64> {
    let discriminant = c1 * c1 - c0 * c2;
    if discriminant < 0.0 {
        return None;
    }
    let q = if c1 >= 0.0 { c1 + discriminant.sqrt() } else { c1 - discriminant.sqrt() };
    let roots = [c0 / q, q / c2];
    roots.into_iter().filter(|s| s.is_finite() && *s >= 0.0).min_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::least_positive_root;

    #[test]
    fn least_positive_roots() {
        assert_eq!(least_positive_root(2.0, 1.5, 1.0), Some(1.0)); // (s-1)(s-2)
        assert_eq!(least_positive_root(2.0, -1.5, 1.0), None); // (s+1)(s+2)
        assert_eq!(least_positive_root(2.0, 0.5, -1.0), Some(1.0)); // -(s-1)(s+2)
        assert_eq!(least_positive_root(1.0, 0.0, 1.0), None);
        assert_eq!(least_positive_root(1.0, 0.5, 0.0), Some(1.0));
        assert_eq!(least_positive_root(0.0, 0.5, 1.0), Some(0.0));
    }
}
