//! Closed loops in motion: impact times compared with minimal coordinates, the energy book, dead points, and invalid
//! setups.

use std::f64::consts::PI;
use std::path::Path;

use carom_law::{Coefficients, Contact, Delassus, Friction, Guard, Mode, Restitution};
use carom_multibody::load::{self, Options};
use carom_multibody::{
    Dynamics, HalfSpace, Inertia, Joint, JointKind, LinkId, LinkSpec, Loop, LoopKind, Model, ModelBuilder, Placement,
    State,
};
use carom_sim::{ContactSpec, Event, Recorder, Simulation, SimulationError};
use serde_json::Value;

fn reference(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reference/loops").join(name);
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| value.as_str().unwrap().parse().unwrap())
}

fn built_in(name: &str) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../carom-scene/models").join(name);
    load::file(&path, &Options::new()).unwrap()
}

/// The four-bar linkage on a cart that slides freely along x.
fn on_cart() -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../carom-scene/models/four_bar.xml");
    let text = std::fs::read_to_string(path).unwrap();
    let text = text
        .replace(
            "<worldbody>",
            r#"<worldbody><body name="cart"><joint name="x" type="slide" axis="1 0 0"/>
               <inertial pos="0 0 0" mass="1.5" diaginertia="1 1 1"/>"#,
        )
        .replace("</worldbody>", "</body></worldbody>");
    load::text(&text, Path::new("cart.xml"), &Options::new()).unwrap()
}

fn coefficients(e: f64, mu: f64) -> Coefficients {
    Coefficients::new(Restitution::new(e).unwrap(), Friction::new(mu).unwrap())
}

/// The state that closes the loops with the given joints held.
fn closed(model: &Model, state: &State, held: &[&str]) -> (Vec<f64>, Vec<f64>) {
    let (q, v) = model.state(state).unwrap();
    let mut dynamics = Dynamics::new(model.clone());
    dynamics.set_state(&q, &v).unwrap();
    let mut stays = vec![false; model.nv()];
    for joint in model.joints().iter().filter(|joint| held.contains(&joint.joint.name.as_str())) {
        stays[joint.velocities.clone()].fill(true);
    }
    dynamics.close_loops(&stays, &stays).unwrap();
    (dynamics.configuration().to_vec(), dynamics.velocity().to_vec())
}

fn linkage(model: Model, state: &State, held: &[&str], e: f64, mu: f64, until: f64, tolerance: f64) -> Simulation {
    let (q, v) = closed(&model, state, held);
    let mut setup = Simulation::builder(model.with_gravity([0.0, 0.0, -9.81]))
        .surface("floor", HalfSpace::new([0.0, 0.0, -0.95], [0.0, 0.0, 1.0]).unwrap())
        .contact(ContactSpec::new("tip", coefficients(e, mu)))
        .until(until)
        .tolerance(tolerance)
        .setup()
        .unwrap();
    (setup.configuration, setup.velocity) = (q, v);
    Simulation::new(setup).unwrap()
}

fn impacts(simulation: &mut Simulation) -> Vec<(f64, [f64; 3])> {
    let mut recorder = Recorder::new();
    simulation.run(&mut recorder).unwrap();
    let summary = simulation.summary();
    assert!(summary.residual.abs() < 1e-8 * summary.largest_energy, "{summary:?}");
    assert_eq!(summary.windows, 0);
    let struck = recorder.events().iter().filter_map(|event| match event {
        Event::Impact(impact) => Some((impact.time, impact.impulse)),
        _ => None,
    });
    struck.collect()
}

