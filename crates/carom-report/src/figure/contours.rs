//! Lines of equal energy change, labelled where there is space.

use super::drawing::{Colour, Drawing, Item, Path, Vec2};
use super::font::Fonts;
use super::layout::Room;
use super::plot::{Plot, shown, step};
use super::style;
use carom_study::{Cell, Map, trace};

const SIZE: f64 = 7.5;
/// Approximate largest number of levels on either side of zero.
const LEVELS: f64 = 6.0;
/// Number of further levels for the few cells with extreme values.
const BEYOND: f64 = 20.0;
/// Smallest distance between two numbers on one line.
const APART: f64 = 110.0;
/// Lines shorter than this have no number.
const SHORT: f64 = 24.0;

/// A level and its lines, in points of the figure.
pub(super) struct Contour {
    level: f64,
    lines: Vec<Vec<Vec2>>,
}

/// The contours of a map. They stop at the boundaries of the modes, where the energy change jumps.
pub(super) fn contours(map: &Map, plot: &Plot) -> Vec<Contour> {
    placed(map, |at| plot.place(at))
}

/// A level of the energy change, in percent of the map's unit, and its lines in the map's axes.
pub type LevelLines = (f64, Vec<Vec<[f64; 2]>>);

/// The contours of a map in its own axes.
pub fn map_contours(map: &Map) -> Vec<LevelLines> {
    // Lines are thinned at the resolution of a figure of this many points.
    const POINTS: f64 = 400.0;
    let [low, size] = [map.axes.map(|axis| axis.min), map.axes.map(|axis| (axis.max - axis.min) / POINTS)];
    let contours = placed(map, |at| [0, 1].map(|k: usize| (at[k] - low[k]) / size[k]));
    let back = |line: &Vec<Vec2>| line.iter().map(|at| [0, 1].map(|k: usize| low[k] + size[k] * at[k])).collect();
    contours.iter().map(|contour| (contour.level, contour.lines.iter().map(back).collect())).collect()
}

fn placed(map: &Map, place: impl Fn([f64; 2]) -> Vec2) -> Vec<Contour> {
    let n = map.resolution;
    let cell = |i: usize, j: usize| &map.cells[j * n + i];
    let mut values: Vec<f64> = map.cells.iter().map(|cell| cell.energy_change).collect();
    values.sort_unstable_by(f64::total_cmp);
    // An impact whose loss equals a level exactly must not be drawn as a line of rounding errors.
    let slack = 1e-9 * values.iter().fold(0.0_f64, |size, value| size.max(value.abs()));
    let mut contours = Vec::new();
    for level in levels(&values) {
        // Only in squares whose corners are all of one kind.
        let alike =
            |a: &Cell, b: &Cell| a.mode == b.mode && a.solutions.unwrap_or(1).min(2) == b.solutions.unwrap_or(1).min(2);
        let mut lines = Vec::new();
        for kind in kinds(map) {
            let holds =
                |i: usize, j: usize| alike(cell(i, j), &kind).then(|| cell(i, j).energy_change >= level - slack);
            lines.extend(trace::boundaries(n, n, holds, |out, inside| {
                let [a, b] = [cell(out[0], out[1]), cell(inside[0], inside[1])];
                let t = ((level - a.energy_change) / (b.energy_change - a.energy_change)).clamp(0.0, 1.0);
                place([0, 1].map(|k: usize| a.at[k] + t * (b.at[k] - a.at[k])))
            }));
        }
        let lines: Vec<Vec<Vec2>> = lines.iter().map(|line| thinned(line)).collect();
        if !lines.is_empty() {
            contours.push(Contour { level, lines });
        }
    }
    contours
}

/// Round levels below and above zero, each side with its own step: much more energy may be created than lost.
fn levels(values: &[f64]) -> Vec<f64> {
    let split = values.partition_point(|value| *value <= 0.0);
    let (lost, created) = values.split_at(split);
    let mut levels = Vec::new();
    for side in [lost, created] {
        let [Some(least), Some(most)] = [side.first(), side.last()] else { continue };
        // A pole in a corner must not coarsen the rest.
        let [low, high] = [0.03, 0.97].map(|part| side[(part * (side.len() - 1) as f64) as usize]);
        if !(high - low > 1e-6 * high.abs().max(low.abs())) {
            continue;
        }
        let step = step(high - low, LEVELS);
        let first = (least / step).ceil().max((low / step).floor() - BEYOND) as i64;
        let last = (most / step).floor().min((high / step).ceil() + BEYOND) as i64;
        levels.extend((first..=last).filter(|k| *k != 0).map(|k| k as f64 * step));
    }
    levels
}

