//! Regions made of rows of cells, for boundaries that are not functions of the law.

use crate::map::{Axis, Cell};

/// The cells with several answers.
pub(super) fn several(cells: &[Cell], resolution: usize, axes: [Axis; 2]) -> Vec<Vec<[f64; 2]>> {
    let is_one = |cell: &Cell| cell.solutions.is_some_and(|count| count > 1);
    let edge = |i: usize| axes[0].min + (axes[0].max - axes[0].min) * (i as f64 / resolution as f64);
    runs(cells, resolution, axes[1], is_one, |_, column| edge(column))
}

/// Rectangles over runs of cells in a row. `edge` gives the boundary before a column in a row.
pub(super) fn runs(
    cells: &[Cell],
    resolution: usize,
    y: Axis,
    holds: impl Fn(&Cell) -> bool,
    edge: impl Fn(usize, usize) -> f64,
) -> Vec<Vec<[f64; 2]>> {
    let height = (y.max - y.min) / resolution as f64;
    let mut polygons = Vec::new();
    for (j, row) in cells.chunks(resolution).enumerate() {
        let (low, high) = (y.min + height * j as f64, y.min + height * (j + 1) as f64);
        let mut column = 0;
        for run in row.chunk_by(|a, b| holds(a) == holds(b)) {
            if holds(&run[0]) {
                let (left, right) = (edge(j, column), edge(j, column + run.len()));
                polygons.push(vec![[left, low], [right, low], [right, high], [left, high]]);
            }
            column += run.len();
        }
    }
    polygons
}
