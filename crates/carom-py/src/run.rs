//! Simulations.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use carom::document::{Edit, Tree};
use carom::provenance::{Provenance, scene_in_state};
use carom::report::{EventLog, RunFile, RunText, Values, figure, run_columns, run_csv, run_event_columns};
use carom::report::{run_events_csv, run_events_parquet, run_html};
use carom::sim::{Ending, Event, Record, Recorder, Sample, Settings, Setup, Simulation, SimulationError, Sink};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::aligned;
use crate::array::{Numbers, rows, vector};
use crate::document::from_json;
use crate::error::{argument, raise};
use crate::problem::Problem;
use crate::stated::Stated;

/// Interval at which signals such as Ctrl-C are checked.
const PATIENCE: Duration = Duration::from_millis(20);
/// The largest number of samples of a run, as of the command.
const MOST_SAMPLES: f64 = 1e6;

/// The record of a run.
#[pyclass(frozen, module = "carom")]
pub struct RunRecord {
    record: Box<Record>,
    title: String,
    provenance: Option<Box<Provenance>>,
}

aligned!(RunRecord);

/// Records everything, and checks for signals.
struct Watcher {
    recorder: Recorder,
    looked: Cell<Instant>,
    signal: RefCell<Option<PyErr>>,
}

impl Sink for Watcher {
    fn sample(&mut self, sample: Sample) {
        self.recorder.sample(sample);
    }

    fn event(&mut self, event: Event) {
        self.recorder.event(event);
    }

    fn is_interrupted(&self) -> bool {
        if self.looked.get().elapsed() >= PATIENCE {
            self.looked.set(Instant::now());
            if let Err(signal) = Python::attach(|py| py.check_signals()) {
                *self.signal.borrow_mut() = Some(signal);
            }
        }
        self.signal.borrow().is_some()
    }
}

/// Why a run ended early.
enum End {
    /// The controller raised an exception.
    Controller(PyErr),
    Simulation(SimulationError),
}

impl From<SimulationError> for End {
    fn from(error: SimulationError) -> Self {
        Self::Simulation(error)
    }
}

/// Adds the forces returned by a Python controller.
fn control(torque: &Py<PyAny>, time: f64, q: &[f64], v: &[f64], forces: &mut [f64]) -> PyResult<()> {
    Python::attach(|py| {
        let returned = torque.bind(py).call1((time, vector(py, q), vector(py, v)))?;
        let numbers = Numbers::read(&returned, "torque")?;
        if numbers.shape() != [forces.len()] {
            return Err(numbers.wrong_shape("torque", &format!("shape ({},), one number per velocity", forces.len())));
        }
        for (k, (force, given)) in forces.iter_mut().zip(numbers.as_slice()).enumerate() {
            if !given.is_finite() {
                let message = format!("torque[{k}] = {given} at t = {time} s is not finite");
                return Err(argument("not_finite", "torque", message));
            }
            *force += given;
        }
        Ok(())
    })
}

