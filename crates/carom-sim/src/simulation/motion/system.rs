//! The equations of motion of a robot whose contacts are open, stick or slip, with the forces that maintain these
//! modes.

use std::ops::Range;
use std::sync::Arc;

use carom_law::{Dimension, Grip, MatrixView, PhaseContact, PhaseForces, PhaseReport};
use carom_multibody::{Contacts, Dynamics, Model};

use crate::error::{Result, SimulationError};
use crate::setup::scale::Scales;
use crate::setup::watch::Watch;
use crate::setup::{Actuator, Setup};
use crate::simulation::motion::contact::{ContactState, Mode, three};
use crate::simulation::motion::integrate::Flow;
use crate::simulation::motion::loop_watch::LoopWatch;
use crate::simulation::motion::margin::{Margin, MarginSample};
use crate::stiffness::Stiffness;

/// Works that are integrated beside the motion: of friction, damping, motors and, where a joint has it, dry friction.
const WORKS: usize = 4;

/// The robot, its contacts, and workspace of its equations of motion.
///
/// Invariants: `contacts` has one entry per contact of `watch`, in its order. Between steps `closed` lists the closed
/// contacts in order. Forces, accelerations, margins and `report` are those of the last evaluation, in whatever state;
/// `rows` has the terms of the contacts last selected.
#[derive(Debug, Clone)]
pub(crate) struct System {
    pub(crate) setup: Setup,
    pub(crate) watch: Watch,
    pub(crate) scales: Scales,
    /// The joint that makes the equations stiff, if any.
    pub(crate) stiffest: Option<Stiffness>,
    pub(crate) dynamics: Dynamics,
    /// State of each contact, in the order of `watch`.
    pub(crate) contacts: Vec<ContactState>,
    /// Rows of the closed contacts, or of those at an instant.
    pub(crate) rows: Contacts,
    pub(crate) phase: PhaseForces,
    gaps: Vec<f64>,
    rates: Vec<f64>,
    known: Known,
    pub(crate) closed: Vec<usize>,
    pub(crate) grips: Vec<PhaseContact>,
    unit: Vec<f64>,
    /// Forces that a controller holds, one per velocity.
    pub(crate) held: Vec<f64>,
    motors: Vec<f64>,
    total: Vec<f64>,
    pub(crate) acceleration: Vec<f64>,
    pub(crate) free: Vec<f64>,
    /// Forces in the rows of the closed contacts.
    pub(crate) forces: Vec<f64>,
    pub(crate) report: Option<PhaseReport>,
    pub(crate) margin: Margin,
    /// The margin of the forces alone.
    pub(crate) forces_margin: Margin,
    /// The margin of everything but the forces, which are not unique for redundant contacts.
    pub(crate) motion_margin: Margin,
    /// Margins since the last call of `take_trace`.
    pub(crate) trace: Vec<MarginSample>,
    pub(crate) evaluations: u64,
    /// The closed loops, if the robot has any.
    pub(crate) loops: Option<LoopWatch>,
}

/// Which quantities have been computed in the state of the dynamics. Within an instant the same state is evaluated
/// repeatedly.
///
/// Invariant: `gaps` and `terms` belong to that state. Pairs may switch to other parts without a change of state: with
/// pairs nothing counts as known.
#[derive(Debug, Clone, Copy, Default)]
struct Known {
    /// Gaps and rates.
    gaps: bool,
    /// The terms of the selected rows.
    terms: bool,
}

impl System {
    pub(crate) fn new(setup: Setup) -> Result<Self> {
        let model = Arc::clone(&setup.model);
        let watch = Watch::new(&setup)?;
        let scales = Scales::new(&setup, &watch);
        let (freedoms, rows) = (model.nv(), watch.rows());
        Ok(Self {
            rows: watch.contacts(&model).map_err(|source| dynamics(0.0, source))?,
            contacts: vec![ContactState::OPEN; watch.len()],
            gaps: vec![0.0; watch.len()],
            rates: vec![0.0; watch.len()],
            known: Known::default(),
            dynamics: Dynamics::new(Arc::clone(&model)),
            stiffest: None,
            phase: PhaseForces::new(),
            closed: Vec::with_capacity(watch.len()),
            grips: Vec::with_capacity(watch.len()),
            unit: vec![0.0; model.nq()],
            held: vec![0.0; freedoms],
            motors: vec![0.0; freedoms],
            total: vec![0.0; freedoms],
            acceleration: vec![0.0; freedoms],
            free: vec![0.0; rows],
            forces: vec![0.0; rows],
            report: None,
            margin: Margin::NONE,
            forces_margin: Margin::NONE,
            motion_margin: Margin::NONE,
            trace: Vec::with_capacity(16),
            evaluations: 0,
            loops: None,
            setup,
            watch,
            scales,
        })
    }

