//! Symmetric and triangular matrices on the pattern of a tree: M and its factor.

use crate::model::Sparsity;

/// For each velocity a row with entries for its chain: the diagonal entry is the last that counts.
///
/// A row has a whole number of blocks of four entries, as many as a register holds, so that adding rows to each other
/// needs no loop for what is left over. What is behind the diagonal entry in its block has no meaning.
#[derive(Debug, Clone)]
pub(super) struct ChainMatrix {
    blocks: Vec<[f64; 4]>,
}

impl ChainMatrix {
    pub(super) fn zeros(sparsity: &Sparsity) -> Self {
        Self { blocks: vec![[0.0; 4]; sparsity.block_count()] }
    }

    pub(super) fn fill_zero(&mut self) {
        self.blocks.fill([0.0; 4]);
    }

    pub(super) fn copy_from(&mut self, other: &Self) {
        self.blocks.copy_from_slice(&other.blocks);
    }

    /// The entries of a row, and some without meaning.
    #[inline(always)]
    pub(super) fn row(&self, sparsity: &Sparsity, k: usize) -> &[f64] {
        self.blocks[sparsity.blocks(k)].as_flattened()
    }

    #[inline(always)]
    pub(super) fn row_mut(&mut self, sparsity: &Sparsity, k: usize) -> &mut [f64] {
        self.blocks[sparsity.blocks(k)].as_flattened_mut()
    }

    /// Takes row k out of the rows of its chain: row i loses (entry i / pivot) · row k. Then divides it by the pivot,
    /// but for the pivot itself.
    #[inline(always)]
    pub(super) fn eliminate(&mut self, sparsity: &Sparsity, k: usize, pivot: f64) {
        let range = sparsity.blocks(k);
        let (earlier, row) = self.blocks[..range.end].split_at_mut(range.start);
        let (targets, inverse) = (sparsity.earlier_blocks(k), 1.0 / pivot);
        // Block after block, each for all rows that have it: the loop inside is then long, and has nothing to count.
        for place in 0..row.len() {
            let [a, b, c, d] = row[place];
            let scaled = [inverse * a, inverse * b, inverse * c, inverse * d];
            for (&entry, &first) in row[place..].as_flattened().iter().zip(&targets[4 * place..]) {
                let target = &mut earlier[first + place];
                for lane in 0..4 {
                    target[lane] -= entry * scaled[lane];
                }
            }
            row[place] = scaled;
        }
        row.as_flattened_mut()[targets.len()] = pivot;
    }
}
