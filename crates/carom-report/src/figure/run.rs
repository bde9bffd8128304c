//! The figure of a run: modes, gaps, energies and the residual of the energy book over one time axis.

use super::decimate::decimated;
use super::drawing::{Colour, Drawing, Path, Stroke, Vec2};
use super::font::Fonts;
use super::heading;
use super::map::{MARGIN, WIDTH};
use super::panel::Panel;
use super::strips::{self, Strips};
use crate::printable;
use crate::run::words::still_energy;
use carom_sim::number::significant;
use carom_sim::{ContactMode, Ending, Ledger, Record, Sample};

/// Left edge of the panels; names of contacts may move it.
const LEFT: f64 = 64.0;
const MOST_LEFT: f64 = 132.0;
const GAP: f64 = 9.0;
const GAPS_HEIGHT: f64 = 76.0;
const ENERGY_HEIGHT: f64 = 92.0;
const RESIDUAL_HEIGHT: f64 = 48.0;
const KEY_SIZE: f64 = 8.0;
const KEY_ROW: f64 = 12.0;
const SAMPLE: f64 = 22.0;
/// Gaps of more contacts than this are not distinguished: they are drawn in one style, and the smallest in bold.
const MOST_NAMED: usize = 4;
/// A range of this fraction of its scale or less is not magnified.
const MAGNIFIED: f64 = 1e-6;
/// Residuals below this fraction of the largest energy are rounding.
const ROUNDING: f64 = 1e-18;

/// An entry of the key.
struct Key {
    sample: KeySample,
    text: String,
}

enum KeySample {
    Line(Stroke),
    Mode(ContactMode),
    Impact,
    /// A note without a sample.
    None,
}

/// Draws the whole figure.
pub(super) fn draw(record: &Record, title: &str, fonts: &Fonts) -> Drawing {
    let verdict = verdict(record);
    let mut drawing = Drawing { title: title.to_owned(), description: verdict.clone(), ..Drawing::default() };
    let lines = heading::lines(title, &verdict, WIDTH - 2.0 * MARGIN, fonts);
    let mut y = MARGIN + heading::height(&lines) + 7.0;
    heading::draw(&mut drawing, lines, MARGIN);
    let time = [record.samples.first(), record.samples.last()].map(|sample| sample.map_or(0.0, |sample| sample.time));
    let shown = Strips::of(record, fonts);
    let left = (MARGIN + shown.width()).clamp(LEFT, MOST_LEFT);
    let panel = |top: f64, height: f64, values: [f64; 2], is_log: bool| {
        let size = [WIDTH - left - 2.0 * MARGIN, height];
        Panel { corner: [left, top], size, time, values, is_log }
    };

    let contacts = shown.contacts.clone();
    let mut lowest = panel(y, strips::height(contacts.len()), [0.0, 1.0], false);
    let marks = mode_keys(record, &shown);
    strips::draw(&mut drawing, record, shown, &lowest);
    y = keys(&mut drawing, marks, [left, y + lowest.size[1] + 3.0], fonts);
    // Distances of joints from their limits are not gaps. If nothing closed, all gaps are shown.
    let all = if contacts.is_empty() { (0..record.header.contacts.len()).collect() } else { contacts };
    let contacts: Vec<usize> = all.into_iter().filter(|&i| !record.header.contacts[i].is_of_joint()).collect();
    if !contacts.is_empty() {
        let curves = gaps(record, &contacts);
        let length = record.header.length;
        lowest = panel(y, GAPS_HEIGHT, range(&curves, length), false);
        plot(&mut drawing, &lowest, &curves);
        lowest.frame(&mut drawing, "gap, m", fonts);
        y = keys(&mut drawing, key_of(curves), [left, y + GAPS_HEIGHT + 5.0], fonts);
    }
    let curves = energies(record);
    let scale = record.summary.largest_energy.max(still_energy(record) / MAGNIFIED);
    lowest = panel(y, ENERGY_HEIGHT, range(&curves, scale), false);
    plot(&mut drawing, &lowest, &curves);
    lowest.frame(&mut drawing, "energy, J", fonts);
    y = keys(&mut drawing, key_of(curves), [left, y + ENERGY_HEIGHT + 5.0], fonts);

    let curve = residual(record);
    lowest = panel(y, RESIDUAL_HEIGHT, powers(&curve), true);
    plot(&mut drawing, &lowest, std::slice::from_ref(&curve));
    lowest.frame(&mut drawing, "not explained", fonts);
    lowest.time_axis(&mut drawing, fonts);
    drawing.size = [WIDTH, y + RESIDUAL_HEIGHT + 32.0];
    let paper = super::drawing::Item::Fill { path: Path::rectangle([0.0, 0.0], drawing.size), colour: Colour::WHITE };
    drawing.items.insert(0, paper);
    drawing
}

