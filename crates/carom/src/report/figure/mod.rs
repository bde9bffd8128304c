//! Maps and runs as pictures: from data to a drawing, from the drawing to SVG or PNG.
//!
//! Text is drawn as the outlines of an embedded font (DejaVu Sans Condensed), so that a figure looks the same everywhere.

mod contours;
mod decimate;
mod drawing;
mod font;
mod layout;
mod legend;
mod map;
mod panel;
mod plot;
#[cfg(feature = "png")]
mod png;
mod run;
mod strips;
mod style;
mod svg;

use crate::analysis::Map;
use crate::sim::Record;
use drawing::Drawing;
use font::Fonts;

/// What a figure shows beside the regions and curves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// The paper's set \[41\], hatched.
    pub admissible_set: bool,
}

/// Why there is no picture.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FigureError {
    /// The embedded font cannot be read: a broken build.
    #[error("the embedded font cannot be read: {0}")]
    Font(String),
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

/// The map as a PNG of so many pixels across.
///
/// # Errors
/// The embedded font cannot be read, or the picture is too large.
#[cfg(feature = "png")]
pub fn png(map: &Map, options: &Options, width: u32) -> Result<Vec<u8>, FigureError> {
    let fonts = Fonts::embedded()?;
    png::write(&draw(map, options, &fonts), &fonts, width)
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
    png::write(&run::draw(record, title, &fonts), &fonts, width)
}

fn draw(map: &Map, options: &Options, fonts: &Fonts) -> Drawing {
    map::draw(map, options, fonts)
}
