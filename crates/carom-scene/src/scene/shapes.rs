//! Shapes of links, as scenes give them: by a name, an index, or all.

use carom_multibody::{LinkId, Model};

use crate::document::{Kind, ProblemError, did_you_mean};

type Result<T> = std::result::Result<T, ProblemError>;

/// The shapes of a link by a name, an index, or `all`.
pub(super) fn find_shapes(
    model: &Model,
    link: LinkId,
    of_pattern: bool,
    name: &str,
    field: &str,
) -> Result<Vec<usize>> {
    let link = model.link(link);
    // A shape without a name is given by its index, as in reports. A pattern skips shapes that cannot touch, about which the loader warns.
    let is_meant = |i: usize| match &link.shapes[i].name {
        _ if of_pattern && !link.shapes[i].can_touch() => false,
        _ if name == "all" => true,
        Some(own) => own == name,
        None => name.parse() == Ok(i),
    };
    let chosen: Vec<usize> = (0..link.shapes.len()).filter(|&i| is_meant(i)).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = link.shapes.iter().filter_map(|shape| shape.name.as_deref()).collect();
        let hint = did_you_mean(name, names.iter().copied());
        let message = format!(
            "{field} = {name:?} is not a shape of link {:?}{hint}, which has {}{}",
            link.name,
            match link.shapes.len() {
                0 => "none".to_owned(),
                1 => "one: say \"all\"".to_owned(),
                count => format!("{count}: say \"all\""),
            },
            if names.is_empty() { String::new() } else { format!(", or {}", names.join(", ")) }
        );
        return Err(ProblemError::at(Kind::UnknownName, field, message));
    }
    Ok(chosen)
}
