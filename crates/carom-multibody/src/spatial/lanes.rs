//! Four numbers in one SIMD register if the build may assume that the processor has one, otherwise in an array that
//! the compiler vectorises as it can.

#[cfg(not(target_feature = "avx"))]
pub(super) use portable::Lanes;
#[cfg(target_feature = "avx")]
pub(super) use wide::f64x4 as Lanes;

#[cfg(not(target_feature = "avx"))]
mod portable {
    use std::ops::{Add, Div, Mul, Neg, Sub};

    /// The operations of `wide::f64x4` that are used, lane by lane.
    #[derive(Debug, Clone, Copy, PartialEq, Default)]
    #[repr(align(32))]
    pub struct Lanes([f64; 4]);

    impl Lanes {
        pub const ZERO: Self = Self([0.0; 4]);

        #[inline(always)]
        pub const fn new(lanes: [f64; 4]) -> Self {
            Self(lanes)
        }

        #[inline(always)]
        pub const fn splat(x: f64) -> Self {
            Self([x; 4])
        }

        #[inline(always)]
        pub const fn to_array(self) -> [f64; 4] {
            self.0
        }

        #[inline(always)]
        pub fn mul_add(self, factor: Self, term: Self) -> Self {
            self * factor + term
        }

        #[inline(always)]
        pub fn abs(self) -> Self {
            self.each(self, |a, _| a.abs())
        }

        #[inline(always)]
        fn each(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
            let (a, b) = (self.0, other.0);
            Self([f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2]), f(a[3], b[3])])
        }
    }

    impl Add for Lanes {
        type Output = Self;
        #[inline(always)]
        fn add(self, other: Self) -> Self {
            self.each(other, |a, b| a + b)
        }
    }

    impl Sub for Lanes {
        type Output = Self;
        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            self.each(other, |a, b| a - b)
        }
    }

    impl Mul for Lanes {
        type Output = Self;
        #[inline(always)]
        fn mul(self, other: Self) -> Self {
            self.each(other, |a, b| a * b)
        }
    }

    impl Div for Lanes {
        type Output = Self;
        #[inline(always)]
        fn div(self, other: Self) -> Self {
            self.each(other, |a, b| a / b)
        }
    }

    impl Neg for Lanes {
        type Output = Self;
        #[inline(always)]
        fn neg(self) -> Self {
            self.each(self, |a, _| -a)
        }
    }
}
