//! The quantities of a state: kinematics, M, h, A, W, energies.
//!
//! All vectors are in world axes. Twists, wrenches and inertias of a node are about its own origin, and
//! positions relative to the root of its branch, so that light links far from the base, and robots far from the world's
//! origin, lose no precision.
//!
//! | file | contents |
//! |---|---|
//! | `kinematics` | placements, velocities, accelerations |
//! | `rnea` | inverse dynamics and h |
//! | `crba` | M |
//! | `factor` | M = Lᵀ D L |
//! | `chain_matrix` | how M and its factor are stored |
//! | `forward` | accelerations from forces |
//! | `articulated` | articulated inertias |
//! | `strand` | one contact along its chain |
//! | `response` | one contact in linear time: W, the response to an impulse, and the quantities it is checked with |
//! | `whitened` | one contact with a factor of W |
//! | `contact` | the position of a contact |
//! | `contact_terms` | A, W, drift and responses of several contacts, limits and meetings |
//! | `loops` | closed loops: rows, projection, impulses |
//! | `closing` | states that close the loops |
//! | `orthogonal` | an orthonormal basis of rows |
//! | `meeting` | A, A v and drift of two links at one place |
//! | `gaps` | gaps of candidates and their rates |
//! | `pairs` | closest points of two shapes, and the place at which their links meet |
//! | `passive` | springs and damping of joints |
//! | `energy` | kinetic and potential energy |
//! | `terms` | the terms of one contact, as data |
//! | `simd` | the passes compiled for processors with AVX2 |

mod articulated;
mod chain_matrix;
mod closing;
mod contact;
mod contact_terms;
mod crba;
mod energy;
mod factor;
mod forward;
mod gaps;
mod kinematics;
mod loops;
mod meeting;
mod orthogonal;
mod pairs;
mod passive;
mod response;
mod rnea;
mod simd;
mod strand;
mod terms;
mod whitened;

use std::sync::Arc;

pub use closing::Closing;
pub use loops::LoopImpulse;
pub use pairs::{BodyPair, PairAxes, PairSide};
pub use terms::{ContactMotion, ContactTerms, EnergyChange, ImpulseEffect};
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

/// A state of a model and preallocated workspace for everything computed from it.
///
/// After [`set_state`](Self::set_state), each method computes what it needs and keeps what others can reuse.
///
/// ```
/// use carom_multibody::{Dynamics, Inertia, Joint, JointKind, LinkId, LinkSpec, ModelBuilder, Placement};
///
/// // A ball of 1 kg on a massless arm of 1 m: M = 1 + 2/5 · 0.1² about the hinge.
/// let mut builder = ModelBuilder::new("pendulum");
/// let hinge = Joint::new("hinge", JointKind::Revolute).along([0.0, 1.0, 0.0]);
/// let ball = Inertia::ball(1.0, 0.1).placed(&Placement::at([0.0, 0.0, -1.0]));
/// builder.link(LinkId::WORLD, LinkSpec::new("arm").joint(hinge).inertia(ball))?;
///
/// let mut dynamics = Dynamics::new(builder.build()?);
/// dynamics.set_state(&[0.3], &[2.0])?;
/// assert!((dynamics.mass_matrix()[(0, 0)] - 1.004).abs() < 1e-12);
/// assert!((dynamics.kinetic_energy() - 2.008).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Dynamics {
    model: Arc<Model>,
    configuration: Vec<f64>,
    velocity: Vec<f64>,
    ready: Ready,
    nodes: Vec<NodeState>,
    axes: Vec<AxisState>,
    // One entry per velocity.
    mass_matrix: Matrix,
    /// The lower triangle of M.
    composed: ChainMatrix,
    /// The factor of M: D on the diagonal, L below it.
    factor: ChainMatrix,
    /// D^-½ of the factor.
    inverse_roots: Vec<f64>,
    vector: Vec<f64>,
    /// 0, 1, ... nv - 1: the chain of rows that are stored for all velocities.
    everything: Vec<usize>,
    loops: loops::Loops,
    /// A D^-½ L⁻¹ of a contact, or Q of its whitened terms.
    contact_rows: [Vec<f64>; 3],
    /// For each axis on the path to the present contact: its velocity index, and the contact velocity for a unit rate.
    contact_columns: Vec<(usize, Vector)>,
    // One entry per node.
    /// Lengths of `contact_rows` before loops were held; zero if there are none.
    row_sizes: [f64; 3],
    twist_pairs: Vec<TwistPair>,
    /// The contact for which `given` was computed.
    strand: Option<ContactPoint>,
    /// The contact whose Q is in `contact_rows`.
    whitened: Option<ContactPoint>,
    /// Vector from the origin of the carrying node to the touching point.
    strand_arm: Vector,
}

