//! Invalid models and their errors.

use carom_multibody::{BuildError, Inertia, Joint, JointKind, LinkId, LinkSpec, Mimic, Model, ModelBuilder};

pub const BAD: [f64; 3] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

/// The error of a link with one joint.
pub fn joint_error(joint: Joint) -> BuildError {
    let spec = LinkSpec::new("link").joint(joint).inertia(Inertia::ball(1.0, 1.0));
    ModelBuilder::new("model").link(LinkId::WORLD, spec).expect_err("to be refused")
}

pub fn link_error(spec: LinkSpec) -> BuildError {
    ModelBuilder::new("model").link(LinkId::WORLD, spec).expect_err("to be refused")
}

#[track_caller]
pub fn says(error: &impl std::fmt::Display, parts: &[&str]) {
    let message = error.to_string();
    for part in parts {
        assert!(message.contains(part), "{message:?} does not say {part:?}");
    }
}

pub fn follower(name: &str, leader: &str) -> Joint {
    let mut joint = Joint::new(name, JointKind::Revolute);
    joint.mimic = Some(Mimic { leader: leader.to_owned(), multiplier: 1.0, offset: 0.0 });
    joint
}

/// Builds links on the world, each a ball with one joint.
pub fn build_with(joints: Vec<Joint>) -> Result<Model, BuildError> {
    let mut builder = ModelBuilder::new("model");
    for (i, joint) in joints.into_iter().enumerate() {
        let spec = LinkSpec::new(format!("link{i}")).joint(joint).inertia(Inertia::ball(1.0, 1.0));
        builder.link(LinkId::WORLD, spec)?;
    }
    builder.build()
}
