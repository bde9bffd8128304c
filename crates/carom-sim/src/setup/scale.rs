//! Length, time, speed and force scales of a robot, and the bounds of a simulation that follow from them.
//!
//! Each kinematic tree has its own length scale. A tree consists of all links that descend from one link whose parent
//! is the world, or a link fixed to the world. Its length L is the largest distance of a contact point or of a link's
//! centre of mass from the tree's centre of mass in the initial state; bodies of pairs count with their size. Surfaces do not enter: a distant surface does
//! not make a robot large. The bounds of a contact and the units of a joint's coordinates are those of its tree.

use std::iter::repeat_n;

use carom_multibody::{Dynamics, JointKind, LinkId, Model, Vector};

use crate::setup::pair::Pair;
use crate::setup::watch::Watch;
use crate::setup::{Setup, WatchedContact};

/// Gap, relative to the length, below which a contact takes part in an impact.
const NEAR: f64 = 1e-9;
/// Height of bounces, relative to the length, below which they are ended.
const SETTLED_HEIGHT: f64 = 1e-12;
/// Sliding speed in space, relative to the speed scale, below which its direction is undetermined.
const SLOW: f64 = 1e-6;
/// Multiple of the tolerance, that is of the error of a step, to which [`SLOW`] is raised. Below it the sliding
/// direction is noise and friction turns with it: the contact neither stops nor moves on, and the steps become as short
/// as the time in which friction turns it.
const RESOLVED: f64 = 10.0;
/// Upper bound of [`SLOW`] so raised, for loose tolerances.
const MOST_SLOW: f64 = 1e-3;
/// Speed, relative to the speed scale, that counts as rounding.
pub(crate) const TINY: f64 = 1e-13;
/// Depth, relative to the length, up to which a contact may start inside its surface.
const PENETRATION: f64 = 1e-7;
/// A length counts as rounding below this fraction of the distances from the origin that it is the difference of: a
/// robot whose only contact is at its centre of mass has no length.
const ROUNDING: f64 = 1e-12;
/// Length scale of a tree without extent, m.
const DEFAULT_LENGTH: f64 = 1.0;
/// Length scale of a revolute coordinate, rad, independent of the robot's size.
const RADIAN: f64 = 1.0;
/// Lower bound of the energy scale, relative to the work of the robot's weight over its length: a robot at rest has no
/// energy scale of its own.
const ENERGY_FLOOR: f64 = 1e-3;

/// Length, time, speed and force scales.
#[derive(Debug, Clone)]
pub(crate) struct Scales {
    /// L of the largest tree.
    pub(crate) length: f64,
    /// √(L / gravity) of the smallest tree, whose events are closest in time.
    pub(crate) time: f64,
    /// Lower bound of the scale that forces are compared with. Without it, rounding of a single force that vanishes
    /// would trigger events.
    pub(crate) force: f64,
    /// Lower bound of the energy scale, for a robot at rest.
    pub(crate) energy_floor: f64,
    /// Scale of each entry of the state.
    pub(crate) state: Vec<f64>,
    /// Smallest ratio of settling speed to speed scale among the contacts.
    pub(crate) settled_part: f64,
    contacts: Vec<ContactScales>,
}

/// The bounds of one contact; for a joint limit, in the unit of its coordinate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ContactScales {
    /// The tree it belongs to; `None` if it cannot move.
    pub(crate) tree: Option<usize>,
    /// Mass of its tree.
    pub(crate) mass: f64,
    /// L of its tree; 1 rad for a limit of a revolute joint.
    pub(crate) length: f64,
    /// The larger of √(gravity L) and the largest initial contact speed of its tree.
    pub(crate) speed: f64,
    /// L / T².
    pub(crate) acceleration: f64,
    /// Gap below which it takes part in an impact.
    pub(crate) near: f64,
    /// Largest initial depth.
    pub(crate) penetration: f64,
    /// Speed below which its bounces are ended.
    pub(crate) settled: f64,
    /// Sliding speed in space below which its direction is undetermined.
    pub(crate) slow: f64,
    /// Speed that counts as rounding.
    pub(crate) tiny: f64,
}

/// Scales of a kinematic tree in the initial state.
#[derive(Debug, Clone, Copy)]
struct Tree {
    mass: f64,
    length: f64,
    time: f64,
    speed: f64,
}

