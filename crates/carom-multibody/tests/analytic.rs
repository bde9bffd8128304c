//! Mechanisms whose equations fit on one line, derived by hand.

mod common;

use carom_multibody::{
    ContactPoint, Contacts, Dynamics, Inertia, Joint, JointKind, LinkId, LinkSpec, Mimic, Model, ModelBuilder,
    Placement, Quaternion, Symmetric, Vector,
};
use common::*;

const G: f64 = 9.81;

/// Equal to a few ulps of the size of the terms.
#[track_caller]
fn close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-14 * (1.0 + b.abs()), "{a} is not {b}: {:e} off", a - b);
}

#[track_caller]
fn all_close(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    for i in 0..a.len() {
        assert!((a[i] - b[i]).abs() <= 1e-14 * (1.0 + largest(b)), "[{i}] of {a:?} is not that of {b:?}");
    }
}

fn build(links: Vec<(usize, LinkSpec)>) -> Model {
    Sketch { gravity: Vector::new(0.0, 0.0, -G), links }.build()
}

/// A body of mass m at a point, with one moment of inertia about each axis.
fn body(mass: f64, center: [f64; 3], moments: [f64; 3]) -> Inertia {
    Inertia { mass, center: center.into(), rotational: Symmetric::diagonal(moments) }
}

#[test]
fn simple_pendulum() {
    // The bob is at l (-sin θ, 0, -cos θ): M = m l² + I, P = -m g l cos θ, h = m g l sin θ.
    let (m, l, i, reach) = (1.3, 0.7, 0.05, 0.9);
    let hinge = Joint::new("hinge", JointKind::Revolute).along(Y);
    let model = build(vec![(0, LinkSpec::new("rod").joint(hinge).inertia(body(m, [0.0, 0.0, -l], [i, i, 0.01])))]);
    let rod = model.find_link("rod").unwrap();
    let tip = ContactPoint::spatial(&model, rod, [0.0, 0.0, -reach], Z).unwrap();
    let mut terms = Contacts::new(&model, &[tip]);
    let mut dynamics = Dynamics::new(model);
    for (theta, rate) in [(0.0_f64, 0.0), (0.3, 1.7), (-2.0, 0.4), (3.1, -2.2)] {
        let (s, c) = theta.sin_cos();
        dynamics.set_state(&[theta], &[rate]).unwrap();
        let inertia = m * l * l + i;
        close(dynamics.mass_matrix()[(0, 0)], inertia);
        close(dynamics.bias()[0], m * G * l * s);
        close(dynamics.kinetic_energy(), 0.5 * inertia * rate * rate);
        close(dynamics.potential_energy(), -m * G * l * c);
        close(dynamics.forward_dynamics(&[0.6]).unwrap()[0], (0.6 - m * G * l * s) / inertia);
        // Rows of the contact: z, then x, then z × x = y. The tip is at L (-sin θ, 0, -cos θ).
        dynamics.contact_terms(&mut terms).unwrap();
        let a = [reach * s, -reach * c, 0.0];
        for row in 0..3 {
            close(terms.jacobian()[(row, 0)], a[row]);
            close(terms.velocity()[row], a[row] * rate);
            for column in 0..3 {
                close(terms.delassus()[(row, column)], a[row] * a[column] / inertia);
            }
        }
        all_close(terms.drift(), &[reach * c * rate * rate, reach * s * rate * rate, 0.0]);
        let mut change = [0.0];
        dynamics.impulse_response(&tip, &[2.0, 0.5, 9.0], &mut change).unwrap();
        close(change[0], (2.0 * a[0] + 0.5 * a[1]) / inertia);
    }
}

const DOUBLE: (f64, f64, f64, f64) = (1.1, 0.6, 0.8, 0.45);

/// Bobs of masses m₁, m₂ on rods of lengths l₁, l₂ without mass.
fn double_pendulum(second: Vec<Joint>) -> Dynamics {
    let (m1, m2, l1, l2) = DOUBLE;
    let first = Joint::new("first", JointKind::Revolute).along(Y);
    let mut lower = LinkSpec::new("lower").placed(Placement::at([0.0, 0.0, -l1]));
    lower.joints = second;
    Dynamics::new(build(vec![
        (0, LinkSpec::new("upper").joint(first).inertia(Inertia::point(m1, [0.0, 0.0, -l1]))),
        (1, lower.inertia(Inertia::point(m2, [0.0, 0.0, -l2]))),
    ]))
}

