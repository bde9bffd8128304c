//! From `(M, A, q̇⁻)` to the contact space and back.

use crate::contact::Contact;
use crate::contact::coefficients::Coefficients;
use crate::contact::delassus::{Dimension, Factor};
use crate::contact::mechanism::{Jacobian, Mechanism, check_shapes, contact_velocity};
use crate::contact::vector::ContactVector;
use crate::contact::whitened::Whitened;
use crate::error::{Condition, Error, Result};
use crate::impact::guard::Guard;
use crate::impact::mode::Mode;
use crate::impact::outcome::{Conditioning, GuardReport, Law, Outcome, RestitutionValues, Unguarded};
use crate::impact::report::representable;
use crate::impact::verify::{EnergyEvidence, Evidence};
use crate::numeric::matrix::MatrixView;
use crate::numeric::orthogonal::Orthogonal;
use crate::numeric::plane::norm;
use crate::numeric::scaling::scale;
use crate::numeric::tolerance::{ACCURACY, ROUNDING};

/// By what share beyond its limit a restitution is taken at which the guard lets the contact slide: as little as tells that its stick
/// would create energy.
const BEYOND_LIMIT: [f64; 4] = [1e-9, 1e-8, 1e-7, 1e-6];

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
            delassus: contact.whitened.as_ref().map_or(1.0, |whitened| whitened.condition),
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

    /// Where `M` is ill-conditioned and `W` nearly singular, which of the ways to the tangential velocity has kept more digits is
    /// told by the check alone.
    #[cold]
    fn impact_otherwise(&self, coefficients: &Coefficients, guard: Guard, error: Error) -> Result<Outcome> {
        let Some(whitened) = &self.contact.whitened else { return Err(error) };
        let ways = whitened.otherwise(&self.contact).into_iter();
        let contacts = ways.map(|way| Contact { whitened: Some(way), ..self.contact });
        let mut outcomes = contacts.map(|contact| self.impact_of(&contact, coefficients, guard));
        outcomes.find(|outcome| outcome.is_ok()).unwrap_or(Err(error))
    }

    /// Where `M` is ill-conditioned, the impulse of a stick at the limit of the restitution may be uncertain by more than its size: it
    /// pulls, leaves its cone, or gains. Then the guard's answer is that for a stick outside its cone, slip or reversal with the
    /// restitution limited all the same.
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

    /// An outcome of the contact with what it does to the whole mechanism.
    pub(crate) fn completed(&self, outcome: Outcome) -> Result<Outcome> {
        match self.completed_by(outcome.clone(), Refinement::Bounded) {
            Err(Error::CheckFailed { .. }) => self.completed_by(outcome, Refinement::Whole),
            result => result,
        }
    }

    fn completed_by(&self, mut outcome: Outcome, refinement: Refinement) -> Result<Outcome> {
        let after = self.velocity_after(&mut outcome, refinement);
        if let Some(i) = after.iter().position(|x| !x.is_finite()) {
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
        outcome.verify(&Evidence {
            after: three(&self.jacobian.times(&after)),
            before_size: three(&self.mechanism.sizes(&self.jacobian, &self.velocity)),
            after_size: three(&self.mechanism.sizes(&self.jacobian, &after)),
            freedoms: self.velocity.len(),
            // The rivals solve through W, and keep what it keeps.
            impulse_error: match outcome.law {
                Law::Aghili => self.condition.impulse_error(self.velocity.len()),
                _ => 0.0,
            },
            energy: Some(EnergyEvidence { before, after: energy, after_size }),
        })?;
        outcome.velocity = Some(after);
        outcome.condition = Some(self.condition);
        Ok(outcome)
    }

    /// `q̇⁺`, by the change of the whitened velocity.
    fn velocity_after(&self, outcome: &mut Outcome, refinement: Refinement) -> Vec<f64> {
        let Some(whitened) = self.contact.whitened.as_ref().filter(|_| outcome.mode != Mode::Separating) else {
            return self.velocity.clone();
        };
        let change = self.generalized(&whitened_change(&self.contact, whitened, outcome));
        let mut after: Vec<f64> = self.velocity.iter().zip(change).map(|(v, change)| v + change).collect();
        self.refine(outcome, &mut after, refinement);
        after
    }

    /// Takes back what rounding in an ill-conditioned `M` did to the contact velocity, where more is missing than the rounding
    /// of `A q̇⁺` itself: one step of iterative refinement.
    ///
    /// What holds the tangents has all of the velocity after prescribed, and its impulse follows. Else the impulse is bound to
    /// its cone. Where `M` is ill-conditioned, little has to change for the velocity that the law found. Where tangents can
    /// hardly move, much would have to: the tangential velocity is then what the impulse makes of it.
    fn refine(&self, outcome: &mut Outcome, after: &mut [f64], refinement: Refinement) {
        let Some(whitened) = &self.contact.whitened else { return };
        let (velocity, size) = (self.jacobian.times(after), self.mechanism.sizes(&self.jacobian, after));
        let Contact { gamma, delassus, .. } = &self.contact;
        let rounding = ROUNDING * after.len() as f64;
        let wanted = three(&outcome.contact_velocity.after);
        let holds = matches!(outcome.mode, Mode::Stick | Mode::Reversal);
        // What would fail the check has to change; with an impulse that is bound to its cone, no more than that.
        let accuracy = if holds { 0.0 } else { 0.5 * ACCURACY };
        let size_before = self.mechanism.sizes(&self.jacobian, &self.velocity);
        let is_missed = |r: usize| (wanted[r] - velocity[r]).abs() > rounding * size[r] + accuracy * size_before[r];
        if !(0..velocity.len()).any(is_missed) {
            return;
        }
        let mut missing = [0.0; 3];
        for r in 0..velocity.len() {
            let unit = if r == 0 { *gamma } else { gamma + delassus.beta };
            missing[r] = scale(wanted[r] - velocity[r], -unit);
        }
        let mut change = whitened.change_for(delassus, missing);
        let keeps_impulse = !holds && refinement == Refinement::Bounded && !whitened.is_small(change);
        if keeps_impulse {
            change = whitened.change_for_normal(missing[0]);
        }
        let correction = self.generalized(&change);
        if !correction.iter().all(|x| x.is_finite()) {
            return;
        }
        after.iter_mut().zip(correction).for_each(|(v, change)| *v += change);
        if holds {
            let told = three(&outcome.impulse);
            let mut impulse = told;
            for (r, change) in whitened.impulse_for(delassus, change).into_iter().enumerate() {
                let beta = if r == 0 { 0 } else { delassus.beta };
                impulse[r] += scale(change, gamma - delassus.omega - beta);
            }
            if outcome.friction.is_some_and(|friction| friction.mu_s() == 0.0) {
                // Without friction, what is left of its impulse is rounding.
                impulse[1..].fill(0.0);
            }
            // On the edge of a wide cone a rounding of i_t is more than i_n has: it stays where the law put it.
            let mu_s = outcome.friction.map_or(0.0, |friction| friction.mu_s());
            let tangential = |i: &[f64; 3]| norm([i[1], i[2]]);
            let leaves = |i: &[f64; 3]| tangential(i) > (1.0 + ACCURACY) * mu_s * i[0];
            let moved = [0, 1, 2].map(|r| impulse[r] - told[r]);
            let most = rounding * tangential(&told);
            let is_rounding = tangential(&moved) <= most && moved[0].abs() <= scale(most, delassus.beta);
            // A pull is told as one, and refused, where the guard can choose another restitution.
            let is_limited = outcome.guard.name == Guard::Limit && outcome.guard.acted;
            let is_told = leaves(&impulse) && !leaves(&told) && is_rounding || impulse[0] < 0.0 && !is_limited;
            if !is_told && impulse.iter().all(|i| i.is_finite()) {
                outcome.impulse = ContactVector::new(delassus.dimension, impulse);
            }
        } else if keeps_impulse {
            let mut told = three(&self.jacobian.times(after));
            told[0] = wanted[0];
            outcome.contact_velocity.after = ContactVector::new(delassus.dimension, told);
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

/// What an outcome does to the whitened velocity. What is prescribed of the velocity after goes into the change as it is: made
/// of the impulse alone, it would share the rounding of impulses that are large and cancel.
pub(crate) fn whitened_change(contact: &Contact, whitened: &Whitened, outcome: &Outcome) -> [f64; 3] {
    let share = match (outcome.mode, outcome.law) {
        (Mode::Separating, _) => return [0.0; 3],
        (Mode::Stick, Law::Aghili) => Some(outcome.restitution.tangential),
        (Mode::Reversal, Law::Aghili) => Some(1.0),
        (Mode::Slip, Law::Aghili) => {
            let mu = outcome.friction.map_or(0.0, |friction| scale(friction.mu_d(), contact.delassus.beta));
            let [_, x, y] = outcome.contact_velocity.after.padded();
            let after = [x, y].map(|v| scale(v, -contact.gamma - contact.delassus.beta));
            let average = [0, 1].map(|k| 0.5 * (contact.v_t[k] + after[k]));
            match whitened.slide(contact, outcome.guard.restitution, mu, average) {
                Some(slide) => return slide.change,
                None => None,
            }
        }
        _ => None,
    };
    match share.and_then(|share| whitened.turn(contact, outcome.guard.restitution, share, 0.0)) {
        Some(turn) => turn.change,
        None => whitened.change_by(contact, outcome.contact_velocity.after[0], &outcome.impulse),
    }
}

/// How far `q̇⁺` may be moved to the contact velocity that the law found, where the impulse is bound to its cone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refinement {
    /// By what rounding may have done.
    Bounded,
    /// All the way: where nothing else passes the check.
    Whole,
}

/// One to three numbers, and zeros.
fn three(numbers: &[f64]) -> [f64; 3] {
    let mut all = [0.0; 3];
    all[..numbers.len()].copy_from_slice(numbers);
    all
}
