//! The figure of a sweep: a heat map, curves or points, in the style of maps.

use super::color::{Palette, word_color};
use super::drawing::{Clip, Colour, Drawing, Path, Stroke, Vec2};
use super::font::Fonts;
use super::heading;
use super::map::{MARGIN, WIDTH};
use super::plot::{Plot, shown, step};
use super::style;
use crate::sweep::{Band, Colors, Content, Heat, Picture};

const LEFT: f64 = 58.0;
const HEIGHT: f64 = 214.0;
const KEY_SIZE: f64 = 8.5;
const KEY_ROW: f64 = 13.0;
const SAMPLE: f64 = 24.0;
/// Height of the bar of a scale, and of its numbers.
const BAR: f64 = 9.0;
const BAR_NUMBERS: f64 = 12.0;
/// Cells overlap by this, in points, so that no background shows between them.
const OVERLAP: f64 = 0.3;
/// Sides of points: of few, and of many.
const POINTS: [(usize, f64); 2] = [(200, 3.6), (2000, 2.4)];
const POINT: f64 = 1.8;
const NOTHING: Colour = Colour(0xe4_e4e4);

/// Draws the whole figure.
pub(super) fn draw(picture: &Picture, fonts: &Fonts) -> Drawing {
    let mut drawing = Drawing { title: picture.title.clone(), description: picture.note.clone(), ..Drawing::default() };
    let head = heading::lines(&picture.title, &plain(&picture.note), WIDTH - 2.0 * MARGIN, fonts);
    let top = MARGIN + heading::height(&head) + 7.0;
    let labels = picture.labels.each_ref().map(|label| plain(label));
    let plot = Plot {
        ends: ends(&picture.content),
        labels: [&labels[0], &labels[1]],
        corner: [LEFT, top],
        size: [WIDTH - LEFT - 2.0 * MARGIN, HEIGHT],
    };
    let keys = keys(&picture.content);
    let below = top + HEIGHT + 36.0;
    let scale = match &picture.content {
        Content::Heat(Heat { colors: Colors::Scale(ends), .. })
        | Content::Points { colors: Colors::Scale(ends), .. } => Some(Palette::over(*ends)),
        _ => None,
    };
    let scale_height = if scale.is_some() { BAR + BAR_NUMBERS + KEY_ROW } else { 0.0 };
    let rows = place_keys(&keys, fonts);
    drawing.size = [WIDTH, below + scale_height + KEY_ROW * rows + MARGIN];
    drawing.fill(Path::rectangle([0.0, 0.0], drawing.size), Colour::WHITE);
    heading::draw(&mut drawing, head, MARGIN);
    let clip = drawing.clip(Path::rectangle(plot.corner, plot.size));
    match &picture.content {
        Content::Heat(heat) => draw_heat(&mut drawing, heat, &plot, scale.as_ref()),
        Content::Curves(bands) => draw_curves(&mut drawing, bands, &plot, clip),
        Content::Points { points, colors } => draw_points(&mut drawing, points, colors, &plot, scale.as_ref()),
    }
    plot.frame(&mut drawing, fonts);
    if let Some(scale) = &scale {
        draw_scale(&mut drawing, scale, picture.color.as_deref().unwrap_or_default(), below, fonts);
    }
    draw_keys(&mut drawing, &keys, below + scale_height, fonts);
    drawing
}

/// Names of columns as marked text, in which a star must be escaped.
fn plain(text: &str) -> String {
    text.replace('*', "∗")
}

/// The ranges of the axes.
fn ends(content: &Content) -> [[f64; 2]; 2] {
    match content {
        Content::Heat(heat) => heat.edges.each_ref().map(|edges| [edges[0], edges[edges.len() - 1]]),
        Content::Curves(bands) => {
            let all = || bands.iter().flat_map(|band| &band.points);
            let x = range(all().map(|point| point[0]));
            // Of several curves only the means are drawn.
            let values = |point: &[f64; 4]| if bands.len() == 1 { [point[2], point[3]] } else { [point[1]; 2] };
            [x, widened(range(all().flat_map(values)))]
        }
        Content::Points { points, .. } => [0, 1].map(|k: usize| widened(range(points.iter().map(|point| point[k])))),
    }
}

fn range(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let [low, high] = values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)]);
    // One value, or none.
    if low < high {
        [low, high]
    } else if low.is_finite() {
        [low - 0.5 * low.abs().max(1.0), low + 0.5 * low.abs().max(1.0)]
    } else {
        [0.0, 1.0]
    }
}

/// A range with a margin, so that lines do not run along the frame.
fn widened([low, high]: [f64; 2]) -> [f64; 2] {
    let margin = 0.04 * (high - low);
    [low - margin, high + margin]
}

