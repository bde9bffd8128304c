//! Whether impulses satisfy the law, and what each contact does: read off the impulses and velocities alone, whatever
//! found them.

use super::strike::{Answer, CERTIFIED, Request, Strike};
use crate::contact::delassus::Dimension;
use crate::coulomb::local;
use crate::coulomb::{Block, tangential_residual};
use crate::impact::mode::Mode;
use crate::numeric::plane::{Vec2, dot, norm, scaled};

/// A contact that slides could have stuck if that needs less friction than it has by this fraction.
const MARGIN: f64 = 1e-9;

/// A contact's part of an answer.
struct Part<'a> {
    block: &'a Block,
    contact: &'a Request,
    impulse: [f64; 3],
    before: [f64; 3],
    after: [f64; 3],
    /// What the normal and the tangents may miss their conditions by, over what they may by the largest speed alone.
    allowed: [f64; 2],
}

impl Part<'_> {
    /// How far the contact is from sticking.
    fn sticking_error(&self) -> f64 {
        let (i, w_t) = (&self.impulse, self.block.w_t);
        let e_t = self.contact.e_t;
        let left = norm([self.after[1] + e_t * self.before[1], self.after[2] + e_t * self.before[2]]);
        let outside = w_t * (norm([i[1], i[2]]) - self.contact.mu_s * i[0]).max(0.0);
        left.max(outside)
    }

    /// How far it is from Coulomb's law on the average velocity.
    fn sliding_error(&self) -> f64 {
        tangential_residual(self.block.w_t, self.contact.mu_d, &self.impulse, self.sum())
    }

    /// `2 v̄_t`
    fn sum(&self) -> Vec2 {
        [self.before[1] + self.after[1], self.before[2] + self.after[2]]
    }

    fn mode(&self, speed: f64) -> Mode {
        let speed = speed * self.allowed[1];
        if self.impulse[0] == 0.0 {
            Mode::Separating
        } else if self.block.dimension == Dimension::Normal || self.sticking_error() <= CERTIFIED * speed {
            Mode::Stick
        } else if norm(self.sum()) <= CERTIFIED * speed {
            Mode::Reversal
        } else {
            Mode::Slip
        }
    }
}

impl Strike {
    fn parts<'a>(&'a self, answer: &'a Answer) -> impl Iterator<Item = Part<'a>> {
        let contacts = self.system.blocks.iter().zip(&self.contacts).zip(&self.allowed);
        contacts.map(|((block, contact), &allowed)| Part {
            block,
            contact,
            impulse: block.of(&answer.impulse),
            before: block.of(&self.before),
            after: block.of(&answer.after),
            allowed,
        })
    }

    /// The largest violation of the law at any contact, as a velocity over the largest speed.
    pub(crate) fn certificate(&self, answer: &Answer) -> f64 {
        let of = |(k, part): (usize, Part<'_>)| {
            let target = self.target(k, answer.factor);
            let [allowed_n, allowed_t] = part.allowed;
            let normal = (part.block.w_nn * part.impulse[0]).min(part.after[0] - target).abs() / allowed_n;
            let tangential = part.sticking_error().min(part.sliding_error()) / allowed_t;
            if normal.is_nan() || tangential.is_nan() { f64::INFINITY } else { normal.max(tangential) / self.speed }
        };
        self.parts(answer).enumerate().map(of).fold(0.0, f64::max)
    }

    /// What each contact does.
    pub(crate) fn modes(&self, answer: &Answer) -> Vec<Mode> {
        match &answer.modes {
            Some(modes) => modes.to_vec(),
            None => self.parts(answer).map(|part| part.mode(self.speed)).collect(),
        }
    }

    /// `u` of contact `k`, if it slips: against its friction or along its average velocity, whichever is larger.
    pub(crate) fn direction(&self, k: usize, answer: &Answer) -> Option<Vec2> {
        let block = &self.system.blocks[k];
        let (i, before, after) = (block.of(&answer.impulse), block.of(&self.before), block.of(&answer.after));
        let sum = [before[1] + after[1], before[2] + after[2]];
        let friction = [i[1], i[2]];
        let along = if block.w_t * norm(friction) > norm(sum) { scaled(-1.0, friction) } else { sum };
        let length = norm(along);
        (length > 0.0).then(|| scaled(1.0 / length, along))
    }

    /// Whether every contact sticks that could, the others doing what they do.
    pub(crate) fn is_strong(&self, answer: &Answer) -> bool {
        !self.could_stick(answer).contains(&true)
    }

    /// The contacts that slide but could stick, the others doing what they do.
    pub(crate) fn could_stick(&self, answer: &Answer) -> Vec<bool> {
        let modes = self.modes(answer);
        let could = |(k, part): (usize, Part<'_>)| match modes[k] {
            Mode::Separating | Mode::Stick => false,
            Mode::Slip | Mode::Reversal => {
                let Part { block, contact, impulse, before, after, .. } = part;
                let target = self.target(k, answer.factor);
                let mut q = [after[0] - target, after[1] + contact.e_t * before[1], after[2] + contact.e_t * before[2]];
                for r in 0..block.dimension.rows() {
                    let row = &self.system.matrix.row(block.start + r)[block.range()];
                    q[r] -= row.iter().zip(&impulse).map(|(w, i)| w * i).sum::<f64>();
                }
                local::can_rest(&block.delassus, q, contact.mu_s * (1.0 - MARGIN))
            }
        };
        self.parts(answer).enumerate().map(could).collect()
    }

    /// The normal and tangential work of contact `k`, `v̄·i`.
    pub(crate) fn work(&self, k: usize, answer: &Answer) -> (f64, f64) {
        let block = &self.system.blocks[k];
        let (i, before, after) = (block.of(&answer.impulse), block.of(&self.before), block.of(&answer.after));
        let tangential = dot([before[1] + after[1], before[2] + after[2]], [i[1], i[2]]);
        (0.5 * (before[0] + after[0]) * i[0], 0.5 * tangential)
    }

    /// `K⁺ - K⁻`
    pub(crate) fn energy_change(&self, answer: &Answer) -> f64 {
        if let Some((rows, change)) = self.rows.as_ref().zip(answer.change.as_ref()) {
            return rows.energy_change(change);
        }
        (0..self.contacts.len()).map(|k| self.work(k, answer)).map(|(normal, tangential)| normal + tangential).sum()
    }
}
