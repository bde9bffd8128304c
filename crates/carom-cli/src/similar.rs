//! The known name that a wrong one was probably meant to be.

/// Least Jaro-Winkler similarity of a name that is suggested: a name with a letter missing or two letters exchanged has
/// more, as the test below shows.
const SIMILAR: f64 = 0.83;

/// ` (did you mean "kane"?)` for the end of a message, or nothing if no known name is similar.
pub fn did_you_mean(name: &str, known: &[impl AsRef<str>]) -> String {
    let name = name.to_lowercase();
    let each = known.iter().map(|known| (strsim::jaro_winkler(&name, known.as_ref()), known.as_ref()));
    match each.filter(|(share, _)| *share >= SIMILAR).max_by(|one, other| one.0.total_cmp(&other.0)) {
        Some((_, known)) => format!(" (did you mean {known:?}?)"),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::did_you_mean;

    #[test]
    fn a_missing_letter_or_two_exchanged_letters_do_not_hide_a_name() {
        let names: Vec<&str> = carom::gallery::SCENES.iter().map(|scene| scene.name).collect();
        for name in names.iter().filter(|name| name.len() >= 4) {
            for k in 0..name.len() - 1 {
                let mut exchanged: Vec<char> = name.chars().collect();
                exchanged.swap(k, k + 1);
                let missing: String = name.chars().enumerate().filter(|(i, _)| *i != k).map(|(_, c)| c).collect();
                for wrong in [exchanged.into_iter().collect(), missing] {
                    let clause = did_you_mean(&wrong, &names);
                    assert_eq!(clause, format!(" (did you mean {name:?}?)"), "{wrong}");
                }
            }
        }
        assert_eq!(did_you_mean("zzz", &names), "");
    }
}
