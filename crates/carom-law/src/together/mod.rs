//! Several contacts of one system that strike at the same instant.
//!
//! A call goes `sequence` (which contacts strike, one impact after the other) → `guarded` → `search` → `strike` → the descent of
//! `coulomb` (which contacts stick) and its solvers (the impulses for given types). Their result is judged by `certificate`,
//! which shares only the problem with them.
//!
//! | file | contents |
//! |---|---|
//! | `check` | whether a matrix is a Delassus matrix of several contacts |
//! | `order` | an order of contacts that does not depend on how they are listed |
//! | `sequence` | one instant: which contacts strike, impact after impact |
//! | `guarded` | the guards of several contacts |
//! | `search` | the answers found, and the one returned |
//! | `whitened` | the contacts of a mechanism in coordinates in which the kinetic energy is half the square of the velocity |
//! | `precise` | answers in these coordinates where W is ill-conditioned |
//! | `combination` | the same by trying every combination of what contacts do |
//! | `chord` | contacts that strike together, by the law chord |
//! | `strike` | contacts that strike together, and the descent over their types |
//! | `certificate` | whether impulses satisfy the law |
//! | `verify` | the check of outcomes |
//! | `outcome` | the outcome as data |

mod certificate;
mod check;
mod chord;
mod combination;
mod guarded;
mod order;
mod outcome;
mod precise;
mod search;
mod sequence;
mod strike;
mod verify;
mod whitened;

pub use outcome::{
    AnswerSearch, ContactEnergy, ContactOutcome, SimultaneousGuard, SimultaneousOutcome, SimultaneousUnguarded,
};

use self::sequence::Ledger;
use self::whitened::WhitenedRows;
use crate::contact::coefficients::{self, Coefficients};
use crate::contact::delassus::Dimension;
use crate::contact::mechanism::{Jacobian, Mechanism, check_shapes, contact_velocity};
use crate::contact::vector::ContactVector;
use crate::coulomb::{Block, System};
use crate::error::{Error, Result};
use crate::impact::guard::Guard;
use crate::impact::outcome::{BeforeAfter, Energy, Law, RestitutionValues};
use crate::numeric::basis::length;
use crate::numeric::least_squares::LeastSquares;
use crate::numeric::matrix::{Dense, MatrixView};
use crate::numeric::scaling::{exponent, loses_digits, scale};
use crate::numeric::tolerance::{ACCURACY, ROUNDING};

/// Steps of the refinement of an answer in whitened coordinates, each of which takes back what the rounding of `M` left.
const REFINEMENTS: usize = 3;

/// The part of the whitened velocity that rounding in an ill-conditioned `M` may take: with a condition number of 1e14 its factor loses
/// seven digits, and the velocity a few more.
const SMALL_CHANGE: f64 = 1e-4;

/// Error of a contact velocity above which it is refined, relative to the velocities before the impact.
const NOTICED: f64 = 0.1 * ACCURACY;

/// Several contacts of one system: their rows stacked, each contact's normal first. `W = A M⁻¹ Aᵀ` of all rows together is
/// symmetric and positive semidefinite, and singular where the contacts outnumber the degrees of freedom.
#[derive(Debug, Clone)]
pub struct ContactSet {
    /// `W` over `2^omega`, with the normals and the tangents of each contact in units of their own, in which `W_nn` and the
    /// larger diagonal entry of `W_tt` are in [1/2, 2).
    system: System,
    omega: i32,
    /// The power of two taken out of each row of `A`. In these units all velocities are roots of energies, so that speeds of
    /// contacts and of joints at their limits, and contacts of large and of small bodies, are held against each other.
    rows: Vec<i32>,
    /// The unit of speed is `2^gamma`.
    gamma: i32,
    /// `v⁻` as it was given.
    velocity: Vec<f64>,
    mechanism: Option<Struck>,
    /// Its rows in whitened coordinates.
    whitened: Option<WhitenedRows>,
}

/// The mechanism that contacts belong to.
#[derive(Debug, Clone)]
struct Struck {
    mechanism: Mechanism,
    jacobian: Jacobian,
    /// `q̇⁻`
    velocity: Vec<f64>,
    condition: f64,
}

