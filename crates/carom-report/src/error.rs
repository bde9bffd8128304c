//! Any error of this crate.

use std::io;

use crate::batch::Failure;
use crate::figure::FigureError;
use crate::run::PageError;
use crate::sweep::SweepFileError;

/// Any error of this crate, for callers who do not tell them apart: each converts into it by `?`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no picture.
    #[error(transparent)]
    Figure(#[from] FigureError),
    /// There is no page.
    #[error(transparent)]
    Page(#[from] PageError),
    /// A batch ended early.
    #[error(transparent)]
    Batch(#[from] Failure),
    /// A sweep cannot be written or read.
    #[error(transparent)]
    Sweep(#[from] SweepFileError),
    /// Writing fails.
    #[error(transparent)]
    Write(#[from] io::Error),
}
