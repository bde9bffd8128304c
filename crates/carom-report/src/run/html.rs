//! A run as one self-contained page that plays its motion: drawings, a chart, the events, without network access.

use std::io::{self, Write};

use carom_multibody::DynamicsError;
use carom_sim::Record;

use super::page::page;
use super::scripts::script;
use crate::printable;

const PAGE: &str = include_str!("player/index.html");
const STYLE: &str = concat!(include_str!("player/colours.css"), include_str!("player/player.css"));

/// Why a page cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PageError {
    /// A sample is not a valid state of the model.
    #[error(transparent)]
    Motion(#[from] DynamicsError),
    /// Writing fails.
    #[error(transparent)]
    Write(#[from] io::Error),
}

/// The page.
///
/// # Errors
/// A sample is not a valid state of the model, or writing fails.
pub fn run_html(record: &Record, title: &str, output: &mut impl Write) -> Result<(), PageError> {
    let data = run_page_json(record, title)?;
    // A name may contain anything, so `<` is escaped lest a tag end the script.
    let data = data.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029");
    let mut rest = PAGE;
    for (mark, text) in
        [("@TITLE@", escaped(title)), ("@STYLE@", STYLE.to_owned()), ("@DATA@", data), ("@SCRIPT@", script())]
    {
        let (before, after) = rest.split_once(mark).unwrap_or((rest, ""));
        output.write_all(before.as_bytes())?;
        output.write_all(text.as_bytes())?;
        rest = after;
    }
    output.write_all(rest.as_bytes())?;
    Ok(())
}

/// The data of the page of a run, as JSON.
///
/// # Errors
/// A sample is not a valid state of the model, or a number cannot be written.
pub fn run_page_json(record: &Record, title: &str) -> Result<String, PageError> {
    Ok(serde_json::to_string(&page(record, title)?).map_err(io::Error::from)?)
}

fn escaped(text: &str) -> String {
    printable(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
