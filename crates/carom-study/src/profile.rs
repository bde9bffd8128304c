//! Curves over one abscissa, and the regions between them.

use crate::map::{Axis, Curve, CurveName, Region, RegionKind};

/// Initial number of intervals: a feature narrower than one may be missed.
const INTERVALS: usize = 128;
/// Largest number of bisections where a curve bends, and where a region starts or ends.
const BENDS: u32 = 8;
const ENDS: u32 = 36;
/// Largest distance of a curve from its chord, as a fraction of the axis.
const FLATNESS: f64 = 2e-4;

/// The law at one abscissa, as static coefficients of friction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample {
    pub(super) x: f64,
    /// `μ_cr`, `μ_rev`, `μ_cr` as printed; infinite if it does not exist.
    pub(super) curves: [f64; 3],
    /// Whether stick creates energy here.
    pub(super) creates: bool,
    /// Whether stick creates energy in no state.
    pub(super) is_safe: bool,
}

/// Samples from left to right, dense where a region starts or ends.
pub(super) struct Profile {
    y: Axis,
    x: Axis,
    friction_limit: f64,
    samples: Vec<Sample>,
}

impl Profile {
    pub(super) fn new(x: Axis, y: Axis, friction_limit: f64, sample: impl Fn(f64) -> Sample) -> Self {
        let mut profile = Self { y, x, friction_limit, samples: Vec::new() };
        let at =
            |i: usize| if i == INTERVALS { x.max } else { x.min + (x.max - x.min) * (i as f64 / INTERVALS as f64) };
        let coarse: Vec<Sample> = (0..=INTERVALS).map(|i| sample(at(i))).collect();
        profile.samples.push(coarse[0]);
        for pair in coarse.windows(2) {
            profile.refine(pair[0], pair[1], 0, &sample);
        }
        profile
    }

    /// Appends the samples between two samples, and the second one.
    fn refine(&mut self, a: Sample, b: Sample, depth: u32, sample: &impl Fn(f64) -> Sample) {
        let middle = sample(0.5 * (a.x + b.x));
        let changes = self.signature(&a) != self.signature(&b);
        if depth < BENDS && self.bends(&a, &middle, &b) || depth < ENDS && changes {
            self.refine(a, middle, depth + 1, sample);
            self.refine(middle, b, depth + 1, sample);
        } else {
            self.samples.push(b);
        }
    }

    fn bends(&self, a: &Sample, middle: &Sample, b: &Sample) -> bool {
        let allowed = FLATNESS * (self.y.max - self.y.min);
        let is_near = |mu: f64| mu <= 2.0 * self.y.max;
        (0..3).any(|k| {
            let [a, m, b] = [a, middle, b].map(|sample| sample.curves[k]);
            [a, m, b].into_iter().any(is_near) && !((0.5 * (a + b) - m).abs() <= allowed)
        })
    }

    /// Determines which regions exist at an abscissa.
    fn signature(&self, sample: &Sample) -> ([u8; 3], bool, bool, bool) {
        let place = |mu: f64| u8::from(mu > self.y.min) + u8::from(mu > self.y.max);
        (sample.curves.map(place), sample.curves[1] < sample.curves[0], sample.creates, sample.is_safe)
    }

    /// The critical coefficients, and `μ*`.
    pub(super) fn curves(&self) -> Vec<Curve> {
        let names = [CurveName::CriticalFriction, CurveName::CriticalReversal, CurveName::PrintedCriticalFriction];
        let mut curves = Vec::new();
        for (k, name) in names.into_iter().enumerate() {
            let inside = |sample: &Sample| (self.y.min..=self.y.max).contains(&sample.curves[k]);
            let pieces = self.samples.chunk_by(|a, b| inside(a) && inside(b));
            let pieces: Vec<Vec<[f64; 2]>> = pieces
                .filter(|piece| piece.len() > 1)
                .map(|piece| piece.iter().map(|sample| [sample.x, sample.curves[k]]).collect())
                .collect();
            if !pieces.is_empty() {
                curves.push(Curve { name, pieces });
            }
        }
        if (self.y.min..=self.y.max).contains(&self.friction_limit) {
            let line = vec![[self.x.min, self.friction_limit], [self.x.max, self.friction_limit]];
            curves.push(Curve { name: CurveName::FrictionLimit, pieces: vec![line] });
        }
        curves
    }

    /// The regions bounded by the curves, and `several`.
    pub(super) fn regions(&self, several: Vec<Vec<[f64; 2]>>) -> Vec<Region> {
        let always = |_: &Sample| true;
        let stick = |s: &Sample| s.curves[0];
        let slides = |s: &Sample| s.curves[0].min(s.curves[1]);
        let top = |_: &Sample| f64::INFINITY;
        let bottom = |_: &Sample| 0.0;
        let mut safe = self.band(stick, top, |s| s.is_safe);
        safe.extend(self.band(bottom, |s| s.curves[0].min(self.friction_limit), always));
        [
            (RegionKind::Slip, self.band(bottom, slides, always)),
            (RegionKind::Stick, self.band(stick, top, always)),
            (RegionKind::Reversal, self.band(slides, stick, always)),
            (RegionKind::Creation, self.band(stick, top, |s| s.creates)),
            (RegionKind::Several, several),
            (RegionKind::AdmissibleSet, safe),
        ]
        .into_iter()
        .filter(|(_, polygons)| !polygons.is_empty())
        .map(|(kind, polygons)| Region { kind, polygons })
        .collect()
    }

    /// The polygons between two curves where a condition holds.
    fn band(
        &self,
        low: impl Fn(&Sample) -> f64,
        high: impl Fn(&Sample) -> f64,
        holds: impl Fn(&Sample) -> bool,
    ) -> Vec<Vec<[f64; 2]>> {
        let ends = |s: &Sample| [low(s), high(s)].map(|mu| mu.clamp(self.y.min, self.y.max));
        let is_open = |s: &Sample| ends(s)[0] < ends(s)[1];
        let joined = |a: &Sample, b: &Sample| holds(a) && holds(b) && (is_open(a) || is_open(b));
        let runs = self.samples.chunk_by(joined).filter(|run| run.len() > 1);
        runs.map(|run| {
            let upper = run.iter().map(|s| [s.x, ends(s)[1]]);
            let lower = run.iter().rev().map(|s| [s.x, ends(s)[0]]);
            simplified(upper.chain(lower))
        })
        .collect()
    }
}

/// A polygon without the points inside its horizontal edges.
fn simplified(points: impl Iterator<Item = [f64; 2]>) -> Vec<[f64; 2]> {
    let mut polygon: Vec<[f64; 2]> = Vec::new();
    for point in points {
        if let [.., before, last] = polygon[..]
            && before[1] == last[1]
            && last[1] == point[1]
        {
            polygon.pop();
        }
        polygon.push(point);
    }
    polygon
}
