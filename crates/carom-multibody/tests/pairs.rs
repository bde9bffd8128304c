//! Gaps, normals and points of two solids, against supports and memberships that are written here: the distance of two convex
//! bodies is between |a - b| of any two of their points and min n·A - max n·B of any unit vector n.

mod common;

use std::sync::Arc;

use carom_multibody::{
    BodyPair, Carried, Closest, Contacts, Dynamics, FirstTouch, Geometry, Hull, Inertia, Joint, JointKind, LinkId,
    LinkSpec, ModelBuilder, PairAxes, PairError, PairFeature, PairSide, Placement, Quaternion, Rotation, Solid,
    SurfacePart, Vector, closest_points, contact_basis, first_touch, gap_rate_bound, pair_contacts,
};
use common::{Gauge, for_cases};
use fastrand::Rng;

/// A shape that knows its support and which points it contains.
#[derive(Clone)]
enum Body {
    Ball(f64),
    Capsule(f64, f64),
    Box([f64; 3]),
    Cylinder(f64, f64),
    Hull(Arc<Hull>),
}

impl Body {
    fn solid(&self) -> Solid {
        match self {
            Body::Ball(r) => Solid::ball(*r).unwrap(),
            Body::Capsule(r, l) => Solid::capsule(*r, *l).unwrap(),
            Body::Box(half) => Solid::cuboid(*half).unwrap(),
            Body::Cylinder(r, l) => Solid::cylinder(*r, *l).unwrap(),
            Body::Hull(hull) => Solid::hull(Arc::clone(hull)),
        }
    }

    /// max n·x over the body, n in its own axes.
    fn support(&self, n: Vector) -> f64 {
        let [x, y, z] = n.to_array();
        match self {
            Body::Ball(r) => r * n.norm(),
            Body::Capsule(r, l) => r * n.norm() + l * z.abs(),
            Body::Box([a, b, c]) => a * x.abs() + b * y.abs() + c * z.abs(),
            Body::Cylinder(r, l) => r * x.hypot(y) + l * z.abs(),
            Body::Hull(hull) => hull.vertices.iter().map(|v| v.dot(n)).fold(f64::NEG_INFINITY, f64::max),
        }
    }

    /// How far a point is outside, or zero; a lower bound of it for a hull.
    fn outside(&self, p: Vector) -> f64 {
        let [x, y, z] = p.to_array();
        match self {
            Body::Ball(r) => (p.norm() - r).max(0.0),
            Body::Capsule(r, l) => ((p - Vector::new(0.0, 0.0, z.max(-l).min(*l))).norm() - r).max(0.0),
            Body::Box([a, b, c]) => (x.abs() - a).max(y.abs() - b).max(z.abs() - c).max(0.0),
            Body::Cylinder(r, l) => (x.hypot(y) - r).max(z.abs() - l).max(0.0),
            Body::Hull(hull) => {
                let beyond = hull.faces.iter().map(|face| {
                    let [a, b, c] = face.map(|i| hull.vertices[i]);
                    (b - a).cross(c - a).normalized().map_or(0.0, |n| n.dot(p - a))
                });
                beyond.fold(0.0, f64::max)
            }
        }
    }

    fn size(&self) -> f64 {
        match self {
            Body::Ball(r) => *r,
            Body::Capsule(r, l) | Body::Cylinder(r, l) => r + l,
            Body::Box(half) => half.iter().sum(),
            Body::Hull(hull) => hull.vertices.iter().map(|v| v.norm()).fold(0.0, f64::max),
        }
    }
}

fn vector(rng: &mut Rng) -> Vector {
    Vector::from([(); 3].map(|()| 2.0 * rng.f64() - 1.0))
}

fn unit(rng: &mut Rng) -> Vector {
    loop {
        let v = vector(rng);
        if v.norm() <= 1.0 && v.norm() > 0.1 {
            return v.normalized().unwrap();
        }
    }
}

/// Random directions; sometimes axes, so that edges and faces are parallel.
fn rotation(rng: &mut Rng) -> Rotation {
    match rng.usize(..5) {
        0 => Rotation::IDENTITY,
        1 => Rotation::about_axis(rng.usize(..3), 3.0 * rng.f64()),
        _ => Quaternion::about(unit(rng), 6.0 * rng.f64()).to_rotation(),
    }
}

fn length(rng: &mut Rng) -> f64 {
    0.05 + 0.25 * rng.f64()
}

