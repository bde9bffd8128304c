//! Matrices of any size: a view of the caller's numbers, and a small dense one of our own.

use std::ops::{Index, IndexMut};

/// A matrix in the caller's memory, row by row or column by column. With the feature `nalgebra`, a
/// `&DMatrix<f64>` is one.
#[derive(Debug, Clone, Copy)]
pub struct MatrixView<'a> {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    data: &'a [f64],
    is_column_major: bool,
}

impl<'a> MatrixView<'a> {
    /// `rows * columns` numbers, one row after the other.
    pub fn row_major(rows: usize, columns: usize, data: &'a [f64]) -> Self {
        Self { rows, columns, data, is_column_major: false }
    }

    /// `rows * columns` numbers, one column after the other.
    pub fn column_major(rows: usize, columns: usize, data: &'a [f64]) -> Self {
        Self { rows, columns, data, is_column_major: true }
    }

    /// Whether there are as many numbers as entries.
    pub(crate) fn is_complete(&self) -> bool {
        self.rows.checked_mul(self.columns) == Some(self.data.len())
    }

    pub(crate) fn len(&self) -> usize {
        self.data.len()
    }

    #[inline]
    pub(crate) fn at(&self, i: usize, j: usize) -> f64 {
        self.data[if self.is_column_major { j * self.rows + i } else { i * self.columns + j }]
    }
}

#[cfg(feature = "nalgebra")]
impl<'a> From<&'a nalgebra::DMatrix<f64>> for MatrixView<'a> {
    fn from(matrix: &'a nalgebra::DMatrix<f64>) -> Self {
        Self::column_major(matrix.nrows(), matrix.ncols(), matrix.as_slice())
    }
}

/// A dense matrix, row by row.
#[derive(Debug, Clone)]
pub(crate) struct Dense {
    columns: usize,
    data: Vec<f64>,
}

impl Dense {
    pub(crate) fn zeros(rows: usize, columns: usize) -> Self {
        Self { columns, data: vec![0.0; rows * columns] }
    }

    #[inline]
    pub(crate) fn row(&self, i: usize) -> &[f64] {
        &self.data[i * self.columns..(i + 1) * self.columns]
    }

    #[inline]
    pub(crate) fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.data[i * self.columns..(i + 1) * self.columns]
    }

    /// Rows `i < j`.
    pub(crate) fn two_rows(&mut self, i: usize, j: usize) -> (&mut [f64], &[f64]) {
        let (above, below) = self.two_rows_mut(i, j);
        (above, below)
    }

    /// Rows `i < j`, both to be changed.
    pub(crate) fn two_rows_mut(&mut self, i: usize, j: usize) -> (&mut [f64], &mut [f64]) {
        let (above, below) = self.data.split_at_mut(j * self.columns);
        (&mut above[i * self.columns..(i + 1) * self.columns], &mut below[..self.columns])
    }
}

impl Index<(usize, usize)> for Dense {
    type Output = f64;

    #[inline]
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.data[i * self.columns + j]
    }
}

impl IndexMut<(usize, usize)> for Dense {
    #[inline]
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.data[i * self.columns + j]
    }
}
