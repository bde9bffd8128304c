//! Runs with every law of impacts.

use std::sync::Arc;

use carom_law::{Coefficients, Friction, Guard, Law, Restitution, RestitutionKind};
use carom_multibody::{HalfSpace, Inertia, Joint, JointKind, LinkId, LinkSpec, Model, ModelBuilder};
use carom_sim::{ContactSpec, Event, Recorder, Simulation, SimulationBuilder, SimulationError};

const G: f64 = 9.81;

/// The force of a compliant contact is integrated; all other laws are algebraic or end exactly, to rounding.
fn accuracy(law: Law) -> f64 {
    if law == Law::HuntCrossley { 1e-6 } else { 1e-10 }
}

/// A free body of 0.1 m about its centre, with points beside it.
fn body(mass: f64) -> Arc<Model> {
    let mut builder = ModelBuilder::new("body");
    let free = Joint::new("free", JointKind::Floating);
    let inertia = Inertia::ball(mass, 0.1);
    builder.link(LinkId::WORLD, LinkSpec::new("body").joint(free).inertia(inertia)).unwrap();
    Arc::new(builder.build().unwrap())
}

fn coefficients(e: f64, mu: f64) -> Coefficients {
    Coefficients::new(Restitution::new(e).unwrap(), Friction::new(mu).unwrap())
}

/// A body at a height, turned about y, with named points of it above a floor.
fn above_floor(
    mass: f64,
    height: f64,
    angle: f64,
    points: &[(&str, [f64; 3])],
    given: Coefficients,
) -> SimulationBuilder {
    let (sin, cos) = (0.5 * angle).sin_cos();
    let mut builder = Simulation::builder(body(mass))
        .joint_position("free", [0.0, 0.0, height, cos, 0.0, sin, 0.0])
        .surface("floor", HalfSpace::new([0.0; 3], [0.0, 0.0, 1.0]).unwrap());
    for (name, point) in points {
        builder = builder.contact(ContactSpec::new(*name, given).on("body").at(*point));
    }
    builder
}

fn impacts(recorder: &Recorder) -> Vec<(f64, [f64; 3], f64)> {
    let impact = |event: &Event| match event {
        Event::Impact(impact) => Some((impact.time, impact.impulse, impact.energy_change)),
        _ => None,
    };
    recorder.events().iter().filter_map(impact).collect()
}

#[test]
fn a_ball_bounces_as_high_as_its_restitution_says_by_every_law() {
    let (e, height) = (0.8, 1.0);
    for law in Law::ALL {
        let builder = above_floor(1.0, height, 0.0, &[("tip", [0.0; 3])], coefficients(e, 0.3));
        let mut simulation = builder.law(law).until(3.0).build().unwrap();
        let mut recorder = Recorder::new();
        simulation.run(&mut recorder).unwrap();
        let fall = (2.0 * height / G).sqrt();
        let struck = impacts(&recorder);
        assert!(struck.len() >= 6, "{}", law.name());
        for (k, (time, impulse, change)) in struck.iter().take(6).enumerate() {
            // After k bounces the ball rises to e^2k h.
            let rise = e.powi(k as i32);
            let expected = fall * (1.0 + 2.0 * (1..=k as i32).map(|j| e.powi(j)).sum::<f64>());
            assert!((time - expected).abs() <= accuracy(law), "{}: impact {k} at {time}, not {expected}", law.name());
            let speed = rise * G * fall;
            assert!((impulse[0] - (1.0 + e) * speed).abs() <= accuracy(law) * speed, "{}: {impulse:?}", law.name());
            let lost = 0.5 * (1.0 - e * e) * speed * speed;
            assert!((change + lost).abs() <= 4.0 * accuracy(law) * lost, "{}: {change}, not -{lost}", law.name());
        }
        assert!(simulation.summary().residual < 1e-9, "{}", law.name());
    }
}

#[test]
fn without_friction_all_laws_are_one() {
    // One end strikes, then the other.
    let ends = [("left", [-0.2, 0.0, 0.0]), ("right", [0.2, 0.0, 0.0])];
    let states = Law::ALL.map(|law| {
        let builder = above_floor(1.0, 0.5, 0.3, &ends, coefficients(0.6, 0.0));
        let mut simulation = builder.law(law).until(0.4).build().unwrap();
        let mut recorder = Recorder::new();
        simulation.run(&mut recorder).unwrap();
        assert!(impacts(&recorder).len() >= 2, "{}: {:?}", law.name(), impacts(&recorder));
        (law, [simulation.configuration(), simulation.velocity()].concat())
    });
    for (law, state) in &states {
        for (x, y) in state.iter().zip(&states[0].1) {
            assert!((x - y).abs() <= 1e3 * accuracy(*law), "{}: {x}, not {y}", law.name());
        }
    }
}

