//! Contact candidates of shapes: the lowest candidate is the lowest point of the shape, and names are unique.

mod common;

use std::collections::HashSet;

use carom_multibody::{
    Candidate, CandidateError, CandidateOptions, ContactKind, Dynamics, DynamicsError, Geometry, HalfSpace, Joint,
    JointKind, LinkId, LinkSpec, Model, ModelBuilder, Placement, Rims, Rotation, Shape, Vector, all_candidates,
    candidates, contact_basis, half_spaces,
};
use common::*;
use fastrand::Rng;

const ROLLING: CandidateOptions = CandidateOptions { rims: Rims::Rolling };

/// Depth of the lowest point of a shape below its centre.
fn depth(geometry: &Geometry, rotation: &Rotation, normal: Vector) -> f64 {
    let [x, y, z] = rotation.columns.map(|axis| axis.dot(normal).abs());
    match *geometry {
        Geometry::Sphere { radius } => radius,
        Geometry::Box { half } => half[0] * x + half[1] * y + half[2] * z,
        Geometry::Capsule { radius, half_length } => half_length * z + radius,
        Geometry::Cylinder { radius, half_length } => half_length * z + radius * x.hypot(y),
        Geometry::Ellipsoid { half } => (half[0] * x).hypot((half[1] * y).hypot(half[2] * z)),
        Geometry::Plane | Geometry::Mesh { .. } => panic!("no candidates"),
    }
}

fn geometry(rng: &mut Rng) -> Geometry {
    let mut length = || magnitude(rng, 0.01, 1.0);
    let (a, b, c) = (length(), length(), length());
    match rng.u8(..5) {
        0 => Geometry::Sphere { radius: a },
        4 => Geometry::Ellipsoid { half: [a, b, c] },
        1 => Geometry::Box { half: [a, b, c] },
        2 => Geometry::Capsule { radius: a, half_length: b },
        _ => Geometry::Cylinder { radius: a, half_length: b },
    }
}

fn model(joint: Joint, on_world: Placement, shape: Shape) -> (Model, LinkId) {
    let mut rng = Rng::with_seed(1);
    let mut builder = ModelBuilder::new("one");
    let spec = LinkSpec::new("body").placed(on_world).joint(joint).inertia(inertia(&mut rng)).shape(shape);
    let link = builder.link(LinkId::WORLD, spec).unwrap();
    (builder.build().unwrap(), link)
}

/// The smallest gap of the candidates in a state of the model, which is that of the shape.
fn judge(model: Model, link: LinkId, found: &[Candidate], floor: &HalfSpace, rng: &mut Rng, gauge: &mut Gauge) {
    let names: HashSet<&str> = found.iter().map(|candidate| candidate.name.as_str()).collect();
    assert_eq!(names.len(), found.len(), "{names:?}");
    let q = configuration(&model, rng);
    let mut dynamics = Dynamics::new(model);
    dynamics.set_state(&q, &vec![0.0; dynamics.velocity().len()]).unwrap();
    let shape = &dynamics.model().link(link).shapes[0];
    let place = dynamics.placement(link) * shape.placement;
    let expected = floor.gap(place.translation) - depth(&shape.geometry, &place.rotation, floor.normal);
    let least =
        found.iter().map(|candidate| dynamics.gap(&candidate.contact, &candidate.half_space)).fold(f64::MAX, f64::min);
    gauge.see((least - expected).abs(), 1.0 + expected.abs());
}

#[test]
fn the_lowest_candidate_is_the_lowest_of_the_shape_in_space() {
    let mut gauge = Gauge::new("least gap in space", 1e-14);
    for_cases(500, |rng| {
        let shape = Shape { name: None, placement: placement(rng, 0.5), geometry: geometry(rng), contact: None };
        let expected = match shape.geometry {
            Geometry::Sphere { .. } | Geometry::Ellipsoid { .. } => 1,
            Geometry::Box { .. } => 8,
            _ => 2,
        };
        let (model, link) = model(Joint::new("free", JointKind::Floating), placement(rng, 1.0), shape);
        let normal = if rng.bool() { coordinate_axis(rng) } else { direction(rng) };
        let floor = HalfSpace::new(vector(rng, 1.0), normal).unwrap();
        let found = candidates(&model, link, 0, &floor, &ROLLING).unwrap();
        assert_eq!(found.len(), expected);
        assert!(found.iter().all(|candidate| candidate.contact.dimension() == 3));
        judge(model, link, &found, &floor, rng, &mut gauge);
    });
}

