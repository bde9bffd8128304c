//! The tree of bodies, and the model it makes.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use super::actuator::Rotor;
use super::body::{Contents, Scope, Scoped, Unfolder};
use super::class::{Classes, Stated};
use super::geom::Geom;
use super::inertial::Principal;
use super::mesh::Meshes;
use super::notes::{Notes, check_attributes};
use super::pose::Pose;
use super::settings::{FromGeoms, Settings, choice, truth};
use super::source::{Part, Sources};
use super::{joint, site};
use crate::load::{LoadError, LoadErrorKind, xml};
use crate::{Inertia, Joint, JointKind, LinkId, LinkSpec, ModelBuilder, Placement, Shape, WarningKind};

const KNOWN: &str = "axisangle childclass euler fuse gravcomp mocap name pos quat simple sleep user xyaxes zaxis";

/// A link before all names and masses are known.
struct Draft<'a> {
    part: Part<'a>,
    parent: usize,
    name: Option<String>,
    placement: Placement,
    joints: Vec<(Option<String>, Joint)>,
    inertia: Inertia,
    shapes: Vec<Shape>,
    /// Whether it or a link below it can move relative to the world.
    moves: bool,
}

/// Builds the tree of bodies.
pub(super) struct Tree<'s, 'a> {
    pub(super) sources: &'s Sources<'a>,
    pub(super) settings: &'s Settings,
    pub(super) classes: &'s Classes<'a>,
    pub(super) meshes: Meshes<'a>,
    pub(super) rotors: HashMap<&'a str, Rotor<'a>>,
    /// Geoms that a `<pair>` names.
    pub(super) paired: HashSet<&'a str>,
    pub(super) notes: Notes,
    steps: Cell<usize>,
    links: Vec<Draft<'a>>,
    sites: Vec<(Part<'a>, String, usize, Placement)>,
}

impl<'s, 'a> Tree<'s, 'a> {
    pub(super) fn new(
        sources: &'s Sources<'a>,
        settings: &'s Settings,
        classes: &'s Classes<'a>,
        meshes: Meshes<'a>,
        rotors: HashMap<&'a str, Rotor<'a>>,
        paired: HashSet<&'a str>,
        notes: Notes,
    ) -> Self {
        Self {
            sources,
            settings,
            classes,
            meshes,
            rotors,
            paired,
            notes,
            steps: Cell::new(0),
            links: Vec::new(),
            sites: Vec::new(),
        }
    }

    /// Reads all bodies, depth first.
    pub(super) fn grow(&mut self) -> Result<(), LoadError> {
        let world = Draft {
            part: self.sources.root,
            parent: 0,
            name: Some("world".to_owned()),
            placement: Placement::IDENTITY,
            joints: Vec::new(),
            inertia: Inertia::ZERO,
            shapes: Vec::new(),
            moves: false,
        };
        self.links.push(world);
        let mut contents = Contents::default();
        for part in self.sources.sections("worldbody") {
            if let Some(attribute) = part.node.attributes().next() {
                return Err(
                    part.value(format!("<worldbody> has the attribute {}; it must have none", attribute.name()))
                );
            }
            let unfolder = Unfolder { sources: self.sources, settings: self.settings, steps: &self.steps };
            unfolder.unfold(part, &Scope::TOP, &mut self.notes, &mut contents)?;
        }
        if let Some((part, _)) = contents.joints.first().or(contents.inertial.as_ref()) {
            return Err(part.value(format!("<worldbody> cannot contain <{}>", part.name())));
        }
        let geoms = self.geoms(&contents)?;
        self.links[0].shapes = self.shapes(&geoms);
        self.place_sites(&contents, 0)?;
        // Depth first, with a stack of bodies still to be read: the first body of a parent is on top.
        let below = |bodies: Vec<Scoped<'a>>, parent: usize| bodies.into_iter().rev().map(move |body| (body, parent));
        let mut waiting: Vec<(Scoped<'a>, usize)> = below(contents.bodies, 0).collect();
        while let Some(((part, scope), parent)) = waiting.pop() {
            let index = self.links.len();
            waiting.extend(below(self.body(part, &scope, parent)?, index));
        }
        // The first in the file, whatever the order of the map.
        match self.rotors.iter().filter(|(_, rotor)| !rotor.is_used).min_by_key(|(_, rotor)| rotor.part.line()) {
            Some((joint, Rotor { part, .. })) => {
                Err(part.value(format!("<{}> acts on the joint {joint:?}, which does not exist", part.name())))
            }
            None => Ok(()),
        }
    }

    /// Reads a body and returns its child bodies.
    fn body(&mut self, part: Part<'a>, scope: &Scope<'a>, parent: usize) -> Result<Vec<Scoped<'a>>, LoadError> {
        check_attributes(part, KNOWN)?;
        let own = Pose::of(&Stated::alone(part), self.settings)?;
        let pose = scope.frame * own;
        let inner = scope.body(part);
        let mut contents = Contents::default();
        let unfolder = Unfolder { sources: self.sources, settings: self.settings, steps: &self.steps };
        unfolder.unfold(part, &inner, &mut self.notes, &mut contents)?;

        if part.number("gravcomp")?.is_some_and(|factor| factor != 0.0) {
            self.notes.not_modelled(part, "body gravcomp");
        }
        if truth(part, "mocap")? == Some(true) && (parent != 0 || !contents.joints.is_empty()) {
            return Err(part.unsupported("<body mocap> must be a child of the world without joints"));
        }
        let joints = self.joints(&contents, pose, parent)?;
        let is_free = joints.iter().any(|(_, joint)| joint.kind == JointKind::Floating);
        let moves = self.links[parent].moves || !joints.is_empty();
        let geoms = self.geoms(&contents)?;
        let inertia = self.inertia(&contents, &geoms, own, moves)?;
        let index = self.links.len();
        let shapes = self.shapes(&geoms);
        self.links.push(Draft {
            part,
            parent,
            name: scope.name(part),
            // The coordinates of a free body are its whole pose.
            placement: if is_free { Placement::IDENTITY } else { pose.placement() },
            joints,
            inertia,
            shapes,
            moves,
        });
        self.place_sites(&contents, index)?;
        Ok(contents.bodies)
    }

