//! Simulations of bodies that touch each other, and of bounded or curved surfaces, against closed forms in
//! `reference/pairs`.

use std::sync::Arc;

use carom_law::{Coefficients, Friction, Restitution};
use carom_multibody::{
    BodyPair, Geometry, Inertia, Joint, JointKind, LinkId, LinkSpec, Model, ModelBuilder, PairSide, Placement, Shape,
    Solid, Symmetric, Vector,
};
use carom_sim::{ContactMode, Event, Recorder, Setup, Simulation, SimulationError, WatchedPair};
use serde_json::Value;

fn reference() -> Value {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../reference/pairs/expected.json");
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_str().map_or_else(|| value.as_f64().unwrap(), |text| text.parse().unwrap())
}

#[track_caller]
fn agree(found: f64, expected: f64, bound: f64) {
    assert!((found - expected).abs() <= bound, "{found} is not {expected}: off by {:e}", found - expected);
}

fn coefficients(restitution: f64, friction: f64) -> Coefficients {
    Coefficients::new(Restitution::new(restitution).unwrap(), Friction::new(friction).unwrap())
}

fn side(link: usize, solid: Solid) -> PairSide {
    PairSide { link: LinkId::from_index(link), placement: Placement::IDENTITY, solid }
}

fn fixed(solid: Solid, at: [f64; 3]) -> PairSide {
    PairSide { link: LinkId::WORLD, placement: Placement::at(at), solid }
}

fn pair(name: &str, one: PairSide, other: PairSide, coefficients: Coefficients) -> WatchedPair {
    WatchedPair { name: name.to_owned(), bodies: BodyPair { sides: [one, other] }, coefficients }
}

/// Equal solid balls that move freely, without gravity.
fn balls(count: usize, mass: f64, radius: f64) -> Model {
    let mut builder = ModelBuilder::new("balls");
    builder.gravity([0.0; 3]);
    for k in 0..count {
        let joint = Joint::new(format!("free {k}"), JointKind::Floating);
        let link = LinkSpec::new(format!("ball {k}")).joint(joint).inertia(Inertia::ball(mass, radius));
        let shape =
            Shape { name: None, placement: Placement::IDENTITY, geometry: Geometry::Sphere { radius }, contact: None };
        builder.link(LinkId::WORLD, link.shape(shape)).unwrap();
    }
    builder.build().unwrap()
}

/// A setup of balls with positions and velocities, every two of which can touch.
fn table(places: &[[f64; 3]], velocities: &[[f64; 3]], mass: f64, radius: f64, with: Coefficients) -> Setup {
    let mut setup = Setup::new(Arc::new(balls(places.len(), mass, radius)));
    setup.configuration = places.iter().flat_map(|[x, y, z]| [*x, *y, *z, 1.0, 0.0, 0.0, 0.0]).collect();
    setup.velocity = velocities.iter().flat_map(|[x, y, z]| [*x, *y, *z, 0.0, 0.0, 0.0]).collect();
    let ball = |k: usize| side(k + 1, Solid::ball(radius).unwrap());
    for i in 0..places.len() {
        for j in i + 1..places.len() {
            setup.pairs.push(pair(&format!("{i} on {j}"), ball(i), ball(j), with));
        }
    }
    setup
}

fn run(setup: Setup, until: f64) -> (Simulation, Recorder) {
    let mut simulation = Simulation::new(setup).unwrap();
    let mut recorder = Recorder::new();
    simulation.run_until(until, &mut recorder).unwrap();
    (simulation, recorder)
}

/// With gaps between them, the balls of a cradle strike one after the other.
#[test]
fn a_cradle_with_gaps_hands_its_motion_on() {
    let reference = reference();
    for (case, e) in [("cradle_3_e1", 1.0), ("cradle_3_e0.9", 0.9)] {
        // The third impact, of the first two balls again, comes 379 gaps later at e = 0.9.
        for gap in [1e-6, 1e-3, 5e-3] {
            let places = [[-3.0, 0.0, 0.0], [0.0, 0.0, 0.0], [2.0 + gap, 0.0, 0.0]];
            let still = [0.0; 3];
            let with = Coefficients { friction: None, ..coefficients(e, 0.0) };
            let setup = table(&places, &[[1.0, 0.0, 0.0], still, still], 1.0, 1.0, with);
            let (simulation, recorder) = run(setup, 4.0);
            let after: Vec<f64> = reference[case]["sequential"].as_array().unwrap().iter().map(number).collect();
            for (k, speed) in after.iter().enumerate() {
                agree(simulation.velocity()[6 * k], *speed, 1e-12);
            }
            let times: Vec<f64> = recorder.events().iter().map(|event| event.time()).collect();
            agree(times[0], 1.0, 1e-12);
            agree(times[1], 1.0 + gap / (0.5 * (1.0 + e)), 1e-12);
            assert!(simulation.summary().residual < 1e-12, "{}", simulation.summary().residual);
        }
    }
}

