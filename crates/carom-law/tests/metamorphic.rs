//! The same impact told in another way has the same answer: other units, other coordinates, a mirror, turned tangents,
//! another order of contacts, a contact more that does nothing.
//!
//! Nothing here knows how an answer is found. Two answers are compared by the velocity after the impact, in the metric of the
//! mass matrix and relative to the velocity before.

mod common;

use carom_law::{
    AnswerSearch, Coefficients, ContactSet, Dimension, Friction, GeneralizedContact, Guard, Mode, Restitution,
};
use common::random::{self, between, decades, normal};
use fastrand::Rng;
use nalgebra::{DMatrix, DVector};

/// What two answers may differ by, as a part of the speed before: the certificate of several contacts is 1e-8, and the
/// matrices here have condition numbers of up to some thousands.
const SAME: f64 = 1e-6;

/// An impact with regular matrices.
#[derive(Debug, Clone)]
struct Impact {
    mass: DMatrix<f64>,
    jacobian: DMatrix<f64>,
    velocity: DVector<f64>,
    contacts: Vec<Contact>,
}

/// A contact's rows and coefficients.
#[derive(Debug, Clone, Copy)]
struct Contact {
    d: usize,
    e: f64,
    e_t: f64,
    mu_s: f64,
    mu_d: f64,
}

/// What an impact comes to.
#[derive(Debug)]
struct Answer {
    velocity: DVector<f64>,
    modes: Vec<Mode>,
    /// Impacts that followed each other.
    sequence: u32,
    /// Whether all answers were tried.
    is_exhaustive: bool,
}

impl Contact {
    fn random(rng: &mut Rng, d: usize) -> Self {
        let mu_d = if rng.u8(0..10) == 0 { 0.0 } else { between(rng, 0.0, 1.3) };
        let mu_s = if rng.bool() { mu_d } else { mu_d * between(rng, 1.0, 1.6) };
        let e_t = if rng.u8(0..5) == 0 { between(rng, -1.0, 1.0) } else { 0.0 };
        Self { d, e: [0.0, 1.0, rng.f64(), rng.f64(), rng.f64()][rng.usize(0..5)], e_t, mu_s, mu_d }
    }

    fn coefficients(&self) -> Coefficients {
        let restitution = Restitution::with_tangential(self.e, self.e_t).unwrap();
        Coefficients::new(restitution, Friction::with_static(self.mu_s, self.mu_d).unwrap())
    }

    fn dimension(&self) -> Dimension {
        [Dimension::Normal, Dimension::Planar, Dimension::Spatial][self.d - 1]
    }
}

impl Impact {
    /// `contacts` of the dimensions given, on a few more coordinates than they have rows.
    fn random(rng: &mut Rng, dimensions: &[usize]) -> Self {
        let rows: usize = dimensions.iter().sum();
        let n = rows + rng.usize(1..=3);
        let root = DMatrix::from_fn(n, n, |_, _| normal(rng));
        let mass = &root * root.transpose() + DMatrix::identity(n, n) * 0.1;
        let jacobian = DMatrix::from_fn(rows, n, |_, _| normal(rng));
        let mut velocity = DVector::from_fn(n, |_, _| normal(rng));
        if (jacobian.row(0) * &velocity)[0] > 0.0 {
            velocity = -velocity;
        }
        Self { mass, jacobian, velocity, contacts: dimensions.iter().map(|d| Contact::random(rng, *d)).collect() }
    }

    fn rows(&self, k: usize) -> std::ops::Range<usize> {
        let start = self.contacts[..k].iter().map(|contact| contact.d).sum();
        start..start + self.contacts[k].d
    }

