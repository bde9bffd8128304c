//! A map as data: what the law answers in every cell, the curves between the answers, and the problem's own pair.
//!
//! The curves are the law's own functions, sampled as finely as their shape asks for; they are not read off the cells.

use carom_law::{Coefficients, Friction, Guard, Mode, Outcome, Restitution, RestitutionValues};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::profile::{Profile, Sample};
use super::range::checked;
use super::subject::Subject;
use super::{MapError, Range, rows};
use carom_scene::Problem;

/// How fine a map is and what it spans.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Cells along each axis, 2 to 4000.
    pub resolution: usize,
    /// The ends of the axes.
    pub range: Range,
}

impl Default for Options {
    fn default() -> Self {
        Self { resolution: 400, range: Range::default() }
    }
}

/// The answers of the law over two quantities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Map {
    /// What it is called.
    pub title: String,
    /// Over which quantities.
    pub over: Over,
    /// Horizontal and vertical.
    pub axes: [Axis; 2],
    /// Cells along each axis.
    pub resolution: usize,
    /// The problem's restitution; the tangential one holds everywhere.
    pub restitution: RestitutionValues,
    /// The problem's friction; where friction is an axis it is `μ_s`, and `μ_d/μ_s` is kept.
    pub friction: Friction,
    /// 2 or 3.
    pub contact_dimension: u8,
    /// What `energy_change` is a percentage of.
    pub energy_unit: EnergyUnit,
    /// The problem's own place in the map.
    pub point: Point,
    /// Exact curves.
    pub curves: Vec<Curve>,
    /// Where the law answers what.
    pub regions: Vec<Region>,
    /// Row by row from below, each from the left.
    pub cells: Vec<Cell>,
}

/// The kinds of maps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Over {
    /// This state, over restitution and friction.
    Coefficients,
    /// This pair, over the direction and size of the tangential velocity; in the plane over velocity and friction.
    State,
}

/// An axis.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// What it shows.
    pub quantity: Quantity,
    /// Its lower end.
    pub min: f64,
    /// Its upper end.
    pub max: f64,
}

/// What an axis can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// `e`
    Restitution,
    /// `μ_s`
    Friction,
    /// `v_t / |v_n|` in the plane
    VelocityRatio,
    /// `v_t1 / |v_n|`
    #[serde(rename = "velocity_ratio_1")]
    VelocityRatio1,
    /// `v_t2 / |v_n|`
    #[serde(rename = "velocity_ratio_2")]
    VelocityRatio2,
}

/// The energy that a change is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EnergyUnit {
    /// `K⁻` of the whole mechanism.
    KineticEnergy,
    /// `K_c`, the part that the contact can reach: in contact space, and where the state varies.
    ContactEnergy,
    /// None: the change itself, in the problem's units. Where `K_c` has no closed form, in contact space.
    Absolute,
}

/// The problem's own place in its map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Along the axes.
    pub at: [f64; 2],
    /// What the contact does.
    pub mode: Mode,
    /// In percent of the map's unit.
    pub energy_change: f64,
    /// False iff energy is created.
    pub admissible: bool,
    /// One plain sentence.
    pub verdict: String,
}

/// A curve in the map's axes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// Which.
    pub name: CurveName,
    /// Connected pieces of it, inside the map.
    pub pieces: Vec<Vec<[f64; 2]>>,
}

/// The curves, under the names of the outcome's fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CurveName {
    /// `μ_cr`, exact
    #[serde(rename = "critical_friction")]
    CriticalFriction,
    /// `μ_cr` as the paper prints it
    #[serde(rename = "printed.critical_friction")]
    PrintedCriticalFriction,
    /// `μ_rev`, over `μ_d/μ_s` where friction is an axis
    #[serde(rename = "critical_reversal")]
    CriticalReversal,
    /// `e*(v)`
    #[serde(rename = "restitution_limit.state")]
    RestitutionLimitState,
    /// `e*`
    #[serde(rename = "restitution_limit.configuration")]
    RestitutionLimitConfiguration,
    /// `μ*`, over `μ_d/μ_s` where friction is an axis
    #[serde(rename = "friction_limit")]
    FrictionLimit,
}

/// A part of the map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// What holds in it.
    pub kind: RegionKind,
    /// Closed polygons that do not overlap.
    pub polygons: Vec<Vec<[f64; 2]>>,
}

/// What can hold in a part of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RegionKind {
    /// The law answers stick.
    Stick,
    /// The law answers slip.
    Slip,
    /// The law answers reversal.
    Reversal,
    /// Several slips and reversals are consistent; made of cells.
    Several,
    /// Stick creates energy.
    Creation,
    /// The paper's set \[41\].
    AdmissibleSet,
}

