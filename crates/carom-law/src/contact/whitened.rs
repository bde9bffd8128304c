//! A mechanism's contact in whitened coordinates, in which the kinetic energy is half the square of the velocity.
//!
//! With `M = L Lᵀ` and the orthogonal factorisation `L⁻¹ Aᵀ = Q R`, the velocity `s = Qᵀ Lᵀ q̇` has `A q̇ = Rᵀ s`, and
//! an impulse changes it by `R i`. Conditions on the velocity after an impact are triangular in `R`, so the error of an
//! impulse and of its energy change depends on the condition number of `R`. Solving with `W = Rᵀ R` squares that
//! number.

use arrayvec::ArrayVec;

use crate::contact::Contact;
use crate::contact::delassus::tangent::LinearImpulse;
use crate::contact::delassus::{Delassus, Dimension, Factor};
use crate::numeric::plane::{Vec2, add_scaled, dot, norm, scaled};
use crate::numeric::scaling::scale;
use crate::numeric::tolerance::FEASIBILITY;

/// Relative error of `s` that rounding can cause: with a condition number of 1e14 the factor of `M` loses seven digits,
/// and `s` a few more.
const SMALL_CHANGE: f64 = 1e-4;

/// Condition number of `W` above which slips are solved with `R`: half the digits of `W` are then lost.
const NEARLY_SINGULAR: f64 = 1e8;

/// Relative difference of `R_tᵀ s_t` and `v_t⁻ - c s_n` above which the former has lost digits to the factor of an
/// ill-conditioned `M`: some hundred roundings.
const FAITHFUL: f64 = 1e-13;

/// Condition number of `W` above which a slip found with `W` is refined with `R`, which keeps the six digits lost.
const ILL_CONDITIONED: f64 = 1e6;

/// Newton iterations of this refinement: each doubles the digits.
const SLIP_STEPS: usize = 6;

/// Error of a slip, relative to the impulse, below which it is accepted.
const SLIP_ACCURACY: f64 = 1e-12;

/// Factors of 16 by which the resistance of a slip is sought up and down: the whole range of condition numbers.
const RESISTANCE_STEPS: usize = 40;

/// Halvings, in logarithm, of the interval of a factor of 16: all digits.
const RESISTANCE_HALVINGS: usize = 56;

/// `R = [[r_nn, c], [0, R_t]]` and the velocity `s`, in the units of the scaled contact.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Whitened {
    r_nn: f64,
    c: Vec2,
    /// `[[r11, r12], [0, r22]]`
    r_t: [f64; 3],
    s_n: f64,
    s_t: Vec2,
    /// The condition number of `W`, with the columns of `R` scaled to order one.
    pub(crate) condition: f64,
    /// `R_tᵀ s_t`, the tangential velocity that is not due to the normal motion, if known more accurately than as a
    /// difference.
    unexplained: Option<Vec2>,
}

/// An impulse and the change `R i` of the whitened velocity.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turn {
    pub(crate) impulse: LinearImpulse,
    pub(crate) change: [f64; 3],
}

/// A slip and the change of the whitened velocity.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slide {
    pub(crate) direction: Vec2,
    pub(crate) normal: f64,
    /// `v̄_t`
    pub(crate) average: Vec2,
    pub(crate) change: [f64; 3],
}

impl Whitened {
    /// From `s` over `2^unit`. Its normal part is taken from the contact velocity, so that both agree on whether the
    /// contact approaches.
    pub(crate) fn new(factor: &Factor, contact: &Contact, s: [f64; 3], unit: i32) -> Self {
        let [[r_nn, c1, c2], [_, r11, r12], [_, _, r22]] = factor.r;
        let to_units = unit + factor.normal_row - contact.gamma;
        let mut whitened = Self {
            r_nn,
            c: [c1, c2],
            r_t: [r11, r12, r22],
            s_n: contact.v_n / r_nn,
            s_t: [scale(s[1], to_units), scale(s[2], to_units)],
            condition: 1.0,
            unexplained: None,
        };
        whitened.condition = whitened.condition_number(&contact.delassus);
        if whitened.condition > NEARLY_SINGULAR {
            let explained = scaled(whitened.s_n, whitened.c);
            let unexplained = whitened.times_transposed(whitened.s_t);
            let difference = add_scaled(add_scaled(contact.v_t, -1.0, explained), -1.0, unexplained);
            let is_faithful = norm(difference) <= FAITHFUL * (norm(contact.v_t) + norm(explained));
            whitened.unexplained = is_faithful.then_some(unexplained);
        }
        whitened
    }

