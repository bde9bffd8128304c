//! Random heaps of balls, capsules and boxes fall on each other and on a floor: none gains energy, penetrates or hangs.
//!
//! `cargo xtask heaps` runs 5,000 and prints the table of the book. `CAROM_HEAPS` sets how many, `CAROM_SEED` the seed of the first: a heap that
//! fails prints its own, and `CAROM_HEAPS=1 CAROM_SEED=...` replays it alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use carom_law::{Coefficients, Friction, Restitution};
use carom_multibody::{
    BodyPair, Dynamics, Inertia, Joint, JointKind, LinkId, LinkSpec, ModelBuilder, PairSide, Placement, Solid,
};
use carom_sim::{Event, Sample, Setup, Simulation, Sink, WatchedPair};
use fastrand::Rng;
use rayon::prelude::*;

/// Number of heaps and seed of the first, if `CAROM_HEAPS` and `CAROM_SEED` are not set.
const HEAPS: u64 = 6;
const FIRST: u64 = 6;
/// Simulated time, s.
const UNTIL: f64 = 1.5;
/// Evaluations beyond which a heap counts as hanging, in addition to an allowance for each instant.
const MOST_EVALUATIONS: u64 = 2_000_000;
const EVALUATIONS_AN_INSTANT: u64 = 100;
/// Windows beyond which a heap counts as hanging.
const MOST_WINDOWS: u64 = 2_000;
/// Bound on the residual of the energy book, relative to the largest energy.
const RESIDUAL: f64 = 1e-8;
/// Bound on the energy gain since the start, relative to the largest energy.
const GAIN: f64 = 1e-9;
/// Bound on the penetration of two bodies, relative to the smaller one: that of the simulation for boxes.
const DEPTH: f64 = 1e-6;

fn uniform(rng: &mut Rng, low: f64, high: f64) -> f64 {
    low + (high - low) * rng.f64()
}

/// The heap of a seed: 2 to 12 bodies above each other, randomly oriented, over a floor that is a fixed box.
fn heap(seed: u64) -> Setup {
    // Adjacent seeds start with the same numbers.
    let mut rng = Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    rng.u64(..);
    let count = rng.usize(2..=12);
    let mut builder = ModelBuilder::new("heap");
    let mut solids = Vec::new();
    let (mut configuration, mut velocity) = (Vec::new(), Vec::new());
    let mut top = 0.0;
    for k in 0..count {
        let mut size = || uniform(&mut rng, 0.03, 0.12);
        let sizes = [size(), size(), size()];
        let mass = uniform(&mut rng, 0.2, 2.0);
        let (solid, inertia) = match rng.u32(..3) {
            0 => (Solid::ball(sizes[0]).unwrap(), Inertia::ball(mass, sizes[0])),
            1 => {
                let (radius, half) = (0.5 * sizes[0], sizes[1]);
                // The inertia of its bounding box: the exact value does not matter.
                (Solid::capsule(radius, half).unwrap(), Inertia::cuboid(mass, [radius, radius, radius + half]))
            }
            _ => (Solid::cuboid(sizes).unwrap(), Inertia::cuboid(mass, sizes)),
        };
        let joint = Joint::new(format!("free {k}"), JointKind::Floating);
        builder.link(LinkId::WORLD, LinkSpec::new(format!("body {k}")).joint(joint).inertia(inertia)).unwrap();
        let middle = top + solid.reach() + uniform(&mut rng, 1e-3, 0.02);
        top = middle + solid.reach();
        configuration.extend([uniform(&mut rng, -0.05, 0.05), uniform(&mut rng, -0.05, 0.05), middle]);
        let turn = match rng.u32(..4) {
            // Upright, a common case.
            0 => [1.0, 0.0, 0.0, 0.0],
            _ => std::array::from_fn(|_| uniform(&mut rng, -1.0, 1.0)),
        };
        let norm = turn.iter().map(|x: &f64| x * x).sum::<f64>().sqrt();
        configuration.extend(turn.map(|x| x / norm));
        velocity.extend((0..3).map(|_| uniform(&mut rng, -0.5, 0.5)));
        velocity.extend((0..3).map(|_| uniform(&mut rng, -3.0, 3.0)));
        solids.push(solid);
    }
    let mut setup = Setup::new(Arc::new(builder.build().unwrap()));
    (setup.configuration, setup.velocity) = (configuration, velocity);
    let floor = PairSide {
        link: LinkId::WORLD,
        placement: Placement::at([0.0, 0.0, -0.5]),
        solid: Solid::cuboid([3.0, 3.0, 0.5]).unwrap(),
    };
    let side = |k: usize| PairSide {
        link: LinkId::from_index(k + 1),
        placement: Placement::IDENTITY,
        solid: solids[k].clone(),
    };
    let (e, mu) = (uniform(&mut rng, 0.0, 0.8), uniform(&mut rng, 0.0, 0.8));
    let coefficients = Coefficients::new(Restitution::new(e).unwrap(), Friction::new(mu).unwrap());
    for k in 0..count {
        let mut add = |name: String, other: PairSide| {
            let bodies = BodyPair { sides: [side(k), other] };
            setup.pairs.push(WatchedPair { name, bodies, coefficients });
        };
        add(format!("{k} on floor"), floor.clone());
        for j in 0..k {
            add(format!("{k} on {j}"), side(j));
        }
    }
    setup.settings.until = UNTIL;
    setup.settings.interval = Some(0.05);
    setup
}

