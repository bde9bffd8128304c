//! Closed loops of a scene, and states that close the loops of a robot.

use std::sync::Arc;

use carom_multibody::{
    BuildError, Closing, Dynamics, LinkId, Loop, LoopKind, Model, Placement, Vector, Warning, WarningKind,
};
use serde_json::{Map, Value};

use super::error::dynamics_error;
use super::state::Base;
use super::{keys, place};
use crate::document::value::{check_keys, missing, named, object, required, text, triple, wrong_type};
use crate::document::{Kind, ProblemError};

type Result<T> = std::result::Result<T, ProblemError>;

/// The largest gap due to rounding, relative to the loops' length; a larger one is reported.
const TOLD: f64 = 1e-10;

/// Largest gap of the home configuration, relative to the loops' length, with which it belongs to a branch of closed configurations.
const HOME: f64 = 1e-6;

/// Length of a step from home, rad or m: short compared with the angles at which branches meet.
const STRIDE: f64 = 0.05;

/// Largest number of steps from home.
const MOST_STEPS: f64 = 1000.0;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Holding {
    Connect,
    Hinge,
    Weld,
}

/// The model with the loops that the scene states.
pub(super) fn add(model: Arc<Model>, map: &Map<String, Value>) -> Result<Arc<Model>> {
    let list = match map.get("loops") {
        None => return Ok(model),
        Some(Value::Array(list)) => list,
        Some(other) => return Err(wrong_type(other, "loops", "a list of loops")),
    };
    let home = Dynamics::new(Arc::clone(&model));
    let mut looped = Model::clone(&model);
    for (i, value) in list.iter().enumerate() {
        let path = format!("loops[{i}]");
        let one = read(value, &path, &home)?;
        looped = looped.with_loops([one]).map_err(|error| {
            let field = if matches!(error, BuildError::DuplicateName { .. }) { format!("{path}.name") } else { path };
            ProblemError::at(Kind::Conflict, field, error.to_string())
        })?;
    }
    Ok(Arc::new(looped))
}

fn read(value: &Value, path: &str, home: &Dynamics) -> Result<Loop> {
    let map = object(value, path)?;
    check_keys(map, path, keys::LOOP.names)?;
    let name = text(required(map, path, "name")?, &format!("{path}.name"))?.to_owned();
    required(map, path, "kind")?;
    let kinds = [Holding::Connect, Holding::Hinge, Holding::Weld];
    let kind = named(map, path, "kind", &kinds, |kind| match kind {
        Holding::Connect => "connect",
        Holding::Hinge => "hinge",
        Holding::Weld => "weld",
    })?;
    let first = end(required(map, path, "first")?, &format!("{path}.first"), home.model(), kind)?;
    let second = match map.get("second") {
        Some(value) => end(value, &format!("{path}.second"), home.model(), kind)?,
        None => {
            // The world, at the pose of the first end in the home configuration.
            let placed = home.placement(first.link);
            End {
                link: LinkId::WORLD,
                frame: placed * first.frame,
                axis: first.axis.map(|axis| placed.rotation.apply(axis)),
            }
        }
    };
    let links = [first.link, second.link];
    let points = [first.frame.translation, second.frame.translation];
    let kind = match (kind, first.axis, second.axis) {
        (Holding::Connect, ..) => LoopKind::Connect { links, points },
        (Holding::Weld, ..) => LoopKind::Weld { links, frames: [first.frame, second.frame] },
        (Holding::Hinge, Some(one), Some(other)) => LoopKind::Hinge { links, points, axes: [one, other] },
        (Holding::Hinge, one, _) => {
            let side = if one.is_none() { "first" } else { "second" };
            return Err(missing(&format!("{path}.{side}.axis"), "a hinge needs an axis"));
        }
    };
    Ok(Loop { name, kind })
}

/// One end of a loop: a frame on a link, and an axis of the link.
struct End {
    link: LinkId,
    frame: Placement,
    axis: Option<Vector>,
}

fn end(value: &Value, path: &str, model: &Model, kind: Holding) -> Result<End> {
    let map = object(value, path)?;
    check_keys(map, path, keys::LOOP_END.names)?;
    let (_, link, frame) = place::read(model, map, path, "a loop")?;
    let point = map.get("point").map(|value| triple(value, &format!("{path}.point"))).transpose()?;
    let axis = map.get("axis").map(|value| triple(value, &format!("{path}.axis"))).transpose()?;
    if axis.is_some() && kind != Holding::Hinge {
        let message = format!("{path}.axis is only for loops of kind = \"hinge\"");
        return Err(ProblemError::at(Kind::Conflict, format!("{path}.axis"), message));
    }
    Ok(End {
        link,
        frame: frame * Placement::at(point.unwrap_or_default()),
        axis: axis.map(|axis| frame.rotation.apply(Vector::from(axis))),
    })
}

