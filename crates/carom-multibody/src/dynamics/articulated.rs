//! Articulated inertias: the inertia of a node when all joints beyond it are free to move.
//!
//! This is the inward half of the articulated-body algorithm, and at the same time a factorisation of M on which forward
//! dynamics, W and the response to impulses are based.

use super::Dynamics;
use super::factor::SINGULAR;
use super::strand::Strand;
use crate::Vector;
use crate::error::DynamicsError;
use crate::model::{Motion, NO_NODE};
use crate::spatial::{BodyInertia, Twist, Wrench};

/// A symmetric 6 × 6 matrix in 3 × 3 blocks, each stored by columns: force = L v + C ω, moment = Cᵀ v + A ω.
#[derive(Debug, Clone, Copy)]
pub(super) struct Articulated {
    /// L.
    linear: [Vector; 3],
    /// C.
    coupling: [Vector; 3],
    /// A.
    angular: [Vector; 3],
}

impl Articulated {
    pub(super) const ZERO: Self =
        Self { linear: [Vector::ZERO; 3], coupling: [Vector::ZERO; 3], angular: [Vector::ZERO; 3] };

    #[inline(always)]
    fn rigid(body: &BodyInertia) -> Self {
        let (m, [x, y, z]) = (body.mass, body.first.to_array());
        Self {
            linear: [Vector::new(m, 0.0, 0.0), Vector::new(0.0, m, 0.0), Vector::new(0.0, 0.0, m)],
            // ω × h
            coupling: [Vector::new(0.0, -z, y), Vector::new(z, 0.0, -x), Vector::new(-y, x, 0.0)],
            angular: body.second.columns,
        }
    }

    #[inline(always)]
    fn apply_linear(&self, v: Vector) -> Wrench {
        let [a, b, c] = self.coupling;
        Wrench { force: columns(&self.linear, v), moment: Vector::new(a.dot(v), b.dot(v), c.dot(v)) }
    }

    #[inline(always)]
    fn apply_angular(&self, v: Vector) -> Wrench {
        Wrench { force: columns(&self.coupling, v), moment: columns(&self.angular, v) }
    }

    /// The wrench for a unit acceleration along an axis, and the inertia felt by a force along the axis.
    #[inline(always)]
    fn seen_along(&self, axis: Vector, slides: bool, armature: f64) -> (Wrench, f64) {
        if slides {
            let u = self.apply_linear(axis);
            (u, axis.dot(u.force) + armature)
        } else {
            let u = self.apply_angular(axis);
            (u, axis.dot(u.moment) + armature)
        }
    }

    /// The wrench for an acceleration.
    #[inline(always)]
    pub(super) fn apply(&self, twist: &Twist) -> Wrench {
        self.apply_linear(twist.linear).plus(1.0, &self.apply_angular(twist.angular))
    }

    /// Subtracts factor · u uᵀ.
    #[inline(always)]
    fn reduce(&mut self, factor: f64, u: &Wrench) {
        let (force, moment) = ((-factor) * u.force, (-factor) * u.moment);
        let (f, m) = (force.to_array(), moment.to_array());
        for k in 0..3 {
            self.linear[k] = self.linear[k].plus(f[k], u.force);
            self.coupling[k] = self.coupling[k].plus(m[k], u.force);
            self.angular[k] = self.angular[k].plus(m[k], u.moment);
        }
    }

    /// The inertia about an origin relative to which the present one is at p.
    #[inline(always)]
    fn moved(&self, p: Vector) -> Self {
        // The acceleration at the old origin is v - p × ω, and the force has the additional moment p × f:
        // C' = C - L [p], A' = A - Cᵀ [p] + [p] C'.
        let coupling = less_cross(&self.coupling, &self.linear, p);
        let mut angular = less_cross(&self.angular, &transposed(&self.coupling), p);
        for k in 0..3 {
            angular[k] += p.cross(coupling[k]);
        }
        Self { linear: self.linear, coupling, angular }
    }

    #[inline(always)]
    fn add(&mut self, other: &Self) {
        for k in 0..3 {
            self.linear[k] += other.linear[k];
            self.coupling[k] += other.coupling[k];
            self.angular[k] += other.angular[k];
        }
    }
}

/// Σ vₖ columnₖ.
#[inline(always)]
fn columns([a, b, c]: &[Vector; 3], v: Vector) -> Vector {
    (v.x() * *a).plus(v.y(), *b).plus(v.z(), *c)
}

/// X - Y [p], by columns.
#[inline(always)]
fn less_cross(x: &[Vector; 3], y: &[Vector; 3], p: Vector) -> [Vector; 3] {
    [
        x[0].plus(-p.z(), y[1]).plus(p.y(), y[2]),
        x[1].plus(p.z(), y[0]).plus(-p.x(), y[2]),
        x[2].plus(-p.y(), y[0]).plus(p.x(), y[1]),
    ]
}

