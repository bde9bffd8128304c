//! Forces within a phase of known modes: which contacts stick, which slip, and in which direction.
//!
//! | file | contents |
//! |---|---|
//! | `margin` | whether redundant contacts can stick: the best distribution of their forces |
//! | `barrier` | the interior-point method that finds it |
//! | `unload` | the minimum-norm compressive forces of redundant sliding contacts |

mod barrier;
pub(crate) mod margin;
mod unload;

use crate::contact::delassus::Dimension;
use crate::error::{Error, Field, Result, finite};
use crate::numeric::matrix::MatrixView;
use crate::numeric::scaling::{exponent, scale, scale_often};
use crate::numeric::tolerance::{BALANCE_RANK, PHASE_RANK};

use crate::numeric::linear::{LinearSystem, Pivots};
use barrier::Barrier;
use unload::Unloading;

/// Largest deviation of the length of a slip direction from one.
const UNIT_TOLERANCE: f64 = 1e-9;

/// The constraint that a closed contact imposes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Grip {
    /// No acceleration in any direction; the force follows from this \[4\].
    Stick,
    /// No acceleration along the normal; `λ_t = -μ_d λ_n u` \[5\], \[6\].
    Slip {
        /// `u`, the unit direction of the tangential velocity; `[±1, 0]` for a planar contact.
        direction: [f64; 2],
        /// `μ_d >= 0`.
        friction: f64,
    },
}

impl Grip {
    /// A slip without friction.
    pub const FRICTIONLESS: Self = Self::Slip { direction: [1.0, 0.0], friction: 0.0 };
}

/// A closed contact of a phase.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PhaseContact {
    /// How many rows it has, the normal first.
    pub dimension: Dimension,
    /// Stick or slip.
    pub grip: Grip,
}

/// Which rows of the contacts [`PhaseForces::balance`] acts on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rows {
    /// The normal of every contact.
    Normals,
    /// The constrained rows: all rows of a sticking contact, the normal row of a slipping one.
    Held,
}

/// Report on the solution for the forces.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct PhaseReport {
    /// The rank of the system, at most `unknowns`. If it is lower, the forces are not unique.
    pub rank: usize,
    /// The number of unknown forces.
    pub unknowns: usize,
    /// The largest residual acceleration of a constrained row, relative to the largest `|α|`.
    pub residual: f64,
    /// The smallest `D / W_nn` of the slipping contacts, `D = W_nn - μ_d w·u`; 1 if none slips. It must be positive for
    /// slip.
    pub min_reduced: f64,
}

/// Solver for the forces of a phase, with workspace reused between calls.
#[derive(Debug, Clone, Default)]
pub struct PhaseForces {
    pub(super) system: LinearSystem,
    pub(super) barrier: Barrier,
    unloading: Unloading,
    /// The unknowns of the system are forces over `2^exponent`.
    exponent: i32,
    /// The unknowns of the system, in the order of the rows.
    unknowns: Vec<Unknown>,
    /// The exponents of their units, relative to that of the largest.
    halves: Vec<i32>,
    /// Unknowns whose rows are coupled with nothing, and their values in the units of the system. They are not in it: the pads of
    /// joints with dry friction would double its size.
    alone: Vec<(Unknown, f64)>,
}

#[derive(Debug, Clone, Copy)]
struct Unknown {
    /// The row that it constrains and acts in.
    row: usize,
    /// `-μ_d u`, for the normal force of a slip.
    drag: [f64; 2],
    /// Number of tangents with drag.
    tangents: usize,
    /// The exponent of the unit of its row.
    exponent: i32,
}

impl PhaseForces {
    /// A solver with empty workspace.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forces `λ` with `a = α + W λ` zero in every constrained row, and friction given by the grips. If contacts are
    /// redundant and the forces not unique, the minimum-norm forces among those without tension at a sliding contact
    /// with friction, if such forces exist.
    ///
    /// In stick the accelerations are the same for all such forces. If contacts slip in different directions this need
    /// not hold; the minimum-norm forces are then a convention.
    ///
    /// ```
    /// use carom_law::Dimension;
    /// use carom_law::{Grip, MatrixView, PhaseContact, PhaseForces};
    ///
    /// // A particle of 2 kg slides on a floor, g = 10.
    /// let delassus = [0.5, 0.0, 0.0, 0.5];
    /// let grip = Grip::Slip { direction: [1.0, 0.0], friction: 0.3 };
    /// let contacts = [PhaseContact { dimension: Dimension::Planar, grip }];
    /// let mut forces = [0.0; 2];
    /// PhaseForces::new().solve(MatrixView::row_major(2, 2, &delassus), &[-10.0, 0.0], &contacts, &mut forces)?;
    /// assert_eq!(forces, [20.0, -6.0]);
    /// # Ok::<(), carom_law::Error>(())
    /// ```
    ///
    /// # Errors
    /// Inconsistent shapes, numbers that are not finite, `W_nn <= 0`, a direction that is not a unit vector, negative
    /// friction, or forces beyond the range of `f64`.
    pub fn solve(
        &mut self,
        delassus: MatrixView,
        free_acceleration: &[f64],
        contacts: &[PhaseContact],
        forces: &mut [f64],
    ) -> Result<PhaseReport> {
        self.solve_listed(delassus, free_acceleration, contacts, forces, |phase, listed| {
            phase.set_apart(&delassus, listed)
        })
    }

