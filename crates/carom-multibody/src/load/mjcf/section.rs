//! The sections that carry no bodies: what they change, and what of it is left out.

use super::class::Classes;
use super::notes::{Notes, is_word_of};
use super::source::Sources;
use crate::load::{LoadError, LoadErrorKind, xml};

/// Sections that are read where they are needed.
const READ: &str = "compiler option default asset worldbody actuator";
/// Sections that say nothing about the motion.
const READ_OVER: &str = "size statistic visual extension sensor keyframe custom";

/// Refuses what changes the dynamics and is not known, and remarks on what acts on the motion.
pub(super) fn check(sources: &Sources<'_>, classes: &Classes<'_>, notes: &mut Notes) -> Result<(), LoadError> {
    for section in sources.children(sources.root) {
        match section.name() {
            "contact" | "equality" => {
                for part in sources.children(section) {
                    notes.not_modelled(part, &format!("{} {}", section.name(), part.name()));
                }
            }
            "tendon" => {
                for part in sources.children(section) {
                    notes.not_modelled(part, &format!("tendon {}", part.name()));
                    if classes.stated(part, "tendon", None)?.number("armature")?.is_some_and(|number| number != 0.0) {
                        return Err(part.unsupported("a tendon with an armature changes the mass matrix"));
                    }
                }
            }
            "deformable" => {
                if let Some(part) = sources.children(section).into_iter().find(|part| part.name() != "skin") {
                    let message = format!("<{}> moves by itself: only rigid bodies do here", part.name());
                    return Err(part.unsupported(message));
                }
            }
            // MuJoCo reads over them as well.
            "body" => notes.ignored(section, "body", "stands outside of <worldbody> and is read over"),
            name if is_word_of(name, READ) || is_word_of(name, READ_OVER) => {}
            name => {
                let message = format!("<mujoco> has no section <{name}>");
                return Err(xml::fault(LoadErrorKind::Syntax, section.path, section.node, message));
            }
        }
    }
    Ok(())
}
