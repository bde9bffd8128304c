//! The answers as columns, and errors by row.

use carom_law::Mode;
use carom_scene::ProblemError;
use rayon::ThreadPool;
use rayon::prelude::*;

/// Rows that are solved one after the other by one thread.
const CHUNK: usize = 1024;
/// Rows between two checks of whether to go on: a fraction of a second.
const BLOCK: usize = 64 * CHUNK;

/// The answers to an array of impacts, column by column: entry `k` of row `i` is at `k rows + i`. A row without an answer
/// has no mode and NaN for its numbers.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ArrayAnswers {
    /// Mode of each contact; `None` for a row without an answer.
    pub mode: Vec<Option<Mode>>,
    /// The impulse, normal first: one column per direction.
    pub impulse: Vec<f64>,
    /// The contact velocity after the impact: one column per direction.
    pub contact_velocity: Vec<f64>,
    /// The change of the kinetic energy.
    pub energy_change: Vec<f64>,
    /// The generalized velocity after the impact, row by row; empty in contact space.
    pub velocity: Vec<f64>,
    /// The impulse in world axes, row by row; empty for contacts given by matrices.
    pub impulse_world: Vec<f64>,
    /// The rows without an answer, in order.
    pub errors: Vec<RowError>,
    /// Whether the caller ended the work: the rows from here on are not solved.
    pub interrupted_at: Option<usize>,
}

/// A row without an answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("row {row}: {error}")]
#[non_exhaustive]
pub struct RowError {
    /// Its index.
    pub row: usize,
    /// The cause.
    #[source]
    pub error: ProblemError,
}

/// The numbers per row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    pub(super) dimension: usize,
    pub(super) freedoms: usize,
    pub(super) is_robot: bool,
}

/// The part of the answers that one thread writes.
pub(super) struct Chunk<'a> {
    pub(super) start: usize,
    pub(super) mode: &'a mut [Option<Mode>],
    pub(super) impulse: Vec<&'a mut [f64]>,
    pub(super) contact_velocity: Vec<&'a mut [f64]>,
    pub(super) energy_change: &'a mut [f64],
    pub(super) velocity: &'a mut [f64],
    pub(super) impulse_world: &'a mut [f64],
}

/// One answer as it is written.
pub(super) struct Row<'r> {
    pub(super) mode: Mode,
    pub(super) impulse: &'r [f64],
    pub(super) contact_velocity: &'r [f64],
    pub(super) energy_change: f64,
    pub(super) velocity: &'r [f64],
    pub(super) impulse_world: &'r [f64],
}

impl Sizes {
    /// Numbers of an impulse in world axes.
    fn axes(&self) -> usize {
        if self.is_robot { 3 } else { 0 }
    }
}

impl Chunk<'_> {
    pub(super) fn put(&mut self, place: usize, row: &Row<'_>) {
        self.mode[place] = Some(row.mode);
        for (column, value) in self.impulse.iter_mut().zip(row.impulse) {
            column[place] = *value;
        }
        for (column, value) in self.contact_velocity.iter_mut().zip(row.contact_velocity) {
            column[place] = *value;
        }
        self.energy_change[place] = row.energy_change;
        let freedoms = row.velocity.len();
        self.velocity[place * freedoms..(place + 1) * freedoms].copy_from_slice(row.velocity);
        let axes = row.impulse_world.len();
        self.impulse_world[place * axes..(place + 1) * axes].copy_from_slice(row.impulse_world);
    }

    /// Marks a row as without an answer.
    pub(super) fn clear(&mut self, place: usize, sizes: &Sizes) {
        self.mode[place] = None;
        for column in self.impulse.iter_mut().chain(&mut self.contact_velocity) {
            column[place] = f64::NAN;
        }
        self.energy_change[place] = f64::NAN;
        let (freedoms, axes) = (sizes.freedoms, sizes.axes());
        self.velocity[place * freedoms..(place + 1) * freedoms].fill(f64::NAN);
        self.impulse_world[place * axes..(place + 1) * axes].fill(f64::NAN);
    }
}

impl ArrayAnswers {
    /// Solves all rows in chunks, on the threads of a pool or of the current one; `solve` returns the errors of its chunk, and
    /// `goes_on` is called between blocks.
    pub(super) fn solved(
        rows: usize,
        sizes: Sizes,
        pool: Option<&ThreadPool>,
        mut goes_on: impl FnMut() -> bool,
        solve: impl Fn(&mut Chunk<'_>) -> Vec<RowError> + Sync,
    ) -> Self {
        let Sizes { dimension, freedoms, .. } = sizes;
        let axes = sizes.axes();
        // Zeros come with the memory, and every row is written once.
        let mut answers = Self {
            mode: vec![None; rows],
            impulse: vec![0.0; rows * dimension],
            contact_velocity: vec![0.0; rows * dimension],
            energy_change: vec![0.0; rows],
            velocity: vec![0.0; rows * freedoms],
            impulse_world: vec![0.0; rows * axes],
            errors: Vec::new(),
            interrupted_at: None,
        };
        let mut chunks = answers.chunks(rows, freedoms, axes);
        let mut errors = Vec::new();
        let mut interrupted_at = None;
        for block in chunks.chunks_mut(BLOCK / CHUNK) {
            if interrupted_at.is_none() && !goes_on() {
                interrupted_at = block.first().map(|chunk| chunk.start);
            }
            if interrupted_at.is_some() {
                for chunk in block {
                    (0..chunk.mode.len()).for_each(|place| chunk.clear(place, &sizes));
                }
                continue;
            }
            let mut work = || -> Vec<Vec<RowError>> { block.par_iter_mut().map(&solve).collect() };
            let found = match pool {
                Some(pool) => pool.install(work),
                None => work(),
            };
            errors.extend(found.into_iter().flatten());
        }
        (answers.errors, answers.interrupted_at) = (errors, interrupted_at);
        answers
    }

    /// The answers cut into parts.
    fn chunks(&mut self, rows: usize, freedoms: usize, axes: usize) -> Vec<Chunk<'_>> {
        let count = rows.div_ceil(CHUNK);
        let mut impulse: Vec<_> = self.impulse.chunks_mut(rows.max(1)).map(|column| column.chunks_mut(CHUNK)).collect();
        let mut contact_velocity: Vec<_> =
            self.contact_velocity.chunks_mut(rows.max(1)).map(|column| column.chunks_mut(CHUNK)).collect();
        let mut mode = self.mode.chunks_mut(CHUNK);
        let mut energy_change = self.energy_change.chunks_mut(CHUNK);
        let mut velocity = self.velocity.chunks_mut((CHUNK * freedoms).max(1));
        let mut impulse_world = self.impulse_world.chunks_mut((CHUNK * axes).max(1));
        (0..count)
            .map(|k| Chunk {
                start: k * CHUNK,
                mode: mode.next().unwrap_or_default(),
                impulse: impulse.iter_mut().filter_map(Iterator::next).collect(),
                contact_velocity: contact_velocity.iter_mut().filter_map(Iterator::next).collect(),
                energy_change: energy_change.next().unwrap_or_default(),
                velocity: velocity.next().unwrap_or_default(),
                impulse_world: impulse_world.next().unwrap_or_default(),
            })
            .collect()
    }
}
