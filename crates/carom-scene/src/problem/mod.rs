//! Impact problems as documents, with the keys and types of the documented interface.
//!
//! | file | contents |
//! |---|---|
//! | `keys` | the keys of problems given by matrices |
//! | `read` | reads a tree into a typed problem |
//! | `contacts` | the contacts of a problem given by matrices |
//! | `terms` | the impact of a problem given by matrices |

mod contacts;
mod keys;
mod read;
mod terms;

use carom_law::{Coefficients, Contact, ErrorKind, Friction, Guard, Law, Outcome, Restitution};
use carom_multibody::State;

use self::contacts::StatedContact;
use self::terms::Terms;
use crate::answer::Answer;
use crate::document::{Kind, ProblemError, listed};
use crate::scene::Scene;
use carom_sim::Setup;

/// A problem read from a document: its keys and types are valid and its coefficients in range; its
/// matrices and velocities are checked when it is solved.
#[derive(Debug, Clone)]
pub struct Problem {
    form: Form,
    /// `None` if the document does not give it.
    guard: Option<Guard>,
    law: Law,
}

/// The forms of an impact problem.
#[derive(Debug, Clone)]
enum Form {
    Matrices { terms: Terms, contacts: Vec<StatedContact> },
    Scene { scene: Box<Scene>, coefficients: Coefficients },
}

impl Problem {
    /// Solves the problem, for one contact or several simultaneous ones.
    ///
    /// # Errors
    /// A number that the law rejects, contacts or a guard that it does not support, no answer to the promised
    /// precision, or an answer beyond `f64`.
    pub fn answer(&self) -> Result<Answer, ProblemError> {
        let count = self.contact_count();
        if count == 1 {
            return Ok(Answer::One(Box::new(self.solve()?)));
        }
        if ![Law::Aghili, Law::Chord].contains(&self.law) {
            let message = format!(
                "law = {:?} does not support {count} simultaneous contacts, only {:?} and {:?} do: {}",
                self.law.name(),
                Law::Aghili.name(),
                Law::Chord.name(),
                self.advice()
            );
            return Err(ProblemError::at(Kind::Law(ErrorKind::Unsupported), "law", message));
        }
        let answer = match &self.form {
            Form::Matrices { terms, contacts } => terms.strike_several(contacts, self.law, self.guard())?,
            Form::Scene { scene, coefficients } => scene.strike_several(self.law, coefficients, self.guard())?,
        };
        Ok(Answer::Many(Box::new(answer)))
    }

    /// Solves a problem with one contact; [`Problem::answer`] also accepts several.
    ///
    /// # Errors
    /// A number that the law rejects, a contact or guard that it does not support, several contacts, or an answer
    /// beyond `f64`.
    pub fn solve(&self) -> Result<Outcome, ProblemError> {
        self.check_single()?;
        match &self.form {
            Form::Matrices { terms, contacts } => terms.strike_one(&contacts[0], self.law, self.guard()),
            Form::Scene { scene, coefficients } => scene.strike(self.law, coefficients, self.guard()),
        }
    }

    /// W and v_c⁻ of the contact.
    ///
    /// # Errors
    /// A number that the law rejects, or several contacts.
    pub fn contact(&self) -> Result<Contact, ProblemError> {
        self.check_single()?;
        match &self.form {
            Form::Matrices { terms, contacts } => terms.contact(&contacts[0]),
            Form::Scene { scene, .. } => scene.struck_contact(),
        }
    }

    /// The number of contacts that strike; at least one, unless the robot of a scene touches nothing.
    pub fn contact_count(&self) -> usize {
        match &self.form {
            Form::Matrices { contacts, .. } => contacts.len(),
            Form::Scene { scene, .. } => scene.struck_count(),
        }
    }

    /// Rejects problems with several contacts.
    fn check_single(&self) -> Result<(), ProblemError> {
        if let Form::Scene { scene, .. } = &self.form {
            scene.check_touching()?;
        }
        let count = self.contact_count();
        if count == 1 {
            return Ok(());
        }
        let field = match &self.form {
            Form::Matrices { .. } => "contacts",
            Form::Scene { .. } => "strike",
        };
        let message =
            format!("{count} contacts strike simultaneously, but only one is supported here: {}", self.advice());
        Err(ProblemError::at(Kind::Law(ErrorKind::Unsupported), field, message))
    }

    /// How to restrict the problem to one contact.
    fn advice(&self) -> String {
        match &self.form {
            Form::Matrices { .. } => "give a single contact".to_owned(),
            Form::Scene { scene, .. } => {
                let names: Vec<&str> = scene.struck_names().collect();
                format!("choose one with strike: {}", listed(&names))
            }
        }
    }

    /// The problem with another friction, as if its key `friction` were different: contacts with their own friction
    /// keep it.
    ///
    /// ```
    /// use carom_law::{Friction, Mode};
    ///
    /// let kane = carom_scene::gallery::impact("kane")?;
    /// assert_eq!(kane.solve()?.mode, Mode::Stick);
    /// assert_eq!(kane.with_friction(Friction::new(0.2)?).solve()?.mode, Mode::Slip);
    /// # Ok::<(), carom_scene::ProblemError>(())
    /// ```
    #[must_use]
    pub fn with_friction(&self, friction: Friction) -> Self {
        let mut changed = self.clone();
        match &mut changed.form {
            Form::Matrices { contacts, .. } => {
                let shared = contacts.iter_mut().filter(|contact| !contact.has_own_friction);
                shared.for_each(|contact| contact.coefficients.friction = Some(friction));
            }
            Form::Scene { coefficients, .. } => coefficients.friction = Some(friction),
        }
        changed
    }