    fn joints(
        &mut self,
        contents: &Contents<'a>,
        pose: Pose,
        parent: usize,
    ) -> Result<Vec<(Option<String>, Joint)>, LoadError> {
        let mut joints = Vec::new();
        for (part, scope) in &contents.joints {
            let part = *part;
            let is_short = part.name() == "freejoint";
            // The short form inherits nothing.
            let stated =
                if is_short { Stated::alone(part) } else { self.classes.stated(part, "joint", scope.class)? };
            let mut joint = joint::read(&stated, scope.frame, pose, self.settings, &mut self.notes)?;
            if joint.kind == JointKind::Floating {
                if parent != 0 || contents.joints.len() > 1 {
                    let message = "a free joint must be the only one of a body, and the body a child of the world";
                    return Err(xml::fault(LoadErrorKind::Structure, part.path, part.node, message));
                }
                let words = [("false", Some(false)), ("true", Some(true)), ("auto", None)];
                let align = if is_short { choice(part, "align", &words)?.flatten() } else { None };
                // A body with others below is not aligned, unless they are fused into it first.
                let alone = contents.bodies.is_empty() || self.settings.fuse_static;
                if align.unwrap_or(self.settings.align_free) && alone {
                    let message = "a free joint aligned with the inertia has other coordinates than its body: say \
                                   align = \"false\"";
                    return Err(part.unsupported(message));
                }
            }
            // An actuator refers to one replica by its full name, or to all of them by the original name.
            let full = scope.name(part).filter(|name| self.rotors.contains_key(name.as_str()));
            let name = full.as_deref().or(part.text("name"));
            if let Some(rotor) = name.and_then(|name| self.rotors.get_mut(name)) {
                if !joint.kind.is_single() {
                    let message = "an actuator with an armature on a ball or free joint is not supported: it changes the mass matrix";
                    return Err(rotor.part.unsupported(message));
                }
                joint.armature += rotor.armature;
                rotor.is_used = true;
            }
            joints.push((scope.name(part), joint));
        }
        Ok(joints)
    }