/// Fast and small: a ball of 1 mm at 1 km/s does not pass through another, also if it only grazes it; without a touch,
/// none is reported.
#[test]
fn nothing_tunnels() {
    for (offset, touches) in [(0.0, true), (1.9e-3, true), (1.99999e-3, true), (2.00001e-3, false)] {
        let places = [[-100.0, offset, 0.0], [0.0; 3]];
        let setup = table(&places, &[[1e3, 0.0, 0.0], [0.0; 3]], 1.0, 1e-3, coefficients(0.5, 0.1));
        let (_, recorder) = run(setup, 0.2);
        let hits = recorder.events().iter().filter(|event| matches!(event, Event::Impact(_))).count();
        assert_eq!(hits > 0, touches, "{offset}");
        if touches {
            let along = (4e-6 - offset * offset).max(0.0).sqrt();
            agree(recorder.events()[0].time(), (100.0 - along) / 1e3, 1e-12);
        }
    }
}

/// The break of a rack of ten balls: every impact is between two or more balls, momentum is conserved, the energy book
/// closes and nothing overlaps.
#[test]
fn a_break_keeps_its_momentum_and_closes_its_book() {
    const RADIUS: f64 = 0.028575;
    let step = 2.0 * RADIUS + 1e-5;
    let mut places = vec![[-0.4, 0.003, 0.0]];
    for row in 0..4 {
        for k in 0..=row {
            places.push([0.866_025_403_784 * step * f64::from(row), step * (f64::from(k) - 0.5 * f64::from(row)), 0.0]);
        }
    }
    let mut velocities = vec![[0.0; 3]; places.len()];
    velocities[0] = [7.0, 0.0, 0.0];
    let mut setup = table(&places, &velocities, 0.17, RADIUS, coefficients(0.95, 0.06));
    // The axes of the links turn by some ten radians, with an error of the tolerance.
    setup.settings.tolerance = 1e-12;
    let (simulation, recorder) = run(setup, 0.4);
    let momentum = |axis: usize| simulation.velocity().chunks(6).map(|v| v[axis]).sum::<f64>();
    // Velocities are in the axes of the links, which turn about z only.
    let world: Vec<[f64; 2]> = simulation
        .velocity()
        .chunks(6)
        .zip(simulation.configuration().chunks(7))
        .map(|(v, q)| {
            let angle = 2.0 * q[6].atan2(q[3]);
            [v[0] * angle.cos() - v[1] * angle.sin(), v[0] * angle.sin() + v[1] * angle.cos()]
        })
        .collect();
    agree(world.iter().map(|v| v[0]).sum(), 7.0, 1e-10);
    agree(world.iter().map(|v| v[1]).sum(), 0.0, 1e-10);
    agree(momentum(2), 0.0, 1e-12);
    assert!(recorder.events().len() >= 9, "{}", recorder.events().len());
    let summary = simulation.summary();
    assert!(summary.residual < 1e-9 && summary.windows == 0, "{} {}", summary.residual, summary.windows);
    for (i, a) in simulation.configuration().chunks(7).enumerate() {
        for b in simulation.configuration().chunks(7).take(i) {
            let apart = Vector::new(a[0] - b[0], a[1] - b[1], a[2] - b[2]).norm();
            assert!(apart >= 2.0 * RADIUS - 1e-9, "{apart}");
        }
    }
}

