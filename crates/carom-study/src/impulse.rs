//! The geometry of the impulses of one impact: the friction cone, the impulses of sticking, maximum compression and
//! restitution, and the laws' answers among them.
//!
//! An impulse `i` changes the contact velocity to `v⁻ + W i`, so each condition on the velocity after is linear in `i`: in the
//! plane of `(i_n, i_t)` it is a line; in space `v_n⁺` gives planes and `v_t⁺` a line. All of it is computed in closed form from `W`
//! and `v⁻`.

use carom_law::{Contact, Dimension, Law, Outcome};
use serde::Serialize;

use crate::answered::{Answered, LawAnswer};

/// Impulses that differ by less than this fraction of their size are the same answer: laws are exact to rounding, and the
/// compliant one is integrated to a hundredth of this.
const COINCIDES: f64 = 1e-7;
/// A determinant below this fraction of its largest product is rounding, and the matrix counts as singular.
const SINGULAR: f64 = 1e-13;

/// The geometry of all impulses and the laws' answers. Impulses have the normal component first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ImpulseSpace {
    /// 2 or 3.
    pub contact_dimension: u8,
    /// `μ_s` and `μ_d`: the slopes of the cones `|i_t| <= μ i_n`.
    pub friction: [f64; 2],
    /// The sets of impulses that satisfy a condition on the velocity after.
    pub loci: Vec<Locus>,
    /// The impulses without energy change, `v̄·i = 0`: in the plane all of them, in space those with `v_n⁺ = -e v_n⁻`.
    /// Impulses outside create energy. `None` for a singular matrix.
    pub neutral: Option<Ellipse>,
    /// The distinct answers, each with its laws, in the order of [`Law::ALL`].
    pub answers: Vec<Coincidence>,
}

/// The impulses `i` with `rows · i = values`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Locus {
    /// The condition that they satisfy.
    pub name: LocusName,
    /// Rows of `W`, normal first.
    pub rows: Vec<Vec<f64>>,
    /// One value per row.
    pub values: Vec<f64>,
}

/// The conditions on the velocity after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LocusName {
    /// `v_t⁺ = 0`
    Sticking,
    /// `v_t⁺ = -e_t v_t⁻`, where `e_t` is not 0
    TangentialRestitution,
    /// `v_n⁺ = 0`
    MaximumCompression,
    /// `v_n⁺ = -e v_n⁻`, where `e` is not 0
    Restitution,
}

/// `centre + cos θ · axes[0] + sin θ · axes[1]`: in the plane `(i_n, i_t)`, in space `(i_t1, i_t2)`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Ellipse {
    /// The centre.
    pub centre: [f64; 2],
    /// Two conjugate semi-diameters.
    pub axes: [[f64; 2]; 2],
}

/// Laws that give the same answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Coincidence {
    /// The first law's impulse.
    pub impulse: Vec<f64>,
    /// Their names.
    pub laws: Vec<Law>,
}

/// Why there is no impulse diagram.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum DiagramError {
    /// A contact of dimension 1.
    #[error("the contact has dimension 1: its impulse is a single number, and there is nothing to draw")]
    Frictionless,
    /// The contact does not approach.
    #[error("the contact separates, v_n = {normal_velocity} >= 0: there is no impulse to draw")]
    Separating {
        /// `v_n⁻`
        normal_velocity: f64,
    },
}

