//! One of several stacked plots that share their time axis.

use super::drawing::{Clip, Drawing, Item, Path, Vec2};
use super::font::Fonts;
use super::plot::{shown, step};
use super::style;

const TICK_SIZE: f64 = 8.0;
const LABEL_SIZE: f64 = 9.0;
const TICK: f64 = 3.0;

/// A rectangle of the figure over a span of time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Panel {
    pub(super) corner: Vec2,
    pub(super) size: Vec2,
    pub(super) time: [f64; 2],
    /// The smallest and the largest value; for a logarithmic axis their powers of ten.
    pub(super) values: [f64; 2],
    pub(super) is_log: bool,
}

impl Panel {
    /// The horizontal position of a time.
    pub(super) fn x(&self, time: f64) -> f64 {
        let [start, end] = self.time;
        let part = if end > start { (time - start) / (end - start) } else { 0.0 };
        self.corner[0] + self.size[0] * part
    }

    /// The vertical position of a value; on a logarithmic axis values that are too small are at the bottom.
    pub(super) fn y(&self, value: f64) -> f64 {
        let [low, high] = self.values;
        let value = if self.is_log { value.log10().max(low) } else { value };
        self.corner[1] + self.size[1] * (1.0 - (value - low) / (high - low))
    }

    pub(super) fn place(&self, [time, value]: [f64; 2]) -> Vec2 {
        [self.x(time), self.y(value)]
    }

    pub(super) fn clip(&self, drawing: &mut Drawing) -> Clip {
        drawing.clip(Path::rectangle(self.corner, self.size))
    }

    /// Frame, ticks, numbers and the label of the values.
    pub(super) fn frame(&self, drawing: &mut Drawing, label: &str, fonts: &Fonts) {
        let [left, top] = self.corner;
        let bottom = top + self.size[1];
        let mut ticks = self.time_ticks();
        for value in self.value_steps() {
            let y = if self.is_log { self.y(10_f64.powf(value)) } else { self.y(value) };
            ticks.extend(Path::polyline([[left, y], [left - TICK, y]]));
            let line = if self.is_log {
                fonts.marked(&format!("10^{{{}}}", shown(value)))
            } else {
                fonts.plain(&shown(value))
            };
            let width = TICK_SIZE * line.width;
            drawing.text([left - TICK - 2.0 - width, y + 0.36 * TICK_SIZE], line, TICK_SIZE);
        }
        drawing.stroke(ticks, style::FRAME, None);
        drawing.stroke(Path::rectangle(self.corner, self.size), style::FRAME, None);
        let label = fonts.marked(label);
        let at = [LABEL_SIZE + 2.0, 0.5 * (top + bottom + LABEL_SIZE * label.width)];
        drawing.items.push(Item::Text { at, line: label, size: LABEL_SIZE, is_turned: true, halo: None });
    }

    /// Numbers and label of the time axis, below the lowest panel.
    pub(super) fn time_axis(&self, drawing: &mut Drawing, fonts: &Fonts) {
        let bottom = self.corner[1] + self.size[1];
        for time in steps(self.time, 7.0) {
            let line = fonts.plain(&shown(time));
            let left = self.x(time) - 0.5 * TICK_SIZE * line.width;
            drawing.text([left, bottom + TICK + TICK_SIZE], line, TICK_SIZE);
        }
        let label = fonts.marked("time *t*, s");
        let left = self.corner[0] + 0.5 * (self.size[0] - LABEL_SIZE * label.width);
        drawing.text([left, bottom + TICK + 2.0 * TICK_SIZE + 5.0], label, LABEL_SIZE);
    }

    fn time_ticks(&self) -> Path {
        let bottom = self.corner[1] + self.size[1];
        let mut ticks = Path::default();
        for time in steps(self.time, 7.0) {
            ticks.extend(Path::polyline([[self.x(time), bottom], [self.x(time), bottom + TICK]]));
        }
        ticks
    }

    fn value_steps(&self) -> Vec<f64> {
        // A number needs the height of two lines.
        let count = (self.size[1] / (2.0 * TICK_SIZE)).floor().max(1.0);
        if !self.is_log {
            return steps(self.values, count);
        }
        // Whole powers, from the top down.
        let [low, high] = self.values;
        let every = ((high - low) / count).ceil().max(1.0);
        let rows = ((high - low) / every).floor() as i64;
        (0..=rows).map(|k| high - k as f64 * every).collect()
    }
}

/// Round numbers in a span.
fn steps([low, high]: [f64; 2], count: f64) -> Vec<f64> {
    if !(high > low) {
        return vec![low];
    }
    let step = step(high - low, count).max(f64::MIN_POSITIVE);
    let slack = 1e-9 * step;
    let (first, last) = (((low - slack) / step).ceil() as i64, ((high + slack) / step).floor() as i64);
    (first..=last).map(|k| k as f64 * step).collect()
}
