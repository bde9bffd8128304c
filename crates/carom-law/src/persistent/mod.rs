//! Contacts that stay closed between impacts: the forces that keep them so.
//!
//! `M q̈ + h = τ + Aᵀ λ`, so the contacts accelerate by `a = α + W λ` with the free acceleration
//! `α = Ȧ v + A M⁻¹ (τ - h)`. Inside a phase whose modes are known the forces are a linear matter:
//! [`PhaseForces`], for every stage of an integrator.

mod jam;
mod linear;
mod margin;
mod phase;

pub use jam::{Jam, jam};
pub use margin::StickMargin;
pub use phase::{Grip, PhaseContact, PhaseForces, PhaseReport, Rows};
