//! From one instant to the next: steps as long as the error allows, cut short by events.

use crate::error::{Result, SimulationError};
use crate::event::margin::Margin;
use crate::event::phase_end::Phase;
use crate::motion::system::Mode;
use crate::simulation::Simulation;

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
        if self.follows {
            self.stepper.follow(&self.state);
        } else {
            self.stepper.begin(&mut self.system, self.time, &self.state)?;
        }
        let smallest = SHORTEST * f64::EPSILON * self.time.max(self.system.scales.time);
        // A trend may lead below what can be stepped at all; only a step that fails tells that.
        let whole = self.size.max(smallest);
        let mut size = whole.min(self.room_to_slide());
        let aim = if self.stepper.starts_anew() { self.next_event()? } else { f64::INFINITY };
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
            let error = match self.stepper.attempt(&mut self.system, step, &self.scale, tolerance) {
                Ok(error) => error,
                // A stage may leave what makes sense, in a step that is far too long.
                Err(_) if step > SHORT * smallest => f64::NAN,
                Err(error) => return Err(error),
            };
            if !(error <= 1.0) {
                self.counts.rejected += 1;
                size = self.stepper.next_try(error);
                if !self.is_sliding() {
                    self.steady = self.steady.min(size);
                }
                continue;
            }
            self.size = self.stepper.next_size(error);
            self.step_error = error;
            let halt = self.look_for_events(step, error)?;
            // An error that is estimated may vanish by chance; the energy book tells.
            if step > SHORT * smallest && !self.closes_book()? {
                self.counts.rejected += 1;
                self.time = self.stepper.start_time();
                self.state.copy_from_slice(self.stepper.start());
                size = RETRY * step;
                continue;
            }
            if halt != Halt::Step {
                self.start_anew();
            } else if step == aim {
                // It was short for an event that did not come.
                self.size = whole;
            } else if !self.is_sliding() {
                self.steady = self.size;
            }
            return Ok(halt);
        }
    }

    /// Whether a contact slides.
    fn is_sliding(&self) -> bool {
        self.system.modes.iter().any(|mode| mode.slides())
    }

    /// Whether the energy at the end of the step is what the works in it explain.
    fn closes_book(&mut self) -> Result<bool> {
        self.system.place(self.time, &self.state)?;
        let residual = self.ledger(self.system.works(&self.state)).residual - self.counts.last_residual;
        let bound = BOOK * self.system.setup.settings.tolerance * self.energy_scale();
        // What is not finite is left to the error of the next step.
        Ok(!(residual.abs() > bound))
    }

    /// Forgets the steps before: what follows is no continuation of them.
    pub(crate) fn start_anew(&mut self) {
        self.stepper.start_anew();
        self.size = self.size.max(self.steady);
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
        let mut next = 0;
        self.system.closed().iter().filter_map(move |&k| {
            let (row, mode) = (next, self.system.modes[k]);
            next += self.system.watch.contact(k).dimension.rows();
            if !mode.slides() {
                return None;
            }
            let (mut speed, mut acceleration, mut along) = (0.0, 0.0, 0.0);
            for i in row + 1..next {
                let (v, a) = (self.system.contacts.velocity()[i], self.system.contact_acceleration(i));
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
            !self.system.modes[k].is_closed() && self.gaps[k] <= self.system.scales.of(k).near && self.rates[k] > 0.0
        };
        let left: Vec<(usize, f64)> =
            (0..self.gaps.len()).filter(|&k| has_left(k)).map(|k| (k, self.rates[k])).collect();
        if !left.is_empty() {
            let later = GLIMPSE * self.system.scales.time;
            self.stepper.glimpse(later, &mut self.point);
            self.system.place(self.time + later, &self.point)?;
            self.measure()?;
            for (k, rate) in left {
                let fall = (rate - self.rates[k]) / later;
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
                self.stepper.cut(fraction);
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
                self.follows = self.system.closed().is_empty();
                return Ok(Halt::Step);
            }
        };
        self.ahead_of_event = end.beyond * step;
        if error <= DENSE_ERROR || end.fraction == 0.0 {
            self.stepper.cut(end.fraction);
            self.accept();
            return Ok(Halt::Phase(end.margin));
        }
        Ok(Halt::Phase(self.step_to_phase_end(step, end)?))
    }
}
