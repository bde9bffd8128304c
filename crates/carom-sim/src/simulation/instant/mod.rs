//! Resolution of an instant: impacts, the end of bounces, and which contacts stay closed.
//!
//! | file | contents |
//! |---|---|
//! | `impact` | an impact of all contacts that touch |
//! | `settle` | the end of bounces and of slow sliding |
//! | `modes` | which contacts stay closed, stick or slip |
//! | `jam` | impacts without collision |
//! | `kick` | impulses applied to the velocity, and checked against their effect |
//! | `restitution` | where restitution may be dropped |

mod impact;
pub(crate) mod jam;
pub(crate) mod kick;
mod modes;
pub(crate) mod restitution;
mod settle;

use carom_law::{Error as LawError, ErrorKind};

use crate::error::{Result, SimulationError};
use crate::setup::scale::TINY;
use crate::simulation::Simulation;
use crate::simulation::motion::contact::Mode;
use crate::simulation::motion::contact::WEDGE;
use crate::simulation::motion::margin::{Margin, Reason};

/// Largest number of impacts, settlings and jams at one instant.
const ROUNDS: usize = 40;

/// If the direction in which sliding begins is lost twice within this fraction of the time scale, it is kept fixed.
const LOST: f64 = 1e-3;

/// State carried from one instant to the next.
///
/// Invariant: `last_lost` is not after the present time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Instants {
    /// When the direction in which a contact begins to slide was last lost.
    last_lost: f64,
    /// Whether directions in which contacts begin to slide are kept as they are.
    keeps_onsets: bool,
}

impl Default for Instants {
    fn default() -> Self {
        Self { last_lost: f64::NEG_INFINITY, keeps_onsets: false }
    }
}

/// Whether an instant could be resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resolution {
    /// Modes are decided, and their forces are within their bounds.
    Clear,
    /// No modes were found that satisfy all conditions.
    Unclear,
}

/// How an instant ended.
pub(crate) enum RoundEnd {
    /// Modes are decided.
    Decided,
    /// Another round is needed at the same instant.
    Again,
    /// No modes were found that satisfy all conditions.
    Unclear,
}

impl Simulation {
    /// Resolves the present instant: a contact touches, a phase ends, or the simulation starts.
    pub(crate) fn resolve_instant(&mut self, by: Option<(usize, Reason)>) -> Result<Resolution> {
        self.stepping.reuses_last_stage = false;
        let before: Vec<Mode> = self.system.contacts.iter().map(|contact| contact.mode).collect();
        let ahead = std::mem::take(&mut self.stepping.ahead_of_event);
        self.look_ahead(if by.is_some_and(|(_, reason)| reason.is_force()) { ahead } else { 0.0 })?;
        let first_event = self.journal.events.len();
        if let Some((contact, Reason::Part)) = by {
            self.system.place(self.time, &self.state)?;
            self.system.renew_parts(contact);
            // A sharp point that passes the end of a face no longer touches anything.
            if self.system.watch.pair(contact).is_some_and(|pair| !pair.is_kept()) {
                self.set_mode(contact, Mode::Flight);
                self.system.adopt_modes();
            }
        }
        if let Some((contact, Reason::Wedge)) = by
            && self.system.contacts[contact].wedge > WEDGE
        {
            let is_near = self.approaches_jam(contact)?;
            self.system.place(self.time, &self.state)?;
            if !(is_near && self.jam_ahead(contact)?) {
                self.system.look_farther_down(contact);
                return Ok(Resolution::Clear);
            }
        }
        let mut rounds = 0;
        let mut floor = TINY;
        let mut left = f64::INFINITY;
        // The end of a phase is not a touch.
        let mut has_touched = by.is_none();
        let mut by = by;
        self.instants.keeps_onsets = false;
        let outcome = loop {
            rounds += 1;
            if let Some((_, Reason::Lost)) = by {
                self.instants.keeps_onsets = self.time - self.instants.last_lost <= LOST * self.system.scales.time;
                self.instants.last_lost = self.time;
            }
            if rounds > ROUNDS {
                break Err(());
            }
            let round = match by {
                Some((contact, Reason::Direction)) => self.redirect(contact).map(|()| RoundEnd::Decided),
                _ => self.round(&mut floor, &mut left, &mut has_touched),
            };
            self.stepping.decides_at = None;
            match round {
                Ok(RoundEnd::Again) => {}
                Ok(RoundEnd::Decided) => {
                    self.system.adopt_modes();
                    if !matches!(by, Some((_, Reason::Direction))) {
                        self.project_decided()?;
                    }
                    self.system.allow_decided(self.time, &self.state)?;
                    // A decision is accepted if its forces are within their bounds.
                    match self.present_margin()? {
                        Margin { value, .. } if value >= 0.0 => break Ok(()),
                        Margin { by: reason, .. } => by = reason,
                    }
                }
                Ok(RoundEnd::Unclear) => {
                    self.journal.counts.not_converged += 1;
                    break Err(());
                }
                // No answer, or contacts so nearly dependent that W is not positive definite to rounding.
                Err(SimulationError::Law { source, .. }) if is_numerical(&source) => {
                    self.journal.counts.not_converged += 1;
                    break Err(());
                }
                Err(error) => return Err(error),
            }
        };
        if outcome.is_err() {
            return Ok(Resolution::Unclear);
        }
        self.audit()?;
        self.announce(&before, first_event);
        self.check_rest()?;
        Ok(Resolution::Clear)
    }

