//! One contact of a simulation: what it does now, and what is remembered of it.

use crate::record::event::ContactMode;

/// What a contact does now.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Mode {
    Flight,
    Stick,
    /// Along a direction that is fixed: all there is in the plane, and in space as long as the sliding is too slow to
    /// tell its own.
    SlipAlong([f64; 2]),
    /// In space, from rest: along its acceleration. This is the direction in which it began.
    Onset([f64; 2]),
    /// Along its own velocity.
    Slip,
}

impl Mode {
    pub(crate) fn is_closed(self) -> bool {
        self != Self::Flight
    }

    pub(crate) fn slides(self) -> bool {
        matches!(self, Self::Slip | Self::SlipAlong(_) | Self::Onset(_))
    }

    pub(crate) fn public(self) -> ContactMode {
        match self {
            Self::Flight => ContactMode::Flight,
            Self::Stick => ContactMode::Stick,
            Self::SlipAlong(_) | Self::Onset(_) | Self::Slip => ContactMode::Slip,
        }
    }
}

/// Sliding backwards by less than this part of the speed scale is rounding.
pub(crate) const STOP_MARGIN: f64 = 1e-13;
/// D = W_nn - μ_d w·u below this part of W_nn cannot balance a contact. The law calls it jammed up to twice that.
pub(crate) const WEDGE: f64 = 5e-7;

/// The state of a contact.
///
/// Invariants: `gap` and `rate` are of the same state. A contact in flight has no `settled`. A closed contact is armed, or was closed
/// when its range ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ContactState {
    pub(crate) mode: Mode,
    /// Distance from the surface, and its rate, where they were last measured.
    pub(crate) gap: f64,
    pub(crate) rate: f64,
    /// Whether an open contact can close: not if it went inside while its condition did not hold.
    pub(crate) is_armed: bool,
    /// Whether it slid where modes were last decided.
    pub(crate) slid: bool,
    /// How fast it may slide backwards, over the speed scale, before it counts as stopped.
    pub(crate) creep: f64,
    /// The least D / W_nn with which it may slide.
    pub(crate) wedge: f64,
    /// The direction in which it slides, if it began to do so from rest.
    pub(crate) heading: [f64; 2],
    /// Its impacts that follow on each other.
    pub(crate) episode: Episode,
    /// When its bounces end, or ended.
    pub(crate) settled: Option<f64>,
}

impl ContactState {
    /// Open, and not measured yet.
    pub(crate) const OPEN: Self = Self {
        mode: Mode::Flight,
        gap: 0.0,
        rate: 0.0,
        is_armed: true,
        slid: false,
        creep: STOP_MARGIN,
        wedge: WEDGE,
        heading: [1.0, 0.0],
        episode: Episode::NONE,
        settled: None,
    };

    /// Gap and rate.
    pub(crate) fn distance(&self) -> (f64, f64) {
        (self.gap, self.rate)
    }
}

/// An impulse with zeros beyond the contact's dimension.
pub(crate) fn three(impulse: &[f64]) -> [f64; 3] {
    let mut all = [0.0; 3];
    all[..impulse.len()].copy_from_slice(impulse);
    all
}

/// A contact that was not struck for this part of the time scale begins a new episode.
const QUIET: f64 = 1.0;

/// The impacts of a contact that follow on each other: how fast it struck when it began to strike again and again. What drops
/// restitution asks this first.
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
    pub(crate) fn fastest(&self, time: f64, unit: f64) -> f64 {
        if time - self.last > QUIET * unit { 0.0 } else { self.fastest }
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
