//! Slip and reversal: friction of Coulomb's kind on the average velocity.
//!
//! Either the average tangential velocity has a direction and friction opposes it with all of `μ_d`
//! (slip), or it vanishes and friction is whatever makes it vanish, inside the cone (reversal: the
//! contact leaves with the tangential velocity it came with, turned round). For positive definite `W`
//! the number of answers is odd for every `μ_d`, so there always is one; there are three in a few of
//! ten thousand problems.

use arrayvec::ArrayVec;

use crate::delassus::{Delassus, Dimension};
use crate::direction::{Direction, DirectionEquation};
use crate::plane::{Vec2, add_scaled, dot, norm, scaled};
use crate::scaling::{exponent, larger, scale};
use crate::tangent::LinearImpulse;

/// Two answers whose energies differ by this fraction dissipate the same.
const SAME_ENERGY: f64 = 1e-12;

/// A slip that leaves less than this fraction of the velocities at hand as its average velocity
/// may be the reversal beside it, found twice.
const SAME_AS_REVERSAL: f64 = 1e-6;

/// The slip-or-reversal problem at a given restitution, in the units of the Delassus matrix.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sliding<'a> {
    pub(crate) delassus: &'a Delassus,
    pub(crate) v_n: f64,
    pub(crate) v_t: Vec2,
    pub(crate) e: f64,
    pub(crate) mu_d: f64,
    /// The impulse with zero average tangential velocity, where it exists.
    pub(crate) reversal: Option<LinearImpulse>,
}

/// The answer chosen, and how many there were.
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
    /// The same, field by field: see [`crate::tangent`].
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

    #[cold]
    fn several(self, equation: DirectionEquation, reversal: Option<LinearImpulse>) -> Slid {
        self.choose(equation, equation.all(), reversal)
    }

    fn planar(self, reversal: Option<LinearImpulse>) -> Slid {
        let equation = self.equation();
        let signs = [equation.at([1.0, 0.0]), equation.at([-1.0, 0.0])];
        self.choose(equation, signs.into_iter().collect(), reversal)
    }

    /// `2k = -(1+e) v_n⁻`.
    #[inline(always)]
    fn push(&self) -> f64 {
        -(1.0 + self.e) * self.v_n
    }

    #[inline(always)]
    fn equation(&self) -> DirectionEquation {
        let d = self.delassus;
        DirectionEquation::new(d.w_nn, d.w, d.w_tt, self.v_t, 0.5 * self.push(), self.mu_d, self.unit())
    }

    /// 1 over a power of two near `max(1, μ)`.
    #[inline(always)]
    fn unit(&self) -> f64 {
        if self.mu_d > 1.0 { scale(1.0, -exponent(self.mu_d)) } else { 1.0 }
    }

    /// The impulse of slip along a direction, [17], [18].
    #[inline(always)]
    fn slipped(&self, direction: &Direction, solutions: u32) -> Slid {
        let unit = self.unit();
        let g = 1.0 / direction.denominator;
        let normal = self.push() * unit * g;
        let friction = self.push() * (self.mu_d * unit) * g;
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

    /// The answer that dissipates most; of equals reversal, then the slip most along `v_t⁻`.
    fn choose(
        self,
        equation: DirectionEquation,
        zeros: ArrayVec<Direction, 4>,
        reversal: Option<LinearImpulse>,
    ) -> Slid {
        let mut slips: ArrayVec<Direction, 4> = zeros.iter().copied().filter(Direction::is_slip).collect();
        if reversal.is_some() && slips.len() % 2 == 1 {
            self.drop_twin_of_reversal(&mut slips);
        }
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
        best.unwrap_or_else(|| self.least_violating(&equation, &zeros))
    }

    /// With an odd number of slips beside a reversal the sum is even, which no problem has: if one of
    /// the slips has next to no average velocity, it is the reversal found twice by rounding.
    fn drop_twin_of_reversal(&self, slips: &mut ArrayVec<Direction, 4>) {
        let speed = |d: &Direction| d.lambda / d.denominator;
        let slowest = (0..slips.len()).min_by(|&i, &j| speed(&slips[i]).total_cmp(&speed(&slips[j])));
        if let Some(i) = slowest
            && speed(&slips[i]) <= SAME_AS_REVERSAL * (norm(self.v_t) + self.v_n.abs())
        {
            slips.remove(i);
        }
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

    /// At a boundary rounding may refuse every answer, though one exists: the one refused by least.
    #[cold]
    fn least_violating(&self, equation: &DirectionEquation, zeros: &ArrayVec<Direction, 4>) -> Slid {
        let size = norm(self.v_t) + self.v_n.abs();
        let mut best: Option<(f64, Slid)> = None;
        let mut offer = |violation: f64, slid: Slid| {
            if best.as_ref().is_none_or(|(least, _)| violation < *least) {
                best = Some((violation, slid));
            }
        };
        for direction in zeros.iter().filter(|z| z.denominator > 0.0) {
            offer((-direction.lambda / direction.denominator).max(0.0) / size, self.slipped(direction, 1));
        }
        if let Some(r) = self.reversal.filter(|r| r.normal > 0.0) {
            let excess = ((r.critical - self.mu_d) / r.critical).max(0.0);
            let against = norm(r.tangential);
            if against > 0.0 {
                let at_edge = Direction { lambda: 0.0, ..equation.at(scaled(-1.0 / against, r.tangential)) };
                if at_edge.denominator > 0.0 {
                    offer(excess, self.slipped(&at_edge, 1));
                }
            } else {
                offer(excess, self.reversed(&r, 1));
            }
        }
        match best {
            Some((_, slid)) => slid,
            None => self.frictionless_direction(equation),
        }
    }

    /// All else lost to underflow: friction against the average velocity that it would have
    /// without friction.
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