    /// [`PhaseForces::solve`] with all unknowns in the system.
    fn solve_whole(
        &mut self,
        delassus: MatrixView,
        free_acceleration: &[f64],
        contacts: &[PhaseContact],
        forces: &mut [f64],
    ) -> Result<PhaseReport> {
        self.solve_listed(delassus, free_acceleration, contacts, forces, |_, listed| listed)
    }

    /// [`PhaseForces::solve`] with what is done to the unknowns before they are solved for.
    fn solve_listed(
        &mut self,
        delassus: MatrixView,
        free_acceleration: &[f64],
        contacts: &[PhaseContact],
        forces: &mut [f64],
        choose: impl FnOnce(&mut Self, Listed) -> Listed,
    ) -> Result<PhaseReport> {
        let purpose = Purpose { vector: "free_acceleration", result: "forces", rank_tolerance: PHASE_RANK };
        self.run(purpose, delassus, free_acceleration, forces, |phase| {
            let listed = phase.list(&delassus, contacts, None)?;
            Ok(choose(phase, listed))
        })
    }

    /// The minimum-norm `i`, acting only in the chosen rows, that removes `excess` there: `W i = -excess`. This is the
    /// projection of velocities or small displacements in the mass metric; for velocities it never increases the
    /// kinetic energy. `excess` and `impulses` have one number per row of `W`.
    ///
    /// # Errors
    /// As [`PhaseForces::solve`].
    pub fn balance(
        &mut self,
        delassus: MatrixView,
        contacts: &[PhaseContact],
        rows: Rows,
        excess: &[f64],
        impulses: &mut [f64],
    ) -> Result<PhaseReport> {
        self.run(
            Purpose { vector: "excess", result: "impulses", rank_tolerance: BALANCE_RANK },
            delassus,
            excess,
            impulses,
            |phase| {
                let listed = phase.list(&delassus, contacts, Some(rows))?;
                Ok(phase.set_apart(&delassus, listed))
            },
        )
    }

    fn run(
        &mut self,
        purpose: Purpose,
        delassus: MatrixView,
        alpha: &[f64],
        forces: &mut [f64],
        list: impl FnOnce(&mut Self) -> Result<Listed>,
    ) -> Result<PhaseReport> {
        let listed = list(self)?;
        purpose.check(&delassus, listed.rows, alpha, forces)?;
        if self.unknowns.is_empty() && self.alone.is_empty() {
            return Ok(PhaseReport { rank: 0, unknowns: 0, residual: 0.0, min_reduced: 1.0 });
        }
        let size = alpha.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
        let gamma = exponent(size);
        self.assemble(&delassus, alpha, &listed, gamma);
        let pivots = if listed.has_drag { Pivots::Any } else { Pivots::Diagonal };
        let rank = self.system.solve(pivots, purpose.rank_tolerance);
        if listed.has_drag {
            let sliding = (0..self.unknowns.len()).filter(|&i| self.unknowns[i].tangents > 0);
            self.unloading.relieve(&mut self.system, rank, sliding);
        }
        self.exponent = gamma - listed.omega;
        self.spread(forces);
        if let Some(row) = forces.iter().position(|x| !x.is_finite()) {
            return Err(Error::Overflow { field: format!("{}[{row}]", purpose.result).into() });
        }
        let residual = if size > 0.0 { self.residual(&delassus, alpha, forces) / size } else { 0.0 };
        let (alone, min_reduced) = (self.alone.len(), listed.min_reduced);
        Ok(PhaseReport { rank: rank + alone, unknowns: self.unknowns.len() + alone, residual, min_reduced })
    }

