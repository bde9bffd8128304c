//! Impacts given by matrices, of one contact or of several with stacked rows.

use carom_law::{
    Coefficients, Contact, ContactSet, Delassus, Dimension, GeneralizedContact, Guard, Law, MatrixView, Outcome,
};

use super::contacts::StatedContact;
use crate::answer::SimultaneousAnswer;
use crate::document::ProblemError;

type Result<T> = std::result::Result<T, ProblemError>;

/// The forms of the terms.
#[derive(Debug, Clone)]
pub(super) enum Terms {
    Generalized { mass_matrix: Matrix, contact_jacobian: Matrix, velocity: Vec<f64> },
    ContactSpace { delassus: Vec<Vec<f64>>, contact_velocity: Vec<f64> },
}

/// A row-major matrix.
#[derive(Debug, Clone)]
pub(super) struct Matrix {
    rows: usize,
    columns: usize,
    data: Vec<f64>,
}

impl Matrix {
    /// A matrix from rows, which must have equal lengths.
    pub(super) fn from_rows(rows: &[Vec<f64>], path: &str) -> Result<Self> {
        let columns = rows.first().map_or(0, Vec::len);
        if let Some(i) = rows.iter().position(|row| row.len() != columns) {
            return Err(carom_law::Error::Shape {
                field: format!("{path}[{i}]").into(),
                found: format!("{} numbers", rows[i].len()),
                expected: format!("{columns} numbers, the length of {path}[0]"),
            }
            .into());
        }
        Ok(Self { rows: rows.len(), columns, data: rows.concat() })
    }

    fn view(&self) -> MatrixView<'_> {
        MatrixView::row_major(self.rows, self.columns, &self.data)
    }
}

impl Terms {
    /// The impact of a single contact, to which all rows belong.
    pub(super) fn strike_one(&self, stated: &StatedContact, law: Law, guard: Guard) -> Result<Outcome> {
        self.check_rows(stated)?;
        let coefficients = &stated.coefficients;
        Ok(match self {
            Terms::Generalized { mass_matrix, contact_jacobian, velocity } => {
                let contact = GeneralizedContact::new(mass_matrix.view(), contact_jacobian.view(), velocity)?;
                contact.impact_by(law, coefficients, guard)?
            }
            Terms::ContactSpace { delassus, contact_velocity } => {
                let contact = Contact::new(Delassus::from_rows(delassus)?, contact_velocity)?;
                contact.impact_by(law, coefficients, guard)?
            }
        })
    }

    /// W and v_c⁻ of a single contact, to which all rows belong.
    pub(super) fn contact(&self, stated: &StatedContact) -> Result<Contact> {
        self.check_rows(stated)?;
        match self {
            Terms::Generalized { mass_matrix, contact_jacobian, velocity } => {
                let contact = GeneralizedContact::new(mass_matrix.view(), contact_jacobian.view(), velocity)?;
                Ok(*contact.contact())
            }
            Terms::ContactSpace { delassus, contact_velocity } => {
                Ok(Contact::new(Delassus::from_rows(delassus)?, contact_velocity)?)
            }
        }
    }

    /// The impact of several contacts, each with its dimension.
    pub(super) fn strike_several(
        &self,
        stated: &[StatedContact],
        law: Law,
        guard: Guard,
    ) -> Result<SimultaneousAnswer> {
        let dimensions: Vec<Dimension> = stated.iter().filter_map(|contact| contact.dimension).collect();
        let coefficients: Vec<Coefficients> = stated.iter().map(|contact| contact.coefficients).collect();
        let set = match self {
            Terms::Generalized { mass_matrix, contact_jacobian, velocity } => {
                ContactSet::from_generalized(&dimensions, mass_matrix.view(), contact_jacobian.view(), velocity)?
            }
            Terms::ContactSpace { delassus, contact_velocity } => {
                let delassus = Matrix::from_rows(delassus, "delassus")?;
                ContactSet::new(&dimensions, delassus.view(), contact_velocity)?
            }
        };
        let names = stated.iter().map(|contact| contact.name.clone()).collect();
        Ok(SimultaneousAnswer { outcome: set.impact_by(law, &coefficients, guard)?, names })
    }

    /// Checks the number of rows against the contact's dimension, if it is given.
    fn check_rows(&self, stated: &StatedContact) -> Result<()> {
        let Some(dimension) = stated.dimension.map(Dimension::rows) else { return Ok(()) };
        let (field, found) = match self {
            Terms::Generalized { contact_jacobian, .. } => ("contact_jacobian", contact_jacobian.rows),
            Terms::ContactSpace { delassus, .. } => ("delassus", delassus.len()),
        };
        if found == dimension {
            return Ok(());
        }
        let rows = |n: usize| if n == 1 { "1 row".to_owned() } else { format!("{n} rows") };
        let expected = format!("{}, the value of contacts[0].dimension", rows(dimension));
        Err(carom_law::Error::Shape { field: field.into(), found: rows(found), expected }.into())
    }
}
