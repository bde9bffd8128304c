//! When an open contact comes down to its surface within a step, and the step to there.

use carom_multibody::PairFeature;

use crate::error::Result;
use crate::simulation::Simulation;
use crate::simulation::event::root;
use crate::simulation::motion::system::dynamics;

/// Initial pieces of a step in which a link makes half a turn: eight remain if it turns half as fast again inside the
/// step as at its ends.
const PIECES_PER_TURN: f64 = 12.0;
/// Maximum number of pieces of a step: faster spins are not resolved.
const MOST_PIECES: f64 = 5e4;
/// Maximum number of halvings of pieces in a step.
const MOST_HALVINGS: usize = 200;
/// A piece is halved if the rate in its middle differs by more than this, relative to the largest rate, from the value
/// predicted by its ends, or the gap in one half by more than this, relative to the smaller gap at the ends of that
/// half plus the distance covered at its smaller rate...
const PREDICTED: f64 = 0.1;
/// ... plus this fraction of the distance that counts as near: a smaller dip is no deeper than the bounces that
/// settling ends.
const HIDDEN: f64 = 1e-3;
/// A gap that turns twice between two samples may touch there if it falls below this fraction of the smaller of the
/// two.
const DIP: f64 = 0.5;
/// A contact farther away than this multiple of the distance covered at its rate at the ends of the step, plus the
/// contributions of gravity and of the spin of its link, cannot come down in the step. Generous: a false alarm costs
/// samples, a miss costs a touch.
const REACH: f64 = 4.0;
/// The corresponding factor for the spin, which moves a point by at most the length per radian.
const SPIN_REACH: f64 = 2.0;
/// Accuracy of touches and turning points, as a fraction of the step: a few roundings.
const WIDTH: f64 = 1e-15;
/// A gap smaller than this many roundings of the length does not determine whether a contact falls.
const GAP_ROUNDINGS: f64 = 4.0;
/// A correction of the end of a step is sharp if it is below this fraction of the step.
pub(crate) const SHARP: f64 = 0.1;
/// Maximum number of corrections that put the end of a step onto the surface.
const CORRECTIONS: usize = 4;
/// Error allowed, relative to the scales, for shifting the end of a step along its rate instead of repeating the step.
pub(crate) const SHIFT: f64 = 1e-14;

/// A contact or pair of boxes that may close within a step.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Approach<'a> {
    /// A contact.
    Contact(usize),
    /// Two boxes, by their index among all pairs of boxes: the gap of the whole bodies.
    Boxes(usize),
    /// A contact with the gap of these parts, also beyond their ends.
    Part(usize, &'a PairFeature),
}

/// Gap and rate of every contact at a fraction of the step.
#[derive(Debug, Clone)]
struct Look {
    at: f64,
    distances: Vec<(f64, f64)>,
}

/// The cubic through gaps and rates at both ends of an interval.
#[derive(Debug, Clone, Copy)]
struct Cubic {
    gaps: [f64; 2],
    rates: [f64; 2],
    width: f64,
}

impl Cubic {
    /// Whether it falls far below both ends and rises again between them, at rates above `rounding`, although the signs
    /// of the rates at the ends do not show it.
    fn dips(&self, rounding: f64) -> bool {
        let ([g_0, g_1], [r_0, r_1]) = (self.gaps, self.rates);
        if (r_0 < 0.0) != (r_1 < 0.0) {
            return false;
        }
        // At the fraction s of the interval the rate is r_0 + b s + a s².
        let mean = (g_1 - g_0) / self.width;
        let (b, a) = (6.0 * mean - 4.0 * r_0 - 2.0 * r_1, 3.0 * (r_0 + r_1) - 6.0 * mean);
        let turn = -b / (2.0 * a);
        if !(turn > 0.0 && turn < 1.0) {
            return false;
        }
        let extreme = r_0 + 0.5 * b * turn;
        let crosses = if r_0 < 0.0 { extreme > rounding } else { extreme < -rounding };
        if !crosses {
            return false;
        }
        // It is lowest where the rate rises through zero.
        let away = (-extreme / a).sqrt();
        let lowest = turn + if a > 0.0 { away } else { -away };
        let gap = g_0 + self.width * lowest * (r_0 + lowest * (0.5 * b + lowest * a / 3.0));
        gap < DIP * g_0.min(g_1)
    }
}

