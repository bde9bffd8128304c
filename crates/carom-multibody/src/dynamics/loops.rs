//! Closed loops: their rows C, their residuals, and the projection that keeps them closed.
//!
//! Whitened rows y = D^-½ L⁻ᵀ Cᵀ have an orthonormal basis Q. Every row and force that comes in is projected, y - Q Qᵀ y:
//! W of projected rows is that of the mechanism in minimal coordinates. The Schur complement of C M⁻¹ Cᵀ would square the
//! condition.

use super::factor::product;
use super::orthogonal::Orthogonal;
use super::{Dynamics, check};
use crate::error::DynamicsError;
use crate::geometry::contact_basis;
use crate::model::{Loop, LoopKind, NO_NODE, PARALLEL};
use crate::rows::{Contacts, Matrix, Meeting};
use crate::{LinkId, Vector};

/// The largest residual of a state of the mechanism, relative to the loops' length scale. Files close their
/// loops to some eight digits.
pub(super) const OPEN: f64 = 1e-6;

/// The largest part of a velocity along the loops' rows, in the metric of M, for which it counts as keeping them
/// closed: the law refuses contact velocities that impulses cannot reach from there on.
const MOVES: f64 = 1e-9;

/// Workspace of the loops in one state.
#[derive(Debug, Clone, Default)]
pub(super) struct Loops {
    /// For each row: its loop, its residual in C's units, its unit over that (1/L for lengths), C v and (dC/dt) v.
    pub(super) of: Vec<usize>,
    pub(super) residual: Vec<f64>,
    pub(super) unit: Vec<f64>,
    pub(super) drift: Vec<f64>,
    directions: Vec<Direction>,
    /// C, row by row, not scaled.
    pub(super) rows: Vec<f64>,
    /// The rows in units, whitened.
    whitened: Vec<f64>,
    pub(super) basis: Orthogonal,
    /// R⁻ᵀ γ.
    pub(super) drifting: Vec<f64>,
    /// The residual of each loop, over its unit.
    pub(super) misses: Vec<f64>,
    /// The largest residual allowed; [`OPEN`] unless it is set.
    bound: Option<f64>,
}

/// The kind of an impulse along a row.
#[derive(Debug, Clone, Copy)]
enum Direction {
    Force(Vector),
    Moment(Vector),
    Joint,
}

/// The impulse of a loop in an impact, on its first link or joint; the opposite acts on the second.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LoopImpulse {
    /// The loop's index in [`Model::loops`](crate::Model::loops).
    pub index: usize,
    /// The impulse at the loop's point, in world axes, N s.
    pub force: Vector,
    /// The angular impulse about that point, in world axes, N m s.
    pub moment: Vector,
    /// The impulse along the coordinate of a `joint`, N s or N m s.
    pub joint: f64,
    /// Whether the impulse is unique. With redundant loops many impulses cause the same motion: this is
    /// the shortest.
    pub is_unique: bool,
}

impl Dynamics {
    /// Whether rows and forces have to be reduced by the factor of M: mimics and loops couple branches.
    #[inline(always)]
    pub(super) fn is_coupled(&self) -> bool {
        self.model.tree.has_mimics() || self.has_loops()
    }

    #[inline(always)]
    pub(super) fn has_loops(&self) -> bool {
        !self.model.loops().is_empty()
    }

    /// The rows of all loops in the present state, and their residuals. Velocities and drifts are those of the state.
    pub(super) fn lay_loops(&mut self) {
        self.accelerate_without_forces();
        let mut loops = std::mem::take(&mut self.loops);
        loops.clear();
        let model = std::sync::Arc::clone(&self.model);
        for (index, Loop { kind, .. }) in model.loops().iter().enumerate() {
            self.lay_loop(index, kind, &mut loops);
        }
        self.loops = loops;
    }

