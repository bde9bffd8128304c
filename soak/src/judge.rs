//! Judges an outcome: every condition of the law is recomputed from the problem and the answer only.
//!
//! Written from the definitions (the book's pages on the law, on several contacts and on the interface), not from the
//! solvers. The answer is read as data. The problem is first scaled to order one by powers of two, which is exact, so that
//! units of 1e±100 affect neither the double-double products nor the judgement. A residual is reported relative to its
//! bound: up to 1 the condition holds.
//!
//! The bounds are relative to the input, with a term for rounding: `1e-9 |A||q̇⁻| + 32 n ε |A||q̇⁺|` for velocities and
//! `1e-9 K⁻ + 32 n ε |q̇⁺|ᵀ|M||q̇⁺|` for energies. `|A||q̇|` is a product of norms, each coordinate in units of its own inertia
//! `sqrt(M_jj)`: the units of coordinates cancel, and rows or coordinates that are zero still have a bound for rounding. In contact space, where neither `A` nor `q̇` is known, the speed of a row
//! is `sqrt(W_rr)` times the largest `|v_k⁻| / sqrt(W_kk)`, and `K⁻` is at least the largest `v_k² / (2 W_kk)`.

use carom::law::{Guard, Law};
use serde_json::Value;

use crate::condition::{delassus_condition, is_semidefinite_to_rounding};
use crate::precise::{Cholesky, Double, ZERO, abs_dot, abs_quadratic, dot, exponent, norm, quadratic, shift};
use crate::problem::{Contact, Problem, Rows, Terms};

/// Bound relative to the size of the input.
const RELATIVE: f64 = 1e-9;

/// Rounding errors allowed per coordinate.
const ROUNDINGS: f64 = 32.0;

/// Rounding errors of M allowed in impulses, times its condition number and the square root of that of W: half a unit in the
/// last place of M moves them by that much.
const IMPULSE_ROUNDINGS: f64 = 10.0;

/// The conditions that an outcome must satisfy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Condition {
    /// Every required number is present and finite.
    Finite,
    /// The reported coefficients are the given ones, and a guard never raises the restitution.
    Request,
    /// `contact_velocity.before` is `A q̇⁻`.
    Before,
    /// `contact_velocity.after` is `A q̇⁺`, or `v⁻ + W i`.
    After,
    /// `M (q̇⁺ - q̇⁻) = Aᵀ i`.
    Momentum,
    /// `i_n >= 0`.
    Sign,
    /// `|i_t| <= μ i_n`, with the coefficient of the mode.
    Cone,
    /// Stick satisfies its tangential restitution, slip has the direction of the average velocity, and reversal has zero average velocity.
    Tangential,
    /// `v_n⁺ = -e v_n⁻`, for several contacts complementary to the impulse.
    Restitution,
    /// `v_n⁺ >= 0`.
    Penetration,
    /// The reported energies are those of `M` and `q̇`.
    Ledger,
    /// No energy is created: under a guard, by a law that claims it, and where `admissible` says so.
    Energy,
    /// A valid problem was rejected.
    Refused,
    /// The answer took too long.
    Time,
    /// The program panicked.
    Panic,
}

impl Condition {
    /// Every condition, in the order of the table.
    pub const ALL: [Self; 15] = [
        Self::Finite,
        Self::Request,
        Self::Before,
        Self::After,
        Self::Momentum,
        Self::Sign,
        Self::Cone,
        Self::Tangential,
        Self::Restitution,
        Self::Penetration,
        Self::Ledger,
        Self::Energy,
        Self::Refused,
        Self::Time,
        Self::Panic,
    ];

    /// The name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Finite => "finite",
            Self::Request => "request",
            Self::Before => "before",
            Self::After => "after",
            Self::Momentum => "momentum",
            Self::Sign => "sign",
            Self::Cone => "cone",
            Self::Tangential => "tangential",
            Self::Restitution => "restitution",
            Self::Penetration => "penetration",
            Self::Ledger => "ledger",
            Self::Energy => "energy",
            Self::Refused => "refused",
            Self::Time => "time",
            Self::Panic => "panic",
        }
    }
}

/// The worst residual of each condition over its bound, in the order of [`Condition::ALL`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Verdict([f64; Condition::ALL.len()]);

