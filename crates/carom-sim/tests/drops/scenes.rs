//! Random robots above random surfaces, determined by a seed alone.

use std::f64::consts::PI;
use std::fmt::Write as _;
use std::sync::Arc;

use carom_law::{Coefficients, Friction, Guard, Restitution};
use carom_multibody::load::{self, Options};
use carom_multibody::{ContactPoint, Dynamics, HalfSpace, Model, Quaternion, Vector};
use carom_sim::{Settings, Setup, Surface, WatchedContact};
use fastrand::Rng;

/// A kind of dropped robot and surfaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    PlanarBox,
    PlanarRod,
    PlanarDisc,
    PlanarTree,
    SpatialBox,
    SpatialRod,
    Sphere,
    Cylinder,
    SpatialTree,
    Groove,
}

pub const FAMILIES: [Family; 10] = [
    Family::PlanarBox,
    Family::PlanarRod,
    Family::PlanarDisc,
    Family::PlanarTree,
    Family::SpatialBox,
    Family::SpatialRod,
    Family::Sphere,
    Family::Cylinder,
    Family::SpatialTree,
    Family::Groove,
];

impl Family {
    /// The family of a seed.
    pub fn of(seed: u64) -> Self {
        FAMILIES[(seed % FAMILIES.len() as u64) as usize]
    }
}

/// A part of a link that can touch: a point or a ball in its frame.
struct Feature {
    link: String,
    point: [f64; 3],
    radius: f64,
}

/// A robot as text, with its parts that can touch.
struct Robot {
    bodies: String,
    features: Vec<Feature>,
    is_planar: bool,
    /// Whether its base moves freely.
    is_free: bool,
}

/// The drop of a seed.
pub fn setup(seed: u64) -> Setup {
    // Adjacent seeds start with the same numbers.
    let mut rng = Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    rng.u64(..);
    let family = Family::of(seed);
    let size = log_uniform(&mut rng, 0.01, 2.0);
    let robot = robot(&mut rng, family, size);
    assemble(&mut rng, family, size, &robot)
}

fn uniform(rng: &mut Rng, low: f64, high: f64) -> f64 {
    low + (high - low) * rng.f64()
}

fn log_uniform(rng: &mut Rng, low: f64, high: f64) -> f64 {
    uniform(rng, low.ln(), high.ln()).exp()
}

fn chance(rng: &mut Rng, part: f64) -> bool {
    rng.f64() < part
}

fn unit_vector(rng: &mut Rng) -> [f64; 3] {
    let z = uniform(rng, -1.0, 1.0);
    let (sin, cos) = uniform(rng, 0.0, 2.0 * PI).sin_cos();
    let r = (1.0 - z * z).sqrt();
    [r * cos, r * sin, z]
}

fn robot(rng: &mut Rng, family: Family, size: f64) -> Robot {
    match family {
        Family::PlanarBox => body(rng, true, size, corners),
        Family::PlanarRod => {
            body(rng, true, size, |_, _, half| vec![([half[0], 0.0, 0.0], 0.0), ([-half[0], 0.0, 0.0], 0.0)])
        }
        Family::PlanarDisc => body(rng, true, size, |_, _, half| vec![([0.0; 3], half[0])]),
        Family::SpatialBox => body(rng, false, size, corners),
        Family::SpatialRod => body(rng, false, size, |rng, _, half| {
            let radius = if chance(rng, 0.5) { 0.0 } else { 0.3 * half[0] * rng.f64() };
            vec![([half[0], 0.0, 0.0], radius), ([-half[0], 0.0, 0.0], radius)]
        }),
        Family::Sphere => body(rng, false, size, |_, _, half| vec![([0.0; 3], half[0])]),
        Family::Cylinder => body(rng, false, size, |rng, _, half| {
            let count = rng.usize(3..=8);
            let at = |side: f64, k: usize| {
                let (sin, cos) = (2.0 * PI * k as f64 / count as f64).sin_cos();
                ([half[0] * cos, half[0] * sin, side * half[1]], 0.0)
            };
            (0..2 * count).map(|k| at(if k < count { 1.0 } else { -1.0 }, k)).collect()
        }),
        Family::PlanarTree => tree(rng, true, size),
        Family::SpatialTree => tree(rng, false, size),
        Family::Groove => match rng.usize(0..5) {
            0 => robot(rng, Family::PlanarBox, size),
            1 => robot(rng, Family::PlanarRod, size),
            2 => robot(rng, Family::PlanarDisc, size),
            3 => robot(rng, Family::SpatialBox, size),
            _ => robot(rng, Family::Sphere, size),
        },
    }
}