#[test]
fn double_pendulum_with_relative_angles() {
    // T = ½(m₁+m₂) l₁² θ₁'² + ½ m₂ l₂² (θ₁'+θ₂')² + m₂ l₁ l₂ cos θ₂ θ₁' (θ₁'+θ₂').
    let (m1, m2, l1, l2) = DOUBLE;
    let mut dynamics = double_pendulum(vec![Joint::new("second", JointKind::Revolute).along(Y)]);
    for ([a, b], [u, w]) in [([0.2, 0.5], [0.3, -1.0]), ([-1.4, 2.8], [2.0, 1.5]), ([3.0, -0.9], [-0.7, 3.0])] {
        dynamics.set_state(&[a, b], &[u, w]).unwrap();
        let (s, c) = f64::sin_cos(b);
        let cross = m2 * l1 * l2;
        let m22 = m2 * l2 * l2;
        let m12 = m22 + cross * c;
        let m11 = (m1 + m2) * l1 * l1 + m22 + 2.0 * cross * c;
        all_close(dynamics.mass_matrix().as_slice(), &[m11, m12, m12, m22]);
        let lower = m2 * G * l2 * f64::sin(a + b);
        let upper = (m1 + m2) * G * l1 * f64::sin(a) + lower;
        let bias = [-cross * s * (2.0 * u * w + w * w) + upper, cross * s * u * u + lower];
        all_close(dynamics.bias(), &bias);
        all_close(
            dynamics.inverse_dynamics(&[0.4, -0.9]).unwrap(),
            &[0.4 * m11 - 0.9 * m12 + bias[0], 0.4 * m12 - 0.9 * m22 + bias[1]],
        );
    }
}

#[test]
fn double_pendulum_with_absolute_angles() {
    // A joint that turns the lower rod back by the upper's angle, as a parallelogram would, makes the second
    // angle absolute: T = ½(m₁+m₂) l₁² φ₁'² + ½ m₂ l₂² φ₂'² + m₂ l₁ l₂ cos(φ₁-φ₂) φ₁' φ₂'.
    let (m1, m2, l1, l2) = DOUBLE;
    let mut back = Joint::new("back", JointKind::Revolute).along(Y);
    back.mimic = Some(Mimic { leader: "first".to_owned(), multiplier: -1.0, offset: 0.0 });
    let mut dynamics = double_pendulum(vec![back, Joint::new("second", JointKind::Revolute).along(Y)]);
    for ([a, b], [u, w]) in [([0.2, 0.5], [0.3, -1.0]), ([-1.4, 2.8], [2.0, 1.5]), ([3.0, -0.9], [-0.7, 3.0])] {
        dynamics.set_state(&[a, b], &[u, w]).unwrap();
        let (s, c) = f64::sin_cos(a - b);
        let cross = m2 * l1 * l2;
        let (m11, m12, m22) = ((m1 + m2) * l1 * l1, cross * c, m2 * l2 * l2);
        all_close(dynamics.mass_matrix().as_slice(), &[m11, m12, m12, m22]);
        let bias =
            [cross * s * w * w + (m1 + m2) * G * l1 * f64::sin(a), -cross * s * u * u + m2 * G * l2 * f64::sin(b)];
        all_close(dynamics.bias(), &bias);
        let determinant = m11 * m22 - m12 * m12;
        let [f, g] = [0.7 - bias[0], -0.2 - bias[1]];
        all_close(
            dynamics.forward_dynamics(&[0.7, -0.2]).unwrap(),
            &[(m22 * f - m12 * g) / determinant, (m11 * g - m12 * f) / determinant],
        );
    }
}

