//! When a phase ends within a step, and the step to there.
//!
//! An event fires only when a force is slightly outside its bounds. The time of the event is when the force is on its
//! bound, and the state is put there. At that instant the present modes would still be admissible, so the next modes
//! are decided slightly later, where the event fires, with the state extrapolated to that time. The mode that ends is
//! then no longer a solution, and the time of the event does not depend on how far outside a force must be.

use crate::error::Result;
use crate::simulation::Simulation;
use crate::simulation::event::root;
use crate::simulation::event::touch::{SHARP, SHIFT};
use crate::simulation::motion::integrate::Flow;
use crate::simulation::motion::margin::{Margin, MarginSample, Reason};

/// How far beyond its end a phase may be left where it cannot be located better: relative to the speed scale for
/// contacts that stop, and as a margin for all other reasons.
const STOP_ACCURACY: f64 = 1e-11;
pub(crate) const FORCE_ACCURACY: f64 = 1e-8;
/// Distance from its bound allowed for a force that ends a phase, relative to the largest force: a hundred roundings.
const ZERO_ACCURACY: f64 = 1e-14;
/// Maximum number of corrections that put the end of a step where a force is on its bound.
const CORRECTIONS: usize = 4;
/// Fraction of a step that is searched first for the end of a phase, around its time in the dense output.
const NEARBY: f64 = 1e-7;
/// Factor by which that interval is widened if the end is not in it.
const WIDER: f64 = 16.0;
/// Accuracy of the time at which an event fires, as a fraction of the step: a hundred roundings, like the forces.
const FIRES_WIDTH: f64 = 1e-14;
/// Accuracy of the end of a phase found by stepping, in roundings of the time.
const STEPPED_WIDTH: f64 = 4.0;
/// Maximum number of times that the look-ahead at which modes are decided is doubled until the event also fires there.
const DOUBLINGS: usize = 6;
/// The margin of the best distribution of redundant forces is assumed to change within a step by at most this multiple
/// of the change for the minimum-norm forces.
const AS_MUCH: f64 = 2.0;
/// A step is not ended where a force is on its bound within this first fraction of it.
const FIRST_PART: f64 = 1e-3;

/// An interval in which a margin falls through zero.
struct Bracket {
    from: f64,
    to: f64,
    values: (f64, f64),
}

/// How the present phase continues within a step.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Phase {
    /// It continues.
    GoesOn,
    /// It continues, but a force has left its bound, at this fraction of the step, and is about to end it.
    LeavesBound(f64),
    /// It ends.
    Ends(PhaseEnd),
}

/// Where a phase ends within a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PhaseEnd {
    /// The fraction of the step at which a force is on its bound, or a motion beyond its own.
    pub(crate) fraction: f64,
    /// The further fraction of the step after which the force is far enough outside for the event to fire.
    pub(crate) beyond: f64,
    /// The margin where the event fires.
    pub(crate) margin: Margin,
}

impl Simulation {
    /// Whether and where the present phase ends within the step.
    pub(crate) fn phase_end(&mut self) -> Result<Phase> {
        let mut trace = self.system.take_trace();
        let end = self.stepping.stepper.end_time();
        let leaving = trace.iter().find(|seen| seen.time == end).and_then(|seen| seen.about_to_fire);
        let is_beyond = trace.iter().any(|seen| seen.margin < 0.0);
        let bracket = if is_beyond {
            trace.sort_by(|a, b| a.time.total_cmp(&b.time));
            self.stepping.stepper.prepare_dense(&mut self.system)?;
            self.first_beyond(&trace)?
        } else {
            None
        };
        self.system.give_back(trace);
        let Some(Bracket { from, to, values: (above, below) }) = bracket else {
            return self.leaves_bound(leaving);
        };
        if above < 0.0 {
            let margin = self.margin_at(from)?;
            return Ok(Phase::Ends(PhaseEnd { fraction: from, beyond: 0.0, margin }));
        }
        let width = self.sharpest().max(FIRES_WIDTH);
        let fires = root::falling(from, to, (above, below), width, |fraction| {
            self.margin_at(fraction).map(|margin| margin.value)
        })?;
        let margin = self.margin_at(fires)?;
        let fraction = match margin.by {
            Some(by) if by.1.is_force() => self.on_bound_or_firing(by, from, fires)?,
            _ => fires,
        };
        Ok(Phase::Ends(PhaseEnd { fraction, beyond: fires - fraction, margin }))
    }