/// Runs a problem: see carom.simulate.
#[pyfunction]
#[pyo3(signature = (
    problem, q = None, v = None, *, until = None, interval = None, tolerance = None, max_events = None, max_time = None,
    torque = None, rate = None
))]
#[allow(clippy::too_many_arguments, reason = "the keywords of a function of Python")]
pub fn simulate(
    py: Python<'_>,
    problem: &Problem,
    q: Option<&Bound<'_, PyAny>>,
    v: Option<&Bound<'_, PyAny>>,
    until: Option<f64>,
    interval: Option<f64>,
    tolerance: Option<f64>,
    max_events: Option<u64>,
    max_time: Option<f64>,
    torque: Option<Py<PyAny>>,
    rate: Option<f64>,
) -> PyResult<RunRecord> {
    let stated = &problem.stated;
    let mut document = stated.tree.clone();
    let mut setup = match (q, v) {
        (None, None) => stated.problem.setup().map_err(raise)?,
        _ => {
            let Some(scene) = stated.problem.scene() else {
                return Err(argument("missing", "model", "a simulation needs a robot: give a scene with model"));
            };
            let read = |given: Option<&Bound<'_, PyAny>>, field: &str, own: &[f64]| match given {
                Some(given) => Numbers::read(given, field)?.vector(field).map(<[f64]>::to_vec),
                None => Ok(own.to_vec()),
            };
            let (q, v) = (read(q, "q", scene.configuration())?, read(v, "v", scene.velocity())?);
            document = document.map(|tree| scene_in_state(&tree, scene.model(), &q, &v));
            stated.problem.with_state_vectors(&q, &v).and_then(|problem| problem.setup()).map_err(raise)?
        }
    };
    let number = |x: Option<f64>| x.map(|x| format!("{x:?}"));
    let given = [
        ("until", number(until)),
        ("interval", number(interval)),
        ("tolerance", number(tolerance)),
        ("max_events", max_events.map(|count| count.to_string())),
    ];
    let settings = &mut setup.settings;
    settings.until = until.unwrap_or(settings.until);
    settings.interval = interval.or(settings.interval);
    settings.tolerance = tolerance.unwrap_or(settings.tolerance);
    settings.max_events = max_events.unwrap_or(settings.max_events);
    settings.max_time = max_time;
    let Settings { until, interval, .. } = setup.settings;
    if let Some(interval) = interval.filter(|interval| *interval > 0.0 && until / interval > MOST_SAMPLES) {
        let message = format!(
            "interval = {interval} gives more than {MOST_SAMPLES} samples until {until} s: choose a longer one"
        );
        return Err(argument("out_of_range", "interval", message));
    }
    let rate = match (&torque, rate) {
        (Some(_), Some(rate)) if rate > 0.0 && rate.is_finite() => rate,
        (Some(_), Some(rate)) => {
            return Err(argument("out_of_range", "rate", format!("rate = {rate} must be positive and finite")));
        }
        (Some(_), None) => {
            let message =
                "rate is missing: give the number of calls of torque per second, between which its forces are held";
            return Err(argument("missing", "rate", message));
        }
        (None, Some(_)) => return Err(argument("missing", "torque", "rate is given without torque")),
        (None, None) => 0.0,
    };
    let provenance = document.and_then(|tree| provenance(stated, tree, &given, &setup, torque.is_some()));
    let mut simulation = Simulation::new(setup).map_err(raise)?;
    let mut watcher =
        Watcher { recorder: Recorder::new(), looked: Cell::new(Instant::now()), signal: RefCell::new(None) };
    let ended = py.detach(|| match &torque {
        None => simulation.run(&mut watcher).map_err(End::Simulation),
        Some(torque) => simulation.run_controlled(
            rate,
            |time, q, v, forces| control(torque, time, q, v, forces).map_err(End::Controller),
            &mut watcher,
        ),
    });
    if let Some(signal) = watcher.signal.into_inner() {
        return Err(signal);
    }
    let mut record = watcher.recorder.finish(&simulation);
    match ended {
        Ok(_) => {}
        Err(End::Controller(error)) => return Err(error),
        Err(End::Simulation(error)) => {
            record.summary.ending = Ending::Failed;
            record.summary.failure = Some(error.to_string());
        }
    }
    Ok(RunRecord { record: Box::new(record), title: stated.title.clone(), provenance: provenance.map(Box::new) })
}

/// The provenance of a run, with the settings given as arguments. None if a file of the robot is no longer there.
fn provenance(
    stated: &Stated,
    mut document: Tree,
    given: &[(&str, Option<String>)],
    setup: &Setup,
    has_controller: bool,
) -> Option<Provenance> {
    let mut options = Vec::new();
    for (key, value) in given {
        if let Some(value) = value {
            let edit: Edit = format!("simulation.{key}={value}").parse().ok()?;
            edit.apply(&mut document).ok()?;
            options.push(format!("{key}={value}"));
        }
    }
    let mut provenance = Provenance::new(document, options, &stated.problem, setup).ok()?;
    if stated.robots.has_texts() {
        // The files are only its meshes.
        provenance.robot.files.clear();
        provenance = provenance.not_repeatable("its robot was given as text in Python, not as a file");
    }
    if has_controller {
        provenance = provenance.not_repeatable("a controller in Python gave its forces, which no file has");
    }
    Some(provenance)
}

fn text(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> PyResult<String> {
    let mut bytes = Vec::new();
    write(&mut bytes).map_err(raise)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn values<'py>(py: Python<'py>, values: &Values<'_>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match values {
        Values::Numbers(numbers) => vector(py, numbers).into_any(),
        Values::SomeNumbers(numbers) => {
            let numbers: Vec<f64> = numbers.iter().map(|number| number.unwrap_or(f64::NAN)).collect();
            vector(py, &numbers).into_any()
        }
        Values::Words(words) => PyList::new(py, words)?.into_any(),
        Values::SomeWords(words) => PyList::new(py, words)?.into_any(),
    })
}

impl RunRecord {
    fn file(&self) -> RunFile<'_> {
        RunFile { record: &self.record, provenance: self.provenance.as_deref() }
    }

    fn rows_of<'py>(
        &self,
        py: Python<'py>,
        width: usize,
        of: impl Fn(&Sample) -> &[f64],
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let samples = &self.record.samples;
        let numbers = samples.iter().flat_map(|sample| of(sample).iter().copied()).collect();
        rows(py, numbers, samples.len(), width)
    }
}

