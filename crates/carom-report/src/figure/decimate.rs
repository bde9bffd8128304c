//! Thinning of long lines to the visible resolution.

use super::drawing::Vec2;

/// Width, in points, of the columns that are reduced to at most four vertices.
const COLUMN: f64 = 0.4;

/// A line that runs to the right, reduced to its first, lowest, highest and last vertex in every narrow column: no peak is lost.
pub(super) fn decimated(line: impl IntoIterator<Item = Vec2>) -> Vec<Vec2> {
    let mut kept: Vec<Vec2> = Vec::new();
    let mut column: Vec<Vec2> = Vec::new();
    for point in line {
        if column.first().is_some_and(|first| point[0] >= first[0] + COLUMN) {
            flush(&mut column, &mut kept);
        }
        column.push(point);
    }
    flush(&mut column, &mut kept);
    kept
}

fn flush(column: &mut Vec<Vec2>, kept: &mut Vec<Vec2>) {
    let by_height = |a: &usize, b: &usize| column[*a][1].total_cmp(&column[*b][1]);
    let (low, high) = ((0..column.len()).min_by(by_height), (0..column.len()).max_by(by_height));
    let mut places: Vec<usize> = [Some(0), low, high, column.len().checked_sub(1)].into_iter().flatten().collect();
    places.sort_unstable();
    places.dedup();
    kept.extend(places.into_iter().filter_map(|i| column.get(i).copied()));
    column.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_and_ends_are_kept() {
        // A smooth line with peaks of one sample each.
        let mut line: Vec<Vec2> = (0..100_000).map(|i| [f64::from(i) * 0.003, (f64::from(i) * 0.01).sin()]).collect();
        line[777][1] = 50.0;
        line[31_234][1] = -40.0;
        line[31_235][1] = 45.0;
        let kept = decimated(line.iter().copied());
        assert!(kept.len() < 3200, "{}", kept.len());
        for peak in [0, 777, 31_234, 31_235, 99_999] {
            assert!(kept.contains(&line[peak]), "{peak}");
        }
        assert!(kept.windows(2).all(|pair| pair[0][0] <= pair[1][0]));
        assert!(kept.iter().all(|point| line.contains(point)));
    }

    #[test]
    fn a_short_line_stays_as_it_is() {
        let line = [[0.0, 1.0], [1.0, 2.0], [1.0, -1.0], [2.0, 0.0]];
        assert_eq!(decimated(line), line);
        assert_eq!(decimated([]), <[Vec2; 0]>::default());
    }
}
