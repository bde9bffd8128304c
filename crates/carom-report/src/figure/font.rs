//! The embedded font: turns lines of text into positioned glyphs.
//!
//! Marked text is for the figure's own labels: `*e*` is italic, `_{cr}` below and `^{-}` above the line.

use ttf_parser::{Face, GlyphId, OutlineBuilder};

use super::FigureError;
use super::drawing::{Glyph, Line, Path, Step};

/// Scale of subscripts and superscripts, and their vertical shifts.
const SCRIPT: f64 = 0.72;
const BELOW: f64 = -0.2;
const ABOVE: f64 = 0.34;

/// The two faces of the figures.
pub(super) struct Fonts {
    faces: [Face<'static>; 2],
}

impl Fonts {
    pub(super) fn embedded() -> Result<Self, FigureError> {
        let face = |bytes| Face::parse(bytes, 0).map_err(|error| FigureError::Font(error.to_string()));
        Ok(Self { faces: [face(dejavu::sans_condensed::regular())?, face(dejavu::sans_condensed::oblique())?] })
    }

    /// Unmarked text: a scene's title may contain any character.
    pub(super) fn plain(&self, text: &str) -> Line {
        let mut line = Line::default();
        for sign in text.chars() {
            self.push(&mut line, sign, 0, 0.0, 1.0);
        }
        line
    }

    /// Marked text.
    pub(super) fn marked(&self, text: &str) -> Line {
        let mut line = Line::default();
        let (mut face, mut shift, mut scale) = (0, 0.0, 1.0);
        let mut signs = text.chars().peekable();
        while let Some(sign) = signs.next() {
            match sign {
                '*' => face = 1 - face,
                '_' | '^' if signs.peek() == Some(&'{') => {
                    signs.next();
                    (shift, scale) = (if sign == '_' { BELOW } else { ABOVE }, SCRIPT);
                }
                '}' if scale != 1.0 => (shift, scale) = (0.0, 1.0),
                sign => self.push(&mut line, sign, face, shift, scale),
            }
        }
        line
    }

    fn push(&self, line: &mut Line, sign: char, face: usize, shift: f64, scale: f64) {
        let font = &self.faces[face];
        // Glyph zero is the box for missing characters.
        let id = font.glyph_index(sign).unwrap_or(GlyphId(0));
        line.glyphs.push(Glyph { face, id: id.0, x: line.width, y: shift, scale });
        line.width += scale * f64::from(font.glyph_hor_advance(id).unwrap_or(0)) / self.units();
        line.text.push(sign);
    }

    /// Font units per text size.
    pub(super) fn units(&self) -> f64 {
        f64::from(self.faces[0].units_per_em())
    }

    /// The outline of a glyph in font units, up positive.
    pub(super) fn outline(&self, face: usize, id: u16) -> Path {
        let mut pen = Pen::default();
        // A blank has no outline.
        let _ = self.faces[face].outline_glyph(GlyphId(id), &mut pen);
        pen.0
    }
}

#[derive(Default)]
struct Pen(Path);

impl Pen {
    fn push(&mut self, step: Step) {
        self.0.0.push(step);
    }
}

fn at(x: f32, y: f32) -> [f64; 2] {
    [f64::from(x), f64::from(y)]
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.push(Step::Move(at(x, y)));
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.push(Step::Line(at(x, y)));
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.push(Step::Quadratic(at(x1, y1), at(x, y)));
    }

    /// Only fonts with PostScript outlines have cubic curves; the embedded one has none.
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.push(Step::Quadratic(at(0.5 * (x1 + x2), 0.5 * (y1 + y2)), at(x, y)));
    }

    fn close(&mut self) {
        self.push(Step::Close);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_faces_and_places() {
        let fonts = Fonts::embedded().unwrap();
        let line = fonts.marked("*μ*_{cr}(*e*)");
        assert_eq!(line.text, "μcr(e)");
        assert_eq!(line.glyphs.iter().map(|glyph| glyph.face).collect::<Vec<_>>(), [1, 0, 0, 0, 1, 0]);
        assert!(line.glyphs[1].scale < 1.0 && line.glyphs[1].y < 0.0 && line.glyphs[3].scale == 1.0);
        assert!(line.glyphs.iter().all(|glyph| !fonts.outline(glyph.face, glyph.id).0.is_empty()));
        assert_eq!(fonts.plain("a*b_{c}").text, "a*b_{c}");
    }
}
