//! Dry friction of joints: cases in closed form or by quadrature; for random robots, the bounds of the force, the
//! energy book and the independence of parts that do not act on each other.

use std::f64::consts::PI;

use carom_law::{Coefficients, Friction, Restitution};
use carom_multibody::{
    HalfSpace, Inertia, Joint, JointKind, LinkId, LinkSpec, Loop, LoopKind, Model, ModelBuilder, Placement, Spring,
    Vector,
};
use carom_sim::{ContactMode, ContactSpec, Event, Recorder, Simulation, SimulationBuilder};
use fastrand::Rng;

const G: f64 = 9.81;

/// A body of this mass on a vertical slide, or about a horizontal hinge with its centre at 1 m.
fn alone(joint: Joint, mass: f64) -> Model {
    let mut builder = ModelBuilder::new("alone");
    let inertia = match joint.kind {
        JointKind::Prismatic => Inertia::ball(mass, 0.1),
        _ => Inertia::ball(mass, 0.1).placed(&Placement::at([0.0, 0.0, -1.0])),
    };
    builder.link(LinkId::WORLD, LinkSpec::new("body").joint(joint).inertia(inertia)).unwrap();
    builder.build().unwrap().with_gravity([0.0, 0.0, -G])
}

fn slide(friction: f64) -> Joint {
    let mut joint = Joint::new("slide", JointKind::Prismatic);
    joint.dry_friction = friction;
    joint
}

fn hinge(friction: f64) -> Joint {
    let mut joint = Joint::new("hinge", JointKind::Continuous).along([0.0, 1.0, 0.0]);
    joint.dry_friction = friction;
    joint
}

fn run(builder: SimulationBuilder) -> (Simulation, Recorder) {
    let mut simulation = builder.build().unwrap();
    let mut recorder = Recorder::new();
    simulation.run(&mut recorder).unwrap();
    let summary = simulation.summary();
    assert!(summary.residual < 1e-8, "{summary:?}");
    let mut last = 0.0;
    for sample in recorder.samples() {
        let work = sample.energy.dry_friction;
        assert!(work <= last + 1e-14, "dry friction adds energy at {}: {last} to {work}", sample.time);
        last = work;
    }
    (simulation, recorder)
}

/// The times at which a friction sticks and slips.
fn changes(recorder: &Recorder, contact: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut sticks, mut slips) = (Vec::new(), Vec::new());
    for event in recorder.events().iter().filter(|event| event.contact() == Some(contact)) {
        match event {
            Event::Stick(_) => sticks.push(event.time()),
            Event::Slip(_) => slips.push(event.time()),
            other => panic!("{other:?}"),
        }
    }
    (sticks, slips)
}

#[test]
fn a_slide_holds_its_load_up_to_its_friction_and_falls_with_the_rest() {
    let (simulation, recorder) = run(Simulation::builder(alone(slide(19.7), 2.0)).until(1.0));
    assert_eq!(simulation.configuration(), [0.0]);
    assert_eq!(simulation.velocity(), [0.0]);
    assert!(recorder.events().is_empty());
    let last = recorder.samples().last().unwrap();
    assert_eq!(last.contacts[0].mode, ContactMode::Stick);
    assert!((last.contacts[0].force[0] - 2.0 * G).abs() < 1e-12 * G, "{:?}", last.contacts[0]);
    assert_eq!(simulation.summary().at_rest, Some(0.0));
    assert_eq!(simulation.contact_names().collect::<Vec<_>>(), ["slide friction"]);

    let (simulation, recorder) = run(Simulation::builder(alone(slide(12.0), 2.0)).until(1.0));
    let a = -G + 6.0;
    assert!((simulation.configuration()[0] - 0.5 * a).abs() < 1e-12 && (simulation.velocity()[0] - a).abs() < 1e-12);
    let last = recorder.samples().last().unwrap();
    assert!((last.contacts[0].force[0] - 12.0).abs() < 1e-14 * 12.0);
    assert!((last.energy.dry_friction - 12.0 * 0.5 * a).abs() < 1e-11);

    let left_out = Simulation::builder(alone(slide(12.0), 2.0)).until(1.0).without_joint_friction();
    let (simulation, _) = run(left_out);
    assert!((simulation.velocity()[0] + G).abs() < 1e-12);
    let warnings = simulation.header().warnings;
    assert!(warnings[0].contains("the dry friction of joint \"slide\" is left out"), "{warnings:?}");
}

