//! Principal axes of meshes, to the accuracy of MuJoCo.

use crate::{Rotation, Symmetric};

/// Principal moments, the largest first, and a rotation whose columns are their axes.
///
/// MuJoCo stops iterating when the off-diagonal entries are below a ten-millionth of the largest one, and drops
/// them. Its moments differ from the exact ones by as much; doing the same makes the mass matrices equal.
pub(super) fn settled(inertia: &Symmetric) -> ([f64; 3], Rotation) {
    /// Off-diagonal entries below this fraction of the largest are dropped.
    const DROPPED: f64 = 1e-7;
    /// Ends the loop for entries that are not finite; four or five rotations are usual.
    const MOST: usize = 100;
    let largest = inertia.entries().into_iter().fold(0.0, |most: f64, entry| most.max(entry.abs()));
    let mut axes = Rotation::IDENTITY;
    for _ in 0..MOST {
        let [xx, yy, zz, xy, xz, yz] = inertia.rotated(&axes.inverse()).entries();
        // The largest off-diagonal entry.
        let (p, q, difference, off) = if xy.abs() > xz.abs() && xy.abs() > yz.abs() {
            (0, 1, yy - xx, xy)
        } else if xz.abs() > yz.abs() {
            (0, 2, zz - xx, xz)
        } else {
            (1, 2, zz - yy, yz)
        };
        if !(off.abs() > DROPPED * largest) {
            break;
        }
        let tau = difference / (2.0 * off);
        let sign = if tau < 0.0 { -1.0 } else { 1.0 };
        let t = sign / (tau.abs() + (1.0 + tau * tau).sqrt());
        let c = 1.0 / (1.0 + t * t).sqrt();
        let s = t * c;
        let (a, b) = (axes.columns[p], axes.columns[q]);
        axes.columns[p] = (c * a).plus(-s, b);
        axes.columns[q] = (s * a).plus(c, b);
    }
    let [xx, yy, zz, ..] = inertia.rotated(&axes.inverse()).entries();
    let moments = [xx, yy, zz];
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| moments[j].total_cmp(&moments[i]));
    let [x, y, _] = order.map(|i| axes.columns[i]);
    (order.map(|i| moments[i]), Rotation { columns: [x, y, x.cross(y)] })
}
