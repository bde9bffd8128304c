//! A run as one self-contained page that plays its motion: drawings, a chart, the events, without network access.

use std::borrow::Cow;
use std::io::{self, Write};

use carom_multibody::{DynamicsError, Geometry, Placement, Shape};
use serde::Serialize;
use serde_json::{Value, json};

use super::table;
use crate::printable;
use carom_sim::{Body, ContactMode, Event, Ledger, Motion, Pose, Record};

const PAGE: &str = include_str!("player/index.html");
const STYLE: &str = include_str!("player/player.css");
/// Plain scripts, in dependency order.
const SCRIPTS: [&str; 8] = [
    include_str!("player/math.js"),
    include_str!("player/run.js"),
    include_str!("player/shapes.js"),
    include_str!("player/camera.js"),
    include_str!("player/space.js"),
    include_str!("player/overlay.js"),
    include_str!("player/chart.js"),
    include_str!("player/player.js"),
];

/// Largest number of numbers of the motion in a page: 16 MB, which a browser opens quickly. Longer runs are thinned.
const MOST_NUMBERS: usize = 4_000_000;
/// More samples are not needed: a screen has fewer columns, and the page interpolates between samples.
const MOST_SAMPLES: usize = 50_000;

/// Why a page cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// A sample is not a valid state of the model.
    #[error(transparent)]
    Motion(#[from] DynamicsError),
    /// Writing fails.
    #[error(transparent)]
    Write(#[from] io::Error),
}

/// The page.
///
/// # Errors
/// A sample is not a valid state of the model, or writing fails.
pub fn run_html(record: &Record, title: &str, output: &mut impl Write) -> Result<(), PageError> {
    let links = record.model.links().len();
    let width = NUMBERS_A_POSE * links + NUMBERS_A_CONTACT * record.header.contacts.len();
    let samples = selection(record, (MOST_NUMBERS / width.max(1)).min(MOST_SAMPLES));
    let motion = Motion::of(record, &samples)?;
    let data = serde_json::to_string(&data(record, title, &samples, &motion)).map_err(io::Error::from)?;
    // A name may contain anything, so `<` is escaped lest a tag end the script.
    let data = data.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029");
    let mut rest = PAGE;
    for (mark, text) in [("@TITLE@", escaped(title)), ("@STYLE@", STYLE.to_owned()), ("@DATA@", data)]
        .into_iter()
        .chain([("@SCRIPT@", SCRIPTS.concat())])
    {
        let (before, after) = rest.split_once(mark).unwrap_or((rest, ""));
        output.write_all(before.as_bytes())?;
        output.write_all(text.as_bytes())?;
        rest = after;
    }
    output.write_all(rest.as_bytes())?;
    Ok(())
}

/// Indices of the samples to keep: those around events, the ends, and as many others as permitted.
fn selection(record: &Record, most: usize) -> Vec<usize> {
    let samples = &record.samples;
    let count = samples.len();
    if count <= most {
        return (0..count).collect();
    }
    let is_beside_event = |i: usize| {
        let twin = |a: usize, b: usize| samples[a].time == samples[b].time;
        (i > 0 && twin(i - 1, i)) || (i + 1 < count && twin(i, i + 1))
    };
    let (first, last) = (samples[0].time, samples[count - 1].time);
    let tick = (last - first) / most.max(2) as f64;
    let mut kept = Vec::with_capacity(most);
    let mut next = first;
    for (i, sample) in samples.iter().enumerate() {
        if sample.time >= next || i + 1 == count || is_beside_event(i) {
            kept.push(i);
            while next <= sample.time {
                next += tick.max(f64::EPSILON * last.abs());
            }
        }
    }
    kept
}

/// Position, quaternion, velocity.
const NUMBERS_A_POSE: usize = 10;
/// Position, force.
const NUMBERS_A_CONTACT: usize = 6;

#[derive(Serialize)]
struct Page<'a> {
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
    contacts: Vec<Cow<'a, str>>,
    bodies: Vec<Value>,
    events: Vec<Value>,
    energies: Vec<&'static str>,
    /// Little-endian numbers in base 64, one row per sample.
    time: String,
    motion: String,
    contact_motion: String,
    modes: String,
    energy: String,
}

