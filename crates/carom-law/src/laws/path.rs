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
//! turns, see [`super::keller`]. With a regular matrix `v_n - μ_d |v_t|` rises at least as fast as `λ_min(W)`, so
//! compression ends even where friction jams the contact at first (`W_nn <= μ_d w·u`, Painlevé's case).

use arrayvec::ArrayVec;

use super::keller::{End, Turning};
use super::{After, Response, no_answer, unit};
use crate::collision::Impact;
use crate::contact::Contact;
use crate::delassus::{Delassus, Dimension};
use crate::direction::{Direction, DirectionEquation};
use crate::error::{Error, Result};
use crate::limits;
use crate::mode::Mode;
use crate::outcome::Law;
use crate::plane::{Sym2, Vec2, add_scaled, dot, norm, scaled};
use crate::tangent::RANK_TOLERANCE;

/// A stop and a goal that lie this fraction of the way to them apart are one event: what rounding leaves of it.
const SAME_EVENT: f64 = 64.0 * f64::EPSILON;

/// Slip at most this fraction of the tangential velocities at play (2^-60) is none: the impulse until it
/// would stop, or since it started, is lost in the rounding of the whole.
const NO_SLIP: f64 = 8.7e-19;

/// Pieces of a phase that can be told apart: slip, stop, and slip again are three.
const MOST_PIECES: usize = 4;

/// Where a stretch of the path is to end.
#[derive(Debug, Clone, Copy)]
pub(super) enum Goal {
    /// `v_n` rises to this.
    Velocity(f64),
    /// The normal impulse of the whole impact is this.
    Impulse(f64),
    /// The work of the normal impulse since compression is this.
    Work(f64),
}

/// What happened until `v_n = 0`.
pub(super) struct Compression {
    pub(super) normal_impulse: f64,
    /// `∫ v_n dp`, negative.
    pub(super) normal_work: f64,
}

/// What the contact is doing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Motion {
    Rest,
    /// `v_t = speed · u`.
    Slip {
        u: Vec2,
        speed: f64,
    },
}

/// Where on the path the contact is.
#[derive(Debug, Clone, Copy)]
pub(super) struct State {
    pub(super) p: f64,
    pub(super) i_t: Vec2,
    pub(super) v_n: f64,
    pub(super) motion: Motion,
    /// `∫ v_n dp` since the phase began.
    pub(super) work: f64,
}

/// A stretch along which all velocities change in proportion to the impulse.
struct Straight {
    /// `di_t/dp`
    friction: Vec2,
    /// `dv_n/dp`
    normal: f64,
    /// `None` for stick.
    slip: Option<StraightSlip>,
}

struct StraightSlip {
    u: Vec2,
    /// `d|v_t|/dp`
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
    /// `di_t/dp` and `dv_n/dp` of stick.
    stick: (Vec2, f64),
    /// The size of slip that is none.
    no_slip: f64,
    state: State,
    compression: Pieces,
    restitution: Pieces,
    is_restoring: bool,
}

impl Goal {
    /// How far the contact is past the goal; negative before it.
    pub(super) fn excess(self, p: f64, v_n: f64, work: f64) -> f64 {
        match self {
            Goal::Velocity(target) => v_n - target,
            Goal::Impulse(target) => p - target,
            Goal::Work(target) => work - target,
        }
    }

    /// The impulse from a state to the goal where `v_n` has a constant slope; infinite if it is never reached.
    fn distance(self, state: &State, slope: f64) -> f64 {
        let missing = -self.excess(state.p, state.v_n, state.work);
        if missing <= 0.0 {
            return 0.0;
        }
        match self {
            Goal::Velocity(_) if slope > 0.0 => missing / slope,
            Goal::Impulse(_) => missing,
            // v_n x + slope x²/2 = missing, the smaller positive root.
            Goal::Work(_) => {
                let root = (state.v_n * state.v_n + 2.0 * slope * missing).sqrt();
                let distance = 2.0 * missing / (state.v_n + root);
                if distance >= 0.0 { distance } else { f64::INFINITY }
            }
            Goal::Velocity(_) => f64::INFINITY,
        }
    }
}

