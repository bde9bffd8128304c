//! Bodies that do not act on each other: together they move as each does alone, at the sum of their costs.

use std::sync::Arc;

use carom_law::{Coefficients, Friction, Restitution};
use carom_multibody::{HalfSpace, Inertia, Joint, JointKind, LinkId, LinkSpec, Model, ModelBuilder};
use carom_sim::{ContactMode, ContactSpec, Discard, Event, Recorder, Simulation, SimulationBuilder, Summary};

const HALF: [f64; 3] = [0.1, 0.08, 0.05];
const UNTIL: f64 = 0.8;

fn name(k: usize) -> String {
    format!("box {k}")
}

fn boxes(which: &[usize]) -> Arc<Model> {
    let mut builder = ModelBuilder::new("boxes");
    for &k in which {
        let free = Joint::new(format!("free {k}"), JointKind::Floating);
        let spec = LinkSpec::new(name(k)).joint(free).inertia(Inertia::cuboid(1.0 + 0.3 * k as f64, HALF));
        builder.link(LinkId::WORLD, spec).unwrap();
    }
    Arc::new(builder.build().unwrap())
}

fn corners() -> impl Iterator<Item = [f64; 3]> {
    let sign = |k: usize, axis: usize| if k >> axis & 1 == 0 { -HALF[axis] } else { HALF[axis] };
    (0..8).map(move |k| [sign(k, 0), sign(k, 1), sign(k, 2)])
}

/// The boxes with these numbers, which fall on a floor, each with its own orientation and initial velocity.
fn thrown(which: &[usize]) -> SimulationBuilder {
    let coefficients = Coefficients::new(Restitution::new(0.3).unwrap(), Friction::new(0.4).unwrap());
    let mut builder = Simulation::builder(boxes(which))
        .surface("floor", HalfSpace::new([0.0; 3], [0.0, 0.0, 1.0]).unwrap())
        .until(UNTIL);
    for &k in which {
        let (x, angle) = (k as f64, 0.2 + 0.11 * k as f64);
        let (sin, cos) = (0.5 * angle).sin_cos();
        let joint = format!("free {k}");
        let pose = [0.5 * x, 0.0, 0.3 + 0.02 * x, cos, sin * 0.6, sin * 0.8, 0.0];
        builder = builder.joint_position(&joint, pose);
        builder = builder.joint_velocity(&joint, [0.4 + 0.1 * x, -0.2, 0.0, 0.5, 1.0 - 0.2 * x, 0.3]);
        for (i, corner) in corners().enumerate() {
            builder = builder.contact(ContactSpec::new(format!("{k}.{i}"), coefficients).on(name(k)).at(corner));
        }
    }
    builder
}

fn run(builder: SimulationBuilder) -> (Simulation, Recorder) {
    let mut simulation = builder.build().unwrap();
    let mut recorder = Recorder::new();
    simulation.run(&mut recorder).unwrap();
    (simulation, recorder)
}

#[test]
fn boxes_together_move_to_the_bit_as_each_does_alone() {
    let all: Vec<usize> = (0..5).collect();
    let (mut together, recorded) = run(thrown(&all));
    let names: Vec<String> = together.contact_names().map(str::to_owned).collect();
    let sample = together.sample().unwrap();
    for &k in &all {
        let (mut alone, own) = run(thrown(&[k]));
        let own_names: Vec<String> = alone.contact_names().map(str::to_owned).collect();
        let is_own =
            |event: &&Event| event.contact().is_some_and(|contact| names[contact].starts_with(&format!("{k}.")));
        let of_whole: Vec<&Event> = recorded.events().iter().filter(is_own).collect();
        assert!(of_whole.len() > 20, "box {k} has {} events", of_whole.len());
        assert_eq!(of_whole.len(), own.events().iter().filter(|event| event.contact().is_some()).count());
        for (event, other) in of_whole.iter().zip(own.events().iter().filter(|event| event.contact().is_some())) {
            assert_eq!(names[event.contact().unwrap()], own_names[other.contact().unwrap()]);
            assert_eq!((event.kind(), event.time(), event.impulse()), (other.kind(), other.time(), other.impulse()));
            assert_eq!((event.mode(), event.energy_change()), (other.mode(), other.energy_change()));
        }
        let joint = format!("free {k}");
        assert_eq!(together.joint_position(&joint).unwrap(), alone.joint_position(&joint).unwrap());
        assert_eq!(together.joint_velocity(&joint).unwrap(), alone.joint_velocity(&joint).unwrap());
        let own_sample = alone.sample().unwrap();
        for (contact, own) in own_names.iter().zip(&own_sample.contacts) {
            let place = names.iter().position(|name| name == contact).unwrap();
            assert_eq!(&sample.contacts[place], own);
        }
    }
}

