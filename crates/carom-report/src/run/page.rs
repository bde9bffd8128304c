//! The data of a page that plays a run.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use carom_law::Law;
use carom_multibody::{DynamicsError, Geometry, Hull, Model, Placement, Shape};
use serde::Serialize;
use serde_json::{Value, json};

use super::group::event_groups;
use super::packed::{base64, doubles, floats, integers};
use super::thinned::thinned;
use super::touched::{modes, names, rest, touched};
use super::words::{self, Sum};
use super::{table, words::impulse_units};
use crate::printable;
use carom_law::Mode;
use carom_sim::number::{significant, tidy};
use carom_sim::{Body, ContactMode, Event, EventKind, Ledger, Motion, Pose, Record};

/// Bytes of the motion in a page, before they are written in base 64, which makes four of three. Longer runs are thinned:
/// pages stay below 5 MB.
const MOST_BYTES: usize = 2_700_000;
/// The most samples of a page: a screen has fewer columns, and the page interpolates.
const MOST_SAMPLES: usize = 50_000;
/// The fewest samples of a thinned run, however many bodies there are.
const LEAST_SAMPLES: usize = 200;
/// Characters of the names beside the strips, in wide and in narrow windows.
const WIDE: usize = 26;
const NARROW: usize = 18;
/// Digits of sums.
const FEW: usize = 3;
/// Energy changes of devices are shown if they exceed this fraction of the largest energy.
const DEVICES: f64 = 1e-6;

/// Position, quaternion, velocity.
const NUMBERS_A_POSE: usize = 10;
/// Position, force.
const NUMBERS_A_CONTACT: usize = 6;

#[derive(Serialize)]
pub(super) struct Page<'a> {
    title: Cow<'a, str>,
    model: Cow<'a, str>,
    ending: &'static str,
    until: f64,
    reached: f64,
    at_rest: Option<f64>,
    plane: Option<[f64; 3]>,
    gravity: [f64; 3],
    length: f64,
    surfaces: Vec<carom_sim::SurfaceHeader>,
    /// The contacts that closed, by their first touch; events refer to them by their places in this list.
    contacts: Vec<PageContact<'a>>,
    /// A note about the other contacts.
    rest: Option<String>,
    bodies: Vec<Value>,
    hulls: Vec<PageHull>,
    kinds: Vec<&'static str>,
    events: PageEvents,
    groups: Vec<PageGroup>,
    energies: Vec<PageEnergy>,
    /// Little-endian numbers in base 64, one row per sample.
    time: String,
    motion: String,
    energy: String,
}

#[derive(Serialize)]
struct PageContact<'a> {
    name: Cow<'a, str>,
    /// The name cut to two widths.
    wide: String,
    narrow: String,
    unit: &'static str,
    is_limit: bool,
    /// When each mode begins, and the modes.
    since: String,
    modes: String,
    /// Samples at which it is closed, as first sample and count of each stretch, and its position and force at them.
    closed: Vec<[usize; 2]>,
    motion: String,
}

/// The events as columns.
#[derive(Serialize)]
struct PageEvents {
    time: String,
    kind: String,
    contact: String,
    impact: String,
    mode: String,
    impulse: String,
    energy: String,
    position: String,
}

/// A row of the list with several events.
#[derive(Serialize)]
struct PageGroup {
    first: usize,
    count: usize,
    contacts: String,
    bounces: String,
    more: String,
    trains: Vec<PageTrain>,
}

#[derive(Serialize)]
struct PageTrain {
    contact: usize,
    events: Vec<usize>,
    bounces: String,
    more: String,
}

/// A convex hull in a page.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PageHull {
    /// Three single-precision numbers a vertex, in base 64.
    pub points: String,
    /// Three indices a face, in base 64.
    pub faces: String,
}

#[derive(Serialize)]
struct PageEnergy {
    name: &'static str,
    words: &'static str,
}

