//! Running totals of one instant: impulses, velocities and each contact's share, over the impacts so far.

use super::ContactSet;
use super::outcome::{AnswerSearch, ContactEnergy};
use crate::contact::coefficients::Coefficients;
use crate::coulomb::Block;
use crate::coulomb::effort::SimultaneousEffort;
use crate::impact::mode::Mode;
use crate::impact::outcome::Law;
use crate::numeric::plane::Vec2;

/// Sweeps, steps, exchanges and combinations tried in one instant, at most: about a third of a second for a few contacts. Contacts that make each
/// other approach without end, each time in a Coulomb problem that is hard to solve, could take millions.
pub(super) const MOST_STEPS: u32 = 200_000;

/// The totals of the impacts so far, in the set's units.
#[derive(Debug)]
pub(crate) struct Ledger {
    pub(super) law: Law,
    pub(crate) impulse: Vec<f64>,
    pub(crate) velocity: Vec<f64>,
    pub(crate) contacts: Vec<Entry>,
    pub(crate) residual: f64,
    pub(crate) strong: bool,
    pub(crate) creates_energy: bool,
    pub(crate) acted: bool,
    pub(crate) blended: bool,
    pub(crate) factor: f64,
    pub(crate) sequence: u32,
    /// Whether an impact without restitution ended the sequence.
    pub(crate) settled: bool,
    pub(crate) solutions: u32,
    pub(crate) search: AnswerSearch,
    pub(crate) effort: SimultaneousEffort,
    /// The whitened velocity and its change so far; empty without a mechanism.
    pub(super) whitened: Vec<f64>,
    pub(crate) change: Vec<f64>,
    /// Whether an answer was found by that change: velocities and energies then follow from it.
    pub(crate) is_precise: bool,
    /// Steps taken, and their bound.
    pub(super) steps: u32,
    pub(super) most_steps: u32,
}

/// The progress of one contact.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) mode: Mode,
    pub(crate) direction: Option<Vec2>,
    pub(crate) work: ContactEnergy,
    pub(crate) restitution: f64,
    pub(crate) restitution_used: f64,
}

impl Ledger {
    /// Before the first impact.
    pub(super) fn new(set: &ContactSet, coefficients: &[Coefficients]) -> Self {
        let velocity = set.scaled_velocity();
        let whitened = set.whitened.as_ref().map_or(Vec::new(), |rows| rows.velocity.clone());
        let entry = |(block, coefficients): (&Block, &Coefficients)| {
            let speed = (-set.velocity[block.start]).max(0.0);
            let restitution = coefficients.restitution.normal_at(speed);
            Entry {
                mode: Mode::Separating,
                direction: None,
                work: ContactEnergy::default(),
                restitution,
                restitution_used: restitution,
            }
        };
        Self {
            law: Law::Aghili,
            impulse: vec![0.0; velocity.len()],
            contacts: set.system.blocks.iter().zip(coefficients).map(entry).collect(),
            velocity,
            change: vec![0.0; whitened.len()],
            whitened,
            is_precise: false,
            residual: 0.0,
            strong: true,
            creates_energy: false,
            acted: false,
            blended: false,
            factor: 1.0,
            sequence: 0,
            settled: false,
            solutions: 1,
            search: AnswerSearch::Exhaustive,
            effort: SimultaneousEffort::default(),
            steps: 0,
            most_steps: MOST_STEPS,
        }
    }

    /// Records whether an answer creates energy, and the effect of the guard on it.
    pub(super) fn note(&mut self, creates_energy: bool, acted: bool, blended: bool, factor: f64) {
        self.creates_energy |= creates_energy;
        self.acted |= acted;
        self.blended |= blended;
        self.factor = self.factor.min(factor);
    }

    /// The progress with the contacts as they were listed: `order` and `rows` tell where each contact and row belongs.
    pub(crate) fn reordered(mut self, order: &[usize], rows: &[usize]) -> Self {
        let (impulse, velocity, contacts) = (self.impulse.clone(), self.velocity.clone(), self.contacts.clone());
        for (place, &row) in rows.iter().enumerate() {
            (self.impulse[row], self.velocity[row]) = (impulse[place], velocity[place]);
        }
        for (place, &k) in order.iter().enumerate() {
            self.contacts[k] = contacts[place];
        }
        self
    }
}

impl ContactEnergy {
    pub(super) fn book(&mut self, normal: f64, tangential: f64) {
        self.normal += normal;
        self.tangential += tangential;
        self.change = self.normal + self.tangential;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::coefficients::{Friction, Restitution};
    use crate::contact::delassus::Dimension;
    use crate::numeric::matrix::MatrixView;

    fn ledger() -> Ledger {
        #[rustfmt::skip]
        let w = [2.0, 0.5, 0.0, 0.0,  0.5, 1.0, 0.0, 0.0,  0.0, 0.0, 2.0, 0.0,  0.0, 0.0, 0.0, 1.0];
        let set = ContactSet::new(&[Dimension::Planar; 2], MatrixView::row_major(4, 4, &w), &[-1.0, 0.5, 0.25, 0.0]);
        let coefficients = Coefficients::new(Restitution::new(0.5).unwrap(), Friction::new(0.3).unwrap());
        Ledger::new(&set.unwrap(), &[coefficients; 2])
    }

    #[test]
    fn what_one_answer_did_stays_noted_whatever_the_next_ones_do() {
        let flags = |ledger: &Ledger| [ledger.creates_energy, ledger.acted, ledger.blended];
        for noted in [[true, false, false], [false, true, false], [false, false, true]] {
            let mut ledger = ledger();
            let [creates_energy, acted, blended] = noted;
            ledger.note(creates_energy, acted, blended, 0.5);
            ledger.note(false, false, false, 0.75);
            assert_eq!((flags(&ledger), ledger.factor), (noted, 0.5));
        }
    }

    #[test]
    fn works_add_up() {
        let mut work = ContactEnergy::default();
        work.book(-0.5, -0.25);
        work.book(-0.125, 0.0);
        assert_eq!(work, ContactEnergy { change: -0.875, normal: -0.625, tangential: -0.25 });
    }

    #[test]
    fn what_was_found_in_another_order_goes_back_to_its_contacts() {
        let mut ledger = ledger();
        (ledger.impulse, ledger.velocity) = (vec![1.0, 2.0, 3.0, 4.0], vec![5.0, 6.0, 7.0, 8.0]);
        (ledger.contacts[0].mode, ledger.contacts[1].mode) = (Mode::Stick, Mode::Slip);
        let listed = ledger.reordered(&[1, 0], &[2, 3, 0, 1]);
        assert_eq!(listed.impulse, [3.0, 4.0, 1.0, 2.0]);
        assert_eq!(listed.velocity, [7.0, 8.0, 5.0, 6.0]);
        assert_eq!([listed.contacts[0].mode, listed.contacts[1].mode], [Mode::Slip, Mode::Stick]);
    }
}
