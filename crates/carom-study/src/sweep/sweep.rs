//! A checked plan, ready to be computed in any order and in any parts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use carom_law::ErrorKind;
use carom_scene::document::{Edit, Kind, Tree};
use carom_scene::prepared::{PreparedScene, Variable};
use carom_scene::robots::{ModelSource, Robots};
use carom_scene::{Answer, Problem, ProblemError};
use carom_sim::Simulation;
use hmac_sha256::Hash;
use serde_json::json;

use super::error::SweepError;
use super::impacts::{ContactShape, ImpactColumn, ImpactShape};
use super::plan::{Plan, SampleKind, sorted};
use super::runs::{RunColumn, RunShape, Slot, default_columns};
use super::table::{ColumnHeader, ValueKind};
use super::value::Setting;

/// A checked plan. Threads share it; each has a [`Worker`](super::Worker).
#[derive(Debug)]
pub struct Sweep {
    pub(super) plan: Plan,
    pub(super) folder: PathBuf,
    pub(super) robots: Arc<Robots>,
    pub(super) engine: Engine,
    rows: u64,
    headers: Vec<ColumnHeader>,
    document: String,
    digest: String,
}

/// How samples are computed.
#[derive(Debug)]
pub(super) enum Engine {
    /// Every key is a number of the state or a coefficient: the scene is read once.
    Prepared { scene: Arc<PreparedScene>, variables: Vec<Variable>, columns: Vec<ImpactColumn> },
    /// The document is read for each sample.
    Document { columns: Vec<ImpactColumn> },
    /// Simulations, whose document is read for each sample.
    Runs { columns: Vec<RunColumn>, slots: Vec<Slot> },
}

impl Plan {
    /// Checks the plan and reads its robot. Paths of robot files are relative to `folder`.
    ///
    /// # Errors
    /// A key, a column or a number of samples that is wrong for all samples, or a robot that cannot be read.
    pub fn prepare(&self, folder: &Path, robots: &Arc<Robots>) -> Result<Sweep, SweepError> {
        Sweep::new(self, folder, robots)
    }
}

impl Sweep {
    fn new(plan: &Plan, folder: &Path, robots: &Arc<Robots>) -> Result<Self, SweepError> {
        let rows = plan.rows()?;
        check_keys(plan)?;
        let (tree, problem) = probe(plan, folder, robots)?;
        let (engine, names) = match plan.kind {
            SampleKind::Impact => impacts(plan, &tree, &problem, folder, robots)?,
            SampleKind::Simulation => runs(plan, &problem)?,
        };
        let key = |name: &str, kind| ColumnHeader { name: name.to_owned(), kind, is_complete: true };
        let mut headers = vec![key("sample", ValueKind::Integer)];
        headers.extend(plan.vary.iter().map(|axis| key(axis.key(), axis.kind())));
        headers.extend(plan.random.iter().map(|draw| key(draw.key(), draw.kind())));
        headers.extend(names.into_iter().map(|(name, kind)| ColumnHeader { name, kind, is_complete: false }));
        headers.push(ColumnHeader { name: "error".to_owned(), kind: ValueKind::Word, is_complete: false });
        for (k, header) in headers.iter().enumerate() {
            if headers[..k].iter().any(|other| other.name == header.name) {
                return Err(SweepError::ColumnTwice { name: header.name.clone() });
            }
        }
        let mut sweep = Self {
            plan: plan.clone(),
            folder: folder.to_owned(),
            robots: Arc::clone(robots),
            engine,
            rows,
            headers,
            document: String::new(),
            digest: String::new(),
        };
        sweep.document = sweep.describe(&problem)?;
        sweep.digest = hex(&Hash::hash(sweep.document.as_bytes()));
        Ok(sweep)
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The number of rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Whether the document is read once, not for each sample, because every key is a coefficient or a number of the
    /// state: then an impact takes microseconds.
    pub fn is_read_once(&self) -> bool {
        matches!(self.engine, Engine::Prepared { .. })
    }

    /// The columns: the sample's number, the varied keys, the random keys, the requested columns, and the error of
    /// samples that have no answer.
    pub fn columns(&self) -> &[ColumnHeader] {
        &self.headers
    }

    /// The identity of the rows, as a JSON document on one line: the plan, with the names of its columns and the
    /// SHA-256 of each file of the robot. Sweeps with the same document have the same rows, for one version of carom
    /// and one [instruction set](carom_sim::instruction_set).
    pub fn document(&self) -> &str {
        &self.document
    }

    /// The SHA-256 of [`Sweep::document`], in hexadecimal digits.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The values of the keys at a sample, in the order of their columns.
    pub(super) fn settings<'s>(&'s self, sample: u64, settings: &mut Vec<Setting<'s>>) {
        settings.clear();
        let mut point = sample / self.plan.samples;
        // The last axis varies fastest: indices are found from the back.
        for axis in self.plan.vary.iter().rev() {
            settings.push(axis.setting(point % axis.count()));
            point /= axis.count();
        }
        settings.reverse();
        settings.extend(self.plan.random.iter().map(|draw| draw.setting(self.plan.seed, sample)));
    }

