//! Simulations against closed forms and against numbers computed elsewhere (`reference/simulation`).

mod simulated;

use std::sync::Arc;

use carom::law::{Coefficients, Friction, Mode, Restitution};
use carom::multibody::load::{self, Options};
use carom::multibody::{ContactPoint, HalfSpace, Model, candidates};
use carom::sim::{
    Actuator, ContactMode, Event, EventKind, Recorder, Settings, Setup, Simulation, Surface, WatchedContact,
};
use simulated::{built_in, run};

const G: f64 = 9.81;

fn impacts(recorder: &Recorder) -> Vec<&Event> {
    recorder.events().iter().filter(|event| event.kind() == EventKind::Impact).collect()
}

fn first(recorder: &Recorder, kind: EventKind) -> &Event {
    recorder.events().iter().find(|event| event.kind() == kind).unwrap()
}

#[track_caller]
fn assert_near(found: f64, wanted: f64, tolerance: f64) {
    assert!((found - wanted).abs() <= tolerance, "{found} is not {wanted}: off by {:e}", found - wanted);
}

/// The state after the events at a time.
fn after(recorder: &Recorder, time: f64) -> &carom::sim::Sample {
    recorder.samples().iter().rfind(|sample| sample.time == time).unwrap()
}

/// A mechanism of one body in the x-z plane, from text: mass, moment about y, shape.
fn planar(moment: f64, geom: &str) -> Arc<Model> {
    let text = format!(
        r#"<mujoco model="body"><compiler angle="radian"/><worldbody><body name="body">
        <joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
        <joint name="pitch" type="hinge" axis="0 -1 0"/>
        <inertial pos="0 0 0" mass="1" diaginertia="{moment} {moment} {moment}"/>{geom}
        </body></worldbody></mujoco>"#
    );
    Arc::new(load::text(&text, "body.xml".as_ref(), &Options::default()).unwrap())
}

/// All shapes of a model's last link on a level floor.
fn on_floor(model: Arc<Model>, gravity: [f64; 3], restitution: f64, friction: Friction) -> Setup {
    let model = Arc::new(Model::clone(&model).with_gravity(gravity));
    let half_space = HalfSpace::new([0.0; 3], [0.0, 0.0, 1.0]).unwrap();
    let link = model.find_link("body").unwrap();
    let touching = candidates(&model, link, 0, &half_space, &Default::default()).unwrap();
    let coefficients = Coefficients { restitution: Restitution::new(restitution).unwrap(), friction: Some(friction) };
    Setup {
        configuration: vec![0.0; model.nq()],
        velocity: vec![0.0; model.nv()],
        surfaces: vec![Surface { name: "floor".into(), half_space }],
        contacts: (touching.into_iter())
            .map(|candidate| WatchedContact {
                name: candidate.name,
                point: candidate.contact,
                surface: 0,
                coefficients,
                enabled: None,
            })
            .collect(),
        settings: Settings { interval: None, ..Settings::default() },
        ..Setup::new(model)
    }
}

/// √(2h/g) (1 + e)/(1 - e), and the tenth bounce.
#[test]
fn ball_bounces_to_rest() {
    let (simulation, recorder) = run(built_in("ball"));
    let impacts = impacts(&recorder);
    assert_near(impacts[0].time(), 0.4515236409857309, 1e-14);
    assert_near(impacts[9].time(), 3.578892951020438, 1e-12);
    assert_near(simulation.summary().at_rest.unwrap(), 4.063712768871578, 1e-12);
    assert_near(simulation.summary().settled[0].unwrap(), 4.063712768871578, 1e-12);
}

#[test]
fn sphere_slips_then_rolls() {
    let (simulation, recorder) = run(built_in("sphere"));
    let roll = first(&recorder, EventKind::Stick);
    assert_near(roll.time(), 0.291247997670016, 1e-10);
    let sample = after(&recorder, roll.time());
    assert_near(sample.configuration[0], 0.4992822817200275, 1e-10);
    // In the axes of the ball, which has turned about y.
    assert_near(sample.velocity[0].hypot(sample.velocity[2]), 1.428571428571429, 1e-9);
    assert_near(sample.energy.friction, -0.5714285714285714, 1e-9);
    // It goes on rolling: the floor does nothing more.
    let end = simulation.time();
    assert_near(after(&recorder, end).energy.friction, -0.5714285714285714, 1e-9);
    assert_near(simulation.configuration()[0], 0.4992822817200275 + (end - roll.time()) * 10.0 / 7.0, 1e-9);
}

