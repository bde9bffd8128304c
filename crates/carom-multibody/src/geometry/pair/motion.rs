//! Motion of the place where two bodies touch: gap, normal and touching points of two parts of surfaces, and their
//! rates.
//!
//! The parts are extended beyond their ends: a face is a plane, an edge or the side of a capsule a line, a rim a
//! circle. Gap, normal and rates are therefore smooth in time as long as the parts are kept, even if others are closer.

use super::closest::{Closest, SurfacePart, direction};
use super::error::PairError;
use super::solid::{Core, Solid};
use crate::{Placement, Vector};

/// A part of a surface without its ends, in the frame of its solid.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Form {
    Point { point: Vector },
    Line { point: Vector, along: Vector },
    Plane { point: Vector, normal: Vector },
    Circle { center: Vector, axis: Vector, radius: f64 },
}

/// The parts of two solids that touch: see [`PairFeature::of`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairFeature {
    forms: [Form; 2],
    /// Radii of the solids around these forms.
    radii: [f64; 2],
    /// For two sharp lines that cross: 1 if the normal is along their cross product, -1 if it is opposite. Otherwise 0.
    sense: f64,
}

/// The placement of a solid in the world, the velocity of its origin and its angular velocity, in world axes.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Carried {
    /// Placement of the solid's frame.
    pub at: Placement,
    /// Velocity of the frame's origin.
    pub velocity: Vector,
    /// Angular velocity.
    pub angular: Vector,
}

/// Gap, normal and touching points of two parts, and the rates of the normal and of these points, which differ from the
/// velocities of the material there.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct PairMotion {
    /// Distance between the surfaces, m; negative where they overlap.
    pub gap: f64,
    /// Unit normal in world axes, from the second solid to the first.
    pub normal: Vector,
    /// The touching points on the first and on the second.
    pub points: [Vector; 2],
    /// Rate of the normal.
    pub normal_rate: Vector,
    /// Rates of the touching points.
    pub point_rates: [Vector; 2],
}

impl Carried {
    /// A solid with this placement and motion.
    pub fn new(at: Placement, velocity: Vector, angular: Vector) -> Self {
        Self { at, velocity, angular }
    }

    /// Velocity of the material at a point of the world.
    pub fn velocity_at(&self, point: Vector) -> Vector {
        self.velocity + self.angular.cross(point - self.at.translation)
    }
}

impl PairMotion {
    /// The rate of the gap, n·(v₁(p) - v₂(p)).
    pub fn gap_rate(&self, [one, other]: &[Carried; 2]) -> f64 {
        self.normal.dot(one.velocity_at(self.points[0]) - other.velocity_at(self.points[1]))
    }

    /// The point at which forces act on both: the midpoint, so that angular momentum is conserved.
    pub fn middle(&self) -> Vector {
        0.5 * (self.points[0] + self.points[1])
    }

    /// The velocity of that point.
    pub fn middle_rate(&self) -> Vector {
        0.5 * (self.point_rates[0] + self.point_rates[1])
    }
}

/// A point of a form, and how fast it moves.
type Moving = (Vector, Vector);

impl PairFeature {
    /// The closest parts. `None` if they do not determine a normal: faces and lines that lie on each other touch at
    /// several points, and sharp edges and vertices have a normal only before they touch.
    pub fn of(one: (&Solid, &Placement), other: (&Solid, &Placement), closest: &Closest) -> Option<Self> {
        let side = |k: usize| {
            let (solid, at) = [one, other][k];
            form(solid, closest.parts[k], at.inverse().apply(closest.points[k]))
        };
        let ((first, r1), (second, r2)) = (side(0)?, side(1)?);
        let feature = Self { forms: [first, second], radii: [r1, r2], sense: 0.0 };
        let is_round = r1 + r2 > 0.0;
        match feature.forms {
            [Form::Point { .. }, Form::Plane { .. }] | [Form::Plane { .. }, Form::Point { .. }] => Some(feature),
            [Form::Point { .. } | Form::Line { .. }, Form::Point { .. } | Form::Line { .. }]
            | [Form::Point { .. }, Form::Circle { .. }]
            | [Form::Circle { .. }, Form::Point { .. }] => is_round.then_some(feature),
            _ => None,
        }
    }

