//! The elements of a body, with frames and replicas expanded, in the order of the file.

use std::cell::Cell;

use super::class::Stated;
use super::notes::{Notes, check_attributes};
use super::pose::{self, Pose};
use super::settings::Settings;
use super::source::{Part, Sources};
use crate::Vector;
use crate::load::{LoadError, LoadErrorKind, xml};

const KNOWN_FRAME: &str = "name childclass class pos quat axisangle xyaxes zaxis euler scale scaling massscale";
const KNOWN_REPLICATE: &str = "childclass class count sep offset euler";

/// The context of an element.
#[derive(Clone)]
pub(super) struct Scope<'a> {
    /// The frame that contains it, relative to its body.
    pub(super) frame: Pose,
    /// The default class of elements that do not name one.
    pub(super) class: Option<&'a str>,
    /// The suffix that replicas add to names.
    pub(super) suffix: String,
    /// Whether the element is directly in a replica, not in a body inside it.
    is_replica: bool,
}

impl<'a> Scope<'a> {
    pub(super) const TOP: Self = Self { frame: Pose::IDENTITY, class: None, suffix: String::new(), is_replica: false };

    /// The scope inside a body of this scope.
    pub(super) fn body(&self, part: Part<'a>) -> Self {
        let class = part.text("childclass").or(self.class);
        Self { frame: Pose::IDENTITY, class, suffix: self.suffix.clone(), is_replica: false }
    }

    /// The name of an element in this scope.
    pub(super) fn name(&self, part: Part<'a>) -> Option<String> {
        part.text("name").filter(|name| !name.is_empty()).map(|name| format!("{name}{}", self.suffix))
    }
}

/// An element and its scope.
pub(super) type Scoped<'a> = (Part<'a>, Scope<'a>);

/// The elements of a body.
#[derive(Default)]
pub(super) struct Contents<'a> {
    pub(super) inertial: Option<Scoped<'a>>,
    pub(super) joints: Vec<Scoped<'a>>,
    pub(super) geoms: Vec<Scoped<'a>>,
    pub(super) sites: Vec<Scoped<'a>>,
    pub(super) bodies: Vec<Scoped<'a>>,
}

/// Expands frames and replicas of bodies.
pub(super) struct Unfolder<'s, 'a> {
    pub(super) sources: &'s Sources<'a>,
    pub(super) settings: &'s Settings,
    /// Number of elements and replicas so far, in the whole model.
    pub(super) steps: &'s Cell<usize>,
}

