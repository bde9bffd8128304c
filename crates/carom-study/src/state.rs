//! Maps over states. The law is homogeneous in the velocity, so only the ratio of tangential to normal velocity
//! matters: one number in the plane, where friction is the other axis, and two in space.

use carom_law::{Coefficients, Contact, Dimension, Guard, Mode, Restitution};
use rayon::prelude::*;

use carom_scene::Problem;

use crate::cells::cells;
use crate::error::MapError;
use crate::map::{Axis, Cell, Curve, CurveName, Map, Over, Quantity, Region, RegionKind};
use crate::profile::{Profile, Sample};
use crate::range::{axis, round_up};
use crate::rows;
use crate::subject::{MapOptions, Subject, contact_energy};
use crate::trace::{bisect, boundaries};

/// Smallest default half width: tangential velocities of twice the normal one are common.
const LEAST_RATIO: f64 = 2.0;

impl Map {
    /// The map of the problem's coefficients over states: in the plane over `v_t/|v_n|` and friction, in space over
    /// the two components of `v_t/|v_n|`.
    ///
    /// # Errors
    /// Those of [`Map::over_coefficients`], or the Delassus matrix is singular.
    pub fn over_state(problem: &Problem, title: &str, options: &MapOptions) -> Result<Self, MapError> {
        let subject = Subject::new(problem, options)?;
        if !subject.contact.delassus().is_regular() {
            return Err(MapError::Singular);
        }
        let restitution = subject.outcome.restitution;
        let restitution = Restitution::with_tangential(restitution.normal, restitution.tangential)?;
        let own = ratios(&subject.contact);
        let states = States { subject: &subject, restitution };
        let scale = percent(&subject.contact, 1.0)?;
        let (parts, at) = match subject.contact.delassus().dimension() {
            Dimension::Spatial => (states.spatial(own, options)?, own),
            Dimension::Planar | Dimension::Normal => {
                (states.planar(own[0], options)?, [own[0], subject.friction.mu_s()])
            }
        };
        let (axes, curves, regions, cells) = parts;
        Ok(subject.map(title, Over::State, axes, at, scale, curves, regions, cells))
    }
}

type Parts = ([Axis; 2], Vec<Curve>, Vec<Region>, Vec<Cell>);

/// A curve, and the condition that holds on one side of it.
type Boundary<'a> = (CurveName, &'a (dyn Fn([f64; 2]) -> bool + Sync));

struct States<'a> {
    subject: &'a Subject,
    restitution: Restitution,
}

