//! One impact of a robot: from a state and one or several contacts to the velocity after the impact.
//!
//! | file | contents |
//! |---|---|
//! | `ill_conditioned` | contacts solved with a factor of W |

mod ill_conditioned;

use carom_law::{
    Check, Coefficients, Contact, ContactSet, Delassus, Dimension, EnergyEvidence, Evidence, Guard, Law, MatrixView,
    Outcome, SimultaneousEvidence, SimultaneousOutcome,
};
use carom_multibody::{
    ContactPoint, ContactTerms, Contacts, Dynamics, DynamicsError, EnergyChange, ImpulseEffect, Meeting,
};

use crate::error::StrikeError;

/// Solves an impact at a contact in the state of `dynamics`. Returns the outcome in contact space and writes the
/// velocity after the impact to `velocity`. No allocation. The outcome is checked by [`Check::Contact`], in debug
/// builds and in [`strike_with`] by [`Check::Full`].
///
/// ```
/// use carom_law::{Coefficients, Friction, Guard, Mode, Restitution};
/// use carom_multibody::{ContactPoint, Dynamics, Inertia, Joint, JointKind, LinkId, LinkSpec, ModelBuilder};
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
/// let outcome = carom_sim::strike(&mut dynamics, &contact, &coefficients, Guard::Slip, &mut after)?;
/// assert_eq!(outcome.mode, Mode::Slip);
/// assert!((after[2] - 1.6).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A singular mass matrix, a contact that cannot move, missing friction, a `velocity` of the wrong length.
pub fn strike(
    dynamics: &mut Dynamics,
    contact: &ContactPoint,
    coefficients: &Coefficients,
    guard: Guard,
    velocity: &mut [f64],
) -> Result<Outcome, StrikeError> {
    strike_checked(Law::Aghili, DEFAULT_CHECK, dynamics, contact, coefficients, guard, velocity)
}

/// [`strike`] with a given law.
///
/// # Errors
/// As [`strike`]; also a contact or a guard that the law does not support.
pub fn strike_with(
    law: Law,
    dynamics: &mut Dynamics,
    contact: &ContactPoint,
    coefficients: &Coefficients,
    guard: Guard,
    velocity: &mut [f64],
) -> Result<Outcome, StrikeError> {
    strike_checked(law, Check::Full, dynamics, contact, coefficients, guard, velocity)
}

/// [`strike_with`] with the complete outcome, including the velocity after and the kinetic energies before and after
/// the impact. `dynamics` keeps its state.
///
/// # Errors
/// As [`strike_with`].
pub fn strike_outcome(
    law: Law,
    dynamics: &mut Dynamics,
    contact: &ContactPoint,
    coefficients: &Coefficients,
    guard: Guard,
) -> Result<Outcome, StrikeError> {
    let (q, before) = (dynamics.configuration().to_vec(), dynamics.velocity().to_vec());
    let mut after = vec![0.0; before.len()];
    let mut outcome = strike_with(law, dynamics, contact, coefficients, guard, &mut after)?;
    outcome.energy.before = Some(dynamics.kinetic_energy());
    dynamics.set_state(&q, &after)?;
    outcome.energy.after = Some(dynamics.kinetic_energy());
    dynamics.set_state(&q, &before)?;
    outcome.velocity = Some(after);
    Ok(outcome)
}

/// [`strike`] without the check of the outcome, for benchmarks of its cost. Spatial contacts only.
///
/// # Errors
/// As [`strike`].
#[doc(hidden)]
pub fn strike_unchecked(
    dynamics: &mut Dynamics,
    contact: &ContactPoint,
    coefficients: &Coefficients,
    guard: Guard,
    velocity: &mut [f64],
) -> Result<Outcome, StrikeError> {
    let terms = dynamics.single_contact(contact)?;
    let outcome = carom_law::impact_unchecked(&terms.delassus, &terms.velocity, coefficients, guard)?;
    dynamics.velocity_after(contact, &outcome.impulse, velocity)?;
    Ok(outcome)
}

/// The check of [`strike`]: debug builds compare the kinetic energies, too.
const DEFAULT_CHECK: Check = if cfg!(debug_assertions) { Check::Full } else { Check::Contact };

#[inline(always)]
fn strike_checked(
    law: Law,
    check: Check,
    dynamics: &mut Dynamics,
    contact: &ContactPoint,
    coefficients: &Coefficients,
    guard: Guard,
    velocity: &mut [f64],
) -> Result<Outcome, StrikeError> {
    if !dynamics.model().loops().is_empty() {
        return strike_in_loops(law, check, dynamics, contact, coefficients, guard, velocity);
    }
    strike_open(law, check, dynamics, contact, coefficients, guard, velocity)
}

