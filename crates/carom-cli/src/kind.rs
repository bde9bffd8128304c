//! Output formats by file extension.

use std::io::{self, IsTerminal};
use std::path::Path;

use crate::failure::Failure;

/// Default width of a PNG in pixels: 8 cm at 380 dpi.
#[cfg(feature = "png")]
pub const PIXELS: u32 = 1200;

/// The name of standard output in place of a file.
pub const STDOUT: &str = "-";

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
        if path == Path::new(STDOUT) {
            return Err(Failure::FormatOfStdout { formats: formats(offered) });
        }
        let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
        let found = offered.iter().copied().find(|kind| ending.as_deref() == Some(kind.ending()));
        match ending.as_deref() {
            #[cfg(not(feature = "parquet"))]
            Some("parquet") if offered.contains(&Kind::Csv) => {
                Err(Failure::Feature { path: path.to_owned(), feature: "parquet", endings: listed(offered) })
            }
            #[cfg(not(feature = "png"))]
            Some("png") if offered.contains(&Kind::Svg) => {
                Err(Failure::Feature { path: path.to_owned(), feature: "png", endings: listed(offered) })
            }
            _ => found.ok_or_else(|| Failure::Ending { path: path.to_owned(), endings: listed(offered) }),
        }
    }

    /// The kind, for standard output: bytes that are not text are refused for a terminal.
    #[cfg_attr(not(any(feature = "png", feature = "parquet")), allow(dead_code))]
    pub fn for_stdout(self) -> Result<Self, Failure> {
        let is_text = matches!(self, Self::Svg | Self::Json | Self::Csv | Self::Html);
        match is_text || !io::stdout().is_terminal() {
            true => Ok(self),
            false => Err(Failure::BytesToTerminal { format: self.ending() }),
        }
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
    joined(offered.iter().map(|kind| format!(".{}", kind.ending())).collect())
}

/// `svg, png or json`
fn formats(offered: &[Kind]) -> String {
    joined(offered.iter().map(|kind| kind.ending().to_owned()).collect())
}

fn joined(endings: Vec<String>) -> String {
    match endings.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_that_was_left_out_says_how_to_get_it() {
        let error = Kind::of(Path::new("run.parquet"), &[Kind::Csv, Kind::Json]).expect_err("not offered").to_string();
        if cfg!(feature = "parquet") {
            assert_eq!(error, "cannot tell the format of run.parquet: use the extension .csv or .json");
        } else {
            assert!(error.contains("built without the feature parquet"), "{error}");
            assert!(error.contains("cargo install --path crates/carom-cli --features parquet"), "{error}");
            assert!(error.contains("or use the extension .csv or .json"), "{error}");
        }
    }
}
