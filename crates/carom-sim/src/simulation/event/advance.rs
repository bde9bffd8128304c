//! From one instant to the next: steps as long as the error allows, cut short by events.

use crate::error::{Result, SimulationError};
use crate::simulation::Simulation;
use crate::simulation::event::phase_end::Phase;
use crate::simulation::motion::contact::Mode;
use crate::simulation::motion::margin::Margin;

/// Part of the time in which sliding would stop that a step may take: the direction turns the faster the slower it is.
const SLIDE: f64 = 0.7;
/// How far a step goes beyond an event that is expected in it, as a factor.
const BEYOND: f64 = 1.1;
/// After which part of the time scale the fall of a contact is looked at.
const GLIMPSE: f64 = 1e-6;
/// Where the error of a step over its tolerance is below this, so is that of its dense output.
pub(crate) const DENSE_ERROR: f64 = 1e-5;
/// Energy that a step may leave unexplained, over the largest energy and the tolerance.
const BOOK: f64 = 1.0;
/// The shortest step, in roundings of the time: its nodes are still told apart.
const SHORTEST: f64 = 16.0;
/// Steps of fewer than this many shortest ones are taken as they are: there is no room to shorten them, so they aim at
/// no event, and neither a failed stage nor the energy book refuses them.
const SHORT: f64 = 1e3;
/// A step that covers this part of the time left goes to its end: what would be left is not worth a step of its own.
const LAST: f64 = 0.9;
/// A step that the energy book refuses is tried again as this part of it.
const RETRY: f64 = 0.5;
/// The first step of a simulation, over the time scale: short, and its error tells the next.
pub(crate) const FIRST_STEP: f64 = 1e-2;

/// Why a step ended where it did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Halt {
    /// The error, or the time asked for.
    Step,
    /// A contact closes.
    Touch,
    /// A phase ends.
    Phase(Margin),
}

/// Sliding that becomes slower.
struct Slide {
    contact: usize,
    mode: Mode,
    speed: f64,
    acceleration: f64,
    /// When it would stop, from now on.
    stop: f64,
}

impl Simulation {
    /// Steps, at most to `end`, and leaves the state there.
    pub(crate) fn advance(&mut self, end: f64) -> Result<Halt> {
        self.system.follow_onsets();
        if self.stepping.reuses_last_stage {
            self.stepping.stepper.follow(&self.state);
        } else {
            self.stepping.stepper.begin(&mut self.system, self.time, &self.state)?;
        }
        let smallest = SHORTEST * f64::EPSILON * self.time.max(self.system.scales.time);
        // A trend may lead below what can be stepped at all; only a step that fails tells that.
        let whole = self.stepping.size.max(smallest);
        let mut size = whole.min(self.room_to_slide());
        let aim = if self.stepping.stepper.starts_anew() { self.next_event()? } else { f64::INFINITY };
        // What comes at once cannot be aimed at.
        if aim > SHORT * smallest {
            size = size.min(aim);
        }
        loop {
            let left = end - self.time;
            let step = if size > LAST * left { left } else { size };
            if step < smallest && step < left {
                let tolerance = self.system.setup.settings.tolerance;
                let stiffest = self.system.stiffest.clone();
                return Err(SimulationError::Stalled { time: self.time, step, bound: smallest, tolerance, stiffest });
            }
            self.system.forget_trace();
            let tolerance = self.system.setup.settings.tolerance;
            let error = match self.stepping.stepper.attempt(&mut self.system, step, &self.stepping.scale, tolerance) {
                Ok(error) => error,
                // A stage may leave what makes sense, in a step that is far too long.
                Err(_) if step > SHORT * smallest => f64::NAN,
                Err(error) => return Err(error),
            };
            if !(error <= 1.0) {
                self.journal.counts.rejected += 1;
                size = self.stepping.stepper.next_try(error);
                if !self.is_sliding() {
                    self.stepping.size_before_sliding = self.stepping.size_before_sliding.min(size);
                }
                continue;
            }
            self.stepping.size = self.stepping.stepper.next_size(error);
            self.stepping.error = error;
            let halt = self.look_for_events(step, error)?;
            // An error that is estimated may vanish by chance; the energy book tells.
            if step > SHORT * smallest && !self.closes_book()? {
                self.journal.counts.rejected += 1;
                self.time = self.stepping.stepper.start_time();
                self.state.copy_from_slice(self.stepping.stepper.start());
                size = RETRY * step;
                continue;
            }
            if halt != Halt::Step {
                self.stepping.start_anew();
            } else if step == aim {
                // It was short for an event that did not come.
                self.stepping.size = whole;
            } else if !self.is_sliding() {
                self.stepping.size_before_sliding = self.stepping.size;
            }
            return Ok(halt);
        }
    }

    /// Whether a contact slides.
    fn is_sliding(&self) -> bool {
        self.system.contacts.iter().any(|contact| contact.mode.slides())
    }

