//! The files of a model: the main file and its includes, read as one tree.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use roxmltree::{Document, Node};

use crate::load::xml::{self, Element, Lines};
use crate::load::{Files, LoadError, LoadErrorKind};

/// Largest nesting depth of elements, as in MuJoCo; bodies are read recursively.
const DEEPEST: usize = 500;

/// An element of any of the files.
pub(super) type Part<'a> = Element<'a, 'a, 'a>;

/// The text of a file that another includes.
pub(super) struct Included {
    pub(super) path: PathBuf,
    pub(super) text: String,
}

/// Every file that the main file includes, directly or indirectly.
pub(super) fn collect(document: &Document<'_>, path: &Path, files: &dyn Files) -> Result<Vec<Included>, LoadError> {
    let mut found = Vec::new();
    let mut seen = vec![files.identity(path)];
    gather(document, path, (path, files), 0, &mut seen, &mut found)?;
    Ok(found)
}

/// `outer` is the depth of the `<include>` in the including files.
fn gather(
    document: &Document<'_>,
    path: &Path,
    (main, files): (&Path, &dyn Files),
    outer: usize,
    seen: &mut Vec<PathBuf>,
    found: &mut Vec<Included>,
) -> Result<(), LoadError> {
    for node in document.descendants() {
        if node.is_element() && node.ancestors().nth(DEEPEST.saturating_sub(outer)).is_some() {
            let message = format!("elements are nested more than {DEEPEST} deep");
            return Err(xml::fault(LoadErrorKind::Structure, path, node, message));
        }
    }
    let lines = Lines::of(document);
    for node in document.descendants().filter(is_include) {
        let element = Element { node, path, lines: &lines };
        let place = locate(main, path, element.required("file")?, files);
        let own = files.identity(&place);
        if seen.contains(&own) {
            return Err(xml::fault(
                LoadErrorKind::Structure,
                path,
                node,
                format!("{} is included twice; a file can be included only once", place.display()),
            ));
        }
        seen.push(own);
        let text = xml::read(&place, files).map_err(|error| {
            let message = format!("the included file {} {}", place.display(), error.message);
            xml::fault(error.kind, path, node, message)
        })?;
        let inner = xml::parse(&text, &place)?;
        if !inner.root_element().children().any(|child| child.is_element()) {
            let message = format!("the included file {} has no elements", place.display());
            return Err(xml::fault(LoadErrorKind::Structure, path, node, message));
        }
        gather(&inner, &place, (main, files), outer + node.ancestors().count(), seen, found)?;
        drop(inner);
        found.push(Included { path: place, text });
    }
    Ok(())
}

fn is_include(node: &Node<'_, '_>) -> bool {
    node.is_element() && node.tag_name().name() == "include"
}

/// Relative to the main file; if it does not exist there, relative to the including file.
fn locate(main: &Path, including: &Path, file: &str, files: &dyn Files) -> PathBuf {
    let beside = |path: &Path| path.parent().unwrap_or(Path::new("")).join(file);
    let first = beside(main);
    let second = beside(including);
    if !files.exists(&first) && files.exists(&second) { second } else { first }
}
/// All files of a model, ready to be traversed.
pub(super) struct Sources<'a> {
    pub(super) root: Part<'a>,
    /// Root elements of the included files.
    pub(super) disk: &'a dyn Files,
    included: HashMap<&'a Path, Part<'a>>,
}

impl<'a> Sources<'a> {
    pub(super) fn new(
        (document, lines): (&'a Document<'a>, &'a Lines),
        path: &'a Path,
        files: &'a [Included],
        documents: &'a [Document<'a>],
        lines_of_documents: &'a [Lines],
        disk: &'a dyn Files,
    ) -> Self {
        let part = |document: &'a Document<'a>, path: &'a Path, lines: &'a Lines| Element {
            node: document.root_element(),
            path,
            lines,
        };
        let included = files.iter().zip(documents).zip(lines_of_documents);
        let included =
            included.map(|((file, document), lines)| (file.path.as_path(), part(document, &file.path, lines)));
        Self { root: part(document, path, lines), disk, included: included.collect() }
    }

    /// The child elements, with included files in place of their `<include>`.
    pub(super) fn children(&self, part: Part<'a>) -> Vec<Part<'a>> {
        let mut list = Vec::new();
        self.append(part, &mut list);
        list
    }

    fn append(&self, part: Part<'a>, list: &mut Vec<Part<'a>>) {
        for child in part.children() {
            if !is_include(&child.node) {
                list.push(child);
                continue;
            }
            let place = child.text("file").map(|file| locate(self.root.path, part.path, file, self.disk));
            if let Some(&root) = place.as_deref().and_then(|place| self.included.get(place)) {
                self.append(root, list);
            }
        }
    }

    /// Child elements of all sections with a name, in file order.
    pub(super) fn section(&self, name: &str) -> Vec<Part<'a>> {
        self.sections(name).into_iter().flat_map(|section| self.children(section)).collect()
    }

    /// All sections with a name.
    pub(super) fn sections(&self, name: &str) -> Vec<Part<'a>> {
        self.children(self.root).into_iter().filter(|section| section.name() == name).collect()
    }
}
