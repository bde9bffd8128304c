//! Sweeps: plans, files and rows in memory.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use carom::document::Edit;
use carom::report::sweep::{
    Cells, Shard, SweepOptions, TableFiles, TableFormat, Written, collect_rows, default_rows_per_part, missing_parts,
    write_file, write_folder,
};
use carom::robots::Robots;
use carom::study::sweep::{Plan, SampleKind, Sweep, Table, ValueKind, Values, Watch, split_columns};
use numpy::PyArray1;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::aligned;
use crate::document::value;
use crate::error::{argument, raise};
use crate::problem::{Changes, DocumentSource};

/// The interval at which signals such as Ctrl-C are checked and progress is reported.
const PATIENCE: Duration = Duration::from_millis(50);

/// A checked sweep: see carom.sweep.
#[pyclass(frozen, module = "carom")]
pub struct SweepPlan {
    sweep: Box<Sweep>,
    title: String,
    folder: PathBuf,
    /// Whether the robot was given as text, which other processes do not have.
    is_text: bool,
}

aligned!(SweepPlan);

/// Counts rows, and stops a sweep on request.
#[derive(Default)]
struct Watcher {
    rows: AtomicU64,
    all: AtomicU64,
    is_stopped: AtomicBool,
    has_ended: AtomicBool,
}

impl Watch for Watcher {
    fn begin(&self, rows: u64) {
        self.all.store(rows, Ordering::Relaxed);
    }

    fn row(&self) {
        self.rows.fetch_add(1, Ordering::Relaxed);
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }
}

/// Works on other threads, without the lock of the interpreter, while this one checks for signals and reports progress.
/// An exception in either stops the work.
fn watched<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Watcher) -> T + Send,
) -> PyResult<T> {
    let watcher = Watcher::default();
    let tell = || match progress {
        Some(progress) => {
            let [rows, all] = [&watcher.rows, &watcher.all].map(|count| count.load(Ordering::Relaxed));
            progress.call1((rows, all)).map(drop)
        }
        None => Ok(()),
    };
    let caller = thread::current();
    thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let result = work(&watcher);
            watcher.has_ended.store(true, Ordering::Release);
            caller.unpark();
            result
        });
        let mut raised = None;
        while !watcher.has_ended.load(Ordering::Acquire) && !worker.is_finished() {
            py.detach(|| thread::park_timeout(PATIENCE));
            if raised.is_none() {
                raised = py.check_signals().and_then(|()| tell()).err();
                if raised.is_some() {
                    watcher.is_stopped.store(true, Ordering::Relaxed);
                }
            }
        }
        let result = py.detach(|| worker.join());
        match (raised, result) {
            (Some(error), _) => Err(error),
            (None, Ok(result)) => tell().map(|()| result),
            (None, Err(panic)) => std::panic::resume_unwind(panic),
        }
    })
}

fn format_of(name: &str) -> PyResult<TableFormat> {
    match name {
        "parquet" => Ok(TableFormat::Parquet),
        "csv" => Ok(TableFormat::Csv),
        other => {
            let message = format!("format = {other:?} is not one of parquet, csv");
            Err(argument("unknown_name", "format", message))
        }
    }
}

fn at_least_one(count: Option<u64>, field: &str) -> PyResult<Option<u64>> {
    match count {
        Some(0) => Err(argument("out_of_range", field, format!("{field} = 0 must be 1 or more"))),
        count => Ok(count),
    }
}

/// The most threads of a sweep: more than processors have, and fewer than operating systems refuse to start.
const MOST_THREADS: u64 = 4096;

impl SweepPlan {
    fn options<'a>(
        &self,
        format: TableFormat,
        threads: Option<u64>,
        part_rows: Option<u64>,
        watch: &'a Watcher,
    ) -> PyResult<SweepOptions<'a>> {
        let mut options = SweepOptions::new(format, &self.sweep).watch(watch);
        if let Some(threads) = at_least_one(threads, "threads")? {
            if threads > MOST_THREADS {
                let message = format!("threads = {threads} must be at most {MOST_THREADS}");
                return Err(argument("out_of_range", "threads", message));
            }
            options = options.threads(threads as usize);
        }
        if let Some(rows) = at_least_one(part_rows, "part_rows")? {
            options = options.rows_per_part(rows);
        }
        Ok(options)
    }
}

fn counts(written: Written) -> (u64, u64, u64, u64) {
    (written.rows, written.failed, written.parts, written.of_parts)
}

#[pymethods]
impl SweepPlan {
    /// The name of the scene or file, and its title.
    #[getter]
    fn title(&self) -> &str {
        &self.title
    }

    /// The number of samples.
    #[getter]
    fn rows(&self) -> u64 {
        self.sweep.rows()
    }

