//! One simulation by every law.

use carom_law::{Guard, Law};
use carom_multibody::{Dynamics, LinkId, Vector};
use carom_scene::{Problem, ProblemError};
use carom_sim::{Ending, Recorder, Sample, Setup, Simulation, SimulationError, Summary};
use rayon::prelude::*;
use serde::Serialize;

/// The runs of one scene by all laws.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RunComparison {
    /// Requested end time, s.
    pub until: f64,
    /// One entry per law, in the order of [`Law::ALL`].
    pub laws: Vec<LawRun>,
}

/// The run of one law.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LawRun {
    /// The law.
    pub law: Law,
    /// The guard of the law `aghili`; `None` with another law.
    pub guard: Option<Guard>,
    /// How it ended.
    pub ending: Ending,
    /// Why it did not reach its end time, if it did not.
    pub failure: Option<String>,
    /// Time reached, s.
    pub time: f64,
    /// Since when the robot is at rest, s.
    pub at_rest: Option<f64>,
    /// The configuration at the end.
    pub configuration: Vec<f64>,
    /// Kinetic and potential energy at the start and at the end, J; the zero of the latter is arbitrary.
    pub energy: [f64; 2],
    /// Work of the impacts, J.
    pub impact_work: f64,
    /// Impacts; contacts that strike together count as one.
    pub impacts: u64,
    /// Events of all kinds.
    pub events: usize,
    /// Windows of time stepping.
    pub windows: u64,
    /// Impacts or decisions of modes that did not converge.
    pub not_converged: u64,
    /// Evaluations of the equations of motion.
    pub evaluations: u64,
    /// The times of the samples, s.
    pub times: Vec<f64>,
    /// The centre of mass of the moving links, m, at these times.
    pub path: Vec<[f64; 3]>,
}

impl RunComparison {
    /// Simulates a scene by every law. The scene's own law is ignored; its guard applies to `aghili` only, and a kind
    /// of restitution to `chord` only.
    ///
    /// # Errors
    /// The scene is invalid, or cannot start. A run that ends early is not an error: its entry has the reason.
    pub fn new(problem: &Problem, until: Option<f64>) -> Result<Self, RunComparisonError> {
        let mut setup = problem.with_law(Law::Chord).with_guard(Guard::Report).setup()?;
        setup.settings.until = until.unwrap_or(setup.settings.until);
        let guard = problem.stated_guard().unwrap_or(Guard::Slip);
        let runs = Law::ALL.par_iter().map(|&law| run(by_law(&setup, law, guard)));
        let laws = runs.collect::<Result<Vec<_>, SimulationError>>()?;
        Ok(Self { until: setup.settings.until, laws })
    }
}

/// Why a scene cannot be simulated by the laws.
#[derive(Debug, Clone, thiserror::Error)]
pub enum RunComparisonError {
    /// The scene is invalid.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// It cannot start.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
}

fn by_law(setup: &Setup, law: Law, guard: Guard) -> Setup {
    let guard = if law == Law::Aghili { guard } else { Guard::Report };
    let mut setup = Setup { law, guard, ..setup.clone() };
    if law != Law::Chord {
        for contact in &mut setup.contacts {
            contact.coefficients.restitution = contact.coefficients.restitution.without_kind();
        }
        setup.limits = setup.limits.map(carom_law::Restitution::without_kind);
    }
    setup
}

fn run(setup: Setup) -> Result<LawRun, SimulationError> {
    let (law, guard) = (setup.law, (setup.law == Law::Aghili).then_some(setup.guard));
    let mut simulation = Simulation::new(setup)?;
    let mut recorder = Recorder::new();
    let failure = simulation.run(&mut recorder).err().map(|error| error.to_string());
    let Summary { ending, time, at_rest, impacts, windows, not_converged, evaluations, .. } = simulation.summary();
    let energies =
        [recorder.samples().first(), recorder.samples().last()].map(|sample| sample.map(|sample| sample.energy));
    let mut dynamics = Dynamics::new(simulation.setup().model.clone());
    let mut placed = |sample: &Sample| Some((sample.time, centre_of_mass(&mut dynamics, sample)?));
    let (times, path) = recorder.samples().iter().filter_map(&mut placed).unzip();
    Ok(LawRun {
        law,
        guard,
        ending: if failure.is_some() { Ending::Failed } else { ending },
        failure,
        time,
        at_rest,
        configuration: simulation.configuration().to_vec(),
        energy: energies.map(|energy| energy.map_or(0.0, |energy| energy.total())),
        impact_work: energies[1].map_or(0.0, |energy| energy.impacts),
        impacts,
        events: recorder.events().len(),
        windows,
        not_converged,
        evaluations,
        times,
        path,
    })
}

/// The centre of mass of the links that move.
fn centre_of_mass(dynamics: &mut Dynamics, sample: &Sample) -> Option<[f64; 3]> {
    dynamics.set_state(&sample.configuration, &sample.velocity).ok()?;
    let model = std::sync::Arc::clone(dynamics.model());
    let (mut mass, mut moment) = (0.0, Vector::ZERO);
    for link in (0..model.links().len()).map(LinkId::from_index).filter(|link| model.is_moving(*link)) {
        let inertia = &model.link(link).inertia;
        mass += inertia.mass;
        moment += inertia.mass * dynamics.placement(link).apply(inertia.center);
    }
    (mass > 0.0).then(|| ((1.0 / mass) * moment).to_array())
}
