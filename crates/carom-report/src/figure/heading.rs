//! The heading above a plot: a title and a sentence, wrapped where necessary.

use super::drawing::Drawing;
use super::drawing::Line;
use super::font::Fonts;
use crate::printable;

const TITLE_SIZE: f64 = 10.0;
const SENTENCE_SIZE: f64 = 8.5;
/// Line spacing, in units of the text size.
const LEADING: f64 = 1.3;

/// A plain title and a marked sentence as lines with their sizes.
pub(super) fn lines(title: &str, sentence: &str, width: f64, fonts: &Fonts) -> Vec<(Line, f64)> {
    let title = broken(&printable(title), |text| fonts.plain(text), width / TITLE_SIZE, 3).into_iter();
    let sentence = broken(sentence, |text| fonts.marked(text), width / SENTENCE_SIZE, 3).into_iter();
    title.map(|line| (line, TITLE_SIZE)).chain(sentence.map(|line| (line, SENTENCE_SIZE))).collect()
}

pub(super) fn height(lines: &[(Line, f64)]) -> f64 {
    lines.iter().map(|(_, size)| LEADING * size).sum()
}

/// Draws the lines from the top left.
pub(super) fn draw(drawing: &mut Drawing, lines: Vec<(Line, f64)>, margin: f64) {
    let mut y = margin;
    for (line, size) in lines {
        y += LEADING * size;
        drawing.text([margin, y - 0.3 * size], line, size);
    }
}

/// Replaces words of the report by symbols of the notation.
pub(super) fn symbols(text: &str) -> String {
    let words = text.split(' ').map(|word| match word {
        "e" => "*e*".to_owned(),
        word => word.replace("mu_s", "*μ*_{s}").replace("mu_d", "*μ*_{d}").replace("e_t", "*e*_{t}"),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Wraps text to a width in units of the text size, into at most `most` lines.
pub(super) fn broken(text: &str, line: impl Fn(&str) -> Line, width: f64, most: usize) -> Vec<Line> {
    let mut lines = vec![String::new()];
    for word in text.split_ascii_whitespace() {
        let word = &cut(word, &line, width);
        let full = lines.len();
        let last = &mut lines[full - 1];
        let longer = if last.is_empty() { word.clone() } else { format!("{last} {word}") };
        if line(&longer).width <= width || last.is_empty() {
            *last = longer;
        } else if full == most {
            last.push('…');
            break;
        } else {
            lines.push(word.clone());
        }
    }
    lines.iter().map(|text| line(text)).collect()
}

/// A word cut to the width of a line.
fn cut(word: &str, line: &impl Fn(&str) -> Line, width: f64) -> String {
    // No line holds as many.
    const MOST: usize = 200;
    let mut shown: String = word.chars().take(MOST).collect();
    let mut kept = shown.chars().count();
    while kept > 0 && line(&shown).width > width {
        kept -= 1;
        shown = word.chars().take(kept).chain(['…']).collect();
    }
    shown
}
