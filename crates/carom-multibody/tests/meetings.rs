//! Rows of two chains: the relative motion of two links, against differences along random motions.

mod common;

use carom_multibody::{Contacts, Dynamics, DynamicsError, LinkId, Meeting, Model, Placement, Vector, joint_limits};
use common::*;
use fastrand::Rng;

/// What is measured between two links, with its exact rows.
#[derive(Debug, Clone, Copy)]
enum Measure {
    /// A point of the first link in the second's axes: rows along those axes.
    Position { point: Vector },
    /// Cosines between axes of the links: rows x1 × y2, of rotation.
    Angles,
    /// The distance of two balls' centres, less their radii: the touching point rolls over both.
    Balls { centers: [Vector; 2], radii: [f64; 2] },
}

fn measure(rng: &mut Rng) -> Measure {
    match rng.u8(..3) {
        0 => Measure::Position { point: vector(rng, 0.5) },
        1 => Measure::Angles,
        _ => Measure::Balls {
            centers: [vector(rng, 0.5), vector(rng, 0.5)],
            radii: [magnitude(rng, 0.01, 0.5), magnitude(rng, 0.01, 0.5)],
        },
    }
}

impl Measure {
    fn value(&self, dynamics: &Dynamics, [first, second]: [LinkId; 2]) -> Vec<f64> {
        let (one, two) = (dynamics.placement(first), dynamics.placement(second));
        match *self {
            Measure::Position { point } => {
                let between = one.apply(point) - two.translation;
                two.rotation.columns.map(|axis| axis.dot(between)).to_vec()
            }
            Measure::Angles => pairs().map(|[i, j]| one.rotation.columns[i].dot(two.rotation.columns[j])).to_vec(),
            Measure::Balls { centers, radii } => {
                vec![(one.apply(centers[0]) - two.apply(centers[1])).norm() - radii[0] - radii[1]]
            }
        }
    }

    fn meeting(&self, model: &Model, dynamics: &mut Dynamics, [first, second]: [LinkId; 2]) -> Meeting {
        let (one, two) = (dynamics.placement(first), dynamics.placement(second));
        let (_, spin_one) = dynamics.point_velocity(first, Vector::ZERO);
        let (_, spin_two) = dynamics.point_velocity(second, Vector::ZERO);
        match *self {
            Measure::Position { point } => {
                let axes = two.rotation.columns;
                let meeting = Meeting::new(model, first, second, one.rotation.apply(point), axes).unwrap();
                meeting.moving(dynamics.point_velocity(first, point).0, axes.map(|axis| spin_two.cross(axis)))
            }
            Measure::Angles => {
                let of = |[i, j]: [usize; 2]| (one.rotation.columns[i], two.rotation.columns[j]);
                let rows = pairs().map(|pair| of(pair).0.cross(of(pair).1));
                let rates = pairs().map(|pair| {
                    let (x, y) = of(pair);
                    spin_one.cross(x).cross(y) + x.cross(spin_two.cross(y))
                });
                Meeting::new(model, first, second, Vector::ZERO, rows).unwrap().moving(Vector::ZERO, rates).turning()
            }
            Measure::Balls { centers, radii } => {
                let (a, b) = (one.apply(centers[0]), two.apply(centers[1]));
                let moving =
                    [dynamics.point_velocity(first, centers[0]).0, dynamics.point_velocity(second, centers[1]).0];
                let distance = (a - b).norm();
                let n = (1.0 / distance) * (a - b);
                let relative = moving[0] - moving[1];
                let rate = (1.0 / distance) * relative.plus(-n.dot(relative), n);
                let arm = one.rotation.apply(centers[0]).plus(-radii[0], n);
                let meeting = Meeting::new(model, first, second, arm, [n, Vector::ZERO, Vector::ZERO]).unwrap();
                meeting.with_dimension(1).moving(moving[0].plus(-radii[0], rate), [rate, Vector::ZERO, Vector::ZERO])
            }
        }
    }
}

fn pairs() -> [[usize; 2]; 3] {
    [[0, 1], [1, 2], [2, 0]]
}

/// Two different links, one of them now and then the world.
fn two_links(model: &Model, rng: &mut Rng) -> [LinkId; 2] {
    let count = model.links().len();
    loop {
        let pair = [rng.usize(..count), rng.usize(..count)];
        if pair[0] != pair[1] {
            return pair.map(LinkId::from_index);
        }
    }
}

