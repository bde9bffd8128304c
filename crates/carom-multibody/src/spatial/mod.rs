//! Rigid-body arithmetic: vectors, rotations, placements, inertias.
//!
//! | file | contents |
//! |---|---|
//! | `vector` | vectors |
//! | `rotation` | rotations and quaternions |
//! | `placement` | placements |
//! | `motion` | twists and wrenches |
//! | `inertia` | inertias |
//! | `lanes` | four numbers in one register |

mod inertia;
mod lanes;
mod motion;
mod placement;
mod rotation;
mod vector;

pub use inertia::{Inertia, Symmetric};
pub(crate) use motion::{BodyInertia, Twist, Wrench, screw_coefficients};
pub use placement::Placement;
pub use rotation::{Quaternion, Rotation, UNIT_TOLERANCE};
pub use vector::Vector;
