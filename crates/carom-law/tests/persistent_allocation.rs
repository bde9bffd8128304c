//! After the first call of its size, the solver of a phase does not allocate.

mod common;

use carom_law::{Dimension, Grip, PhaseContact, PhaseForces, Rows};
use common::bodies::{Body, gravity};

#[test]
fn a_phase_allocates_once() {
    let body = Body::on_corners(1.0, [0.5, 0.4, 0.3], 3);
    let (w, alpha) = (body.delassus(), body.at_contacts(gravity(9.81, 0.4, 0.7)));
    let slip = Grip::Slip { direction: [0.6, 0.8], friction: 0.3 };
    let contacts = |grips: [Grip; 4]| grips.map(|grip| PhaseContact { dimension: Dimension::Spatial, grip });
    let phases = [contacts([Grip::Stick; 4]), contacts([slip; 4]), contacts([Grip::Stick, slip, slip, Grip::Stick])];
    let (mut phase, mut forces) = (PhaseForces::new(), [0.0; 12]);
    let mut counts = [0; 2];
    for round in &mut counts {
        let allocations = allocation_counter::measure(|| {
            for contacts in &phases {
                phase.solve((&w).into(), alpha.as_slice(), contacts, &mut forces).unwrap();
                phase.balance((&w).into(), contacts, Rows::Held, alpha.as_slice(), &mut forces).unwrap();
                phase.stick_margin((&w).into(), alpha.as_slice(), contacts, &[0.5; 4], &mut forces).unwrap();
            }
        });
        *round = allocations.count_total;
    }
    assert!(counts[0] > 0 && counts[1] == 0, "{counts:?}");
}