impl Simulation {
    /// The first time that an open contact comes down to its surface, before `limit`, as a fraction of the step.
    ///
    /// Between two samples a gap may fall below zero and rise again. A piece of the step is halved until the cubic
    /// through the gaps and rates at its ends predicts those in its middle, and until no gap turns twice in one half.
    pub(crate) fn first_touch(&mut self, limit: f64) -> Result<Option<f64>> {
        let of_surfaces = self.first_touch_of_surfaces(limit)?;
        let of_pairs = self.first_touch_of_pairs(of_surfaces.unwrap_or(limit))?;
        Ok(of_pairs.or(of_surfaces))
    }

    fn first_touch_of_surfaces(&mut self, limit: f64) -> Result<Option<f64>> {
        if !self.can_touch()? {
            return Ok(None);
        }
        self.stepping.stepper.prepare_dense(&mut self.system)?;
        let turn = self.stepping.spin * self.stepping.stepper.step();
        let pieces = (PIECES_PER_TURN * turn / std::f64::consts::PI).ceil().clamp(1.0, MOST_PIECES) as usize;
        let mut start = self.look_at(0.0)?;
        for (k, (gap, rate)) in start.distances.iter_mut().enumerate() {
            // A contact that has just left its surface may have a rate that is negative by rounding.
            let scales = self.system.scales.of(k);
            if *rate > -scales.tiny && *gap <= scales.near {
                *rate = rate.max(0.0);
            }
        }
        let mut halvings = 0;
        for piece in 1..=pieces {
            // The ends of the parts of this piece that remain to be searched, the next one last.
            let mut ends = vec![self.look_at(piece as f64 / pieces as f64)?];
            while let Some(end) = ends.pop() {
                if start.at >= limit {
                    return Ok(None);
                }
                let middle = self.look_at(0.5 * (start.at + end.at))?;
                if halvings < MOST_HALVINGS && self.may_hide_a_touch([&start, &middle, &end]) {
                    halvings += 1;
                    ends.extend([end, middle]);
                    continue;
                }
                for [from, to] in [[&start, &middle], [&middle, &end]] {
                    let touch = self.touch_between(from, to, limit)?;
                    if touch.is_some() {
                        return Ok(touch);
                    }
                }
                start = end;
            }
        }
        Ok(None)
    }

    /// The first touch between two times of the step and before `limit`.
    fn touch_between(&mut self, from: &Look, to: &Look, limit: f64) -> Result<Option<f64>> {
        let mut earliest: Option<f64> = None;
        for k in 0..self.system.watch.first_pair() {
            if !self.is_open(k) {
                continue;
            }
            let ends = [from, to].map(|look| (look.at, look.distances[k].0, look.distances[k].1));
            let bound = earliest.unwrap_or(limit);
            if let Some(fraction) = self.touch_within(Approach::Contact(k), ends)?.filter(|fraction| *fraction <= bound)
            {
                if self.is_enabled_at(k, fraction) {
                    earliest = Some(fraction);
                } else {
                    // It penetrates, and must come out before it is armed again.
                    self.system.contacts[k].is_armed = false;
                }
            }
        }
        Ok(earliest)
    }

    /// Whether a near open contact may touch in a piece of the step without showing it at the ends or in the middle.
    fn may_hide_a_touch(&self, [start, middle, end]: [&Look; 3]) -> bool {
        let half = 0.5 * (end.at - start.at) * self.stepping.stepper.step();
        (0..self.system.watch.first_pair()).filter(|&k| self.is_open(k)).any(|k| {
            let [(g_0, r_0), (g_m, r_m), (g_1, r_1)] = [start, middle, end].map(|look| look.distances[k]);
            let fastest = r_0.abs().max(r_m.abs()).max(r_1.abs());
            if g_0.min(g_m).min(g_1) > self.reach(k, half, fastest) {
                return false;
            }
            // Rounding of rates and of differences of gaps.
            let scales = self.system.scales.of(k);
            let rounding = scales.tiny + GAP_ROUNDINGS * f64::EPSILON * scales.length / half;
            let predicted = 0.75 * (g_1 - g_0) / half - 0.25 * (r_0 + r_1);
            if (r_m - predicted).abs() > PREDICTED * fastest + rounding {
                return true;
            }
            // The errors of the cubics of the halves are a sixteenth of the error of the cubic of the whole in the
            // middle.
            let off = (g_m - 0.5 * (g_0 + g_1) - 0.25 * half * (r_0 - r_1)).abs() / 16.0;
            let is_hidden = |gaps: [f64; 2], rates: [f64; 2]| {
                let least = gaps[0].min(gaps[1]).max(0.0) + half * rates[0].abs().min(rates[1].abs());
                // If the gap is closed at the end, the touch is found anyway.
                (gaps[1] >= 0.0 && off > HIDDEN * scales.near + PREDICTED * least)
                    || Cubic { gaps, rates, width: half }.dips(rounding)
            };
            is_hidden([g_0, g_m], [r_0, r_m]) || is_hidden([g_m, g_1], [r_m, r_1])
        })
    }

