//! Contact features: points, balls and rims. A v is the velocity of the material at the touching point, and the drift
//! is the rate of A v along a motion, also where the touching point moves over the link.

mod common;

use std::path::Path;

use carom_multibody::{
    ContactKind, ContactPoint, Contacts, Dynamics, DynamicsError, HalfSpace, Inertia, Joint, JointKind, LinkId,
    LinkSpec, Model, ModelBuilder, Placement, Rotation, Vector, contact_basis, half_spaces, load,
};
use common::*;
use fastrand::Rng;

/// Rims in these tests lean by this sine at least: their lowest points then move no faster than the differences allow.
const LEAST_SINE: f64 = 0.3;

fn feature(model: &Model, rng: &mut Rng, link: LinkId, normal: Vector) -> ContactPoint {
    let (center, radius) = (vector(rng, 0.5), magnitude(rng, 0.01, 1.0));
    let contact = match rng.u8(..6) {
        0 => ContactPoint::new(model, link, center, normal),
        1 => ContactPoint::ball(model, link, center, radius, normal),
        2 | 3 => {
            // No thinner than the rims lean: the lowest point of a thin ellipsoid is as fast as that of a rim.
            let half = [0, 1, 2].map(|_| magnitude(rng, LEAST_SINE * radius, radius));
            let rotation = if rng.bool() { rotation(rng) } else { Rotation::IDENTITY };
            ContactPoint::ellipsoid(model, link, &Placement::new(rotation, center), half, normal)
        }
        _ => {
            let axis = if rng.bool() { coordinate_axis(rng) } else { magnitude(rng, 0.1, 10.0) * direction(rng) };
            ContactPoint::rim(model, link, center, axis, radius, normal)
        }
    };
    let contact = contact.expect("a sound contact");
    if rng.bool() { contact.with_two_tangents() } else { contact }
}

/// A sample and features on its links that lean enough.
fn spatial_case(rng: &mut Rng, options: Options) -> (Sample, Vec<ContactPoint>) {
    let sample = Sample::random(rng, options);
    let links = moving_links(&sample.model);
    let points = (0..8).map(|_| {
        let link = if rng.u8(..8) == 0 { LinkId::WORLD } else { links[rng.usize(..links.len())] };
        let normal = if rng.bool() { coordinate_axis(rng) } else { direction(rng) };
        feature(&sample.model, rng, link, normal)
    });
    let points: Vec<_> = points.collect();
    let leans = |point: &ContactPoint| sample.dynamics.rim_sine(point).is_none_or(|sine| sine > LEAST_SINE);
    let points = points.into_iter().filter(leans).collect();
    (sample, points)
}

/// The same in a plane, normals in it, rims of all axes.
fn planar_case(rng: &mut Rng) -> (Sample, Vec<ContactPoint>) {
    let plane = if rng.bool() { coordinate_axis(rng) } else { direction(rng) };
    let sketch = Sketch::planar(rng, plane);
    let model = sketch.build();
    let (q, v) = (configuration(&model, rng), numbers(rng, model.nv(), 1.0));
    let sample = Sample::new(sketch, q, v);
    let [_, one, two] = contact_basis(plane).unwrap();
    let links = moving_links(&sample.model);
    let points: Vec<_> = (0..8)
        .map(|_| {
            let angle = spread(rng, 3.0);
            let normal = angle.cos() * one + angle.sin() * two;
            let link = links[rng.usize(..links.len())];
            feature(&sample.model, rng, link, normal)
        })
        .collect();
    let leans = |point: &ContactPoint| sample.dynamics.rim_sine(point).is_none_or(|sine| sine > LEAST_SINE);
    let points = points.into_iter().filter(leans).collect();
    (sample, points)
}

