//! Runs in closed form: what reports are tested with shares nothing with the simulator.
#![allow(dead_code, reason = "each test uses some of it")]

use std::sync::Arc;

use carom_law::Mode;
use carom_multibody::{
    Dynamics, Inertia, Joint, JointKind, LinkId, LinkSpec, Model, ModelBuilder, Placement, Quaternion, Vector, load,
};
use carom_sim::{
    ContactHeader, ContactMode, ContactSample, Ending, Event, Header, ImpactEvent, Ledger, ModeEvent, Record, Sample,
    SettleEvent, Summary, SurfaceHeader,
};

const G: f64 = 9.81;

fn model(name: &str) -> Arc<Model> {
    Arc::new(carom_scene::models::find(name).unwrap().load(&load::Options::default()).unwrap())
}

fn header(model: &Model, title: &str, contacts: &[&str], dimension: usize, until: f64) -> Header {
    let names = |count: usize, letter: char| (0..count).map(|i| format!("{letter}{i}")).collect::<Vec<_>>();
    let contact = |name: &&str| ContactHeader {
        name: (*name).to_owned(),
        dimension,
        surface: Some(0),
        against: None,
        joint: None,
    };
    Header {
        title: Some(title.to_owned()),
        model: model.name().to_owned(),
        coordinates: names(model.nq(), 'c'),
        velocities: model.velocity_names(),
        contacts: contacts.iter().map(contact).collect(),
        surfaces: vec![SurfaceHeader { name: "ground".to_owned(), point: [0.0; 3], normal: [0.0, 0.0, 1.0] }],
        plane: model.plane().map(Vector::to_array),
        gravity: [0.0, 0.0, -G],
        length: 1.0,
        law: "aghili",
        guard: Some("slip"),
        tolerance: 1e-10,
        until,
        interval: Some(0.01),
        warnings: Vec::new(),
    }
}

/// A sphere that stays where it is: its potential energy is 2.5 J, off by a number of roundings that changes from sample to sample.
pub fn still(roundings: f64) -> Record {
    let mut record = sphere();
    for (k, sample) in record.samples.iter_mut().enumerate() {
        let potential = 2.5 * (1.0 + roundings * f64::EPSILON * (k % 3) as f64);
        sample.energy = Ledger { potential, ..Ledger::default() };
    }
    record.events.clear();
    record.summary.largest_energy = 2.5 * 2.0 * roundings * f64::EPSILON;
    record
}

fn summary(time: f64, contacts: usize) -> Summary {
    Summary {
        ending: Ending::Complete,
        failure: None,
        time,
        steps: 120,
        rejected: 7,
        evaluations: 1543,
        impacts: 0,
        settlings: 0,
        windows: 0,
        rattles: 0,
        sequences: 0,
        projections: 0,
        not_converged: 0,
        settled: vec![None; contacts],
        at_rest: None,
        rests_at: None,
        penetration: 3.1e-14,
        largest_energy: 19.62,
        residual: 2.3e-13,
        warnings: Vec::new(),
    }
}

fn open(position: [f64; 3]) -> ContactSample {
    ContactSample { mode: ContactMode::Flight, gap: position[2], position, force: [0.0; 3], world_force: [0.0; 3] }
}

fn impact(time: f64, contact: usize, impulse: [f64; 3], energy_change: f64, impact: Mode) -> ImpactEvent {
    ImpactEvent { time, contact, impact, mode: Some(ContactMode::Flight), impulse, energy_change }
}

