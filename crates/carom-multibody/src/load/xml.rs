//! XML with source locations: every error gives file, line, element and attribute.

use std::path::Path;
use std::str::FromStr;

use roxmltree::{Document, Node, ParsingOptions};

use super::{Files, LoadError, LoadErrorKind};

type Result<T> = std::result::Result<T, LoadError>;

/// A file's text.
pub(super) fn read(path: &Path, files: &dyn Files) -> Result<String> {
    let bytes = files.read(path).map_err(|error| LoadError {
        kind: LoadErrorKind::Read,
        file: path.to_owned(),
        line: None,
        message: format!("cannot be read: {error}"),
    })?;
    // Comments and mesh names in other encodings do not matter; keywords and numbers are ASCII.
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// Largest number of attributes of an element: the parser compares each with all others.
const MOST_ATTRIBUTES: usize = 1000;

/// A file's elements.
pub(super) fn parse<'t>(text: &'t str, path: &Path) -> Result<Document<'t>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if let Some(line) = crowded(text) {
        return Err(LoadError {
            kind: LoadErrorKind::Syntax,
            file: path.to_owned(),
            line: Some(line),
            message: format!("an element has more than {MOST_ATTRIBUTES} attributes"),
        });
    }
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|error| LoadError {
        kind: LoadErrorKind::Syntax,
        file: path.to_owned(),
        line: Some(error.pos().row as usize).filter(|&line| line > 0),
        message: format!("is not XML: {error}"),
    })
}

/// The line of the first element with too many attributes. Text that is not well-formed is left to the parser.
fn crowded(text: &str) -> Option<usize> {
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let tag = &rest[at + 1..];
        let apart = [("!--", "-->"), ("![CDATA[", "]]>"), ("?", "?>")];
        if let Some((_, end)) = apart.iter().find(|(start, _)| tag.starts_with(start)) {
            rest = &tag[tag.find(end)? + end.len()..];
            continue;
        }
        let (mut quote, mut attributes, mut length) = (None, 0, tag.len());
        for (i, byte) in tag.bytes().enumerate() {
            match (quote, byte) {
                (None, b'"' | b'\'') => {
                    attributes += 1;
                    quote = Some(byte);
                }
                (None, b'>') => {
                    length = i;
                    break;
                }
                (Some(open), _) if open == byte => quote = None,
                _ => {}
            }
        }
        if attributes > MOST_ATTRIBUTES {
            return Some(1 + text[..text.len() - tag.len()].matches('\n').count());
        }
        rest = &tag[length..];
    }
    None
}

/// The line of an element, counted from 1.
pub(super) fn line(node: Node<'_, '_>) -> usize {
    node.document().text_pos_at(node.range().start).row as usize
}

/// An error at an element.
pub(super) fn fault(kind: LoadErrorKind, path: &Path, node: Node<'_, '_>, message: impl Into<String>) -> LoadError {
    LoadError { kind, file: path.to_owned(), line: Some(line(node)), message: message.into() }
}

/// The starts of all lines of a document, so that a line is found without reading everything before it.
pub(super) struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    pub(super) fn of(document: &Document<'_>) -> Self {
        let ends = document.input_text().bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self { starts: std::iter::once(0).chain(ends.map(|(i, _)| i + 1)).collect() }
    }

    /// The line of an element of the document, counted from 1.
    fn line(&self, node: Node<'_, '_>) -> usize {
        let start = node.range().start;
        self.starts.partition_point(|&other| other <= start)
    }
}

/// An element of a file, with access to its attributes.
#[derive(Clone, Copy)]
pub(super) struct Element<'e, 'i, 'p> {
    pub(super) node: Node<'e, 'i>,
    pub(super) path: &'p Path,
    pub(super) lines: &'p Lines,
}

impl<'e, 'i, 'p> Element<'e, 'i, 'p> {
    pub(super) fn name(&self) -> &'e str {
        self.node.tag_name().name()
    }

    pub(super) fn line(&self) -> usize {
        self.lines.line(self.node)
    }

    /// Its child elements.
    pub(super) fn children(self) -> impl Iterator<Item = Element<'e, 'i, 'p>> {
        let Self { path, lines, .. } = self;
        self.node.children().filter(Node::is_element).map(move |node| Element { node, path, lines })
    }

    /// The first child element with a name.
    pub(super) fn child(self, name: &str) -> Option<Element<'e, 'i, 'p>> {
        self.children().find(|child| child.name() == name)
    }

    pub(super) fn text(&self, attribute: &str) -> Option<&'e str> {
        self.node.attribute(attribute)
    }

    /// A required attribute.
    pub(super) fn required(&self, attribute: &str) -> Result<&'e str> {
        self.text(attribute).ok_or_else(|| self.value(format!("<{}> needs the attribute {attribute}", self.name())))
    }

    /// An attribute with one number.
    pub(super) fn number(&self, attribute: &str) -> Result<Option<f64>> {
        self.text(attribute).map(|text| self.parse_number(attribute, text)).transpose()
    }

    /// An attribute with exactly N numbers.
    pub(super) fn numbers<const N: usize>(&self, attribute: &str) -> Result<Option<[f64; N]>> {
        let Some(list) = self.list(attribute)? else { return Ok(None) };
        let count = list.len();
        <[f64; N]>::try_from(list)
            .map(Some)
            .map_err(|_| self.value(format!("<{}> {attribute} has {count} numbers, but needs {N}", self.name())))
    }

    /// An attribute with any number of numbers.
    pub(super) fn list(&self, attribute: &str) -> Result<Option<Vec<f64>>> {
        let Some(text) = self.text(attribute) else { return Ok(None) };
        text.split_whitespace().map(|word| self.parse_number(attribute, word)).collect::<Result<_>>().map(Some)
    }

    fn parse_number(&self, attribute: &str, text: &str) -> Result<f64> {
        let finite = f64::from_str(text.trim()).ok().filter(|number| number.is_finite());
        finite.ok_or_else(|| self.value(format!("<{}> {attribute} = {text:?} is not a finite number", self.name())))
    }

    /// An error about a value in this element.
    pub(super) fn value(&self, message: impl Into<String>) -> LoadError {
        fault(LoadErrorKind::Value, self.path, self.node, message)
    }

    /// An error about an unsupported feature of this element.
    pub(super) fn unsupported(&self, message: impl Into<String>) -> LoadError {
        fault(LoadErrorKind::Unsupported, self.path, self.node, message)
    }
}
