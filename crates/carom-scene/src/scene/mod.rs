//! Scenes: a robot in a state, its contacts and surfaces.
//!
//! | file | contents |
//! |---|---|
//! | `keys` | the keys of scenes |
//! | `read` | reads a tree into a scene |
//! | `state` | configuration and velocity by joint |
//! | `placing` | gaps, and a base that is moved until something touches |
//! | `root` | the base by itself |
//! | `clamp` | coordinates moved to the limits of their joints |
//! | `contact` | the contacts |
//! | `coefficients` | restitution and friction of each contact |
//! | `objects` | more robots and bodies |
//! | `pair` | contacts of two bodies |
//! | `place` | a link or frame by its name |
//! | `loops` | closed loops, and states that close them |
//! | `shapes` | shapes of a link by name |
//! | `source` | the model and the base of a robot or object |
//! | `surface` | the surfaces |
//! | `controls` | controls of the actuators of the robot's file |
//! | `strike` | the impact of the contacts that strike |
//! | `error` | errors of the robot and the law, as errors of the document |
//! | `motion` | actuators, limits and settings of a simulation |

mod clamp;
mod coefficients;
mod contact;
mod controls;
mod error;
mod keys;
mod loops;
mod motion;
mod objects;
mod pair;
mod place;
mod placing;
mod read;
mod root;
mod shapes;
mod source;
mod state;
mod strike;
mod surface;

use std::sync::Arc;

use carom_law::{Coefficients, Friction, Guard, Law, Restitution};
use carom_multibody::{ContactPoint, Dynamics, Model, State, Vector, Warning};
use carom_sim::{CoordinateRange, Setup, Surface, WatchedContact, WatchedPair};

use crate::document::ProblemError;
use crate::document::value::missing;
pub use crate::robots::ModelSource;
use error::{dynamics_error, unsupported};
pub(crate) use keys::SCENE;
use motion::SimulationKeys;
pub use pair::{PairContact, ScenePair};
pub(crate) use root::StatedRoot;
pub(crate) use state::{floating_root, moves_with};

/// A robot, its state, its contacts and surfaces.
#[derive(Debug, Clone)]
pub struct Scene {
    title: Option<String>,
    source: ModelSource,
    model: Arc<Model>,
    configuration: Vec<f64>,
    start: Start,
    velocity: Vec<f64>,
    contacts: Vec<SceneContact>,
    pairs: Vec<ScenePair>,
    /// Indices of the contacts that strike.
    struck: Vec<usize>,
    /// The contacts of two bodies that strike.
    meetings: Vec<PairContact>,
    /// The contacts that the scene names in `strike`, pairs last; without it those that touch strike.
    strike: Option<Vec<usize>>,
    /// If none of several contacts touches, the nearest and its gap: there is no impact yet.
    nearest: Option<(String, f64)>,
    surfaces: Vec<Surface>,
    motion: SimulationKeys,
    /// A warning about a loop that the digits of the robot's file leave open.
    gap: Option<Warning>,
}

/// Where a simulation starts: at the configuration, with coordinates moved to the limits that act.
#[derive(Debug, Clone)]
struct Start {
    configuration: Vec<f64>,
    notes: Vec<Warning>,
}

/// A contact of the robot with a surface.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SceneContact {
    /// Its name: as given, or that of its link or frame.
    pub name: String,
    /// The contact.
    pub point: ContactPoint,
    /// The index of its surface.
    pub surface: usize,
    /// Its own restitution, if given.
    pub restitution: Option<Restitution>,
    /// Its own friction, if given.
    pub friction: Option<Friction>,
    /// The friction of the pair that the robot's file gives, for contacts and scenes that give none.
    pub file_friction: Option<Friction>,
    /// When it can close, in a simulation.
    pub enabled: Option<CoordinateRange>,
}

impl Scene {
    /// The title, if given.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// The source of the robot.
    pub fn source(&self) -> &ModelSource {
        &self.source
    }

    /// The robot.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The configuration q.
    pub fn configuration(&self) -> &[f64] {
        &self.configuration
    }

