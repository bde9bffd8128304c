//! What happens at an instant.

use std::sync::Arc;

use crate::sim::EventKind;

use super::{G, assert_near, contact, model, run, setup};

/// A lever of 1 m that stands on the floor 1 mm from its axis: the contact moves a thousand times slower than the mass. A
/// bounce of 4 mm/s was ended because the contact left the floor with 4e-6 m/s.
#[test]
fn a_slow_contact_does_not_end_a_bounce_that_is_large() {
    let model = model(
        r#"<body name="lever"><joint name="turn" type="hinge" axis="0 -1 0"/>
        <inertial pos="1 0 0" mass="1" diaginertia="1e-6 1e-6 1e-6"/></body>"#,
    );
    let mut setup = setup(Arc::clone(&model));
    setup.contacts.push(contact(&model, "lever", [1e-3, 0.0, 0.0], 0.5, None));
    setup.velocity[0] = 4e-3;
    setup.settings.until = 1e-3;
    let (_, recorder) = run(setup);
    let first = &recorder.events()[0];
    assert_eq!(first.kind, EventKind::Impact);
    assert_near(first.time, 2.0 * 4e-3 / G, 1e-8);
}
