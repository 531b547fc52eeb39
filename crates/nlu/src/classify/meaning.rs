//! The meanings of a word: its groups of near-synonyms, or its stem.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::features::{Key, key};
use super::lexicon;
use super::stem::stem;

/// Stands in the lexicon for any number written in digits.
const DIGITS: &str = "0";

const GROUP: u64 = 1;
const STEM: u64 = 2;

static GROUPS: LazyLock<HashMap<&'static str, Vec<Key>>> = LazyLock::new(|| {
    let mut groups: HashMap<&str, Vec<Key>> = HashMap::new();
    for line in lexicon::SPANISH.lines().chain(lexicon::ENGLISH.lines()) {
        let group = key(GROUP, line.as_bytes());
        for word in line.split(' ') {
            for form in [word, stem(word)] {
                let of_form = groups.entry(form).or_default();
                if !of_form.contains(&group) {
                    of_form.push(group);
                }
            }
        }
    }
    groups
});

/// Adds the meanings of a folded word, at least one.
pub(super) fn meanings(word: &str, into: &mut Vec<Key>) {
    let word = if word.bytes().all(|b| b.is_ascii_digit()) { DIGITS } else { word };
    let stem = stem(word);
    match GROUPS.get(word).or_else(|| GROUPS.get(stem)) {
        Some(groups) => into.extend(groups),
        None => into.push(key(STEM, stem.as_bytes())),
    }
}

#[cfg(test)]
mod tests {
    use super::{Key, meanings};

    fn of(word: &str) -> Vec<Key> {
        let mut found = Vec::new();
        meanings(word, &mut found);
        found
    }

    #[test]
    fn near_synonyms_share_a_meaning() {
        for (one, other) in [("empresa", "compania"), ("precio", "costo"), ("cancelar", "anulo")] {
            let other = of(other);
            assert!(of(one).iter().any(|meaning| other.contains(meaning)), "{one}");
        }
    }

    #[test]
    fn digits_mean_what_number_words_mean() {
        let seven = of("siete");
        assert!(of("1234").iter().any(|meaning| seven.contains(meaning)));
    }

    #[test]
    fn an_unknown_word_means_its_stem() {
        assert_eq!(of("zarandear"), of("zarandeando"));
        assert_ne!(of("zarandear"), of("trenzar"));
    }
}
