//! The same mechanism given in two ways has the same matrices.
//!
//! Errors are judged relative to a norm that each test states. Velocities are compared after multiplication with
//! √Mᵢᵢ and forces after division by it, so that metres and radians, light and heavy links count alike. Where M⁻¹ acts,
//! rounding errors of n ε, 1e-14 for the largest trees here, grow by the condition of M with unit diagonal, and so does
//! the bound.

mod common;

use std::sync::Arc;

use carom_multibody::{
    ContactPoint, Contacts, Dynamics, Inertia, Joint, JointKind, LinkId, LinkSpec, Model, Placement, Quaternion,
    Symmetric, Vector,
};
use common::scales::*;
use common::*;
use fastrand::Rng;

#[test]
fn mimics_are_the_projection_of_the_free_tree() {
    // Mᵣ = Gᵀ M G and hᵣ = Gᵀ h, since q = G qᵣ + offsets with a constant G: relative to the parts of the sums.
    let mut masses = Gauge::new("reduced M", 1e-13);
    let mut biases = Gauge::new("reduced h", 1e-14);
    let mut jacobians = Gauge::new("reduced A", 1e-14);
    let mut energies = Gauge::new("reduced K and P", 1e-14);
    for_cases(300, |rng| {
        let mut sample = Sample::random(rng, Options::ALL);
        let free_sketch = sample.sketch.without_mimics();
        let free = free_sketch.build();
        let n = sample.nv();
        let mut g = vec![vec![0.0; n]; free.nv()];
        let mut q = vec![0.0; free.nq()];
        for (own, whole) in sample.model.joints().iter().zip(free.joints()) {
            let (leader, multiplier, offset) = sample.sketch.follows(&own.joint);
            let leader = sample.model.find_joint(&leader).unwrap();
            assert_eq!(own.freedoms, leader.freedoms);
            assert_eq!(own.coordinates, leader.coordinates);
            for (i, j) in whole.freedoms.clone().zip(leader.freedoms.clone()) {
                g[i][j] = multiplier;
            }
            for (i, j) in whole.coordinates.clone().zip(leader.coordinates.clone()) {
                q[i] = multiplier * sample.q[j] + offset;
            }
        }
        let v: Vec<f64> = g.iter().map(|row| dot(row, &sample.v)).collect();
        let mut whole = Sample::new(free_sketch, q, v);
        let gt = transposed(&g);
        if n == 0 {
            return;
        }
        let projected = product(&product(&gt, &whole.mass), &g);
        let absolute_g: Rows = g.iter().map(|row| row.iter().map(|x| x.abs()).collect()).collect();
        let sizes: Vec<f64> = apply(&transposed(&absolute_g), &whole.scale);
        for i in 0..n {
            masses.compare(&sample.mass[i], &projected[i], |j| sizes[i] * sizes[j]);
        }
        let whole_bias = whole.dynamics.bias().to_vec();
        let size = whole.force_size(&whole_bias) + coriolis_scale(&mut whole);
        biases.compare(sample.dynamics.bias(), &apply(&gt, &whole_bias), |i| sizes[i] * size);

        let links = moving_links(&sample.model);
        let (link, point, normal) = (links[rng.usize(..links.len())], vector(rng, 0.5), direction(rng));
        let mut own =
            Contacts::new(&sample.model, &[ContactPoint::spatial(&sample.model, link, point, normal).unwrap()]);
        let mut other =
            Contacts::new(&whole.model, &[ContactPoint::spatial(&whole.model, link, point, normal).unwrap()]);
        sample.dynamics.contact_kinematics(&mut own).unwrap();
        whole.dynamics.contact_kinematics(&mut other).unwrap();
        let projected = product(&rows(other.jacobian()), &g);
        for (row, projected) in projected.iter().enumerate() {
            jacobians.compare(own.jacobian().row(row), projected, |j| {
                largest(other.jacobian().as_slice()) * (0..g.len()).map(|i| g[i][j].abs()).sum::<f64>()
            });
        }
        let kinetic = whole.dynamics.kinetic_energy();
        energies.see((kinetic - sample.dynamics.kinetic_energy()).abs(), absolute(&whole.v, &whole.mass, &whole.v));
        let weight = 10.0 * whole.model.moving_mass() * whole.model.gravity().norm();
        energies.see((whole.dynamics.potential_energy() - sample.dynamics.potential_energy()).abs(), weight);
    });
}

