//! The same number of two motions side by side, before and after an impact: products with what both share need no shuffling.

use std::ops::{Add, AddAssign, Mul, Sub};

/// A number before and after.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(16))]
pub(crate) struct Pair(pub(crate) [f64; 2]);

/// Vectors of three before and after.
pub(crate) type PairVector = [Pair; 3];

impl Pair {
    pub(crate) const ZERO: Self = Self([0.0; 2]);
}

impl Add for Pair {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self([self.0[0] + other.0[0], self.0[1] + other.0[1]])
    }
}

impl AddAssign for Pair {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Pair {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self([self.0[0] - other.0[0], self.0[1] - other.0[1]])
    }
}

impl Mul for Pair {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self([self.0[0] * other.0[0], self.0[1] * other.0[1]])
    }
}

impl Mul<Pair> for f64 {
    type Output = Pair;
    #[inline(always)]
    fn mul(self, pair: Pair) -> Pair {
        Pair([self * pair.0[0], self * pair.0[1]])
    }
}

/// v × p, with a p that both share.
#[inline(always)]
pub(crate) fn cross(v: &PairVector, p: [f64; 3]) -> PairVector {
    [p[2] * v[1] - p[1] * v[2], p[0] * v[2] - p[2] * v[0], p[1] * v[0] - p[0] * v[1]]
}

/// v + factor · direction, with a direction that both share.
#[inline(always)]
pub(crate) fn plus(v: &PairVector, factor: Pair, direction: [f64; 3]) -> PairVector {
    [v[0] + direction[0] * factor, v[1] + direction[1] * factor, v[2] + direction[2] * factor]
}

/// Scalar products.
#[inline(always)]
pub(crate) fn dot(v: &PairVector, w: &PairVector) -> Pair {
    v[0] * w[0] + v[1] * w[1] + v[2] * w[2]
}