    /// The contact with the alternative values of the tangential velocity that is not due to the normal motion; empty
    /// if `W` is far from singular.
    pub(crate) fn otherwise(&self, contact: &Contact) -> ArrayVec<Self, 2> {
        if !(self.condition > NEARLY_SINGULAR) {
            return ArrayVec::new();
        }
        let difference = add_scaled(contact.v_t, -self.s_n, self.c);
        let ways = [Some(self.times_transposed(self.s_t)), Some(difference), None];
        let others = ways.into_iter().filter(|way| *way != self.unexplained);
        others.take(2).map(|unexplained| Self { unexplained, ..*self }).collect()
    }

    /// The average tangential velocity without friction, `R_tᵀ s_t + c v̄_n / r_nn`, where `W` is nearly singular:
    /// computed from `v_t⁻` and `w` it would lose the digits that matter beside `S`.
    #[cold]
    pub(crate) fn free_average(&self, e: f64) -> Option<Vec2> {
        let average = 0.5 * (1.0 - e) * self.s_n;
        self.unexplained.map(|unexplained| add_scaled(unexplained, average, self.c))
    }

    /// The impulse with `v_n⁺ = -e v_n⁻` and `v_t⁺ = -share v_t⁻`; `None` if it does not exist. If there are several,
    /// the one in the cone of `mu` with the smallest `|i_t|`.
    ///
    /// From `R_tᵀ s_t⁺ = v_t⁺ - c s_n⁺`: the change is `R_t i_t = -(1 + share) s_t + (e - share) s_n h`, `h = R_t⁻ᵀ c`.
    #[cold]
    pub(crate) fn turn(&self, contact: &Contact, e: f64, share: f64, mu: f64) -> Option<Turn> {
        let d = &contact.delassus;
        let change_n = -(1.0 + e) * self.s_n;
        let (back, excess) = (-(1.0 + share), (e - share) * self.s_n);
        if d.tangent.is_regular() {
            let h = self.solve_transposed(d.dimension, self.c);
            let change = add_scaled(scaled(back, self.s_t), excess, h);
            let tangential = self.solve(d.dimension, change);
            let normal = (change_n - dot(self.c, tangential)) / self.r_nn;
            let critical = if normal > 0.0 { norm(tangential) / normal } else { f64::INFINITY };
            let impulse = LinearImpulse { normal, tangential, critical };
            return Some(Turn { impulse, change: [change_n, change[0], change[1]] });
        }
        let rounding = d.rank_tolerance.sqrt();
        let free = norm(self.times_transposed(self.s_t)) + norm(self.c) * (e * self.s_n).abs();
        let most = FEASIBILITY * norm(contact.v_t) + rounding * free;
        if !d.tangent.is_line() {
            // S = 0: the tangential velocity is determined by the normal motion.
            let missed = norm(scaled(excess, self.c));
            let impulse = LinearImpulse { normal: change_n / self.r_nn, tangential: [0.0; 2], critical: 0.0 };
            return (missed <= most).then_some(Turn { impulse, change: [change_n, 0.0, 0.0] });
        }
        let line = d.line();
        if (excess * dot(self.c, line.null)).abs() > most {
            return None;
        }
        // R_t = σ u rangeᵀ, so that only the part along u changes.
        let image = self.times(line.range);
        let sigma = norm(image);
        let u = scaled(1.0 / sigma, image);
        let along = back * dot(u, self.s_t) + excess * dot(self.c, line.range) / sigma;
        let shortest = scaled(along / sigma, line.range);
        let impulse = line.impulse(shortest, (change_n - dot(self.c, shortest)) / self.r_nn, mu);
        Some(Turn { impulse, change: [change_n, along * u[0], along * u[1]] })
    }

    /// [`Whitened::turn`] without the change.
    #[cold]
    pub(crate) fn turned_back(&self, contact: &Contact, e: f64, share: f64, mu: f64) -> Option<LinearImpulse> {
        let LinearImpulse { normal, tangential, critical } = self.turn(contact, e, share, mu)?.impulse;
        Some(LinearImpulse { normal, tangential, critical })
    }