/// Closes the loops of a state: the joints that the scene states are held, and the others move as little as possible. Returns a
/// warning if a gap remains because the robot's file gives too few digits.
pub(super) fn close(
    model: &Arc<Model>,
    base: &Base,
    root: Option<usize>,
    state: Option<&Value>,
    configuration: &mut [f64],
    velocity: &mut [f64],
) -> Result<Option<Warning>> {
    if model.loops().is_empty() {
        return Ok(None);
    }
    let is_placed = base.position.is_some() || base.rotation.is_some();
    let moves = base.velocity.is_some() || base.angular_velocity.is_some();
    let stated = |key: &str, with_base: bool| {
        let given = state.and_then(|state| state.get(key));
        let mut held = vec![given.is_some_and(Value::is_array); model.nv()];
        for (index, joint) in model.joints().iter().enumerate().filter(|(_, joint)| joint.joint.mimic.is_none()) {
            let by_name = given.is_some_and(|given| given.get(&joint.joint.name).is_some());
            if by_name || (with_base && root == Some(index)) {
                held[joint.velocities.clone()].fill(true);
            }
        }
        held
    };
    let (held, held_rates) = (stated("configuration", is_placed), stated("velocity", moves));
    hold(model, &held, &held_rates, configuration, velocity)
}

/// Whether the loops determine all joints that are not held. Only then are the solutions separate branches to choose from;
/// otherwise the solution nearest to home is wanted, and following home in small steps would lead to another one.
fn is_determined(dynamics: &mut Dynamics, held: &[bool]) -> bool {
    let (rows, _) = dynamics.loop_rows();
    let row = |i: usize| rows.row(i).iter().zip(held).map(|(entry, held)| if *held { 0.0 } else { *entry }).collect();
    let mut rest: Vec<Vec<f64>> = (0..rows.rows()).map(row).collect();
    let moves = |v: usize| rest.iter().any(|row: &Vec<f64>| row[v] != 0.0);
    let free = (0..held.len()).filter(|&v| moves(v)).count();
    let largest = |rest: &[Vec<f64>]| {
        let entries =
            rest.iter().enumerate().flat_map(|(i, row)| row.iter().enumerate().map(move |(v, x)| (i, v, x.abs())));
        entries.max_by(|a, b| a.2.total_cmp(&b.2)).filter(|entry| entry.2 > 0.0)
    };
    let size = largest(&rest).map_or(0.0, |entry| entry.2);
    let mut rank = 0;
    while let Some((i, v, _)) = largest(&rest).filter(|entry| entry.2 > HOME * size) {
        let pivot = rest.swap_remove(i);
        for row in &mut rest {
            let factor = row[v] / pivot[v];
            row.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= factor * p);
            row[v] = 0.0;
        }
        rank += 1;
    }
    rank == free
}

/// A nearly closed configuration on the branch of the home configuration, reached from there by moving the held joints
/// to their stated values in small steps, since several configurations may close a loop. `None` if home is open or the
/// path is blocked.
fn walk(dynamics: &mut Dynamics, held: &[bool], configuration: &[f64]) -> Option<Vec<f64>> {
    let model = Arc::clone(dynamics.model());
    let rest = vec![0.0; model.nv()];
    let mut way = rest.clone();
    model.difference(model.home(), configuration, &mut way).ok()?;
    let part = |of: bool, by: f64| -> Vec<f64> {
        way.iter().zip(held).map(|(way, held)| if *held == of { by * way } else { 0.0 }).collect()
    };
    let mut place = configuration.to_vec();
    model.integrate(model.home(), &part(false, 1.0), 1.0, &mut place).ok()?;
    dynamics.set_state(&place, &rest).ok()?;
    if dynamics.loop_miss()?.1 > HOME || !is_determined(dynamics, held) {
        return None;
    }
    let farthest = part(true, 1.0).into_iter().fold(0.0_f64, |most, way| most.max(way.abs()));
    let steps = (farthest / STRIDE).ceil().clamp(1.0, MOST_STEPS);
    let step = part(true, 1.0 / steps);
    for _ in 0..steps as usize {
        let mut next = place.clone();
        model.integrate(&place, &step, 1.0, &mut next).ok()?;
        dynamics.set_state(&next, &rest).ok()?;
        dynamics.close_loops(held, &vec![false; held.len()]).ok()?;
        place.copy_from_slice(dynamics.configuration());
    }
    // Stated values are kept to the last digit.
    for joint in model.joints().iter().filter(|joint| joint.joint.mimic.is_none()) {
        if joint.velocities.clone().all(|v| held[v]) {
            place[joint.coordinates.clone()].copy_from_slice(&configuration[joint.coordinates.clone()]);
        }
    }
    Some(place)
}

/// [`close`] with the held joints, by velocity.
pub(super) fn hold(
    model: &Arc<Model>,
    held: &[bool],
    held_rates: &[bool],
    configuration: &mut [f64],
    velocity: &mut [f64],
) -> Result<Option<Warning>> {
    let mut dynamics = Dynamics::new(Arc::clone(model));
    if let Some(near) = walk(&mut dynamics, held, configuration) {
        configuration.copy_from_slice(&near);
    }
    dynamics.set_state(configuration, velocity).map_err(dynamics_error)?;
    let closing = dynamics.close_loops(held, held_rates).map_err(dynamics_error)?;
    configuration.copy_from_slice(dynamics.configuration());
    velocity.copy_from_slice(dynamics.velocity());
    Ok(closing.filter(|Closing { gap, .. }| *gap > TOLD).map(|Closing { index, gap, .. }| {
        let name = &model.loops()[index].name;
        let message = format!("loop {name:?} is left open by {gap:.1e} of the loops' length (or rad), which the file's digits cannot close");
        Warning::new(WarningKind::LoopGap, name, message)
    }))
}
