//! The coefficients of restitution and friction, checked once, on construction.

use crate::error::{Error, Field, Result, finite};
use crate::numeric::scaling::scale;

/// Friction below this (2^-960) in the units of a contact may lose digits to underflow where it is multiplied with impulses.
const LEAST_FRICTION: f64 = 1.1e-289;

/// Restitution of a contact: the matrix `E = diag(e, e_t, e_t)` of \[9\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Restitution {
    normal: Normal,
    tangential: f64,
    kind: Option<RestitutionKind>,
}

/// What the normal coefficient is the ratio of, for the law `chord`, which offers both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum RestitutionKind {
    /// Of the normal impulses of restitution and compression, `p_r = e p_c`.
    #[default]
    Poisson,
    /// Of the normal velocities, `v_n⁺ = -e v_n⁻`, as far as `p_r <= p_c` allows.
    Newton,
}

impl RestitutionKind {
    /// Both kinds, the default first.
    pub const ALL: [Self; 2] = [Self::Poisson, Self::Newton];

    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Poisson => "poisson",
            Self::Newton => "newton",
        }
    }
}

/// How the normal coefficient is given.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Normal {
    Constant(f64),
    /// `e = 1 - alpha |v_n-|`, clamped to [0, 1].
    HuntCrossley {
        alpha: f64,
    },
}

impl Restitution {
    /// No restitution: `e = e_t = 0`.
    pub const ZERO: Self = Self { normal: Normal::Constant(0.0), tangential: 0.0, kind: None };

    /// A normal coefficient `e` in [0, 1], with `e_t = 0`.
    ///
    /// # Errors
    /// `restitution` not finite or outside [0, 1].
    pub fn new(normal: f64) -> Result<Self> {
        in_range(normal, 0.0, 1.0, "restitution", "[0, 1]")?;
        Ok(Self { normal: Normal::Constant(normal), tangential: 0.0, kind: None })
    }

    /// A normal coefficient `e` in [0, 1] and a tangential one `e_t` in [-1, 1].
    ///
    /// The tangential coefficient applies when the contact sticks; slip and reversal ignore it.
    ///
    /// # Errors
    /// `restitution.normal` or `restitution.tangential` not finite or out of range.
    pub fn with_tangential(normal: f64, tangential: f64) -> Result<Self> {
        in_range(normal, 0.0, 1.0, "restitution.normal", "[0, 1]")?;
        in_range(tangential, -1.0, 1.0, "restitution.tangential", "[-1, 1]")?;
        Ok(Self { normal: Normal::Constant(normal), tangential, kind: None })
    }

    /// The speed-dependent coefficient of a Hunt-Crossley contact, `e = 1 - alpha |v_n-|`,
    /// clamped to [0, 1]; `alpha >= 0` in s/m.
    ///
    /// # Errors
    /// `restitution.hunt_crossley.alpha` not finite or negative.
    pub fn hunt_crossley(alpha: f64) -> Result<Self> {
        let field = "restitution.hunt_crossley.alpha";
        in_range(alpha, 0.0, f64::INFINITY, field, "[0, inf)")?;
        Ok(Self { normal: Normal::HuntCrossley { alpha }, tangential: 0.0, kind: None })
    }

    /// [`Restitution::hunt_crossley`] from the contact's stiffness `k > 0` and damping `c >= 0`:
    /// `alpha = 2 c / (3 k)`.
    ///
    /// # Errors
    /// `restitution.hunt_crossley.stiffness` not finite or not positive, `.damping` not finite or negative, or their
    /// ratio beyond the range of `f64`.
    pub fn from_stiffness_and_damping(stiffness: f64, damping: f64) -> Result<Self> {
        let (k, c) = ("restitution.hunt_crossley.stiffness", "restitution.hunt_crossley.damping");
        finite(stiffness, || k.into())?;
        if stiffness <= 0.0 {
            return Err(Error::OutOfRange { field: k.into(), value: stiffness, bound: "(0, inf)".into() });
        }
        in_range(damping, 0.0, f64::INFINITY, c, "[0, inf)")?;
        let alpha = damping / stiffness * (2.0 / 3.0);
        if !alpha.is_finite() {
            let bound = format!("[0, 1.8e308 stiffness = 1.8e308 x {stiffness}]").into();
            return Err(Error::OutOfRange { field: c.into(), value: damping, bound });
        }
        Self::hunt_crossley(alpha)
    }

