//! From `(M, A, q̇⁻)` to the contact space and back.

use crate::contact::Contact;
use crate::delassus::{Delassus, Dimension, Entries};
use crate::error::{Error, Result};
use crate::guard::Guard;
use crate::matrix::MatrixView;
use crate::mechanism::{Mechanism, check_shapes, contact_velocity};
use crate::mode::Mode;
use crate::outcome::Outcome;
use crate::solve::{Coefficients, representable};

/// A mechanism about to be struck at one point: `M`, `A`, `q̇⁻`, and the contact they make.
#[derive(Debug, Clone)]
pub struct GeneralizedContact {
    contact: Contact,
    velocity: Vec<f64>,
    mechanism: Mechanism,
}

impl GeneralizedContact {
    /// `mass_matrix` is `n x n`, symmetric and positive definite; `contact_jacobian` is `d x n`,
    /// normal row first, `d` = 1, 2 or 3; `velocity` has `n` entries.
    ///
    /// ```
    /// use carom_law::{Coefficients, Friction, GeneralizedContact, Guard, MatrixView, Restitution};
    ///
    /// // A rod at 45 degrees, struck at its lower end: coordinates x, y, angle.
    /// let half = 0.125_f64.sqrt();
    /// let mass_matrix = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0 / 12.0];
    /// let jacobian = [0.0, 1.0, -half, 1.0, 0.0, half];
    /// let rod = GeneralizedContact::new(
    ///     MatrixView::row_major(3, 3, &mass_matrix),
    ///     MatrixView::row_major(2, 3, &jacobian),
    ///     &[2.0, -1.0, 0.0],
    /// )?;
    /// let outcome = rod.impact(&Coefficients::new(Restitution::new(0.5)?, Friction::new(0.8)?), Guard::Report)?;
    /// assert!((outcome.velocity.unwrap()[0] - 62.0 / 37.0).abs() < 1e-15);
    /// # Ok::<(), carom_law::Error>(())
    /// ```
    ///
    /// # Errors
    /// Wrong shapes, entries that are not finite, a mass matrix that is not symmetric or not positive
    /// definite, a zero normal row.
    pub fn new<'m, 'a>(
        mass_matrix: impl Into<MatrixView<'m>>,
        contact_jacobian: impl Into<MatrixView<'a>>,
        velocity: &[f64],
    ) -> Result<Self> {
        let (m, a) = (mass_matrix.into(), contact_jacobian.into());
        check_shapes(&m, &a, velocity)?;
        let dimension = Dimension::from_rows(a.rows, "contact_jacobian")?;
        let mechanism = Mechanism::new(&m, &a, &[dimension])?;
        let mut matrix = [[0.0; 3]; 3];
        for i in 0..dimension.rows() {
            for j in 0..=i {
                matrix[i][j] = mechanism.gram(i, j);
                matrix[j][i] = matrix[i][j];
            }
        }
        let (normal_row, tangential_row) = (mechanism.rows[0], mechanism.rows[dimension.rows() - 1]);
        let delassus = Delassus::from_entries(Entries { dimension, matrix, normal_row, tangential_row })?;
        let contact = Contact::new(delassus, &contact_velocity(&a, velocity)?)?;
        Ok(Self { contact, velocity: velocity.to_vec(), mechanism })
    }

    /// The contact that the mechanism makes.
    pub fn contact(&self) -> &Contact {
        &self.contact
    }

    /// What the impact does, in the contact and to the whole mechanism.
    ///
    /// # Errors
    /// As [`Contact::impact`]; also a velocity or kinetic energy beyond the range of `f64`.
    pub fn impact(&self, coefficients: &Coefficients, guard: Guard) -> Result<Outcome> {
        self.completed(self.contact.impact(coefficients, guard)?)
    }

    /// An outcome of the contact with what it does to the whole mechanism.
    pub(crate) fn completed(&self, mut outcome: Outcome) -> Result<Outcome> {
        let after = match outcome.mode {
            Mode::Separating => self.velocity.clone(),
            Mode::Stick | Mode::Slip | Mode::Reversal => {
                let change = self.velocity_change(&outcome.impulse);
                self.velocity.iter().zip(change).map(|(v, change)| v + change).collect()
            }
        };
        if let Some(i) = after.iter().position(|x| !x.is_finite()) {
            return Err(Error::Overflow { field: format!("velocity[{i}]").into() });
        }
        outcome.energy.before = Some(representable(self.mechanism.kinetic_energy(&self.velocity), "energy.before")?);
        outcome.energy.after = Some(representable(self.mechanism.kinetic_energy(&after), "energy.after")?);
        outcome.velocity = Some(after);
        Ok(outcome)
    }

    /// \[7\]: `M⁻¹ Aᵀ i`; `impulse` has one number a direction, the normal first.
    pub fn velocity_change(&self, impulse: &[f64]) -> Vec<f64> {
        self.mechanism.velocity_change(impulse)
    }
}
