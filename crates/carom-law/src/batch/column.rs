//! The numbers of a batch in the caller's memory.

/// A number of every problem: an array, every n-th number of an array, or one number for all.
#[derive(Debug, Clone, Copy)]
pub struct Column<'a>(Entries<'a>);

#[derive(Debug, Clone, Copy)]
enum Entries<'a> {
    Strided { data: &'a [f64], stride: usize },
    Constant(f64),
}

impl<'a> Column<'a> {
    /// The same number for all problems.
    pub fn constant(value: f64) -> Self {
        Self(Entries::Constant(value))
    }

    /// `data[0]`, `data[stride]`, `data[2 stride]` and so on to the end of `data`. A stride of zero is a constant.
    pub fn strided(data: &'a [f64], stride: usize) -> Self {
        match data.first() {
            Some(&value) if stride == 0 => Self::constant(value),
            _ => Self(Entries::Strided { data, stride: stride.max(1) }),
        }
    }

    /// The number of problems it has entries for; `None` if any.
    pub fn count(&self) -> Option<usize> {
        match self.0 {
            Entries::Strided { data, stride } => Some(data.len().div_ceil(stride)),
            Entries::Constant(_) => None,
        }
    }

    /// The number of a problem.
    #[inline]
    pub(super) fn at(&self, index: usize) -> f64 {
        match self.0 {
            Entries::Strided { data, stride } => data[index * stride],
            Entries::Constant(value) => value,
        }
    }

    /// The numbers of the problems from `start` on.
    #[inline]
    pub(super) fn copy_to(&self, start: usize, target: &mut [f64]) {
        match self.0 {
            Entries::Strided { data, stride: 1 } => target.copy_from_slice(&data[start..start + target.len()]),
            Entries::Strided { data, stride } => {
                for (entry, value) in target.iter_mut().zip(data[start * stride..].iter().step_by(stride)) {
                    *entry = *value;
                }
            }
            Entries::Constant(value) => target.fill(value),
        }
    }
}

impl<'a> From<&'a [f64]> for Column<'a> {
    fn from(data: &'a [f64]) -> Self {
        Self::strided(data, 1)
    }
}

impl<'a> From<&'a Vec<f64>> for Column<'a> {
    fn from(data: &'a Vec<f64>) -> Self {
        Self::strided(data, 1)
    }
}

impl From<f64> for Column<'_> {
    fn from(value: f64) -> Self {
        Self::constant(value)
    }
}
