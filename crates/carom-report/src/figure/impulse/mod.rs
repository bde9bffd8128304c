//! The impulse diagram of one impact: the cone, the lines of sticking, compression and restitution, every law's answer.
//!
//! In the plane it is `i_n` over `i_t`. In space it has two views: along the normal, where the cone is cut by the planes of
//! `v_n⁺`, and from the side, `i_n` over `|i_t|`, where the cone's edge is one line for every direction.
//!
//! | file | contents |
//! |---|---|
//! | `window` | the ranges of the views |
//! | `shapes` | the shapes in them |
//! | `key` | the key |

mod key;
mod shapes;
mod window;

use super::drawing::Line;
use super::drawing::{Colour, Drawing, Path};
use super::font::Fonts;
use super::heading;
use super::marks::{self, Places};
use super::plot::Plot;
use carom_sim::number::significant;
use carom_study::{Coincidence, Comparison, DiagramError, ImpulseSpace};

const WIDTH: f64 = 340.0;
const MARGIN: f64 = 6.0;
const LEFT: f64 = 48.0;
/// Distance from a plot's frame to the next plot or the key.
const BELOW: f64 = 36.0;
/// Height of the line of text above a plot.
const CAPTION: f64 = 14.0;
const CAPTION_SIZE: f64 = 8.5;
/// Marks nearer than this in every view are drawn as one.
const NEAR: f64 = 4.0;

/// A view: a plot, and the position of an impulse on its axes.
struct View {
    plot: Plot<'static>,
    caption: &'static str,
    project: fn(&[f64]) -> [f64; 2],
}

/// Draws the whole figure.
pub(super) fn draw(title: &str, comparison: &Comparison, fonts: &Fonts) -> Result<Drawing, DiagramError> {
    let space = comparison.diagram()?;
    let sentence = given(comparison, space);
    let head = heading::lines(title, &heading::symbols(&sentence), WIDTH - 2.0 * MARGIN, fonts);
    let top = MARGIN + heading::height(&head) + 7.0;
    let views = views(space, top);
    let marks = seen(space, &views);
    let below = views.last().map_or(top, |view| view.plot.bounds()[1][1] + BELOW);
    let rows = key::rows(comparison, space, &views[0].plot, &marks);
    let mut drawing = Drawing { title: title.to_owned(), description: sentence, ..Drawing::default() };
    let width = WIDTH - 2.0 * MARGIN - 8.0;
    drawing.size = [WIDTH, below + key::height(&rows, width, fonts) + MARGIN];
    drawing.fill(Path::rectangle([0.0, 0.0], drawing.size), Colour::WHITE);
    heading::draw(&mut drawing, head, MARGIN);
    for (number, view) in views.iter().enumerate() {
        let mut places = Places::new(&view.plot);
        let caption = fonts.marked(view.caption);
        drawing.text([LEFT, view.plot.corner[1] - 5.0], caption, CAPTION_SIZE);
        match (space.contact_dimension, number) {
            (2, _) => shapes::planar(&mut drawing, space, &view.plot, &mut places),
            (_, 0) => shapes::along_the_normal(&mut drawing, space, &view.plot, &mut places),
            (_, _) => shapes::from_the_side(&mut drawing, space, &view.plot, &mut places),
        }
        view.plot.frame(&mut drawing, fonts);
        let at = |mark: &Vec<&Coincidence>| view.plot.place((view.project)(&mark[0].impulse));
        for mark in &marks {
            places.take_mark(at(mark));
        }
        // The second view shows the same marks, closer together.
        for mark in marks.iter().filter(|_| number == 0) {
            places.name(&mut drawing, &named(mark, space, fonts), at(mark));
        }
        for (number, mark) in marks.iter().enumerate().rev() {
            marks::draw(&mut drawing, number, at(mark));
        }
    }
    key::draw(&mut drawing, rows, [MARGIN + 8.0, below], width, fonts);
    Ok(drawing)
}

/// The impact in one sentence.
fn given(comparison: &Comparison, space: &ImpulseSpace) -> String {
    let numbers: Vec<String> = comparison.contact_velocity.iter().map(|v| significant(*v, 4)).collect();
    let friction = match space.friction.map(|mu| significant(mu, 4)) {
        [mu_s, mu_d] if mu_s == mu_d => format!("mu_s = mu_d = {mu_s}"),
        [mu_s, mu_d] => format!("mu_s = {mu_s}, mu_d = {mu_d}"),
    };
    let e = significant(comparison.restitution, 4);
    format!("contact velocity before ({}) m/s, e = {e}, {friction}", numbers.join(", ")).replace('-', "−")
}

fn views(space: &ImpulseSpace, top: f64) -> Vec<View> {
    let width = WIDTH - LEFT - 2.0 * MARGIN;
    let normal = "normal impulse *i*_{n} (N s)";
    if space.contact_dimension == 2 {
        let labels = ["tangential impulse *i*_{t} (N s)", normal];
        let plot = Plot { ends: window::planar(space), labels, corner: [LEFT, top], size: [width, 220.0] };
        return vec![View { plot, caption: "", project: |i| [i[1], i[0]] }];
    }
    let square = 216.0;
    let corner = [LEFT + 0.5 * (width - square), top + CAPTION];
    let labels = ["*i*_{t1} (N s)", "*i*_{t2} (N s)"];
    let first = Plot { ends: window::tangential(space), labels, corner, size: [square, square] };
    let corner = [LEFT, corner[1] + square + BELOW + CAPTION];
    let labels = ["size of the tangential impulse |*i*_{t}| (N s)", normal];
    let second = Plot { ends: window::side(space), labels, corner, size: [width, 120.0] };
    vec![
        View {
            plot: first,
            caption: "(a) along the normal; shaded: the cone cut at *v*_{n}^{+} = −*e* *v*_{n}^{−}",
            project: |i| [i[1], i[2]],
        },
        View {
            plot: second,
            caption: "(b) from the side, all directions of *i*_{t} laid into one",
            project: |i| [size(&i[1..]), i[0]],
        },
    ]
}

fn size(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |length: f64, x| length.hypot(*x))
}

/// The answers as marks: those that coincide in every view share one mark.
fn seen<'a>(space: &'a ImpulseSpace, views: &[View]) -> Vec<Vec<&'a Coincidence>> {
    let is_near = |a: &Coincidence, b: &Coincidence| {
        views.iter().all(|view| {
            let [p, q] = [a, b].map(|answer| view.plot.place((view.project)(&answer.impulse)));
            size(&[p[0] - q[0], p[1] - q[1]]) < NEAR
        })
    };
    let mut marks: Vec<Vec<&Coincidence>> = Vec::new();
    for answer in &space.answers {
        match marks.iter_mut().find(|mark| is_near(mark[0], answer)) {
            Some(mark) => mark.push(answer),
            None => marks.push(vec![answer]),
        }
    }
    marks
}

/// The label of a mark: its laws, or their number.
fn named(mark: &[&Coincidence], space: &ImpulseSpace, fonts: &Fonts) -> Vec<Line> {
    const MOST: usize = 4;
    let names: Vec<&str> = mark.iter().flat_map(|answer| &answer.laws).map(|law| law.name()).collect();
    let all: usize = space.answers.iter().map(|answer| answer.laws.len()).sum();
    match names.len() {
        count if count == all && count > 1 => vec![fonts.plain("all laws")],
        count if count > MOST => vec![fonts.plain(&format!("{count} laws"))],
        _ => marks::stacked(&names, fonts),
    }
}
