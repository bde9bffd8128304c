//! The ranges of the views: the origin, all answers, and as much of the cone as leaves space for them.

use super::size;
use carom_study::ImpulseSpace;

/// Smallest half width of a view, in units of the normal impulse: without friction all tangential impulses are zero.
const NARROWEST: f64 = 0.05;

/// The smallest and the largest of some numbers and zero.
fn spread(numbers: impl Iterator<Item = f64>) -> [f64; 2] {
    numbers.fold([0.0, 0.0], |[low, high], x| [low.min(x), high.max(x)])
}

/// The normal impulses of the answers, and of the prescribed restitution without friction.
fn normal_spread(space: &ImpulseSpace) -> [f64; 2] {
    let central = space.restored().map(|locus| locus.values[0] / locus.rows[0][0]);
    spread(space.answers.iter().map(|answer| answer.impulse[0]).chain(central))
}

fn padded([low, high]: [f64; 2], part: f64) -> [f64; 2] {
    let room = part * (high - low);
    [low - room, high + room]
}

pub(super) fn planar(space: &ImpulseSpace) -> [[f64; 2]; 2] {
    let [low, high] = normal_spread(space);
    let [left, right] = spread(space.answers.iter().map(|answer| answer.impulse[1]));
    // Both edges of the cone, unless they are so far apart that the answers would be squeezed together.
    let edge = (space.friction[0] * high).min((1.5 * right.max(-left)).max(0.5 * high)).max(NARROWEST * high);
    [padded([left.min(-edge), right.max(edge)], 0.06), [low - 0.05 * (high - low), high + 0.1 * (high - low)]]
}

pub(super) fn tangential(space: &ImpulseSpace) -> [[f64; 2]; 2] {
    const DIRECTIONS: u32 = 90;
    let far = space.answers.iter().fold(0.0, |far: f64, answer| far.max(size(&answer.impulse[1..])));
    let normal = normal_spread(space)[1];
    let most = (2.0 * far).max(0.3 * normal);
    let angle = |k: u32| f64::from(k) * std::f64::consts::TAU / f64::from(DIRECTIONS);
    let edge = |k: u32| space.restored().and_then(|locus| locus.edge(space.friction[0], angle(k)));
    let edges: Vec<[f64; 3]> = (0..DIRECTIONS).filter_map(edge).collect();
    let [x, y] = [1, 2].map(|k: usize| {
        let answers = space.answers.iter().map(|answer| answer.impulse[k]);
        spread(answers.chain(edges.iter().map(|edge| edge[k].clamp(-most, most))))
    });
    let half = 0.56 * (x[1] - x[0]).max(y[1] - y[0]).max(2.0 * NARROWEST * normal);
    [x, y].map(|[low, high]| [0.5 * (low + high) - half, 0.5 * (low + high) + half])
}

pub(super) fn side(space: &ImpulseSpace) -> [[f64; 2]; 2] {
    let [low, high] = normal_spread(space);
    let far = space.answers.iter().fold(0.0, |far: f64, answer| far.max(size(&answer.impulse[1..])));
    let edge = (space.friction[0] * high).min(1.5 * far.max(0.3 * high)).max(NARROWEST * high);
    [[0.0, 1.1 * far.max(edge)], [low - 0.05 * (high - low), high + 0.1 * (high - low)]]
}