    /// The unknowns of the contacts: given by the grips or, for a projection, by the chosen rows without friction.
    fn list(&mut self, delassus: &MatrixView, contacts: &[PhaseContact], projected: Option<Rows>) -> Result<Listed> {
        self.unknowns.clear();
        self.alone.clear();
        let rows = contacts.iter().map(|contact| contact.dimension.rows()).sum();
        check_matrix(delassus, rows)?;
        let mut listed = Listed { rows, omega: i32::MIN, has_drag: false, min_reduced: 1.0 };
        let mut row = 0;
        for (k, contact) in contacts.iter().enumerate() {
            let d = contact.dimension.rows();
            let w_nn = delassus.at(row, row);
            if !(w_nn > 0.0) {
                return Err(Error::NotPositive {
                    field: format!("delassus[{row}][{row}]").into(),
                    definiteness: "semidefinite",
                    quantity: "the normal entry".into(),
                    value: w_nn,
                    bound: "> 0".into(),
                });
            }
            let largest = (row..row + d).map(|i| delassus.at(i, i)).fold(w_nn, f64::max);
            let exponent = exponent(largest);
            listed.omega = listed.omega.max(exponent);
            let mut push = |row, drag, tangents| self.unknowns.push(Unknown { row, drag, tangents, exponent });
            match (projected, contact.grip) {
                (None | Some(Rows::Held), Grip::Stick) => (row..row + d).for_each(|i| push(i, [0.0; 2], 0)),
                (None, Grip::Slip { direction, friction }) => {
                    let drag = drag(|| format!("contacts[{k}].grip").into(), contact.dimension, direction, friction)?;
                    let tangents = if drag == [0.0; 2] { 0 } else { d - 1 };
                    let pull: f64 = (0..tangents).map(|t| delassus.at(row + 1 + t, row) * drag[t]).sum();
                    listed.has_drag |= tangents > 0;
                    listed.min_reduced = listed.min_reduced.min(1.0 + pull / w_nn);
                    push(row, drag, tangents);
                }
                (Some(_), _) => push(row, [0.0; 2], 0),
            }
            row += d;
        }
        Ok(listed)
    }

    /// Takes unknowns whose rows are coupled with nothing out of the system. Those that hardly move by the measure of their
    /// contacts stay: their pivots may be rounding.
    fn set_apart(&mut self, delassus: &MatrixView, mut listed: Listed) -> Listed {
        let stays = |unknown: &Unknown| {
            let row = unknown.row;
            let mut others = (0..listed.rows).filter(|&other| other != row);
            let own = delassus.at(row, row);
            !(own > 0.0 && exponent(own) == unknown.exponent)
                || others.any(|other| delassus.at(row, other) != 0.0 || delassus.at(other, row) != 0.0)
        };
        let Self { unknowns, alone, .. } = self;
        unknowns.retain(|unknown| {
            let stays = stays(unknown);
            if !stays {
                alone.push((*unknown, 0.0));
            }
            stays
        });
        listed.has_drag = unknowns.iter().any(|unknown| unknown.tangents > 0);
        listed
    }

    /// `K = W_held (1, -μ_d u)` and `-α`, in units near one. The unknowns that are alone have their values after this.
    fn assemble(&mut self, delassus: &MatrixView, alpha: &[f64], listed: &Listed, gamma: i32) {
        let n = self.unknowns.len();
        self.system.start(n);
        // For a contact with W near 2^e, the unit of its rows is 2^(e/2), relative to that of the largest.
        let half = |u: &Unknown| (u.exponent - listed.omega).div_euclid(2);
        self.halves.clear();
        self.halves.extend(self.unknowns.iter().map(half));
        for (unknown, x) in &mut self.alone {
            *x = scale(-alpha[unknown.row], -gamma) / scale(delassus.at(unknown.row, unknown.row), -listed.omega);
        }
        for (i, held) in self.unknowns.iter().enumerate() {
            let own = self.halves[i];
            self.system.set_unit(i, scale(1.0, own));
            let (row, right) = self.system.row_mut(i);
            *right = scale(-alpha[held.row], -gamma);
            for (acting, x) in self.alone.iter().filter(|(acting, _)| acting.tangents > 0) {
                let pull = |t: usize| delassus.at(held.row, acting.row + 1 + t) * acting.drag[t];
                *right -= scale((0..acting.tangents).map(pull).sum(), -listed.omega) * x;
            }
            for ((x, acting), other) in row.iter_mut().zip(&self.unknowns).zip(&self.halves) {
                let mut response = delassus.at(held.row, acting.row);
                for t in 0..acting.tangents {
                    response += delassus.at(held.row, acting.row + 1 + t) * acting.drag[t];
                }
                *x = scale_often(response, -listed.omega - own - other);
            }
        }
    }

