//! The picture of the workspace: crates with their folders, arrows downward.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::graph::{Graph, reduced};
use crate::layout::{Gap, Layout, Point, layout};
use crate::workspace::Workspace;

/// Height of a folder's box.
const FOLDER: f64 = 26.0;
/// Height of a crate's name, above its folders.
const TITLE: f64 = 30.0;
/// Margin around the folders of a crate, and around the picture.
const MARGIN: f64 = 14.0;
/// Space below the crates, for the sentence that explains the arrows.
const FOOT: f64 = 34.0;
/// Width of a letter relative to its size, for a wide font, since the reader's font is not known.
const LETTER: f64 = 0.62;
/// Sizes of letters: of crates, of folders, of notes.
const LETTERS: [f64; 3] = [14.0, 13.0, 11.0];

const STYLE: &str = "text{font-family:'DejaVu Sans',Verdana,sans-serif;fill:#1f2a36}\
.crate{fill:#f3f6fa;stroke:#7a8899}.folder{fill:#ffffff;stroke:#9fb0c3}\
.name{font-size:14px;font-weight:bold}.part{font-size:13px}.note{font-size:11px;fill:#5d6b7a}\
.arrow{fill:none;stroke:#55677a;stroke-width:1.3}.between{stroke:#22303d;stroke-width:1.8}.back{stroke:#c62828}";

/// Under the picture.
const SAYS: &str = "An arrow leads to what is used, in a crate also by way of its other files; what follows from other \
                    arrows is left out.";

/// A graph ready to be drawn.
struct Drawing {
    layout: Layout,
    sizes: Vec<Point>,
    /// The arrows, and which of them point back in a cycle: those are laid out against their direction.
    is_back: Vec<bool>,
}

impl Drawing {
    fn new(graph: &Graph, sizes: Vec<Point>, gap: Gap) -> Self {
        let (forward, back) = graph.without_cycles();
        let mut arrows: Vec<(usize, usize)> = reduced(&forward).into_iter().collect();
        let mut is_back = vec![false; arrows.len()];
        for (from, to) in back {
            arrows.push((to, from));
            is_back.push(true);
        }
        Self { layout: layout(&sizes, &arrows, gap), sizes, is_back }
    }

    fn arrows(&self, origin: Point, class: &str, out: &mut String) {
        for (route, is_back) in self.layout.routes.iter().zip(&self.is_back) {
            let (back, marker) = if *is_back { (" back", "start") } else { ("", "end") };
            let colour = if *is_back { "red" } else { "dark" };
            let curve = curve(route, origin);
            let _ = writeln!(out, r#"<path class="arrow{class}{back}" marker-{marker}="url(#{colour})" d="{curve}"/>"#);
        }
    }
}

/// A smooth line that leaves and enters every layer vertically.
fn curve(route: &[Point], origin: Point) -> String {
    let mut text = String::new();
    let at = |point: Point| format!("{:.1} {:.1}", origin.0 + point.0, origin.1 + point.1);
    for (step, point) in route.iter().enumerate() {
        let _ = match step {
            0 => write!(text, "M{}", at(*point)),
            odd if odd % 2 == 1 => write!(text, "L{}", at(*point)),
            _ => {
                let last = route[step - 1];
                let middle = (last.1 + point.1) / 2.0;
                write!(text, "C{} {} {}", at((last.0, middle)), at((point.0, middle)), at(*point))
            }
        };
    }
    text
}

/// A crate's box, before it is positioned.
struct Card {
    name: String,
    note: String,
    folders: Vec<String>,
    drawing: Drawing,
}

impl Card {
    fn new(workspace: &Workspace, package: &str) -> Self {
        let mut folders = BTreeSet::new();
        let mut files = 0;
        let mut whole = Graph::default();
        for one in workspace.crates.iter().filter(|one| one.package == package) {
            folders.extend(one.folders.iter().cloned());
            if let Some(top) = one.levels.first() {
                files += top.graph.nodes.len() - one.folders.len();
                whole = if one.name == package { top.graph.clone() } else { whole };
            }
        }
        let graph = whole.restricted(&folders);
        let width = |name: &String| (width(name, LETTERS[1]) + 20.0).max(64.0);
        let sizes = graph.nodes.iter().map(|name| (width(name), FOLDER)).collect();
        let drawing = Drawing::new(&graph, sizes, Gap { across: 14.0, down: 26.0 });
        let note = match (files, graph.nodes.is_empty()) {
            (0, _) => String::new(),
            (1, true) => "1 file".into(),
            (count, true) => format!("{count} files"),
            (1, false) => "and 1 file".into(),
            (count, false) => format!("and {count} files"),
        };
        Self { name: package.to_owned(), note, folders: graph.nodes, drawing }
    }

