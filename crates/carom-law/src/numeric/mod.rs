//! Small dense linear algebra and floating-point arithmetic: what the law computes with.
//!
//! | file | what it has |
//! |---|---|
//! | `matrix` | views of the caller's matrices; a dense matrix |
//! | `plane` | vectors and symmetric matrices of the tangent plane |
//! | `scaling` | powers of two: exact units |
//! | `orthogonal` | Householder's factorisation of up to three columns |
//! | `linear` | symmetric systems of any rank, by elimination with a rank rule |
//! | `least_squares` | shortest least-squares solutions |
//! | `tolerance` | every tolerance that more than one file relies on |

pub(crate) mod least_squares;
pub(crate) mod linear;
pub(crate) mod matrix;
pub(crate) mod orthogonal;
pub(crate) mod plane;
pub(crate) mod scaling;
pub(crate) mod tolerance;
