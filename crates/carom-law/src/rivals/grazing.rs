//! Contacts that approach too slowly for the rival laws to square their speed.

use super::{ImpactLaw, Response};
use crate::contact::Contact;
use crate::contact::coefficients::Friction;
use crate::contact::vector::ContactVector;
use crate::error::{Error, Result};
use crate::impact::collision::{Answer, Impact};
use crate::impact::guard::Guard;
use crate::impact::outcome::{Energy, Outcome, RestitutionValues};
use crate::impact::report::representable;
use crate::numeric::plane::{add_scaled, norm};
use crate::numeric::scaling::{exponent, scale};

/// An approach slower than 2 to this power, in units of the fastest velocity, is too slow to be squared.
const GRAZING: i32 = -480;

/// An impulse that changes the slip by no more than this fraction (2^-60) leaves it as it is.
const NO_CHANGE: f64 = 8.7e-19;

/// With friction up to this (2^300), an approach of `2^GRAZING` has no noticeable effect.
const LARGEST_FRICTION: f64 = 2e90;

/// Restitution beyond this (2^100) is that of a contact that jams: it leaves with a speed of the size of its slip.
const THROWN_OFF: f64 = 1.3e30;

/// The slowest approach (2^-960) that loses nothing to underflow where it is only multiplied.
const SLOWEST: f64 = 1.1e-289;

/// A contact that slips so fast, or approaches so slowly, that `v_n⁻²` or even `v_n⁻` underflows beside `v_t⁻`.
///
/// As long as its impulse does not change the slip, it is proportional to `v_n⁻`: that of a faster approach, scaled. If
/// the contact jams, it is the limit for `v_n⁻ → 0`.
pub(super) struct Grazing {
    contact: Contact,
    /// `v_n⁻` has been multiplied by 2 to this power.
    lift: i32,
}

impl Grazing {
    /// [`Contact::impact_by`] for the grazing contact.
    #[cold]
    #[inline(never)]
    pub(super) fn outcome<R: ImpactLaw + ?Sized>(
        &self,
        contact: &Contact,
        rival: &R,
        impact: &Impact<'_>,
        restitution: &RestitutionValues,
        friction: Option<Friction>,
    ) -> Result<Outcome> {
        let (law, guard) = (rival.law(), Guard::Report);
        let Response { answer, phases, chord } = self.respond(rival, impact)?;
        representable(answer.e, "guard.restitution")?;
        let is_slow = self.is_slow(&answer);
        // In these units the impulse of a slow approach is rounding.
        let decision = impact.judged(if is_slow { without_impulse(&answer) } else { answer });
        let residual = if is_slow {
            self.contact.verified(&Impact { contact: &self.contact, ..*impact }, &answer, law, guard)?
        } else {
            contact.verified(impact, &answer, law, guard)?
        };
        let mut outcome = contact.report::<false>(restitution, friction, guard, impact, &decision)?;
        representable(outcome.contact_velocity.after[0], "contact_velocity.after")?;
        (outcome.law, outcome.phases, outcome.chord, outcome.residual) = (law, phases, chord, residual);
        Ok(if is_slow { self.scaled(&answer, outcome) } else { outcome })
    }

    #[cold]
    fn respond<R: ImpactLaw + ?Sized>(&self, rival: &R, impact: &Impact<'_>) -> Result<Response> {
        let faster = rival.respond(&Impact { contact: &self.contact, ..*impact })?;
        let answer = faster.answer;
        let back = |x: f64| scale(x, -self.lift);
        if self.is_slow(&answer) {
            Ok(faster)
        } else if impact.mu_s <= LARGEST_FRICTION {
            let answer = if answer.e > THROWN_OFF {
                Answer { e: scale(answer.e, self.lift), ..answer }
            } else {
                let normal_work = back(answer.normal_work);
                Answer { normal_work, energy_change: normal_work + answer.tangential_work, ..answer }
            };
            Ok(Response { answer, ..faster })
        } else if impact.contact.v_n.abs() >= SLOWEST {
            rival.respond(impact)
        } else {
            Err(Error::OutOfRange {
                field: "contact_velocity[0]".into(),
                value: impact.contact.before[0],
                bound: "what f64 can tell from zero beside the tangential velocity and this friction".into(),
            })
        }
    }

    /// Whether the impulse of the faster approach leaves the slip as it is, so that it is to be scaled.
    fn is_slow(&self, answer: &Answer) -> bool {
        let Contact { delassus: d, v_t, .. } = &self.contact;
        let change = add_scaled(d.w_tt.times(answer.tangential), answer.normal, d.w);
        norm(change) <= NO_CHANGE * norm(*v_t)
    }

    /// The outcome with the impulse and the energies of the slow approach, each in one step from the faster one: in the
    /// units between, they might underflow.
    fn scaled(&self, faster: &Answer, outcome: Outcome) -> Outcome {
        let contact = &self.contact;
        let impulses = Contact { gamma: contact.gamma - self.lift, ..*contact }.in_callers_units::<false>(faster);
        let (omega, twice) = (contact.delassus.omega, 2 * contact.gamma);
        let normal = scale(faster.normal_work, twice - 2 * self.lift - omega);
        let tangential = scale(faster.tangential_work, twice - self.lift - omega);
        Outcome {
            impulse: ContactVector::new(contact.delassus.dimension, impulses.impulse),
            energy: Energy { change: normal + tangential, normal, tangential, ..outcome.energy },
            ..outcome
        }
    }
}

impl Contact {
    /// Whether it approaches more slowly than `2^GRAZING`.
    #[inline(always)]
    pub(super) fn grazes(&self) -> bool {
        GRAZING > exponent(self.before[0]) - self.gamma
    }

    /// The contact as one that approaches at `2^GRAZING`, if it approaches more slowly.
    #[inline(always)]
    pub(super) fn grazing(&self) -> Option<Box<Grazing>> {
        let lift = GRAZING - (exponent(self.before[0]) - self.gamma);
        if lift > 0 { Some(self.lifted(lift)) } else { None }
    }

    #[cold]
    fn lifted(&self, lift: i32) -> Box<Grazing> {
        Box::new(Grazing { contact: Self { v_n: scale(self.before[0], lift - self.gamma), ..*self }, lift })
    }
}

/// An answer without its impulse.
fn without_impulse(answer: &Answer) -> Answer {
    Answer {
        normal: 0.0,
        tangential: [0.0, 0.0],
        normal_work: 0.0,
        tangential_work: 0.0,
        energy_change: 0.0,
        ..*answer
    }
}
