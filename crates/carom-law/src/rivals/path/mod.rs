//! The path of a contact through an impact with Coulomb friction at every instant.
//!
//! The normal impulse `p` takes the place of time (Routh; Darboux; Keller). While the contact slips along `u = v_t/|v_t|`,
//!
//! `dv_n/dp = W_nn - μ_d w·u`,  `dv_t/dp = h(u) = w - μ_d W_tt u`,  `di_t/dp = -μ_d u`;
//!
//! while it sticks, `di_t/dp = -W_tt⁺ w`, which is possible iff `|W_tt⁺ w| <= μ_s`, and `v_n` rises by
//! `W_nn - wᵀ W_tt⁺ w` a unit of impulse. A slip that stops goes on as stick if that is possible, else as slip along the one
//! direction that leads away from rest: `h(u) = β u` with `β > 0`, the least of a convex function on the disc of friction.
//!
//! In the plane `u` is a sign and the path is made of straight pieces: Routh's diagram, followed exactly. In space `u`
//! turns, see [`keller`]. With a regular matrix `v_n - μ_d |v_t|` rises at least as fast as `λ_min(W)`, so
//! compression ends even where friction jams the contact at first (`W_nn <= μ_d w·u`, Painlevé's case).
//!
//! | file | contents |
//! |---|---|
//! | `keller` | slip that turns: Keller's equations by Taylor series |

pub(super) mod keller;

use arrayvec::ArrayVec;

use crate::contact::Contact;
use crate::contact::delassus::{Delassus, Dimension};
use crate::error::{Error, Result};
use crate::impact::collision::Impact;
use crate::impact::direction::{Direction, DirectionEquation};
use crate::impact::limits;
use crate::impact::mode::Mode;
use crate::impact::outcome::Law;
use crate::numeric::cholesky::exact_product;
use crate::numeric::plane::{Sym2, Vec2, add_scaled, dot, norm, scaled};
use crate::numeric::scaling::{exponent, scale};
use crate::numeric::tolerance::TANGENT_RANK;
use crate::rivals::{After, Response, no_answer, not_converged, unit, work};
use keller::{End, Turning};

/// A stop and a goal whose distances differ by no more than this fraction are one event, separated by rounding.
const SAME_EVENT: f64 = 64.0 * f64::EPSILON;

/// Slip of at most this fraction of the tangential velocities involved (2^-60) counts as zero: the impulse until it
/// would stop, or since it started, is below the rounding of the total.
const NO_SLIP: f64 = 8.7e-19;

/// The fraction for a singular matrix: rounding leaves slip along its null vector, which friction can never stop.
const NO_SLIP_SINGULAR: f64 = 64.0 * f64::EPSILON;

/// With a singular matrix, stick that lets the normal velocity rise by no more than this fraction of `W_nn` locks it.
const LOCKED: f64 = 1e-9;

/// Largest number of distinct pieces of a phase: slip, stop, and slip again are three.
const MOST_PIECES: usize = 4;

/// Largest number of stretches of a phase: slip that turns, slip that does not, stop, and slip again are four, and
/// rounding may repeat some of them.
pub(super) const MOST_STRETCHES: usize = 64;

/// Work below this is scaled up before it is squared, and its root, a power of two.
const SMALL_WORK: f64 = 1e-200;
const SMALL_WORK_ROOT: f64 = 1.0 / (1u128 << 127) as f64 / (1u128 << 127) as f64 / (1u128 << 127) as f64;

/// The end of a stretch of the path.
#[derive(Debug, Clone, Copy)]
pub(super) enum Goal {
    /// `v_n` rises to this.
    Velocity(f64),
    /// The normal impulse of the whole impact is this.
    Impulse(f64),
    /// The work of the normal impulse since compression is this.
    Work(f64),
}

/// Compression: the path until `v_n = 0`.
pub(super) struct Compression {
    pub(super) normal_impulse: f64,
    /// `∫ v_n dp`, negative.
    pub(super) normal_work: f64,
}

/// Whether the contact sticks or slips.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum TangentialMotion {
    Rest,
    /// `v_t = speed · u`.
    Slip {
        u: Vec2,
        speed: f64,
    },
}

