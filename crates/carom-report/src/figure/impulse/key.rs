//! The key: the lines of the figure in two columns, then the laws, each with its energy change.

use super::shapes;
use crate::figure::drawing::Line;
use crate::figure::drawing::{Drawing, Path, Stroke, Vec2};
use crate::figure::font::Fonts;
use crate::figure::plot::Plot;
use crate::figure::{heading, marks, style};
use carom_sim::number::{signed, tidy};
use carom_study::{Answered, Coincidence, Comparison, ImpulseSpace, LocusName};

const SIZE: f64 = 8.5;
const ROW: f64 = 13.0;
/// Line spacing within a row.
const LEADING: f64 = 10.5;
const SAMPLE: f64 = 24.0;
/// Energy changes below this, in percent, are rounding.
const ROUNDING: f64 = 1e-10;

/// The rows of the key.
pub(super) struct Rows {
    lines: Vec<(Sample, String)>,
    laws: Vec<(Option<usize>, String)>,
}

enum Sample {
    Cone,
    Line(Stroke),
}

/// The rows for the elements of the first view.
pub(super) fn rows(comparison: &Comparison, space: &ImpulseSpace, plot: &Plot, marks: &[Vec<&Coincidence>]) -> Rows {
    let [mu_s, mu_d] = space.friction;
    let is_planar = space.contact_dimension == 2;
    let cone = if mu_s == mu_d { "friction cone" } else { "friction cone, *μ*_{d}" };
    let mut lines = vec![(Sample::Cone, cone.to_owned())];
    if mu_s != mu_d {
        lines.push((Sample::Line(style::STATIC_EDGE), "friction cone, *μ*_{s}".to_owned()));
    }
    for locus in space.loci.iter().filter(|locus| shapes::shows_locus(space, plot, locus)) {
        let name = match (locus.name, is_planar) {
            (LocusName::Sticking, true) => "*v*_{t}^{+} = 0: sticking",
            (LocusName::Sticking, false) => "(a) *v*_{t}^{+} = 0: sticking",
            (LocusName::TangentialRestitution, true) => "*v*_{t}^{+} = −*e*_{t}*v*_{t}^{−}",
            (LocusName::TangentialRestitution, false) => "(a) *v*_{t}^{+} = −*e*_{t}*v*_{t}^{−}",
            (LocusName::MaximumCompression, true) => "*v*_{n}^{+} = 0: most compressed",
            (LocusName::MaximumCompression, false) => "(a) its edge at *v*_{n}^{+} = 0",
            (LocusName::Restitution, true) => "*v*_{n}^{+} = −*e* *v*_{n}^{−}: as asked",
            (LocusName::Restitution, false) => "(a) its edge at *v*_{n}^{+} = −*e* *v*_{n}^{−}",
        };
        lines.push((Sample::Line(style::locus(locus.name)), name.to_owned()));
    }
    if shapes::shows_neutral(space, plot) {
        let name = if is_planar { "Δ*K* = 0; created outside" } else { "(a) Δ*K* = 0; created outside" };
        lines.push((Sample::Line(style::NEUTRAL), name.to_owned()));
    }
    let answered = marks.iter().enumerate().map(|(number, mark)| (Some(number), answers(comparison, mark)));
    let refused = comparison.laws.iter().filter_map(|law| match &law.answer {
        Answered::Yes(_) => None,
        Answered::No { error } => Some((None, format!("{}: {}", law.law.name(), reason(error, law.law.name())))),
    });
    Rows { lines, laws: answered.chain(refused).collect() }
}

/// The laws of a mark with their energy changes; answers that only look alike are joined by a sign.
fn answers(comparison: &Comparison, mark: &[&Coincidence]) -> String {
    let energies: Vec<String> = mark.iter().map(|answer| energy(comparison, answer)).collect();
    let mut text = String::new();
    for (k, answer) in mark.iter().enumerate() {
        let names: Vec<&str> = answer.laws.iter().map(|law| law.name()).collect();
        text += &names.join(", ");
        if energies.get(k + 1) != Some(&energies[k]) {
            text += &format!(" ({})", energies[k]);
        }
        if k + 1 < mark.len() {
            text += " ≈ ";
        }
    }
    text
}

fn energy(comparison: &Comparison, answer: &Coincidence) -> String {
    let of_law = comparison.laws.iter().find(|law| Some(&law.law) == answer.laws.first());
    let Some(Answered::Yes(verdict)) = of_law.map(|law| &law.answer) else { return String::new() };
    // No line break before a percent sign.
    let text = match comparison.energy_before.filter(|energy| *energy > 0.0) {
        Some(before) => format!("{}\u{a0}%", signed(tidy(100.0 * verdict.energy_change / before, ROUNDING), 3)),
        None => format!("{}\u{a0}J", signed(verdict.energy_change, 3)),
    };
    format!("{},\u{a0}{}", verdict.mode.name(), text.replace('-', "−"))
}

/// An error up to its first comma, without the words that the row has already.
fn reason(error: &str, law: &str) -> String {
    let rest = error.strip_prefix(&format!("law = \"{law}\" ")).unwrap_or(error);
    rest.split(", ").next().unwrap_or(rest).to_owned()
}

fn broken(text: &str, width: f64, fonts: &Fonts) -> Vec<Line> {
    heading::broken(text, |text| fonts.plain(text), (width - SAMPLE) / SIZE, 4)
}

pub(super) fn height(rows: &Rows, width: f64, fonts: &Fonts) -> f64 {
    let laws = rows.laws.iter().map(|(_, text)| ROW + LEADING * (broken(text, width, fonts).len() - 1) as f64);
    ROW * rows.lines.len().div_ceil(2) as f64 + 4.0 + laws.sum::<f64>()
}

pub(super) fn draw(drawing: &mut Drawing, rows: Rows, corner: Vec2, width: f64, fonts: &Fonts) {
    let half = rows.lines.len().div_ceil(2);
    for (k, (sample, text)) in rows.lines.iter().enumerate() {
        let [x, y] = [corner[0] + 0.5 * width * (k / half) as f64, corner[1] + ROW * (k % half) as f64];
        let stroke = match sample {
            Sample::Line(stroke) => *stroke,
            Sample::Cone => {
                drawing.fill(Path::rectangle([x, y + 4.5], [SAMPLE, 5.0]), style::CONE);
                style::DYNAMIC_EDGE
            }
        };
        drawing.stroke(Path::polyline([[x, y + 4.5], [x + SAMPLE, y + 4.5]]), stroke, None);
        drawing.text([x + SAMPLE + 6.0, y + 7.6], fonts.marked(text), SIZE);
    }
    let mut y = corner[1] + ROW * half as f64 + 4.0;
    for (mark, text) in rows.laws {
        if let Some(number) = mark {
            marks::draw(drawing, number, [corner[0] + 6.0, y + 4.5]);
        }
        for line in broken(&text, width, fonts) {
            drawing.text([corner[0] + 16.0, y + 7.6], line, SIZE);
            y += LEADING;
        }
        y += ROW - LEADING;
    }
}
