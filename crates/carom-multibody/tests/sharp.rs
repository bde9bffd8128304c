//! The parts with which two boxes touch, against the distance of the whole boxes and against differences.

mod common;

use std::sync::Arc;

use carom_multibody::{
    BodyPair, BoxPart, Contacts, Dynamics, Inertia, Joint, JointKind, LinkId, LinkSpec, ModelBuilder, PairAxes,
    PairSide, Placement, Quaternion, Rotation, Solid, Vector, closest_points, contact_basis,
};
use common::{Gauge, for_cases};
use fastrand::Rng;

fn vector(rng: &mut Rng) -> Vector {
    Vector::from([(); 3].map(|()| 2.0 * rng.f64() - 1.0))
}

/// Random directions; sometimes those of the axes.
fn rotation(rng: &mut Rng) -> Rotation {
    match rng.usize(..4) {
        0 => Rotation::IDENTITY,
        1 => Rotation::about_axis(rng.usize(..3), 3.0 * rng.f64()),
        _ => Quaternion::about(vector(rng).normalized().unwrap(), 6.0 * rng.f64()).to_rotation(),
    }
}

fn cuboid(rng: &mut Rng) -> Solid {
    Solid::cuboid([(); 3].map(|()| 0.05 + 0.25 * rng.f64())).unwrap()
}

/// Two boxes whose gap along the normal of their closest points is brought to a value.
fn placed(rng: &mut Rng, gap: f64) -> (Solid, Placement, Solid, Placement) {
    let (one, other) = (cuboid(rng), cuboid(rng));
    let other_at = Placement::new(rotation(rng), vector(rng).to_array());
    let away = vector(rng).normalized().unwrap();
    let mut at = Placement::new(rotation(rng), (other_at.translation + away).to_array());
    for _ in 0..60 {
        let found = closest_points(&one, &at, &other, &other_at).unwrap();
        at.translation = at.translation.plus(gap - found.gap, found.normal);
    }
    (one, at, other, other_at)
}

/// Boxes that touch do so with a part that faces the other box there, and no part is deeper than the whole boxes are.
#[test]
fn where_boxes_touch_a_part_faces_the_other() {
    let (mut gauge, mut directions) = (Gauge::new("gap", 1e-13), Gauge::new("normal", 1e-12));
    let (mut vertices, mut edges) = (0, 0);
    for_cases(1000, |rng| {
        let gap = if rng.bool() { 1e-10 } else { -1e-10 };
        let (one, at, other, other_at) = placed(rng, gap);
        let whole = closest_points(&one, &at, &other, &other_at).unwrap();
        if (whole.gap - gap).abs() > 1e-13 {
            // The normal turns to and fro between two vertices.
            return;
        }
        let facing = BoxPart::all().filter_map(|part| Some((part, part.facing((&one, &at), (&other, &other_at))?)));
        let facing: Vec<_> = facing.collect();
        let least = facing.iter().min_by(|a, b| a.1.gap.total_cmp(&b.1.gap));
        let (part, least) = least.unwrap_or_else(|| panic!("nothing faces: {whole:?}"));
        let off = (least.gap - whole.gap).abs();
        // A vertex is on three faces, an edge on two and a face on one.
        let faces = |solid: &Solid, at: &Placement, point: Vector| {
            let (half, x) = (solid.half().unwrap(), at.inverse().apply(point).to_array());
            (0..3).filter(|&k| x[k].abs() > half[k] - 1e-8).count()
        };
        if faces(&one, &at, whole.points[0]) + faces(&other, &other_at, whole.points[1]) == 4 {
            gauge.see(off, 1.0);
            directions.see((least.normal - whole.normal).norm(), 1.0);
        } else {
            // Nearly a vertex at an edge or a vertex: the distance of these points is not along the normal of one of the parts.
            assert!(off <= gap.abs(), "{off:e}");
        }
        match part {
            BoxPart::Edges { .. } => edges += 1,
            BoxPart::Vertex(_) | BoxPart::OnVertex(_) => vertices += 1,
        }
        // The other way round the same parts face each other.
        let turned = BoxPart::all().filter_map(|part| part.facing((&other, &other_at), (&one, &at)));
        let turned = turned.map(|facing| facing.gap).fold(f64::INFINITY, f64::min);
        assert!((turned - least.gap).abs() <= gap.abs(), "{turned:e} {:e}", least.gap);
    });
    assert!(vertices > 200 && edges > 100, "{vertices} {edges}");
}