/// The state of the contact on its path.
#[derive(Debug, Clone, Copy)]
pub(super) struct State {
    pub(super) p: f64,
    pub(super) i_t: Vec2,
    pub(super) v_n: f64,
    pub(super) motion: TangentialMotion,
    /// `∫ v_n dp` since the phase began.
    pub(super) work: f64,
}

/// A stretch along which all velocities change in proportion to the impulse. Its length is measured in a unit of normal
/// impulse of its own, in which friction of any size has a rate of order one.
struct Straight {
    /// The unit, a power of two: `dp/dx`.
    unit: f64,
    /// `di_t/dx`
    friction: Vec2,
    /// `dv_n/dx`
    normal: f64,
    /// `None` for stick.
    slip: Option<StraightSlip>,
}

struct StraightSlip {
    u: Vec2,
    /// `d|v_t|/dx`
    speed: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    Stick,
    Slip,
    SlipForward,
    SlipBackward,
}

type Pieces = ArrayVec<Piece, MOST_PIECES>;

pub(super) struct Path<'a> {
    impact: &'a Impact<'a>,
    law: Law,
    /// Whether the matrix is regular, if need be with each tangent in a unit of its own.
    is_regular: bool,
    /// `di_t/dp` and `dv_n/dp` of stick.
    stick: (Vec2, f64),
    /// Speed below which slip counts as zero.
    no_slip: f64,
    state: State,
    compression: Pieces,
    restitution: Pieces,
    is_restoring: bool,
}

impl Goal {
    /// Distance past the goal; negative before it.
    pub(super) fn excess(self, p: f64, v_n: f64, work: f64) -> f64 {
        match self {
            Goal::Velocity(target) => v_n - target,
            Goal::Impulse(target) => p - target,
            Goal::Work(target) => work - target,
        }
    }

    /// The length of a straight stretch from a state to the goal; infinite if it is never reached.
    fn distance(self, state: &State, straight: &Straight) -> f64 {
        let (unit, slope) = (straight.unit, straight.normal);
        let missing = -self.excess(state.p, state.v_n, state.work);
        if missing <= 0.0 {
            return 0.0;
        }
        match self {
            Goal::Velocity(_) if slope > 0.0 => missing / slope,
            Goal::Impulse(_) => missing / unit,
            // unit (v_n x + slope x²/2) = missing, the smaller positive root.
            Goal::Work(_) => {
                // Scaled where the squares would underflow.
                let small = if missing < SMALL_WORK { SMALL_WORK_ROOT } else { 1.0 };
                let (v_n, missing) = (state.v_n / small, missing / unit / small / small);
                let root = (v_n * v_n + 2.0 * slope * missing).sqrt();
                let distance = 2.0 * missing / (v_n + root) * small;
                if distance >= 0.0 { distance } else { f64::INFINITY }
            }
            Goal::Velocity(_) => f64::INFINITY,
        }
    }

    /// The distance to the goal, as a change of the normal velocity.
    fn missing_speed(self, state: &State, w_nn: f64) -> f64 {
        let missing = (-self.excess(state.p, state.v_n, state.work)).max(0.0);
        match self {
            Goal::Velocity(_) => missing,
            Goal::Impulse(_) => w_nn * missing,
            Goal::Work(_) => (2.0 * w_nn * missing).sqrt(),
        }
    }
}

impl<'a> Path<'a> {
    pub(super) fn new(impact: &'a Impact<'a>, law: Law) -> Self {
        let &Contact { delassus: ref d, v_n, v_t, .. } = impact.contact;
        let is_regular = d.is_regular() || d.is_regular_by_rows();
        let (v_t, none) = if d.is_regular() {
            (v_t, NO_SLIP)
        } else if is_regular {
            (v_t, NO_SLIP_SINGULAR)
        } else {
            // The part of a velocity outside the range of W counts as rounding, and is dropped.
            (add_scaled(v_t, -1.0, d.null_vector(impact.contact.free_velocity())), NO_SLIP_SINGULAR)
        };
        let speed = norm(v_t);
        let no_slip = none * (speed + norm(d.w) * v_n.abs() * d.inv_w_nn);
        let motion = match unit(v_t) {
            Some(u) if speed > no_slip => TangentialMotion::Slip { u, speed },
            _ => TangentialMotion::Rest,
        };
        Self {
            impact,
            law,
            is_regular,
            stick: holding(d, is_regular),
            no_slip,
            state: State { p: 0.0, i_t: [0.0, 0.0], v_n, motion, work: 0.0 },
            compression: Pieces::new(),
            restitution: Pieces::new(),
            is_restoring: false,
        }
    }

