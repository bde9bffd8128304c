//! The rivals of Aghili's law: other impact laws of the literature, in the same terms.
//!
//! Each file states one law: its definition, where it comes from, what it claims and what it does not. All of them
//! answer in the units of the scaled contact, from the same request, into the same [`Outcome`]. The claims of a law are
//! data ([`Claims`]), which the tests verify.
//!
//! | file | contents |
//! |---|---|
//! | `printed` | Aghili's law as the paper prints it |
//! | `newton` | Newton's restitution with Whittaker's friction |
//! | `newton_routh` | Newton's restitution along the path of the contact |
//! | `poisson` | Poisson's restitution along the path |
//! | `stronge` | Stronge's energetic restitution along the path |
//! | `chatterjee_ruina` | Chatterjee and Ruina's two parameters |
//! | `moreau` | Moreau's law |
//! | `chord` | Poisson's law in closed form |
//! | `hunt_crossley` | a compliant contact, integrated |
//! | `path` | the contact through compression and restitution |
//! | `grazing` | contacts that approach too slowly to be squared |
//! | `work` | a bound on the work of any law |
//! | `extreme` | for tests: random impacts at the ends of `f64` |

mod chatterjee_ruina;
pub(crate) mod chord;
#[cfg(test)]
mod extreme;
mod grazing;
mod hunt_crossley;
mod moreau;
mod newton;
mod newton_routh;
mod path;
mod poisson;
mod printed;
mod stronge;
mod work;

pub use hunt_crossley::HuntCrossley;

use crate::contact::Contact;
use crate::contact::coefficients::{Coefficients, Restitution, RestitutionKind};
use crate::contact::delassus::{Delassus, Entries};
use crate::error::{Error, Result};
use crate::impact::collision::{Answer, Impact};
use crate::impact::generalized::GeneralizedContact;
use crate::impact::guard::Guard;
use crate::impact::mode::Mode;
use crate::impact::outcome::{ChordReport, Law, Outcome, RestitutionValues};
use crate::impact::report::{Solution, representable};
use crate::impact::solve::impact;
use crate::numeric::plane::{Vec2, dot, norm};
use crate::numeric::scaling::scale;

/// Properties that a law claims of its answers for every contact and all coefficients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Claims {
    /// `v̄·i <= 0`: no impact creates energy.
    pub dissipates: bool,
    /// `i_n >= 0` and `|i_t| <= μ_s i_n`.
    pub obeys_cone: bool,
    /// `v_n⁺ = -e v_n⁻`.
    pub newton_restitution: bool,
    /// In the plane, with `μ_s = μ_d` and a regular matrix, the answer is a continuous function of the velocity.
    pub continuous: bool,
    /// There is an answer for every regular contact and all coefficients.
    pub always_answers: bool,
}

/// An impact law other than Aghili's, which has a faster implementation of its own.
pub(crate) trait ImpactLaw {
    /// Which law this is.
    fn law(&self) -> Law;

    /// The response to a contact that approaches.
    ///
    /// # Errors
    /// It has no answer to this contact.
    fn respond(&self, impact: &Impact<'_>) -> Result<Response>;
}

/// The answer of a law, in the units of the scaled contact.
pub(crate) struct Response {
    answer: Answer,
    /// The modes in compression and in restitution, for laws that follow the path of the contact.
    phases: Option<Box<str>>,
    /// The restitution of the law `chord`.
    chord: Option<ChordReport>,
}

impl Law {
    /// The claims of the law. The tests verify each of them, and show a counterexample to each property that is not claimed.
    pub fn claims(self) -> Claims {
        let [dissipates, obeys_cone, newton_restitution, continuous, always_answers] = match self {
            Law::Aghili => [false, true, true, false, true],
            Law::AghiliPrinted => [false, false, true, false, true],
            Law::Newton => [false, true, true, false, false],
            Law::Moreau => [false, true, true, true, true],
            Law::Poisson | Law::Stronge => [true, true, false, true, true],
            Law::NewtonRouth => [false, true, true, true, true],
            Law::ChatterjeeRuina => [true, true, true, true, true],
            Law::Chord => [true, true, false, true, true],
            Law::HuntCrossley => [true, true, false, true, false],
        };
        Claims { dissipates, obeys_cone, newton_restitution, continuous, always_answers }
    }

    /// Whether the law has an answer to several coupled contacts that strike at the same instant.
    pub fn answers_several(self) -> bool {
        matches!(self, Law::Aghili | Law::Chord)
    }