    fn describe(&self, problem: &Problem) -> Result<String, SweepError> {
        let mut plan: serde_json::Value = serde_json::from_str(&self.plan.to_json()).unwrap_or_default();
        let names: Vec<&str> = self.headers.iter().map(|header| header.name.as_str()).collect();
        plan["columns"] = json!(names);
        plan["robot_files"] = json!(self.robot_files(problem)?);
        Ok(sorted(plan).to_string())
    }

    /// Names and hashes of the files of every robot of the sweep.
    fn robot_files(&self, problem: &Problem) -> Result<Vec<[String; 2]>, SweepError> {
        let mut files: Vec<PathBuf> = Vec::new();
        let mut add = |problem: &Problem| {
            let Some(scene) = problem.scene() else { return };
            // A robot given as text has no file of its own.
            if let ModelSource::File(path) = scene.source()
                && self.robots.text(path).is_some()
            {
                files.push(path.clone());
            }
            files.extend(scene.model().files().iter().cloned());
        };
        add(problem);
        // If the robot itself varies, the files of all robots count. One that cannot be read gives rows with an error.
        let plan = &self.plan;
        let lists = plan.vary.iter().map(|axis| (axis.key(), axis.listed()));
        let choices = plan.random.iter().map(|draw| (draw.key(), draw.listed()));
        for (key, values) in lists.chain(choices).filter(|(key, _)| key.starts_with("model")) {
            for value in values {
                let mut tree = plan.scene.clone();
                let changed = Edit::new(key, value).is_ok_and(|edit| edit.apply(&mut tree).is_ok());
                if changed && let Ok(problem) = Problem::from_tree_with(&tree, &self.folder, &self.robots) {
                    add(&problem);
                }
            }
        }
        let mut hashed = Vec::new();
        for path in files {
            let read = || std::fs::read(&path);
            let bytes = self.robots.text(&path).map_or_else(read, |text| Ok(text.as_bytes().to_vec()));
            let bytes = bytes.map_err(|error| SweepError::RobotFile {
                path: path.display().to_string(),
                error: error.to_string(),
            })?;
            let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
            hashed.push([name, hex(&Hash::hash(&bytes))]);
        }
        hashed.sort();
        hashed.dedup();
        Ok(hashed)
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Rejects keys that are set twice.
fn check_keys(plan: &Plan) -> Result<(), SweepError> {
    let keys: Vec<&str> =
        plan.vary.iter().map(|axis| axis.key()).chain(plan.random.iter().map(|draw| draw.key())).collect();
    for (k, key) in keys.iter().enumerate() {
        // Any value will do: only the paths are compared.
        let Ok(edit) = Edit::new(key, &0) else { continue };
        if let Some(other) = keys[..k].iter().find(|other| edit.touches(other)) {
            return Err(SweepError::SetTwice { one: (*other).to_owned(), other: (*key).to_owned() });
        }
    }
    Ok(())
}

/// Whether an error is in the document itself, so that no value of a key removes it.
fn is_of_document(error: &ProblemError) -> bool {
    match error.kind {
        Kind::Law(kind) => matches!(kind, ErrorKind::Missing | ErrorKind::Shape | ErrorKind::Unsupported),
        _ => true,
    }
}

/// The document with the values of the first sample, or the scene's own where these are out of range.
fn probe(plan: &Plan, folder: &Path, robots: &Arc<Robots>) -> Result<(Tree, Problem), SweepError> {
    let keys = plan.vary.iter().map(|axis| (axis.key(), axis.setting(0)));
    let draws = plan.random.iter().map(|draw| (draw.key(), draw.setting(plan.seed, 0)));
    let mut tree = plan.scene.clone();
    for (key, setting) in keys.chain(draws) {
        let edit = edit(key, setting)?;
        edit.apply(&mut tree).map_err(|error| wrong_key(key, error))?;
        // Each key alone, to find the wrong one. An error of the scene itself is reported below.
        let mut alone = plan.scene.clone();
        edit.apply(&mut alone).map_err(|error| wrong_key(key, error))?;
        if let Err(error) = Problem::from_tree_with(&alone, folder, robots)
            && is_of_document(&error)
            && error.field.as_deref().is_some_and(|field| edit.touches(field))
        {
            return Err(wrong_key(key, error));
        }
    }
    match Problem::from_tree_with(&tree, folder, robots) {
        Ok(problem) => Ok((tree, problem)),
        Err(error) if is_of_document(&error) => Err(error.into()),
        Err(_) => {
            let problem = Problem::from_tree_with(&plan.scene, folder, robots)?;
            Ok((plan.scene.clone(), problem))
        }
    }
}

fn wrong_key(key: &str, error: ProblemError) -> SweepError {
    SweepError::Key { key: key.to_owned(), error: Box::new(error) }
}

/// The change of a key to a value.
pub(super) fn edit(key: &str, setting: Setting<'_>) -> Result<Edit, ProblemError> {
    let edit = match setting {
        Setting::Number(number) => Edit::new(key, &number),
        Setting::Data(value) => Edit::new(key, value),
    };
    edit.map_err(|message| ProblemError::at(Kind::WrongType, key, message))
}

type Named = Vec<(String, ValueKind)>;

fn impacts(
    plan: &Plan,
    tree: &Tree,
    problem: &Problem,
    folder: &Path,
    robots: &Arc<Robots>,
) -> Result<(Engine, Named), SweepError> {
    let prepared = problem.scene().map(|_| PreparedScene::from_tree(tree, folder, robots).map(Arc::new)).transpose()?;
    let shape = match &prepared {
        Some(prepared) => shape_of_scene(prepared),
        None => shape_of_matrices(problem)?,
    };
    let default = shape.default_columns();
    let requested = if plan.columns.is_empty() { &default } else { &plan.columns };
    let (names, columns): (Vec<_>, Vec<_>) =
        shape.columns(requested)?.into_iter().map(|(name, column)| ((name, column.kind()), column)).unzip();
    let variables = prepared.as_ref().and_then(|prepared| variables(plan, prepared));
    let engine = match (prepared, variables) {
        (Some(scene), Some(variables)) => Engine::Prepared { scene, variables, columns },
        _ => Engine::Document { columns },
    };
    Ok((engine, names))
}

/// The numbers of a sample that the keys set, if each key is a number of the state or a coefficient, with numbers as
/// its values.
fn variables(plan: &Plan, scene: &PreparedScene) -> Option<Vec<Variable>> {
    let keys = plan.vary.iter().map(|axis| (axis.key(), axis.kind()));
    let draws = plan.random.iter().map(|draw| (draw.key(), draw.kind()));
    let variable = |(key, kind)| if kind == ValueKind::Number { scene.variable(key) } else { None };
    keys.chain(draws).map(variable).collect()
}

fn shape_of_scene(prepared: &PreparedScene) -> ImpactShape {
    let scene = prepared.scene();
    let contacts = scene
        .contacts()
        .iter()
        .map(|contact| ContactShape { name: Some(contact.name.clone()), dimension: contact.point.dimension() });
    let only = prepared.striking_contact();
    let only = only.and_then(|only| scene.contacts().iter().position(|contact| contact.name == only.name));
    ImpactShape { nv: scene.model().nv(), contacts: contacts.collect(), only, is_scene: true }
}

/// For a problem given by matrices, whose dimensions are known from its answer.
fn shape_of_matrices(problem: &Problem) -> Result<ImpactShape, SweepError> {
    let nv = problem.velocity().map_or(0, <[f64]>::len);
    let shape = |name: Option<String>, dimension: u8| ContactShape { name, dimension: usize::from(dimension) };
    Ok(match problem.answer()? {
        Answer::One(outcome) => {
            ImpactShape { nv, contacts: vec![shape(None, outcome.contact_dimension)], only: Some(0), is_scene: false }
        }
        Answer::Many(answer) => {
            let dimensions = answer.outcome.contacts.iter().map(|contact| contact.contact_dimension);
            let contacts = answer.names.iter().cloned().zip(dimensions).map(|(name, d)| shape(name, d));
            ImpactShape { nv, contacts: contacts.collect(), only: None, is_scene: false }
        }
    })
}

fn runs(plan: &Plan, problem: &Problem) -> Result<(Engine, Named), SweepError> {
    let simulation = Simulation::new(problem.setup()?);
    let simulation = simulation.map_err(|error| SweepError::Simulation { message: error.to_string() })?;
    let header = simulation.header();
    let contacts = header.contacts.into_iter().map(|contact| (contact.name, contact.dimension)).collect();
    let shape = RunShape { nq: header.coordinates.len(), nv: header.velocities.len(), contacts };
    let default = default_columns();
    let requested = if plan.columns.is_empty() { &default } else { &plan.columns };
    let (columns, slots) = shape.columns(requested)?;
    let (names, columns): (Vec<_>, Vec<_>) =
        columns.into_iter().map(|(name, column)| ((name, column.kind()), column)).unzip();
    Ok((Engine::Runs { columns, slots }, names))
}
