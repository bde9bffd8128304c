//! How far a phase is from its end: forces inside their bounds, sliding that goes on.

use carom_law::{Dimension, Grip, PhaseContact, StickMargin};

use crate::error::{Result, SimulationError};
use crate::motion::system::{Mode, System, tangential, view};

/// Forces fire an event when they are this far outside their bounds, over the largest force: well beyond what decisions
/// accept (1e-12), or a decision would answer that everything goes on as before. This says only whether something
/// happens. When it happens is where they are on their bounds: see [`Simulation::phase_end`](crate::simulation).
pub(crate) const FORCE_MARGIN: f64 = 1e-10;
/// A force nearer than this to its bound, over the largest, is on it: what a decision accepts.
pub(crate) const ON_BOUND: f64 = 1e-12;
/// D = W_nn - μ_d w·u below this part of W_nn cannot balance a contact. The law calls it jammed up to twice that.
pub(crate) const WEDGE: f64 = 5e-7;
/// Sliding whose D / W_nn falls through this while it presses ever harder is about to jam. Forces grow like 1 / D there
/// (Génot and Brogliato, European Journal of Mechanics A 18, 1999), and what they do beyond is decided by the tolerance:
/// it is a choice to take the jam's impulse here. The impulse leaves its cone by as much.
pub(crate) const JAM_APPROACH: f64 = 1e-4;
/// Where D falls and forces do not grow, or D begins below that, it is looked at again at this part of D.
const NEXT_LOOK: f64 = 0.5;
/// Sliding backwards by less than this part of the speed scale is rounding.
pub(crate) const STOP_MARGIN: f64 = 1e-13;
/// What a contact may at most slide backwards when it begins to slide, over the speed scale.
const CREEP: f64 = 1e-7;
/// Sliding slower than this many times the slow speed has no direction of its own, in space.
const DIRECTION: f64 = 10.0;

/// Why a phase may have to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    /// A normal force that pulls.
    Release,
    /// A friction outside its cone.
    Cone,
    /// Sliding that stopped.
    Stop,
    /// Sliding that no longer begins as it did: no direction near the last is along its acceleration.
    Lost,
    /// A friction that no normal force can balance.
    Wedge,
    /// Sliding too slow to have a direction, or fast enough to have one again.
    Direction,
}

impl Reason {
    /// Whether a force is outside its bounds.
    pub(crate) fn is_force(self) -> bool {
        matches!(self, Self::Release | Self::Cone)
    }
}

/// How far a phase is from its end: negative beyond it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Margin {
    /// With what is allowed before an event fires.
    pub(crate) value: f64,
    /// The contact and why; none where nothing is closed.
    pub(crate) by: Option<(usize, Reason)>,
}

impl Margin {
    pub(crate) const NONE: Self = Self { value: f64::INFINITY, by: None };

    pub(crate) fn narrow(&mut self, value: f64, contact: usize, reason: Reason) {
        // NaN narrows too: it must not pass for a margin.
        if !(value >= self.value) {
            *self = Self { value, by: Some((contact, reason)) };
        }
    }

    /// The narrower of two.
    pub(crate) fn or_narrower(self, other: Self) -> Self {
        if other.value >= self.value { self } else { other }
    }
}

/// A margin that an evaluation found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen {
    pub(crate) time: f64,
    pub(crate) margin: f64,
    /// Of forces that are a choice: others may be inside.
    pub(crate) is_doubtful: bool,
    /// A force that is outside its bound by less than it takes to fire.
    pub(crate) about_to_fire: Option<(usize, Reason)>,
}

impl System {
    /// What a decision allows the phase that begins. Contacts that begin to slide may have the velocity against their
    /// direction that they have now: where contacts depend on each other closely, no impulse could take all of it away,
    /// and it must not end the sliding before it begins. And those that could not press alone may do so with the help of
    /// others.
    pub(crate) fn allow_decided(&mut self, time: f64, state: &[f64]) -> Result<()> {
        self.place(time, state)?;
        let closed = std::mem::take(&mut self.closed);
        let terms = self.terms(time, &closed);
        self.grip(&closed);
        let mut row = 0;
        for (&k, phase) in closed.iter().zip(&self.grips) {
            self.creep[k] = STOP_MARGIN;
            self.wedge[k] = WEDGE;
            if let Mode::Onset(u) = self.modes[k] {
                self.headings[k] = u;
            }
            if let Mode::SlipAlong(u) | Mode::Onset(u) = self.modes[k] {
                let velocity = tangential(&self.contacts, row, phase.dimension);
                let back = -(velocity[0] * u[0] + velocity[1] * u[1]);
                let speed = self.scales.of(k).speed;
                if back <= CREEP * speed {
                    self.creep[k] = STOP_MARGIN.max(2.0 * back / speed);
                }
            }
            if let Some(reduced) = self.reduced(row, phase) {
                let tree = |k: usize| self.scales.of(k).tree;
                let is_alone = !closed.iter().any(|&other| other != k && tree(other) == tree(k));
                self.wedge[k] = match reduced {
                    // It presses with the help of others.
                    _ if reduced < WEDGE => f64::NEG_INFINITY,
                    // The D of a single contact says nothing of the forces that others take part in.
                    _ if !is_alone => WEDGE,
                    _ => JAM_APPROACH.min(NEXT_LOOK * reduced).max(WEDGE),
                };
            }
            row += phase.dimension.rows();
        }
        self.closed = closed;
        terms
    }