#[test]
fn free_rigid_body_obeys_eulers_equations() {
    // In body axes: m (v̇ + ω × v - Rᵀ g) = f, I ω̇ + ω × I ω = n.
    let (m, moments) = (2.0, [0.3, 0.5, 0.7]);
    let free = Joint::new("free", JointKind::Floating);
    let mut dynamics =
        Dynamics::new(build(vec![(0, LinkSpec::new("body").joint(free).inertia(body(m, [0.0; 3], moments)))]));
    let turn = Quaternion::about(Vector::new(0.6, 0.0, 0.8), 1.1);
    let mut q = vec![1.0, -2.0, 3.0];
    q.extend(turn.to_array());
    let (v, omega) = ([0.4, -0.3, 0.9], [1.5, -2.0, 0.6]);
    dynamics.set_state(&q, &[v, omega].concat()).unwrap();
    let (f, n) = ([1.0, 2.0, -3.0], [0.1, -0.2, 0.3]);
    let acceleration = dynamics.forward_dynamics(&[f, n].concat()).unwrap().to_vec();
    // Rodrigues: Rᵀ g with the angle reversed.
    let axis = Vector::new(0.6, 0.0, 0.8);
    let gravity = Vector::new(0.0, 0.0, -G);
    let (s, c) = f64::sin_cos(-1.1);
    let fall = c * gravity + s * axis.cross(gravity) + (axis.dot(gravity) * (1.0 - c)) * axis;
    let linear = (1.0 / m) * Vector::from(f) - Vector::from(omega).cross(v.into()) + fall;
    let [a, b, d] = moments;
    let [x, y, z] = omega;
    let angular = [(n[0] + (b - d) * y * z) / a, (n[1] + (d - a) * z * x) / b, (n[2] + (a - b) * x * y) / d];
    all_close(&acceleration, &[linear.to_array(), angular].concat());
    close(dynamics.kinetic_energy(), 0.5 * (m * (0.16 + 0.09 + 0.81) + a * x * x + b * y * y + d * z * z));
    close(dynamics.potential_energy(), m * G * 3.0);
    let mut expected = [[0.0; 6]; 6];
    for i in 0..3 {
        expected[i][i] = m;
        expected[3 + i][3 + i] = moments[i];
    }
    all_close(dynamics.mass_matrix().as_slice(), &expected.concat());
}

#[test]
fn free_body_with_its_centre_elsewhere() {
    // a = v̇ + ω̇ × c + ω × (v + ω × c) is the centre's acceleration in body axes; f = m (a - Rᵀ g), and about the
    // origin n = I ω̇ + ω × I ω + c × f.
    let (m, moments, center) = (1.7, [0.3, 0.5, 0.7], Vector::new(0.2, -0.1, 0.4));
    let free = Joint::new("free", JointKind::Floating);
    let inertia = body(m, center.to_array(), moments);
    let mut dynamics = Dynamics::new(build(vec![(0, LinkSpec::new("body").joint(free).inertia(inertia))]));
    let (v, omega) = (Vector::new(0.4, -0.3, 0.9), Vector::new(1.5, -2.0, 0.6));
    let (dv, domega) = (Vector::new(-1.0, 0.2, 2.0), Vector::new(0.7, 0.1, -1.2));
    let q = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let stack = |a: Vector, b: Vector| [a.to_array(), b.to_array()].concat();
    dynamics.set_state(&q, &stack(v, omega)).unwrap();
    let a = dv + domega.cross(center) + omega.cross(v + omega.cross(center));
    let force = m * (a + Vector::new(0.0, 0.0, G));
    let times = |w: Vector| Vector::new(moments[0] * w.x(), moments[1] * w.y(), moments[2] * w.z());
    let moment = times(domega) + omega.cross(times(omega)) + center.cross(force);
    all_close(dynamics.inverse_dynamics(&stack(dv, domega)).unwrap(), &stack(force, moment));
}

#[test]
fn ball_on_a_floor_has_two_sevenths_of_its_mass_against_slip() {
    // W = diag(1/m, 1/m + r²/I, 1/m + r²/I) with I = ⅖ m r²: 1/m + 5/(2m) = 7/(2m). The impulse that ends
    // the slip u is -2/7 m u and leaves the velocity 5/7 u, rolling.
    let (m, r, slip) = (0.17, 0.0286, 1.4);
    let free = Joint::new("free", JointKind::Floating);
    let model = build(vec![(0, LinkSpec::new("ball").joint(free).inertia(Inertia::ball(m, r)))]);
    let ball = model.find_link("ball").unwrap();
    let contact = ContactPoint::new(&model, ball, [0.0, 0.0, -r], Z).unwrap();
    let mut dynamics = Dynamics::new(model);
    let q = [0.3, 0.4, r, 1.0, 0.0, 0.0, 0.0];
    dynamics.set_state(&q, &[slip, 0.0, 0.0, 0.0, 0.0, 0.0]).unwrap();
    let terms = dynamics.single_contact(&contact).unwrap();
    let expected = [[1.0 / m, 0.0, 0.0], [0.0, 3.5 / m, 0.0], [0.0, 0.0, 3.5 / m]];
    all_close(&terms.delassus.concat(), &expected.concat());
    all_close(&terms.velocity, &[0.0, slip, 0.0]);
    let mut change = [0.0; 6];
    dynamics.impulse_response(&contact, &[0.0, -2.0 / 7.0 * m * slip, 0.0], &mut change).unwrap();
    // Rolling: v = ω r about +y.
    all_close(&change, &[-2.0 / 7.0 * slip, 0.0, 0.0, 0.0, 5.0 / 7.0 * slip / r, 0.0]);
}

