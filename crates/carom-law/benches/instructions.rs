//! A fixed amount of work, for counting instructions: `cargo bench -p carom-law --bench instructions --no-run` names the program, which
//! `valgrind --tool=callgrind PROGRAM chord 60` counts.
//!
//! Arguments: what is done, and how often 256 problems are solved. Counts of two numbers of rounds have the set-up in common.

use std::hint::black_box;

use carom_law::batch::{Answers, Column, Problems, solve};
use carom_law::{Coefficients, Friction, Guard, Law, Mode, Outcome, Restitution, Result, impact};
use fastrand::Rng;

/// As in the benchmark `impact`.
const PROBLEMS: usize = 256;

struct Spatial {
    delassus: [[f64; 3]; 3],
    velocity: [f64; 3],
    coefficients: Coefficients,
}

impl Spatial {
    fn random(rng: &mut Rng) -> Self {
        let mut uniform = || 2.0 * rng.f64() - 1.0;
        let b: [[f64; 4]; 3] = [(); 3].map(|()| [(); 4].map(|()| uniform()));
        let dot = |i: usize, j: usize| (0..4).map(|k| b[i][k] * b[j][k]).sum::<f64>() + if i == j { 0.3 } else { 0.0 };
        let delassus = [0, 1, 2].map(|i| [0, 1, 2].map(|j| dot(i, j)));
        let velocity = [-0.1 - uniform().abs(), 2.0 * uniform(), 2.0 * uniform()];
        let (e, mu) = (uniform().abs(), 1.2 * uniform().abs());
        let friction = Friction::with_static(mu, 0.9 * mu).expect("in range");
        Self { delassus, velocity, coefficients: Coefficients::new(Restitution::new(e).expect("in range"), friction) }
    }

    fn solve(&self) -> Result<Outcome> {
        impact(&self.delassus, &self.velocity, &self.coefficients, Guard::Report)
    }

    fn solve_by(&self, law: Law) -> Result<Outcome> {
        carom_law::impact_by(law, &self.delassus, &self.velocity, &self.coefficients, Guard::Report)
    }
}

fn problems(modes: &[Mode]) -> Vec<Spatial> {
    let mut rng = Rng::with_seed(7);
    let all = std::iter::repeat_with(|| Spatial::random(&mut rng));
    all.filter(|p| p.solve().is_ok_and(|outcome| modes.contains(&outcome.mode))).take(PROBLEMS).collect()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|text| text != "--bench").collect();
    let [work, rounds] = &arguments[..] else { return };
    let rounds: usize = rounds.parse().expect("a number of rounds");
    let slips = problems(&[Mode::Slip]);
    let each = |solve: &dyn Fn(&Spatial) -> Result<Outcome>| {
        for _ in 0..rounds {
            for p in black_box(&slips) {
                black_box(&solve(p)).as_ref().expect("answered");
            }
        }
    };
    match work.as_str() {
        "aghili" => each(&Spatial::solve),
        "chord" => each(&|p| p.solve_by(Law::Chord)),
        "batch-aghili" => arrays(Law::Aghili, rounds),
        "batch-chord" => arrays(Law::Chord, rounds),
        _ => panic!("aghili, chord, batch-aghili or batch-chord"),
    }
}

fn arrays(law: Law, rounds: usize) {
    let problems = problems(&[Mode::Stick, Mode::Slip, Mode::Reversal]);
    let column = |f: &dyn Fn(&Spatial) -> f64| problems.iter().map(f).collect::<Vec<f64>>();
    let w = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)].map(|(i, j)| column(&|p| p.delassus[i][j]));
    let v = [0, 1, 2].map(|i| column(&|p| p.velocity[i]));
    let e = column(&|p| p.coefficients.restitution.normal_at(0.0));
    let mu_s = column(&|p| p.coefficients.friction.expect("given").mu_s());
    let mu_d = column(&|p| p.coefficients.friction.expect("given").mu_d());
    let mut input = Problems::new(w.each_ref().map(Column::from), v.each_ref().map(Column::from), &e, &mu_d);
    input.friction_static = (&mu_s).into();
    input.law = law;
    let mut mode = vec![None; PROBLEMS];
    let mut out: [Vec<f64>; 7] = [(); 7].map(|()| vec![0.0; PROBLEMS]);
    let [i0, i1, i2, v0, v1, v2, k] = &mut out;
    let mut answers = Answers::new(&mut mode, [i0, i1, i2], [v0, v1, v2], k);
    for _ in 0..rounds {
        let errors = solve(black_box(&input), black_box(&mut answers)).expect("equal lengths");
        assert!(errors.is_empty());
    }
}
