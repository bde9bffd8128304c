//! The key below a plot, with only those entries that the figure shows.

use carom_law::Mode;

use super::drawing::{Drawing, Path, Vec2};
use super::font::Fonts;
use super::plot::Plot;
use super::style;
use carom_sim::number::{significant, tidy};
use carom_study::{Cell, Curve, CurveName, EnergyUnit, Map, Over, Quantity, RegionKind};

const SIZE: f64 = 8.5;
const ROW: f64 = 13.0;
/// Width of a sample.
const SAMPLE: f64 = 24.0;
/// An area is visible if it contains a square of this side, in points.
const SEEN: f64 = 1.2;

/// Distance in points up to which a thick line covers a thin one.
const COVERED: f64 = 0.7;
/// Coefficients and ratios of velocities below this are rounding.
const ROUNDING: f64 = 1e-12;

/// The kinds of entries of the key.
pub(super) enum Key {
    Region(RegionKind),
    Curve(CurveName),
    Contour,
    Point { is_shown: bool },
}

/// The entries of the key, in reading order.
pub(super) fn keys(map: &Map, admissible_set: bool, has_contours: bool, plot: &Plot) -> Vec<(Key, String)> {
    let mut keys = Vec::new();
    for kind in [
        RegionKind::Stick,
        RegionKind::Slip,
        RegionKind::Reversal,
        RegionKind::Creation,
        RegionKind::Several,
        RegionKind::AdmissibleSet,
    ] {
        // The stick area may be covered by the area that creates energy.
        let is_bare = kind != RegionKind::Stick || map.cells.iter().any(|cell| holds(kind, cell));
        let is_there = is_bare && map.regions.iter().any(|region| region.kind == kind);
        if kind == RegionKind::AdmissibleSet && !admissible_set {
            continue;
        }
        match (is_there, kind) {
            (true, _) if is_seen(map, kind, plot) => keys.push((Key::Region(kind), region(kind).to_owned())),
            (false, RegionKind::AdmissibleSet) => keys.push((Key::Region(kind), format!("{}: nowhere", region(kind)))),
            _ => {}
        }
    }
    let is_shown = plot.shows(map.point.at);
    let own = if is_shown { "this impact".to_owned() } else { format!("this impact: {}", beyond(map)) };
    keys.push((Key::Point { is_shown }, own));
    for name in [
        CurveName::CriticalFriction,
        CurveName::PrintedCriticalFriction,
        CurveName::CriticalReversal,
        CurveName::RestitutionLimitState,
        CurveName::RestitutionLimitConfiguration,
        CurveName::FrictionLimit,
    ] {
        if map.curves.iter().any(|curve| curve.name == name && is_inside(curve, plot) && !is_covered(curve, map, plot))
        {
            keys.push((Key::Curve(name), curve(name, map)));
        }
    }
    if has_contours {
        let what = match map.energy_unit {
            EnergyUnit::KineticEnergy => "Δ*K* in % of *K*^{−}",
            EnergyUnit::ContactEnergy => "Δ*K* in % of *K*_{c}",
            EnergyUnit::Absolute => "Δ*K*, the problem’s units",
        };
        keys.push((Key::Contour, what.to_owned()));
    }
    keys
}

/// Whether a curve is anywhere off the frame, on which it cannot be seen.
fn is_inside(curve: &Curve, plot: &Plot) -> bool {
    let points = curve.pieces.iter().flatten().map(|at| plot.place(*at));
    let inside =
        |at: Vec2| (0..2).all(|k| at[k] - plot.corner[k] > SEEN && plot.corner[k] + plot.size[k] - at[k] > SEEN);
    // A straight line has its ends on the frame; its middle decides.
    let pieces = curve.pieces.iter().filter(|piece| piece.len() == 2);
    let middles = pieces.map(|piece| plot.place([0, 1].map(|k: usize| 0.5 * (piece[0][k] + piece[1][k]))));
    points.chain(middles).any(inside)
}

