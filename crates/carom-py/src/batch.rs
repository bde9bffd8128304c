//! Arrays of impacts.

use std::sync::Arc;

use carom::law::{Dimension, Mode};
use carom::prepared::{PreparedScene, Sample};
use carom::study::arrays::{ArrayAnswers, ContactArrays, ContactTerms, Rows, StateArrays, Values};
use numpy::{PyArray1, PyArray2};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use rayon::ThreadPool;

use crate::aligned;
use crate::array::{Numbers, from_columns, number, rows, shape_text};
use crate::document::{friction, law_and_guard, restitution};
use crate::error::{argument, problem_exception, raise};

/// The code of a row without an answer.
const NONE: u8 = 255;

/// The impacts of a batch, one per row.
#[pyclass(frozen, module = "carom")]
pub struct Batch {
    mode_code: Py<PyArray1<u8>>,
    impulse: Py<PyArray2<f64>>,
    contact_velocity: Py<PyArray2<f64>>,
    energy_change: Py<PyArray1<f64>>,
    velocity: Option<Py<PyArray2<f64>>>,
    impulse_world: Option<Py<PyArray2<f64>>>,
    errors: Py<PyList>,
    rows: usize,
}

aligned!(Batch);

fn code(mode: Option<Mode>) -> u8 {
    match mode {
        Some(Mode::Separating) => 0,
        Some(Mode::Stick) => 1,
        Some(Mode::Slip) => 2,
        Some(Mode::Reversal) => 3,
        None => NONE,
    }
}

impl Batch {
    fn new(py: Python<'_>, answers: ArrayAnswers) -> PyResult<Self> {
        let count = answers.mode.len();
        let per_row = |numbers: &[f64]| numbers.len().checked_div(count).unwrap_or(0);
        let errors = PyList::empty(py);
        for error in &answers.errors {
            errors.append(problem_exception(py, &error.error, Some(error.row))?)?;
        }
        let optional = |numbers: Vec<f64>| -> PyResult<_> {
            let columns = per_row(&numbers);
            (columns > 0).then(|| rows(py, numbers, count, columns).map(Bound::unbind)).transpose()
        };
        let dimension = per_row(&answers.impulse);
        let codes: Vec<u8> = answers.mode.iter().map(|mode| code(*mode)).collect();
        Ok(Self {
            mode_code: PyArray1::from_vec(py, codes).unbind(),
            impulse: from_columns(py, answers.impulse, count, dimension)?.unbind(),
            contact_velocity: from_columns(py, answers.contact_velocity, count, dimension)?.unbind(),
            energy_change: PyArray1::from_vec(py, answers.energy_change).unbind(),
            velocity: optional(answers.velocity)?,
            impulse_world: optional(answers.impulse_world)?,
            errors: errors.unbind(),
            rows: count,
        })
    }
}

#[pymethods]
impl Batch {
    /// The modes as indices into carom.MODES, [N]; 255 where there is no answer.
    #[getter]
    fn mode_code<'py>(&self, py: Python<'py>) -> &Bound<'py, PyArray1<u8>> {
        self.mode_code.bind(py)
    }

    /// The modes as text, [N]; empty where there is no answer.
    #[getter]
    fn mode<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import(intern!(py, "carom._modes"))?.call_method1(intern!(py, "names"), (&self.mode_code,))
    }

    /// The impulses, N s, [N, d], normal first; NaN where there is no answer.
    #[getter]
    fn impulse<'py>(&self, py: Python<'py>) -> &Bound<'py, PyArray2<f64>> {
        self.impulse.bind(py)
    }

    /// The contact velocities after the impact, m/s, [N, d].
    #[getter]
    fn contact_velocity<'py>(&self, py: Python<'py>) -> &Bound<'py, PyArray2<f64>> {
        self.contact_velocity.bind(py)
    }

    /// The changes of the kinetic energy, J, [N].
    #[getter]
    fn energy_change<'py>(&self, py: Python<'py>) -> &Bound<'py, PyArray1<f64>> {
        self.energy_change.bind(py)
    }

    /// The generalized velocities after the impact, [N, nv]; None in contact space.
    #[getter]
    fn velocity<'py>(&self, py: Python<'py>) -> Option<&Bound<'py, PyArray2<f64>>> {
        self.velocity.as_ref().map(|velocity| velocity.bind(py))
    }

    /// The impulses in world axes, N s, [N, 3]; None for contacts given by matrices.
    #[getter]
    fn impulse_world<'py>(&self, py: Python<'py>) -> Option<&Bound<'py, PyArray2<f64>>> {
        self.impulse_world.as_ref().map(|impulse| impulse.bind(py))
    }

    /// The rows without an answer, as CaromError with `row`, in order.
    #[getter]
    fn errors<'py>(&self, py: Python<'py>) -> &Bound<'py, PyList> {
        self.errors.bind(py)
    }

    /// All numbers as columns by name, for tables.
    fn columns<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        py.import(intern!(py, "carom._modes"))?.call_method1(intern!(py, "columns"), (slf,))
    }

    /// All numbers as a pandas.DataFrame.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        py.import(intern!(py, "carom._modes"))?.call_method1(intern!(py, "frame"), (slf,))
    }

    fn __len__(&self) -> usize {
        self.rows
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let errors = self.errors.bind(py).len();
        format!("<carom.Batch of {} impacts, {errors} without an answer>", self.rows)
    }
}