    pub(crate) fn is_open(&self, k: usize) -> bool {
        !self.system.contacts[k].mode.is_closed() && self.system.contacts[k].is_armed
    }

    /// How far a contact may come down in a time, given the larger of its rates at both ends.
    fn reach(&self, k: usize, time: f64, rate: f64) -> f64 {
        // Pairs get here only if their gap may close.
        if self.system.watch.pair(k).is_some() {
            return f64::INFINITY;
        }
        let scales = self.system.scales.of(k);
        REACH * time * rate
            + REACH * scales.acceleration * time * time
            + SPIN_REACH * scales.length * time * self.stepping.spin
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
        for (k, (gap, rate)) in before.into_iter().enumerate().take(self.system.watch.first_pair()) {
            if self.system.contacts[k].mode.is_closed() {
                continue;
            }
            let reach = self.reach(k, step, rate.abs().max(self.system.contacts[k].rate.abs()));
            near |= gap.min(self.system.contacts[k].gap) <= reach;
        }
        Ok(near)
    }

    /// Where a contact comes down between two times of the step, given its gap and rate at both.
    pub(crate) fn touch_within(&mut self, what: Approach<'_>, ends: [(f64, f64, f64); 2]) -> Result<Option<f64>> {
        let k = match what {
            Approach::Contact(k) | Approach::Part(k, _) => k,
            Approach::Boxes(boxes) => self.system.watch.boxes[boxes].contacts.start,
        };
        let [(from, gap, rate), (to, next_gap, next_rate)] = ends;
        let time = (to - from) * self.stepping.stepper.step();
        let rises_first = rate >= 0.0 && gap > 0.0 && next_gap >= 0.0;
        if rises_first || gap.min(next_gap) > self.reach(k, time, rate.abs().max(next_rate.abs())) {
            return Ok(None);
        }
        // The part on which it falls, or the whole piece if neither rate shows that it falls below zero.
        let is_hidden = rate >= 0.0 && next_rate >= 0.0;
        if is_hidden && !(gap > 0.0 && next_gap < 0.0) {
            return Ok(None);
        }
        let (start, start_gap) = if rate < 0.0 || is_hidden {
            (from, gap)
        } else {
            let turn =
                root::falling(from, to, (rate, next_rate), WIDTH, |at| self.approach_at(at, what).map(|(_, r)| r))?;
            (turn, self.approach_at(turn, what)?.0)
        };
        let (end, end_gap) = if next_rate < 0.0 || is_hidden {
            (to, next_gap)
        } else {
            // It falls first and rises then: the lowest point.
            let turn =
                root::falling(start, to, (-rate, -next_rate), WIDTH, |at| self.approach_at(at, what).map(|(_, r)| -r))?;
            (turn, self.approach_at(turn, what)?.0)
        };
        if start_gap <= 0.0 {
            // A contact that rests on its surface without force may have a rate due to rounding.
            let scales = self.system.scales.of(k);
            let falls = next_rate < -scales.tiny || end_gap < -GAP_ROUNDINGS * f64::EPSILON * scales.length;
            return Ok(falls.then_some(start));
        }
        if end_gap >= 0.0 {
            return Ok(None);
        }
        let touch = root::falling(start, end, (start_gap, end_gap), WIDTH, |at| {
            self.approach_at(at, what).map(|(gap, _)| gap)
        })?;
        // The gap is a number of roundings: it is zero between the last that is not below zero and the first that is. (Without
        // it the drop of seed 6718 takes too many windows, and that of seed 5938 sticks outside its cone.)
        let (before, _) = self.approach_at((touch - WIDTH).max(start), what)?;
        let (after, rate) = self.approach_at(touch, what)?;
        if rate < -self.system.scales.of(k).settled {
            let early = 0.5 * (before + after) / (rate * self.stepping.stepper.step());
            return Ok(Some((touch - early).max(start).min(end)));
        }
        Ok(Some(touch))
    }

