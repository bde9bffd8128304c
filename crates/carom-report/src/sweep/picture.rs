//! A column of a table over two others, as data for a figure: a heat map over a grid, curves over a grid of one key, or points.

use std::collections::HashMap;

use super::cells::Cells;
use super::error::SweepFileError;
use super::read::TableFiles;

/// The most values of a grid along an axis: no figure has room for more.
const MOST_VALUES: usize = 4096;
/// The most cells of a heat map along an axis: neighbouring values of a finer grid share one.
const MOST_CELLS: usize = 256;
/// The most words with a colour each.
const MOST_WORDS: usize = 12;
/// The most curves that can be distinguished.
const MOST_CURVES: usize = 8;
/// The most points of a figure: of more rows, every second, third and so on is drawn.
const MOST_POINTS: u64 = 10_000;

/// The columns of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PictureOf<'a> {
    /// Along the horizontal axis.
    pub x: &'a str,
    /// Along the vertical axis.
    pub y: &'a str,
    /// The colour, if there is one.
    pub color: Option<&'a str>,
}

impl<'a> PictureOf<'a> {
    /// The first result over the two keys of a sweep, or over its only one.
    ///
    /// # Errors
    /// The table does not say which keys vary, or none or more than two do.
    pub fn keys(table: &'a TableFiles) -> Result<Self, PictureError> {
        let keys = table.keys();
        let result = table.names().get(1 + keys.len()).filter(|name| *name != "error");
        let fault = |count: &'static str| PictureError::WhichColumns { count, known: table.names().join(", ") };
        match (keys, result) {
            ([x, y], result) => Ok(Self { x, y, color: result.map(String::as_str) }),
            ([x], Some(y)) => Ok(Self { x, y, color: None }),
            ([], _) => Err(fault("the table does not say which keys vary")),
            ([_], None) => Err(fault("the table has one key and no result")),
            _ => Err(fault("more than two keys vary")),
        }
    }
}

/// A figure as data.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// The title.
    pub title: String,
    /// The columns of both axes.
    pub(crate) labels: [String; 2],
    /// The column of the colour.
    pub(crate) color: Option<String>,
    /// A description, in a sentence.
    pub(crate) note: String,
    pub(crate) content: Content,
}

/// The contents of a figure.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Content {
    Heat(Heat),
    Curves(Vec<Band>),
    Points { points: Vec<[f64; 3]>, colors: Colors },
}

/// A heat map.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Heat {
    /// The edges of the cells along each axis, increasing.
    pub(crate) edges: [Vec<f64>; 2],
    /// Row by row from the bottom; NaN where no row has a value. A word is given by its index.
    pub(crate) cells: Vec<f64>,
    pub(crate) colors: Colors,
}

/// The meaning of colours.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Colors {
    /// Numbers between two ends.
    Scale([f64; 2]),
    /// Words.
    Words(Vec<String>),
    /// All points have the same colour.
    None,
}

/// A curve, with the range of the rows that it is the mean of.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Band {
    pub(crate) name: Option<String>,
    /// Abscissa, mean, least and largest value.
    pub(crate) points: Vec<[f64; 4]>,
}

/// Why a figure cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PictureError {
    /// The table cannot be read.
    #[error(transparent)]
    File(#[from] SweepFileError),
    /// A column that the table does not have.
    #[error("{option} {name:?} is not a column{hint}; the columns are {known}")]
    UnknownColumn {
        /// `--x`, `--y` or `--color-by`.
        option: &'static str,
        /// The given name.
        name: String,
        /// A similar name, if there is one.
        hint: String,
        /// The names that exist.
        known: String,
    },
    /// No columns were chosen, and they do not follow from the table.
    #[error("{count}: choose columns by --x, --y and --color-by; they are {known}")]
    WhichColumns {
        /// The reason.
        count: &'static str,
        /// The names that exist.
        known: String,
    },
    /// A column of words along an axis.
    #[error("{option} {name:?} has words, and an axis needs numbers; words can be colours: --color-by {name}")]
    NotNumbers {
        /// `--x` or `--y`.
        option: &'static str,
        /// The column.
        name: String,
    },
    /// A column without any number.
    #[error("{option} {name:?} has no value in any row")]
    Empty {
        /// `--x`, `--y` or `--color-by`.
        option: &'static str,
        /// The column.
        name: String,
    },
    /// Too many words for colours.
    #[error("--color-by {name:?} has more than {MOST_WORDS} different words, too many to tell their colours apart")]
    TooManyWords {
        /// The column.
        name: String,
    },
}