/// M, h, K, and W and A v of one contact in the world's axes.
fn summary(model: &Model, q: &[f64], v: &[f64], contact: &ContactPoint) -> (Vec<f64>, Vec<f64>, f64, Rows, Vector) {
    let mut dynamics = Dynamics::new(model.clone());
    dynamics.set_state(q, v).unwrap();
    let terms = dynamics.single_contact(contact).unwrap();
    let basis: Rows = contact.basis().iter().map(|row| row.to_array().to_vec()).collect();
    let world = product(&transposed(&basis), &product(&terms.delassus.map(|row| row.to_vec()).to_vec(), &basis));
    let velocity = (0..3).fold(Vector::ZERO, |sum, i| sum.plus(terms.velocity[i], contact.basis()[i]));
    (dynamics.mass_matrix().as_slice().to_vec(), dynamics.bias().to_vec(), dynamics.kinetic_energy(), world, velocity)
}

#[test]
fn moving_the_roots_far_away_changes_no_bit() {
    // Everything but positions is counted from the roots: where they stand enters neither M, h, K, A nor W.
    // Only positions lose digits: 1e4 m have an ulp of 2e-12 m.
    let mut positions = Gauge::new("positions far away", 1e-15);
    for_cases(200, |rng| {
        let sample = Sample::random(rng, Options::ALL);
        let shift = 1e4 * direction(rng);
        let far = sample.sketch.moved(&Placement::at(shift)).build();
        let links = moving_links(&sample.model);
        let moving: Vec<LinkId> = links.into_iter().filter(|&link| is_moving(&sample.model, link)).collect();
        let Some(&link) = moving.get(rng.usize(..moving.len().max(1))) else { return };
        let (point, normal) = (vector(rng, 0.5), direction(rng));
        let here = ContactPoint::spatial(&sample.model, link, point, normal).unwrap();
        let there = ContactPoint::spatial(&far, link, point, normal).unwrap();
        assert_eq!(summary(&sample.model, &sample.q, &sample.v, &here), summary(&far, &sample.q, &sample.v, &there));

        let mut dynamics = Dynamics::new(far);
        dynamics.set_state(&sample.q, &sample.v).unwrap();
        let moved = dynamics.contact_position(&there) - shift;
        positions.see((moved - sample.dynamics.contact_position(&here)).norm(), 1e4);
    });
}

#[test]
fn coordinates_far_away_keep_the_digits_of_m_and_w() {
    // A floating base at q = 1e4 m changes nothing at all; a planar one moves its later axes' origins, whose moments no
    // sliding axis sees.
    for_cases(200, |rng| {
        let sample = Sample::random(rng, Options::ALL);
        let mut q = sample.q.clone();
        let mut root = None;
        for link in moving_links(&sample.model) {
            let parts = sample.model.link(link);
            let joints = &sample.model.joints()[parts.joints.clone()];
            if parts.parent == Some(LinkId::WORLD)
                && let [joint] = joints
                && matches!(joint.joint.kind, JointKind::Floating | JointKind::Planar)
            {
                let count = if joint.joint.kind == JointKind::Floating { 3 } else { 2 };
                for x in &mut q[joint.coordinates.start..joint.coordinates.start + count] {
                    *x = spread(rng, 1e4);
                }
                root = Some(link);
            }
        }
        let Some(link) = root else { return };
        let contact = ContactPoint::spatial(&sample.model, link, vector(rng, 0.5), direction(rng)).unwrap();
        let near = summary(&sample.model, &sample.q, &sample.v, &contact);
        let far = summary(&sample.model, &q, &sample.v, &contact);
        assert_eq!((near.0, near.2, near.3), (far.0, far.2, far.3));
    });
}

