//! The points, balls, rims and ellipsoids that include the lowest point of a shape in every pose.

use crate::model::{Geometry, LinkId, Model, PARALLEL, Shape};
use crate::{Placement, Rotation, Vector};

/// How the rims of a cylinder are represented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rims {
    /// This many points on each rim, evenly spaced from the shape's x axis towards its y axis; 3 or more. The cylinder
    /// is then a prism: it rests on its faces and edges, and does not roll.
    Points(usize),
    /// The lowest point of each rim: the cylinder rolls on its rims. A rim that lies flat has no unique lowest point,
    /// see [`Dynamics::rim_sine`](crate::Dynamics::rim_sine).
    Rolling,
}

impl Default for Rims {
    /// Eight points.
    fn default() -> Self {
        Rims::Points(8)
    }
}

/// A feature that can touch, in the link's frame.
pub(crate) struct TouchingFeature {
    pub(crate) suffix: String,
    pub(crate) center: Vector,
    pub(crate) form: TouchingForm,
}

pub(crate) enum TouchingForm {
    Point,
    Ball { radius: f64 },
    Rim { axis: Vector, radius: f64 },
    Ellipsoid { rotation: Rotation, half: [f64; 3] },
}

/// The normal of the plane of motion in the link's axes, if the model moves in a plane that contains the given normal.
/// Links only rotate about it, so it is the same in every configuration.
pub(crate) fn plane_on_link(model: &Model, link: LinkId, normal: Vector) -> Option<Vector> {
    let plane = model.plane().filter(|plane| plane.dot(normal).abs() <= PARALLEL)?;
    let mut rotation = Rotation::IDENTITY;
    let mut next = Some(link);
    while let Some(id) = next {
        let link = model.link(id);
        rotation = link.placement.rotation * rotation;
        next = link.parent;
    }
    Some(rotation.apply_inverse(plane))
}

/// The features of a shape that can touch half-spaces, or the name of its geometry if it is not supported. `plane` is
/// the normal of the plane of motion, if there is one.
pub(crate) fn features(shape: &Shape, plane: Option<Vector>, rims: Rims) -> Result<Vec<TouchingFeature>, &'static str> {
    let outline = Outline { place: shape.placement, plane };
    Ok(match shape.geometry {
        Geometry::Sphere { radius } => vec![outline.ball("ball", 0.0, radius)],
        Geometry::Capsule { radius, half_length } => {
            if outline.axis_is_out_of_plane() {
                vec![outline.ball("ball_0", 0.0, radius)]
            } else {
                vec![outline.ball("ball_+", half_length, radius), outline.ball("ball_-", -half_length, radius)]
            }
        }
        Geometry::Box { half } => outline.corners_of_box(half),
        Geometry::Cylinder { radius, half_length } => {
            if outline.axis_is_out_of_plane() {
                vec![outline.ball("disc", 0.0, radius)]
            } else if let Some(across) = outline.across_axis_in_plane() {
                outline.corners_of_cylinder(across, radius, half_length)
            } else {
                outline.rims(radius, half_length, rims)
            }
        }
        Geometry::Ellipsoid { half } => {
            let form = TouchingForm::Ellipsoid { rotation: shape.placement.rotation, half };
            vec![TouchingFeature { suffix: "ellipsoid".to_owned(), center: outline.at(Vector::ZERO), form }]
        }
        Geometry::Plane => return Err("a plane"),
        Geometry::Mesh { hull: Some(ref hull), .. } => {
            let vertex = |(k, vertex): (usize, &Vector)| outline.point(format!("vertex_{k}"), *vertex);
            hull.vertices.iter().enumerate().map(vertex).collect()
        }
        Geometry::Mesh { hull: None, .. } => return Err("a mesh without a hull"),
    })
}

/// The placement of a shape on its link, and the normal of the plane of motion.
struct Outline {
    place: Placement,
    plane: Option<Vector>,
}

impl Outline {
    fn axis(&self) -> Vector {
        self.place.rotation.columns[2]
    }

    fn axis_is_out_of_plane(&self) -> bool {
        self.plane.is_some_and(|plane| self.axis().cross(plane).norm() <= PARALLEL)
    }

