//! Arrays of impacts: many contacts, or many states of a robot, on all cores.
//!
//! Every row is solved by itself, and its result does not depend on the number of threads.
//!
//! | file | contents |
//! |---|---|
//! | `input` | numbers of every row in the caller's memory |
//! | `answers` | the answers as columns, and errors by row |
//! | `contacts` | contacts given by matrices |
//! | `robot` | states of a robot |

mod answers;
mod contacts;
mod input;
mod robot;

pub use answers::{ArrayAnswers, RowError};
pub use contacts::{ContactArrays, ContactTerms};
pub use input::{Rows, Values};
pub use robot::StateArrays;