/// One sentence: the duration, the impacts, and how the run ended.
fn verdict(record: &Record) -> String {
    let summary = &record.summary;
    let time = significant(summary.time, 4);
    let mut text = match summary.ending {
        Ending::Complete => format!("{time} s"),
        ending @ (Ending::Interrupted | Ending::OutOfTime | Ending::Failed) => {
            let how = match ending {
                Ending::Failed => "failed",
                Ending::OutOfTime => "out of time",
                _ => "interrupted",
            };
            format!("INCOMPLETE, {how} at {time} s of {} s", significant(record.header.until, 4))
        }
    };
    text += &format!(", {} impact{}", summary.impacts, if summary.impacts == 1 { "" } else { "s" });
    if let Some(since) = summary.at_rest {
        text += &format!(", at rest since {} s", significant(since, 6));
    }
    text + &format!("; the energy book closes to {}", significant(summary.residual, 2))
}

/// A named line over time.
struct Curve {
    name: Option<String>,
    stroke: Stroke,
    points: Vec<[f64; 2]>,
}

fn curve(record: &Record, name: Option<&str>, stroke: Stroke, of: impl Fn(&Sample) -> f64) -> Curve {
    let points = record.samples.iter().map(|sample| [sample.time, of(sample)]).collect();
    Curve { name: name.map(|name| printable(name).into_owned()), stroke, points }
}

fn line(colour: u32, width: f64, dash: &'static [f64]) -> Stroke {
    Stroke { colour: Colour(colour), width, dash, is_round: dash.is_empty() }
}

fn gaps(record: &Record, contacts: &[usize]) -> Vec<Curve> {
    const FEW: [(u32, &[f64]); MOST_NAMED] =
        [(0x00_5a9c, &[]), (0xb0_3a00, &[6.0, 2.0]), (0x1f_6b45, &[2.0, 1.6]), (0x5b_3a7d, &[8.0, 2.0, 1.6, 2.0])];
    if contacts.len() <= MOST_NAMED {
        let named = contacts.iter().zip(FEW).map(|(&i, (colour, dash))| {
            let name = record.header.contacts[i].name.as_str();
            curve(record, Some(name), line(colour, 1.1, dash), |sample| sample.contacts[i].gap)
        });
        return named.collect();
    }
    let alike = contacts.iter().enumerate().map(|(k, &i)| {
        let name = (k == 0).then_some("each contact");
        curve(record, name, line(0x90_9090, 0.5, &[]), |sample| sample.contacts[i].gap)
    });
    let least = |sample: &Sample| contacts.iter().map(|&i| sample.contacts[i].gap).fold(f64::INFINITY, f64::min);
    alike.chain([curve(record, Some("smallest"), line(0x00_0000, 1.3, &[]), least)]).collect()
}

type Part = fn(&Ledger) -> f64;

/// The energies that are not negligible. Potential and total energy are measured from the smallest potential energy:
/// the zero of the potential is arbitrary, and far from it all curves would look flat.
fn energies(record: &Record) -> Vec<Curve> {
    let least = record.samples.iter().map(|sample| sample.energy.potential).fold(f64::INFINITY, f64::min);
    let work: [(&str, Stroke, Part); 9] = [
        ("work of impacts", line(0xb0_3a00, 1.2, &[8.0, 2.0, 1.6, 2.0]), |energy| energy.impacts),
        ("work of friction", line(0xc0_6a00, 1.2, &[1.6, 1.8]), |energy| energy.friction),
        ("work of damping", line(0x1f_6b45, 1.0, &[4.0, 1.5]), |energy| energy.damping),
        ("work of dry friction", line(0x8a_5a2b, 1.0, &[5.0, 1.2, 1.2, 1.2]), |energy| energy.dry_friction),
        ("work of torques", line(0x5b_3a7d, 1.0, &[3.0, 1.2, 1.0, 1.2]), |energy| energy.torques),
        ("settling and projection", line(0x40_4040, 0.7, &[1.0, 1.0]), |energy| energy.settling + energy.projection),
        ("windows", line(0x40_4040, 0.7, &[6.0, 1.0]), |energy| energy.windows),
        ("rattle", line(0x40_4040, 0.7, &[3.0, 1.0]), |energy| energy.rattle),
        ("sequences", line(0x40_4040, 0.7, &[2.0, 2.0]), |energy| energy.sequences),
    ];
    let largest = record.summary.largest_energy;
    let matters = |part: Part| record.samples.iter().any(|sample| part(&sample.energy).abs() > 1e-6 * largest);
    let work = work.into_iter().filter(|(_, _, part)| matters(*part));
    let work = work.map(|(name, stroke, part)| curve(record, Some(name), stroke, |sample| part(&sample.energy)));
    let (thin, dashed, bold) = (line(0x00_5a9c, 1.1, &[]), line(0x70_7070, 1.0, &[5.0, 2.0]), line(0, 1.5, &[]));
    let state = [
        curve(record, Some("kinetic"), thin, |sample| sample.energy.kinetic),
        curve(record, Some("potential, from its minimum"), dashed, |sample| sample.energy.potential - least),
        curve(record, Some("total"), bold, |sample| sample.energy.total() - least),
    ];
    state.into_iter().chain(work).collect()
}

