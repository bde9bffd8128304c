//! Contacts that stay closed between impacts, and their forces.
//!
//! `M q̈ + h = τ + Aᵀ λ`, so the contacts accelerate by `a = α + W λ` with the free acceleration `α = Ȧ v + A M⁻¹ (τ -
//! h)`. Within a phase of known modes the forces solve a linear system: [`PhaseForces`], for every stage of an
//! integrator. [`decide`] determines the next modes, and [`jam`] the impulse of a sliding contact that no finite force
//! can keep closed.
//!
//! | file | contents |
//! |---|---|
//! | `decide` | which modes closed contacts take, and the certificate |
//! | `phase` | forces within a phase of known modes, for every stage of an integrator |
//! | `jam` | a sliding contact that no finite force can keep: an impact without collision |

mod decide;
mod jam;
mod phase;

pub use decide::{ClosedContact, ClosedMode, Decision, Modes, Tangential, decide};
pub use jam::{Jam, jam, jam_within};
pub use phase::margin::StickMargin;
pub use phase::{Grip, PhaseContact, PhaseForces, PhaseReport, Rows};