impl Verdict {
    /// The residual of a condition over its bound; 0 if the condition did not apply.
    pub fn of(&self, condition: Condition) -> f64 {
        self.0[condition as usize]
    }

    /// The conditions that do not hold.
    pub fn failures(&self) -> impl Iterator<Item = Condition> {
        Condition::ALL.into_iter().filter(|condition| !(self.of(*condition) <= 1.0))
    }

    /// Records a residual over its bound. NaN counts as a failure.
    pub fn note(&mut self, condition: Condition, ratio: f64) {
        let worst = &mut self.0[condition as usize];
        *worst = if ratio.is_nan() { f64::INFINITY } else { worst.max(ratio) };
    }

    /// Records whether a condition holds.
    pub fn require(&mut self, condition: Condition, holds: bool) {
        self.note(condition, if holds { 0.0 } else { f64::INFINITY });
    }
}

/// `residual / bound`, and 0 where both are zero.
fn ratio(residual: f64, bound: f64) -> f64 {
    if residual == 0.0 { 0.0 } else { residual / bound }
}

/// The numbers of an outcome that the judge reads; lists have one entry per contact.
struct Reported {
    contacts: Vec<ReportedContact>,
    velocity: Option<Vec<f64>>,
    energy: ReportedEnergy,
    admissible: bool,
    /// The residual reported by the outcome; 0 for one contact.
    residual: f64,
    /// Number of successive impacts.
    sequence: u64,
    /// Whether modes and restitution are not those of the law: a blend, or a sequence ended without restitution.
    is_mixed: bool,
}

struct ReportedContact {
    mode: Mode,
    impulse: Vec<f64>,
    before: Vec<f64>,
    after: Vec<f64>,
    direction: Option<Vec<f64>>,
    /// The normal restitution of the answer.
    restitution_used: f64,
    restitution: [f64; 2],
}

