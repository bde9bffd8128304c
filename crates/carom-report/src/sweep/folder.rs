//! A sweep as a folder of parts.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use carom_study::sweep::{Sweep, Watch, Worker};

use super::beside::beside;
use super::encode::{Encoder, failed};
use super::error::SweepFileError;
use super::manifest::Manifest;
use super::options::{Shard, SweepOptions, Written};

/// Writes the missing parts of a shard, each on one thread. If stopped, it leaves the finished parts.
///
/// # Errors
/// The folder has another sweep, or cannot be written.
///
/// ```
/// use carom_report::sweep::{Shard, SweepOptions, TableFormat, write_folder};
/// use carom_study::sweep::Plan;
///
/// let mut plan = Plan::new(carom_scene::gallery::find("kane").expect("built in").tree()?);
/// plan.vary = vec!["restitution=0:1:100".parse()?];
/// let sweep = plan.prepare("".as_ref(), &Default::default())?;
///
/// let parent = tempfile::tempdir()?;
/// let folder = parent.path().join("kane");
/// let options = SweepOptions::new(TableFormat::Csv, &sweep).rows_per_part(40);
/// let written = write_folder(&sweep, &folder, Shard::WHOLE, &options)?;
/// assert_eq!((written.rows, written.of_parts), (100, 3));
/// // A second call finds all parts and computes nothing.
/// assert_eq!(write_folder(&sweep, &folder, Shard::WHOLE, &options)?.rows, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_folder(
    sweep: &Sweep,
    folder: &Path,
    shard: Shard,
    options: &SweepOptions<'_>,
) -> Result<Written, SweepFileError> {
    make(folder)?;
    let manifest = Manifest::new(sweep, options);
    manifest.claim(folder)?;
    let own: Vec<u64> = (0..manifest.parts).filter(|part| shard.contains(*part)).collect();
    let left: Vec<u64> = own.iter().copied().filter(|part| !folder.join(manifest.part_name(*part)).exists()).collect();
    let rows = left.iter().map(|part| manifest.rows_of(*part)).map(|rows| rows.end - rows.start).sum();
    options.watch.begin(rows);
    let filler = Filler {
        sweep,
        folder,
        manifest: &manifest,
        options,
        left: &left,
        next: AtomicUsize::new(0),
        has_failed: AtomicBool::new(false),
        counts: Default::default(),
        failure: Mutex::new(None),
    };
    std::thread::scope(|scope| {
        for _ in 0..options.threads.min(left.len()) {
            scope.spawn(|| filler.run());
        }
    });
    if let Some(error) = filler.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let [parts, rows, failed] = filler.counts.map(AtomicU64::into_inner);
    Ok(Written { rows, failed, parts: (own.len() - left.len()) as u64 + parts, of_parts: own.len() as u64 })
}

/// Claims a folder for a sweep, and lists the parts that it does not have yet.
///
/// # Errors
/// The folder has another sweep, or cannot be written.
pub fn missing_parts(sweep: &Sweep, folder: &Path, options: &SweepOptions<'_>) -> Result<Vec<u64>, SweepFileError> {
    make(folder)?;
    let manifest = Manifest::new(sweep, options);
    manifest.claim(folder)?;
    Ok((0..manifest.parts).filter(|part| !folder.join(manifest.part_name(*part)).exists()).collect())
}

/// Makes a folder in one that exists.
fn make(folder: &Path) -> Result<(), SweepFileError> {
    match fs::create_dir(folder) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(SweepFileError::NotAFolder { path: folder.to_owned() })
        }
        Err(error) => Err(SweepFileError::write(folder, error)),
    }
}

/// The work that threads share.
struct Filler<'a> {
    sweep: &'a Sweep,
    folder: &'a Path,
    manifest: &'a Manifest,
    options: &'a SweepOptions<'a>,
    left: &'a [u64],
    next: AtomicUsize,
    has_failed: AtomicBool,
    /// Parts, rows and rows with an error.
    counts: [AtomicU64; 3],
    failure: Mutex<Option<SweepFileError>>,
}

impl Watch for Filler<'_> {
    fn row(&self) {
        self.options.watch.row();
    }

    fn is_stopped(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed) || self.options.watch.is_stopped()
    }
}

impl Filler<'_> {
    fn run(&self) {
        let mut worker = self.sweep.worker();
        while let Some(part) = self.left.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            match self.fill(*part, &mut worker) {
                Ok(Some(())) => {}
                Ok(None) => return,
                Err(error) => {
                    self.has_failed.store(true, Ordering::Relaxed);
                    self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                    return;
                }
            }
        }
    }

    /// Writes a part. `None` if it was stopped.
    fn fill(&self, part: u64, worker: &mut Worker<'_>) -> Result<Option<()>, SweepFileError> {
        let path = self.folder.join(self.manifest.part_name(part));
        let fail = |error| SweepFileError::write(&path, error);
        let Some(table) = worker.table(self.manifest.rows_of(part), self) else { return Ok(None) };
        let counted = [1, table.rows as u64, failed(&table)];
        let file = beside(self.folder).map_err(fail)?;
        // The file itself: errors of its wrapper name the hidden file.
        let mut output = BufWriter::new(file.as_file());
        let mut encoder = Encoder::new(self.options.format, self.sweep, &mut output).map_err(fail)?;
        encoder.write(table, &mut output).map_err(fail)?;
        encoder.finish(&mut output).map_err(fail)?;
        output.flush().map_err(fail)?;
        drop(output);
        file.as_file().sync_all().map_err(fail)?;
        file.persist(&path).map_err(|error| fail(error.error))?;
        // The name is durable once its folder is synced, which some file systems do not support.
        let _ = File::open(self.folder).and_then(|folder| folder.sync_all());
        for (count, more) in self.counts.iter().zip(counted) {
            count.fetch_add(more, Ordering::Relaxed);
        }
        Ok(Some(()))
    }
}