/// Tetrahedra to round hulls, as vertices and triangles of a mesh file would give them.
fn hull(rng: &mut Rng) -> Arc<Hull> {
    // Octahedra with random half axes: their faces are known without a hull.
    let [a, b, c] = [(); 3].map(|()| length(rng));
    let at = |k: usize, s: f64| Vector::from([0, 1, 2].map(|i| if i == k { s * [a, b, c][k] } else { 0.0 }));
    let vertices = vec![at(0, 1.0), at(0, -1.0), at(1, 1.0), at(1, -1.0), at(2, 1.0), at(2, -1.0)];
    let mut faces = Vec::new();
    for (x, y, z) in (0..8).map(|bits| (bits & 1, bits >> 1 & 1, bits >> 2)) {
        let face = [x, 2 + y, 4 + z];
        faces.push(if (x + y + z) % 2 == 0 { face } else { [face[1], face[0], face[2]] });
    }
    Arc::new(Hull { vertices, faces, full: 6, error: 0.0 })
}

fn ball(rng: &mut Rng) -> Body {
    Body::Ball(length(rng))
}

fn capsule(rng: &mut Rng) -> Body {
    Body::Capsule(length(rng), length(rng))
}

fn cuboid(rng: &mut Rng) -> Body {
    Body::Box([(); 3].map(|()| length(rng)))
}

fn cylinder(rng: &mut Rng) -> Body {
    Body::Cylinder(length(rng), length(rng))
}

fn hull_body(rng: &mut Rng) -> Body {
    Body::Hull(hull(rng))
}

type Make = fn(&mut Rng) -> Body;

/// All pairs that are supported, in both orders.
const PAIRS: [(&str, Make, Make); 11] = [
    ("ball, ball", ball, ball),
    ("ball, capsule", ball, capsule),
    ("capsule, ball", capsule, ball),
    ("ball, box", ball, cuboid),
    ("box, ball", cuboid, ball),
    ("ball, cylinder", ball, cylinder),
    ("hull, ball", hull_body, ball),
    ("capsule, capsule", capsule, capsule),
    ("capsule, box", capsule, cuboid),
    ("box, capsule", cuboid, capsule),
    ("box, box", cuboid, cuboid),
];

/// min n·A - max n·B.
fn separation(n: Vector, one: &Body, at: &Placement, other: &Body, other_at: &Placement) -> f64 {
    let lowest = n.dot(at.translation) - one.support(at.rotation.apply_inverse(-n));
    let highest = n.dot(other_at.translation) + other.support(other_at.rotation.apply_inverse(n));
    lowest - highest
}

/// Two bodies with a gap between 1e-9 and 0.3 m, at random.
fn placed(rng: &mut Rng, one: &Body, other: &Body) -> (Placement, Placement, f64) {
    let other_at = Placement::new(rotation(rng), vector(rng));
    let mut at = Placement::new(rotation(rng), other_at.translation + 1.5 * unit(rng));
    let target = 0.3 * 10f64.powf(-8.5 * rng.f64());
    let found = closest_points(&one.solid(), &at, &other.solid(), &other_at).unwrap();
    at.translation = at.translation.plus(target - found.gap, found.normal);
    (at, other_at, target)
}

#[test]
fn the_gap_is_between_its_points_and_its_supports() {
    for (name, make, make_other) in PAIRS {
        // Of the sizes of both, 0.1 to 2 m; measured 1e-15 and less.
        let mut gauge = Gauge::new(name, 1e-14);
        let mut touched = std::collections::HashSet::new();
        for_cases(1000, |rng| {
            let (one, other) = (make(rng), make_other(rng));
            let (at, other_at, target) = placed(rng, &one, &other);
            let found = closest_points(&one.solid(), &at, &other.solid(), &other_at).unwrap();
            let scale = one.size() + other.size() + 1.0;
            let [a, b] = found.points;
            gauge.see((found.gap - target).abs(), scale);
            gauge.see((found.gap - (a - b).norm()).abs(), scale);
            // Between two points of boxes that are 1e-9 m apart there is no direction: the normal is that of the best axis.
            let is_flat = found.parts.iter().any(|part| matches!(part, SurfacePart::Face(_)))
                || found.parts.iter().all(|part| matches!(part, SurfacePart::Edge(_)));
            let is_between_corners = name == "box, box" && !is_flat && found.gap < 2e-9 * scale;
            let apart = separation(found.normal, &one, &at, &other, &other_at);
            assert!(apart <= found.gap + 1e-14 * scale && apart > 0.0);
            if !is_between_corners {
                gauge.see((found.gap - apart).abs(), scale);
            }
            gauge.see(one.outside(at.inverse().apply(a)), scale);
            gauge.see(other.outside(other_at.inverse().apply(b)), scale);
            gauge.see((found.normal.norm() - 1.0).abs(), 1.0);
            touched.insert(found.parts.map(|part| std::mem::discriminant(&part)));
        });
        println!("{name}: {} kinds of parts", touched.len());
    }
}

