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
        for ((candidate, gap), rate) in candidates.iter().zip(gaps).zip(rates) {
            (*gap, *rate) = self.gap_of_moved(candidate)?;
        }
        Ok(())
    }

    /// The gap of one candidate and its rate, to the bit those of [`Dynamics::gaps`].
    ///
    /// # Errors
    /// A candidate of another model.
    pub fn gap_and_rate(&mut self, candidate: &Candidate) -> Result<(f64, f64), DynamicsError> {
        self.move_nodes();
        self.gap_of_moved(candidate)
    }

    /// [`Dynamics::gap_and_rate`] with the links' velocities computed.
    fn gap_of_moved(&self, candidate: &Candidate) -> Result<(f64, f64), DynamicsError> {
        let Candidate { contact, half_space, .. } = candidate;
        let (normal, node) = (contact.basis[0], contact.node);
        if node == NO_NODE {
            return Ok((self.gap(contact, half_space), 0.0));
        }
        let count = self.nodes.len();
        let state = self.nodes.get(node).ok_or(DynamicsError::OtherModel { node, count })?;
        let arm = state.rotation.apply(contact.point);
        let root = self.model.tree.nodes[node].root;
        let center = arm + state.position + self.nodes[root].offset;
        let (reach, depth) = contact.feature.reach_and_depth(normal, &state.rotation);
        Ok((normal.dot(center - half_space.point) - depth, normal.dot(state.twist.at(arm + reach))))
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