impl Scales {
    pub(crate) fn new(setup: &Setup, watch: &Watch) -> Self {
        let model = &setup.model;
        let mut dynamics = Dynamics::new(model.clone());
        // A state that the model rejects is reported when the simulation starts; the scales then are those of the home
        // configuration.
        let _ = dynamics.set_state(&setup.configuration, &setup.velocity);
        let tolerance = setup.settings.tolerance;
        let (tree_of, trees) = trees(setup, &mut dynamics);
        let of_link = |link: LinkId| tree_of[link.index()].map_or(Tree::NONE, |tree| trees[tree]);

        let acceleration = |tree: &Tree| tree.length / (tree.time * tree.time);
        let energy = trees.iter().map(|tree| tree.mass * acceleration(tree) * tree.length).sum::<f64>();
        let energy = energy.max(dynamics.kinetic_energy());
        let energy = if energy > 0.0 { energy } else { 1.0 };
        let force = trees.iter().map(|tree| tree.mass * acceleration(tree)).sum::<f64>();

        let (mut places, mut rates) = (Vec::new(), Vec::new());
        for joint in model.joints().iter().filter(|joint| joint.joint.mimic.is_none()) {
            let tree = of_link(joint.link);
            let lengths = lengths_of(joint.joint.kind);
            let unit = |k: usize| if k < lengths { tree.length } else { 1.0 };
            places.extend((0..joint.coordinates.len()).map(unit));
            rates.extend((0..joint.velocities.len()).map(|k| unit(k) / tree.time));
        }
        let on_tree = |link: LinkId, bounds| ContactScales { tree: tree_of[link.index()], ..bounds };
        let of_contact = |contact: &WatchedContact| {
            let link = contact.point.link();
            on_tree(link, of_link(link).bounds(tolerance))
        };
        let of_limit = |joint: usize| {
            let joint = &model.joints()[joint];
            let tree = of_link(joint.link);
            let tree = if lengths_of(joint.joint.kind) > 0 { tree } else { tree.with_length(RADIAN) };
            on_tree(joint.link, tree.bounds(tolerance))
        };
        // Of two moving bodies the smaller determines the length scale, and the faster the speed scale.
        let of_pair = |pair: &Pair| {
            let links = pair.bodies.sides.iter().map(|side| side.link);
            let moving: Vec<LinkId> = links.filter(|link| tree_of[link.index()].is_some()).collect();
            let smaller = |one: &LinkId, other: &LinkId| of_link(*one).length.total_cmp(&of_link(*other).length);
            let Some(&link) = moving.iter().min_by(|one, other| smaller(one, other)) else {
                return Tree::NONE.bounds(tolerance);
            };
            let speed = moving.iter().map(|link| of_link(*link).speed).fold(0.0, f64::max);
            on_tree(link, Tree { speed, ..of_link(link) }.bounds(tolerance))
        };
        let limits = watch.limited_joints().map(of_limit);
        // Dry friction of a joint has the scales of a limit of that joint.
        let frictions = watch.frictions().iter().map(|friction| of_limit(friction.joint));
        let pairs = watch.pairs.iter().map(of_pair);
        let contacts: Vec<ContactScales> =
            setup.contacts.iter().map(of_contact).chain(limits).chain(frictions).chain(pairs).collect();
        Self {
            length: trees.iter().map(|tree| tree.length).reduce(f64::max).unwrap_or(DEFAULT_LENGTH),
            time: trees.iter().map(|tree| tree.time).reduce(f64::min).unwrap_or(Tree::NONE.time),
            force: force.max(f64::MIN_POSITIVE),
            energy_floor: ENERGY_FLOOR * energy,
            state: places.into_iter().chain(rates).chain(repeat_n(energy, watch.work_count())).collect(),
            settled_part: contacts.iter().fold(1.0, |least, scales| least.min(scales.settled / scales.speed)),
            contacts,
        }
    }

    /// The bounds of a contact.
    pub(crate) fn of(&self, contact: usize) -> &ContactScales {
        &self.contacts[contact]
    }
}

impl Tree {
    /// Scales of contacts that cannot move.
    const NONE: Self = Self { mass: 0.0, length: DEFAULT_LENGTH, time: 1.0, speed: 1.0 };