#[test]
fn cart_and_pole() {
    // The pole's centre is at x + l sin θ, l cos θ: M = [[M+m, m l cos θ], [m l cos θ, m l² + I]],
    // h = (-m l sin θ θ'², -m g l sin θ).
    let (cart, m, l, i) = (1.9, 0.4, 0.55, 0.03);
    let slider = Joint::new("slider", JointKind::Prismatic).along(X);
    let hinge = Joint::new("hinge", JointKind::Continuous).along(Y);
    let mut dynamics = Dynamics::new(build(vec![
        (0, LinkSpec::new("cart").joint(slider).inertia(body(cart, [0.1, 0.2, 0.3], [1.0; 3]))),
        (1, LinkSpec::new("pole").joint(hinge).inertia(body(m, [0.0, 0.0, l], [0.02, i, 0.01]))),
    ]));
    for (theta, speed, rate) in [(0.1_f64, 0.5, -1.0), (2.0, -0.3, 4.0), (-2.9, 1.0, 0.2)] {
        let (s, c) = theta.sin_cos();
        dynamics.set_state(&[0.7, theta], &[speed, rate]).unwrap();
        let (m11, m12, m22) = (cart + m, m * l * c, m * l * l + i);
        all_close(dynamics.mass_matrix().as_slice(), &[m11, m12, m12, m22]);
        let bias = [-m * l * s * rate * rate, -m * G * l * s];
        all_close(dynamics.bias(), &bias);
        let push = 1.5;
        let determinant = m11 * m22 - m12 * m12;
        let [f, g] = [push - bias[0], -bias[1]];
        all_close(
            dynamics.forward_dynamics(&[push, 0.0]).unwrap(),
            &[(m22 * f - m12 * g) / determinant, (m11 * g - m12 * f) / determinant],
        );
    }
}

#[test]
fn slider_on_a_turning_arm_feels_coriolis_and_centrifugal_force() {
    // Polar coordinates about z, the arm's own inertia I: M = diag(I + m r², m), h = (2 m r r' φ', -m r φ'²).
    let (i, m) = (0.2, 0.8);
    let hinge = Joint::new("hinge", JointKind::Revolute);
    let slider = Joint::new("slider", JointKind::Prismatic).along(X);
    let mut dynamics = Dynamics::new(build(vec![
        (0, LinkSpec::new("arm").joint(hinge).inertia(body(1.0, [0.0; 3], [0.1, 0.1, i]))),
        (1, LinkSpec::new("bead").joint(slider).inertia(Inertia::point(m, Vector::ZERO))),
    ]));
    let (phi, r, turn, slide) = (0.9, 0.6, 2.5, -0.7);
    dynamics.set_state(&[phi, r], &[turn, slide]).unwrap();
    all_close(dynamics.mass_matrix().as_slice(), &[i + m * r * r, 0.0, 0.0, m]);
    all_close(dynamics.bias(), &[2.0 * m * r * slide * turn, -m * r * turn * turn]);
}

#[test]
fn gears_add_by_the_square_of_their_ratio() {
    // Two wheels and their drives: (I₁ + a₁) + k² (I₂ + a₂).
    let (i1, i2, a1, a2, k) = (0.3, 0.02, 0.05, 0.004, -4.5);
    let mut first = Joint::new("first", JointKind::Continuous);
    first.armature = a1;
    let mut second = Joint::new("second", JointKind::Continuous);
    second.armature = a2;
    second.mimic = Some(Mimic { leader: "first".to_owned(), multiplier: k, offset: 0.3 });
    let wheel = |i: f64| body(1.0, [0.0; 3], [i, i, i]);
    let mut dynamics = Dynamics::new(build(vec![
        (0, LinkSpec::new("one").joint(first).inertia(wheel(i1))),
        (0, LinkSpec::new("two").joint(second).inertia(wheel(i2)).placed(Placement::at([1.0, 0.0, 0.0]))),
    ]));
    dynamics.set_state(&[0.4], &[1.2]).unwrap();
    let total = i1 + a1 + k * k * (i2 + a2);
    close(dynamics.mass_matrix()[(0, 0)], total);
    close(dynamics.kinetic_energy(), 0.5 * total * 1.44);
    close(dynamics.inverse_dynamics(&[2.0]).unwrap()[0], 2.0 * total);
    close(dynamics.forward_dynamics(&[2.0]).unwrap()[0], 2.0 / total);
}