    /// One contact by the way of one, several by the way of several.
    fn answer(&self, guard: Guard) -> carom_law::Result<Answer> {
        let coefficients: Vec<Coefficients> = self.contacts.iter().map(Contact::coefficients).collect();
        let v = self.velocity.as_slice();
        let (velocity, modes, sequence, is_exhaustive) = if let [one] = &coefficients[..] {
            let outcome = GeneralizedContact::new(&self.mass, &self.jacobian, v)?.impact(one, guard)?;
            (outcome.velocity, vec![outcome.mode], 1, true)
        } else {
            let dimensions: Vec<Dimension> = self.contacts.iter().map(Contact::dimension).collect();
            let set = ContactSet::from_generalized(&dimensions, &self.mass, &self.jacobian, v)?;
            let outcome = set.impact(&coefficients, guard)?;
            let modes = outcome.contacts.iter().map(|contact| contact.mode).collect();
            // The later impacts of a sequence may be sampled.
            let is_exhaustive = outcome.search == AnswerSearch::Exhaustive && outcome.sequence == 1;
            (outcome.velocity, modes, outcome.sequence, is_exhaustive)
        };
        Ok(Answer { velocity: DVector::from_vec(velocity.unwrap()), modes, sequence, is_exhaustive })
    }

    /// How far two velocities are from each other, over the one before.
    fn distance(&self, one: &DVector<f64>, other: &DVector<f64>) -> f64 {
        let norm = |v: &DVector<f64>| v.dot(&(&self.mass * v)).sqrt();
        norm(&(one - other)) / norm(&self.velocity).max(norm(one))
    }

    /// Another mass unit, velocity unit, unit of each coordinate and unit of each contact's length.
    fn in_units(&self, mass: f64, speed: f64, coordinates: &[f64], contacts: &[f64]) -> Self {
        let mut other = self.clone();
        let n = self.velocity.len();
        for i in 0..n {
            for j in 0..n {
                other.mass[(i, j)] *= mass * (coordinates[i] * coordinates[j]);
            }
            other.velocity[i] *= speed / coordinates[i];
            for (k, unit) in contacts.iter().enumerate() {
                self.rows(k).for_each(|r| other.jacobian[(r, i)] *= unit * coordinates[i]);
            }
        }
        other
    }

    /// Other coordinates, `q̇ = T q̇'`.
    fn in_coordinates(&self, t: &DMatrix<f64>) -> Self {
        let mass = t.transpose() * &self.mass * t;
        Self {
            mass: 0.5 * (&mass + mass.transpose()),
            jacobian: &self.jacobian * t,
            velocity: t.clone().lu().solve(&self.velocity).unwrap(),
            ..self.clone()
        }
    }

    /// Every spatial contact with its tangents turned by an angle of its own.
    fn with_tangents_turned(&self, rng: &mut Rng) -> Self {
        let mut other = self.clone();
        for k in 0..self.contacts.len() {
            if self.contacts[k].d == 3 {
                let r = self.rows(k).start;
                let (s, c) = between(rng, 0.0, std::f64::consts::TAU).sin_cos();
                for j in 0..self.velocity.len() {
                    let (one, two) = (self.jacobian[(r + 1, j)], self.jacobian[(r + 2, j)]);
                    other.jacobian[(r + 1, j)] = c * one + s * two;
                    other.jacobian[(r + 2, j)] = c * two - s * one;
                }
            }
        }
        other
    }

    /// Every contact seen in a mirror that holds its normal: the last tangent points the other way.
    fn mirrored(&self) -> Self {
        let mut other = self.clone();
        for k in (0..self.contacts.len()).filter(|k| self.contacts[*k].d > 1) {
            other.jacobian.row_mut(self.rows(k).end - 1).neg_mut();
        }
        other
    }

    fn reordered(&self, order: &[usize]) -> Self {
        let rows: Vec<usize> = order.iter().flat_map(|k| self.rows(*k)).collect();
        Self {
            jacobian: self.jacobian.select_rows(&rows),
            contacts: order.iter().map(|k| self.contacts[*k]).collect(),
            ..self.clone()
        }
    }

