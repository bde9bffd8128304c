//! What stands in where events cannot be told apart: the watchdog, and windows of Moreau's time stepping.
//!
//! | file | what it has |
//! |---|---|
//! | `watchdog` | notices when events or steps come too fast |
//! | `window` | a window of time stepping, tried with shorter steps where it fails |
//! | `moreau` | one step of Moreau's time stepping |

pub(crate) mod moreau;
pub(crate) mod watchdog;
pub(crate) mod window;

use watchdog::Watchdog;
use window::LastWindow;

/// When something stands in for events, and for how long.
///
/// Invariants: neither the end of the last window nor any time that the watchdog remembers is after the present time.
#[derive(Debug, Clone)]
pub(crate) struct Fallback {
    pub(crate) watchdog: Watchdog,
    pub(crate) last_window: LastWindow,
    /// Until when impacts go without restitution where they may, after a rattle.
    pub(crate) plastic_until: f64,
}

impl Fallback {
    pub(crate) fn new(time_scale: f64) -> Self {
        Self { watchdog: Watchdog::new(time_scale), last_window: LastWindow::NONE, plastic_until: f64::NEG_INFINITY }
    }

    /// For a while impacts go without restitution, where they may: contacts that rattle come to rest on their surfaces.
    pub(crate) fn drop_restitution(&mut self, time: f64) {
        self.plastic_until = time + self.watchdog.plastic_span();
    }
}