/// Whether a curve lies below the exact one, which is drawn last, wherever it is.
fn is_covered(curve: &Curve, map: &Map, plot: &Plot) -> bool {
    let exact = map.curves.iter().find(|other| other.name == CurveName::CriticalFriction && *other != curve);
    let segments: Vec<[Vec2; 2]> = exact
        .iter()
        .flat_map(|exact| &exact.pieces)
        .flat_map(|piece| piece.windows(2).map(|pair| [plot.place(pair[0]), plot.place(pair[1])]))
        .collect();
    let is_near = |p: Vec2, [a, b]: &[Vec2; 2]| {
        let [along, to] = [[b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]];
        let length = along[0] * along[0] + along[1] * along[1];
        let t = if length > 0.0 { ((along[0] * to[0] + along[1] * to[1]) / length).clamp(0.0, 1.0) } else { 0.0 };
        (to[0] - t * along[0]).hypot(to[1] - t * along[1]) <= COVERED
    };
    let points = curve.pieces.iter().flatten().map(|at| plot.place(*at));
    exact.is_some() && points.into_iter().all(|p| segments.iter().any(|segment| is_near(p, segment)))
}

/// Whether a region of this kind is drawn in a cell.
fn holds(kind: RegionKind, cell: &Cell) -> bool {
    match kind {
        RegionKind::Stick => cell.mode == Mode::Stick && cell.admissible,
        RegionKind::Slip => cell.mode == Mode::Slip,
        RegionKind::Reversal => cell.mode == Mode::Reversal,
        RegionKind::Several => cell.solutions.is_some_and(|count| count > 1),
        RegionKind::Creation => !cell.admissible,
        RegionKind::AdmissibleSet => cell.admissible_any_state,
    }
}

/// Whether an area is visible: its cells contain a square of [`SEEN`] points.
fn is_seen(map: &Map, kind: RegionKind, plot: &Plot) -> bool {
    let n = map.resolution;
    let [columns, rows] = plot.size.map(|length| (SEEN * n as f64 / length).ceil() as usize);
    let side = columns.max(rows);
    // Size of the largest square of cells that ends at each cell, row by row.
    let mut above = vec![0; n];
    for row in map.cells.chunks(n) {
        let mut corner = 0;
        let mut before = 0;
        for (cell, largest) in row.iter().zip(&mut above) {
            let square = if holds(kind, cell) { 1 + corner.min(before).min(*largest) } else { 0 };
            (corner, before, *largest) = (*largest, square, square);
            if square >= side {
                return true;
            }
        }
    }
    false
}

/// The problem's own coefficients or state in numbers, if it is outside the plot.
fn beyond(map: &Map) -> String {
    let part = |k: usize| {
        let name = match map.axes[k].quantity {
            Quantity::Restitution => "*e*",
            Quantity::Friction => "*μ*_{s}",
            Quantity::VelocityRatio => "*v*_{t}/|*v*_{n}|",
            Quantity::VelocityRatio1 => "*v*_{t1}/|*v*_{n}|",
            Quantity::VelocityRatio2 => "*v*_{t2}/|*v*_{n}|",
        };
        format!("{name} = {}", significant(tidy(map.point.at[k], ROUNDING), 3).replace('-', "−"))
    };
    format!("{}, {}", part(0), part(1))
}

fn region(kind: RegionKind) -> &'static str {
    match kind {
        RegionKind::Stick => "stick",
        RegionKind::Slip => "slip",
        RegionKind::Reversal => "reversal",
        RegionKind::Several => "several answers",
        RegionKind::Creation => "stick that creates energy",
        RegionKind::AdmissibleSet => "the paper’s set [41]",
    }
}