#[test]
fn a_four_bar_linkage_strikes_when_its_one_freedom_does() {
    let reference = reference("four_bar.json");
    for (tolerance, digits) in [(1e-10, 1e-10), (1e-13, 1e-13)] {
        let mut simulation = linkage(built_in("four_bar.xml"), &State::new(), &["crank"], 0.6, 0.3, 0.66, tolerance);
        let struck = impacts(&mut simulation);
        let times = reference["impact_times"].as_array().unwrap();
        assert!(struck.len() >= 9, "{}", struck.len());
        for ((time, _), wanted) in struck.iter().zip(times) {
            assert!((time - number(wanted)).abs() < digits, "{tolerance}: {time} {wanted}");
        }
        for k in 0..2 {
            let wanted = number(&reference["impulse_first"][k]);
            assert!((struck[0].1[k] - wanted).abs() < 100.0 * digits, "{} {wanted}", struck[0].1[k]);
        }
        // The projections removed almost no energy, and the loop is closed to rounding.
        let energy = simulation.sample().unwrap().energy;
        assert!(energy.projection.abs() < 1e-2 * tolerance.max(1e-11), "{energy:?}");
        let mut dynamics = Dynamics::new(simulation.setup().model.clone());
        dynamics.set_state(simulation.configuration(), simulation.velocity()).unwrap();
        assert!(dynamics.loop_miss().unwrap().1 < 1e-15);
    }
}

#[test]
fn on_a_cart_it_slips_and_sticks_when_minimal_coordinates_do() {
    let reference = reference("four_bar_on_cart.json");
    for (case, until) in [("slip", 0.4), ("stick", 0.31)] {
        let data = &reference[case];
        let (e, mu, speed) = (number(&data["e"]), number(&data["mu"]), number(&data["start"]["xdot"]));
        let state = State::new().velocity("x", speed);
        let mut simulation = linkage(on_cart(), &state, &["x", "crank"], e, mu, until, 1e-12);
        let struck = impacts(&mut simulation);
        let events = data["events"].as_array().unwrap();
        let expected: Vec<&Value> = events.iter().filter(|event| number(&event["t"]) < until).collect();
        assert_eq!(struck.len(), expected.len(), "{case}");
        for ((time, impulse), wanted) in struck.iter().zip(expected) {
            assert!((time - number(&wanted["t"])).abs() < 1e-11, "{case}: {time} {}", wanted["t"]);
            for k in 0..2 {
                let wanted = number(&wanted["impulse"][k]);
                assert!((impulse[k] - wanted).abs() < 1e-9, "{case}: {} {wanted}", impulse[k]);
            }
        }
    }
}

#[test]
fn a_slider_crank_mechanism_strikes_its_stop_when_its_one_freedom_does() {
    let reference = reference("slider_crank.json");
    for (case, e, until) in [("e_0.7", 0.7, 0.83), ("e_0.95", 0.95, 2.0)] {
        let model = built_in("slider_crank.xml");
        let (q, v) = closed(&model, &State::new().velocity("crank", -1.0), &["crank"]);
        let mut setup = Simulation::builder(model.with_gravity([0.0, 0.0, -9.81]))
            .surface("stop", HalfSpace::new([0.44, 0.0, 0.0], [-1.0, 0.0, 0.0]).unwrap())
            .contact(ContactSpec::new("bolt", coefficients(e, 0.0)))
            .until(until)
            .tolerance(1e-13)
            .setup()
            .unwrap();
        (setup.configuration, setup.velocity) = (q, v);
        setup.contacts[0].point = setup.contacts[0].point.with_dimension(1);
        let struck = impacts(&mut Simulation::new(setup).unwrap());
        let times: Vec<f64> = reference[case]["impact_times"].as_array().unwrap().iter().map(number).collect();
        let expected: Vec<f64> = times.into_iter().filter(|time| *time < until).collect();
        assert_eq!(struck.len(), expected.len(), "{case}");
        for ((time, _), wanted) in struck.iter().zip(&expected) {
            assert!((time - wanted).abs() < 1e-13, "{case}: {time} {wanted}");
        }
        let wanted = number(&reference[case]["impulse_first"]);
        assert!((struck[0].1[0] - wanted).abs() < 1e-12, "{case}: {} {wanted}", struck[0].1[0]);
    }
}