    /// The normal coefficient `e` for a contact that approaches at `speed >= 0`.
    pub fn normal_at(&self, speed: f64) -> f64 {
        match self.normal {
            Normal::Constant(e) => e,
            Normal::HuntCrossley { alpha } => (1.0 - alpha * speed).clamp(0.0, 1.0),
        }
    }

    /// `alpha` of a coefficient that falls with the speed, s/m; `None` for a constant one.
    pub fn alpha(&self) -> Option<f64> {
        match self.normal {
            Normal::Constant(_) => None,
            Normal::HuntCrossley { alpha } => Some(alpha),
        }
    }

    /// The tangential coefficient `e_t`.
    pub fn tangential(&self) -> f64 {
        self.tangential
    }

    /// The same coefficients of a given kind, for the law `chord`; other laws refuse it.
    pub fn of_kind(self, kind: RestitutionKind) -> Self {
        Self { kind: Some(kind), ..self }
    }

    /// The same coefficients without a kind.
    pub fn without_kind(self) -> Self {
        Self { kind: None, ..self }
    }

    /// The kind, if one was given.
    pub fn kind(&self) -> Option<RestitutionKind> {
        self.kind
    }

    /// Refuses a kind of restitution, which only the law `chord` has.
    #[inline(always)]
    pub(crate) fn check_no_kind(&self, law: &str) -> Result<()> {
        match self.kind {
            None => Ok(()),
            Some(kind) => Err(kind_refused(kind, law)),
        }
    }
}

/// Coulomb's coefficients, `0 <= dynamic <= static`.
///
/// Serialised as `{"static": 0.6, "dynamic": 0.5}`; read from that, or from one number for both, and checked as by the
/// constructors.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "stated::Friction"))]
pub struct Friction {
    /// Static coefficient, which bounds friction in stick.
    #[cfg_attr(feature = "serde", serde(rename = "static"))]
    mu_s: f64,
    /// Dynamic coefficient, of friction in slip.
    #[cfg_attr(feature = "serde", serde(rename = "dynamic"))]
    mu_d: f64,
}

/// Coefficients as given, before they are checked.
#[cfg(feature = "serde")]
mod stated {
    use std::fmt;

    use serde::de::{Deserialize, Deserializer, MapAccess, Visitor, value::MapAccessDeserializer};

    use crate::error::{Error, Result};

    pub(super) enum Friction {
        One(f64),
        Both(Both),
    }

    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct Both {
        r#static: f64,
        dynamic: f64,
    }

    impl TryFrom<Friction> for super::Friction {
        type Error = Error;

        fn try_from(stated: Friction) -> Result<Self> {
            match stated {
                Friction::One(mu) => Self::new(mu),
                Friction::Both(Both { r#static, dynamic }) => Self::with_static(r#static, dynamic),
            }
        }
    }

    /// Written by hand because the messages of an untagged enum do not tell the cause.
    impl<'de> Deserialize<'de> for Friction {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
            struct NumberOrBoth;

            impl<'de> Visitor<'de> for NumberOrBoth {
                type Value = Friction;

                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("a number, or `static` and `dynamic`")
                }

                fn visit_f64<E>(self, mu: f64) -> std::result::Result<Friction, E> {
                    Ok(Friction::One(mu))
                }

                fn visit_u64<E>(self, mu: u64) -> std::result::Result<Friction, E> {
                    Ok(Friction::One(mu as f64))
                }

                fn visit_i64<E>(self, mu: i64) -> std::result::Result<Friction, E> {
                    Ok(Friction::One(mu as f64))
                }

                fn visit_map<A: MapAccess<'de>>(self, map: A) -> std::result::Result<Friction, A::Error> {
                    Both::deserialize(MapAccessDeserializer::new(map)).map(Friction::Both)
                }
            }

