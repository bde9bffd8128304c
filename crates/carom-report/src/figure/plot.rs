//! The frame of a plot: axes, ticks and labels, and the mapping from axes to points.

use super::drawing::{Drawing, Item, Path, Vec2};
use super::font::Fonts;
use super::style;
use carom_sim::number::significant;

/// Text sizes of tick numbers and axis labels.
const TICK_SIZE: f64 = 8.5;
const LABEL_SIZE: f64 = 10.5;
const TICK: f64 = 3.5;

/// A rectangle of the figure with two axes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plot<'l> {
    /// The ranges of the axes, horizontal first.
    pub(super) ends: [[f64; 2]; 2],
    /// Their labels, as marked text.
    pub(super) labels: [&'l str; 2],
    /// The upper left corner.
    pub(super) corner: Vec2,
    pub(super) size: Vec2,
}

/// The position at which a point is drawn.
pub(super) struct Nearest {
    pub(super) at: Vec2,
    /// The unit direction towards a point outside the frame.
    pub(super) outward: Option<Vec2>,
}

impl Plot<'_> {
    /// The position of a point given on the axes.
    pub(super) fn place(&self, at: [f64; 2]) -> Vec2 {
        let part = |k: usize| (at[k] - self.ends[k][0]) / (self.ends[k][1] - self.ends[k][0]);
        [self.corner[0] + self.size[0] * part(0), self.corner[1] + self.size[1] * (1.0 - part(1))]
    }

    /// Whether a point on the axes is in the frame.
    pub(super) fn shows(&self, at: [f64; 2]) -> bool {
        (0..2).all(|k| (self.ends[k][0]..=self.ends[k][1]).contains(&at[k]))
    }

    /// The position of a point, or of the nearest point in the frame and the direction towards the point.
    pub(super) fn nearest(&self, at: [f64; 2]) -> Nearest {
        /// Distance from the frame to the tip of an arrow inside it.
        const INSET: f64 = 1.5;
        let (place, [low, high]) = (self.place(at), self.bounds());
        if self.shows(at) {
            return Nearest { at: place, outward: None };
        }
        let inside = [0, 1].map(|k: usize| place[k].clamp(low[k] + INSET, high[k] - INSET));
        let beyond =
            [0, 1].map(
                |k: usize| if at[k] < self.ends[k][0] || at[k] > self.ends[k][1] { place[k] - inside[k] } else { 0.0 },
            );
        let length = beyond[0].hypot(beyond[1]);
        Nearest { at: inside, outward: Some(beyond.map(|x| x / length)) }
    }

    pub(super) fn bounds(&self) -> [Vec2; 2] {
        [self.corner, [self.corner[0] + self.size[0], self.corner[1] + self.size[1]]]
    }

    /// Frame, ticks, numbers and labels.
    pub(super) fn frame(&self, drawing: &mut Drawing, fonts: &Fonts) {
        let [low, high] = self.bounds();
        let mut ticks = Path::default();
        for x in steps(self.ends[0]) {
            let [at, _] = self.place([x, self.ends[1][0]]);
            ticks.extend(Path::polyline([[at, high[1]], [at, high[1] + TICK]]));
            let line = fonts.plain(&shown(x));
            let left = at - 0.5 * TICK_SIZE * line.width;
            drawing.text([left, high[1] + TICK + TICK_SIZE], line, TICK_SIZE);
        }
        let mut widest: f64 = 0.0;
        for y in steps(self.ends[1]) {
            let [_, at] = self.place([self.ends[0][0], y]);
            ticks.extend(Path::polyline([[low[0], at], [low[0] - TICK, at]]));
            let line = fonts.plain(&shown(y));
            let width = TICK_SIZE * line.width;
            widest = widest.max(width);
            drawing.text([low[0] - TICK - 2.0 - width, at + 0.36 * TICK_SIZE], line, TICK_SIZE);
        }
        drawing.stroke(ticks, style::FRAME, None);
        drawing.stroke(Path::rectangle(self.corner, self.size), style::FRAME, None);
        let [x, y] = [0, 1].map(|k: usize| fonts.marked(self.labels[k]));
        let below = high[1] + TICK + TICK_SIZE + 14.0;
        drawing.text([0.5 * (low[0] + high[0] - LABEL_SIZE * x.width), below], x, LABEL_SIZE);
        let at = [low[0] - TICK - 8.0 - widest, 0.5 * (low[1] + high[1] + LABEL_SIZE * y.width)];
        drawing.items.push(Item::Text { at, line: y, size: LABEL_SIZE, is_turned: true, halo: None });
    }
}

/// 1, 2 or 5 times a power of ten, so that there are about five steps over a length.
pub(super) fn step(length: f64, count: f64) -> f64 {
    let rough = length / count;
    let unit = 10_f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0].into_iter().map(|m| m * unit).find(|step| *step >= rough).unwrap_or(10.0 * unit)
}

/// Round numbers on an axis.
fn steps([min, max]: [f64; 2]) -> Vec<f64> {
    let step = step(max - min, 6.0);
    let slack = 1e-9 * step;
    let first = ((min - slack) / step).ceil() as i64;
    let last = ((max + slack) / step).floor() as i64;
    (first..=last).map(|k| k as f64 * step).collect()
}

/// A number with a typographic minus sign.
pub(super) fn shown(x: f64) -> String {
    significant(x, 6).replace('-', "−")
}
