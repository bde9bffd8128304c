//! Contacts that stay closed between impacts: the forces that keep them so.
//!
//! `M q̈ + h = τ + Aᵀ λ`, so the contacts accelerate by `a = α + W λ` with the free acceleration
//! `α = Ȧ v + A M⁻¹ (τ - h)`. Inside a phase whose modes are known the forces are a linear matter:
//! [`PhaseForces`], for every stage of an integrator. Which modes come next is for [`decide`], and what becomes of a
//! sliding contact that no finite force can keep is for [`jam`].
//!
//! | file | what it has |
//! |---|---|
//! | `decide` | which modes closed contacts take, and the certificate |
//! | `phase` | forces inside a phase of known modes, for every stage of an integrator |
//! | `jam` | a sliding contact that no finite force can keep: an impact without collision |

mod decide;
mod jam;
mod phase;

pub use decide::{ClosedContact, ClosedMode, Decision, Modes, Tangential, decide};
pub use jam::{Jam, jam, jam_within};
pub use phase::margin::StickMargin;
pub use phase::{Grip, PhaseContact, PhaseForces, PhaseReport, Rows};
