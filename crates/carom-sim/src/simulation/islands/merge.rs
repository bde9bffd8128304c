//! Samples, counts and states of the whole from those of its islands.

use super::Island;
use crate::error::Result;
use crate::record::energy::Ledger;
use crate::record::recorder::Recorder;
use crate::record::run::{ContactSample, Sample, Summary};
use crate::record::sink::Sink;
use crate::simulation::Simulation;

/// How a state within a step is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    /// As accurate as the step.
    Step,
    /// By the dense output, whose error is about that allowed for the step: every event of an island needs the states
    /// of all others, and a separate step for each would cost more than the motion.
    Dense,
}

impl Island {
    /// The state at the present time of the whole or a time within a pending step.
    fn state_at(&mut self, time: f64, within: Within) -> Result<Vec<f64>> {
        let mut state = self.simulation.state.clone();
        if self.pending.is_some() && time < self.time() {
            match within {
                Within::Step => self.simulation.state_within(time, &mut state)?,
                Within::Dense => self.simulation.dense_state(time, &mut state)?,
            }
            let model = std::sync::Arc::clone(self.simulation.system.model());
            model.normalize(&mut state[..model.nq()]);
        }
        Ok(state)
    }

    /// A sample at the present time of the whole or a time within a pending step. This does not affect the island.
    fn sample_at(&mut self, time: f64, within: Within) -> Result<Sample> {
        self.undisturbed(|island| {
            let state = island.state_at(time, within)?;
            island.simulation.observe(time, &state)
        })
    }

    /// The first sample: the given state, with the modes and forces of contacts that rest in it if there is no event at
    /// the start.
    fn first_sample(&self) -> Result<Sample> {
        let mut start = self.simulation.clone();
        let mut told = Recorder::new();
        let begun = start.begin(f64::INFINITY, &mut told);
        told.samples.into_iter().next().map_or_else(|| begun.and_then(|_| start.sample()), Ok)
    }

    /// Runs `work` without affecting the motion: otherwise the watchdog would count its evaluations, and the search for
    /// sliding directions would start from the last ones found.
    fn undisturbed<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let system = &self.simulation.system;
        let (evaluations, contacts) = (system.evaluations, system.contacts.clone());
        let done = work(self);
        let system = &mut self.simulation.system;
        (system.evaluations, system.contacts) = (evaluations, contacts);
        done
    }
}

impl Simulation {
    /// Emits the samples at multiples of the interval up to a time that all islands have reached, and the records kept
    /// before it.
    pub(super) fn sample_whole(&mut self, islands: &mut [Island], time: f64, sink: &mut dyn Sink) -> Result<()> {
        let Some(interval) = self.system.setup.settings.interval else { return Ok(()) };
        loop {
            let next = interval * self.journal.samples as f64;
            if next > time {
                return Ok(());
            }
            self.tell(islands, next, sink)?;
            self.emit_whole(islands, next, None, sink)?;
            self.journal.samples += 1;
        }
    }

    /// Passes a sample of the whole to the sink, with that of one island if it is known already.
    pub(super) fn emit_whole(
        &mut self,
        islands: &mut [Island],
        time: f64,
        known: Option<(usize, Sample)>,
        sink: &mut dyn Sink,
    ) -> Result<()> {
        if sink.takes_samples() {
            let sample = self.whole_sample(islands, time, known)?;
            sink.sample(sample);
        }
        self.journal.last_sample = Some(time);
        Ok(())
    }

    /// Passes the first sample of the whole to the sink.
    pub(super) fn emit_first(&mut self, islands: &mut [Island], sink: &mut dyn Sink) -> Result<()> {
        if sink.takes_samples() {
            let mut whole = self.whole_sample(islands, 0.0, None)?;
            for island in islands.iter() {
                scatter(&island.first_sample()?.contacts, &island.contacts, &mut whole.contacts);
            }
            sink.sample(whole);
        }
        self.journal.last_sample = Some(0.0);
        Ok(())
    }