impl<'a> Path<'a> {
    pub(super) fn new(impact: &'a Impact<'a>, law: Law) -> Self {
        let &Contact { delassus: ref d, v_n, v_t, .. } = impact.contact;
        let speed = norm(v_t);
        let no_slip = NO_SLIP * (speed + norm(d.w) * v_n.abs() * d.inv_w_nn);
        let motion = match unit(v_t) {
            Some(u) if speed > no_slip => Motion::Slip { u, speed },
            _ => Motion::Rest,
        };
        Self {
            impact,
            law,
            stick: sticking(d),
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

    /// The answer of a law whose impact ends here.
    pub(super) fn response(self) -> Response {
        let State { p, i_t, v_n, motion, .. } = self.state;
        let (mode, v_t, u) = match motion {
            Motion::Rest => (Mode::Stick, [0.0, 0.0], None),
            Motion::Slip { u, speed } => (Mode::Slip, scaled(speed, u), Some(u)),
        };
        let answer = self.impact.answered(mode, p, i_t, After { v_n, v_t }, u);
        let text = |pieces: &Pieces| pieces.iter().map(|piece| piece.name()).collect::<Vec<_>>().join(" ");
        let phases = format!("{} | {}", text(&self.compression), text(&self.restitution));
        Response { answer, phases: Some(phases.into()) }
    }

    fn follow(&mut self, goal: Goal) -> Result<()> {
        loop {
            if let (Motion::Slip { u, speed }, Dimension::Spatial) = (self.state.motion, self.delassus().dimension) {
                if speed <= self.no_slip {
                    self.state.motion = Motion::Rest;
                    continue;
                }
                let turning = Turning::new(self.delassus(), self.impact.mu_d);
                if !turning.is_straight(u) {
                    self.note(Piece::Slip);
                    match turning.advance(&mut self.state, goal, self.no_slip) {
                        End::Goal => return Ok(()),
                        End::Straight => continue,
                        End::Nowhere => return Err(self.held()),
                    }
                }
            }
            let straight = self.straight();
            self.note(straight.piece(self.delassus().dimension));
            let to_goal = goal.distance(&self.state, straight.normal);
            let to_stop = straight.stop(&self.state);
            if to_goal == f64::INFINITY && to_stop == f64::INFINITY {
                return Err(self.held());
            }
            let is_one_event = to_stop.is_finite() && (to_goal - to_stop).abs() <= SAME_EVENT * to_stop;
            let (ends, stops) = (to_goal <= to_stop || is_one_event, to_stop < to_goal || is_one_event);
            straight.advance(&mut self.state, if ends { to_goal } else { to_stop });
            if stops {
                self.state.motion = Motion::Rest;
            }
            if ends {
                return Ok(());
            }
        }
    }

    fn delassus(&self) -> &'a Delassus {
        &self.impact.contact.delassus
    }

    /// The error of a path that leads nowhere, which only a singular matrix can have.
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
            Motion::Slip { u, .. } => u,
            Motion::Rest => {
                let (friction, normal) = self.stick;
                match self.departure() {
                    None => return Straight { friction, normal, slip: None },
                    Some(u) => u,
                }
            }
        };
        let h = add_scaled(d.w, -mu, d.w_tt.times(u));
        Straight {
            friction: scaled(-mu, u),
            normal: d.w_nn - mu * dot(d.w, u),
            slip: Some(StraightSlip { u, speed: dot(u, h) }),
        }
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
    /// The impulse until the slip stops; infinite if it does not.
    fn stop(&self, state: &State) -> f64 {
        match (&self.slip, state.motion) {
            (Some(slip), Motion::Slip { speed, .. }) if slip.speed < 0.0 => speed / -slip.speed,
            _ => f64::INFINITY,
        }
    }

    fn advance(&self, state: &mut State, p: f64) {
        state.work += p * (state.v_n + 0.5 * self.normal * p);
        state.p += p;
        state.v_n += self.normal * p;
        state.i_t = add_scaled(state.i_t, p, self.friction);
        if let Some(slip) = &self.slip {
            let before = if let Motion::Slip { speed, .. } = state.motion { speed } else { 0.0 };
            let speed = before + slip.speed * p;
            state.motion = if speed > 0.0 { Motion::Slip { u: slip.u, speed } } else { Motion::Rest };
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

/// `di_t/dp = -W_tt⁺ w` and `dv_n/dp = W_nn - wᵀ W_tt⁺ w` of stick.
pub(super) fn sticking(d: &Delassus) -> (Vec2, f64) {
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
        let is_zero = eigenvalue <= RANK_TOLERANCE * m.trace();
        scaled(if is_zero { 0.0 } else { dot(axis, b) / eigenvalue }, axis)
    };
    let (x, y) = (share(along, large), share(across, small));
    [x[0] + y[0], x[1] + y[1]]
}
