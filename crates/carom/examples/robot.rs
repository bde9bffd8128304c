//! A robot from a URDF strikes a table with its tool: `cargo run --example robot [FILE]`, for a file with the arm's names.

use carom::law::{Coefficients, Friction, Guard, Law, Restitution};
use carom::multibody::{ContactPoint, Dynamics, State, load};

fn main() -> carom::Result<()> {
    let file = std::env::args().nth(1).unwrap_or("crates/carom-scene/models/arm.urdf".into());
    let model = load::file(file, &load::Options::new())?;
    let pose = State::new().position("shoulder_lift", 0.6).position("elbow", 1.2).position("wrist_2", 1.3416);
    let (q, v) = model.state(&pose.velocity("shoulder_pan", 1.2).velocity("shoulder_lift", 0.4))?;
    let tool = ContactPoint::at_place(&model, "tool_tip", [0.0, 0.0, 1.0])?;
    let names = model.velocity_names();
    let mut dynamics = Dynamics::new(model);
    dynamics.set_state(&q, &v)?;
    let coefficients = Coefficients::new(Restitution::new(0.3)?, Friction::new(0.2)?);
    let outcome = carom::strike_outcome(Law::Aghili, &mut dynamics, &tool, &coefficients, Guard::Slip)?;
    println!("the tool {:?}s", outcome.mode);
    for (name, (before, after)) in names.iter().zip(v.iter().zip(outcome.velocity.unwrap_or_default())) {
        println!("{name:<14} {before:>8.4} {after:>8.4} rad/s");
    }
    Ok(())
}