    fn lay_loop(&self, index: usize, kind: &LoopKind, loops: &mut Loops) {
        let unit = 1.0 / self.model.loop_length();
        match kind {
            LoopKind::Connect { links, points } => {
                let miss = self.lay_point(index, *links, *points, unit, loops);
                loops.misses.push(miss);
            }
            LoopKind::Hinge { links, points, axes } => {
                let miss = self.lay_point(index, *links, *points, unit, loops);
                let [one, two] = self.sides(*links);
                let (axis, other) = (one.rotate(axes[0]), two.rotate(axes[1]));
                let is_in_plane = self.model.loop_plane.is_some_and(|plane| plane.cross(other).norm() <= PARALLEL);
                let mut rows = Vec::new();
                for across in perpendicular(axes[1]).filter(|_| !is_in_plane).into_iter().flatten() {
                    let across = two.rotate(across);
                    let rate = one.spin.cross(axis).cross(across) + axis.cross(two.spin.cross(across));
                    rows.push((axis.cross(across), rate, axis.dot(across)));
                }
                self.lay_turns(index, *links, &rows, loops);
                let turned = if axis.dot(other) > 0.0 { axis.cross(other).norm() } else { 2.0 };
                loops.misses.push(miss.max(turned));
            }
            LoopKind::Weld { links, frames } => {
                let points = frames.map(|frame| frame.translation);
                let miss = self.lay_point(index, *links, points, unit, loops);
                let [one, two] = self.sides(*links);
                let [x1, y1, z1] = frames[0].rotation.columns.map(|axis| one.rotate(axis));
                let [x2, y2, z2] = frames[1].rotation.columns.map(|axis| two.rotate(axis));
                // ½ (b·c' - c·b') turns as the rotation does: its row is ½ (c' × b - b' × c), exact also where it is open.
                let row = |[b1, c1]: [Vector; 2], [b2, c2]: [Vector; 2]| {
                    let half = |v: Vector| 0.5 * v;
                    let turning = |a: Vector, b: Vector| one.spin.cross(a).cross(b) + a.cross(two.spin.cross(b));
                    (
                        half(b1.cross(c2) - c1.cross(b2)),
                        half(turning(b1, c2) - turning(c1, b2)),
                        0.5 * (c2.dot(b1) - b2.dot(c1)),
                    )
                };
                let rows = [row([y1, z1], [y2, z2]), row([z1, x1], [z2, x2]), row([x1, y1], [x2, y2])];
                let miss = rows.iter().fold(miss, |most, row| most.max(row.2.abs()));
                let is_upright = x1.dot(x2) + y1.dot(y2) + z1.dot(z2) > 1.0;
                match self.model.loop_plane {
                    None => self.lay_turns(index, *links, &rows, loops),
                    Some(plane) => {
                        let parts = [x2, y2, z2].map(|axis| axis.dot(plane));
                        let sum = |of: &dyn Fn(usize) -> Vector| {
                            (0..3).fold(Vector::ZERO, |sum, k| sum.plus(parts[k], of(k)))
                        };
                        let residual = (0..3).map(|k| parts[k] * rows[k].2).sum();
                        self.lay_turns(index, *links, &[(sum(&|k| rows[k].0), sum(&|k| rows[k].1), residual)], loops);
                    }
                }
                loops.misses.push(if is_upright { miss } else { miss.max(2.0) });
            }
            LoopKind::Joint { joints, references, coefficients } => {
                let nv = self.velocity.len();
                let Some(own) = joints[0].map(|joint| &self.model.joints()[joint]) else { return };
                let [c0, c1, c2, c3, c4] = *coefficients;
                let (mut target, mut bend, mut rate) = (c0, 0.0, 0.0);
                let start = loops.rows.len();
                loops.rows.resize(start + nv, 0.0);
                if let Some(other) = joints[1].map(|joint| &self.model.joints()[joint]) {
                    let x = self.configuration[other.coordinates.start] - references[1];
                    target = c0 + x * (c1 + x * (c2 + x * (c3 + x * c4)));
                    let slope = c1 + x * (2.0 * c2 + x * (3.0 * c3 + x * 4.0 * c4));
                    bend = 2.0 * c2 + x * (6.0 * c3 + x * 12.0 * c4);
                    rate = self.velocity[other.velocities.start];
                    loops.rows[start + other.velocities.start] -= slope;
                }
                loops.rows[start + own.velocities.start] += 1.0;
                let residual = self.configuration[own.coordinates.start] - references[0] - target;
                let is_length = own.joint.kind == crate::JointKind::Prismatic;
                loops.push(index, residual, if is_length { unit } else { 1.0 }, -bend * rate * rate, Direction::Joint);
                loops.misses.push(if is_length { unit * residual.abs() } else { residual.abs() });
            }
        }
    }

