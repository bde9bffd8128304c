//! Two planar contacts, by brute force: every combination of modes is solved as a linear system and kept if it is
//! consistent. The answer has to be one of them.

mod common;

use carom_law::{Coefficients, ContactSet, Dimension, Friction, Guard, MatrixView, Mode, Restitution};
use common::random::{self, between, normal};
use nalgebra::{Matrix4, Vector4};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Open,
    Stick,
    Reversal,
    /// With the sign of the average velocity.
    Slip(f64),
}

const KINDS: [Kind; 5] = [Kind::Open, Kind::Stick, Kind::Reversal, Kind::Slip(1.0), Kind::Slip(-1.0)];

#[derive(Debug)]
struct Problem {
    w: Matrix4<f64>,
    v: Vector4<f64>,
    e: [f64; 2],
    e_t: [f64; 2],
    mu_s: [f64; 2],
    mu_d: [f64; 2],
}

impl Problem {
    /// The impulse of two kinds, if there is exactly one.
    fn impulse(&self, kinds: [Kind; 2]) -> Option<Vector4<f64>> {
        let (mut a, mut b) = (Matrix4::zeros(), Vector4::zeros());
        for k in 0..2 {
            let (n, t) = (2 * k, 2 * k + 1);
            // v_n⁺ = -e v_n⁻.
            a.set_row(n, &self.w.row(n));
            b[n] = -(1.0 + self.e[k]) * self.v[n];
            match kinds[k] {
                Kind::Open => {
                    a.set_row(n, &nalgebra::RowVector4::zeros());
                    (a[(n, n)], b[n]) = (1.0, 0.0);
                    a[(t, t)] = 1.0;
                }
                Kind::Stick => {
                    a.set_row(t, &self.w.row(t));
                    b[t] = -(1.0 + self.e_t[k]) * self.v[t];
                }
                Kind::Reversal => {
                    a.set_row(t, &self.w.row(t));
                    b[t] = -2.0 * self.v[t];
                }
                Kind::Slip(sign) => (a[(t, t)], a[(t, n)]) = (1.0, sign * self.mu_d[k]),
            }
        }
        a.lu().solve(&b)
    }

    fn is_consistent(&self, kinds: [Kind; 2], i: &Vector4<f64>) -> bool {
        const ROUNDING: f64 = 1e-9;
        let after = self.v + self.w * i;
        (0..2).all(|k| {
            let (n, t) = (2 * k, 2 * k + 1);
            match kinds[k] {
                Kind::Open => after[n] >= -self.e[k] * self.v[n] - ROUNDING,
                Kind::Stick => i[n] >= -ROUNDING && i[t].abs() <= self.mu_s[k] * i[n] + ROUNDING,
                Kind::Reversal => i[n] >= -ROUNDING && i[t].abs() <= self.mu_d[k] * i[n] + ROUNDING,
                Kind::Slip(sign) => i[n] >= -ROUNDING && sign * (self.v[t] + after[t]) >= -ROUNDING,
            }
        })
    }

    fn answers(&self) -> Vec<([Kind; 2], Vector4<f64>)> {
        let pairs = KINDS.into_iter().flat_map(|a| KINDS.map(|b| [a, b]));
        pairs
            .filter_map(|kinds| self.impulse(kinds).map(|i| (kinds, i)))
            .filter(|(kinds, i)| self.is_consistent(*kinds, i))
            .collect()
    }
}

