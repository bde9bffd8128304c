//! Robots and their impacts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use carom::document::{Tree, did_you_mean};
use carom::multibody::JointKind;
use carom::multibody::load::{Mimics, Options, RobotFormat, format_of};
use carom::report::ModelText;
use carom::robots::{ModelSource, Robots};
use carom::{assumed, models};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Map, Value, json};

use crate::aligned;
use crate::array::{Numbers, rows, vector};
use crate::batch::{self, Batch};
use crate::contact::Contact;
use crate::convention::{converted, layout};
use crate::document::{coefficients, law_and_guard, value};
use crate::error::{argument, raise};
use crate::loaded::{Loaded, Prepared, place};
use crate::outcome::{Origin, wrapped};
use crate::problem::{Problem, path_text};
use crate::stated::Stated;
use crate::struck::Struck;

/// A robot, read from a file, from text, or built in.
#[pyclass(frozen, module = "carom")]
pub struct Robot {
    inner: Arc<Loaded>,
}

aligned!(Robot);

/// A robot: see carom.load.
#[pyfunction]
#[pyo3(signature = (source, *, floating_base = false, mimics = "follow", folder = None))]
pub fn load(source: &Bound<'_, PyAny>, floating_base: bool, mimics: &str, folder: Option<PathBuf>) -> PyResult<Robot> {
    let text = path_text(source, "source")?;
    let mimics_of = match mimics {
        "follow" => Mimics::Follow,
        "free" => Mimics::Free,
        other => {
            return Err(argument("unknown_name", "mimics", format!("mimics = {other:?} is not one of follow, free")));
        }
    };
    let options = Options::new().floating_base(floating_base).mimics(mimics_of);
    let mut stated = Map::new();
    let (source, options, robots, title) = if let Some(built_in) = models::find(&text) {
        stated.insert("builtin".to_owned(), text.clone().into());
        (ModelSource::BuiltIn(built_in.name), options, Robots::new(), text)
    } else if assumed::is_robot(&text) {
        let (key, format, file) = match () {
            () if text.contains("<robot") => ("urdf", RobotFormat::Urdf, "robot.urdf"),
            () if text.contains("<sdf") => ("sdf", RobotFormat::Sdf, "robot.sdf"),
            () => ("mjcf", RobotFormat::Mjcf, "robot.xml"),
        };
        let path = folder.unwrap_or_default().join(file);
        stated.insert(key.to_owned(), path.to_string_lossy().into_owned().into());
        let robots = Robots::new().with_text(&path, text);
        (ModelSource::File(path), options.format(format), robots, "robot".to_owned())
    } else {
        let path = PathBuf::from(&text);
        if !path.exists() {
            let names: Vec<&str> = models::MODELS.iter().map(|model| model.name).collect();
            let hint = did_you_mean(&text, names.iter().copied());
            let message = format!(
                "{text} is neither a file nor a built-in model{hint}; the built-in models are {}",
                names.join(", ")
            );
            return Err(argument("file", "source", message));
        }
        let (key, format) = match format_of(&path).map_err(raise)? {
            RobotFormat::Urdf => ("urdf", RobotFormat::Urdf),
            RobotFormat::Mjcf => ("mjcf", RobotFormat::Mjcf),
            RobotFormat::Sdf => ("sdf", RobotFormat::Sdf),
        };
        // Scenes of this robot do not depend on the current folder.
        let path = path.canonicalize().unwrap_or(path);
        stated.insert(key.to_owned(), path.to_string_lossy().into_owned().into());
        (ModelSource::File(path), options.format(format), Robots::new(), text)
    };
    if mimics_of == Mimics::Free {
        stated.insert("mimics".to_owned(), mimics.into());
    }
    let mut document = Map::new();
    document.insert("model".to_owned(), Value::Object(stated));
    if floating_base {
        document.insert("base".to_owned(), json!({ "floating": true }));
    }
    let loaded = robots.load(&source, &options).map_err(raise)?;
    let floats = loaded.joints().iter().any(|joint| joint.joint.kind == JointKind::Floating);
    let model = if floats { loaded } else { robots.load_at_origin(&source, &options).map_err(raise)? };
    Ok(Robot { inner: Arc::new(Loaded::new(model, robots, document, title)) })
}

#[pymethods]
impl Robot {
    /// The name in the file.
    #[getter]
    fn name(&self) -> &str {
        self.inner.model.name()
    }

