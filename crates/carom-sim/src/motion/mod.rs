//! The smooth part: equations of motion with closed contacts, the integrator and its dense output, steps, projection.

pub(crate) mod advance;
pub(crate) mod integrate;
pub(crate) mod onset;
pub(crate) mod project;
pub(crate) mod system;
