//! Runs a drop and checks every sample.

use std::sync::Arc;

use carom_law::{Guard, Law};
use carom_multibody::{ContactPoint, Contacts, Dynamics};
use carom_sim::{ContactMode, Event, EventKind, Sample, Setup, Simulation, Sink, Stop};

use super::scenes;

/// Evaluations of a drop beyond which it counts as hanging...
const MOST_EVALUATIONS: u64 = 2_000_000;
/// ... in addition to this many for each instant: if restitution increases at low speed, bounces are many and decay
/// slowly.
const EVALUATIONS_AN_INSTANT: u64 = 100;
/// Windows beyond which it counts as hanging: they make no evaluations.
const MOST_WINDOWS: u64 = 10_000;
/// Bound on the residual of the energy book, relative to the largest energy.
const RESIDUAL: f64 = 1e-8;
/// Bound on the energy gain since the start, relative to the largest energy.
const GAIN: f64 = 1e-9;
/// Bound on the energy gain since any earlier sample: the error of the integration.
const RISE: f64 = 1e-8;
/// Bound on the penetration, relative to the length.
const PENETRATION: f64 = 1e-7;
/// Bound on the excess of forces over their cones, relative to the weight or the largest force.
const CONE: f64 = 1e-7;
/// Bound on the velocity of closed or sticking contacts, relative to the fastest: impulses are not more accurate if W
/// has an eigenvalue of 1e-12 of its largest.
const STILL: f64 = 1e-6;

/// The result of a drop.
#[derive(Debug, Default)]
pub struct Verdict {
    pub faults: Vec<String>,
    pub seconds: f64,
    pub evaluations: u64,
    pub impacts: u64,
    /// Instants with events: each decides modes at least once.
    pub instants: u64,
    pub windows: u64,
    pub not_converged: u64,
    pub residual: f64,
    pub gain: f64,
    pub penetration: f64,
    pub is_at_rest: bool,
}

/// Checks the samples as they arrive.
struct Judge {
    setup: Setup,
    dynamics: Dynamics,
    contacts: Contacts,
    length: f64,
    speed: f64,
    weight: f64,
    lowest: f64,
    first: Option<f64>,
    gain: (f64, f64),
    rise: (f64, f64),
    instants: u64,
    last: f64,
    faults: Vec<String>,
    is_verbose: bool,
}

impl Judge {
    fn new(setup: &Setup, length: f64) -> Self {
        let points: Vec<ContactPoint> = setup.contacts.iter().map(|contact| contact.point).collect();
        Self {
            dynamics: Dynamics::new(Arc::clone(&setup.model)),
            contacts: Contacts::new(&setup.model, &points),
            length,
            speed: (setup.model.gravity().norm() * length).sqrt(),
            weight: setup.model.moving_mass() * setup.model.gravity().norm(),
            lowest: f64::INFINITY,
            first: None,
            gain: (0.0, 0.0),
            rise: (0.0, 0.0),
            instants: 0,
            last: f64::NAN,
            faults: Vec::new(),
            is_verbose: std::env::var_os("CAROM_VERBOSE").is_some(),
            setup: setup.clone(),
        }
    }

    fn fault(&mut self, text: String) {
        if self.faults.len() < 3 {
            self.faults.push(text);
        }
    }

    /// Checks that every contact obeys the conditions of its mode.
    fn check_modes(&mut self, sample: &Sample) {
        self.dynamics.set_state(&sample.configuration, &sample.velocity).unwrap();
        self.dynamics.contact_terms(&mut self.contacts).unwrap();
        let velocities = self.contacts.velocity().to_vec();
        self.speed = velocities.iter().fold(self.speed, |most, v| most.max(v.abs()));
        let largest = sample.contacts.iter().flat_map(|contact| contact.force).fold(self.weight, |m, f| m.max(f.abs()));
        for k in 0..self.setup.contacts.len() {
            let (seen, friction) = (&sample.contacts[k], self.setup.contacts[k].coefficients.friction);
            let [normal, tangential] = [seen.force[0], seen.force[1].hypot(seen.force[2])];
            let velocity = &velocities[self.contacts.rows(k)];
            let sliding = velocity[1..].iter().fold(0.0_f64, |speed, v| speed.hypot(*v));
            let time = sample.time;
            if seen.gap < -PENETRATION * self.length {
                self.fault(format!("t = {time}: contact {k} is {:e} L inside", -seen.gap / self.length));
            }
            if seen.mode == ContactMode::Flight {
                continue;
            }
            if seen.gap.abs() > PENETRATION * self.length || velocity[0].abs() > STILL * self.speed {
                let (gap, rate) = (seen.gap / self.length, velocity[0] / self.speed);
                self.fault(format!("t = {time}: contact {k} is closed at gap {gap:e} L, rate {rate:e}"));
            }
            if normal < -CONE * largest {
                self.fault(format!("t = {time}: contact {k} pulls by {:e} of the largest force", -normal / largest));
            }
            let Some(friction) = friction else { continue };
            if seen.mode == ContactMode::Stick {
                if sliding > STILL * self.speed {
                    self.fault(format!("t = {time}: contact {k} sticks and slides at {:e}", sliding / self.speed));
                }
                let outside = (tangential - friction.mu_s() * normal) / largest;
                if outside > CONE {
                    self.fault(format!("t = {time}: contact {k} sticks {outside:e} outside its cone"));
                }
            } else if (tangential - friction.mu_d() * normal.abs()).abs() > CONE * largest {
                self.fault(format!("t = {time}: contact {k} slips with {tangential} of {normal}"));
            }
        }
    }
}

