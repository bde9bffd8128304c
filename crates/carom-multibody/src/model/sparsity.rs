//! Which entries of M and of its factor are not zero.
//!
//! M has an entry for two velocities only where one moves the other's links. Eliminating from the last
//! velocity to the first keeps that pattern in a tree; joints that follow others add some entries, which are
//! found here once.
//!
//! A velocity's chain is what it is coupled to, what that is coupled to, and so on: in a tree, the way from its root.
//! Chains that meet are the same from there on, so rows along chains need no lists of columns to be added to each other.

use std::ops::Range;

use super::{NO_NODE, Tree};

/// For each velocity its chain: the smaller ones that share an entry with it, ascending, and itself.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sparsity {
    rows: Vec<Row>,
    chains: Vec<usize>,
    /// The first block of the row of each velocity in the chains.
    chain_blocks: Vec<usize>,
    /// For each node the velocity whose chain has all velocities that move it.
    last: Vec<usize>,
}

/// What is known of a velocity's row. One structure for all, because every use of it needs most.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    /// Where its chain begins, and the velocity's own place in it, the last.
    start: usize,
    place: usize,
    /// The first of the blocks of four entries that a row along the chain takes.
    block: usize,
}

impl Row {
    #[inline(always)]
    fn blocks(&self) -> Range<usize> {
        self.block..self.block + self.place / 4 + 1
    }
}

impl Sparsity {
    pub(super) fn of(tree: &Tree) -> Self {
        let n = tree.freedoms;
        let mut pattern = vec![vec![false; n]; n];
        for node in &tree.nodes {
            let own = node.v..node.v + node.motion.nv();
            let mut above = node.parent;
            for i in own.clone() {
                for j in own.clone() {
                    pattern[i][j] = true;
                }
            }
            while above != NO_NODE {
                let other = &tree.nodes[above];
                for i in own.clone() {
                    for j in other.v..other.v + other.motion.nv() {
                        pattern[i.max(j)][i.min(j)] = true;
                    }
                }
                above = other.parent;
            }
        }
        // Eliminating k couples all that k is coupled to; through the largest of them, its parent, it reaches the others.
        let mut parents = vec![None; n];
        for k in (0..n).rev() {
            parents[k] = (0..k).rev().find(|&j| pattern[k][j]);
            if let Some(parent) = parents[k] {
                for j in 0..parent {
                    pattern[parent][j] |= pattern[k][j];
                }
            }
        }
        let (mut rows, mut chains): (Vec<Row>, Vec<usize>) = Default::default();
        for (k, parent) in parents.into_iter().enumerate() {
            let start = chains.len();
            if let Some(parent) = parent {
                let Row { start, place, .. } = rows[parent];
                chains.extend_from_within(start..=start + place);
            }
            chains.push(k);
            let block = rows.last().map_or(0, |row| row.blocks().end);
            rows.push(Row { start, place: chains.len() - start - 1, block });
        }
        let chain_blocks = chains.iter().map(|&k| rows[k].block).collect();
        // All that move a node are coupled to each other, so they are in the chain of the largest.
        let largest = |i| tree.path(i).map(|i| tree.nodes[i].v + tree.nodes[i].motion.nv() - 1).max();
        let last = (0..tree.nodes.len()).filter_map(largest).collect();
        Self { rows, chains, chain_blocks, last }
    }

    /// The velocities up to k that k is coupled to, ascending; k is the last.
    #[inline(always)]
    pub(crate) fn chain(&self, k: usize) -> &[usize] {
        let Row { start, place, .. } = self.rows[k];
        &self.chains[start..=start + place]
    }

    /// The same without k.
    #[inline(always)]
    pub(crate) fn before(&self, k: usize) -> &[usize] {
        let Row { start, place, .. } = self.rows[k];
        &self.chains[start..start + place]
    }

    /// The place of k in every chain that it is in.
    #[inline(always)]
    pub(crate) fn place(&self, k: usize) -> usize {
        self.rows[k].place
    }

    /// The blocks of the row of k, with an entry for each velocity of its chain.
    #[inline(always)]
    pub(crate) fn blocks(&self, k: usize) -> Range<usize> {
        self.rows[k].blocks()
    }

    /// How many blocks all rows have.
    pub(crate) fn block_count(&self) -> usize {
        self.rows.last().map_or(0, |row| row.blocks().end)
    }

    /// The first block of the row of each velocity that is in the chain of k before k.
    #[inline(always)]
    pub(crate) fn earlier_blocks(&self, k: usize) -> &[usize] {
        let Row { start, place, .. } = self.rows[k];
        &self.chain_blocks[start..start + place]
    }

    /// The velocity whose chain has all velocities that move a node.
    #[inline(always)]
    pub(crate) fn last_of(&self, node: usize) -> usize {
        self.last[node]
    }
}
