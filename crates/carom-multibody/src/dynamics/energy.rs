//! Kinetic and potential energy.

use super::terms::EnergyChange;
use super::{Dynamics, NodeState, check, simd};
use crate::Vector;
use crate::error::DynamicsError;
use crate::model::{Motion, NO_NODE, Node};
use crate::spatial::{BodyInertia, Twist};

/// Twists of a node before and after an impact.
pub(super) type TwistPair = [Twist; 2];

/// Twice the kinetic energy of the links visited so far, by component, before and after an impact.
#[derive(Debug, Clone, Copy)]
pub(super) struct Energies {
    /// Squares of velocities.
    squares: [Vector; 2],
    /// Contributions of first moments.
    products: [Vector; 2],
}

impl Energies {
    pub(super) const ZERO: Self = Self { squares: [Vector::ZERO; 2], products: [Vector::ZERO; 2] };

    /// Adds a node, given the twists of its parent and the rates of its own axes; returns its twists.
    #[inline(always)]
    pub(super) fn add(
        &mut self,
        node: &Node,
        state: &NodeState,
        outer: Option<&TwistPair>,
        rate: impl Fn(usize) -> [f64; 2],
    ) -> TwistPair {
        let (columns, offset) = (&state.rotation.columns, state.offset);
        let mut twists = match outer {
            Some([before, after]) => [before.from(offset), after.from(offset)],
            None => [Twist::ZERO; 2],
        };
        match node.motion {
            Motion::Turn => {
                let rates = rate(0);
                for of in 0..2 {
                    twists[of].angular = twists[of].angular.plus(rates[of], columns[2]);
                }
            }
            Motion::Slide => {
                let rates = rate(0);
                for of in 0..2 {
                    twists[of].linear = twists[of].linear.plus(rates[of], columns[2]);
                }
            }
            Motion::Ball => {
                for k in 0..3 {
                    let rates = rate(k);
                    for of in 0..2 {
                        twists[of].angular = twists[of].angular.plus(rates[of], columns[k]);
                    }
                }
            }
            Motion::Free => {
                for k in 0..3 {
                    let (sliding, turning) = (rate(k), rate(3 + k));
                    for of in 0..2 {
                        twists[of].linear = twists[of].linear.plus(sliding[of], columns[k]);
                        twists[of].angular = twists[of].angular.plus(turning[of], columns[k]);
                    }
                }
            }
        }
        if node.armature != 0.0 {
            for k in 0..node.motion.nv() {
                let squares = rate(k).map(|rate| Vector::new(rate * rate, 0.0, 0.0));
                for of in 0..2 {
                    self.squares[of] = self.squares[of].plus(node.armature, squares[of]);
                }
            }
        }
        // Joints with several axes have nodes without a body.
        if has_inertia(&state.own) {
            self.add_body(&state.own, &twists);
        }
        twists
    }

    /// m v·v + ω·J ω, and v·(ω × h).
    #[inline(always)]
    fn add_body(&mut self, own: &BodyInertia, twists: &TwistPair) {
        let [x, y, z] = own.second.columns;
        // J by its diagonal and by twice (xy, yz, zx), multiplied by ω and ω rotated by one component.
        let (diagonal, beside) = (Vector::by_component(x, y, z), 2.0 * Vector::by_component(y, z, x));
        let first = own.first.turned();
        for of in 0..2 {
            let Twist { linear, angular } = twists[of];
            let turned = angular.turned();
            let momentum = diagonal.times(angular) + beside.times(turned);
            self.squares[of] += angular.times(momentum).plus(own.mass, linear.times(linear));
            let across = (angular.times(first) - turned.times(own.first)).turned();
            self.products[of] += linear.times(across);
        }
    }

    #[inline(always)]
    pub(super) fn change(&self) -> EnergyChange {
        let squares = self.squares.map(Vector::sum);
        let [before, after] = [0, 1].map(|of| 0.5 * squares[of] + self.products[of].sum());
        // 2 |v·(ω × h)| is at most m v·v + ω·J ω, because J includes m c².
        EnergyChange { before, after, after_size: 2.0 * squares[1] }
    }
}

/// Whether the body has any inertia: a second moment without a trace is zero.
#[inline(always)]
fn has_inertia(body: &BodyInertia) -> bool {
    let [x, y, z] = body.second.columns;
    body.mass != 0.0 || x.x() + y.y() + z.z() != 0.0
}

impl Dynamics {
    /// K = ½ vᵀ M v, from the velocities of the links.
    pub fn kinetic_energy(&mut self) -> f64 {
        self.move_nodes();
        self.turn_bodies();
        let mut twice = 0.0;
        for (i, node) in self.model.tree.nodes.iter().enumerate() {
            let NodeState { twist, own, .. } = &self.nodes[i];
            twice += twist.dot(&own.apply(twist));
            let axes = &self.axes[node.axis..node.axis + node.motion.nv()];
            twice += node.armature * axes.iter().map(|axis| axis.rate * axis.rate).sum::<f64>();
        }
        0.5 * twice
    }

    /// K of the state's velocity and of another velocity, from the velocities of the links, in one pass. Does not allocate.
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
        let mut energies = Energies::ZERO;
        for (i, node) in self.model.tree.nodes.iter().enumerate() {
            let rate = |k: usize| [node.multiplier * self.velocity[node.v + k], node.multiplier * velocity[node.v + k]];
            let outer = (node.parent != NO_NODE).then(|| &self.twist_pairs[node.parent]);
            self.twist_pairs[i] = energies.add(node, &self.nodes[i], outer, rate);
        }
        energies.change()
    }

    /// Potential energy of gravity, relative to all mass at the world's origin.
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