    /// A body more, which flies by itself and leaves its surface.
    fn with_a_body_far_away(&self, rng: &mut Rng) -> Self {
        let mut far = Self::random(rng, &[rng.clone().usize(1..=3)]);
        if (far.jacobian.row(0) * &far.velocity)[0] < 0.0 {
            far.velocity = -far.velocity;
        }
        let (n, rows) = (self.velocity.len(), self.jacobian.nrows());
        let (more, more_rows) = (far.velocity.len(), far.jacobian.nrows());
        let mut other = Self {
            mass: DMatrix::zeros(n + more, n + more),
            jacobian: DMatrix::zeros(rows + more_rows, n + more),
            velocity: DVector::zeros(n + more),
            contacts: self.contacts.iter().chain(&far.contacts).copied().collect(),
        };
        other.mass.view_mut((0, 0), (n, n)).copy_from(&self.mass);
        other.mass.view_mut((n, n), (more, more)).copy_from(&far.mass);
        other.jacobian.view_mut((0, 0), (rows, n)).copy_from(&self.jacobian);
        other.jacobian.view_mut((rows, n), (more_rows, more)).copy_from(&far.jacobian);
        other.velocity.rows_mut(0, n).copy_from(&self.velocity);
        other.velocity.rows_mut(n, more).copy_from(&far.velocity);
        other
    }

    /// A contact more of the same mechanism, which separates before and after: `after` is the answer without it. The
    /// impact as it is where no such contact is found, because everything turns back.
    fn with_a_separating_contact(&self, rng: &mut Rng, after: &DVector<f64>) -> Self {
        let (n, rows) = (self.velocity.len(), self.jacobian.nrows());
        let d = rng.usize(1..=3);
        let mut other = self.clone();
        other.jacobian = self.jacobian.clone().insert_rows(rows, d, 0.0);
        other.contacts.push(Contact::random(rng, d));
        for _ in 0..100 {
            let new = DMatrix::from_fn(d, n, |_, _| normal(rng));
            let parts = |v: &DVector<f64>| (new.row(0) * v)[0];
            if parts(&self.velocity) > 0.1 && parts(after) > 0.1 {
                other.jacobian.rows_mut(rows, d).copy_from(&new);
                return other;
            }
        }
        self.clone()
    }
}

/// Another telling of an impact, and the way back of its velocities.
type Retold = (Impact, Box<dyn Fn(&DVector<f64>) -> DVector<f64>>);

/// One contact, or two to four of any dimensions.
fn dimensions(rng: &mut Rng, is_several: bool) -> Vec<usize> {
    let count = if is_several { rng.usize(2..=4) } else { 1 };
    (0..count).map(|_| rng.usize(1..=3)).collect()
}

/// Tries a change of telling on random impacts: `change` gives the other impact and the way back of its velocity.
/// Where not all answers are tried, rounding decides which of several are found: in one impact of this many at most. (Seen: 1
/// in 4000.)
const SAMPLED: usize = 500;

#[track_caller]
fn assert_told_alike(name: &str, is_several: bool, change: impl Fn(&mut Rng, &Impact, &Answer) -> Retold) {
    let mut rng = random::generator(name);
    let (mut differing, mut sampled) = (Vec::new(), Vec::new());
    let cases = random::cases(if is_several { 500 } else { 2000 });
    for case in 0..cases {
        let dimensions = dimensions(&mut rng, is_several);
        let impact = Impact::random(&mut rng, &dimensions);
        for guard in Guard::ALL {
            // No answer is judged elsewhere; an answer must stay one.
            let Ok(answer) = impact.answer(guard) else { continue };
            let (other, back) = change(&mut rng, &impact, &answer);
            let distance = match other.answer(guard) {
                Ok(told) => impact.distance(&answer.velocity, &back(&told.velocity)),
                Err(_) => f64::INFINITY,
            };
            if !(distance <= SAME) {
                let list = if answer.is_exhaustive { &mut differing } else { &mut sampled };
                list.push((case, guard, distance));
            }
        }
    }
    let some =
        |list: &[(usize, Guard, f64)]| format!("{} of 3 x {cases}: {:?}", list.len(), &list[..list.len().min(8)]);
    assert!(differing.is_empty(), "all answers were tried, and others are given: {}", some(&differing));
    assert!(
        sampled.len() <= 3 * cases.div_ceil(SAMPLED),
        "some answers were tried, others are given: {}",
        some(&sampled)
    );
}

