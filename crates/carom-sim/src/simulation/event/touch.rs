//! When an open contact comes down to its surface within a step, and the step to there.

use crate::error::Result;
use crate::simulation::Simulation;
use crate::simulation::event::root;

/// Samples of a step in which a link turns by a half: fine enough that no touch hides between two.
const SAMPLES_PER_TURN: f64 = 16.0;
/// How much faster than at both ends of a step a link may turn inside it.
const FASTER_INSIDE: f64 = 1.5;
/// Samples of a step, at least and at most: a falling piece has two ends, and a spin beyond all measure is not followed.
const LEAST_SAMPLES: f64 = 2.0;
const MOST_SAMPLES: f64 = 1e5;
/// A contact farther away than this many times what its rate at the ends of a step covers, and what gravity and the spin
/// of its link add, cannot come down in the step. Generous: a false alarm costs samples, a miss costs a touch.
const REACH: f64 = 4.0;
/// The same of the spin, which moves a point by at most the length in a radian.
const SPIN_REACH: f64 = 2.0;
/// The part of a step to which touches and turning points are found: a few roundings.
const WIDTH: f64 = 1e-15;
/// A gap of fewer than this many roundings of the length says nothing of whether a contact falls.
const GAP_ROUNDINGS: f64 = 4.0;
/// A correction of the end of a step is sharp if it is below this part of the step.
pub(crate) const SHARP: f64 = 0.1;
/// Rounds of putting the end of a step onto the surface.
const CORRECTIONS: usize = 4;
/// What may be left out, over the scales, where the end of a step is shifted along its rate instead of stepping anew.
pub(crate) const SHIFT: f64 = 1e-14;

impl Simulation {
    /// The first time that an open contact comes down to its surface, before `limit`, as a fraction of the step.
    pub(crate) fn first_touch(&mut self, limit: f64) -> Result<Option<f64>> {
        if !self.can_touch()? {
            return Ok(None);
        }
        self.stepping.stepper.prepare_dense(&mut self.system)?;
        let turn = FASTER_INSIDE * self.stepping.spin * self.stepping.stepper.step();
        let pieces =
            (SAMPLES_PER_TURN * turn / std::f64::consts::PI).ceil().clamp(LEAST_SAMPLES, MOST_SAMPLES) as usize;
        let mut earliest: Option<f64> = None;
        self.measure_at(0.0)?;
        let mut before = self.system.distances();
        for (k, (gap, rate)) in before.iter_mut().enumerate() {
            // What has just left the surface may have a rate that is negative by rounding.
            let scales = self.system.scales.of(k);
            if *rate > -scales.tiny && *gap <= scales.near {
                *rate = rate.max(0.0);
            }
        }
        for piece in 1..=pieces {
            let (from, to) = ((piece - 1) as f64 / pieces as f64, piece as f64 / pieces as f64);
            if from >= limit {
                break;
            }
            self.measure_at(to)?;
            let next = self.system.distances();
            for k in 0..next.len() {
                if self.system.contacts[k].mode.is_closed() || !self.system.contacts[k].is_armed {
                    continue;
                }
                let ends = [(from, before[k].0, before[k].1), (to, next[k].0, next[k].1)];
                let bound = earliest.unwrap_or(limit);
                if let Some(fraction) = self.touch_within(k, ends)?.filter(|fraction| *fraction <= bound) {
                    if self.is_enabled_at(k, fraction) {
                        earliest = Some(fraction);
                    } else {
                        // It goes inside, and has to come out before it counts again.
                        self.system.contacts[k].is_armed = false;
                    }
                }
            }
            if earliest.is_some() {
                break;
            }
            before = next;
        }
        Ok(earliest)
    }

    /// Whether an open contact is near enough, or fast enough, to come down in this step.
    fn can_touch(&mut self) -> Result<bool> {
        let step = self.stepping.stepper.step();
        let mut near = false;
        self.system.place(self.stepping.stepper.start_time(), self.stepping.stepper.start())?;
        self.measure()?;
        self.stepping.spin = self.system.watch.fastest(&mut self.system.dynamics).1;
        let before = self.system.distances();
        self.system.place(self.stepping.stepper.end_time(), self.stepping.stepper.end())?;
        self.measure()?;
        self.stepping.spin = self.stepping.spin.max(self.system.watch.fastest(&mut self.system.dynamics).1);
        for (k, (gap, rate)) in before.into_iter().enumerate() {
            if self.system.contacts[k].mode.is_closed() {
                continue;
            }
            let scales = self.system.scales.of(k);
            let fall =
                REACH * scales.acceleration * step * step + SPIN_REACH * scales.length * step * self.stepping.spin;
            let reach = REACH * step * rate.abs().max(self.system.contacts[k].rate.abs()) + fall;
            near |= gap.min(self.system.contacts[k].gap) <= reach;
        }
        Ok(near)
    }