fn residual(record: &Record) -> Curve {
    let largest = record.summary.largest_energy;
    let part = |sample: &Sample| if largest > 0.0 { sample.energy.residual.abs() / largest } else { 0.0 };
    curve(record, None, line(0x00_0000, 0.8, &[]), part)
}

/// The range of the curves, with a margin. A range of [so little](MAGNIFIED) of `scale` is rounding and is not magnified.
fn range(curves: &[Curve], scale: f64) -> [f64; 2] {
    let values = curves.iter().flat_map(|curve| curve.points.iter().map(|point| point[1]));
    let [low, high] = values.fold([0.0_f64, 0.0_f64], |[low, high], x| [low.min(x), high.max(x)]);
    if !(high - low > MAGNIFIED * scale) {
        let reach = if scale > 0.0 { scale } else { 1.0 };
        return [-0.1 * reach, reach];
    }
    let room = 0.05 * (high - low);
    // If nothing is below zero except by rounding, zero is the bottom.
    [if low < -1e-6 * (high - low) { low - room } else { -0.4 * room }, high + room]
}

/// Integer powers of ten that enclose all values above rounding.
fn powers(curve: &Curve) -> [f64; 2] {
    let values = curve.points.iter().map(|point| point[1]).filter(|x| *x > ROUNDING);
    let [low, high] = values.fold([f64::INFINITY, 0.0_f64], |[low, high], x| [low.min(x), high.max(x)]);
    if !(high >= low) {
        return [-17.0, -15.0];
    }
    let [low, high] = [low.log10().floor(), high.log10().ceil()];
    [low.max(high - 8.0), high.max(low + 1.0)]
}

fn plot(drawing: &mut Drawing, panel: &Panel, curves: &[Curve]) {
    let clip = panel.clip(drawing);
    for curve in curves {
        let points = decimated(curve.points.iter().map(|point| panel.place(*point)));
        if points.len() > 1 {
            drawing.stroke(Path::polyline(points), curve.stroke, Some(clip));
        }
    }
}

fn mode_keys(record: &Record, strips: &Strips) -> Vec<Key> {
    let mut keys = Vec::new();
    for mode in [ContactMode::Flight, ContactMode::Stick, ContactMode::Slip] {
        let occurs = |sample: &Sample| strips.contacts.iter().any(|&i| sample.contacts[i].mode == mode);
        if record.samples.iter().any(occurs) {
            keys.push(Key { sample: KeySample::Mode(mode), text: mode.name().to_owned() });
        }
    }
    if record.events.iter().any(|event| event.impulse() != [0.0; 3]) {
        keys.push(Key { sample: KeySample::Impact, text: "impact".to_owned() });
    }
    keys.extend(strips.rest.iter().map(|text| Key { sample: KeySample::None, text: text.clone() }));
    keys
}

fn key_of(curves: Vec<Curve>) -> Vec<Key> {
    let key = |curve: Curve| curve.name.map(|text| Key { sample: KeySample::Line(curve.stroke), text });
    curves.into_iter().filter_map(key).collect()
}

/// Draws the key below a panel, row by row; returns the top of the next panel.
fn keys(drawing: &mut Drawing, keys: Vec<Key>, [left, top]: Vec2, fonts: &Fonts) -> f64 {
    let (mut x, mut y) = (left, top);
    let is_empty = keys.is_empty();
    for Key { sample, text } in keys {
        let line = fonts.plain(&text);
        let sample_width = if matches!(sample, KeySample::None) { 0.0 } else { SAMPLE + 4.0 };
        let width = sample_width + KEY_SIZE * line.width;
        if x > left && x + width > WIDTH - MARGIN {
            (x, y) = (left, y + KEY_ROW);
        }
        draw_sample(drawing, &sample, [x, y]);
        drawing.text([x + sample_width, y + 7.0], line, KEY_SIZE);
        x += width + 11.0;
    }
    if is_empty { y + GAP - 4.0 } else { y + KEY_ROW + GAP - 4.0 }
}

fn draw_sample(drawing: &mut Drawing, sample: &KeySample, [x, y]: Vec2) {
    let middle = y + 4.3;
    match sample {
        KeySample::Line(stroke) => {
            drawing.stroke(Path::polyline([[x, middle], [x + SAMPLE, middle]]), *stroke, None);
        }
        KeySample::None => {}
        KeySample::Mode(mode) => strips::key(drawing, *mode, [x, y + 1.0], [SAMPLE, 6.6]),
        KeySample::Impact => {
            let at = x + 0.5 * SAMPLE;
            drawing.stroke(Path::polyline([[at, middle - 4.0], [at, middle + 4.0]]), strips::tick(), None);
        }
    }
}
