//! The law of one contact.
//!
//! A call goes `solve` → `collision` → (the stick of `contact` | `slip` → `direction`), then `guarded` if a stick creates
//! energy, then `limits`. The mode is decided separately from the impulse, by the critical coefficient that the outcome
//! reports, so that the two always agree. Every outcome is checked against its own data by `verify` before it is returned.
//!
//! | file | contents |
//! |---|---|
//! | `solve` | from a contact to the outcome |
//! | `report` | the answer in the caller's units, with its limits |
//! | `generalized`, `factored` | from (M, A, q̇⁻), or from a factor of W, to the outcome |
//! | `refinement` | the change of the whitened velocity by an outcome, and one step of iterative refinement |
//! | `collision` | the mode and the impulse |
//! | `slip`, `direction` | slip and reversal: all solutions, and the one chosen; the direction of slip |
//! | `secular` | the direction of slip by its multiplier, where the equation is well conditioned |
//! | `guard`, `guarded` | the guards; their solution in place of a stick that creates energy |
//! | `limits`, `curves` | e* of the state and of the configuration, μ*; critical coefficients as functions |
//! | `mode`, `outcome` | modes; the outcome as data |
//! | `verify`, `judge` | the check of outcomes; the data that a solution is checked against |

pub(crate) mod collision;
pub(crate) mod curves;
pub(crate) mod direction;
pub(crate) mod factored;
pub(crate) mod generalized;
pub(crate) mod guard;
mod guarded;
mod judge;
pub(crate) mod limits;
pub(crate) mod mode;
pub(crate) mod outcome;
pub(crate) mod refinement;
pub(crate) mod report;
pub(crate) mod secular;
pub(crate) mod slip;
pub(crate) mod solve;
pub(crate) mod verify;