    /// D / W_nn of a contact in the last evaluation; 1 if it does not slide with friction.
    pub(crate) fn wedge_of(&self, contact: usize) -> f64 {
        let mut row = 0;
        for (&k, phase) in self.closed.iter().zip(&self.grips) {
            if k == contact {
                return self.reduced(row, phase).unwrap_or(1.0);
            }
            row += phase.dimension.rows();
        }
        1.0
    }

    /// Takes note that D of a contact fell and no jam is near: it is looked at again farther down.
    pub(crate) fn look_farther_down(&mut self, contact: usize) {
        self.wedge[contact] = (NEXT_LOOK * self.wedge[contact]).max(WEDGE);
    }

    /// D / W_nn of a contact whose rows begin at `row`; none without friction of sliding.
    fn reduced(&self, row: usize, phase: &PhaseContact) -> Option<f64> {
        let Grip::Slip { direction, friction } = phase.grip else { return None };
        let w = self.contacts.delassus();
        let coupled: f64 = (1..phase.dimension.rows()).map(|t| w[(row, row + t)] * direction[t - 1]).sum();
        (friction > 0.0).then(|| 1.0 - friction * coupled / w[(row, row)])
    }

    /// How far the phase is from its end.
    pub(crate) fn judge(&mut self, closed: &[usize]) {
        let (mut margin, mut motion) = (Margin::NONE, Margin::NONE);
        let largest = self.largest_force();
        let mut row = 0;
        for (&k, phase) in closed.iter().zip(&self.grips) {
            let dimension = phase.dimension.rows();
            let force = &self.forces[row..row + dimension];
            margin.narrow(force[0] / largest + FORCE_MARGIN, k, Reason::Release);
            match phase.grip {
                Grip::Stick => {
                    let friction = self.watch.contact(k).coefficients.friction.map_or(0.0, |friction| friction.mu_s());
                    let tangential = force[1..].iter().map(|f| f * f).sum::<f64>().sqrt();
                    margin.narrow((friction * force[0] - tangential) / largest + FORCE_MARGIN, k, Reason::Cone);
                }
                Grip::Slip { direction, .. } if dimension > 1 => {
                    let velocity = tangential(&self.contacts, row, phase.dimension);
                    let along = velocity[0] * direction[0] + velocity[1] * direction[1];
                    let fixed = self.modes[k] != Mode::Slip;
                    if fixed {
                        motion.narrow(along / self.scales.of(k).speed + self.creep[k], k, Reason::Stop);
                    }
                    if phase.dimension == Dimension::Spatial {
                        // Where its own direction can be told, and where not; apart by a factor, so that one does not
                        // follow from the other.
                        let speed = velocity[0].hypot(velocity[1]) / self.scales.of(k).slow;
                        let room = if fixed { 2.0 * DIRECTION - speed } else { speed - DIRECTION };
                        motion.narrow(room, k, Reason::Direction);
                    }
                    if let Some(reduced) = self.reduced(row, phase) {
                        motion.narrow(reduced - self.wedge[k], k, Reason::Wedge);
                    }
                }
                Grip::Slip { .. } => {}
            }
            row += dimension;
        }
        self.motion_margin = motion;
        self.forces_margin = margin;
        self.margin = margin.or_narrower(motion);
    }

    /// Ends a phase in which a contact no longer begins to slide as it did.
    pub(crate) fn lose_directions(&mut self, closed: &[usize]) {
        for &k in closed {
            if matches!(self.modes[k], Mode::Onset(_)) {
                self.motion_margin.narrow(-1.0, k, Reason::Lost);
                self.margin.narrow(-1.0, k, Reason::Lost);
            }
        }
    }

