//! Poses of all links at samples, for drawing a run.

use std::sync::Arc;

use carom_multibody::{Dynamics, DynamicsError, Link, LinkId, Model, Quaternion, Shape, Vector};

use crate::record::run::Record;

/// The bodies of a run and their poses.
#[derive(Debug, Clone)]
pub struct Motion {
    /// The links: the world first, each link after its parent.
    pub bodies: Vec<Body>,
    /// Poses of all bodies, for each requested sample.
    pub poses: Vec<Vec<Pose>>,
}

/// A link as it is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Its name.
    pub name: String,
    /// Its shapes, placed in its frame.
    pub shapes: Vec<Shape>,
    /// Origin of its joint, in its frame.
    pub anchor: [f64; 3],
    /// Origins of its children's joints and its named frames, in its frame: a link without shapes is drawn as lines
    /// from the anchor to these.
    pub ends: Vec<[f64; 3]>,
    /// Whether it can move relative to the world.
    pub is_moving: bool,
}

/// Pose and velocity of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Its origin, in the world frame.
    pub position: [f64; 3],
    /// Rotation from its axes to the world's.
    pub rotation: Quaternion,
    /// Velocity of its origin.
    pub velocity: [f64; 3],
}

impl Motion {
    /// The bodies at the given samples of a run, by index.
    ///
    /// # Errors
    /// A sample is not a valid state of the model.
    pub fn of(record: &Record, samples: &[usize]) -> Result<Self, DynamicsError> {
        let samples = samples.iter().filter_map(|&i| record.samples.get(i));
        Self::of_states(&record.model, samples.map(|sample| (&sample.configuration[..], &sample.velocity[..])))
    }

    /// The bodies of a robot in the given states, each q and v.
    ///
    /// # Errors
    /// A state is not valid for the model.
    pub fn of_states<'a>(
        model: &Arc<Model>,
        states: impl IntoIterator<Item = (&'a [f64], &'a [f64])>,
    ) -> Result<Self, DynamicsError> {
        let mut dynamics = Dynamics::new(Arc::clone(model));
        let mut poses = Vec::new();
        for (configuration, velocity) in states {
            dynamics.set_state(configuration, velocity)?;
            poses.push((0..model.links().len()).map(|i| pose(&mut dynamics, LinkId::from_index(i))).collect());
        }
        Ok(Self { bodies: bodies(model), poses })
    }
}

fn pose(dynamics: &mut Dynamics, link: LinkId) -> Pose {
    let placement = dynamics.placement(link);
    let (velocity, _) = dynamics.point_velocity(link, Vector::ZERO);
    Pose {
        position: placement.translation.to_array(),
        rotation: placement.rotation.to_quaternion(),
        velocity: velocity.to_array(),
    }
}

fn bodies(model: &Model) -> Vec<Body> {
    let anchor =
        |link: &Link| model.joints()[link.joints.clone()].last().map_or(Vector::ZERO, |joint| joint.joint.anchor);
    let mut bodies: Vec<Body> = Vec::with_capacity(model.links().len());
    for (i, link) in model.links().iter().enumerate() {
        if let Some(parent) = link.parent.filter(|parent| *parent != LinkId::WORLD) {
            // In the reference configuration the joint's origin is the same point on both links.
            bodies[parent.index()].ends.push(link.placement.apply(anchor(link)).to_array());
        }
        bodies.push(Body {
            name: link.name.clone(),
            shapes: link.shapes.clone(),
            anchor: anchor(link).to_array(),
            ends: Vec::new(),
            is_moving: model.is_moving(LinkId::from_index(i)),
        });
    }
    for frame in model.frames() {
        bodies[frame.link.index()].ends.push(frame.placement.translation.to_array());
    }
    bodies
}
