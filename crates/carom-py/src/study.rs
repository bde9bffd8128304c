//! Maps and comparisons.

use std::sync::Arc;

use carom::report::figure::{self, FigureOptions};
use carom::report::{ComparisonText, comparison_json, map_csv, map_json};
use carom::study::{self, CurveName, MapOptions, RegionKind};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde::Serialize;

use crate::aligned;
use crate::array::rows;
use crate::document::from_json;
use crate::error::{argument, raise};
use crate::problem::{Changes, read};
use crate::stated::Stated;

/// A map of the law's answers.
#[pyclass(frozen, module = "carom")]
pub struct Map {
    inner: Box<study::Map>,
}

/// The answers of all laws to one impact.
#[pyclass(frozen, module = "carom")]
pub struct Comparison {
    inner: Box<study::Comparison>,
    title: String,
}

aligned!(Map, Comparison);

/// The name of a unit variant, as in files.
fn name_of(name: &impl Serialize) -> String {
    serde_json::to_value(name).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

fn polylines<'py>(py: Python<'py>, lines: &[Vec<[f64; 2]>]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for line in lines {
        list.append(rows(py, line.concat(), line.len(), 2)?)?;
    }
    Ok(list)
}

impl Map {
    pub fn of(
        py: Python<'_>,
        stated: &Arc<Stated>,
        over: &str,
        resolution: usize,
        range: Option<&str>,
    ) -> PyResult<Self> {
        let range = range.map_or(Ok(study::Range::default()), str::parse).map_err(raise)?;
        let options = MapOptions { resolution, range };
        let make = match over {
            "coefficients" => study::Map::over_coefficients,
            "state" => study::Map::over_state,
            other => {
                let message = format!("over = {other:?} is not one of coefficients, state");
                return Err(argument("unknown_name", "over", message));
            }
        };
        let map = py.detach(|| make(&stated.problem, &stated.title, &options)).map_err(raise)?;
        Ok(Self { inner: Box::new(map) })
    }

    fn grid<'py, T: numpy::Element>(&self, py: Python<'py>, values: Vec<T>) -> PyResult<Bound<'py, PyArray2<T>>> {
        let n = self.inner.resolution;
        PyArray1::from_vec(py, values).reshape([n, n])
    }
}

#[pymethods]
impl Map {
    /// The title.
    #[getter]
    fn title(&self) -> &str {
        &self.inner.title
    }

    /// coefficients or state.
    #[getter]
    fn over(&self) -> String {
        name_of(&self.inner.over)
    }

    /// The number of cells along each axis.
    #[getter]
    fn resolution(&self) -> usize {
        self.inner.resolution
    }

    /// The names of the horizontal and the vertical quantity.
    #[getter]
    fn quantities(&self) -> (&'static str, &'static str) {
        (self.inner.axes[0].quantity.name(), self.inner.axes[1].quantity.name())
    }

    /// (left, right, bottom, top).
    #[getter]
    fn extent(&self) -> (f64, f64, f64, f64) {
        let [x, y] = self.inner.axes;
        (x.min, x.max, y.min, y.max)
    }

