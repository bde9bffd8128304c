//! Slip and reversal: Coulomb friction on the average velocity.
//!
//! Either the average tangential velocity is nonzero and friction opposes it on the boundary of the cone of `μ_d`
//! (slip), or it vanishes and friction is the force inside the cone that makes it vanish (reversal: the tangential
//! velocity is inverted). For positive definite `W` the number of solutions is odd for every `μ_d`, so at least one
//! exists; there are three in a few of ten thousand problems.

use arrayvec::ArrayVec;

use crate::contact::delassus::tangent::LinearImpulse;
use crate::contact::delassus::{Delassus, Dimension};
use crate::impact::direction::{Direction, DirectionEquation};
use crate::numeric::plane::{Vec2, add_scaled, dot, norm, scaled};
use crate::numeric::scaling::{exponent, is_tame, larger, scale};
use crate::numeric::tolerance::FEASIBILITY;

/// Relative difference of energies below which two solutions dissipate equally.
const SAME_ENERGY: f64 = 1e-12;

/// A reversal impulse outside the cone by at most this fraction is on its boundary.
const EDGE: f64 = 64.0 * f64::EPSILON;

/// The slip-or-reversal problem at a given restitution, in the units of the Delassus matrix.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sliding<'a> {
    pub(crate) delassus: &'a Delassus,
    pub(crate) v_n: f64,
    pub(crate) v_t: Vec2,
    pub(crate) e: f64,
    pub(crate) mu_d: f64,
    /// `v_t⁻ + k w / W_nn`, the average velocity without friction, if known more accurately than by this sum.
    pub(crate) free: Option<Vec2>,
    /// The impulse with zero average tangential velocity, if it exists.
    pub(crate) reversal: Option<LinearImpulse>,
}

/// The chosen solution, and the number of solutions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slid {
    /// `u`; `None` for reversal.
    pub(crate) direction: Option<Vec2>,
    pub(crate) normal: f64,
    pub(crate) tangential: Vec2,
    /// `v̄_t`.
    pub(crate) average: Vec2,
    /// `v̄_t · i_t <= 0`.
    pub(crate) work: f64,
    pub(crate) solutions: u32,
}

impl Slid {
    /// A copy made field by field; see [`crate::contact::delassus::tangent`] for the reason.
    #[inline(always)]
    fn rebuilt(self) -> Self {
        let Self { direction, normal, tangential, average, work, solutions } = self;
        Self { direction, normal, tangential, average, work, solutions }
    }
}