fn judge(mut sample: Sample, points: &[ContactPoint], gauges: &mut [Gauge; 5]) {
    let [drifts, gap_rates, materials, products, accelerations] = gauges;
    let n = sample.nv();
    let mut terms = Contacts::new(&sample.model, points);
    sample.dynamics.contact_kinematics(&mut terms).unwrap();
    // The lowest point of a rim turns faster than the link by one over the sine.
    let h = sample.step() * LEAST_SINE;
    let frequency = 0.03 / h;
    let reach = 1.0 + points.iter().map(|point| sample.dynamics.contact_position(point).norm()).fold(0.0, f64::max);

    let product = apply(&rows(terms.jacobian()), &sample.v);
    products.compare(terms.velocity(), &product, |_| reach * frequency);
    let mut row = 0;
    for point in points {
        let at = sample.dynamics.contact_position(point);
        let on_link = sample.dynamics.placement(point.link()).inverse().apply(at);
        let (velocity, _) = sample.dynamics.point_velocity(point.link(), on_link);
        let velocity: Vec<f64> = point.basis().iter().take(point.dimension()).map(|axis| axis.dot(velocity)).collect();
        materials.compare(&terms.velocity()[row..row + point.dimension()], &velocity, |_| reach * frequency);
        row += point.dimension();
    }

    // The gap's rate is n·A v: the touching point moves on along the surface only.
    let zero = vec![0.0; n];
    let floor = |point: &ContactPoint| HalfSpace::new([0.1, -0.2, 0.3], point.basis()[0]).unwrap();
    let rates = derivative(h, |t| {
        sample.set_along(&zero, t);
        points.iter().map(|point| sample.dynamics.gap(point, &floor(point))).collect()
    });
    sample.reset();
    let mut row = 0;
    for (point, rate) in points.iter().zip(&rates) {
        gap_rates.see((terms.velocity()[row] - rate).abs(), reach * frequency);
        let (gap, at) = (sample.dynamics.gap(point, &floor(point)), sample.dynamics.contact_position(point));
        products.see((gap - floor(point).gap(at)).abs(), reach);
        row += point.dimension();
    }

    // d/dt (A v) at constant v, and with v changing.
    let mut along = terms.clone();
    let mut rate_of_velocity = |sample: &mut Sample, a: &[f64]| {
        derivative(h, |t| {
            sample.set_along(a, t);
            sample.dynamics.contact_kinematics(&mut along).unwrap();
            along.velocity().to_vec()
        })
    };
    let rates = rate_of_velocity(&mut sample, &zero);
    drifts.compare(terms.drift(), &rates, |_| reach * frequency * frequency);
    // d/dt (A v) = A dv/dt + drift.
    let a: Vec<f64> = sample.v.iter().rev().map(|v| frequency * v).collect();
    let rates = rate_of_velocity(&mut sample, &a);
    let push = apply(&rows(terms.jacobian()), &a);
    let expected: Vec<f64> = push.iter().zip(terms.drift()).map(|(push, drift)| push + drift).collect();
    accelerations.compare(&expected, &rates, |_| reach * frequency * frequency);
}

fn gauges() -> [Gauge; 5] {
    // Differences of eighth order, as for points: some 1e-14 of size times frequency.
    [
        Gauge::new("drift by differences", 1e-13),
        Gauge::new("rate of the gap", 1e-13),
        Gauge::new("A v = velocity of the material", 1e-14),
        Gauge::new("A v by product, gap by position", 1e-14),
        Gauge::new("A dv/dt + drift by differences", 1e-13),
    ]
}

#[test]
fn drift_is_the_rate_of_the_contact_velocity_in_space() {
    let mut gauges = gauges();
    let mut kinds = [0; 4];
    for_cases(150, |rng| {
        let (sample, points) = spatial_case(rng, Options::ALL);
        points.iter().for_each(|point| kinds[point.kind() as usize] += 1);
        judge(sample, &points, &mut gauges);
    });
    assert!(kinds.iter().all(|count| *count > 100), "{kinds:?}");
}

#[test]
fn drift_is_the_rate_of_the_contact_velocity_in_the_plane() {
    let mut gauges = gauges();
    let mut kinds = [0; 4];
    for_cases(150, |rng| {
        let (sample, points) = planar_case(rng);
        points.iter().for_each(|point| kinds[point.kind() as usize] += 1);
        judge(sample, &points, &mut gauges);
    });
    assert!(kinds.iter().all(|count| *count > 100), "{kinds:?}");
}

