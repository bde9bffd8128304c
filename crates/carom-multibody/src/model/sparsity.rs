//! The nonzero entries of M and of its factor.
//!
//! M has an entry for two velocities only where one moves the other's links. Eliminating from the last
//! velocity to the first preserves that pattern in a tree; joints that follow others cause fill-in, which is
//! computed here once.
//!
//! The chain of a velocity contains the velocities it is coupled to, those they are coupled to, and so on: in a tree, the
//! path from the root. Chains that meet coincide from there on, so rows along chains can be added without column lists.

use std::ops::Range;

use super::{NO_NODE, Tree};

/// For each velocity its chain: the smaller velocities that share an entry with it, ascending, and itself.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sparsity {
    rows: Vec<Row>,
    chains: Vec<usize>,
    /// The first block of the row of each velocity in the chains.
    chain_blocks: Vec<usize>,
    /// For each node the velocity whose chain contains all velocities that move it.
    last: Vec<usize>,
}

/// Layout of a velocity's row. One structure, because every use needs most of its fields.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    /// The start of its chain, and the velocity's own index in it, which is the last.
    start: usize,
    place: usize,
    /// The first block of four entries of a row along the chain.
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
        // Eliminating k couples all velocities that k is coupled to; the others are reached through the largest of them, its parent.
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
        // All velocities that move a node are coupled to each other, so they are in the chain of the largest.
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

    /// The chain of k without k itself.
    #[inline(always)]
    pub(crate) fn before(&self, k: usize) -> &[usize] {
        let Row { start, place, .. } = self.rows[k];
        &self.chains[start..start + place]
    }

    /// The index of k in every chain that contains it.
    #[inline(always)]
    pub(crate) fn place(&self, k: usize) -> usize {
        self.rows[k].place
    }

    /// The blocks of the row of k, with an entry for each velocity of its chain.
    #[inline(always)]
    pub(crate) fn blocks(&self, k: usize) -> Range<usize> {
        self.rows[k].blocks()
    }

    /// The number of blocks of all rows.
    pub(crate) fn block_count(&self) -> usize {
        self.rows.last().map_or(0, |row| row.blocks().end)
    }

    /// The first block of the row of each velocity before k in the chain of k.
    #[inline(always)]
    pub(crate) fn earlier_blocks(&self, k: usize) -> &[usize] {
        let Row { start, place, .. } = self.rows[k];
        &self.chain_blocks[start..start + place]
    }

    /// The velocity whose chain contains all velocities that move a node.
    #[inline(always)]
    pub(crate) fn last_of(&self, node: usize) -> usize {
        self.last[node]
    }
}
