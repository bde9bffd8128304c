//! Rows of a sweep, computed by one thread.

use std::borrow::Cow;
use std::ops::Range;

use carom_scene::prepared::{Sample, Striker};
use carom_scene::{Answer, Problem, ProblemError};

use super::impacts::{ImpactColumn, ImpactRow};
use super::runs::{self, RunColumn, RunRow, Slot};
use super::sweep::{Engine, Sweep, edit};
use super::table::{Column, Table, Values};
use super::value::Setting;

/// Receives the progress of workers, and can stop them.
pub trait Watch {
    /// The number of rows to be computed: those that do not exist yet.
    fn begin(&self, _rows: u64) {}

    /// A row was computed.
    fn row(&self) {}

    /// Whether to stop as soon as possible.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// No progress is reported, and nothing stops the workers.
impl Watch for () {}

/// Computes rows of a sweep, with its own workspace: one per thread.
#[derive(Debug)]
pub struct Worker<'s> {
    sweep: &'s Sweep,
    /// For a scene that is read once.
    solver: Option<(Striker, Sample)>,
    settings: Vec<Setting<'s>>,
}

impl Sweep {
    /// A worker, for one thread.
    pub fn worker(&self) -> Worker<'_> {
        Worker::new(self)
    }
}

impl<'s> Worker<'s> {
    fn new(sweep: &'s Sweep) -> Self {
        let solver = match &sweep.engine {
            Engine::Prepared { scene, .. } => Some((Striker::new(scene), scene.sample())),
            Engine::Document { .. } | Engine::Runs { .. } => None,
        };
        Self { sweep, solver, settings: Vec::new() }
    }

    /// A table without rows.
    pub(super) fn empty(&self, first: u64) -> Table {
        self.with_capacity(first, 0)
    }

    fn with_capacity(&self, first: u64, rows: usize) -> Table {
        let column = |header: &super::table::ColumnHeader| Column {
            name: header.name.clone(),
            values: Values::new(header.kind, rows),
        };
        Table { first, rows: 0, columns: self.sweep.columns().iter().map(column).collect() }
    }

    /// The rows of a range of samples. `None` if it was stopped, for which `watch` is asked before each row and during simulations.
    ///
    /// # Panics
    /// If the range is beyond the rows of the sweep.
    pub fn table(&mut self, rows: Range<u64>, watch: &dyn Watch) -> Option<Table> {
        assert!(rows.end <= self.sweep.rows(), "rows {rows:?} of {}", self.sweep.rows());
        let mut table = self.with_capacity(rows.start, (rows.end - rows.start) as usize);
        for sample in rows {
            if watch.is_stopped() {
                return None;
            }
            self.row(sample, &mut table, watch)?;
            table.rows += 1;
            watch.row();
        }
        Some(table)
    }

    fn row(&mut self, sample: u64, table: &mut Table, watch: &dyn Watch) -> Option<()> {
        self.sweep.settings(sample, &mut self.settings);
        let (keys, rest) = table.columns.split_at_mut(1 + self.settings.len());
        let Some((error, answers)) = rest.split_last_mut() else { return Some(()) };
        if let [first, keys @ ..] = keys {
            push_integer(&mut first.values, sample);
            for (column, setting) in keys.iter_mut().zip(&self.settings) {
                push_setting(&mut column.values, *setting);
            }
        }
        let failed = match &self.sweep.engine {
            Engine::Prepared { columns, .. } => self.strike(columns, answers).err(),
            Engine::Document { columns } => self.solve(columns, answers).err(),
            Engine::Runs { columns, slots } => match self.simulate(slots, watch)? {
                Ok(run) => {
                    push_run(columns, &run, answers);
                    run.error.as_ref().map(ToString::to_string)
                }
                Err(error) => {
                    answers.iter_mut().for_each(|column| column.values.push_nothing());
                    Some(error)
                }
            },
        };
        if let Values::Words(errors) = &mut error.values {
            errors.push(failed.map(Cow::Owned));
        }
        Some(())
    }