#[test]
fn rows_and_drift_of_two_links_are_derivatives() {
    let mut velocities = Gauge::new("A v by differences", 1e-12);
    let mut products = Gauge::new("A v by product", 1e-14);
    let mut drifts = Gauge::new("drift by differences", 1e-12);
    let mut along_chains = Gauge::new("A v along the chains", 1e-14);
    for_cases(300, |rng| {
        let mut sample = Sample::random(rng, Options::ALL);
        let model = sample.model.clone();
        let (links, kind) = (two_links(&model, rng), measure(rng));
        if matches!(kind, Measure::Balls { .. }) && kind.value(&sample.dynamics, links)[0] < -0.9 {
            return; // centres that nearly coincide have no direction
        }
        let zero = vec![0.0; sample.nv()];
        let meeting = kind.meeting(&model, &mut sample.dynamics, links);
        let mut terms = Contacts::with_meetings(&model, &[], &[], &[meeting]);
        sample.dynamics.contact_kinematics(&mut terms).unwrap();
        let size = 10.0 * (1.0 + largest(&kind.value(&sample.dynamics, links)));
        // The normal of near balls turns fast.
        let distance = match kind {
            Measure::Balls { radii, .. } => (kind.value(&sample.dynamics, links)[0] + radii[0] + radii[1]).min(1.0),
            _ => 1.0,
        };
        let (h, frequency) = (distance * sample.step(), 0.03 / sample.step() / distance);
        let rates = derivative(h, |t| {
            sample.set_along(&zero, t);
            kind.value(&sample.dynamics, links)
        });
        velocities.compare(terms.velocity(), &rates, |_| size * frequency);
        let product = apply(&rows(terms.jacobian()), &sample.v);
        products.compare(terms.velocity(), &product, |i| {
            let row = terms.jacobian().row(i);
            row.iter().zip(&sample.v).map(|(a, v)| (a * v).abs()).sum::<f64>() + size * frequency * 1e-2
        });
        let mut along = terms.clone();
        let rates = derivative(h, |t| {
            sample.set_along(&zero, t);
            along.set_meeting(0, kind.meeting(&model, &mut sample.dynamics, links)).unwrap();
            sample.dynamics.contact_kinematics(&mut along).unwrap();
            along.velocity().to_vec()
        });
        drifts.compare(terms.drift(), &rates, |_| size * frequency * frequency);

        sample.reset();
        let other = numbers(rng, sample.nv(), 2.0);
        let (mut moving, mut sizes) = (vec![0.0; terms.velocity().len()], vec![0.0; terms.velocity().len()]);
        sample.dynamics.contacts_velocity_of(&terms, &other, &mut moving, &mut sizes).unwrap();
        along_chains.compare(&moving, &apply(&rows(terms.jacobian()), &other), |i| sizes[i]);
    });
}

#[test]
fn joints_that_carry_both_links_have_exactly_no_entry() {
    let mut seen = 0;
    for_cases(300, |rng| {
        let mut sample = Sample::random(rng, Options::FREE);
        let model = sample.model.clone();
        let links = two_links(&model, rng);
        let path = |mut link: LinkId| {
            let mut joints = Vec::new();
            while let Some(parent) = model.link(link).parent {
                joints.extend(model.link(link).joints.clone());
                link = parent;
            }
            joints
        };
        let (one, two) = (path(links[0]), path(links[1]));
        let meeting = measure(rng).meeting(&model, &mut sample.dynamics, links);
        let mut terms = Contacts::with_meetings(&model, &[], &[], &[meeting]);
        sample.dynamics.contact_kinematics(&mut terms).unwrap();
        for (index, joint) in model.joints().iter().enumerate() {
            // A link's joints carry what hangs on the link: the link itself is carried by all of its joints.
            if one.contains(&index) == two.contains(&index) {
                for v in joint.velocities.clone() {
                    for row in 0..terms.jacobian().rows() {
                        assert_eq!(terms.jacobian()[(row, v)], 0.0, "{}", joint.joint.name);
                        seen += usize::from(one.contains(&index));
                    }
                }
            }
        }
    });
    assert!(seen > 500, "only {seen} entries of common joints were seen");
}

