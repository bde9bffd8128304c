//! Reduces a finding: fewer contacts, fewer coordinates, shorter numbers, as long as the same condition fails.

use std::time::{Duration, Instant};

use crate::problem::{Problem, Rows, Terms};
use crate::random::Kind;
use crate::run::examine;
use crate::verdict::Condition;

/// Time limit for one finding.
const MOST_TIME: Duration = Duration::from_secs(5);

/// Significant digits tried for each number, the fewest first.
const DIGITS: [usize; 5] = [1, 2, 3, 5, 9];

/// A smaller problem that fails at the same condition, or the same problem.
pub fn shrink(kind: &Kind, problem: &Problem, condition: Condition) -> Problem {
    let start = Instant::now();
    let fails = |candidate: &Problem| {
        start.elapsed() < MOST_TIME && candidate.is_finite() && !(examine(kind, candidate).verdict.of(condition) <= 1.0)
    };
    let mut best = problem.clone();
    loop {
        let before = best.to_json();
        for k in (0..best.contacts.len()).rev() {
            let less = without_contact(&best, k);
            adopt(&mut best, less, &fails);
        }
        for j in (0..coordinates(&best)).rev() {
            let less = without_coordinate(&best, j);
            adopt(&mut best, less, &fails);
        }
        for place in 0..numbers(&mut best).len() {
            for digits in DIGITS {
                let mut candidate = best.clone();
                let x = *numbers(&mut candidate)[place].0;
                let shorter = rounded(x, digits);
                let is_changed = set(&mut candidate, place, shorter);
                if !is_changed || adopt(&mut best, Some(candidate), &fails) {
                    break;
                }
            }
        }
        if best.to_json() == before || start.elapsed() >= MOST_TIME {
            return best;
        }
    }
}

fn adopt(best: &mut Problem, candidate: Option<Problem>, fails: &impl Fn(&Problem) -> bool) -> bool {
    match candidate.filter(fails) {
        Some(candidate) => {
            *best = candidate;
            true
        }
        None => false,
    }
}

fn rounded(x: f64, digits: usize) -> f64 {
    format!("{x:.*e}", digits - 1).parse().unwrap_or(x)
}

fn coordinates(problem: &Problem) -> usize {
    match &problem.terms {
        Terms::Generalized { velocity, .. } => velocity.len(),
        Terms::ContactSpace { .. } => 0,
    }
}

fn without_contact(problem: &Problem, k: usize) -> Option<Problem> {
    if problem.contacts.len() < 2 {
        return None;
    }
    let offsets = problem.offsets();
    let rows = offsets[k]..offsets[k + 1];
    let mut less = problem.clone();
    less.contacts.remove(k);
    match &mut less.terms {
        Terms::Generalized { jacobian, .. } => {
            jacobian.drain(rows);
        }
        Terms::ContactSpace { delassus, velocity } => {
            velocity.drain(rows.clone());
            delassus.drain(rows.clone());
            delassus.iter_mut().for_each(|row| {
                row.drain(rows.clone());
            });
        }
    }
    Some(less)
}

fn without_coordinate(problem: &Problem, j: usize) -> Option<Problem> {
    let mut less = problem.clone();
    match &mut less.terms {
        Terms::Generalized { mass, jacobian, velocity } if velocity.len() > 1 => {
            velocity.remove(j);
            mass.remove(j);
            mass.iter_mut().chain(jacobian).for_each(|row| {
                row.remove(j);
            });
            Some(less)
        }
        _ => None,
    }
}

/// Every number of a problem; off-diagonal entries of a symmetric matrix once, together with their transposed entry.
fn numbers(problem: &mut Problem) -> Vec<(&mut f64, Option<(usize, usize)>)> {
    fn all(rows: &mut Rows) -> impl Iterator<Item = (&mut f64, Option<(usize, usize)>)> {
        rows.iter_mut().flatten().map(|x| (x, None))
    }
    fn lower(rows: &mut Rows) -> impl Iterator<Item = (&mut f64, Option<(usize, usize)>)> {
        rows.iter_mut()
            .enumerate()
            .flat_map(|(i, row)| row.iter_mut().take(i + 1).enumerate().map(move |(j, x)| (x, Some((i, j)))))
    }
    let mut found: Vec<(&mut f64, Option<(usize, usize)>)> = Vec::new();
    match &mut problem.terms {
        Terms::Generalized { mass, jacobian, velocity } => {
            found.extend(lower(mass));
            found.extend(all(jacobian));
            found.extend(velocity.iter_mut().map(|x| (x, None)));
        }
        Terms::ContactSpace { delassus, velocity } => {
            found.extend(lower(delassus));
            found.extend(velocity.iter_mut().map(|x| (x, None)));
        }
    }
    for contact in &mut problem.contacts {
        found.push((&mut contact.normal, None));
        found.push((&mut contact.tangential, None));
        found.push((&mut contact.mu_s, None));
        found.push((&mut contact.mu_d, None));
    }
    found
}

/// Whether the number changed. Equal coefficients of friction stay equal.
fn set(problem: &mut Problem, place: usize, value: f64) -> bool {
    let equal: Vec<bool> = problem.contacts.iter().map(|contact| contact.mu_s == contact.mu_d).collect();
    let mut all = numbers(problem);
    let (number, mirror) = &mut all[place];
    let is_changed = **number != value;
    **number = value;
    let mirror = *mirror;
    if let (Some((i, j)), Terms::Generalized { mass: matrix, .. } | Terms::ContactSpace { delassus: matrix, .. }) =
        (mirror, &mut problem.terms)
    {
        matrix[j][i] = value;
    }
    for (contact, equal) in problem.contacts.iter_mut().zip(equal) {
        if equal && contact.mu_s != contact.mu_d {
            let mu = if contact.mu_s == value { contact.mu_s } else { contact.mu_d };
            (contact.mu_s, contact.mu_d) = (mu, mu);
        }
    }
    is_changed
}