#[test]
fn answers_are_among_all_consistent_ones() {
    let mut rng = random::generator("answers_are_among_all_consistent_ones");
    let (mut several, mut seen) = (0, [0; 4]);
    let problems = random::cases(3000);
    for _ in 0..problems {
        let b = Matrix4::from_fn(|_, _| normal(&mut rng));
        let w: Matrix4<f64> = b * b.transpose() + Matrix4::identity() * 0.05;
        let w = 0.5 * (w + w.transpose());
        let mut number = |low, high| [between(&mut rng, low, high), between(&mut rng, low, high)];
        let (e, mu_d, more, speed) = (number(0.0, 1.0), number(0.0, 1.2), number(1.0, 1.4), number(0.1, 1.5));
        let e_t = number(-0.5, 0.5);
        let slide = number(-1.5, 1.5);
        let p = Problem {
            w,
            v: Vector4::new(-speed[0], slide[0], -speed[1], slide[1]),
            e,
            e_t,
            mu_s: [mu_d[0] * more[0], mu_d[1] * more[1]],
            mu_d,
        };
        let coefficients = [0, 1].map(|k| {
            let friction = Friction::with_static(p.mu_s[k], p.mu_d[k]).unwrap();
            Coefficients::new(Restitution::with_tangential(p.e[k], p.e_t[k]).unwrap(), friction)
        });
        let view = MatrixView::column_major(4, 4, p.w.as_slice());
        let set = ContactSet::new(&[Dimension::Planar; 2], view, p.v.as_slice()).unwrap();
        let o = set.impact(&coefficients, Guard::Report).unwrap_or_else(|error| panic!("{error}: {p:?}"));
        let found = Vector4::from_iterator(o.contacts.iter().flat_map(|c| c.impulse.to_vec()));
        let answers = p.answers();
        assert!(!answers.is_empty(), "{p:?}\n{o:?}");
        several += usize::from(answers.iter().any(|(_, i)| (i - answers[0].1).norm() > 1e-6));
        let is_same = |(kinds, i): &([Kind; 2], Vector4<f64>)| {
            let modes = kinds.map(|kind| match kind {
                Kind::Open => Mode::Separating,
                Kind::Stick => Mode::Stick,
                Kind::Reversal => Mode::Reversal,
                Kind::Slip(_) => Mode::Slip,
            });
            (i - found).norm() <= 1e-7 * (1.0 + found.norm()) && (0..2).all(|k| modes[k] == o.contacts[k].mode)
        };
        // At the edge between two modes the impulses are the same and either name is right.
        let is_near = answers.iter().any(|(_, i)| (i - found).norm() <= 1e-7 * (1.0 + found.norm()));
        assert!(is_near, "{answers:?}\n{p:?}\n{o:?}");
        assert!(answers.iter().any(is_same), "modes: {answers:?}\n{p:?}\n{o:?}");
        o.contacts.iter().for_each(|c| seen[c.mode as usize] += 1);
        // A strong answer that exists is not required, but one that is called so has to be it.
        if o.strong {
            for (k, contact) in o.contacts.iter().enumerate() {
                let local = local_stick(&p, k, &found);
                let sticks = local.is_some_and(|i| i[0] > 1e-9 && i[1].abs() < p.mu_s[k] * i[0] * (1.0 - 1e-7));
                assert!(!sticks || contact.mode == Mode::Stick || contact.mode == Mode::Separating, "{p:?}\n{o:?}");
            }
        }
    }
    println!("{several} of {problems} have several answers; modes {seen:?}");
    assert!(several > problems / 100 && seen.iter().all(|&n| n > problems / 100));
}

/// The impulse with which contact `k` would stick, the other doing what it does.
fn local_stick(p: &Problem, k: usize, impulse: &Vector4<f64>) -> Option<nalgebra::Vector2<f64>> {
    let (n, other) = (2 * k, 2 - 2 * k);
    let block = p.w.fixed_view::<2, 2>(n, n).into_owned();
    let coupling = p.w.fixed_view::<2, 2>(n, other).into_owned();
    let pushed = coupling * nalgebra::Vector2::new(impulse[other], impulse[other + 1]);
    let b = nalgebra::Vector2::new(-(1.0 + p.e[k]) * p.v[n] - pushed[0], -(1.0 + p.e_t[k]) * p.v[n + 1] - pushed[1]);
    block.lu().solve(&b)
}