/// A strike of a robot with closed loops. The velocity before must keep them closed; that the velocity
/// after does so, too, is checked.
#[cold]
fn strike_in_loops(
    law: Law,
    check: Check,
    dynamics: &mut Dynamics,
    contact: &ContactPoint,
    coefficients: &Coefficients,
    guard: Guard,
    velocity: &mut [f64],
) -> Result<Outcome, StrikeError> {
    let before = dynamics.velocity().to_vec();
    dynamics.check_loop_velocity(&before)?;
    let outcome = strike_open(law, check, dynamics, contact, coefficients, guard, velocity)?;
    dynamics.check_loop_velocity(velocity)?;
    Ok(outcome)
}

#[inline(always)]
fn strike_open(
    law: Law,
    check: Check,
    dynamics: &mut Dynamics,
    contact: &ContactPoint,
    coefficients: &Coefficients,
    guard: Guard,
    velocity: &mut [f64],
) -> Result<Outcome, StrikeError> {
    let terms = dynamics.single_contact(contact)?;
    if ill_conditioned::is_ill_conditioned(&terms, contact.dimension()) {
        return ill_conditioned::strike(law, dynamics, contact, coefficients, guard, velocity);
    }
    if law == Law::Aghili && contact.dimension() == 3 {
        // The fast path for the common case, without constructing a contact.
        return carom_law::impact_verified_by(&terms.delassus, &terms.velocity, coefficients, guard, |impulse| {
            evidence(check, dynamics, contact, impulse, velocity)
        });
    }
    let mut outcome = contact_of(&terms, contact.dimension())?.impact_by(law, coefficients, guard)?;
    outcome.verify(&evidence(check, dynamics, contact, &outcome.impulse, velocity)?)?;
    Ok(outcome)
}

/// The velocity after an impulse, A q̇⁺ along the chain and, on request, the kinetic energies of the links.
#[inline(always)]
fn evidence(
    check: Check,
    dynamics: &mut Dynamics,
    contact: &ContactPoint,
    impulse: &[f64],
    velocity: &mut [f64],
) -> Result<Evidence, StrikeError> {
    let ImpulseEffect { after, before_size, energy } =
        dynamics.strike(contact, impulse, check == Check::Full, velocity)?;
    Ok(Evidence {
        after: after.velocity,
        before_size: [before_size; 3],
        after_size: [after.size; 3],
        freedoms: velocity.len(),
        impulse_error: 0.0,
        energy: energy.map(energy_evidence),
    })
}

/// Solves a simultaneous impact of all selected contacts in the state of `dynamics`. Returns the outcome with the
/// kinetic energies and writes the velocity after the impact to `velocity`, too. `coefficients` has one entry per
/// contact. The terms of `contacts` are updated.
///
/// ```
/// use carom_law::{Coefficients, Friction, Guard, Mode, Restitution};
/// use carom_multibody::{ContactPoint, Contacts, Dynamics, Inertia, Joint, JointKind, LinkId, LinkSpec, ModelBuilder};
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
/// let outcome = carom_sim::strike_together(&mut dynamics, &mut contacts, &coefficients, Guard::Slip, &mut after)?;
/// assert_eq!(outcome.contacts[1].mode, Mode::Stick);
/// assert!((after[2] - 1.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`strike`]; also no selected contact, a wrong number of coefficients, or no solution within the required
/// precision.
pub fn strike_together(
    dynamics: &mut Dynamics,
    contacts: &mut Contacts,
    coefficients: &[Coefficients],
    guard: Guard,
    velocity: &mut [f64],
) -> Result<SimultaneousOutcome, StrikeError> {
    strike_together_with(Law::Aghili, dynamics, contacts, coefficients, guard, velocity)
}

