//! One impact of a group of coupled contacts, by the law for one contact or for several, and its entry in the ledger.

use super::ContactSet;
use super::ledger::Ledger;
use super::outcome::AnswerSearch;
use super::strike::{Answer, CERTIFIED, Request, Strike};
use crate::contact::Contact;
use crate::contact::coefficients::{Coefficients, RestitutionKind};
use crate::contact::delassus::Factor;
use crate::coulomb::descent::Work;
use crate::coulomb::effort::SimultaneousEffort;
use crate::error::{Error, Result};
use crate::impact::collision::Impact;
use crate::impact::guard::Guard;
use crate::impact::mode::Mode;
use crate::impact::outcome::Law;
use crate::impact::refinement::answer_change;
use crate::numeric::scaling::scale;

/// Whether a law has an answer to contacts that are coupled, with their kinds of restitution.
pub(super) fn check_several(law: Law, contacts: &[usize], coefficients: &[Coefficients]) -> Result<()> {
    let is_newton = |k: &usize| coefficients[*k].restitution.kind() == Some(RestitutionKind::Newton);
    let (field, value, instead) = if contacts.len() < 2 {
        return Ok(());
    } else if !law.answers_several() {
        ("law", law.name(), "\"chord\", or \"aghili\" with a guard")
    } else if contacts.iter().any(is_newton) {
        ("restitution.kind", RestitutionKind::Newton.name(), "\"poisson\"")
    } else {
        return Ok(());
    };
    Err(Error::Simultaneous { field: field.into(), value, contacts: contacts.to_vec(), instead })
}

impl Ledger {
    /// The one-contact law.
    pub(super) fn alone(&mut self, k: usize, strike: &Strike, guard: Guard) -> Result<Answer> {
        let (block, &Request { e, e_t, mu_s, mu_d, .. }) = (&strike.system.blocks[0], &strike.contacts[0]);
        let factored = strike.ill_conditioned().map(|rows| (rows, rows.orthogonal()));
        let contact = match &factored {
            None => Contact::assemble(block.delassus, block.of(&strike.before)),
            Some((rows, orthogonal)) => {
                let (dimension, r, rows_n) = (block.dimension, orthogonal.r, rows.velocity.len());
                let factor = Factor { dimension, r, normal_row: 0, tangential_row: 0, rows: rows_n };
                let whitened = orthogonal.transposed_times(&rows.velocity);
                Contact::from_factor(&factor, block.of(&strike.before), whitened, 0)
            }
        };
        let [mu_s, mu_d] = [mu_s, mu_d].map(|mu| contact.rescaled::<false>(mu, |units| units.beta));
        if !(mu_s.is_finite() && mu_d.is_finite()) {
            return Err(Error::Overflow { field: format!("coefficients[{k}].friction").into() });
        }
        let decision = Impact { contact: &contact, e, e_t, mu_s, mu_d }.decide(guard);
        let solution = contact.in_callers_units::<false>(&decision.answer);
        let acted = decision.unguarded.is_some();
        let factor = if e > 0.0 { decision.answer.e / e } else { 1.0 };
        self.note(decision.creates_energy, acted, false, factor);
        self.strong &= !acted;
        self.effort.add(&SimultaneousEffort::LAW);
        let entry = &mut self.contacts[k];
        entry.mode = solution.mode;
        entry.direction = decision.answer.direction;
        entry.restitution_used = decision.answer.e;
        entry.work.book(solution.normal_work, solution.tangential_work);
        let rows = block.dimension.rows();
        let (impulse, after) = (solution.impulse[..rows].to_vec(), solution.after[..rows].to_vec());
        let change = factored.zip(contact.whitened.as_ref()).map(|((_, orthogonal), whitened)| {
            let change = answer_change(&contact, whitened, &decision.answer, e_t, mu_d);
            orthogonal.times(&change.map(|x| scale(x, contact.gamma))).into()
        });
        Ok(Answer { change, ..strike.known(impulse, after, factor) })
    }

