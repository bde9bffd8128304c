//! Layout of a layered drawing of boxes and arrows.
//!
//! Sugiyama's method: layers by the longest path down, a bend in every layer that a long arrow crosses, the order in a layer
//! by the mean position of the neighbours, then positions as near to the neighbours as order and widths allow.

/// A point relative to the upper left corner; y points down.
pub type Point = (f64, f64);

/// Space between boxes of a layer, and between layers.
#[derive(Clone, Copy)]
pub struct Gap {
    /// Distance between neighbours.
    pub across: f64,
    /// Distance between layers, for the arrows.
    pub down: f64,
}

/// The positions of boxes and arrows.
pub struct Layout {
    /// The upper left corners of the boxes.
    pub corners: Vec<Point>,
    /// The points of each arrow: straight from the first to the second, curved from there to the third, and so on.
    pub routes: Vec<Vec<Point>>,
    /// Width and height of the drawing.
    pub size: Point,
}

/// Number of passes over the layers, up and down.
const PASSES: usize = 12;

/// Lays out boxes of the given widths and heights so that all arrows, which must be acyclic, point down.
pub fn layout(sizes: &[Point], arrows: &[(usize, usize)], gap: Gap) -> Layout {
    let mut rows = Rows::new(sizes, arrows);
    rows.order();
    let centres = rows.centres(gap.across);
    let mut tops = vec![0.0; rows.rows.len() + 1];
    let heights: Vec<f64> = rows.rows.iter().map(|row| highest(row, sizes)).collect();
    for (row, height) in heights.iter().enumerate() {
        tops[row + 1] = tops[row] + height + gap.down;
    }
    let middle = |slot: usize| tops[rows.row[slot]] + heights[rows.row[slot]] / 2.0;
    let corner = |node: usize| (centres[node] - sizes[node].0 / 2.0, middle(node) - sizes[node].1 / 2.0);
    let routes = rows.chains.iter().enumerate().map(|(arrow, chain)| {
        let (from, to) = arrows[arrow];
        let (start, end) = (rows.port(arrow, from, &centres, sizes), rows.port(arrow, to, &centres, sizes));
        let mut points = vec![(start, corner(from).1 + sizes[from].1)];
        for slot in chain {
            let x = if *slot == from {
                start
            } else if *slot == to {
                end
            } else {
                centres[*slot]
            };
            let (top, bottom) = (tops[rows.row[*slot]], tops[rows.row[*slot]] + heights[rows.row[*slot]]);
            if *slot != from {
                points.push((x, top));
            }
            if *slot != to {
                points.push((x, bottom));
            }
        }
        points.push((end, corner(to).1));
        points
    });
    let width = (0..sizes.len()).map(|node| centres[node] + sizes[node].0 / 2.0).fold(0.0, f64::max);
    let height = tops[rows.rows.len()] - gap.down;
    let routes = routes.collect();
    Layout { corners: (0..sizes.len()).map(corner).collect(), routes, size: (width, height.max(0.0)) }
}

/// The greatest height in a row.
fn highest(row: &[usize], sizes: &[Point]) -> f64 {
    row.iter().filter_map(|slot| sizes.get(*slot)).map(|size| size.1).fold(0.0, f64::max)
}

/// Slots in rows, the highest row first: the boxes by index, then the bends.
struct Rows {
    rows: Vec<Vec<usize>>,
    row: Vec<usize>,
    widths: Vec<f64>,
    /// The slots along an arrow, from its first box to its last.
    chains: Vec<Vec<usize>>,
}