#[test]
fn every_part_of_a_surface_is_met() {
    let mut kinds = std::collections::HashMap::new();
    for_cases(4000, |rng| {
        let (one, other) = (cuboid(rng), cuboid(rng));
        let (at, other_at, _) = placed(rng, &one, &other);
        let found = closest_points(&one.solid(), &at, &other.solid(), &other_at).unwrap();
        let dimension = found.parts.map(|part| match part {
            SurfacePart::Vertex(_) => 0,
            SurfacePart::Edge(_) => 1,
            _ => 2,
        });
        *kinds.entry(dimension).or_insert(0) += 1;
    });
    for kind in [[0, 0], [0, 1], [1, 0], [1, 1], [0, 2], [2, 0]] {
        assert!(kinds.get(&kind).is_some_and(|count| *count > 20), "{kind:?}: {kinds:?}");
    }
}

/// The gap along a motion: its rate is n·(v₁ - v₂) at the closest points, and its gradient by the place of the first is n.
#[test]
fn gaps_and_normals_agree_with_differences_along_motions() {
    for (name, make, make_other) in PAIRS {
        // Differences of the fourth order with a step of 3e-4 s, at rates of 1 to 3 m/s.
        let mut gauge = Gauge::new(name, 1e-8);
        let (mut compared, mut moving) = (0, 0);
        for_cases(400, |rng| {
            let (one, other) = (make(rng), make_other(rng));
            let (mut at, other_at, _) = placed(rng, &one, &other);
            // Not parallel, where the place of touch jumps; and far enough that the step does not close the gap.
            at.rotation = Quaternion::about(unit(rng), 0.2 + rng.f64()).to_rotation() * at.rotation;
            at.translation = at.translation.plus(0.3, (at.translation - other_at.translation).normalized().unwrap());
            let found = closest_points(&one.solid(), &at, &other.solid(), &other_at).unwrap();
            at.translation = at.translation.plus(0.05 + 0.1 * rng.f64() - found.gap, found.normal);
            let (v, w, v2, w2) = (vector(rng), vector(rng), vector(rng), vector(rng));
            let moved = |at: &Placement, v: Vector, w: Vector, t: f64| {
                Placement::new(Quaternion::exp(t * w).to_rotation() * at.rotation, at.translation.plus(t, v))
            };
            let gap = |t: f64| {
                let (at, other_at) = (moved(&at, v, w, t), moved(&other_at, v2, w2, t));
                closest_points(&one.solid(), &at, &other.solid(), &other_at).unwrap()
            };
            let h = 3e-4;
            let around = [-2.0, -1.0, 1.0, 2.0].map(|k| gap(k * h));
            let found = gap(0.0);
            // The third derivative jumps where the part changes.
            if around.iter().any(|near| near.parts != found.parts) {
                return;
            }
            compared += 1;
            let slope = |g: [f64; 4]| (g[0] - 8.0 * g[1] + 8.0 * g[2] - g[3]) / (12.0 * h);
            let speed = |p: Vector, at: &Placement, v: Vector, w: Vector| v + w.cross(p - at.translation);
            let rate = found.normal.dot(speed(found.points[0], &at, v, w) - speed(found.points[1], &other_at, v2, w2));
            gauge.see((slope(around.map(|near| near.gap)) - rate).abs(), 1.0);
            // The material of both at one point in the middle has the same rate.
            let middle = found.middle();
            let at_middle = found.normal.dot(speed(middle, &at, v, w) - speed(middle, &other_at, v2, w2));
            gauge.see((rate - at_middle).abs(), 1.0);
            // The rates of the normal and of the places, not of the material there.
            if let Some(feature) = PairFeature::of((&one.solid(), &at), (&other.solid(), &other_at), &found) {
                let motion = feature.motion(&Carried::new(at, v, w), &Carried::new(other_at, v2, w2)).unwrap();
                gauge.see((motion.gap - found.gap).abs(), 1.0);
                let slope_of = |of: &dyn Fn(&Closest) -> Vector| {
                    let near = around.map(|near| of(&near).to_array());
                    Vector::from([0, 1, 2].map(|i| slope(near.map(|vector| vector[i]))))
                };
                let fast =
                    1.0 + motion.normal_rate.norm() + motion.point_rates[0].norm() + motion.point_rates[1].norm();
                // Nearly parallel lines have places that move without bound, and differences without digits.
                if fast < 30.0 {
                    gauge.see((motion.normal - found.normal).norm(), 1.0);
                    for side in 0..2 {
                        gauge.see((motion.points[side] - found.points[side]).norm(), 1.0);
                        let rate = slope_of(&|near| near.points[side]);
                        gauge.see((rate - motion.point_rates[side]).norm(), 20.0 * fast * fast);
                    }
                    gauge.see((slope_of(&|near| near.normal) - motion.normal_rate).norm(), 20.0 * fast * fast);
                    moving += 1;
                }
            }
            for k in 0..3 {
                let along = Vector::from([0, 1, 2].map(|i| f64::from(i == k)));
                let shifted = [-2.0, -1.0, 1.0, 2.0].map(|step| {
                    let at = Placement::new(at.rotation, at.translation.plus(step * h, along));
                    closest_points(&one.solid(), &at, &other.solid(), &other_at).unwrap()
                });
                if shifted.iter().all(|near| near.parts == found.parts) {
                    gauge.see((slope(shifted.map(|near| near.gap)) - found.normal.dot(along)).abs(), 1.0);
                }
            }
        });
        assert!(compared > 50, "{name}: {compared}");
        // Two boxes have a normal of their own at a vertex on a face, seldom in random places; the drift of edges is not there.
        assert!(moving > if name == "box, box" { 10 } else { 50 }, "{name}: {moving}");
    }
}