    /// One contact, by a rival law.
    pub(super) fn alone_by_rival(&mut self, k: usize, strike: &Strike, coefficients: &Coefficients) -> Result<Answer> {
        let (block, &Request { e, e_t, mu_s, mu_d, .. }) = (&strike.system.blocks[0], &strike.contacts[0]);
        let contact = Contact::assemble(block.delassus, block.of(&strike.before));
        let [mu_s, mu_d] = [mu_s, mu_d].map(|mu| contact.rescaled::<false>(mu, |units| units.beta));
        if !(mu_s.is_finite() && mu_d.is_finite()) {
            return Err(Error::Overflow { field: format!("coefficients[{k}].friction").into() });
        }
        let impact = Impact { contact: &contact, e, e_t, mu_s, mu_d };
        let answer = impact.answer_by(self.law, &coefficients.restitution)?;
        let solution = contact.in_callers_units::<false>(&answer);
        self.effort.add(&SimultaneousEffort::LAW);
        let entry = &mut self.contacts[k];
        entry.mode = solution.mode;
        entry.direction = answer.direction;
        entry.restitution_used = e;
        entry.work.book(solution.normal_work, solution.tangential_work);
        let rows = block.dimension.rows();
        let (impulse, after) = (solution.impulse[..rows].to_vec(), solution.after[..rows].to_vec());
        Ok(Answer { impulse, after, may_stick: Vec::new(), factor: 1.0, residual: 0.0, change: None, modes: None })
    }

    /// Several coupled contacts, by the law chord.
    pub(super) fn together_by_chord(
        &mut self,
        set: &ContactSet,
        contacts: &[usize],
        strike: &Strike,
    ) -> Result<Answer> {
        let mut work = Work::new(strike.system.rows, self.most_steps.saturating_sub(self.steps));
        let result = strike.by_chord(&mut work);
        self.effort.add(&work.effort);
        self.steps += work.steps();
        let struck = match result {
            Ok(struck) => struck,
            Err(best) => return Err(self.not_converged(set, contacts, strike, &strike.restored(best))),
        };
        self.search = AnswerSearch::Sampled;
        self.note(struck.blended, struck.blended, struck.blended, 1.0);
        for (place, &k) in contacts.iter().enumerate() {
            let (normal, tangential) = strike.work(place, &struck.answer);
            let (entry, mode) = (&mut self.contacts[k], struck.modes[place]);
            entry.work.book(normal, tangential);
            entry.restitution_used = strike.contacts[place].e;
            if mode != Mode::Separating {
                entry.mode = mode;
                entry.direction = if mode == Mode::Slip { strike.slip_after(place, &struck.answer) } else { None };
            }
        }
        Ok(strike.restored(struck.answer))
    }

    /// Several coupled contacts.
    pub(super) fn together(
        &mut self,
        set: &ContactSet,
        contacts: &[usize],
        strike: &Strike,
        guard: Guard,
    ) -> Result<Answer> {
        let mut work = Work::new(strike.system.rows, self.most_steps.saturating_sub(self.steps));
        let result = strike.guarded(guard, &mut work);
        self.effort.add(&work.effort);
        self.steps += work.steps();
        let guarded = match result {
            Ok(guarded) => guarded,
            Err(best) => return Err(self.not_converged(set, contacts, strike, &strike.restored(best))),
        };
        let answer = guarded.answer;
        if self.sequence == 1 {
            self.solutions = self.solutions.saturating_mul(guarded.solutions);
            self.search = if guarded.search == AnswerSearch::Sampled { guarded.search } else { self.search };
        }
        self.note(guarded.creates_energy, guarded.acted, guarded.blended, answer.factor);
        self.strong &= !guarded.blended && strike.is_strong(&answer);
        for (place, &k) in contacts.iter().enumerate() {
            let (normal, tangential) = strike.work(place, &answer);
            let (entry, mode) = (&mut self.contacts[k], guarded.modes[place]);
            entry.work.book(normal, tangential);
            entry.restitution_used = answer.factor * strike.contacts[place].e;
            if mode != Mode::Separating {
                entry.mode = mode;
                entry.direction = if mode == Mode::Slip { strike.direction(place, &answer) } else { None };
            }
        }
        Ok(strike.restored(answer))
    }

