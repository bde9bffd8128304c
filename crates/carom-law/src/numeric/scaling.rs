//! Powers of two: the only factors the law ever rescales by.
//!
//! Multiplying by a power of two is exact, so a problem brought to order one and back loses no
//! bit (short of underflow), and the answer is bit-identical under power-of-two changes of units.

/// Numbers with exponents up to this are left as they are: no product or square that the law forms of
/// them leaves the range of `f64`, and rescaling them would not change a bit of the answer.
pub(crate) const TAME: i32 = 60;

/// The larger of two numbers that are not NaN: one instruction, where `f64::max` takes five.
#[inline(always)]
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// Whether `x` is zero or needs no rescaling.
#[inline(always)]
#[allow(clippy::manual_range_contains, reason = "without a branch")]
pub(crate) fn is_tame(x: f64) -> bool {
    const LOW: f64 = power_of_two(-TAME);
    const HIGH: f64 = power_of_two(TAME);
    let size = x.abs();
    ((size >= LOW) & (size <= HIGH)) | (x == 0.0)
}

/// `x * 2^exponent`, for any exponent; underflow goes to zero and overflow to infinity.
#[inline(always)]
pub(crate) fn scale(x: f64, exponent: i32) -> f64 {
    if exponent == 0 { x } else { scale_by(x, exponent) }
}

/// [`scale`] where the exponent is seldom zero: every entry of a matrix in units of its rows and columns.
#[inline(always)]
pub(crate) fn scale_often(x: f64, exponent: i32) -> f64 {
    if (-1022..=1023).contains(&exponent) { x * power_of_two(exponent) } else { scale_far(x, exponent) }
}

#[cold]
fn scale_by(x: f64, exponent: i32) -> f64 {
    scale_often(x, exponent)
}

/// `2^exponent` for exponents of normal numbers, -1022 to 1023.
const fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// [`scale`] where `2^exponent` is itself no normal number.
fn scale_far(mut x: f64, exponent: i32) -> f64 {
    // ±4400 is past the whole range of f64 from either end.
    let mut left = exponent.clamp(-4400, 4400);
    while left > 1000 {
        x *= power_of_two(1000);
        left -= 1000;
    }
    while left < -1000 {
        x *= power_of_two(-1000);
        left += 1000;
    }
    x * power_of_two(left)
}

/// Whether numbers in units of `2^unit` are rounded by more than 2^-40 where they are told in units of one: the least number of
/// `f64` is 2^-1074.
pub(crate) fn loses_digits(unit: i32) -> bool {
    unit < 40 - 1074
}

/// `floor(log2 |x|)` for finite `x`; 0 for `x = 0`.
#[inline(always)]
pub(crate) fn exponent(x: f64) -> i32 {
    let biased = ((x.to_bits() >> 52) & 0x7ff) as i32;
    if biased == 0 { exponent_subnormal(x) } else { biased - 1023 }
}

#[cold]
fn exponent_subnormal(x: f64) -> i32 {
    let mantissa = x.to_bits() & ((1 << 52) - 1);
    if mantissa == 0 {
        0
    } else {
        // The lowest subnormal, 2^-1074, has 63 leading zeros.
        -1011 - mantissa.leading_zeros() as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponent_is_the_floor_of_log2() {
        for e in -1074..=1023 {
            let x = scale(1.0, e);
            assert_eq!(exponent(x), e, "2^{e}");
            assert_eq!(exponent(-x), e);
            if e > -1000 {
                assert_eq!(exponent(x * 1.75), e);
            }
        }
        assert_eq!(exponent(0.0), 0);
    }

    #[test]
    fn scaling_there_and_back_is_exact() {
        for e in [-2000, -1074, -1023, -600, 0, 600, 1023, 1024, 2000] {
            let x = 1.2345678901234567;
            if (-1000..=1000).contains(&e) {
                assert_eq!(scale(scale(x, e), -e), x);
            }
        }
        assert_eq!(scale(5e-324, 1074), 1.0);
        assert_eq!(scale(1.0, -1074), 5e-324);
        assert_eq!(scale(1.0, 1024), f64::INFINITY);
        assert_eq!(scale(1.0, -3000), 0.0);
        assert_eq!(scale(f64::MIN_POSITIVE, 2045), scale(1.0, 1023));
    }
}
