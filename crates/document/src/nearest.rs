//! Finds the known word that a misspelt word was meant to be.

/// The candidate that is fewest typing mistakes away, unless there are too many for a slip.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let small = word.to_lowercase();
    let limit = (word.chars().count() / 3).clamp(1, 3);
    candidates
        .into_iter()
        .map(|candidate| (strsim::osa_distance(&small, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// `, did you mean …?` if a candidate is near; else `None`.
pub fn suggestion<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(word, candidates).map(|candidate| format!(", did you mean `{candidate}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_has_a_suggestion_and_another_word_has_none() {
        let keys = ["listen", "database", "log"];
        for (word, meant) in [
            ("lisen", Some("listen")),
            ("Listen", Some("listen")),
            ("databsae", Some("database")),
            ("lgo", Some("log")),
            ("channels", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, keys), meant, "{word}");
        }
    }
}