    /// Gaps and rates of all contacts at a fraction of the step.
    fn look_at(&mut self, at: f64) -> Result<Look> {
        self.measure_at(at)?;
        Ok(Look { at, distances: self.system.distances() })
    }

    /// Gap of what may come down and its rate, at a fraction of the step.
    pub(crate) fn approach_at(&mut self, fraction: f64, what: Approach<'_>) -> Result<(f64, f64)> {
        let time = self.place_at(fraction)?;
        let robot = &mut self.system.dynamics;
        match what {
            Approach::Contact(k) => self.system.watch.measure_one(robot, k).map_err(|source| dynamics(time, source)),
            Approach::Boxes(boxes) => Ok(self.system.watch.boxes[boxes].measure(robot)),
            Approach::Part(k, feature) => {
                let along = self.system.watch.pair(k).and_then(|pair| pair.measure_part(robot, feature));
                // Edges that have become parallel do not touch.
                Ok(along.unwrap_or((self.system.scales.of(k).length, 0.0)))
            }
        }
    }

    fn measure_at(&mut self, fraction: f64) -> Result<()> {
        self.place_at(fraction)?;
        self.measure()
    }

    /// Sets the robot to its state at a fraction of the step; returns the time.
    pub(crate) fn place_at(&mut self, fraction: f64) -> Result<f64> {
        let time = self.stepping.stepper.start_time() + fraction * self.stepping.stepper.step();
        self.stepping.stepper.at(fraction, &mut self.stepping.point);
        self.system.place(time, &self.stepping.point)?;
        Ok(time)
    }

    fn is_enabled_at(&mut self, k: usize, fraction: f64) -> bool {
        let Some(condition) = self.system.watch.contact(k).enabled else { return true };
        self.stepping.stepper.at(fraction, &mut self.stepping.point);
        condition.holds(&self.stepping.point)
    }

