//! A sweep as one file, or in memory: threads compute tables, and the caller takes them in order.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Condvar, Mutex, PoisonError};

use carom_study::sweep::{Sweep, Table, Watch};

use super::encode::{Encoder, failed};
use super::options::{SweepOptions, Written};

/// The most tables for each thread, computed or under way, which bounds the memory.
const TABLES_PER_THREAD: u64 = 2;

/// Writes all rows in order. If stopped, it leaves an incomplete output.
///
/// # Errors
/// Writing fails.
pub fn write_stream(sweep: &Sweep, output: &mut dyn Write, options: &SweepOptions<'_>) -> io::Result<Written> {
    let mut encoder = Encoder::new(options.format, sweep, output)?;
    let written = in_order(sweep, options, |table| encoder.write(table, output))?;
    if written.is_complete() {
        encoder.finish(output)?;
    }
    Ok(written)
}

/// All rows in memory. `None` if it was stopped.
pub fn collect_rows(sweep: &Sweep, options: &SweepOptions<'_>) -> Option<Table> {
    let mut whole: Option<Table> = None;
    let written = in_order(sweep, options, |table| {
        match &mut whole {
            Some(whole) => whole.append(table),
            None => whole = Some(table),
        }
        Ok(())
    });
    whole.filter(|_| written.is_ok_and(|written| written.is_complete()))
}

/// Passes all rows on, a table at a time and in order, while threads compute the next ones.
fn in_order(
    sweep: &Sweep,
    options: &SweepOptions<'_>,
    mut take: impl FnMut(Table) -> io::Result<()>,
) -> io::Result<Written> {
    let of_parts = sweep.rows().div_ceil(options.rows_per_part);
    options.watch.begin(sweep.rows());
    let line = Line {
        sweep,
        options,
        of_parts,
        next: AtomicU64::new(0),
        is_over: AtomicBool::new(false),
        turn: Turn::default(),
    };
    let mut written = Written { of_parts, ..Written::default() };
    let ended = std::thread::scope(|scope| {
        let (sender, tables) = mpsc::channel::<(u64, Table)>();
        for _ in 0..options.threads {
            let (sender, line) = (sender.clone(), &line);
            scope.spawn(move || line.compute(&sender));
        }
        drop(sender);
        let mut early = std::collections::BTreeMap::new();
        let mut take_all = || -> io::Result<()> {
            for (part, table) in &tables {
                early.insert(part, table);
                while let Some(table) = early.remove(&written.parts) {
                    written.parts += 1;
                    written.rows += table.rows as u64;
                    written.failed += failed(&table);
                    take(table)?;
                    line.turn.advance(written.parts);
                }
            }
            Ok(())
        };
        let ended = take_all();
        line.end();
        ended
    });
    ended.map(|()| written)
}

/// The work that threads share.
struct Line<'a> {
    sweep: &'a Sweep,
    options: &'a SweepOptions<'a>,
    of_parts: u64,
    next: AtomicU64,
    is_over: AtomicBool,
    turn: Turn,
}

/// The number of parts that are written.
#[derive(Default)]
struct Turn {
    written: Mutex<u64>,
    changed: Condvar,
}

impl Turn {
    fn advance(&self, written: u64) {
        *self.written.lock().unwrap_or_else(PoisonError::into_inner) = written;
        self.changed.notify_all();
    }
}

impl Watch for Line<'_> {
    fn row(&self) {
        self.options.watch.row();
    }

    fn is_stopped(&self) -> bool {
        self.is_over.load(Ordering::Relaxed) || self.options.watch.is_stopped()
    }
}

impl Line<'_> {
    fn compute(&self, sender: &Sender<(u64, Table)>) {
        let mut worker = self.sweep.worker();
        loop {
            let part = self.next.fetch_add(1, Ordering::Relaxed);
            if part >= self.of_parts || !self.wait_for(part) {
                return;
            }
            let first = part * self.options.rows_per_part;
            let last = self.sweep.rows().min(first + self.options.rows_per_part);
            let table = worker.table(first..last, self);
            // Without a caller the sweep has ended.
            let is_sent = table.is_some_and(|table| sender.send((part, table)).is_ok());
            if !is_sent {
                return self.end();
            }
        }
    }

    /// Waits until few tables are ahead of the output. False if the sweep has ended.
    fn wait_for(&self, part: u64) -> bool {
        let most = TABLES_PER_THREAD * self.options.threads as u64;
        let mut written = self.turn.written.lock().unwrap_or_else(PoisonError::into_inner);
        while part >= *written + most && !self.is_stopped() {
            written = self.turn.changed.wait(written).unwrap_or_else(PoisonError::into_inner);
        }
        !self.is_stopped()
    }

    /// Lets all threads end.
    fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
        // While the lock is held, so that no thread is between its check and its wait.
        let _written = self.turn.written.lock().unwrap_or_else(PoisonError::into_inner);
        self.turn.changed.notify_all();
    }
}
