//! A compliant contact: the penetration force of Hunt and Crossley, integrated through the impact.
//!
//! `F = k xⁿ (1 + a ẋ)`, `ẋ = -v_n` (K. H. Hunt and F. R. E. Crossley, *Journal of Applied Mechanics* 42:440-445, 1975), with the
//! friction `-μ_d F v_t / sqrt(|v_t|² + v_r²)`, which is Coulomb's but for slips of the order of `v_r`. In the instant of an
//! impact the configuration is frozen, and stiffness and exponent drop out: with the stored energy `U = k xⁿ⁺¹/(n+1)` and the
//! normal impulse `dp = F dt`,
//!
//! `dU = -v_n dp / (1 - a v_n)`,  `dv_c = W (1, -μ_d v_t / sqrt(|v_t|² + v_r²)) dp`,
//!
//! and the impact ends where `U` is spent. They tell the duration and the depth, not the impulse: the answer is that of an
//! infinitely stiff contact, whatever `n`. What is left to set is `v_r`, as a fraction of `|v_n⁻|`. The damping `a` is such that a
//! central impact without friction has the restitution asked for: with `A = a |v_n⁻|`, `(1+e) A = ln((1+A)/(1-eA))`.
//!
//! Integrated with `dp = (1 - a v_n) dτ`, in which nothing is singular, by the pair of Dormand and Prince (orders 5 and 4).
//!
//! Claims dissipation, the cone and continuity. Does not claim Newton's restitution. Only `μ_d` is used; `μ_s` and
//! `e_t` are ignored. It never sticks exactly: the mode is stick if the final slip is slower than `v_r`. There is no
//! solution if the integration needs too many steps because large friction or very different tangents make it stiff.

use super::path::sticking;
use super::{After, ImpactLaw, Response, no_answer, unit, work};
use crate::contact::Contact;
use crate::error::{Error, Result};
use crate::impact::collision::Impact;
use crate::impact::mode::Mode;
use crate::impact::outcome::Law;
use crate::numeric::plane::{Vec2, add_scaled, dot, norm, scaled};
use crate::numeric::scaling::scale;

/// The error allowed in a step: relative to what there is at all, and of the slip to what is left of it, or `v_r`.
const STEP_TOLERANCE: f64 = 1e-12;

/// Largest number of steps; some hundreds suffice for friction of order one.
const MOST_STEPS: usize = 1_000_000;

/// Smallest step relative to the first (2^-600): below it the integration would not end.
const SHORTEST_STEP: f64 = 2.4e-181;

/// A restitution below this cannot be resolved by the integration.
const NO_RESTITUTION: f64 = STEP_TOLERANCE;

/// A slip that is this fraction of `v_r`, or of all the slip that there can be, from the creep at which friction holds it has settled; steps see it to a
/// hundredth of that.
const SETTLED: f64 = 1e-10;

/// A damper this near to the end of its force, `1 - a v_n`, gives no more impulse; nor one whose force is less than
/// what the error allowed in `v_n` makes of it.
const SPENT: f64 = f64::EPSILON;

/// Halvings of an interval of `f64`.
const MOST_HALVINGS: usize = 200;

/// Settings of [`Law::HuntCrossley`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HuntCrossley {
    regularisation: f64,
}

/// `(v_n, v_t1, v_t2, p, i_t1, i_t2, U)`.
type State = [f64; 7];

/// The result of a step.
struct Step {
    next: State,
    /// Rounding error of `next`, carried to the next step.
    left: State,
    rate: State,
    /// In units of the tolerance.
    error: f64,
}

/// The equations of motion in `τ`.
struct Flow<'a> {
    impact: &'a Impact<'a>,
    /// Whether there is no restitution: the impact ends with compression.
    is_plastic: bool,
    /// `a`
    damping: f64,
    /// `v_r`
    regular: f64,
    /// Slip is known to a fraction of this at least: of `v_r`, or of all the slip that there can be.
    least: f64,
    /// `di_t/dp` once the slip has settled to a creep: what holds it there.
    holding: Option<Vec2>,
}

impl HuntCrossley {
    pub(super) const DEFAULT: Self = Self { regularisation: 1e-3 };

    /// `regularisation` is `v_r / |v_n⁻|`, in (0, 1]: the slip, as a fraction of the speed of approach, at which friction has
    /// 0.7 of its bound.
    ///
    /// # Errors
    /// `regularisation` not in (0, 1].
    pub fn new(regularisation: f64) -> Result<Self> {
        if regularisation > 0.0 && regularisation <= 1.0 {
            Ok(Self { regularisation })
        } else {
            Err(Error::OutOfRange { field: "regularisation".into(), value: regularisation, bound: "(0, 1]".into() })
        }
    }

