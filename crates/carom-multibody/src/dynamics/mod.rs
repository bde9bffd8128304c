//! The terms of a state: kinematics, M, h, A, W, energies.
//!
//! All vectors are in the world's axes. Twists, wrenches and inertias of a node are counted from its own origin, and
//! positions from the root of its branch: light links far from the base, and robots far from the world's
//! origin, lose no digits.
//!
//! | file | what it has |
//! |---|---|
//! | `kinematics` | placements, velocities, accelerations |
//! | `rnea` | inverse dynamics and h |
//! | `crba` | M |
//! | `factor` | M = Lᵀ D L |
//! | `chain_matrix` | how M and its factor are stored |
//! | `forward` | accelerations from forces |
//! | `articulated` | articulated inertias |
//! | `strand` | one contact along its chain |
//! | `response` | one contact, fast: W, and the answer to an impulse with what it is checked by |
//! | `whitened` | one contact by a factor of W |
//! | `contact` | where a contact is |
//! | `contact_terms` | A, W, drift and responses of several contacts and limits |
//! | `gaps` | how far what can touch is, and how fast it closes |
//! | `passive` | springs and damping of joints |
//! | `energy` | kinetic and potential energy |
//! | `terms` | what a state comes to at one contact, as data |
//! | `simd` | the passes once more, for processors with AVX2 |

mod articulated;
mod chain_matrix;
mod contact;
mod contact_terms;
mod crba;
mod energy;
mod factor;
mod forward;
mod gaps;
mod kinematics;
mod passive;
mod response;
mod rnea;
mod simd;
mod strand;
mod terms;
mod whitened;

use std::sync::Arc;

pub use terms::{ContactMotion, ContactTerms, EnergyChange, Struck};
pub use whitened::WhitenedTerms;

use crate::error::DynamicsError;
use crate::geometry::ContactPoint;
use crate::model::{Model, NO_NODE};
use crate::rows::Matrix;
use crate::spatial::{BodyInertia, Twist, Wrench};
use crate::{LinkId, Placement, Rotation, Vector};
use articulated::{Articulated, Size};
use chain_matrix::ChainMatrix;
use energy::TwistPair;

/// A state of a model and room for everything computed from it; after it is made nothing allocates.
///
/// Set a state, then ask: each method computes what it needs and keeps what others can use.
#[derive(Debug, Clone)]
pub struct Dynamics {
    model: Arc<Model>,
    configuration: Vec<f64>,
    velocity: Vec<f64>,
    ready: Ready,
    nodes: Vec<NodeState>,
    axes: Vec<AxisState>,
    // Of each velocity.
    mass_matrix: Matrix,
    /// M up to its diagonal.
    composed: ChainMatrix,
    /// D on the diagonal, L before it.
    factor: ChainMatrix,
    /// D^-½ of the factor.
    inverse_roots: Vec<f64>,
    vector: Vec<f64>,
    /// A D^-½ L⁻¹ of a contact, or Q of its whitened terms.
    contact_rows: [Vec<f64>; 3],
    /// Of each axis on the way to the contact at hand: which velocity, and what that gives the contact.
    contact_columns: Vec<(usize, Vector)>,
    // Of each node.
    twist_pairs: Vec<TwistPair>,
    /// The contact that `given` belongs to.
    strand: Option<ContactPoint>,
    /// The contact that `contact_rows` has Q of.
    whitened: Option<ContactPoint>,
    /// From the origin of the node that carries it to where it touches.
    strand_arm: Vector,
}

/// What is known of a node. One structure for all, because the passes that count use most of it at once.
#[derive(Debug, Clone, Copy)]
struct NodeState {
    rotation: Rotation,
    /// From the parent's origin, or the world's, to its own.
    offset: Vector,
    /// From its root's origin to its own.
    position: Vector,
    articulated: Articulated,
    size: Size,
    twist: Twist,
    acceleration: Twist,
    wrench: Wrench,
    /// Its own inertia, in the world's axes.
    own: BodyInertia,
    /// That of all that hangs there.
    body: BodyInertia,
}

