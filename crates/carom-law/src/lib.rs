//! Frictional impacts: from a contact's Delassus matrix, its velocity and its coefficients to the impulse, the
//! velocities after the impact, the mode and the energy balance.
//!
//! The law is F. Aghili's (*Multibody System Dynamics* 48:193-209, 2020), corrected and completed: stick is decided by
//! the exact discriminator and never by a pulling impulse; the direction of slip is solved for exactly; if no direction
//! is consistent the contact reverses; singular matrices are supported. Numbers in brackets are the paper's equations.
//! The crate has no notion of bodies, files or time.
//!
//! Start with [`Contact`] if you have `(W, v)`, with [`GeneralizedContact`] if you have `(M, A, v)`, with
//! [`FactoredContact`] if you have factored your mechanism yourself, with [`ContactSet`] if several contacts strike at
//! once, and with [`batch`] if you have a million impacts. [`decide`] and [`PhaseForces`] handle contacts that stay
//! closed between impacts.
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `serde` | yes | outcomes and coefficients serialise under the names of the documented interface |
//! | `nalgebra` | no | references to `Matrix3<f64>`, `DMatrix<f64>` and their like are a [`MatrixView`] |
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod batch;
mod closed;
mod contact;
mod coulomb;
mod error;
mod impact;
mod kernel;
mod numeric;
mod rivals;
mod together;

pub use closed::{
    ClosedContact, ClosedMode, Decision, Grip, Jam, Modes, PhaseContact, PhaseForces, PhaseReport, Rows, StickMargin,
    Tangential, decide, jam, jam_within,
};
pub use contact::Contact;
pub use contact::coefficients::{Coefficients, Friction, Restitution, RestitutionKind};
pub use contact::delassus::{Delassus, Dimension};
pub use contact::vector::ContactVector;
pub use coulomb::effort::{SimultaneousEffort, SimultaneousStage};
pub use error::{Condition, Error, ErrorKind, Field, Result};
pub use impact::factored::{ContactFactor, FactoredContact};
pub use impact::generalized::GeneralizedContact;
pub use impact::guard::Guard;
pub use impact::mode::Mode;
pub use impact::outcome::{
    BeforeAfter, ChordReport, Conditioning, Energy, GuardReport, Law, Limit, Outcome, Printed, RestitutionLimit,
    RestitutionValues, Unguarded, Violation,
};
#[doc(hidden)]
pub use impact::solve::impact_unchecked;
pub use impact::solve::{impact, impact_verified_by};
pub use impact::verify::{Check, EnergyEvidence, Evidence, SimultaneousEvidence};
pub use kernel::{KERNEL_VARIABLE, Kernel};
pub use numeric::matrix::MatrixView;
pub use rivals::{Claims, HuntCrossley, impact_by};
pub use together::{
    AnswerSearch, ContactEnergy, ContactOutcome, ContactSet, SimultaneousGuard, SimultaneousOutcome,
    SimultaneousUnguarded,
};

/// The code of the readme is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