    /// `v_r / |v_n⁻|`
    pub fn regularisation(&self) -> f64 {
        self.regularisation
    }
}

impl Default for HuntCrossley {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl ImpactLaw for HuntCrossley {
    fn law(&self) -> Law {
        Law::HuntCrossley
    }

    fn respond(&self, impact: &Impact<'_>) -> Result<Response> {
        let &Contact { ref delassus, v_n, v_t, .. } = impact.contact;
        let regular = scale(self.regularisation * -v_n, -delassus.beta);
        if !regular.is_normal() {
            return Err(Error::OutOfRange {
                field: "regularisation".into(),
                value: self.regularisation,
                bound: "what f64 can hold as a speed in the units of the tangential velocity: change the units".into(),
            });
        }
        // Without restitution the impact ends with compression, and damping does not matter.
        let is_plastic = impact.e < NO_RESTITUTION;
        let damping = if is_plastic { 0.0 } else { damping_ratio(impact.e) / -v_n };
        let most = norm(v_t) + norm(delassus.w) * -v_n * delassus.inv_w_nn;
        let mut flow = Flow { impact, is_plastic, damping, regular, least: regular.min(most), holding: None };
        let start = [v_n, v_t[0], v_t[1], 0.0, 0.0, 0.0, 0.0];
        let Some([v_n, t1, t2, p, i1, i2, _]) = flow.through(start) else {
            return Err(no_answer(self.law(), "has no answer here: friction makes the contact too stiff to integrate"));
        };
        let v_t = [t1, t2];
        let mode = if norm(v_t) <= regular { Mode::Stick } else { Mode::Slip };
        Ok(impact.answered(mode, p, [i1, i2], After { v_n, v_t }, unit(v_t)).into())
    }
}

/// `A = a |v_n⁻|` of a restitution `e > 0`, by halving: `(1+e) A - ln(1+A) + ln(1-eA)` is positive, then negative.
fn damping_ratio(e: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0 / e);
    for _ in 0..MOST_HALVINGS {
        let a = 0.5 * (low + high);
        if !(a > low && a < high) {
            break;
        }
        let is_below = (1.0 + e) * a - a.ln_1p() + (-e * a).ln_1p() > 0.0;
        (low, high) = if is_below { (a, high) } else { (low, a) };
    }
    if e == 1.0 { 0.0 } else { low }
}