#[test]
fn one_contact_and_several_agree_on_every_kind() {
    // As for points: relative to the largest entry with all tangents, over the condition of M.
    let mut single = Gauge::new("W of one contact, over condition", 3e-14);
    let mut effect = Gauge::new("A dv = W i, over condition", 3e-14);
    let mut dense = Gauge::new("W = dense solve, over condition", 3e-14);
    for_cases(150, |rng| {
        let options = if rng.bool() { Options::ALL } else { Options::FREE };
        let (mut sample, points) = spatial_case(rng, options);
        if sample.nv() == 0 {
            return;
        }
        let points: Vec<_> = points.iter().map(|point| point.with_two_tangents()).collect();
        let mut terms = Contacts::new(&sample.model, &points);
        sample.dynamics.contact_terms(&mut terms).unwrap();
        let w = rows(terms.delassus());
        let size = largest(terms.delassus().as_slice());
        let jacobian = rows(terms.jacobian());
        let columns: Rows = jacobian.iter().map(|row| solve(&sample.mass, row)).collect();
        for (row, expected) in w.iter().zip(product(&jacobian, &transposed(&columns))) {
            dense.compare(row, &expected, |_| sample.condition * size);
        }
        for (k, point) in points.iter().enumerate() {
            let one = sample.dynamics.single_contact(point).unwrap();
            let impulse = numbers(rng, 3, 1.0);
            let mut change = vec![0.0; sample.nv()];
            sample.dynamics.impulse_response(point, &impulse, &mut change).unwrap();
            for i in 0..3 {
                let row = &w[3 * k + i][3 * k..3 * k + 3];
                single.compare(&one.delassus[i], row, |_| sample.condition * size);
                let jump = dot(&jacobian[3 * k + i], &change);
                effect.see((jump - dot(row, &impulse)).abs(), sample.condition * size);
            }
        }
    });
}

/// A free body, turned.
fn body(rotation: Rotation, v: &[f64]) -> (Dynamics, LinkId) {
    body_at(Vector::new(0.3, -0.1, 0.7), rotation, v)
}

/// A free body at a pose.
fn body_at(translation: Vector, rotation: Rotation, v: &[f64]) -> (Dynamics, LinkId) {
    let mut builder = ModelBuilder::new("body");
    let spec = LinkSpec::new("body").joint(Joint::new("free", JointKind::Floating));
    let link = builder.link(LinkId::WORLD, spec.inertia(Inertia::cuboid(2.0, [0.1, 0.2, 0.3]))).unwrap();
    let mut dynamics = Dynamics::new(builder.build().unwrap());
    let mut q = translation.to_array().to_vec();
    q.extend(rotation.to_quaternion().to_array());
    dynamics.set_state(&q, v).unwrap();
    (dynamics, link)
}

#[test]
fn a_sphere_drifts_as_its_centre_does() {
    for_cases(100, |rng| {
        let rotation = rotation(rng);
        let v = numbers(rng, 6, 2.0);
        let (mut dynamics, link) = body(rotation, &v);
        let model = dynamics.model().clone();
        let ball = ContactPoint::ball(&model, link, Vector::ZERO, 0.25, Z).unwrap();
        let mut terms = Contacts::new(&model, &[ball]);
        dynamics.contact_kinematics(&mut terms).unwrap();
        // What joints do not accelerate turns the velocity of the centre, which is stated in the link's axes.
        let linear = rotation.apply(Vector::new(v[0], v[1], v[2]));
        let angular = rotation.apply(Vector::new(v[3], v[4], v[5]));
        let [n, t1, t2] = ball.basis();
        let expected = [n, t1, t2].map(|axis| axis.dot(angular.cross(linear)));
        for (drift, expected) in terms.drift().iter().zip(expected) {
            assert!((drift - expected).abs() < 1e-13, "{drift} {expected}");
        }
        let gap = dynamics.gap(&ball, &HalfSpace::new([5.0, 6.0, 0.2], Z).unwrap());
        assert!((gap - (0.7 - 0.25 - 0.2)).abs() < 1e-15);
    });
}

