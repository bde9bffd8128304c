//! The contacts' modes as strips over time, with impacts as ticks.

use super::decimate::decimated;
use super::drawing::Line;
use super::drawing::{Colour, Drawing, Path, Stroke, Vec2};
use super::font::Fonts;
use super::map::MARGIN;
use super::panel::Panel;
use super::style::{self, Pattern};
use crate::run::touched::{names, rest, touched};
use carom_sim::{ContactMode, Record};

const NAME_SIZE: f64 = 7.5;
/// Row height; rows are higher for few contacts.
const ROW: f64 = 11.0;
const LOW_ROW: f64 = 8.5;
/// More contacts than this would fill the page.
const MOST: usize = 40;
/// Characters of a name.
const ROOM: usize = 24;
/// Space between a name and its strip.
const GAP: f64 = 5.0;

/// The strips of a figure.
pub(super) struct Strips {
    /// The contacts shown, by their first touch.
    pub(super) contacts: Vec<usize>,
    names: Vec<Line>,
    /// What is said of the others.
    pub(super) rest: Option<String>,
}

impl Strips {
    pub(super) fn of(record: &Record, fonts: &Fonts) -> Self {
        let all = touched(record);
        let contacts: Vec<usize> = all.iter().copied().take(MOST).collect();
        let names = names(record, &contacts, ROOM).iter().map(|name| fonts.plain(name)).collect();
        let rest = rest(record, all.len(), contacts.len());
        Self { contacts, names, rest }
    }

    /// The width of the names.
    pub(super) fn width(&self) -> f64 {
        self.names.iter().fold(0.0, |widest, name| name.width.max(widest)) * NAME_SIZE + GAP
    }
}

/// The height of `count` strips.
pub(super) fn height(count: usize) -> f64 {
    count as f64 * row(count)
}

fn row(count: usize) -> f64 {
    if count > 4 { LOW_ROW } else { ROW }
}

pub(super) fn colour(mode: ContactMode) -> Colour {
    match mode {
        ContactMode::Flight => Colour(0x80_8080),
        ContactMode::Stick => Colour(0x1f_5f94),
        ContactMode::Slip => Colour(0xf6_c48c),
    }
}

pub(super) fn pattern(mode: ContactMode) -> Pattern {
    match mode {
        ContactMode::Slip => Pattern::Rising(Colour(0x8a_3c00)),
        ContactMode::Flight | ContactMode::Stick => Pattern::None,
    }
}

/// Draws the strips from the top of the panel downwards.
pub(super) fn draw(drawing: &mut Drawing, record: &Record, strips: Strips, panel: &Panel) {
    let row = row(strips.contacts.len());
    let room = panel.corner[0] - GAP - MARGIN;
    for (k, (&contact, name)) in strips.contacts.iter().zip(strips.names).enumerate() {
        let top = panel.corner[1] + row * k as f64;
        let middle = top + 0.5 * row;
        // A name that cannot be cut is set smaller.
        let size = NAME_SIZE * (room / (NAME_SIZE * name.width)).min(1.0);
        drawing.text([panel.corner[0] - GAP - size * name.width, middle + 0.36 * size], name, size);
        let thickness = row - 3.0;
        for mode in [ContactMode::Flight, ContactMode::Slip, ContactMode::Stick] {
            fill(drawing, &spans(record, contact, mode, panel), mode, [middle, thickness]);
        }
        impacts(drawing, record, contact, panel, [middle, row]);
    }
}

/// Spans of a mode, in points; adjacent spans are merged.
fn spans(record: &Record, contact: usize, mode: ContactMode, panel: &Panel) -> Vec<[f64; 2]> {
    let mut spans: Vec<[f64; 2]> = Vec::new();
    for pair in record.samples.windows(2) {
        // The mode of an interval is that at its start: at an event this is the sample after it.
        if pair[0].contacts[contact].mode != mode || pair[0].time == pair[1].time {
            continue;
        }
        let [from, to] = [panel.x(pair[0].time), panel.x(pair[1].time)];
        match spans.last_mut() {
            Some(last) if from <= last[1] + 0.05 => last[1] = to,
            _ => spans.push([from, to]),
        }
    }
    spans
}

fn fill(drawing: &mut Drawing, spans: &[[f64; 2]], mode: ContactMode, [middle, thickness]: [f64; 2]) {
    if spans.is_empty() {
        return;
    }
    let mut path = Path::default();
    if mode == ContactMode::Flight {
        spans.iter().for_each(|[from, to]| path.extend(Path::polyline([[*from, middle], [*to, middle]])));
        let stroke = Stroke { colour: colour(mode), width: 0.8, dash: &[], is_round: false };
        return drawing.stroke(path, stroke, None);
    }
    let top = middle - 0.5 * thickness;
    for [from, to] in spans {
        // A short closure must be visible, too.
        path.extend(Path::rectangle([*from, top], [(to - from).max(0.4), thickness]));
    }
    drawing.fill(path.clone(), colour(mode));
    if pattern(mode) != Pattern::None {
        let ends = [spans[0][0], spans[spans.len() - 1][1]];
        let clip = drawing.clip(path);
        style::pattern(drawing, pattern(mode), [[ends[0], top], [ends[1], top + thickness]], clip);
    }
}

/// A tick for every impact of the contact; where they are too dense to be distinguished, some are left out.
fn impacts(drawing: &mut Drawing, record: &Record, contact: usize, panel: &Panel, [middle, row]: [f64; 2]) {
    let times = record.events.iter().filter(|event| event.contact() == Some(contact) && event.impulse() != [0.0; 3]);
    let places = decimated(times.map(|event| [panel.x(event.time()), middle]));
    let mut path = Path::default();
    for [x, _] in places {
        path.extend(Path::polyline([[x, middle - 0.5 * row + 0.7], [x, middle + 0.5 * row - 0.7]]));
    }
    if !path.0.is_empty() {
        drawing.stroke(path, tick(), None);
    }
}

pub(super) fn tick() -> Stroke {
    Stroke { colour: Colour::BLACK, width: 0.7, dash: &[], is_round: false }
}

/// A sample of a mode for the key.
pub(super) fn key(drawing: &mut Drawing, mode: ContactMode, [x, y]: Vec2, [width, height]: Vec2) {
    fill(drawing, &[[x, x + width]], mode, [y + 0.5 * height, height]);
}