/// Between a spring and friction a mass swings by halves of π √(m/k), each shorter by 2 f/k, until the spring is weaker
/// than friction. It stops there, away from the relaxed position of the spring.
#[test]
fn a_mass_on_a_spring_stops_after_as_many_half_swings_as_it_must() {
    let (m, k, f, start) = (1.5, 60.0, 3.3, 0.537);
    let mut joint = slide(f);
    joint.spring = Some(Spring { stiffness: k, rest: 0.0 });
    let model = alone(joint, m).with_gravity([0.0; 3]);
    let (simulation, recorder) = run(Simulation::builder(model).joint_position("slide", start).until(4.0));
    let half = PI * (m / k).sqrt();
    let mut turns = Vec::new();
    let mut x: f64 = start;
    while k * x.abs() > f {
        x = -(x - x.signum() * 2.0 * f / k);
        turns.push(half * (turns.len() + 1) as f64);
    }
    assert!(turns.len() > 3);
    let events: Vec<f64> = recorder.events().iter().map(Event::time).collect();
    // It starts at t = 0, turns, and stops.
    assert_eq!(events.len(), turns.len() + 1, "{events:?}");
    for (event, turn) in events[1..].iter().zip(&turns) {
        assert!((event - turn).abs() < 1e-9, "{event} is not {turn}");
    }
    assert!(matches!(recorder.events().last(), Some(Event::Stick(_))));
    assert!((simulation.configuration()[0] - x).abs() < 1e-10, "{} is not {x}", simulation.configuration()[0]);
    assert!((simulation.summary().at_rest.unwrap() - turns.last().unwrap()).abs() < 1e-9);
    let last = recorder.samples().last().unwrap();
    assert!((last.energy.dry_friction + 0.5 * k * (start * start - x * x)).abs() < 1e-9);
}

/// A force F sin ωt on a mass: it sticks until F sin ωt = f, slides until its velocity is zero, and sticks again. Onsets repeat with
/// the period π/ω exactly; stops are roots of the integral of the force.
#[test]
fn a_mass_that_sticks_and_slips_under_a_periodic_force_does_so_with_its_period() {
    let (m, f, force, omega) = (2.0, 3.0, 3.6, 5.0);
    let model = alone(slide(f), m).with_gravity([0.0; 3]);
    let driven = Simulation::builder(model).joint_force("slide", move |t, _, _| force * (omega * t).sin()).until(4.0);
    let (_, recorder) = run(driven);
    let (sticks, slips) = changes(&recorder, 0);
    let onset = (f / force).asin() / omega;
    assert_eq!(slips.len(), 7);
    assert!(sticks.len() + 1 >= slips.len());
    // m v = F/ω (cos ωt₀ - cos ωt) - f (t - t₀)
    let speed = |t: f64| force / omega * ((omega * onset).cos() - (omega * t).cos()) - f * (t - onset);
    let (mut low, mut high) = (PI / omega - onset, PI / omega + onset);
    assert!(speed(low) > 0.0 && speed(high) < 0.0);
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if speed(middle) > 0.0 { low = middle } else { high = middle }
    }
    for (n, slip) in slips.iter().enumerate() {
        let wanted = onset + n as f64 * PI / omega;
        assert!((slip - wanted).abs() < 1e-10, "onset {n} at {slip}, not {wanted}");
    }
    for (n, stick) in sticks.iter().enumerate() {
        let wanted = low + n as f64 * PI / omega;
        assert!((stick - wanted).abs() < 1e-9, "stop {n} at {stick}, not {wanted}");
    }
}

