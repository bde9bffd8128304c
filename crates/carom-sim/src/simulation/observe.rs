//! Output of a simulation: samples, events, the energy book, header and summary.

use carom_law::Law;

use crate::error::{Result, SimulationError};
use crate::record::energy::Ledger;
use crate::record::recorder::Recorder;
use crate::record::run::{ContactHeader, ContactSample, Ending, Header, Record, Sample, Summary, SurfaceHeader};
use crate::record::sink::Sink;
use crate::simulation::event::advance::DENSE_ERROR;
use crate::simulation::motion::contact::Mode;
use crate::simulation::{Simulation, Stop};

/// Velocities below this, relative to their scales, count as rest...
const REST: f64 = 1e-9;
/// ... if accelerations, times the time scale, are below this: stiff dampers turn rounding into accelerations.
const REST_ACCELERATION: f64 = 1e-6;

impl Simulation {
    /// Ends at the end time, with a sample.
    pub(crate) fn arrive(&mut self, sink: &mut dyn Sink) -> Result<Stop> {
        if self.journal.last_sample != Some(self.time) {
            self.emit(sink)?;
        }
        Ok(Stop::Time)
    }

    /// Updates the records of the state: largest energy, residual, penetration.
    pub(crate) fn audit(&mut self) -> Result<()> {
        self.system.place(self.time, &self.state)?;
        self.measure()?;
        for (k, gap) in self.system.contacts.iter().map(|contact| contact.gap).enumerate() {
            if self.system.contacts[k].is_armed && self.system.is_enabled(k) {
                self.journal.counts.penetration = self.journal.counts.penetration.max(-gap);
            }
        }
        let ledger = self.ledger(self.system.works(&self.state));
        self.book.note_energies(&ledger);
        Ok(())
    }

    /// Records when the robot comes to rest: no velocities and no accelerations.
    pub(crate) fn check_rest(&mut self) -> Result<()> {
        let sticks = self.system.contacts.iter().all(|contact| matches!(contact.mode, Mode::Stick | Mode::Flight));
        let (_, velocity, _) = self.system.parts(&self.state);
        if !(sticks && self.is_small(velocity, REST)) {
            self.journal.at_rest = None;
        } else if self.journal.at_rest.is_none() {
            self.system.evaluate(self.time, &self.state)?;
            if self.is_small(&self.system.acceleration, REST_ACCELERATION / self.system.scales.time) {
                let ends = self.system.contacts.iter().filter_map(|contact| contact.settled);
                self.journal.at_rest = Some(ends.fold(self.time, f64::max));
            }
        }
        Ok(())
    }

    /// Whether all numbers, one per velocity, are below a fraction of the velocity scales.
    fn is_small(&self, numbers: &[f64], part: f64) -> bool {
        let scales = &self.system.scales.state[self.system.model().nq()..];
        numbers.iter().zip(scales).all(|(x, scale)| x.abs() <= part * scale)
    }

    /// The ledger of the state of the system, the present one or one within the last step, with the works up to it.
    pub(crate) fn ledger(&mut self, works: [f64; 4]) -> Ledger {
        self.book.ledger(self.system.dynamics.kinetic_energy(), self.system.potential(), works)
    }

    /// Emits the samples within the last step.
    pub(crate) fn sample_step(&mut self, sink: &mut dyn Sink) -> Result<()> {
        let Some(interval) = self.system.setup.settings.interval else { return Ok(()) };
        loop {
            let time = interval * self.journal.samples as f64;
            if time > self.time {
                return Ok(());
            }
            let mut state = std::mem::take(&mut self.stepping.point);
            self.state_within(time, &mut state)?;
            let sample = self.sample_for_sink(time, &state);
            self.stepping.point = state;
            sink.sample(sample?);
            self.journal.samples += 1;
        }
    }

    /// The state at a time within the last step: from the dense output, or from a separate step if that is more
    /// accurate.
    pub(crate) fn state_within(&mut self, time: f64, state: &mut [f64]) -> Result<()> {
        let since = (time - self.stepping.stepper.start_time()).clamp(0.0, self.stepping.stepper.step());
        if self.stepping.error > DENSE_ERROR {
            let tolerance = self.system.setup.settings.tolerance;
            self.stepping.sampler.begin_with(&self.stepping.stepper);
            if self
                .stepping
                .sampler
                .attempt(&mut self.system, since, &self.stepping.scale, tolerance)
                .is_ok_and(|error| error <= 1.0)
            {
                state.copy_from_slice(self.stepping.sampler.end());
                return Ok(());
            }
        }
        self.dense_state(time, state)
    }

