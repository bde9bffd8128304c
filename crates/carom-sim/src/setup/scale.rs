//! What is large and what is small for a robot: the bounds that a simulation states.
//!
//! Every kinematic tree has a length of its own. A tree is what hangs together: the links that move with one link whose
//! parent is the world, or a link fixed to it. Its length L is the largest distance of a contact point or of a link's
//! centre of mass from the tree's centre of mass, at the start. Surfaces do not enter: one that is far away makes no
//! robot large. The bounds of a contact are those of its tree, and so are the units of a joint's coordinates.

use carom_multibody::{Dynamics, JointKind, LinkId, Model, Vector};

use crate::setup::watch::Watch;
use crate::setup::{Setup, WatchedContact};

/// Contacts nearer than this part of the length take part in an impact.
const NEAR: f64 = 1e-9;
/// Bounces lower than this part of the length are ended.
const SETTLED_HEIGHT: f64 = 1e-12;
/// Sliding slower than this part of the speed has no direction of its own, in space.
const SLOW: f64 = 1e-6;
/// The same over the tolerance. A step errs by that much: below it the direction of a sliding is noise, friction turns
/// with it, and the sliding neither stops nor goes anywhere, in steps as short as friction takes to turn it.
const RESOLVED: f64 = 10.0;
/// The largest part of the speed that a loose tolerance may so make slow.
const MOST_SLOW: f64 = 1e-3;
/// A speed below this part of the speed is rounding.
pub(crate) const TINY: f64 = 1e-13;
/// How deep a contact may start inside its surface.
const PENETRATION: f64 = 1e-7;
/// A length below this part of the distances from the origin that it is the difference of is rounding: a robot whose
/// only contact is at its centre of mass has no length.
const ROUNDING: f64 = 1e-12;
/// The length of a tree that has none, m.
const DEFAULT_LENGTH: f64 = 1.0;
/// The length of a joint that turns, rad, whatever the size of the robot.
const RADIAN: f64 = 1.0;
/// Energies are compared with at least this part of what the robot's weight does over its length: a robot that does not
/// move has none of its own.
const ENERGY_FLOOR: f64 = 1e-3;

/// Lengths, times, speeds and forces that count as large and small.
#[derive(Debug, Clone)]
pub(crate) struct Scales {
    /// L of the largest tree.
    pub(crate) length: f64,
    /// √(L / gravity) of the smallest tree: what can be told apart in time is its business.
    pub(crate) time: f64,
    /// Forces are judged against this where they are smaller. Were they judged against themselves, a single force that
    /// vanishes would fire events at its rounding.
    pub(crate) force: f64,
    /// Energies below this are rounding, where nothing moves.
    pub(crate) energy_floor: f64,
    /// Of each number of a state.
    pub(crate) state: Vec<f64>,
    /// The least part of its speed scale at which a contact's bounces are ended.
    pub(crate) settled_part: f64,
    contacts: Vec<ContactScales>,
}

/// The bounds of one contact. Those of a joint's limit are in the unit of its coordinate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ContactScales {
    /// The tree it belongs to; what does not move belongs to none.
    pub(crate) tree: Option<usize>,
    /// Of its tree.
    pub(crate) mass: f64,
    /// L of its tree; 1 rad for a limit that turns.
    pub(crate) length: f64,
    /// The larger of √(gravity L) and the fastest contact of its tree at the start.
    pub(crate) speed: f64,
    /// L / T².
    pub(crate) acceleration: f64,
    /// Gaps below this take part in an impact.
    pub(crate) near: f64,
    /// How deep it may start.
    pub(crate) penetration: f64,
    /// Bounces slower than this are ended.
    pub(crate) settled: f64,
    /// Sliding slower than this has no direction of its own, in space.
    pub(crate) slow: f64,
    /// A speed that is rounding.
    pub(crate) tiny: f64,
}

/// A kinematic tree at the start.
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
        // A state that the model refuses is found where the simulation begins; home serves until then.
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
        let limits = watch.limited_joints().map(of_limit);
        let contacts: Vec<ContactScales> = setup.contacts.iter().map(of_contact).chain(limits).collect();
        Self {
            length: trees.iter().map(|tree| tree.length).reduce(f64::max).unwrap_or(DEFAULT_LENGTH),
            time: trees.iter().map(|tree| tree.time).reduce(f64::min).unwrap_or(Tree::NONE.time),
            force: force.max(f64::MIN_POSITIVE),
            energy_floor: ENERGY_FLOOR * energy,
            state: places.into_iter().chain(rates).chain([energy; 3]).collect(),
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
    /// For what does not move.
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

/// The tree of each link, if it moves, and the trees.
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

/// The tree of some links.
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
    let length = if length > ROUNDING * far { length } else { DEFAULT_LENGTH };
    let gravity = model.gravity().norm();
    let fastest = contacts().map(|contact| dynamics.point_velocity(contact.point.link(), Vector::ZERO).0.norm());
    let speed = fastest.fold((gravity * length).sqrt(), f64::max);
    let speed = if speed > 0.0 { speed } else { 1.0 };
    let time = if gravity > 0.0 { (length / gravity).sqrt() } else { length / speed };
    Tree { mass, length, time, speed }
}

/// How many of a joint's numbers are lengths; they come first.
fn lengths_of(kind: JointKind) -> usize {
    match kind {
        JointKind::Prismatic => 1,
        JointKind::Planar => 2,
        JointKind::Floating => 3,
        JointKind::Fixed | JointKind::Revolute | JointKind::Continuous | JointKind::Ball => 0,
    }
}