    pub(crate) fn model(&self) -> &Arc<Model> {
        &self.setup.model
    }

    /// Length of a state: q, v and the works.
    pub(crate) fn size(&self) -> usize {
        self.setup.model.nq() + self.setup.model.nv() + self.watch.work_count()
    }

    /// q, v and the works of a state.
    pub(crate) fn parts<'s>(&self, state: &'s [f64]) -> (&'s [f64], &'s [f64], &'s [f64]) {
        let (q, rest) = state.split_at(self.setup.model.nq());
        let (v, works) = rest.split_at(self.setup.model.nv());
        (q, v, works)
    }

    pub(crate) fn parts_mut<'s>(&self, state: &'s mut [f64]) -> (&'s mut [f64], &'s mut [f64], &'s mut [f64]) {
        let (q, rest) = state.split_at_mut(self.setup.model.nq());
        let (v, works) = rest.split_at_mut(self.setup.model.nv());
        (q, v, works)
    }

    /// The works of friction, damping, motors and dry friction of a state.
    pub(crate) fn works(&self, state: &[f64]) -> [f64; WORKS] {
        let (_, _, works) = self.parts(state);
        [works[0], works[1], works[2], works.get(3).copied().unwrap_or_default()]
    }

    /// Sets the state of the robot. If it is the present one, computed quantities are kept.
    pub(crate) fn place(&mut self, time: f64, state: &[f64]) -> Result<()> {
        let (nq, nv) = (self.unit.len(), self.acceleration.len());
        self.unit.copy_from_slice(&state[..nq]);
        self.setup.model.normalize(&mut self.unit);
        let velocity = &state[nq..nq + nv];
        if is_same(&self.unit, self.dynamics.configuration()) && is_same(velocity, self.dynamics.velocity()) {
            return Ok(());
        }
        self.known = Known::default();
        self.dynamics.set_state(&self.unit, velocity).map_err(|source| dynamics(time, source))
    }

    /// Exchanges the dynamics for another one with the same links, but other inertias and possibly another state.
    pub(crate) fn swap_dynamics(&mut self, other: &mut Dynamics) {
        self.known = Known::default();
        std::mem::swap(&mut self.dynamics, other);
    }

    /// Puts the state of the dynamics back onto the loops.
    pub(crate) fn close_loops(&mut self, time: f64) -> Result<()> {
        self.known = Known::default();
        self.dynamics.restore_loops().map_err(|source| dynamics(time, source))
    }

    /// Measures gaps and rates of all contacts in the current state, except for the parts of boxes that are far apart.
    pub(crate) fn measure(&mut self, time: f64) -> Result<()> {
        if !self.known.gaps {
            let measured = self.watch.measure_near(&mut self.dynamics, &mut self.gaps, &mut self.rates);
            measured.map_err(|source| dynamics(time, source))?;
            self.known.gaps = self.watch.pairs.is_empty();
        }
        for (contact, (gap, rate)) in self.contacts.iter_mut().zip(self.gaps.iter().zip(&self.rates)) {
            (contact.gap, contact.rate) = (*gap, *rate);
        }
        Ok(())
    }

    /// Gaps of all contacts in the current state, including the parts of boxes that are far apart.
    pub(crate) fn all_gaps(&mut self, time: f64) -> Result<Vec<f64>> {
        if self.known.gaps {
            return Ok(self.gaps.clone());
        }
        let (mut gaps, mut rates) = (vec![0.0; self.contacts.len()], vec![0.0; self.contacts.len()]);
        let measured = self.watch.measure(&mut self.dynamics, &mut gaps, &mut rates);
        measured.map_err(|source| dynamics(time, source))?;
        Ok(gaps)
    }

    /// Gaps and rates as last measured.
    pub(crate) fn distances(&self) -> Vec<(f64, f64)> {
        self.contacts.iter().map(ContactState::distance).collect()
    }

    /// The closed contacts, in order.
    pub(crate) fn closed(&self) -> &[usize] {
        &self.closed
    }

    /// Updates the list of closed contacts from the modes.
    pub(crate) fn adopt_modes(&mut self) {
        self.closed.clear();
        self.closed.extend((0..self.contacts.len()).filter(|&k| self.contacts[k].mode.is_closed()));
        let first = self.watch.first_pair();
        for (place, pair) in self.watch.pairs.iter_mut().enumerate() {
            match self.contacts[first + place].mode.is_closed() {
                true if !pair.is_kept() => pair.keep(&self.dynamics),
                true => {}
                false => pair.release(),
            }
        }
    }

    /// Sets joints with dry friction to stick or slide from the start.
    pub(crate) fn start_frictions(&mut self) {
        for (place, friction) in self.watch.frictions().iter().enumerate() {
            let rate = friction.rate(self.dynamics.velocity());
            let slides = rate != 0.0;
            self.contacts[self.watch.first_friction() + place].mode =
                if slides { Mode::SlipAlong([rate.signum(), 0.0]) } else { Mode::Stick };
        }
    }

    /// Keeps the parts of a pair that touch in the present state, and recomputes its tangents; directions along the old
    /// ones are converted.
    pub(crate) fn renew_parts(&mut self, k: usize) {
        let Some(place) = k.checked_sub(self.watch.first_pair()) else { return };
        let pair = &mut self.watch.pairs[place];
        let before = pair.axes(&self.dynamics);
        pair.keep(&self.dynamics);
        let (Some(([_, t1, t2], _)), Some(([_, s1, s2], _))) = (before, pair.axes(&self.dynamics)) else { return };
        let turned = |[x, y]: [f64; 2]| {
            let along = x * t1 + y * t2;
            direction([along.dot(s1), along.dot(s2)]).unwrap_or([x, y])
        };
        let contact = &mut self.contacts[k];
        contact.heading = turned(contact.heading);
        if let Mode::SlipAlong(along) | Mode::Onset(along) = &mut contact.mode {
            *along = turned(*along);
        }
    }

    /// Accelerations without contact forces in the current state, into `acceleration`; also updates the joint forces.
    pub(crate) fn accelerate_freely(&mut self, time: f64) -> Result<()> {
        self.drive(time)?;
        let free = self.dynamics.forward_dynamics(&self.total).map_err(|source| dynamics(time, source))?;
        self.acceleration.copy_from_slice(free);
        Ok(())
    }

    /// Accelerations without contact forces in the current state, into `acceleration`. `more` adds to the joint forces
    /// a function of the index and value of each velocity.
    pub(crate) fn accelerate_over(&mut self, time: f64, more: impl Fn(usize, f64) -> f64) -> Result<()> {
        self.drive(time)?;
        for (k, (total, v)) in self.total.iter_mut().zip(self.dynamics.velocity()).enumerate() {
            *total += more(k, *v);
        }
        let free = self.dynamics.forward_dynamics(&self.total).map_err(|source| dynamics(time, source))?;
        self.acceleration.copy_from_slice(free);
        Ok(())
    }

    /// The forces of the motors in the last evaluation.
    pub(crate) fn motors(&self) -> &[f64] {
        &self.motors
    }

    /// The joint forces, into `total`.
    fn drive(&mut self, time: f64) -> Result<()> {
        self.motors.copy_from_slice(&self.held);
        let (q, v) = (self.dynamics.configuration(), self.dynamics.velocity());
        for actuator in &self.setup.actuators {
            match actuator {
                Actuator::Force { freedom, force, rate } => self.motors[*freedom] += force + rate * time,
                Actuator::Posture { coordinate, freedom, target, stiffness, damping } => {
                    self.motors[*freedom] -= stiffness * (q[*coordinate] - target) + damping * v[*freedom];
                }
                Actuator::Law(law) => law(time, q, v, &mut self.motors),
            }
        }
        self.dynamics.passive_forces(&mut self.total).map_err(|source| dynamics(time, source))?;
        for (total, motor) in self.total.iter_mut().zip(&self.motors) {
            *total += motor;
        }
        Ok(())
    }

    /// A, W, A v and drift of the given contacts in the current state.
    pub(crate) fn terms(&mut self, time: f64, of: &[usize]) -> Result<()> {
        if self.known.terms && self.rows.selected() == of {
            return Ok(());
        }
        self.known.terms = false;
        let selected = self.rows.select(of);
        let selected = selected.and_then(|()| self.watch.set_meetings(&mut self.dynamics, of, &mut self.rows));
        // Without rows the factor of M is not needed; for a chain of thousands of joints it takes seconds.
        let computed = match of {
            [] => selected,
            _ => selected.and_then(|()| self.dynamics.contact_terms(&mut self.rows)),
        };
        computed.map_err(|source| dynamics(time, source))?;
        self.known.terms = self.watch.pairs.is_empty();
        Ok(())
    }

    /// Free accelerations of the rows that [`System::terms`] selected, after [`System::accelerate_freely`].
    pub(crate) fn free_accelerations(&mut self) -> &[f64] {
        let rows = self.rows.drift().len();
        for row in 0..rows {
            let along: f64 = self.rows.jacobian().row(row).iter().zip(&self.acceleration).map(|(a, b)| a * b).sum();
            self.free[row] = self.rows.drift()[row] + along;
        }
        &self.free[..rows]
    }

    /// Accelerations and contact forces in the current state and modes.
    fn accelerate(&mut self, time: f64) -> Result<()> {
        self.margin = Margin::NONE;
        self.forces_margin = Margin::NONE;
        self.motion_margin = Margin::NONE;
        self.report = None;
        if self.closed.is_empty() {
            return self.accelerate_freely(time);
        }
        let closed = std::mem::take(&mut self.closed);
        let answer = self.accelerate_closed(time, &closed);
        self.closed = closed;
        answer
    }

    fn accelerate_closed(&mut self, time: f64, closed: &[usize]) -> Result<()> {
        if let Some(&k) = closed.iter().find(|&&k| self.watch.pair(k).is_some_and(|pair| !pair.is_kept())) {
            return Err(SimulationError::SharpPair { time, contact: self.watch.contact(k).name.clone() });
        }
        self.drive(time)?;
        self.terms(time, closed)?;
        let rows = self.rows.velocity().len();
        for ((force, total), bias) in self.acceleration.iter_mut().zip(&self.total).zip(self.dynamics.bias()) {
            *force = total - bias;
        }
        self.dynamics
            .contact_free_acceleration(&self.rows, &mut self.acceleration, &mut self.free[..rows])
            .map_err(|source| dynamics(time, source))?;
        self.grip(closed);
        let mut report = self.solve_phase(time)?;
        let has_directions = self.turn_onsets(time, closed, &mut report)?;
        self.dynamics
            .contact_acceleration(&self.rows, &self.forces[..rows], &mut self.acceleration)
            .map_err(|source| dynamics(time, source))?;
        self.report = Some(report);
        self.judge(closed);
        if !has_directions {
            self.lose_directions(closed);
        }
        Ok(())
    }

    /// Solves for the contact forces with the present sliding directions.
    pub(crate) fn solve_phase(&mut self, time: f64) -> Result<PhaseReport> {
        let rows = self.rows.velocity().len();
        self.phase
            .solve(view(&self.rows), &self.free[..rows], &self.grips, &mut self.forces[..rows])
            .map_err(|source| SimulationError::Law { time, what: "the contact forces", source })
    }

    /// Describes the closed contacts to the law.
    pub(crate) fn grip(&mut self, closed: &[usize]) {
        self.grips.clear();
        for (k, rows) in self.watch.rows_of(closed) {
            let contact = self.watch.contact(k);
            let friction = contact.coefficients.friction.map_or(0.0, |friction| friction.mu_d());
            let grip = match self.contacts[k].mode {
                _ if contact.dimension == Dimension::Normal => Grip::FRICTIONLESS,
                Mode::Stick | Mode::Flight => Grip::Stick,
                Mode::SlipAlong(direction) | Mode::Onset(direction) => Grip::Slip { direction, friction },
                Mode::Slip => {
                    let direction = direction(tangential(&self.rows, rows));
                    direction.map_or(Grip::FRICTIONLESS, |direction| Grip::Slip { direction, friction })
                }
            };
            self.grips.push(PhaseContact { dimension: contact.dimension, grip });
        }
    }

    /// Evaluates a state: accelerations, forces and margin.
    pub(crate) fn evaluate(&mut self, time: f64, state: &[f64]) -> Result<Margin> {
        self.evaluations += 1;
        self.place(time, state)?;
        self.accelerate(time)?;
        self.watch_loops(time)?;
        Ok(self.margin)
    }

    /// Force of a contact in the last evaluation.
    pub(crate) fn force(&self, contact: usize) -> [f64; 3] {
        let found = self.watch.rows_of(&self.closed).find(|(k, _)| *k == contact);
        found.map_or([0.0; 3], |(_, rows)| three(&self.forces[rows]))
    }

    /// Kinetic plus potential energy of the current state.
    pub(crate) fn energy(&mut self) -> f64 {
        self.dynamics.kinetic_energy() + self.potential()
    }

    /// Potential energy of gravity and springs in the current state.
    pub(crate) fn potential(&self) -> f64 {
        self.dynamics.potential_energy() + self.dynamics.spring_energy()
    }

    /// Whether a contact can close in the current state.
    pub(crate) fn is_enabled(&self, k: usize) -> bool {
        self.watch.contact(k).enabled.is_none_or(|condition| condition.holds(self.dynamics.configuration()))
    }

    /// Whether some contact has restitution.
    pub(crate) fn can_bounce(&self) -> bool {
        let restitution = |k: usize| self.watch.contact(k).coefficients.restitution;
        (0..self.contacts.len()).any(|k| restitution(k).normal_at(self.scales.of(k).speed) > 0.0)
    }

    /// Acceleration of a row of the closed contacts in the last evaluation.
    pub(crate) fn contact_acceleration(&self, row: usize) -> f64 {
        let along = self.rows.jacobian().row(row).iter().zip(&self.acceleration).map(|(a, b)| a * b).sum::<f64>();
        self.rows.drift()[row] + along
    }
}