    /// The length of a configuration.
    #[getter]
    fn nq(&self) -> usize {
        self.inner.model.nq()
    }

    /// The length of a velocity.
    #[getter]
    fn nv(&self) -> usize {
        self.inner.model.nv()
    }

    /// The mass of all links that move, kg.
    #[getter]
    fn mass(&self) -> f64 {
        self.inner.model.moving_mass()
    }

    /// The home configuration, [nq].
    #[getter]
    fn home<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        vector(py, self.inner.model.home())
    }

    /// The acceleration of gravity in world axes, m/s^2, [3].
    #[getter]
    fn gravity<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        vector(py, &self.inner.model.gravity().to_array())
    }

    /// The joints that have a state of their own, in order.
    #[getter]
    fn joint_names(&self) -> Vec<&str> {
        let joints = self.inner.model.joints().iter();
        let moving = joints.filter(|joint| joint.joint.mimic.is_none() && !joint.velocities.is_empty());
        moving.map(|joint| joint.joint.name.as_str()).collect()
    }

    /// The names of the coordinates, in order.
    #[getter]
    fn coordinate_names(&self) -> Vec<String> {
        self.inner.model.coordinate_names()
    }

    /// The names of the velocities, in order.
    #[getter]
    fn velocity_names(&self) -> Vec<String> {
        self.inner.model.velocity_names()
    }

    /// The links, without the world.
    #[getter]
    fn link_names(&self) -> Vec<&str> {
        self.inner.model.links().iter().skip(1).map(|link| link.name.as_str()).collect()
    }

    /// The frames and sites.
    #[getter]
    fn frame_names(&self) -> Vec<&str> {
        self.inner.model.frames().iter().map(|frame| frame.name.as_str()).collect()
    }

    /// The collision shapes that have a name.
    #[getter]
    fn shape_names(&self) -> Vec<&str> {
        let shapes = self.inner.model.links().iter().flat_map(|link| &link.shapes);
        shapes.filter_map(|shape| shape.name.as_deref()).collect()
    }

    /// The keyframes of the file: from names to (q, v).
    #[getter]
    fn keyframes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let model = &self.inner.model;
        let keyframes = PyDict::new(py);
        for (name, keyframe) in model.keyframe_names().into_iter().zip(model.keyframes()) {
            keyframes.set_item(name, (vector(py, &keyframe.configuration), vector(py, &keyframe.velocity)))?;
        }
        Ok(keyframes)
    }

    /// Whether the file has a plane that can be touched.
    #[getter]
    fn has_surface(&self) -> bool {
        !carom::multibody::half_spaces(&self.inner.model).is_empty()
    }

    /// Warnings about the file, as texts.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.inner.model.warnings().iter().map(ToString::to_string).collect()
    }

    fn __repr__(&self) -> String {
        let model = &*self.inner.model;
        let (at_home, simulated) = (models::fault_at_home(model), Ok(models::warnings_at_home(model)));
        ModelText { title: &self.inner.title, model, at_home, simulated: &simulated, all: false }.to_string()
    }

    /// The mass matrix M(q), [nv, nv].
    fn mass_matrix<'py>(&self, py: Python<'py>, q: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (q, nv) = (Numbers::read(q, "q")?, self.inner.model.nv());
        let mut dynamics = self.inner.dynamics(q.vector("q")?, &vec![0.0; nv])?;
        rows(py, dynamics.mass_matrix().as_slice().to_vec(), nv, nv)
    }

    /// The kinetic energy, J, of q [nq] and v [nv].
    fn kinetic_energy(&self, q: &Bound<'_, PyAny>, v: &Bound<'_, PyAny>) -> PyResult<f64> {
        let (q, v) = (Numbers::read(q, "q")?, Numbers::read(v, "v")?);
        Ok(self.inner.dynamics(q.vector("q")?, v.vector("v")?)?.kinetic_energy())
    }

    /// The potential energy of gravity, J.
    fn potential_energy(&self, q: &Bound<'_, PyAny>) -> PyResult<f64> {
        let q = Numbers::read(q, "q")?;
        Ok(self.inner.dynamics(q.vector("q")?, &vec![0.0; self.inner.model.nv()])?.potential_energy())
    }

    /// The bias forces h(q, v), [nv]: M a + h = forces.
    fn bias<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (q, v) = (Numbers::read(q, "q")?, Numbers::read(v, "v")?);
        Ok(vector(py, self.inner.dynamics(q.vector("q")?, v.vector("v")?)?.bias()))
    }

    /// The contact in a state: its Delassus matrix and velocity. contact, normal and surface as in `impact`.
    #[pyo3(signature = (q, v, contact, normal = None, *, surface = None))]
    fn contact(
        &self,
        q: &Bound<'_, PyAny>,
        v: &Bound<'_, PyAny>,
        contact: &Bound<'_, PyAny>,
        normal: Option<&Bound<'_, PyAny>>,
        surface: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Contact> {
        let (q, v) = (Numbers::read(q, "q")?, Numbers::read(v, "v")?);
        let place = place(contact, normal, surface, None)?;
        self.inner.with_prepared(place, |prepared| {
            prepared.sample.configuration = q.vector("q")?.to_vec();
            prepared.sample.velocity = v.vector("v")?.to_vec();
            let problem = prepared.scene.problem(&prepared.sample).map_err(raise)?;
            problem.contact().map(Contact::of).map_err(raise)
        })
    }

    /// The impact of the robot in a state.
    ///
    /// q, v: configuration [nq] and velocity before [nv]. The velocities of a floating base are in the axes of its link, linear first;
    ///     quaternions are (w, x, y, z): see from_mujoco and from_pinocchio.
    /// contact: the name of a link or frame, whose origin touches, or of a collision shape; a dictionary as in scenes, such as
    ///     {"link": "FL_foot", "point": [0, 0, -0.02]} or {"link": "FL_foot", "shape": "all"}; or a list of these, which strike
    ///     together.
    /// normal: the outward normal of the surface in world axes, [3]; (0, 0, 1) by default.
    /// restitution, friction, law, guard: as in carom.impact; friction is that of the file if it is not given.
    /// surface: instead of the normal a dictionary with normal and point, m, which gives the gap.
    /// strike: the names of the contacts that strike, if they are not those that touch.
    ///
    /// Returns an Outcome, or a SimultaneousOutcome of several contacts.
    #[pyo3(signature = (
        q, v, contact, normal = None, *, restitution, friction = None, law = None, guard = None, surface = None,
        strike = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "the keywords of a method of Python")]
    fn impact<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        contact: &Bound<'py, PyAny>,
        normal: Option<&Bound<'py, PyAny>>,
        restitution: &Bound<'py, PyAny>,
        friction: Option<&Bound<'py, PyAny>>,
        law: Option<&str>,
        guard: Option<&str>,
        surface: Option<&Bound<'py, PyAny>>,
        strike: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (q, v) = (Numbers::read(q, "q")?, Numbers::read(v, "v")?);
        let (law, guard) = law_and_guard(law, guard)?;
        let coefficients = coefficients(Some(restitution), friction)?;
        let place = place(contact, normal, surface, strike)?;
        let (answer, struck) = self.inner.with_prepared(place, |prepared| {
            let Prepared { scene, sample, striker, .. } = prepared;
            (sample.law, sample.guard, sample.coefficients) = (law, guard, coefficients);
            replace(&mut sample.configuration, q.vector("q")?);
            replace(&mut sample.velocity, v.vector("v")?);
            let answer = striker.strike(sample).map_err(raise)?;
            let struck =
                Struck { scene: Arc::clone(scene), sample: sample.clone(), title: Arc::clone(&self.inner.title) };
            Ok((answer, struck))
        })?;
        wrapped(py, answer, Origin::State(Box::new(struck)))
    }

    /// The impacts of the robot in many states, on all cores.
    ///
    /// q, v: [N, nq] and [N, nv], or [nq] or [nv] for all. restitution, friction: numbers or arrays [N], or dictionaries of these.
    /// threads: the number of threads; all cores by default. The answers do not depend on it.
    /// Other arguments as in `impact`; one contact strikes in all states. Returns a Batch.
    #[pyo3(signature = (
        q, v, contact, normal = None, *, restitution, friction = None, law = None, guard = None, surface = None,
        strike = None, threads = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "the keywords of a method of Python")]
    fn impact_batch<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        contact: &Bound<'py, PyAny>,
        normal: Option<&Bound<'py, PyAny>>,
        restitution: &Bound<'py, PyAny>,
        friction: Option<&Bound<'py, PyAny>>,
        law: Option<&str>,
        guard: Option<&str>,
        surface: Option<&Bound<'py, PyAny>>,
        strike: Option<&Bound<'py, PyAny>>,
        threads: Option<usize>,
    ) -> PyResult<Batch> {
        let (law, guard) = law_and_guard(law, guard)?;
        let place = place(contact, normal, surface, strike)?;
        let (scene, mut sample) = self.inner.with_prepared(place, |prepared| {
            let sample = prepared.scene.sample();
            Ok((Arc::clone(&prepared.scene), sample))
        })?;
        (sample.law, sample.guard) = (law, guard);
        batch::of_states(py, &scene, &sample, [(q, "q"), (v, "v")], restitution, friction, threads)
    }

    /// A scene of this robot: the keys of a document without model, such as contacts=[...], surface={...}, restitution=0.5.
    #[pyo3(signature = (**keys))]
    fn problem(&self, keys: Option<&Bound<'_, PyDict>>) -> PyResult<Problem> {
        let mut document = self.inner.document.clone();
        if let Some(keys) = keys {
            let Value::Object(given) = value(keys.as_any(), "")? else {
                return Err(argument("wrong_type", "keys", "keys"));
            };
            for (key, entry) in given {
                let entry = match (key.as_str(), entry) {
                    ("contacts", Value::Array(list)) => {
                        let read =
                            |entry: Value| entry.as_str().map_or(Ok(entry.clone()), |name| self.inner.contact(name));
                        Value::Array(list.into_iter().map(read).collect::<PyResult<_>>()?)
                    }
                    ("contact", Value::String(name)) => self.inner.contact(&name)?,
                    (_, entry) => entry,
                };
                match (key.as_str(), entry, document.get_mut("base")) {
                    ("model", ..) => {
                        return Err(argument("conflict", "model", "the model is the robot itself"));
                    }
                    ("base", Value::Object(entry), Some(Value::Object(base))) => base.extend(entry),
                    (_, entry, _) => {
                        document.insert(key, entry);
                    }
                }
            }
        }
        let tree = Tree::of(&document).map_err(raise)?;
        let stated = Stated::of_tree(tree, &self.inner.title, Path::new(""), &self.inner.robots, &[]);
        Ok(Problem { stated: Arc::new(stated.map_err(raise)?) })
    }

    /// q and v of a state of MuJoCo: qpos [nq] and qvel [nv], or rows of these.
    ///
    /// MuJoCo has the linear velocity of a free joint in world axes, carom in the axes of the link; all else is the same. The robot is
    /// that of the same MJCF file: joints are in the same order.
    #[pyo3(signature = (qpos, qvel))]
    #[allow(clippy::wrong_self_convention, reason = "a name of Python: the robot converts")]
    fn from_mujoco<'py>(
        &self,
        py: Python<'py>,
        qpos: &Bound<'py, PyAny>,
        qvel: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let model = &self.inner.model;
        converted(py, [(qpos, "qpos"), (qvel, "qvel")], |q, v| model.read_mujoco_state(q, v).map_err(raise))
    }

    /// qpos and qvel of MuJoCo for q [nq] and v [nv], or rows of these: see from_mujoco.
    fn to_mujoco<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let model = &self.inner.model;
        converted(py, [(q, "q"), (v, "v")], |q, v| model.mujoco_state(q, v).map_err(raise))
    }

    /// q and v of a state of Pinocchio.
    ///
    /// model: the `pinocchio.Model` of the same robot; joints are found by their names. q, v: [model.nq] and [model.nv], or rows.
    /// Pinocchio has other orders of joints and quaternions (x, y, z, w), angles without limits as cosine and sine, and joints that
    /// mimic others as coordinates.
    #[allow(clippy::wrong_self_convention, reason = "a name of Python: the robot converts")]
    fn from_pinocchio<'py>(
        &self,
        py: Python<'py>,
        model: &Bound<'py, PyAny>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let layout = layout(&self.inner.model, model)?;
        converted(py, [(q, "q"), (v, "v")], |q, v| layout.read(q, v).map_err(raise))
    }

    /// q and v of Pinocchio for q [nq] and v [nv], or rows of these: see from_pinocchio.
    fn to_pinocchio<'py>(
        &self,
        py: Python<'py>,
        model: &Bound<'py, PyAny>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let layout = layout(&self.inner.model, model)?;
        converted(py, [(q, "q"), (v, "v")], |q, v| layout.write(q, v).map_err(raise))
    }
}

fn replace(target: &mut Vec<f64>, numbers: &[f64]) {
    target.clear();
    target.extend_from_slice(numbers);
}
