//! Problems.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use carom::assumed::{self, Wishes};
use carom::document::{Document, Edit, Format, Tree};
use carom::robots::Robots;
use carom::{gallery as scenes, multibody};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use serde_json::Value;

use crate::aligned;
use crate::contact::Contact;
use crate::document::{from_json, value};
use crate::error::{argument, raise};
use crate::stated::Stated;

/// An impact problem or a scene, for `impact`, `map`, `compare` and `simulate`.
#[pyclass(frozen, module = "carom")]
pub struct Problem {
    pub stated: Arc<Stated>,
}

aligned!(Problem);

impl Problem {
    /// A problem without its document.
    pub fn of(problem: carom::Problem, title: &str) -> Self {
        let robots = Arc::new(Robots::new());
        let stated = Stated { problem, title: title.to_owned(), tree: None, folder: PathBuf::new(), robots };
        Self { stated: Arc::new(stated) }
    }
}

#[pymethods]
impl Problem {
    /// The name of the scene or file, and its title.
    #[getter]
    fn title(&self) -> &str {
        &self.stated.title
    }

    /// The number of contacts that strike.
    #[getter]
    fn contact_count(&self) -> usize {
        self.stated.problem.contact_count()
    }

    /// The law.
    #[getter]
    fn law(&self) -> &'static str {
        self.stated.problem.law().name()
    }

    /// The guard.
    #[getter]
    fn guard(&self) -> &'static str {
        self.stated.problem.guard().name()
    }

    /// The generalized velocity before the impact, [nv]; None in contact space.
    #[getter]
    fn velocity<'py>(&self, py: Python<'py>) -> Option<Bound<'py, numpy::PyArray1<f64>>> {
        self.stated.problem.velocity().map(|velocity| crate::array::vector(py, velocity))
    }

    /// The configuration of the robot, [nq]; None for a problem given by matrices.
    #[getter]
    fn configuration<'py>(&self, py: Python<'py>) -> Option<Bound<'py, numpy::PyArray1<f64>>> {
        self.stated.problem.scene().map(|scene| crate::array::vector(py, scene.configuration()))
    }

    /// The contact of a problem with a single contact: its Delassus matrix and velocity, and the curves of its map.
    #[getter]
    fn contact(&self) -> PyResult<Contact> {
        self.stated.problem.contact().map(Contact::of).map_err(raise)
    }

    /// The document that the problem was read from.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.stated.tree {
            Some(tree) => from_json(py, &tree.to_string()),
            None => Err(argument("missing", "problem", "this problem was not read from a document")),
        }
    }

    /// Solves the problem. Returns an Outcome, or a SimultaneousOutcome for several contacts.
    fn impact<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        module(slf.py())?.call_method1(intern!(slf.py(), "impact"), (slf,))
    }

    /// The law's answers over coefficients or states: see carom.map.
    #[pyo3(signature = (over = "coefficients", *, resolution = 400, range = None))]
    fn map<'py>(
        slf: &Bound<'py, Self>,
        over: &str,
        resolution: usize,
        range: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let keywords = PyDict::new(slf.py());
        keywords.set_item("resolution", resolution)?;
        keywords.set_item("range", range)?;
        module(slf.py())?.call_method(intern!(slf.py(), "map"), (slf, over), Some(&keywords))
    }

    /// The answers of all laws: see carom.compare.
    fn compare<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        module(slf.py())?.call_method1(intern!(slf.py(), "compare"), (slf,))
    }

    fn __repr__(&self) -> String {
        format!("<carom.Problem {:?}>", self.stated.title)
    }
}

/// The extension module itself, through which modules that use this one are called by name.
fn module(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    py.import(intern!(py, "carom._carom"))
}

/// Changes of a problem: coefficients, guard and law by name, others by path.
#[derive(Default)]
pub struct Changes<'py> {
    pub restitution: Option<Bound<'py, PyAny>>,
    pub friction: Option<Bound<'py, PyAny>>,
    pub guard: Option<String>,
    pub law: Option<String>,
    pub set: Option<Bound<'py, PyDict>>,
}

impl Changes<'_> {
    pub fn edits(&self) -> PyResult<Vec<Edit>> {
        let mut edits = Vec::new();
        let mut push = |path: &str, value: &Value| {
            let edit = format!("{path}={value}").parse::<Edit>();
            edit.map(|edit| edits.push(edit)).map_err(|error| argument("unknown_key", path, error))
        };
        for (key, entry) in self.set.iter().flat_map(|set| set.iter()) {
            let key = key.cast::<PyString>().map_err(PyErr::from)?.to_string();
            push(&key, &value(&entry, &key)?)?;
        }
        for (key, entry) in [("restitution", &self.restitution), ("friction", &self.friction)] {
            if let Some(entry) = entry {
                push(key, &value(entry, key)?)?;
            }
        }
        for (key, entry) in [("guard", &self.guard), ("law", &self.law)] {
            if let Some(entry) = entry {
                push(key, &Value::String(entry.clone()))?;
            }
        }
        Ok(edits)
    }
}

/// The source of a problem: a document, and the folder of its files.
pub struct DocumentSource {
    pub tree: Tree,
    pub name: String,
    pub folder: PathBuf,
    pub robots: Arc<Robots>,
    /// The text that the tree was read from, for the lines of errors.
    text: Option<(String, Format)>,
}

