//! Rows of constraints, stacked by one layout that impacts and simulations share.
//!
//! | file | what it has |
//! |---|---|
//! | `contacts` | contacts and limits, those that are selected, and room for their A, W, A v and drift |
//! | `limit` | the limits of joints: gap, rate, and the one entry of their row |
//! | `matrix` | a dense matrix |

mod contacts;
mod limit;
mod matrix;

pub use contacts::Contacts;
pub use limit::{JointLimit, LimitSide, joint_limits};
pub use matrix::Matrix;
