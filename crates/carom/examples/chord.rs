//! The law `chord` in a hundred lines: its own steps, held against the library, and a picture of the path and its chords.
//!
//! `cargo run --release -p carom --example chord > book/src/figures/chord.svg`

use std::fmt::Write;

use carom::law::{Coefficients, Contact, Delassus, Friction, Guard, Law, Restitution};

type Vec3 = [f64; 3];

/// A corner of a tossed cube: the scene `cube` of the gallery.
const W: [Vec3; 3] = [
    [3.199390425905818, -0.26774619809113026, -2.175470037077121],
    [-0.26774619809113026, 12.864772878993179, -0.06021774536338738],
    [-2.175470037077121, -0.06021774536338738, 12.382907766172075],
];
const V: Vec3 = [-1.5646231707753437, 0.7969382862613097, -0.03690415599570733];
const E: f64 = 0.24;
const MU: f64 = 0.2;

/// A point of the way: the velocity, and the impulse so far.
#[derive(Clone, Copy)]
struct Point {
    v: Vec3,
    i: Vec3,
}

fn pushed(from: Point, i: Vec3) -> Point {
    let change = |r: usize| W[r][0] * i[0] + W[r][1] * i[1] + W[r][2] * i[2];
    Point { v: [0, 1, 2].map(|r| from.v[r] + change(r)), i: [0, 1, 2].map(|r| from.i[r] + i[r]) }
}

/// `d = (1, -μu)`, and `H`: the size in which the slip changes by its own size.
fn turn(v: Vec3) -> (Vec3, f64) {
    let speed = v[1].hypot(v[2]);
    let d = [1.0, -MU * v[1] / speed, -MU * v[2] / speed];
    let change = pushed(Point { v: [0.0; 3], i: [0.0; 3] }, d).v;
    let (mean, half) = (0.5 * (W[1][1] + W[2][2]), 0.5 * (W[1][1] - W[2][2]));
    let mobility = mean + half.hypot(W[1][2]);
    (d, speed / change[1].hypot(change[2]).max(MU * mobility))
}

/// The implicit step: `(W_tt + λ) y = -(x_t + h w)` with the least `λ >= 0` that keeps `|y| <= μ h`, by bisection.
fn implicit(from: Point, h: f64) -> Point {
    let b = [from.v[1] + h * W[1][0], from.v[2] + h * W[2][0]];
    let friction = |lambda: f64| {
        let (x, y, xy) = (W[1][1] + lambda, W[2][2] + lambda, W[1][2]);
        let det = x * y - xy * xy;
        [(xy * b[1] - y * b[0]) / det, (xy * b[0] - x * b[1]) / det]
    };
    let fits = |lambda: f64| friction(lambda)[0].hypot(friction(lambda)[1]) <= MU * h;
    let (mut low, mut high) = (0.0, b[0].hypot(b[1]) / (MU * h));
    while !fits(0.0) && high - low > 1e-15 * high {
        let middle = 0.5 * (low + high);
        (low, high) = if fits(middle) { (low, middle) } else { (middle, high) };
    }
    let [x, y] = friction(if fits(0.0) { 0.0 } else { high });
    pushed(from, [h, x, y])
}

/// Explicit along the slip for `q`, then implicit: the point between, and the end.
fn step(from: Point, q: f64, h: f64) -> [Point; 2] {
    let between = pushed(from, turn(from.v).0.map(|x| q * x));
    [between, implicit(between, h - q)]
}

fn half(from: Point, h: f64) -> [Point; 2] {
    step(from, 0.5 * h, h)
}

fn part(from: Point, h: f64) -> [Point; 2] {
    step(from, turn(from.v).1.min(0.5 * h), h)
}

/// The first size up to `most` that ends with `v_n = 0`.
fn closing(most: f64, end: impl Fn(f64) -> Point) -> Option<f64> {
    let at = |k: u32| most * f64::from(k) / 1000.0;
    let k = (1..=1000).find(|&k| end(at(k)).v[0] >= 0.0)?;
    let (mut low, mut high) = (at(k - 1), at(k));
    while high - low > 1e-15 * high {
        let middle = 0.5 * (low + high);
        (low, high) = if end(middle).v[0] < 0.0 { (middle, high) } else { (low, middle) };
    }
    Some(high)
}

/// Compression and restitution, all points on the way.
fn chord() -> Result<Vec<Point>, &'static str> {
    let mut way = vec![Point { v: V, i: [0.0; 3] }];
    let size = turn(V).1;
    if let Some(p) = closing(size, |p| half(way[0], p)[1]) {
        way.extend(half(way[0], p));
    } else {
        way.extend(half(way[0], size));
        let from = way[2];
        let p = closing(4.0, |p| part(from, p)[1]).ok_or("compression does not close")?;
        way.extend(part(from, p));
    }
    let compressed = way[way.len() - 1];
    let (size, given_back) = (turn(compressed.v).1, E * compressed.i[0]);
    way.extend(half(compressed, size.min(given_back)));
    if given_back > size {
        way.extend(part(way[way.len() - 1], given_back - size));
    }
    Ok(way)
}