    /// Where a contact comes down between two places of the step, given its gap and rate at both.
    fn touch_within(&mut self, k: usize, ends: [(f64, f64, f64); 2]) -> Result<Option<f64>> {
        let [(from, gap, rate), (to, next_gap, next_rate)] = ends;
        // The part on which it falls.
        let (start, start_gap) = if rate < 0.0 {
            (from, gap)
        } else if next_rate < 0.0 {
            let turn = root::falling(from, to, (rate, next_rate), WIDTH, |at| self.gap_at(at, k).map(|(_, r)| r))?;
            (turn, self.gap_at(turn, k)?.0)
        } else {
            return Ok(None);
        };
        let (end, end_gap) = if next_rate < 0.0 {
            (to, next_gap)
        } else {
            // It falls first and rises then: the lowest point.
            let turn = root::falling(start, to, (-rate, -next_rate), WIDTH, |at| self.gap_at(at, k).map(|(_, r)| -r))?;
            (turn, self.gap_at(turn, k)?.0)
        };
        if start_gap <= 0.0 {
            // What lies on the surface without force may have a rate of rounding.
            let scales = self.system.scales.of(k);
            let falls = next_rate < -scales.tiny || end_gap < -GAP_ROUNDINGS * f64::EPSILON * scales.length;
            return Ok(falls.then_some(start));
        }
        if end_gap >= 0.0 {
            return Ok(None);
        }
        let touch =
            root::falling(start, end, (start_gap, end_gap), WIDTH, |at| self.gap_at(at, k).map(|(gap, _)| gap))?;
        // The gap is a number of roundings: it is zero between the last that is not below zero and the first that is. (Without
        // it the drop of seed 6718 takes too many windows, and that of seed 5938 sticks outside its cone.)
        let (before, _) = self.gap_at((touch - WIDTH).max(start), k)?;
        let (after, rate) = self.gap_at(touch, k)?;
        if rate < -self.system.scales.of(k).settled {
            let early = 0.5 * (before + after) / (rate * self.stepping.stepper.step());
            return Ok(Some((touch - early).max(start).min(end)));
        }
        Ok(Some(touch))
    }

    /// Gap of a contact and its rate at a fraction of the step.
    fn gap_at(&mut self, fraction: f64, k: usize) -> Result<(f64, f64)> {
        self.measure_at(fraction)?;
        Ok((self.system.contacts[k].gap, self.system.contacts[k].rate))
    }

    fn measure_at(&mut self, fraction: f64) -> Result<()> {
        let time = self.stepping.stepper.start_time() + fraction * self.stepping.stepper.step();
        self.stepping.stepper.at(fraction, &mut self.stepping.point);
        self.system.place(time, &self.stepping.point)?;
        self.measure()?;
        Ok(())
    }

    fn is_enabled_at(&mut self, k: usize, fraction: f64) -> bool {
        let Some(condition) = self.system.watch.contact(k).enabled else { return true };
        self.stepping.stepper.at(fraction, &mut self.stepping.point);
        condition.holds(&self.stepping.point)
    }

    /// Ends the step where some contact touches, found on the dense output at `fraction`; the step itself is more
    /// accurate than that, so the end is put onto the surface by stepping anew.
    pub(crate) fn step_to_touch(&mut self, fraction: f64, step: f64) -> Result<()> {
        let touching = self.lowest_at(fraction)?;
        self.journal.counts.rejected += 1;
        self.restep(fraction * step)?;
        for round in 0..=CORRECTIONS {
            self.system.place(self.time, &self.state)?;
            self.measure()?;
            let (gap, rate) = (self.system.contacts[touching].gap, self.system.contacts[touching].rate);
            let correction = -gap / rate;
            // A graze has no sharp time; what the dense output said is as good.
            let is_sharp = rate < -self.system.scales.of(touching).settled && correction.abs() < SHARP * step;
            if round == CORRECTIONS || gap == 0.0 || !is_sharp {
                break;
            }
            // The state may have more digits than the time: it is shifted even where the time stays the same.
            if self.stepping.stepper.shift_error(correction, &self.stepping.scale) <= SHIFT {
                self.stepping.stepper.shift_end(correction);
                self.accept();
                break;
            }
            self.restep((self.stepping.stepper.step() + correction).max(0.0))?;
        }
        Ok(())
    }

    /// The open contact that is the lowest among those that fall, at a fraction of the step.
    fn lowest_at(&mut self, fraction: f64) -> Result<usize> {
        self.measure_at(fraction)?;
        let open = (0..self.system.contacts.len()).filter(|&k| {
            !self.system.contacts[k].mode.is_closed()
                && self.system.contacts[k].is_armed
                && self.system.contacts[k].rate < 0.0
        });
        let lowest = open.min_by(|&a, &b| self.system.contacts[a].gap.total_cmp(&self.system.contacts[b].gap));
        Ok(lowest.unwrap_or(0))
    }
}
