//! Tolerances that more than one file relies on, each with its scale, its reason and who relies on it. A tolerance of one file
//! stands there.

/// What of the input's scale an answer may miss a condition by.
pub(crate) const ACCURACY: f64 = 1e-9;

/// Roundings of a sum of `n` products are at most this, times `n`, of the sum of their sizes.
pub(crate) const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// Products below the normal numbers keep no digits.
pub(crate) const UNDERFLOW: f64 = 64.0 * f64::MIN_POSITIVE;

/// Without a guard an impact may create energy (Kane's double pendulum), and nearly without bound where holding the tangents
/// all but locks the normal. Beyond this multiple of the energy before, velocities after are 1e8 times those before, and
/// half the digits of the latter are lost in their rounding.
pub(crate) const LARGEST_GROWTH: f64 = 1e16;

/// An eigenvalue of `S` at most this fraction of `tr W_tt` is zero. Rounding in `S` leaves 5e-16
/// of `tr W_tt`; matrices that come out of a factorisation of M leave a few tens of that.
pub(crate) const RANK_TOLERANCE: f64 = 1e-13;
