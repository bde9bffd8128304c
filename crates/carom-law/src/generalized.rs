//! From `(M, A, q̇⁻)` to the contact space and back.

use crate::contact::Contact;
use crate::delassus::{Dimension, Factor};
use crate::error::{Error, Result};
use crate::guard::Guard;
use crate::matrix::MatrixView;
use crate::mechanism::{Jacobian, Mechanism, check_shapes, contact_velocity};
use crate::mode::Mode;
use crate::orthogonal::Orthogonal;
use crate::outcome::{Conditioning, Law, Outcome};
use crate::scaling::scale;
use crate::solve::{Coefficients, representable};
use crate::verify::{EnergyEvidence, Evidence, ROUNDING};

/// A mechanism about to be struck at one point: `M`, `A`, `q̇⁻`, and the contact they make.
#[derive(Debug, Clone)]
pub struct GeneralizedContact {
    contact: Contact,
    velocity: Vec<f64>,
    mechanism: Mechanism,
    orthogonal: Orthogonal,
    jacobian: Jacobian,
    condition: Conditioning,
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
        let orthogonal = mechanism.orthogonal();
        let (normal_row, tangential_row) = (mechanism.rows[0], mechanism.rows[dimension.rows() - 1]);
        let factor = Factor { dimension, r: orthogonal.r, normal_row, tangential_row, rows: m.rows };
        let mut before = [0.0; 3];
        before[..dimension.rows()].copy_from_slice(&contact_velocity(&a, velocity)?);
        let (whitened, unit) = mechanism.whitened(velocity);
        let contact = Contact::from_factor(&factor, before, orthogonal.transposed_times(&whitened), unit);
        let condition = Conditioning {
            mass_matrix: mechanism.condition(),
            delassus: contact.whitened.as_ref().map_or(1.0, |whitened| whitened.condition(&contact.delassus)),
        };
        let jacobian = Jacobian::new(&a);
        Ok(Self { contact, velocity: velocity.to_vec(), mechanism, orthogonal, jacobian, condition })
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
        let after = self.velocity_after(&outcome);
        if let Some(i) = after.iter().position(|x| !x.is_finite()) {
            return Err(Error::Overflow { field: format!("velocity[{i}]").into() });
        }
        let (before, _) = self.mechanism.kinetic_energy(&self.velocity);
        let before = representable(before, "energy.before")?;
        let (energy, after_size) = self.mechanism.kinetic_energy(&after);
        let energy = representable(energy, "energy.after")?;
        outcome.energy.before = Some(before);
        outcome.energy.after = Some(energy);
        outcome.verify(&Evidence {
            after: three(&self.jacobian.times(&after)),
            before_size: three(&self.mechanism.sizes(&self.jacobian, &self.velocity)),
            after_size: three(&self.mechanism.sizes(&self.jacobian, &after)),
            freedoms: self.velocity.len(),
            energy: Some(EnergyEvidence { before, after: energy, after_size }),
        })?;
        outcome.velocity = Some(after);
        outcome.condition = Some(self.condition);
        Ok(outcome)
    }

    /// `q̇⁺`. Where the velocity after is prescribed in all directions it is solved for in whitened coordinates: made of the
    /// impulse, it would share the rounding of impulses that are large and cancel.
    fn velocity_after(&self, outcome: &Outcome) -> Vec<f64> {
        let share = match (outcome.mode, outcome.law) {
            (Mode::Separating, _) => return self.velocity.clone(),
            (Mode::Stick, Law::Aghili) => Some(outcome.restitution.tangential),
            (Mode::Reversal, Law::Aghili) => Some(1.0),
            _ => None,
        };
        let change = match (share, &self.contact.whitened) {
            (Some(share), Some(whitened)) => whitened.turn(&self.contact, outcome.guard.restitution, share, 0.0),
            _ => None,
        };
        let change = match change {
            Some(turn) => self.generalized(&turn.change),
            None => self.velocity_change(&outcome.impulse),
        };
        let mut after: Vec<f64> = self.velocity.iter().zip(change).map(|(v, change)| v + change).collect();
        self.refine(outcome, &mut after);
        after
    }

    /// Takes back what rounding in an ill-conditioned `M` did to the contact velocity: one step of iterative refinement, where
    /// more is missing than the rounding of `A q̇⁺` itself.
    fn refine(&self, outcome: &Outcome, after: &mut [f64]) {
        let Some(whitened) = &self.contact.whitened else { return };
        let (velocity, size) = (self.jacobian.times(after), self.mechanism.sizes(&self.jacobian, after));
        let Contact { gamma, delassus, .. } = &self.contact;
        let rounding = ROUNDING * after.len() as f64;
        let mut missing = [0.0; 3];
        for (row, (wanted, v)) in outcome.contact_velocity.after.iter().zip(&velocity).enumerate() {
            let unit = if row == 0 { *gamma } else { gamma + delassus.beta };
            missing[row] = scale(wanted - v, -unit);
        }
        if outcome
            .contact_velocity
            .after
            .iter()
            .zip(velocity)
            .zip(size)
            .all(|((wanted, v), size)| (wanted - v).abs() <= rounding * size)
        {
            return;
        }
        let correction = self.generalized(&whitened.change_for(delassus, missing));
        if correction.iter().all(|x| x.is_finite()) {
            after.iter_mut().zip(correction).for_each(|(v, change)| *v += change);
        }
    }

    /// What a change of the whitened velocity, in the contact's units, does to `q̇`.
    fn generalized(&self, change: &[f64; 3]) -> Vec<f64> {
        let unit = self.contact.gamma - self.contact.delassus.omega / 2;
        self.mechanism.generalized(self.orthogonal.times(change), unit)
    }

    /// \[7\]: `M⁻¹ Aᵀ i`; `impulse` has one number a direction, the normal first.
    pub fn velocity_change(&self, impulse: &[f64]) -> Vec<f64> {
        self.mechanism.velocity_change(impulse)
    }
}

/// One to three numbers, and zeros.
fn three(numbers: &[f64]) -> [f64; 3] {
    let mut all = [0.0; 3];
    all[..numbers.len()].copy_from_slice(numbers);
    all
}