/// A face on a face touches with the corners of the overlap, each once.
#[test]
fn flush_and_crossed_faces_touch_with_each_corner_once() {
    let cube = |half: [f64; 3]| Solid::cuboid(half).unwrap();
    let yaw = |angle: f64| Rotation::about_axis(2, angle);
    for (half, below, place, angle, corners) in [
        // Equal boxes, edge above edge; one pushed along an axis, and along both; a smaller one, flush on one side.
        ([0.1, 0.1, 0.1], [0.1, 0.1, 0.1], [0.0, 0.0], 0.0, 4),
        ([0.1, 0.1, 0.1], [0.1, 0.1, 0.1], [0.05, 0.0], 0.0, 4),
        ([0.1, 0.1, 0.1], [0.1, 0.1, 0.1], [0.05, -0.03], 0.0, 4),
        ([0.05, 0.1, 0.1], [0.1, 0.1, 0.1], [0.05, 0.0], 0.0, 4),
        // Planks across each other, and a square turned on its equal.
        ([0.3, 0.05, 0.02], [0.05, 0.3, 0.02], [0.0, 0.0], 0.0, 4),
        ([0.1, 0.1, 0.1], [0.1, 0.1, 0.1], [0.0, 0.0], 0.3, 8),
    ] {
        let at = Placement::new(yaw(angle), [place[0], place[1], half[2] + below[2]]);
        let (one, other) = (cube(half), cube(below));
        let found: Vec<_> =
            BoxPart::all().filter_map(|part| part.facing((&one, &at), (&other, &Placement::IDENTITY))).collect();
        let closed: Vec<_> = found.iter().filter(|facing| facing.gap.abs() < 1e-12).collect();
        assert_eq!(closed.len(), corners, "{place:?} {angle}: {closed:?}");
        assert!(closed.iter().all(|facing| (facing.normal - Vector::new(0.0, 0.0, 1.0)).norm() < 1e-12));
        assert!(found.iter().all(|facing| facing.gap > -1e-12), "{found:?}");
    }
}

/// A box leans with an edge on the side of another, just as wide and anything but: each end of the edge touches once.
#[test]
fn an_edge_that_ends_on_an_edge_touches_once() {
    let cube = |half: [f64; 3]| Solid::cuboid(half).unwrap();
    let other = cube([0.1; 3]);
    let tilt = Rotation::about([0.0, 1.0, 0.0].into(), 0.4);
    for (width, place, vertices) in
        [(0.1, 0.0, 2), (0.1, 1e-15, 2), (0.1, -1e-15, 2), (0.05, 0.0, 2), (0.1, 0.02, 1), (0.2, 0.0, 0)]
    {
        let one = cube([0.02, width, 0.1]);
        // Its edge at the lower left is on the face of x.
        let edge = tilt.apply(Vector::new(-0.02, 0.0, -0.1));
        let at = Placement::new(tilt, (Vector::new(0.1, place, 0.03) - edge).to_array());
        let found: Vec<_> = BoxPart::all()
            .filter_map(|part| Some((part, part.facing((&one, &at), (&other, &Placement::IDENTITY))?)))
            .filter(|(_, facing)| facing.gap.abs() < 1e-12)
            .collect();
        assert_eq!(found.len(), 2, "{width} {place}: {found:?}");
        assert_eq!(found.iter().filter(|(part, _)| matches!(part, BoxPart::Vertex(_))).count(), vertices, "{found:?}");
    }
}

/// Boxes as wide as each other that end flush: what is in the other box by more than the margins at ends faces it still.
#[test]
fn boxes_that_end_flush_face_each_other_at_every_small_depth() {
    let cube = |half: [f64; 3]| Solid::cuboid(half).unwrap();
    let (one, other) = (cube([0.004, 0.012, 0.024]), cube([0.004, 0.012, 0.024]));
    let tilt = Rotation::about([0.0, 1.0, 0.0].into(), 0.4);
    for depth in [0.0, 1e-11, 1e-9, 1e-7, 1e-5] {
        // Its upper edge at the right is on the face at the left.
        let edge = tilt.apply(Vector::new(0.004, 0.0, 0.024));
        let at = Placement::new(tilt, (Vector::new(-0.004 + depth, 0.0, 0.01) - edge).to_array());
        let found = BoxPart::all().filter_map(|part| part.facing((&one, &at), (&other, &Placement::IDENTITY)));
        let facing: Vec<_> = found.filter(|facing| facing.gap < 1e-12).collect();
        assert_eq!(facing.len(), 2, "{depth}: {facing:?}");
        assert!(facing.iter().all(|facing| (facing.gap + depth).abs() < 1e-15), "{facing:?}");
        // The same from the other side.
        let turned: Vec<_> =
            BoxPart::all().filter_map(|part| part.facing((&other, &Placement::IDENTITY), (&one, &at))).collect();
        assert_eq!(turned.iter().filter(|facing| facing.gap < 1e-12).count(), 2, "{depth}: {turned:?}");
    }
}

