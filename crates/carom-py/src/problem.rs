//! Problems, and the impact of one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use carom::assumed::{self, Wishes};
use carom::document::{Document, Edit, Format, Tree};
use carom::law::{self, Coefficients, Delassus, GeneralizedContact, MatrixView};
use carom::report::Id;
use carom::scene::Scene;
use carom::{gallery as scenes, multibody};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use serde_json::{Map, Value};

use crate::array::Numbers;
use crate::contact::Contact;
use crate::document::{friction, from_json, named, restitution, value};
use crate::error::{argument, raise};
use crate::outcome::{Matrices, Origin, Outcome, wrapped};
use crate::{aligned, study};

/// A problem that was read, and what it was read from.
pub struct Stated {
    pub problem: carom::Problem,
    pub title: String,
    tree: Option<Tree>,
    folder: PathBuf,
    robots: Arc<carom::robots::Robots>,
}

impl Stated {
    pub fn id(&self) -> Id {
        self.tree.as_ref().map_or_else(Id::default, Id::of_tree)
    }

    /// The problem of a tree, with its changes applied.
    pub fn of_tree(
        mut tree: Tree,
        name: &str,
        folder: &Path,
        robots: &Arc<carom::robots::Robots>,
        edits: &[Edit],
    ) -> Result<Self, carom::ProblemError> {
        for edit in edits {
            edit.apply(&mut tree)?;
        }
        let problem = carom::Problem::from_tree_with(&tree, folder, robots)?;
        let title = match problem.scene().and_then(Scene::title) {
            Some(shows) => format!("{name}: {shows}"),
            None => name.to_owned(),
        };
        Ok(Self { problem, title, tree: Some(tree), folder: folder.to_owned(), robots: Arc::clone(robots) })
    }
}

/// An impact problem or a scene: what `impact`, `map`, `compare` and `simulate` take.
#[pyclass(frozen, module = "carom")]
pub struct Problem {
    pub stated: Arc<Stated>,
}

aligned!(Problem);

impl Problem {
    /// A problem without its document.
    pub fn of(problem: carom::Problem, title: &str) -> Self {
        let robots = Arc::new(carom::robots::Robots::new());
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

    /// The contact of a problem with one: its Delassus matrix and velocity, and the curves of its map.
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

    /// Solves the problem: an Outcome, or a SimultaneousOutcome of several contacts.
    fn impact<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let answer = self.stated.problem.answer().map_err(raise)?;
        wrapped(py, answer, Origin::Problem(Arc::clone(&self.stated)))
    }

    /// The law's answers over coefficients or states: see carom.map.
    #[pyo3(signature = (over = "coefficients", *, resolution = 400, range = None))]
    fn map(&self, py: Python<'_>, over: &str, resolution: usize, range: Option<&str>) -> PyResult<study::Map> {
        study::Map::of(py, &self.stated, over, resolution, range)
    }

    /// The answers of all laws: see carom.compare.
    fn compare(&self) -> PyResult<study::Comparison> {
        study::Comparison::of(&self.stated)
    }