    /// The velocity before the impact.
    pub fn velocity(&self) -> &[f64] {
        &self.velocity
    }

    /// All contacts.
    pub fn contacts(&self) -> &[SceneContact] {
        &self.contacts
    }

    /// All pairs of bodies that can touch.
    pub fn pairs(&self) -> &[ScenePair] {
        &self.pairs
    }

    /// The contacts of two bodies that strike.
    pub fn struck_pairs(&self) -> &[PairContact] {
        &self.meetings
    }

    /// The number of contacts that strike, including pairs of bodies.
    pub fn struck_count(&self) -> usize {
        self.struck.len() + self.meetings.len()
    }

    /// The names of the contacts that strike, pairs of bodies last.
    pub fn struck_names(&self) -> impl Iterator<Item = &str> {
        let of_pairs = self.meetings.iter().map(|meeting| meeting.name.as_str());
        self.struck_contacts().map(|contact| contact.name.as_str()).chain(of_pairs)
    }

    /// The contact that strikes, or the first of several; `None` if the robot touches nothing.
    pub fn contact(&self) -> Option<&SceneContact> {
        self.struck_contacts().next()
    }

    /// The contact that strikes, or the first of several.
    fn first_struck(&self) -> Result<&SceneContact, ProblemError> {
        self.contact().ok_or_else(|| missing("contacts[0]", "an impact needs at least one contact"))
    }

    /// Indices of the contacts that strike.
    pub fn struck(&self) -> &[usize] {
        &self.struck
    }

    /// The contacts that strike.
    pub fn struck_contacts(&self) -> impl Iterator<Item = &SceneContact> {
        self.struck.iter().map(|&place| &self.contacts[place])
    }

    /// The contact that strikes in every state: a single one, or the one that the scene names.
    pub(crate) fn only_striker(&self) -> Option<usize> {
        match self.strike.as_deref() {
            Some(&[contact]) if contact < self.contacts.len() => Some(contact),
            _ => None,
        }
    }

    /// The surfaces.
    pub fn surfaces(&self) -> &[Surface] {
        &self.surfaces
    }

    /// The scene as a simulation.
    pub(crate) fn setup(
        &self,
        coefficients: &Coefficients,
        law: Law,
        guard: Option<Guard>,
    ) -> Result<Setup, ProblemError> {
        self.check_friction(self.contacts.iter(), self.pairs.iter(), coefficients)?;
        let paired = |pair: &ScenePair| WatchedPair {
            name: pair.name.clone(),
            bodies: pair.bodies.clone(),
            coefficients: self.coefficients_of_pair(pair, coefficients),
        };
        let watched = |contact: &SceneContact| WatchedContact {
            name: contact.name.clone(),
            point: contact.point,
            surface: contact.surface,
            coefficients: self.coefficients_of(contact, coefficients),
            enabled: contact.enabled,
        };
        let mut setup = Setup {
            title: self.title.clone(),
            model: Arc::clone(&self.model),
            configuration: self.start.configuration.clone(),
            velocity: self.velocity.clone(),
            surfaces: self.surfaces.clone(),
            contacts: self.contacts.iter().map(watched).collect(),
            pairs: self.pairs.iter().map(paired).collect(),
            limits: self.motion.limits,
            joint_friction: self.motion.joint_friction,
            actuators: self.motion.actuators.clone(),
            law,
            guard: Guard::default(),
            settings: self.motion.settings,
            notes: self.start.notes.iter().chain(&self.motion.notes).cloned().collect(),
        };
        self.check_kinds(&setup, law)?;
        setup.set_guard(guard).map_err(|error| unsupported("guard", error.to_string()))?;
        Ok(setup)
    }

    /// The robot in the scene's state.
    ///
    /// # Errors
    /// The state is not valid for the model.
    pub fn dynamics(&self) -> Result<Dynamics, ProblemError> {
        let mut dynamics = Dynamics::new(Arc::clone(&self.model));
        dynamics.set_state(&self.configuration, &self.velocity).map_err(dynamics_error)?;
        Ok(dynamics)
    }

