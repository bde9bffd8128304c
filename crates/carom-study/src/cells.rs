//! The law's answer in every cell of a map.

use rayon::prelude::*;

use crate::error::MapError;
use crate::map::{Axis, Cell};

/// The answers in all cells, on all cores.
pub(crate) fn cells(
    resolution: usize,
    axes: [Axis; 2],
    answer: impl Fn([f64; 2]) -> Result<Cell, MapError> + Sync,
) -> Result<Vec<Cell>, MapError> {
    let row = |j: usize| {
        let y = axes[1].middle(j, resolution);
        (0..resolution).map(|i| answer([axes[0].middle(i, resolution), y])).collect::<Result<Vec<_>, _>>()
    };
    let rows: Vec<Vec<Cell>> = (0..resolution).into_par_iter().map(row).collect::<Result<_, _>>()?;
    Ok(rows.concat())
}
