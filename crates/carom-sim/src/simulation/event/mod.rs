//! When the smooth part ends: a contact touches, a phase ends; margins and roots.

pub(crate) mod advance;
pub(crate) mod phase_end;
pub(crate) mod root;
pub(crate) mod touch;