/// d/dt (A v) of two bodies that move freely at constant v, by differences, is the drift: place and axes move, too.
#[test]
fn the_drift_of_a_pair_agrees_with_differences() {
    for (name, make, make_other) in PAIRS {
        let mut gauge = Gauge::new(name, 1e-7);
        let mut compared = 0;
        for_cases(100, |rng| {
            let (one, other) = (make(rng), make_other(rng));
            let mut builder = ModelBuilder::new("two bodies");
            for name in ["one", "other"] {
                let joint = Joint::new(name, JointKind::Floating);
                let link = LinkSpec::new(name).joint(joint).inertia(Inertia::ball(1.0 + rng.f64(), 0.3));
                builder.link(LinkId::WORLD, link).unwrap();
            }
            let model = Arc::new(builder.build().unwrap());
            let (mut at, other_at, _) = placed(rng, &one, &other);
            at.rotation = Quaternion::about(unit(rng), 0.2 + rng.f64()).to_rotation() * at.rotation;
            at.translation = at.translation.plus(0.3, (at.translation - other_at.translation).normalized().unwrap());
            let found = closest_points(&one.solid(), &at, &other.solid(), &other_at).unwrap();
            at.translation = at.translation.plus(0.05 - found.gap, found.normal);
            let side = |link: usize, solid: Solid| PairSide {
                link: LinkId::from_index(link),
                placement: Placement::IDENTITY,
                solid,
            };
            let pair = BodyPair { sides: [side(1, one.solid()), side(2, other.solid())] };
            let pose = |at: &Placement| {
                let quaternion = at.rotation.to_quaternion().to_array();
                [at.translation.to_array().to_vec(), quaternion.to_vec()].concat()
            };
            let q = [pose(&at), pose(&other_at)].concat();
            let v: Vec<f64> = (0..4).flat_map(|_| vector(rng).to_array()).collect();
            let mut dynamics = Dynamics::new(Arc::clone(&model));
            dynamics.set_state(&q, &v).unwrap();
            let closest = dynamics.closest_bodies(&pair).unwrap().unwrap();
            let Some(feature) = dynamics.closest_feature(&pair, &closest) else { return };
            let [_, fixed, _] = contact_basis(closest.normal).unwrap();
            let mut rows = |t: f64| {
                let mut moved = vec![0.0; q.len()];
                model.integrate(&q, &v, t, &mut moved).unwrap();
                dynamics.set_state(&moved, &v).unwrap();
                let motion = dynamics.body_motion(&pair, &feature).unwrap();
                let axes = PairAxes::turning(None, motion.normal, motion.normal_rate, fixed).unwrap();
                let meeting = dynamics.moving_meeting(&pair, &motion, &axes).unwrap();
                let mut contacts = Contacts::with_meetings(&model, &[], &[], &[meeting]);
                dynamics.contact_terms(&mut contacts).unwrap();
                let speed = motion.normal_rate.norm() + motion.point_rates[0].norm() + motion.point_rates[1].norm();
                (contacts.velocity().to_vec(), contacts.drift().to_vec(), speed)
            };
            let (_, drift, fast) = rows(0.0);
            if fast > 30.0 {
                return;
            }
            compared += 1;
            let h = 3e-4;
            let around = [-2.0, -1.0, 1.0, 2.0].map(|k| rows(k * h).0);
            for row in 0..3 {
                let [a, b, c, d] = [0, 1, 2, 3].map(|k| around[k][row]);
                let slope = (a - 8.0 * b + 8.0 * c - d) / (12.0 * h);
                gauge.see((slope - drift[row]).abs(), (1.0 + fast) * (1.0 + fast));
            }
        });
        assert!(compared > if name == "box, box" { 5 } else { 20 }, "{name}: {compared}");
    }
}