/// The foot of Cassie strikes with W reduced by its loops: without them its impulse is 13 % too small.
#[test]
fn cassie_s_foot_strikes_by_what_its_loops_leave() {
    let reference = reference("cassie.json");
    let list = |value: &Value| -> Vec<f64> { value.as_array().unwrap().iter().map(number).collect() };
    let moving = list(&reference["v_minus"]);
    for (w, told) in [("W_loops", &reference), ("W_tree", &reference["without_loops"])] {
        let rows: Vec<[f64; 3]> =
            reference[w].as_array().unwrap().iter().map(|row| list(row).try_into().unwrap()).collect();
        let w = Delassus::spatial([rows[0], rows[1], rows[2]]).unwrap();
        let outcome = Contact::new(w, &moving).unwrap();
        let outcome = outcome.impact(&coefficients(0.3, 0.6), Guard::Slip).unwrap();
        assert_eq!(outcome.mode, Mode::Stick);
        assert_eq!(told["mode"], "stick");
        let impulse = outcome.impulse.to_vec();
        for (own, wanted) in impulse.iter().zip(list(&told["impulse"])) {
            assert!((own - wanted).abs() < 1e-13, "{own} {wanted}");
        }
        if let Some(change) = told["dK"].as_f64() {
            assert!((outcome.energy.change - change).abs() < 1e-13, "{}", outcome.energy.change);
        }
    }
}

/// Its kinetic energy divided by half the square of the crank's rate: both cranks turn alike, the coupler translates.
const TURNED: f64 = (0.5 + 0.8) * (0.4 * 0.4 + 1e-6) / 3.0 + 1.2 * 0.4 * 0.4;

/// Two cranks of equal length and a coupler as long as the ground: when all are on one line, one crank may turn either
/// way.
fn parallelogram() -> Model {
    limited([None; 2])
}

/// The linkage with limits for crank and rocker.
fn limited(limits: [Option<[f64; 2]>; 2]) -> Model {
    let rod = |mass: f64, length: f64| {
        Inertia::cuboid(mass, [0.5 * length, 1e-3, 1e-3]).placed(&Placement::at([0.5 * length, 0.0, 0.0]))
    };
    let hinge = |name: &str| Joint::new(name, JointKind::Continuous).along([0.0, -1.0, 0.0]);
    let mut builder = ModelBuilder::new("parallelogram");
    let [mut first, mut last] = ["crank", "rocker"].map(hinge);
    (first.limits, last.limits) = (limits[0], limits[1]);
    let crank = LinkSpec::new("crank").joint(first).inertia(rod(0.5, 0.4));
    let crank = builder.link(LinkId::WORLD, crank).unwrap();
    let coupler =
        LinkSpec::new("coupler").joint(hinge("coupler")).inertia(rod(1.2, 1.0)).placed(Placement::at([0.4, 0.0, 0.0]));
    let coupler = builder.link(crank, coupler).unwrap();
    let rocker = LinkSpec::new("rocker").joint(last).inertia(rod(0.8, 0.4)).placed(Placement::at([1.0, 0.0, 0.0]));
    let rocker = builder.link(LinkId::WORLD, rocker).unwrap();
    let points = [[1.0, 0.0, 0.0].into(), [0.4, 0.0, 0.0].into()];
    let pin = Loop { name: "pin".to_owned(), kind: LoopKind::Connect { links: [coupler, rocker], points } };
    builder.build().unwrap().with_loops([pin]).unwrap().with_gravity([0.0; 3])
}

fn turning(crank: f64, rate: f64) -> carom_sim::Setup {
    let mut setup = Simulation::builder(parallelogram()).until(1.0).setup().unwrap();
    (setup.configuration, setup.velocity) = (vec![crank, -crank, crank], vec![rate, -rate, rate]);
    setup
}