    /// One impact, or one settling, or the decision of the modes. Normal velocities up to `floor`, relative to the speed
    /// scale of each contact, count as zero; where W is nearly singular the floor rises to what impulses cannot remove, `left` by
    /// the last settling. If nothing has touched or struck, an open contact that separates stays open, however slow and near it
    /// is: it is not a bounce that ends now.
    fn round(&mut self, floor: &mut f64, left: &mut f64, has_touched: &mut bool) -> Result<RoundEnd> {
        self.system.place(self.time, &self.state)?;
        self.measure()?;
        let close: Vec<usize> = (0..self.system.contacts.len()).filter(|&k| self.is_near(k)).collect();
        let movable = self.movable_contacts(close.clone())?;
        let near: Vec<usize> = movable.iter().map(|&(k, _)| k).collect();
        for k in close {
            if !near.contains(&k) {
                self.set_mode(k, Mode::Flight);
                // If it penetrates, no impulse can bring it out: it must come out by itself before it is armed again.
                self.system.contacts[k].is_armed = false;
                self.unwatched.note_immobile(k);
            }
        }
        if near.is_empty() {
            return Ok(RoundEnd::Decided);
        }
        let approach = self.largest_rate(&near, -1.0);
        if approach > *floor {
            let striking: Vec<usize> =
                near.iter().copied().filter(|&k| self.system.watch.friction(k).is_none()).collect();
            self.strike(&striking)?;
            *has_touched = true;
            self.raise_floor(floor, approach, &near, -1.0)?;
            return Ok(RoundEnd::Again);
        }
        let stays = |k: usize| *has_touched || self.system.contacts[k].mode.is_closed() || !self.separates(k, *floor);
        let is_slow = |&&(k, slow): &&(usize, f64)| self.system.contacts[k].rate <= slow && stays(k);
        let slow: Vec<usize> = movable.iter().filter(is_slow).map(|&(k, _)| k).collect();
        let bounce = self.largest_rate(&slow, 1.0);
        if bounce > *floor {
            self.settle(&slow)?;
            // Strikes and settlings of nearly dependent contacts may undo each other.
            *left = self.raise_floor(floor, *left, &slow, -1.0)?;
            return Ok(RoundEnd::Again);
        }
        if self.come_to_rest(&slow)? {
            // Normal velocities that a projection cannot remove, impulses cannot remove either.
            self.raise_floor(floor, 0.0, &slow, -1.0)?;
            if self.largest_rate(&near, -1.0) > *floor {
                return Ok(RoundEnd::Again);
            }
        }
        for k in near {
            if !slow.contains(&k) {
                self.set_mode(k, Mode::Flight);
            }
        }
        self.decide(&slow)
    }

    /// Whether a contact moves away from its surface, faster than `floor` over its speed scale.
    fn separates(&self, k: usize, floor: f64) -> bool {
        self.system.contacts[k].rate > floor * self.system.scales.of(k).speed
    }

    fn is_near(&self, k: usize) -> bool {
        self.system.contacts[k].mode.is_closed()
            || (self.system.contacts[k].is_armed
                && self.system.contacts[k].gap <= self.system.scales.of(k).near
                && self.system.is_enabled(k))
    }
}

/// Whether the law failed for lack of numerical precision.
pub(crate) fn is_numerical(error: &LawError) -> bool {
    matches!(
        error.kind(),
        ErrorKind::NotConverged | ErrorKind::CheckFailed | ErrorKind::OutsideRange | ErrorKind::NotPositive
    )
}
