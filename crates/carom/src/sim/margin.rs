//! How far a phase is from its end: forces inside their bounds, sliding that goes on.

use carom_law::{Dimension, Grip, PhaseContact};

use super::error::{Result, SimulationError};
use super::system::{Mode, System, tangential, view};

/// Forces fire an event when they are this far outside their bounds, over the largest force.
const FORCE_MARGIN: f64 = 1e-10;
/// D = W_nn - μ_d w·u below this part of W_nn cannot balance a contact. The law calls it jammed up to twice that.
pub(super) const WEDGE: f64 = 5e-7;
/// Sliding backwards by less than this part of the speed scale is rounding.
pub(super) const STOP_MARGIN: f64 = 1e-13;
/// What a contact may at most slide backwards when it begins to slide, over the speed scale.
const CREEP: f64 = 1e-7;
/// Sliding slower than this many times the slow speed has no direction of its own, in space.
const DIRECTION: f64 = 10.0;

/// Why a phase may have to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reason {
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

/// How far a phase is from its end: negative beyond it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Margin {
    pub(super) value: f64,
    /// The contact and why; none where nothing is closed.
    pub(super) by: Option<(usize, Reason)>,
}

impl Margin {
    pub(super) const NONE: Self = Self { value: f64::INFINITY, by: None };

    pub(super) fn narrow(&mut self, value: f64, contact: usize, reason: Reason) {
        // NaN narrows too: it must not pass for a margin.
        if !(value >= self.value) {
            *self = Self { value, by: Some((contact, reason)) };
        }
    }

    /// The narrower of two.
    pub(super) fn or_narrower(self, other: Self) -> Self {
        if other.value >= self.value { self } else { other }
    }
}

/// A margin that an evaluation found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    pub(super) time: f64,
    pub(super) margin: f64,
    /// Of forces that are a choice: others may be inside.
    pub(super) is_doubtful: bool,
}

impl System {
    /// What a decision allows the phase that begins. Contacts that begin to slide may have the velocity against their
    /// direction that they have now: where contacts depend on each other closely, no impulse could take all of it away,
    /// and it must not end the sliding before it begins. And those that could not press alone may do so with the help of
    /// others.
    pub(super) fn allow_decided(&mut self, time: f64, state: &[f64]) -> Result<()> {
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
            if self.reduced(row, phase).is_some_and(|reduced| reduced < WEDGE) {
                self.wedge[k] = f64::NEG_INFINITY;
            }
            row += phase.dimension.rows();
        }
        self.closed = closed;
        terms
    }

    /// D / W_nn of a contact whose rows begin at `row`; none without friction of sliding.
    fn reduced(&self, row: usize, phase: &PhaseContact) -> Option<f64> {
        let Grip::Slip { direction, friction } = phase.grip else { return None };
        let w = self.contacts.delassus();
        let coupled: f64 = (1..phase.dimension.rows()).map(|t| w[(row, row + t)] * direction[t - 1]).sum();
        (friction > 0.0).then(|| 1.0 - friction * coupled / w[(row, row)])
    }

    /// How far the phase is from its end.
    pub(super) fn judge(&mut self, closed: &[usize]) {
        let (mut margin, mut motion) = (Margin::NONE, Margin::NONE);
        let largest =
            self.forces[..self.contacts.velocity().len()].iter().fold(self.scales.force, |m, f| m.max(f.abs()));
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
        self.margin = margin.or_narrower(motion);
    }

    /// Ends a phase in which a contact no longer begins to slide as it did.
    pub(super) fn lose_directions(&mut self, closed: &[usize]) {
        for &k in closed {
            if matches!(self.modes[k], Mode::Onset(_)) {
                self.motion_margin.narrow(-1.0, k, Reason::Lost);
                self.margin.narrow(-1.0, k, Reason::Lost);
            }
        }
    }

    /// The margin of the last evaluation. Where the shortest forces leave a cone and others need not, that of the best
    /// distribution, which the forces are then.
    pub(super) fn best_margin(&mut self, time: f64, margin: Margin) -> Result<Margin> {
        if margin.value < 0.0 && self.may_be_redundant(margin) { self.redundant_margin(time) } else { Ok(margin) }
    }

    /// Whether a margin of the last evaluation is that of forces which are a choice.
    pub(super) fn may_be_redundant(&self, margin: Margin) -> bool {
        matches!(margin.by, Some((_, Reason::Release | Reason::Cone)))
            && self.report.is_some_and(|report| report.rank < report.unknowns)
    }

    /// The margin of the last evaluation over all distributions of the forces, which are then those of the best one.
    fn redundant_margin(&mut self, time: f64) -> Result<Margin> {
        let rows = self.contacts.velocity().len();
        let static_friction = self.closed.iter().map(|&k| self.watch.contact(k).coefficients.friction);
        let static_friction: Vec<f64> = static_friction.map(|mu| mu.map_or(0.0, |mu| mu.mu_s())).collect();
        let best = self
            .phase
            .stick_margin(
                view(&self.contacts),
                &self.free[..rows],
                &self.grips,
                &static_friction,
                &mut self.forces[..rows],
            )
            .map_err(|source| SimulationError::Law { time, what: "the forces of redundant contacts", source })?;
        Ok(Margin { value: best.margin + FORCE_MARGIN, ..self.margin }.or_narrower(self.motion_margin))
    }

    /// The slowest sliding in space that has a direction of its own.
    pub(super) fn slowest_direction(&self, contact: usize) -> f64 {
        DIRECTION * self.scales.of(contact).slow
    }

    /// The margins of the evaluations of rates since the last call.
    pub(super) fn take_trace(&mut self) -> Vec<Seen> {
        std::mem::take(&mut self.trace)
    }

    pub(super) fn forget_trace(&mut self) {
        self.trace.clear();
    }

    /// Room for the next ones.
    pub(super) fn give_back(&mut self, mut trace: Vec<Seen>) {
        trace.clear();
        self.trace = trace;
    }
}