impl Picture {
    /// The figure of a table. `name` is its title where the table has none.
    ///
    /// # Errors
    /// The table cannot be read, a column does not exist, or an axis has no numbers.
    pub fn new(table: &TableFiles, of: &PictureOf<'_>, name: &str) -> Result<Self, PictureError> {
        let named = [("--x", Some(of.x)), ("--y", Some(of.y)), ("--color-by", of.color)];
        let named: Vec<(&'static str, &str)> =
            named.into_iter().filter_map(|(option, column)| Some((option, column?))).collect();
        for (option, column) in &named {
            check(table, option, column)?;
        }
        let columns: Vec<&str> = named.iter().map(|(_, column)| *column).collect();
        let mut survey = Survey { axes: [Axis::default(), Axis::default()], ..Survey::default() };
        table.visit(&columns, |cells| survey.take(cells))?;
        survey.check(of)?;
        let colors = survey.colors(of)?;
        let title = table.title().map_or_else(|| name.to_owned(), |title| format!("{name}: {title}"));
        let (content, note) = draw_up(table, &columns, &survey, colors)?;
        let missing = match table.missing_parts() {
            0 => String::new(),
            missing => format!("; {missing} parts are not there yet"),
        };
        let labels = [of.x, of.y].map(str::to_owned);
        Ok(Self { title, labels, color: of.color.map(str::to_owned), note: format!("{note}{missing}"), content })
    }
}

fn check(table: &TableFiles, option: &'static str, column: &str) -> Result<(), PictureError> {
    if table.names().iter().any(|name| name == column) {
        return Ok(());
    }
    let names = || table.names().iter().map(String::as_str);
    Err(PictureError::UnknownColumn {
        option,
        name: column.to_owned(),
        hint: carom_scene::document::did_you_mean(column, names()),
        known: names().collect::<Vec<_>>().join(", "),
    })
}

/// The result of a first pass over all rows.
#[derive(Default)]
struct Survey {
    rows: u64,
    axes: [Axis; 2],
    has_words: bool,
    words: Vec<String>,
    range: Option<[f64; 2]>,
}

/// The values of an axis in the order in which they first appear.
#[derive(Default)]
struct Axis {
    places: HashMap<u64, usize>,
    values: Vec<f64>,
    last: usize,
    has_words: bool,
    has_numbers: bool,
    /// Whether values do not come one after the other and again from the first.
    is_irregular: bool,
    rows: u64,
}

impl Axis {
    fn take(&mut self, cells: &Cells) {
        let Cells::Numbers(numbers) = cells else {
            self.has_words = true;
            return;
        };
        for x in numbers {
            self.has_numbers |= !x.is_nan();
            self.rows += 1;
            if self.is_irregular {
                continue;
            }
            let count = self.values.len();
            let place = *self.places.entry(x.to_bits()).or_insert(count);
            if place == count {
                self.values.push(*x);
            }
            let follows = count == 0 || place == self.last || place == self.last + 1 || place == 0;
            self.is_irregular = x.is_nan() || !follows || count >= MOST_VALUES;
            self.last = place;
        }
    }

    /// The cells of the values, if they are a grid.
    fn grid(&self) -> Option<Grid> {
        let is_ordered = self.values.is_sorted() || self.values.is_sorted_by(|a, b| a >= b);
        // Values that are unordered and not repeated, such as random ones, are not a grid.
        let comes_again = self.rows >= 2 * self.values.len() as u64;
        if self.is_irregular || self.values.len() < 2 || !(is_ordered || comes_again) {
            return None;
        }
        let mut order: Vec<usize> = (0..self.values.len()).collect();
        order.sort_by(|a, b| self.values[*a].total_cmp(&self.values[*b]));
        let count = order.len().min(MOST_CELLS);
        let sorted: Vec<f64> = order.iter().map(|place| self.values[*place]).collect();
        let mut cell_of = vec![0; order.len()];
        for (rank, place) in order.iter().enumerate() {
            cell_of[*place] = rank * count / sorted.len();
        }
        Some(Grid { edges: edges(&sorted, count), sorted, cell_of, count })
    }
}

struct Grid {
    sorted: Vec<f64>,
    /// The cell of each value, in the order in which they first appear.
    cell_of: Vec<usize>,
    count: usize,
    edges: Vec<f64>,
}

/// The edges of cells, in the middle between values.
fn edges(sorted: &[f64], count: usize) -> Vec<f64> {
    let n = sorted.len();
    let mut edges = vec![sorted[0] - 0.5 * (sorted[1] - sorted[0])];
    let mut start = 0;
    for cell in 1..count {
        // The first value whose rank falls into the cell.
        while start * count / n < cell {
            start += 1;
        }
        edges.push(0.5 * (sorted[start - 1] + sorted[start]));
    }
    edges.push(sorted[n - 1] + 0.5 * (sorted[n - 1] - sorted[n - 2]));
    edges
}

impl Survey {
    fn take(&mut self, cells: &[Cells]) {
        let [x, y, color @ ..] = cells else { return };
        self.rows += match x {
            Cells::Numbers(numbers) => numbers.len() as u64,
            Cells::Words(words) => words.len() as u64,
        };
        self.axes[0].take(x);
        self.axes[1].take(y);
        match color.first() {
            Some(Cells::Words(words)) => {
                self.has_words = true;
                for word in words.iter().flatten() {
                    if self.words.len() <= MOST_WORDS && !self.words.contains(word) {
                        self.words.push(word.clone());
                    }
                }
            }
            Some(Cells::Numbers(numbers)) => {
                for x in numbers.iter().filter(|x| x.is_finite()) {
                    let [low, high] = self.range.unwrap_or([*x; 2]);
                    self.range = Some([low.min(*x), high.max(*x)]);
                }
            }
            None => {}
        }
    }

