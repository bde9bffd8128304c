//! Maps, the comparison of laws, the impulse diagram.

use carom::law::{Friction, Mode};
use carom::report::RobotRecord;
use carom::report::figure::{impulses_svg, map_contours};
use carom::study::{Answered, Comparison, Map, MapOptions, Over, Range};
use serde_json::{Value, json};

use crate::envelope::Answer;
use crate::fault::Fault;
use crate::impact::contact;
use crate::open::merge;
use crate::request::Request;
use crate::stated::Stated;
use crate::words;

/// The default number of cells along an axis.
const RESOLUTION: usize = 200;
/// The modes in the order of their numbers in arrays.
const MODES: [Mode; 4] = [Mode::Separating, Mode::Stick, Mode::Slip, Mode::Reversal];
/// The code of a cell whose solutions were not counted.
const NOT_COUNTED: u8 = u8::MAX;

/// The map of a request as data.
pub(crate) fn map(stated: &Stated, request: &Request, over: Over) -> Result<Map, Fault> {
    let range = request
        .range
        .map_or_else(Range::default, |range| Range { x: range.x, y: range.y.map(|[low, high]| (Some(low), high)) });
    let options = MapOptions { resolution: request.resolution.unwrap_or(RESOLUTION), range };
    Ok(match over {
        Over::Coefficients => Map::over_coefficients(&stated.problem, &stated.title(), &options)?,
        Over::State => Map::over_state(&stated.problem, &stated.title(), &options)?,
    })
}

pub(crate) fn map_answer(stated: &Stated, request: &Request, over: Over) -> Result<Answer, Fault> {
    let map = map(stated, request, over)?;
    let axes = map.axes.map(|axis| {
        json!({ "quantity": axis.quantity, "min": axis.min, "max": axis.max, "words": words::axis(axis.quantity) })
    });
    let curves = map.curves.iter().map(|curve| {
        let [words, label] = words::curve(curve.name);
        json!({ "name": curve.name, "words": words, "label": label, "pieces": curve.pieces })
    });
    let regions = map
        .regions
        .iter()
        .map(|region| json!({ "kind": region.kind, "words": words::region(region.kind), "polygons": region.polygons }));
    let contours = if request.contours { map_contours(&map) } else { Vec::new() };
    let contours = contours.into_iter().map(|(level, lines)| {
        let label = format!("{}{}", if level > 0.0 { "+" } else { "" }, carom::sim::number::significant(level, 6));
        json!({ "level": level, "label": label.replace('-', "−"), "pieces": lines })
    });
    let header = json!({
        "title": map.title,
        "over": map.over,
        "axes": axes,
        "resolution": map.resolution,
        "contact_dimension": map.contact_dimension,
        "energy_unit": map.energy_unit,
        "energy_words": words::energy(map.energy_unit),
        "point": map.point,
        "curves": curves.collect::<Vec<_>>(),
        "regions": regions.collect::<Vec<_>>(),
        "contours": contours.collect::<Vec<_>>(),
        "modes": MODES.map(Mode::name),
    });
    let number = |mode: Mode| MODES.iter().position(|other| *other == mode).map_or(u8::MAX, |place| place as u8);
    let cells = &map.cells;
    let flags = |admissible: bool, anywhere: bool| u8::from(admissible) | (u8::from(anywhere) << 1);
    let solutions =
        |count: Option<u32>| count.map_or(NOT_COUNTED, |count| u8::try_from(count).unwrap_or(NOT_COUNTED - 1));
    Ok(Answer::new(header)
        .bytes("mode", cells.iter().map(|cell| number(cell.mode)).collect())
        .floats("energy", cells.iter().map(|cell| cell.energy_change as f32))
        .bytes("flags", cells.iter().map(|cell| flags(cell.admissible, cell.admissible_any_state)).collect())
        .bytes("solutions", cells.iter().map(|cell| solutions(cell.solutions)).collect()))
}

pub(crate) fn laws(stated: &Stated) -> Result<Answer, Fault> {
    let comparison = Comparison::new(&stated.problem)?;
    let robot = stated.scene().map(RobotRecord::new).transpose()?;
    let before = &comparison.contact_velocity[..];
    let friction = comparison.friction.and_then(|[of_stick, of_slip]| Friction::with_static(of_stick, of_slip).ok());
    let percent =
        |change: f64| comparison.energy_before.filter(|before| *before > 0.0).map(|before| 100.0 * change / before);
    let laws = comparison.laws.iter().map(|answered| {
        let mut row = serde_json::to_value(answered).unwrap_or_default();
        let mut more = json!({
            "law": answered.law.name(),
            "words": words::law(answered.law),
            "never_creates": answered.claims.dissipates,
        });
        if let Answered::Yes(verdict) = &answered.answer {
            let vectors = [before, &verdict.contact_velocity[..], &verdict.impulse[..]];
            more["percent"] = json!(percent(verdict.energy_change));
            more["creates"] = json!(creates(&verdict.impulse, before, verdict.energy_change));
            more["contacts"] = json!([contact(robot.as_ref(), 0, verdict.mode, vectors, friction)]);
        }
        merge(&mut row, more);
        row
    });
    let laws: Vec<Value> = laws.collect();
    Ok(Answer::new(json!({
        "laws": laws,
        "restitution": comparison.restitution,
        "friction": comparison.friction,
        "energy_before": comparison.energy_before,
        "contact_velocity": comparison.contact_velocity,
    })))
}

/// Whether a change of energy exceeds the rounding of the impulse's work.
fn creates(impulse: &[f64], velocity: &[f64], change: f64) -> bool {
    /// Compliant contacts are integrated to this accuracy.
    const ROUNDING: f64 = 1e-7;
    let work: f64 = impulse.iter().zip(velocity).map(|(i, v)| (i * v).abs()).sum();
    change > ROUNDING * work
}

pub(crate) fn diagram(stated: &Stated) -> Result<Answer, Fault> {
    let comparison = Comparison::new(&stated.problem)?;
    let space = comparison.diagram()?;
    let mut data = serde_json::to_value(space).unwrap_or_default();
    let loci = space.loci.iter().map(|locus| {
        json!({
            "name": locus.name, "words": words::locus(locus.name), "rows": locus.rows, "values": locus.values,
            "line": locus.line(),
        })
    });
    merge(&mut data, json!({ "loci": loci.collect::<Vec<_>>() }));
    Ok(Answer::new(json!({ "space": data, "svg": impulses_svg(&stated.title(), &comparison)? })))
}