fn same(v: &DVector<f64>) -> DVector<f64> {
    v.clone()
}

fn any_units(rng: &mut Rng, impact: &Impact) -> Retold {
    let [mass, speed] = [decades(rng, -40.0, 40.0), decades(rng, -40.0, 40.0)];
    let coordinates: Vec<f64> = impact.velocity.iter().map(|_| decades(rng, -3.0, 3.0)).collect();
    let length = decades(rng, -3.0, 3.0);
    let contacts = vec![length; impact.contacts.len()];
    let other = impact.in_units(mass, speed, &coordinates, &contacts);
    let back = move |v: &DVector<f64>| DVector::from_fn(v.len(), |i, _| v[i] * coordinates[i] / speed);
    (other, Box::new(back))
}

fn any_coordinates(rng: &mut Rng, impact: &Impact) -> Retold {
    let n = impact.velocity.len();
    let t = DMatrix::from_fn(n, n, |_, _| normal(rng)) + DMatrix::identity(n, n) * 4.0;
    (impact.in_coordinates(&t), Box::new(move |v| &t * v))
}

#[test]
fn units_of_one_contact_do_not_matter() {
    assert_told_alike("units_of_one_contact_do_not_matter", false, |rng, impact, _| any_units(rng, impact));
}

#[test]
fn units_of_several_contacts_do_not_matter() {
    assert_told_alike("units_of_several_contacts_do_not_matter", true, |rng, impact, _| any_units(rng, impact));
}

#[test]
fn coordinates_of_one_contact_do_not_matter() {
    assert_told_alike("coordinates_of_one_contact_do_not_matter", false, |rng, i, _| any_coordinates(rng, i));
}

#[test]
fn coordinates_of_several_contacts_do_not_matter() {
    assert_told_alike("coordinates_of_several_contacts_do_not_matter", true, |rng, i, _| any_coordinates(rng, i));
}

#[test]
fn turned_tangents_of_one_contact_do_not_matter() {
    let name = "turned_tangents_of_one_contact_do_not_matter";
    assert_told_alike(name, false, |rng, impact, _| (impact.with_tangents_turned(rng), Box::new(same)));
}

#[test]
fn turned_tangents_of_several_contacts_do_not_matter() {
    let name = "turned_tangents_of_several_contacts_do_not_matter";
    assert_told_alike(name, true, |rng, impact, _| (impact.with_tangents_turned(rng), Box::new(same)));
}

#[test]
fn a_mirror_image_of_one_contact_is_mirrored() {
    let name = "a_mirror_image_of_one_contact_is_mirrored";
    assert_told_alike(name, false, |_, impact, _| (impact.mirrored(), Box::new(same)));
}

#[test]
fn a_mirror_image_of_several_contacts_is_mirrored() {
    let name = "a_mirror_image_of_several_contacts_is_mirrored";
    assert_told_alike(name, true, |_, impact, _| (impact.mirrored(), Box::new(same)));
}

#[test]
fn a_contact_far_away_does_nothing_to_one() {
    let name = "a_contact_far_away_does_nothing_to_one";
    assert_told_alike(name, false, |rng, impact, _| {
        let n = impact.velocity.len();
        (impact.with_a_body_far_away(rng), Box::new(move |v| v.rows(0, n).into_owned()))
    });
}

#[test]
fn a_contact_far_away_does_nothing_to_several() {
    let name = "a_contact_far_away_does_nothing_to_several";
    assert_told_alike(name, true, |rng, impact, _| {
        let n = impact.velocity.len();
        (impact.with_a_body_far_away(rng), Box::new(move |v| v.rows(0, n).into_owned()))
    });
}

