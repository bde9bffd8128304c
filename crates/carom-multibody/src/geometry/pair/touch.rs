//! First touch, certified: a gap is Lipschitz continuous, so there is no touch within gap / speed.

use super::solid::Solid;

/// The largest rate at which the gap of two solids can change: V = |v₁ - v₂| + |ω₁| ρ₁ + |ω₂| ρ₂, with the largest
/// relative speed of the origins of their frames, the largest angular speed of each, and ρ the farthest point of a
/// solid from its origin. The gap is Lipschitz continuous with constant V, whichever features are closest.
pub fn gap_rate_bound(relative: f64, one: (&Solid, f64), other: (&Solid, f64)) -> f64 {
    let ((one, spin), (other, other_spin)) = (one, other);
    relative + spin * one.reach() + other_spin * other.reach()
}

/// The result of a search for the first touch in a time interval.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum FirstTouch {
    /// The gap is positive throughout.
    None,
    /// The gap is positive before this time, and at most the tolerance at it.
    At(f64),
    /// The gap is positive before this time; the number of evaluations was exhausted, for example because two solids
    /// nearly touch for long.
    NotBefore(f64),
}

/// The first time in [from, to] at which a gap is at most `tolerance`. `rate` bounds |d gap/dt| there: no touch is missed,
/// however short.
///
/// Each evaluation moves the time by gap/rate, within which the gap cannot close.
pub fn first_touch(
    mut gap: impl FnMut(f64) -> f64,
    [from, to]: [f64; 2],
    rate: f64,
    tolerance: f64,
    evaluations: usize,
) -> FirstTouch {
    let mut time = from;
    for _ in 0..evaluations {
        let now = gap(time);
        if now <= tolerance {
            return FirstTouch::At(time);
        }
        let next = time + now / rate;
        // Also if nothing moves and the step is infinite or NaN.
        if !(next <= to) {
            return FirstTouch::None;
        }
        if next == time {
            return FirstTouch::At(time);
        }
        time = next;
    }
    FirstTouch::NotBefore(time)
}
