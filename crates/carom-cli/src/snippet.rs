//! The lines of a document that an error concerns.

use carom::ProblemError;
use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource, Report};

/// Lines longer than this are not shown.
const LONGEST: usize = 160;

/// The location in the document, shown below the message; empty if it is not known.
pub fn snippet(source: &str, text: &str, error: &ProblemError) -> String {
    let Some(span) = error.span.clone().filter(|span| text.get(span.clone()).is_some()) else {
        return String::new();
    };
    // A value that spans several lines is marked at its start.
    let end = text[span.clone()].find('\n').map_or(span.end, |length| span.start + length);
    let line = text[..span.start].matches('\n').count();
    let shown = text.lines().skip(line.saturating_sub(1)).take(3);
    if shown.map(str::len).max().unwrap_or(0) > LONGEST {
        return String::new();
    }
    let label = LabeledSpan::at(span.start..end, error.field.clone().unwrap_or_default());
    let diagnostic = MietteDiagnostic::new(String::new()).with_label(label);
    let report = Report::new(diagnostic).with_source_code(NamedSource::new(source, text.to_owned()));
    let mut drawn = String::new();
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor());
    if handler.render_report(&mut drawn, report.as_ref()).is_err() {
        return String::new();
    }
    // The message is printed already; only the part from the frame on is needed.
    let frame = drawn.lines().skip_while(|line| !line.contains('╭')).map(str::trim_end);
    frame.flat_map(|line| ["\n", line]).collect()
}