/// Checks every sample.
struct Judge {
    setup: Setup,
    dynamics: Dynamics,
    first: Option<f64>,
    gain: f64,
    depth: f64,
    instants: u64,
    last: f64,
}

impl Sink for Judge {
    fn sample(&mut self, sample: Sample) {
        let total = sample.energy.kinetic + sample.energy.potential;
        let first = *self.first.get_or_insert(total);
        self.gain = self.gain.max(total - first);
        self.dynamics.set_state(&sample.configuration, &sample.velocity).unwrap();
        for pair in &self.setup.pairs {
            let size = pair.bodies.sides.iter().map(|side| side.solid.reach()).fold(f64::INFINITY, f64::min);
            // Without a normal, they penetrate deeper than their radii.
            let gap = self.dynamics.closest_bodies(&pair.bodies).unwrap().map_or(-size, |closest| closest.gap);
            self.depth = self.depth.max(-gap / size);
        }
    }

    fn event(&mut self, event: Event) {
        if event.time() != self.last {
            self.instants += 1;
            self.last = event.time();
        }
    }
}

#[derive(Debug, Default)]
struct Verdict {
    bodies: usize,
    faults: Vec<String>,
    evaluations: u64,
    impacts: u64,
    instants: u64,
    windows: u64,
    not_converged: u64,
    residual: f64,
    gain: f64,
    depth: f64,
}

