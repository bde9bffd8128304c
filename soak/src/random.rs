//! Random impacts: all numbers follow from one seed, so that a finding can be replayed by its seed.

use carom::law::{Guard, Law};
use fastrand::Rng;

use crate::problem::{Contact, Problem, Rows, Terms};

/// The kind of a random problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Kind {
    /// `(M, A, q̇)` or `(W, v)`.
    pub is_generalized: bool,
    /// Whether it has several contacts.
    pub is_several: bool,
    /// How its numbers are generated.
    pub family: Family,
    /// The law; rival laws accept one contact.
    pub law: Law,
}

/// How the numbers of a problem are generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Family {
    /// Condition numbers up to 1e3.
    Regular,
    /// Numbers of one digit: ties, zeros and exact boundaries.
    Digits,
    /// cond(M) up to 1e14; in contact space cond(W) up to 1e16.
    Ill,
    /// Rows that are nearly linearly dependent: cond(W) up to 1e16, cond(M) up to 1e3.
    Near,
    /// Linearly dependent rows: W is exactly singular.
    Redundant,
    /// Units of 1e±100, coordinates and rows of different sizes.
    Units,
}

impl Family {
    /// Every family.
    pub const ALL: [Self; 6] = [Self::Regular, Self::Digits, Self::Ill, Self::Near, Self::Redundant, Self::Units];

    fn name(self) -> &'static str {
        match self {
            Self::Regular => "regular",
            Self::Digits => "digits",
            Self::Ill => "ill",
            Self::Near => "near",
            Self::Redundant => "redundant",
            Self::Units => "units",
        }
    }
}

impl Kind {
    /// The name in tables: `several (M, A, q̇), redundant`.
    pub fn name(&self) -> String {
        let form = if self.is_generalized { "M" } else { "W" };
        let count = if self.is_several { "several" } else { "one" };
        let law = if self.law == Law::Aghili { String::new() } else { format!(" {}", self.law.name()) };
        if law.is_empty() { format!("{form} {count} {}", self.family.name()) } else { format!("{form}{law}") }
    }

    /// Whether a valid problem of this kind must have an answer.
    ///
    /// `A q̇` is in the range of W by construction, so there is no reason to reject a generalized problem; a W that is
    /// singular to rounding may be rejected.
    pub fn must_be_answered(&self) -> bool {
        self.is_generalized || matches!(self.family, Family::Regular | Family::Digits | Family::Redundant)
    }
}

/// The problem of a seed.
pub fn problem(seed: u64) -> (Kind, Problem) {
    let mut rng = Rng::with_seed(mixed(seed));
    let kind = kind(&mut rng);
    let problem = of_kind(&mut rng, kind);
    (kind, problem)
}

