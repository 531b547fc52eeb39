//! The phrases, parsed once from the word tables, and those that begin at a place of a message.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

use super::pattern::{Classes, Sequence, alternatives, ends, firsts, sequence, vocabulary};
use super::state::Role;
use super::words::{CLASSES, TABLES};

pub(super) static PHRASES: LazyLock<Phrases> = LazyLock::new(Phrases::new);

pub(super) struct Phrases {
    classes: Classes,
    list: Vec<(Role, Sequence)>,
    /// The phrases that may begin with a word.
    by_first: HashMap<&'static str, Vec<usize>>,
    known: HashSet<&'static str>,
}

impl Phrases {
    fn new() -> Self {
        let classes: Classes =
            CLASSES.iter().map(|(name, written)| (*name, alternatives(written))).collect();
        let list: Vec<(Role, Sequence)> = TABLES
            .iter()
            .flat_map(|tables| tables.iter())
            .flat_map(|(role, phrases)| phrases.iter().map(|phrase| (*role, sequence(phrase))))
            .collect();
        let mut by_first: HashMap<&'static str, Vec<usize>> = HashMap::new();
        let mut known = HashSet::new();
        for (index, (_, sequence)) in list.iter().enumerate() {
            let (words, empty) = firsts(sequence, &classes);
            assert!(!empty, "a phrase without words accounts for nothing");
            for word in words {
                by_first.entry(word).or_default().push(index);
            }
            vocabulary(sequence, &mut known);
        }
        classes.values().flatten().for_each(|sequence| vocabulary(sequence, &mut known));
        Phrases { classes, list, by_first, known }
    }

    /// Whether a word occurs in any phrase.
    pub(super) fn knows(&self, word: &str) -> bool {
        self.known.contains(word)
    }

    /// The phrases that begin at an index, each with where it may end.
    pub(super) fn at<'w>(
        &self,
        start: usize,
        word: &impl Fn(usize) -> Option<&'w str>,
    ) -> Vec<(Role, usize)> {
        let first = word(start).and_then(|first| self.by_first.get(first));
        let mut found = Vec::new();
        for index in first.into_iter().flatten() {
            let (role, sequence) = &self.list[*index];
            let starts = BTreeSet::from([start]);
            found.extend(
                ends(sequence, &self.classes, starts, word).into_iter().map(|end| (*role, end)),
            );
        }
        found
    }
}
