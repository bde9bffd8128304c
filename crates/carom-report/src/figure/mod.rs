//! Maps, impulses and runs as pictures: from data to a drawing, from the drawing to SVG or PNG.
//!
//! Text is drawn as the outlines of an embedded font (DejaVu Sans Condensed), so that a figure looks the same everywhere.
//!
//! | file | what it has |
//! |---|---|
//! | `drawing` | shapes and lines of text, before they are written |
//! | `font` | text into glyphs |
//! | `svg` | drawings as SVG |
//! | `png` | drawings as pixels |
//! | `style` | colours, lines and patterns |
//! | `plot` | axes |
//! | `layout` | places for labels |
//! | `legend` | the key of a map |
//! | `heading` | titles above a plot |
//! | `marks` | marks told apart by shape, with their names |
//! | `contours` | lines of equal energy |
//! | `map` | the picture of a map |
//! | `impulse` | the picture of the impulses of one impact |
//! | `run` | the picture of a run |
//! | `panel` | one panel of it |
//! | `strips` | modes over time |
//! | `decimate` | as many points as can be seen |

mod contours;
mod decimate;
mod drawing;
mod font;
mod heading;
mod impulse;
mod layout;
mod legend;
mod map;
mod marks;
mod panel;
mod plot;
#[cfg(feature = "png")]
mod png;
mod run;
mod strips;
mod style;
mod svg;

use carom_sim::Record;
use carom_study::{Comparison, DiagramError, Map};
use drawing::Drawing;
use font::Fonts;

/// What a figure shows beside the regions and curves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// The paper's set \[41\], hatched.
    pub admissible_set: bool,
}

/// The least and the largest number of pixels across a PNG: letters need the one, memory the other.
pub const WIDTHS: [u32; 2] = [100, 4000];

/// Why there is no picture.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FigureError {
    /// The embedded font cannot be read: a broken build.
    #[error("the embedded font cannot be read: {0}")]
    Font(String),
    /// An impact whose impulses have no picture.
    #[error(transparent)]
    Diagram(#[from] DiagramError),
    /// A width out of bounds.
    #[error("width = {value} is outside [{}, {}] pixels", WIDTHS[0], WIDTHS[1])]
    Width {
        /// What was asked for.
        value: u32,
    },
    /// The picture is too large to be held.
    #[error("a picture of {width} x {height} pixels cannot be drawn")]
    Size {
        /// Pixels across.
        width: u32,
        /// Pixels down.
        height: u32,
    },
}

/// The map as SVG.
///
/// # Errors
/// The embedded font cannot be read.
pub fn svg(map: &Map, options: &Options) -> Result<String, FigureError> {
    let fonts = Fonts::embedded()?;
    Ok(svg::write(&draw(map, options, &fonts), &fonts))
}

/// The map as a PNG of so many pixels across, in [`WIDTHS`].
///
/// # Errors
/// The embedded font cannot be read, or the width is out of bounds.
#[cfg(feature = "png")]
pub fn png(map: &Map, options: &Options, width: u32) -> Result<Vec<u8>, FigureError> {
    let fonts = Fonts::embedded()?;
    png::write(&draw(map, options, &fonts), &fonts, checked(width)?)
}

/// The impulses of one impact, every law's among them, as SVG.
///
/// # Errors
/// The contact has no tangents or separates, or the embedded font cannot be read.
pub fn impulses_svg(title: &str, comparison: &Comparison) -> Result<String, FigureError> {
    let fonts = Fonts::embedded()?;
    Ok(svg::write(&impulse::draw(title, comparison, &fonts)?, &fonts))
}

/// The same as a PNG of so many pixels across, in [`WIDTHS`].
///
/// # Errors
/// As [`impulses_svg`], or the width is out of bounds.
#[cfg(feature = "png")]
pub fn impulses_png(title: &str, comparison: &Comparison, width: u32) -> Result<Vec<u8>, FigureError> {
    let fonts = Fonts::embedded()?;
    png::write(&impulse::draw(title, comparison, &fonts)?, &fonts, checked(width)?)
}

#[cfg(feature = "png")]
fn checked(width: u32) -> Result<u32, FigureError> {
    if (WIDTHS[0]..=WIDTHS[1]).contains(&width) { Ok(width) } else { Err(FigureError::Width { value: width }) }
}

/// The run as SVG: modes, gaps, energies and the residual of the energy book over time.
///
/// # Errors
/// The embedded font cannot be read.
pub fn run_svg(record: &Record, title: &str) -> Result<String, FigureError> {
    let fonts = Fonts::embedded()?;
    Ok(svg::write(&run::draw(record, title, &fonts), &fonts))
}

/// The run as a PNG of so many pixels across.
///
/// # Errors
/// The embedded font cannot be read, or the picture is too large.
#[cfg(feature = "png")]
pub fn run_png(record: &Record, title: &str, width: u32) -> Result<Vec<u8>, FigureError> {
    let fonts = Fonts::embedded()?;
    png::write(&run::draw(record, title, &fonts), &fonts, checked(width)?)
}

fn draw(map: &Map, options: &Options, fonts: &Fonts) -> Drawing {
    map::draw(map, options, fonts)
}