    /// Whether the energy at the end of the step is what the works in it explain.
    fn closes_book(&mut self) -> Result<bool> {
        self.system.place(self.time, &self.state)?;
        let residual = self.ledger(self.system.works(&self.state)).residual - self.book.last_residual;
        let bound = BOOK * self.system.setup.settings.tolerance * self.book.scale();
        // What is not finite is left to the error of the next step.
        Ok(!(residual.abs() > bound))
    }

    /// How far sliding in space may go on before its direction must be looked at again: most of the way to where it
    /// would stop, or a little beyond where it ends to have one. The system has just been evaluated at the start of the
    /// step: with closed contacts no step follows.
    fn room_to_slide(&self) -> f64 {
        let mut room = self.system.setup.settings.largest_step.unwrap_or(f64::INFINITY);
        for slide in self.slides_that_slow().filter(|slide| slide.mode == Mode::Slip) {
            let told = (1.0 - self.system.slowest_direction(slide.contact) / slide.speed).max(0.0);
            room = room.min(SLIDE * slide.speed / slide.acceleration).min(slide.stop * (told + BEYOND - 1.0));
        }
        room
    }

    /// The closed contacts whose sliding becomes slower, at the start of the step.
    fn slides_that_slow(&self) -> impl Iterator<Item = Slide> + '_ {
        self.system.watch.rows_of(self.system.closed()).filter_map(|(k, rows)| {
            let mode = self.system.contacts[k].mode;
            if !mode.slides() {
                return None;
            }
            let (mut speed, mut acceleration, mut along) = (0.0, 0.0, 0.0);
            for i in rows.skip(1) {
                let (v, a) = (self.system.rows.velocity()[i], self.system.contact_acceleration(i));
                speed += v * v;
                acceleration += a * a;
                along += v * a;
            }
            let stop = -speed / along;
            let slide = Slide { contact: k, mode, speed: speed.sqrt(), acceleration: acceleration.sqrt(), stop };
            (along < 0.0).then_some(slide)
        })
    }

    /// About when sliding along a fixed direction stops, or a contact that has just left its surface is back, and a little
    /// later. A step of that size is so much better than it has to be that its dense output serves as the step to the
    /// event.
    fn next_event(&mut self) -> Result<f64> {
        let ends = self.slides_that_slow().filter(|slide| slide.mode != Mode::Slip).map(|slide| slide.stop);
        let mut next = ends.fold(f64::INFINITY, f64::min);
        self.system.place(self.time, &self.state)?;
        self.measure()?;
        let has_left = |k: usize| {
            !self.system.contacts[k].mode.is_closed()
                && self.system.contacts[k].gap <= self.system.scales.of(k).near
                && self.system.contacts[k].rate > 0.0
        };
        let left: Vec<(usize, f64)> = (0..self.system.contacts.len())
            .filter(|&k| has_left(k))
            .map(|k| (k, self.system.contacts[k].rate))
            .collect();
        if !left.is_empty() {
            let later = GLIMPSE * self.system.scales.time;
            self.stepping.stepper.glimpse(later, &mut self.stepping.point);
            self.system.place(self.time + later, &self.stepping.point)?;
            self.measure()?;
            for (k, rate) in left {
                let fall = (rate - self.system.contacts[k].rate) / later;
                if fall > 0.0 {
                    next = next.min(2.0 * rate / fall);
                }
            }
        }
        Ok(BEYOND * next)
    }

    /// Looks through a step for the first event and ends it there.
    fn look_for_events(&mut self, step: f64, error: f64) -> Result<Halt> {
        let phase = self.phase_end()?;
        let limit = match phase {
            Phase::GoesOn => 1.0,
            Phase::LeavesBound(fraction) => fraction,
            Phase::Ends(end) => end.fraction,
        };
        if let Some(fraction) = self.first_touch(limit)? {
            if error <= DENSE_ERROR {
                self.stepping.stepper.cut(fraction);
                self.accept();
            } else {
                self.step_to_touch(fraction, step)?;
            }
            return Ok(Halt::Touch);
        }
        let end = match phase {
            Phase::Ends(end) => end,
            Phase::LeavesBound(fraction) => {
                self.restep(fraction * step)?;
                return Ok(Halt::Step);
            }
            Phase::GoesOn => {
                self.accept();
                self.stepping.reuses_last_stage = self.system.closed().is_empty();
                return Ok(Halt::Step);
            }
        };
        self.stepping.ahead_of_event = end.beyond * step;
        if error <= DENSE_ERROR || end.fraction == 0.0 {
            self.stepping.stepper.cut(end.fraction);
            self.accept();
            return Ok(Halt::Phase(end.margin));
        }
        Ok(Halt::Phase(self.step_to_phase_end(step, end)?))
    }
}