impl ContactSet {
    /// Contacts of the dimensions given, with the Delassus matrix and the velocity of all of them.
    ///
    /// ```
    /// use carom_law::{Coefficients, ContactSet, Dimension, Friction, Guard, MatrixView, Mode, Restitution};
    ///
    /// // Two corners of a planar box: normal and tangent of the first, normal and tangent of the second.
    /// #[rustfmt::skip]
    /// let delassus = [
    ///      3.4, -1.2, -1.4, -1.2,
    ///     -1.2,  1.6,  1.2,  1.6,
    ///     -1.4,  1.2,  3.4,  1.2,
    ///     -1.2,  1.6,  1.2,  1.6,
    /// ];
    /// let corners = ContactSet::new(
    ///     &[Dimension::Planar; 2],
    ///     MatrixView::row_major(4, 4, &delassus),
    ///     &[-1.3, 0.95, -0.7, 0.95],
    /// )?;
    /// let friction = Friction::new(0.3)?;
    /// let coefficients =
    ///     [Coefficients::new(Restitution::new(0.5)?, friction), Coefficients::new(Restitution::new(0.2)?, friction)];
    /// let outcome = corners.impact(&coefficients, Guard::Report)?;
    /// assert_eq!(outcome.contacts[0].mode, Mode::Slip);
    /// assert!((outcome.contacts[1].impulse[0] - 0.6865).abs() < 1e-12);
    /// assert!((outcome.energy.change + 0.6744195).abs() < 1e-12);
    /// # Ok::<(), carom_law::Error>(())
    /// ```
    ///
    /// # Errors
    /// Wrong shapes, entries that are not finite, a matrix that is not symmetric or not positive semidefinite, a normal entry
    /// that is not positive, a velocity that cannot occur with a singular matrix.
    pub fn new<'m>(dimensions: &[Dimension], delassus: impl Into<MatrixView<'m>>, velocity: &[f64]) -> Result<Self> {
        let w = delassus.into();
        check::shapes(dimensions, &w, velocity)?;
        let (matrix, omega, rows) = check::symmetrised(dimensions, &w)?;
        let set = Self::in_units(dimensions, matrix, omega, rows, velocity.to_vec(), None)?;
        check::elimination(&set.system.matrix, &set.scaled_velocity())?;
        Ok(set)
    }

    /// Contacts of a mechanism: `mass_matrix` is `n x n`, symmetric and positive definite; `contact_jacobian` has the
    /// contacts' rows, each contact's normal first; `velocity` has `n` entries. The mass matrix is never inverted.
    ///
    /// # Errors
    /// Wrong shapes, entries that are not finite, a mass matrix that is not symmetric or not positive definite, a zero normal
    /// row.
    pub fn from_generalized<'m, 'a>(
        dimensions: &[Dimension],
        mass_matrix: impl Into<MatrixView<'m>>,
        contact_jacobian: impl Into<MatrixView<'a>>,
        velocity: &[f64],
    ) -> Result<Self> {
        let (m, a) = (mass_matrix.into(), contact_jacobian.into());
        let rows = check::rows(dimensions)?;
        if a.rows != rows {
            return Err(Error::Shape {
                field: "contact_jacobian".into(),
                found: format!("{} rows", a.rows),
                expected: format!("{rows} rows, as the contacts have"),
            });
        }
        check_shapes(&m, &a, velocity)?;
        let mechanism = Mechanism::new(&m, &a, dimensions)?;
        // The velocity is in the range of W by construction, and W is positive semidefinite: neither is tested.
        let diagonal = |r: usize| {
            let entry = Some(mechanism.gram(r, r)).filter(|w| *w != 0.0);
            entry.map(|w| exponent(w) + 2 * mechanism.rows[r])
        };
        let (omega, units) = check::units(dimensions, diagonal);
        let mut matrix = Dense::zeros(rows, rows);
        for i in 0..rows {
            for j in 0..=i {
                let exponent = mechanism.rows[i] + mechanism.rows[j] - units[i] - units[j] - omega;
                matrix[(i, j)] = scale(mechanism.gram(i, j), exponent);
                matrix[(j, i)] = matrix[(i, j)];
            }
        }
        let contacts = contact_velocity(&a, velocity)?;
        let condition = mechanism.condition();
        let struck = Struck { mechanism, jacobian: Jacobian::new(&a), velocity: velocity.to_vec(), condition };
        Self::in_units(dimensions, matrix, omega, units, contacts, Some(struck))
    }

    fn in_units(
        dimensions: &[Dimension],
        matrix: Dense,
        omega: i32,
        rows: Vec<i32>,
        velocity: Vec<f64>,
        mechanism: Option<Struck>,
    ) -> Result<Self> {
        let sizes = velocity.iter().zip(&rows).filter(|(v, _)| **v != 0.0).map(|(v, row)| exponent(*v) - row);
        let gamma = sizes.max().unwrap_or(0);
        let system = System::new(matrix, dimensions.iter().copied()).map_err(|error| match error {
            Error::NotPositive { definiteness, value, bound, .. } => Error::NotPositive {
                field: "delassus".into(),
                definiteness,
                quantity: "the smallest eigenvalue of a contact's W_tt - w wᵀ/W_nn, over tr W_tt,".into(),
                value,
                bound,
            },
            other => other,
        })?;
        let whitened = mechanism.as_ref().map(|Struck { mechanism, jacobian, velocity, .. }| {
            WhitenedRows::new(mechanism, jacobian, velocity, omega, &rows, gamma)
        });
        Ok(Self { system, omega, rows, gamma, velocity, mechanism, whitened })
    }

    /// `v⁻` in the set's units.
    fn scaled_velocity(&self) -> Vec<f64> {
        self.velocity.iter().zip(&self.rows).map(|(v, row)| scale(*v, -self.gamma - row)).collect()
    }

    /// The normal speed of a contact that `speed`, the root of an energy, amounts to; at most what the check measures by.
    fn speed_of(&self, block: &Block, speed: f64) -> f64 {
        let by_energy = speed * block.w_nn.sqrt();
        let size = self.whitened.as_ref().map_or(0.0, |whitened| whitened.sizes[block.start]);
        if size > 0.0 { by_energy.min(size) } else { by_energy }
    }

    /// The dimensions of the contacts.
    pub fn dimensions(&self) -> impl Iterator<Item = Dimension> {
        self.system.blocks.iter().map(|block| block.dimension)
    }

    /// The velocities of the contacts before the impact, one contact after the other.
    pub fn velocity(&self) -> &[f64] {
        &self.velocity
    }

    /// \[7\]: `M⁻¹ Aᵀ i` of the contacts' impulses; `None` for a set given by its Delassus matrix.
    pub fn velocity_change(&self, impulse: &[f64]) -> Option<Vec<f64>> {
        self.mechanism.as_ref().map(|struck| struck.mechanism.velocity_change(impulse))
    }

    /// The outcome of the impact; `coefficients` has one entry per contact.
    ///
    /// # Errors
    /// The number of coefficients differs from that of the contacts, friction is missing or too small for the contact's units, no
    /// answer is found to the required precision ([`Error::NotConverged`]), the answer fails its check ([`Error::CheckFailed`]), or
    /// it exceeds the range of `f64`.
    pub fn impact(&self, coefficients: &[Coefficients], guard: Guard) -> Result<SimultaneousOutcome> {
        self.impact_by(Law::Aghili, coefficients, guard)
    }

    /// What the impact does by one of the laws. `aghili` and `chord` have an answer to several contacts; the others
    /// answer contacts one of which strikes alone, with nothing that couples it to others.
    ///
    /// Several coupled contacts have no single path that turns, so that `chord` lets each contact slip along its slip before
    /// for a share of compression, and solves the rest at once. A contact that nothing couples to others is answered as
    /// [`Contact::impact_by`](crate::Contact::impact_by) answers it. Of `chord`, `restitution_used` is the ratio of the normal impulses of
    /// restitution and compression, friction is dynamic, and unequal restitutions whose answer would gain energy are blended
    /// with the least of them for all (`guard.blended`): then `admissible` is false.
    ///
    /// # Errors
    /// As [`ContactSet::impact`]; coupled contacts that the law has no answer to ([`Error::Simultaneous`]), or a law that does not
    /// take the guard or the kind of restitution.
    pub fn impact_by(&self, law: Law, coefficients: &[Coefficients], guard: Guard) -> Result<SimultaneousOutcome> {
        self.check_coefficients(coefficients)?;
        self.check_law(law, coefficients, guard)?;
        self.check_digits(coefficients)?;
        let ledger = self.ledger(law, coefficients, guard).map_err(|error| name_kind(error, coefficients))?;
        let is_guarded = ledger.acted && law == Law::Aghili;
        let unguarded = if is_guarded { self.unguarded(coefficients) } else { None };
        let guard = SimultaneousGuard {
            name: guard,
            acted: ledger.acted,
            blended: ledger.blended,
            restitution_factor: ledger.factor,
            unguarded,
        };
        let mut outcome = SimultaneousOutcome { law, ..self.report(coefficients, &ledger, guard)? };
        self.verify(&mut outcome)?;
        Ok(outcome)
    }

    /// That velocities and impulses of the size of this impact's keep their digits in the caller's units.
    fn check_digits(&self, coefficients: &[Coefficients]) -> Result<()> {
        if self.velocity.iter().all(|v| *v == 0.0) {
            return Ok(());
        }
        for (k, (block, given)) in self.system.blocks.iter().zip(coefficients).enumerate() {
            // Without friction the tangents hold nothing.
            let rows = if self.friction(block, given) == [0.0; 2] { 1 } else { block.dimension.rows() };
            for row in block.range().take(rows).map(|r| self.rows[r]) {
                for (unit, field) in
                    [(self.gamma + row, "contact_velocity.after"), (self.gamma - self.omega - row, "impulse")]
                {
                    if loses_digits(unit) {
                        return Err(Error::Overflow { field: format!("contacts[{k}].{field}").into() });
                    }
                }
            }
        }
        let struck = self.mechanism.as_ref();
        match struck.and_then(|Struck { mechanism, velocity, .. }| mechanism.without_digits(velocity)) {
            Some(i) => Err(Error::Overflow { field: format!("velocity[{i}]").into() }),
            None => Ok(()),
        }
    }

    fn check_law(&self, law: Law, coefficients: &[Coefficients], guard: Guard) -> Result<()> {
        let refused = |field: String, value: &'static str, reason: String| {
            Err(Error::Unsupported { field: field.into(), value, reason: reason.into() })
        };
        if law != Law::Aghili && guard != Guard::Report {
            let reason =
                format!("is only available for law = \"aghili\"; use guard = \"report\" with {:?}", law.name());
            return refused("guard".to_owned(), guard.name(), reason);
        }
        for (k, given) in coefficients.iter().enumerate() {
            let Some(kind) = given.restitution.kind() else { continue };
            let field = format!("coefficients[{k}].restitution.kind");
            if law != Law::Chord {
                let reason = format!("is only available for law = \"chord\"; leave it out with {:?}", law.name());
                return refused(field, kind.name(), reason);
            }
        }
        Ok(())
    }

    /// The impact with the contacts in an order that does not depend on how they were listed.
    fn ledger(&self, law: Law, coefficients: &[Coefficients], guard: Guard) -> Result<Ledger> {
        let (order, ties) = order::canonical(self, coefficients);
        if order.iter().enumerate().all(|(place, &k)| place == k) {
            return Ledger::of(self, law, coefficients, &ties, guard);
        }
        let rows: Vec<usize> = order.iter().flat_map(|&k| self.system.blocks[k].range()).collect();
        let ordered = Self {
            system: self.system.part(&order),
            omega: self.omega,
            rows: rows.iter().map(|&r| self.rows[r]).collect(),
            gamma: self.gamma,
            velocity: rows.iter().map(|&r| self.velocity[r]).collect(),
            mechanism: None,
            whitened: self.whitened.as_ref().map(|whitened| whitened.part(&rows)),
        };
        let coefficients: Vec<Coefficients> = order.iter().map(|&k| coefficients[k]).collect();
        match Ledger::of(&ordered, law, &coefficients, &ties, guard) {
            Ok(ledger) => Ok(ledger.reordered(&order, &rows)),
            Err(Error::Simultaneous { field, value, contacts, instead }) => {
                let mut contacts: Vec<usize> = contacts.into_iter().map(|place| order[place]).collect();
                contacts.sort_unstable();
                Err(Error::Simultaneous { field, value, contacts, instead })
            }
            Err(Error::NotConverged { field, residual, bound, best }) => {
                let mut listed = vec![0.0; best.len()];
                for (&row, value) in rows.iter().zip(best) {
                    listed[row] = value;
                }
                Err(Error::NotConverged { field, residual, bound, best: listed })
            }
            Err(error) => Err(error),
        }
    }

    fn check_coefficients(&self, coefficients: &[Coefficients]) -> Result<()> {
        let blocks = &self.system.blocks;
        if coefficients.len() != blocks.len() {
            return Err(Error::Shape {
                field: "coefficients".into(),
                found: format!("{} entries", coefficients.len()),
                expected: format!("{0} entries, as there are {0} contacts", blocks.len()),
            });
        }
        for (k, (block, given)) in blocks.iter().zip(coefficients).enumerate() {
            let field = || format!("coefficients[{k}].friction").into();
            let has_tangents = block.dimension != Dimension::Normal;
            let exponent = self.rows[block.range().end - 1] - self.rows[block.start];
            for mu in coefficients::required(given.friction, has_tangents, field)? {
                coefficients::in_units(mu, exponent, field)?;
            }
        }
        Ok(())
    }

    /// `μ_s` and `μ_d` in the set's units.
    fn friction(&self, block: &Block, coefficients: &Coefficients) -> [f64; 2] {
        let values = coefficients.friction.map_or([0.0; 2], |friction| [friction.mu_s(), friction.mu_d()]);
        let tangential = self.rows[block.range().end - 1];
        values.map(|mu| scale(mu, tangential - self.rows[block.start]))
    }

    /// Summary of the answer without the guard.
    fn unguarded(&self, coefficients: &[Coefficients]) -> Option<SimultaneousUnguarded> {
        let ledger = self.ledger(Law::Aghili, coefficients, Guard::Report).ok()?;
        let sum = |part: fn(&ContactEnergy) -> f64| -> f64 {
            ledger.contacts.iter().map(|contact| self.energy_out(part(&contact.work))).sum()
        };
        let energy_change = sum(|work| work.normal) + sum(|work| work.tangential);
        Some(SimultaneousUnguarded {
            modes: ledger.contacts.iter().map(|contact| contact.mode).collect(),
            energy_change,
        })
    }

    /// In the caller's units.
    fn report(
        &self,
        coefficients: &[Coefficients],
        ledger: &Ledger,
        guard: SimultaneousGuard,
    ) -> Result<SimultaneousOutcome> {
        let impulse = self.impulses_out(&ledger.impulse);
        let velocity = self.velocity_after(&impulse, ledger);
        let contact_velocity = self.contact_velocity_after(ledger, velocity.as_deref());
        let mut contacts = Vec::with_capacity(coefficients.len());
        let mut energy = Energy { before: None, after: None, change: 0.0, normal: 0.0, tangential: 0.0 };
        for (k, (block, coefficients)) in self.system.blocks.iter().zip(coefficients).enumerate() {
            let (dimension, entry) = (block.dimension, &ledger.contacts[k]);
            let finite = |value: f64, name: &str| {
                if value.is_finite() {
                    Ok(value)
                } else {
                    Err(Error::Overflow { field: format!("contacts[{k}].{name}").into() })
                }
            };
            for i in block.of(&impulse) {
                finite(i, "impulse")?;
            }
            let mut after = block.of(&contact_velocity);
            for (v, r) in after.iter_mut().zip(block.range()) {
                *v = finite(scale(*v, self.gamma + self.rows[r]) + 0.0, "contact_velocity.after")?;
            }
            let (normal, tangential) = (self.energy_out(entry.work.normal), self.energy_out(entry.work.tangential));
            energy.normal += normal;
            energy.tangential += tangential;
            contacts.push(ContactOutcome {
                mode: entry.mode,
                impulse: ContactVector::new(dimension, block.of(&impulse)),
                contact_velocity: BeforeAfter {
                    before: ContactVector::new(dimension, block.of(&self.velocity)),
                    after: ContactVector::new(dimension, after),
                },
                direction: entry.direction.map(|u| ContactVector::tangential(dimension, u)),
                energy: ContactEnergy { change: finite(normal + tangential, "energy.change")?, normal, tangential },
                restitution: RestitutionValues {
                    normal: entry.restitution,
                    tangential: coefficients.restitution.tangential(),
                },
                restitution_used: entry.restitution_used,
                friction: coefficients.friction,
                contact_dimension: dimension as u8,
            });
        }
        energy.change = energy.normal + energy.tangential;
        if let Some((Struck { mechanism, velocity: before, .. }, after)) =
            self.mechanism.as_ref().zip(velocity.as_ref())
        {
            energy.before = Some(mechanism.kinetic_energy(before).0);
            energy.after = Some(mechanism.kinetic_energy(after).0);
            if ledger.is_precise {
                // Impulses that are large and cancel lose digits of `v̄·i` that velocities keep.
                energy.correct(mechanism.energy_change(before, after), 0.0);
            }
        }
        if let Some(i) = velocity.iter().flatten().position(|v| !v.is_finite()) {
            return Err(Error::Overflow { field: format!("velocity[{i}]").into() });
        }
        for (value, name) in [(Some(energy.change), "change"), (energy.before, "before"), (energy.after, "after")] {
            if value.is_some_and(|value| !value.is_finite()) {
                return Err(Error::Overflow { field: format!("energy.{name}").into() });
            }
        }
        Ok(SimultaneousOutcome {
            contacts,
            velocity,
            energy,
            admissible: !ledger.creates_energy,
            guard,
            strong: ledger.strong,
            residual: ledger.residual,
            condition: self.mechanism.as_ref().map(|struck| struck.condition),
            solutions: ledger.solutions,
            search: ledger.search,
            sequence: ledger.sequence,
            settled: ledger.settled,
            effort: ledger.effort,
            law: Law::Aghili,
        })
    }

    /// One step of iterative refinement with `W`, which removes the error of the contact velocities by rounding in an ill-conditioned
    /// `M`. `None` if the error is within the rounding of `A q̇⁺` and a tenth of the tolerance of the check, or if the step needs an
    /// impulse larger than the uncertainty due to `M`.
    fn refined(&self, after: &[f64], ledger: &Ledger) -> Option<Vec<f64>> {
        let struck = self.mechanism.as_ref()?;
        let Struck { mechanism, condition, .. } = struck;
        let rounding = ROUNDING * after.len() as f64;
        let (left, most) = self.missing(struck, ledger, after);
        if left.iter().zip(most).all(|(left, most)| left.abs() <= most) {
            return None;
        }
        let mut system = LeastSquares::new(self.system.rows);
        system.matrix.clone_from(&self.system.matrix);
        system.rhs.copy_from_slice(&left);
        let mut step = vec![0.0; self.system.rows];
        system.solve(&mut step);
        let largest = |x: &[f64]| x.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
        if !(largest(&step) <= (ACCURACY + rounding * condition) * largest(&ledger.impulse)) {
            return None;
        }
        let change = mechanism.velocity_change(&self.impulses_out(&step));
        let refined: Vec<f64> = after.iter().zip(change).map(|(v, change)| v + change).collect();
        (largest(&self.missing(struck, ledger, &refined).0) < largest(&left)).then_some(refined)
    }

    /// What `A q̇⁺` misses of the contact velocities, and how much of that is no more than the rounding of `A q̇⁺` itself and a tenth
    /// of what the check lets pass; in the set's units.
    fn missing(&self, struck: &Struck, ledger: &Ledger, after: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let Struck { mechanism, jacobian, velocity, .. } = struck;
        let rounding = ROUNDING * after.len() as f64;
        let in_units = |(r, v): (usize, f64)| scale(v, -self.gamma - self.rows[r]);
        let anew = jacobian.times(after).into_iter().enumerate().map(in_units);
        let left = ledger.velocity.iter().zip(anew).map(|(told, anew)| told - anew).collect();
        let sizes = mechanism.sizes(jacobian, after).into_iter().zip(mechanism.sizes(jacobian, velocity));
        let most = sizes.map(|(after, before)| rounding * after + NOTICED * before).enumerate().map(in_units);
        (left, most.collect())
    }

    /// `q̇⁺`, by the impulses or by the change of the whitened velocity.
    fn velocity_after(&self, impulse: &[f64], ledger: &Ledger) -> Option<Vec<f64>> {
        let struck = self.mechanism.as_ref()?;
        let added = |change: Vec<f64>| -> Vec<f64> { struck.velocity.iter().zip(change).map(|(v, x)| v + x).collect() };
        match self.whitened.as_ref().filter(|_| ledger.is_precise) {
            Some(whitened) => {
                let after = added(whitened.generalized(&struck.mechanism, &ledger.change));
                Some(self.refined_precisely(struck, whitened, ledger, after))
            }
            None => {
                let after = added(struck.mechanism.velocity_change(impulse));
                Some(self.refined(&after, ledger).unwrap_or(after))
            }
        }
    }

    /// The same as [`refined`](Self::refined) by the shortest change of the whitened velocity that gives the rows back what they miss.
    fn refined_precisely(
        &self,
        struck: &Struck,
        whitened: &WhitenedRows,
        ledger: &Ledger,
        mut after: Vec<f64>,
    ) -> Vec<f64> {
        let worst = |left: &[f64], most: &[f64]| left.iter().zip(most).fold(0.0_f64, |w, (l, m)| w.max(l.abs() / m));
        for _ in 0..REFINEMENTS {
            let (left, most) = self.missing(struck, ledger, &after);
            let is_missing: Vec<bool> = left.iter().zip(&most).map(|(left, most)| left.abs() > *most).collect();
            if !is_missing.contains(&true) {
                break;
            }
            let change = whitened.change_for(&left, &is_missing);
            if !(length(&change) <= SMALL_CHANGE * length(&whitened.velocity)) {
                break;
            }
            let change = whitened.generalized(&struck.mechanism, &change);
            let refined: Vec<f64> = after.iter().zip(change).map(|(v, change)| v + change).collect();
            let (left_then, most_then) = self.missing(struck, ledger, &refined);
            if !(worst(&left_then, &most_then) < worst(&left, &most)) {
                break;
            }
            after = refined;
        }
        after
    }

    /// `v⁺` in the set's units: that of the law, or where `q̇⁺` was found by the whitened velocity and misses it, `A q̇⁺`.
    fn contact_velocity_after(&self, ledger: &Ledger, after: Option<&[f64]>) -> Vec<f64> {
        let mut velocity = ledger.velocity.clone();
        if let Some((struck, after)) = self.mechanism.as_ref().zip(after).filter(|_| ledger.is_precise) {
            let (left, most) = self.missing(struck, ledger, after);
            for ((v, left), most) in velocity.iter_mut().zip(left).zip(most) {
                if left.abs() > most {
                    *v -= left;
                }
            }
        }
        velocity
    }

    /// Impulses in the caller's units; adding zero turns -0 into 0.
    fn impulses_out(&self, impulse: &[f64]) -> Vec<f64> {
        impulse.iter().zip(&self.rows).map(|(i, row)| scale(*i, self.gamma - self.omega - row) + 0.0).collect()
    }

    fn energy_out(&self, energy: f64) -> f64 {
        scale(energy, 2 * self.gamma - self.omega)
    }
}
/// A refused kind of restitution, with the first contact that has it in its field.
fn name_kind(error: Error, coefficients: &[Coefficients]) -> Error {
    match error {
        Error::Simultaneous { field, value, contacts, instead } if field == "restitution.kind" => {
            let has_kind = |k: &&usize| coefficients[**k].restitution.kind().is_some_and(|kind| kind.name() == value);
            let field =
                contacts.iter().find(has_kind).map_or(field, |k| format!("coefficients[{k}].restitution.kind").into());
            Error::Simultaneous { field, value, contacts, instead }
        }
        error => error,
    }
}
