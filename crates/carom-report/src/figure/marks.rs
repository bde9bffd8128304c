//! Marks of different shapes, with labels.

use super::drawing::Line;
use super::drawing::{Colour, Drawing, Item, Path, Stroke, Vec2};
use super::font::Fonts;
use super::layout::Room;
use super::plot::Plot;

/// Half the width of a mark.
pub(super) const REACH: f64 = 3.8;
const SIZE: f64 = 8.5;
const LEADING: f64 = 9.5;
/// Distance of a label from its mark up to which it needs no leader line.
const LEADERLESS: f64 = 5.0;

/// Draws the mark with this number: nine shapes, filled and hollow.
pub(super) fn draw(drawing: &mut Drawing, number: usize, at: Vec2) {
    const COLOURS: [u32; 9] = [0, 0xb0_3a00, 0x00_5a9c, 0x1f_6b45, 0x5b_3a7d, 0, 0xb0_3a00, 0x00_5a9c, 0x1f_6b45];
    let colour = Colour(COLOURS[number % COLOURS.len()]);
    let halo = Stroke { colour: Colour::WHITE, width: 2.0, dash: &[], is_round: true };
    let pen = Stroke { colour, width: 1.5, dash: &[], is_round: false };
    let path = shape(number, at);
    match number % 9 {
        0..=3 => {
            drawing.stroke(path.clone(), halo, None);
            drawing.fill(path, colour);
        }
        4..=6 => {
            drawing.stroke(path.clone(), Stroke { width: 3.5, ..halo }, None);
            drawing.fill(path.clone(), Colour::WHITE);
            drawing.stroke(path, pen, None);
        }
        _ => {
            drawing.stroke(path.clone(), Stroke { width: 4.0, ..halo }, None);
            drawing.stroke(path, Stroke { width: 1.9, ..pen }, None);
        }
    }
}

fn shape(number: usize, at: Vec2) -> Path {
    let corners = |count: u32, turn: f64, reach: f64| {
        let corner = move |k: u32| {
            let (sin, cos) = (turn + f64::from(k) * std::f64::consts::TAU / f64::from(count)).sin_cos();
            [at[0] + reach * sin, at[1] - reach * cos]
        };
        Path::polygon((0..count).map(corner))
    };
    let stroke = |d: Vec2| Path::polyline([[at[0] - d[0], at[1] - d[1]], [at[0] + d[0], at[1] + d[1]]]);
    let eighth = std::f64::consts::FRAC_PI_4;
    match number % 9 {
        0 => Path::disc(at, REACH),
        1 => corners(3, 0.0, 1.3 * REACH),
        2 => corners(4, eighth, 1.25 * REACH),
        3 => corners(4, 0.0, 1.35 * REACH),
        4 => Path::disc(at, 0.9 * REACH),
        5 => corners(4, eighth, 1.2 * REACH),
        6 => corners(3, 4.0 * eighth, 1.25 * REACH),
        7 => {
            let mut path = stroke([REACH, REACH]);
            path.extend(stroke([REACH, -REACH]));
            path
        }
        _ => {
            let mut path = stroke([1.3 * REACH, 0.0]);
            path.extend(stroke([0.0, 1.3 * REACH]));
            path
        }
    }
}

/// The occupied space of a plot: lines, which a label may cover if necessary, and marks and labels, which it may not.
pub(super) struct Places {
    lines: Room,
    marks: Room,
}

impl Places {
    pub(super) fn new(plot: &Plot) -> Self {
        Self { lines: Room::new(plot), marks: Room::new(plot) }
    }

    pub(super) fn take_line(&mut self, points: &[Vec2]) {
        self.lines.take_line(points);
    }

    pub(super) fn take_mark(&mut self, at: Vec2) {
        self.marks.take([at[0] - 1.2 * REACH, at[1] - 1.2 * REACH], [2.4 * REACH, 2.4 * REACH]);
    }

    /// Writes lines as near to a mark as space permits, with a leader line if they are far from it.
    pub(super) fn name(&mut self, drawing: &mut Drawing, lines: &[Line], at: Vec2) {
        let width = lines.iter().fold(0.0_f64, |width, line| width.max(SIZE * line.width));
        let size = [width, LEADING * lines.len() as f64 - 3.0];
        let Some((low, distance)) = self.beside(at, size) else { return };
        self.marks.take([low[0] - 2.0, low[1] - 2.0], [size[0] + 4.0, size[1] + 4.0]);
        if distance > LEADERLESS {
            let near = nearest(at, low, size);
            self.marks.take_line(&[at, near]);
            let leader = Stroke { colour: Colour(0x40_4040), width: 0.5, dash: &[], is_round: true };
            drawing.stroke(Path::polyline([at, near]), leader, None);
        }
        for (k, line) in lines.iter().enumerate() {
            let at = [low[0], low[1] + 6.5 + LEADING * k as f64];
            let halo = Some(Colour::WHITE);
            drawing.items.push(Item::Text { at, line: line.clone(), size: SIZE, is_turned: false, halo });
        }
    }

    /// The upper left corner of the best box near a mark, and its distance.
    fn beside(&self, at: Vec2, size: Vec2) -> Option<(Vec2, f64)> {
        // Right and left of the mark, then above and below, then at the corners: the fractions of the box left of and
        // above the mark.
        const SIDES: [[f64; 2]; 8] =
            [[0.0, 0.5], [1.0, 0.5], [0.5, 1.0], [0.5, 0.0], [0.0, 1.0], [0.0, 0.0], [1.0, 1.0], [1.0, 0.0]];
        // A label may cover a line if necessary; a leader that crosses a label or a mark is the last resort.
        for (may_cross, leader_may_cross) in [(false, false), (true, false), (true, true)] {
            for distance in [3.0, 7.0, 12.0, 18.0, 26.0, 36.0, 48.0] {
                let away = REACH + distance;
                for side in SIDES {
                    let low = [0, 1].map(|k: usize| at[k] - side[k] * size[k] + (1.0 - 2.0 * side[k]) * away);
                    let outer = ([low[0] - 1.5, low[1] - 1.5], [size[0] + 3.0, size[1] + 3.0]);
                    let is_free = |room: &Room| room.is_free(outer.0, outer.1);
                    let has_clear_leader = || {
                        let (near, own) = (nearest(at, low, size), 1.8 * REACH);
                        distance <= LEADERLESS || self.marks.is_line_free(at, near, own)
                    };
                    let is_placed = is_free(&self.marks) && (may_cross || is_free(&self.lines));
                    if is_placed && (leader_may_cross || has_clear_leader()) {
                        return Some((low, distance));
                    }
                }
            }
        }
        None
    }
}

/// The point of a box nearest to a mark.
fn nearest(at: Vec2, low: Vec2, size: Vec2) -> Vec2 {
    [0, 1].map(|k: usize| at[k].clamp(low[k], low[k] + size[k]))
}

/// The names as lines of at most `LONGEST` characters.
pub(super) fn stacked(names: &[&str], fonts: &Fonts) -> Vec<Line> {
    const LONGEST: usize = 24;
    let mut lines: Vec<String> = Vec::new();
    for name in names {
        match lines.last_mut() {
            Some(last) if last.len() + name.len() + 2 <= LONGEST => *last = format!("{last}, {name}"),
            Some(last) => {
                last.push(',');
                lines.push((*name).to_owned());
            }
            None => lines.push((*name).to_owned()),
        }
    }
    lines.iter().map(|line| fonts.plain(line)).collect()
}
