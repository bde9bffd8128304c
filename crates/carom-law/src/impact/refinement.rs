//! The change of the whitened velocity by an outcome, and one step of iterative refinement, which removes the error of
//! the contact velocity by rounding in an ill-conditioned `M`.

use crate::contact::Contact;
use crate::contact::vector::ContactVector;
use crate::contact::whitened::Whitened;
use crate::impact::collision::Answer;
use crate::impact::guard::Guard;
use crate::impact::mode::Mode;
use crate::impact::outcome::{Law, Outcome};
use crate::impact::verify::Evidence;
use crate::numeric::plane::norm;
use crate::numeric::scaling::scale;
use crate::numeric::tolerance::{ACCURACY, ROUNDING};

/// How far `q̇⁺` may be corrected towards the contact velocity of the law if the impulse is restricted to its cone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refinement {
    /// At most by the possible rounding error.
    Bounded,
    /// Completely, if nothing else passes the check.
    Whole,
}

/// The change of the whitened velocity by an outcome. Prescribed components of the velocity after the impact enter
/// directly: computed from the impulse, they would inherit the rounding of large impulses that cancel.
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

/// The change by a solution in the contact's units, with the requested coefficients.
pub(crate) fn answer_change(contact: &Contact, whitened: &Whitened, answer: &Answer, e_t: f64, mu_d: f64) -> [f64; 3] {
    let turned = |share: f64| whitened.turn(contact, answer.e, share, 0.0).map(|turn| turn.change);
    let change = match answer.mode {
        Mode::Separating => return [0.0; 3],
        Mode::Stick => turned(e_t),
        Mode::Reversal => turned(1.0),
        Mode::Slip => {
            let average = [0, 1].map(|k| 0.5 * (contact.v_t[k] + answer.after[k]));
            whitened.slide(contact, answer.e, mu_d, average).map(|slide| slide.change)
        }
    };
    change.unwrap_or_else(|| whitened.change_of(-(1.0 + answer.e) * contact.v_n, answer.tangential))
}

impl Contact {
    /// Refines an outcome if `A q̇⁺` of the evidence differs from its velocity by more than the rounding of `A q̇⁺`.
    /// `respond` receives the missing change of the whitened velocity in the contact's units, applies it and returns
    /// new evidence; `None` if the change exceeds the range of `f64`.
    ///
    /// In stick and reversal the whole velocity after the impact is prescribed and determines the impulse. In slip the
    /// impulse is restricted to its cone. If `M` is ill-conditioned, a small change reaches the velocity of the law. If
    /// the tangents have little mobility, it would take a large one; the tangential velocity is then computed from the
    /// impulse.
    pub(crate) fn refine<E>(
        &self,
        outcome: &mut Outcome,
        evidence: &mut Evidence,
        refinement: Refinement,
        respond: impl FnOnce(&[f64; 3]) -> Result<Option<Evidence>, E>,
    ) -> Result<(), E> {
        let Some(whitened) = &self.whitened else { return Ok(()) };
        let Self { gamma, delassus, .. } = self;
        let wanted = outcome.contact_velocity.after.padded();
        let holds = matches!(outcome.mode, Mode::Stick | Mode::Reversal);
        // Values that would fail the check must change; if the impulse is restricted to its cone, only these.
        let accuracy = if holds { 0.0 } else { 0.5 * ACCURACY };
        let rounding = ROUNDING * evidence.freedoms as f64;
        let missing = |r: usize| wanted[r] - evidence.after[r];
        let bound = |r: usize| rounding * evidence.after_size[r] + accuracy * evidence.before_size[r];
        if !(0..delassus.dimension.rows()).any(|r| missing(r).abs() > bound(r)) {
            return Ok(());
        }
        let tangential = gamma + delassus.beta;
        let missing = [scale(missing(0), -gamma), scale(missing(1), -tangential), scale(missing(2), -tangential)];
        let mut change = whitened.change_for(delassus, missing);
        let keeps_impulse = !holds && refinement == Refinement::Bounded && !whitened.is_small(change);
        if keeps_impulse {
            change = whitened.change_for_normal(missing[0]);
        }
        let Some(anew) = respond(&change)? else { return Ok(()) };
        *evidence = anew;
        if holds {
            self.add_impulse(outcome, whitened.impulse_for(delassus, change), rounding);
        } else if keeps_impulse {
            let [_, x, y] = evidence.after;
            outcome.contact_velocity.after = ContactVector::new(delassus.dimension, [wanted[0], x, y]);
        }
        Ok(())
    }

    /// Adds to the impulse of an outcome, unless the change is rounding that moves it out of its cone, or would make it
    /// tensile when no guard can choose another restitution. `rounding` is relative to the impulse.
    fn add_impulse(&self, outcome: &mut Outcome, change: [f64; 3], rounding: f64) {
        let Self { gamma, delassus, .. } = self;
        let told = outcome.impulse.padded();
        let mut impulse = told;
        for (r, change) in change.into_iter().enumerate() {
            let beta = if r == 0 { 0 } else { delassus.beta };
            impulse[r] += scale(change, gamma - delassus.omega - beta);
        }
        if outcome.friction.is_some_and(|friction| friction.mu_s() == 0.0) {
            // Without friction, a tangential impulse is rounding.
            impulse[1..].fill(0.0);
        }
        // On the boundary of a wide cone, the rounding of i_t exceeds that of i_n: the law's impulse is kept.
        let mu_s = outcome.friction.map_or(0.0, |friction| friction.mu_s());
        let tangential = |i: &[f64; 3]| norm([i[1], i[2]]);
        let leaves = |i: &[f64; 3]| tangential(i) > (1.0 + ACCURACY) * mu_s * i[0];
        let moved = [0, 1, 2].map(|r| impulse[r] - told[r]);
        let most = rounding * tangential(&told);
        let is_rounding = tangential(&moved) <= most && moved[0].abs() <= scale(most, delassus.beta);
        let is_limited = outcome.guard.name == Guard::Limit && outcome.guard.acted;
        let stays = leaves(&impulse) && !leaves(&told) && is_rounding || impulse[0] < 0.0 && !is_limited;
        if !stays && impulse.iter().all(|i| i.is_finite()) {
            outcome.impulse = ContactVector::new(delassus.dimension, impulse);
        }
    }
}
