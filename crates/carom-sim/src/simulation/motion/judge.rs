//! Margins of an evaluation: how far the present phase is from its end.

use carom_law::{Dimension, Grip, PhaseContact, StickMargin};

use crate::error::{Result, SimulationError};
use crate::simulation::motion::contact::{Mode, STOP_MARGIN, WEDGE};
use crate::simulation::motion::margin::{FORCE_MARGIN, JAM_APPROACH, Margin, MarginSample, ON_BOUND, Reason};
use crate::simulation::motion::system::{System, tangential, view};

/// If D falls without growing forces, or starts below the threshold, it is checked again at this fraction of its value.
const NEXT_LOOK: f64 = 0.5;
/// Largest backward speed allowed at the onset of sliding, relative to the speed scale.
const CREEP: f64 = 1e-7;
/// Multiple of the slow speed below which the sliding direction in space is undetermined.
const DIRECTION: f64 = 10.0;

impl System {
    /// Tolerances that a decision grants the phase that begins. Contacts that begin to slide may keep their present
    /// velocity against their direction: among nearly dependent contacts no impulse can remove all of it, and it must
    /// not end the sliding at once. Contacts that could not press alone may do so with the help of others.
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
                    // It presses with the help of other contacts.
                    _ if reduced < WEDGE => f64::NEG_INFINITY,
                    // With several contacts, the D of one does not determine the forces.
                    _ if !is_alone => WEDGE,
                    _ => JAM_APPROACH.min(NEXT_LOOK * reduced).max(WEDGE),
                };
            }
        }
        self.closed = closed;
        terms
    }

    /// D / W_nn of a contact in the last evaluation; 1 unless it slides with friction.
    pub(crate) fn wedge_of(&self, contact: usize) -> f64 {
        let mut closed = self.watch.rows_of(&self.closed).zip(&self.grips);
        let found = closed.find(|((k, _), _)| *k == contact);
        found.and_then(|((_, rows), phase)| self.slip_denominator(rows.start, phase)).unwrap_or(1.0)
    }

    /// Lowers the threshold of D of a contact after a check that found no jam near.
    pub(crate) fn look_farther_down(&mut self, contact: usize) {
        self.contacts[contact].wedge = (NEXT_LOOK * self.contacts[contact].wedge).max(WEDGE);
    }

    /// D / W_nn of a contact whose rows start at `row`; `None` without sliding friction.
    fn slip_denominator(&self, row: usize, phase: &PhaseContact) -> Option<f64> {
        let Grip::Slip { direction, friction } = phase.grip else { return None };
        let w = self.rows.delassus();
        let coupled: f64 = (1..phase.dimension.rows()).map(|t| w[(row, row + t)] * direction[t - 1]).sum();
        (friction > 0.0).then(|| 1.0 - friction * coupled / w[(row, row)])
    }

    /// Computes the margins of the phase.
    pub(crate) fn judge(&mut self, closed: &[usize]) {
        let (mut margin, mut motion) = (Margin::NONE, Margin::NONE);
        let largest = self.largest_force();
        for ((k, rows), phase) in self.watch.rows_of(closed).zip(&self.grips) {
            let force = &self.forces[rows.clone()];
            margin.narrow(force[0] / largest + FORCE_MARGIN, k, Reason::Release);
            if let Some(pair) = self.watch.pair(k) {
                motion.narrow(pair.room(&self.dynamics, self.scales.of(k).length), k, Reason::Part);
            }
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
                        // Thresholds above and below which the direction is determined; they differ by a factor
                        // (hysteresis).
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

    /// Ends a phase in which a contact that starts to slide has lost its direction.
    pub(crate) fn lose_directions(&mut self, closed: &[usize]) {
        for &k in closed {
            if matches!(self.contacts[k].mode, Mode::Onset(_)) {
                self.motion_margin.narrow(-1.0, k, Reason::Lost);
                self.margin.narrow(-1.0, k, Reason::Lost);
            }
        }
    }

    /// The margin of the last evaluation. If the minimum-norm forces leave a cone and contacts are redundant, the
    /// margin of the best distribution, which then replaces the forces.
    pub(crate) fn best_margin(&mut self, time: f64, margin: Margin) -> Result<Margin> {
        if margin.value < 0.0 && self.may_be_redundant(margin) { self.redundant_margin(time) } else { Ok(margin) }
    }

    /// Replaces the forces of the last evaluation by their best distribution if the minimum-norm forces are outside
    /// their bounds.
    pub(crate) fn take_best_forces(&mut self, time: f64) -> Result<()> {
        if self.forces_margin.value < 0.0 && self.may_be_redundant(self.forces_margin) {
            self.best_distribution(time)?;
        }
        Ok(())
    }

    /// Whether a margin of the last evaluation belongs to forces that are not unique.
    pub(crate) fn may_be_redundant(&self, margin: Margin) -> bool {
        margin.by.is_some_and(|(_, reason)| reason.is_force())
            && self.report.is_some_and(|report| report.rank < report.unknowns)
    }

    /// Distance of a force from its bound, relative to the largest force, in the last evaluation, without tolerance:
    /// zero if the force is on its bound. For redundant contacts, the margin of all forces in their best distribution,
    /// whichever bound the minimum-norm forces leave first.
    pub(crate) fn force_margin(&mut self, time: f64, (contact, reason): (usize, Reason)) -> Result<f64> {
        if self.report.is_none_or(|report| report.rank == report.unknowns) {
            return Ok(self.bound_margin(contact, reason));
        }
        let all = self.forces_margin.value - FORCE_MARGIN;
        if all >= 0.0 { Ok(all) } else { Ok(self.best_distribution(time)?.margin) }
    }

    /// Distance of one force of the last evaluation from its bound, relative to the largest force.
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

    /// The largest force of the last evaluation, or the force scale if that is larger.
    fn largest_force(&self) -> f64 {
        self.forces[..self.rows.velocity().len()].iter().fold(self.scales.force, |m, f| m.max(f.abs()))
    }

    /// The margin of the last evaluation over all distributions of the forces. The best one replaces the forces.
    fn redundant_margin(&mut self, time: f64) -> Result<Margin> {
        let best = self.best_distribution(time)?;
        Ok(Margin { value: best.margin + FORCE_MARGIN, ..self.margin }.or_narrower(self.motion_margin))
    }

    /// Computes the best distribution of redundant forces, which replaces the forces.
    fn best_distribution(&mut self, time: f64) -> Result<StickMargin> {
        let rows = self.rows.velocity().len();
        let static_friction = self.closed.iter().map(|&k| self.watch.contact(k).coefficients.friction);
        let static_friction: Vec<f64> = static_friction.map(|mu| mu.map_or(0.0, |mu| mu.mu_s())).collect();
        self.phase
            .stick_margin(view(&self.rows), &self.free[..rows], &self.grips, &static_friction, &mut self.forces[..rows])
            .map_err(|source| SimulationError::Law { time, what: "the forces of redundant contacts", source })
    }

    /// The sliding speed in space above which its direction is determined.
    pub(crate) fn slowest_direction(&self, contact: usize) -> f64 {
        DIRECTION * self.scales.of(contact).slow
    }

    /// A force of the last evaluation that is outside its bound by more than rounding, but not enough to trigger an
    /// event.
    pub(crate) fn about_to_fire(&self) -> Option<(usize, Reason)> {
        let Margin { value, by } = self.forces_margin;
        let is_outside = (0.0..FORCE_MARGIN - ON_BOUND).contains(&value);
        by.filter(|_| is_outside && self.report.is_some_and(|report| report.rank == report.unknowns))
    }

    /// Margins of the evaluations since the last call.
    pub(crate) fn take_trace(&mut self) -> Vec<MarginSample> {
        std::mem::take(&mut self.trace)
    }

    pub(crate) fn forget_trace(&mut self) {
        self.trace.clear();
    }

    /// Returns the storage for the next margins.
    pub(crate) fn give_back(&mut self, mut trace: Vec<MarginSample>) {
        trace.clear();
        self.trace = trace;
    }
}
