//! The elements of a figure before it is written: a few shapes and lines of text, in points.

/// A point or a size; the vertical axis points down.
pub(super) type Vec2 = [f64; 2];

/// A colour, `0xRRGGBB`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Colour(pub(super) u32);

impl Colour {
    pub(super) const BLACK: Colour = Colour(0);
    pub(super) const WHITE: Colour = Colour(0xff_ffff);
}

/// A step of an outline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Step {
    Move(Vec2),
    Line(Vec2),
    /// A quadratic curve with a control point.
    Quadratic(Vec2, Vec2),
    Close,
}

/// An outline.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Path(pub(super) Vec<Step>);

impl Path {
    pub(super) fn polyline(points: impl IntoIterator<Item = Vec2>) -> Self {
        let steps = points.into_iter().enumerate();
        Self(steps.map(|(i, p)| if i == 0 { Step::Move(p) } else { Step::Line(p) }).collect())
    }

    pub(super) fn polygon(points: impl IntoIterator<Item = Vec2>) -> Self {
        let mut path = Self::polyline(points);
        path.0.push(Step::Close);
        path
    }

    pub(super) fn rectangle([x, y]: Vec2, [width, height]: Vec2) -> Self {
        Self::polygon([[x, y], [x + width, y], [x + width, y + height], [x, y + height]])
    }

    /// Four quadratic arcs are within 3 % of a circle, which is enough for a marker.
    pub(super) fn disc([x, y]: Vec2, r: f64) -> Self {
        let mut path = Self::default();
        let corner = |k: u32| {
            [
                x + r * (f64::from(k) * 0.25 * std::f64::consts::PI).cos(),
                y + r * (f64::from(k) * 0.25 * std::f64::consts::PI).sin(),
            ]
        };
        path.0.push(Step::Move(corner(0)));
        for k in 0..8 {
            let angle = (f64::from(k) + 0.5) * 0.25 * std::f64::consts::PI;
            let reach = r / (0.125 * std::f64::consts::PI).cos();
            path.0.push(Step::Quadratic([x + reach * angle.cos(), y + reach * angle.sin()], corner(k + 1)));
        }
        path.0.push(Step::Close);
        path
    }

    pub(super) fn extend(&mut self, other: Path) {
        self.0.extend(other.0);
    }
}

/// How a line is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Stroke {
    pub(super) colour: Colour,
    pub(super) width: f64,
    /// Alternating lengths on and off; empty for a solid line.
    pub(super) dash: &'static [f64],
    /// Whether ends are round.
    pub(super) is_round: bool,
}

/// A region to which other items are clipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Clip(pub(super) usize);

/// One item of a drawing.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Item {
    Fill {
        path: Path,
        colour: Colour,
    },
    /// The outline of a clip, filled.
    FillClip {
        clip: Clip,
        colour: Colour,
    },
    Stroke {
        path: Path,
        stroke: Stroke,
        clip: Option<Clip>,
    },
    /// A line of text, positioned by its left end on the base line; with `is_turned` it reads upwards.
    Text {
        at: Vec2,
        line: Line,
        size: f64,
        is_turned: bool,
        halo: Option<Colour>,
    },
}

/// A drawing in points, with the origin at the top left.
#[derive(Debug, Clone, Default)]
pub(super) struct Drawing {
    pub(super) size: Vec2,
    pub(super) title: String,
    pub(super) description: String,
    pub(super) clips: Vec<Path>,
    pub(super) items: Vec<Item>,
}

impl Drawing {
    pub(super) fn clip(&mut self, path: Path) -> Clip {
        self.clips.push(path);
        Clip(self.clips.len() - 1)
    }

    pub(super) fn fill(&mut self, path: Path, colour: Colour) {
        self.items.push(Item::Fill { path, colour });
    }

    pub(super) fn stroke(&mut self, path: Path, stroke: Stroke, clip: Option<Clip>) {
        self.items.push(Item::Stroke { path, stroke, clip });
    }

    pub(super) fn text(&mut self, at: Vec2, line: Line, size: f64) {
        self.items.push(Item::Text { at, line, size, is_turned: false, halo: None });
    }
}

/// A positioned glyph, in units of the text size; up is positive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Glyph {
    /// 0 upright, 1 italic.
    pub(super) face: usize,
    pub(super) id: u16,
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) scale: f64,
}

/// A line of text ready to be drawn.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Line {
    /// Its text, without marks.
    pub(super) text: String,
    pub(super) glyphs: Vec<Glyph>,
    /// Width in units of the text size.
    pub(super) width: f64,
}
