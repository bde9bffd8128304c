//! What a batch costs: lines of matrices and of a robot, all fields and some, on one thread, from memory to memory.

use std::path::Path;

use carom_report::Fields;
use carom_report::batch::{Options, run};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};

#[path = "../examples/batch_lines.rs"]
#[allow(dead_code)]
mod batch_lines;

const LINES: usize = 2000;

fn main() {
    divan::main();
}

fn lines(line: fn(&mut fastrand::Rng) -> String) -> String {
    let mut random = fastrand::Rng::with_seed(1);
    (0..LINES).map(|_| line(&mut random) + "\n").collect()
}

fn time(bencher: Bencher<'_, '_>, input: &str, fields: &str) {
    let fields: Fields = if fields == "all" { Fields::ALL } else { fields.parse().expect("names of fields") };
    let options = Options::new(Path::new("")).fields(fields);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    bencher.counter(ItemsCount::new(LINES)).bench_local(|| {
        let mut output = Vec::with_capacity(4 << 20);
        let progress = pool.install(|| run(black_box(input).as_bytes(), &options, &mut output, |_| {}));
        assert_eq!(progress.expect("memory").failed, 0);
        output
    });
}

#[divan::bench(args = ["all", "mode,impulse"])]
fn matrices(bencher: Bencher<'_, '_>, fields: &str) {
    time(bencher, &lines(batch_lines::matrices), fields);
}

#[divan::bench(args = ["all", "mode,impulse"])]
fn arm(bencher: Bencher<'_, '_>, fields: &str) {
    time(bencher, &lines(batch_lines::arm), fields);
}