impl Rows {
    fn new(sizes: &[Point], arrows: &[(usize, usize)]) -> Self {
        let mut layers = vec![0; sizes.len()];
        for _ in 0..sizes.len() {
            for (from, to) in arrows {
                layers[*from] = layers[*from].max(layers[*to] + 1);
            }
        }
        let top = layers.iter().copied().max().unwrap_or(0);
        let mut row: Vec<usize> = layers.iter().map(|layer| top - layer).collect();
        let mut widths: Vec<f64> = sizes.iter().map(|size| size.0).collect();
        let mut chains = Vec::new();
        for (from, to) in arrows {
            let mut chain = vec![*from];
            for between in row[*from] + 1..row[*to] {
                chain.push(row.len());
                row.push(between);
                widths.push(0.0);
            }
            chain.push(*to);
            chains.push(chain);
        }
        let mut rows = vec![Vec::new(); top + 1];
        for (slot, place) in row.iter().enumerate() {
            rows[*place].push(slot);
        }
        Self { rows, row, widths, chains }
    }

    /// The neighbours of a slot in the row above or below.
    fn neighbours(&self, slot: usize, is_above: bool) -> Vec<usize> {
        let pairs = self.chains.iter().flat_map(|chain| chain.windows(2));
        let joined = pairs.filter_map(|pair| match is_above {
            true => (pair[1] == slot).then_some(pair[0]),
            false => (pair[0] == slot).then_some(pair[1]),
        });
        joined.collect()
    }

    /// The position of each slot in its row.
    fn places(&self) -> Vec<f64> {
        let mut places = vec![0.0; self.row.len()];
        for row in &self.rows {
            row.iter().enumerate().for_each(|(place, slot)| places[*slot] = place as f64);
        }
        places
    }

    /// Orders slots by the mean position of their neighbours, and keeps the order with the fewest crossings.
    fn order(&mut self) {
        let mut best = (self.crossings(), self.rows.clone());
        for pass in 0..PASSES {
            let is_downward = pass % 2 == 0;
            for step in 1..self.rows.len() {
                let row = if is_downward { step } else { self.rows.len() - 1 - step };
                let places = self.places();
                let wish = |slot: usize| mean(&self.neighbours(slot, is_downward), &places).unwrap_or(places[slot]);
                let mut ordered = self.rows[row].clone();
                ordered.sort_by(|a, b| wish(*a).total_cmp(&wish(*b)));
                self.rows[row] = ordered;
            }
            let crossings = self.crossings();
            if crossings < best.0 {
                best = (crossings, self.rows.clone());
            }
        }
        self.rows = best.1;
    }

    fn crossings(&self) -> usize {
        let places = self.places();
        let pairs: Vec<(usize, f64, f64)> = self
            .chains
            .iter()
            .flat_map(|chain| chain.windows(2))
            .map(|pair| (self.row[pair[0]], places[pair[0]], places[pair[1]]))
            .collect();
        let crosses = |a: &(usize, f64, f64), b: &(usize, f64, f64)| a.0 == b.0 && (a.1 - b.1) * (a.2 - b.2) < 0.0;
        pairs.iter().enumerate().map(|(i, a)| pairs[..i].iter().filter(|b| crosses(a, b)).count()).sum()
    }

    /// The horizontal centre of each slot.
    fn centres(&self, gap: f64) -> Vec<f64> {
        let mut centres = vec![0.0; self.row.len()];
        for row in &self.rows {
            self.spread(row, gap, &mut centres, |_, _| 0.0);
        }
        // Down to align each row with the one above, then up to align it with the one below; the last pass is upward.
        for pass in 0..PASSES {
            let is_downward = pass % 2 == 0;
            for step in 0..self.rows.len() {
                let row = if is_downward { step } else { self.rows.len() - 1 - step };
                let wish = |slot: usize, centres: &[f64]| {
                    mean(&self.neighbours(slot, is_downward), centres).unwrap_or(centres[slot])
                };
                self.spread(&self.rows[row], gap, &mut centres, wish);
            }
        }
        let left = (0..centres.len()).map(|slot| centres[slot] - self.widths[slot] / 2.0).fold(f64::INFINITY, f64::min);
        centres.iter_mut().for_each(|centre| *centre -= left);
        centres
    }

