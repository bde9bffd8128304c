//! An impact problem as a document: the names and shapes of the documented interface.

pub(crate) mod coefficients;
mod edit;
mod error;
mod read;
mod tree;
pub(crate) mod value;

use carom_law::{Coefficients, Contact, Delassus, GeneralizedContact, Guard, Law, MatrixView, Outcome};

pub use edit::Edit;
pub use error::{Kind, ProblemError};
pub use serde_json::Value as Tree;
pub use tree::{Document, Format};

use crate::scene::Scene;
use crate::sim::Setup;

/// A problem read from a document: its names and types are right and its coefficients in range; its
/// matrices and velocities are still to be judged by the law.
#[derive(Debug, Clone)]
pub struct Problem {
    form: Form,
    coefficients: Coefficients,
    /// None where the document leaves it open.
    guard: Option<Guard>,
    law: Law,
}

/// The ways to state the contact.
#[derive(Debug, Clone)]
enum Form {
    Generalized { mass_matrix: Matrix, contact_jacobian: Matrix, velocity: Vec<f64> },
    ContactSpace { delassus: Vec<Vec<f64>>, contact_velocity: Vec<f64> },
    Scene(Box<Scene>),
}

/// Rows of equal length, one after the other.
#[derive(Debug, Clone)]
struct Matrix {
    rows: usize,
    columns: usize,
    data: Vec<f64>,
}

impl Matrix {
    fn view(&self) -> MatrixView<'_> {
        MatrixView::row_major(self.rows, self.columns, &self.data)
    }
}

impl Problem {
    /// What the impact does.
    ///
    /// # Errors
    /// A number that the law refuses, a contact or guard that it has no answer to, or an answer beyond `f64`.
    pub fn solve(&self) -> Result<Outcome, ProblemError> {
        let outcome = match &self.form {
            Form::Generalized { mass_matrix, contact_jacobian, velocity } => {
                let contact = GeneralizedContact::new(mass_matrix.view(), contact_jacobian.view(), velocity)?;
                contact.impact_by(self.law, &self.coefficients, self.guard())?
            }
            Form::ContactSpace { delassus, contact_velocity } => {
                let contact = Contact::new(Delassus::from_rows(delassus)?, contact_velocity)?;
                contact.impact_by(self.law, &self.coefficients, self.guard())?
            }
            Form::Scene(scene) => scene.strike(self.law, &self.coefficients, self.guard())?,
        };
        Ok(outcome)
    }

    /// The contact that is struck: W and v_c⁻.
    ///
    /// # Errors
    /// A number that the law refuses.
    pub fn contact(&self) -> Result<Contact, ProblemError> {
        match &self.form {
            Form::Generalized { mass_matrix, contact_jacobian, velocity } => {
                let contact = GeneralizedContact::new(mass_matrix.view(), contact_jacobian.view(), velocity)?;
                Ok(*contact.contact())
            }
            Form::ContactSpace { delassus, contact_velocity } => {
                Ok(Contact::new(Delassus::from_rows(delassus)?, contact_velocity)?)
            }
            Form::Scene(scene) => scene.struck_contact(),
        }
    }

    /// The same problem with another guard.
    #[must_use]
    pub fn with_guard(&self, guard: Guard) -> Self {
        Self { guard: Some(guard), ..self.clone() }
    }

    /// The velocity before the impact, of a problem in generalized form.
    pub fn velocity(&self) -> Option<&[f64]> {
        match &self.form {
            Form::Generalized { velocity, .. } => Some(velocity),
            Form::ContactSpace { .. } => None,
            Form::Scene(scene) => Some(scene.velocity()),
        }
    }

    /// The robot, of a problem that names one.
    pub fn scene(&self) -> Option<&Scene> {
        match &self.form {
            Form::Scene(scene) => Some(scene),
            Form::Generalized { .. } | Form::ContactSpace { .. } => None,
        }
    }

    /// The same problem by another law.
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
    /// A problem without a robot, or by another law than the default.
    pub fn setup(&self) -> Result<Setup, ProblemError> {
        let Form::Scene(scene) = &self.form else {
            let message = "a simulation needs a robot: give a scene with model, state, contacts and surface";
            return Err(ProblemError::at(Kind::Law(carom_law::ErrorKind::Missing), "model", message));
        };
        if self.law != Law::default() {
            let message = format!(
                "law = {:?} is for single impacts; a simulation strikes by {:?}",
                self.law.name(),
                Law::default().name()
            );
            return Err(ProblemError::at(Kind::Law(carom_law::ErrorKind::Unsupported), "law", message));
        }
        Ok(scene.setup(&self.coefficients, self.guard.unwrap_or(Guard::Slip)))
    }
}