    fn check(&self, of: &PictureOf<'_>) -> Result<(), PictureError> {
        for (axis, option, name) in [(&self.axes[0], "--x", of.x), (&self.axes[1], "--y", of.y)] {
            let name = name.to_owned();
            match axis {
                Axis { has_words: true, .. } => return Err(PictureError::NotNumbers { option, name }),
                Axis { has_numbers: false, .. } => return Err(PictureError::Empty { option, name }),
                _ => {}
            }
        }
        Ok(())
    }

    fn colors(&self, of: &PictureOf<'_>) -> Result<Colors, PictureError> {
        let Some(name) = of.color else { return Ok(Colors::None) };
        if self.words.len() > MOST_WORDS {
            return Err(PictureError::TooManyWords { name: name.to_owned() });
        }
        if self.has_words {
            let mut words = self.words.clone();
            words.sort();
            return Ok(Colors::Words(words));
        }
        let range = self.range.ok_or_else(|| PictureError::Empty { option: "--color-by", name: name.to_owned() })?;
        Ok(Colors::Scale(range))
    }
}

/// The colour of each row, as a number: the index of a word.
fn color_numbers(cells: Option<&Cells>, colors: &Colors, rows: usize) -> Vec<f64> {
    match (cells, colors) {
        (Some(Cells::Numbers(numbers)), Colors::Scale(_)) => numbers.clone(),
        (Some(Cells::Words(words)), Colors::Words(known)) => {
            let place = |word: &Option<String>| known.iter().position(|other| Some(other) == word.as_ref());
            words.iter().map(|word| place(word).map_or(f64::NAN, |place| place as f64)).collect()
        }
        _ => vec![f64::NAN; rows],
    }
}

fn numbers(cells: &Cells) -> &[f64] {
    match cells {
        Cells::Numbers(numbers) => numbers,
        Cells::Words(_) => &[],
    }
}

fn draw_up(
    table: &TableFiles,
    columns: &[&str],
    survey: &Survey,
    colors: Colors,
) -> Result<(Content, String), PictureError> {
    let [x, y] = [survey.axes[0].grid(), survey.axes[1].grid()];
    if let (Some(x), Some(y)) = (&x, &y)
        && colors != Colors::None
        && let Some(found) = heat(table, columns, survey, [x, y], &colors)?
    {
        return Ok(found);
    }
    let is_few = match &colors {
        Colors::None => true,
        Colors::Words(words) => words.len() <= MOST_CURVES,
        Colors::Scale(_) => false,
    };
    match x {
        Some(x) if is_few => curves(table, columns, survey, &x, &colors),
        _ => points(table, columns, survey, colors),
    }
}

/// The sum, the count and, for words, the counts of each in a cell.
fn heat(
    table: &TableFiles,
    columns: &[&str],
    survey: &Survey,
    [x, y]: [&Grid; 2],
    colors: &Colors,
) -> Result<Option<(Content, String)>, PictureError> {
    let words = match colors {
        Colors::Words(words) => words.len(),
        _ => 0,
    };
    let cells = x.count * y.count;
    let mut rows_in = vec![0_u64; cells];
    let (mut sums, mut counts) = (vec![0.0; cells], vec![0_u64; cells * words.max(1)]);
    table.visit(columns, |block| {
        let [xs, ys] = [0, 1].map(|k: usize| numbers(&block[k]));
        let values = color_numbers(block.get(2), colors, xs.len());
        for ((a, b), value) in xs.iter().zip(ys).zip(values) {
            let place = |k: usize, number: &f64| survey.axes[k].places.get(&number.to_bits());
            let (Some(i), Some(j)) = (place(0, a), place(1, b)) else { continue };
            let cell = y.cell_of[*j] * x.count + x.cell_of[*i];
            rows_in[cell] += 1;
            if value.is_finite() {
                sums[cell] += value;
                counts[cell * words.max(1) + if words > 0 { value as usize } else { 0 }] += 1;
            }
        }
    })?;
    // Unless each cell has a row, the two columns are not a grid.
    if rows_in.contains(&0) {
        return Ok(None);
    }
    let value = |cell: usize| match words {
        0 if counts[cell] == 0 => f64::NAN,
        0 => sums[cell] / counts[cell] as f64,
        words => {
            let counts = &counts[cell * words..(cell + 1) * words];
            let most = counts.iter().enumerate().max_by_key(|(place, count)| (**count, usize::MAX - place));
            most.filter(|(_, count)| **count > 0).map_or(f64::NAN, |(place, _)| place as f64)
        }
    };
    let values: Vec<f64> = (0..cells).map(value).collect();
    let colors = match colors {
        // The ends of the means.
        Colors::Scale(_) => {
            let finite = || values.iter().copied().filter(|value| value.is_finite());
            Colors::Scale([finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max)])
        }
        other => other.clone(),
    };
    let most = rows_in.iter().max().copied().unwrap_or(1);
    let kind = if words > 0 { "the most frequent of" } else { "the mean of" };
    let note = match most {
        1 => format!("{} over {} and {}", columns[2], columns[0], columns[1]),
        _ => format!("{} over {} and {}, {kind} up to {most} samples in a cell", columns[2], columns[0], columns[1]),
    };
    Ok(Some((Content::Heat(Heat { edges: [x.edges.clone(), y.edges.clone()], cells: values, colors }), note)))
}

