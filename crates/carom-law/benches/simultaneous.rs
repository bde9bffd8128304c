//! What simultaneous impacts cost. `cargo bench -p carom-law --bench simultaneous` runs this; figures are for one core.

use carom_law::{Coefficients, ContactSet, Dimension, Friction, Guard, MatrixView, Restitution};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use fastrand::Rng;
use nalgebra::DMatrix;

/// Problems of each kind.
const PROBLEMS: usize = 64;

fn main() {
    divan::main();
}

struct Problem {
    delassus: DMatrix<f64>,
    velocity: Vec<f64>,
    coefficients: Vec<Coefficients>,
}

impl Problem {
    /// `contacts` spatial contacts on a mechanism with `freedoms` degrees of freedom, all approaching.
    fn random(rng: &mut Rng, contacts: usize, freedoms: usize) -> Self {
        let mut uniform = || 2.0 * rng.f64() - 1.0;
        let motion: Vec<f64> = (0..freedoms).map(|_| uniform()).collect();
        let mut jacobian = DMatrix::from_fn(3 * contacts, freedoms, |_, _| uniform());
        let speed = |row: usize, a: &DMatrix<f64>| a.row(row).iter().zip(&motion).map(|(a, v)| a * v).sum::<f64>();
        for k in 0..contacts {
            if speed(3 * k, &jacobian) > 0.0 {
                jacobian.row_mut(3 * k).neg_mut();
            }
        }
        let velocity = (0..3 * contacts).map(|row| speed(row, &jacobian)).collect();
        let mut coefficients = || {
            let mu = 0.6 * uniform().abs();
            let friction = Friction::with_static(mu, 0.9 * mu).expect("in range");
            Coefficients::new(Restitution::new(uniform().abs()).expect("in range"), friction)
        };
        let coefficients = (0..contacts).map(|_| coefficients()).collect();
        Self { delassus: &jacobian * jacobian.transpose(), velocity, coefficients }
    }

    fn set(&self) -> ContactSet {
        let dimensions = vec![Dimension::Spatial; self.coefficients.len()];
        let n = self.velocity.len();
        ContactSet::new(&dimensions, MatrixView::column_major(n, n, self.delassus.as_slice()), &self.velocity)
            .expect("a Delassus matrix")
    }
}

fn solve(bencher: Bencher, contacts: usize, freedoms: usize) {
    let mut rng = Rng::with_seed(7);
    let problems: Vec<Problem> = std::iter::repeat_with(|| Problem::random(&mut rng, contacts, freedoms))
        .filter(|p| p.set().impact(&p.coefficients, Guard::Slip).is_ok())
        .take(PROBLEMS)
        .collect();
    bencher.counter(ItemsCount::new(PROBLEMS)).bench_local(|| {
        for p in black_box(&problems) {
            black_box(&p.set().impact(&p.coefficients, Guard::Slip));
        }
    });
}

/// As many degrees of freedom as a robot of the size would have: `W` is regular.
#[divan::bench(args = [2, 4, 8])]
fn regular(bencher: Bencher, contacts: usize) {
    solve(bencher, contacts, 3 * contacts + 6);
}

/// A rigid body: `W` has rank six.
#[divan::bench(args = [2, 4, 8])]
fn rigid_body(bencher: Bencher, contacts: usize) {
    solve(bencher, contacts, 6);
}
