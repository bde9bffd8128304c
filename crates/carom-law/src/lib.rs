//! Frictional impacts: from a contact's Delassus matrix, its velocity and its coefficients to the
//! impulse, the velocities afterwards, the mode, and where the energy went.
//!
//! The law is F. Aghili's (*Multibody System Dynamics* 48:193-209, 2020), corrected and completed:
//! stick is decided by the exact discriminator and never by a pulling impulse; the direction of
//! slip is solved for exactly; where no direction is consistent the contact reverses; singular
//! matrices have answers too. Numbers in brackets are the paper's equations. The crate knows nothing
//! of bodies, files or time.
//!
//! Start with [`Contact`] if you have `(W, v)`, with [`GeneralizedContact`] if you have `(M, A, v)`, with
//! [`FactoredContact`] if you have factored your mechanism yourself, with [`ContactSet`] if several contacts strike at once, and with [`batch`] if you have a million impacts. Contacts that stay
//! closed between impacts are for [`decide`] and [`PhaseForces`].
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod batch;
mod coefficients;
mod collision;
mod contact;
mod curves;
mod delassus;
mod direction;
mod error;
mod factored;
mod generalized;
mod guard;
mod laws;
mod limits;
mod matrix;
mod mechanism;
mod mode;
mod orthogonal;
mod outcome;
mod persistent;
mod plane;
mod scaling;
mod simultaneous;
mod slip;
mod solve;
mod tangent;
mod vector;
mod verify;
mod whitened;

pub use coefficients::{Friction, Restitution};
pub use contact::Contact;
pub use delassus::{Delassus, Dimension};
pub use error::{Condition, Error, ErrorKind, Field, Result};
pub use factored::{ContactFactor, FactoredContact};
pub use generalized::GeneralizedContact;
pub use guard::Guard;
pub use laws::{Claims, HuntCrossley};
pub use matrix::MatrixView;
pub use mode::Mode;
pub use outcome::{
    BeforeAfter, Conditioning, Energy, GuardReport, Law, Limit, Outcome, Printed, RestitutionLimit, RestitutionValues,
    Unguarded, Violation,
};
pub use persistent::{
    ClosedContact, ContactMode, Decision, Grip, Jam, Modes, PhaseContact, PhaseForces, PhaseReport, Rows, StickMargin,
    Tangential, decide, jam, jam_within,
};
pub use simultaneous::{
    AnswerSearch, ContactEnergy, ContactOutcome, ContactSet, SimultaneousEffort, SimultaneousGuard,
    SimultaneousOutcome, SimultaneousStage, SimultaneousUnguarded,
};
#[doc(hidden)]
pub use solve::impact_unchecked;
pub use solve::{Coefficients, impact, impact_verified_by};
pub use vector::ContactVector;
pub use verify::{Check, EnergyEvidence, Evidence, SimultaneousEvidence};