    /// The error of contacts without an answer, with the impulses of earlier impacts and of the best candidate.
    fn not_converged(&self, set: &ContactSet, contacts: &[usize], strike: &Strike, best: &Answer) -> Error {
        let mut impulse = self.impulse.clone();
        for (block, &k) in strike.system.blocks.iter().zip(contacts) {
            for (total, row) in set.system.blocks[k].range().zip(block.range()) {
                impulse[total] += best.impulse[row];
            }
        }
        let best_impulse = set.impulses_out(&impulse);
        Error::NotConverged { field: "impulse".into(), residual: best.residual, bound: CERTIFIED, best: best_impulse }
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use crate::contact::coefficients::{Friction, Restitution};
    use crate::contact::delassus::Dimension;
    use crate::numeric::matrix::MatrixView;
    use fastrand::Rng;

    fn coefficients(e: f64) -> Coefficients {
        Coefficients::new(Restitution::new(e).unwrap(), Friction::new(0.3).unwrap())
    }

    /// The best candidate of an instant is what earlier impacts did and what is left of this one, in the caller's units.
    #[test]
    fn what_is_found_of_an_answer_is_told_with_the_impulses_before() {
        let mut rng = Rng::with_seed(1);
        let dimensions = [Dimension::Planar, Dimension::Spatial, Dimension::Normal];
        let (system, rows) = samples::system(&mut rng, &dimensions, 8);
        let velocity: Vec<f64> = rows.iter().map(|row| row[0] - row[1]).collect();
        let w: Vec<f64> = system.matrix.as_slice().iter().map(|w| 1024.0 * w).collect();
        let set = ContactSet::new(&dimensions, MatrixView::row_major(6, 6, &w), &velocity).unwrap();
        let mut ledger = Ledger::new(&set, &[coefficients(0.5); 3]);
        ledger.impulse = samples::numbers(&mut rng, 6);
        // Contacts 2 and 0, in this order.
        let group = [2, 0];
        let strike = samples::strike(&mut rng, &[Dimension::Normal, Dimension::Planar], 5);
        let best = Answer { residual: 0.125, ..samples::answer(&mut rng, &strike) };
        let error = ledger.not_converged(&set, &group, &strike, &best);
        let Error::NotConverged { field, residual, bound, best: found } = error else { panic!("{error}") };
        assert_eq!((&*field, residual, bound), ("impulse", 0.125, CERTIFIED));
        let mut expected = ledger.impulse.clone();
        expected[5] += best.impulse[0];
        expected[0] += best.impulse[1];
        expected[1] += best.impulse[2];
        assert_eq!(found, set.impulses_out(&expected));
    }

    /// A set of planar contacts with the matrix and velocity given.
    fn planar(w: [f64; 16], v: [f64; 4]) -> ContactSet {
        ContactSet::new(&[Dimension::Planar; 2], MatrixView::row_major(4, 4, &w), &v).unwrap()
    }

    #[rustfmt::skip]
    const NEVER_STRONG: [f64; 16] = [
        6.0, 0.0, 1.0, 3.0,  0.0, 3.0, 1.0, -1.0,  1.0, 1.0, 5.0, 0.0,  3.0, -1.0, 0.0, 5.0,
    ];

    /// An answer that is not strong makes the outcome so, and a later one does not make up for it.
    #[test]
    fn an_outcome_is_strong_only_if_each_of_its_answers_is() {
        // The known pair without a strong answer, and beside it a pair of its own that sticks.
        let mut w = vec![0.0; 64];
        for i in 0..4 {
            w[8 * i..8 * i + 4].copy_from_slice(&NEVER_STRONG[4 * i..4 * i + 4]);
            w[8 * (4 + i) + 4 + i] = 2.0;
        }
        (w[8 * 4 + 6], w[8 * 6 + 4]) = (0.5, 0.5);
        let impact = |first: [f64; 4], second: [f64; 4]| {
            let view = MatrixView::row_major(8, 8, &w);
            let set = ContactSet::new(&[Dimension::Planar; 4], view, &[first, second].concat()).unwrap();
            set.impact(&[coefficients(0.5); 4], Guard::Report).unwrap()
        };
        let (strikes, slow, leaves) = ([-3.0, 2.0, -1.0, -2.0], [-2.0, 0.1, -1.5, 0.1], [1.0, 0.0, 1.0, 0.0]);
        assert!(!impact(strikes, slow).strong && !impact(strikes, leaves).strong);
        assert!(impact(leaves, slow).strong);
        // Faster, the second pair comes first in the order of contacts.
        assert!(!impact(strikes, slow.map(|v| 10.0 * v)).strong);
        assert!(!planar(NEVER_STRONG, strikes).impact(&[coefficients(0.5); 2], Guard::Report).unwrap().strong);
    }

    #[test]
    fn contacts_that_do_not_take_part_in_the_impulse_are_told_as_separating() {
        // The second contact leaves at once: the first pushes it away.
        let mut w = NEVER_STRONG;
        (w[2], w[8]) = (3.0, 3.0);
        let set = planar(w, [-3.0, 0.5, -0.1, 0.2]);
        for law in [Law::Aghili, Law::Chord] {
            let outcome = set.impact_by(law, &[coefficients(0.5); 2], Guard::Report).unwrap();
            let [first, second] = &outcome.contacts[..] else { panic!() };
            assert!(first.mode != Mode::Separating && first.impulse[0] > 0.0, "{law:?} {first:?}");
            assert!(second.mode == Mode::Separating && second.impulse.to_vec() == [0.0; 2], "{law:?} {second:?}");
        }
    }
}