#[test]
fn contacts_limits_and_meetings_share_one_w() {
    let mut dense = Gauge::new("W = dense solve, over condition", 3e-14);
    let mut responses = Gauge::new("M⁻¹ Aᵀ i, over condition", 1e-12);
    let mut accelerations = Gauge::new("A M⁻¹ f + drift, over condition", 1e-12);
    for_cases(200, |rng| {
        let mut sample = Sample::random(rng, Options::ALL);
        let model = sample.model.clone();
        if sample.nv() == 0 {
            return;
        }
        let meetings: Vec<Meeting> = (0..1 + rng.usize(..3))
            .map(|_| measure(rng).meeting(&model, &mut sample.dynamics, two_links(&model, rng)))
            .collect();
        let points = reduced(&contacts(&model, rng, 2), rng);
        let mut terms = Contacts::with_meetings(&model, &points, &joint_limits(&model), &meetings);
        sample.dynamics.contact_terms(&mut terms).unwrap();
        let jacobian = rows(terms.jacobian());
        let columns: Rows = jacobian.iter().map(|row| solve(&sample.mass, row)).collect();
        let expected = product(&jacobian, &transposed(&columns));
        let w = rows(terms.delassus());
        let size = (0..w.len()).map(|i| w[i][i]).fold(0.0, f64::max);
        for i in 0..w.len() {
            dense.compare(&w[i], &expected[i], |_| sample.condition * size);
        }

        let impulses = numbers(rng, w.len(), 1.0);
        let mut change = vec![0.0; sample.nv()];
        sample.dynamics.contact_response(&terms, &impulses, &mut change).unwrap();
        let response = apply(&transposed(&columns), &impulses);
        responses.compare(&change, &response, |_| sample.condition * largest(&response).max(1e-3));

        let force = numbers(rng, sample.nv(), 1.0);
        let (mut work, mut free) = (force.clone(), vec![0.0; w.len()]);
        sample.dynamics.contact_free_acceleration(&terms, &mut work, &mut free).unwrap();
        let acceleration = solve(&sample.mass, &force);
        let along = apply(&jacobian, &acceleration);
        let scale = largest(&acceleration).max(1e-3) * (1.0 + largest(&along) + largest(terms.drift()));
        for row in 0..free.len() {
            accelerations.see((free[row] - along[row] - terms.drift()[row]).abs(), sample.condition * scale);
        }
        sample.dynamics.contact_acceleration(&terms, &impulses, &mut work).unwrap();
        let total: Vec<f64> = acceleration.iter().zip(&response).map(|(a, b)| a + b).collect();
        accelerations.compare(&work, &total, |_| sample.condition * largest(&total).max(1e-3));
    });
}

#[test]
fn two_links_far_from_the_world_keep_their_digits() {
    // A hand on a floating base at 1e9 m: the relative position of two links does not know where the base is.
    let mut rng = Rng::with_seed(4);
    let sketch = loop {
        let mut sketch = Sketch::random(&mut rng, Options { links: 6, ..Options::FREE });
        if sketch.links.len() == 6 && sketch.links[0].1.joints.len() == 1 && sketch.links[0].1.joints[0].kind.nv() == 6
        {
            for (parent, _) in &mut sketch.links[1..] {
                *parent = (*parent).max(1);
            }
            break sketch;
        }
    };
    let model = sketch.build();
    let q = configuration(&model, &mut rng);
    let mut far = q.clone();
    far[0] += 1e9;
    let v = numbers(&mut rng, model.nv(), 1.0);
    let links = [LinkId::from_index(5), LinkId::from_index(6)];
    let arm = vector(&mut rng, 0.5);
    let meeting = Meeting::new(&model, links[0], links[1], arm, Placement::IDENTITY.rotation.columns).unwrap();
    let mut terms = Contacts::with_meetings(&model, &[], &[], &[meeting]);
    let mut dynamics = Dynamics::new(model);
    dynamics.set_state(&q, &v).unwrap();
    dynamics.contact_terms(&mut terms).unwrap();
    let near = terms.clone();
    dynamics.set_state(&far, &v).unwrap();
    dynamics.contact_terms(&mut terms).unwrap();
    assert_eq!(near.jacobian(), terms.jacobian());
    assert_eq!(near.velocity(), terms.velocity());
}

#[test]
fn meetings_of_other_models_and_wrong_numbers_are_refused() {
    let mut rng = Rng::with_seed(8);
    let model = Sketch::random(&mut rng, Options { links: 3, ..Options::FREE }).build();
    let axes = Placement::IDENTITY.rotation.columns;
    let unknown = Meeting::new(&model, LinkId::from_index(9), LinkId::WORLD, Vector::ZERO, axes).unwrap_err();
    assert!(matches!(unknown, DynamicsError::UnknownLink { index: 9, .. }), "{unknown}");

    let link = LinkId::from_index(1);
    let meeting = Meeting::new(&model, link, LinkId::WORLD, Vector::ZERO, axes).unwrap();
    let mut terms = Contacts::with_meetings(&model, &[], &[], &[meeting]);
    let short = terms.set_meeting(0, meeting.with_dimension(2)).unwrap_err();
    assert!(matches!(short, DynamicsError::Length { given: 2, expected: 3, .. }), "{short}");
    let missing = terms.set_meeting(1, meeting).unwrap_err();
    assert!(matches!(missing, DynamicsError::Selection { index: 1, count: 1, .. }), "{missing}");

    let broken = Meeting::new(&model, link, LinkId::WORLD, Vector::new(f64::NAN, 0.0, 0.0), axes).unwrap();
    terms.set_meeting(0, broken).unwrap();
    let refused = Dynamics::new(model).contact_terms(&mut terms).unwrap_err();
    assert!(matches!(refused, DynamicsError::ContactNotFinite { field: "point", .. }), "{refused}");
}
