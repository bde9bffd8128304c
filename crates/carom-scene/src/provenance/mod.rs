//! The provenance of a run: the scene, the files of its robot, the coefficients, and the program that computed it. A run with
//! its provenance can be repeated, and each of its impacts can be studied by itself.
//!
//! | file | contents |
//! |---|---|
//! | `files` | the files of a robot and their hashes |
//! | `event` | the impact of an event of a run, as a scene |
//! | `error` | errors |

mod error;
mod event;
mod files;

use std::path::{Path, PathBuf};

use carom_law::{Coefficients, Friction, Law, Restitution};
use carom_sim::Setup;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use error::ProvenanceError;
pub use event::{EventState, RecordedEvent, RunImpact, scene_in_state, state_edits};
pub use files::HashedFile;

use crate::Problem;
use crate::document::{ProblemError, Tree};
use crate::scene::ModelSource;

/// The keys of a scene that name a robot's file.
const FILE_KEYS: [&str; 3] = ["urdf", "mjcf", "sdf"];

/// The provenance of a run: what determines it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Provenance {
    /// The version of carom.
    pub carom: String,
    /// The instructions that the program was compiled for, as far as results depend on them: the architecture, and `+avx` and
    /// `+fma` where these are used without asking the processor.
    pub instruction_set: String,
    /// The operating system, whose mathematical library computes sines and cosines.
    pub system: String,
    /// The scene as a document, with all changes applied.
    pub scene: Tree,
    /// The options that changed it, as given.
    pub options: Vec<String>,
    /// The name of the law of impacts; runs written before the law could be chosen used `aghili`.
    #[serde(default = "aghili")]
    pub law: String,
    /// The name of the guard.
    pub guard: String,
    /// Restitution and friction of every contact, wherever they were given.
    pub coefficients: Vec<ContactCoefficients>,
    /// The robot.
    pub robot: RobotSource,
    /// Why the run cannot be repeated from its file, if it cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_repeatable: Option<String>,
}

/// The source of the robot of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RobotSource {
    /// The name of a built-in model.
    pub builtin: Option<String>,
    /// The robot's own file first, then those that it includes and its meshes; for a built-in model its text.
    pub files: Vec<HashedFile>,
}

/// The coefficients of a contact, in the form of documents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ContactCoefficients {
    /// The contact's name.
    pub contact: String,
    /// Its restitution: normal and tangential, or one that falls with the speed.
    pub restitution: Value,
    /// Its friction, static and dynamic; none for a contact without friction.
    pub friction: Option<Friction>,
}

impl Provenance {
    /// The provenance of a run that begins, from its document with all changes applied.
    ///
    /// # Errors
    /// A problem without a robot, or a file of the robot that can no longer be read.
    pub fn new(scene: Tree, options: Vec<String>, problem: &Problem, setup: &Setup) -> Result<Self, ProvenanceError> {
        let source = problem.scene().ok_or(ProvenanceError::NoRobot)?;
        let robot = match source.source() {
            ModelSource::BuiltIn(name) => {
                RobotSource { builtin: Some((*name).to_owned()), files: files::of_built_in(name) }
            }
            // A robot that was read from text has no file of its own, but may have meshes.
            ModelSource::Objects => RobotSource { builtin: None, files: Vec::new() },
            ModelSource::File(_) => RobotSource { builtin: None, files: files::hashed(source.model().files())? },
        };
        let contacts = setup.contacts.iter().map(|contact| (&contact.name, contact.coefficients));
        let pairs = setup.pairs.iter().map(|pair| (&pair.name, pair.coefficients));
        let coefficients = contacts.chain(pairs).map(|(name, Coefficients { restitution, friction })| {
            ContactCoefficients { contact: name.clone(), restitution: stated(restitution), friction }
        });
        let has_objects = scene.contains("objects");
        Ok(Self {
            carom: version(),
            instruction_set: carom_sim::instruction_set(),
            system: std::env::consts::OS.to_owned(),
            scene,
            options,
            law: setup.law.name().to_owned(),
            guard: setup.guard.name().to_owned(),
            coefficients: coefficients.collect(),
            robot,
            not_repeatable: has_objects.then(|| "files of objects are not recorded".to_owned()),
        })
    }

    /// Marks a run that its file alone does not determine, with the reason.
    #[must_use]
    pub fn not_repeatable(self, why: impl Into<String>) -> Self {
        Self { not_repeatable: Some(why.into()), ..self }
    }