/// The data of a run.
pub(super) fn page<'a>(record: &'a Record, title: &'a str) -> Result<Page<'a>, DynamicsError> {
    let header = &record.header;
    let shown = touched(record);
    let places: HashMap<usize, usize> = shown.iter().enumerate().map(|(place, &contact)| (contact, place)).collect();
    let kept = thinned(record, most_samples(record));
    let motion = Motion::of(record, &kept)?;
    let samples = || kept.iter().filter_map(|&i| record.samples.get(i));
    let moving = |pose: &(&Body, &Pose)| pose.0.is_moving;
    let poses = motion.poses.iter().flat_map(|poses| motion.bodies.iter().zip(poses).filter(moving));
    let mut hulls = Hulls::default();
    let bodies = motion.bodies.iter().enumerate();
    let bodies = bodies.map(|(i, one)| body(one, motion.poses.first().map(|p| &p[i]), &mut hulls)).collect();
    let curves = curves(record);
    // The zero of the potential is arbitrary; far from it all curves would look flat.
    let least = record.samples.iter().map(|sample| sample.energy.potential).fold(f64::INFINITY, f64::min);
    let is_still = record.summary.largest_energy <= words::still_energy(record);
    let energy = samples().flat_map(|sample| {
        let energy = Ledger { potential: sample.energy.potential - least, ..sample.energy };
        let part = move |part: Part| if is_still { 0.0 } else { part(&energy) };
        curves.iter().map(move |(_, _, of)| part(*of)).collect::<Vec<_>>()
    });
    Ok(Page {
        title: match record.header.law {
            law if law == Law::default().name() => printable(title),
            law => format!("{}, by the law {law}", printable(title)).into(),
        },
        model: printable(&header.model),
        ending: table::ending(record.summary.ending),
        until: header.until,
        reached: record.summary.time,
        at_rest: record.summary.at_rest,
        plane: header.plane,
        gravity: header.gravity,
        length: header.length,
        surfaces: header
            .surfaces
            .iter()
            .map(|surface| carom_sim::SurfaceHeader { name: printable(&surface.name).into_owned(), ..surface.clone() })
            .collect(),
        contacts: contacts(record, &shown, &kept),
        rest: rest(record, shown.len(), shown.len()),
        bodies,
        hulls: hulls.list,
        kinds: KINDS.map(words::kind).to_vec(),
        events: events(record, &places),
        groups: groups(record, &places),
        time: doubles(samples().map(|sample| sample.time)),
        motion: floats(poses.flat_map(|(_, pose)| numbers(pose))),
        energy: floats(energy),
        energies: curves.iter().map(|(name, words, _)| PageEnergy { name, words }).collect(),
    })
}

/// A robot in one state, as a page draws it: in the form of the data of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DrawnRobot {
    /// The links: name, shapes in their frame, anchor, ends, whether they move.
    pub bodies: Vec<Value>,
    /// The hulls that shapes refer to.
    pub hulls: Vec<PageHull>,
    /// Position, quaternion and velocity of every link: ten numbers each.
    #[serde(skip)]
    pub poses: Vec<f64>,
}

/// A robot in a state, for drawing.
///
/// # Errors
/// The state is not valid for the model.
pub fn drawn_robot(model: &Arc<Model>, configuration: &[f64], velocity: &[f64]) -> Result<DrawnRobot, DynamicsError> {
    let motion = Motion::of_states(model, [(configuration, velocity)])?;
    let poses = motion.poses.first().map_or(&[][..], |poses| poses);
    let mut hulls = Hulls::default();
    let bodies = motion.bodies.iter().map(|one| body(one, None, &mut hulls)).collect();
    Ok(DrawnRobot { bodies, hulls: hulls.list, poses: poses.iter().flat_map(numbers).collect() })
}

/// Positions, quaternions and velocities of all links in a state: ten numbers each.
///
/// # Errors
/// The state is not valid for the model.
pub fn robot_poses(model: &Arc<Model>, configuration: &[f64], velocity: &[f64]) -> Result<Vec<f64>, DynamicsError> {
    let motion = Motion::of_states(model, [(configuration, velocity)])?;
    Ok(motion.poses.iter().flatten().flat_map(numbers).collect())
}

