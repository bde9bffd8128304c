//! When a phase ends within a step, and the step to there.

use super::error::Result;
use super::margin::{Margin, Reason, Seen};
use super::root;
use super::simulation::Simulation;

/// How far beyond its end a phase may be left, by the force or the wedge, and by the speed of what stops.
pub(super) const FORCE_ACCURACY: f64 = 1e-8;
const STOP_ACCURACY: f64 = 1e-11;
/// Part of a step within which the end of a phase is looked for first, around where the dense output has it.
const NEARBY: f64 = 1e-7;

/// Places between which a margin falls through zero.
struct Bracket {
    from: f64,
    to: f64,
    values: (f64, f64),
}

impl Simulation {
    /// When the present phase ends within the step, as a fraction of it.
    pub(super) fn phase_end(&mut self) -> Result<Option<(f64, Margin)>> {
        let mut trace = self.system.take_trace();
        let is_beyond = trace.iter().any(|seen| seen.margin < 0.0);
        let bracket = if is_beyond {
            trace.sort_by(|a, b| a.time.total_cmp(&b.time));
            self.stepper.prepare_dense(&mut self.system)?;
            self.first_beyond(&trace)?
        } else {
            None
        };
        self.system.give_back(trace);
        let Some(Bracket { from, to, values: (above, below) }) = bracket else { return Ok(None) };
        if above < 0.0 {
            let first = self.margin_at(from)?;
            return Ok(Some((from, first)));
        }
        let width = self.sharpest().max(1e-14);
        let fraction = root::falling(from, to, (above, below), width, |fraction| {
            self.margin_at(fraction).map(|margin| margin.value)
        })?;
        let margin = self.margin_at(fraction)?;
        Ok(Some((fraction, margin)))
    }

    /// Fractions of the step between which the phase first ends, by what its stages have seen.
    fn first_beyond(&mut self, trace: &[Seen]) -> Result<Option<Bracket>> {
        let smallest = trace.iter().map(|seen| seen.margin).fold(f64::INFINITY, f64::min);
        let (mut from, mut above) = (0.0, None);
        for (place, seen) in trace.iter().enumerate() {
            let fraction = ((seen.time - self.stepper.start_time()) / self.stepper.step()).min(1.0);
            let mut margin = seen.margin;
            if margin < 0.0 {
                // A stage may be less accurate than the step. Whether redundant forces are beyond takes long to tell: it
                // is asked at the end, and where it is likeliest.
                let is_asked = !seen.is_doubtful || margin == smallest || place + 1 == trace.len();
                if !is_asked {
                    continue;
                }
                margin = self.margin_at(fraction)?.value;
            }
            if !(margin >= 0.0) {
                let above = match above {
                    Some(above) => above,
                    None => self.margin_at(0.0)?.value,
                };
                return Ok(Some(Bracket { from, to: fraction, values: (above, margin) }));
            }
            (from, above) = (fraction, Some(margin));
        }
        Ok(None)
    }

    /// Ends the step where the phase does, found on the dense output at `size`. Where the step itself, which is more
    /// accurate, sees it elsewhere, the end is looked for anew by stepping. The margin there.
    pub(super) fn step_to_phase_end(&mut self, size: f64, step: f64, found: Margin) -> Result<Margin> {
        self.counts.rejected += 1;
        let reached = self.restep_margin(size)?;
        let enough = match found.by {
            Some((_, Reason::Direction | Reason::Lost)) => return Ok(found),
            Some((_, Reason::Stop)) => STOP_ACCURACY,
            _ => FORCE_ACCURACY,
        };
        let reached = Margin { value: reached.value, ..found };
        if reached.value.abs() <= enough {
            return Ok(reached);
        }
        let Some(Bracket { from, to, values }) = self.bracket_phase_end(size, step, reached.value)? else {
            return Ok(reached);
        };
        let width = 4.0 * f64::EPSILON * self.time.max(self.system.scales.time);
        let end = root::falling_to(from, to, values, width, enough, |size| Ok(self.restep_margin(size)?.value))?;
        self.restep_margin(end)
    }

    /// Sizes of the step between which the phase ends, and the margins there.
    fn bracket_phase_end(&mut self, size: f64, step: f64, value: f64) -> Result<Option<Bracket>> {
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
                return Ok(Some(Bracket { from: inner.0, to: outer.0, values: (inner.1, outer.1) }));
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
}