#[test]
fn a_contact_that_separates_does_nothing_to_one() {
    let name = "a_contact_that_separates_does_nothing_to_one";
    assert_told_alike(name, false, |rng, impact, answer| {
        (impact.with_a_separating_contact(rng, &answer.velocity), Box::new(same))
    });
}

#[test]
fn a_contact_that_separates_does_nothing_to_several() {
    let name = "a_contact_that_separates_does_nothing_to_several";
    assert_told_alike(name, true, |rng, impact, answer| {
        // Between impacts that follow each other it may approach.
        let other =
            if answer.sequence > 1 { impact.clone() } else { impact.with_a_separating_contact(rng, &answer.velocity) };
        (other, Box::new(same))
    });
}

#[test]
fn the_order_of_contacts_does_not_matter() {
    assert_told_alike("the_order_of_contacts_does_not_matter", true, |rng, impact, _| {
        let mut order: Vec<usize> = (0..impact.contacts.len()).collect();
        while order.is_sorted() {
            rng.shuffle(&mut order);
        }
        (impact.reordered(&order), Box::new(same))
    });
}

/// A disc comes down between two equal discs that touch, everything mirrored in the vertical: so is the answer, in either
/// order of contacts and with a third contact far away. With e = 0.9 the contacts stick from μ = 0.0285 on.
#[test]
fn a_symmetric_impact_has_a_symmetric_answer() {
    let (s, c) = (0.5, 0.75_f64.sqrt());
    for mu in [0.0, 0.005, 0.01, 0.02, 0.028, 0.03, 0.1, 0.5] {
        for e in [0.0, 0.5, 0.9, 1.0] {
            // Coordinates x, y, turn of the cue, left and right ball; unit masses, radii and a ball's inertia, 2/5.
            let mass = DMatrix::from_diagonal(&DVector::from_fn(9, |i, _| if i % 3 == 2 { 0.4 } else { 1.0 }));
            // The cue moves along +y; the balls lie at (∓s, c) from it. Normals from ball to cue.
            let mut jacobian = DMatrix::zeros(4, 9);
            for (k, side) in [(0, -1.0), (1, 1.0)] {
                let normal = [-side * s, -c];
                let tangent = [-normal[1], normal[0]];
                for axis in 0..2 {
                    for (row, direction) in [(2 * k, normal), (2 * k + 1, tangent)] {
                        jacobian[(row, axis)] = direction[axis];
                        jacobian[(row, 3 + 3 * k + axis)] = -direction[axis];
                    }
                }
                // A turn of either moves the point of contact along the tangent, by the radius.
                jacobian[(2 * k + 1, 2)] = -1.0;
                jacobian[(2 * k + 1, 5 + 3 * k)] = -1.0;
            }
            let mut velocity = DVector::zeros(9);
            velocity[1] = 1.0;
            let contact = Contact { d: 2, e, e_t: 0.0, mu_s: mu, mu_d: mu };
            let impact = Impact { mass, jacobian, velocity, contacts: vec![contact; 2] };
            let mut rng = random::generator("a_symmetric_impact_has_a_symmetric_answer");
            let far = impact.with_a_body_far_away(&mut rng);
            for guard in [Guard::Report, Guard::Limit] {
                for told in [impact.clone(), impact.reordered(&[1, 0]), far.clone()] {
                    let answer = told.answer(guard).unwrap();
                    let v = &answer.velocity;
                    let off = [v[0], v[2], v[3] + v[6], v[4] - v[7], v[5] + v[8]];
                    let worst = off.iter().fold(0.0_f64, |worst, x| worst.max(x.abs()));
                    assert!(worst <= 1e-9, "mu = {mu}, e = {e}, {guard:?}: {worst:e} {:?} {v}", answer.modes);
                }
            }
        }
    }
}