/// Decorrelates neighbouring seeds (SplitMix64).
fn mixed(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn kind(rng: &mut Rng) -> Kind {
    let family = Family::ALL[rng.usize(0..Family::ALL.len())];
    let is_generalized = rng.u8(0..5) < 3;
    let is_several = rng.u8(0..5) < 2;
    let law = match rng.u8(0..4) {
        0 if !is_several => rival(rng),
        _ => Law::Aghili,
    };
    Kind { is_generalized, is_several, family, law }
}

/// A compliant impact is integrated and costs as much as a hundred others.
fn rival(rng: &mut Rng) -> Law {
    let law = Law::ALL[rng.usize(0..Law::ALL.len())];
    if law == Law::HuntCrossley && rng.u8(0..8) > 0 { Law::Moreau } else { law }
}

fn of_kind(rng: &mut Rng, kind: Kind) -> Problem {
    let count = if kind.is_several { [2, 2, 2, 3, 3, 4, 5][rng.usize(0..7)] } else { 1 };
    let dimension = rng.usize(1..=3);
    let is_planar = rng.bool();
    let mut contacts: Vec<Contact> = (0..count)
        .map(|_| {
            let dimension = match (kind.is_several, is_planar) {
                (false, _) => {
                    if dimension == 1 && rng.bool() {
                        2
                    } else {
                        dimension
                    }
                }
                (true, true) => 2,
                (true, false) => rng.usize(1..=3),
            };
            contact(rng, dimension, kind.family)
        })
        .collect();
    let rows = contacts.iter().map(|contact| contact.dimension).sum();
    let is_normal: Vec<bool> = contacts.iter().flat_map(|contact| (0..contact.dimension).map(|row| row == 0)).collect();
    let mut terms =
        if kind.is_generalized { generalized(rng, kind, &is_normal) } else { contact_space(rng, kind, rows) };
    approach(rng, &mut terms);
    if kind.family == Family::Units {
        change_units(rng, &mut terms, &mut contacts);
    }
    let guard = if kind.law == Law::Aghili { Guard::ALL[rng.usize(0..Guard::ALL.len())] } else { Guard::Report };
    Problem { terms, contacts, law: kind.law, guard }
}

fn contact(rng: &mut Rng, dimension: usize, family: Family) -> Contact {
    if family == Family::Digits {
        let mu_d = [0.0, 0.1, 0.3, 0.5, 1.0, 2.0, 8.0][rng.usize(0..7)];
        let mu_s = if rng.bool() { mu_d } else { mu_d * 2.0 };
        let normal = [0.0, 0.2, 0.5, 0.9, 1.0][rng.usize(0..5)];
        let tangential = [0.0, 0.0, 0.0, 0.0, 1.0, -1.0, 0.5, -0.5][rng.usize(0..8)];
        return Contact { dimension, normal, tangential, mu_s, mu_d };
    }
    let mu_d = match rng.u8(0..12) {
        0 => 0.0,
        1 => decades(rng, -9.0, 9.0),
        2 => decades(rng, -2.0, 2.0),
        _ => 1.5 * rng.f64(),
    };
    let mu_s = if rng.bool() { mu_d } else { mu_d * (1.0 + rng.f64()) };
    let normal = match rng.u8(0..8) {
        0 => 0.0,
        1 => 1.0,
        _ => rng.f64(),
    };
    let tangential = match rng.u8(0..16) {
        0 => 1.0,
        1 => -1.0,
        2 | 3 => 2.0 * rng.f64() - 1.0,
        _ => 0.0,
    };
    Contact { dimension, normal, tangential, mu_s, mu_d }
}

fn generalized(rng: &mut Rng, kind: Kind, is_normal: &[bool]) -> Terms {
    let rows = is_normal.len();
    // Fewer coordinates than rows make W singular.
    let n = match kind.family {
        Family::Redundant if rows > 1 => rng.usize(1..=rows),
        Family::Redundant => rng.usize(1..=3),
        _ => rows + rng.usize(0..=3),
    };
    if matches!(kind.family, Family::Digits) || kind.family == Family::Redundant && rng.bool() {
        let mass = gram(&digits(rng, n, n + 1), |i, j| if i == j { 1.0 } else { 0.0 });
        let mut jacobian = digits(rng, rows, n);
        if kind.family == Family::Redundant {
            depend(rng, &mut jacobian, is_normal);
        }
        return Terms::Generalized { mass, jacobian, velocity: digits(rng, 1, n).remove(0) };
    }
    let most = if kind.family == Family::Ill { 14.0 } else { 3.0 };
    let condition = decades(rng, 0.0, most);
    let mass = with_condition(rng, n, condition);
    let mut jacobian = matrix(rng, rows, n);
    match kind.family {
        Family::Redundant => depend(rng, &mut jacobian, is_normal),
        Family::Near => depend_nearly(rng, &mut jacobian),
        _ => {}
    }
    Terms::Generalized { mass, jacobian, velocity: (0..n).map(|_| normal(rng)).collect() }
}

fn contact_space(rng: &mut Rng, kind: Kind, rows: usize) -> Terms {
    match kind.family {
        Family::Digits => {
            // Whole numbers: W and v are exact, and v is in the range of W.
            let b = digits(rng, rows, rows + 1);
            let delassus = gram(&b, |i, j| if i == j { 1.0 } else { 0.0 });
            Terms::ContactSpace { delassus, velocity: digits(rng, 1, rows).remove(0) }
        }
        Family::Redundant => {
            let b = digits(rng, rows, rng.clone().usize(1..=rows));
            let x = digits(rng, 1, b[0].len()).remove(0);
            let velocity = b.iter().map(|row| row.iter().zip(&x).map(|(b, x)| b * x).sum()).collect();
            Terms::ContactSpace { delassus: gram(&b, |_, _| 0.0), velocity }
        }
        Family::Regular | Family::Units => {
            let condition = decades(rng, 0.0, 3.0);
            let delassus = with_condition(rng, rows, condition);
            Terms::ContactSpace { delassus, velocity: (0..rows).map(|_| normal(rng)).collect() }
        }
        Family::Ill | Family::Near => {
            // The velocity of a motion, or any velocity.
            let condition = decades(rng, 3.0, 16.0);
            let delassus = with_condition(rng, rows, condition);
            let x: Vec<f64> = (0..rows).map(|_| normal(rng)).collect();
            let is_any = rng.bool();
            let velocity = (0..rows)
                .map(|r| if is_any { x[r] } else { delassus[r].iter().zip(&x).map(|(w, x)| w * x).sum() })
                .collect();
            Terms::ContactSpace { delassus, velocity }
        }
    }
}

/// Makes the first contact approach, nearly always.
fn approach(rng: &mut Rng, terms: &mut Terms) {
    if rng.u8(0..40) == 0 {
        return;
    }
    match terms {
        Terms::Generalized { jacobian, velocity, .. } => {
            let normal: f64 = jacobian[0].iter().zip(&*velocity).map(|(a, v)| a * v).sum();
            if normal > 0.0 {
                velocity.iter_mut().for_each(|v| *v = -*v);
            }
        }
        Terms::ContactSpace { velocity, .. } => {
            if velocity[0] > 0.0 {
                velocity.iter_mut().for_each(|v| *v = -*v);
            }
        }
    }
}

/// Any units, not only powers of two: of mass, of velocity, of each coordinate, of each contact's length.
fn change_units(rng: &mut Rng, terms: &mut Terms, contacts: &mut [Contact]) {
    let (mass_unit, speed_unit) = (decades(rng, -100.0, 100.0), decades(rng, -50.0, 50.0));
    // Tangents in another unit than the normal: friction is scaled accordingly.
    let tangent_unit = if rng.u8(0..4) == 0 { decades(rng, -6.0, 6.0) } else { 1.0 };
    let own: Vec<f64> = contacts.iter().map(|_| decades(rng, -6.0, 6.0)).collect();
    let row_unit: Vec<f64> = (contacts.iter().zip(&own))
        .flat_map(|(contact, own)| (0..contact.dimension).map(move |r| if r == 0 { *own } else { own * tangent_unit }))
        .collect();
    for contact in contacts {
        contact.mu_s /= tangent_unit;
        contact.mu_d /= tangent_unit;
    }
    match terms {
        Terms::Generalized { mass, jacobian, velocity } => {
            let coordinate: Vec<f64> = velocity.iter().map(|_| decades(rng, -8.0, 8.0)).collect();
            for i in 0..velocity.len() {
                for j in 0..=i {
                    mass[i][j] *= mass_unit * (coordinate[i] * coordinate[j]);
                    mass[j][i] = mass[i][j];
                }
                jacobian.iter_mut().enumerate().for_each(|(r, row)| row[i] *= row_unit[r] * coordinate[i]);
                velocity[i] *= speed_unit / coordinate[i];
            }
        }
        Terms::ContactSpace { delassus, velocity } => {
            for i in 0..velocity.len() {
                for j in 0..=i {
                    delassus[i][j] *= (row_unit[i] * row_unit[j]) / mass_unit;
                    delassus[j][i] = delassus[i][j];
                }
                velocity[i] *= row_unit[i] * speed_unit;
            }
        }
    }
}

/// Some rows become multiples of others; a tangent may become zero.
fn depend(rng: &mut Rng, rows: &mut Rows, is_normal: &[bool]) {
    for r in 1..rows.len() {
        if rng.bool() {
            let of = (0..r).filter(|of| rows[*of].iter().any(|x| *x != 0.0)).nth(rng.usize(0..r)).unwrap_or(0);
            let factor = [1.0, -1.0, 2.0, 0.0][rng.usize(0..if is_normal[r] { 3 } else { 4 })];
            rows[r] = rows[of].iter().map(|x| x * factor).collect();
        }
    }
}

/// Like [`depend`], but perturbed by 1e-4 to 1e-8.
fn depend_nearly(rng: &mut Rng, rows: &mut Rows) {
    for r in 1..rows.len() {
        if rng.u8(0..3) > 0 {
            let (of, part) = (rng.usize(0..r), decades(rng, -8.0, -4.0));
            let factor = normal(rng);
            rows[r] = (0..rows[r].len()).map(|j| factor * rows[of][j] + part * rows[r][j]).collect();
        }
    }
}

/// `B Bᵀ` and something more, symmetric to the last bit.
fn gram(b: &Rows, more: impl Fn(usize, usize) -> f64) -> Rows {
    let entry = |i: usize, j: usize| b[i].iter().zip(&b[j]).map(|(x, y)| x * y).sum::<f64>() + more(i, j);
    (0..b.len()).map(|i| (0..b.len()).map(|j| entry(i.max(j), i.min(j))).collect()).collect()
}

/// A symmetric matrix with a condition number: eigenvalues from 1 down by decades, with random axes.
fn with_condition(rng: &mut Rng, n: usize, condition: f64) -> Rows {
    let power = |rng: &mut Rng, k: usize| match k {
        0 => 0.0,
        1 => 1.0,
        _ => rng.f64(),
    };
    let eigenvalues: Vec<f64> = (0..n).map(|k| condition.powf(-power(rng, k))).collect();
    let mut m: Rows = (0..n).map(|i| (0..n).map(|j| if i == j { eigenvalues[i] } else { 0.0 }).collect()).collect();
    for _ in 0..2 {
        for i in 0..n {
            for j in 0..i {
                let (s, c) = (std::f64::consts::TAU * rng.f64()).sin_cos();
                for k in 0..n {
                    (m[i][k], m[j][k]) = (c * m[i][k] - s * m[j][k], s * m[i][k] + c * m[j][k]);
                }
                for k in 0..n {
                    (m[k][i], m[k][j]) = (c * m[k][i] - s * m[k][j], s * m[k][i] + c * m[k][j]);
                }
            }
        }
    }
    (0..n).map(|i| (0..n).map(|j| m[i.max(j)][i.min(j)]).collect()).collect()
}

fn matrix(rng: &mut Rng, rows: usize, columns: usize) -> Rows {
    (0..rows).map(|_| (0..columns).map(|_| normal(rng)).collect()).collect()
}

/// Whole numbers of one digit, none of the rows zero.
fn digits(rng: &mut Rng, rows: usize, columns: usize) -> Rows {
    let row = |rng: &mut Rng| loop {
        let row: Vec<f64> = (0..columns).map(|_| f64::from(rng.i8(-4..=4))).collect();
        if row.iter().any(|x| *x != 0.0) {
            return row;
        }
    };
    (0..rows).map(|_| row(rng)).collect()
}

/// Irwin and Hall's sum of twelve: near enough to a normal distribution here.
fn normal(rng: &mut Rng) -> f64 {
    (0..12).map(|_| rng.f64()).sum::<f64>() - 6.0
}

/// Log-uniform.
fn decades(rng: &mut Rng, low: f64, high: f64) -> f64 {
    10f64.powf(low + (high - low) * rng.f64())
}