/// The corners of a box.
fn corners(_: &mut Rng, is_planar: bool, half: [f64; 3]) -> Vec<([f64; 3], f64)> {
    let sides: &[f64] = if is_planar { &[0.0] } else { &[-1.0, 1.0] };
    let mut corners = Vec::new();
    for x in [-1.0, 1.0] {
        for z in [-1.0, 1.0] {
            corners.extend(sides.iter().map(|y| ([x * half[0], y * half[1], z * half[2]], 0.0)));
        }
    }
    corners
}

/// Mass, centre and moments of a link of this size, realized by some mass distribution.
fn inertial(rng: &mut Rng, half: [f64; 3], keeps_center: bool) -> String {
    let mass = log_uniform(rng, 0.1, 10.0);
    let second = half.map(|h| mass * h * h * uniform(rng, 0.1, 0.8));
    let off = if keeps_center { 0.0 } else { 0.4 };
    let center = half.map(|h| uniform(rng, -off, off) * h);
    let [a, b, c] = second;
    format!(
        r#"<inertial pos="{} {} {}" mass="{mass}" diaginertia="{} {} {}"/>"#,
        center[0],
        center[1],
        center[2],
        b + c,
        a + c,
        a + b
    )
}

const PLANAR_BASE: &str = r#"<joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
    <joint name="pitch" type="hinge" axis="0 1 0"/>"#;

type Features = fn(&mut Rng, bool, [f64; 3]) -> Vec<([f64; 3], f64)>;