impl ImpulseSpace {
    /// `None` for a contact without friction, and for one that separates.
    pub(super) fn new(contact: &Contact, own: &Outcome, laws: &[LawAnswer]) -> Option<Self> {
        let friction = own.friction.filter(|_| contact.approaches())?;
        let d = match contact.delassus().dimension() {
            Dimension::Normal => return None,
            Dimension::Planar => 2,
            Dimension::Spatial => 3,
        };
        let (w, v) = (contact.delassus().matrix(), contact.velocity());
        let [e, e_t] = [own.restitution.normal, own.restitution.tangential];
        let row = |r: usize| w[r][..d].to_vec();
        let normal = |name, share: f64| Locus { name, rows: vec![row(0)], values: vec![-share * v[0]] };
        let tangential = |name, share: f64| Locus {
            name,
            rows: (1..d).map(row).collect(),
            values: v[1..].iter().map(|v_t| -share * v_t).collect(),
        };
        let mut loci = vec![tangential(LocusName::Sticking, 1.0)];
        if e_t != 0.0 {
            loci.push(tangential(LocusName::TangentialRestitution, 1.0 + e_t));
        }
        loci.push(normal(LocusName::MaximumCompression, 1.0));
        if e != 0.0 {
            loci.push(normal(LocusName::Restitution, 1.0 + e));
        }
        let neutral = match d {
            2 => Ellipse::neutral([[w[0][0], w[0][1]], [w[1][0], w[1][1]]], [v[0], v[1]], 0.0),
            _ => neutral_section(&w, &v, e),
        };
        Some(Self {
            contact_dimension: d as u8,
            friction: [friction.mu_s(), friction.mu_d()],
            loci,
            neutral,
            answers: coincidences(laws),
        })
    }

    /// The locus with this name.
    pub fn locus(&self, name: LocusName) -> Option<&Locus> {
        self.loci.iter().find(|locus| locus.name == name)
    }

    /// The plane (for a planar contact: the line) of the prescribed restitution; for `e = 0` that of maximum compression.
    pub fn restored(&self) -> Option<&Locus> {
        self.locus(LocusName::Restitution).or_else(|| self.locus(LocusName::MaximumCompression))
    }
}

impl Locus {
    /// The largest violation of the conditions by an impulse, each relative to the sizes of its terms.
    pub fn distance(&self, impulse: &[f64]) -> f64 {
        let misses = self.rows.iter().zip(&self.values).map(|(row, value)| {
            let terms = row.iter().zip(impulse).map(|(w, i)| w * i);
            let size = terms.clone().map(f64::abs).sum::<f64>() + value.abs();
            let off = (terms.sum::<f64>() - value).abs();
            if off == 0.0 { 0.0 } else { off / size }
        });
        misses.fold(0.0, f64::max)
    }

    /// The line, as a point and a direction; `None` if the solutions of the conditions are not a line.
    pub fn line(&self) -> Option<[Vec<f64>; 2]> {
        match (&self.rows[..], &self.values[..]) {
            ([row], [value]) if row.len() == 2 => {
                // Scaled to order one, so that squares stay in range in any units.
                let unit = row[0].abs().max(row[1].abs());
                let [a, b] = [row[0] / unit, row[1] / unit];
                let reach = value / unit / (a * a + b * b);
                (unit > 0.0).then(|| [vec![a * reach, b * reach], vec![-b, a]])
            }
            ([one, two], [b1, b2]) => {
                let tangents = [[one[1], one[2]], [two[1], two[2]]];
                let [point, direction] = [[*b1, *b2], [-one[0], -two[0]]].map(|b| solved(tangents, b));
                let (point, direction) = (point?, direction?);
                Some([vec![0.0, point[0], point[1]], vec![1.0, direction[0], direction[1]]])
            }
            _ => None,
        }
    }

    /// The intersection of a plane of `v_n⁺` with the edge of the cone in a direction of the tangential impulse:
    /// `|i_t| = μ k / (W_nn + μ w·u)`, the equation of a conic about the normal. `None` if there is none.
    pub fn edge(&self, mu: f64, angle: f64) -> Option<[f64; 3]> {
        let ([row], [k]) = (&self.rows[..], &self.values[..]) else { return None };
        let &[nn, n1, n2] = &row[..] else { return None };
        let (sin, cos) = angle.sin_cos();
        let slope = nn + mu * (n1 * cos + n2 * sin);
        let i_n = k / slope;
        (slope > 0.0).then_some([i_n, mu * i_n * cos, mu * i_n * sin])
    }
}

