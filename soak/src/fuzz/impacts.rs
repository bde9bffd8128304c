//! The law of one contact, by all laws and guards, and several contacts at once.

use carom::law::{Guard, Law};

use super::bytes::Bytes;
use crate::judge::judge;
use crate::problem::{Contact, Problem, Rows, Terms};
use crate::verdict::Condition;

/// The conditions that must hold for any numbers. The others only hold for numbers that do not span the whole range of
/// `f64`; the soak checks them.
const ASSERTED: [Condition; 4] = [Condition::Finite, Condition::Sign, Condition::Cone, Condition::Energy];

/// One contact by any law.
///
/// # Panics
/// If carom panics, or its outcome violates a condition.
pub fn law(data: &[u8]) {
    let mut bytes = Bytes(data);
    let law = Law::ALL[bytes.below(Law::ALL.len())];
    let dimension = 1 + bytes.below(3);
    let contacts = vec![contact(&mut bytes, dimension)];
    check(&problem(&mut bytes, contacts, law));
}

/// Two to four contacts.
///
/// # Panics
/// If carom panics, or its outcome violates a condition.
pub fn contact_set(data: &[u8]) {
    let mut bytes = Bytes(data);
    let count = 2 + bytes.below(3);
    let contacts = (0..count)
        .map(|_| {
            let dimension = 1 + bytes.below(3);
            contact(&mut bytes, dimension)
        })
        .collect();
    check(&problem(&mut bytes, contacts, Law::Aghili));
}

fn check(problem: &Problem) {
    let Ok(outcome) = problem.answer() else { return };
    let verdict = judge(problem, &outcome);
    for condition in ASSERTED {
        let ratio = verdict.of(condition);
        assert!(ratio <= 1.0, "{}: {ratio:e} times its bound\n{}\n{outcome}", condition.name(), problem.to_json());
    }
}

fn contact(bytes: &mut Bytes<'_>, dimension: usize) -> Contact {
    let (normal, tangential) = (bytes.number(), bytes.number());
    let mu_d = bytes.number().abs();
    let mu_s = if bytes.below(2) == 0 { mu_d } else { mu_d + bytes.number().abs() };
    Contact { dimension, normal: normal.abs() % 1.125, tangential: tangential % 1.125, mu_s, mu_d }
}

fn problem(bytes: &mut Bytes<'_>, contacts: Vec<Contact>, law: Law) -> Problem {
    let guard = if law == Law::Aghili { Guard::ALL[bytes.below(3)] } else { Guard::Report };
    let rows = contacts.iter().map(|contact| contact.dimension).sum();
    let terms = match bytes.below(3) {
        0 => {
            let n = 1 + bytes.below(6);
            let factor = matrix(bytes, n, n);
            let mut mass = gram(&factor);
            (0..n).for_each(|i| mass[i][i] += bytes.number().abs());
            Terms::Generalized { mass, jacobian: matrix(bytes, rows, n), velocity: bytes.numbers(n) }
        }
        1 => {
            // A velocity in the range of W.
            let columns = 1 + bytes.below(6);
            let factor = matrix(bytes, rows, columns);
            let x = bytes.numbers(columns);
            let velocity = factor.iter().map(|row| row.iter().zip(&x).map(|(b, x)| b * x).sum()).collect();
            Terms::ContactSpace { delassus: gram(&factor), velocity }
        }
        _ => {
            let lower = matrix(bytes, rows, rows);
            let delassus = (0..rows).map(|i| (0..rows).map(|j| lower[i.max(j)][i.min(j)]).collect()).collect();
            Terms::ContactSpace { delassus, velocity: bytes.numbers(rows) }
        }
    };
    Problem { terms, contacts, law, guard }
}

fn matrix(bytes: &mut Bytes<'_>, rows: usize, columns: usize) -> Rows {
    (0..rows).map(|_| bytes.numbers(columns)).collect()
}

fn gram(b: &Rows) -> Rows {
    let entry = |i: usize, j: usize| b[i].iter().zip(&b[j]).map(|(x, y)| x * y).sum();
    (0..b.len()).map(|i| (0..b.len()).map(|j| entry(i.max(j), i.min(j))).collect()).collect()
}
