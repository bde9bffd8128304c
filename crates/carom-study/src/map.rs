//! A map as data: what the law answers in every cell, the curves between the answers, and the problem's own pair.
//!
//! The curves are the law's own functions, sampled as finely as their shape asks for; they are not read off the cells.

use carom_law::{Friction, Mode, Outcome, RestitutionValues};
use serde::{Deserialize, Serialize};

/// The answers of the law over two quantities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
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
#[non_exhaustive]
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
#[non_exhaustive]
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
#[non_exhaustive]
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
#[non_exhaustive]
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
#[non_exhaustive]
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
    /// The middle of a cell.
    pub(crate) fn middle(&self, cell: usize, cells: usize) -> f64 {
        self.min + (self.max - self.min) * ((cell as f64 + 0.5) / cells as f64)
    }
}

impl Cell {
    pub(crate) fn new(at: [f64; 2], outcome: &Outcome, scale: f64) -> Self {
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
