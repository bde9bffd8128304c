//! Contact vectors: one number per direction, the normal first.

use std::fmt;
use std::ops::Deref;

use crate::contact::delassus::Dimension;

/// One to three numbers, the normal component first. Dereferences to a slice.
#[derive(Clone, Copy, PartialEq)]
pub struct ContactVector {
    components: [f64; 3],
    len: usize,
}

impl ContactVector {
    #[inline]
    pub(crate) fn new(dimension: Dimension, components: [f64; 3]) -> Self {
        Self { components, len: dimension.rows() }
    }

    /// All three, zero beyond the dimension.
    #[inline]
    pub(crate) fn padded(&self) -> [f64; 3] {
        [0, 1, 2].map(|k| if k < self.len { self.components[k] } else { 0.0 })
    }

    /// The tangential part.
    #[inline]
    pub(crate) fn tangential(dimension: Dimension, t: [f64; 2]) -> Self {
        Self { components: [t[0], t[1], 0.0], len: dimension.rows() - 1 }
    }
}

/// As a list of one number per direction.
impl fmt::Debug for ContactVector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self[..].fmt(f)
    }
}

impl Deref for ContactVector {
    type Target = [f64];

    #[inline]
    fn deref(&self) -> &[f64] {
        &self.components[..self.len]
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for ContactVector {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for ContactVector {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let list = arrayvec::ArrayVec::<f64, 3>::deserialize(deserializer)?;
        if list.is_empty() {
            return Err(serde::de::Error::invalid_length(0, &"one to three numbers"));
        }
        let mut components = [0.0; 3];
        components[..list.len()].copy_from_slice(&list);
        Ok(Self { components, len: list.len() })
    }
}