/// The number of samples that the bytes allow: times, energies, poses, and the contacts that are closed on average.
fn most_samples(record: &Record) -> usize {
    let moving =
        (0..record.model.links().len()).filter(|&i| record.model.is_moving(carom_multibody::LinkId::from_index(i)));
    let closed: usize = record
        .samples
        .iter()
        .map(|sample| sample.contacts.iter().filter(|contact| contact.mode != ContactMode::Flight).count())
        .sum();
    let closed = closed.div_ceil(record.samples.len().max(1));
    let numbers = 2 + ENERGIES.len() + NUMBERS_A_POSE * moving.count() + NUMBERS_A_CONTACT * closed;
    (MOST_BYTES / (size_of::<f32>() * numbers)).clamp(LEAST_SAMPLES, MOST_SAMPLES)
}

/// Names for a narrow page. A name that needs more room to differ from the others gets a little more, since the page
/// sets what is too long in smaller letters.
fn narrow_names(record: &Record, shown: &[usize], wide: Vec<String>) -> Vec<String> {
    let rooms = [NARROW, NARROW.midpoint(WIDE)];
    let mut cut = rooms.map(|room| (room, names(record, shown, room).into_iter()));
    let mut narrow = |wide: String| {
        let tried = cut.each_mut().map(|(room, names)| names.next().filter(|name| name.chars().count() <= *room));
        tried.into_iter().flatten().next().unwrap_or(wide)
    };
    wide.into_iter().map(&mut narrow).collect()
}

fn contacts<'a>(record: &'a Record, shown: &[usize], kept: &[usize]) -> Vec<PageContact<'a>> {
    let units = impulse_units(record);
    let whole: Vec<Cow<'a, str>> = shown.iter().map(|&i| printable(&record.header.contacts[i].name)).collect();
    let wide = names(record, shown, WIDE);
    let cut = wide.clone().into_iter().zip(narrow_names(record, shown, wide));
    let contact = |((&i, name), (wide, narrow)): ((&usize, Cow<'a, str>), (String, String))| {
        let modes = modes(record, i);
        let at = |k: usize| record.samples.get(kept[k]).and_then(|sample| sample.contacts.get(i));
        let is_closed = |k: &usize| at(*k).is_some_and(|contact| contact.mode != ContactMode::Flight);
        let closed: Vec<usize> = (0..kept.len()).filter(is_closed).collect();
        let numbers = closed.iter().filter_map(|&k| at(k));
        PageContact {
            name,
            wide,
            narrow,
            unit: units[i],
            is_limit: record.header.contacts[i].is_of_joint(),
            since: doubles(modes.iter().map(|(time, _)| *time)),
            modes: base64(modes.iter().map(|(_, mode)| mode_number(*mode))),
            motion: floats(numbers.flat_map(|contact| contact.position.into_iter().chain(contact.world_force))),
            closed: stretches(&closed),
        }
    };
    shown.iter().zip(whole).zip(cut).map(contact).collect()
}

/// Ascending numbers as first number and count of each stretch without a gap.
fn stretches(numbers: &[usize]) -> Vec<[usize; 2]> {
    let mut stretches: Vec<[usize; 2]> = Vec::new();
    for &x in numbers {
        match stretches.last_mut() {
            Some([first, count]) if *first + *count == x => *count += 1,
            _ => stretches.push([x, 1]),
        }
    }
    stretches
}

fn mode_number(mode: ContactMode) -> u8 {
    match mode {
        ContactMode::Flight => 0,
        ContactMode::Stick => 1,
        ContactMode::Slip => 2,
    }
}

/// The code of a missing value in a column of small numbers.
const NOTHING: u8 = u8::MAX;

/// The kinds of events, in the order of their numbers.
const KINDS: [EventKind; 13] = [
    EventKind::Impact,
    EventKind::Settle,
    EventKind::LiftOff,
    EventKind::Stick,
    EventKind::Slip,
    EventKind::Jam,
    EventKind::JamApproached,
    EventKind::AmbiguousLiftOff,
    EventKind::Window,
    EventKind::Rattle,
    EventKind::Sequence,
    EventKind::Projection,
    EventKind::DeadPoint,
];