    /// World position and gap of the contact that strikes, or the first of several.
    ///
    /// # Errors
    /// The state is not valid for the model, or the robot touches nothing.
    pub fn contact_position(&self) -> Result<(Vector, f64), ProblemError> {
        Ok(self.position_of(&self.dynamics()?, self.first_struck()?))
    }

    /// World position and gap of a contact.
    pub(crate) fn position_of(&self, dynamics: &Dynamics, contact: &SceneContact) -> (Vector, f64) {
        let position = dynamics.contact_position(&contact.point);
        (position, self.surfaces[contact.surface].half_space.gap(position))
    }

    /// Finds the contacts that strike in the present state. If none of several touches, as before a drop, there is no impact yet.
    fn find_strikers(&mut self) -> Result<(), ProblemError> {
        let all = 0..self.contacts.len();
        let gaps = placing::gaps(&self.model, &self.surfaces, &self.contacts, &self.configuration)?;
        let dynamics = self.dynamics()?;
        let mut meetings = Vec::new();
        for (index, pair) in self.pairs.iter().enumerate() {
            meetings.extend(pair.contacts(index, &dynamics)?);
        }
        let count = self.contacts.len();
        let (struck, meeting): (Vec<usize>, Vec<PairContact>) = match &self.strike {
            Some(strike) => (
                strike.iter().copied().filter(|&k| k < count).collect(),
                meetings.iter().filter(|one| strike.contains(&(count + one.pair))).cloned().collect(),
            ),
            None => (
                all.clone().filter(|&contact| gaps.touches(contact)).collect(),
                meetings.iter().filter(|one| one.touches).cloned().collect(),
            ),
        };
        let is_apart = struck.is_empty() && meeting.is_empty();
        let of_contacts = gaps.nearest().map(|(k, gap)| (self.contacts[k].name.clone(), gap));
        let of_pairs = meetings.iter().map(|one| (one.name.clone(), one.closest.gap));
        let nearest = of_contacts.into_iter().chain(of_pairs).min_by(|one, other| one.1.total_cmp(&other.1));
        self.nearest = nearest.filter(|_| is_apart);
        self.struck = if is_apart { all.collect() } else { struck };
        self.meetings = if is_apart { meetings } else { meeting };
        Ok(())
    }

    /// Whether each contact touches its surface: its gap is at most 1e-4 of the robot's size.
    pub(crate) fn touching(&self) -> Result<Vec<bool>, ProblemError> {
        let gaps = placing::gaps(&self.model, &self.surfaces, &self.contacts, &self.configuration)?;
        Ok((0..self.contacts.len()).map(|contact| gaps.touches(contact)).collect())
    }

    /// The scene in another state, by joint names; joints that are not named keep their state.
    ///
    /// # Errors
    /// A joint that the robot does not have, another number of coordinates, or a state that the robot cannot have.
    pub fn with_state(&self, state: &State) -> Result<Self, ProblemError> {
        let (mut configuration, mut velocity) = (self.configuration.clone(), self.velocity.clone());
        self.model.apply_state(state, &mut configuration, &mut velocity)?;
        self.with_state_vectors(&configuration, &velocity)
    }

    /// The scene in another state, given as vectors q and v.
    ///
    /// # Errors
    /// Vectors of another length, or a state that the robot cannot have.
    pub fn with_state_vectors(&self, configuration: &[f64], velocity: &[f64]) -> Result<Self, ProblemError> {
        let mut start = Start { configuration: configuration.to_vec(), notes: Vec::new() };
        if self.motion.limits.is_some() && configuration.len() == self.model.nq() {
            start.notes = clamp::clamp(&self.model, &mut start.configuration);
        }
        let (configuration, velocity) = (configuration.to_vec(), velocity.to_vec());
        let mut scene = Self { configuration, velocity, start, ..self.clone() };
        scene.dynamics()?;
        scene.find_strikers()?;
        Ok(scene)
    }

    /// Warnings about the robot's file and its state, except those of kind `ignored`, which `carom check` prints.
    pub fn warnings(&self) -> Vec<Warning> {
        let mut warnings = self.model.warnings_at(&self.configuration);
        warnings.extend(self.gap.clone());
        warnings
    }
}
