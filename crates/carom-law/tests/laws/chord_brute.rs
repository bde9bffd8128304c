//! The law chord by brute force, from its definition alone.

use crate::common::random::Problem;
use crate::norm;

/// Sizes that are tried until a phase closes, in units of what compression takes without friction.
const SIZES: usize = 400;
const LONGEST: f64 = 8.0;

/// A contact, and the coefficient with which friction may stop slip within an implicit piece: `μ_d`, if the law is to dissipate.
pub struct Brute {
    pub problem: Problem,
    pub stops_with: f64,
}

type Vec3 = [f64; 3];

#[derive(Clone, Copy)]
struct Point {
    v: Vec3,
    i: Vec3,
}

impl Brute {
    pub fn of(problem: &Problem) -> Self {
        Self { problem: *problem, stops_with: problem.mu_d }
    }

    pub fn solve(&self) -> Vec3 {
        let start = Point { v: self.problem.v, i: [0.0; 3] };
        let turning = self.turning_size(start.v);
        // Compression: half a turning step at most, then a part.
        let compressed = match self.first(0.0, turning, |p| self.half(start, p)) {
            Some(end) => end,
            None => {
                let from = if turning > 0.0 { self.half(start, turning) } else { start };
                let longest = LONGEST * self.problem.v[0].abs() / self.problem.w[0][0];
                (0..8)
                    .find_map(|k| self.first(0.0, longest * 4f64.powi(k), |p| self.part(from, p)))
                    .expect("a size that closes compression")
            }
        };
        let whole = self.problem.e * compressed.i[0];
        let turning = self.turning_size(compressed.v);
        let first = turning.min(whole);
        let turned = if first > 0.0 { self.half(compressed, first) } else { compressed };
        let end = if whole > first { self.part(turned, whole - first) } else { turned };
        assert!(end.v[0] > -1e-6, "a restitution to be lengthened: {:?}", self.problem);
        end.i
    }

    /// The first size with `v_n = 0`, by trying them all and halving between two.
    fn first(&self, low: f64, high: f64, step: impl Fn(f64) -> Point) -> Option<Point> {
        let at = |k: usize| low + (high - low) * k as f64 / SIZES as f64;
        let k = (1..=SIZES).find(|&k| step(at(k)).v[0] >= 0.0)?;
        let (mut a, mut b) = (at(k - 1), at(k));
        for _ in 0..50 {
            let middle = 0.5 * (a + b);
            if step(middle).v[0] >= 0.0 {
                b = middle;
            } else {
                a = middle;
            }
        }
        Some(step(b))
    }

    fn pushed(&self, from: Point, i: Vec3) -> Point {
        let w = &self.problem.w;
        Point {
            v: [0, 1, 2].map(|r| from.v[r] + (0..3).map(|c| w[r][c] * i[c]).sum::<f64>()),
            i: [0, 1, 2].map(|r| from.i[r] + i[r]),
        }
    }

    /// The impulse along the slip, a unit of normal impulse.
    fn along(&self, v: Vec3) -> Vec3 {
        let speed = norm(&v[1..]);
        [1.0, -self.problem.mu_d * v[1] / speed, -self.problem.mu_d * v[2] / speed]
    }

    fn turning_size(&self, v: Vec3) -> f64 {
        let (w, speed) = (&self.problem.w, norm(&v[1..]));
        if speed < 1e-7 * norm(&self.problem.v) {
            return 0.0;
        }
        let d = self.along(v);
        let change = [1, 2].map(|r: usize| (0..3).map(|c| w[r][c] * d[c]).sum::<f64>());
        // The largest of |W_tt x| over unit vectors x.
        let most = (0..2000)
            .map(|k| {
                let (s, c) = (std::f64::consts::PI * f64::from(k) / 2000.0).sin_cos();
                norm(&[w[1][1] * c + w[1][2] * s, w[2][1] * c + w[2][2] * s])
            })
            .fold(0.0, f64::max);
        speed / norm(&change).max(self.problem.mu_d * most)
    }

    fn half(&self, from: Point, size: f64) -> Point {
        let d = self.along(from.v);
        self.implicit(self.pushed(from, d.map(|x| 0.5 * size * x)), 0.5 * size)
    }

    fn part(&self, from: Point, size: f64) -> Point {
        let turning = self.turning_size(from.v);
        if turning == 0.0 {
            return self.implicit(from, size);
        }
        let (d, explicit) = (self.along(from.v), turning.min(0.5 * size));
        self.implicit(self.pushed(from, d.map(|x| explicit * x)), size - explicit)
    }

    fn implicit(&self, from: Point, size: f64) -> Point {
        let Problem { mu_s, mu_d, .. } = self.problem;
        let rests = norm(&from.v[1..]) < 1e-7 * norm(&self.problem.v);
        let wide = if rests { mu_s } else { self.stops_with };
        let best = self.least(from, size, wide * size);
        let end = self.pushed(from, best);
        if wide > mu_d && norm(&end.v[1..]) > 1e-5 * norm(&self.problem.v) {
            // It does not stop, and slips with the other coefficient.
            return self.pushed(from, self.least(from, size, mu_d * size));
        }
        end
    }

    /// The impulse of least energy with friction on a disk: a grid that closes in on the best of its points.
    fn least(&self, from: Point, size: f64, radius: f64) -> Vec3 {
        let w = &self.problem.w;
        let b = [1, 2].map(|r: usize| from.v[r] + size * w[r][0]);
        let energy = |y: [f64; 2]| {
            b[0] * y[0] + b[1] * y[1] + 0.5 * (w[1][1] * y[0] * y[0] + w[2][2] * y[1] * y[1]) + w[1][2] * y[0] * y[1]
        };
        let (mut best, mut reach) = ([0.0, 0.0], radius);
        while reach > 1e-10 * radius {
            let center = best;
            for j in -5..=5 {
                for k in -5..=5 {
                    let y = [center[0] + reach * f64::from(j) / 5.0, center[1] + reach * f64::from(k) / 5.0];
                    // Points outside are moved to the edge.
                    let outside = (norm(&y) / radius).max(1.0);
                    let y = y.map(|x| x / outside);
                    if energy(y) < energy(best) {
                        best = y;
                    }
                }
            }
            reach *= 0.5;
        }
        [size, best[0], best[1]]
    }
}