#[pymethods]
impl RunRecord {
    /// The title.
    #[getter]
    fn title(&self) -> &str {
        &self.title
    }

    /// Why the run failed; None if it did not.
    #[getter]
    fn failure(&self) -> Option<&str> {
        self.record.summary.failure.as_deref()
    }

    /// Times, s, [N].
    #[getter]
    fn t<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.record.samples.iter().map(|sample| sample.time).collect())
    }

    /// Configurations, [N, nq].
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.rows_of(py, self.record.model.nq(), |sample| &sample.configuration)
    }

    /// Velocities, [N, nv].
    #[getter]
    fn v<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.rows_of(py, self.record.model.nv(), |sample| &sample.velocity)
    }

    /// The contacts, in order.
    #[getter]
    fn contact_names(&self) -> Vec<&str> {
        self.record.header.contacts.iter().map(|contact| contact.name.as_str()).collect()
    }

    /// Mode, gap, position, force and force in world axes of a contact, one row per sample.
    #[allow(clippy::type_complexity, reason = "a tuple of arrays")]
    fn contact<'py>(
        &self,
        py: Python<'py>,
        index: usize,
    ) -> PyResult<(
        Vec<&'static str>,
        Bound<'py, PyArray1<f64>>,
        Bound<'py, PyArray2<f64>>,
        Bound<'py, PyArray2<f64>>,
        Bound<'py, PyArray2<f64>>,
    )> {
        let contacts = &self.record.header.contacts;
        let Some(contact) = contacts.get(index) else {
            return Err(argument("out_of_range", "contact", format!("contact {index}: there are {}", contacts.len())));
        };
        let samples = || self.record.samples.iter().map(|sample| &sample.contacts[index]);
        let count = self.record.samples.len();
        let gap = PyArray1::from_vec(py, samples().map(|contact| contact.gap).collect());
        let position = rows(py, samples().flat_map(|contact| contact.position).collect(), count, 3)?;
        let d = contact.dimension;
        let force = rows(py, samples().flat_map(|one| one.force[..d].to_vec()).collect(), count, d)?;
        let world = rows(py, samples().flat_map(|contact| contact.world_force).collect(), count, 3)?;
        Ok((samples().map(|contact| contact.mode.name()).collect(), gap, position, force, world))
    }

    /// The samples as columns by name.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        for column in run_columns(&self.record) {
            columns.set_item(&column.name, values(py, &column.values)?)?;
        }
        Ok(columns)
    }

    /// The events as columns by name.
    fn event_columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        for column in run_event_columns(&self.record) {
            columns.set_item(&column.name, values(py, &column.values)?)?;
        }
        Ok(columns)
    }

    /// Header and summary, with the names of the JSON record.
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        from_json(py, &text(|bytes| self.file().summary_json(bytes))?)
    }

    /// The whole run as JSON.
    fn to_json(&self) -> PyResult<String> {
        text(|bytes| self.file().json(bytes))
    }

    /// The samples as CSV.
    fn to_csv(&self) -> PyResult<String> {
        text(|bytes| run_csv(&self.record, bytes))
    }

    /// Header and summary as JSON, which the tables do not contain.
    fn header_to_json(&self) -> PyResult<String> {
        text(|bytes| self.file().header_json(bytes))
    }

    /// The samples as Parquet.
    fn to_parquet<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut bytes = Vec::new();
        self.file().parquet(&mut bytes).map_err(raise)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The events as Parquet.
    fn events_to_parquet<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut bytes = Vec::new();
        run_events_parquet(&self.record, &mut bytes).map_err(raise)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The events as CSV.
    fn events_to_csv(&self) -> PyResult<String> {
        text(|bytes| run_events_csv(&self.record, bytes))
    }

    /// The figure of the command.
    fn to_svg(&self) -> PyResult<String> {
        figure::run_svg(&self.record, &self.title).map_err(raise)
    }

    /// The page that plays the run.
    fn to_html(&self) -> PyResult<String> {
        let mut page = Vec::new();
        run_html(&self.record, &self.title, &mut page).map_err(raise)?;
        Ok(String::from_utf8_lossy(&page).into_owned())
    }

    /// The summary of the command, with this many events.
    #[pyo3(signature = (events = 0))]
    fn text(&self, events: usize) -> String {
        let record = &*self.record;
        let text = RunText { title: &self.title, record }.to_string();
        match events {
            0 => text,
            most => format!("{text}\n{}", EventLog { record, most: Some(most), is_grouped: true }),
        }
    }
}