#[test]
fn a_pair_turned_round_or_moved_is_the_same() {
    let mut gauge = Gauge::new("symmetry", 1e-14);
    for (_, make, make_other) in PAIRS {
        for_cases(100, |rng| {
            let (one, other) = (make(rng), make_other(rng));
            let (at, other_at, _) = placed(rng, &one, &other);
            let (a, b) = (one.solid(), other.solid());
            let found = closest_points(&a, &at, &b, &other_at).unwrap();
            let turned = closest_points(&b, &other_at, &a, &at).unwrap();
            gauge.see((found.gap - turned.gap).abs(), 1.0);
            let by = Placement::new(rotation(rng), vector(rng));
            let moved = closest_points(&a, &(by * at), &b, &(by * other_at)).unwrap();
            gauge.see((found.gap - moved.gap).abs(), 1.0);
        });
    }
}

/// Down to touch and below, where the direction between two points has no digits.
#[test]
fn gap_and_normal_of_boxes_keep_their_digits_through_touch() {
    let cube = Body::Box([0.3, 0.2, 0.1]);
    let slab = Body::Box([1.0, 1.0, 0.5]);
    let up = Vector::new(0.0, 0.0, 1.0);
    for_cases(100, |rng| {
        // A vertex above a face.
        let tilt = Quaternion::about(unit(rng), 1.0).to_rotation();
        let lowest = cube.support(tilt.apply_inverse(-up));
        for gap in [1e-2, 1e-6, 1e-9, 1e-12, 0.0, -1e-12, -1e-9, -1e-6, -1e-3] {
            let at = Placement::new(tilt, [0.1, 0.0, 0.5 + lowest + gap]);
            let found = closest_points(&cube.solid(), &at, &slab.solid(), &Placement::IDENTITY).unwrap();
            assert!((found.gap - gap).abs() < 1e-15, "{} {gap}", found.gap);
            assert!((found.normal - up).norm() < 1e-15, "{:?}", found.normal);
            assert_eq!(found.parts[1], SurfacePart::Face(4));
            assert!((found.gap - found.normal.dot(found.points[0] - found.points[1])).abs() < 1e-15);
        }
    });
    // Two edges that cross, each box standing on an edge.
    let half = 0.5f64.sqrt();
    let standing = Rotation::about_axis(0, std::f64::consts::FRAC_PI_4);
    let beam = Body::Box([1.0, 0.5, 0.5]);
    for gap in [1e-2, 1e-9, 0.0, -1e-9, -1e-3] {
        let below = Placement::new(standing, [0.0, 0.0, 0.0]);
        let turn = Rotation::about_axis(2, 1.1);
        let above = Placement::new(turn * standing, [0.2, 0.1, 2.0 * half + gap]);
        let found = closest_points(&beam.solid(), &above, &beam.solid(), &below).unwrap();
        assert!((found.gap - gap).abs() < 4e-15, "{} {gap}", found.gap);
        assert!((found.normal - up).norm() < 4e-15, "{:?}", found.normal);
        assert!(found.parts.iter().all(|part| matches!(part, SurfacePart::Edge(_))), "{:?}", found.parts);
    }
}

/// Inside, no direction separates boxes better than the one found.
#[test]
fn the_depth_of_boxes_is_the_least() {
    let mut gauge = Gauge::new("depth", 1e-14);
    for_cases(300, |rng| {
        let (one, other) = (cuboid(rng), cuboid(rng));
        let (mut at, other_at, _) = placed(rng, &one, &other);
        let found = closest_points(&one.solid(), &at, &other.solid(), &other_at).unwrap();
        let depth = 0.03 * rng.f64();
        at.translation = at.translation.plus(-found.gap - depth, found.normal);
        let found = closest_points(&one.solid(), &at, &other.solid(), &other_at).unwrap();
        assert!(found.gap <= 1e-15, "{}", found.gap);
        let of = |n: Vector| separation(n, &one, &at, &other, &other_at);
        gauge.see((of(found.normal) - found.gap).abs(), 1.0);
        for _ in 0..200 {
            assert!(of(unit(rng)) <= found.gap + 1e-14);
            let near = found.normal.plus(1e-3 * rng.f64(), vector(rng)).normalized().unwrap();
            assert!(of(near) <= found.gap + 1e-14);
        }
    });
}