    fn __repr__(&self) -> String {
        format!("<carom.Problem {:?}>", self.stated.title)
    }
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
    fn edits(&self) -> PyResult<Vec<Edit>> {
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

/// Reads a problem: one that is read already, a dictionary, the name of a built-in scene, or a file.
pub fn read(source: &Bound<'_, PyAny>, is_simulation: bool, changes: &Changes<'_>) -> PyResult<Arc<Stated>> {
    let edits = changes.edits()?;
    if let Ok(problem) = source.cast::<Problem>() {
        let stated = &problem.get().stated;
        if edits.is_empty() {
            return Ok(Arc::clone(stated));
        }
        let Some(tree) = &stated.tree else {
            return Err(argument(
                "unsupported",
                "set",
                "this problem was not read from a document, and cannot be changed",
            ));
        };
        let name = stated.title.split(": ").next().unwrap_or_default();
        let changed = Stated::of_tree(tree.clone(), name, &stated.folder, &stated.robots, &edits);
        return changed.map(Arc::new).map_err(raise);
    }
    let robots = Arc::new(carom::robots::Robots::new());
    if source.is_instance_of::<PyDict>() {
        let tree = Tree::of(&value(source, "")?).map_err(raise)?;
        return Stated::of_tree(tree, "problem", Path::new(""), &robots, &edits).map(Arc::new).map_err(raise);
    }
    let name = path_text(source, "problem")?;
    let (exhibits, what) = match is_simulation {
        true => (scenes::SIMULATIONS, "simulations"),
        false => (scenes::SCENES, "impacts"),
    };
    if let Some(exhibit) = exhibits.iter().find(|exhibit| exhibit.name == name) {
        let tree = exhibit.tree().map_err(raise)?;
        return Stated::of_tree(tree, &name, Path::new(""), &robots, &edits).map(Arc::new).map_err(raise);
    }
    let path = Path::new(&name);
    let text = multibody::load::check_regular(path).and_then(|()| std::fs::read_to_string(path)).map_err(|error| {
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
    let stated = Stated::of_tree(document.tree().clone(), &name, folder, &robots, &edits);
    stated.map(Arc::new).map_err(|error| raise(if edits.is_empty() { document.locate(error) } else { error }))
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
/// simulation: whether names are those of built-in simulations, not impacts, and a robot file is dropped and not struck.
/// restitution, friction, guard, law: instead of those of the document.
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

/// The law and the guard, or their defaults.
pub fn law_and_guard(law: Option<&str>, guard: Option<&str>) -> PyResult<(law::Law, law::Guard)> {
    let law = law.map_or(Ok(law::Law::default()), |name| named(name, "law", &law::Law::ALL, law::Law::name))?;
    let guard =
        guard.map_or(Ok(law::Guard::default()), |name| named(name, "guard", &law::Guard::ALL, law::Guard::name))?;
    Ok((law, guard))
}

/// Coefficients as arguments; friction may be missing where a contact has dimension 1.
pub fn coefficients(
    given_restitution: Option<&Bound<'_, PyAny>>,
    given_friction: Option<&Bound<'_, PyAny>>,
) -> PyResult<Coefficients> {
    let Some(given) = given_restitution else {
        return Err(argument("missing", "restitution", "restitution is missing: give a number in [0, 1]"));
    };
    Ok(Coefficients { restitution: restitution(given)?, friction: given_friction.map(friction).transpose()? })
}

/// The impact of a contact, or of several that strike simultaneously.
///
/// problem: a Problem, the name of a built-in impact, a file, or a dictionary. Or matrices:
/// delassus, contact_velocity: W [d, d], 1/kg, and the contact velocity [d], m/s, normal first; d is 1, 2 or 3.
/// mass_matrix, contact_jacobian, velocity: M [n, n], A [d, n], normal row first, and the generalized velocity [n].
/// restitution: e in [0, 1], or a dictionary: normal and tangential, or hunt_crossley.
/// friction: mu, or a dictionary with static and dynamic. Not needed for d = 1.
/// contacts: of several contacts, a list of dictionaries with dimension and coefficients.
/// law: aghili (default), aghili-printed, newton, moreau, poisson, stronge, newton-routh, chatterjee-ruina, hunt-crossley.
/// guard: what to do with a stick that creates energy: report (default), limit or slip.
/// set: changes of a document by path.
///
/// Arrays may be of any real dtype and order; they are converted to float64. Returns an Outcome, or a SimultaneousOutcome.
/// Raises CaromError, which names the argument.
#[pyfunction]
#[pyo3(signature = (
    problem = None, *, delassus = None, contact_velocity = None, mass_matrix = None, contact_jacobian = None,
    velocity = None, restitution = None, friction = None, contacts = None, law = None, guard = None, set = None
))]
#[allow(clippy::too_many_arguments, reason = "the keywords of a function of Python")]
pub fn impact<'py>(
    py: Python<'py>,
    problem: Option<Bound<'py, PyAny>>,
    delassus: Option<Bound<'py, PyAny>>,
    contact_velocity: Option<Bound<'py, PyAny>>,
    mass_matrix: Option<Bound<'py, PyAny>>,
    contact_jacobian: Option<Bound<'py, PyAny>>,
    velocity: Option<Bound<'py, PyAny>>,
    restitution: Option<Bound<'py, PyAny>>,
    friction: Option<Bound<'py, PyAny>>,
    contacts: Option<Bound<'py, PyAny>>,
    law: Option<String>,
    guard: Option<String>,
    set: Option<Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    if let (None, Some(w), Some(v), None, None, None, None, None) =
        (&problem, &delassus, &contact_velocity, &mass_matrix, &contact_jacobian, &velocity, &contacts, &set)
    {
        let (law, guard) = law_and_guard(law.as_deref(), guard.as_deref())?;
        let (w, v) = (Numbers::read(w, "delassus")?, Numbers::read(v, "contact_velocity")?);
        let (rows, columns, entries) = w.matrix("delassus")?;
        let delassus = Delassus::new(MatrixView::row_major(rows, columns, entries)).map_err(raise)?;
        let contact = law::Contact::new(delassus, v.vector("contact_velocity")?).map_err(raise)?;
        let coefficients = coefficients(restitution.as_ref(), friction.as_ref())?;
        let outcome = contact.impact_by(law, &coefficients, guard).map_err(raise)?;
        let given = Matrices::ContactSpace { delassus: entries.to_vec(), velocity: v.as_slice().to_vec() };
        return Ok(Bound::new(py, Outcome::new(outcome, Origin::Matrices(Box::new(given))))?.into_any());
    }
    if let (None, None, None, Some(m), Some(a), Some(v), None, None) =
        (&problem, &delassus, &contact_velocity, &mass_matrix, &contact_jacobian, &velocity, &contacts, &set)
    {
        let (law, guard) = law_and_guard(law.as_deref(), guard.as_deref())?;
        let (m, a) = (Numbers::read(m, "mass_matrix")?, Numbers::read(a, "contact_jacobian")?);
        let v = Numbers::read(v, "velocity")?;
        let (rows, columns, mass) = m.matrix("mass_matrix")?;
        let mass_view = MatrixView::row_major(rows, columns, mass);
        let (rows, columns, jacobian) = a.matrix("contact_jacobian")?;
        let jacobian_view = MatrixView::row_major(rows, columns, jacobian);
        let velocity = v.vector("velocity")?;
        let contact = GeneralizedContact::new(mass_view, jacobian_view, velocity).map_err(raise)?;
        let coefficients = coefficients(restitution.as_ref(), friction.as_ref())?;
        let outcome = contact.impact_by(law, &coefficients, guard).map_err(raise)?;
        let given =
            Matrices::Generalized { mass: mass.to_vec(), jacobian: jacobian.to_vec(), velocity: velocity.to_vec() };
        return Ok(Bound::new(py, Outcome::new(outcome, Origin::Matrices(Box::new(given))))?.into_any());
    }
    let matrices = [
        ("delassus", delassus),
        ("contact_velocity", contact_velocity),
        ("mass_matrix", mass_matrix),
        ("contact_jacobian", contact_jacobian),
        ("velocity", velocity),
        ("contacts", contacts),
    ];
    let given: Vec<(&str, Bound<'_, PyAny>)> =
        matrices.into_iter().filter_map(|(key, entry)| Some((key, entry?))).collect();
    let stated = match (problem, given.first()) {
        (Some(_), Some((key, _))) => {
            let message = format!("problem and {key} both give the impact; give only one of them");
            return Err(argument("conflict", key, message));
        }
        (Some(problem), None) => read(&problem, false, &Changes { restitution, friction, guard, law, set })?,
        (None, _) => {
            // A document of matrices: of several contacts, or with something missing, which its reader tells.
            let mut document = Map::new();
            for (key, entry) in &given {
                document.insert((*key).to_owned(), value(entry, key)?);
            }
            for (key, entry) in [("restitution", &restitution), ("friction", &friction)] {
                if let Some(entry) = entry {
                    document.insert(key.to_owned(), value(entry, key)?);
                }
            }
            let tree = Tree::of(&document).map_err(raise)?;
            let robots = Arc::new(carom::robots::Robots::new());
            let edits = Changes { guard, law, set, ..Changes::default() }.edits()?;
            Arc::new(Stated::of_tree(tree, "impact", Path::new(""), &robots, &edits).map_err(raise)?)
        }
    };
    let answer = stated.problem.answer().map_err(raise)?;
    wrapped(py, answer, Origin::Problem(stated))
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