    /// A slip with all the digits of `R`, from its average tangential velocity as found through `W`; `None` if that is
    /// accurate enough, or if there is no slip near it.
    ///
    /// The unknown is the change `x = R_t i_t`. With this unknown `v̄_t` has no large terms that cancel, as it would
    /// with `i_t` for large impulses, and the condition `i_t + mu i_n v̄_t/|v̄_t| = 0` is solved by Newton's method.
    #[cold]
    pub(crate) fn slide(&self, contact: &Contact, e: f64, mu: f64, average: Vec2) -> Option<Slide> {
        let (d, v_t, c) = (&contact.delassus, contact.v_t, self.c);
        if d.dimension != Dimension::Spatial || !d.tangent.is_regular() || self.condition <= ILL_CONDITIONED {
            return None;
        }
        let change_n = -(1.0 + e) * self.s_n;
        let turned = [2.0 * (average[0] - v_t[0]), 2.0 * (average[1] - v_t[1])];
        let mut x = self.solve_transposed(d.dimension, add_scaled(turned, -change_n, c));
        let mut best: Option<(f64, Slide)> = None;
        for _ in 0..SLIP_STEPS {
            let tangential = self.solve(d.dimension, x);
            let normal = (change_n - dot(c, tangential)) / self.r_nn;
            let average = add_scaled(add_scaled(v_t, 0.5 * change_n, c), 0.5, self.times_transposed(x));
            let speed = norm(average);
            if !(normal > 0.0 && speed > 0.0) {
                break;
            }
            let u = scaled(1.0 / speed, average);
            let left = add_scaled(tangential, mu * normal, u);
            let off = norm(left) / ((1.0 + mu) * normal);
            if best.as_ref().is_some_and(|(least, _)| !(off < *least)) {
                break;
            }
            best = Some((off, Slide { direction: u, normal, average, change: [change_n, x[0], x[1]] }));
            // I - mu u cᵀ/r_nn + mu i_n (I - u uᵀ) S / (2 |v̄_t|)
            let (pull, turn) = (mu / self.r_nn, mu * normal / (2.0 * speed));
            let across = [-u[1], u[0]];
            let s_across = [d.s.xx * across[0] + d.s.xy * across[1], d.s.xy * across[0] + d.s.yy * across[1]];
            let row = |k: usize, j: usize| turn * across[k] * s_across[j] - pull * u[k] * c[j];
            let [[a, b], [p, q]] = [[1.0 + row(0, 0), row(0, 1)], [row(1, 0), 1.0 + row(1, 1)]];
            let determinant = a * q - b * p;
            let step = [(q * left[0] - b * left[1]) / determinant, (a * left[1] - p * left[0]) / determinant];
            x = add_scaled(x, -1.0, self.times(step));
        }
        let found = best.filter(|(off, _)| *off <= SLIP_ACCURACY).map(|(_, slide)| slide);
        found.or_else(|| self.slide_by_resistance(e, mu, average))
    }

    /// The slip nearest to an average tangential velocity, by the one number `ρ >= 0` with `v̄_t = -ρ i_t`.
    ///
    /// Where tangents nearly depend on each other and friction is large, a slip may be so slow that its velocity has lost its
    /// direction, while its impulse, large along the tangent of little mobility, determines it to all digits. With `ρ` given,
    /// `(S/2 + ρ) i_t = -free` is linear, solved by an orthogonal factorisation of `R_t` over `sqrt(2ρ) I`; and `|i_t| = μ i_n`
    /// determines `ρ`. The change of `s` is `R_t i_t`, or that of a reversal and what `-ρ i_t` adds to it.
    #[cold]
    fn slide_by_resistance(&self, e: f64, mu: f64, average: Vec2) -> Option<Slide> {
        let [r11, r12, r22] = self.r_t;
        let (change_n, mean_n) = (-(1.0 + e) * self.s_n, 0.5 * (1.0 - e) * self.s_n);
        let impulse = |rho: f64| {
            let q = (2.0 * rho).sqrt();
            // T of the factorisation, and Qᵀ s_t.
            let t11 = r11.hypot(q);
            let (cosine, sine) = (r11 / t11, q / t11);
            let (t12, turned) = (cosine * r12, sine * r12);
            let t22 = r22.hypot(turned).hypot(q);
            let z = [cosine * self.s_t[0], (r22 * self.s_t[1] + sine * turned * self.s_t[0]) / t22];
            let h = [self.c[0] / t11, (self.c[1] - t12 * (self.c[0] / t11)) / t22];
            let [x, y] = add_scaled(z, mean_n, h);
            let i_y = -2.0 * y / t22;
            let tangential = [(-2.0 * x - t12 * i_y) / t11, i_y];
            (tangential, (change_n - dot(self.c, tangential)) / self.r_nn)
        };
        // Positive towards the reversal, outside the cone, and negative towards the frictionless impact.
        let excess = |rho: f64| {
            let (tangential, normal) = impulse(rho);
            norm(tangential) / mu - normal
        };
        // The resistance of the velocity given, and the slip nearest to it.
        let mobility = r11 * r11 + r12 * r12 + r22 * r22;
        let (start, _) = bracket(mobility, |rho| norm(average) - rho * norm(impulse(rho).0))?;
        let (mut low, mut high) = bracket(start, excess)?;
        for _ in 0..RESISTANCE_HALVINGS {
            let middle = (low * high).sqrt();
            if excess(middle) > 0.0 { low = middle } else { high = middle }
        }
        let rho = high;
        let (tangential, _) = impulse(rho);
        let length = norm(tangential);
        let average = scaled(-rho, tangential);
        let back = self.solve_transposed(Dimension::Spatial, add_scaled(scaled(2.0 * mean_n, self.c), -2.0, average));
        // By the impulse, unless that has larger terms: each has the rounding of its own.
        let by_impulse = mobility.sqrt() * length < 2.0 * norm(self.s_t) + norm(back);
        let x = if by_impulse { self.times(tangential) } else { add_scaled(scaled(-2.0, self.s_t), -1.0, back) };
        let direction = scaled(-1.0 / length, tangential);
        let is_slip = length > 0.0 && length.is_finite();
        is_slip.then_some(Slide { direction, normal: length / mu, average, change: [change_n, x[0], x[1]] })
    }

