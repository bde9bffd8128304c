//! Where restitution may be dropped.

use crate::simulation::Simulation;
use crate::simulation::motion::contact::ContactState;

/// Restitution may be dropped where impacts are slower than the fastest of the episode by this factor: the energy left in
/// the bounces is then a millionth of what it was.
const FALLEN: f64 = 1e-3;
/// A contact that leaves an impact slower than this fraction of the speed scale comes to rest, even if e = 1: this is the
/// precision of an impact of several contacts.
const ELASTIC_REST: f64 = 1e-8;

impl Simulation {
    /// Whether a contact has e = 1. No device may drop its restitution.
    pub(crate) fn is_elastic(&self, k: usize) -> bool {
        let restitution = self.system.watch.contact(k).coefficients.restitution;
        restitution.normal_at(self.system.scales.of(k).speed) >= 1.0
    }

    /// Whether the restitution of an impact of this speed may be dropped.
    pub(crate) fn may_drop_restitution(&self, k: usize, speed: f64) -> bool {
        speed <= FALLEN * self.fastest_of_episode(k) && !self.is_elastic(k)
    }

    /// Records that a contact strikes.
    pub(crate) fn begin_or_follow_episode(&mut self, k: usize) {
        let speed = self.fastest_of_episode(k).max(-self.system.contacts[k].rate);
        self.system.contacts[k].episode.strike(self.time, speed, self.system.scales.time);
    }

    /// The fastest impact of the episode that a contact takes part in, as a speed of that contact: of all contacts of its tree,
    /// because a body that rocks to rest brings new ones into play.
    fn fastest_of_episode(&self, k: usize) -> f64 {
        let own = self.system.scales.of(k);
        let of = |(j, contact): (usize, &ContactState)| {
            let scales = self.system.scales.of(j);
            let counts = j == k || (own.tree.is_some() && scales.tree == own.tree);
            if counts { contact.episode.fastest(self.time, self.system.scales.time) / scales.speed } else { 0.0 }
        };
        own.speed * self.system.contacts.iter().enumerate().map(of).fold(0.0, f64::max)
    }

    /// The normal velocity of a touching contact that may be set to zero, given the velocity below which bounces end.
    pub(crate) fn resting_speed(&self, k: usize, settled: f64) -> f64 {
        if self.is_elastic(k) { settled.min(ELASTIC_REST * self.system.scales.of(k).speed) } else { settled }
    }
}
