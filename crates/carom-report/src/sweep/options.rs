//! How a sweep is written.

use std::str::FromStr;

use carom_study::sweep::{SampleKind, Sweep, Watch};

/// The format of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TableFormat {
    /// Parquet, with snappy compression.
    #[cfg(feature = "parquet")]
    Parquet,
    /// Comma-separated values below a header line.
    Csv,
}

impl TableFormat {
    /// The format of a folder's parts unless another is given: the first that this build has.
    pub const DEFAULT: Self = ALL[0];

    /// The extension of files.
    pub fn name(self) -> &'static str {
        match self {
            #[cfg(feature = "parquet")]
            Self::Parquet => "parquet",
            Self::Csv => "csv",
        }
    }

    /// The format of an extension.
    pub(super) fn of(name: &str) -> Option<Self> {
        ALL.iter().copied().find(|format| format.name() == name)
    }
}

const ALL: &[TableFormat] = &[
    #[cfg(feature = "parquet")]
    TableFormat::Parquet,
    TableFormat::Csv,
];

/// A share of a folder's parts: those whose number is `index` modulo `count`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    index: u64,
    count: u64,
}

impl Shard {
    /// All parts.
    pub const WHOLE: Self = Self { index: 0, count: 1 };

    /// Share `index`, counted from 0, of `count`; `None` if there is no such share.
    pub fn new(index: u64, count: u64) -> Option<Self> {
        (index < count).then_some(Self { index, count })
    }

    /// Whether a part belongs to it.
    pub fn contains(self, part: u64) -> bool {
        part % self.count == self.index
    }
}

impl FromStr for Shard {
    type Err = String;

    /// `INDEX/COUNT`, counted from 0.
    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = text.split_once('/').and_then(|(index, count)| {
            let (index, count) = (index.trim().parse().ok()?, count.trim().parse().ok()?);
            Self::new(index, count)
        });
        parsed.ok_or_else(|| {
            format!(
                "{text:?} must be INDEX/COUNT with INDEX from 0 to COUNT - 1: 0/4, 1/4, 2/4 and 3/4 are all of four"
            )
        })
    }
}

/// How a sweep is written.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct SweepOptions<'a> {
    /// The format of the file or the parts.
    pub format: TableFormat,
    /// The number of threads.
    pub threads: usize,
    /// The number of rows of a part, or of a table that a thread computes at a time.
    pub rows_per_part: u64,
    /// Receives the progress, and can stop the sweep.
    pub watch: &'a (dyn Watch + Sync),
}

/// Rows of a part: the work of a thread for some tenths of a second to some seconds, which is lost when a sweep is
/// interrupted, and at most a group of a Parquet file.
pub fn default_rows_per_part(sweep: &Sweep) -> u64 {
    match sweep.plan().kind {
        SampleKind::Impact if sweep.is_read_once() => ROWS_A_GROUP,
        SampleKind::Impact => 4096,
        SampleKind::Simulation => 256,
    }
}

/// Rows of a group of a Parquet file: a reader holds one group in memory.
pub(super) const ROWS_A_GROUP: u64 = 1 << 16;

impl std::fmt::Debug for SweepOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { format, threads, rows_per_part, watch: _ } = self;
        f.debug_struct("SweepOptions")
            .field("format", format)
            .field("threads", threads)
            .field("rows_per_part", rows_per_part)
            .finish_non_exhaustive()
    }
}

impl<'a> SweepOptions<'a> {
    /// All processors, and parts of the default size.
    pub fn new(format: TableFormat, sweep: &Sweep) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Self { format, threads, rows_per_part: default_rows_per_part(sweep), watch: &() }
    }

    /// With another number of threads, at least one.
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        Self { threads: threads.max(1), ..self }
    }

    /// With parts of another size, at least one row.
    #[must_use]
    pub fn rows_per_part(self, rows: u64) -> Self {
        Self { rows_per_part: rows.max(1), ..self }
    }

    /// With a receiver of the progress, which can stop the sweep.
    #[must_use]
    pub fn watch(self, watch: &'a (dyn Watch + Sync)) -> Self {
        Self { watch, ..self }
    }
}

/// The rows and parts that were written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Written {
    /// Rows written now.
    pub rows: u64,
    /// Those of them that have an error in place of an answer.
    pub failed: u64,
    /// Parts of the shard that are finished, now or before.
    pub parts: u64,
    /// Parts of the shard.
    pub of_parts: u64,
}

impl Written {
    /// Whether nothing is left to do.
    pub fn is_complete(&self) -> bool {
        self.parts == self.of_parts
    }
}