#[test]
fn a_parallelogram_passes_its_change_points_smoothly_and_they_are_told() {
    // Both cranks turn at a constant rate: the coupler translates. It passes pi at t = (pi - 2)/3 = 0.38.
    let mut simulation = Simulation::new(turning(2.0, 3.0)).unwrap();
    let mut recorder = Recorder::new();
    simulation.run(&mut recorder).unwrap();
    let [crank, coupler, rocker] = [0, 1, 2].map(|k| simulation.configuration()[k]);
    assert!((rocker - crank).abs() < 1e-9 && (coupler + crank).abs() < 1e-9, "{crank} {coupler} {rocker}");
    assert!((crank - 5.0).abs() < 1e-9, "{crank}");
    let dead: Vec<(f64, usize)> = recorder
        .events()
        .iter()
        .filter_map(|event| match event {
            Event::DeadPoint(dead) => Some((dead.time, dead.index)),
            _ => None,
        })
        .collect();
    assert_eq!(dead.len(), 1, "{:?}", recorder.events());
    assert!((dead[0].0 - (PI - 2.0) / 3.0).abs() < 1e-6 && dead[0].1 == 0, "{dead:?}");
}

/// The single freedom strikes both limits at the same instant: W of the two has rank one.
#[test]
fn limits_that_a_loop_couples_strike_as_one_does() {
    let run = |limits: [Option<[f64; 2]>; 2], e: f64, gravity: f64, until: f64| {
        let model = limited(limits).with_gravity([0.0, 0.0, -gravity]);
        let builder = Simulation::builder(model).limits(Restitution::new(e).unwrap()).until(until).tolerance(1e-11);
        let mut setup = builder.setup().unwrap();
        (setup.configuration, setup.velocity) = (vec![0.5, -0.5, 0.5], vec![2.0, -2.0, 2.0]);
        let mut simulation = Simulation::new(setup).unwrap();
        let mut recorder = Recorder::new();
        simulation.run(&mut recorder).unwrap();
        assert_eq!(simulation.summary().windows, 0);
        assert!(simulation.summary().residual.abs() < 1e-9 * simulation.summary().largest_energy);
        let struck = recorder.events().iter().filter(|event| matches!(event, Event::Impact(_)));
        let struck: Vec<(f64, f64)> = struck.map(|event| (event.time(), event.impulse()[0])).collect();
        (simulation, struck)
    };
    let upper = Some([-3.0, 1.0]);
    for limits in [[upper, None], [None, upper], [upper; 2]] {
        // It turns at 2 rad/s from 0.5 to 1, and back at half that rate.
        let (simulation, struck) = run(limits, 0.5, 0.0, 1.0);
        assert!(struck.iter().all(|(time, _)| (time - 0.25).abs() < 1e-9), "{limits:?}: {struck:?}");
        // Upper limits push down, so the angular impulses together reverse the single freedom, however they are shared.
        let sum: f64 = struck.iter().map(|(_, impulse)| impulse).sum();
        assert!((sum - TURNED * 3.0).abs() < 1e-9, "{limits:?}: {sum}");
        let [crank, coupler, rocker] = [0, 1, 2].map(|k| simulation.configuration()[k]);
        assert!((crank - 0.25).abs() < 1e-9 && (rocker - crank).abs() < 1e-12 && (coupler + crank).abs() < 1e-12);
    }
    // Upside down, gravity keeps it at its limits: both are closed, and their shares of the load are undetermined.
    for limits in [[upper, None], [upper; 2]] {
        let (simulation, _) = run(limits, 0.2, -9.81, 3.0);
        let rest = simulation.configuration()[0];
        assert!((rest - 1.0).abs() < 1e-9 && simulation.summary().at_rest.is_some(), "{limits:?}: {rest}");
    }
}