/// Cells of one colour are one path; neighbours of one colour in a row are one rectangle.
fn draw_heat(drawing: &mut Drawing, heat: &Heat, plot: &Plot<'_>, scale: Option<&Palette>) {
    let [columns, rows] = heat.edges.each_ref().map(|edges| edges.len() - 1);
    let color = |value: f64| match (&heat.colors, scale) {
        _ if value.is_nan() => NOTHING,
        (Colors::Words(words), _) => word_color(words, value as usize),
        (_, Some(scale)) => scale.color(value),
        _ => NOTHING,
    };
    let mut paths: Vec<(Colour, Path)> = Vec::new();
    let mut push = |colour: Colour, path: Path| match paths.iter_mut().find(|(other, _)| *other == colour) {
        Some((_, whole)) => whole.extend(path),
        None => paths.push((colour, path)),
    };
    let [_, high] = plot.bounds();
    for j in 0..rows {
        let mut start = 0;
        for i in 1..=columns {
            let here = color(heat.cells[j * columns + start]);
            if i < columns && color(heat.cells[j * columns + i]) == here {
                continue;
            }
            let low = plot.place([heat.edges[0][start], heat.edges[1][j + 1]]);
            let far = plot.place([heat.edges[0][i], heat.edges[1][j]]);
            let far = [0, 1].map(|k: usize| (far[k] + OVERLAP).min(high[k]));
            push(here, Path::rectangle(low, [far[0] - low[0], far[1] - low[1]]));
            start = i;
        }
    }
    for (colour, path) in paths {
        drawing.fill(path, colour);
    }
}

/// The lines of curves: hues and dashes differ.
fn line(number: usize) -> Stroke {
    const LINES: [(u32, &[f64]); 12] = [
        (0x00_0000, &[]),
        (0xb0_3a00, &[11.0, 2.0]),
        (0x00_5a9c, &[5.0, 3.0]),
        (0x1f_6b45, &[8.0, 2.0, 1.6, 2.0]),
        (0x5b_3a7d, &[1.4, 2.2]),
        (0x8a_6d00, &[3.0, 1.6, 1.0, 1.6, 1.0, 1.6]),
        (0x7a_7a7a, &[]),
        (0x00_8080, &[2.0, 1.0]),
        (0xc2_3b7a, &[]),
        (0x6b_8e23, &[6.0, 2.0]),
        (0x4b_4bff, &[4.0, 1.0, 1.0, 1.0]),
        (0xd2_8f00, &[1.0, 1.0]),
    ];
    let (colour, dash) = LINES[number % LINES.len()];
    Stroke { colour: Colour(colour), width: 1.5, dash, is_round: false }
}

fn draw_curves(drawing: &mut Drawing, bands: &[Band], plot: &Plot<'_>, clip: Clip) {
    // Ranges below all lines, for a single curve only, since those of several would cover each other.
    if let [band] = bands {
        let upper = band.points.iter().map(|point| plot.place([point[0], point[3]]));
        let lower = band.points.iter().rev().map(|point| plot.place([point[0], point[2]]));
        drawing.fill(Path::polygon(upper.chain(lower)), Colour(0xd9_e6f1));
    }
    for (number, band) in bands.iter().enumerate() {
        let points = band.points.iter().map(|point| plot.place([point[0], point[1]]));
        drawing.stroke(Path::polyline(points), line(number), Some(clip));
    }
}

fn draw_points(drawing: &mut Drawing, points: &[[f64; 3]], colors: &Colors, plot: &Plot<'_>, scale: Option<&Palette>) {
    // The light colours of areas cannot be seen as points on white.
    if scale.is_some() {
        drawing.fill(Path::rectangle(plot.corner, plot.size), Colour(0xd2_d2d2));
    }
    let color = |value: f64| match (colors, scale) {
        (Colors::Words(_), _) => line(value as usize).colour,
        (_, Some(scale)) => scale.color(value),
        _ => Colour(0x00_5a9c),
    };
    let side = POINTS.into_iter().find(|(count, _)| points.len() <= *count).map_or(POINT, |(_, side)| side);
    let mut paths: Vec<(Colour, Path)> = Vec::new();
    for [x, y, value] in points {
        let [left, up] = plot.place([*x, *y]).map(|at| at - 0.5 * side);
        let square = Path::rectangle([left, up], [side, side]);
        let colour = color(*value);
        match paths.iter_mut().find(|(other, _)| *other == colour) {
            Some((_, path)) => path.extend(square),
            None => paths.push((colour, square)),
        }
    }
    for (colour, path) in paths {
        drawing.fill(path, colour);
    }
}