#[test]
fn no_point_of_a_rim_is_below_its_touching_point() {
    for_cases(200, |rng| {
        let (dynamics, link) = body(rotation(rng), &[0.0; 6]);
        let model = dynamics.model();
        let (center, axis, radius) = (vector(rng, 0.5), direction(rng), magnitude(rng, 0.01, 1.0));
        let normal = direction(rng);
        let rim = ContactPoint::rim(model, link, center, 3.0 * axis, radius, normal).unwrap();
        let at = dynamics.contact_position(&rim);
        let place = dynamics.placement(link);
        let on_link = place.inverse().apply(at) - center;
        assert!(on_link.dot(axis).abs() < 1e-14 && (on_link.norm() - radius).abs() < 1e-14);
        let [_, x, y] = contact_basis(axis).unwrap();
        for k in 0..64 {
            let (sin, cos) = (f64::from(k) * 0.1).sin_cos();
            let point = place.apply(center + radius * (cos * x + sin * y));
            assert!(normal.dot(point - at) > -1e-14);
        }
    });
}

#[test]
fn a_flat_rim_is_refused_by_name_and_never_answers_with_numbers_that_are_none() {
    for_cases(200, |rng| {
        let v = numbers(rng, 6, 2.0);
        let rotation = rotation(rng);
        let (mut dynamics, link) = body(rotation, &v);
        let model = dynamics.model().clone();
        let center = vector(rng, 0.5);
        let normal = direction(rng);
        // From exactly flat to clearly leaning.
        let lean = if rng.u8(..4) == 0 { 0.0 } else { magnitude(rng, 1e-17, 1e-2) };
        let [_, across, _] = contact_basis(normal).unwrap();
        let axis = rotation.apply_inverse(normal.plus(lean, across));
        let axis = if rng.bool() { axis } else { -axis };
        let rim = ContactPoint::rim(&model, link, center, axis, 0.3, normal).unwrap();
        let sine = dynamics.rim_sine(&rim).unwrap();
        // The pose goes through a quaternion: some rounding errors of its entries.
        assert!((sine - lean).abs() < 1e-14 + 1e-4 * lean, "{sine} {lean}");
        let floor = HalfSpace::new(Vector::ZERO, normal).unwrap();
        let (gap, height) = (dynamics.gap(&rim, &floor), normal.dot(dynamics.placement(link).apply(center)));
        assert!((gap - (height - 0.3 * sine)).abs() < 1e-14, "the gap is continuous");
        assert!(dynamics.contact_position(&rim).is_finite());
        let mut terms = Contacts::new(&model, &[rim]);
        let mut change = [0.0; 6];
        let answers = [
            dynamics.contact_terms(&mut terms),
            dynamics.single_contact(&rim).map(|_| ()),
            dynamics.impulse_response(&rim, &[1.0, 0.0, 0.0], &mut change),
        ];
        for answer in answers {
            if sine < 1e-6 {
                assert_eq!(answer, Err(DynamicsError::FlatRim { link: link.index(), sine }));
            } else {
                answer.unwrap();
                assert!(terms.drift().iter().chain(terms.velocity()).all(|number| number.is_finite()));
            }
        }
    });
}

