//! Contacts that stay closed: the meaning of their types, and contacts at rest with forces on the boundaries of their
//! cones.

use crate::coulomb::descent::{Answered, Typed};
use crate::coulomb::{Block, Rule};
use crate::numeric::plane::{Vec2, norm};

use super::{ACCEPTED, Several};

/// Distance of a force from the boundary of its cone, relative to the largest force, below which it is on the boundary.
const EDGE: f64 = 1e-9;

/// Slips too slow to be distinguished from rest count as rest if they are slower than the fastest by this factor.
const TOGETHER: f64 = 0.1;

/// Contacts that may press: at rest with `μ_s`, or with `μ_d` if they may not stick; those that slide are driven.
pub(super) struct Resting<'a> {
    pub(super) several: &'a Several<'a>,
    pub(super) inside: &'a [usize],
    /// The free accelerations.
    pub(super) alpha: &'a [f64],
    /// Whether some contact must slip or lift off, because the forces of the present modes leave a cone.
    pub(super) must_change: bool,
    /// Contacts with forces on the boundary of their cone that slip, however slowly.
    pub(super) is_forced: Vec<bool>,
}

impl Typed for Resting<'_> {
    fn conditions(&mut self, may_stick: &[bool], q: &mut Vec<f64>, rules: &mut Vec<Rule>) {
        q.clear();
        q.extend_from_slice(self.alpha);
        rules.clear();
        for (index, (&k, &may_stick)) in self.inside.iter().zip(may_stick).enumerate() {
            let contact = &self.several.problem.contacts[k];
            let (mu_s, mu_d) = contact.coefficients();
            rules.push(match contact.direction() {
                Some(u) => Rule::Driven { mu: mu_d, u },
                None => Rule::Coulomb { mu: if may_stick { mu_s } else { mu_d }, prefers_rest: may_stick },
            });
            // With other types the forces change, and so do the contacts on the boundaries of their cones.
            self.is_forced[index] &= !may_stick;
        }
    }

    fn slide(&self, index: usize, _: &Block, a_t: Vec2) -> f64 {
        if self.weakens(index) { norm(a_t) } else { 0.0 }
    }

    /// If no contact slips or lifts off although some mode must change, the contacts at rest with forces on the boundaries of
    /// their cones slip, and the nearest gets `μ_d`.
    fn reconsider(&mut self, answer: &Answered<'_>, may_stick: &mut [bool]) -> bool {
        if !self.must_change || answer.residual > ACCEPTED * self.several.size {
            return false;
        }
        let Some(nearest) = self.force_edges(answer) else { return false };
        may_stick[nearest] = false;
        self.weakens(nearest)
    }
}

impl Resting<'_> {
    /// Whether friction is less once the contact slips.
    fn weakens(&self, index: usize) -> bool {
        let (mu_s, mu_d) = self.several.problem.contacts[self.inside[index]].coefficients();
        mu_d < mu_s
    }

    /// Marks the contacts at rest whose forces are on the boundaries of their cones, and returns the nearest; those whose friction
    /// decreases in slip come first. `None` if a contact slips or lifts off, or if the nearest was already marked.
    fn force_edges(&mut self, answer: &Answered<'_>) -> Option<usize> {
        let largest = answer.impulse.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
        let mut edges: Vec<(usize, f64, f64)> = Vec::new();
        for (index, (block, rule)) in answer.system.blocks.iter().zip(answer.rules).enumerate() {
            let (x, a) = (block.of(answer.impulse), block.of(answer.y));
            let speed = norm([a[1], a[2]]);
            match *rule {
                _ if block.w_nn * x[0] <= a[0] => return None,
                Rule::Driven { .. } => {}
                Rule::Coulomb { .. } if speed > answer.slip => return None,
                Rule::Coulomb { mu, .. } => edges.push((index, mu * x[0] - norm([x[1], x[2]]), speed)),
            }
        }
        edges.retain(|(_, room, _)| *room <= EDGE * largest);
        let fastest = edges.iter().fold(0.0_f64, |fastest, (_, _, speed)| fastest.max(*speed));
        // If friction does not change, no force does: contacts whose friction decreases come first.
        let before = |a: &(usize, f64, f64), b: &(usize, f64, f64)| {
            self.weakens(b.0).cmp(&self.weakens(a.0)).then(a.1.total_cmp(&b.1))
        };
        let nearest = edges.iter().min_by(|a, b| before(a, b)).map(|(index, ..)| *index)?;
        let is_new = !self.is_forced[nearest];
        for (index, _, speed) in edges {
            // They slip together, except those that are much slower than the others.
            self.is_forced[index] |= index == nearest || speed >= TOGETHER * fastest;
        }
        is_new.then_some(nearest)
    }
}