    /// A sample of the whole.
    fn whole_sample(
        &mut self,
        islands: &mut [Island],
        time: f64,
        mut known: Option<(usize, Sample)>,
    ) -> Result<Sample> {
        let within = if known.is_some() { Within::Dense } else { Within::Step };
        let (nq, nv) = (self.system.model().nq(), self.system.model().nv());
        let mut whole = Sample {
            time,
            configuration: vec![0.0; nq],
            velocity: vec![0.0; nv],
            contacts: vec![ContactSample::OPEN; self.system.contacts.len()],
            energy: Ledger::default(),
        };
        for (i, island) in islands.iter_mut().enumerate() {
            let part = match known.take_if(|(index, _)| *index == i) {
                Some((_, sample)) => sample,
                None => island.sample_at(time, within)?,
            };
            scatter(&part.configuration, &island.coordinates, &mut whole.configuration);
            scatter(&part.velocity, &island.velocities, &mut whole.velocity);
            scatter(&part.contacts, &island.contacts, &mut whole.contacts);
            whole.energy = whole.energy.plus(&part.energy);
        }
        Ok(whole)
    }

    /// The present sample of the whole.
    pub(in crate::simulation) fn sample_islands(&mut self) -> Result<Sample> {
        let mut islands = std::mem::take(&mut self.islands);
        let sample = self.whole_sample(&mut islands, self.time, None);
        self.islands = islands;
        sample
    }

    /// Copies states and contacts of the islands at the present time into the whole.
    pub(in crate::simulation) fn gather(&mut self) -> Result<()> {
        if self.islands.is_empty() {
            return Ok(());
        }
        let mut islands = std::mem::take(&mut self.islands);
        let gathered = islands.iter_mut().try_for_each(|island| self.gather_one(island));
        self.islands = islands;
        gathered?;
        self.system.adopt_modes();
        Ok(())
    }

    fn gather_one(&mut self, island: &mut Island) -> Result<()> {
        let time = self.time;
        let state = island.undisturbed(|island| island.state_at(time, Within::Step))?;
        let (part_q, part_v, _) = island.simulation.system.parts(&state);
        let (q, v, _) = self.system.parts_mut(&mut self.state);
        scatter(part_q, &island.coordinates, q);
        scatter(part_v, &island.velocities, v);
        scatter(&island.simulation.system.contacts, &island.contacts, &mut self.system.contacts);
        Ok(())
    }

    /// The summary of the whole, given the numbers that the islands do not have.
    pub(in crate::simulation) fn add_islands(&self, whole: Summary) -> Summary {
        let parts: Vec<Summary> = self.islands.iter().map(|island| island.simulation.summary()).collect();
        let sum = |count: fn(&Summary) -> u64| parts.iter().map(count).sum::<u64>();
        let most = |number: fn(&Summary) -> f64| parts.iter().map(number).fold(0.0, f64::max);
        let mut settled = whole.settled;
        for (part, island) in parts.iter().zip(&self.islands) {
            scatter(&part.settled, &island.contacts, &mut settled);
        }
        // At rest since the last of them came to rest.
        let rests = self.islands.iter().map(|island| island.simulation.journal.at_rest);
        let rest = rests.reduce(|one, other| Some(one?.max(other?))).flatten();
        let has_come = rest.is_some_and(|rest| rest <= self.time);
        Summary {
            ending: whole.ending,
            failure: whole.failure,
            time: whole.time,
            steps: sum(|part| part.steps),
            rejected: sum(|part| part.rejected),
            evaluations: sum(|part| part.evaluations),
            impacts: sum(|part| part.impacts),
            settlings: sum(|part| part.settlings),
            windows: sum(|part| part.windows),
            rattles: sum(|part| part.rattles),
            sequences: sum(|part| part.sequences),
            projections: sum(|part| part.projections),
            not_converged: sum(|part| part.not_converged),
            settled,
            at_rest: rest.filter(|_| has_come),
            rests_at: rest.filter(|_| !has_come),
            penetration: most(|part| part.penetration),
            largest_energy: parts.iter().map(|part| part.largest_energy).sum(),
            residual: most(|part| part.residual),
            warnings: parts.into_iter().flat_map(|part| part.warnings).collect(),
        }
    }
}

/// Writes numbers of an island into those of the whole.
fn scatter<T: Clone>(part: &[T], places: &[usize], whole: &mut [T]) {
    for (value, &place) in part.iter().zip(places) {
        whole[place].clone_from(value);
    }
}