/// Poisson's path in small steps along the slip.
fn path() -> Vec<Point> {
    let (mut way, mut end) = (vec![Point { v: V, i: [0.0; 3] }], f64::INFINITY);
    let step = 1e-4;
    while let Some(&last) = way.last().filter(|last| last.i[0] < end) {
        let middle = pushed(last, turn(last.v).0.map(|x| 0.5 * step * x));
        way.push(pushed(last, turn(middle.v).0.map(|x| step * x)));
        if end.is_infinite() && last.v[0] >= 0.0 {
            end = (1.0 + E) * last.i[0];
        }
    }
    way
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (chords, mut path) = (chord()?, path());
    // Every fiftieth point of the path, and its last.
    let last = path.len() - 1;
    path = path.into_iter().enumerate().filter(|(k, _)| k % 50 == 0 || *k == last).map(|(_, point)| point).collect();
    let coefficients = Coefficients::new(Restitution::new(E)?, Friction::new(MU)?);
    let outcome = Contact::new(Delassus::spatial(W)?, &V)?.impact_by(Law::Chord, &coefficients, Guard::Report)?;
    let off = outcome.impulse.iter().zip(&chords[chords.len() - 1].i).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    if off > 1e-12 {
        return Err(format!("the library is {off:e} away").into());
    }
    println!("{}", picture(&chords, &path));
    Ok(())
}

/// The plane of slip velocities.
fn picture(chords: &[Point], path: &[Point]) -> String {
    let place = |p: &Point| (190.0 + 460.0 * (p.v[1] + 0.06) / 0.9, 60.0 - 560.0 * p.v[2] / 0.95);
    let line = |points: &[Point]| {
        points.iter().map(place).map(|(x, y)| format!("{x:.2},{y:.2}")).collect::<Vec<_>>().join(" ")
    };
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 320\" font-family=\"serif\" font-size=\"15\">\n\
         <rect width=\"720\" height=\"320\" fill=\"#fff\"/>\n",
    );
    let axis = |svg: &mut String, from: [f64; 2], to: [f64; 2]| {
        let ends = from.into_iter().chain(to).map(|x| format!("{x:.1}")).collect::<Vec<_>>();
        let _ = writeln!(
            svg,
            "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"#888\"/>",
            ends[0], ends[1], ends[2], ends[3]
        );
    };
    let origin = place(&Point { v: [0.0; 3], i: [0.0; 3] });
    let right = 655.0;
    axis(&mut svg, [190.0, origin.1], [right, origin.1]);
    axis(&mut svg, [origin.0, origin.1], [origin.0, 285.0]);
    axis(&mut svg, [right, origin.1], [right, 285.0]);
    for tick in [0.2, 0.4, 0.6, 0.8] {
        let (x, _) = place(&Point { v: [0.0, tick, 0.0], i: [0.0; 3] });
        axis(&mut svg, [x, origin.1 - 4.0], [x, origin.1]);
        let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{tick}</text>", origin.1 - 9.0);
    }
    for tick in [-0.1, -0.2, -0.3] {
        let (_, y) = place(&Point { v: [0.0, 0.0, tick], i: [0.0; 3] });
        axis(&mut svg, [right, y], [right + 4.0, y]);
        let _ = writeln!(svg, "<text x=\"{:.1}\" y=\"{:.1}\">{tick}</text>", right + 9.0, y + 5.0);
    }
    let _ = writeln!(svg, "<text x=\"410\" y=\"22\" text-anchor=\"middle\">slip v₁ (m/s)</text>");
    let _ = writeln!(svg, "<text x=\"{:.1}\" y=\"304\" text-anchor=\"end\">v₂ (m/s)</text>", right + 45.0);
    let _ = writeln!(svg, "<polyline points=\"{}\" fill=\"none\" stroke=\"#c33\" stroke-width=\"2\"/>", line(path));
    let _ = writeln!(svg, "<polyline points=\"{}\" fill=\"none\" stroke=\"#15c\" stroke-width=\"1.6\"/>", line(chords));
    for (k, point) in chords.iter().enumerate() {
        let (x, y) = place(point);
        // Open where an explicit piece ends, full where an implicit one does.
        let fill = if k % 2 == 1 { "#fff" } else { "#15c" };
        let _ = writeln!(
            svg,
            "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"4\" fill=\"{fill}\" stroke=\"#15c\" stroke-width=\"1.4\"/>"
        );
    }
    let note = |svg: &mut String, p: &Point, shift: [f64; 2], anchor: &str, text: &str| {
        let (x, y) = place(p);
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{text}</text>",
            x + shift[0],
            y + shift[1]
        );
    };
    note(&mut svg, &chords[0], [-12.0, -4.0], "end", "before");
    note(&mut svg, &chords[2], [6.0, 24.0], "start", "after a turning step");
    note(&mut svg, &chords[4], [-12.0, 6.0], "end", "end of compression");
    note(&mut svg, &chords[chords.len() - 1], [-12.0, -2.0], "end", "after");
    note(&mut svg, &path[path.len() - 1], [-12.0, 0.0], "end", "after");
    let _ = writeln!(svg, "<text x=\"300\" y=\"105\" fill=\"#c33\">Poisson's path</text>");
    let _ = writeln!(svg, "<text x=\"300\" y=\"127\" fill=\"#15c\">chords: ○ explicit, ● implicit piece</text>");
    svg.push_str("</svg>");
    svg
}
