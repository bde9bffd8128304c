//! From `μ_s` at every contact at rest to an answer in which those that slip have `μ_d`.

use crate::coulomb::{Coulomb, Effort, Rule, System, Workspace};
use crate::numeric::plane::norm;

use super::Several;

/// The residual at which the Coulomb solver has an answer, over the largest `|α|`.
const TOLERANCE: f64 = 1e-10;

/// What Newton's method is then asked for: all it can.
const POLISHED: f64 = 1e-14;

/// A residual above this is no answer.
pub(super) const ACCEPTED: f64 = 1e-9;

/// A contact with an acceleration along the surface above this, over the largest `|α|`, slips: on the softened matrix,
/// and on the true one. The latter is mostly below what an event that fires 1e-10 outside the cone leaves.
const SOFT_SLIP: f64 = 1e-8;
pub(super) const SLIP: f64 = 1e-12;

/// A force nearer than this to the edge of its cone, over the largest, is on it.
const EDGE: f64 = 1e-9;

/// Of slips too slow to be told from rest, those slower than the fastest by this factor are none.
const TOGETHER: f64 = 0.1;

/// A slip is told from rounding if it is larger than the residual by this factor.
pub(super) const ABOVE_RESIDUAL: f64 = 8.0;

/// How hard a Coulomb problem is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// To tolerance.
    Soft,
    /// By Newton's method alone.
    Polish,
    /// To tolerance, then by Newton's method as far as that goes.
    Full,
}

/// From `μ_s` everywhere to an answer in which those that slip have `μ_d`.
pub(super) struct Descent<'a> {
    pub(super) several: &'a Several<'a>,
    pub(super) inside: &'a [usize],
    pub(super) q: &'a [f64],
    pub(super) room: &'a mut Workspace,
    pub(super) must_change: bool,
    /// Contacts on the edge of their cone that slip, however slowly.
    pub(super) is_forced: Vec<bool>,
}

impl Descent<'_> {
    /// Contacts at rest with `μ_s`, or with `μ_d` if they give way.
    pub(super) fn rules(&self, gives_way: bool) -> Vec<Rule> {
        let rule = |&k: &usize| {
            let contact = &self.several.problem.contacts[k];
            let (mu_s, mu_d) = contact.coefficients();
            match contact.direction() {
                Some(u) => Rule::Driven { mu: mu_d, u },
                None if gives_way => Rule::Coulomb { mu: mu_d, prefers_rest: false },
                None => Rule::Coulomb { mu: mu_s, prefers_rest: true },
            }
        };
        self.inside.iter().map(rule).collect()
    }

    /// Returns the residual; infinite if a contact slips that should not.
    pub(super) fn run(&mut self, system: &System, rules: &mut [Rule], impulse: &mut [f64], stage: Stage) -> f64 {
        let size = self.several.size;
        let mut residual = f64::INFINITY;
        for _ in 0..=rules.len() {
            let mut effort = Effort::default();
            if stage != Stage::Polish {
                let problem = Coulomb { system, q: self.q, rules, tolerance: TOLERANCE * size };
                residual = problem.solve(impulse, self.room, &mut effort);
            }
            if stage != Stage::Soft {
                let problem = Coulomb { system, q: self.q, rules, tolerance: POLISHED * size };
                residual = problem.polish(impulse, self.room, &mut effort);
            }
            let least = match stage {
                Stage::Soft => SOFT_SLIP * size,
                Stage::Polish | Stage::Full => (SLIP * size).max(ABOVE_RESIDUAL * residual),
            };
            let mut contact = self.gives_way(system, rules, impulse, least);
            if contact.is_none() && self.must_change && stage != Stage::Soft && residual <= ACCEPTED * size {
                contact = self.force_edges(system, rules, impulse, least);
            }
            let Some(contact) = contact else {
                return residual;
            };
            let (mu_s, mu_d) = self.several.problem.contacts[self.inside[contact]].coefficients();
            rules[contact] = Rule::Coulomb { mu: mu_d, prefers_rest: false };
            if mu_d == mu_s {
                return residual;
            }
            // The forces become others, and so do the contacts on the edges of their cones.
            for (is_forced, rule) in self.is_forced.iter_mut().zip(&*rules) {
                *is_forced &= !matches!(rule, Rule::Coulomb { prefers_rest: true, .. });
            }
        }
        f64::INFINITY
    }

    /// If nobody slips or lifts off, the contacts at rest on the edges of their cones slip; returns the one that is
    /// nearest, unless all that was done before.
    fn force_edges(&mut self, system: &System, rules: &[Rule], impulse: &[f64], least: f64) -> Option<usize> {
        let mut y = vec![0.0; self.q.len()];
        system.velocity(self.q, impulse, &mut y);
        let largest = impulse.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
        let mut edges: Vec<(usize, f64, f64)> = Vec::new();
        for (index, (block, rule)) in system.blocks.iter().zip(rules).enumerate() {
            let (x, a) = (block.of(impulse), block.of(&y));
            let speed = norm([a[1], a[2]]);
            match *rule {
                _ if block.w_nn * x[0] <= a[0] => return None,
                Rule::Driven { .. } => {}
                Rule::Coulomb { .. } if speed > least => return None,
                Rule::Coulomb { mu, .. } => edges.push((index, mu * x[0] - norm([x[1], x[2]]), speed)),
            }
        }
        edges.retain(|(_, room, _)| *room <= EDGE * largest);
        let fastest = edges.iter().fold(0.0_f64, |fastest, (_, _, speed)| fastest.max(*speed));
        let nearest = edges.iter().min_by(|a, b| a.1.total_cmp(&b.1)).map(|(index, ..)| *index)?;
        let is_new = !self.is_forced[nearest];
        for (index, _, speed) in edges {
            // They go together, unless one stays behind the others.
            self.is_forced[index] |= index == nearest || speed >= TOGETHER * fastest;
        }
        is_new.then_some(nearest)
    }

    /// Of the contacts that bear `μ_s` and slip, the fastest.
    fn gives_way(&self, system: &System, rules: &[Rule], impulse: &[f64], least: f64) -> Option<usize> {
        let mut y = vec![0.0; self.q.len()];
        system.velocity(self.q, impulse, &mut y);
        let mut fastest: Option<(usize, f64)> = None;
        for (index, (block, rule)) in system.blocks.iter().zip(rules).enumerate() {
            let (mu_s, mu_d) = self.several.problem.contacts[self.inside[index]].coefficients();
            let Rule::Coulomb { prefers_rest: true, .. } = *rule else {
                continue;
            };
            let (x, a) = (block.of(impulse), block.of(&y));
            let speed = norm([a[1], a[2]]);
            let presses = block.w_nn * x[0] > a[0];
            if presses && mu_d < mu_s && speed > least && fastest.is_none_or(|(_, other)| speed > other) {
                fastest = Some((index, speed));
            }
        }
        fastest.map(|(index, _)| index)
    }
}
