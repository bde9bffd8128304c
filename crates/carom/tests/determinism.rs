//! The same input gives the same bits: in one thread and in many, again and again.

use carom::sim::{Recorder, Simulation};

/// Every number of a run, and every event.
fn run(name: &str) -> String {
    let mut simulation = Simulation::new(carom::gallery::simulation(name).unwrap()).unwrap();
    let mut recorder = Recorder::new();
    simulation.run_until(1.0, &mut recorder).unwrap();
    let mut text = Vec::new();
    carom::report::run_json(&recorder.finish(&simulation), &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn a_simulation_run_again_and_beside_others_has_the_same_bits() {
    for name in ["quadruped", "cube", "painleve"] {
        let alone = run(name);
        assert_eq!(run(name), alone, "{name}, again");
        std::thread::scope(|scope| {
            let beside: Vec<_> = (0..3).map(|_| scope.spawn(|| run(name))).collect();
            beside.into_iter().for_each(|thread| assert_eq!(thread.join().unwrap(), alone, "{name}, beside others"));
        });
    }
}

#[test]
fn main_types_can_be_sent_and_shared() {
    fn shared<T: Send + Sync>() {}
    shared::<carom::Error>();
    shared::<carom::Problem>();
    shared::<carom::Answer>();
    shared::<carom::scene::Scene>();
    shared::<carom::document::Tree>();
    shared::<carom::report::Id>();
    shared::<carom::law::Contact>();
    shared::<carom::law::GeneralizedContact>();
    shared::<carom::law::ContactSet>();
    shared::<carom::law::Outcome>();
    shared::<carom::law::SimultaneousOutcome>();
    shared::<carom::law::batch::Problems<'static>>();
    shared::<carom::multibody::Model>();
    shared::<carom::multibody::Dynamics>();
    shared::<carom::multibody::Contacts>();
    shared::<carom::sim::Setup>();
    shared::<Simulation>();
    shared::<carom::sim::Record>();
    shared::<carom::study::Map>();
    shared::<carom::study::Comparison>();
}