    /// The names of the columns.
    #[getter]
    fn names(&self) -> Vec<&str> {
        self.sweep.columns().iter().map(|header| header.name.as_str()).collect()
    }

    /// The SHA-256 of the plan, with the files of the robot.
    #[getter]
    fn digest(&self) -> &str {
        self.sweep.digest()
    }

    /// The default number of rows per part of a folder.
    #[getter]
    fn part_rows(&self) -> u64 {
        default_rows_per_part(&self.sweep)
    }

    /// The plan as JSON and the folder of its robot, from which `sweep_plan_of` restores it in another process; None if
    /// the robot is text.
    fn portable(&self) -> Option<(String, PathBuf)> {
        (!self.is_text).then(|| (self.sweep.plan().to_json(), self.folder.clone()))
    }

    /// Writes parts into a folder. Returns the rows written now, the rows without an answer, the finished parts and all
    /// parts.
    #[pyo3(signature = (folder, format, *, shard = (0, 1), threads = None, part_rows = None, progress = None))]
    #[allow(clippy::too_many_arguments, reason = "the keywords of a function of Python")]
    fn write_folder(
        &self,
        py: Python<'_>,
        folder: PathBuf,
        format: &str,
        shard: (u64, u64),
        threads: Option<u64>,
        part_rows: Option<u64>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(u64, u64, u64, u64)> {
        let (index, count) = shard;
        let shard = Shard::new(index, count).ok_or_else(|| {
            argument("out_of_range", "shard", format!("shard = ({index}, {count}) must have 0 <= index < count"))
        })?;
        let format = format_of(format)?;
        self.options(format, threads, part_rows, &Watcher::default())?;
        let written = watched(py, progress, |watcher| {
            let options = self.options(format, threads, part_rows, watcher).ok()?;
            Some(write_folder(&self.sweep, &folder, shard, &options))
        })?;
        match written {
            Some(written) => written.map(counts).map_err(raise),
            None => Ok((0, 0, 0, 0)),
        }
    }

    /// Claims a folder, and lists the parts that it does not have yet.
    #[pyo3(signature = (folder, format, *, part_rows = None))]
    fn missing_parts(
        &self,
        py: Python<'_>,
        folder: PathBuf,
        format: &str,
        part_rows: Option<u64>,
    ) -> PyResult<Vec<u64>> {
        let watcher = Watcher::default();
        let options = self.options(format_of(format)?, None, part_rows, &watcher)?;
        py.detach(|| missing_parts(&self.sweep, &folder, &options)).map_err(raise)
    }

    /// Writes one file, which appears when it is complete. Arguments and result as of write_folder.
    #[pyo3(signature = (path, format, *, threads = None, part_rows = None, progress = None))]
    fn write_file(
        &self,
        py: Python<'_>,
        path: PathBuf,
        format: &str,
        threads: Option<u64>,
        part_rows: Option<u64>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(u64, u64, u64, u64)> {
        let format = format_of(format)?;
        self.options(format, threads, part_rows, &Watcher::default())?;
        let written = watched(py, progress, |watcher| {
            let options = self.options(format, threads, part_rows, watcher).ok()?;
            Some(write_file(&self.sweep, &path, &options))
        })?;
        match written {
            Some(written) => written.map(counts).map_err(raise),
            None => Ok((0, 0, 0, 0)),
        }
    }

    /// All rows in memory, as columns by name.
    #[pyo3(signature = (*, threads = None, part_rows = None, progress = None))]
    fn collect<'py>(
        &self,
        py: Python<'py>,
        threads: Option<u64>,
        part_rows: Option<u64>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.options(TableFormat::Csv, threads, part_rows, &Watcher::default())?;
        let table = watched(py, progress, |watcher| {
            let options = self.options(TableFormat::Csv, threads, part_rows, watcher).ok()?;
            collect_rows(&self.sweep, &options)
        })?;
        match table {
            Some(table) => columns(py, table),
            None => Ok(PyDict::new(py)),
        }
    }

    /// Columns of written files, in order: all, or those that are named.
    #[pyo3(signature = (path, names = None))]
    fn read<'py>(&self, py: Python<'py>, path: PathBuf, names: Option<Vec<String>>) -> PyResult<Bound<'py, PyDict>> {
        let headers = self.sweep.columns();
        let names = names.unwrap_or_else(|| headers.iter().map(|header| header.name.clone()).collect());
        for name in &names {
            if !headers.iter().any(|header| header.name == *name) {
                let known: Vec<&str> = headers.iter().map(|header| header.name.as_str()).collect();
                let message = format!("{name:?} is not a column of this sweep; the columns are {}", known.join(", "));
                return Err(argument("unknown_name", "columns", message));
            }
        }
        let kinds = names.iter().map(|name| headers.iter().find(|one| one.name == *name).map(|one| one.kind));
        let kinds: Vec<ValueKind> = kinds.flatten().collect();
        let read = py.detach(|| read_cells(&path, &names));
        let result = PyDict::new(py);
        for ((name, cells), kind) in names.iter().zip(read?).zip(kinds) {
            result.set_item(name, of_cells(py, cells, kind)?)?;
        }
        Ok(result)
    }
}

