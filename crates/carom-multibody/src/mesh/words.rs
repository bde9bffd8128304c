//! Single-precision numbers of mesh files, from bytes and from words.

use crate::Vector;

pub(super) fn float(bytes: &[u8], at: usize) -> Option<f64> {
    let four = <[u8; 4]>::try_from(bytes.get(at..at + 4)?).ok()?;
    Some(f64::from(f32::from_le_bytes(four)))
}

pub(super) fn integer(bytes: &[u8], at: usize) -> Option<usize> {
    let four = <[u8; 4]>::try_from(bytes.get(at..at + 4)?).ok()?;
    usize::try_from(i32::from_le_bytes(four)).ok()
}

pub(super) fn vector(bytes: &[u8], at: usize) -> Option<Vector> {
    Some(Vector::new(float(bytes, at)?, float(bytes, at + 4)?, float(bytes, at + 8)?))
}

/// A single-precision number of a binary format.
pub(super) fn single(word: Option<&str>) -> Option<f64> {
    word?.parse::<f64>().ok().map(|number| f64::from(number as f32))
}
