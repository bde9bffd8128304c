//! An order of contacts that does not depend on how they were listed.
//!
//! Solvers visit contacts one after the other, and where there are several answers the one found depends on the order. Contacts
//! are therefore sorted by what they are: numbers that neither labels, nor mirror images, nor units change.

use std::cmp::Ordering;

use super::ContactSet;
use crate::contact::coefficients::Coefficients;
use crate::numeric::plane::norm;
use crate::numeric::scaling::scale;

/// Keys that differ by less than this fraction of the larger are alike, and by less than this fraction of the largest of all
/// contacts near.
const ALIKE: f64 = 1e-9;

const KEYS: usize = 10;

/// The places of the contacts in their order, and for each place the first place of a contact that is alike.
pub(super) fn canonical(set: &ContactSet, coefficients: &[Coefficients]) -> (Vec<usize>, Vec<usize>) {
    let velocity = set.scaled_velocity();
    let keys: Vec<[f64; KEYS]> = (0..coefficients.len()).map(|k| key(set, &velocity, coefficients, k)).collect();
    let ranks = ranks(&keys);
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by(|&a, &b| ranks[a].cmp(&ranks[b]).then_with(|| compare(&keys[a], &keys[b])));
    let is_alike = |a: usize, b: usize| {
        keys[a].iter().zip(&keys[b]).all(|(a, b)| a == b || (a - b).abs() <= ALIKE * a.abs().max(b.abs()))
    };
    let ties = (0..order.len())
        .map(|place| (0..place).find(|&other| is_alike(order[other], order[place])).unwrap_or(place))
        .collect();
    (order, ties)
}

fn compare(a: &[f64; KEYS], b: &[f64; KEYS]) -> Ordering {
    a.iter().zip(b).map(|(a, b)| a.total_cmp(b)).find(|order| *order != Ordering::Equal).unwrap_or(Ordering::Equal)
}

/// The places of every contact in the orders of its keys, each of them alone. Keys that are near each other have one place: the corners of an
/// edge that strikes have one normal velocity, and so have contacts at rest, and which of them comes first is not for rounding to say.
fn ranks(keys: &[[f64; KEYS]]) -> Vec<[usize; KEYS]> {
    let mut ranks = vec![[0; KEYS]; keys.len()];
    let mut sorted: Vec<usize> = (0..keys.len()).collect();
    for column in 0..KEYS {
        sorted.sort_by(|&a, &b| keys[a][column].total_cmp(&keys[b][column]));
        let near = ALIKE * keys.iter().fold(0.0_f64, |most, key| most.max(key[column].abs()));
        for pair in sorted.windows(2) {
            let is_apart = keys[pair[1]][column] - keys[pair[0]][column] > near;
            ranks[pair[1]][column] = ranks[pair[0]][column] + usize::from(is_apart);
        }
    }
    ranks
}