impl Flow for System {
    type Error = SimulationError;

    fn rate(&mut self, time: f64, state: &[f64], rate: &mut [f64]) -> Result<()> {
        let margin = self.evaluate(time, state)?;
        let is_doubtful = self.may_be_redundant(margin);
        let about_to_fire = self.about_to_fire();
        self.trace.push(MarginSample { time, margin: margin.value, is_doubtful, about_to_fire });
        let (nq, nv) = (self.unit.len(), self.acceleration.len());
        let velocity = &state[nq..nq + nv];
        self.setup
            .model
            .configuration_rate(&self.unit, velocity, &mut rate[..nq])
            .map_err(|source| dynamics(time, source))?;
        rate[nq..nq + nv].copy_from_slice(&self.acceleration);
        let (mut friction, mut dry) = (0.0, 0.0);
        for ((k, rows), phase) in self.watch.rows_of(&self.closed).zip(&self.grips) {
            if matches!(phase.grip, Grip::Slip { .. }) {
                let power = rows.skip(1).map(|i| self.forces[i] * self.rows.velocity()[i]).sum::<f64>();
                *(if self.watch.friction(k).is_some() { &mut dry } else { &mut friction }) += power;
            }
        }
        rate[nq + nv] = friction;
        rate[nq + nv + 1] = -self.dynamics.damping_power();
        rate[nq + nv + 2] = self.motors.iter().zip(velocity).map(|(f, v)| f * v).sum();
        if let Some(rate) = rate.get_mut(nq + nv + 3) {
            *rate = dry;
        }
        Ok(())
    }
}

/// W of the selected contacts.
pub(crate) fn view(contacts: &Contacts) -> MatrixView<'_> {
    let w = contacts.delassus();
    MatrixView::row_major(w.rows(), w.columns(), w.as_slice())
}

/// Tangential velocity of the contact with these rows.
pub(crate) fn tangential(contacts: &Contacts, rows: Range<usize>) -> [f64; 2] {
    let [_, x, y] = three(&contacts.velocity()[rows]);
    [x, y]
}

/// Whether two states are equal to the bit, so that quantities computed from them are as well.
fn is_same(one: &[f64], other: &[f64]) -> bool {
    one.iter().zip(other).all(|(a, b)| a.to_bits() == b.to_bits())
}

/// The unit direction of a tangential velocity; `None` if it is zero.
pub(crate) fn direction(velocity: [f64; 2]) -> Option<[f64; 2]> {
    let speed = velocity[0].hypot(velocity[1]);
    (speed > 0.0).then(|| velocity.map(|v| v / speed))
}

pub(crate) fn dynamics(time: f64, source: carom_multibody::DynamicsError) -> SimulationError {
    SimulationError::Dynamics { time, source }
}
