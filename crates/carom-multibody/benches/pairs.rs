//! What the closest points of two solids cost, in random places about 0.1 m apart.

use std::hint::black_box;
use std::time::Instant;

use carom_multibody::{Placement, Quaternion, Solid, Vector, closest_points};

const PLACES: usize = 1000;
const BATCHES: usize = 101;

fn main() {
    let mut rng = fastrand::Rng::with_seed(3);
    let mut vector = || Vector::from([(); 3].map(|()| 2.0 * rng.f64() - 1.0));
    let places: Vec<[Placement; 2]> = (0..PLACES)
        .map(|_| {
            let direction = vector().normalized().expect("a direction");
            let turned = [vector(), vector()].map(|axis| Quaternion::exp(3.0 * axis).to_rotation());
            [Placement::new(turned[0], 0.6 * direction), Placement::new(turned[1], [0.0; 3])]
        })
        .collect();
    let ball = Solid::ball(0.2).expect("a ball");
    let capsule = Solid::capsule(0.1, 0.2).expect("a capsule");
    let cuboid = Solid::cuboid([0.1, 0.2, 0.15]).expect("a box");
    let cylinder = Solid::cylinder(0.15, 0.2).expect("a cylinder");
    let time = |name: &str, one: &Solid, other: &Solid| {
        let batch = || {
            let start = Instant::now();
            for [at, other_at] in &places {
                let _ = black_box(closest_points(one, at, other, other_at));
            }
            start.elapsed().as_secs_f64() / PLACES as f64
        };
        let fastest = (0..BATCHES).map(|_| batch()).fold(f64::INFINITY, f64::min);
        println!("{:7.0} ns  {name}", 1e9 * fastest);
    };
    time("ball, ball", &ball, &ball);
    time("ball, capsule", &ball, &capsule);
    time("ball, box", &ball, &cuboid);
    time("ball, cylinder", &ball, &cylinder);
    time("capsule, capsule", &capsule, &capsule);
    time("capsule, box", &capsule, &cuboid);
    time("box, box", &cuboid, &cuboid);
}
