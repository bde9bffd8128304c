//! Several contacts of one system that strike at the same instant.
//!
//! A call goes `sequence` (which contacts strike, one impact after the other) → `group` → `guarded` → `search` → `strike` → the descent of
//! `coulomb` (which contacts stick) and its solvers (the impulses for given types). Their result is judged by `certificate`,
//! which shares only the problem with them; `ledger` adds the impacts up.
//!
//! | file | contents |
//! |---|---|
//! | `check` | whether a matrix is a Delassus matrix of several contacts |
//! | `order` | an order of contacts that does not depend on how they are listed |
//! | `ledger` | the totals of the impacts so far |
//! | `group` | one impact of coupled contacts, by the law |
//! | `sequence` | one instant: which contacts strike, impact after impact |
//! | `guarded` | the guards of several contacts |
//! | `search` | the answers that exist, and the one returned |
//! | `whitened` | the contacts of a mechanism in coordinates in which the kinetic energy is half the square of the velocity |
//! | `precise` | answers in these coordinates where W is ill-conditioned |
//! | `combination` | such answers by trying every combination of modes |
//! | `chord` | contacts that strike together, by the law chord |
//! | `strike` | contacts that strike together, and the descent over their types |
//! | `certificate` | whether impulses satisfy the law |
//! | `velocity` | the velocity of the mechanism after the impact |
//! | `report` | the outcome in the caller's units |
//! | `verify` | the check of outcomes |
//! | `outcome` | the outcome as data |
//! | `samples` | for tests: random contacts that strike together |

mod certificate;
mod check;
mod chord;
mod combination;
mod group;
mod guarded;
mod ledger;
mod order;
mod outcome;
mod precise;
mod report;
#[cfg(test)]
mod samples;
mod search;
mod sequence;
mod strike;
mod velocity;
mod verify;
mod whitened;

pub use outcome::{
    AnswerSearch, ContactEnergy, ContactOutcome, SimultaneousGuard, SimultaneousOutcome, SimultaneousUnguarded,
};

