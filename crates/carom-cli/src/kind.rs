//! Output formats by file extension.

use std::path::Path;

use crate::failure::Failure;

/// Default width of a PNG in pixels: 8 cm at 380 dpi.
#[cfg(feature = "png")]
pub const PIXELS: u32 = 1200;

/// The kinds of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Svg,
    #[cfg(feature = "png")]
    Png,
    Json,
    Csv,
    #[cfg(feature = "parquet")]
    Parquet,
    Html,
}

impl Kind {
    fn ending(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            #[cfg(feature = "png")]
            Self::Png => "png",
            Self::Json => "json",
            Self::Csv => "csv",
            #[cfg(feature = "parquet")]
            Self::Parquet => "parquet",
            Self::Html => "html",
        }
    }

    /// The kind of a path's extension, one of those offered.
    pub fn of(path: &Path, offered: &'static [Kind]) -> Result<Self, Failure> {
        let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
        let found = offered.iter().copied().find(|kind| ending.as_deref() == Some(kind.ending()));
        found.ok_or_else(|| Failure::Ending { path: path.to_owned(), endings: listed(offered) })
    }

    /// Rejects a width in pixels for a format without pixels.
    pub fn check_width(self, width: Option<u32>) -> Result<(), Failure> {
        match width {
            Some(_) if self.ending() != "png" => Err(Failure::Width { ending: self.ending() }),
            _ => Ok(()),
        }
    }
}

/// `.svg, .png or .json`
fn listed(offered: &[Kind]) -> String {
    let endings: Vec<String> = offered.iter().map(|kind| format!(".{}", kind.ending())).collect();
    match endings.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}