#[test]
fn the_lowest_candidate_is_the_lowest_of_the_shape_in_the_plane() {
    let mut gauge = Gauge::new("least gap in the plane", 1e-14);
    for_cases(500, |rng| {
        let plane = if rng.bool() { coordinate_axis(rng) } else { direction(rng) };
        let [_, one, two] = contact_basis(plane).unwrap();
        let on_world = placement(rng, 1.0);
        // The shape's x, y or z axis out of the plane, or none of them.
        let axis = rng.usize(..4);
        let turn = Rotation::about(plane, spread(rng, 3.0));
        let in_world = match axis {
            3 => rotation(rng),
            _ => {
                let mut columns = [plane; 3];
                (columns[(axis + 1) % 3], columns[(axis + 2) % 3]) = (one, two);
                turn * Rotation { columns }
            }
        };
        let placement = Placement::new(on_world.rotation.inverse() * in_world, vector(rng, 0.5));
        let geometry = geometry(rng);
        let expected = match (&geometry, axis) {
            (Geometry::Sphere { .. } | Geometry::Ellipsoid { .. }, _) => 1,
            (Geometry::Box { .. }, 3) => 8,
            (Geometry::Box { .. }, _) => 4,
            (_, 2) => 1,
            (Geometry::Cylinder { .. }, 0 | 1) => 4,
            _ => 2,
        };
        let is_round = matches!(geometry, Geometry::Cylinder { .. } | Geometry::Capsule { .. }) && axis == 2;
        let joint = Joint::new("planar", JointKind::Planar).along(on_world.rotation.apply_inverse(plane));
        let (model, link) = model(joint, on_world, Shape { name: None, placement, geometry, contact: None });
        let (sin, cos) = spread(rng, 3.0).sin_cos();
        let floor = HalfSpace::new(vector(rng, 1.0), cos * one + sin * two).unwrap();
        let found = candidates(&model, link, 0, &floor, &ROLLING).unwrap();
        assert_eq!(found.len(), expected);
        assert!(found.iter().all(|candidate| candidate.contact.dimension() == 2));
        if is_round {
            assert_eq!(found[0].contact.kind(), ContactKind::Ball);
        }
        // At the middle of the shape's depth; of a rim that is its centre.
        let dynamics = Dynamics::new(model.clone());
        let middle = dynamics.placement(link).apply(placement.translation);
        for candidate in found.iter().filter(|candidate| candidate.contact.kind() != ContactKind::Rim) {
            let at = dynamics.contact_position(&candidate.contact);
            assert!(plane.dot(at - middle).abs() < 1e-14, "{}", candidate.name);
        }
        judge(model, link, &found, &floor, rng, &mut gauge);
    });
}

#[test]
fn points_of_a_rim_are_on_it_and_evenly_spaced_from_x() {
    let shape = Shape {
        name: Some("foot".to_owned()),
        placement: Placement::at([0.0, 0.0, 0.5]),
        geometry: Geometry::Cylinder { radius: 0.2, half_length: 0.1 },
        contact: None,
    };
    let (model, link) = model(Joint::new("free", JointKind::Floating), Placement::IDENTITY, shape);
    let floor = HalfSpace::new(Vector::ZERO, Z).unwrap();
    let found = candidates(&model, link, 0, &floor, &CandidateOptions::default()).unwrap();
    assert_eq!(found.len(), 16);
    let names: Vec<&str> = found.iter().map(|candidate| candidate.name.as_str()).collect();
    assert_eq!((names[0], names[7], names[8]), ("body/foot/rim_+_0", "body/foot/rim_+_7", "body/foot/rim_-_0"));
    let dynamics = Dynamics::new(model.clone());
    for (k, candidate) in found.iter().enumerate() {
        let (sin, cos) = (std::f64::consts::FRAC_PI_4 * (k % 8) as f64).sin_cos();
        let height = if k < 8 { 0.6 } else { 0.4 };
        let expected = Vector::new(0.2 * cos, 0.2 * sin, height);
        assert!((dynamics.contact_position(&candidate.contact) - expected).norm() < 1e-15);
        assert_eq!(candidate.contact.kind(), ContactKind::Point);
    }
    let three = CandidateOptions { rims: Rims::Points(3) };
    assert_eq!(candidates(&model, link, 0, &floor, &three).unwrap().len(), 6);
    for given in 0..3 {
        let few = CandidateOptions { rims: Rims::Points(given) };
        assert_eq!(candidates(&model, link, 0, &floor, &few).unwrap_err(), CandidateError::FewPoints { given });
    }
}