impl DocumentSource {
    fn new(tree: Tree, name: &str, folder: &Path, robots: &Arc<Robots>) -> Self {
        Self { tree, name: name.to_owned(), folder: folder.to_owned(), robots: Arc::clone(robots), text: None }
    }

    /// The document of an existing problem, a dictionary, a built-in scene, or a file.
    pub fn find(source: &Bound<'_, PyAny>, is_simulation: bool) -> PyResult<Self> {
        if let Ok(problem) = source.cast::<Problem>() {
            let stated = &problem.get().stated;
            let Some(tree) = &stated.tree else {
                let message = "this problem was not read from a document, and cannot be changed";
                return Err(argument("unsupported", "set", message));
            };
            let name = stated.title.split(": ").next().unwrap_or_default();
            return Ok(Self::new(tree.clone(), name, &stated.folder, &stated.robots));
        }
        let robots = Arc::new(Robots::new());
        if source.is_instance_of::<PyDict>() {
            let tree = Tree::of(&value(source, "")?).map_err(raise)?;
            return Ok(Self::new(tree, "problem", Path::new(""), &robots));
        }
        let name = path_text(source, "problem")?;
        let (exhibits, what) = match is_simulation {
            true => (scenes::SIMULATIONS, "simulations"),
            false => (scenes::SCENES, "impacts"),
        };
        if let Some(exhibit) = exhibits.iter().find(|exhibit| exhibit.name == name) {
            return Ok(Self::new(exhibit.tree().map_err(raise)?, &name, Path::new(""), &robots));
        }
        let path = Path::new(&name);
        let text =
            multibody::load::check_regular(path).and_then(|()| std::fs::read_to_string(path)).map_err(|error| {
                let known: Vec<&str> = exhibits.iter().map(|exhibit| exhibit.name).collect();
                let hint = match error.kind() {
                    std::io::ErrorKind::NotFound => format!("; the built-in {what} are {}", known.join(", ")),
                    _ => String::new(),
                };
                argument("file", "problem", format!("{name} cannot be read: {error}{hint}"))
            })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let (text, format) = if assumed::is_robot(&text) {
            let wishes = Wishes { is_impact: !is_simulation, ..Wishes::default() };
            (assumed::scene_of_robot(path, &wishes).map_err(raise)?, Format::Toml)
        } else {
            let format = Format::guess(&name, &text);
            (text, format)
        };
        let document = Document::read(&text, format).map_err(raise)?;
        let found = Self::new(document.tree().clone(), &name, folder, &robots);
        Ok(Self { text: Some((text, format)), ..found })
    }

    /// The problem with its changes.
    fn read(self, edits: &[Edit]) -> PyResult<Arc<Stated>> {
        let stated = Stated::of_tree(self.tree, &self.name, &self.folder, &self.robots, edits);
        stated.map(Arc::new).map_err(|error| match &self.text {
            Some((text, format)) if edits.is_empty() => match Document::read(text, *format) {
                Ok(document) => raise(document.locate(error)),
                Err(_) => raise(error),
            },
            _ => raise(error),
        })
    }
}

/// Reads a problem from an existing problem, a dictionary, the name of a built-in scene, or a file.
pub fn read(source: &Bound<'_, PyAny>, is_simulation: bool, changes: &Changes<'_>) -> PyResult<Arc<Stated>> {
    let edits = changes.edits()?;
    if let Ok(problem) = source.cast::<Problem>()
        && edits.is_empty()
    {
        return Ok(Arc::clone(&problem.get().stated));
    }
    DocumentSource::find(source, is_simulation)?.read(&edits)
}

/// A path, or text.
pub fn path_text(source: &Bound<'_, PyAny>, field: &str) -> PyResult<String> {
    match value(source, field)? {
        Value::String(text) => Ok(text),
        _ => {
            let kind = source.get_type().qualname()?.to_string();
            let message = format!("{field}: a {kind} is not a problem, a dictionary, a name or a path");
            Err(argument("wrong_type", field, message))
        }
    }
}

/// A problem or scene.
///
/// source: the name of a built-in scene (`carom.gallery()`), a file in JSON or TOML, a robot file, a dictionary, or a Problem.
/// simulation: names are those of built-in simulations, not impacts, and a robot file alone is dropped, not struck.
/// restitution, friction, guard, law: used in place of those of the document.
/// set: other changes by path, such as {"state.velocity.elbow": 0.3}.
///
/// Raises CaromError with the kind, the field and the line.
#[pyfunction]
#[pyo3(signature = (source, *, simulation = false, restitution = None, friction = None, guard = None, law = None, set = None))]
pub fn problem<'py>(
    source: &Bound<'py, PyAny>,
    simulation: bool,
    restitution: Option<Bound<'py, PyAny>>,
    friction: Option<Bound<'py, PyAny>>,
    guard: Option<String>,
    law: Option<String>,
    set: Option<Bound<'py, PyDict>>,
) -> PyResult<Problem> {
    let changes = Changes { restitution, friction, guard, law, set };
    Ok(Problem { stated: read(source, simulation, &changes)? })
}

/// The built-in scenes: a list of dictionaries with name, kind (impact or simulation) and title.
#[pyfunction]
pub fn gallery(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    from_json(py, &scenes::list_json(scenes::SCENES, scenes::SIMULATIONS))
}

/// The built-in robots and mechanisms: a dictionary from names to descriptions.
#[pyfunction]
pub fn models(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let names = PyDict::new(py);
    for model in carom::models::MODELS {
        names.set_item(PyString::intern(py, model.name), model.summary)?;
    }
    Ok(names)
}
