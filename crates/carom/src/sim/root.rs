//! The zero of a function between two places.

/// Halves and secants together: each round is a secant step (Illinois), and every third a halving, so that the bracket
/// shrinks whatever the function does. The answer is the end of the last bracket where the function is below zero.
///
/// `f` must not be negative at `from` and be negative at `to`; only signs matter for the answer.
pub(super) fn falling<E>(
    from: f64,
    to: f64,
    values: (f64, f64),
    width: f64,
    f: impl FnMut(f64) -> Result<f64, E>,
) -> Result<f64, E> {
    falling_to(from, to, values, width, 0.0, f)
}

/// The same, ended where the function is below zero by no more than `enough`.
pub(super) fn falling_to<E>(
    mut from: f64,
    mut to: f64,
    (mut above, mut below): (f64, f64),
    width: f64,
    enough: f64,
    mut f: impl FnMut(f64) -> Result<f64, E>,
) -> Result<f64, E> {
    let mut round = 0;
    while to - from > width && round < 200 {
        round += 1;
        let middle = 0.5 * (from + to);
        let secant = from + (to - from) * (above / (above - below));
        let at = if round % 3 == 0 || !(secant > from && secant < to) { middle } else { secant };
        if at <= from || at >= to {
            break;
        }
        let value = f(at)?;
        if value < 0.0 {
            (to, below) = (at, value);
            above *= 0.5;
            if value >= -enough {
                break;
            }
        } else {
            (from, above) = (at, value);
            below *= 0.5;
        }
    }
    Ok(to)
}

#[cfg(test)]
mod tests {
    use super::falling;

    #[test]
    fn finds_zeros_of_any_shape() {
        type Function = fn(f64) -> f64;
        let cases: [(Function, f64); 4] = [
            (|x| 0.3 - x, 0.3),
            (|x| 1e-9 - x.powi(9), 0.1),
            (|x| if x < 0.7 { 1.0 } else { -1e-300 }, 0.7),
            (|x| (0.5 - x) * 1e200, 0.5),
        ];
        for (f, wanted) in cases {
            let mut calls = 0;
            let found = falling(0.0, 1.0, (f(0.0), f(1.0)), 1e-15, |x| {
                calls += 1;
                Ok::<_, ()>(f(x))
            });
            let found = found.unwrap();
            assert!((found - wanted).abs() <= 2e-15, "{found} is not {wanted}");
            assert!(f(found) < 0.0 && calls < 160, "{calls} calls");
        }
    }
}
