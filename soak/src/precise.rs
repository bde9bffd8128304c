//! Double-double arithmetic (106 bits) with sums and a Cholesky factor, and exact powers of two.
//!
//! The sums and products of pairs of numbers are those of J.-M. Muller and others (M. Joldes, J.-M. Muller and V. Popescu,
//! *ACM Transactions on Mathematical Software* 44:15res, 2017): each is off by a few 2⁻¹⁰⁶ of its result.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// An unevaluated sum of two numbers, the second at most half a unit in the last place of the first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Double {
    hi: f64,
    lo: f64,
}

/// Zero.
pub const ZERO: Double = Double { hi: 0.0, lo: 0.0 };

impl Double {
    /// `a b`, exact unless it underflows.
    pub fn product(a: f64, b: f64) -> Self {
        let hi = a * b;
        Self { hi, lo: a.mul_add(b, -hi) }
    }

    /// `a + b`, exact.
    pub fn sum(a: f64, b: f64) -> Self {
        let hi = a + b;
        let part = hi - a;
        Self { hi, lo: (a - (hi - part)) + (b - part) }
    }

    /// `a + b` for `|a| >= |b|`.
    fn ordered_sum(a: f64, b: f64) -> Self {
        let hi = a + b;
        Self { hi, lo: b - (hi - a) }
    }

    /// The nearest `f64`.
    pub fn hi(self) -> f64 {
        self.hi
    }

    /// `|x|`
    pub fn abs(self) -> Self {
        if self.hi < 0.0 { -self } else { self }
    }

    /// The square root of a positive number: a Newton step from the rounded root doubles its digits.
    fn sqrt(self) -> Self {
        let root = self.hi.sqrt();
        let left = self - Self::product(root, root);
        Self::ordered_sum(root, left.hi / (2.0 * root))
    }
}

impl From<f64> for Double {
    fn from(x: f64) -> Self {
        Self { hi: x, lo: 0.0 }
    }
}

impl Neg for Double {
    type Output = Self;

    fn neg(self) -> Self {
        Self { hi: -self.hi, lo: -self.lo }
    }
}

impl Add for Double {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (s, t) = (Self::sum(self.hi, other.hi), Self::sum(self.lo, other.lo));
        let v = Self::ordered_sum(s.hi, s.lo + t.hi);
        Self::ordered_sum(v.hi, t.lo + v.lo)
    }
}

impl Sub for Double {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Double {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let p = Self::product(self.hi, other.hi);
        let lower = self.lo.mul_add(other.lo, p.lo);
        let cross = self.hi.mul_add(other.lo, self.lo.mul_add(other.hi, lower));
        Self::ordered_sum(p.hi, cross)
    }
}

impl Div for Double {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        let first = self.hi / other.hi;
        let left = self - other * Self::from(first);
        let second = left.hi / other.hi;
        let rest = left - other * Self::from(second);
        Self::ordered_sum(first, second) + Self::from(rest.hi / other.hi)
    }
}

/// `x 2^k`, exact unless the result is subnormal or beyond `f64`; in steps, because `2^k` itself may be beyond `f64`.
pub fn shift(x: f64, k: i32) -> f64 {
    let step = |k: i32| 2f64.powi(k.clamp(-1000, 1000));
    let first = k.clamp(-1000, 1000);
    let second = (k - first).clamp(-1000, 1000);
    x * step(first) * step(second) * step(k - first - second)
}

/// `⌊log₂ |x|⌋`, 0 for zero.
pub fn exponent(x: f64) -> i32 {
    if x == 0.0 || !x.is_finite() {
        return 0;
    }
    // Subnormals are scaled to normal numbers first.
    let (x, extra) = if x.abs() < f64::MIN_POSITIVE { (x * 2f64.powi(64), 64) } else { (x, 0) };
    ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023 - extra
}

/// `a · b`.
pub fn dot(a: &[f64], b: &[f64]) -> Double {
    a.iter().zip(b).fold(ZERO, |sum, (a, b)| sum + Double::product(*a, *b))
}

/// `|a| · |b|`, rounded.
pub fn abs_dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a * b).abs()).sum()
}

/// `|a|`, rounded; for numbers of order one.
pub fn norm(a: impl Iterator<Item = f64>) -> f64 {
    a.map(|x| x * x).sum::<f64>().sqrt()
}

/// `aᵀ M b`.
pub fn quadratic(a: &[f64], m: &[Vec<f64>], b: &[f64]) -> Double {
    a.iter().zip(m).fold(ZERO, |sum, (a, row)| sum + dot(row, b) * Double::from(*a))
}

/// `|a|ᵀ |M| |b|`, rounded.
pub fn abs_quadratic(a: &[f64], m: &[Vec<f64>], b: &[f64]) -> f64 {
    a.iter().zip(m).map(|(a, row)| a.abs() * abs_dot(row, b)).sum()
}

/// The lower factor of a symmetric matrix, of which the lower triangle is read.
pub struct Cholesky {
    rows: Vec<Vec<Double>>,
    /// The smallest pivot over its diagonal entry.
    pub least_pivot: f64,
}

