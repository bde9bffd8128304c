//! The figure of a map: title and verdict, the plot, the key.

use carom_law::Mode;

use super::contours;
use super::drawing::Line;
use super::drawing::{Colour, Drawing, Item, Path, Vec2};
use super::font::Fonts;
use super::heading;
use super::layout::Room;
use super::legend;
use super::plot::Plot;
use super::{Options, style};
use carom_study::{Cell, Map, Over, Quantity, Region, RegionKind};

/// 12 cm: printed at 8 cm, half the width of a page, the smallest character is 5 pt.
pub(super) const WIDTH: f64 = 340.0;
pub(super) const MARGIN: f64 = 6.0;
const LEFT: f64 = 44.0;
const HEIGHT: f64 = 214.0;
const NAME_SIZE: f64 = 10.0;

/// Draws the whole figure.
pub(super) fn draw(map: &Map, options: &Options, fonts: &Fonts) -> Drawing {
    let is_square = map.axes[1].quantity == Quantity::VelocityRatio2;
    let mut drawing =
        Drawing { title: map.title.clone(), description: map.point.verdict.clone(), ..Drawing::default() };
    let head = head(map, fonts);
    let top = MARGIN + heading::height(&head) + 7.0;
    let width = if is_square { 268.0 } else { WIDTH - LEFT - 2.0 * MARGIN };
    let left = if is_square { 0.5 * (WIDTH - width) + 10.0 } else { LEFT };
    let size = [width, if is_square { width } else { HEIGHT }];
    let ends = map.axes.map(|axis| [axis.min, axis.max]);
    let plot = Plot { ends, labels: map.axes.map(|axis| label(axis.quantity)), corner: [left, top], size };
    let contours = contours::contours(map, &plot);
    let keys = legend::keys(map, options.admissible_set, !contours.is_empty(), &plot);
    let below = top + size[1] + 36.0;
    drawing.size = [WIDTH, below + legend::height(&keys) + MARGIN];
    drawing.fill(Path::rectangle([0.0, 0.0], drawing.size), Colour::WHITE);

    heading::draw(&mut drawing, head, MARGIN);
    regions(&mut drawing, map, options, &plot);
    if is_square {
        rings(&mut drawing, &plot);
    }
    contours::draw(&mut drawing, &contours);
    let mut room = Room::new(&plot);
    curves(&mut drawing, map, &plot, &mut room);
    let point = plot.nearest(map.point.at);
    room.take([point.at[0] - 6.0, point.at[1] - 6.0], [12.0, 12.0]);
    names(&mut drawing, map, &plot, fonts, &mut room);
    contours::label(&mut drawing, &contours, fonts, &mut room);
    plot.frame(&mut drawing, fonts);
    match point.outward {
        None => style::marker(&mut drawing, point.at),
        Some(outward) => style::arrow(&mut drawing, point.at, outward),
    }
    legend::draw(&mut drawing, keys, [LEFT, below], WIDTH - LEFT - MARGIN, fonts);
    drawing
}

/// Title and verdict, wrapped where necessary.
fn head(map: &Map, fonts: &Fonts) -> Vec<(Line, f64)> {
    let verdict = match map.over {
        Over::Coefficients => map.point.verdict.clone(),
        Over::State => given(map),
    };
    heading::lines(&map.title, &heading::symbols(&verdict), WIDTH - 2.0 * MARGIN, fonts)
}

/// The coefficients of a map over states.
fn given(map: &Map) -> String {
    use carom_sim::number::significant;
    let e = significant(map.restitution.normal, 4);
    let [mu_s, mu_d] = [map.friction.mu_s(), map.friction.mu_d()].map(|mu| significant(mu, 4));
    let tangential = match map.restitution.tangential {
        0.0 => String::new(),
        e_t => format!(", e_t = {}", significant(e_t, 4)),
    };
    let friction = match (map.contact_dimension, mu_s == mu_d) {
        (2, _) => String::new(),
        (_, true) => format!(", mu_s = mu_d = {mu_s}"),
        (_, false) => format!(", mu_s = {mu_s}, mu_d = {mu_d}"),
    };
    format!("e = {e}{tangential}{friction}; this impact {}", map.point.verdict)
}

fn label(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Restitution => "coefficient of restitution *e*",
        Quantity::Friction => "coefficient of friction *μ*_{s}",
        Quantity::VelocityRatio => "tangential over normal velocity *v*_{t}/|*v*_{n}|",
        Quantity::VelocityRatio1 => "*v*_{t1}/|*v*_{n}|",
        Quantity::VelocityRatio2 => "*v*_{t2}/|*v*_{n}|",
    }
}