impl<'a> Unfolder<'_, 'a> {
    /// Adds the elements of a body, including those in its frames and replicas.
    pub(super) fn unfold(
        &self,
        part: Part<'a>,
        scope: &Scope<'a>,
        notes: &mut Notes,
        contents: &mut Contents<'a>,
    ) -> Result<(), LoadError> {
        // Frames and replicas that are still open; the innermost is the last.
        let mut open = vec![(self.sources.children(part).into_iter(), scope.clone())];
        while let Some((children, scope)) = open.last_mut() {
            self.count(part)?;
            let Some(child) = children.next() else {
                open.pop();
                continue;
            };
            let scope = scope.clone();
            match child.name() {
                "frame" => {
                    let inner = self.frame(child, &scope)?;
                    open.push((self.sources.children(child).into_iter(), inner));
                }
                "replicate" => {
                    let elements = self.sources.children(child);
                    let replicas = self.replicas(child, &scope)?;
                    // Each copies its list of elements.
                    self.steps.set(self.steps.get().saturating_add(replicas.len() * elements.len()));
                    self.count(child)?;
                    open.extend(replicas.into_iter().rev().map(|inner| (elements.clone().into_iter(), inner)));
                }
                name @ ("joint" | "freejoint" | "inertial") if scope.is_replica => {
                    // They would act on the surrounding body, once per replica.
                    return Err(child.value(format!("<replicate> cannot contain <{name}>; put it into a body")));
                }
                _ => contents.add(child, scope, notes)?,
            }
        }
        Ok(())
    }

    /// Counts elements over all bodies, because nested replicas could exhaust memory.
    fn count(&self, part: Part<'a>) -> Result<(), LoadError> {
        self.steps.set(self.steps.get() + 1);
        match self.steps.get() > MOST_STEPS {
            true => Err(part.value(format!("the model has more than {MOST_STEPS} elements, including replicas"))),
            false => Ok(()),
        }
    }

    /// The scope inside a frame.
    fn frame(&self, part: Part<'a>, scope: &Scope<'a>) -> Result<Scope<'a>, LoadError> {
        check_attributes(part, KNOWN_FRAME)?;
        let scaled = part.list("scale")?.is_some_and(|scale| scale.iter().any(|factor| *factor != 1.0));
        let weighed = part.number("massscale")?.is_some_and(|factor| factor != 0.0 && factor != 1.0);
        if scaled || weighed {
            return Err(part.unsupported("<frame> with a scale is not supported; state the scaled sizes and masses"));
        }
        Ok(Scope {
            frame: scope.frame * Pose::of(&Stated::alone(part), self.settings)?,
            class: class_of(part, scope),
            ..scope.clone()
        })
    }

    /// The scope inside each replica.
    fn replicas(&self, part: Part<'a>, scope: &Scope<'a>) -> Result<Vec<Scope<'a>>, LoadError> {
        check_attributes(part, KNOWN_REPLICATE)?;
        let text = part.required("count")?;
        let count = text.trim().parse().ok().filter(|count| (1..=MOST_REPLICAS).contains(count)).ok_or_else(|| {
            part.value(format!("<replicate> count = {text:?} must be an integer from 1 to {MOST_REPLICAS}"))
        })?;
        let offset = Vector::from(part.numbers::<3>("offset")?.unwrap_or_default());
        let angles: [f64; 3] = part.numbers("euler")?.unwrap_or_default();
        let separator = part.text("sep").unwrap_or("");
        // Number of digits of the largest index.
        let width = (count - 1).to_string().len();
        let mut own = Pose::IDENTITY;
        let replica = |index: usize| {
            // Angles are accumulated, not rotations.
            own.turn = pose::euler(angles.map(|angle| index as f64 * angle), self.settings);
            let frame = scope.frame * own;
            own.position = own.placement().apply(offset);
            // The innermost replica comes first.
            let suffix = format!("{separator}{index:0width$}{}", scope.suffix);
            Scope { frame, class: class_of(part, scope), suffix, is_replica: true }
        };
        Ok((0..count).map(replica).collect())
    }
}

impl<'a> Contents<'a> {
    /// Adds an element that is neither frame nor replica.
    fn add(&mut self, part: Part<'a>, scope: Scope<'a>, notes: &mut Notes) -> Result<(), LoadError> {
        match part.name() {
            "body" => self.bodies.push((part, scope)),
            "geom" => self.geoms.push((part, scope)),
            "site" => self.sites.push((part, scope)),
            "joint" | "freejoint" => self.joints.push((part, scope)),
            "inertial" => {
                if self.inertial.replace((part, scope)).is_some() {
                    return Err(part.value("the body has a second <inertial>"));
                }
            }
            "camera" | "light" => {}
            "plugin" => notes.not_modelled(part, "body plugin"),
            name @ ("composite" | "flexcomp" | "attach") => {
                return Err(
                    part.unsupported(format!("<{name}> is not supported: the bodies that it adds are not created"))
                );
            }
            name => {
                let message = format!("<{name}> is not a valid element of a body");
                return Err(xml::fault(LoadErrorKind::Syntax, part.path, part.node, message));
            }
        }
        Ok(())
    }
}

/// The default class that a frame or replica sets for its elements.
fn class_of<'a>(part: Part<'a>, scope: &Scope<'a>) -> Option<&'a str> {
    part.text("childclass").or(part.text("class")).or(scope.class)
}

/// Protect against files that would exhaust memory.
const MOST_REPLICAS: usize = 100_000;
const MOST_STEPS: usize = 1_000_000;
