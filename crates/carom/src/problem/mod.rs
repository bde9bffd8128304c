//! An impact problem as a document: the names and shapes of the documented interface.

mod edit;
mod error;
mod read;
mod tree;

use carom_law::{Coefficients, Contact, Delassus, GeneralizedContact, Guard, Law, Outcome};
use nalgebra::{DMatrix, DVector};

pub use edit::Edit;
pub use error::{Kind, ProblemError};
pub use serde_json::Value as Tree;
pub use serde_json::value::RawValue as RawId;
pub use tree::{Document, Format};

/// A problem read from a document: its shapes and names are right, its numbers are still to be judged
/// by the law.
#[derive(Debug, Clone)]
pub struct Problem {
    form: Form,
    coefficients: Coefficients,
    guard: Guard,
    law: Law,
}

/// The two ways to state the contact.
#[derive(Debug, Clone)]
enum Form {
    Generalized { mass_matrix: DMatrix<f64>, contact_jacobian: DMatrix<f64>, velocity: DVector<f64> },
    ContactSpace { delassus: Vec<Vec<f64>>, contact_velocity: Vec<f64> },
}

impl Problem {
    /// What the impact does.
    ///
    /// # Errors
    /// A number that the law refuses, or an answer beyond `f64`.
    pub fn solve(&self) -> Result<Outcome, ProblemError> {
        let outcome = match self.law {
            Law::Aghili => match &self.form {
                Form::Generalized { mass_matrix, contact_jacobian, velocity } => {
                    let contact = GeneralizedContact::new(mass_matrix, contact_jacobian, velocity)?;
                    contact.impact(&self.coefficients, self.guard)?
                }
                Form::ContactSpace { delassus, contact_velocity } => {
                    let contact = Contact::new(Delassus::from_rows(delassus)?, contact_velocity)?;
                    contact.impact(&self.coefficients, self.guard)?
                }
            },
        };
        Ok(outcome)
    }

    /// The velocity before the impact, of a problem in generalized form.
    pub fn velocity(&self) -> Option<&[f64]> {
        match &self.form {
            Form::Generalized { velocity, .. } => Some(velocity.as_slice()),
            Form::ContactSpace { .. } => None,
        }
    }

    /// The guard asked for.
    pub fn guard(&self) -> Guard {
        self.guard
    }
}
