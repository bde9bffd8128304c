//! How fast a contact struck when it began to strike again and again. What drops restitution asks this first.

use crate::simulation::Simulation;

/// A contact that was not struck for this part of the time scale begins a new episode.
const QUIET: f64 = 1.0;
/// Restitution may be dropped where impacts are slower than the fastest of the episode by this factor: the energy that
/// is still in the bounces is then a millionth of what it was.
const FALLEN: f64 = 1e-3;
/// What leaves an impact slower than this part of the speed scale rests, even where e = 1: the precision that an impact of
/// several contacts has.
const ELASTIC_REST: f64 = 1e-8;

/// The impacts of a contact that follow on each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Episode {
    fastest: f64,
    last: f64,
}

impl Episode {
    pub(crate) const NONE: Self = Self { fastest: 0.0, last: f64::NEG_INFINITY };

    /// Takes note of an impact.
    pub(crate) fn strike(&mut self, time: f64, speed: f64, unit: f64) {
        *self = Self { fastest: self.fastest(time, unit).max(speed), last: time };
    }

    /// The fastest impact so far; zero after a while without any.
    fn fastest(&self, time: f64, unit: f64) -> f64 {
        if time - self.last > QUIET * unit { 0.0 } else { self.fastest }
    }
}

impl Simulation {
    /// Whether a contact gives back all normal velocity. No device may take that away.
    pub(crate) fn is_elastic(&self, k: usize) -> bool {
        let restitution = self.system.watch.contact(k).coefficients.restitution;
        restitution.normal_at(self.system.scales.of(k).speed) >= 1.0
    }

    /// Whether an impact of this speed may go without restitution.
    pub(crate) fn may_drop_restitution(&self, k: usize, speed: f64) -> bool {
        speed <= FALLEN * self.episodes[k].fastest(self.time, self.system.scales.time) && !self.is_elastic(k)
    }

    /// The normal velocity up to which a contact that touches may be taken to rest, given that of bounces which are ended.
    pub(crate) fn resting_speed(&self, k: usize, settled: f64) -> f64 {
        if self.is_elastic(k) { settled.min(ELASTIC_REST * self.system.scales.of(k).speed) } else { settled }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_episode_ends_when_nothing_strikes_for_a_while() {
        let mut episode = Episode::NONE;
        episode.strike(0.0, 2.0, 0.1);
        episode.strike(0.05, 1e-4, 0.1);
        assert_eq!(episode.fastest(0.1, 0.1), 2.0);
        episode.strike(0.2, 1e-4, 0.1);
        assert_eq!(episode.fastest(0.2, 0.1), 1e-4);
    }
}