    /// Follows the path to the end of compression.
    pub(super) fn compress(&mut self) -> Result<Compression> {
        self.follow(Goal::Velocity(0.0))?;
        self.state.v_n = 0.0;
        let compression = Compression { normal_impulse: self.state.p, normal_work: self.state.work };
        self.state.work = 0.0;
        self.is_restoring = true;
        Ok(compression)
    }

    /// Follows the path from the end of compression to that of the impact.
    pub(super) fn restore(&mut self, goal: Goal) -> Result<()> {
        self.follow(goal)?;
        if let Goal::Velocity(target) = goal {
            self.state.v_n = target;
        }
        Ok(())
    }

    /// Whether the contact approaches.
    pub(super) fn compresses(&self) -> bool {
        self.state.v_n < 0.0
    }

    /// The answer of a law whose impact ends here.
    pub(super) fn response(self) -> Response {
        let State { p, i_t, v_n, motion, .. } = self.state;
        let (mode, v_t, u) = match motion {
            TangentialMotion::Rest => (Mode::Stick, [0.0, 0.0], None),
            TangentialMotion::Slip { u, speed } => (Mode::Slip, scaled(speed, u), Some(u)),
        };
        let v_t = if self.is_regular { v_t } else { self.tangential_velocity() };
        let answer = self.impact.answered(mode, p, i_t, After { v_n, v_t }, u);
        let text = |pieces: &Pieces| pieces.iter().map(|piece| piece.name()).collect::<Vec<_>>().join(" ");
        let phases = format!("{} | {}", text(&self.compression), text(&self.restitution));
        Response { answer, phases: Some(phases.into()), chord: None }
    }

    fn follow(&mut self, goal: Goal) -> Result<()> {
        for _ in 0..MOST_STRETCHES {
            work::count();
            let mut straight = self.straight();
            let mut to_goal = goal.distance(&self.state, &straight);
            if let (TangentialMotion::Slip { u, speed }, Dimension::Spatial) =
                (self.state.motion, self.delassus().dimension)
            {
                if speed <= self.no_slip {
                    self.state.motion = TangentialMotion::Rest;
                    continue;
                }
                let turning = Turning::new(self.delassus(), self.impact.mu_d);
                if turning.is_straight(u) {
                    let p = to_goal.min(straight.stop(&self.state)) * straight.unit;
                    if let Some(u) = turning.settled(u, p, speed) {
                        self.state.motion = TangentialMotion::Slip { u, speed };
                        straight = self.straight();
                        to_goal = goal.distance(&self.state, &straight);
                    }
                } else if turning.turns_within(to_goal * straight.unit, speed) {
                    self.note(Piece::Slip);
                    match turning.advance(&mut self.state, goal, self.no_slip) {
                        End::Goal => return Ok(()),
                        End::Straight => continue,
                        End::Nowhere => return Err(self.lost(goal)),
                    }
                }
            }
            self.note(straight.piece(self.delassus().dimension));
            let to_stop = straight.stop(&self.state);
            if to_goal == f64::INFINITY && to_stop == f64::INFINITY {
                return Err(if self.is_regular { self.lost(goal) } else { self.held() });
            }
            let is_one_event = to_stop.is_finite() && (to_goal - to_stop).abs() <= SAME_EVENT * to_stop;
            let (ends, stops) = (to_goal <= to_stop || is_one_event, to_stop < to_goal || is_one_event);
            straight.advance(&mut self.state, if ends { to_goal } else { to_stop });
            if stops {
                self.state.motion = TangentialMotion::Rest;
            }
            if ends {
                return Ok(());
            }
        }
        Err(self.lost(goal))
    }

    /// `v_t⁻ + w p + W_tt i_t`. Along the path, velocity along the null vector of a singular matrix counts as rounding; the
    /// answer includes it.
    fn tangential_velocity(&self) -> Vec2 {
        let &Contact { delassus: ref d, v_t, .. } = self.impact.contact;
        let State { p, i_t, .. } = self.state;
        add_scaled(add_scaled(v_t, p, d.w), 1.0, d.w_tt.times(i_t))
    }