    /// Whether the run can be repeated from its file.
    ///
    /// # Errors
    /// The reason why it cannot.
    pub fn check_repeatable(&self) -> Result<(), ProvenanceError> {
        match &self.not_repeatable {
            Some(why) => Err(ProvenanceError::NotRepeatable { why: why.clone() }),
            None => Ok(()),
        }
    }

    /// The provenance of a repetition by this program.
    #[must_use]
    pub fn repeated(&self) -> Self {
        let system = std::env::consts::OS.to_owned();
        Self { carom: version(), instruction_set: carom_sim::instruction_set(), system, ..self.clone() }
    }

    /// The reasons why a repetition by this program may differ in the last bits; empty if it may not.
    pub fn differences(&self) -> Vec<String> {
        let here = [
            ("version of carom", &self.carom, version()),
            ("instruction set", &self.instruction_set, carom_sim::instruction_set()),
            ("operating system", &self.system, std::env::consts::OS.to_owned()),
        ];
        let differs = here.into_iter().filter(|(_, then, now)| *then != now);
        differs.map(|(what, then, now)| format!("another {what}: {then} then, {now} now")).collect()
    }

    /// The scene with the path of its robot: `robot` if that is given, otherwise its path in the run, otherwise the
    /// folder of the run. The hashes of its files must be those of the run.
    ///
    /// # Errors
    /// A file of the robot is missing or has changed, or this version cannot read the scene.
    pub fn scene_here(&self, folder: &Path, robot: Option<&Path>) -> Result<Tree, ProvenanceError> {
        let mut scene = self.scene.clone();
        if let Some(name) = &self.robot.builtin {
            return match files::of_built_in(name) == self.robot.files {
                true => Ok(scene),
                false => Err(ProvenanceError::ChangedBuiltIn { name: name.clone(), carom: self.carom.clone() }),
            };
        }
        let Some(own) = self.robot.files.first() else {
            self.check_repeatable()?;
            return Err(ProvenanceError::NoRobot);
        };
        let place = self.place_of_robot(own, folder, robot)?;
        own.check(&place)?;
        let model = scene.0.get_mut("model").and_then(Value::as_object_mut).ok_or(ProvenanceError::NoRobot)?;
        let key = FILE_KEYS.into_iter().find(|key| model.contains_key(*key)).ok_or(ProvenanceError::NoRobot)?;
        model.insert(key.to_owned(), place.to_string_lossy().into_owned().into());
        Ok(scene)
    }

    fn place_of_robot(
        &self,
        own: &HashedFile,
        folder: &Path,
        robot: Option<&Path>,
    ) -> Result<PathBuf, ProvenanceError> {
        let recorded = PathBuf::from(&own.path);
        let beside = recorded.file_name().map(|name| folder.join(name));
        let places = match robot {
            Some(robot) => vec![robot.to_owned()],
            None => std::iter::once(recorded).chain(beside).collect(),
        };
        let found = places.iter().find(|place| place.is_file());
        let found = found.ok_or_else(|| ProvenanceError::Missing { path: places[0].clone() })?;
        // A scene's own folder is not known here.
        found.canonicalize().map_err(|error| ProvenanceError::File { path: found.clone(), error: error.to_string() })
    }

    /// The problem of a scene found by [`Provenance::scene_here`], whose meshes and included files must also be those of the run.
    ///
    /// # Errors
    /// Those of [`Problem::from_tree`], or a file has changed.
    pub fn problem_here(&self, scene: &Tree) -> Result<Problem, ProvenanceError> {
        let problem = Problem::from_tree(scene).map_err(|error| ProvenanceError::Problem(Box::new(error)))?;
        if self.robot.builtin.is_none()
            && let Some(robot) = problem.scene()
        {
            files::check_all(&self.robot.files, robot.model().files())?;
        }
        Ok(problem)
    }
}

/// A restitution as documents state it.
fn stated(restitution: Restitution) -> Value {
    let mut stated = match restitution.alpha() {
        Some(alpha) => json!({ "hunt_crossley": { "alpha": alpha } }),
        None => json!({ "normal": restitution.normal_at(0.0), "tangential": restitution.tangential() }),
    };
    if let Some(kind) = restitution.kind() {
        stated["kind"] = kind.name().into();
    }
    stated
}

fn aghili() -> String {
    Law::Aghili.name().to_owned()
}

fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

impl From<ProblemError> for ProvenanceError {
    fn from(error: ProblemError) -> Self {
        Self::Problem(Box::new(error))
    }
}