impl Cholesky {
    /// `None` if a pivot is not positive.
    pub fn new(m: &[Vec<f64>]) -> Option<Self> {
        let mut rows: Vec<Vec<Double>> = Vec::with_capacity(m.len());
        let mut least_pivot = f64::INFINITY;
        for i in 0..m.len() {
            let mut row: Vec<Double> = Vec::with_capacity(i + 1);
            for j in 0..=i {
                let above = if j == i { &row } else { &rows[j] };
                let taken = (0..j).fold(ZERO, |sum, k| sum + row[k] * above[k]);
                let left = Double::from(m[i][j]) - taken;
                if j < i {
                    row.push(left / rows[j][j]);
                } else if left.hi() > 0.0 {
                    least_pivot = least_pivot.min(left.hi() / m[i][i]);
                    row.push(left.sqrt());
                } else {
                    return None;
                }
            }
            rows.push(row);
        }
        Some(Self { rows, least_pivot })
    }

    /// `aᵀ M⁻¹ a`.
    pub fn inverse_quadratic(&self, a: &[f64]) -> Double {
        let mut solved: Vec<Double> = Vec::with_capacity(a.len());
        for (row, a) in self.rows.iter().zip(a) {
            let taken = row.iter().zip(&solved).fold(ZERO, |sum, (l, x)| sum + *l * *x);
            solved.push((Double::from(*a) - taken) / row[row.len() - 1]);
        }
        solved.iter().fold(ZERO, |sum, x| sum + *x * *x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1e16 + 1 - 1e16 and products whose low halves alone are left.
    #[test]
    fn sums_keep_what_f64_loses() {
        assert_eq!(dot(&[1e16, 1.0, -1e16], &[1.0; 3]).hi(), 1.0);
        let x = 1.0 + f64::EPSILON;
        // (1 + ε)² - 1 - 2ε = ε².
        assert_eq!(dot(&[x, -1.0, -2.0], &[x, 1.0, f64::EPSILON]).hi(), f64::EPSILON * f64::EPSILON);
        assert_eq!(
            quadratic(&[1.0, -1.0], &[vec![1e20, 1e20], vec![1e20, 1e20 + 32768.0]], &[1.0, -1.0]).hi(),
            32768.0
        );
    }

    /// (1 + 2⁻⁸⁰)(1 - 2⁻⁸⁰) = 1 - 2⁻¹⁶⁰, and quotients and roots multiplied back.
    #[test]
    fn products_quotients_and_roots_have_a_hundred_bits() {
        let tiny = 2f64.powi(-80);
        let [more, less] = [Double::sum(1.0, tiny), Double::sum(1.0, -tiny)];
        assert_eq!((more * less).hi(), 1.0);
        assert!((more * less - Double::from(1.0)).abs().hi() <= 2f64.powi(-104));
        assert_eq!((more - less).hi(), 2.0 * tiny);
        for (a, b) in [(1.0, 3.0), (2.0, 7.0), (-5.5, 0.1), (1e100, 3e-100), (1.0 + f64::EPSILON, 0.7)] {
            let quotient = Double::from(a) / Double::from(b);
            let off = (quotient * Double::from(b) - Double::from(a)).abs().hi();
            assert!(off <= 2f64.powi(-102) * a.abs(), "{a} / {b}: {off:e}");
            let root = Double::sum(a.abs(), a.abs() * tiny).sqrt();
            let off = (root * root - Double::sum(a.abs(), a.abs() * tiny)).abs().hi();
            assert!(off <= 2f64.powi(-102) * a.abs(), "sqrt {a}: {off:e}");
        }
    }

    /// A Hilbert matrix of order 8 has the condition 1.5e10, and 64 as the first entry of its inverse.
    #[test]
    fn cholesky_of_a_hilbert_matrix() {
        let lcm = 360_360.0;
        let hilbert: Vec<Vec<f64>> = (0..8).map(|i| (0..8).map(|j| lcm / f64::from(i + j + 1)).collect()).collect();
        assert!(hilbert.iter().flatten().all(|x| x.fract() == 0.0));
        let factor = Cholesky::new(&hilbert).unwrap();
        let mut first = [0.0; 8];
        first[0] = lcm;
        let off = factor.inverse_quadratic(&first) / Double::from(lcm) - Double::from(64.0);
        // The condition, 1.5e10, of a few 2⁻¹⁰⁶; without the second halves it would be 1e-4.
        assert!(off.abs().hi() < 1e-19, "{off:?}");
        assert!(Cholesky::new(&[vec![1.0, 2.0], vec![2.0, 1.0]]).is_none());
    }

    #[test]
    fn powers_of_two_are_exact_to_the_ends_of_the_range() {
        assert_eq!(exponent(1.0), 0);
        assert_eq!(exponent(-0.75), -1);
        assert_eq!(exponent(5e-324), -1074);
        assert_eq!(exponent(f64::MAX), 1023);
        assert_eq!(shift(5e-324, 2097), 2f64.powi(1023));
        assert_eq!(shift(2f64.powi(1023), -2097), 5e-324);
    }
}