impl Sink for Judge {
    fn sample(&mut self, sample: Sample) {
        let ledger = &sample.energy;
        let energy = ledger.total() - ledger.torques;
        self.lowest = self.lowest.min(energy);
        let above = [energy - *self.first.get_or_insert(energy), energy - self.lowest];
        for (worst, above) in [&mut self.gain, &mut self.rise].into_iter().zip(above) {
            if above > worst.0 {
                *worst = (above, sample.time);
            }
        }
        if self.is_verbose {
            println!("{sample:?}");
        }
        self.check_modes(&sample);
    }

    fn event(&mut self, event: Event) {
        if self.is_verbose {
            println!("{event:?}");
        }
        if event.time() != self.last || (event.kind() == EventKind::Window && event.contact().is_none()) {
            self.instants += 1;
            self.last = event.time();
        }
    }
}

/// The value named by an environment variable.
fn named<T: Copy>(variable: &str, all: &[T], name: fn(T) -> &'static str) -> Option<T> {
    let given = std::env::var(variable).ok()?;
    let found = all.iter().copied().find(|one| name(*one) == given);
    Some(found.unwrap_or_else(|| {
        panic!("{variable} = {given:?} must be one of {:?}", all.iter().map(|x| name(*x)).collect::<Vec<_>>())
    }))
}

/// Runs the drop of a seed.
pub fn judge(seed: u64) -> Verdict {
    judge_setup(scenes::setup(seed))
}

/// Runs the drop of a seed with a law.
pub fn judge_by(law: Law, seed: u64) -> Verdict {
    judge_setup(Setup { law, ..scenes::setup(seed) })
}

/// Runs the drop of a seed with the law and the guard of the environment variables.
pub fn judge_by_environment(seed: u64) -> Verdict {
    let mut setup = scenes::setup(seed);
    setup.law = named("CAROM_LAW", &Law::ALL, Law::name).unwrap_or_default();
    setup.guard = named("CAROM_GUARD", &Guard::ALL, Guard::name).unwrap_or(setup.guard);
    judge_setup(setup)
}

fn judge_setup(setup: Setup) -> Verdict {
    let mut simulation = match Simulation::new(setup.clone()) {
        Ok(simulation) => simulation,
        Err(error) => return Verdict { faults: vec![format!("does not begin: {error}")], ..Verdict::default() },
    };
    let mut judge = Judge::new(&setup, simulation.header().length);
    loop {
        match simulation.step(&mut judge) {
            Ok(Stop::Step | Stop::Event) => {}
            Ok(Stop::Time | Stop::Interrupted | Stop::OutOfTime) => break,
            Err(error) => {
                judge.fault(error.to_string());
                break;
            }
        }
        let so_far = simulation.summary();
        if so_far.evaluations > MOST_EVALUATIONS + EVALUATIONS_AN_INSTANT * judge.instants
            || so_far.windows > MOST_WINDOWS
        {
            judge.fault(format!("hangs at t = {}", simulation.time()));
            break;
        }
    }
    let summary = simulation.summary();
    // A robot at rest from the start has hardly any energy.
    let scale = summary.largest_energy.max(judge.weight * judge.length);
    let residual = summary.residual * summary.largest_energy / scale;
    let (gain, rise) = (judge.gain.0 / scale, judge.rise.0 / scale);
    if !(gain <= GAIN && rise <= RISE) {
        let (gained, risen) = (judge.gain.1, judge.rise.1);
        judge.fault(format!("the energy rose by {gain:e} above the start at {gained}, by {rise:e} at {risen}"));
    }
    if !(residual <= RESIDUAL) {
        judge.fault(format!("a residual of {residual:e}"));
    }
    let penetration = summary.penetration / judge.length;
    if !(penetration <= PENETRATION) {
        judge.fault(format!("a penetration of {penetration:e} L"));
    }
    Verdict {
        faults: judge.faults,
        seconds: summary.time,
        evaluations: summary.evaluations,
        impacts: summary.impacts,
        instants: judge.instants,
        windows: summary.windows,
        not_converged: summary.not_converged,
        residual,
        gain,
        penetration,
        is_at_rest: summary.at_rest.is_some(),
    }
}
