//! The law of one contact.
//!
//! A call goes `solve` → `collision` → (the stick of `contact` | `slip` → `direction`), then `guarded` where a stick creates
//! energy, then `limits`. The mode is decided apart from the impulse, by the critical coefficient that the outcome reports, so
//! the two can never disagree. What leaves is held against its own data by `verify`.
//!
//! | file | what it has |
//! |---|---|
//! | `solve` | from a contact to the outcome |
//! | `report` | the answer in the caller's units, with its limits |
//! | `generalized`, `factored` | from (M, A, q̇⁻), or from a factor of W, to the outcome |
//! | `refinement` | what an outcome does to the whitened velocity, and what rounding took of it given back |
//! | `collision` | which mode, which impulse |
//! | `slip`, `direction` | slip and reversal: all answers, and the one chosen; the direction of slip |
//! | `guard`, `guarded` | the guards; what they do with a stick that creates energy |
//! | `limits`, `curves` | e* of the state and of the configuration, μ*; critical coefficients as functions |
//! | `mode`, `outcome` | modes; the outcome as data |
//! | `verify`, `judge` | the check at the door; what an answer is held against |

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
pub(crate) mod slip;
pub(crate) mod solve;
pub(crate) mod verify;
