//! Random cases, identified by their seeds, and the largest errors in them.

use fastrand::Rng;

/// Runs a test on many random cases; `CAROM_CASES` multiplies them, `CAROM_SEED` is the seed of the first.
pub fn for_cases(cases: usize, mut test: impl FnMut(&mut Rng)) {
    let read = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().expect(name));
    let start = read("CAROM_SEED").unwrap_or(0x5eed);
    let cases = cases as u64 * read("CAROM_CASES").unwrap_or(1);
    for seed in (0..cases).map(|case| start.wrapping_add(case)) {
        let reporter = OnFailure(seed);
        // Neighbouring seeds share their first numbers.
        let mut rng = Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        rng.u64(..);
        test(&mut rng);
        drop(reporter);
    }
}

struct OnFailure(u64);

impl Drop for OnFailure {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the case failed with seed {0}: run it first with CAROM_SEED={0}", self.0);
        }
    }
}

/// A bound on relative errors that records the largest one, and prints it at the end of the test.
pub struct Gauge {
    name: &'static str,
    bound: f64,
    worst: f64,
}

impl Gauge {
    pub fn new(name: &'static str, bound: f64) -> Self {
        Self { name, bound, worst: 0.0 }
    }

    /// Asserts error ≤ bound · scale.
    #[track_caller]
    pub fn see(&mut self, error: f64, scale: f64) {
        if error == 0.0 {
            return;
        }
        let relative = error / scale;
        assert!(
            relative <= self.bound,
            "{}: {error:e} is {relative:e} of {scale:e}, above {:e}",
            self.name,
            self.bound
        );
        self.worst = self.worst.max(relative);
    }

    /// Asserts the bound for two vectors, entry by entry, each with its own scale.
    #[track_caller]
    pub fn compare(&mut self, a: &[f64], b: &[f64], scale: impl Fn(usize) -> f64) {
        assert_eq!(a.len(), b.len());
        for i in 0..a.len() {
            self.see((a[i] - b[i]).abs(), scale(i));
        }
    }
}

impl Drop for Gauge {
    fn drop(&mut self) {
        println!("{}: largest {:.1e}, bound {:.1e}", self.name, self.worst, self.bound);
    }
}