/// The sort keys of a contact: velocity, own part of `W`, coefficients, coupling.
fn key(set: &ContactSet, velocity: &[f64], coefficients: &[Coefficients], k: usize) -> [f64; KEYS] {
    let block = &set.system.blocks[k];
    let [v_n, v_1, v_2] = block.of(velocity);
    let row = set.system.matrix.row(block.start);
    let own = block.of(row);
    let coupling: f64 = block
        .range()
        .map(|r| {
            let row = set.system.matrix.row(r);
            (0..row.len()).filter(|c| !block.range().contains(c)).map(|c| row[c] * row[c]).sum::<f64>()
        })
        .sum();
    let Coefficients { restitution, friction } = &coefficients[k];
    // In the caller's units, so that other units do not change the order.
    let (n, t) = (set.rows[block.start], set.rows[block.range().end - 1]);
    let (speed, mobility) =
        (|v: f64, unit: i32| scale(v, set.gamma + unit), |w: f64, units: i32| scale(w, set.omega + units));
    [
        speed(v_n, n),
        speed(norm([v_1, v_2]), t),
        mobility(own[0], 2 * n),
        mobility(norm([own[1], own[2]]), n + t),
        mobility(block.w_t, 2 * t),
        restitution.normal_at(speed(v_n.abs(), n)),
        restitution.tangential(),
        friction.map_or(0.0, |friction| friction.mu_s()),
        friction.map_or(0.0, |friction| friction.mu_d()),
        // Independent of the order of the contacts except for rounding, so it is compared last.
        coupling.sqrt(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::coefficients::{Friction, Restitution};
    use crate::contact::delassus::Dimension;
    use crate::numeric::matrix::MatrixView;

    const DIMENSIONS: [Dimension; 3] = [Dimension::Planar; 3];

    /// Three planar contacts that are alike but for what is given: `W` of two numbers each, the coupling of each pair of normals,
    /// velocities and coefficients.
    fn order(coupling: [f64; 3], normals: [f64; 3], e: [f64; 3]) -> (Vec<usize>, Vec<usize>) {
        let mut w = [0.0; 36];
        for k in 0..6 {
            w[7 * k] = if k % 2 == 0 { 1.0 } else { 0.8 };
        }
        for (pair, (a, b)) in [(0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
            (w[12 * a + 2 * b], w[12 * b + 2 * a]) = (coupling[pair], coupling[pair]);
        }
        let velocity: Vec<f64> = normals.iter().flat_map(|v| [*v, 0.25]).collect();
        let set = ContactSet::new(&DIMENSIONS, MatrixView::row_major(6, 6, &w), &velocity).unwrap();
        let coefficients = e.map(|e| Coefficients::new(Restitution::new(e).unwrap(), Friction::new(0.3).unwrap()));
        canonical(&set, &coefficients)
    }

    #[test]
    fn contacts_are_sorted_by_speed_then_by_coefficients() {
        let same = [0.1; 3];
        assert_eq!(order(same, [-1.0, -3.0, -2.0], [0.5; 3]).0, [1, 2, 0]);
        assert_eq!(order(same, [-1.0; 3], [0.7, 0.2, 0.5]).0, [1, 2, 0]);
    }

    #[test]
    fn contacts_that_differ_in_their_coupling_alone_are_told_apart_by_it() {
        // The first is coupled with one other, the second with both, the third with one, but more.
        let (order, ties) = order([0.1, 0.0, 0.3], [-1.0; 3], [0.5; 3]);
        assert_eq!((order, ties), (vec![0, 2, 1], vec![0, 1, 2]));
    }

    #[test]
    fn contacts_that_rounding_alone_tells_apart_are_alike() {
        let nearly = |off: f64| order([0.1; 3], [-1.0, -2.0, -(1.0 + off)], [0.5; 3]);
        assert_eq!(nearly(0.0), (vec![1, 0, 2], vec![0, 1, 1]));
        for off in [1e-12, 9e-10] {
            assert_eq!(nearly(off).1, [0, 1, 1], "{off}");
        }
        assert_eq!(nearly(1e-8), (vec![1, 2, 0], vec![0, 1, 2]));
    }

    #[test]
    fn rounding_of_a_speed_does_not_come_before_coefficients() {
        let (speeds, e) = ([-(1.0 + 1e-12), -1.0, -2.0], [0.7, 0.2, 0.5]);
        assert_eq!(order([0.1; 3], speeds, e).0, [2, 1, 0]);
        // Beyond rounding it does.
        assert_eq!(order([0.1; 3], [-1.1, -1.0, -2.0], e).0, [2, 0, 1]);
    }

    /// Keys are the caller's numbers, whatever units the set has for each contact.
    #[test]
    fn units_of_a_contact_do_not_change_its_place() {
        let key_of = |mobility: f64, v: f64| {
            let w = [1.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, mobility];
            let set = ContactSet::new(
                &[Dimension::Planar, Dimension::Normal],
                MatrixView::row_major(3, 3, &w),
                &[-2.0, 0.25, v],
            );
            let (set, given) =
                (set.unwrap(), Coefficients::new(Restitution::new(0.5).unwrap(), Friction::new(0.3).unwrap()));
            let velocity = set.scaled_velocity();
            assert_eq!(key(&set, &velocity, &[given; 2], 0)[..5], [-2.0, 0.25, 1.0, 0.0, 0.5]);
            key(&set, &velocity, &[given; 2], 1)
        };
        for (mobility, v) in [(1.0, -1.0), (2f64.powi(-40), -1.0), (2f64.powi(41), -3.0), (2f64.powi(-40), -1e6)] {
            // Without tangents, the mobility of the normal stands for theirs.
            assert_eq!(key_of(mobility, v)[..5], [v, 0.0, mobility, 0.0, mobility]);
        }
    }
}
