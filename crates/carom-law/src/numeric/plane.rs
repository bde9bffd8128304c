//! Vectors of the tangent plane: a planar contact uses the first component alone.

/// A tangential vector `(t1, t2)`.
pub(crate) type Vec2 = [f64; 2];

#[inline(always)]
pub(crate) fn dot(a: Vec2, b: Vec2) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// `a x b`, the component out of the plane.
#[inline(always)]
pub(crate) fn cross(a: Vec2, b: Vec2) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

/// `a + s b`.
#[inline(always)]
pub(crate) fn add_scaled(a: Vec2, s: f64, b: Vec2) -> Vec2 {
    [a[0] + s * b[0], a[1] + s * b[1]]
}

#[inline(always)]
pub(crate) fn scaled(s: f64, a: Vec2) -> Vec2 {
    [s * a[0], s * a[1]]
}

/// Squares within these bounds have lost nothing to underflow or overflow: 2^±900.
pub(crate) const SMALLEST_SQUARE: f64 = 1.2e-271;
pub(crate) const LARGEST_SQUARE: f64 = 8.4e270;

/// Whether a square has lost nothing to underflow or overflow; without a branch.
#[inline(always)]
#[allow(clippy::manual_range_contains, reason = "without a branch")]
pub(crate) fn is_accurate(square: f64) -> bool {
    (square >= SMALLEST_SQUARE) & (square <= LARGEST_SQUARE)
}

/// `|a|`, safe from overflow and underflow of the squares.
#[inline(always)]
pub(crate) fn norm(a: Vec2) -> f64 {
    let squares = dot(a, a);
    if (SMALLEST_SQUARE..=LARGEST_SQUARE).contains(&squares) { squares.sqrt() } else { norm_far(a) }
}

#[cold]
fn norm_far(a: Vec2) -> f64 {
    a[0].hypot(a[1])
}

/// A symmetric 2 x 2 matrix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sym2 {
    pub(crate) xx: f64,
    pub(crate) xy: f64,
    pub(crate) yy: f64,
}

impl Sym2 {
    #[inline(always)]
    pub(crate) fn times(&self, a: Vec2) -> Vec2 {
        [self.xx * a[0] + self.xy * a[1], self.xy * a[0] + self.yy * a[1]]
    }

    #[inline(always)]
    pub(crate) fn trace(&self) -> f64 {
        self.xx + self.yy
    }

    /// The smaller and the larger eigenvalue, and the unit eigenvector of the larger.
    pub(crate) fn eigen(&self) -> (f64, f64, Vec2) {
        let mean = 0.5 * self.trace();
        let half = 0.5 * (self.xx - self.yy);
        let radius = half.hypot(self.xy);
        // Of the two rows of S - (mean - radius) I, the one without cancellation.
        let direction = if half >= 0.0 { [half + radius, self.xy] } else { [self.xy, radius - half] };
        let length = norm(direction);
        let unit = if length > 0.0 { scaled(1.0 / length, direction) } else { [1.0, 0.0] };
        (mean - radius, mean + radius, unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvector_of_the_larger_eigenvalue() {
        for m in [
            Sym2 { xx: 2.0, xy: 0.3, yy: 1.0 },
            Sym2 { xx: 1.0, xy: -0.3, yy: 2.0 },
            Sym2 { xx: 0.0, xy: 0.0, yy: 5.0 },
            Sym2 { xx: 5.0, xy: 0.0, yy: 0.0 },
            Sym2 { xx: 1.0, xy: 1.0, yy: 1.0 },
            Sym2 { xx: 1.0, xy: 0.0, yy: 1.0 },
        ] {
            let (small, large, v) = m.eigen();
            let residual = add_scaled(m.times(v), -large, v);
            assert!(norm(residual) < 1e-15, "{m:?}");
            assert!((norm(v) - 1.0).abs() < 1e-15);
            assert!((small + large - m.trace()).abs() < 1e-15);
        }
    }

    #[test]
    fn norm_of_extremes() {
        assert!((norm([3e200, 4e200]) / 5e200 - 1.0).abs() < 1e-15);
        assert!((norm([3e-200, 4e-200]) / 5e-200 - 1.0).abs() < 1e-15);
        assert_eq!(norm([0.0, 0.0]), 0.0);
    }
}
