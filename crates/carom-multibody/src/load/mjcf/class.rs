//! Default classes, from which elements inherit.

use std::collections::{HashMap, HashSet};

use super::known;
use super::notes::{check_attributes, is_word_of};
use super::source::{Part, Sources};
use crate::load::{LoadError, LoadErrorKind, xml};

/// All actuators of a class share one default.
const ACTUATORS: &str =
    "general motor position velocity intvelocity orientation pid damper cylinder muscle adhesion dcmotor";
const READ: [&str; 7] = ["joint", "geom", "site", "mesh", "tendon", "pair", "equality"];
const IGNORED: &str = "texture material camera light";

/// The top-level class.
const MAIN: &str = "main";

/// Default elements by kind, those of outer classes first.
#[derive(Clone, Default)]
struct Class<'a>(HashMap<&'static str, Vec<Part<'a>>>);

/// All classes of a model.
pub(super) struct Classes<'a>(HashMap<&'a str, Class<'a>>);

impl<'a> Classes<'a> {
    pub(super) fn read(sources: &Sources<'a>) -> Result<Self, LoadError> {
        let mut classes = Self(HashMap::from([(MAIN, Class::default())]));
        for part in sources.sections("default") {
            if let Some(name) = part.text("class")
                && name != MAIN
            {
                return Err(part.value(format!("the top-level <default> has class = {name:?}; it must be {MAIN:?}")));
            }
            classes.fill(sources, part, MAIN)?;
        }
        Ok(classes)
    }

    /// Reads a `<default>`: first its elements, then its nested classes, which inherit all of them.
    fn fill(&mut self, sources: &Sources<'a>, part: Part<'a>, name: &'a str) -> Result<(), LoadError> {
        let mut own = self.0.get(name).cloned().unwrap_or_default();
        let (inner, elements): (Vec<_>, Vec<_>) =
            sources.children(part).into_iter().partition(|child| child.name() == "default");
        let mut seen = HashSet::new();
        for element in elements {
            let kind = match element.name() {
                name if is_word_of(name, ACTUATORS) => "actuator",
                name if is_word_of(name, IGNORED) => continue,
                name => match READ.iter().find(|read| **read == name) {
                    Some(kind) => kind,
                    None => {
                        let message = format!("<{name}> is not a valid element of <default>");
                        return Err(xml::fault(LoadErrorKind::Syntax, element.path, element.node, message));
                    }
                },
            };
            let known = match kind {
                "joint" => Some(known::JOINT),
                "geom" => Some(known::GEOM),
                "site" => Some(known::SITE),
                "mesh" => Some(known::MESH),
                _ => None,
            };
            if let Some(known) = known {
                check_attributes(element, known)?;
                if !seen.insert(kind) {
                    return Err(element.value(format!("<default> has a second <{kind}>")));
                }
            }
            own.0.entry(kind).or_default().push(element);
        }
        self.0.insert(name, own.clone());
        for child in inner {
            let class = child.required("class")?;
            if self.0.contains_key(class) {
                return Err(child.value(format!("the default class {class:?} is defined twice")));
            }
            self.0.insert(class, own.clone());
            self.fill(sources, child, class)?;
        }
        Ok(())
    }

    /// An element with its inherited defaults: those of its own class, otherwise of the class in its scope.
    pub(super) fn stated(
        &self,
        part: Part<'a>,
        kind: &'static str,
        around: Option<&'a str>,
    ) -> Result<Stated<'a>, LoadError> {
        let name = part.text("class").or(around).unwrap_or(MAIN);
        let class = self.0.get(name).ok_or_else(|| part.value(format!("the default class {name:?} does not exist")))?;
        let inherited = class.0.get(kind).into_iter().flatten().rev().copied();
        Ok(Stated { part, levels: std::iter::once(part).chain(inherited).collect() })
    }
}

/// An element and its inherited defaults.
pub(super) struct Stated<'a> {
    pub(super) part: Part<'a>,
    /// The element itself, then its defaults from the nearest to the farthest.
    pub(super) levels: Vec<Part<'a>>,
}

impl<'a> Stated<'a> {
    /// An element that inherits nothing.
    pub(super) fn alone(part: Part<'a>) -> Self {
        Self { part, levels: vec![part] }
    }

    /// The part that sets an attribute; an empty attribute counts as not set.
    pub(super) fn origin(&self, attribute: &str) -> Option<Part<'a>> {
        let states = |level: &Part<'a>| level.text(attribute).is_some_and(|text| !text.trim().is_empty());
        self.levels.iter().copied().find(states)
    }

    pub(super) fn text(&self, attribute: &str) -> Option<&'a str> {
        self.origin(attribute).and_then(|origin| origin.text(attribute))
    }

    pub(super) fn number(&self, attribute: &str) -> Result<Option<f64>, LoadError> {
        self.origin(attribute).map_or(Ok(None), |origin| origin.number(attribute))
    }

    pub(super) fn numbers<const N: usize>(&self, attribute: &str) -> Result<Option<[f64; N]>, LoadError> {
        self.origin(attribute).map_or(Ok(None), |origin| origin.numbers(attribute))
    }

    /// Up to N numbers: those missing at one level are taken from the next.
    pub(super) fn overlaid<const N: usize>(&self, attribute: &str, start: [f64; N]) -> Result<[f64; N], LoadError> {
        let mut values = start;
        for level in self.levels.iter().rev() {
            let Some(list) = level.list(attribute)? else { continue };
            if list.len() > N {
                let count = list.len();
                let message = format!("<{}> {attribute} has {count} numbers; at most {N} are allowed", level.name());
                return Err(level.value(message));
            }
            values[..list.len()].copy_from_slice(&list);
        }
        Ok(values)
    }
}
