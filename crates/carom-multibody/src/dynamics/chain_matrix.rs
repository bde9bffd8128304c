//! Symmetric and triangular matrices with the sparsity pattern of a tree: M and its factor.

use crate::model::Sparsity;

/// For each velocity a row with entries for its chain; the last one is the diagonal entry.
///
/// A row is padded to blocks of four entries, the size of a register, so that adding rows needs no loop for the
/// remainder. Entries after the diagonal entry in its block are undefined.
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

    /// The entries of a row, including the padding.
    #[inline(always)]
    pub(super) fn row(&self, sparsity: &Sparsity, k: usize) -> &[f64] {
        self.blocks[sparsity.blocks(k)].as_flattened()
    }

    #[inline(always)]
    pub(super) fn row_mut(&mut self, sparsity: &Sparsity, k: usize) -> &mut [f64] {
        self.blocks[sparsity.blocks(k)].as_flattened_mut()
    }

    /// Eliminates row k from the rows of its chain: subtracts (entry i / pivot) · row k from row i. Then divides row k by the
    /// pivot, except for the pivot itself.
    #[inline(always)]
    pub(super) fn eliminate(&mut self, sparsity: &Sparsity, k: usize, pivot: f64) {
        let range = sparsity.blocks(k);
        let (earlier, row) = self.blocks[..range.end].split_at_mut(range.start);
        let (targets, inverse) = (sparsity.earlier_blocks(k), 1.0 / pivot);
        // Block by block, each for all rows that have it: the inner loop is then long and has a fixed body.
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