    /// If the axis lies in the plane, the direction in the plane normal to the axis.
    fn across_axis_in_plane(&self) -> Option<Vector> {
        let plane = self.plane.filter(|plane| self.axis().dot(*plane).abs() <= PARALLEL)?;
        plane.cross(self.axis()).normalized()
    }

    /// A point of the shape; for planar motion moved to half the depth of the shape.
    fn at(&self, point: Vector) -> Vector {
        let offset = self.place.rotation.apply(point);
        let flat = self.plane.map_or(offset, |plane| offset.plus(-plane.dot(offset), plane));
        self.place.translation + flat
    }

    fn point(&self, suffix: String, point: Vector) -> TouchingFeature {
        TouchingFeature { suffix, center: self.at(point), form: TouchingForm::Point }
    }

    /// A ball on the shape's axis.
    fn ball(&self, suffix: &str, height: f64, radius: f64) -> TouchingFeature {
        let center = self.at(Vector::new(0.0, 0.0, height));
        TouchingFeature { suffix: suffix.to_owned(), center, form: TouchingForm::Ball { radius } }
    }

    /// Corners that coincide in the plane of motion are merged, at their midpoint.
    fn corners_of_box(&self, half: [f64; 3]) -> Vec<TouchingFeature> {
        let across = self.plane.map(|plane| self.place.rotation.apply_inverse(plane));
        let mut groups: Vec<Vec<[f64; 3]>> = Vec::new();
        for number in 0..8 {
            let signs = [4, 2, 1].map(|bit| if number & bit == 0 { 1.0 } else { -1.0 });
            let is_behind = |other: &[f64; 3]| {
                let between = corner(half, signs) - corner(half, *other);
                let apart = across.map_or(between, |across| between.cross(across));
                apart.norm() <= across.map_or(0.0, |_| PARALLEL * between.norm())
            };
            match groups.iter_mut().find(|group| is_behind(&group[0])) {
                Some(group) => group.push(signs),
                None => groups.push(vec![signs]),
            }
        }
        let middle = |group: Vec<[f64; 3]>| {
            let count = group.len() as f64;
            let signs = [0, 1, 2].map(|axis| group.iter().map(|signs| signs[axis]).sum::<f64>() / count);
            self.point(format!("corner_{}", signs.map(letter).concat()), corner(half, signs))
        };
        groups.into_iter().map(middle).collect()
    }

    fn corners_of_cylinder(&self, across: Vector, radius: f64, half_length: f64) -> Vec<TouchingFeature> {
        let across = self.place.rotation.apply_inverse(across);
        let signs = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
        let corners = signs.map(|[x, z]| {
            let along = Vector::new(0.0, 0.0, z * half_length);
            self.point(format!("corner_{}{}", letter(x), letter(z)), along.plus(x * radius, across))
        });
        corners.into()
    }

    fn rims(&self, radius: f64, half_length: f64, rims: Rims) -> Vec<TouchingFeature> {
        let mut features = Vec::new();
        for side in [1.0, -1.0] {
            let (height, suffix) = (side * half_length, format!("rim_{}", letter(side)));
            match rims {
                Rims::Rolling => {
                    let center = self.at(Vector::new(0.0, 0.0, height));
                    let form = TouchingForm::Rim { axis: self.axis(), radius };
                    features.push(TouchingFeature { suffix, center, form });
                }
                Rims::Points(count) => features.extend((0..count).map(|k| {
                    let (sin, cos) = (std::f64::consts::TAU * k as f64 / count as f64).sin_cos();
                    self.point(format!("{suffix}_{k}"), Vector::new(radius * cos, radius * sin, height))
                })),
            }
        }
        features
    }
}

fn corner([x, y, z]: [f64; 3], signs: [f64; 3]) -> Vector {
    Vector::new(signs[0] * x, signs[1] * y, signs[2] * z)
}

fn letter(sign: f64) -> &'static str {
    if sign > 0.0 {
        "+"
    } else if sign < 0.0 {
        "-"
    } else {
        "0"
    }
}