fn corners(found: &[Closest]) -> Vec<[i64; 3]> {
    let mut corners: Vec<[i64; 3]> =
        found.iter().map(|contact| contact.points[1].to_array().map(|x| (1e6 * x).round() as i64)).collect();
    corners.sort_unstable();
    corners
}

#[test]
fn a_face_on_a_face_is_several_contacts() {
    let slab = Solid::cuboid([1.0, 1.0, 0.5]).unwrap();
    let cube = Solid::cuboid([0.2, 0.3, 0.1]).unwrap();
    let touch = |at: &Placement, one: &Solid| pair_contacts(one, at, &slab, &Placement::IDENTITY, 1e-9).unwrap();
    // Flat on the middle: the four corners of the small one.
    let found = touch(&Placement::at([0.0, 0.0, 0.6]), &cube);
    let square = |x: i64, y: i64| vec![[-x, -y, 500_000], [-x, y, 500_000], [x, -y, 500_000], [x, y, 500_000]];
    assert_eq!(corners(&found), square(200_000, 300_000));
    assert!(found.iter().all(|c| c.gap.abs() < 1e-15 && (c.normal.z() - 1.0).abs() < 1e-15));
    assert!(found.iter().all(|c| matches!(c.parts, [SurfacePart::Vertex(_), SurfacePart::Face(_)])));
    // Over the rim: two corners of the small one, two crossings of edges.
    let found = touch(&Placement::at([0.9, 0.0, 0.6]), &cube);
    assert_eq!(
        corners(&found),
        [
            [700_000, -300_000, 500_000],
            [700_000, 300_000, 500_000],
            [1_000_000, -300_000, 500_000],
            [1_000_000, 300_000, 500_000]
        ]
    );
    let crossings = found.iter().filter(|c| matches!(c.parts, [SurfacePart::Edge(_), SurfacePart::Edge(_)])).count();
    assert_eq!(crossings, 2);
    // A cross of two beams: four crossings.
    let beam = Solid::cuboid([2.0, 0.1, 0.1]).unwrap();
    let other = Solid::cuboid([0.1, 2.0, 0.1]).unwrap();
    let found = pair_contacts(&beam, &Placement::at([0.0, 0.0, 0.2]), &other, &Placement::IDENTITY, 1e-9).unwrap();
    assert_eq!(found.len(), 4);
    assert!(found.iter().all(|c| matches!(c.parts, [SurfacePart::Edge(_), SurfacePart::Edge(_)])));
    // A square turned by 45 degrees on a smaller square: an octagon.
    let plate = Solid::cuboid([0.5, 0.5, 0.1]).unwrap();
    let turned = Placement::new(Rotation::about_axis(2, std::f64::consts::FRAC_PI_4), [0.0, 0.0, 0.2]);
    assert_eq!(pair_contacts(&plate, &turned, &plate, &Placement::IDENTITY, 1e-9).unwrap().len(), 8);
    // On an edge: two contacts. On a vertex: one.
    let on_edge =
        Placement::new(Rotation::about_axis(0, 0.3), [0.0, 0.0, 0.5 + 0.1 * 0.3f64.cos() + 0.3 * 0.3f64.sin()]);
    let found = touch(&on_edge, &cube);
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|c| c.gap.abs() < 1e-15));
    let tilted = Rotation::about_axis(0, 0.3) * Rotation::about_axis(1, 0.2);
    assert_eq!(touch(&Placement::new(tilted, [0.0, 0.0, 0.7]), &cube).len(), 1);
    // A capsule lies on a face with its two ends, or sticks out over the rim; two parallel ones touch along a line.
    let rod = Solid::capsule(0.1, 0.4).unwrap();
    let lying = Rotation::about_axis(1, std::f64::consts::FRAC_PI_2);
    let found = touch(&Placement::new(lying, [0.0, 0.0, 0.6]), &rod);
    assert_eq!(corners(&found), [[-400_000, 0, 500_000], [400_000, 0, 500_000]]);
    assert!(found.iter().all(|c| c.parts[0] == SurfacePart::Ball && c.gap.abs() < 1e-15), "{found:?}");
    let found = touch(&Placement::new(lying, [0.8, 0.0, 0.6]), &rod);
    assert_eq!(corners(&found), [[400_000, 0, 500_000], [1_000_000, 0, 500_000]]);
    let found = pair_contacts(&rod, &Placement::at([0.2, 0.0, 0.3]), &rod, &Placement::IDENTITY, 1e-9).unwrap();
    assert_eq!(corners(&found), [[100_000, 0, -100_000], [100_000, 0, 400_000]]);
    // The same when the pair is turned round.
    let turned = pair_contacts(&slab, &Placement::IDENTITY, &cube, &Placement::at([0.0, 0.0, 0.6]), 1e-9).unwrap();
    assert_eq!(corners(&turned), square(200_000, 300_000));
    assert!(turned.iter().all(|c| c.normal.z() < -0.999));
}

