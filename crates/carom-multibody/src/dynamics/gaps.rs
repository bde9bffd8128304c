//! Gaps of many candidates and their rates.

use super::Dynamics;
use crate::error::DynamicsError;
use crate::geometry::{Candidate, ContactPoint, HalfSpace};
use crate::model::NO_NODE;
use crate::rows::JointLimit;

impl Dynamics {
    /// The gap of each candidate, and its rate n·A v. Both outputs are overwritten.
    ///
    /// The links' velocities are computed once per state; each candidate then takes a few products, without
    /// A. A flat rim has the gap and the rate of its centre.
    ///
    /// # Errors
    /// Outputs that do not have the length of `candidates`, or candidates of another model.
    pub fn gaps(&mut self, candidates: &[Candidate], gaps: &mut [f64], rates: &mut [f64]) -> Result<(), DynamicsError> {
        let expected = candidates.len();
        for (field, given) in [("gaps", gaps.len()), ("rates", rates.len())] {
            if given != expected {
                return Err(DynamicsError::Length { field, given, expected });
            }
        }
        self.move_nodes();
        let count = self.nodes.len();
        for ((candidate, gap), rate) in candidates.iter().zip(gaps).zip(rates) {
            let Candidate { contact, half_space, .. } = candidate;
            let (normal, node) = (contact.basis[0], contact.node);
            if node == NO_NODE {
                *gap = self.gap(contact, half_space);
                *rate = 0.0;
                continue;
            }
            let state = self.nodes.get(node).ok_or(DynamicsError::OtherModel { node, count })?;
            let arm = state.rotation.apply(contact.point);
            let root = self.model.tree.nodes[node].root;
            let center = arm + state.position + self.nodes[root].offset;
            let (reach, depth) = contact.feature.reach_and_depth(normal, &state.rotation);
            *gap = normal.dot(center - half_space.point) - depth;
            *rate = normal.dot(state.twist.at(arm + reach));
        }
        Ok(())
    }

    /// Distance of a contact's touching point from a half-space: n·(p - point), with the contact's own normal n. Its
    /// rate is the first row of A v.
    ///
    /// # Panics
    /// If the contact belongs to another model with more links.
    pub fn gap(&self, contact: &ContactPoint, half_space: &HalfSpace) -> f64 {
        let [n, _, _] = contact.basis;
        let height = n.dot(self.center(contact) - half_space.point);
        height - self.depth(contact)
    }

    /// Gap of a joint limit in the present state, and its rate.
    ///
    /// # Panics
    /// If the limit belongs to another model with more joints.
    pub fn limit_gap(&self, limit: &JointLimit) -> (f64, f64) {
        (limit.gap(&self.configuration), limit.rate(&self.velocity))
    }
}
