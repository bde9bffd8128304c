//! Warnings about motion that no contact limits: links without a contact that go below a surface, contacts that no impulse
//! can keep above it, and robots that fall without end.

use carom_multibody::{Candidate, CandidateOptions, JointKind, LinkId, Model, Rims, candidates};

use crate::setup::Setup;
use crate::simulation::Simulation;
use crate::simulation::motion::contact::Mode;

/// Depth of a link below a surface, relative to the length, above which it is reported.
const BELOW: f64 = 1e-6;
/// Distance of fall without a contact, relative to the length, above which it is reported.
const FALL: f64 = 100.0;

/// Links and trees still watched, and the warnings so far.
///
/// Invariant: links and trees that were reported are removed from `links` and `trees`, so that nothing is reported
/// twice; contacts that were reported stay in `reported`.
#[derive(Debug, Clone, Default)]
pub(crate) struct UnwatchedLinks {
    links: Vec<LinkAbove>,
    trees: Vec<FallingTree>,
    /// Contacts that touched where no impulse moves them along their normals.
    immobile: Vec<usize>,
    reported: Vec<usize>,
    pub(crate) warnings: Vec<String>,
}

/// A link that has not been seen below a surface.
#[derive(Debug, Clone)]
struct LinkAbove {
    link: LinkId,
    surface: usize,
    /// Features of its shapes that could touch, without a contact of the link there.
    outline: Vec<Candidate>,
    has_contact: bool,
}

/// A kinematic tree: all links that descend from one link attached to the world.
#[derive(Debug, Clone)]
struct FallingTree {
    root: LinkId,
    links: Vec<LinkId>,
    /// Contacts of its links with surfaces that face up.
    contacts: Vec<usize>,
    /// Initial position of its centre of mass along gravity.
    start: f64,
}

impl UnwatchedLinks {
    pub(crate) fn new(setup: &Setup) -> Self {
        let model = &setup.model;
        let mut links = Vec::new();
        for index in (0..model.links().len()).filter(|&index| model.is_moving(LinkId::from_index(index))) {
            let link = LinkId::from_index(index);
            let shapes = model.link(link).shapes.len();
            for (surface, half_space) in setup.surfaces.iter().map(|surface| surface.half_space).enumerate() {
                let body = body_of(model, link);
                let watches = |contact: &crate::WatchedContact| {
                    contact.surface == surface && body_of(model, contact.point.link()) == body
                };
                let has_contact = setup.contacts.iter().any(watches);
                let options = CandidateOptions { rims: Rims::Rolling };
                // Shapes without candidates are represented by the link's centre of mass.
                let of_shape = |shape| candidates(model, link, shape, &half_space, &options).unwrap_or_default();
                let outline = if has_contact { Vec::new() } else { (0..shapes).flat_map(of_shape).collect() };
                links.push(LinkAbove { link, surface, outline, has_contact });
            }
        }
        Self { links, trees: trees(setup), ..Self::default() }
    }

    /// Records a contact that touches where no impulse moves it along its normal: it is reported if it penetrates.
    pub(crate) fn note_immobile(&mut self, contact: usize) {
        if !self.immobile.contains(&contact) && !self.reported.contains(&contact) {
            self.immobile.push(contact);
        }
    }
}

/// The moving link that a link is fixed to, or the link itself.
fn body_of(model: &Model, mut link: LinkId) -> LinkId {
    let is_fixed = |link: LinkId| {
        model.joints()[model.link(link).joints.clone()].iter().all(|joint| joint.joint.kind == JointKind::Fixed)
    };
    while let Some(parent) = model.link(link).parent.filter(|_| is_fixed(link)) {
        link = parent;
    }
    link
}

fn trees(setup: &Setup) -> Vec<FallingTree> {
    let model = &setup.model;
    let root_of = |mut link: LinkId| {
        while let Some(parent) = model.link(link).parent.filter(|&parent| parent != LinkId::WORLD) {
            link = parent;
        }
        link
    };
    let moving = || (0..model.links().len()).map(LinkId::from_index).filter(|&link| model.is_moving(link));
    let mut roots: Vec<LinkId> = moving().map(root_of).collect();
    roots.dedup();
    let mut trees: Vec<FallingTree> = Vec::new();
    for root in roots {
        if trees.iter().any(|tree| tree.root == root) {
            continue;
        }
        let faces_up = |surface: usize| {
            let half_space = setup.surfaces.get(surface).map(|surface| surface.half_space);
            half_space.is_some_and(|half_space| half_space.normal.dot(model.gravity()) < 0.0)
        };
        let contacts = setup.contacts.iter().enumerate();
        let contacts =
            contacts.filter(|(_, contact)| root_of(contact.point.link()) == root && faces_up(contact.surface));
        trees.push(FallingTree {
            root,
            links: moving().filter(|&link| root_of(link) == root).collect(),
            contacts: contacts.map(|(k, _)| k).collect(),
            start: f64::NAN,
        });
    }
    trees
}