            deserializer.deserialize_any(NumberOrBoth)
        }
    }
}

impl Friction {
    /// One coefficient for both, `mu >= 0`.
    ///
    /// # Errors
    /// `friction` not finite, negative, or a subnormal number, which has lost digits.
    pub fn new(mu: f64) -> Result<Self> {
        friction_in_range(mu, "friction")?;
        Ok(Self { mu_s: mu, mu_d: mu })
    }

    /// `0 <= mu_d <= mu_s`.
    ///
    /// # Errors
    /// `friction.static` or `friction.dynamic` not finite, negative or a subnormal number, or `mu_d > mu_s`.
    pub fn with_static(mu_s: f64, mu_d: f64) -> Result<Self> {
        friction_in_range(mu_s, "friction.static")?;
        friction_in_range(mu_d, "friction.dynamic")?;
        if mu_d > mu_s {
            return Err(Error::OutOfRange {
                field: "friction.dynamic".into(),
                value: mu_d,
                bound: format!("[0, friction.static = {mu_s}]").into(),
            });
        }
        Ok(Self { mu_s, mu_d })
    }

    /// The static coefficient, which bounds friction in stick.
    pub fn mu_s(&self) -> f64 {
        self.mu_s
    }

    /// The dynamic coefficient, of friction in slip.
    pub fn mu_d(&self) -> f64 {
        self.mu_d
    }
}

#[cold]
fn kind_refused(kind: RestitutionKind, law: &str) -> Error {
    Error::Unsupported {
        field: "restitution.kind".into(),
        value: kind.name(),
        reason: format!("is only available for law = \"chord\"; leave it out with {law:?}").into(),
    }
}

fn in_range(value: f64, low: f64, high: f64, field: &'static str, bound: &'static str) -> Result<()> {
    finite(value, || field.into())?;
    if value < low || value > high {
        return Err(Error::OutOfRange { field: field.into(), value, bound: bound.into() });
    }
    Ok(())
}

/// A coefficient of friction has all its digits, so that the cone can be told to 1e-9.
fn friction_in_range(mu: f64, field: &'static str) -> Result<()> {
    in_range(mu, 0.0, f64::INFINITY, field, "[0, inf)")?;
    if mu.is_subnormal() {
        let bound = "0 and [2.2e-308, inf): less has lost its digits, use 0".into();
        return Err(Error::OutOfRange { field: field.into(), value: mu, bound });
    }
    Ok(())
}

/// `μ_s` and `μ_d` of a contact; zeros without tangents, where friction is ignored.
///
/// # Errors
/// A contact with tangents has no friction.
#[inline(always)]
pub(crate) fn required(
    friction: Option<Friction>,
    has_tangents: bool,
    field: impl FnOnce() -> Field,
) -> Result<[f64; 2]> {
    match friction {
        _ if !has_tangents => Ok([0.0; 2]),
        Some(friction) => Ok([friction.mu_s(), friction.mu_d()]),
        None => Err(missing(field())),
    }
}

#[cold]
fn missing(field: Field) -> Error {
    Error::Missing { field, reason: "only a contact of dimension 1 can do without".into() }
}

/// `mu 2^exponent`: a coefficient in the units of a contact, whose tangents are `2^exponent` times as mobile as its normal.
///
/// # Errors
/// It is beyond the range of `f64`, or has lost digits.
#[cold]
pub(crate) fn in_units(mu: f64, exponent: i32, field: impl FnOnce() -> Field) -> Result<f64> {
    let scaled = scale(mu, exponent);
    if !scaled.is_finite() {
        return Err(Error::Overflow { field: field() });
    }
    if exponent < 0 && mu > 0.0 && scaled < LEAST_FRICTION {
        let least = scale(LEAST_FRICTION, -exponent);
        let bound =
            format!("0 and [{least:e}, inf): less loses its digits beside tangents of so little mobility, use 0");
        return Err(Error::OutOfRange { field: field(), value: mu, bound: bound.into() });
    }
    Ok(scaled)
}