    /// Rows of two points that coincide: in the second link's axes, so that they are exact also where the loop is open. In a
    /// planar model those in the plane. Returns the distance over its unit.
    fn lay_point(&self, index: usize, links: [LinkId; 2], points: [Vector; 2], unit: f64, loops: &mut Loops) -> f64 {
        let [one, two] = self.sides(links);
        let arm = one.rotate(points[0]);
        let apart = self.between(links) + arm - two.rotate(points[1]);
        let axes = &self.model.loop_directions[index];
        let dimension = axes.len();
        let mut directions = [Vector::ZERO; 3];
        for (direction, axis) in directions.iter_mut().zip(axes) {
            *direction = two.rotate(*axis);
        }
        let rates = directions.map(|direction| two.spin.cross(direction));
        if let Ok(meeting) = Meeting::new(&self.model, links[0], links[1], arm, directions) {
            let meeting = meeting.with_dimension(dimension.max(1)).moving(self.velocity_at(links[0], arm), rates);
            self.lay_meeting(&meeting, loops);
            for direction in directions.into_iter().take(dimension) {
                loops.note(index, direction.dot(apart), unit, Direction::Force(direction));
            }
        }
        unit * apart.norm()
    }

    /// Rows of the relative rotation: directions, their rates and the residuals.
    fn lay_turns(&self, index: usize, links: [LinkId; 2], rows: &[(Vector, Vector, f64)], loops: &mut Loops) {
        if rows.is_empty() {
            return;
        }
        let (mut directions, mut rates) = ([Vector::ZERO; 3], [Vector::ZERO; 3]);
        for (k, (direction, rate, _)) in rows.iter().enumerate() {
            (directions[k], rates[k]) = (*direction, *rate);
        }
        if let Ok(meeting) = Meeting::new(&self.model, links[0], links[1], Vector::ZERO, directions) {
            let meeting = meeting.with_dimension(rows.len()).moving(Vector::ZERO, rates).turning();
            self.lay_meeting(&meeting, loops);
            for (direction, _, residual) in rows {
                loops.note(index, *residual, 1.0, Direction::Moment(*direction));
            }
        }
    }

    fn lay_meeting(&self, meeting: &Meeting, loops: &mut Loops) {
        let (nv, dimension) = (self.velocity.len(), meeting.dimension());
        let mut columns = vec![Vector::ZERO; nv];
        self.meeting_columns(meeting, &mut columns);
        for k in 0..dimension {
            loops.rows.extend(columns.iter().map(|column| column.to_array()[k]));
        }
        let (mut velocity, mut drift) = ([0.0; 3], [0.0; 3]);
        self.meeting_motion(meeting, &mut velocity, &mut drift);
        loops.drift.extend(&drift[..dimension]);
    }

    fn sides(&self, links: [LinkId; 2]) -> [Side; 2] {
        links.map(|link| {
            let link = self.model.link(link);
            match link.node {
                NO_NODE => Side { rotation: link.on_node.rotation, spin: Vector::ZERO },
                node => Side {
                    rotation: self.nodes[node].rotation * link.on_node.rotation,
                    spin: self.nodes[node].twist.angular,
                },
            }
        })
    }

    /// Velocity of a link's material at `arm` from its origin.
    fn velocity_at(&self, link: LinkId, arm: Vector) -> Vector {
        let link = self.model.link(link);
        match link.node {
            NO_NODE => Vector::ZERO,
            i => self.nodes[i].twist.at(self.nodes[i].rotation.apply(link.on_node.translation) + arm),
        }
    }

    /// From the origin of the second link to that of the first, in world axes.
    fn between(&self, links: [LinkId; 2]) -> Vector {
        let own = |link: LinkId| {
            let link = self.model.link(link);
            match link.node {
                NO_NODE => (NO_NODE, link.on_node.translation, Vector::ZERO),
                node => {
                    let state = &self.nodes[node];
                    let root = self.model.tree.nodes[node].root;
                    (root, state.rotation.apply(link.on_node.translation) + state.position, self.nodes[root].offset)
                }
            }
        };
        let ((root, place, far), (other_root, other, other_far)) = (own(links[0]), own(links[1]));
        let mut between = place - other;
        if root != other_root {
            between += far - other_far;
        }
        between
    }

    /// Computes rows, basis and drift, once per state. The state must be closed.
    pub(super) fn hold_loops(&mut self) -> Result<(), DynamicsError> {
        if self.ready.loops || !self.has_loops() {
            return Ok(());
        }
        self.lay_loops();
        self.check_open(self.loops.bound.unwrap_or(OPEN))?;
        self.factorize()?;
        let nv = self.velocity.len();
        let mut loops = std::mem::take(&mut self.loops);
        loops.whitened.clear();
        for (row, unit) in loops.rows.chunks_exact(nv).zip(&loops.unit) {
            loops.whitened.extend(row.iter().map(|entry| unit * entry));
        }
        for row in loops.whitened.chunks_exact_mut(nv) {
            self.reduce_row(row);
        }
        loops.basis.factor(&loops.whitened, loops.unit.len(), nv);
        let scaled: Vec<f64> = loops.drift.iter().zip(&loops.unit).map(|(drift, unit)| drift * unit).collect();
        // Of rows that agree to some digits none is preferred: the choice changes from state to state.
        match loops.basis.is_redundant() {
            true => loops.drifting = loops.basis.nearest(&scaled),
            false => loops.basis.coefficients(&scaled, &mut loops.drifting),
        }
        self.loops = loops;
        self.ready.loops = true;
        Ok(())
    }

