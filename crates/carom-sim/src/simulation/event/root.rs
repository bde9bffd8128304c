//! Bracketed root finding.

/// Maximum number of evaluations: four times those of bisection to full precision.
const MOST_EVALUATIONS: usize = 200;

/// A secant step, then the method of T. R. Chandrupatla (Advances in Engineering Software 28, 1997): inverse quadratic
/// interpolation if it is certain to stay inside the bracket, bisection otherwise. Each iterate stays half the width
/// away from both ends. Returns the end of the last bracket at which the function is negative.
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
    let away = 0.5 * width;
    for _ in 0..MOST_EVALUATIONS {
        if to - from <= width {
            break;
        }
        let is_inside = |at: &f64| *at > from && *at < to;
        // If the width is below the rounding of the ends, only the middle may be inside, or no number at all.
        let kept_away = Some(guess.max(from + away).min(to - away)).filter(is_inside);
        let Some(at) = kept_away.or(Some(0.5 * (from + to)).filter(is_inside)) else { break };
        let value = f(at)?;
        let here = (at, value);
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
    use super::{falling, falling_to, parabola};

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

    /// The cost of a root is its evaluations: each evaluates the robot. Bisection alone takes about fifty.
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
            // A function with little curvature is approached from one side, and the bracket has to close from the
            // other.
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

    /// The rounding of times may exceed the requested width: the search ends when the ends are adjacent numbers.
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

    /// Cubics with a root anywhere in an interval away from zero, to full precision and to a few digits: the counts are
    /// those of this method.
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
            // A staircase, like the difference of large numbers.
            let (root, evaluations) = counted(from, to, width, |x| (f(x) * 1e10).floor() / 1e10);
            assert!((root - wanted).abs() <= 2e-10, "{root} is not {wanted}");
            coarse += evaluations;
        }
        assert!(smooth <= 898 && coarse <= 4768, "{smooth} and {coarse} evaluations of 100 roots");
    }

    /// x = r + p y + q y² through three points: its root is r, wherever that lies.
    #[test]
    fn an_inverse_parabola_has_its_root_where_it_is() {
        for (r, p, q) in [(0.0, -1.0, 0.0), (0.3, -0.5, 0.1), (-2.0, -0.25, -0.03), (5.0, -3.0, 0.2)] {
            let point = |y: f64| (r + p * y + q * y * y, y);
            // The second value has the opposite sign of the first; the third has the sign of the first and lies beyond
            // it.
            for values in [[0.5, -1.0, 2.0], [-0.5, 1.0, -2.0], [0.25, -1.5, 1.0], [-1.0, 0.75, -1.5]] {
                let [a, b, c] = values.map(point);
                let root = parabola(a, b, c);
                assert!((root - r).abs() <= 1e-14 * (1.0 + r.abs()), "{root} is not {r} through {a:?}, {b:?}, {c:?}");
            }
        }
    }

    /// With ξ = (a - b)/(c - b) and φ = (f_a - f_b)/(f_c - f_b) it is inside wherever 1 - √(1 - ξ) < φ < √ξ. Here b is at 0 with -1,
    /// and c at 1.
    #[test]
    fn a_parabola_that_may_leave_the_bracket_gives_way_to_bisection() {
        let is_bisected = |xi: f64, phi: f64| {
            // f_c from φ for f_a = 1/2.
            let root = parabola((xi, 0.5), (0.0, -1.0), (1.0, 1.5 / phi - 1.0));
            root == 0.5 * xi
        };
        for xi in [0.1, 0.25, 0.5, 0.75, 0.9_f64] {
            let (least, most) = (1.0 - (1.0 - xi).sqrt(), xi.sqrt());
            for (phi, expected) in
                [(0.99 * least, true), (1.01 * least, false), (0.99 * most, false), (1.01 * most, true)]
            {
                assert_eq!(is_bisected(xi, phi), expected, "{xi}, {phi}");
            }
        }
        // Three points with only two distinct values, and three values that are NaN.
        assert_eq!(parabola((0.5, 1.0), (0.0, -1.0), (1.0, 1.0)), 0.25);
        assert_eq!(parabola((0.5, f64::NAN), (0.0, -1.0), (1.0, 1.0)), 0.25);
    }

    /// Each evaluation may be a step of the robot: the root of a nearly straight function takes one.
    #[test]
    fn a_nearly_straight_function_takes_one_evaluation() {
        for (from, to, root) in [(0.0, 1.0, 0.3), (3.0, 7.0, 6.9), (-2.0, 0.5, -1.9)] {
            let f = |x: f64| 5.0 * (root - x) + 1e-9 * (x - root) * (x - root);
            let mut evaluations = 0;
            let found = falling_to(from, to, (f(from), f(to)), 1e-15, 3e-8, |x| {
                evaluations += 1;
                Ok::<f64, ()>(f(x))
            });
            assert!(evaluations == 1 && (found.unwrap() - root).abs() < 1e-8, "{evaluations}");
        }
    }

    /// Inside a bracket of the requested width there are no evaluations, and no iterate is nearer than half the width
    /// to its ends.
    #[test]
    fn no_evaluation_is_nearer_to_an_end_than_half_the_width() {
        let width = 0.01;
        for root in [0.1, 0.3, 0.7, 0.95] {
            let (mut from, mut to) = (0.0, 1.0);
            let f = |x: f64| (root - x) * (1.0 + x);
            let found = falling(from, to, (f(from), f(to)), width, |x| {
                assert!(
                    to - from > width && x >= from + 0.4999 * width && x <= to - 0.4999 * width,
                    "{x} in {from}, {to}"
                );
                if f(x) < 0.0 {
                    to = x
                } else {
                    from = x
                }
                Ok::<f64, ()>(f(x))
            });
            assert!(found.unwrap() == to && to - from <= width, "{from}, {to}");
        }
        let found = falling(0.0, 1.0, (1.0, -1.0), 1.0, |_| Err::<f64, ()>(()));
        assert_eq!(found, Ok(1.0));
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
        // Also at exactly that distance.
        let values = |x: f64| Ok::<f64, ()>(if x < 0.5 { 1.0 } else { -0.25 });
        let root = falling_to(0.0, 1.0, (1.0, -1.0), 1e-15, 0.25, values).unwrap();
        assert_eq!(root, 0.5);
    }
}
