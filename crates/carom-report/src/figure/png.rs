//! A drawing as PNG: the same shapes, filled by `tiny-skia`.

use miniz_oxide::deflate::compress_to_vec_zlib;
use tiny_skia::{FillRule, LineCap, LineJoin, Mask, Paint, PathBuilder, Pixmap, Stroke as Pen, StrokeDash, Transform};

use super::FigureError;
use super::drawing::Line;
use super::drawing::{Clip, Colour, Drawing, Item, Path, Step, Stroke, Vec2};
use super::font::Fonts;

/// Compression level: 1 is fastest, 9 smallest.
const COMPRESSION: u8 = 7;

/// The file, with a given width in pixels.
pub(super) fn write(drawing: &Drawing, fonts: &Fonts, width: u32) -> Result<Vec<u8>, FigureError> {
    let scale = f64::from(width) / drawing.size[0];
    let height = (scale * drawing.size[1]).round() as u32;
    let too_large = FigureError::Size { width, height };
    let mut pixmap = Pixmap::new(width, height).ok_or_else(|| too_large.clone())?;
    pixmap.fill(tiny_skia::Color::WHITE);
    let scale = Transform::from_scale(scale as f32, scale as f32);
    let mut masks = Vec::new();
    for path in &drawing.clips {
        let mut mask = Mask::new(width, height).ok_or_else(|| too_large.clone())?;
        if let Some(path) = outline(path) {
            mask.fill_path(&path, FillRule::Winding, true, scale);
        }
        masks.push(mask);
    }
    let mut canvas = Canvas { pixmap, scale, masks };
    for item in &drawing.items {
        canvas.draw(item, drawing, fonts);
    }
    Ok(encode(&canvas.pixmap))
}

struct Canvas {
    pixmap: Pixmap,
    scale: Transform,
    masks: Vec<Mask>,
}

impl Canvas {
    fn draw(&mut self, item: &Item, drawing: &Drawing, fonts: &Fonts) {
        match item {
            Item::Fill { path, colour } => self.fill(path, *colour, self.scale),
            Item::FillClip { clip, colour } => self.fill(&drawing.clips[clip.0], *colour, self.scale),
            Item::Stroke { path, stroke, clip } => self.stroke(path, stroke, *clip, self.scale),
            Item::Text { at, line, size, is_turned, halo } => {
                if let Some(colour) = halo {
                    let stroke = Stroke { colour: *colour, width: 0.28 * fonts.units(), dash: &[], is_round: true };
                    self.text(*at, line, *size, *is_turned, Some(&stroke), fonts);
                }
                self.text(*at, line, *size, *is_turned, None, fonts);
            }
        }
    }

    fn fill(&mut self, path: &Path, colour: Colour, transform: Transform) {
        if let Some(path) = outline(path) {
            self.pixmap.fill_path(&path, &paint(colour), FillRule::Winding, transform, None);
        }
    }

    fn stroke(&mut self, path: &Path, stroke: &Stroke, clip: Option<Clip>, transform: Transform) {
        let Some(path) = outline(path) else { return };
        let pen = Pen {
            width: stroke.width as f32,
            line_cap: if stroke.is_round { LineCap::Round } else { LineCap::Butt },
            line_join: if stroke.is_round { LineJoin::Round } else { LineJoin::Miter },
            dash: StrokeDash::new(stroke.dash.iter().map(|x| *x as f32).collect(), 0.0),
            ..Pen::default()
        };
        let mask = clip.map(|clip| &self.masks[clip.0]);
        self.pixmap.stroke_path(&path, &paint(stroke.colour), &pen, transform, mask);
    }

    fn text(&mut self, at: Vec2, line: &Line, size: f64, is_turned: bool, halo: Option<&Stroke>, fonts: &Fonts) {
        let unit = size / fonts.units();
        let turn = if is_turned { -90.0 } else { 0.0 };
        let base =
            self.scale.pre_translate(at[0] as f32, at[1] as f32).pre_rotate(turn).pre_scale(unit as f32, -unit as f32);
        for glyph in &line.glyphs {
            let (x, y) = (glyph.x * fonts.units(), glyph.y * fonts.units());
            let place = base.pre_translate(x as f32, y as f32).pre_scale(glyph.scale as f32, glyph.scale as f32);
            let path = fonts.outline(glyph.face, glyph.id);
            match halo {
                Some(stroke) => self.stroke(&path, stroke, None, place),
                None => self.fill(&path, Colour::BLACK, place),
            }
        }
    }
}

fn paint(Colour(rgb): Colour) -> Paint<'static> {
    let [_, r, g, b] = rgb.to_be_bytes();
    let mut paint = Paint::default();
    paint.set_color_rgba8(r, g, b, 255);
    paint
}

/// `None` if there is nothing to draw.
fn outline(path: &Path) -> Option<tiny_skia::Path> {
    let mut builder = PathBuilder::new();
    let narrow = |[x, y]: Vec2| (x as f32, y as f32);
    for step in &path.0 {
        match *step {
            Step::Move(p) => {
                let (x, y) = narrow(p);
                builder.move_to(x, y);
            }
            Step::Line(p) => {
                let (x, y) = narrow(p);
                builder.line_to(x, y);
            }
            Step::Quadratic(control, p) => {
                let ((a, b), (x, y)) = (narrow(control), narrow(p));
                builder.quad_to(a, b, x, y);
            }
            Step::Close => builder.close(),
        }
    }
    builder.finish()
}

/// The image is opaque, so three bytes per pixel are enough.
fn encode(pixmap: &Pixmap) -> Vec<u8> {
    let stride = pixmap.width() as usize;
    let mut rows = Vec::with_capacity(pixmap.pixels().len() * 3 + pixmap.height() as usize);
    for row in pixmap.pixels().chunks(stride) {
        // Each byte as the difference to the pixel on the left, so that areas of one colour become zeros.
        rows.push(1);
        let mut left = [0_u8; 3];
        for pixel in row {
            let rgb = [pixel.red(), pixel.green(), pixel.blue()];
            rows.extend((0..3).map(|k| rgb[k].wrapping_sub(left[k])));
            left = rgb;
        }
    }
    let mut png = vec![0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n'];
    let [width, height] = [pixmap.width(), pixmap.height()].map(u32::to_be_bytes);
    chunk(&mut png, *b"IHDR", &[&width[..], &height[..], &[8, 2, 0, 0, 0]].concat());
    chunk(&mut png, *b"IDAT", &compress_to_vec_zlib(&rows, COMPRESSION));
    chunk(&mut png, *b"IEND", &[]);
    png
}

fn chunk(png: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) {
    png.extend((data.len() as u32).to_be_bytes());
    let start = png.len();
    png.extend(kind);
    png.extend(data);
    png.extend(checksum(&png[start..]).to_be_bytes());
}

/// The CRC-32 of PNG, bit by bit: it takes a millisecond per image.
fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 })
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_checksum_is_the_standard_one() {
        assert_eq!(super::checksum(b"123456789"), 0xcbf4_3926);
    }
}
