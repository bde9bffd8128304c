//! Places on a robot, as scenes give them: by the name of a link or of a frame.

use carom_multibody::{LinkId, Model, Placement};
use serde_json::{Map, Value};

use crate::document::value::{missing, text};
use crate::document::{Kind, ProblemError, did_you_mean, listed};

/// The name of a link or frame, the link, and the placement on it.
pub(super) fn read<'v>(
    model: &Model,
    map: &'v Map<String, Value>,
    path: &str,
    what: &str,
) -> Result<(&'v str, LinkId, Placement), ProblemError> {
    let (key, value) = match (map.get("link"), map.get("frame")) {
        (Some(link), None) => ("link", link),
        (None, Some(frame)) => ("frame", frame),
        (Some(_), Some(_)) => {
            let message = format!("{path}.link and {path}.frame both place it; give only one of them");
            return Err(ProblemError::at(Kind::Conflict, format!("{path}.frame"), message));
        }
        (None, None) => return Err(missing(&format!("{path}.link"), &format!("{what} needs a link or a frame"))),
    };
    let field = format!("{path}.{key}");
    let name = text(value, &field)?;
    // Links and frames have separate names: a site may have the name of its body.
    let found = match key {
        "link" => model.find_link(name).map(|link| (link, Placement::IDENTITY)),
        _ => model.find_frame(name).map(|frame| (frame.link, frame.placement)),
    };
    let (link, placement) = found.ok_or_else(|| {
        let links: Vec<&str> = model.links().iter().map(|link| link.name.as_str()).collect();
        let frames: Vec<&str> = model.frames().iter().map(|frame| frame.name.as_str()).collect();
        let (names, others, other) = if key == "link" { (links, frames, "frame") } else { (frames, links, "link") };
        let mut message = format!("{field} = {name:?} is not a {key} of {}", model.name());
        match others.contains(&name) {
            true => message += &format!(", but a {other}: use {path}.{other}"),
            false if names.is_empty() => message += ", which has none",
            false => {
                message += &did_you_mean(name, names.iter().copied());
                message += &format!("; its {key}s are {}", listed(&names));
            }
        }
        ProblemError::at(Kind::UnknownName, &field, message)
    })?;
    Ok((name, link, placement))
}