use self::ledger::Ledger;
use self::whitened::WhitenedRows;
use crate::contact::coefficients::{self, Coefficients};
use crate::contact::delassus::Dimension;
use crate::contact::mechanism::{Jacobian, Mechanism, check_shapes, contact_velocity};
use crate::coulomb::{Block, System};
use crate::error::{Error, Result};
use crate::impact::guard::Guard;
use crate::impact::outcome::Law;
use crate::numeric::matrix::{Dense, MatrixView};
use crate::numeric::scaling::{exponent, loses_digits, scale};

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::coefficients::{Friction, Restitution, RestitutionKind};

    const DIMENSIONS: [Dimension; 2] = [Dimension::Spatial, Dimension::Normal];

    /// Contacts of a mechanism whose units of mass and length are far from one, and their matrix.
    fn both_forms(mass: f64, length: f64) -> [ContactSet; 2] {
        let m = nalgebra::DMatrix::from_diagonal(&nalgebra::DVector::from_row_slice(&[2.0, 3.0, 5.0, 7.0])) * mass;
        #[rustfmt::skip]
        let a = nalgebra::DMatrix::from_row_slice(4, 4, &[
            1.0, 0.2, 0.0, 0.1,  0.1, 1.0, 0.3, 0.0,  0.2, 0.0, 1.0, 0.0,  0.0, 0.1, 0.0, 1.0,
        ]) * length;
        let v = [-3.0, 1.0, -2.0, -0.5];
        let w = &a * m.clone().try_inverse().unwrap() * a.transpose();
        let contact = &a * nalgebra::DVector::from_row_slice(&v);
        [
            ContactSet::from_generalized(&DIMENSIONS, samples::view(&m), samples::view(&a), &v).unwrap(),
            ContactSet::new(&DIMENSIONS, samples::view(&w), contact.as_slice()).unwrap(),
        ]
    }

    fn coefficients() -> [Coefficients; 2] {
        let given = Coefficients::new(Restitution::new(0.5).unwrap(), Friction::new(0.3).unwrap());
        [given; 2]
    }

    #[test]
    fn a_mechanism_and_its_matrix_are_the_same_contacts() {
        for (mass, length) in [(1.0, 1.0), (1e9, 1e-4), (1e-7, 3e5)] {
            let [mechanism, matrix] = both_forms(mass, length);
            assert!(mechanism.dimensions().eq(DIMENSIONS) && matrix.dimensions().eq(DIMENSIONS));
            // W back in the caller's units.
            let entry = |set: &ContactSet, r: usize, c: usize| {
                scale(set.system.matrix[(r, c)], set.omega + set.rows[r] + set.rows[c])
            };
            for (r, c) in [(0, 0), (1, 0), (2, 1), (3, 2), (3, 3)] {
                let (a, b) = (entry(&mechanism, r, c), entry(&matrix, r, c));
                assert!((a - b).abs() < 1e-12 * entry(&matrix, 0, 0), "{r} {c}: {a} {b}");
            }
            let [a, b] = [mechanism, matrix].map(|set| set.impact(&coefficients(), Guard::Report).unwrap());
            for (a, b) in a.contacts.iter().zip(&b.contacts) {
                let size = a.impulse.iter().map(|i| i.abs()).fold(0.0, f64::max);
                assert!(a.impulse.iter().zip(b.impulse.iter()).all(|(a, b)| (a - b).abs() < 1e-11 * size));
            }
            assert!((a.energy.change - b.energy.change).abs() < 1e-11 * b.energy.change.abs());
        }
    }

    /// `speed · √W_nn`, but of a mechanism at most what its rows are checked by.
    #[test]
    fn the_speed_of_a_contact_is_that_of_an_energy_up_to_what_the_check_measures_by() {
        let [mechanism, matrix] = both_forms(1.0, 1.0);
        for (k, block) in matrix.system.blocks.iter().enumerate() {
            assert!((matrix.speed_of(block, 3.0) / (3.0 * block.w_nn.sqrt()) - 1.0).abs() < 1e-15);
            let block = &mechanism.system.blocks[k];
            let size = mechanism.whitened.as_ref().unwrap().sizes[block.start];
            assert_eq!(mechanism.speed_of(block, 1e9), size);
            assert!((mechanism.speed_of(block, 1e-9) / (1e-9 * block.w_nn.sqrt()) - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn guards_are_aghilis_and_kinds_of_restitution_those_of_chord() {
        let [_, set] = both_forms(1.0, 1.0);
        let kind = |law: Law| {
            let [mut one, other] = coefficients();
            one.restitution = one.restitution.of_kind(RestitutionKind::Poisson);
            set.impact_by(law, &[other, one], Guard::Report)
        };
        let field = |error: Error| match error {
            Error::Unsupported { field, .. } => field.into_owned(),
            other => panic!("{other}"),
        };
        for law in [Law::Aghili, Law::Moreau] {
            assert_eq!(field(kind(law).unwrap_err()), "coefficients[1].restitution.kind");
        }
        assert!(kind(Law::Chord).is_ok());
        for guard in [Guard::Slip, Guard::Limit] {
            assert!(set.impact_by(Law::Aghili, &coefficients(), guard).is_ok());
            assert_eq!(field(set.impact_by(Law::Chord, &coefficients(), guard).unwrap_err()), "guard");
        }
    }

    #[test]
    fn no_impulse_and_no_velocity_of_an_outcome_is_a_zero_with_a_sign() {
        let [set, _] = both_forms(1.0, 1.0);
        assert!(set.impulses_out(&[-0.0; 4]).iter().all(|i| i.is_sign_positive()));
        // Two contacts apart that lose all their velocity.
        let w = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let set = ContactSet::new(
            &[Dimension::Planar, Dimension::Normal],
            MatrixView::row_major(3, 3, &w),
            &[-1.0, -0.0, -1.0],
        );
        let plastic = Coefficients::new(Restitution::new(0.0).unwrap(), Friction::new(0.3).unwrap());
        let outcome = set.unwrap().impact(&[plastic; 2], Guard::Report).unwrap();
        for contact in &outcome.contacts {
            let numbers = contact.impulse.iter().chain(contact.contact_velocity.after.iter());
            assert!(numbers.into_iter().all(|x| *x != 0.0 || x.is_sign_positive()), "{contact:?}");
        }
    }
}
