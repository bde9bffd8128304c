//! Small dense linear algebra and floating-point arithmetic: what the law computes with.
//!
//! | file | contents |
//! |---|---|
//! | `matrix` | views of the caller's matrices; a dense matrix |
//! | `plane` | vectors and symmetric matrices of the tangent plane |
//! | `scaling` | powers of two: exact units |
//! | `cholesky` | the factor of a positive definite matrix |
//! | `orthogonal` | Householder's reflections: of tall matrices, and of a contact's columns |
//! | `basis` | orthonormal bases of rows, and shortest vectors with given products |
//! | `linear` | square systems of any rank by elimination, cheap if regular; reduction of semidefinite ones |
//! | `least_squares` | square systems of any rank by reflections, accurate if nearly singular |
//! | `tolerance` | every tolerance that more than one file relies on |

pub(crate) mod basis;
pub(crate) mod cholesky;
pub(crate) mod least_squares;
pub(crate) mod linear;
pub(crate) mod matrix;
pub(crate) mod orthogonal;
pub(crate) mod plane;
pub(crate) mod scaling;
pub(crate) mod tolerance;
