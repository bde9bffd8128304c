//! The ranges of a map's axes.

use std::str::FromStr;

use crate::error::MapError;
use crate::map::{Axis, Quantity};

/// The ranges of a map's axes; by default they are chosen from the curves.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Range {
    /// The range of the horizontal axis.
    pub x: Option<[f64; 2]>,
    /// The range of the vertical axis; `None` for the lower bound keeps the default.
    pub y: Option<(Option<f64>, f64)>,
}

impl FromStr for Range {
    type Err = MapError;

    /// `MAX` or `MIN:MAX` for the vertical axis, `MIN:MAX,MIN:MAX` for both, horizontal first.
    fn from_str(text: &str) -> Result<Self, MapError> {
        let wrong = || MapError::RangeSyntax { text: text.to_owned() };
        let number = |text: &str| text.trim().parse::<f64>().map_err(|_| wrong());
        let pair = |text: &str| match text.split_once(':') {
            Some((low, high)) => Ok([number(low)?, number(high)?]),
            None => Err(wrong()),
        };
        let vertical = |text: &str| match text.split_once(':') {
            Some(_) => pair(text).map(|[low, high]| (Some(low), high)),
            None => number(text).map(|high| (None, high)),
        };
        Ok(match text.split_once(',') {
            Some((x, y)) => Self { x: Some(pair(x)?), y: Some(vertical(y)?) },
            None => Self { x: None, y: Some(vertical(text)?) },
        })
    }
}

/// An axis with these bounds.
pub(crate) fn axis(quantity: Quantity, ends: [f64; 2]) -> Result<Axis, MapError> {
    checked(quantity, ends).map(|[min, max]| Axis { quantity, min, max })
}

/// Rejects bounds that are not increasing or out of range.
fn checked(quantity: Quantity, ends: [f64; 2]) -> Result<[f64; 2], MapError> {
    let (bound, least, most) = match quantity {
        Quantity::Restitution => ("[0, 1]", 0.0, 1.0),
        Quantity::Friction => ("[0, 1e6]", 0.0, 1e6),
        Quantity::VelocityRatio | Quantity::VelocityRatio1 | Quantity::VelocityRatio2 => ("[-1e6, 1e6]", -1e6, 1e6),
    };
    // An axis needs a finite width: adjacent floating-point numbers are not a range.
    let is_sound = least <= ends[0] && ends[1] <= most && ends[1] - ends[0] > 1e-6 * ends[1].abs().max(ends[0].abs());
    if is_sound { Ok(ends) } else { Err(MapError::Range { quantity, value: ends, bound }) }
}

/// The smallest of 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8 times a power of ten that is not below `x > 0`.
pub(crate) fn round_up(x: f64) -> f64 {
    let unit = 10_f64.powf(x.log10().floor());
    let steps = [1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    steps.into_iter().map(|step| step * unit).find(|&end| end >= x * (1.0 - 1e-9)).unwrap_or(10.0 * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read() {
        let read = |text: &str| text.parse::<Range>().unwrap();
        assert_eq!(read("2"), Range { x: None, y: Some((None, 2.0)) });
        assert_eq!(read("0.1:2"), Range { x: None, y: Some((Some(0.1), 2.0)) });
        assert_eq!(read("0:0.5, 0:2"), Range { x: Some([0.0, 0.5]), y: Some((Some(0.0), 2.0)) });
        for wrong in ["", "a", "1:", "1,2", "1:2:3"] {
            let error = wrong.parse::<Range>().unwrap_err();
            assert_eq!(error, MapError::RangeSyntax { text: wrong.to_owned() });
        }
        assert_eq!([0.07, 0.9, 1.0, 1.01, 13.0].map(round_up), [0.08, 1.0, 1.0, 1.2, 15.0]);
    }

    #[test]
    fn ranges_out_of_bounds_are_refused() {
        let message = |ends| checked(Quantity::Restitution, ends).unwrap_err().to_string();
        assert_eq!(message([0.0, 1.5]), "range of restitution: 0:1.5 is not an increasing pair in [0, 1]");
        assert!(checked(Quantity::Friction, [0.5, 0.5]).is_err());
        assert!(checked(Quantity::Friction, [0.0, f64::NAN]).is_err());
        assert!(checked(Quantity::Friction, [-0.1, 1.0]).is_err());
        assert!(checked(Quantity::VelocityRatio, [-3.0, 3.0]).is_ok());
    }
}
