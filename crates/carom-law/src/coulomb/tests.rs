//! The Coulomb problem on random systems, regular and rank-deficient, with driven contacts among them.

use super::{Coulomb, Effort, Rule, SimultaneousStage, System, Workspace};
use crate::contact::Contact;
use crate::contact::delassus::Dimension;
use crate::impact::collision::Impact;
use crate::numeric::matrix::Dense;
use fastrand::Rng;

const TOLERANCE: f64 = 1e-10;

struct Random {
    system: System,
    q: Vec<f64>,
    rules: Vec<Rule>,
}

impl Random {
    /// `m` contacts on a mechanism with `n` degrees of freedom.
    fn new(rng: &mut Rng, m: usize, n: usize, has_driven: bool) -> Self {
        let dimensions: Vec<_> =
            (0..m).map(|_| [Dimension::Normal, Dimension::Planar, Dimension::Spatial][rng.usize(0..3)]).collect();
        let rows: usize = dimensions.iter().map(|d| d.rows()).sum();
        let mut a: Vec<Vec<f64>> = (0..rows).map(|_| (0..n).map(|_| rng.f64() - 0.5).collect()).collect();
        let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        let velocity: Vec<f64> = (0..n).map(|_| 2.0 * rng.f64() - 1.0).collect();
        // Every contact approaches: such a motion stops at all of them, so that there are answers.
        let mut start = 0;
        for d in &dimensions {
            if dot(&a[start], &velocity) > 0.0 {
                a[start].iter_mut().for_each(|x| *x = -*x);
            }
            start += d.rows();
        }
        let mut matrix = Dense::zeros(rows, rows);
        for i in 0..rows {
            for j in 0..rows {
                matrix[(i, j)] = dot(&a[i], &a[j]);
            }
        }
        let system = System::new(matrix, dimensions.iter().copied()).unwrap();
        let mut q: Vec<f64> = a.iter().map(|row| 2.0 * dot(row, &velocity)).collect();
        let mut rules = Vec::new();
        for block in &system.blocks {
            let e = rng.f64();
            q[block.start] *= 0.5 * (1.0 + e);
            let mu = 1.2 * rng.f64();
            let is_driven = has_driven && block.dimension != Dimension::Normal && rng.u8(0..3) == 0;
            rules.push(if is_driven {
                let angle = if block.dimension == Dimension::Planar { 0.0 } else { rng.f64() * std::f64::consts::TAU };
                Rule::Driven { mu: 0.3 * mu, u: [angle.cos(), angle.sin()] }
            } else {
                Rule::Coulomb { mu, prefers_rest: rng.bool() }
            });
        }
        Self { system, q, rules }
    }

    fn problem(&self) -> Coulomb<'_> {
        Coulomb { system: &self.system, q: &self.q, rules: &self.rules, tolerance: TOLERANCE }
    }
}

/// Written out again, condition by condition.
fn violation(p: &Random, impulse: &[f64]) -> f64 {
    let mut worst = 0.0_f64;
    for (block, rule) in p.system.blocks.iter().zip(&p.rules) {
        let row = |r: usize| (0..impulse.len()).map(|j| p.system.matrix[(r, j)] * impulse[j]).sum::<f64>() + p.q[r];
        let n = block.start;
        let i_t = &impulse[n + 1..n + block.dimension.rows()];
        let y_t: Vec<f64> = (0..i_t.len()).map(|k| row(n + 1 + k)).collect();
        let (i_n, y_n) = (impulse[n], row(n));
        worst = worst.max(-i_n).max(-y_n).max((i_n * y_n).abs());
        let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        match *rule {
            Rule::Coulomb { mu, .. } => {
                // |i_t| <= mu i_n, and i_t . y_t = -mu i_n |y_t|.
                let work: f64 = i_t.iter().zip(&y_t).map(|(i, y)| i * y).sum();
                worst = worst.max(norm(i_t) - mu * i_n).max((work + mu * i_n * norm(&y_t)).abs());
            }
            Rule::Driven { mu, u } => {
                for (k, i) in i_t.iter().enumerate() {
                    worst = worst.max((i + mu * i_n * u[k]).abs());
                }
            }
        }
    }
    worst
}