    /// A force in the units of the system.
    pub(super) fn in_own_units(&self, force: f64) -> f64 {
        scale(force, -self.exponent)
    }

    /// The unknowns as forces of all rows.
    pub(super) fn spread(&self, forces: &mut [f64]) {
        forces.fill(0.0);
        let alone = self.alone.iter().map(|(unknown, x)| (unknown, x));
        for (unknown, x) in self.unknowns.iter().zip(self.system.answer()).chain(alone) {
            let x = scale(*x, self.exponent);
            forces[unknown.row] = x;
            for t in 0..unknown.tangents {
                forces[unknown.row + 1 + t] = unknown.drag[t] * x;
            }
        }
    }

    fn residual(&self, delassus: &MatrixView, alpha: &[f64], forces: &[f64]) -> f64 {
        let left = |held: &Unknown| {
            let response: f64 = forces.iter().enumerate().map(|(j, force)| delassus.at(held.row, j) * force).sum();
            (alpha[held.row] + response).abs()
        };
        self.unknowns.iter().map(left).fold(0.0, f64::max)
    }
}

/// Totals over the contacts of a phase.
struct Listed {
    rows: usize,
    /// The exponent of the largest entry on the diagonal of `W`.
    omega: i32,
    has_drag: bool,
    min_reduced: f64,
}

/// Names of the vectors in messages, and the rank tolerance.
#[derive(Clone, Copy)]
struct Purpose {
    vector: &'static str,
    result: &'static str,
    rank_tolerance: f64,
}

impl Purpose {
    fn check(self, delassus: &MatrixView, rows: usize, vector: &[f64], result: &[f64]) -> Result<()> {
        for (field, length) in [(self.vector, vector.len()), (self.result, result.len())] {
            if length != rows {
                return Err(Error::Shape {
                    field: field.into(),
                    found: format!("{length} numbers"),
                    expected: format!("{rows} numbers, one for each row of the contacts"),
                });
            }
        }
        for (i, &x) in vector.iter().enumerate() {
            finite(x, || format!("{}[{i}]", self.vector).into())?;
        }
        check_entries(delassus, rows)
    }
}

/// Entries that are finite.
pub(crate) fn check_entries(delassus: &MatrixView, rows: usize) -> Result<()> {
    if delassus.is_finite() {
        return Ok(());
    }
    for i in 0..rows {
        for j in 0..rows {
            finite(delassus.at(i, j), || format!("delassus[{i}][{j}]").into())?;
        }
    }
    Ok(())
}

/// A square matrix with as many rows as the contacts have.
pub(crate) fn check_matrix(delassus: &MatrixView, rows: usize) -> Result<()> {
    if delassus.rows == rows && delassus.columns == rows && delassus.is_complete() {
        return Ok(());
    }
    Err(Error::Shape {
        field: "delassus".into(),
        found: format!("{} x {} with {} numbers", delassus.rows, delassus.columns, delassus.len()),
        expected: format!("{rows} x {rows}, as the contacts have {rows} rows"),
    })
}