/// [`strike_together`] with a law that has an answer to several contacts: `aghili` or `chord`.
///
/// # Errors
/// As [`strike_together`]; also another law, or a guard or kind of restitution that the law does not take.
pub fn strike_together_with(
    law: Law,
    dynamics: &mut Dynamics,
    contacts: &mut Contacts,
    coefficients: &[Coefficients],
    guard: Guard,
    velocity: &mut [f64],
) -> Result<SimultaneousOutcome, StrikeError> {
    let before = dynamics.velocity().to_vec();
    dynamics.check_loop_velocity(&before)?;
    dynamics.contact_terms(contacts)?;
    let dimensions = (0..contacts.selected().len()).map(|k| Dimension::from_rows(contacts.rows(k).len(), "contacts"));
    let dimensions = dimensions.collect::<carom_law::Result<Vec<_>>>()?;
    let w = contacts.delassus();
    let w = MatrixView::row_major(w.rows(), w.columns(), w.as_slice());
    let set = ContactSet::new(&dimensions, w, contacts.velocity())?;
    let mut outcome = set.impact_by(law, coefficients, guard)?;
    let energy = respond_together(dynamics, contacts, &set, &mut outcome, velocity)?;
    (outcome.energy.before, outcome.energy.after) = (Some(energy.before), Some(energy.after));
    outcome.velocity = Some(velocity.to_vec());
    Ok(outcome)
}

/// Writes the velocity of a robot after the impulses of an outcome to `velocity`. Checks the outcome against A q̇⁺
/// along the chains and the kinetic energies of the links, both recomputed.
///
/// `contacts` holds the terms of the present state. The velocity of `set` may differ slightly from A q̇⁻: the impulses
/// are checked by their effect on the former, and by the energy of a robot with that velocity.
pub(crate) fn respond_together(
    dynamics: &mut Dynamics,
    contacts: &Contacts,
    set: &ContactSet,
    outcome: &mut SimultaneousOutcome,
    velocity: &mut [f64],
) -> Result<EnergyEvidence, StrikeError> {
    let impulse: Vec<f64> = outcome.contacts.iter().flat_map(|contact| contact.impulse.to_vec()).collect();
    dynamics.contact_response(contacts, &impulse, velocity)?;
    for (after, before) in velocity.iter_mut().zip(dynamics.velocity()) {
        *after += before;
    }
    dynamics.check_loop_velocity(velocity)?;
    let rows = impulse.len();
    let (mut before, mut before_size) = (vec![0.0; rows], vec![0.0; rows]);
    let (mut after, mut after_size) = (vec![0.0; rows], vec![0.0; rows]);
    dynamics.contacts_velocity_of(contacts, dynamics.velocity(), &mut before, &mut before_size)?;
    dynamics.contacts_velocity_of(contacts, velocity, &mut after, &mut after_size)?;
    let energy = energies(dynamics, velocity)?;
    let mut told = energy;
    for (r, given) in set.velocity().iter().enumerate() {
        let shift = given - contacts.velocity()[r];
        after[r] += shift;
        told.after += shift * impulse[r];
    }
    // The pad of a dry friction is not a body of the robot: it moves by its own entry of W.
    for (r, _) in contacts.pads() {
        let (mobility, i) = (contacts.delassus()[(r, r)], impulse[r]);
        after[r] += mobility * i;
        told.after += 0.5 * mobility * i * i;
    }
    let evidence = SimultaneousEvidence {
        after: &after,
        before_size: &before_size,
        after_size: &after_size,
        freedoms: velocity.len(),
        energy: Some(told),
    };
    set.verify_against(outcome, &evidence)?;
    Ok(energy)
}

/// K of the state and of another velocity, from the motion of the links.
pub(crate) fn energies(dynamics: &mut Dynamics, velocity: &[f64]) -> Result<EnergyEvidence, DynamicsError> {
    dynamics.kinetic_energy_change(velocity).map(energy_evidence)
}

#[inline(always)]
fn energy_evidence(EnergyChange { before, after, after_size }: EnergyChange) -> EnergyEvidence {
    EnergyEvidence { before, after, after_size }
}

/// W and v_c⁻ of a contact of two links.
///
/// # Errors
/// A singular mass matrix, or links that cannot move along the normal.
pub fn meeting_contact(dynamics: &mut Dynamics, meeting: &Meeting) -> Result<Contact, StrikeError> {
    let velocity = dynamics.velocity().to_vec();
    dynamics.check_loop_velocity(&velocity)?;
    let mut contacts = Contacts::with_meetings(dynamics.model(), &[], &[], std::slice::from_ref(meeting));
    dynamics.contact_terms(&mut contacts)?;
    contact_of_rows(&contacts)
}

