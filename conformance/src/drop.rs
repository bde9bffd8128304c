//! A robot that falls onto a floor: whether its run ends, and its cost.

use std::sync::Arc;

use carom::sim::{Discard, Settings, Setup, Simulation, SimulationError, Stop, Surface, WatchedContact};
use carom_law::{Coefficients, Friction, Restitution};
use carom_multibody::{ContactPoint, Dynamics, HalfSpace, JointKind, LinkId, Model, Rotation};
use serde_json::{Value, json};

use crate::request::{number, numbers};

/// Restitution and friction of all contacts.
const RESTITUTION: f64 = 0.2;
const FRICTION: f64 = 0.6;
/// Number of windows after which a run counts as hanging, since windows take no evaluations.
const MOST_WINDOWS: u64 = 10_000;

/// A robot with a floating base falls, from its home configuration turned by `rpy`, onto a level floor `height` below its
/// lowest contact, and is simulated `until` that time, with at most `evaluations` evaluations. Its contacts are the
/// origins of the leaf links. The answer contains the stiffest joint, and the number of evaluations that it alone
/// requires.
pub(crate) fn of(model: Model, drop: &Value) -> Result<Value, String> {
    let rpy: [f64; 3] = numbers(drop, "rpy")?.try_into().map_err(|_| "rpy needs 3 numbers")?;
    let (height, until) = (number(drop, "height")?, number(drop, "until")?);
    let most = number(drop, "evaluations")? as u64;
    let setup = setup(model, rpy, height, until)?;
    let contacts = setup.contacts.len();
    let mut simulation = match Simulation::new(setup) {
        Ok(simulation) => simulation,
        Err(SimulationError::Dynamics { source, .. }) => return Ok(json!({ "singular": source.to_string() })),
        Err(error) => return Err(error.to_string()),
    };
    let reason = loop {
        match simulation.step(&mut Discard) {
            Ok(Stop::Time) => break None,
            Ok(Stop::Interrupted | Stop::OutOfTime) => break Some("it was ended".to_owned()),
            Ok(Stop::Step | Stop::Event) => {}
            Err(error) => break Some(error.to_string()),
        }
        let summary = simulation.summary();
        if summary.evaluations > most || summary.windows > MOST_WINDOWS {
            break Some(format!("at t = {:.3} s after {} evaluations", summary.time, summary.evaluations));
        }
    };
    let summary = simulation.summary();
    let stiffest = simulation.stiffest_joint().map(|stiffest| {
        json!({ "joint": stiffest.joint, "rate": stiffest.rate, "evaluations": stiffest.evaluations(until) })
    });
    Ok(json!({
        "ended": reason.is_none(),
        "reason": reason,
        "stiffest": stiffest,
        "contacts": contacts,
        "time": summary.time,
        "length": simulation.header().length,
        "evaluations": summary.evaluations,
        "impacts": summary.impacts,
        "windows": summary.windows,
        "residual": summary.residual,
        "penetration": summary.penetration,
    }))
}

fn setup(model: Model, rpy: [f64; 3], height: f64, until: f64) -> Result<Setup, String> {
    let model = Arc::new(model);
    let carries = |link: LinkId| model.links().iter().any(|other| other.parent == Some(link));
    let links = (0..model.links().len()).map(LinkId::from_index);
    let leaves: Vec<LinkId> = links.filter(|&link| model.is_moving(link) && !carries(link)).collect();
    let restitution = Restitution::new(RESTITUTION).map_err(|error| error.to_string())?;
    let friction = Some(Friction::new(FRICTION).map_err(|error| error.to_string())?);
    let contact = |link: LinkId| {
        let point = ContactPoint::new(&model, link, [0.0; 3], [0.0, 0.0, 1.0]).map_err(|error| error.to_string())?;
        let name = model.link(link).name.clone();
        let coefficients = Coefficients { restitution, friction };
        Ok(WatchedContact { name, point, surface: 0, coefficients, enabled: None })
    };
    let contacts = leaves.into_iter().map(contact).collect::<Result<Vec<_>, String>>()?;
    let base = model.joints().iter().find(|joint| joint.joint.kind == JointKind::Floating);
    let base = base.ok_or("a drop needs a floating base")?.coordinates.start;
    let mut configuration = model.home().to_vec();
    let turned = Rotation::from_rpy(rpy).to_quaternion();
    configuration[base + 3..base + 7].copy_from_slice(&turned.to_array());
    let mut dynamics = Dynamics::new(Arc::clone(&model));
    let velocity = vec![0.0; model.nv()];
    dynamics.set_state(&configuration, &velocity).map_err(|error| error.to_string())?;
    let heights = contacts.iter().map(|contact| dynamics.contact_position(&contact.point).to_array()[2]);
    let lowest = heights.reduce(f64::min).ok_or("the robot has no leaf link")?;
    configuration[base + 2] += height - lowest;
    let half_space = HalfSpace::new([0.0; 3], [0.0, 0.0, 1.0]).map_err(|error| error.to_string())?;
    Ok(Setup {
        configuration,
        velocity,
        surfaces: vec![Surface { name: "floor".into(), half_space }],
        contacts,
        settings: Settings { until, interval: None, ..Settings::default() },
        ..Setup::new(model)
    })
}
