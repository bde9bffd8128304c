//! Rows of constraints, stacked in one layout that impacts and simulations share.
//!
//! | file | contents |
//! |---|---|
//! | `contacts` | contacts and limits, the selected ones, and workspace for their A, W, A v and drift |
//! | `limit` | joint limits: gap, rate, and the one entry of their row |
//! | `matrix` | a dense matrix |

mod contacts;
mod limit;
mod matrix;

pub use contacts::Contacts;
pub use limit::{JointLimit, LimitSide, joint_limits};
pub use matrix::Matrix;
