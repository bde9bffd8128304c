//! What to write, by a file's ending.

use std::path::Path;

use crate::failure::Failure;

/// Pixels across a PNG: 8 cm at 380 dots an inch.
const PIXELS: u32 = 1200;

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

    /// The kind that a path ends in, one of those offered.
    pub fn of(path: &Path, offered: &'static [Kind]) -> Result<Self, Failure> {
        let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
        let found = offered.iter().copied().find(|kind| ending.as_deref() == Some(kind.ending()));
        found.ok_or_else(|| Failure::Ending { path: path.to_owned(), endings: listed(offered) })
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

/// The width of a PNG; of other files there is none to set.
pub fn pixels(kind: Kind, asked: Option<u32>) -> Result<u32, Failure> {
    match asked {
        Some(_) if kind.ending() != "png" => Err(Failure::Width { ending: kind.ending() }),
        Some(width) => Ok(width),
        None => Ok(PIXELS),
    }
}