    /// Refuses a guard, for laws other than Aghili's.
    #[inline(always)]
    pub(crate) fn check_no_guard(self, guard: Guard) -> Result<()> {
        if guard == Guard::Report { Ok(()) } else { self.no_guard(guard) }
    }

    #[cold]
    fn no_guard(self, guard: Guard) -> Result<()> {
        let law = self.name();
        Err(Error::Unsupported {
            field: "guard".into(),
            value: guard.name(),
            reason: format!("is only available for law = \"aghili\"; use guard = \"report\" with {law:?}").into(),
        })
    }

    /// The law itself; `None` for Aghili's.
    ///
    /// # Errors
    /// A kind of restitution with a law that has only its own.
    fn rival(self, restitution: &Restitution) -> Result<Option<&'static dyn ImpactLaw>> {
        let kind = match self {
            Law::Chord => restitution.kind().unwrap_or_default(),
            _ => {
                restitution.check_no_kind(self.name())?;
                RestitutionKind::default()
            }
        };
        Ok(self.rival_of_kind(kind))
    }

    fn rival_of_kind(self, kind: RestitutionKind) -> Option<&'static dyn ImpactLaw> {
        match self {
            Law::Aghili => None,
            Law::AghiliPrinted => Some(&printed::AghiliPrinted),
            Law::Newton => Some(&newton::Newton),
            Law::Moreau => Some(&moreau::Moreau),
            Law::Poisson => Some(&poisson::Poisson),
            Law::Stronge => Some(&stronge::Stronge),
            Law::NewtonRouth => Some(&newton_routh::NewtonRouth),
            Law::ChatterjeeRuina => Some(&chatterjee_ruina::ChatterjeeRuina),
            Law::Chord => match kind {
                RestitutionKind::Poisson => Some(&chord::POISSON),
                RestitutionKind::Newton => Some(&chord::NEWTON),
            },
            Law::HuntCrossley => Some(&HuntCrossley::DEFAULT),
        }
    }
}

/// One spatial impact by one of the laws, from the Delassus matrix and the contact velocity: what [`impact`] is for Aghili's law.
///
/// # Errors
/// As [`Delassus::spatial`], [`Contact::new`] and [`Contact::impact_by`].
pub fn impact_by(
    law: Law,
    delassus: &[[f64; 3]; 3],
    velocity: &[f64; 3],
    coefficients: &Coefficients,
    guard: Guard,
) -> Result<Outcome> {
    match law {
        Law::Aghili => impact(delassus, velocity, coefficients, guard),
        Law::Chord => impact_by_chord(delassus, velocity, coefficients, guard),
        _ => Contact::new(Delassus::spatial(*delassus)?, velocity)?.impact_by(law, coefficients, guard),
    }
}

