//! Fallbacks for events too frequent to be resolved: the watchdog, and windows of Moreau time stepping.
//!
//! | file | contents |
//! |---|---|
//! | `watchdog` | detects events or steps that are too frequent |
//! | `window` | a window of time stepping, retried with shorter steps if it fails |
//! | `moreau` | one Moreau step |

pub(crate) mod moreau;
pub(crate) mod watchdog;
pub(crate) mod window;

use watchdog::Watchdog;
use window::LastWindow;

/// State of the fallbacks.
///
/// Invariant: neither the end of the last window nor any time stored by the watchdog is after the present time.
#[derive(Debug, Clone)]
pub(crate) struct Fallback {
    pub(crate) watchdog: Watchdog,
    pub(crate) last_window: LastWindow,
    /// Time until which impacts are plastic where this is allowed, after a rattle.
    pub(crate) plastic_until: f64,
}

impl Fallback {
    pub(crate) fn new(time_scale: f64) -> Self {
        Self { watchdog: Watchdog::new(time_scale), last_window: LastWindow::NONE, plastic_until: f64::NEG_INFINITY }
    }

    /// Makes impacts plastic for a while, where this is allowed, so that contacts that rattle come to rest.
    pub(crate) fn drop_restitution(&mut self, time: f64) {
        self.plastic_until = time + self.watchdog.plastic_span();
    }
}