    fn geoms(&mut self, contents: &Contents<'a>) -> Result<Vec<Geom<'a>>, LoadError> {
        let mut geoms = Vec::new();
        for (part, scope) in &contents.geoms {
            let stated = self.classes.stated(*part, "geom", scope.class)?;
            let name = scope.name(*part);
            let is_paired = name.as_deref().is_some_and(|name| self.paired.contains(name));
            geoms.push(Geom::read(&stated, name, is_paired, scope.frame, self.settings, &mut self.notes)?);
        }
        Ok(geoms)
    }

    fn shapes(&mut self, geoms: &[Geom<'a>]) -> Vec<Shape> {
        geoms.iter().filter_map(|geom| geom.shape(&mut self.meshes, &mut self.notes)).collect()
    }

    fn place_sites(&mut self, contents: &Contents<'a>, link: usize) -> Result<(), LoadError> {
        for (part, scope) in &contents.sites {
            let stated = self.classes.stated(*part, "site", scope.class)?;
            let pose = site::pose(&stated, self.settings)?;
            if let Some(name) = scope.name(*part) {
                self.sites.push((*part, name, link, (scope.frame * pose).placement()));
            }
        }
        Ok(())
    }

    fn inertia(
        &mut self,
        contents: &Contents<'a>,
        geoms: &[Geom<'a>],
        own: Pose,
        moves: bool,
    ) -> Result<Inertia, LoadError> {
        let stated = match &contents.inertial {
            Some((part, scope)) => Some(Principal::stated(*part, scope.frame, self.settings)?),
            None => None,
        };
        let from_geoms = match self.settings.from_geoms {
            FromGeoms::Never => false,
            FromGeoms::Always => true,
            FromGeoms::Missing => stated.is_none(),
        };
        let mut sum: Option<Inertia> = None;
        for geom in geoms.iter().filter(|geom| from_geoms && geom.is_massive()) {
            match geom.inertia(&mut self.meshes) {
                Ok(inertia) => sum = Some(sum.map_or(inertia, |sum| sum.joined(&inertia))),
                // The mass of a fixed body is in no equation, unless all masses are scaled to a total.
                Err(error)
                    if matches!(error.kind, LoadErrorKind::Read | LoadErrorKind::Unsupported)
                        && !moves
                        && self.settings.total_mass.is_none() =>
                {
                    let subject = "geom of a body that does not move";
                    self.notes.add(WarningKind::Missing, geom.part, subject, &error.message);
                }
                Err(error) => return Err(error),
            }
        }
        let bounds = self.settings.least_mass > 0.0 || self.settings.least_moment > 0.0 || self.settings.balance;
        Ok(match (sum, stated) {
            (Some(sum), _) if !bounds => sum,
            (Some(sum), _) => Principal::of(&sum).bounded(self.settings).inertia(),
            (None, Some(stated)) => stated.bounded(self.settings).inertia(),
            (None, None) => Principal::nothing(own).bounded(self.settings).inertia(),
        })
    }

    /// The links that a program moves, by their places among all links.
    pub(super) fn carried(&self) -> Vec<LinkId> {
        let links = self.links.iter().enumerate();
        links
            .filter(|(_, link)| matches!(truth(link.part, "mocap"), Ok(Some(true))))
            .map(|(k, _)| LinkId::from_index(k))
            .collect()
    }

    /// Names unnamed elements, scales the masses, and builds the model.
    pub(super) fn build(mut self, mut builder: ModelBuilder) -> Result<(ModelBuilder, Notes, Vec<PathBuf>), LoadError> {
        if let Some(total) = self.settings.total_mass {
            let mass: f64 = self.links.iter().map(|link| link.inertia.mass).sum();
            for link in self.links.iter_mut().filter(|_| mass > 0.0) {
                let factor = total / mass;
                link.inertia.mass *= factor;
                let entries = link.inertia.rotational.entries().map(|entry| factor * entry);
                link.inertia.rotational = crate::Symmetric::new(entries);
            }
        }
        for part in std::mem::take(&mut self.meshes.parts) {
            let message = "has several objects; as in MuJoCo, only the first has mass";
            self.notes.ignored(part, "mesh file", message);
        }
        builder.gravity(self.settings.gravity);
        let mut links = Names::of(self.links.iter().filter_map(|link| link.name.clone()));
        let joints = self.links.iter().flat_map(|link| &link.joints);
        let mut joints = Names::of(joints.filter_map(|(name, _)| name.clone()));
        let mut ids: Vec<LinkId> = Vec::new();
        for (index, draft) in self.links.into_iter().enumerate() {
            if index == 0 {
                for shape in draft.shapes {
                    builder.world_shape(shape);
                }
                ids.push(LinkId::WORLD);
                continue;
            }
            let name = draft.name.unwrap_or_else(|| links.invent(format!("body_{index}")));
            let mut spec = LinkSpec::new(name.clone()).placed(draft.placement).inertia(draft.inertia);
            spec.shapes = draft.shapes;
            for (place, (given, mut joint)) in draft.joints.into_iter().enumerate() {
                joint.name = given.unwrap_or_else(|| joints.invent(format!("{name}_joint_{place}")));
                spec.joints.push(joint);
            }
            let id = builder.link(ids[draft.parent], spec);
            ids.push(id.map_err(|error| LoadError::structure(draft.part.path, Some(draft.part.line()), &error))?);
        }
        for (part, name, link, placement) in self.sites {
            let done = builder.frame(name, ids[link], placement);
            done.map_err(|error| LoadError::structure(part.path, Some(part.line()), &error))?;
        }
        Ok((builder, self.notes, self.meshes.opened.into_inner()))
    }
}

/// The names in use.
struct Names(HashSet<String>);

impl Names {
    fn of(given: impl Iterator<Item = String>) -> Self {
        Self(given.collect())
    }

    /// A unique name derived from the given one.
    fn invent(&mut self, mut name: String) -> String {
        while !self.0.insert(name.clone()) {
            name.push('_');
        }
        name
    }
}
