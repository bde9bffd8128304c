//! The law: mode and impulse. All quantities are in the units of the scaled contact.

use crate::contact::Contact;
use crate::contact::delassus::tangent::LinearImpulse;
use crate::contact::whitened::{Slide, Whitened};
use crate::impact::guard::Guard;
use crate::impact::limits;
use crate::impact::mode::Mode;
use crate::impact::slip::{Slid, Sliding};
use crate::numeric::plane::{Vec2, add_scaled, dot, norm, scaled};

/// Energy gain of a stick, relative to `K_c + |v_c⁻·i|`, above which it counts as creating energy: less is rounding in
/// the last digits of the impulse.
const ENERGY_ROUNDING: f64 = 4.0 * f64::EPSILON;

/// An approaching contact and its coefficients.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Impact<'a> {
    pub(crate) contact: &'a Contact,
    pub(crate) e: f64,
    pub(crate) e_t: f64,
    pub(crate) mu_s: f64,
    pub(crate) mu_d: f64,
}

/// A solution of the law: impulse, velocities and the two parts of the work.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answer {
    pub(crate) mode: Mode,
    /// The normal restitution of this solution.
    pub(crate) e: f64,
    pub(crate) normal: f64,
    pub(crate) tangential: Vec2,
    /// `u` of a slip.
    pub(crate) direction: Option<Vec2>,
    /// `v_t⁺`
    pub(crate) after: Vec2,
    /// `v̄_n i_n`.
    pub(crate) normal_work: f64,
    /// `v̄_t · i_t`.
    pub(crate) tangential_work: f64,
    /// \[26\]: `v̄ · i = K⁺ - K⁻`. The sum of the two, or a more accurate value if both are large and cancel.
    pub(crate) energy_change: f64,
    /// The number of slip and reversal solutions, if they were counted.
    pub(crate) solutions: Option<u32>,
}

/// The decision of the law, and its solution without the guard.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Decision {
    /// The stick impulse, inside the cone or not; `None` if no impulse sticks.
    pub(crate) stick: Option<LinearImpulse>,
    /// The impulse with zero average tangential velocity, if it was needed.
    pub(crate) reversal: Option<LinearImpulse>,
    /// Whether the contact sticks without the guard.
    pub(crate) sticks: bool,
    /// Whether that stick creates energy.
    pub(crate) creates_energy: bool,
    pub(crate) answer: Answer,
    /// The energy change of the unguarded stick, if the guard replaced it.
    pub(crate) unguarded: Option<f64>,
}

impl Answer {
    /// Whether it claims to create no energy, as every slip and reversal does.
    #[inline(always)]
    pub(crate) fn is_told_to_dissipate(&self) -> bool {
        self.energy_change <= 0.0
    }

    /// A copy made field by field; see [`crate::contact::delassus::tangent`] for the reason.
    #[inline(always)]
    fn rebuilt(self) -> Self {
        let Self {
            mode,
            e,
            normal,
            tangential,
            direction,
            after,
            normal_work,
            tangential_work,
            energy_change,
            solutions,
        } = self;
        Self { mode, e, normal, tangential, direction, after, normal_work, tangential_work, energy_change, solutions }
    }
}