/// Numbers of 40 digits, drifts and rates confirmed by central differences of step 1e-10 in that precision: a body
/// turned by Rz(1.1) Ry(-0.7) Rx(0.4), its centre moving straight on, over a tilted half-space through the origin.
#[test]
fn ellipsoids_agree_with_numbers_of_forty_digits() {
    struct Case {
        half: [f64; 3],
        gap: f64,
        reach: [f64; 3],
        rate: f64,
        drift: [f64; 3],
    }
    let cases = [
        Case {
            half: [0.3, 0.2, 0.1],
            gap: 0.13620889588976634,
            reach: [-0.061701272640234145, -0.15212923201241144, -0.2109979279476671],
            rate: -0.6480005186494776,
            drift: [0.14311446924272464, 0.4274737316361776, 0.14166027672672746],
        },
        Case {
            half: [0.2; 3],
            gap: 0.11744768799756042,
            reach: [-0.020091625822630407, 0.04018325164526081, -0.19488877047951494],
            rate: -0.41690123581958094,
            drift: [0.0; 3],
        },
        Case {
            half: [0.2, 0.2, 0.0],
            gap: 0.2077094745165567,
            reach: [-0.012877046496267783, -0.14173976823254733, -0.1405134149286705],
            rate: -0.6002789491110739,
            drift: [-0.02706446536609323, 0.23615229349933514, 0.21975995987649607],
        },
    ];
    let rotation = Rotation::about(Z, 1.1) * Rotation::about(Y, -0.7) * Rotation::about(X, 0.4);
    let center = Vector::new(0.05, -0.1, 0.3);
    let (velocity, angular) = (Vector::new(0.3, -0.2, -0.5), Vector::new(1.2, -0.7, 0.9));
    let v = [velocity, angular].map(|world| rotation.apply_inverse(world).to_array()).concat();
    let normal = Vector::new(0.1, -0.2, 0.97);
    let floor = HalfSpace::new(Vector::ZERO, normal).unwrap();
    for Case { half, gap, reach, rate, drift } in cases {
        let (mut dynamics, link) = body_at(center, rotation, &v);
        let model = dynamics.model().clone();
        let contact = ContactPoint::ellipsoid(&model, link, &Placement::IDENTITY, half, normal).unwrap();
        let mut terms = Contacts::new(&model, &[contact]);
        dynamics.contact_kinematics(&mut terms).unwrap();
        let close = |what: &str, given: f64, expected: f64| {
            assert!((given - expected).abs() < 3e-15, "{what} of {half:?}: {given} and not {expected}");
        };
        close("gap", dynamics.gap(&contact, &floor), gap);
        let given = dynamics.contact_position(&contact) - center;
        given.to_array().into_iter().zip(reach).for_each(|(given, reach)| close("reach", given, reach));
        close("rate", terms.velocity()[0], rate);
        // Where no joint accelerates, the velocity of the centre turns with the link: the reference's does not.
        let expected = Vector::from(drift) + angular.cross(velocity);
        for (axis, given) in contact.basis().iter().zip(terms.drift()) {
            close("drift", *given, axis.dot(expected));
        }
    }
}

#[test]
fn an_ellipsoid_of_equal_axes_is_a_ball_and_a_flat_one_is_a_rim() {
    let mut gauge = Gauge::new("ellipsoid against ball and rim", 1e-13);
    for_cases(300, |rng| {
        let (mut dynamics, link) = body(rotation(rng), &numbers(rng, 6, 2.0));
        let model = dynamics.model().clone();
        let (place, radius, normal) = (placement(rng, 0.5), magnitude(rng, 0.01, 1.0), direction(rng));
        let center = place.translation;
        let ball = ContactPoint::ball(&model, link, center, radius, normal).unwrap();
        let axis = place.rotation.columns[2];
        let rim = ContactPoint::rim(&model, link, center, axis, radius, normal).unwrap();
        for (other, half) in [(ball, [radius; 3]), (rim, [radius, radius, 0.0])] {
            if dynamics.rim_sine(&other).is_some_and(|sine| sine < LEAST_SINE) {
                continue;
            }
            let ellipsoid = ContactPoint::ellipsoid(&model, link, &place, half, normal).unwrap();
            let mut terms = Contacts::new(&model, &[ellipsoid, other]);
            dynamics.contact_kinematics(&mut terms).unwrap();
            let size = 10.0;
            gauge.see((dynamics.contact_position(&ellipsoid) - dynamics.contact_position(&other)).norm(), size);
            gauge.compare(&terms.velocity()[..3], &terms.velocity()[3..], |_| size);
            gauge.compare(&terms.drift()[..3], &terms.drift()[3..], |_| 10.0 * size);
        }
    });
}

/// S formed as a matrix would lose six digits of the depth of a fin.
#[test]
fn a_thin_ellipsoid_keeps_the_digits_of_its_depth() {
    for thickness in [1e-3, 1e-6, 1e-9, 0.0] {
        let (dynamics, link) = body(Rotation::IDENTITY, &[0.0; 6]);
        let place = Placement::new(Rotation::about(X, 0.3), [0.0; 3]);
        let normal = place.rotation.columns[2];
        let half = [1.0, 0.5, thickness];
        let fin = ContactPoint::ellipsoid(dynamics.model(), link, &place, half, normal).unwrap();
        let floor = HalfSpace::new(dynamics.placement(link).translation, normal).unwrap();
        let gap = dynamics.gap(&fin, &floor);
        assert!((gap + thickness).abs() <= 1e-15, "{gap:e}");
        assert!(dynamics.contact_position(&fin).is_finite());
    }
}

