//! Marching squares: the boundary of the region in which a condition holds, on a grid of nodes.

use std::collections::BTreeMap;

/// An edge of the grid: its first node, and whether it runs upwards.
type Edge = (usize, usize, bool);

/// The boundary lines on `columns` by `rows` nodes. `holds` is `None` for a node outside the domain;
/// squares with such a corner are skipped. `crossing` places the boundary between two neighbouring nodes of which the first
/// does not hold and the second does.
pub fn boundaries(
    columns: usize,
    rows: usize,
    holds: impl Fn(usize, usize) -> Option<bool>,
    crossing: impl Fn([usize; 2], [usize; 2]) -> [f64; 2],
) -> Vec<Vec<[f64; 2]>> {
    let mut neighbours: BTreeMap<Edge, Vec<Edge>> = BTreeMap::new();
    for j in 1..rows {
        for i in 1..columns {
            let corners = [(i - 1, j - 1), (i, j - 1), (i, j), (i - 1, j)].map(|(i, j)| holds(i, j));
            let [Some(a), Some(b), Some(c), Some(d)] = corners else { continue };
            // Around the square: below, right, above, left.
            let edges: [(bool, Edge); 4] = [
                (a != b, (i - 1, j - 1, false)),
                (b != c, (i, j - 1, true)),
                (c != d, (i - 1, j, false)),
                (d != a, (i - 1, j - 1, true)),
            ];
            let crossed: Vec<Edge> = edges.into_iter().filter(|(is_crossed, _)| *is_crossed).map(|(_, e)| e).collect();
            // At a saddle the corner `a` is cut off, whether the condition holds there or not.
            let pairs: &[[usize; 2]] = match crossed.len() {
                2 => &[[0, 1]],
                4 => &[[0, 3], [1, 2]],
                _ => &[],
            };
            for &[from, to] in pairs {
                neighbours.entry(crossed[from]).or_default().push(crossed[to]);
                neighbours.entry(crossed[to]).or_default().push(crossed[from]);
            }
        }
    }
    let place = |&(i, j, upwards): &Edge| {
        let other = if upwards { [i, j + 1] } else { [i + 1, j] };
        if holds(i, j) == Some(true) { crossing(other, [i, j]) } else { crossing([i, j], other) }
    };
    chains(neighbours).iter().map(|chain| chain.iter().map(place).collect()).collect()
}

/// Edges joined into chains, open ones first; a closed chain ends where it begins.
fn chains(mut neighbours: BTreeMap<Edge, Vec<Edge>>) -> Vec<Vec<Edge>> {
    let mut chains = Vec::new();
    let ends: Vec<Edge> = neighbours.iter().filter(|(_, others)| others.len() == 1).map(|(edge, _)| *edge).collect();
    for end in ends {
        follow(&mut neighbours, end, &mut chains);
    }
    while let Some((&edge, _)) = neighbours.iter().find(|(_, others)| !others.is_empty()) {
        follow(&mut neighbours, edge, &mut chains);
    }
    chains
}

fn follow(neighbours: &mut BTreeMap<Edge, Vec<Edge>>, start: Edge, chains: &mut Vec<Vec<Edge>>) {
    let mut chain = vec![start];
    let mut here = start;
    while let Some(next) = neighbours.get_mut(&here).and_then(Vec::pop) {
        if let Some(others) = neighbours.get_mut(&next)
            && let Some(back) = others.iter().position(|other| *other == here)
        {
            others.swap_remove(back);
        }
        chain.push(next);
        here = next;
    }
    neighbours.retain(|_, others| !others.is_empty());
    if chain.len() > 1 {
        chains.push(chain);
    }
}

/// The point between two points where a condition starts to hold, by bisection.
pub(crate) fn bisect(mut out: [f64; 2], mut inside: [f64; 2], holds: impl Fn([f64; 2]) -> bool) -> [f64; 2] {
    for _ in 0..60 {
        let middle = [0.5 * (out[0] + inside[0]), 0.5 * (out[1] + inside[1])];
        if middle == out || middle == inside {
            break;
        }
        if holds(middle) { inside = middle } else { out = middle }
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_is_one_closed_line() {
        let place = |[i, j]: [usize; 2]| [i as f64 / 10.0 - 1.0, j as f64 / 10.0 - 1.0];
        let holds = |p: [f64; 2]| p[0].hypot(p[1]) <= 0.7;
        let lines = boundaries(21, 21, |i, j| Some(holds(place([i, j]))), |a, b| bisect(place(a), place(b), holds));
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].first(), lines[0].last());
        assert!(lines[0].iter().all(|p| (p[0].hypot(p[1]) - 0.7).abs() < 1e-15));
    }

    #[test]
    fn a_line_ends_at_the_border_and_where_nothing_is_looked_at() {
        let lines = boundaries(5, 5, |i, j| (j < 3).then_some(i > 1), |a, b| [(a[0] + b[0]) as f64 / 2.0, a[1] as f64]);
        assert_eq!(lines, [vec![[1.5, 0.0], [1.5, 1.0], [1.5, 2.0]]]);
    }
}
