//! The cone and the conditions on the velocity after, in each view.

use crate::figure::drawing::{Drawing, Path, Stroke, Vec2};
use crate::figure::marks::Places;
use crate::figure::plot::Plot;
use crate::figure::style;
use carom_study::{ImpulseSpace, Locus, LocusName};

/// The cone of `μ_d` filled, its edges and those of `μ_s`, in a view with `i_n` upwards.
fn cone(drawing: &mut Drawing, space: &ImpulseSpace, plot: &Plot, places: &mut Places, sides: &[f64]) {
    let clip = drawing.clip(Path::rectangle(plot.corner, plot.size));
    let [mu_s, mu_d] = space.friction;
    let top = plot.ends[1][1];
    let tip = [0.0, 0.0];
    let ends = |mu: f64| sides.iter().map(move |side| [side * mu * top, top]);
    let mut corners = vec![tip];
    corners.extend(ends(mu_d));
    if sides.len() == 1 {
        corners.push([0.0, top]);
    }
    let corners = cut(&corners, plot);
    drawing.fill(Path::polygon(corners), style::CONE);
    let mut edges = |mu: f64, stroke| {
        let mut path = Path::default();
        for end in ends(mu) {
            let line = [plot.place(tip), plot.place(end)];
            places.take_line(&line);
            path.extend(Path::polyline(line));
        }
        drawing.stroke(path, stroke, Some(clip));
    };
    if mu_s != mu_d {
        edges(mu_s, style::STATIC_EDGE);
    }
    edges(mu_d, style::DYNAMIC_EDGE);
}

/// A polygon clipped to a plot, in points of the figure.
fn cut(corners: &[[f64; 2]], plot: &Plot) -> Vec<Vec2> {
    let mut polygon = corners.to_vec();
    for k in 0..2 {
        for (end, sign) in [(plot.ends[k][0], 1.0), (plot.ends[k][1], -1.0)] {
            let depth = |p: &[f64; 2]| sign * (p[k] - end);
            let next = polygon.iter().cycle().skip(1);
            let pieces = polygon.iter().zip(next).flat_map(|(a, b)| {
                let (u, v) = (depth(a), depth(b));
                let crossing = ((u < 0.0) != (v < 0.0)).then(|| {
                    let t = u / (u - v);
                    [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])]
                });
                (u >= 0.0).then_some(*a).into_iter().chain(crossing)
            });
            polygon = pieces.collect();
        }
    }
    polygon.into_iter().map(|p| plot.place(p)).collect()
}

/// The lines through zero.
fn axes(drawing: &mut Drawing, plot: &Plot) {
    let [x, y] = plot.ends;
    let mut path = Path::polyline([plot.place([x[0], 0.0]), plot.place([x[1], 0.0])]);
    path.extend(Path::polyline([plot.place([0.0, y[0]]), plot.place([0.0, y[1]])]));
    let clip = drawing.clip(Path::rectangle(plot.corner, plot.size));
    drawing.stroke(path, style::GRID, Some(clip));
}

pub(super) fn planar(drawing: &mut Drawing, space: &ImpulseSpace, plot: &Plot, places: &mut Places) {
    cone(drawing, space, plot, places, &[-1.0, 1.0]);
    axes(drawing, plot);
    let clip = drawing.clip(Path::rectangle(plot.corner, plot.size));
    if let Some(ellipse) = space.neutral {
        let points = around().map(|angle| ellipse.at(angle)).map(|[n, t]| plot.place([t, n])).collect::<Vec<_>>();
        places.take_line(&points);
        drawing.stroke(Path::polyline(points), style::NEUTRAL, Some(clip));
    }
    for locus in space.loci.iter().rev() {
        let Some([point, direction]) = locus.line() else { continue };
        straight(drawing, plot, places, [[point[1], point[0]], [direction[1], direction[0]]], locus.name);
    }
}

