//! The lines of a document that an error concerns.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use carom::ProblemError;

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
    if text.lines().nth(line).map_or(0, str::len) > LONGEST {
        return String::new();
    }
    let label = error.field.as_deref().unwrap_or_default();
    let marked =
        Snippet::source(text).path(source).annotation(AnnotationKind::Primary.span(span.start..end).label(label));
    let group = Level::ERROR.no_name().primary_title("").element(marked);
    let drawn = Renderer::plain().render(&[group]);
    // The message is printed already; only the part below the title is needed.
    let lines = drawn.lines().skip_while(|line| !line.trim_start().starts_with("-->")).map(str::trim_end);
    lines.flat_map(|line| ["\n", line]).collect()
}
