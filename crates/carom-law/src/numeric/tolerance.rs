//! Tolerances that several files use, or that are of one kind, each with its scale and its reason. A tolerance used by
//! one file only is defined there.
//!
//! | name | value | relative to | who relies on it |
//! |---|---|---|---|
//! | [`ACCURACY`] | 1e-9 | the sizes of the input | every check at the door |
//! | [`ROUNDING`] | 32 ε a term | the sizes of the terms | every check at the door |
//! | [`UNDERFLOW`] | 64 times the smallest normal number | nothing | every check at the door |
//! | [`LARGEST_GROWTH`], [`SEQUENCE_GROWTH`] | 1e16, 1e6 | the energy before | impacts without a guard, of one contact and of a sequence |
//! | [`TANGENT_RANK`] | 1e-13 | tr W_tt | the rank of S of a contact given by W |
//! | [`FACTOR_RANK`] | 32 ε a row | R | the rank of S of a contact given by (M, A) |
//! | [`SET_RANK`] | 1e-12 | a diagonal of order one | the rank of W of several contacts |
//! | [`NEWTON_RANK`] | 1e-11 | the largest column | steps of Newton's method on several contacts, and modes tried out |
//! | [`PHASE_RANK`] | 1e-10 | the largest pivot | forces of closed contacts |
//! | [`BALANCE_RANK`] | 1e-12 | the largest pivot | velocities and positions projected onto closed contacts |
//! | [`MASS_PIVOT`] | 1e-15 | a diagonal below 4 | whether M is positive definite |
//! | [`HESSIAN_PIVOT`] | 8 ε | the diagonal entry | steps of the barrier method |
//! | [`LEMKE_PIVOT`] | 1e-11 | W_nn of order one | exchanges of Lemke's method |
//! | [`RANGE`] | 1e-9 | the velocities | velocities that a singular W allows, of one contact and of several |
//! | [`SYMMETRY`] | 1e-9 | sqrt(W_ii W_jj) | matrices of the caller |
//! | [`FEASIBILITY`] | 1e-9 | the velocities | stick, slip and reversal with a singular S |
//!
//! The ranks differ because what is rounding differs: R has the digits of the data, W half of them, and what an integrator follows
//! has to pass a singular position smoothly.

/// Largest violation of a condition by a solution, relative to the input.
pub(crate) const ACCURACY: f64 = 1e-9;

/// The rounding error of a sum of `n` products is at most `n` times this, relative to the sum of their absolute values.
pub(crate) const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// Absolute allowance for underflow: products below the normal numbers have no accurate digits.
pub(crate) const UNDERFLOW: f64 = 64.0 * f64::MIN_POSITIVE;

/// Without a guard an impact may create energy (Kane's double pendulum), and almost without bound if holding the
/// tangents nearly locks the normal. Beyond this multiple of the initial energy, velocities grow by a factor of 1e8,
/// and half the digits of the initial ones are lost in rounding.
pub(crate) const LARGEST_GROWTH: f64 = 1e16;

/// An eigenvalue of `S` at most this fraction of `tr W_tt` is zero. Rounding in `S` leaves 5e-16
/// of `tr W_tt`; matrices that come out of a factorisation of M leave a few tens of that.
pub(crate) const TANGENT_RANK: f64 = 1e-13;

/// A singular value of `R`'s tangential block at most this, times the number of rows and the size of `R`'s tangential
/// columns, is rounding.
pub(crate) const FACTOR_RANK: f64 = 32.0 * f64::EPSILON;

/// With the diagonal brought to order one, a pivot at most this is zero: rounding in `W` leaves 1e-15.
pub(crate) const SET_RANK: f64 = 1e-12;

/// A column whose remainder is at most this fraction of the largest column depends on the previous ones. Rounding in a
/// Delassus matrix leaves 1e-15; nearly identical contacts are better treated as dependent.
pub(crate) const NEWTON_RANK: f64 = 1e-11;

/// A pivot at most this fraction of the largest is zero. The four corners of a cube leave 1e-16; a
/// mechanism that comes near a singular position passes here smoothly enough for an integrator of relative
/// tolerance 1e-10.
pub(crate) const PHASE_RANK: f64 = 1e-10;

/// A pivot at most this fraction of the largest is zero where velocities are projected: contacts that can hardly move against
/// each other are stopped all the same.
pub(crate) const BALANCE_RANK: f64 = 1e-12;

/// A pivot of the equilibrated `M` at most this is not positive: roundings of entries below 4.
pub(crate) const MASS_PIVOT: f64 = 1e-15;

/// A pivot of the barrier's Hessian is rounding below this fraction of its diagonal entry: nothing is left to gain
/// along its unknown.
pub(crate) const HESSIAN_PIVOT: f64 = 8.0 * f64::EPSILON;

/// An entry of Lemke's tableau, with `W_nn` of order one, is not used as a pivot if its absolute value is below this.
pub(crate) const LEMKE_PIVOT: f64 = 1e-11;

/// A contact velocity may leave the range of a singular `W` by this fraction of its size.
pub(crate) const RANGE: f64 = 1e-9;

/// `W_ij` and `W_ji` may differ by this fraction of `sqrt(W_ii W_jj)`; they are then averaged.
pub(crate) const SYMMETRY: f64 = 1e-9;

/// `S i_t = b` is solvable if the component of `b` in the null space is at most this fraction of the velocities that
/// `b` was computed from. Denominators and average velocities of a slip with a singular `S` are zero at the same
/// fraction of the terms they are made of.
pub(crate) const FEASIBILITY: f64 = 1e-9;

/// Without a guard, sticks that create energy may feed each other from impact to impact. Beyond this multiple of the
/// initial energy the sequence is rejected: its final velocities are differences of large impulses that cancel.
pub(crate) const SEQUENCE_GROWTH: f64 = 1e6;