pub(super) fn along_the_normal(drawing: &mut Drawing, space: &ImpulseSpace, plot: &Plot, places: &mut Places) {
    let clip = drawing.clip(Path::rectangle(plot.corner, plot.size));
    let [mu_s, mu_d] = space.friction;
    let section = |name: LocusName, mu: f64| {
        let edge = |angle| space.locus(name)?.edge(mu, angle).map(|i| plot.place([i[1], i[2]]));
        let mut pieces: Vec<Vec<Vec2>> = vec![Vec::new()];
        for point in around().map(edge) {
            match (point, pieces.last_mut()) {
                (Some(point), Some(piece)) => piece.push(point),
                _ => pieces.push(Vec::new()),
            }
        }
        pieces.retain(|piece| piece.len() > 1);
        pieces
    };
    let restored = space.restored().map_or(LocusName::MaximumCompression, |locus| locus.name);
    if let Some(locus) = space.restored() {
        // In a direction in which the plane does not meet the cone's edge, everything is inside.
        let far = 4.0 * plot.ends.iter().flatten().fold(0.0_f64, |far, end| far.max(end.abs()));
        let reach = |angle| locus.edge(mu_d, angle).map_or(far, |i| i[1].hypot(i[2]).min(far));
        let points: Vec<[f64; 2]> =
            around().map(|angle| [reach(angle) * angle.cos(), reach(angle) * angle.sin()]).collect();
        drawing.fill(Path::polygon(cut(&points, plot)), style::CONE);
    }
    axes(drawing, plot);
    if let Some(ellipse) = space.neutral {
        let points = around().map(|angle| plot.place(ellipse.at(angle))).collect::<Vec<_>>();
        places.take_line(&points);
        drawing.stroke(Path::polyline(points), style::NEUTRAL, Some(clip));
    }
    let mut stroke = |pieces: Vec<Vec<Vec2>>, stroke| {
        for piece in pieces {
            places.take_line(&piece);
            drawing.stroke(Path::polyline(piece), stroke, Some(clip));
        }
    };
    if restored != LocusName::MaximumCompression {
        stroke(section(LocusName::MaximumCompression, mu_d), style::locus(LocusName::MaximumCompression));
    }
    if mu_s != mu_d {
        stroke(section(restored, mu_s), style::STATIC_EDGE);
    }
    stroke(section(restored, mu_d), style::locus(restored));
    for name in [LocusName::TangentialRestitution, LocusName::Sticking] {
        if let Some([point, direction]) = space.locus(name).and_then(|locus| locus.line()) {
            straight(drawing, plot, places, [[point[1], point[2]], [direction[1], direction[2]]], name);
        }
    }
}

pub(super) fn from_the_side(drawing: &mut Drawing, space: &ImpulseSpace, plot: &Plot, places: &mut Places) {
    cone(drawing, space, plot, places, &[1.0]);
    axes(drawing, plot);
}

/// Angles of a full turn.
fn around() -> impl Iterator<Item = f64> {
    const STEPS: u32 = 180;
    (0..=STEPS).map(|k| f64::from(k) * std::f64::consts::TAU / f64::from(STEPS))
}

/// A line through a point, clipped to the plot.
fn straight(drawing: &mut Drawing, plot: &Plot, places: &mut Places, line: [[f64; 2]; 2], name: LocusName) {
    let [point, direction] = line;
    if direction == [0.0, 0.0] {
        // Seen along its direction it is a point.
        let ring = Stroke { dash: &[], ..style::locus(name) };
        drawing.stroke(Path::disc(plot.place(point), 7.0), ring, None);
        return;
    }
    if let Some(span) = inside(plot, line) {
        let points = span.map(|t| plot.place([0, 1].map(|k: usize| point[k] + t * direction[k])));
        places.take_line(&points);
        drawing.stroke(Path::polyline(points), style::locus(name), None);
    }
}

/// The parameters at which a line enters and leaves the plot; `None` if it misses it.
fn inside(plot: &Plot, [point, direction]: [[f64; 2]; 2]) -> Option<[f64; 2]> {
    let (mut from, mut to) = (f64::NEG_INFINITY, f64::INFINITY);
    for k in 0..2 {
        if direction[k] != 0.0 {
            let [a, b] = plot.ends[k].map(|end| (end - point[k]) / direction[k]);
            (from, to) = (from.max(a.min(b)), to.min(a.max(b)));
        } else if !(plot.ends[k][0]..=plot.ends[k][1]).contains(&point[k]) {
            return None;
        }
    }
    (from < to).then_some([from, to])
}

/// Whether part of a locus is in the first view.
pub(super) fn shows_locus(space: &ImpulseSpace, plot: &Plot, locus: &Locus) -> bool {
    let is_planar = space.contact_dimension == 2;
    let [x, y] = if is_planar { [1, 0] } else { [1, 2] };
    match locus.line() {
        Some(line) => inside(plot, line.map(|vector| [vector[x], vector[y]])).is_some(),
        None => around().any(|angle| {
            let [_, mu_d] = space.friction;
            locus.edge(mu_d, angle).is_some_and(|i| plot.shows([i[1], i[2]]))
        }),
    }
}

/// Whether part of the ellipse of zero energy change is in the first view.
pub(super) fn shows_neutral(space: &ImpulseSpace, plot: &Plot) -> bool {
    let is_planar = space.contact_dimension == 2;
    let at = |[a, b]: [f64; 2]| if is_planar { [b, a] } else { [a, b] };
    space.neutral.is_some_and(|ellipse| around().any(|angle| plot.shows(at(ellipse.at(angle)))))
}