impl Sliding<'_> {
    #[inline(always)]
    pub(crate) fn solve(&self) -> Slid {
        let reversal = self.reversal.filter(|r| r.normal > 0.0 && self.mu_d >= r.critical);
        match self.delassus.dimension {
            Dimension::Spatial | Dimension::Planar if !self.delassus.is_regular() => {
                Self::singular(*self, reversal).rebuilt()
            }
            Dimension::Spatial => {
                let equation = self.equation();
                if let Some(r) = reversal {
                    if equation.has_none_beside_reversal() {
                        return self.reversed(&r, 1);
                    }
                } else if let Some(direction) = equation.unique() {
                    return self.slipped(&direction, 1);
                }
                Self::several(*self, equation, reversal).rebuilt()
            }
            Dimension::Planar => Self::planar(*self, reversal).rebuilt(),
            // Without tangents there is nothing to slip along: a frictionless impact.
            Dimension::Normal => Slid {
                direction: None,
                normal: self.push() * self.delassus.inv_w_nn,
                tangential: [0.0, 0.0],
                average: [0.0, 0.0],
                work: 0.0,
                solutions: 1,
            },
        }
    }

    /// A contact with a singular matrix. If `S` has a null vector, directions with `D = 0` or zero average velocity
    /// also solve the direction equation, and rounding makes them look like slips.
    #[cold]
    fn singular(self, reversal: Option<LinearImpulse>) -> Slid {
        let d = self.delassus;
        let equation = self.equation();
        let (mu, w, k) = (self.mu_d, norm(d.w), 0.5 * self.push());
        let no_denominator = FEASIBILITY * self.unit() * (d.w_nn + mu * w);
        let terms = norm(self.v_t) * (d.w_nn + mu * w) + k * (w + mu * d.w_tt.trace());
        let no_average = FEASIBILITY * self.unit() * terms;
        let mut zeros = if d.dimension == Dimension::Planar { equation.signs() } else { equation.all() };
        zeros.retain(|zero| {
            let is_reversal = reversal.is_some() && zero.lambda <= no_average;
            zero.denominator > no_denominator && !is_reversal
        });
        let slips: ArrayVec<Direction, 4> = zeros.iter().copied().filter(Direction::is_slip).collect();
        self.choose_among(&equation, &zeros, &slips, reversal)
    }

    #[cold]
    fn several(self, equation: DirectionEquation, reversal: Option<LinearImpulse>) -> Slid {
        self.choose(equation, equation.all(), reversal)
    }

    fn planar(self, reversal: Option<LinearImpulse>) -> Slid {
        let equation = self.equation();
        self.choose(equation, equation.signs(), reversal)
    }

    /// `2k = -(1+e) v_n⁻`.
    #[inline(always)]
    fn push(&self) -> f64 {
        -(1.0 + self.e) * self.v_n
    }

    #[inline(always)]
    fn equation(&self) -> DirectionEquation {
        let (d, k) = (self.delassus, 0.5 * self.push());
        match self.free {
            None => DirectionEquation::new(d.w_nn, d.w, d.w_tt, self.v_t, k, self.mu_d, self.unit()),
            Some(free) => DirectionEquation::reduced(d.w_nn, d.w, d.s, free, k, self.mu_d, self.unit()),
        }
    }

    /// 1, or 1 over a power of two near a `μ` so large that it might overflow what it is multiplied with.
    #[inline(always)]
    fn unit(&self) -> f64 {
        if is_tame(self.mu_d) | (self.mu_d < 1.0) { 1.0 } else { scale(1.0, -exponent(self.mu_d)) }
    }

    /// The impulse of slip along a direction, \[17\], \[18\].
    #[inline(always)]
    fn slipped(&self, direction: &Direction, solutions: u32) -> Slid {
        let unit = self.unit();
        let g = 1.0 / direction.denominator;
        let push = 2.0 * direction.k;
        // In this order nothing underflows: g contains the unit.
        let normal = push * (unit * g);
        let friction = push * (self.mu_d * unit) * g;
        let speed = larger(direction.lambda, 0.0) * g;
        Slid {
            direction: Some(direction.u),
            normal,
            tangential: scaled(-friction, direction.u),
            average: scaled(speed, direction.u),
            work: -friction * speed,
            solutions,
        }
    }

    #[inline(always)]
    fn reversed(&self, r: &LinearImpulse, solutions: u32) -> Slid {
        Slid { direction: None, normal: r.normal, tangential: r.tangential, average: [0.0, 0.0], work: 0.0, solutions }
    }

    fn choose(
        self,
        equation: DirectionEquation,
        zeros: ArrayVec<Direction, 4>,
        reversal: Option<LinearImpulse>,
    ) -> Slid {
        let mut slips: ArrayVec<Direction, 4> = zeros.iter().copied().filter(Direction::is_slip).collect();
        let solutions = slips.len() + usize::from(reversal.is_some());
        let is_even = solutions > 0 && solutions.is_multiple_of(2);
        let missed = if is_even { settle_even_count(&zeros, &mut slips) } else { 0 };
        let chosen = self.choose_among(&equation, &zeros, &slips, reversal);
        Slid { solutions: chosen.solutions + missed, ..chosen }
    }

    /// The solution that dissipates most; among equals reversal, then the slip nearest to `v_t⁻`.
    fn choose_among(
        &self,
        equation: &DirectionEquation,
        zeros: &[Direction],
        slips: &[Direction],
        reversal: Option<LinearImpulse>,
    ) -> Slid {
        let solutions = slips.len() as u32 + u32::from(reversal.is_some());
        let answers = reversal
            .map(|r| self.reversed(&r, solutions))
            .into_iter()
            .chain(slips.iter().map(|direction| self.slipped(direction, solutions)));
        let mut best: Option<Slid> = None;
        for answer in answers {
            best = match best {
                Some(other) if !self.is_better(&answer, &other) => Some(other),
                _ => Some(answer),
            };
        }
        best.unwrap_or_else(|| self.least_violating(equation, zeros))
    }

    fn energy_change(&self, answer: &Slid) -> f64 {
        0.5 * (1.0 - self.e) * self.v_n * answer.normal + answer.work
    }

    fn is_better(&self, answer: &Slid, other: &Slid) -> bool {
        let (mine, yours) = (self.energy_change(answer), self.energy_change(other));
        if (mine - yours).abs() > SAME_ENERGY * mine.abs().max(yours.abs()) {
            return mine < yours;
        }
        match (answer.direction, other.direction) {
            (None, _) => true,
            (_, None) => false,
            (Some(u), Some(other)) => dot(u, self.v_t) > dot(other, self.v_t),
        }
    }

    /// At a boundary rounding may reject every solution although one exists: then the one with the smallest violation
    /// is used.
    #[cold]
    fn least_violating(&self, equation: &DirectionEquation, zeros: &[Direction]) -> Slid {
        let mut best: Option<(f64, Slid)> = None;
        if let Some(r) = self.reversal.filter(|r| r.normal > 0.0) {
            let excess = ((r.critical - self.mu_d) / r.critical).max(0.0);
            // Beyond the boundary by rounding: a slip with zero average velocity.
            let against = norm(r.tangential);
            let u = (against > 0.0).then(|| scaled(-1.0 / against, r.tangential));
            let slid = Slid { direction: u, ..self.reversed(&r, 1) };
            if excess <= EDGE {
                return slid;
            }
            // Farther outside it is projected onto the cone: without friction a tangential impulse is rounding.
            let most = self.mu_d * r.normal;
            let tangential = if against > most { scaled(most / against, r.tangential) } else { r.tangential };
            best = Some((excess, Slid { tangential, ..slid }));
        }
        let size = norm(self.v_t) + self.v_n.abs();
        for direction in zeros.iter().filter(|z| z.denominator > 0.0) {
            let violation = (-direction.lambda / direction.denominator).max(0.0) / size;
            if best.as_ref().is_none_or(|(least, _)| violation < *least) {
                best = Some((violation, self.slipped(direction, 1)));
            }
        }
        match best {
            Some((_, slid)) => slid,
            None => self.frictionless_direction(equation),
        }
    }

    /// Last resort on underflow: friction against the average velocity without friction.
    fn frictionless_direction(&self, equation: &DirectionEquation) -> Slid {
        let d = self.delassus;
        let free = add_scaled(self.v_t, 0.5 * self.push() * d.inv_w_nn, d.w);
        let length = norm(free);
        let u = if length > 0.0 { scaled(1.0 / length, free) } else { [1.0, 0.0] };
        let forward = equation.at(u);
        let direction = if forward.denominator > 0.0 { forward } else { equation.at(scaled(-1.0, u)) };
        self.slipped(&direction, 1)
    }
}

/// The number of solutions is odd. Zeros of the direction equation come in pairs, so an even count means that rounding
/// gave the wrong sign to an average velocity: the one nearest to zero. If it was counted as a slip, it is removed; if
/// not, it is added. Returns the number of solutions missed.
#[cold]
fn settle_even_count(zeros: &[Direction], slips: &mut ArrayVec<Direction, 4>) -> u32 {
    let speed = |d: &Direction| (d.lambda / d.denominator).abs();
    let candidates = zeros.iter().filter(|zero| zero.denominator > 0.0);
    match candidates.min_by(|x, y| speed(x).total_cmp(&speed(y))) {
        Some(nearest) if nearest.is_slip() => {
            slips.retain(|slip| slip.u != nearest.u);
            0
        }
        Some(_) => 1,
        None => 0,
    }
}