    /// The minimum-norm change of `s` that changes the contact velocity by `v`, as far as possible: `Rᵀ s = v`.
    pub(crate) fn change_for(&self, d: &Delassus, v: [f64; 3]) -> [f64; 3] {
        let s_n = v[0] / self.r_nn;
        let left = add_scaled([v[1], v[2]], -s_n, self.c);
        let s_t = if d.tangent.is_regular() {
            self.solve_transposed(d.dimension, left)
        } else if d.tangent.is_line() {
            let range = d.line().range;
            let image = self.times(range);
            scaled(dot(range, left) / dot(image, image), image)
        } else {
            [0.0, 0.0]
        };
        [s_n, s_t[0], s_t[1]]
    }

    /// Whether a change of `s` is within the rounding error of an ill-conditioned `M`.
    pub(crate) fn is_small(&self, [n, x, y]: [f64; 3]) -> bool {
        norm([n, norm([x, y])]) <= SMALL_CHANGE * norm([self.s_n, norm(self.s_t)])
    }

    /// The minimum-norm change of `s` that changes the normal velocity by `v_n`.
    pub(crate) fn change_for_normal(&self, v_n: f64) -> [f64; 3] {
        [v_n / self.r_nn, 0.0, 0.0]
    }

    /// The change of `s` by an outcome: the normal part from the velocity after the impact, the tangential part from
    /// the impulse.
    pub(crate) fn change_by(&self, contact: &Contact, normal_after: f64, impulse: &[f64]) -> [f64; 3] {
        let Delassus { omega, beta, .. } = contact.delassus;
        let v_n = scale(normal_after, -contact.gamma);
        let tangential = |k: usize| {
            let impulse = impulse.get(k).copied().unwrap_or(0.0);
            scale(impulse, omega + beta - contact.gamma)
        };
        let [x, y] = self.times([tangential(1), tangential(2)]);
        [(v_n - contact.v_n) / self.r_nn, x, y]
    }

    /// The same in the contact's units: by the change of the normal velocity and the tangential impulse.
    pub(crate) fn change_of(&self, normal: f64, tangential: Vec2) -> [f64; 3] {
        let [x, y] = self.times(tangential);
        [normal / self.r_nn, x, y]
    }

    /// The impulse that causes a change of `s`, `R⁻¹` times the change; the one with the smallest `|i_t|` if there are
    /// several.
    pub(crate) fn impulse_for(&self, d: &Delassus, [s_n, s_1, s_2]: [f64; 3]) -> [f64; 3] {
        let tangential = if d.tangent.is_regular() {
            self.solve(d.dimension, [s_1, s_2])
        } else if d.tangent.is_line() {
            let range = d.line().range;
            let image = self.times(range);
            scaled(dot(image, [s_1, s_2]) / dot(image, image), range)
        } else {
            [0.0, 0.0]
        };
        [(s_n - dot(self.c, tangential)) / self.r_nn, tangential[0], tangential[1]]
    }

