//! Numbers of every row in the caller's memory.

use carom_law::batch::Column;
use carom_law::{Error, Result};

/// A vector or matrix for every row: one after the other, or the same for all.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    data: &'a [f64],
    /// Numbers per row.
    size: usize,
    is_shared: bool,
}

impl<'a> Rows<'a> {
    /// `size` numbers for every row, one row after the other.
    pub fn each(data: &'a [f64], size: usize) -> Self {
        Self { data, size, is_shared: false }
    }

    /// One set of numbers for all rows.
    pub fn shared(data: &'a [f64]) -> Self {
        Self { data, size: data.len(), is_shared: true }
    }

    /// The numbers of a row.
    pub(super) fn at(&self, row: usize) -> &'a [f64] {
        if self.is_shared { self.data } else { &self.data[row * self.size..(row + 1) * self.size] }
    }

    /// One number of each of `count` rows from `start` on.
    pub(super) fn column(&self, entry: usize, start: usize, count: usize) -> Column<'a> {
        if self.is_shared {
            return Column::constant(self.data[entry]);
        }
        let first = start * self.size + entry;
        Column::strided(&self.data[first..first + (count - 1) * self.size + 1], self.size)
    }

    pub(super) fn check(&self, field: &'static str, rows: usize, size: usize) -> Result<()> {
        let wanted = if self.is_shared { size } else { rows * size };
        check_count(field, self.data.len(), wanted).and_then(|()| check_count(field, self.size, size))
    }
}

/// A number for every row: an array, or one number for all.
#[derive(Debug, Clone, Copy)]
pub enum Values<'a> {
    /// One value for all rows.
    One(f64),
    /// One per row.
    Each(&'a [f64]),
}

impl<'a> Values<'a> {
    pub(super) fn at(&self, row: usize) -> f64 {
        match self {
            Values::One(value) => *value,
            Values::Each(values) => values[row],
        }
    }

    pub(super) fn column(&self, start: usize, count: usize) -> Column<'a> {
        match self {
            Values::One(value) => Column::constant(*value),
            Values::Each(values) => Column::from(&values[start..start + count]),
        }
    }

    pub(super) fn check(&self, field: &'static str, rows: usize) -> Result<()> {
        match self {
            Values::One(_) => Ok(()),
            Values::Each(values) => check_count(field, values.len(), rows),
        }
    }
}

fn check_count(field: &'static str, found: usize, expected: usize) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    let (found, expected) = (format!("{found} numbers"), format!("{expected} numbers"));
    Err(Error::Shape { field: field.into(), found, expected })
}