/// The coefficients of a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coefficients {
    /// Normal and tangential restitution.
    pub restitution: Restitution,
    /// Friction; optional for a contact of dimension 1, which ignores it, and required otherwise.
    pub friction: Option<Friction>,
}

impl Coefficients {
    /// Restitution and friction.
    pub fn new(restitution: Restitution, friction: Friction) -> Self {
        Self { restitution, friction: Some(friction) }
    }

    /// Restitution alone, for a contact of dimension 1.
    pub fn frictionless(restitution: Restitution) -> Self {
        Self { restitution, friction: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(r: Result<impl std::fmt::Debug>) -> String {
        r.unwrap_err().to_string()
    }

    #[test]
    fn errors_name_field_value_and_bound() {
        assert_eq!(message(Restitution::new(1.2)), "restitution = 1.2 is outside [0, 1]");
        assert_eq!(
            message(Restitution::with_tangential(0.5, -1.5)),
            "restitution.tangential = -1.5 is outside [-1, 1]"
        );
        assert_eq!(
            message(Friction::with_static(0.5, 0.7)),
            "friction.dynamic = 0.7 is outside [0, friction.static = 0.5]"
        );
        assert_eq!(message(Friction::new(-0.1)), "friction = -0.1 is outside [0, inf)");
        assert_eq!(message(Friction::new(f64::NAN)), "friction = NaN is not finite");
        let too_few = "is outside 0 and [2.2e-308, inf): less has lost its digits, use 0";
        assert!(message(Friction::new(6e-315)).starts_with("friction = "));
        assert!(message(Friction::new(6e-315)).ends_with(too_few));
        assert!(message(Friction::with_static(0.5, 6e-315)).starts_with("friction.dynamic = "));
        assert!(Friction::new(f64::MIN_POSITIVE).is_ok() && Friction::new(0.0).is_ok());
        assert_eq!(
            message(Restitution::from_stiffness_and_damping(0.0, 1.0)),
            "restitution.hunt_crossley.stiffness = 0 is outside (0, inf)"
        );
    }

    #[cfg(feature = "serde")]
    #[test]
    fn friction_is_read_as_the_constructors_take_it() {
        let read = |text: &str| serde_json::from_str::<Friction>(text).map_err(|error| error.to_string());
        assert_eq!(read("0.5"), Ok(Friction::new(0.5).unwrap()));
        assert_eq!(read("1"), Ok(Friction::new(1.0).unwrap()));
        let both = Friction::with_static(0.6, 0.5).unwrap();
        assert_eq!(read(r#"{"static": 0.6, "dynamic": 0.5}"#), Ok(both));
        assert_eq!(serde_json::to_string(&both).unwrap(), r#"{"static":0.6,"dynamic":0.5}"#);
        for (text, message) in [
            ("-0.5", "friction = -0.5 is outside [0, inf)"),
            ("-1", "friction = -1 is outside [0, inf)"),
            (r#"{"static": -0.6, "dynamic": -0.7}"#, "friction.static = -0.6 is outside [0, inf)"),
            (r#"{"static": 0.5, "dynamic": 0.7}"#, "friction.dynamic = 0.7 is outside [0, friction.static = 0.5]"),
            (r#"{"static": 0.5}"#, "missing field `dynamic`"),
            (r#"{"dynamic": 0.5}"#, "missing field `static`"),
            (r#"{"static": 0.5, "dynamic": 0.5, "kinetic": 0.5}"#, "unknown field `kinetic`"),
            (r#""0.5""#, "expected a number, or `static` and `dynamic`"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(message), "{text}: {error}");
        }
    }

    #[test]
    fn hunt_crossley_falls_with_speed_and_is_clamped() {
        let r = Restitution::from_stiffness_and_damping(3e4, 9e3).unwrap();
        assert!((r.normal_at(0.5) - 0.9).abs() < 1e-15);
        assert_eq!(r.normal_at(0.0), 1.0);
        assert_eq!(r.normal_at(1e300), 0.0);
    }
}
