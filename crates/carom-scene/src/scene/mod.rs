//! Scenes: a robot in a state, with a point of it against a surface.
//!
//! | file | what it has |
//! |---|---|
//! | `read` | the tree into a scene |
//! | `state` | configuration and velocity by joint |
//! | `contact` | what can touch |
//! | `surface` | what can be touched |
//! | `motion` | what drives the robot, and for how long |

mod contact;
mod motion;
mod read;
mod state;
mod surface;

use std::path::PathBuf;
use std::sync::Arc;

use carom_law::{Coefficients, Contact, Friction, Guard, Law, Outcome, Restitution};
use carom_multibody::{ContactPoint, Contacts, Dynamics, DynamicsError, Model, State, StateError, Vector, Warning};

use crate::answer::Several;
use crate::document::{Kind, ProblemError};
use carom_sim::{Condition, Setup, Surface, WatchedContact};
use carom_sim::{StrikeError, contact_at, strike_outcome, strike_together};
use motion::Motion;

/// The keys of a scene, beside those that every problem has.
pub(crate) const KEYS: [&str; 14] = [
    "title",
    "model",
    "base",
    "gravity",
    "state",
    "contact",
    "contacts",
    "strike",
    "surface",
    "surfaces",
    "limits",
    "posture",
    "actuation",
    "simulation",
];

/// A robot, its state, and what touches what.
#[derive(Debug, Clone)]
pub struct Scene {
    title: Option<String>,
    source: ModelSource,
    model: Arc<Model>,
    configuration: Vec<f64>,
    velocity: Vec<f64>,
    contacts: Vec<SceneContact>,
    /// Those that strike, by their places.
    struck: Vec<usize>,
    surfaces: Vec<Surface>,
    motion: Motion,
}

/// Where a robot comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModelSource {
    /// Built in, by name.
    BuiltIn(&'static str),
    /// A file.
    File(PathBuf),
}

/// A point of the robot that can touch a surface.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SceneContact {
    /// Its name: stated, or that of its link or frame.
    pub name: String,
    /// The contact.
    pub point: ContactPoint,
    /// The surface, by its place.
    pub surface: usize,
    /// Restitution and friction of this contact alone.
    pub restitution: Option<Restitution>,
    /// The same for friction.
    pub friction: Option<Friction>,
    /// When it can close, in a simulation.
    pub enabled: Option<Condition>,
}

impl Scene {
    /// What it shows, where it says so.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// Where the robot comes from.
    pub fn source(&self) -> &ModelSource {
        &self.source
    }

    /// The robot.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// q.
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

    /// The contact that strikes; of several the first.
    pub fn contact(&self) -> &SceneContact {
        &self.contacts[self.struck[0]]
    }

    /// Those that strike, by their places among the contacts.
    pub fn struck(&self) -> &[usize] {
        &self.struck
    }

    /// The contacts that strike.
    pub fn struck_contacts(&self) -> impl Iterator<Item = &SceneContact> {
        self.struck.iter().map(|&place| &self.contacts[place])
    }

    /// The surfaces.
    pub fn surfaces(&self) -> &[Surface] {
        &self.surfaces
    }

