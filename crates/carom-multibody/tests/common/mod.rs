//! Random mechanisms and their states.
#![allow(dead_code, reason = "each test binary uses its own part")]

pub mod cases;
pub mod dense;
pub mod refusals;
pub mod scales;

use std::sync::Arc;

use carom_multibody::{
    ContactPoint, Dynamics, Inertia, Joint, JointKind, LinkId, LinkSpec, Mimic, Model, ModelBuilder, Placement,
    Quaternion, Rotation, Symmetric, Vector, contact_basis,
};
use fastrand::Rng;
#[allow(unused_imports, reason = "each test binary uses its own part")]
pub use {cases::*, dense::*};

pub const JOINT_KINDS: [JointKind; 7] = [
    JointKind::Fixed,
    JointKind::Revolute,
    JointKind::Continuous,
    JointKind::Prismatic,
    JointKind::Planar,
    JointKind::Ball,
    JointKind::Floating,
];

/// Between -size and size.
pub fn spread(rng: &mut Rng, size: f64) -> f64 {
    size * (2.0 * rng.f64() - 1.0)
}

pub fn vector(rng: &mut Rng, size: f64) -> Vector {
    Vector::new(spread(rng, size), spread(rng, size), spread(rng, size))
}

pub fn numbers(rng: &mut Rng, count: usize, size: f64) -> Vec<f64> {
    (0..count).map(|_| spread(rng, size)).collect()
}

/// Log-uniform.
pub fn magnitude(rng: &mut Rng, low: f64, high: f64) -> f64 {
    (low.ln() + rng.f64() * (high.ln() - low.ln())).exp()
}

pub fn direction(rng: &mut Rng) -> Vector {
    loop {
        let v = vector(rng, 1.0);
        if v.norm() > 0.1 && v.norm() < 1.0 {
            return (1.0 / v.norm()) * v;
        }
    }
}

/// A coordinate axis, one sign or the other.
pub fn coordinate_axis(rng: &mut Rng) -> Vector {
    let mut axis = [0.0; 3];
    axis[rng.usize(..3)] = if rng.bool() { 1.0 } else { -1.0 };
    axis.into()
}

pub fn unit_quaternion(rng: &mut Rng) -> Quaternion {
    loop {
        let parts = [(); 4].map(|()| spread(rng, 1.0));
        let norm = parts.iter().map(|x| x * x).sum::<f64>().sqrt();
        if norm > 0.1 && norm < 1.0 {
            return Quaternion::from_array(parts.map(|x| x / norm));
        }
    }
}

pub fn rotation(rng: &mut Rng) -> Rotation {
    unit_quaternion(rng).to_rotation()
}

pub fn placement(rng: &mut Rng, size: f64) -> Placement {
    let rotation = match rng.u8(..4) {
        0 => Rotation::IDENTITY,
        1 => {
            let quarter = std::f64::consts::FRAC_PI_2;
            Rotation::from_rpy([(); 3].map(|()| f64::from(rng.i8(-2..=2)) * quarter))
        }
        _ => rotation(rng),
    };
    let translation = if rng.u8(..5) == 0 { Vector::ZERO } else { vector(rng, size) };
    Placement::new(rotation, translation)
}

/// A physically possible body: second moments of a positive density about its centre.
pub fn inertia(rng: &mut Rng) -> Inertia {
    let mass = magnitude(rng, 0.1, 10.0);
    let [a, b, c] = [(); 3].map(|()| mass * magnitude(rng, 0.05, 0.3).powi(2));
    let rotational = Symmetric::diagonal([b + c, a + c, a + b]).rotated(&rotation(rng));
    Inertia { mass, center: vector(rng, 0.3), rotational }
}

/// A model before it is built, from which variants can be derived.
#[derive(Debug, Clone)]
pub struct Sketch {
    pub gravity: Vector,
    /// The parent's index in this list from 1, or 0 for the world.
    pub links: Vec<(usize, LinkSpec)>,
}

/// The features that a sketch may have.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    pub links: usize,
    pub has_mimics: bool,
    pub has_armature: bool,
}

impl Options {
    pub const ALL: Self = Self { links: 20, has_mimics: true, has_armature: true };
    pub const FREE: Self = Self { has_mimics: false, ..Self::ALL };
}