#[test]
fn laws_without_an_answer_to_several_contacts_end_the_run_there() {
    let corners = [("a", [-0.1, 0.0, -0.1]), ("b", [0.1, 0.0, -0.1])];
    let fall = (2.0 * 0.4 / G).sqrt();
    for law in Law::ALL {
        let builder = above_floor(1.0, 0.5, 0.0, &corners, coefficients(0.5, 0.3));
        let mut simulation = builder.law(law).until(1.0).build().unwrap();
        let mut recorder = Recorder::new();
        let ended = simulation.run(&mut recorder);
        if law.answers_several() {
            ended.unwrap();
            assert!(simulation.summary().at_rest.is_none_or(|time| time <= 1.0));
            continue;
        }
        let error = ended.unwrap_err();
        let text = error.to_string();
        let SimulationError::Simultaneous { time, value, contacts, .. } = error else { panic!("{text}") };
        assert_eq!((value, contacts), (law.name(), vec!["a".to_owned(), "b".to_owned()]));
        assert!((time - fall).abs() < 1e-9, "{text}");
        assert!(text.contains(law.name()) && text.contains("use \"chord\""), "{text}");
        assert!(recorder.samples().len() > 20 && impacts(&recorder).is_empty(), "what came before is recorded");
        assert!((simulation.time() - fall).abs() < 1e-9);
    }
}

/// Two bodies that strike at the same instant have two impacts of one contact each.
#[test]
fn contacts_that_nothing_couples_strike_by_any_law() {
    let mut builder = ModelBuilder::new("pair");
    for (name, x) in [("one", -1.0), ("two", 1.0)] {
        let slide = Joint::new(format!("{name}_slide"), JointKind::Prismatic).along([0.0, 0.0, 1.0]);
        let inertia = Inertia::ball(1.0, 0.1);
        let placed = carom_multibody::Placement::at([x, 0.0, 0.0]);
        builder.link(LinkId::WORLD, LinkSpec::new(name).placed(placed).joint(slide).inertia(inertia)).unwrap();
    }
    let model = Arc::new(builder.build().unwrap());
    for law in Law::ALL {
        let mut builder = Simulation::builder(Arc::clone(&model))
            .joint_position("one_slide", 1.0)
            .joint_position("two_slide", 1.0)
            .surface("floor", HalfSpace::new([0.0; 3], [0.0, 0.0, 1.0]).unwrap());
        for name in ["one", "two"] {
            builder =
                builder.contact(ContactSpec::new(name, Coefficients::frictionless(Restitution::new(0.5).unwrap())));
        }
        let mut simulation = builder.law(law).until(0.6).build().unwrap();
        simulation.run(&mut Recorder::new()).unwrap_or_else(|error| panic!("{}: {error}", law.name()));
        // Two islands: one impact each.
        assert_eq!(simulation.summary().impacts, 2, "{}", law.name());
    }
}

#[test]
fn what_a_law_does_not_take_is_refused_at_the_door() {
    let tip = [("tip", [0.0; 3])];
    let given = coefficients(0.5, 0.3);
    let error = above_floor(1.0, 1.0, 0.0, &tip, given).law(Law::Chord).guard(Guard::Slip).build().unwrap_err();
    assert!(error.to_string().contains("guard = \"slip\" is only available for law = \"aghili\""), "{error}");
    assert!(above_floor(1.0, 1.0, 0.0, &tip, given).law(Law::Chord).guard(Guard::Report).build().is_ok());

    let of_kind = Coefficients { restitution: given.restitution.of_kind(RestitutionKind::Newton), ..given };
    assert!(above_floor(1.0, 1.0, 0.0, &tip, of_kind).law(Law::Chord).build().is_ok());
    let error = above_floor(1.0, 1.0, 0.0, &tip, of_kind).law(Law::Moreau).build().unwrap_err();
    assert!(error.to_string().contains("contacts[0].restitution.kind = \"newton\""), "{error}");

    // With the law chord, Newton's restitution is available for one contact only.
    let corners = [("a", [-0.1, 0.0, -0.1]), ("b", [0.1, 0.0, -0.1])];
    let mut simulation = above_floor(1.0, 0.5, 0.0, &corners, of_kind).law(Law::Chord).build().unwrap();
    let error = simulation.run(&mut Recorder::new()).unwrap_err();
    assert!(error.to_string().contains("restitution.kind = \"newton\" has no answer; use \"poisson\""), "{error}");
}

/// A heavier body of the same shape moves the same way, with proportional impulses.
#[test]
fn mass_does_not_change_the_motion_by_chord() {
    let run = |mass: f64| {
        let ends = [("left", [-0.2, 0.0, 0.03]), ("right", [0.2, 0.05, 0.0])];
        let builder = above_floor(mass, 0.5, 0.7, &ends, coefficients(0.5, 0.4));
        let mut simulation = builder.law(Law::Chord).until(1.0).build().unwrap();
        let mut recorder = Recorder::new();
        simulation.run(&mut recorder).unwrap();
        (simulation.configuration().to_vec(), impacts(&recorder))
    };
    let ((light, first), (heavy, second)) = (run(1.0), run(8.0));
    assert!(first.len() >= 3 && first.len() == second.len());
    assert!(light.iter().zip(&heavy).all(|(x, y)| (x - y).abs() < 1e-7), "{light:?} {heavy:?}");
    let largest = second.iter().fold(0.0_f64, |most, impact| most.max(impact.1[0]));
    assert!(first.iter().zip(&second).all(|(x, y)| (8.0 * x.1[0] - y.1[0]).abs() < 1e-7 * largest));
}