/// The modes of impacts, in the order of their numbers.
const IMPACTS: [Mode; 4] = [Mode::Separating, Mode::Stick, Mode::Slip, Mode::Reversal];

fn events(record: &Record, places: &HashMap<usize, usize>) -> PageEvents {
    let (rounding, units) = (words::energy_rounding(record), impulse_units(record));
    let impulse_roundings = words::impulse_roundings(record, &units);
    let impulse = |event: &Event| {
        let rounding = event.contact().and_then(|contact| impulse_roundings.get(contact)).copied().unwrap_or(0.0);
        tidy(words::size(event.impulse()), rounding)
    };
    let all = || record.events.iter();
    let number = |place: Option<usize>| place.and_then(|place| u8::try_from(place).ok()).unwrap_or(NOTHING);
    let place = |event: &Event| event.contact().and_then(|contact| places.get(&contact)).copied().unwrap_or(usize::MAX);
    // Where the contact was: the sample at the same time.
    let position = |event: &Event| {
        let at = record.samples.partition_point(|sample| sample.time < event.time());
        let sample = record.samples.get(at).or(record.samples.last());
        let contact = event.contact().and_then(|contact| sample.and_then(|sample| sample.contacts.get(contact)));
        contact.map_or([0.0; 3], |contact| contact.position)
    };
    PageEvents {
        time: doubles(all().map(Event::time)),
        kind: base64(all().map(|event| number(KINDS.iter().position(|kind| *kind == event.kind())))),
        contact: integers(all().map(place)),
        impact: base64(all().map(|event| number(IMPACTS.iter().position(|mode| Some(*mode) == event.impact())))),
        mode: base64(all().map(|event| event.mode().map_or(NOTHING, mode_number))),
        // Events without an impulse are distinguished from impulses of zero.
        impulse: floats(all().map(|event| match words::has_impulse(event) {
            true => impulse(event),
            false => -1.0,
        })),
        energy: floats(all().map(|event| tidy(event.energy_change(), rounding))),
        position: floats(all().flat_map(position)),
    }
}

fn groups(record: &Record, places: &HashMap<usize, usize>) -> Vec<PageGroup> {
    let units = impulse_units(record);
    let rounding = words::energy_rounding(record);
    let name = |contact: usize| {
        record.header.contacts.get(contact).map_or(String::new(), |contact| printable(&contact.name).into_owned())
    };
    let more = |sum: &Sum| {
        let then = Some(sum.then()).filter(|then| !then.is_empty()).map(|then| format!("then {then}"));
        let energy =
            sum.has_energy().then(|| format!("{} J", significant(sum.energy(rounding), FEW)).replace('-', "−"));
        let impulse = Some(sum.impulse()).filter(|impulse| !impulse.is_empty());
        let parts = [Some(format!("in {}", sum.lasts())), impulse, energy, then, sum.others()];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
    };
    let groups = event_groups(&record.events, record.header.interval).into_iter().filter(|row| row.is_group());
    groups
        .map(|row| {
            let sum = Sum::of(&record.events[row.events.clone()], &units);
            let train = |train: super::group::Train| {
                let sum = Sum::of(train.events.iter().map(|&i| &record.events[i]), &units);
                let contact = places.get(&train.contact).copied().unwrap_or(usize::MAX);
                PageTrain { contact, bounces: sum.bounces(), more: more(&sum), events: train.events }
            };
            PageGroup {
                first: row.events.start,
                count: row.events.len(),
                contacts: sum.names(name),
                bounces: sum.bounces(),
                more: more(&sum),
                trains: row.trains.into_iter().map(train).collect(),
            }
        })
        .collect()
}

type Part = fn(&Ledger) -> f64;