    /// Where a force that fires an event at `to` is on its bound. A force that has always been on its bound, such as
    /// friction with zero coefficients, puts the event at the start of the step, where the present modes may be
    /// admissible. If they were just continued from there, the event is put where it fires; otherwise it would be put
    /// at the start again and again.
    fn on_bound_or_firing(&mut self, by: (usize, Reason), from: f64, to: f64) -> Result<f64> {
        let fraction = self.on_bound(by, from, to)?;
        let at_start = (fraction == 0.0).then_some((self.stepping.stepper.start_time(), by));
        let was_in_vain = at_start.is_some() && at_start == self.stepping.fired_at_start;
        self.stepping.fired_at_start = at_start;
        Ok(if was_in_vain { to } else { fraction })
    }

    /// Where a force that fires an event at `to` is on its bound: after `from` or, if it is outside there already,
    /// since the start of the step; at the start, if it was outside throughout.
    fn on_bound(&mut self, by: (usize, Reason), from: f64, to: f64) -> Result<f64> {
        let below = self.force_margin_at(to, by)?;
        let mut above = (from, self.force_margin_at(from, by)?);
        if above.1 < 0.0 {
            above = (0.0, self.force_margin_at(0.0, by)?);
        }
        if !(above.1 > 0.0 && below < 0.0) {
            return Ok(above.0);
        }
        let width = self.sharpest().max(f64::EPSILON);
        root::falling(above.0, to, (above.1, below), width, |fraction| self.force_margin_at(fraction, by))
    }

    /// Where a force leaves its bound in a step at whose end it is outside, but not far enough to fire an event. The
    /// step must end there: the event fires in the next step, which can go back no farther than its own start.
    fn leaves_bound(&mut self, leaving: Option<(usize, Reason)>) -> Result<Phase> {
        let Some(by) = leaving else { return Ok(Phase::GoesOn) };
        self.stepping.stepper.prepare_dense(&mut self.system)?;
        let fraction = self.on_bound(by, 0.0, 1.0)?;
        Ok(if fraction > FIRST_PART { Phase::LeavesBound(fraction) } else { Phase::GoesOn })
    }

