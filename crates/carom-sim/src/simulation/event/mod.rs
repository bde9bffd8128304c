//! When the smooth part ends: a contact touches, a phase ends; margins and roots.
//!
//! | file | what it has |
//! |---|---|
//! | `advance` | a step, as long as its error and its energy allow, cut short by the first event in it |
//! | `touch` | when a contact touches within a step |
//! | `phase_end` | when a phase ends within a step |
//! | `root` | the zero of a function |

pub(crate) mod advance;
pub(crate) mod phase_end;
pub(crate) mod root;
pub(crate) mod touch;