#[test]
fn ball_joint_turns_about_its_centre() {
    // A bob at c from the centre, in the link's axes: I' = I + m (c·c 1 - c cᵀ), h = ω × I' ω - m c × Rᵀ g.
    let (m, moments, center) = (0.9, [0.02, 0.03, 0.04], Vector::new(0.3, -0.2, 0.5));
    let anchor = Vector::new(0.1, 0.4, -0.3);
    let ball = Joint::new("ball", JointKind::Ball).through(anchor);
    let inertia = body(m, (anchor + center).to_array(), moments);
    let model = build(vec![(0, LinkSpec::new("bob").joint(ball).inertia(inertia))]);
    let bob = model.find_link("bob").unwrap();
    let mut dynamics = Dynamics::new(model);
    let omega = Vector::new(0.8, -1.1, 2.0);
    // A quarter turn about x takes y to z: Rᵀ z = y.
    let half = std::f64::consts::FRAC_1_SQRT_2;
    dynamics.set_state(&[half, half, 0.0, 0.0], &omega.to_array()).unwrap();
    let [x, y, z] = center.to_array();
    let whole = [
        [moments[0] + m * (y * y + z * z), -m * x * y, -m * x * z],
        [-m * x * y, moments[1] + m * (x * x + z * z), -m * y * z],
        [-m * x * z, -m * y * z, moments[2] + m * (x * x + y * y)],
    ];
    all_close(dynamics.mass_matrix().as_slice(), &whole.concat());
    let momentum = Vector::from(whole.map(|row| Vector::from(row).dot(omega)));
    let weight = Vector::new(0.0, -m * G, 0.0);
    all_close(dynamics.bias(), &(omega.cross(momentum) - center.cross(weight)).to_array());
    // The centre stays; the link's origin turns about it: anchor - R anchor.
    let turned = Vector::new(anchor.x(), -anchor.z(), anchor.y());
    all_close(&dynamics.placement(bob).translation.to_array(), &(anchor - turned).to_array());
}

#[test]
fn cuboid_on_an_edge() {
    // A box with half sides (a, b, c) free in space, touched at a corner (a, 0, -c) of its middle plane from below: the
    // normal row of A is (0, 0, 1; 0, -a, 0), the tangent along x (1, 0, 0; 0, -c, 0).
    let (m, [a, b, c]) = (1.5, [0.3, 0.2, 0.1]);
    let free = Joint::new("free", JointKind::Floating);
    let model = build(vec![(0, LinkSpec::new("box").joint(free).inertia(Inertia::cuboid(m, [a, b, c])))]);
    let link = model.find_link("box").unwrap();
    let contact = ContactPoint::spatial(&model, link, [a, 0.0, -c], Z).unwrap().with_dimension(2);
    let mut dynamics = Dynamics::new(model);
    let i = m * (a * a + c * c) / 3.0;
    let w = dynamics.single_contact(&contact).unwrap().delassus;
    all_close(&w[0], &[1.0 / m + a * a / i, a * c / i, 0.0]);
    all_close(&w[1], &[a * c / i, 1.0 / m + c * c / i, 0.0]);
    assert_eq!(w[2], [0.0; 3]);
}

#[test]
fn world_alone_has_no_freedoms() {
    let model = ModelBuilder::new("nothing").build().unwrap();
    assert_eq!((model.nq(), model.nv()), (0, 0));
    let contact = ContactPoint::new(&model, LinkId::WORLD, [1.0, 2.0, 3.0], Z).unwrap();
    let mut dynamics = Dynamics::new(model);
    dynamics.set_state(&[], &[]).unwrap();
    assert_eq!(dynamics.kinetic_energy(), 0.0);
    assert_eq!(dynamics.contact_position(&contact), Vector::new(1.0, 2.0, 3.0));
    assert_eq!(dynamics.single_contact(&contact).unwrap().delassus, [[0.0; 3]; 3]);
    assert!(dynamics.forward_dynamics(&[]).unwrap().is_empty());
}