    /// The energy change for a change of `s`.
    pub(crate) fn energy_change(&self, [n, x, y]: [f64; 3]) -> f64 {
        n * (self.s_n + 0.5 * n) + x * (self.s_t[0] + 0.5 * x) + y * (self.s_t[1] + 0.5 * y)
    }

    /// `ξ_t` of `ξ = R⁻¹ s` for a regular contact, and the energy `s·s / 2`.
    pub(crate) fn momentum(&self, dimension: Dimension) -> (f64, Vec2, f64) {
        let tangential = self.solve(dimension, self.s_t);
        let normal = (self.s_n - dot(self.c, tangential)) / self.r_nn;
        (normal, tangential, 0.5 * (self.s_n * self.s_n + dot(self.s_t, self.s_t)))
    }

    /// `(|R| |R⁺|)²`.
    fn condition_number(&self, d: &Delassus) -> f64 {
        // The columns of R with mobility, and the trailing block as a triangle.
        let (c, [r11, r12, r22]) = if d.tangent.is_regular() {
            (self.c, self.r_t)
        } else if d.tangent.is_line() {
            let range = d.line().range;
            ([dot(self.c, range), 0.0], [norm(self.times(range)), 0.0, 0.0])
        } else {
            return 1.0;
        };
        let n = 1.0;
        let t = d.w_tt.trace().sqrt();
        let (c, r11, r12, r22) = ([c[0] / t, c[1] / t], r11 / t, r12 / t, r22 / t);
        // R⁻¹ of [[1, c1, c2], [0, r11, r12], [0, 0, r22]], column by column.
        let inverse_11 = 1.0 / r11;
        let mut inverse = n + inverse_11 * inverse_11 * (1.0 + c[0] * c[0]);
        let mut size = n + c[0] * c[0] + r11 * r11;
        if d.tangent.is_regular() && d.dimension == Dimension::Spatial {
            let y = 1.0 / r22;
            let x = -r12 * y / r11;
            let z = -(c[0] * x + c[1] * y);
            inverse += x * x + y * y + z * z;
            size += c[1] * c[1] + r12 * r12 + r22 * r22;
        }
        size * inverse
    }

    fn times(&self, [x, y]: Vec2) -> Vec2 {
        let [r11, r12, r22] = self.r_t;
        [r11 * x + r12 * y, r22 * y]
    }

    fn times_transposed(&self, [x, y]: Vec2) -> Vec2 {
        let [r11, r12, r22] = self.r_t;
        [r11 * x, r12 * x + r22 * y]
    }

    /// `R_t⁻¹ b`, for the existing tangents.
    fn solve(&self, dimension: Dimension, b: Vec2) -> Vec2 {
        let [r11, r12, r22] = self.r_t;
        let y = if dimension == Dimension::Spatial { b[1] / r22 } else { 0.0 };
        [if dimension == Dimension::Normal { 0.0 } else { (b[0] - r12 * y) / r11 }, y]
    }

    /// `R_t⁻ᵀ b`, for the existing tangents.
    fn solve_transposed(&self, dimension: Dimension, b: Vec2) -> Vec2 {
        let [r11, r12, r22] = self.r_t;
        let x = if dimension == Dimension::Normal { 0.0 } else { b[0] / r11 };
        [x, if dimension == Dimension::Spatial { (b[1] - r12 * x) / r22 } else { 0.0 }]
    }
}

/// The interval of a factor of 16 nearest to `start` at whose ends `excess` changes from positive to not positive.
fn bracket(start: f64, excess: impl Fn(f64) -> f64) -> Option<(f64, f64)> {
    if !(start > 0.0 && start.is_finite()) {
        return None;
    }
    let (mut up, mut down) = (start, start);
    let (mut up_excess, mut down_excess) = (excess(start), excess(start));
    for _ in 0..RESISTANCE_STEPS {
        let (higher, lower) = (16.0 * up, down / 16.0);
        let (higher_excess, lower_excess) = (excess(higher), excess(lower));
        if up_excess > 0.0 && higher_excess <= 0.0 {
            return Some((up, higher));
        }
        if lower_excess > 0.0 && down_excess <= 0.0 {
            return Some((lower, down));
        }
        (up, up_excess, down, down_excess) = (higher, higher_excess, lower, lower_excess);
    }
    None
}
