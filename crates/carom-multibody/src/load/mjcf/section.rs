//! The sections without bodies: which are read, ignored, not modelled or rejected.

use super::class::Classes;
use super::notes::{Notes, is_word_of};
use super::source::Sources;
use crate::load::{LoadError, LoadErrorKind, xml};

/// Sections that are read where they are needed.
const READ: &str = "compiler option default asset worldbody actuator contact equality keyframe";
/// Sections that have no effect on the motion.
const IGNORED: &str = "size statistic visual extension sensor custom";

/// Rejects unsupported elements that change the dynamics, and warns about those that affect the motion.
pub(super) fn check(sources: &Sources<'_>, classes: &Classes<'_>, notes: &mut Notes) -> Result<(), LoadError> {
    for section in sources.children(sources.root) {
        match section.name() {
            "tendon" => {
                for part in sources.children(section) {
                    notes.not_modelled(part, &format!("tendon {}", part.name()));
                    if classes.stated(part, "tendon", None)?.number("armature")?.is_some_and(|number| number != 0.0) {
                        return Err(
                            part.unsupported("a tendon with an armature is not supported: it changes the mass matrix")
                        );
                    }
                }
            }
            "deformable" => {
                if let Some(part) = sources.children(section).into_iter().find(|part| part.name() != "skin") {
                    let message = format!("<{}> is not supported: only rigid bodies can move", part.name());
                    return Err(part.unsupported(message));
                }
            }
            // MuJoCo ignores them as well.
            "body" => notes.ignored(section, "body", "is outside <worldbody> and is ignored"),
            name if is_word_of(name, READ) || is_word_of(name, IGNORED) => {}
            name => {
                let message = format!("<{name}> is not a valid section of <mujoco>");
                return Err(xml::fault(LoadErrorKind::Syntax, section.path, section.node, message));
            }
        }
    }
    Ok(())
}
