//! The smooth part: equations of motion with closed contacts, the integrator and its dense output, steps, projection.

pub(crate) mod contact;
pub(crate) mod integrate;
mod judge;
pub(crate) mod margin;
pub(crate) mod onset;
pub(crate) mod project;
pub(crate) mod stepping;
pub(crate) mod system;