    fn with_length(self, length: f64) -> Self {
        Self { length, speed: self.speed * length / self.length, ..self }
    }

    fn bounds(&self, tolerance: f64) -> ContactScales {
        let Self { mass, length, time, speed } = *self;
        let acceleration = length / (time * time);
        ContactScales {
            tree: None,
            mass,
            length,
            speed,
            acceleration,
            near: NEAR * length,
            penetration: PENETRATION * length,
            settled: (2.0 * acceleration * SETTLED_HEIGHT * length).sqrt(),
            slow: SLOW.max((RESOLVED * tolerance).min(MOST_SLOW)) * speed,
            tiny: TINY * speed,
        }
    }
}

/// The tree of each link, if it can move, and all trees.
fn trees(setup: &Setup, dynamics: &mut Dynamics) -> (Vec<Option<usize>>, Vec<Tree>) {
    let model: &Model = &setup.model;
    let mut tree_of: Vec<Option<usize>> = Vec::with_capacity(model.links().len());
    let mut count = 0;
    for (i, link) in model.links().iter().enumerate() {
        let parent = link.parent.and_then(|parent| tree_of[parent.index()]);
        let tree = match (model.is_moving(LinkId::from_index(i)), parent) {
            (false, _) => None,
            (true, Some(parent)) => Some(parent),
            (true, None) => {
                count += 1;
                Some(count - 1)
            }
        };
        tree_of.push(tree);
    }
    let trees = (0..count).map(|tree| measure(setup, dynamics, |link| tree_of[link.index()] == Some(tree))).collect();
    (tree_of, trees)
}

/// The scales of the tree formed by the given links.
fn measure(setup: &Setup, dynamics: &mut Dynamics, is_here: impl Fn(LinkId) -> bool) -> Tree {
    let model: &Model = &setup.model;
    let links: Vec<(f64, Vector)> = (0..model.links().len())
        .map(LinkId::from_index)
        .filter(|link| is_here(*link))
        .map(|link| {
            let inertia = &model.link(link).inertia;
            (inertia.mass, dynamics.placement(link).apply(inertia.center))
        })
        .collect();
    let mass: f64 = links.iter().map(|(mass, _)| mass).sum();
    let moment = links.iter().fold(Vector::ZERO, |sum, (mass, center)| sum + *mass * *center);
    let center = if mass > 0.0 { (1.0 / mass) * moment } else { links.first().map_or(Vector::ZERO, |link| link.1) };
    let contacts = || setup.contacts.iter().filter(|contact| is_here(contact.point.link()));
    let masses = links.iter().filter(|(mass, _)| *mass > 0.0).map(|(_, center)| *center);
    let points = masses.chain(contacts().map(|contact| dynamics.contact_position(&contact.point)));
    let (mut length, mut far) = (0.0_f64, center.norm());
    for point in points {
        length = length.max((point - center).norm());
        far = far.max(point.norm());
    }
    let sides = || setup.pairs.iter().flat_map(|pair| &pair.bodies.sides).filter(|side| is_here(side.link));
    for side in sides() {
        let place = dynamics.placement(side.link).apply(side.placement.translation);
        length = length.max((place - center).norm() + side.solid.reach());
        far = far.max(place.norm());
    }
    let length = if length > ROUNDING * far { length } else { DEFAULT_LENGTH };
    let gravity = model.gravity().norm();
    let of_sides = sides().map(|side| side.link).collect::<Vec<_>>();
    let links = contacts().map(|contact| contact.point.link()).chain(of_sides);
    let fastest = links.map(|link| dynamics.point_velocity(link, Vector::ZERO).0.norm());
    let speed = fastest.fold((gravity * length).sqrt(), f64::max);
    let speed = if speed > 0.0 { speed } else { 1.0 };
    let time = if gravity > 0.0 { (length / gravity).sqrt() } else { length / speed };
    Tree { mass, length, time, speed }
}

/// The number of a joint's coordinates that are lengths; these come first.
fn lengths_of(kind: JointKind) -> usize {
    match kind {
        JointKind::Prismatic => 1,
        JointKind::Planar => 2,
        JointKind::Floating => 3,
        JointKind::Fixed | JointKind::Revolute | JointKind::Continuous | JointKind::Ball => 0,
    }
}