/// W and v_c⁻ of the only item of some contacts.
fn contact_of_rows(contacts: &Contacts) -> Result<Contact, StrikeError> {
    let (w, velocity) = (contacts.delassus(), contacts.velocity());
    let delassus = match velocity.len() {
        3 => Delassus::spatial([0, 1, 2].map(|i| [0, 1, 2].map(|j| w[(i, j)])))?,
        2 => Delassus::planar([0, 1].map(|i| [0, 1].map(|j| w[(i, j)])))?,
        _ => Delassus::normal(w[(0, 0)])?,
    };
    Ok(Contact::new(delassus, velocity)?)
}

/// The impact of a contact of two links, with the velocity after and the kinetic energies. `dynamics` keeps its state. The outcome is
/// checked against the velocities of the links and their energies, both recomputed.
///
/// # Errors
/// As [`strike_outcome`].
pub fn strike_meeting(
    law: Law,
    dynamics: &mut Dynamics,
    meeting: &Meeting,
    coefficients: &Coefficients,
    guard: Guard,
) -> Result<Outcome, StrikeError> {
    let before = dynamics.velocity().to_vec();
    dynamics.check_loop_velocity(&before)?;
    let mut contacts = Contacts::with_meetings(dynamics.model(), &[], &[], std::slice::from_ref(meeting));
    dynamics.contact_terms(&mut contacts)?;
    let mut outcome = contact_of_rows(&contacts)?.impact_by(law, coefficients, guard)?;
    let mut velocity = vec![0.0; before.len()];
    dynamics.contact_response(&contacts, &outcome.impulse, &mut velocity)?;
    for (after, before) in velocity.iter_mut().zip(&before) {
        *after += before;
    }
    dynamics.check_loop_velocity(&velocity)?;
    let rows = contacts.velocity().len();
    let read = |of: &[f64]| -> Result<([f64; 3], [f64; 3]), DynamicsError> {
        let (mut found, mut sizes) = ([0.0; 3], [0.0; 3]);
        dynamics.contacts_velocity_of(&contacts, of, &mut found[..rows], &mut sizes[..rows])?;
        Ok((found, sizes))
    };
    let ((_, before_size), (after, after_size)) = (read(&before)?, read(&velocity)?);
    let energy = energies(dynamics, &velocity)?;
    let freedoms = velocity.len();
    outcome.verify(&Evidence { after, before_size, after_size, freedoms, impulse_error: 0.0, energy: Some(energy) })?;
    (outcome.energy.before, outcome.energy.after) = (Some(energy.before), Some(energy.after));
    outcome.velocity = Some(velocity);
    Ok(outcome)
}

/// A robot's contact: W, or a factor of W if it is ill-conditioned, and v_c⁻.
///
/// # Errors
/// A singular mass matrix, or a contact that cannot move along its normal.
pub fn contact_at(dynamics: &mut Dynamics, contact: &ContactPoint) -> Result<Contact, StrikeError> {
    let velocity = dynamics.velocity().to_vec();
    dynamics.check_loop_velocity(&velocity)?;
    let terms = dynamics.single_contact(contact)?;
    if ill_conditioned::is_ill_conditioned(&terms, contact.dimension()) {
        return Ok(*ill_conditioned::factored(dynamics, contact)?.contact());
    }
    Ok(contact_of(&terms, contact.dimension())?)
}

/// W and v_c⁻ of a robot's contact, with one row per dimension.
fn contact_of(terms: &ContactTerms, dimension: usize) -> carom_law::Result<Contact> {
    let w = &terms.delassus;
    let delassus = match dimension {
        3 => Delassus::spatial(*w)?,
        2 => Delassus::planar([[w[0][0], w[0][1]], [w[1][0], w[1][1]]])?,
        _ => Delassus::normal(w[0][0])?,
    };
    Contact::new(delassus, &terms.velocity[..dimension.clamp(1, 3)])
}

#[cfg(test)]
mod tests {
    use carom_law::{Condition, Error, Friction, Restitution};
    use carom_multibody::{Inertia, Joint, JointKind, LinkId, LinkSpec, ModelBuilder};

    use super::*;

    const STATE: [f64; 8] = [0.0, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0, 0.4];
    const VELOCITY: [f64; 7] = [0.7, 0.2, -1.5, 0.3, -0.4, 0.1, 0.8];