    /// An error for the loop with the largest residual, if that exceeds a fraction of its unit.
    pub(super) fn check_open(&self, bound: f64) -> Result<(), DynamicsError> {
        let worst = self.loops.misses.iter().copied().enumerate();
        let worst = worst.reduce(|most, next| if next.1 > most.1 || next.1.is_nan() { next } else { most });
        match worst {
            Some((index, miss)) if !(miss <= bound) => {
                Err(DynamicsError::OpenLoop { name: self.model.loops()[index].name.clone(), miss, bound })
            }
            _ => Ok(()),
        }
    }

    /// The largest residual of a loop, relative to the loops' length scale or in rad, and the loop's index. `None` for
    /// a model without loops.
    pub fn loop_miss(&mut self) -> Option<(usize, f64)> {
        self.lay_loops();
        let misses = self.loops.misses.iter().copied().enumerate();
        misses.reduce(|most, next| if next.1 > most.1 { next } else { most })
    }

    /// The number of conditions of the loops that are independent in the present state.
    ///
    /// # Errors
    /// A loop that is open, or a singular mass matrix.
    pub fn loop_rank(&mut self) -> Result<usize, DynamicsError> {
        self.hold_loops()?;
        Ok(self.loops.basis.rank())
    }

    /// Sets the largest residual of the loops, relative to their length scale or in rad; 1e-6 by default. States beyond
    /// it have no accelerations and no W. The rows are exact also for open loops: an integrator whose trial states
    /// leave them may allow more.
    pub fn set_loop_bound(&mut self, bound: f64) {
        self.loops.bound = Some(bound);
        self.ready.loops = false;
    }

    /// The distance of the loops from a dead point, where one of their conditions is lost and motions branch: the size
    /// of the weakest condition relative to the largest, and the index of its loop. `None` for a model without loops.
    ///
    /// # Errors
    /// A loop that is open, or a singular mass matrix.
    pub fn loop_margin(&mut self) -> Result<Option<(usize, f64)>, DynamicsError> {
        self.hold_loops()?;
        Ok(self.loops.basis.weakest().map(|(row, left)| (self.loops.of[row], left)))
    }

    /// The loop that loses or gains a condition first, near a state in which `rank` conditions are independent: if that many are
    /// in the present state, the one with the weakest; if fewer are, the one with the largest remainder.
    ///
    /// # Errors
    /// A loop that is open, or a singular mass matrix.
    pub fn singular_loop(&mut self, rank: usize) -> Result<Option<usize>, DynamicsError> {
        self.hold_loops()?;
        let basis = &self.loops.basis;
        let lost = basis.next().filter(|_| basis.rank() < rank);
        Ok(lost.or(basis.weakest().map(|(row, _)| row)).map(|row| self.loops.of[row]))
    }

    /// C and (dC/dt) v of all loops: rows in the order of the loops; lengths in m, angles in rad.
    pub fn loop_rows(&mut self) -> (Matrix, Vec<f64>) {
        self.lay_loops();
        let mut rows = Matrix::zeros(self.loops.unit.len(), self.velocity.len());
        for i in 0..rows.rows() {
            for j in 0..rows.columns() {
                rows[(i, j)] = self.loops.rows[i * rows.columns() + j];
            }
        }
        (rows, self.loops.drift.clone())
    }

    /// The residuals of the rows of [`Dynamics::loop_rows`], m and rad.
    pub fn loop_residuals(&mut self) -> Vec<f64> {
        self.lay_loops();
        self.loops.residual.clone()
    }

    /// Checks that a velocity of the robot in its present configuration keeps all loops closed, to 1e-9 of the larger of it and
    /// the present velocity.
    ///
    /// # Errors
    /// A velocity of the wrong length or one that is not finite, or a loop that it opens.
    pub fn check_loop_velocity(&mut self, velocity: &[f64]) -> Result<(), DynamicsError> {
        check("velocity", velocity, self.velocity.len())?;
        self.check_loop_velocity_by(velocity, MOVES)
    }