impl Sketch {
    pub fn random(rng: &mut Rng, options: Options) -> Self {
        let count = 1 + rng.usize(..options.links);
        let mut links: Vec<(usize, LinkSpec)> = Vec::new();
        for i in 1..=count {
            let parent = match rng.u8(..20) {
                _ if i == 1 => 0,
                0..=2 => 0,
                3..=12 => i - 1,
                _ => rng.usize(1..i),
            };
            let mut spec = LinkSpec::new(format!("l{i}")).placed(placement(rng, 0.5)).inertia(inertia(rng));
            let is_at_root = parent == 0;
            let kinds: Vec<JointKind> = match rng.u8(..20) {
                0..=6 if is_at_root => vec![JointKind::Floating],
                0..=1 => vec![],
                2..=14 => vec![any_kind(rng)],
                15..=16 => (0..2).map(|_| single_kind(rng)).collect(),
                17 => (0..3).map(|_| single_kind(rng)).collect(),
                18 => vec![JointKind::Prismatic, JointKind::Ball],
                _ => vec![JointKind::Fixed, single_kind(rng), JointKind::Fixed, JointKind::Planar],
            };
            for (k, kind) in kinds.into_iter().enumerate() {
                let may_resist = options.has_armature && (kind != JointKind::Floating || is_at_root && k == 0);
                spec.joints.push(random_joint(rng, format!("j{i}.{k}"), kind, may_resist));
            }
            links.push((parent, spec));
        }
        // Some links that carry others have no mass of their own.
        for i in 1..=count {
            let velocities = |i: usize| links[i - 1].1.joints.iter().map(|joint| joint.kind.nv()).sum::<usize>();
            let carries = (i + 1..=count).any(|child| {
                links[child - 1].0 == i && links[child - 1].1.inertia.mass > 0.0 && velocities(child) <= 3
            });
            if carries && velocities(i) <= 2 && rng.u8(..4) == 0 {
                links[i - 1].1.inertia = Inertia::ZERO;
            }
        }
        let mut sketch = Self { gravity: if rng.bool() { vector(rng, 10.0) } else { [0.0, 0.0, -9.81].into() }, links };
        if options.has_mimics {
            sketch.couple(rng);
        }
        sketch
    }

    /// A tree of hinges about one direction and sliders normal to it.
    pub fn planar(rng: &mut Rng, normal: Vector) -> Self {
        let [_, one, two] = contact_basis(normal).expect("a direction");
        let mut sketch = Self { gravity: vector(rng, 10.0), links: Vec::new() };
        let count = 1 + rng.usize(..8);
        let mut turned = vec![Rotation::IDENTITY];
        for i in 1..=count {
            let parent = rng.usize(..i);
            let place = placement(rng, 0.5);
            let rotation = turned[parent] * place.rotation;
            turned.push(rotation);
            let angle = spread(rng, 3.0);
            let slide = angle.cos() * one + angle.sin() * two;
            let joint = match rng.u8(..3) {
                _ if i == 1 => Joint::new("j1", JointKind::Continuous).along(rotation.apply_inverse(normal)),
                0 => Joint::new(format!("j{i}"), JointKind::Prismatic).along(rotation.apply_inverse(slide)),
                1 => Joint::new(format!("j{i}"), JointKind::Planar).along(rotation.apply_inverse(-normal)),
                _ => Joint::new(format!("j{i}"), JointKind::Revolute).along(rotation.apply_inverse(normal)),
            };
            let spec = LinkSpec::new(format!("l{i}")).placed(place).inertia(inertia(rng));
            sketch.links.push((parent, spec.joint(joint.through(vector(rng, 0.4)))));
        }
        sketch
    }

    /// Lets some joints follow others, before or after them, on the same tree or not, directly or through others.
    fn couple(&mut self, rng: &mut Rng) {
        let mut singles: Vec<(usize, usize)> = Vec::new();
        for (i, (_, spec)) in self.links.iter().enumerate() {
            singles.extend((0..spec.joints.len()).filter(|&k| spec.joints[k].kind.is_single()).map(|k| (i, k)));
        }
        rng.shuffle(&mut singles);
        for place in 1..singles.len() {
            if rng.u8(..3) == 0 {
                let (i, k) = singles[rng.usize(..place)];
                let leader = self.links[i].1.joints[k].name.clone();
                let multiplier = if rng.bool() { magnitude(rng, 0.2, 2.0) } else { -magnitude(rng, 0.2, 2.0) };
                let (i, k) = singles[place];
                self.links[i].1.joints[k].mimic = Some(Mimic { leader, multiplier, offset: spread(rng, 1.0) });
            }
        }
    }

    pub fn build(&self) -> Model {
        let mut builder = ModelBuilder::new("random");
        builder.gravity(self.gravity);
        let mut ids = vec![LinkId::WORLD];
        for (parent, spec) in &self.links {
            ids.push(builder.link(ids[*parent], spec.clone()).expect("a sound link"));
        }
        builder.build().expect("a sound model")
    }

    /// The sketch with every joint free.
    pub fn without_mimics(&self) -> Self {
        let mut free = self.clone();
        for joint in free.links.iter_mut().flat_map(|(_, spec)| &mut spec.joints) {
            joint.mimic = None;
        }
        free
    }