    fn delassus(&self) -> &'a Delassus {
        &self.impact.contact.delassus
    }

    /// The error of a path that did not reach its goal within the stretches and steps allowed.
    fn lost(&self, goal: Goal) -> Error {
        let State { p, i_t, ref motion, v_n, .. } = self.state;
        let &Contact { v_n: start, v_t, ref delassus, .. } = self.impact.contact;
        let speed = if let TangentialMotion::Slip { speed, .. } = *motion { speed } else { 0.0 };
        let largest = start.abs().max(norm(v_t)).max(v_n.abs()).max(speed);
        let residual = goal.missing_speed(&self.state, delassus.w_nn) / largest;
        not_converged(self.impact, residual, SAME_EVENT, p, i_t)
    }

    /// The error of a path along which velocities cease to change, which only a singular matrix can have.
    fn held(&self) -> Error {
        let reason = "has no answer here: the delassus matrix is singular, and friction holds the contact so that \
                      the normal velocity never rises";
        no_answer(self.law, reason)
    }

    fn note(&mut self, piece: Piece) {
        let pieces = if self.is_restoring { &mut self.restitution } else { &mut self.compression };
        if pieces.last() != Some(&piece) && !pieces.is_full() {
            pieces.push(piece);
        }
    }

    fn straight(&self) -> Straight {
        let (d, mu) = (self.delassus(), self.impact.mu_d);
        let u = match self.state.motion {
            TangentialMotion::Slip { u, .. } => u,
            TangentialMotion::Rest => {
                let (friction, normal) = self.stick;
                match self.departure() {
                    None => return Straight { unit: 1.0, friction, normal, slip: None },
                    Some(u) => u,
                }
            }
        };
        let unit = friction_unit(mu);
        let braking = scaled(mu * unit, u);
        let (normal, h) = slipping(d, unit, braking);
        Straight { unit, friction: scaled(-1.0, braking), normal, slip: Some(StraightSlip { u, speed: dot(u, h) }) }
    }

    /// The direction in which a contact at rest starts to slip; `None` if it sticks.
    fn departure(&self) -> Option<Vec2> {
        let (d, mu) = (self.delassus(), self.impact.mu_d);
        if norm(self.stick.0) <= self.impact.mu_s {
            return None;
        }
        if d.dimension == Dimension::Planar {
            return Some([d.w[0].signum(), 0.0]);
        }
        // h(u) = β u is the equation of slip of a contact without velocity.
        let equation = DirectionEquation::new(d.w_nn, d.w, d.w_tt, [0.0, 0.0], 1.0, mu, 1.0);
        let most_along = |a: &Direction, b: &Direction| a.lambda.total_cmp(&b.lambda);
        equation.unique().or_else(|| equation.all().into_iter().max_by(most_along)).map(|direction| direction.u)
    }
}

impl Straight {
    /// The length until the slip stops; infinite if it does not.
    fn stop(&self, state: &State) -> f64 {
        match (&self.slip, state.motion) {
            (Some(slip), TangentialMotion::Slip { speed, .. }) if slip.speed < 0.0 => speed / -slip.speed,
            _ => f64::INFINITY,
        }
    }

    fn advance(&self, state: &mut State, x: f64) {
        state.work += self.unit * x * (state.v_n + 0.5 * self.normal * x);
        state.p += self.unit * x;
        state.v_n += self.normal * x;
        state.i_t = add_scaled(state.i_t, x, self.friction);
        if let Some(slip) = &self.slip {
            let before = if let TangentialMotion::Slip { speed, .. } = state.motion { speed } else { 0.0 };
            let speed = before + slip.speed * x;
            state.motion =
                if speed > 0.0 { TangentialMotion::Slip { u: slip.u, speed } } else { TangentialMotion::Rest };
        }
    }

    fn piece(&self, dimension: Dimension) -> Piece {
        match &self.slip {
            None => Piece::Stick,
            Some(_) if dimension != Dimension::Planar => Piece::Slip,
            Some(slip) if slip.u[0] > 0.0 => Piece::SlipForward,
            Some(_) => Piece::SlipBackward,
        }
    }
}

impl Piece {
    fn name(self) -> &'static str {
        match self {
            Piece::Stick => "stick",
            Piece::Slip => "slip",
            Piece::SlipForward => "slip+",
            Piece::SlipBackward => "slip-",
        }
    }
}

