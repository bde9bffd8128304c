//! Random values of a key: functions of the seed, the key and the number of the sample.

use std::fmt;
use std::str::FromStr;

use hmac_sha256::Hash;
use serde_json::Value;

use super::philox::uniforms;
use super::table::ValueKind;
use super::value::{self, Setting};

/// A key and the distribution of its values: `uniform(LOW, HIGH)`, `normal(MEAN, DEVIATION)`, `lognormal(MEAN, DEVIATION)` of
/// the logarithm, `choice(VALUE, ...)`.
///
/// ```
/// use carom_study::sweep::Draw;
///
/// let draw: Draw = "state.velocity.elbow=normal(0, 1)".parse()?;
/// assert_eq!(draw.key(), "state.velocity.elbow");
/// assert!("restitution=uniform(1, 0)".parse::<Draw>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Draw {
    key: String,
    distribution: Distribution,
    /// The half of the generator's counter that belongs to the key.
    stream: [u32; 2],
}

#[derive(Debug, Clone, PartialEq)]
enum Distribution {
    Uniform { low: f64, high: f64 },
    Normal { mean: f64, deviation: f64 },
    LogNormal { mean: f64, deviation: f64 },
    Choice(Vec<Value>),
}

impl Draw {
    /// The key of the document.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The value of a sample. The generator's key is the seed, and its counter the sample and a hash of the document's key.
    pub(super) fn setting(&self, seed: u64, sample: u64) -> Setting<'_> {
        let counter = [sample as u32, (sample >> 32) as u32, self.stream[0], self.stream[1]];
        let [u, v] = uniforms(counter, [seed as u32, (seed >> 32) as u32]);
        match &self.distribution {
            Distribution::Uniform { low, high } => Setting::Number(low + (high - low) * u),
            Distribution::Normal { mean, deviation } => Setting::Number(mean + deviation * normal(u, v)),
            Distribution::LogNormal { mean, deviation } => Setting::Number((mean + deviation * normal(u, v)).exp()),
            Distribution::Choice(values) => {
                Setting::Data(&values[((u * values.len() as f64) as usize).min(values.len() - 1)])
            }
        }
    }

    /// The values of a choice; none of the other distributions.
    pub(super) fn listed(&self) -> &[Value] {
        match &self.distribution {
            Distribution::Choice(values) => values,
            _ => &[],
        }
    }

    pub(super) fn kind(&self) -> ValueKind {
        match &self.distribution {
            Distribution::Choice(values) => value::kind_of(values),
            _ => ValueKind::Number,
        }
    }
}