    /// Ends the step where some contact touches, as found on the dense output at `fraction`. The step itself is more
    /// accurate, so its end is put onto the surface by repeating the step.
    pub(crate) fn step_to_touch(&mut self, fraction: f64, step: f64) -> Result<()> {
        let touching = self.lowest_at(fraction)?;
        self.journal.counts.rejected += 1;
        self.restep(fraction * step)?;
        for round in 0..=CORRECTIONS {
            self.system.place(self.time, &self.state)?;
            self.measure()?;
            let (gap, rate) = (self.system.contacts[touching].gap, self.system.contacts[touching].rate);
            let correction = -gap / rate;
            // A grazing contact has no sharp time; the one of the dense output is as good.
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

    /// After a step was repeated, which is more accurate than the dense output on which events were searched: whether
    /// an open contact that was above its surface on the dense output has in fact penetrated. The step then ends where
    /// that contact touches.
    pub(crate) fn steps_back_to_touch(&mut self) -> Result<bool> {
        let mut has_stepped = false;
        // Each round, another contact may be the first.
        for _ in 0..self.system.contacts.len() {
            self.system.place(self.time, &self.state)?;
            self.measure()?;
            let is_inside = |k: usize| {
                self.is_open(k)
                    && self.system.contacts[k].gap < -self.system.scales.of(k).near
                    && self.system.is_enabled(k)
            };
            if !(0..self.system.contacts.len()).any(is_inside) {
                break;
            }
            // Contacts that were inside from the start are left to the first search.
            let Some(fraction) = self.first_touch(1.0)?.filter(|fraction| *fraction > 0.0) else { break };
            self.step_to_touch(fraction, self.stepping.stepper.step())?;
            has_stepped = true;
        }
        Ok(has_stepped)
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

#[cfg(test)]
mod tests {
    use carom_multibody::HalfSpace;

    use super::{Approach, Cubic, Look, Simulation};
    use crate::simulation::motion::contact::Mode;
    use crate::simulation::tests::{across, assert_near, value};

    /// The cubic through a gap at both ends of a piece of this width, forwards and backwards in time.
    fn both_ways(width: f64, gap: impl Fn(f64) -> f64, rate: impl Fn(f64) -> f64) -> [Cubic; 2] {
        let (gaps, rates) = ([gap(0.0), gap(1.0)], [rate(0.0) / width, rate(1.0) / width]);
        let backwards = Cubic { gaps: [gaps[1], gaps[0]], rates: [-rates[1], -rates[0]], width };
        [Cubic { gaps, rates, width }, backwards]
    }

    #[test]
    fn a_cubic_dips_where_it_turns_twice_between_its_ends_and_falls_far() {
        for width in [0.01, 1.0, 3.0] {
            // s (s - 1/2)² + 0.1 rises, falls back to its initial value and rises: never below half of it.
            let gap = |s: f64| s * (s - 0.5).powi(2) + 0.1;
            let rate = |s: f64| (s - 0.5).powi(2) + 2.0 * s * (s - 0.5);
            assert!(both_ways(width, gap, rate).iter().all(|cubic| !cubic.dips(1e-9)));
            // s (s - 0.6)² - 0.1 s² + 0.05 falls to 0.009 at 0.66.
            let gap = |s: f64| s * (s - 0.6).powi(2) - 0.1 * s * s + 0.05;
            let rate = |s: f64| (s - 0.6).powi(2) + 2.0 * s * (s - 0.6) - 0.2 * s;
            assert!(rate(0.0) > 0.0 && rate(1.0) > 0.0 && gap(0.66) < 0.2 * gap(0.0));
            let cubics = both_ways(width, gap, rate);
            assert!(cubics.iter().all(|cubic| cubic.dips(1e-9)));
            // It rises at less than that rate.
            assert!(cubics.iter().all(|cubic| !cubic.dips(1.0 / width)));
            // It is lowest at 2/3 (backwards 1/3), below its lower end by this much.
            for (above, dips) in [(0.9, true), (1.1, false)] {
                // s (s - 2/3)² - c s + d, whose lowest value is d - c (2/3) nearly.
                let (c, lowest) = (1e-3, 2.0 / 3.0);
                let gap = |s: f64| s * (s - lowest).powi(2) - c * s + 2.0 * c * lowest * above;
                let rate = |s: f64| (s - lowest).powi(2) + 2.0 * s * (s - lowest) - c;
                assert!(both_ways(width, gap, rate).iter().all(|cubic| cubic.dips(1e-9) == dips), "{above} {width}");
            }
        }
        // A single turn shows in the signs, no turn is no dip, and neither is rounding.
        assert!(!Cubic { gaps: [1.0, 1.0], rates: [-1.0, 1.0], width: 1.0 }.dips(1e-9));
        assert!(!Cubic { gaps: [0.0, 1.0], rates: [1.0, 1.0], width: 1.0 }.dips(1e-9));
        // It starts at rest, falls and rises: no sign shows it. Backwards it is at rest at its end, and one sign does.
        let gap = |s: f64| 0.05 - 0.3 * s * s + 0.25 * s * s * s;
        let rate = |s: f64| -0.6 * s + 0.75 * s * s;
        assert_eq!(both_ways(1.0, gap, rate).map(|cubic| cubic.dips(1e-9)), [true, false]);
        // It turns twice outside the piece, and would be lower there.
        let gap = |s: f64| ((s + 0.5).powi(3) - 0.125) / 3.0 - 0.1 * s + 0.01;
        let rate = |s: f64| (s + 0.5).powi(2) - 0.1;
        assert!(gap(-0.18) < 0.0 && both_ways(1.0, gap, rate).iter().all(|cubic| !cubic.dips(1e-9)));
    }

    /// Where a gap that is a polynomial of the fraction comes down in a step of one second, from gaps and rates at both
    /// ends alone.
    #[test]
    fn a_touch_is_found_wherever_a_gap_comes_down_and_nowhere_else() {
        let cases: [(&'static [f64], Option<f64>); 10] = [
            // Falls through; falls and rises; rises and falls.
            (&[0.25, 0.0, -1.0], Some(0.5)),
            (&[0.24, -1.0, 1.0], Some(0.4)),
            (&[0.1, 1.0, -2.0], Some((1.0 + 1.8_f64.sqrt()) / 4.0)),
            // Rises, falls below zero and rises, ending below zero: neither rate shows it.
            (&[0.1, 1.0, -5.0, 3.5], Some(0.34)),
            // Not down to zero.
            (&[0.26, -1.0, 1.0], None),
            (&[0.1, 1.0, -1.0], None),
            (&[1.0, -0.5], None),
            // From the surface: falling, and thrown up.
            (&[0.0, -1.0], Some(0.0)),
            (&[0.0, 0.5, -1.0], Some(0.5)),
            (&[0.0, 1.0], None),
        ];
        for (height, wanted) in cases {
            let mut simulation = across(height);
            let slope: Vec<f64> = height.iter().enumerate().skip(1).map(|(k, c)| k as f64 * c).collect();
            let ends = [0.0, 1.0].map(|at| (at, value(height, at), value(&slope, at)));
            let found = simulation.touch_within(Approach::Contact(0), ends).unwrap();
            assert_eq!(found.is_some(), wanted.is_some(), "{height:?}: {found:?}");
            if let (Some(found), Some(wanted)) = (found, wanted) {
                assert_near(value(height, found), 0.0, 1e-14);
                assert_near(found, wanted, 1e-3);
            }
        }
    }

    /// Gaps and rates of one contact at both ends and in the middle of a piece of the step.
    fn looks(simulation: &Simulation, from: f64, to: f64, distances: [(f64, f64); 3]) -> bool {
        let at = [from, 0.5 * (from + to), to];
        let [start, middle, end] = [0, 1, 2].map(|k| Look { at: at[k], distances: vec![distances[k]] });
        simulation.may_hide_a_touch([&start, &middle, &end])
    }

    /// With half a piece h, the cubic through both ends has the rate 3/4 (g₁ - g₀)/h - (r₀ + r₁)/4 in the middle.
    #[test]
    fn a_rate_in_the_middle_that_the_ends_do_not_predict_may_hide_a_touch() {
        let simulation = across(&[0.3, -1.0]);
        for (from, to) in [(0.0, 0.5), (0.25, 0.5), (0.5, 1.0)] {
            let half = 0.5 * (to - from);
            for (g, r) in [([0.3, 0.2], [-1.0, 0.6]), ([0.2, 0.3], [-0.3, 1.0]), ([0.3, 0.1], [-0.9, -1.0])] {
                let predicted = 0.75 * (g[1] - g[0]) / half - 0.25 * (r[0] + r[1]);
                let middle = 0.5 * (g[0] + g[1]) + 0.25 * half * (r[0] - r[1]);
                // A tenth of the largest rate.
                for (off, hides) in [(0.0, false), (0.097, false), (-0.097, false), (0.103, true), (-0.103, true)] {
                    let rate = predicted + off * f64::max(f64::abs(r[0]), f64::abs(r[1]));
                    let distances = [(g[0], r[0]), (middle, rate), (g[1], r[1])];
                    assert_eq!(looks(&simulation, from, to, distances), hides, "{distances:?} {off}");
                }
            }
        }
        // Rounding of rates, and of gaps over a short time, is ignored.
        let scales = *simulation.system.scales.of(0);
        for width in [1.0, 1e-4] {
            let rounding = scales.tiny + 4.0 * f64::EPSILON * scales.length / (0.5 * width);
            for (part, hides) in [(0.9, false), (1.2, true)] {
                let distances = [(0.0, 0.0), (0.0, part * rounding), (0.0, 0.0)];
                assert_eq!(looks(&simulation, 0.0, width, distances), hides, "{width} {part}");
            }
        }
    }

    /// That cubic has the gap (g₀ + g₁)/2 + h (r₀ - r₁)/4 in the middle. The errors of the cubics of both halves are a
    /// sixteenth of its error.
    #[test]
    fn a_gap_in_the_middle_that_the_ends_do_not_predict_may_hide_a_touch() {
        let mut simulation = across(&[0.3, -1.0]);
        // Far enough that no contact is out of reach.
        simulation.stepping.spin = 100.0;
        let half = 0.25;
        // A tenth of the smallest gap, which the rates of a half may increase.
        for (g, r, least) in [([0.4, 0.4], 0.0, 0.4), ([0.5, 0.3], -0.4, 0.4), ([0.2, 0.6], 0.8, 0.4)] {
            for (part, hides) in [(0.98, false), (1.02, true)] {
                let middle = 0.5 * (g[0] + g[1]) + 16.0 * 0.1 * part * least;
                let distances = [(g[0], r), (middle, r), (g[1], r)];
                assert_eq!(looks(&simulation, 0.0, 2.0 * half, distances), hides, "{distances:?} {part}");
            }
        }
        // A thousandth of the distance that counts as near, for a gap at the surface.
        let near = simulation.system.scales.of(0).near;
        for (part, hides) in [(0.98, false), (1.02, true)] {
            let gap = 1e-3 * near;
            let distances = [(gap, 0.0), (gap + 16.0 * part * (1e-3 * near + 0.1 * gap), 0.0), (gap, 0.0)];
            assert_eq!(looks(&simulation, 0.0, 2.0 * half, distances), hides, "{part}");
        }
    }

    /// A contact out of reach hides no touch, whatever its rates.
    #[test]
    fn what_is_too_far_away_hides_no_touch() {
        let simulation = across(&[0.3, -1.0]);
        let reach = simulation.reach(0, 0.25, 1.0);
        for (gap, hides) in [(0.99 * reach, true), (1.01 * reach, false)] {
            for place in 0..3 {
                let mut distances = [(2.0 * reach, 1.0), (2.0 * reach, -1.0), (2.0 * reach, 1.0)];
                distances[place].0 = gap;
                assert_eq!(looks(&simulation, 0.0, 0.5, distances), hides, "{distances:?}");
            }
        }
        // The fastest of the three counts.
        for place in 0..3 {
            let mut distances = [(0.9 * reach, 0.0); 3];
            distances[place].1 = -1.0;
            assert!(looks(&simulation, 0.0, 0.5, distances), "{distances:?}");
        }
    }

    /// By its rate or its gap at either end of the step; never if it is closed.
    #[test]
    fn a_step_is_searched_where_an_open_contact_may_come_down_in_it() {
        for (height, can) in [
            // Four times the distance at the larger of both rates, here 0.2 and 10 m/s, and at an acceleration of 1
            // m/s².
            (&[4.7, 0.0, 0.1][..], true),
            (&[4.9, 0.0, 0.1], false),
            (&[4.9, 0.2, -0.1], true),
            (&[40.0, 0.0, -5.0], true),
            (&[46.0, 0.0, -5.0], true),
            (&[50.0, 0.0, -5.0], false),
        ] {
            let mut simulation = across(height.to_vec().leak());
            assert_eq!(simulation.can_touch().unwrap(), can, "{height:?}");
            simulation.system.contacts[0].mode = Mode::Stick;
            assert!(!simulation.can_touch().unwrap());
        }
    }

    /// A contact on its surface, or slightly inside, falls if its rate exceeds rounding.
    #[test]
    fn a_contact_on_its_surface_touches_if_it_falls_by_more_than_rounding() {
        let mut simulation = across(&[0.0, 0.0]);
        let scales = *simulation.system.scales.of(0);
        let (tiny, rounding) = (scales.tiny, 4.0 * f64::EPSILON * scales.length);
        for (gap, next_gap, next_rate, touches) in [
            (0.0, -0.9 * rounding, -0.9 * tiny, false),
            (0.0, -1.1 * rounding, -0.9 * tiny, true),
            (0.0, -0.9 * rounding, -1.1 * tiny, true),
            (-1e-12, -1e-12 - 0.9 * tiny, -0.9 * tiny, true),
            (1e-3, 0.0, -1e-3, false),
        ] {
            let ends = [(0.25, gap, -0.5 * tiny), (0.75, next_gap, next_rate)];
            let found = simulation.touch_within(Approach::Contact(0), ends).unwrap();
            assert_eq!(found, touches.then_some(0.25), "{ends:?}");
        }
    }

    /// 1e-4 m/s and slower: the gap has few digits, and the touch is in the middle of the interval in which it rounds
    /// to zero, in steps of any length.
    #[test]
    fn a_touch_is_where_a_gap_of_few_digits_is_zero() {
        for step in [0.25, 1.0, 4.0] {
            let (mut sum, mut count) = (0.0, 0.0);
            for k in 0..64 {
                let speed = 1e-4 * (1.0 + 0.0137 * f64::from(k));
                let mut setup = across(&[0.0, 0.0]).setup().clone();
                setup.surfaces[0].half_space = HalfSpace::new([0.0, 0.0, 1.0], [0.0, 0.0, 1.0]).unwrap();
                (setup.configuration[1], setup.velocity[1]) = (1.0 + 0.4 * speed * step, -speed);
                let mut simulation = crate::simulation::tests::one_step(setup, step);
                let found = simulation.first_touch(1.0).unwrap().unwrap();
                let start = simulation.state[1] - 1.0;
                sum += (found * step - start / speed) * speed / f64::EPSILON;
                count += 1.0;
            }
            assert!((sum / count).abs() < 0.2, "{} roundings in a step of {step}", sum / count);
        }
    }

    /// Moving more slowly than rounding, and a picometre inside: it rises from there.
    #[test]
    fn what_has_just_left_its_surface_does_not_touch_it_again() {
        for (height, touches) in [(&[-1e-12, -5e-14, 0.5][..], false), (&[-1e-12, -2e-13, 0.5], true)] {
            let found = across(height.to_vec().leak()).first_touch(1.0).unwrap();
            assert_eq!(found, touches.then_some(0.0), "{height:?}");
        }
    }

    /// At the end of a repeated step: if it is inside by more than the near distance it goes back, otherwise it stays.
    #[test]
    fn a_step_that_ends_inside_goes_back_to_its_touch_and_one_that_ends_on_the_surface_does_not() {
        let near = across(&[0.25, -1.0]).system.scales.of(0).near;
        for (end, goes_back) in [(0.1, false), (-0.5 * near, false), (-2.0 * near, true), (-0.3, true)] {
            let height: &'static [f64] = vec![0.25, end - 0.25].leak();
            for (is_armed, goes_back) in [(true, goes_back), (false, false)] {
                let mut simulation = across(height);
                simulation.accept();
                simulation.system.contacts[0].is_armed = is_armed;
                assert_eq!(simulation.steps_back_to_touch().unwrap(), goes_back, "{end}");
                let wanted = if goes_back { 0.25 / (0.25 - end) } else { 1.0 };
                assert_near(simulation.time, wanted, 1e-12);
            }
        }
        // Contacts that were inside from the start are left to the first search.
        let mut simulation = across(&[-1e-8, -1.0]);
        simulation.accept();
        assert!(!simulation.steps_back_to_touch().unwrap());
        assert_near(simulation.time, 1.0, 0.0);
    }

    /// 4 (v t + a t²) and 2 L ω t.
    #[test]
    fn what_may_come_down_in_a_step_is_told_by_its_speed_its_weight_and_its_spin() {
        let mut simulation = across(&[1.0, -0.5]);
        let acceleration = simulation.system.scales.of(0).acceleration;
        for (time, rate, spin) in [(0.5, 3.0, 0.0), (0.5, 0.0, 0.0), (0.25, 3.0, 8.0)] {
            simulation.stepping.spin = spin;
            let wanted = 4.0 * (rate * time + acceleration * time * time) + 2.0 * spin * time;
            assert_near(simulation.reach(0, time, rate), wanted, 1e-13 * wanted);
        }
    }

    /// Three points of a mass, 0, 0.1 and 0.2 m below its centre.
    fn feet(height: &'static [f64]) -> Simulation {
        let mut simulation = across(height);
        let mut setup = simulation.setup().clone();
        for depth in [0.1, 0.2] {
            let mut foot = setup.contacts[0].clone();
            let link = foot.point.link();
            foot.point =
                carom_multibody::ContactPoint::new(&setup.model, link, [0.0, 0.0, -depth], [0.0, 0.0, 1.0]).unwrap();
            setup.contacts.push(foot);
        }
        setup.surfaces[0].half_space = HalfSpace::new([0.0, 0.0, 0.0], [0.0, 0.0, 1.0]).unwrap();
        simulation = crate::simulation::tests::one_step(setup, 1.0);
        simulation
    }

    #[test]
    fn the_first_foot_of_all_that_can_touch_is_the_one_that_strikes() {
        let mut simulation = feet(&[0.25, 0.0, -1.0]);
        let lowest = (0.25_f64 - 0.2).sqrt();
        assert_near(simulation.first_touch(1.0).unwrap().unwrap(), lowest, 1e-14);
        assert_eq!(simulation.first_touch(0.9 * lowest).unwrap(), None);
        // A contact that penetrated while it was not armed is ignored.
        simulation.system.contacts[2].is_armed = false;
        let next = (0.25_f64 - 0.1).sqrt();
        assert_near(simulation.first_touch(1.0).unwrap().unwrap(), next, 1e-14);
        // The end of the step is put where that contact is on the surface, wherever the dense output has it.
        for off in [-0.05, -1e-6, 0.0, 1e-6, 0.05] {
            let mut simulation = simulation.clone();
            simulation.step_to_touch(next + off, 1.0).unwrap();
            assert_near(simulation.time, next, 1e-12);
            simulation.system.place(simulation.time, &simulation.state).unwrap();
            simulation.measure().unwrap();
            assert_near(simulation.system.contacts[1].gap, 0.0, 1e-14);
        }
        // But it is not moved by a large part of the step.
        simulation.step_to_touch(next - 0.2, 1.0).unwrap();
        assert_near(simulation.time, next - 0.2, 1e-15);
    }
}
