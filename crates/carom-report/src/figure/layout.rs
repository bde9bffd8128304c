//! Placement of labels: which space is occupied, and where a label fits.

use super::drawing::Vec2;
use super::plot::Plot;

/// A raster over a plot that marks the space occupied by lines and labels.
pub(super) struct Room {
    corner: Vec2,
    columns: usize,
    rows: usize,
    taken: Vec<bool>,
}

impl Room {
    pub(super) fn new(plot: &Plot) -> Self {
        let [columns, rows] = plot.size.map(|length| length.ceil() as usize);
        Self { corner: plot.corner, columns, rows, taken: vec![false; columns * rows] }
    }

    /// Marks the cells under a line as occupied.
    pub(super) fn take_line(&mut self, points: &[Vec2]) {
        for pair in points.windows(2) {
            let length = (pair[1][0] - pair[0][0]).hypot(pair[1][1] - pair[0][1]);
            let count = (2.0 * length).ceil().min(4000.0) as usize;
            for i in 0..=count {
                let t = i as f64 / count.max(1) as f64;
                let at = [0, 1].map(|k: usize| pair[0][k] + t * (pair[1][k] - pair[0][k]));
                self.take([at[0] - 0.5, at[1] - 0.5], [1.0, 1.0]);
            }
        }
    }

    /// Marks a box as occupied.
    pub(super) fn take(&mut self, low: Vec2, size: Vec2) {
        let [x, y] = self.spans(low, size);
        for j in y.0..y.1 {
            self.taken[j * self.columns + x.0..j * self.columns + x.1].fill(true);
        }
    }

    /// Whether a box is in the plot and free.
    pub(super) fn is_free(&self, low: Vec2, size: Vec2) -> bool {
        let inside = (0..2).all(|k| {
            let end = self.corner[k] + [self.columns, self.rows][k] as f64;
            low[k] >= self.corner[k] && low[k] + size[k] <= end
        });
        let [x, y] = self.spans(low, size);
        inside && (y.0..y.1).all(|j| self.taken[j * self.columns + x.0..j * self.columns + x.1].iter().all(|t| !t))
    }

    /// Whether a straight line is free, but for its first points, which lie in what it starts from.
    pub(super) fn is_line_free(&self, from: Vec2, to: Vec2, start: f64) -> bool {
        let length = (to[0] - from[0]).hypot(to[1] - from[1]);
        let count = (2.0 * (length - start)).max(0.0).ceil() as usize;
        (0..count).all(|i| {
            let t = (start + 0.5 * i as f64) / length;
            let at = [0, 1].map(|k: usize| from[k] + t * (to[k] - from[k]) - self.corner[k]);
            let cell = |k: usize, most: usize| (at[k] >= 0.0).then_some(at[k] as usize).filter(|cell| *cell < most);
            match (cell(0, self.columns), cell(1, self.rows)) {
                (Some(x), Some(y)) => !self.taken[y * self.columns + x],
                _ => true,
            }
        })
    }

    fn spans(&self, low: Vec2, size: Vec2) -> [(usize, usize); 2] {
        [0, 1].map(|k: usize| {
            let (start, count) = (low[k] - self.corner[k], [self.columns, self.rows][k] as f64);
            (start.floor().clamp(0.0, count) as usize, (start + size[k]).ceil().clamp(0.0, count) as usize)
        })
    }

    /// Finds the lower left corner of the position with most free space for a box whose points are all `allowed`, and
    /// occupies it.
    pub(super) fn find(&mut self, size: Vec2, allowed: impl Fn(Vec2) -> bool) -> Option<Vec2> {
        const STEP: f64 = 3.0;
        for margin in [14.0, 8.0, 5.0, 2.5] {
            let outer = [size[0] + 2.0 * margin, size[1] + 2.0 * margin];
            let mut places = Vec::new();
            let mut y = self.corner[1];
            while y + outer[1] <= self.corner[1] + self.rows as f64 {
                let mut x = self.corner[0];
                while x + outer[0] <= self.corner[0] + self.columns as f64 {
                    let grid = |k: usize, i: u32| [x, y][k] + outer[k] * f64::from(i) / 6.0;
                    let fits = (0..=6).all(|i| (0..=6).all(|j| allowed([grid(0, i), grid(1, j)])));
                    if fits && self.is_free([x, y], outer) {
                        places.push([x + margin, y + margin]);
                    }
                    x += STEP;
                }
                y += STEP;
            }
            // In the middle of the possible positions.
            let count = places.len().max(1) as f64;
            let middle = [0, 1].map(|k: usize| places.iter().map(|place| place[k]).sum::<f64>() / count);
            let far = |place: &Vec2| (place[0] - middle[0]).hypot(place[1] - middle[1]);
            if let Some(place) = places.into_iter().min_by(|a, b| far(a).total_cmp(&far(b))) {
                self.take([place[0] - 5.0, place[1] - 4.0], [size[0] + 10.0, size[1] + 8.0]);
                return Some([place[0], place[1] + size[1]]);
            }
        }
        None
    }
}
