//! Vectors of three, kept in four lanes so that one register holds one.

use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A vector (x, y, z).
///
/// A fourth lane, always zero, lets a processor treat it as one register.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[repr(align(32))]
pub struct Vector {
    lanes: [f64; 4],
}

impl Vector {
    /// The zero vector.
    pub const ZERO: Self = Self { lanes: [0.0; 4] };

    /// (x, y, z).
    #[inline(always)]
    pub const fn new(x: f64, y: f64, z: f64) -> Self {
        Self { lanes: [x, y, z, 0.0] }
    }

    /// First component.
    #[inline(always)]
    pub const fn x(self) -> f64 {
        self.lanes[0]
    }

    /// Second component.
    #[inline(always)]
    pub const fn y(self) -> f64 {
        self.lanes[1]
    }

    /// Third component.
    #[inline(always)]
    pub const fn z(self) -> f64 {
        self.lanes[2]
    }

    /// The components as an array.
    #[inline(always)]
    pub const fn to_array(self) -> [f64; 3] {
        [self.lanes[0], self.lanes[1], self.lanes[2]]
    }

    #[inline(always)]
    fn map2(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        let (a, b) = (self.lanes, other.lanes);
        Self { lanes: [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2]), f(a[3], b[3])] }
    }

    /// Scalar product.
    #[inline(always)]
    pub fn dot(self, other: Self) -> f64 {
        let (a, b) = (self.lanes, other.lanes);
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    }

    /// Vector product self × other.
    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        let (a, b) = (self.lanes, other.lanes);
        Self::new(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
    }

    /// self + factor · other.
    #[inline(always)]
    pub fn plus(self, factor: f64, other: Self) -> Self {
        self.map2(other, |a, b| multiply_add(factor, b, a))
    }

    /// Length, safe from overflow and underflow.
    pub fn norm(self) -> f64 {
        self.lanes[0].hypot(self.lanes[1]).hypot(self.lanes[2])
    }

    /// The unit vector of the same direction; `None` for zero and for what is not finite.
    pub fn normalized(self) -> Option<Self> {
        // By its largest component first: then neither the length nor the quotient leaves the range of f64.
        let largest = self.lanes.iter().fold(0.0_f64, |most, lane| most.max(lane.abs()));
        if !(largest > 0.0 && self.is_finite()) {
            return None;
        }
        let scaled = self.map2(self, |a, _| a / largest);
        let norm = scaled.norm();
        Some(scaled.map2(scaled, |a, _| a / norm))
    }

    /// Whether every component is finite.
    pub fn is_finite(self) -> bool {
        self.lanes.iter().all(|lane| lane.is_finite())
    }
}

/// a b + c, in one instruction where the build may assume that the processor has it.
#[inline(always)]
fn multiply_add(a: f64, b: f64, c: f64) -> f64 {
    if cfg!(target_feature = "fma") { a.mul_add(b, c) } else { a * b + c }
}

impl From<[f64; 3]> for Vector {
    #[inline(always)]
    fn from([x, y, z]: [f64; 3]) -> Self {
        Self::new(x, y, z)
    }
}

impl Add for Vector {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.map2(other, |a, b| a + b)
    }
}

impl Sub for Vector {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.map2(other, |a, b| a - b)
    }
}

impl Neg for Vector {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.map2(self, |a, _| -a)
    }
}

impl Mul<Vector> for f64 {
    type Output = Vector;
    #[inline(always)]
    fn mul(self, vector: Vector) -> Vector {
        vector.map2(vector, |a, _| self * a)
    }
}

impl AddAssign for Vector {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Vector {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}
