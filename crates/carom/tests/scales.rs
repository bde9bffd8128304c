//! What is large and small for a robot: its own size, whatever touches where.

use std::sync::Arc;

use carom::Problem;
use carom::document::{Document, Format};
use carom::law::{Coefficients, Friction, Restitution};
use carom::multibody::load::{self, Options};
use carom::multibody::{ContactPoint, HalfSpace};
use carom::sim::{Discard, Settings, Setup, Simulation, SimulationError, Surface, WatchedContact};

fn setup(scene: &str) -> Setup {
    let tree = Document::read(scene, Format::Toml).unwrap().tree().clone();
    Problem::from_tree(&tree).unwrap().setup().unwrap()
}

/// A quadruped that touches with the origins of two of its feet, where their centres of mass are.
const FEET: &str = r#"
    restitution = 0.2
    friction = 0.6
    contacts = [{ link = "front_left_foot" }, { link = "rear_right_foot" }]
    [model]
    builtin = "quadruped"
    [base]
    floating = true
    position = [0, 0, 2]
    rpy = [0.1, 0.2, 0]
    [surface]
    normal = [0, 0, 1]
"#;

/// Measured from the foot's own centre of mass the length was 2e-16 m, and the first step fell below all bounds.
#[test]
fn a_contact_at_the_centre_of_mass_of_its_link_does_not_stall() {
    let mut simulation = Simulation::new(setup(FEET)).unwrap();
    assert!((0.2..1.0).contains(&simulation.header().length), "{}", simulation.header().length);
    simulation.run_until(0.001, &mut Discard).unwrap();
    assert!(simulation.summary().evaluations < 100, "{}", simulation.summary().evaluations);
}

/// L is that of the robot: neither its place nor that of a surface far below enters.
#[test]
fn a_far_surface_makes_no_robot_large() {
    let near = Simulation::new(setup(FEET)).unwrap().header().length;
    let far = FEET.replace("position = [0, 0, 2]", "position = [0, 0, 2000]");
    let far = Simulation::new(setup(&far)).unwrap().header().length;
    assert!((far - near).abs() < 1e-9 * near, "{far} and {near}");
}

/// Bodies that share nothing but the floor, each a lump of so many metres at three times its size above the floor, with a
/// contact at a place on it.
fn bodies(list: &[(&str, f64, [f64; 3])]) -> Setup {
    let body = |&(name, size, _): &(&str, f64, [f64; 3])| {
        format!(
            r#"<body name="{name}"><joint name="{name} z" type="slide" axis="0 0 1"/>
            <joint name="{name} turn" type="hinge" axis="0 1 0" pos="0.1 0 0"/>
            <inertial pos="0.1 0 0" mass="{mass}" diaginertia="{i} {i} {i}"/></body>"#,
            mass = size.powi(3),
            i = size.powi(5),
        )
    };
    let text: String = list.iter().map(body).collect();
    let text = format!(r#"<mujoco model="bodies"><worldbody>{text}</worldbody></mujoco>"#);
    let model = Arc::new(load::text(&text, "bodies.xml".as_ref(), &Options::default()).unwrap());
    let friction = Some(Friction::new(0.3).unwrap());
    let coefficients = Coefficients { restitution: Restitution::new(0.5).unwrap(), friction };
    let contact = |&(name, _, place): &(&str, f64, [f64; 3])| WatchedContact {
        name: name.into(),
        point: ContactPoint::new(&model, model.find_link(name).unwrap(), place, [0.0, 0.0, 1.0]).unwrap(),
        surface: 0,
        coefficients,
        enabled: None,
    };
    let half_space = HalfSpace::new([0.0; 3], [0.0, 0.0, 1.0]).unwrap();
    Setup {
        configuration: list.iter().flat_map(|(_, size, _)| [3.0 * size, 0.0]).collect(),
        velocity: vec![0.0; 2 * list.len()],
        surfaces: vec![Surface { name: "floor".into(), half_space }],
        contacts: list.iter().map(contact).collect(),
        settings: Settings { interval: None, ..Settings::default() },
        ..Setup::new(model)
    }
}

/// A contact at the centre of mass of the only link: a length of rounding is none.
#[test]
fn a_length_of_rounding_is_none() {
    let mut simulation = Simulation::new(bodies(&[("lump", 0.1, [0.1 + 2e-17, 0.0, 1e-17])])).unwrap();
    assert_eq!(simulation.header().length, 1.0);
    simulation.run_until(1.0, &mut Discard).unwrap();
    assert!(simulation.summary().evaluations < 2000, "{}", simulation.summary().evaluations);
}

/// A small body has the bounds of its own size beside a large one: a thousandth of itself inside the floor is deep, though
/// less than nothing for the other.
#[test]
fn a_large_neighbour_does_not_coarsen_a_small_tree() {
    let (small, large) = (("small", 1e-6, [0.1, 0.0, -1e-6]), ("large", 10.0, [0.1, 0.0, -10.0]));
    for list in [&[small][..], &[small, large]] {
        let mut setup = bodies(list);
        setup.configuration[0] = 0.999e-6;
        match Simulation::new(setup).map(|_| ()) {
            Err(SimulationError::StartsInside { contact, bound, .. }) => {
                assert_eq!(contact, "small");
                assert!((bound - 1e-13).abs() < 1e-20, "{bound}");
            }
            other => panic!("{other:?}"),
        }
    }
}

/// A light finger with a strong damper takes steps as short as the damper acts. The run said nothing of it, and the step that
/// became too small was blamed on a force law that jumps.
#[test]
fn a_stiff_joint_is_named() {
    let finger = |damping: f64| {
        let text = format!(
            r#"<mujoco model="hand"><worldbody><body name="palm"><freejoint name="base"/>
            <inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/>
            <body name="finger" pos="0.1 0 0"><joint name="knuckle" type="hinge" axis="0 1 0" damping="{damping}"/>
            <inertial pos="0 0 0" mass="0.01" diaginertia="1e-6 1e-6 1e-6"/></body>
            </body></worldbody></mujoco>"#
        );
        let mut setup = bodies(&[]);
        setup.model = Arc::new(load::text(&text, "hand.xml".as_ref(), &Options::default()).unwrap());
        setup.configuration = setup.model.home().to_vec();
        setup.velocity = vec![1.0; setup.model.nv()];
        setup.settings.until = 1.0;
        setup
    };
    let simulation = Simulation::new(finger(1.0)).unwrap();
    let stiffest = simulation.stiffest_joint().unwrap();
    assert_eq!(stiffest.joint, "knuckle");
    // d / J, the palm's own moment being ten thousand times as large.
    assert!((stiffest.rate - 1e6).abs() < 1e3, "{}", stiffest.rate);
    assert!(
        simulation.header().warnings.iter().any(|warning| warning.contains("stiff") && warning.contains("knuckle"))
    );
    // What it is expected to cost is what it costs.
    let mut simulation = Simulation::new(finger(0.01)).unwrap();
    let expected = simulation.stiffest_joint().unwrap().evaluations(1.0);
    simulation.run_until(1.0, &mut Discard).unwrap();
    let ratio = simulation.summary().evaluations as f64 / expected;
    assert!((0.5..2.0).contains(&ratio), "{ratio}");
    assert!(simulation.header().warnings.iter().all(|warning| !warning.contains("stiff")));
    match Simulation::new(finger(1e12)).unwrap().run_until(1.0, &mut Discard) {
        Err(error @ SimulationError::Stalled { .. }) => assert!(error.to_string().contains("knuckle"), "{error}"),
        other => panic!("{other:?}"),
    }
}
