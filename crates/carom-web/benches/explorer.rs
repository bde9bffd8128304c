//! Time of the requests of a page that is dragged, on one core: `cargo bench -p carom-web`.
//!
//! On a machine that does something else as well, the time on the core says more than the time that has passed; Linux tells it.
#![allow(missing_docs)]

use std::fs;
use std::time::Instant;

use carom_web::Engine;

const REPEATED: usize = 40;

fn main() {
    // Before the first use of threads: maps are computed on one core.
    if std::env::var_os("RAYON_NUM_THREADS").is_none() {
        let own = std::env::current_exe().expect("a program has a path");
        let status = std::process::Command::new(own).env("RAYON_NUM_THREADS", "1").status();
        std::process::exit(status.ok().and_then(|status| status.code()).unwrap_or(1));
    }
    let engine = Engine::new();
    println!("{:<10} {:<40} {:>12} {:>12} {:>12}", "scene", "request", "least ms", "median ms", "on core ms");
    for scene in ["kane", "cube", "foot", "humanoid"] {
        for (request, more) in [
            ("answer", ""),
            ("laws", ""),
            ("map", r#", "resolution": 200"#),
            ("map", r#", "resolution": 200, "contours": true"#),
        ] {
            let body = format!(r#"{{"request": "{request}", "source": {{"gallery": "{scene}"}}{more}}}"#);
            let mut times = Vec::new();
            let before = on_cores();
            for _ in 0..REPEATED {
                let begun = Instant::now();
                let answer = engine.answer(body.as_bytes());
                times.push(1e3 * begun.elapsed().as_secs_f64());
                assert!(answer.len() > 100);
            }
            times.sort_by(f64::total_cmp);
            let on_core = before.zip(on_cores()).map_or(f64::NAN, |(before, after)| (after - before) / REPEATED as f64);
            let name = format!("{request}{more}");
            println!("{scene:<10} {name:<40} {:>12.3} {:>12.3} {on_core:>12.3}", times[0], times[REPEATED / 2]);
        }
    }
}

/// Time that the threads of this process were on a core, ms.
fn on_cores() -> Option<f64> {
    let threads = fs::read_dir("/proc/self/task").ok()?;
    let of = |thread: fs::DirEntry| -> Option<f64> {
        fs::read_to_string(thread.path().join("schedstat")).ok()?.split(' ').next()?.parse().ok()
    };
    Some(threads.flatten().filter_map(of).sum::<f64>() / 1e6)
}
