//! Vectors with three components, stored in four lanes so that a vector fits one register.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use super::lanes::Lanes;

/// A vector (x, y, z).
///
/// A fourth lane, always zero, lets a processor treat it as one register.
#[derive(Clone, Copy, PartialEq, Default)]
pub struct Vector {
    lanes: Lanes,
}

impl Vector {
    /// The zero vector.
    pub const ZERO: Self = Self { lanes: Lanes::ZERO };

    /// (x, y, z).
    #[inline(always)]
    pub const fn new(x: f64, y: f64, z: f64) -> Self {
        Self { lanes: Lanes::new([x, y, z, 0.0]) }
    }

    /// First component.
    #[inline(always)]
    pub fn x(self) -> f64 {
        self.lanes.to_array()[0]
    }

    /// Second component.
    #[inline(always)]
    pub fn y(self) -> f64 {
        self.lanes.to_array()[1]
    }

    /// Third component.
    #[inline(always)]
    pub fn z(self) -> f64 {
        self.lanes.to_array()[2]
    }

    /// The components as an array.
    #[inline(always)]
    pub fn to_array(self) -> [f64; 3] {
        let [x, y, z, _] = self.lanes.to_array();
        [x, y, z]
    }

    /// Scalar product.
    #[inline(always)]
    pub fn dot(self, other: Self) -> f64 {
        let [x, y, z, _] = (self.lanes * other.lanes).to_array();
        x + y + z
    }

    /// Vector product self × other.
    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        // With lanes rotated once at the end instead of twice before: a × b = (a b' - a' b)', x' = (y, z, x).
        (self.times(other.turned()) - self.turned().times(other)).turned()
    }

    /// (y, z, x)
    #[inline(always)]
    pub(crate) fn turned(self) -> Self {
        let [x, y, z, w] = self.lanes.to_array();
        Self { lanes: Lanes::new([y, z, x, w]) }
    }

    /// Products of components.
    #[inline(always)]
    pub(crate) fn times(self, other: Self) -> Self {
        Self { lanes: self.lanes * other.lanes }
    }

    /// The first component of a, the second of b, the third of c.
    #[inline(always)]
    pub(crate) fn by_component(a: Self, b: Self, c: Self) -> Self {
        let (a, b, [_, _, z, w]) = (a.lanes.to_array(), b.lanes.to_array(), c.lanes.to_array());
        Self { lanes: Lanes::new([a[0], b[1], z, w]) }
    }

    /// x + y + z
    #[inline(always)]
    pub(crate) fn sum(self) -> f64 {
        let [x, y, z] = self.to_array();
        x + y + z
    }

    /// self + factor · other.
    #[inline(always)]
    pub fn plus(self, factor: f64, other: Self) -> Self {
        Self { lanes: Lanes::splat(factor).mul_add(other.lanes, self.lanes) }
    }

    /// (|x|, |y|, |z|)
    #[inline(always)]
    pub(crate) fn sizes(self) -> Self {
        Self { lanes: self.lanes.abs() }
    }

    /// x + y + z of sums of [`Vector::sizes`]. The zero of the fourth lane is added, too, so that all lanes stay in one register.
    #[inline(always)]
    pub(crate) fn sum_of_sizes(self) -> f64 {
        let [x, y, z, w] = self.lanes.to_array();
        x + y + z + w
    }

    /// |x| + |y| + |z|
    #[inline(always)]
    pub fn norm_l1(self) -> f64 {
        let [x, y, z] = self.to_array();
        x.abs() + y.abs() + z.abs()
    }

    /// Length, safe from overflow and underflow.
    pub fn norm(self) -> f64 {
        let [x, y, z] = self.to_array();
        x.hypot(y).hypot(z)
    }

    /// The unit vector in the same direction; `None` for a vector that is zero or not finite.
    pub fn normalized(self) -> Option<Self> {
        // Divided by its largest component first, so that neither the norm nor the quotient leaves the range of f64.
        let largest = self.to_array().iter().fold(0.0_f64, |most, lane| most.max(lane.abs()));
        if !(largest > 0.0 && self.is_finite()) {
            return None;
        }
        let scaled = Self { lanes: self.lanes / Lanes::splat(largest) };
        let norm = scaled.norm();
        Some(Self { lanes: scaled.lanes / Lanes::splat(norm) })
    }

    /// Whether every component is finite.
    pub fn is_finite(self) -> bool {
        self.to_array().iter().all(|component| component.is_finite())
    }
}

impl fmt::Debug for Vector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_array().fmt(f)
    }
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
        Self { lanes: self.lanes + other.lanes }
    }
}

impl Sub for Vector {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { lanes: self.lanes - other.lanes }
    }
}

impl Neg for Vector {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { lanes: -self.lanes }
    }
}

impl Mul<Vector> for f64 {
    type Output = Vector;
    #[inline(always)]
    fn mul(self, vector: Vector) -> Vector {
        Vector { lanes: Lanes::splat(self) * vector.lanes }
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
