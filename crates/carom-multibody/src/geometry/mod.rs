//! Features that can touch, and the surfaces and solids that they touch.
//!
//! | file | contents |
//! |---|---|
//! | `feature` | features that touch: a point, a ball, a rim, an ellipsoid |
//! | `contact` | a feature of a link with a normal and tangents |
//! | `half_space` | the surfaces that are touched |
//! | `outline` | the points, balls, rims and ellipsoids that include the lowest point of a shape |
//! | `candidate` | the features of a model that can touch a half-space |
//! | `pair` | closest points of two convex solids |

mod candidate;
mod contact;
mod feature;
mod half_space;
mod outline;
mod pair;

pub use candidate::{Candidate, CandidateError, CandidateOptions, all_candidates, candidates};
pub use contact::{ContactPoint, contact_basis};
pub use feature::ContactKind;
pub(crate) use feature::Feature;
pub use half_space::{HalfSpace, half_spaces, planes};
pub use outline::Rims;
pub(crate) use pair::signed_closest;
pub use pair::{
    BoxPart, Carried, Closest, Facing, FacingBoxes, FirstTouch, PairError, PairFeature, PairMotion, Solid, SurfacePart,
    closest_points, first_touch, gap_rate_bound, pair_contacts,
};