    /// A vertex of the first and a face of the second: a point, a point of the face and its outward normal, each in the frame of its solid.
    pub(super) fn vertex_on_face(vertex: Vector, point: Vector, normal: Vector) -> Self {
        Self { forms: [Form::Point { point: vertex }, Form::Plane { point, normal }], radii: [0.0; 2], sense: 0.0 }
    }

    /// A face of the first and a vertex of the second.
    pub(super) fn face_on_vertex(point: Vector, normal: Vector, vertex: Vector) -> Self {
        Self { forms: [Form::Plane { point, normal }, Form::Point { point: vertex }], radii: [0.0; 2], sense: 0.0 }
    }

    /// Two edges that cross, each a point and a unit vector in the frame of its solid. The normal is along their cross
    /// product (`sense` 1) or opposite to it (-1).
    pub(super) fn crossing(one: [Vector; 2], other: [Vector; 2], sense: f64) -> Self {
        let forms = [one, other].map(|[point, along]| Form::Line { point, along });
        Self { forms, radii: [0.0; 2], sense }
    }

    /// Gap, normal and touching points, and their rates.
    ///
    /// # Errors
    /// The cores of the parts coincide, or two lines are parallel.
    pub fn motion(&self, one: &Carried, other: &Carried) -> Result<PairMotion, PairError> {
        let [r1, r2] = self.radii;
        let point = |carried: &Carried, point: Vector| {
            let place = carried.at.apply(point);
            (place, carried.velocity_at(place))
        };
        match self.forms {
            [Form::Point { point: p1 }, Form::Plane { point: p2, normal }] => {
                let (place, rate) = point(one, p1);
                let (foot, foot_rate) = point(other, p2);
                let n = other.at.rotation.apply(normal);
                let turning = other.angular.cross(n);
                let gap = n.dot(place - foot) - r1;
                let gap_rate = n.dot(rate - foot_rate) + turning.dot(place - foot);
                let (own, own_rate) = (place.plus(-r1, n), rate.plus(-r1, turning));
                Ok(PairMotion {
                    gap,
                    normal: n,
                    points: [own, own.plus(-gap, n)],
                    normal_rate: turning,
                    point_rates: [own_rate, own_rate.plus(-gap_rate, n).plus(-gap, turning)],
                })
            }
            [Form::Point { point: p1 }, Form::Point { point: p2 }] => between(point(one, p1), point(other, p2), r1, r2),
            [Form::Point { point: p1 }, Form::Line { point: p2, along }] => {
                let free = point(one, p1);
                between(free, on_line(free, other, p2, along), r1, r2)
            }
            [Form::Point { point: p1 }, Form::Circle { center, axis, radius }] => {
                let free = point(one, p1);
                between(free, on_circle(free, other, center, axis, radius)?, r1, r2)
            }
            [Form::Line { point: p1, along: u1 }, Form::Line { point: p2, along: u2 }] => {
                let [first, second] = on_lines((one, p1, u1), (other, p2, u2))?;
                match self.sense {
                    0.0 => between(first, second, r1, r2),
                    sense => across((one, u1), (other, u2), sense, first, second),
                }
            }
            [_, Form::Point { .. }] => {
                let turned = Self { forms: [self.forms[1], self.forms[0]], radii: [r2, r1], sense: 0.0 };
                let found = turned.motion(other, one)?;
                Ok(PairMotion {
                    gap: found.gap,
                    normal: -found.normal,
                    points: [found.points[1], found.points[0]],
                    normal_rate: -found.normal_rate,
                    point_rates: [found.point_rates[1], found.point_rates[0]],
                })
            }
            // No other parts are accepted.
            _ => Err(coincide()),
        }
    }
}