    /// Everything, including gravity, in another frame.
    pub fn moved(&self, by: &Placement) -> Self {
        let mut moved = self.clone();
        moved.gravity = by.rotation.apply(self.gravity);
        for (_, spec) in moved.links.iter_mut().filter(|(parent, _)| *parent == 0) {
            spec.placement = *by * spec.placement;
        }
        moved
    }

    /// The joint that a joint ultimately follows: its name, and coordinate = multiplier · leader + offset.
    pub fn follows(&self, joint: &Joint) -> (String, f64, f64) {
        let Some(mimic) = &joint.mimic else { return (joint.name.clone(), 1.0, 0.0) };
        let mut joints = self.links.iter().flat_map(|(_, spec)| &spec.joints);
        let leader = joints.find(|joint| joint.name == mimic.leader).expect("the leader");
        let (name, multiplier, offset) = self.follows(leader);
        (name, mimic.multiplier * multiplier, mimic.multiplier * offset + mimic.offset)
    }

    /// A bound on the frequencies in a motion: the sum of all rates.
    pub fn frequency(&self, model: &Model, v: &[f64]) -> f64 {
        let rate = |joint: &carom_multibody::ModelJoint| {
            let (_, multiplier, _) = self.follows(&joint.joint);
            multiplier.abs() * v[joint.velocities.clone()].iter().map(|x| x.abs()).sum::<f64>()
        };
        1.0 + model.joints().iter().map(rate).sum::<f64>()
    }
}

fn single_kind(rng: &mut Rng) -> JointKind {
    [JointKind::Revolute, JointKind::Continuous, JointKind::Prismatic][rng.usize(..3)]
}

fn any_kind(rng: &mut Rng) -> JointKind {
    match rng.u8(..14) {
        0 => JointKind::Fixed,
        1..=4 => JointKind::Revolute,
        5..=6 => JointKind::Continuous,
        7..=8 => JointKind::Prismatic,
        9..=10 => JointKind::Planar,
        11..=12 => JointKind::Ball,
        _ => JointKind::Floating,
    }
}

pub fn random_joint(rng: &mut Rng, name: String, kind: JointKind, may_resist: bool) -> Joint {
    let axis = if rng.bool() { coordinate_axis(rng) } else { magnitude(rng, 0.1, 10.0) * direction(rng) };
    let anchor = if rng.u8(..5) < 2 { Vector::ZERO } else { vector(rng, 0.5) };
    let mut joint = Joint::new(name, kind).along(axis).through(anchor);
    if kind.is_single() && rng.bool() {
        joint.reference = spread(rng, 1.0);
    }
    if may_resist && rng.u8(..4) == 0 {
        joint.armature = magnitude(rng, 0.01, 1.0);
    }
    joint
}

/// A configuration, angles up to π.
pub fn configuration(model: &Model, rng: &mut Rng) -> Vec<f64> {
    let mut q = Vec::new();
    for joint in model.joints().iter().filter(|joint| joint.joint.mimic.is_none()) {
        assert_eq!(joint.coordinates.start, q.len());
        match joint.joint.kind {
            JointKind::Fixed => {}
            JointKind::Revolute | JointKind::Continuous => q.push(spread(rng, std::f64::consts::PI)),
            JointKind::Prismatic => q.push(spread(rng, 1.0)),
            JointKind::Planar => q.extend([spread(rng, 1.0), spread(rng, 1.0), spread(rng, 3.0)]),
            JointKind::Ball => q.extend(unit_quaternion(rng).to_array()),
            JointKind::Floating => {
                q.extend(numbers(rng, 3, 1.0));
                q.extend(unit_quaternion(rng).to_array());
            }
        }
    }
    assert_eq!(q.len(), model.nq());
    q
}

/// A model in a state, with the scales of errors.
pub struct Sample {
    pub sketch: Sketch,
    pub model: Arc<Model>,
    pub dynamics: Dynamics,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    /// M.
    pub mass: Rows,
    /// √Mᵢᵢ: velocities times it and forces over it are of one kind, √J.
    pub scale: Vec<f64>,
    /// Condition number of M scaled to a unit diagonal: the amplification of relative errors by M⁻¹.
    pub condition: f64,
}

/// Beyond this M is nearly singular, and the mechanism is not informative.
const CONDITION: f64 = 1e6;

impl Sample {
    pub fn random(rng: &mut Rng, options: Options) -> Self {
        for _ in 0..200 {
            let sketch = Sketch::random(rng, options);
            let model = sketch.build();
            let q = configuration(&model, rng);
            let speed = magnitude(rng, 0.1, 3.0);
            let v = numbers(rng, model.nv(), speed);
            let sample = Self::new(sketch, q, v);
            if sample.condition < CONDITION {
                return sample;
            }
        }
        panic!("no sound mechanism in 200");
    }

