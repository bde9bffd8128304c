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
//! | `surface` | the surfaces |
//! | `motion` | actuators, limits and settings of a simulation |

mod clamp;
mod contact;
mod keys;
mod motion;
mod placing;
mod read;
mod root;
mod state;
mod surface;

use std::sync::Arc;

use carom_law::{Coefficients, Contact, Friction, Guard, Law, Outcome, Restitution};
use carom_multibody::{ContactPoint, Contacts, Dynamics, DynamicsError, Model, State, StateError, Vector, Warning};

use crate::answer::SimultaneousAnswer;
use crate::document::{Kind, ProblemError};
pub use crate::robots::ModelSource;
use carom_sim::{CoordinateRange, Setup, Surface, WatchedContact};
use carom_sim::{StrikeError, contact_at, strike_outcome, strike_together_with};
pub(crate) use keys::SCENE;
use motion::SimulationKeys;
pub(crate) use root::StatedRoot;
pub(crate) use state::floating_root;

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
    /// Indices of the contacts that strike.
    struck: Vec<usize>,
    /// Those that the scene names; otherwise the ones that touch strike.
    strike: Option<Vec<usize>>,
    /// If none of several contacts touches, the nearest and its gap: there is no impact yet.
    nearest: Option<(usize, f64)>,
    surfaces: Vec<Surface>,
    motion: SimulationKeys,
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

    /// The contact that strikes, or the first of several.
    pub fn contact(&self) -> &SceneContact {
        &self.contacts[self.struck[0]]
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
            Some(&[contact]) => Some(contact),
            _ => None,
        }
    }

    /// The surfaces.
    pub fn surfaces(&self) -> &[Surface] {
        &self.surfaces
    }

    /// The scene as a simulation.
    pub(crate) fn setup(&self, coefficients: &Coefficients, guard: Guard) -> Result<Setup, ProblemError> {
        self.check_friction(self.contacts.iter(), coefficients)?;
        let watched = |contact: &SceneContact| WatchedContact {
            name: contact.name.clone(),
            point: contact.point,
            surface: contact.surface,
            coefficients: self.coefficients_of(contact, coefficients),
            enabled: contact.enabled,
        };
        Ok(Setup {
            title: self.title.clone(),
            model: Arc::clone(&self.model),
            configuration: self.start.configuration.clone(),
            velocity: self.velocity.clone(),
            surfaces: self.surfaces.clone(),
            contacts: self.contacts.iter().map(watched).collect(),
            limits: self.motion.limits,
            actuators: self.motion.actuators.clone(),
            guard,
            settings: self.motion.settings,
            notes: self.start.notes.clone(),
        })
    }

    /// The coefficients of a contact: its own, those of the scene, or the friction of the robot's file.
    pub(crate) fn coefficients_of(&self, contact: &SceneContact, scene: &Coefficients) -> Coefficients {
        Coefficients {
            restitution: contact.restitution.unwrap_or(scene.restitution),
            friction: contact.friction.or(scene.friction).or(contact.file_friction),
        }
    }

    /// That contacts with tangents have friction, their own or the scene's.
    fn check_friction<'a>(
        &self,
        contacts: impl Iterator<Item = &'a SceneContact>,
        scene: &Coefficients,
    ) -> Result<(), ProblemError> {
        let lacks_friction = |contact: &&SceneContact| {
            self.coefficients_of(contact, scene).friction.is_none() && contact.point.dimension() > 1
        };
        let names: Vec<&str> = contacts.filter(lacks_friction).map(|contact| contact.name.as_str()).collect();
        if names.is_empty() {
            return Ok(());
        }
        let names = names.join(", ");
        let message = format!("friction is missing: give friction for the scene or for {names}, or dimension = 1");
        Err(ProblemError::at(Kind::Law(carom_law::ErrorKind::Missing), "friction", message))
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
    /// The state is not valid for the model.
    pub fn contact_position(&self) -> Result<(Vector, f64), ProblemError> {
        Ok(self.position_of(&self.dynamics()?, self.contact()))
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
        let struck =
            self.strike.clone().unwrap_or_else(|| all.clone().filter(|&contact| gaps.touches(contact)).collect());
        self.nearest = if struck.is_empty() { gaps.nearest() } else { None };
        self.struck = if struck.is_empty() { all.collect() } else { struck };
        Ok(())
    }

    /// Rejects a scene in which none of several contacts touches its surface.
    pub(crate) fn check_touching(&self) -> Result<(), ProblemError> {
        let Some((nearest, gap)) = self.nearest else { return Ok(()) };
        let name = &self.contacts[nearest].name;
        let message = format!(
            "none of {} contacts touches its surface: the nearest, {name:?}, has a gap of {gap:.3e} m; set base.touch = \"lowest\", or \
             choose what strikes with strike = [{name:?}]",
            self.contacts.len()
        );
        Err(ProblemError::at(Kind::Conflict, "strike", message))
    }

    /// The scene in another state, by joint names; joints that are not named keep their state.
    ///
    /// # Errors
    /// A joint that the robot does not have, another number of coordinates, or a state that the robot cannot have.
    pub fn with_state(&self, state: &State) -> Result<Self, ProblemError> {
        let (mut configuration, mut velocity) = (self.configuration.clone(), self.velocity.clone());
        self.model.apply_state(state, &mut configuration, &mut velocity).map_err(|error| {
            let kind = match error {
                StateError::JointLength { .. } | StateError::Length { .. } => Kind::Law(carom_law::ErrorKind::Shape),
                _ => Kind::UnknownName,
            };
            ProblemError::at(kind, "state", error.to_string())
        })?;
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

    /// The impact of the contact that strikes, or the first of several, with joint velocities and kinetic energies. A contact's
    /// own coefficients take precedence over `coefficients`.
    ///
    /// # Errors
    /// A number that the law refuses, or a guard that it has no answer to.
    pub fn strike(&self, law: Law, coefficients: &Coefficients, guard: Guard) -> Result<Outcome, ProblemError> {
        self.check_friction(self.struck_contacts(), coefficients)?;
        let coefficients = self.coefficients_of(self.contact(), coefficients);
        strike_outcome(law, &mut self.dynamics()?, &self.contact().point, &coefficients, guard)
            .map_err(|error| self.strike_error(error))
    }

    /// The impact of all contacts that strike, each with its own coefficients if given, otherwise `coefficients`.
    ///
    /// # Errors
    /// A number that the law refuses, or no answer to the precision promised.
    pub fn strike_several(
        &self,
        law: Law,
        coefficients: &Coefficients,
        guard: Guard,
    ) -> Result<SimultaneousAnswer, ProblemError> {
        self.check_touching()?;
        self.check_friction(self.struck_contacts(), coefficients)?;
        let points: Vec<ContactPoint> = self.struck_contacts().map(|contact| contact.point).collect();
        let each: Vec<Coefficients> =
            self.struck_contacts().map(|contact| self.coefficients_of(contact, coefficients)).collect();
        let mut contacts = Contacts::new(&self.model, &points);
        let mut after = vec![0.0; self.velocity.len()];
        let outcome = strike_together_with(law, &mut self.dynamics()?, &mut contacts, &each, guard, &mut after)
            .map_err(|error| self.strike_error(error))?;
        Ok(SimultaneousAnswer {
            outcome,
            names: self.struck_contacts().map(|contact| Some(contact.name.clone())).collect(),
        })
    }

    /// W and v_c⁻ of the contact that strikes.
    pub(crate) fn struck_contact(&self) -> Result<Contact, ProblemError> {
        contact_at(&mut self.dynamics()?, &self.contact().point).map_err(|error| self.strike_error(error))
    }

    fn strike_error(&self, error: StrikeError) -> ProblemError {
        match error {
            StrikeError::Dynamics(error) => dynamics_error(error),
            StrikeError::Law(error) => self.law_error(error),
        }
    }

    /// Replaces errors about matrices, which the author of a scene has not given, by errors about contacts.
    fn law_error(&self, error: carom_law::Error) -> ProblemError {
        use carom_law::ErrorKind;
        let problem = ProblemError::from(error);
        let field = problem.field.as_deref().unwrap_or_default();
        if problem.kind != Kind::Law(ErrorKind::NotPositive) || !field.starts_with("delassus") {
            return problem;
        }
        let contact = self.contact_of_row(field).unwrap_or(self.contact());
        let link = self.model.link(contact.point.link());
        let why = if self.model.is_moving(contact.point.link()) {
            "no joint can move it along the normal in this configuration".to_owned()
        } else {
            format!("its link {:?} is fixed to the world", link.name)
        };
        ProblemError::at(problem.kind, "contact", format!("contact {:?} cannot be struck: {why}", contact.name))
    }

    /// The contact whose row a field such as `delassus[4][4]` refers to.
    fn contact_of_row(&self, field: &str) -> Option<&SceneContact> {
        let mut row: usize = field.strip_prefix("delassus[")?.split(']').next()?.parse().ok()?;
        self.struck_contacts().find(|contact| {
            let is_within = row < contact.point.dimension();
            row = row.saturating_sub(contact.point.dimension());
            is_within
        })
    }

    /// Warnings about the robot's file and its state, except those of kind `ignored`, which `carom check` prints.
    pub fn warnings(&self) -> Vec<Warning> {
        self.model.warnings_at(&self.configuration)
    }
}

/// An error in the state, as an error of the problem.
fn dynamics_error(error: DynamicsError) -> ProblemError {
    use carom_law::ErrorKind;
    let (kind, field) = match &error {
        DynamicsError::Length { field, .. } => (ErrorKind::Shape, format!("state.{field}")),
        DynamicsError::NotFinite { field, index, .. } => (ErrorKind::NotFinite, format!("state.{field}[{index}]")),
        DynamicsError::NotUnit { .. } => (ErrorKind::OutOfRange, "state.configuration".to_owned()),
        DynamicsError::Singular { .. } => (ErrorKind::NotPositive, "model".to_owned()),
        DynamicsError::ZeroNormal { .. } => (ErrorKind::NotPositive, "surface.normal".to_owned()),
        DynamicsError::ContactNotFinite { .. } => (ErrorKind::NotFinite, "contact".to_owned()),
        DynamicsError::ZeroAxis { .. } => (ErrorKind::NotPositive, "contact".to_owned()),
        DynamicsError::ContactRadius { .. } | DynamicsError::FlatRim { .. } | DynamicsError::Selection { .. } => {
            (ErrorKind::OutOfRange, "contact".to_owned())
        }
        DynamicsError::UnknownLink { .. } | DynamicsError::OtherModel { .. } => {
            (ErrorKind::OutOfRange, "contact.link".to_owned())
        }
        DynamicsError::Overflow { .. } => (ErrorKind::Overflow, "state".to_owned()),
        DynamicsError::UnknownPlace { .. } => {
            return ProblemError::at(Kind::UnknownName, "contact.link", error.to_string());
        }
        // A fault that is new to this crate is one of the state that was asked for.
        _ => (ErrorKind::OutOfRange, "state".to_owned()),
    };
    ProblemError::at(Kind::Law(kind), field, error.to_string())
}