/// A force that could couple everything but is zero: all bodies are one island.
fn connected(builder: SimulationBuilder) -> SimulationBuilder {
    builder.forces(|_, _, _, _| {})
}

fn quiet(builder: SimulationBuilder) -> Summary {
    let settings = carom_sim::Settings { until: UNTIL, interval: None, ..Default::default() };
    let mut simulation = builder.settings(settings).build().unwrap();
    simulation.run(&mut Discard).unwrap();
    simulation.summary()
}

/// Work instead of time: evaluations of the single bodies, steps and rejected steps.
#[test]
fn n_boxes_cost_the_sum_of_each_alone() {
    let alone: Vec<Summary> = (0..8).map(|k| quiet(thrown(&[k]))).collect();
    for n in [2, 5, 8] {
        let all: Vec<usize> = (0..n).collect();
        let together = quiet(thrown(&all));
        let sum = |count: fn(&Summary) -> u64| alone[..n].iter().map(count).sum::<u64>();
        // Each alone also evaluates its first and last sample, which are not taken here.
        assert_eq!(together.evaluations + 2 * n as u64, sum(|one| one.evaluations), "{n} boxes");
        assert_eq!(together.steps, sum(|one| one.steps), "{n} boxes");
        assert_eq!(together.rejected, sum(|one| one.rejected), "{n} boxes");
        assert_eq!(together.impacts, sum(|one| one.impacts), "{n} boxes");
        assert_eq!(together.windows, sum(|one| one.windows), "{n} boxes");
    }
    // Without islands, each is restarted at every event of the other, and an evaluation covers both.
    assert!(2 * quiet(connected(thrown(&[0, 1]))).evaluations > alone[0].evaluations + alone[1].evaluations);
}

/// The simulation of both as one system computes the same motion differently.
#[test]
fn islands_agree_with_the_simulation_of_the_whole_at_once() {
    let early = |events: &[Event]| -> Vec<Event> {
        // Later, rounding has been amplified by many impacts.
        events.iter().filter(|event| event.time() < 0.3).copied().collect()
    };
    let (_, islands) = run(thrown(&[0, 2]));
    let (_, whole) = run(connected(thrown(&[0, 2])));
    let (islands, whole) = (early(islands.events()), early(whole.events()));
    assert!(islands.len() > 5);
    assert_eq!(islands.len(), whole.len());
    for (one, other) in islands.iter().zip(&whole) {
        assert_eq!((one.kind(), one.contact(), one.mode()), (other.kind(), other.contact(), other.mode()));
        assert!((one.time() - other.time()).abs() < 1e-9, "{one:?} {other:?}");
        for (a, b) in one.impulse().iter().zip(other.impulse()) {
            assert!((a - b).abs() < 1e-7, "{one:?} {other:?}");
        }
    }
}

/// Energies of the samples are those of the whole robot in the state of the sample, and events are in order.
#[test]
fn samples_are_states_of_the_whole_in_the_order_of_time() {
    let (simulation, recorder) = run(thrown(&[3, 0, 1]));
    let mut dynamics = carom_multibody::Dynamics::new(Arc::clone(&simulation.setup().model));
    let scale = simulation.summary().largest_energy;
    let mut last = 0.0;
    for sample in recorder.samples() {
        assert!(sample.time >= last);
        last = sample.time;
        dynamics.set_state(&sample.configuration, &sample.velocity).unwrap();
        let (kinetic, potential) = (dynamics.kinetic_energy(), dynamics.potential_energy());
        assert!((sample.energy.kinetic - kinetic).abs() < 1e-12 * scale);
        assert!((sample.energy.potential - potential).abs() < 1e-12 * scale);
        assert!(sample.energy.residual.abs() < 1e-9 * scale, "{} J at {}", sample.energy.residual, sample.time);
    }
    assert_eq!(last, UNTIL);
    let times: Vec<f64> = recorder.events().iter().map(Event::time).collect();
    assert!(times.is_sorted());
    // At every event there is a sample of the whole, and there is one at every multiple of the interval.
    assert!(times.iter().all(|time| recorder.samples().iter().any(|sample| sample.time == *time)));
    let regular = |k: u32| recorder.samples().iter().any(|sample| sample.time == 0.01 * f64::from(k));
    assert!((0..=79).all(regular));
}