#[test]
fn random_problems_are_solved() {
    let cases: usize = std::env::var("CAROM_CASES").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    let mut rng = Rng::with_seed(20_200_617);
    // Friction of a given direction may wedge contacts that approach: then there is no answer to be found.
    for (has_driven, name, allowed) in [(false, "coulomb", 0), (true, "with driven contacts", 5 * cases)] {
        let (mut stages, mut unsolved, mut sweeps, mut steps) = ([0; 4], 0_usize, 0, 0);
        for _ in 0..1000 * cases {
            let m = rng.usize(2..=12);
            let n = rng.usize(2..=3 * m);
            let p = Random::new(&mut rng, m, n, has_driven);
            let mut room = Workspace::new(p.system.rows);
            let mut impulse = vec![0.0; p.system.rows];
            let mut effort = Effort::default();
            let residual = p.problem().solve(&mut impulse, &mut room, &mut effort);
            stages[effort.stage as usize] += 1;
            sweeps += effort.sweeps;
            steps += effort.newton_steps;
            if residual > TOLERANCE {
                unsolved += 1;
            } else {
                let violation = violation(&p, &impulse);
                let size = impulse.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
                assert!(violation <= 1e-8 * size, "{violation:e} with residual {residual:e}");
            }
        }
        println!("{name}: stages {stages:?}, unsolved {unsolved}, sweeps {sweeps}, steps {steps}");
        assert!(unsolved <= allowed, "{name}: {unsolved} unsolved");
    }
}

/// One contact is the law's slip or reversal with `q = ((1+e) v_n, 2 v_t)`.
#[test]
fn one_contact_is_the_law() {
    let mut rng = Rng::with_seed(7);
    for _ in 0..2000 {
        let b: Vec<f64> = (0..12).map(|_| rng.f64() - 0.5).collect();
        let mut matrix = Dense::zeros(3, 3);
        for i in 0..3 {
            for j in 0..3 {
                matrix[(i, j)] = (0..4).map(|k| b[4 * i + k] * b[4 * j + k]).sum::<f64>();
            }
        }
        let system = System::new(matrix, [Dimension::Spatial].into_iter()).unwrap();
        let (e, mu) = (rng.f64(), 1.5 * rng.f64());
        let v = [-rng.f64(), rng.f64() - 0.5, rng.f64() - 0.5];
        let q = [(1.0 + e) * v[0], 2.0 * v[1], 2.0 * v[2]];
        let rules = [Rule::Coulomb { mu, prefers_rest: false }];
        let problem = Coulomb { system: &system, q: &q, rules: &rules, tolerance: TOLERANCE };
        let mut impulse = vec![0.0; 3];
        let mut effort = Effort::default();
        let residual = problem.solve(&mut impulse, &mut Workspace::new(3), &mut effort);
        assert!(residual <= TOLERANCE && effort.stage == SimultaneousStage::Sweeps);
        let contact = Contact::new(system.blocks[0].delassus, &v).unwrap();
        let impact = Impact { contact: &contact, e, e_t: 0.0, mu_s: mu, mu_d: mu };
        let answer = impact.slide(e, impact.reversal_at(e));
        let size = answer.normal * (1.0 + mu);
        let expected = [answer.normal, answer.tangential[0], answer.tangential[1]];
        let differs = (0..3).any(|k| (impulse[k] - expected[k]).abs() > 1e-9 * size);
        assert!(!differs || answer.solutions != Some(1), "{impulse:?} {answer:?}");
    }
}

/// Some problems take a continuation; one that may take no steps is not begun.
#[test]
fn a_continuation_without_steps_left_is_not_begun() {
    let mut rng = Rng::with_seed(20_200_617);
    let mut has_continued = false;
    for _ in 0..2000 {
        let m = rng.usize(2..=12);
        let n = rng.usize(2..=3 * m);
        let p = Random::new(&mut rng, m, n, true);
        let effort = |most_continued: u32| {
            let mut room = Workspace::new(p.system.rows);
            room.most_continued = most_continued;
            let mut effort = Effort::default();
            p.problem().solve(&mut vec![0.0; p.system.rows], &mut room, &mut effort);
            effort
        };
        has_continued |= effort(u32::MAX).continued > 0;
        assert_eq!(effort(0).continued, 0);
    }
    assert!(has_continued);
}