#[test]
fn turning_the_world_turns_w_and_leaves_m_and_h() {
    // Every number is computed anew in turned axes: rounding of the sums along the tree.
    let mut masses = Gauge::new("M in a turned world", 3e-13);
    let mut biases = Gauge::new("h in a turned world", 1e-14);
    let mut delassus = Gauge::new("W in a turned world, over condition", 3e-14);
    let mut velocities = Gauge::new("A v in a turned world", 1e-14);
    for_cases(200, |rng| {
        let mut sample = Sample::random(rng, Options::ALL);
        let turn = rotation(rng);
        let turned = sample.sketch.moved(&Placement::new(turn, Vector::ZERO)).build();
        let n = sample.nv();
        let links = moving_links(&sample.model);
        let link = links[rng.usize(..links.len())];
        let (point, normal) = (vector(rng, 0.5), direction(rng));
        let here = ContactPoint::spatial(&sample.model, link, point, normal).unwrap();
        let there = ContactPoint::spatial(&turned, link, point, turn.apply(normal)).unwrap();
        let (m, h, _, w, u) = summary(&sample.model, &sample.q, &sample.v, &here);
        let (m2, h2, _, w2, u2) = summary(&turned, &sample.q, &sample.v, &there);
        let s = sample.scale.clone();
        if n > 0 {
            masses.compare(&m, &m2, |i| s[i / n] * s[i % n]);
        }
        let size = inverse_scale(&mut sample, &vec![0.0; n]);
        biases.compare(&h, &h2, |i| s[i] * size);
        let basis: Rows = turn.rows().map(|row| row.to_vec()).to_vec();
        let back = product(&transposed(&basis), &product(&w2, &basis));
        for i in 0..3 {
            delassus.compare(&w[i], &back[i], |_| sample.condition * largest(&w.concat()));
        }
        velocities.see((turn.apply(u) - u2).norm(), u.norm() + sample.sketch.frequency(&sample.model, &sample.v));
    });
}

/// Mass, centre and inertia about the centre of two bodies as one, from second moments about the origin.
fn joined(a: &Inertia, b: &Inertia) -> Inertia {
    let about_origin = |body: &Inertia| {
        let [x, y, z] = body.center.to_array();
        let [xx, yy, zz, xy, xz, yz] = body.rotational.entries();
        let m = body.mass;
        let (x2, y2, z2) = (m * x * x, m * y * y, m * z * z);
        [xx + y2 + z2, yy + x2 + z2, zz + x2 + y2, xy - m * x * y, xz - m * x * z, yz - m * y * z]
    };
    let mass = a.mass + b.mass;
    let center = (1.0 / mass) * (a.mass * a.center + b.mass * b.center);
    let (ia, ib) = (about_origin(a), about_origin(b));
    let point = about_origin(&Inertia::point(mass, center));
    let entries = [0, 1, 2, 3, 4, 5].map(|k| ia[k] + ib[k] - point[k]);
    Inertia { mass, center, rotational: Symmetric::new(entries) }
}

/// Compares M, h, W and A v of two models in the same state, the contact given in each.
fn assert_same(
    gauges: &mut [Gauge; 3],
    (one, a): (&Model, &ContactPoint),
    (two, b): (&Model, &ContactPoint),
    q: &[f64],
    v: &[f64],
) {
    let (m, h, k, w, u) = summary(one, q, v, a);
    let (m2, h2, k2, w2, u2) = summary(two, q, v, b);
    let n = v.len();
    let s: Vec<f64> = (0..n).map(|i| m[i * n + i].sqrt()).collect();
    let condition = condition(&m.chunks(n).map(<[f64]>::to_vec).collect());
    gauges[0].compare(&m, &m2, |i| s[i / n] * s[i % n]);
    // Weights and centrifugal forces of all links, in √J/s, as in `coriolis_scale`.
    let speed = 1.0 + v.iter().map(|v| v.abs()).sum::<f64>();
    let size = one.moving_mass().sqrt() * (one.gravity().norm() + speed * speed);
    gauges[1].compare(&h, &h2, |i| s[i] * size);
    gauges[2].compare(&w.concat(), &w2.concat(), |_| condition * largest(&w.concat()));
    gauges[0].see((k - k2).abs(), one.moving_mass() * speed * speed);
    gauges[0].see((u - u2).norm(), speed);
}