/// A pendulum reverses where its energy is spent: from θ₀ to θ₁ the work of gravity is f |θ₁ - θ₀|. The time is the
/// integral of 1/ω, whose integrand with θ = c - h cos φ is smooth and has period π.
#[test]
fn a_pendulum_stops_where_and_when_quadrature_says() {
    let (m, f) = (1.2, 0.9);
    let model = alone(hinge(f), m);
    let inertia = m * (1.0 + 0.4 * 0.01);
    let start: f64 = 1.1;
    let (simulation, recorder) = run(Simulation::builder(model).joint_position("hinge", start).until(12.0));
    let events: Vec<f64> = recorder.events().iter().map(Event::time).collect();
    let (mut from, mut time) = (start, 0.0);
    let mut count = 0;
    while m * G * from.sin().abs() > f {
        let energy = |to: f64| m * G * (to.cos() - from.cos()) - f * (to - from).abs();
        // The other end of the swing.
        let fastest = from.signum() * (f / (m * G)).asin();
        let (mut inner, mut outer) = (fastest, -from);
        for _ in 0..200 {
            let middle: f64 = 0.5 * (inner + outer);
            if energy(middle) > 0.0 { inner = middle } else { outer = middle }
        }
        let to = inner;
        let (center, half) = (0.5 * (from + to), 0.5 * (from - to));
        let points = 400;
        let swing: f64 = (0..points)
            .map(|i| {
                let phi = PI * (f64::from(i) + 0.5) / f64::from(points);
                let theta = center - half * phi.cos();
                (half * phi.sin()).abs() / (2.0 / inertia * energy(theta)).sqrt()
            })
            .sum::<f64>()
            * PI
            / f64::from(points);
        time += swing;
        count += 1;
        assert!((events[count] - time).abs() < 1e-8, "stop {count} at {}, not {time}", events[count]);
        from = to;
    }
    assert!(count > 3 && events.len() == count + 1, "{events:?}");
    assert!((simulation.configuration()[0] - from).abs() < 1e-9);
    assert!(matches!(recorder.events().last(), Some(Event::Stick(_))));
}

fn rod() -> Inertia {
    Inertia::cuboid(1.0, [0.05, 0.05, 0.5]).placed(&Placement::at([0.0, 0.0, -0.5]))
}

/// Two rods from the ceiling.
fn arm(friction: [f64; 2]) -> Model {
    let mut builder = ModelBuilder::new("arm");
    let joint = |name: &str, friction: f64| {
        let mut joint = Joint::new(name, JointKind::Continuous).along([0.0, 1.0, 0.0]);
        joint.dry_friction = friction;
        joint
    };
    let upper = LinkSpec::new("upper").joint(joint("shoulder", friction[0])).inertia(rod());
    let upper = builder.link(LinkId::WORLD, upper).unwrap();
    let lower = LinkSpec::new("lower")
        .placed(Placement::at([0.0, 0.0, -1.0]))
        .joint(joint("elbow", friction[1]))
        .inertia(rod());
    builder.link(upper, lower).unwrap();
    builder.build().unwrap().with_gravity([0.0, 0.0, -G])
}

fn striking(model: Model, e: f64, mu: f64) -> SimulationBuilder {
    let (one, two) = (0.35, 0.9_f64);
    let height = f64::cos(one) + two.cos();
    Simulation::builder(model)
        .joint_position("shoulder", one)
        .joint_position("elbow", two - one)
        .joint_velocity("shoulder", -1.0)
        .surface("floor", HalfSpace::new([0.0, 0.0, -height], [0.0, 0.0, 1.0]).unwrap())
        .contact(
            ContactSpec::new("tip", Coefficients::new(Restitution::new(e).unwrap(), Friction::new(mu).unwrap()))
                .on("lower")
                .at([0.0, 0.0, -1.0]),
        )
}

/// A bounded force has no impulse in an instant: the impulse is that of the robot without joint friction, even if the
/// elbow sticks.
#[test]
fn an_impact_knows_nothing_of_dry_friction() {
    let struck = |friction| {
        let (_, recorder) = run(striking(arm(friction), 0.5, 0.4).until(1e-3));
        recorder.events().iter().find_map(|event| match event {
            Event::Impact(impact) => Some((impact.time, impact.impulse, impact.energy_change)),
            _ => None,
        })
    };
    let free = struck([0.0, 0.0]).unwrap();
    assert_eq!(free.0, 0.0);
    assert_eq!(struck([0.7, 40.0]).unwrap(), free);
}

/// The tip rests on the floor while the joints are held by friction: all forces are within their bounds and nothing
/// moves.
#[test]
fn a_leg_stands_by_the_friction_of_its_joints_and_its_foot() {
    let (simulation, recorder) = run(striking(arm([30.0, 30.0]), 0.0, 0.8).until(1.0));
    assert!(simulation.summary().at_rest.is_some(), "{:?}", simulation.summary());
    let last = recorder.samples().last().unwrap();
    for friction in &last.contacts[1..] {
        assert_eq!(friction.mode, ContactMode::Stick);
        assert!(friction.force[0].abs() <= 30.0);
    }
}

