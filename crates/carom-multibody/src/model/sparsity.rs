//! Which entries of the factor of M are not zero.
//!
//! M has an entry for two velocities only where one moves the other's links. Eliminating from the last
//! velocity to the first keeps that pattern in a tree; joints that follow others add some entries, which are
//! found here once.

use super::{NO_NODE, Tree};

/// For each velocity the smaller ones that share an entry with it, ascending.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sparsity {
    columns: Vec<usize>,
    starts: Vec<usize>,
    /// All velocities.
    all: Vec<usize>,
}

impl Sparsity {
    pub(super) fn of(tree: &Tree) -> Self {
        let n = tree.freedoms;
        let mut pattern = vec![vec![false; n]; n];
        for node in &tree.nodes {
            let own = node.v..node.v + node.motion.freedoms();
            let mut above = node.parent;
            for i in own.clone() {
                for j in own.clone() {
                    pattern[i][j] = true;
                }
            }
            while above != NO_NODE {
                let other = &tree.nodes[above];
                for i in own.clone() {
                    for j in other.v..other.v + other.motion.freedoms() {
                        pattern[i.max(j)][i.min(j)] = true;
                    }
                }
                above = other.parent;
            }
        }
        // Eliminating k couples all that k is coupled to; through the largest of them it reaches the others.
        for k in (0..n).rev() {
            if let Some(parent) = (0..k).rev().find(|&j| pattern[k][j]) {
                for j in 0..parent {
                    pattern[parent][j] |= pattern[k][j];
                }
            }
        }
        let mut columns = Vec::new();
        let mut starts = vec![0];
        for (k, row) in pattern.iter().enumerate() {
            columns.extend((0..k).filter(|&j| row[j]));
            starts.push(columns.len());
        }
        Self { columns, starts, all: (0..n).collect() }
    }

    /// All velocities.
    #[inline(always)]
    pub(crate) fn all(&self) -> &[usize] {
        &self.all
    }

    /// The velocities before k that share an entry with k, ascending.
    #[inline(always)]
    pub(crate) fn row(&self, k: usize) -> &[usize] {
        &self.columns[self.starts[k]..self.starts[k + 1]]
    }
}