fn gauges(names: [&'static str; 3]) -> [Gauge; 3] {
    let [a, b, c] = names;
    [Gauge::new(a, 1e-13), Gauge::new(b, 1e-14), Gauge::new(c, 3e-14)]
}

#[test]
fn welded_links_are_one_body() {
    let mut gauges = gauges(["M, K, A v of a weld", "h of a weld", "W of a weld, over condition"]);
    for_cases(200, |rng| {
        let sample = Sample::random(rng, Options::ALL);
        if sample.nv() == 0 {
            return;
        }
        // A body more on some link, welded there directly or over a fixed joint and a link without mass.
        let host = 1 + rng.usize(..sample.sketch.links.len());
        let place = placement(rng, 0.5);
        let body = inertia(rng);
        let mut welded = sample.sketch.clone();
        let mut spec = LinkSpec::new("welded").placed(place).inertia(body);
        if rng.bool() {
            spec = spec.joint(random_joint(rng, "weld".to_owned(), JointKind::Fixed, false));
        }
        if rng.bool() {
            let between = placement(rng, 0.5);
            welded.links.push((host, LinkSpec::new("between").placed(between)));
            spec.placement = between.inverse() * place;
            welded.links.push((welded.links.len(), spec));
        } else {
            welded.links.push((host, spec));
        }
        let mut single = sample.sketch.clone();
        let own = single.links[host - 1].1.inertia;
        let moved = body.placed(&place);
        single.links[host - 1].1.inertia = if own.mass == 0.0 { moved } else { joined(&own, &moved) };

        let (one, two) = (single.build(), welded.build());
        let (point, normal) = (vector(rng, 0.5), direction(rng));
        let host_name = sample.sketch.links[host - 1].1.name.clone();
        let a = ContactPoint::spatial(&one, one.find_link(&host_name).unwrap(), place.apply(point), normal).unwrap();
        let b = ContactPoint::spatial(&two, two.find_link("welded").unwrap(), point, normal).unwrap();
        assert_same(&mut gauges, (&one, &a), (&two, &b), &sample.q, &sample.v);
    });
}

#[test]
fn planar_joint_is_two_sliders_and_a_hinge() {
    let mut gauges =
        gauges(["M, K, A v of a planar joint", "h of a planar joint", "W of a planar joint, over condition"]);
    for_cases(200, |rng| {
        let sample = Sample::random(rng, Options::FREE);
        let mut split = sample.sketch.clone();
        let mut found = false;
        for (_, spec) in &mut split.links {
            let mut joints = Vec::new();
            for joint in &spec.joints {
                if joint.kind != JointKind::Planar {
                    joints.push(joint.clone());
                    continue;
                }
                found = true;
                // As the documentation of the axis has it.
                let axis = (1.0 / joint.axis.norm()) * joint.axis;
                let parts = axis.to_array().map(f64::abs);
                let least = if parts[0] <= parts[1] && parts[0] <= parts[2] {
                    X
                } else if parts[1] <= parts[2] {
                    Y
                } else {
                    Z
                };
                let x = least - least.dot(axis) * axis;
                let x = (1.0 / x.norm()) * x;
                let y = axis.cross(x);
                for (suffix, kind, axis) in
                    [("x", JointKind::Prismatic, x), ("y", JointKind::Prismatic, y), ("a", JointKind::Revolute, axis)]
                {
                    let mut part =
                        Joint::new(format!("{}{suffix}", joint.name), kind).along(axis).through(joint.anchor);
                    part.armature = joint.armature;
                    joints.push(part);
                }
            }
            spec.joints = joints;
        }
        if !found {
            return;
        }
        let two = split.build();
        let links = moving_links(&two);
        let (link, point, normal) = (links[rng.usize(..links.len())], vector(rng, 0.5), direction(rng));
        let a = ContactPoint::spatial(&sample.model, link, point, normal).unwrap();
        let b = ContactPoint::spatial(&two, link, point, normal).unwrap();
        assert_same(&mut gauges, (&sample.model, &a), (&two, &b), &sample.q, &sample.v);
    });
}

#[test]
fn reference_only_moves_the_zero_of_a_coordinate() {
    let mut gauges = gauges(["M, K, A v with references", "h with references", "W with references, over condition"]);
    for_cases(100, |rng| {
        let sample = Sample::random(rng, Options::FREE);
        if sample.nv() == 0 {
            return;
        }
        let mut without = sample.sketch.clone();
        let mut q = sample.q.clone();
        for (_, spec) in &mut without.links {
            for joint in &mut spec.joints {
                let coordinates = sample.model.find_joint(&joint.name).unwrap().coordinates.clone();
                if joint.kind.is_single() {
                    q[coordinates.start] -= joint.reference;
                }
                joint.reference = 0.0;
            }
        }
        let two = without.build();
        let links = moving_links(&two);
        let (link, point, normal) = (links[rng.usize(..links.len())], vector(rng, 0.5), direction(rng));
        let contact = ContactPoint::spatial(&two, link, point, normal).unwrap();
        let mut moved = Dynamics::new(two.clone());
        moved.set_state(&q, &sample.v).unwrap();
        let gap = moved.contact_position(&contact) - sample.dynamics.contact_position(&contact);
        gauges[0].see(gap.norm(), 10.0);
        // At the references every link is where its placement says.
        let mut home = Dynamics::new(Arc::clone(&sample.model));
        let at_home = sample.model.home().to_vec();
        home.set_state(&at_home, &sample.v).unwrap();
        let mut expected = vec![Placement::IDENTITY];
        for (parent, spec) in &sample.sketch.links {
            expected.push(expected[*parent] * spec.placement);
        }
        for (link, expected) in moving_links(&sample.model).into_iter().zip(&expected[1..]) {
            let placement = home.placement(link);
            gauges[0].see((placement.translation - expected.translation).norm(), 10.0);
            for (a, b) in placement.rotation.columns.into_iter().zip(expected.rotation.columns) {
                gauges[0].see((a - b).norm(), 1.0);
            }
        }
    });
}

/// Two models that differ in the coordinates of one joint, v₁ = T v₂ with dT/dt v₂ = rate: then M₂ = Tᵀ M₁ T and
/// h₂ = Tᵀ (h₁ + M₁ rate).
fn assert_transformed(gauges: &mut [Gauge; 2], one: &mut Sample, two: &mut Sample, t: &Rows, rate: &[f64]) {
    let n = two.nv();
    let transpose = transposed(t);
    let expected = product(&product(&transpose, &one.mass), t);
    let absolute_t: Rows = t.iter().map(|row| row.iter().map(|x| x.abs()).collect()).collect();
    let sizes = apply(&transposed(&absolute_t), &one.scale);
    for i in 0..n {
        gauges[0].compare(&two.mass[i], &expected[i], |j| sizes[i] * sizes[j]);
    }
    let one_bias = one.dynamics.bias().to_vec();
    let inner: Vec<f64> = one_bias.iter().zip(apply(&one.mass, rate)).map(|(h, f)| h + f).collect();
    let size = one.force_size(&one_bias) + coriolis_scale(one) + n as f64 * one.velocity_size(rate);
    gauges[1].compare(two.dynamics.bias(), &apply(&transpose, &inner), |i| sizes[i] * size);
}

/// A free sketch with one link whose only joint is replaced, and the place of its numbers.
fn with_joints(rng: &mut Rng, joints: Vec<Joint>) -> (Sketch, usize) {
    let mut sketch = Sketch::random(rng, Options { links: 8, ..Options::FREE });
    let place = rng.usize(..sketch.links.len());
    sketch.links[place].1.joints = joints;
    sketch.links[place].1.inertia = inertia(rng);
    (sketch, place)
}

/// Numbers of the joints of one link: where its coordinates and velocities are.
fn span(model: &Model, place: usize) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
    let own = &model.joints()[model.links()[place + 1].joints.clone()];
    let (first, last) = (&own[0], &own[own.len() - 1]);
    (first.coordinates.start..last.coordinates.end, first.freedoms.start..last.freedoms.end)
}