    /// The margin of the last evaluation. Where the shortest forces leave a cone and others need not, that of the best
    /// distribution, which the forces are then.
    pub(crate) fn best_margin(&mut self, time: f64, margin: Margin) -> Result<Margin> {
        if margin.value < 0.0 && self.may_be_redundant(margin) { self.redundant_margin(time) } else { Ok(margin) }
    }

    /// Takes the best distribution of the forces of the last evaluation, where the shortest are outside their bounds.
    pub(crate) fn take_best_forces(&mut self, time: f64) -> Result<()> {
        if self.forces_margin.value < 0.0 && self.may_be_redundant(self.forces_margin) {
            self.best_distribution(time)?;
        }
        Ok(())
    }

    /// Whether a margin of the last evaluation is that of forces which are a choice.
    pub(crate) fn may_be_redundant(&self, margin: Margin) -> bool {
        margin.by.is_some_and(|(_, reason)| reason.is_force())
            && self.report.is_some_and(|report| report.rank < report.unknowns)
    }

    /// How far a force is inside its bounds, over the largest force, in the last evaluation: nothing is allowed here, so
    /// that this is zero where the force is on its bound. Where contacts are redundant, of all forces in their best
    /// distribution, whichever it is that the shortest ones leave first.
    pub(crate) fn force_margin(&mut self, time: f64, (contact, reason): (usize, Reason)) -> Result<f64> {
        if self.report.is_none_or(|report| report.rank == report.unknowns) {
            return Ok(self.bound_margin(contact, reason));
        }
        let all = self.forces_margin.value - FORCE_MARGIN;
        if all >= 0.0 { Ok(all) } else { Ok(self.best_distribution(time)?.margin) }
    }

    /// How far one force of the last evaluation is inside its bound, over the largest.
    fn bound_margin(&self, contact: usize, reason: Reason) -> f64 {
        let force = self.force(contact);
        let inside = match reason {
            Reason::Cone => {
                let friction = self.watch.contact(contact).coefficients.friction.map_or(0.0, |mu| mu.mu_s());
                friction * force[0] - force[1].hypot(force[2])
            }
            _ => force[0],
        };
        inside / self.largest_force()
    }

    /// The largest force of the last evaluation, or the scale of forces if that is larger.
    fn largest_force(&self) -> f64 {
        self.forces[..self.contacts.velocity().len()].iter().fold(self.scales.force, |m, f| m.max(f.abs()))
    }

    /// The margin of the last evaluation over all distributions of the forces, which are then those of the best one.
    fn redundant_margin(&mut self, time: f64) -> Result<Margin> {
        let best = self.best_distribution(time)?;
        Ok(Margin { value: best.margin + FORCE_MARGIN, ..self.margin }.or_narrower(self.motion_margin))
    }

    /// The best distribution of redundant forces, which the forces are then.
    fn best_distribution(&mut self, time: f64) -> Result<StickMargin> {
        let rows = self.contacts.velocity().len();
        let static_friction = self.closed.iter().map(|&k| self.watch.contact(k).coefficients.friction);
        let static_friction: Vec<f64> = static_friction.map(|mu| mu.map_or(0.0, |mu| mu.mu_s())).collect();
        self.phase
            .stick_margin(
                view(&self.contacts),
                &self.free[..rows],
                &self.grips,
                &static_friction,
                &mut self.forces[..rows],
            )
            .map_err(|source| SimulationError::Law { time, what: "the forces of redundant contacts", source })
    }

    /// The slowest sliding in space that has a direction of its own.
    pub(crate) fn slowest_direction(&self, contact: usize) -> f64 {
        DIRECTION * self.scales.of(contact).slow
    }

    /// A force of the last evaluation that is outside its bound by less than it takes to fire an event, and more than
    /// rounding.
    pub(crate) fn about_to_fire(&self) -> Option<(usize, Reason)> {
        let Margin { value, by } = self.forces_margin;
        let is_outside = (0.0..FORCE_MARGIN - ON_BOUND).contains(&value);
        by.filter(|_| is_outside && self.report.is_some_and(|report| report.rank == report.unknowns))
    }

    /// The margins of the evaluations of rates since the last call.
    pub(crate) fn take_trace(&mut self) -> Vec<Seen> {
        std::mem::take(&mut self.trace)
    }

    pub(crate) fn forget_trace(&mut self) {
        self.trace.clear();
    }

    /// Room for the next ones.
    pub(crate) fn give_back(&mut self, mut trace: Vec<Seen>) {
        trace.clear();
        self.trace = trace;
    }
}