/// A solid ball rolls off the edge of a box: its contact moves from the face to the edge, slips and leaves.
#[test]
fn a_ball_rolls_off_the_edge_of_a_box() {
    const RADIUS: f64 = 0.1;
    let reference = reference()["sphere_over_edge"].clone();
    let mut builder = ModelBuilder::new("ball");
    let joint = Joint::new("free", JointKind::Floating);
    builder.link(LinkId::WORLD, LinkSpec::new("ball").joint(joint).inertia(Inertia::ball(1.0, RADIUS))).unwrap();
    let mut setup = Setup::new(Arc::new(builder.build().unwrap()));
    let (speed, start) = (0.2, -0.05);
    setup.configuration = vec![start, 0.0, RADIUS, 1.0, 0.0, 0.0, 0.0];
    setup.velocity = vec![speed, 0.0, 0.0, 0.0, speed / RADIUS, 0.0];
    // The edge is at x = 0, the face at z = 0.
    let block = fixed(Solid::cuboid([0.5, 0.4, 0.25]).unwrap(), [-0.5, 0.0, -0.25]);
    setup.pairs.push(pair("ball", side(1, Solid::ball(RADIUS).unwrap()), block, coefficients(0.0, 0.5)));
    setup.settings.tolerance = 1e-12;
    let (simulation, recorder) = run(setup, 0.6);
    let at_edge = -start / speed;
    let time_of = |wanted: &str| {
        let found = recorder.events().iter().find(|event| event.kind().name() == wanted);
        found.unwrap_or_else(|| panic!("{wanted} is not in {:?}", recorder.events())).time() - at_edge
    };
    // Measured: 2e-13.
    agree(time_of("slip"), number(&reference["slip_time"]), 5e-12);
    agree(time_of("lift_off"), number(&reference["liftoff_time"]), 5e-12);
    assert!(simulation.summary().residual < 1e-8, "{}", simulation.summary().residual);
    assert_eq!(simulation.modes().next(), Some(ContactMode::Flight));
}

/// A thin rod falls on a fixed ball, in the plane.
#[test]
fn a_rod_falls_on_a_ball() {
    let reference = reference()["rod_on_ball"].clone();
    let mut builder = ModelBuilder::new("rod");
    let joint = Joint::new("planar", JointKind::Planar).along([0.0, -1.0, 0.0]);
    let moment = 1.0 / 12.0;
    let inertia =
        Inertia { mass: 1.0, center: Vector::ZERO, rotational: Symmetric::diagonal([moment, moment, moment]) };
    builder.link(LinkId::WORLD, LinkSpec::new("rod").joint(joint).inertia(inertia)).unwrap();
    let model = builder.build().unwrap();
    let mut setup = Setup::new(Arc::new(model));
    // The axis of the joint is -y: x is unchanged, and the other coordinate is found by a difference.
    let mut dynamics = carom_multibody::Dynamics::new(Arc::clone(&setup.model));
    let place = |q: &[f64], dynamics: &mut carom_multibody::Dynamics| {
        dynamics.set_state(q, &[0.0; 3]).unwrap();
        dynamics.placement(LinkId::from_index(1)).translation
    };
    let (a, b) = (place(&[1.0, 0.0, 0.0], &mut dynamics), place(&[0.0, 1.0, 0.0], &mut dynamics));
    let coordinates = |x: f64, z: f64| [a.x() * x + a.z() * z, b.x() * x + b.z() * z];
    let [q0, q1] = coordinates(0.15, 0.8);
    setup.configuration = vec![q0, q1, 0.2];
    setup.velocity = vec![0.0, 0.0, 0.5];
    // The axis of a capsule is z: along x on the link.
    let along_x =
        Placement::new(carom_multibody::Rotation::about([0.0, 1.0, 0.0].into(), std::f64::consts::FRAC_PI_2), [0.0; 3]);
    let rod = PairSide { link: LinkId::from_index(1), placement: along_x, solid: Solid::capsule(0.0, 0.5).unwrap() };
    setup.pairs.push(pair("rod", rod, fixed(Solid::ball(0.2).unwrap(), [0.0; 3]), coefficients(0.5, 0.3)));
    let (simulation, recorder) = run(setup, 0.33);
    let Event::Impact(first) = recorder.events()[0] else { panic!("{:?}", recorder.events()) };
    agree(first.time, number(&reference["time"]), 1e-12);
    agree(first.impulse[0], number(&reference["impulse"][0]), 1e-10);
    agree(first.impulse[1].abs(), number(&reference["impulse"][1]), 1e-10);
    assert!(simulation.summary().residual < 1e-9, "{}", simulation.summary().residual);
}

