//! Typed errors that name the field, the value and the bound.

use std::borrow::Cow;

/// A dotted path into a problem, such as `friction.dynamic` or `mass_matrix[2][1]`.
pub type Field = Cow<'static, str>;

/// The result of the law's fallible functions.
pub type Result<T> = std::result::Result<T, Error>;

/// Invalid input, or an outcome that was not found or exceeds the range of `f64`.
///
/// A separating impact, or one that creates energy, is a valid outcome and not an error.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A number is NaN or infinite.
    #[error("{field} = {value} is not finite")]
    NotFinite {
        /// The number's field.
        field: Field,
        /// Its value.
        value: f64,
    },
    /// A number lies outside its range.
    #[error("{field} = {value} is outside {bound}")]
    OutOfRange {
        /// The number's field.
        field: Field,
        /// Its value.
        value: f64,
        /// The range, as text: `[0, 1]`, `[0, friction.static = 0.5]`.
        bound: Cow<'static, str>,
    },
    /// A vector or matrix has the wrong size.
    #[error("{field} is {found}, but must be {expected}")]
    Shape {
        /// The array's field.
        field: Field,
        /// Its size, as text: `2 x 3`.
        found: String,
        /// The size it must have.
        expected: String,
    },
    /// A matrix that must be symmetric is not.
    #[error(
        "{field} = {value} but its mirror entry is {mirror}: they may differ by {bound:e} at most; \
         was only one triangle of the matrix filled?"
    )]
    NotSymmetric {
        /// The entry below the diagonal.
        field: Field,
        /// Its value.
        value: f64,
        /// The value of the entry above the diagonal.
        mirror: f64,
        /// The largest difference that counts as rounding.
        bound: f64,
    },
    /// A matrix that must be positive (semi)definite is not.
    #[error("{field} is not positive {definiteness}: {quantity} is {value:e}, must be {bound}")]
    NotPositive {
        /// Which matrix or entry.
        field: Field,
        /// `definite` or `semidefinite`.
        definiteness: &'static str,
        /// The quantity that was tested: a pivot, an eigenvalue.
        quantity: Cow<'static, str>,
        /// Its value.
        value: f64,
        /// What it must be, as text.
        bound: Cow<'static, str>,
    },
    /// The normal row of the contact Jacobian is zero.
    #[error("{field} is zero: no motion of the mechanism moves the contact along its normal, so nothing can strike")]
    ZeroNormal {
        /// The row.
        field: Field,
    },
    /// The contact velocity cannot occur with a singular Delassus matrix.
    #[error(
        "{field} cannot occur with this delassus matrix, which is singular: \
         its component outside the matrix's range has relative size {value:e}, which must be at most {bound:e}"
    )]
    OutsideRange {
        /// The contact velocity.
        field: Field,
        /// The relative size of the part outside the range of W.
        value: f64,
        /// The largest size that counts as rounding.
        bound: f64,
    },
    /// Something the chosen contact dimension needs was not given.
    #[error("{field} is missing: {reason}")]
    Missing {
        /// What is missing.
        field: Field,
        /// Why it is needed.
        reason: Cow<'static, str>,
    },
    /// The chosen law does not support the request.
    #[error("{field} = {value:?} {reason}")]
    Unsupported {
        /// The requested field: `law` or `guard`.
        field: Field,
        /// Its name.
        value: &'static str,
        /// Why it is not supported.
        reason: Cow<'static, str>,
    },
    /// The chosen law has an answer to one contact, but not to several that are coupled.
    #[error(
        "{field} = {value:?} has no answer to {} simultaneous contacts ({}); use {instead}",
        contacts.len(),
        contacts.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
    )]
    Simultaneous {
        /// The requested field: `law`, or the `restitution.kind` of a contact.
        field: Field,
        /// Its name.
        value: &'static str,
        /// The contacts that strike together, by their places.
        contacts: Vec<usize>,
        /// What has an answer.
        instead: &'static str,
    },
    /// No solution was found within the required precision; there may be none.
    #[error("{field} did not converge: {residual:e} of the largest speed is left, must be at most {bound:e}")]
    NotConverged {
        /// The quantity that was solved for.
        field: Field,
        /// Residual of the best candidate, relative to the largest speed.
        residual: f64,
        /// The largest residual accepted.
        bound: f64,
        /// The impulses of the best candidate, contact after contact, in the caller's units.
        best: Vec<f64>,
    },
    /// A solution was found, but it failed the check against the data and is not returned.
    #[error("{field} fails the check of the answer: {condition} by {value:e}, more than the {bound:e} that {}", condition.bounded_by())]
    CheckFailed {
        /// The outcome's field that the condition is about.
        field: Field,
        /// The condition that fails.
        condition: Condition,
        /// The size of the violation.
        value: f64,
        /// The largest violation that rounding explains, or the largest growth that is allowed without a guard.
        bound: f64,
    },
    /// The outcome exceeds the range of `f64`.
    #[error("{field} of the answer is beyond the range of f64 (2.2e-308 to 1.8e308): change the units")]
    Overflow {
        /// The outcome's field.
        field: Field,
    },
}

/// The conditions that every outcome is checked for, with numbers recomputed from the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Condition {
    /// The contact velocity after the impact equals `A q̇⁺`, in the given row of the contact.
    Velocity(usize),
    /// The normal impulse pushes; a separating contact has none.
    Sign,
    /// The impulse lies in the friction cone, and on its boundary if the contact slips.
    Cone,
    /// `v_n⁺ = -e v_n⁻`.
    Restitution,
    /// The contact does not approach after the impact.
    Penetration,
    /// `v_t⁺ = -e_t v_t⁻`.
    Stick,
    /// The average tangential velocity points along the direction of slip.
    Slip,
    /// The average tangential velocity vanishes.
    Reversal,
    /// The energy change is the work of the impulse, `v̄·i`.
    Work,
    /// The energy change is `K⁺ - K⁻`.
    Energy,
    /// Under a guard, or with a dissipative law, no energy is created.
    Gain,
    /// Without a guard, the energy grows at most by a documented factor.
    Growth,
}