/// A unit of normal impulse in which friction has a rate of order one: 1, or 1 over the power of two below a `μ > 1`,
/// which might overflow what it is multiplied with.
pub(super) fn friction_unit(mu: f64) -> f64 {
    if mu > 1.0 { scale(1.0, -exponent(mu)) } else { 1.0 }
}

/// As [`sticking`], but a `dv_n/dp` that is mere rounding of a singular matrix is zero.
pub(super) fn holding(d: &Delassus, is_regular: bool) -> (Vec2, f64) {
    let (friction, normal) = sticking(d);
    (friction, if is_regular || normal > LOCKED * d.w_nn { normal } else { 0.0 })
}

/// `dv_n` and `dv_t` of a `unit` of normal impulse with the friction `-braking`. In space each is rounded once: where `W` is nearly singular they
/// are small differences, and their rounding errors add up over an impulse that is large compared with the velocities.
fn slipping(d: &Delassus, unit: f64, braking: Vec2) -> (f64, Vec2) {
    let Sym2 { xx, xy, yy } = d.w_tt;
    let (w_nn, w) = (unit * d.w_nn, scaled(unit, d.w));
    if d.dimension == Dimension::Planar {
        return (w_nn - dot(d.w, braking), [w[0] - xx * braking[0], 0.0]);
    }
    let normal = exact_product(w_nn, &d.w, &braking);
    (normal, [exact_product(w[0], &[xx, xy], &braking), exact_product(w[1], &[xy, yy], &braking)])
}

/// `di_t/dp = -W_tt⁺ w` and `dv_n/dp = W_nn - wᵀ W_tt⁺ w` of stick.
pub(super) fn sticking(d: &Delassus) -> (Vec2, f64) {
    if !d.is_regular() && d.is_regular_by_rows() {
        let moved = d.solve_by_rows(d.w);
        let locking = 1.0 + dot(d.w, moved) * d.inv_w_nn;
        return (scaled(-1.0 / locking, moved), d.w_nn / locking);
    }
    let locking = limits::locking(d);
    let holding = if d.tangent.is_regular() {
        // Sherman and Morrison: W_tt⁻¹ w = S⁻¹ w / (1 + wᵀ S⁻¹ w / W_nn)
        scaled(-1.0 / locking, d.pseudo_solve(d.w))
    } else {
        scaled(-1.0, pseudo_inverse_times(&d.w_tt, d.w))
    };
    (holding, d.w_nn / locking)
}

fn pseudo_inverse_times(m: &Sym2, b: Vec2) -> Vec2 {
    let (small, large, along) = m.eigen();
    let across = [-along[1], along[0]];
    let share = |axis: Vec2, eigenvalue: f64| {
        let is_zero = eigenvalue <= TANGENT_RANK * m.trace();
        scaled(if is_zero { 0.0 } else { dot(axis, b) / eigenvalue }, axis)
    };
    let (x, y) = (share(along, large), share(across, small));
    [x[0] + y[0], x[1] + y[1]]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Slip that stops within next to no normal impulse, whose rates are beyond `f64` in units of that.
    #[test]
    fn friction_beyond_all_products_stops_the_slip_and_sticks() {
        let (w, v) = (6.9257396224e16, 263168000.0);
        for delassus in [
            Delassus::planar([[w, w], [w, 2.0 * w]]).unwrap(),
            Delassus::spatial([[w, w, 0.0], [w, 2.0 * w, 0.0], [0.0, 0.0, w]]).unwrap(),
        ] {
            let velocity = [-v, v, 0.0];
            let contact = Contact::new(delassus, &velocity[..delassus.dimension().rows()]).unwrap();
            let mu = 3.0135153699541016e296;
            let impact = Impact { contact: &contact, e: 0.0, e_t: 0.0, mu_s: mu, mu_d: mu };
            let mut path = Path::new(&impact, Law::Poisson);
            path.compress().unwrap();
            let State { p, i_t, motion, .. } = path.state;
            let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-14;
            assert_eq!(motion, TangentialMotion::Rest);
            assert!(near(p, 3.0 * v / w) && near(i_t[0], -2.0 * v / w), "{p} {i_t:?}");
        }
    }
}