fn regions(drawing: &mut Drawing, map: &Map, options: &Options, plot: &Plot) {
    for region in &map.regions {
        if region.kind == RegionKind::AdmissibleSet && !options.admissible_set {
            continue;
        }
        let path = outline(region, plot);
        let fill = style::fill(region.kind);
        if fill.pattern == style::Pattern::None {
            if let Some(colour) = fill.colour {
                drawing.fill(path, colour);
            }
            continue;
        }
        let clip = drawing.clip(path);
        if let Some(colour) = fill.colour {
            drawing.items.push(Item::FillClip { clip, colour });
        }
        style::pattern(drawing, fill.pattern, bounds(region, plot), clip);
    }
}

fn outline(region: &Region, plot: &Plot) -> Path {
    let mut path = Path::default();
    for polygon in &region.polygons {
        path.extend(Path::polygon(polygon.iter().map(|at| plot.place(*at))));
    }
    path
}

fn bounds(region: &Region, plot: &Plot) -> [Vec2; 2] {
    let points = region.polygons.iter().flatten().map(|at| plot.place(*at));
    points.fold([[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]], |[low, high], p| {
        [[low[0].min(p[0]), low[1].min(p[1])], [high[0].max(p[0]), high[1].max(p[1])]]
    })
}

/// Circles of equal ratio and the axes through zero: the plot is polar.
fn rings(drawing: &mut Drawing, plot: &Plot) {
    let reach = plot.ends.iter().flatten().fold(0.0_f64, |reach, end| reach.max(end.abs()));
    let step = super::plot::step(2.0 * reach, 6.0);
    let clip = drawing.clip(Path::rectangle(plot.corner, plot.size));
    let mut path = Path::default();
    let scale = plot.size[0] / (plot.ends[0][1] - plot.ends[0][0]);
    let centre = plot.place([0.0, 0.0]);
    for k in 1..=((1.5 * reach / step) as u32) {
        path.extend(Path::disc(centre, f64::from(k) * step * scale));
    }
    for k in 0..6 {
        let (sin, cos) = (f64::from(k) * std::f64::consts::FRAC_PI_6).sin_cos();
        let far = 1.5 * reach;
        path.extend(Path::polyline([plot.place([-far * cos, -far * sin]), plot.place([far * cos, far * sin])]));
    }
    drawing.stroke(path, style::GRID, Some(clip));
}

fn curves(drawing: &mut Drawing, map: &Map, plot: &Plot, room: &mut Room) {
    let clip = drawing.clip(Path::rectangle(plot.corner, plot.size));
    // The exact one last, so that it is on top.
    for curve in map.curves.iter().rev() {
        let mut path = Path::default();
        for piece in &curve.pieces {
            let points: Vec<Vec2> = piece.iter().map(|at| plot.place(*at)).collect();
            room.take_line(&points);
            path.extend(Path::polyline(points));
        }
        drawing.stroke(path, style::stroke(curve.name), Some(clip));
    }
}

/// Writes the names of the regions inside them.
fn names(drawing: &mut Drawing, map: &Map, plot: &Plot, fonts: &Fonts, room: &mut Room) {
    type Name = (&'static str, fn(&Cell) -> bool);
    let is_plain = |cell: &Cell| cell.solutions.is_none_or(|count| count <= 1);
    let names: [Name; 4] = [
        ("creates energy", |cell| !cell.admissible),
        ("stick", |cell| cell.mode == Mode::Stick && cell.admissible),
        ("slip", |cell| cell.mode == Mode::Slip),
        ("reversal", |cell| cell.mode == Mode::Reversal),
    ];
    let n = map.resolution;
    let cell_at = |p: Vec2| {
        let part = |k: usize| (p[k] - plot.corner[k]) / plot.size[k];
        let index = |part: f64| ((part * n as f64) as usize).min(n - 1);
        &map.cells[index(1.0 - part(1)) * n + index(part(0))]
    };
    for (name, holds) in names {
        let line = fonts.plain(name);
        let size = [NAME_SIZE * line.width, 0.75 * NAME_SIZE];
        let allowed = |p: Vec2| holds(cell_at(p)) && is_plain(cell_at(p));
        if let Some(at) = room.find(size, allowed) {
            drawing.items.push(Item::Text { at, line, size: NAME_SIZE, is_turned: false, halo: Some(Colour::WHITE) });
        }
    }
}
