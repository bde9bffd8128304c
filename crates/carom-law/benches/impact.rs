//! What one impact costs. `cargo xtask bench` runs this; figures are for one core.

use carom_law::batch::{Answers, BatchError, Column, Problems};
use carom_law::{Coefficients, Friction, GeneralizedContact, Guard, Law, Mode, Outcome, Restitution};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use fastrand::Rng;
use nalgebra::{DMatrix, DVector};

/// As many as fit the first-level cache, so that the law is timed and not the memory.
const PROBLEMS: usize = 256;

fn main() {
    divan::main();
}

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
        let coefficients = Coefficients::new(
            Restitution::new(e).expect("in range"),
            Friction::with_static(mu, 0.9 * mu).expect("in range"),
        );
        Self { delassus, velocity, coefficients }
    }

    fn solve(&self) -> carom_law::Result<Outcome> {
        carom_law::impact(&self.delassus, &self.velocity, &self.coefficients, Guard::Report)
    }
}

impl Spatial {
    fn solve_by(&self, law: Law) -> carom_law::Result<Outcome> {
        carom_law::impact_by(law, &self.delassus, &self.velocity, &self.coefficients, Guard::Report)
    }
}

/// Random spatial problems whose answer has one of the modes.
fn problems(modes: &[Mode], count: usize) -> Vec<Spatial> {
    let mut rng = Rng::with_seed(7);
    std::iter::repeat_with(|| Spatial::random(&mut rng))
        .filter(|p| p.solve().is_ok_and(|outcome| modes.contains(&outcome.mode)))
        .take(count)
        .collect()
}

/// One impact with every field of the outcome, from `(W, v)`.
fn single(bencher: Bencher, modes: &[Mode]) {
    let problems = problems(modes, PROBLEMS);
    bencher.counter(ItemsCount::new(PROBLEMS)).bench_local(|| {
        for p in black_box(&problems) {
            black_box(&p.solve());
        }
    });
}

#[divan::bench]
fn stick(bencher: Bencher) {
    single(bencher, &[Mode::Stick]);
}

#[divan::bench]
fn slip(bencher: Bencher) {
    single(bencher, &[Mode::Slip]);
}

/// The same impacts, which slip by Aghili's law, by the law chord, and by the path that chord stands in for.
#[divan::bench(args = [Law::Chord, Law::Poisson])]
fn slip_by(bencher: Bencher, law: Law) {
    let problems = problems(&[Mode::Slip], PROBLEMS);
    bencher.counter(ItemsCount::new(PROBLEMS)).bench_local(|| {
        for p in black_box(&problems) {
            black_box(&p.solve_by(law));
        }
    });
}

#[divan::bench]
fn reversal(bencher: Bencher) {
    single(bencher, &[Mode::Reversal]);
}

#[divan::bench]
fn mixed(bencher: Bencher) {
    single(bencher, &[Mode::Stick, Mode::Slip, Mode::Reversal]);
}

/// Arrays in, arrays out, stick and slip as they come.
#[divan::bench(args = [256, 16384])]
fn batch(bencher: Bencher, count: usize) {
    arrays(bencher, &ALL, count, Law::Aghili, carom_law::batch::solve);
}

/// The same impacts by the law chord.
#[divan::bench(args = [256, 16384])]
fn batch_by_chord(bencher: Bencher, count: usize) {
    arrays(bencher, &ALL, count, Law::Chord, carom_law::batch::solve);
}

/// Arrays of impacts that slip by Aghili's law.
#[divan::bench(args = [Law::Aghili, Law::Chord])]
fn batch_of_slips(bencher: Bencher, law: Law) {
    arrays(bencher, &[Mode::Slip], PROBLEMS, law, carom_law::batch::solve);
}

/// The same without its check.
#[divan::bench(args = [256, 16384])]
fn batch_unchecked(bencher: Bencher, count: usize) {
    arrays(bencher, &ALL, count, Law::Aghili, carom_law::batch::solve_unchecked);
}

const ALL: [Mode; 3] = [Mode::Stick, Mode::Slip, Mode::Reversal];

fn arrays(
    bencher: Bencher,
    modes: &[Mode],
    count: usize,
    law: Law,
    solve: impl Fn(&Problems<'_>, &mut Answers<'_>) -> carom_law::Result<Vec<BatchError>>,
) {
    let problems = problems(modes, count);
    let column = |f: &dyn Fn(&Spatial) -> f64| problems.iter().map(f).collect::<Vec<f64>>();
    let w = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)].map(|(i, j)| column(&|p| p.delassus[i][j]));
    let v = [0, 1, 2].map(|i| column(&|p| p.velocity[i]));
    let e = column(&|p| p.coefficients.restitution.normal_at(0.0));
    let mu_s = column(&|p| p.coefficients.friction.expect("given").mu_s());
    let mu_d = column(&|p| p.coefficients.friction.expect("given").mu_d());
    let mut input = Problems::new(w.each_ref().map(Column::from), v.each_ref().map(Column::from), &e, &mu_d);
    (input.friction_static, input.law) = ((&mu_s).into(), law);
    let mut mode = vec![None; count];
    let mut out: [Vec<f64>; 7] = [(); 7].map(|()| vec![0.0; count]);
    let [i0, i1, i2, v0, v1, v2, k] = &mut out;
    let mut answers = Answers::new(&mut mode, [i0, i1, i2], [v0, v1, v2], k);
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        let errors = solve(black_box(&input), black_box(&mut answers)).expect("equal lengths");
        assert!(errors.is_empty());
    });
}

/// From `(M, A, v)` with `n` coordinates, the factorisation included.
#[divan::bench(args = [3, 6, 18, 36])]
fn generalized(bencher: Bencher, n: usize) {
    let mut rng = Rng::with_seed(11);
    let mut random = |rows: usize, columns: usize| DMatrix::from_fn(rows, columns, |_, _| rng.f64() - 0.5);
    let b = random(n, n);
    let mass = &b * b.transpose() + DMatrix::identity(n, n);
    let jacobian = random(3, n);
    let velocity = DVector::from_fn(n, |i, _| -jacobian[(0, i)]);
    let coefficients = Coefficients::new(Restitution::new(0.5).expect("ok"), Friction::new(0.4).expect("ok"));
    bencher.bench_local(|| {
        let contact = GeneralizedContact::new(black_box(&mass), &jacobian, velocity.as_slice()).expect("valid");
        contact.impact(&coefficients, Guard::Report).expect("answered")
    });
}
