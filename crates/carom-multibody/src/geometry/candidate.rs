//! What of a link's shapes can touch a half-space: balls, rims, ellipsoids and corners.

use super::contact::ContactPoint;
use super::half_space::HalfSpace;
use super::outline::{Rims, TouchingFeature, TouchingForm, features, plane_on_link};
use crate::Placement;
use crate::error::DynamicsError;
use crate::model::{LinkId, Model};

/// Something of a robot that can touch a half-space.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Of a shape: link/shape/feature, as [`candidates`] says.
    pub name: String,
    /// What touches; its normal is the half-space's.
    pub contact: ContactPoint,
    /// What it touches.
    pub half_space: HalfSpace,
}

/// How shapes become candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CandidateOptions {
    /// What stands for the rims of cylinders.
    pub rims: Rims,
}

/// A shape that gives no candidates.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CandidateError {
    /// A shape that the link does not have.
    #[error("link {link:?} has no shape {index}: it has {count}")]
    UnknownShape {
        /// The link.
        link: String,
        /// The shape's place among the link's.
        index: usize,
        /// How many shapes the link has.
        count: usize,
    },
    /// A form whose touching points are not known.
    #[error("shape {shape:?} of link {link:?} is {form}, not supported as contact: state points")]
    NotSupported {
        /// The link.
        link: String,
        /// The shape's name, or its place among the link's.
        shape: String,
        /// What it is.
        form: &'static str,
    },
    /// Too few points to stand for a rim.
    #[error("{given} points stand for a rim; it needs {LEAST_POINTS} or more")]
    FewPoints {
        /// How many were asked for.
        given: usize,
    },
    /// A contact that cannot be made.
    #[error(transparent)]
    Contact(#[from] DynamicsError),
}

/// Fewer points than these do not hold a disc up.
const LEAST_POINTS: usize = 3;

/// What of a link's shape can touch a half-space. `shape` is its place among the link's.
///
/// | shape | in space | in a plane |
/// |---|---|---|
/// | sphere | `ball` | `ball` |
/// | box | 8 corners, `corner_+-+` by the signs of x, y, z | those that differ in the plane: 4, `corner_+0-`, if an axis is out of it |
/// | capsule | the balls at its ends, `ball_+` and `ball_-` along its axis | the same; `ball_0` if the axis is out of the plane |
/// | cylinder | points of its rims, `rim_+_0` and on, or rims, `rim_+` and `rim_-`: see [`Rims`] | `disc`, a ball, if the axis is out of the plane; 4 corners, `corner_+-` across and along the axis, if it is in it |
/// | ellipsoid | `ellipsoid` | `ellipsoid` |
/// | mesh with a hull | `vertex_0` and on, the vertices of its hull | as in space, in the plane of the motion |
/// | mesh without, plane | none: an error | none: an error |
///
/// In a plane means: the model moves in one, and the half-space's normal lies in it. Points are then in the middle of
/// the shape's depth. What stands for a box, capsule or cylinder with rolling rims is exact against a half-space:
/// of a convex body that is lowest which is lowest among these. A link that is fixed to the world has no candidates.
///
/// Names are link/shape/feature; a shape without name goes by its place.
///
/// # Errors
/// A link or shape that does not exist, a form that is not supported, too few points for a rim.
pub fn candidates(
    model: &Model,
    link: LinkId,
    shape: usize,
    half_space: &HalfSpace,
    options: &CandidateOptions,
) -> Result<Vec<Candidate>, CandidateError> {
    let count = model.links().len();
    let carrier = model.links().get(link.index()).ok_or(DynamicsError::UnknownLink { index: link.index(), count })?;
    let unknown =
        || CandidateError::UnknownShape { link: carrier.name.clone(), index: shape, count: carrier.shapes.len() };
    let stated = carrier.shapes.get(shape).ok_or_else(unknown)?;
    if let Rims::Points(given) = options.rims
        && given < LEAST_POINTS
    {
        return Err(CandidateError::FewPoints { given });
    }
    if !model.is_moving(link) {
        return Ok(Vec::new());
    }
    let name = stated.name.clone().unwrap_or_else(|| shape.to_string());
    let features = match features(stated, plane_on_link(model, link, half_space.normal), options.rims) {
        Ok(features) => features,
        Err(form) => return Err(CandidateError::NotSupported { link: carrier.name.clone(), shape: name, form }),
    };
    let candidate = |TouchingFeature { suffix, center, form }: TouchingFeature| {
        let normal = half_space.normal;
        let contact = match form {
            TouchingForm::Point => ContactPoint::new(model, link, center, normal),
            TouchingForm::Ball { radius } => ContactPoint::ball(model, link, center, radius, normal),
            TouchingForm::Rim { axis, radius } => ContactPoint::rim(model, link, center, axis, radius, normal),
            TouchingForm::Ellipsoid { rotation, half } => {
                ContactPoint::ellipsoid(model, link, &Placement { rotation, translation: center }, half, normal)
            }
        };
        let name = format!("{}/{name}/{suffix}", carrier.name);
        Ok(Candidate { name, contact: contact?, half_space: *half_space })
    };
    features.into_iter().map(candidate).collect()
}

/// All candidates of a model's moving links against a half-space, in the order of links and shapes, and the shapes
/// that give none.
///
/// # Errors
/// Too few points for a rim, or a contact that cannot be made.
pub fn all_candidates(
    model: &Model,
    half_space: &HalfSpace,
    options: &CandidateOptions,
) -> Result<(Vec<Candidate>, Vec<CandidateError>), CandidateError> {
    let (mut found, mut refused) = (Vec::new(), Vec::new());
    for (index, link) in model.links().iter().enumerate() {
        for shape in 0..link.shapes.len() {
            match candidates(model, LinkId::from_index(index), shape, half_space, options) {
                Ok(more) => found.extend(more),
                Err(error @ CandidateError::NotSupported { .. }) => refused.push(error),
                Err(error) => return Err(error),
            }
        }
    }
    Ok((found, refused))
}
