//! Tests of each heuristic of the simulator: without it, one of them fails. Closed forms on robots of one or two
//! joints; `touches`, `phases`, `ends`, `onsets`, `instants`, `strikes`, `jams`, `settling`, `windows`, `starts`,
//! `steps`, `bounds`, `control` and `names` by subject.

mod bounds;
mod control;
mod ends;
mod instants;
mod jams;
mod names;
mod onsets;
mod phases;
mod settling;
mod starts;
mod steps;
mod strikes;
mod touches;
mod windows;

use std::sync::Arc;

use carom_law::{Coefficients, Friction, Restitution};
use carom_multibody::load::{self, Options};
use carom_multibody::{ContactPoint, HalfSpace, Model};

use crate::simulation::motion::contact::Mode;
use crate::{Actuator, Recorder, Settings, Setup, Simulation, Surface, WatchedContact};

pub(crate) const G: f64 = 9.81;
/// The friction of [`pushed`].
pub(crate) const MU: f64 = 0.5;

/// A robot of these bodies.
pub(crate) fn model(bodies: &str) -> Arc<Model> {
    let text = format!(r#"<mujoco><compiler angle="radian"/><worldbody>{bodies}</worldbody></mujoco>"#);
    Arc::new(load::text(&text, "robot.xml".as_ref(), &Options::default()).unwrap())
}

/// A robot in its home position, at rest, over a floor at z = 0, without contacts.
pub(crate) fn setup(model: Arc<Model>) -> Setup {
    Setup {
        configuration: model.home().to_vec(),
        velocity: vec![0.0; model.nv()],
        surfaces: vec![Surface {
            name: "floor".into(),
            half_space: HalfSpace::new([0.0; 3], [0.0, 0.0, 1.0]).unwrap(),
        }],
        settings: Settings { interval: None, ..Settings::default() },
        ..Setup::new(model)
    }
}

/// A point of a link that can touch the floor; without friction along its normal alone.
pub(crate) fn contact(model: &Model, link: &str, place: [f64; 3], e: f64, friction: Option<f64>) -> WatchedContact {
    let point = ContactPoint::new(model, model.find_link(link).unwrap(), place, [0.0, 0.0, 1.0]).unwrap();
    let friction = friction.map(|mu| Friction::new(mu).unwrap());
    WatchedContact {
        name: link.into(),
        point,
        surface: 0,
        coefficients: Coefficients { restitution: Restitution::new(e).unwrap(), friction },
        enabled: None,
    }
}

/// 1 kg that moves along x and z and touches with its own centre: q and v are (x, z), and L is 1 m.
pub(crate) fn mass(joint: &str, e: f64) -> Setup {
    let model = model(&format!(
        r#"<body name="mass"><joint name="x" type="slide" axis="1 0 0"/>
        <joint name="z" type="slide" axis="0 0 1" {joint}/>
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>"#
    ));
    let mut setup = setup(Arc::clone(&model));
    setup.contacts.push(contact(&model, "mass", [0.0; 3], e, None));
    setup
}

/// A mass on the floor with friction in this mode, at this speed, pushed along the floor, after an attempt of one step
/// of this length.
pub(crate) fn pushed(
    mode: Mode,
    speed: f64,
    step: f64,
    push: impl Fn(f64) -> f64 + Send + Sync + 'static,
) -> Simulation {
    let mut setup = mass("", 0.0);
    setup.contacts[0].coefficients.friction = Some(Friction::new(MU).unwrap());
    setup.contacts[0].point = setup.contacts[0].point.with_dimension(2);
    setup.velocity[0] = speed;
    setup.actuators = vec![Actuator::law(move |t, _, _, forces| forces[0] += push(t))];
    let mut simulation = Simulation::new(setup).unwrap();
    simulation.audit().unwrap();
    simulation.system.contacts[0].mode = mode;
    simulation.system.adopt_modes();
    attempt(&mut simulation, step);
    simulation
}

pub(crate) fn weightless(mut setup: Setup) -> Setup {
    setup.model = Arc::new(Model::clone(&setup.model).with_gravity([0.0; 3]));
    setup
}

/// 1 kg, free, with its centre 1 m above the floor and a contact on its surface below: it touches, and slides at 2 m/s.
pub(crate) fn sphere() -> Setup {
    let model = model(
        r#"<body name="ball"><freejoint name="free"/>
        <inertial pos="0 0 0" mass="1" diaginertia="0.4 0.4 0.4"/></body>"#,
    );
    let link = model.find_link("ball").unwrap();
    let point = ContactPoint::ball(&model, link, [0.0; 3], 1.0, [0.0, 0.0, 1.0]).unwrap();
    let mut setup = setup(Arc::clone(&model));
    setup.contacts.push(WatchedContact { point, ..contact(&model, "ball", [0.0; 3], 0.0, Some(0.2)) });
    setup.configuration[2] = 1.0;
    setup.velocity[0] = 2.0;
    setup
}

/// An arm of 1 m that turns about y without gravity, at this angle from hanging down and with this spin, over a floor
/// at this height above its axis: its tip can touch.
pub(crate) fn arm(angle: f64, spin: f64, floor: f64) -> Setup {
    let model = model(
        r#"<body name="arm"><joint name="turn" type="hinge" axis="0 1 0"/>
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>"#,
    );
    let mut setup = weightless(setup(Arc::clone(&model)));
    setup.contacts.push(contact(&model, "arm", [0.0, 0.0, -1.0], 0.5, None));
    setup.surfaces[0].half_space = HalfSpace::new([0.0, 0.0, floor], [0.0, 0.0, 1.0]).unwrap();
    (setup.configuration[0], setup.velocity[0]) = (angle, spin);
    setup
}

pub(crate) fn value(polynomial: &[f64], at: f64) -> f64 {
    polynomial.iter().rev().fold(0.0, |sum, c| sum * at + c)
}

/// A simulation after an attempt of one step of this length from the start, with its dense output prepared; the state
/// is the initial one.
pub(crate) fn one_step(setup: Setup, step: f64) -> Simulation {
    let mut simulation = Simulation::new(setup).unwrap();
    simulation.audit().unwrap();
    attempt(&mut simulation, step);
    simulation
}

pub(crate) fn attempt(simulation: &mut Simulation, step: f64) {
    simulation.system.forget_trace();
    let Simulation { stepping, system, state, time, .. } = simulation;
    stepping.stepper.begin(system, *time, state).unwrap();
    stepping.stepper.attempt(system, step, &stepping.scale, 1.0).unwrap();
    stepping.stepper.prepare_dense(system).unwrap();
}

/// A mass whose height is this polynomial of degree seven or less in time, which one step of one second integrates
/// exactly.
pub(crate) fn across(height: &'static [f64]) -> Simulation {
    one_step(touches::lifted(height, 0.5), 1.0)
}

/// A mass that falls from 1 m.
pub(crate) fn ball() -> Setup {
    let mut setup = mass("", 0.8);
    setup.configuration[1] = 1.0;
    setup
}

fn run(setup: Setup) -> (Simulation, Recorder) {
    let until = setup.settings.until;
    let mut simulation = Simulation::new(setup).unwrap();
    let mut recorder = Recorder::new();
    simulation.run_until(until, &mut recorder).unwrap();
    (simulation, recorder)
}

#[track_caller]
pub(crate) fn assert_near(found: f64, wanted: f64, tolerance: f64) {
    assert!((found - wanted).abs() <= tolerance, "{found} is not {wanted}: off by {:e}", found - wanted);
}
