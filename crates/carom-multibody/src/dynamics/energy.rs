//! Kinetic and potential energy.

use super::{Dynamics, DynamicsError, NodeState, check, simd};
use crate::Vector;
use crate::model::{Motion, NO_NODE};
use crate::spatial::BodyInertia;
use crate::spatial::pair::{self, Pair, PairVector};

/// Kinetic energies of two velocities in one configuration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnergyChange {
    /// K of the state's velocity.
    pub before: f64,
    /// K of the other one.
    pub after: f64,
    /// No less than the size of the terms that `after` is a sum of.
    pub after_size: f64,
}

/// Twists of a node before and after an impact.
#[derive(Debug, Clone, Copy)]
pub(super) struct TwistPair {
    linear: PairVector,
    angular: PairVector,
}

impl TwistPair {
    pub(super) const ZERO: Self = Self { linear: [Pair::ZERO; 3], angular: [Pair::ZERO; 3] };

    /// The same motions, seen from an origin at p.
    #[inline(always)]
    fn from(&self, p: [f64; 3]) -> Self {
        let turned = pair::cross(&self.angular, p);
        let linear = [self.linear[0] + turned[0], self.linear[1] + turned[1], self.linear[2] + turned[2]];
        Self { linear, angular: self.angular }
    }

    /// m v·v + ω·J ω, and v·(ω × h).
    #[inline(always)]
    fn energy(&self, own: &BodyInertia) -> (Pair, Pair) {
        let Self { linear, angular } = self;
        let [x, y, z] = own.second.columns.map(Vector::to_array);
        let row = |a: f64, b: f64, c: f64| a * angular[0] + b * angular[1] + c * angular[2];
        let momentum = [row(x[0], y[0], z[0]), row(x[1], y[1], z[1]), row(x[2], y[2], z[2])];
        let squares = own.mass * pair::dot(linear, linear) + pair::dot(angular, &momentum);
        (squares, pair::dot(linear, &pair::cross(angular, own.first.to_array())))
    }
}

/// Whether there is any: without a trace a second moment is zero.
#[inline(always)]
fn has_inertia(body: &BodyInertia) -> bool {
    let [x, y, z] = body.second.columns;
    body.mass != 0.0 || x.x() + y.y() + z.z() != 0.0
}

impl Dynamics {
    /// K = ½ vᵀ M v, from the links' own motion.
    pub fn kinetic_energy(&mut self) -> f64 {
        self.move_nodes();
        self.turn_bodies();
        let mut twice = 0.0;
        for (i, node) in self.model.tree.nodes.iter().enumerate() {
            let NodeState { twist, own, .. } = &self.nodes[i];
            twice += twist.dot(&own.apply(twist));
            let axes = &self.axes[node.axis..node.axis + node.motion.freedoms()];
            twice += node.armature * axes.iter().map(|axis| axis.rate * axis.rate).sum::<f64>();
        }
        0.5 * twice
    }

    /// K of the state's velocity and of another, from the links' own motion, on one way over the links. Nothing is allocated.
    ///
    /// # Errors
    /// A `velocity` of the wrong length, or one that is not finite.
    pub fn kinetic_energy_change(&mut self, velocity: &[f64]) -> Result<EnergyChange, DynamicsError> {
        check("velocity", velocity, self.velocity.len())?;
        self.turn_bodies();
        Ok(simd::kinetic_energy_change(self, velocity))
    }

    #[inline(always)]
    pub(super) fn kinetic_energy_change_inlined(&mut self, velocity: &[f64]) -> EnergyChange {
        // Of twice the energy: squares of velocities, and what first moments add.
        let (mut squares, mut products) = (Pair::ZERO, Pair::ZERO);
        for (i, node) in self.model.tree.nodes.iter().enumerate() {
            let state = &self.nodes[i];
            let mut twist = if node.parent == NO_NODE {
                TwistPair::ZERO
            } else {
                self.twist_pairs[node.parent].from(state.offset.to_array())
            };
            let columns = &state.rotation.columns;
            let rate = |k: usize| node.multiplier * Pair([self.velocity[node.v + k], velocity[node.v + k]]);
            match node.motion {
                Motion::Turn => twist.angular = pair::plus(&twist.angular, rate(0), columns[2].to_array()),
                Motion::Slide => twist.linear = pair::plus(&twist.linear, rate(0), columns[2].to_array()),
                Motion::Ball => {
                    for k in 0..3 {
                        twist.angular = pair::plus(&twist.angular, rate(k), columns[k].to_array());
                    }
                }
                Motion::Free => {
                    for k in 0..3 {
                        let direction = columns[k].to_array();
                        twist.linear = pair::plus(&twist.linear, rate(k), direction);
                        twist.angular = pair::plus(&twist.angular, rate(3 + k), direction);
                    }
                }
            }
            if node.armature != 0.0 {
                for k in 0..node.motion.freedoms() {
                    squares += node.armature * (rate(k) * rate(k));
                }
            }
            // Joints of several axes are nodes without a body.
            if has_inertia(&state.own) {
                let (own_squares, own_products) = twist.energy(&state.own);
                squares += own_squares;
                products += own_products;
            }
            self.twist_pairs[i] = twist;
        }
        let Pair([before, after]) = 0.5 * squares + products;
        // 2 |v·(ω × h)| is at most m v·v + ω·J ω: m c² is a part of J.
        EnergyChange { before, after, after_size: 2.0 * squares.0[1] }
    }

    /// Potential energy in gravity; zero where a mass is at the world's origin.
    pub fn potential_energy(&self) -> f64 {
        let gravity = self.model.gravity();
        let nodes = self.model.tree.nodes.iter().enumerate();
        let energies = nodes.map(|(i, node)| {
            let center = self.nodes[i].position
                + self.nodes[i].rotation.apply(node.inertia.center)
                + self.nodes[node.root].offset;
            -node.inertia.mass * gravity.dot(center)
        });
        energies.sum()
    }
}