/// The columns of files in memory.
fn read_cells(path: &Path, names: &[String]) -> PyResult<Vec<Cells>> {
    let files = TableFiles::open(path).map_err(raise)?;
    let wanted: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut whole: Vec<Cells> = Vec::new();
    let take = |group: &[Cells]| {
        if whole.is_empty() {
            whole = group.to_vec();
            return;
        }
        for (column, more) in whole.iter_mut().zip(group) {
            append(column, more);
        }
    };
    files.visit(&wanted, take).map_err(raise)?;
    Ok(whole)
}

/// Makes columns words again: a group of a CSV file whose words are all missing reads as numbers.
fn append(column: &mut Cells, more: &Cells) {
    match (column, more) {
        (Cells::Numbers(values), Cells::Numbers(more)) => values.extend(more),
        (Cells::Words(values), Cells::Words(more)) => values.extend(more.iter().cloned()),
        (Cells::Words(values), Cells::Numbers(more)) => values.extend(more.iter().map(|number| word_of(*number))),
        (column @ Cells::Numbers(_), Cells::Words(more)) => {
            if let Cells::Numbers(numbers) = column {
                let words = numbers.iter().map(|number| word_of(*number)).chain(more.iter().cloned()).collect();
                *column = Cells::Words(words);
            }
        }
    }
}

fn word_of(number: f64) -> Option<String> {
    (!number.is_nan()).then(|| number.to_string())
}

fn of_cells<'py>(py: Python<'py>, cells: Cells, kind: ValueKind) -> PyResult<Bound<'py, PyAny>> {
    let values = match (kind, cells) {
        (ValueKind::Integer, Cells::Numbers(numbers)) => {
            Values::Integers(numbers.into_iter().map(|number| number as i64).collect())
        }
        (_, Cells::Numbers(numbers)) if kind == ValueKind::Number => Values::Numbers(numbers),
        (ValueKind::Flag, Cells::Words(words)) => {
            Values::Flags(words.into_iter().map(|word| word.map(|word| word == "true")).collect())
        }
        (ValueKind::Flag, Cells::Numbers(numbers)) => Values::Flags(vec![None; numbers.len()]),
        (_, Cells::Words(words)) => Values::Words(words.into_iter().map(|word| word.map(Into::into)).collect()),
        (_, Cells::Numbers(numbers)) => {
            Values::Words(numbers.into_iter().map(|number| word_of(number).map(Into::into)).collect())
        }
    };
    array(py, values)
}