    pub fn new(sketch: Sketch, q: Vec<f64>, v: Vec<f64>) -> Self {
        let model = Arc::new(sketch.build());
        let mut dynamics = Dynamics::new(Arc::clone(&model));
        dynamics.set_state(&q, &v).expect("a sound state");
        let mass = rows(dynamics.mass_matrix());
        let scale: Vec<f64> = (0..mass.len()).map(|i| mass[i][i].sqrt()).collect();
        let condition = condition(&mass);
        Self { sketch, model, dynamics, q, v, mass, scale, condition }
    }

    pub fn nv(&self) -> usize {
        self.v.len()
    }

    /// The largest velocity in √J.
    pub fn velocity_size(&self, v: &[f64]) -> f64 {
        v.iter().zip(&self.scale).map(|(v, s)| (v * s).abs()).fold(0.0, f64::max)
    }

    /// The largest force in √J/s.
    pub fn force_size(&self, f: &[f64]) -> f64 {
        f.iter().zip(&self.scale).map(|(f, s)| (f / s).abs()).fold(0.0, f64::max)
    }

    /// Mass times lever of the bodies, the unit of forces of links.
    pub fn links(&self) -> impl Iterator<Item = LinkId> + '_ {
        self.model.joints().iter().map(|joint| joint.link)
    }

    /// A state on a curve through this one: along v, with v changing at the rate a.
    pub fn set_along(&mut self, a: &[f64], t: f64) {
        let mut q = vec![0.0; self.q.len()];
        self.model.integrate(&self.q, &self.v, t, &mut q).expect("a sound state");
        let v: Vec<f64> = self.v.iter().zip(a).map(|(v, a)| v + a * t).collect();
        self.dynamics.set_state(&q, &v).expect("a sound state");
    }

    pub fn reset(&mut self) {
        self.dynamics.set_state(&self.q, &self.v).expect("a sound state");
    }

    /// A step for [`derivative`]: a thirtieth of the shortest time scale of the motion.
    pub fn step(&self) -> f64 {
        0.03 / self.sketch.frequency(&self.model, &self.v)
    }
}

/// All links but the world.
pub fn moving_links(model: &Model) -> Vec<LinkId> {
    model.links()[1..].iter().map(|link| model.find_link(&link.name).expect("its own link")).collect()
}

/// Contacts on links of all kinds, including the world, some twice.
pub fn contacts(model: &Model, rng: &mut Rng, count: usize) -> Vec<ContactPoint> {
    let links = moving_links(model);
    (0..count)
        .map(|_| {
            let link = if rng.u8(..8) == 0 { LinkId::WORLD } else { links[rng.usize(..links.len())] };
            let normal = if rng.bool() { coordinate_axis(rng) } else { magnitude(rng, 1e-3, 1e3) * direction(rng) };
            let point = vector(rng, 0.5);
            let contact = if rng.bool() {
                ContactPoint::new(model, link, point, normal)
            } else {
                ContactPoint::spatial(model, link, point, normal)
            };
            contact.expect("a sound contact")
        })
        .collect()
}

/// The same contacts, some with fewer rows.
pub fn reduced(contacts: &[ContactPoint], rng: &mut Rng) -> Vec<ContactPoint> {
    contacts.iter().map(|contact| contact.with_dimension(1 + rng.usize(..4))).collect()
}

pub const X: Vector = Vector::new(1.0, 0.0, 0.0);
pub const Y: Vector = Vector::new(0.0, 1.0, 0.0);
pub const Z: Vector = Vector::new(0.0, 0.0, 1.0);

/// A link's momentum, its angular momentum about its centre, and its kinetic and potential energy, from the velocity
/// of its centre and the placement of its axes only.
pub struct Motion {
    pub velocity: Vector,
    pub momentum: Vector,
    pub spin: Vector,
    pub omega: Vector,
    pub kinetic: f64,
    pub potential: f64,
}

pub fn motion(dynamics: &mut Dynamics, link: LinkId) -> Motion {
    let inertia = dynamics.model().link(link).inertia;
    let gravity = dynamics.model().gravity();
    let placement = dynamics.placement(link);
    let (velocity, omega) = dynamics.point_velocity(link, inertia.center);
    let spin = placement.rotation.apply(inertia.rotational.apply(placement.rotation.apply_inverse(omega)));
    Motion {
        velocity,
        momentum: inertia.mass * velocity,
        spin,
        omega,
        kinetic: 0.5 * (inertia.mass * velocity.dot(velocity) + omega.dot(spin)),
        potential: -inertia.mass * gravity.dot(placement.apply(inertia.center)),
    }
}

/// Whether a joint between a link and the world can move.
pub fn is_moving(model: &Model, link: LinkId) -> bool {
    let mut next = Some(link);
    while let Some(id) = next {
        let link = model.link(id);
        if model.joints()[link.joints.clone()].iter().any(|joint| joint.joint.kind.nv() > 0) {
            return true;
        }
        next = link.parent;
    }
    false
}
