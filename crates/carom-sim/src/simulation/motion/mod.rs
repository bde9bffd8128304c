//! The smooth part: equations of motion with closed contacts, the integrator and its dense output, steps, projection.
//!
//! | file | contents |
//! |---|---|
//! | `system` | the equations of motion with closed contacts |
//! | `contact` | one contact: its mode, gap and history |
//! | `margin` | how far a phase is from its end |
//! | `judge` | the margins of an evaluation |
//! | `onset` | the direction in which sliding starts in space |
//! | `integrate` | a step of order 8 with its error and dense output |
//! | `stepping` | time, step size and the sequence of steps |
//! | `loops` | closed loops in motion: their rank, their drift, their dead points |
//! | `loop_watch` | the rank of the loops and how near they are to a dead point |
//! | `project` | projection onto the contacts in the metric of M |

pub(crate) mod contact;
pub(crate) mod integrate;
mod judge;
pub(crate) mod loop_watch;
pub(crate) mod loops;
pub(crate) mod margin;
pub(crate) mod onset;
pub(crate) mod project;
pub(crate) mod stepping;
pub(crate) mod system;