impl Simulation {
    /// Checks the state of the system. Each finding is reported once.
    pub(crate) fn check_below_surfaces(&mut self, time: f64) {
        let mut unwatched = std::mem::take(&mut self.unwatched);
        unwatched.links.retain(|above| match self.below(above, time) {
            // A link that starts there, for example below a table top, did not move there.
            Some(_) if time == 0.0 => false,
            Some(warning) => {
                unwatched.warnings.push(warning);
                false
            }
            None => true,
        });
        unwatched.trees.retain_mut(|tree| match self.falls_for_ever(tree, time) {
            Some(warning) => {
                unwatched.warnings.push(warning);
                false
            }
            None => true,
        });
        unwatched.immobile.retain(|&k| {
            let is_out = self.system.contacts[k].is_armed;
            let warning = if is_out { None } else { self.passes(k, time) };
            let is_kept = !is_out && warning.is_none();
            if let Some(warning) = warning {
                unwatched.warnings.push(warning);
                unwatched.reported.push(k);
            }
            is_kept
        });
        self.unwatched = unwatched;
    }

    /// A contact that penetrated because no impulse could move it along its normal when it touched.
    fn passes(&self, k: usize, time: f64) -> Option<String> {
        let contact = self.system.setup.contacts.get(k)?;
        let surface = self.system.setup.surfaces.get(contact.surface)?;
        let gap = self.system.dynamics.gap(&contact.point, &surface.half_space);
        if gap >= -BELOW * self.system.scales.length {
            return None;
        }
        let (contact, surface, time) = (&contact.name, &surface.name, crate::number::significant(time, 6));
        Some(format!(
            "contact {contact:?} is below surface {surface:?} at t = {time} s: no impulse moved it along the normal when it \
             touched, and it is not struck until it comes out"
        ))
    }

    fn below(&mut self, above: &LinkAbove, time: f64) -> Option<String> {
        let setup = &self.system.setup;
        let (link, surface) = (setup.model.link(above.link), &setup.surfaces[above.surface]);
        let bound = -BELOW * self.system.scales.length;
        let center = self.system.dynamics.placement(above.link).apply(link.inertia.center);
        let is_sunk = link.inertia.mass > 0.0 && surface.half_space.gap(center) < bound;
        let dynamics = &self.system.dynamics;
        let is_low = |one: &Candidate| dynamics.gap(&one.contact, &one.half_space) < bound;
        if !is_sunk && !above.outline.iter().any(is_low) {
            return None;
        }
        let (link, surface, time) = (&link.name, &surface.name, crate::number::significant(time, 6));
        Some(match above.has_contact {
            false => format!(
                "link {link:?} is below surface {surface:?} at t = {time} s and has no contact there: add one to stop it"
            ),
            true => format!(
                "the centre of mass of link {link:?} is below surface {surface:?} at t = {time} s: none of its contacts \
                 kept it above"
            ),
        })
    }

    fn falls_for_ever(&mut self, tree: &mut FallingTree, time: f64) -> Option<String> {
        let model = std::sync::Arc::clone(self.system.model());
        let gravity = model.gravity();
        let (mut mass, mut moment) = (0.0, 0.0);
        for &link in &tree.links {
            let inertia = &model.link(link).inertia;
            let center = self.system.dynamics.placement(link).apply(inertia.center);
            mass += inertia.mass;
            moment += inertia.mass * center.dot(gravity) / gravity.norm();
        }
        let low = moment / mass;
        if !low.is_finite() {
            return None;
        }
        if tree.start.is_nan() {
            tree.start = low;
        }
        let fallen = low - tree.start;
        if !(fallen > FALL * self.system.scales.length)
            || tree.contacts.iter().any(|&k| self.system.contacts[k].is_armed)
        {
            return None;
        }
        let holds = |k: usize| self.system.contacts[k].mode != Mode::Flight && self.system.watch.friction(k).is_none();
        if (0..self.system.contacts.len()).any(holds) {
            return None;
        }
        let (fallen, time) = (crate::number::significant(fallen, 3), crate::number::significant(time, 6));
        let root = &model.link(tree.root).name;
        Some(format!("link {root:?} falls without end: {fallen} m by t = {time} s; no contact can stop it"))
    }
}
