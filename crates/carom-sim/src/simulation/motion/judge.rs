//! How far the present phase is from its end: the margins of an evaluation.

use carom_law::{Dimension, Grip, PhaseContact, StickMargin};

use crate::error::{Result, SimulationError};
use crate::simulation::motion::contact::{Mode, STOP_MARGIN, WEDGE};
use crate::simulation::motion::margin::{FORCE_MARGIN, JAM_APPROACH, Margin, MarginSample, ON_BOUND, Reason};
use crate::simulation::motion::system::{System, tangential, view};

/// Where D falls and forces do not grow, or D begins below that, it is looked at again at this part of D.
const NEXT_LOOK: f64 = 0.5;
/// What a contact may at most slide backwards when it begins to slide, over the speed scale.
const CREEP: f64 = 1e-7;
/// Sliding slower than this many times the slow speed has no direction of its own, in space.
const DIRECTION: f64 = 10.0;

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
        for ((k, rows), phase) in self.watch.rows_of(&closed).zip(&self.grips) {
            self.contacts[k].creep = STOP_MARGIN;
            self.contacts[k].wedge = WEDGE;
            if let Mode::Onset(u) = self.contacts[k].mode {
                self.contacts[k].heading = u;
            }
            if let Mode::SlipAlong(u) | Mode::Onset(u) = self.contacts[k].mode {
                let velocity = tangential(&self.rows, rows.clone());
                let back = -(velocity[0] * u[0] + velocity[1] * u[1]);
                let speed = self.scales.of(k).speed;
                if back <= CREEP * speed {
                    self.contacts[k].creep = STOP_MARGIN.max(2.0 * back / speed);
                }
            }
            if let Some(reduced) = self.slip_denominator(rows.start, phase) {
                let tree = |k: usize| self.scales.of(k).tree;
                let is_alone = !closed.iter().any(|&other| other != k && tree(other) == tree(k));
                self.contacts[k].wedge = match reduced {
                    // It presses with the help of others.
                    _ if reduced < WEDGE => f64::NEG_INFINITY,
                    // The D of a single contact says nothing of the forces that others take part in.
                    _ if !is_alone => WEDGE,
                    _ => JAM_APPROACH.min(NEXT_LOOK * reduced).max(WEDGE),
                };
            }
        }
        self.closed = closed;
        terms
    }

    /// D / W_nn of a contact in the last evaluation; 1 if it does not slide with friction.
    pub(crate) fn wedge_of(&self, contact: usize) -> f64 {
        let mut closed = self.watch.rows_of(&self.closed).zip(&self.grips);
        let found = closed.find(|((k, _), _)| *k == contact);
        found.and_then(|((_, rows), phase)| self.slip_denominator(rows.start, phase)).unwrap_or(1.0)
    }

    /// Takes note that D of a contact fell and no jam is near: it is looked at again farther down.
    pub(crate) fn look_farther_down(&mut self, contact: usize) {
        self.contacts[contact].wedge = (NEXT_LOOK * self.contacts[contact].wedge).max(WEDGE);
    }

    /// D / W_nn of a contact whose rows begin at `row`; none without friction of sliding.
    fn slip_denominator(&self, row: usize, phase: &PhaseContact) -> Option<f64> {
        let Grip::Slip { direction, friction } = phase.grip else { return None };
        let w = self.rows.delassus();
        let coupled: f64 = (1..phase.dimension.rows()).map(|t| w[(row, row + t)] * direction[t - 1]).sum();
        (friction > 0.0).then(|| 1.0 - friction * coupled / w[(row, row)])
    }

    /// How far the phase is from its end.
    pub(crate) fn judge(&mut self, closed: &[usize]) {
        let (mut margin, mut motion) = (Margin::NONE, Margin::NONE);
        let largest = self.largest_force();
        for ((k, rows), phase) in self.watch.rows_of(closed).zip(&self.grips) {
            let force = &self.forces[rows.clone()];
            margin.narrow(force[0] / largest + FORCE_MARGIN, k, Reason::Release);
            match phase.grip {
                Grip::Stick => {
                    let friction = self.watch.contact(k).coefficients.friction.map_or(0.0, |friction| friction.mu_s());
                    let tangential = force[1..].iter().map(|f| f * f).sum::<f64>().sqrt();
                    margin.narrow((friction * force[0] - tangential) / largest + FORCE_MARGIN, k, Reason::Cone);
                }
                Grip::Slip { direction, .. } if rows.len() > 1 => {
                    let velocity = tangential(&self.rows, rows.clone());
                    let along = velocity[0] * direction[0] + velocity[1] * direction[1];
                    let fixed = self.contacts[k].mode != Mode::Slip;
                    if fixed {
                        motion.narrow(along / self.scales.of(k).speed + self.contacts[k].creep, k, Reason::Stop);
                    }
                    if phase.dimension == Dimension::Spatial {
                        // Where its own direction can be told, and where not; apart by a factor, so that one does not
                        // follow from the other.
                        let speed = velocity[0].hypot(velocity[1]) / self.scales.of(k).slow;
                        let room = if fixed { 2.0 * DIRECTION - speed } else { speed - DIRECTION };
                        motion.narrow(room, k, Reason::Direction);
                    }
                    if let Some(reduced) = self.slip_denominator(rows.start, phase) {
                        motion.narrow(reduced - self.contacts[k].wedge, k, Reason::Wedge);
                    }
                }
                Grip::Slip { .. } => {}
            }
        }
        self.motion_margin = motion;
        self.forces_margin = margin;
        self.margin = margin.or_narrower(motion);
    }

    /// Ends a phase in which a contact no longer begins to slide as it did.
    pub(crate) fn lose_directions(&mut self, closed: &[usize]) {
        for &k in closed {
            if matches!(self.contacts[k].mode, Mode::Onset(_)) {
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
        self.forces[..self.rows.velocity().len()].iter().fold(self.scales.force, |m, f| m.max(f.abs()))
    }

    /// The margin of the last evaluation over all distributions of the forces, which are then those of the best one.
    fn redundant_margin(&mut self, time: f64) -> Result<Margin> {
        let best = self.best_distribution(time)?;
        Ok(Margin { value: best.margin + FORCE_MARGIN, ..self.margin }.or_narrower(self.motion_margin))
    }

    /// The best distribution of redundant forces, which the forces are then.
    fn best_distribution(&mut self, time: f64) -> Result<StickMargin> {
        let rows = self.rows.velocity().len();
        let static_friction = self.closed.iter().map(|&k| self.watch.contact(k).coefficients.friction);
        let static_friction: Vec<f64> = static_friction.map(|mu| mu.map_or(0.0, |mu| mu.mu_s())).collect();
        self.phase
            .stick_margin(view(&self.rows), &self.free[..rows], &self.grips, &static_friction, &mut self.forces[..rows])
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
    pub(crate) fn take_trace(&mut self) -> Vec<MarginSample> {
        std::mem::take(&mut self.trace)
    }

    pub(crate) fn forget_trace(&mut self) {
        self.trace.clear();
    }

    /// Room for the next ones.
    pub(crate) fn give_back(&mut self, mut trace: Vec<MarginSample>) {
        trace.clear();
        self.trace = trace;
    }
}