/// One body that moves freely.
fn body(rng: &mut Rng, is_planar: bool, size: f64, features: Features) -> Robot {
    let half = [1.0, uniform(rng, 0.1, 1.0), uniform(rng, 0.1, 1.0)].map(|part| part * size);
    let features = features(rng, is_planar, half);
    let keeps_center = chance(rng, 0.5);
    let inertial = inertial(rng, half, keeps_center);
    let base = if is_planar { PLANAR_BASE } else { "<freejoint/>" };
    Robot {
        bodies: format!(r#"<body name="base">{base}{inertial}</body>"#),
        features: (features.into_iter())
            .map(|(point, radius)| Feature { link: "base".into(), point, radius })
            .collect(),
        is_planar,
        is_free: true,
    }
}

/// Two to four links; each can touch with its end and, if it is the base, with its start.
fn tree(rng: &mut Rng, is_planar: bool, size: f64) -> Robot {
    let links = rng.usize(2..=4);
    let is_free = chance(rng, 0.7);
    let base = match (is_free, is_planar) {
        (true, true) => PLANAR_BASE.to_owned(),
        (true, false) => "<freejoint/>".to_owned(),
        (false, _) => joint(rng, 0, is_planar, size),
    };
    let (mut bodies, mut features) = (String::new(), Vec::new());
    let mut lengths = Vec::new();
    let is_chain = chance(rng, 0.6);
    for k in 0..links {
        let length = size * uniform(rng, 0.3, 1.0);
        let half = [0.5 * length, 0.1 * length, 0.1 * length];
        let (position, joints) = match k {
            0 => ([0.0; 3], base.clone()),
            _ => {
                let parent = if is_chain { k - 1 } else { 0 };
                ([lengths[parent], 0.0, 0.0], joint(rng, k, is_planar, size))
            }
        };
        let name = if k == 0 { "base".to_owned() } else { format!("link{k}") };
        let inertial = inertial(rng, half, false);
        let [x, y, z] = position;
        write!(bodies, r#"<body name="{name}" pos="{x} {y} {z}">{joints}{inertial}"#).unwrap();
        if k > 0 && !is_chain {
            bodies.push_str("</body>");
        }
        let radius = if chance(rng, 0.5) { 0.0 } else { 0.1 * length };
        features.push(Feature { link: name.clone(), point: [length, 0.0, 0.0], radius });
        if k == 0 && is_free {
            features.push(Feature { link: name, point: [-0.5 * length, 0.0, 0.0], radius });
        }
        lengths.push(length);
    }
    bodies.push_str(&"</body>".repeat(if is_chain { links } else { 1 }));
    Robot { bodies, features, is_planar, is_free }
}

/// A hinge or ball joint, with a spring, damping or limits, or without.
fn joint(rng: &mut Rng, k: usize, is_planar: bool, size: f64) -> String {
    let torque = 10.0 * size;
    let mut text = String::new();
    let is_ball = !is_planar && chance(rng, 0.3);
    if is_ball {
        write!(text, r#"<joint name="joint{k}" type="ball""#).unwrap();
    } else {
        let [x, y, z] = if is_planar { [0.0, 1.0, 0.0] } else { unit_vector(rng) };
        write!(text, r#"<joint name="joint{k}" type="hinge" axis="{x} {y} {z}""#).unwrap();
    }
    if chance(rng, 0.3) {
        let damping = torque * (size / 9.81).sqrt() * log_uniform(rng, 1e-3, 0.1);
        write!(text, r#" damping="{damping}""#).unwrap();
    }
    if !is_ball && chance(rng, 0.3) {
        let (stiffness, rest) = (torque * log_uniform(rng, 0.01, 1.0), uniform(rng, -0.5, 0.5));
        write!(text, r#" stiffness="{stiffness}" springref="{rest}""#).unwrap();
    }
    if !is_ball && chance(rng, 0.5) {
        let (low, high) = (uniform(rng, -1.5, -0.1), uniform(rng, 0.1, 1.5));
        write!(text, r#" limited="true" range="{low} {high}""#).unwrap();
    }
    text.push_str("/>");
    text
}

fn coefficients(rng: &mut Rng) -> Coefficients {
    let normal = if chance(rng, 0.25) { 0.0 } else { uniform(rng, 0.0, 0.9) };
    let tangential = if chance(rng, 0.25) { uniform(rng, -0.5, 0.9) } else { 0.0 };
    let restitution = match chance(rng, 0.05) {
        true => Restitution::hunt_crossley(uniform(rng, 0.0, 0.5)),
        false => Restitution::with_tangential(normal, tangential),
    };
    let dynamic = if chance(rng, 0.05) { 0.0 } else { uniform(rng, 0.0, 1.5) };
    let ratio = if chance(rng, 0.5) { 1.0 } else { uniform(rng, 1.0, 1.5) };
    let friction = Friction::with_static(ratio * dynamic, dynamic).unwrap();
    Coefficients { restitution: restitution.unwrap(), friction: (!chance(rng, 0.05)).then_some(friction) }
}

/// Normals of the surfaces: a floor, often level; or two surfaces that a body falls between.
fn normals(rng: &mut Rng, family: Family, is_planar: bool) -> Vec<[f64; 3]> {
    let tilted = |angle: f64, heading: f64| {
        let (sin, cos) = angle.sin_cos();
        [sin * heading.cos(), sin * heading.sin(), cos]
    };
    if family == Family::Groove {
        let (left, right) = (uniform(rng, 0.05, 1.3), uniform(rng, -1.3, 0.0));
        // Exactly level and upright faces are difficult special cases.
        let (left, right) = match rng.usize(0..4) {
            0 => (0.5 * PI, 0.0),
            1 => (left, -left),
            _ => (left, right),
        };
        return vec![tilted(left, 0.0), tilted(right, 0.0)];
    }
    let heading = if is_planar { 0.0 } else { uniform(rng, 0.0, 2.0 * PI) };
    let angle = if chance(rng, 0.5) { 0.0 } else { uniform(rng, -0.6, 0.6) };
    vec![tilted(angle, heading)]
}

fn assemble(rng: &mut Rng, family: Family, size: f64, robot: &Robot) -> Setup {
    let text =
        format!(r#"<mujoco model="drop"><compiler angle="radian"/><worldbody>{}</worldbody></mujoco>"#, robot.bodies);
    let model = load::text(&text, "drop.xml".as_ref(), &Options::default()).unwrap();
    let gravity = if chance(rng, 0.9) { 9.81 } else { log_uniform(rng, 1.0, 30.0) };
    let model = Arc::new(model.with_gravity([0.0, 0.0, -gravity]));
    let (configuration, velocity) = state(rng, &model, robot, size, gravity);
    let mut dynamics = Dynamics::new(Arc::clone(&model));
    dynamics.set_state(&configuration, &velocity).unwrap();

    let normals = normals(rng, family, robot.is_planar);
    let shared = coefficients(rng);
    let is_mixed = chance(rng, 0.2);
    let (mut surfaces, mut contacts) = (Vec::new(), Vec::new());
    for (s, normal) in normals.into_iter().enumerate() {
        let points: Vec<ContactPoint> = (robot.features.iter())
            .map(|feature| {
                let link = model.find_link(&feature.link).unwrap();
                match feature.radius {
                    0.0 => ContactPoint::new(&model, link, feature.point, normal).unwrap(),
                    radius => ContactPoint::ball(&model, link, feature.point, radius, normal).unwrap(),
                }
            })
            .collect();
        let normal = Vector::from(normal);
        let lowest =
            points.iter().map(|point| dynamics.contact_position(point).dot(normal)).fold(f64::INFINITY, f64::min);
        // Some start on the surface; a suspended robot can reach it.
        let farthest = if robot.is_free { 2.0 } else { 0.3 };
        let clearance = if chance(rng, 0.15) { 0.0 } else { uniform(rng, 0.0, farthest) * size };
        let half_space = HalfSpace::new((lowest - clearance) * normal, normal).unwrap();
        surfaces.push(Surface { name: format!("surface{s}"), half_space });
        for (k, point) in points.into_iter().enumerate() {
            let coefficients = if is_mixed { coefficients(rng) } else { shared };
            contacts.push(WatchedContact {
                name: format!("{k} on {s}"),
                point,
                surface: s,
                coefficients,
                enabled: None,
            });
        }
    }
    let until = uniform(rng, 2.0, 4.0);
    let restitution = if chance(rng, 0.3) { 0.0 } else { uniform(rng, 0.0, 0.9) };
    Setup {
        configuration,
        velocity,
        surfaces,
        contacts,
        pairs: Vec::new(),
        limits: Some(Restitution::new(restitution).unwrap()),
        guard: if chance(rng, 0.5) { Guard::Slip } else { Guard::Limit },
        // A power of two: the last sample is at the end, to the bit.
        settings: Settings { until, interval: Some(until / 64.0), ..Settings::default() },
        ..Setup::new(model)
    }
}

/// Orientation, joint angles, velocities; sometimes at rest, sometimes aligned with the world's axes.
fn state(rng: &mut Rng, model: &Model, robot: &Robot, size: f64, gravity: f64) -> (Vec<f64>, Vec<f64>) {
    let mut q = vec![0.0; model.nq()];
    let (speed, spin) = ((gravity * size).sqrt(), (gravity / size).sqrt());
    let v_factor = if chance(rng, 0.15) { 0.0 } else { uniform(rng, 0.0, 3.0) };
    let w_factor = if chance(rng, 0.25) { 0.0 } else { uniform(rng, 0.0, 5.0) };
    let mut v: Vec<f64> = (0..model.nv()).map(|_| uniform(rng, -0.5, 0.5) * w_factor * spin).collect();
    let mut first = 0;
    if robot.is_free && robot.is_planar {
        q[2] = if chance(rng, 0.2) { 0.5 * PI * f64::from(rng.u8(0..4)) } else { uniform(rng, -PI, PI) };
        v[..2].fill_with(|| uniform(rng, -1.0, 1.0) * v_factor * speed);
        v[2] = uniform(rng, -1.0, 1.0) * w_factor * spin;
        first = 3;
    } else if robot.is_free {
        let angle = if chance(rng, 0.2) { 0.5 * PI * f64::from(rng.u8(0..4)) } else { uniform(rng, -PI, PI) };
        let axis = if chance(rng, 0.3) { [0.0, 1.0, 0.0] } else { unit_vector(rng) };
        q[3..7].copy_from_slice(&Quaternion::about(Vector::from(axis), angle).to_array());
        v[..3].fill_with(|| uniform(rng, -1.0, 1.0) * v_factor * speed);
        v[3..6].fill_with(|| uniform(rng, -1.0, 1.0) * w_factor * spin);
        first = 7;
    }
    for joint in model.joints().iter().filter(|joint| joint.coordinates.start >= first) {
        match joint.coordinates.len() {
            4 => {
                let turn = Quaternion::about(Vector::from(unit_vector(rng)), uniform(rng, -1.5, 1.5));
                q[joint.coordinates.clone()].copy_from_slice(&turn.to_array());
            }
            _ => q[joint.coordinates.start] = uniform(rng, -0.1, 0.1),
        }
    }
    (q, v)
}
