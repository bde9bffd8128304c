//! The zero of a function between two places.

/// A secant, then by T. R. Chandrupatla (Advances in Engineering Software 28, 1997): the inverse parabola through three
/// places where it is sure to stay between two of them, else a halving. A step keeps half the width away from both ends,
/// and more each time that this did not close the bracket: rounding hides how near the zero is. The answer is the end of
/// the last bracket where the function is below zero.
///
/// `f` must not be negative at `from` and be negative at `to`; only signs matter for the answer.
pub(crate) fn falling<E>(
    from: f64,
    to: f64,
    values: (f64, f64),
    width: f64,
    f: impl FnMut(f64) -> Result<f64, E>,
) -> Result<f64, E> {
    falling_to(from, to, values, width, 0.0, f)
}

/// The same, ended where the function is below zero by no more than `enough`.
pub(crate) fn falling_to<E>(
    mut from: f64,
    mut to: f64,
    (mut above, mut below): (f64, f64),
    width: f64,
    enough: f64,
    mut f: impl FnMut(f64) -> Result<f64, E>,
) -> Result<f64, E> {
    let mut guess = from + (to - from) * (above / (above - below));
    let mut least = 0.5 * width;
    for _ in 0..200 {
        if to - from <= width {
            break;
        }
        let middle = 0.5 * (from + to);
        // What is not a number is not inside.
        let within = if guess >= from && guess <= to { guess } else { middle };
        let kept_away = within.max(from + least).min(to - least);
        let at = if kept_away > from && kept_away < to { kept_away } else { middle };
        if at <= from || at >= to {
            break;
        }
        let value = f(at)?;
        let (here, was_near_to) = ((at, value), 2.0 * at > from + to);
        guess = if value < 0.0 {
            let left = (to, below);
            (to, below) = here;
            if value >= -enough {
                break;
            }
            parabola(here, (from, above), left)
        } else {
            let left = (from, above);
            (from, above) = here;
            parabola(here, (to, below), left)
        };
        let has_closed = was_near_to != (value < 0.0);
        least = if at == within || has_closed { 0.5 * width } else { 8.0 * least };
    }
    Ok(to)
}

/// Where the inverse parabola through three places is zero; the middle of the first two, which are on both sides, where
/// it might leave them.
fn parabola((a, f_a): (f64, f64), (b, f_b): (f64, f64), (c, f_c): (f64, f64)) -> f64 {
    let (xi, phi) = ((a - b) / (c - b), (f_a - f_b) / (f_c - f_b));
    if !(phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi) {
        return 0.5 * (a + b);
    }
    let share = f_a / (f_b - f_a) * (f_c / (f_b - f_c)) + (c - a) / (b - a) * (f_a / (f_c - f_a)) * (f_b / (f_c - f_b));
    a + share * (b - a)
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