impl Condition {
    /// The field of the outcome that the condition is about.
    pub fn field(self) -> &'static str {
        match self {
            Self::Velocity(_) | Self::Restitution | Self::Penetration | Self::Stick | Self::Slip | Self::Reversal => {
                "contact_velocity.after"
            }
            Self::Sign | Self::Cone => "impulse",
            Self::Work | Self::Energy | Self::Gain | Self::Growth => "energy.change",
        }
    }

    /// Where its bound comes from.
    fn bounded_by(self) -> &'static str {
        match self {
            Self::Growth => "is allowed without a guard",
            _ => "rounding explains",
        }
    }
}

impl std::fmt::Display for Condition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = match self {
            Self::Velocity(row) => {
                return write!(f, "row {row} differs from the velocity computed anew");
            }
            Self::Sign => "it pulls, or acts on a contact that separates,",
            Self::Cone => "it is off the friction cone",
            Self::Restitution => "its normal part misses the restitution",
            Self::Penetration => "its normal part still approaches",
            Self::Stick => "it slides where the contact sticks",
            Self::Slip => "it leaves the direction of slip",
            Self::Reversal => "its tangential part is not reversed",
            Self::Work => "it differs from the work of the impulse",
            Self::Energy => "it differs from the kinetic energies computed anew",
            Self::Gain => "energy is created",
            Self::Growth => "energy grows",
        };
        f.write_str(text)
    }
}

/// The closed list of the kinds of [`Error`], as they appear in files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum ErrorKind {
    /// A number is NaN or infinite.
    NotFinite,
    /// A number lies outside its range.
    OutOfRange,
    /// A vector or matrix has the wrong size.
    Shape,
    /// A matrix is not symmetric.
    NotSymmetric,
    /// A matrix is not positive definite or semidefinite.
    NotPositive,
    /// A contact velocity lies outside the range of a singular Delassus matrix.
    OutsideRange,
    /// A needed field was not given.
    Missing,
    /// The chosen law does not support a guard or a contact.
    Unsupported,
    /// No solution was found within the required precision.
    NotConverged,
    /// A solution failed the check against its data.
    CheckFailed,
    /// The outcome exceeds the range of `f64`.
    Overflow,
}

impl Error {
    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::NotFinite { .. } => ErrorKind::NotFinite,
            Error::OutOfRange { .. } => ErrorKind::OutOfRange,
            Error::Shape { .. } => ErrorKind::Shape,
            Error::NotSymmetric { .. } => ErrorKind::NotSymmetric,
            Error::NotPositive { .. } | Error::ZeroNormal { .. } => ErrorKind::NotPositive,
            Error::OutsideRange { .. } => ErrorKind::OutsideRange,
            Error::Missing { .. } => ErrorKind::Missing,
            Error::Unsupported { .. } | Error::Simultaneous { .. } => ErrorKind::Unsupported,
            Error::NotConverged { .. } => ErrorKind::NotConverged,
            Error::CheckFailed { .. } => ErrorKind::CheckFailed,
            Error::Overflow { .. } => ErrorKind::Overflow,
        }
    }

    /// The field the error is about, as a dotted path.
    pub fn field(&self) -> &str {
        match self {
            Error::NotFinite { field, .. }
            | Error::OutOfRange { field, .. }
            | Error::Shape { field, .. }
            | Error::NotSymmetric { field, .. }
            | Error::NotPositive { field, .. }
            | Error::ZeroNormal { field }
            | Error::OutsideRange { field, .. }
            | Error::Missing { field, .. }
            | Error::Unsupported { field, .. }
            | Error::Simultaneous { field, .. }
            | Error::NotConverged { field, .. }
            | Error::CheckFailed { field, .. }
            | Error::Overflow { field } => field,
        }
    }
}

impl ErrorKind {
    /// Every kind, in the order of the documentation.
    pub const ALL: [ErrorKind; 11] = [
        ErrorKind::NotFinite,
        ErrorKind::OutOfRange,
        ErrorKind::Shape,
        ErrorKind::NotSymmetric,
        ErrorKind::NotPositive,
        ErrorKind::OutsideRange,
        ErrorKind::Missing,
        ErrorKind::Unsupported,
        ErrorKind::NotConverged,
        ErrorKind::CheckFailed,
        ErrorKind::Overflow,
    ];

    /// The name used in files: `not_finite`, `out_of_range`, and so on.
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::NotFinite => "not_finite",
            ErrorKind::OutOfRange => "out_of_range",
            ErrorKind::Shape => "shape",
            ErrorKind::NotSymmetric => "not_symmetric",
            ErrorKind::NotPositive => "not_positive",
            ErrorKind::OutsideRange => "outside_range",
            ErrorKind::Missing => "missing",
            ErrorKind::Unsupported => "unsupported",
            ErrorKind::NotConverged => "not_converged",
            ErrorKind::CheckFailed => "check_failed",
            ErrorKind::Overflow => "overflow",
        }
    }
}

/// `value` if it is finite, otherwise an error that names `field`.
#[inline]
pub(crate) fn finite(value: f64, field: impl FnOnce() -> Field) -> Result<f64> {
    if value.is_finite() { Ok(value) } else { Err(Error::NotFinite { field: field(), value }) }
}