fn coincide() -> PairError {
    PairError::TooDeep { one: "a part of a body", other: "a part of another", depth: 0.0 }
}

/// Two balls about moving points.
fn between((x1, rate1): Moving, (x2, rate2): Moving, r1: f64, r2: f64) -> Result<PairMotion, PairError> {
    let (n, distance) = direction(x1 - x2).ok_or_else(coincide)?;
    let apart = rate1 - rate2;
    let turning = (1.0 / distance) * apart.plus(-n.dot(apart), n);
    Ok(PairMotion {
        gap: distance - r1 - r2,
        normal: n,
        points: [x1.plus(-r1, n), x2.plus(r2, n)],
        normal_rate: turning,
        point_rates: [rate1.plus(-r1, turning), rate2.plus(r2, turning)],
    })
}

/// Two sharp lines that cross: the normal is along their cross product, and keeps its sense when they pass through each
/// other.
fn across(
    (one, u1): (&Carried, Vector),
    (other, u2): (&Carried, Vector),
    sense: f64,
    (x1, rate1): Moving,
    (x2, rate2): Moving,
) -> Result<PairMotion, PairError> {
    let (u, v) = (one.at.rotation.apply(u1), other.at.rotation.apply(u2));
    let (product, sine) = direction(u.cross(v)).ok_or_else(coincide)?;
    let normal = sense * product;
    let product_rate = sense * (one.angular.cross(u).cross(v) + u.cross(other.angular.cross(v)));
    let turning = (1.0 / sine) * product_rate.plus(-normal.dot(product_rate), normal);
    let gap = normal.dot(x1 - x2);
    Ok(PairMotion { gap, normal, points: [x1, x2], normal_rate: turning, point_rates: [rate1, rate2] })
}

/// The point of a line that is closest to a moving point.
fn on_line((x, rate): Moving, carrier: &Carried, point: Vector, along: Vector) -> Moving {
    let (origin, u) = (carrier.at.apply(point), carrier.at.rotation.apply(along));
    let foot = origin.plus(u.dot(x - origin), u);
    let material = carrier.velocity_at(foot);
    let slides = (rate - material).dot(u) + (x - foot).dot(carrier.angular.cross(u));
    (foot, material.plus(slides, u))
}

/// The points of two lines that are closest to each other.
fn on_lines(
    (one, p1, u1): (&Carried, Vector, Vector),
    (other, p2, u2): (&Carried, Vector, Vector),
) -> Result<[Moving; 2], PairError> {
    let (o1, u) = (one.at.apply(p1), one.at.rotation.apply(u1));
    let (o2, v) = (other.at.apply(p2), other.at.rotation.apply(u2));
    let (s, t) = super::segment::lines(o1 - o2, u, v).ok_or_else(coincide)?;
    let (x1, x2) = (o1.plus(s, u), o2.plus(t, v));
    let (m1, m2) = (one.velocity_at(x1), other.velocity_at(x2));
    let (apart, rate) = (x1 - x2, m1 - m2);
    let a = -(rate.dot(u) + apart.dot(one.angular.cross(u)));
    let b = rate.dot(v) + apart.dot(other.angular.cross(v));
    let (cosine, across) = (u.dot(v), u.cross(v));
    let square = across.dot(across);
    Ok([(x1, m1.plus((a + cosine * b) / square, u)), (x2, m2.plus((cosine * a + b) / square, v))])
}