#[test]
fn what_has_no_normal_is_an_error() {
    let (ball, cube) = (Solid::ball(0.1).unwrap(), Solid::cuboid([0.5; 3]).unwrap());
    let inside = closest_points(&ball, &Placement::at([0.0, 0.0, 0.45]), &cube, &Placement::IDENTITY).unwrap_err();
    assert!(matches!(inside, PairError::TooDeep { depth, .. } if (depth - 0.15).abs() < 1e-15), "{inside}");
    let same = closest_points(&ball, &Placement::IDENTITY, &ball, &Placement::IDENTITY).unwrap_err();
    assert!(matches!(same, PairError::TooDeep { .. }));
    let rod = Solid::capsule(0.1, 0.5).unwrap();
    let across = Placement::new(Rotation::about_axis(0, 1.0), [0.0; 3]);
    assert!(matches!(closest_points(&rod, &across, &rod, &Placement::IDENTITY), Err(PairError::TooDeep { .. })));
    assert!(matches!(closest_points(&rod, &across, &cube, &Placement::IDENTITY), Err(PairError::TooDeep { .. })));
    let can = Solid::cylinder(0.1, 0.2).unwrap();
    let error = closest_points(&can, &across, &cube, &Placement::IDENTITY).unwrap_err();
    assert!(error.to_string().starts_with("a cylinder against a box is not supported"), "{error}");
    let lost = Placement::at([f64::NAN, 0.0, 0.0]);
    assert!(matches!(closest_points(&ball, &lost, &cube, &lost), Err(PairError::NotFinite { .. })));
    assert!(matches!(Solid::ball(-1.0), Err(PairError::Size { field: "radius", .. })));
    assert!(matches!(Solid::cuboid([1.0, 0.0, 1.0]), Err(PairError::Size { field: "half", .. })));
    assert!(matches!(Solid::of(&Geometry::Plane), Err(PairError::NotASolid { .. })));
    // A point may enter a box: it has a nearest face.
    let found = closest_points(&Solid::POINT, &Placement::at([0.0, 0.1, 0.4]), &cube, &Placement::IDENTITY).unwrap();
    assert!((found.gap + 0.1).abs() < 1e-15 && found.normal.z() == 1.0);
}

/// A ball that passes a thin plate within a millisecond, in a step of 10 s; and a gap that opens and closes.
#[test]
fn no_touch_is_missed() {
    let (ball, plate) = (Solid::ball(0.01).unwrap(), Solid::cuboid([0.5, 0.5, 0.001]).unwrap());
    let speed = 30.0;
    let gap = |t: f64| {
        let at = Placement::at([0.1, 0.2, 100.0 - speed * t]);
        match closest_points(&ball, &at, &plate, &Placement::IDENTITY) {
            Ok(found) => found.gap,
            Err(_) => f64::NEG_INFINITY,
        }
    };
    let rate = gap_rate_bound(speed, (&ball, 0.0), (&plate, 0.0));
    assert_eq!(rate, speed);
    let FirstTouch::At(time) = first_touch(gap, [0.0, 10.0], rate, 1e-12, 100) else { panic!("no touch") };
    assert!((time - (100.0 - 0.011) / speed).abs() < 1e-12, "{time}");
    assert_eq!(first_touch(gap, [0.0, 3.0], rate, 1e-12, 100), FirstTouch::None);
    assert!(matches!(first_touch(gap, [0.0, 10.0], 1e9, 1e-12, 100), FirstTouch::NotBefore(time) if time < 1e-3));
    // A rod turns past a ball: the bound holds at every pair of times.
    let rod = Solid::capsule(0.02, 0.5).unwrap();
    for_cases(50, |rng| {
        let (axis, spin) = (unit(rng), 20.0 * rng.f64());
        let (start, v) = (vector(rng), vector(rng));
        let at = |t: f64| Placement::new(Rotation::about(axis, spin * t), start.plus(t, v));
        let gap = |t: f64| closest_points(&rod, &at(t), &ball, &Placement::IDENTITY).map_or(-0.02, |found| found.gap);
        let rate = gap_rate_bound(v.norm(), (&rod, spin), (&ball, 0.0));
        for _ in 0..50 {
            let (a, b) = (rng.f64(), rng.f64());
            assert!((gap(a) - gap(b)).abs() <= rate * (a - b).abs() + 1e-14);
        }
        let sampled = (0..=20_000).map(|k| f64::from(k) / 20_000.0).find(|&t| gap(t) <= 0.0);
        match first_touch(gap, [0.0, 1.0], rate, 1e-9, 100_000) {
            FirstTouch::At(time) => assert!(sampled.is_none_or(|first| time <= first)),
            found => assert!(sampled.is_none(), "{found:?} {sampled:?}"),
        }
    });
}

