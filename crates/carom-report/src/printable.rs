//! Names and titles with control characters escaped.
//!
//! A name comes from a file and may contain anything: escape sequences, line breaks, marks that change the direction of
//! writing.

use std::borrow::Cow;

/// Whether a character affects the text around it instead of being shown: control characters, line and paragraph
/// separators, and the marks, embeddings, overrides and isolates of bidirectional text.
fn is_control(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Text for one line: control characters are written as `\n`, `\t`, `\u{1b}`.
pub fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, is_control, |c, out| out.extend(c.escape_default()))
}

/// Text with any number of lines: as [`printable`], but line breaks are kept.
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| c != '\n' && is_control(c), |c, out| out.extend(c.escape_default()))
}

/// JSON: characters that its strings may contain but a terminal would interpret are written as `\u001b`, which is equivalent.
pub fn printable_json(json: &str) -> Cow<'_, str> {
    let acts = |c: char| !matches!(c, '\n' | '\r' | '\t') && is_control(c);
    // None of these needs a surrogate pair.
    escaped(json, acts, |c, out| *out += &format!("\\u{:04x}", u32::from(c)))
}

fn escaped(text: &str, acts: impl Fn(char) -> bool, escape: impl Fn(char, &mut String)) -> Cow<'_, str> {
    if !text.chars().any(&acts) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if acts(c) { escape(c, &mut out) } else { out.push(c) }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_is_escaped_and_the_rest_is_not() {
        assert_eq!(printable("a\u{1b}[31m\nb\t\u{9b}2J\u{7f}\u{202e}c"), r"a\u{1b}[31m\nb\t\u{9b}2J\u{7f}\u{202e}c");
        assert_eq!(printable_lines("a\n\rb"), "a\n\\rb");
        for text in ["", "Fuß \"links\" \\ μ* é 足 🦿"] {
            assert!(matches!(printable(text), Cow::Borrowed(same) if same == text));
        }
    }

    #[test]
    fn escaped_json_means_the_same() {
        let name = "a\u{9b}31m\u{7f}\u{202e}\u{2028}\n";
        let json = serde_json::to_string(name).unwrap();
        let safe = printable_json(&json);
        assert!(safe.is_ascii() && safe.contains("\\u009b"), "{safe}");
        assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), name);
    }
}