/// A ball of 1 kg falls 1 m in the plane, drifting along x, and bounces with e = 0.8 until it settles.
pub fn ball() -> Record {
    const E: f64 = 0.8;
    const DRIFT: f64 = 0.6;
    let (until, rate) = (5.0, 0.01);
    let model = model("superball");
    let header = header(&model, "a ball bounces with e = 0.8", &["bottom"], 2, until);
    let end = (2.0 / G).sqrt() * (1.0 + E) / (1.0 - E);
    let mut samples = Vec::new();
    let mut events = Vec::new();
    let mut energy = Ledger { potential: 2.0 * G, kinetic: 0.7 * DRIFT * DRIFT, ..Ledger::default() };
    let start = energy.total();
    let mut push = |t: f64, z: f64, v: f64, mode: ContactMode, energy: &mut Ledger| {
        (energy.kinetic, energy.potential) = (0.5 * (v * v + 1.4 * DRIFT * DRIFT), G * (1.0 + z));
        energy.residual = energy.total() - start - energy.booked();
        let force = if mode == ContactMode::Flight { 0.0 } else { G };
        let contact = ContactSample {
            mode,
            force: [force, 0.0, 0.0],
            world_force: [0.0, 0.0, force],
            ..open([DRIFT * t, 0.0, z])
        };
        let (configuration, velocity) = (vec![DRIFT * t, 1.0 + z, DRIFT * t], vec![DRIFT, v, DRIFT]);
        samples.push(Sample { time: t, configuration, velocity, contacts: vec![contact], energy: *energy });
    };
    let (mut t0, mut z0, mut v0) = (0.0, 1.0, 0.0_f64);
    while v0 > 1e-6 || t0 == 0.0 {
        let lasts = (v0 + (v0 * v0 + 2.0 * G * z0).sqrt()) / G;
        let count = (lasts / rate).ceil().max(2.0) as usize;
        for k in 0..=count {
            let t = lasts * k as f64 / count as f64;
            let z = if k == count { 0.0 } else { z0 + t * (v0 - 0.5 * G * t) };
            push(t0 + t, z, v0 - G * t, ContactMode::Flight, &mut energy);
        }
        let before = v0 - G * lasts;
        (t0, z0, v0) = (t0 + lasts, 0.0, -E * before);
        let change = 0.5 * (v0 * v0 - before * before);
        energy.impacts += change;
        push(t0, 0.0, v0, ContactMode::Flight, &mut energy);
        events.push(Event::Impact(impact(t0, 0, [v0 - before, 0.0, 0.0], change, Mode::Slip)));
    }
    let impacts = events.len() as u64;
    energy.settling -= 0.5 * v0 * v0;
    events.push(Event::Settle(SettleEvent {
        time: t0,
        contact: 0,
        mode: Some(ContactMode::Slip),
        impulse: [0.0; 3],
        energy_change: energy.settling,
        settled: Some(end),
    }));
    let rest = ((until - t0) / rate) as usize;
    for k in 0..=rest {
        push(t0 + (until - t0) * k as f64 / rest as f64, 0.0, 0.0, ContactMode::Slip, &mut energy);
    }
    let summary = Summary { impacts, settled: vec![Some(end)], ..summary(until, 1) };
    Record { model, header, samples, events, summary }
}

/// A sphere of 1 kg and 1 m slides in space with 2 m/s and mu = 0.2 until it rolls.
pub fn sphere() -> Record {
    const MU: f64 = 0.2;
    let (v0, until, rate) = (2.0, 1.5, 0.005);
    let model = model("sphere");
    let header = header(&model, "a sphere slides until it rolls", &["bottom"], 3, until);
    let rolls = v0 / (3.5 * MU * G);
    let mut samples = Vec::new();
    let mut push = |t: f64, mode: ContactMode| {
        let s = t.min(rolls);
        let (v, spin) = (v0 - MU * G * s, 2.5 * MU * G * s);
        let x = v0 * s - 0.5 * MU * G * s * s + v * (t - s);
        let angle = 0.5 * 2.5 * MU * G * s * s + spin * (t - s);
        let [w, qx, qy, qz] = Quaternion::about(Vector::new(0.0, 1.0, 0.0), angle).to_array();
        let kinetic = 0.5 * v * v + 0.2 * spin * spin;
        let friction = kinetic - 0.5 * v0 * v0;
        let energy = Ledger { kinetic, potential: G, friction, ..Ledger::default() };
        let force = if mode == ContactMode::Slip { -MU * G } else { 0.0 };
        let (position, force, world_force) = ([x, 0.0, 0.0], [G, force, 0.0], [force, 0.0, G]);
        let contacts = vec![ContactSample { mode, gap: 0.0, position, force, world_force }];
        // The velocity is in the sphere's axes.
        let (sin, cos) = angle.sin_cos();
        let velocity = vec![v * cos, 0.0, v * sin, 0.0, spin, 0.0];
        let configuration = vec![x, 0.0, 1.0, w, qx, qy, qz];
        samples.push(Sample { time: t, configuration, velocity, contacts, energy });
    };
    let before = (rolls / rate) as usize;
    (0..=before).for_each(|k| push(rolls * k as f64 / before as f64, ContactMode::Slip));
    let after = ((until - rolls) / rate) as usize;
    (0..=after).for_each(|k| push(rolls + (until - rolls) * k as f64 / after as f64, ContactMode::Stick));
    let stick = Event::Stick(ModeEvent { time: rolls, contact: 0 });
    Record { model, header, samples, events: vec![stick], summary: summary(until, 1) }
}