impl States<'_> {
    fn planar(&self, own: f64, options: &MapOptions) -> Result<Parts, MapError> {
        let delassus = *self.subject.contact.delassus();
        let safe = self.restitution.normal_at(0.0) <= delassus.restitution_limit(&self.restitution);
        let sample = |x: f64| {
            let contact = self.contact([x, 0.0]);
            Sample {
                x,
                curves: contact
                    .map_or([f64::INFINITY; 3], |contact| self.subject.critical(&contact, &self.restitution)),
                creates: contact.is_some_and(|contact| self.creates(&contact)),
                is_safe: safe,
            }
        };
        let half = half_width(own);
        let x = axis(Quantity::VelocityRatio, options.range.x.unwrap_or([-half, half]))?;
        let friction_limit = delassus.friction_limit().map_or(f64::INFINITY, |limit| limit / self.subject.ratio());
        let y = self.subject.friction_ends(&options.range, x, sample);
        let y = axis(Quantity::Friction, y)?;
        let profile = Profile::new(x, y, friction_limit, sample);
        let cells = cells(options.resolution, [x, y], |at| {
            let contact = self.contact([at[0], 0.0]).ok_or(MapError::Singular)?;
            let coefficients = Coefficients::new(self.restitution, self.subject.friction(at[1])?);
            self.cell(at, &contact, &coefficients)
        })?;
        Ok(([x, y], profile.curves(), profile.regions(Vec::new()), cells))
    }

    fn spatial(&self, own: [f64; 2], options: &MapOptions) -> Result<Parts, MapError> {
        let half = match options.range.y {
            Some((_, top)) => top,
            None => half_width(own[0].hypot(own[1]).max(self.reach())),
        };
        let y = match options.range.y {
            Some((Some(low), high)) => [low, high],
            _ => [-half, half],
        };
        let axes = [
            axis(Quantity::VelocityRatio1, options.range.x.unwrap_or([-half, half]))?,
            axis(Quantity::VelocityRatio2, y)?,
        ];
        let resolution = options.resolution;
        let coefficients = Coefficients::new(self.restitution, self.subject.friction);
        let cells = cells(resolution, axes, |at| {
            let contact = self.contact(at).ok_or(MapError::Singular)?;
            self.cell(at, &contact, &coefficients)
        })?;
        let answer = |at: [f64; 2]| {
            let outcome = self.contact(at).and_then(|contact| contact.impact(&coefficients, Guard::Report).ok());
            outcome.map(|outcome| Cell::new(at, &outcome, 1.0))
        };
        let region = |kind: RegionKind, of_cell: &(dyn Fn(&Cell) -> bool + Sync)| {
            // The position between two cells of a row where the law's answer changes.
            let edge = |j: usize, column: usize| match column {
                0 => axes[0].min,
                column if column == resolution => axes[0].max,
                column => {
                    let [a, b] = [column - 1, column].map(|i| &cells[j * resolution + i]);
                    let (out, inside) = if of_cell(a) { (b.at, a.at) } else { (a.at, b.at) };
                    bisect(out, inside, |at| answer(at).is_some_and(|cell| of_cell(&cell)))[0]
                }
            };
            Region { kind, polygons: rows::runs(&cells, resolution, axes[1], of_cell, edge) }
        };
        type Condition = (RegionKind, fn(&Cell) -> bool);
        let conditions: [Condition; 6] = [
            (RegionKind::Slip, |cell| cell.mode == Mode::Slip),
            (RegionKind::Stick, |cell| cell.mode == Mode::Stick),
            (RegionKind::Reversal, |cell| cell.mode == Mode::Reversal),
            (RegionKind::Creation, |cell| !cell.admissible),
            (RegionKind::Several, |cell| cell.solutions.is_some_and(|count| count > 1)),
            (RegionKind::AdmissibleSet, |cell| cell.admissible_any_state),
        ];
        let regions: Vec<Region> = conditions.par_iter().map(|(kind, holds)| region(*kind, holds)).collect();
        let regions = regions.into_iter().filter(|region| !region.polygons.is_empty()).collect();
        Ok((axes, self.boundaries(axes, resolution), regions, cells))
    }

    /// The largest velocity ratio at which contacts stick, as far as a map can show.
    fn reach(&self) -> f64 {
        const DIRECTIONS: u32 = 48;
        let sticks = |ratio: f64| {
            (0..DIRECTIONS).any(|k| {
                let (sin, cos) = (f64::from(k) * std::f64::consts::TAU / f64::from(DIRECTIONS)).sin_cos();
                let contact = self.contact([ratio * cos, ratio * sin]);
                contact.is_some_and(|c| self.subject.critical(&c, &self.restitution)[0] <= self.subject.friction.mu_s())
            })
        };
        let mut ratios = (1..=100).map(|k| 0.1 * f64::from(k)).filter(|ratio| sticks(*ratio));
        // Beyond this, the region does not end inside a figure.
        ratios.next_back().filter(|ratio| *ratio < 9.95).unwrap_or(0.0)
    }

    /// The curves on which the problem's coefficients are critical, by the law's own functions.
    fn boundaries(&self, axes: [Axis; 2], resolution: usize) -> Vec<Curve> {
        let node = |k: usize, i: usize| axes[k].min + (axes[k].max - axes[k].min) * (i as f64 / resolution as f64);
        let place = |[i, j]: [usize; 2]| [node(0, i), node(1, j)];
        let (mu_s, e) = (self.subject.friction.mu_s(), self.restitution);
        let critical = |at: [f64; 2]| self.contact(at).map_or([f64::INFINITY; 3], |c| self.subject.critical(&c, &e));
        let creates = |at: [f64; 2]| self.contact(at).is_some_and(|contact| self.creates(&contact));
        let conditions: [Boundary<'_>; 4] = [
            (CurveName::CriticalFriction, &|at| mu_s >= critical(at)[0]),
            (CurveName::CriticalReversal, &|at| mu_s >= critical(at)[1]),
            (CurveName::PrintedCriticalFriction, &|at| mu_s >= critical(at)[2]),
            (CurveName::RestitutionLimitState, &creates),
        ];
        let curve = |(name, holds): &Boundary<'_>| {
            let nodes: Vec<bool> =
                (0..=resolution).flat_map(|j| (0..=resolution).map(move |i| [i, j])).map(|n| holds(place(n))).collect();
            let at = |i: usize, j: usize| Some(nodes[j * (resolution + 1) + i]);
            let crossing = |a: [usize; 2], b: [usize; 2]| bisect(place(a), place(b), holds);
            Curve { name: *name, pieces: boundaries(resolution + 1, resolution + 1, at, crossing) }
        };
        let curves: Vec<Curve> = conditions.par_iter().map(curve).collect();
        curves.into_iter().filter(|curve| !curve.pieces.is_empty()).collect()
    }

    /// The contact that approaches at unit speed with these tangential velocities; `None` if it cannot move so.
    fn contact(&self, ratios: [f64; 2]) -> Option<Contact> {
        let delassus = *self.subject.contact.delassus();
        let rows = delassus.dimension().rows();
        Contact::new(delassus, &[-1.0, ratios[0], ratios[1]][..rows]).ok()
    }

    /// Whether a stick would create energy, `e > e*(v)`.
    fn creates(&self, contact: &Contact) -> bool {
        let e = self.restitution.normal_at(1.0);
        contact.restitution_limit(&self.restitution).is_some_and(|limit| e > limit)
    }

    fn cell(&self, at: [f64; 2], contact: &Contact, coefficients: &Coefficients) -> Result<Cell, MapError> {
        let mut cell = Cell::new(at, &contact.impact(coefficients, Guard::Report)?, 1.0);
        cell.energy_change = percent(contact, cell.energy_change)?;
        Ok(cell)
    }
}

/// An energy change in percent of the energy accessible to the contact.
fn percent(contact: &Contact, change: f64) -> Result<f64, MapError> {
    Ok(contact_energy(contact)?.map_or(0.0, |energy| 100.0 * change / energy))
}

/// The tangential velocities over the speed of approach.
fn ratios(contact: &Contact) -> [f64; 2] {
    let v = contact.velocity();
    [1, 2].map(|k| v.get(k).map_or(0.0, |v_t| v_t / contact.approach_speed()))
}

fn half_width(own: f64) -> f64 {
    round_up((1.2 * own.abs()).clamp(LEAST_RATIO, 1e5))
}