    /// An impact of a scene that was read once.
    fn strike(&mut self, columns: &[ImpactColumn], answers: &mut [Column]) -> Result<(), String> {
        let (Engine::Prepared { variables, .. }, Some((striker, sample))) = (&self.sweep.engine, &mut self.solver)
        else {
            return Ok(());
        };
        let set = variables
            .iter()
            .zip(&self.settings)
            .try_for_each(|(variable, setting)| sample.set(*variable, setting.number()));
        if let Err(error) = set {
            answers.iter_mut().for_each(|column| column.values.push_nothing());
            return Err(error.to_string());
        }
        let Some(outcome) = striker.strike_alone(sample) else {
            // Several contacts, or an error.
            let problem = striker.scene().problem(sample);
            return push_answer(columns, problem.and_then(|problem| Ok((problem.answer()?, problem))), answers);
        };
        let needs_place = columns.iter().any(ImpactColumn::needs_place);
        let place = needs_place.then(|| striker.contact_position()).flatten();
        let row = ImpactRow::One {
            outcome: &outcome,
            name: striker.scene().striking_contact().map(|contact| contact.name.as_str()),
            place: place.map(|(position, gap)| (position.to_array(), gap)),
        };
        for (column, answer) in columns.iter().zip(answers) {
            column.push(&row, &mut answer.values);
        }
        Ok(())
    }

    /// An impact of a document that is read for this sample.
    fn solve(&self, columns: &[ImpactColumn], answers: &mut [Column]) -> Result<(), String> {
        let solved = self.read().and_then(|problem| Ok((problem.answer()?, problem)));
        push_answer(columns, solved, answers)
    }

    /// A simulation of a document that is read for this sample. `None` if it was interrupted.
    fn simulate(&self, slots: &[Slot], watch: &dyn Watch) -> Option<Result<RunRow, String>> {
        let setup = match self.read().and_then(|problem| problem.setup()) {
            Ok(setup) => setup,
            Err(error) => return Some(Err(error.to_string())),
        };
        match runs::run(setup, slots, &|| watch.is_stopped()) {
            Ok(run) => run.map(Ok),
            Err(error) => Some(Err(error.to_string())),
        }
    }

    /// The problem with the values of the present sample.
    fn read(&self) -> Result<Problem, ProblemError> {
        let plan = self.sweep.plan();
        let keys = plan.vary.iter().map(|axis| axis.key()).chain(plan.random.iter().map(|draw| draw.key()));
        let mut tree = plan.scene.clone();
        for (key, setting) in keys.zip(&self.settings) {
            edit(key, *setting)?.apply(&mut tree)?;
        }
        Problem::from_tree_with(&tree, &self.sweep.folder, &self.sweep.robots)
    }
}

fn push_integer(values: &mut Values, integer: u64) {
    if let Values::Integers(values) = values {
        // A sweep has at most 2⁵³ samples.
        values.push(integer as i64);
    }
}

fn push_setting(values: &mut Values, setting: Setting<'_>) {
    match values {
        Values::Numbers(values) => values.push(setting.number()),
        Values::Flags(values) => values.push(setting.flag()),
        Values::Words(values) => values.push(Some(setting.word())),
        Values::Integers(_) => {}
    }
}

fn push_answer(
    columns: &[ImpactColumn],
    solved: Result<(Answer, Problem), ProblemError>,
    answers: &mut [Column],
) -> Result<(), String> {
    let (answer, problem) = match solved {
        Ok(solved) => solved,
        Err(error) => {
            answers.iter_mut().for_each(|column| column.values.push_nothing());
            return Err(error.to_string());
        }
    };
    let needs_place = columns.iter().any(ImpactColumn::needs_place);
    let row = match &answer {
        Answer::One(outcome) => {
            let scene = problem.scene();
            let place = scene.filter(|_| needs_place).and_then(|scene| scene.contact_position().ok());
            ImpactRow::One {
                outcome,
                name: scene.and_then(|scene| scene.contact()).map(|contact| contact.name.as_str()),
                place: place.map(|(position, gap)| (position.to_array(), gap)),
            }
        }
        Answer::Many(answer) => ImpactRow::Many(answer),
    };
    for (column, answer) in columns.iter().zip(answers) {
        column.push(&row, &mut answer.values);
    }
    Ok(())
}

fn push_run(columns: &[RunColumn], run: &RunRow, answers: &mut [Column]) {
    for (column, answer) in columns.iter().zip(answers) {
        column.push(run, &mut answer.values);
    }
}