/// The curves of the chart: keys, labels and values.
const ENERGIES: [(&str, &str, Part); 9] = [
    ("kinetic", "kinetic", |energy| energy.kinetic),
    ("potential", "potential, from its minimum", |energy| energy.potential),
    ("total", "total", Ledger::total),
    ("friction", "work of friction", |energy| energy.friction),
    ("impacts", "work of impacts", |energy| energy.impacts),
    ("damping", "work of damping", |energy| energy.damping),
    ("dry", "work of dry friction", |energy| energy.dry_friction),
    ("torques", "work of torques", |energy| energy.torques),
    ("devices", "numerical devices", Ledger::by_devices),
];

/// The curves that are not zero throughout.
fn curves(record: &Record) -> Vec<(&'static str, &'static str, Part)> {
    let bound = |name: &str| if name == "devices" { DEVICES * record.summary.largest_energy } else { 0.0 };
    let is_shown = |(name, _, part): &(&'static str, &'static str, Part)| {
        record.samples.iter().any(|sample| part(&sample.energy).abs() > bound(name))
    };
    ENERGIES.into_iter().filter(is_shown).collect()
}

fn numbers(pose: &Pose) -> [f64; NUMBERS_A_POSE] {
    let ([x, y, z], [qw, qx, qy, qz], [vx, vy, vz]) = (pose.position, pose.rotation.to_array(), pose.velocity);
    [x, y, z, qw, qx, qy, qz, vx, vy, vz]
}

fn body(body: &Body, pose: Option<&Pose>, hulls: &mut Hulls) -> Value {
    let shapes: Vec<Value> = body.shapes.iter().filter_map(|one| shape(one, hulls)).collect();
    json!({
        "name": printable(&body.name),
        "shapes": shapes,
        "anchor": body.anchor,
        "ends": body.ends,
        "moving": body.is_moving,
        "pose": pose.map(|pose| numbers(pose).to_vec()),
    })
}

/// `None` for a mesh without a hull, and for half-spaces, which are drawn as surfaces.
fn shape(shape: &Shape, hulls: &mut Hulls) -> Option<Value> {
    let (kind, size) = match &shape.geometry {
        Geometry::Sphere { radius } => ("sphere", vec![*radius]),
        Geometry::Box { half } => ("box", half.to_vec()),
        Geometry::Capsule { radius, half_length } => ("capsule", vec![*radius, *half_length]),
        Geometry::Cylinder { radius, half_length } => ("cylinder", vec![*radius, *half_length]),
        Geometry::Ellipsoid { half } => ("ellipsoid", half.to_vec()),
        Geometry::Mesh { hull: Some(hull), .. } => ("hull", vec![hulls.place(hull) as f64]),
        Geometry::Plane | Geometry::Mesh { hull: None, .. } => return None,
    };
    let Placement { rotation, translation } = shape.placement;
    let (position, rotation) = (translation.to_array(), rotation.to_quaternion().to_array());
    Some(json!({ "kind": kind, "size": size, "position": position, "rotation": rotation }))
}

/// Hulls, each once: links that share a mesh share its hull.
#[derive(Default)]
struct Hulls {
    places: HashMap<*const Hull, usize>,
    list: Vec<PageHull>,
}

impl Hulls {
    fn place(&mut self, hull: &Arc<Hull>) -> usize {
        let list = &mut self.list;
        *self.places.entry(Arc::as_ptr(hull)).or_insert_with(|| {
            list.push(PageHull {
                points: floats(hull.vertices.iter().flat_map(|point| point.to_array())),
                faces: integers(hull.faces.iter().flatten().copied()),
            });
            list.len() - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_end_at_gaps() {
        assert_eq!(stretches(&[0, 1, 2, 5, 7, 8]), [[0, 3], [5, 1], [7, 2]]);
        assert!(stretches(&[]).is_empty());
    }

    /// A kind or mode that is added has to get a number.
    #[test]
    fn numbers_are_those_of_the_names() {
        for (i, kind) in KINDS.iter().enumerate() {
            assert_eq!(KINDS.iter().position(|other| other == kind), Some(i));
        }
        for (i, mode) in [ContactMode::Flight, ContactMode::Stick, ContactMode::Slip].into_iter().enumerate() {
            assert_eq!(usize::from(mode_number(mode)), i);
        }
    }
}
