//! Rows of a sweep in memory, computed on all cores.

use rayon::prelude::*;

use super::error::SweepError;
use super::sweep::Sweep;
use super::table::Table;

/// The rows that a thread computes at a time for [`Sweep::part`].
const ROWS_A_CHUNK: u64 = 4096;

impl Sweep {
    /// Rows as columns in memory, computed on all cores: part `part`, counted from 0, of `count` parts of nearly equal length.
    ///
    /// # Errors
    /// There is no such part.
    pub fn part(&self, part: u64, count: u64) -> Result<Table, SweepError> {
        if part >= count {
            return Err(SweepError::Part { part, count });
        }
        let end = |part: u64| (u128::from(self.rows()) * u128::from(part) / u128::from(count)) as u64;
        let (first, last) = (end(part), end(part + 1));
        let chunks = (last - first).div_ceil(ROWS_A_CHUNK);
        let tables: Vec<Table> = (0..chunks)
            .into_par_iter()
            .map_init(
                || self.worker(),
                |worker, chunk| {
                    let start = first + chunk * ROWS_A_CHUNK;
                    worker.table(start..last.min(start + ROWS_A_CHUNK), &())
                },
            )
            .flatten()
            .collect();
        let mut tables = tables.into_iter();
        let mut whole = tables.next().unwrap_or_else(|| self.worker().empty(first));
        for table in tables {
            whole.append(table);
        }
        Ok(whole)
    }
}

impl Table {
    /// Appends the rows of a table of the same sweep that follows.
    pub fn append(&mut self, next: Table) {
        self.rows += next.rows;
        for (column, more) in self.columns.iter_mut().zip(next.columns) {
            column.values.append(more.values);
        }
    }
}
