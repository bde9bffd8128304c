//! Colours, patterns and lines. Regions differ in lightness and pattern, lines in their dashes, so that they can be
//! distinguished in grey print; the hues are safe for the colour-blind (after Okabe and Ito).

use super::drawing::{Clip, Colour, Drawing, Item, Path, Stroke, Vec2};
use carom_study::{CurveName, LocusName, RegionKind};

/// How a region is filled.
pub(super) struct Fill {
    pub(super) colour: Option<Colour>,
    pub(super) pattern: Pattern,
}

/// The pattern drawn over a fill.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pattern {
    None,
    Rising(Colour),
    Falling(Colour),
    Crossed(Colour),
    Dots(Colour),
}

pub(super) fn fill(kind: RegionKind) -> Fill {
    let (colour, pattern) = match kind {
        RegionKind::Slip => (Some(0xff_fbee), Pattern::None),
        RegionKind::Stick => (Some(0xc9_dff1), Pattern::None),
        RegionKind::Reversal => (Some(0xd6_ebcb), Pattern::Dots(Colour(0x2f_6b3c))),
        RegionKind::Creation => (Some(0xf3_ba93), Pattern::Rising(Colour(0xa6_4400))),
        RegionKind::Several => (Some(0xdc_cfe8), Pattern::Crossed(Colour(0x5b_3a7d))),
        RegionKind::AdmissibleSet => (None, Pattern::Falling(Colour(0x40_4040))),
    };
    Fill { colour: colour.map(Colour), pattern }
}

pub(super) fn stroke(name: CurveName) -> Stroke {
    const BLUE: Colour = Colour(0x00_5a9c);
    const RED: Colour = Colour(0xb0_3a00);
    const GREEN: Colour = Colour(0x1f_6b45);
    let (colour, width, dash): (Colour, f64, &'static [f64]) = match name {
        CurveName::CriticalFriction => (Colour::BLACK, 1.7, &[]),
        CurveName::PrintedCriticalFriction => (Colour::BLACK, 1.1, &[5.0, 3.0]),
        CurveName::CriticalReversal => (GREEN, 1.5, &[8.0, 2.0, 1.6, 2.0]),
        CurveName::RestitutionLimitState => (RED, 1.5, &[11.0, 2.0]),
        CurveName::RestitutionLimitConfiguration => (RED, 1.2, &[1.4, 2.2]),
        CurveName::FrictionLimit => (BLUE, 1.2, &[3.0, 1.6, 1.0, 1.6, 1.0, 1.6]),
    };
    Stroke { colour, width, dash, is_round: false }
}

pub(super) const CONTOUR: Stroke = Stroke { colour: Colour(0x50_5050), width: 0.5, dash: &[], is_round: true };
pub(super) const GRID: Stroke = Stroke { colour: Colour(0x90_9090), width: 0.35, dash: &[1.0, 2.0], is_round: false };
pub(super) const FRAME: Stroke = Stroke { colour: Colour::BLACK, width: 0.8, dash: &[], is_round: false };

/// Draws the lines of a pattern over a box, clipped to a region.
pub(super) fn pattern(drawing: &mut Drawing, pattern: Pattern, [low, high]: [Vec2; 2], clip: Clip) {
    let line = |colour, width| Stroke { colour, width, dash: &[], is_round: false };
    let diagonals = |rising: bool, spacing: f64| {
        let height = high[1] - low[1];
        let mut path = Path::default();
        // All boxes share one set of lines, so that the pattern continues from region to region.
        let mut x = ((low[0] - height) / spacing).floor() * spacing;
        while x < high[0] + height {
            let ends = if rising { [[x, high[1]], [x + height, low[1]]] } else { [[x, low[1]], [x + height, high[1]]] };
            path.extend(Path::polyline(ends));
            x += spacing;
        }
        path
    };
    match pattern {
        Pattern::None => {}
        Pattern::Rising(colour) => drawing.stroke(diagonals(true, 5.0), line(colour, 0.6), Some(clip)),
        Pattern::Falling(colour) => drawing.stroke(diagonals(false, 7.0), line(colour, 0.5), Some(clip)),
        Pattern::Crossed(colour) => {
            drawing.stroke(diagonals(true, 4.0), line(colour, 0.5), Some(clip));
            drawing.stroke(diagonals(false, 4.0), line(colour, 0.5), Some(clip));
        }
        Pattern::Dots(colour) => {
            let mut path = Path::default();
            let mut row = (low[1] / 4.0).floor() * 4.0;
            let mut is_odd = false;
            while row < high[1] {
                let start = (low[0] / 5.0).floor() * 5.0 + if is_odd { 2.5 } else { 0.0 };
                path.extend(Path::polyline([[start, row], [high[0], row]]));
                row += 4.0;
                is_odd = !is_odd;
            }
            let stroke = Stroke { colour, width: 1.2, dash: &[0.01, 4.99], is_round: true };
            drawing.stroke(path, stroke, Some(clip));
        }
    }
}

/// Marks the problem's own point.
pub(super) fn marker(drawing: &mut Drawing, at: Vec2) {
    drawing.items.push(Item::Fill { path: Path::disc(at, 4.6), colour: Colour::WHITE });
    drawing.items.push(Item::Fill { path: Path::disc(at, 3.6), colour: Colour::BLACK });
    drawing.items.push(Item::Fill { path: Path::disc(at, 1.3), colour: Colour::WHITE });
}

/// Marks the problem's own point beyond the frame by an arrow.
pub(super) fn arrow(drawing: &mut Drawing, tip: Vec2, [x, y]: Vec2) {
    let at = |back: f64, side: f64| [tip[0] - back * x - side * y, tip[1] - back * y + side * x];
    let path = Path::polygon([
        at(0.0, 0.0),
        at(7.0, 4.6),
        at(7.0, 1.6),
        at(14.0, 1.6),
        at(14.0, -1.6),
        at(7.0, -1.6),
        at(7.0, -4.6),
    ]);
    let halo = Stroke { colour: Colour::WHITE, width: 2.4, dash: &[], is_round: true };
    drawing.stroke(path.clone(), halo, None);
    drawing.fill(path, Colour::BLACK);
}

/// The line style of a condition on the velocity after.
pub(super) fn locus(name: LocusName) -> Stroke {
    let (colour, width, dash): (u32, f64, &'static [f64]) = match name {
        LocusName::Sticking => (0x1f_6b45, 1.5, &[8.0, 2.0, 1.6, 2.0]),
        LocusName::TangentialRestitution => (0x1f_6b45, 1.2, &[3.0, 1.6, 1.0, 1.6, 1.0, 1.6]),
        LocusName::MaximumCompression => (0x00_5a9c, 1.2, &[1.4, 2.2]),
        LocusName::Restitution => (0xb0_3a00, 1.4, &[11.0, 2.0]),
    };
    Stroke { colour: Colour(colour), width, dash, is_round: false }
}

/// The inside of the cone of `μ_d`.
pub(super) const CONE: Colour = Colour(0xe2_ecf5);
/// Its edge, and that of the cone of `μ_s` if it is different.
pub(super) const DYNAMIC_EDGE: Stroke = Stroke { colour: Colour::BLACK, width: 1.5, dash: &[], is_round: false };
pub(super) const STATIC_EDGE: Stroke = Stroke { colour: Colour::BLACK, width: 1.1, dash: &[5.0, 3.0], is_round: false };
/// The ellipse of zero energy change.
pub(super) const NEUTRAL: Stroke = Stroke { colour: Colour(0x70_7070), width: 0.7, dash: &[], is_round: true };
