//! Random impacts with printed seeds.
//!
//! `CAROM_SEED` replays a run; `CAROM_CASES` multiplies the number of problems of every test.

use carom_law::{Coefficients, Contact, Delassus, Friction, Guard, Mode, Outcome, Restitution};
use fastrand::Rng;

use super::oracle;

/// A contact-space problem as plain numbers; the third row and column are zero in the plane.
#[derive(Debug, Clone, Copy)]
pub struct Problem {
    pub d: usize,
    pub w: [[f64; 3]; 3],
    pub v: [f64; 3],
    pub e: f64,
    pub e_t: f64,
    pub mu_s: f64,
    pub mu_d: f64,
}

/// How the matrices of a family are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// `B Bᵀ` of normal numbers.
    Plain,
    /// Condition numbers up to 1e10, units of each axis over four decades.
    Ill,
    /// A free rigid body struck at a random point.
    Body,
}

pub const FAMILIES: [Family; 3] = [Family::Plain, Family::Ill, Family::Body];

/// The seed of this run, printed so that a failure can be replayed.
pub fn generator(test: &str) -> Rng {
    let seed = std::env::var("CAROM_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(20_200_617);
    println!("{test}: CAROM_SEED={seed}");
    Rng::with_seed(seed)
}

/// How many problems to try: `default`, times `CAROM_CASES`.
pub fn cases(default: usize) -> usize {
    let factor: usize = std::env::var("CAROM_CASES").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    default * factor
}

pub fn normal(rng: &mut Rng) -> f64 {
    // Irwin and Hall's sum of twelve: near enough to a normal distribution here.
    (0..12).map(|_| rng.f64()).sum::<f64>() - 6.0
}

pub fn between(rng: &mut Rng, low: f64, high: f64) -> f64 {
    low + (high - low) * rng.f64()
}

/// Log-uniform.
pub fn decades(rng: &mut Rng, low: f64, high: f64) -> f64 {
    10f64.powf(between(rng, low, high))
}

/// `x` moved by `k` neighbours.
pub fn ulps(x: f64, k: i32) -> f64 {
    (0..k.abs()).fold(x, |x, _| if k > 0 { x.next_up() } else { x.next_down() })
}

/// A random spatial or planar problem of any family.
pub fn any(rng: &mut Rng) -> Problem {
    let (d, family) = (rng.usize(2..=3), FAMILIES[rng.usize(0..3)]);
    problem(rng, d, family)
}

/// A problem with a regular matrix: the velocity is arbitrary, which a singular one does not allow.
pub fn problem(rng: &mut Rng, d: usize, family: Family) -> Problem {
    loop {
        let problem = any_problem(rng, d, family);
        if problem.delassus().is_ok_and(|w| w.is_regular()) {
            return problem;
        }
    }
}

fn any_problem(rng: &mut Rng, d: usize, family: Family) -> Problem {
    let w = match family {
        Family::Plain => plain(rng, d),
        Family::Ill => ill(rng, d),
        Family::Body => body(rng, d),
    };
    let size = [w[0][0], w[1][1], w[2][2]].map(f64::sqrt);
    let mut v = [-normal(rng).abs().max(1e-3) * size[0], normal(rng) * size[1], normal(rng) * size[2]];
    match rng.u8(0..6) {
        0 => v[0] *= decades(rng, -4.0, 0.0),
        1 => v.iter_mut().skip(1).for_each(|x| *x *= 10.0),
        2 => v.iter_mut().skip(1).for_each(|x| *x *= 0.1),
        _ => {}
    }
    let mu_star = w[0][0] / w[0][1].hypot(w[0][2]);
    let mu_d = match rng.u8(0..6) {
        0 => mu_star.min(1e6) * between(rng, 1.0, 5.0),
        1 => decades(rng, -3.0, 3.0),
        _ => between(rng, 0.0, 1.5) * if family == Family::Ill { size[0] / size[1].max(size[2]) } else { 1.0 },
    };
    let mu_s = if rng.bool() { mu_d } else { mu_d * between(rng, 1.0, 1.5) };
    let e = match rng.u8(0..8) {
        0 => 0.0,
        1 => 1.0,
        _ => rng.f64(),
    };
    let e_t = match rng.u8(0..8) {
        0 => between(rng, -1.0, 1.0),
        1 => 1.0,
        2 => -1.0,
        _ => 0.0,
    };
    Problem { d, w, v, e, e_t, mu_s, mu_d }
}

fn gram(b: [[f64; 4]; 3], d: usize) -> [[f64; 3]; 3] {
    let mut w = [[0.0; 3]; 3];
    for i in 0..d {
        for j in 0..=i {
            w[i][j] = (0..4).map(|k| b[i][k] * b[j][k]).sum();
            w[j][i] = w[i][j];
        }
    }
    w
}

fn plain(rng: &mut Rng, d: usize) -> [[f64; 3]; 3] {
    gram([(); 3].map(|()| [(); 4].map(|()| normal(rng))), d)
}

fn ill(rng: &mut Rng, d: usize) -> [[f64; 3]; 3] {
    // Columns of very different size give the condition, rows the units.
    let columns = [(); 4].map(|()| decades(rng, -5.0, 0.0));
    let tangential = decades(rng, -2.0, 2.0);
    let rows = [decades(rng, -2.0, 2.0), tangential, tangential];
    gram([0, 1, 2].map(|i| columns.map(|c| rows[i] * c * normal(rng))), d)
}

/// `W = I/m + [r]ᵀ J⁻¹ [r]` with a diagonal inertia, the normal along z.
fn body(rng: &mut Rng, d: usize) -> [[f64; 3]; 3] {
    let r = [(); 3].map(|()| normal(rng));
    let inertia = [(); 3].map(|()| decades(rng, -1.5, 0.0));
    // Rows: z (normal), x, y; columns: translation and r x axis over the root of the inertia.
    let axes = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let lever = |axis: [f64; 3]| {
        [
            (r[1] * axis[2] - r[2] * axis[1]) / inertia[0].sqrt(),
            (r[2] * axis[0] - r[0] * axis[2]) / inertia[1].sqrt(),
            (r[0] * axis[1] - r[1] * axis[0]) / inertia[2].sqrt(),
        ]
    };
    let mut w = [[0.0; 3]; 3];
    for i in 0..d {
        for j in 0..d {
            let (p, q) = (lever(axes[i]), lever(axes[j]));
            w[i][j] = f64::from(u8::from(i == j)) + p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
        }
    }
    w
}

impl Problem {
    pub fn delassus(&self) -> carom_law::Result<Delassus> {
        let rows: Vec<&[f64]> = self.w[..self.d].iter().map(|row| &row[..self.d]).collect();
        Delassus::from_rows(&rows)
    }

    pub fn contact(&self) -> carom_law::Result<Contact> {
        Contact::new(self.delassus()?, &self.v[..self.d])
    }

    pub fn restitution(&self) -> Restitution {
        Restitution::with_tangential(self.e, self.e_t).unwrap()
    }

    pub fn coefficients(&self) -> carom_law::Result<Coefficients> {
        let restitution = Restitution::with_tangential(self.e, self.e_t)?;
        Ok(Coefficients::new(restitution, Friction::with_static(self.mu_s, self.mu_d)?))
    }

    pub fn solve(&self, guard: Guard) -> carom_law::Result<Outcome> {
        self.contact()?.impact(&self.coefficients()?, guard)
    }

    pub fn oracle(&self) -> oracle::Problem {
        let Problem { d, w, v, e, e_t, mu_s, mu_d } = *self;
        oracle::Problem { d, w, v, e, e_t, mu_s, mu_d }
    }

    /// `|W| |i| + |v|`: what rounding in the momentum balance is relative to. The two tangents are taken together:
    /// they are axes of a plane, and nothing in the law knows which way they were laid.
    pub fn momentum_scale(&self, impulse: &[f64], row: usize) -> f64 {
        let rows = if row == 0 { 0..1 } else { 1..self.d };
        rows.map(|r| self.v[r].abs() + (0..self.d).map(|j| (self.w[r][j] * impulse[j]).abs()).sum::<f64>()).sum()
    }

    /// `½ v_cᵀ W⁻¹ v_c` by elimination.
    pub fn contact_energy(&self) -> f64 {
        let d = self.d;
        let m = nalgebra::DMatrix::from_fn(d, d, |i, j| self.w[i][j]);
        let v = nalgebra::DVector::from_fn(d, |i, _| self.v[i]);
        0.5 * m.full_piv_lu().solve(&v).map_or(0.0, |x| x.dot(&v))
    }

    /// The same contact with its tangents turned.
    pub fn rotated(&self, angle: f64) -> Self {
        let (s, c) = angle.sin_cos();
        let turn = |a: [f64; 3]| [a[0], c * a[1] - s * a[2], s * a[1] + c * a[2]];
        let rows = self.w.map(turn);
        let columns = [0, 1, 2].map(|j| turn([rows[0][j], rows[1][j], rows[2][j]]));
        let mut w = [[0.0; 3]; 3];
        for (i, j) in [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)] {
            w[i][j] = columns[j][i];
            w[j][i] = w[i][j];
        }
        Self { w, v: turn(self.v), ..*self }
    }

    /// Momentum is balanced, the mode is what it says, and slip and reversal do not gain energy: each to a
    /// few tens of roundings of the terms it is a sum of.
    pub fn assert_lawful(&self, o: &Outcome) {
        const ROUNDING: f64 = 64.0 * f64::EPSILON;
        let Problem { d, ref w, ref v, .. } = *self;
        let (i, after) = (&o.impulse, &o.contact_velocity.after);
        let norm = |a: &[f64]| a.iter().fold(0.0_f64, |length, x| length.hypot(*x));
        for r in 0..d {
            let residual = v[r] + (0..d).map(|c| w[r][c] * i[c]).sum::<f64>() - after[r];
            assert!(residual.abs() <= ROUNDING * self.momentum_scale(i, r), "momentum {r}: {self:?}\n{o:?}");
        }
        assert!(i[0] > 0.0, "pull: {self:?}\n{o:?}");
        assert!((after[0] + o.guard.restitution * v[0]).abs() <= ROUNDING * v[0].abs(), "{self:?}\n{o:?}");
        let mu = if o.mode == Mode::Stick { self.mu_s } else { self.mu_d };
        assert!(norm(&i[1..]) <= mu * i[0] * (1.0 + ROUNDING), "cone: {self:?}\n{o:?}");
        assert!(o.mode == Mode::Stick || o.energy.change <= 0.0, "gain: {self:?}\n{o:?}");
        match o.mode {
            Mode::Separating => panic!("separating: {self:?}"),
            Mode::Stick => assert!((1..d).all(|r| after[r] == -self.e_t * v[r]), "stick: {self:?}\n{o:?}"),
            Mode::Reversal => assert!((1..d).all(|r| after[r] == -v[r]), "reversal: {self:?}\n{o:?}"),
            Mode::Slip => {
                let u = o.direction.unwrap();
                let mean: Vec<f64> = (1..d).map(|r| 0.5 * (v[r] + after[r])).collect();
                let along: f64 = u.iter().zip(&mean).map(|(x, y)| x * y).sum();
                let rounding = ROUNDING * (norm(&v[1..]) + norm(&after[1..]));
                assert!((norm(&u) - 1.0).abs() <= ROUNDING && along >= -rounding, "direction: {self:?}\n{o:?}");
                for k in 0..d - 1 {
                    assert!((i[k + 1] + self.mu_d * u[k] * i[0]).abs() <= ROUNDING * mu * i[0], "{self:?}\n{o:?}");
                    assert!((mean[k] - along * u[k]).abs() <= rounding, "average: {self:?}\n{o:?}");
                }
            }
        }
    }
}
