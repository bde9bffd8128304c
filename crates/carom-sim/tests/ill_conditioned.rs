//! Robots whose contact has an ill-conditioned W, compared with the same problem given as matrices and with closed
//! forms.

use carom_law::{Coefficients, Friction, GeneralizedContact, Guard, Law, MatrixView, Mode, Outcome, Restitution};
use carom_multibody::{
    ContactPoint, Contacts, Dynamics, Inertia, Joint, JointKind, LinkId, LinkSpec, Mimic, Model, ModelBuilder,
};
use fastrand::Rng;

fn coefficients(e: f64, mu: f64) -> Coefficients {
    Coefficients::new(Restitution::new(e).unwrap(), Friction::new(mu).unwrap())
}

fn turning(name: &str, axis: [f64; 3]) -> Joint {
    Joint::new(name, JointKind::Revolute).along(axis).through([0.0; 3])
}

fn sliding(name: &str, axis: [f64; 3]) -> Joint {
    Joint::new(name, JointKind::Prismatic).along(axis).through([0.0; 3])
}

/// The same impact, computed from M, A and q̇⁻.
fn by_matrices(
    dynamics: &mut Dynamics,
    contact: &ContactPoint,
    coefficients: &Coefficients,
    guard: Guard,
) -> carom_law::Result<Outcome> {
    let mut contacts = Contacts::new(dynamics.model(), &[*contact]);
    dynamics.contact_terms(&mut contacts).unwrap();
    let (a, n) = (contacts.jacobian(), dynamics.velocity().len());
    let a = MatrixView::row_major(a.rows(), a.columns(), a.as_slice());
    let velocity = dynamics.velocity().to_vec();
    let m = MatrixView::row_major(n, n, dynamics.mass_matrix().as_slice());
    GeneralizedContact::new(m, a, &velocity)?.impact(coefficients, guard)
}

fn largest(numbers: impl IntoIterator<Item = f64>) -> f64 {
    numbers.into_iter().fold(0.0, |largest, x| x.abs().max(largest))
}

/// The largest difference, relative to the largest number.
fn difference(found: &[f64], expected: &[f64]) -> f64 {
    largest(found.iter().zip(expected).map(|(a, b)| a - b)) / largest(expected.iter().copied())
}

/// A wheel of spokes that rolls in a plane, with almost all of its mass at the hub.
fn rimless_wheel(inertia: f64) -> (Model, LinkId) {
    let mut builder = ModelBuilder::new("rimless wheel");
    let x = LinkSpec::new("x").joint(sliding("x", [1.0, 0.0, 0.0]));
    let x = builder.link(LinkId::WORLD, x).unwrap();
    let z = builder.link(x, LinkSpec::new("z").joint(sliding("z", [0.0, 0.0, 1.0]))).unwrap();
    let mut hub = Inertia::point(2.0, [0.0; 3]);
    hub.rotational = carom_multibody::Symmetric::diagonal([inertia; 3]);
    let wheel = LinkSpec::new("wheel").joint(turning("pitch", [0.0, 1.0, 0.0])).inertia(hub);
    let wheel = builder.link(z, wheel).unwrap();
    (builder.build().unwrap(), wheel)
}

/// W has a condition number of 1e9: its largest eigenvalue is 1/m + l²/J across the spoke, its smallest 1/m along it.
#[test]
fn a_rimless_wheel_keeps_its_angular_momentum_about_the_spoke_that_strikes() {
    let (mass, length, inertia) = (2.0, 1.0, 2e-9);
    let (model, wheel) = rimless_wheel(inertia);
    let half = 0.3_f64;
    let spoke = [length * half.sin(), 0.0, -length * half.cos()];
    let contact = ContactPoint::new(&model, wheel, spoke, [0.0, 0.0, 1.0]).unwrap();
    assert_eq!(contact.dimension(), 2);
    let mut dynamics = Dynamics::new(model);
    // It has rolled about the last spoke, which was at the same angle behind.
    let rate = 1.5;
    let velocity = [rate * length * half.cos(), -rate * length * half.sin(), rate];
    dynamics.set_state(&[0.0; 3], &velocity).unwrap();
    // About the contact, r = -spoke from there to the hub: J ω + m (r_z v_x - r_x v_z).
    let [r_x, r_z] = [-spoke[0], -spoke[2]];
    let momentum = inertia * rate + mass * (r_z * velocity[0] - r_x * velocity[1]);
    let after = momentum / (inertia + mass * (r_x * r_x + r_z * r_z));
    let expected = [after * r_z, -after * r_x, after];
    for law in [None, Some(Law::Aghili)] {
        let (mut found, coefficients) = ([0.0; 3], coefficients(0.0, 0.5));
        let outcome = match law {
            None => carom_sim::strike(&mut dynamics, &contact, &coefficients, Guard::Report, &mut found),
            Some(law) => carom_sim::strike_with(law, &mut dynamics, &contact, &coefficients, Guard::Report, &mut found),
        };
        let outcome = outcome.unwrap();
        assert_eq!(outcome.mode, Mode::Stick);
        assert!(difference(&found, &expected) < 1e-13, "{found:?} {expected:?}");
        let condition = outcome.condition.unwrap();
        assert!(condition.delassus > 1e8 && condition.delassus < 1e10, "{condition:?}");
        assert!(condition.mass_matrix < 1.1, "{condition:?}");
        // Along the spoke, the impulse is that which changes the direction of the hub's velocity.
        let impulse = [mass * (expected[0] - velocity[0]), mass * (expected[1] - velocity[1])];
        let [normal, tangential] = outcome.impulse[..] else { panic!() };
        assert!(difference(&[tangential, normal], &impulse) < 1e-11, "{:?} {impulse:?}", outcome.impulse);
    }
}