#[test]
fn corners_are_named_by_their_signs() {
    let shape =
        |half| Shape { name: None, placement: Placement::IDENTITY, geometry: Geometry::Box { half }, contact: None };
    let floor = HalfSpace::new(Vector::ZERO, Z).unwrap();
    let names = |joint: Joint, half: [f64; 3]| -> Vec<String> {
        let (model, link) = model(joint, Placement::IDENTITY, shape(half));
        let found = candidates(&model, link, 0, &floor, &ROLLING).unwrap();
        let dynamics = Dynamics::new(model);
        let name = |candidate: &Candidate| {
            let at = dynamics.contact_position(&candidate.contact).to_array();
            let signs: String = at
                .map(|x| {
                    if x > 0.0 {
                        '+'
                    } else if x < 0.0 {
                        '-'
                    } else {
                        '0'
                    }
                })
                .iter()
                .collect();
            assert_eq!(candidate.name, format!("body/0/corner_{signs}"));
            signs
        };
        found.iter().map(name).collect()
    };
    let free = || Joint::new("free", JointKind::Floating);
    let all = ["+++", "++-", "+-+", "+--", "-++", "-+-", "--+", "---"];
    assert_eq!(names(free(), [1.0, 2.0, 3.0]), all);
    let flat = Joint::new("flat", JointKind::Planar).along([0.0, 1.0, 0.0]);
    assert_eq!(names(flat, [1.0, 2.0, 3.0]), ["+0+", "+0-", "-0+", "-0-"]);
    // A plate without thickness has four corners.
    assert_eq!(names(free(), [1.0, 2.0, 0.0]), ["++0", "+-0", "-+0", "--0"]);
    // Files write 1.57 for a quarter turn: that is the plane still.
    let rounded = Joint::new("flat", JointKind::Planar).along([0.0, 1.0, 8e-4]);
    let (model, link) = model(rounded, Placement::IDENTITY, shape([1.0, 2.0, 3.0]));
    assert_eq!(candidates(&model, link, 0, &floor, &ROLLING).unwrap().len(), 4);
}

#[test]
fn a_planar_model_on_a_wall_across_its_plane_is_touched_in_space() {
    let shape =
        Shape { name: None, placement: Placement::IDENTITY, geometry: Geometry::Box { half: [1.0; 3] }, contact: None };
    let flat = Joint::new("flat", JointKind::Planar).along([0.0, 1.0, 0.0]);
    let (model, link) = model(flat, Placement::IDENTITY, shape);
    let wall = HalfSpace::new(Vector::ZERO, Y).unwrap();
    let found = candidates(&model, link, 0, &wall, &ROLLING).unwrap();
    assert_eq!(found.len(), 8);
    assert!(found.iter().all(|candidate| candidate.contact.dimension() == 3));
}

#[test]
fn what_is_not_supported_is_refused_by_name() {
    let forms = [
        (Geometry::Mesh { file: "hand.stl".to_owned(), hull: None }, "a mesh without a hull"),
        (Geometry::Plane, "a plane"),
    ];
    let floor = HalfSpace::new(Vector::ZERO, Z).unwrap();
    for (geometry, form) in forms {
        let shape = Shape { name: Some("odd".to_owned()), placement: Placement::IDENTITY, geometry, contact: None };
        let (model, link) = model(Joint::new("free", JointKind::Floating), Placement::IDENTITY, shape);
        let error = candidates(&model, link, 0, &floor, &ROLLING).unwrap_err();
        let expected = CandidateError::NotSupported { link: "body".to_owned(), shape: "odd".to_owned(), form };
        assert_eq!(error, expected);
        let message = format!(
            "shape \"odd\" of link \"body\" is {form}, which is not supported as a contact; state points instead"
        );
        assert_eq!(error.to_string(), message);
        assert_eq!(all_candidates(&model, &floor, &ROLLING).unwrap(), (vec![], vec![expected]));
        let error = candidates(&model, link, 1, &floor, &ROLLING).unwrap_err();
        assert_eq!(error, CandidateError::UnknownShape { link: "body".to_owned(), index: 1, count: 1 });
        let stranger = LinkId::from_index(9);
        let error = candidates(&model, stranger, 0, &floor, &ROLLING).unwrap_err();
        assert_eq!(error, CandidateError::Contact(DynamicsError::UnknownLink { index: 9, count: 2 }));
    }
}

#[test]
fn what_is_fixed_to_the_world_does_not_touch_it() {
    let mut builder = ModelBuilder::new("fixed");
    let ground = Shape { name: None, placement: Placement::IDENTITY, geometry: Geometry::Plane, contact: None };
    let block =
        Shape { name: None, placement: Placement::IDENTITY, geometry: Geometry::Box { half: [1.0; 3] }, contact: None };
    builder.world_shape(ground).world_shape(block.clone());
    let post = builder.link(LinkId::WORLD, LinkSpec::new("post").shape(block)).unwrap();
    let model = builder.build().unwrap();
    let floors = half_spaces(&model);
    assert_eq!(floors.len(), 1);
    assert_eq!(candidates(&model, post, 0, &floors[0], &ROLLING).unwrap(), vec![]);
    assert_eq!(all_candidates(&model, &floors[0], &ROLLING).unwrap(), (vec![], vec![]));
}
