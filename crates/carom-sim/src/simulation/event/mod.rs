//! The end of the smooth motion: a contact touches, or a phase ends.
//!
//! | file | contents |
//! |---|---|
//! | `advance` | a step, as long as its error and its energy residual allow, ended at the first event in it |
//! | `touch` | when a contact touches within a step |
//! | `meet` | when two bodies touch within a step, by a bound on the rate of their gap |
//! | `phase_end` | when a phase ends within a step |
//! | `root` | bracketed root finding |

pub(crate) mod advance;
mod meet;
pub(crate) mod phase_end;
pub(crate) mod root;
pub(crate) mod touch;