/// The state of a node. One structure, because the time-critical passes use most of its fields together.
#[derive(Debug, Clone, Copy)]
struct NodeState {
    rotation: Rotation,
    /// Vector from the origin of its parent, or of the world, to its own.
    offset: Vector,
    /// Vector from the origin of its root to its own.
    position: Vector,
    articulated: Articulated,
    size: Size,
    twist: Twist,
    acceleration: Twist,
    wrench: Wrench,
    /// Its own inertia, in world axes.
    own: BodyInertia,
    /// Composite inertia of the subtree.
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

/// The state of an axis.
#[derive(Debug, Clone, Copy)]
struct AxisState {
    twist: Twist,
    /// Articulated inertia times axis.
    force: Wrench,
    /// The same, about the parent's origin; only for joints with a single axis.
    outer_force: Wrench,
    /// Its rate change for unit impulses along the rows of the last contact.
    given: Vector,
    rate: f64,
    /// Inverse of the articulated inertia along the axis.
    compliance: f64,
    /// Its rate change or acceleration for the present impulse or forces.
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
    /// Accelerations of the nodes at zero joint accelerations and without gravity.
    drifts: bool,
    articulated: bool,
    composed: bool,
    mass_matrix: bool,
    factor: bool,
    loops: bool,
}

impl Dynamics {
    /// The dynamics of a model in its home configuration and at rest.
    pub fn new(model: impl Into<Arc<Model>>) -> Self {
        let model = model.into();
        let (nodes, axes, nv) = (model.tree.nodes.len(), model.tree.axes, model.nv());
        let mut dynamics = Self {
            configuration: model.home().to_vec(),
            velocity: vec![0.0; nv],
            ready: Ready::default(),
            nodes: vec![NodeState::ZERO; nodes],
            axes: vec![AxisState::ZERO; axes],
            mass_matrix: Matrix::zeros(nv, nv),
            composed: ChainMatrix::zeros(&model.sparsity),
            factor: ChainMatrix::zeros(&model.sparsity),
            inverse_roots: vec![0.0; nv],
            vector: vec![0.0; nv],
            everything: (0..nv).collect(),
            loops: loops::Loops::default(),
            contact_rows: [(); 3].map(|()| vec![0.0; nv]),
            row_sizes: [0.0; 3],
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

    /// The present configuration q.
    pub fn configuration(&self) -> &[f64] {
        &self.configuration
    }

    /// The present velocity v.
    pub fn velocity(&self) -> &[f64] {
        &self.velocity
    }

    /// Sets the configuration and the velocity, and computes the placement of every link.
    ///
    /// # Errors
    /// Wrong lengths, numbers that are not finite, or quaternions that are not of unit length. The state is then
    /// unchanged.
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

    /// World placement of a link.
    ///
    /// # Panics
    /// If the link belongs to another model with more links.
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

/// Checks a vector passed by the caller.
fn check(field: &'static str, values: &[f64], expected: usize) -> Result<(), DynamicsError> {
    check_length(field, values.len(), expected)?;
    // Without a branch per entry, since nearly always all are finite.
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
