//! `carom sweep`: samples of a scene over grids and distributions, as a table.

use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use carom::document::Edit;
use carom::report::sweep::{Shard, SweepFileError, SweepOptions, TableFormat, Written, write_folder, write_stream};
use carom::study::sweep::{Plan, SampleKind, Sweep, SweepError, Watch, split_columns};
use indicatif::{ProgressBar, ProgressStyle};

use crate::args::{self, SweepFormat};
use crate::console::{note, progress, timed};
use crate::exhibits::Gallery;
use crate::failure::Failure;
use crate::kind::{Kind, STDOUT};
use crate::output::{Output, check_place, complain};
use crate::source::Source;

/// Rows between two updates of the progress bar by one thread.
const ROWS_A_TICK: u64 = 512;

pub fn run(arguments: &args::Sweep) -> Result<ExitCode, Failure> {
    check_kernel()?;
    let target = Target::of(arguments)?;
    let edits = edits(arguments)?;
    let gallery = if arguments.simulate { Gallery::Simulations } else { Gallery::Impacts };
    let source = Source::open_as(&arguments.problem, gallery, &arguments.robot)?;
    let begun = Instant::now();
    let sweep = prepare(arguments, source, &edits)?;
    timed("reading", begun);
    let watcher = Watcher::new(&sweep)?;
    let mut options = SweepOptions::new(target.format(), &sweep).watch(&watcher);
    if let Some(threads) = arguments.threads {
        options = options.threads(threads as usize);
    }
    if let Some(rows) = arguments.part_rows {
        options = options.rows_per_part(rows);
    }
    let begun = Instant::now();
    let written = match &target {
        Target::Folder { shard, .. } => write_folder(&sweep, &arguments.output, *shard, &options).map_err(file_failure),
        Target::Stream(_) => stream(&sweep, &arguments.output, &options),
    };
    watcher.bar.finish_and_clear();
    timed("computing and writing", begun);
    finish(&written?, &target, arguments, &sweep)
}

/// Checks the environment variable that chooses kernels.
fn check_kernel() -> Result<(), Failure> {
    let name = carom::law::KERNEL_VARIABLE;
    match std::env::var_os(name) {
        Some(value) if value != "portable" => {
            Err(Failure::Variable { name, value: value.to_string_lossy().into_owned(), values: "portable" })
        }
        _ => Ok(()),
    }
}

/// Where the table goes.
enum Target {
    Folder { format: TableFormat, shard: Shard },
    Stream(TableFormat),
}

const FILES: &[Kind] = &[
    #[cfg(feature = "parquet")]
    Kind::Parquet,
    Kind::Csv,
];

impl Target {
    fn of(arguments: &args::Sweep) -> Result<Self, Failure> {
        let asked = arguments.format.map(|format| match format {
            #[cfg(feature = "parquet")]
            SweepFormat::Parquet => TableFormat::Parquet,
            SweepFormat::Csv => TableFormat::Csv,
        });
        let path = &arguments.output;
        let is_device = std::fs::metadata(path).is_ok_and(|found| !found.is_dir() && !found.is_file());
        if path == Path::new(STDOUT) || is_device {
            let format = asked.map_or_else(|| Kind::of(path, FILES).map(format_of), Ok)?;
            if !is_device {
                kind_of(format).for_stdout()?;
            }
            return Self::Stream(format).without_shard(arguments);
        }
        if path.is_dir() || path.extension().is_none() {
            let shard = arguments.shard.unwrap_or(Shard::WHOLE);
            return Ok(Self::Folder { format: asked.unwrap_or(TableFormat::DEFAULT), shard });
        }
        let of_extension = Kind::of(path, FILES).map(format_of)?;
        if let Some(asked) = asked.filter(|asked| *asked != of_extension) {
            return Err(Failure::RunFormat { format: asked.name(), output: Some(path.clone()) });
        }
        check_place(path)?;
        Self::Stream(of_extension).without_shard(arguments)
    }

    fn without_shard(self, arguments: &args::Sweep) -> Result<Self, Failure> {
        match arguments.shard {
            Some(_) => Err(Failure::NotAFolder { option: "--shard", output: arguments.output.clone() }),
            None => Ok(self),
        }
    }

    fn format(&self) -> TableFormat {
        match self {
            Self::Folder { format, .. } | Self::Stream(format) => *format,
        }
    }
}

fn format_of(kind: Kind) -> TableFormat {
    match kind {
        #[cfg(feature = "parquet")]
        Kind::Parquet => TableFormat::Parquet,
        _ => TableFormat::Csv,
    }
}

fn kind_of(format: TableFormat) -> Kind {
    match format {
        #[cfg(feature = "parquet")]
        TableFormat::Parquet => Kind::Parquet,
        _ => Kind::Csv,
    }
}