/// Solves arrays without the lock of the interpreter, on `threads` threads; a signal such as Ctrl-C ends the work and
/// is raised.
fn solved<E: Into<carom::Error> + Send>(
    py: Python<'_>,
    threads: Option<usize>,
    solve: impl FnOnce(Option<&ThreadPool>, &mut dyn FnMut() -> bool) -> Result<ArrayAnswers, E> + Send,
) -> PyResult<Batch> {
    let pool = match threads {
        None => None,
        Some(0) => return Err(argument("out_of_range", "threads", "threads = 0 must be 1 or more")),
        Some(count) => {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build();
            Some(pool.map_err(|error| argument("out_of_range", "threads", format!("threads = {count}: {error}")))?)
        }
    };
    let mut signal: Option<PyErr> = None;
    let answers = py.detach(|| {
        let mut goes_on = || Python::attach(|py| py.check_signals()).map_err(|error| signal = Some(error)).is_ok();
        solve(pool.as_ref(), &mut goes_on)
    });
    match signal {
        Some(signal) => Err(signal),
        None => Batch::new(py, answers.map_err(raise)?),
    }
}

/// A coefficient that is one number, an array with one number per row, or a dictionary of such parts.
struct Parts<'py> {
    first: Part<'py>,
    second: Part<'py>,
}

enum Part<'py> {
    One(f64),
    Each(Numbers<'py>),
}

impl Part<'_> {
    fn values(&self) -> Values<'_> {
        match self {
            Part::One(value) => Values::One(*value),
            Part::Each(numbers) => Values::Each(numbers.as_slice()),
        }
    }
}

fn part<'py>(given: &Bound<'py, PyAny>, field: &str, count: usize) -> PyResult<Part<'py>> {
    if let Some(value) = number(given) {
        return Ok(Part::One(value));
    }
    let numbers = Numbers::read(given, field)?;
    match *numbers.shape() {
        [] => Ok(Part::One(numbers.as_slice()[0])),
        [length] if length == count => Ok(Part::Each(numbers)),
        _ => Err(numbers.wrong_shape(field, &format!("shape ({count},) or be one number"))),
    }
}

/// A key of a dictionary.
fn entry<'py>(given: &Bound<'py, PyDict>, key: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    given.get_item(key)
}

fn restitution_parts<'py>(given: &Bound<'py, PyAny>, count: usize) -> PyResult<Parts<'py>> {
    if let Ok(dictionary) = given.cast::<PyDict>() {
        if let Some(normal) = entry(dictionary, "normal")? {
            let tangential = entry(dictionary, "tangential")?;
            let second = tangential.map_or(Ok(Part::One(0.0)), |one| part(&one, "restitution.tangential", count))?;
            return Ok(Parts { first: part(&normal, "restitution.normal", count)?, second });
        }
        // Wrong dictionaries get the errors of single impacts.
        restitution(given)?;
        let message = "restitution that depends on the speed is not available for batches: give a number or an array";
        return Err(argument("unsupported", "restitution", message));
    }
    Ok(Parts { first: part(given, "restitution", count)?, second: Part::One(0.0) })
}