#[test]
fn after_every_step_the_whole_is_at_one_time() {
    let mut simulation = thrown(&[0, 1, 2]).build().unwrap();
    let mut recorder = Recorder::new();
    let mut model = carom_multibody::Dynamics::new(Arc::clone(&simulation.setup().model));
    let (mut last, mut steps) = (0.0, 0);
    while simulation.step(&mut recorder).unwrap() != carom_sim::Stop::Time {
        assert!(simulation.time() >= last && simulation.time() <= UNTIL);
        last = simulation.time();
        steps += 1;
        let sample = simulation.sample().unwrap();
        assert_eq!(sample.time, last);
        assert_eq!(sample.velocity, simulation.velocity());
        // A sample normalises quaternions once more.
        let is_same = |(a, b): (&f64, &f64)| (a - b).abs() <= 4.0 * f64::EPSILON;
        assert!(sample.configuration.iter().zip(simulation.configuration()).all(is_same));
        model.set_state(&sample.configuration, &sample.velocity).unwrap();
        let modes: Vec<ContactMode> = simulation.modes().collect();
        assert!(sample.contacts.iter().zip(&modes).all(|(contact, mode)| contact.mode == *mode));
        assert!(recorder.events().iter().all(|event| event.time() <= last));
    }
    assert!(steps > 100);
}

/// Stopped and continued, copied or reset, they do what each does alone.
#[test]
fn islands_stop_where_they_are_told_to() {
    let pieces = [0.013, 0.2, 0.2000001, 0.45];
    let in_pieces = |builder: SimulationBuilder| {
        let mut simulation = builder.build().unwrap();
        for until in pieces {
            simulation.run_until(until, &mut Discard).unwrap();
            assert_eq!(simulation.time(), until);
        }
        simulation
    };
    let mut together = in_pieces(thrown(&[0, 1]));
    for k in [0, 1] {
        let alone = in_pieces(thrown(&[k]));
        assert_eq!(together.joint_velocity(&format!("free {k}")).unwrap(), alone.velocity());
    }
    let copy = together.clone().velocity().to_vec();
    together.reset().unwrap();
    assert_eq!(together.time(), 0.0);
    for until in pieces {
        together.run_until(until, &mut Discard).unwrap();
    }
    assert_eq!(together.velocity(), copy);
}

/// A controller that moves one box: the other is unaffected, except that its steps end where the controller acts.
#[test]
fn forces_are_held_on_the_island_that_they_act_on() {
    let push = |simulation: &mut Simulation, at: usize| {
        simulation
            .run_controlled(
                50.0,
                |time, _, _, forces| {
                    forces[at] += if time < 0.3 { 2.0 } else { 0.0 };
                    Ok::<(), carom_sim::SimulationError>(())
                },
                &mut Discard,
            )
            .unwrap();
    };
    let mut together = thrown(&[0, 1]).build().unwrap();
    push(&mut together, 6);
    for (k, at) in [(0, None), (1, Some(0))] {
        let mut alone = thrown(&[k]).build().unwrap();
        match at {
            Some(at) => push(&mut alone, at),
            None => {
                let nothing = |_: f64, _: &[f64], _: &[f64], _: &mut [f64]| Ok::<(), carom_sim::SimulationError>(());
                alone.run_controlled(50.0, nothing, &mut Discard).map(|_| ()).unwrap();
            }
        }
        assert_eq!(together.joint_velocity(&format!("free {k}")).unwrap(), alone.velocity(), "box {k}");
    }
    assert_eq!(together.held_forces(), [0.0; 12]);
    // Also between steps: the box that is ahead goes back to the present time.
    let mut together = thrown(&[0, 1]).build().unwrap();
    while together.time() < 0.1 {
        together.step(&mut Discard).unwrap();
    }
    let before = together.velocity().to_vec();
    let mut forces = vec![0.0; 12];
    forces[2] = 1.0;
    forces[8] = 1.0;
    together.hold_forces(&forces).unwrap();
    let sample = together.sample().unwrap();
    for (a, b) in sample.velocity.iter().zip(&before) {
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }
    together.run(&mut Discard).unwrap();
    assert!(together.summary().residual < 1e-9);
}