impl NodeState {
    const ZERO: Self = Self {
        rotation: Rotation::IDENTITY,
        offset: Vector::ZERO,
        position: Vector::ZERO,
        articulated: Articulated::ZERO,
        size: Size::ZERO,
        twist: Twist::ZERO,
        acceleration: Twist::ZERO,
        wrench: Wrench::ZERO,
        own: BodyInertia::ZERO,
        body: BodyInertia::ZERO,
    };
}

/// What is known of an axis.
#[derive(Debug, Clone, Copy)]
struct AxisState {
    twist: Twist,
    /// Articulated inertia times axis.
    force: Wrench,
    /// The same, seen from the parent's origin; of single axes only.
    outer_force: Wrench,
    /// What it gives to unit impulses along the rows of the last contact.
    given: Vector,
    rate: f64,
    /// Inverse of the articulated inertia that it sees.
    compliance: f64,
    /// What it gives to the impulse or the forces at hand.
    load: f64,
}

impl AxisState {
    const ZERO: Self = Self {
        twist: Twist::ZERO,
        force: Wrench::ZERO,
        outer_force: Wrench::ZERO,
        given: Vector::ZERO,
        rate: 0.0,
        compliance: 0.0,
        load: 0.0,
    };
}

/// What has been computed for the present state.
#[derive(Debug, Clone, Copy, Default)]
struct Ready {
    twists: bool,
    /// The inertias of the nodes themselves.
    bodies: bool,
    /// Accelerations of the nodes where no joint accelerates and nothing falls.
    drifts: bool,
    articulated: bool,
    composed: bool,
    mass_matrix: bool,
    factor: bool,
}

impl Dynamics {
    /// Room for a model, in its home configuration and at rest.
    pub fn new(model: impl Into<Arc<Model>>) -> Self {
        let model = model.into();
        let (nodes, axes, freedoms) = (model.tree.nodes.len(), model.tree.axes, model.nv());
        let mut dynamics = Self {
            configuration: model.home().to_vec(),
            velocity: vec![0.0; freedoms],
            ready: Ready::default(),
            nodes: vec![NodeState::ZERO; nodes],
            axes: vec![AxisState::ZERO; axes],
            mass_matrix: Matrix::zeros(freedoms, freedoms),
            composed: ChainMatrix::zeros(&model.sparsity),
            factor: ChainMatrix::zeros(&model.sparsity),
            inverse_roots: vec![0.0; freedoms],
            vector: vec![0.0; freedoms],
            contact_rows: [(); 3].map(|()| vec![0.0; freedoms]),
            contact_columns: vec![(0, Vector::ZERO); axes],
            twist_pairs: vec![[Twist::ZERO; 2]; nodes],
            strand: None,
            whitened: None,
            strand_arm: Vector::ZERO,
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
        self.whitened = None;
        simd::place(self);
        Ok(())
    }

    /// Where a link is.
    ///
    /// # Panics
    /// A link of another model that has more of them.
    pub fn placement(&self, link: LinkId) -> Placement {
        let link = self.model.link(link);
        if link.node == NO_NODE {
            return link.on_node;
        }
        let root = self.model.tree.nodes[link.node].root;
        let node =
            Placement::new(self.nodes[link.node].rotation, self.nodes[link.node].position + self.nodes[root].offset);
        node * link.on_node
    }
}

fn check_length(field: &'static str, given: usize, expected: usize) -> Result<(), DynamicsError> {
    if given == expected { Ok(()) } else { Err(DynamicsError::Length { field, given, expected }) }
}

/// Checks a vector that a caller hands over.
fn check(field: &'static str, values: &[f64], expected: usize) -> Result<(), DynamicsError> {
    check_length(field, values.len(), expected)?;
    // Without a branch for each: nearly always all are.
    if values.iter().fold(true, |all, value| all & value.is_finite()) {
        return Ok(());
    }
    not_finite(field, values)
}

#[cold]
fn not_finite(field: &'static str, values: &[f64]) -> Result<(), DynamicsError> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(index) => Err(DynamicsError::NotFinite { field, index, value: values[index] }),
        None => Ok(()),
    }
}
