//! The path from a contact to its root, and the effect of unit impulses at the contact along it.

use super::terms::ContactTerms;
use crate::Vector;
use crate::geometry::ContactPoint;
use crate::model::NO_NODE;
use crate::spatial::Wrench;

/// The state of an inward pass from a contact.
pub(super) struct Strand {
    next: usize,
    /// Vector from the present node's origin to the contact.
    arm: Vector,
    pushes: Pushes,
    /// Velocity of the contact due to the axes visited so far.
    velocity: Vector,
    delassus: [Vector; 3],
}

impl Strand {
    #[inline(always)]
    pub(super) fn new(contact: &ContactPoint, arm: Vector) -> Self {
        let pushes = Pushes::at(&contact.basis, arm);
        Self { next: contact.node, arm, pushes, velocity: Vector::ZERO, delassus: [Vector::ZERO; 3] }
    }

    /// A strand without a contact.
    #[inline(always)]
    pub(super) fn none() -> Self {
        let pushes = Pushes { force: [Vector::ZERO; 3], moment: [Vector::ZERO; 3] };
        Self { next: NO_NODE, arm: Vector::ZERO, pushes, velocity: Vector::ZERO, delassus: [Vector::ZERO; 3] }
    }

    #[inline(always)]
    pub(super) fn is_at(&self, node: usize) -> bool {
        self.next == node
    }

    #[inline(always)]
    pub(super) fn next(&self) -> Option<usize> {
        (self.next != NO_NODE).then_some(self.next)
    }

    /// Visits an axis; returns its rate change for each unit impulse.
    #[inline(always)]
    pub(super) fn cross(&mut self, direction: Vector, slides: bool, rate: f64, compliance: f64, u: &Wrench) -> Vector {
        let (motion, loads) = if slides {
            (direction, along(&self.pushes.force, direction))
        } else {
            (direction.cross(self.arm), along(&self.pushes.moment, direction))
        };
        self.velocity = self.velocity.plus(rate, motion);
        let given = compliance * loads;
        // W = Σ loads loadsᵀ / D
        self.delassus[0] = self.delassus[0].plus(given.x(), loads);
        self.delassus[1] = self.delassus[1].plus(given.y(), loads);
        self.delassus[2] = self.delassus[2].plus(given.z(), loads);
        self.pushes.give_way(given, u);
        given
    }

    /// Moves to the parent, relative to which the present node is at `offset`.
    #[inline(always)]
    pub(super) fn move_on(&mut self, parent: usize, offset: Vector) {
        self.pushes.move_by(offset);
        self.arm += offset;
        self.next = parent;
    }

    /// W and the contact's velocity, at the end of the path.
    #[inline(always)]
    pub(super) fn terms(&self, &[n, t1, t2]: &[Vector; 3]) -> ContactTerms {
        let v = self.velocity;
        let mut w = self.delassus.map(Vector::to_array);
        // Symmetric up to rounding: only one triangle is used.
        (w[1][0], w[2][0], w[2][1]) = (w[0][1], w[0][2], w[1][2]);
        ContactTerms { delassus: w, velocity: [n.dot(v), t1.dot(v), t2.dot(v)] }
    }
}

/// Three wrenches side by side: each vector holds one component of all of them.
struct Pushes {
    force: [Vector; 3],
    moment: [Vector; 3],
}

impl Pushes {
    /// Unit forces along the rows of a contact, at a point.
    #[inline(always)]
    fn at(basis: &[Vector; 3], point: Vector) -> Self {
        let moments = basis.map(|direction| point.cross(direction));
        Self { force: by_component(basis), moment: by_component(&moments) }
    }

    /// Subtracts the part that an axis yields to.
    #[inline(always)]
    fn give_way(&mut self, given: Vector, force: &Wrench) {
        let (f, m) = (force.force.to_array(), force.moment.to_array());
        for component in 0..3 {
            self.force[component] = self.force[component].plus(-f[component], given);
            self.moment[component] = self.moment[component].plus(-m[component], given);
        }
    }

    /// Moves to an origin relative to which the present one is at p.
    #[inline(always)]
    fn move_by(&mut self, p: Vector) {
        let [fx, fy, fz] = self.force;
        let [mx, my, mz] = self.moment;
        self.moment = [
            mx.plus(p.y(), fz).plus(-p.z(), fy),
            my.plus(p.z(), fx).plus(-p.x(), fz),
            mz.plus(p.x(), fy).plus(-p.y(), fx),
        ];
    }
}

/// The components of all three along a direction.
#[inline(always)]
fn along([x, y, z]: &[Vector; 3], direction: Vector) -> Vector {
    (direction.x() * *x).plus(direction.y(), *y).plus(direction.z(), *z)
}

/// The transpose.
#[inline(always)]
pub(super) fn by_component([a, b, c]: &[Vector; 3]) -> [Vector; 3] {
    [Vector::new(a.x(), b.x(), c.x()), Vector::new(a.y(), b.y(), c.y()), Vector::new(a.z(), b.z(), c.z())]
}