    /// The state at a time within the last step, from the dense output.
    pub(crate) fn dense_state(&mut self, time: f64, state: &mut [f64]) -> Result<()> {
        let since = (time - self.stepping.stepper.start_time()).clamp(0.0, self.stepping.stepper.step());
        self.stepping.stepper.prepare_dense(&mut self.system)?;
        self.stepping.stepper.at((since / self.stepping.stepper.step()).clamp(0.0, 1.0), state);
        Ok(())
    }

    /// Passes the present state to the sink.
    pub(crate) fn emit(&mut self, sink: &mut dyn Sink) -> Result<()> {
        let state = std::mem::take(&mut self.state);
        let sample = self.sample_for_sink(self.time, &state);
        self.state = state;
        sink.sample(sample?);
        Ok(())
    }

    /// Passes the pending events and the state after them to the sink.
    pub(crate) fn flush(&mut self, sink: &mut dyn Sink) -> Result<bool> {
        if self.journal.events.is_empty() {
            return Ok(false);
        }
        while let Some(event) = self.journal.events.pop_front() {
            sink.event(event);
            self.journal.counts.events += 1;
        }
        self.emit(sink)?;
        let bound = self.system.setup.settings.max_events;
        match self.journal.counts.events >= bound && self.time < self.until() {
            true => Err(SimulationError::TooManyEvents { time: self.time, bound }),
            false => Ok(true),
        }
    }

    /// The present state as a sink receives it: contacts with their gaps and forces, and the energy book. This does not
    /// affect the simulation.
    ///
    /// # Errors
    /// A state without dynamics.
    pub fn sample(&mut self) -> Result<Sample> {
        if !self.islands.is_empty() {
            return self.sample_islands();
        }
        let state = std::mem::take(&mut self.state);
        let sample = self.sample_aside(self.time, &state);
        self.state = state;
        sample
    }

    /// A sample that does not affect the motion: otherwise the watchdog would count its evaluations, and the search for
    /// sliding directions would start from the last ones found.
    pub(crate) fn sample_aside(&mut self, time: f64, state: &[f64]) -> Result<Sample> {
        let (evaluations, contacts) = (self.system.evaluations, self.system.contacts.clone());
        let sample = self.observe(time, state);
        (self.system.evaluations, self.system.contacts) = (evaluations, contacts);
        sample
    }

    /// The present state of a contact: its mode, gap, position and force.
    ///
    /// # Errors
    /// An unknown name (the error lists the known ones), or a state without dynamics.
    pub fn contact(&mut self, name: &str) -> Result<ContactSample> {
        let contact = self.contact_names().position(|contact| contact == name).ok_or_else(|| {
            let known = self.contact_names().map(str::to_owned).collect();
            SimulationError::UnknownName { what: "contact", name: name.to_owned(), known }
        })?;
        Ok(self.sample()?.contacts[contact])
    }

    /// Names of the contacts, in the order of events and samples: those with surfaces, joint limits, dry frictions of joints, pairs.
    pub fn contact_names(&self) -> impl Iterator<Item = &str> {
        self.system.watch.list().iter().map(|contact| contact.name.as_str())
    }

    /// Position of a joint, rad or m.
    ///
    /// # Errors
    /// The name does not belong to a joint that has coordinates.
    pub fn joint_position(&self, joint: &str) -> Result<&[f64]> {
        let range = self.system.model().moving_joint(joint).map_err(SimulationError::Joint)?.coordinates.clone();
        Ok(&self.configuration()[range])
    }

    /// Velocity of a joint, rad/s or m/s.
    ///
    /// # Errors
    /// The name does not belong to a joint that has coordinates.
    pub fn joint_velocity(&self, joint: &str) -> Result<&[f64]> {
        let range = self.system.model().moving_joint(joint).map_err(SimulationError::Joint)?.velocities.clone();
        Ok(&self.velocity()[range])
    }

    /// A sample for the sink.
    pub(crate) fn sample_for_sink(&mut self, time: f64, state: &[f64]) -> Result<Sample> {
        let sample = self.observe(time, state)?;
        self.check_below_surfaces(time);
        self.journal.last_sample = Some(time);
        Ok(sample)
    }

