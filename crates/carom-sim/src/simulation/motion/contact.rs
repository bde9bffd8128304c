//! One contact of a simulation: its mode and its history.

use crate::record::event::ContactMode;

/// The mode of a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Mode {
    Flight,
    Stick,
    /// Sliding along a fixed direction: always in the plane, and in space while the sliding is too slow to determine
    /// its direction.
    SlipAlong([f64; 2]),
    /// Sliding in space that starts from rest, along its acceleration. The value is the direction in which it started.
    Onset([f64; 2]),
    /// Sliding in space along its velocity.
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

/// Backward sliding, relative to the speed scale, that counts as rounding.
pub(crate) const STOP_MARGIN: f64 = 1e-13;
/// Below this fraction of W_nn, D = W_nn - μ_d w·u cannot balance a contact. The law reports a jam up to twice this
/// value.
pub(crate) const WEDGE: f64 = 5e-7;

/// The state of a contact.
///
/// Invariants: `gap` and `rate` belong to the same state. A contact in flight has no `settled`. A closed contact is
/// armed, or was closed when its range ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ContactState {
    pub(crate) mode: Mode,
    /// Distance from the surface and its rate, as last measured.
    pub(crate) gap: f64,
    pub(crate) rate: f64,
    /// Whether an open contact can close: not if it penetrated while its condition was false.
    pub(crate) is_armed: bool,
    /// Whether it slid when modes were last decided.
    pub(crate) slid: bool,
    /// Backward sliding speed, relative to the speed scale, above which it counts as stopped.
    pub(crate) creep: f64,
    /// The smallest D / W_nn with which it may slide.
    pub(crate) wedge: f64,
    /// The direction in which it slides, if it started from rest.
    pub(crate) heading: [f64; 2],
    /// Its recent series of impacts.
    pub(crate) episode: Episode,
    /// When its bounces end, or ended.
    pub(crate) settled: Option<f64>,
}

impl ContactState {
    /// Open and not yet measured.
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

/// Time without an impact, relative to the time scale, after which a new episode begins.
const QUIET: f64 = 1.0;

/// A series of impacts of a contact in quick succession, with the speed of its fastest. It is consulted before
/// restitution is dropped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Episode {
    fastest: f64,
    last: f64,
}

impl Episode {
    pub(crate) const NONE: Self = Self { fastest: 0.0, last: f64::NEG_INFINITY };

    /// Records an impact.
    pub(crate) fn strike(&mut self, time: f64, speed: f64, unit: f64) {
        *self = Self { fastest: self.fastest(time, unit).max(speed), last: time };
    }

    /// Speed of the fastest impact of the episode; zero after a pause.
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
