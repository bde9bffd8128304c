//! What an outcome does to the whitened velocity, and one step of iterative refinement: what rounding in an ill-conditioned
//! `M` did to the contact velocity is taken back.

use crate::contact::Contact;
use crate::contact::vector::ContactVector;
use crate::contact::whitened::Whitened;
use crate::impact::guard::Guard;
use crate::impact::mode::Mode;
use crate::impact::outcome::{Law, Outcome};
use crate::impact::verify::Evidence;
use crate::numeric::plane::norm;
use crate::numeric::scaling::scale;
use crate::numeric::tolerance::{ACCURACY, ROUNDING};

/// How far `q̇⁺` may be moved to the contact velocity that the law found, where the impulse is bound to its cone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refinement {
    /// By what rounding may have done.
    Bounded,
    /// All the way: where nothing else passes the check.
    Whole,
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

impl Contact {
    /// Refines an outcome where `A q̇⁺` of the evidence misses its velocity by more than the rounding of `A q̇⁺` itself.
    /// `respond` is given the change of the whitened velocity that is missing, in the contact's units, makes it, and returns
    /// the evidence anew; `None` if the change is beyond `f64`.
    ///
    /// What holds the tangents has all of the velocity after prescribed, and its impulse follows. Else the impulse is bound to
    /// its cone. Where `M` is ill-conditioned, little has to change for the velocity that the law found. Where tangents can
    /// hardly move, much would have to: the tangential velocity is then what the impulse makes of it.
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
        // What would fail the check has to change; with an impulse that is bound to its cone, no more than that.
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

    /// Adds to the impulse of an outcome, unless that is rounding which moves it out of its cone, or makes it pull where no guard can
    /// choose another restitution. `rounding` is relative to the impulse.
    fn add_impulse(&self, outcome: &mut Outcome, change: [f64; 3], rounding: f64) {
        let Self { gamma, delassus, .. } = self;
        let told = outcome.impulse.padded();
        let mut impulse = told;
        for (r, change) in change.into_iter().enumerate() {
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
        let is_limited = outcome.guard.name == Guard::Limit && outcome.guard.acted;
        let stays = leaves(&impulse) && !leaves(&told) && is_rounding || impulse[0] < 0.0 && !is_limited;
        if !stays && impulse.iter().all(|i| i.is_finite()) {
            outcome.impulse = ContactVector::new(delassus.dimension, impulse);
        }
    }
}