impl Impact<'_> {
    /// Stick if its impulse is in the static cone, otherwise slip or reversal; then the guard.
    #[inline(always)]
    pub(crate) fn decide(&self, guard: Guard) -> Decision {
        let stick = self.stick_at(self.e);
        let reversal = self.reversal_at(self.e);
        match stick {
            Some(impulse) if self.in_static_cone(&impulse) => {
                let stuck = self.stuck(self.e, &impulse);
                let creates_energy = self.creates_energy(&stuck);
                let (answer, unguarded) = if creates_energy && guard != Guard::Report {
                    (self.guarded(guard, stuck).rebuilt(), Some(stuck.energy_change))
                } else {
                    (stuck, None)
                };
                Decision { stick, reversal, sticks: true, creates_energy, answer, unguarded }
            }
            _ => {
                let answer = self.slide(self.e, reversal);
                Decision { stick, reversal, sticks: false, creates_energy: false, answer, unguarded: None }
            }
        }
    }

    /// The result of the criterion for the request, for the solution of another law: no slip is computed.
    #[inline(always)]
    pub(crate) fn judged(&self, answer: Answer) -> Decision {
        let (stick, reversal) = (self.stick_at(self.e), self.reversal_at(self.e));
        let (sticks, creates_energy) = match &stick {
            Some(impulse) if self.in_static_cone(impulse) => (true, self.creates_energy(&self.stuck(self.e, impulse))),
            _ => (false, false),
        };
        Decision { stick, reversal, sticks, creates_energy, answer, unguarded: None }
    }

    /// Corrections 1 and 2: `i_n > 0` and the exact `μ_cr <= μ_s`.
    #[inline(always)]
    pub(crate) fn in_static_cone(&self, stick: &LinearImpulse) -> bool {
        stick.normal > 0.0 && stick.critical <= self.mu_s
    }

    /// \[11\]: the impulse with `v_n⁺ = -e v_n⁻` and `v_t⁺ = -e_t v_t⁻`.
    #[inline(always)]
    pub(crate) fn stick_at(&self, e: f64) -> Option<LinearImpulse> {
        self.turned_back(e, self.e_t, self.mu_s)
    }

    /// The impulse with `v_n⁺ = -e v_n⁻` and zero average tangential velocity.
    #[inline(always)]
    pub(crate) fn reversal_at(&self, e: f64) -> Option<LinearImpulse> {
        self.turned_back(e, 1.0, self.mu_d)
    }

    /// The impulse with `v_t⁺ = -share v_t⁻`: `S i_t = -share v_t⁻ - v_f`, where
    /// `v_f = v_t⁻ - (1+e) v_n⁻ w / W_nn` is the velocity without friction.
    #[inline(always)]
    pub(crate) fn turned_back(&self, e: f64, share: f64, mu: f64) -> Option<LinearImpulse> {
        let &Contact { ref delassus, v_n, v_t, .. } = self.contact;
        if let Some(whitened) = &self.contact.whitened {
            return whitened.turned_back(self.contact, e, share, mu);
        }
        let push = -(1.0 + e) * v_n;
        let pushed = scaled(push * delassus.inv_w_nn, delassus.w);
        // (1 + share) v_t as one product: for share near -1 the difference of its parts would cancel.
        let back = 1.0 + share;
        let b = [-back * v_t[0] - pushed[0], -back * v_t[1] - pushed[1]];
        delassus.impulse(b, push, || norm(v_t) + norm(add_scaled(v_t, 1.0, pushed)), mu)
    }

    /// How the stick impulse changes with the restitution: `(∂i_n/∂e, ∂i_t/∂e)`.
    pub(crate) fn stick_impulse_rate(&self) -> (f64, Vec2) {
        let &Contact { ref delassus, v_n, .. } = self.contact;
        let p = delassus.pseudo_solve(delassus.w);
        let t1 = scaled(v_n * delassus.inv_w_nn, p);
        ((-v_n - dot(delassus.w, t1)) * delassus.inv_w_nn, t1)
    }

    /// A stick; `v̄ = ((1-e) v_n⁻, (1-e_t) v_t⁻) / 2`.
    #[inline(always)]
    pub(crate) fn stuck(&self, e: f64, stick: &LinearImpulse) -> Answer {
        let &Contact { v_n, v_t, .. } = self.contact;
        let normal_work = 0.5 * (1.0 - e) * v_n * stick.normal;
        let tangential_work = 0.5 * (1.0 - self.e_t) * dot(v_t, stick.tangential);
        let energy_change = match &self.contact.whitened {
            None => normal_work + tangential_work,
            Some(whitened) => whitened
                .turn(self.contact, e, self.e_t, self.mu_s)
                .map_or(normal_work + tangential_work, |turn| whitened.energy_change(turn.change)),
        };
        Answer {
            mode: Mode::Stick,
            e,
            normal: stick.normal,
            tangential: stick.tangential,
            direction: None,
            after: [0.0 - self.e_t * v_t[0], 0.0 - self.e_t * v_t[1]],
            normal_work,
            tangential_work,
            energy_change,
            solutions: None,
        }
    }

    /// The slip or reversal at a given restitution, with its reversal impulse.
    #[inline(always)]
    pub(crate) fn slide(&self, e: f64, reversal: Option<LinearImpulse>) -> Answer {
        let &Contact { ref delassus, v_n, v_t, .. } = self.contact;
        let free = self.contact.whitened.as_ref().and_then(|whitened| whitened.free_average(e));
        let sliding = Sliding { delassus, v_n, v_t, e, mu_d: self.mu_d, free, reversal };
        let slid = sliding.solve();
        let Slid { direction, normal, tangential, average, work, solutions } = match &self.contact.whitened {
            None => slid,
            Some(whitened) => self.refined(whitened, e, slid),
        };
        let normal_work = 0.5 * (1.0 - e) * v_n * normal;
        Answer {
            mode: if direction.is_some() { Mode::Slip } else { Mode::Reversal },
            e,
            normal,
            tangential,
            direction,
            after: [2.0 * average[0] - v_t[0], 2.0 * average[1] - v_t[1]],
            normal_work,
            tangential_work: work,
            energy_change: normal_work + work,
            solutions: Some(solutions),
        }
    }

    /// A slip refined with a mechanism's factor.
    #[cold]
    fn refined(&self, whitened: &Whitened, e: f64, slid: Slid) -> Slid {
        let slide = slid.direction.and_then(|_| whitened.slide(self.contact, e, self.mu_d, slid.average));
        let Some(Slide { direction, normal, average, .. }) = slide else { return slid };
        let friction = self.mu_d * normal;
        Slid {
            direction: Some(direction),
            normal,
            tangential: scaled(-friction, direction),
            average,
            work: -friction * norm(average),
            ..slid
        }
    }

    /// \[28\]: whether a stick has `v̄·i > 0`, beyond rounding.
    #[inline(always)]
    fn creates_energy(&self, stuck: &Answer) -> bool {
        let change = stuck.energy_change;
        // The common case.
        if change <= 0.0 {
            return false;
        }
        let &Contact { v_n, v_t, .. } = self.contact;
        let exchanged = match self.contact.whitened {
            None => (v_n * stuck.normal + dot(v_t, stuck.tangential)).abs(),
            // The change was not computed from these.
            Some(_) => change.abs(),
        };
        change > ENERGY_ROUNDING * (limits::contact_energy(self.contact) + exchanged)
    }

    /// `e*(v)` for the given tangential restitution.
    pub(crate) fn restitution_limit(&self) -> f64 {
        let momentum = limits::contact_momentum(self.contact);
        limits::state(self.contact, self.e_t, limits::locking(&self.contact.delassus), &momentum)
    }
}