/// With high friction in its hinges a linkage stops, with low friction it swings on; the loop stays closed and the
/// energy book balances.
#[test]
fn a_closed_loop_slides_and_sticks_as_its_tree_does() {
    let build = |friction: f64| {
        let mut builder = ModelBuilder::new("parallelogram");
        let joint = |name: &str, friction: f64| {
            let mut joint = Joint::new(name, JointKind::Continuous).along([0.0, 1.0, 0.0]);
            joint.dry_friction = friction;
            joint
        };
        let one = LinkSpec::new("one").joint(joint("left", friction)).inertia(rod());
        let one = builder.link(LinkId::WORLD, one).unwrap();
        let place = Placement::at([0.8, 0.0, 0.0]);
        let two = LinkSpec::new("two").placed(place).joint(joint("right", 0.0)).inertia(rod());
        let two = builder.link(LinkId::WORLD, two).unwrap();
        let beam = Inertia::cuboid(0.6, [0.4, 0.05, 0.05]).placed(&Placement::at([0.4, 0.0, 0.0]));
        let place = Placement::at([0.0, 0.0, -1.0]);
        let beam = LinkSpec::new("beam").placed(place).joint(joint("low", 0.5 * friction)).inertia(beam);
        let beam = builder.link(one, beam).unwrap();
        let points = [Vector::new(0.8, 0.0, 0.0), Vector::new(0.0, 0.0, -1.0)];
        let corner = Loop { name: "corner".to_owned(), kind: LoopKind::Connect { links: [beam, two], points } };
        builder.build().unwrap().with_loops([corner]).unwrap().with_gravity([0.0, 0.0, -G])
    };
    let swing = |friction: f64| {
        let angle = 0.6;
        let start = Simulation::builder(build(friction))
            .joint_position("left", angle)
            .joint_position("right", angle)
            .joint_position("low", -angle)
            .until(6.0);
        run(start)
    };
    let (_, free) = swing(0.0);
    assert!(free.events().is_empty());
    // The beam does not turn: the hinge `low` turns as the rods do, so both frictions together are 1.5 f on one freedom.
    let f = 1.5;
    let (simulation, recorder) = swing(f);
    let torque = |angle: f64| G * (2.0 * 0.5 + 0.6) * angle.sin();
    let rest = simulation.configuration()[0];
    assert!(torque(rest).abs() <= 1.5 * f && simulation.summary().at_rest.is_some(), "{:?}", simulation.summary());
    let energy = |angle: f64| -G * (2.0 * 0.5 + 0.6) * angle.cos();
    let first = recorder.events().iter().map(Event::time).find(|time| *time > 0.1).unwrap();
    let at = recorder.samples().iter().find(|sample| sample.time == first).unwrap().configuration[0];
    let spent = energy(0.6) - energy(at);
    assert!((spent - 1.5 * f * (0.6 - at)).abs() < 1e-8, "{spent} at {at}");
}

/// Two arms side by side, one of them above a floor: each moves as it does alone.
#[test]
fn arms_that_do_not_act_on_each_other_stick_by_themselves() {
    let both = |which: &[usize]| {
        let mut builder = ModelBuilder::new("both");
        for &k in which {
            let mut joint = Joint::new(format!("hinge {k}"), JointKind::Continuous).along([0.0, 1.0, 0.0]);
            joint.dry_friction = 0.4 + 0.3 * k as f64;
            let spec = LinkSpec::new(format!("rod {k}")).placed(Placement::at([k as f64, 0.0, 0.0]));
            builder.link(LinkId::WORLD, spec.joint(joint).inertia(rod())).unwrap();
        }
        let model = builder.build().unwrap().with_gravity([0.0, 0.0, -G]);
        let mut simulation = Simulation::builder(model).until(5.0);
        for &k in which {
            simulation = simulation.joint_position(&format!("hinge {k}"), 1.0 + 0.2 * k as f64);
        }
        run(simulation)
    };
    let (together, recorder) = both(&[0, 1]);
    for k in [0, 1] {
        let (alone, own) = both(&[k]);
        assert!((together.configuration()[k] - alone.configuration()[0]).abs() < 1e-12);
        let (one, two) = (changes(&recorder, k), changes(&own, 0));
        assert!(two.1.len() > 2 && one == two, "{one:?} {two:?}");
    }
    assert_eq!(together.contact_names().collect::<Vec<_>>(), ["hinge 0 friction", "hinge 1 friction"]);
}

