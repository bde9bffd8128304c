//! From `(M, A, q̇⁻)` to the contact space and back.

use std::convert::Infallible;

use crate::contact::Contact;
use crate::contact::coefficients::Coefficients;
use crate::contact::delassus::{Dimension, Factor};
use crate::contact::mechanism::{Jacobian, Mechanism, check_shapes, contact_velocity};
use crate::error::{Condition, Error, Result};
use crate::impact::guard::Guard;
use crate::impact::mode::Mode;
use crate::impact::outcome::{Conditioning, GuardReport, Law, Outcome, RestitutionValues, Unguarded};
use crate::impact::refinement::{Refinement, whitened_change};
use crate::impact::report::representable;
use crate::impact::verify::{EnergyEvidence, Evidence};
use crate::numeric::matrix::MatrixView;
use crate::numeric::orthogonal::Orthogonal;
use crate::numeric::tolerance::{ACCURACY, ROUNDING};

/// Relative excess over its limit of the restitution at which the guard lets the contact slide: just enough to show
/// that its stick would create energy.
const BEYOND_LIMIT: [f64; 4] = [1e-9, 1e-8, 1e-7, 1e-6];

/// A mechanism about to be struck at one point: `M`, `A`, `q̇⁻`, and its contact.
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
            delassus: contact.whitened.as_ref().map_or(1.0, |whitened| whitened.condition),
        };
        let jacobian = Jacobian::new(&a);
        Ok(Self { contact, velocity: velocity.to_vec(), mechanism, orthogonal, jacobian, condition })
    }

    /// The contact of the mechanism.
    pub fn contact(&self) -> &Contact {
        &self.contact
    }

    /// The outcome of the impact, for the contact and for the whole mechanism.
    ///
    /// # Errors
    /// As [`Contact::impact`]; also a velocity or kinetic energy beyond the range of `f64`.
    pub fn impact(&self, coefficients: &Coefficients, guard: Guard) -> Result<Outcome> {
        match self.impact_of(&self.contact, coefficients, guard) {
            Err(error @ Error::CheckFailed { .. }) => self.impact_otherwise(coefficients, guard, error),
            result => result,
        }
    }

    fn impact_of(&self, contact: &Contact, coefficients: &Coefficients, guard: Guard) -> Result<Outcome> {
        let outcome = contact.impact_unchecked(coefficients, guard)?;
        let is_uncertain =
            |condition: &Condition| matches!(condition, Condition::Gain | Condition::Cone | Condition::Sign);
        match self.completed(outcome.clone()) {
            Err(error @ Error::CheckFailed { condition, .. }) if guard == Guard::Limit && is_uncertain(&condition) => {
                self.slid_at_limit(&outcome, error)
            }
            result => result,
        }
    }

    /// If `M` is ill-conditioned and `W` nearly singular, only the check shows which way of computing the tangential
    /// velocity has kept more digits.
    #[cold]
    fn impact_otherwise(&self, coefficients: &Coefficients, guard: Guard, error: Error) -> Result<Outcome> {
        let Some(whitened) = &self.contact.whitened else { return Err(error) };
        let ways = whitened.otherwise(&self.contact).into_iter();
        let contacts = ways.map(|way| Contact { whitened: Some(way), ..self.contact });
        let mut outcomes = contacts.map(|contact| self.impact_of(&contact, coefficients, guard));
        outcomes.find(|outcome| outcome.is_ok()).unwrap_or(Err(error))
    }

    /// If `M` is ill-conditioned, the uncertainty of the impulse of a stick at the limit of the restitution may exceed
    /// its size: it is tensile, leaves its cone, or gains energy. The guard's solution is then that for a stick outside
    /// its cone: slip or reversal, still with limited restitution.
    #[cold]
    fn slid_at_limit(&self, outcome: &Outcome, error: Error) -> Result<Outcome> {
        let mut last = Err(error);
        for share in BEYOND_LIMIT {
            let normal = (outcome.guard.restitution * (1.0 + share)).min(outcome.restitution.normal);
            let values = RestitutionValues { normal, tangential: outcome.restitution.tangential };
            let lower = self.contact.impact_at(&values, outcome.friction, Guard::Slip)?;
            let unguarded = Unguarded { mode: outcome.mode, energy_change: outcome.energy.change };
            let guard = GuardReport {
                acted: true,
                restitution: lower.guard.restitution,
                unguarded: outcome.guard.unguarded.or(Some(unguarded)),
                ..outcome.guard
            };
            last = self.completed(Outcome {
                mode: lower.mode,
                impulse: lower.impulse,
                contact_velocity: lower.contact_velocity,
                direction: lower.direction,
                energy: lower.energy,
                solutions: lower.solutions,
                guard,
                ..outcome.clone()
            });
            if last.is_ok() {
                break;
            }
        }
        last
    }

    /// Completes an outcome of the contact with its effect on the whole mechanism.
    pub(crate) fn completed(&self, outcome: Outcome) -> Result<Outcome> {
        match self.completed_by(outcome.clone(), Refinement::Bounded) {
            Err(Error::CheckFailed { .. }) => self.completed_by(outcome, Refinement::Whole),
            result => result,
        }
    }

    fn completed_by(&self, mut outcome: Outcome, refinement: Refinement) -> Result<Outcome> {
        let (after, evidence) = self.velocity_after(&mut outcome, refinement);
        if let Some(i) = after.iter().position(|x| !x.is_finite()) {
            return Err(Error::Overflow { field: format!("velocity[{i}]").into() });
        }
        if let Some(i) = self.mechanism.without_digits(&self.velocity).filter(|_| outcome.mode != Mode::Separating) {
            return Err(Error::Overflow { field: format!("velocity[{i}]").into() });
        }
        let (before, before_size) = self.mechanism.kinetic_energy(&self.velocity);
        let before = representable(before, "energy.before")?;
        let (energy, after_size) = self.mechanism.kinetic_energy(&after);
        let energy = representable(energy, "energy.after")?;
        outcome.energy.before = Some(before);
        outcome.energy.after = Some(energy);
        let rounding = ROUNDING * self.velocity.len() as f64;
        let rounded = rounding * after_size + (rounding * before_size).min(0.5 * ACCURACY * before);
        outcome.energy.correct(self.mechanism.energy_change(&self.velocity, &after), rounded);
        // The rivals solve with W, and have its accuracy.
        let impulse_error = match outcome.law {
            Law::Aghili => self.condition.impulse_error(self.velocity.len()),
            _ => 0.0,
        };
        let energy = Some(EnergyEvidence { before, after: energy, after_size });
        outcome.verify(&Evidence { impulse_error, energy, ..evidence })?;
        outcome.velocity = Some(after);
        outcome.condition = Some(self.condition);
        Ok(outcome)
    }

    /// `q̇⁺`, from the change of the whitened velocity, and the evidence for the check of the contact.
    fn velocity_after(&self, outcome: &mut Outcome, refinement: Refinement) -> (Vec<f64>, Evidence) {
        let before_size = three(&self.mechanism.sizes(&self.jacobian, &self.velocity));
        let evidence_of = |after: &[f64]| Evidence {
            after: three(&self.jacobian.times(after)),
            before_size,
            after_size: three(&self.mechanism.sizes(&self.jacobian, after)),
            freedoms: self.velocity.len(),
            impulse_error: 0.0,
            energy: None,
        };
        let Some(whitened) = self.contact.whitened.as_ref().filter(|_| outcome.mode != Mode::Separating) else {
            return (self.velocity.clone(), evidence_of(&self.velocity));
        };
        let change = self.generalized(&whitened_change(&self.contact, whitened, outcome));
        let mut after: Vec<f64> = self.velocity.iter().zip(change).map(|(v, change)| v + change).collect();
        let mut evidence = evidence_of(&after);
        let Ok(()) = self.contact.refine(outcome, &mut evidence, refinement, |change| {
            let correction = self.generalized(change);
            let is_finite = correction.iter().all(|x| x.is_finite());
            Ok::<_, Infallible>(is_finite.then(|| {
                after.iter_mut().zip(correction).for_each(|(v, change)| *v += change);
                evidence_of(&after)
            }))
        });
        (after, evidence)
    }

    /// The change of `q̇` for a change of the whitened velocity in the contact's units.
    fn generalized(&self, change: &[f64; 3]) -> Vec<f64> {
        let unit = self.contact.gamma - self.contact.delassus.omega / 2;
        self.mechanism.generalized(self.orthogonal.times(change), unit)
    }

    /// \[7\]: `M⁻¹ Aᵀ i`; `impulse` has one number per direction, the normal first.
    pub fn velocity_change(&self, impulse: &[f64]) -> Vec<f64> {
        self.mechanism.velocity_change(impulse)
    }
}

/// One to three numbers, padded with zeros.
fn three(numbers: &[f64]) -> [f64; 3] {
    let mut all = [0.0; 3];
    all[..numbers.len()].copy_from_slice(numbers);
    all
}
