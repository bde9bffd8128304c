//! The plan of a sweep: a scene, the keys that vary, and the columns.

use carom_scene::document::{FORMAT_VERSION, Tree};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::axis::{Axis, MOST_SAMPLES};
use super::draw::Draw;
use super::error::SweepError;

/// The kind of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SampleKind {
    /// One impact.
    #[default]
    Impact,
    /// One simulation.
    Simulation,
}

/// The plan of a sweep: the samples of a scene, and the columns.
///
/// Axes make a grid, whose last axis varies fastest; each of its points has `samples` samples, and random values are
/// drawn for each sample.
///
/// ```
/// use std::sync::Arc;
/// use carom_study::sweep::{Plan, Values};
///
/// let kane = carom_scene::gallery::find("kane").expect("built in").tree()?;
/// let mut plan = Plan::new(kane);
/// plan.vary = vec!["restitution=0:1:11".parse()?, "friction=[0.2, 0.5]".parse()?];
/// let sweep = plan.prepare("".as_ref(), &Arc::default())?;
/// let table = sweep.part(0, 1)?;
/// assert_eq!(table.rows, 22);
/// assert_eq!(table.columns[1].name, "restitution");
/// assert!(matches!(&table.columns[1].values, Values::Numbers(e) if e[2] == 0.1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Plan {
    /// The scene or problem, as a document.
    pub scene: Tree,
    /// The kind of a sample.
    pub kind: SampleKind,
    /// Keys whose values make a grid.
    pub vary: Vec<Axis>,
    /// Keys with random values.
    pub random: Vec<Draw>,
    /// The number of samples at each point of the grid.
    pub samples: u64,
    /// The seed of the random values.
    pub seed: u64,
    /// The columns, by name; empty for the default ones.
    pub columns: Vec<String>,
}

/// A plan as a document.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanDocument {
    #[serde(default = "format_version")]
    format_version: u32,
    #[serde(default)]
    kind: SampleKind,
    scene: Tree,
    #[serde(default)]
    vary: Vec<String>,
    #[serde(default)]
    random: Vec<String>,
    #[serde(default = "one")]
    samples: u64,
    #[serde(default)]
    seed: u64,
    #[serde(default)]
    columns: Vec<String>,
}

fn format_version() -> u32 {
    FORMAT_VERSION
}

fn one() -> u64 {
    1
}

impl Plan {
    /// A single impact of a scene: nothing varies yet.
    pub fn new(scene: Tree) -> Self {
        Self {
            scene,
            kind: SampleKind::Impact,
            vary: Vec::new(),
            random: Vec::new(),
            samples: 1,
            seed: 0,
            columns: Vec::new(),
        }
    }

    /// The plan of a JSON document: `scene` and, optional, `kind`, `vary` and `random` as lists of text in the form of the command
    /// line, `samples`, `seed`, `columns`, `format_version`.
    ///
    /// # Errors
    /// The text is not a plan.
    pub fn from_json(text: &str) -> Result<Self, SweepError> {
        let wrong = |message: String| SweepError::Document { message };
        let document: PlanDocument = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        if document.format_version != FORMAT_VERSION {
            let given = document.format_version;
            return Err(wrong(format!("format_version = {given} is not supported, only {FORMAT_VERSION} is")));
        }
        let axis = |(k, text): (usize, &String)| text.parse().map_err(|error| wrong(format!("vary[{k}]: {error}")));
        let draw = |(k, text): (usize, &String)| text.parse().map_err(|error| wrong(format!("random[{k}]: {error}")));
        Ok(Self {
            vary: document.vary.iter().enumerate().map(axis).collect::<Result<_, _>>()?,
            random: document.random.iter().enumerate().map(draw).collect::<Result<_, _>>()?,
            scene: document.scene,
            kind: document.kind,
            samples: document.samples,
            seed: document.seed,
            columns: document.columns,
        })
    }

    /// The plan as a JSON document on one line, with the keys of all objects in alphabetical order.
    pub fn to_json(&self) -> String {
        let document = PlanDocument {
            format_version: FORMAT_VERSION,
            kind: self.kind,
            scene: self.scene.clone(),
            vary: self.vary.iter().map(ToString::to_string).collect(),
            random: self.random.iter().map(ToString::to_string).collect(),
            samples: self.samples,
            seed: self.seed,
            columns: self.columns.clone(),
        };
        // A document is plain data.
        sorted(serde_json::to_value(document).unwrap_or_default()).to_string()
    }

    /// The number of rows: the product of the counts of all axes and `samples`.
    ///
    /// # Errors
    /// No samples, or more than 2⁵³ rows.
    pub fn rows(&self) -> Result<u64, SweepError> {
        if !(1..=MOST_SAMPLES).contains(&self.samples) {
            return Err(SweepError::Samples { value: self.samples });
        }
        let counts = || self.vary.iter().map(Axis::count).chain([self.samples]);
        let product = counts().try_fold(1, |product: u64, count| product.checked_mul(count));
        product.filter(|rows| *rows <= MOST_SAMPLES).ok_or_else(|| {
            let counts: Vec<String> = counts().map(|count| count.to_string()).collect();
            SweepError::TooMany { axes: counts.join(" x ") }
        })
    }
}

/// Data whose objects have their keys in alphabetical order, whatever order a map of the JSON library keeps.
pub(super) fn sorted(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let entries: std::collections::BTreeMap<String, Value> = map.into_iter().collect();
            Value::Object(entries.into_iter().map(|(key, value)| (key, sorted(value))).collect())
        }
        Value::Array(list) => Value::Array(list.into_iter().map(sorted).collect()),
        other => other,
    }
}