fn curve(name: CurveName, map: &Map) -> String {
    let is_ratio = map.friction.mu_s() != map.friction.mu_d();
    let planar_axis = map.over == Over::Coefficients || map.contact_dimension == 2;
    // If friction is an axis, dynamic limits are drawn at the corresponding static coefficient.
    let over = if is_ratio && planar_axis { "·*μ*_{s}/*μ*_{d}" } else { "" };
    match (name, planar_axis) {
        (CurveName::CriticalFriction, true) => "*μ*_{cr}, exact".to_owned(),
        (CurveName::CriticalFriction, false) => "*μ*_{s} = *μ*_{cr}, exact".to_owned(),
        (CurveName::PrintedCriticalFriction, true) => "*μ*_{cr} as printed [23]".to_owned(),
        (CurveName::PrintedCriticalFriction, false) => "*μ*_{s} = *μ*_{cr} as printed [23]".to_owned(),
        (CurveName::CriticalReversal, true) => format!("*μ*_{{rev}}{over}"),
        (CurveName::CriticalReversal, false) => "*μ*_{d} = *μ*_{rev}".to_owned(),
        (CurveName::RestitutionLimitState, true) => "*e*^{∗}, this state [30]".to_owned(),
        (CurveName::RestitutionLimitState, false) => "*e* = *e*^{∗}, each state [30]".to_owned(),
        (CurveName::RestitutionLimitConfiguration, _) => "*e*^{∗}, every state [32]".to_owned(),
        (CurveName::FrictionLimit, _) => format!("*μ*^{{∗}}{over} [38]"),
    }
}

/// The height of a key in two columns.
pub(super) fn height(keys: &[(Key, String)]) -> f64 {
    let curves = keys.iter().filter(|(key, _)| matches!(key, Key::Curve(_))).count();
    ROW * curves.max(keys.len() - curves) as f64
}

/// Draws the key in two columns: areas, the point and contours; and the curves.
pub(super) fn draw(drawing: &mut Drawing, keys: Vec<(Key, String)>, corner: Vec2, width: f64, fonts: &Fonts) {
    let mut rows = [0.0; 2];
    for (key, text) in keys {
        let column = usize::from(matches!(key, Key::Curve(_)));
        let (x, y) = (corner[0] + 0.5 * width * column as f64, corner[1] + ROW * rows[column]);
        rows[column] += 1.0;
        sample(drawing, &key, [x, y], fonts);
        drawing.text([x + SAMPLE + 6.0, y + 7.6], fonts.marked(&text), SIZE);
    }
}

fn sample(drawing: &mut Drawing, key: &Key, [x, y]: Vec2, fonts: &Fonts) {
    let line = || Path::polyline([[x, y + 4.5], [x + SAMPLE, y + 4.5]]);
    match key {
        Key::Region(kind) => {
            let size = [SAMPLE, 9.0];
            let path = Path::rectangle([x, y], size);
            let fill = style::fill(*kind);
            if let Some(colour) = fill.colour {
                drawing.fill(path.clone(), colour);
            }
            if fill.pattern != style::Pattern::None {
                let clip = drawing.clip(path.clone());
                style::pattern(drawing, fill.pattern, [[x, y], [x + size[0], y + size[1]]], clip);
            }
            drawing.stroke(path, super::drawing::Stroke { width: 0.5, ..style::FRAME }, None);
        }
        Key::Curve(name) => drawing.stroke(line(), style::stroke(*name), None),
        Key::Contour => {
            let text = fonts.plain("−10");
            let left = x + 0.5 * (SAMPLE - 7.0 * text.width);
            for ends in [[x, left - 1.5], [left + 7.0 * text.width + 1.5, x + SAMPLE]] {
                drawing.stroke(Path::polyline(ends.map(|x| [x, y + 4.5])), style::CONTOUR, None);
            }
            drawing.text([left, y + 7.0], text, 7.0);
        }
        Key::Point { is_shown: true } => style::marker(drawing, [x + 0.5 * SAMPLE, y + 4.5]),
        Key::Point { is_shown: false } => style::arrow(drawing, [x + 0.5 * SAMPLE + 7.0, y + 4.5], [1.0, 0.0]),
    }
}