fn friction_parts<'py>(given: &Bound<'py, PyAny>, count: usize) -> PyResult<[Part<'py>; 2]> {
    if let Ok(dictionary) = given.cast::<PyDict>() {
        return match (entry(dictionary, "static")?, entry(dictionary, "dynamic")?) {
            (Some(of_stick), Some(of_slip)) => {
                Ok([part(&of_stick, "friction.static", count)?, part(&of_slip, "friction.dynamic", count)?])
            }
            _ => Err(friction(given).err().unwrap_or_else(|| argument("missing", "friction", "friction is missing"))),
        };
    }
    Ok([part(given, "friction", count)?, part(given, "friction", count)?])
}

/// Vectors or matrices of a batch: one per row if the array has one more dimension than a single one.
fn shared_or_each<'a>(numbers: &'a Numbers<'_>, dimensions: usize) -> Rows<'a> {
    match numbers.shape().len() == dimensions {
        true => Rows::shared(numbers.as_slice()),
        false => Rows::each(numbers.as_slice(), numbers.shape()[1..].iter().product()),
    }
}

/// Checks the dimensions, and finds the number of rows, on which all arrays that have rows must agree.
fn count_of(arrays: &[(&Numbers<'_>, &str, &[usize])]) -> PyResult<usize> {
    let mut count: Option<(usize, &str)> = None;
    for (numbers, field, single) in arrays {
        let shape = numbers.shape();
        let wanted = || {
            let inner: Vec<String> = single.iter().map(ToString::to_string).collect();
            format!("shape (N, {0}), or {1} for all", inner.join(", "), shape_text(single))
        };
        match shape.len().checked_sub(single.len()) {
            Some(0) if shape == *single => {}
            Some(1) if shape[1..] == **single => match count {
                None => count = Some((shape[0], field)),
                Some((rows, _)) if rows == shape[0] => {}
                Some((rows, other)) => {
                    let message = format!("{field} has {} rows, and {other} has {rows}", shape[0]);
                    return Err(argument("shape", field, message));
                }
            },
            _ => return Err(numbers.wrong_shape(field, &wanted())),
        }
    }
    Ok(count.map_or(1, |(rows, _)| rows))
}

/// Arrays of coefficients, whose length can determine the number of rows.
fn longest(given: [Option<&Bound<'_, PyAny>>; 2]) -> Option<usize> {
    given.into_iter().flatten().find_map(|one| match one.cast::<PyDict>() {
        Ok(dictionary) => dictionary.iter().find_map(|(_, entry)| entry.len().ok()),
        Err(_) => one.len().ok(),
    })
}

/// The impacts of many contacts, on all cores.
///
/// delassus [N, d, d] and contact_velocity [N, d]; or mass_matrix [N, n, n], contact_jacobian [N, d, n] and velocity
/// [N, n]. An array without N is used for all rows. restitution, friction: numbers or arrays [N], or dictionaries of
/// these (normal and tangential, static and dynamic). law, guard: as in carom.impact. threads: all cores by default;
/// the answers do not depend on it.
///
/// Returns a Batch. A bad row is in its errors and does not affect the others; arrays of wrong shapes raise CaromError.
#[pyfunction]
#[pyo3(signature = (
    *, delassus = None, contact_velocity = None, mass_matrix = None, contact_jacobian = None, velocity = None,
    restitution, friction = None, law = None, guard = None, threads = None
))]
#[allow(clippy::too_many_arguments, reason = "the keywords of a function of Python")]
pub fn impact_batch<'py>(
    py: Python<'py>,
    delassus: Option<Bound<'py, PyAny>>,
    contact_velocity: Option<Bound<'py, PyAny>>,
    mass_matrix: Option<Bound<'py, PyAny>>,
    contact_jacobian: Option<Bound<'py, PyAny>>,
    velocity: Option<Bound<'py, PyAny>>,
    restitution: Bound<'py, PyAny>,
    friction: Option<Bound<'py, PyAny>>,
    law: Option<String>,
    guard: Option<String>,
    threads: Option<usize>,
) -> PyResult<Batch> {
    let (law, guard) = law_and_guard(law.as_deref(), guard.as_deref())?;
    let read = |given: &Bound<'py, PyAny>, field: &str| Numbers::read(given, field);
    let given: Vec<Numbers<'py>>;
    let (terms, count, dimension) = match (&delassus, &contact_velocity, &mass_matrix, &contact_jacobian, &velocity) {
        (Some(w), Some(v), None, None, None) => {
            given = vec![read(w, "delassus")?, read(v, "contact_velocity")?];
            let (w, v) = (&given[0], &given[1]);
            let d = *w.shape().last().unwrap_or(&0);
            let count = count_of(&[(w, "delassus", &[d, d]), (v, "contact_velocity", &[d])])?;
            let terms =
                ContactTerms::ContactSpace { delassus: shared_or_each(w, 2), contact_velocity: shared_or_each(v, 1) };
            (terms, count, Dimension::from_rows(d, "delassus").map_err(raise)?)
        }
        (None, None, Some(m), Some(a), Some(v)) => {
            given = vec![read(m, "mass_matrix")?, read(a, "contact_jacobian")?, read(v, "velocity")?];
            let (m, a, v) = (&given[0], &given[1], &given[2]);
            let n = *m.shape().last().unwrap_or(&0);
            let d = a.shape().len().checked_sub(2).map_or(0, |k| a.shape()[k]);
            let count =
                count_of(&[(m, "mass_matrix", &[n, n]), (a, "contact_jacobian", &[d, n]), (v, "velocity", &[n])])?;
            let terms = ContactTerms::Generalized {
                freedoms: n,
                mass_matrix: shared_or_each(m, 2),
                contact_jacobian: shared_or_each(a, 2),
                velocity: shared_or_each(v, 1),
            };
            (terms, count, Dimension::from_rows(d, "contact_jacobian").map_err(raise)?)
        }
        _ => {
            let message = "give delassus and contact_velocity, or mass_matrix, contact_jacobian and velocity";
            return Err(argument("missing", "delassus", message));
        }
    };
    let is_shared =
        given.iter().zip([2, if given.len() == 2 { 1 } else { 2 }, 1]).all(|(one, k)| one.shape().len() == k);
    let count = if is_shared { longest([Some(&restitution), friction.as_ref()]).unwrap_or(count) } else { count };
    let e = restitution_parts(&restitution, count)?;
    let mu = friction.as_ref().map(|given| friction_parts(given, count)).transpose()?;
    let mut arrays = ContactArrays::new(count, dimension, terms, e.first.values(), None);
    arrays.restitution_tangential = e.second.values();
    arrays.friction_static = mu.as_ref().map(|mu| mu[0].values());
    arrays.friction_dynamic = mu.as_ref().map(|mu| mu[1].values());
    (arrays.law, arrays.guard) = (law, guard);
    solved(py, threads, |pool, goes_on| arrays.solve(pool, goes_on))
}

