//! States by joint name.

use super::{Model, ModelJoint, StateError};

/// Positions and velocities of some joints, by name. [`Model::state`] makes vectors q and v of them.
///
/// ```
/// use carom_multibody::{Inertia, Joint, JointKind, LinkId, LinkSpec, ModelBuilder, State};
///
/// let mut builder = ModelBuilder::new("two");
/// let hinge = |name: &str| Joint::new(name, JointKind::Revolute).along([0.0, 1.0, 0.0]);
/// let upper = LinkSpec::new("upper").joint(hinge("shoulder")).inertia(Inertia::ball(1.0, 0.1));
/// let upper = builder.link(LinkId::WORLD, upper)?;
/// builder.link(upper, LinkSpec::new("lower").joint(hinge("elbow")).inertia(Inertia::ball(1.0, 0.1)))?;
/// let model = builder.build()?;
/// let (q, v) = model.state(&State::new().position("elbow", 0.7).velocity("shoulder", -0.2))?;
/// assert_eq!((q, v), (vec![0.0, 0.7], vec![-0.2, 0.0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    entries: Vec<Entry>,
}

#[derive(Debug, Clone, PartialEq)]
struct Entry {
    joint: String,
    is_velocity: bool,
    numbers: Vec<f64>,
}

/// The numbers of one joint: one, or as many as the joint has.
#[derive(Debug, Clone, PartialEq)]
pub struct JointNumbers(Vec<f64>);

impl JointNumbers {
    /// The numbers.
    pub fn as_slice(&self) -> &[f64] {
        &self.0
    }
}

impl From<f64> for JointNumbers {
    fn from(number: f64) -> Self {
        Self(vec![number])
    }
}

impl<const N: usize> From<[f64; N]> for JointNumbers {
    fn from(numbers: [f64; N]) -> Self {
        Self(numbers.to_vec())
    }
}

impl From<&[f64]> for JointNumbers {
    fn from(numbers: &[f64]) -> Self {
        Self(numbers.to_vec())
    }
}

impl From<Vec<f64>> for JointNumbers {
    fn from(numbers: Vec<f64>) -> Self {
        Self(numbers)
    }
}

impl State {
    /// A state without any joint.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the position of a joint: rad or m; (x, y, angle) of a planar joint; a quaternion (w, x, y, z) of a ball joint;
    /// (x, y, z, w, x, y, z) of a floating one.
    #[must_use]
    pub fn position(self, joint: impl Into<String>, numbers: impl Into<JointNumbers>) -> Self {
        self.with(joint.into(), false, numbers.into())
    }

    /// Sets the velocity of a joint: rad/s or m/s; of a floating joint the linear, then the angular velocity, in the axes of
    /// its link.
    #[must_use]
    pub fn velocity(self, joint: impl Into<String>, numbers: impl Into<JointNumbers>) -> Self {
        self.with(joint.into(), true, numbers.into())
    }

    fn with(mut self, joint: String, is_velocity: bool, JointNumbers(numbers): JointNumbers) -> Self {
        self.entries.push(Entry { joint, is_velocity, numbers });
        self
    }
}

impl Model {
    /// q and v of a state by joint names. Joints that it does not name are at home and at rest.
    ///
    /// # Errors
    /// A joint that the model does not have, that is fixed or follows another, or that has another number of coordinates.
    pub fn state(&self, state: &State) -> Result<(Vec<f64>, Vec<f64>), StateError> {
        let (mut q, mut v) = (self.home().to_vec(), vec![0.0; self.nv()]);
        self.apply_state(state, &mut q, &mut v)?;
        Ok((q, v))
    }

    /// Writes the named joints of a state into q and v; the others stay as they are.
    ///
    /// # Errors
    /// As [`Model::state`], or a vector of another length. q and v are then as they were.
    pub fn apply_state(
        &self,
        state: &State,
        configuration: &mut [f64],
        velocity: &mut [f64],
    ) -> Result<(), StateError> {
        for (field, given, expected) in
            [("configuration", configuration.len(), self.nq()), ("velocity", velocity.len(), self.nv())]
        {
            if given != expected {
                return Err(StateError::Length { field, given, expected });
            }
        }
        let range = |entry: &Entry, joint: &ModelJoint| match entry.is_velocity {
            true => joint.velocities.clone(),
            false => joint.coordinates.clone(),
        };
        for entry in &state.entries {
            let joint = self.moving_joint(&entry.joint)?;
            let (given, expected) = (entry.numbers.len(), range(entry, joint).len());
            if given != expected {
                let part = if entry.is_velocity { "velocity" } else { "position" };
                return Err(StateError::JointLength { joint: entry.joint.clone(), part, given, expected });
            }
        }
        for entry in &state.entries {
            let target = if entry.is_velocity { &mut *velocity } else { &mut *configuration };
            target[range(entry, self.moving_joint(&entry.joint)?)].copy_from_slice(&entry.numbers);
        }
        Ok(())
    }
}
