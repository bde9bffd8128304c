//! Where restitution may be dropped.

use crate::simulation::Simulation;

/// Restitution may be dropped where impacts are slower than the fastest of the episode by this factor: the energy that
/// is still in the bounces is then a millionth of what it was.
const FALLEN: f64 = 1e-3;
/// What leaves an impact slower than this part of the speed scale rests, even where e = 1: the precision that an impact of
/// several contacts has.
const ELASTIC_REST: f64 = 1e-8;

impl Simulation {
    /// Whether a contact gives back all normal velocity. No device may take that away.
    pub(crate) fn is_elastic(&self, k: usize) -> bool {
        let restitution = self.system.watch.contact(k).coefficients.restitution;
        restitution.normal_at(self.system.scales.of(k).speed) >= 1.0
    }

    /// Whether an impact of this speed may go without restitution.
    pub(crate) fn may_drop_restitution(&self, k: usize, speed: f64) -> bool {
        speed <= FALLEN * self.system.contacts[k].episode.fastest(self.time, self.system.scales.time)
            && !self.is_elastic(k)
    }

    /// The normal velocity up to which a contact that touches may be taken to rest, given that of bounces which are ended.
    pub(crate) fn resting_speed(&self, k: usize, settled: f64) -> f64 {
        if self.is_elastic(k) { settled.min(ELASTIC_REST * self.system.scales.of(k).speed) } else { settled }
    }
}