fn columns(py: Python<'_>, table: Table) -> PyResult<Bound<'_, PyDict>> {
    let columns = PyDict::new(py);
    for column in table.columns {
        columns.set_item(&column.name, array(py, column.values)?)?;
    }
    Ok(columns)
}

/// A column as an array of int64, float64 or bool; bool with missing values and text as objects, with None for a
/// missing one.
fn array(py: Python<'_>, values: Values) -> PyResult<Bound<'_, PyAny>> {
    match values {
        Values::Integers(values) => Ok(PyArray1::from_vec(py, values).into_any()),
        Values::Numbers(values) => Ok(PyArray1::from_vec(py, values).into_any()),
        Values::Flags(values) => match values.iter().copied().collect::<Option<Vec<bool>>>() {
            Some(flags) => Ok(PyArray1::from_vec(py, flags).into_any()),
            None => objects(py, &PyList::new(py, values)?),
        },
        Values::Words(values) => {
            // Words repeat: as long as there are few, each is made once.
            let mut made: Vec<(String, Py<PyAny>)> = Vec::new();
            let mut object = |word: Option<&str>| -> PyResult<Py<PyAny>> {
                let Some(word) = word else { return Ok(py.None()) };
                if let Some((_, object)) = made.iter().find(|(known, _)| known == word) {
                    return Ok(object.clone_ref(py));
                }
                let object = word.into_py_any(py)?;
                if made.len() < 16 {
                    made.push((word.to_owned(), object.clone_ref(py)));
                }
                Ok(object)
            };
            let words = values.iter().map(|word| object(word.as_deref())).collect::<PyResult<Vec<_>>>()?;
            objects(py, &PyList::new(py, words)?)
        }
    }
}

fn objects<'py>(py: Python<'py>, list: &Bound<'py, PyList>) -> PyResult<Bound<'py, PyAny>> {
    let keywords = PyDict::new(py);
    keywords.set_item("dtype", "object")?;
    py.import("numpy")?.call_method("array", (list,), Some(&keywords))
}

/// Checks the environment variable that chooses kernels.
fn check_kernel() -> PyResult<()> {
    let name = carom::law::KERNEL_VARIABLE;
    match std::env::var_os(name) {
        Some(value) if value != "portable" => {
            let message = format!("{name} = {value:?} must be portable, or not set");
            Err(argument("unknown_name", name, message))
        }
        _ => Ok(()),
    }
}

/// The plan of a sweep: see carom.sweep. vary, random: keys with their values as text in the form of the command, or as lists.
#[pyfunction]
#[pyo3(signature = (
    source, *, simulate = false, vary = None, random = None, samples = 1, seed = 0, columns = None, restitution = None,
    friction = None, guard = None, law = None, set = None
))]
#[allow(clippy::too_many_arguments, reason = "the keywords of a function of Python")]
pub fn sweep_plan<'py>(
    py: Python<'py>,
    source: &Bound<'py, PyAny>,
    simulate: bool,
    vary: Option<&Bound<'py, PyDict>>,
    random: Option<&Bound<'py, PyDict>>,
    samples: u64,
    seed: u64,
    columns: Option<Vec<String>>,
    restitution: Option<Bound<'py, PyAny>>,
    friction: Option<Bound<'py, PyAny>>,
    guard: Option<String>,
    law: Option<String>,
    set: Option<Bound<'py, PyDict>>,
) -> PyResult<SweepPlan> {
    check_kernel()?;
    let edits = Changes { restitution, friction, guard, law, set }.edits()?;
    let mut origin = DocumentSource::find(source, simulate)?;
    for edit in &edits {
        edit.apply(&mut origin.tree).map_err(raise)?;
    }
    let mut plan = Plan::new(origin.tree);
    plan.kind = if simulate { SampleKind::Simulation } else { SampleKind::Impact };
    for (key, values) in stated(vary, "vary")? {
        let axis = format!("{key}={values}").parse();
        plan.vary.push(axis.map_err(|error: String| argument("out_of_range", &format!("vary.{key}"), error))?);
    }
    for (key, values) in stated(random, "random")? {
        let draw = format!("{key}={values}").parse();
        plan.random.push(draw.map_err(|error: String| argument("out_of_range", &format!("random.{key}"), error))?);
    }
    let keys = plan.vary.iter().map(|axis| ("vary", axis.key()));
    for (name, key) in keys.chain(plan.random.iter().map(|draw| ("random", draw.key()))) {
        if edits.iter().any(|edit: &Edit| edit.touches(key)) {
            return Err(argument(
                "conflict",
                key,
                format!("{key} is given, and {name} changes it; give only one of them"),
            ));
        }
    }
    (plan.samples, plan.seed) = (samples, seed);
    plan.columns = columns.iter().flatten().flat_map(|text| split_columns(text)).collect();
    // Other processes have other current folders; the key of a text is not a path.
    let folder = match origin.robots.has_texts() {
        true => origin.folder,
        false => std::path::absolute(Path::new(".").join(&origin.folder)).unwrap_or(origin.folder),
    };
    prepared(py, &plan, folder, &origin.robots, origin.name)
}

/// The plan that `portable` returned in another process.
#[pyfunction]
pub fn sweep_plan_of(py: Python<'_>, document: &str, folder: PathBuf, title: String) -> PyResult<SweepPlan> {
    check_kernel()?;
    let plan = Plan::from_json(document).map_err(raise)?;
    prepared(py, &plan, folder, &Arc::new(Robots::new()), title)
}

fn prepared(py: Python<'_>, plan: &Plan, folder: PathBuf, robots: &Arc<Robots>, title: String) -> PyResult<SweepPlan> {
    let sweep = py.detach(|| plan.prepare(&folder, robots)).map_err(raise)?;
    Ok(SweepPlan { sweep: Box::new(sweep), title, folder, is_text: robots.has_texts() })
}

/// Keys with values as text: in the form of the command, or as a list.
fn stated(given: Option<&Bound<'_, PyDict>>, field: &str) -> PyResult<Vec<(String, String)>> {
    let mut stated = Vec::new();
    for (key, values) in given.iter().flat_map(|given| given.iter()) {
        let key: String = key.extract().map_err(|_| {
            argument(
                "wrong_type",
                field,
                format!("{field} has the key {key}; keys must be paths such as \"restitution\""),
            )
        })?;
        let path = format!("{field}.{key}");
        let text = match value(&values, &path)? {
            serde_json::Value::String(text) => text,
            list @ serde_json::Value::Array(_) => list.to_string(),
            _ => {
                let message =
                    format!("{path} must be text in the form of the command, such as \"0:1:200\", or a list of values");
                return Err(argument("wrong_type", &path, message));
            }
        };
        stated.push((key, text));
    }
    Ok(stated)
}