fn data<'a>(record: &'a Record, title: &'a str, places: &[usize], motion: &Motion) -> Page<'a> {
    let header = &record.header;
    // The zero of the potential is arbitrary; far from it all curves would look flat.
    let least = record.samples.iter().map(|sample| sample.energy.potential).fold(f64::INFINITY, f64::min);
    let largest = record.summary.largest_energy;
    let devices_matter = record.samples.iter().any(|sample| sample.energy.by_devices().abs() > DEVICES * largest);
    let samples = || places.iter().filter_map(|&i| record.samples.get(i));
    let contacts = || samples().flat_map(|sample| &sample.contacts);
    let moving = |pose: &(&Body, &Pose)| pose.0.is_moving;
    let poses = motion.poses.iter().flat_map(|poses| motion.bodies.iter().zip(poses).filter(moving));
    Page {
        title: printable(title),
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
        contacts: header.contacts.iter().map(|contact| printable(&contact.name)).collect(),
        bodies: motion
            .bodies
            .iter()
            .enumerate()
            .map(|(i, one)| body(one, motion.poses.first().map(|p| &p[i])))
            .collect(),
        events: record.events.iter().map(event).collect(),
        energies: ENERGIES.iter().map(|(name, _)| *name).collect(),
        time: base64(samples().flat_map(|sample| sample.time.to_le_bytes())),
        motion: floats(poses.flat_map(|(_, pose)| numbers(pose))),
        contact_motion: floats(contacts().flat_map(|contact| contact.position.into_iter().chain(contact.world_force))),
        modes: base64(contacts().map(|contact| match contact.mode {
            ContactMode::Flight => 0,
            ContactMode::Stick => 1,
            ContactMode::Slip => 2,
        })),
        energy: floats(samples().flat_map(|sample| {
            let energy = Ledger { potential: sample.energy.potential - least, ..sample.energy };
            ENERGIES.map(|(name, part)| if name == "devices" && !devices_matter { 0.0 } else { part(&energy) })
        })),
    }
}

type Part = fn(&Ledger) -> f64;

/// The curves of the chart.
const ENERGIES: [(&str, Part); 8] = [
    ("kinetic", |energy| energy.kinetic),
    ("potential", |energy| energy.potential),
    ("total", Ledger::total),
    ("friction", |energy| energy.friction),
    ("impacts", |energy| energy.impacts),
    ("damping", |energy| energy.damping),
    ("motors", |energy| energy.torques),
    ("devices", Ledger::by_devices),
];

/// Energy changes of devices are shown if they exceed this fraction of the largest energy.
const DEVICES: f64 = 1e-6;

fn numbers(pose: &Pose) -> [f64; NUMBERS_A_POSE] {
    let ([x, y, z], [qw, qx, qy, qz], [vx, vy, vz]) = (pose.position, pose.rotation.to_array(), pose.velocity);
    [x, y, z, qw, qx, qy, qz, vx, vy, vz]
}

fn body(body: &Body, pose: Option<&Pose>) -> Value {
    let shapes: Vec<Value> = body.shapes.iter().filter_map(shape).collect();
    json!({
        "name": printable(&body.name),
        "shapes": shapes,
        "anchor": body.anchor,
        "ends": body.ends,
        "moving": body.is_moving,
        "pose": pose.map(|pose| numbers(pose).to_vec()),
    })
}

/// `None` for a mesh, which is not read, and for half-spaces, which are drawn as surfaces.
fn shape(shape: &Shape) -> Option<Value> {
    let (kind, size) = match &shape.geometry {
        Geometry::Sphere { radius } => ("sphere", vec![*radius]),
        Geometry::Box { half } => ("box", half.to_vec()),
        Geometry::Capsule { radius, half_length } => ("capsule", vec![*radius, *half_length]),
        Geometry::Cylinder { radius, half_length } => ("cylinder", vec![*radius, *half_length]),
        Geometry::Ellipsoid { half } => ("ellipsoid", half.to_vec()),
        Geometry::Plane | Geometry::Mesh { .. } => return None,
    };
    let Placement { rotation, translation } = shape.placement;
    let (position, rotation) = (translation.to_array(), rotation.to_quaternion().to_array());
    Some(json!({ "kind": kind, "size": size, "position": position, "rotation": rotation }))
}

fn event(event: &Event) -> Value {
    let impulse = event.impulse.iter().map(|x| x * x).sum::<f64>().sqrt();
    json!({
        "time": event.time,
        "kind": event.kind.name(),
        "contact": event.contact,
        "impact": event.impact.map(carom_law::Mode::name),
        "mode": event.mode.map(ContactMode::name),
        "impulse": impulse,
        "energy": event.energy_change,
    })
}

/// Single precision is enough for a screen.
fn floats(numbers: impl Iterator<Item = f64>) -> String {
    base64(numbers.flat_map(|x| (x as f32).to_le_bytes()))
}

fn base64(bytes: impl Iterator<Item = u8>) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(4 * bytes.size_hint().0.div_ceil(3));
    let mut group = [0_u8; 3];
    let mut count = 0;
    let mut put = |group: [u8; 3], count: usize| {
        let word = u32::from_be_bytes([0, group[0], group[1], group[2]]);
        for k in 0..4 {
            let sign = SIGNS[(word >> (18 - 6 * k)) as usize & 63];
            text.push(if k <= count { char::from(sign) } else { '=' });
        }
    };
    for byte in bytes {
        group[count] = byte;
        count += 1;
        if count == 3 {
            put(group, count);
            (group, count) = ([0; 3], 0);
        }
    }
    if count > 0 {
        put(group, count);
    }
    text
}

fn escaped(text: &str) -> String {
    printable(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors of RFC 4648.
    #[test]
    fn base64_is_the_standard_one() {
        for (plain, coded) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE=")]
        {
            assert_eq!(base64(plain.bytes()), coded);
        }
    }
}
