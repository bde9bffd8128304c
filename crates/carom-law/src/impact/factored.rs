//! A contact of a mechanism whose mass matrix the caller has factored: `R` with `W = Rᵀ R` in place of `W`.

use crate::contact::Contact;
use crate::contact::coefficients::Coefficients;
use crate::contact::delassus::{Dimension, Factor};
use crate::error::{Error, Result, finite};
use crate::impact::guard::Guard;
use crate::impact::outcome::{Conditioning, Law, Outcome};
use crate::impact::refinement::{Refinement, whitened_change};
use crate::impact::verify::Evidence;
use crate::numeric::scaling::{exponent, scale};
use crate::numeric::tolerance::{ACCURACY, ROUNDING};

/// The data of a [`FactoredContact`]. With `M = Fᵀ F` and the orthogonal factorisation `(A F⁻¹)ᵀ = Q R`:
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactFactor {
    /// The number of rows of `A`, the normal first.
    pub dimension: Dimension,
    /// `R`, upper triangular, so that `W = Rᵀ R`; entries below its diagonal, or beyond the dimension, are ignored.
    pub factor: [[f64; 3]; 3],
    /// `A q̇⁻`
    pub velocity: [f64; 3],
    /// `s = Qᵀ F q̇⁻`, so that `A q̇⁻ = Rᵀ s`.
    pub whitened_velocity: [f64; 3],
    /// The degrees of freedom `n`.
    pub freedoms: usize,
    /// The condition number of `M` with its diagonal scaled to order one; an estimate suffices.
    pub mass_condition: f64,
}

/// A mechanism about to be struck at one point, for callers who factor their mass matrix themselves.
///
/// Where `W` is ill-conditioned, forming it squares the condition number of the data, and loses digits that `R` and `s` still
/// have. `n x n` matrices are not needed.
#[derive(Debug, Clone, Copy)]
pub struct FactoredContact {
    contact: Contact,
    /// Signs by which the caller's rows of `R` were multiplied so that its diagonal is not negative.
    signs: [f64; 3],
    freedoms: usize,
    condition: Conditioning,
}

impl FactoredContact {
    /// The contact of a factor.
    ///
    /// # Errors
    /// A number that is not finite, or a normal along which no motion is possible.
    pub fn new(given: &ContactFactor) -> Result<Self> {
        let &ContactFactor { dimension, factor, velocity, whitened_velocity, freedoms, mass_condition } = given;
        let d = dimension.rows();
        let mut r = [[0.0; 3]; 3];
        let (mut before, mut s) = ([0.0; 3], [0.0; 3]);
        for i in 0..d {
            for j in i..d {
                r[i][j] = finite(factor[i][j], || format!("factor[{i}][{j}]").into())?;
            }
            before[i] = finite(velocity[i], || format!("velocity[{i}]").into())?;
            s[i] = finite(whitened_velocity[i], || format!("whitened_velocity[{i}]").into())?;
        }
        finite(mass_condition, || "mass_condition".into())?;
        if r[0][0] == 0.0 {
            return Err(Error::ZeroNormal { field: "factor[0][0]".into() });
        }
        let mut signs = [1.0; 3];
        for k in 0..d {
            if r[k][k] < 0.0 {
                r[k].iter_mut().for_each(|entry| *entry = -*entry);
                (s[k], signs[k]) = (-s[k], -1.0);
            }
        }
        let normal_row = exponent(r[0][0]);
        let tangents = (0..d).flat_map(|i| (1..d).map(move |j| (i, j))).map(|(i, j)| r[i][j]);
        let tangential_row = unit_of(tangents).unwrap_or(normal_row);
        for row in &mut r {
            *row = [scale(row[0], -normal_row), scale(row[1], -tangential_row), scale(row[2], -tangential_row)];
        }
        let unit = unit_of(s.into_iter()).unwrap_or(0);
        let factor = Factor { dimension, r, normal_row, tangential_row, rows: freedoms.max(1) };
        let contact = Contact::from_factor(&factor, before, s.map(|s| scale(s, -unit)), unit);
        let delassus = contact.whitened.as_ref().map_or(1.0, |whitened| whitened.condition);
        let condition = Conditioning { mass_matrix: mass_condition.max(1.0), delassus };
        Ok(Self { contact, signs, freedoms, condition })
    }

    /// The contact of the factor.
    pub fn contact(&self) -> &Contact {
        &self.contact
    }