struct ReportedEnergy {
    before: Option<f64>,
    after: Option<f64>,
    change: f64,
    parts: [f64; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Separating,
    Stick,
    Slip,
    Reversal,
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64().filter(|x| x.is_finite())
}

fn numbers(value: &Value, count: usize) -> Option<Vec<f64>> {
    let list = value.as_array().filter(|list| list.len() == count)?;
    list.iter().map(number).collect()
}

/// A number that may be absent, but may not be null because it was not finite.
fn optional(value: &Value, is_expected: bool) -> Option<Option<f64>> {
    if is_expected { Some(Some(number(value)?)) } else { Some(None) }
}

impl Reported {
    /// `None` if something is missing or not finite.
    fn read(problem: &Problem, value: &Value) -> Option<Self> {
        let is_generalized = matches!(problem.terms, Terms::Generalized { .. });
        let velocity = match &problem.terms {
            Terms::Generalized { velocity, .. } => Some(numbers(&value["velocity"], velocity.len())?),
            Terms::ContactSpace { .. } => None,
        };
        let energy = &value["energy"];
        let energy = ReportedEnergy {
            before: optional(&energy["before"], is_generalized)?,
            after: optional(&energy["after"], is_generalized)?,
            change: number(&energy["change"])?,
            parts: [number(&energy["normal"])?, number(&energy["tangential"])?],
        };
        let admissible = value["admissible"].as_bool()?;
        let (contacts, residual, sequence, is_mixed) = if problem.contacts.len() == 1 {
            let used = number(&value["guard"]["restitution"])?;
            (vec![ReportedContact::read(&problem.contacts[0], value, used)?], 0.0, 1, false)
        } else {
            let list = value["contacts"].as_array().filter(|list| list.len() == problem.contacts.len())?;
            let read = |(contact, value): (&Contact, &Value)| {
                ReportedContact::read(contact, value, number(&value["restitution_used"])?)
            };
            let contacts = problem.contacts.iter().zip(list).map(read).collect::<Option<Vec<_>>>()?;
            let residual = number(&value["residual"])?;
            let is_mixed = value["guard"]["blended"].as_bool()? || value["settled"].as_bool()?;
            (contacts, residual, value["sequence"].as_u64()?, is_mixed)
        };
        Some(Self { contacts, velocity, energy, admissible, residual, sequence, is_mixed })
    }
}

impl ReportedContact {
    fn read(contact: &Contact, value: &Value, restitution_used: f64) -> Option<Self> {
        let d = contact.dimension;
        let mode = match value["mode"].as_str()? {
            "separating" => Mode::Separating,
            "stick" => Mode::Stick,
            "slip" => Mode::Slip,
            "reversal" => Mode::Reversal,
            _ => return None,
        };
        let direction = match &value["direction"] {
            Value::Null => None,
            other => Some(numbers(other, d - 1)?),
        };
        Some(Self {
            mode,
            impulse: numbers(&value["impulse"], d)?,
            before: numbers(&value["contact_velocity"]["before"], d)?,
            after: numbers(&value["contact_velocity"]["after"], d)?,
            direction,
            restitution_used,
            restitution: [number(&value["restitution"]["normal"])?, number(&value["restitution"]["tangential"])?],
        })
    }
}

/// The problem and its answer in units of order one, with derived quantities in double-double arithmetic.
struct Motion {
    /// Recomputed velocity of each row before and after.
    before: Vec<Double>,
    after: Vec<Double>,
    /// Bounds on the error of each row's velocity: before only, and for both.
    slack_before: Vec<f64>,
    slack: Vec<f64>,
    /// The impulses, row by row.
    impulse: Vec<f64>,
    /// The diagonal of W.
    delassus: Vec<f64>,
    /// Coordinates, or rows where there are none.
    n: f64,
    energy: Energies,
    /// Units of velocity by row, and of energy, as powers of two.
    velocity_unit: Vec<i32>,
    energy_unit: i32,
}

struct Energies {
    before: Option<Double>,
    after: Option<Double>,
    change: Double,
    slack_before: f64,
    slack: f64,
}

impl Motion {
    /// The sum of the absolute work of the impulses over all rows.
    fn exchanged(&self) -> f64 {
        let speeds =
            self.before.iter().zip(&self.after).map(|(before, after)| 0.5 * (before.abs().hi() + after.abs().hi()));
        speeds.zip(&self.impulse).map(|(speed, i)| speed * i.abs()).sum()
    }
}

/// Judges the outcome of a problem.
pub fn judge(problem: &Problem, outcome: &Value) -> Verdict {
    let mut verdict = Verdict::default();
    let Some(reported) = Reported::read(problem, outcome) else {
        verdict.require(Condition::Finite, false);
        return verdict;
    };
    let motion = match &problem.terms {
        Terms::Generalized { mass, jacobian, velocity } => {
            generalized(problem, mass, jacobian, velocity, &reported, &mut verdict)
        }
        Terms::ContactSpace { delassus, velocity } => Some(contact_space(problem, delassus, velocity, &reported)),
    };
    // A mass matrix that is not positive definite should have been rejected, unless it is so only by rounding.
    let Some(motion) = motion else {
        let Terms::Generalized { mass, .. } = &problem.terms else { return verdict };
        verdict.require(Condition::Finite, is_semidefinite_to_rounding(mass));
        return verdict;
    };
    velocities(problem, &reported, &motion, &mut verdict);
    request(problem, &reported, &mut verdict);
    energies(problem, &reported, &motion, &mut verdict);
    let offsets = problem.offsets();
    for (k, contact) in problem.contacts.iter().enumerate() {
        let rows = offsets[k]..offsets[k + 1];
        Share { problem, contact, reported: &reported, own: &reported.contacts[k], motion: &motion, rows }
            .judge(&mut verdict);
    }
    verdict
}

/// The exponent of the largest of some numbers.
fn largest_exponent(numbers: impl Iterator<Item = f64>) -> i32 {
    exponent(numbers.fold(0.0_f64, |largest, x| largest.max(x.abs())))
}

/// The tangents of a contact can be rotated into each other, and share the larger of their scales.
fn with_tangents_together(problem: &Problem, mut sizes: Vec<f64>) -> Vec<f64> {
    let offsets = problem.offsets();
    for k in 0..problem.contacts.len() {
        let tangents = &mut sizes[offsets[k] + 1..offsets[k + 1]];
        let largest = tangents.iter().copied().fold(0.0, f64::max);
        tangents.fill(largest);
    }
    sizes
}

fn impulses(problem: &Problem, reported: &Reported, unit: impl Fn(usize) -> i32) -> Vec<f64> {
    let shares = reported.contacts.iter().enumerate();
    let impulse: Vec<f64> =
        shares.flat_map(|(k, c)| c.impulse.iter().map(|x| shift(*x, unit(k))).collect::<Vec<_>>()).collect();
    debug_assert_eq!(impulse.len(), problem.offsets()[problem.contacts.len()]);
    impulse
}

/// Coordinates in units of their own inertia, contacts in units of their rows.
fn generalized(
    problem: &Problem,
    mass: &Rows,
    jacobian: &Rows,
    velocity: &[f64],
    reported: &Reported,
    verdict: &mut Verdict,
) -> Option<Motion> {
    let n = velocity.len();
    let size: Vec<i32> = (0..n).map(|j| exponent(mass[j][j]).div_euclid(2)).collect();
    let m: Rows = (0..n).map(|i| (0..n).map(|j| shift(mass[i][j], -size[i] - size[j])).collect()).collect();
    // `M` may be asymmetric by rounding: energy and momentum refer to its symmetric part.
    let m: Rows = (0..n).map(|i| (0..n).map(|j| 0.5 * m[i][j] + 0.5 * m[j][i]).collect()).collect();
    let factor = Cholesky::new(&m)?;
    let speed = largest_exponent((0..n).map(|j| shift(velocity[j], size[j])));
    let scaled = |v: &[f64]| -> Vec<f64> { (0..n).map(|j| shift(v[j], size[j] - speed)).collect() };
    let (before, after) = (scaled(velocity), scaled(reported.velocity.as_deref()?));
    let offsets = problem.offsets();
    let rows = offsets[problem.contacts.len()];
    let mut a: Rows = (0..rows).map(|r| (0..n).map(|j| shift(jacobian[r][j], -size[j])).collect()).collect();
    let mut units = Vec::new();
    for k in 0..problem.contacts.len() {
        let own = &mut a[offsets[k]..offsets[k + 1]];
        let unit = largest_exponent(own.iter().flatten().copied());
        own.iter_mut().flatten().for_each(|x| *x = shift(*x, -unit));
        units.push(unit);
    }
    let impulse = impulses(problem, reported, |k| units[k] - speed);
    let rounding = ROUNDINGS * n as f64 * f64::EPSILON;
    let [speed_before, speed_after] = [&before, &after].map(|v| norm((0..n).map(|j| v[j] * m[j][j].sqrt())));
    let reach =
        with_tangents_together(problem, a.iter().map(|row| norm((0..n).map(|j| row[j] / m[j][j].sqrt()))).collect());
    let slack_before = reach.iter().map(|reach| (RELATIVE + rounding) * reach * speed_before).collect();
    let slack = reach.iter().map(|reach| reach * (RELATIVE * speed_before + rounding * speed_after)).collect();
    // At least the condition of M over n²; each coordinate in units of its own inertia.
    let axis = |j: usize| (0..n).map(|i| if i == j { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
    let condition = (0..n).map(|j| m[j][j] * factor.inverse_quadratic(&axis(j)).hi()).fold(0.0, f64::max);
    let relative = RELATIVE + IMPULSE_ROUNDINGS * f64::EPSILON * condition * delassus_condition(problem).sqrt();
    momentum(&m, &a, [&before, &after], &impulse, [relative, rounding], verdict);
    let kinetic = |v: &[f64]| quadratic(v, &m, v) * Double::from(0.5);
    let (k_before, k_after) = (kinetic(&before), kinetic(&after));
    let energy = Energies {
        before: Some(k_before),
        after: Some(k_after),
        change: k_after - k_before,
        slack_before: RELATIVE * k_before.hi() + rounding * abs_quadratic(&before, &m, &before),
        slack: RELATIVE * k_before.hi() + rounding * abs_quadratic(&after, &m, &after),
    };
    let velocity_unit =
        (0..problem.contacts.len()).flat_map(|k| vec![units[k] + speed; problem.contacts[k].dimension]).collect();
    Some(Motion {
        before: a.iter().map(|row| dot(row, &before)).collect(),
        after: a.iter().map(|row| dot(row, &after)).collect(),
        slack_before,
        slack,
        delassus: a.iter().map(|row| factor.inverse_quadratic(row).hi()).collect(),
        impulse,
        n: n as f64,
        energy,
        velocity_unit,
        energy_unit: 2 * speed,
    })
}

/// [7]: `M (q̇⁺ - q̇⁻) = Aᵀ i`, each coordinate in units of its own inertia. A factor of M has errors of the size of
/// sqrt(M_ii M_jj), which is one here, and not of |M_ij|. The error of an impulse is relative to its size, in any direction.
fn momentum(
    m: &Rows,
    a: &Rows,
    [before, after]: [&[f64]; 2],
    impulse: &[f64],
    [relative, rounding]: [f64; 2],
    verdict: &mut Verdict,
) {
    let speeds: f64 = before.iter().chain(after).map(|x| x.abs()).sum();
    let pushed: f64 = a.iter().zip(impulse).map(|(row, i)| norm(row.iter().copied()) * i.abs()).sum();
    let slack = relative * pushed + 2.0 * rounding * speeds;
    for j in 0..m.len() {
        let column: Vec<f64> = a.iter().map(|row| row[j]).collect();
        let left = dot(&m[j], after) - dot(&m[j], before) - dot(&column, impulse);
        verdict.note(Condition::Momentum, ratio(left.hi().abs(), slack));
    }
}

/// Contacts in units of their own inertia.
fn contact_space(problem: &Problem, delassus: &Rows, velocity: &[f64], reported: &Reported) -> Motion {
    let offsets = problem.offsets();
    let rows = offsets[problem.contacts.len()];
    let unit_of =
        |k: usize| exponent((offsets[k]..offsets[k + 1]).fold(0.0_f64, |w, r| w.max(delassus[r][r]))).div_euclid(2);
    let units: Vec<i32> = (0..problem.contacts.len()).map(unit_of).collect();
    let row_units: Vec<i32> =
        (0..problem.contacts.len()).flat_map(|k| vec![units[k]; problem.contacts[k].dimension]).collect();
    let entry = |i: usize, j: usize| shift(delassus[i][j], -row_units[i] - row_units[j]);
    let w: Rows = (0..rows).map(|i| (0..rows).map(|j| 0.5 * entry(i, j) + 0.5 * entry(j, i)).collect()).collect();
    let speed = largest_exponent((0..rows).map(|r| shift(velocity[r], -row_units[r])));
    let v: Vec<f64> = (0..rows).map(|r| shift(velocity[r], -row_units[r] - speed)).collect();
    let impulse = impulses(problem, reported, |k| units[k] - speed);
    let rounding = ROUNDINGS * rows as f64 * f64::EPSILON;
    let speed_of = |r: usize| if w[r][r] > 0.0 { v[r].abs() / w[r][r].sqrt() } else { 0.0 };
    let fastest = (0..rows).map(speed_of).fold(0.0, f64::max);
    let slack_before: Vec<f64> = (0..rows).map(|r| rounding * v[r].abs()).collect();
    let slack = (0..rows)
        .map(|r| RELATIVE * w[r][r].max(0.0).sqrt() * fastest + rounding * (v[r].abs() + abs_dot(&w[r], &impulse)))
        .collect();
    let slack = with_tangents_together(problem, slack);
    let energy = Energies {
        before: None,
        after: None,
        change: dot(&v, &impulse) + quadratic(&impulse, &w, &impulse) * Double::from(0.5),
        slack_before: 0.0,
        slack: RELATIVE * 0.5 * fastest * fastest
            + rounding * (abs_dot(&v, &impulse) + 0.5 * abs_quadratic(&impulse, &w, &impulse)),
    };
    Motion {
        before: v.iter().map(|v| Double::from(*v)).collect(),
        after: (0..rows).map(|r| dot(&w[r], &impulse) + Double::from(v[r])).collect(),
        slack_before,
        slack,
        delassus: (0..rows).map(|r| w[r][r]).collect(),
        impulse,
        n: rows as f64,
        energy,
        velocity_unit: row_units.iter().map(|unit| unit + speed).collect(),
        energy_unit: 2 * speed,
    }
}

/// The reported contact velocities are those of the motion.
fn velocities(problem: &Problem, reported: &Reported, motion: &Motion, verdict: &mut Verdict) {
    let offsets = problem.offsets();
    for (k, own) in reported.contacts.iter().enumerate() {
        for (row, r) in (offsets[k]..offsets[k + 1]).enumerate() {
            let [before, after] = [own.before[row], own.after[row]].map(|v| shift(v, -motion.velocity_unit[r]));
            let off = |anew: Double, told: f64| (anew - Double::from(told)).abs().hi();
            verdict.note(Condition::Before, ratio(off(motion.before[r], before), motion.slack_before[r]));
            verdict.note(Condition::After, ratio(off(motion.after[r], after), motion.slack[r]));
        }
    }
}

/// The reported coefficients are the given ones.
fn request(problem: &Problem, reported: &Reported, verdict: &mut Verdict) {
    for (contact, own) in problem.contacts.iter().zip(&reported.contacts) {
        verdict.require(Condition::Request, own.restitution == [contact.normal, contact.tangential]);
        let used = own.restitution_used;
        // Rival laws report the ratio that they attained.
        if problem.law == Law::Aghili {
            let is_kept = problem.guard != Guard::Limit && !reported.is_mixed;
            verdict.require(Condition::Request, used <= contact.normal && (used == contact.normal || !is_kept));
        }
    }
}

fn energies(problem: &Problem, reported: &Reported, motion: &Motion, verdict: &mut Verdict) {
    let energy = &motion.energy;
    let told = |x: f64| shift(x, -motion.energy_unit);
    let off = |anew: Double, told: f64| (anew - Double::from(told)).abs().hi();
    if let (Some(anew), Some(before)) = (energy.before, reported.energy.before) {
        verdict.note(Condition::Ledger, ratio(off(anew, told(before)), energy.slack_before));
    }
    if let (Some(anew), Some(after)) = (energy.after, reported.energy.after) {
        verdict.note(Condition::Ledger, ratio(off(anew, told(after)), energy.slack));
    }
    let change = told(reported.energy.change);
    verdict.note(Condition::Ledger, ratio(off(energy.change, change), energy.slack));
    let parts = reported.energy.parts.map(told);
    let size = parts[0].abs() + parts[1].abs();
    let split = (parts[0] + parts[1] - change).abs();
    verdict.note(Condition::Ledger, ratio(split, ROUNDINGS * motion.n * f64::EPSILON * size + energy.slack));
    let is_guarded = problem.guard != Guard::Report;
    let is_admissible = problem.law == Law::Aghili && reported.admissible;
    if is_guarded || is_admissible || problem.law.claims().dissipates {
        // Without a guard, energy within the residual of several contacts does not count as created.
        let explained = if is_guarded { 0.0 } else { reported.residual * motion.exchanged() };
        verdict.note(Condition::Energy, ratio(energy.change.hi().max(0.0), energy.slack + explained));
    }
}

/// One contact of the problem and of its answer.
struct Share<'a> {
    problem: &'a Problem,
    contact: &'a Contact,
    reported: &'a Reported,
    own: &'a ReportedContact,
    motion: &'a Motion,
    rows: std::ops::Range<usize>,
}

impl Share<'_> {
    fn judge(&self, verdict: &mut Verdict) {
        let (law, n) = (self.problem.law, self.rows.start);
        let motion = self.motion;
        verdict.note(Condition::Penetration, ratio((-motion.after[n].hi()).max(0.0), motion.slack[n]));
        if law.claims().obeys_cone {
            self.sign(verdict);
            self.cone(verdict);
        }
        let is_one_impact = self.reported.sequence <= 1 && !self.reported.is_mixed;
        if is_one_impact && (law == Law::Aghili || law.claims().newton_restitution) {
            self.restitution(verdict);
        }
        if is_one_impact && law == Law::Aghili && self.contact.dimension > 1 {
            self.tangential(verdict);
        }
    }

    fn impulse(&self) -> &[f64] {
        &self.motion.impulse[self.rows.clone()]
    }

    fn is_alone(&self) -> bool {
        self.problem.contacts.len() == 1
    }

    /// Bound on an impulse that should be zero, where several are solved together.
    fn impulse_slack(&self) -> f64 {
        let largest = self.motion.impulse.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
        if self.is_alone() { 0.0 } else { ROUNDINGS * self.motion.n * f64::EPSILON * largest }
    }

    fn sign(&self, verdict: &mut Verdict) {
        let pull = (-self.impulse()[0]).max(0.0);
        verdict.note(Condition::Sign, if pull == 0.0 { 0.0 } else { pull / self.impulse_slack() });
        if self.own.mode == Mode::Separating {
            let largest = self.impulse().iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
            verdict.note(Condition::Sign, if largest == 0.0 { 0.0 } else { largest / self.impulse_slack() });
        }
    }

    fn cone(&self, verdict: &mut Verdict) {
        let impulse = self.impulse();
        let tangential = impulse[1..].iter().fold(0.0_f64, |length, x| length.hypot(*x));
        let is_dynamic = matches!(self.own.mode, Mode::Slip | Mode::Reversal)
            && self.problem.law == Law::Aghili
            && self.reported.sequence <= 1
            && !self.reported.is_mixed;
        let bound = if is_dynamic { self.contact.mu_d } else { self.contact.mu_s } * impulse[0].max(0.0);
        // Below the smallest normal number friction has no digits: underflow is allowed.
        let is_subnormal = self.own.impulse[1..].iter().all(|x| x.abs() < f64::MIN_POSITIVE);
        let excess = if is_subnormal { 0.0 } else { (tangential - bound).max(0.0) };
        let rounding = ROUNDINGS * self.motion.n * f64::EPSILON;
        let slack = (RELATIVE + rounding) * tangential.min(bound) + self.impulse_slack();
        verdict.note(Condition::Cone, ratio(excess, slack));
    }

    /// `0 <= i_n ⊥ v_n⁺ - target >= 0`; a single contact that approaches is pushed.
    fn restitution(&self, verdict: &mut Verdict) {
        let (motion, n) = (self.motion, self.rows.start);
        let (before, slack) = (motion.before[n], motion.slack[n]);
        if before.hi() > slack {
            // It was separating, so it takes part only in later impacts of the sequence.
            let largest = self.impulse().iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
            verdict.note(Condition::Restitution, if largest == 0.0 { 0.0 } else { largest / self.impulse_slack() });
            return;
        }
        let target = if before.hi() < 0.0 { before * Double::from(-self.own.restitution_used) } else { ZERO };
        let excess = (motion.after[n] - target).hi();
        let residual = if self.is_alone() || excess < 0.0 {
            excess.abs()
        } else {
            excess.min(motion.delassus[n] * self.impulse()[0].max(0.0))
        };
        verdict.note(Condition::Restitution, ratio(residual, slack));
    }

    fn tangential(&self, verdict: &mut Verdict) {
        let tangents = self.rows.start + 1..self.rows.end;
        let motion = self.motion;
        let slack = motion.slack[tangents.clone()].iter().fold(0.0_f64, |length, x| length.hypot(*x));
        let average: Vec<Double> =
            tangents.clone().map(|r| (motion.before[r] + motion.after[r]) * Double::from(0.5)).collect();
        let length = |v: &[Double]| v.iter().fold(0.0_f64, |length, x| length.hypot(x.hi()));
        let residual = match self.own.mode {
            Mode::Separating => return,
            Mode::Stick => {
                let e_t = Double::from(self.contact.tangential);
                length(&tangents.map(|r| motion.after[r] + motion.before[r] * e_t).collect::<Vec<_>>())
            }
            Mode::Reversal => length(&average),
            Mode::Slip => return self.slip(&average, slack, verdict),
        };
        verdict.note(Condition::Tangential, ratio(residual, slack));
    }

    /// [15]-[18]: `i_t = -μ_d u i_n`, and the average velocity along `u`.
    fn slip(&self, average: &[Double], slack: f64, verdict: &mut Verdict) {
        let Some(direction) = &self.own.direction else {
            return verdict.require(Condition::Tangential, false);
        };
        let rounding = ROUNDINGS * self.motion.n * f64::EPSILON;
        let length = direction.iter().fold(0.0_f64, |length, x| length.hypot(*x));
        verdict.note(Condition::Tangential, ratio((length - 1.0).abs(), rounding));
        let along = average.iter().zip(direction).fold(ZERO, |sum, (v, u)| sum + *v * Double::from(*u));
        let across = average.iter().zip(direction).map(|(v, u)| (*v - along * Double::from(*u)).hi());
        let across = across.fold(0.0_f64, |length, x| length.hypot(x));
        verdict.note(Condition::Tangential, ratio(across.max(-along.hi()), slack));
        let impulse = self.impulse();
        let friction = self.contact.mu_d * impulse[0];
        let off = impulse[1..].iter().zip(direction).fold(0.0_f64, |length, (i, u)| length.hypot(i + friction * u));
        verdict.note(Condition::Tangential, ratio(off, (RELATIVE + rounding) * friction.abs() + self.impulse_slack()));
    }
}
