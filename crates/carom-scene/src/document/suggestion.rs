//! The name that a misspelt one probably means.

/// The divisor of a name's length that gives the number of letters that may be wrong.
const MISSPELT: usize = 3;

/// ` (did you mean "NAME"?)` for the nearest of the valid names, in letters to change, add, remove or swap, if it is near; otherwise
/// nothing.
///
/// ```
/// use carom_scene::document::did_you_mean;
///
/// assert_eq!(did_you_mean("frikction", ["friction", "restitution"]), " (did you mean \"friction\"?)");
/// assert_eq!(did_you_mean("tail", ["friction", "restitution"]), "");
/// ```
pub fn did_you_mean<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let lower = given.to_lowercase();
    // Names may be long: a difference in length is a lower bound of the distance.
    let most = (given.chars().count() / MISSPELT).max(1);
    let near = |name: &&str| name.chars().count().abs_diff(given.chars().count()) <= most;
    let distance = |name: &str| strsim::osa_distance(&lower, &name.to_lowercase());
    let nearest = names.into_iter().filter(near).map(|name| (distance(name), name)).min();
    match nearest {
        Some((distance, name)) if distance <= most && name != given && !given.is_empty() => {
            format!(" (did you mean {name:?}?)")
        }
        _ => String::new(),
    }
}

/// Names in a message before the others are only counted.
const NAMES: usize = 24;

/// Names for a message: `a, b, c`, or the first of them and the number of the others.
pub(crate) fn listed(names: &[impl AsRef<str>]) -> String {
    let shown: Vec<&str> = names.iter().take(NAMES).map(AsRef::as_ref).collect();
    match names.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::{did_you_mean, listed};

    #[test]
    fn long_lists_are_shortened() {
        let names: Vec<String> = (0..70).map(|k| format!("link_{k}")).collect();
        assert_eq!(listed(&names[..3]), "link_0, link_1, link_2");
        assert_eq!(listed(&names[..24]), names[..24].join(", "));
        assert!(listed(&names).ends_with("link_23 and 46 more"), "{}", listed(&names));
    }

    #[test]
    fn only_what_is_near_is_suggested() {
        let names = ["FL_foot", "FR_foot", "trunk", "x"];
        assert_eq!(did_you_mean("FL_foto", names), " (did you mean \"FL_foot\"?)");
        assert_eq!(did_you_mean("fl_foot", names), " (did you mean \"FL_foot\"?)");
        assert_eq!(did_you_mean("Trunck", names), " (did you mean \"trunk\"?)");
        for far in ["tail", "", "foot", "a_name_much_longer_than_any_other"] {
            assert_eq!(did_you_mean(far, names), "", "{far}");
        }
        // What is valid elsewhere is not misspelt.
        assert_eq!(did_you_mean("trunk", names), "");
        assert_eq!(did_you_mean("y", ["x"]), " (did you mean \"x\"?)");
        assert_eq!(did_you_mean("y", []), "");
    }
}