    /// The outcome of the impact by one of the laws, checked against evidence that the caller computes from `q̇⁺`.
    ///
    /// `respond` is given a change `x` of the whitened velocity `s`, and adds `F⁻¹ Q x` to the velocity of the
    /// mechanism, which is initially `q̇⁻`. It may be called again, with a correction for rounding.
    ///
    /// ```
    /// use carom_law::{
    ///     Coefficients, ContactFactor, Dimension, Evidence, FactoredContact, Friction, Guard, Law, Mode, Restitution,
    /// };
    ///
    /// // A particle of mass 4 in a plane: F = 2, coordinates along the normal and the tangent.
    /// let mut velocity = [-1.0, 3.0, 0.0];
    /// let contact = FactoredContact::new(&ContactFactor {
    ///     dimension: Dimension::Planar,
    ///     factor: [[0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0; 3]],
    ///     velocity,
    ///     whitened_velocity: [-2.0, 6.0, 0.0],
    ///     freedoms: 2,
    ///     mass_condition: 1.0,
    /// })?;
    /// let coefficients = Coefficients::new(Restitution::new(0.5)?, Friction::new(0.4)?);
    /// let outcome = contact.impact_verified_by(Law::Aghili, &coefficients, Guard::Report, |change| {
    ///     velocity.iter_mut().zip(change).for_each(|(v, x)| *v += 0.5 * x);
    ///     let [before_size, after_size] = [[3.0; 3]; 2];
    ///     Ok::<_, carom_law::Error>(Evidence {
    ///         after: velocity, before_size, after_size, freedoms: 2, impulse_error: 0.0, energy: None,
    ///     })
    /// })?;
    /// assert_eq!(outcome.mode, Mode::Slip);
    /// assert!((velocity[0] - 0.5).abs() < 1e-15 && (velocity[1] - 2.4).abs() < 1e-15);
    /// # Ok::<(), carom_law::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Contact::impact_by`], those of the caller, and an outcome that contradicts the evidence.
    pub fn impact_verified_by<E: From<Error>>(
        &self,
        law: Law,
        coefficients: &Coefficients,
        guard: Guard,
        mut respond: impl FnMut(&[f64; 3]) -> std::result::Result<Evidence, E>,
    ) -> std::result::Result<Outcome, E> {
        let mut outcome = match law {
            Law::Aghili => self.contact.impact_unchecked(coefficients, guard)?,
            _ => self.contact.impact_by(law, coefficients, guard)?,
        };
        let Some(whitened) = &self.contact.whitened else { return Ok(outcome) };
        let change = self.in_callers_units(whitened_change(&self.contact, whitened, &outcome));
        let mut evidence = respond(&change)?;
        self.contact.refine(&mut outcome, &mut evidence, Refinement::Bounded, |change| {
            let change = self.in_callers_units(*change);
            if change.iter().all(|x| x.is_finite()) { respond(&change).map(Some) } else { Ok(None) }
        })?;
        if law == Law::Aghili {
            evidence.impulse_error = self.condition.impulse_error(self.freedoms);
        }
        if let Some(energy) = &evidence.energy {
            // Impulses that are large and cancel lose digits of `v̄·i` that velocities keep.
            let rounded = ROUNDING * self.freedoms as f64 * energy.after_size + 0.5 * ACCURACY * energy.before;
            outcome.energy.correct(energy.after - energy.before, rounded);
        }
        outcome.verify(&evidence)?;
        outcome.condition = Some(self.condition);
        Ok(outcome)
    }

    /// A change of the whitened velocity in the caller's units.
    fn in_callers_units(&self, change: [f64; 3]) -> [f64; 3] {
        let unit = self.contact.gamma - self.contact.delassus.omega / 2;
        [0, 1, 2].map(|k| self.signs[k] * scale(change[k], unit))
    }
}

