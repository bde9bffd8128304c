//! Advances from one event to the next, with steps as long as the error allows.

use crate::error::{Result, SimulationError};
use crate::simulation::Simulation;
use crate::simulation::event::phase_end::Phase;
use crate::simulation::motion::contact::Mode;
use crate::simulation::motion::margin::Margin;

/// Largest step, relative to the time in which sliding would stop: the direction turns faster as the sliding slows
/// down.
const SLIDE: f64 = 0.7;
/// Where a step would leave less than a tenth of the remaining time, two equal steps are taken: the error estimate of a tiny step
/// says nothing about the next one.
const LAST: f64 = 0.9;
/// Largest step of sliding in space that gains speed, relative to |v|/|a|. The direction v/|v| is singular where v
/// vanishes, at about that distance in time: over a step many times as long, the error estimate of the method is
/// meaningless and may be small by chance. Most steps are shorter than this anyway.
const GATHERING: f64 = 6.0;
/// Factor by which a step aims beyond an expected event.
const BEYOND: f64 = 1.1;
/// Time, relative to the time scale, after which the return of a contact is extrapolated.
const GLIMPSE: f64 = 1e-6;
/// Error of a step, relative to its tolerance, below which its dense output is accurate as well.
pub(crate) const DENSE_ERROR: f64 = 1e-5;
/// Energy residual allowed for a step, relative to the largest energy times the tolerance.
const BOOK: f64 = 1.0;
/// The shortest step, in units of the rounding of time: its stages are still distinct.
const SHORTEST: f64 = 16.0;
/// Steps shorter than this multiple of the shortest are accepted as they are: they cannot be shortened, so they aim at
/// no event, and neither a failed stage nor the energy book rejects them.
const SHORT: f64 = 1e3;
/// Factor on the size of a step that the energy book rejects.
const RETRY: f64 = 0.5;
/// The first step of a simulation, relative to the time scale: short; its error determines the next.
pub(crate) const FIRST_STEP: f64 = 1e-2;

/// Why a step ended where it did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Halt {
    /// The error of the step, or the end time.
    Step,
    /// A contact closes.
    Touch,
    /// A phase ends.
    Phase(Margin),
}

/// A contact that slides.
struct Slide {
    contact: usize,
    mode: Mode,
    speed: f64,
    acceleration: f64,
    /// Time until it would stop; negative if it gains speed.
    stop: f64,
}

impl Slide {
    fn slows(&self) -> bool {
        self.stop >= 0.0
    }
}

