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
#[derive(Debug, Clone, Default)]
pub(crate) struct Dense {
    columns: usize,
    data: Vec<f64>,
}

impl Dense {
    pub(crate) fn zeros(rows: usize, columns: usize) -> Self {
        Self { columns, data: vec![0.0; rows * columns] }
    }

    /// The rows and columns of these numbers of a square matrix.
    pub(crate) fn part(&self, rows: &[usize]) -> Self {
        let mut part = Self::zeros(rows.len(), rows.len());
        for (i, &r) in rows.iter().enumerate() {
            for (x, &c) in part.row_mut(i).iter_mut().zip(rows) {
                *x = self[(r, c)];
            }
        }
        part
    }

    /// All zeros, of another size, in the room there is.
    pub(crate) fn reset(&mut self, rows: usize, columns: usize) {
        self.columns = columns;
        self.data.clear();
        self.data.resize(rows * columns, 0.0);
    }

    /// All rows, one after the other.
    #[inline]
    pub(crate) fn as_slice(&self) -> &[f64] {
        &self.data
    }

    #[inline]
    pub(crate) fn row(&self, i: usize) -> &[f64] {
        &self.data[i * self.columns..(i + 1) * self.columns]
    }

    #[inline]
    pub(crate) fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.data[i * self.columns..(i + 1) * self.columns]
    }

    /// Row `i`, and those after it.
    #[inline]
    pub(crate) fn row_and_below(&mut self, i: usize) -> (&mut [f64], impl Iterator<Item = &mut [f64]>) {
        let (above, below) = self.data.split_at_mut((i + 1) * self.columns);
        (&mut above[i * self.columns..], below.chunks_exact_mut(self.columns.max(1)))
    }

    /// Rows `i < j`, the former to be changed.
    pub(crate) fn two_rows(&mut self, i: usize, j: usize) -> (&mut [f64], &[f64]) {
        let (above, below) = self.data.split_at_mut(j * self.columns);
        (&mut above[i * self.columns..(i + 1) * self.columns], &below[..self.columns])
    }

    pub(crate) fn swap_rows(&mut self, i: usize, j: usize) {
        let (i, j) = (i.min(j), i.max(j));
        let (above, below) = self.data.split_at_mut(j * self.columns);
        above[i * self.columns..(i + 1) * self.columns].swap_with_slice(&mut below[..self.columns]);
    }

    pub(crate) fn swap_columns(&mut self, i: usize, j: usize) {
        self.data.chunks_exact_mut(self.columns.max(1)).for_each(|row| row.swap(i, j));
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