#[test]
fn bad_radii_axes_and_half_spaces_are_refused() {
    let (dynamics, link) = body(Rotation::IDENTITY, &[0.0; 6]);
    let model = dynamics.model();
    for radius in [-1.0, f64::NAN, f64::INFINITY] {
        let errors = [
            ContactPoint::ball(model, link, Vector::ZERO, radius, Z).unwrap_err(),
            ContactPoint::rim(model, link, Vector::ZERO, X, radius, Z).unwrap_err(),
            ContactPoint::ellipsoid(model, link, &Placement::IDENTITY, [1.0, radius, 1.0], Z).unwrap_err(),
        ];
        for error in errors {
            assert!(matches!(error, DynamicsError::ContactRadius { .. }), "{error}");
        }
    }
    let error = ContactPoint::rim(model, link, Vector::ZERO, [0.0; 3], 1.0, Z).unwrap_err();
    assert_eq!(error, DynamicsError::ZeroAxis { axis: [0.0; 3] });
    let error = ContactPoint::rim(model, link, Vector::ZERO, [0.0, f64::NAN, 1.0], 1.0, Z).unwrap_err();
    assert!(matches!(error, DynamicsError::ContactNotFinite { field: "axis", .. }), "{error}");
    let stranger = LinkId::from_index(7);
    let error = ContactPoint::rim(model, stranger, Vector::ZERO, X, 1.0, Z).unwrap_err();
    assert_eq!(error, DynamicsError::UnknownLink { index: 7, count: 2 });
    assert_eq!(HalfSpace::new([0.0; 3], [0.0; 3]).unwrap_err(), DynamicsError::ZeroNormal { normal: [0.0; 3] });
    let error = HalfSpace::new([f64::NAN, 0.0, 0.0], Z).unwrap_err();
    assert!(matches!(error, DynamicsError::ContactNotFinite { field: "point", .. }), "{error}");
}

#[test]
fn kinds_and_radii_are_as_stated() {
    let (dynamics, link) = body(Rotation::IDENTITY, &[0.0; 6]);
    let model = dynamics.model();
    let point = ContactPoint::new(model, link, Vector::ZERO, Z).unwrap();
    let ball = ContactPoint::ball(model, link, Vector::ZERO, 0.5, Z).unwrap();
    let rim = ContactPoint::rim(model, link, Vector::ZERO, X, 0.25, Z).unwrap();
    let egg = ContactPoint::ellipsoid(model, link, &Placement::IDENTITY, [0.1, 0.2, 0.3], Z).unwrap();
    assert_eq!([point, ball, rim, egg].map(|contact| contact.radius()), [0.0, 0.5, 0.25, 0.0]);
    assert_eq!(
        [point, ball, rim, egg].map(|contact| contact.kind()),
        [ContactKind::Point, ContactKind::Ball, ContactKind::Rim, ContactKind::Ellipsoid]
    );
}

#[test]
fn planes_of_the_world_are_half_spaces() {
    let text = "<mujoco><worldbody>
        <geom type='plane' size='1 1 1' pos='0 0 0.5'/>
        <geom type='sphere' size='1'/>
        <body pos='0 1 2' euler='90 0 0'><geom type='plane' size='1 1 1' pos='0 0 0.25'/></body>
        <body pos='0 0 2'><freejoint/><geom type='box' size='1 1 1'/></body>
    </worldbody></mujoco>";
    let model = load::text(text, Path::new("planes.xml"), &load::Options::default()).unwrap();
    let found = half_spaces(&model);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0], HalfSpace::new([0.0, 0.0, 0.5], Z).unwrap());
    assert!((found[1].normal + Y).norm() < 1e-15, "{:?}", found[1]);
    assert!((found[1].point - Vector::new(0.0, 0.75, 2.0)).norm() < 1e-15, "{:?}", found[1]);
    assert!((found[1].gap(Vector::new(9.0, 0.5, 2.0)) - 0.25).abs() < 1e-15);
    assert!(half_spaces(&model.placed(&Placement::at([0.0, 0.0, 1.0]))).len() == 2);
}