/// The law's answer in the middle of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// Along the axes.
    pub at: [f64; 2],
    /// What the contact does.
    pub mode: Mode,
    /// In percent of the map's unit.
    pub energy_change: f64,
    /// Number of slips and reversals; `None` where the contact sticks and they were not looked for.
    pub solutions: Option<u32>,
    /// False iff energy is created.
    pub admissible: bool,
    /// Whether the paper's set \[41\] has this pair.
    pub admissible_any_state: bool,
}

impl Quantity {
    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            Quantity::Restitution => "restitution",
            Quantity::Friction => "friction",
            Quantity::VelocityRatio => "velocity_ratio",
            Quantity::VelocityRatio1 => "velocity_ratio_1",
            Quantity::VelocityRatio2 => "velocity_ratio_2",
        }
    }
}

impl Axis {
    pub(super) fn new(quantity: Quantity, ends: [f64; 2]) -> Result<Self, MapError> {
        checked(quantity, ends).map(|[min, max]| Self { quantity, min, max })
    }

    /// The middle of a cell.
    pub(super) fn middle(&self, cell: usize, cells: usize) -> f64 {
        self.min + (self.max - self.min) * ((cell as f64 + 0.5) / cells as f64)
    }
}

impl Map {
    /// The map of the problem's state over restitution and friction.
    ///
    /// # Errors
    /// A problem that has no answer or no friction, a contact that separates, a resolution or range out of bounds.
    pub fn over_coefficients(problem: &Problem, title: &str, options: &Options) -> Result<Self, MapError> {
        let subject = Subject::new(problem, options)?;
        let (contact, e_t, ratio) = (&subject.contact, subject.outcome.restitution.tangential, subject.ratio());
        let restitution = |e: f64| Restitution::with_tangential(e, e_t);
        let x = Axis::new(Quantity::Restitution, options.range.x.unwrap_or([0.0, 1.0]))?;
        let limits = [
            contact.restitution_limit(&restitution(0.0)?),
            Some(contact.delassus().restitution_limit(&restitution(0.0)?)),
        ];
        let stuck_from = |e: f64| Sample {
            x: e,
            // In range by the bounds of the axis.
            curves: restitution(e).map_or([f64::INFINITY; 3], |restitution| subject.critical(contact, &restitution)),
            creates: limits[0].is_some_and(|limit| e > limit),
            is_safe: limits[1].is_none_or(|limit| e <= limit),
        };
        let friction_limit = contact.delassus().friction_limit().map_or(f64::INFINITY, |limit| limit / ratio);
        let y = Axis::new(Quantity::Friction, subject.friction_ends(&options.range, friction_limit, x, stuck_from))?;
        let profile = Profile::new(x, y, friction_limit, stuck_from);
        let scale = 100.0 / subject.energy();
        let cells = cells(options.resolution, [x, y], |at| {
            let coefficients = Coefficients::new(restitution(at[0])?, subject.friction(at[1])?);
            Ok(Cell::new(at, &contact.impact(&coefficients, Guard::Report)?, scale))
        })?;
        let mut curves = profile.curves();
        let names = [CurveName::RestitutionLimitState, CurveName::RestitutionLimitConfiguration];
        for (name, limit) in names.into_iter().zip(limits) {
            if let Some(e) = limit.filter(|e| (x.min..=x.max).contains(e)) {
                curves.push(Curve { name, pieces: vec![vec![[e, y.min], [e, y.max]]] });
            }
        }
        let at = [subject.outcome.restitution.normal, subject.friction.mu_s()];
        let regions = profile.regions(rows::several(&cells, options.resolution, [x, y]));
        Ok(subject.map(title, Over::Coefficients, [x, y], at, scale, curves, regions, cells))
    }
}

impl Cell {
    pub(super) fn new(at: [f64; 2], outcome: &Outcome, scale: f64) -> Self {
        Self {
            at,
            mode: outcome.mode,
            energy_change: scale * outcome.energy.change,
            solutions: outcome.solutions,
            admissible: outcome.admissible,
            admissible_any_state: outcome.admissible_any_state,
        }
    }
}

/// The answers in all cells, on all cores.
pub(super) fn cells(
    resolution: usize,
    axes: [Axis; 2],
    answer: impl Fn([f64; 2]) -> Result<Cell, MapError> + Sync,
) -> Result<Vec<Cell>, MapError> {
    let row = |j: usize| {
        let y = axes[1].middle(j, resolution);
        (0..resolution).map(|i| answer([axes[0].middle(i, resolution), y])).collect::<Result<Vec<_>, _>>()
    };
    let rows: Vec<Vec<Cell>> = (0..resolution).into_par_iter().map(row).collect::<Result<_, _>>()?;
    Ok(rows.concat())
}