/// `-μ_d u`, checked; zero for a contact without tangents.
pub(super) fn drag(
    field: impl Fn() -> Field,
    dimension: Dimension,
    direction: [f64; 2],
    friction: f64,
) -> Result<[f64; 2]> {
    if dimension == Dimension::Normal || friction == 0.0 {
        return Ok([0.0; 2]);
    }
    if !(friction >= 0.0 && friction.is_finite()) {
        let field = format!("{}.friction", field()).into();
        return Err(Error::OutOfRange { field, value: friction, bound: "[0, inf)".into() });
    }
    let u = if dimension == Dimension::Planar { [direction[0], 0.0] } else { direction };
    let length = u[0].hypot(u[1]);
    if !((length - 1.0).abs() <= UNIT_TOLERANCE) {
        let field = format!("{}.direction", field()).into();
        return Err(Error::OutOfRange { field, value: length, bound: "length 1, to 1e-9".into() });
    }
    Ok([-friction * u[0], -friction * u[1]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drag_is_against_the_direction_by_the_friction() {
        let of = |dimension, direction, friction| drag(|| "grip".into(), dimension, direction, friction);
        assert_eq!(of(Dimension::Spatial, [0.6, -0.8], 0.5).unwrap(), [-0.3, 0.4]);
        assert_eq!(of(Dimension::Planar, [-1.0, 7.0], 0.5).unwrap(), [0.5, 0.0]);
        // Without tangents or friction there is none, whatever the direction.
        assert_eq!(of(Dimension::Normal, [3.0, 0.0], 0.5).unwrap(), [0.0; 2]);
        assert_eq!(of(Dimension::Spatial, [3.0, 0.0], 0.0).unwrap(), [0.0; 2]);
        for (direction, friction, field) in [
            ([1.0, 0.0], -0.1, "grip.friction"),
            ([1.0, 0.0], f64::INFINITY, "grip.friction"),
            ([1.0, 1e-3], 0.5, "grip.direction"),
            ([0.0, 0.0], 0.5, "grip.direction"),
        ] {
            let error = of(Dimension::Spatial, direction, friction).unwrap_err();
            assert!(matches!(&error, Error::OutOfRange { field: found, .. } if found == field), "{error}");
        }
        assert!(of(Dimension::Spatial, [1.0 + 0.9 * UNIT_TOLERANCE, 0.0], 0.5).is_ok());
        assert!(of(Dimension::Spatial, [1.0 + 1.1 * UNIT_TOLERANCE, 0.0], 0.5).is_err());
    }

    #[test]
    fn a_matrix_of_another_size_is_refused() {
        let numbers = [0.0; 9];
        let is_right = |rows, columns, count: usize, wanted| {
            check_matrix(&MatrixView::row_major(rows, columns, &numbers[..count]), wanted).is_ok()
        };
        assert!(is_right(3, 3, 9, 3) && is_right(2, 2, 4, 2));
        assert!(!is_right(3, 3, 9, 2) && !is_right(2, 3, 6, 2) && !is_right(3, 2, 6, 2) && !is_right(3, 3, 8, 3));
    }

    /// Unknowns that nothing couples are solved alone, to the same forces; those whose own entry is rounding are not.
    #[test]
    fn unknowns_apart_are_solved_as_the_whole_system_is() {
        #[rustfmt::skip]
        let w = [
            2.0, 0.5, 0.0, 0.0, 0.0,
            0.5, 1.0, 0.0, 0.0, 0.0,
            0.0, 0.0, 4.0, 1.5, 0.0,
            0.0, 0.0, 1.5, 3.0, 0.0,
            0.0, 0.0, 0.0, 0.0, 5.0,
        ];
        let slip = Grip::Slip { direction: [1.0, 0.0], friction: 0.5 };
        let contact = |dimension, grip| PhaseContact { dimension, grip };
        let contacts = [
            contact(Dimension::Planar, Grip::Stick),
            contact(Dimension::Planar, slip),
            contact(Dimension::Normal, Grip::Stick),
        ];
        let (view, alpha) = (MatrixView::row_major(5, 5, &w), [-1.0, 0.5, -2.0, 0.25, -3.0]);
        let (mut phase, mut apart, mut whole) = (PhaseForces::new(), [0.0; 5], [0.0; 5]);
        let report = phase.solve(view, &alpha, &contacts, &mut apart).unwrap();
        let rows: Vec<usize> = phase.alone.iter().map(|(unknown, _)| unknown.row).collect();
        // A slip's normal is coupled with its own tangent.
        assert_eq!(rows, [4]);
        assert_eq!((report.rank, report.unknowns), (4, 4));
        assert!((report.min_reduced - (1.0 - 0.5 * 1.5 / 4.0)).abs() < 1e-15, "{report:?}");
        let other = PhaseForces::new().solve_whole(view, &alpha, &contacts, &mut whole).unwrap();
        assert_eq!((other.rank, other.unknowns), (4, 4));
        apart.iter().zip(&whole).for_each(|(a, b)| assert!((a - b).abs() < 1e-14, "{apart:?} {whole:?}"));
        // Stick: 2 x + y/2 = 1 and x/2 + y = -1/2; slip: (4 - 3/4) x = 2; alone: 5 x = 3.
        let stick = [(1.0 + 0.25) / 1.75, (-1.0 - 0.5) / 1.75];
        let expected = [stick[0], stick[1], 2.0 / 3.25, -1.0 / 3.25, 0.6];
        apart.iter().zip(expected).for_each(|(a, b)| assert!((a - b).abs() < 1e-14, "{apart:?} {expected:?}"));
        // Moved by half of its force, a row is off by as much.
        apart[2] *= 0.5;
        let left = phase.residual(&view, &alpha, &apart);
        assert!((left - 0.5 * (4.0 - 0.0) * 2.0 / 3.25).abs() < 1e-13, "{left}");
    }
}