    fn size(&self) -> Point {
        let inner = self.drawing.layout.size;
        let note = if self.note.is_empty() { 0.0 } else { 12.0 + width(&self.note, LETTERS[2]) };
        let title = 1.08 * width(&self.name, LETTERS[0]) + note;
        let below = if self.folders.is_empty() { 6.0 } else { inner.1 + MARGIN };
        (title.max(inner.0) + 2.0 * MARGIN, TITLE + below)
    }

    fn draw(&self, corner: Point, out: &mut String) {
        let size = self.size();
        frame("crate", corner, size, out);
        let base = corner.1 + 22.0;
        text("name", "start", (corner.0 + MARGIN, base), &self.name, out);
        text("note", "end", (corner.0 + size.0 - MARGIN, base), &self.note, out);
        let inner = &self.drawing.layout;
        let origin = (corner.0 + (size.0 - inner.size.0) / 2.0, corner.1 + TITLE);
        for ((name, at), size) in self.folders.iter().zip(&inner.corners).zip(&self.drawing.sizes) {
            let at = (origin.0 + at.0, origin.1 + at.1);
            frame("folder", at, *size, out);
            text("part", "middle", (at.0 + size.0 / 2.0, at.1 + 17.5), name, out);
        }
        self.drawing.arrows(origin, "", out);
    }
}

/// The crates and their top-level folders as SVG: arrows point down to what is used, and those implied by others
/// are left out. Arrows that point back are red. Crates without an arrow are below the others.
pub fn picture(workspace: &Workspace) -> String {
    let packages = &workspace.packages;
    let is_joined =
        |name: &String| packages.edges.keys().any(|(a, b)| [a, b].iter().any(|id| packages.nodes[**id] == *name));
    let (joined, alone): (BTreeSet<String>, BTreeSet<String>) = packages.nodes.iter().cloned().partition(is_joined);
    let cards = |names: &BTreeSet<String>| names.iter().map(|name| Card::new(workspace, name)).collect::<Vec<_>>();
    let parts = [joined, alone].map(|names| {
        let cards = cards(&names);
        let sizes = cards.iter().map(Card::size).collect();
        let gap = Gap { across: 24.0, down: 48.0 };
        (Drawing::new(&packages.restricted(&names), sizes, gap), cards)
    });
    let widths = parts.iter().map(|(drawing, _)| drawing.layout.size.0);
    let width = widths.fold(width(SAYS, LETTERS[2]), f64::max) + 2.0 * MARGIN;
    let heights = parts.iter().map(|(drawing, _)| drawing.layout.size.1 + MARGIN);
    let height = heights.sum::<f64>() + 2.0 * MARGIN + FOOT;
    let mut out = String::new();
    let _ = writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0}" height="{height:.0}" viewBox="0 0 {width:.0} {height:.0}" role="img">"#
    );
    let _ =
        writeln!(out, "<title>The crates of the workspace and their folders</title>\n<style>{STYLE}</style>\n<defs>");
    for (name, colour) in BTreeMap::from([("dark", "#3a4a5a"), ("red", "#c62828")]) {
        let _ = writeln!(
            out,
            r#"<marker id="{name}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path d="M0 1L10 5L0 9Z" fill="{colour}"/></marker>"#
        );
    }
    let _ = writeln!(out, "</defs>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>");
    let mut top = MARGIN;
    for (drawing, cards) in &parts {
        let origin = ((width - drawing.layout.size.0) / 2.0, top);
        for (card, corner) in cards.iter().zip(&drawing.layout.corners) {
            card.draw((origin.0 + corner.0, origin.1 + corner.1), &mut out);
        }
        drawing.arrows(origin, " between", &mut out);
        top += drawing.layout.size.1 + 2.0 * MARGIN;
    }
    text("note", "middle", (width / 2.0, height - MARGIN), SAYS, &mut out);
    out + "</svg>\n"
}

fn width(text: &str, size: f64) -> f64 {
    LETTER * size * text.chars().count() as f64
}

fn frame(class: &str, corner: Point, size: Point, out: &mut String) {
    let ((x, y), (width, height)) = (corner, size);
    let radius = if class == "crate" { 8 } else { 4 };
    let place = format!(r#"x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}""#);
    let _ = writeln!(out, r#"<rect class="{class}" {place} rx="{radius}"/>"#);
}

fn text(class: &str, anchor: &str, at: Point, what: &str, out: &mut String) {
    if !what.is_empty() {
        let place = format!(r#"x="{:.1}" y="{:.1}" text-anchor="{anchor}""#, at.0, at.1);
        let _ = writeln!(out, r#"<text class="{class}" {place}>{what}</text>"#);
    }
}