    /// The centres of the cells along the horizontal axis, [n].
    #[getter]
    fn x<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let cells = self.inner.cells.iter().take(self.inner.resolution);
        PyArray1::from_vec(py, cells.map(|cell| cell.at[0]).collect())
    }

    /// The centres of the cells along the vertical axis, [n].
    #[getter]
    fn y<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let cells = self.inner.cells.iter().step_by(self.inner.resolution.max(1));
        PyArray1::from_vec(py, cells.map(|cell| cell.at[1]).collect())
    }

    /// The modes as indices into carom.MODES, [n, n]: row by row from the bottom.
    #[getter]
    fn mode_code<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u8>>> {
        use carom::law::Mode;
        let code = |mode: Mode| match mode {
            Mode::Separating => 0,
            Mode::Stick => 1,
            Mode::Slip => 2,
            Mode::Reversal => 3,
        };
        self.grid(py, self.inner.cells.iter().map(|cell| code(cell.mode)).collect())
    }

    /// The modes as text, [n, n].
    #[getter]
    fn mode<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import(intern!(py, "carom._modes"))?.call_method1(intern!(py, "names"), (self.mode_code(py)?,))
    }

    /// The energy change in percent of the energy that `energy_unit` names, [n, n].
    #[getter]
    fn energy_change<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.grid(py, self.inner.cells.iter().map(|cell| cell.energy_change).collect())
    }

    /// kinetic_energy, contact_energy or absolute.
    #[getter]
    fn energy_unit(&self) -> String {
        name_of(&self.inner.energy_unit)
    }

    /// False where energy is created, [n, n].
    #[getter]
    fn admissible<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<bool>>> {
        self.grid(py, self.inner.cells.iter().map(|cell| cell.admissible).collect())
    }

    /// The number of slips and reversals, [n, n]; -1 where they were not counted.
    #[getter]
    fn solutions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i32>>> {
        let count = |solutions: Option<u32>| solutions.and_then(|count| i32::try_from(count).ok()).unwrap_or(-1);
        self.grid(py, self.inner.cells.iter().map(|cell| count(cell.solutions)).collect())
    }

    /// The point (x, y) of the problem itself.
    #[getter]
    fn point(&self) -> (f64, f64) {
        self.inner.point.at.into()
    }

    /// The exact curves by name, each as a list of arrays of points.
    #[getter]
    fn curves<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let curves = PyDict::new(py);
        for curve in &self.inner.curves {
            let name: &CurveName = &curve.name;
            curves.set_item(name_of(name), polylines(py, &curve.pieces)?)?;
        }
        Ok(curves)
    }

    /// The regions by kind, each as a list of arrays of corners.
    #[getter]
    fn regions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let regions = PyDict::new(py);
        for region in &self.inner.regions {
            let kind: &RegionKind = &region.kind;
            regions.set_item(name_of(kind), polylines(py, &region.polygons)?)?;
        }
        Ok(regions)
    }

    /// The figure of the command.
    #[pyo3(signature = (*, admissible_set = false))]
    fn to_svg(&self, admissible_set: bool) -> PyResult<String> {
        figure::svg(&self.inner, &FigureOptions { admissible_set }).map_err(raise)
    }

    /// The map as JSON.
    fn to_json(&self) -> PyResult<String> {
        let mut bytes = Vec::new();
        map_json(&self.inner, &mut bytes).map_err(raise)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The cells as CSV.
    fn to_csv(&self) -> PyResult<String> {
        let mut bytes = Vec::new();
        map_csv(&self.inner, &mut bytes).map_err(raise)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Draws the map into matplotlib axes, new ones by default, and returns them.
    #[pyo3(signature = (ax = None))]
    fn plot<'py>(slf: &Bound<'py, Self>, ax: Option<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        py.import(intern!(py, "carom._plot"))?.call_method1(intern!(py, "plot_map"), (slf, ax))
    }

    /// Writes the map: .svg, .json or .csv.
    fn save<'py>(slf: &Bound<'py, Self>, path: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        py.import(intern!(py, "carom._files"))?.call_method1(intern!(py, "save_map"), (slf, path))
    }

    fn __repr__(&self) -> String {
        let [x, y] = self.inner.axes.map(|axis| axis.quantity.name());
        let n = self.inner.resolution;
        format!("<carom.Map of {:?} over {x} and {y}, {n} x {n} cells>", self.inner.title)
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        py.import(intern!(py, "carom._html"))?.call_method1(intern!(py, "map"), (slf,))
    }
}

impl Comparison {
    fn of(stated: &Stated) -> PyResult<Self> {
        let inner = study::Comparison::new(&stated.problem).map_err(raise)?;
        Ok(Self { inner: Box::new(inner), title: stated.title.clone() })
    }
}

#[pymethods]
impl Comparison {
    /// The title.
    #[getter]
    fn title(&self) -> &str {
        &self.title
    }

    /// One dictionary per law, with the names of the JSON record.
    #[getter]
    fn laws<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.to_dict(py)?.get_item("laws")
    }

    /// The record of the command, as one line of JSON.
    fn to_json(&self) -> String {
        comparison_json(&self.inner)
    }

    /// The record of the command as a dictionary.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        from_json(py, &self.to_json())
    }

    /// The impulses of all laws, as the figure of the command.
    fn to_svg(&self) -> PyResult<String> {
        figure::impulses_svg(&self.title, &self.inner).map_err(raise)
    }

    fn __repr__(&self) -> String {
        ComparisonText { title: &self.title, comparison: &self.inner }.to_string()
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        py.import(intern!(py, "carom._html"))?.call_method1(intern!(py, "comparison"), (slf,))
    }
}

/// The law's answers over two quantities, with the exact curves that bound its regions.
///
/// problem: as in carom.impact. over: coefficients (restitution and friction), or state (the tangential velocity).
/// resolution: cells along each axis, 2 to 4000. range: as in the command, "MAX", "MIN:MAX" or "MIN:MAX,MIN:MAX".
/// restitution, friction, set: changes of the problem.
#[pyfunction]
#[pyo3(signature = (
    problem, over = "coefficients", *, resolution = 400, range = None, restitution = None, friction = None, set = None
))]
#[allow(clippy::too_many_arguments, reason = "the keywords of a function of Python")]
pub fn map<'py>(
    py: Python<'py>,
    problem: &Bound<'py, PyAny>,
    over: &str,
    resolution: usize,
    range: Option<&str>,
    restitution: Option<Bound<'py, PyAny>>,
    friction: Option<Bound<'py, PyAny>>,
    set: Option<Bound<'py, PyDict>>,
) -> PyResult<Map> {
    let stated = read(problem, false, &Changes { restitution, friction, set, ..Changes::default() })?;
    Map::of(py, &stated, over, resolution, range)
}

/// The answers of all laws to one impact, with the conditions that each obeys.
///
/// problem: as in carom.impact; restitution, friction, set: changes of it.
#[pyfunction]
#[pyo3(signature = (problem, *, restitution = None, friction = None, set = None))]
pub fn compare<'py>(
    problem: &Bound<'py, PyAny>,
    restitution: Option<Bound<'py, PyAny>>,
    friction: Option<Bound<'py, PyAny>>,
    set: Option<Bound<'py, PyDict>>,
) -> PyResult<Comparison> {
    Comparison::of(&*read(problem, false, &Changes { restitution, friction, set, ..Changes::default() })?)
}
