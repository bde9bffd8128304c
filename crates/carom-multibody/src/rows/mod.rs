//! Rows of constraints, stacked in one layout that impacts and simulations share.
//!
//! | file | contents |
//! |---|---|
//! | `contacts` | contacts, limits, dry friction and meetings, the selected ones, and workspace for their A, W, A v and drift |
//! | `friction` | dry friction of joints: a pad that is pressed on the joint |
//! | `limit` | joint limits: gap, rate, and the one entry of their row |
//! | `matrix` | a dense matrix |
//! | `meeting` | rows of two chains: how two links move relative to each other at one place |

mod contacts;
mod friction;
mod limit;
mod matrix;
mod meeting;

pub use contacts::Contacts;
pub(crate) use contacts::Item;
pub use friction::{JointFriction, joint_frictions};
pub use limit::{JointLimit, LimitSide, joint_limits};
pub use matrix::Matrix;
pub use meeting::Meeting;
