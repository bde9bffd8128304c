//! The first sample of a run, and quantities kept for a state.

use super::{G, ball, mass, run, setup, sphere};
use crate::{ContactMode, Setup};

fn brief(mut setup: Setup) -> Setup {
    setup.settings.until = 0.1;
    setup.settings.interval = Some(0.05);
    setup
}

/// It was once reported as in flight, without force, up to the second sample.
#[test]
fn what_rests_from_the_start_is_told_to_rest_there() {
    let (_, told) = run(brief(mass("", 0.5)));
    assert_eq!(told.samples().len(), 3);
    for sample in told.samples() {
        assert_eq!(sample.contacts[0].mode, ContactMode::Stick);
        assert!((sample.contacts[0].force[0] - G).abs() < 1e-12, "{:?}", sample.contacts[0]);
    }
    // A ball that slides from the start.
    let (_, told) = run(brief(sphere()));
    let first = &told.samples()[0];
    assert_eq!(first.contacts[0].mode, ContactMode::Slip);
    assert!((first.contacts[0].force[1] + 0.2 * G).abs() < 1e-12, "{:?}", first.contacts[0]);
}

/// Of two masses that do not act on each other, one rests and the other falls or strikes.
#[test]
fn what_rests_beside_others_is_told_to_rest_from_the_start() {
    for (height, speed, mode) in [(1.0, 0.0, ContactMode::Flight), (0.0, -1.0, ContactMode::Flight)] {
        let model = super::model(
            r#"<body name="one"><joint name="x" type="slide" axis="0 0 1"/>
            <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>
            <body name="two"><joint name="z" type="slide" axis="0 0 1"/>
            <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>"#,
        );
        let mut setup = brief(setup(model.clone()));
        for link in ["one", "two"] {
            setup.contacts.push(super::contact(&model, link, [0.0; 3], 0.5, None));
        }
        (setup.configuration[1], setup.velocity[1]) = (height, speed);
        let (_, told) = run(setup);
        let first = &told.samples()[0];
        assert_eq!(first.contacts.iter().map(|contact| contact.mode).collect::<Vec<_>>(), [ContactMode::Stick, mode]);
        assert!((first.contacts[0].force[0] - G).abs() < 1e-12 && first.contacts[1].force == [0.0; 3]);
        assert_eq!(first.velocity, [0.0, speed]);
    }
}

/// The state before the first event is the given one, also in a run without an event at the start.
#[test]
fn the_first_sample_is_the_state_that_was_given() {
    let mut strikes = mass("", 0.5);
    strikes.velocity[1] = -1.0;
    for given in [strikes, ball(), sphere()] {
        let (_, told) = run(brief(given.clone()));
        let first = &told.samples()[0];
        assert_eq!((&first.configuration, &first.velocity), (&given.configuration, &given.velocity));
        assert_eq!(first.time, 0.0);
    }
}

/// Gaps, rates and terms are computed once for a state: they are recomputed if only the last bit changes.
#[test]
fn what_is_known_of_a_state_is_forgotten_with_it() {
    let mut simulation = crate::Simulation::new(sphere()).unwrap();
    let found = |simulation: &mut crate::Simulation, height: f64, speed: f64| {
        let mut state = simulation.state.clone();
        (state[2], state[7]) = (height, speed);
        simulation.system.place(0.0, &state).unwrap();
        simulation.measure().unwrap();
        simulation.system.terms(0.0, &[0]).unwrap();
        let contact = &simulation.system.contacts[0];
        (contact.gap, simulation.system.rows.velocity()[1])
    };
    for (height, speed) in [(1.5, 2.0), (1.5, 2.0), (1.5, 3.0), (1.0, 3.0), (1.0 + f64::EPSILON, 3.0), (1.5, 2.0)] {
        assert_eq!(found(&mut simulation, height, speed), (height - 1.0, speed));
    }
}