    /// Moves a row as near to its desired positions as widths allow, in the least-squares sense: neighbours that would
    /// overlap move together (pool adjacent violators).
    fn spread(&self, row: &[usize], gap: f64, centres: &mut [f64], wish: impl Fn(usize, &[f64]) -> f64) {
        let mut offset = 0.0;
        let mut offsets = Vec::new();
        let mut pools: Vec<(f64, usize)> = Vec::new();
        for (place, slot) in row.iter().enumerate() {
            if place > 0 {
                offset += (self.widths[row[place - 1]] + self.widths[*slot]) / 2.0 + gap;
            }
            offsets.push(offset);
            pools.push((wish(*slot, centres) - offset, 1));
            while let [.., (a, m), (b, n)] = pools[..]
                && a > b
            {
                pools.truncate(pools.len() - 2);
                pools.push(((a * m as f64 + b * n as f64) / (m + n) as f64, m + n));
            }
        }
        let bases = pools.iter().flat_map(|(base, count)| std::iter::repeat_n(*base, *count));
        for ((slot, offset), base) in row.iter().zip(offsets).zip(bases) {
            centres[*slot] = base + offset;
        }
    }

    /// The position along a box where an arrow begins or ends: arrows share the side evenly, in the order of their other ends.
    fn port(&self, arrow: usize, node: usize, centres: &[f64], sizes: &[Point]) -> f64 {
        let next = |chain: &[usize]| match chain {
            [first, second, ..] if *first == node => Some((false, *second)),
            [.., second, last] if *last == node => Some((true, *second)),
            _ => None,
        };
        let Some((is_above, _)) = next(&self.chains[arrow]) else { return centres[node] };
        let mut ends: Vec<(f64, usize)> = Vec::new();
        for (other, chain) in self.chains.iter().enumerate() {
            if let Some((above, slot)) = next(chain)
                && above == is_above
            {
                ends.push((centres[slot], other));
            }
        }
        ends.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let place = ends.iter().position(|end| end.1 == arrow).unwrap_or(0);
        let share = (place + 1) as f64 / (ends.len() + 1) as f64;
        // Not more than needed to distinguish them.
        let width = sizes[node].0.min(SPACING * (ends.len() + 1) as f64);
        centres[node] + width * (share - 0.5)
    }
}

/// Distance between two arrows at the side of a box, if there is space.
const SPACING: f64 = 20.0;

fn mean(slots: &[usize], values: &[f64]) -> Option<f64> {
    (!slots.is_empty()).then(|| slots.iter().map(|slot| values[*slot]).sum::<f64>() / slots.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::{Gap, layout};

    const GAP: Gap = Gap { across: 10.0, down: 20.0 };

    #[test]
    fn arrows_lead_down_and_boxes_keep_apart() {
        let sizes = [(40.0, 20.0), (60.0, 20.0), (30.0, 50.0), (40.0, 20.0), (40.0, 20.0)];
        let arrows = [(0, 2), (1, 2), (2, 3), (0, 3), (1, 4)];
        let drawn = layout(&sizes, &arrows, GAP);
        for route in &drawn.routes {
            assert!(route.windows(2).all(|pair| pair[0].1 <= pair[1].1), "{route:?}");
        }
        for (a, b) in (0..5).flat_map(|a| (0..a).map(move |b| (a, b))) {
            let (p, q) = (drawn.corners[a], drawn.corners[b]);
            let is_beside = p.0 + sizes[a].0 + 9.9 < q.0 || q.0 + sizes[b].0 + 9.9 < p.0;
            let is_above = p.1 + sizes[a].1 + 19.9 < q.1 || q.1 + sizes[b].1 + 19.9 < p.1;
            assert!(is_beside || is_above, "{a} at {p:?} and {b} at {q:?}");
            assert!(p.0 >= 0.0 && p.0 + sizes[a].0 <= drawn.size.0 && p.1 + sizes[a].1 <= drawn.size.1);
        }
    }

    #[test]
    fn a_crossing_that_can_be_avoided_is() {
        let sizes = [(40.0, 20.0); 4];
        let drawn = layout(&sizes, &[(0, 3), (1, 2)], GAP);
        assert!((drawn.corners[0].0 < drawn.corners[1].0) == (drawn.corners[3].0 < drawn.corners[2].0));
    }
}
