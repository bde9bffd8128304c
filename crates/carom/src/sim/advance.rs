//! From one instant to the next: steps as long as the error allows, cut short by events.

use super::error::{Result, SimulationError};
use super::root;
use super::simulation::Simulation;
use super::system::{Margin, Mode, Reason};

/// Samples of a step in which a link turns by a half: fine enough that no touch hides between two.
const SAMPLES_PER_TURN: f64 = 16.0;
/// Part of the time in which sliding would stop that a step may take: the direction turns the faster the slower it is.
const SLIDE: f64 = 0.7;
/// How far a step goes beyond an event that is expected in it, as a factor.
const BEYOND: f64 = 1.1;
/// After which part of the time scale the fall of a contact is looked at.
const GLIMPSE: f64 = 1e-6;
/// Where the error of a step over its tolerance is below this, so is that of its dense output.
const DENSE_ERROR: f64 = 1e-5;
/// Energy that a step may leave unexplained, over the largest energy and the tolerance.
const BOOK: f64 = 10.0;
/// How far beyond its end a phase may be left, by the force or the wedge, and by the speed of what stops.
pub(super) const FORCE_ACCURACY: f64 = 1e-8;
const STOP_ACCURACY: f64 = 1e-11;
/// Part of a step within which the end of a phase is looked for first, around where the dense output has it.
const NEARBY: f64 = 1e-7;
/// Rounds of putting the end of a step onto the surface.
const CORRECTIONS: usize = 4;
/// What may be left out, over the scales, where the end of a step is shifted along its rate instead of stepping anew.
const SHIFT: f64 = 1e-14;

/// Why a step ended where it did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Halt {
    /// The error, or the time asked for.
    Step,
    /// A contact closes.
    Touch,
    /// A phase ends.
    Phase(Margin),
}

/// Sliding that becomes slower.
struct Slide {
    speed: f64,
    acceleration: f64,
    /// When it would stop, from now on.
    stop: f64,
}

