//! Errors of the robot, of its state and of the law, as errors of the document.

use carom_multibody::{DynamicsError, StateError};

use crate::document::{Kind, ProblemError};

impl From<StateError> for ProblemError {
    fn from(error: StateError) -> Self {
        let kind = match error {
            StateError::JointLength { .. } | StateError::Length { .. } => Kind::Law(carom_law::ErrorKind::Shape),
            StateError::NotFinite { .. } => Kind::Law(carom_law::ErrorKind::NotFinite),
            _ => Kind::UnknownName,
        };
        Self::at(kind, "state", error.to_string())
    }
}

impl From<DynamicsError> for ProblemError {
    fn from(error: DynamicsError) -> Self {
        dynamics_error(error)
    }
}

/// A choice that the law does not support.
pub(super) fn unsupported(field: &str, message: String) -> ProblemError {
    ProblemError::at(Kind::Law(carom_law::ErrorKind::Unsupported), field, message)
}

/// An error of the robot in its state, about the key that the author of the scene gave.
pub(super) fn dynamics_error(error: DynamicsError) -> ProblemError {
    use carom_law::ErrorKind;
    let (kind, field) = match &error {
        DynamicsError::Length { field, .. } => (ErrorKind::Shape, format!("state.{field}")),
        DynamicsError::NotFinite { field, index, .. } => (ErrorKind::NotFinite, format!("state.{field}[{index}]")),
        DynamicsError::NotUnit { .. } => (ErrorKind::OutOfRange, "state.configuration".to_owned()),
        DynamicsError::Singular { .. } => (ErrorKind::NotPositive, "model".to_owned()),
        DynamicsError::OpenLoop { .. } | DynamicsError::CannotClose { .. } => {
            (ErrorKind::OutOfRange, "state.configuration".to_owned())
        }
        DynamicsError::MovingLoop { .. } => (ErrorKind::OutOfRange, "state.velocity".to_owned()),
        DynamicsError::ZeroNormal { .. } => (ErrorKind::NotPositive, "surface.normal".to_owned()),
        DynamicsError::ContactNotFinite { .. } => (ErrorKind::NotFinite, "contact".to_owned()),
        DynamicsError::ZeroAxis { .. } => (ErrorKind::NotPositive, "contact".to_owned()),
        DynamicsError::ContactRadius { .. } | DynamicsError::FlatRim { .. } | DynamicsError::Selection { .. } => {
            (ErrorKind::OutOfRange, "contact".to_owned())
        }
        DynamicsError::UnknownLink { .. } | DynamicsError::OtherModel { .. } => {
            (ErrorKind::OutOfRange, "contact.link".to_owned())
        }
        DynamicsError::Overflow { .. } => (ErrorKind::Overflow, "state".to_owned()),
        DynamicsError::UnknownPlace { .. } => {
            return ProblemError::at(Kind::UnknownName, "contact.link", error.to_string());
        }
        // An error unknown to this crate is one of the requested state.
        _ => (ErrorKind::OutOfRange, "state".to_owned()),
    };
    ProblemError::at(Kind::Law(kind), field, error.to_string())
}