impl Simulation {
    /// Makes a step, at most to `end`, and leaves the state there.
    pub(crate) fn advance(&mut self, end: f64) -> Result<Halt> {
        self.system.follow_onsets();
        self.system.forget_loop_margins();
        if self.stepping.reuses_last_stage {
            self.stepping.stepper.follow(&self.state);
        } else {
            self.stepping.stepper.begin(&mut self.system, self.time, &self.state)?;
        }
        let smallest = SHORTEST * f64::EPSILON * self.time.max(self.system.scales.time);
        // The predicted size may be below the shortest step; only a failed step reports that.
        let whole = self.stepping.size.max(smallest);
        let mut size = whole.min(self.room_to_slide());
        let aim = if self.stepping.stepper.starts_anew() { self.next_event()? } else { f64::INFINITY };
        // An event that is too near cannot be aimed at.
        if aim > SHORT * smallest {
            size = size.min(aim);
        }
        loop {
            let left = end - self.time;
            let step = if size < left && size > LAST * left { 0.5 * left } else { size.min(left) };
            if step < smallest && step < left {
                let tolerance = self.system.setup.settings.tolerance;
                let stiffest = self.system.stiffest.clone();
                return Err(SimulationError::Stalled { time: self.time, step, bound: smallest, tolerance, stiffest });
            }
            self.system.forget_trace();
            let tolerance = self.system.setup.settings.tolerance;
            let error = match self.stepping.stepper.attempt(&mut self.system, step, &self.stepping.scale, tolerance) {
                Ok(error) => error,
                // In a step that is much too long, a stage may reach an invalid state.
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
            self.stepping.error_to_event = 0.0;
            let halt = self.look_for_events(step, error)?;
            // An error estimate may vanish by chance; the energy book detects this, and so does the step to an event inside, whose
            // error is then larger than that of the whole.
            let part = self.stepping.stepper.step();
            let is_chance = part > SHORT * smallest && !(self.stepping.error_to_event <= 1.0);
            if step > SHORT * smallest && (is_chance || !self.closes_book()?) {
                self.journal.counts.rejected += 1;
                self.time = self.stepping.stepper.start_time();
                self.state.copy_from_slice(self.stepping.stepper.start());
                size = RETRY * if is_chance { part } else { step };
                continue;
            }
            if halt != Halt::Step {
                self.stepping.start_anew();
            } else if step == aim {
                // It was shortened for an event that did not occur.
                self.stepping.size = whole;
            } else if !self.is_sliding() {
                self.stepping.size_before_sliding = self.stepping.size;
            }
            return Ok(halt);
        }
    }

    /// Whether any contact slides.
    fn is_sliding(&self) -> bool {
        self.system.contacts.iter().any(|contact| contact.mode.slides())
    }

    /// Whether the works account for the energy change over the step.
    fn closes_book(&mut self) -> Result<bool> {
        self.system.place(self.time, &self.state)?;
        let residual = self.ledger(self.system.works(&self.state)).residual - self.book.last_residual;
        let bound = BOOK * self.system.setup.settings.tolerance * self.book.scale();
        // Values that are not finite are left to the error control of the next step.
        Ok(!(residual.abs() > bound))
    }

    /// Largest step for sliding in space: most of the time until it would stop, or until slightly after its direction
    /// becomes undetermined; a few times |v|/|a| if it gains speed. The system has just been evaluated at the start of the
    /// step, because with closed contacts no stage is reused.
    pub(crate) fn room_to_slide(&self) -> f64 {
        let mut room = self.system.setup.settings.largest_step.unwrap_or(f64::INFINITY);
        for slide in self.slides().filter(|slide| slide.mode == Mode::Slip) {
            let time = slide.speed / slide.acceleration;
            if slide.slows() {
                let told = (1.0 - self.system.slowest_direction(slide.contact) / slide.speed).max(0.0);
                room = room.min(SLIDE * time).min(slide.stop * (told + BEYOND - 1.0));
            } else {
                room = room.min(GATHERING * time);
            }
        }
        room
    }

    /// The sliding contacts that accelerate at the start of the step.
    fn slides(&self) -> impl Iterator<Item = Slide> + '_ {
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
            (along != 0.0).then_some(slide)
        })
    }

    /// Estimated time until sliding along a fixed direction stops or a contact that has just left its surface returns,
    /// plus a margin. A step of that size is so much more accurate than required that its dense output can serve as the
    /// step to the event.
    fn next_event(&mut self) -> Result<f64> {
        let ends = self.slides().filter(|slide| slide.slows() && slide.mode != Mode::Slip).map(|slide| slide.stop);
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

    /// Searches a step for the first event and ends it there.
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
                self.steps_back_to_touch()?;
            }
            return Ok(Halt::Touch);
        }
        let end = match phase {
            Phase::Ends(end) => end,
            Phase::LeavesBound(fraction) => {
                self.restep(fraction * step)?;
                return Ok(if self.steps_back_to_touch()? { Halt::Touch } else { Halt::Step });
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
        let margin = self.step_to_phase_end(step, end)?;
        Ok(if self.steps_back_to_touch()? { Halt::Touch } else { Halt::Phase(margin) })
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::{BEYOND, Halt, SHORT, SHORTEST};
    use crate::simulation::motion::contact::Mode;
    use crate::simulation::tests::{G, MU, arm, assert_near, ball, mass};
    use crate::{Actuator, Discard, Setup, Simulation, SimulationError};

    /// A simulation that starts in this mode, with the first stage of a step evaluated.
    fn begun(setup: Setup, mode: Mode) -> Simulation {
        let mut simulation = Simulation::new(setup).unwrap();
        simulation.audit().unwrap();
        simulation.system.contacts[0].mode = mode;
        simulation.system.adopt_modes();
        simulation.stepping.stepper.begin(&mut simulation.system, 0.0, &simulation.state).unwrap();
        simulation
    }

    /// A mass at this height that can slide with friction, with this velocity.
    fn slider(height: f64, velocity: [f64; 2]) -> Setup {
        let mut setup = mass("", 0.5);
        setup.contacts[0].coefficients.friction = Some(carom_law::Friction::new(MU).unwrap());
        setup.contacts[0].point = setup.contacts[0].point.with_dimension(2);
        setup.configuration[1] = height;
        setup.velocity = velocity.to_vec();
        setup
    }

    #[test]
    fn what_has_just_left_is_aimed_at_where_it_returns_and_nothing_else_is() {
        let near = Simulation::new(slider(0.0, [0.0; 2])).unwrap().system.scales.of(0).near;
        let back = Some(BEYOND * 2.0 * 0.3 / G);
        for (height, rate, push, wanted) in [
            (0.0, 0.3, 0.0, back),
            (0.9 * near, 0.3, 0.0, back),
            (2.0 * near, 0.3, 0.0, None),
            (0.0, -0.3, 0.0, None),
            (0.0, 0.0, 0.0, None),
            // Accelerated upward, it does not return.
            (0.0, 0.3, 2.0 * G, None),
            (0.0, 0.3, -G, Some(BEYOND * 0.3 / G)),
        ] {
            let mut setup = slider(height, [1.0, rate]);
            setup.actuators = vec![Actuator::Force { freedom: 1, force: push, rate: 0.0 }];
            let aim = begun(setup, Mode::Flight).next_event().unwrap();
            assert_near(aim.min(1e3), wanted.unwrap_or(1e3), 1e-8);
        }
    }

    #[test]
    fn a_slide_along_a_kept_direction_is_aimed_at_its_stop() {
        let stop = Some(BEYOND / (MU * G));
        let along = Mode::SlipAlong([1.0, 0.0]);
        for (mode, rate, push, wanted) in [
            (along, 0.0, 0.0, stop),
            // A closed contact has not left, whatever its rate.
            (along, 0.3, 0.0, stop),
            (along, 0.0, 20.0, None),
            (Mode::Slip, 0.0, 0.0, None),
            (Mode::Stick, 0.0, 0.0, None),
        ] {
            let mut setup = slider(0.0, [1.0, rate]);
            setup.actuators = vec![Actuator::Force { freedom: 0, force: push, rate: 0.0 }];
            let aim = begun(setup, mode).next_event().unwrap();
            assert_near(aim.min(1e3), wanted.unwrap_or(1e3), 1e-9);
        }
    }

    /// Sixteen roundings of the time, or of its scale.
    #[test]
    fn the_shortest_step_has_stages_that_differ() {
        for time in [0.0, 1000.0] {
            let mut simulation = Simulation::new(ball()).unwrap();
            simulation.audit().unwrap();
            simulation.time = time;
            simulation.stepping.size = 1e-30;
            assert_eq!(simulation.advance(time + 1.0).unwrap(), Halt::Step);
            let wanted = SHORTEST * f64::EPSILON * time.max((1.0 / G).sqrt());
            assert_near(simulation.stepping.stepper.step(), wanted, 1e-6 * wanted);
        }
    }

    /// A motor whose force is NaN from 0.1 s on: the steps become shorter towards that time.
    #[test]
    fn forces_that_are_no_numbers_end_a_run_as_such_and_not_as_steps_too_short() {
        let mut setup = ball();
        setup.actuators =
            vec![Actuator::law(|time, _, _, forces| forces[0] += if time > 0.1 { f64::NAN } else { 0.0 })];
        let mut simulation = Simulation::new(setup).unwrap();
        let error = simulation.run_until(0.3, &mut Discard).unwrap_err();
        assert!(matches!(error, SimulationError::Dynamics { .. }), "{error}");
        assert_near(simulation.time(), 0.1, 1e-11);
    }

    /// A motor of 1e12 N that pulls and pushes at alternate evaluations.
    #[test]
    fn a_step_that_is_inaccurate_however_short_ends_the_run() {
        let mut setup = ball();
        let looks = std::sync::atomic::AtomicUsize::new(0);
        setup.actuators = vec![Actuator::law(move |_, _, _, forces| {
            let look = looks.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            forces[0] += if look.is_multiple_of(2) { 1e12 } else { -1e12 };
        })];
        let mut simulation = Simulation::new(setup).unwrap();
        simulation.audit().unwrap();
        let error = simulation.advance(1.0).unwrap_err();
        assert!(matches!(error, SimulationError::Stalled { step, bound, .. } if step < bound), "{error}");
    }

    /// 1e-10 of the largest energy, up or down, in addition to the previous residual.
    #[test]
    fn a_step_closes_the_book_within_the_tolerance_and_no_farther() {
        let mut simulation = Simulation::new(ball()).unwrap();
        simulation.audit().unwrap();
        let bound = 1e-10 * simulation.book.scale();
        // No work accounts for the kinetic energy of this speed.
        for gain in [0.0, 5.0] {
            simulation.state[3] = (2.0 * gain * bound).sqrt();
            for (part, closes) in [(0.9, true), (-0.9, true), (1.1, false), (-1.1, false)] {
                simulation.book.last_residual = (gain + part) * bound;
                assert_eq!(simulation.closes_book().unwrap(), closes, "{gain} {part}");
            }
        }
    }

    /// A step that cannot be shortened further is accepted as it is.
    #[test]
    fn a_step_that_does_not_close_the_book_is_made_anew_with_half_its_size() {
        let mut simulation = Simulation::new(ball()).unwrap();
        simulation.audit().unwrap();
        simulation.book.last_residual = 1e-3;
        simulation.stepping.size = 0.1;
        assert_eq!(simulation.advance(1.0).unwrap(), Halt::Step);
        let short = SHORT * SHORTEST * f64::EPSILON * simulation.system.scales.time;
        let halvings = (0.1 / short).log2().ceil();
        assert_eq!(simulation.journal.counts.rejected, halvings as u64);
        let step = 0.1 / halvings.exp2();
        assert_near(simulation.time, step, 1e-6 * step);
        assert_near(simulation.velocity()[1], -G * step, 1e-6 * step);
    }

    /// A mass shaken by a force in flight and while it slides: both steps are first tried too long.
    #[test]
    fn what_made_a_step_of_a_slide_short_does_not_shorten_those_after_it() {
        for (height, mode) in [(100.0, Mode::Flight), (0.0, Mode::SlipAlong([1.0, 0.0]))] {
            let mut setup = slider(height, [5.0, 0.0]);
            setup.actuators = vec![Actuator::law(|time, _, _, forces| forces[0] += (300.0 * time).sin())];
            let mut simulation = begun(setup, mode);
            (simulation.stepping.size, simulation.stepping.size_before_sliding) = (10.0, 0.125);
            assert_eq!(simulation.advance(20.0).unwrap(), Halt::Step);
            assert!(simulation.journal.counts.rejected > 0 && simulation.time < 0.1, "{}", simulation.time);
            let wanted = if mode == Mode::Flight { simulation.stepping.size } else { 0.125 };
            assert_eq!(simulation.stepping.size_before_sliding, wanted);
        }
    }

    /// An arm that turns once in a third of a second, as its tip leaves a floor at 45° above its axis, rising and
    /// decelerating: at constant deceleration it returns after 2/ω. The deceleration changes by about a thousandth over
    /// a thousandth of the time scale.
    #[test]
    fn the_return_of_a_tip_is_told_by_its_fall_and_not_by_how_that_changes() {
        let spin = 20.0;
        let setup = arm(0.75 * PI, spin, (0.25 * PI).cos());
        let mut simulation = Simulation::new(setup).unwrap();
        simulation.stepping.stepper.begin(&mut simulation.system, 0.0, &simulation.state).unwrap();
        let (aim, wanted) = (simulation.next_event().unwrap(), BEYOND * 2.0 / spin);
        assert!((aim - wanted).abs() < 1e-4 * wanted, "{aim} is not {wanted}");
    }
}
