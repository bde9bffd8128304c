//! A map as data: the law's answer in every cell, the curves that bound the regions, and the problem's own point.
//!
//! The curves are the law's own functions, sampled according to their curvature; they are not derived from the cells.

use carom_law::{Friction, Mode, Outcome, RestitutionValues};
use serde::{Deserialize, Serialize};

/// The answers of the law over two quantities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Map {
    /// The title.
    pub title: String,
    /// The quantities that vary.
    pub over: Over,
    /// Horizontal and vertical axis.
    pub axes: [Axis; 2],
    /// Number of cells along each axis.
    pub resolution: usize,
    /// The problem's restitution; the tangential one applies everywhere.
    pub restitution: RestitutionValues,
    /// The problem's friction; if friction is an axis it is `μ_s`, and `μ_d/μ_s` is constant.
    pub friction: Friction,
    /// 2 or 3.
    pub contact_dimension: u8,
    /// The energy of which `energy_change` is a percentage.
    pub energy_unit: EnergyUnit,
    /// The problem's own point in the map.
    pub point: Point,
    /// Exact curves.
    pub curves: Vec<Curve>,
    /// The regions of the law's answers.
    pub regions: Vec<Region>,
    /// Row by row from the bottom, each from left to right.
    pub cells: Vec<Cell>,
}

/// The kinds of maps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Over {
    /// The problem's state, over restitution and friction.
    Coefficients,
    /// The problem's coefficients, over the tangential velocity; in the plane over velocity and friction.
    State,
}

/// An axis.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// Its quantity.
    pub quantity: Quantity,
    /// Its lower bound.
    pub min: f64,
    /// Its upper bound.
    pub max: f64,
}

/// The quantities of axes.
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
    /// `K_c`, the energy accessible to the contact: in contact space, and where the state varies.
    ContactEnergy,
    /// No unit: the change itself, in the problem's units. In contact space, if `K_c` has no closed form.
    Absolute,
}

/// The problem's own point in its map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Position along the axes.
    pub at: [f64; 2],
    /// The mode of the contact.
    pub mode: Mode,
    /// Energy change in percent of the map's unit.
    pub energy_change: f64,
    /// False iff energy is created.
    pub admissible: bool,
    /// The answer in one sentence.
    pub verdict: String,
}

/// A curve in the map's axes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// Its name.
    pub name: CurveName,
    /// Its connected pieces inside the map.
    pub pieces: Vec<Vec<[f64; 2]>>,
}

/// The names of curves, which are those of the outcome's fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CurveName {
    /// `μ_cr`, exact
    #[serde(rename = "critical_friction")]
    CriticalFriction,
    /// `μ_cr` as printed in the paper
    #[serde(rename = "printed.critical_friction")]
    PrintedCriticalFriction,
    /// `μ_rev`, divided by `μ_d/μ_s` if friction is an axis
    #[serde(rename = "critical_reversal")]
    CriticalReversal,
    /// `e*(v)`
    #[serde(rename = "restitution_limit.state")]
    RestitutionLimitState,
    /// `e*`
    #[serde(rename = "restitution_limit.configuration")]
    RestitutionLimitConfiguration,
    /// `μ*`, divided by `μ_d/μ_s` if friction is an axis
    #[serde(rename = "friction_limit")]
    FrictionLimit,
}

/// A part of the map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// Its kind.
    pub kind: RegionKind,
    /// Closed polygons that do not overlap.
    pub polygons: Vec<Vec<[f64; 2]>>,
}

/// The kinds of regions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RegionKind {
    /// The law's answer is stick.
    Stick,
    /// The law's answer is slip.
    Slip,
    /// The law's answer is reversal.
    Reversal,
    /// Several slips and reversals are consistent; made of cells.
    Several,
    /// Stick creates energy.
    Creation,
    /// The paper's set \[41\].
    AdmissibleSet,
}

/// The law's answer at the centre of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// Position along the axes.
    pub at: [f64; 2],
    /// The mode of the contact.
    pub mode: Mode,
    /// Energy change in percent of the map's unit.
    pub energy_change: f64,
    /// Number of slips and reversals; `None` if the contact sticks and they were not computed.
    pub solutions: Option<u32>,
    /// False iff energy is created.
    pub admissible: bool,
    /// Whether the pair is in the paper's set \[41\].
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
    /// The centre of a cell.
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