#[inline]
fn impact_by_chord(
    delassus: &[[f64; 3]; 3],
    velocity: &[f64; 3],
    coefficients: &Coefficients,
    guard: Guard,
) -> Result<Outcome> {
    #[cfg(target_arch = "x86_64")]
    if crate::kernel::has_avx2() {
        #[allow(unsafe_code, reason = "a function compiled for AVX2 may run only where that is available")]
        // SAFETY: just detected.
        return unsafe { impact_by_chord_avx2(delassus, velocity, coefficients, guard) };
    }
    impact_by_chord_portable(delassus, velocity, coefficients, guard)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn impact_by_chord_avx2(
    delassus: &[[f64; 3]; 3],
    velocity: &[f64; 3],
    coefficients: &Coefficients,
    guard: Guard,
) -> Result<Outcome> {
    impact_by_chord_portable(delassus, velocity, coefficients, guard)
}

#[inline(always)]
fn impact_by_chord_portable(
    delassus: &[[f64; 3]; 3],
    velocity: &[f64; 3],
    coefficients: &Coefficients,
    guard: Guard,
) -> Result<Outcome> {
    let entries = Entries::spatial(*delassus);
    let (delassus, is_sound) = Delassus::assemble(&entries);
    if !is_sound {
        return Err(entries.fault());
    }
    let contact = Contact::assemble(delassus, *velocity);
    if !contact.is_sound() {
        return Err(contact.fault());
    }
    contact.respond_by_chord(coefficients, guard)
}

impl Contact {
    /// The outcome of the impact by one of the laws. `Law::Aghili` is [`Contact::impact`].
    ///
    /// In the outcome of a rival, `discriminator`, the critical coefficients, `printed`, the limits, `admissible`
    /// and `violations` still describe the request by Aghili's criterion; `mode`, `impulse`, the velocities and
    /// `energy` are the rival's answer, and `guard.restitution` is the ratio `-v_n⁺/v_n⁻` that it came to.
    ///
    /// ```
    /// use carom_law::{Coefficients, Contact, Delassus, Friction, Guard, Law, Restitution};
    ///
    /// // Kane's double pendulum: friction reverses the slip during restitution.
    /// let delassus = Delassus::planar([[1.00956029, 1.52130866], [1.52130866, 2.44033805]])?;
    /// let contact = Contact::new(delassus, &[-0.13420201, -0.26717434])?;
    /// let coefficients = Coefficients::new(Restitution::new(0.5)?, Friction::new(0.5)?);
    /// let outcome = contact.impact_by(Law::Poisson, &coefficients, Guard::Report)?;
    /// assert_eq!(outcome.phases.as_deref(), Some("slip- | slip- slip+"));
    /// assert!(outcome.energy.change < 0.0);
    /// # Ok::<(), carom_law::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Contact::impact`]; a guard other than `report` with a law other than Aghili's; a contact that the law
    /// has no answer to.
    pub fn impact_by(&self, law: Law, coefficients: &Coefficients, guard: Guard) -> Result<Outcome> {
        if law == Law::Chord {
            return self.respond_by_chord(coefficients, guard);
        }
        match law.rival(&coefficients.restitution)? {
            None => self.impact(coefficients, guard),
            Some(rival) => self.respond(rival, coefficients, guard),
        }
    }

    /// The outcome of the impact by [`Law::HuntCrossley`] with custom settings.
    ///
    /// # Errors
    /// As [`Contact::impact_by`].
    pub fn compliant_impact(&self, settings: &HuntCrossley, coefficients: &Coefficients) -> Result<Outcome> {
        coefficients.restitution.check_no_kind(Law::HuntCrossley.name())?;
        self.respond(settings, coefficients, Guard::Report)
    }

    fn respond<R: ImpactLaw + ?Sized>(&self, rival: &R, coefficients: &Coefficients, guard: Guard) -> Result<Outcome> {
        self.respond_inlined::<false, R>(rival, coefficients, guard)
    }

    /// The answer of the law chord, whose steps are compiled into it.
    #[inline(always)]
    fn respond_by_chord(&self, coefficients: &Coefficients, guard: Guard) -> Result<Outcome> {
        let rival = match coefficients.restitution.kind().unwrap_or_default() {
            RestitutionKind::Poisson => &chord::POISSON,
            RestitutionKind::Newton => &chord::NEWTON,
        };
        if self.is_natural {
            self.respond_inlined::<true, _>(rival, coefficients, guard)
        } else {
            self.respond(rival, coefficients, guard)
        }
    }

    /// The law chord with Poisson's restitution, for a contact in its own units, without the outcome. `None` where the approach is so slow that
    /// it has to be solved as one impact.
    #[inline(always)]
    pub(crate) fn solved_by_chord(&self, impact: &Impact<'_>) -> Option<Result<Solution>> {
        if self.grazes() {
            return None;
        }
        let solve = || {
            let Response { answer, .. } = chord::POISSON.respond(impact)?;
            representable(answer.e, "guard.restitution")?;
            self.verified(impact, &answer, Law::Chord, Guard::Report)?;
            let solution = self.in_callers_units::<true>(&answer);
            self.check_representable::<true>(&solution)?;
            representable(solution.after[0], "contact_velocity.after")?;
            Ok(solution)
        };
        Some(solve())
    }

    #[inline(always)]
    fn respond_inlined<const NATURAL: bool, R: ImpactLaw + ?Sized>(
        &self,
        rival: &R,
        coefficients: &Coefficients,
        guard: Guard,
    ) -> Result<Outcome> {
        let law = rival.law();
        law.check_no_guard(guard)?;
        let friction = coefficients.friction;
        let restitution = RestitutionValues {
            normal: coefficients.restitution.normal_at(self.approach_speed()),
            tangential: coefficients.restitution.tangential(),
        };
        let impact = self.request::<NATURAL>(&restitution, friction)?;
        if !self.approaches() {
            return Ok(Outcome { law, ..self.separating(&restitution, friction, guard) });
        }
        if let Some(grazing) = self.grazing() {
            return grazing.outcome(self, rival, &impact, &restitution, friction);
        }
        let Response { answer, phases, chord } = rival.respond(&impact)?;
        // Restitution beyond f64: a contact that hardly approaches, jams, and is thrown off.
        representable(answer.e, "guard.restitution")?;
        let residual = self.verified(&impact, &answer, law, guard)?;
        let mut outcome = self.report::<NATURAL>(&restitution, friction, guard, &impact, &impact.judged(answer))?;
        representable(outcome.contact_velocity.after[0], "contact_velocity.after")?;
        (outcome.law, outcome.phases, outcome.chord, outcome.residual) = (law, phases, chord, residual);
        self.correct_rounded_work(&mut outcome);
        Ok(outcome)
    }
}

impl GeneralizedContact {
    /// The outcome of the impact by one of the laws, for the contact and for the whole mechanism.
    ///
    /// # Errors
    /// As [`Contact::impact_by`]; also a velocity or kinetic energy beyond the range of `f64`.
    pub fn impact_by(&self, law: Law, coefficients: &Coefficients, guard: Guard) -> Result<Outcome> {
        match law {
            Law::Aghili => self.impact(coefficients, guard),
            _ => self.completed(self.contact().impact_by(law, coefficients, guard)?),
        }
    }
}

/// The contact velocity after an impact.
struct After {
    v_n: f64,
    v_t: Vec2,
}

impl Impact<'_> {
    /// The answer of a law to a contact that approaches, unchecked; for laws other than Aghili's.
    ///
    /// # Errors
    /// As [`Contact::impact_by`].
    pub(crate) fn answer_by(&self, law: Law, restitution: &Restitution) -> Result<Answer> {
        match law.rival(restitution)? {
            None => Ok(self.decide(Guard::Report).answer),
            Some(rival) => rival.respond(self).map(|response| response.answer),
        }
    }

    /// An answer with its ledger `v̄·i` \[26\].
    fn answered(&self, mode: Mode, i_n: f64, i_t: Vec2, after: After, direction: Option<Vec2>) -> Answer {
        let &Contact { v_n, v_t, .. } = self.contact;
        let sum = [v_t[0] + after.v_t[0], v_t[1] + after.v_t[1]];
        let (normal_work, tangential_work) = (0.5 * (v_n + after.v_n) * i_n, 0.5 * dot(sum, i_t));
        Answer {
            mode,
            e: -after.v_n / v_n,
            normal: i_n,
            tangential: i_t,
            direction: direction.filter(|_| mode == Mode::Slip),
            after: after.v_t,
            normal_work,
            tangential_work,
            energy_change: normal_work + tangential_work,
            solutions: None,
        }
    }

    /// As [`answered`](Self::answered), for a law with Newton's restitution: without the rounding of `-v_n⁺/v_n⁻`.
    fn answered_by_newton(&self, mode: Mode, i_n: f64, i_t: Vec2, v_t: Vec2, direction: Option<Vec2>) -> Answer {
        let v_n = self.contact.v_n;
        let answer = self.answered(mode, i_n, i_t, After { v_n: -self.e * v_n, v_t }, direction);
        let normal_work = 0.5 * (1.0 - self.e) * v_n * i_n;
        Answer { e: self.e, normal_work, energy_change: normal_work + answer.tangential_work, ..answer }
    }

    /// `-(1+e) v_n⁻`: by how much Newton's restitution changes the normal velocity.
    fn push(&self) -> f64 {
        -(1.0 + self.e) * self.contact.v_n
    }
}