    /// The scene as a simulation.
    pub(crate) fn setup(&self, coefficients: &Coefficients, guard: Guard) -> Result<Setup, ProblemError> {
        let lacks_friction = |contact: &&SceneContact| {
            self.coefficients_of(contact, coefficients).friction.is_none() && contact.point.dimension() > 1
        };
        if let Some(message) = missing_friction(self.contacts.iter().filter(lacks_friction)) {
            return Err(ProblemError::at(Kind::Law(carom_law::ErrorKind::Missing), "friction", message));
        }
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
            configuration: self.configuration.clone(),
            velocity: self.velocity.clone(),
            surfaces: self.surfaces.clone(),
            contacts: self.contacts.iter().map(watched).collect(),
            limits: self.motion.limits,
            actuators: self.motion.actuators.clone(),
            guard,
            settings: self.motion.settings,
        })
    }

    /// A contact's own coefficients, and the scene's where it has none.
    pub(crate) fn coefficients_of(&self, contact: &SceneContact, scene: &Coefficients) -> Coefficients {
        Coefficients {
            restitution: contact.restitution.unwrap_or(scene.restitution),
            friction: contact.friction.or(scene.friction),
        }
    }

    /// The robot in the scene's state.
    ///
    /// # Errors
    /// A state that the model refuses.
    pub fn dynamics(&self) -> Result<Dynamics, ProblemError> {
        let mut dynamics = Dynamics::new(Arc::clone(&self.model));
        dynamics.set_state(&self.configuration, &self.velocity).map_err(dynamics_error)?;
        Ok(dynamics)
    }

    /// Where the contact that strikes is, and how far above the surface; of several the first.
    ///
    /// # Errors
    /// A state that the model refuses.
    pub fn contact_position(&self) -> Result<(Vector, f64), ProblemError> {
        Ok(self.position_of(&self.dynamics()?, self.contact()))
    }

    /// Where a contact is, and how far above its surface.
    pub(crate) fn position_of(&self, dynamics: &Dynamics, contact: &SceneContact) -> (Vector, f64) {
        let position = dynamics.contact_position(&contact.point);
        (position, self.surfaces[contact.surface].half_space.gap(position))
    }

    /// The same scene in another state, by joint names; joints that are not named stay as they are.
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

    /// The same scene in another state, as whole vectors q and v.
    ///
    /// # Errors
    /// Vectors of another length, or a state that the robot cannot have.
    pub fn with_state_vectors(&self, configuration: &[f64], velocity: &[f64]) -> Result<Self, ProblemError> {
        let scene = Self { configuration: configuration.to_vec(), velocity: velocity.to_vec(), ..self.clone() };
        scene.dynamics().map(|_| scene)
    }

    /// What the impact of the one contact does, or of several the first, with the joints' velocities and the kinetic energies
    /// filled in. A contact's own coefficients stand before `coefficients`.
    ///
    /// # Errors
    /// A number that the law refuses, or a guard that it has no answer to.
    pub fn strike(&self, law: Law, coefficients: &Coefficients, guard: Guard) -> Result<Outcome, ProblemError> {
        let coefficients = self.coefficients_of(self.contact(), coefficients);
        strike_outcome(law, &mut self.dynamics()?, &self.contact().point, &coefficients, guard)
            .map_err(|error| self.strike_error(error))
    }

    /// What the impact of all contacts that strike does, each with its own coefficients or else `coefficients`.
    ///
    /// # Errors
    /// A number that the law refuses, or no answer to the precision promised.
    pub fn strike_several(&self, coefficients: &Coefficients, guard: Guard) -> Result<Several, ProblemError> {
        let points: Vec<ContactPoint> = self.struck_contacts().map(|contact| contact.point).collect();
        let each: Vec<Coefficients> =
            self.struck_contacts().map(|contact| self.coefficients_of(contact, coefficients)).collect();
        let mut contacts = Contacts::new(&self.model, &points);
        let mut after = vec![0.0; self.velocity.len()];
        let outcome = strike_together(&mut self.dynamics()?, &mut contacts, &each, guard, &mut after)
            .map_err(|error| self.strike_error(error))?;
        Ok(Several { outcome, names: self.struck_contacts().map(|contact| Some(contact.name.clone())).collect() })
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

    /// The law speaks of matrices; the reader of a scene has given none.
    fn law_error(&self, error: carom_law::Error) -> ProblemError {
        use carom_law::ErrorKind;
        let problem = ProblemError::from(error);
        let field = problem.field.as_deref().unwrap_or_default();
        if problem.kind == Kind::Law(ErrorKind::Missing)
            && field.ends_with(".friction")
            && let Some(message) = missing_friction(self.without_friction())
        {
            return ProblemError::at(problem.kind, "friction", message);
        }
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

    /// The contacts that strike and have no friction, but tangents.
    fn without_friction(&self) -> impl Iterator<Item = &SceneContact> {
        self.struck_contacts().filter(|contact| contact.friction.is_none() && contact.point.dimension() > 1)
    }

    /// The contact with the row that a field such as `delassus[4][4]` means.
    fn contact_of_row(&self, field: &str) -> Option<&SceneContact> {
        let mut row: usize = field.strip_prefix("delassus[")?.split(']').next()?.parse().ok()?;
        self.struck_contacts().find(|contact| {
            let is_within = row < contact.point.dimension();
            row = row.saturating_sub(contact.point.dimension());
            is_within
        })
    }

    /// Remarks on the robot's file and on this state of it; what is merely read over is left to `carom check`.
    pub fn warnings(&self) -> Vec<Warning> {
        self.model.warnings_at(&self.configuration)
    }
}

/// What to do about contacts without friction, if there are any.
fn missing_friction<'a>(contacts: impl Iterator<Item = &'a SceneContact>) -> Option<String> {
    let names: Vec<&str> = contacts.map(|contact| contact.name.as_str()).collect();
    let names = names.join(", ");
    let message =
        format!("friction is missing: {names} would need a dimension of 1, or friction of its own, to do without");
    (!names.is_empty()).then_some(message)
}

/// A state that the model refuses, in the vocabulary of problems.
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