/// A chain of three capsules beside a box of the world and a free ball: what may touch what.
const CHAIN: &str = r#"<mujoco model="chain"><worldbody>
<geom name="wall" type="box" size=".1 1 1" pos="-2 0 0"/>
<body name="upper"><joint name="a" axis="0 1 0"/><geom name="upper" type="capsule" size=".05 .2"/>
<body name="middle" pos="0 0 .6"><joint name="b" axis="1 0 0"/><geom name="middle" type="capsule" size=".05 .2"/>
<body name="lower" pos="0 0 .6"><joint name="c" axis="0 1 0"/><geom name="lower" type="capsule" size=".05 .2"/></body></body></body>
<body name="ball" pos="1 0 0"><freejoint/><geom name="ball" size=".1"/></body>
<body name="ghost" pos="3 0 0"><freejoint/><geom name="ghost" size=".1" contype="0" conaffinity="0"/></body>
</worldbody>CONTACT</mujoco>"#;

fn chain(contact: &str) -> carom_multibody::Model {
    let text = CHAIN.replace("CONTACT", contact);
    let options = carom_multibody::load::Options::new().format(carom_multibody::load::RobotFormat::Mjcf);
    carom_multibody::load::text(&text, std::path::Path::new("chain.xml"), &options).unwrap()
}

fn pairs_of(model: &carom_multibody::Model) -> Vec<String> {
    let name = |(link, shape): carom_multibody::ShapeId| model.link(link).shapes[shape].name.clone().unwrap();
    model.shape_pairs().into_iter().map(|[one, other]| format!("{}-{}", name(one), name(other))).collect()
}

#[test]
fn neighbours_exclusions_and_masks_are_left_out_of_the_pairs() {
    // upper-middle and middle-lower are neighbours; the ghost has no mask.
    let all = [
        "wall-upper",
        "wall-middle",
        "wall-lower",
        "wall-ball",
        "upper-lower",
        "upper-ball",
        "middle-ball",
        "lower-ball",
    ];
    assert_eq!(pairs_of(&chain("")), all);
    let without = pairs_of(&chain(r#"<contact><exclude body1="upper" body2="lower"/></contact>"#));
    assert!(!without.contains(&"upper-lower".to_owned()) && without.len() == all.len() - 1, "{without:?}");
    // A pair that the file names touches, neighbour or not, mask or not.
    let named = r#"<contact><pair geom1="upper" geom2="middle"/><pair geom1="ball" geom2="ghost"/></contact>"#;
    let named = pairs_of(&chain(named));
    assert!(named.contains(&"upper-middle".to_owned()) && named.contains(&"ball-ghost".to_owned()), "{named:?}");
}

/// The first row of the contact of two links is the rate of their gap, also for two links of one chain.
#[test]
fn the_row_of_a_pair_is_the_rate_of_its_gap() {
    let model = chain("");
    let pairs = model.shape_pairs();
    let mut dynamics = Dynamics::new(model.clone());
    let mut gauge = Gauge::new("rate of the gap", 1e-7);
    let mut compared = 0;
    for_cases(50, |rng| {
        let mut q: Vec<f64> = model.home().iter().map(|q| q + 0.5 * (rng.f64() - 0.5)).collect();
        assert!(model.normalize(&mut q));
        let v: Vec<f64> = (0..model.nv()).map(|_| 2.0 * rng.f64() - 1.0).collect();
        for &[one, other] in &pairs {
            let mut at = |t: f64| {
                let mut moved = q.clone();
                model.integrate(&q, &v, t, &mut moved).unwrap();
                dynamics.set_state(&moved, &v).unwrap();
                dynamics.closest_shapes(one, other)
            };
            let h = 1e-5;
            let (Ok(before), Ok(after), Ok(found)) = (at(-h), at(h), at(0.0)) else { continue };
            if before.parts != found.parts || after.parts != found.parts {
                continue;
            }
            let meeting = dynamics.meeting(one.0, other.0, &found).unwrap();
            let mut contacts = Contacts::with_meetings(&model, &[], &[], &[meeting]);
            dynamics.contact_kinematics(&mut contacts).unwrap();
            gauge.see((contacts.velocity()[0] - (after.gap - before.gap) / (2.0 * h)).abs(), 1.0);
            compared += 1;
        }
    });
    assert!(compared > 200, "{compared}");
}