/// The bar of a scale with its numbers, and the column above it.
fn draw_scale(drawing: &mut Drawing, scale: &Palette, name: &str, top: f64, fonts: &Fonts) {
    let [left, width] = [LEFT, WIDTH - LEFT - 2.0 * MARGIN];
    let line = fonts.plain(&crate::printable(name));
    drawing.text([left, top + 0.7 * KEY_SIZE], line, KEY_SIZE);
    let top = top + KEY_ROW;
    let [low, high] = scale.ends();
    let x = |value: f64| left + width * (value - low) / (high - low);
    let bounds = scale.steps();
    for pair in bounds.windows(2) {
        let colour = scale.color(0.5 * (pair[0] + pair[1]));
        let end = (x(pair[1]) + OVERLAP).min(left + width);
        drawing.fill(Path::rectangle([x(pair[0]), top], [end - x(pair[0]), BAR]), colour);
    }
    drawing.stroke(Path::rectangle([left, top], [width, BAR]), Stroke { width: 0.5, ..style::FRAME }, None);
    let step = step(high - low, 5.0);
    let slack = 1e-9 * step;
    let (first, last) = (((low - slack) / step).ceil() as i64, ((high + slack) / step).floor() as i64);
    let mut ticks = Path::default();
    for value in (first..=last).map(|k| k as f64 * step) {
        ticks.extend(Path::polyline([[x(value), top + BAR], [x(value), top + BAR + 2.5]]));
        let line = fonts.plain(&shown(value));
        drawing.text([x(value) - 0.5 * KEY_SIZE * line.width, top + BAR + 2.5 + KEY_SIZE], line, KEY_SIZE);
    }
    drawing.stroke(ticks, Stroke { width: 0.5, ..style::FRAME }, None);
}

/// An entry of the key.
enum Key {
    Area(Colour, String),
    Line(Stroke, String),
}

impl Key {
    fn text(&self) -> &str {
        match self {
            Key::Area(_, text) | Key::Line(_, text) => text,
        }
    }
}

fn keys(content: &Content) -> Vec<Key> {
    let words = |words: &[String]| -> Vec<Key> {
        words.iter().enumerate().map(|(k, word)| Key::Area(word_color(words, k), word.clone())).collect()
    };
    match content {
        Content::Heat(heat) => {
            let mut keys = if let Colors::Words(all) = &heat.colors { words(all) } else { Vec::new() };
            if heat.cells.iter().any(|cell| cell.is_nan()) {
                keys.push(Key::Area(NOTHING, "no value".to_owned()));
            }
            keys
        }
        Content::Points { colors: Colors::Words(all), .. } => {
            all.iter().enumerate().map(|(k, word)| Key::Area(line(k).colour, word.clone())).collect()
        }
        Content::Points { .. } => Vec::new(),
        Content::Curves(bands) => {
            let named = bands.iter().enumerate().filter_map(|(k, band)| Some((k, band.name.clone()?)));
            named.map(|(k, name)| Key::Line(line(k), name)).collect()
        }
    }
}

/// Where entries begin, row by row.
fn key_places(keys: &[Key], fonts: &Fonts) -> Vec<Vec2> {
    let (mut x, mut row) = (LEFT, 0.0);
    let mut places = Vec::new();
    for key in keys {
        let width = SAMPLE + 6.0 + KEY_SIZE * fonts.plain(key.text()).width;
        if x > LEFT && x + width > WIDTH - MARGIN {
            (x, row) = (LEFT, row + 1.0);
        }
        places.push([x, row]);
        x += width + 12.0;
    }
    places
}

/// The number of rows of the key.
fn place_keys(keys: &[Key], fonts: &Fonts) -> f64 {
    key_places(keys, fonts).last().map_or(0.0, |place| place[1] + 1.0)
}

fn draw_keys(drawing: &mut Drawing, keys: &[Key], top: f64, fonts: &Fonts) {
    for (key, [x, row]) in keys.iter().zip(key_places(keys, fonts)) {
        let y = top + KEY_ROW * row;
        match key {
            Key::Area(colour, _) => {
                let path = Path::rectangle([x, y], [SAMPLE, BAR]);
                drawing.fill(path.clone(), *colour);
                drawing.stroke(path, Stroke { width: 0.5, ..style::FRAME }, None);
            }
            Key::Line(stroke, _) => {
                let middle = y + 0.5 * BAR;
                drawing.stroke(Path::polyline([[x, middle], [x + SAMPLE, middle]]), *stroke, None);
            }
        }
        let line = fonts.plain(&crate::printable(key.text()));
        drawing.text([x + SAMPLE + 6.0, y + 7.6], line, KEY_SIZE);
    }
}