    /// Fractions of the step between which the phase first ends, according to the margins of its stages.
    fn first_beyond(&mut self, trace: &[MarginSample]) -> Result<Option<Bracket>> {
        let asked = self.redundant_margins(trace)?;
        let (mut from, mut above) = (0.0, None);
        for (seen, asked) in trace.iter().zip(asked) {
            let fraction = self.fraction_of(seen);
            let mut margin = seen.margin;
            if margin < 0.0 {
                // A stage may be less accurate than the step.
                margin = match asked {
                    Some(margin) => margin,
                    None if seen.is_doubtful => continue,
                    None => self.margin_at(fraction)?.value,
                };
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

    /// The margins of redundant forces at the stages where they are computed. The best distribution is expensive: it is
    /// computed at the end, and where the minimum-norm forces are farthest outside. The best forces may be nearest to
    /// their bounds elsewhere: if their margin is less than [`AS_MUCH`] times the change of the minimum-norm margin in
    /// the step, it is computed at every stage.
    fn redundant_margins(&mut self, trace: &[MarginSample]) -> Result<Vec<Option<f64>>> {
        let mut asked = vec![None; trace.len()];
        let doubtful: Vec<usize> =
            (0..trace.len()).filter(|&k| trace[k].is_doubtful && trace[k].margin < 0.0).collect();
        let margins = || doubtful.iter().map(|&k| trace[k].margin);
        let (smallest, largest) =
            (margins().fold(f64::INFINITY, f64::min), margins().fold(f64::NEG_INFINITY, f64::max));
        let mut nearest = f64::INFINITY;
        for &k in doubtful.iter().filter(|&&k| trace[k].margin == smallest || k + 1 == trace.len()) {
            let margin = self.margin_at(self.fraction_of(&trace[k]))?.value;
            asked[k] = Some(margin);
            nearest = nearest.min(margin);
        }
        if nearest < AS_MUCH * (largest - smallest) {
            for &k in &doubtful {
                if asked[k].is_none() {
                    asked[k] = Some(self.margin_at(self.fraction_of(&trace[k]))?.value);
                }
            }
        }
        Ok(asked)
    }

    /// The fraction of the step at which an evaluation was made.
    fn fraction_of(&self, seen: &MarginSample) -> f64 {
        ((seen.time - self.stepping.stepper.start_time()) / self.stepping.stepper.step()).min(1.0)
    }

    /// Ends the step where the phase ends, as found on the dense output. If the step itself, which is more accurate,
    /// has the end elsewhere, it is searched again by stepping. Returns the margin there.
    pub(crate) fn step_to_phase_end(&mut self, step: f64, found: PhaseEnd) -> Result<Margin> {
        let size = found.fraction * step;
        self.journal.counts.rejected += 1;
        match found.margin.by {
            Some(by) if by.1.is_force() && found.beyond > 0.0 => self.step_to_bound(step, found, by),
            Some((_, Reason::Direction | Reason::Lost | Reason::Part)) => {
                self.restep(size)?;
                Ok(found.margin)
            }
            Some((_, Reason::Stop)) => self.step_beyond(size, step, STOP_ACCURACY, found.margin),
            _ => self.step_beyond(size, step, FORCE_ACCURACY, found.margin),
        }
    }

    /// Ends the step where a force is on its bound.
    fn step_to_bound(&mut self, step: f64, found: PhaseEnd, by: (usize, Reason)) -> Result<Margin> {
        let mut size = found.fraction * step;
        self.restep(size)?;
        let mut margin = self.present_force_margin(by)?;
        // The rate at which the margin falls, from the dense output.
        let later = found.beyond * step;
        let slope = (self.force_margin_ahead(later, by)? - margin) / later;
        for _ in 0..CORRECTIONS {
            let correction = -margin / slope;
            let is_sharp = slope < 0.0 && correction.abs() < SHARP * step;
            if margin.abs() <= ZERO_ACCURACY || !is_sharp {
                break;
            }
            size = (size + correction).clamp(0.0, step);
            if self.stepping.stepper.shift_error(correction, &self.stepping.scale) <= SHIFT {
                self.stepping.stepper.shift_end(correction);
                self.accept();
            } else {
                self.restep(size)?;
            }
            margin = self.present_force_margin(by)?;
        }
        Ok(found.margin)
    }

    /// How far a force is inside its bound a little later, extrapolated along the present rate.
    fn force_margin_ahead(&mut self, later: f64, by: (usize, Reason)) -> Result<f64> {
        self.ahead_by(later)?;
        self.system.evaluate(self.time + later, &self.stepping.ahead)?;
        self.system.force_margin(self.time + later, by)
    }

    /// Ends the step where a margin is a little below zero.
    fn step_beyond(&mut self, size: f64, step: f64, enough: f64, found: Margin) -> Result<Margin> {
        let reached = Margin { value: self.restep_margin(size)?.value, ..found };
        if reached.value.abs() <= enough {
            return Ok(reached);
        }
        let Some(Bracket { from, to, values }) = self.bracket_phase_end(size, step, reached.value)? else {
            return Ok(reached);
        };
        let width = STEPPED_WIDTH * f64::EPSILON * self.time.max(self.system.scales.time);
        let end = root::falling_to(from, to, values, width, enough, |size| Ok(self.restep_margin(size)?.value))?;
        self.restep_margin(end)
    }

    /// Extrapolates from where a force is on its bound to where the event fires, after `later` or a few times that; not
    /// at all if the force does not fall. Modes are decided there.
    pub(crate) fn look_ahead(&mut self, mut later: f64) -> Result<()> {
        self.stepping.decides_at = None;
        if !(later > 0.0) {
            return Ok(());
        }
        for _ in 0..DOUBLINGS {
            self.ahead_by(later)?;
            let time = self.time + later;
            let margin = self.system.evaluate(time, &self.stepping.ahead)?;
            if self.system.best_margin(time, margin)?.value < 0.0 {
                self.stepping.decides_at = Some(time);
                return Ok(());
            }
            later *= 2.0;
        }
        Ok(())
    }

    /// Sets `ahead` to the present state extrapolated along its rate by `later`.
    pub(crate) fn ahead_by(&mut self, later: f64) -> Result<()> {
        let mut rate = std::mem::take(&mut self.stepping.ahead);
        let found = self.system.rate(self.time, &self.state, &mut rate);
        for (ahead, state) in rate.iter_mut().zip(&self.state) {
            *ahead = state + later * *ahead;
        }
        self.stepping.ahead = rate;
        found
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
            width *= WIDER;
        }
        self.restep(size)?;
        Ok(None)
    }

    fn restep_margin(&mut self, size: f64) -> Result<Margin> {
        self.restep(size)?;
        self.present_margin()
    }

    /// The smallest fraction of the step by which two times differ.
    fn sharpest(&self) -> f64 {
        f64::EPSILON * (self.stepping.stepper.start_time() / self.stepping.stepper.step())
    }

    /// The margin of the phase at a fraction of the step.
    fn margin_at(&mut self, fraction: f64) -> Result<Margin> {
        let time = self.stepping.stepper.start_time() + fraction * self.stepping.stepper.step();
        self.stepping.stepper.at(fraction, &mut self.stepping.point);
        let margin = self.system.evaluate(time, &self.stepping.point)?;
        self.system.best_margin(time, margin)
    }

    /// How far a force is inside its bound at a fraction of the step.
    fn force_margin_at(&mut self, fraction: f64, by: (usize, Reason)) -> Result<f64> {
        let time = self.stepping.stepper.start_time() + fraction * self.stepping.stepper.step();
        self.stepping.stepper.at(fraction, &mut self.stepping.point);
        self.system.evaluate(time, &self.stepping.point)?;
        self.system.force_margin(time, by)
    }

    /// How far a force is inside its bound in the present state.
    fn present_force_margin(&mut self, by: (usize, Reason)) -> Result<f64> {
        self.system.evaluate(self.time, &self.state)?;
        self.system.force_margin(self.time, by)
    }

    /// The margin of the phase in the present state.
    pub(crate) fn present_margin(&mut self) -> Result<Margin> {
        let margin = self.system.evaluate(self.time, &self.state)?;
        self.system.best_margin(self.time, margin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Actuator;
    use crate::simulation::motion::contact::Mode;
    use crate::simulation::tests::{G, MU, assert_near, attempt, contact, model, one_step, pushed, setup};

    fn seen(time: f64, margin: f64) -> MarginSample {
        MarginSample { time, margin, is_doubtful: true, about_to_fire: None }
    }

    #[test]
    fn places_in_a_step_are_parts_of_it_and_are_told_apart_by_the_rounding_of_the_time() {
        let mut simulation = pushed(Mode::Stick, 0.0, 0.1, |_| 0.0);
        assert_eq!(simulation.sharpest(), 0.0);
        simulation.time = 1000.0;
        attempt(&mut simulation, 0.5);
        for (time, part) in [(1000.0, 0.0), (1000.125, 0.25), (1000.5, 1.0), (1000.75, 1.0)] {
            assert_eq!(simulation.fraction_of(&seen(time, 0.0)), part);
        }
        assert_near(simulation.sharpest(), 2000.0 * f64::EPSILON, 1e-25);
    }

    /// A push that reaches the friction limit at two thirds of the step.
    #[test]
    fn a_force_is_on_its_bound_where_it_leaves_it_last() {
        let by = (0, Reason::Cone);
        let mut simulation = pushed(Mode::Stick, 0.0, 0.3, |t| MU * G * t / 0.2);
        // Found after the given fraction, or from the start if the force is outside there.
        for (from, to) in [(0.0, 1.0), (0.5, 0.9), (0.7, 0.9), (0.66, 0.67)] {
            assert_near(simulation.on_bound(by, from, to).unwrap(), 2.0 / 3.0, 1e-12);
        }
        // A force that is inside throughout gives the fraction searched from; one that is outside throughout gives the
        // start.
        assert_eq!(simulation.on_bound(by, 0.1, 0.5).unwrap(), 0.1);
        let mut simulation = pushed(Mode::Stick, 0.0, 0.3, |_| 2.0 * MU * G);
        assert_eq!(simulation.on_bound(by, 0.5, 0.9).unwrap(), 0.0);
        // A force that leaves a bound on which it has been so far.
        let mut simulation = pushed(Mode::Stick, 0.0, 0.3, |t| MU * G + t);
        let found = simulation.on_bound(by, 0.0, 0.9).unwrap();
        assert!(found < 1e-12, "{found:e}");
    }

    /// Outside by 1e-11 to 5e-11 of the weight: more than rounding, and too little for an event.
    #[test]
    fn a_step_is_ended_where_a_force_leaves_its_bound_and_no_event_fires() {
        let leaves = |at: f64, rate: f64| {
            let push = move |t: f64| MU * G * (1.0 + rate * (t / 0.3 - at));
            match pushed(Mode::Stick, 0.0, 0.3, push).phase_end().unwrap() {
                Phase::LeavesBound(fraction) => Some(fraction),
                Phase::GoesOn => None,
                Phase::Ends(end) => panic!("{end:?}"),
            }
        };
        for at in [0.25, 0.5, 0.75] {
            assert_near(leaves(at, 2e-10 / 1.5).unwrap(), at, 1e-4);
        }
        // Not in the first thousandth of the step, where steps would end again and again, and not because of rounding.
        assert_near(leaves(1.5e-3, 1e-10).unwrap(), 1.5e-3, 1e-4);
        assert_eq!((leaves(5e-4, 1e-10), leaves(2.0, 1e-10), leaves(0.5, 1e-12)), (None, None, None));
    }

    /// A block on two feet, each of which would slide alone: whether both together hold it is a separate problem. It is
    /// solved where the phase is nearest to its end, and at every stage only if that is near.
    #[test]
    fn redundant_forces_are_distributed_where_they_may_be_outside_and_no_more_often() {
        let model = model(
            r#"<body name="block"><joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
            <joint name="turn" type="hinge" axis="0 1 0"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>"#,
        );
        let mut setup = setup(std::sync::Arc::clone(&model));
        setup.contacts = [-1.0, 1.0]
            .map(|x| {
                let mut foot = contact(&model, "block", [x, 0.0, 0.0], 0.0, Some(0.5));
                foot.point = foot.point.with_dimension(2);
                foot
            })
            .to_vec();
        setup.actuators = vec![Actuator::law(|_, _, _, forces| {
            forces[0] += 0.3 * G;
            forces[2] += 0.8 * G;
        })];
        let mut simulation = one_step(setup, 0.1);
        simulation.system.contacts.iter_mut().for_each(|foot| foot.mode = Mode::Stick);
        simulation.system.adopt_modes();
        attempt(&mut simulation, 0.1);
        let best = simulation.margin_at(0.5).unwrap().value;
        assert!(best > 0.01 && best < 0.5, "{best}");
        let mut asked = |margins: [f64; 4]| -> Vec<bool> {
            let trace: Vec<MarginSample> =
                margins.iter().zip([0.01, 0.04, 0.07, 0.1]).map(|(margin, time)| seen(time, *margin)).collect();
            simulation.redundant_margins(&trace).unwrap().iter().map(Option::is_some).collect()
        };
        assert_eq!(asked([-0.1, -0.102, -0.101, -0.1005]), [false, true, false, true]);
        assert_eq!(asked([-0.1, -0.102, -0.101, 0.5]), [false, true, false, false]);
        // They may change by more than the best margin.
        assert_eq!(asked([-0.1, -0.1 - best, -0.101, -0.1005]), [true; 4]);
    }
}