    /// The problem with another restitution, as if its key `restitution` were different: contacts with their own
    /// restitution keep it.
    #[must_use]
    pub fn with_restitution(&self, restitution: Restitution) -> Self {
        let mut changed = self.clone();
        match &mut changed.form {
            Form::Matrices { contacts, .. } => {
                let shared = contacts.iter_mut().filter(|contact| !contact.has_own_restitution);
                shared.for_each(|contact| contact.coefficients.restitution = restitution);
            }
            Form::Scene { coefficients, .. } => coefficients.restitution = restitution,
        }
        changed
    }

    /// The problem without a kind of restitution, which only the law `chord` takes: neither its own nor those of its contacts.
    #[must_use]
    pub fn without_restitution_kind(&self) -> Self {
        let mut changed = self.clone();
        match &mut changed.form {
            Form::Matrices { contacts, .. } => {
                let coefficients = contacts.iter_mut().map(|contact| &mut contact.coefficients);
                coefficients.for_each(|given| given.restitution = given.restitution.without_kind());
            }
            Form::Scene { scene, coefficients } => {
                coefficients.restitution = coefficients.restitution.without_kind();
                scene.forget_restitution_kinds();
            }
        }
        changed
    }

    /// The problem in another state of its robot, by joint names; joints that are not named stay as they are. Postures
    /// of a simulation keep their targets.
    ///
    /// ```
    /// use carom_multibody::State;
    ///
    /// let kane = carom_scene::gallery::impact("kane")?;
    /// let faster = kane.with_state(&State::new().velocity("shoulder", -0.3))?;
    /// assert!(faster.solve()?.contact_velocity.before[0] < kane.solve()?.contact_velocity.before[0]);
    /// # Ok::<(), carom_scene::ProblemError>(())
    /// ```
    ///
    /// # Errors
    /// A problem without a robot, a joint that the robot does not have, another number of coordinates, or a state that the
    /// robot cannot have.
    pub fn with_state(&self, state: &State) -> Result<Self, ProblemError> {
        self.with_changed_scene(|scene| scene.with_state(state))
    }

    /// The problem in another state of its robot, as whole vectors q and v.
    ///
    /// # Errors
    /// A problem without a robot, vectors of another length, or a state that the robot cannot have.
    pub fn with_state_vectors(&self, configuration: &[f64], velocity: &[f64]) -> Result<Self, ProblemError> {
        self.with_changed_scene(|scene| scene.with_state_vectors(configuration, velocity))
    }

    fn with_changed_scene(
        &self,
        change: impl FnOnce(&Scene) -> Result<Scene, ProblemError>,
    ) -> Result<Self, ProblemError> {
        let Form::Scene { scene, coefficients } = &self.form else {
            let message = "a state by joints needs a robot: give a scene with model";
            return Err(ProblemError::at(Kind::Law(ErrorKind::Missing), "model", message));
        };
        let form = Form::Scene { scene: Box::new(change(scene)?), coefficients: *coefficients };
        Ok(Self { form, ..self.clone() })
    }

    /// The problem with another guard.
    #[must_use]
    pub fn with_guard(&self, guard: Guard) -> Self {
        Self { guard: Some(guard), ..self.clone() }
    }

    /// The velocity before the impact; `None` for a problem in contact space.
    pub fn velocity(&self) -> Option<&[f64]> {
        match &self.form {
            Form::Matrices { terms: Terms::Generalized { velocity, .. }, .. } => Some(velocity),
            Form::Matrices { terms: Terms::ContactSpace { .. }, .. } => None,
            Form::Scene { scene, .. } => Some(scene.velocity()),
        }
    }

    /// The scene, for a problem with a robot.
    pub fn scene(&self) -> Option<&Scene> {
        match &self.form {
            Form::Scene { scene, .. } => Some(scene),
            Form::Matrices { .. } => None,
        }
    }

    /// The scene and the coefficients given for all of its contacts, for a problem with a robot.
    pub(crate) fn scene_and_coefficients(&self) -> Option<(&Scene, &Coefficients)> {
        match &self.form {
            Form::Scene { scene, coefficients } => Some((scene, coefficients)),
            Form::Matrices { .. } => None,
        }
    }

    /// The scene with other coefficients for all contacts that have none of their own.
    pub(crate) fn with_coefficients(&self, given: &Coefficients) -> Self {
        let mut changed = self.with_restitution(given.restitution);
        if let Form::Scene { coefficients, .. } = &mut changed.form {
            coefficients.friction = given.friction;
        }
        changed
    }

    /// The problem with another law.
    #[must_use]
    pub fn with_law(&self, law: Law) -> Self {
        Self { law, ..self.clone() }
    }

    /// The law of the problem.
    pub fn law(&self) -> Law {
        self.law
    }

    /// The guard that the problem states.
    pub fn stated_guard(&self) -> Option<Guard> {
        self.guard
    }

    /// The guard of the problem, or the default.
    pub fn guard(&self) -> Guard {
        self.guard.unwrap_or_default()
    }

    /// The scene as a simulation. The default guard of the law `aghili` is `slip`.
    ///
    /// # Errors
    /// A problem without a robot, a guard or a kind of restitution that the law does not take, or a contact with tangents but without friction.
    pub fn setup(&self) -> Result<Setup, ProblemError> {
        let Form::Scene { scene, coefficients } = &self.form else {
            let message = "a simulation needs a robot: give a scene with model, state, contacts and surface";
            return Err(ProblemError::at(Kind::Law(ErrorKind::Missing), "model", message));
        };
        scene.setup(coefficients, self.law, self.guard)
    }
}
