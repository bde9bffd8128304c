//! Closed loops in motion: drift from the loop conditions, and instants at which the conditions lose their rank.
//!
//! Accelerations keep C v = 0 at every stage, so that positions and velocities drift only by the error of a step. After
//! each step both are projected back, by the least change in the metric of M.

use crate::error::{Result, SimulationError};
use crate::record::event::{Event, LoopEvent};
use crate::simulation::Simulation;
use crate::simulation::motion::loop_watch::LoopWatch;
use crate::simulation::motion::system::{System, dynamics};

/// How far a loop may be open within a step, relative to the loops' length: the stages of a long step leave the loops
/// farther than its end. Rows and accelerations are exact there as well; a step that ends that far open is rejected by
/// its error.
const WITHIN_STEP: f64 = 0.1;

/// Remainder of the weakest condition, relative to the largest, below which a loop is near a dead point: W and the loop
/// forces lose the corresponding number of digits there.
const DEAD_POINT: f64 = 1e-4;

/// Iterations of the search for a dead point inside a step: each shortens the interval by 38 %.
const SEARCH: usize = 40;

impl System {
    /// Checks that the state of the dynamics closes the loops, and removes what its rounding leaves open.
    pub(crate) fn start_loops(&mut self) -> Result<()> {
        if self.model().loops().is_empty() {
            return Ok(());
        }
        let fail = |source| dynamics(0.0, source);
        let velocity = self.dynamics.velocity().to_vec();
        self.dynamics.check_loop_velocity(&velocity).map_err(fail)?;
        self.close_loops(0.0)?;
        let rank = self.dynamics.loop_rank().map_err(fail)?;
        self.dynamics.set_loop_bound(WITHIN_STEP);
        self.loops = Some(LoopWatch { rank, margins: Vec::new(), is_near: false });
        Ok(())
    }

    /// Copies the state of the dynamics.
    pub(crate) fn copy_state(&self, state: &mut [f64]) {
        let (q, v, _) = self.parts_mut(state);
        q.copy_from_slice(self.dynamics.configuration());
        v.copy_from_slice(self.dynamics.velocity());
    }

    /// Notes how near the loops are to a dead point in the state just evaluated.
    ///
    /// # Errors
    /// A condition was lost or gained: degrees of freedom never change silently.
    pub(crate) fn watch_loops(&mut self, time: f64) -> Result<()> {
        let Some(watch) = &mut self.loops else { return Ok(()) };
        let rank = self.dynamics.loop_rank().map_err(|source| dynamics(time, source))?;
        if rank != watch.rank {
            let index = self.dynamics.singular_loop(watch.rank).map_err(|source| dynamics(time, source))?;
            let name = index.map_or_else(String::new, |index| self.setup.model.loops()[index].name.clone());
            return Err(SimulationError::SingularLoop { name, time });
        }
        if let Some((_, margin)) = self.dynamics.loop_margin().map_err(|source| dynamics(time, source))? {
            watch.margins.push((time, margin));
        }
        Ok(())
    }

    pub(crate) fn forget_loop_margins(&mut self) {
        self.loops.iter_mut().for_each(|watch| watch.margins.clear());
    }
}

impl Simulation {
    /// Puts the state of the dynamics, and with it that of the simulation, back onto the loops. The next step starts with a
    /// stage of its own.
    pub(crate) fn restore_loops(&mut self) -> Result<()> {
        if self.system.loops.is_none() {
            return Ok(());
        }
        self.system.close_loops(self.time)?;
        self.system.copy_state(&mut self.state);
        self.stepping.reuses_last_stage = false;
        Ok(())
    }

    /// Reports a dead point that a loop came near in the last step. Margins go to zero linearly: where one is so small
    /// that it may have reached zero between two evaluations of the step, the smallest is searched there.
    pub(crate) fn look_for_dead_points(&mut self) -> Result<()> {
        let Some(watch) = &self.system.loops else { return Ok(()) };
        let (start, end) = (self.stepping.stepper.start_time(), self.time);
        let mut margins: Vec<(f64, f64)> =
            watch.margins.iter().copied().filter(|(time, _)| (start..=end).contains(time)).collect();
        margins.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (was_near, rank) = (watch.is_near, watch.rank);
        let smallest = (0..margins.len()).min_by(|&a, &b| margins[a].1.total_cmp(&margins[b].1));
        let Some(place) = smallest else { return Ok(()) };
        let change = margins.windows(2).map(|pair| (pair[1].1 - pair[0].1).abs()).fold(0.0, f64::max);
        let (mut time, mut least) = margins[place];
        self.system.place(end, &self.state)?;
        if least < change && least >= DEAD_POINT {
            let before = margins[place.saturating_sub(1)].0;
            let after = margins[(place + 1).min(margins.len() - 1)].0;
            (time, least) = match self.least_margin(before, after) {
                Err(SimulationError::SingularLoop { time, .. }) => (time.clamp(start, end), 0.0),
                found => found?,
            };
        }
        let last = margins.last().map_or(f64::INFINITY, |margin| margin.1);
        if least < DEAD_POINT && !was_near {
            // In the state evaluated last, which is near the dead point.
            let index = self.system.dynamics.singular_loop(rank).map_err(|source| dynamics(time, source))?;
            let event = index.map(|index| Event::DeadPoint(LoopEvent { time, index }));
            self.journal.events.extend(event);
        }
        self.system.loops.iter_mut().for_each(|watch| watch.is_near = last < DEAD_POINT);
        Ok(())
    }

    /// The time of the smallest margin between two times of the last step, and that margin, by golden sections.
    fn least_margin(&mut self, mut low: f64, mut high: f64) -> Result<(f64, f64)> {
        let part = 0.5 * (5.0_f64.sqrt() - 1.0);
        let mut inner = [high - part * (high - low), low + part * (high - low)];
        let mut margins = [self.loop_margin_at(inner[0])?, self.loop_margin_at(inner[1])?];
        for _ in 0..SEARCH {
            if margins[0] < margins[1] {
                high = inner[1];
                inner = [high - part * (high - low), inner[0]];
                margins = [self.loop_margin_at(inner[0])?, margins[0]];
            } else {
                low = inner[0];
                inner = [inner[1], low + part * (high - low)];
                margins = [margins[1], self.loop_margin_at(inner[1])?];
            }
        }
        Ok(if margins[0] < margins[1] { (inner[0], margins[0]) } else { (inner[1], margins[1]) })
    }

    /// The margin at a time of the last step; zero where a condition is lost.
    fn loop_margin_at(&mut self, time: f64) -> Result<f64> {
        let mut state = std::mem::take(&mut self.stepping.point);
        let placed = self.state_within(time, &mut state).and_then(|()| self.system.place(time, &state));
        self.stepping.point = state;
        placed?;
        let rank = self.system.dynamics.loop_rank().map_err(|source| dynamics(time, source))?;
        let margin = self.system.dynamics.loop_margin().map_err(|source| dynamics(time, source))?;
        let is_whole = self.system.loops.as_ref().is_none_or(|watch| watch.rank == rank);
        Ok(margin.filter(|_| is_whole).map_or(0.0, |(_, margin)| margin))
    }
}