    /// A body with an arm, and a contact on each.
    fn robot() -> (Dynamics, Contacts) {
        let mut builder = ModelBuilder::new("walker");
        let body =
            LinkSpec::new("body").joint(Joint::new("free", JointKind::Floating)).inertia(Inertia::ball(2.0, 0.3));
        let body = builder.link(LinkId::WORLD, body).unwrap();
        let hinge = Joint::new("hinge", JointKind::Revolute).along([0.0, 1.0, 0.0]).through([0.0; 3]);
        let arm = LinkSpec::new("arm").joint(hinge).inertia(Inertia::ball(0.5, 0.2));
        let arm = builder.link(body, arm).unwrap();
        let model = builder.build().unwrap();
        let up = [0.0, 0.0, 1.0];
        let points = [
            ContactPoint::new(&model, body, [-0.4, 0.1, -0.3], up).unwrap(),
            ContactPoint::new(&model, arm, [0.5, 0.0, -0.2], up).unwrap(),
        ];
        let contacts = Contacts::new(&model, &points);
        (Dynamics::new(model), contacts)
    }

    fn struck() -> (Dynamics, Contacts, ContactSet, SimultaneousOutcome) {
        let (mut dynamics, mut contacts) = robot();
        dynamics.set_state(&STATE, &VELOCITY).unwrap();
        dynamics.contact_terms(&mut contacts).unwrap();
        let w = contacts.delassus();
        let w = MatrixView::row_major(w.rows(), w.columns(), w.as_slice());
        let set = ContactSet::new(&[Dimension::Spatial; 2], w, contacts.velocity()).unwrap();
        let coefficients = Coefficients::new(Restitution::new(0.5).unwrap(), Friction::new(0.3).unwrap());
        let outcome = set.impact(&[coefficients; 2], Guard::Slip).unwrap();
        (dynamics, contacts, set, outcome)
    }

    #[test]
    fn several_contacts_are_held_against_the_velocity_along_the_chains() {
        let (mut dynamics, contacts, set, outcome) = struck();
        let mut after = [0.0; 7];
        let mut sound = outcome.clone();
        respond_together(&mut dynamics, &contacts, &set, &mut sound, &mut after).unwrap();
        assert!(sound.residual < 1e-12, "{:e}", sound.residual);

        // Terms of another configuration: W i agrees with the impulses, their effect on the robot does not.
        let mut elsewhere = STATE;
        elsewhere[7] += 1e-6;
        dynamics.set_state(&elsewhere, &VELOCITY).unwrap();
        let mut stale = outcome.clone();
        let error = respond_together(&mut dynamics, &contacts, &set, &mut stale, &mut after).unwrap_err();
        let StrikeError::Law(Error::CheckFailed { field, condition: Condition::Velocity(_), value, bound }) = error
        else {
            panic!("{error}");
        };
        assert!(field.starts_with("contacts[1].contact_velocity.after"), "{field}");
        assert!(value > bound && bound > 0.0);

        // A deviation within its bound shows in the residual.
        elsewhere[7] = STATE[7] + 1e-10;
        dynamics.set_state(&elsewhere, &VELOCITY).unwrap();
        let mut near = outcome.clone();
        respond_together(&mut dynamics, &contacts, &set, &mut near, &mut after).unwrap();
        assert!(near.residual > 1e3 * sound.residual && near.residual > 1e-12, "{:e}", near.residual);
    }

    #[test]
    fn several_contacts_are_held_against_kinetic_energies() {
        let (mut dynamics, contacts, set, mut outcome) = struck();
        outcome.energy.change *= 1.0 + 1e-6;
        let error = respond_together(&mut dynamics, &contacts, &set, &mut outcome, &mut [0.0; 7]).unwrap_err();
        assert!(matches!(error, StrikeError::Law(Error::CheckFailed { condition: Condition::Energy, .. })), "{error}");
    }

    /// A simulation passes velocities to the law that differ slightly from A q̇⁻.
    #[test]
    fn velocities_that_were_shifted_are_judged_by_the_shift() {
        let (mut dynamics, contacts, _, _) = struck();
        let w = contacts.delassus();
        let w = MatrixView::row_major(w.rows(), w.columns(), w.as_slice());
        let shifted: Vec<f64> = contacts.velocity().iter().map(|v| v - 1e-3).collect();
        let set = ContactSet::new(&[Dimension::Spatial; 2], w, &shifted).unwrap();
        let coefficients = Coefficients::new(Restitution::new(0.5).unwrap(), Friction::new(0.3).unwrap());
        let mut outcome = set.impact(&[coefficients; 2], Guard::Slip).unwrap();
        respond_together(&mut dynamics, &contacts, &set, &mut outcome, &mut [0.0; 7]).unwrap();
        assert!(outcome.residual < 1e-12);
    }
}
