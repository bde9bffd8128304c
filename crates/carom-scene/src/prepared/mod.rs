//! A scene prepared for many impacts: its robot is read and its contacts are found once, and each sample gives a state and
//! coefficients.
//!
//! | file | contents |
//! |---|---|
//! | `variable` | the number of a sample that a key of the document sets |

mod variable;

use std::path::Path;
use std::sync::Arc;

use carom_law::{Coefficients, ErrorKind, Guard, Law, Outcome};
use carom_multibody::{Dynamics, Vector};
use carom_sim::strike_outcome;

use crate::answer::Answer;
use crate::document::{Kind, ProblemError, Tree};
use crate::problem::Problem;
use crate::robots::Robots;
use crate::scene::{Scene, SceneContact};

pub use variable::Variable;

/// A scene whose state and coefficients vary from sample to sample. Threads share it; each has a [`Striker`].
///
/// ```
/// use std::sync::Arc;
/// use carom_scene::prepared::{PreparedScene, Striker};
/// use carom_scene::robots::Robots;
///
/// let tree = carom_scene::gallery::find("arm").expect("built in").tree()?;
/// let scene = Arc::new(PreparedScene::from_tree(&tree, "".as_ref(), &Robots::new())?);
/// let elbow = scene.variable("state.velocity.elbow").expect("a number of a sample");
///
/// let mut striker = Striker::new(&scene);
/// let mut sample = scene.sample();
/// for rate in [0.1, 0.2, 0.3] {
///     sample.set(elbow, rate)?;
///     let answer = striker.strike(&sample)?;
///     assert!(answer.energy().change < 0.0);
/// }
/// # Ok::<(), carom_scene::ProblemError>(())
/// ```
#[derive(Debug, Clone)]
pub struct PreparedScene {
    problem: Problem,
    scene: Scene,
    coefficients: Coefficients,
    /// The contact that strikes in every state, if there is one.
    striker: Option<usize>,
    base: StatedBase,
}

/// The part of the state that the base of a scene gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StatedBase {
    /// Nothing: the state is given by joints alone.
    Nothing,
    /// The state of the floating joint, or the place of a fixed base.
    Root,
    /// The base is moved until something touches, which depends on all joints.
    Touch,
}

/// The numbers that vary: a state, and the coefficients of contacts that have none of their own.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Sample {
    /// The configuration q.
    pub configuration: Vec<f64>,
    /// The velocity before the impact.
    pub velocity: Vec<f64>,
    /// The coefficients.
    pub coefficients: Coefficients,
    /// The guard.
    pub guard: Guard,
    /// The law.
    pub law: Law,
}

impl PreparedScene {
    /// The scene given by a tree, with its robot from a cache. Paths of robot files are relative to `folder`.
    ///
    /// # Errors
    /// A tree without a robot, or as [`Problem::from_tree`].
    pub fn from_tree(tree: &Tree, folder: &Path, robots: &Robots) -> Result<Self, ProblemError> {
        Self::of(Problem::from_tree_with(tree, folder, robots)?, tree)
    }

    /// The scene of a problem that was read from a tree.
    pub(crate) fn of(problem: Problem, tree: &Tree) -> Result<Self, ProblemError> {
        let Some((scene, coefficients)) = problem.scene_and_coefficients() else {
            let message = "samples of a state need a robot: give a scene with model";
            return Err(ProblemError::at(Kind::Law(ErrorKind::Missing), "model", message));
        };
        let (scene, coefficients) = (scene.clone(), *coefficients);
        let base = match (tree.contains("base.touch"), tree.contains("base")) {
            (true, _) => StatedBase::Touch,
            (false, true) => StatedBase::Root,
            (false, false) => StatedBase::Nothing,
        };
        Ok(Self { striker: scene.only_striker(), problem, scene, coefficients, base })
    }

    /// The scene, in its own state.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The numbers of the scene itself.
    pub fn sample(&self) -> Sample {
        Sample {
            configuration: self.scene.configuration().to_vec(),
            velocity: self.scene.velocity().to_vec(),
            coefficients: self.coefficients,
            guard: self.problem.guard(),
            law: self.problem.law(),
        }
    }

    /// The problem with the numbers of a sample.
    ///
    /// # Errors
    /// A state that the robot cannot have.
    pub fn problem(&self, sample: &Sample) -> Result<Problem, ProblemError> {
        let problem = self.problem.with_state_vectors(&sample.configuration, &sample.velocity)?;
        Ok(problem.with_coefficients(&sample.coefficients).with_guard(sample.guard).with_law(sample.law))
    }

    /// The contact that strikes in every state: a single one, or the one that the scene names. `None` if the state decides.
    pub fn striking_contact(&self) -> Option<&SceneContact> {
        self.striker.map(|contact| &self.scene.contacts()[contact])
    }

    pub(crate) fn stated_base(&self) -> StatedBase {
        self.base
    }
}

/// Solves impacts of a prepared scene, one after the other, in the memory of one robot's dynamics. Each thread has its
/// own.
#[derive(Debug, Clone)]
pub struct Striker {
    scene: Arc<PreparedScene>,
    dynamics: Dynamics,
}

impl Striker {
    /// A solver for a scene.
    pub fn new(scene: &Arc<PreparedScene>) -> Self {
        Self { dynamics: Dynamics::new(Arc::clone(scene.scene.model())), scene: Arc::clone(scene) }
    }

    /// The scene.
    pub fn scene(&self) -> &Arc<PreparedScene> {
        &self.scene
    }

    /// The answer for a sample, to the last bit that of the document with these numbers.
    ///
    /// # Errors
    /// A state that the robot cannot have, or as [`Problem::answer`].
    pub fn strike(&mut self, sample: &Sample) -> Result<Answer, ProblemError> {
        match self.strike_alone(sample) {
            Some(outcome) => Ok(Answer::One(Box::new(outcome))),
            None => self.scene.problem(sample)?.answer(),
        }
    }

    /// The outcome of the contact that strikes in every state. `None` if there is no such contact, or if there is an error, which
    /// [`Striker::strike`] returns.
    pub fn strike_alone(&mut self, sample: &Sample) -> Option<Outcome> {
        let contact = self.scene.striking_contact()?;
        let coefficients = self.scene.scene.coefficients_of(contact, &sample.coefficients);
        if coefficients.friction.is_none() && contact.point.dimension() > 1 {
            return None;
        }
        self.dynamics.set_state(&sample.configuration, &sample.velocity).ok()?;
        strike_outcome(sample.law, &mut self.dynamics, &contact.point, &coefficients, sample.guard).ok()
    }

    /// World position and gap of the contact that strikes in every state, for the sample that was solved last.
    pub fn contact_position(&self) -> Option<(Vector, f64)> {
        let contact = self.scene.striking_contact()?;
        Some(self.scene.scene.position_of(&self.dynamics, contact))
    }
}
