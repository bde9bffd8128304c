//! Candidates for contact: the balls, rims, ellipsoids and corners of a link's shapes that can touch a half-space.

use super::contact::ContactPoint;
use super::half_space::HalfSpace;
use super::outline::{Rims, TouchingFeature, TouchingForm, features, plane_on_link};
use crate::Placement;
use crate::error::DynamicsError;
use crate::model::{LinkId, Model};

/// A feature of a robot that can touch a half-space.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its name; for a shape link/shape/feature, see [`candidates`].
    pub name: String,
    /// The contact; its normal is that of the half-space.
    pub contact: ContactPoint,
    /// The half-space that it can touch.
    pub half_space: HalfSpace,
}

/// Options for turning shapes into candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CandidateOptions {
    /// How the rims of cylinders are represented.
    pub rims: Rims,
}

/// Why a shape has no candidates.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CandidateError {
    /// The link has no shape with this index.
    #[error("shape {index} of link {link:?} does not exist: the link has {count} shapes")]
    UnknownShape {
        /// The link.
        link: String,
        /// The index of the shape on the link.
        index: usize,
        /// The number of shapes of the link.
        count: usize,
    },
    /// A geometry that is not supported as a contact.
    #[error("shape {shape:?} of link {link:?} is {form}, which is not supported as a contact; state points instead")]
    NotSupported {
        /// The link.
        link: String,
        /// The shape's name, or its index on the link.
        shape: String,
        /// Its geometry.
        form: &'static str,
    },
    /// Too few points on a rim.
    #[error("rims = {given} points is too few: at least {LEAST_POINTS} points are needed on each rim")]
    FewPoints {
        /// The requested number of points.
        given: usize,
    },
    /// The contact is invalid.
    #[error(transparent)]
    Contact(#[from] DynamicsError),
}

/// A disc cannot stand on fewer points.
const LEAST_POINTS: usize = 3;

/// The features of a link's shape that can touch a half-space. `shape` is its index on the link.
///
/// | shape | in space | in a plane |
/// |---|---|---|
/// | sphere | `ball` | `ball` |
/// | box | 8 corners, `corner_+-+` by the signs of x, y, z | those distinct in the plane: 4, `corner_+0-`, if an axis is normal to it |
/// | capsule | the balls at its ends, `ball_+` and `ball_-` along its axis | as in space; `ball_0` if the axis is normal to the plane |
/// | cylinder | points on its rims, `rim_+_0` and so on, or rims, `rim_+` and `rim_-`: see [`Rims`] | `disc`, a ball, if the axis is normal to the plane; 4 corners, `corner_+-` across and along the axis, if it lies in it |
/// | ellipsoid | `ellipsoid` | `ellipsoid` |
/// | mesh with a hull | the vertices of its hull, `vertex_0` and so on | as in space, projected into the plane |
/// | mesh without a hull, plane | an error | an error |
///
/// "In a plane" means that the model moves in a plane that contains the half-space's normal. Points are then at half
/// the depth of the shape. For boxes, capsules and cylinders with rolling rims this is exact: the lowest point of the
/// convex body is always among these features. A link that is fixed to the world has no candidates.
///
/// Names are link/shape/feature; a shape without a name is given by its index.
///
/// # Errors
/// A link or shape does not exist, a geometry is not supported, or a rim has too few points.
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

/// All candidates of a model's moving links for a half-space, in the order of links and shapes, and the shapes
/// that have none.
///
/// # Errors
/// A rim has too few points, or a contact is invalid.
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