/// Two arms with stops: limits come after all contacts with surfaces, in the order of the joints.
fn arms(follows: bool) -> SimulationBuilder {
    let mut builder = ModelBuilder::new("arms");
    for k in 0..2 {
        let mut hinge = Joint::new(format!("hinge {k}"), JointKind::Revolute).along([0.0, 1.0, 0.0]);
        hinge.limits = Some([-0.5, 0.5]);
        if follows && k == 1 {
            hinge.mimic = Some(carom_multibody::Mimic { leader: "hinge 0".into(), multiplier: -1.0, offset: 0.0 });
        }
        let weight = Inertia::ball(1.0, 0.1).placed(&carom_multibody::Placement::at([0.0, 0.0, 0.5]));
        builder.link(LinkId::WORLD, LinkSpec::new(format!("arm {k}")).joint(hinge).inertia(weight)).unwrap();
    }
    let mut builder = Simulation::builder(builder.build().unwrap()).limits(Restitution::new(0.5).unwrap()).until(1.0);
    builder = builder.joint_position("hinge 0", 0.1);
    if follows { builder } else { builder.joint_position("hinge 1", -0.2) }
}

#[test]
fn limits_keep_their_names_and_joints_that_follow_are_one_island() {
    let (simulation, recorder) = run(arms(false));
    let names: Vec<&str> = simulation.contact_names().collect();
    assert_eq!(names, ["hinge 0 lower limit", "hinge 0 upper limit", "hinge 1 lower limit", "hinge 1 upper limit"]);
    let first =
        |name: &str| recorder.events().iter().find(|event| names[event.contact().unwrap()] == name).map(Event::time);
    // The one that leans farther gets there first.
    assert!(first("hinge 1 lower limit").unwrap() < first("hinge 0 upper limit").unwrap());
    assert!(first("hinge 0 lower limit").is_none() && first("hinge 1 upper limit").is_none());
    assert!((simulation.joint_position("hinge 0").unwrap()[0] - 0.5).abs() < 0.2);

    let (simulation, recorder) = run(arms(true));
    assert_eq!(simulation.velocity().len(), 1);
    assert!(!recorder.events().is_empty());
}

/// The second box can touch only while the first is above a height.
#[test]
fn a_contact_that_depends_on_another_body_connects_both() {
    let model = || {
        let mut builder = ModelBuilder::new("two");
        for k in 0..2 {
            let slide = Joint::new(format!("slide {k}"), JointKind::Prismatic).along([0.0, 0.0, 1.0]);
            let spec = LinkSpec::new(format!("ball {k}")).joint(slide).inertia(Inertia::ball(1.0, 0.1));
            builder.link(LinkId::WORLD, spec).unwrap();
        }
        builder.build().unwrap()
    };
    let coefficients = Coefficients::new(Restitution::new(0.5).unwrap(), Friction::new(0.3).unwrap());
    let run = |floor_for_the_first: bool| {
        let mut builder = Simulation::builder(model())
            .surface("floor", HalfSpace::new([0.0; 3], [0.0, 0.0, 1.0]).unwrap())
            .joint_position("slide 0", 0.2)
            .joint_position("slide 1", 1.0)
            .contact(ContactSpec::new("ball 1", coefficients).enabled_while("slide 0", -0.05, 10.0))
            .until(0.6);
        if floor_for_the_first {
            builder = builder.contact(ContactSpec::new("ball 0", coefficients));
        }
        let mut simulation = builder.build().unwrap();
        simulation.run(&mut Discard).unwrap();
        simulation.joint_position("slide 1").unwrap()[0]
    };
    assert!(run(true) >= 0.0);
    // The first falls through, so the second has nothing to touch when it arrives.
    assert!(run(false) < -0.2);
}

#[test]
fn the_number_of_events_is_that_of_all_islands() {
    let settings = carom_sim::Settings { until: UNTIL, max_events: 30, ..Default::default() };
    let mut simulation = thrown(&[0, 1, 2]).settings(settings).build().unwrap();
    let mut recorder = Recorder::new();
    let error = simulation.run(&mut recorder).unwrap_err();
    assert!(matches!(error, carom_sim::SimulationError::TooManyEvents { bound: 30, .. }), "{error}");
    assert!((30..50).contains(&recorder.events().len()));
}