/// A cube of eight corners is tossed and turns freely; where a corner reaches the ground it is thrown up again with
/// another spin. It was asked to fly for longer than it does.
pub fn cube() -> Record {
    const HALF: f64 = 0.0524;
    let (mass, inertia, rate) = (0.37, 0.000_81, 0.002);
    let model = model("cube");
    let names: Vec<String> = (0..8).map(|i| format!("corner_{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut header = header(&model, "a cube is tossed and tumbles", &names, 3, 3.0);
    header.length = 2.0 * HALF;
    let corner = |i: usize| [0, 1, 2].map(|k| if i >> k & 1 == 1 { HALF } else { -HALF });
    let mut dynamics = Dynamics::new(Arc::clone(&model));
    let (mut samples, mut events) = (Vec::new(), Vec::<Event>::new());
    let mut position = Vector::new(0.0, 0.0, 0.25);
    let mut velocity = Vector::new(0.5, -0.3, 1.0);
    let mut turn = Quaternion::about(Vector::new(1.0, 0.0, 0.0), 0.4);
    let mut spin = Vector::new(5.0, -3.0, 2.0);
    let mut energy = Ledger::default();
    let mut start = None;
    let mut t0 = 0.0;
    for bounce in 0..4 {
        // The spin is the same in the world's axes and in the cube's while it turns about it.
        let state = |t: f64| {
            let here = position + t * velocity + (-0.5 * G * t * t) * Vector::new(0.0, 0.0, 1.0);
            let rotation = turn.to_rotation() * Quaternion::exp(t * spin).to_rotation();
            (here, rotation, velocity + (-G * t) * Vector::new(0.0, 0.0, 1.0))
        };
        let corners = |t: f64| {
            let (here, rotation, _) = state(t);
            (0..8).map(move |i| (here + rotation.apply(Vector::from(corner(i)))).to_array()).collect::<Vec<_>>()
        };
        let lowest = |t: f64| corners(t).into_iter().map(|at| at[2]).fold(f64::INFINITY, f64::min);
        let mut end = 0.02;
        while lowest(end) > 0.0 {
            end += 0.001;
        }
        let mut low = end - 0.001;
        for _ in 0..60 {
            let middle = 0.5 * (low + end);
            if lowest(middle) > 0.0 { low = middle } else { end = middle }
        }
        let count = (end / rate).ceil() as usize;
        for k in 0..=count {
            let t = end * k as f64 / count as f64;
            let (here, rotation, moves) = state(t);
            let q = rotation.to_quaternion();
            let configuration = [&here.to_array()[..], &q.to_array()[..]].concat();
            let velocity = [rotation.apply_inverse(moves).to_array(), spin.to_array()].concat();
            dynamics.set_state(&configuration, &velocity).unwrap();
            (energy.kinetic, energy.potential) = (dynamics.kinetic_energy(), mass * G * here.z());
            let begin = *start.get_or_insert(energy.total());
            energy.residual = energy.total() - begin - energy.booked();
            let contacts = corners(t).into_iter().map(open).collect();
            samples.push(Sample { time: t0 + t, configuration, velocity, contacts, energy });
        }
        let (here, rotation, moves) = state(end);
        let struck = (0..8).min_by(|&a, &b| corners(end)[a][2].total_cmp(&corners(end)[b][2])).unwrap();
        let kinetic = |v: Vector, w: Vector| 0.5 * (mass * v.dot(v) + inertia * w.dot(w));
        let after = Vector::new(0.9 * moves.x(), 0.9 * moves.y(), -0.62 * moves.z());
        let turned = Vector::new(0.8 * spin.y(), -0.7 * spin.x(), 0.9 * spin.z() + 0.5 * f64::from(bounce));
        let change = kinetic(after, turned) - kinetic(moves, spin);
        energy.impacts += change;
        t0 += end;
        let impulse = (mass * (after - moves)).to_array();
        events.push(Event::Impact(impact(t0, struck, impulse, change, Mode::Stick)));
        (position, velocity, turn, spin) = (here, after, rotation.to_quaternion(), turned);
    }
    assert_eq!(model.find_link("cube"), Some(LinkId::from_index(1)));
    let summary = Summary { ending: Ending::Interrupted, impacts: 4, ..summary(t0, 8) };
    Record { model, header, samples, events, summary }
}

/// A quadruped trots: postures by sines, not by forces. A foot below a line counts as standing.
pub fn quadruped() -> Record {
    const FEET: [&str; 4] = ["front_left_foot", "front_right_foot", "rear_left_foot", "rear_right_foot"];
    let options = load::Options::new().floating_base(true);
    let model = Arc::new(carom_scene::models::find("quadruped").unwrap().load(&options).unwrap());
    let mut header = header(&model, "a quadruped trots, by sines", &FEET, 3, 2.0);
    header.length = 0.5;
    let mut dynamics = Dynamics::new(Arc::clone(&model));
    let feet = FEET.map(|name| model.find_link(name).unwrap());
    let mut samples: Vec<Sample> = Vec::new();
    let mut events = Vec::new();
    for k in 0..=400 {
        let t = 0.005 * f64::from(k);
        let mut configuration = model.home().to_vec();
        let turn = Quaternion::about(Vector::new(0.0, 1.0, 0.0), 0.04 * (8.0 * t).sin());
        configuration[..3].copy_from_slice(&[0.6 * t, 0.0, 0.34 + 0.01 * (16.0 * t).sin()]);
        configuration[3..7].copy_from_slice(&turn.to_array());
        for (leg, phase) in ["front_left", "front_right", "rear_left", "rear_right"].iter().zip([0.0, 3.1, 3.1, 0.0]) {
            let mut set = |joint: &str, x: f64| {
                configuration[model.find_joint(&format!("{leg}_{joint}")).unwrap().coordinates.start] = x;
            };
            set("hip", 0.7 + 0.3 * (8.0 * t + phase).sin());
            set("knee", -1.3 + 0.35 * (8.0 * t + phase + 1.2).sin());
        }
        let velocity = vec![0.0; model.nv()];
        dynamics.set_state(&configuration, &velocity).unwrap();
        let contacts = feet.map(|foot| {
            let mut position = dynamics.placement(foot).translation.to_array();
            position[2] -= 0.02;
            let is_low = position[2] < 0.03;
            let mode = if !is_low {
                ContactMode::Flight
            } else if position[2] < 0.02 {
                ContactMode::Stick
            } else {
                ContactMode::Slip
            };
            let force = if is_low { 40.0 + 1000.0 * (0.03 - position[2]) } else { 0.0 };
            let world_force = [0.1 * force, 0.0, force];
            ContactSample { mode, gap: position[2], position, force: [force, 0.1 * force, 0.0], world_force }
        });
        for (i, now) in contacts.iter().enumerate() {
            let was = samples.last().map(|sample| sample.contacts[i].mode);
            if was == Some(ContactMode::Flight) && now.mode != ContactMode::Flight {
                let struck = impact(t, i, [0.8, 0.1, 0.0], -0.05, Mode::Slip);
                events.push(Event::Impact(ImpactEvent { mode: Some(now.mode), ..struck }));
            } else if now.mode == ContactMode::Flight && was.is_some_and(|mode| mode != ContactMode::Flight) {
                events.push(Event::LiftOff(ModeEvent { time: t, contact: i }));
            }
        }
        let energy = Ledger { kinetic: 2.0, potential: 30.0 + (16.0 * t).sin(), ..Ledger::default() };
        samples.push(Sample { time: t, configuration, velocity, contacts: contacts.to_vec(), energy });
    }
    Record { model, header, samples, events, summary: summary(2.0, 4) }
}

/// Two swinging links without shapes, in the plane: their angles are sines.
pub fn chain() -> Record {
    let mut builder = ModelBuilder::new("chain");
    let mut parent = LinkId::WORLD;
    for (name, joint) in [("upper", "shoulder"), ("lower", "elbow")] {
        let hinge = Joint::new(joint, JointKind::Revolute).along([0.0, -1.0, 0.0]);
        let place = if parent == LinkId::WORLD { [0.0, 0.0, 2.0] } else { [0.0, 0.0, -1.0] };
        let inertia = Inertia::point(1.0, [0.0, 0.0, -0.5]);
        let link = LinkSpec::new(name).placed(Placement::at(place)).joint(hinge).inertia(inertia);
        parent = builder.link(parent, link).unwrap();
    }
    builder.frame("tip", parent, Placement::at([0.0, 0.0, -1.0])).unwrap();
    let model = Arc::new(builder.build().unwrap());
    let header = header(&model, "two links without shapes swing", &["tip"], 2, 4.0);
    let mut dynamics = Dynamics::new(Arc::clone(&model));
    let sample = |k: i32| {
        let t = 0.02 * f64::from(k);
        let (configuration, velocity) =
            (vec![0.7 * (3.0 * t).cos(), 0.9 * (5.0 * t).sin()], vec![-2.1 * (3.0 * t).sin(), 4.5 * (5.0 * t).cos()]);
        dynamics.set_state(&configuration, &velocity).unwrap();
        let tip = dynamics.placement(parent).apply(Vector::new(0.0, 0.0, -1.0)).to_array();
        let energy = Ledger { kinetic: dynamics.kinetic_energy(), ..Ledger::default() };
        Sample { time: t, configuration, velocity, contacts: vec![open(tip)], energy }
    };
    let samples = (0..=200).map(sample).collect();
    Record { model, header, samples, events: Vec::new(), summary: summary(4.0, 1) }
}

/// All of them.
pub fn runs() -> [(&'static str, Record); 5] {
    [("ball", ball()), ("sphere", sphere()), ("cube", cube()), ("quadruped", quadruped()), ("chain", chain())]
}