#[test]
fn three_hinges_through_a_point_are_a_ball_joint() {
    // R = Rx(α) Ry(β) Rz(γ), and in the link's axes ω = (Ry Rz)ᵀ x α' + Rzᵀ y β' + z γ'. Away from β = ±π/2.
    let mut gauges = [Gauge::new("M of three hinges", 1e-13), Gauge::new("h of three hinges", 1e-14)];
    for_cases(150, |rng| {
        let anchor = vector(rng, 0.5);
        let hinge = |name: &str, axis| Joint::new(name, JointKind::Revolute).along(axis).through(anchor);
        let hinges = vec![hinge("alpha", X), hinge("beta", Y), hinge("gamma", Z)];
        let (sketch, place) = with_joints(rng, hinges);
        let mut other = sketch.clone();
        other.links[place].1.joints = vec![Joint::new("ball", JointKind::Ball).through(anchor)];
        let (model, ball_model) = (sketch.build(), other.build());
        let mut q = configuration(&model, rng);
        let v = numbers(rng, model.nv(), 2.0);
        let (at, own) = span(&model, place);
        let [alpha, beta, gamma] = [spread(rng, 3.0), spread(rng, 1.3), spread(rng, 3.0)];
        q[at.clone()].copy_from_slice(&[alpha, beta, gamma]);
        let rates = Vector::new(v[own.start], v[own.start + 1], v[own.start + 2]);

        let (sb, cb) = beta.sin_cos();
        let (sg, cg) = gamma.sin_cos();
        // Columns of ω, by hand: Rzᵀ (x, y) = (cγ, -sγ), (sγ, cγ); Ryᵀ x = (cβ, 0, sβ).
        let columns = [[cb * cg, -cb * sg, sb], [sg, cg, 0.0], [0.0, 0.0, 1.0]];
        let (b, g) = (rates.y(), rates.z());
        let column_rates =
            [[-sb * cg * b - cb * sg * g, sb * sg * b - cb * cg * g, cb * b], [cg * g, -sg * g, 0.0], [0.0; 3]];
        let n = model.nv();
        let mut t: Rows = (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
        let mut rate = vec![0.0; n];
        for i in 0..3 {
            for j in 0..3 {
                t[own.start + i][own.start + j] = columns[j][i];
                rate[own.start + i] += column_rates[j][i] * v[own.start + j];
            }
        }
        let turn = Quaternion::about(X, alpha) * Quaternion::about(Y, beta) * Quaternion::about(Z, gamma);
        let mut ball_q = q[..at.start].to_vec();
        ball_q.extend(turn.to_array());
        ball_q.extend(&q[at.end..]);
        assert_eq!(ball_q.len(), ball_model.nq());
        let ball_v = apply(&t, &v);
        let mut ball = Sample::new(other, ball_q, ball_v);
        let mut hinged = Sample::new(sketch, q, v);
        assert_transformed(&mut gauges, &mut ball, &mut hinged, &t, &rate);
    });
}

#[test]
fn floating_joint_is_three_sliders_and_a_ball_joint() {
    // The sliders' rates are R v with v in the link's axes: d(R v)/dt - R v̇ = R (ω × v).
    let mut gauges = [Gauge::new("M of a floating joint", 1e-13), Gauge::new("h of a floating joint", 1e-14)];
    for_cases(150, |rng| {
        let slider = |name: &str, axis| Joint::new(name, JointKind::Prismatic).along(axis);
        let joints = vec![slider("x", X), slider("y", Y), slider("z", Z), Joint::new("ball", JointKind::Ball)];
        let (sketch, place) = with_joints(rng, joints);
        let mut other = sketch.clone();
        other.links[place].1.joints = vec![Joint::new("free", JointKind::Floating)];
        let model = sketch.build();
        let q = configuration(&model, rng);
        let floating_v = numbers(rng, model.nv(), 2.0);
        let (at, own) = span(&model, place);
        let turn = Quaternion::from_array([3, 4, 5, 6].map(|k| q[at.start + k])).to_rotation();
        let part = |k: usize| {
            Vector::new(floating_v[own.start + k], floating_v[own.start + k + 1], floating_v[own.start + k + 2])
        };
        let (linear, omega) = (part(0), part(3));
        let n = model.nv();
        let mut t: Rows = (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
        let entries = turn.rows();
        for i in 0..3 {
            t[own.start + i][own.start..own.start + 3].copy_from_slice(&entries[i]);
        }
        let mut rate = vec![0.0; n];
        rate[own.start..own.start + 3].copy_from_slice(&turn.apply(omega.cross(linear)).to_array());
        let mut sliding = Sample::new(sketch, q.clone(), apply(&t, &floating_v));
        let mut floating = Sample::new(other, q, floating_v);
        assert_transformed(&mut gauges, &mut sliding, &mut floating, &t, &rate);
    });
}
