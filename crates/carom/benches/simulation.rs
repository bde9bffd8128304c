//! What a simulated second costs: the quadruped's drop, the cube's toss, boxes that fall beside each other, and ten that are
//! stacked, one thread, no samples kept.
//!
//! One line of JSON is printed for each. `cargo xtask bench simulation` prints MuJoCo beside it.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use carom::law::{Coefficients, Friction, Restitution};
use carom::multibody::{HalfSpace, Inertia, Joint, JointKind, LinkId, LinkSpec, ModelBuilder};
use carom::sim::{ContactSpec, Discard, Settings, Setup, Simulation};

/// Simulated times: the fall and the impacts; the same and a long rest.
const SECONDS: [f64; 2] = [2.0, 10.0];
/// Measurements, the fastest of which counts...
const RUNS: usize = 5;
/// ... each of as many runs as take this long, s...
const LEAST: f64 = 0.2;
/// ... but of no more than these.
const MOST: f64 = 200.0;
/// Numbers of boxes, which are simulated for 1 s.
const BOXES: [usize; 5] = [1, 2, 4, 8, 16];

static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Time that this thread has run, where Linux tells it: other work on the machine does not count. Elsewhere time on the wall.
fn clock() -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let running = told.and_then(|text| text.split(' ').next()?.parse().ok());
    running.map_or_else(|| BEGIN.elapsed(), Duration::from_nanos)
}

fn main() {
    for name in ["quadruped", "cube"] {
        for seconds in SECONDS {
            let mut setup = carom::gallery::find_simulation(name).expect("built in").setup().expect("a setup");
            // As in the peers' model: joints that stick are rigid here and soft there.
            setup.joint_friction = false;
            run(name, setup, seconds);
        }
    }
    for count in BOXES {
        run(&format!("{count} boxes"), boxes(count), 1.0);
    }
    run("stack", carom::gallery::find_simulation("stack").expect("built in").setup().expect("a setup"), 1.0);
}

/// Boxes of 20 x 16 x 10 cm in one model that fall on a floor, each from its own height and tilted in its own way;
/// `conformance/peers/simulations.py` has the same.
fn boxes(count: usize) -> Setup {
    let half = [0.1, 0.08, 0.05];
    let coefficients = Coefficients::new(Restitution::new(0.0).expect("e"), Friction::new(0.5).expect("mu"));
    let mut model = ModelBuilder::new("boxes");
    for k in 0..count {
        let free = Joint::new(format!("free {k}"), JointKind::Floating);
        let spec = LinkSpec::new(format!("box {k}")).joint(free).inertia(Inertia::cuboid(1.0, half));
        model.link(LinkId::WORLD, spec).expect("a link");
    }
    let mut builder = Simulation::builder(model.build().expect("a model"))
        .surface("floor", HalfSpace::new([0.0; 3], [0.0, 0.0, 1.0]).expect("a floor"));
    for k in 0..count {
        let angle = 0.3 + 0.05 * k as f64;
        let (sin, cos) = (0.5 * angle).sin_cos();
        let pose = [0.5 * k as f64, 0.0, 0.25 + 0.01 * k as f64, cos, 0.6 * sin, 0.8 * sin, 0.0];
        builder = builder.joint_position(&format!("free {k}"), pose);
        for corner in 0..8 {
            let at = [0, 1, 2].map(|axis| if corner >> axis & 1 == 0 { -half[axis] } else { half[axis] });
            let spec = ContactSpec::new(format!("box {k} corner {corner}"), coefficients).on(format!("box {k}"));
            builder = builder.contact(spec.at(at));
        }
    }
    builder.setup().expect("a setup")
}

fn run(name: &str, mut setup: Setup, seconds: f64) {
    setup.settings = Settings { until: seconds, interval: None, ..setup.settings };
    let first = Simulation::new(setup).expect("a simulation");
    let start = Instant::now();
    let mut simulation = first.clone();
    simulation.run_until(seconds, &mut Discard).expect("a run");
    let summary = simulation.summary();
    // The clock of a thread advances in ticks of a few milliseconds.
    let count = (LEAST / start.elapsed().as_secs_f64()).ceil().clamp(1.0, MOST) as usize;
    let mut fastest = f64::INFINITY;
    for _ in 0..RUNS {
        let mut simulations = vec![first.clone(); count];
        let start = clock();
        for simulation in &mut simulations {
            simulation.run_until(seconds, &mut Discard).expect("a run");
        }
        fastest = fastest.min((clock() - start).as_secs_f64() / count as f64);
    }
    println!(
        "{{\"scene\": \"{name}\", \"seconds\": {seconds}, \"carom_us\": {:.1}, \"steps\": {}, \"evaluations\": {}, \
         \"impacts\": {}}}",
        1e6 * fastest / seconds,
        summary.steps,
        summary.evaluations,
        summary.impacts,
    );
}