/// Robots with a contact that moves freely in some directions and hardly in others.
#[derive(Debug, Clone, Copy)]
enum Family {
    /// A limb of one or two hinges on a body that is 1e8 to 1e10 times as heavy.
    HeavyBody,
    /// A limb on a heavy body, with a hinge that follows another.
    Follower,
    /// A leg of two links below a hip of two hinges, its knee almost straight.
    StraightLeg,
}

const FAMILIES: [Family; 3] = [Family::HeavyBody, Family::Follower, Family::StraightLeg];

fn direction(rng: &mut Rng) -> [f64; 3] {
    loop {
        let v = [0; 3].map(|_| 2.0 * rng.f64() - 1.0);
        let size = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        if (0.2..1.0).contains(&size) {
            return v.map(|x| x / size);
        }
    }
}

/// A cuboid about a centre.
fn body(rng: &mut Rng, mass: f64, center: [f64; 3]) -> Inertia {
    let mut inertia = Inertia::cuboid(mass, [0; 3].map(|_| 0.2 + 0.4 * rng.f64()));
    inertia.center = center.into();
    inertia
}

/// A robot in a state in which its contact approaches; `ratio` is about the condition number of W.
fn robot(family: Family, ratio: f64, rng: &mut Rng) -> (Dynamics, ContactPoint) {
    let mut builder = ModelBuilder::new("robot");
    let down = |rng: &mut Rng| [0.2 * rng.f64(), 0.2 * rng.f64(), -0.5 - 0.2 * rng.f64()];
    let mut coordinates = Vec::new();
    let (foot, point) = match family {
        Family::HeavyBody | Family::Follower => {
            let mass = 0.3 * ratio;
            let trunk = LinkSpec::new("trunk").joint(Joint::new("free", JointKind::Floating));
            let mut link = builder.link(LinkId::WORLD, trunk.inertia(body(rng, mass, [0.0; 3]))).unwrap();
            let turn = direction(rng);
            let half = rng.f64();
            coordinates.extend([0.1, 0.2, 0.3, half.cos()]);
            coordinates.extend(turn.map(|x| half.sin() * x));
            let hinges = if matches!(family, Family::Follower) { 2 } else { rng.usize(1..3) };
            for k in 0..hinges {
                let mut joint = Joint::new(format!("hinge {k}"), JointKind::Revolute)
                    .along(direction(rng))
                    .through([0; 3].map(|_| rng.f64() - 0.5));
                if k == 1 && matches!(family, Family::Follower) {
                    joint.mimic = Some(Mimic { leader: "hinge 0".into(), multiplier: 0.7, offset: 0.1 });
                } else {
                    coordinates.push(2.0 * rng.f64() - 1.0);
                }
                let center = direction(rng).map(|x| 0.4 * x);
                let (name, mass) = (format!("limb {k}"), 0.5 + rng.f64());
                link = builder.link(link, LinkSpec::new(name).joint(joint).inertia(body(rng, mass, center))).unwrap();
            }
            (link, direction(rng))
        }
        Family::StraightLeg => {
            let yaw = LinkSpec::new("hip").joint(turning("yaw", direction(rng)));
            let hip = builder.link(LinkId::WORLD, yaw.inertia(body(rng, 1.0, [0.1, 0.0, -0.1]))).unwrap();
            let center = down(rng);
            let thigh = LinkSpec::new("thigh").joint(turning("pitch", [0.0, 1.0, 0.0]));
            let thigh = builder.link(hip, thigh.inertia(body(rng, 1.5, center))).unwrap();
            let knee = Joint::new("knee", JointKind::Revolute).along([0.0, 1.0, 0.0]).through([0.0, 0.0, -1.0]);
            let mass = 0.5 + rng.f64();
            let shank = LinkSpec::new("shank").joint(knee).inertia(body(rng, mass, [0.05, 0.0, -0.4]));
            let shank = builder.link(thigh, shank).unwrap();
            coordinates.extend([2.0 * rng.f64() - 1.0, 2.0 * rng.f64() - 1.0, 1.0 / ratio.sqrt()]);
            (shank, [0.0, 0.0, -0.9])
        }
    };
    let model = builder.build().unwrap();
    let contact = ContactPoint::new(&model, foot, point, direction(rng)).unwrap();
    assert!(model.normalize(&mut coordinates));
    let mut velocity: Vec<f64> = (0..model.nv()).map(|_| 2.0 * rng.f64() - 1.0).collect();
    let mut dynamics = Dynamics::new(model);
    dynamics.set_state(&coordinates, &velocity).unwrap();
    if dynamics.single_contact(&contact).unwrap().velocity[0] > 0.0 {
        velocity.iter_mut().for_each(|v| *v = -*v);
        dynamics.set_state(&coordinates, &velocity).unwrap();
    }
    (dynamics, contact)
}

