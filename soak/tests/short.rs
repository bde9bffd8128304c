//! A short soak with the ordinary tests; the long one is `cargo xtask soak [N]`.

use std::thread;

use carom_soak::run::soak;

/// The first problems of `cargo xtask soak`.
const FIRST: u64 = 20_200_617;
const COUNT: u64 = 20_000;

#[test]
fn twenty_thousand_random_impacts_satisfy_every_condition() {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let tally = soak(FIRST, COUNT, threads, |_| ());
    assert_eq!(tally.problems(), COUNT);
    let findings = tally.findings();
    assert!(findings.is_empty(), "from CAROM_SEED={FIRST} on: {findings:?}");
}
