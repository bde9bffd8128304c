//! Where every link is at every sample: what a picture of a run needs.

use std::sync::Arc;

use carom_multibody::{Dynamics, DynamicsError, Link, LinkId, Model, Quaternion, Shape, Vector};

use crate::record::run::Record;

/// The bodies of a run and how they move.
#[derive(Debug, Clone)]
pub struct Motion {
    /// The links, the world first, a link after its parent.
    pub bodies: Vec<Body>,
    /// For each sample that was asked for, every body.
    pub poses: Vec<Vec<Pose>>,
}

/// A link as a picture sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Its name.
    pub name: String,
    /// Its shapes, placed in its frame.
    pub shapes: Vec<Shape>,
    /// Where it is hinged, in its frame.
    pub anchor: [f64; 3],
    /// Where others are hinged to it, and its named places, in its frame: lines from the anchor to these stand for a
    /// link without shapes.
    pub ends: Vec<[f64; 3]>,
    /// Whether it can move against the world.
    pub is_moving: bool,
}

/// Where a body is, and how it moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Its origin, in the world.
    pub position: [f64; 3],
    /// From its axes to the world's.
    pub rotation: Quaternion,
    /// Of its origin.
    pub velocity: [f64; 3],
}

impl Motion {
    /// The bodies at some of a run's samples, by their places.
    ///
    /// # Errors
    /// A sample that is no state of the model.
    pub fn of(record: &Record, samples: &[usize]) -> Result<Self, DynamicsError> {
        let model = &record.model;
        let mut dynamics = Dynamics::new(Arc::clone(model));
        let mut poses = Vec::with_capacity(samples.len());
        for sample in samples.iter().filter_map(|&i| record.samples.get(i)) {
            dynamics.set_state(&sample.configuration, &sample.velocity)?;
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
            // The hinge is the same point on both links while all coordinates are at their references.
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