/// A ball rolls on a ball, and stays on a capsule and a cylinder: the gap stays closed and the energy book balances.
#[test]
fn a_ball_on_curved_bodies_keeps_its_gap_and_its_energy() {
    let upright = Solid::cylinder(0.4, 0.3).unwrap();
    for (name, solid, height) in [
        ("ball", Solid::ball(0.5).unwrap(), 0.5),
        ("capsule", Solid::capsule(0.3, 0.4).unwrap(), 0.7),
        ("cylinder", upright, 0.3),
    ] {
        let mut builder = ModelBuilder::new("ball");
        let joint = Joint::new("free", JointKind::Floating);
        builder.link(LinkId::WORLD, LinkSpec::new("ball").joint(joint).inertia(Inertia::ball(1.0, 0.1))).unwrap();
        let mut setup = Setup::new(Arc::new(builder.build().unwrap()));
        setup.configuration = vec![0.0, 0.0, height + 0.1, 1.0, 0.0, 0.0, 0.0];
        setup.velocity = vec![0.3, 0.1, 0.0, -1.0, 3.0, 0.4];
        setup.pairs.push(pair(
            name,
            side(1, Solid::ball(0.1).unwrap()),
            fixed(solid, [0.0; 3]),
            coefficients(0.0, 0.6),
        ));
        let (simulation, recorder) = run(setup, 2.0);
        let summary = simulation.summary();
        println!("{name}: {:?}, {} steps, residual {:e}", recorder.events(), summary.steps, summary.residual);
        assert!(summary.residual < 1e-8, "{name}: {}", summary.residual);
        assert!(recorder.events().iter().any(|event| event.kind().name() == "lift_off"), "{name}");
        for sample in recorder.samples().iter().filter(|sample| sample.contacts[0].mode != ContactMode::Flight) {
            assert!(sample.contacts[0].gap.abs() < 1e-9, "{name}: {}", sample.contacts[0].gap);
        }
    }
}

#[test]
fn what_is_not_simulated_is_refused_by_name() {
    let mut setup = Setup::new(Arc::new(balls(2, 1.0, 1.0)));
    setup.configuration[0] = 5.0;
    let cube = || Solid::cuboid([0.5; 3]).unwrap();
    let can = || Solid::cylinder(0.5, 0.5).unwrap();
    setup.pairs.push(pair("can on cube", side(1, can()), side(2, cube()), coefficients(0.5, 0.1)));
    let error = Simulation::new(setup.clone()).unwrap_err();
    assert!(matches!(error, SimulationError::FlatPair { .. }), "{error}");
    assert!(error.to_string().contains("can on cube") && error.to_string().contains("a cylinder"), "{error}");

    // Overlap at the start, and too deep.
    setup.pairs[0] = pair("a on b", side(1, Solid::ball(1.0).unwrap()), side(2, cube()), coefficients(0.5, 0.1));
    setup.configuration[0] = 1.2;
    let error = Simulation::new(setup.clone()).unwrap_err();
    assert!(matches!(error, SimulationError::StartsInside { .. }), "{error}");
    setup.configuration[0] = 0.2;
    let error = Simulation::new(setup).unwrap_err();
    assert!(error.to_string().contains("a on b") && error.to_string().contains("too deep"), "{error}");
}

/// A body with an inertia and a pose, falling freely.
fn bodies(list: &[(Inertia, [f64; 3])]) -> (Setup, Vec<usize>) {
    let mut builder = ModelBuilder::new("bodies");
    for (k, (inertia, _)) in list.iter().enumerate() {
        let joint = Joint::new(format!("free {k}"), JointKind::Floating);
        builder.link(LinkId::WORLD, LinkSpec::new(format!("body {k}")).joint(joint).inertia(*inertia)).unwrap();
    }
    let mut setup = Setup::new(Arc::new(builder.build().unwrap()));
    setup.configuration = list.iter().flat_map(|(_, [x, y, z])| [*x, *y, *z, 1.0, 0.0, 0.0, 0.0]).collect();
    (setup, (1..=list.len()).collect())
}

/// A capsule falls across the edge of a box. With its centre beyond the edge it tips over, otherwise it comes to rest on one end and the edge.
#[test]
fn a_capsule_tips_over_the_edge_of_a_box_or_rests_on_it() {
    for (center, tips) in [(0.05, true), (-0.05, false)] {
        across_the_edge(center, tips);
    }
}