    /// The part of the whitened velocity along the loops' basis, over its length, must be within a bound: it is the root of the
    /// energy that loops would take at once.
    pub(super) fn check_loop_velocity_by(&mut self, velocity: &[f64], bound: f64) -> Result<(), DynamicsError> {
        if !self.has_loops() {
            return Ok(());
        }
        self.hold_loops()?;
        let mut z = vec![0.0; velocity.len()];
        self.whiten_row(velocity, &mut z);
        // A velocity of nearly zero is judged relative to the velocity before.
        let mut present = vec![0.0; velocity.len()];
        self.whiten_row(&self.velocity, &mut present);
        let (nv, length) = (z.len(), product(&z, &z).max(product(&present, &present)).sqrt());
        let parts = (0..self.loops.basis.rank()).map(|k| (k, product(self.loops.basis.vector(k), &z).abs()));
        let worst = parts.reduce(|most, next| if next.1 > most.1 || next.1.is_nan() { next } else { most });
        match worst {
            Some((k, part)) if !(part <= bound * length) => {
                let row = self.loops.basis.pivot(k);
                let entries = &self.loops.rows[row * nv..(row + 1) * nv];
                let rate = self.loops.unit[row] * product(entries, velocity).abs();
                let name = self.model.loops()[self.loops.of[row]].name.clone();
                Err(DynamicsError::MovingLoop { name, rate, bound: rate * (bound * length / part) })
            }
            _ => Ok(()),
        }
    }

    /// Projects a whitened vector onto the motions that the loops allow.
    pub(super) fn hold(&self, y: &mut [f64]) {
        if self.has_loops() {
            self.loops.basis.project(y);
        }
    }

    /// The impulse of each loop when impulses act along the rows of contacts. Uses A of the last
    /// [`Dynamics::contact_kinematics`] or [`Dynamics::contact_terms`] in the present state.
    ///
    /// # Errors
    /// Impulses of the wrong length or not finite, a loop that is open, or a singular mass matrix.
    pub fn loop_impulses(&mut self, contacts: &Contacts, impulses: &[f64]) -> Result<Vec<LoopImpulse>, DynamicsError> {
        check("impulses", impulses, contacts.jacobian().rows())?;
        self.hold_loops()?;
        let mut push = vec![0.0; self.velocity.len()];
        for (row, impulse) in impulses.iter().enumerate() {
            push.iter_mut().zip(contacts.jacobian().row(row)).for_each(|(push, entry)| *push += impulse * entry);
        }
        self.reduce_row(&mut push);
        let loops = &self.loops;
        // Y_A i + Y_C j has no part along Q.
        let b: Vec<f64> = (0..loops.basis.rank()).map(|k| -product(loops.basis.vector(k), &push)).collect();
        let (j, unique) = loops.basis.shortest(&b);
        let mut answers: Vec<LoopImpulse> = (0..self.model.loops().len())
            .map(|index| LoopImpulse { index, force: Vector::ZERO, moment: Vector::ZERO, joint: 0.0, is_unique: true })
            .collect();
        for (row, direction) in loops.directions.iter().enumerate() {
            let (answer, size) = (&mut answers[loops.of[row]], loops.unit[row] * j[row]);
            answer.is_unique &= unique[row];
            match *direction {
                Direction::Force(along) => answer.force = answer.force.plus(size, along),
                Direction::Moment(about) => answer.moment = answer.moment.plus(size, about),
                Direction::Joint => answer.joint += size,
            }
        }
        Ok(answers)
    }
}

struct Side {
    rotation: crate::Rotation,
    spin: Vector,
}

impl Side {
    fn rotate(&self, v: Vector) -> Vector {
        self.rotation.apply(v)
    }
}

impl Loops {
    fn clear(&mut self) {
        for numbers in [&mut self.residual, &mut self.unit, &mut self.drift, &mut self.rows, &mut self.misses] {
            numbers.clear();
        }
        self.of.clear();
        self.directions.clear();
    }

    fn note(&mut self, index: usize, residual: f64, unit: f64, direction: Direction) {
        self.of.push(index);
        self.residual.push(residual);
        self.unit.push(unit);
        self.directions.push(direction);
    }

    fn push(&mut self, index: usize, residual: f64, unit: f64, drift: f64, direction: Direction) {
        self.note(index, residual, unit, direction);
        self.drift.push(drift);
    }
}

/// Two directions normal to an axis and to each other.
fn perpendicular(axis: Vector) -> Option<[Vector; 2]> {
    contact_basis(axis).ok().map(|[_, t1, t2]| [t1, t2])
}
