//! Figures of maps, impulses, runs and sweeps: from data to a drawing, and from the drawing to SVG or PNG.
//!
//! Text is drawn as the outlines of an embedded font (DejaVu Sans Condensed), so that a figure looks the same everywhere.
//!
//! | file | contents |
//! |---|---|
//! | `drawing` | shapes and lines of text, before they are written |
//! | `font` | text as glyphs |
//! | `svg` | drawings as SVG |
//! | `png` | drawings as pixels |
//! | `style` | colours, lines and patterns |
//! | `plot` | axes |
//! | `layout` | placement of labels |
//! | `legend` | the key of a map |
//! | `heading` | titles above a plot |
//! | `marks` | marks of different shapes, with labels |
//! | `contours` | lines of equal energy change |
//! | `map` | the figure of a map |
//! | `impulse` | the impulse diagram of one impact |
//! | `sweep` | the figure of a sweep |
//! | `color` | colours of numbers and words |
//! | `run` | the figure of a run |
//! | `panel` | one panel of that figure |
//! | `strips` | modes over time |
//! | `decimate` | thinning of lines to the visible resolution |

mod color;
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
mod sweep;

use crate::sweep::Picture;
use carom_sim::Record;
use carom_study::{Comparison, DiagramError, Map};
pub use contours::{LevelLines, map_contours};
use drawing::Drawing;
use font::Fonts;

/// Options of a map's figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FigureOptions {
    /// Whether the paper's set \[41\] is hatched.
    pub admissible_set: bool,
}

/// The smallest and the largest width of a PNG in pixels: the lower bound is for legibility, the upper for memory.
pub const WIDTHS: [u32; 2] = [100, 4000];

/// Why a figure cannot be drawn.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FigureError {
    /// The embedded font cannot be read: a broken build.
    #[error("the embedded font cannot be read: {0}")]
    Font(String),
    /// The impact has no impulse diagram.
    #[error(transparent)]
    Diagram(#[from] DiagramError),
    /// A width out of bounds.
    #[error("width = {value} is outside [{}, {}] pixels", WIDTHS[0], WIDTHS[1])]
    Width {
        /// The given width.
        value: u32,
    },
    /// The image is too large.
    #[error("an image of {width} x {height} pixels is too large for memory: give a smaller width")]
    Size {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
}

/// The map as SVG.
///
/// # Errors
/// The embedded font cannot be read.
pub fn svg(map: &Map, options: &FigureOptions) -> Result<String, FigureError> {
    let fonts = Fonts::embedded()?;
    Ok(svg::write(&draw(map, options, &fonts), &fonts))
}

/// The map as a PNG of a given width in pixels, within [`WIDTHS`].
///
/// # Errors
/// The embedded font cannot be read, or the width is out of bounds.
#[cfg(feature = "png")]
pub fn png(map: &Map, options: &FigureOptions, width: u32) -> Result<Vec<u8>, FigureError> {
    let fonts = Fonts::embedded()?;
    png::write(&draw(map, options, &fonts), &fonts, checked(width)?)
}

/// The impulse diagram of one impact, with every law's answer, as SVG.
///
/// # Errors
/// The contact has no tangents or separates, or the embedded font cannot be read.
pub fn impulses_svg(title: &str, comparison: &Comparison) -> Result<String, FigureError> {
    let fonts = Fonts::embedded()?;
    Ok(svg::write(&impulse::draw(title, comparison, &fonts)?, &fonts))
}

/// The impulse diagram of one impact as a PNG of a given width in pixels, within [`WIDTHS`].
///
/// # Errors
/// Those of [`impulses_svg`], or the width is out of bounds.
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

/// The run as a PNG of a given width in pixels.
///
/// # Errors
/// The embedded font cannot be read, or the image is too large.
#[cfg(feature = "png")]
pub fn run_png(record: &Record, title: &str, width: u32) -> Result<Vec<u8>, FigureError> {
    let fonts = Fonts::embedded()?;
    png::write(&run::draw(record, title, &fonts), &fonts, checked(width)?)
}

/// A column of a sweep over two others as SVG.
///
/// # Errors
/// The embedded font cannot be read.
pub fn sweep_svg(picture: &Picture) -> Result<String, FigureError> {
    let fonts = Fonts::embedded()?;
    Ok(svg::write(&sweep::draw(picture, &fonts), &fonts))
}

/// A column of a sweep over two others as a PNG of a given width in pixels, within [`WIDTHS`].
///
/// # Errors
/// The embedded font cannot be read, or the width is out of bounds.
#[cfg(feature = "png")]
pub fn sweep_png(picture: &Picture, width: u32) -> Result<Vec<u8>, FigureError> {
    let fonts = Fonts::embedded()?;
    png::write(&sweep::draw(picture, &fonts), &fonts, checked(width)?)
}

fn draw(map: &Map, options: &FigureOptions, fonts: &Fonts) -> Drawing {
    map::draw(map, options, fonts)
}