impl Flow<'_> {
    fn rate(&self, state: &State) -> State {
        let &[v_n, t1, t2, ..] = state;
        let d = &self.impact.contact.delassus;
        let v_t = [t1, t2];
        let (friction, turned) = match self.holding {
            Some(friction) => (friction, [0.0, 0.0]),
            None => {
                let friction = self.friction(v_t);
                (friction, add_scaled(d.w_tt.times(friction), 1.0, d.w))
            }
        };
        let force = 1.0 - self.damping * v_n;
        let normal = d.w_nn + dot(d.w, friction);
        [force * normal, force * turned[0], force * turned[1], force, force * friction[0], force * friction[1], -v_n]
    }

    /// `di_t/dp`
    fn friction(&self, v_t: Vec2) -> Vec2 {
        scaled(-self.impact.mu_d / norm(v_t).hypot(self.regular), v_t)
    }

    /// Whether `v_t` has come to the creep at which friction holds it, so that only its stiffness is left.
    fn has_settled(&self, state: &State) -> bool {
        let d = &self.impact.contact.delassus;
        let v_t = [state[1], state[2]];
        let reach = norm(v_t).hypot(self.regular);
        let left = add_scaled(d.w_tt.times(self.friction(v_t)), 1.0, d.w);
        let stiffness = self.impact.mu_d * d.w_tt.trace() / reach;
        norm(left) <= SETTLED * self.least * stiffness
    }

    /// The state at the end of the impact; `None` if the steps do not suffice.
    fn through(&mut self, start: State) -> Option<State> {
        let d = &self.impact.contact.delassus;
        let mut state = start;
        let mut carry = [0.0; 7];
        let speed = -start[0];
        let impulse = speed * d.inv_w_nn;
        let spent = SPENT.max(STEP_TOLERANCE * self.damping * speed);
        // A hundredth of the time to stop without damping and friction.
        let first = 0.01 * impulse;
        let mut step = first;
        let mut rate = self.rate(&state);
        for _ in 0..MOST_STEPS {
            work::count();
            let slip = norm([state[1], state[2]]) + self.least;
            let friction = impulse * self.impact.mu_d;
            let sizes = [speed, slip, slip, impulse, friction, friction, speed * impulse];
            let Step { next, left, rate: next_rate, error } = self.step(&state, &carry, &rate, step, &sizes);
            // Of order 5: the error goes with the fifth power of the step.
            let factor = (0.9 * error.powf(-0.2)).clamp(0.2, 4.0);
            if !(error <= 1.0) {
                step *= if factor < 1.0 { factor } else { 0.2 };
                if step < SHORTEST_STEP * first {
                    return None;
                }
                continue;
            }
            if self.is_over(&next) {
                return Some(self.end(&state, &carry, &rate, step, &sizes));
            }
            (state, carry, rate, step) = (next, left, next_rate, step * factor);
            let is_spent = state[0] > 0.0 && 1.0 - self.damping * state[0] <= spent;
            if is_spent {
                return Some(state);
            }
            if self.holding.is_none() && self.has_settled(&state) {
                self.holding = Some(sticking(d).0);
                rate = self.rate(&state);
            }
        }
        None
    }

    fn is_over(&self, state: &State) -> bool {
        let is_restoring = state[0] >= 0.0;
        is_restoring && (self.is_plastic || state[6] <= 0.0)
    }

    /// The state at which the impact ends, inside a step: the step is halved until nothing is left to halve.
    fn end(&self, state: &State, carry: &State, rate: &State, step: f64, sizes: &State) -> State {
        let (mut low, mut high) = (0.0, step);
        for _ in 0..MOST_HALVINGS {
            let middle = 0.5 * (low + high);
            if !(middle > low && middle < high) {
                break;
            }
            let taken = self.step(state, carry, rate, middle, sizes);
            (low, high) = if self.is_over(&taken.next) { (low, middle) } else { (middle, high) };
        }
        self.step(state, carry, rate, high, sizes).next
    }

    /// A step of Dormand and Prince's pair. Friction near a stop asks for thousands of small ones, so what a sum rounds away
    /// is carried to the next: momentum is balanced however many there are.
    fn step(&self, state: &State, carry: &State, first: &State, step: f64, sizes: &State) -> Step {
        const STAGES: [&[f64]; 6] = [
            &[1.0 / 5.0],
            &[3.0 / 40.0, 9.0 / 40.0],
            &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
            &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
            &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
            &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
        ];
        const ERROR: [f64; 7] =
            [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339_200.0, 22.0 / 525.0, -1.0 / 40.0];
        let mut rates = [*first; 7];
        let (mut next, mut left) = (*state, *carry);
        for (i, weights) in STAGES.iter().enumerate() {
            for c in 0..7 {
                let slope: f64 = weights.iter().zip(&rates).map(|(weight, rate)| weight * rate[c]).sum();
                let change = carry[c] + step * slope;
                next[c] = state[c] + change;
                left[c] = change - (next[c] - state[c]);
            }
            rates[i + 1] = self.rate(&next);
        }
        let mut worst = 0.0_f64;
        for c in 0..7 {
            let error: f64 = ERROR.iter().zip(&rates).map(|(weight, rate)| weight * rate[c]).sum();
            if sizes[c] > 0.0 {
                worst = worst.max((step * error).abs() / (STEP_TOLERANCE * sizes[c]));
            }
        }
        // A damper beyond the end of its force would pull.
        let is_sound = next.iter().all(|x| x.is_finite()) && 1.0 - self.damping * next[0] >= 0.0;
        Step { next, left, rate: rates[6], error: if is_sound { worst } else { f64::INFINITY } }
    }
}

#[cfg(test)]
mod tests {
    use super::damping_ratio;

    #[test]
    fn damping_gives_the_restitution() {
        for e in [1e-3, 0.1, 0.3, 0.5, 0.9, 0.999, 1.0 - 1e-9] {
            let a: f64 = damping_ratio(e);
            let residual = (1.0 + e) * a - a.ln_1p() + (-e * a).ln_1p();
            // Small restitutions end where the damper's force does: to rounding, at 1/e.
            assert!(residual.abs() < 1e-9 || (1.0 - e * a).abs() < 1e-15, "{e} {a} {residual}");
        }
        assert_eq!(damping_ratio(1.0), 0.0);
        // Of a nearly elastic impact: A = 3 (1-e) / 2.
        assert!((damping_ratio(0.9999) / 1.5e-4 - 1.0).abs() < 1e-3);
    }
}
