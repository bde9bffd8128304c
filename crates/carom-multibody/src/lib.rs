//! Robots and mechanisms: models from URDF, MJCF or code, and the matrices that impacts and simulations need.
//!
//! A [`Model`] is immutable data. A [`Dynamics`] holds a state of it and computes kinematics, the mass matrix M,
//! the bias h, contact Jacobians A and W = A M⁻¹ Aᵀ, without allocating after construction.
//!
//! The crate has no features.
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod any_error;
mod configuration;
mod dynamics;
mod error;
mod geometry;
mod kernel;
pub mod load;
mod mesh;
mod model;
mod rows;
mod spatial;

pub use any_error::Error;
pub use dynamics::{ContactMotion, ContactTerms, Dynamics, EnergyChange, ImpulseEffect, WhitenedTerms};
pub use error::DynamicsError;
pub use geometry::{
    Candidate, CandidateError, CandidateOptions, ContactKind, ContactPoint, HalfSpace, Rims, all_candidates,
    candidates, contact_basis, half_spaces, planes,
};
pub use kernel::IS_FUSED;
pub use mesh::{Hull, HullOptions};
pub use model::{
    BuildError, Frame, Geometry, Joint, JointKind, JointNameError, JointNumbers, Keyframe, Link, LinkId, LinkSpec,
    Mimic, Model, ModelBuilder, ModelJoint, PairRule, PinocchioJoint, PinocchioLayout, Shape, ShapeContact, ShapeId,
    Spring, State, StateError, Warning, WarningKind,
};
pub use rows::{Contacts, JointLimit, LimitSide, Matrix, joint_limits};
pub use spatial::{Inertia, Placement, Quaternion, Rotation, Symmetric, UNIT_TOLERANCE, Vector};

/// The code of the readme is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