/// A standard normal number from two uniform ones in [0, 1), by the method of Box and Muller.
fn normal(u: f64, v: f64) -> f64 {
    (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

impl FromStr for Draw {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (key, text) = value::split(text, "KEY=DISTRIBUTION(...)")?;
        let unknown = || {
            format!(
                "{text:?} is not one of uniform(LOW, HIGH), normal(MEAN, DEVIATION), lognormal(MEAN, DEVIATION), choice(VALUE, ...)"
            )
        };
        let (name, inner) = text.split_once('(').ok_or_else(unknown)?;
        let inner = inner.strip_suffix(')').ok_or_else(unknown)?;
        let pair = || match inner.split(',').collect::<Vec<_>>()[..] {
            [a, b] => Ok((value::number(a)?, value::number(b)?)),
            ref given => Err(format!("{text:?} needs 2 numbers in its brackets, not {}", given.len())),
        };
        let spread = || {
            let (mean, deviation) = pair()?;
            if deviation < 0.0 {
                return Err(format!("the deviation of {text:?} must not be negative"));
            }
            Ok((mean, deviation))
        };
        let distribution = match name.trim() {
            "uniform" => {
                let (low, high) = pair()?;
                if !(low <= high && (high - low).is_finite()) {
                    return Err(format!("the ends of {text:?} must be in increasing order, at a finite distance"));
                }
                Distribution::Uniform { low, high }
            }
            "normal" => {
                let (mean, deviation) = spread()?;
                Distribution::Normal { mean, deviation }
            }
            "lognormal" => {
                let (mean, deviation) = spread()?;
                Distribution::LogNormal { mean, deviation }
            }
            "choice" => Distribution::Choice(value::list(inner)?),
            _ => return Err(unknown()),
        };
        let digest = Hash::hash(key.as_bytes());
        let part = |k: usize| u32::from_le_bytes([digest[k], digest[k + 1], digest[k + 2], digest[k + 3]]);
        Ok(Self { distribution, stream: [part(0), part(4)], key })
    }
}

/// The text from which the same distribution is read.
impl fmt::Display for Draw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut pair =
            |name: &str, a: f64, b: f64| write!(f, "{}={name}({},{})", self.key, Value::from(a), Value::from(b));
        match &self.distribution {
            Distribution::Uniform { low, high } => pair("uniform", *low, *high),
            Distribution::Normal { mean, deviation } => pair("normal", *mean, *deviation),
            Distribution::LogNormal { mean, deviation } => pair("lognormal", *mean, *deviation),
            Distribution::Choice(values) => {
                let values: Vec<String> = values.iter().map(Value::to_string).collect();
                write!(f, "{}=choice({})", self.key, values.join(","))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str, seed: u64, count: u64) -> Vec<f64> {
        let draw: Draw = text.parse().unwrap();
        (0..count).map(|sample| draw.setting(seed, sample).number()).collect()
    }

    /// Mean and deviation within five standard errors, which a correct generator exceeds once in 10⁶ seeds.
    #[test]
    fn distributions_have_their_moments() {
        let seed = fastrand::u64(..);
        let count = 100_000;
        let check = |text: &str, map: fn(f64) -> f64, mean: f64, variance: f64, kurtosis: f64| {
            let numbers: Vec<f64> = numbers(text, seed, count).into_iter().map(map).collect();
            let n = count as f64;
            let found = numbers.iter().sum::<f64>() / n;
            let second = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
            assert!((found - mean).abs() < 5.0 * (variance / n).sqrt(), "seed {seed}: {text}: mean {found}");
            let error = variance * ((kurtosis - 1.0) / n).sqrt();
            assert!((second - variance).abs() < 5.0 * error, "seed {seed}: {text}: variance {second}");
        };
        check("a=uniform(-1, 3)", |x| x, 1.0, 16.0 / 12.0, 1.8);
        check("a=normal(2, 0.5)", |x| x, 2.0, 0.25, 3.0);
        check("a=lognormal(-1, 0.3)", f64::ln, -1.0, 0.09, 3.0);
        check("a=choice(0, 1)", |x| x, 0.5, 0.25, 1.0 + 1e-3);
        assert!(numbers("a=uniform(-1, 3)", seed, count).iter().all(|x| (-1.0..3.0).contains(x)), "seed {seed}");
    }

    #[test]
    fn a_value_depends_on_seed_key_and_sample_alone() {
        let a: Draw = "state.velocity.a=normal(0, 1)".parse().unwrap();
        let value = |draw: &Draw, seed, sample| draw.setting(seed, sample).number().to_bits();
        assert_eq!(value(&a, 7, 12_345), value(&a.clone(), 7, 12_345));
        let b: Draw = "state.velocity.b=normal(0, 1)".parse().unwrap();
        // Samples beyond 2³² and seeds that differ in their upper halves have other numbers.
        let values = [
            value(&a, 7, 1),
            value(&b, 7, 1),
            value(&a, 8, 1),
            value(&a, 7 + (1 << 32), 1),
            value(&a, 7, 2),
            value(&a, 7, 1 + (1 << 32)),
        ];
        for (i, x) in values.iter().enumerate() {
            assert!(values[..i].iter().all(|y| y != x), "{i}");
        }
    }

    #[test]
    fn two_keys_are_not_correlated() {
        let (a, b) = (numbers("a=normal(0, 1)", 3, 100_000), numbers("b=normal(0, 1)", 3, 100_000));
        let lagged = |lag: usize| a[lag..].iter().zip(&b).map(|(x, y)| x * y).sum::<f64>() / 100_000.0;
        let own = |lag: usize| a[lag..].iter().zip(&a).map(|(x, y)| x * y).sum::<f64>() / 100_000.0;
        // The standard error is 0.0032.
        assert!([0, 1, 2].into_iter().all(|lag| lagged(lag).abs() < 0.016));
        assert!([1, 2].into_iter().all(|lag| own(lag).abs() < 0.016));
    }

    #[test]
    fn what_is_no_distribution_says_why() {
        for (text, part) in [
            ("a=gauss(0, 1)", "is not one of uniform(LOW, HIGH)"),
            ("a=normal(0, 1", "is not one of"),
            ("a=0.5", "is not one of"),
            ("a=normal(0)", "needs 2 numbers in its brackets, not 1"),
            ("a=normal(0, -1)", "must not be negative"),
            ("a=uniform(1, 0)", "increasing order"),
            ("a=uniform(0, nan)", "\"nan\" is not a finite number"),
            ("a=choice()", "at least one value"),
            ("normal(0, 1)", "does not have the form KEY="),
        ] {
            let error = text.parse::<Draw>().unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
        for text in ["a=uniform(-1,3)", "a=choice(slip,report)", "b[2]=lognormal(1e-300,2)"] {
            let draw: Draw = text.parse().unwrap();
            assert_eq!(draw.to_string().parse::<Draw>().unwrap(), draw);
        }
    }
}
