//! A drawing as SVG: plain paths, one definition per glyph.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::drawing::Line;
use super::drawing::{Colour, Drawing, Item, Path, Step, Stroke, Vec2};
use super::font::Fonts;
use crate::printable;

/// Decimals of coordinates in points: a hundredth is 4 µm.
const DECIMALS: usize = 2;

/// The SVG file.
pub(super) fn write(drawing: &Drawing, fonts: &Fonts) -> String {
    let [width, height] = drawing.size.map(number);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"{width}pt\" \
         height=\"{height}pt\" viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{}</title>\n<desc>{}</desc>\n<defs>\n",
        escaped(&drawing.title),
        escaped(&drawing.description)
    );
    definitions(&mut svg, drawing, fonts);
    svg += "</defs>\n";
    for item in &drawing.items {
        push_item(&mut svg, item, fonts);
    }
    svg + "</svg>\n"
}

fn definitions(svg: &mut String, drawing: &Drawing, fonts: &Fonts) {
    let glyphs: BTreeSet<(usize, u16)> = drawing
        .items
        .iter()
        .filter_map(|item| if let Item::Text { line, .. } = item { Some(line) } else { None })
        .flat_map(|line| line.glyphs.iter().map(|glyph| (glyph.face, glyph.id)))
        .collect();
    for (face, id) in glyphs {
        let outline = fonts.outline(face, id);
        put(svg, format_args!("<path id=\"g{face}-{id}\" d=\"{}\"/>\n", data(&outline)));
    }
    for (i, path) in drawing.clips.iter().enumerate() {
        let data = data(path);
        put(
            svg,
            format_args!(
                "<path id=\"p{i}\" d=\"{data}\"/><clipPath id=\"c{i}\"><use xlink:href=\"#p{i}\"/></clipPath>\n"
            ),
        );
    }
}

fn push_item(svg: &mut String, item: &Item, fonts: &Fonts) {
    match item {
        Item::Fill { path, colour } => {
            put(svg, format_args!("<path fill=\"{}\" d=\"{}\"/>\n", hex(*colour), data(path)));
        }
        Item::FillClip { clip, colour } => {
            put(svg, format_args!("<use xlink:href=\"#p{}\" fill=\"{}\"/>\n", clip.0, hex(*colour)));
        }
        Item::Stroke { path, stroke, clip } => {
            let clip = clip.map(|clip| format!(" clip-path=\"url(#c{})\"", clip.0)).unwrap_or_default();
            put(svg, format_args!("<path fill=\"none\"{}{clip} d=\"{}\"/>\n", stroke_attributes(stroke), data(path)));
        }
        Item::Text { at, line, size, is_turned, halo } => {
            if let Some(colour) = halo {
                let width = 0.28 * fonts.units();
                let attributes = format!(
                    " stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"",
                    hex(*colour),
                    number(width)
                );
                push_text(svg, *at, line, *size, *is_turned, &attributes, fonts);
            }
            push_text(svg, *at, line, *size, *is_turned, "", fonts);
        }
    }
}

fn push_text(svg: &mut String, at: Vec2, line: &Line, size: f64, is_turned: bool, attributes: &str, fonts: &Fonts) {
    let unit = size / fonts.units();
    let turn = if is_turned { " rotate(-90)" } else { "" };
    let [x, y] = at.map(number);
    let label = if attributes.is_empty() { format!(" aria-label=\"{}\"", escaped(&line.text)) } else { String::new() };
    put(svg, format_args!("<g{label}{attributes} transform=\"translate({x} {y}){turn} scale({unit:.5} -{unit:.5})\">"));
    for glyph in &line.glyphs {
        let (x, y) = (glyph.x * fonts.units(), glyph.y * fonts.units());
        let href = format!("xlink:href=\"#g{}-{}\"", glyph.face, glyph.id);
        if glyph.scale == 1.0 {
            put(svg, format_args!("<use {href} x=\"{x:.0}\"/>"));
        } else {
            put(svg, format_args!("<use {href} transform=\"translate({x:.0} {y:.0}) scale({})\"/>", glyph.scale));
        }
    }
    *svg += "</g>\n";
}

fn stroke_attributes(stroke: &Stroke) -> String {
    let mut text = format!(" stroke=\"{}\" stroke-width=\"{}\"", hex(stroke.colour), number(stroke.width));
    if !stroke.dash.is_empty() {
        let dash: Vec<String> = stroke.dash.iter().map(|x| number(*x)).collect();
        text += &format!(" stroke-dasharray=\"{}\"", dash.join(" "));
    }
    if stroke.is_round {
        text += " stroke-linecap=\"round\" stroke-linejoin=\"round\"";
    }
    text
}

/// The path data, with horizontal and vertical lines in short form.
fn data(path: &Path) -> String {
    let mut text = String::new();
    let mut here = [String::new(), String::new()];
    for step in &path.0 {
        match step {
            Step::Move(p) => {
                here = p.map(number);
                put(&mut text, format_args!("M{} {}", here[0], here[1]));
            }
            Step::Line(p) => {
                let next = p.map(number);
                match (next[0] == here[0], next[1] == here[1]) {
                    (true, true) => {}
                    (false, true) => put(&mut text, format_args!("H{}", next[0])),
                    (true, false) => put(&mut text, format_args!("V{}", next[1])),
                    (false, false) => put(&mut text, format_args!("L{} {}", next[0], next[1])),
                }
                here = next;
            }
            Step::Quadratic(control, p) => {
                let [[a, b], next] = [control.map(number), p.map(number)];
                put(&mut text, format_args!("Q{a} {b} {} {}", next[0], next[1]));
                here = next;
            }
            Step::Close => text.push('Z'),
        }
    }
    text
}

/// Writing to a string cannot fail.
fn put(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    let _ = text.write_fmt(arguments);
}

fn number(x: f64) -> String {
    let text = format!("{x:.DECIMALS$}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

fn hex(colour: Colour) -> String {
    format!("#{:06x}", colour.0)
}

/// Escapes text for XML, which does not allow control characters.
fn escaped(text: &str) -> String {
    // XML does not allow control characters and these two.
    let text = printable(text).replace(['\u{fffe}', '\u{ffff}'], " ");
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