fn curves(
    table: &TableFiles,
    columns: &[&str],
    survey: &Survey,
    x: &Grid,
    colors: &Colors,
) -> Result<(Content, String), PictureError> {
    let names: Vec<Option<String>> = match colors {
        Colors::Words(words) => words.iter().cloned().map(Some).collect(),
        _ => vec![None],
    };
    let places = x.sorted.len();
    let nothing = [0.0, 0.0, f64::INFINITY, f64::NEG_INFINITY];
    // Count, sum, least and largest value.
    let mut found = vec![nothing; names.len() * places];
    let mut rank = vec![0; places];
    for (place, value) in survey.axes[0].values.iter().enumerate() {
        rank[place] = x.sorted.partition_point(|other| other < value);
    }
    let mut most: f64 = 0.0;
    table.visit(columns, |block| {
        let [xs, ys] = [0, 1].map(|k: usize| numbers(&block[k]));
        let values = color_numbers(block.get(2), colors, xs.len());
        for ((a, b), value) in xs.iter().zip(ys).zip(values) {
            let group = if names.len() == 1 && *colors == Colors::None { Some(0) } else { index(value) };
            let (Some(place), Some(group)) = (survey.axes[0].places.get(&a.to_bits()), group) else { continue };
            if b.is_finite() {
                let [count, sum, low, high] = &mut found[group * places + rank[*place]];
                (*count, *sum) = (*count + 1.0, *sum + b);
                (*low, *high) = (low.min(*b), high.max(*b));
                most = most.max(*count);
            }
        }
    })?;
    let bands = names.into_iter().enumerate().map(|(group, name)| {
        let rows = x.sorted.iter().zip(&found[group * places..(group + 1) * places]);
        let points = rows.filter(|(_, row)| row[0] > 0.0).map(|(x, row)| [*x, row[1] / row[0], row[2], row[3]]);
        Band { name, points: points.collect() }
    });
    let bands: Vec<Band> = bands.filter(|band| !band.points.is_empty()).collect();
    let kind = match (most > 1.0, bands.len()) {
        (false, _) => String::new(),
        (true, 1) => format!(": the mean, and the range of up to {most} samples"),
        (true, _) => format!(": means of up to {most} samples"),
    };
    let note = format!("{} over {}{kind}", columns[1], columns[0]);
    Ok((Content::Curves(bands), note))
}

fn index(value: f64) -> Option<usize> {
    (value >= 0.0).then_some(value as usize)
}

fn points(
    table: &TableFiles,
    columns: &[&str],
    survey: &Survey,
    colors: Colors,
) -> Result<(Content, String), PictureError> {
    let stride = survey.rows.div_ceil(MOST_POINTS).max(1);
    let mut points = Vec::new();
    let mut row = 0;
    table.visit(columns, |block| {
        let [xs, ys] = [0, 1].map(|k: usize| numbers(&block[k]));
        let values = color_numbers(block.get(2), &colors, xs.len());
        for ((x, y), value) in xs.iter().zip(ys).zip(values) {
            if row % stride == 0 && x.is_finite() && y.is_finite() && (colors == Colors::None || value.is_finite()) {
                points.push([*x, *y, value]);
            }
            row += 1;
        }
    })?;
    let count = points.len();
    let note = match stride {
        1 => format!("{} over {}, {count} samples", columns[1], columns[0]),
        _ => format!("{} over {}, {count} of {} samples", columns[1], columns[0], survey.rows),
    };
    Ok((Content::Points { points, colors }, note))
}