/// A linkage whose ground floats freely: no external forces, so linear and angular momentum are conserved.
#[test]
fn a_floating_linkage_keeps_its_momentum() {
    let joint = |name: &str, kind: JointKind, axis: [f64; 3]| Joint::new(name, kind).along(axis);
    let mut builder = ModelBuilder::new("floating");
    let base = LinkSpec::new("base").joint(Joint::new("free", JointKind::Floating));
    let base = base.inertia(Inertia::cuboid(2.0, [1.0, 0.3, 0.2]).placed(&Placement::at([0.5, 0.0, 0.0])));
    let base = builder.link(LinkId::WORLD, base).unwrap();
    let rod = |mass: f64, length: f64| {
        Inertia::cuboid(mass, [length, 0.05, 0.03]).placed(&Placement::at([0.5 * length, 0.0, 0.0]))
    };
    let hinge = |name: &str| joint(name, JointKind::Continuous, [0.0, -1.0, 0.0]);
    let crank = LinkSpec::new("crank").joint(hinge("crank")).inertia(rod(0.5, 0.4));
    let crank = builder.link(base, crank).unwrap();
    let coupler = LinkSpec::new("coupler").joint(hinge("coupler")).inertia(rod(1.2, 0.9));
    let coupler = builder.link(crank, coupler.placed(Placement::at([0.4, 0.0, 0.0]))).unwrap();
    let rocker = LinkSpec::new("rocker").joint(hinge("rocker")).inertia(rod(0.8, 0.7));
    let rocker = builder.link(base, rocker.placed(Placement::at([1.0, 0.0, 0.0]))).unwrap();
    let (links, points) = ([coupler, rocker], [[0.9, 0.0, 0.0].into(), [0.7, 0.0, 0.0].into()]);
    let axes = [[0.0, 1.0, 0.0].into(); 2];
    let tree = builder.build().unwrap();
    for kind in [LoopKind::Connect { links, points }, LoopKind::Hinge { links, points, axes }] {
        let model = tree.clone().with_loops([Loop { name: "pin".to_owned(), kind }]).unwrap().with_gravity([0.0; 3]);
        let state = State::new()
            .position("crank", 1.0)
            .position("coupler", -0.6)
            .position("rocker", 1.4)
            .velocity("free", [0.3, -0.2, 0.4, 1.0, -0.5, 0.7])
            .velocity("crank", 4.0);
        let (q, v) = closed(&model, &state, &["free", "crank"]);
        let momentum = |q: &[f64], v: &[f64]| {
            let mut dynamics = Dynamics::new(model.clone());
            dynamics.set_state(q, v).unwrap();
            let place = dynamics.placement(base);
            let mass = dynamics.mass_matrix();
            let row = |i: usize| -> f64 { mass.row(i).iter().zip(v).map(|(m, v)| m * v).sum() };
            let [p, l] = [0, 3].map(|k| place.rotation.apply([row(k), row(k + 1), row(k + 2)].into()));
            [p.to_array(), (l + place.translation.cross(p)).to_array()].concat()
        };
        let before = momentum(&q, &v);
        let mut setup = Simulation::builder(model.clone()).until(2.0).tolerance(1e-11).setup().unwrap();
        (setup.configuration, setup.velocity) = (q, v);
        let mut simulation = Simulation::new(setup).unwrap();
        simulation.run(&mut Recorder::new()).unwrap();
        let after = momentum(simulation.configuration(), simulation.velocity());
        for (k, (before, after)) in before.iter().zip(&after).enumerate() {
            assert!((before - after).abs() < 1e-8, "{k}: {before} {after}");
        }
        assert!(simulation.summary().residual.abs() < 1e-9 * simulation.summary().largest_energy);
        let mut dynamics = Dynamics::new(model.clone());
        dynamics.set_state(simulation.configuration(), simulation.velocity()).unwrap();
        assert!(dynamics.loop_miss().unwrap().1 < 1e-13);
    }
}

#[test]
fn a_change_of_rank_is_an_error_that_names_the_loop() {
    // From the change point itself, where the pin leaves an additional freedom.
    let mut simulation = Simulation::new(turning(0.0, 3.0)).unwrap();
    let error = simulation.run(&mut Recorder::new()).unwrap_err();
    assert!(matches!(&error, SimulationError::SingularLoop { name, .. } if name == "pin"), "{error}");
}

#[test]
fn states_that_do_not_close_are_refused_by_the_loop_s_name() {
    let mut open = turning(1.0, 0.0);
    open.configuration[2] += 1e-3;
    let error = Simulation::new(open).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("loop \"pin\" is open"), "{error}");
    let mut moving = turning(1.0, 1.0);
    moving.velocity[2] += 1e-3;
    let error = Simulation::new(moving).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("opens loop \"pin\""), "{error}");
}
