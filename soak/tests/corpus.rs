//! The fuzz targets on the stored inputs: earlier findings, and inputs with large coverage.

use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{fs, thread};

use carom_soak::fuzz::TARGETS;

/// Time limit per input; under libFuzzer it is 25 s.
const MOST_SECONDS: f64 = 25.0;

fn corpus(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(target)
}

#[test]
fn every_stored_input_passes() {
    for (name, target) in TARGETS {
        let folder = corpus(name);
        let mut inputs: Vec<PathBuf> = fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
            .map(|entry| entry.unwrap().path())
            .collect();
        inputs.sort();
        assert!(!inputs.is_empty(), "{} is empty", folder.display());
        for input in inputs {
            let data = fs::read(&input).unwrap();
            let start = Instant::now();
            // A panic is reported with the file that caused it.
            let passed = thread::spawn(move || target(&data)).join().is_ok();
            assert!(passed, "{}", input.display());
            let seconds = start.elapsed().as_secs_f64();
            assert!(seconds < MOST_SECONDS, "{} took {seconds} s", input.display());
        }
    }
}

/// The targets of the library and of libFuzzer are the same.
#[test]
fn every_target_has_a_file() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/fuzz_targets");
    let mut files: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    files.sort();
    let mut names = TARGETS.map(|(name, _)| name);
    names.sort();
    assert_eq!(files, names);
}
