//! One impact of a robot: from a state and a contact, or several, to the velocity after.

use carom_law::{
    Check, Coefficients, Contact, ContactSet, Delassus, Dimension, EnergyEvidence, Evidence, Guard, Law, MatrixView,
    Outcome, SimultaneousOutcome,
};
use carom_multibody::{ContactPoint, ContactTerms, Contacts, Dynamics, DynamicsError};

/// Why a robot's impact has no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StrikeError {
    /// The state or the model.
    #[error(transparent)]
    Dynamics(#[from] DynamicsError),
    /// The law refuses the contact, or the answer is beyond `f64`.
    #[error(transparent)]
    Law(#[from] carom_law::Error),
}

/// What an impact at a contact does to the state that `dynamics` holds: the outcome in contact space, and the
/// velocity after in `velocity`. Nothing is allocated. The outcome was checked by [`Check::Contact`]; [`strike_by`] checks by
/// [`Check::Full`], and so does a debug build.
///
/// ```
/// use carom::law::{Coefficients, Friction, Guard, Mode, Restitution};
/// use carom::multibody::{ContactPoint, Dynamics, Inertia, Joint, JointKind, LinkId, LinkSpec, ModelBuilder};
///
/// let mut builder = ModelBuilder::new("ball");
/// let ball = LinkSpec::new("ball").joint(Joint::new("free", JointKind::Floating)).inertia(Inertia::ball(1.0, 0.5));
/// let ball = builder.link(LinkId::WORLD, ball)?;
/// let model = builder.build()?;
/// let contact = ContactPoint::new(&model, ball, [0.0, 0.0, -0.5], [0.0, 0.0, 1.0])?;
///
/// let mut dynamics = Dynamics::new(model);
/// let fall = [1.0, 0.0, -2.0, 0.0, 0.0, 0.0];
/// dynamics.set_state(&[0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0], &fall)?;
/// let coefficients = Coefficients::new(Restitution::new(0.8)?, Friction::new(0.05)?);
/// let mut after = [0.0; 6];
/// let outcome = carom::strike(&mut dynamics, &contact, &coefficients, Guard::Slip, &mut after)?;
/// assert_eq!(outcome.mode, Mode::Slip);
/// assert!((after[2] - 1.6).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A singular mass matrix, a contact that cannot move, friction that is missing, a `velocity` of the wrong length.
pub fn strike(
    dynamics: &mut Dynamics,
    contact: &ContactPoint,
    coefficients: &Coefficients,
    guard: Guard,
    velocity: &mut [f64],
) -> Result<Outcome, StrikeError> {
    let outcome = answer(Law::Aghili, dynamics, contact, coefficients, guard, velocity)?;
    checked(outcome, DEFAULT_CHECK, dynamics, contact, velocity)
}

/// [`strike`] by one of the laws.
///
/// # Errors
/// As [`strike`]; also a contact or a guard that the law has no answer to.
pub fn strike_by(
    law: Law,
    dynamics: &mut Dynamics,
    contact: &ContactPoint,
    coefficients: &Coefficients,
    guard: Guard,
    velocity: &mut [f64],
) -> Result<Outcome, StrikeError> {
    let outcome = answer(law, dynamics, contact, coefficients, guard, velocity)?;
    checked(outcome, Check::Full, dynamics, contact, velocity)
}

/// Whether the bare [`strike`] looks at the kinetic energies too.
const DEFAULT_CHECK: Check = if cfg!(debug_assertions) { Check::Full } else { Check::Contact };

fn answer(
    law: Law,
    dynamics: &mut Dynamics,
    contact: &ContactPoint,
    coefficients: &Coefficients,
    guard: Guard,
    velocity: &mut [f64],
) -> Result<Outcome, StrikeError> {
    let terms = dynamics.single_contact(contact)?;
    // The quickest way for the common case, which keeps no contact.
    let outcome = match contact.dimension() {
        3 if law == Law::Aghili => carom_law::impact(&terms.delassus, &terms.velocity, coefficients, guard)?,
        _ => contact_of(&terms, contact.dimension())?.impact_by(law, coefficients, guard)?,
    };
    dynamics.impulse_response(contact, &outcome.impulse, velocity)?;
    for (after, before) in velocity.iter_mut().zip(dynamics.velocity()) {
        *after += before;
    }
    Ok(outcome)
}

/// The outcome, held against A q̇⁺ along the chain and, if asked for, against the kinetic energies of the links.
fn checked(
    mut outcome: Outcome,
    check: Check,
    dynamics: &mut Dynamics,
    contact: &ContactPoint,
    velocity: &[f64],
) -> Result<Outcome, StrikeError> {
    let before = dynamics.contact_velocity_of(contact, dynamics.velocity())?;
    let after = dynamics.contact_velocity_of(contact, velocity)?;
    let energy = match check {
        Check::Contact => None,
        Check::Full => {
            let before = dynamics.kinetic_energy();
            let after = dynamics.kinetic_energy_of(velocity)?;
            // A sum of squares: its rounding is that of its terms.
            Some(EnergyEvidence { before, after, after_size: 2.0 * after })
        }
    };
    outcome.verify(&Evidence {
        after: after.velocity,
        before_size: [before.size; 3],
        after_size: [after.size; 3],
        freedoms: velocity.len(),
        impulse_error: 0.0,
        energy,
    })?;
    Ok(outcome)
}

/// What an impact of all selected contacts at once does to the state that `dynamics` holds: the outcome with the kinetic
/// energies, and the velocity after in `velocity`, too. `coefficients` has one entry a contact. The terms of `contacts` are
/// filled.
///
/// ```
/// use carom::law::{Coefficients, Friction, Guard, Mode, Restitution};
/// use carom::multibody::{ContactPoint, Contacts, Dynamics, Inertia, Joint, JointKind, LinkId, LinkSpec, ModelBuilder};
///
/// // A dumbbell falls flat.
/// let mut builder = ModelBuilder::new("dumbbell");
/// let bar = LinkSpec::new("bar").joint(Joint::new("free", JointKind::Floating)).inertia(Inertia::ball(1.0, 0.5));
/// let bar = builder.link(LinkId::WORLD, bar)?;
/// let model = builder.build()?;
/// let end = |x: f64| ContactPoint::new(&model, bar, [x, 0.0, 0.0], [0.0, 0.0, 1.0]);
/// let mut contacts = Contacts::new(&model, &[end(-1.0)?, end(1.0)?]);
///
/// let mut dynamics = Dynamics::new(model);
/// dynamics.set_state(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], &[0.0, 0.0, -2.0, 0.0, 0.0, 0.0])?;
/// let coefficients = [Coefficients::new(Restitution::new(0.5)?, Friction::new(0.3)?); 2];
/// let mut after = [0.0; 6];
/// let outcome = carom::strike_together(&mut dynamics, &mut contacts, &coefficients, Guard::Slip, &mut after)?;
/// assert_eq!(outcome.contacts[1].mode, Mode::Stick);
/// assert!((after[2] - 1.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`strike`]; also no contact selected, another number of coefficients, or no answer to the precision promised.
pub fn strike_together(
    dynamics: &mut Dynamics,
    contacts: &mut Contacts,
    coefficients: &[Coefficients],
    guard: Guard,
    velocity: &mut [f64],
) -> Result<SimultaneousOutcome, StrikeError> {
    dynamics.contact_terms(contacts)?;
    let dimensions = (0..contacts.selected().len()).map(|k| Dimension::from_rows(contacts.rows(k).len(), "contacts"));
    let dimensions = dimensions.collect::<carom_law::Result<Vec<_>>>()?;
    let w = contacts.delassus();
    let w = MatrixView::row_major(w.rows(), w.columns(), w.as_slice());
    let mut outcome = ContactSet::new(&dimensions, w, contacts.velocity())?.impact(coefficients, guard)?;
    let impulse: Vec<f64> = outcome.contacts.iter().flat_map(|contact| contact.impulse.to_vec()).collect();
    dynamics.contact_response(contacts, &impulse, velocity)?;
    for (after, before) in velocity.iter_mut().zip(dynamics.velocity()) {
        *after += before;
    }
    let (before, after) = (dynamics.kinetic_energy(), dynamics.kinetic_energy_of(velocity)?);
    outcome.verify_energy(&EnergyEvidence { before, after, after_size: 2.0 * after }, velocity.len())?;
    (outcome.energy.before, outcome.energy.after) = (Some(before), Some(after));
    outcome.velocity = Some(velocity.to_vec());
    Ok(outcome)
}

/// W and v_c⁻ of a robot's contact, with as many rows as it has dimensions.
pub(crate) fn contact_of(terms: &ContactTerms, dimension: usize) -> carom_law::Result<Contact> {
    let w = &terms.delassus;
    let delassus = match dimension {
        3 => Delassus::spatial(*w)?,
        2 => Delassus::planar([[w[0][0], w[0][1]], [w[1][0], w[1][1]]])?,
        _ => Delassus::normal(w[0][0])?,
    };
    Contact::new(delassus, &terms.velocity[..dimension.clamp(1, 3)])
}