impl Simulation {
    /// Steps, at most to `end`, and leaves the state there.
    pub(super) fn advance(&mut self, end: f64) -> Result<Halt> {
        self.system.follow_onsets();
        if self.follows {
            self.stepper.follow(&self.state);
        } else {
            self.stepper.begin(&mut self.system, self.time, &self.state)?;
        }
        let smallest = 16.0 * f64::EPSILON * self.time.max(self.system.scales.time);
        // A trend may lead below what can be stepped at all; only a step that fails tells that.
        let whole = self.size.max(smallest);
        let mut size = whole.min(self.room_to_slide());
        let aim = if self.stepper.starts_anew() { self.next_event()? } else { f64::INFINITY };
        // What comes at once cannot be aimed at.
        if aim > 1e3 * smallest {
            size = size.min(aim);
        }
        loop {
            let left = end - self.time;
            // What would be left after this step is not worth one of its own.
            let step = if size > 0.9 * left { left } else { size };
            if step < smallest && step < left {
                let tolerance = self.system.setup.settings.tolerance;
                return Err(SimulationError::Stalled { time: self.time, step, bound: smallest, tolerance });
            }
            self.system.forget_trace();
            let tolerance = self.system.setup.settings.tolerance;
            let error = match self.stepper.attempt(&mut self.system, step, &self.scale, tolerance) {
                Ok(error) => error,
                // A stage may leave what makes sense, in a step that is far too long.
                Err(_) if step > 1e3 * smallest => f64::NAN,
                Err(error) => return Err(error),
            };
            if !(error <= 1.0) {
                self.counts.rejected += 1;
                size = self.stepper.next_size(error);
                continue;
            }
            self.size = self.stepper.next_size_after(error);
            let halt = self.look_for_events(step, error)?;
            // An error that is estimated may vanish by chance; the energy book tells.
            if step > 1e3 * smallest && !self.closes_book()? {
                self.counts.rejected += 1;
                self.time = self.stepper.start_time();
                self.state.copy_from_slice(self.stepper.start());
                size = 0.5 * step;
                continue;
            }
            if halt != Halt::Step {
                self.start_anew();
            } else if step == aim {
                // It was short for an event that did not come.
                self.size = whole;
            } else if !self.system.modes.iter().any(|mode| mode.slides()) {
                self.steady = self.size;
            }
            return Ok(halt);
        }
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
    pub(super) fn start_anew(&mut self) {
        self.stepper.start_anew();
        self.size = self.size.max(self.steady);
    }

    /// How far sliding in space may go on before its direction must be looked at again: most of the way to where it
    /// would stop, or a little beyond where it ends to have one. The system has just been evaluated at the start of the
    /// step: with closed contacts no step follows.
    fn room_to_slide(&self) -> f64 {
        let mut room = self.system.setup.settings.largest_step.unwrap_or(f64::INFINITY);
        for (_, slide) in self.slides_that_slow().filter(|(mode, _)| *mode == Mode::Slip) {
            let told = (1.0 - self.system.slowest_direction() / slide.speed).max(0.0);
            room = room.min(SLIDE * slide.speed / slide.acceleration).min(slide.stop * (told + BEYOND - 1.0));
        }
        room
    }

    /// The closed contacts whose sliding becomes slower, at the start of the step.
    fn slides_that_slow(&self) -> impl Iterator<Item = (Mode, Slide)> + '_ {
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
            let slide = Slide { speed: speed.sqrt(), acceleration: acceleration.sqrt(), stop: -speed / along };
            (along < 0.0).then_some((mode, slide))
        })
    }

    /// About when sliding along a fixed direction stops, or a contact that has just left its surface is back, and a little
    /// later. A step of that size is so much better than it has to be that its dense output serves as the step to the
    /// event.
    fn next_event(&mut self) -> Result<f64> {
        let ends = self.slides_that_slow().filter(|(mode, _)| *mode != Mode::Slip).map(|(_, slide)| slide.stop);
        let mut next = ends.fold(f64::INFINITY, f64::min);
        self.system.place(self.time, &self.state)?;
        self.measure()?;
        let has_left = |k: usize| {
            !self.system.modes[k].is_closed() && self.gaps[k] <= self.system.scales.near && self.rates[k] > 0.0
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
        let phase_end = self.phase_end()?;
        let limit = phase_end.map_or(1.0, |(fraction, _)| fraction);
        if let Some(fraction) = self.first_touch(limit)? {
            if error <= DENSE_ERROR {
                self.stepper.cut(fraction);
                self.accept();
            } else {
                self.step_to_touch(fraction, step)?;
            }
            return Ok(Halt::Touch);
        }
        let Some((fraction, margin)) = phase_end else {
            self.accept();
            self.follows = self.system.closed().is_empty();
            return Ok(Halt::Step);
        };
        if error <= DENSE_ERROR {
            self.stepper.cut(fraction);
            self.accept();
            return Ok(Halt::Phase(margin));
        }
        Ok(Halt::Phase(self.step_to_phase_end(fraction * step, step, margin)?))
    }

    /// Ends the step where the phase does, found on the dense output at `size`. Where the step itself, which is more
    /// accurate, sees it elsewhere, the end is looked for anew by stepping. The margin there.
    fn step_to_phase_end(&mut self, size: f64, step: f64, found: Margin) -> Result<Margin> {
        self.counts.rejected += 1;
        let reached = self.restep_margin(size)?;
        let enough = match found.by {
            Some((_, Reason::Direction)) => return Ok(found),
            Some((_, Reason::Stop)) => STOP_ACCURACY,
            _ => FORCE_ACCURACY,
        };
        let reached = Margin { value: reached.value, ..found };
        if reached.value.abs() <= enough {
            return Ok(reached);
        }
        let Some((from, to, values)) = self.bracket_phase_end(size, step, reached.value)? else { return Ok(reached) };
        let width = 4.0 * f64::EPSILON * self.time.max(self.system.scales.time);
        let end = root::falling_to(from, to, values, width, enough, |size| Ok(self.restep_margin(size)?.value))?;
        self.restep_margin(end)
    }

    /// Sizes of the step between which the phase ends, and the margins there.
    fn bracket_phase_end(&mut self, size: f64, step: f64, value: f64) -> Result<Option<(f64, f64, (f64, f64))>> {
        let mut width = NEARBY * step;
        let (mut inner, mut outer) = ((size, value), (size, value));
        while width < step {
            if value < 0.0 {
                let at = (size - width).max(0.0);
                inner = (at, self.restep_margin(at)?.value);
            } else {
                let at = (size + width).min(step);
                outer = (at, self.restep_margin(at)?.value);
            }
            if inner.1 >= 0.0 && outer.1 < 0.0 {
                return Ok(Some((inner.0, outer.0, (inner.1, outer.1))));
            }
            width *= 16.0;
        }
        self.restep(size)?;
        Ok(None)
    }

    fn restep_margin(&mut self, size: f64) -> Result<Margin> {
        self.restep(size)?;
        self.present_margin()
    }

    /// When the present phase ends within the step, as a fraction of it.
    fn phase_end(&mut self) -> Result<Option<(f64, Margin)>> {
        let mut trace = self.system.take_trace();
        if !trace.iter().any(|seen| seen.margin < 0.0) {
            self.system.give_back(trace);
            return Ok(None);
        }
        self.stepper.prepare_dense(&mut self.system)?;
        trace.sort_by(|a, b| a.time.total_cmp(&b.time));
        let smallest = trace.iter().map(|seen| seen.margin).fold(f64::INFINITY, f64::min);
        let (mut from, mut to) = ((0.0, None), None);
        for (place, seen) in trace.iter().enumerate() {
            let fraction = ((seen.time - self.stepper.start_time()) / self.stepper.step()).min(1.0);
            if seen.margin >= 0.0 {
                from = (fraction, Some(seen.margin));
                continue;
            }
            // A stage may be less accurate than the step. Whether redundant forces are beyond takes long to tell: it is
            // asked at the end, and where it is likeliest.
            let is_asked = !seen.is_doubtful || seen.margin == smallest || place + 1 == trace.len();
            if is_asked {
                let margin = self.margin_at(fraction)?;
                if margin.value < 0.0 {
                    to = Some((fraction, margin.value));
                    break;
                }
                from = (fraction, Some(margin.value));
            }
        }
        self.system.give_back(trace);
        let Some((to, below)) = to else { return Ok(None) };
        let above = match from.1 {
            Some(above) => above,
            None => {
                let first = self.margin_at(0.0)?;
                if first.value < 0.0 {
                    return Ok(Some((0.0, first)));
                }
                first.value
            }
        };
        let width = self.sharpest().max(1e-14);
        let fraction = root::falling(from.0, to, (above, below), width, |fraction| {
            self.margin_at(fraction).map(|margin| margin.value)
        })?;
        let margin = self.margin_at(fraction)?;
        Ok(Some((fraction, margin)))
    }

    /// The part of the step by which times can be told apart.
    fn sharpest(&self) -> f64 {
        f64::EPSILON * (self.stepper.start_time() / self.stepper.step())
    }

    /// The margin of the phase at a fraction of the step.
    fn margin_at(&mut self, fraction: f64) -> Result<Margin> {
        let time = self.stepper.start_time() + fraction * self.stepper.step();
        self.stepper.at(fraction, &mut self.point);
        let margin = self.system.evaluate(time, &self.point)?;
        self.system.best_margin(time, margin)
    }

    /// The margin of the phase in the present state.
    pub(super) fn present_margin(&mut self) -> Result<Margin> {
        let margin = self.system.evaluate(self.time, &self.state)?;
        self.system.best_margin(self.time, margin)
    }

    /// The first time that an open contact comes down to its surface, before `limit`, as a fraction of the step.
    fn first_touch(&mut self, limit: f64) -> Result<Option<f64>> {
        if !self.can_touch()? {
            return Ok(None);
        }
        self.stepper.prepare_dense(&mut self.system)?;
        let turn = 1.5 * self.spin * self.stepper.step();
        let pieces = (SAMPLES_PER_TURN * turn / std::f64::consts::PI).ceil().clamp(2.0, 1e5) as usize;
        let mut earliest: Option<f64> = None;
        self.measure_at(0.0)?;
        let (mut gaps, mut rates) = (self.gaps.clone(), self.rates.clone());
        for (k, rate) in rates.iter_mut().enumerate() {
            // What has just left the surface may have a rate that is negative by rounding.
            if *rate > -self.system.scales.tiny && gaps[k] <= self.system.scales.near {
                *rate = rate.max(0.0);
            }
        }
        for piece in 1..=pieces {
            let (from, to) = ((piece - 1) as f64 / pieces as f64, piece as f64 / pieces as f64);
            if from >= limit {
                break;
            }
            self.measure_at(to)?;
            let (next_gaps, next_rates) = (self.gaps.clone(), self.rates.clone());
            for k in 0..gaps.len() {
                if self.system.modes[k].is_closed() || !self.armed[k] {
                    continue;
                }
                let ends = [(from, gaps[k], rates[k]), (to, next_gaps[k], next_rates[k])];
                let bound = earliest.unwrap_or(limit);
                if let Some(fraction) = self.touch_within(k, ends)?.filter(|fraction| *fraction <= bound)
                    && self.is_enabled_at(k, fraction)
                {
                    earliest = Some(fraction);
                }
            }
            if earliest.is_some() {
                break;
            }
            (gaps, rates) = (next_gaps, next_rates);
        }
        Ok(earliest)
    }

    /// Whether an open contact is near enough, or fast enough, to come down in this step.
    fn can_touch(&mut self) -> Result<bool> {
        let step = self.stepper.step();
        let mut near = false;
        let (length, time) = (self.system.scales.length, self.system.scales.time);
        self.system.place(self.stepper.start_time(), self.stepper.start())?;
        self.measure()?;
        self.spin = self.system.watch.fastest(&mut self.system.dynamics).1;
        let (gaps, rates) = (self.gaps.clone(), self.rates.clone());
        self.system.place(self.stepper.end_time(), self.stepper.end())?;
        self.measure()?;
        self.spin = self.spin.max(self.system.watch.fastest(&mut self.system.dynamics).1);
        let fall = 4.0 * length * (step / time).powi(2) + 2.0 * length * step * self.spin;
        for k in 0..gaps.len() {
            if self.system.modes[k].is_closed() {
                continue;
            }
            let reach = 4.0 * step * rates[k].abs().max(self.rates[k].abs()) + fall;
            near |= gaps[k].min(self.gaps[k]) <= reach;
        }
        Ok(near)
    }

    /// Where a contact comes down between two places of the step, given its gap and rate at both.
    fn touch_within(&mut self, k: usize, ends: [(f64, f64, f64); 2]) -> Result<Option<f64>> {
        let [(from, gap, rate), (to, next_gap, next_rate)] = ends;
        let width = self.sharpest().max(1e-15);
        // The part on which it falls.
        let (start, start_gap) = if rate < 0.0 {
            (from, gap)
        } else if next_rate < 0.0 {
            let turn = root::falling(from, to, (rate, next_rate), width, |at| self.gap_at(at, k).map(|(_, r)| r))?;
            (turn, self.gap_at(turn, k)?.0)
        } else {
            return Ok(None);
        };
        let (end, end_gap) = if next_rate < 0.0 {
            (to, next_gap)
        } else {
            // It falls first and rises then: the lowest point.
            let turn = root::falling(start, to, (-rate, -next_rate), width, |at| self.gap_at(at, k).map(|(_, r)| -r))?;
            (turn, self.gap_at(turn, k)?.0)
        };
        if start_gap <= 0.0 {
            // What lies on the surface without force may have a rate of rounding.
            let scales = &self.system.scales;
            let falls = next_rate < -scales.tiny || end_gap < -4.0 * f64::EPSILON * scales.length;
            return Ok(falls.then_some(start));
        }
        if end_gap >= 0.0 {
            return Ok(None);
        }
        let touch =
            root::falling(start, end, (start_gap, end_gap), width, |at| self.gap_at(at, k).map(|(gap, _)| gap))?;
        // The gap is a number of roundings: it is zero between the last that is not below zero and the first that is. To
        // take one of them would make each of many small bounces too long, or too short.
        let (before, _) = self.gap_at((touch - width).max(start), k)?;
        let (after, rate) = self.gap_at(touch, k)?;
        if rate < -self.system.scales.settled {
            let early = 0.5 * (before + after) / (rate * self.stepper.step());
            return Ok(Some((touch - early).max(start).min(end)));
        }
        Ok(Some(touch))
    }

    /// Gap of a contact and its rate at a fraction of the step.
    fn gap_at(&mut self, fraction: f64, k: usize) -> Result<(f64, f64)> {
        self.measure_at(fraction)?;
        Ok((self.gaps[k], self.rates[k]))
    }

    fn measure_at(&mut self, fraction: f64) -> Result<()> {
        let time = self.stepper.start_time() + fraction * self.stepper.step();
        self.stepper.at(fraction, &mut self.point);
        self.system.place(time, &self.point)?;
        self.measure()?;
        Ok(())
    }

    fn is_enabled_at(&mut self, k: usize, fraction: f64) -> bool {
        let Some(condition) = self.system.watch.contact(k).enabled else { return true };
        self.stepper.at(fraction, &mut self.point);
        condition.holds(&self.point)
    }

    /// Ends the step where some contact touches, found on the dense output at `fraction`; the step itself is more
    /// accurate than that, so the end is put onto the surface by stepping anew.
    fn step_to_touch(&mut self, fraction: f64, step: f64) -> Result<()> {
        let touching = self.lowest_at(fraction)?;
        self.counts.rejected += 1;
        self.restep(fraction * step)?;
        for round in 0..=CORRECTIONS {
            self.system.place(self.time, &self.state)?;
            self.measure()?;
            let (gap, rate) = (self.gaps[touching], self.rates[touching]);
            let correction = -gap / rate;
            let is_there = gap.abs() <= 4.0 * f64::EPSILON * self.system.scales.length;
            // A graze has no sharp time; what the dense output said is as good.
            let is_sharp = rate < -self.system.scales.settled && correction.abs() < 0.1 * step;
            if round == CORRECTIONS || is_there || !is_sharp || self.time + correction == self.time {
                break;
            }
            if self.stepper.shift_error(correction, &self.scale) <= SHIFT {
                self.stepper.shift_end(correction);
                self.accept();
            } else {
                self.restep((self.stepper.step() + correction).max(0.0))?;
            }
        }
        Ok(())
    }

    /// The open contact that is the lowest among those that fall, at a fraction of the step.
    fn lowest_at(&mut self, fraction: f64) -> Result<usize> {
        self.measure_at(fraction)?;
        let open =
            (0..self.gaps.len()).filter(|&k| !self.system.modes[k].is_closed() && self.armed[k] && self.rates[k] < 0.0);
        let lowest = open.min_by(|&a, &b| self.gaps[a].total_cmp(&self.gaps[b]));
        Ok(lowest.unwrap_or(0))
    }
}