    pub(crate) fn observe(&mut self, time: f64, state: &[f64]) -> Result<Sample> {
        self.system.evaluate(time, state)?;
        // If the minimum-norm forces are outside a cone, a distribution inside the cones is reported.
        self.system.take_best_forces(time)?;
        let gaps = self.system.all_gaps(time)?;
        let contact = |k: usize| {
            // Joints with dry friction always stick or slide; their forces are known once modes are decided.
            let is_open = self.modes_are_stale && self.system.watch.friction(k).is_some();
            let force = if is_open { [0.0; 3] } else { self.system.force(k) };
            let [n, t1, t2] = self.system.watch.basis(&self.system.dynamics, k);
            ContactSample {
                mode: self.system.contacts[k].mode.public(),
                gap: gaps[k],
                position: self.system.watch.position(&self.system.dynamics, k).to_array(),
                force: self.system.watch.told(k, force),
                world_force: (force[0] * n + force[1] * t1 + force[2] * t2).to_array(),
            }
        };
        let contacts = (0..gaps.len()).map(contact).collect();
        let energy = self.ledger(self.system.works(state));
        let (_, velocity, _) = self.system.parts(state);
        Ok(Sample {
            time,
            configuration: self.system.dynamics.configuration().to_vec(),
            velocity: velocity.to_vec(),
            contacts,
            energy,
        })
    }

    /// The header of the run: model, contacts and settings.
    pub fn header(&self) -> Header {
        let (setup, model) = (&self.system.setup, self.system.model());
        Header {
            title: setup.title.clone(),
            model: model.name().to_owned(),
            coordinates: model.coordinate_names(),
            velocities: model.velocity_names(),
            contacts: (self.system.watch.list().iter())
                .map(|contact| ContactHeader {
                    name: contact.name.clone(),
                    dimension: if contact.is_friction() { 1 } else { contact.dimension.rows() },
                    surface: contact.surface,
                    against: contact.against.clone(),
                    joint: contact.joint.clone(),
                })
                .collect(),
            surfaces: (setup.surfaces.iter())
                .map(|surface| SurfaceHeader {
                    name: surface.name.clone(),
                    point: surface.half_space.point.to_array(),
                    normal: surface.half_space.normal.to_array(),
                })
                .collect(),
            plane: model.plane().map(|plane| plane.to_array()),
            gravity: model.gravity().to_array(),
            length: self.system.scales.length,
            law: setup.law.name(),
            guard: (setup.law == Law::Aghili).then(|| setup.guard.name()),
            tolerance: setup.settings.tolerance,
            until: setup.settings.until,
            interval: setup.settings.interval,
            warnings: (setup.warnings().iter().map(ToString::to_string))
                .chain(self.system.stiffest.as_ref().and_then(|stiffest| stiffest.warning(setup.settings.until)))
                .collect(),
        }
    }

    /// The summary of the run so far.
    pub fn summary(&self) -> Summary {
        let counts = &self.journal.counts;
        let is_complete = self.time >= self.until();
        let has_come = self.journal.at_rest.is_some_and(|rest| rest <= self.time);
        let ending = match (is_complete, self.clock.is_out_of_time) {
            (true, _) => Ending::Complete,
            (false, true) => Ending::OutOfTime,
            (false, false) => Ending::Interrupted,
        };
        let summary = Summary {
            ending,
            failure: None,
            time: self.time,
            steps: counts.steps,
            rejected: counts.rejected,
            evaluations: self.system.evaluations,
            impacts: counts.impacts,
            settlings: counts.settlings,
            windows: counts.windows,
            rattles: counts.rattles,
            sequences: counts.sequences,
            projections: counts.projections,
            not_converged: counts.not_converged,
            settled: self.system.contacts.iter().map(|contact| contact.settled).collect(),
            at_rest: self.journal.at_rest.filter(|_| has_come),
            rests_at: self.journal.at_rest.filter(|_| !has_come),
            penetration: counts.penetration,
            largest_energy: self.book.largest_energy,
            residual: self.book.largest_residual / self.book.scale(),
            warnings: self.unwatched.warnings.clone(),
        };
        if self.islands.is_empty() { summary } else { self.add_islands(summary) }
    }
}

impl Recorder {
    /// The record of a simulation all of whose output went to this recorder.
    pub fn finish(self, simulation: &Simulation) -> Record {
        Record {
            model: std::sync::Arc::clone(&simulation.setup().model),
            header: simulation.header(),
            samples: self.samples,
            events: self.events,
            summary: simulation.summary(),
        }
    }
}