/// d/dt (A v) of two boxes that move freely at constant v, by differences, is the drift; the first row is the rate of the gap.
#[test]
fn the_drift_of_parts_of_boxes_agrees_with_differences() {
    let (mut gauge, mut edges) = (Gauge::new("drift", 1e-7), 0);
    for_cases(800, |rng| {
        let (one, at, other, other_at) = placed(rng, 1e-3);
        let mut builder = ModelBuilder::new("two bodies");
        for name in ["one", "other"] {
            let joint = Joint::new(name, JointKind::Floating);
            let link = LinkSpec::new(name).joint(joint).inertia(Inertia::ball(1.0 + rng.f64(), 0.3));
            builder.link(LinkId::WORLD, link).unwrap();
        }
        let model = Arc::new(builder.build().unwrap());
        let side = |link: usize, solid: Solid| PairSide {
            link: LinkId::from_index(link),
            placement: Placement::IDENTITY,
            solid,
        };
        let pair = BodyPair { sides: [side(1, one), side(2, other)] };
        let pose = |at: &Placement| {
            [at.translation.to_array().to_vec(), at.rotation.to_quaternion().to_array().to_vec()].concat()
        };
        let q = [pose(&at), pose(&other_at)].concat();
        let v: Vec<f64> = (0..4).flat_map(|_| vector(rng).to_array()).collect();
        let mut dynamics = Dynamics::new(Arc::clone(&model));
        dynamics.set_state(&q, &v).unwrap();
        let facing: Vec<_> =
            BoxPart::all().filter_map(|part| Some((part, dynamics.facing_parts(&pair, part)?))).collect();
        for (part, facing) in facing {
            let [_, fixed, _] = contact_basis(facing.normal).unwrap();
            let mut rows = |t: f64| {
                let mut moved = vec![0.0; q.len()];
                model.integrate(&q, &v, t, &mut moved).unwrap();
                dynamics.set_state(&moved, &v).unwrap();
                let motion = dynamics.body_motion(&pair, &facing.feature).unwrap();
                let axes = PairAxes::turning(None, motion.normal, motion.normal_rate, fixed).unwrap();
                let meeting = dynamics.moving_meeting(&pair, &motion, &axes).unwrap();
                let mut contacts = Contacts::with_meetings(&model, &[], &[], &[meeting]);
                dynamics.contact_terms(&mut contacts).unwrap();
                let speed = motion.normal_rate.norm() + motion.point_rates[0].norm() + motion.point_rates[1].norm();
                (motion.gap, contacts.velocity().to_vec(), contacts.drift().to_vec(), speed)
            };
            let (gap, velocity, drift, fast) = rows(0.0);
            // Nearly parallel edges have places that move without bound, and differences without digits.
            if fast > 30.0 {
                continue;
            }
            assert!((gap - facing.gap).abs() < 1e-12, "{gap} is not {}", facing.gap);
            edges += usize::from(matches!(part, BoxPart::Edges { .. }));
            let h = 3e-4;
            let around = [-2.0, -1.0, 1.0, 2.0].map(|k| rows(k * h));
            let slope = |of: &dyn Fn(usize) -> f64| {
                let [a, b, c, d] = [0, 1, 2, 3].map(of);
                (a - 8.0 * b + 8.0 * c - d) / (12.0 * h)
            };
            let scale = (1.0 + fast) * (1.0 + fast);
            gauge.see((slope(&|k| around[k].0) - velocity[0]).abs(), scale);
            for row in 0..3 {
                gauge.see((slope(&|k| around[k].1[row]) - drift[row]).abs(), scale);
            }
        }
    });
    assert!(edges > 50, "{edges}");
}
