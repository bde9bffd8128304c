//! Formatting of numbers for people.

/// `x` with `digits` significant digits, without trailing zeros.
pub fn significant(x: f64, digits: usize) -> String {
    if x == 0.0 {
        return "0".into();
    }
    let scientific = format!("{:.*e}", digits - 1, x);
    let exponent = scientific.split_once('e').and_then(|(_, e)| e.parse::<i32>().ok()).unwrap_or(0);
    if !(-5..=6).contains(&exponent) {
        let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
        return format!("{}e{exponent}", without_trailing_zeros(mantissa));
    }
    let decimals = usize::try_from(digits as i32 - 1 - exponent).unwrap_or(0);
    without_trailing_zeros(&format!("{x:.decimals$}")).to_owned()
}

/// [`significant`] with an explicit plus sign.
pub fn signed(x: f64, digits: usize) -> String {
    let text = significant(x, digits);
    if x > 0.0 { format!("+{text}") } else { text }
}

/// Zero if `x` is within `rounding` of it.
pub fn tidy(x: f64, rounding: f64) -> f64 {
    if x.abs() <= rounding { 0.0 } else { x }
}

fn without_trailing_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_digits() {
        for (x, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (-0.134_202_014, "-0.134202"),
            (1234567.8, "1234568"),
            (12345678.0, "1.23457e7"),
            (0.000012345678, "0.0000123457"),
            (1.5e-9, "1.5e-9"),
            (0.9999999, "1"),
            (100.0, "100"),
        ] {
            assert_eq!(significant(x, 6), text);
        }
        assert_eq!(signed(0.5, 3), "+0.5");
        assert_eq!(signed(-0.5, 3), "-0.5");
    }
}