fn judge(seed: u64) -> Verdict {
    let setup = heap(seed);
    let mut judge = Judge {
        dynamics: Dynamics::new(Arc::clone(&setup.model)),
        setup: setup.clone(),
        first: None,
        gain: 0.0,
        depth: 0.0,
        instants: 0,
        last: f64::NAN,
    };
    let mut verdict = Verdict { bodies: setup.model.links().len() - 1, ..Verdict::default() };
    let mut simulation = match Simulation::new(setup) {
        Ok(simulation) => simulation,
        Err(error) => {
            verdict.faults.push(error.to_string());
            return verdict;
        }
    };
    while simulation.time() < UNTIL {
        if let Err(error) = simulation.step(&mut judge) {
            verdict.faults.push(format!("t = {}: {error}", simulation.time()));
            break;
        }
        let summary = simulation.summary();
        let most = MOST_EVALUATIONS + EVALUATIONS_AN_INSTANT * judge.instants;
        if summary.evaluations > most || summary.windows > MOST_WINDOWS {
            let (evaluations, windows) = (summary.evaluations, summary.windows);
            verdict.faults.push(format!("hangs at t = {}: {evaluations} evaluations, {windows} windows", summary.time));
            break;
        }
    }
    let summary = simulation.summary();
    let scale = summary.largest_energy;
    verdict.evaluations = summary.evaluations;
    verdict.impacts = summary.impacts;
    verdict.windows = summary.windows;
    verdict.not_converged = summary.not_converged;
    verdict.residual = summary.residual;
    verdict.instants = judge.instants;
    verdict.gain = judge.gain / scale;
    verdict.depth = judge.depth;
    if !(verdict.gain <= GAIN) {
        verdict.faults.push(format!("gains {:e} of its energy", verdict.gain));
    }
    if !(verdict.residual <= RESIDUAL) {
        verdict.faults.push(format!("leaves {:e} of its energy unexplained", verdict.residual));
    }
    if !(verdict.depth <= DEPTH) {
        verdict.faults.push(format!("sinks in by {:e} of the smaller body", verdict.depth));
    }
    verdict
}

#[test]
fn heaps_neither_hang_nor_gain_nor_sink() {
    let read = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().expect(name));
    let start = read("CAROM_SEED").unwrap_or(FIRST);
    let count = read("CAROM_HEAPS").unwrap_or(HEAPS);
    let verdicts: Vec<(u64, Verdict)> = (start..start.saturating_add(count))
        .into_par_iter()
        .map(|seed| {
            let verdict = judge(seed);
            for fault in &verdict.faults {
                println!("CAROM_SEED={seed} {} bodies: {fault}", verdict.bodies);
            }
            (seed, verdict)
        })
        .collect();
    let mut rows: BTreeMap<&str, Vec<&Verdict>> = BTreeMap::new();
    for (_, verdict) in &verdicts {
        let name = match verdict.bodies {
            0..=4 => "2 to 4",
            5..=8 => "5 to 8",
            _ => "9 to 12",
        };
        rows.entry(name).or_default().push(verdict);
        rows.entry("all").or_default().push(verdict);
    }
    println!(
        "| bodies | heaps | failures | impacts | instants | windows | heaps with windows | not converged | residual | gain | depth | evaluations / s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (name, row) in rows {
        let sum = |of: fn(&Verdict) -> u64| row.iter().map(|verdict| of(verdict)).sum::<u64>();
        let most = |of: fn(&Verdict) -> f64| row.iter().map(|verdict| of(verdict)).fold(0.0, f64::max);
        println!(
            "| {name} | {} | {} | {} | {} | {} | {} | {} | {:.1e} | {:.1e} | {:.1e} | {:.0} |",
            row.len(),
            sum(|v| u64::from(!v.faults.is_empty())),
            sum(|v| v.impacts),
            sum(|v| v.instants),
            sum(|v| v.windows),
            sum(|v| u64::from(v.windows > 0)),
            sum(|v| v.not_converged),
            most(|v| v.residual),
            most(|v| v.gain),
            most(|v| v.depth),
            sum(|v| v.evaluations) as f64 / (UNTIL * row.len() as f64),
        );
    }
    let failed: Vec<u64> = verdicts.iter().filter(|(_, v)| !v.faults.is_empty()).map(|(seed, _)| *seed).collect();
    assert!(failed.is_empty(), "{} of {} heaps failed: CAROM_SEED={failed:?}", failed.len(), verdicts.len());
}

/// A box comes down nearly flush on another, with six edges almost parallel to its own: a strike leaves velocities for
/// a settling to end, and the settling leaves 1e-10 of a speed that counts as a strike. When this did not terminate, a
/// window replaced every instant.
#[test]
fn strikes_and_settlings_that_undo_each_other_come_to_an_end() {
    let verdict = judge(5);
    assert!(verdict.faults.is_empty(), "{:?}", verdict.faults);
    assert_eq!(verdict.windows, 0);
}