#[test]
fn robots_keep_the_digits_that_their_matrices_keep() {
    for family in FAMILIES {
        let mut rng = Rng::with_seed(11);
        let (mut errors, mut modes) = (Vec::new(), [0; 4]);
        while errors.len() < 2000 {
            let ratio = 10.0_f64.powf(8.0 + 2.0 * rng.f64());
            let (mut dynamics, contact) = robot(family, ratio, &mut rng);
            let coefficients = coefficients(rng.f64(), 0.1 + 0.9 * rng.f64());
            let guard = [Guard::Report, Guard::Limit, Guard::Slip][rng.usize(..3)];
            let mut after = vec![0.0; dynamics.velocity().len()];
            let expected = by_matrices(&mut dynamics, &contact, &coefficients, guard).unwrap();
            let condition = expected.condition.unwrap();
            let in_range = condition.delassus > 1e8 && condition.delassus < 1e10;
            if condition.mass_matrix > 1e3 || !in_range {
                continue;
            }
            let found = carom_sim::strike(&mut dynamics, &contact, &coefficients, guard, &mut after)
                .unwrap_or_else(|error| panic!("{family:?} {}: {error}", errors.len()));
            assert_eq!(found.mode, expected.mode, "{family:?} {}", errors.len());
            let told = found.condition.unwrap();
            assert!((told.delassus / condition.delassus - 1.0).abs() < 1e-6, "{told:?} {condition:?}");
            modes[found.mode as usize] += 1;
            errors.push(difference(&after, &expected.velocity.unwrap()));
        }
        errors.sort_by(f64::total_cmp);
        let [median, worst] = [errors.len() / 2, errors.len() - 1].map(|k| errors[k]);
        println!(
            "{family:?}: median {median:.1e}, 99% {:.1e}, worst {worst:.1e}, {modes:?}",
            errors[errors.len() * 99 / 100]
        );
        assert!(median <= 1e-11 && worst <= 1e-9, "{family:?}: {median:e} {worst:e}");
    }
}

/// Beyond 1e13, the smallest eigenvalue of W is lost in rounding: a velocity was then reported to lie outside its
/// range.
#[test]
fn no_leg_is_too_straight() {
    let mut rng = Rng::with_seed(12);
    for case in 0..2000 {
        let ratio = 10.0_f64.powf(4.0 + 14.0 * rng.f64());
        let (mut dynamics, contact) = robot(Family::StraightLeg, ratio, &mut rng);
        let coefficients = coefficients(rng.f64(), 0.1 + 0.9 * rng.f64());
        let mut after = vec![0.0; dynamics.velocity().len()];
        let outcome =
            carom_sim::strike_with(Law::Aghili, &mut dynamics, &contact, &coefficients, Guard::Slip, &mut after)
                .unwrap_or_else(|error| panic!("{case}, {ratio:e}: {error}"));
        let expected = by_matrices(&mut dynamics, &contact, &coefficients, Guard::Slip).unwrap();
        let condition = expected.condition.unwrap().delassus;
        // The two condition numbers use different norms.
        assert!(if outcome.condition.is_some() { condition > 5e5 } else { condition < 1e8 }, "{condition:e}");
        let error = difference(&after, &expected.velocity.unwrap());
        assert!(error <= 1e-11 + 1e-14 * condition.sqrt(), "{case}, {ratio:e}: {error:e} {condition:e}");
    }
}
