//! The effort of a law: steps of a path or of an integration, counted in tests only.

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// One more step.
#[inline(always)]
pub(super) fn count() {
    #[cfg(test)]
    STEPS.set(STEPS.get() + 1);
}

/// The steps that `act` takes.
#[cfg(test)]
pub(super) fn of<T>(act: impl FnOnce() -> T) -> (usize, T) {
    STEPS.set(0);
    let done = act();
    (STEPS.get(), done)
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::of;
    use crate::rivals::extreme::{self, Extreme};
    use crate::rivals::path::{self, keller};
    use crate::{Coefficients, Contact, Delassus, Friction, Guard, Law, Restitution};

    /// The steps that a law takes; `None` if there is no such contact.
    fn steps(law: Law, problem: &Extreme) -> Option<usize> {
        let Extreme { d, w, v, e, e_t, mu_s, mu_d } = *problem;
        let rows: Vec<&[f64]> = w[..d].iter().map(|row| &row[..d]).collect();
        let contact = Contact::new(Delassus::from_rows(&rows).ok()?, &v[..d]).ok()?;
        let restitution = Restitution::with_tangential(e, e_t).unwrap();
        let coefficients = Coefficients::new(restitution, Friction::with_static(mu_s, mu_d).unwrap());
        Some(of(|| contact.impact_by(law, &coefficients, Guard::Report)).0)
    }

    /// For every input, also without an answer: two phases, and twice as many for a contact that hardly approaches.
    #[test]
    fn the_work_of_a_path_is_bounded_at_any_scale() {
        let seed = std::env::var("CAROM_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(20_200_617);
        println!("CAROM_SEED={seed}");
        let mut rng = Rng::with_seed(seed);
        for law in [Law::Poisson, Law::Stronge, Law::NewtonRouth] {
            let (mut most, mut sum, mut count) = (0, 0, 0);
            for _ in 0..20_000 {
                let problem = extreme::any(&mut rng);
                let Some(steps) = steps(law, &problem) else { continue };
                assert!(steps <= 4 * (path::MOST_STRETCHES + keller::MOST_STEPS), "{law:?} {problem:?}: {steps}");
                (most, sum, count) = (most.max(steps), sum + steps, count + 1);
            }
            println!("{law:?}: at most {most} steps, {} on average", sum / count);
            assert!(sum / count < 20);
        }
    }
}