impl Ellipse {
    /// `{x : ½ xᵀ A x + b·x = c}` for a positive definite `A`.
    fn neutral(a: [[f64; 2]; 2], b: [f64; 2], c: f64) -> Option<Self> {
        let centre = solved(a, b)?.map(|x| -x);
        // ½ (x - x_0)ᵀ A (x - x_0) = c - ½ b·x_0
        let level = 2.0 * c - (b[0] * centre[0] + b[1] * centre[1]);
        // A = L Lᵀ, x - x_0 = sqrt(level) L⁻ᵀ (cos θ, sin θ)
        let l11 = a[0][0].sqrt();
        let l21 = a[1][0] / l11;
        let l22 = (a[1][1] - l21 * l21).sqrt();
        let radius = level.sqrt();
        let axes = [[radius / l11, 0.0], [-radius * l21 / (l11 * l22), radius / l22]];
        axes.iter().flatten().all(|x| x.is_finite()).then_some(Self { centre, axes })
    }

    /// The point at a parameter from 0 to 2π.
    pub fn at(&self, angle: f64) -> [f64; 2] {
        let (sin, cos) = angle.sin_cos();
        [0, 1].map(|k: usize| self.centre[k] + cos * self.axes[0][k] + sin * self.axes[1][k])
    }
}

/// On the plane of restitution `i_n = ((1+e)|v_n⁻| - w·i_t)/W_nn`, and `v_t⁺` is `v_f + S i_t`.
fn neutral_section(w: &[[f64; 3]; 3], v: &[f64], e: f64) -> Option<Ellipse> {
    let (nn, n) = (w[0][0], [w[0][1], w[0][2]]);
    let push = -(1.0 + e) * v[0];
    let s = [0, 1].map(|r: usize| [0, 1].map(|c: usize| w[r + 1][c + 1] - n[r] * n[c] / nn));
    // v̄_n i_n + v̄_t·i_t with v̄_n = (1-e) v_n⁻/2 and v̄_t = (v_t⁻ + v_f + S i_t)/2
    let average = 0.5 * (1.0 - e) * v[0];
    let linear = [0, 1].map(|k: usize| v[k + 1] + 0.5 * push * n[k] / nn - average * n[k] / nn);
    Ellipse::neutral(s, linear, -average * push / nn)
}

/// `a x = b` by Cramer's rule; `None` if `a` is singular.
fn solved(a: [[f64; 2]; 2], b: [f64; 2]) -> Option<[f64; 2]> {
    // Scaled to order one, so that products stay in range in any units.
    let unit = a.iter().flatten().fold(0.0_f64, |most, entry| most.max(entry.abs()));
    let [[p, q], [r, s]] = a.map(|row| row.map(|entry| entry / unit));
    let b = b.map(|entry| entry / unit);
    let determinant = p * s - q * r;
    let is_regular = determinant.abs() > SINGULAR * (p * s).abs().max((q * r).abs());
    is_regular.then(|| [(s * b[0] - q * b[1]) / determinant, (p * b[1] - r * b[0]) / determinant])
}

fn coincidences(laws: &[LawAnswer]) -> Vec<Coincidence> {
    let mut groups: Vec<Coincidence> = Vec::new();
    for LawAnswer { law, answer, .. } in laws {
        let Answered::Yes(verdict) = answer else { continue };
        let size = |impulse: &[f64]| impulse.iter().fold(0.0_f64, |length, part| length.hypot(*part));
        let is_same = |group: &Coincidence| {
            let apart: Vec<f64> = group.impulse.iter().zip(&verdict.impulse).map(|(a, b)| a - b).collect();
            size(&apart) <= COINCIDES * size(&group.impulse)
        };
        match groups.iter_mut().find(|group| is_same(group)) {
            Some(group) => group.laws.push(*law),
            None => groups.push(Coincidence { impulse: verdict.impulse.clone(), laws: vec![*law] }),
        }
    }
    groups
}
