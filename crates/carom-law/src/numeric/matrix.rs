//! Matrices of any size: a view of the caller's numbers, and a dense matrix.

use std::ops::{Index, IndexMut};

/// A matrix in the caller's memory: rows or columns one after the other, or with strides. With the feature `nalgebra`, a
/// reference to a `Matrix3<f64>`, a `DMatrix<f64>` or any other contiguous matrix of nalgebra is one.
#[derive(Debug, Clone, Copy)]
pub struct MatrixView<'a> {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    data: &'a [f64],
    row_stride: usize,
    column_stride: usize,
    /// Whether `data` has the entries and nothing else.
    is_dense: bool,
}

impl<'a> MatrixView<'a> {
    /// `rows * columns` numbers, one row after the other.
    pub fn row_major(rows: usize, columns: usize, data: &'a [f64]) -> Self {
        Self { rows, columns, data, row_stride: columns, column_stride: 1, is_dense: true }
    }

    /// `rows * columns` numbers, one column after the other.
    pub fn column_major(rows: usize, columns: usize, data: &'a [f64]) -> Self {
        Self { rows, columns, data, row_stride: 1, column_stride: rows, is_dense: true }
    }

    /// Part of a larger array: entry (i, j) is `data[i * row_stride + j * column_stride]`. Numbers between and after
    /// the entries are ignored.
    ///
    /// ```
    /// use carom_law::{ContactSet, Dimension, MatrixView};
    ///
    /// // The upper left 2 x 2 block of a 3 x 3 matrix.
    /// let larger = [2.0, 0.5, 9.0, 0.5, 1.0, 9.0, 9.0, 9.0, 9.0];
    /// let set = ContactSet::new(&[Dimension::Planar], MatrixView::strided(2, 2, &larger, 3, 1), &[-1.0, 0.2])?;
    /// assert_eq!(set.velocity(), [-1.0, 0.2]);
    /// # Ok::<(), carom_law::Error>(())
    /// ```
    pub fn strided(rows: usize, columns: usize, data: &'a [f64], row_stride: usize, column_stride: usize) -> Self {
        Self { rows, columns, data, row_stride, column_stride, is_dense: false }
    }

    /// Whether there are as many numbers as entries, or, with strides, whether the last entry is there.
    pub(crate) fn is_complete(&self) -> bool {
        if self.is_dense {
            return self.rows.checked_mul(self.columns) == Some(self.data.len());
        }
        let (Some(last_row), Some(last_column)) = (self.rows.checked_sub(1), self.columns.checked_sub(1)) else {
            return true;
        };
        let along = |steps: usize, stride: usize| steps.checked_mul(stride);
        let last = along(last_row, self.row_stride).zip(along(last_column, self.column_stride));
        last.and_then(|(down, across)| down.checked_add(across)).is_some_and(|last| last < self.data.len())
    }

    /// How many numbers an incomplete matrix should have, for messages.
    pub(crate) fn expected(&self) -> String {
        let Self { rows, columns, row_stride, column_stride, .. } = self;
        match self.is_dense {
            true => format!("{rows} x {columns} numbers"),
            false => format!("long enough for {rows} x {columns} with strides {row_stride} and {column_stride}"),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.data.len()
    }

    /// Whether all entries are finite, where the data has nothing else: without a branch per entry, since nearly always they are.
    pub(crate) fn is_finite(&self) -> bool {
        self.is_dense && self.data.iter().fold(true, |all, x| all & x.is_finite())
    }

    #[inline]
    pub(crate) fn at(&self, i: usize, j: usize) -> f64 {
        self.data[i * self.row_stride + j * self.column_stride]
    }
}

#[cfg(feature = "nalgebra")]
impl<'a, R, C, S> From<&'a nalgebra::Matrix<f64, R, C, S>> for MatrixView<'a>
where
    R: nalgebra::Dim,
    C: nalgebra::Dim,
    S: nalgebra::RawStorage<f64, R, C> + nalgebra::IsContiguous,
{
    fn from(matrix: &'a nalgebra::Matrix<f64, R, C, S>) -> Self {
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

    /// The submatrix of a square matrix with the given rows and columns.
    pub(crate) fn part(&self, rows: &[usize]) -> Self {
        let mut part = Self::zeros(rows.len(), rows.len());
        for (i, &r) in rows.iter().enumerate() {
            for (x, &c) in part.row_mut(i).iter_mut().zip(rows) {
                *x = self[(r, c)];
            }
        }
        part
    }

    /// Resizes and sets all entries to zero, reusing the allocation.
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
