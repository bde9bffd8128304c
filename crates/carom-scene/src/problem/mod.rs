//! An impact problem as a document: the names and shapes of the documented interface.
//!
//! | file | what it has |
//! |---|---|
//! | `read` | the tree into a typed problem |
//! | `contacts` | contacts given by matrices: how they are stated |
//! | `terms` | their impact |

mod contacts;
mod read;
mod terms;

use carom_law::{Coefficients, Contact, ErrorKind, Friction, Guard, Law, Outcome, Restitution};
use carom_multibody::State;

use self::contacts::StatedContact;
use self::terms::Terms;
use crate::answer::Answer;
use crate::document::{Kind, ProblemError};
use crate::scene::Scene;
use carom_sim::Setup;

/// A problem read from a document: its names and types are right and its coefficients in range; its
/// matrices and velocities are still to be judged by the law.
#[derive(Debug, Clone)]
pub struct Problem {
    form: Form,
    /// None where the document leaves it open.
    guard: Option<Guard>,
    law: Law,
}

/// The ways to state an impact.
#[derive(Debug, Clone)]
enum Form {
    Matrices { terms: Terms, contacts: Vec<StatedContact> },
    Scene { scene: Box<Scene>, coefficients: Coefficients },
}

impl Problem {
    /// What the impact does, of one contact or of several at once.
    ///
    /// # Errors
    /// A number that the law refuses, contacts or a guard that it has no answer to, no answer to the precision promised,
    /// or an answer beyond `f64`.
    pub fn answer(&self) -> Result<Answer, ProblemError> {
        let count = self.contact_count();
        if count == 1 {
            return Ok(Answer::One(Box::new(self.solve()?)));
        }
        if self.law != Law::Aghili {
            let message = format!(
                "law = {:?} has no answer to {count} contacts at once, only {:?} has: {}",
                self.law.name(),
                Law::Aghili.name(),
                self.advice()
            );
            return Err(ProblemError::at(Kind::Law(ErrorKind::Unsupported), "law", message));
        }
        let several = match &self.form {
            Form::Matrices { terms, contacts } => terms.strike_several(contacts, self.guard())?,
            Form::Scene { scene, coefficients } => scene.strike_several(coefficients, self.guard())?,
        };
        Ok(Answer::Several(Box::new(several)))
    }

    /// What the impact of one contact does; [`Problem::answer`] takes several, too.
    ///
    /// # Errors
    /// A number that the law refuses, a contact or guard that it has no answer to, several contacts, or an answer
    /// beyond `f64`.
    pub fn solve(&self) -> Result<Outcome, ProblemError> {
        self.check_single()?;
        match &self.form {
            Form::Matrices { terms, contacts } => terms.strike_one(&contacts[0], self.law, self.guard()),
            Form::Scene { scene, coefficients } => scene.strike(self.law, coefficients, self.guard()),
        }
    }

    /// The contact that is struck: W and v_c⁻.
    ///
    /// # Errors
    /// A number that the law refuses, or several contacts.
    pub fn contact(&self) -> Result<Contact, ProblemError> {
        self.check_single()?;
        match &self.form {
            Form::Matrices { terms, contacts } => terms.contact(&contacts[0]),
            Form::Scene { scene, .. } => scene.struck_contact(),
        }
    }

    /// How many contacts strike; at least one.
    pub fn contact_count(&self) -> usize {
        match &self.form {
            Form::Matrices { contacts, .. } => contacts.len(),
            Form::Scene { scene, .. } => scene.struck().len(),
        }
    }

    /// Some questions are about one contact.
    fn check_single(&self) -> Result<(), ProblemError> {
        let count = self.contact_count();
        if count == 1 {
            return Ok(());
        }
        let field = match &self.form {
            Form::Matrices { .. } => "contacts",
            Form::Scene { .. } => "strike",
        };
        let message = format!("{count} contacts strike at once, but this is for one contact: {}", self.advice());
        Err(ProblemError::at(Kind::Law(ErrorKind::Unsupported), field, message))
    }

    /// How to come to one contact.
    fn advice(&self) -> String {
        match &self.form {
            Form::Matrices { .. } => "state one contact".to_owned(),
            Form::Scene { scene, .. } => {
                let names: Vec<&str> = scene.struck_contacts().map(|contact| contact.name.as_str()).collect();
                format!("name one with strike, of {}", names.join(", "))
            }
        }
    }

    /// The same problem with another friction, as if its key `friction` were another: contacts with a friction of their own
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

    /// The same problem with another restitution, as if its key `restitution` were another: contacts with a restitution of
    /// their own keep it.
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

    /// The same problem in another state of its robot, by joint names; joints that are not named stay as they are. Postures
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

    /// The same problem in another state of its robot, as whole vectors q and v.
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

    /// The same problem with another guard.
    #[must_use]
    pub fn with_guard(&self, guard: Guard) -> Self {
        Self { guard: Some(guard), ..self.clone() }
    }

    /// The velocity before the impact, of a problem in generalized form.
    pub fn velocity(&self) -> Option<&[f64]> {
        match &self.form {
            Form::Matrices { terms: Terms::Generalized { velocity, .. }, .. } => Some(velocity),
            Form::Matrices { terms: Terms::ContactSpace { .. }, .. } => None,
            Form::Scene { scene, .. } => Some(scene.velocity()),
        }
    }

    /// The robot, of a problem that names one.
    pub fn scene(&self) -> Option<&Scene> {
        match &self.form {
            Form::Scene { scene, .. } => Some(scene),
            Form::Matrices { .. } => None,
        }
    }

    /// The same problem by another law.
    #[must_use]
    pub fn with_law(&self, law: Law) -> Self {
        Self { law, ..self.clone() }
    }

    /// The law asked for.
    pub fn law(&self) -> Law {
        self.law
    }

    /// The guard asked for, or the first.
    pub fn guard(&self) -> Guard {
        self.guard.unwrap_or_default()
    }

    /// The scene as a simulation. Its guard is `slip` unless the document names one.
    ///
    /// # Errors
    /// A problem without a robot, or by another law than the default; a contact with tangents and without friction.
    pub fn setup(&self) -> Result<Setup, ProblemError> {
        let Form::Scene { scene, coefficients } = &self.form else {
            let message = "a simulation needs a robot: give a scene with model, state, contacts and surface";
            return Err(ProblemError::at(Kind::Law(ErrorKind::Missing), "model", message));
        };
        if self.law != Law::default() {
            let message = format!(
                "law = {:?} is for single impacts; a simulation strikes by {:?}",
                self.law.name(),
                Law::default().name()
            );
            return Err(ProblemError::at(Kind::Law(ErrorKind::Unsupported), "law", message));
        }
        scene.setup(coefficients, self.guard.unwrap_or(Guard::Slip))
    }
}
