//! Axes of a grid: keys and their values.

use std::fmt;
use std::str::FromStr;

use serde_json::Value;

use super::table::ValueKind;
use super::value::{self, Setting};

/// The largest number of samples: up to it, numbers of samples are exact as `f64`.
pub(super) const MOST_SAMPLES: u64 = 1 << 53;

/// A key and its values: `restitution=0:1:200`, both ends included, or `friction=[0.1, 0.2, 0.5]`.
///
/// ```
/// use carom_study::sweep::Axis;
///
/// let axis: Axis = "restitution=0:1:5".parse()?;
/// assert_eq!((axis.key(), axis.count()), ("restitution", 5));
/// assert!("restitution=0:1".parse::<Axis>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    key: String,
    values: Values,
}

#[derive(Debug, Clone, PartialEq)]
enum Values {
    Grid { from: f64, to: f64, count: u64 },
    List(Vec<Value>),
}

impl Axis {
    /// The key of the document.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The number of values.
    pub fn count(&self) -> u64 {
        match &self.values {
            Values::Grid { count, .. } => *count,
            Values::List(values) => values.len() as u64,
        }
    }

    /// The first and the last value, for a grid of numbers.
    pub fn ends(&self) -> Option<[f64; 2]> {
        match self.values {
            Values::Grid { from, to, .. } => Some([from, to]),
            Values::List(_) => None,
        }
    }

    /// The value at an index, if it is a number.
    pub fn number(&self, place: u64) -> Option<f64> {
        Some(self.setting(place).number()).filter(|number| !number.is_nan())
    }

    /// The value at an index, as text.
    pub fn text(&self, place: u64) -> String {
        self.setting(place).word().into_owned()
    }

    /// The value at an index; beyond the last index, the last value.
    pub(super) fn setting(&self, place: u64) -> Setting<'_> {
        match &self.values {
            Values::Grid { to, count, .. } if place + 1 >= *count => Setting::Number(*to),
            // As a quotient of a sum of products 0:0.9:10 has 0.1, not 0.09999999999999999.
            Values::Grid { from, to, count } => {
                let (before, after) = (place as f64, (count - 1 - place) as f64);
                Setting::Number((from * after + to * before) / (count - 1) as f64)
            }
            Values::List(values) => Setting::Data(&values[(place as usize).min(values.len() - 1)]),
        }
    }

    /// All values of a list; none of a grid.
    pub(super) fn listed(&self) -> &[Value] {
        match &self.values {
            Values::Grid { .. } => &[],
            Values::List(values) => values,
        }
    }

    pub(super) fn kind(&self) -> ValueKind {
        match &self.values {
            Values::Grid { .. } => ValueKind::Number,
            Values::List(values) => value::kind_of(values),
        }
    }
}

impl FromStr for Axis {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (key, values) = value::split(text, "KEY=FROM:TO:COUNT or KEY=[VALUE, ...]")?;
        let values = match values.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')) {
            Some(inner) => Values::List(value::list(inner)?),
            None => grid(&values)?,
        };
        Ok(Self { key, values })
    }
}

fn grid(text: &str) -> Result<Values, String> {
    let [from, to, count] = text.split(':').collect::<Vec<_>>()[..] else {
        return Err(format!("{text:?} is neither FROM:TO:COUNT, such as 0:1:200, nor a list, such as [0.1, 0.2]"));
    };
    let (from, to) = (value::number(from)?, value::number(to)?);
    let count = count.trim().parse().ok().filter(|count| (2..=MOST_SAMPLES).contains(count));
    let count = count.ok_or_else(|| {
        format!("the count of {text:?} must be an integer from 2 to 2^53; for one value use a list, such as [{from}]")
    })?;
    if !(from.abs().max(to.abs()) * 2.0 * count as f64).is_finite() {
        return Err(format!("the ends of {text:?}, times its count, exceed the range of f64"));
    }
    Ok(Values::Grid { from, to, count })
}

/// The text from which the same axis is read.
impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.values {
            Values::Grid { from, to, count } => {
                write!(f, "{}={}:{}:{count}", self.key, Value::from(*from), Value::from(*to))
            }
            Values::List(values) => write!(f, "{}={}", self.key, Value::from(values.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_have_both_ends_and_lists_keep_their_order() {
        let axis: Axis = "friction = -1 : 0.2 : 4".parse().unwrap();
        let values: Vec<f64> = (0..4).map(|k| axis.number(k).unwrap()).collect();
        assert_eq!([values[0], values[3]], [-1.0, 0.2]);
        assert!((values[1] + 0.6).abs() < 1e-15 && (values[2] + 0.2).abs() < 1e-15, "{values:?}");
        let tenths: Axis = "a=0:1:11".parse().unwrap();
        assert!((0..=10).all(|k| tenths.number(k) == Some(k as f64 / 10.0)));
        let part: Axis = "a=0:0.9:10".parse().unwrap();
        assert_eq!([1, 2].map(|k| part.number(k).unwrap()), [0.1, 0.2]);
        // The products are rounded, too.
        assert!((0..10).all(|k| (part.number(k).unwrap() - k as f64 / 10.0).abs() <= f64::EPSILON / 2.0));
        let list: Axis = "law=[poisson, aghili]".parse().unwrap();
        assert_eq!([list.text(0), list.text(1)], ["poisson", "aghili"]);
        let short: Axis = "a=[.5, +1]".parse().unwrap();
        assert_eq!([short.number(0), short.number(1)], [Some(0.5), Some(1.0)]);
        let mixed: Axis = r#"friction=[0.5, {"static": 0.5, "dynamic": 0.4}]"#.parse().unwrap();
        assert_eq!((mixed.count(), mixed.number(0), mixed.number(1)), (2, Some(0.5), None));
        for axis in [axis, tenths, list, mixed] {
            assert_eq!(axis.to_string().parse::<Axis>().unwrap(), axis);
        }
    }

    #[test]
    fn what_is_no_axis_says_why() {
        for (text, part) in [
            ("friction", "does not have the form KEY="),
            ("=0:1:5", "is not a path"),
            ("a=0:1", "is neither FROM:TO:COUNT"),
            ("a=0:1:2:3", "is neither FROM:TO:COUNT"),
            ("a=0:x:5", "\"x\" is not a finite number"),
            ("a=0:inf:5", "\"inf\" is not a finite number"),
            ("a=0:1:1", "integer from 2 to 2^53"),
            ("a=0:1:2.5", "integer from 2 to 2^53"),
            ("a=0:1:-3", "integer from 2 to 2^53"),
            ("a=-1e308:1e308:3", "exceed the range of f64"),
            ("a=[]", "at least one value"),
            ("a=[1, (]", "is not a value"),
            ("a=[1, 1e999]", "\"1e999\" is not a finite number"),
        ] {
            let error = text.parse::<Axis>().unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
