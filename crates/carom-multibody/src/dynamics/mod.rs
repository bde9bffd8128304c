//! The terms of a state: kinematics, M, h, A, W, energies.
//!
//! All vectors are in the world's axes. Twists, wrenches and inertias of a node are counted from its own origin, and
//! positions from the root of its branch: light links far from the base, and robots far from the world's
//! origin, lose no digits.

mod articulated;
mod contact;
mod crba;
mod energy;
mod error;
mod factor;
mod forward;
mod kinematics;
mod matrix;
mod response;
mod rnea;
mod simd;
mod strand;

use std::sync::Arc;

pub use contact::{ContactPoint, Contacts, contact_basis};
pub use error::{DynamicsError, UNIT_TOLERANCE};
pub use matrix::Matrix;
pub use response::ContactTerms;

use crate::model::{Model, NO_NODE};
use crate::spatial::{BodyInertia, Twist, Wrench};
use crate::{LinkId, Placement, Rotation, Vector};
use articulated::{Articulated, Size};

/// A state of a model and room for everything computed from it; after it is made nothing allocates.
///
/// Set a state, then ask: each method computes what it needs and keeps what others can use.
#[derive(Debug, Clone)]
pub struct Dynamics {
    model: Arc<Model>,
    configuration: Vec<f64>,
    velocity: Vec<f64>,
    ready: Ready,
    // Of each node.
    rotations: Vec<Rotation>,
    /// From the parent's origin to its own.
    offsets: Vec<Vector>,
    /// From its root's origin to its own.
    positions: Vec<Vector>,
    /// Of each node that hangs on the world: its origin.
    origins: Vec<Vector>,
    twists: Vec<Twist>,
    bodies: Vec<BodyInertia>,
    wrenches: Vec<Wrench>,
    accelerations: Vec<Twist>,
    articulated: Vec<Articulated>,
    sizes: Vec<Size>,
    // Of each axis.
    axes: Vec<Twist>,
    rates: Vec<f64>,
    /// Articulated inertia times axis.
    forces: Vec<Wrench>,
    /// The same, seen from the parent's origin; of single axes only.
    outer_forces: Vec<Wrench>,
    /// Inverse of the articulated inertia that the axis sees.
    compliances: Vec<f64>,
    loads: Vec<f64>,
    /// What each axis gives to unit impulses along the rows of a contact.
    given: Vec<Vector>,
    // Of each velocity.
    mass_matrix: Matrix,
    factor: Matrix,
    vector: Vec<f64>,
    contact_rows: [Vec<f64>; 3],
    /// The contact that `given` belongs to.
    strand: Option<ContactPoint>,
}

/// What has been computed for the present state.
#[derive(Debug, Clone, Copy, Default)]
struct Ready {
    twists: bool,
    articulated: bool,
    mass_matrix: bool,
    factor: bool,
}

impl Dynamics {
    /// Room for a model, in its home configuration and at rest.
    pub fn new(model: impl Into<Arc<Model>>) -> Self {
        let model = model.into();
        let (nodes, axes, freedoms) = (model.tree.nodes.len(), model.tree.axes, model.freedoms());
        let mut dynamics = Self {
            configuration: model.home().to_vec(),
            velocity: vec![0.0; freedoms],
            ready: Ready::default(),
            rotations: vec![Rotation::IDENTITY; nodes],
            offsets: vec![Vector::ZERO; nodes],
            positions: vec![Vector::ZERO; nodes],
            origins: vec![Vector::ZERO; nodes],
            twists: vec![Twist::ZERO; nodes],
            bodies: vec![BodyInertia::ZERO; nodes],
            wrenches: vec![Wrench::ZERO; nodes],
            accelerations: vec![Twist::ZERO; nodes],
            articulated: vec![Articulated::ZERO; nodes],
            sizes: vec![Size::ZERO; nodes],
            axes: vec![Twist::ZERO; axes],
            rates: vec![0.0; axes],
            forces: vec![Wrench::ZERO; axes],
            outer_forces: vec![Wrench::ZERO; axes],
            compliances: vec![0.0; axes],
            loads: vec![0.0; axes],
            given: vec![Vector::ZERO; axes],
            mass_matrix: Matrix::zeros(freedoms, freedoms),
            factor: Matrix::zeros(freedoms, freedoms),
            vector: vec![0.0; freedoms],
            contact_rows: [(); 3].map(|()| vec![0.0; freedoms]),
            strand: None,
            model,
        };
        dynamics.place();
        dynamics
    }

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The configuration q that was set.
    pub fn configuration(&self) -> &[f64] {
        &self.configuration
    }

    /// The velocity that was set.
    pub fn velocity(&self) -> &[f64] {
        &self.velocity
    }

    /// Takes a configuration and a velocity, and places every link.
    ///
    /// # Errors
    /// Wrong lengths, numbers that are not finite, quaternions that are not of length one. The state is then
    /// as it was.
    pub fn set_state(&mut self, configuration: &[f64], velocity: &[f64]) -> Result<(), DynamicsError> {
        if !self.model.is_state(configuration, velocity) {
            return Err(self.model.state_fault(configuration, velocity));
        }
        self.configuration.copy_from_slice(configuration);
        self.velocity.copy_from_slice(velocity);
        self.ready = Ready::default();
        self.strand = None;
        simd::place(self);
        Ok(())
    }

    /// Where a link is.
    pub fn placement(&self, link: LinkId) -> Placement {
        let link = self.model.link(link);
        if link.node == NO_NODE {
            return link.on_node;
        }
        let root = self.model.tree.nodes[link.node].root;
        let node = Placement::new(self.rotations[link.node], self.positions[link.node] + self.origins[root]);
        node * link.on_node
    }
}

/// Checks a vector that a caller hands over.
fn check(field: &'static str, values: &[f64], expected: usize) -> Result<(), DynamicsError> {
    if values.len() != expected {
        return Err(DynamicsError::Length { field, given: values.len(), expected });
    }
    match values.iter().position(|value| !value.is_finite()) {
        Some(index) => Err(DynamicsError::NotFinite { field, index, value: values[index] }),
        None => Ok(()),
    }
}
