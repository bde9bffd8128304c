//! Onset of sliding in space from rest.

use crate::simulation::motion::contact::Mode;
use crate::simulation::motion::margin::Reason;
use crate::{Actuator, Simulation};

use super::{G, assert_near, sphere};

/// A sphere at rest on the floor, pushed with three times the friction limit, as it begins to slide along this
/// direction.
fn pushed(direction: [f64; 2]) -> Simulation {
    let mut setup = sphere();
    setup.velocity.fill(0.0);
    setup.actuators = vec![Actuator::Force { freedom: 0, force: 3.0 * 3.5 * 0.2 * G, rate: 0.0 }];
    let mut simulation = Simulation::new(setup).unwrap();
    simulation.audit().unwrap();
    simulation.system.contacts[0].mode = Mode::Onset(direction);
    simulation.system.adopt_modes();
    simulation
}

/// Friction acts against the sliding and turns it into the direction of the push, whatever the direction it starts
/// with: also from a direction far away, which would be different sliding, to be found by a decision of modes.
#[test]
fn a_direction_far_from_that_of_the_last_step_is_not_taken_for_its_continuation() {
    for (angle, is_near) in [(0.0_f64, true), (0.25, true), (-0.25, true), (0.5, false), (1.2, false)] {
        let mut simulation = pushed([angle.cos(), angle.sin()]);
        let margin = simulation.present_margin().unwrap();
        assert_eq!(margin.by != Some((0, Reason::Lost)), is_near, "{angle}: {margin:?}");
        if is_near {
            let [x, y] = simulation.system.contacts[0].heading;
            assert_near(x, 1.0, 1e-12);
            assert_near(y, 0.0, 1e-12);
        }
    }
}

/// A lost direction is decided anew. If it is lost again within a thousandth of the time scale, it is kept fixed.
#[test]
fn a_direction_that_is_lost_again_and_again_is_kept() {
    let mut simulation = pushed([1.0, 0.0]);
    let time = simulation.system.scales.time;
    for (later, is_kept) in [(0.0, false), (0.9e-3, true), (1.1e-3, false)] {
        simulation.time += later * time;
        simulation.resolve_instant(Some((0, Reason::Lost))).unwrap();
        let mode = simulation.system.contacts[0].mode;
        assert_eq!(matches!(mode, Mode::SlipAlong(_)), is_kept, "after {later}: {mode:?}");
        assert!(mode.slides());
    }
}