#[inline(always)]
fn transposed([a, b, c]: &[Vector; 3]) -> [Vector; 3] {
    [Vector::new(a.x(), b.x(), c.x()), Vector::new(a.y(), b.y(), c.y()), Vector::new(a.z(), b.z(), c.z())]
}

/// The rigid inertia of everything beyond a node, the scale for rounding errors.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    mass: f64,
    /// Mass times centre of mass, relative to the node's origin.
    first: Vector,
    /// Trace of the inertia about the node's origin, an upper bound on that about any axis.
    trace: f64,
}

impl Size {
    pub(super) const ZERO: Self = Self { mass: 0.0, first: Vector::ZERO, trace: 0.0 };

    #[inline(always)]
    fn of(body: &BodyInertia) -> Self {
        let [x, y, z] = body.second.columns;
        Self { mass: body.mass, first: body.first, trace: x.x() + y.y() + z.z() }
    }

    /// Adds another one whose origin is at p.
    #[inline(always)]
    fn add_moved(&mut self, other: &Self, p: Vector) {
        self.mass += other.mass;
        self.first = (self.first + other.first).plus(other.mass, p);
        self.trace += other.trace + p.dot((2.0 * other.mass) * p + 4.0 * other.first);
    }

    /// Whether the remaining inertia along an axis is more than rounding.
    #[inline(always)]
    fn allows(&self, pivot: f64, slides: bool) -> bool {
        pivot > SINGULAR * if slides { self.mass } else { self.trace }
    }
}

impl Dynamics {
    /// Computes the articulated inertias of all nodes, once per state. Not for models with mimics.
    #[inline(always)]
    pub(super) fn articulate(&mut self) -> Result<(), DynamicsError> {
        if self.ready.articulated {
            return Ok(());
        }
        self.articulate_along(&mut Strand::none())
    }

    /// Computes the articulated inertias and the terms along a contact's strand in one pass, so that their latencies overlap.
    #[inline(always)]
    pub(super) fn articulate_along(&mut self, strand: &mut Strand) -> Result<(), DynamicsError> {
        let model = &*self.model;
        for (i, node) in model.tree.nodes.iter().enumerate() {
            let body = node.body.rotated(&self.nodes[i].rotation);
            self.nodes[i].own = body;
            self.nodes[i].articulated = Articulated::rigid(&body);
            self.nodes[i].size = Size::of(&body);
        }
        self.ready.bodies = true;
        for (i, node) in model.tree.nodes.iter().enumerate().rev() {
            let (columns, offset, is_root) =
                (self.nodes[i].rotation.columns, self.nodes[i].offset, node.parent == NO_NODE);
            let on_strand = strand.is_at(i);
            let size = self.nodes[i].size;
            match node.motion {
                Motion::Turn | Motion::Slide => {
                    let (axis, direction, slides) = (node.axis, columns[2], node.motion == Motion::Slide);
                    let inertia = &self.nodes[i].articulated;
                    let (u, pivot) = inertia.seen_along(direction, slides, node.armature);
                    if !size.allows(pivot, slides) {
                        return Err(self.singular(node.v, pivot));
                    }
                    let compliance = 1.0 / pivot;
                    if !is_root {
                        // Shift first and reduce afterwards: the division is done in the meantime.
                        let outer = u.moved(offset);
                        let mut passed_on = inertia.moved(offset);
                        passed_on.reduce(compliance, &outer);
                        self.nodes[node.parent].articulated.add(&passed_on);
                        self.axes[axis].outer_force = outer;
                    }
                    self.axes[axis].force = u;
                    self.axes[axis].compliance = compliance;
                    if on_strand {
                        self.axes[axis].given = strand.cross(direction, slides, self.axes[axis].rate, compliance, &u);
                    }
                }
                Motion::Ball | Motion::Free => {
                    // The axes of a joint with several are eliminated one by one, the last first.
                    let mut inertia = self.nodes[i].articulated;
                    for k in (0..node.motion.nv()).rev() {
                        let (axis, direction) = (node.axis + k, columns[node.motion.column(k)]);
                        let slides = node.motion.slides(k);
                        let (u, pivot) = inertia.seen_along(direction, slides, node.armature);
                        if !size.allows(pivot, slides) {
                            return Err(self.singular(node.v + k, pivot));
                        }
                        let compliance = 1.0 / pivot;
                        inertia.reduce(compliance, &u);
                        self.axes[axis].force = u;
                        self.axes[axis].compliance = compliance;
                        if on_strand {
                            self.axes[axis].given =
                                strand.cross(direction, slides, self.axes[axis].rate, compliance, &u);
                        }
                    }
                    if !is_root {
                        self.nodes[node.parent].articulated.add(&inertia.moved(offset));
                    }
                }
            }
            if !is_root {
                self.nodes[node.parent].size.add_moved(&size, offset);
            }
            if on_strand {
                strand.move_on(node.parent, offset);
            }
        }
        self.ready.articulated = true;
        Ok(())
    }
}