fn across_the_edge(center: f64, tips: bool) {
    let (mut setup, links) = bodies(&[(Inertia::cuboid(1.0, [0.3, 0.05, 0.05]), [center, 0.0, 0.1])]);
    let along_x = carom_multibody::Rotation::about([0.0, 1.0, 0.0].into(), std::f64::consts::FRAC_PI_2);
    let capsule = PairSide {
        link: LinkId::from_index(links[0]),
        placement: Placement::new(along_x, [0.0; 3]),
        solid: Solid::capsule(0.05, 0.3).unwrap(),
    };
    let block = fixed(Solid::cuboid([0.5, 0.4, 0.25]).unwrap(), [-0.5, 0.0, -0.25]);
    setup.pairs.push(pair("capsule", capsule, block, coefficients(0.2, 0.5)));
    let (simulation, recorder) = run(setup, 1.0);
    let names: Vec<String> = simulation.contact_names().map(str::to_owned).collect();
    let struck = |wanted: &str| {
        recorder.events().iter().any(|event| event.contact().is_some_and(|k| names[k].starts_with(wanted)))
    };
    assert!(struck("capsule/edge"), "{names:?}");
    assert!(tips || struck("capsule/end"), "{names:?}");
    let summary = simulation.summary();
    println!("{} steps, {} windows, residual {:e}", summary.steps, summary.windows, summary.residual);
    assert!(summary.residual < 1e-8, "{}", summary.residual);
    match tips {
        true => assert!(simulation.configuration()[2] < -0.3, "{:?}", simulation.configuration()),
        false => {
            assert!(summary.at_rest.is_some());
            agree(simulation.configuration()[2], 0.05, 1e-9);
        }
    }
    assert!(summary.penetration < 1e-9, "{}", summary.penetration);
}

/// Boxes of 0.1 m and less, each slightly smaller than the one below, fall a short way onto each other and stay.
#[test]
fn a_stack_of_boxes_comes_to_rest() {
    let count = 4;
    let place = |k: usize| [if k.is_multiple_of(2) { 0.0 } else { 1e-3 }, 1e-3, 0.05 + (0.1 + 1e-4) * k as f64];
    let half = |k: usize| [0.05 - 2e-3 * k as f64, 0.05 - 2e-3 * k as f64, 0.05];
    let list: Vec<(Inertia, [f64; 3])> = (0..count).map(|k| (Inertia::cuboid(1.0, half(k)), place(k))).collect();
    let (mut setup, links) = bodies(&list);
    let cube = |k: usize| Solid::cuboid(half(k)).unwrap();
    let floor = fixed(Solid::cuboid([1.0, 1.0, 0.5]).unwrap(), [0.0, 0.0, -0.5]);
    setup.pairs.push(pair("0 on floor", side(links[0], cube(0)), floor, coefficients(0.2, 0.5)));
    for k in 1..count {
        let name = format!("{k} on {}", k - 1);
        setup.pairs.push(pair(&name, side(links[k], cube(k)), side(links[k - 1], cube(k - 1)), coefficients(0.2, 0.5)));
    }
    let (simulation, _) = run(setup, 2.0);
    let summary = simulation.summary();
    println!(
        "{} steps, {} windows, residual {:e}, rest {:?}",
        summary.steps, summary.windows, summary.residual, summary.at_rest
    );
    // For boxes that fall alike the end of their bounces cannot be predicted: they end when they are ended.
    assert!(summary.at_rest.is_some_and(|rest| rest < 0.1), "{:?}", (summary.at_rest, summary.rests_at));
    assert!(summary.residual < 1e-8, "{}", summary.residual);
    for (k, q) in simulation.configuration().chunks(7).enumerate() {
        agree(q[2], 0.05 + 0.1 * k as f64, 1e-9);
    }
}

/// Two rods that cross meet with an edge on an edge: the upper one bounces by Newton's law, and finally lies on the
/// lower one if that is wide.
#[test]
fn edges_of_boxes_meet_across_each_other() {
    let (mut setup, links) = bodies(&[(Inertia::cuboid(1.0, [0.05, 0.3, 0.05]), [0.0, 0.0, 0.3])]);
    // Turned by 45 degrees about y: an edge is lowest.
    let half = std::f64::consts::FRAC_PI_8;
    setup.configuration[3..7].copy_from_slice(&[half.cos(), 0.0, half.sin(), 0.0]);
    let turned = carom_multibody::Rotation::about([1.0, 0.0, 0.0].into(), std::f64::consts::FRAC_PI_4);
    let below = PairSide {
        link: LinkId::WORLD,
        placement: Placement::new(turned, [0.0; 3]),
        solid: Solid::cuboid([0.3, 0.05, 0.05]).unwrap(),
    };
    let upper = side(links[0], Solid::cuboid([0.05, 0.3, 0.05]).unwrap());
    setup.pairs.push(pair("crossed", upper, below, coefficients(0.6, 0.5)));
    let (simulation, recorder) = run(setup, 0.25);
    // Both edges are 0.05 √2 from the axes; the central impact turns nothing.
    let fall = 0.3 - 0.1 * 2f64.sqrt();
    let time = (2.0 * fall / 9.81).sqrt();
    let Event::Impact(first) = recorder.events()[0] else { panic!("{:?}", recorder.events()) };
    let name = simulation.contact_names().nth(first.contact).unwrap();
    assert!(name.starts_with("crossed/edges yx"), "{name}");
    agree(first.time, time, 1e-12);
    agree(first.impulse[0], 1.6 * 9.81 * time, 1e-10);
    agree(
        simulation.configuration()[2],
        0.1 * 2f64.sqrt() + 0.6 * 9.81 * time * (0.25 - time) - 0.5 * 9.81 * (0.25 - time).powi(2),
        1e-9,
    );
    assert!(simulation.summary().residual < 1e-9);
}