/// `a / |a|`, exact where one component is zero; `None` for zero.
fn unit(a: Vec2) -> Option<Vec2> {
    /// Lengths below have lost digits.
    const SHORT: f64 = 1.0 / (1u128 << 100) as f64;
    let a = if norm(a) < SHORT { a.map(|x| scale(x, 900)) } else { a };
    let length = norm(a);
    (length > 0.0).then(|| [a[0] / length, a[1] / length])
}

/// The error of a law that has no answer to a contact.
fn no_answer(law: Law, reason: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::Unsupported { field: "law".into(), value: law.name(), reason: reason.into() }
}

/// The error of a law that did not converge within its bound on work. `residual` is the speed that is missing, over
/// the largest one; the impulse is that of the scaled contact.
fn not_converged(impact: &Impact<'_>, residual: f64, bound: f64, i_n: f64, i_t: Vec2) -> Error {
    let best = impact.answered(Mode::Slip, i_n, i_t, After { v_n: 0.0, v_t: [0.0, 0.0] }, None);
    let Solution { impulse, .. } = impact.contact.in_callers_units::<false>(&best);
    let rows = impact.contact.delassus.dimension.rows();
    Error::NotConverged {
        field: "impulse".into(),
        residual: if residual.is_finite() { residual } else { f64::MAX },
        bound,
        best: impulse[..rows].iter().copied().filter(|x| x.is_finite()).collect(),
    }
}

impl From<Answer> for Response {
    fn from(answer: Answer) -> Self {
        Self { answer, phases: None, chord: None }
    }
}
