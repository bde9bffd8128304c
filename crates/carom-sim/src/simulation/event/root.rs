//! Bracketed root finding.

/// A secant step, then the method of T. R. Chandrupatla (Advances in Engineering Software 28, 1997): inverse quadratic
/// interpolation if it is certain to stay inside the bracket, bisection otherwise. An iterate stays half the width away
/// from both ends, and farther each time that this did not close the bracket, because rounding hides how near the root
/// is. Returns the end of the last bracket at which the function is negative.
///
/// `f` must be non-negative at `from` and negative at `to`; only its signs matter for the result.
pub(crate) fn falling<E>(
    from: f64,
    to: f64,
    values: (f64, f64),
    width: f64,
    f: impl FnMut(f64) -> Result<f64, E>,
) -> Result<f64, E> {
    falling_to(from, to, values, width, 0.0, f)
}

/// [`falling`], ended as soon as the function is negative by at most `enough`.
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
        // NaN is not inside.
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

/// The root of the inverse parabola through three points; the midpoint of the first two, which bracket the root, if it
/// might leave the bracket.
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
    use super::{falling, falling_to};

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

    /// Evaluations are what a root costs: each is an evaluation of the robot. Bisection alone takes about fifty.
    #[test]
    fn smooth_roots_take_few_evaluations_and_a_jump_no_more_than_bisection() {
        type Function = fn(f64) -> f64;
        let count = |f: Function, to: f64| {
            let mut evaluations = 0;
            let root = falling(0.0, to, (f(0.0), f(to)), 1e-15, |x| {
                evaluations += 1;
                Ok::<f64, ()>(f(x))
            });
            (root.unwrap(), evaluations)
        };
        let smooth: [(Function, f64, f64); 5] = [
            (|x| 0.3 - x, 1.0, 0.3),
            (f64::cos, 3.0, std::f64::consts::FRAC_PI_2),
            (|x| 1.0 - (3.0 * x).exp() / 10.0, 1.0, 10_f64.ln() / 3.0),
            (|x| 0.2 - x * x * x, 1.0, 0.2_f64.cbrt()),
            // What is hardly curved is found from one side, and the bracket has to close from the other.
            (|x| 1.0 - x - 1e-3 * x * x, 2.0, 2.0 / (1.0 + 1.004_f64.sqrt())),
        ];
        for (f, to, wanted) in smooth {
            let (root, evaluations) = count(f, to);
            assert!((root - wanted).abs() <= 3e-15, "{root} is not {wanted}");
            assert!(evaluations <= 10, "{wanted}: {evaluations}");
        }
        let (root, evaluations) = count(|x| if x < 0.7 { 1.0 } else { -1e-9 }, 1.0);
        assert!((root - 0.7).abs() <= 1e-15 && evaluations <= 100, "{root}: {evaluations}");
    }

    /// Times have a rounding that may be wider than the width asked for: the search ends where two of them are neighbours.
    #[test]
    fn a_root_that_is_finer_than_numbers_are_does_not_cost_evaluations_without_end() {
        let f = |x: f64| 2.0 - x * x;
        let mut evaluations = 0;
        let root = falling(1.0, 2.0, (f(1.0), f(2.0)), 0.0, |x| {
            evaluations += 1;
            Ok::<f64, ()>(f(x))
        });
        let root = root.unwrap();
        assert!(f(root) < 0.0 && f(root.next_down()) >= 0.0, "{root}");
        assert!(evaluations <= 60, "{evaluations}");
    }

    /// Root and evaluations of a function that falls from `from` to `to`.
    fn counted(from: f64, to: f64, width: f64, f: impl Fn(f64) -> f64) -> (f64, u32) {
        let mut evaluations = 0;
        let root = falling(from, to, (f(from), f(to)), width, |x| {
            assert!(x > from && x < to, "{x} is not between {from} and {to}");
            evaluations += 1;
            Ok::<f64, ()>(f(x))
        });
        (root.unwrap(), evaluations)
    }

    /// Cubics with a root anywhere in an interval that is not near zero, with all digits and with a few: the counts are those of this
    /// method.
    #[test]
    fn a_root_costs_nine_evaluations_and_one_of_coarse_values_forty_eight() {
        let (from, to, width) = (3.0, 7.0, 1e-14);
        let (mut smooth, mut coarse) = (0, 0);
        for k in 0..100 {
            let wanted = from + (to - from) * (f64::from(k) + 0.37) / 100.0;
            let (a, b) = (f64::from(k % 7) / 7.0, f64::from(k % 11) / 11.0);
            let f = |x: f64| (wanted - x) * (1.0 + a * (x - from) + b * (x - from) * (x - from));
            let (root, evaluations) = counted(from, to, width, f);
            assert!((root - wanted).abs() <= 2e-14 && f(root) < 0.0, "{root} is not {wanted}");
            smooth += evaluations;
            // A function of steps, as what is the difference of large numbers.
            let (root, evaluations) = counted(from, to, width, |x| (f(x) * 1e10).floor() / 1e10);
            assert!((root - wanted).abs() <= 2e-10, "{root} is not {wanted}");
            coarse += evaluations;
        }
        assert!(smooth <= 898 && coarse <= 4768, "{smooth} and {coarse} evaluations of 100 roots");
    }

    #[test]
    fn a_root_that_is_near_enough_is_not_looked_for_farther() {
        let f = |x: f64| 0.3 - x * x;
        for enough in [1e-3, 1e-6, 1e-9] {
            let mut values = Vec::new();
            let root = falling_to(0.0, 1.0, (f(0.0), f(1.0)), 1e-15, enough, |x| {
                values.push(f(x));
                Ok::<f64, ()>(f(x))
            });
            let (last, before) = values.split_last().unwrap();
            assert!(f(root.unwrap()) == *last && (-enough..0.0).contains(last), "{values:?}");
            assert!(before.iter().all(|value| !(-enough..0.0).contains(value)), "{values:?}");
        }
        // On the edge of it, too.
        let values = |x: f64| Ok::<f64, ()>(if x < 0.5 { 1.0 } else { -0.25 });
        let root = falling_to(0.0, 1.0, (1.0, -1.0), 1e-15, 0.25, values).unwrap();
        assert_eq!(root, 0.5);
    }
}