/// Equal boxes exactly on each other, edge above edge, and planks that lie across each other without a vertex on a face.
#[test]
fn flush_and_crossed_boxes_rest_on_each_other() {
    let half = [0.05; 3];
    let count = 10;
    let list: Vec<(Inertia, [f64; 3])> =
        (0..count).map(|k| (Inertia::cuboid(1.0, half), [0.0, 0.0, 0.05 + 0.1 * f64::from(k)])).collect();
    let (mut setup, links) = bodies(&list);
    let floor = fixed(Solid::cuboid([1.0, 1.0, 0.5]).unwrap(), [0.0, 0.0, -0.5]);
    let cube = || Solid::cuboid(half).unwrap();
    setup.pairs.push(pair("0 on floor", side(links[0], cube()), floor, coefficients(0.2, 0.5)));
    for k in 1..links.len() {
        let name = format!("{k} on {}", k - 1);
        setup.pairs.push(pair(&name, side(links[k], cube()), side(links[k - 1], cube()), coefficients(0.2, 0.5)));
    }
    setup.settings.interval = Some(0.5);
    let began = std::time::Instant::now();
    let (simulation, _) = run(setup, 10.0);
    let summary = simulation.summary();
    println!(
        "{} steps, {} evaluations, {} windows, residual {:e}, {:?}",
        summary.steps,
        summary.evaluations,
        summary.windows,
        summary.residual,
        began.elapsed()
    );
    assert!(summary.residual < 1e-8 && summary.windows == 0, "{summary:?}");
    for (k, q) in simulation.configuration().chunks(7).enumerate() {
        agree(q[0].hypot(q[1]), 0.0, 1e-9);
        agree(q[2], 0.05 + 0.1 * k as f64, 1e-9);
    }
}
/// Two couples of balls whose pairs connect nothing else are two islands: together they move as each couple does alone.
#[test]
fn couples_of_balls_move_to_the_bit_as_each_does_alone() {
    let with = coefficients(0.9, 0.2);
    let (radius, mass) = (0.1, 0.3);
    let places = [[0.0, 0.0, 0.0], [0.5, 0.03, 0.0], [0.0, 2.0, 0.0], [0.6, 2.0, 0.05]];
    let velocities = [[1.0, 0.1, 0.0], [0.0; 3], [1.5, 0.0, 0.0], [-0.2, 0.0, 0.1]];
    let mut all = table(&places, &velocities, mass, radius, with);
    all.pairs.retain(|pair| ["0 on 1", "2 on 3"].contains(&pair.name.as_str()));
    let (mut together, recorded) = run(all, 1.0);
    let names: Vec<String> = together.contact_names().map(str::to_owned).collect();
    assert_eq!(names, ["0 on 1", "2 on 3"]);
    for (first, name) in [(0, "0 on 1"), (2, "2 on 3")] {
        let range = first..first + 2;
        let (alone, own) = run(table(&places[range.clone()], &velocities[range], mass, radius, with), 1.0);
        let of_whole: Vec<&Event> =
            recorded.events().iter().filter(|event| event.contact().is_some_and(|k| names[k] == name)).collect();
        assert_eq!((of_whole.len(), own.events().len()), (1, 1));
        assert_eq!((of_whole[0].time(), of_whole[0].impulse()), (own.events()[0].time(), own.events()[0].impulse()));
        assert_eq!(together.configuration()[7 * first..7 * first + 14], *alone.configuration());
        assert_eq!(together.velocity()[6 * first..6 * first + 12], *alone.velocity());
    }
    assert!(together.sample().unwrap().contacts.len() == 2);
}