/// Random arms on floors with limits and friction everywhere: forces are within bounds and oppose the motion, and no
/// energy is created. `CAROM_CASES` multiplies them.
#[test]
fn random_arms_with_dry_friction_obey_its_bounds_and_close_their_books() {
    let count = 12 * std::env::var("CAROM_CASES").map_or(1, |cases| cases.parse::<u64>().unwrap());
    let mut windows = 0;
    for seed in 0..count {
        let mut rng = Rng::with_seed(seed);
        let mut builder = ModelBuilder::new("random");
        let mut parent = LinkId::WORLD;
        let links = 2 + rng.usize(..3);
        let is_planar = rng.bool();
        for k in 0..links {
            let axis = if is_planar || rng.bool() { [0.0, 1.0, 0.0] } else { [1.0, 0.0, 0.0] };
            let mut joint = Joint::new(format!("joint {k}"), JointKind::Revolute).along(axis);
            joint.limits = Some([-1.2 - rng.f64(), 1.2 + rng.f64()]);
            joint.dry_friction = if rng.u8(..4) == 0 { 0.0 } else { 4.0 * rng.f64().powi(2) };
            let place = if k == 0 { [0.0; 3] } else { [0.0, 0.0, -0.5] };
            let inertia =
                Inertia::cuboid(0.5 + rng.f64(), [0.05, 0.04, 0.25]).placed(&Placement::at([0.0, 0.0, -0.25]));
            let spec = LinkSpec::new(format!("link {k}")).placed(Placement::at(place)).joint(joint).inertia(inertia);
            parent = builder.link(parent, spec).unwrap();
        }
        let model = builder.build().unwrap().with_gravity([0.0, 0.0, -G]);
        let bounds: Vec<f64> =
            model.joints().iter().map(|joint| joint.joint.dry_friction).filter(|f| *f > 0.0).collect();
        let coefficients =
            Coefficients::new(Restitution::new(0.5 * rng.f64()).unwrap(), Friction::new(rng.f64()).unwrap());
        let mut simulation = Simulation::builder(model)
            .surface("floor", HalfSpace::new([0.0, 0.0, -0.4 * links as f64], [0.0, 0.0, 1.0]).unwrap())
            .limits(Restitution::new(0.3).unwrap())
            .until(1.5)
            .tolerance(1e-9);
        for k in 0..links {
            let angle = if k == 0 { 1.0 + 0.2 * rng.f64() } else { 0.8 * (rng.f64() - 0.5) };
            simulation = simulation
                .joint_position(&format!("joint {k}"), angle)
                .joint_velocity(&format!("joint {k}"), if rng.bool() { 0.0 } else { 2.0 * (rng.f64() - 0.5) });
        }
        let tip = ContactSpec::new("tip", coefficients).on(format!("link {}", links - 1)).at([0.0, 0.0, -0.5]);
        let mut simulation = match simulation.contact(tip).build() {
            Ok(simulation) => simulation,
            // It starts below the floor.
            Err(_) => continue,
        };
        let mut recorder = Recorder::new();
        simulation.run(&mut recorder).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let summary = simulation.summary();
        windows += summary.windows;
        assert!(summary.residual < 1e-7, "seed {seed}: {summary:?}");
        let names: Vec<String> = simulation.contact_names().map(str::to_owned).collect();
        let frictions: Vec<(usize, usize)> = names
            .iter()
            .enumerate()
            .filter_map(|(k, name)| {
                let joint = name.strip_prefix("joint ")?.strip_suffix(" friction")?;
                Some((k, joint.parse().unwrap()))
            })
            .collect();
        assert_eq!(frictions.len(), bounds.len());
        let mut last = 0.0;
        for sample in recorder.samples() {
            assert!(sample.energy.dry_friction <= last + 1e-12, "seed {seed}");
            last = sample.energy.dry_friction;
            for ((k, joint), bound) in frictions.iter().zip(&bounds) {
                let (one, rate) = (&sample.contacts[*k], sample.velocity[*joint]);
                let largest = sample.contacts.iter().flat_map(|one| one.force).fold(1.0_f64, |m, f| m.max(f.abs()));
                match one.mode {
                    // Modes are decided after the first sample.
                    _ if sample.time == 0.0 => {}
                    ContactMode::Stick => {
                        assert!(one.force[0].abs() <= bound + 1e-9 * largest, "seed {seed} at {}", sample.time);
                        assert!(rate.abs() < 1e-6, "seed {seed} at {}: {rate}", sample.time);
                    }
                    _ => {
                        assert!((one.force[0].abs() - bound).abs() < 1e-12, "seed {seed} at {}", sample.time);
                        assert!(one.force[0] * rate <= 1e-6 * bound, "seed {seed} at {}: {rate}", sample.time);
                    }
                }
            }
        }
    }
    println!("{windows} windows");
}