/// The impacts of a robot in many states.
pub fn of_states<'py>(
    py: Python<'py>,
    scene: &Arc<PreparedScene>,
    sample: &Sample,
    given: [(&Bound<'py, PyAny>, &str); 2],
    restitution: &Bound<'py, PyAny>,
    friction: Option<&Bound<'py, PyAny>>,
    threads: Option<usize>,
) -> PyResult<Batch> {
    let model = scene.scene().model();
    let [(q, q_name), (v, v_name)] = given;
    let (q, v) = (Numbers::read(q, q_name)?, Numbers::read(v, v_name)?);
    let count = count_of(&[(&q, q_name, &[model.nq()]), (&v, v_name, &[model.nv()])])?;
    let is_shared = q.shape().len() == 1 && v.shape().len() == 1;
    let count = if is_shared { longest([Some(restitution), friction]).unwrap_or(count) } else { count };
    let e = restitution_parts(restitution, count)?;
    let mu = friction.map(|given| friction_parts(given, count)).transpose()?;
    let mut arrays = StateArrays::new(count, shared_or_each(&q, 1), shared_or_each(&v, 1));
    arrays.restitution = Some([e.first.values(), e.second.values()]);
    arrays.friction = mu.as_ref().map(|mu| [mu[0].values(), mu[1].values()]);
    solved(py, threads, |pool, goes_on| arrays.strike(scene, sample, pool, goes_on))
}
