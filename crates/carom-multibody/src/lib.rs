//! Robots and mechanisms: models from URDF, MJCF, SDF or code, and the matrices that impacts and simulations need.
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
pub use dynamics::{
    BodyPair, Closing, ContactMotion, ContactTerms, Dynamics, EnergyChange, ImpulseEffect, LoopImpulse, PairAxes,
    PairSide, WhitenedTerms,
};
pub use error::DynamicsError;
pub use geometry::{
    BoxPart, Candidate, CandidateError, CandidateOptions, Carried, Closest, ContactKind, ContactPoint, Facing,
    FacingBoxes, FirstTouch, HalfSpace, PairError, PairFeature, PairMotion, Rims, Solid, SurfacePart, all_candidates,
    candidates, closest_points, contact_basis, first_touch, gap_rate_bound, half_spaces, pair_contacts, planes,
};
pub use kernel::IS_FUSED;
pub use mesh::{Hull, HullOptions};
pub use model::{
    ActuatorLaw, BuildError, Frame, Geometry, Joint, JointKind, JointNameError, JointNumbers, Keyframe, Link, LinkId,
    LinkSpec, Loop, LoopKind, Mimic, Model, ModelActuator, ModelBuilder, ModelJoint, ModelPart, PairRule,
    PinocchioJoint, PinocchioLayout, Shape, ShapeContact, ShapeId, Spring, State, StateError, Warning, WarningKind,
};
pub use rows::{Contacts, JointFriction, JointLimit, LimitSide, Matrix, Meeting, joint_frictions, joint_limits};
pub use spatial::{Inertia, Placement, Quaternion, Rotation, Symmetric, UNIT_TOLERANCE, Vector};

/// The code of the readme is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