/// The exponent of the largest of some numbers; `None` if all are zero.
fn unit_of(numbers: impl Iterator<Item = f64>) -> Option<i32> {
    numbers.filter(|x| *x != 0.0).map(exponent).max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::coefficients::{Friction, Restitution};
    use crate::error::Condition;
    use crate::impact::mode::Mode;
    use crate::impact::verify::EnergyEvidence;

    const GIVEN: ContactFactor = ContactFactor {
        dimension: Dimension::Spatial,
        factor: [[1.0, 0.3, -0.2], [0.0, 0.8, 0.4], [0.0, 0.0, 2e-5]],
        velocity: [-1.0, 0.5, -1.4],
        // Rᵀ s = velocity
        whitened_velocity: [-1.0, 1.0, -1e5],
        freedoms: 3,
        mass_condition: 1e10,
    };

    fn coefficients(friction: f64) -> Coefficients {
        Coefficients::new(Restitution::new(0.0).unwrap(), Friction::new(friction).unwrap())
    }

    /// Q and F are identities: the velocity is `s`. `error` is the relative error of each response.
    fn strike(given: &ContactFactor, friction: f64, error: f64) -> (Result<Outcome>, usize) {
        let (mut s, r, mut calls) = (given.whitened_velocity, given.factor, 0);
        let times = |s: &[f64; 3]| [0, 1, 2].map(|j| (0..3).map(|i| r[i][j] * s[i]).sum::<f64>());
        let energy = |s: &[f64; 3]| 0.5 * s.iter().map(|s| s * s).sum::<f64>();
        let before = s;
        let contact = FactoredContact::new(given).unwrap();
        let outcome = contact.impact_verified_by(Law::Aghili, &coefficients(friction), Guard::Report, |change| {
            calls += 1;
            s.iter_mut().zip(change).for_each(|(s, x)| *s += x * (1.0 + error));
            let energy = Some(EnergyEvidence { before: energy(&before), after: energy(&s), after_size: energy(&s) });
            let [before_size, after_size] = [[2.0; 3]; 2];
            Ok(Evidence { after: times(&s), before_size, after_size, freedoms: 3, impulse_error: 0.0, energy })
        });
        (outcome, calls)
    }

    #[test]
    fn signs_and_units_of_a_factor_do_not_matter() {
        let (plain, _) = strike(&GIVEN, 0.5, 0.0);
        let plain = plain.unwrap();
        let mut turned = GIVEN;
        for k in [0, 2] {
            turned.factor[k].iter_mut().for_each(|r| *r = -*r);
            turned.whitened_velocity[k] = -turned.whitened_velocity[k];
        }
        assert_eq!(strike(&turned, 0.5, 0.0).0.unwrap(), plain);
        // Masses in other units: R and 1/s change by a power of two, impulses by its square.
        let mut far = GIVEN;
        far.factor.as_flattened_mut().iter_mut().for_each(|r| *r = scale(*r, 300));
        far.whitened_velocity.iter_mut().for_each(|s| *s = scale(*s, -300));
        let far = strike(&far, 0.5, 0.0).0.unwrap();
        assert_eq!((far.mode, far.contact_velocity), (plain.mode, plain.contact_velocity));
        assert_eq!(scale(far.impulse[0], 600), plain.impulse[0]);
        assert_eq!(far.condition, plain.condition);
    }

    /// Friction of 1e5 holds; with less it slides.
    #[test]
    fn what_rounding_in_the_mass_matrix_took_is_given_back() {
        for (friction, mode) in [(1e12, Mode::Stick), (0.5, Mode::Slip)] {
            let (exact, calls) = strike(&GIVEN, friction, 0.0);
            assert_eq!((exact.unwrap().mode, calls), (mode, 1));
            let (refined, calls) = strike(&GIVEN, friction, 1e-7);
            assert!(refined.is_ok() && calls == 2, "{mode:?}: {refined:?}");
            // An error larger than rounding is reported.
            let (wrong, _) = strike(&GIVEN, friction, 1e-2);
            let error = wrong.unwrap_err();
            assert!(
                matches!(
                    error,
                    Error::CheckFailed { condition: Condition::Velocity(_) | Condition::Stick | Condition::Energy, .. }
                ),
                "{error}"
            );
        }
    }

    #[test]
    fn what_is_no_factor_is_refused() {
        let refused = |change: fn(&mut ContactFactor)| {
            let mut given = GIVEN;
            change(&mut given);
            FactoredContact::new(&given).unwrap_err().to_string()
        };
        assert!(refused(|given| given.factor[1][2] = f64::NAN).contains("factor[1][2] = NaN"));
        assert!(refused(|given| given.velocity[1] = f64::INFINITY).contains("velocity[1] = inf"));
        assert!(refused(|given| given.whitened_velocity[2] = f64::NAN).contains("whitened_velocity[2] = NaN"));
        assert!(refused(|given| given.mass_condition = f64::NAN).contains("mass_condition = NaN"));
        assert!(refused(|given| given.factor[0][0] = 0.0).contains("factor[0][0] is zero"));
    }

    /// A slip whose mechanism responds with an error of a thousandth along a tangent that can hardly move: correcting
    /// the velocity would take a large change without an impulse. The velocity is kept, and its direction then differs
    /// from that of the friction.
    #[test]
    fn a_velocity_is_not_moved_by_more_than_rounding_without_an_impulse() {
        let contact = FactoredContact::new(&GIVEN).unwrap();
        let r = GIVEN.factor;
        let times = |s: &[f64; 3]| [0, 1, 2].map(|j| (0..3).map(|i| r[i][j] * s[i]).sum::<f64>());
        let strike = |error: f64| {
            let (mut s, mut calls) = (GIVEN.whitened_velocity, 0);
            let outcome = contact.impact_verified_by(Law::Aghili, &coefficients(0.1), Guard::Report, |change| {
                calls += 1;
                s.iter_mut().zip(change).for_each(|(s, x)| *s += x);
                s[2] += if calls == 1 { error * GIVEN.whitened_velocity[2] } else { 0.0 };
                let [before_size, after_size] = [[2.0; 3]; 2];
                Ok(Evidence {
                    after: times(&s),
                    before_size,
                    after_size,
                    freedoms: 3,
                    impulse_error: 0.0,
                    energy: None,
                })
            });
            (outcome, calls)
        };
        let (outcome, calls) = strike(1e-6);
        assert_eq!((outcome.unwrap().mode, calls), (Mode::Slip, 2));
        let (outcome, _) = strike(1e-3);
        assert!(matches!(outcome, Err(Error::CheckFailed { condition: Condition::Slip, .. })), "{outcome:?}");
    }
}