#[test]
fn disc_slips_then_rolls() {
    let model = planar(0.5, r#"<geom type="cylinder" size="1 0.1" euler="1.5707963267948966 0 0" mass="0"/>"#);
    let mut setup = on_floor(model, [0.0, 0.0, -G], 0.0, Friction::new(0.2).unwrap());
    assert_eq!(setup.contacts.len(), 1, "a disc");
    setup.configuration[1] = 1.0;
    setup.velocity[0] = 2.0;
    setup.settings.until = 1.0;
    let (_, recorder) = run(setup);
    let roll = first(&recorder, EventKind::Stick);
    assert_near(roll.time(), 0.3397893306150187, 1e-12);
    let sample = after(&recorder, roll.time());
    assert_near(sample.velocity[0], 4.0 / 3.0, 1e-11);
    assert_near(sample.configuration[0], 0.5663155510250311, 1e-11);
}

/// On an incline with μ = 0.5: sticks below atan 0.5, slides with g (sin - μ cos) above.
#[test]
fn brick_sticks_below_the_angle_of_friction() {
    let slide = |degrees: f64| {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let mut setup = built_in("brick");
        setup.model = Arc::new(Model::clone(&setup.model).with_gravity([G * sin, 0.0, -G * cos]));
        setup.actuators.clear();
        let mu = Friction::new(0.5).unwrap();
        setup.contacts.iter_mut().for_each(|contact| contact.coefficients.friction = Some(mu));
        setup.settings = Settings { until: 1.0, interval: None, ..Settings::default() };
        run(setup).0.velocity()[0]
    };
    let critical = 26.56505117707799;
    assert!(slide(20.0).abs() < 1e-15);
    assert!(slide(critical * (1.0 - 1e-9)).abs() < 1e-15);
    assert!(slide(critical * (1.0 + 1e-6)) > 0.0);
    assert_near(slide(28.0), 0.2746580879565519, 1e-10);
    assert_near(slide(30.0), 0.6571453944373284, 1e-10);
}

/// F = 2 t at the centre of a block, μ_s = 0.5, μ_d = 0.4.
#[test]
fn pushed_block_slips() {
    let mut setup = built_in("brick");
    setup.model = Arc::new(Model::clone(&setup.model).with_gravity([0.0, 0.0, -G]));
    let push = |time: f64, _: &[f64], _: &[f64], force: &mut [f64]| force[0] += 2.0 * time;
    setup.actuators = vec![Actuator::Law(Arc::new(push))];
    setup.settings = Settings { until: 4.0, interval: None, ..Settings::default() };
    let (simulation, recorder) = run(setup);
    assert_near(first(&recorder, EventKind::Slip).time(), 2.4525, 1e-9);
    assert_near(simulation.velocity()[0], 3.91285375, 1e-8);
    assert_near(simulation.configuration()[0], 2.409923039583332, 1e-8);
}

/// A particle on a 20° incline with μ = 0.6, 1 m/s across: its way is no straight line.
#[test]
fn particle_stops_on_an_incline() {
    let text = r#"<mujoco model="particle"><worldbody><body name="body">
        <joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/>
        <joint name="z" type="slide" axis="0 0 1"/>
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom type="sphere" size="1" mass="0"/>
        </body></worldbody></mujoco>"#;
    let model = Arc::new(load::text(text, "particle.xml".as_ref(), &Options::default()).unwrap());
    let (sin, cos) = 20f64.to_radians().sin_cos();
    let mut setup = on_floor(model, [G * sin, 0.0, -G * cos], 0.0, Friction::new(0.6).unwrap());
    setup.configuration[2] = 1.0;
    setup.velocity[1] = 1.0;
    setup.settings.until = 1.0;
    let (simulation, recorder) = run(setup);
    assert_near(first(&recorder, EventKind::Stick).time(), 0.2860658577262178, 1e-9);
    assert_near(simulation.configuration()[0], 0.04338310718840567, 1e-9);
    assert_near(simulation.configuration()[1], 0.09955800807332253, 1e-9);
    assert_eq!(simulation.modes().collect::<Vec<_>>(), [ContactMode::Stick]);
}

#[test]
fn rocking_block_loses_the_same_part_at_each_change() {
    let (_, recorder) = run(built_in("block"));
    let times = [0.2738589747823516, 0.6668509650336913, 0.9737571944562583, 1.221768919104893, 1.425834172935433];
    let speeds = [1.136287402267404, 0.9658442919272931, 0.8209676481381991, 0.6978225009174693, 0.5931491257798489];
    for ((impact, time), speed) in impacts(&recorder).iter().zip(times).zip(speeds) {
        assert_near(impact.time(), time, 1e-9);
        assert_near(after(&recorder, impact.time()).velocity[2].abs(), speed, 1e-9);
    }
}

/// A wide block does not rock: the corner it turns about would enter the floor.
#[test]
fn wide_block_lands_on_its_face() {
    let (b, h) = (3f64.sqrt() / 10.0, 0.1);
    let model = planar((b * b + h * h) / 3.0, &format!(r#"<geom type="box" size="{b} 0.1 {h}" mass="0"/>"#));
    let mut setup = on_floor(model, [0.0, 0.0, -G], 0.0, Friction::new(5.0).unwrap());
    // Turning about the left lower corner, at the instant the right one strikes.
    setup.configuration[1] = h;
    setup.velocity = vec![h, -b, -1.0];
    setup.settings.until = 1e-3;
    let (simulation, recorder) = run(setup);
    let change: f64 = impacts(&recorder).iter().map(|event| event.energy_change()).sum();
    assert_near(change, -0.08 / 3.0, 1e-12);
    assert!(simulation.velocity().iter().all(|v| v.abs() < 1e-12), "{:?}", simulation.velocity());
}

#[test]
fn rimless_wheel_finds_its_gait() {
    let mut setup = built_in("wheel");
    setup.settings = Settings { until: 20.0, interval: None, ..setup.settings };
    let (_, recorder) = run(setup);
    let impacts = impacts(&recorder);
    let [one, other] = impacts.last_chunk().unwrap();
    assert_near(other.time() - one.time(), 0.8146625329268013, 1e-6);
    let at = |time: f64, last: bool| {
        let mut samples = recorder.samples().iter().filter(|sample| sample.time == time);
        let sample = if last { samples.next_back() } else { samples.next() };
        sample.unwrap().velocity[2].abs()
    };
    assert_near(at(other.time(), true), 1.177944486689455, 1e-6);
    assert_near(at(other.time(), false), 1.605412029190862, 1e-6);
}

/// The steady gait, from its published start: it does not leave it within ten steps.
#[test]
fn compass_walker_keeps_its_gait() {
    let (_, recorder) = run(built_in("walker"));
    let impacts = impacts(&recorder);
    assert!(impacts.len() >= 12);
    let mut last = 0.0;
    for impact in &impacts[..10] {
        assert_near(impact.time() - last, 0.7347209621554, 2e-9);
        last = impact.time();
    }
    let position = |event: &Event| {
        let sample = after(&recorder, event.time());
        let [x, _, z] = sample.contacts[event.contact().unwrap()].position;
        let slope = 3f64.to_radians();
        x * slope.cos() - z * slope.sin()
    };
    assert_near(position(impacts[1]) - position(impacts[0]), 0.53544541543, 1e-9);
}

#[test]
fn dropped_rod_strikes_as_published() {
    let (_, recorder) = run(built_in("rod"));
    let wanted = [
        (0.4515236409857309, 0, Mode::Slip, [0.69687063578983, -2.1065447987706, -9.9795415675386]),
        (0.5204165299700112, 1, Mode::Slip, [-0.22158709494408, 0.27914172940664, 7.2440903776841]),
        (0.5663645386218745, 0, Mode::Stick, [0.096964927944453, 1.3025256781343, -1.1534619943022]),
    ];
    for (impact, (time, contact, mode, velocity)) in impacts(&recorder).iter().zip(wanted) {
        assert_near(impact.time(), time, 1e-12);
        assert_eq!((impact.contact(), impact.impact()), (Some(contact), Some(mode)));
        for (found, wanted) in after(&recorder, impact.time()).velocity.iter().zip(velocity) {
            assert_near(*found, wanted, 1e-11);
        }
    }
}

#[test]
fn painleve_rod_jams() {
    let (_, recorder) = run(built_in("painleve"));
    let jam = &recorder.events()[0];
    assert_eq!((jam.kind(), jam.time()), (EventKind::Jam, 0.0));
    assert_near(jam.impulse()[0], 0.3247595264, 1e-10);
    assert_near(jam.impulse()[1], 0.4375, 1e-14);
    assert_near(jam.energy_change(), -0.21875, 1e-14);
    let velocity = &after(&recorder, 0.0).velocity;
    for (found, wanted) in velocity.iter().zip([-0.5625, 0.3247595264, 1.2990381057]) {
        assert_near(*found, wanted, 1e-10);
    }
}

/// Every built-in simulation: the energy book closes, nothing sinks, no window is needed.
#[test]
fn energy_books_close() {
    for scene in carom::gallery::SIMULATIONS {
        let mut setup = scene.setup().unwrap();
        setup.settings = Settings { until: 10.0, interval: Some(0.05), ..setup.settings };
        let length = Simulation::new(setup.clone()).unwrap().header().length;
        let (simulation, recorder) = run(setup);
        let summary = simulation.summary();
        assert!(summary.residual < 1e-8, "{}: residual {:e}", scene.name, summary.residual);
        assert!(summary.penetration < 1e-7 * length, "{}: penetration {:e}", scene.name, summary.penetration);
        assert_eq!((summary.windows, summary.not_converged), (0, 0), "{}", scene.name);
        // A stack that never moves has no energy but that of its weight, the rounding of which is all that its motion has.
        let weight = recorder.samples()[0].energy.total().abs();
        let is_still = recorder.events().is_empty() && summary.largest_energy < 1e-12 * weight;
        assert!(!is_still || scene.name == "stack", "{} does not move", scene.name);
        let scale = if is_still { weight } else { summary.largest_energy };
        for sample in recorder.samples() {
            let ledger = &sample.energy;
            assert!(ledger.residual.abs() <= 1.0001e-8 * scale, "{} at {}", scene.name, sample.time);
            assert!(ledger.impacts <= 1e-12 * scale && ledger.friction <= 1e-12 * scale, "{}", scene.name);
            assert!(ledger.projection.abs() < 1e-8 * scale && ledger.settling.abs() < 1e-9 * scale, "{}", scene.name);
        }
    }
}

/// The same setup gives the same bits.
#[test]
fn runs_are_deterministic() {
    let record = |name: &str| {
        let (simulation, recorder) = run(built_in(name));
        (format!("{:?}", simulation.summary()), format!("{:?}", recorder.events()), simulation.velocity().to_vec())
    };
    for name in ["cube", "quadruped"] {
        let first = record(name);
        let others: Vec<_> = std::thread::scope(|scope| {
            let runs: Vec<_> = (0..2).map(|_| scope.spawn(|| record(name))).collect();
            runs.into_iter().map(|run| run.join().unwrap()).collect()
        });
        assert!(others.iter().all(|other| *other == first), "{name}");
    }
}

/// Tighter tolerances bring the end nearer, at the order of the method; the sequence of events stays.
#[test]
fn errors_follow_the_tolerance() {
    for (name, until) in [("walker", 3.0), ("rod", 0.8), ("block", 1.3)] {
        let end = |tolerance: f64| {
            let mut setup = built_in(name);
            setup.settings = Settings { tolerance, until, interval: None, ..setup.settings };
            let (simulation, recorder) = run(setup);
            let kinds: Vec<_> = recorder.events().iter().map(|event| (event.kind(), event.contact())).collect();
            (simulation.configuration().to_vec(), kinds)
        };
        let (exact, events) = end(1e-13);
        for tolerance in [1e-5, 1e-7, 1e-9, 1e-11] {
            let (found, same) = end(tolerance);
            assert_eq!(same, events, "{name} at {tolerance:e}");
            let error = found.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(error <= 300.0 * tolerance, "{name} at {tolerance:e}: {error:e}");
        }
    }
}

/// Steps of a method of order 8 grow with the eighth root of the tolerance.
#[test]
fn steps_follow_the_order_of_the_method() {
    let steps = |tolerance: f64| {
        let mut setup = built_in("walker");
        setup.contacts.truncate(0);
        setup.settings = Settings { tolerance, until: 20.0, interval: None, ..setup.settings };
        run(setup).0.summary().steps as f64
    };
    let (coarse, fine) = (steps(1e-7), steps(1e-11));
    let order = 4.0 / (fine / coarse).log10();
    assert!((6.5..10.0).contains(&order), "{coarse} and {fine} steps: order {order}");
}

/// A graze that dips 1e-12 of the length into the floor is found, one that stays above is none.
#[test]
fn grazes_are_found() {
    let strikes = |depth: f64| {
        // A point on an arm that turns at 1 rad/s: its lowest place is 1 below the axis.
        let text = r#"<mujoco model="wheel"><option gravity="0 0 0"/><worldbody><body name="body">
            <joint name="turn" type="hinge" axis="0 1 0"/>
            <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
            </body></worldbody></mujoco>"#;
        let model = Arc::new(load::text(text, "wheel.xml".as_ref(), &Options::default()).unwrap());
        let half_space = HalfSpace::new([0.0, 0.0, -1.0 + depth], [0.0, 0.0, 1.0]).unwrap();
        let link = model.find_link("body").unwrap();
        let point = ContactPoint::new(&model, link, [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]).unwrap();
        let coefficients = Coefficients { restitution: Restitution::new(0.5).unwrap(), friction: None };
        let contact = WatchedContact { name: "tip".into(), point, surface: 0, coefficients, enabled: None };
        let setup = Setup {
            configuration: vec![0.0],
            velocity: vec![1.0],
            surfaces: vec![Surface { name: "floor".into(), half_space }],
            contacts: vec![contact],
            settings: Settings { until: 3.0, interval: None, ..Settings::default() },
            ..Setup::new(model)
        };
        let (_, recorder) = run(setup);
        impacts(&recorder).first().map(|event| event.time())
    };
    for depth in [1e-3_f64, 1e-6, 1e-9, 1e-12] {
        let wanted = (1.0 - depth).asin();
        let found = strikes(depth).unwrap_or_else(|| panic!("a graze of {depth:e} was missed"));
        assert_near(found, wanted, 1e-9 + 3e-16 / depth.sqrt());
    }
    assert_eq!(strikes(-1e-12), None);
}

/// A pendulum between its stops: the limits strike with their own restitution.
#[test]
fn joint_limits_strike() {
    let text = r#"<mujoco model="pendulum"><option gravity="0 0 0"/><compiler angle="radian"/><worldbody><body name="body">
        <joint name="turn" type="hinge" axis="0 1 0" limited="true" range="-0.5 1"/>
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
        </body></worldbody></mujoco>"#;
    let model = Arc::new(load::text(text, "pendulum.xml".as_ref(), &Options::default()).unwrap());
    let setup = Setup {
        configuration: vec![0.0],
        velocity: vec![2.0],
        pairs: Vec::new(),
        limits: Some(Restitution::new(0.5).unwrap()),
        settings: Settings { until: 4.0, interval: None, ..Settings::default() },
        ..Setup::new(model)
    };
    let (simulation, recorder) = run(setup);
    let times: Vec<f64> = impacts(&recorder).iter().map(|event| event.time()).collect();
    // 1 rad at 2 rad/s, then 1.5 rad at 1 rad/s, then at 0.5 rad/s.
    assert_eq!(times.len(), 2, "{times:?}");
    assert_near(times[0], 0.5, 1e-13);
    assert_near(times[1], 2.0, 1e-13);
    assert_near(simulation.velocity()[0], 0.5, 1e-13);
    assert_near(simulation.configuration()[0], 0.5, 1e-12);
}