/// The point of a circle that is closest to a moving point.
fn on_circle(
    (x, rate): Moving,
    carrier: &Carried,
    center: Vector,
    axis: Vector,
    radius: f64,
) -> Result<Moving, PairError> {
    let (c, a) = (carrier.at.apply(center), carrier.at.rotation.apply(axis));
    let (c_rate, a_rate) = (carrier.velocity_at(c), carrier.angular.cross(a));
    let (d, d_rate) = (x - c, rate - c_rate);
    let height = a.dot(d);
    let (u, across) = direction(d.plus(-height, a)).ok_or_else(coincide)?;
    let w_rate = d_rate.plus(-height, a_rate).plus(-(a_rate.dot(d) + a.dot(d_rate)), a);
    let u_rate = (1.0 / across) * w_rate.plus(-u.dot(w_rate), u);
    Ok((c.plus(radius, u), c_rate.plus(radius, u_rate)))
}

/// A part of a solid without its ends, and the radius around it. `point` is the touching point in the solid's frame.
fn form(solid: &Solid, part: SurfacePart, point: Vector) -> Option<(Form, f64)> {
    let up = Vector::new(0.0, 0.0, 1.0);
    let ball = |center: Vector| Some((Form::Point { point: center }, solid.radius));
    let flat = |point: Vector, normal: Vector| Some((Form::Plane { point, normal }, 0.0));
    match (&solid.core, part) {
        (Core::Point, _) => ball(Vector::ZERO),
        (Core::Segment { .. }, SurfacePart::Side) => {
            Some((Form::Line { point: Vector::ZERO, along: up }, solid.radius))
        }
        (Core::Segment { half_length }, _) => {
            ball(if point.z() < 0.0 { -*half_length * up } else { *half_length * up })
        }
        (Core::Box { half }, SurfacePart::Face(face)) => {
            let (axis, sign) = (face / 2, if face % 2 == 1 { -1.0 } else { 1.0 });
            let normal = super::point::along(axis, sign);
            flat(half[axis] * normal, normal)
        }
        (Core::Box { half }, SurfacePart::Edge(edge)) => {
            let axis = edge / 4;
            let others: Vec<usize> = (0..3).filter(|k| *k != axis).collect();
            let mut middle = [0.0; 3];
            for (place, bit) in others.into_iter().zip([2, 1]) {
                middle[place] = if edge & bit != 0 { -half[place] } else { half[place] };
            }
            Some((Form::Line { point: Vector::from(middle), along: super::point::along(axis, 1.0) }, solid.radius))
        }
        (Core::Box { half }, SurfacePart::Vertex(vertex)) => {
            let corner = |k: usize, bit: usize| if vertex & bit != 0 { -half[k] } else { half[k] };
            ball(Vector::new(corner(0, 4), corner(1, 2), corner(2, 1)))
        }
        (Core::Cylinder { radius, .. }, SurfacePart::Side) => {
            Some((Form::Line { point: Vector::ZERO, along: up }, *radius))
        }
        (Core::Cylinder { half_length, .. }, SurfacePart::Face(end)) => {
            let normal = if end == 0 { up } else { -up };
            flat(*half_length * normal, normal)
        }
        (Core::Cylinder { radius, half_length }, SurfacePart::Rim(end)) => {
            let center = if end == 0 { *half_length * up } else { -*half_length * up };
            Some((Form::Circle { center, axis: up, radius: *radius }, 0.0))
        }
        (Core::Hull(hull), SurfacePart::Face(triangle)) => {
            let [a, b, c] = hull.faces.get(triangle)?.map(|i| hull.vertices[i]);
            flat(a, direction((b - a).cross(c - a))?.0)
        }
        (Core::Hull(hull), SurfacePart::Edge(edge)) => {
            let face = hull.faces.get(edge / 3)?;
            let (from, to) = (hull.vertices[face[edge % 3]], hull.vertices[face[(edge % 3 + 1) % 3]]);
            Some((Form::Line { point: from, along: direction(to - from)?.0 }, 0.0))
        }
        (Core::Hull(hull), SurfacePart::Vertex(vertex)) => ball(*hull.vertices.get(vertex)?),
        _ => None,
    }
}