/// One cell of each kind that occurs.
fn kinds(map: &Map) -> Vec<Cell> {
    let mut kinds: Vec<Cell> = Vec::new();
    for cell in &map.cells {
        let several = |cell: &Cell| cell.solutions.unwrap_or(1).min(2);
        if !kinds.iter().any(|kind| kind.mode == cell.mode && several(kind) == several(cell)) {
            kinds.push(*cell);
        }
    }
    kinds
}

/// A line without the vertices that are within a twentieth of a point of their chord.
fn thinned(line: &[Vec2]) -> Vec<Vec2> {
    const ALLOWED: f64 = 0.05;
    let (first, last) = (line[0], line[line.len() - 1]);
    let (dx, dy) = (last[0] - first[0], last[1] - first[1]);
    let length = dx.hypot(dy);
    let off = |p: &Vec2| {
        let (x, y) = (p[0] - first[0], p[1] - first[1]);
        if length == 0.0 { x.hypot(y) } else { (dx * y - dy * x).abs() / length }
    };
    let farthest = (1..line.len() - 1).max_by(|a, b| off(&line[*a]).total_cmp(&off(&line[*b])));
    match farthest.filter(|i| off(&line[*i]) > ALLOWED) {
        Some(i) => {
            let mut points = thinned(&line[..=i]);
            points.pop();
            points.extend(thinned(&line[i..]));
            points
        }
        None => vec![first, last],
    }
}

/// Draws the lines.
pub(super) fn draw(drawing: &mut Drawing, contours: &[Contour]) {
    for contour in contours {
        let mut path = Path::default();
        for line in &contour.lines {
            path.extend(Path::polyline(line.iter().copied()));
        }
        drawing.stroke(path, style::CONTOUR, None);
    }
}

/// Draws the numbers, where they cover nothing.
pub(super) fn label(drawing: &mut Drawing, contours: &[Contour], fonts: &Fonts, room: &mut Room) {
    for contour in contours {
        let sign = if contour.level > 0.0 { "+" } else { "" };
        let text = fonts.plain(&format!("{sign}{}", shown(contour.level)));
        let size = [SIZE * text.width, 0.75 * SIZE];
        for line in &contour.lines {
            let mut last: Option<f64> = None;
            for (walked, left, at) in walk(line) {
                let far = last.is_none_or(|last| walked - last >= APART);
                let low = [at[0] - 0.5 * size[0], at[1] - 0.5 * size[1]];
                let outer = ([low[0] - 2.0, low[1] - 2.0], [size[0] + 4.0, size[1] + 4.0]);
                if far && walked >= 0.5 * SHORT && left >= 0.5 * SHORT && room.is_free(outer.0, outer.1) {
                    room.take([low[0] - 5.0, low[1] - 5.0], [size[0] + 10.0, size[1] + 10.0]);
                    let at = [low[0], low[1] + size[1]];
                    let halo = Some(Colour::WHITE);
                    drawing.items.push(Item::Text { at, line: text.clone(), size: SIZE, is_turned: false, halo });
                    last = Some(walked);
                }
            }
        }
    }
}

/// Regularly spaced points along a line, from its middle outwards: the length before, the length after, the position.
fn walk(line: &[Vec2]) -> Vec<(f64, f64, Vec2)> {
    const STEP: f64 = 4.0;
    let lengths: Vec<f64> = line.windows(2).map(|p| (p[1][0] - p[0][0]).hypot(p[1][1] - p[0][1])).collect();
    let whole: f64 = lengths.iter().sum();
    let mut stops = Vec::new();
    let mut before = 0.0;
    for (pair, length) in line.windows(2).zip(&lengths) {
        let mut next = (before / STEP).ceil() * STEP;
        while next < before + length {
            let t = (next - before) / length;
            stops.push((next, whole - next, [0, 1].map(|k: usize| pair[0][k] + t * (pair[1][k] - pair[0][k]))));
            next += STEP;
        }
        before += length;
    }
    // A number near the middle is best; a long line gets more of them to either side.
    let middle = stops.len() / 2;
    stops.rotate_left(middle);
    stops
}
