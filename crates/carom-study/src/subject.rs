//! A problem prepared for mapping: its contact, its own answer, and the unit of energy changes.

use carom_law::{Coefficients, Contact, Dimension, Friction, Guard, Outcome, Restitution};

use carom_scene::Problem;
use carom_scene::answer::verdict::verdict;

use crate::error::MapError;
use crate::map::{Axis, Cell, Curve, EnergyUnit, Map, Over, Point, Region};
use crate::profile::Sample;
use crate::range::{Range, round_up};

/// Resolution and range of a map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MapOptions {
    /// Number of cells along each axis, 2 to 4000.
    pub resolution: usize,
    /// The ranges of the axes.
    pub range: Range,
}

impl Default for MapOptions {
    fn default() -> Self {
        Self { resolution: 400, range: Range::default() }
    }
}

/// The smallest and the largest number of cells along an axis.
const RESOLUTION: [usize; 2] = [2, 4000];
/// Larger critical coefficients of friction are not shown by default: tyres and rubber have at most about 2.
const STRANGE_FRICTION: f64 = 5.0;
/// The number of abscissas at which curves are evaluated, and how many of them must have a curve for it to be shown: an
/// eighth.
const SAMPLES: usize = 65;
const FEWEST: usize = 8;
/// Parts of a curve above this many times its median belong to a pole.
const CLIMB: f64 = 1.6;
/// If the problem's friction exceeds all curves by this factor it is left outside the axis, because it would squeeze
/// them to the bottom.
const FAR: f64 = 6.0;

/// A problem prepared for mapping.
pub(super) struct Subject {
    pub(super) contact: Contact,
    pub(super) outcome: Outcome,
    pub(super) friction: Friction,
    unit: EnergyUnit,
    energy: f64,
    resolution: usize,
}

impl Subject {
    pub(super) fn new(problem: &Problem, options: &MapOptions) -> Result<Self, MapError> {
        let [low, high] = RESOLUTION;
        if !(low..=high).contains(&options.resolution) {
            return Err(MapError::Resolution { value: options.resolution, low, high });
        }
        let contact = problem.contact()?;
        let outcome = problem.with_guard(Guard::Report).solve()?;
        if outcome.law != carom_law::Law::Aghili {
            return Err(MapError::Law { name: outcome.law.name() });
        }
        if !contact.approaches() {
            return Err(MapError::Separating { normal_velocity: contact.velocity()[0] });
        }
        let friction = outcome.friction.filter(|_| contact.delassus().dimension() != Dimension::Normal);
        let friction = friction.ok_or(MapError::Frictionless)?;
        let (unit, energy) = match (outcome.energy.before, contact_energy(&contact)?) {
            (Some(before), _) => (EnergyUnit::KineticEnergy, before),
            (None, Some(energy)) => (EnergyUnit::ContactEnergy, energy),
            (None, None) => (EnergyUnit::Absolute, 100.0),
        };
        Ok(Self { contact, outcome, friction, unit, energy, resolution: options.resolution })
    }

    /// The energy by which energy changes are divided.
    pub(super) fn energy(&self) -> f64 {
        self.energy
    }

    /// `μ_d/μ_s`, or one without friction.
    pub(super) fn ratio(&self) -> f64 {
        if self.friction.mu_s() > 0.0 { self.friction.mu_d() / self.friction.mu_s() } else { 1.0 }
    }

    /// The friction with this static coefficient.
    pub(super) fn friction(&self, mu: f64) -> carom_law::Result<Friction> {
        Friction::with_static(mu, mu.min(self.ratio() * mu))
    }

    /// `μ_cr`, `μ_rev` and the printed `μ_cr` as static coefficients, infinite if they do not exist.
    pub(super) fn critical(&self, contact: &Contact, restitution: &Restitution) -> [f64; 3] {
        let reversal = contact.critical_reversal(restitution).map(|mu| if mu == 0.0 { 0.0 } else { mu / self.ratio() });
        [contact.critical_friction(restitution), reversal, contact.printed_critical_friction(restitution)]
            .map(|mu| mu.unwrap_or(f64::INFINITY))
    }

    /// The range of a friction axis. It contains the curves at which modes change, except their poles, which do not fit
    /// any axis, and the problem's own friction, unless it is [`FAR`] above the curves. The paper's limit, at which no
    /// answer changes, does not widen it.
    pub(super) fn friction_ends(&self, range: &Range, x: Axis, sample: impl Fn(f64) -> Sample) -> [f64; 2] {
        if let Some((low, high)) = range.y {
            return [low.unwrap_or(0.0), high];
        }
        let samples: Vec<Sample> = (0..SAMPLES).map(|i| sample(x.middle(i, SAMPLES))).collect();
        let reach = |k: usize| {
            // Where the contact can stick, a reversal is not the answer.
            let is_boundary = |sample: &&Sample| k == 0 || sample.curves[k] < sample.curves[0];
            let values = samples.iter().filter(is_boundary).map(|sample| sample.curves[k]);
            let mut values: Vec<f64> = values.filter(|mu| *mu <= STRANGE_FRICTION).collect();
            values.sort_unstable_by(f64::total_cmp);
            let median = values.get(values.len() / 2).copied().filter(|_| values.len() >= FEWEST)?;
            // The rest of the curve, unless it climbs to a pole.
            values.into_iter().rfind(|mu| *mu <= CLIMB * median)
        };
        let critical = [reach(0), reach(1)].into_iter().flatten();
        let (own, shown) = (self.friction.mu_s(), critical.fold(0.0, f64::max));
        if shown > 0.0 && own > FAR * shown {
            return [0.0, round_up(2.0 * shown)];
        }
        let top = own.max(shown);
        [0.0, round_up(1.2 * if top > 0.0 { top } else { 1.0 })]
    }

    #[allow(clippy::too_many_arguments, reason = "the fields of a map, each once")]
    pub(super) fn map(
        self,
        title: &str,
        over: Over,
        axes: [Axis; 2],
        at: [f64; 2],
        scale: f64,
        curves: Vec<Curve>,
        regions: Vec<Region>,
        cells: Vec<Cell>,
    ) -> Map {
        let outcome = &self.outcome;
        let point = Point {
            at,
            mode: outcome.mode,
            energy_change: scale * outcome.energy.change,
            admissible: outcome.admissible,
            verdict: verdict(outcome),
        };
        Map {
            title: title.to_owned(),
            over,
            axes,
            resolution: self.resolution,
            restitution: outcome.restitution,
            friction: self.friction,
            contact_dimension: outcome.contact_dimension,
            energy_unit: if over == Over::State { EnergyUnit::ContactEnergy } else { self.unit },
            point,
            curves,
            regions,
            cells,
        }
    }
}

/// `K_c = v_cᵀ W⁺ v_c / 2`. Without friction and restitution the impact takes `v_n² / (2 W_nn)`, and by \[30\] and \[32\]
/// without tangential restitution `(e*(v)/e*)² = 2 K_c W_nn / v_n²`. `None` if fixing the tangents locks the normal.
pub(super) fn contact_energy(contact: &Contact) -> Result<Option<f64>, MapError> {
    let plastic = Restitution::new(0.0)?;
    let coefficients = Coefficients::new(plastic, Friction::new(0.0)?);
    let normal = -contact.impact(&coefficients, Guard::Report)?.energy.change;
    let configuration = contact.delassus().restitution_limit(&plastic);
    let energy = contact.restitution_limit(&plastic).map(|state| normal * (state / configuration).powi(2));
    Ok(energy.filter(|energy| energy.is_finite() && *energy > 0.0))
}