/// The changes of the scene, none of which may set a key that varies.
fn edits(arguments: &args::Sweep) -> Result<Vec<Edit>, Failure> {
    let mut edits = arguments.changes.edits()?;
    let option = |name: &'static str, value: Option<String>| {
        let edit = value.and_then(|value| Edit::new(name.trim_start_matches('-'), &value).ok());
        edit.map(|edit| edit.by_option(name))
    };
    edits.extend(option("--guard", arguments.guard.map(|guard| guard.name().to_owned())));
    edits.extend(option("--law", arguments.law.clone()));
    let until = arguments.until.and_then(|until| Edit::new("simulation.until", &until).ok());
    edits.extend(until.map(|edit| edit.by_option("--until")));
    let axes = arguments.vary.iter().map(|axis| ("--vary", axis.key()));
    let varied: Vec<_> = axes.chain(arguments.random.iter().map(|draw| ("--random", draw.key()))).collect();
    for edit in &edits {
        if let Some((option, key)) = varied.iter().find(|(_, key)| edit.touches(key)) {
            let path = (*key).to_owned();
            return Err(Failure::ChangedAndVaried { option: edit.option(), varied: option, path });
        }
    }
    Ok(edits)
}

fn prepare(arguments: &args::Sweep, source: Source, edits: &[Edit]) -> Result<Sweep, Failure> {
    let (tree, folder) = match source.tree(edits) {
        Ok(read) => read,
        Err(error) => {
            let error = source.locate(error, edits);
            return Err(source.failure(error, edits));
        }
    };
    let mut plan = Plan::new(tree);
    plan.kind = if arguments.simulate { SampleKind::Simulation } else { SampleKind::Impact };
    plan.vary.clone_from(&arguments.vary);
    plan.random.clone_from(&arguments.random);
    (plan.samples, plan.seed) = (arguments.samples, arguments.seed);
    plan.columns = arguments.columns.as_deref().map(split_columns).unwrap_or_default();
    plan.prepare(&folder, &Arc::default()).map_err(|error| {
        let option = match &error {
            SweepError::Problem(error) => {
                let error = source.locate(error.clone(), edits);
                return source.failure(error, edits);
            }
            SweepError::Key { key, .. } if plan.vary.iter().any(|axis| axis.key() == key) => Some("--vary"),
            SweepError::Key { .. } => Some("--random"),
            SweepError::TooMany { .. } => Some("--vary and --samples"),
            SweepError::SetTwice { .. } => Some("--vary and --random"),
            SweepError::Samples { .. } => Some("--samples"),
            SweepError::UnknownColumn { .. }
            | SweepError::Entry { .. }
            | SweepError::ColumnTwice { .. }
            | SweepError::ManyContacts { .. }
            | SweepError::UnknownContact { .. } => Some("--columns"),
            _ => None,
        };
        Failure::Sweep { source: source.name(), option, error: Box::new(error) }
    })
}

fn stream(sweep: &Sweep, path: &Path, options: &SweepOptions<'_>) -> Result<Written, Failure> {
    let mut output = Output::open(Some(path))?;
    let written = write_stream(sweep, &mut output, options).map_err(|error| output.failure(error))?;
    if written.is_complete() {
        output.finish()?;
    }
    Ok(written)
}

fn file_failure(error: SweepFileError) -> Failure {
    match error {
        SweepFileError::Write { error, .. } if error.kind() == io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
        error => Failure::SweepFile(error),
    }
}

fn finish(written: &Written, target: &Target, arguments: &args::Sweep, sweep: &Sweep) -> Result<ExitCode, Failure> {
    if !written.is_complete() {
        let (parts, all) = (written.parts, written.of_parts);
        match target {
            Target::Folder { .. } => complain(&format!(
                "interrupted: {parts} of {all} parts are in {}; the same command continues with the others",
                arguments.output.display()
            )),
            Target::Stream(_) => complain(
                "interrupted: the table was discarded; with a folder in place of a file finished parts are kept",
            ),
        }
        return Ok(ExitCode::from(1));
    }
    if let Target::Folder { .. } = target {
        let place = arguments.output.display();
        match written.rows {
            0 => note(&format!("all {} parts were in {place} already", written.of_parts)),
            rows => note(&format!("{rows} rows of {} written; {} parts are in {place}", sweep.rows(), written.parts)),
        }
    }
    if written.failed > 0 {
        let (failed, rows) = (written.failed, written.rows);
        complain(&format!("{failed} of {rows} samples have no answer; the column error says why"));
        return Ok(ExitCode::from(1));
    }
    Ok(ExitCode::SUCCESS)
}

/// Updates the progress bar, and handles the signals that end a sweep: interrupt, hangup, terminate.
struct Watcher {
    bar: ProgressBar,
    rows: AtomicU64,
    interrupted: Arc<AtomicBool>,
}

impl Watcher {
    fn new(sweep: &Sweep) -> Result<Self, Failure> {
        let bar = progress(ProgressBar::new(sweep.rows()));
        let template = "{bar:30} {percent:>3} %  {human_pos} of {human_len} samples, {per_sec}, {elapsed} ({eta} left)";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        let interrupted = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&interrupted);
        // A second signal ends the process at once.
        ctrlc::set_handler(move || {
            if flag.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        })
        .map_err(|error| Failure::Signal { error: error.to_string() })?;
        Ok(Self { bar, rows: AtomicU64::new(0), interrupted })
    }
}

impl Watch for Watcher {
    fn begin(&self, rows: u64) {
        self.bar.set_length(rows);
    }

    fn row(&self) {
        let rows = self.rows.fetch_add(1, Ordering::Relaxed) + 1;
        // A simulation takes long enough for an update of its own.
        if rows.is_multiple_of(ROWS_A_TICK) || self.bar.length().is_some_and(|all| all < 100 * ROWS_A_TICK) {
            self.bar.set_position(rows);
        }
    }

    fn is_stopped(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }
}
